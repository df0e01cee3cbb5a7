"""Say a live report as the parts of the status page: each a section that the page's script may put in place of an older one.

Decides nothing: what comes first, what is wrong and what is counted is decided in `live_overview`. Everything a person, a plan or a zone
said stands in `bdi`, so that writing from right to left cannot turn the words beside it around.
"""

from collections.abc import Iterable, Iterator, Sequence

from enactor.live_overview import InForce, Overview, counted, ends_of, tone_of
from enactor.live_report import LiveBudget, LiveChange, LiveEndpoint, LiveReport, LiveZone
from enactor.page.frame import NOTHING, Child, Html, el, joined
from enactor.report import EnactorSeen

NAMES_SHOWN = 5
"""How many names of a change stand open; the others that are known are one click away."""

PLANNERS_BRAKE = "Whether a planner's brake holds health signals back is not known here: `planner_brake_endpoints` on its own port says it."
"""Neither plans nor fences bear it: where it holds, the planner goes on with what it had, and publishes nothing."""
STAYS = "): `planner run` publishes nothing until a person gives `planner publish FLEET.yaml`"
DIGEST_SHOWN = 12
"""As much of a digest as switch and fences name."""


def said(text: str | None) -> Html:
    """Return text that somebody else wrote."""
    return el("bdi", text) if text else NOTHING


def sentence(text: str | None) -> Html:
    """Return a sentence of ours or of somebody else, with what stands in backticks as something to copy."""
    pieces = (text or "").split("`")
    if len(pieces) < 3 or len(pieces) % 2 == 0:
        return said(text)  # a backtick without its partner is a backtick
    return el("bdi", [el("code", piece) if number % 2 else piece for number, piece in enumerate(pieces)])


def instant(text: str | None) -> Html:
    """Return an instant as people read it, in UTC as it came."""
    return el("time", text.replace("T", " "), datetime=text) if text else NOTHING


def section(name: str, title: str, *children: Child | Iterable[Child], count: int | None = None) -> Html:
    """Return a part of the page under its own heading."""
    number = el("span", f" {count:,}", class_="soft") if count is not None else None
    return el(
        "section",
        el("h2", title, number, id=f"{name}-title"),
        *children,
        id=name,
        aria_labelledby=f"{name}-title",
        data_live=True,
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[Child]], *, caption: str) -> Html:
    """Return a table with a header for each column, and its first column as the header of each row."""
    head = el("tr", [el("th", title, scope="col") for title in heads])
    body = [el("tr", el("th", row[0], scope="row"), [el("td", cell) for cell in row[1:]]) for row in rows]
    made = el("table", el("caption", caption, class_="hidden"), el("thead", head), el("tbody", body))
    return el("div", made, class_="scrolls", tabindex=0, role="group", aria_label=caption)


def state_of(one: LiveEndpoint) -> Html:
    """Return an endpoint's state in the colour of its tone, and that it answers nothing where it should."""
    silent = not one.answering and one.state != "retired"
    return joined(
        el("span", one.state, class_=f"tag {tone_of(one)}"),
        [" ", el("strong", "answers nothing", class_="bad")] if silent else None,
    )


def generations(one: LiveEndpoint) -> str:
    """Return which generation stands at an endpoint, and which one should: what is current is so by content, whatever its age."""
    own = "no fence" if one.generation is None else f"gen {one.generation}"
    is_as_wanted = one.state == "current" or one.wanted in {None, one.generation}
    return own if is_as_wanted else f"{own}, wanted {one.wanted}"


def wrong(report: LiveReport, seen: Overview) -> Html:
    """Return everything that is not as it should be, the worst first."""
    findings = [el("li", el("strong", found.guard), ": ", sentence(found.message)) for found in report.refused]
    whole = [el("li", sentence(why)) for why in dict.fromkeys((*report.degraded, *report.problems))]
    rows = [_wrong_endpoint(one) for one in seen.wrong]
    more = seen.wrong_count - len(seen.wrong)
    if not (findings or whole or rows):
        return section("wrong", "What is wrong", el("p", "Nothing.", class_="good"))
    return section(
        "wrong",
        "What is wrong",
        el("ul", whole, class_="bad") if whole else None,
        [el("p", "The newest plan is refused as a whole:"), el("ul", findings, class_="bad")] if findings else None,
        el("ul", rows, class_="cards") if rows else None,
        el("p", f"and {counted(more, 'endpoint')} more: see all endpoints below", class_="soft") if more > 0 else None,
        count=seen.wrong_count or None,  # 0 beside what is wrong with the worker itself would read as an all clear
    )


def _wrong_endpoint(one: LiveEndpoint) -> Html:
    gates = [found for found in one.guards if not any(found.message in why for why in one.reasons)]
    where = joined(f"{generations(one)}, in {one.zone}, since ", instant(one.since))
    return el(
        "li",
        el("p", el("strong", said(one.name)), " ", state_of(one), " ", el("span", where, class_="soft")),
        [el("p", sentence(why)) for why in one.reasons],
        [el("p", el("strong", found.guard), ": ", sentence(found.message)) for found in gates],
    )


def brakes(report: LiveReport, seen: Overview) -> Html:
    """Return what people stopped, hold or allowed, with when each ends."""
    stops = [_stop(zone) for zone in report.zones if zone.report.switch in {"stop", "absent"}]
    holds = [
        el("li", el("strong", said(one.name)), " is held ", _end(ends_of(one), f"enactor release {one.name}"))
        for one in seen.held
    ]
    more = seen.held_count - len(seen.held)
    allows = [el("li", "allowed: ", said(allow)) for allow in report.allows[: len(seen.held) + NAMES_SHOWN * 10]]
    elsewhere = el("p", sentence(PLANNERS_BRAKE), class_="soft")
    if not (stops or holds or allows):
        none = el("p", "None: nobody keeps anything from being written.", class_="soft")
        return section("brakes", "Stops and holds", none, elsewhere)
    rest = el("li", f"and {counted(more, 'hold')} more", class_="soft") if more > 0 else None
    listed = el("ul", stops, holds, rest, allows)
    return section("brakes", "Stops and holds", listed, elsewhere, count=len(stops) + seen.held_count)


def _stop(zone: LiveZone) -> Html:
    text = [el("br"), "its text: ", said(zone.report.text)] if zone.report.text else None
    if zone.report.switch == "absent":
        way = [" has no switch, so nothing is written there: ", el("code", "enactor start"), " puts one there"]
        return el("li", el("strong", f"Zone {zone.zone}"), way, class_="warn")
    end = _end(zone.stop_until, f"enactor start --zone {zone.zone}")
    return el("li", el("strong", f"Zone {zone.zone}"), " is stopped ", end, text, class_="warn")


def _end(until: str | None, command: str) -> Html:
    return joined(
        ["until ", instant(until), ", or "] if until else "until somebody ends it: ", el("code", command), " ends it"
    )


def waits(seen: Overview) -> Html:
    """Return what failed and waits before it is tried again."""
    if not seen.waiting:
        return section("waits", "Waiting", el("p", "Nothing waits.", class_="soft"))
    rows = [(said(one.name), f"{one.waits_seconds:.0f} s", sentence(one.waits_why)) for one in seen.waiting]
    more = seen.waiting_count - len(rows)
    rest = el("p", f"and {counted(more)} more", class_="soft") if more > 0 else None
    shown = table(("endpoint", "still", "because"), rows, caption="Endpoints that wait")
    return section("waits", "Waiting", shown, rest, count=seen.waiting_count)


def plan(report: LiveReport, seen: Overview) -> Html:
    """Return the newest plan, and which generations stand where."""
    newest = report.plan
    if newest.generation is None:
        facts: Child | Iterable[Child] = el("p", "No plan is at hand.", class_="warn")
    else:
        where = "" if newest.source == "table" else f", read from the {newest.source}"
        facts = [
            el(
                "p",
                el("strong", f"Plan {newest.generation}"),
                " ",
                el("code", (newest.digest or "")[:DIGEST_SHOWN]),
                where,
            ),
            el(
                "p",
                "made ",
                instant(newest.created_at),
                " by ",
                said(newest.planner or "a planner without a name"),
                class_="soft",
            ),
            el("p", "reason: ", said(newest.reason)) if newest.reason else None,
            el("p", "it stays (", said(newest.stays), sentence(STAYS), class_="warn") if newest.stays else None,
        ]
    rows = [(one.zone, _generation(one), f"{one.endpoints:,}") for one in seen.in_force]
    note = "An endpoint is current by its content: its fence keeps the generation that changed it last."
    shown = (
        table(("zone", "generation", "endpoints"), rows, caption="Endpoints by zone and generation") if rows else None
    )
    elsewhere = f"{counted(report.other_zones)} of the plan in zones that this enactor does not look after."
    return section(
        "plan",
        "What is in force where",
        facts,
        shown,
        el("p", note, class_="soft"),
        el("p", elsewhere, class_="soft") if report.other_zones else None,
    )


def _generation(one: InForce) -> str:
    if one.older:
        return "older ones"
    return "no fence" if one.generation is None else str(one.generation)


def zones(report: LiveReport) -> Html:
    """Return each zone's switch, and how the plan stands to it."""
    rows = [
        (
            zone.zone,
            el("span", zone.report.switch, class_="good" if zone.report.switch == "run" else "warn"),
            "none" if zone.report.open is None else zone.report.open,
            zone.report.plan,
            "" if zone.record_sets is None else f"{zone.record_sets:,}",
            sentence(zone.report.error),
        )
        for zone in report.zones
    ]
    heads = ("zone", "switch", "open generation", "newest plan", "record sets", "trouble")
    return section(
        "zones", "Zones", table(heads, rows, caption="Hosted zones") if rows else el("p", "None was read yet.")
    )


def changes(report: LiveReport) -> Html:
    """Return the last batches that this enactor sent."""
    if not report.changes:
        return section("changes", "Last changes", el("p", "None since this enactor started.", class_="soft"))
    heads = ("when", "outcome", "change id", "generation", "endpoints", "found")
    rows = [_change(one) for one in report.changes]
    return section(
        "changes", "Last changes", table(heads, rows, caption="Batches that this enactor sent, newest first")
    )


def _change(one: LiveChange) -> tuple[Child, ...]:
    opened = f"{one.generation}, opened" if one.opened else str(one.generation)
    tone = {"applied": "good", "conflicted": "busy", "unknown": "warn"}.get(one.outcome, "bad")
    outcome = joined(el("span", one.outcome, class_=tone), [" ", sentence(one.detail)] if one.detail else None)
    found = ", ".join(f"{count:,} {state}" for state, count in one.causes.items())
    return instant(one.at), outcome, el("code", one.change_id or ""), opened, joined(_names(one)), found


def _names(one: LiveChange) -> Iterator[Child]:
    shown, rest = one.names[:NAMES_SHOWN], one.names[NAMES_SHOWN:]
    yield from _listed(shown)
    if rest:
        untold = one.endpoints - len(one.names)
        tail = f" and {untold:,} more" if untold else ""
        yield el("details", el("summary", f"and {one.endpoints - len(shown):,} more"), _listed(rest), tail)


def _listed(names: Sequence[str]) -> Iterator[Child]:
    for number, name in enumerate(names):
        yield el("br") if number else None
        yield said(name)


def enactors(report: LiveReport) -> Html:
    """Return who else has announced itself."""
    if report.enactors is None:
        return section("enactors", "Enactors", el("p", "Not known: the table could not be asked yet.", class_="warn"))
    rows = [_enactor(one, report.enactor) for one in report.enactors]
    heads = ("enactor", "newest generation", "seen", "silent for")
    shown = (
        table(heads, rows, caption="Enactors that announced themselves")
        if rows
        else el("p", "None has announced itself.")
    )
    more = el("p", f"and {report.other_enactors:,} more", class_="soft") if report.other_enactors else None
    return section("enactors", "Enactors", shown, more, count=len(rows) + report.other_enactors)


def _enactor(one: EnactorSeen, own: str) -> tuple[Child, ...]:
    name = joined(said(one.id), el("span", " (this one)", class_="soft") if one.id == own else None)
    silent = "not known" if one.silent_seconds is None else f"{one.silent_seconds:,} s"
    return name, one.generation, instant(one.seen), silent


def budgets(report: LiveReport) -> Html:
    """Return how full the buckets of each account are."""
    if not report.budgets:
        return section("budgets", "Budget", el("p", "Not known yet.", class_="soft"))
    rows = [_budget(one) for one in report.budgets]
    heads = ("account", "requests left", "changes left", "pace")
    note = "What this enactor's share of the account still allows now; it fills up by itself, slower after throttling."
    return section(
        "budgets", "Budget", table(heads, rows, caption="Calls that may still be made"), el("p", note, class_="soft")
    )


def _budget(one: LiveBudget) -> tuple[Child, ...]:
    level = one.level
    pace = f"{level.pace:.0%} of the share, {level.requests_per_second:.2g} requests a second"
    return (
        one.account or "its own",
        _meter("requests", level.requests, level.requests_capacity),
        "not known"
        if level.changes is None or level.changes_capacity is None
        else _meter("changes", level.changes, level.changes_capacity),
        pace,
    )


def _meter(word: str, value: float, most: float) -> Html:
    shown = f"{max(0.0, value):,.0f} of {most:,.0f}"
    bar = el(
        "meter",
        shown,
        value=f"{max(0.0, value):.1f}",
        min=0,
        max=f"{most:.1f}",
        low=f"{most / 5:.1f}",
        aria_label=f"{word} left",
    )
    return joined(bar, " ", shown)

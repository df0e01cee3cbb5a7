"""Show reports to people: tables on stdout that fit a terminal and survive a pipe. Decides nothing."""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from enactor.brake import LEAP_MAX, is_leap
from enactor.guards import Finding
from enactor.ports import Presence
from enactor.report import CycleReport, EnactorSeen, PlanWordReport, StatusReport, SurveyReport, ZoneReport
from enactor.report_collect import CollectReport

PIPE_WIDTH: Final = 160
SILENT_SECONDS: Final = 180
"""An enactor announces itself every minute: after three it is gone, or cannot reach the table."""
ROWS_MAX: Final = 200
"""A terminal is no place for twenty thousand lines; --json has them all."""

PRESENCE_WORDS: Final[dict[Presence, str]] = {"works": "seen", "by-hand": "once", "ended": "ended"}
STATE_STYLES: Final = {
    "current": "green",
    "held": "cyan",
    "retired": "dim",
    "behind": "yellow",
    "drifted": "yellow",
    "fence-missing": "yellow",
    "vanished": "yellow",
    "foreign": "magenta",
    "fence-garbled": "magenta",
    "refused": "red",
    "missing": "bold red",
    "empty": "bold red",
}


def console() -> Console:
    """Return a console that keeps lines whole in a pipe, unless COLUMNS says how wide."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH
    return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=not sys.stdout.isatty())


def table(*columns: str) -> Table:
    """Return an empty table in the house's look."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def counted(number: int, word: str) -> str:
    """Return a number with its word, in the singular where it is one."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def plan_line(plan: PlanWordReport, problems: Sequence[str]) -> str:
    """Say which plan was worked from; where something could not be read, no plan at hand does not mean that there is none."""
    if plan.generation is None:
        unknown = "plan: unknown, none could be read; endpoints are held against what their fences name"
        return unknown if problems else "plan: none published yet"
    return f"plan: generation {plan.generation} digest {(plan.digest or '')[:12]} from {plan.source}"


def zone_table(zones: Iterable[ZoneReport]) -> Table:
    """Show the zones; what there is to say about one is in `zone_notes`."""
    made = table("zone", "switch", "open", "plan")
    for zone in zones:
        fine = zone.switch == "run" and not zone.error and not _is_odd(zone)
        opened = "" if zone.open is None else str(zone.open)
        made.add_row(zone.zone, Text(zone.switch, style="green" if fine else "yellow"), opened, zone.plan)
    return made


def zone_notes(zones: Iterable[ZoneReport], newest: PlanWordReport) -> list[str]:
    """Return the way out of each zone's state, a line each: in a column of a table it would be cut into many."""
    return [f"zone {zone.zone}: {note}" for zone in zones if (note := _way_out(zone, newest.generation or 0))]


def _is_odd(zone: ZoneReport) -> bool:
    return zone.switch == "absent" or zone.plan in {"ahead", "forked"}


def _way_out(zone: ZoneReport, newest: int) -> str:
    if zone.switch == "absent":
        return f"no switch, which means stop: `enactor init --zone {zone.zone}`, or `enactor start` where it was in service"
    if zone.switch == "stop":
        return f"stopped, by the text {zone.text}: `enactor start --zone {zone.zone}` brings it back"
    if zone.plan == "ahead" and is_leap(zone.open or 0, newest):
        return (
            f"its generation {zone.open} is more than {LEAP_MAX} above every plan at hand: if a person typed it by mistake, "
            f"`enactor stop --zone {zone.zone}`, then `enactor start --zone {zone.zone} --generation N` with the highest "
            "generation ever published"
        )
    if zone.plan in {"ahead", "forked"}:
        return (
            f"the zone is {zone.plan} of every plan at hand: only repairs until a plan above {zone.open} is published; "
            "`planner publish`, unchanged if there is nothing new"
        )
    if zone.plan == "unknown" and zone.switch == "run":
        return (
            f"no plan can be read to hold against its generation {zone.open}: only repairs until the table, a disk or a mirror "
            "that holds one is back, or `planner publish` has put one above it"
        )
    return ""


def show_cycle(report: CycleReport) -> None:
    """Show what a cycle did."""
    out = console()
    out.print(f"{report.fleet}: {report.outcome}; {plan_line(report.plan, report.problems)}")
    out.print(zone_table(report.zones))
    say_lines(out, zone_notes(report.zones, report.plan))
    rows = [one for one in report.endpoints if one.state != "current" or one.action != "none" or not one.answering]
    if rows:
        made = table("endpoint", "state", "action", "gen", "wanted")
        for endpoint in rows[:ROWS_MAX]:
            state = Text(endpoint.state, style=STATE_STYLES[endpoint.state])
            made.add_row(endpoint.name, state, endpoint.action, _number(endpoint.generation), _number(endpoint.wanted))
        out.print(made)
    _rest(out, len(rows))
    for endpoint in rows[:ROWS_MAX]:
        say_lines(out, (f"{endpoint.name} {finding.guard}: {finding.message}" for finding in endpoint.guards))
    states = Counter[str](endpoint.state for endpoint in report.endpoints)
    calls = f"{counted(report.calls.list, 'read')}, {counted(report.calls.change, 'change call')}"
    silent = _silent(report.not_answering)
    out.print(f"{_states(states, report.zones)}{silent}; {calls}, {counted(report.changes, 'change')}")
    mute = [one.name for one in rows[:ROWS_MAX] if not one.answering and one.state != "retired"]
    say_lines(out, (f"{name} answers nothing: `enactor survey` says what keeps it so" for name in mute), "red")
    _refusals(out, report.refused)
    _problems(out, (*_zone_problems(report.zones), *report.problems))


def show_survey(report: SurveyReport) -> None:
    """Show how every endpoint stands."""
    out = console()
    out.print(f"{report.fleet}: {plan_line(report.plan, report.problems)}")
    out.print(zone_table(report.zones))
    say_lines(out, zone_notes(report.zones, report.plan))
    ranked = sorted(report.endpoints, key=lambda endpoint: (endpoint.state == "current", endpoint.zone, endpoint.name))
    if ranked:
        made = table("endpoint", "state", "answering", "gen", "wanted")
        for endpoint in ranked[:ROWS_MAX]:
            made.add_row(
                endpoint.name,
                Text(endpoint.state, style=STATE_STYLES[endpoint.state]),
                "yes" if endpoint.answering else Text("NO", style="bold red"),
                _number(endpoint.generation),
                _number(endpoint.wanted),
            )
        out.print(made)
    _rest(out, len(ranked))
    for endpoint in ranked[:ROWS_MAX]:
        say_lines(out, (f"{endpoint.name} {endpoint.state}: {reason}" for reason in endpoint.reasons))
    _counts(out, report)
    _refusals(out, report.refused)
    _problems(out, (*_zone_problems(report.zones), *report.problems))


def show_status(report: StatusReport) -> None:
    """Show the whole in a few lines."""
    out = console()
    out.print(f"{report.fleet}: {plan_line(report.plan, report.problems)}")
    out.print(zone_table(report.zones))
    say_lines(out, zone_notes(report.zones, report.plan))
    _counts(out, report)
    for what, names in (("held", report.holds), ("allowed", report.allows), ("stopped", report.stops)):
        if names:
            out.print(f"{what}: {', '.join(names)}")
    if report.enactors is None:
        out.print("enactors: unknown, the plan table cannot be read")
    else:
        workers = [_enactor_words(one) for one in report.enactors if one.presence != "by-hand"]
        out.print(f"enactors: {', '.join(workers) or 'none seen'}")
        if by_hand := [_enactor_words(one) for one in report.enactors if one.presence == "by-hand"]:
            out.print(f"run by hand, and no longer there: {', '.join(by_hand)}")
    _refusals(out, report.refused)
    _problems(out, (*_zone_problems(report.zones), *report.problems))


def show_collect(report: CollectReport) -> None:
    """Show what became of each plan, and why."""
    out = console()
    made = table("generation", "decision", "reasons")
    for plan in report.plans:
        made.add_row(str(plan.generation), plan.decision, ", ".join(plan.reasons))
    out.print(made)
    out.print(f"{counted(report.uploads_swept, 'half-done upload')} swept")
    say_lines(out, (f"tombstone of {one.name} in zone {one.zone}: {one.decision}" for one in report.tombstones))
    _problems(out, report.unreadable)


def _counts(out: Console, report: SurveyReport | StatusReport) -> None:
    elsewhere = f"; {report.other_zones} in zones that are not ours" if report.other_zones else ""
    out.print(_states(report.counts, report.zones) + _silent(report.not_answering) + elsewhere)


def _silent(not_answering: int) -> str:
    return f"; {not_answering} {'answers' if not_answering == 1 else 'answer'} nothing" if not_answering else ""


def _states(counts: Mapping[str, int], zones: Iterable[ZoneReport]) -> str:
    """Count the endpoints by state; a zone that was not read has none that anybody saw."""
    words = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
    if unread := [zone.zone for zone in zones if zone.switch == "unknown"]:
        return f"{words or 'endpoints unknown'}; nothing was seen of {', '.join(unread)}"
    return f"{counted(sum(counts.values()), 'endpoint')}: {words}" if words else "no endpoints"


def say_lines(out: Console, lines: Iterable[str], style: str = "") -> None:
    """Print each on a line of its own, however long: what is wrapped no grep finds."""
    for line in lines:
        out.print(Text(line, style=style), soft_wrap=True)


def _rest(out: Console, rows: int) -> None:
    if rows > ROWS_MAX:
        out.print(f"... and {rows - ROWS_MAX} more; --json has them all")


def _enactor_words(one: EnactorSeen) -> str:
    when = one.seen if one.silent_seconds is None else f"{_ago(one.silent_seconds)} ago"
    seen = f"{PRESENCE_WORDS[one.presence]} {when}"
    silent = one.presence == "works" and one.silent_seconds is not None and one.silent_seconds > SILENT_SECONDS
    return f"{one.id} (gen {one.generation}, {seen}{', SILENT' if silent else ''})"


def _ago(seconds: int) -> str:
    return f"{seconds}s" if seconds < 120 else f"{seconds // 60}m"


def _refusals(out: Console, refused: Iterable[Finding]) -> None:
    told = (finding for finding in refused if finding.guard != "digest")  # that a plan is damaged is told as a problem
    say_lines(out, (f"plan refused: {finding.guard}: {finding.message}" for finding in told), "red")


def _zone_problems(zones: Iterable[ZoneReport]) -> list[str]:
    """Return each zone's trouble."""
    return [f"zone {zone.zone}: {zone.error}" for zone in zones if zone.error]


def _problems(out: Console, problems: Iterable[str]) -> None:
    say_lines(out, (f"problem: {problem}" for problem in problems), "red")


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)

"""Say a replay as one page that a person can step through: both acts side by side at the same points of the night.

Decides nothing. Everything stands in the document and nothing is asked for; without its script all points stand below each other.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from enactor.page.frame import LOOK, Html, asset, document, el, joined
from enactor.replay.stage import API, MOMENTS, Belief, Row

STYLES: Final = (LOOK, "replay.css")
SCRIPT: Final = "replay.js"
INTRODUCTION: Final = (
    "On 19 October 2025 two workers of AWS's own DNS automation raced, and one name was left with no address. This is that night on an "
    "embedded Route 53: the same delays, once for a small copy of that day's automation and once for the real enactors. "
    "Step through it with the buttons, or with the left and right arrow keys."
)


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """One side of the page."""

    title: str
    ending: str
    is_well: bool
    rows: tuple[Row, ...]


def replay_page(left: Act, right: Act, note: str) -> str:
    """Return the page of two acts."""
    ends = [
        el("p", el("strong", act.title), ": ", el("span", act.ending, class_=_tone(act.is_well)))
        for act in (left, right)
    ]
    body = joined(
        el("header", el("h1", "October 2025, played again"), el("p", INTRODUCTION), el("div", ends, class_="ends")),
        _steps(),
        el("main", [_moment(number, left, right) for number in range(len(MOMENTS))]),
        el("footer", el("p", note, class_="soft")),
    )
    return document(
        "October 2025, played again", body, styles=tuple(asset(name) for name in STYLES), script=asset(SCRIPT)
    )[0]


def _tone(is_well: bool) -> str:
    return "good" if is_well else "bad"


def _steps() -> Html:
    """Return the buttons; they are there only where the script makes them do something."""
    numbers = [
        el("li", el("button", number, type="button", title=title, aria_label=f"{number}: {title}"))
        for number, title in enumerate(MOMENTS, start=1)
    ]
    return el(
        "nav",
        el("button", "previous", type="button", id="back"),
        el("button", "next", type="button", id="on"),
        el("ol", numbers),
        el("span", id="told", class_="soft", role="status"),
        id="steps",
        class_="steps",
        aria_label="points of the night",
        hidden=True,
    )


def _moment(number: int, left: Act, right: Act) -> Html:
    title = f"{number + 1} of {len(MOMENTS)}: {MOMENTS[number]}"
    return el(
        "section",
        el("h2", title, id=f"moment-{number + 1}"),
        el("div", [_act(act, number) for act in (left, right)], class_="acts"),
        class_="moment",
        aria_labelledby=f"moment-{number + 1}",
    )


def _act(act: Act, number: int) -> Html:
    """Return what happened in one act at a point, and how it stands after it: as before, where nothing happened."""
    rows = [row for row in act.rows if row.moment == MOMENTS[number]]
    before = [row for row in act.rows if MOMENTS.index(row.moment) <= number]
    return el(
        "article",
        el("h3", act.title),
        el("ol", [_happened(row) for row in rows])
        if rows
        else el("p", "Nothing: it did not come to this.", class_="soft"),
        _after(before[-1]) if before else None,
        class_="act",
    )


def _happened(row: Row) -> Html:
    broken = [el("p", el("strong", "broken "), sentence, class_="bad") for sentence in row.broken]
    return el("li", el("strong", row.actor), " ", row.text, broken)


def _after(row: Row) -> Html:
    """Return what clients get, what each takes for true, and what stands."""
    return joined(
        el("h4", f"What clients of {API} are answered"),
        el("p", str(row.reply), class_=f"answer {_tone(bool(row.reply.addresses))}"),
        [el("h4", "What each believes"), el("ul", [_belief(one) for one in row.beliefs])] if row.beliefs else None,
        el("h4", "What stands in Route 53"),
        el("pre", _lines(row.stands)),
    )


def _belief(one: Belief) -> Html:
    word = el("span", "so it is" if one.holds else "not so", class_=f"tag {_tone(one.holds)}")
    return el("li", el("strong", one.actor), ": ", one.text, " ", word)


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(lines)

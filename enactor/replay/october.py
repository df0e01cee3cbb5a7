"""`enactor replay october`: play both acts, print them as timelines, and say whether the story ended as it should."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from enactor.cli.views import table
from enactor.replay import act_2025, act_today
from enactor.replay.act_2025 import Ending2025
from enactor.replay.act_today import EndingToday
from enactor.replay.page import Act, replay_page
from enactor.replay.stage import API, Row
from enactor.replay.teeth import Protection
from enactor.report import EXIT_FAILED, EXIT_OK

TITLE_2025: Final = (
    "Act 1. The enactors of October 2025: one check, a blind alias flip, clean-up by age, a rollback record"
)
TITLE_TODAY: Final = "Act 2. The real enactors and the real collect, delayed at the same points"
MISSING: Final[dict[Protection, str]] = {
    "fence": "without the fence: switch and fences are overwritten, whatever stood there",
    "gate": "without the last gate: whatever a decision asks for is sent",
    "collect-check": "without the look of collect: old plans go by their age",
}
NOTE: Final = (
    "In 2025 clients came back up to 15 minutes after people had repaired the endpoint: its empty answer had been cached for "
    "the 900 seconds that the zone's SOA allows."
)


PIPE_WIDTH_CHARACTERS: Final = 120
"""How wide a timeline is in a pipe, unless COLUMNS says: it is read as prose, and pasted into mails."""


def console() -> Console:
    """Return where the timelines go: as wide as the terminal, or as COLUMNS says, else wide enough for a pipe."""
    known = sys.stdout.isatty() or os.environ.get("COLUMNS")
    width = shutil.get_terminal_size().columns if known else PIPE_WIDTH_CHARACTERS
    return Console(file=sys.stdout, width=width, highlight=False)


def replay(protection: Protection | None, html: str | None = None) -> int:
    """Play, print, and return the exit status: 0 where 2025 went as it went and today every promise held.

    `html` names a file for both acts as a page; with a protection out, the act of 2025 is played for the page and not printed.
    """
    out = console()
    try:
        past = act_2025.play() if protection is None or html else None
        past_held = protection is not None or past is None or _past(out, past)
        today = act_today.play(protection)
        today_held = _today(out, today, protection)
    except TimeoutError as error:
        out.print(f"replay: this machine was too slow for the schedule ({error}); run it again when it is idle")
        return EXIT_FAILED
    if (
        html
        and past is not None
        and not _write(out, Path(html), replay_page(_act_2025(past), _act_today(today, protection), NOTE))
    ):
        return EXIT_FAILED
    return EXIT_OK if past_held and today_held else EXIT_FAILED


def _write(out: Console, path: Path, page: str) -> bool:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        out.print(Text(f"replay: {path} could not be written: {error.strerror}; name another file with --html", "red"))
        return False
    out.print(Text(f"both acts as a page to step through: {path}"))
    return True


def _past(out: Console, ending: Ending2025) -> bool:
    _show(out, TITLE_2025, ending.rows)
    out.print(Text(f"=> {_said_2025(ending)}", "red"))
    if _is_as_it_was(ending):
        out.print(NOTE)
    out.print()
    return _is_as_it_was(ending)


def _is_as_it_was(ending: Ending2025) -> bool:
    return ending.is_empty and bool(ending.stuck)


def _said_2025(ending: Ending2025) -> str:
    if not _is_as_it_was(ending):
        return "this did not end as October 2025 did: the copy of that day's behaviour is wrong."
    plans = " and ".join(map(str, ending.stuck))
    return f"{API} answers nothing, and plans {plans} are stuck: nobody but a person can go on."


def _today(out: Console, ending: EndingToday, protection: Protection | None) -> bool:
    _show(out, _title_today(protection), ending.rows)
    out.print(Text(f"=> {_said_today(ending, protection)}", "red" if ending.broken else "green"))
    for sentence in ending.broken:
        out.print(Text(f"   {sentence}", "red"))
    return not ending.broken


def _title_today(protection: Protection | None) -> str:
    return TITLE_TODAY if protection is None else f"{TITLE_TODAY}, {MISSING[protection]}"


def _said_today(ending: EndingToday, protection: Protection | None) -> str:
    if ending.broken:
        return f"{len(ending.broken)} broken:"
    said = "every promise held" if protection is None else f"nothing broke without the {protection}"
    return f"{said}: {API} answered from one whole plan all the time, and no plan is stuck."


def _act_2025(ending: Ending2025) -> Act:
    return Act(title="As it was in 2025", ending=_said_2025(ending), is_well=False, rows=ending.rows)


def _act_today(ending: EndingToday, protection: Protection | None) -> Act:
    title = "The real enactors" if protection is None else f"The real enactors, {MISSING[protection]}"
    said = " ".join((_said_today(ending, protection), "; ".join(ending.broken))).strip()
    return Act(title=title, ending=said, is_well=not ending.broken, rows=ending.rows)


def _show(out: Console, title: str, rows: Iterable[Row]) -> None:
    out.print(Text(title, "bold"))
    shown = table("", "who", "what happens", f"what {API.rstrip('.')} answers")
    for number, row in enumerate(rows, start=1):
        style = "red" if not row.reply.addresses else ""
        shown.add_row(str(number), row.actor, row.text, Text(str(row.reply), style))
        for sentence in row.broken:
            shown.add_row("", "", Text(f"BROKEN {sentence}", "bold red"), "")
    out.print(shown)

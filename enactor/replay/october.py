"""`enactor replay october`: play both acts, print them as timelines, and say whether the story ended as it should."""

import os
import shutil
import sys
from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.text import Text

from enactor.cli.views import table
from enactor.replay import act_2025, act_today
from enactor.replay.act_2025 import Ending2025
from enactor.replay.act_today import EndingToday
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


def replay(protection: Protection | None) -> int:
    """Play, print, and return the exit status: 0 where 2025 went as it went and today every promise held."""
    out = console()
    try:
        past_held = protection is not None or _past(out)
        today_held = _today(out, protection)
    except TimeoutError as error:
        out.print(f"replay: this machine was too slow for the schedule ({error}); run it again when it is idle")
        return EXIT_FAILED
    return EXIT_OK if past_held and today_held else EXIT_FAILED


def _past(out: Console) -> bool:
    ending: Ending2025 = act_2025.play()
    _show(out, TITLE_2025, ending.rows)
    as_it_was = ending.is_empty and bool(ending.stuck)
    if as_it_was:
        plans = " and ".join(map(str, ending.stuck))
        out.print(Text(f"=> {API} answers nothing, and plans {plans} are stuck: nobody but a person can go on.", "red"))
        out.print(NOTE)
    else:
        out.print(Text("=> this did not end as October 2025 did: the copy of that day's behaviour is wrong.", "red"))
    out.print()
    return as_it_was


def _today(out: Console, protection: Protection | None) -> bool:
    ending: EndingToday = act_today.play(protection)
    _show(out, TITLE_TODAY if protection is None else f"{TITLE_TODAY}, {MISSING[protection]}", ending.rows)
    if not ending.broken:
        said = "every promise held" if protection is None else f"nothing broke without the {protection}"
        out.print(Text(f"=> {said}: {API} answered from one whole plan all the time, and no plan is stuck.", "green"))
        return True
    out.print(Text(f"=> {len(ending.broken)} broken:", "red"))
    for sentence in ending.broken:
        out.print(Text(f"   {sentence}", "red"))
    return False


def _show(out: Console, title: str, rows: Iterable[Row]) -> None:
    out.print(Text(title, "bold"))
    shown = table("", "who", "what happens", f"what {API.rstrip('.')} answers")
    for number, row in enumerate(rows, start=1):
        style = "red" if not row.reply.addresses else ""
        shown.add_row(str(number), row.actor, row.text, Text(str(row.reply), style))
        for sentence in row.broken:
            shown.add_row("", "", Text(f"BROKEN {sentence}", "bold red"), "")
    out.print(shown)

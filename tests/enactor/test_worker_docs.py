"""docs/worker.md says what the worker does: its flags with their defaults, its routes, and every event of its log."""

import re
from pathlib import Path
from typing import Final

from click.testing import CliRunner

from enactor.cli.main import main
from enactor.logs import ITEMS_LOGGED_MAX, LINE_LOGGED_MAX_OCTETS, TEXT_LOGGED_MAX_CHARACTERS
from tests.log_events import logged

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "worker.md").read_text(encoding="utf-8")
NOT_A_WORKERS: Final = {"verb-ended"}
"""A person's verb is a process of its own."""


def first_cells(heading: str) -> set[str]:
    """Return the words in backquotes in the first cells of a section's tables."""
    section = PAGE.split(heading, maxsplit=1)[1].split("\n## ", maxsplit=1)[0]
    cells = re.findall(r"^\| (`[^|]+`) \|", section, flags=re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


def events() -> set[str]:
    """Return every event that the code logs or lets be noticed."""
    return logged(
        [*(ROOT / "enactor").glob("*.py"), *((ROOT / "enactor" / "cli" / name) for name in ("running.py", "ending.py"))]
    )


def test_every_event_is_in_the_table() -> None:
    """And none that is not logged."""
    noticed_by_name = {"history-write-failed"}  # the historian's constant
    assert events() | noticed_by_name == first_cells("## The log") | NOT_A_WORKERS


def test_the_flags_are_the_commands_own() -> None:
    """With their defaults; the settings have a page of their own."""
    flags = dict(re.findall(r"^\| `(--[a-z-]+)` \| (\S+) \|", PAGE, flags=re.MULTILINE))
    own = {option.opts[0]: option.default for option in main.commands["run"].params if option.default is not None}
    assert flags == {flag: default for flag, default in own.items() if isinstance(default, str)}
    assert "--collect-every" in CliRunner().invoke(main, ["run", "--help"]).output


def test_the_limits_of_a_line_are_the_codes() -> None:
    """As the page says them."""
    assert f"{TEXT_LOGGED_MAX_CHARACTERS:,} characters" in PAGE
    assert f"no list longer\nthan {ITEMS_LOGGED_MAX}, no line longer than {LINE_LOGGED_MAX_OCTETS:,} octets" in PAGE

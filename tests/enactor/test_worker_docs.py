"""docs/worker.md says what the worker does: its flags with their defaults, its routes, and every event of its log."""

import ast
import re
from pathlib import Path
from typing import Final

from click.testing import CliRunner

from enactor.cli.main import main
from enactor.logs import ITEMS_LOGGED_MAX, TEXT_LOGGED_MAX_CHARACTERS

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "worker.md").read_text(encoding="utf-8")
LEVELS: Final = {"info", "warning", "error", "critical"}
NOT_A_WORKERS: Final = {"verb-ended"}
"""A person's verb is a process of its own."""


def first_cells(heading: str) -> set[str]:
    """Return the words in backquotes in the first cells of a section's tables."""
    section = PAGE.split(heading, maxsplit=1)[1].split("\n## ", maxsplit=1)[0]
    cells = re.findall(r"^\| (`[^|]+`) \|", section, flags=re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


def events() -> set[str]:
    """Return every event that the code logs or lets be noticed: the texts given to a log's levels, and to `event=`."""
    found: set[str] = set()
    for path in [*(ROOT / "enactor").glob("*.py"), ROOT / "enactor" / "cli" / "running.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if isinstance(node.func, ast.Call) and getattr(node.func.func, "id", "") == "getattr":
                name = "level"  # a level that is chosen as it is called
            said = [*node.args[:1]] if name in LEVELS | {"level"} else []
            said += [word.value for word in node.keywords if word.arg == "event" and name == "Noticed"]
            for expression in said:
                found |= {
                    str(one.value)
                    for one in ast.walk(expression)
                    if isinstance(one, ast.Constant) and re.fullmatch(r"[a-z]+(-[a-z]+)*", str(one.value))
                }
    return found


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
    assert f"longer\nthan {ITEMS_LOGGED_MAX}." in PAGE

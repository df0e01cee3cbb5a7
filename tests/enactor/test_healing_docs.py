"""docs/healing.md says what the code does: a row for every state and standing, and only commands and tests that there are."""

import re
from pathlib import Path
from typing import Final, get_args

import click

from enactor.cli.main import main as enactor_command
from enactor.report import PlanWord, SwitchWord, Unread
from enactor.swap import State
from planner.cli import main as planner_command

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "healing.md").read_text(encoding="utf-8")


def words(heading: str) -> list[list[str]]:
    """Return the words in backquotes that rows begin with, for each table below a heading."""
    section = PAGE.split(f"\n## {heading}\n", maxsplit=1)[1].split("\n## ", maxsplit=1)[0]
    tables = re.split(r"\n\n+", section)
    found = [re.findall(r"^\| `([a-z-]+)` \|", table, flags=re.MULTILINE) for table in tables]
    return [table for table in found if table]


def test_every_state_of_an_endpoint_has_one_row() -> None:
    """Whoever meets a word in survey, a log or a metric finds it here."""
    (listed,) = words("Endpoints")
    assert sorted(listed) == sorted(get_args(State))


def test_every_standing_of_a_zone_has_one_row() -> None:
    """Of the switch, and of the plan; `unknown` stands in place of either."""
    switches, plans = words("Zones")
    assert sorted(switches) == sorted((*get_args(SwitchWord), *get_args(Unread)))
    assert sorted(plans) == sorted((*get_args(PlanWord), *get_args(Unread)))


def test_every_command_that_is_named_is_there_with_its_options() -> None:
    """A way out that ends with `No such command` is none."""
    groups: dict[str, click.Group] = {"enactor": enactor_command, "planner": planner_command}
    named = re.findall(r"`(enactor|planner) ([a-z-]+)([^`]*)`", PAGE)
    assert len(named) > 20
    for group, verb, rest in named:
        command = groups[group].commands.get(verb)
        assert command is not None, f"{group} {verb}"
        options = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= options, f"{group} {verb}{rest}"


def test_every_test_that_is_named_is_there() -> None:
    """What a row says is shown by a test of that name."""
    named = set(re.findall(r"`(test_[a-z0-9_]+)`", PAGE))
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(named) > 20
    assert not {name for name in named if not any(f"def {name}(" in text for text in texts)}

"""Every command in a runbook is one that there is, with flags that it takes: nobody has the time to find out at three in the morning."""

import re
import shlex
from pathlib import Path

import pytest

from enactor.cli.main import main as enactor
from planner.cli import main as planner

FOLDER = Path(__file__).parents[2] / "runbooks"
PAGES = sorted(FOLDER.glob("*.md"))
COMMAND = re.compile(r"^\s+((?:enactor|planner) .+)$", re.MULTILINE)
QUOTED = re.compile(r"`((?:enactor|planner) [^`]+)`")


def commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found += [(page.name, line) for line in (*COMMAND.findall(text), *QUOTED.findall(text))]
    return found


@pytest.mark.parametrize(("page", "line"), commands())
def test_a_command_can_be_typed_as_it_stands(page: str, line: str) -> None:
    """Parsed by the command itself, without being run."""
    program, verb, *words = shlex.split(line.partition(" > ")[0])  # what the shell does with the output is not ours
    group = enactor if program == "enactor" else planner
    command = group.commands.get(verb)
    assert command is not None, f"{page}: there is no {program} {verb}"
    command.make_context(verb, list(words))  # raises what a person would be told


def test_every_page_is_in_the_index_and_none_is_missing() -> None:
    """Whoever is woken up begins there."""
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([a-z-]+\.md)\)", index))
    assert linked == {page.name for page in PAGES} - {"README.md"}
    assert len(commands()) > 20

"""Every word that the code prints, reads or writes: its texts without docstrings, its fields, its options, settings and verbs."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import click

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("enactor", "planner")


@cache
def texts() -> str:
    """Return all texts of the code that ships, each on a line of its own; the sandbox plays AWS, and its words are not ours."""
    paths = sorted(
        path for package in PACKAGES for path in (ROOT / package).rglob("*.py") if "sandbox" not in path.parts
    )
    return "\n".join(one for path in paths for one in _texts_of(ast.parse(path.read_text(encoding="utf-8"))))


def _texts_of(tree: ast.Module) -> Iterator[str]:
    prose = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
    }  # docstrings, which name what they like
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id  # a field, as JSON has it
            yield node.target.id.replace("_", "-")  # and as the settings file has it


def is_said(word: str) -> bool:
    """Tell whether a word stands in some text of the code, not as a part of a longer one."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", texts()) is not None


def verbs_and_options(groups: Iterable[click.Group]) -> frozenset[str]:
    """Return the names of all commands, and all their options."""
    commands = [command for group in groups for command in group.commands.values()]
    options = (word for command in commands for one in command.params for word in (*one.opts, *one.secondary_opts))
    return frozenset((*(str(command.name) for command in commands), *options))

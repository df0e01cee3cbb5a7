"""Find the events that code logs, so that the pages that list them can be held against it."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

LEVELS: Final = {"info", "warning", "error", "critical"}


def logged(paths: Iterable[Path]) -> set[str]:
    """Return every event that these files log or let be noticed: the texts given to a log's levels, and to `event=`."""
    found: set[str] = set()
    for path in paths:
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

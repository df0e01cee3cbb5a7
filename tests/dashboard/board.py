"""The dashboard as its file says it: what each panel asks for."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from tests.alerts.scene import ROOT

FILE: Final = ROOT / "deploy" / "grafana" / "enactor.json"


class Asked(msgspec.Struct, frozen=True):
    """One query of a panel, and the words between braces of its legend."""

    panel: str
    expr: str
    legend: tuple[str, ...]


def board() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def panels() -> list[dict[str, Any]]:
    """Return the panels without the headings of rows."""
    return [panel for panel in board()["panels"] if panel["type"] != "row"]


def queries() -> Iterator[Asked]:
    for panel in panels():
        for target in panel["targets"]:
            legend = tuple(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            yield Asked(panel["title"], target["expr"], legend)

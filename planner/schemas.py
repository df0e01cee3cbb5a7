"""Decide what JSON Schema describes each file and each `--json` output. Pure; drawn from the types themselves (draft 2020-12)."""

from typing import Any, Final

import msgspec

from enactor.diagnosis import DoctorReport
from enactor.history import HistoryReport
from enactor.live_report import LiveReport
from enactor.plan import PlanFile
from enactor.report import CycleReport, ErrorReport, FaultsReport, StatusReport, SurveyReport
from enactor.report_collect import CollectReport
from enactor.seen_outside import ProbeReport
from planner.fleet_file import FleetFile
from planner.fleet_file_sources import ENTRIES, with_kinds
from planner.reports import DiffReport, DryRunReport, ListReport, PublishReport, ShowReport

REF: Final = "#/$defs/{name}"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
SCHEMAS: Final[dict[str, type]] = {
    "fleet": FleetFile,
    "plan": PlanFile,
    "once": CycleReport,
    "survey": SurveyReport,
    "status": StatusReport,
    "collect": CollectReport,
    "probe": ProbeReport,
    "api-status": LiveReport,
    "history": HistoryReport,
    "doctor": DoctorReport,
    "publish": PublishReport,
    "dry-run": DryRunReport,
    "list": ListReport,
    "show": ShowReport,
    "diff": DiffReport,
}
FILES: Final = frozenset({"fleet", "plan"})
SERVED: Final = frozenset({"api-status"})
"""What a worker's port answers: no command prints it."""
WITH_FAULTS: Final = frozenset({"publish", "dry-run"})
WITH_ERROR: Final = frozenset(SCHEMAS) - FILES - SERVED
"""Which commands print what is wrong with their file, or what failed outside, in place of their report."""


def schema_of(what: str) -> dict[str, Any]:
    """Return the schema of a file, or of everything that a command prints for machines."""
    return {"$schema": DIALECT, "title": what} | _schema(what)


def _schema(what: str) -> dict[str, Any]:
    endings = [FaultsReport] * (what in WITH_FAULTS) + [ErrorReport] * (what in WITH_ERROR)
    others = list(ENTRIES.values()) if what == "fleet" else endings
    options, parts = msgspec.json.schema_components([SCHEMAS[what], *others], ref_template=REF)
    if what == "fleet":
        parts = with_kinds(parts, REF)
    if what in FILES:
        return {**options[0], "$defs": _without_null(parts)}
    return {"oneOf": list(options), "$defs": parts}


def _without_null(node: Any) -> Any:
    """A key that may be left out may not be null: the readers refuse null, and so must an editor."""
    if isinstance(node, list):
        return [_without_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _without_null(value) for key, value in node.items() if (key, value) != ("default", None)}
    options = [option for option in kept.get("anyOf", ()) if option != {"type": "null"}]
    if "anyOf" in kept and len(options) == 1:
        del kept["anyOf"]
        return options[0] | kept
    return kept | ({"anyOf": options} if options else {})

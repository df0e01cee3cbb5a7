"""Decide what JSON Schema describes each file and each `--json` output. Pure; drawn from the types themselves (draft 2020-12)."""

from typing import Any, Final

import msgspec

from enactor.plan import PlanFile
from enactor.report import CycleReport, StatusReport, SurveyReport
from enactor.report_collect import CollectReport
from planner.fleet_file import FleetFile
from planner.reports import DiffReport, DryRunReport, ListReport, PublishReport, ShowReport

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
SCHEMAS: Final[dict[str, type]] = {
    "fleet": FleetFile,
    "plan": PlanFile,
    "once": CycleReport,
    "survey": SurveyReport,
    "status": StatusReport,
    "collect": CollectReport,
    "publish": PublishReport,
    "dry-run": DryRunReport,
    "list": ListReport,
    "show": ShowReport,
    "diff": DiffReport,
}
FILES: Final = frozenset({"fleet", "plan"})


def schema_of(what: str) -> dict[str, Any]:
    """Return one of the schemas, with the member of a union that no file may spell taken out."""
    schema = msgspec.json.schema(SCHEMAS[what])
    if what in FILES:
        schema = _without_null(schema)
    return {"$schema": DIALECT, "title": what} | schema


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

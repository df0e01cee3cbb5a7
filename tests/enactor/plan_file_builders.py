"""Plan files as JSON would hold them, right in form unless a test changes them, and what is said about them."""

import json
from typing import Any

from enactor.plan import Plan
from enactor.plan_form import read_plan


def target(**changes: Any) -> dict[str, Any]:
    """Return a good weighted target; `None` takes a key out."""
    return changed({"id": "lb-1", "type": "A", "value": "192.0.2.1", "weight": 10}, changes)


def endpoint(**changes: Any) -> dict[str, Any]:
    good = {"name": "ep1.example.test.", "zone": "Z1", "routing": "weighted", "ttl": 60, "targets": [target()]}
    return changed(good, changes)


def plan(*endpoints: Any, **changes: Any) -> dict[str, Any]:
    return changed({"format": 1, "fleet": "edge", "endpoints": list(endpoints)}, changes)


def changed(good: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return it with the changes; `None` takes a key out."""
    return {key: value for key, value in (good | changes).items() if value is not None}


def alias(**changes: Any) -> dict[str, Any]:
    good = {"name": "lb.example.net.", "zone": "Z35SXDOTRQ7X7K", "evaluate_target_health": True}
    return changed(good, changes)


def faults_of(raw: Any) -> list[str]:
    return [str(fault) for fault in read_plan(json.dumps(raw)).faults]


def guards_of(raw: Any) -> list[str]:
    return [fault.guard for fault in read_plan(json.dumps(raw)).faults]


def good_plan(raw: Any) -> Plan:
    reading = read_plan(json.dumps(raw))
    assert reading.faults == ()
    assert reading.plan is not None
    return reading.plan

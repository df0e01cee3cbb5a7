"""Decide whether a plan file has the right form: bytes in, a Plan and every fault out, `path: message` each.

Pure, and it never raises: what comes out of a store or a file is validated, not trusted. Two readers rest on it. Whoever
publishes refuses a file with any fault. An enactor that meets a bad plan in the table all the same still gets the endpoints whose
form is right, and the others as `broken`: one bad endpoint never holds the rest back (cases 22, 31). There is no plan at all only
where the file as a whole cannot be understood. An endpoint is never repaired by guessing: it is right, or it is broken.
"""

import json
from typing import Any, Final, NoReturn, cast, get_args

import msgspec

from enactor.names import bare_zone_id
from enactor.plan import (
    FLEET_ID,
    FORMAT,
    TARGET_ID,
    TTL_MAX_SECONDS,
    TTL_MIN_SECONDS,
    WEIGHT_MAX,
    Endpoint,
    Fault,
    Plan,
    Retired,
    Routing,
    Target,
)
from enactor.plan_assembly import Entry, assembled
from enactor.plan_faults import (
    HEALTH_CHECK_ID,
    Doubled,
    Faults,
    read_address,
    read_choice,
    read_endpoint_name,
    read_flag,
    read_list,
    read_matching,
    read_name,
    read_object,
    read_whole,
    read_zone,
    shown,
)
from enactor.plan_rules import Placed, Shape, apply_rules
from enactor.records import MANAGED_TYPES, Alias, ManagedType

TOP: Final = "plan"
"""The path of the file as a whole."""
ROUTINGS: Final[tuple[Routing, ...]] = get_args(Routing)
_TARGET_OPTIONAL: Final = ("value", "alias", "weight", "health_check")


class PlanReading(msgspec.Struct, frozen=True):
    """A plan file as read: the plan that can be used, if any, and everything that is wrong with the file."""

    plan: Plan | None
    faults: tuple[Fault, ...]


def read_plan(body: bytes | str) -> PlanReading:
    """Read a plan file whole, with every fault."""
    faults = Faults()
    raw = _parse(body, faults)
    plan = None if len(faults) else _read_top(raw, faults)
    return PlanReading(plan, faults.all())


class _NotJsonError(ValueError):
    pass


def _parse(body: bytes | str, faults: Faults) -> Any:
    try:
        text = body if isinstance(body, str) else body.decode("utf-8")
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        faults.add(TOP, f"octet {error.start} is not UTF-8")
    except json.JSONDecodeError as error:
        faults.add(TOP, f"line {error.lineno} column {error.colno} is not JSON: {error.msg}")
    except _NotJsonError as error:
        faults.add(TOP, str(error))
    except ValueError:
        faults.add(TOP, "a number in it has too many digits")
    except RecursionError:
        faults.add(TOP, "it is nested too deep to be a plan")
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    seen: set[str] = set()
    twice = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    return Doubled(pairs, sorted(set(twice)))


def _no_constant(name: str) -> NoReturn:
    raise _NotJsonError(f"{name} is no JSON number")


def _read_top(raw: Any, faults: Faults) -> Plan | None:
    if isinstance(raw, dict) and raw.get("format", FORMAT) != FORMAT:
        faults.add("format", f"{shown(raw['format'])} is unknown; this version reads format {FORMAT}")
        return None
    top = read_object(raw, "", faults, required=("format", "fleet", "endpoints"), optional=("retired",))
    if top is None:
        return None
    if "format" in top and type(top["format"]) is not int:
        faults.add("format", f"{shown(top['format'])} is not the number {FORMAT}")
    fleet = read_matching(top.get("fleet"), "fleet", faults, FLEET_ID) if "fleet" in top else None
    raw_endpoints = read_list(top.get("endpoints"), "endpoints", faults) if "endpoints" in top else None
    raw_retired = read_list(top.get("retired", []), "retired", faults)
    is_whole = len(faults) == 0
    entries = [_read_entry(item, f"endpoints[{index}]") for index, item in enumerate(raw_endpoints or [])]
    retired = (_read_retired(item, f"retired[{index}]", faults) for index, item in enumerate(raw_retired or []))
    plan = assembled(fleet or "", entries, retired, faults)
    return plan if is_whole else None


def _read_entry(item: Any, path: str) -> Entry:
    faults = Faults()
    shape = _read_shape(item, path, faults)
    if shape is not None:
        apply_rules(shape, faults)
    endpoint = None if shape is None or len(faults) else endpoint_of(shape)
    return Entry(path=path, key=_key(item, shape, path), endpoint=endpoint, faults=faults.all())


def _read_shape(item: Any, path: str, faults: Faults) -> Shape | None:
    raw = read_object(item, path, faults, required=("name", "zone", "routing", "targets"), optional=("ttl",))
    if raw is None:
        return None
    ttl = None
    if "ttl" in raw:
        ttl = read_whole(raw["ttl"], f"{path}.ttl", faults, TTL_MIN_SECONDS, TTL_MAX_SECONDS, guard="ttl")
    routing = read_choice(raw["routing"], f"{path}.routing", faults, ROUTINGS) if "routing" in raw else None
    return Shape(
        path=path,
        name=read_endpoint_name(raw["name"], f"{path}.name", faults) if "name" in raw else None,
        zone=read_zone(raw["zone"], f"{path}.zone", faults) if "zone" in raw else None,
        routing=cast("Routing | None", routing),
        ttl=ttl,
        ttl_wrong="ttl" in raw and ttl is None,
        targets=_read_targets(raw["targets"], f"{path}.targets", faults) if "targets" in raw else (),
    )


def endpoint_of(shape: Shape) -> Endpoint:
    """Return the endpoint that a shape without faults is."""
    assert shape.name is not None, "a name that is missing or wrong has a fault"
    assert shape.zone is not None, "a zone that is missing or wrong has a fault"
    assert shape.routing is not None, "a routing that is missing or wrong has a fault"
    targets = tuple(placed.target for placed in shape.targets)
    return Endpoint(name=shape.name, zone=shape.zone, routing=shape.routing, ttl=shape.ttl, targets=targets)


def _key(item: Any, shape: Shape | None, path: str) -> tuple[str, str]:
    """Return zone and name, as near to what was meant as can be: the enactor needs them to hold that endpoint back."""
    raw = item if isinstance(item, dict) else {}
    zone = shape.zone if shape and shape.zone else bare_zone_id(_plain_text(raw.get("zone"), ""))
    name = shape.name if shape and shape.name else _likely_name(raw.get("name"), path)
    return (zone, name)


def _likely_name(value: Any, path: str) -> str:
    name = read_name(value, path, Faults())
    return name or _plain_text(value, path)


def _plain_text(value: Any, otherwise: str) -> str:
    return ascii(value)[1:-1] if isinstance(value, str) and value else otherwise


def _read_targets(value: Any, path: str, faults: Faults) -> tuple[Placed, ...]:
    items = read_list(value, path, faults) or []
    read = ((f"{path}[{index}]", item) for index, item in enumerate(items))
    placed = ((where, _read_target(item, where, faults)) for where, item in read)
    return tuple(Placed(where, target) for where, target in placed if target is not None)


def _read_target(item: Any, path: str, faults: Faults) -> Target | None:
    before = len(faults)
    raw = read_object(item, path, faults, required=("id", "type"), optional=_TARGET_OPTIONAL)
    if raw is None:
        return None
    target_id = read_matching(raw["id"], f"{path}.id", faults, TARGET_ID) if "id" in raw else None
    record_type = read_choice(raw["type"], f"{path}.type", faults, MANAGED_TYPES) if "type" in raw else None
    weight = read_whole(raw["weight"], f"{path}.weight", faults, 0, WEIGHT_MAX) if "weight" in raw else None
    value, alias = _read_member(raw, path, record_type, faults)
    check = None
    if "health_check" in raw:
        check = read_matching(raw["health_check"], f"{path}.health_check", faults, HEALTH_CHECK_ID.pattern)
    if len(faults) > before or target_id is None or record_type is None:
        return None
    kind = cast("ManagedType", record_type)
    return Target(id=target_id, type=kind, value=value, weight=weight, alias=alias, health_check=check)


def _read_member(raw: Any, path: str, record_type: str | None, faults: Faults) -> tuple[str | None, Alias | None]:
    """Read what the target points to: exactly one of `value` and `alias`."""
    if "value" in raw and "alias" in raw:
        faults.add(path, "value and alias exclude each other")
    elif "value" not in raw and "alias" not in raw:
        faults.add(path, "one of value and alias is required")
    value = _read_value(raw["value"], f"{path}.value", record_type, faults) if "value" in raw else None
    alias = read_alias(raw["alias"], f"{path}.alias", faults) if "alias" in raw else None
    if "alias" in raw and record_type == "CNAME":
        faults.add(f"{path}.alias", "a CNAME is no alias; use value")
    return value, alias


def _read_value(value: Any, path: str, record_type: str | None, faults: Faults) -> str | None:
    if record_type is None:
        return None
    if record_type == "CNAME":
        return read_name(value, path, faults)
    return read_address(value, path, faults, record_type)


def read_alias(value: Any, path: str, faults: Faults) -> Alias | None:
    """Return where an alias points; all three of its fields are required."""
    raw = read_object(value, path, faults, required=("name", "zone", "evaluate_target_health"))
    if raw is None:
        return None
    name = read_name(raw["name"], f"{path}.name", faults) if "name" in raw else None
    zone = read_zone(raw["zone"], f"{path}.zone", faults) if "zone" in raw else None
    flag_path = f"{path}.evaluate_target_health"
    flag = read_flag(raw["evaluate_target_health"], flag_path, faults) if "evaluate_target_health" in raw else None
    if name is None or zone is None or flag is None:
        return None
    return Alias(name=name, zone=zone, evaluate_target_health=flag)


def _read_retired(item: Any, path: str, faults: Faults) -> tuple[str, Retired] | None:
    before = len(faults)
    raw = read_object(item, path, faults, required=("name", "zone"))
    if raw is None or len(faults) > before:
        return None
    name = read_endpoint_name(raw["name"], f"{path}.name", faults)
    zone = read_zone(raw["zone"], f"{path}.zone", faults)
    return (path, Retired(name=name, zone=zone)) if name and zone else None

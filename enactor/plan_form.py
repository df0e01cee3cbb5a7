"""Decide whether a plan file has the right form: bytes in, a Plan and every fault out, `path: message` each.

Pure, and it never raises: what comes out of a store or a file is validated, not trusted. Two readers rest on it. Whoever
publishes refuses a file with any fault. An enactor that meets a bad plan in the table all the same still gets the endpoints whose
form is right, and the others as `broken`: one bad endpoint never holds the rest back (cases 22, 31). There is no plan at all only
where the file as a whole cannot be understood. An endpoint is never repaired by guessing: it is right, or it is broken.

No fault hides another: a part with a fault is left open, and everything that the other parts allow is judged. Two things only end
the reading: text that is no JSON, and a file that is no object.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast, get_args

import msgspec

from enactor.names import NameFault, bare_zone_id, canonical
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
from enactor.plan_assembly import UNKNOWN_ZONE, Entry, RetiredEntry, assembled
from enactor.plan_faults import (
    HEALTH_CHECK_ID,
    NAME_TEXT_MAX_CHARACTERS,
    Doubled,
    Faults,
    Unreadable,
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
from enactor.plan_rules import OpenAlias, OpenTarget, Placed, Shape, apply_rules
from enactor.records import MANAGED_TYPES, Alias, ManagedType

TOP: Final = "plan"
"""The path of the file as a whole."""
ROUTINGS: Final[tuple[Routing, ...]] = get_args(Routing)
INTEGER_MAX_CHARACTERS: Final = 100
"""Nothing in a plan comes near; Python refuses to read an integer of some thousand digits, and so the file with it."""
TURNS_MAX: Final = 4
"""How many values of one key are judged; each takes one more reading of the file."""
_TARGET_OPTIONAL: Final = ("value", "alias", "weight", "health_check")
_LIKE_ADDRESS: Final = re.compile(r"[0-9.]+|[^:]*:.*", re.DOTALL)
"""No host name looks like this."""


class PlanReading(msgspec.Struct, frozen=True):
    """A plan file as read: the plan that can be used, if any, and everything that is wrong with the file."""

    plan: Plan | None
    faults: tuple[Fault, ...]


def read_plan(body: bytes | str) -> PlanReading:
    """Read a plan file whole, with every fault."""
    objects = _Objects()
    reading = _read_once(body, objects)
    if objects.most_of_a_key == 1:
        return reading
    faults = dict.fromkeys(reading.faults)
    for turn in range(min(objects.most_of_a_key, TURNS_MAX) - 1):
        faults |= dict.fromkeys(_read_once(body, _Objects(turn)).faults)
    return PlanReading(reading.plan, tuple(faults))


class _Objects:
    """Make objects of what JSON says; of the values that one key has there, the last, or the one of some turn.

    Whoever mends a key that stands twice may keep either value, so both are judged.
    """

    def __init__(self, turn: int = -1) -> None:
        self._turn = turn
        self.most_of_a_key = 1

    def object_of(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        plain = dict(pairs)
        if len(plain) == len(pairs):
            return plain
        values: dict[str, list[Any]] = {}
        for key, value in pairs:
            values.setdefault(key, []).append(value)
        self.most_of_a_key = max(self.most_of_a_key, *map(len, values.values()))
        chosen = ((key, found[self._turn if self._turn < len(found) else -1]) for key, found in values.items())
        return Doubled(chosen, sorted(key for key, found in values.items() if len(found) > 1))


def _read_once(body: bytes | str, objects: _Objects) -> PlanReading:
    faults = Faults()
    try:
        raw = _parse(body, objects, faults)
    except _NotJsonError as error:
        if not len(faults):
            faults.add(TOP, str(error))
        return PlanReading(None, faults.all())
    return PlanReading(_read_top(raw, faults), faults.all())


class _NotJsonError(ValueError):
    pass


def _parse(body: bytes | str, objects: _Objects, faults: Faults) -> Any:
    text = body if isinstance(body, str) else _text(body, faults)
    try:
        return json.loads(text, object_pairs_hook=objects.object_of, parse_int=_whole, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _NotJsonError(
            f"line {error.lineno} column {error.colno} is not JSON: {error.msg}; of a fleet file `planner compile` makes a plan"
        ) from None
    except RecursionError:
        raise _NotJsonError("it is nested too deep to be a plan") from None


def _text(body: bytes, faults: Faults) -> str:
    """Return the text of the file; where it is not UTF-8 the odd octets stand as surrogates, which fit nowhere."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        faults.add(TOP, f"octet {error.start} is not UTF-8")
        return body.decode("utf-8", "surrogateescape")


def _whole(text: str) -> int | Unreadable:
    return int(text) if len(text) <= INTEGER_MAX_CHARACTERS else Unreadable(text, f"a number of {len(text)} characters")


def _constant(text: str) -> Unreadable:
    """`NaN` and `Infinity`, which some writers put where JSON has no number."""
    return Unreadable(text, "no JSON number")


def _read_top(raw: Any, faults: Faults) -> Plan | None:
    if isinstance(raw, dict) and raw.get("format", FORMAT) != FORMAT:
        faults.add("format", f"{shown(raw['format'])} is unknown; this version reads format {FORMAT}")
    where = "" if isinstance(raw, dict) else TOP
    top = read_object(raw, where, faults, required=("format", "fleet", "endpoints"), optional=("retired",))
    if top is None:
        return None
    if top.get("format") == FORMAT and type(top["format"]) is not int:
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
    if shape is None:
        return Entry(path=path, key=(UNKNOWN_ZONE, path), endpoint=None, faults=faults.all())
    apply_rules(shape, faults)
    endpoint = None if len(faults) else endpoint_of(shape)
    return Entry(path=path, key=_key(item, path), endpoint=endpoint, faults=faults.all())


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
        routing=cast("Routing | None", routing or _meant(raw.get("routing"), ROUTINGS)),
        ttl=ttl,
        ttl_wrong="ttl" in raw and ttl is None,
        targets=_read_targets(raw["targets"], f"{path}.targets", faults) if "targets" in raw else (),
    )


def _meant(value: Any, choices: Sequence[str]) -> str | None:
    """Return the choice that a wrong word is but for case and spaces, so that the rules for it are applied."""
    word = value.strip().lower() if isinstance(value, str) else None
    return next((choice for choice in choices if choice.lower() == word), None)


def endpoint_of(shape: Shape) -> Endpoint:
    """Return the endpoint that a shape without faults is."""
    assert shape.name is not None, "a name that is missing or wrong has a fault"
    assert shape.zone is not None, "a zone that is missing or wrong has a fault"
    assert shape.routing is not None, "a routing that is missing or wrong has a fault"
    targets = tuple(placed.target for placed in shape.targets if isinstance(placed.target, Target))
    assert len(targets) == len(shape.targets), "a target that is open has a fault"
    return Endpoint(name=shape.name, zone=shape.zone, routing=shape.routing, ttl=shape.ttl, targets=targets)


def _key(raw: Mapping[str, Any], path: str) -> tuple[str, str]:
    """Return zone and name, as near to what was meant as can be: the enactor needs them to hold that endpoint back.

    What could be read rightly comes out the same.
    """
    return (_likely_zone(raw.get("zone")) or UNKNOWN_ZONE, _likely_name(raw.get("name")) or path)


def _likely_zone(value: Any) -> str:
    return bare_zone_id(_printable(_core(value)))


def _likely_name(value: Any) -> str:
    core = _core(value)
    try:
        return canonical(core)
    except NameFault:
        return _printable(core)


def _core(value: Any) -> str:
    """Return a text without the spaces around it; nothing where it is no text, or too long to mean a name."""
    return value.strip() if isinstance(value, str) and len(value) <= NAME_TEXT_MAX_CHARACTERS else ""


def _printable(text: str) -> str:
    return ascii(text)[1:-1]


def _read_targets(value: Any, path: str, faults: Faults) -> tuple[Placed, ...]:
    items = read_list(value, path, faults) or []
    read = ((f"{path}[{index}]", item) for index, item in enumerate(items))
    return tuple(Placed(where, _read_target(item, where, faults)) for where, item in read)


def _read_target(item: Any, path: str, faults: Faults) -> Target | OpenTarget:
    before = len(faults)
    raw = read_object(item, path, faults, required=("id", "type"), optional=_TARGET_OPTIONAL)
    if raw is None:
        return OpenTarget(is_object=False)
    target_id = read_matching(raw["id"], f"{path}.id", faults, TARGET_ID) if "id" in raw else None
    record_type = read_choice(raw["type"], f"{path}.type", faults, MANAGED_TYPES) if "type" in raw else None
    kind = cast("ManagedType | None", record_type or _meant(raw.get("type"), MANAGED_TYPES))
    weight = read_whole(raw["weight"], f"{path}.weight", faults, 0, WEIGHT_MAX) if "weight" in raw else None
    value, alias = _read_member(raw, path, kind, faults)
    check = None
    if "health_check" in raw:
        check = read_matching(raw["health_check"], f"{path}.health_check", faults, HEALTH_CHECK_ID.pattern)
    if len(faults) == before:
        assert target_id is not None, "an id that is missing or wrong has a fault"
        assert kind is not None, "a type that is missing or wrong has a fault"
        assert not isinstance(alias, OpenAlias), "an alias that is open has a fault"
        return Target(id=target_id, type=kind, value=value, weight=weight, alias=alias, health_check=check)
    return OpenTarget(
        id=target_id,
        type=kind or _type_of(value),
        value=value,
        weight=shown(raw["weight"]) if "weight" in raw and weight is None else weight,
        alias=alias,
        health_check=check,
        has_wrong_check="health_check" in raw and check is None,
        needs_ttl="alias" not in raw or "value" in raw or kind == "CNAME",
    )


def _read_member(
    raw: Mapping[str, Any], path: str, kind: str | None, faults: Faults
) -> tuple[str | None, Alias | OpenAlias | None]:
    """Read what the target points to: exactly one of `value` and `alias`."""
    if "value" in raw and "alias" in raw:
        faults.add(path, "value and alias exclude each other")
    elif "value" not in raw and "alias" not in raw:
        faults.add(path, "one of value and alias is required")
    value = _read_value(raw["value"], f"{path}.value", kind, faults) if "value" in raw else None
    alias = _read_alias(raw["alias"], f"{path}.alias", faults) if "alias" in raw else None
    if "alias" in raw and kind == "CNAME":
        faults.add(f"{path}.alias", "a CNAME is no alias; use value")
    return value, alias


def _read_value(value: Any, path: str, kind: str | None, faults: Faults) -> str | None:
    """Read a value as its type wants it; where no type can be read, as what it looks like."""
    if kind == "CNAME" or (kind is None and not (isinstance(value, str) and _LIKE_ADDRESS.fullmatch(value))):
        return read_name(value, path, faults)
    return read_address(value, path, faults, kind)


def _type_of(value: str | None) -> ManagedType | None:
    """Return the only type that can hold a value; of a name that is not said, as who wrote it may have meant another one."""
    if value is None or not _LIKE_ADDRESS.fullmatch(value):
        return None
    return "AAAA" if ":" in value else "A"


def _read_alias(value: Any, path: str, faults: Faults) -> Alias | OpenAlias:
    """Return where an alias points; all three of its fields are required."""
    raw = read_object(value, path, faults, required=("name", "zone", "evaluate_target_health"))
    if raw is None:
        return OpenAlias()
    name = read_name(raw["name"], f"{path}.name", faults) if "name" in raw else None
    zone = read_zone(raw["zone"], f"{path}.zone", faults) if "zone" in raw else None
    flag_path = f"{path}.evaluate_target_health"
    flag = read_flag(raw["evaluate_target_health"], flag_path, faults) if "evaluate_target_health" in raw else None
    if name is None or zone is None or flag is None:
        return OpenAlias(name, _likely_zone(raw.get("zone")) or None)
    return Alias(name=name, zone=zone, evaluate_target_health=flag)


def _read_retired(item: Any, path: str, faults: Faults) -> RetiredEntry | None:
    before = len(faults)
    raw = read_object(item, path, faults, required=("name", "zone"))
    if raw is None:
        return None
    name = read_endpoint_name(raw["name"], f"{path}.name", faults) if "name" in raw else None
    zone = read_zone(raw["zone"], f"{path}.zone", faults) if "zone" in raw else None
    is_right = len(faults) == before
    retired = Retired(name=name, zone=zone) if is_right and name is not None and zone is not None else None
    return RetiredEntry(path=path, key=_key(raw, path), retired=retired)

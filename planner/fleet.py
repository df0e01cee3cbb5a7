"""Decide what plan a fleet file means, or everything that is wrong with the file: `path: message` each, in the file's own terms.

Pure, and it never raises. A fleet file with any fault makes no plan at all. An empty pool is no fault: whether an endpoint may
be left without a target is for the guard `empty`, which knows what stands there.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, cast, get_args

import msgspec

from enactor import names
from enactor.plan import FLEET_ID, TTL_MAX_SECONDS, TTL_MIN_SECONDS, Fault, Plan, Retired, Routing, Target
from enactor.plan_assembly import Entry, assembled
from enactor.plan_faults import (
    Faults,
    read_choice,
    read_endpoint_name,
    read_list,
    read_matching,
    read_name,
    read_object,
    read_whole,
    read_zone,
    shown,
)
from enactor.plan_form import ROUTINGS, endpoint_of
from enactor.plan_rules import Placed, Shape, apply_rules
from planner.fleet_file import DEFAULTS, AddressType
from planner.pools import Balancer, Member, read_pools, read_positive, read_words
from planner.weights import weights_of

ADDRESS_TYPES: Final[tuple[AddressType, ...]] = get_args(AddressType)
_CHOICES: Final = ("ttl", "routing", "types")


class Zone(msgspec.Struct, frozen=True):
    """A hosted zone of a fleet file."""

    id: str
    name: str


class FleetReading(msgspec.Struct, frozen=True):
    """A fleet file as read: the plan it means, unless there is any fault."""

    plan: Plan | None
    faults: tuple[Fault, ...]


class Choices(msgspec.Struct, frozen=True):
    """What an endpoint has besides its name and pools."""

    ttl: int
    routing: Routing
    types: tuple[AddressType, ...]


class _World(msgspec.Struct, frozen=True):
    """What endpoints may refer to."""

    zones: Mapping[str, Zone]
    zone_words: frozenset[str]
    pools: Mapping[str, tuple[Balancer, ...]]
    pool_words: frozenset[str]
    defaults: Choices


def compile_fleet(raw: object) -> FleetReading:
    """Return the plan that a fleet file means."""
    faults = Faults()
    required = ("fleet", "zones", "pools", "endpoints")
    top = read_object(raw, "", faults, required=required, optional=("defaults", "retired"))
    if top is None:
        return FleetReading(None, faults.all())
    fleet = read_matching(top["fleet"], "fleet", faults, FLEET_ID) if "fleet" in top else None
    world = _read_world(top, faults)
    items = read_list(top["endpoints"], "endpoints", faults) if "endpoints" in top else None
    entries = [_read_entry(item, f"endpoints[{index}]", world) for index, item in enumerate(items or [])]
    raw_retired = read_list(top.get("retired", []), "retired", faults) or []
    retired = (_read_retired(item, f"retired[{index}]", world, faults) for index, item in enumerate(raw_retired))
    plan = assembled(fleet or "", entries, retired, faults)
    return FleetReading(None if len(faults) else plan, faults.all())


def _read_world(top: Mapping[str, Any], faults: Faults) -> _World:
    zones = _read_zones(top["zones"], faults) if "zones" in top else {}
    pools = read_pools(top["pools"], faults) if "pools" in top else {}
    raw_defaults = read_object(top.get("defaults", {}), "defaults", faults, optional=_CHOICES) or {}
    builtin = Choices(DEFAULTS.ttl, DEFAULTS.routing, DEFAULTS.types)
    return _World(
        zones=zones,
        zone_words=_keys(top.get("zones")),
        pools=pools,
        pool_words=_keys(top.get("pools")),
        defaults=_read_choices(raw_defaults, "defaults", builtin, faults) or builtin,
    )


def _keys(value: object) -> frozenset[str]:
    """Return what may be referred to: a zone with a fault of its own is not also unknown."""
    return frozenset(key for key in value if isinstance(key, str)) if isinstance(value, dict) else frozenset()


def _read_zones(value: object, faults: Faults) -> dict[str, Zone]:
    zones: dict[str, Zone] = {}
    first: dict[str, str] = {}
    for word, item in read_words(value, "zones", faults).items():
        path = f"zones.{word}"
        raw = read_object(item, path, faults, required=("id", "name")) or {}
        zone = read_zone(raw["id"], f"{path}.id", faults) if "id" in raw else None
        name = read_name(raw["name"], f"{path}.name", faults) if "name" in raw else None
        if zone is None or name is None:
            continue
        if first.setdefault(zone, path) != path:
            faults.add(f"{path}.id", f"{zone} stands twice, first as {first[zone]}", "duplicate")
        zones[word] = Zone(zone, name)
    return zones


def _read_choices(raw: Mapping[str, Any], path: str, otherwise: Choices, faults: Faults) -> Choices | None:
    ttl: int | None = otherwise.ttl
    routing: str | None = otherwise.routing
    types: tuple[AddressType, ...] | None = otherwise.types
    if "ttl" in raw:
        ttl = read_whole(raw["ttl"], f"{path}.ttl", faults, TTL_MIN_SECONDS, TTL_MAX_SECONDS, guard="ttl")
    if "routing" in raw:
        routing = read_choice(raw["routing"], f"{path}.routing", faults, ROUTINGS)
    if "types" in raw:
        types = _read_types(raw["types"], f"{path}.types", faults)
    if ttl is None or routing is None or types is None:
        return None
    return Choices(ttl, cast("Routing", routing), types)


def _read_types(value: object, path: str, faults: Faults) -> tuple[AddressType, ...] | None:
    items = read_list(value, path, faults)
    if items is None:
        return None
    read = [read_choice(item, f"{path}[{index}]", faults, ADDRESS_TYPES) for index, item in enumerate(items)]
    if not items:
        faults.add(path, "empty; an endpoint has A, AAAA or both")
    if len(set(read)) < len(read) and None not in read:
        faults.add(path, f"{shown(items)} names a type twice", "duplicate")
    return tuple(record_type for record_type in ADDRESS_TYPES if record_type in read) or None


def _read_entry(item: object, path: str, world: _World) -> Entry:
    faults = Faults()
    raw = read_object(item, path, faults, required=("name", "zone", "pools"), optional=_CHOICES)
    if raw is None:
        return Entry(path=path, key=("", path), endpoint=None, faults=faults.all())
    zone = _zone_of(raw["zone"], f"{path}.zone", world, faults) if "zone" in raw else None
    name = _name_in(raw["name"], f"{path}.name", zone, faults) if "name" in raw else None
    choices = _read_choices(raw, path, world.defaults, faults)
    shares = _read_pool_shares(raw["pools"], f"{path}.pools", world, faults) if "pools" in raw else []
    key = (zone.id if zone else "", name or path)
    if choices is None:
        return Entry(path=path, key=key, endpoint=None, faults=faults.all())
    targets = _targets(shares, choices)
    shape = Shape(path=path, name=name, zone=key[0] or None, routing=choices.routing, ttl=choices.ttl, targets=targets)
    apply_rules(shape, faults)
    is_whole = not len(faults) and name is not None and zone is not None
    return Entry(path=path, key=key, endpoint=endpoint_of(shape) if is_whole else None, faults=faults.all())


def _zone_of(value: object, path: str, world: _World, faults: Faults) -> Zone | None:
    if isinstance(value, str) and value in world.zone_words:
        return world.zones.get(value)
    faults.add(
        path, f"{shown(value)} is none of the fleet's zones: {', '.join(sorted(world.zone_words)) or 'there are none'}"
    )
    return None


def _name_in(value: object, path: str, zone: Zone | None, faults: Faults) -> str | None:
    name = read_endpoint_name(value, path, faults)
    if name is None or zone is None:
        return name
    if not names.is_within(name, zone.name):
        faults.add(path, f"{name} is not within zone {zone.name}", "out-of-zone")
        return None
    octets = names.octet_length(names.fence_name(name, zone.name))
    if octets > names.NAME_LIMIT_OCTETS:
        faults.add(path, f"the name of its fence would take {octets} octets, over {names.NAME_LIMIT_OCTETS}", "limit")
        return None
    return name


class _Share(msgspec.Struct, frozen=True):
    """One enabled load balancer behind an endpoint, with capacity x share."""

    balancer: Balancer
    demand: Fraction


def _read_pool_shares(value: object, path: str, world: _World, faults: Faults) -> list[_Share]:
    shares: list[_Share] = []
    for word, raw in read_words(value, path, faults).items():
        if word not in world.pool_words:
            known = ", ".join(sorted(world.pool_words)) or "there are none"
            faults.add(f"{path}.{word}", f"{shown(word)} is none of the fleet's pools: {known}")
        share = read_positive(raw, f"{path}.{word}", faults)
        if share is not None:
            in_service = (balancer for balancer in world.pools.get(word, ()) if balancer.enabled)
            shares += [_Share(balancer, balancer.capacity * share) for balancer in in_service]
    return _without_conflicts(shares, path, faults)


def _without_conflicts(shares: Sequence[_Share], path: str, faults: Faults) -> list[_Share]:
    """A load balancer stands behind an endpoint once; two pools that say different things of it are both named (case 15)."""
    first: dict[str, _Share] = {}
    for share in shares:
        one, other = first.setdefault(share.balancer.id, share).balancer, share.balancer
        if one is other:
            continue
        if one.identity == other.identity:
            what = (
                f"{one.id} is in both pools {one.pool} and {other.pool}; a load balancer stands behind an endpoint once"
            )
        else:
            what = f"{_told(one)} and {_told(other)} are in conflict"
        faults.add(path, what, "duplicate")
    return list(first.values())


def _told(balancer: Balancer) -> str:
    return f"{balancer.id} of pool {balancer.pool} ({', '.join(balancer.identity)})"


def _targets(shares: Sequence[_Share], choices: Choices) -> tuple[Placed, ...]:
    """Return a target for each address of a wanted type; of an alias, one for each wanted type."""
    serving = [share for share in shares if any(_types(member, choices) for member in share.balancer.members)]
    weights = weights_of([share.demand for share in serving])
    return tuple(
        _placed(share.balancer, member, record_type, weight if choices.routing == "weighted" else None)
        for share, weight in zip(serving, weights, strict=True)
        for member in share.balancer.members
        for record_type in _types(member, choices)
    )


def _types(member: Member, choices: Choices) -> tuple[AddressType, ...]:
    return choices.types if member.type is None else tuple(one for one in choices.types if one == member.type)


def _placed(balancer: Balancer, member: Member, record_type: AddressType, weight: int | None) -> Placed:
    target = Target(id=balancer.id, type=record_type, value=member.value, alias=member.alias, weight=weight)
    return Placed(member.path, target, has_parts=False)


def _read_retired(item: object, path: str, world: _World, faults: Faults) -> tuple[str, Retired] | None:
    raw = read_object(item, path, faults, required=("name", "zone"))
    if raw is None or "name" not in raw or "zone" not in raw:
        return None
    zone = _zone_of(raw["zone"], f"{path}.zone", world, faults)
    name = _name_in(raw["name"], f"{path}.name", zone, faults)
    return (path, Retired(name=name, zone=zone.id)) if name and zone else None

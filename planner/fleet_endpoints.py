"""Decide what an endpoint of a fleet file means: its name in its zone, its choices, and the targets that its pools give it.

Pure. A part that is missing or wrong has its fault and is left open (None); everything that the other parts allow is judged.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, cast, get_args

import msgspec

from enactor import names
from enactor.plan import TTL_MAX_SECONDS, TTL_MIN_SECONDS, Endpoint, Routing, Target
from enactor.plan_assembly import Entry
from enactor.plan_faults import Faults, read_choice, read_endpoint_name, read_list, read_whole, shown
from enactor.plan_form import ROUTINGS, endpoint_of
from enactor.plan_rules import OpenTarget, Placed, Shape, apply_rules
from planner.fleet_file import DEFAULTS, AddressType
from planner.fleet_forms import (
    LIKE_ENDPOINT,
    LIKE_SHARES,
    as_written,
    read_form,
    read_positive,
    read_words,
)
from planner.fleet_settings import Health, SourceSpec, read_health
from planner.pools import Balancer, Member, shown_alias
from planner.weights import weights_of

ADDRESS_TYPES: Final[tuple[AddressType, ...]] = get_args(AddressType)
OPTIONAL: Final = ("ttl", "routing", "types")
_UNKNOWN_SHARE: Final = Fraction(1)
"""Stands where the file's cannot be read; no rule of form looks at it."""


class Zone(msgspec.Struct, frozen=True, kw_only=True):
    """A hosted zone of a fleet file."""

    key: str
    """Its id; where that cannot be read the file's word for it, in quotes, which tells its names from other zones'."""
    name: str | None


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What an endpoint has besides its name and pools; None for what was chosen and cannot be read."""

    ttl: int | None
    routing: Routing | None
    types: tuple[AddressType, ...] | None


FORMAT_CHOICES: Final = Choices(ttl=DEFAULTS.ttl, routing=DEFAULTS.routing, types=DEFAULTS.types)
"""What holds where the file says nothing."""


class World(msgspec.Struct, frozen=True, kw_only=True):
    """What endpoints may refer to; None where the file has nothing that could be referred to, which is a fault of its own."""

    zones: Mapping[Hashable, Zone] | None
    pools: Mapping[Hashable, tuple[Balancer, ...]] | None
    defaults: Choices
    open_pools: frozenset[Hashable] = frozenset()
    """Those whose sources were not asked: what is in them besides is not known."""
    sources: Mapping[Hashable, SourceSpec] = {}
    health: Health = Health()


class Share(msgspec.Struct, frozen=True):
    """One enabled load balancer behind an endpoint, with capacity x share."""

    balancer: Balancer
    demand: Fraction


class Behind(msgspec.Struct, frozen=True, kw_only=True):
    """What stands behind an endpoint whose form is right."""

    path: str
    zone: str
    name: str
    pools: tuple[str, ...]
    choices: Choices
    shares: tuple[Share, ...]
    serving: tuple[Share, ...]
    """Those of the shares that have an address of the endpoint's types."""
    health: Health
    is_open: bool
    """Whether a pool of it is open, so that nobody knows all that stands behind it."""

    @property
    def key(self) -> tuple[str, str]:
        """Return what makes an endpoint one: zone id and name."""
        return (self.zone, self.name)


class EndpointReading(msgspec.Struct, frozen=True):
    """One item of `endpoints` as read."""

    entry: Entry
    shown: str
    """What messages call it."""
    pools: tuple[str, ...] | None
    """The pools that it names; None where that cannot be read."""
    behind: Behind | None = None


def read_choices(raw: Mapping[str, Any], path: str, otherwise: Choices, faults: Faults) -> Choices:
    """Return what an endpoint says, else what holds otherwise."""
    ttl, routing, types = otherwise.ttl, otherwise.routing, otherwise.types
    if "ttl" in raw:
        ttl = read_whole(as_written(raw["ttl"]), f"{path}.ttl", faults, TTL_MIN_SECONDS, TTL_MAX_SECONDS, guard="ttl")
    if "routing" in raw:
        routing = cast("Routing | None", read_choice(as_written(raw["routing"]), f"{path}.routing", faults, ROUTINGS))
    if "types" in raw:
        types = _read_types(raw["types"], f"{path}.types", faults)
    return Choices(ttl=ttl, routing=routing, types=types)


def _read_types(value: object, path: str, faults: Faults) -> tuple[AddressType, ...] | None:
    items = read_list(value if isinstance(value, list) else as_written(value), path, faults)
    if items is None:
        return None
    read = [
        read_choice(as_written(item), f"{path}[{index}]", faults, ADDRESS_TYPES) for index, item in enumerate(items)
    ]
    known = [one for one in read if one is not None]
    if not items:
        faults.add(path, "empty; an endpoint has A, AAAA or both")
    if len(set(known)) < len(known):
        faults.add(path, f"{shown(as_written(items))} names a type twice", "duplicate")
    return tuple(record_type for record_type in ADDRESS_TYPES if record_type in known) or None


def read_entry(item: object, path: str, world: World) -> EndpointReading:
    """Read one endpoint, with everything that is wrong with it."""
    faults = Faults()
    optional = (*OPTIONAL, "health")
    raw = read_form(item, path, faults, like=LIKE_ENDPOINT, required=("name", "zone", "pools"), optional=optional)
    if raw is None:
        return EndpointReading(Entry(path=path, key=("", path), endpoint=None, faults=faults.all()), path, None)
    zone = zone_of(raw["zone"], f"{path}.zone", world, faults) if "zone" in raw else None
    name = name_in(raw["name"], f"{path}.name", zone, faults) if "name" in raw else None
    choices = read_choices(raw, path, world.defaults, faults)
    shares = _read_pool_shares(raw["pools"], f"{path}.pools", world, faults) if "pools" in raw else []
    health = world.health
    if "health" in raw:
        health = read_health(raw["health"], f"{path}.health", health, world.sources, faults)
    serving = [share for share in shares if any(_types(member, choices) for member in share.balancer.members)]
    weights = weights_of([share.demand for share in serving])
    shape = Shape(
        path=path,
        name=name,
        zone=zone.key if zone else None,
        routing=choices.routing,
        ttl=choices.ttl,
        ttl_wrong=choices.ttl is None,
        targets=_targets(zip(serving, weights, strict=True), choices),
    )
    apply_rules(shape, faults)
    key = (zone.key, name) if zone and name else ("", path)
    words = tuple(map(str, raw["pools"])) if isinstance(raw.get("pools"), dict) else None
    is_wrong = len(faults) or any(isinstance(placed.target, OpenTarget) for placed in shape.targets)
    if is_wrong or name is None or zone is None or choices.types is None or words is None:
        entry = Entry(path=path, key=key, endpoint=None, faults=faults.all())
        return EndpointReading(entry, shape.shown, words)
    behind = Behind(
        path=path,
        zone=zone.key,
        name=name,
        pools=words,
        choices=choices,
        shares=tuple(shares),
        serving=tuple(serving),
        health=health,
        is_open=not world.open_pools.isdisjoint(words),
    )
    entry = Entry(path=path, key=key, endpoint=endpoint_of(shape), faults=())
    return EndpointReading(entry, shape.shown, words, behind)


def zone_of(value: object, path: str, world: World, faults: Faults) -> Zone | None:
    """Return the zone that a word of the file means; what is known of it where the word is none of the file's."""
    if isinstance(value, str) and world.zones is not None and value in world.zones:
        return world.zones[value]
    if world.zones is not None or not isinstance(value, str):
        faults.add(path, f"{shown(as_written(value))} is none of the fleet's zones: {_listed(world.zones)}")
    return Zone(key=shown(value), name=None) if isinstance(value, str) else None


def _listed(known: Mapping[Hashable, object] | None) -> str:
    return ", ".join(sorted(map(str, known or ()))) or "there are none"


def name_in(value: object, path: str, zone: Zone | None, faults: Faults) -> str | None:
    """Return an endpoint's name, with a fault where it cannot stand in its zone."""
    name = read_endpoint_name(as_written(value), path, faults)
    if name is None or zone is None or zone.name is None:
        return name
    if not names.is_within(name, zone.name):
        faults.add(path, f"{name} is not within zone {zone.name}", "out-of-zone")
        return name
    octets = names.octet_length(names.fence_name(name, zone.name))
    if octets > names.NAME_LIMIT_OCTETS:
        faults.add(path, f"the name of its fence would take {octets} octets, over {names.NAME_LIMIT_OCTETS}", "limit")
    return name


def _read_pool_shares(value: object, path: str, world: World, faults: Faults) -> list[Share]:
    shares: list[Share] = []
    for pool in read_words(value, path, faults, like=LIKE_SHARES):
        if pool.is_word and world.pools is not None and pool.word not in world.pools:
            faults.add(pool.path, f"{shown(pool.word)} is none of the fleet's pools: {_listed(world.pools)}")
        share = read_positive(pool.value, pool.path, faults) or _UNKNOWN_SHARE
        in_service = (balancer for balancer in (world.pools or {}).get(pool.word, ()) if balancer.enabled)
        shares += [Share(balancer, balancer.capacity * share) for balancer in in_service]
    return _without_conflicts(shares, path, faults)


def _without_conflicts(shares: Sequence[Share], path: str, faults: Faults) -> list[Share]:
    """A load balancer stands behind an endpoint once; two pools that say different things of it are both named (case 15)."""
    first: dict[str, Share] = {}
    for share in shares:
        one, other = first.setdefault(share.balancer.id, share).balancer, share.balancer
        if one is other:
            continue
        if one.identity == other.identity or not (one.is_whole and other.is_whole):
            what = (
                f"{one.id} is in both pools {one.pool} and {other.pool}; a load balancer stands behind an endpoint once"
            )
        else:
            what = f"{_told(one)} and {_told(other)} are in conflict"
        faults.add(path, what, "duplicate")
    return list(first.values())


def _told(balancer: Balancer) -> str:
    return f"{balancer.id} of pool {balancer.pool} ({', '.join(balancer.identity)})"


def endpoint_with(behind: Behind, weighed: Iterable[tuple[Share, int]]) -> Endpoint:
    """Return the endpoint with some of the load balancers behind it, each with its weight."""
    shape = Shape(
        path=behind.path,
        name=behind.name,
        zone=behind.zone,
        routing=behind.choices.routing,
        ttl=behind.choices.ttl,
        targets=_targets(weighed, behind.choices),
    )
    return endpoint_of(shape)


def _targets(weighed: Iterable[tuple[Share, int]], choices: Choices) -> tuple[Placed, ...]:
    """Return a target for each address of a wanted type; of an alias, one for each wanted type."""
    return tuple(
        _placed(share.balancer, member, record_type, weight if choices.routing == "weighted" else None)
        for share, weight in weighed
        for member in share.balancer.members
        for record_type in _types(member, choices)
    )


def members_of(share: Share, choices: Choices) -> tuple[tuple[AddressType, str], ...]:
    """Return what a load balancer answers with at an endpoint: type, and address or alias, by which targets are told apart."""
    return tuple(
        (record_type, member.value or shown_alias(member.alias))
        for member in share.balancer.members
        for record_type in _types(member, choices)
    )


def _types(member: Member, choices: Choices) -> tuple[AddressType, ...]:
    wanted = choices.types or ()
    return wanted if member.type is None else tuple(one for one in wanted if one == member.type)


def _placed(balancer: Balancer, member: Member, record_type: AddressType, weight: int | None) -> Placed:
    name = member.path if member.is_extra else balancer.id
    target: Target | OpenTarget = Target(
        id=name,
        type=record_type,
        value=member.value,
        alias=member.alias,
        weight=weight,
        health_check=balancer.health_check,
    )
    if balancer.has_wrong_check:
        known = OpenTarget(id=name, type=record_type, value=member.value, alias=member.alias, weight=weight)
        target = msgspec.structs.replace(known, has_wrong_check=True, needs_ttl=member.alias is None)
    return Placed(member.path, target, has_parts=False)

"""Decide what plan a fleet file means, or everything that is wrong with the file: `path: message` each, in the file's own terms.

Pure, and it never raises. A fleet file with any fault makes no plan at all, and no fault hides another one: what cannot be read
is left open, and the rest is judged. An empty pool is no fault: whether an endpoint may be left without a target is for the guard
`empty`, which knows what stands there; that it has none is a warning.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

import msgspec

from enactor.plan import FLEET_ID, Fault, Plan, Retired
from enactor.plan_assembly import Entry, RetiredEntry, assembled
from enactor.plan_faults import Faults, read_matching, read_name, read_object, read_zone, shown
from planner.combining import merged
from planner.fleet_endpoints import (
    FORMAT_CHOICES,
    OPTIONAL,
    Behind,
    EndpointReading,
    World,
    Zone,
    name_in,
    read_choices,
    read_entry,
    zone_of,
)
from planner.fleet_forms import (
    LIKE_DEFAULTS,
    LIKE_ENDPOINT,
    LIKE_RETIRED,
    LIKE_ZONE,
    as_written,
    read_form,
    read_forms,
    read_words,
)
from planner.fleet_settings import Kinds, NoKinds, Pace, SourceSpec, health_of, read_health, read_pace, read_sources
from planner.fleet_warnings import source_warnings, warnings_of
from planner.pools import Balancer, read_pools

_REQUIRED: Final = ("fleet", "zones", "pools", "endpoints")
_OPTIONAL: Final = ("defaults", "retired", "sources", "health", "pace")
LIKE_ZONES: Final = f"{{main: {LIKE_ZONE}}}"


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """What a fleet file says, where it has no fault."""

    name: str
    endpoints: tuple[Behind, ...]
    retired: tuple[Retired, ...]
    pools: Mapping[Hashable, tuple[Balancer, ...]]
    """What is in each pool: what the file lists, and what its sources were said to offer."""
    pool_sources: Mapping[Hashable, tuple[str, ...]]
    """Whose offers belong to each pool besides what the file lists."""
    sources: tuple[SourceSpec, ...]
    pace: Pace

    @property
    def is_plain(self) -> bool:
        """Tell whether the file alone says what the plan is: nobody is asked, and nothing moves in steps."""
        drains = any(balancer.drain for pool in self.pools.values() for balancer in pool)
        moves = self.pace.max_weight_step < 1 or self.pace.warm_up_seconds > 0
        return not (self.sources or drains or moves)


class FleetReading(msgspec.Struct, frozen=True):
    """A fleet file as read: the plan it means, unless there is any fault, and what a person should know of it besides."""

    plan: Plan | None
    """With everything in it that is enabled, at its full weight. None too where a pool's sources were not asked."""
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...] = ()
    """Of a file with faults those that are sure however it is mended."""
    fleet: Fleet | None = None


Offered = Mapping[str, Sequence[Balancer]]
"""What the sources of each pool offered, by the pool's name."""


def compile_fleet(raw: object, kinds: Kinds | None = None, offered: Offered | None = None) -> FleetReading:
    """Return what a fleet file means; `offered` is None where the sources were not asked."""
    if raw is None:
        return FleetReading(None, (Fault("", f"it is empty; a fleet file has {', '.join(_REQUIRED)}"),))
    faults = Faults()
    top = read_object(
        raw if isinstance(raw, dict) else as_written(raw),
        "",
        faults,
        required=_REQUIRED,
        optional=_OPTIONAL,
    )
    if top is None:
        return FleetReading(None, faults.all())
    fleet = read_matching(as_written(top["fleet"]), "fleet", faults, FLEET_ID) if "fleet" in top else None
    world, pool_sources = _read_world(top, kinds or NoKinds(), offered, faults)
    pace = read_pace(top["pace"], faults) if "pace" in top else Pace()
    items = read_forms(top["endpoints"], "endpoints", faults, like=LIKE_ENDPOINT) if "endpoints" in top else []
    read = [read_entry(item, f"endpoints[{index}]", world) for index, item in enumerate(items)]
    gone = read_forms(top.get("retired", []), "retired", faults, like=LIKE_RETIRED)
    retired = (_read_retired(item, f"retired[{index}]", world, faults) for index, item in enumerate(gone))
    plan = assembled(fleet or "", _said_once(read), retired, faults)
    named = [one.pools for one in read] if isinstance(top.get("endpoints"), list) else [None]
    is_sure = not any(fault.path.startswith("pools") for fault in faults.all())
    behind = [one.behind for one in read if one.behind]
    warnings = (
        *warnings_of(world.pools or {}, [one for one in behind if is_sure and not one.is_open], named),
        *source_warnings(world, pool_sources, read),
    )
    if len(faults):
        return FleetReading(None, tuple(dict.fromkeys(faults.all())), warnings)
    meant = Fleet(
        name=plan.fleet,
        endpoints=tuple(sorted(behind, key=lambda one: one.key)),
        retired=plan.retired,
        pools=world.pools or {},
        pool_sources=pool_sources,
        sources=tuple(world.sources.values()),
        pace=pace,
    )
    return FleetReading(None if world.open_pools else plan, (), warnings, meant)


def _said_once(read: Sequence[EndpointReading]) -> list[Entry]:
    """Return the entries, with what is wrong in a pool said at the first endpoint that uses it, and how many more there are."""
    users: dict[tuple[str, str], list[str]] = {}
    for one in read:
        for fault in one.entry.faults:
            users.setdefault(_of_pool(fault, one.shown), []).append(one.shown)
    entries = []
    for one in read:
        kept = [
            _of_all(fault, one.shown, users.pop(key))
            for fault in one.entry.faults
            if (key := _of_pool(fault, one.shown)) in users
        ]
        entries.append(msgspec.structs.replace(one.entry, faults=tuple(kept)))
    return entries


def _of_pool(fault: Fault, shown_name: str) -> tuple[str, str]:
    """Return what makes a fault the same one at every endpoint: all but the endpoint's name. Only the path of a pool or a source is shared."""
    return fault.path, fault.message.replace(f" of {shown_name}", " of")


def _of_all(fault: Fault, shown_name: str, users: Sequence[str]) -> Fault:
    more = len(set(users)) - 1
    if not more:
        return fault
    also = f" of {shown_name} and {more} endpoint{'s' if more > 1 else ''} more"
    return msgspec.structs.replace(fault, message=fault.message.replace(f" of {shown_name}", also))


def _read_world(
    top: Mapping[str, Any], kinds: Kinds, offered: Offered | None, faults: Faults
) -> tuple[World, Mapping[Hashable, tuple[str, ...]]]:
    """Return what endpoints may refer to, and the sources of each pool that has any."""
    zones = _read_zones(top["zones"], faults) if "zones" in top else {}
    sources = read_sources(top["sources"], kinds, faults) if "sources" in top else {}
    pools = read_pools(top["pools"], sources, faults) if "pools" in top else {}
    raw = read_form(top.get("defaults", {}), "defaults", faults, like=LIKE_DEFAULTS, optional=OPTIONAL) or {}
    health = health_of(sources)
    if "health" in top:
        health = read_health(top["health"], "health", health, sources, faults)
    asked = {word: pool.sources for word, pool in pools.items() if pool.sources}
    filled = {
        word: merged((*pool.balancers, *(offered or {}).get(str(word), ()))) if pool.sources else pool.balancers
        for word, pool in pools.items()
    }
    world = World(
        zones=zones if isinstance(top.get("zones"), dict) else None,
        pools=filled if isinstance(top.get("pools"), dict) else None,
        defaults=read_choices(raw, "defaults", FORMAT_CHOICES, faults),
        open_pools=frozenset(asked) if offered is None else frozenset(),
        sources=sources,
        health=health,
    )
    return world, asked


def _read_zones(value: object, faults: Faults) -> dict[Hashable, Zone]:
    zones: dict[Hashable, Zone] = {}
    first: dict[str, str] = {}
    for word, path, item in (
        (one.word, one.path, one.value) for one in read_words(value, "zones", faults, like=LIKE_ZONES)
    ):
        raw = read_form(item, path, faults, like=LIKE_ZONE, required=("id", "name")) or {}
        zone = read_zone(as_written(raw["id"]), f"{path}.id", faults) if "id" in raw else None
        name = read_name(as_written(raw["name"]), f"{path}.name", faults) if "name" in raw else None
        if zone is not None and first.setdefault(zone, path) != path:
            faults.add(f"{path}.id", f"{zone} stands twice, first as {first[zone]}", "duplicate")
        zones[word] = Zone(key=zone or shown(word), name=name)
    return zones


def _read_retired(item: object, path: str, world: World, faults: Faults) -> RetiredEntry | None:
    raw = read_form(item, path, faults, like=LIKE_RETIRED, required=("name", "zone")) or {}
    zone = zone_of(raw["zone"], f"{path}.zone", world, faults) if "zone" in raw else None
    name = name_in(raw["name"], f"{path}.name", zone, faults) if "name" in raw else None
    if name is None or zone is None:
        return None
    return RetiredEntry(path=path, key=(zone.key, name), retired=Retired(name=name, zone=zone.key))

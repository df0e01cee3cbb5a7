"""Decide what fleet file a zone's names make: words for zones and pools, defaults, and what each endpoint has to say itself.

Pure. `differing` holds what was written against the zones: nothing is handed out that would change a record set.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from enactor import yaml_text
from enactor.plan import Routing, content_of_endpoint
from planner.fleet import compile_fleet
from planner.fleet_file import (
    DEFAULTS,
    AddressType,
    AliasEntry,
    BalancerEntry,
    DefaultsEntry,
    EndpointEntry,
    FleetFile,
    ZoneEntry,
)
from planner.import_endpoints import FoundEndpoint
from planner.import_pools import Pool, Use, pooled, shown_by
from planner.importing import ZoneFinding

WORD_MAX_CHARACTERS: Final = 64
DEFAULT_CAPACITY: Final[float] = next(
    field.default for field in msgspec.structs.fields(BalancerEntry) if field.name == "capacity"
)
"""The very object, which is what msgspec leaves out."""
_NO_WORD: Final = re.compile(r"[^A-Za-z0-9_-]+")
_ROUTINGS: Final[tuple[Routing, ...]] = ("weighted", "simple", "multivalue")
_TYPES: Final[tuple[tuple[AddressType, ...], ...]] = (DEFAULTS.types, ("A",), ("AAAA",))


def fleet_file(fleet: str, findings: Sequence[ZoneFinding]) -> FleetFile:
    """Return the fleet file that says what the zones hold, but for what was left out."""
    zones = _zone_words(findings)
    uses = pooled([endpoint for finding in findings for endpoint in finding.endpoints])
    words = _pool_words(uses, {one.zone: one.zone_name for one in findings}, zones)
    defaults = _defaults(uses)
    return FleetFile(
        fleet=fleet,
        zones={zones[one.zone]: ZoneEntry(id=one.zone, name=_shown(one.zone_name)) for one in findings},
        pools={word: tuple(_balancers(pool)) for pool, word in words.items()},
        endpoints=tuple(_endpoint(use, words, zones, defaults) for use in uses),
        defaults=defaults,
    )


def _shown(name: str) -> str:
    return name.removesuffix(".")


def _zone_words(findings: Sequence[ZoneFinding]) -> Mapping[str, str]:
    """Call a zone by its name, and by its id where that is too long or two zones have one name."""
    words = {one.zone: _word(_shown(one.zone_name)) for one in findings}
    counts = Counter(words.values())
    return {
        zone: word if counts[word] == 1 and len(word) <= WORD_MAX_CHARACTERS else zone for zone, word in words.items()
    }


def _word(text: str) -> str:
    return _NO_WORD.sub("-", text).strip("-") or "other"


def _pool_words(uses: Sequence[Use], zone_names: Mapping[str, str], zones: Mapping[str, str]) -> Mapping[Pool, str]:
    """Call a pool by the first name that has it alone, else by the first that has it at all, in the order of these names."""
    first: dict[Pool, FoundEndpoint] = {}
    alone: dict[Pool, FoundEndpoint] = {}
    for use in uses:
        for pool, _ in use.shares:
            first.setdefault(pool, use.endpoint)
            if len(use.shares) == 1:
                alone.setdefault(pool, use.endpoint)
    taken: set[str] = set()
    words: dict[Pool, str] = {}
    for pool, endpoint in (first | alone).items():
        relative = _relative(endpoint.name, zone_names[endpoint.zone])
        words[pool] = next(word for word in _candidates(relative, zones[endpoint.zone]) if word not in taken)
        taken.add(words[pool])
    return words


def _relative(name: str, zone_name: str) -> str:
    relative = name.removesuffix(zone_name).removesuffix(".")
    return _word("wildcard" + relative[1:] if relative.startswith("*") else relative or "apex")


def _candidates(word: str, zone: str) -> Iterator[str]:
    yield word[:WORD_MAX_CHARACTERS]
    yield f"{zone}-{word}"[:WORD_MAX_CHARACTERS]
    number = 2
    while True:
        tail = f"-{number}"
        yield word[: WORD_MAX_CHARACTERS - len(tail)] + tail
        number += 1


def _balancers(pool: Pool) -> Iterator[BalancerEntry]:
    capacities = pool.capacities or (1,) * len(pool.balancers)
    for balancer, capacity in zip(pool.balancers, capacities, strict=True):
        alias = balancer.alias
        yield BalancerEntry(
            id=balancer.id,
            capacity=DEFAULT_CAPACITY if capacity == DEFAULT_CAPACITY else float(capacity),
            addresses=tuple(address for address in (balancer.v4, balancer.v6) if address is not None) or None,
            alias=AliasEntry(_shown(alias.name), alias.zone, alias.evaluate_target_health) if alias else None,
            health_check=balancer.health_check,
        )


def _defaults(uses: Sequence[Use]) -> DefaultsEntry:
    """Return what most of the names have; of what equally many have the format's own, else the first in order."""
    ttls = Counter(use.endpoint.ttl for use in uses if use.endpoint.ttl is not None)
    routings = Counter(use.endpoint.routing for use in uses)
    types = Counter(types for use in uses for types in _fitting(use))
    return DefaultsEntry(
        ttl=max(sorted(ttls), key=lambda ttl: (ttls[ttl], ttl == DEFAULTS.ttl), default=DEFAULTS.ttl),
        routing=max(_ROUTINGS, key=lambda routing: routings[routing]),
        types=max(_TYPES, key=lambda one: types[one]),
    )


def _fitting(use: Use) -> Iterable[tuple[AddressType, ...]]:
    """Return the types that an endpoint may have, so that it shows what its name does: its own, or more where nothing else is there."""
    balancers = [balancer for pool, _ in use.shares for balancer in pool.balancers]
    wanted = shown_by(balancers, use.endpoint.types)
    is_alias = any(balancer.alias for balancer in wanted)
    return [
        types
        for types in _TYPES
        if set(types) == set(use.endpoint.types)
        or (set(types) > set(use.endpoint.types) and not is_alias and shown_by(balancers, types) == wanted)
    ]


def _endpoint(use: Use, words: Mapping[Pool, str], zones: Mapping[str, str], defaults: DefaultsEntry) -> EndpointEntry:
    found = use.endpoint
    return EndpointEntry(
        name=_shown(found.name),
        zone=zones[found.zone],
        pools={words[pool]: float(share) for pool, share in use.shares},
        ttl=None if found.ttl in {None, defaults.ttl} else found.ttl,
        routing=None if found.routing == defaults.routing else found.routing,
        types=None if defaults.types in _fitting(use) else found.types,
    )


def differing(text: str, findings: Iterable[ZoneFinding]) -> tuple[str, ...]:
    """Return in what a fleet file does not mean what the zones hold, a sentence each: nothing, if all is well."""
    read = yaml_text.read(text)
    if read.faults:
        return tuple(map(str, read.faults))
    reading = compile_fleet(read.value)
    if reading.plan is None:
        return tuple(map(str, reading.faults))
    meant = {endpoint.key: content_of_endpoint(endpoint) for endpoint in reading.plan.endpoints}
    held = {(one.zone, one.name): one.content for finding in findings for one in finding.endpoints}
    return tuple(
        f"{name} in zone {zone} would not be what stands there"
        for zone, name in sorted(meant.keys() | held.keys())
        if meant.get((zone, name)) != held.get((zone, name))
    )

"""Decide what the zones answer to a DNS question. Pure: the random choice comes in from outside.

A dangling alias is NOERROR without an answer, as it was on 19 October 2025; so is a name that only others stand below.
RFC 1034 section 4.3.2 (the walk), RFC 4592 (wildcards), RFC 2308 (negative answers).
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from enactor.sandbox import zone_names
from enactor.sandbox.zone_model import Node, Zone
from enactor.sandbox.zone_rules import Record

HOPS_MAX = 8
MULTIVALUE_MAX = 8
FOREIGN_ALIAS_TTL_SECONDS = 60
NOERROR, NXDOMAIN, REFUSED = "NOERROR", "NXDOMAIN", "REFUSED"

# Given weights, return the index of one.
Pick: TypeAlias = Callable[[Sequence[int]], int]


@dataclass(frozen=True, slots=True)
class Answer:
    """Some values of one name and type."""

    name: str
    type: str
    ttl_seconds: int
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Response:
    """All that a DNS message says."""

    status: str
    answers: tuple[Answer, ...] = ()
    authority: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class World:
    """What answers are made from: zones, addresses behind aliases to elsewhere, and a weighted random pick."""

    zones: Sequence[Zone]
    alias_answers: Mapping[str, Sequence[str]]
    pick: Pick


def respond(world: World, name: str, record_type: str) -> Response:
    """Answer one question for a canonical name."""
    zone = _zone_of(world, name)
    if zone is None:
        return Response(REFUSED)
    answers: list[Answer] = []
    for _ in range(HOPS_MAX):
        cut = _delegation(zone, name)
        if cut is not None:
            return Response(NOERROR, tuple(answers), (cut,))
        node = _node(zone, name)
        if node is None:
            return Response(NXDOMAIN, tuple(answers), _negative(zone))
        found = _answer(world, zone, node, name, record_type)
        if found is None:
            return Response(NOERROR, tuple(answers), () if answers else _negative(zone))
        answers.append(found)
        if found.type == record_type:
            return Response(NOERROR, tuple(answers))
        name = zone_names.folded(found.values[0])
        onward = _zone_of(world, name)
        if onward is None:
            return Response(NOERROR, tuple(answers))
        zone = onward
    return Response(NOERROR, tuple(answers))


def _zone_of(world: World, name: str) -> Zone | None:
    holding = [zone for zone in world.zones if zone_names.is_within(name, zone.name)]
    return max(holding, key=lambda zone: len(zone_names.labels(zone.name)), default=None)


def _delegation(zone: Zone, name: str) -> Answer | None:
    """Return the NS set of a zone cut at or above the name, below the apex: what is under it is occluded."""
    while name != zone.name:
        servers = zone.node(name).get(("NS", ""))
        if servers is not None and servers.ttl_seconds is not None:
            return Answer(name, "NS", servers.ttl_seconds, servers.values)
        name = zone_names.parent(name)
    return None


def _node(zone: Zone, name: str) -> Node | None:
    """Return the sets that answer for a name: its own, a wildcard's, none at all (empty), or None: no such name."""
    if zone.node(name):
        return zone.node(name)
    if _has_below(zone, name):
        return {}
    while name != zone.name:
        name = zone_names.parent(name)
        wildcard = zone.node(zone_names.wildcard_of(name))
        if wildcard:
            return wildcard
        if zone.node(name) or _has_below(zone, name):
            return None
    return None


def _has_below(zone: Zone, name: str) -> bool:
    prefix = zone_names.order_key(name)
    at = bisect_left(zone.order, (prefix, "", "", ""))
    return at < len(zone.order) and zone.order[at][0].startswith(prefix)


def _answer(world: World, zone: Zone, node: Node, name: str, record_type: str) -> Answer | None:
    """Answer from one node, following aliases within the zone; the answer carries the name that was asked for."""
    for _ in range(HOPS_MAX):
        chosen = _chosen(world, node, record_type)
        if not chosen:
            return None
        alias = chosen[0].alias
        if alias is None:
            values = tuple(value for record in chosen for value in record.values)
            ttl = min(record.ttl_seconds or 0 for record in chosen)
            return Answer(name, chosen[0].type, ttl, values)
        if alias.zone != zone.zone_id:
            return _foreign(world, alias.name, name, record_type)
        node = zone.node(alias.name)
    return None


def _chosen(world: World, node: Node, record_type: str) -> list[Record]:
    """Choose the record sets that answer: those of the type, else a CNAME; one by weight, or some of a multivalue."""
    records = [record for key, record in sorted(node.items()) if key[0] == record_type]
    if not records:
        records = [record for key, record in sorted(node.items()) if key[0] == "CNAME"]
    if len(records) <= 1:
        return records
    if records[0].policy == "MultiValueAnswer":
        return _some(world, records)
    weights = [int(record.data.get("Weight", 1)) for record in records]
    # Zero gets no traffic, unless all are zero: then all are equal.
    return [records[world.pick(weights if any(weights) else [1] * len(weights))]]


def _some(world: World, records: list[Record]) -> list[Record]:
    left = list(records)
    return [left.pop(world.pick([1] * len(left))) for _ in range(min(MULTIVALUE_MAX, len(left)))]


def _foreign(world: World, target: str, name: str, record_type: str) -> Answer | None:
    """Answer for an alias to elsewhere from the settable table."""
    wants_v6 = record_type == "AAAA"
    values = tuple(value for value in world.alias_answers.get(target, ()) if (":" in value) == wants_v6)
    return Answer(name, record_type, FOREIGN_ALIAS_TTL_SECONDS, values) if values else None


def _negative(zone: Zone) -> tuple[Answer, ...]:
    return tuple(_soa(zone))


def _soa(zone: Zone) -> Iterator[Answer]:
    """The SOA goes with every negative answer; its TTL there is the lower of its own and its minimum field."""
    record = zone.node(zone.name).get(("SOA", ""))
    if record is not None and record.ttl_seconds is not None:
        minimum = int(record.values[0].split()[-1])
        yield Answer(zone.name, "SOA", min(record.ttl_seconds, minimum), record.values)

"""Decide what endpoint the record sets of one name make, or every reason why a fleet file cannot say them.

Pure, and never a guess: what comes out means the very record sets that stand there. A load balancer of a fleet file has one id, one
capacity and one health check for all types, and an alias of it answers every type of its endpoint; what a zone holds besides that
is left out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec

from enactor import names
from enactor.plan import TARGET_ID, TARGETS_PER_TYPE_MAX, TTL_MAX_SECONDS, TTL_MIN_SECONDS, Routing
from enactor.plan_faults import HEALTH_CHECK_ID, Faults, read_any_address, shown
from enactor.records import Alias, Content, RecordSet, content_of
from planner.fleet_endpoints import ADDRESS_TYPES
from planner.fleet_file import AddressType

POLICIES: Final[Mapping[str, str]] = {
    "Region": "latency",
    "Failover": "failover",
    "GeoLocation": "geolocation",
    "GeoProximityLocation": "geoproximity",
    "CidrRoutingConfig": "IP-based",
    "TrafficPolicyInstanceId": "traffic policy",
}
"""Route 53's attributes that a plan cannot say, and the routing policy that each stands for."""
_DUALSTACK: Final = "dualstack."
_ID: Final = TARGET_ID.strip("^$")
Way = Literal["weighted", "simple", "multivalue", "other"]


class FoundBalancer(msgspec.Struct, frozen=True, kw_only=True, order=False):
    """One load balancer as one name shows it: addresses, or an alias, and the health check of its sets."""

    id: str
    v4: str | None = None
    v6: str | None = None
    alias: Alias | None = None
    health_check: str | None = None

    def of_types(self, types: Iterable[AddressType]) -> "FoundBalancer | None":
        """Return what of it an endpoint of these types shows; None where that is nothing. An alias answers every type."""
        if self.alias is not None:
            return self
        v4 = self.v4 if "A" in types else None
        v6 = self.v6 if "AAAA" in types else None
        return msgspec.structs.replace(self, v4=v4, v6=v6) if v4 or v6 else None


class FoundEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One name whose record sets a fleet file can say."""

    zone: str
    name: str
    routing: Routing
    ttl: int | None
    """None where every set is an alias, which has its target's."""
    types: tuple[AddressType, ...]
    balancers: tuple[FoundBalancer, ...]
    """By id, numbers in it counted as such."""
    weights: tuple[int, ...] | None
    """One for each of the balancers; None unless weighted."""
    content: Content


def found_endpoint(zone: str, name: str, sets: Sequence[RecordSet]) -> FoundEndpoint | list[str]:
    """Return what a name's record sets make as an endpoint, or every reason why they make none."""
    sets = sorted(sets, key=lambda record: (record.type, natural(record.set_identifier or "")))
    reasons = [reason for record in sets for reason in _of_set(record)]
    ways = list(dict.fromkeys(_way(record) for record in sets))
    if "other" not in ways and len(ways) > 1:
        reasons.append(f"it mixes {' and '.join(ways)} sets, and an endpoint has one routing")
    reasons += _ttl_reasons(sets)
    types = tuple(kind for kind in ADDRESS_TYPES if any(record.type == kind for record in sets))
    way = ways[0]
    if reasons or way == "other":
        return reasons
    found, reasons = _simple(sets) if way == "simple" else _identified(sets, types)
    reasons += _twice(sets)
    if any(record.alias and (record.alias.zone, names.canonical(record.alias.name)) == (zone, name) for record in sets):
        reasons.append("it is an alias to itself")
    if reasons:
        return reasons
    ordered = sorted(found, key=lambda pair: natural(pair[0].id))
    return FoundEndpoint(
        zone=zone,
        name=name,
        routing=way,
        ttl=next((record.ttl for record in sets if record.alias is None), None),
        types=types,
        balancers=tuple(balancer for balancer, _ in ordered),
        weights=tuple(weight for _, weight in ordered) if way == "weighted" else None,
        content=content_of(sets),
    )


def natural(text: str) -> list[tuple[bool, int, str]]:
    """Return a key by which lb-2 goes before lb-10."""
    parts = re.split(r"([0-9]+)", text)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def _way(record: RecordSet) -> Way:
    if record.extra or record.type == "CNAME":
        return "other"
    if record.multivalue:
        return "multivalue"
    return "simple" if record.weight is None else "weighted"


def _shown_set(record: RecordSet) -> str:
    return record.type if record.set_identifier is None else f"{record.type} {shown(record.set_identifier)}"


def _of_set(record: RecordSet) -> Iterable[str]:
    """Yield what of one record set a fleet file cannot say."""
    what = _shown_set(record)
    if record.type == "CNAME":
        yield f"{what}: a fleet file has no CNAME; a plan file has (`planner publish --plan`)"
        return
    if record.extra:
        attributes = sorted(msgspec.json.decode(record.extra, type=dict[str, object]))
        policies = dict.fromkeys(POLICIES.get(attribute, "unknown") for attribute in attributes)
        yield f"{what}: {', '.join(attributes)} ({', '.join(policies)} routing), which no plan can say"
        return
    if record.set_identifier is not None and not re.fullmatch(_ID, record.set_identifier):
        yield f"{what}: the set identifier does not match {TARGET_ID.strip('^$')}, as an id must"
    if record.weight == 0:
        yield f"{what}: weight 0, and a fleet file gives nobody 0: give it a weight or delete it, then import again"
    if record.health_check is not None and not HEALTH_CHECK_ID.fullmatch(record.health_check):
        yield f"{what}: {shown(record.health_check)} is no health check's id"
    if record.set_identifier is not None and len(record.values) > 1:
        yield f"{what}: {len(record.values)} values in one {_way(record)} set, and a target has one"
    if len(record.values) > TARGETS_PER_TYPE_MAX:
        yield f"{what}: {len(record.values)} values, over {TARGETS_PER_TYPE_MAX}"
    faults = Faults()
    for value in sorted(record.values):
        read_any_address(value, "", faults)
    yield from (f"{what}: {fault.message}" for fault in faults.all())
    if record.alias is not None:
        yield from _of_alias(record.alias, what)


def _of_alias(alias: Alias, what: str) -> Iterable[str]:
    if names.hosted_zone_id(alias.zone) is None:
        yield f"{what}: {shown(alias.zone)} is no hosted zone id"
    try:
        names.canonical(alias.name)
    except names.NameFault as fault:
        yield f"{what}: {fault}"


def _ttl_reasons(sets: Sequence[RecordSet]) -> Iterable[str]:
    ttls = sorted({record.ttl for record in sets if record.ttl is not None and record.alias is None})
    if len(ttls) > 1:
        yield f"TTLs of {' and '.join(map(str, ttls))} s stand side by side, and an endpoint has one"
    for ttl in ttls:
        if not TTL_MIN_SECONDS <= ttl <= TTL_MAX_SECONDS:
            yield f"a TTL of {ttl} s is not between {TTL_MIN_SECONDS} and {TTL_MAX_SECONDS}"


def _twice(sets: Sequence[RecordSet]) -> Iterable[str]:
    """A target stands behind an endpoint once: two identifiers for one address would count twice in every share."""
    first: dict[tuple[str, str], RecordSet] = {}
    for record in content_of(sets):
        points_to = [record.alias.name + " in zone " + record.alias.zone] if record.alias else record.values
        for target in points_to:
            before = first.setdefault((record.type, target), record)
            if before is not record:
                yield f"{_shown_set(before)} and {_shown_set(record)} are both {target}, and a target stands there once"


Found = list[tuple[FoundBalancer, int]]
"""Load balancers with their weights, 0 where they have none."""


def _identified(sets: Sequence[RecordSet], types: Sequence[AddressType]) -> tuple[Found, list[str]]:
    """Put the sets of one identifier together: in a fleet file a load balancer has one capacity, check and alias for all types."""
    by_id: dict[str, list[RecordSet]] = {}
    for record in content_of(sets):
        by_id.setdefault(record.set_identifier or "", []).append(record)
    found: Found = []
    reasons: list[str] = []
    for identifier, group in by_id.items():
        differing = _differing(identifier, group, types)
        reasons += differing
        if not differing:
            found.append((_balancer(identifier, group), group[0].weight or 0))
    return found, reasons


def _differing(identifier: str, group: Sequence[RecordSet], types: Sequence[AddressType]) -> list[str]:
    one = group[0]
    reasons = []
    for part, what in (("weight", "weight"), ("health_check", "health check"), ("alias", "alias")):
        values = [getattr(record, part) for record in group]
        if any(value != values[0] for value in values):
            told = " and ".join(f"{_told(getattr(record, part))} as {record.type}" for record in group)
            reasons.append(f"{shown(identifier)} has {what} {told}, and a load balancer has one for all types")
    if one.alias is not None and len(group) < len(types) and not reasons:
        reasons.append(
            f"{shown(identifier)} is an alias as {one.type} alone, and in a fleet file an alias answers every type of its "
            f"endpoint ({' and '.join(types)})"
        )
    return reasons


def _told(value: object) -> str:
    if isinstance(value, Alias):
        return f"{value.name} in {value.zone}{' with its health' if value.evaluate_target_health else ''}"
    return "none" if value is None else str(value)


def _balancer(identifier: str, group: Sequence[RecordSet]) -> FoundBalancer:
    values = {record.type: record.values[0] for record in group if record.values}
    return FoundBalancer(
        id=identifier,
        v4=values.get("A"),
        v6=values.get("AAAA"),
        alias=group[0].alias,
        health_check=group[0].health_check,
    )


def _simple(sets: Sequence[RecordSet]) -> tuple[Found, list[str]]:
    """Make load balancers of simple sets, which name none: called by address, or by what the alias points to.

    Which IPv4 address belongs to which IPv6 address nobody can tell but where there is one of each.
    """
    content = content_of(sets)
    aliases = [record for record in content if record.alias is not None]
    if aliases:
        whole = len(aliases) == len(content)
        same = len({(record.alias, record.health_check) for record in content}) == 1
        if not whole or not same:
            told = " and ".join(
                f"{_told(record.alias) if record.alias else 'addresses'} as {record.type}" for record in content
            )
            return [], [f"it is {told}, and in a fleet file an alias answers every type, with one health check"]
        alias = aliases[0].alias
        assert alias is not None, "these are the aliases"
        return [(FoundBalancer(id=_alias_id(alias), alias=alias, health_check=aliases[0].health_check), 0)], []
    if [len(record.values) for record in content] == [1, 1] and content[0].health_check == content[1].health_check:
        return [(_balancer(content[0].values[0], content), 0)], []
    found = [
        (_balancer(value, [msgspec.structs.replace(record, values=(value,))]), 0)
        for record in content
        for value in record.values
    ]
    return found, []


def _alias_id(alias: Alias) -> str:
    """Return what to call a load balancer that only its alias names: its own label, as Elastic Load Balancing has it."""
    label = alias.name.removeprefix(_DUALSTACK).split(".")[0]
    return label if re.fullmatch(_ID, label) else "alias"

"""Decide what a fleet file's pools hold: each load balancer, what it can take, and the targets it would be.

Pure. Faults are noted with the path they have in the fleet file. A load balancer with a fault is returned as far as it can be
read, so that what else is wrong with it is found in the same go; a file with any fault makes no plan.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from enactor.plan import TARGET_ID
from enactor.plan_faults import (
    HEALTH_CHECK_ID,
    Faults,
    read_any_address,
    read_flag,
    read_list,
    read_matching,
    read_name,
    read_text,
    read_zone,
    shown,
)
from enactor.records import Alias
from planner.fleet_file import AddressType
from planner.fleet_forms import (
    LIKE_ALIAS,
    LIKE_BALANCER,
    LIKE_POOL,
    as_written,
    read_form,
    read_forms,
    read_positive,
    read_words,
)
from planner.fleet_settings import SourceSpec, read_from
from planner.observation import Offer

LIKE_POOLS: Final = f"{{blue: [{LIKE_BALANCER}]}}"
FLEET_FILE: Final = "the fleet file"
"""What messages call it as a source of inventory."""
_OPTIONAL: Final = ("capacity", "enabled", "addresses", "alias", "drain", "health_check")
_FROM_SOURCES: Final = frozenset({"from", "balancers"})
"""What tells a pool that takes offers from a load balancer that stands there without its list."""
_UNKNOWN_CAPACITY: Final = Fraction(1)
"""Stands where the file's cannot be read; no rule of form looks at it."""


class Member(msgspec.Struct, frozen=True):
    """One thing a load balancer answers with: an address of one type, or an alias, which answers every type."""

    path: str
    type: AddressType | None
    value: str | None = None
    alias: Alias | None = None
    is_extra: bool = False
    """A second address of its type: a fault, and read on as a load balancer of its own, which is how it is mended."""


class Balancer(msgspec.Struct, frozen=True, kw_only=True):
    """One load balancer of one pool."""

    path: str
    pool: str
    id: str
    """Its path where the file's id cannot be read, or is another one's."""
    capacity: Fraction
    enabled: bool
    members: tuple[Member, ...]
    is_whole: bool
    """Whether everything that it answers with could be read."""
    drain: bool = False
    health_check: str | None = None
    """The id of a Route 53 health check, which all of its targets have."""
    has_wrong_check: bool = False
    sources: tuple[str, ...] = (FLEET_FILE,)
    """Who offers it."""
    origin: str = ""
    """Where a person finds it, where a source says so."""
    has_capacity: bool = True
    """Whether somebody said what it can take, or 1 was assumed."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Return what it answers with, to tell whether two entries of one id are the same load balancer."""
        return tuple(sorted(member.value or shown_alias(member.alias) for member in self.members))


def shown_alias(alias: Alias | None) -> str:
    assert alias is not None, "a member has an address or an alias"
    return f"alias {alias.name} in zone {alias.zone}"


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """A pool as the fleet file has it."""

    balancers: tuple[Balancer, ...]
    sources: tuple[str, ...] = ()
    """Whose offers belong to it besides."""


def read_pools(value: object, known: Mapping[Hashable, SourceSpec], faults: Faults) -> dict[Hashable, Pool]:
    """Return every pool with its load balancers and sources, as far as they can be read."""
    pools: dict[Hashable, Pool] = {}
    for pool in read_words(value, "pools", faults, like=LIKE_POOLS):
        path, listed, sources = pool.path, pool.value, tuple[str, ...]()
        if isinstance(pool.value, dict) and not _FROM_SOURCES.isdisjoint(pool.value):
            raw = read_form(pool.value, path, faults, like=LIKE_POOL, required=("from",), optional=("balancers",)) or {}
            if "from" in raw:
                sources = read_from(raw["from"], f"{path}.from", known, faults, what="inventory") or ()
                if raw["from"] == []:
                    faults.add(f"{path}.from", "empty; name a source, or make the pool a list of load balancers")
            path, listed = f"{path}.balancers", raw.get("balancers", [])
        items = read_forms(listed, path, faults, like=LIKE_BALANCER)
        read = [read_balancer(item, f"{path}[{index}]", faults) for index, item in enumerate(items)]
        named = [msgspec.structs.replace(one, pool=str(pool.word)) for one in read if one is not None]
        pools[pool.word] = Pool(balancers=_once_each(named, faults), sources=sources)
    return pools


def offered_balancer(offer: Offer, source: str, pool: str, faults: Faults) -> Balancer:
    """Return what a source offers as a load balancer of a pool; what is wrong with it is noted with the source's path."""
    path = f"sources.{source}.{shown(offer.id)}"
    before = len(faults)
    balancer_id = read_matching(offer.id, f"{path}.id", faults, TARGET_ID)
    raw = {"addresses": list(offer.addresses)} if offer.addresses else {}
    if offer.alias is not None:
        raw |= {"alias": msgspec.to_builtins(offer.alias)}
    members = _read_members(raw, path, faults)
    if offer.capacity is not None and offer.capacity <= 0:
        faults.add(f"{path}.capacity", f"{float(offer.capacity):g} is not above 0")
    check = (
        None
        if offer.health_check is None
        else read_matching(offer.health_check, f"{path}.health_check", faults, HEALTH_CHECK_ID.pattern)
    )
    return Balancer(
        path=path,
        pool=pool,
        id=path if balancer_id is None else balancer_id,
        capacity=offer.capacity if offer.capacity is not None and offer.capacity > 0 else _UNKNOWN_CAPACITY,
        has_capacity=offer.capacity is not None,
        enabled=offer.enabled,
        members=members,
        is_whole=len(faults) == before,
        drain=offer.drain,
        health_check=check,
        sources=(source,),
        origin=offer.origin,
    )


def _once_each(balancers: list[Balancer], faults: Faults) -> tuple[Balancer, ...]:
    """Note ids that stand twice; a twin that answers with something else is read on as one of its own."""
    first: dict[str, Balancer] = {}
    for balancer in balancers:
        before = first.setdefault(balancer.id, balancer)
        if before is balancer:
            continue
        faults.add(
            f"{balancer.path}.id", f"{balancer.id} stands twice in its pool, first as {before.path}", "duplicate"
        )
        if balancer.identity != before.identity:
            first[balancer.path] = msgspec.structs.replace(balancer, id=balancer.path)
    return tuple(first.values())


def read_balancer(item: object, path: str, faults: Faults) -> Balancer | None:
    """Return one load balancer of a list, as far as it can be read; None where it is no object."""
    raw = read_form(item, path, faults, like=LIKE_BALANCER, required=("id",), optional=_OPTIONAL)
    if raw is None:
        return None
    balancer_id = read_matching(as_written(raw["id"]), f"{path}.id", faults, TARGET_ID) if "id" in raw else None
    capacity = read_positive(raw.get("capacity", 1), f"{path}.capacity", faults)
    enabled = _read_flag(raw.get("enabled", True), f"{path}.enabled", faults)
    drain = _read_flag(raw.get("drain", False), f"{path}.drain", faults)
    before = len(faults)
    members = _read_members(raw, path, faults)
    is_whole = len(faults) == before
    check = _read_check(raw, path, faults)
    return Balancer(
        path=path,
        pool="",
        id=path if balancer_id is None else balancer_id,
        capacity=_UNKNOWN_CAPACITY if capacity is None else capacity,
        enabled=enabled is True,
        members=members,
        is_whole=is_whole,
        drain=drain is True,
        health_check=check,
        has_wrong_check="health_check" in raw and check is None,
        has_capacity="capacity" in raw,
    )


def _read_check(raw: Mapping[str, Any], path: str, faults: Faults) -> str | None:
    if "health_check" not in raw:
        return None
    return read_matching(as_written(raw["health_check"]), f"{path}.health_check", faults, HEALTH_CHECK_ID.pattern)


def _read_members(raw: Mapping[str, Any], path: str, faults: Faults) -> tuple[Member, ...]:
    if "addresses" in raw and "alias" in raw:
        faults.add(path, "addresses and alias exclude each other")
    elif "addresses" not in raw and "alias" not in raw:
        faults.add(path, "one of addresses and alias is required")
    members = _read_addresses(raw["addresses"], f"{path}.addresses", faults) if "addresses" in raw else ()
    alias = _read_alias(raw["alias"], f"{path}.alias", faults) if "alias" in raw else None
    return members if alias is None else (Member(f"{path}.alias", None, alias=alias),)


def _read_alias(value: object, path: str, faults: Faults) -> Alias | None:
    raw = read_form(value, path, faults, like=LIKE_ALIAS, required=("name", "zone", "evaluate_target_health")) or {}
    name = read_name(as_written(raw["name"]), f"{path}.name", faults) if "name" in raw else None
    zone = read_zone(as_written(raw["zone"]), f"{path}.zone", faults) if "zone" in raw else None
    flag_path = f"{path}.evaluate_target_health"
    flag = _read_flag(raw["evaluate_target_health"], flag_path, faults) if "evaluate_target_health" in raw else None
    if name is None or zone is None or flag is None:
        return None
    return Alias(name=name, zone=zone, evaluate_target_health=flag)


def _read_flag(value: object, path: str, faults: Faults) -> bool | None:
    return read_flag(value if isinstance(value, bool) else as_written(value), path, faults)


def _read_addresses(value: object, path: str, faults: Faults) -> tuple[Member, ...]:
    items = read_list(value if isinstance(value, list) else as_written(value), path, faults)
    if items == []:
        faults.add(path, "empty; a load balancer out of service has enabled: false")
    members: list[Member] = []
    for index, item in enumerate(items or []):
        where = f"{path}[{index}]"
        text = read_text(as_written(item), where, faults)
        address = None if text is None else read_any_address(text, where, faults)
        if address is None:
            continue
        family: AddressType = "AAAA" if ":" in address else "A"
        before = [member for member in members if member.type == family]
        if before:
            what = f"{address} is a second address of type {family}, after {before[0].value}"
            faults.add(where, f"{what}; a target holds one: give each its own id", "duplicate")
        if address not in {member.value for member in before}:
            members.append(Member(where, family, value=address, is_extra=bool(before)))
    return tuple(members)

"""Decide what a fleet file's pools hold: each load balancer, what it can take, and the targets it would be.

Pure. Faults are noted with the path they have in the fleet file; a load balancer with a fault is left out of what is returned.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from enactor.plan import TARGET_ID
from enactor.plan_faults import (
    Faults,
    read_any_address,
    read_flag,
    read_list,
    read_matching,
    read_object,
    read_text,
    shown,
    type_word,
)
from enactor.plan_form import read_alias
from enactor.records import Alias
from planner.fleet_file import WORD, AddressType
from planner.weights import exact

_OPTIONAL: Final = ("capacity", "enabled", "addresses", "alias")


class Member(msgspec.Struct, frozen=True):
    """One thing a load balancer answers with: an address of one type, or an alias, which answers every type."""

    path: str
    type: AddressType | None
    value: str | None = None
    alias: Alias | None = None


class Balancer(msgspec.Struct, frozen=True, kw_only=True):
    """One load balancer of one pool."""

    path: str
    pool: str
    id: str
    capacity: Fraction
    enabled: bool
    members: tuple[Member, ...]

    @property
    def identity(self) -> tuple[str, ...]:
        """Return what it answers with, to tell whether two entries of one id are the same load balancer."""
        return tuple(sorted(member.value or shown_alias(member.alias) for member in self.members))


def shown_alias(alias: Alias | None) -> str:
    assert alias is not None, "a member has an address or an alias"
    return f"alias {alias.name} in zone {alias.zone}"


def read_words(value: object, path: str, faults: Faults) -> Mapping[str, Any]:
    """Return a mapping whose keys a person chose, without those that are no plain words."""
    if not isinstance(value, dict):
        faults.add(path, f"{shown(value)} is {type_word(value)}, not an object")
        return {}
    return {key: inner for key, inner in value.items() if _is_word(key, path, faults)}


def _is_word(key: object, path: str, faults: Faults) -> bool:
    return read_matching(key, f"{path}.{shown(key)}", faults, WORD) is not None


def read_positive(value: object, path: str, faults: Faults) -> Fraction | None:
    """Return a positive finite number, exactly as it was written."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        faults.add(path, f"{shown(value)} is {type_word(value)}, not a number above 0")
    elif isinstance(value, float) and not math.isfinite(value):
        faults.add(path, f"{value} is not finite")
    elif value <= 0:
        faults.add(path, f"{shown(value)} is not above 0")
    else:
        return exact(value)
    return None


def read_pools(value: object, faults: Faults) -> dict[str, tuple[Balancer, ...]]:
    """Return every pool with the load balancers whose form is right."""
    pools: dict[str, tuple[Balancer, ...]] = {}
    for name, raw in read_words(value, "pools", faults).items():
        items = read_list(raw, f"pools.{name}", faults) or []
        read = [_read_balancer(item, f"pools.{name}[{index}]", name, faults) for index, item in enumerate(items)]
        pools[name] = _once_each([balancer for balancer in read if balancer is not None], faults)
    return pools


def _once_each(balancers: list[Balancer], faults: Faults) -> tuple[Balancer, ...]:
    first: dict[str, Balancer] = {}
    for balancer in balancers:
        before = first.setdefault(balancer.id, balancer)
        if before is not balancer:
            faults.add(
                f"{balancer.path}.id", f"{balancer.id} stands twice in its pool, first as {before.path}", "duplicate"
            )
    return tuple(first.values())


def _read_balancer(item: object, path: str, pool: str, faults: Faults) -> Balancer | None:
    before = len(faults)
    raw = read_object(item, path, faults, required=("id",), optional=_OPTIONAL)
    if raw is None:
        return None
    balancer_id = read_matching(raw["id"], f"{path}.id", faults, TARGET_ID) if "id" in raw else None
    capacity = read_positive(raw.get("capacity", 1), f"{path}.capacity", faults)
    enabled = read_flag(raw.get("enabled", True), f"{path}.enabled", faults)
    members = _read_members(raw, path, faults)
    if len(faults) > before or balancer_id is None or capacity is None or enabled is None:
        return None
    return Balancer(path=path, pool=pool, id=balancer_id, capacity=capacity, enabled=enabled, members=members)


def _read_members(raw: Mapping[str, Any], path: str, faults: Faults) -> tuple[Member, ...]:
    if "addresses" in raw and "alias" in raw:
        faults.add(path, "addresses and alias exclude each other")
    elif "addresses" not in raw and "alias" not in raw:
        faults.add(path, "one of addresses and alias is required")
    members = _read_addresses(raw["addresses"], f"{path}.addresses", faults) if "addresses" in raw else ()
    alias = read_alias(raw["alias"], f"{path}.alias", faults) if "alias" in raw else None
    return members if alias is None else (Member(f"{path}.alias", None, alias=alias),)


def _read_addresses(value: object, path: str, faults: Faults) -> tuple[Member, ...]:
    items = read_list(value, path, faults)
    if items == []:
        faults.add(path, "empty; a load balancer out of service has enabled: false")
    members: dict[AddressType, Member] = {}
    for index, item in enumerate(items or []):
        where = f"{path}[{index}]"
        text = read_text(item, where, faults)
        address = None if text is None else read_any_address(text, where, faults)
        if address is None:
            continue
        family: AddressType = "AAAA" if ":" in address else "A"
        if family in members:
            what = f"{address} is a second address of type {family}, after {members[family].value}"
            faults.add(where, f"{what}; a target holds one: give each its own id", "duplicate")
        members.setdefault(family, Member(where, family, value=address))
    return tuple(members.values())

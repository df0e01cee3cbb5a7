"""Decide what plan comes out of entries that were each read by itself: which keys stand once, which are broken, which retired.

Pure. Shared by the plan file's reader and the fleet file's. A key that stands twice leaves nothing usable, as nobody knows which
entry was meant; and a name both listed and retired has no permission to leave the plan. An entry with a fault is held against the
others all the same: a person mends a file once.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from enactor.plan import Broken, Endpoint, Fault, Plan, Retired, sorted_plan
from enactor.plan_faults import NAME_TEXT_MAX_CHARACTERS, Faults, shown

UNKNOWN_ZONE: Final = ""
"""The zone in the key of an entry that does not say which: nobody can know whether its name stands twice."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One item of `endpoints`: its key as far as it could be read, the endpoint if its form is right, and its faults."""

    path: str
    key: tuple[str, str]
    endpoint: Endpoint | None
    faults: tuple[Fault, ...]


class RetiredEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One item of `retired`: its key as far as it could be read, and the permission if its form is right."""

    path: str
    key: tuple[str, str]
    retired: Retired | None


def assembled(fleet: str, entries: Sequence[Entry], retired: Iterable[RetiredEntry | None], faults: Faults) -> Plan:
    """Put the plan together; a key that stands twice, or is retired as well, leaves nothing usable for that key."""
    wrong: dict[tuple[str, str], list[Fault]] = {}
    first: dict[tuple[str, str], str] = {}
    for entry in entries:
        found = [*entry.faults]
        before = first.setdefault(entry.key, entry.path)
        if before != entry.path and entry.key[0] != UNKNOWN_ZONE:
            found.append(
                Fault(f"{entry.path}.name", f"{_named(entry.key)} stands twice, first as {before}", "duplicate")
            )
        faults.extend(found)
        if found:
            wrong.setdefault(entry.key, []).extend(found)
    gone = _kept_retired(retired, first, wrong, faults)
    usable = (entry.endpoint for entry in entries if entry.key not in wrong)
    plan = Plan(
        fleet=fleet,
        endpoints=tuple(endpoint for endpoint in usable if endpoint is not None),
        retired=gone,
        broken=tuple(Broken(name=name, zone=zone, faults=tuple(wrong[zone, name])) for zone, name in sorted(wrong)),
    )
    return sorted_plan(plan)


def _kept_retired(
    retired: Iterable[RetiredEntry | None],
    listed: dict[tuple[str, str], str],
    wrong: dict[tuple[str, str], list[Fault]],
    faults: Faults,
) -> tuple[Retired, ...]:
    """Return the retired names that stand once and only there: a doubtful permission to leave the plan is none."""
    kept: dict[tuple[str, str], Retired | None] = {}
    for entry in (entry for entry in retired if entry is not None and entry.key[0] != UNKNOWN_ZONE):
        path, key = f"{entry.path}.name", entry.key
        if key in listed:
            fault = Fault(path, f"{_named(key)} is also listed, as {listed[key]}", "retired")
            faults.extend([fault])
            wrong.setdefault(key, []).append(fault)
        if key in kept:
            faults.add(path, f"{_named(key)} is retired twice", "duplicate")
        kept.setdefault(key, None if key in listed else entry.retired)
    return tuple(one for one in kept.values() if one is not None)


def _named(key: tuple[str, str]) -> str:
    zone, name = key
    return f"{_short(name)} in zone {_short(zone)}"


def _short(text: str) -> str:
    return text if len(text) <= NAME_TEXT_MAX_CHARACTERS else shown(text)

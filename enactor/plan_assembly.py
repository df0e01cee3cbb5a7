"""Decide what plan comes out of entries that were each read by itself: which keys stand once, which are broken, which retired.

Pure. Shared by the plan file's reader and the fleet file's. A key that stands twice leaves nothing usable, as nobody knows which
entry was meant; and a name both listed and retired has no permission to leave the plan.
"""

from collections.abc import Iterable, Sequence

import msgspec

from enactor.plan import Broken, Endpoint, Fault, Plan, Retired, sorted_plan
from enactor.plan_faults import Faults


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One item of `endpoints`: its key as far as it could be read, the endpoint if its form is right, and its faults."""

    path: str
    key: tuple[str, str]
    endpoint: Endpoint | None
    faults: tuple[Fault, ...]


def assembled(
    fleet: str, entries: Sequence[Entry], retired: Iterable[tuple[str, Retired] | None], faults: Faults
) -> Plan:
    """Put the plan together; a key that stands twice, or is retired as well, leaves nothing usable for that key."""
    wrong: dict[tuple[str, str], list[Fault]] = {}
    first: dict[tuple[str, str], str] = {}
    for entry in entries:
        found = [*entry.faults]
        before = first.setdefault(entry.key, entry.path)
        if before != entry.path:
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
    retired: Iterable[tuple[str, Retired] | None],
    listed: dict[tuple[str, str], str],
    wrong: dict[tuple[str, str], list[Fault]],
    faults: Faults,
) -> tuple[Retired, ...]:
    """Return the retired names that stand once and only there: a doubtful permission to leave the plan is none."""
    kept: dict[tuple[str, str], Retired] = {}
    for path, item in (entry for entry in retired if entry is not None):
        if item.key in listed:
            fault = Fault(f"{path}.name", f"{_named(item.key)} is also listed, as {listed[item.key]}", "retired")
            faults.extend([fault])
            wrong.setdefault(item.key, []).append(fault)
        elif item.key in kept:
            faults.add(f"{path}.name", f"{_named(item.key)} is retired twice", "duplicate")
        else:
            kept[item.key] = item
    return tuple(kept.values())


def _named(key: tuple[str, str]) -> str:
    zone, name = key
    return f"{name} in zone {zone or '?'}"

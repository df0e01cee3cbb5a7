"""Decide which old plans are still needed, and which may go (promise 4). Pure; `collect` reads, asks here, and writes.

A plan may go only where no batch of it can land any more (every zone it names is open above it) and nothing that stands needs it:
no fence names its content, and no record sets of that content stand without their fence. It must never judge a plan by its age:
newest-n and younger-than-t only keep more.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from enactor.fence import Fence, Switch
from enactor.observe import FenceRange, sets_reading
from enactor.plan import Plan, content_of_endpoint
from enactor.ports import PlanEntry
from enactor.records import RecordSet, content_digest, content_of

NEEDED_SHOWN_NAMES: Final = 10
"""How many endpoints that need a plan are named: more do not help a person, and there may be thousands."""

Zones = Mapping[str, FenceRange]
"""The fence ranges of the configured zones, in one reading each; a zone that could not be read whole is not there."""


class Needs(msgspec.Struct, frozen=True):
    """Which contents the fences still need a plan for, as (zone, name, digest).

    A fence that cannot be read may name any content: at its endpoint every content is needed, in its newest plan.
    """

    contents: frozenset[tuple[str, str, str]]
    anything: frozenset[tuple[str, str]] = frozenset()
    met: frozenset[tuple[str, str, str]] = frozenset()
    """What newer plans have already met, of the endpoints where anything is needed."""

    @property
    def endpoints(self) -> frozenset[tuple[str, str]]:
        """Return the endpoints whose content in a plan matters."""
        return self.anything | {(zone, name) for zone, name, _ in self.contents}


class Keep(msgspec.Struct, frozen=True, kw_only=True):
    """The rules that only keep more."""

    newest: int
    hours: int
    now: datetime


class Verdict(msgspec.Struct, frozen=True):
    """Whether a plan may go, and every reason."""

    entry: PlanEntry
    goes: bool
    reasons: tuple[str, ...]


def needs_of(zones: Zones) -> Needs:
    """Return what the fences need. A tombstone needs nothing; a fence of any other state, fleet or form does."""
    contents: set[tuple[str, str, str]] = set()
    anything: set[tuple[str, str]] = set()
    for zone, found in zones.items():
        for name, reading in found.fences.items():
            if not isinstance(reading.fence, Fence):
                anything.add((zone, name))
            elif reading.fence.state != "retired":
                contents.add((zone, name, reading.fence.plan))
    return Needs(frozenset(contents), frozenset(anything))


def unfenced(zone: str, found: FenceRange, listing: Sequence[RecordSet]) -> Needs:
    """Return what stands at names without a fence: where a kept plan says the same, the fence will name it again."""
    sets = sets_reading(found.zone_name, zone, listing).sets
    return Needs(
        frozenset(
            (zone, name, content_digest(content_of(records)))
            for name, records in sets.items()
            if name not in found.fences
        )
    )


def lacks_fences(plan: Plan, zone: str, found: FenceRange) -> bool:
    """Tell whether a plan lists a name of a zone that has no fence there."""
    return any(endpoint.zone == zone and endpoint.name not in found.fences for endpoint in plan.endpoints)


def meets(plan: Plan, needs: Needs) -> frozenset[tuple[str, str, str]]:
    """Return which needs a plan meets that no newer plan has met."""
    endpoints = needs.endpoints
    listed = {
        (*endpoint.key, content_digest(content_of_endpoint(endpoint)))
        for endpoint in plan.endpoints
        if endpoint.key in endpoints
    }
    return frozenset(
        need for need in listed if need in needs.contents or (need[:2] in needs.anything and need not in needs.met)
    )


def without(needs: Needs, met: frozenset[tuple[str, str, str]]) -> Needs:
    """Return what is still needed of older plans."""
    return msgspec.structs.replace(needs, contents=needs.contents - met, met=needs.met | met)


def stays_anyway(
    entries: Sequence[PlanEntry], head: int | None, pins: frozenset[int], keep: Keep
) -> dict[int, tuple[str, ...]]:
    """Return, by generation, the reasons to keep a plan that need no look at a zone. Without a HEAD any plan may be it."""
    newest = {entry.generation for entry in sorted(entries, key=generation_order, reverse=True)[: keep.newest]}
    return {
        entry.generation: tuple(
            reason
            for reason, holds in (
                ("head", head is None or entry.generation == head),
                ("pinned", entry.generation in pins),
                ("newest-n", entry.generation in newest),
                ("younger-than-t", is_young(entry.created_at, keep)),
            )
            if holds
        )
        for entry in entries
    }


def generation_order(entry: PlanEntry) -> int:
    return entry.generation


def is_young(created_at: str, keep: Keep) -> bool:
    """Tell whether something was made in the last hours; a time that cannot be read keeps it, for all we know it was now."""
    try:
        created = datetime.fromisoformat(created_at)
    except ValueError:
        return keep.hours > 0
    if created.tzinfo is None:
        return keep.hours > 0
    return created > keep.now - timedelta(hours=keep.hours)


def writable(generation: int, named: Sequence[str], zones: Zones) -> tuple[str, ...]:
    """Return why a batch of a plan may still land: a zone is not open above it, or nobody can say.

    A switch that is absent or unclear says nothing about which batches were sent under the one before it.
    """
    reasons = []
    for zone in sorted(named):
        found = zones.get(zone)
        if found is None:
            reasons.append(f"zone-unreadable:{zone}")
        elif not isinstance(found.switch.switch, Switch) or found.switch.switch.gen <= generation:
            reasons.append(f"writable:{zone}")
    return tuple(reasons)


def zones_of(entry: PlanEntry, plan: Plan) -> tuple[str, ...]:
    """Return every zone that a plan names, by its manifest or its body: either may be the one that was tampered with."""
    return tuple(sorted({*entry.zones, *(part.zone for part in (*plan.listed, *plan.retired))}))


def judged(entry: PlanEntry, plan: Plan | None, zones: Zones, needs: Needs) -> tuple[Verdict, Needs]:
    """Judge one candidate. Candidates and kept plans come newest first.

    A plan that cannot be read here stays, whatever the reason: an enactor of another version may read it and need it.
    """
    if plan is None:
        return Verdict(entry, False, ("unreadable",)), needs
    named = zones_of(entry, plan)
    met = meets(plan, needs)
    needed = tuple(f"needed:{zone}/{name}" for zone, name, _ in sorted(met)[:NEEDED_SHOWN_NAMES])
    if stays := writable(entry.generation, named, zones) + needed:
        return Verdict(entry, False, stays), without(needs, met)
    above = tuple(f"open-above:{zone}@{_open(zones, zone)}" for zone in named)
    return Verdict(entry, True, (*above, "unreferenced")), needs


def _open(zones: Zones, zone: str) -> int:
    switch = zones[zone].switch.switch
    assert isinstance(switch, Switch), "`writable` keeps the plan elsewhere"
    return switch.gen

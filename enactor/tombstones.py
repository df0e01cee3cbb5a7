"""Take away the tombstones of names that no plan speaks of any more: the other half of collect.

A tombstone keeps a late writer from bringing a retired name back, so it stays for as long as there may be one. It goes where

1. the zone runs, and the plan that is open there is in the table under the generation and digest that the switch names (with a table
   restored from an old backup nobody knows what the open plan lists, and some enactor still has it on disk), and so is HEAD's;
2. every plan of the table could be read, condemned ones too, and those in the mirror and in this machine's state directory, and none
   names it, as an endpoint or as retired. A plan that left the table is one of which no batch can land.

Order: the fences, then the table, then one call that rests on the switch and every tombstone as they were seen, and gives the switch
a new nonce: whatever a cycle or a person had decided on the old one fails from then on, however late it arrives. A plan that is
opened meanwhile, or a person who adopts the name, makes the call fail, and everything is looked at again. Record sets are not touched.

What may bring the name back is a plan that is published later and lists it, which is a new wish; plans that list it as retired
stay for as long as collect keeps the newest, so a tombstone outlives them by that. And a heal that was sent while the zone had no
switch at all, and waited for as long: a person's own verb, on a ground that a person took away.
"""

from collections.abc import Callable, Sequence
from typing import Final

from enactor.batch import Batch, Change
from enactor.fence import Fence, Switch
from enactor.observe import FenceRange
from enactor.plan import DIGEST_DIGITS, Plan
from enactor.plan_form import read_plan
from enactor.ports import CollectStore, DamagedPlan, PlanEntry, PlanHead
from enactor.records import RecordSet
from enactor.renewal import renewed
from enactor.report_collect import CollectedTombstone
from enactor.wheel import Wheel

TOMBSTONES_A_CALL: Final = 200
"""One DELETE each; small enough that a conflict at one of them costs little."""
PLANS_READ_MAX: Final = 10_000
"""A tombstone is kept where more plans than this would have to be read to know that none names it."""

Tombstones = dict[str, RecordSet]
"""By endpoint name: the fence as observed."""


def tombstones_of(found: FenceRange, fleet: str) -> Tombstones:
    """Return the fleet's tombstones in a zone that runs; in any other a person decides."""
    switch = found.switch.switch
    if not isinstance(switch, Switch) or switch.mode != "run":
        return {}
    return {
        name: reading.record
        for name, reading in sorted(found.fences.items())
        if isinstance(reading.fence, Fence) and reading.fence.fleet == fleet and reading.fence.state == "retired"
    }


def are_kept(found: FenceRange, head: PlanHead | None, entries: Sequence[PlanEntry]) -> bool:
    """Tell whether the table has the very plan that is open in the zone, and HEAD's; generation 0 is none, older than every plan."""
    switch = found.switch.switch
    assert isinstance(switch, Switch), "a zone that does not run has no tombstones that may go"
    kept = {(entry.generation, entry.digest[:DIGEST_DIGITS]) for entry in entries}
    is_open_kept = switch.gen == 0 or (switch.gen, switch.plan) in kept
    return is_open_kept and head is not None and (head.generation, head.digest[:DIGEST_DIGITS]) in kept


def unnamed(tombstones: Tombstones, plan: Plan, zone: str) -> Tombstones:
    """Return the tombstones of names that a plan says nothing of."""
    named = {part.name for part in (*plan.listed, *plan.retired) if part.zone == zone}
    return {name: record for name, record in tombstones.items() if name not in named}


class TombstoneCollector:
    """The shell: reads a zone and the table, and deletes what may go."""

    def __init__(self, wheel: Wheel, store: CollectStore, caches: Callable[[], Sequence[Plan] | None]) -> None:
        self._wheel = wheel
        self._store = store
        self._caches = caches
        """Read the plans that are kept beside the table, on disk and in the mirror; None where that cannot be done."""

    def run(self, zone: str, *, dry_run: bool) -> tuple[CollectedTombstone, ...]:
        """Return what went, or with `dry_run` would go; raise OutsideError where the zone or the table cannot be read."""
        if dry_run:
            _, going = self._look(zone)
            return tuple(CollectedTombstone(name=name, zone=zone, decision="would-delete") for name in going)
        asked: set[str] = set()
        left: set[str] = set()

        def some() -> Batch | None:
            found, going = self._look(zone)
            left.clear()
            left.update(found.fences)
            now = list(going)[:TOMBSTONES_A_CALL]
            asked.update(now)
            if not now or found.switch.record is None:
                return None
            extra = tuple(Change("DELETE", going[name]) for name in now)
            change = renewed(found.switch, self._wheel.chance.nonce())
            return self._wheel.batch(zone, found.zone_name, switch=change, extra=extra)

        while self._wheel.insist(some, what=f"deleting the tombstones of zone {zone}") is not None:
            pass  # ends: each pass takes tombstones away, and only a person's retire makes new ones
        return tuple(CollectedTombstone(name=name, zone=zone, decision="deleted") for name in sorted(asked - left))

    def _look(self, zone: str) -> tuple[FenceRange, Tombstones]:
        """Read the fences, then the table, and return what may go."""
        found = self._wheel.zones.fences(zone, self._wheel.fleet)
        left = tombstones_of(found, self._wheel.fleet)
        entries = self._store.list() if left else ()
        if not left or len(entries) > PLANS_READ_MAX or not are_kept(found, self._store.head(), entries):
            return found, {}
        for entry in entries:  # newest first: most names that are still spoken of are met at once
            body = self._store.body(entry)
            plan = None if isinstance(body, DamagedPlan) else read_plan(body).plan
            left = {} if plan is None else unnamed(left, plan, zone)
            if not left:
                return found, {}
        kept = self._caches()
        for plan in kept or ():
            left = unnamed(left, plan, zone)
        return found, {} if kept is None else left

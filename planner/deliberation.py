"""Make the next plan from one look and the plan table, and publish it on exactly the plan that it was made from.

The shell of `planning`. The brake and the weights of a plan hold against the newest plan and no other, so where somebody published
meanwhile the whole decision is made anew (case 13), as `publisher` makes the guards' anew.
"""

from datetime import datetime

import msgspec

from enactor.guards import LimitsTable
from enactor.plan import Plan, StoredPlan
from enactor.ports import Chance, Clock, Conflict, PlanEntry
from planner.combining import Refusal
from planner.looking import NoPlan, Seen
from planner.past import Past, PastPlan, sought
from planner.planning import Planned, longest_window_seconds, plan_fleet
from planner.publisher import TRIES_MAX, WAIT_FIRST_SECONDS, PlannerStore, Published, Signature, publish, read_parent
from planner.publishing import Mismatch, Parent, Wish
from planner.streaks import History


class PastReader:
    """Reads the published plans of a window, each body once."""

    def __init__(self, store: PlannerStore) -> None:
        self._store = store
        self._bodies: dict[tuple[int, str], Plan] = {}

    def read(self, parent: Parent, now: datetime, seen: Seen) -> Past:
        """Return the plans that the next one is held against; where one cannot be read, what is left is not whole."""
        if parent.base is None or parent.base_generation is None:
            return Past(is_whole=parent.head is None)
        entries = [one for one in self._store.list() if parent.head and one.generation <= parent.head.generation]
        wanted = sought(entries, now, longest_window_seconds(seen.fleet))
        known = {parent.base_generation: parent.base}
        bodies = {(one.generation, one.digest): self._body(one, known) for one, _ in wanted.plans}
        self._bodies = {key: plan for key, plan in bodies.items() if plan is not None}
        plans = [
            PastPlan(generation=one.generation, at=at, plan=plan)
            for one, at in wanted.plans
            if (plan := bodies[one.generation, one.digest]) is not None
        ]
        is_whole = wanted.is_whole and parent.is_sound and len(plans) == len(wanted.plans)
        if not plans or plans[0].generation != parent.base_generation:
            at = next((when for one, when in wanted.plans if one.generation == parent.base_generation), now)
            older = [one for one in plans if one.generation < parent.base_generation]
            plans = [PastPlan(generation=parent.base_generation, at=at, plan=parent.base), *older]
            is_whole = False
        return Past(plans=tuple(plans), is_whole=is_whole)

    def _body(self, entry: PlanEntry, known: dict[int, Plan]) -> Plan | None:
        if entry.generation in known:
            return known[entry.generation]
        if (entry.generation, entry.digest) in self._bodies:
            return self._bodies[entry.generation, entry.digest]
        stored = self._store.read(entry.generation)
        return stored.plan if isinstance(stored, StoredPlan) and stored.digest == entry.digest else None


def newest_known(store: PlannerStore, now: datetime) -> Plan | None:
    """Return the newest plan that can be read, None before a fleet's first; raise NoPlan where there was one and none can be read.

    For a planner that has only just begun to hear a source: with nothing to hold its answer against, one of ten load balancers
    would pass for the whole fleet. A person who has looked may publish all the same.
    """
    parent, _ = read_parent(store, now)
    if parent.base is None and (parent.next > 1 or store.list()):
        raise NoPlan([Refusal(event="past-unknown", sources=(), message=_unknown(parent))])
    return parent.base


def _unknown(parent: Parent) -> str:
    """Say why nobody knows what stood, and the way on."""
    what = (
        f"generation {parent.head.generation}, the newest, cannot be read, nor any before it"
        if parent.head
        else "the table has no HEAD, and this is not the fleet's first plan"
    )
    held = "what its sources say can be held against nothing, and no plan is made of it"
    way = "look at `planner dry-run FLEET.yaml`, and where that is right give `planner publish FLEET.yaml`"
    return f"{what}: {held}; {way}"


class Thought(msgspec.Struct, frozen=True, kw_only=True):
    """The next plan, and what it was made on."""

    parent: Parent
    notes: tuple[str, ...]
    planned: Planned


def think(
    store: PlannerStore, reader: PastReader, seen: Seen, history: History, now: datetime, *, is_one_look: bool = False
) -> Thought:
    """Make the next plan, on what stands in the table now."""
    parent, notes = read_parent(store, now)
    past = reader.read(parent, now, seen)
    planned = plan_fleet(
        seen.fleet, seen.observations, past, history, now, told_again=seen.told_again, is_one_look=is_one_look
    )
    return Thought(parent=parent, notes=notes, planned=planned)


def publish_thought(
    store: PlannerStore,
    thought: Thought,
    wish: Wish,
    limits: LimitsTable,
    *,
    signature: Signature,
    clock: Clock,
    chance: Chance,
) -> Published | None:
    """Store a plan on the parent that it was made on; None where somebody published meanwhile."""
    made_on = thought.parent.head.generation if thought.parent.head else 0
    expecting = wish if wish.expect_parent is not None else msgspec.structs.replace(wish, expect_parent=made_on)
    try:
        published = publish(
            store, thought.planned.plan, expecting, limits, signature=signature, clock=clock, chance=chance
        )
    except Conflict:
        return None
    is_overtaken = isinstance(published.decision, Mismatch) and published.head != thought.parent.head
    return None if is_overtaken else published


def publish_seen(
    store: PlannerStore,
    seen: Seen,
    wish: Wish,
    limits: LimitsTable,
    *,
    signature: Signature,
    clock: Clock,
    chance: Chance,
) -> tuple[Published, Thought]:
    """Make a plan of one look and store it; think again as often as somebody else was faster."""
    reader = PastReader(store)
    now = datetime.fromisoformat(signature.created_at)
    for attempt in range(TRIES_MAX):
        if attempt:
            clock.sleep(chance.uniform(0.0, WAIT_FIRST_SECONDS * 2.0**attempt))
        thought = think(store, reader, seen, {}, now, is_one_look=True)
        published = publish_thought(store, thought, wish, limits, signature=signature, clock=clock, chance=chance)
        if published is not None:
            return published, thought
    raise Conflict(f"{TRIES_MAX} tries to publish were each overtaken by another planner; try again")

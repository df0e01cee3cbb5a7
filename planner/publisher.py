"""Publish a plan: read what stands, let `publishing` decide, write, and where somebody else was faster do it all again.

The shell of `publishing`. A decision is never written on another parent than it was made on: after a Conflict HEAD, FLOOR and
the parent's plan are read anew and the guards run again (cases 13, 20).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol

import msgspec

from enactor.guards import LimitsTable
from enactor.plan import Plan, StoredPlan
from enactor.ports import Chance, Clock, Conflict, Draft, PlanEntry, PlanHead, PlanStore, PublishStore, Unavailable
from enactor.table import draft_of
from enactor.table_keys import GENERATION_MAX
from enactor.table_reading import BODY_LIMIT_OCTETS
from planner.looking_back import decide_looking_back
from planner.publishing import Parent, Publication, Store, Wish

TRIES_MAX: Final = 10
WAIT_FIRST_SECONDS: Final = 0.05
WAIT_MAX_SECONDS: Final = 2.0
OLDER_PLANS_MAX: Final = 32
"""How far back a readable plan to judge against is looked for where HEAD's is damaged."""


LEFT_ALONE: Final = "`planner run` publishes nothing until a person gives `planner publish FLEET.yaml`"


class PlannerStore(PlanStore, PublishStore, Protocol):
    """The plan table as a planner needs it."""


class Signature(msgspec.Struct, frozen=True):
    """Who publishes, when and why, for people to read."""

    planner: str
    reason: str
    created_at: str


class Published(msgspec.Struct, frozen=True):
    """What a publish decided of a plan, HEAD after it, and what a person should know besides."""

    decision: Publication
    head: PlanHead | None
    plan: Plan
    """The plan as it was asked for, before any endpoint was carried."""
    parent: int | None
    """The generation that the guards held it against."""
    notes: tuple[str, ...] = ()
    next: int = 1
    """The generation that the next publish would get, unless somebody else publishes first."""


def publish(
    store: PlannerStore,
    plan: Plan,
    wish: Wish,
    limits: LimitsTable,
    *,
    signature: Signature,
    clock: Clock,
    chance: Chance,
    source: int | None = None,
) -> Published:
    """Store a plan as far as the guards let it; `source` is the old generation that it says again, which must be kept."""
    last: Conflict | None = None
    for attempt in range(TRIES_MAX):
        if attempt:
            clock.sleep(chance.uniform(0.0, min(WAIT_MAX_SECONDS, WAIT_FIRST_SECONDS * 2.0**attempt)))
        parent, told = read_parent(store, datetime.fromisoformat(signature.created_at))
        decision, looked_back = decide_looking_back(store, plan, parent, wish, limits)
        notes = (*told, *looked_back)
        if not isinstance(decision, Store):
            return Published(decision, parent.head, plan, parent.base_generation, notes, parent.next)
        try:
            entry = store.publish(_draft(decision.plan, signature, wish.stays), parent=parent.head, source=source)
        except Conflict as conflict:
            last = conflict
        else:
            head = PlanHead(entry.generation, entry.digest)
            if parent.stays and wish.stays is None:
                notes = (
                    *told[:-1],
                    *looked_back,
                    f"{parent.stays} until now: from here on `planner run` publishes again",
                )
            return Published(decision, head, plan, parent.base_generation, notes, head.generation + 1)
    raise Conflict(f"{TRIES_MAX} tries to publish were each overtaken by another planner; the last: {last}")


def _draft(plan: Plan, signature: Signature, stays: str | None) -> Draft:
    draft = draft_of(
        plan, planner=signature.planner, reason=signature.reason, created_at=signature.created_at, stays=stays
    )
    if len(draft.body) > BODY_LIMIT_OCTETS:
        raise Unavailable(f"the plan has {len(draft.body)} octets, over {BODY_LIMIT_OCTETS}: split the fleet")
    return draft


def read_parent(store: PlannerStore, now: datetime) -> tuple[Parent, tuple[str, ...]]:
    """Return what a new plan would stand on, and notes about what could not be read."""
    head = store.head()
    base, stays, notes, is_sound = None, None, tuple[str, ...](), False
    if head is not None:
        stored = store.read(head.generation)
        if isinstance(stored, StoredPlan) and stored.digest == head.digest:
            base, is_sound, stays = stored, True, _staying(stored)
        else:
            entries = store.list()
            base = _older(store, entries, head.generation)
            stays = _listed(entries, head)
            against = f"generation {base.generation}" if base else "nothing, as no plan can be read"
            notes = (f"generation {head.generation}, the newest, cannot be read; the guards judge against {against}",)
        notes = (*notes, f"{stays}: {LEFT_ALONE}") if stays else notes
    parent = Parent(
        head=head,
        is_sound=is_sound,
        base=base.plan if base else None,
        base_generation=base.generation if base else None,
        floor=store.floor(),
        stays=stays,
    )
    allows = store.allows(parent.next) if parent.next <= GENERATION_MAX else ()
    allowed = frozenset(one.guard for one in allows if one.until > now)
    return msgspec.structs.replace(parent, allowed=allowed), notes


def _listed(entries: Sequence[PlanEntry], head: PlanHead) -> str | None:
    """Say why planners that run leave a newest plan alone that cannot be read: its manifest says so, or is not there to say it.

    Whether a person put it there is then not to be known, and a rollback that waits for a person harms less than one that is undone.
    """
    found = next((one for one in entries if (one.generation, one.digest) == (head.generation, head.digest)), None)
    if found is None:
        return (
            f"generation {head.generation} stays (nobody can tell whether it was meant to: its manifest cannot be read)"
        )
    return _staying(found)


def _staying(one: StoredPlan | PlanEntry) -> str | None:
    """Say why planners that run leave a plan alone."""
    if one.stays is None:
        return None
    why = f": {one.reason}" if one.reason else ""
    return f"generation {one.generation} stays ({one.stays}, by {one.planner}{why})"


def _older(store: PlannerStore, entries: Sequence[PlanEntry], below: int) -> StoredPlan | None:
    older = [entry for entry in entries if entry.generation < below and entry.condemned is None][:OLDER_PLANS_MAX]
    found = (store.read(entry.generation) for entry in older)
    return next((stored for stored in found if isinstance(stored, StoredPlan)), None)

"""Let a person undo a step that was published past the guards: read what refused endpoints had in older plans, and decide again.

The shell beside `publishing`, which has the rule. At three in the morning somebody publishes a wrong file with `--unguarded`, the
enactors refuse it, and the right file takes too much from the wrong one: without this the mistake would be what is kept.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from enactor.guards import LimitsTable, some
from enactor.plan import Endpoint, Plan, StoredPlan
from enactor.ports import PlanStore
from planner.publishing import Key, Mismatch, Parent, Publication, Wish, decide, held_against_parent

EARLIER_PLANS_MAX: Final = 10
"""As many plans as collect keeps by default, whatever refers to them. Each is read whole, and only where guards refuse something."""


def decide_looking_back(
    store: PlanStore, plan: Plan, parent: Parent, wish: Wish, limits: LimitsTable
) -> tuple[Publication, tuple[str, ...]]:
    """Answer what to store, and a note where an endpoint passes by what stood before its parent's content."""
    decision = decide(plan, parent, wish, limits)
    if not wish.looks_back or wish.unguarded or parent.base_generation is None:
        return decision, ()
    asked = decision
    if isinstance(decision, Mismatch):  # the digest that was reviewed may be that of the plan with nothing carried
        asked = decide(plan, parent, msgspec.structs.replace(wish, expect_digest=None), limits)
    refused = held_against_parent(asked)
    if not refused:
        return decision, ()
    earlier = _earlier(store, refused, parent.base_generation)
    again = decide(plan, msgspec.structs.replace(parent, earlier=earlier), wish, limits)
    passed = sorted(name for _, name in refused - held_against_parent(again))
    if isinstance(again, Mismatch) or not passed:
        return again, ()
    note = (
        f"{some(passed)}: generation {parent.base_generation}, or one shortly before it, was published past the guards there, so "
        "this is held against what was before that; enactors hold it against what stands in DNS"
    )
    return again, (note,)


def _earlier(store: PlanStore, wanted: Collection[Key], below: int) -> Mapping[Key, Sequence[Endpoint]]:
    """Return what endpoints had in the newest plans below a generation, the newest first; what cannot be read is left out."""
    older = [entry for entry in store.list() if entry.generation < below and entry.condemned is None]
    found: dict[Key, list[Endpoint]] = {key: [] for key in sorted(wanted)}
    for entry in older[:EARLIER_PLANS_MAX]:
        stored = store.read(entry.generation)
        if isinstance(stored, StoredPlan) and stored.digest == entry.digest:
            for endpoint in stored.plan.endpoints:
                if endpoint.key in found:
                    found[endpoint.key].append(endpoint)
    return found

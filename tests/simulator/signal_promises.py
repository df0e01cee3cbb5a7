"""What is held against the plans of a planner that watches a fleet: the brake, and what a person published."""

from typing import Final

import msgspec

from enactor.table_keys import PLANS

from .promises import head_generation, manifests
from .table_model import Table

BRAKE_HOLDS: Final = "signals take no more than the brake lets them"
ROLLBACK_STAYS: Final = "what a person published stays"


class Watched(msgspec.Struct, frozen=True):
    """Who watches, and which plans may come of it."""

    watchers: frozenset[str]
    digests: frozenset[str]


def of_signals(watched_by: Watched, before: Table, after: Table) -> tuple[str, ...]:
    """Return what a newly published plan has broken."""
    was, now = head_generation(before), head_generation(after)
    if now == was or now not in manifests(after):
        return ()
    manifest = dict(after[f"{PLANS}{now:012d}"])
    if manifest["planner"] not in watched_by.watchers:
        return ()
    faults = []
    if manifest["digest"] not in watched_by.digests:
        faults.append(f"{BRAKE_HOLDS}: plan {now} leaves less than the brake does, or nobody's fleet")
    parent = dict(before.get(f"{PLANS}{was:012d}", ()))
    if parent.get("stays"):
        faults.append(f"{ROLLBACK_STAYS}: plan {now} of {manifest['planner']!s} took the place of {parent['stays']!s}")
    return tuple(faults)

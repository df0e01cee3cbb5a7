"""What `enactor collect` prints for machines. Pure; the schema that `planner schema` prints comes from these structs.

Reasons to stay: `head`, `pinned`, `newest-n`, `younger-than-t`, `writable:ZONE`, `zone-unreadable:ZONE`, `needed:ZONE/NAME` (the
first few names), `unreadable` (its body is damaged, or of a form that only another version reads: nobody here can tell whether it
is needed), `changed` (somebody else condemned, put back or deleted it meanwhile). Reasons to go: `open-above:ZONE@GENERATION` for
each zone the plan names, and `unreferenced`.
"""

from typing import Literal

import msgspec

Decision = Literal["kept", "deleted", "would-delete", "put-back"]


class CollectedPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one plan, and why."""

    generation: int
    decision: Decision
    reasons: tuple[str, ...]


class CollectedTombstone(msgspec.Struct, frozen=True, kw_only=True):
    """The tombstone of a name that no plan of the table speaks of."""

    name: str
    zone: str
    decision: Literal["deleted", "would-delete"]


class CollectReport(msgspec.Struct, frozen=True, kw_only=True):
    """One collect: every plan, newest first, how many uploads were swept (with --dry-run: would be), and which tombstones."""

    plans: tuple[CollectedPlan, ...]
    uploads_swept: int
    unreadable: tuple[str, ...] = ()
    """A sentence for each zone that could not be read, or written; its plans, or its tombstones, stay."""
    tombstones: tuple[CollectedTombstone, ...] = ()

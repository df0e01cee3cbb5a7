"""What every zone of an enactor works with, and the bearings that it takes there before each decision."""

from typing import Final

import msgspec

from enactor.backoff import Backoff
from enactor.batch import Batch, fence_set
from enactor.fence import Switch
from enactor.guards import LimitsTable
from enactor.hooks import BatchEnded, Hook, Written
from enactor.library import Library, Shelf
from enactor.memory import ZoneMemory
from enactor.observe import live_names
from enactor.outcome import Applied, Conflicted, Impossible, Outcome, Rejected, Unknown, ZonePort
from enactor.ports import Chance, Clock, OutsideError, Stopping
from enactor.standing import Choice, Standing, choose, stand
from enactor.swap import Swap

DETAIL_LIMIT_CHARACTERS: Final = 1_000
"""A conflict of two hundred endpoints has a message for each; no log line is that long."""


class Crew(msgspec.Struct, frozen=True, kw_only=True):
    """What every zone of an enactor works with."""

    fleet: str
    enactor: str
    limits: LimitsTable
    zones: ZonePort
    library: Library
    clock: Clock
    chance: Chance
    hook: Hook
    backoff: Backoff
    comment: str


def bearings(crew: Crew, memory: ZoneMemory, shelf: Shelf) -> tuple[Standing, Choice]:
    """Hold a zone's switch against the plans at hand: how it stands, and what may be worked from."""
    reading, library = memory.switch, crew.library
    open_plan = library.open_plan(reading.switch) if isinstance(reading.switch, Switch) else None
    aws_now = crew.zones.aws_now()
    choice = choose(
        memory.zone,
        reading.switch,
        shelf.candidates,
        open_plan,
        crew.limits.plan,
        older=library.older,
        allowed=lambda generation: library.allowed(generation, aws_now),
        below=library.at_or_below,
        fenced=live_names(memory.fences, crew.fleet),
    )
    return stand(reading, shelf.candidates[0] if shelf.candidates else None, aws_now), choice


def resolved(crew: Crew, batch: Batch, unknown: Unknown) -> Outcome:
    """Read back what a lost answer did: this decision's nonce at one fence, or in the switch, means it landed whole.

    Raises Stopping before the read where the process was asked to stop: whoever works here next looks at the zone anyway.
    """
    try:
        if batch.swaps:
            swap = batch.swaps[0]
            wanted = fence_set(swap.fence_after, swap.name, batch.zone_name)
            landed = wanted in crew.zones.at(batch.zone, [wanted.name])
        else:
            record = crew.zones.switch(batch.zone, crew.fleet).record
            after = batch.switch.after.values if batch.switch is not None else None
            landed = record is not None and record.values == after
    except Stopping:
        raise
    except OutsideError as error:
        return Unknown(str(error), is_unread=True)
    return Applied("unknown") if landed else unknown


def batch_ended(batch: Batch, outcome: Outcome, generation: int) -> BatchEnded:
    """Return what is told of a batch."""
    detail = outcome.why if isinstance(outcome, Unknown | Impossible) else ""
    if isinstance(outcome, Conflicted | Rejected):
        detail = "; ".join(outcome.messages)
    return BatchEnded(
        zone=batch.zone,
        outcome=type(outcome).__name__.lower(),
        generation=generation,
        change_id=outcome.change_id if isinstance(outcome, Applied) else None,
        names=tuple(swap.name for swap in batch.swaps),
        opened=isinstance(outcome, Applied) and batch.opens,
        detail=detail[:DETAIL_LIMIT_CHARACTERS],
        nonce=batch.swaps[0].fence_after.nonce if batch.swaps else "",
        written=tuple(map(_written, batch.swaps)) if isinstance(outcome, Applied) else (),
    )


def _written(swap: Swap) -> Written:
    after = swap.fence_after
    return Written(
        name=swap.name, generation=after.gen, plan=after.plan, nonce=after.nonce, cause=swap.state, purpose=swap.purpose
    )

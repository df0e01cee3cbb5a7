"""What must really have happened in a campaign, or it has shown nothing: the rare branches, each with a name.

A probe is set where its branch is met, by the events that the product tells its hooks and by what the world answers.
"""

from typing import Final

from enactor.batch import Batch
from enactor.fence import Fence
from enactor.hooks import BatchEnded, CycleEnded, EndpointRefused, Event, PlanRefused
from enactor.observe import fence_range
from enactor.report_collect import CollectReport

from .ops import Cas, Op, Transact

CONFLICT: Final = "a batch conflicted and was decided again"
OWN_WRITE_IN_THE_WAY: Final = "a batch conflicted with an earlier one of the same enactor"
LATE_REFUSED: Final = "a late request was refused"
LATE_APPLIED: Final = "a late request was applied"
LOST_BUT_APPLIED: Final = "a lost answer was found to have been applied"
LOST: Final = "an answer was lost and nothing told"
SUPERSEDED: Final = "a newer plan came in the middle of a pass"
OPENED_ALONE: Final = "a generation was opened where it changes nothing"
REPAIRED: Final = "an endpoint was repaired to what its fence names"
MARKED: Final = "a lost fence was written again"
CREATED: Final = "a missing endpoint was created"
REFUSED_ENDPOINT: Final = "a guard refused an endpoint"
REFUSED_PLAN: Final = "a guard refused a plan"
PUT_BACK: Final = "a condemned plan was put back"
COLLECTED: Final = "a plan was collected"
SWEPT: Final = "an upload that was given up was swept"
OVERTAKEN: Final = "a publish was overtaken"
FLOOR: Final = "FLOOR was raised"
STOPPED: Final = "a cycle found the zone stopped"
DISK: Final = "a cycle worked from the disk"

ALL: Final = (
    CONFLICT,
    OWN_WRITE_IN_THE_WAY,
    LATE_REFUSED,
    LATE_APPLIED,
    LOST_BUT_APPLIED,
    LOST,
    SUPERSEDED,
    OPENED_ALONE,
    REPAIRED,
    MARKED,
    CREATED,
    REFUSED_ENDPOINT,
    REFUSED_PLAN,
    PUT_BACK,
    COLLECTED,
    SWEPT,
    OVERTAKEN,
    FLOOR,
    STOPPED,
    DISK,
)


class Probes:
    """The probes that were hit."""

    def __init__(self) -> None:
        self.hit: set[str] = set()


class Listener:
    """A hook that sets probes; one for each enactor and run, so that it can tell a pass that moved on to a newer plan."""

    def __init__(self, probes: Probes) -> None:
        self._probes = probes
        self._generation = 0

    def __call__(self, event: Event) -> None:
        match event:
            case BatchEnded():
                self._batch(event)
            case CycleEnded():
                self._generation = 0
                self._set(STOPPED, holds=event.outcome == "stopped")
                self._set(DISK, holds=event.source == "disk")
            case EndpointRefused():
                self._set(REFUSED_ENDPOINT)
            case PlanRefused():
                self._set(REFUSED_PLAN)
            case _:
                pass

    def _batch(self, event: BatchEnded) -> None:
        self._set(CONFLICT, holds=event.outcome == "conflicted")
        self._set(LOST, holds=event.outcome == "unknown")
        self._set(LOST_BUT_APPLIED, holds=event.change_id == "unknown")
        self._set(OPENED_ALONE, holds=event.opened and not event.names)
        self._set(SUPERSEDED, holds=0 < self._generation < event.generation)
        self._generation = event.generation

    def _set(self, probe: str, *, holds: bool = True) -> None:
        if holds:
            self._probes.hit.add(probe)


def of_collect(report: CollectReport, probes: Probes) -> None:
    """Set what a collect shows."""
    decisions = {plan.decision for plan in report.plans}
    for probe, holds in (
        (PUT_BACK, "put-back" in decisions),
        (COLLECTED, "deleted" in decisions),
        (SWEPT, report.uploads_swept > 0),
    ):
        if holds:
            probes.hit.add(probe)


def of_answer(op: Op, *, applied: bool, zone_records: object, probes: Probes) -> None:
    """Set what an answer of the world shows."""
    match op:
        case Cas(batch=batch):
            if applied:
                for swap in batch.swaps:
                    if swap.purpose == "repair":
                        probes.hit.add(REPAIRED)
                    elif swap.fence_before is None:
                        probes.hit.add(MARKED if swap.before else CREATED)
            elif _own_write(batch, zone_records):
                probes.hit.add(OWN_WRITE_IN_THE_WAY)
        case Transact(writes):
            if not applied and any(write.sk == "head" and write.item for write in writes):
                probes.hit.add(OVERTAKEN)
            if applied and any(write.sk == "floor" and write.update for write in writes):
                probes.hit.add(FLOOR)
        case _:
            pass


def _own_write(batch: Batch, records: object) -> bool:
    """Tell whether what stands in a batch's way was written by the very enactor that sent it."""
    assert isinstance(records, tuple)
    fences = fence_range(batch.zone, batch.zone_name, "", records).fences
    for swap in batch.swaps:
        standing = fences.get(swap.name)
        ours = standing is not None and isinstance(standing.fence, Fence) and standing.fence.by == swap.fence_after.by
        if ours and standing is not None and standing.record != swap.fence_before:
            return True
    return False

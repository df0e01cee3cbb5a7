"""What must really have happened in a campaign, or it has shown nothing: the rare branches, each with a name.

A probe is set where its branch is met, by the events that the product tells its hooks and by what the world answers.
"""

from typing import Final

from enactor.batch import Batch
from enactor.fence import Fence
from enactor.hooks import BatchEnded, CycleEnded, EndpointRefused, Event, Noticed, PlanRefused
from enactor.observe import fence_range
from enactor.report import CycleReport
from enactor.report_collect import CollectReport

from .claims import Claims
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
DISK_IN_THE_DARK: Final = "an endpoint was repaired from the disk alone while the table was dark"
CYCLE_GATED: Final = "the last gate stopped a batch of a cycle"
MIRROR: Final = "a cycle worked from the mirror"
MIRROR_OLD: Final = "the mirror was older than what is open"
MIRROR_LOST: Final = "a plan at hand was one that the table has lost"
NO_HEAD: Final = "there were plans and no HEAD"
UNUSABLE: Final = "the newest plan could not be used"
ZONE_GONE: Final = "a zone that is gone was asked for"
ZONE_DENIED: Final = "a zone was asked for that answers AccessDenied"
MIRROR_DAMAGED: Final = "a damaged mirror was passed over"
MIRROR_RACED: Final = "two planners met at the mirror"
STOP_ENDED: Final = "a stop ended by itself"
HOLD_ENDED: Final = "a hold ended by itself"
WENT_BACK: Final = "a fence was seen that is older than it was"
ADOPTED_ALL: Final = "every foreign name was adopted"
TAKEN_OVER: Final = "a name was taken over from another fleet"
DRAINED: Final = "a slow drain was stopped"
ALLOWED: Final = "an allow was used up"
ALLOW_KEPT: Final = "a repair left an allow for another plan in place"
ALLOWED_PLAN: Final = "a plan that was refused as a whole was opened after all"
VERB_CONFLICT: Final = "a verb met a conflict, looked again, and was done"
VERB_LOST: Final = "a verb found that its lost batch had been carried out"
HEAL_GATED: Final = "the last gate refused a heal"
RETIRE_LISTED: Final = "a retire was refused because the newest plan lists the name"
RETIRE_OPEN: Final = "a retire was refused because the open plan lists the name"
RETIRE_POINTED: Final = "a retire was refused because an alias points there"
RETIRE_POINTED_SOON: Final = "a retire was refused because an alias there may be put back"
RETIRE_HELD: Final = "a retire was refused because the name is held"
DISOWNED_UNDER_WAY: Final = "a batch on its way met a name that had been disowned"
DEINIT_REFUSED: Final = "a deinit was refused because the zone is not stopped"
REPUBLISH_REFUSED: Final = "a republish was refused because its source was condemned or gone"
BRAKE_HELD: Final = "the brake kept what signals called bad"
SOURCE_SHRANK: Final = "a source that lost most of its fleet made no plan"
LEFT_ALONE: Final = "a watching planner left a rollback alone"
RETIRED: Final = "a name was retired"
ADOPTED: Final = "a name was adopted"
DISOWNED: Final = "a name was disowned"
HEALED: Final = "an endpoint was healed by hand"
LEFT: Final = "a zone was taken out of the fleet"
CAME_BACK: Final = "a zone was brought into service by init"
REPUBLISHED: Final = "an old plan was published again"
VERBS_DONE: Final = {
    "retire": RETIRED,
    "adopt": ADOPTED,
    "adopt-all": ADOPTED_ALL,
    "disown": DISOWNED,
    "heal": HEALED,
    "deinit": LEFT,
    "init": CAME_BACK,
    "republish": REPUBLISHED,
}
"""What is shown where a verb has written something and was done."""

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
    DISK_IN_THE_DARK,
    CYCLE_GATED,
    MIRROR,
    MIRROR_OLD,
    MIRROR_LOST,
    NO_HEAD,
    UNUSABLE,
    ZONE_GONE,
    ZONE_DENIED,
    MIRROR_DAMAGED,
    MIRROR_RACED,
    STOP_ENDED,
    HOLD_ENDED,
    WENT_BACK,
    TAKEN_OVER,
    DRAINED,
    ALLOWED,
    ALLOW_KEPT,
    ALLOWED_PLAN,
    VERB_CONFLICT,
    VERB_LOST,
    HEAL_GATED,
    RETIRE_LISTED,
    RETIRE_OPEN,
    RETIRE_POINTED,
    RETIRE_POINTED_SOON,
    RETIRE_HELD,
    DISOWNED_UNDER_WAY,
    DEINIT_REFUSED,
    REPUBLISH_REFUSED,
    BRAKE_HELD,
    SOURCE_SHRANK,
    LEFT_ALONE,
    *VERBS_DONE.values(),
)


class Probes:
    """The probes that were hit."""

    def __init__(self) -> None:
        self.hit: set[str] = set()


class Listener:
    """A hook that sets probes; one for each enactor and run, so that it can tell a pass that moved on to a newer plan."""

    def __init__(self, probes: Probes, claims: Claims) -> None:
        self._probes = probes
        self._claims = claims
        self._generation = 0
        self._refused: set[int] = set()

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
                self._set(DRAINED, holds=event.guard == "slow-drain")
            case Noticed(event="fence-went-back"):
                self._set(WENT_BACK)
            case PlanRefused():
                self._set(REFUSED_PLAN)
                self._refused.add(event.generation)
            case _:
                pass

    def _batch(self, event: BatchEnded) -> None:
        self._claims.said(event)
        self._set(CYCLE_GATED, holds=event.outcome == "stopped")
        self._set(CONFLICT, holds=event.outcome == "conflicted")
        self._set(LOST, holds=event.outcome == "unknown")
        self._set(LOST_BUT_APPLIED, holds=event.change_id == "unknown")
        self._set(OPENED_ALONE, holds=event.opened and not event.names)
        self._set(ALLOWED_PLAN, holds=event.opened and event.generation in self._refused)
        self._set(SUPERSEDED, holds=0 < self._generation < event.generation)
        self._generation = event.generation

    def _set(self, probe: str, *, holds: bool = True) -> None:
        if holds:
            self._probes.hit.add(probe)


def of_cycle(report: CycleReport, probes: Probes) -> None:
    """Set what the report of a cycle shows; with the disk as its source, it has met a table that did not answer."""
    mirror = report.plan.source == "mirror"
    healed = any(one.action == "swapped" and one.state in {"current", "empty", "drifted"} for one in report.endpoints)
    for probe, holds in (
        (DISK_IN_THE_DARK, healed and report.plan.source == "disk"),
        (MIRROR, mirror),
        (MIRROR_OLD, mirror and any(zone.plan == "ahead" for zone in report.zones)),
        (MIRROR_LOST, any("was published before" in problem for problem in report.problems)),
        (NO_HEAD, any("there is no HEAD" in problem for problem in report.problems)),
        (UNUSABLE, any("cannot be used" in problem for problem in report.problems)),
    ):
        if holds:
            probes.hit.add(probe)


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
                _found(batch, probes)
                for swap in batch.swaps:
                    if swap.purpose == "repair":
                        probes.hit.add(REPAIRED)
                    elif swap.fence_before is None:
                        probes.hit.add(MARKED if swap.before else CREATED)
                    if swap.allowed:
                        probes.hit.add(ALLOWED)
                    elif swap.purpose == "repair" and swap.fence_after.allow:
                        probes.hit.add(ALLOW_KEPT)
            else:
                if _own_write(batch, zone_records):
                    probes.hit.add(OWN_WRITE_IN_THE_WAY)
                if _unowned(batch, zone_records):
                    probes.hit.add(DISOWNED_UNDER_WAY)
        case Transact(writes):
            if not applied and any(write.sk == "head" and write.item for write in writes):
                probes.hit.add(OVERTAKEN)
            if applied and any(write.sk == "floor" and write.update for write in writes):
                probes.hit.add(FLOOR)
        case _:
            pass


def _found(batch: Batch, probes: Probes) -> None:
    """Set what a batch shows of what it found: brakes that are over, and another fleet's fence."""
    if batch.origin != "cycle":
        if any(
            swap.fence_before and f"fleet={swap.fence_after.fleet} " not in swap.fence_before.values[0]
            for swap in batch.swaps
        ):
            probes.hit.add(TAKEN_OVER)
        return
    if batch.switch and batch.switch.before and "mode=stop" in batch.switch.before.values[0]:
        probes.hit.add(STOP_ENDED)
    if any(swap.fence_before and "state=hold" in swap.fence_before.values[0] for swap in batch.swaps):
        probes.hit.add(HOLD_ENDED)


def _unowned(batch: Batch, records: object) -> bool:
    """Tell whether an enactor's batch rests on a fence that has gone without another in its place."""
    assert isinstance(records, tuple)
    if batch.origin != "cycle":
        return False
    fences = fence_range(batch.zone, batch.zone_name, "", records).fences
    return any(swap.fence_before is not None and swap.name not in fences for swap in batch.swaps)


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

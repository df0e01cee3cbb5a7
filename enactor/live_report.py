"""Decide what the status page and `/api/status` say of one enactor process: what it saw and did in its last cycle, and lately.

Pure: from a cycle's outlook and what was remembered beside it to frozen values. The schema of `/api/status` comes from these structs
(`planner schema api-status`). Nothing that was not seen is shown as a fact: a zone that could not be read has no endpoints here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, Final

import msgspec

from enactor.budget import Level
from enactor.cycle_report import Outlook, ZoneResult, endpoint_report
from enactor.fence import Fence, Switch, instant_text
from enactor.guards import Finding
from enactor.judge import Judged, fence_fields, reasons_of
from enactor.report import Action, CycleReport, EnactorSeen, OutcomeWord, Source, ZoneReport
from enactor.swap import State

Key = tuple[str, str]
"""A zone id and an endpoint's name."""
OLD_CYCLES: Final = 3
CYCLE_ALLOWANCE_SECONDS: Final = 180.0
"""A cycle may take a minute of work, the reading before it, and slow answers: what takes longer than this is stuck."""


class Step(msgspec.Struct, frozen=True):
    """From when on an endpoint was seen at a generation in a state."""

    at: str
    generation: int | None
    state: State


class Put(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that was done at an endpoint before this process started, as the history in the plan table tells it."""

    at: str
    verb: str
    """`swap` of an enactor; a person's verb otherwise."""
    by: str
    generation: int | None = None
    cause: str = ""
    """In which state the enactor found it."""


class LiveCycle(msgspec.Struct, frozen=True, kw_only=True):
    """The worker's own pulse."""

    number: int
    every_seconds: float
    outcome: OutcomeWord | None = None
    ended: str | None = None
    seconds: float | None = None
    last_success: str | None = None
    """When a cycle last ended with nothing failed in it."""
    age_seconds: float | None = None
    """How long ago it ended, by a clock that nobody sets: the times of day around it may have jumped."""


class LivePlan(msgspec.Struct, frozen=True, kw_only=True):
    """The newest plan at hand, and where it came from."""

    generation: int | None
    digest: str | None
    source: Source
    created_at: str | None = None
    planner: str | None = None
    reason: str | None = None
    stays: str | None = None
    """What a person published that planners leave alone until a person publishes a fleet file; None where they go on."""


class LiveZone(msgspec.Struct, frozen=True, kw_only=True):
    """One hosted zone: what `once --json` says of it, and when its stop ends."""

    zone: str
    report: ZoneReport
    stop_until: str | None = None
    record_sets: int | None = None


class LiveEndpoint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One endpoint after the last cycle. What is left out has its default: nothing to tell."""

    name: str
    zone: str
    state: State
    answering: bool
    since: str
    """Since when this process has seen it in this state."""
    generation: int | None = None
    wanted: int | None = None
    action: Action = "none"
    record_sets: int = 0
    capacity: int = 0
    """The sum of the weights that stand; a set without a weight counts 1."""
    reasons: tuple[str, ...] = ()
    guards: tuple[Finding, ...] = ()
    waits_seconds: float | None = None
    """How much longer what failed there waits, at the end of the cycle."""
    waits_why: str = ""
    fence: dict[str, Any] | None = None
    timeline: tuple[Step, ...] = ()
    """The last few steps, oldest first, since this process started."""
    before: tuple[Put, ...] = ()
    """The last few things that were done there before that, oldest first, as others wrote them down: best effort."""


class LiveChange(msgspec.Struct, frozen=True, kw_only=True):
    """A batch that this process sent, and what came of it."""

    at: str
    zone: str
    outcome: str
    generation: int
    change_id: str | None
    opened: bool
    endpoints: int
    names: tuple[str, ...]
    """The first few of them."""
    causes: dict[str, int]
    """In which states they were found, where the batch was applied."""
    detail: str = ""


class LiveBudget(msgspec.Struct, frozen=True, kw_only=True):
    """What one account's calls may still use now. `account` is empty for the account of the enactor's own credentials."""

    account: str
    level: Level


class LiveReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `/api/status` answers."""

    version: str
    fleet: str
    enactor: str
    started: str
    at: str
    ready: bool
    degraded: tuple[str, ...]
    """Why it is not ready, in sentences."""
    cycle: LiveCycle
    plan: LivePlan
    zones: tuple[LiveZone, ...]
    counts: dict[str, int]
    not_answering: int
    endpoints: tuple[LiveEndpoint, ...]
    other_zones: int = 0
    refused: tuple[Finding, ...] = ()
    problems: tuple[str, ...] = ()
    enactors: tuple[EnactorSeen, ...] | None = None
    """Who has announced itself, as the table said at the last look; None where it could not be asked."""
    other_enactors: int = 0
    """How many more there are than `enactors` names."""
    holds: tuple[str, ...] = ()
    allows: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    changes: tuple[LiveChange, ...] = ()
    """The last few batches, newest first."""
    budgets: tuple[LiveBudget, ...] = ()
    history_since: str | None = None
    """From when on `before` tells what was done; None where the history has not been read, or could not be."""


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """What a process remembers of an endpoint from cycle to cycle."""

    state: State
    since: str
    since_seconds: float
    """The same instant on the monotonic clock."""
    steps: tuple[Step, ...]


class Recalled(msgspec.Struct, frozen=True):
    """What was read of the history at the start, and from when on it tells; None: nothing was read."""

    since: str | None = None
    puts: Mapping[Key, tuple[Put, ...]] = {}


class Waiting(msgspec.Struct, frozen=True):
    """How much longer what failed at an endpoint waits, and why."""

    seconds: float
    why: str


def plan_of(seen: Outlook) -> LivePlan:
    """Return the newest plan at hand."""
    if seen.newest is None:
        return LivePlan(generation=None, digest=None, source="none")
    stored = seen.newest.stored
    return LivePlan(
        generation=stored.generation,
        digest=stored.digest,
        source=seen.newest.source,
        created_at=stored.created_at,
        planner=stored.planner,
        reason=stored.reason,
        stays=stored.stays,
    )


def zones_of(seen: Outlook, reports: Iterable[ZoneReport]) -> tuple[LiveZone, ...]:
    """Return the zones, with when a person's stop ends."""
    by_zone = {result.zone: result for result in seen.results}
    return tuple(_zone(report, by_zone.get(report.zone)) for report in reports)


def _zone(report: ZoneReport, result: ZoneResult | None) -> LiveZone:
    switch = result.switch if result is not None else None
    until = switch.until if isinstance(switch, Switch) and switch.mode == "stop" else None
    return LiveZone(
        zone=report.zone,
        report=report,
        stop_until=instant_text(until) if until else None,
        record_sets=result.record_sets if result is not None else None,
    )


def counts_of(seen: Outlook) -> dict[str, int]:
    """Return how many endpoints are in each state."""
    return dict(sorted(Counter(one.state for result in seen.results for one in result.judged.values()).items()))


def silent_of(seen: Outlook, before: Mapping[str, int]) -> dict[str, int]:
    """Return how many endpoints of each zone should answer and do not.

    In a zone that could not be read it is as it was when it was read last: a failed read is no all-clear.
    """
    silent = {
        result.zone: sum(not one.answering and one.state != "retired" for one in result.judged.values())
        for result in seen.results
    }
    return {zone: number for zone, number in before.items() if zone in seen.errors} | silent


def nothing_here(seen: Outlook, report: CycleReport, others: Sequence[str]) -> str | None:
    """Return that this fleet has neither plan nor switch anywhere, as where its name was mistyped; None where it has, or nobody knows.

    `others` are the switches of other fleets that stand in the zones, by name.
    """
    absent = [zone.zone for zone in report.zones if zone.switch == "absent"]
    if (
        seen.newest is not None
        or not seen.table_answered
        or seen.errors
        or len(absent) != len(report.zones)
        or not absent
    ):
        return None
    known = sorted({name.split(".", 1)[0].removeprefix("_switch-") for name in others})
    there = f"; what stands there is of fleet {', '.join(known)}" if known else ""
    return (
        f"fleet {seen.fleet} has neither a plan in the table nor a switch in {', '.join(absent)}, so nothing is done{there}: "
        f"check ENACTOR_FLEET; a new fleet begins with `enactor init --zone {absent[0]}`"
    )


def weights_of(judged: Judged) -> int:
    """Return the capacity that stands: the sum of the weights, a set without one counting 1."""
    return sum(1 if record.weight is None else record.weight for record in judged.question.view.sets)


def endpoints_of(
    seen: Outlook,
    remembered: Mapping[Key, Remembered],
    waits: Mapping[Key, Waiting],
    puts: Mapping[Key, tuple[Put, ...]],
) -> tuple[LiveEndpoint, ...]:
    """Return every endpoint of the zones that could be read, by zone and name."""
    found = [
        _endpoint(result, judged, remembered[key := (result.zone, name)], waits.get(key), before=puts.get(key, ()))
        for result in seen.results
        for name, judged in result.judged.items()
    ]
    return tuple(sorted(found, key=lambda one: (one.zone, one.name)))


def _endpoint(
    result: ZoneResult, judged: Judged, memory: Remembered, wait: Waiting | None, *, before: tuple[Put, ...]
) -> LiveEndpoint:
    report = endpoint_report(result, judged)
    return LiveEndpoint(
        name=report.name,
        zone=report.zone,
        state=report.state,
        answering=judged.answering,
        since=memory.since,
        generation=report.generation,
        wanted=report.wanted,
        action=report.action,
        record_sets=len(judged.question.view.sets),
        capacity=weights_of(judged),
        reasons=reasons_of(judged),
        guards=report.guards,
        waits_seconds=round(wait.seconds, 1) if wait else None,
        waits_why=wait.why if wait else "",
        fence=fence_fields(judged),
        timeline=memory.steps,
        before=before,
    )


def shown_of(enactors: tuple[EnactorSeen, ...] | None, own: str, most: int) -> tuple[EnactorSeen, ...] | None:
    """Return at most so many enactors, in their order: this one, and those that were heard of last."""
    if enactors is None or len(enactors) <= most:
        return enactors
    silence = {one.id: inf if one.silent_seconds is None else one.silent_seconds for one in enactors}
    newest = {one.id for one in sorted(enactors, key=lambda one: (one.id != own, silence[one.id]))[:most]}
    return tuple(one for one in enactors if one.id in newest)


def fences_of(seen: Outlook) -> Iterator[tuple[Judged, Fence]]:
    """Yield every endpoint that has a fence that can be read."""
    for result in seen.results:
        for judged in result.judged.values():
            reading = judged.question.view.fence
            if reading is not None and isinstance(reading.fence, Fence):
                yield judged, reading.fence


def holds_and_allows(seen: Outlook) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the endpoints that a person holds, and those where a person lifted a guard."""
    holds = sorted(judged.question.view.name for judged, _ in fences_of(seen) if judged.state == "held")
    allows = sorted(
        f"{judged.question.view.name} {allow}" for judged, fence in fences_of(seen) for allow in fence.allow
    )
    return tuple(holds), tuple(allows)

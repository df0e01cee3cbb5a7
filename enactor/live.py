"""Remember what one enactor process saw and did, for the port that shows it: the newest cycle whole, and a little of what was before.

The worker's thread writes and the port's threads read: what they read is frozen, and it is put in place by one assignment. All of
it is bounded: by the number of endpoints, a few steps for each, and a few dozen batches. Nothing here decides what is written to DNS.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

import msgspec

from enactor import __version__
from enactor.cycle_report import Outlook
from enactor.fence import instant_of, instant_text
from enactor.hooks import BatchEnded, CallEnded, Event
from enactor.live_report import (
    CYCLE_ALLOWANCE_SECONDS,
    OLD_CYCLES,
    Key,
    LiveBudget,
    LiveChange,
    LiveCycle,
    LivePlan,
    LiveReport,
    Recalled,
    Remembered,
    Step,
    Waiting,
    counts_of,
    endpoints_of,
    holds_and_allows,
    nothing_here,
    plan_of,
    shown_of,
    silent_of,
    zones_of,
)
from enactor.report import AT_REST, CycleReport, EnactorSeen, EndpointReport

CHANGES_KEPT: Final = 50
CHANGE_NAMES_MAX: Final = 20
STEPS_KEPT: Final = 12
"""Steps of an endpoint's timeline: what is older stands in the history of the plan table."""
ENACTORS_SHOWN_MAX: Final = 50
"""A crash loop where each process has an id of its own makes many."""
THROTTLED_FOR_SECONDS: Final = 60.0
"""How long the worker calls itself degraded after Route 53 throttled it."""
THROTTLED_OUTCOMES: Final = frozenset({"throttled", "overbudget"})


class Healed(msgspec.Struct, frozen=True):
    """An endpoint is at rest again: what it was found as, and how long this process saw it so."""

    cause: str
    seconds: float


class Came(msgspec.Struct, frozen=True, kw_only=True):
    """What came about in a cycle: what was healed, and how old a plan was when it came into force everywhere."""

    healed: tuple[Healed, ...]
    in_force_seconds: float | None


class Pulse(msgspec.Struct, frozen=True, kw_only=True):
    """One ended cycle, as it was put in place."""

    number: int
    ended: str
    ended_seconds: float
    """The same instant on the monotonic clock."""
    seconds: float
    report: CycleReport
    seen: Outlook
    remembered: Mapping[Key, Remembered]
    silent: Mapping[str, int]
    """How many endpoints of each zone should answer and do not, as it was read last."""
    waits: Mapping[Key, Waiting]
    last_success: str | None
    last_success_at: datetime | None


class Live:
    """What one enactor process knows of itself. A hook of the core's events besides."""

    def __init__(
        self,
        *,
        fleet: str,
        enactor: str,
        every: float,
        wall: Callable[[], datetime],
        now: Callable[[], float],
    ) -> None:
        self.fleet = fleet
        self.enactor = enactor
        self.every = every
        self._wall = wall
        self._now = now
        self._started_at = wall()
        self.started = instant_text(self._started_at)
        self._beat_seconds = now()
        """When a call was last answered or a cycle last ended: while that goes on, nothing is stuck."""
        self.pulse: Pulse | None = None
        self._failed = ""
        self._throttled_at: float | None = None
        self._changes: deque[LiveChange] = deque(maxlen=CHANGES_KEPT)
        self._in_force = 0
        """The highest generation that this process saw in force everywhere."""
        self._found: dict[Key, str] = {}
        """In which state each endpoint was found that a batch of this cycle repaired."""
        self.enactors: tuple[EnactorSeen, ...] | None = None
        self.recalled = Recalled()
        self.budgets: Callable[[], tuple[LiveBudget, ...]] = tuple
        self.others: tuple[str, ...] = ()
        """The switches of other fleets in the zones, where this one was found to have nothing there."""
        self._building = threading.Lock()
        self._built: tuple[int, LiveReport] | None = None

    def __call__(self, event: Event) -> None:
        """Remember a batch, and that Route 53 throttled."""
        if isinstance(event, CallEnded):
            self._beat_seconds = self._now()
            if event.outcome in THROTTLED_OUTCOMES:
                self._throttled_at = self._beat_seconds
        if isinstance(event, BatchEnded):
            self._batch(event)

    def _batch(self, event: BatchEnded) -> None:
        self._changes.appendleft(
            LiveChange(
                at=instant_text(self._wall()),
                zone=event.zone,
                outcome=event.outcome,
                generation=event.generation,
                change_id=event.change_id,
                opened=event.opened,
                endpoints=len(event.names),
                names=event.names[:CHANGE_NAMES_MAX],
                causes=dict(Counter(one.cause for one in event.written)),
                detail=event.detail,
            )
        )
        self._found.update({(event.zone, one.name): one.cause for one in event.written if one.purpose == "repair"})

    def took(self, seen: Outlook, report: CycleReport, seconds: float, waits: Mapping[Key, Waiting]) -> Came:
        """Put an ended cycle in place; return what came about in it."""
        now, wall = self._now(), instant_text(self._wall())
        self._beat_seconds = now
        before = self.pulse
        # What could not be read this time is as it was, as far as anybody knows: its seconds must not begin anew with every failed read.
        unread = {key: old for key, old in before.remembered.items() if key[0] in seen.errors} if before else {}
        remembered = unread | {
            (one.zone, one.name): self._remembered(one, now, wall, before.remembered if before else {})
            for one in report.endpoints
        }
        healed = self._healed(report, before, now, seconds)
        is_success = report.outcome not in {"failed", "partial"}
        self.pulse = Pulse(
            number=before.number + 1 if before else 1,
            ended=wall,
            ended_seconds=now,
            seconds=seconds,
            report=report,
            seen=seen,
            remembered=remembered,
            silent=silent_of(seen, before.silent if before else {}),
            waits=waits,
            last_success=wall if is_success else (before.last_success if before else None),
            last_success_at=self._wall() if is_success else (before.last_success_at if before else None),
        )
        self._failed = ""
        return Came(healed=healed, in_force_seconds=self._came_into_force(seen, report))

    def failed(self, why: str) -> None:
        """Note a cycle that ended in an error, and so saw nothing."""
        self._beat_seconds = self._now()
        self._failed = why

    def _remembered(self, one: EndpointReport, now: float, wall: str, before: Mapping[Key, Remembered]) -> Remembered:
        old = before.get((one.zone, one.name))
        step = Step(at=wall, generation=one.generation, state=one.state)
        if old is None:
            return Remembered(state=one.state, since=wall, since_seconds=now, steps=(step,))
        last = old.steps[-1]
        if (last.generation, last.state) == (step.generation, step.state):
            return old
        same_state = old.state == one.state
        return Remembered(
            state=one.state,
            since=old.since if same_state else wall,
            since_seconds=old.since_seconds if same_state else now,
            steps=(*old.steps, step)[-STEPS_KEPT:],
        )

    def _healed(self, report: CycleReport, before: Pulse | None, now: float, seconds: float) -> tuple[Healed, ...]:
        """Return what this cycle's batches repaired and that is at rest now; what was seen broken earlier took longer."""
        found, self._found = self._found, {}
        healed = []
        for one in report.endpoints:
            key = (one.zone, one.name)
            if key not in found or one.state not in AT_REST:
                continue
            old = before.remembered.get(key) if before else None
            since = old.since_seconds if old is not None and old.state not in AT_REST else now - seconds
            healed.append(Healed(found[key], now - since))
        return tuple(healed)

    def _came_into_force(self, seen: Outlook, report: CycleReport) -> float | None:
        """Return a plan's age at the first look at which it is in force everywhere; not that of one from before this process."""
        generation = report.plan.generation
        is_everywhere = (
            not report.refused
            and not seen.errors
            and all(zone.plan == "current" and zone.switch == "run" for zone in report.zones)
            and all(one.state in AT_REST for one in report.endpoints)
        )
        if not is_everywhere or generation is None or generation <= self._in_force:
            return None
        self._in_force = generation
        return self.plan_age(generation)

    def plan_age(self, generation: int) -> float | None:
        """Return how long ago the newest plan was made, where it is this one and was made since this process started."""
        newest = self.pulse.seen.newest if self.pulse else None
        made = instant_of(newest.stored.created_at) if newest and newest.stored.generation == generation else None
        if made is None or made < self._started_at:
            return None
        return max(0.0, (self._wall() - made).total_seconds())

    def monotonic(self) -> float:
        """Return the clock by which instants are remembered."""
        return self._now()

    def alive(self) -> str | None:
        """Return why the process should be restarted, None where its cycles go on."""
        silent = self._now() - self._beat_seconds
        limit = OLD_CYCLES * self.every + CYCLE_ALLOWANCE_SECONDS
        if silent > limit:
            return f"nothing was answered and no cycle has ended for {silent:.0f} s, and {limit:.0f} s are the most: restart it"
        return None

    def _overdue(self, pulse: Pulse) -> str | None:
        """Return that cycles stand still though calls are answered: a long collection is alive, and heals nothing."""
        silent, limit = self._now() - pulse.ended_seconds, OLD_CYCLES * self.every + CYCLE_ALLOWANCE_SECONDS
        return f"no cycle has ended for {silent:.0f} s, and {limit:.0f} s are the most" if silent > limit else None

    def nothing(self) -> str | None:
        """Return that there is nothing of this fleet to work on, None where there is."""
        return nothing_here(self.pulse.seen, self.pulse.report, self.others) if self.pulse else None

    def degraded(self) -> tuple[str, ...]:
        """Return why it is not ready, in sentences; nothing where it is."""
        pulse = self.pulse
        if self._failed:
            return (f"the last cycle failed: {self._failed}",)
        if pulse is None:
            return ("no cycle has ended yet",)
        found = [why] if (why := self.alive() or self._overdue(pulse)) else []
        found += [f"zone {zone.zone}: {zone.error}" for zone in pulse.report.zones if zone.error]
        found += pulse.report.problems
        found += [why] if (why := self.nothing()) else []
        if self._throttled_at is not None and self._now() - self._throttled_at < THROTTLED_FOR_SECONDS:
            found.append("Route 53 throttles this account: the pace is lower until it stops")
        return tuple(found)

    def report(self) -> LiveReport:
        """Return what `/api/status` answers: built once for each cycle, whoever asks how often."""
        pulse, degraded = self.pulse, self.degraded()
        cycle = self._cycle(pulse)
        if pulse is None:
            return self._empty(cycle, degraded)
        with self._building:
            if self._built is None or self._built[0] != pulse.number:
                self._built = (pulse.number, self._whole(pulse, cycle, degraded))
            built = self._built[1]
        return msgspec.structs.replace(
            built,
            at=instant_text(self._wall()),
            ready=not degraded,
            degraded=degraded,
            cycle=cycle,
            enactors=shown_of(self.enactors, self.enactor, ENACTORS_SHOWN_MAX),
            other_enactors=max(0, len(self.enactors or ()) - ENACTORS_SHOWN_MAX),
            budgets=self.budgets(),
            changes=tuple(self._changes.copy()),
        )

    def _cycle(self, pulse: Pulse | None) -> LiveCycle:
        if pulse is None:
            return LiveCycle(number=0, every_seconds=self.every)
        return LiveCycle(
            number=pulse.number,
            every_seconds=self.every,
            outcome=pulse.report.outcome,
            ended=pulse.ended,
            seconds=round(pulse.seconds, 3),
            last_success=pulse.last_success,
            age_seconds=round(self._now() - pulse.ended_seconds, 3),
        )

    def _empty(self, cycle: LiveCycle, degraded: tuple[str, ...]) -> LiveReport:
        return LiveReport(
            version=__version__,
            fleet=self.fleet,
            enactor=self.enactor,
            started=self.started,
            at=instant_text(self._wall()),
            ready=False,
            degraded=degraded,
            cycle=cycle,
            plan=LivePlan(generation=None, digest=None, source="none"),
            zones=(),
            counts={},
            not_answering=0,
            endpoints=(),
        )

    def _whole(self, pulse: Pulse, cycle: LiveCycle, degraded: tuple[str, ...]) -> LiveReport:
        report = pulse.report
        holds, allows = holds_and_allows(pulse.seen)
        return msgspec.structs.replace(
            self._empty(cycle, degraded),
            plan=plan_of(pulse.seen),
            zones=zones_of(pulse.seen, report.zones),
            counts=counts_of(pulse.seen),
            not_answering=sum(pulse.silent.values()),
            endpoints=endpoints_of(pulse.seen, pulse.remembered, pulse.waits, self.recalled.puts),
            history_since=self.recalled.since,
            refused=report.refused,
            problems=report.problems,
            holds=holds,
            allows=allows,
            stops=tuple(zone.zone for zone in report.zones if zone.switch == "stop"),
        )

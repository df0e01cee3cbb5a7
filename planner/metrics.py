"""Count what `planner run` tells as Prometheus metrics. Their number does not grow with the fleet."""

from collections.abc import Callable
from typing import Final, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from planner.events import (
    BrakeHeld,
    BrakeReleased,
    FileWrong,
    LookEnded,
    LookOutcome,
    NoPlanMade,
    NotInForce,
    Overtaken,
    PlannerEvent,
)

LOOK_SECONDS_BUCKETS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
GOOD: Final[frozenset[LookOutcome]] = frozenset(
    {"published", "unchanged", "gathering", "refused", "stays", "contested"}
)
"""Looks that saw the whole file and every source, and the table: what came of them is a decision and no failure."""
LOOKS_MISSED: Final = 3
LOOK_ALLOWANCE_SECONDS: Final = 300.0
"""A look asks sources that may each take their time, and publishes with a few tries: what takes longer than this is stuck."""
REASONS: Final = ("source-failed", "sources-conflict", "source-shrank", "past-unknown")


class PlannerMetrics:
    """The metrics of one planner process; a hook."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._looks = Counter("planner_looks", "Looks, by their one outcome.", ["outcome"], registry=registry)
        self._last = Gauge("planner_last_look_timestamp_seconds", "When the last look ended.", registry=registry)
        self._last_good = Gauge(
            "planner_last_good_look_timestamp_seconds",
            "When a look last ended that saw the file, every source and the table.",
            registry=registry,
        )
        self._seconds = Histogram(
            "planner_look_seconds", "How long looks took.", buckets=LOOK_SECONDS_BUCKETS, registry=registry
        )
        self._generation = Gauge("planner_head_generation", "Generation of the newest plan.", registry=registry)
        self._targets = Gauge("planner_targets", "Targets in the plan that the last good look made.", registry=registry)
        self._brakes = Gauge(
            "planner_brake_endpoints", "Endpoints where the brake holds health signals back now.", registry=registry
        )
        self._held = Counter("planner_brakes", "How often the brake began to hold signals back.", registry=registry)
        self._carried = Gauge(
            "planner_carried_endpoints", "Endpoints whose new content the guards refuse now.", registry=registry
        )
        self._no_plan = Counter(
            "planner_no_plans", "Times a source began to make no plan, by reason.", ["reason"], registry=registry
        )
        self._file_wrong = Gauge("planner_file_faults", "Faults of the fleet file now.", registry=registry)
        self._overtaken = Counter("planner_overtaken", "Publishes that another planner came before.", registry=registry)
        self._not_in_force = Counter(
            "planner_plans_not_in_force",
            "Newest plans that no enactor had opened after three minutes.",
            registry=registry,
        )
        for outcome in get_args(LookOutcome):
            self._looks.labels(outcome)
        for reason in REASONS:
            self._no_plan.labels(reason)

    def __call__(self, event: PlannerEvent) -> None:
        """Count one event."""
        match event:
            case LookEnded():
                self._look(event)
            case NoPlanMade():
                self._no_plan.labels(event.reason).inc()
            case FileWrong():
                self._file_wrong.set(len(event.faults))
            case BrakeHeld():
                self._held.inc()
            case BrakeReleased():
                pass  # the next end of a look says how many hold
            case Overtaken():
                self._overtaken.inc()
            case NotInForce():
                self._not_in_force.inc()

    def _look(self, event: LookEnded) -> None:
        self._looks.labels(event.outcome).inc()
        self._seconds.observe(event.seconds)
        self._last.set_to_current_time()
        if event.generation is not None:
            self._generation.set(event.generation)
        if event.outcome not in GOOD:
            return
        self._last_good.set_to_current_time()
        self._file_wrong.set(0)
        self._targets.set(event.targets)
        self._brakes.set(event.braked)
        self._carried.set(event.carried)


class PlannerHealth:
    """What the planner's port says of its health; a hook."""

    def __init__(self, *, every: float, now: Callable[[], float]) -> None:
        self._limit = LOOKS_MISSED * every + LOOK_ALLOWANCE_SECONDS
        self._now = now
        self._ended_at = now()
        self._last: LookEnded | None = None

    def __call__(self, event: PlannerEvent) -> None:
        """Remember the end of a look."""
        if isinstance(event, LookEnded):
            self._ended_at, self._last = self._now(), event

    def alive(self) -> str | None:
        """Return why the process should be restarted, None where it goes on."""
        silent = self._now() - self._ended_at
        if silent > self._limit:
            return f"no look has ended for {silent:.0f} s, and {self._limit:.0f} s are the most: restart it"
        return None

    def ready(self) -> str | None:
        """Return why it is not ready, None where the last look was a good one."""
        if (why := self.alive()) is not None:
            return why
        if self._last is None:
            return "no look has ended yet"
        if self._last.outcome not in GOOD:
            return f"degraded: the last look ended as {self._last.outcome}: {self._last.detail}"
        return None

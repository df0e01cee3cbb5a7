"""Count what came of the work as Prometheus metrics: what was written and healed, how long it took to arrive, what was collected.

Beside `metrics`, which counts each event as it is told; here stand the figures that a whole cycle or a whole collection makes.
"""

import time
from collections import Counter as Counts
from typing import Final, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from enactor.hooks import BatchEnded, Event
from enactor.live import Came
from enactor.pace import REPAIRED_STATES
from enactor.report_collect import CollectReport, Decision

HEAL_SECONDS_BUCKETS: Final = (1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 60.0, 120.0, 300.0, 900.0)
PUBLISH_SECONDS_BUCKETS: Final = (1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 60.0, 120.0, 300.0, 900.0, 3600.0)
RESOLVED: Final = ("applied", "not-applied")
OVERDUE_INTERVALS: Final = 4
"""A zone that cannot be read for an hour, or a deploy a day, is no reason to wake anybody."""


class WorkMetrics:
    """What came of the work of one enactor process; a hook of the core's events besides."""

    def __init__(self, registry: CollectorRegistry, *, collect_every: float | None) -> None:
        """Say nothing of collections where this process makes none (None): somebody else runs `enactor collect` then."""
        self._swaps = Counter(
            "enactor_swaps", "Endpoints written, by the state they were found in.", ["state"], registry=registry
        )
        self._unknown = Counter(
            "enactor_unknown_outcomes",
            "Batches whose answer was lost, by what reading showed of them.",
            ["resolved"],
            registry=registry,
        )
        self._heals = Histogram(
            "enactor_heal_seconds",
            "How long this process saw an endpoint broken before it was repaired, by what was found.",
            ["cause"],
            buckets=HEAL_SECONDS_BUCKETS,
            registry=registry,
        )
        self._in_force = Histogram(
            "enactor_publish_to_in_force_seconds",
            "From the making of a plan to the cycle that saw it in force at every endpoint.",
            buckets=PUBLISH_SECONDS_BUCKETS,
            registry=registry,
        )
        self._plan_insync = Histogram(
            "enactor_publish_to_insync_seconds",
            "From the making of a plan to all name servers of Route 53 having a batch of it, as it is asked between cycles.",
            buckets=PUBLISH_SECONDS_BUCKETS,
            registry=registry,
        )
        self._insync = Histogram(
            "enactor_change_insync_seconds",
            "From a batch that was applied to all name servers of Route 53 having it, as it is asked between cycles.",
            buckets=PUBLISH_SECONDS_BUCKETS,
            registry=registry,
        )
        for resolved in RESOLVED:
            self._unknown.labels(resolved)
        for state in REPAIRED_STATES:
            self._heals.labels(state)
        self._collecting(registry if collect_every is not None else None, collect_every or 0.0)

    def _collecting(self, registry: CollectorRegistry | None, collect_every: float) -> None:
        self._overdue_after = OVERDUE_INTERVALS * collect_every
        self._overdue = Gauge(
            "enactor_collect_overdue_timestamp_seconds",
            f"When the next collection with every zone read is overdue: {OVERDUE_INTERVALS} intervals after the last, or the start.",
            registry=registry,
        )
        self._overdue.set(time.time() + self._overdue_after)
        self._collected = Gauge(
            "enactor_collected_plans", "Plans in the last collection, by decision.", ["decision"], registry=registry
        )
        self._reasons = Gauge(
            "enactor_collected_plan_reasons",
            "Plans in the last collection, by each reason to keep or delete them.",
            ["reason"],
            registry=registry,
        )
        self._tombstones = Gauge(
            "enactor_collected_tombstones", "Tombstones that the last collection took away.", registry=registry
        )
        self._collect_last = Gauge(
            "enactor_last_collect_timestamp_seconds",
            "When a collection last ended with every zone read; 0 before the first.",
            registry=registry,
        )

    def __call__(self, event: Event) -> None:
        """Count what a batch wrote."""
        if isinstance(event, BatchEnded):
            self._batch(event)

    def _batch(self, event: BatchEnded) -> None:
        for one in event.written:
            self._swaps.labels(one.cause).inc()
        if event.outcome == "unknown" or event.change_id == "unknown":
            self._unknown.labels(RESOLVED[event.outcome != "applied"]).inc()

    def came(self, came: Came) -> None:
        """Count what came about in a cycle."""
        for healed in came.healed:
            self._heals.labels(healed.cause).observe(healed.seconds)
        if came.in_force_seconds is not None:
            self._in_force.observe(came.in_force_seconds)

    def insync(self, seconds: float) -> None:
        """Count a change that all name servers have."""
        self._insync.observe(seconds)

    def plan_insync(self, seconds: float) -> None:
        """Count a plan of which all name servers have a change."""
        self._plan_insync.observe(seconds)

    def collected(self, report: CollectReport) -> None:
        """Count what a collection kept and took away."""
        decisions = Counts(plan.decision for plan in report.plans)
        for decision in get_args(Decision):
            self._collected.labels(decision).set(decisions[decision])
        # A zone and a name stand behind the colon of some reasons: without them there are eight words, whatever the fleet.
        words = Counts(word for plan in report.plans for word in {reason.split(":", 1)[0] for reason in plan.reasons})
        self._reasons.clear()
        for word, plans in words.items():
            self._reasons.labels(word).set(plans)
        self._tombstones.set(len(report.tombstones))
        if not report.unreadable:
            self._collect_last.set_to_current_time()
            self._overdue.set(time.time() + self._overdue_after)

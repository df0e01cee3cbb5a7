"""Count what the hooks tell as Prometheus metrics. The core knows nothing of this module."""

from typing import Final, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from enactor.hooks import BatchEnded, CallEnded, CycleEnded, EndpointRefused, Event, Noticed, PlanRefused, VerbEnded
from enactor.report import OutcomeWord
from enactor.swap import State

CALL_SECONDS_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
NOTICED: Final = ("endpoint-rejected", "fence-went-back", "switch-went-back", "table-write-failed", "trouble")
"""Every event that the core notices: an alert on the first one needs the 0 before it."""


class Metrics:
    """The metrics of one enactor process; a hook."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._cycles = Counter("enactor_cycles", "Cycles, by their one outcome.", ["outcome"], registry=registry)
        self._last = Gauge("enactor_last_cycle_timestamp_seconds", "When the last cycle ended.", registry=registry)
        self._cycle_seconds = Gauge("enactor_last_cycle_seconds", "How long the last cycle took.", registry=registry)
        self._generation = Gauge("enactor_plan_generation", "Generation of the newest valid plan.", registry=registry)
        self._endpoints = Gauge(
            "enactor_endpoints", "Endpoints by state after the last cycle.", ["state"], registry=registry
        )
        self._refusals = Counter("enactor_refusals", "Endpoint refusals, by guard.", ["guard"], registry=registry)
        self._plan_refusals = Counter(
            "enactor_plan_refusals", "Plan-wide refusals, by guard.", ["guard"], registry=registry
        )
        self._batches = Counter("enactor_batches", "Batches sent, by outcome.", ["outcome"], registry=registry)
        self._opened = Counter(
            "enactor_generations_opened", "Generations this process opened in a zone.", registry=registry
        )
        self._calls = Counter(
            "enactor_route53_requests",
            "Route 53 requests, by operation and outcome.",
            ["operation", "outcome"],
            registry=registry,
        )
        self._changes = Counter(
            "enactor_route53_changes",
            "Changes that batches held, by what they do and by the outcome of their batch.",
            ["operation", "outcome"],
            registry=registry,
        )
        for operation in ("CREATE", "DELETE"):
            self._changes.labels(operation, "applied")
        self._seconds = Histogram(
            "enactor_route53_request_seconds",
            "How long Route 53 requests took.",
            ["operation"],
            buckets=CALL_SECONDS_BUCKETS,
            registry=registry,
        )
        self._noticed = Counter(
            "enactor_noticed", "Things a person may want to know, by event.", ["event"], registry=registry
        )
        for outcome in get_args(OutcomeWord):
            self._cycles.labels(outcome)
        for state in get_args(State):
            self._endpoints.labels(state).set(0)
        for event in NOTICED:
            self._noticed.labels(event)

    def __call__(self, event: Event) -> None:
        match event:
            case VerbEnded():
                pass  # a verb is a process of its own, which nobody scrapes
            case CallEnded():
                self._calls.labels(event.operation, event.outcome).inc()
                self._seconds.labels(event.operation).observe(event.seconds)
                for operation, changes in (("CREATE", event.creates), ("DELETE", event.deletes)):
                    if changes:
                        self._changes.labels(operation, event.outcome).inc(changes)
            case BatchEnded():
                self._batches.labels(event.outcome).inc()
                self._opened.inc(event.opened)
            case EndpointRefused():
                self._refusals.labels(event.guard).inc()
            case PlanRefused():
                self._plan_refusals.labels(event.guard).inc()
            case CycleEnded():
                self._cycles.labels(event.outcome).inc()
                self._cycle_seconds.set(event.seconds)
                self._generation.set(event.generation)
                self._last.set_to_current_time()
                for state in get_args(State):
                    self._endpoints.labels(state).set(event.states.get(state, 0))
            case Noticed():
                self._noticed.labels(event.event).inc()

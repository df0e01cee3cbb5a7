"""Count what is seen from outside as Prometheus metrics: the source of the one alert that needs nothing else of this system alive."""

from collections.abc import Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from enactor.seen_outside import WORST_FIRST, EndpointSeen

QUERY_SECONDS_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0)


class ProbeMetrics:
    """The metrics of one probing process; its series are as many as the names, types and servers that it was given."""

    def __init__(self, registry: CollectorRegistry) -> None:
        place, asked = ["name", "server"], ["name", "type", "server"]
        self._verdict = Gauge(
            "enactor_probe_verdict",
            "1 for what a server says of an endpoint: answering, empty or unknown.",
            [*place, "verdict"],
            registry=registry,
        )
        self._answers = Gauge("enactor_probe_answers", "Addresses in the last answer.", asked, registry=registry)
        self._unplanned = Counter(
            "enactor_probe_unplanned_answers", "Addresses answered that no plan given has.", ["name"], registry=registry
        )
        self._queries = Counter(
            "enactor_probe_queries", "Questions asked, by what came back.", ["server", "rcode"], registry=registry
        )
        self._seconds = Histogram(
            "enactor_probe_query_seconds",
            "How long an answer took.",
            ["server"],
            buckets=QUERY_SECONDS_BUCKETS,
            registry=registry,
        )
        self._generation = Gauge(
            "enactor_probe_generation",
            "Generation of the endpoint's fence, as a server tells it.",
            place,
            registry=registry,
        )
        self._lag = Gauge(
            "enactor_probe_insync_lag_seconds",
            "For how long servers have disagreed about an endpoint's generation.",
            ["name"],
            registry=registry,
        )
        self._last = Gauge("enactor_probe_last_look_timestamp_seconds", "When the last look ended.", registry=registry)

    def __call__(self, seen: Sequence[EndpointSeen]) -> None:
        """Count one look."""
        for endpoint in seen:
            self._lag.labels(endpoint.name).set(endpoint.lag_seconds)
            for one in endpoint.servers:
                for verdict in WORST_FIRST:
                    self._verdict.labels(endpoint.name, one.server, verdict).set(one.verdict == verdict)
                if one.generation is not None:
                    self._generation.labels(endpoint.name, one.server).set(one.generation)
                self._unplanned.labels(endpoint.name).inc(len(one.unplanned))
                for reply in one.replies:
                    self._answers.labels(endpoint.name, reply.type, one.server).set(len(reply.values))
                    self._queries.labels(one.server, reply.rcode).inc()
                    self._seconds.labels(one.server).observe(reply.seconds)
        self._last.set_to_current_time()

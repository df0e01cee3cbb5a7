"""Show what one enactor process saw in its last cycle as Prometheus metrics, computed when they are scraped.

A series stands for as long as what it speaks of: a zone or an endpoint that is gone leaves none behind. Their number does not grow
with the fleet: endpoints are counted by state and by guard, and one by one only those that the settings call critical.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, get_args

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from enactor import __version__
from enactor.cycle_report import ZoneResult
from enactor.fence import Switch
from enactor.guards import LimitsTable
from enactor.judge import Judged
from enactor.live import Live, Pulse
from enactor.live_report import LiveBudget, fences_of, weights_of
from enactor.report import AT_REST, PlanWord, Source, SwitchWord, Unread
from enactor.swap import State

Family = GaugeMetricFamily


class LiveMetrics(Collector):
    """The state of one enactor, as gauges."""

    def __init__(
        self,
        live: Live,
        *,
        critical: Sequence[str],
        limits: LimitsTable,
        saved: Callable[[], float | None],
    ) -> None:
        self._live = live
        self._critical = frozenset(critical)
        self._limits = limits.digest
        self._saved = saved
        """Return when a plan was last kept on disk, in Unix seconds."""

    def describe(self) -> Iterable[Any]:
        """Return nothing: families are built when they are asked for, and their names are those of no other collector."""
        return ()

    def collect(self) -> Iterator[Any]:
        """Yield every family."""
        yield _info("enactor_build_info", "1, with the version that runs.", {"version": __version__})
        yield _info(
            "enactor_limits_info",
            "1, with a digest of the guards' limits: enactors of one fleet should have one.",
            {"digest": self._limits},
        )
        yield _one("enactor_ready", "1 while the worker is ready; 0 while it is degraded.", not self._live.degraded())
        yield _one(
            "enactor_alive_enactors",
            "Enactors of the fleet that announced themselves lately, as this one saw it.",
            len(self._live.enactors) if self._live.enactors is not None else None,
        )
        yield from _budgets(self._live.budgets())
        yield _one("enactor_disk_plan_saved_timestamp_seconds", "When a plan was last kept on disk.", self._saved())
        if (pulse := self._live.pulse) is not None:
            yield from self._pulse(pulse)

    def _pulse(self, pulse: Pulse) -> Iterator[Any]:
        last = pulse.last_success_at
        yield _one(
            "enactor_last_success_timestamp_seconds",
            "When a cycle last ended in which nothing failed.",
            last.timestamp() if last else None,
        )
        yield from _plan(pulse)
        yield from _zones(pulse)
        yield from _endpoints(pulse, self._live.monotonic())
        yield from _critical(pulse, self._critical)


def _one(name: str, text: str, value: float | None) -> Family:
    """Return a family of one series, or of none where there is nothing to say."""
    family = Family(name, text)
    if value is not None:
        family.add_metric([], float(value))
    return family


def _info(name: str, text: str, labels: dict[str, str]) -> Family:
    family = Family(name, text, labels=list(labels))
    family.add_metric(list(labels.values()), 1.0)
    return family


def _each(name: str, text: str, label: str, values: dict[str, float]) -> Family:
    family = Family(name, text, labels=[label])
    for value, number in values.items():
        family.add_metric([value], float(number))
    return family


def _budgets(budgets: Iterable[LiveBudget]) -> Iterator[Family]:
    tokens = Family(
        "enactor_budget_tokens",
        "Route 53 calls and changes that may go at once; below 0 they are owed.",
        labels=["account", "currency"],
    )
    capacity = Family("enactor_budget_capacity_tokens", "What a full bucket holds.", labels=["account", "currency"])
    pace = Family("enactor_budget_pace_ratio", "The part of the share that throttling leaves.", labels=["account"])
    for budget in budgets:
        account, level = budget.account or "own", budget.level
        tokens.add_metric([account, "requests"], level.requests)
        capacity.add_metric([account, "requests"], level.requests_capacity)
        if level.changes is not None and level.changes_capacity is not None:
            tokens.add_metric([account, "changes"], level.changes)
            capacity.add_metric([account, "changes"], level.changes_capacity)
        pace.add_metric([account], level.pace)
    yield from (tokens, capacity, pace)


def _plan(pulse: Pulse) -> Iterator[Family]:
    newest = pulse.seen.newest
    source = newest.source if newest is not None else "none"
    yield _one(
        "enactor_plan_created_timestamp_seconds",
        "When the newest plan was made, by its planner's clock.",
        _timestamp(newest.stored.created_at) if newest is not None else None,
    )
    yield _one(
        "enactor_table_answers",
        "1 while the plan table answers; 0 while plans at hand, from disk or from the mirror have to do.",
        pulse.seen.table_answered,
    )
    yield _each(
        "enactor_plan_source",
        "1 for where the newest plan at hand came from.",
        "source",
        {word: word == source for word in get_args(Source)},
    )
    yield _each(
        "enactor_plan_refused",
        "1 for each guard that keeps a whole plan out now.",
        "guard",
        {finding.guard: 1 for finding in pulse.report.refused},
    )


def _timestamp(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None  # for people to read: another planner may have written anything


def _zones(pulse: Pulse) -> Iterator[Family]:
    generation = Family("enactor_zone_open_generation", "The generation that is open in a zone.", labels=["zone"])
    switch = Family("enactor_zone_switch", "1 for what the switch of a zone says.", labels=["zone", "switch"])
    plan = Family("enactor_zone_plan", "1 for how the newest plan stands to a zone.", labels=["zone", "plan"])
    error = Family("enactor_zone_failed", "1 where the last cycle failed in a zone.", labels=["zone"])
    sets = Family("enactor_zone_record_sets", "Record sets in a zone, whoever wrote them.", labels=["zone"])
    stop = Family(
        "enactor_zone_stop_until_timestamp_seconds", "When the stop that stands in a zone ends.", labels=["zone"]
    )
    results: dict[str, ZoneResult] = {result.zone: result for result in pulse.seen.results}
    for zone in pulse.report.zones:
        error.add_metric([zone.zone], float(zone.error is not None))
        for word in (*get_args(SwitchWord), *get_args(Unread)):
            switch.add_metric([zone.zone, word], float(zone.switch == word))
        for word in (*get_args(PlanWord), *get_args(Unread)):
            plan.add_metric([zone.zone, word], float(zone.plan == word))
        if zone.open is not None:
            generation.add_metric([zone.zone], zone.open)
        result = results.get(zone.zone)
        if result is None:
            continue
        if result.record_sets is not None:
            sets.add_metric([zone.zone], result.record_sets)
        if isinstance(result.switch, Switch) and result.switch.mode == "stop" and result.switch.until is not None:
            stop.add_metric([zone.zone], result.switch.until.timestamp())
    yield from (generation, switch, plan, error, sets, stop)


def _endpoints(pulse: Pulse, now: float) -> Iterator[Family]:
    longest: dict[str, float] = dict.fromkeys((state for state in get_args(State) if state not in AT_REST), 0.0)
    stopped = {zone.zone for zone in pulse.report.zones if zone.switch == "stop"}
    for (zone, _), before in pulse.remembered.items():
        if before.state in longest and zone not in stopped:
            longest[before.state] = max(longest[before.state], now - before.since_seconds)
    guards = Counter(guard for one in pulse.report.endpoints for guard in {finding.guard for finding in one.guards})
    allows = sum(len(fence.allow) for _, fence in fences_of(pulse.seen))
    yield _one(
        "enactor_endpoints_not_answering",
        "Endpoints that should answer and do not; in a zone that cannot be read, as it was read last.",
        sum(pulse.silent.values()),
    )
    yield _one(
        "enactor_endpoints_waiting",
        "Endpoints where something failed and waits for its time.",
        len(pulse.waits),
    )
    yield _each("enactor_endpoints_refused", "Endpoints that a guard refuses now.", "guard", dict(guards))
    yield _each(
        "enactor_endpoints_longest_seconds",
        "For how long the endpoint has been in a state that has been in it for longest; zones that are stopped do not count.",
        "state",
        longest,
    )
    yield _one("enactor_allows", "Guards that people have lifted at endpoints, used up or not.", allows)


def _critical(pulse: Pulse, critical: frozenset[str]) -> Iterator[Family]:
    where = ["zone", "name"]
    answering = Family("enactor_endpoint_answering", "1 while a critical endpoint answers.", labels=where)
    generation = Family("enactor_endpoint_generation", "Generation in force at a critical endpoint.", labels=where)
    wanted = Family("enactor_endpoint_wanted_generation", "Generation that the plan wants there.", labels=where)
    sets = Family("enactor_endpoint_record_sets", "Record sets that a critical endpoint has.", labels=where)
    capacity = Family(
        "enactor_endpoint_capacity",
        "Sum of the weights that a critical endpoint has; a set without a weight counts 1.",
        labels=where,
    )
    found: dict[str, list[tuple[str, Judged]]] = defaultdict(list)
    for result in pulse.seen.results:
        for name in critical & result.judged.keys():
            found[name].append((result.zone, result.judged[name]))
    reports = {(one.zone, one.name): one for one in pulse.report.endpoints if one.name in critical}
    for name in sorted(found):
        for zone, judged in found[name]:
            labels, report = [zone, name], reports[zone, name]
            answering.add_metric(labels, float(judged.answering))
            sets.add_metric(labels, len(judged.question.view.sets))
            capacity.add_metric(labels, weights_of(judged))
            if report.generation is not None:
                generation.add_metric(labels, report.generation)
            if report.wanted is not None:
                wanted.add_metric(labels, report.wanted)
    yield from (answering, generation, wanted, sets, capacity)
    yield _one(
        "enactor_critical_endpoints_missing",
        "Endpoints that the settings call critical and that no plan and no fence knows.",
        len(critical - found.keys()) if not pulse.seen.errors else None,
    )

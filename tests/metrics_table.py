"""Every metric that the code exports, read off its registries: `python -m tests.metrics_table` writes the tables of docs/metrics.md anew."""

from pathlib import Path
from typing import Any, Final

import msgspec
from prometheus_client import CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase

from enactor.guards import LimitsTable
from enactor.live_metrics import LiveMetrics
from enactor.metrics import Metrics
from enactor.probe_metrics import ProbeMetrics
from enactor.work_metrics import WorkMetrics
from planner.metrics import PlannerMetrics
from tests.enactor.test_cycle_report import CURRENT, result
from tests.enactor.test_live import World

PAGE: Final = Path(__file__).parents[1] / "docs" / "metrics.md"
BEGIN: Final = "<!-- written by python -m tests.metrics_table -->"
END: Final = "<!-- end -->"


class Exported(msgspec.Struct, frozen=True):
    """One metric: `name` is the one to ask for, without the endings of a histogram's series."""

    name: str
    type: str
    labels: tuple[str, ...]
    text: str


def worker_registry() -> CollectorRegistry:
    """Return the registry of an `enactor run` that has ended a cycle."""
    registry, world = CollectorRegistry(), World()
    world.cycle(result(CURRENT))
    Metrics(registry)
    WorkMetrics(registry, collect_every=21_600.0)
    registry.register(LiveMetrics(world.live, critical=(), limits=LimitsTable(), saved=lambda: 1.0))
    return registry


def planner_registry() -> CollectorRegistry:
    registry = CollectorRegistry()
    PlannerMetrics(registry)
    return registry


def probe_registry() -> CollectorRegistry:
    registry = CollectorRegistry()
    ProbeMetrics(registry)
    return registry


PROGRAMS: Final = {
    "enactor run": worker_registry,
    "planner run": planner_registry,
    "enactor probe": probe_registry,
}


def exported(registry: CollectorRegistry) -> tuple[Exported, ...]:
    """Return what a registry exports, by name, whether any series is there or not."""
    found = []
    for collector in list(registry._collector_to_names):
        families: list[Any] = list(collector.collect())
        for family in families:
            labels = collector._labelnames if isinstance(collector, MetricWrapperBase) else family._labelnames
            name = f"{family.name}_total" if family.type == "counter" else family.name
            found.append(Exported(name, family.type, tuple(labels), family.documentation))
    return tuple(sorted(found, key=lambda one: one.name))


def every_metric() -> dict[str, Exported]:
    """Return every metric of every program, by its name."""
    return {one.name: one for registry in PROGRAMS.values() for one in exported(registry())}


def tables() -> str:
    """Return a table for each program."""
    lines = []
    for program, registry in PROGRAMS.items():
        lines += [f"### `{program}`", "", "| metric | type | labels | what it says |", "| --- | --- | --- | --- |"]
        for one in exported(registry()):
            labels = ", ".join(f"`{label}`" for label in one.labels) or "-"
            lines.append(f"| `{one.name}` | {one.type} | {labels} | {one.text} |")
        lines.append("")
    return "\n".join(lines)


def renewed(page: str) -> str:
    """Return the page with its tables written anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{PAGE.name}: {len(every_metric())} metrics")

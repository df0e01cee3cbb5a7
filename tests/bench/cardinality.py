"""How a scrape of a worker grows with its endpoints: `python -m tests.bench.cardinality`.

Each fleet has endpoints of every kind in the same proportions, ten of which are called critical: series, octets, and how long the
answer takes a processor. What is built before is not counted; a scrape is answered from what the last cycle left.
"""

import time
from collections.abc import Iterator
from typing import Final

import click
from prometheus_client import CollectorRegistry, generate_latest

from enactor.guards import LimitsTable
from enactor.hooks import CycleEnded, EndpointRefused
from enactor.judge import Judged
from enactor.live_metrics import LiveMetrics
from enactor.metrics import Metrics
from enactor.plan import Endpoint
from enactor.records import RecordSet
from enactor.work_metrics import WorkMetrics
from tests.enactor.kernel_builders import ZONE, ZONE_NAME, entry, fence, fence_record, index, switch, weighted
from tests.enactor.test_cycle_report import judged, result
from tests.enactor.test_live import World

SIZES: Final = (20, 200, 2_000, 20_000)
CRITICAL: Final = 10
SCRAPES: Final = 20


def _endpoint(number: int) -> tuple[Endpoint, tuple[RecordSet, ...]]:
    """Return what the plan says of an endpoint, and what stands there: of ten four are current, the others each something else."""
    name = f"ep{number}.{ZONE_NAME}"
    first, second, third = (weighted(one, name=name) for one in (1, 2, 3))
    fenced = fence_record(fence(first), name)
    of = {
        4: (entry(first, second, name=name), (first, fenced)),
        5: (entry(first, name=name), (fenced,)),
        6: (entry(third, name=name), (first, second, fence_record(fence(first, second), name))),
        7: (entry(first, name=name), (weighted(77, name=name),)),
        8: (entry(first, name=name), ()),
        9: (entry(first, name=name), (first, fence_record(fence(first, state="hold"), name))),
    }
    return of.get(number % 10, (entry(first, name=name), (first, fenced)))


def cycled(endpoints: int) -> tuple[World, tuple[str, ...], dict[str, Judged]]:
    """Return a worker's memory after its first cycle, with so many endpoints, their names, and what was seen of them."""
    plans, stands = zip(*(_endpoint(number) for number in range(endpoints)), strict=True)
    plan = index(8, *plans)
    names = tuple(one.name for one in plans)
    seen = judged(plan, *(record for records in stands for record in records), names=names)
    world = World()
    world.cycle(result(seen, record_sets=3 * endpoints, switch=switch(8)), newest=plan)
    return world, names, seen


def registry_of(endpoints: int) -> CollectorRegistry:
    """Return the registry of a worker that saw so many endpoints in its last cycle, and told of each refusal."""
    world, names, seen = cycled(endpoints)
    registry = CollectorRegistry()
    metrics, _ = Metrics(registry), WorkMetrics(registry, collect_every=21_600.0)
    critical = names[:CRITICAL]
    registry.register(LiveMetrics(world.live, critical=critical, limits=LimitsTable(), saved=lambda: 1.0))
    states: dict[str, int] = {}
    for one in seen.values():
        states[one.state] = states.get(one.state, 0) + 1
    for name in names[6::10]:
        metrics(EndpointRefused(zone=ZONE, name=name, guard="shrink-targets", message="too much at once"))
    metrics(
        CycleEnded(
            outcome="partial", generation=8, source="table", seconds=1.0, states=states, reads=3, writes=2, changes=4
        )
    )
    return registry


def series(registry: CollectorRegistry) -> int:
    """Return how many series a scrape has."""
    return sum(len(family.samples) for family in registry.collect())


def rows(sizes: tuple[int, ...]) -> Iterator[tuple[int, int, int, float]]:
    """Yield endpoints, series, octets, and the CPU seconds of the slowest of some scrapes."""
    for size in sizes:
        registry = registry_of(size)
        slowest, octets = 0.0, 0
        for _ in range(SCRAPES):
            begin = time.process_time()
            octets = len(generate_latest(registry))
            slowest = max(slowest, time.process_time() - begin)
        yield size, series(registry), octets, slowest


@click.command()
@click.argument("sizes", nargs=-1, type=int)
def main(sizes: tuple[int, ...]) -> None:
    """Print a table for fleets of these SIZES."""
    click.echo("| endpoints | series | octets | CPU seconds, the slowest of 20 |\n| ---: | ---: | ---: | ---: |")
    for size, count, octets, seconds in rows(sizes or SIZES):
        click.echo(f"| {size:,} | {count:,} | {octets:,} | {seconds:.3f} |")


if __name__ == "__main__":
    main()

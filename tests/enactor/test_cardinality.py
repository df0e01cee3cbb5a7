"""A scrape does not grow with the fleet: what is there by endpoint is there for critical ones alone."""

from prometheus_client import generate_latest
from prometheus_client.registry import CollectorRegistry

from tests.bench.cardinality import CRITICAL, registry_of

from .kernel_builders import ZONE_NAME


def names_of(registry: CollectorRegistry) -> set[tuple[str, frozenset[tuple[str, str]]]]:
    return {
        (sample.name, frozenset(sample.labels.items())) for family in registry.collect() for sample in family.samples
    }


def test_forty_times_as_many_endpoints_have_the_same_series() -> None:
    """Not only as many: the very same. The figures for 20,000 stand in docs/metrics.md."""
    small, large = registry_of(20), registry_of(800)
    assert names_of(small) == names_of(large)
    assert len(names_of(small)) > 200


def test_only_critical_endpoints_are_named() -> None:
    """No label and no value of any other one."""
    page = generate_latest(registry_of(40)).decode()
    assert [number for number in range(40) if f"ep{number}.{ZONE_NAME}" in page] == list(range(CRITICAL))

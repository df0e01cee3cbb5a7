"""What a scrape of an enactor shows: every event under its name and labels, in a form that Prometheus's own linter accepts."""

import shutil
import subprocess
from typing import get_args

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from enactor.hooks import (
    BatchEnded,
    CallEnded,
    CycleEnded,
    EndpointRefused,
    Event,
    Noticed,
    PlanRefused,
    VerbEnded,
)
from enactor.metrics import Metrics
from enactor.report import OutcomeWord
from enactor.swap import State

ZONE = "Z0METRICS"
API = "api.example.test."
PROMTOOL = shutil.which("promtool")


def call(operation: str = "ListResourceRecordSets", *, outcome: str = "ok", changes: int = 0) -> CallEnded:
    return CallEnded(operation=operation, zone=ZONE, outcome=outcome, seconds=0.2, changes=changes)


def batch(outcome: str, *, opened: bool = False) -> BatchEnded:
    return BatchEnded(zone=ZONE, outcome=outcome, generation=8, change_id="C1", names=(API,), opened=opened)


def cycle(outcome: str = "changed", generation: int = 8, seconds: float = 1.5, **states: int) -> CycleEnded:
    return CycleEnded(
        outcome=outcome,
        generation=generation,
        source="table",
        seconds=seconds,
        states={state.replace("_", "-"): count for state, count in states.items()},
        reads=3,
        writes=1,
        changes=4,
    )


EVERY_EVENT: tuple[Event, ...] = (
    call(),
    call(outcome="throttled"),
    call("ChangeResourceRecordSets", outcome="applied", changes=4),
    EndpointRefused(zone=ZONE, name=API, guard="empty", message="the plan lists no target"),
    EndpointRefused(zone=ZONE, name=API, guard="empty", message="the plan lists no target"),
    EndpointRefused(zone=ZONE, name=API, guard="shrink-targets", message="9 of 10 go"),
    PlanRefused(generation=8, guard="empty-plan", message="the plan has no endpoint"),
    batch("applied", opened=True),
    batch("conflicted"),
    Noticed(event="trouble", facts={"why": "the table cannot be read"}),
    VerbEnded(verb="stop", fleet="edge", outcome="changed", reason="", detail="", zone=ZONE),
    cycle(current=2, fence_garbled=1),
)


def page(*events: Event) -> str:
    """Return what a scrape shows after these events."""
    registry = CollectorRegistry()
    metrics = Metrics(registry)
    for event in events:
        metrics(event)
    return generate_latest(registry).decode()


def samples(text: str) -> dict[str, float]:
    """Return every sample as it is written, with its labels, and its value."""
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def test_every_kind_of_event_is_fed_here() -> None:
    """A new kind of event comes with its metric, or with the word that it has none."""
    assert {type(event) for event in EVERY_EVENT} == set(get_args(Event))


@pytest.mark.parametrize(
    ("sample", "value"),
    [
        ('enactor_cycles_total{outcome="changed"}', 1),
        ("enactor_last_cycle_seconds", 1.5),
        ("enactor_plan_generation", 8),
        ('enactor_endpoints{state="current"}', 2),
        ('enactor_endpoints{state="fence-garbled"}', 1),
        ('enactor_endpoints{state="refused"}', 0),
        ('enactor_refusals_total{guard="empty"}', 2),
        ('enactor_refusals_total{guard="shrink-targets"}', 1),
        ('enactor_plan_refusals_total{guard="empty-plan"}', 1),
        ('enactor_batches_total{outcome="applied"}', 1),
        ('enactor_batches_total{outcome="conflicted"}', 1),
        ("enactor_generations_opened_total", 1),
        ('enactor_route53_requests_total{operation="ListResourceRecordSets",outcome="ok"}', 1),
        ('enactor_route53_requests_total{operation="ListResourceRecordSets",outcome="throttled"}', 1),
        ('enactor_route53_requests_total{operation="ChangeResourceRecordSets",outcome="applied"}', 1),
        ("enactor_route53_changes_total", 4),
        ('enactor_route53_request_seconds_count{operation="ListResourceRecordSets"}', 2),
        ('enactor_route53_request_seconds_bucket{le="0.1",operation="ListResourceRecordSets"}', 0),
        ('enactor_route53_request_seconds_bucket{le="0.25",operation="ListResourceRecordSets"}', 2),
        ('enactor_noticed_total{event="trouble"}', 1),
    ],
)
def test_each_event_is_counted_under_its_name_and_labels(sample: str, value: float) -> None:
    """Dashboards and alerts rest on these names."""
    assert samples(page(*EVERY_EVENT))[sample] == value


def test_a_cycle_replaces_what_the_cycle_before_it_said() -> None:
    """Gauges are of the last cycle: a state that nobody is in any more reads 0, and its time is a time of today."""
    found = samples(page(cycle(refused=3), cycle("unchanged", generation=9, current=3)))
    assert (found['enactor_endpoints{state="refused"}'], found['enactor_endpoints{state="current"}']) == (0, 3)
    assert found["enactor_plan_generation"] == 9
    assert found["enactor_last_cycle_timestamp_seconds"] > 1_700_000_000


def test_outcomes_and_states_are_there_before_anything_happened() -> None:
    """A counter that appears with its first event shows no increase, so an alert would miss that one."""
    found = samples(page())
    assert {f'enactor_cycles_total{{outcome="{word}"}}' for word in get_args(OutcomeWord)} <= set(found)
    assert {f'enactor_endpoints{{state="{state}"}}' for state in get_args(State)} <= set(found)
    assert set(found.values()) <= {0.0} | {value for name, value in found.items() if "_created" in name}


def test_names_say_what_they_count() -> None:
    """Every metric begins with `enactor_` and has a help text, every counter ends in `_total`, every time in `_seconds`."""
    families = [
        family for family in text_string_to_metric_families(page(*EVERY_EVENT)) if "_created" not in family.name
    ]
    assert families
    for family in families:
        assert family.name.startswith("enactor_")
        assert family.documentation
        shown = {sample.name for sample in family.samples}
        if family.type == "counter":
            assert shown == {f"{family.name}_total"}
        if family.type == "histogram":
            assert family.name.endswith("_seconds")


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed: it comes with Debian's package prometheus")
@pytest.mark.parametrize("events", [(), EVERY_EVENT], ids=["new", "busy"])
def test_promtool_has_nothing_to_say(events: tuple[Event, ...]) -> None:
    """Prometheus's own linter of a scrape is silent."""
    told = subprocess.run(
        [str(PROMTOOL), "check", "metrics"], input=page(*events).encode(), capture_output=True, check=False
    )
    assert (told.returncode, told.stdout.decode(), told.stderr.decode()) == (0, "", "")

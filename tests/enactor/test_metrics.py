"""What a scrape of an enactor shows: every event under its name and labels, in a form that Prometheus's own linter accepts."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

import enactor
from enactor.hooks import (
    BatchEnded,
    CallEnded,
    CycleEnded,
    EndpointRefused,
    Event,
    Noticed,
    PlanRefused,
    VerbEnded,
    Written,
)
from enactor.live import Came, Healed
from enactor.metrics import NOTICED, Metrics
from enactor.report import OutcomeWord
from enactor.report_collect import CollectedPlan, CollectedTombstone, CollectReport
from enactor.swap import State
from enactor.work_metrics import OVERDUE_INTERVALS, WorkMetrics

ZONE = "Z0METRICS"
API = "api.example.test."
PROMTOOL = shutil.which("promtool")


def call(
    operation: str = "ListResourceRecordSets", *, outcome: str = "ok", creates: int = 0, deletes: int = 0
) -> CallEnded:
    return CallEnded(operation=operation, zone=ZONE, outcome=outcome, seconds=0.2, creates=creates, deletes=deletes)


def written(name: str, cause: str) -> Written:
    return Written(name=name, generation=8, plan="0" * 12, nonce="1" * 16, cause=cause, purpose="repair")


def batch(outcome: str, *, opened: bool = False) -> BatchEnded:
    return BatchEnded(
        zone=ZONE,
        outcome=outcome,
        generation=8,
        change_id="C1" if outcome == "applied" else None,
        names=(API, "b."),
        opened=opened,
        written=tuple(written(*one) for one in ((API, "empty"), ("b.", "behind"))) if outcome == "applied" else (),
    )


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
    call("ChangeResourceRecordSets", outcome="applied", creates=3, deletes=1),
    call("ChangeResourceRecordSets", outcome="conflicted", creates=2),
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
    metrics, work = Metrics(registry), WorkMetrics(registry, collect_every=21_600.0)
    for event in events:
        metrics(event)
        work(event)
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
        ('enactor_route53_changes_total{operation="CREATE",outcome="applied"}', 3),
        ('enactor_route53_changes_total{operation="DELETE",outcome="applied"}', 1),
        ('enactor_route53_changes_total{operation="CREATE",outcome="conflicted"}', 2),
        ('enactor_route53_request_seconds_count{operation="ListResourceRecordSets"}', 2),
        ('enactor_route53_request_seconds_bucket{le="0.1",operation="ListResourceRecordSets"}', 0),
        ('enactor_route53_request_seconds_bucket{le="0.25",operation="ListResourceRecordSets"}', 2),
        ('enactor_noticed_total{event="trouble"}', 1),
        ('enactor_swaps_total{state="empty"}', 1),
        ('enactor_swaps_total{state="behind"}', 1),
        ('enactor_unknown_outcomes_total{resolved="applied"}', 0),
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
    of_time = {name for name in found if "_created" in name} | {"enactor_collect_overdue_timestamp_seconds"}
    assert {value for name, value in found.items() if name not in of_time} == {0.0}


def test_every_event_that_is_noticed_is_there_before_it_happens() -> None:
    """The alert on a fence that went back is about the first one."""
    said = {
        word
        for path in Path(enactor.__file__).parent.glob("*.py")
        for notice in re.findall(r"Noticed\(event=([^,]*),", path.read_text())
        for word in re.findall(r'"([a-z-]+)"', notice)
    }
    assert said == set(NOTICED)
    assert {f'enactor_noticed_total{{event="{word}"}}' for word in said} <= set(samples(page()))


def test_who_does_not_collect_says_nothing_of_collections() -> None:
    """Else an alert would take the 0 of a process that leaves it to somebody else for a collection that is stuck."""
    shown = {}
    for every in (21_600.0, None):
        registry = CollectorRegistry()
        WorkMetrics(registry, collect_every=every)
        shown[every] = samples(generate_latest(registry).decode())
    assert shown[21_600.0]["enactor_collect_overdue_timestamp_seconds"] > 1_700_000_000
    assert not [name for name in shown[None] if "collect" in name]


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


@pytest.mark.parametrize(
    ("outcome", "change_id", "resolved"), [("applied", "unknown", "applied"), ("unknown", None, "not-applied")]
)
def test_a_lost_answer_is_counted_by_what_reading_showed(outcome: str, change_id: str | None, resolved: str) -> None:
    """A batch that landed though nobody heard so has no change id; one that did not stays unknown."""
    event = BatchEnded(zone=ZONE, outcome=outcome, generation=8, change_id=change_id, names=(API,), opened=False)
    found = samples(page(event))
    assert found[f'enactor_unknown_outcomes_total{{resolved="{resolved}"}}'] == 1
    assert sum(value for name, value in found.items() if name.startswith("enactor_unknown_outcomes_total")) == 1


def test_what_a_cycle_made_and_what_a_collection_left() -> None:
    """Heals by what was found, a plan's way into force, and a collection's words without the names behind their colons."""
    registry = CollectorRegistry()
    work = WorkMetrics(registry, collect_every=21_600.0)
    work.came(Came(healed=(Healed("empty", 3.0), Healed("drifted", 11.0)), in_force_seconds=7.0))
    work.came(Came(healed=(), in_force_seconds=None))
    work.insync(30.0)
    work.plan_insync(37.0)
    plans = (
        CollectedPlan(generation=3, decision="kept", reasons=("needed:Z1/a.", "needed:Z1/b.", "pinned")),
        CollectedPlan(generation=2, decision="kept", reasons=("needed:Z1/c.",)),
        CollectedPlan(generation=1, decision="deleted", reasons=("unreferenced",)),
    )
    gone = (CollectedTombstone(name="x.", zone="Z1", decision="deleted"),)
    work.collected(CollectReport(plans=plans, uploads_swept=0, tombstones=gone))
    found = samples(generate_latest(registry).decode())
    assert found['enactor_heal_seconds_sum{cause="empty"}'] == 3
    assert found['enactor_heal_seconds_bucket{cause="drifted",le="10.0"}'] == 0
    assert found['enactor_heal_seconds_bucket{cause="drifted",le="20.0"}'] == 1
    assert (found["enactor_publish_to_in_force_seconds_count"], found["enactor_publish_to_in_force_seconds_sum"]) == (
        1,
        7,
    )
    assert found["enactor_change_insync_seconds_sum"] == 30
    assert found["enactor_publish_to_insync_seconds_sum"] == 37
    assert {name: value for name, value in found.items() if name.startswith("enactor_collected")} == {
        'enactor_collected_plans{decision="kept"}': 2,
        'enactor_collected_plans{decision="deleted"}': 1,
        'enactor_collected_plans{decision="would-delete"}': 0,
        'enactor_collected_plans{decision="put-back"}': 0,
        'enactor_collected_plan_reasons{reason="needed"}': 2,
        'enactor_collected_plan_reasons{reason="pinned"}': 1,
        'enactor_collected_plan_reasons{reason="unreferenced"}': 1,
        "enactor_collected_tombstones": 1,
    }
    last, overdue = (found[f"enactor_{which}_timestamp_seconds"] for which in ("last_collect", "collect_overdue"))
    assert last > 1_700_000_000
    assert overdue - last == pytest.approx(OVERDUE_INTERVALS * 21_600, abs=1.0)
    work.collected(CollectReport(plans=plans[2:], uploads_swept=0, unreadable=("Z1: denied",)))
    again = samples(generate_latest(registry).decode())
    assert 'enactor_collected_plan_reasons{reason="pinned"}' not in again
    assert again["enactor_last_collect_timestamp_seconds"] == last
    assert again["enactor_collect_overdue_timestamp_seconds"] == overdue, "one that could not read every zone is none"

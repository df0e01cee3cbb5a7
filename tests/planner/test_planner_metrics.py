"""What a running planner's port says: its looks, its brake, its sources, and whether it should be restarted."""

from typing import get_args

import pytest
from prometheus_client import CollectorRegistry, generate_latest

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
from planner.metrics import GOOD, LOOK_ALLOWANCE_SECONDS, PlannerHealth, PlannerMetrics

LOOK = LookEnded(outcome="published", seconds=0.3, generation=8, targets=12, braked=2, carried=1)
EVERY_EVENT: tuple[PlannerEvent, ...] = (
    LOOK,
    NoPlanMade(reason="source-failed", sources=("files",), message="it cannot be read"),
    FileWrong(faults=("fleet: missing", "zones: missing")),
    BrakeHeld(name="api.", zone="Z1", kept=("lb-1",), message="the brake holds"),
    BrakeReleased(name="api.", zone="Z1"),
    Overtaken(generation=8),
    NotInForce(generation=8, message="no enactor has opened it"),
)


def samples(*events: PlannerEvent) -> dict[str, float]:
    registry = CollectorRegistry()
    metrics = PlannerMetrics(registry)
    for event in events:
        metrics(event)
    lines = generate_latest(registry).decode().splitlines()
    return {
        name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if not line.startswith("#"))
    }


def test_every_kind_of_event_is_fed_here() -> None:
    """A new kind of event comes with its metric, or with the word that it has none."""
    assert {type(event) for event in EVERY_EVENT} == set(get_args(PlannerEvent))


@pytest.mark.parametrize(
    ("sample", "value"),
    [
        ('planner_looks_total{outcome="published"}', 1),
        ('planner_looks_total{outcome="failed"}', 0),
        ("planner_look_seconds_sum", 0.3),
        ("planner_head_generation", 8),
        ("planner_targets", 12),
        ("planner_brake_endpoints", 2),
        ("planner_carried_endpoints", 1),
        ("planner_brakes_total", 1),
        ('planner_no_plans_total{reason="source-failed"}', 1),
        ('planner_no_plans_total{reason="source-shrank"}', 0),
        ('planner_no_plans_total{reason="past-unknown"}', 0),
        ("planner_plans_not_in_force_total", 1),
        ("planner_file_faults", 2),
        ("planner_overtaken_total", 1),
    ],
)
def test_each_event_is_counted_under_its_name_and_labels(sample: str, value: float) -> None:
    """Dashboards and alerts rest on these names."""
    assert samples(*EVERY_EVENT)[sample] == value


@pytest.mark.parametrize("outcome", get_args(LookOutcome))
def test_a_look_that_saw_not_everything_leaves_the_last_good_time_and_what_was_known(outcome: LookOutcome) -> None:
    """Silence of a source is what the alert on the last good look is for; the brake's number is not of a look that saw nothing."""
    found = samples(LOOK, LookEnded(outcome=outcome, targets=3))
    assert (found["planner_targets"], found["planner_brake_endpoints"]) == ((3, 0) if outcome in GOOD else (12, 2))
    alone = samples(LookEnded(outcome=outcome))
    assert (alone["planner_last_good_look_timestamp_seconds"] > 0) is (outcome in GOOD)
    assert alone["planner_last_look_timestamp_seconds"] > 1_700_000_000
    assert (outcome in GOOD) is (outcome not in {"no-plan", "failed"})


def test_a_mended_file_has_no_faults() -> None:
    """As soon as a look read it."""
    assert samples(FileWrong(faults=("x",)), LOOK)["planner_file_faults"] == 0
    assert samples(FileWrong(faults=("x",)), LookEnded(outcome="no-plan"))["planner_file_faults"] == 1


def test_it_is_ready_after_a_good_look_and_alive_while_looks_end() -> None:
    """A look that failed says why; a planner whose looks do not end should be restarted."""
    seconds = 100.0
    health = PlannerHealth(every=30.0, now=lambda: seconds)
    assert (health.alive(), health.ready()) == (None, "no look has ended yet")
    health(BrakeReleased(name="api.", zone="Z1"))
    assert health.ready() == "no look has ended yet"
    health(LOOK)
    assert health.ready() is None
    health(LookEnded(outcome="no-plan", detail="source files cannot be read"))
    assert health.ready() == "degraded: the last look ended as no-plan: source files cannot be read"
    health(LOOK)
    seconds += 90.0 + LOOK_ALLOWANCE_SECONDS
    assert health.alive() is None
    seconds += 1
    why = "no look has ended for 391 s, and 390 s are the most: restart it"
    assert (health.alive(), health.ready()) == (why, why)

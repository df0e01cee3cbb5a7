"""Cases about plans that must not get through, and about what is none of ours; each on both sides of the table where it has two."""

import json
from typing import Any

import boto3
import pytest
from prometheus_client import CollectorRegistry, generate_latest

from enactor.cli.build import parts
from enactor.metrics import Metrics
from enactor.outside import SystemChance, SystemClock
from enactor.plan import canonical_json
from enactor.plan_form import read_plan
from enactor.ports import Draft
from enactor.table import PlanTable, table_client

from .history import API, lines
from .world import WEB, HastyClock, Machine, World, record


def smuggle(world: World, *endpoints: dict[str, Any]) -> None:
    """Put a plan into the table that no planner would store, as a faulty or hostile one could."""
    body = json.dumps({"format": 1, "fleet": world.fleet, "endpoints": endpoints}).encode()
    plan = read_plan(body).plan
    assert plan is not None
    store = PlanTable(
        table_client(boto3.Session()), world.settings().table, world.fleet, clock=SystemClock(), chance=SystemChance()
    )
    draft = Draft(
        body=canonical_json(plan) if not plan.broken else body,
        zones=(world.zone,),
        endpoints=len(endpoints),
        planner="hostile",
        reason="",
        created_at="2026-11-30T00:00:00Z",
    )
    store.publish(draft, parent=store.head())


def test_case_1_a_plan_without_endpoints_is_refused_and_counted(world: World) -> None:
    """By the planner, and past it by the enactor: no call that changes, the generation stays, and the metrics say which guard."""
    endpoints = [world.endpoint(1, 2, name=f"ep{number}.example.test.") for number in range(20)]
    world.publish(*endpoints)
    registry = CollectorRegistry()
    machine = Machine(parts(world.settings(), Metrics(registry), HastyClock()))
    assert machine.cycle().outcome == "changed"
    assert 'enactor_endpoints{state="current"} 20.0' in generate_latest(registry).decode()
    world.publish(expect=3)
    world.publish(flags=["--unguarded"])
    watch, switch = world.watch(), world.switch_text()
    report = machine.cycle()
    assert (report.outcome, report.calls.change, report.zones[0].open) == ("refused", 0, 1)
    assert (world.switch_text(), watch.batches) == (switch, ())
    page = generate_latest(registry).decode()
    assert 'enactor_plan_refusals_total{guard="empty-plan"} 1.0' in page
    assert 'enactor_cycles_total{outcome="refused"} 1.0' in page
    assert 'enactor_endpoints{state="current"} 20.0' in page


@pytest.mark.parametrize("size", [1, 2, 9])
def test_case_8_no_size_is_too_small_for_a_guard(world: World, size: int) -> None:
    """A plan that takes away all of 1, 2 or 9 sets is refused by planner and enactor, and nothing is sent."""
    world.publish(world.endpoint(*range(1, size + 1)))
    world.once()
    world.publish(world.endpoint(), expect=3)
    world.publish(world.endpoint(), flags=["--unguarded"])
    watch = world.watch()
    status, report = world.once()
    assert (status, report["endpoints"][0]["guards"][0]["guard"]) == (3, "empty")
    assert not watch.touching(API)
    assert world.stands() == lines(*range(1, size + 1))


def test_case_22_one_bad_name_in_the_table_keeps_nobody_else_back(world: World) -> None:
    """An empty label that reached the table all the same: refused before any call, by guard; the other fifty applied; exit 3."""
    good = [world.endpoint(1, name=f"ep{number}.example.test.") for number in range(50)]
    bad = world.endpoint(1, name="bad..example.test.")
    assert world.plan("publish", "--plan", world.plan_file(*good, bad)).exit_code == 1
    smuggle(world, *good, bad)
    status, report = world.once()
    states = [found["state"] for found in report["endpoints"]]
    assert (status, report["outcome"]) == (3, "partial")
    assert sorted(states) == ["current"] * 50 + ["refused"]
    (kept,) = [found for found in report["endpoints"] if found["state"] == "refused"]
    assert "bad..example.test" in kept["name"] + json.dumps(kept["guards"])
    assert all(batch.applied for batch in world.sandbox.batches(world.zone))


def weights(world: World, *told: object) -> dict[str, Any]:
    """Return an endpoint whose targets have these weights; None leaves the weight out."""
    found = world.endpoint(*range(1, len(told) + 1))
    for target, weight in zip(found["targets"], told, strict=True):
        target["weight"] = weight
        if weight is None:
            del target["weight"]
    return found


@pytest.mark.parametrize(
    ("told", "guard", "published"),
    [
        pytest.param(("1O0", 10), "malformed", 1, id="case-55-a-letter"),
        pytest.param((0, 0), "zero-weights", 0, id="case-55-all-zero"),
        pytest.param((10, None), "malformed", 1, id="case-56-one-without"),
    ],
)
def test_cases_55_and_56_weights_that_nobody_means(
    world: World, told: tuple[object, ...], guard: str, published: int
) -> None:
    """A weight that is no number, none at all, or all zero: the planner names it, and in the table the enactor refuses it."""
    world.publish(world.endpoint(1, 2), world.endpoint(1, name=WEB))
    world.once()
    wanted = [weights(world, *told), world.endpoint(1, 2, name=WEB)]
    result = world.plan("publish", "--unguarded", "--plan", world.plan_file(*wanted))
    assert result.exit_code == published
    if published:
        assert "weight" in result.stderr
        smuggle(world, *wanted)
    status, report = world.once()
    found = next(one for one in report["endpoints"] if one["name"] == API)
    assert (status, found["state"], found["guards"][0]["guard"]) == (3, "refused", guard)
    assert (world.stands(), world.stands(WEB)) == (lines(1, 2), lines(1, 2))


@pytest.mark.parametrize("routing", ["weighted", "simple"])
def test_case_71_over_a_hundred_of_one_type_is_refused_when_checked(world: World, routing: str) -> None:
    """101 sets or 101 values: the planner refuses by name; in the table the enactor refuses, and sends nothing of it."""
    values = [f"198.18.0.{number}" for number in range(1, 102)]
    wanted = world.endpoint(*range(1, 102)) if routing == "weighted" else world.simple(*values)
    result = world.plan("publish", "--plan", world.plan_file(wanted))
    assert (result.exit_code, "100" in result.stderr) == (1, True)
    smuggle(world, wanted)
    status, report = world.once()
    assert (status, report["endpoints"][0]["state"], world.stands()) == (3, "refused", ())


def test_case_57_names_that_no_plan_lists_are_not_ours(world: World) -> None:
    """Two weighted sets by hand at another name stay as they are, and no report counts them."""
    other = "other.example.test."
    by_hand = [record(f"192.0.2.{n}", name=other, SetIdentifier=f"hand-{n}", Weight=n) for n in (70, 71)]
    world.edit("CREATE", *by_hand)
    for numbers in ((1, 2), (1, 2, 3)):
        world.publish(world.endpoint(*numbers))
        status, report = world.once()
        assert (status, [found["name"] for found in report["endpoints"]]) == (0, [API])
    assert world.stands(other) == ("A 192.0.2.70 70", "A 192.0.2.71 71")
    assert not any("other" in str(batch.changes) for batch in world.sandbox.batches(world.zone))


def test_case_61_of_two_zones_with_one_name_only_the_id_chooses(world: World) -> None:
    """A public and a private zone of one name: the plan's id is written, the other is not touched; a name is wrong usage."""
    private = world.sandbox.create_zone("example.test")
    world.open_zone(private)
    before = world.sandbox.zone(private).sets()
    world.publish(world.endpoint(1, 2))
    assert world.once(ENACTOR_ZONES=f"{world.zone},/hostedzone/{private}")[0] == 0
    assert world.stands() == lines(1, 2)
    assert [found for found in world.sandbox.zone(private).sets() if found["Type"] != "TXT"] == [
        found for found in before if found["Type"] != "TXT"
    ]
    refused = world.run("once", "--zones", "example.test")
    assert refused.exit_code == 2
    assert "'example.test' is no hosted zone id" in refused.stderr

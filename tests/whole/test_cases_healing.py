"""Cases of other tools' outages about what comes late, what was done by hand, and what a worker lives through."""

import json
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from enactor.cycle import Tally
from enactor.metrics import Metrics
from enactor.sandbox.faults import FaultRule

from .history import API, lines
from .world import CHANGE, WEB, Worker, World, record, until

COLLECT = ("collect", "--keep-newest", "1", "--keep-hours", "0", "--json")


def test_case_11_a_collect_that_comes_late_takes_nothing_of_what_stands(world: World) -> None:
    """Gen 3 has gen 1's content in force again, and web's fence is of gen 1: both old plans go, and what is needed is in the kept one."""
    for numbers in ((1, 2), (1, 2, 3), (1, 2)):
        world.publish(world.endpoint(*numbers), world.endpoint(7, name=WEB))
        world.once()
    watch, stood = world.watch(), (world.stands(), world.stands(WEB))
    result = world.run(*COLLECT)
    found = {plan["generation"]: (plan["decision"], plan["reasons"]) for plan in json.loads(result.stdout)["plans"]}
    assert result.exit_code == 0
    assert {generation: decision for generation, (decision, _) in found.items()} == {
        1: "deleted",
        2: "deleted",
        3: "kept",
    }
    assert found[3][1], "it knows why"
    assert not watch.batches, "no record set is a collect's"
    world.edit("DELETE", *world.sandbox.zone(world.zone).sets(API))
    world.once()
    assert (world.stands(), world.stands(WEB)) == stood, "what the fences name is in the plan that was kept"


def test_case_13_a_second_planner_of_the_fleet_is_refused_and_nothing_goes_to_and_fro(world: World) -> None:
    """Its plan knows other endpoints: each name of the first would vanish. Reviewed on another HEAD, it is refused as well."""
    world.publish(world.endpoint(1, 2))
    world.once()
    watch = world.watch()
    other = world.plan_file(world.endpoint(7, name=WEB))
    refused = world.plan("publish", "--plan", other)
    assert (refused.exit_code, "vanished" in refused.stderr) == (3, True)
    world.publish(world.endpoint(1, 2, 3))
    both = world.plan_file(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    stale = world.plan("publish", "--plan", both, "--expect-parent", "1")
    assert (stale.exit_code, "HEAD is generation 2" in stale.stderr) == (1, True)
    for _ in range(3):
        world.once()
    assert (watch.states(), world.stands(WEB)) == ([lines(1, 2), lines(1, 2, 3)], ())


def by_hand(world: World, weight: int) -> None:
    """Give the first load balancer another weight, as a person does in an emergency."""
    old = world.sandbox.zone(world.zone).sets(API)[0]
    world.edit("DELETE", old)
    world.edit("CREATE", {**old, "Weight": weight})


def test_case_19_weights_by_hand_stand_while_the_endpoint_is_held_and_are_drift_without(world: World) -> None:
    """The hold is visible as a metric and in survey; once it is released the next cycle repairs."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine()
    machine.cycle()
    assert world.run("hold", API, "--reason", "an emergency").exit_code == 0
    by_hand(world, 0)
    registry = CollectorRegistry()
    assert isinstance(machine.enactor._crew.hook, Tally)
    machine.enactor._crew.hook._onward = Metrics(registry)
    machine.cycle()
    assert world.stands() == ("A 192.0.2.1 0", "A 192.0.2.2 10")
    assert 'enactor_endpoints{state="held"} 1.0' in generate_latest(registry).decode()
    assert json.loads(world.run("status", "--json").stdout)["holds"] == [API]
    assert world.run("release", API, "--reason", "it is over").exit_code == 0
    machine.cycle()
    assert world.stands() == lines(1, 2)
    by_hand(world, 0)
    (one,) = machine.cycle().endpoints
    assert (one.action, world.stands()) == ("swapped", lines(1, 2))


def test_case_20_of_two_writers_from_one_base_the_second_fails_its_condition_and_looks_again(world: World) -> None:
    """{v0}: one adds v1, one adds v2. The late one's DELETE no longer matches, and it ends with what is newest."""
    world.publish(world.simple("192.0.2.10"))
    world.once()
    world.publish(world.simple("192.0.2.10", "192.0.2.11"))
    watch, held = world.watch(), world.hold_change()
    late = world.machine("a")
    late.begin()
    world.wait_held()
    world.publish(world.simple("192.0.2.10", "192.0.2.12"))
    assert world.machine("b").cycle().outcome == "changed"
    world.sandbox.release(held)
    assert {one.state for one in late.end().endpoints} == {"current"}
    assert [batch.outcome for batch in watch.batches] == ["applied", "InvalidChangeBatch"]
    assert watch.states() == [("A 192.0.2.10",), ("A 192.0.2.10", "A 192.0.2.12")]


def throttled(worker: Worker) -> list[Any]:
    return [one for one in worker.events("batch-ended") if one["outcome"] == "overbudget"]


def test_case_35_a_worker_that_is_throttled_ten_times_lives_and_keeps_its_plan(world: World) -> None:
    """Its cycles say so while it lasts, the record sets stand, and the plan goes in afterwards, in the same process."""
    world.environment["ENACTOR_ACCOUNT_SHARE"] = (
        "1"  # of which it takes a third at first, and a quarter of that while it is throttled
    )
    world.publish(world.endpoint(1, 2))
    worker = world.worker("a", every="0.2s")
    until(lambda: world.stands() == lines(1, 2), "the first plan")
    world.fault(FaultRule(action="throttle", operation=CHANGE, zone=world.zone, count=10))
    world.publish(world.endpoint(1, 2, 3))
    for count in (5, 10):
        until(lambda least=count: len(throttled(worker)) >= least, f"{count} throttles")  # type: ignore[misc]
    until(lambda: world.stands() == lines(1, 2, 3), "the plan, after ten throttles")
    assert worker.process.poll() is None
    assert len(throttled(worker)) == 10
    assert not [one for one in worker.events() if one["event"] == "endpoint-rejected"]


def odd_sets(name: str) -> list[dict[str, Any]]:
    """Return sets that no plan of ours can say: other types, and a set by region with its own fields."""
    return [
        {"Name": name, "Type": "MX", "TTL": 60, "ResourceRecords": [{"Value": "10 mail.example.test."}]},
        {"Name": name, "Type": "HTTPS", "TTL": 60, "ResourceRecords": [{"Value": '1 . alpn="h2"'}]},
        record("2001:db8::9", name=name, of="AAAA", SetIdentifier="eu", Region="eu-central-1"),
    ]


@pytest.mark.parametrize("name", [API, "other.example.test."], ids=["at an endpoint", "elsewhere"])
def test_case_59_what_a_version_may_have_skipped_before_is_never_deleted(world: World, name: str) -> None:
    """Types that are not managed stand beside an endpoint; managed ones that no plan can say are foreign, elsewhere nobody's."""
    world.edit("CREATE", *odd_sets(name))
    before = world.sandbox.zone(world.zone).sets(name)
    world.publish(world.endpoint(1, 2))
    watch = world.watch()
    status, report = world.once()
    states = {one["name"]: one["state"] for one in report["endpoints"]}
    assert (status, states) == ((3, {API: "foreign"}) if name == API else (0, {API: "current"}))
    assert world.sandbox.zone(world.zone).sets(name) == before
    assert name == API or not [batch for batch in watch.batches if name in str(batch.changes)]

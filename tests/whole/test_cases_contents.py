"""Cases about what counts as a change, and how a change is put together: over the wire, by the batches that were sent.

Case numbers are those of faults that users of DNS automation met and reported in public.
"""

from collections.abc import Callable
from typing import Any

import pytest

from .history import API, Watch, lines, touched
from .world import World, record

ELEMENTS_MAX, CHARACTERS_MAX = 1_000, 32_000
LIMITS_RAISED = "limits: {shrink-targets: 1.0, shrink-capacity: 1.0}"
FENCE = "api._fence.example.test."
OUTSIDE_ZONE = "Z35SXDOTRQ7X7K"


def alias(world: World, to: str, **more: Any) -> dict[str, Any]:
    target = {"id": "lb", "type": "A", "alias": {"name": to, "zone": OUTSIDE_ZONE, "evaluate_target_health": True}}
    return {"name": API, "zone": world.zone, "routing": "simple", "targets": [target], **more}


def sizes(watch: Watch) -> list[tuple[int, int, int]]:
    """Return changes, ResourceRecord elements and characters of Value of each batch that was sent."""
    found = []
    for batch in watch.batches:
        sets = [change["ResourceRecordSet"] for change in batch.changes]
        values = [value["Value"] for one in sets for value in one.get("ResourceRecords", [])]
        found.append((len(sets), len(values), sum(map(len, values))))
    return found


def verbs(watch: Watch, name: str = API) -> list[list[str]]:
    """Return the changes at a name of each applied batch: `DELETE A lb-1 192.0.2.1`."""
    return [
        [
            " ".join((change["Action"], found["Type"], found.get("SetIdentifier", "-"), *_values(found)))
            for change in batch.changes
            if (found := change["ResourceRecordSet"])["Name"] == name
        ]
        for batch in watch.applied
    ]


def _values(found: dict[str, Any]) -> list[str]:
    return [value["Value"] for value in found.get("ResourceRecords", [])]


Edit = Callable[[World], dict[str, Any]]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        pytest.param(
            lambda world: alias(world, "lb.example.net."), lambda world: alias(world, "LB.Example.NET"), id="case-45"
        ),
        pytest.param(
            lambda world: world.simple("192.0.2.1", "192.0.2.2", "192.0.2.3"),
            lambda world: world.simple("192.0.2.3", "192.0.2.1", "192.0.2.2"),
            id="case-47",
        ),
        pytest.param(
            lambda world: alias(world, "lb.example.net."),
            lambda world: alias(world, "lb.example.net.", ttl=60),
            id="case-50",
        ),
    ],
)
def test_cases_45_47_50_another_spelling_is_no_change(world: World, first: Edit, again: Edit) -> None:
    """Case, order of values, and a TTL beside an alias change nothing: never a batch, whatever generation the plan makes."""
    world.publish(first(world))
    world.once()
    watch = world.watch()
    world.publish(again(world))
    for _ in range(2):
        status, report = world.once()
        assert (status, report["endpoints"][0]["state"]) == (0, "current")
    assert not watch.touching(API)


def test_case_45_a_zone_in_another_case_is_no_drift_and_a_fence_in_another_case_is(world: World) -> None:
    """An alias target and names are folded; a TXT value is not: a fence in capitals is garbled, and kept back by name."""
    target = {"HostedZoneId": OUTSIDE_ZONE, "DNSName": "lb.example.net.", "EvaluateTargetHealth": True}
    world.publish(alias(world, "lb.example.net."))
    world.once()
    watch = world.watch()
    world.edit("DELETE", *world.sandbox.zone(world.zone).sets(API))
    spelled = {"Name": "API.Example.Test", "Type": "A", "AliasTarget": target | {"DNSName": "LB.Example.Net"}}
    world.edit("CREATE", spelled)
    assert world.once()[0] == 0
    world.retype(FENCE, world.fence_text().strip('"').replace("state=live", "STATE=LIVE"))
    status, report = world.once()
    assert (status, report["endpoints"][0]["state"]) == (3, "fence-garbled")
    assert not watch.batches


def test_case_51_dualstack_is_another_target(world: World) -> None:
    """`dualstack.` is part of the name that answers: one batch, delete before create."""
    world.config(LIMITS_RAISED)
    world.publish(alias(world, "lb.example.net."))
    world.once()
    watch = world.watch()
    world.publish(alias(world, "dualstack.lb.example.net."))
    assert world.once()[0] == 0
    assert verbs(watch) == [["DELETE A -", "CREATE A -"]]
    assert world.stands() == ("A dualstack.lb.example.net.",)


def test_case_53_simple_to_weighted_and_back_is_one_batch_each(world: World) -> None:
    """The routing changes in one call each way, and between the calls the name always answers one of the two whole."""
    world.config(LIMITS_RAISED)
    weighted = world.endpoint(1, 2)
    world.publish(world.simple("192.0.2.1"))
    world.once()
    watch = world.watch()
    world.publish(weighted)
    assert world.once()[0] == 0
    world.publish(world.simple("192.0.2.1"))
    assert world.once()[0] == 0
    assert watch.states() == [("A 192.0.2.1",), lines(1, 2), ("A 192.0.2.1",)]


def test_case_26_a_cname_is_replaced_by_addresses_in_one_batch(world: World) -> None:
    """A CNAME made by hand and adopted: the batch deletes it before it creates A and AAAA, which could not stand beside it."""
    world.config(LIMITS_RAISED)
    world.edit("CREATE", record("lb.example.net.", of="CNAME"))
    assert world.run("adopt", API, "--yes").exit_code == 0
    watch = world.watch()
    wanted = world.simple("192.0.2.1")
    wanted["targets"].append({"id": "lb-0", "type": "AAAA", "value": "2001:db8::1"})
    world.publish(wanted)
    status, _ = world.once()
    assert status == 0
    assert verbs(watch) == [["DELETE CNAME - lb.example.net.", "CREATE A - 192.0.2.1", "CREATE AAAA - 2001:db8::1"]]


def test_case_73_one_joins_and_one_leaves_in_one_batch(world: World) -> None:
    """+d -c, and of the untouched ones at most an assertion: deleted and created to the letter in the same batch."""
    world.publish(world.endpoint(1, 2, 3))
    world.once()
    watch = world.watch()
    world.publish(world.endpoint(1, 2, 4))
    assert world.once()[0] == 0
    (found,) = verbs(watch)
    assert {"DELETE A lb-3 192.0.2.3", "CREATE A lb-4 192.0.2.4"} <= set(found)
    rest = sorted(one for one in found if "lb-3" not in one and "lb-4" not in one)
    assert rest in ([], *([f"CREATE A lb-{n} 192.0.2.{n}", f"DELETE A lb-{n} 192.0.2.{n}"] for n in (1, 2)))


def test_cases_24_and_27_many_large_changes_keep_every_limit_and_no_endpoint_is_split(world: World) -> None:
    """Ninety endpoints with twelve values each, replaced: each batch within every limit, none empty, each endpoint in one."""
    world.config(LIMITS_RAISED)
    names = [f"ep{number:02}.example.test." for number in range(90)]

    def plan(block: int) -> list[dict[str, Any]]:
        return [world.simple(*(f"198.18.{block}.{n}" for n in range(1, 13)), name=name) for name in names]

    world.publish(*plan(1))
    assert world.once()[0] == 0
    watch = world.watch()
    world.publish(*plan(2))
    assert world.once()[0] == 0
    found = sizes(watch)
    assert len(found) > 1
    assert all(0 < size[1] <= ELEMENTS_MAX and size[2] <= CHARACTERS_MAX and size[0] > 2 for size in found)
    assert [len(watch.touching(name)) for name in names] == [1] * len(names)
    for batch in watch.applied:
        inside = [name for name in touched(batch) if name in names]
        assert all(inside.count(name) == 2 for name in inside), "DELETE and CREATE of an endpoint travel together"


def test_case_30_a_swap_that_alone_fills_a_batch_is_one_call(world: World) -> None:
    """A hundred A and a hundred AAAA of one name are over the goal for a batch: one call, and none empty before or behind it."""
    wanted = world.endpoint(*range(1, 101))
    wanted["targets"] += [
        {"id": f"lb-{n}", "type": "AAAA", "value": f"2001:db8::{n:x}", "weight": 10} for n in range(1, 101)
    ]
    watch = world.watch()
    world.publish(wanted)
    status, report = world.once()
    assert (status, report["calls"]["change"]) == (0, 1)
    assert [size[0] for size in sizes(watch)] == [2 + 1 + 200]


def test_case_66_record_sets_and_their_fence_travel_in_one_batch(world: World) -> None:
    """Every batch that touches the name touches its fence first; what stands without a fence raises an alarm, untouched."""
    for numbers in ((1, 2), (1, 2, 3), (2, 3)):
        world.publish(world.endpoint(*numbers))
        world.once()
    for batch in (found for found in world.sandbox.batches(world.zone) if API in touched(found)):
        order = touched(batch)
        assert 0 <= order.index(FENCE) < order.index(API)
    world.edit("DELETE", *world.sandbox.zone(world.zone).sets(FENCE))
    world.edit("CREATE", record("192.0.2.99", SetIdentifier="by-hand", Weight=10))
    watch = world.watch()
    status, report = world.once()
    assert (status, report["endpoints"][0]["state"]) == (3, "foreign")
    assert not watch.batches

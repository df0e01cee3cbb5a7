"""Aliases that lead to nothing, and zero weights, end to end: whatever asks for it, what still answers stays."""

from typing import Any

import pytest

from enactor.sandbox.faults import FaultRule

from .history import API
from .world import CHANGE, World, record

TREE, MID, OTHER, FRONT = (f"{label}.example.test." for label in ("tree", "mid", "other", "front"))
TREE_SET = record("192.0.2.50", name=TREE)


def weighted(world: World, name: str, *members: tuple[str, str, int]) -> dict[str, Any]:
    """Return an endpoint of addresses and aliases (names), each with its weight."""
    targets = [
        {"id": label, "type": "A", "weight": weight}
        | ({"value": value} if value[0].isdigit() else {"alias": alias_to(world, value)})
        for label, value, weight in members
    ]
    return {"name": name, "zone": world.zone, "routing": "weighted", "ttl": 60, "targets": targets}


def alias_to(world: World, name: str) -> dict[str, Any]:
    return {"name": name, "zone": world.zone, "evaluate_target_health": False}


def values(world: World, name: str = API) -> list[str]:
    """Return the addresses that stand at a name, with their weights left out."""
    sets = world.sandbox.zone(world.zone).sets(name)
    return sorted(value["Value"] for found in sets for value in found.get("ResourceRecords", ()))


def labels(report: dict[str, Any], name: str = API) -> set[str]:
    (found,) = (one for one in report["endpoints"] if one["name"] == name)
    return {finding["guard"] for finding in found["guards"]}


def hold_tree(world: World) -> None:
    world.retype("tree._fence.example.test.", world.fence_text("tree").strip('"').replace("state=live", "state=hold"))


@pytest.mark.parametrize("planned", [True, False])
def test_a_repair_keeps_the_only_address_beside_a_dead_alias(world: World, planned: bool) -> None:
    """A person put a load balancer beside an alias whose target is gone; the target is held, or nobody's."""
    others = [world.simple("192.0.2.50", name=TREE)] if planned else []
    if not planned:
        world.edit("CREATE", TREE_SET)
    world.publish(weighted(world, API, ("t", TREE, 10)), *others)
    world.once()
    if planned:
        hold_tree(world)
    else:
        world.publish(weighted(world, API), flags=["--unguarded"])
    world.edit("DELETE", *world.sandbox.zone(world.zone).sets(TREE))
    world.edit("CREATE", record("192.0.2.9", SetIdentifier="by-hand", Weight=10))
    _, report = world.once()
    assert "alias-target" in labels(report)
    assert values(world) == ["192.0.2.9"]
    world.edit("CREATE", TREE_SET)
    world.once()
    assert values(world) == []


def test_a_plan_does_not_leave_only_an_alias_to_a_name_that_is_held_empty(world: World) -> None:
    """The plan lists the target, but a hold keeps it from coming back."""
    tree = world.simple("192.0.2.50", name=TREE)
    world.publish(weighted(world, API, ("t", TREE, 10), ("lb-1", "192.0.2.1", 10)), tree)
    world.once()
    hold_tree(world)
    world.edit("DELETE", *world.sandbox.zone(world.zone).sets(TREE))
    world.publish(weighted(world, API, ("t", TREE, 10)), tree)
    _, report = world.once()
    assert labels(report) == {"alias-target"}
    assert values(world) == ["192.0.2.1"]


def test_an_alias_to_a_dead_alias_is_no_answer(world: World) -> None:
    """The chain ends in nothing, though each step but the last has a set."""
    world.edit("CREATE", TREE_SET)
    alias = {"DNSName": TREE, "HostedZoneId": world.zone, "EvaluateTargetHealth": False}
    world.edit("CREATE", {"Name": MID, "Type": "A", "AliasTarget": alias})
    world.publish(weighted(world, API, ("lb-1", "192.0.2.1", 10), ("t", MID, 10)))
    world.once()
    world.edit("DELETE", TREE_SET)
    world.publish(weighted(world, API, ("t", MID, 10)))
    _, report = world.once()
    assert labels(report) == {"alias-target"}
    assert values(world) == ["192.0.2.1"]


def test_two_names_that_point_to_each_other_keep_their_addresses(world: World) -> None:
    """Published past the planner's guards, and standing by hand: the enactor refuses the circle and what would close it."""
    first = weighted(world, API, ("lb-1", "192.0.2.1", 10)), weighted(world, OTHER, ("lb-2", "192.0.2.2", 10))
    world.publish(*first)
    world.once()
    pairs = (
        weighted(world, API, ("lb-1", "192.0.2.1", 10), ("t", OTHER, 10)),
        weighted(world, OTHER, ("lb-2", "192.0.2.2", 10), ("t", API, 10)),
    )
    world.publish(*pairs, expect=3)
    world.publish(*pairs, flags=["--unguarded"])
    _, report = world.once()
    assert labels(report) == labels(report, OTHER) == {"alias-target"}
    for name, target in ((API, OTHER), (OTHER, API)):
        pointing = {"DNSName": target, "HostedZoneId": world.zone, "EvaluateTargetHealth": False}
        world.edit("CREATE", {"Name": name, "Type": "A", "SetIdentifier": "t", "Weight": 10, "AliasTarget": pointing})
    world.publish(weighted(world, API, ("t", OTHER, 10)), weighted(world, OTHER, ("t", API, 10)), flags=["--unguarded"])
    for _ in range(2):
        world.once()
    assert values(world) == ["192.0.2.1"]
    assert values(world, OTHER) == ["192.0.2.2"]


def test_two_new_names_that_point_to_each_other_are_named_by_guard(world: World) -> None:
    """No order of CREATEs begins it: a person is told why both are missing."""
    world.publish(
        weighted(world, API, ("lb-1", "192.0.2.1", 10), ("t", OTHER, 10)),
        weighted(world, OTHER, ("lb-2", "192.0.2.2", 10), ("t", API, 10)),
        flags=["--unguarded"],
    )
    _, report = world.once()
    assert labels(report) == labels(report, OTHER) == {"alias-target"}
    assert f"({API}, {OTHER})" in world.run("survey").output


def test_an_alias_waits_for_what_the_plan_takes_away_from_its_target(world: World) -> None:
    """Another enactor may have looser limits: what stands by now, and the plan removes, is nothing to point to."""
    world.publish(world.simple("192.0.2.1"))
    world.once()
    gone = world.simple("elsewhere.invalid.", of="CNAME")
    front = {"name": FRONT, "zone": world.zone, "routing": "simple", "targets": []} | {
        "targets": [{"id": "t", "type": "A", "alias": alias_to(world, API)}]
    }
    world.publish(gone, front, flags=["--unguarded"])
    _, report = world.once()
    assert labels(report, FRONT) == {"alias-target"}
    assert not world.sandbox.zone(world.zone).sets(FRONT)


def test_a_late_batch_among_zero_weights_takes_the_last_set_of_nobody(world: World) -> None:
    """A person deletes all but one set of weight 0 while a repair that deletes that one is on its way: it fails whole."""
    for number in (1, 2):
        world.edit("CREATE", record(f"192.0.2.{number}", SetIdentifier=f"lb-{number}", Weight=0))
    world.run("adopt", API, "--yes")
    zeros = [(f"lb-{number}", f"192.0.2.{number}", 0) for number in (1, 2)]
    world.publish(weighted(world, API, *zeros), flags=["--unguarded"])
    world.once()
    world.edit("CREATE", record("192.0.2.9", SetIdentifier="lb-9", Weight=0))
    held = world.hold_change()
    machine = world.machine()
    machine.begin()
    world.wait_held()
    for number in (1, 2):
        world.edit("DELETE", record(f"192.0.2.{number}", SetIdentifier=f"lb-{number}", Weight=0))
    world.fault(FaultRule(action="hold", operation=CHANGE, zone=world.zone, count=1))
    world.sandbox.release(held)
    (again,) = world.wait_held()
    assert values(world) == ["192.0.2.9"]
    world.sandbox.release(again.token)
    machine.end()
    assert values(world) == ["192.0.2.1", "192.0.2.2"]

"""What `dry-run` says of a zone's plan-wide guards is what enactors do then: by what people lifted, and by fences where plans are lost."""

from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest

from enactor.ports import PlanAllow


@pytest.fixture
def applied(world: Any) -> Any:
    """A zone in which generation 1 is in force: ep1 and ep2."""
    world.start()
    world.run("publish", world.fleet({"ep1": [1, 2, 3], "ep2": [1]}))
    assert world.enact() == "changed"
    return world


def allow(world: Any, generation: int) -> None:
    until = datetime.now(UTC) + timedelta(hours=1)
    world.table.allow(PlanAllow(generation=generation, guard="vanished", until=until, reason="a test", by="me"))


def refused(report: Any) -> list[list[str]]:
    """Return the guards that refuse the plan at publish, and in the zone."""
    return [[one["guard"] for one in listed] for listed in (report["refused"], report["zones"][0]["refused"])]


def test_what_people_lifted_for_the_generation_is_lifted_in_the_zone_too(applied: Any) -> None:
    """As `publish` and the enactors take it; before they did, and for another generation, both refuse."""
    path = applied.fleet({"ep1": [1, 2, 3]})
    allow(applied, 3)
    assert refused(applied.json("dry-run", path, "--json")) == [["vanished"], ["vanished"]]
    allow(applied, 2)
    report = applied.json("dry-run", path, "--json")
    assert (refused(report), report["cost"]) == ([[], []], {"calls": 1, "changes": 2})
    assert applied.run("publish", path).exit_code == 0
    assert applied.json("dry-run", path, "--json")["zones"][0]["cost"] == {"calls": 1, "changes": 2}
    applied.sandbox.reset_stats()
    applied.enact()
    assert sum(len(batch.changes) for batch in applied.sandbox.batches(applied.zone)) == 2


def rot(world: Any, *generations: int) -> None:
    """Damage the bodies of plans in the table."""
    items, table = boto3.client("dynamodb"), world.environment["ENACTOR_TABLE"]
    uploads = [entry.upload for entry in world.table.list() if entry.generation in generations]
    for item in items.scan(TableName=table)["Items"]:
        if item["sk"]["S"].startswith("chunk#") and any(upload in item["sk"]["S"] for upload in uploads):
            items.put_item(TableName=table, Item=item | {"data": {"B": b"rot"}})


def test_where_the_open_plan_is_lost_the_fences_and_the_plan_below_it_still_speak(applied: Any) -> None:
    """A guard that has lost what it judges against must not fall silent; and what would be asked of ep1 is shown all the same."""
    applied.run("publish", applied.fleet({"ep1": [1, 2, 3], "ep2": [1], "ep3": [4]}))
    assert applied.enact() == "changed"
    path = applied.fleet({"ep1": [1, 2, 3, 4], "ep3": [4]})
    rot(applied, 2)
    zone = applied.json("dry-run", path, "--json")["zones"][0]
    assert [one["message"].split(" (")[0] for one in zone["refused"]] == ["1 of 2 endpoints are no longer mentioned"]
    rot(applied, 1)
    report = applied.json("dry-run", path, "--json")
    (found,) = report["zones"][0]["refused"]
    assert found["message"].startswith("1 of 3 endpoints that have a fence are not mentioned (ep2.example.test.)")
    assert report["cost"] == {"calls": 0, "changes": 0}
    assert [(one["name"], one["state"], one["action"]) for one in report["endpoints"]] == [
        ("ep1.example.test.", "behind", "none"),
        ("ep2.example.test.", "vanished", "none"),
        ("ep3.example.test.", "current", "none"),
    ]

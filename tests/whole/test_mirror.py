"""The plan mirror: written after the commit, read when the table does not answer, believed only where every digest agrees."""

import json
from typing import Any

import boto3
import pytest

from enactor.kept_form import encoded
from enactor.mirror import PlanMirror, plan_mirror
from enactor.outside import SystemChance, SystemClock
from enactor.plan import StoredPlan
from enactor.ports import PlanHead
from enactor.table import PlanTable, table_client

from .history import API
from .world import World

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def mirrored(world: World) -> World:
    """A fleet whose planner writes a mirror, in a bucket of its own."""
    bucket = f"plans-{world.fleet}"
    boto3.client("s3").create_bucket(Bucket=bucket)
    world.environment["ENACTOR_PLAN_MIRROR"] = f"s3://{bucket}/here"
    return world


def key_of(world: World) -> dict[str, str]:
    return {"Bucket": f"plans-{world.fleet}", "Key": f"here/plan-{world.fleet}.json"}


def mirror(world: World) -> PlanMirror:
    return plan_mirror(boto3.Session(), world.environment["ENACTOR_PLAN_MIRROR"], world.fleet)


def table(world: World) -> PlanTable:
    client = table_client(boto3.Session())
    return PlanTable(
        client, world.environment["ENACTOR_TABLE"], world.fleet, clock=SystemClock(), chance=SystemChance()
    )


def stored(world: World, generation: int) -> StoredPlan:
    found = table(world).read(generation)
    assert isinstance(found, StoredPlan)
    return found


def in_the_dark(world: World, *words: str) -> tuple[int, Any]:
    status, stdout, _ = world.spawn(*words, AWS_ENDPOINT_URL_DYNAMODB=NOWHERE).ended()
    return status, json.loads(stdout)


def test_an_enactor_without_table_and_disk_heals_from_the_mirror(mirrored: World) -> None:
    """It says so, since when, and at which generation; exit 1, because the table cannot be read."""
    mirrored.publish(mirrored.endpoint(1, 2))
    mirrored.machine().cycle()
    before = mirrored.stands()
    for name in (API, "api._fence.example.test."):
        mirrored.edit("DELETE", *mirrored.sandbox.zone(mirrored.zone).sets(name))
    status, report = in_the_dark(mirrored, "once", "--json")
    assert (status, report["plan"]["source"], mirrored.stands()) == (1, "mirror", before)
    assert any("going on with generation 1 from mirror" in problem for problem in report["problems"])


def test_a_newer_plan_in_the_mirror_than_on_disk_is_worked_from(mirrored: World) -> None:
    """Table, disk and mirror are candidates together, the highest valid generation first."""
    flags = ("--state-dir", str(mirrored.folder / "state"))
    mirrored.publish(mirrored.endpoint(1, 2))
    mirrored.machine(**{"state-dir": flags[1]}).cycle()
    mirrored.publish(mirrored.endpoint(1, 2, 3))
    _, report = in_the_dark(mirrored, "once", "--json", *flags)
    assert (report["plan"]["generation"], report["plan"]["source"], len(mirrored.stands())) == (2, "mirror", 3)


@pytest.mark.parametrize("damage", ["altered", "cut", "another fleet", "another generation"])
def test_a_damaged_mirror_is_passed_over_with_a_warning(mirrored: World, damage: str) -> None:
    """What is on disk must do."""
    flags = ("--state-dir", str(mirrored.folder / "state"))
    mirrored.publish(mirrored.endpoint(1, 2))
    mirrored.machine(**{"state-dir": flags[1]}).cycle()
    mirrored.publish(mirrored.endpoint(1, 2, 3))
    whole = encoded(stored(mirrored, 2), mirrored.fleet)
    spoilt = {
        "altered": whole.replace(b"192.0.2.3", b"192.0.2.9"),
        "cut": whole[:-20],
        "another fleet": whole.replace(b'"fleet":"', b'"fleet":"x', 1),
        "another generation": whole.replace(b'"generation":2', b'"generation":9', 1),
    }[damage]
    boto3.client("s3").put_object(**key_of(mirrored), Body=spoilt)  # type: ignore[arg-type]  # two Literal keys
    _, report = in_the_dark(mirrored, "once", "--json", *flags)
    assert (report["plan"]["generation"], report["plan"]["source"]) == (1, "disk")
    assert any("is passed over" in problem for problem in report["problems"])


def test_the_mirror_stands_in_for_a_newest_plan_that_the_table_lost(mirrored: World) -> None:
    """A chunk is gone, the body is not: it is HEAD's plan by its digest, wherever it comes from."""
    mirrored.publish(mirrored.endpoint(1, 2))
    mirrored.machine().cycle()
    mirrored.publish(mirrored.endpoint(1, 2, 3))
    client = table_client(boto3.Session())
    name, pk = mirrored.environment["ENACTOR_TABLE"], {"S": f"fleet#{mirrored.fleet}"}
    values: Any = {":pk": pk, ":sk": {"S": f"chunk#{table(mirrored).list()[0].upload}"}}
    chunks = client.query(
        TableName=name, KeyConditionExpression="pk = :pk AND begins_with(sk, :sk)", ExpressionAttributeValues=values
    )
    for item in chunks["Items"]:
        client.delete_item(TableName=name, Key={"pk": item["pk"], "sk": item["sk"]})
    report = mirrored.machine(**{"plan-mirror": mirrored.environment["ENACTOR_PLAN_MIRROR"]}).cycle()
    assert (report.plan.generation, report.plan.source, len(mirrored.stands())) == (2, "mirror", 3)


def test_an_older_plan_never_replaces_a_later_one_and_a_lost_one_gives_way(mirrored: World) -> None:
    """A planner that was slow writes after another; a mirrored plan above HEAD is one that the table has lost."""
    for last in (3, 4, 5):
        mirrored.publish(mirrored.endpoint(1, 2, last))
    first, third = stored(mirrored, 1), stored(mirrored, 3)
    one = mirror(mirrored)
    one.save(first, lambda: PlanHead(3, third.digest))
    found = one.load()
    assert isinstance(found, StoredPlan)
    assert found.generation == 3
    one.save(first, lambda: PlanHead(1, first.digest))
    found = one.load()
    assert isinstance(found, StoredPlan)
    assert found.generation == 1
    assert one.load() is found, "what has not changed is not sent again"


def test_a_plan_that_another_planner_mirrors_meanwhile_is_no_lost_one(mirrored: World) -> None:
    """Found by the simulator: HEAD had been read before the mirror was, so that the newest plan there was taken for a lost one."""
    mirrored.publish(mirrored.endpoint(1, 2))
    first, one = stored(mirrored, 1), mirror(mirrored)
    mirrored.publish(mirrored.endpoint(1, 2, 3))
    one.save(first, table(mirrored).head)
    found = one.load()
    assert isinstance(found, StoredPlan)
    assert found.generation == 2


def test_a_mirror_that_is_away_keeps_no_plan_from_the_table(mirrored: World) -> None:
    """The publish is done and says what is missing; the next one, though unchanged, makes up for it."""
    path = mirrored.plan_file(mirrored.endpoint(1, 2))
    real = mirrored.environment["ENACTOR_PLAN_MIRROR"]
    missed = mirrored.plan("publish", "--plan", path, ENACTOR_PLAN_MIRROR="s3://no-such-bucket-here/x")
    assert (missed.exit_code, "generation 1 is in the table and not in the mirror" in missed.stderr) == (0, True)
    again = mirrored.plan("publish", "--plan", path, ENACTOR_PLAN_MIRROR=real)
    assert again.stdout.startswith("unchanged generation 1 ")
    assert isinstance(mirror(mirrored).load(), StoredPlan)


@pytest.mark.parametrize(
    "url", ["http://bucket/x", "s3://", "s3:///x", "s3://bucket/x?regoin=us-west-2", "s3://bucket#x"]
)
def test_what_is_no_s3_url_is_wrong_usage(world: World, url: str) -> None:
    """Before anything is asked."""
    assert world.run("survey", ENACTOR_PLAN_MIRROR=url).exit_code == 2


def test_a_mirror_may_lie_in_another_region_than_the_table() -> None:
    """It is for the day on which the table's Region is away: `region` in the URL says where, else it is the session's."""
    session = boto3.Session("testing", "testing", region_name="eu-west-1")
    there = plan_mirror(session, "s3://bucket/plans?region=us-west-2", "edge")
    here = plan_mirror(session, "s3://bucket/plans", "edge")
    assert [one._client.meta.region_name for one in (there, here)] == ["us-west-2", "eu-west-1"]

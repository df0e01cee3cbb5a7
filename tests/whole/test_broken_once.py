"""What somebody who was asked to break the promises has broken: each by the shortest way there was, and each mended."""

import json
from typing import Any

import boto3
import pytest

from enactor.outside import SystemChance, SystemClock
from enactor.sandbox.faults import FaultRule
from enactor.table import PlanTable, table_client

from .history import API
from .person import V6, beside, done, wipe
from .world import CHANGE, WEB, World, record

WWW = "www.example.test."


def both(world: World, *numbers: int) -> dict[str, Any]:
    made = world.endpoint(*numbers)
    made["targets"].append(V6)
    return made


def cname(world: World, host: str) -> dict[str, Any]:
    return world.simple(host, of="CNAME")


def alias_by_hand(world: World, of: str) -> None:
    target = {"DNSName": API, "HostedZoneId": world.zone, "EvaluateTargetHealth": False}
    world.edit("CREATE", {"Name": WWW, "Type": of, "AliasTarget": target})


def rows(world: World) -> tuple[Any, str, list[dict[str, Any]]]:
    """Return a client, the table's name, and every item of the fleet."""
    client, name = table_client(boto3.Session()), world.environment["ENACTOR_TABLE"]
    values: Any = {":pk": {"S": f"fleet#{world.fleet}"}}
    found = client.query(TableName=name, KeyConditionExpression="pk = :pk", ExpressionAttributeValues=values)
    return client, name, list(found["Items"])


def lose(world: World, *prefixes: str) -> None:
    """Delete the items of the fleet whose keys start so."""
    client, name, items = rows(world)
    for item in items:
        if item["sk"]["S"].startswith(prefixes):
            client.delete_item(TableName=name, Key={"pk": item["pk"], "sk": item["sk"]})


def test_heal_takes_away_nothing_that_an_alias_points_to(world: World) -> None:
    """Never empty: the gate sees the whole zone, as for an enactor, though a person asks."""
    world.publish(cname(world, "lb.example.org."))
    world.machine().cycle()
    alias_by_hand(world, "CNAME")
    world.publish(both(world, 1, 2), flags=["--unguarded"])
    world.machine().cycle()
    assert "points to the CNAME sets" in done(world, "heal", API, "--yes", expect=3)
    assert [one.split()[0] for one in world.stands()] == ["CNAME"]


def test_heal_knows_where_an_alias_leads(world: World) -> None:
    """Never stuck: the last resort does not refuse a sound alias for want of looking at its target."""
    target = {"name": API, "zone": world.zone, "evaluate_target_health": False}
    www = {"name": WWW, "zone": world.zone, "routing": "simple", "targets": [{"id": "x", "type": "A", "alias": target}]}
    world.publish(world.endpoint(1, 2), www)
    world.machine().cycle()
    wipe(world, WWW)
    world.edit("CREATE", record("192.0.2.77", name=WWW))
    done(world, "heal", WWW, "--yes")
    assert world.stands(WWW) == ("A api.example.test.",)


def test_an_allow_without_a_time_zone_is_no_allow_and_stops_nobody(world: World) -> None:
    """Never stuck: it was typed into the table by hand, and killed every cycle."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    world.publish(world.endpoint(1, 2), flags=["--unguarded"])
    done(world, "allow", "*", "--guard", "vanished", "--generation", "2")
    client, name, items = rows(world)
    (item,) = [one for one in items if one["sk"]["S"].startswith("allow#")]
    client.put_item(TableName=name, Item=item | {"until": {"S": "2099-12-01T00:00:00"}})
    wipe(world, API)
    report = world.machine().cycle()
    assert [finding.guard for finding in report.refused] == ["vanished"]
    assert len(world.stands()) == 2


def test_what_route_53_rejects_keeps_nobody_from_what_the_fence_names(world: World) -> None:
    """Never stuck: the plan's content waits, and the endpoint that was wiped meanwhile is repaired to the old one."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine()
    machine.cycle()
    world.publish(world.endpoint(1, 2, 3))
    message = "InvalidChangeBatch: [The health check does not exist]"
    world.fault(
        FaultRule(action="reject", operation=CHANGE, zone=world.zone, contains="192.0.2.3", count=None, message=message)
    )
    machine.cycle()
    wipe(world, API)
    machine.cycle()
    assert len(world.stands()) == 2


@pytest.mark.parametrize("how", ["restored", "emptied"])
def test_the_mirror_heals_a_zone_whose_plan_the_table_lost(world: World, how: str) -> None:
    """No hidden dependency: HEAD is older than what is open, or gone; the plan is in the mirror, and nowhere else."""
    bucket = f"lost-{world.fleet}-{how}"
    boto3.client("s3").create_bucket(Bucket=bucket)
    world.environment["ENACTOR_PLAN_MIRROR"] = f"s3://{bucket}"
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    client, name, backup = rows(world)
    world.publish(world.endpoint(3, 2))
    world.machine().cycle()
    lose(world, "")
    for item in backup if how == "restored" else []:
        client.put_item(TableName=name, Item=item)
    before = world.stands()
    wipe(world, API)
    world.machine().cycle()
    assert world.stands() == before


def test_a_mistyped_fence_and_a_stop_leave_numbers_for_the_next_plan(world: World) -> None:
    """Never stuck: `stop` wrote the fence's twelve nines into the switch, FLOOR followed, and the planner died."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    world.retype("web._fence.example.test.", world.fence_text("web").strip('"').replace("gen=1 ", "gen=999999999999 "))
    done(world, "stop", "--zone", world.zone)
    done(world, "start", "--zone", world.zone)
    world.machine().cycle()
    world.publish(world.endpoint(1, 2, 3), world.endpoint(7, name=WEB))
    world.machine().cycle()
    assert len(world.stands()) == 3


def test_an_alias_made_since_the_last_survey_is_seen_before_its_target_goes(world: World) -> None:
    """Never empty: a swap that takes a record type away is decided on a listing of its own cycle."""
    world.publish(cname(world, "lb.example.org."))
    machine = world.machine()
    machine.cycle()
    alias_by_hand(world, "CNAME")
    world.publish(both(world, 1, 2), flags=["--unguarded"])
    report = machine.enactor.cycle(survey_seconds=600.0)
    assert [finding.guard for one in report.endpoints for finding in one.guards] == ["alias-target"]
    assert [one.split()[0] for one in world.stands()] == ["CNAME"]


def test_a_late_deinit_takes_no_hold_away_after_a_start(world: World) -> None:
    """Hold means hold: each of its calls asserts the stop."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    done(world, "hold", API)
    done(world, "stop", "--zone", world.zone)
    world.hold_change()
    ended = beside(world, "deinit", "--zone", world.zone, "--yes")
    (late,) = world.wait_held()
    done(world, "start", "--zone", world.zone)
    world.sandbox.release(late.token)
    assert "is not stopped for good" in ended().output
    assert "state=hold" in world.fence_text()


@pytest.mark.parametrize("brake", ["stop", "hold"])
def test_a_late_verb_does_not_lift_a_brake_that_was_set_since(world: World, brake: str) -> None:
    """Stop means stop: the compare-and-swap refused it, and the verb decided again over the newer one."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    on, off = (("hold", API), ("release", API)) if brake == "hold" else (("stop",), ("start",))
    done(world, *on)
    world.hold_change()
    ended = beside(world, *off)
    (late,) = world.wait_held()
    done(world, *off)
    done(world, *on)
    world.sandbox.release(late.token)
    assert ended().exit_code == 1
    assert "state=hold" in world.fence_text() if brake == "hold" else "mode=stop" in world.switch_text()


def test_a_late_retire_loses_against_a_plan_that_made_an_alias_to_the_name(world: World) -> None:
    """Never empty: it asserts the switch, so that what was opened meanwhile is looked at."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    world.publish(world.endpoint(1, 2), flags=["--unguarded"])
    done(world, "allow", "*", "--guard", "vanished", "--generation", "2")
    world.machine().cycle()
    world.hold_change()
    ended = beside(world, "retire", WEB, "--yes")
    (late,) = world.wait_held()
    target = {"name": WEB, "zone": world.zone, "evaluate_target_health": False}
    www = {"name": WWW, "zone": world.zone, "routing": "simple", "targets": [{"id": "x", "type": "A", "alias": target}]}
    world.publish(world.endpoint(1, 2), www)
    world.machine().cycle()
    world.sandbox.release(late.token)
    assert f"an alias at {WWW} points to" in ended().output
    assert len(world.stands(WEB)) == 1


def test_a_late_retire_loses_against_a_plan_that_lists_the_name_again(world: World) -> None:
    """Found by the simulator: the plans were looked at before the first try alone, and a second one took what had just been opened."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    world.publish(world.endpoint(1, 2), flags=["--unguarded"])
    done(world, "allow", "*", "--guard", "vanished", "--generation", "2")
    world.machine().cycle()
    world.hold_change()
    ended = beside(world, "retire", WEB, "--yes")
    (late,) = world.wait_held()
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    world.sandbox.release(late.token)
    assert f"plan 3 lists {WEB}" in ended().output
    assert len(world.stands(WEB)) == 1


def test_what_an_alias_will_point_to_again_is_not_retired(world: World) -> None:
    """Found by the simulator: the alias had been wiped, and a repair put it back to a name that went in the same moment."""
    own = {"id": "lb-9", "type": "A", "value": "192.0.2.9", "weight": 10}
    aliases = [
        {
            "id": name[:3],
            "type": "A",
            "weight": 10,
            "alias": {"name": name, "zone": world.zone, "evaluate_target_health": False},
        }
        for name in (API, WEB)
    ]
    www = {"name": WWW, "zone": world.zone, "routing": "weighted", "ttl": 60, "targets": [*aliases, own]}
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB), www)
    world.machine().cycle()
    plan = {"format": 1, "fleet": world.fleet, "endpoints": [world.endpoint(1, 2), {**www, "targets": [own]}]}
    path = world.folder / "leaves.json"
    path.write_text(json.dumps({**plan, "retired": [{"name": WEB, "zone": world.zone}]}))
    assert world.plan("publish", "--plan", str(path), "--unguarded").exit_code == 0
    world.machine().cycle()
    wipe(world, WWW)
    assert f"an alias at {WWW} to the A sets of {WEB}" in done(world, "retire", WEB, "--yes", expect=1)
    world.machine().cycle()
    assert len(world.stands(WEB)) == 1


def test_nothing_is_retired_that_a_plan_nobody_can_read_may_list(world: World) -> None:
    """HEAD's chunks are gone: `--without-plan` is a person's word that it may be."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    lose(world, "chunk#")
    assert "nobody can tell" in done(world, "retire", WEB, "--yes", expect=1)
    assert len(world.stands(WEB)) == 1


def test_an_allow_lifts_nothing_for_a_heal(world: World) -> None:
    """It is a swap's, once; it had expired, and the gate does not read clocks."""
    world.publish(world.endpoint(1, 2, 3, 4))
    world.machine().cycle()
    for guard in ("shrink-targets", "shrink-capacity"):
        done(world, "allow", API, "--guard", guard, "--generation", "1")
    assert "last gate" in done(world, "heal", API, "--plan", world.plan_file(world.endpoint(1)), "--yes", expect=3)
    assert len(world.stands()) == 4


@pytest.mark.parametrize(
    "name", ["api.other.org", "_apex.example.test", "_wildcard.example.test", "x._fence.example.test"]
)
def test_a_name_that_cannot_be_an_endpoint_is_wrong_usage_for_every_verb(world: World, name: str) -> None:
    """It wrote a tombstone for the apex, or died in a stack trace."""
    before = len(world.sandbox.zone(world.zone).sets())
    for words in (
        ["hold"],
        ["release"],
        ["retire", "--yes"],
        ["adopt", "--yes"],
        ["disown", "--yes"],
        ["heal", "--yes"],
    ):
        done(world, words[0], name, "--zone", world.zone, *words[1:], expect=2)
    assert len(world.sandbox.zone(world.zone).sets()) == before


def test_a_guard_that_has_another_base_than_the_open_plan_asks_the_fences_too(world: World) -> None:
    """The open plan cannot be read, and the nearest below lists nothing here: no guard spoke."""
    other = world.sandbox.create_zone("example.org")
    world.environment["ENACTOR_ZONES"] = f"{world.zone},{other}"
    elsewhere = world.endpoint(5, name="o.example.org.") | {"zone": other}
    world.publish(elsewhere)
    world.machine().cycle()
    world.publish(elsewhere, world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    world.publish(elsewhere, flags=["--unguarded"])
    client = table_client(boto3.Session())
    table = PlanTable(
        client, world.environment["ENACTOR_TABLE"], world.fleet, clock=SystemClock(), chance=SystemChance()
    )
    lose(world, f"chunk#{table.list()[1].upload}")
    report = world.machine().cycle()
    assert [finding.guard for finding in report.refused] == ["vanished"]

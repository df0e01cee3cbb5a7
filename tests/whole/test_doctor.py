"""`enactor doctor` over HTTP: what is well, what is broken on purpose, and what the sandbox cannot be asked."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest

from enactor.permissions import principal_of
from enactor.ports import Announcement
from enactor.sandbox.faults import FaultRule

from .history import API
from .test_json_output import fits
from .world import WEB, World

SOA = "ns-1.example.test. host.example.test. 1 7200 900 1209600 60"


def soa(world: World) -> None:
    """Give the zone a short negative answer, which every new zone lacks."""
    (old,) = [one for one in world.sandbox.zone(world.zone).sets("example.test.") if one["Type"] == "SOA"]
    new = {**old, "TTL": 60, "ResourceRecords": [{"Value": SOA}]}
    world.sandbox.edit(world.zone, [{"Action": "UPSERT", "ResourceRecordSet": new}])


def doctor(world: World, *words: str, expect: int, **environment: str) -> list[Any]:
    result = world.run("doctor", "--json", *words, **environment)
    report = fits(world, "doctor", result.stdout)
    assert result.exit_code == expect, [one for one in report["findings"] if one["severity"] in {"error", "warning"}]
    wrong = [one for one in report["findings"] if one["severity"] in {"error", "warning"}]
    assert [one for one in wrong if not one["mend"]] == [], "what is wrong comes with what mends it"
    return list(report["findings"])


def of(found: list[Any], check: str, severity: str | None = None) -> list[str]:
    return [one["message"] for one in found if one["check"] == check and severity in {None, one["severity"]}]


@pytest.fixture
def well(world: World) -> World:
    """A fleet with nothing wrong: a short SOA, a plan in force, and a disk that holds it."""
    soa(world)
    world.environment["ENACTOR_STATE_DIR"] = str(world.folder / "state")
    world.publish(world.endpoint(1, 2), world.endpoint(3, name=WEB))
    world.once()
    world.machine().cycle()
    return world


def test_a_fleet_that_is_well_has_notes_at_most_and_nothing_is_changed(well: World) -> None:
    """Exit 0. What the sandbox cannot be asked is said to be unproven: no policy simulation, no protections."""
    watch = well.watch()
    before = well.sandbox.zone(well.zone).sets()
    found = doctor(well, expect=0)
    assert {one["severity"] for one in found} == {"ok", "note"}
    assert {one["check"] for one in found} == {
        *("identity", "table", "permission", "head", "room", "protections", "guardrails", "soa", "switch", "fences"),
        *("enactors", "budget", "limits", "clock", "disk"),
    }
    assert len(of(found, "permission", "ok")) == 12
    assert any("simulate_principal_policy" in one and "unproven" in one for one in of(found, "permission", "note"))
    assert watch.applied == ()
    assert well.sandbox.zone(well.zone).sets() == before
    text = well.run("doctor")
    assert (text.exit_code, "0 errors, 0 warnings" in text.stdout) == (0, True)


def test_what_is_broken_is_named_with_the_command_that_mends_it(world: World) -> None:
    """A new zone's SOA, no disk, a stopped zone, deletion protection off: exit 3, each with its way out."""
    world.publish(world.endpoint(1))
    world.once()
    assert world.run("stop", "--reason", "a test").exit_code == 0
    table = world.environment["ENACTOR_TABLE"]
    client: Any = boto3.Session().client("dynamodb")
    client.update_table(TableName=table, DeletionProtectionEnabled=False)
    try:
        found = doctor(world, expect=3)
        mends = {one["check"]: one["mend"] for one in found if one["severity"] == "warning"}
        assert set(mends) == {"soa", "disk", "switch", "table", "enactors"}
        assert f"enactor start --zone {world.zone}" in mends["switch"]
        assert f"aws dynamodb update-table --table-name {table} --deletion-protection-enabled" in mends["table"]
        text = world.run("doctor").stdout
        assert mends["table"] in text
    finally:
        client.update_table(TableName=table, DeletionProtectionEnabled=True)


@pytest.mark.parametrize(
    ("service", "operation", "action"),
    [
        ("route53", "ChangeResourceRecordSets", "route53:ChangeResourceRecordSets"),
        ("dynamodb", "PutItem", "dynamodb:PutItem"),
        ("dynamodb", "UpdateItem", "dynamodb:UpdateItem"),
        ("dynamodb", "Query", "dynamodb:Query"),
    ],
)
def test_a_permission_that_is_lacking_is_an_error(well: World, service: Any, operation: str, action: str) -> None:
    """Found by trying, before an outage finds it."""
    well.fault(FaultRule(action="deny", service=service, operation=operation, count=None))
    found = doctor(well, expect=1)
    (denied,) = [one for one in found if one["check"] == "permission" and one["severity"] == "error"]
    assert (denied["subject"], action in str(denied["mend"])) == (action, True)


@pytest.mark.parametrize(
    ("service", "operation", "cost"),
    [
        ("route53", "GetChange", "nobody learns when a change is INSYNC"),
        ("dynamodb", "DeleteItem", "old plans are not deleted"),
        ("dynamodb", "BatchWriteItem", "old plans are not deleted"),
    ],
)
def test_what_costs_no_endpoint_is_a_warning(well: World, service: Any, operation: str, cost: str) -> None:
    """`enactor run` makes these calls too: their lack is told with what is then not done."""
    well.fault(FaultRule(action="deny", service=service, operation=operation, count=None))
    found = doctor(well, expect=3)
    (denied,) = [one for one in found if one["check"] == "permission" and one["severity"] == "warning"]
    assert (denied["subject"], denied["mend"] is None) == (f"{service}:{operation}", False)
    assert cost in str(denied["message"])


def test_what_only_doctor_asks_may_be_denied(well: World) -> None:
    """A note: the room is then held against the settings' own number."""
    well.fault(FaultRule(action="deny", operation="GetHostedZoneLimit", count=None))
    found = doctor(well, expect=0)
    noted = {one["subject"] for one in found if one["check"] == "permission" and one["mend"]}
    assert noted == {"route53:GetHostedZoneLimit"}
    assert "by the settings" in of(found, "room", "note")[0]


def test_a_zone_that_gets_full_is_told_by_its_own_limit(well: World) -> None:
    """AWS says it, for each zone."""
    well.sandbox.configure(zone_max_sets=9)
    found = doctor(well, expect=3)
    assert " of 9 record sets" in of(found, "room", "warning")[0]


def test_a_zone_that_is_not_there_leaves_the_rest_to_be_told(well: World) -> None:
    """Exit 1, and the finding names the zone."""
    found = doctor(well, "--zone", "Z0NOTTHERE00", expect=1)
    assert "Z0NOTTHERE00" in of(found, "zone", "error")[0]
    assert of(found, "table", "ok")


def test_with_the_table_away_the_zones_are_told(well: World) -> None:
    """Generations are then held against nothing."""
    found = doctor(well, expect=1, ENACTOR_TABLE="no-such-table")
    assert "no-such-table" in of(found, "table", "error")[0]
    assert of(found, "switch", "ok")
    assert "held against nothing" in of(found, "fences", "note")[0]


def test_a_restored_table_is_seen_by_what_the_zone_is_open_at(well: World) -> None:
    """It is ahead of every plan that the table knows."""
    found = doctor(well, expect=1, ENACTOR_FLEET=well.fleet, ENACTOR_TABLE=another_table(well))
    assert "restored" in of(found, "fences", "error")[0]


def another_table(world: World) -> str:
    """Return a plan table without this fleet's plans."""
    client: Any = boto3.Session().client("dynamodb")
    table = f"{world.environment['ENACTOR_TABLE']}-other"
    keys = (("pk", "HASH"), ("sk", "RANGE"))
    client.create_table(
        TableName=table,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name, _ in keys],
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in keys],
    )
    return table


def test_enactors_with_different_limits_are_named(well: World) -> None:
    """Their announcements say by which they judge; `status` has them too."""
    well.config("limits: {shrink-targets: 0.25}\n")
    well.machine("az-2").cycle()
    found = doctor(well, expect=3)
    (message,) = of(found, "limits", "warning")
    assert "az-2, tester by " in message
    assert "these settings by " in message
    seen = {one["id"]: one["limits"] for one in json.loads(well.run("status", "--json").stdout)["enactors"]}
    assert seen["az-2"] == seen["tester"]
    assert f"az-2, tester by {seen['az-2']}" in message


def test_a_cycle_by_hand_is_no_worker(well: World) -> None:
    """Where all workers are dead it would end the search: nobody goes on after it."""
    well.once(ENACTOR_ID="desk")
    assert of(doctor(well, expect=0), "enactors", "ok") == ["1 alive: tester"]
    table = well.machine().doors.table
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for one in table.announcements():
        if one.presence == "works":
            table.announce(Announcement(one.id, one.nonce, 1, "2026-01-01T00:00:00Z"))
    (message,) = of(doctor(well, expect=3), "enactors", "warning")
    assert message.endswith("tester did within the hour; a cycle run by hand (desk, tester) is none")
    told = well.run("status").stdout
    assert "tester (gen 1, seen" in told
    assert told.count("SILENT") == 1
    assert "run by hand, and no longer there: desk (gen 1, once " in told
    table.announce(Announcement("tester", "e" * 16, 1, now, presence="ended"))
    assert "enactors: tester (gen 1, ended " in well.run("status").stdout
    assert "tester did within" not in of(doctor(well, expect=3), "enactors", "warning")[0]


def test_an_enactor_of_an_older_version_says_nothing_of_its_limits(well: World) -> None:
    """A note, and no difference."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    well.machine().doors.table.announce(Announcement("old-one", "00aa", 1, now))
    assert of(doctor(well, expect=0), "limits", "note")[0].endswith("old-one")


def test_a_clock_that_is_off_is_told(well: World) -> None:
    """Against AWS's Date."""
    well.sandbox.configure(date_offset_seconds=100.0)
    assert "behind AWS's Date" in of(doctor(well, expect=3), "clock", "warning")[0]


def test_a_state_directory_that_cannot_be_used_is_an_error(well: World, tmp_path: Path) -> None:
    """It is looked at while a person still looks."""
    (tmp_path / "file").write_text("")
    found = doctor(well, expect=1, ENACTOR_STATE_DIR=str(tmp_path / "file"))
    assert "cannot hold plans" in of(found, "disk", "error")[0]


def test_a_mirror_is_held_against_head(well: World) -> None:
    """Written by the next publish; a bucket that is not there is an error."""
    boto3.Session().client("s3").create_bucket(Bucket="doctor-mirror")
    well.environment["ENACTOR_PLAN_MIRROR"] = "s3://doctor-mirror/plans"
    assert "the newest is 1" in of(doctor(well, expect=3), "mirror", "warning")[0]
    well.publish(well.endpoint(1, 2, 4), well.endpoint(3, name=WEB))
    well.once()
    assert "generation 2" in of(doctor(well, expect=0), "mirror", "ok")[0]
    found = doctor(well, expect=1, ENACTOR_PLAN_MIRROR="s3://no-such-bucket-of-ours/plans")
    assert of(found, "mirror", "error")


def test_the_ground_is_proven_again_where_a_person_says_so(well: World) -> None:
    """On scratch names, which are gone afterwards; without a yes nothing is written."""
    before = well.sandbox.zone(well.zone).sets()
    refused = well.answer("n", "doctor", "--prove-cas")
    assert (refused.exit_code, "nothing was written" in refused.stderr) == (1, True)
    watch = well.watch()
    found = doctor(well, "--prove-cas", "--yes", expect=0)
    assert "proven on scratch names" in of(found, "ground", "ok")[0]
    assert watch.applied != ()
    assert well.sandbox.zone(well.zone).sets() == before
    assert well.stands(API) != ()


def test_a_ground_that_does_not_bear_is_an_error(well: World) -> None:
    """A self-test that has no clear answer proves nothing."""
    well.fault(FaultRule(action="error-before", operation="ChangeResourceRecordSets", count=None))
    found = doctor(well, "--prove-cas", "--yes", expect=1)
    assert "self-test" in of(found, "ground", "error")[0]


@pytest.mark.parametrize(
    ("caller", "principal"),
    [
        ("arn:aws:iam::123456789012:user/team/ann", "arn:aws:iam::123456789012:user/team/ann"),
        ("arn:aws:iam::123456789012:role/dns", "arn:aws:iam::123456789012:role/dns"),
        ("arn:aws-us-gov:sts::123456789012:assumed-role/dns/i-1", "arn:aws-us-gov:iam::123456789012:role/dns"),
        ("arn:aws:iam::123456789012:root", None),
        ("arn:aws:sts::123456789012:federated-user/ann", None),
        ("unknown", None),
        ("", None),
    ],
)
def test_the_policies_are_those_of_the_user_or_role_behind_a_caller(caller: str, principal: str | None) -> None:
    """IAM simulates no session."""
    assert principal_of(caller) == principal


def test_without_credentials_one_thing_is_wrong_and_the_rest_is_unproven(well: World) -> None:
    """Twelve denied calls would send a person to a policy that has nothing to do with it."""
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE")
    asked = well.spawn(
        "doctor", "--json", without=keys, AWS_SHARED_CREDENTIALS_FILE="/nowhere", AWS_CONFIG_FILE="/nowhere"
    )
    status, stdout, _ = asked.ended()
    found = fits(well, "doctor", stdout)["findings"]
    assert status == 1
    (wrong,) = [one for one in found if one["severity"] == "error"]
    assert (wrong["check"], "give it credentials" in wrong["mend"]) == ("identity", True)
    assert "unproven" in of(found, "permission", "note")[0]
    assert not [one for one in found if "policy of the identity" in str(one["mend"])]

"""A person's verbs on real processes' code: through the zone alone, while stopped, with the table away, beside an enactor."""

import json
from typing import Any

import boto3
import pytest

from enactor.outside import SystemChance, SystemClock
from enactor.ports import Announcement
from enactor.table import PlanTable, table_client

from .history import API
from .person import V6, WHY, done, wipe
from .world import WEB, World, record

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def running(world: World) -> World:
    """Two endpoints in force."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    return world


def in_the_dark(world: World, *words: str, expect: int = 0) -> str:
    """Run a command as a process for which the plan table is away."""
    status, stdout, stderr = world.spawn(*words, AWS_ENDPOINT_URL_DYNAMODB=NOWHERE).ended()
    assert status == expect, stdout + stderr
    return stdout


def state(world: World, name: str = API) -> str:
    found = json.loads(world.run("survey", "--json").stdout)["endpoints"]
    return str({one["name"]: one["state"] for one in found}.get(name, "unmanaged"))


@pytest.mark.parametrize("dark", [False, True], ids=["by day", "stopped and no table"])
def test_a_held_endpoint_is_left_alone_until_it_is_released(running: World, dark: bool) -> None:
    """Nothing is written there, an empty one included; the hold itself needs neither run nor table."""
    if dark:
        in_the_dark(running, "stop", "--zone", running.zone)
        in_the_dark(running, "hold", API, *WHY)
        done(running, "start", "--zone", running.zone)
    else:
        done(running, "hold", API)
    running.publish(running.endpoint(1, 2, 3), running.endpoint(7, name=WEB))
    wipe(running, API)
    report = running.machine().cycle()
    assert (running.stands(), state(running)) == ((), "held")
    assert [zone.open for zone in report.zones] == [2], "the others go on"
    done(running, "release", API)
    running.machine().cycle()
    assert len(running.stands()) == 3


@pytest.mark.parametrize("verb", ["hold", "stop"])
def test_a_brake_excuses_no_outage(running: World, verb: str) -> None:
    """Whoever looks with once, status or survey sees that clients get no answer, and so does who looks at the exit status alone."""
    done(running, *(("hold", API) if verb == "hold" else ("stop", "--zone", running.zone)))
    assert running.once()[0] == 0
    wipe(running, API)
    state = "held" if verb == "hold" else "empty"
    for command in ("once", "survey", "status"):
        result = running.run(command)
        assert result.exit_code == 3, result.output
        assert f"1 {state}; 1 answers nothing" in result.stdout.replace("1 current, ", "")
        report = json.loads(running.run(command, "--json").stdout)
        assert report["not_answering"] == 1
        for found in report.get("endpoints", ()):
            assert found["answering"] == (found["name"] != API)
    assert f"{API} answers nothing" in running.run("once").stdout
    assert [line["level"] for line in map(json.loads, running.run("once").stderr.splitlines()[-1:])] == ["warning"]


def test_a_late_batch_cannot_run_over_a_hold(running: World) -> None:
    """It was decided before, is evaluated after, and fails whole."""
    running.publish(running.endpoint(1, 2, 3), running.endpoint(7, name=WEB))
    running.hold_change()
    machine = running.machine("slow")
    machine.begin()
    (late,) = running.wait_held()
    done(running, "hold", API)
    running.sandbox.release(late.token)
    machine.end()
    assert (len(running.stands()), state(running)) == (2, "held")


def test_a_hold_with_an_end_ends_by_itself(running: World) -> None:
    """By the Date of AWS's answer."""
    done(running, "hold", API, "--for", "1s")
    assert "until=" in running.fence_text()
    running.publish(running.endpoint(1, 2, 3), running.endpoint(7, name=WEB))
    for _ in range(40):
        running.machine().cycle()
        if len(running.stands()) == 3:
            break
    assert (len(running.stands()), state(running)) == (3, "current")


def test_an_allow_lets_one_guard_pass_once_for_one_generation(running: World) -> None:
    """Case: the shrink that a person wants; the next like it is refused again."""
    running.publish(running.endpoint(1, 2), running.endpoint(7, name=WEB))
    running.publish(running.endpoint(1, 2, 3), running.endpoint(7, name=WEB))
    running.machine().cycle()
    running.publish(running.endpoint(1), running.endpoint(7, name=WEB), flags=["--unguarded"])
    running.machine().cycle()
    assert (len(running.stands()), state(running)) == (3, "refused")
    done(running, "allow", API, "--guard", "shrink-targets", "--generation", "3")
    done(running, "allow", API, "--guard", "shrink-capacity", "--generation", "3")
    running.machine().cycle()
    assert (len(running.stands()), state(running)) == (1, "current")
    assert "allow=" not in running.fence_text(), "used up"


@pytest.mark.parametrize("name", [API, "*"])
def test_an_allow_for_a_plan_that_is_far_says_so(running: World, name: str) -> None:
    """A slip of the finger (22 for 2) is else found when the guard refuses all the same; the next plan's number is what is meant."""
    guard = "shrink-targets" if name == API else "vanished"
    for generation, far in ((1, False), (2, False), (3, True), (22, True)):
        told = done(running, "allow", name, "--guard", guard, "--generation", str(generation))
        sentence = f"; nothing uses it before a plan {generation} is there: the newest plan is generation 1, and the next one will be 2"
        assert (sentence in told) == far, told


def test_an_allow_needs_no_table_to_be_put_there(running: World) -> None:
    """Whether it is far from the newest plan nobody can tell then."""
    told = in_the_dark(running, "allow", API, "--guard", "shrink-targets", "--generation", "22", *WHY)
    assert "nothing uses it" not in told
    assert "allow=shrink-targets@22:" in running.fence_text()


def test_a_verb_at_a_name_that_nobody_knows_says_so(running: World) -> None:
    """Most likely it is a slip of the finger; `retire` leaves a tombstone all the same, where that is meant."""
    name = "apj.example.test."
    for verb in (("hold", name), ("release", name), ("allow", name, "--guard", "slow-drain", "--generation", "2")):
        assert f"nothing stands at {name} in zone {running.zone}, not even a fence" in done(running, *verb, expect=1)
    odd = f"nothing stands at {name}, and no plan at hand speaks of it: is the name right?"
    assert odd in done(running, "retire", name, "--yes")
    assert state(running, name) == "retired"
    wipe(running, WEB)
    running.edit("DELETE", *running.sandbox.zone(running.zone).sets("web._fence.example.test."))
    retired = [{"name": WEB, "zone": running.zone}]
    path = running.folder / "plan.json"
    path.write_text(
        json.dumps({"format": 1, "fleet": running.fleet, "endpoints": [running.endpoint(1, 2)], "retired": retired})
    )
    assert running.plan("publish", "--plan", str(path)).exit_code == 0
    running.machine().cycle()
    assert "is the name right" not in done(running, "retire", WEB, "--yes")


def test_a_heal_with_nothing_to_do_says_so(running: World) -> None:
    """It was said to be healed, and no change was made."""
    before = running.fence_text()
    told = done(running, "heal", API, "--yes")
    assert f"{API} stands so already, as plan 1 from table says: there was nothing to heal" in told
    assert "is healed" not in told
    assert running.fence_text() == before


@pytest.mark.parametrize("guard", ["empty", "kind", "no-such", "malformed"])
def test_what_nobody_can_allow_is_wrong_usage(running: World, guard: str) -> None:
    """Exit 2, and nothing is written."""
    before = running.fence_text()
    done(running, "allow", API, "--guard", guard, "--generation", "2", expect=2)
    assert running.fence_text() == before


def test_a_plan_wide_guard_is_allowed_in_the_table_for_planner_and_enactors(running: World) -> None:
    """A name leaves without having been listed as retired: a person says that it may, for this plan."""
    refused = running.plan("publish", "--plan", running.plan_file(running.endpoint(1, 2)))
    assert refused.exit_code == 3
    done(running, "allow", "*", "--guard", "vanished", "--generation", "2")
    running.publish(running.endpoint(1, 2))
    report = running.machine().cycle()
    assert ([zone.open for zone in report.zones], report.refused) == ([2], ())
    done(running, "allow", "*", "--guard", "empty-plan", "--generation", "3", expect=2)


def test_a_stop_and_a_start_open_nothing_that_the_guards_keep_closed(running: World) -> None:
    """The brake is no way around a plan-wide guard: what was open before the stop is open after the start."""
    running.publish(running.endpoint(1, 2), flags=("--unguarded",))
    assert [finding.guard for finding in running.machine().cycle().refused] == ["vanished"]
    done(running, "stop", "--zone", running.zone)
    assert "generation 1" in done(running, "start", "--zone", running.zone)
    report = running.machine().cycle()
    assert ([zone.open for zone in report.zones], [one.guard for one in report.refused]) == ([1], ["vanished"])


def test_a_name_is_retired_once_no_plan_lists_it_and_a_tombstone_stays(running: World) -> None:
    """The plan lists it as retired, the person takes it away, a later plan cannot bring it back; adopt can."""
    listed = done(running, "retire", WEB, "--yes", expect=1)
    assert "plan 1 lists web.example.test." in listed
    retired = [{"name": WEB, "zone": running.zone}]
    path = running.folder / "plan.json"
    path.write_text(
        json.dumps({"format": 1, "fleet": running.fleet, "endpoints": [running.endpoint(1, 2)], "retired": retired})
    )
    assert running.plan("publish", "--plan", str(path)).exit_code == 0
    running.machine().cycle()
    told = done(running, "retire", WEB, "--yes")
    assert "A [lb-7] 192.0.2.7 weight 10" in told
    assert (running.stands(WEB), state(running, WEB)) == ((), "retired")
    running.publish(running.endpoint(1, 2), running.endpoint(7, name=WEB))
    report = running.machine().cycle()
    assert running.stands(WEB) == ()
    assert [finding.guard for one in report.endpoints for finding in one.guards] == ["retired"]
    done(running, "adopt", WEB, "--yes")
    running.machine().cycle()
    assert len(running.stands(WEB)) == 1


def test_a_tombstone_is_left_where_nothing_was(running: World) -> None:
    """A late writer of a name that nobody has yet loses against it too."""
    done(running, "retire", "gone.example.test", "--yes")
    assert state(running, "gone.example.test.") == "retired"


def test_a_name_that_the_open_plan_on_disk_does_not_list_is_retired_with_the_table_away(running: World) -> None:
    """The state directory knows what is open; nobody need go on without a plan."""
    flags = ("--state-dir", str(running.folder / "state"))
    running.machine("a", **{"state-dir": flags[1]}).cycle()
    in_the_dark(running, "retire", "gone.example.test", *flags, *WHY, "--yes")
    assert state(running, "gone.example.test.") == "retired"


def test_the_name_is_typed_again_or_nothing_is_retired(running: World) -> None:
    """Without --yes, and without a person at a terminal, nothing happens."""
    result = running.run("retire", "gone.example.test", *WHY)
    assert result.exit_code == 1
    assert state(running, "gone.example.test.") == "unmanaged"


def test_what_an_alias_points_to_is_not_retired(running: World) -> None:
    """Case: October 2025's last step, asked for by a person. An alias that nobody manages counts."""
    alias = {"DNSName": WEB, "HostedZoneId": running.zone, "EvaluateTargetHealth": False}
    running.edit("CREATE", {"Name": "www.example.test.", "Type": "A", "AliasTarget": alias})
    running.publish(running.endpoint(1, 2), flags=["--unguarded"])
    done(running, "allow", "*", "--guard", "vanished", "--generation", "2")
    running.machine().cycle()
    refused = done(running, "retire", WEB, "--yes", expect=1)
    assert "an alias at www.example.test. points to the A sets" in refused
    assert len(running.stands(WEB)) == 1


def test_one_type_is_retired_once_the_plan_has_none_of_it(world: World) -> None:
    """The guard `kind` keeps a plan from taking IPv6 away; this is the verb that does."""
    both = world.endpoint(1, 2)
    both["targets"].append(V6)
    world.publish(both)
    world.machine().cycle()
    assert "AAAA targets" in done(world, "retire", API, "--type", "AAAA", "--yes", expect=1)
    world.publish(world.endpoint(1, 2), flags=["--unguarded"])
    world.machine().cycle()
    assert state(world) == "refused"
    done(world, "retire", API, "--type", "AAAA", "--yes")
    assert not [one for one in world.stands() if one.startswith("AAAA")]
    world.machine().cycle()
    assert (len(world.stands()), state(world)) == (2, "current")


def test_healing_needs_no_table_no_switch_and_no_enactor(running: World) -> None:
    """The last resort: from the state directory, with the zone stopped; it says each change before it writes."""
    flags = ("--state-dir", str(running.folder / "state"))
    running.machine("a", **{"state-dir": flags[1]}).cycle()
    before = running.stands()
    done(running, "stop", "--zone", running.zone)
    wipe(running, API)
    asked = in_the_dark(running, "heal", API, *flags, *WHY, expect=1)
    assert "CREATE A [lb-1] 192.0.2.1 weight 10" in asked, "nobody answered"
    assert running.stands() == ()
    in_the_dark(running, "heal", API, *flags, *WHY, "--yes")
    assert running.stands() == before


def test_what_is_healed_from_a_file_stays_until_it_is_released(running: World) -> None:
    """At the fence's generation, on hold for a day: the plans say otherwise."""
    wipe(running, API)
    path = running.plan_file(running.endpoint(5, 6))
    done(running, "heal", API, "--plan", path, "--yes")
    running.machine().cycle()
    assert ([one.split()[1] for one in running.stands()], state(running)) == (["192.0.2.5", "192.0.2.6"], "held")
    assert "gen=1 " in running.fence_text()
    done(running, "release", API)


def test_healing_leaves_out_a_plan_that_is_refused_as_a_whole(running: World) -> None:
    """What enactors refuse they would take back in their next cycle; it is said, and the plan that is open is used."""
    running.publish(running.endpoint(1, 3), flags=("--unguarded",))
    before = running.stands()
    wipe(running, API)
    told = done(running, "heal", API, "--yes")
    assert "plan 2 is refused as a whole and not used: 1 of 2 endpoints are no longer mentioned" in told
    assert running.stands() == before
    running.machine().cycle()
    assert running.stands() == before


def test_healing_goes_through_the_last_gate(running: World) -> None:
    """It takes half away at most, as any other write, and says why it does not."""
    path = running.plan_file(running.endpoint(9))
    refused = done(running, "heal", API, "--plan", path, "--yes", expect=3)
    assert "last gate" in refused
    assert len(running.stands()) == 2


def test_a_name_is_disowned_once_no_plan_lists_it(running: World) -> None:
    """The fence goes, the record sets stay, and nobody minds them."""
    assert "plan 1 lists" in done(running, "disown", WEB, "--yes", expect=1)
    running.publish(running.endpoint(1, 2), flags=["--unguarded"])
    running.machine().cycle()
    assert "plan 1, which is open" in done(running, "disown", WEB, "--yes", expect=1)
    done(running, "allow", "*", "--guard", "vanished", "--generation", "2")
    running.machine().cycle()
    before = running.stands(WEB)
    done(running, "disown", WEB, "--yes")
    running.machine().cycle()
    assert (running.stands(WEB), state(running, WEB)) == (before, "unmanaged")


def test_a_zone_is_left_without_touching_a_record_set(running: World) -> None:
    """Stopped first; then fences, then the switch; what clients resolve stays."""
    assert "enactor stop" in done(running, "deinit", "--zone", running.zone, "--yes", expect=1)
    done(running, "stop", "--zone", running.zone)
    before = (running.stands(), running.stands(WEB))
    done(running, "deinit", "--zone", running.zone, "--yes")
    names = [one["Name"] for one in running.sandbox.zone(running.zone).sets()]
    assert not [name for name in names if "_fence" in name]
    assert (running.stands(), running.stands(WEB)) == before


def test_a_snapshot_says_every_record_set_as_route_53_does(running: World) -> None:
    """A change batch can be made of it by hand."""
    found = json.loads(running.run("snapshot", "--zone", running.zone).stdout)
    listed = boto3.client("route53").list_resource_record_sets(HostedZoneId=running.zone)["ResourceRecordSets"]
    assert found["ResourceRecordSets"] == listed
    assert found["name"] == "example.test."


def test_every_foreign_name_of_the_plan_is_adopted_at_once_and_the_zone_is_written_down_first(bare: World) -> None:
    """The count is typed; the snapshot is taken before the first adopt and never again."""
    for name, last in ((API, 8), (WEB, 2)):
        bare.edit("CREATE", record(f"192.0.2.{last}", name=name))
    bare.open_zone()
    bare.publish(bare.simple("192.0.2.1", "192.0.2.8"), bare.simple("192.0.2.2", "192.0.2.3", name=WEB))
    bare.machine().cycle()
    path = bare.folder / "before.json"
    done(bare, "adopt", "--all", "--snapshot", str(path), expect=1)
    result = done(bare, "adopt", "--all", "--snapshot", str(path), "--yes")
    assert f"{WEB} is adopted" in result
    assert len(json.loads(path.read_text())["ResourceRecordSets"]) > 2
    assert "before" not in done(bare, "adopt", "--all", "--yes")
    bare.machine().cycle()
    assert (state(bare), state(bare, WEB)) == ("current", "current")
    assert "nothing to adopt" in done(bare, "adopt", "--all", "--yes")


def test_a_stop_with_an_end_ends_by_itself(running: World) -> None:
    """And one for good is not weakened by it."""
    done(running, "stop", "--zone", running.zone, "--for", "1s")
    assert "until=" in running.switch_text()
    running.publish(running.endpoint(1, 2, 3), running.endpoint(7, name=WEB))
    for _ in range(40):
        running.machine().cycle()
        if len(running.stands()) == 3:
            break
    assert len(running.stands()) == 3
    done(running, "stop", "--zone", running.zone)
    done(running, "stop", "--zone", running.zone, "--for", "1s")
    assert "until=" not in running.switch_text()


@pytest.mark.parametrize(
    ("command", "words", "on"),
    [
        ("enactor", ("hold", API), ("name", API)),
        ("enactor", ("release", API), ("name", API)),
        ("enactor", ("allow", API, "--guard", "slow-drain", "--generation", "2"), ("name", API)),
        ("enactor", ("retire", "gone.example.test", "--yes"), ("name", "gone.example.test.")),
        ("enactor", ("stop",), ("zone", "")),
        ("planner", ("pin", "1"), ("generation", "1")),
        ("planner", ("unpin", "1"), ("generation", "1")),
        ("planner", ("republish", "1"), ("generation", "1")),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else value,
)
def test_each_verb_is_in_the_history_with_who_did_it_and_why(
    running: World, command: str, words: tuple[str, ...], on: tuple[str, str]
) -> None:
    """With the caller's ARN, best effort: what the change Comment and the log say too."""
    result = (running.run if command == "enactor" else running.plan)(*words, *WHY)
    assert result.exit_code == 0, result.output
    client = table_client(boto3.Session())
    table, pk = running.environment["ENACTOR_TABLE"], {"S": f"fleet#{running.fleet}"}
    values: Any = {":pk": pk, ":sk": {"S": "event#"}}
    found = client.query(
        TableName=table,
        KeyConditionExpression="pk = :pk AND begins_with(sk, :sk)",
        ExpressionAttributeValues=values,
    )["Items"]
    (last,) = [one for one in found if one["verb"]["S"] == words[0]]  # beside what was published and swapped
    key, value = on
    assert (last["verb"]["S"], last[key]["S"], last["reason"]["S"]) == (words[0], value or running.zone, "a test")
    assert last["caller"]["S"].startswith("arn:aws:")


@pytest.mark.parametrize(("typed", "status"), [("web.example.test", 0), ("api.example.test", 1), ("yes", 1)])
def test_a_name_is_typed_again_to_be_retired(running: World, typed: str, status: int) -> None:
    """The name and nothing else; a trailing dot may be left out."""
    gone = "gone.example.test"
    result = running.answer(typed.replace("web", "gone"), "retire", gone, *WHY)
    assert result.exit_code == status, result.output
    assert (state(running, f"{gone}.") == "retired") == (status == 0)


@pytest.mark.parametrize(("typed", "status"), [("2", 0), ("1", 1), ("y", 1)])
def test_the_count_is_typed_to_adopt_all(bare: World, typed: str, status: int) -> None:
    """Two names stand there, and two is what a person has to have read."""
    for name in (API, WEB):
        bare.edit("CREATE", record("192.0.2.8", name=name))
    bare.open_zone()
    bare.publish(bare.simple("192.0.2.1"), bare.simple("192.0.2.2", name=WEB))
    result = bare.answer(typed, "adopt", "--all", *WHY)
    assert result.exit_code == status, result.output
    assert ({state(bare), state(bare, WEB)} == {"foreign"}) == bool(status)


@pytest.mark.parametrize(("typed", "status"), [("{zone}", 0), ("example.test", 1), ("yes", 1)])
def test_the_zone_s_id_is_typed_to_leave_it(running: World, typed: str, status: int) -> None:
    """Its name is not enough: two zones may share one."""
    done(running, "stop", "--zone", running.zone)
    result = running.answer(typed.format(zone=running.zone), "deinit", "--zone", running.zone, *WHY)
    assert result.exit_code == status, result.output
    assert bool(running.sandbox.zone(running.zone).sets(running.switch_name)) == bool(status)


def test_survey_and_status_tell_of_a_plan_that_is_refused_as_a_whole(running: World) -> None:
    """The endpoints are all as an older plan says: that is no all-clear."""
    running.publish(running.endpoint(1, 2), flags=["--unguarded"])
    running.machine().cycle()
    for verb in ("survey", "status"):
        told = running.run(verb)
        assert (told.exit_code, "plan refused: vanished: 1 of 2 endpoints" in told.stdout) == (3, True)
        assert [one["guard"] for one in json.loads(running.run(verb, "--json").stdout)["refused"]] == ["vanished"]


def test_without_any_plan_at_hand_no_zone_is_called_ahead(running: World) -> None:
    """The table is away, and nothing was kept: nobody knows."""
    found = json.loads(in_the_dark(running, "survey", "--json", expect=1))
    assert [zone["plan"] for zone in found["zones"]] == ["unknown"]
    told = in_the_dark(running, "survey", expect=1)
    assert "ahead" not in told
    assert "held against what their fences name" in told


def test_what_a_person_typed_into_the_switch_is_shown(running: World) -> None:
    """Whoever looks at three in the morning reads why it stands still."""
    running.retype(running.switch_name, "please halt, ask Ann")
    assert "please halt, ask Ann" in running.run("survey").stdout
    found = json.loads(running.run("status", "--json").stdout)
    assert found["zones"][0]["text"] == '"please halt, ask Ann"'


def test_an_enactor_that_is_gone_is_called_silent(running: World) -> None:
    """A list of timestamps is no answer to who is alive."""
    client = table_client(boto3.Session())
    table = PlanTable(
        client, running.environment["ENACTOR_TABLE"], running.fleet, clock=SystemClock(), chance=SystemChance()
    )
    table.announce(Announcement("old-one", "00aa", 1, "2026-01-01T00:00:00Z"))
    told = running.run("status").stdout
    assert "old-one (gen 1, seen" in told
    assert told.count("SILENT") == 1


def test_a_second_fleet_in_a_zone_begins_at_its_own_first_plan(world: World) -> None:
    """The first fleet is at its third plan: neither `init` nor the second's first plan goes by that."""
    for last in (1, 2, 3):
        world.publish(world.endpoint(*range(1, last + 2)))
        assert world.once()[0] == 0
    second = World(world.sandbox, world.folder, f"{world.fleet}-two", world.environment["ENACTOR_TABLE"])
    second.zone = world.zone
    second.environment["ENACTOR_ZONES"] = world.zone
    assert second.run("init", "--zone", world.zone, "--reason", "shares the zone").exit_code == 0
    second.publish(second.endpoint(1, 2, name=WEB))
    status, report = second.once()
    assert (status, report["zones"][0]["plan"], report["zones"][0]["open"]) == (0, "current", 1)
    assert (len(second.stands(WEB)), len(world.stands())) == (2, 4)
    assert world.once()[1]["outcome"] == "unchanged"

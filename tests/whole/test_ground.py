"""Tombstones, the switch and heal against somebody who was asked to break them: restored tables, late requests, texts typed by hand."""

import boto3
import pytest

from .history import API
from .person import V6, WEB_FENCE, WHY, abandoned, beside, done, publish, wipe
from .rows import Rows
from .world import WEB, World, txt

NOWHERE = "http://127.0.0.1:9"
ALL = ("--keep-newest", "1", "--keep-hours", "0")


@pytest.fixture
def buried(world: World) -> World:
    """A zone open at plan 3, which says nothing of a name that plan 1 listed, plan 2 had as retired, and a person took away."""
    publish(world, world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    publish(world, world.endpoint(1, 2), retired=(WEB,))
    world.machine().cycle()
    done(world, "retire", WEB, "--yes")
    publish(world, world.endpoint(1, 2))
    world.machine().cycle()
    return world


def collect_all(world: World) -> None:
    """Take every plan but the newest away, and the tombstone with them; each test below passes where this does nothing."""
    result = world.run("collect", "--json", *ALL)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("how", ["garbled", "lost"])
def test_a_tombstone_stays_where_the_newest_manifest_cannot_be_read(buried: World, rows: Rows, how: str) -> None:
    """HEAD's own manifest cannot be read, and an enactor has that plan on disk: nobody can tell what it lists."""
    state = str(buried.folder / "state")
    done(buried, "stop")
    publish(buried, buried.endpoint(1, 2), buried.endpoint(7, name=WEB))
    buried.run("once", "--state-dir", state)
    done(buried, "start")
    if how == "lost":
        rows.lose("plan#000000000004")
    else:
        rows.put(rows.manifest(4) | {"octets": {"S": "many"}})
    collect_all(buried)
    buried.run("once", "--state-dir", state)
    assert buried.stands(WEB) == ()


@pytest.mark.parametrize("where", ["disk", "mirror"])
def test_a_tombstone_outlives_a_plan_that_only_a_cache_has(buried: World, rows: Rows, where: str) -> None:
    """Plan 4 lists the name again; it was published while the zone was stopped, and the table was restored to before it."""
    told = {"ENACTOR_STATE_DIR": str(buried.folder / "state")}
    if where == "mirror":
        bucket = f"lost-{buried.fleet}"
        boto3.client("s3").create_bucket(Bucket=bucket)
        told = {"ENACTOR_PLAN_MIRROR": f"s3://{bucket}"}
    buried.environment |= told
    backup = rows.all()
    done(buried, "stop")
    publish(buried, buried.endpoint(1, 2), buried.endpoint(7, name=WEB))
    buried.run("once")
    rows.restore(backup)
    done(buried, "start")
    collect_all(buried)
    buried.spawn("once", AWS_ENDPOINT_URL_DYNAMODB=NOWHERE).ended()
    assert buried.stands(WEB) == ()


def test_a_tombstone_outlives_a_late_heal(world: World) -> None:
    """Collecting gives the switch a new nonce: a heal that was sent before, by a process that is long dead, fails whenever it arrives."""
    publish(world, world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    publish(world, world.endpoint(1, 2), retired=(WEB,))
    world.machine().cycle()
    publish(world, world.endpoint(1, 2))
    world.machine().cycle()
    wipe(world, WEB, WEB_FENCE)
    late = abandoned(world, "heal", WEB, "--plan", world.plan_file(world.endpoint(7, name=WEB)), "--yes")
    done(world, "retire", WEB, "--yes")
    collect_all(world)
    world.sandbox.release(late)
    assert world.stands(WEB) == ()


@pytest.fixture
def refusing(world: World) -> World:
    """A zone open at plan 1; plan 2, the newest, leaves WEB out and has other addresses: every enactor refuses it as a whole."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    world.publish(world.endpoint(1, 3), flags=["--unguarded"])
    assert [finding.guard for finding in world.machine().cycle().refused] == ["vanished"]
    return world


def by_hand(world: World, how: str) -> None:
    """Stop a zone from the console."""
    text = world.switch_text().strip('"')
    if how == "deleted":
        wipe(world, world.switch_name)
    else:
        world.retype(world.switch_name, "mode=stop" if how == "bare" else text.replace("mode=run", how))


@pytest.mark.parametrize("how", ["mode=halt", "mode=stop because=plan-2"])
def test_a_stop_typed_by_hand_and_a_start_open_nothing_that_the_guards_keep_closed(refusing: World, how: str) -> None:
    """The brake from the console is no way around a plan-wide guard: the text still says gen=1 and its plan."""
    by_hand(refusing, how)
    done(refusing, "start")
    report = refusing.machine().cycle()
    assert ([zone.open for zone in report.zones], [one.guard for one in report.refused]) == ([1], ["vanished"])


def test_a_tombstone_at_head_s_generation_opens_nothing_that_the_guards_keep_closed(refusing: World) -> None:
    """The switch is clear, and a fence of generation 2 says nothing about what is open."""
    done(refusing, "retire", "old.example.test", "--yes")
    done(refusing, "stop")
    done(refusing, "start")
    assert [one.guard for one in refusing.machine().cycle().refused] == ["vanished"]


def test_floor_at_head_s_generation_opens_nothing_that_the_guards_keep_closed(refusing: World) -> None:
    """The switch is clear; that another zone is forked at 2, and FLOOR is 2, says nothing about this one."""
    other = refusing.sandbox.create_zone("example.org")
    text = refusing.switch_text().strip('"').replace("gen=1 ", "gen=2 ")
    refusing.edit("CREATE", txt(f"_switch-{refusing.fleet}._fence.example.org.", text), zone=other)
    refusing.environment["ENACTOR_ZONES"] = f"{refusing.zone},{other}"
    refusing.machine().cycle()
    before = refusing.stands()
    done(refusing, "stop", "--zone", refusing.zone)
    done(refusing, "start", "--zone", refusing.zone)
    refusing.machine().cycle()
    assert refusing.stands() == before


def test_a_stop_and_a_start_leave_a_zone_as_able_as_it_was(world: World) -> None:
    """Another zone is ahead, and FLOOR with it; a healthy zone heals on after a stop and a start."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    other = world.sandbox.create_zone("example.org")
    text = world.switch_text().strip('"').replace("gen=1 ", "gen=9 ")
    world.edit("CREATE", txt(f"_switch-{world.fleet}._fence.example.org.", text), zone=other)
    world.environment["ENACTOR_ZONES"] = f"{world.zone},{other}"
    world.machine().cycle()
    done(world, "stop", "--zone", world.zone)
    done(world, "start", "--zone", world.zone)
    wipe(world, API, "api._fence.example.test.")
    world.machine().cycle()
    assert len(world.stands()) == 2


@pytest.mark.parametrize("changed", [API, WEB])
@pytest.mark.parametrize("verb", ["start", "init"])
def test_a_late_start_lifts_no_stop_and_lowers_no_generation(world: World, verb: str, changed: str) -> None:
    """A switch that is made anew rests on a fence, and renews it: sent by a process that is long dead, it lands on no later stop.

    The plan that is opened meanwhile writes one of the two fences alone, whichever it is.
    """
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    wipe(world, world.switch_name)
    late = abandoned(world, verb)
    done(world, verb)
    if changed == API:
        world.publish(world.endpoint(1, 2, 3), world.endpoint(7, name=WEB))
    else:
        world.publish(world.endpoint(1, 2), world.endpoint(7, 8, name=WEB))
    world.machine().cycle()
    assert "gen=2 " in world.switch_text()
    wipe(world, world.switch_name)
    world.sandbox.release(late)
    assert world.sandbox.zone(world.zone).sets(world.switch_name) == (), world.switch_text()


@pytest.mark.parametrize("how", ["mode=halt", "bare", "deleted"])
def test_healing_leaves_out_a_refused_plan_where_the_switch_is_no_clear_text(refusing: World, how: str) -> None:
    """What was stopped from the console is not healed with the very plan that it was stopped for."""
    before = refusing.stands()
    by_hand(refusing, how)
    wipe(refusing, API)
    done(refusing, "heal", API, "--yes")
    assert refusing.stands() == before


def test_healing_asks_the_fences_where_the_open_plan_cannot_be_read(world: World, rows: Rows) -> None:
    """Heal holds the newest plan against what has a fence, as enactors do."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    rows.lose_chunks(1)
    world.publish(world.endpoint(3, 4), flags=["--unguarded"])
    assert [finding.guard for finding in world.machine().cycle().refused] == ["vanished"]
    wipe(world, API)
    world.run("heal", API, "--yes", *WHY)
    assert "A 192.0.2.3 10" not in world.stands()


@pytest.mark.parametrize("guard", ["shrink", "kind"])
def test_healing_puts_nothing_in_place_that_a_guard_keeps_out_of_the_endpoint(world: World, guard: str) -> None:
    """Enactors repair what the fence names, and so does heal."""
    whole = world.endpoint(1, 2, 3, 4)
    whole["targets"].append(V6)
    less = world.endpoint(1, 2, 3, 4) if guard == "kind" else world.endpoint(1) | {}
    if guard == "shrink":
        less["targets"].append(V6)
    world.publish(whole)
    world.machine().cycle()
    before = world.stands()
    world.publish(less, flags=["--unguarded"])
    report = world.machine().cycle()
    assert [one.state for one in report.endpoints] == ["refused"]
    wipe(world, API)
    done(world, "heal", API, "--yes")
    world.machine().cycle()
    assert world.stands() == before


def test_healing_uses_no_plan_below_the_open_one(world: World) -> None:
    """With the table dark and an old plan on disk an enactor waits, and heal asks for a file: those addresses are long gone."""
    state = str(world.folder / "state")
    world.publish(world.endpoint(1, 2))
    world.run("once", "--state-dir", state)
    world.publish(world.endpoint(1, 2, 3, 4))
    world.machine().cycle()
    world.publish(world.endpoint(3, 4))
    world.machine().cycle()
    wipe(world, API, "api._fence.example.test.")
    world.spawn("heal", API, "--yes", *WHY, "--state-dir", state, AWS_ENDPOINT_URL_DYNAMODB=NOWHERE).ended()
    assert "A 192.0.2.1 10" not in world.stands()


def test_a_late_heal_puts_nothing_back_that_was_passed_over_since(world: World) -> None:
    """It lost against the opening of plan 3, and finds its remedy anew: nothing of plan 2 is written below what is open."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    world.publish(world.endpoint(1, 3))
    handle = world.hold_change()
    ended = beside(world, "heal", API, "--yes")
    world.wait_held()
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    world.sandbox.release(handle)
    ended()
    assert "A 192.0.2.3 10" not in world.stands(), world.switch_text() + world.fence_text()


def test_where_guards_keep_every_plan_back_heal_ends_with_3(world: World, rows: Rows) -> None:
    """README: 3, a guard kept something back."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    world.publish(world.endpoint(1, 3), world.endpoint(7, name=WEB))
    world.machine().cycle()
    rows.lose_chunks(2)
    world.publish(world.endpoint(1, 3), flags=["--unguarded"])
    assert [finding.guard for finding in world.machine().cycle().refused] == ["vanished"]
    wipe(world, API)
    assert "no plan at hand passes the guards" in done(world, "heal", API, "--yes", expect=3)


@pytest.mark.parametrize("how", ["bare", "deleted"])
def test_a_start_that_would_open_a_refused_plan_is_kept_back_until_a_sound_one_is_published(
    refusing: World, how: str
) -> None:
    """Nothing says what was open, so it may have been HEAD; what HEAD forgets would be let go. The sentence leads out."""
    by_hand(refusing, how)
    told = done(refusing, "start", expect=3)
    assert "plan 2 is refused as a whole: 1 of 2 endpoints that have a fence are not mentioned" in told
    assert "`planner republish GEN`" in told
    assert refusing.plan("republish", "1", *WHY).exit_code == 0
    done(refusing, "start")
    refusing.machine().cycle()
    assert "mode=run gen=3 " in refusing.switch_text()
    assert (len(refusing.stands()), len(refusing.stands(WEB))) == (2, 1)

"""Late verbs, and verbs that look twice: what one says is what stands, and it undoes nothing that was done since."""

import pytest

from .history import API
from .person import V6, WEB_FENCE, abandoned, beside, done, publish, wipe
from .world import WEB, World, record


def test_healing_drops_no_live_allow(world: World) -> None:
    """The endpoint stands as it should, and what a person allowed for the next plan is still to be used."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    done(world, "allow", API, "--guard", "shrink-targets", "--generation", "2")
    done(world, "heal", API, "--yes")
    assert "allow=shrink-targets@2" in world.fence_text()


@pytest.mark.parametrize("why", ["another fleet's", "more than a plan can say"])
def test_adopt_that_meets_a_foreign_endpoint_it_may_not_take_ends_with_3(world: World, why: str) -> None:
    """Its state keeps the verb back; what stands there stays as it is."""
    if why == "another fleet's":
        world.publish(world.endpoint(1, 2))
        world.machine().cycle()
        world.retype("api._fence.example.test.", world.fence_text().strip('"').replace(world.fleet, "other"))
    else:
        world.edit("CREATE", record("192.0.2.1", SetIdentifier="a", Region="eu-west-1"))
    done(world, "adopt", API, "--yes", expect=3)


@pytest.mark.parametrize("of", [(), ("--type", "AAAA")], ids=["the name", "one type"])
def test_a_late_retire_takes_nothing_away_that_the_open_plan_lists_by_now(world: World, of: tuple[str, ...]) -> None:
    """It loses against the opening, and asks the plans again before it decides again."""
    web = world.endpoint(7, name=WEB)
    web["targets"].append(V6)
    world.publish(world.endpoint(1, 2), web)
    world.machine().cycle()
    if of:
        world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB), flags=["--unguarded"])
    else:
        publish(world, world.endpoint(1, 2), retired=(WEB,))
    world.machine().cycle()
    handle = world.hold_change()
    ended = beside(world, "retire", WEB, *of, "--yes")
    world.wait_held()
    publish(world, world.endpoint(1, 2), web)
    report = world.machine().cycle()
    assert {one.name: one.state for one in report.endpoints}[WEB] == "current"
    world.sandbox.release(handle)
    result = ended()
    assert (result.exit_code, "plan 3" in result.output) == (1, True), result.output
    assert len(world.stands(WEB)) == 2


def test_a_late_disown_lets_nothing_go_that_the_open_plan_lists_by_now(world: World) -> None:
    """It loses against the opening; what is said to be nobody's would be in the fleet's hands again after the next cycle."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    publish(world, world.endpoint(1, 2), retired=(WEB,))
    world.machine().cycle()
    handle = world.hold_change()
    ended = beside(world, "disown", WEB, "--yes")
    world.wait_held()
    publish(world, world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    world.sandbox.release(handle)
    result = ended()
    assert (result.exit_code, "plan 3 lists web.example.test." in result.output) == (1, True), result.output
    assert world.sandbox.zone(world.zone).sets(WEB_FENCE) != ()


@pytest.mark.parametrize("verb", ["disown", "deinit"])
def test_a_late_adopt_takes_no_name_back_that_was_let_go(world: World, verb: str) -> None:
    """It creates a fence and can rest on none, so it rests on the switch, which whoever lets go writes anew or takes away."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    world.edit("CREATE", record("192.0.2.9", name=WEB))
    snapshots = ("--snapshot", str(world.folder / "a.json")), ("--snapshot", str(world.folder / "b.json"))
    late = abandoned(world, "adopt", WEB, "--yes", *snapshots[0])
    done(world, "adopt", WEB, "--yes", *snapshots[1])
    if verb == "disown":
        done(world, "disown", WEB, "--yes")
    else:
        done(world, "stop")
        done(world, "deinit", "--zone", world.zone, "--yes")
    world.sandbox.release(late)
    assert world.sandbox.zone(world.zone).sets(WEB_FENCE) == ()


def test_a_zone_that_is_out_of_hands_has_no_fence(world: World) -> None:
    """A name is adopted between the last fence and the switch: that is seen afterwards, and said with the way out."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    world.edit("CREATE", record("192.0.2.9", name=WEB))
    done(world, "stop")
    handle = world.hold_change(skip=1)
    ended = beside(world, "deinit", "--zone", world.zone, "--yes")
    world.wait_held()
    done(world, "adopt", WEB, "--yes", "--snapshot", str(world.folder / "before.json"))
    world.sandbox.release(handle)
    result = ended()
    assert (result.exit_code, WEB_FENCE in result.output) == (1, True), result.output
    leave(world)
    assert [one["Name"] for one in world.sandbox.zone(world.zone).sets() if "_fence" in one["Name"]] == []


def leave(world: World) -> None:
    """Take the way out that `deinit` names where there is no switch."""
    said = done(world, "deinit", "--zone", world.zone, "--yes", expect=1)
    for verb in ("start", "stop"):
        assert f"`enactor {verb} --zone {world.zone}`" in said
        done(world, verb, "--zone", world.zone)
    done(world, "deinit", "--zone", world.zone, "--yes")


def test_a_zone_without_switch_is_not_left_while_a_fence_stands(world: World) -> None:
    """An absent switch is a stop that no call can assert: one that came late would take a hold away that is in force again."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    done(world, "hold", API)
    wipe(world, world.switch_name)
    said = done(world, "deinit", "--zone", world.zone, "--yes", expect=1)
    assert "has no switch, and fences of fleet" in said
    assert "state=hold" in world.fence_text()
    leave(world)
    assert len(world.stands()) == 2
    assert "0 fences were deleted" in done(world, "deinit", "--zone", world.zone, "--yes")


def test_a_name_is_let_go_and_taken_back_whatever_the_switch_says(world: World) -> None:
    """In run, in stop, typed over by hand and absent; disowning changes its nonce alone, and adopting nothing of it."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    world.edit("CREATE", record("192.0.2.9", name=WEB))
    snapshot = ("--snapshot", str(world.folder / "a.json"))

    def both() -> None:
        done(world, "adopt", WEB, "--yes", *snapshot)
        (world.folder / "a.json").unlink()
        done(world, "disown", WEB, "--yes")

    said = world.switch_text().split()
    both()
    now = world.switch_text().split()
    assert [word.split("=")[0] for word, other in zip(said, now, strict=True) if word != other] == ["nonce"]
    done(world, "stop")
    both()
    world.retype(world.switch_name, "mode=stop")
    both()
    assert world.switch_text() == '"mode=stop"'
    wipe(world, world.switch_name)
    both()
    assert world.sandbox.zone(world.zone).sets(WEB_FENCE) == ()

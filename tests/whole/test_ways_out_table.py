"""Named ways out of what happens to the plan table: made by hand; then what survey says, what a cycle does, what a person does."""

import json
from collections.abc import Callable

import pytest

from .history import API, lines
from .person import wipe
from .rows import Rows
from .world import WEB, World, record


def told(world: World) -> str:
    """Return all that a survey says."""
    return str(world.run("survey").stdout)


def newest(world: World) -> int:
    return int(json.loads(world.plan("list", "--json").stdout)["plans"][0]["generation"])


def zone_words(world: World) -> list[str]:
    return [zone["plan"] for zone in json.loads(world.run("survey", "--json").stdout)["zones"]]


# ---- restored from an older backup ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("numbers", [(1, 2), (1, 2, 4)], ids=["identical", "another content"])
def test_a_zone_ahead_of_a_restored_table_is_repaired_until_the_next_publish_goes_above_it(
    world: World, rows: Rows, numbers: tuple[int, ...]
) -> None:
    """An enactor without a disk raises FLOOR; so what HEAD says already is published again all the same, above the zone."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    backup = rows.all()
    world.publish(world.endpoint(1, 2, 3))
    world.machine().cycle()
    rows.restore(backup)
    world.edit("CREATE", record("192.0.2.9", SetIdentifier="by-hand", Weight=10))
    world.machine("new").cycle()
    assert zone_words(world) == ["ahead"]
    assert "until a plan above 2 is published; `planner publish`" in told(world)
    world.publish(world.endpoint(*numbers))
    report = world.machine("new").cycle()
    assert (newest(world), [zone.plan for zone in report.zones], world.stands()) == (3, ["current"], lines(*numbers))


def test_a_forked_zone_is_only_repaired_until_a_plan_above_it_is_published(world: World, rows: Rows) -> None:
    """After a restore somebody publishes before any enactor has looked: two plans of one generation. The zone's own is kept."""
    flags = {"state-dir": str(world.folder / "state")}
    world.publish(world.endpoint(1, 2))
    backup = rows.all()
    world.publish(world.endpoint(1, 2, 3))
    world.machine(**flags).cycle()
    rows.restore(backup)
    world.publish(world.endpoint(1, 2, 4))
    assert newest(world) == 2
    assert zone_words(world) == ["forked"]
    wipe(world, API)
    world.machine(**flags).cycle()
    assert world.stands() == lines(1, 2, 3), "the content that the fence names, from the disk"
    assert "the zone is forked of every plan at hand" in told(world)
    world.publish(world.endpoint(1, 2, 4))
    world.machine(**flags).cycle()
    assert (newest(world), zone_words(world), world.stands()) == (3, ["current"], lines(1, 2, 4))


# ---- a plan that is gone or damaged --------------------------------------------------------------------------------------


def lose_chunk(rows: Rows) -> None:
    rows.lose_chunks(3)


def alter_chunk(rows: Rows) -> None:
    item = rows.chunk(3)
    rows.put({**item, "data": {"B": bytes(reversed(bytes(item["data"]["B"])))}})


def swap_chunks(rows: Rows) -> None:
    one, other = rows.chunk(1), rows.chunk(3)
    rows.put({**one, "data": other["data"]})
    rows.put({**other, "data": one["data"]})


def replay_chunk(rows: Rows) -> None:
    rows.put({**rows.chunk(3), "data": rows.chunk(1)["data"]})


def lose_heads_plan(rows: Rows) -> None:
    rows.lose_plan(3)


@pytest.mark.parametrize("damage", [lose_chunk, alter_chunk, swap_chunks, replay_chunk, lose_heads_plan])
def test_below_a_newest_plan_that_cannot_be_used_the_next_one_heals_and_a_publish_puts_it_right(
    world: World, rows: Rows, damage: Callable[[Rows], None]
) -> None:
    """The cycle says which and why, with what to do; the endpoint that was emptied answers; the same plan, published again, is 4."""
    for numbers in ((1, 2), (1, 2, 3)):
        world.publish(world.endpoint(*numbers))
        world.machine().cycle()
    world.publish(world.endpoint(1, 2, 3, 4))
    damage(rows)
    wipe(world, API)
    report = world.machine().cycle()
    assert (report.plan.generation, world.stands()) == (2, lines(1, 2, 3))
    assert [finding.guard for finding in report.refused] == ["digest"]
    assert "plan 3, the newest, cannot be used" in told(world)
    assert "publish again to put a sound one above it" in told(world)
    world.publish(world.endpoint(1, 2, 3, 4))
    world.machine().cycle()
    assert (newest(world), world.stands(), zone_words(world)) == (4, lines(1, 2, 3, 4), ["current"])


def test_a_table_without_head_heals_what_the_fences_name_and_a_publish_goes_above_all_plans(
    world: World, rows: Rows
) -> None:
    """HEAD was deleted by hand: nothing is opened from what is left of the plans, and the next one is above them."""
    for last in (3, 4):
        world.publish(world.endpoint(1, 2, last))
    world.machine().cycle()
    rows.lose("head")
    world.edit("DELETE", world.sandbox.zone(world.zone).sets(API)[0])
    world.machine().cycle()
    assert world.stands() == lines(1, 2, 4)
    assert "`planner publish`" in told(world)
    world.publish(world.endpoint(1, 2, 4))
    world.machine().cycle()
    assert (newest(world), zone_words(world)) == (3, ["current"])


def test_a_plan_is_judged_by_the_fences_where_the_open_one_cannot_be_read(world: World, rows: Rows) -> None:
    """Nobody can tell what the open plan listed: a newer one that leaves out what has a fence is refused, one that does not goes in."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    rows.lose_chunks(1)
    world.publish(world.endpoint(1, 2, 3), flags=["--unguarded"])
    report = world.machine().cycle()
    assert ([finding.guard for finding in report.refused], world.stands()) == (["vanished"], lines(1, 2))
    assert "`enactor allow '*' --guard vanished --generation 2`" in told(world)
    world.publish(world.endpoint(1, 2, 3), world.endpoint(7, name=WEB))
    world.machine().cycle()
    assert (world.stands(), zone_words(world)) == (lines(1, 2, 3), ["current"])


@pytest.mark.parametrize("emptied", [False, True], ids=["one set lost", "emptied"])
def test_an_endpoint_whose_content_in_force_is_in_no_plan_any_more(world: World, rows: Rows, emptied: bool) -> None:
    """Refused, it stood on plan 1, which is gone: what is left stands until a person decides; where nothing is left the newest is."""
    world.publish(world.endpoint(1, 2, 3))
    world.machine().cycle()
    world.publish(world.endpoint(3, 4), flags=["--unguarded"])
    world.machine().cycle()
    rows.lose_plan(1)
    if emptied:
        wipe(world, API)
    else:
        world.edit("DELETE", world.sandbox.zone(world.zone).sets(API)[2])
    report = world.machine().cycle()
    (one,) = report.endpoints
    if emptied:
        assert (one.state, world.stands()) == ("current", lines(3, 4))
        return
    assert (one.state, world.stands()) == ("refused", lines(1, 2))
    assert f"`enactor allow {API} --guard shrink-targets --generation 2`" in told(world)
    for guard in ("shrink-targets", "shrink-capacity"):
        done = world.run("allow", API, "--guard", guard, "--generation", "2", "--reason", "a test")
        assert done.exit_code == 0, done.output
    world.machine().cycle()
    assert world.stands() == lines(3, 4)

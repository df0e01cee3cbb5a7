"""A tombstone stays for as long as any plan of the table speaks of the name, and goes with the next collect after that."""

import json
from typing import Any

import pytest

from .person import WHY, publish
from .rows import Rows
from .world import WEB, World

ALL = ("--keep-newest", "1", "--keep-hours", "0")


@pytest.fixture
def buried(world: World) -> World:
    """A zone open at plan 3, which says nothing of a name that plan 1 listed, plan 2 had as retired, and a person took away."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    publish(world, world.endpoint(1, 2), retired=(WEB,))
    world.machine().cycle()
    result = world.run("retire", WEB, "--yes", *WHY)
    assert result.exit_code == 0, result.output
    publish(world, world.endpoint(1, 2))
    world.machine().cycle()
    return world


def collected(world: World, *flags: str, expect: int = 0) -> Any:
    result = world.run("collect", "--json", *flags)
    assert result.exit_code == expect, result.output
    return json.loads(result.stdout)["tombstones"]


def has_fence(world: World, name: str = "web") -> bool:
    return bool(world.sandbox.zone(world.zone).sets(f"{name}._fence.example.test."))


def test_a_tombstone_stays_while_a_kept_plan_speaks_of_the_name(buried: World) -> None:
    """Plans 1 and 2 are younger than a day, so they stay, and somebody may go back to them."""
    assert collected(buried) == []
    assert has_fence(buried)


def test_a_tombstone_goes_with_the_last_plan_that_speaks_of_it(buried: World) -> None:
    """Once only plan 3 is left no late writer has the name; --dry-run says so first, and a second collect finds nothing more."""
    assert collected(buried, "--dry-run", *ALL) == []
    first = collected(buried, *ALL)
    assert first == [{"name": WEB, "zone": buried.zone, "decision": "deleted"}]
    assert not has_fence(buried)
    assert collected(buried, *ALL) == []
    assert buried.machine().cycle().outcome == "unchanged"


def test_a_dry_run_tells_and_leaves_it(buried: World) -> None:
    """Where the plans have gone already."""
    for generation in (1, 2):
        Rows(buried).lose_plan(generation)
    assert collected(buried, "--dry-run") == [{"name": WEB, "zone": buried.zone, "decision": "would-delete"}]
    assert has_fence(buried)
    assert f"tombstone of {WEB} in zone {buried.zone}: would-delete" in buried.run("collect", "--dry-run").stdout


def test_a_tombstone_stays_where_a_plan_cannot_be_read(buried: World, rows: Rows) -> None:
    """Nobody can tell what a damaged plan lists."""
    rows.lose_plan(1)
    rows.lose_chunks(2)
    assert collected(buried) == []
    assert has_fence(buried)


def test_a_tombstone_stays_where_the_open_plan_is_not_in_the_table(buried: World, rows: Rows) -> None:
    """Restored from an older backup: the plan that is open may list the name again, and an enactor may have it on disk."""
    for number in (3, 4):
        buried.publish(buried.endpoint(1, 2, number))
    buried.machine().cycle()
    for generation in (1, 2, 5):
        rows.lose_plan(generation)
    assert collected(buried, *ALL) == []
    assert has_fence(buried)


def test_a_stopped_zone_keeps_its_tombstones(buried: World) -> None:
    """Whoever stopped it wants nothing written."""
    for generation in (1, 2):
        Rows(buried).lose_plan(generation)
    assert buried.run("stop", "--zone", buried.zone, *WHY).exit_code == 0
    assert collected(buried, *ALL) == []
    assert has_fence(buried)


def test_a_plan_that_brings_the_name_back_is_seen_before_the_tombstone_goes(buried: World) -> None:
    """A collect that decided before a plan was opened: its call rests on the switch as it was, so it looks again."""
    for generation in (1, 2):
        Rows(buried).lose_plan(generation)
    handle = buried.hold_change()
    waiting = buried.spawn("collect", "--json")
    buried.wait_held()
    buried.publish(buried.endpoint(1, 2), buried.endpoint(7, name=WEB))
    report = buried.machine().cycle()
    assert [zone.open for zone in report.zones] == [4]
    buried.sandbox.release(handle)
    status, stdout, stderr = waiting.ended()
    assert (status, json.loads(stdout)["tombstones"]) == (0, []), stderr
    assert has_fence(buried)

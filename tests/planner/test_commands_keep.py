"""republish, pin and unpin: back to an old plan going forward, and plans that no collect deletes."""

from pathlib import Path
from typing import Any


def test_an_old_plan_is_published_again_as_the_next_generation(world: Any) -> None:
    """Rollback goes forward: the generation is new, the content old, and the reason is listed."""
    for last in (1, 2, 3):
        world.run("publish", world.fleet({"ep1": [1, 2, last + 2]}))
    digest = world.table.list()[2].digest
    result = world.run("republish", "1", "--reason", "3 was wrong")
    assert (result.exit_code, result.stdout) == (0, f"published generation 4 digest {digest[:12]}\n")
    assert [(entry.generation, entry.digest, entry.reason) for entry in world.table.list()[:1]] == [
        (4, digest, "3 was wrong")
    ]
    assert world.run("republish", "1", "--reason", "again").stdout.startswith("unchanged generation 4 ")


def test_going_back_passes_the_same_guards(world: Any) -> None:
    """What was allowed to grow is not shrunk by a rollback unseen: the endpoint keeps what it has."""
    world.run("publish", world.fleet({"ep1": [1]}))
    world.run("publish", world.fleet({"ep1": [1, 2, 3, 4]}))
    result = world.run("republish", "1", "--reason", "back")
    assert result.exit_code == 3
    assert "shrink-targets" in result.output
    way = "if it is meant: `planner show 1 > plan.json`, and `planner publish --plan plan.json --unguarded` (generation 4), then"
    assert f"planner: {way}" in result.stderr.splitlines(), "republish has no --unguarded"
    shown = world.run("show", "1").stdout
    meant = world.run("publish", "--plan", str(world.write("plan.json", shown)), "--unguarded", "--reason", "back")
    assert (meant.exit_code, meant.stdout.split(" digest ")[0]) == (0, "published generation 4")


def test_a_plan_that_is_not_there_or_condemned_is_not_published_again(world: Any) -> None:
    """A collector may be about to delete it."""
    assert "there is no generation 7" in world.run("republish", "7", "--reason", "back").stderr
    for last in (1, 2):
        world.run("publish", world.fleet({"ep1": [1, 2, last + 2]}))
    entry = world.table.list()[1]
    assert world.table.condemn(entry, "somebody") == "condemned"
    result = world.run("republish", "1", "--reason", "back")
    assert result.exit_code == 1
    assert "condemned" in result.stderr
    assert "condemned" in world.run("pin", "1", "--reason", "keep").stderr


def test_a_pin_is_listed_and_taken_away(world: Any) -> None:
    """And it takes a reason."""
    world.run("publish", world.fleet({"ep1": [1, 2]}))
    assert world.run("pin", "1").exit_code == 2
    assert world.run("pin", "1", "--reason", "audit").stdout == "generation 1 is pinned: no collect deletes it\n"
    assert world.table.pins() == {1}
    assert world.run("unpin", "1").exit_code == 0
    assert world.table.pins() == frozenset()


def test_a_rollback_stays_until_the_fleet_file_is_published(world: Any) -> None:
    """It is marked in the list, a dry-run says so, and the same content from the file ends it."""
    for last in (1, 2):
        world.run("publish", world.fleet({"ep1": [1, 2, last + 2]}))
    world.run("republish", "2", "--reason", "keep this")
    assert "head stays" in world.run("list").stdout
    said = "planner: generation 3 stays (generation 2 again, by "
    assert said in world.run("dry-run", world.fleet({"ep1": [1, 2, 4]})).stderr
    result = world.run("publish", world.fleet({"ep1": [1, 2, 4]}))
    assert (result.exit_code, result.stdout.split(" digest ")[0]) == (0, "published generation 4")
    assert said in result.stderr
    assert "stays" not in world.run("list").stdout.splitlines()[1]


def test_a_plan_file_stays_too(world: Any, tmp_path: Path) -> None:
    """It is what a person reviewed, and no fleet file says it."""
    world.run("publish", world.fleet({"ep1": [1, 2, 3]}))
    plan = tmp_path / "plan.json"
    plan.write_text(world.run("show", "1").stdout)
    assert world.run("publish", "--plan", plan).exit_code == 0
    assert [one.stays for one in world.table.list()] == ["a plan file", None]

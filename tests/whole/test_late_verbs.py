"""Late verbs, and verbs that look twice: what one says is what stands, and it undoes nothing that was done since."""

from .history import API
from .world import World

WHY = ("--reason", "a test")


def done(world: World, *words: str, expect: int = 0) -> str:
    result = world.run(*words, *WHY)
    assert result.exit_code == expect, result.output
    return str(result.output)


def test_healing_drops_no_live_allow(world: World) -> None:
    """The endpoint stands as it should, and what a person allowed for the next plan is still to be used."""
    world.publish(world.endpoint(1, 2))
    world.machine().cycle()
    done(world, "allow", API, "--guard", "shrink-targets", "--generation", "2")
    done(world, "heal", API, "--yes")
    assert "allow=shrink-targets@2" in world.fence_text()

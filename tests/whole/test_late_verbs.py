"""Late verbs, and verbs that look twice: what one says is what stands, and it undoes nothing that was done since."""

import pytest

from .history import API
from .world import World, record

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

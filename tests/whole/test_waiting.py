"""`enactor once --wait-insync` and `planner publish --wait`: a pipeline goes on when what it asked for is true, or is told why not."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import pytest

from enactor.sandbox.faults import FaultRule

from .person import publish
from .test_json_output import fits
from .world import WEB, World

GET_CHANGE = "GetChange"


def published(world: World, *words: str, expect: int, numbers: tuple[int, ...] = (1, 2)) -> Any:
    path = world.plan_file(world.endpoint(*numbers), world.endpoint(3, name=WEB))
    result = world.plan("publish", "--plan", path, "--wait", "--json", *words)
    assert result.exit_code == expect, result.output
    found = json.loads(result.stdout)
    jsonschema.Draft202012Validator(json.loads(world.plan("schema", "publish").stdout)).validate(found)
    return found


@contextmanager
def working(world: World, **flags: Any) -> Iterator[None]:
    """Let an enactor do cycles beside the test."""
    machine, is_over = world.machine("az-1", **flags), threading.Event()

    def work() -> None:
        while not is_over.is_set():
            machine.cycle()
            time.sleep(0.1)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(40.0)
        assert not thread.is_alive()


def test_once_ends_when_every_server_has_what_it_wrote(world: World) -> None:
    """Exit 0, one JSON object, and a sentence on stderr; the opening of a generation alone is waited for too."""
    world.sandbox.configure(insync_seconds=1.0)
    world.publish(world.endpoint(1))
    result = world.run("once", "--wait-insync", "--json")
    assert result.exit_code == 0, result.output
    assert fits(world, "once", result.stdout)["insync"] is True
    assert "all changes (1) are INSYNC after" in result.stderr
    assert world.sandbox.calls(GET_CHANGE) >= 2
    asked = world.sandbox.calls(GET_CHANGE)
    publish(world, world.endpoint(1), retired=("gone.example.test.",))
    result = world.run("once", "--wait-insync")
    assert (result.exit_code, "all changes (1) are INSYNC after" in result.stderr) == (0, True)
    assert world.sandbox.calls(GET_CHANGE) > asked
    result = world.run("once", "--wait-insync", "--json")
    assert "nothing was changed" in result.stderr
    assert fits(world, "once", world.run("once", "--json").stdout)["insync"] is None


def test_once_says_what_is_not_insync_when_the_time_is_up(world: World) -> None:
    """Exit 1; the work is done all the same."""
    world.sandbox.configure(insync_seconds=60.0)
    world.publish(world.endpoint(1))
    result = world.run("once", "--wait-insync", "--timeout", "1s", "--json")
    assert (result.exit_code, fits(world, "once", result.stdout)["insync"]) == (1, False)
    assert "not known to be INSYNC" in result.stderr
    assert world.stands() != ()


def test_once_may_not_ask_and_says_so(world: World) -> None:
    """A permission that only this flag needs."""
    world.publish(world.endpoint(1))
    world.fault(FaultRule(action="deny", operation=GET_CHANGE, count=None))
    result = world.run("once", "--wait-insync")
    assert (result.exit_code, "GetChange" in result.stderr) == (1, True)


def test_a_timeout_without_the_flag_is_wrong_usage(world: World) -> None:
    """It would be taken for something else."""
    assert world.run("once", "--timeout", "1m").exit_code == 2
    assert world.plan("publish", "--plan", world.plan_file(world.endpoint(1)), "--timeout", "1m").exit_code == 2
    assert world.run("once", "--wait-insync", "--timeout", "2h").exit_code == 2


def test_a_publish_ends_when_its_generation_is_in_force_everywhere(world: World) -> None:
    """Exit 0, with an enactor at work beside it; the same again is in force at once."""
    with working(world):
        found = published(world, expect=0)
        assert (found["generation"], found["created"], found["in_force"], "held_back" in found) == (
            1,
            True,
            True,
            False,
        )
        assert world.stands() != ()
    again = published(world, expect=0)
    assert (again["generation"], again["created"], again["in_force"]) == (1, False, True)
    text = world.plan("publish", "--plan", world.plan_file(world.endpoint(1, 2), world.endpoint(3, name=WEB)), "--wait")
    assert (text.exit_code, "unchanged generation 1" in text.stdout) == (0, True)
    assert "generation 1 is in force everywhere" in text.stderr


def test_a_publish_without_an_enactor_ends_when_the_time_is_up(world: World) -> None:
    """Exit 1; every zone and endpoint that is not there yet is named."""
    found = published(world, "--timeout", "1s", expect=1)
    assert (found["created"], found["in_force"]) == (True, False)
    assert found["held_back"][0] == f"zone {world.zone} is open at 0, not at 1 yet"
    assert any("api.example.test." in line and "missing" in line for line in found["held_back"])


def test_what_a_person_holds_back_ends_the_waiting_at_once(world: World) -> None:
    """Exit 3: the rest is in force."""
    with working(world):
        published(world, expect=0)
        assert world.run("hold", "api.example.test", "--reason", "a test").exit_code == 0
        found = published(world, expect=3, numbers=(1, 2, 4))
    assert found["in_force"] is False
    (line,) = found["held_back"]
    assert line.startswith(f"api.example.test. in zone {world.zone} is held")


def test_a_stopped_zone_ends_the_waiting_at_once(world: World) -> None:
    """Exit 3, with the command that starts it."""
    assert world.run("stop", "--reason", "a test").exit_code == 0
    found = published(world, expect=3)
    assert found["held_back"] == [f"zone {world.zone} is stopped: `enactor start --zone {world.zone}`"]


def test_nothing_is_waited_for_where_nothing_was_stored(world: World) -> None:
    """A plan-wide refusal is exit 3 as ever."""
    with working(world):
        published(world, expect=0)
    result = world.plan("publish", "--plan", world.plan_file(), "--wait", "--json")
    assert (result.exit_code, "in_force" in json.loads(result.stdout)) == (3, False)


def test_a_zone_that_cannot_be_read_is_asked_for_again_until_the_time_is_up(world: World) -> None:
    """Exit 1: nobody knows."""
    world.fault(FaultRule(action="deny", operation="ListResourceRecordSets", count=None))
    found = published(world, "--timeout", "1s", expect=1)
    assert any("ListResourceRecordSets" in line for line in found["held_back"])


@pytest.mark.parametrize("zones", ["Z0OTHERZONE00"])
def test_zones_that_are_not_told_are_not_waited_for(world: World, zones: str) -> None:
    """It is said, and with none left nothing is called in force."""
    path = world.plan_file(world.endpoint(1))
    result = world.plan("publish", "--plan", path, "--wait", ENACTOR_ZONES=zones)
    assert result.exit_code == 1
    assert f"not looked at, because --zones does not name them: {world.zone}" in result.stderr
    assert "published generation 1" in result.stdout

"""A person's hands in these tests: verbs that run, wait beside the test or are left on their way; what is wiped or published by hand."""

import json
import threading
from collections.abc import Callable
from typing import Any

from click.testing import Result

from enactor.sandbox.faults import FaultRule

from .world import CHANGE, PATIENCE_SECONDS, World

WHY = ("--reason", "a test")
WEB_FENCE = "web._fence.example.test."
V6 = {"id": "six", "type": "AAAA", "value": "2001:db8::1", "weight": 10}


def done(world: World, *words: str, expect: int = 0) -> str:
    """Run a verb and return all that it said."""
    result = world.run(*words, *WHY)
    assert result.exit_code == expect, result.output
    return str(result.output)


def beside(world: World, *words: str) -> Callable[[], Result]:
    """Begin a verb beside the test; what is returned waits for its end."""
    box: list[Result] = []
    thread = threading.Thread(target=lambda: box.append(world.run(*words, *WHY)), daemon=True)
    thread.start()

    def end() -> Result:
        thread.join(PATIENCE_SECONDS)
        assert box, "the verb did not end"
        return box[0]

    return end


def abandoned(world: World, *words: str) -> str:
    """Begin a verb as a process, hold what it writes on its way, and kill the process; return what lets the request go."""
    ours = (world.switch_name, WEB_FENCE)  # and no scratch name of a self-test
    world.fault(FaultRule(action="hold", operation=CHANGE, zone=world.zone, names=ours))
    command = world.spawn(*words, *WHY)
    (late,) = world.wait_held()
    command.kill()
    return late.token


def wipe(world: World, *names: str) -> None:
    """Delete every record set at these names, as a person at the console does."""
    for name in names:
        world.edit("DELETE", *world.sandbox.zone(world.zone).sets(name))


def publish(world: World, *endpoints: dict[str, Any], retired: tuple[str, ...] = ()) -> None:
    """Publish a plan of these endpoints that has some names as retired."""
    path = world.folder / "plan.json"
    gone = [{"name": name, "zone": world.zone} for name in retired]
    path.write_text(json.dumps({"format": 1, "fleet": world.fleet, "endpoints": endpoints, "retired": gone}))
    result = world.plan("publish", "--plan", str(path))
    assert result.exit_code == 0, result.output

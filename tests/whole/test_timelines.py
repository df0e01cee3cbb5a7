"""The timelines of a worker's page reach back to before it started, and no endpoint waits for that."""

import json
import urllib.request
from dataclasses import replace
from typing import Any

import jsonschema

from enactor.chores import Chore
from enactor.cli.recalling import Recalling
from enactor.live_report import Recalled
from enactor.sandbox.faults import FaultRule
from planner.schemas import schema_of
from tests.loopback import free_port

from .history import API
from .world import PATIENCE_SECONDS, Machine, World, until

HELD = FaultRule(action="hold", service="dynamodb", operation="Query", contains="event#")
DENIED = replace(HELD, action="deny")


class Listener:
    """Who is told, and a reader of the machine's table."""

    def __init__(self, machine: Machine) -> None:
        doors = machine.doors
        self.told: list[Recalled] = []
        self.failed: list[tuple[str, str]] = []
        self.recalling = Recalling(
            doors.table,
            zones=doors.settings.zones,
            clock=doors.clock,
            aws_now=doors.zones.aws_now,
            told=self.told.append,
            failed=lambda *what: self.failed.append(what),
        )
        self.chore: Chore = self.recalling.chore()

    def due(self) -> None:
        self.chore.run_if_due(1e9)


def shown(port: int) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status", timeout=5) as answer:
        return json.loads(answer.read())


def test_a_worker_that_starts_shows_what_was_done_before_it(world: World) -> None:
    """By whom, at which generation, and in which state it was found; its own step comes after that."""
    world.publish(world.endpoint(1, 2))
    world.once(ENACTOR_ID="az-1")
    world.publish(world.endpoint(1, 2, 3))
    world.once(ENACTOR_ID="az-2")
    assert world.run("hold", API, "--reason", "looking").exit_code == 0
    port = free_port()
    flags = ("--every", "0.2s", "--state-dir", str(world.folder / "state"), "--metrics", f"127.0.0.1:{port}")
    worker = world.spawn("run", *flags, ENACTOR_ID="az-3")
    found: dict[str, Any] = {}

    def reaches_back() -> bool:
        try:
            found.update(shown(port))
        except OSError:
            return False
        return bool(found["endpoints"] and found["endpoints"][0].get("before"))

    until(reaches_back, "the history is read")
    jsonschema.Draft202012Validator(schema_of("api-status")).validate(found)
    (endpoint,) = found["endpoints"]
    told = [(one["verb"], one["by"], one.get("generation"), one.get("cause")) for one in endpoint["before"]]
    assert told[:2] == [("swap", "az-1", 1, "missing"), ("swap", "az-2", 2, "behind")]
    assert told[2][:2] == ("hold", "tester")
    assert [step["state"] for step in endpoint["timeline"]] == ["held"]
    worker.kill()


def test_a_history_that_does_not_answer_is_told_and_left_and_holds_nothing_up(world: World) -> None:
    """Its question is held; a cycle repairs what was wiped meanwhile; nobody asks again."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine()
    machine.cycle()
    listener = Listener(machine)
    handle = world.fault(HELD)
    listener.due()
    (held,) = world.wait_held()
    world.edit("DELETE", *world.sandbox.zone(world.zone).sets(API))
    assert machine.cycle().outcome == "changed"
    assert (len(world.stands()), listener.told) == (2, [])
    world.sandbox.remove_fault(handle)
    world.fault(replace(DENIED, count=None))
    world.sandbox.release(held.token)
    listener.recalling.join(PATIENCE_SECONDS)
    first = len(listener.told) + len(listener.failed)
    assert first == 1
    listener.due()
    listener.recalling.join(PATIENCE_SECONDS)
    assert len(listener.told) + len(listener.failed) == first


def test_a_denied_history_is_told_by_its_name(world: World) -> None:
    """In a sentence; the timelines then begin with the process."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine()
    machine.cycle()
    world.fault(DENIED)
    listener = Listener(machine)
    listener.due()
    listener.recalling.join(PATIENCE_SECONDS)
    ((name, why),) = listener.failed
    assert (name, why.startswith("reading the history failed"), listener.told) == ("history", True, [])


def test_what_a_process_did_itself_is_not_told_as_of_before(world: World) -> None:
    """Though it stands in the history when that is read."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine()
    listener = Listener(machine)
    machine.cycle()
    listener.due()
    listener.recalling.join(PATIENCE_SECONDS)
    (recalled,) = listener.told
    assert recalled.puts == {}
    assert "swap" in world.run("history", API).stdout

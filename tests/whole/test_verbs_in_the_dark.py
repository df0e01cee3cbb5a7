"""Every verb of a person works with the planner dead, the plan table away and the zone stopped; its reason is in log and Comment."""

import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from .history import API
from .world import WEB, World, record

NOWHERE = "http://127.0.0.1:9"
WHY = "the drill of Monday"
FOREIGN = "foreign.example.test."
GONE = "gone.example.test."


@pytest.fixture
def stopped(world: World) -> World:
    """Two endpoints in force, plans on disk, a foreign name, one held; the zone is stopped."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine("a", **{"state-dir": disk(world)}).cycle()
    world.edit("CREATE", record("192.0.2.50", name=FOREIGN))
    assert world.run("hold", WEB, "--reason", "before").exit_code == 0
    assert world.run("stop", "--reason", "before").exit_code == 0
    return world


def disk(world: World) -> str:
    return str(world.folder / "state")


def words_of(verb: str, world: World) -> tuple[str, ...]:
    with_disk = ("--state-dir", disk(world))
    return {
        "stop": ("stop",),
        "start": ("start",),
        "hold": ("hold", API, "--for", "2h"),
        "release": ("release", WEB),
        "allow": ("allow", API, "--guard", "shrink-targets", "--generation", "2"),
        "adopt": ("adopt", FOREIGN, "--yes"),
        "retire": ("retire", GONE, "--yes", *with_disk),
        "heal": ("heal", API, "--yes", *with_disk),
        "heal --plan": ("heal", API, "--yes", "--plan", world.plan_file(world.endpoint(1, 3))),
        "deinit": ("deinit", "--zone", world.zone, "--yes"),
    }[verb]


def is_done(verb: str, world: World) -> bool:
    """Tell from the zone alone whether a verb did what it says."""
    sets = world.sandbox.zone(world.zone).sets
    return {
        "stop": lambda: "mode=stop" in world.switch_text(),
        "start": lambda: "mode=run gen=1 " in world.switch_text(),
        "hold": lambda: "state=hold until=" in world.fence_text(),
        "release": lambda: "state=live" in world.fence_text("web"),
        "allow": lambda: "allow=shrink-targets@2:" in world.fence_text(),
        "adopt": lambda: " gen=0 " in world.fence_text("foreign"),
        "retire": lambda: "state=retired" in world.fence_text("gone"),
        "heal": lambda: len(world.stands()) == 2,
        "heal --plan": lambda: "192.0.2.3" in str(world.stands()) and "state=hold until=" in world.fence_text(),
        "deinit": lambda: not [one for one in sets() if "_fence" in one["Name"]],
    }[verb]()


@pytest.mark.parametrize(
    "verb", ["stop", "start", "hold", "release", "allow", "adopt", "retire", "heal", "heal --plan", "deinit"]
)
def test_a_verb_works_stopped_and_in_the_dark_and_its_reason_is_in_log_and_comment(stopped: World, verb: str) -> None:
    """Route 53 is all that it needs; who reads CloudTrail, or the log, sees why."""
    if verb == "stop":
        stopped.retype(stopped.switch_name, stopped.switch_text().strip('"').replace("mode=stop", "mode=run"))
    if verb == "heal":
        stopped.edit("DELETE", *stopped.sandbox.zone(stopped.zone).sets(API))
    watch = stopped.watch()
    command = stopped.spawn(*words_of(verb, stopped), "--reason", WHY, AWS_ENDPOINT_URL_DYNAMODB=NOWHERE)
    status, stdout, stderr = command.ended()
    assert status == 0, stdout + stderr
    assert is_done(verb, stopped)
    assert {f"reason={WHY}" in batch.comment for batch in watch.batches} == {True}
    (event,) = [one for one in map(read, stderr.splitlines()) if one.get("event") == "verb-ended"]
    assert (event["verb"], event["outcome"], event["reason"]) == (verb.split(maxsplit=1)[0], "changed", WHY)


def test_a_snapshot_is_taken_in_the_dark_and_restores_what_stood(stopped: World) -> None:
    """What it says goes back as it is, in a change batch made by hand."""
    status, stdout, stderr = stopped.spawn(
        "snapshot", "--zone", stopped.zone, AWS_ENDPOINT_URL_DYNAMODB=NOWHERE
    ).ended()
    assert status == 0, stderr
    before = stopped.sandbox.zone(stopped.zone).sets()
    ours = [one for one in json.loads(stdout)["ResourceRecordSets"] if one["Type"] not in {"NS", "SOA"}]
    stopped.edit("DELETE", *ours)
    assert len(stopped.sandbox.zone(stopped.zone).sets()) == 2
    stopped.edit("CREATE", *ours)
    assert stopped.sandbox.zone(stopped.zone).sets() == before


def test_a_name_is_disowned_in_the_dark(stopped: World) -> None:
    """Nothing lists it; its record sets stay."""
    assert stopped.run("adopt", FOREIGN, "--yes", "--reason", "before").exit_code == 0
    words = ("disown", FOREIGN, "--yes", "--state-dir", disk(stopped), "--reason", WHY)
    status, stdout, stderr = stopped.spawn(*words, AWS_ENDPOINT_URL_DYNAMODB=NOWHERE).ended()
    assert status == 0, stdout + stderr
    assert len(stopped.stands(FOREIGN)) == 1
    assert not stopped.sandbox.zone(stopped.zone).sets("foreign._fence.example.test.")


class Hole:
    """A table that takes every connection and never answers; it counts them."""

    def __init__(self) -> None:
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self.taken: list[socket.socket] = []
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        while True:
            try:
                self.taken.append(self._door.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        self._door.close()
        for one in self.taken:
            one.close()


@pytest.fixture
def hole() -> Iterator[Hole]:
    made = Hole()
    yield made
    made.close()


@pytest.mark.parametrize(("verb", "asked"), [("stop", 1), ("start", 2)])
def test_a_brake_asks_a_table_that_swallows_requests_at_most_once(
    stopped: World, hole: Hole, verb: str, asked: int
) -> None:
    """The history asks once more. Each costs seconds that a person at the brake does not have, so nothing is tried again."""
    if verb == "stop":
        assert stopped.run("start", "--reason", "before").exit_code == 0
    status, stdout, stderr = stopped.spawn(verb, "--reason", WHY, AWS_ENDPOINT_URL_DYNAMODB=hole.url).ended()
    assert status == 0, stdout + stderr
    assert is_done(verb, stopped)
    assert len(hole.taken) == asked


def read(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return {}

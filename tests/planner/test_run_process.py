"""`planner run` as real processes on the sandbox: one that watches and ends on SIGTERM, and two for one fleet at once."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from enactor.plan import StoredPlan
from enactor.sandbox.faults import FaultRule
from tests.loopback import free_port

PATIENCE_SECONDS = 60.0


class Process:
    """A running planner and its log."""

    def __init__(self, world: Any, path: Path, name: str, log: Path) -> None:
        self._log = log
        command = [sys.executable, "-m", "planner", "run", str(path), "--every", "0.3s", "--id", name]
        self.port = free_port()
        command += ["--metrics", f"127.0.0.1:{self.port}"]
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(command, env={**os.environ, **world.environment}, stderr=stderr)

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text().splitlines() if line.endswith("}")]

    def outcomes(self) -> list[str]:
        return [event["outcome"] for event in self.events() if event["event"] == "look-ended"]

    def fetched(self, path: str) -> str:
        """Return what its port answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return f"{error.code}: {error.read().decode()}"

    def stop(self) -> float:
        """Ask it to stop as an operating system does, and return how long that took; its exit status is 0."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE_SECONDS) == 0
        return time.monotonic() - begun


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def inventory(world: Any, *numbers: int) -> None:
    """Replace the inventory in one step, as who writes one should."""
    listed = [{"id": f"lb-{n}", "capacity": 100, "addresses": [f"192.0.2.{n}"]} for n in numbers]
    beside = world.directory / "lbs.new"
    beside.write_text(json.dumps(listed))
    beside.replace(world.directory / "lbs.yaml")


@pytest.fixture
def fleet(world: Any) -> Path:
    """A fleet file whose pool comes from a file of three load balancers."""
    inventory(world, 1, 2, 3)
    file = {
        "fleet": "edge",
        "zones": {"main": {"id": world.zone, "name": "example.test"}},
        "sources": {"files": {"kind": "file", "path": "lbs.yaml"}},
        "pools": {"blue": {"from": ["files"]}},
        "pace": {"gather": "1s"},
        "endpoints": [{"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}}],
    }
    path: Path = world.write("fleet.yaml", json.dumps(file))
    return path


def ids(world: Any) -> list[str]:
    """Return the targets of the newest plan."""
    head = world.table.head()
    stored = world.table.read(head.generation) if head else None
    return [one.id for one in stored.plan.endpoints[0].targets] if isinstance(stored, StoredPlan) else []


def test_a_planner_watches_publishes_and_ends_on_sigterm(world: Any, fleet: Path) -> None:
    """It follows its source and its file; its log is JSON with the events' names; SIGTERM ends it within ten seconds."""
    planner = Process(world, fleet, "p1", world.directory / "p1.log")
    try:
        until(lambda: ids(world) == ["lb-1", "lb-2", "lb-3"], "the first plan")
        inventory(world, 1, 2, 3, 4)
        until(lambda: ids(world) == ["lb-1", "lb-2", "lb-3", "lb-4"], "a gathered plan")
        (world.directory / "lbs.yaml").rename(world.directory / "away.yaml")
        until(lambda: "no-plan" in planner.outcomes(), "a source that fails")
        until(
            lambda: planner.fetched("/readyz").startswith("503: degraded: the last look ended as no-plan"), "degraded"
        )
        assert planner.fetched("/healthz") == "ok\n"
        assert 'planner_no_plans_total{reason="source-failed"} 1.0' in planner.fetched("/metrics")
        (world.directory / "away.yaml").rename(world.directory / "lbs.yaml")
        until(lambda: planner.outcomes()[-1] == "unchanged", "on it goes")
        until(lambda: planner.fetched("/readyz") == "ok\n", "ready again")
        fleet.write_text(fleet.read_text().replace('"blue": 1', '"blue": 0.5'))
        until(lambda: world.table.head().generation == 3, "an edit")
        assert planner.stop() < 10
    finally:
        planner.process.kill()
    events = planner.events()
    assert [events[0]["event"], events[-1]["event"]] == ["starting", "stopped"]
    (refused,) = [event for event in events if event["event"] == "no-plan"]
    assert (refused["reason"], refused["sources"], refused["planner"]) == ("source-failed", ["files"], "p1")
    urgent = [event["urgent"] for event in events if event.get("outcome") == "published"]
    assert urgent == [["the planner started"], [], ["the fleet file was edited"]]
    assert "gathering" in planner.outcomes()


def test_a_planner_whose_table_swallows_every_request_ends_on_sigterm_too(world: Any, fleet: Path) -> None:
    """A request that nobody answers has its own limit, under the ten seconds."""
    world.sandbox.add_fault(
        FaultRule(action="timeout-before", service="dynamodb", operation="GetItem", count=None, seconds=30.0)
    )
    planner = Process(world, fleet, "p1", world.directory / "p1.log")
    try:
        until(lambda: any(event["event"] == "starting" for event in planner.events()), "it starts")
        time.sleep(1.0)
        assert planner.stop() < 10
    finally:
        planner.process.kill()
        world.sandbox.clear_faults()


def test_two_planners_at_once_make_one_plan_of_each_change(world: Any, fleet: Path) -> None:
    """Case 13: no tug-of-war; who is overtaken finds it done, and both end well."""
    planners = [Process(world, fleet, name, world.directory / f"{name}.log") for name in ("p1", "p2")]
    try:
        for last in (3, 4, 5, 6):
            inventory(world, *range(1, last + 1))
            until(lambda last=last: len(ids(world)) == last, f"{last} targets")  # type: ignore[misc]
        settled = world.table.head()
        counts = [len(planner.outcomes()) for planner in planners]
        until(
            lambda: all(len(one.outcomes()) > count + 3 for one, count in zip(planners, counts, strict=True)),
            "some looks more",
        )
        assert world.table.head() == settled, "nobody pulls"
        assert settled.generation <= 4 + 1, (
            "each change was published once; the first file may have been seen in two steps"
        )
        assert all(planner.stop() < 10 for planner in planners)
    finally:
        for planner in planners:
            planner.process.kill()
    published = [planner.outcomes().count("published") for planner in planners]
    assert sum(published) == settled.generation

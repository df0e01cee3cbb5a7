"""The planner on the real kinds of source: load balancers of the sandbox's AWS, and targets that it checks itself."""

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from enactor.plan import StoredPlan
from tests.planner.elbv2_builders import Region
from tests.planner.test_run_process import Process, until

REGION = "us-east-1"


def plan_ids(world: Any) -> list[str]:
    head = world.table.head()
    stored = world.table.read(head.generation) if head else None
    return [one.id for one in stored.plan.endpoints[0].targets] if isinstance(stored, StoredPlan) else []


def fleet(world: Any, **parts: Any) -> Path:
    file = {
        "fleet": "edge",
        "zones": {"main": {"id": world.zone, "name": "example.test"}},
        "health": {"rise": 2, "fall": 2, "brake": 0.5},
        "pace": {"gather": "1s"},
        "endpoints": [{"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}, "types": ["A"]}],
    }
    path: Path = world.write("fleet.yaml", json.dumps(file | parts))
    return path


@pytest.fixture
def region(server: Any, world: Any) -> Region:
    """Four load balancers of one name each test, with a healthy target behind each."""
    return Region(server, REGION)


def test_load_balancers_of_an_account_and_their_health_become_plans(world: Any, region: Region) -> None:
    """Inventory and health from `elbv2`: aliases, out when the targets behind one are unhealthy, in when they are well."""
    groups = {}
    for number in range(1, 5):
        arn = region.balancer(f"edge-{number}", {"fleet": world.zone})
        groups[number] = region.group(f"web-{number}-{world.zone[-6:].lower()}", arn, {f"10.0.0.{number}": "healthy"})
    source = {"kind": "elbv2", "regions": [REGION], "tags": {"fleet": world.zone}}
    path = fleet(world, sources={"albs": source}, pools={"blue": {"from": ["albs"]}})
    planner = Process(world, path, "p1", world.directory / "p1.log")
    try:
        until(lambda: len(plan_ids(world)) == 4, "four load balancers")
        region.states(groups[2], {"10.0.0.2": "unhealthy"})
        until(lambda: plan_ids(world) == ["edge-1", "edge-3", "edge-4"], "one of them is unhealthy")
        region.states(groups[2], {"10.0.0.2": "healthy"})
        until(lambda: len(plan_ids(world)) == 4, "it is well again")
        assert planner.stop() < 10
    finally:
        planner.process.kill()
    explained = world.run("dry-run", path, "--explain", "edge-2").stdout
    assert "offered by albs (arn:aws:elasticloadbalancing:" in explained


class Listening:
    """A TCP port on an address of loopback that accepts, until it is closed."""

    def __init__(self, address: str, port: int = 0) -> None:
        self._socket = socket.create_server((address, port))
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.fixture
def targets() -> Iterator[list[Listening]]:
    """Four targets on one port."""
    first = Listening("127.0.0.1")
    found = [first, *(Listening(f"127.0.0.{n}", first.port) for n in (2, 3, 4))]
    yield found
    for one in found:
        with contextlib.suppress(OSError):  # the test closed it
            one.close()


def test_targets_that_the_planner_checks_itself_become_plans(world: Any, targets: list[Listening]) -> None:
    """Inventory from `file`, health from `probe`: one that refuses connections goes after `fall` looks."""
    listed = [{"id": f"lb-{n}", "capacity": 10, "addresses": [f"127.0.0.{n}"]} for n in range(1, 5)]
    world.write("lbs.yaml", json.dumps(listed))
    checks = {"kind": "probe", "protocol": "tcp", "port": targets[0].port, "every": "1s", "timeout": "500ms"}
    path = fleet(
        world,
        sources={"lbs": {"kind": "file", "path": "lbs.yaml"}, "checks": checks},
        pools={"blue": {"from": ["lbs"]}},
    )
    planner = Process(world, path, "p1", world.directory / "p1.log")
    try:
        until(lambda: len(plan_ids(world)) == 4, "four targets")
        targets[1].close()
        until(lambda: plan_ids(world) == ["lb-1", "lb-3", "lb-4"], "one refuses")
        assert planner.stop() < 10
    finally:
        planner.process.kill()

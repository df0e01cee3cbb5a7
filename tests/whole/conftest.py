"""One sandbox for all of these tests; each has a zone and a fleet of its own in it."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from enactor.outside import SystemChance, SystemClock
from enactor.sandbox.engine import Settings
from enactor.sandbox.server import Sandbox
from enactor.table import PlanTable, table_client

from .rows import Rows
from .world import World

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running


class SharingSession(boto3.Session):
    """A session that hands out one client for each service and time-out: making one costs as much as a whole cycle."""

    def __init__(self, told: dict[str, str]) -> None:
        super().__init__(told["AWS_ACCESS_KEY_ID"], told["AWS_SECRET_ACCESS_KEY"], region_name=told["AWS_REGION"])
        self._shared: dict[tuple[str, float], Any] = {}

    def client(self, service_name: Any, *arguments: Any, **more: Any) -> Any:
        key = (str(service_name), float(getattr(more.get("config"), "read_timeout", 0.0)))
        if key not in self._shared:
            make: Any = super().client
            self._shared[key] = make(service_name, *arguments, **more)
        return self._shared[key]


@pytest.fixture(scope="session")
def session(sandbox: Sandbox) -> Iterator[boto3.Session]:
    """The environment names this sandbox for as long as the session, and everything that is made with it, lives."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in sandbox.environment().items():
            patch.setenv(name, value)
        yield SharingSession(sandbox.environment())


@pytest.fixture(scope="module")
def table(session: boto3.Session) -> str:
    """A plan table for each module: DynamoDB's stand-in copies a whole table in each transaction, so small ones are quick."""
    name = f"plans-{next(_NUMBERS)}"
    PlanTable(table_client(session), name, "none", clock=SystemClock(), chance=SystemChance()).create_table()
    return name


@pytest.fixture
def bare(
    sandbox: Sandbox, session: boto3.Session, table: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[World]:
    """A zone without a switch, and a fleet without a plan."""
    monkeypatch.setattr(boto3, "Session", lambda: session)
    monkeypatch.setattr(boto3.session, "Session", lambda: session)
    monkeypatch.chdir(tmp_path)
    made = World(sandbox, tmp_path, f"fleet-{next(_NUMBERS)}", table)
    sandbox.reset_stats()
    yield made
    made.close()
    sandbox.clear_faults()
    for held in sandbox.held():
        sandbox.release(held.token)
    sandbox.engine.configure(Settings())


@pytest.fixture
def world(bare: World) -> World:
    """A zone in service, open at generation 0."""
    bare.open_zone()
    return bare


@pytest.fixture
def rows(world: World) -> Rows:
    """The fleet's part of the plan table, by hand."""
    return Rows(world)

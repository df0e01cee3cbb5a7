"""The real code over real boto3 clients, interleaved before every request they send, with faults: no promise breaks."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import boto3
import pytest
from botocore.exceptions import BotoCoreError

from enactor import outside
from enactor.sandbox.faults import FaultRule
from enactor.sandbox.isolation import inside, isolated
from enactor.sandbox.server import Sandbox

from . import probes
from .campaign import violation
from .exhaustive import search
from .scenarios import OCTOBER, PINNED, STARTED_AGAIN
from .schedules import Tally, campaign, decoded, encoded
from .stage import Scenario, Stage, Tier, timeline
from .stories import ALL, SELDOM
from .wire_alone import left
from .wire_clients import error_of
from .wire_promises import Failure
from .wire_world import CLOSED, ERROR, NOWHERE, UNREACHABLE, wire_tier
from .world import DOWN, THROTTLE

pytestmark = pytest.mark.timeout(600)  # a search is long by its nature; the limit is for one that does not end

RUNS: Final = 12
"""For each scenario. docs/simulator.md says what more costs, and where the rest is played."""
RUNS_OF_SELDOM: Final = 4
SOCKET_RUNS: Final = 3
FAULTS_MAX: Final = 4
REPOSITORY: Final = Path(__file__).parents[2]
MET: Final = frozenset({probes.CONFLICT, probes.CREATED, probes.COLLECTED})
"""What so few runs must meet all the same."""


@pytest.fixture(scope="module")
def wire() -> Iterator[Tier]:
    with wire_tier() as tier:
        yield tier


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_no_random_run_on_the_wire_breaks_a_promise(wire: Tier, scenario: Scenario) -> None:
    """Whatever request gets no answer, a late one, or an error in AWS's own words."""
    stage, tally, runs = Stage(scenario, wire), Tally(), RUNS_OF_SELDOM if scenario in SELDOM else RUNS
    campaign(stage, iter(range(runs)), faults_max=FAULTS_MAX, tally=tally)
    for line, found in tally.found:
        pytest.fail(violation(Stage(scenario, wire), line, found))
    assert tally.runs == runs
    if scenario is OCTOBER:
        assert stage.world.probes.hit >= MET


LONELY: Final = (
    left(OCTOBER, "planner"),
    left(OCTOBER, "a"),
    left(OCTOBER, "collect"),
    left(PINNED, "pins"),
)


@pytest.mark.parametrize("scenario", LONELY, ids=lambda scenario: scenario.name)
def test_no_fault_at_any_request_breaks_a_promise(wire: Tier, scenario: Scenario) -> None:
    """One actor alone, and each fault at each request that it sends, the SDK's own second attempts included."""
    stage = Stage(scenario, wire)
    result = search(stage, faults=1)
    for found in result.found:
        pytest.fail(violation(Stage(scenario, wire), "searched", found))
    assert not result.stopped_early
    assert set(result.by_fault) >= {THROTTLE, DOWN, UNREACHABLE, CLOSED, ERROR}


def traced(stage: Stage, seed: int) -> list[str]:
    """Return a run as a timeline."""
    tally = Tally(keep_steps=True)
    campaign(stage, iter((seed,)), faults_max=FAULTS_MAX, tally=tally)
    return timeline(stage, decoded(encoded(tally.last_steps)))


def test_the_same_seed_gives_the_same_trace(wire: Tier) -> None:
    """A run is its seed: whatever ran before it on the same clients, the trace is the same to the letter."""
    fresh, used = Stage(STARTED_AGAIN, wire), Stage(STARTED_AGAIN, wire)
    for seed in (1, 2, 3):
        traced(used, seed)
    for seed in (7, 8):
        trace = traced(fresh, seed)
        assert trace == traced(used, seed)
        assert len(trace) > 20


TRACE: Final = """
from tests.simulator.scenarios import STARTED_AGAIN
from tests.simulator.stage import Stage
from tests.simulator.test_wire import traced
from tests.simulator.wire_world import wire_tier
with wire_tier() as tier:
    print("\\n".join(line for seed in (3, 8) for line in traced(Stage(STARTED_AGAIN, tier), seed)))
"""


def test_the_trace_is_the_same_under_any_hash_seed() -> None:
    """Nothing rests on the order of a set, in our code or in the SDK's."""
    traces = set()
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(REPOSITORY)}
        done = subprocess.run(
            [sys.executable, "-c", TRACE], env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=True
        )
        traces.add(done.stdout)
    assert len(traces) == 1
    assert len(traces.pop().splitlines()) > 40


@pytest.mark.parametrize("scenario", [OCTOBER, STARTED_AGAIN], ids=lambda scenario: scenario.name)
def test_a_run_over_a_socket_is_the_same_run(wire: Tier, scenario: Scenario) -> None:
    """What the sandbox answers in this process is what it answers over HTTP: step by step the same run, and the same end."""
    inside = Stage(scenario, wire)
    with wire_tier(over_socket=True) as socket_tier:
        over_socket = Stage(scenario, socket_tier)
        for seed in range(SOCKET_RUNS):
            assert traced(over_socket, seed) == traced(inside, seed)
        assert [zone.records for zone in over_socket.world.zones] == [zone.records for zone in inside.world.zones]
        assert over_socket.world.tables == inside.world.tables
        assert list(map(repr, over_socket.world.answers)) == list(map(repr, inside.world.answers))


FAILURES: Final = {"timeout": "timeout-before", "closed": "disconnect", "unreachable": ""}
"""What the sandbox does to a real connection, by the failure that stands for it here."""


@pytest.mark.parametrize("kind", sorted(FAILURES))
def test_a_failure_is_what_a_socket_raises(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The very errors that botocore raises over a connection that breaks, runs dry or never comes about."""
    monkeypatch.setattr(outside, "READ_TIMEOUT_SECONDS", 0.2)
    with Sandbox() as sandbox:
        zone = sandbox.create_zone("example.test")
        environment = sandbox.environment() | ({} if FAILURES[kind] else {"AWS_ENDPOINT_URL": NOWHERE})
        if FAILURES[kind]:
            sandbox.add_fault(FaultRule(action=FAILURES[kind], seconds=1.0))  # type: ignore[arg-type]  # one of its words
        with inside(isolated(environment, {})):
            client = outside.route53_client(boto3.Session())
        with pytest.raises(BotoCoreError) as raised:
            client.get_hosted_zone(Id=zone)
        client.close()
    assert type(raised.value) is type(error_of(Failure(kind), NOWHERE))

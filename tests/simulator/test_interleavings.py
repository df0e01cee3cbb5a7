"""Every interleaving of the real code, and random ones with faults: no promise breaks."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from . import probes
from .campaign import replay, violation
from .exhaustive import Searched, search
from .scenarios import OCTOBER
from .schedules import Tally, campaign, decoded, encoded, replayed
from .stage import Scenario, Stage, Step, timeline
from .stories import ALL, OCTOBER_IN_PARTS, SELDOM, story

OCTOBER_STATES: Final = 293_344
"""How many states the October story has without a fault. A change of such a number is a change of what the code asks of the
outside, and the commit says why."""
ONE_FAULT_STATES: Final = {
    "october-without-collect": 155_629,
    "october-one-enactor": 104_801,
    "october-without-planner": 263_157,
}
"""The same story with one part left out and any one fault anywhere: how many states."""
TWO_ZONES_STATES: Final = {"two-zones-a-b-collect": 49_602, "two-zones-planner-a-collect": 7_740}
"""October over two hosted zones with one part left out, without a fault: how many states."""
pytestmark = pytest.mark.timeout(600)  # a search is long by its nature; the limit is for one that does not end

RUNS: Final = 4_600
RUNS_OF_LONG: Final = 300
RUNS_OF_SELDOM: Final = 150
LONG: Final = frozenset(
    {
        *(
            "x-y-x",
            "by-memory",
            "two-planners",
            "stop-and-start",
            "wiped",
            "restored",
            "one-id-twice",
            "late-after-stop",
        ),
        *("started-again", "released", "healed", "allowed", "disowned", "adopted", "brought-back", "pointed", "left"),
        *(
            "left-and-back",
            "stopped-twice",
            "held-twice",
            "healed-in-the-dark",
            "allowed-for-one",
            "drained",
            "mirrored",
        ),
        *("republished", "mirror-and-restore", "one-type", "from-disk"),
        *("stopped-for", "held-for", "allowed-until", "allowed-whole-until", "drained-again"),
        *(
            "meddled",
            "other-fleets",
            "two-texts",
            "switch-gone",
            "started-late",
            "all-gone",
            "failed-over",
            "adopted-all",
        ),
    }
)
"""Stories with so many states that a run of theirs costs five of another: they are played less here, and by the hour in a campaign."""
FAULTS_MAX: Final = 4

MEETS: Final[dict[str, frozenset[str]]] = {
    "october": frozenset({probes.OWN_WRITE_IN_THE_WAY, probes.COLLECTED, probes.SWEPT, probes.CREATED}),
    "x-y-x": frozenset({probes.OPENED_ALONE, probes.SUPERSEDED, probes.LOST_BUT_APPLIED}),
    "by-memory": frozenset({probes.CONFLICT, probes.LATE_REFUSED, probes.LATE_APPLIED, probes.LOST}),
    "two-planners": frozenset({probes.OVERTAKEN}),
    "two-collectors": frozenset({probes.PUT_BACK}),
    "refused": frozenset({probes.REFUSED_ENDPOINT, probes.REPAIRED}),
    "fences-broken": frozenset({probes.MARKED}),
    "restored": frozenset({probes.FLOOR}),
    "left-out": frozenset({probes.REFUSED_PLAN}),
    "started-again": frozenset({probes.DISK}),
    "retired": frozenset({probes.RETIRED, probes.RETIRE_LISTED, probes.VERB_CONFLICT}),
    "healed": frozenset({probes.HEALED}),
    "allowed": frozenset({probes.ALLOWED}),
    "stop-and-start": frozenset({probes.STOPPED, probes.VERB_LOST}),
    "disowned": frozenset({probes.DISOWNED, probes.DISOWNED_UNDER_WAY}),
    "adopted": frozenset({probes.ADOPTED}),
    "brought-back": frozenset({probes.RETIRED, probes.ADOPTED, probes.RETIRE_HELD}),
    "one-type": frozenset({probes.RETIRED, probes.RETIRE_OPEN}),
    "pointed": frozenset({probes.RETIRE_POINTED, probes.RETIRE_POINTED_SOON}),
    "left": frozenset({probes.LEFT, probes.DEINIT_REFUSED}),
    "left-and-back": frozenset({probes.LEFT, probes.CAME_BACK}),
    "healed-in-the-dark": frozenset({probes.HEALED, probes.HEAL_GATED}),
    "allowed-for-one": frozenset({probes.ALLOWED, probes.ALLOW_KEPT}),
    "allowed-whole": frozenset({probes.ALLOWED_PLAN}),
    "drained": frozenset({probes.DRAINED}),
    "republished": frozenset({probes.REPUBLISHED, probes.REPUBLISH_REFUSED}),
    "mirrored": frozenset({probes.MIRROR}),
    "mirror-mixed-up": frozenset({probes.MIRROR_DAMAGED, probes.MIRROR_OLD}),
    "loose": frozenset({probes.CYCLE_GATED}),
    "from-disk": frozenset({probes.DISK_IN_THE_DARK}),
    "signals": frozenset({probes.BRAKE_HELD, probes.SOURCE_SHRANK}),
    "rolled-back": frozenset({probes.LEFT_ALONE}),
    "mirror-and-restore": frozenset({probes.MIRROR_LOST, probes.MIRROR_RACED}),
    "head-gone": frozenset({probes.NO_HEAD, probes.FLOOR}),
    "head-astray": frozenset({probes.UNUSABLE, probes.PUT_BACK}),
    "chunks-spoilt": frozenset({probes.UNUSABLE}),
    "manifest-gone": frozenset({probes.UNUSABLE}),
    "unreadable": frozenset({probes.UNUSABLE}),
    "in-force-gone": frozenset({probes.REFUSED_ENDPOINT}),
    "half-done": frozenset({probes.SWEPT}),
    "two-zones": frozenset({probes.COLLECTED}),
    "one-denied": frozenset({probes.ZONE_DENIED}),
    "one-gone": frozenset({probes.ZONE_GONE}),
    "made-anew": frozenset({probes.ZONE_GONE, probes.CAME_BACK}),
    "stopped-for": frozenset({probes.STOP_ENDED}),
    "held-for": frozenset({probes.HOLD_ENDED}),
    "drained-again": frozenset({probes.DRAINED}),
    "meddled": frozenset({probes.REPAIRED, probes.CONFLICT}),
    "other-fleets": frozenset({probes.TAKEN_OVER}),
    "two-texts": frozenset({probes.STOPPED, probes.ADOPTED}),
    "switch-gone": frozenset({probes.STOPPED, probes.VERB_CONFLICT}),
    "all-gone": frozenset({probes.CAME_BACK, probes.CREATED}),
    "failed-over": frozenset({probes.WENT_BACK}),
    "adopted-all": frozenset({probes.ADOPTED_ALL, probes.TAKEN_OVER}),
}
"""The rare branches that each scenario must really meet."""


def test_every_rare_branch_is_asked_for() -> None:
    """A probe that no scenario has to meet would show nothing."""
    assert frozenset().union(*MEETS.values()) == frozenset(probes.ALL)
    assert set(MEETS) <= {scenario.name for scenario in ALL}


def runs_of(scenario: Scenario) -> int:
    """Return how many runs of a story are played."""
    if scenario in SELDOM:
        return RUNS_OF_SELDOM
    return RUNS_OF_LONG if scenario.name in LONG else RUNS


def test_over_a_hundred_thousand_runs_are_played() -> None:
    """However they are shared out; and every name is a story's."""
    assert sum(map(runs_of, ALL)) > 100_000
    assert {scenario.name for scenario in ALL} >= LONG


def assert_whole(stage: Stage, result: Searched, states: int, tell: Callable[[str, object], None]) -> None:
    """Hold a search against what it must have seen; `tell` puts its size at the end of pytest's output."""
    tell("searched", f"{stage.scenario.name}: {result.states:,} states, {result.steps:,} steps")
    for found in result.found:
        pytest.fail(violation(stage, "searched", found))
    assert not result.stopped_early
    assert result.states == states


def test_no_interleaving_of_october_breaks_a_promise(record_property: Callable[[str, object], None]) -> None:
    """Planner, two enactors and collect over two endpoints: every order of their calls, and every one of them killed anywhere."""
    stage = Stage(OCTOBER)
    assert_whole(stage, search(stage), OCTOBER_STATES, record_property)


@pytest.mark.parametrize("scenario", OCTOBER_IN_PARTS, ids=lambda scenario: scenario.name)
def test_no_interleaving_with_any_one_fault_breaks_a_promise(
    scenario: Scenario, record_property: Callable[[str, object], None]
) -> None:
    """Three of October's four, and any one fault at any call: a lost answer, a request that arrives late, a throttle, a stop."""
    stage = Stage(scenario)
    assert_whole(stage, search(stage, faults=1), ONE_FAULT_STATES[scenario.name], record_property)


@pytest.mark.parametrize("name", sorted(TWO_ZONES_STATES))
def test_no_interleaving_over_two_zones_breaks_a_promise(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    """Each zone is opened by a call of its own, and collect reads one after the other: every order of all these."""
    scenario = story(name)
    assert scenario is not None
    stage = Stage(scenario)
    assert_whole(stage, search(stage), TWO_ZONES_STATES[name], record_property)


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_no_random_run_with_faults_breaks_a_promise(scenario: Scenario) -> None:
    """Whatever strikes and whoever is late: no promise breaks, healthy hands bring everything right, and rare branches are met."""
    stage, tally = Stage(scenario), Tally()
    campaign(stage, iter(range(runs_of(scenario))), faults_max=FAULTS_MAX, tally=tally)
    for line, found in tally.found:
        pytest.fail(violation(stage, line, found))
    assert tally.runs == runs_of(scenario)
    assert MEETS.get(scenario.name, frozenset()) <= stage.world.probes.hit


def test_the_same_seed_gives_the_same_trace() -> None:
    """A run is its seed: whatever ran before it in the same process, the trace is the same to the letter."""
    traces = []
    for seeds in ((7,), (1, 2, 3, 7)):
        stage = Stage(OCTOBER)
        steps: list[Step] = []
        for seed in seeds:
            steps = run_of(stage, seed)
        traces.append(timeline(stage, decoded(encoded(steps))))
    assert traces[0] == traces[1]
    assert len(traces[0]) > 20


def run_of(stage: Stage, seed: int) -> list[Step]:
    tally = Tally(keep_steps=True)
    campaign(stage, iter((seed,)), faults_max=FAULTS_MAX, tally=tally)
    assert replayed(stage, tally.last_steps) is None
    return list(tally.last_steps)


REPOSITORY: Final = Path(__file__).parents[2]
TRACE: Final = """
from tests.simulator.scenarios import OCTOBER, STARTED_AGAIN
from tests.simulator.schedules import decoded, encoded
from tests.simulator.stage import Stage, timeline
from tests.simulator.test_interleavings import run_of
for stage in map(Stage, (OCTOBER, STARTED_AGAIN)):
    for seed in (3, 7, 8):
        print("\\n".join(timeline(stage, decoded(encoded(run_of(stage, seed))))))
"""


def test_the_trace_is_the_same_under_any_hash_seed() -> None:
    """Nothing rests on the order of a set."""
    traces = set()
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(REPOSITORY)}
        done = subprocess.run(
            [sys.executable, "-c", TRACE], env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=True
        )
        traces.add(done.stdout)
    assert len(traces) == 1
    assert len(traces.pop().splitlines()) > 100


DERIVED: Final = (
    "october-without-collect",
    "october-a",
    "two-planners-planner-2-a-collect",
    "brought-back-a-ann-planner",
    "dropped-again",
)


@pytest.mark.parametrize("name", DERIVED)
def test_a_story_that_was_made_of_another_is_replayed_by_its_name(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line that a violation prints is the line that plays it again, whoever was left out."""
    found = story(name)
    assert found is not None
    assert found.name == name
    assert replay(name, "0,0", "thin") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_story_that_nobody_knows_is_not_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    """And the answer names the stories there are."""
    assert replay("october-nobody", "0", "thin") == 2
    assert "no scenario is called october-nobody" in capsys.readouterr().err

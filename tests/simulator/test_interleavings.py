"""Every interleaving of the real code, and random ones with faults: no promise breaks."""

from typing import Final

import msgspec
import pytest

from . import probes
from .exhaustive import Searched, search
from .scenarios import OCTOBER
from .schedules import Tally, campaign, decoded, encoded, replayed, shrunk
from .stage import Scenario, Stage, Step, timeline
from .stories import ALL

OCTOBER_STATES: Final = 293_344
"""How many states the October story has without a fault. A change of such a number is a change of what the code asks of the
outside, and the commit says why."""
ONE_FAULT_STATES: Final = {
    "without-collect": ((0, 1, 2), 155_629),
    "one-enactor": ((0, 1, 3), 104_801),
    "without-planner": ((1, 2, 3), 263_157),
}
"""The same story with one part left out and any one fault anywhere: which actors, and how many states."""
pytestmark = pytest.mark.timeout(600)  # a search is long by its nature; the limit is for one that does not end

RUNS: Final = 4_600
RUNS_OF_LONG: Final = 300
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
        *("republished", "mirror-and-restore", "one-type"),
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
    "mirror-and-restore": frozenset({probes.MIRROR_LOST, probes.MIRROR_RACED}),
}
"""The rare branches that each scenario must really meet."""


def test_every_rare_branch_is_asked_for() -> None:
    """A probe that no scenario has to meet would show nothing."""
    assert frozenset().union(*MEETS.values()) == frozenset(probes.ALL)
    assert set(MEETS) <= {scenario.name for scenario in ALL}


def runs_of(scenario: Scenario) -> int:
    """Return how many runs of a story are played."""
    return RUNS_OF_LONG if scenario.name in LONG else RUNS


def test_over_a_hundred_thousand_runs_are_played() -> None:
    """However they are shared out; and every name is a story's."""
    assert sum(map(runs_of, ALL)) > 100_000
    assert {scenario.name for scenario in ALL} >= LONG


def assert_whole(stage: Stage, result: Searched, states: int) -> None:
    for found in result.found:
        pytest.fail("\n".join([*found.faults, *timeline(stage, found.steps), encoded(found.steps)]))
    assert not result.stopped_early
    assert result.states == states


def test_no_interleaving_of_october_breaks_a_promise() -> None:
    """Planner, two enactors and collect over two endpoints: every order of their calls, and every one of them killed anywhere."""
    stage = Stage(OCTOBER)
    assert_whole(stage, search(stage), OCTOBER_STATES)


@pytest.mark.parametrize("left", sorted(ONE_FAULT_STATES))
def test_no_interleaving_with_any_one_fault_breaks_a_promise(left: str) -> None:
    """Three of October's four, and any one fault at any call: a lost answer, a request that arrives late, a throttle, a stop."""
    actors, states = ONE_FAULT_STATES[left]
    cast = tuple(OCTOBER.actors[index] for index in actors)
    stage = Stage(msgspec.structs.replace(OCTOBER, name=f"october-{left}", actors=cast))
    assert_whole(stage, search(stage, faults=1), states)


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_no_random_run_with_faults_breaks_a_promise(scenario: Scenario) -> None:
    """Whatever strikes and whoever is late: no promise breaks, healthy hands bring everything right, and rare branches are met."""
    stage, tally = Stage(scenario), Tally()
    campaign(stage, iter(range(runs_of(scenario))), faults_max=FAULTS_MAX, tally=tally)
    for line, found in tally.found:
        short = shrunk(stage, found)
        pytest.fail("\n".join([line, *short.faults, *timeline(stage, short.steps), encoded(short.steps)]))
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

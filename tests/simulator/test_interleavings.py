"""Every interleaving of the real code, and random ones with faults: no promise breaks."""

import pytest

from .exhaustive import search
from .scenarios import ALL, OCTOBER
from .schedules import Tally, campaign, encoded
from .stage import Scenario, Stage, timeline

OCTOBER_STATES = 250_977
"""How many states the October story has without a fault. A change of this number is a change of what the code asks of the outside,
and the commit says why."""
RUNS = 1_000


def test_no_interleaving_of_october_breaks_a_promise() -> None:
    """Planner, two enactors and collect over two endpoints: every order of their calls, and every one of them killed anywhere."""
    result = search(Stage(OCTOBER))
    assert result.found == []
    assert not result.stopped_early
    assert result.states == OCTOBER_STATES


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_no_random_run_with_faults_breaks_a_promise(scenario: Scenario) -> None:
    """Whatever strikes and whoever is late: no promise breaks, and healthy hands bring everything right."""
    stage, tally = Stage(scenario), Tally()
    campaign(stage, iter(range(RUNS)), faults_max=4, tally=tally)
    for line, found in tally.found:
        pytest.fail("\n".join([line, *found.faults, *timeline(stage, found.steps), encoded(found.steps)]))
    assert tally.runs == RUNS

"""Every protection is needed: with it taken out a named promise breaks, and the search finds it."""

import re
from pathlib import Path

import pytest

from .campaign import violation
from .scenarios_guards import SINGLE
from .schedules import Tally, campaign, shrunk
from .stage import Scenario, Stage, timeline
from .teeth import Tooth
from .teeth_verbs import TEETH

pytestmark = pytest.mark.timeout(600)  # a search is long by its nature; the limit is for one that does not end

RUNS_MAX = 6_000
RUNS_WHOLE = 300
TABLE = Path(__file__).parents[2] / "docs" / "simulator.md"


@pytest.mark.parametrize("tooth", TEETH, ids=lambda tooth: tooth.name)
def test_without_the_protection_a_promise_breaks(tooth: Tooth) -> None:
    """Found by random runs, shrunk, and told as a timeline."""
    with tooth.out():
        stage, tally = Stage(tooth.scenario), Tally()
        campaign(stage, iter(range(RUNS_MAX)), faults_max=3, tally=tally)
        assert tally.found, f"{tooth.name}: nothing breaks without it"
        short = shrunk(stage, tally.found[0][1])
        assert {fault.split(":")[0] for fault in short.faults} & tooth.promises
        assert len(timeline(stage, short.steps)) >= len(short.steps)
        assert len(short.steps) <= len(tally.found[0][1].steps)


@pytest.mark.parametrize("scenario", SINGLE, ids=lambda scenario: scenario.name)
def test_with_every_protection_the_stories_of_single_ones_break_nothing(scenario: Scenario) -> None:
    """What a tooth shows is its protection's doing, and not the story's."""
    stage, tally = Stage(scenario), Tally()
    campaign(stage, iter(range(RUNS_WHOLE)), faults_max=3, tally=tally)
    for line, found in tally.found:
        pytest.fail(violation(stage, line, found))
    assert tally.runs == RUNS_WHOLE


def test_the_table_in_the_docs_lists_every_protection() -> None:
    """One row each: the protection, the promise, the story."""
    rows = re.findall(
        r"^\| (.+?) \| (.+?) \| (.+?) \| \d+ \| \d+\.\d \|$", TABLE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rows == [(tooth.name, ", ".join(sorted(tooth.promises)), tooth.scenario.name) for tooth in TEETH]
    assert len(TEETH) >= 20

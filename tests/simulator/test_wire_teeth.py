"""What only the wire shows is needed too: with it taken out a named promise breaks, and the search finds it."""

import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from .campaign import replay, violation
from .exhaustive import Found, search
from .ops import batch_of
from .scenarios import OCTOBER
from .stage import NO_FAULT, Stage, Step
from .wire_teeth import WIRE_TEETH, WireTooth, _lost_is_refused
from .wire_world import wire_tier
from .world import HOLD

pytestmark = pytest.mark.timeout(600)  # a search is long by its nature; the limit is for one that does not end

FOUND_MAX: Final = 40
ENACTOR: Final = 1
"""Which of October's actors is the first enactor."""
TABLE: Final = Path(__file__).parents[2] / "docs" / "simulator.md"


@pytest.mark.parametrize("tooth", WIRE_TEETH, ids=lambda tooth: tooth.name)
def test_without_the_protection_a_promise_breaks_on_the_wire(tooth: WireTooth) -> None:
    """Found by trying every fault at every request of few actors.

    Where guards are out besides, what an enactor alone leaves at the very beginning is wrong too: the search goes on from there.
    """
    broken: set[str] = set()
    with tooth.out(), wire_tier(page_sets=tooth.page_sets, heals_one_of=tooth.heals_one_of) as tier:
        for found_max in (1, FOUND_MAX):
            result = search(Stage(tooth.scenario, tier), faults=1, found_max=found_max)
            assert result.found, f"{tooth.name}: nothing breaks without it"
            broken = {fault.split(":")[0] for found in result.found for fault in found.faults}
            if broken & tooth.promises:
                break
    assert broken & tooth.promises


def test_a_violation_is_told_and_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    """The shortest way there as a timeline, and a line that plays it again, on the tier where it was found."""
    with _lost_is_refused():
        with wire_tier() as tier:
            told = violation(Stage(OCTOBER, tier), "a run", lost_batch(Stage(OCTOBER, tier)))
        words = shlex.split(told.splitlines()[-1])
        assert "BROKEN unknown is an outcome" in told
        assert words[:-1] == ["python", "-m", "tests.simulator.campaign", "--tier", "wire", "--replay", "october"]
        assert replay("october", words[-1], "wire") == 1
        assert "BROKEN unknown is an outcome" in capsys.readouterr().out


def lost_batch(stage: Stage) -> Found:
    """Let one enactor go on alone until its batch is lost."""
    state, steps = stage.first, [Step(ENACTOR)]
    broken: tuple[str, ...] = ()
    while not broken:
        state, broken = stage.take(state, steps[-1])
        op = stage.troupe.pending[state.positions[ENACTOR]]
        is_batch = op >= 0 and batch_of(stage.world.ops[op]) is not None
        steps += [] if broken else [Step(ENACTOR, HOLD if is_batch else NO_FAULT)]
    return Found(broken, tuple(steps))


def test_the_table_in_the_docs_lists_every_protection_of_the_wire() -> None:
    """One row each: the protection, the promise, the story."""
    text = TABLE.read_text(encoding="utf-8").partition("## What only the wire shows")[2]
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| [\d,]+ states \|$", text, re.MULTILINE)
    assert rows == [(tooth.name, ", ".join(sorted(tooth.promises)), tooth.scenario.name) for tooth in WIRE_TEETH]

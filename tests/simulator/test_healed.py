"""The phase in which one healthy enactor works alone is bounded, and the bound is held and told."""

from pathlib import Path

import pytest

from . import stage as stages
from .healed import HEALED_CYCLES_MAX, HEALED_STEPS_MAX
from .scenarios import OCTOBER
from .stage import Stage

DOCS = Path(__file__).parents[2] / "docs" / "simulator.md"
IN_WORDS = {3: "three"}


def test_an_enactor_that_needs_more_calls_than_that_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tooth: with a smaller bound the very first state of a story breaks the promise."""
    whole = Stage(OCTOBER)
    assert whole.end_faults(whole.first.zone, whole.first.table) == ()
    monkeypatch.setattr(stages, "HEALED_STEPS_MAX", 5)
    short = Stage(OCTOBER)
    assert "never stuck: a healthy hand does not come to rest" in short.end_faults(short.first.zone, short.first.table)


def test_the_docs_say_how_many_cycles_and_calls_that_are() -> None:
    """The numbers that are held are those that are told."""
    text = " ".join(DOCS.read_text(encoding="utf-8").split())
    assert f"Within {IN_WORDS[HEALED_CYCLES_MAX]} cycles (`HEALED_CYCLES_MAX`)" in text
    assert f"and {HEALED_STEPS_MAX} calls for each zone (`HEALED_STEPS_MAX`" in text

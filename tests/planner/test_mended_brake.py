"""How a reader got past the brake: plans that are gone or cannot be read, and a capacity that was edited while it held."""

from fractions import Fraction
from typing import Any

import pytest

from enactor.ports import DamagedPlan
from planner.observation import Signal
from planner.past import sought
from tests.planner.planner_world import Planning, fleet, offers, signals
from tests.planner.test_past import NOW, WINDOW, entry

CHECK = "11111111-2222-3333-4444-555555555555"


def world(**changes: Any) -> Planning:
    made = Planning(fleet(pace={"gather": "0s"}, **changes))
    made.source("albs").offers = offers(10)
    made.source("checks").signals = signals(good=range(1, 11))
    return made


def test_a_window_whose_first_plan_was_collected_is_not_whole() -> None:
    """A plan older than a day that stood until a minute ago is collected once ten newer ones are there: then signals take nothing."""
    whole = [entry(1, 3 * 24 * 60), *(entry(number, (12 - number) / 2) for number in range(2, 13))]
    assert sought(whole, NOW, WINDOW).is_whole
    assert not sought(whole[1:], NOW, WINDOW).is_whole


def test_a_newest_plan_that_cannot_be_read_gives_signals_no_free_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no plan that can be read every endpoint counts as new: one bad look at nine of ten kept nine out."""
    made = world()
    runner = made.planner()
    made.look(runner)
    damaged = DamagedPlan(1, "chunk 1 of 1 is missing")
    real = made.table.read
    monkeypatch.setattr(made.table, "read", lambda number: damaged if number == 1 else real(number))
    made.source("checks").signals = signals(good=[1], bad=range(2, 11))
    for _ in range(3):
        made.look(runner)
    assert made.generation() == 1 or len(made.weights()) == 10


def test_a_capacity_that_a_person_edits_is_followed_where_the_brake_holds() -> None:
    """lb-1 kept its weight of 100 beside a capacity of 10 for as long as a source said that 9 of 10 parts of it are healthy."""
    made = world(health={"brake": 0})
    runner = made.planner()
    made.look(runner)
    made.source("checks").signals |= {"lb-1": Signal(healthy=True, why="9 of 10", capacity_share=Fraction(9, 10))}
    for _ in range(4):
        made.look(runner)
    assert made.weights()["lb-1"] == 100
    made.source("albs").offers = (*offers(1, capacity=10), *offers(9, first=2))
    for _ in range(4):
        made.look(runner)
    assert made.weights()["lb-1"] == 10

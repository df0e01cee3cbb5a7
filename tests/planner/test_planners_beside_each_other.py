"""Planners beside each other: their files, their clocks, and what they undo of each other."""

from datetime import timedelta
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from planner.events import LookEnded
from planner.gathering import TUG_SECONDS
from planner.observation import Offer
from planner.runner import Runner
from tests.planner.planner_world import Planning, fleet, offers, signals


def beside(made: Planning, **changes: Any) -> tuple[Planning, Runner]:
    """Return a planner over the same table and clock that has another fleet file."""
    other = Planning(made.raw | changes, limits=made.limits)
    other.clock, other.table = made.clock, made.table
    other.kinds = made.kinds
    return other, other.planner("p2")


def two(count: int = 10) -> tuple[Planning, Runner, Planning, Runner]:
    """Return two planners of one fleet whose files differ by one load balancer."""
    made = Planning(fleet())
    made.source("albs").offers = offers(count, capacity=None)
    made.source("checks").signals = signals(good=range(1, count + 1))
    pools = {"blue": {"from": ["albs"], "balancers": [{"id": "x", "addresses": ["192.0.2.99"]}]}}
    return made, made.planner(), *beside(made, pools=pools)


def test_case_13_two_planners_with_two_fleet_files_do_not_pull() -> None:
    """Case 13: never a tug-of-war. While one host has the edited file and the other not, they made a plan every minute."""
    made, first, other, second = two()
    for _ in range(60):
        made.look(first)
        other.look(second)
    assert made.generation() <= 4
    assert "contested" in {one.outcome for one in (*made.told(LookEnded), *other.told(LookEnded))}


def test_who_has_something_new_to_say_is_heard_at_once() -> None:
    """A load balancer that is unhealthy goes, whoever else has a plan in place."""
    made, first, other, second = two()
    for _ in range(6):
        made.look(first)
        other.look(second)
    made.source("checks").signals |= signals(bad=[4])
    assert [made.look(first).outcome for _ in range(3)][-1] == "published"
    assert "lb-4" not in made.weights()


def test_it_ends_by_itself_where_the_other_is_gone() -> None:
    """The file that is left is followed again."""
    made, first, other, second = two()
    for _ in range(6):
        made.look(first)
        other.look(second)
    assert made.look(first).outcome == "contested"
    assert "x" in made.weights()
    assert [made.look(first, after=TUG_SECONDS).outcome for _ in range(3)][-1] == "unchanged"
    assert "x" not in made.weights()


def test_one_plan_from_a_clock_that_is_ahead_stops_no_drain() -> None:
    """Its date is never over; what is on its way goes on all the same."""
    made = Planning(fleet())
    made.source("albs").offers = offers(4)
    other, ahead = beside(made)
    real = other.clock.wall
    ahead._doors = msgspec.structs.replace(ahead._doors, wall=lambda: real() + timedelta(days=1))
    other.look(ahead)
    made.source("albs").offers = (*offers(1, drain=True), *offers(3, first=2))
    runner = made.planner()
    for _ in range(120):
        made.look(runner)
    assert "lb-1" not in made.weights()


def test_an_edit_lets_signals_lower_no_more_than_before() -> None:
    """Eight of ten are held by the brake or lowered by it; the edit of another's capacity changes nothing about that."""
    made = Planning(fleet(pace={"gather": "0s"}))
    made.source("albs").offers = offers(10)
    made.source("checks").signals = signals(good=range(1, 11))
    runner = made.planner()
    made.look(runner)
    share = Fraction(1, 100)
    low = {f"lb-{n}": msgspec.structs.replace(signals(good=[n])[f"lb-{n}"], capacity_share=share) for n in range(2, 10)}
    made.source("checks").signals = signals(good=[1, 10]) | low
    for _ in range(5):
        made.look(runner)
    made.source("albs").offers = (*offers(1, capacity=1), *offers(9, first=2))
    for _ in range(5):
        made.look(runner)
    assert len([name for name, weight in made.weights().items() if weight == 1 and name != "lb-1"]) == 3


@pytest.mark.parametrize("capacity", [0.5, "100"])
def test_a_capacity_of_another_type_is_a_failure_of_its_source(capacity: Any) -> None:
    """A third party's float or text ended the planner with a traceback."""
    made = Planning(fleet())
    made.source("albs").offers = tuple(
        Offer(id=f"lb-{n}", addresses=(f"192.0.2.{n}",), capacity=capacity) for n in (1, 2)
    )
    ended = made.look(made.planner())
    assert (ended.outcome, ended.detail) == (
        "no-plan",
        f"source albs failed: lb-1 has a capacity of type {type(capacity).__name__}, which is no Fraction; mend it",
    )

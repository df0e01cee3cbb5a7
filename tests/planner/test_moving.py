"""The weight that comes next on the way to the one that is meant."""

from fractions import Fraction

import pytest

from planner.fleet_settings import Pace
from planner.moving import Way, drained, moved


def way(full: int = 100, seconds: int = 60, largest: int = 100) -> Way:
    return Way(full=full, largest=largest, seconds=Fraction(seconds))


def pace(step: str = "1", warm_up: int = 0, ramp_down: int = 300, gather: int = 60) -> Pace:
    return Pace(
        gather_seconds=Fraction(gather),
        max_weight_step=Fraction(step),
        warm_up_seconds=Fraction(warm_up),
        ramp_down_seconds=Fraction(ramp_down),
    )


@pytest.mark.parametrize(
    ("before", "goal", "how", "next_one"),
    [
        (None, 100, pace(), 100),
        (255, 10, pace(), 10),
        (1, 255, pace(), 255),
        (100, 10, pace("0.25"), 75),
        (None, 100, pace("0.25"), 25),
        (90, 100, pace("0.25"), 100),
        (3, 1, pace("0.001"), 2),
        (None, 100, pace(warm_up=600), 10),
        (10, 100, pace(warm_up=600), 20),
        (95, 100, pace(warm_up=600), 100),
        (100, 10, pace(warm_up=600), 10),
        (10, 100, pace("0.05", warm_up=600), 15),
        (10, 100, pace(warm_up=600, gather=1), 15),
    ],
)
def test_a_weight_moves_as_far_as_its_limits_let_it(before: int | None, goal: int, how: Pace, next_one: int) -> None:
    """A whole step is no limit; warm-up limits only what rises; the time that counts is what is gathered for, or 30 s."""
    assert moved(before, goal, way(), how) == next_one


def test_time_that_did_not_pass_moves_nothing() -> None:
    """Two planners at the same second do not move a weight twice; one that comes in comes in."""
    assert moved(10, 100, way(seconds=0), pace(warm_up=600)) == 10
    assert moved(None, 100, way(seconds=0), pace(warm_up=600)) == 1
    assert drained(50, way(seconds=0), pace()) == 50


def test_a_planner_that_was_away_goes_on_gently() -> None:
    """A day counts as one gathering."""
    assert moved(10, 100, way(seconds=86_400), pace(warm_up=600)) == 20
    assert drained(100, way(seconds=86_400), pace()) == 80


@pytest.mark.parametrize(
    ("before", "how", "next_one"),
    [
        (100, pace(), 80),
        (20, pace(), 1),
        (1, pace(), 0),
        (None, pace(), 0),
        (100, pace(ramp_down=0), 0),
        (100, pace("0.05"), 95),
        (100, pace(ramp_down=30), 1),
    ],
)
def test_a_draining_target_goes_down_to_1_and_then_out(before: int | None, how: Pace, next_one: int) -> None:
    """Over ramp_down; without one, at once."""
    assert drained(before, way(), how) == next_one


@pytest.mark.parametrize("step", ["1", "0.25", "0.01"])
@pytest.mark.parametrize("warm_up", [0, 600, 86_400])
def test_every_way_has_an_end(step: str, warm_up: int) -> None:
    """Whatever the limits, a weight gets to its goal, straight, and between 1 and 255."""
    for start, goal, full in ((1, 255, 255), (255, 1, 255), (None, 7, 7), (100, 30, 60)):
        at, seen = start, [start or 0]
        while at != goal:
            at = moved(at, goal, way(full, 30, 255), pace(step, warm_up))
            assert 1 <= at <= 255
            seen.append(at)
            assert len(seen) < 3_000
        assert seen in (sorted(seen), sorted(seen, reverse=True))

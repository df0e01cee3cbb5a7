"""Decide what weight comes next on the way to the one that is meant: steps, warm-up, and the way out of a draining target.

Pure, and without a memory: what comes next follows from the newest plan's weight, from how long that plan has stood, and from the
weight that is meant. The time that counts is at most what changes are gathered for (at least 30 s), so that a planner that was
away for a day goes on gently, and two planners move a weight no faster than one.

    the weight     moves per plan by at most
    ----------     -------------------------
    rises          max_weight_step of the endpoint's largest full weight, and with warm_up what of its full weight that time allows
    falls          max_weight_step of the endpoint's largest full weight
    drains         that, and what of its full weight ramp_down's time allows; after the least weight, 1, it goes

Each move is at least 1 where any time passed, so that every way has an end.
"""

from fractions import Fraction
from math import ceil
from typing import Final

import msgspec

from enactor.plan import WEIGHT_MAX
from planner.fleet_settings import Pace
from planner.weights import WEIGHT_MIN

CREDIT_MIN_SECONDS: Final = Fraction(30)


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """Where a weight may move."""

    full: int
    """With all of the load balancer's capacity."""
    largest: int
    """The largest full weight of the endpoint."""
    seconds: Fraction
    """For how long the newest plan has stood."""

    def step(self, pace: Pace) -> int:
        """Return how far any weight of the endpoint moves in one plan; a whole step is no limit."""
        return max(1, ceil(pace.max_weight_step * self.largest)) if pace.max_weight_step < 1 else WEIGHT_MAX

    def part(self, pace: Pace, over_seconds: Fraction) -> int:
        """Return how far a move that takes a set time, which is not 0, goes in one plan."""
        passed = min(max(self.seconds, Fraction(0)), max(pace.gather_seconds, CREDIT_MIN_SECONDS))
        return ceil(self.full * passed / over_seconds)


def moved(before: int | None, goal: int, way: Way, pace: Pace) -> int:
    """Return the next weight of a target that serves; `before` is None where it is not in the newest plan."""
    start = before or 0
    if goal <= start:
        return max(goal, start - way.step(pace))
    most = min(way.step(pace), way.part(pace, pace.warm_up_seconds)) if pace.warm_up_seconds else way.step(pace)
    return max(WEIGHT_MIN, min(goal, start + most))


def drained(before: int | None, way: Way, pace: Pace) -> int:
    """Return the next weight of a target that a person lets go; 0: it goes."""
    if before is None or before <= WEIGHT_MIN or not pace.ramp_down_seconds:
        return 0
    return max(WEIGHT_MIN, before - min(way.step(pace), way.part(pace, pace.ramp_down_seconds)))

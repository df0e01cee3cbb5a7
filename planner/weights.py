"""Decide the weights of an endpoint's targets from what each can take.

Pure and exact: fractions, never floats, so that the same fleet gives the same weights on every machine. Where every
capacity x share is a whole number that Route 53 takes, it is the weight, and a load balancer that joins rewrites nobody else's;
else all are scaled so that the largest is 255. A target that is wanted never gets weight 0: that would be a quiet removal.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from enactor.plan import WEIGHT_MAX

WEIGHT_MIN: Final = 1
_HALF: Final = Fraction(1, 2)


def weights_of(demands: Sequence[Fraction]) -> tuple[int, ...]:
    """Return a weight for each capacity x share, in order."""
    assert all(demand > 0 for demand in demands), "the fleet file's reader lets only positive numbers through"
    if not demands:
        return ()
    if are_weights(demands):
        return tuple(int(demand) for demand in demands)
    largest = max(demands)
    return tuple(max(WEIGHT_MIN, _rounded(demand * WEIGHT_MAX / largest)) for demand in demands)


def are_weights(demands: Sequence[Fraction]) -> bool:
    """Tell whether every capacity x share is a weight as it stands."""
    return all(demand.denominator == 1 and demand <= WEIGHT_MAX for demand in demands)


def exact(number: int | float) -> Fraction:  # noqa: PYI041 - True is an int and is refused before
    """Return a number of a file as the fraction that a person wrote: 0.1 is one tenth."""
    return Fraction(str(number))


def _rounded(value: Fraction) -> int:
    return int(value + _HALF)

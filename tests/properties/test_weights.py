"""Weights: whole numbers stay, others are scaled to 255, and nothing depends on what stands beside or before."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from planner.weights import exact, weights_of

from .bounds import bounded

numbers = st.integers(1, 400)
demands = st.one_of(
    st.lists(numbers.map(Fraction), min_size=1, max_size=10),
    st.lists(st.tuples(numbers, st.integers(1, 1_000)).map(lambda pair: Fraction(*pair)), min_size=1, max_size=10),
    st.lists(st.integers(1, 10**12).map(Fraction), min_size=1, max_size=10),
)
whole = st.lists(st.integers(1, 255).map(Fraction), max_size=12)


@given(whole)
@bounded(200)
def test_whole_numbers_up_to_255_are_the_weights(wanted: list[Fraction]) -> None:
    """What Route 53 can take is taken as it is: one that joins rewrites nobody else's."""
    assert weights_of(wanted) == tuple(wanted)


@given(demands)
@bounded(300)
def test_others_are_scaled_and_none_is_lost(wanted: list[Fraction]) -> None:
    """The largest becomes 255, none less than 1, each the nearest whole number to its share."""
    found = weights_of(wanted)
    largest = max(wanted)
    if largest <= 255 and all(one.denominator == 1 for one in wanted):
        return
    assert max(found) == 255
    for demand, weight in zip(wanted, found, strict=True):
        share = demand * 255 / largest
        assert 1 <= weight <= 255
        assert weight == 1 or abs(share - weight) <= Fraction(1, 2)
        assert isinstance(weight, int)


@given(demands)
@bounded(200)
def test_more_never_weighs_less(wanted: list[Fraction]) -> None:
    """Weights keep the order of what was asked, and the same demand has the same weight."""
    ranked = sorted(zip(wanted, weights_of(wanted), strict=True))
    for (low, light), (high, heavy) in pairwise(ranked):
        assert light <= heavy
        assert low != high or light == heavy


@given(st.data(), demands)
@bounded(150)
def test_the_order_of_the_file_means_nothing(data: st.DataObject, wanted: list[Fraction]) -> None:
    """Targets in another order have the same weights."""
    places = data.draw(st.permutations(range(len(wanted))))
    found = weights_of(wanted)
    assert weights_of([wanted[place] for place in places]) == tuple(found[place] for place in places)


@given(st.one_of(st.integers(1, 10**9), st.floats(1e-6, 1e9, allow_nan=False)))
@bounded(200)
def test_a_number_is_what_a_person_wrote(number: float) -> None:
    """A number of a file is the very fraction that its digits say, and written again it is the same."""
    assert float(exact(number)) == number
    assert exact(number) == Fraction(str(number))

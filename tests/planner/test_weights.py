"""How capacity and share become weights."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from planner.weights import exact, weights_of

demands = st.fractions(min_value=Fraction(1, 1000), max_value=10_000, max_denominator=1000)


def test_whole_numbers_up_to_255_are_the_weights() -> None:
    """What a person can read off the fleet file is what Route 53 gets."""
    assert weights_of([Fraction(100), Fraction(50), Fraction(255)]) == (100, 50, 255)


def test_anything_else_is_scaled_so_that_the_largest_is_255() -> None:
    """A half, or a number over 255, scales the whole endpoint."""
    assert weights_of([Fraction(1, 2), Fraction(1, 4)]) == (255, 128)
    assert weights_of([Fraction(1000), Fraction(500), Fraction(1)]) == (255, 128, 1)


def test_a_share_written_as_a_decimal_is_exact() -> None:
    """100 x 1.1 is 110 and not 110.00000000000001, so nothing is scaled."""
    assert 100 * 1.1 != 110
    assert weights_of([100 * exact(1.1), 30 * exact(0.1)]) == (110, 3)


def test_no_balancers_have_no_weights() -> None:
    """An empty pool is right in form."""
    assert weights_of([]) == ()


@given(st.lists(demands, min_size=1, max_size=50))
def test_weights_are_what_route_53_takes_and_never_zero(wanted: list[Fraction]) -> None:
    """A wanted target never gets weight 0, which would be a quiet removal."""
    assert all(1 <= weight <= 255 for weight in weights_of(wanted))


@given(st.lists(demands, min_size=1, max_size=50))
def test_order_of_capacity_is_kept(wanted: list[Fraction]) -> None:
    """Who can take more never gets less."""
    by_demand = sorted(zip(wanted, weights_of(wanted), strict=True))
    weights = [weight for _, weight in by_demand]
    assert weights == sorted(weights)


@given(st.lists(st.integers(1, 255), min_size=1, max_size=20), st.integers(1, 255))
def test_one_that_joins_does_not_rewrite_the_others(whole: list[int], joins: int) -> None:
    """With whole numbers a new load balancer changes nobody else's record set."""
    before = weights_of([Fraction(number) for number in whole])
    after = weights_of([Fraction(number) for number in [*whole, joins]])
    assert after[:-1] == before


@given(st.lists(demands, min_size=1, max_size=20))
def test_weights_are_near_the_exact_proportion(wanted: list[Fraction]) -> None:
    """Scaling loses at most half a step, but for the smallest, which are lifted to 1."""
    weights = weights_of(wanted)
    scale = Fraction(max(weights)) / max(wanted)
    for demand, weight in zip(wanted, weights, strict=True):
        assert abs(weight - demand * scale) <= Fraction(1, 2) or weight == 1

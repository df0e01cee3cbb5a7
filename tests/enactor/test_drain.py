"""Many small steps: what has gone since the window began is in the fence, and holds for whoever comes next."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.drain import judge_drain, next_base, window_of
from enactor.fence import Fence, fence_text, read_fence, text_set
from enactor.guards import Limits
from enactor.names import fence_name
from enactor.records import Content, content_of
from enactor.swap import Refused, Swap, decide

from .kernel_builders import NAME, NOW, ZONE_NAME, entry, fence, question, weighted

LIMITS = Limits()


def balancers(*numbers: int, kind: str = "A") -> Content:
    return content_of(weighted(number, record_type=kind) for number in numbers)


def stepped(base: str, before: Content, after: Content, *, seconds: float = 0.0) -> str:
    return next_base(base, (before,), after, LIMITS, NOW + timedelta(seconds=seconds))


def refused(base: str, before: Content, after: Content, *, seconds: float = 0.0, limits: Limits = LIMITS) -> list[str]:
    findings = judge_drain(base, (before,), after, limits, NOW + timedelta(seconds=seconds))
    return [finding.guard for finding in findings]


TEN, SIX, FOUR, TWO = balancers(*range(1, 11)), balancers(*range(1, 7)), balancers(*range(1, 5)), balancers(1, 2)


def test_a_window_begins_with_the_first_step_that_takes_something() -> None:
    """Growth and rewriting begin none."""
    assert stepped("", SIX, TEN) == stepped("", SIX, SIX) == ""
    assert stepped("", TEN, SIX) == "2026-11-30T04:00:00Z/600/1000"


def test_steps_multiply_within_the_window_and_each_kind_is_counted_alone() -> None:
    """60 % of 10, then 4 of those 6."""
    first = stepped("", TEN, SIX)
    assert stepped(first, SIX, FOUR, seconds=60).startswith("2026-11-30T04:00:00Z/400/")
    both, less = (*TEN, *balancers(1, 2, kind="AAAA")), (*TEN, *balancers(1, kind="AAAA"))
    assert stepped(first, content_of(both), content_of(less)) == "2026-11-30T04:00:00Z/600/500"


def test_what_the_steps_take_together_is_refused_over_the_limit() -> None:
    """0.6 gone and half of the rest makes 0.8, over 0.7; a step that takes nothing always goes."""
    base = "2026-11-30T04:00:00Z/400/1000"
    assert refused(base, FOUR, TWO) == ["slow-drain"]
    assert refused(base, FOUR, balancers(1, 2, 3)) == [], "0.7 exactly"
    assert refused(base, FOUR, TEN) == []
    (found,) = judge_drain(base, (FOUR,), TWO, LIMITS, NOW)
    assert (found.observed, found.wanted, found.limit) == (0.6, 0.8, 0.7)
    assert "since 2026-11-30T04:00:00Z a share of 0.60 of the capacity has gone" in found.message


def test_after_the_window_a_new_one_begins() -> None:
    """By the Date of AWS's answer; without one the window stands."""
    base = "2026-11-30T04:00:00Z/400/1000"
    assert refused(base, FOUR, TWO, seconds=599) == ["slow-drain"]
    assert refused(base, FOUR, TWO, seconds=600) == []
    assert stepped(base, FOUR, TWO, seconds=600) == "2026-11-30T04:10:00Z/500/1000"
    assert stepped(base, TWO, FOUR, seconds=600) == ""
    assert judge_drain(base, (FOUR,), TWO, LIMITS, None) != ()
    assert next_base("", (FOUR,), TWO, LIMITS, None) == ""


def test_one_step_is_the_shrink_guard_s_and_the_limit_is_never_stricter_than_that() -> None:
    """Whoever lets one swap take nine tenths means it."""
    assert refused("", TEN, balancers(1)) == []
    loose = Limits(shrink_capacity=0.9)
    assert refused("2026-11-30T04:00:00Z/400/1000", FOUR, TWO, limits=loose) == []


@pytest.mark.parametrize(
    "base", ["", "soon", "2026-13-30T04:00:00Z/400/1000", "2026-11-30T04:00:01Z/400/1000", "x/1/2"]
)
def test_a_base_that_says_nothing_is_no_window(base: str) -> None:
    """Another version's, a person's, one of the future."""
    assert window_of(base, NOW, LIMITS) is None


def test_ten_plans_that_each_remove_two_fifths_do_not_empty_an_endpoint() -> None:
    """Whoever decides, and however often: the fence alone carries it. Without the guard two targets would be left."""
    standing = list(range(1, 101))
    of = fence(*(weighted(number) for number in standing))
    for generation in range(8, 18):
        sets = [weighted(number) for number in standing]
        wanted = standing[: max(1, round(len(standing) * 0.6))]
        decision = decide(
            question(sets, of, entry(*(weighted(number) for number in wanted)), generation=generation, aws_now=NOW)
        )
        if isinstance(decision, Refused):
            assert {finding.guard for finding in decision.findings} == {"slow-drain"}
            continue
        assert isinstance(decision, Swap)
        written = read_fence(text_set(fence_name(NAME, ZONE_NAME), fence_text(decision.fence_after)))
        assert isinstance(written, Fence)
        standing, of = wanted, written
    assert len(standing) == 36


def test_a_repair_counts_for_nothing_and_keeps_the_window() -> None:
    """What the fence names comes back whole."""
    base = "2026-11-30T04:00:00Z/400/1000"
    sets = [weighted(1), weighted(2)]
    decision = decide(question(sets[:1], fence(*sets, base=base), entry(*sets)))
    assert isinstance(decision, Swap)
    assert decision.fence_after.base == base


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12))
def test_within_one_window_no_row_of_steps_takes_more_than_the_limit(sizes: list[int]) -> None:
    """Whatever is asked for, step by step."""
    standing, base = 60, ""
    for size in sizes:
        before, after = balancers(*range(1, standing + 1)), balancers(*range(1, size + 1))
        if size < standing and (refused(base, before, after) or 1 - size / standing > LIMITS.shrink_capacity):
            continue
        base = stepped(base, before, after)
        standing = size
    window = window_of(base, NOW, LIMITS)
    assert window is None or window.left["v4"] >= 1000 * (1 - LIMITS.slow_drain) - len(sizes)

"""Many small steps: what stood when the window began is named by the fence, and holds for whoever comes next."""

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.drain import judge_drain, next_base, window_of
from enactor.fence import Fence, fence_text, read_fence, text_set
from enactor.guards import Limits
from enactor.names import fence_name
from enactor.records import Content, content_digest, content_of
from enactor.swap import Refused, Swap, decide

from .kernel_builders import NAME, NOW, ZONE_NAME, entry, fence, question, weighted

LIMITS = Limits()
BEGAN = "2026-11-30T04:00:00Z"


def balancers(*numbers: int, kind: str = "A") -> Content:
    return content_of(weighted(number, record_type=kind) for number in numbers)


TEN, SIX, FOUR, TWO = balancers(*range(1, 11)), balancers(*range(1, 7)), balancers(*range(1, 5)), balancers(1, 2)
WAITS = "this waits until the window ends at 2026-11-30T04:10:00Z, and is judged anew by itself then"
BASE = f"{BEGAN}/{content_digest(TEN)}"


def stepped(base: str, before: Content, after: Content, *, seconds: float = 0.0) -> str:
    return next_base(fence(*before, base=base), (before,), after, LIMITS, NOW + timedelta(seconds=seconds))


def refused(
    before: Content, after: Content, *, stood: Content | None = TEN, seconds: float = 0.0, limits: Limits = LIMITS
) -> list[str]:
    window = window_of(BASE, NOW + timedelta(seconds=seconds), limits)
    return [finding.guard for finding in judge_drain(window, stood, (before,), after, limits)]


def test_a_window_begins_with_the_first_step_that_takes_something_and_names_what_stood() -> None:
    """Growth and rewriting begin none; later steps do not move it."""
    assert stepped("", SIX, TEN) == stepped("", SIX, SIX) == ""
    assert stepped("", TEN, SIX) == BASE
    assert stepped(BASE, SIX, FOUR, seconds=60) == BASE
    assert stepped(BASE, SIX, TEN, seconds=60) == BASE
    assert next_base(None, (TEN,), SIX, LIMITS, NOW) == ""


def test_what_the_steps_take_together_is_refused_over_the_limit() -> None:
    """Of the ten that stood three must stay; a step that takes nothing always goes."""
    assert refused(FOUR, balancers(1, 2, 3)) == [], "0.7 exactly"
    assert refused(FOUR, TWO) == ["slow-drain"]
    assert refused(TWO, TWO) == refused(TWO, FOUR) == []
    (found,) = judge_drain(window_of(BASE, NOW, LIMITS), TEN, (FOUR,), TWO, LIMITS)
    assert (found.wanted, found.limit) == (0.8, 0.7)
    assert found.message == (
        f"v4: of the capacity that stood at {BEGAN} a share of 0.80 would be gone, over the limit 0.7 in 600 s: {WAITS}"
    )


def test_one_place_that_changes_hands_again_and_again_is_no_drain() -> None:
    """An instance is replaced every few minutes: two of the three that stood are still there."""
    stood = balancers(1, 2, 11)
    assert refused(balancers(1, 2, 12), balancers(1, 2, 13), stood=stood) == []


def test_the_old_half_may_go_once_the_new_half_stands() -> None:
    """Adding takes nothing, so the window begins with both halves: blue goes, green stays."""
    both = balancers(*range(1, 21))
    assert stepped("", TEN, both) == ""
    assert stepped("", both, balancers(*range(11, 21))).endswith(content_digest(both))
    assert refused(both, balancers(*range(11, 21)), stood=both) == []


def test_what_is_added_over_what_stood_is_counted_from_there_on() -> None:
    """A window opened by a small step does not let sixty go unseen."""
    base, stood = f"{BEGAN}/{content_digest(TWO)}", TWO
    sixty = balancers(*range(1, 61))
    grown = next_base(fence(*balancers(1), base=base), (balancers(1),), sixty, LIMITS, NOW, stood=stood)
    assert grown == f"{BEGAN}/{content_digest(sixty)}"
    assert refused(balancers(*range(1, 37)), balancers(*range(1, 15)), stood=sixty) == ["slow-drain"]
    assert next_base(fence(*FOUR, base=BASE), (FOUR,), SIX, LIMITS, NOW, stood=TEN) == BASE, "less than stood"


def test_each_kind_is_counted_alone() -> None:
    """Ten of IPv4 do not make up for the IPv6 that goes."""
    six = balancers(1, 2, 3, 4, kind="AAAA")
    stood = content_of((*TEN, *six))
    assert refused(content_of((*TEN, *six[:2])), content_of((*TEN, *six[:1])), stood=stood) == ["slow-drain"]


def test_after_the_window_a_new_one_begins() -> None:
    """By the Date of AWS's answer; without one the window stands."""
    assert refused(FOUR, TWO, seconds=599) == ["slow-drain"]
    assert refused(FOUR, TWO, seconds=600) == []
    assert stepped(BASE, FOUR, TWO, seconds=600) == f"2026-11-30T04:10:00Z/{content_digest(FOUR)}"
    assert stepped(BASE, TWO, FOUR, seconds=600) == ""
    assert window_of(BASE, None, LIMITS) is not None
    assert next_base(fence(*FOUR), (FOUR,), TWO, LIMITS, None) == ""


def test_where_nobody_knows_what_stood_whatever_takes_something_waits_for_the_end() -> None:
    """The table is away and the disk is new: ten minutes are not for ever."""
    assert refused(FOUR, balancers(1, 2, 3), stood=None) == ["slow-drain"]
    assert refused(FOUR, TEN, stood=None) == []
    assert refused(FOUR, TWO, stood=None, seconds=600) == []


def test_the_limit_is_never_stricter_than_that_of_one_step() -> None:
    """Whoever lets one swap take nine tenths means it."""
    assert refused(FOUR, TWO, limits=Limits(shrink_capacity=0.9)) == []


@pytest.mark.parametrize(
    "base", ["", "soon", f"2026-13-30T04:00:00Z/{'a' * 12}", f"2026-11-30T04:10:00Z/{'a' * 12}", "x/1"]
)
def test_a_base_that_says_nothing_is_no_window(base: str) -> None:
    """Another version's, a person's, one of the future."""
    assert window_of(base, NOW, LIMITS) is None


def test_a_date_that_goes_back_a_little_ends_no_window() -> None:
    """AWS answers from many machines: whoever is told an earlier Date than the last one takes no more for that."""
    assert refused(FOUR, TWO, seconds=-1) == refused(FOUR, TWO, seconds=-599) == ["slow-drain"]
    assert stepped(BASE, SIX, FOUR, seconds=-1) == BASE, "it begins no new window, which would count from six"
    assert refused(FOUR, TWO, seconds=-600) == [], "an instant that nobody's clock will see for long holds nobody up"


def test_ten_plans_that_each_remove_two_fifths_do_not_empty_an_endpoint() -> None:
    """Whoever decides, and however often: the fence carries it. Without the guard one target would be left."""
    standing = list(range(1, 101))
    known = {content_digest(balancers(*standing)): balancers(*standing)}
    of = fence(*(weighted(number) for number in standing))
    for generation in range(8, 18):
        wanted = standing[: max(1, round(len(standing) * 0.6))]
        window = window_of(of.base, NOW, LIMITS)
        decision = decide(
            question(
                [weighted(number) for number in standing],
                of,
                entry(*(weighted(number) for number in wanted)),
                generation=generation,
                window=window,
                stood=known[window.digest] if window else None,
            )
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
    sets = [weighted(1), weighted(2)]
    decision = decide(question(sets[:1], fence(*sets, base=BASE), entry(*sets)))
    assert isinstance(decision, Swap)
    assert decision.fence_after.base == BASE


@given(st.lists(st.sets(st.integers(1, 30), min_size=1), min_size=2, max_size=12))
def test_within_one_window_no_row_of_steps_takes_more_of_what_stood_than_the_limit(wanted: list[set[int]]) -> None:
    """Whatever is asked for, step by step; a step that the guard on one step refuses does not count here."""
    standing, base, stood = balancers(*range(1, 31)), "", balancers(*range(1, 31))
    for numbers in wanted:
        target = balancers(*numbers)
        window = window_of(base, NOW, LIMITS)
        if judge_drain(window, stood, (standing,), target, LIMITS) or (window is None and len(numbers) < 15):
            continue
        base = stepped(base, standing, target)
        stood = standing if window is None else stood
        standing = target
        kept = [record for record in stood if record in standing]
        assert not base or len(kept) >= 0.3 * len(stood) - 1e-9 or not set(stood) - set(standing)


def test_only_growth_of_a_kind_that_costs_no_other_moves_what_is_counted_from() -> None:
    """Where one kind grows and the other shrinks, or nothing grows, what stood when the window began is what counts."""
    stood = balancers(1, 2) + balancers(1, 2, kind="AAAA")
    mixed = balancers(1, 2, 3) + balancers(1, kind="AAAA")
    other = balancers(1, 3) + balancers(1, 2, kind="AAAA")
    base = f"{BEGAN}/{content_digest(stood)}"
    for after, begins_anew in (
        (stood, False),
        (mixed, False),
        (other, False),
        (balancers(1, 2, 3) + balancers(1, 2, kind="AAAA"), True),
    ):
        said = next_base(fence(*stood, base=base), (stood,), content_of(after), LIMITS, NOW, stood=stood)
        assert said == (f"{BEGAN}/{content_digest(content_of(after))}" if begins_anew else base)


def test_what_nobody_knows_is_said_so_with_the_limit() -> None:
    """A program that reads the refusal must not take it for a share of nothing."""
    (found,) = judge_drain(window_of(BASE, NOW, LIMITS), None, (FOUR,), TWO, LIMITS)
    assert (found.guard, found.observed, found.limit) == ("slow-drain", "unknown", LIMITS.slow_drain)
    assert found.message.endswith(f"so nobody can tell how much of it has gone: {WAITS}")


def test_a_swap_s_fence_counts_from_what_stood_and_was_added() -> None:
    """Growth within a window begins it anew at the larger content."""
    asked = question(SIX, fence(*SIX, base=f"{BEGAN}/{content_digest(SIX)}"), entry(*TEN))
    window = window_of(f"{BEGAN}/{content_digest(SIX)}", NOW, LIMITS)
    swap = decide(msgspec.structs.replace(asked, window=window, stood=SIX))
    assert isinstance(swap, Swap)
    assert swap.fence_after.base == f"{BEGAN}/{content_digest(TEN)}"


def test_where_nothing_stands_nothing_is_taken() -> None:
    """An endpoint that was wiped by hand gets what the plan says at once: it would answer nobody meanwhile."""
    window = window_of(BASE, NOW, LIMITS)
    assert judge_drain(window, TEN, ((),), TWO, LIMITS) == judge_drain(window, TEN, (), TWO, LIMITS) == ()

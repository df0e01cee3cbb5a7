"""Rise and fall: when a signal is believed."""

from fractions import Fraction

import pytest

from planner.combining import Verdict
from planner.streaks import WHOLE, Streak, looked

HALF = Fraction(1, 2)


def told(text: str, before: Streak | None = None, *, standing: bool = True, rise: int = 3, fall: int = 3) -> Streak:
    """Look once for each sign: + is good, - bad, . nothing, a digit good with so many tenths of the capacity."""
    for sign in text:
        share = Fraction(int(sign), 10) if sign.isdecimal() else WHOLE
        verdict = None if sign == "." else Verdict(healthy=sign != "-", why=sign, share=share)
        before = looked(before, verdict, standing=standing, share=WHOLE, rise=rise, fall=fall)
    assert before is not None
    return before


@pytest.mark.parametrize(
    ("text", "run"),
    [("+", 1), ("+++", 3), ("-", -1), ("---", -3), ("++-", -1), ("--+", 1), ("-.-", -2), (".", 0), ("+-+-", -1)],
)
def test_a_run_is_as_long_as_looks_say_the_same(text: str, run: int) -> None:
    """A look that says nothing neither breaks it nor makes it longer."""
    assert told(text).run == run
    assert (told(text).good, told(text).bad) == (max(run, 0), max(-run, 0))


def test_counts_begin_anew_when_a_target_comes_or_goes() -> None:
    """Whoever published that: two planners do not pull with every look."""
    bad = told("---")
    assert told("-", bad, standing=False).run == -1
    assert told(".", bad, standing=False) == looked(bad, None, standing=False, share=WHOLE, rise=3, fall=3)
    assert told(".", bad, standing=False).run == 0
    assert told(".", bad, standing=False).was_heard


def test_who_was_never_heard_of_is_known_as_such() -> None:
    """No signal at all is another thing than one that stopped."""
    assert not told("..").was_heard
    assert told("+..").was_heard


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("+55", WHOLE),
        ("+555", HALF),
        ("+567", Fraction(7, 10)),
        ("+5+5+5+5", WHOLE),
        ("+5-55", HALF),
        ("+555++", HALF),
        ("+555+++", WHOLE),
        ("+555769", Fraction(6, 10)),
        ("+555.5.5", HALF),
        ("+5555", HALF),
        ("+5+555", HALF),
        ("+555++4", HALF),
        ("+55544", HALF),
        ("+555444", Fraction(4, 10)),
        ("+555++5++", HALF),
    ],
)
def test_a_share_of_capacity_is_believed_as_a_signal_is(text: str, share: Fraction) -> None:
    """Down after `fall` looks that say less, up after `rise` that say more, and to the mildest of them."""
    assert told(text).share == share


def test_a_share_goes_up_by_rise_and_down_by_fall() -> None:
    """Each by its own count."""
    assert told("+55", rise=4, fall=2).share == HALF
    assert told("+555++", rise=2, fall=3).share == WHOLE
    assert told("+55+++", rise=4, fall=2).share == HALF
    assert told("+55", rise=2, fall=3).share == WHOLE


@pytest.mark.parametrize(
    ("said", "stands_at", "standing", "share"),
    [
        (HALF, WHOLE, True, WHOLE),
        (HALF, HALF, True, HALF),
        (HALF, Fraction(1, 5), True, HALF),
        (WHOLE, HALF, True, WHOLE),
        (HALF, WHOLE, False, HALF),
    ],
)
def test_after_a_restart_a_target_keeps_what_it_has(
    said: Fraction, stands_at: Fraction, standing: bool, share: Fraction
) -> None:
    """What the newest plan says, unless the look says more; a new one has what the look says."""
    verdict = Verdict(healthy=True, why="", share=said)
    assert looked(None, verdict, standing=standing, share=stands_at, rise=3, fall=3).share == share
    assert looked(None, None, standing=standing, share=stands_at, rise=3, fall=3).share == WHOLE


def test_who_was_overtaken_by_a_better_word_believes_that() -> None:
    """The share is known from the newest plan where that gives more than it did: another planner has counted already."""
    good, half = (Verdict(healthy=True, why="", share=share) for share in (WHOLE, HALF))

    def at(before: Streak | None, verdict: Verdict, share: Fraction) -> Streak:
        return looked(before, verdict, standing=True, share=share, rise=3, fall=3)

    low = at(None, half, HALF)
    assert at(low, good, HALF).share == HALF
    assert at(low, good, WHOLE).share == WHOLE
    rising = at(at(low, good, HALF), good, HALF)
    once = at(rising, good, Fraction(4, 5))
    assert once.share == at(once, good, Fraction(4, 5)).share == Fraction(4, 5), "it counts from there"
    assert at(at(once, good, Fraction(4, 5)), good, Fraction(4, 5)).share == WHOLE
    falling = told("+555")
    assert at(falling, half, Fraction(9, 10)).share == HALF, "its own step on the way down is no word of another one"

"""A fleet whose health flaps for hours: how many plans are made of it, against a planner that follows every signal."""

import random

import pytest

from planner.events import LookEnded
from planner.observation import Signal
from tests.planner.planner_world import Planning, fleet, offers, signals

HOURS = 6
EVERY_SECONDS = 30
LOOKS = HOURS * 3600 // EVERY_SECONDS
TARGETS = 20


def flapping(look: int, chance: random.Random) -> dict[str, Signal]:
    """Return one look's signals: one that alternates, one that is bad two looks of three, four that are bad now and then."""
    bad = {1} if look % 2 else set()
    bad |= {2} if look % 3 else set()
    bad |= {number for number in (3, 4, 5, 6) if chance.random() < 0.2}
    return signals(good=set(range(1, TARGETS + 1)) - bad, bad=bad)


def test_a_flapping_fleet_makes_few_plans(capsys: pytest.CaptureFixture[str]) -> None:
    """Six virtual hours: one that follows every signal makes a plan at nearly every look, and this one less than a tenth of them."""
    made = Planning(fleet())
    made.source("albs").offers = offers(TARGETS)
    made.source("checks").signals = signals(good=range(1, TARGETS + 1))
    runner, chance = made.planner(), random.Random(7)
    made.look(runner)
    naive, followed = 1, frozenset(range(1, TARGETS + 1))
    for look in range(LOOKS):
        made.source("checks").signals = flapping(look, chance)
        good = frozenset(n for n in range(1, TARGETS + 1) if made.source("checks").signals[f"lb-{n}"].healthy)
        naive, followed = naive + (good != followed), good
        made.look(runner, after=EVERY_SECONDS)
    plans = made.generation()
    with capsys.disabled():
        print(
            f"\n{HOURS} virtual hours, {LOOKS} looks: {plans} plans, where one that follows every signal makes {naive}"
        )
    assert naive > 0.9 * LOOKS
    assert plans < naive / 10
    assert plans == 1 + sum(event.outcome == "published" for event in made.told(LookEnded)[1:])


def test_what_alternates_changes_no_plan_at_all() -> None:
    """However often: never `fall` in a row, so nothing goes and nothing comes."""
    made = Planning(fleet())
    made.source("albs").offers = offers(TARGETS)
    made.source("checks").signals = signals(good=range(1, TARGETS + 1))
    runner = made.planner()
    made.look(runner)
    for look in range(200):
        bad = range(1, TARGETS + 1, 2) if look % 2 else range(2, TARGETS + 1, 2)
        made.source("checks").signals = signals(good=set(range(1, TARGETS + 1)) - set(bad), bad=bad)
        made.look(runner, after=EVERY_SECONDS)
    assert made.generation() == 1

"""Why each load balancer is in, out, or at its weight, in the words that a person reads."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from planner.deliberation import PastReader, think
from planner.looking import Seen
from planner.observation import Offer, Signal
from planner.reasons import TargetReason, reasons_of
from planner.streaks import History
from tests.planner.planner_world import ZONE, Planning, fleet, offers, signals

PLACE = "offered by albs, pool blue"


def reasons(made: Planning, *, looks: int = 1, history: History | None = None) -> dict[str, TargetReason]:
    """Return the reasons of the plan that would come after so many looks."""
    found: History = history or {}
    thought, seen = None, None
    for _ in range(looks):
        made.clock.seconds += 30
        seen = Seen(**seen_of(made))
        thought = think(made.table, PastReader(made.table), seen, found, made.clock.wall())
        found = thought.planned.history
    assert thought is not None
    assert seen is not None
    told = reasons_of(seen.fleet, thought.planned)[ZONE, "ep1.example.test."]
    return {one.id: one for one in told}


def seen_of(made: Planning) -> dict[str, Any]:
    """Look with sources of its own, so that what is remembered of offers is not."""
    seen = made.lookout().look(made.read(), lambda: None)
    return {"read": seen.read, "fleet": seen.fleet, "observations": seen.observations}


def world(count: int = 10, **changes: Any) -> Planning:
    """Return a fleet of which a first plan was published."""
    made = Planning(fleet(**changes))
    made.source("albs").offers = offers(count)
    made.source("checks").signals = signals(good=range(1, count + 1))
    made.look(made.planner())
    return made


def bad(*numbers: int) -> Callable[[Planning], None]:
    return lambda made: made.source("checks").signals.update(signals(bad=numbers))


def silent(made: Planning) -> None:
    made.source("checks").signals = {}


def joins(made: Planning) -> None:
    made.source("albs").offers = offers(11)
    made.source("checks").signals |= signals(good=[11])


def joins_unheard(made: Planning) -> None:
    made.source("albs").offers = offers(11)


def joins_bad(made: Planning) -> None:
    made.source("albs").offers = offers(11)
    made.source("checks").signals |= signals(bad=[11])


def drains(made: Planning) -> None:
    made.source("albs").offers = (*offers(1, drain=True), *offers(9, first=2))


def half(made: Planning) -> None:
    made.source("checks").signals["lb-1"] = Signal(healthy=True, why="2 of 4", capacity_share=Fraction(1, 2))


def disabled(made: Planning) -> None:
    made.source("albs").offers = (*offers(1, enabled=False), *offers(9, first=2))


def leaves(made: Planning) -> None:
    made.source("albs").offers = offers(9, first=2)


def moves(made: Planning) -> None:
    made.source("albs").offers = (Offer(id="lb-1", addresses=("192.0.2.77",)), *offers(9, first=2))


FULL = "weight 100: capacity x share"


@pytest.mark.parametrize(
    ("then", "looks", "name", "standing", "says"),
    [
        (lambda _: None, 1, "lb-1", "in", ("in: healthy for 1 look (checks: answers)", FULL)),
        (silent, 1, "lb-1", "in", ("in: nobody gives a signal of it", FULL)),
        (
            bad(1),
            2,
            "lb-1",
            "in",
            ("in: bad for 2 looks in a row, under fall, which is 3 (checks: refused)", FULL),
        ),
        (bad(1), 3, "lb-1", "out", ("out: unhealthy: bad for 3 looks in a row, fall is 3 (checks: refused)",)),
        (
            bad(1, 2, 3, 4),
            3,
            "lb-4",
            "in",
            (
                "in, although unhealthy: bad for 3 looks in a row, fall is 3 (checks: refused)",
                "held by the brake: signals may take out 0.3 of the endpoint in 10m, and 0.30 is out by them",
                FULL,
            ),
        ),
        (joins, 1, "lb-11", "out", ("out: good for 1 of the 3 looks that rise wants (checks: answers)",)),
        (joins, 3, "lb-11", "in", ("comes in: good for 3 looks in a row, rise is 3 (checks: answers)", FULL)),
        (joins_unheard, 1, "lb-11", "in", ("comes in: nobody gives a signal of it", FULL)),
        (joins_bad, 2, "lb-11", "out", ("out: waits for 3 looks in a row that are good (checks: refused)",)),
        (drains, 1, "lb-1", "in", ("leaves: it drains", "weight 90 of 100: goes down to 1 over 5m, then out")),
        (
            half,
            3,
            "lb-1",
            "in",
            ("in: healthy for 3 looks (checks: 2 of 4)", "weight 50: capacity x share, of which 0.50 is healthy"),
        ),
        (disabled, 1, "lb-1", "out", ("out: enabled is false",)),
    ],
)
def test_every_reason_is_said(
    then: Callable[[Planning], None], looks: int, name: str, standing: str, says: tuple[str, ...]
) -> None:
    """First where it comes from, then what decided, then its weight."""
    made = world()
    then(made)
    found = reasons(made, looks=looks)[name]
    assert (found.standing, found.reasons) == (standing, (PLACE, *says))


def test_what_left_has_a_reason_too() -> None:
    """Nobody offers it, or it answers elsewhere now."""
    made = world()
    leaves(made)
    assert reasons(made)["lb-1"].reasons == ("out: nobody lists or offers it any more",)
    made = world()
    moves(made)
    told = [one for one in [reasons(made)["lb-1"]] if one.standing == "out"]
    assert told[0].reasons == ("out: it answers with another address now",)


def test_a_weight_on_its_way_says_which_limit_holds_it() -> None:
    """Steps, warm-up, or both."""
    made = world(2, pace={"max_weight_step": 0.1, "warm_up": "1h"})
    made.source("albs").offers = (*offers(1, capacity=20), *offers(2, first=2))
    made.source("checks").signals = signals(good=[1, 2, 3])
    found = reasons(made, looks=3)
    assert (found["lb-1"].before, found["lb-1"].weight, found["lb-1"].goal) == (100, 90, 20)
    assert found["lb-1"].reasons[-1] == "weight 90 on the way from 100 to 20: a step takes at most 0.1 of the largest"
    assert found["lb-3"].reasons[-1] == (
        "weight 2 on the way from 0 to 100: a step takes at most 0.1 of the largest and it warms up over 1h"
    )


def test_what_is_simply_in_is_plain() -> None:
    """At capacity x share, as before, and with no bad look."""
    made = world()
    assert all(one.is_plain for one in reasons(made).values())
    bad(1)(made)
    assert [one.id for one in reasons(made).values() if not one.is_plain] == ["lb-1"]
    joins(made)
    assert {one.id for one in reasons(made, looks=3).values() if not one.is_plain} == {"lb-1", "lb-11"}


def test_a_new_endpoint_takes_all_that_are_not_bad_and_all_if_all_are() -> None:
    """Nobody answers there yet, so nothing can be kept."""
    made = Planning(fleet())
    made.source("albs").offers = offers(2)
    made.source("checks").signals = signals(good=[1], bad=[2])
    found = reasons(made)
    assert [found["lb-1"].standing, found["lb-2"].standing] == ["in", "out"]
    made.source("checks").signals = signals(bad=[1, 2])
    found = reasons(made)
    assert [found["lb-1"].standing, found["lb-2"].standing] == ["in", "in"]
    kept = "kept: signals are against all of its kind here, and never empty an endpoint"
    assert found["lb-1"].reasons[1:3] == ("comes in (checks: refused)", kept)

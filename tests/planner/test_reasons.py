"""Why each load balancer is in, out, or at its weight, in the words that a person reads."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from planner.deliberation import PastReader, think
from planner.looking import Seen
from planner.observation import Offer, Signal
from planner.pools import FLEET_FILE
from planner.reasons import TargetReason, plain_reasons, reasons_of
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
        (
            bad(*range(1, 11)),
            3,
            "lb-4",
            "in",
            (
                "in, although unhealthy: bad for 3 looks in a row, fall is 3 (checks: refused)",
                "held: signals are against all of its kind that stand here, and are not believed",
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
    assert not found["lb-1"].is_plain
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


def one_of(made: Planning, name: str, looks: int = 1) -> TargetReason:
    return reasons(made, looks=looks)[name]


def test_a_target_is_told_with_all_that_is_known_of_it() -> None:
    """Where it stands, what it weighed, and where it comes from."""
    made = world()
    plain = TargetReason(
        id="lb-1",
        pool="blue",
        sources=("albs",),
        standing="in",
        before=100,
        weight=100,
        is_plain=True,
        reasons=(PLACE, "in: healthy for 1 look (checks: answers)", FULL),
    )
    assert one_of(made, "lb-1") == plain
    disabled(made)
    out = TargetReason(
        id="lb-1", pool="blue", sources=("albs",), standing="out", reasons=(PLACE, "out: enabled is false")
    )
    assert one_of(made, "lb-1") == out
    leaves(made)
    gone = TargetReason(
        id="lb-1",
        pool="",
        sources=(),
        standing="out",
        before=100,
        reasons=("out: nobody lists or offers it any more",),
    )
    assert one_of(made, "lb-1") == gone


@pytest.mark.parametrize("routing", ["simple", "multivalue"])
def test_where_nothing_has_a_weight_none_is_told(routing: str) -> None:
    """Neither what it was, nor what it is, nor where it goes."""
    made = world(defaults={"routing": routing}, pace={"max_weight_step": 0.1})
    assert one_of(made, "lb-1") == TargetReason(
        id="lb-1",
        pool="blue",
        sources=("albs",),
        standing="in",
        is_plain=True,
        reasons=(PLACE, "in: healthy for 1 look (checks: answers)"),
    )
    leaves(made)
    assert one_of(made, "lb-1") == TargetReason(
        id="lb-1", pool="", sources=(), standing="out", reasons=("out: nobody lists or offers it any more",)
    )


def test_one_that_moved_is_told_as_the_old_and_as_the_new() -> None:
    """The new address first; the old one went with its weight."""
    made = world(2)
    made.source("albs").offers = (
        Offer(id="lb-1", addresses=("192.0.2.77",), capacity=Fraction(50)),
        *offers(1, first=2),
    )
    made.clock.seconds += 30
    seen = Seen(**seen_of(made))
    thought = think(made.table, PastReader(made.table), seen, {}, made.clock.wall())
    told = reasons_of(seen.fleet, thought.planned)[ZONE, "ep1.example.test."]
    assert [(one.id, one.standing, one.before) for one in told] == [
        ("lb-1", "out", None),
        ("lb-2", "in", 100),
        ("lb-1", "out", 100),
    ]


def test_those_that_are_wanted_come_first_and_each_kind_by_id() -> None:
    """Then what is disabled, then what is gone."""
    made = world(6)
    made.source("albs").offers = (
        *offers(2, first=5)[::-1],
        *offers(2, first=2, enabled=False)[::-1],
    )
    told = list(reasons(made).values())
    assert [one.id for one in told] == ["lb-5", "lb-6", "lb-2", "lb-3", "lb-1", "lb-4"]


def test_a_place_names_everybody_who_offers_it_and_where_a_person_finds_it() -> None:
    """Sources, the fleet file, the origin, and the pool."""
    made = Planning(
        fleet(
            sources={"albs": {"kind": "lists"}, "files": {"kind": "lists"}, "checks": {"kind": "checks"}},
            pools={
                "blue": {
                    "from": ["albs", "files"],
                    "balancers": [
                        {"id": "lb-1", "addresses": ["192.0.2.1"]},
                        {"id": "lb-9", "addresses": ["192.0.2.9"]},
                    ],
                }
            },
        )
    )
    made.source("albs").offers = offers(2, capacity=None, origin="arn:aws:1")
    made.source("files").offers = offers(1, capacity=None)
    found = {name: one.reasons[0] for name, one in reasons(made).items()}
    assert found == {
        "lb-1": "offered by albs and files and listed in the fleet file (arn:aws:1), pool blue",
        "lb-2": "offered by albs (arn:aws:1), pool blue",
        "lb-9": "listed in the fleet file, pool blue",
    }
    assert (
        reasons(made)["lb-1"].sources == ("fleet file", "albs", "files") or FLEET_FILE in reasons(made)["lb-1"].sources
    )


def test_one_that_drains_is_told_until_it_is_gone() -> None:
    """On its way down, when it goes, and where it never stood."""
    made = world(pace={"ramp_down": "30s"})
    made.source("albs").offers = (*offers(1, drain=True), *offers(10, first=2))
    made.source("albs").offers += offers(1, first=12, drain=True)
    runner = made.planner()
    found = one_of(made, "lb-1")
    assert (found.before, found.weight, found.goal) == (100, 1, 0)
    assert found.reasons[1:] == ("leaves: it drains", "weight 1 of 100: goes down to 1 over 30s, then out")
    assert one_of(made, "lb-12").reasons == (PLACE, "out: it drains, and is not in the newest plan")
    assert (one_of(made, "lb-12").standing, one_of(made, "lb-12").before) == ("out", None)
    made.look(runner)
    made.clock.seconds += 600
    found = one_of(made, "lb-1")
    assert (found.standing, found.before, found.weight, found.goal) == ("out", 1, None, None)
    assert found.reasons[1:] == ("out: it has drained, and goes",)


def test_a_signal_that_stopped_is_no_news() -> None:
    """Of one that was heard, and is neither good nor bad since it stands."""
    made = world()
    joins(made)
    runner = made.planner()
    while "lb-11" not in made.weights():
        made.look(runner)
    silent(made)
    assert reasons(made, history=runner._history)["lb-11"].reasons[1] == "in: no signal lately"


def test_what_waits_on_a_look_that_was_told_again_has_no_word_of_its_own() -> None:
    """The endpoint is new, and its source looked before: bad as it was, that look counts nowhere; no empty brackets."""
    made = Planning(fleet())
    made.source("albs").offers = offers(2)
    made.source("checks").signals = signals(good=[1], bad=[2])
    seen = Seen(**seen_of(made), told_again=frozenset({"checks"}))
    thought = think(made.table, PastReader(made.table), seen, {}, made.clock.wall())
    (_, told) = reasons_of(seen.fleet, thought.planned)[ZONE, "ep1.example.test."]
    assert told.reasons == (PLACE, "out: waits for 3 looks in a row that are good")


def test_what_a_command_of_one_look_brings_in_is_told_with_what_a_planner_that_runs_waits_for() -> None:
    """It counts no looks: one good look is enough for it, and the sentence says for how many more `planner run` waits."""
    made = world()
    joins(made)
    made.clock.seconds += 30
    seen = Seen(**seen_of(made))
    thought = think(made.table, PastReader(made.table), seen, {}, made.clock.wall(), is_one_look=True)
    told = {one.id: one for one in reasons_of(seen.fleet, thought.planned)[ZONE, "ep1.example.test."]}["lb-11"]
    assert (told.standing, told.reasons) == (
        "in",
        (
            PLACE,
            "comes in: good at a first look (checks: answers); `planner run` waits for 3 looks after that",
            FULL,
        ),
    )


def test_one_in_service_that_has_no_address_of_the_endpoints_types_is_not_told() -> None:
    """It never was meant for it; one that is out of service is told all the same."""
    made = world(defaults={"types": ["A"]})
    made.source("albs").offers = (
        *offers(1),
        Offer(id="lb-6", addresses=("2001:db8::6",)),
        Offer(id="lb-7", addresses=("2001:db8::7",), enabled=False),
    )
    assert [
        one.id for one in reasons(made).values() if one.reasons[-1] != "out: nobody lists or offers it any more"
    ] == [
        "lb-1",
        "lb-7",
    ]


@pytest.mark.parametrize(
    ("pace", "says"),
    [
        ({"max_weight_step": 1, "warm_up": "1h"}, "it warms up over 1h"),
        ({"max_weight_step": 0.5, "warm_up": "0s"}, "a step takes at most 0.5 of the largest"),
    ],
)
def test_only_the_limit_that_is_set_is_told(pace: dict[str, object], says: str) -> None:
    """A whole step is no limit."""
    made = world(2, pace=pace)
    made.source("albs").offers = offers(3)
    made.source("checks").signals = signals(good=[1, 2, 3])
    found = one_of(made, "lb-3", looks=3)
    assert found.weight is not None
    assert found.reasons[-1] == f"weight {found.weight} on the way from 0 to 100: {says}"
    assert (found.before, found.goal, found.is_plain) == (None, 100, False)


def test_a_weight_that_goes_down_does_not_warm_up() -> None:
    """Only the step is told; and what the brake holds says nothing of a share."""
    made = world(2, pace={"max_weight_step": 0.1, "warm_up": "1h"})
    made.source("albs").offers = (*offers(1, capacity=20), *offers(1, first=2))
    assert one_of(made, "lb-1").reasons[-1] == (
        "weight 90 on the way from 100 to 20: a step takes at most 0.1 of the largest"
    )
    made = world(2, health={"brake": 0.0})
    half(made)
    found = one_of(made, "lb-1", looks=3)
    assert found.reasons[2:] == (
        "held by the brake: signals may take out 0 of the endpoint in 10m, and 0.00 is out by them",
        FULL,
    )
    assert not found.is_plain


def test_what_the_fleet_file_alone_decides_is_plain() -> None:
    """No source is asked: where it stands, and at which weight."""
    made = Planning(
        fleet(
            sources=None,
            pools={
                "blue": [
                    {"id": "lb-1", "addresses": ["192.0.2.1"], "capacity": 10},
                    {"id": "lb-2", "addresses": ["192.0.2.2"], "capacity": 20},
                ]
            },
        )
    )
    read = made.read()
    assert read.fleet is not None
    assert read.plan is not None
    (behind,), (endpoint,) = read.fleet.endpoints, read.plan.endpoints
    assert plain_reasons(endpoint, behind) == tuple(
        TargetReason(
            id=f"lb-{n}",
            pool="blue",
            sources=(FLEET_FILE,),
            standing="in",
            weight=10 * n,
            is_plain=True,
            reasons=("listed in the fleet file, pool blue",),
        )
        for n in (1, 2)
    )

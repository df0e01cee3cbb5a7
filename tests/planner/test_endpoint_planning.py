"""Which load balancers stand at an endpoint next, with which weight: every row of the table of wishes, the brake, and the pace."""

from collections.abc import Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from enactor.plan import Endpoint, Plan, Retired
from enactor.records import Alias
from planner.endpoint_planning import EndpointPlanned, Outcome
from planner.fleet import Fleet
from planner.observation import Observation, Offer, Signal
from planner.past import Past, PastPlan
from planner.planning import Braked, Planned, longest_window_seconds, plan_fleet
from planner.streaks import Key, Streak
from tests.planner.planner_world import NAME, START, ZONE, Planning, fleet, offers, signals

HALF = Fraction(1, 2)


class Room:
    """A fleet with one endpoint, planned from values: no table, and no time but what a test says."""

    def __init__(self, *offered: Offer, **changes: Any) -> None:
        self.made = Planning(fleet(**changes))
        self.signals: dict[str, Signal] = {}
        self.past = Past()
        self.history: Mapping[Key, Streak] = {}
        self.now = START
        self.offer(*offered)

    def offer(self, *offered: Offer) -> None:
        self.offered = offered
        self.made.source("albs").offers = offered
        self.fleet: Fleet = self.made.lookout().look(self.made.read(), lambda: None).fleet

    def plan(self, *, again: bool = False, is_one_look: bool = False) -> Planned:
        """Plan once, on one more look."""
        observations = {
            "albs": Observation(source="albs", offers=self.offered),
            "checks": Observation(source="checks", signals=dict(self.signals)),
        }
        told = frozenset({"checks"}) if again else frozenset[str]()
        planned = plan_fleet(
            self.fleet,
            observations,
            self.past,
            self.history,
            self.now,
            told_again=told,
            is_one_look=is_one_look,
        )
        self.history = planned.history
        return planned

    def one(self, looks: int = 1, **how: Any) -> EndpointPlanned:
        """Plan so many times, and return the endpoint as it is then."""
        planned = [self.plan(**how) for _ in range(looks)]
        (found,) = planned[-1].endpoints
        return found

    def publish(self, planned: Planned | None = None, *, ago: float = 0.0, is_whole: bool = True) -> None:
        """Let a plan be the newest, since so many seconds ago."""
        plan = (planned or self.plan()).plan
        newest = PastPlan(generation=len(self.past.plans) + 1, at=self.now - timedelta(seconds=ago), plan=plan)
        self.past = Past(plans=(newest, *self.past.plans), is_whole=is_whole)

    def stands(self, weights: Mapping[str, int | None], *, ago: float = 600.0, is_whole: bool = True) -> None:
        """Let these targets stand, with these weights."""
        (endpoint,) = self.plan(is_one_look=True).plan.endpoints
        targets = {target.id: target for target in endpoint.targets}
        self.history = {}
        stood = tuple(
            type(endpoint.targets[0])(
                id=name, type="A", value=targets[name].value if name in targets else f"198.51.100.{n}", weight=weight
            )
            for n, (name, weight) in enumerate(weights.items())
        )
        plan = Plan(
            fleet="edge",
            endpoints=(
                Endpoint(name=endpoint.name, zone=endpoint.zone, routing=endpoint.routing, ttl=60, targets=stood),
            ),
        )
        newest = PastPlan(generation=len(self.past.plans) + 1, at=self.now - timedelta(seconds=ago), plan=plan)
        self.past = Past(plans=(newest, *self.past.plans), is_whole=is_whole)


def weights(of: EndpointPlanned) -> dict[str, int | None]:
    return {target.id: target.weight for target in of.endpoint.targets}


def outcomes(of: EndpointPlanned) -> dict[str, Outcome]:
    return {one.candidate.id: one for one in of.outcomes}


def wishes(of: EndpointPlanned) -> dict[str, str]:
    return {one.candidate.id: one.candidate.wish for one in of.outcomes}


def room(count: int = 10, **changes: Any) -> Room:
    """Return a room in which so many stand, all good."""
    made = Room(*offers(count), **changes)
    made.signals = signals(good=range(1, count + 1))
    made.publish(ago=600)
    made.history = {}
    return made


# ---- the table of wishes -------------------------------------------------------------------------------------------------


def test_whoever_drains_goes_down_where_it_stands_and_does_not_come_where_it_does_not() -> None:
    """Whatever signals say, and past the brake."""
    made = room(2)
    made.offer(*offers(1, drain=True), *offers(1, first=2), *offers(1, first=3, drain=True))
    made.signals = signals(good=[1, 2, 3])
    found = made.one()
    assert wishes(found) == {"lb-1": "drain", "lb-2": "stay", "lb-3": "gone"}
    assert weights(found) == {"lb-1": 80, "lb-2": 100}
    assert (outcomes(found)["lb-1"].goal, outcomes(found)["lb-3"].weight) == (0, 0)


def test_draining_is_urgent_when_it_begins_and_not_again() -> None:
    """Nor for one that never stood."""
    made = room(2)
    made.offer(*offers(1, drain=True), *offers(1, first=2), *offers(1, first=3, drain=True))
    first, second = made.one(), made.one()
    assert (first.urgent, second.urgent) == (("lb-1 drains",), ())
    assert outcomes(first)["lb-1"].candidate.streak.draining
    assert not outcomes(first)["lb-2"].candidate.streak.draining


@pytest.mark.parametrize(("looks", "wish"), [(1, "stay"), (2, "stay"), (3, "leave"), (4, "leave")])
def test_one_that_stands_leaves_after_fall_bad_looks(looks: int, wish: str) -> None:
    """And stays before that, at its weight."""
    made = room()
    made.signals |= signals(bad=[4])
    found = made.one(looks)
    assert wishes(found)["lb-4"] == wish
    assert ("lb-4" in weights(found)) is (wish == "stay")
    assert found.urgent == (("lb-4 is unhealthy",) if wish == "leave" else ())


@pytest.mark.parametrize(("looks", "wish"), [(1, "wait"), (2, "wait"), (3, "come"), (4, "come")])
def test_one_that_does_not_stand_comes_after_rise_good_looks(looks: int, wish: str) -> None:
    """Heard of, and neither before."""
    made = room()
    made.offer(*offers(11))
    made.signals |= signals(good=[11])
    found = made.one(looks)
    assert wishes(found)["lb-11"] == wish
    assert ("lb-11" in weights(found)) is (wish == "come")
    assert found.urgent == ()


def test_one_that_nobody_gives_a_signal_of_comes_at_once() -> None:
    """Nothing speaks against it; one that is told of again, and is bad, waits."""
    made = room()
    made.offer(*offers(12))
    made.signals |= signals(bad=[12])
    found = made.one()
    assert (wishes(found)["lb-11"], wishes(found)["lb-12"]) == ("come", "wait")
    assert (outcomes(found)["lb-12"].weight, outcomes(found)["lb-12"].goal) == (0, 0)


def test_rise_and_fall_are_the_endpoints_own() -> None:
    """As its file says them."""
    made = room(health={"rise": 2, "fall": 4})
    made.offer(*offers(11))
    made.signals |= signals(good=[11], bad=[1])
    told = [wishes(made.one()) for _ in range(4)]
    assert [one["lb-1"] for one in told] == ["stay", "stay", "stay", "leave"]
    assert [one["lb-11"] for one in told] == ["wait", "come", "come", "come"]


def test_a_single_look_counts_for_who_comes_and_not_for_who_leaves() -> None:
    """A command cannot wait for `rise`; `fall` is what keeps one bad look from taking anything out."""
    made = room()
    made.offer(*offers(11))
    made.signals |= signals(good=[11], bad=[1])
    found = made.one(is_one_look=True)
    assert (wishes(found)["lb-11"], wishes(found)["lb-1"]) == ("come", "stay")


def test_looks_that_are_told_again_do_not_count() -> None:
    """However often."""
    made = room()
    made.signals |= signals(bad=[4])
    assert wishes(made.one(5, again=True))["lb-4"] == "stay"


def test_at_a_new_endpoint_all_come_that_are_not_bad_now() -> None:
    """Nothing stands there, so nothing can be kept."""
    made = Room(*offers(3))
    made.signals = signals(good=[1], bad=[2])
    found = made.one()
    assert wishes(found) == {"lb-1": "come", "lb-2": "wait", "lb-3": "come"}
    assert weights(found) == {"lb-1": 100, "lb-3": 100}


def test_an_endpoint_whose_targets_all_have_weight_0_is_no_new_one() -> None:
    """Route 53 serves all of them alike."""
    made = Room(*offers(2))
    made.stands({"lb-1": 0, "lb-2": 0})
    made.signals = signals(bad=[1])
    assert wishes(made.one())["lb-1"] == "stay"


# ---- nobody left ---------------------------------------------------------------------------------------------------------


def test_signals_never_empty_an_endpoint() -> None:
    """All that are wanted are kept where none would serve, and that is said; who drains is not wanted."""
    made = Room(*offers(2), *offers(1, first=3, drain=True))
    made.signals = signals(bad=[1, 2, 3])
    found = made.one()
    assert weights(found) == {"lb-1": 100, "lb-2": 100}
    assert [one.is_kept_for_all for one in found.outcomes] == [True, True, False]
    assert [(one.goal, one.is_held) for one in found.outcomes] == [(100, False), (100, False), (0, False)]


def test_signals_never_empty_a_type_of_an_endpoint() -> None:
    """The only one with an IPv6 address is kept, and no other bad one."""
    made = Room(
        Offer(id="lb-1", addresses=("192.0.2.1", "2001:db8::1")),
        Offer(id="lb-2", addresses=("192.0.2.2",)),
        Offer(id="lb-3", addresses=("192.0.2.3",)),
    )
    made.signals = signals(good=[3], bad=[1, 2])
    found = made.one()
    assert {(one.id, one.type) for one in found.endpoint.targets} == {
        ("lb-1", "A"),
        ("lb-1", "AAAA"),
        ("lb-3", "A"),
    }
    assert {name: one.is_kept_for_all for name, one in outcomes(found).items()} == {
        "lb-1": True,
        "lb-2": False,
        "lb-3": False,
    }


# ---- the brake -----------------------------------------------------------------------------------------------------------


def test_past_the_brake_who_is_bad_stays_as_it_stands() -> None:
    """The worst by id go first; the one that is held keeps its weight, and is told apart."""
    made = room()
    made.signals = signals(good=range(5, 11), bad=range(1, 5))
    planned = [made.plan() for _ in range(3)][-1]
    (found,) = planned.endpoints
    assert found.ruling.allowed == {"lb-1", "lb-2", "lb-3"}
    assert found.ruling.held == ("lb-4",)
    held = outcomes(found)["lb-4"]
    assert (held.weight, held.goal, held.is_held, held.is_kept_for_all) == (100, 100, True, False)
    assert [one.is_held for name, one in outcomes(found).items() if name != "lb-4"] == [False] * 9
    assert found.urgent == ("lb-1 is unhealthy", "lb-2 is unhealthy", "lb-3 is unhealthy")
    assert planned.urgent == tuple(f"{NAME}: {why}" for why in found.urgent)
    assert planned.braked == (
        Braked(
            name=NAME,
            zone=ZONE,
            kept=("lb-4",),
            message=f"{NAME} keeps lb-4 as it stands although signals say otherwise: signals may take out 0.3 of it in 10m, and "
            "0.30 is out by them",
        ),
    )


def test_several_that_are_held_are_told_together() -> None:
    """Worst first, which is the longest run of bad looks."""
    made = room(health={"brake": 0.1, "window": "30m"})
    made.signals |= signals(bad=[7])
    made.plan()
    made.signals |= signals(bad=[2, 3])
    (braked,) = [made.plan() for _ in range(3)][-1].braked
    assert braked.kept == ("lb-2", "lb-3")
    assert braked.message == (
        f"{NAME} keeps lb-2, lb-3 as they stand although signals say otherwise: signals may take out 0.1 of it in 30m, and 0.10 is "
        "out by them"
    )


def test_without_the_whole_window_signals_take_nothing() -> None:
    """What stands stays."""
    made = Room(*offers(10))
    made.signals = signals(good=range(1, 11))
    made.publish(is_whole=False)
    made.signals |= signals(bad=[1])
    assert made.one(3).ruling.held == ("lb-1",)


def test_only_plans_of_the_window_hold_the_brake() -> None:
    """A plan that was followed by another one before the window began counts no more."""
    made = Room(*offers(20))
    made.signals = signals(good=range(1, 21))
    made.stands({f"lb-{n}": 100 for n in range(1, 21)}, ago=5000)
    made.stands({f"lb-{n}": 100 for n in range(1, 11)}, ago=650)
    made.signals |= signals(bad=[1, 2, 3, 4, 5])
    assert len(made.one(3).ruling.allowed) == 3
    made.past = Past(plans=tuple(made.past.plans[:1]))
    made.history = {}
    assert len(made.one(3).ruling.allowed) == 3


def test_every_plan_of_the_window_keeps_its_share() -> None:
    """A younger one with more of them lets signals take no more of the older."""
    made = Room(*offers(20))
    made.signals = signals(good=range(1, 21))
    made.stands({f"lb-{n}": 100 for n in range(1, 11)}, ago=700)
    made.stands({f"lb-{n}": 100 for n in range(1, 21)}, ago=60)
    made.signals |= signals(bad=range(1, 7))
    assert sorted(made.one(3).ruling.allowed) == ["lb-1", "lb-2", "lb-3"]


def test_those_that_are_out_by_signals_already_count() -> None:
    """One that waits to come back is out; so there is room for two."""
    made = room()
    (newest,) = made.past.plans
    made.stands({f"lb-{n}": 100 for n in range(2, 11)}, ago=60)
    assert len(made.past.plans) == 2
    made.signals |= signals(bad=[1, 2, 3, 4])
    found = made.one(3)
    assert sorted(found.ruling.allowed) == ["lb-2", "lb-3"]
    assert found.ruling.lost == Fraction(3, 10)
    assert newest.generation == 1


def test_who_drains_is_no_loss_by_signals() -> None:
    """A person wants it to leave."""
    made = room()
    made.offer(*offers(3, drain=True), *offers(7, first=4))
    made.signals |= signals(bad=[4, 5, 6])
    assert sorted(made.one(3).ruling.allowed) == ["lb-4", "lb-5", "lb-6"]


# ---- shares of capacity --------------------------------------------------------------------------------------------------


def half(*numbers: int) -> dict[str, Signal]:
    return {f"lb-{n}": Signal(healthy=True, why="1 of 2", capacity_share=HALF) for n in numbers}


def test_a_share_of_capacity_lowers_a_weight_after_fall_looks_within_the_brake() -> None:
    """Six halves are three wholes; the seventh keeps what it has."""
    made = room()
    made.signals |= half(*range(1, 8))
    assert set(weights(made.one(2)).values()) == {100}
    found = made.one()
    assert weights(found) == {f"lb-{n}": 50 if n < 7 else 100 for n in range(1, 11)}
    assert (found.ruling.held, found.ruling.lost) == (("lb-7",), Fraction(3, 10))
    assert outcomes(found)["lb-7"].is_held
    assert (outcomes(found)["lb-7"].goal, outcomes(found)["lb-1"].goal) == (100, 50)
    assert wishes(found)["lb-1"] == "stay"
    assert found.urgent == ()


def test_a_half_of_a_weight_is_rounded_up_and_never_to_nothing() -> None:
    """5 of 10 halves to 3; of the smallest something is left."""
    made = Room(*offers(1, capacity=100), *offers(1, first=2, capacity=5), *offers(8, first=3))
    made.signals = signals(good=range(1, 11))
    made.publish()
    made.signals |= half(2)
    made.history = {}
    assert weights(made.one(3))["lb-2"] == 3
    nothing = Signal(healthy=True, why="0 of 2", capacity_share=Fraction(0))
    made.signals["lb-2"] = nothing
    made.history = {}
    assert weights(made.one(3))["lb-2"] == 1


def test_a_weight_that_is_low_already_is_no_wish_of_signals() -> None:
    """It stands at what they say, or below; so nothing is lowered, and nothing held."""
    made = Room(*offers(10), health={"brake": 0})
    made.signals = signals(good=range(2, 11)) | half(1)
    made.stands({f"lb-{n}": 50 if n == 1 else 100 for n in range(1, 11)}, is_whole=False)
    found = made.one(3)
    assert (found.ruling.held, weights(found)["lb-1"]) == ((), 50)


def test_a_capacity_that_a_person_lowers_is_no_wish_of_signals() -> None:
    """The brake has no say in it, though it lets signals take nothing at all."""
    made = room()
    made.past = Past(plans=made.past.plans, is_whole=False)
    made.offer(*offers(1, capacity=20), *offers(9, first=2))
    made.signals |= half(2)
    found = made.one(3)
    assert (weights(found)["lb-1"], weights(found)["lb-2"]) == (20, 100)
    assert found.ruling.held == ("lb-2",)


def test_what_is_whole_again_has_its_weight_back_after_rise_looks() -> None:
    """As one that is good again."""
    made = room()
    made.signals |= half(1)
    assert weights(made.one(3))["lb-1"] == 50
    made.publish()
    made.signals |= signals(good=[1])
    assert [weights(made.one())["lb-1"] for _ in range(3)] == [50, 50, 100]


# ---- the pace ------------------------------------------------------------------------------------------------------------


def test_weights_move_by_steps_and_new_ones_warm_up() -> None:
    """From what the newest plan has, by what has passed since."""
    made = room(2, pace={"gather": "60s", "max_weight_step": 0.25, "warm_up": "10m"})
    made.offer(*offers(1, capacity=20), *offers(2, first=2))
    made.signals = signals(good=[1, 2, 3])
    found = made.one(3)
    assert weights(found) == {"lb-1": 75, "lb-2": 100, "lb-3": 10}
    assert (outcomes(found)["lb-1"].goal, outcomes(found)["lb-3"].goal) == (20, 100)
    made.past = Past(plans=(PastPlan(generation=1, at=made.now, plan=made.past.plans[0].plan),))
    assert weights(made.one())["lb-3"] == 1, "no time has passed since that plan"


def test_at_a_new_endpoint_every_weight_is_at_once_what_is_meant() -> None:
    """There is nothing to move from; so it is where weights come in, or go."""
    made = Room(*offers(2), *offers(1, first=3, drain=True), pace={"max_weight_step": 0.1, "warm_up": "1h"})
    assert weights(made.one()) == {"lb-1": 100, "lb-2": 100}
    made = room(2, pace={"max_weight_step": 0.1, "warm_up": "1h"})
    (endpoint,) = made.past.plans[0].plan.endpoints
    simple = Endpoint(
        name=endpoint.name,
        zone=endpoint.zone,
        routing="multivalue",
        ttl=60,
        targets=tuple(type(one)(id=one.id, type=one.type, value=one.value) for one in endpoint.targets),
    )
    made.past = Past(plans=(PastPlan(generation=1, at=made.now, plan=Plan(fleet="edge", endpoints=(simple,))),))
    made.offer(*offers(1), *offers(1, first=2, drain=True))
    assert weights(made.one()) == {"lb-1": 100}
    made = Room(*offers(2), defaults={"routing": "multivalue"})
    made.stands({"lb-1": 100, "lb-2": 100})
    (newest,) = made.past.plans
    weighted = [msgspec.structs.replace(one, routing="weighted") for one in newest.plan.endpoints]
    made.past = Past(plans=(msgspec.structs.replace(newest, plan=Plan(fleet="edge", endpoints=tuple(weighted))),))
    made.offer(*offers(1), *offers(1, first=2, drain=True))
    assert weights(made.one()) == {"lb-1": None}, "it had weights, and has none now"


def test_a_pace_counts_in_what_the_brake_sees() -> None:
    """A half that goes in steps of a tenth takes a tenth now."""
    made = room(2, pace={"max_weight_step": 0.1}, health={"brake": 0.1})
    made.signals |= half(1, 2)
    found = made.one(3)
    assert weights(found) == {"lb-1": 90, "lb-2": 90}
    assert (found.ruling.held, found.ruling.lost) == ((), Fraction(1, 10))


def test_one_that_warms_up_and_is_held_counts_with_what_it_keeps_now() -> None:
    """It goes on up, as it stood higher before: what it does not have yet is lost."""
    made = room(pace={"gather": "60s", "warm_up": "10m"}, health={"brake": 0})
    made.stands({f"lb-{n}": 10 if n == 1 else 100 for n in range(1, 11)}, ago=60)
    made.signals |= signals(bad=[1])
    found = made.one(3)
    assert (found.ruling.held, weights(found)["lb-1"]) == (("lb-1",), 20)
    assert found.ruling.lost == Fraction(80, 1000)


def test_one_that_comes_back_slowly_is_still_out_for_the_brake() -> None:
    """It stood whole in the window, and warms up again: what is missing of it is counted."""
    made = room(pace={"gather": "60s", "warm_up": "10m"})
    made.stands({f"lb-{n}": 100 for n in range(2, 11)}, ago=60)
    made.history = {(ZONE, NAME, "lb-1"): Streak(standing=False, run=3, was_heard=True)}
    made.signals |= signals(bad=[2, 3, 4])
    found = made.one(3)
    assert weights(found)["lb-1"] == 10
    assert sorted(found.ruling.allowed) == ["lb-2", "lb-3"]
    assert found.ruling.lost == Fraction(290, 1000)


@pytest.mark.parametrize("routing", ["simple", "multivalue"])
def test_without_weights_every_target_counts_as_one(routing: str) -> None:
    """However its capacity; a share of it means nothing there."""
    made = Room(*offers(1, capacity=20), *offers(9, first=2), defaults={"routing": routing})
    made.signals = signals(good=range(1, 11))
    made.publish()
    made.history = {}
    made.signals |= signals(bad=[1]) | half(5)
    found = made.one(3)
    assert found.ruling.lost == Fraction(1, 10)
    assert set(weights(found).values()) == {None}
    assert {one.candidate.full for one in found.outcomes} == {1}
    assert "lb-5" in weights(found)


# ---- what is gone, what is remembered ------------------------------------------------------------------------------------


def test_what_is_wanted_no_more_is_told_with_its_weight() -> None:
    """Nobody offers it, or it answers with another address now."""
    made = room(3)
    made.offer(Offer(id="lb-1", addresses=("192.0.2.77",), capacity=Fraction(100)), *offers(1, first=2))
    found = made.one()
    assert found.gone == (("lb-1", ("A", "192.0.2.1"), 100), ("lb-3", ("A", "192.0.2.3"), 100))
    assert Room(*offers(1)).one().gone == ()


def test_a_plan_has_the_fleets_name_every_endpoint_and_what_is_retired() -> None:
    """In the order of a plan."""
    made = Room(
        *offers(1),
        endpoints=[
            {"name": "ep2.example.test", "zone": "main", "pools": {"blue": 1}},
            {"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}},
        ],
        retired=[{"name": "old.example.test", "zone": "main"}],
    )
    plan = made.plan().plan
    assert (plan.fleet, [one.name for one in plan.endpoints]) == ("edge", [NAME, "ep2.example.test."])
    assert plan.retired == (Retired("old.example.test.", ZONE),)


def test_an_alias_stands_by_what_it_leads_to() -> None:
    """A target of each type of the endpoint, with its weight; the endpoint keeps its own TTL."""
    there = Alias("lb.example.net.", "Z2", evaluate_target_health=True)
    made = Room(Offer(id="lb-1", alias=there, capacity=Fraction(30)), defaults={"types": ["A", "AAAA"], "ttl": 20})
    first = made.plan()
    (endpoint,) = first.plan.endpoints
    assert [(one.type, one.alias, one.weight) for one in endpoint.targets] == [("A", there, 30), ("AAAA", there, 30)]
    assert endpoint.ttl == 20
    made.publish(first)
    found = made.one()
    assert wishes(found) == {"lb-1": "stay"}
    assert outcomes(found)["lb-1"].candidate.before == 30
    assert found.gone == ()


def test_what_left_the_inventory_is_new_when_it_comes_back() -> None:
    """Only those that are there are remembered, each at its endpoint."""
    made = room(2)
    made.plan()
    assert set(made.history) == {(ZONE, NAME, "lb-1"), (ZONE, NAME, "lb-2")}
    assert made.history[ZONE, NAME, "lb-1"].run == 1
    made.offer(*offers(1))
    made.plan()
    assert set(made.history) == {(ZONE, NAME, "lb-1")}


def test_a_target_stands_by_whichever_of_its_addresses() -> None:
    """A second address that is new makes no new load balancer; the larger of two weights is its own."""
    made = Room(*offers(2))
    made.stands({"lb-1": 40, "lb-2": 100})
    made.offer(
        Offer(id="lb-1", addresses=("192.0.2.1", "2001:db8::1"), capacity=Fraction(100)),
        Offer(id="lb-2", addresses=("192.0.2.2",), capacity=Fraction(100)),
    )
    found = made.one()
    assert wishes(found) == {"lb-1": "stay", "lb-2": "stay"}
    assert outcomes(found)["lb-1"].candidate.before == 40
    assert outcomes(found)["lb-1"].candidate.streak.share == 1
    assert outcomes(found)["lb-1"].candidate.streak.stood_at == Fraction(2, 5)


def test_after_a_restart_a_weight_above_the_full_one_is_the_whole() -> None:
    """A capacity that was edited down since."""
    made = Room(*offers(1, capacity=20), *offers(1, first=2))
    made.stands({"lb-1": 100, "lb-2": 100})
    assert outcomes(made.one())["lb-1"].candidate.streak.stood_at == 1


def test_a_fleet_looks_back_as_far_as_its_longest_window() -> None:
    """And without endpoints not at all."""
    made = Room(
        *offers(1),
        endpoints=[
            {"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}},
            {"name": "ep2.example.test", "zone": "main", "pools": {"blue": 1}, "health": {"window": "1h"}},
        ],
    )
    assert longest_window_seconds(made.fleet) == 3600
    assert longest_window_seconds(msgspec.structs.replace(made.fleet, endpoints=())) == 0

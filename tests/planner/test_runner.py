"""What `planner run` does look by look, in virtual time, on the real table code."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from enactor.guards import LimitsTable
from enactor.ports import Draft, PlanEntry, PlanHead, Stopping, Unavailable
from planner.events import BrakeHeld, BrakeReleased, FileWrong, LookEnded, NoPlanMade, Overtaken
from planner.observation import Observation, Offer, Signal
from planner.runner import Runner
from tests.planner.planner_world import FORGET_SECONDS, NAME, Planning, fleet, offers, signals


def world(count: int = 10, *, limits: LimitsTable | None = None, **changes: Any) -> Planning:
    """Return a fleet of so many load balancers, all of them good."""
    made = Planning(fleet(**changes), limits=limits) if limits else Planning(fleet(**changes))
    made.source("albs").offers = offers(count)
    made.source("checks").signals = signals(good=range(1, count + 1))
    return made


def looked(made: Planning, runner: Runner, count: int, *, after: float = 30.0) -> list[str]:
    return [made.look(runner, after=after).outcome for _ in range(count)]


def test_a_fleet_is_published_at_the_first_look_and_then_left_alone() -> None:
    """Whoever is there comes in at once at a new endpoint; the same again makes no plan."""
    made = world()
    runner = made.planner()
    assert made.look(runner).outcome == "published"
    assert made.weights() == {f"lb-{n}": 100 for n in range(1, 11)}
    assert looked(made, runner, 5) == ["unchanged"] * 5
    assert made.generation() == 1
    assert [one.targets for one in made.told(LookEnded)] == [10] * 6


def test_health_is_asked_of_what_the_inventory_offered() -> None:
    """A source of health gets every load balancer in service of a pool that is used, with where it answers."""
    made = world(2)
    made.look(made.planner())
    assert [(aim.pool, aim.id, aim.addresses) for aim in made.source("checks").aims] == [
        ("blue", "lb-1", ("192.0.2.1",)),
        ("blue", "lb-2", ("192.0.2.2",)),
    ]


def test_nobody_is_checked_for_an_endpoint_that_does_not_hear_of_it() -> None:
    """A pool that only such an endpoint uses gives a source of health nothing to look at; another source has its own."""
    listed = [
        {"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}, "health": {"from": ["checks"]}},
        {"name": "ep2.example.test", "zone": "main", "pools": {"green": 1}, "health": {"from": []}},
        {"name": "ep3.example.test", "zone": "main", "pools": {"red": 1}, "health": {"from": ["others"]}},
    ]
    pools = {"blue": {"from": ["albs"]}} | {
        pool: [{"id": pool, "addresses": [f"198.51.100.{n}"]}] for n, pool in enumerate(("green", "red"), 1)
    }
    sources = {"albs": {"kind": "lists"}, "checks": {"kind": "checks"}, "others": {"kind": "checks"}}
    made = world(2, endpoints=listed, pools=pools, sources=sources)
    assert made.look(made.planner()).outcome == "published"
    assert [aim.id for aim in made.source("checks").aims] == ["lb-1", "lb-2"]
    assert [aim.id for aim in made.source("others").aims] == ["red"]


def test_a_target_goes_after_fall_bad_looks_at_once_and_comes_after_rise_good_ones_gathered() -> None:
    """Both paths: out of service is urgent, back into it is routine."""
    made = world()
    runner = made.planner()
    made.look(runner)
    made.source("checks").signals |= signals(bad=[4])
    assert looked(made, runner, 3) == ["unchanged", "unchanged", "published"]
    assert "lb-4" not in made.weights()
    assert made.told(LookEnded)[-1].urgent == (f"{NAME}: lb-4 is unhealthy",)
    made.source("checks").signals |= signals(good=[4])
    assert looked(made, runner, 5) == ["unchanged", "unchanged", "gathering", "gathering", "published"]
    assert made.weights()["lb-4"] == 100
    assert made.told(LookEnded)[-1].urgent == ()


def test_case_2_a_source_that_fails_makes_no_plan_and_says_which_and_why() -> None:
    """Case 2: never a partial plan, told once; when it answers again the planner goes on."""
    made = world()
    runner = made.planner()
    made.look(runner)
    made.source("albs").offers = offers(11)
    for name in ("albs", "checks"):
        made.source(name).fails = f"source {name}: eu-west-1 timed out after 10 s"
        assert looked(made, runner, 3) == ["no-plan"] * 3
        made.source(name).fails = ""
    told = made.told(NoPlanMade)
    assert [(one.reason, one.sources) for one in told] == [
        ("source-failed", ("albs",)),
        ("source-failed", ("checks",)),
    ]
    assert told[0].message == "source albs: eu-west-1 timed out after 10 s"
    assert made.generation() == 1
    made.source("checks").signals |= signals(good=[11])
    assert looked(made, runner, 5)[-1] == "published"
    assert len(made.weights()) == 11


def test_case_15_two_sources_that_claim_one_differently_are_both_named() -> None:
    """Case 15: a conflict, and the current plan is kept."""
    made = world(
        sources={"albs": {"kind": "lists"}, "lists": {"kind": "lists"}}, pools={"blue": {"from": ["albs", "lists"]}}
    )
    made.source("lists").offers = offers(2, first=11)
    runner = made.planner()
    assert made.look(runner).outcome == "published"
    made.source("lists").offers += (Offer(id="lb-3", addresses=("192.0.2.77",)),)
    ended = made.look(runner)
    assert (ended.outcome, made.generation()) == ("no-plan", 1)
    (told,) = made.told(NoPlanMade)
    assert (told.reason, told.sources) == ("sources-conflict", ("albs", "lists"))
    assert told.message == (
        "lb-3 of albs in pool blue (192.0.2.3) and lb-3 of lists in pool blue (192.0.2.77) are in conflict"
    )


def test_sources_that_say_the_same_are_one() -> None:
    """Also where one of them knows more: a capacity, that it drains."""
    made = world(
        sources={"albs": {"kind": "lists"}, "lists": {"kind": "lists"}}, pools={"blue": {"from": ["lists", "albs"]}}
    )
    made.source("lists").offers = offers(2, capacity=None)
    made.look(made.planner())
    assert made.weights()["lb-1"] == 100
    assert len(made.weights()) == 10


@pytest.mark.parametrize("restarted", [False, True], ids=["remembered", "against the plan"])
def test_a_source_that_offers_far_fewer_makes_no_plan(restarted: bool) -> None:
    """More than half gone is no fleet that shrinks but a source that lost its sight, also right after a restart."""
    made = world()
    runner = made.planner()
    made.look(runner)
    runner = made.planner() if restarted else runner
    made.source("albs").offers = offers(4)
    assert looked(made, runner, 3) == ["no-plan"] * 3
    (told,) = made.told(NoPlanMade)
    assert (told.reason, made.generation()) == ("source-shrank", 1)
    assert told.message.startswith(
        "source albs no longer offers 6 of 10 load balancers (lb-10, lb-5, lb-6, lb-7, lb-8 and 1 more)"
    )
    assert "a share of 0.60 over max_gone 0.5" in told.message
    made.source("albs").offers = offers(5)
    assert "published" in looked(made, runner, 3)
    assert len(made.weights()) == 5


@pytest.mark.parametrize("restarted", [False, True], ids=["remembered", "against the plan"])
@pytest.mark.parametrize("left", ["A", "other addresses"])
def test_a_source_whose_load_balancers_lose_their_addresses_makes_no_plan(left: str, restarted: bool) -> None:
    """The ids are all there: nine of ten that no longer have an IPv6 address, or have another IPv4 one, passed for whole."""
    made = Planning(fleet(sources={"albs": {"kind": "lists"}}))
    both = [Offer(id=f"lb-{n}", addresses=(f"192.0.2.{n}", f"2001:db8::{n}")) for n in range(1, 11)]
    made.source("albs").offers = tuple(both)
    runner = made.planner()
    made.look(runner)
    runner = made.planner() if restarted else runner
    others = [(f"192.0.2.{n}",) if left == "A" else (f"192.0.2.{n + 100}", f"2001:db8::{n}") for n in range(1, 11)]
    made.source("albs").offers = (both[0], *(Offer(id=f"lb-{n}", addresses=others[n - 1]) for n in range(2, 11)))
    assert looked(made, runner, 3) == ["no-plan"] * 3
    (told,) = made.told(NoPlanMade)
    assert (told.reason, made.generation()) == ("source-shrank", 1)
    kind = "AAAA" if left == "A" else "A"
    assert told.message.startswith(f"source albs no longer offers 9 of 10 {kind} addresses or aliases (")


def test_a_pool_that_is_empty_for_a_moment_changes_nothing() -> None:
    """And the way on is there: nothing was lost, so the next whole look goes on."""
    made = world()
    runner = made.planner()
    made.look(runner)
    made.source("albs").offers = ()
    assert looked(made, runner, 2) == ["no-plan"] * 2
    made.source("albs").offers = offers(10)
    assert looked(made, runner, 2) == ["unchanged"] * 2
    assert made.generation() == 1


def test_a_pool_that_is_empty_by_a_persons_word_meets_the_guard() -> None:
    """With max_gone lifted the guard `empty` still stands, and nobody can lift that."""
    made = world(sources={"albs": {"kind": "lists", "max_gone": 1}, "checks": {"kind": "checks"}})
    runner = made.planner()
    made.look(runner)
    made.source("albs").offers = ()
    ended = made.look(runner)
    assert (ended.outcome, ended.carried, len(made.weights())) == ("refused", 1, 10)
    assert ended.detail.startswith(f"{NAME}: empty: ")


def test_the_brake_holds_what_signals_may_take_and_says_so() -> None:
    """Nine are bad at once: three of ten go, worst first by id; the rest stays, until signals are good again."""
    made = world()
    runner = made.planner()
    made.look(runner)
    made.source("checks").signals = signals(good=[9], bad=[1, 2, 3, 4, 5, 6, 7, 8, 10])
    looked(made, runner, 20)
    assert sorted(made.weights()) == ["lb-3", "lb-4", "lb-5", "lb-6", "lb-7", "lb-8", "lb-9"]
    (held,) = made.told(BrakeHeld)
    assert len(held.kept) == 6
    assert "signals may take out 0.3 of it in 10m, and 0.30 is out by them" in held.message
    assert made.told(LookEnded)[-1].braked == 1
    made.source("checks").signals = signals(good=range(1, 11))
    looked(made, runner, 6)
    assert len(made.weights()) == 10
    assert [one.name for one in made.told(BrakeReleased)] == [NAME]


def test_the_brake_is_the_same_for_a_planner_that_was_restarted() -> None:
    """It rests on the published plans: whoever looks, ten minutes never take more than three of ten."""
    made = world()
    made.look(made.planner())
    made.source("checks").signals = signals(good=[9], bad=[1, 2, 3, 4, 5, 6, 7, 8, 10])
    for _ in range(3):
        looked(made, made.planner(), 6)
    assert len(made.weights()) == 7
    looked(made, made.planner(), 12, after=60)
    assert len(made.weights()) == 5, "a window later the seven are what stood: two more of them"


@pytest.mark.parametrize("count", [2, 10])
def test_all_unhealthy_keeps_all_even_without_a_brake(count: int) -> None:
    """For good: signals that are against everybody are wrong, and nothing is taken in any later window either."""
    made = world(count, health={"brake": 1, "fall": 1})
    runner = made.planner()
    made.look(runner)
    made.source("checks").signals = signals(bad=range(1, count + 1))
    looked(made, runner, 20, after=120)
    assert len(made.weights()) == count
    (held,) = made.told(BrakeHeld)
    assert held.message.endswith("they are against every A that stands there, and are not believed")


def test_signals_that_are_against_all_of_both_types_are_told_so() -> None:
    """Each type that they are against is named."""
    made = world(2, health={"fall": 1})
    made.source("albs").offers = tuple(
        Offer(id=f"lb-{n}", addresses=(f"192.0.2.{n}", f"2001:db8::{n}")) for n in (1, 2)
    )
    runner = made.planner()
    made.look(runner)
    made.source("checks").signals = signals(bad=[1, 2])
    made.look(runner)
    (held,) = made.told(BrakeHeld)
    assert held.message == (
        f"{NAME} keeps lb-1, lb-2 as they stand although signals say otherwise: "
        "they are against every A and every AAAA that stands there, and are not believed"
    )


def test_those_that_went_before_all_were_bad_stay_out_until_they_rise() -> None:
    """Two go while the rest is good; then the rest is bad too, and stays."""
    made = world(10, health={"fall": 1})
    runner = made.planner()
    made.look(runner)
    made.source("checks").signals |= signals(bad=[1, 2])
    looked(made, runner, 2)
    made.source("checks").signals = signals(bad=range(1, 11))
    looked(made, runner, 20, after=120)
    assert sorted(made.weights()) == sorted(f"lb-{n}" for n in range(3, 11))


def test_draining_by_a_person_is_not_braked_and_goes_down_before_it_goes() -> None:
    """Six of ten drain at once: urgent at first, then a step with each gathered plan, down to 1, then out."""
    made = world(pace={"gather": "60s", "ramp_down": "5m"})
    runner = made.planner()
    made.look(runner)
    made.clock.seconds += 600
    made.source("albs").offers = (*offers(6, drain=True), *offers(4, first=7))
    seen = []
    for _ in range(20):
        ended = made.look(runner)
        if ended.outcome == "published":
            seen.append((made.weights().get("lb-1"), bool(ended.urgent)))
    assert seen == [(80, True), (60, False), (40, False), (20, False), (1, False), (None, False)]
    assert sorted(made.weights()) == ["lb-10", "lb-7", "lb-8", "lb-9"]
    assert made.told(BrakeHeld) == []


def test_draining_meets_the_guard_against_sudden_shrinking() -> None:
    """The guards' own limits, and six of ten that go at once because nothing ramps down."""
    made = world(limits=LimitsTable(), pace={"ramp_down": "0s"})
    runner = made.planner()
    made.look(runner)
    made.source("albs").offers = (*offers(6, drain=True), *offers(4, first=7))
    ended = made.look(runner)
    assert (ended.outcome, len(made.weights())) == ("refused", 10)
    assert "shrink-targets" in ended.detail


def test_a_new_target_warms_up() -> None:
    """From nothing to full over warm_up, a step with each gathered plan; those that stand are left alone."""
    made = world(2, pace={"gather": "60s", "warm_up": "5m"})
    runner = made.planner()
    made.look(runner)
    made.clock.seconds += 600
    made.source("albs").offers = offers(3)
    made.source("checks").signals = signals(good=[1, 2, 3])
    seen = [made.weights().get("lb-3") for _ in range(25) if made.look(runner).outcome == "published"]
    assert seen == [20, 40, 60, 80, 100]
    assert made.weights()["lb-1"] == 100


def test_a_step_limit_moves_a_weight_over_several_plans() -> None:
    """A quarter of the largest for each plan, in either direction."""
    made = world(2, pace={"max_weight_step": 0.25})
    runner = made.planner()
    made.look(runner)
    made.source("albs").offers = (*offers(1), *offers(1, first=2, capacity=20))
    seen = [made.weights().get("lb-2") for _ in range(12) if made.look(runner).outcome == "published"]
    assert seen == [75, 50, 25, 20]


def test_an_edit_of_the_fleet_file_goes_at_once() -> None:
    """It is a person's; what a source offers anew is gathered."""
    made = world()
    runner = made.planner()
    made.look(runner)
    made.source("albs").offers = offers(10, capacity=50)
    assert made.look(runner).outcome == "gathering"
    made.raw["endpoints"].append({"name": "ep2.example.test", "zone": "main", "pools": {"blue": 1}})
    ended = made.look(runner)
    assert (ended.outcome, ended.urgent) == ("published", ("the fleet file was edited",))
    assert looked(made, runner, 3) == ["unchanged"] * 3


def test_an_edit_with_a_fault_makes_no_plan_until_it_is_mended() -> None:
    """Told once, with every fault; the plan in force stays."""
    made = world()
    runner = made.planner()
    made.look(runner)
    good = made.raw
    made.raw = good | {"speed": 1, "pace": {"gather": 5}}
    assert looked(made, runner, 2) == ["no-plan"] * 2
    (wrong,) = made.told(FileWrong)
    assert len(wrong.faults) == 2
    made.raw = good
    assert made.look(runner).outcome == "unchanged"


def test_case_13_two_planners_make_one_plan_of_each_change() -> None:
    """Case 13: whoever is first publishes; the other finds it done. Whatever each remembers, they never pull."""
    made = world()
    one, two = made.planner("p1"), made.planner("p2")
    for runner in (one, two):
        made.look(runner, after=1)
    assert made.generation() == 1
    made.source("checks").signals |= signals(bad=[4])
    for _ in range(10):
        made.look(one, after=15)
        made.look(two, after=15)
    assert made.generation() == 2
    made.source("checks").signals |= signals(good=[4])
    for _ in range(20):
        made.look(one, after=15)
        made.look(two, after=15)
    assert made.generation() == 3
    assert len(made.weights()) == 10


def test_two_planners_that_see_different_things_do_not_pull_with_every_look() -> None:
    """Counts begin anew whenever a target comes or goes, whoever published that."""
    made = world()
    one, two = made.planner("p1"), made.planner("p2")
    made.look(one)
    good, bad = made.source("checks").signals, made.source("checks").signals | signals(bad=[4])
    for _ in range(60):
        made.source("checks").signals = bad
        made.look(one, after=15)
        made.source("checks").signals = good
        made.look(two, after=15)
    looks_of_each, to_leave_or_come = 60, 3
    assert 1 < made.generation() <= 1 + looks_of_each / to_leave_or_come, "with each look it would be 120"


class Race:
    """Lets somebody else publish directly before this planner does."""

    def __init__(self, made: Planning, others: list[Callable[[], object]]) -> None:
        self._publish = made.table.publish
        self._others = others

    def __call__(self, draft: Draft, *, parent: PlanHead | None, source: int | None = None) -> PlanEntry:
        if self._others:
            self._others.pop()()
        return self._publish(draft, parent=parent, source=source)


def test_who_is_overtaken_plans_again_on_what_was_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """The brake of the first decision held against another plan: three are out already when it is made again."""
    made = world()
    one, two = made.planner("p1"), made.planner("p2")
    made.look(one)
    for bad in ([1, 2, 3], [1, 2, 3, 4, 5, 6]):
        made.source("checks").signals |= signals(bad=bad)
        looked(made, one, 2)
        made.look(two, after=0) if bad == [1, 2, 3] else None
    made.look(two, after=0)
    monkeypatch.setattr(made.table, "publish", Race(made, [lambda: made.look(two, after=0)]))
    made.look(one)
    assert len(made.weights()) == 7
    assert made.generation() == 2


def test_a_table_that_is_away_ends_a_look_and_not_the_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was urgent stays so until it is stored."""
    made = world()
    runner = made.planner()
    made.look(runner)
    made.source("albs").offers = (*offers(1, drain=True), *offers(9, first=2))

    def away(*_: object, **__: object) -> PlanEntry:
        raise Unavailable("publishing failed at table plans: it does not answer")

    with monkeypatch.context() as patch:
        patch.setattr(made.table, "publish", away)
        assert made.look(runner).outcome == "failed"
    ended = made.look(runner)
    assert (ended.outcome, ended.urgent) == ("published", (f"{NAME}: lb-1 drains",))


def test_a_stop_ends_a_look_between_two_calls() -> None:
    """Stopping is no outcome: the loop ends with it, and the sources are let go."""
    made = world()
    runner = made.planner()
    made.look(runner)
    made.clock.stopped = True
    made.source("checks").signals |= signals(bad=[1])
    runner.close()
    assert (made.source("albs").closed, made.source("checks").closed) == (1, 1)
    with pytest.raises(Stopping):
        made.clock.sleep(1)


def test_overtaken_again_and_again_is_a_failure_of_that_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten tries, each made anew, then the next look."""
    made = world()
    made.look(made.planner())
    numbers = iter(range(100))

    def other() -> None:
        number = next(numbers)
        planner = made.planner(f"other-{number}")
        made.source("albs").offers = offers(10, capacity=20 + number)
        planner.look()

    runner = made.planner()
    made.source("albs").offers = offers(10, capacity=50)
    publish = made.table.publish

    def race(draft: Draft, *, parent: PlanHead | None, source: int | None = None) -> PlanEntry:
        monkeypatch.setattr(made.table, "publish", publish)
        other()
        monkeypatch.setattr(made.table, "publish", race)
        return publish(draft, parent=parent, source=source)

    monkeypatch.setattr(made.table, "publish", race)
    ended = made.look(runner)
    assert ended.outcome == "failed"
    assert len(made.told(Overtaken)) == 10


def test_a_planner_that_slept_for_an_hour_begins_to_count_anew() -> None:
    """Two bad looks before a long pause and one after it are not three in a row."""
    made = world()
    runner = made.planner()
    made.look(runner)
    made.source("checks").signals |= signals(bad=[4])
    looked(made, runner, 2)
    assert made.look(runner, after=FORGET_SECONDS + 1).outcome == "unchanged"
    assert looked(made, runner, 2) == ["unchanged", "published"]


def test_a_source_that_is_asked_more_often_than_it_looks_counts_once() -> None:
    """One bad look told three times takes nothing out; two more do."""
    made = world()
    runner = made.planner()
    made.look(runner)
    checks = made.source("checks")
    checks.again = Observation(source="checks", signals=checks.signals | signals(bad=[4]))
    assert looked(made, runner, 5) == ["unchanged"] * 5
    checks.again, checks.signals = None, checks.signals | signals(bad=[4])
    assert looked(made, runner, 2) == ["unchanged", "published"]


def test_case_55_a_capacity_that_is_no_number_or_nothing_is_refused() -> None:
    """Case 55: 0, or below; by name, with the source, and nothing of the look is used."""
    made = world()
    runner = made.planner()
    made.look(runner)
    made.source("albs").offers = (*offers(9), *offers(2, first=10, capacity=0))
    ended = made.look(runner)
    assert (ended.outcome, made.generation()) == ("no-plan", 1)
    (wrong,) = made.told(FileWrong)
    assert [fault.split(" (line")[0] for fault in wrong.faults] == [
        'sources.albs."lb-10".capacity: 0 is not above 0',
        'sources.albs."lb-11".capacity: 0 is not above 0',
    ]


def test_case_56_a_target_without_a_capacity_has_a_weight_all_the_same() -> None:
    """Case 56: no plan has a weighted target without a weight; where nobody says a capacity it is 1, and healthy is never 0."""
    made = world()
    made.source("albs").offers = (*offers(2), *offers(1, first=3, capacity=None))
    made.source("checks").signals["lb-1"] = Signal(healthy=True, why="none of 3", capacity_share=Fraction(0))
    made.look(made.planner())
    assert made.weights() == {"lb-1": 1, "lb-2": 100, "lb-3": 1}


def test_case_73_a_plan_of_a_b_d_after_a_b_c_leaves_a_and_b_alone() -> None:
    """Case 73: one plan, which takes c out and d in; a and b stand as they stood."""
    made = world(3)
    runner = made.planner()
    made.look(runner)
    before = made.plan().endpoints[0].targets
    made.source("albs").offers = (*offers(2), *offers(1, first=4))
    made.source("checks").signals = signals(good=[1, 2, 4])
    looked(made, runner, 6)
    after = made.plan().endpoints[0].targets
    assert [one.id for one in after] == ["lb-1", "lb-2", "lb-4"]
    assert after[:2] == before[:2]


@pytest.mark.parametrize("routing", ["simple", "multivalue"])
def test_an_endpoint_without_weights_has_health_and_no_steps(routing: str) -> None:
    """Out after `fall`, held by the brake by number; who drains goes at once."""
    made = world(pace={"max_weight_step": 0.1, "warm_up": "1h"}, defaults={"routing": routing})
    runner = made.planner()
    made.look(runner)
    made.source("checks").signals |= signals(bad=range(1, 6))
    looked(made, runner, 5)
    assert len(made.weights()) == 7
    made.source("albs").offers = (*offers(9), *offers(1, first=10, drain=True))
    made.look(runner)
    assert len(made.weights()) == 6
    assert set(made.weights().values()) == {None}


def test_a_routing_that_changes_has_no_weights_to_start_from() -> None:
    """Each is at once what it is meant to be."""
    made = world(2, pace={"max_weight_step": 0.1, "warm_up": "1h"}, defaults={"routing": "simple"})
    runner = made.planner()
    made.look(runner)
    made.raw["defaults"] = {"routing": "weighted"}
    made.look(runner)
    assert made.weights() == {"lb-1": 100, "lb-2": 100}


def test_each_endpoint_has_its_own_health() -> None:
    """One that hears nobody keeps all; one with a brake of a tenth loses one."""
    listed = [
        {"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}, "health": {"from": []}},
        {"name": "ep2.example.test", "zone": "main", "pools": {"blue": 1}, "health": {"brake": 0.1}},
        {"name": "ep3.example.test", "zone": "main", "pools": {"blue": 1}},
    ]
    made = world(endpoints=listed)
    runner = made.planner()
    made.look(runner)
    made.source("checks").signals = signals(good=[9], bad=[1, 2, 3, 4, 5, 6, 7, 8, 10])
    looked(made, runner, 5)
    assert [len(made.weights(f"ep{n}.example.test.")) for n in (1, 2, 3)] == [10, 9, 7]


def test_a_source_that_is_edited_away_is_let_go() -> None:
    """And one whose settings changed is opened anew; what it offered before is then held against the plan."""
    made = world(sources={"albs": {"kind": "lists"}, "checks": {"kind": "checks"}})
    runner = made.planner()
    made.look(runner)
    made.raw["sources"] = {"albs": {"kind": "lists", "max_gone": 0.1}}
    made.source("albs").offers = offers(8)
    assert made.look(runner).outcome == "no-plan"
    assert (made.source("albs").closed, made.source("checks").closed) == (1, 1)
    assert "2 of 10" in made.told(NoPlanMade)[0].message


def test_a_mirror_that_missed_a_plan_gets_it_with_the_next_look() -> None:
    """Until it has it, and then no more; the look says why it had not."""
    made = world()
    runner = made.planner()
    made.trouble = "generation 1 is in the table and not in the mirror"
    assert made.look(runner).detail == made.trouble
    assert made.look(runner).detail == made.trouble
    made.trouble = None
    assert [made.look(runner).detail for _ in range(3)] == ["", "", ""]
    assert made.followed == [1, 1, 1]


def test_two_load_balancers_of_one_id_are_told_apart_before_signals_are_heard() -> None:
    """In pools of their own they may share an id while nobody gives signals, which are by id."""
    one, two = ({"id": "lb-1", "addresses": [address]} for address in ("192.0.2.1", "192.0.2.2"))
    listed = [
        {"name": f"{name}.example.test", "zone": "main", "pools": {pool: 1}}
        for name, pool in (("ep1", "blue"), ("ep2", "green"))
    ]
    made = world(pools={"blue": [one], "green": [two]}, endpoints=listed)
    assert made.look(made.planner()).outcome == "no-plan"
    (told,) = made.told(NoPlanMade)
    assert told.message.startswith("lb-1 of pool blue and lb-1 of pool green are two load balancers: signals")
    made.raw["health"] = {"from": []}
    assert made.look(made.planner()).outcome == "published"

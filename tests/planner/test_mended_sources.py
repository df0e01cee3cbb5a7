"""Odd answers of sources, which a reader broke the planner with: each is a failure of its source, or a conflict that is told."""

from fractions import Fraction
from typing import Any

import pytest

from enactor.records import Alias
from planner.combining import conflicts
from planner.observation import Offer
from planner.pools import Balancer, Member
from tests.planner.planner_world import Planning, fleet, offers, signals

CHECK = "11111111-2222-3333-4444-555555555555"


def world(**changes: Any) -> Planning:
    made = Planning(fleet(pace={"gather": "0s"}, **changes))
    made.source("albs").offers = offers(10)
    made.source("checks").signals = signals(good=range(1, 11))
    return made


def balancer(source: str, capacity: int | None) -> Balancer:
    return Balancer(
        path="",
        pool="blue",
        id="lb-1",
        capacity=Fraction(capacity or 1),
        has_capacity=capacity is not None,
        enabled=True,
        members=(Member("", "A", value="192.0.2.1"),),
        is_whole=True,
        sources=(source,),
    )


def test_a_conflict_is_found_behind_one_who_says_nothing() -> None:
    """Every claim is held against every other: 100 and 50 went unseen where the first source gives no capacity."""
    (found,) = conflicts({"blue": [balancer("a", None), balancer("b", 100), balancer("c", 50)]})
    assert found.sources == ("b", "c")


@pytest.mark.parametrize("what", ["health_check", "evaluate_target_health"])
def test_two_sources_that_claim_one_with_another_check_are_in_conflict(what: str) -> None:
    """Both change the record sets; the source that was named first had won without a word."""
    made = Planning(
        fleet(sources={"a": {"kind": "lists"}, "b": {"kind": "lists"}}, pools={"blue": {"from": ["a", "b"]}})
    )
    if what == "health_check":
        (one,), (two,) = offers(1, health_check=CHECK), offers(1, health_check=CHECK.replace("1", "6"))
    else:
        one, two = (
            Offer(id="lb-1", alias=Alias("lb.example.net.", "Z32", evaluate_target_health=flag))
            for flag in (True, False)
        )
    made.source("a").offers, made.source("b").offers = (one,), (two,)
    assert made.look(made.planner()).outcome == "no-plan"


def test_a_source_that_says_one_id_twice_has_failed() -> None:
    """Of one id with two addresses the first was taken and the second lost, without a word."""
    made = world()
    made.source("albs").offers = (*offers(3), Offer(id="lb-3", addresses=("192.0.2.99",), capacity=Fraction(100)))
    made.source("checks").signals = {}
    assert made.look(made.planner()).outcome == "no-plan"


@pytest.mark.parametrize("answer", [None, [], {"lb-1": True}])
@pytest.mark.parametrize("name", ["albs", "checks"])
def test_an_answer_that_is_no_observation_is_a_failure(
    name: str, answer: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third party's inventory that returned something else ended the planner with a KeyError; its health passed for silence."""
    made = world()
    monkeypatch.setattr(made.source(name), "observe", lambda aims, within: answer)
    assert made.look(made.planner()).outcome == "no-plan"


def test_a_source_that_fails_on_the_way_out_ends_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a third party's `close` raised ended the planner when the source was edited away."""
    made = world()
    runner = made.planner()
    made.look(runner)

    def fails() -> None:
        raise ValueError("already closed")

    monkeypatch.setattr(made.source("checks"), "close", fails)
    made.raw["sources"] = {"albs": {"kind": "lists"}}
    assert made.look(runner).outcome == "unchanged"

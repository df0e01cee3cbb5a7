"""A planner that cannot know what stood before makes no plan of what sources say, until a person who has looked says so."""

from typing import Any

import pytest

from enactor.plan import StoredPlan
from enactor.ports import DamagedPlan
from planner.events import LookEnded, NoPlanMade
from tests.planner.planner_world import Planning, fleet, offers, signals
from tests.planner.test_stays import published_by_hand

SENTENCE = (
    "generation 1, the newest, cannot be read, nor any before it: what its sources say can be held against nothing, and no plan is "
    "made of it; look at `planner dry-run FLEET.yaml`, and where that is right give `planner publish FLEET.yaml`"
)


def world(**changes: Any) -> Planning:
    """Return a fleet of ten whose first plan is published."""
    made = Planning(fleet(pace={"gather": "0s"}, **changes))
    made.source("albs").offers = offers(10)
    made.source("checks").signals = signals(good=range(1, 11))
    assert made.look(made.planner()).outcome == "published"
    return made


def damage(made: Planning, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lose a chunk of the only plan; its manifest still stands."""
    real = made.table.read
    damaged = DamagedPlan(1, "chunk 1 of 1 is missing")
    monkeypatch.setattr(made.table, "read", lambda number: damaged if number == 1 else real(number))


@pytest.mark.parametrize("count", [1, 10], ids=["far fewer", "as many"])
def test_no_plan_is_made_where_nothing_tells_what_stood(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A restarted planner published one of ten; it cannot tell that from a fleet that is whole, so it waits with both."""
    made = world()
    damage(made, monkeypatch)
    made.source("albs").offers = offers(count)
    runner = made.planner()
    ended = [made.look(runner) for _ in range(3)]
    assert {one.outcome for one in ended} == {"no-plan"}
    assert ended[-1].detail == SENTENCE
    assert made.told(NoPlanMade) == [NoPlanMade(reason="past-unknown", sources=(), message=SENTENCE)]
    assert made.generation() == 1


def test_nor_is_one_made_of_signals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that lists everybody and a source of health: one look at nine of ten at a hundredth would be followed."""
    listed = [{"id": f"lb-{n}", "capacity": 100, "addresses": [f"192.0.2.{n}"]} for n in range(1, 11)]
    made = world(sources={"checks": {"kind": "checks"}}, pools={"blue": listed})
    damage(made, monkeypatch)
    assert made.look(made.planner()).outcome == "no-plan"


def test_a_person_says_that_it_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """From then on there is a plan that can be read, and the planner goes on by itself."""
    made = world()
    damage(made, monkeypatch)
    runner = made.planner()
    assert made.look(runner).outcome == "no-plan"
    published_by_hand(made)
    assert made.look(runner).outcome == "unchanged"
    made.source("albs").offers = offers(12)
    made.source("checks").signals |= signals(good=[11, 12])
    assert "published" in [made.look(runner).outcome for _ in range(3)]


def test_a_planner_that_has_heard_its_sources_before_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds each answer against the last one, and mends the table with a plan that can be read."""
    made = Planning(fleet(pace={"gather": "0s"}))
    made.source("albs").offers = offers(10)
    made.source("checks").signals = signals(good=range(1, 11))
    runner = made.planner()
    made.look(runner)
    damage(made, monkeypatch)
    made.source("albs").offers = offers(1)
    assert made.look(runner).outcome == "no-plan"
    assert made.told(NoPlanMade)[-1].reason == "source-shrank"
    made.source("albs").offers = offers(10)
    assert made.look(runner).outcome == "published"


def test_an_older_plan_that_can_be_read_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stood then tells a fleet that shrank."""
    made = world()
    made.source("albs").offers = offers(11)
    made.source("checks").signals |= signals(good=[11])
    runner = made.planner()
    assert "published" in [made.look(runner).outcome for _ in range(3)]
    real = made.table.read
    damaged = DamagedPlan(2, "chunk 1 of 1 is missing")
    monkeypatch.setattr(made.table, "read", lambda number: damaged if number == 2 else real(number))
    made.source("albs").offers = offers(1)
    assert made.look(made.planner()).outcome == "no-plan"
    assert made.told(NoPlanMade)[-1].reason == "source-shrank"


@pytest.mark.parametrize("left", ["plans", "floor"])
def test_a_table_without_head_that_had_plans_is_no_new_fleet(left: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """HEAD was deleted by hand, or the table was made anew and an enactor has said which generation it met."""
    made = world()
    made.source("albs").offers = offers(1)
    monkeypatch.setattr(made.table, "head", lambda: None)
    if left == "floor":
        made.table.raise_floor(1)
        monkeypatch.setattr(made.table, "list", tuple)
    assert made.look(made.planner()).outcome == "no-plan"
    assert made.told(LookEnded)[-1].detail.startswith("the table has no HEAD, and this is not the fleet's first plan: ")


def test_a_fleet_file_that_asks_nobody_is_a_persons_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in it changes by itself, so it mends the table at once."""
    listed = [{"id": f"lb-{n}", "capacity": 100, "addresses": [f"192.0.2.{n}"]} for n in range(1, 11)]
    made = world(sources=None, pools={"blue": listed})
    damage(made, monkeypatch)
    assert made.look(made.planner()).outcome == "published"
    assert isinstance(made.table.read(2), StoredPlan)

"""What a person published stays: a planner that runs leaves a rollback alone, until a person publishes the fleet file."""

from datetime import UTC, datetime
from typing import Any

import pytest

from enactor.fence import instant_text
from enactor.plan import StoredPlan
from enactor.ports import DamagedPlan, Draft, PlanEntry, PlanHead
from planner.deliberation import publish_seen
from planner.events import LookEnded, Overtaken
from planner.publisher import Published, Signature, publish, read_parent
from planner.publishing import Store, Unchanged, Wish
from tests.planner.planner_world import Chance, Planning, fleet, offers, signals

STAYS = "generation 3 stays (generation 1 again, by ops: 2 was wrong)"
SENTENCE = f"{STAYS}: `planner run` publishes nothing until a person gives `planner publish FLEET.yaml`"


def world() -> Planning:
    """Return a fleet whose second plan took nine load balancers more."""
    made = Planning(fleet(pace={"gather": "0s"}))
    made.source("albs").offers = offers(10)
    made.source("checks").signals = signals(good=range(1, 11))
    return made


def gone_back(made: Planning, to: int = 1) -> Published:
    """Publish an old plan again, as `planner republish` does."""
    stored = made.table.read(to)
    assert isinstance(stored, StoredPlan)
    return publish(
        made.table,
        stored.plan,
        Wish(stays=f"generation {to} again"),
        made.limits,
        signature=Signature("ops", "2 was wrong", instant_text(made.clock.wall())),
        clock=made.clock,
        chance=Chance(),
        source=to,
    )


def published_by_hand(made: Planning) -> Published:
    """Publish the fleet file, as `planner publish FLEET.yaml` does."""
    lookout = made.lookout()
    seen = lookout.look(made.read(), lambda: read_parent(made.table, made.clock.wall())[0].base)
    lookout.close()
    signature = Signature("ops", "", instant_text(made.clock.wall()))
    return publish_seen(made.table, seen, Wish(), made.limits, signature=signature, clock=made.clock, chance=Chance())[
        0
    ]


def after_two_plans(made: Planning) -> Any:
    runner = made.planner()
    made.look(runner)
    made.source("albs").offers = offers(12)
    made.source("checks").signals |= signals(good=[11, 12])
    assert [made.look(runner).outcome for _ in range(3)][-1] == "published"
    assert made.generation() == 2
    return runner


@pytest.mark.parametrize("is_restarted", [False, True], ids=["running", "restarted"])
def test_a_running_planner_leaves_a_rollback_alone(is_restarted: bool) -> None:
    """Nothing takes it away: no time, no signal that is urgent elsewhere, no edit, no restart; and each look says why."""
    made = world()
    runner = after_two_plans(made)
    gone_back(made)
    runner = made.planner("p2") if is_restarted else runner
    made.source("checks").signals |= signals(bad=[4])
    outcomes = [made.look(runner, after=600).outcome for _ in range(6)]
    made.raw["pace"] = {"gather": "1s"}
    outcomes.append(made.look(runner).outcome)
    assert outcomes == ["stays"] * 7
    assert made.told(LookEnded)[-1].detail == SENTENCE
    assert made.generation() == 3
    assert len(made.weights()) == 10
    assert made.followed[-1] == 3


def test_a_person_lets_it_go_on_with_the_fleet_file() -> None:
    """One command; what the planner has learnt meanwhile goes with its next look."""
    made = world()
    runner = after_two_plans(made)
    gone_back(made)
    made.source("checks").signals |= signals(bad=[4])
    made.look(runner)
    published = published_by_hand(made)
    assert isinstance(published.decision, Store)
    assert published.notes == (f"{STAYS} until now: from here on `planner run` publishes again",)
    assert made.table.list()[0].stays is None
    assert "published" in [made.look(runner).outcome for _ in range(3)]
    assert "lb-4" not in made.weights()


def test_a_rollback_that_comes_between_look_and_publish_is_not_overtaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan was made on the one before: HEAD has moved, so it is thought about again, and then it stays."""
    made = world()
    runner = after_two_plans(made)
    made.source("checks").signals |= signals(bad=[4])
    assert [made.look(runner).outcome for _ in range(2)] == ["unchanged"] * 2
    real = made.table.publish

    def late(draft: Draft, *, parent: PlanHead | None, source: int | None = None) -> PlanEntry:
        monkeypatch.setattr(made.table, "publish", real)
        gone_back(made)
        return real(draft, parent=parent, source=source)

    monkeypatch.setattr(made.table, "publish", late)
    assert made.look(runner).outcome == "stays"
    assert len(made.told(Overtaken)) == 1
    assert (made.generation(), len(made.weights())) == (3, 10)


def test_the_newest_content_can_be_kept_too() -> None:
    """Going back to what is the newest already stores it once more, so that it stays; the second time nothing is to do."""
    made = world()
    runner = after_two_plans(made)
    assert isinstance(gone_back(made, to=2).decision, Store)
    assert isinstance(gone_back(made, to=2).decision, Unchanged)
    made.source("albs").offers = offers(9)
    assert [made.look(runner).outcome for _ in range(3)] == ["stays"] * 3
    assert made.generation() == 3


def test_the_same_content_from_the_fleet_file_ends_it() -> None:
    """Or a person who agrees with the rollback could never let planners go on."""
    made = world()
    runner = after_two_plans(made)
    gone_back(made, to=2)
    assert isinstance(published_by_hand(made).decision, Store)
    assert (made.look(runner).outcome, made.generation()) == ("unchanged", 4)


def test_a_rollback_that_can_no_longer_be_read_stays_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest says so; a planner that cannot read the body must not bring back what a person took away."""
    made = world()
    runner = after_two_plans(made)
    gone_back(made)
    real = made.table.read
    damaged = DamagedPlan(3, "chunk 1 of 1 is missing")
    monkeypatch.setattr(made.table, "read", lambda number: damaged if number == 3 else real(number))
    ended = made.look(runner)
    assert (ended.outcome, ended.detail) == ("stays", SENTENCE)
    parent, notes = read_parent(made.table, datetime.now(UTC))
    assert (parent.stays, notes) == (
        STAYS,
        ("generation 3, the newest, cannot be read; the guards judge against generation 2", SENTENCE),
    )


@pytest.mark.parametrize("how", ["a field is gone", "a field is another type", "it is another plan's", "it is gone"])
@pytest.mark.parametrize("is_restarted", [False, True], ids=["running", "restarted"])
def test_a_rollback_whose_manifest_cannot_be_read_stays(how: str, is_restarted: bool) -> None:
    """`list` leaves such a manifest out, so nobody knows that it stays: a planner that went on had undone the rollback."""
    made = world()
    runner = after_two_plans(made)
    gone_back(made)
    ruin_manifest(made, 3, how)
    runner = made.planner("p2") if is_restarted else runner
    outcomes = [made.look(runner, after=600).outcome for _ in range(3)]
    assert outcomes == ["stays"] * 3
    unknown = "nobody can tell whether it was meant to: its manifest cannot be read"
    said = f"generation 3 stays ({unknown})"
    assert made.told(LookEnded)[-1].detail == (
        f"{said}: `planner run` publishes nothing until a person gives `planner publish FLEET.yaml`"
    )
    published = published_by_hand(made)
    assert published.notes[-1] == f"{said} until now: from here on `planner run` publishes again"
    assert (made.look(runner).outcome, made.generation(), len(made.weights())) == ("unchanged", 4, 12)


def test_a_newest_plan_that_lost_a_chunk_and_was_to_go_on_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its manifest can be read, and says that nobody put it there to stay."""
    made = world()
    runner = after_two_plans(made)
    real = made.table.read
    damaged = DamagedPlan(2, "chunk 1 of 1 is missing")
    monkeypatch.setattr(made.table, "read", lambda number: damaged if number == 2 else real(number))
    assert (made.look(runner).outcome, made.generation()) == ("published", 3)


def ruin_manifest(made: Planning, generation: int, how: str) -> None:
    """Leave a manifest as a hand, or a restore that went wrong, leaves it."""
    key = f"plan#{generation:012d}"
    item = dict(made.line.items[key])
    rest = {sk: one for sk, one in made.line.items.items() if sk != key}
    if how == "a field is gone":
        del item["digest"]
    elif how == "a field is another type":
        item["stays"] = 1
    elif how == "it is another plan's":
        item = dict(made.line.items["plan#000000000002"]) | {"generation": generation}
    made.line.items = rest if how == "it is gone" else {**rest, key: tuple(item.items())}

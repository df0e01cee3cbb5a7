"""The first act: three enactors with the behaviour of October 2025, on the schedule of that night."""

from typing import Any

import boto3
import msgspec

from enactor.replay.behaviour_2025 import Automation2025
from enactor.replay.stage import PLANS, Row, Stage, members
from enactor.sandbox.isolation import inside, isolated

LOST_TRIES = 3
NEWEST_THAT_NIGHT = 5


class Ending2025(msgspec.Struct, frozen=True):
    """How the act ended."""

    rows: tuple[Row, ...]
    is_empty: bool
    stuck: tuple[int, ...]
    """The later plans that no enactor could apply."""


def play() -> Ending2025:
    """Play the act, and say how it ended."""
    with Stage() as stage, inside(isolated(stage.sandbox.environment(), {})):
        client: Any = boto3.client("route53")
        a, b, c = (Automation2025(f"enactor {letter}", client) for letter in "ABC")
        _a_falls_behind(stage, a, b)
        _a_writes_and_b_deletes(stage, a, b)
        stuck = tuple(
            generation
            for generation, hands in ((6, (a, b, c)), (7, (c, a, b)))
            if not _somebody_applies(stage, generation, hands)
        )
        return Ending2025(tuple(stage.rows), not stage.ask().addresses, stuck)


def _a_falls_behind(stage: Stage, a: Automation2025, b: Automation2025) -> None:
    _apply(b, 1)
    stage.believe("enactor B", "plan 1 is in force", lambda: b.in_force() == 1)
    stage.tell("enactor B", f"applies plan 1: {members(1)}")
    picked_up = a.picks_up(2)
    assert picked_up, "plan 2 is newer than plan 1"
    a.build_tree(2)
    stage.moment(2)
    stage.believe("enactor A", "plan 2 is newer than what is in force: it has checked", lambda: (a.in_force() or 0) < 2)
    stage.tell("enactor A", f"picks plan 2 up: {members(2)}; checks once that it is newer than plan 1: it is")
    b.take_lock()
    lost = sum(not a.take_lock() for _ in range(LOST_TRIES))
    stage.tell("enactor A", f"tries to lock the endpoint, and loses the lock {lost} times to enactor B")
    b.release_lock()
    for generation in range(3, NEWEST_THAT_NIGHT + 1):
        _apply(b, generation)
    stage.moment(3)
    newest = f"plan {NEWEST_THAT_NIGHT} is in force"
    stage.believe("enactor B", newest, lambda: b.in_force() == NEWEST_THAT_NIGHT)
    stage.tell("enactor B", f"applies plans 3 to {NEWEST_THAT_NIGHT}: {members(NEWEST_THAT_NIGHT)}")


def _a_writes_and_b_deletes(stage: Stage, a: Automation2025, b: Automation2025) -> None:
    old = b.old_trees()
    stage.moment(4)
    unused = f"plans {' '.join(map(str, old))} are old, so nobody uses them"
    stage.believe("enactor B", unused, lambda: b.in_force() not in old)
    stage.tell("enactor B", f"starts to clean up: plans {' '.join(map(str, old))} are old by now, whoever uses them")
    refusal = _locked_flip(a, 2)
    assert refusal is None, refusal
    stage.moment(5)
    stage.believe("enactor A", "plan 2 is in force, and it was the newest", lambda: a.in_force() == NEWEST_THAT_NIGHT)
    stage.tell("enactor A", "gets the lock at last and flips the endpoint to plan 2: its check is long stale")
    b.delete_trees(old)
    stage.moment(6)
    newest = f"plan {NEWEST_THAT_NIGHT} is in force, and what it deleted was in nobody's way"
    stage.believe("enactor B", newest, lambda: b.in_force() == NEWEST_THAT_NIGHT)
    stage.tell("enactor B", "ends its clean-up: the record sets of plan 2, now in force, are deleted")


def _apply(enactor: Automation2025, generation: int) -> None:
    picked_up = enactor.picks_up(generation)
    assert picked_up, f"plan {generation} is newer"
    enactor.build_tree(generation)
    refusal = _locked_flip(enactor, generation)
    assert refusal is None, refusal


def _locked_flip(enactor: Automation2025, generation: int) -> str | None:
    locked = enactor.take_lock()
    assert locked, "the lock is free"
    refusal = enactor.flip(generation)
    enactor.release_lock()
    return refusal


def _somebody_applies(stage: Stage, generation: int, hands: tuple[Automation2025, ...]) -> bool:
    """Let every enactor try a later plan; tell what came of it."""
    assert generation in PLANS, "a plan of the story"
    stage.moment(generation + 2)
    refusals = []
    for enactor in hands:
        if not enactor.picks_up(generation):
            continue
        enactor.build_tree(generation)
        refusal = _locked_flip(enactor, generation)
        if refusal is None:
            stage.tell(enactor.name, f"applies plan {generation}")
            return True
        refusals.append(refusal)
        _believes(stage, enactor, generation)
    stage.tell(
        "all three",
        f"try plan {generation} and cannot: its rollback record must point at plan 2, which is gone. Route 53: "
        f"{refusals[0]}",
    )
    return False


def _believes(stage: Stage, enactor: Automation2025, generation: int) -> None:
    newer = f"plan {generation} is newer than what is in force, so it can be applied"
    stage.believe(enactor.name, newer, lambda: enactor.in_force() == generation)

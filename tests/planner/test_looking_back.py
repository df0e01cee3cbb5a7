"""A step that was published past the guards can be undone by a plain publish; one that they let through cannot, and says its way out."""

from collections.abc import Iterable
from typing import Any

import pytest

from enactor.guards import LimitsTable
from enactor.outside import SystemChance, SystemClock
from enactor.plan import Endpoint, Plan
from enactor.ports import PlanHead
from planner.looking_back import EARLIER_PLANS_MAX
from planner.publisher import Signature, publish
from planner.publishing import Mismatch, Parent, Store, Unchanged, Wish, decide, held_against_parent
from tests.enactor.kernel_builders import plan

from .test_publishing import ONE, TWO, digest, ep

LIMITS = LimitsTable()
GOOD, WRONG = {"ep1": [1, 2, 3, 4], "ep2": [1, 2]}, {"ep1": [9], "ep2": [1, 2]}


def parent(base: Plan, *earlier: Endpoint) -> Parent:
    """Return generation 7, with what its endpoints had before, the newest first."""
    past: dict[tuple[str, str], list[Endpoint]] = {}
    for endpoint in earlier:
        past.setdefault(endpoint.key, []).append(endpoint)
    head = PlanHead(7, digest(base))
    return Parent(head=head, is_sound=True, base=base, floor=0, base_generation=7, earlier=past)


def passes(new: Endpoint, *newest_first: Endpoint) -> bool:
    """Tell whether an endpoint is let through, on what it had in plan 7 and before."""
    wanted = plan(new, ep(TWO, 1, 2, 3))
    made = decide(wanted, parent(plan(newest_first[0], ep(TWO, 1, 2)), *newest_first[1:]), Wish(), LIMITS)
    assert isinstance(made, Store)
    assert (made.plan == wanted) is (not made.carried)
    return not made.carried


ENDPOINTS = {
    "the way back": (True, [ep(ONE, 1, 2, 3, 4), ep(ONE, 9), ep(ONE, 1, 2, 3, 4)]),
    "a small step from what was before": (True, [ep(ONE, 1, 2, 3, 5), ep(ONE, 9), ep(ONE, 1, 2, 3, 4)]),
    "a large one": (False, [ep(ONE, 1, 5, 6), ep(ONE, 9), ep(ONE, 1, 2, 3, 4)]),
    "nobody looked back": (False, [ep(ONE, 1, 2, 3, 4), ep(ONE, 9)]),
    "a wrong file on a wrong file": (True, [ep(ONE, 1, 2), ep(ONE, 8), ep(ONE, 9), ep(ONE, 1, 2)]),
    "other endpoints changed since": (True, [ep(ONE, 1, 2), ep(ONE, 9), ep(ONE, 9), ep(ONE, 1, 2)]),
    "the wrong one grew since": (True, [ep(ONE, 1, 2), ep(ONE, 9, 8), ep(ONE, 9), ep(ONE, 1, 2)]),
    "nobody is answered from it": (False, [ep(ONE), ep(ONE, 9), ep(ONE, 1, 2)]),
    "guards let each step through": (False, [ep(ONE, 1), ep(ONE, 1, 2, 3, 4), ep(ONE, 1)]),
    "guards let each of two steps through": (False, [ep(ONE, 1), ep(ONE, 1, 2, 3), ep(ONE, 1, 2), ep(ONE, 1)]),
}


@pytest.mark.parametrize("story", ENDPOINTS)
def test_only_what_stood_before_a_step_past_the_guards_counts_besides_the_parent(story: str) -> None:
    """What the guards let through may be in force everywhere: going back from there is a shrink like any other."""
    expected, (new, *newest_first) = ENDPOINTS[story]
    assert passes(new, *newest_first) is expected


def test_only_what_compares_makes_anybody_look_back() -> None:
    """An endpoint without a target, or a new one that is refused, cannot be helped by what was."""
    new = plan(ep(ONE, 1), ep(TWO), ep("ep9.example.test."))
    made = decide(new, parent(plan(ep(ONE, 1, 2, 3), ep(TWO, 1, 2))), Wish(), LIMITS)
    assert {name for _, name in held_against_parent(made)} == {ONE}
    assert held_against_parent(Mismatch("no")) == frozenset()


def wrong_then(world: Any, *more: dict[str, list[int]]) -> None:
    world.run("publish", world.fleet(GOOD))
    for endpoints in (WRONG, *more):
        assert world.run("publish", world.fleet(endpoints), "--unguarded").exit_code == 0


def of_ep1(world: Any) -> Iterable[str]:
    stored = world.table.read(world.table.head().generation)
    (found,) = (one for one in stored.plan.endpoints if one.name.startswith("ep1."))
    return [target.value for target in found.targets]


def test_the_right_file_after_a_wrong_one_is_stored_as_it_is(world: Any) -> None:
    """Whoever mends the file at three in the morning needs no flag, and is told what it was held against."""
    world.start()
    world.run("publish", world.fleet(GOOD))
    assert world.enact() == "changed"
    assert world.run("publish", world.fleet(WRONG), "--unguarded").exit_code == 0
    assert world.enact() in {"refused", "partial"}
    right = world.fleet(GOOD)
    shown = world.json("dry-run", right, "--json")
    assert shown["carried"] == []
    result = world.run("publish", right, "--expect-digest", shown["digest"])
    assert (result.exit_code, result.stdout.split(" digest ")[0]) == (0, "published generation 3")
    note = (
        "planner: ep1.example.test.: generation 2, or one shortly before it, was published past the guards there, so this is held "
        "against what was before that; enactors hold it against what stands in DNS"
    )
    assert [line for line in result.stderr.splitlines() if line.startswith("planner: ")] == [note]
    assert world.enact() in {"changed", "unchanged"}
    again = world.run("publish", right)
    assert (again.exit_code, "past the guards" in again.stderr) == (0, False), "nothing is to be said once it stands"


def test_so_is_an_older_plan_that_is_published_again(world: Any) -> None:
    """`republish` is the other way back, and there the mistake may be two publishes old."""
    wrong_then(world, {"ep1": [8], "ep2": [1, 2]})
    result = world.run("republish", "1", "--reason", "2 and 3 were wrong")
    assert (result.exit_code, list(of_ep1(world))) == (0, [f"192.0.2.{number}" for number in (1, 2, 3, 4)])


def test_what_was_let_in_past_the_guards_is_still_guarded_by_enactors(world: Any) -> None:
    """Where the wrong plan was allowed and stands in DNS, the way back is refused there, with the numbers of what stands."""
    world.start()
    world.run("publish", world.fleet({"ep1": [1, 2], "ep2": [1]}))
    assert world.enact() == "changed"
    world.run("publish", world.fleet({"ep1": [1, 2, 3, 4, 5, 6], "ep2": [1]}))
    assert world.enact() == "changed"
    assert world.run("publish", world.fleet({"ep1": [1, 2], "ep2": [1]}), "--unguarded").exit_code == 0
    assert world.run("publish", world.fleet({"ep1": [7, 8], "ep2": [1]}), "--unguarded").exit_code == 0
    back = world.run("publish", world.fleet({"ep1": [1, 2], "ep2": [1]}))
    assert back.exit_code == 0
    assert world.enact() in {"refused", "partial"}


def test_the_look_back_ends(world: Any) -> None:
    """So many plans, and no more, are read: beyond that the sentence names the way in that is left."""
    wrong_then(world)
    for number in range(EARLIER_PLANS_MAX):
        world.run("publish", world.fleet({"ep1": [9], "ep2": [1, 2, 10 + number]}))
    late = world.run("publish", world.fleet(GOOD))
    assert late.exit_code == 3
    assert list(of_ep1(world)) == ["192.0.2.9"]
    assert "planner: if it is meant: publish it with --unguarded (generation 14), then" in late.stderr.splitlines()
    assert world.run("publish", world.fleet(GOOD), "--unguarded").exit_code == 0


def test_a_planner_that_runs_does_not_look_back(world: Any) -> None:
    """It follows sources and signals, and what a person did past the guards is not theirs to undo; one that a person calls does."""
    wrong_then(world)
    good = world.table.read(1).plan
    signature = Signature("planner-a", "", "2026-12-01T00:00:00Z")
    ports: dict[str, Any] = {"signature": signature, "clock": SystemClock(), "chance": SystemChance()}
    for looks_back, kept_out in ((False, ["ep1.example.test."]), (True, [])):
        made = publish(world.table, good, Wish(looks_back=looks_back), LIMITS, **ports)
        assert isinstance(made.decision, Store | Unchanged)
        assert [one.name for one in made.decision.carried] == kept_out

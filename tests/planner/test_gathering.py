"""When a plan that differs from the newest one goes."""

from fractions import Fraction

import pytest

from enactor.ports import PlanHead
from planner.gathering import TUG_SECONDS, Gathering, Said, gathered, is_due, is_tug, said_since

HEAD, NEXT = PlanHead(1, "a" * 64), PlanHead(2, "b" * 64)
MINUTE = Fraction(60)


def test_what_differs_first_begins_to_wait() -> None:
    """From this look on, with this look's reasons."""
    assert gathered(None, HEAD, ("drains",), 7.0) == Gathering(since=7.0, head=HEAD, urgent=("drains",))
    assert gathered(None, None, (), 7.0) == Gathering(since=7.0, head=None)


def test_what_waits_goes_on_waiting_and_reasons_add_up() -> None:
    """Each once, the earlier first."""
    before = Gathering(since=7.0, head=HEAD, urgent=("drains",))
    now = gathered(before, HEAD, ("edited", "drains"), 9.0)
    assert now == Gathering(since=7.0, head=HEAD, urgent=("drains", "edited"))


def test_after_another_plan_the_wait_begins_anew_and_no_reason_is_lost() -> None:
    """Somebody published: it differs from that one only since now."""
    before = Gathering(since=7.0, head=HEAD, urgent=("drains",))
    assert gathered(before, NEXT, (), 9.0) == Gathering(since=9.0, head=NEXT, urgent=("drains",))


@pytest.mark.parametrize(("now", "due"), [(66.9, False), (67.0, True), (100.0, True)])
def test_what_is_not_urgent_goes_when_it_is_old_enough(now: float, due: bool) -> None:
    """Counted from when it first differed."""
    assert is_due(Gathering(since=7.0, head=HEAD), MINUTE, now) is due
    assert is_due(Gathering(since=7.0, head=HEAD, urgent=("drains",)), MINUTE, now)


SAID = Said(head=HEAD)
REPLACED = Said(head=HEAD, replaced_at=7.0)


@pytest.mark.parametrize(
    ("said", "digest", "head", "left"),
    [
        (None, HEAD.digest, HEAD, None),
        (SAID, NEXT.digest, HEAD, None),
        (REPLACED, NEXT.digest, NEXT, None),
        (SAID, HEAD.digest, HEAD, SAID),
        (REPLACED, HEAD.digest, HEAD, SAID),
        (SAID, HEAD.digest, NEXT, Said(head=HEAD, replaced_at=9.0)),
        (SAID, HEAD.digest, None, Said(head=HEAD, replaced_at=9.0)),
        (REPLACED, HEAD.digest, NEXT, REPLACED),
    ],
)
def test_what_was_said_is_remembered_until_there_is_something_new_to_say(
    said: Said | None, digest: str, head: PlanHead | None, left: Said | None
) -> None:
    """With the instant at which another plan was first seen in its place; it is forgotten where its own is the newest again."""
    assert said_since(said, digest, head, 9.0) == left


@pytest.mark.parametrize(
    ("said", "now", "tug"),
    [
        (None, 7.0, False),
        (SAID, 7.0, False),
        (REPLACED, 7.0, True),
        (REPLACED, 7.0 + TUG_SECONDS - 1, True),
        (REPLACED, 7.0 + TUG_SECONDS, False),
        (Said(head=HEAD, replaced_at=0.0), 1.0, True),
    ],
)
def test_to_say_the_same_again_is_a_tug_for_half_an_hour(said: Said | None, now: float, tug: bool) -> None:
    """From when another plan was first seen in its place; to the last second, and not at it."""
    assert is_tug(said, now) is tug

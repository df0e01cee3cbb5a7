"""When a plan that differs from the newest one goes."""

from fractions import Fraction

import pytest

from enactor.ports import PlanHead
from planner.gathering import Gathering, gathered, is_due

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

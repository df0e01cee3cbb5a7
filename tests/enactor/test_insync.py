"""Waiting until changes are INSYNC: few questions, an end, and a name for what is left."""

import pytest

from enactor.hooks import BatchEnded, Event
from enactor.insync import ASKED_AT_ONCE_MAX, LOST, PAUSE_SECONDS, Change, Changes, Waited, sentence, wait_insync
from enactor.ports import Denied, OutsideError, Unavailable

ZONE = "Z0EXAMPLE"


class Hands:
    """A clock that moves when somebody waits, and a Route 53 whose changes are INSYNC from a moment on."""

    def __init__(self, *ready: float) -> None:
        self.seconds = 0.0
        self.ready = {f"C{number}": at for number, at in enumerate(ready)}
        self.asked: list[tuple[float, str]] = []
        self.fails: OutsideError | None = None
        self.told: list[tuple[int, float]] = []

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def is_insync(self, zone: str, change_id: str) -> bool:
        assert zone == ZONE
        self.asked.append((self.seconds, change_id))
        if self.fails is not None:
            raise self.fails
        return self.ready[change_id] <= self.seconds

    def wait(self, seconds: float = 60.0, *more: Change) -> Waited:
        changes = [*(Change(ZONE, one) for one in self.ready), *more]
        return wait_insync(self, changes, self, seconds=seconds, tell=lambda left, gone: self.told.append((left, gone)))


def test_it_ends_when_the_last_change_is_insync() -> None:
    """Each is asked for until then and not after; what is left is told as it goes."""
    hands = Hands(0.0, 3.0)
    assert hands.wait() == Waited((), 4.0)
    assert hands.asked == [(0.0, "C0"), (0.0, "C1"), (2.0, "C1"), (4.0, "C1")]
    assert hands.told == [(1, 0.0), (1, 2.0), (0, 4.0)]


def test_few_are_asked_for_at_once_and_a_slow_one_keeps_nobody_else() -> None:
    """The account's requests belong to the enactors."""
    hands = Hands(*[100.0] * ASKED_AT_ONCE_MAX, *[0.0] * ASKED_AT_ONCE_MAX)
    waited = hands.wait(30.0)
    assert {one.id for one in waited.left} == {f"C{number}" for number in range(ASKED_AT_ONCE_MAX)}
    rounds = [sum(at == moment for at, _ in hands.asked) for moment in {at for at, _ in hands.asked}]
    assert max(rounds) == ASKED_AT_ONCE_MAX


def test_it_ends_when_the_time_is_up() -> None:
    """No pause is begun that would end after it."""
    hands = Hands(100.0)
    waited = hands.wait(5.0)
    assert (waited.left, waited.seconds) == ((Change(ZONE, "C0"),), 5.0 - 5.0 % PAUSE_SECONDS)


def test_without_an_answer_it_is_asked_again_and_at_last_said_why() -> None:
    """Throttled, busy or away: the next round may have one. What is denied stays denied."""
    hands = Hands(0.0, 0.0)
    hands.fails = Unavailable("no answer")
    waited = hands.wait(3.0)
    assert (len(waited.left), waited.why) == (2, "no answer")
    assert [at for at, _ in hands.asked] == [0.0, 2.0]
    hands.fails = Denied("not allowed")
    with pytest.raises(Denied):
        hands.wait()


def test_a_lost_answer_left_no_change_to_ask_for() -> None:
    """It is never called INSYNC, and waits for nothing."""
    hands = Hands(0.0)
    waited = hands.wait(60.0, Change(ZONE, LOST))
    assert waited == Waited((Change(ZONE, LOST),), 0.0)
    assert len(hands.asked) == 1
    assert hands.wait(60.0).why == ""


def batch(change_id: str | None, outcome: str = "applied", zone: str = ZONE) -> BatchEnded:
    return BatchEnded(zone=zone, outcome=outcome, generation=1, change_id=change_id, names=(), opened=True)


def test_what_a_cycle_applied_is_heard_once_each_and_handed_on() -> None:
    """The opening of a generation is a change too, though no endpoint bears its id."""
    told: list[Event] = []
    changes = Changes(told.append)
    for one in (batch("C1"), batch("C2", zone="Z2"), batch("C1"), batch(None, "conflicted"), batch(None)):
        changes(one)
    assert changes.seen == (Change(ZONE, "C1"), Change("Z2", "C2"), Change(ZONE, LOST))
    assert len(told) == 5


@pytest.mark.parametrize(
    ("left", "changes", "words"),
    [
        ((), 0, "nothing was changed"),
        ((), 3, "all changes (3) are INSYNC after 7 s"),
        (("C1",), 3, "1 of 3 changes are not known to be INSYNC after 7 s: C1 in zone Z0EXAMPLE; ask again with"),
        (tuple(f"C{number}" for number in range(7)), 9, "C4 in zone Z0EXAMPLE and 2 more; ask again with"),
        ((LOST,), 1, "has no change id to ask for"),
    ],
)
def test_the_end_is_told_in_one_sentence(left: tuple[str, ...], changes: int, words: str) -> None:
    """With the numbers, and what to do."""
    text = sentence(Waited(tuple(Change(ZONE, one) for one in left), 7.2), changes)
    assert words in text
    assert ("get-change --id" in text) == any(one != LOST for one in left)
    assert "; the last question failed: away" in sentence(Waited((Change(ZONE, "C1"),), 1.0, "away"), 1)

"""Sources are asked at the same time, each in a thread of its own, and nobody waits for one for longer than was said."""

import threading
from collections.abc import Iterator

import pytest

from enactor.outside import SystemClock
from enactor.ports import Stopping
from planner.asking import AtOnce, InTurn, Question
from planner.observation import Aim, Observation, SourceFailed

SOON = 0.2
PATIENCE = 30.0


class Waiting:
    """A source that answers when it is let, and says in which thread it was asked and closed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.go = threading.Event()
        self.threads: list[int] = []
        self.closed_in = 0

    def observe(self, aims: tuple[Aim, ...], within_seconds: float) -> Observation:
        self.threads.append(threading.get_ident())
        self.go.wait(PATIENCE)
        return Observation(source=self.name)

    def close(self) -> None:
        self.closed_in = threading.get_ident()


class Broken(Waiting):
    """A source with a mistake in it."""

    def observe(self, aims: tuple[Aim, ...], within_seconds: float) -> Observation:
        raise ZeroDivisionError("no more")


def look(source: Waiting) -> Observation:
    return source.observe((), PATIENCE)


@pytest.fixture
def asker() -> Iterator[AtOnce]:
    made = AtOnce(SystemClock())
    yield made
    made.end()


QUESTION: Question = look  # type: ignore[assignment]  # the test's own sources are asked


def test_a_slow_one_keeps_nobody_else_from_answering(asker: AtOnce) -> None:
    """It has failed, with its name and the time; the other's answer is there."""
    quick, slow = Waiting("quick"), Waiting("slow")
    quick.go.set()
    answers = asker.ask({"quick": quick, "slow": slow}, QUESTION, SOON)
    assert answers["quick"] == Observation(source="quick")
    assert str(answers["slow"]) == "source slow did not answer within 0.2 s"
    slow.go.set()


def test_one_that_is_still_busy_is_not_asked_again_until_it_is_done(asker: AtOnce) -> None:
    """One thread uses a source, and its late answer is nobody's."""
    slow = Waiting("slow")
    asker.ask({"slow": slow}, QUESTION, SOON)
    assert str(asker.ask({"slow": slow}, QUESTION, SOON)["slow"]) == "source slow is still busy with an earlier look"
    slow.go.set()
    answer = asker.ask({"slow": slow}, QUESTION, SOON)["slow"]
    for _ in range(100):
        if isinstance(answer, Observation):
            break
        answer = asker.ask({"slow": slow}, QUESTION, SOON)["slow"]
    assert answer == Observation(source="slow")
    assert len(set(slow.threads)) == 1
    asker.dismiss(slow)
    asker.end()
    assert slow.closed_in == slow.threads[0]


def test_what_else_a_source_raises_is_its_failure(asker: AtOnce) -> None:
    """A mistake in a third party's source ends no planner."""
    for each in (asker, InTurn()):
        answer = each.ask({"broken": Broken("broken")}, QUESTION, SOON)["broken"]
        assert isinstance(answer, SourceFailed)
        assert str(answer) == "source broken failed: ZeroDivisionError: no more"


def test_a_stop_ends_the_wait_for_an_answer() -> None:
    """Whoever hangs: it is let go with its thread."""
    clock = SystemClock()
    slow = Waiting("slow")
    asker = AtOnce(clock)
    threading.Timer(SOON, clock.stop).start()
    with pytest.raises(Stopping):
        asker.ask({"slow": slow}, QUESTION, PATIENCE)
    slow.go.set()

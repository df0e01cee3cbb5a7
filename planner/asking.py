"""Ask sources at the same time, each in a thread of its own, for a bounded time. Decides nothing.

A source that does not answer in time has failed, and is not asked again while it is still busy. Its thread is a daemon: whoever is
asked to stop does not wait for an answer that may never come.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from queue import Empty, SimpleQueue
from typing import Final, Protocol

from enactor.ports import Clock
from planner.observation import Observation, Offer, Signal, Source, SourceFailed

GLANCE_SECONDS: Final = 0.05
"""How long a wait for an answer goes on before it is seen whether the process should stop."""
CLOSE_SECONDS: Final = 2.0
Answer = Observation | SourceFailed
Question = Callable[[Source], Observation]


class Asker(Protocol):
    """Who asks the sources."""

    def ask(self, sources: Mapping[str, Source], question: Question, within_seconds: float) -> Mapping[str, Answer]:
        """Return an answer of each source."""
        ...

    def dismiss(self, source: Source) -> None:
        """Close a source, and forget it."""
        ...

    def end(self) -> None:
        """Wait a moment for those that were dismissed."""
        ...


def answer_of(source: Source, question: Question) -> Answer:
    """Return what a source answers; whatever else a third party's code raises is a failure of that source alone."""
    try:
        found: object = question(source)
    except SourceFailed as error:
        return error
    except Exception as error:  # noqa: BLE001 - see above
        return SourceFailed(f"source {source.name} failed: {type(error).__name__}: {error}")
    if not isinstance(found, Observation):
        return SourceFailed(
            f"source {source.name} failed: it answered {type(found).__name__}, not Observation; mend it"
        )
    if wrong := _wrong(found):
        return SourceFailed(f"source {source.name} failed: {wrong}; mend it")
    return found


def _wrong(found: Observation) -> str | None:
    """Say what of an answer is of another type than the protocol has; a third party's code is under no type checker of ours."""
    for offer in found.offers:
        if not _is(offer, Offer) or not _is(offer.id, str):
            return f"it offered {offer!r:.80}, which is no Offer with a text for its id"
        if not _is(offer.addresses, tuple) or not all(_is(one, str) for one in offer.addresses):
            return f"{offer.id} has addresses that are no tuple of texts"
        if not _is(offer.capacity, Fraction, int, type(None)):
            return f"{offer.id} has a capacity of type {type(offer.capacity).__name__}, which is no Fraction"
    for name, signal in found.signals.items():
        if not _is(signal, Signal) or not _is(signal.healthy, bool):
            return f"its signal of {name} is no Signal that says whether it is healthy"
        if not _is(signal.capacity_share, Fraction, int, type(None)):
            return f"its signal of {name} has a capacity_share of type {type(signal.capacity_share).__name__}, which is no Fraction"
    return None


def _is(value: object, *types: type) -> bool:
    return isinstance(value, types)


def closed(source: Source) -> None:
    """Close a source; what a third party's code raises on the way out concerns nobody any more."""
    with suppress(Exception):
        source.close()


class InTurn:
    """Asks one after the other, in the caller's thread: for sources that answer at once."""

    def ask(self, sources: Mapping[str, Source], question: Question, within_seconds: float) -> Mapping[str, Answer]:  # noqa: ARG002 - the protocol's
        """Return an answer of each source."""
        return {name: answer_of(source, question) for name, source in sources.items()}

    def dismiss(self, source: Source) -> None:
        """Close a source."""
        closed(source)

    def end(self) -> None:
        """Wait for nobody: every source is closed."""


class AtOnce:
    """Asks all at the same time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._desks: dict[int, _Desk] = {}
        self._leaving: list[threading.Thread] = []

    def ask(self, sources: Mapping[str, Source], question: Question, within_seconds: float) -> Mapping[str, Answer]:
        """Return an answer of each source; raise Stopping where the process should stop meanwhile."""
        until = self._clock.now() + within_seconds
        desks = {name: self._desks.setdefault(id(source), _Desk(source)) for name, source in sources.items()}
        answers: dict[str, Answer] = {}
        for name, desk in desks.items():
            if not desk.put(question):
                answers[name] = SourceFailed(f"source {name} is still busy with an earlier look")
        while len(answers) < len(desks):
            waiting = {name: desk for name, desk in desks.items() if name not in answers}
            answers |= {name: found for name, desk in waiting.items() if (found := desk.answer()) is not None}
            if self._clock.now() >= until:
                late = SourceFailed
                answers |= {
                    name: late(f"source {name} did not answer within {within_seconds:g} s")
                    for name in waiting
                    if name not in answers
                }
            elif len(answers) < len(desks):
                self._clock.sleep(GLANCE_SECONDS)
        return answers

    def dismiss(self, source: Source) -> None:
        """Close a source in its own thread, once it is done with what it was asked."""
        desk = self._desks.pop(id(source), None)
        if desk is None:
            closed(source)
        else:
            self._leaving.append(desk.dismissed())

    def end(self) -> None:
        """Wait a moment for those that were dismissed, all of them together."""
        until = self._clock.now() + CLOSE_SECONDS
        for thread in self._leaving:
            thread.join(max(0.0, until - self._clock.now()))
        self._leaving = []


class _Desk:
    """One source and the thread that uses it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._questions: SimpleQueue[Question | None] = SimpleQueue()
        self._answers: SimpleQueue[Answer] = SimpleQueue()
        self._asked = 0
        self._answered = 0
        self._thread = threading.Thread(target=self._work, name=f"source-{source.name}", daemon=True)
        self._thread.start()

    def put(self, question: Question) -> bool:
        """Ask, unless an earlier answer is still to come; a late one is thrown away."""
        while self.answer() is not None:
            pass
        if self._asked != self._answered:
            return False
        self._asked += 1
        self._questions.put(question)
        return True

    def answer(self) -> Answer | None:
        try:
            found = self._answers.get_nowait()
        except Empty:
            return None
        self._answered += 1
        return found

    def dismissed(self) -> threading.Thread:
        self._questions.put(None)
        return self._thread

    def _work(self) -> None:
        while (question := self._questions.get()) is not None:
            self._answers.put(answer_of(self._source, question))
        closed(self._source)

"""Write what an enactor's batches put where into the plan table, once a cycle is over: best effort, bounded, and never in the way.

A hook like any other: it hears of a batch after it was applied, and of the cycle's end after everything that could be healed
was. It must never fail a cycle, nor delay one by more than a few seconds: a table that does not answer is asked once a minute.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final, Protocol

from enactor.history import Facts, facts_of, within_second
from enactor.hooks import BatchEnded, CycleEnded, Event, Hook, Noticed
from enactor.ports import Chance, Clock, OutsideError

WAITING_MAX: Final = 2_000
"""Batches of one cycle that are kept to be told: a cycle of a minute sends a few hundred."""
FLUSH_SECONDS_MAX: Final = 5.0
"""How long one cycle's end writes history; a batch takes some milliseconds."""
AWAY_SECONDS: Final = 60.0
"""How long a table that failed is not asked again; what is told meanwhile is lost."""
MISSED: Final = "history-write-failed"


class Book(Protocol):
    """Where history is written."""

    def record(self, facts: Facts, *, at: datetime, event: str) -> None:
        """Write one event down; raise an OutsideError where it cannot be."""
        ...


class Historian:
    """One process's writer of history; what it hears it hands on."""

    def __init__(
        self,
        onward: Hook,
        book: Callable[[], Book],
        aws_now: Callable[[], datetime | None],
        wall: Callable[[], datetime],
        *,
        clock: Clock,
        chance: Chance,
        by: str,
    ) -> None:
        self._onward = onward
        self._make_book = book
        self._book: Book | None = None
        self._aws_now = aws_now
        self._wall = wall
        self._clock = clock
        self._chance = chance
        self._by = by
        self._waiting: list[tuple[Facts, datetime]] = []
        self._away_until: float | None = None
        self._is_missing = False
        self._lost = 0

    def __call__(self, event: Event) -> None:
        self._onward(event)
        match event:
            case BatchEnded(outcome="applied"):
                self._hear(event)
            case CycleEnded():
                self._write_down()
            case _:
                pass

    def _hear(self, event: BatchEnded) -> None:
        """Keep what was applied until the cycle is over, with the time of AWS's answer to it."""
        date = self._aws_now()
        for facts in facts_of(event, by=self._by):
            if date is None or len(self._waiting) >= WAITING_MAX:
                self._lost += 1
                self._tell(f"AWS's answer has no Date, or {WAITING_MAX} batches wait to be written down already")
            else:
                self._waiting.append((facts, within_second(date, self._wall())))

    def _write_down(self) -> None:
        """Write what waits; at the first failure, or when time is up, the rest is lost, and told once until a write works again."""
        waiting, self._waiting = self._waiting, []
        began = self._clock.now()
        if self._away_until is not None and began < self._away_until:
            self._lost += len(waiting)
            return
        why = f"it took more than {FLUSH_SECONDS_MAX:g} s"
        written = 0
        try:
            self._book = self._book or self._make_book()
            for facts, at in waiting:
                if self._clock.now() - began > FLUSH_SECONDS_MAX:
                    break
                self._book.record(facts, at=at, event=self._chance.nonce())
                written += 1
        except OutsideError as error:
            why = str(error)
        self._lost += len(waiting) - written
        if written < len(waiting):
            self._away_until = self._clock.now() + AWAY_SECONDS
            self._tell(why)
        elif written:
            self._away_until, self._is_missing, self._lost = None, False, 0

    def _tell(self, why: str) -> None:
        if not self._is_missing:
            self._is_missing = True
            self._onward(Noticed(event=MISSED, facts={"why": why, "lost": self._lost}))

"""Read the history once when a worker starts, so that the timelines of its page reach back to before it."""

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from enactor.chores import Chore
from enactor.cli.beside import Beside
from enactor.cli.build import utc_now
from enactor.live_report import Recalled
from enactor.outside import SystemClock
from enactor.recalled import recalled
from enactor.table import PlanTable
from enactor.table_keys import EventItem

BACK: Final = timedelta(days=7)
"""As far as `enactor history` looks where nobody says otherwise."""
EVENTS_READ_MAX: Final = 300
"""Batches of 200 names have 30 KB each: some 8 MB at most, once, and an average of three for each of 20,000 endpoints."""


class Recalling(Beside):
    """One read of the history beside the cycles, best effort: no endpoint waits for it, and it is not tried again.

    A worker that starts again and again asks for no more than once each time, after its first cycle.
    """

    def __init__(
        self,
        table: PlanTable,
        *,
        zones: tuple[str, ...],
        clock: SystemClock,
        aws_now: Callable[[], datetime | None],
        told: Callable[[Recalled], None],
        failed: Callable[[str, str], None],
    ) -> None:
        self._table = table
        self._zones = zones
        self._clock = clock
        self._started = clock.now()
        self._aws_now = aws_now
        self._told = told
        super().__init__("history", self._recall, failed)

    def chore(self) -> Chore:
        """Return what begins it, once."""
        return Chore(self.begin, name="history", every=math.inf)

    def _recall(self) -> None:
        self._told(self._read())

    def _read(self) -> Recalled:
        """Return what was written before this process started, by AWS's clock where it has told the time: events are dated by it."""
        now = self._aws_now() or utc_now()
        before = now - timedelta(seconds=self._clock.now() - self._started)
        since = before - BACK
        read = self._table.events(since, self._wanted, most=EVENTS_READ_MAX)
        return recalled(read.events, self._zones, since=since, before=before, is_cut=read.is_cut)

    def _wanted(self, _event: EventItem) -> bool:
        """Take every event; a stop ends the reading between two of them."""
        self._clock.sleep(0.0)
        return True

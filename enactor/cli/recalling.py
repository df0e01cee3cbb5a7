"""Read the history once when a worker starts, so that the timelines of its page reach back to before it."""

import math
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from enactor.chores import Chore
from enactor.cli.build import utc_now
from enactor.live_report import Recalled
from enactor.outside import SystemClock
from enactor.ports import OutsideError, Stopping
from enactor.recalled import recalled
from enactor.table import PlanTable
from enactor.table_keys import EventItem

BACK: Final = timedelta(days=7)
"""As far as `enactor history` looks where nobody says otherwise."""
EVENTS_READ_MAX: Final = 300
"""Batches of 200 names have 30 KB each: some 8 MB at most, once, and an average of three for each of 20,000 endpoints."""


class Recalling:
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
        self._failed = failed
        self._thread: threading.Thread | None = None

    def chore(self) -> Chore:
        """Return what begins it, once."""
        return Chore(self.begin, name="history", every=math.inf)

    def begin(self) -> None:
        """Read in a thread of its own: a table that answers slowly holds no cycle up."""
        self._thread = threading.Thread(target=self._recall, name="history", daemon=True)
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait for its end."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _recall(self) -> None:
        try:
            self._told(self._read())
        except Stopping:
            pass  # asked to stop: nobody looks at the page any more
        except OutsideError as error:
            self._failed("history", str(error))
        except Exception as error:  # noqa: BLE001 - a fault of it must not be silent, and ends no worker
            self._failed("history", f"{type(error).__name__}: {error}")

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

"""What a worker does between its cycles: divide the account's share with who else is alive, collect, see that changes arrived.

None of it can hurt an endpoint, and none of it may end the worker: what fails is told and tried again at its next time. Each chore
makes a bounded number of calls, all of them paid for like any other, and none starts while the process is asked to stop.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final, Protocol

from enactor.cycle_report import latest
from enactor.ports import Announcement, Clock, OutsideError, Stopping
from enactor.report import EnactorSeen

SHARING_SECONDS: Final = 60.0
ALIVE_SECONDS: Final = 180.0
"""Whoever announced itself within this is alive: three times as long as an enactor is silent between two announcements."""
ENACTORS_SUPPOSED: Final = 3
"""Where the table has not answered yet: as many as a fleet should have, so that a restart of all of them is no rush."""

DIVIDED_MAX: Final = 12
"""However many ids the table shows, as after a crash loop where each process has a new one, nobody works at less than so small a
part: an endpoint that answers nobody has to be repaired. Where so many really live, throttling slows each down to a quarter of it."""


class Chore:
    """Something to do every so often, in its own time."""

    def __init__(self, do: Callable[[], None], *, name: str, every: float, first: float = 0.0) -> None:
        self.name = name
        self.every = every
        self._do = do
        self._due: float | None = None
        self._first = first
        """How long after the first chance it is done for the first time, in seconds."""

    def run_if_due(self, now: float) -> None:
        """Do it where its time has come; the next time is counted from now, whatever comes of it."""
        if self._due is None:
            self._due = now + self._first
        if now >= self._due:
            self._due = now + self.every
            self._do()


def do_chores(chores: Iterable[Chore], clock: Clock, failed: Callable[[str, str], None]) -> None:
    """Do what is due; what fails is told by its name. Raises Stopping where the process is asked to stop."""
    for chore in chores:
        clock.sleep(0.0)  # a stop is seen before each
        try:
            chore.run_if_due(clock.now())
        except Stopping:
            raise
        except OutsideError as error:
            failed(chore.name, str(error))


def alive(seen: Iterable[Announcement], me: str, now: datetime) -> tuple[EnactorSeen, ...]:
    """Return the enactors that announced themselves lately, and this one in any case.

    `now` is by AWS's Date, as the announcements are: by a clock four minutes ahead nobody else would live, and three would each
    take the whole share.
    """
    others = [one for one in latest(seen, now) if one.id != me]
    near = [one for one in others if one.silent_seconds is not None and one.silent_seconds <= ALIVE_SECONDS]
    own = next((one for one in latest(seen, now) if one.id == me), None)
    stamp = (now - timedelta(microseconds=now.microsecond)).isoformat()
    return tuple(sorted((*near, own or EnactorSeen(id=me, generation=0, seen=stamp)), key=lambda one: one.id))


class Dividing(Protocol):
    """Whose pace follows the number of enactors."""

    def divide(self, enactors: int) -> None:
        """Use an equal part of the share from now on."""
        ...


class Sharing:
    """Divide the fleet's share of the account among the enactors that are alive: a lone survivor works with all of it."""

    def __init__(
        self,
        announcements: Callable[[], Iterable[Announcement]],
        me: str,
        wall: Callable[[], datetime],
        dividing: Dividing,
        told: Callable[[tuple[EnactorSeen, ...] | None], None],
    ) -> None:
        self._announcements = announcements
        self._me = me
        self._wall = wall
        self._dividing = dividing
        self._told = told
        dividing.divide(ENACTORS_SUPPOSED)

    def __call__(self) -> None:
        """Ask the table who is alive; where it does not answer, go on with the number that was."""
        try:
            found = alive(tuple(self._announcements()), self._me, self._wall())
        except OutsideError:
            self._told(None)
            raise
        self._dividing.divide(min(len(found), DIVIDED_MAX))
        self._told(found)

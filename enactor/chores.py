"""What a worker does between its cycles: divide the account's share with who else is alive, collect, see that changes arrived.

None of it can hurt an endpoint, and none of it may end the worker: what fails is told and tried again at its next time. Each chore
makes a bounded number of calls, all of them paid for like any other, and none starts while the process is asked to stop.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
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
LOOKS_KEPT: Final = round(ALIVE_SECONDS / SHARING_SECONDS)
"""After so many looks in a row everybody who lives has announced itself to them."""
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
    """Return the workers that announced themselves lately, and this one in any case; not who ended, nor a cycle run by hand.

    `now` is by AWS's Date, as the announcements are: by a clock four minutes ahead nobody else would live, and three would each
    take the whole share.
    """
    workers = [one for one in latest(seen, now) if one.presence == "works"]
    others = [one for one in workers if one.id != me]
    near = [one for one in others if one.silent_seconds is not None and one.silent_seconds <= ALIVE_SECONDS]
    own = next((one for one in workers if one.id == me), None)
    stamp = (now - timedelta(microseconds=now.microsecond)).isoformat()
    return tuple(sorted((*near, own or EnactorSeen(id=me, generation=0, seen=stamp)), key=lambda one: one.id))


class Dividing(Protocol):
    """Whose pace follows the number of enactors."""

    def divide(self, enactors: int) -> None:
        """Use an equal part of the share from now on."""
        ...


class Sharing:
    """Divide the fleet's share of the account among the enactors that are alive: a lone survivor works with all of it.

    Nobody takes more than a third in its first LOOKS_KEPT looks: those who started together have not all announced themselves yet.
    """

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
        self._processes = Processes()
        self._looks = 0
        dividing.divide(ENACTORS_SUPPOSED)

    def __call__(self) -> None:
        """Ask the table who is alive; where it does not answer, go on with the number that was."""
        try:
            announced = tuple(self._announcements())
        except OutsideError:
            self._told(None)
            raise
        found = alive(announced, self._me, self._wall())
        self._looks += 1
        many = self._processes.count(announced, {one.id for one in found})
        least = ENACTORS_SUPPOSED if self._looks <= LOOKS_KEPT else 1
        self._dividing.divide(min(max(many, least), DIVIDED_MAX))
        self._told(found)


class Processes:
    """Count processes and not ids: several that were given one id by mistake each use a share.

    A process has announced itself twice, or it may be one that is gone: who is restarted again and again is still one.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple[str, int]] = {}
        """When each process said last that it lives, and for how many looks it has said nothing since; LOOKS_KEPT: never twice."""

    def count(self, announced: Iterable[Announcement], living: Collection[str]) -> int:
        """Return how many processes there are: of each id that lives at least one."""
        seen: dict[tuple[str, str], tuple[str, int]] = {}
        for one in (one for one in announced if one.presence == "works"):
            said, silent = self._seen.get((one.id, one.nonce), (one.seen, LOOKS_KEPT))
            seen[one.id, one.nonce] = (one.seen, 0 if one.seen != said else min(silent + 1, LOOKS_KEPT))
        self._seen = seen
        lively = Counter(enactor for (enactor, _), (_, silent) in seen.items() if silent < LOOKS_KEPT)
        return sum(max(1, lively[enactor]) for enactor in living)

"""Clocks that jump between two calls, one actor's or everybody's, by minutes or days, on or back; and what then may end. Pure.

An actor has one clock here: its own seconds jump with the Date of the answers that Route 53 gives it, by which holds, stops, allows
and slow-drain windows end. No safety rests on a clock (DESIGN, section 4): what has no end of its own never ends, and what a
person, or a window, gave an end to ends for whom a clock says so, and for nobody else.
"""

from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from enactor.fence import Fence, Garbled, Switch

AWS_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""The Date of every answer, as long as no clock jumps."""
BACK_MINUTES: Final = 5 * 60
"""Shorter than a slow-drain window."""
MINUTES: Final = 15 * 60
"""Longer than a slow-drain window, and shorter than a hold or an allow of a story."""
DAYS: Final = 2 * 86_400
"""Longer than anything lasts that a person sets for a time, or that a heal leaves behind."""
WINDOW_SECONDS: Final = 600
"""The length of a slow-drain window (docs/settings.md)."""


class Jump(msgspec.Struct, frozen=True):
    """By how many seconds, and whose clock."""

    seconds: int
    of_all: bool = False


JUMPS: Final = {
    "clock back 2 days": Jump(-DAYS),
    "clock back 5 minutes": Jump(-BACK_MINUTES),
    "clock on 15 minutes": Jump(MINUTES),
    "clock on 2 days": Jump(DAYS),
    "all clocks back 2 days": Jump(-DAYS, of_all=True),
    "all clocks back 5 minutes": Jump(-BACK_MINUTES, of_all=True),
    "all clocks on 15 minutes": Jump(MINUTES, of_all=True),
    "all clocks on 2 days": Jump(DAYS, of_all=True),
}
"""The faults of this module: the call goes as it would have gone, and the clock jumps with its answer."""


class Seen(NamedTuple):
    """The lowest and the highest clock by which somebody can have decided what is in hand, in seconds after the beginning."""

    low: int = 0
    high: int = 0
    jumped: bool = False
    """Whether any clock has jumped in this run."""

    def is_over(self, until: datetime | None) -> bool:
        """Tell whether an end has come by some clock of these."""
        return until is not None and AWS_NOW + timedelta(seconds=self.high) >= until

    def may_last(self, until: datetime) -> bool:
        """Tell whether an end is still to come by some clock of these."""
        return AWS_NOW + timedelta(seconds=self.low) < until

    def is_within(self, began: datetime) -> bool:
        """Tell whether every clock of these lies in the window that began then, or by less than its length before it."""
        low, high = (AWS_NOW + timedelta(seconds=seconds) - began for seconds in (self.low, self.high))
        length = timedelta(seconds=WINDOW_SECONDS)
        return -length < low and high < length


STILL: Final = Seen()

Row = tuple[int, int, int, int]
"""One clock: what it says, what its actor was told of that, and the lowest and highest it was told since it last read the zone."""
Clocks = tuple[Row, ...]
"""Each actor's clock, and the world's as the last; nothing before the first jump."""
_STILL: Final = (0, 0, 0, 0)


def jumped(clocks: Clocks, actors: int, actor: int, jump: Jump) -> Clocks:
    """Return the clocks after a jump; each actor is told with Route 53's next answer to it."""
    rows = clocks or (_STILL,) * (actors + 1)
    return tuple(
        (now + jump.seconds if jump.of_all or index == actor else now, before, low, high)
        for index, (now, before, low, high) in enumerate(rows)
    )


def told(clocks: Clocks, actor: int, *, is_read: bool) -> tuple[Clocks, int]:
    """Return the clocks after an actor was given an answer, and by how many seconds its own jumps with it."""
    if not clocks:
        return clocks, 0
    now, before, low, high = clocks[actor]
    row = (now, now, now, now) if is_read else (now, now, min(low, now), max(high, now))
    return (*clocks[:actor], row, *clocks[actor + 1 :]), now - before


def seen(clocks: Clocks, actor: int) -> Seen:
    """Return by which clocks an actor can have decided what it has in hand."""
    if not clocks:
        return STILL
    _, _, low, high = clocks[actor]
    return Seen(low, high, jumped=True)


def of_world(clocks: Clocks) -> Seen:
    """Return the world's clock, by which whoever comes on at last decides."""
    return Seen(clocks[-1][0], clocks[-1][0], jumped=True) if clocks else STILL


def is_frozen(fence: Fence | None, by: Seen) -> bool:
    """Tell whether a hold still stands by every clock of these."""
    return fence is not None and fence.state == "hold" and not by.is_over(fence.until)


def runs(switch: Switch | Garbled | None, by: Seen) -> bool:
    """Tell whether a zone may be written by some clock of these: a stop with an end may have ended."""
    return isinstance(switch, Switch) and (switch.mode == "run" or by.is_over(switch.until))


def has_ended(switch: Switch | Garbled | None, by: Seen) -> bool:
    """Tell whether a zone is stopped for a time that is over."""
    return isinstance(switch, Switch) and switch.mode == "stop" and runs(switch, by)


def window(fence: Fence, by: Seen) -> str | None:
    """Return the digest of what stood when the window began that a fence names, None where it may have ended by a clock."""
    began, _, digest = fence.base.partition("/")
    return digest if began and by.is_within(datetime.fromisoformat(began)) else None

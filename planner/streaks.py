"""Decide when a signal is believed: rise and fall. A target that alternates changes no plan.

Pure. What stands is known from the newest plan and not from memory, so that a planner that was restarted, or another one, goes on
from the same place: a target of the plan is presumed healthy until `fall` bad looks in a row, one that is not in it comes in after
`rise` good ones. Looks are counted from when it last came into the plan or left it, whoever published that: two planners that see
different things change a target at most once in so many looks, and never pull at it with every look.

    it stands   this look says   the run becomes
    ---------   --------------   ---------------
    as before   nothing new      what it was
    as before   good             one longer, or 1 after bad ones
    as before   bad              one longer, or 1 after good ones
    otherwise   any of these     the same from 0
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import msgspec

from planner.combining import Verdict

WHOLE: Final = Fraction(1)
Key = tuple[str, str, str]
"""A target at an endpoint: zone id, name, and the load balancer's id."""


class Streak(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of a target at an endpoint from look to look."""

    standing: bool
    """Whether it was in the newest plan."""
    run: int = 0
    """How many good looks in a row since then; below 0, how many bad ones."""
    was_heard: bool = False
    """Whether anybody ever gave a signal of it."""
    share: Fraction = WHOLE
    """The part of its capacity that is believed to be healthy."""
    share_run: int = 0
    """How many looks in a row said more than that; below 0, how many said less."""
    toward: Fraction = WHOLE
    """The mildest that these looks said, while there are any."""
    stood_at: Fraction = WHOLE
    """What part of its full weight it had in the newest plan."""
    draining: bool = False
    """Whether a person wanted it to leave already at the last look."""
    why: str = ""
    """What the last signal said."""

    @property
    def good(self) -> int:
        return max(self.run, 0)

    @property
    def bad(self) -> int:
        return max(-self.run, 0)


History = Mapping[Key, Streak]
"""Everything that a planner remembers of signals; empty after a restart."""


def looked(
    before: Streak | None, verdict: Verdict | None, *, standing: bool, share: Fraction, rise: int, fall: int
) -> Streak:
    """Return what is remembered after one more look; `share` is what the newest plan's weight says of a target that stands.

    At the first look that is believed which takes less: a target that stands keeps what it has until `fall` looks say otherwise,
    and what a lower weight came from (health, a step, a capacity that was edited since) is not to be known.
    """
    if before is None:
        said = WHOLE if verdict is None else verdict.share
        presumed = max(said, share) if standing else said
        before = Streak(standing=standing, share=presumed)
    elif before.standing != standing:
        before = msgspec.structs.replace(before, standing=standing, run=0)
    elif share > max(before.stood_at, before.share):  # another planner believes more, and has published that
        before = msgspec.structs.replace(before, share=share, share_run=0)
    before = msgspec.structs.replace(before, stood_at=share)
    if verdict is None or not verdict.is_new:
        return before
    run = max(before.run, 0) + 1 if verdict.healthy else min(before.run, 0) - 1
    heard = msgspec.structs.replace(before, run=run, was_heard=True, why=verdict.why)
    return _share_looked(heard, verdict.share, rise=rise, fall=fall) if verdict.healthy else heard


def _share_looked(streak: Streak, said: Fraction, *, rise: int, fall: int) -> Streak:
    """Count looks that say more, or less, than is believed; what is believed in the end is the mildest of them."""
    if said == streak.share:
        return msgspec.structs.replace(streak, share_run=0)
    is_more = said > streak.share
    goes_on = streak.share_run > 0 if is_more else streak.share_run < 0
    mildest = max if not is_more else min
    toward = mildest(streak.toward, said) if goes_on else said
    count = abs(streak.share_run) + 1 if goes_on else 1
    if count >= (rise if is_more else fall):
        return msgspec.structs.replace(streak, share=toward, share_run=0)
    return msgspec.structs.replace(streak, share_run=count if is_more else -count, toward=toward)

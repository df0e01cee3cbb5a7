"""The stories of brakes that end by themselves: a hold, a stop and an allow for an hour, with somebody at work before, at and after.

AWS's clock goes on in steps between any two calls, and nobody's own clock does: as if every machine had been paused meanwhile. So
whoever decided before the end may write after it, and the other way round.
"""

from typing import Final

from .cast import at_the_wheel, enactor, person, planner
from .ops import TimePasses
from .scenarios import API, NARROW, PAY, WIDE, X_AND_MORE, X, Y, hand, plan
from .stage import Scenario

HALF: Final = TimePasses(1800)
LAST_SECOND: Final = TimePasses(1799)
SECOND: Final = TimePasses(1)
HOUR: Final = (HALF, LAST_SECOND, SECOND, SECOND)
"""Half of what a brake lasts, all but a second of it, its very end, and a second more."""

HELD_FOR: Final = Scenario(
    name="held-for",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        at_the_wheel("ann", 4, "hold api", "hold api"),
        person("clock", 5, *HOUR),
        person("hand", 6, hand("wipe sets", API)),
    ),
)
"""A person freezes an endpoint for an hour, and once more: it is written by nobody before the end, and by everybody after it."""

STOPPED_FOR: Final = Scenario(
    name="stopped-for",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        at_the_wheel("ann", 4, "stop-for", "stop-for"),
        at_the_wheel("bob", 7, "start"),
        person("clock", 5, *HOUR),
        person("hand", 6, hand("wipe sets", API)),
    ),
)
"""A zone is stopped for an hour: it runs again by itself, and what was decided before the stop never lands."""

ALLOWED_FOR: Final = Scenario(
    name="allowed-for",
    before=(WIDE,),
    published=(NARROW,),
    plans=(NARROW,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        at_the_wheel("ann", 4, "allow api shrink-targets 2", "allow api shrink-capacity 2", "allow api slow-drain 2"),
        person("clock", 5, *HOUR),
        person("hand", 6, hand("drop a set", API)),
    ),
    refused=frozenset({API}),
)
"""What a person allowed for an hour is used by nobody who has seen a later time."""

ALLOWED_WHOLE_FOR: Final = Scenario(
    name="allowed-whole-for",
    before=(X,),
    published=(plan(api=(1, 2)),),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        at_the_wheel("ann", 4, "allow * vanished 2"),
        person("clock", 5, *HOUR),
    ),
    refused=frozenset({PAY}),
)
"""A plan that leaves an endpoint out is allowed for an hour: after it nobody opens the plan any more."""

TIMED: Final = (HELD_FOR, STOPPED_FOR, ALLOWED_FOR, ALLOWED_WHOLE_FOR)

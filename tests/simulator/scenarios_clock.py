"""The stories of what lasts for a time: stops, holds, allows and windows that end when everybody's clock is set, and beside faults of clocks."""

from typing import Final

from .cast import at_the_wheel, enactor, person, planner
from .clocks import BACK_MINUTES, DAYS, MINUTES
from .ops import Passes
from .scenarios import API, NARROW, WIDE, X_AND_MORE, X, Y, hand, plan
from .scenarios_verbs import DRAINED
from .stage import Scenario

STOPPED_FOR: Final = Scenario(
    name="stopped-for",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    timed=True,
    actors=(
        enactor("a", 2, cycles=3),
        enactor("b", 3, cycles=2),
        at_the_wheel("ann", 4, "stop 3600"),
        at_the_wheel("bob", 5, "stop 7200"),
        person("time", 6, Passes(MINUTES), hand("wipe sets", API), Passes(DAYS), Passes(-DAYS)),
        planner("planner", 1, [X_AND_MORE]),
    ),
)
"""Two people stop a zone for a time, neither shortens the other's stop, and it ends by itself."""

HELD_FOR: Final = Scenario(
    name="held-for",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    timed=True,
    actors=(
        enactor("a", 2, cycles=3),
        enactor("b", 3),
        at_the_wheel("ann", 4, "hold api", "release pay"),
        at_the_wheel("bob", 5, "hold pay"),
        person("time", 6, Passes(MINUTES), Passes(DAYS)),
        planner("planner", 1, [X_AND_MORE]),
    ),
)
"""Endpoints are held for an hour, and days go by."""

ALLOWED_UNTIL: Final = Scenario(
    name="allowed-until",
    before=(WIDE,),
    plans=(NARROW,),
    timed=True,
    actors=(
        planner("planner", 1, [NARROW], unguarded=True),
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "allow api shrink-targets 2", "allow api shrink-capacity 2"),
        person("time", 6, Passes(-BACK_MINUTES), Passes(DAYS)),
    ),
    refused=frozenset({API}),
)
"""A person allows a shrink of the plan to come, and days go by before it is published."""

ALLOWED_WHOLE_UNTIL: Final = Scenario(
    name="allowed-whole-until",
    before=(X,),
    published=(plan(api=(1, 2)),),
    plans=(X_AND_MORE,),
    timed=True,
    actors=(
        enactor("a", 2, cycles=2),
        at_the_wheel("ann", 4, "allow * vanished 2"),
        person("time", 6, Passes(DAYS)),
    ),
    refused=frozenset({"pay.example.test."}),
)
"""A person allows a plan that leaves an endpoint out, and days go by before an enactor looks."""

DRAINED_AGAIN: Final = Scenario(
    name="drained-again",
    before=DRAINED.before,
    published=DRAINED.published,
    plans=DRAINED.plans,
    timed=True,
    actors=(*DRAINED.actors, person("time", 6, Passes(-BACK_MINUTES), Passes(MINUTES))),
    refused=DRAINED.refused,
)
"""Plan after plan takes some of an endpoint, while the Date goes back a little and on past the window's end."""

CLOCKS: Final = (STOPPED_FOR, HELD_FOR, ALLOWED_UNTIL, ALLOWED_WHOLE_UNTIL, DRAINED_AGAIN)

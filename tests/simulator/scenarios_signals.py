"""The stories of signals: planners that watch a fleet, and sources that are lost, late, flapping or lying."""

from typing import Final

from .cast import at_the_wheel, collector, enactor
from .scenarios import plan
from .stage import Scenario
from .watching import LBS, WATCHED, allowed_plans, watched, watcher

_ONE: Final = watcher("watcher", 1, looks=4)
_TWO: Final = (watcher("watcher-1", 1, looks=2), watcher("watcher-2", 2, looks=2))
BEFORE: Final = plan(api=LBS, pay=(2, 3))
"""What a person goes back to: other load balancers at `pay` than the fleet file has."""

SIGNALS: Final = Scenario(
    name="signals",
    before=(WATCHED,),
    plans=allowed_plans(),
    actors=(_ONE, enactor("a", 2, cycles=2), enactor("b", 3), collector("collect", 4)),
    watched=watched([_ONE]),
)
"""One planner follows signals that may be wrong, beside two enactors and a collect."""

SIGNALS_TWICE: Final = Scenario(
    name="signals-twice",
    before=(WATCHED,),
    plans=allowed_plans(),
    actors=(*_TWO, enactor("a", 3)),
    watched=watched(_TWO),
)
"""Two planners of one fleet, each with sources of its own: together they take no more than one may."""

ROLLED_BACK: Final = Scenario(
    name="rolled-back",
    before=(BEFORE, WATCHED),
    plans=(BEFORE, *allowed_plans()),
    actors=(_ONE, at_the_wheel("operator", 2, "republish 1"), enactor("a", 3, cycles=2)),
    watched=watched([_ONE]),
)
"""A person goes back to an older plan while a planner watches: at the next look, or between a look and its publish."""

WATCHING: Final = (SIGNALS, SIGNALS_TWICE, ROLLED_BACK)

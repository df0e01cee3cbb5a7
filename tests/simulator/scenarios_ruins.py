"""The stories of a ruined table: pointers that lead nowhere, plans that are gone or garbled, publishes that died half way.

docs/healing.md has a row for each: what is seen, what heals by itself, and what a person does. Two enactors work beside each hand, one
of them started again from its disk, and a planner goes on.
"""

from typing import Final

from .actors import Actor
from .cast import at_the_wheel, collector, enactor, person, planner
from .dying import dies_after
from .ops import TableByHand, TableRuin
from .scenarios import API, NARROW, PAY, WIDE, X_AND_MORE, X, Y, Z, hand
from .stage import Scenario


def ruin(what: TableRuin) -> TableByHand:
    """Return what befalls the table."""
    return TableByHand(what)


COLLECT: Final = collector("collect", 4)
"""It is left out where a hand takes the newest plan's contents out of the table: a collect that has looked and not yet deleted cannot
know, since no condition speaks of another plan's chunks. One that looks afterwards is among the healthy hands."""


def beside(*hands: Actor) -> tuple[Actor, ...]:
    """Return the cast of these stories: a planner and two enactors beside the hands."""
    return (planner("planner", 1, [X_AND_MORE]), enactor("a", 2, cycles=2), enactor("b", 3, lives=2), *hands)


HEAD_GONE: Final = Scenario(
    name="head-gone",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=beside(COLLECT, person("hand", 5, ruin("take HEAD away"), hand("wipe sets", API))),
)
"""HEAD is gone while its plan is under way: nothing newer is opened until a publish goes above all that is left."""

HEAD_ASTRAY: Final = Scenario(
    name="head-astray",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=beside(
        COLLECT,
        person("hand", 5, ruin("point HEAD at nothing")),
        person("other", 6, ruin("move HEAD back"), hand("wipe all", PAY)),
    ),
)
"""HEAD is set by hand: to a plan that never was, and back to an old one."""

CHUNKS_SPOILT: Final = Scenario(
    name="chunks-spoilt",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=beside(
        person("hand", 5, ruin("alter a chunk"), ruin("lose a chunk")),
        person("other", 6, hand("wipe sets", API), ruin("replay an older chunk")),
    ),
)
"""A chunk of the newest plan is altered, lost, or an older plan's in its place: only the digest tells, and the plan below is used."""

MANIFEST_GONE: Final = Scenario(
    name="manifest-gone",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE, Z),
    actors=(
        planner("planner", 1, [X_AND_MORE, Z]),
        enactor("a", 2, cycles=2),
        enactor("b", 3, lives=2),
        person("hand", 5, ruin("lose the newest manifest"), hand("wipe all", API)),
        at_the_wheel("pins", 6, "pin 1"),
    ),
)
"""The newest plan is taken out of the table under HEAD, while a planner goes on."""

UNREADABLE: Final = Scenario(
    name="unreadable",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=beside(person("hand", 5, ruin("make the newest plan unreadable"), hand("wipe sets", PAY))),
)
"""The newest plan is of a form that nobody here reads, and every digest of it is right."""

IN_FORCE_GONE: Final = Scenario(
    name="in-force-gone",
    before=(WIDE,),
    published=(NARROW,),
    plans=(NARROW,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3, lives=2),
        person("hand", 5, ruin("lose every plan but the newest"), hand("drop a set", API), hand("wipe sets", API)),
    ),
    refused=frozenset({API}),
)
"""The plan whose content stands, because guards refuse the newest, is in the table no more: what is left stands."""

HALF_DONE: Final = Scenario(
    name="half-done",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE, Z),
    actors=(
        dies_after(planner("first", 1, [X_AND_MORE]), writes=1),
        dies_after(planner("second", 6, [Z]), writes=2),
        planner("planner", 7, [Z]),
        enactor("a", 2),
        collector("collect-1", 4),
        collector("collect-2", 5),
    ),
)
"""Two planners are killed between their writes: one after its upload item, one after its chunks. Collects sweep what they left."""

RUINED_TABLES: Final = (HEAD_GONE, HEAD_ASTRAY, CHUNKS_SPOILT, MANIFEST_GONE, UNREADABLE, IN_FORCE_GONE, HALF_DONE)

"""The stories of a person's edits in a zone: managed sets changed by hand, foreign ones, other fleets' fences, odd and older texts."""

from typing import Final

from .cast import ZONE, at_the_wheel, collector, enactor, person, planner
from .ops import ByHand, ZoneEdit
from .scenarios import API, PAY, X_AND_MORE, X, Y, Z, hand
from .stage import Scenario


def edit(what: ZoneEdit, name: str = "") -> ByHand:
    """Return a person's edit at the console."""
    return ByHand(ZONE, what, name)


MEDDLED: Final = Scenario(
    name="meddled",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE, Z),
    actors=(
        planner("planner", 1, [X_AND_MORE, Z]),
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2, survey_seconds=1e9),
        person("hand", 4, edit("weigh a set otherwise", API), edit("change the TTL", PAY), edit("add a set", API)),
        person("other", 5, edit("add a name"), edit("change a value", PAY), edit("add a set", PAY)),
    ),
)
"""Two people edit managed sets, add sets beside them and a name of their own, while plans move on."""

OTHER_FLEETS: Final = Scenario(
    name="other-fleets",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        person("hand", 4, edit("put another fleet's fence", API), edit("put another fleet's hold", PAY)),
        at_the_wheel("ann", 5, "adopt api other", "adopt pay other"),
        at_the_wheel("bob", 6, "adopt pay", "release pay", "adopt api"),
        collector("collect", 7),
    ),
)
"""Another fleet's fence, and one that it holds, come to stand at endpoints; a person takes over what is not held."""

TWO_TEXTS: Final = Scenario(
    name="two-texts",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        person("hand", 4, edit("write two texts", API), hand("drop a set", API), edit("write two texts in the switch")),
        at_the_wheel("ann", 5, "start", "adopt api"),
    ),
)
"""A fence and the switch have two texts each: neither is read, until a person writes them anew."""

SWITCH_GONE: Final = Scenario(
    name="switch-gone",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=3),
        enactor("b", 3, cycles=2),
        person("hand", 4, hand("delete switch"), hand("wipe sets", API), hand("delete switch")),
        at_the_wheel("ann", 5, "start", "start"),
        at_the_wheel("bob", 6, "stop", "start"),
        collector("collect", 7),
    ),
)
"""The switch is deleted, twice: nothing is written until somebody starts the zone, and nothing that was decided before."""

STARTED_LATE: Final = Scenario(
    name="started-late",
    before=(X,),
    plans=(X_AND_MORE,),
    actors=(
        person("hand", 4, hand("delete switch"), hand("delete switch")),
        at_the_wheel("ann", 5, "start"),
        planner("planner", 1, [X_AND_MORE]),
        at_the_wheel("bob", 6, "start"),
        enactor("a", 2),
    ),
)
"""A start that somebody gave when the switch was gone is late, and the switch is gone once more."""

ALL_GONE: Final = Scenario(
    name="all-gone",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        person("hand", 4, hand("wipe all", API), hand("wipe all", PAY), hand("delete switch")),
        at_the_wheel("ann", 5, "start", "init"),
    ),
)
"""Everything of ours goes out of the zone, the switch too: no fence shows that it was ours, and init brings it back."""

FAILED_OVER: Final = Scenario(
    name="failed-over",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE, Z),
    actors=(
        planner("planner", 1, [X_AND_MORE, Z]),
        enactor("a", 2, cycles=3),
        enactor("b", 3, cycles=2, survey_seconds=1e9),
        person("hand", 4, edit("put the fence back", API), edit("put all back", PAY), edit("put the fence back", API)),
    ),
)
"""Route 53 loses what it had acknowledged: a fence stands with an older text again, alone and with its record sets.

No collect is at hand: one that has looked cannot know of what comes back by itself before it deletes.
"""

ADOPTED_ALL: Final = Scenario(
    name="adopted-all",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        person("hand", 4, hand("wipe fence", API), edit("change a value", API), edit("put another fleet's fence", PAY)),
        person("other", 5, hand("drop a set", PAY), edit("put another fleet's hold", API)),
        at_the_wheel("ann", 6, "adopt-all", "adopt-all other"),
        at_the_wheel("bob", 7, "adopt-all other", "stop 3600"),
        planner("planner", 1, [X_AND_MORE]),
    ),
    refused=frozenset({API, PAY}),
)
"""Two people adopt every foreign name at once, another fleet's too, while a third edits what stands there: what was adopted with more
than half of its targets none of the plan's is kept as it stands, by the guards."""

WIPED_TWICE: Final = Scenario(
    name="wiped-twice",
    before=(X,),
    plans=(Y,),
    actors=(
        person("hand", 4, hand("wipe all", PAY), hand("delete switch"), hand("wipe all", API), hand("wipe all", API)),
        at_the_wheel("ann", 5, "heal api"),
        planner("planner", 1, [Y]),
        at_the_wheel("bob", 6, "start", "init"),
        enactor("a", 2),
        enactor("b", 3),
    ),
)
"""A name is wiped twice, and a heal of an older plan that was sent between the two is late. It is driven, and no random run plays it."""

EDITED: Final = (MEDDLED, OTHER_FLEETS, TWO_TEXTS, SWITCH_GONE, STARTED_LATE, ALL_GONE, FAILED_OVER, ADOPTED_ALL)

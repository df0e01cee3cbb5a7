"""The stories that are played: October 2025 first. Their names are the ones that the protocol's model uses too."""

from typing import Final

from enactor.plan import Endpoint, Plan, Retired, Target, sorted_plan

from .cast import FLEET, ZONE, at_the_wheel, collector, enactor, person, planner
from .ops import ByHand, Hand, TableByHand
from .stage import Scenario

API: Final = "api.example.test."
PAY: Final = "pay.example.test."


def plan(**members: tuple[int, ...]) -> Plan:
    """Return a plan: the load balancers behind `api` and `pay`, by number."""
    names = {"api": API, "pay": PAY}
    return sorted_plan(
        Plan(fleet=FLEET, endpoints=tuple(endpoint(names[label], *numbers) for label, numbers in members.items()))
    )


def endpoint(name: str, *numbers: int) -> Endpoint:
    """Return a weighted endpoint over some load balancers."""
    targets = tuple(Target(id=f"lb-{n}", type="A", value=f"192.0.2.{n}", weight=10) for n in numbers)
    return Endpoint(name=name, zone=ZONE, routing="weighted", ttl=60, targets=targets)


def hand(what: Hand, name: str = "") -> ByHand:
    """Return a person's deed at the console."""
    return ByHand(ZONE, what, name)


X: Final = plan(api=(1, 2), pay=(1, 2))
Y: Final = plan(api=(1, 2, 3), pay=(1, 2))
X_AND_MORE: Final = plan(api=(1, 2), pay=(1, 2, 3))
Z: Final = plan(api=(2, 3), pay=(1, 2, 3))
WIDE: Final = plan(api=(1, 2, 3, 4), pay=(1, 2))
NARROW: Final = plan(api=(1,), pay=(1, 2, 3))
"""Three quarters of what WIDE has at `api` are gone: every enactor refuses that, and keeps WIDE's content there."""

OCTOBER: Final = Scenario(
    name="october",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(planner("planner", 1, [X_AND_MORE]), enactor("a", 2), enactor("b", 3), collector("collect", 4)),
)
"""October 2025: a planner that goes on, two enactors of which either may be late at any line, and a collect."""

X_Y_X: Final = Scenario(
    name="x-y-x",
    before=(X,),
    published=(Y,),
    plans=(X, Y),
    actors=(planner("planner", 1, [X]), enactor("a", 2, cycles=2), enactor("b", 3, cycles=2), enactor("c", 4)),
)
"""Contents X, Y, X over three generations: a late batch of the middle one meets an endpoint that looks as it expects."""

BY_MEMORY: Final = Scenario(
    name="by-memory",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE, Z),
    actors=(
        planner("planner", 1, [X_AND_MORE, Z]),
        enactor("a", 2, cycles=3, survey_seconds=1e9),
        enactor("b", 3, cycles=3, survey_seconds=1e9),
    ),
)
"""Enactors that write from what they remember: a first try needs no read, and a stale one must lose."""

TWO_PLANNERS: Final = Scenario(
    name="two-planners",
    before=(X,),
    plans=(Y, X_AND_MORE, Z),
    actors=(
        planner("planner-1", 1, [Y, Z]),
        planner("planner-2", 2, [X_AND_MORE]),
        enactor("a", 3),
        enactor("b", 4),
        collector("collect", 5),
    ),
)
"""Case 13: two planners of one fleet; the second plans again on the first one's."""

TWO_COLLECTORS: Final = Scenario(
    name="two-collectors",
    before=(X, Y, X),
    published=(Y,),
    plans=(X,),
    actors=(planner("planner", 1, [X]), enactor("a", 2), collector("collect-1", 3), collector("collect-2", 4)),
)
"""Two collects at once over plans that have the same contents: at least one must see what the other condemned."""

REFUSED: Final = Scenario(
    name="refused",
    before=(WIDE,),
    published=(NARROW,),
    plans=(NARROW,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        collector("collect", 4),
        person("hand", 5, hand("drop a set", API), hand("wipe sets", API)),
    ),
    refused=frozenset({API}),
)
"""An endpoint that stays on an older plan's content because a guard refuses the newer: it must stay repairable."""

STOP_AND_START: Final = Scenario(
    name="stop-and-start",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2),
        enactor("b", 3),
        at_the_wheel("operator", 4, "stop", "start"),
    ),
)
"""A batch from before a stop must not land after the start."""

STOPPED_BY_HAND: Final = Scenario(
    name="stopped-by-hand",
    before=(X,),
    published=(Y,),
    plans=(Y,),
    actors=(
        enactor("a", 2),
        enactor("b", 3),
        at_the_wheel("operator", 4, "start"),
        person("hand", 5, hand("type stop"), hand("type junk")),
    ),
)
"""A person types into the switch at the console; only `start` brings run back."""

WIPED: Final = Scenario(
    name="wiped",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        person("hand", 4, hand("wipe all", API), hand("wipe sets", PAY), hand("wipe all", API)),
    ),
)
"""Endpoints wiped by hand, fence and all, while plans move on."""

FENCES_BROKEN: Final = Scenario(
    name="fences-broken",
    before=(X,),
    published=(Y,),
    plans=(Y,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        person("hand", 4, hand("wipe fence", API), hand("garble fence", PAY), hand("drop a set", API)),
    ),
)
"""Fences wiped and garbled by hand: the one is claimed again by its content, the other waits for a person."""

RESTORED: Final = Scenario(
    name="restored",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE, Z, Y),
    actors=(
        planner("planner", 1, [X_AND_MORE, Z]),
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        person("hand", 4, TableByHand("restore the first backup")),
    ),
)
"""The table comes back from an older backup while the zone moves on: the next publish goes above it."""

ONE_ID_TWICE: Final = Scenario(
    name="one-id-twice",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2, enactor_id="twin"),
        enactor("b", 3, cycles=2, enactor_id="twin"),
        collector("collect", 4),
    ),
)
"""Two enactors that were given the same id."""

NOTHING_NEW: Final = Scenario(
    name="nothing-new",
    before=(X,),
    published=(Y,),
    plans=(X,),
    actors=(planner("planner", 1, [X]), enactor("a", 2, cycles=2), enactor("b", 3)),
)
"""The newest plan says what stands already: a batch of the one before it is on its way."""

LATE_AFTER_STOP: Final = Scenario(
    name="late-after-stop",
    before=(X,),
    published=(X_AND_MORE,),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        at_the_wheel("operator", 4, "stop", "start"),
        person("hand", 5, hand("wipe sets", API)),
    ),
)
"""A repair is on its way when the zone is stopped and started again."""

W: Final = plan(api=(1, 2, 4), pay=(1, 2))
REWRITTEN: Final = Scenario(
    name="rewritten",
    before=(X,),
    published=(Y,),
    plans=(W,),
    actors=(planner("planner", 1, [W]), enactor("a", 2), enactor("b", 3)),
)
"""An endpoint is rewritten by one enactor while another reads it."""

LEFT_OUT: Final = Scenario(
    name="left-out",
    before=(X,),
    published=(plan(api=(1, 2)),),
    plans=(X_AND_MORE,),
    actors=(planner("planner", 1, [X_AND_MORE]), enactor("a", 2), enactor("b", 3), collector("collect", 4)),
    refused=frozenset({PAY}),
)
"""A plan that no longer mentions an endpoint was published past the planner's guards: no enactor opens it."""

TAMPERED: Final = Scenario(
    name="tampered",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE, Y),
    actors=(enactor("a", 2), enactor("b", 3), person("hand", 5, TableByHand("swap the chunks of two plans"))),
)
"""Somebody swaps what two plans say behind their manifests."""

STARTED_AGAIN: Final = Scenario(
    name="started-again",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, lives=3),
        enactor("b", 3, lives=2),
        person("hand", 4, hand("wipe sets", API)),
    ),
)
"""Enactors that start again with nothing but their disk, where the plan may be an older one than the zone is open at."""

FROZEN: Final = Scenario(
    name="frozen",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2),
        enactor("b", 3),
        person("hand", 5, hand("hold", API)),
    ),
    refused=frozenset({API}),
)
"""A person freezes an endpoint while a batch for it is on its way."""

UNMARKED: Final = Scenario(
    name="unmarked",
    before=(WIDE,),
    published=(NARROW,),
    plans=(NARROW,),
    actors=(
        enactor("a", 2, cycles=2),
        collector("collect", 4),
        person("hand", 5, hand("wipe fence", API)),
        enactor("b", 6),
    ),
    refused=frozenset({API}),
)
"""A fence is lost at an endpoint whose content only an old plan has, while collect looks for plans that nobody needs."""

LESS: Final = plan(api=(2, 3), pay=(1, 2))
KEEPS_ONE: Final = Scenario(
    name="keeps-one",
    before=(Y,),
    published=(LESS,),
    plans=(LESS,),
    actors=(enactor("a", 2), enactor("b", 3), person("hand", 5, hand("keep one", API))),
)
"""A person leaves one record set, the very one that the next plan takes away."""

NOTHING: Final = plan(api=(), pay=(1, 2))
EMPTIED: Final = Scenario(
    name="emptied",
    before=(X,),
    published=(NOTHING,),
    plans=(X, Y),
    actors=(planner("planner", 1, [X]), enactor("a", 2), enactor("b", 3)),
    refused=frozenset({API}),
)
"""A plan that lists an endpoint without a target was published past the planner's guards."""

PINNED: Final = Scenario(
    name="pinned",
    before=(X, Y),
    published=(X_AND_MORE,),
    plans=(X_AND_MORE,),
    actors=(enactor("a", 2), collector("collect", 3), at_the_wheel("pins", 4, "pin 1")),
)
"""Somebody pins a plan while collect is about to take it."""

PUT_BACK: Final = Scenario(
    name="put-back",
    before=(X, Y),
    published=(X_AND_MORE,),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2),
        collector("collect-1", 3),
        collector("collect-2", 4, keep_newest=5),
        at_the_wheel("pins", 5, "pin 1"),
    ),
)
"""A collect that keeps more puts back what another has condemned, and somebody pins it."""

LEAVES: Final = Plan(fleet=FLEET, endpoints=plan(api=(1, 2)).endpoints, retired=(Retired(PAY, ZONE),))
"""`pay` leaves the plan by name, so that a person may retire it."""
RETIRED: Final = Scenario(
    name="retired",
    before=(X,),
    published=(LEAVES,),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "retire pay"),
        planner("planner", 1, [X_AND_MORE]),
    ),
    refused=frozenset({PAY}),
)
"""A person retires a name while batches for it are on their way, and a later plan lists it again: the tombstone stays."""

RELEASED: Final = Scenario(
    name="released",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "hold api", "release api"),
        at_the_wheel("bob", 5, "hold pay", "release pay"),
    ),
    refused=frozenset({API, PAY}),
)
"""Two people hold and release endpoints while plans move on."""

HEALED: Final = Scenario(
    name="healed",
    before=(X,),
    published=(Y,),
    plans=(Y,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        person("hand", 5, hand("wipe sets", API), hand("type stop")),
        at_the_wheel("ann", 4, "heal api x", "release api", files={"x": X}),
        at_the_wheel("operator", 6, "start"),
    ),
    refused=frozenset({API}),
)
"""An endpoint is healed by hand from a file, beside enactors, a stop and a start; then the plans go on."""

ALLOWED: Final = Scenario(
    name="allowed",
    before=(WIDE,),
    published=(NARROW,),
    plans=(NARROW,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        at_the_wheel("ann", 4, "allow api shrink-targets 2", "allow api shrink-capacity 2", "allow api slow-drain 2"),
        person("hand", 5, hand("drop a set", API)),
    ),
    refused=frozenset({API}),
)
"""A person allows what the guards refuse, once and for one generation."""

PARTS: Final = (
    OCTOBER,
    X_Y_X,
    BY_MEMORY,
    TWO_PLANNERS,
    TWO_COLLECTORS,
    REFUSED,
    STOP_AND_START,
    STOPPED_BY_HAND,
    WIPED,
    FENCES_BROKEN,
    RESTORED,
    ONE_ID_TWICE,
    NOTHING_NEW,
    LATE_AFTER_STOP,
    REWRITTEN,
    LEFT_OUT,
    TAMPERED,
    STARTED_AGAIN,
    FROZEN,
    UNMARKED,
    KEEPS_ONE,
    EMPTIED,
    PINNED,
    PUT_BACK,
    RETIRED,
    RELEASED,
    HEALED,
    ALLOWED,
)

"""The stories of a fleet over two hosted zones, of which one may be stopped, out of reach, gone, or made anew under another id."""

from collections.abc import Mapping
from typing import Final

from enactor.plan import Endpoint, Plan, Retired, Target, sorted_plan

from .cast import AGAIN, FLEET, OTHER, ZONE, at_the_wheel, collector, enactor, person, planner
from .ops import ByHand, ZoneByHand
from .scenarios import API, PAY, hand
from .stage import Scenario

WEB: Final = "web.other.test."
BOTH: Final = (ZONE, OTHER)


def over(zones: Mapping[str, str], *, retired: tuple[Retired, ...] = (), **members: tuple[int, ...]) -> Plan:
    """Return a plan: the load balancers behind `api`, `pay` and `web`, by number, each in its zone."""
    names = {"api": API, "pay": PAY, "web": WEB}
    endpoints = tuple(_endpoint(names[label], zones[label], *numbers) for label, numbers in members.items())
    return sorted_plan(Plan(fleet=FLEET, endpoints=endpoints, retired=retired))


def _endpoint(name: str, zone: str, *numbers: int) -> Endpoint:
    targets = tuple(Target(id=f"lb-{n}", type="A", value=f"192.0.2.{n}", weight=10) for n in numbers)
    return Endpoint(name=name, zone=zone, routing="weighted", ttl=60, targets=targets)


TWO: Final = {"api": ZONE, "pay": ZONE, "web": OTHER}
ANEW: Final = {"api": AGAIN, "pay": AGAIN, "web": OTHER}
X_2: Final = over(TWO, api=(1, 2), web=(1, 2))
Y_2: Final = over(TWO, api=(1, 2, 3), web=(1, 2, 3))
MORE_2: Final = over(TWO, api=(1, 2), web=(1, 2, 3))
WITHOUT_OTHER: Final = over(TWO, retired=(Retired(WEB, OTHER),), api=(1, 2, 3))
MOVED: Final = over(ANEW, retired=(Retired(API, ZONE),), api=(1, 2, 3), web=(1, 2))


def deny(zone: str) -> ZoneByHand:
    """Return a lapse of rights."""
    return ZoneByHand(zone, "deny it")


def grant(zone: str) -> ZoneByHand:
    """Return its end."""
    return ZoneByHand(zone, "grant it")


TWO_ZONES: Final = Scenario(
    name="two-zones",
    before=(X_2,),
    published=(Y_2,),
    plans=(MORE_2,),
    actors=(
        planner("planner", 1, [MORE_2]),
        enactor("a", 2, zones=BOTH),
        enactor("b", 3, zones=BOTH),
        collector("collect", 4, zones=BOTH),
    ),
    zones=BOTH,
)
"""October 2025 over two zones: each is opened by itself, and a plan goes only where both are open above it."""

ONE_STOPPED: Final = Scenario(
    name="one-stopped",
    before=(X_2,),
    published=(Y_2,),
    plans=(MORE_2,),
    actors=(
        planner("planner", 1, [MORE_2]),
        enactor("a", 2, cycles=2, zones=BOTH),
        enactor("b", 3, zones=BOTH),
        collector("collect", 4, zones=BOTH),
        at_the_wheel("ann", 5, "stop", "start", zone=OTHER),
        person("hand", 6, ByHand(OTHER, "type stop"), hand("wipe sets", API)),
        at_the_wheel("bob", 7, "start", zone=OTHER),
    ),
    zones=BOTH,
)
"""One of two zones is stopped and started while plans move on: it falls behind, and nothing is collected that it may still write."""

ONE_DENIED: Final = Scenario(
    name="one-denied",
    before=(X_2,),
    published=(Y_2,),
    plans=(MORE_2,),
    actors=(
        planner("planner", 1, [MORE_2]),
        enactor("a", 2, cycles=2, zones=BOTH),
        enactor("b", 3, zones=(OTHER, ZONE)),
        collector("collect", 4, zones=BOTH),
        person("rights", 5, deny(OTHER), hand("wipe sets", API), grant(OTHER), deny(ZONE), grant(ZONE)),
        at_the_wheel("ann", 6, "hold web", "release web", zone=OTHER),
    ),
    zones=BOTH,
)
"""One zone answers AccessDenied for a while, then the other: whatever is written is written in the one that answers."""

ONE_GONE: Final = Scenario(
    name="one-gone",
    before=(X_2,),
    published=(Y_2,),
    plans=(MORE_2, WITHOUT_OTHER),
    actors=(
        planner("planner", 1, [MORE_2, WITHOUT_OTHER]),
        enactor("a", 2, cycles=2, zones=BOTH),
        enactor("b", 3, zones=(OTHER, ZONE)),
        collector("collect", 4, zones=BOTH),
        person("hand", 5, ZoneByHand(OTHER, "delete the zone"), hand("wipe all", API)),
        at_the_wheel("ann", 6, "hold web", "release web", zone=OTHER),
    ),
    zones=BOTH,
)
"""A hosted zone is deleted with all that stood there: the other one goes on."""

MADE_ANEW: Final = Scenario(
    name="made-anew",
    before=(X_2,),
    published=(Y_2,),
    plans=(MOVED,),
    actors=(
        planner("planner", 1, [MOVED]),
        enactor("a", 2, cycles=2, zones=BOTH),
        enactor("b", 3, zones=(*BOTH, AGAIN)),
        enactor("c", 7, zones=(AGAIN, OTHER)),
        collector("collect", 4, zones=(*BOTH, AGAIN)),
        person("hand", 5, ZoneByHand(ZONE, "delete the zone"), ZoneByHand(ZONE, "make it anew", AGAIN)),
        at_the_wheel("ann", 6, "init", "hold api", "release api", zone=AGAIN),
    ),
    zones=BOTH,
    made=(AGAIN,),
)
"""A hosted zone is deleted and made anew: its name is the same and its id is not, so it comes in by `init` and by a plan that says so."""

ZONED: Final = (TWO_ZONES, ONE_STOPPED, ONE_DENIED, ONE_GONE, MADE_ANEW)

"""The stories of a person's verbs and of the plan mirror: each verb beside two enactors, and whatever else may be under way."""

from typing import Final

import msgspec

from enactor.plan import Endpoint, Plan, Target, sorted_plan
from enactor.records import Alias

from .cast import ZONE, at_the_wheel, collector, enactor, person, planner
from .ops import TableByHand, TableHand
from .scenarios import API, LEAVES, LESS, NARROW, PAY, WIDE, X_AND_MORE, X, Y, Z, hand, plan
from .stage import Scenario

WWW: Final = "www.example.test."


def table(what: TableHand) -> TableByHand:
    """Return what befalls the table or its mirror."""
    return TableByHand(what)


def with_six(found: Plan, *numbers: int) -> Plan:
    """Return a plan whose `api` answers over IPv6 too."""
    more = tuple(Target(id=f"lb-{n}", type="AAAA", value=f"2001:db8::{n}", weight=10) for n in numbers)
    return msgspec.structs.replace(
        found,
        endpoints=tuple(
            msgspec.structs.replace(one, targets=(*one.targets, *more)) if one.name == API else one
            for one in found.endpoints
        ),
    )


def pointing(found: Plan, *names: str) -> Plan:
    """Return a plan with `www`, whose targets are two addresses' worth of nothing but aliases to names of the zone, and one address."""
    aliases = tuple(
        Target(
            id=f"to-{name.partition('.')[0]}",
            type="A",
            alias=Alias(name, ZONE, evaluate_target_health=False),
            weight=10,
        )
        for name in names
    )
    own = Target(id="lb-9", type="A", value="192.0.2.9", weight=10)
    www = Endpoint(name=WWW, zone=ZONE, routing="weighted", ttl=60, targets=(*aliases, own))
    return sorted_plan(msgspec.structs.replace(found, endpoints=(*found.endpoints, www)))


DISOWNED: Final = Scenario(
    name="disowned",
    before=(X,),
    published=(LEAVES,),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        at_the_wheel("ann", 4, "disown pay", "disown pay"),
        at_the_wheel("bob", 7, "hold pay", "release pay"),
        planner("planner", 1, [X_AND_MORE]),
        collector("collect", 5),
        person("hand", 6, hand("drop a set", PAY)),
    ),
    refused=frozenset({PAY}),
)
"""A person lets a name go while a repair of it is on its way, and a later plan lists it again: whatever stands there stays."""

ADOPTED: Final = Scenario(
    name="adopted",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        person("hand", 4, hand("wipe fence", API), hand("drop a set", API), hand("garble fence", PAY)),
        at_the_wheel("ann", 5, "adopt api", "adopt pay"),
        at_the_wheel("bob", 6, "snapshot", "adopt api"),
        planner("planner", 1, [X_AND_MORE]),
    ),
)
"""What stands without its fence, or with one that nobody can read, is taken in as it stands, by two people at once."""

BROUGHT_BACK: Final = Scenario(
    name="brought-back",
    before=(X,),
    published=(LEAVES,),
    plans=(LEAVES, Y),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "retire pay", "adopt pay"),
        at_the_wheel("bob", 5, "hold pay", "release pay", "retire pay"),
        planner("planner", 1, [Y]),
    ),
    refused=frozenset({PAY}),
)
"""A name is retired and brought back by adopt, while another person holds it, releases it and retires it too."""

ONE_TYPE: Final = Scenario(
    name="one-type",
    before=(with_six(X, 1, 2),),
    published=(Y,),
    plans=(with_six(Y, 1),),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "retire api AAAA", "retire api AAAA"),
        planner("planner", 1, [with_six(Y, 1)]),
        collector("collect", 5),
    ),
    refused=frozenset({API}),
)
"""A person takes one kind away that the plan left out and no guard lets go, and a later plan wants it again."""

POINTED: Final = Scenario(
    name="pointed",
    before=(pointing(X, API, PAY),),
    published=(pointing(LEAVES),),
    plans=(pointing(LEAVES, API),),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "retire pay", "retire pay"),
        person("hand", 5, hand("wipe sets", WWW)),
        planner("planner", 1, [pointing(LEAVES, API)], unguarded=True),
    ),
    refused=frozenset({PAY, WWW}),
)
"""A name is retired that an alias points to: the plan takes the alias away, and guards keep it."""

LEFT: Final = Scenario(
    name="left",
    before=(X,),
    published=(LEAVES,),
    plans=(Y,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "retire pay", "hold api", "stop", "deinit", "deinit"),
        at_the_wheel("bob", 5, "start"),
        planner("planner", 1, [Y], unguarded=True),
    ),
    refused=frozenset({API, PAY}),
    leaves=True,
)
"""A zone is stopped and taken out of the fleet, marks and all, while somebody else starts it."""

LEFT_AND_BACK: Final = Scenario(
    name="left-and-back",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2, cycles=2),
        at_the_wheel("ann", 4, "stop", "snapshot", "deinit", "init"),
        enactor("b", 3, cycles=2),
        planner("planner", 1, [X_AND_MORE]),
    ),
    leaves=True,
)
"""A zone leaves the fleet and comes back: batches from before are still on their way."""

STOPPED_TWICE: Final = Scenario(
    name="stopped-twice",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "stop", "start"),
        at_the_wheel("bob", 5, "start", "stop", "start"),
    ),
)
"""Two people stop a zone and start it: nobody's start lifts a stop that was set after it was given."""

HELD_TWICE: Final = Scenario(
    name="held-twice",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "hold api", "release api"),
        at_the_wheel("bob", 5, "release api", "hold api", "release api"),
    ),
    refused=frozenset({API}),
)
"""Two people hold one endpoint and release it: nobody's release lifts a hold that was set after it was given."""

HEALED_IN_THE_DARK: Final = Scenario(
    name="healed-in-the-dark",
    before=(WIDE,),
    published=(plan(api=(1, 2, 3), pay=(1, 2)),),
    plans=(plan(api=(1, 2, 3), pay=(1, 2, 3)),),
    actors=(
        enactor("a", 2, cycles=2, mirrored=True),
        enactor("b", 3, mirrored=True),
        at_the_wheel(
            "ann",
            4,
            "heal api narrow",
            "heal api",
            "heal pay",
            "release api",
            files={"narrow": NARROW},
            mirrored=True,
        ),
        person(
            "outage",
            5,
            table("let it go dark"),
            hand("wipe sets", API),
            hand("wipe all", PAY),
            table("let it come back"),
        ),
        planner("planner", 1, [plan(api=(1, 2, 3), pay=(1, 2, 3))], mirrored=True),
    ),
    refused=frozenset({API}),
    mirrored=True,
    files=(NARROW,),
)
"""Endpoints are healed by hand from the newest plan at hand and from a file, in and out of an outage of the table."""

HEALED_BESIDE: Final = Scenario(
    name="healed-beside",
    before=(Y,),
    plans=(Y,),
    actors=(
        enactor("a", 2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "heal api less", "release api", files={"less": LESS}),
        person("hand", 5, hand("keep one", API)),
    ),
    refused=frozenset({API}),
    files=(LESS,),
)
"""A person leaves one record set, the very one that another takes away with a heal from a file."""

ALLOWED_FOR_ONE: Final = Scenario(
    name="allowed-for-one",
    before=(WIDE,),
    published=(NARROW,),
    plans=(plan(api=(2,), pay=(1, 2, 3)),),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "allow api shrink-targets 3", "allow api shrink-capacity 3"),
        planner("planner", 1, [plan(api=(2,), pay=(1, 2, 3))], unguarded=True),
        person("hand", 5, hand("drop a set", API)),
    ),
    refused=frozenset({API}),
)
"""A person allows a shrink for the plan that is still to come: the one before it may not use it, and nobody may use it twice."""

ALLOWED_WHOLE: Final = Scenario(
    name="allowed-whole",
    before=(X,),
    published=(plan(api=(1, 2)),),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2, cycles=2),
        enactor("b", 3, cycles=2),
        at_the_wheel("ann", 4, "allow * vanished 2"),
        collector("collect", 5),
    ),
    refused=frozenset({PAY}),
)
"""A person allows a plan that leaves an endpoint out: it is opened, and the endpoint stays as its fence says."""

DRAINED: Final = Scenario(
    name="drained",
    before=(plan(api=(1, 2, 3, 4, 5), pay=(1, 2)),),
    published=(plan(api=(3, 4, 5), pay=(1, 2)),),
    plans=(plan(api=(4, 5), pay=(1, 2)), plan(api=(5,), pay=(1, 2))),
    actors=(
        planner("planner", 1, [plan(api=(4, 5), pay=(1, 2)), plan(api=(5,), pay=(1, 2))]),
        enactor("a", 2, cycles=2),
        enactor("b", 3, lives=2),
        enactor("c", 4),
    ),
    refused=frozenset({API}),
)
"""Plan after plan takes some two fifths of an endpoint, applied by three enactors that are started again."""

UNPINNED: Final = Scenario(
    name="unpinned",
    before=(X, Y),
    published=(X_AND_MORE,),
    plans=(X_AND_MORE,),
    actors=(
        enactor("a", 2),
        enactor("b", 5),
        collector("collect", 3),
        at_the_wheel("ann", 4, "pin 1", "unpin 1"),
        at_the_wheel("bob", 6, "pin 2"),
    ),
)
"""Plans are pinned and unpinned while collect is about to take them."""

REPUBLISHED: Final = Scenario(
    name="republished",
    before=(X, Y),
    published=(X_AND_MORE,),
    plans=(X, Y, Z),
    actors=(
        enactor("a", 2),
        enactor("b", 3),
        at_the_wheel("ann", 4, "republish 1", "republish 2"),
        collector("collect", 5),
        planner("planner", 1, [Z]),
    ),
)
"""A person goes back to old plans while collect is about to take them and the planner goes on."""

MIRRORED: Final = Scenario(
    name="mirrored",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE, Z),
    actors=(
        planner("planner", 1, [X_AND_MORE, Z], mirrored=True),
        enactor("a", 2, mirrored=True),
        enactor("b", 3, lives=2, mirrored=True),
        person("outage", 4, table("let it go dark"), hand("wipe sets", API), table("let it come back")),
    ),
    mirrored=True,
)
"""The table goes dark and comes back while plans move on: the mirror may be the newest there is, or an old one."""

MIRROR_MIXED_UP: Final = Scenario(
    name="mirror-mixed-up",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE], mirrored=True),
        enactor("a", 2, mirrored=True),
        enactor("b", 3, mirrored=True),
        person("hand", 4, table("mix the mirror up")),
        person("other", 6, table("let the mirror leap")),
        person("outage", 5, table("let it go dark"), hand("wipe sets", PAY), table("let it come back")),
    ),
    mirrored=True,
)
"""Somebody spoils the mirror while the table is dark: what is not to the letter a published plan is nobody's plan."""

MIRROR_AND_RESTORE: Final = Scenario(
    name="mirror-and-restore",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE, Z, Y),
    actors=(
        planner("planner-1", 1, [X_AND_MORE], mirrored=True),
        planner("planner-2", 6, [Z], mirrored=True),
        enactor("a", 2, cycles=2, mirrored=True),
        enactor("b", 3, mirrored=True),
        person("hand", 4, table("restore the first backup"), table("take the mirror away")),
        person("outage", 5, table("let it go dark"), table("let it come back")),
    ),
    mirrored=True,
)
"""The table comes back from an older backup than the mirror: what the mirror has is never opened beside it, and gives way."""

VERBS: Final = (
    DISOWNED,
    ADOPTED,
    BROUGHT_BACK,
    ONE_TYPE,
    POINTED,
    LEFT,
    LEFT_AND_BACK,
    STOPPED_TWICE,
    HELD_TWICE,
    HEALED_IN_THE_DARK,
    HEALED_BESIDE,
    ALLOWED_FOR_ONE,
    ALLOWED_WHOLE,
    DRAINED,
    UNPINNED,
    REPUBLISHED,
    MIRRORED,
    MIRROR_MIXED_UP,
    MIRROR_AND_RESTORE,
)

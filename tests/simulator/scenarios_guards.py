"""The stories of single protections: a plan that one guard alone refuses, or that the others would let go by an allow."""

from typing import Final

import msgspec

from enactor.guards import Limits, LimitsTable
from enactor.plan import Endpoint, Plan, Target, sorted_plan

from .cast import FLEET, ZONE, at_the_wheel, enactor, person, planner
from .scenarios import API, NARROW, NOTHING, PAY, WIDE, X_AND_MORE, X, Y, endpoint, hand
from .scenarios_verbs import WWW, pointing, table, with_six
from .stage import Scenario


def weighing(**weights: int) -> Plan:
    """Return a plan whose `api` has load balancers of these weights, by `lb-` and number, and `pay` as ever."""
    targets = tuple(
        Target(id=name.replace("lb", "lb-"), type="A", value=f"192.0.2.{name.removeprefix('lb')}", weight=weight)
        for name, weight in weights.items()
    )
    api = Endpoint(name=API, zone=ZONE, routing="weighted", ttl=60, targets=targets)
    return sorted_plan(Plan(fleet=FLEET, endpoints=(api, endpoint(PAY, 1, 2))))


def refused(name: str, before: Plan, published: Plan, *deeds: str, names: frozenset[str]) -> Scenario:
    """Return the story of a plan that was published past the planner's guards, and that a person allows as far as that goes."""
    people = (at_the_wheel("ann", 4, *deeds),) if deeds else ()
    return Scenario(
        name=name,
        before=(before,),
        published=(published,),
        plans=(published,),
        actors=(enactor("a", 2, cycles=2), enactor("b", 3), *people),
        refused=names,
    )


def all_allowed(label: str) -> tuple[str, ...]:
    """Return what a person gives to let pass all that can be allowed of a change of generation 2."""
    return tuple(f"allow {label} {guard} 2" for guard in ("shrink-targets", "shrink-capacity", "slow-drain"))


EMPTIED_AND_ALLOWED: Final = refused("emptied-and-allowed", X, NOTHING, *all_allowed("api"), names=frozenset({API}))
"""A plan lists an endpoint without a target, and a person allows every shrink."""

LIGHT_ONES_GO: Final = refused(
    "light-ones-go", weighing(lb1=97, lb2=1, lb3=1, lb4=1), weighing(lb1=97), names=frozenset({API})
)
"""Three of four targets go that hold three hundredths of the weight."""

HEAVY_ONE_GOES: Final = refused(
    "heavy-one-goes", weighing(lb1=60, lb2=20, lb3=20), weighing(lb2=20, lb3=20), names=frozenset({API})
)
"""One of three targets goes that holds six tenths of the weight."""

SIX_GOES: Final = refused("six-goes", with_six(X, 1, 2), X, *all_allowed("api"), names=frozenset({API}))
"""A plan leaves a kind out, and a person allows every shrink."""


def _by_name(found: Plan) -> Plan:
    """Return a plan whose `pay` is one host's name."""
    target = Target(id="host", type="CNAME", value="pay.example.net.", weight=10)
    return msgspec.structs.replace(
        found,
        endpoints=tuple(
            msgspec.structs.replace(one, targets=(target,)) if one.name == PAY else one for one in found.endpoints
        ),
    )


BY_NAME: Final = refused(
    "by-name", pointing(X, PAY), _by_name(pointing(X, PAY)), *all_allowed("pay"), names=frozenset({PAY, WWW})
)
"""An endpoint that an alias points to becomes a host's name, and a person allows every shrink."""

DROPPED_AGAIN: Final = Scenario(
    name="dropped-again",
    before=(X,),
    plans=(X,),
    actors=(enactor("a", 2, cycles=4), person("hand", 4, *[hand("drop a set", API)] * 4)),
)
"""One enactor repairs one endpoint again and again to the same content: but for their nonces its fences would be the same."""

LOOSE: Final = Scenario(
    name="loose",
    before=(WIDE,),
    published=(NARROW,),
    plans=(NARROW,),
    actors=(
        enactor(
            "a",
            2,
            cycles=2,
            limits=LimitsTable(default=Limits(shrink_targets=1.0, shrink_capacity=1.0, slow_drain=1.0)),
        ),
        enactor("b", 3),
        person("hand", 5, hand("drop a set", API)),
    ),
    refused=frozenset({API}),
)
"""An enactor whose guards let everything go, as a fault in them would: the last gate, with limits of its own, stops its batches."""

FROM_DISK: Final = Scenario(
    name="from-disk",
    before=(X,),
    published=(Y,),
    plans=(X_AND_MORE,),
    actors=(
        planner("planner", 1, [X_AND_MORE]),
        enactor("a", 2, lives=3),
        person("outage", 4, table("let it go dark"), hand("wipe sets", API), table("let it come back")),
    ),
)
"""An enactor starts again while the table is dark, and has nothing but its disk to repair from."""

PLAYED: Final = (LOOSE, FROM_DISK)
"""Those that are played with the others."""

SINGLE: Final = (EMPTIED_AND_ALLOWED, LIGHT_ONES_GO, HEAVY_ONE_GOES, SIX_GOES, BY_NAME, DROPPED_AGAIN)
"""Every story of single protections, beside those that are played by themselves."""

"""A planner that watches a fleet: the real `planner run`, look by look, over sources whose answers the scheduler may spoil.

Signals get lost, come late, flap, and lie. What may be published all the same is small enough to be listed (`allowed_plans`), so
the promise is judged from outside: of the plans that signals lead to, each leaves the share that the brake speaks of.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from typing import Any, Final

from enactor import yaml_text
from enactor.guards import LimitsTable
from enactor.plan import Plan, canonical_json, digest_of
from enactor.plan_faults import Faults
from planner.asking import InTurn
from planner.events import BrakeHeld, LookEnded, NoPlanMade, PlannerEvent
from planner.looking import Lookout
from planner.observation import Aim, Observation, Offer, Signal, Source, SourceFailed, SourceKind
from planner.runner import Doors, Runner
from planner.sources import FleetText

from . import probes
from .actors import Actor, Line
from .hands import FLEET, WRITTEN_AT, ZONE
from .ops import ALL_BAD, FEW, HALF_BAD, INVENTORY, LATE, LOST_SIGNAL, ONE_BAD, SourceLook
from .scenarios import plan
from .signal_promises import Watched

LBS: Final = (1, 2, 3, 4)
WATCHED: Final = plan(api=LBS, pay=(1, 2))
"""The whole fleet, every load balancer of it good."""
OFTEN_SECONDS: Final = 30.0
WINDOW_LOOKS_MAX: Final = 6
"""Looks of one watcher; together they stay inside the brake's window of ten minutes."""


def raw_fleet() -> dict[str, Any]:
    """Return the fleet file: `api` follows what `checks` says of the load balancers that `lbs` offers; `pay` is a list."""
    listed = [{"id": f"lb-{n}", "capacity": 10, "addresses": [f"192.0.2.{n}"]} for n in (1, 2)]
    health = {"from": ["checks"], "rise": 1, "fall": 1}
    return {
        "fleet": FLEET,
        "zones": {"main": {"id": ZONE, "name": "example.test"}},
        "sources": {INVENTORY: {"kind": "lists"}, "checks": {"kind": "checks"}},
        "pools": {"blue": {"from": [INVENTORY]}, "green": listed},
        "pace": {"gather": "0s"},
        "endpoints": [
            {"name": "api.example.test", "zone": "main", "pools": {"blue": 1}, "health": health},
            {"name": "pay.example.test", "zone": "main", "pools": {"green": 1}},
        ],
    }


def allowed_plans() -> tuple[Plan, ...]:
    """Return what may be published: with a brake of 0.3 one of four equal load balancers may be out, whichever it is."""
    return (*(plan(api=tuple(one for one in LBS if one != out), pay=(1, 2)) for out in LBS), WATCHED)


class _Told(Source):
    """A source on an actor's line: what it says is the truth, but for what the scheduler makes of it."""

    def __init__(self, name: str, line: Line) -> None:
        self.name = name
        self._line = line
        self._last: Observation | None = None
        self._flapped = 0

    def observe(self, aims: tuple[Aim, ...], within_seconds: float) -> Observation:
        spoilt = self._line.ask(SourceLook(self.name))
        if spoilt == LOST_SIGNAL:
            raise SourceFailed(f"source {self.name}: no answer within {within_seconds:g} s")
        if spoilt == LATE and self._last is not None:
            return self._last
        offers: tuple[int, ...] = LBS
        bad = frozenset[int]()
        if spoilt == FEW:
            offers = LBS[:1]
        elif spoilt in {ALL_BAD, HALF_BAD}:
            bad = frozenset(LBS if spoilt == ALL_BAD else LBS[::2])
        elif spoilt == ONE_BAD:
            bad = frozenset({LBS[self._flapped % len(LBS)]})
            self._flapped += 1
        self._last = Observation(
            source=self.name,
            offers=tuple(_offer(n) for n in offers) if not aims else (),
            signals={f"lb-{n}": Signal(healthy=n not in bad, why="said so") for n in LBS} if aims else {},
        )
        return self._last

    def close(self) -> None:
        return


def _offer(number: int) -> Offer:
    return Offer(id=f"lb-{number}", addresses=(f"192.0.2.{number}",), capacity=Fraction(10))


class _Kind(SourceKind):
    def __init__(self, line: Line, *, inventory: bool) -> None:
        self.gives_inventory = inventory
        self.gives_health = not inventory
        self._line = line

    def read(self, raw: Mapping[str, Any], path: str, faults: Faults) -> Any | None:
        for key in raw:
            faults.add(f"{path}.{key}", "unknown key")
        return "settings"

    def open(self, name: str, settings: Any) -> Source:
        return _Told(name, self._line)


class _Kinds:
    def __init__(self, line: Line) -> None:
        self._line = line

    def names(self) -> tuple[str, ...]:
        return ("checks", "lists")

    def find(self, name: str) -> SourceKind | str:
        return _Kind(self._line, inventory=name == "lists")


def watcher(name: str, number: int, *, looks: int = 3) -> Actor:
    """Return a `planner run` that looks so often, and waits in between."""
    assert looks <= WINDOW_LOOKS_MAX
    text = json.dumps(raw_fleet())

    def body(line: Line) -> Any:
        now = WRITTEN_AT
        read = FleetText("fleet.yaml", text.encode(), yaml_text.read(text), _Kinds(line)).compiled(None)
        runner = Runner(
            Doors(
                read=lambda: read,
                lookout=Lookout(InTurn()),
                store=line.plan_table(),
                limits=LimitsTable(),
                planner=name,
                clock=line,
                chance=line,
                wall=lambda: now,  # the same on both tiers, whatever the SDK waits for
                hook=lambda event: _heard(event, line),
                forget_seconds=3600.0,
            )
        )
        for _ in range(looks):
            line.commands += 1
            runner.look()
            line.sleep(OFTEN_SECONDS)
            now += timedelta(seconds=OFTEN_SECONDS)

    return Actor(name=name, number=number, body=body)


def _heard(event: PlannerEvent, line: Line) -> None:
    match event:
        case BrakeHeld():
            line.probes.hit.add(probes.BRAKE_HELD)
        case NoPlanMade(reason="source-shrank"):
            line.probes.hit.add(probes.SOURCE_SHRANK)
        case LookEnded(outcome="stays"):
            line.probes.hit.add(probes.LEFT_ALONE)
        case _:
            pass


def watched(watchers: Sequence[Actor], *others: Plan) -> Watched:
    """Return what is held against the watchers' plans; other plans are people's."""
    plans = (*allowed_plans(), *others)
    return Watched(frozenset(one.name for one in watchers), frozenset(digest_of(canonical_json(one)) for one in plans))

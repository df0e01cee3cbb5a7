"""A planner in virtual time: its real runner over the real table code, on the simulator's items, with sources that say what a test tells them."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from enactor import yaml_text
from enactor.guards import Limits, LimitsTable
from enactor.plan import Plan, StoredPlan
from enactor.plan_faults import Faults
from enactor.ports import PlanHead, Stopping
from planner.asking import InTurn
from planner.events import LookEnded, PlannerEvent
from planner.looking import Lookout
from planner.observation import Aim, Observation, Offer, Signal, Source, SourceFailed, SourceKind
from planner.runner import Doors, Runner
from planner.sources import FleetText, Read
from tests.simulator import table_model
from tests.simulator.actors import Line
from tests.simulator.thin_ports import ThinTable

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
ZONE = "Z0EXAMPLE"
NAME = "ep1.example.test."
FORGET_SECONDS = 3600.0
LOOSE = LimitsTable(default=Limits(shrink_targets=1.0, shrink_capacity=1.0, slow_drain=1.0))
"""Guards that leave everything to the brake, but for the ones that nobody can lift."""


class Told(Source):
    """A source that says what a test tells it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.offers: tuple[Offer, ...] = ()
        self.signals: dict[str, Signal] = {}
        self.fails = ""
        self.aims: tuple[Aim, ...] = ()
        self.again: Observation | None = None
        """A look that is told again."""
        self.looks = 0
        self.closed = 0

    def observe(self, aims: tuple[Aim, ...], within_seconds: float) -> Observation:
        self.aims = aims
        if self.again is not None:
            return self.again
        self.looks += 1
        if self.fails:
            raise SourceFailed(self.fails)
        return Observation(source=self.name, offers=self.offers, signals=dict(self.signals))

    def close(self) -> None:
        self.closed += 1


class ToldKind(SourceKind):
    """A kind of source whose sources a test holds in its hand."""

    def __init__(self, sources: dict[str, Told], *, inventory: bool, health: bool) -> None:
        self.gives_inventory = inventory
        self.gives_health = health
        self._sources = sources

    def read(self, raw: Mapping[str, Any], path: str, faults: Faults) -> Any | None:
        for key in raw:
            faults.add(f"{path}.{key}", "unknown key")
        return "settings"

    def open(self, name: str, settings: Any) -> Source:
        return self._sources.setdefault(name, Told(name))


class ToldKinds:
    """The kinds `lists`, which gives inventory, `checks`, which gives health, and `both`."""

    def __init__(self) -> None:
        self.sources: dict[str, Told] = {}

    def names(self) -> tuple[str, ...]:
        return ("both", "checks", "lists")

    def find(self, name: str) -> SourceKind | str:
        return ToldKind(self.sources, inventory=name != "checks", health=name != "lists")


class Clock:
    """Virtual time, shared by planners that run at the same time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.stopped = False

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        if self.stopped:
            raise Stopping("asked to stop")
        self.seconds += seconds

    def wall(self) -> datetime:
        return START + timedelta(seconds=self.seconds)


class Chance:
    """Certain chance: nonces that count."""

    def __init__(self) -> None:
        self._count = 0

    def nonce(self) -> str:
        self._count += 1
        return f"{self._count:016x}"

    def uniform(self, low: float, high: float) -> float:
        return low


class TableLine(Line):
    """A line to the simulator's table that answers at once; nonces count."""

    def __init__(self) -> None:  # the parent's line belongs to an actor, and this one to nobody
        self.items: table_model.Table = {}
        self._nonces = 0

    def ask(self, op: Any) -> Any:
        self.items, answer = table_model.apply(self.items, op)
        return answer

    def nonce(self) -> str:
        self._nonces += 1
        return f"{self._nonces:016x}"


class Planning:
    """One fleet, its table, its sources, and any number of planners over them."""

    def __init__(self, raw: Mapping[str, Any], *, limits: LimitsTable = LOOSE) -> None:
        self.clock = Clock()
        self.kinds = ToldKinds()
        self.line = TableLine()
        self.table = ThinTable(self.line, "edge")
        self.limits = limits
        self.events: list[PlannerEvent] = []
        self.followed: list[int] = []
        self.trouble: str | None = None
        """Why what is to be done with a plan cannot be done."""
        self.raw = dict(raw)
        self._read: tuple[str, Read] | None = None

    def read(self) -> Read:
        text = json.dumps(self.raw)
        if self._read is None or self._read[0] != text:
            compiled = FleetText("fleet.yaml", text.encode(), yaml_text.read(text), self.kinds).compiled(None)
            self._read = (text, compiled)
        return self._read[1]

    def source(self, name: str) -> Told:
        return self.kinds.sources.setdefault(name, Told(name))

    def _after(self, head: PlanHead) -> str | None:
        self.followed.append(head.generation)
        return self.trouble

    def lookout(self) -> Lookout:
        return Lookout(InTurn())

    def planner(self, name: str = "p1") -> Runner:
        """Return a planner that was just started."""
        return Runner(
            Doors(
                read=self.read,
                lookout=self.lookout(),
                store=self.table,
                limits=self.limits,
                planner=name,
                clock=self.clock,
                chance=Chance(),
                wall=self.clock.wall,
                hook=self.events.append,
                forget_seconds=FORGET_SECONDS,
                after=self._after,
            )
        )

    def look(self, runner: Runner, *, after: float = 30.0) -> LookEnded:
        """Let some time pass, and look once."""
        self.clock.seconds += after
        return runner.look()

    def plan(self) -> Plan:
        head = self.table.head()
        assert head is not None
        stored = self.table.read(head.generation)
        assert isinstance(stored, StoredPlan)
        return stored.plan

    def weights(self, name: str = NAME) -> dict[str, int | None]:
        """Return the targets in the newest plan, with their weights."""
        (endpoint,) = [one for one in self.plan().endpoints if one.name == name]
        return {target.id: target.weight for target in endpoint.targets}

    def generation(self) -> int:
        head = self.table.head()
        return head.generation if head else 0

    def told(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def offers(count: int, *, first: int = 1, capacity: int | None = 100, **changes: Any) -> tuple[Offer, ...]:
    """Return numbered load balancers."""
    return tuple(
        Offer(
            id=f"lb-{n}",
            addresses=(f"192.0.2.{n}",),
            capacity=None if capacity is None else Fraction(capacity),
            **changes,
        )
        for n in range(first, first + count)
    )


def signals(good: Iterable[int] = (), bad: Iterable[int] = ()) -> dict[str, Signal]:
    return {f"lb-{n}": Signal(healthy=True, why="answers") for n in good} | {
        f"lb-{n}": Signal(healthy=False, why="refused") for n in bad
    }


def fleet(**changes: Any) -> dict[str, Any]:
    """Return a fleet file with one endpoint whose pool comes from `albs`, and whose health from `checks`."""
    good: dict[str, Any] = {
        "fleet": "edge",
        "zones": {"main": {"id": ZONE, "name": "example.test"}},
        "sources": {"albs": {"kind": "lists"}, "checks": {"kind": "checks"}},
        "pools": {"blue": {"from": ["albs"]}},
        "endpoints": [{"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}}],
    }
    return {key: value for key, value in (good | changes).items() if value is not None}

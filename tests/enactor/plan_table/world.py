"""What the plan table's tests build with: plans, zones as collect sees them, processes with somebody between, time, chance."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from mypy_boto3_dynamodb import DynamoDBClient

from enactor.fence import Fence, Garbled, State, Switch, fence_text, read_switch, switch_text, text_set
from enactor.names import fence_name, switch_name
from enactor.observe import FenceRange, FenceReading, SwitchReading
from enactor.plan import Endpoint, Plan, Retired, Target, content_of_endpoint, sorted_plan
from enactor.ports import Draft, OutsideError, Unavailable
from enactor.records import RecordSet, content_digest
from enactor.table import PlanTable, draft_of

FLEET = "edge"
ZONE = "Z0EXAMPLE"
ZONE_NAME = "example.test."
THEN = "2026-11-01T00:00:00Z"


class Sure:
    """Chance without chance: nonces are counted, waits are the shortest."""

    _count = itertools.count(1)

    def nonce(self) -> str:
        return f"{next(Sure._count):016x}"

    def uniform(self, low: float, high: float) -> float:
        assert low <= high
        return low


class Still:
    """A clock that moves only when somebody waits."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waits = 0

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.waits += 1
        self.seconds += max(seconds, 0.001)


Hook = Callable[[str, dict[str, Any]], None]


class Meddled:
    """A DynamoDB client with somebody between: hooks see every call before it is sent, and after it was answered."""

    def __init__(self, client: DynamoDBClient) -> None:
        self._client = client
        self.before: list[Hook] = []
        self.after: list[Hook] = []
        self.replies: dict[str, Callable[[dict[str, Any]], Any]] = {}

    def __getattr__(self, verb: str) -> Any:
        found: Any = getattr(self._client, verb)
        if verb == "meta":
            return found

        def call(**arguments: Any) -> Any:
            for hook in tuple(self.before):
                hook(verb, arguments)
            reply = self.replies.get(verb)
            answer = reply(arguments) if reply else found(**arguments)
            for hook in tuple(self.after):
                hook(verb, arguments)
            return answer

        return call


@dataclass
class World:
    """One plan table, its raw client, and as many handles on it as a test has actors."""

    raw: DynamoDBClient
    table: str
    clock: Still = field(default_factory=Still)

    def actor(self, fleet: str = FLEET) -> tuple[PlanTable, Meddled]:
        """Return one more process's view of the table, and the hooks on its calls."""
        meddled = Meddled(self.raw)
        return PlanTable(cast("DynamoDBClient", meddled), self.table, fleet, clock=self.clock, chance=Sure()), meddled

    def store(self, fleet: str = FLEET) -> PlanTable:
        """Return one more process's view of the table."""
        return self.actor(fleet)[0]

    def sort_keys(self) -> list[str]:
        """Return every sort key in the table."""
        return sorted(item["sk"]["S"] for page in self._pages() for item in page["Items"])

    def item(self, sk: str) -> dict[str, Any]:
        """Return one item as DynamoDB has it."""
        return dict(self.raw.get_item(TableName=self.table, Key=self._key(sk))["Item"])

    def put(self, item: dict[str, Any]) -> None:
        """Write an item by hand."""
        self.raw.put_item(TableName=self.table, Item=item)

    def remove(self, sk: str) -> None:
        """Delete an item by hand."""
        self.raw.delete_item(TableName=self.table, Key=self._key(sk))

    def _key(self, sk: str) -> dict[str, Any]:
        return {"pk": {"S": f"fleet#{FLEET}"}, "sk": {"S": sk}}

    def _pages(self) -> Any:
        return self.raw.get_paginator("scan").paginate(TableName=self.table)


def endpoint(name: str, value: str, zone: str = ZONE) -> Endpoint:
    """Return an endpoint with one weighted A target."""
    targets = (Target(id="lb-1", type="A", value=value, weight=10),)
    return Endpoint(name=name, zone=zone, routing="weighted", ttl=60, targets=targets)


def plan_of(*values: str, fleet: str = FLEET, zone: str = ZONE, retired: tuple[str, ...] = ()) -> Plan:
    """Return a plan where ep1 has the first address, ep2 the second, and so on; an empty one leaves its endpoint out."""
    named = [(f"ep{index}.{ZONE_NAME}", value) for index, value in enumerate(values, 1) if value]
    endpoints = tuple(endpoint(name, value, zone) for name, value in named)
    return sorted_plan(Plan(fleet=fleet, endpoints=endpoints, retired=tuple(Retired(name, zone) for name in retired)))


def draft(*values: str, created_at: str = THEN, **more: Any) -> Draft:
    """Return a plan as a planner publishes it."""
    return draft_of(plan_of(*values, **more), planner="planner-1", reason="a test", created_at=created_at)


class Zones:
    """Hosted zones as far as collect sees them: a switch and fences, read whole or not at all."""

    def __init__(self) -> None:
        self.switches: dict[str, Switch | Garbled | None] = {}
        self.held: dict[str, dict[str, Fence | Garbled]] = {}
        self.standing: dict[str, list[RecordSet]] = {}
        self.broken: dict[str, OutsideError] = {}
        self.reads = 0
        self.before: list[Callable[[int], None]] = []

    def open(self, generation: int, zone: str = ZONE) -> None:
        """Open a generation in a zone."""
        self.switches[zone] = Switch(fleet=FLEET, mode="run", gen=generation, plan="0" * 12, nonce="0123456789abcdef")
        self.held.setdefault(zone, {})

    def fence(self, name: str, value: str, *, gen: int = 1, state: State = "live", zone: str = ZONE) -> None:
        """Let a fence name the content that the builder's endpoint has with this address."""
        full = f"{name}.{ZONE_NAME}"
        digest = content_digest(content_of_endpoint(endpoint(full, value, zone)))
        self.held[zone][full] = Fence(
            fleet=FLEET, gen=gen, plan=digest, by="e-1", nonce="0123456789abcdef", state=state
        )

    def garble(self, name: str, zone: str = ZONE) -> None:
        """Let a fence say nothing."""
        self.held[zone][f"{name}.{ZONE_NAME}"] = Garbled("a person typed it")

    def stand(self, name: str, value: str, zone: str = ZONE) -> None:
        """Let the record sets stand that the builder's endpoint has with this address."""
        full = f"{name}.{ZONE_NAME}"
        self.standing.setdefault(zone, []).extend(content_of_endpoint(endpoint(full, value, zone)))

    def listing(self, zone: str) -> list[RecordSet]:
        if zone in self.broken:
            raise self.broken[zone]
        return self.standing.get(zone, [])

    def fences(self, zone: str) -> FenceRange:
        self.reads += 1
        for hook in self.before:
            hook(self.reads)
        if zone in self.broken:
            raise self.broken[zone]
        if zone not in self.switches:
            raise Unavailable(f"zone {zone} did not answer")
        return FenceRange(
            zone=zone,
            zone_name=ZONE_NAME,
            switch=_switch_reading(self.switches[zone]),
            fences={name: _fence_reading(name, fence) for name, fence in self.held[zone].items()},
        )


def _switch_reading(switch: Switch | Garbled | None) -> SwitchReading:
    if not isinstance(switch, Switch):
        return SwitchReading(None, switch)
    record = text_set(switch_name(FLEET, ZONE_NAME), switch_text(switch))
    return SwitchReading(record, read_switch(record, FLEET))


def _fence_reading(name: str, fence: Fence | Garbled) -> FenceReading:
    text = fence_text(fence) if isinstance(fence, Fence) else "?"
    return FenceReading(text_set(fence_name(name, ZONE_NAME), text), fence)

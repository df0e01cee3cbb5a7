"""Named builders for the kernel's tests: record sets, plan entries, fences, switches, questions, swaps, batches, and two ports."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from enactor.batch import Batch, SwitchChange
from enactor.fence import NO_PLAN, Fence, Mode, State, Switch, fence_text, read_fence, switch_text, text_set
from enactor.guards import Limits, Surroundings
from enactor.names import fence_base, fence_name, is_within, switch_name
from enactor.observe import FenceRange, FenceReading, SwitchReading, fence_range
from enactor.outcome import Outcome
from enactor.plan import Broken, Endpoint, Plan, Retired, Routing, StoredPlan, Target, canonical_json, digest_of
from enactor.plan_index import PlanIndex
from enactor.records import Alias, Content, ManagedType, RecordSet, content_digest, content_of
from enactor.swap import Question, Swap, View

ZONE = "Z1"
ZONE_NAME = "example.test."
FLEET = "edge"
ENACTOR = "az-1"
NAME = "ep1.example.test."
NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
LATER = datetime(2026, 11, 30, 5, 0, tzinfo=UTC)
EARLIER = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
OLD_NONCE = "0" * 16
NEW_NONCE = "f" * 16
BALANCER_ZONE = "Z35SXDOTRQ7X7K"
WAITS_MAX = 10_000


def address(number: int, record_type: str = "A") -> str:
    return f"192.0.2.{number}" if record_type == "A" else f"2001:db8::{number:x}"


def weighted(
    number: int, weight: int = 10, record_type: str = "A", *, name: str = NAME, identifier: str = "", ttl: int = 60
) -> RecordSet:
    """Return `w(lb-<number>, weight)` with the number's address."""
    return RecordSet(
        name=name,
        type=record_type,
        set_identifier=identifier or f"lb-{number}",
        ttl=ttl,
        weight=weight,
        values=(address(number, record_type),),
    )


def simple(*numbers: int, record_type: str = "A", name: str = NAME, ttl: int = 60) -> RecordSet:
    return RecordSet(
        name=name, type=record_type, ttl=ttl, values=tuple(address(number, record_type) for number in numbers)
    )


def cname(host: str, *, name: str = NAME) -> RecordSet:
    return RecordSet(name=name, type="CNAME", ttl=60, values=(host,))


def alias(
    target: str, record_type: str = "A", *, name: str = NAME, zone: str = ZONE, weight: int | None = None
) -> RecordSet:
    """Return an alias set; with a weight it is one of a weighted group."""
    return RecordSet(
        name=name,
        type=record_type,
        set_identifier=None if weight is None else f"to-{target}",
        weight=weight,
        alias=Alias(target, zone, evaluate_target_health=False),
    )


def entry(*sets: RecordSet, name: str = NAME, zone: str = ZONE) -> Endpoint:
    """Return a plan's entry that means exactly these record sets."""
    routing: Routing = "simple"
    targets: list[Target] = []
    for record in sets:
        routing = "weighted" if record.weight is not None else "multivalue" if record.multivalue else "simple"
        for value in record.values or (None,):
            targets.append(
                Target(
                    id=record.set_identifier or f"t-{len(targets)}",
                    type=cast("ManagedType", record.type),
                    value=value,
                    weight=record.weight,
                    alias=record.alias,
                    health_check=record.health_check,
                )
            )
    ttl = next((record.ttl for record in sets if record.ttl is not None), None)
    return Endpoint(name=name, zone=zone, routing=routing, ttl=ttl, targets=tuple(targets))


def plan(*endpoints: Endpoint, retired: Sequence[Retired] = (), broken: Sequence[Broken] = ()) -> Plan:
    return Plan(fleet=FLEET, endpoints=endpoints, retired=tuple(retired), broken=tuple(broken))


def stored(generation: int, of: Plan) -> StoredPlan:
    body = canonical_json(msgspec.structs.replace(of, broken=()))
    return StoredPlan(generation=generation, digest=digest_of(body), plan=of, body=body)


def index(generation: int, *endpoints: Endpoint, retired: Sequence[Retired] = ()) -> PlanIndex:
    return PlanIndex(stored(generation, plan(*endpoints, retired=retired)), "table")


def digest(*sets: RecordSet) -> str:
    return content_digest(content_of(sets))


def fence(*names: RecordSet, gen: int = 7, state: State = "live", **changes: Any) -> Fence:
    """Return a fence of this fleet that names these record sets."""
    made = Fence(fleet=FLEET, gen=gen, plan=digest(*names), by="az-9", nonce=OLD_NONCE, state=state)
    return msgspec.structs.replace(made, **changes)


def fence_record(of: Fence, name: str = NAME) -> RecordSet:
    return text_set(fence_name(name, ZONE_NAME), fence_text(of))


def reading(of: Fence | None, name: str = NAME) -> FenceReading | None:
    return None if of is None else FenceReading(fence_record(of, name), read_fence(fence_record(of, name)))


def garbled(name: str = NAME) -> FenceReading:
    record = text_set(fence_name(name, ZONE_NAME), "do not touch, ask Ann")
    return FenceReading(record, read_fence(record))


def question(
    observed: Iterable[RecordSet],
    of: Fence | FenceReading | None,
    wanted: Endpoint | Broken | None,
    **changes: Any,
) -> Question:
    """Return what is asked of `swap.decide` for one endpoint; by default plan 8 is wanted and open, and 7 is in force."""
    sets = tuple(observed)
    name = sets[0].name if sets else NAME
    found = of if isinstance(of, FenceReading) else reading(of, name)
    named: Content | None = None
    if found is not None and isinstance(found.fence, Fence) and found.fence.plan == digest(*sets):
        named = content_of(sets)
    made = Question(
        view=View(name=name, zone=ZONE, fence=found, sets=sets),
        wanted=wanted,
        generation=8,
        may_advance=True,
        named=named,
        kept=frozenset(),
        fleet=FLEET,
        enactor=ENACTOR,
        nonce=NEW_NONCE,
        limits=Limits(),
        around=Surroundings(zone_name=ZONE_NAME),
        aws_now=NOW,
    )
    return msgspec.structs.replace(made, **changes)


def switch(gen: int, plan_digest: str = "", *, mode: Mode = "run", **changes: Any) -> Switch:
    made = Switch(fleet=FLEET, mode=mode, gen=gen, plan=plan_digest or ("a" * 12 if gen else NO_PLAN), nonce=OLD_NONCE)
    return msgspec.structs.replace(made, **changes)


def switch_record(of: Switch) -> RecordSet:
    return text_set(switch_name(FLEET, ZONE_NAME), switch_text(of))


def asserted(gen: int) -> SwitchChange:
    return SwitchChange(switch_record(switch(gen)), switch_record(switch(gen)))


def opening(old: int, new: int) -> SwitchChange:
    return SwitchChange(switch_record(switch(old)), switch_record(switch(new, "b" * 12, nonce=NEW_NONCE)))


def swap(
    before: Sequence[RecordSet],
    deletes: Sequence[RecordSet],
    creates: Sequence[RecordSet],
    *,
    old: Fence | None = None,
    new: Fence | None = None,
    name: str = NAME,
    **changes: Any,
) -> Swap:
    """Return a swap made by hand, as no careful program would make it: what the last gate is for."""
    made = Swap(
        name=name,
        zone=ZONE,
        state="behind",
        purpose="advance",
        fence_before=fence_record(old or fence(gen=7, plan="c" * 12), name),
        fence_after=new or fence(gen=8, plan="d" * 12, nonce=NEW_NONCE),
        deletes=tuple(deletes),
        creates=tuple(creates),
        before=tuple(before),
    )
    return msgspec.structs.replace(made, **changes)


def batch(*swaps: Swap, **changes: Any) -> Batch:
    made = Batch(zone=ZONE, zone_name=ZONE_NAME, origin="cycle", switch=asserted(8), swaps=swaps, comment="")
    return msgspec.structs.replace(made, **changes)


class ListedZone:
    """A zone port with a fixed listing, for what only looks."""

    def __init__(self, *records: RecordSet) -> None:
        self.records = records

    def zone_name(self, zone: str) -> str:
        return ZONE_NAME

    def switch(self, zone: str, fleet: str) -> SwitchReading:
        return self.fences(zone, fleet).switch

    def fences(self, zone: str, fleet: str) -> FenceRange:
        base = fence_base(ZONE_NAME)
        return fence_range(zone, ZONE_NAME, fleet, [record for record in self.records if is_within(record.name, base)])

    def listing(self, zone: str) -> Sequence[RecordSet]:
        return self.records

    def at(self, zone: str, names: Sequence[str]) -> Sequence[RecordSet]:
        return [record for record in self.records if record.name in names]

    def compare_and_swap(self, batch: Batch) -> Outcome:
        raise AssertionError("who only looks writes nothing")

    def aws_now(self) -> datetime | None:
        return NOW


class SteppedClock:
    """A clock port whose time passes only by waiting."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        assert seconds > 0, "a wait of nothing is a busy loop"
        assert len(self.waits) < WAITS_MAX, f"it waits on and on, now for {seconds} seconds"
        self.waits.append(seconds)
        self.seconds += seconds

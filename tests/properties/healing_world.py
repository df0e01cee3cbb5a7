"""A fleet's zone, table, disk and mirror as any history may have left them, made by hand from a few plans: for `test_healing`."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Literal, get_args

import msgspec

from enactor import wire
from enactor.disk import DiskReading
from enactor.fence import Fence, Switch, fence_text, switch_text, text_set
from enactor.guards import LimitsTable
from enactor.names import fence_name, switch_name
from enactor.outcome import Applied
from enactor.plan import Endpoint, Plan, Retired, StoredPlan, Target, content_of_endpoint, sorted_plan
from enactor.ports import Unavailable
from enactor.records import Alias, Content, RecordSet, content_digest
from enactor.sandbox import zone_model
from enactor.sandbox.zone_model import Zone
from enactor.table_keys import CHUNKS, HEAD, PLANS
from planner.publisher import Signature, publish
from planner.publishing import Wish
from tests.simulator import promises
from tests.simulator.cast import FLEET, WRITTEN_AT, ZONE, ZONE_NAME
from tests.simulator.ops import Cas, MirrorGet, Op, component
from tests.simulator.table_model import Table
from tests.simulator.thin_ports import ThinDisk, ThinTable

from .healing_mirror import Mirrored, answered, object_of
from .model_line import ModelLine

API: Final = "api.example.test."
PAY: Final = "pay.example.test."
WWW: Final = "www.example.test."
NAMES: Final = (API, PAY, WWW)
NONCE: Final = "0" * 16


def _targets(of: Literal["A", "AAAA"], numbers: Sequence[int]) -> list[Target]:
    form = "192.0.2.{}" if of == "A" else "2001:db8::{}"
    return [Target(id=f"lb-{number}", type=of, value=form.format(number), weight=10) for number in numbers]


def _plan(api: Sequence[int], pay: Sequence[int], six: Sequence[int], *, without: str = "") -> Plan:
    alias = Alias(API, ZONE, evaluate_target_health=False)
    endpoints = (
        Endpoint(name=API, zone=ZONE, routing="weighted", ttl=60, targets=tuple(_targets("A", api))),
        Endpoint(
            name=PAY, zone=ZONE, routing="weighted", ttl=60, targets=(*_targets("A", pay), *_targets("AAAA", six))
        ),
        Endpoint(name=WWW, zone=ZONE, routing="simple", targets=(Target(id="api", type="A", alias=alias),)),
    )
    return sorted_plan(Plan(fleet=FLEET, endpoints=tuple(one for one in endpoints if one.name != without)))


PLANS_OF_OLD: Final = (
    _plan((1, 2), (1, 2), (1,)),
    _plan((1, 2, 3), (1, 2), (1,)),
    _plan((2, 3), (1, 2, 3), (1,)),
    _plan((2, 3, 4), (2, 3), (1, 2)),
)
"""Generations 1 to 4, each of which the guards let follow the one before."""
LATEST: Final = PLANS_OF_OLD[-1]
RIVAL: Final = _plan((1, 2, 9), (1, 2), (1,))
"""Published as generation 3 after the table was restored to generation 2: another plan had that number."""
ODD_PLANS: Final = {
    "5 shrinks": _plan((4,), (2, 3), (1, 2)),
    "5 leaves out": _plan((2, 3, 4), (2, 3), (1, 2), without=PAY),
    "5 is empty": Plan(fleet=FLEET, endpoints=(), retired=(Retired("old.example.test.", ZONE),)),
}
"""Published past the planner's guards as generation 5."""
STORY: Final = promises.Story(FLEET, (*PLANS_OF_OLD, RIVAL, *ODD_PLANS.values()))

TableWas = Literal["0", "1", "2", "3", "4", "3 rival", "5 shrinks", "5 leaves out", "5 is empty"]
TableHand = Literal[
    "sound",
    "HEAD gone",
    "HEAD's plan gone",
    "chunk gone",
    "chunk altered",
    "chunks swapped",
    "chunk replayed",
    "wiped",
    "dark",
]
SwitchHand = Literal["as opened", "gone", "typed stop", "junk", "stopped", "ahead", "forked", "typed by mistake"]
SetsHand = Literal[
    "as named",
    "wiped",
    "one left",
    "one lost",
    "one kind wiped",
    "reweighted",
    "a stranger more",
    "strangers",
    "as another plan",
]
FenceHand = Literal[
    "live", "wiped", "garbled", "two texts", "other fleet", "held", "hold past", "retired", "adopted", "of no plan"
]


class Part(msgspec.Struct, frozen=True):
    """One endpoint: which generation's content its fence names (0: it never was), and what was done to it by hand."""

    at: int
    sets: SetsHand = "as named"
    fence: FenceHand = "live"


class Ruin(msgspec.Struct, frozen=True, kw_only=True):
    """A state of the world, as the hands that made it."""

    opened: int
    switch: SwitchHand
    parts: tuple[Part, ...]
    """Of the endpoints, as `NAMES` has them."""
    table_was: TableWas
    table: TableHand
    disk: tuple[int, ...]
    """The generations that this enactor kept on its disk."""
    disk_damaged: bool = False
    mirror: Mirrored = Mirrored()


class Lab(ModelLine):
    """A line to a world that stands as it was made; every batch that is applied is held against the promises."""

    def __init__(self, ruin: Ruin) -> None:
        super().__init__(zone_of(ruin))
        self.table = table_of(ruin)
        self.dark = ruin.table == "dark"
        self._mirror_hand = ruin.mirror.hand
        self._mirror = object_of(stored(ruin.mirror.at), stored(ruin.mirror.at % 4 + 1), ruin.mirror.hand)
        self.broken: list[str] = []
        ended = [name for name, part in zip(NAMES, ruin.parts, strict=True) if part.fence == "hold past"]
        self._odd = ("_selftest-", *(f"{promises.HOLD_MEANS_HOLD}: a batch wrote {name}" for name in ended))
        """What the judges do not know: scratch names come and go, and a hold may have ended."""

    def ask(self, op: Op) -> Any:
        if isinstance(op, MirrorGet):
            return answered(self._mirror, op, self._mirror_hand)
        if self.dark and component(op) == "table":
            raise Unavailable("the plan table does not answer; try again later")
        before = self._world.zones[self._zone]
        answer = super().ask(op)
        if isinstance(op, Cas) and isinstance(answer, Applied):
            faults = promises.of_batch(STORY, before, self._world.zones[self._zone], op.batch)
            judged = (promises.NEVER_EMPTY,) if op.batch.origin == "verb" else ("",)
            self.broken += [
                one for one in faults if one.startswith(judged) and not any(word in one for word in self._odd)
            ]
        return answer

    def sets_at(self, name: str) -> tuple[RecordSet, ...]:
        """Return the managed record sets that stand at a name."""
        return promises.sets_by_name(self._world.zones[self._zone]).get(name, ())


class OldDisk(ThinDisk):
    """A disk with some plans on it, and a damaged file where told."""

    def __init__(self, plans: Sequence[StoredPlan], *, damaged: bool) -> None:
        super().__init__()
        self._plans = {plan.generation: plan for plan in plans}
        self._problems = ("plan-edge-000000000009.json is damaged and passed over",) if damaged else ()

    def load(self) -> DiskReading:
        return DiskReading(super().load().plans, self._problems)


def contents(generation: int) -> dict[str, Content]:
    """Return what a generation says of each endpoint."""
    return {one.name: content_of_endpoint(one) for one in PLANS_OF_OLD[generation - 1].endpoints}


# ---- the table -----------------------------------------------------------------------------------------------------------


def publish_to(line: ModelLine, plan: Plan) -> None:
    """Publish a plan as the planner does, past its guards."""
    store, signature = ThinTable(line, FLEET), Signature("planner", "", WRITTEN_AT.isoformat())
    publish(store, plan, Wish(unguarded=True), LimitsTable(), signature=signature, clock=line, chance=line)


@cache
def table_after(was: TableWas) -> Table:
    """Return the table as it was after a publish."""
    line = ModelLine(Zone.empty(ZONE, ZONE_NAME))
    line._number = 100 + get_args(TableWas).index(was)  # uploads of its own
    line.table = {} if was in {"0", "1"} else table_after(_BEFORE[was])
    if was != "0":
        publish_to(line, ODD_PLANS.get(was) or (RIVAL if was == "3 rival" else PLANS_OF_OLD[int(was) - 1]))
    return line.table


_BEFORE: Final[dict[str, TableWas]] = {
    "2": "1",
    "3": "2",
    "4": "3",
    "3 rival": "2",
    "5 shrinks": "4",
    "5 leaves out": "4",
    "5 is empty": "4",
}


def table_of(ruin: Ruin) -> Table:
    """Return the table as hands have left it."""
    table = dict(table_after(ruin.table_was))
    if ruin.table == "wiped":
        return {}
    if HEAD not in table:
        return table
    newest = chunks_of_newest(table)
    others = [sk for sk in sorted(table) if sk.startswith(CHUNKS) and sk not in newest]
    match ruin.table:
        case "HEAD gone":
            del table[HEAD]
        case "HEAD's plan gone":
            del table[max(sk for sk in table if sk.startswith(PLANS))]
        case "chunk gone":
            del table[newest[0]]
        case "chunk altered":
            table[newest[0]] = _with_data(table, newest[0], bytes(reversed(_data(table, newest[0]))))
        case "chunks swapped" | "chunk replayed" if others:
            old, new = _data(table, others[0]), _data(table, newest[0])
            table[newest[0]] = _with_data(table, newest[0], old)
            if ruin.table == "chunks swapped":
                table[others[0]] = _with_data(table, others[0], new)
        case _:
            pass
    return table


def chunks_of_newest(table: Table) -> list[str]:
    """Return the keys of the newest plan's chunks."""
    manifest = dict(table[max(sk for sk in table if sk.startswith(PLANS))])
    return [sk for sk in sorted(table) if sk.startswith(f"{CHUNKS}{manifest['upload']!s}#")]


def _data(table: Table, sk: str) -> bytes:
    data = dict(table[sk])["data"]
    assert isinstance(data, bytes)
    return data


def _with_data(table: Table, sk: str, data: bytes) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted({**dict(table[sk]), "data": data}.items()))


@cache
def stored(generation: int) -> StoredPlan:
    """Return a plan as it was in the table once."""
    line = ModelLine(Zone.empty(ZONE, ZONE_NAME))
    line.table = table_after("4")
    found = ThinTable(line, FLEET).read(generation)
    assert isinstance(found, StoredPlan)
    return found


# ---- the zone ------------------------------------------------------------------------------------------------------------


def zone_of(ruin: Ruin) -> Zone:
    """Return the zone as hands have left it. An alias needs its target when it is made, so what stood there goes last."""
    made = [record for name, part in zip(NAMES, ruin.parts, strict=True) for record in _records(name, part)]
    target = RecordSet(name=API, type="A", set_identifier="gone", ttl=60, weight=1, values=("192.0.2.250",))
    switch = _switch(ruin)
    zone = _changed(Zone.empty(ZONE, ZONE_NAME), "CREATE", [target, *made, *([switch] if switch else [])])
    return _changed(zone, "DELETE", [target])


def _changed(zone: Zone, action: str, records: Sequence[RecordSet]) -> Zone:
    after = zone_model.apply(
        zone, [{"Action": action, "ResourceRecordSet": wire.record_to_wire(record)} for record in records]
    )
    assert isinstance(after, Zone), after
    return after


def _switch(ruin: Ruin) -> RecordSet | None:
    name = switch_name(FLEET, ZONE_NAME)
    digest = stored(ruin.opened).short_digest if ruin.opened else "none"
    right = Switch(fleet=FLEET, mode="run", gen=ruin.opened, plan=digest, nonce=NONCE)
    changes: dict[SwitchHand, dict[str, Any]] = {
        "as opened": {},
        "stopped": {"mode": "stop"},
        "ahead": {"gen": ruin.opened + 7, "plan": "d" * 12},
        "forked": {"gen": max(1, ruin.opened), "plan": "e" * 12},
        "typed by mistake": {"gen": 999_999_999, "plan": "d" * 12},
    }
    if ruin.switch in changes:
        return text_set(name, switch_text(msgspec.structs.replace(right, **changes[ruin.switch])))
    return {"typed stop": text_set(name, "mode=stop"), "junk": text_set(name, "run, please")}.get(ruin.switch)


def _records(name: str, part: Part) -> list[RecordSet]:
    named = contents(part.at)[name] if part.at else ()
    sets = _sets(name, part, named)
    fence = _fence(name, part, content_digest(named)) if part.at else None
    return [*sets, *([fence] if fence else [])]


def _sets(name: str, part: Part, named: Content) -> list[RecordSet]:
    strangers = [_stranger(name, 77), _stranger(name, 78)]
    if name == WWW:  # one alias alone: it stands, or it is gone, or another record is in its place
        simple = RecordSet(name=name, type="A", ttl=60, values=("192.0.2.77",))
        return {"as named": list(named), "strangers": [simple]}.get(part.sets, [])
    match part.sets:
        case "as named":
            return list(named)
        case "one left":
            return list(named[:1])
        case "one lost":
            return list(named[1:])
        case "one kind wiped":
            return [record for record in named if record.type == "AAAA"]
        case "reweighted":
            return [msgspec.structs.replace(record, weight=99) for record in named[:1]] + list(named[1:])
        case "a stranger more":
            return [*named, strangers[0]]
        case "strangers":
            return strangers
        case "as another plan":
            return list(contents(part.at % len(PLANS_OF_OLD) + 1)[name])
        case "wiped":
            return []


def _stranger(name: str, number: int) -> RecordSet:
    value = (f"192.0.2.{number}",)
    return RecordSet(name=name, type="A", set_identifier=f"by-hand-{number}", ttl=60, weight=10, values=value)


def _fence(name: str, part: Part, digest: str) -> RecordSet | None:
    where = fence_name(name, ZONE_NAME)
    right = Fence(fleet=FLEET, gen=part.at, plan=digest, by="earlier", nonce=NONCE)
    changes: dict[FenceHand, dict[str, Any]] = {
        "live": {},
        "other fleet": {"fleet": "core"},
        "held": {"state": "hold"},
        "hold past": {"state": "hold", "until": WRITTEN_AT},
        "retired": {"state": "retired"},
        "adopted": {"gen": 0},
        "of no plan": {"plan": "f" * 12},
    }
    if part.fence in changes:
        return text_set(where, fence_text(msgspec.structs.replace(right, **changes[part.fence])))
    if part.fence == "garbled":
        return text_set(where, "v=1 who knows")
    if part.fence == "two texts":
        both = (*text_set(where, fence_text(right)).values, *text_set(where, "ask Ann").values)
        return msgspec.structs.replace(text_set(where, "x"), values=both)
    return None

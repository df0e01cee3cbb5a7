"""The world the actors share: zones, the table, and requests that are on their way; every state and answer a number.

A state is (zones, table, positions of the actors, requests held back); because each part is interned, what an operation does to a
part is computed once, and a search is arithmetic on small numbers. Nothing here decides who goes next.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

import msgspec
from botocore.exceptions import ClientError

from enactor import names, wire
from enactor.aws_errors import outside_error
from enactor.batch import Batch
from enactor.outcome import Applied, Outcome, OverBudget, Unknown, ZoneBusy
from enactor.ports import Stopping, Unavailable
from enactor.records import RecordSet
from enactor.route53 import _outcome
from enactor.sandbox import zone_model
from enactor.sandbox.zone_model import Zone
from enactor.table_items import Refusal
from enactor.table_keys import CHUNKS, PLANS

from . import mirror_model, table_model
from .actors import Answer
from .hosted import Trouble, ZoneState, error_of, state_of
from .mirror_reading import MIRROR
from .ops import (
    ALL_BAD,
    FEW,
    HALF_BAD,
    INVENTORY,
    LATE,
    LOST_SIGNAL,
    ONE_BAD,
    At,
    ByHand,
    Cas,
    DeleteAll,
    Fences,
    Get,
    Listing,
    MirrorGet,
    MirrorHead,
    MirrorPut,
    Op,
    Put,
    Raw,
    SdkWait,
    Sleep,
    SourceLook,
    SwitchAlone,
    TableByHand,
    TableHand,
    TableRuin,
    Transact,
    Under,
    ZoneByHand,
    ZoneRead,
    is_by_hand,
    is_write,
    zone_id_of,
)
from .probes import ZONE_DENIED, ZONE_GONE, Probes, of_answer
from .ruined_table import RUINS, ruined
from .table_model import Table
from .zone_hands import edited

APPLIED: Final = Answer(Applied("C1"))
LOST: Final = Answer(Unknown("the answer was lost"))
THROTTLED_BATCH: Final = Answer(OverBudget())
BUSY_BATCH: Final = Answer(ZoneBusy())
UNAVAILABLE: Final = Answer(error=Unavailable("no answer; try again later"))

Fault = str
HOLD: Final = "hold"
"""The request is kept on its way, its sender gets no answer, and it is evaluated when the scheduler says so."""
THROTTLE: Final = "throttle"
BUSY: Final = "busy"
DOWN: Final = "no answer"
"""The request was not evaluated, and its sender cannot know."""
STOP: Final = "sigterm"

RESTORED: Final = "(restored from a backup)"
"""A mark in the model's table that no code reads: plans may have been lost, or HEAD moved, by a person's hand."""

DARK: Final = "(the table does not answer)"
"""A mark beside the table's items: while it stands no request to the table has an answer, and none is carried out."""

T = TypeVar("T")


class Interned(list[T]):
    """Values by number, each once."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[Any, int] = {}

    def number(self, key: Any, make: Callable[[], T]) -> int:
        """Return the number of what has this key, made now where it is new."""
        found = self._numbers.get(key)
        if found is None:
            found = len(self)
            self._numbers[key] = found
            self.append(make())
        return found


class World:
    """Interned states of the parts, and what operations make of them."""

    def __init__(self, zone_names: Mapping[str, str]) -> None:
        self.zone_names = dict(zone_names)
        self.zones: Interned[ZoneState] = Interned()
        self.tables: Interned[Table] = Interned()
        self.ops: Interned[Op] = Interned()
        self.answers: Interned[Answer] = Interned()
        self.lost = self.fixed(LOST)
        self.throttled_batch = self.fixed(THROTTLED_BATCH)
        self.busy_batch = self.fixed(BUSY_BATCH)
        self.unavailable = self.fixed(UNAVAILABLE)
        self.no_mirror = self.fixed(Answer(error=mirror_model.NO_ANSWER))
        self.slept = self.fixed(Answer())
        self.stopped = self.fixed(Answer(error=Stopping("asked to stop")))
        self.backup = self.table({})
        """The table that a restore brings back."""
        self.first = 0
        """The zone as it stood when the story began."""
        self._zone_steps: dict[tuple[int, int], tuple[int, int]] = {}
        self._table_steps: dict[tuple[int, int], tuple[int, int]] = {}
        self.probes = Probes()

    def fixed(self, answer: Answer) -> int:
        """Return the number of an answer that always is the same."""
        return self.answers.number(("fixed", repr(answer)), lambda: answer)

    def late(self, answer: int, seconds: int) -> int:
        """Return the number of an answer with which its reader's clock jumps."""
        if not seconds:
            return answer
        return self.answers.number(
            ("jump", answer, seconds), lambda: msgspec.structs.replace(self.answers[answer], jump_seconds=seconds)
        )

    def op(self, op: Op) -> int:
        """Return an operation's number."""
        return self.ops.number(op, lambda: op)

    def zone(self, zone: Zone) -> int:
        """Return a zone state's number."""
        return self.moment(state_of(zone))

    def moment(self, state: ZoneState) -> int:
        """Return the number of what zones there are at a moment."""
        return self.zones.number(state.key, lambda: state)

    def table(self, table: Table) -> int:
        """Return a table state's number."""
        return self.tables.number(tuple(sorted(table.items())), lambda: table)

    def faults_of(self, op: Op) -> tuple[Fault, ...]:
        """Return the faults that can strike an operation. To be killed is to get no more turns, which needs no step."""
        match op:
            case SdkWait():
                return ()
            case _ if is_by_hand(op):
                return ()
            case Cas():
                return (HOLD, THROTTLE, BUSY)
            case Sleep():
                return (STOP,)
            case SourceLook(source):
                return (LOST_SIGNAL, LATE, *((FEW,) if source == INVENTORY else (ONE_BAD, HALF_BAD, ALL_BAD)))
            case _ if is_write(op):
                return (DOWN, HOLD)
            case _:
                return (DOWN,)

    def fault_answer(self, op: Op, fault: Fault) -> int:
        """Return the number of what the sender gets where a fault strikes."""
        if fault == STOP:
            return self.stopped
        if isinstance(op, SourceLook):
            return self.fixed(Answer(fault))
        if isinstance(op, Cas):
            return {HOLD: self.lost, THROTTLE: self.throttled_batch, BUSY: self.busy_batch}[fault]
        return self.no_mirror if isinstance(op, MirrorGet | MirrorHead | MirrorPut) else self.unavailable

    def step_zone(self, zone: int, op: int) -> tuple[int, int]:
        """Return (zone after, answer) of an operation on a zone."""
        found = self._zone_steps.get((zone, op))
        if found is None:
            found = self._zone_steps[zone, op] = self._stepped_zone(zone, op)
        return found

    def step_table(self, table: int, op: int) -> tuple[int, int]:
        """Return (table after, answer) of an operation on the table."""
        found = self._table_steps.get((table, op))
        if found is None:
            found = self._table_steps[table, op] = self._stepped_table(table, op)
        return found

    def _stepped_zone(self, zone: int, op: int) -> tuple[int, int]:
        asked, moment = self.ops[op], self.zones[zone]
        if isinstance(asked, ZoneByHand):
            return self.moment(befallen(moment, asked)), self.slept
        state = moment.at(zone_id_of(asked))
        if isinstance(asked, ByHand):
            if state is None or state.trouble:
                return zone, self.slept
            first = self.zones[self.first].at(state.zone_id) or state
            return self.moment(moment.with_part(state_of(by_hand(state, asked, first)))), self.slept
        if state is None or state.trouble:
            return zone, self._in_trouble(asked, state.trouble if state else "gone")
        if isinstance(asked, Raw):
            return self._raw(zone, state, asked)
        if isinstance(asked, Cas):
            after_it, outcome = played(state.zone, asked.batch)
            applied = isinstance(outcome, Applied)
            of_answer(asked, applied=applied, zone_records=state.records, probes=self.probes)
            if isinstance(outcome, Applied):
                return self.moment(moment.with_part(state_of(after_it))), self.fixed(APPLIED)
            return zone, self.answers.number(("cas", repr(outcome)), lambda: Answer(outcome))
        assert isinstance(asked, Fences | SwitchAlone | Listing | At), asked
        records = seen(state.records, asked, self.zone_names)
        return zone, self.answers.number(("records", records), lambda: Answer(records))

    def _in_trouble(self, asked: Op, trouble: Trouble) -> int:
        """Return the answer for a zone that is gone, or that nobody may touch."""
        self.probes.hit.add(ZONE_GONE if trouble == "gone" else ZONE_DENIED)
        zone = zone_id_of(asked)
        if isinstance(asked, Cas):
            outcome = _outcome(error_of(trouble, "ChangeResourceRecordSets"), asked.batch)
            return self.answers.number(("cas", repr(outcome)), lambda: Answer(outcome))
        fault = outside_error(
            error_of(trouble, "ListResourceRecordSets"), what=f"reading hosted zone {zone}", where="Route 53"
        )
        return self.answers.number((trouble, zone), lambda: Answer(error=fault))

    def _raw(self, zone: int, state: ZoneState, asked: Raw) -> tuple[int, int]:
        changes = [
            {"Action": action, "ResourceRecordSet": wire.record_to_wire(record)} for action, record in asked.changes
        ]
        after = zone_model.apply(state.zone, changes)
        if isinstance(after, Zone):
            return self.moment(self.zones[zone].with_part(state_of(after))), self.slept
        error = refusal(after)
        return zone, self.answers.number(("raw", str(error)), lambda: Answer(error=error))

    def _stepped_table(self, table: int, op: int) -> tuple[int, int]:
        asked = self.ops[op]
        if isinstance(asked, TableByHand):
            return self.table(table_by_hand(self.tables[table], self.tables[self.backup], asked)), self.slept
        if isinstance(asked, MirrorGet | MirrorHead | MirrorPut):
            return self._stepped_mirror(table, asked)
        assert isinstance(asked, Get | Under | Put | Transact | DeleteAll), asked
        if DARK in self.tables[table]:
            return table, self.unavailable
        after, value = table_model.apply(self.tables[table], asked)
        of_answer(asked, applied=not isinstance(value, Refusal), zone_records=(), probes=self.probes)
        answer = self.answers.number(("table", repr(value)), lambda: Answer(value))
        return (self.table(after) if after is not self.tables[table] else table), answer

    def _stepped_mirror(self, table: int, asked: MirrorGet | MirrorHead | MirrorPut) -> tuple[int, int]:
        after, value = mirror_model.apply(self.tables[table], asked)
        made = Answer(error=value) if isinstance(value, ClientError) else Answer(value)
        answer = self.answers.number(("mirror", repr(value)), lambda: made)
        return (self.table(after) if after is not self.tables[table] else table), answer

    def granted(self, zone: int) -> int:
        """Return the zones where nobody is denied any more."""
        moment = self.zones[zone]
        for part in moment.parts:
            if part.trouble == "denied":
                moment = moment.with_part(msgspec.structs.replace(part, trouble="", beside=()))
        return self.moment(moment) if moment is not self.zones[zone] else zone

    def lit(self, table: int) -> int:
        """Return the table that answers again."""
        items = self.tables[table]
        return self.table({sk: item for sk, item in items.items() if sk != DARK}) if DARK in items else table


def seen(records: Sequence[RecordSet], op: ZoneRead, zone_names: Mapping[str, str]) -> tuple[RecordSet, ...]:
    """Return what a read shows of a zone."""
    match op:
        case Listing():
            return tuple(records)
        case At(names=wanted):
            return tuple(record for name in wanted for record in records if record.name == name)
        case Fences(zone):
            base = names.fence_base(zone_names[zone])
            return tuple(record for record in records if names.is_within(record.name, base))
        case SwitchAlone(zone):
            base = names.fence_base(zone_names[zone])
            return tuple(
                record
                for record in records
                if names.is_within(record.name, base) and record.name.startswith("_switch-")
            )


def played(zone: Zone, batch: Batch) -> tuple[Zone, Outcome]:
    """Play a batch on a zone, and say in the adapter's own words what came of it."""
    changes = [
        {"Action": change.action, "ResourceRecordSet": wire.record_to_wire(change.record)} for change in batch.changes
    ]
    after = zone_model.apply(zone, changes)
    if isinstance(after, Zone):
        return after, Applied("C1")
    return zone, _outcome(refusal(after), batch)


def refusal(errors: zone_model.Errors) -> ClientError:
    """Return the error that boto3 raises for a refused batch."""
    response: Any = {
        "Error": {"Code": errors.code, "Message": errors.text},
        "ResponseMetadata": {"HTTPStatusCode": 400},
    }
    return ClientError(response, "ChangeResourceRecordSets")


def table_by_hand(table: Table, backup: Table, op: TableByHand) -> Table:
    """Return what a person makes of the table."""
    if op.hand in RUINS:
        return {**ruined(table, cast(TableRuin, op.hand)), RESTORED: ()}
    match cast(TableHand, op.hand):
        case "restore the first backup":
            beside = {sk: item for sk, item in table.items() if sk in {MIRROR, DARK}}
            return {**{sk: item for sk, item in backup.items() if sk != MIRROR}, **beside, RESTORED: ()}
        case "let it go dark":
            return {**table, DARK: ()}
        case "let it come back":
            return {sk: item for sk, item in table.items() if sk != DARK}
        case "swap the chunks of two plans":
            return _swapped(table)
        case _ if MIRROR not in table:
            return table
        case "take the mirror away":
            return {sk: item for sk, item in table.items() if sk != MIRROR}
        case "let the mirror leap":
            return {**table, MIRROR: mirror_model.leapt(table[MIRROR])}
        case "mix the mirror up":
            oldest = min(sk for sk in table if sk.startswith(PLANS))
            chunks = sorted(sk for sk in table if sk.startswith(f"{CHUNKS}{dict(table[oldest])['upload']!s}#"))
            parts = [dict(table[sk])["data"] for sk in chunks]
            body = zlib.decompress(b"".join(part for part in parts if isinstance(part, bytes)))
            return {**table, MIRROR: mirror_model.mixed_up(table[MIRROR], body)}


def _swapped(table: Table) -> Table:
    """Return the table with two plans' chunks in each other's place."""
    chunks = sorted(sk for sk in table if sk.startswith(CHUNKS))
    if len(chunks) < 2:
        return table
    first, last = chunks[0], chunks[-1]
    data = [dict(table[sk])["data"] for sk in (first, last)]
    swapped = {first: {**dict(table[first]), "data": data[1]}, last: {**dict(table[last]), "data": data[0]}}
    return {**table, **{sk: tuple(sorted(item.items())) for sk, item in swapped.items()}}


def befallen(moment: ZoneState, op: ZoneByHand) -> ZoneState:
    """Return the zones after something befell one of them."""
    if op.hand == "make it anew":
        return moment if moment.at(op.made) else moment.with_part(state_of(Zone.empty(op.made, moment.zone.name)))
    part = moment.at(op.zone)
    if part is None or part.trouble == "gone":
        return moment
    troubles: dict[str, Trouble] = {"delete the zone": "gone", "deny it": "denied", "grant it": ""}
    return moment.with_part(msgspec.structs.replace(part, trouble=troubles[op.hand]))


def by_hand(state: ZoneState, op: ByHand, first: ZoneState) -> Zone:
    """Return what a person at the console makes of a zone; what is not there to be changed stays as it is."""
    fence = names.fence_name(op.name, state.zone.name) if op.name else ""
    changes: list[dict[str, Any]] = []
    switch = [record for record in state.records if record.name.startswith("_switch-")]
    own = [record for record in state.records if record.name == op.name]
    fences = [record for record in state.records if record.name == fence]
    match op.hand:
        case "wipe sets":
            changes = _deletes(own)
        case "wipe all":
            changes = _deletes([*own, *fences])
        case "drop a set":
            changes = _deletes(own[:1])
        case "keep one":
            changes = _deletes(own[1:])
        case "wipe fence":
            changes = _deletes(fences)
        case "garble fence":
            changes = _retyped(fences, '"v=1 who knows"')
        case "hold":
            changes = _retyped(fences, *(record.values[0].replace(" state=live", " state=hold") for record in fences))
        case "delete switch":
            changes = _deletes(switch)
        case "type stop":
            changes = _retyped(switch, '"mode=stop"')
        case "type junk":
            changes = _retyped(switch, '"run, please"')
        case _:
            goes, comes = edited(op.hand, op.name, state.zone.name, state.records, first.records)
            changes = [*_deletes(goes), *_creates(comes)]
    after = zone_model.apply(state.zone, changes) if changes else state.zone
    assert isinstance(after, Zone), after
    return after


def _deletes(records: Sequence[RecordSet]) -> list[dict[str, Any]]:
    return [{"Action": "DELETE", "ResourceRecordSet": wire.record_to_wire(record)} for record in records]


def _retyped(records: Sequence[RecordSet], *texts: str) -> list[dict[str, Any]]:
    typed = [msgspec.structs.replace(record, values=(text,)) for record, text in zip(records, texts, strict=False)]
    return [*_deletes(records), *_creates(typed)]


def _creates(records: Sequence[RecordSet]) -> list[dict[str, Any]]:
    return [{"Action": "CREATE", "ResourceRecordSet": wire.record_to_wire(record)} for record in records]

"""What an actor can ask of the outside, as values: the vocabulary of every trace.

An operation is plain data, equal to any other that asks the same. The world answers it; the scheduler decides when.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

from enactor.batch import Batch
from enactor.records import RecordSet
from enactor.table_items import Item, Value, Write
from enactor.table_keys import ANNOUNCEMENTS

Pairs = tuple[tuple[str, Value], ...]
"""An item of the table as a value that can be compared and hashed."""


class Fences(msgspec.Struct, frozen=True, tag=True):
    """Read a zone's fence range."""

    zone: str


class SwitchAlone(msgspec.Struct, frozen=True, tag=True):
    """Read a zone's switch."""

    zone: str


class Listing(msgspec.Struct, frozen=True, tag=True):
    """Read every record set of a zone."""

    zone: str


class At(msgspec.Struct, frozen=True, tag=True):
    """Read the record sets at some names."""

    zone: str
    names: tuple[str, ...]


class NextPage(msgspec.Struct, frozen=True, tag=True):
    """Read on where a page of a zone's listing ended."""

    zone: str
    name: str


class Cas(msgspec.Struct, frozen=True, tag=True):
    """Send a batch."""

    zone: str
    batch: Batch


class Get(msgspec.Struct, frozen=True, tag=True):
    """Read one item of the table."""

    sk: str


class Under(msgspec.Struct, frozen=True, tag=True):
    """Read the items whose key starts so."""

    prefix: str
    newest_first: bool
    keys_only: bool


class Put(msgspec.Struct, frozen=True, tag=True):
    """Write one item, whatever stood there."""

    sk: str
    item: Pairs


class OneWrite(msgspec.Struct, frozen=True):
    """One write of a transaction."""

    sk: str
    item: Pairs | None
    update: str
    delete: bool
    condition: str
    values: Pairs


class Transact(msgspec.Struct, frozen=True, tag=True):
    """Apply all writes or none."""

    writes: tuple[OneWrite, ...]


class DeleteAll(msgspec.Struct, frozen=True, tag=True):
    """Delete items, whatever they hold."""

    sks: tuple[str, ...]


class MirrorGet(msgspec.Struct, frozen=True, tag=True):
    """Read the plan mirror's object, unless it is the one that is known."""

    if_none_match: str


class MirrorHead(msgspec.Struct, frozen=True, tag=True):
    """Read what the plan mirror says of its object."""


class MirrorPut(msgspec.Struct, frozen=True, tag=True):
    """Write the plan mirror's object, if it still is the one that was seen, or if there is none."""

    item: Pairs
    if_match: str
    if_none_match: str


class Sleep(msgspec.Struct, frozen=True, tag=True):
    """Wait."""


class Passes(msgspec.Struct, frozen=True, tag=True):
    """Let time go by, or have everybody's clock set: all clocks jump."""

    seconds: int


class SdkWait(msgspec.Struct, frozen=True, tag=True):
    """Wait inside the SDK, between two of its own attempts: no stop ends that."""


class SourceLook(msgspec.Struct, frozen=True, tag=True):
    """Ask a source what there is, or how it is; the answer is what is wrong with what it says, None where it is the truth."""

    source: str


INVENTORY: Final = "lbs"
"""The source that says what there is; any other says how it is."""
LOST_SIGNAL: Final = "a signal is lost"
LATE: Final = "a signal is late: the last one is told again"
ONE_BAD: Final = "another one flaps"
HALF_BAD: Final = "half are called bad"
ALL_BAD: Final = "all are called bad"
FEW: Final = "most are not there"


class ZoneName(msgspec.Struct, frozen=True, tag=True):
    """Ask for a zone's name."""

    zone: str


Hand = Literal[
    "wipe sets",
    "wipe all",
    "drop a set",
    "keep one",
    "wipe fence",
    "garble fence",
    "hold",
    "delete switch",
    "type stop",
    "type junk",
]


ZoneEdit = Literal[
    "weigh a set otherwise",
    "change the TTL",
    "change a value",
    "add a set",
    "add a name",
    "put another fleet's fence",
    "put another fleet's hold",
    "write two texts",
    "write two texts in the switch",
    "put the fence back",
    "put all back",
]


class ByHand(msgspec.Struct, frozen=True, tag=True):
    """A person changes a zone at the console; no promise speaks of it, only of what we make of it."""

    zone: str
    hand: Hand | ZoneEdit
    name: str = ""


class ZoneByHand(msgspec.Struct, frozen=True, tag=True):
    """A person deletes a hosted zone, makes one of its name under another id, or takes or gives back the rights to it."""

    zone: str
    hand: Literal["delete the zone", "make it anew", "deny it", "grant it"]
    made: str = ""
    """The id of the one that is made."""


TableHand = Literal[
    "restore the first backup",
    "swap the chunks of two plans",
    "let it go dark",
    "let it come back",
    "mix the mirror up",
    "let the mirror leap",
    "take the mirror away",
]


TableRuin = Literal[
    "take HEAD away",
    "point HEAD at nothing",
    "move HEAD back",
    "lose a chunk",
    "alter a chunk",
    "replay an older chunk",
    "lose the newest manifest",
    "lose every plan but the newest",
    "make the newest plan unreadable",
]


class TableByHand(msgspec.Struct, frozen=True, tag=True):
    """A person changes the table or its mirror behind the product's back, or the table stops answering for a while."""

    hand: TableHand | TableRuin


class Raw(msgspec.Struct, frozen=True, tag=True):
    """Change record sets as anybody can: the automation of 2025 did."""

    zone: str
    changes: tuple[tuple[str, RecordSet], ...]


ZoneRead = Fences | SwitchAlone | Listing | At
TableRead = Get | Under
TableWrite = Put | Transact | DeleteAll
MirrorOp = MirrorGet | MirrorHead | MirrorPut
Meaning = ZoneRead | NextPage | ZoneName | Cas | TableRead | TableWrite


class Sent(msgspec.Struct, frozen=True, tag=True):
    """A request as the SDK would put it on the wire, without what differs each time (dates, signature, ids of its own)."""

    means: Meaning
    """What it asks, in the words of the ports: for timelines, probes and promises. The request alone is evaluated."""
    method: str
    target: str
    """Path and query."""
    headers: tuple[tuple[str, str], ...]
    body: bytes
    attempt: int
    """Which of the SDK's own attempts it is, 1 for the first."""

    @property
    def asked(self) -> "tuple[str, str, bytes]":
        """Return what stays the same however often it is sent."""
        return self.method, self.target, self.body


ZoneOp = ZoneRead | NextPage | ZoneName | Cas | ByHand | ZoneByHand | Raw
TableOp = TableRead | TableWrite | TableByHand | MirrorOp
Op = ZoneOp | TableOp | Sent | Sleep | SdkWait | SourceLook | Passes

Component = Literal["zone", "table", "none"]


def component(op: Op) -> Component:
    """Return what part of the world an operation looks at or changes."""
    match op:
        case Sent(means):
            return component(means)
        case Fences() | SwitchAlone() | Listing() | At() | NextPage() | ZoneName() | Cas():
            return "zone"
        case ByHand() | ZoneByHand() | Raw():
            return "zone"
        case Sleep() | SdkWait() | SourceLook() | Passes():
            return "none"
        case _:
            return "table"


def zone_id_of(op: Op) -> str:
    """Return which zone an operation is about, nothing where it is about none."""
    found = op.means if isinstance(op, Sent) else op
    return str(getattr(found, "zone", ""))


def is_by_hand(op: Op) -> bool:
    """Tell whether an operation is no request of anybody's, but something that happens."""
    return isinstance(op, ByHand | ZoneByHand | TableByHand | Passes)


def is_private(op: Op) -> bool:
    """Tell whether nobody else can see or disturb an operation: a wait, and an announcement, on which no decision rests."""
    return isinstance(op, Sleep | SdkWait) or (isinstance(op, Put) and op.sk.startswith(ANNOUNCEMENTS))


def batch_of(op: Op) -> Batch | None:
    """Return the batch that an operation sends."""
    match op:
        case Sent(means):
            return batch_of(means)
        case Cas(batch=batch):
            return batch
        case _:
            return None


def is_read(op: Op) -> bool:
    """Tell whether an operation shows what a zone holds."""
    if isinstance(op, Sent):
        return is_read(op.means)
    return isinstance(op, Fences | SwitchAlone | Listing | At | NextPage)


def is_write(op: Op) -> bool:
    """Tell whether an operation may change anything."""
    if isinstance(op, Sent):
        return is_write(op.means)
    return isinstance(op, Cas | Put | Transact | DeleteAll | MirrorPut | Raw) or is_by_hand(op)


def pairs(item: Item) -> Pairs:
    """Return an item as a value."""
    return tuple(sorted(item.items()))


def transact(writes: Sequence[Write]) -> Transact:
    """Return a transaction as a value."""
    return Transact(
        tuple(
            OneWrite(
                sk=write.sk,
                item=None if write.item is None else pairs(write.item),
                update=write.update,
                delete=write.delete,
                condition=write.condition,
                values=pairs(write.values),
            )
            for write in writes
        )
    )


def said(op: Op) -> str:
    """Return an operation as a timeline shows it."""
    match op:
        case Fences(zone):
            return f"reads the fences of {zone}"
        case SwitchAlone(zone):
            return f"reads the switch of {zone}"
        case Listing(zone):
            return f"lists {zone}"
        case At(zone, names):
            return f"reads {', '.join(names)} in {zone}"
        case Cas(_, batch):
            return f"sends {_batch_said(batch)}"
        case Get(sk):
            return f"reads item {sk}"
        case Under(prefix):
            return f"reads items {prefix}*"
        case Put(sk):
            return f"writes item {sk}"
        case Transact(writes):
            return "transacts " + ", ".join(_write_said(write) for write in writes)
        case DeleteAll(sks):
            return f"deletes items {', '.join(sks)}"
        case MirrorGet():
            return "reads the mirror"
        case MirrorHead():
            return "looks at the mirror"
        case MirrorPut(item):
            return f"writes plan {dict(item)['generation']!s} into the mirror"
        case Sleep():
            return "sleeps"
        case SdkWait():
            return "waits in the SDK"
        case SourceLook(source):
            return f"asks {source}"
        case Passes(seconds):
            return f"sets everybody's clock by {seconds} s"
        case NextPage(zone, name):
            return f"reads on in {zone} at {name}"
        case ZoneName(zone):
            return f"asks for the name of {zone}"
        case Sent(means=means, attempt=attempt):
            return said(means) + (f" (the SDK's attempt {attempt})" if attempt > 1 else "")
        case ByHand(zone, hand, name):
            return f"does by hand in {zone}: {hand} {name}".rstrip()
        case TableByHand(hand):
            return f"does by hand in the table: {hand}"
        case ZoneByHand(zone, hand, made):
            return f"does by hand to {zone}: {hand} {made}".rstrip()
        case Raw(_, changes):
            return "sends " + ", ".join(f"{action} {record.type} {record.name}" for action, record in changes)


def _batch_said(batch: Batch) -> str:
    switch = "no switch"
    if batch.switch is not None:
        text = batch.switch.after.values[0]
        switch = ("asserts " if batch.switch.before == batch.switch.after else "writes ") + _field(text, "gen=")
    swaps = ", ".join(f"{swap.name} {swap.purpose} to {swap.fence_after.plan}" for swap in batch.swaps)
    return f"a batch ({switch}; {swaps or 'no swap'})"


def _field(text: str, name: str) -> str:
    return next((part for part in text.strip('"').split() if part.startswith(name)), text)


def _write_said(write: OneWrite) -> str:
    verb = "check" if not (write.item or write.update or write.delete) else "delete" if write.delete else "write"
    return f"{verb} {write.sk}"


def as_item(value: Pairs) -> Mapping[str, Value]:
    """Return an item as the table's readers take it."""
    return dict(value)

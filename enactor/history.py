"""Decide how a batch is written into the history, and which events of the history are about one endpoint.

Pure. One item tells of a whole batch, because two thousand endpoints must not cost two thousand writes: each of its lines says
what was put at one name, and the reader looks for the name. The history is what was told, best effort; the fence is what is
there. It must never make one look like the other.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal

import msgspec

from enactor.fence import Fence
from enactor.hooks import BatchEnded, Written
from enactor.table_keys import GENERATION_MAX, EventItem

SWAP: Final = "swap"
"""The verb of an enactor's batch."""
NAMES_PER_ITEM_MAX: Final = 200
"""A name has at most 1,004 characters as it is written here: so many, with their facts, are well below the 400 KB of an item."""
REASON_SHOWN_CHARACTERS: Final = 1_000
LAST_OF_SECOND: Final = timedelta(microseconds=999_999)

Facts = Mapping[str, str | tuple[str, ...]]
"""An event as it is written into the table, without its time."""
Scope = Literal["endpoint", "zone", "fleet"]
"""What an event was about: this name, the whole zone (its switch), or the whole fleet (a publish, a plan-wide allow)."""


class HistoryEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was done at an endpoint, or around it."""

    time: str
    """RFC 3339 in UTC: of a swap the Date of AWS's answer, of a verb the clock of whoever gave it."""
    verb: str
    """`swap` of an enactor; a person's verb otherwise."""
    scope: Scope
    by: str
    """The enactor's or planner's id."""
    zone: str | None = None
    caller: str | None = None
    """The ARN of the person who gave the verb."""
    generation: int | None = None
    plan: str | None = None
    """First 12 hex digits of the digest of the content that was put there."""
    nonce: str | None = None
    cause: str | None = None
    """The state in which the endpoint was found."""
    purpose: str | None = None
    outcome: str | None = None
    reason: str | None = None
    detail: str | None = None
    change_id: str | None = None
    in_force: bool = False
    """Whether the fence bears this nonce now."""


class HistoryReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `enactor history --json` prints: events newest first, and the fence as it stands."""

    fleet: str
    name: str
    zone: str | None
    """None where Route 53 could not be asked which zone the name lies in."""
    since: str
    fence: dict[str, Any] | None
    fence_text: str | None
    """The record as it stands, also where it cannot be read as a fence; None without one."""
    events: tuple[HistoryEvent, ...]
    cut: bool
    """Whether older events were left out: `--since` reaches further back than was read or shown."""
    told: bool | None
    """Whether an event tells of what the fence says now; None without a fence, or where one of the two cannot be read."""
    problems: tuple[str, ...] = ()


def facts_of(event: BatchEnded, *, by: str) -> list[Facts]:
    """Return what is written of an applied batch: one item, or several where it holds very many names."""
    assert event.outcome == "applied", "only what was applied is history"
    facts: Facts = {
        "verb": SWAP,
        "outcome": "changed",
        "zone": event.zone,
        "generation": str(event.generation),
        "change_id": event.change_id or "",
        "by": by,
        "detail": f"opened generation {event.generation}" if event.opened else "",
    }
    lines = [line_of(one) for one in event.written]
    starts = range(0, len(lines), NAMES_PER_ITEM_MAX) if lines else range(1)
    return [{**facts, "swaps": tuple(lines[start : start + NAMES_PER_ITEM_MAX])} for start in starts]


def within_second(date: datetime, wall: datetime) -> datetime:
    """Return the time of an event: AWS's Date, which has whole seconds, and within that second this machine's clock.

    So two swaps of one second sort as they happened wherever clocks are kept, and no clock moves an event out of AWS's second.
    """
    return min(max(wall, date), date + LAST_OF_SECOND)


def line_of(written: Written) -> str:
    """Return what was put at one name, as one line: a canonical name has no spaces."""
    one = written
    return f"{one.name} {one.generation} {one.plan} {one.nonce} {one.cause} {one.purpose}"


def written_of(line: str) -> Written | None:
    """Return what a line says, None where it is none of ours: somebody edited it, or another version wrote it."""
    match line.split(" "):
        case [name, generation, plan, nonce, cause, purpose, *_] if (number := generation_of(generation)) is not None:
            return Written(name=name, generation=number, plan=plan, nonce=nonce, cause=cause, purpose=purpose)
        case _:
            return None


def generation_of(text: str) -> int | None:
    """Return the generation that an event names, None where it names none: a number without an end is none."""
    is_number = text.isdecimal() and text.isascii() and len(text) <= len(str(GENERATION_MAX))
    return int(text) if is_number else None


def is_about(event: EventItem, name: str, zone: str | None) -> bool:
    """Tell whether an event is about an endpoint, its zone or its whole fleet; without a zone the name alone decides."""
    return event_of(event, name, zone, None) is not None


def event_of(event: EventItem, name: str, zone: str | None, fence: Fence | None) -> HistoryEvent | None:
    """Return what an event says of an endpoint, None where it says nothing of it."""
    if zone is not None and event.zone not in {"", zone}:
        return None
    if event.verb == SWAP:
        return _swapped(event, name, fence)
    if event.name not in {"", name}:
        return None
    scope: Scope = "endpoint" if event.name else "zone" if event.zone else "fleet"
    return _told(event, scope)


def _swapped(event: EventItem, name: str, fence: Fence | None) -> HistoryEvent | None:
    of_name = (line for line in event.swaps if line.partition(" ")[0] == name)
    written = next((found for line in of_name if (found := written_of(line)) is not None), None)
    if written is None:
        return _told(event, "zone") if event.detail else None
    return msgspec.structs.replace(
        _told(event, "endpoint"),
        generation=written.generation,
        plan=written.plan,
        nonce=written.nonce,
        cause=written.cause,
        purpose=written.purpose,
        in_force=fence is not None and fence.nonce == written.nonce,
    )


def _told(event: EventItem, scope: Scope) -> HistoryEvent:
    return HistoryEvent(
        time=event.time,
        verb=event.verb,
        scope=scope,
        by=event.by,
        zone=event.zone or None,
        caller=event.caller or None,
        generation=generation_of(event.generation),
        outcome=event.outcome or None,
        reason=plain(event.reason) or None,
        detail=plain(event.detail) or None,
        change_id=event.change_id or None,
    )


def plain(text: str) -> str:
    """Return a person's text without what would steer a terminal, at most as long as it is written."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:REASON_SHOWN_CHARACTERS])


def history_of(
    events: Iterable[EventItem], name: str, zone: str | None, fence: Fence | None, *, most: int
) -> tuple[tuple[HistoryEvent, ...], bool]:
    """Return the events about an endpoint in the order given, at most `most`, and whether some were left out."""
    found = [one for event in events if (one := event_of(event, name, zone, fence)) is not None]
    return tuple(found[:most]), len(found) > most


def is_told(events: Sequence[HistoryEvent], fence: Fence) -> bool:
    """Tell whether an event tells of the fence's last write.

    A person's verb writes no nonce down: the newest event being a verb that changed something here tells of it as well.
    """
    here = [one for one in events if one.scope == "endpoint" and one.change_id]
    return any(one.in_force for one in here) or (bool(here) and here[0].verb != SWAP and fence.by == here[0].by)

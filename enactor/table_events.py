"""Write what people and enactors did into the plan table, read it back, and keep what people allow for a whole plan. Decides nothing.

The history is best effort: what works while the table is away must not wait for it, let alone fail by it.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import msgspec

from enactor import table_keys as keys
from enactor.ports import PlanAllow
from enactor.table_items import GarbledItem, Item, Items, Write, typed

EVENT_KEPT_SECONDS: Final = 90 * 24 * 3600
"""As long as CloudTrail's event history; DynamoDB takes an event out some time after."""
ALLOW_KEPT_SECONDS: Final = 7 * 24 * 3600
"""For who looks afterwards why a plan went in; what has ended allows nothing, whenever DynamoDB takes it out."""


class EventsRead(msgspec.Struct, frozen=True):
    """Some of the history, newest first, and whether older events were left unread."""

    events: tuple[keys.EventItem, ...]
    is_cut: bool


class TableEvents:
    """A fleet's history and its plan-wide allows."""

    def __init__(self, items: Items) -> None:
        self._items = items

    def record(self, facts: Item, *, at: datetime, event: str) -> None:
        """Write one event down."""
        stamp = _stamp(at)
        item: Item = {**facts, "time": stamp, "ttl": int(at.timestamp()) + EVENT_KEPT_SECONDS}
        self._items.put(keys.event_key(stamp, event), item, what="writing the history")

    def events(self, since: datetime, wanted: Callable[[keys.EventItem], bool], *, most: int) -> EventsRead:
        """Return the wanted events since an instant, newest first, out of the newest `most`; one that cannot be read is passed over."""
        found: list[keys.EventItem] = []
        first = _stamp(since)
        read = 0
        for item in self._items.under(keys.EVENTS, what="reading the history", newest_first=True):
            if str(item["sk"]).removeprefix(keys.EVENTS) < first:
                break
            if read == most:
                return EventsRead(tuple(found), is_cut=True)
            read += 1
            try:
                event = typed(item, keys.EventItem, what="an event")
            except GarbledItem:
                continue
            if wanted(event):
                found.append(event)
        return EventsRead(tuple(found), is_cut=False)

    def allow(self, allow: PlanAllow) -> None:
        """Let a guard pass for one plan; one that stands is written again."""
        item: Item = {
            "guard": allow.guard,
            "generation": allow.generation,
            "until": allow.until.isoformat(),
            "reason": allow.reason,
            "by": allow.by,
            "ttl": int(allow.until.timestamp()) + ALLOW_KEPT_SECONDS,
        }
        what = f"allowing {allow.guard} for generation {allow.generation}"
        self._items.transact([Write(sk=keys.allow_key(allow.generation, allow.guard), item=item)], what=what)

    def allows(self, generation: int) -> tuple[PlanAllow, ...]:
        """Return what people allowed for a plan, expired or not; what cannot be read allows nothing."""
        found = []
        for item in self._items.under(
            keys.allows_of(generation), what=f"reading the allows of generation {generation}"
        ):
            try:
                found.append(typed(item, PlanAllow, what="an allow"))
            except GarbledItem:
                continue
        return tuple(one for one in found if one.generation == generation)


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

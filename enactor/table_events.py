"""Write what people did into the plan table, and what they allow for a whole plan. Decides nothing.

The history is best effort: a verb that works while the table is away must not wait for it, let alone fail by it.
"""

from datetime import datetime
from typing import Final

from enactor import table_keys as keys
from enactor.ports import PlanAllow
from enactor.table_items import GarbledItem, Item, Items, Write, typed

EVENT_KEPT_SECONDS: Final = 90 * 24 * 3600
"""As long as CloudTrail's event history; DynamoDB takes an event out some time after."""
ALLOW_KEPT_SECONDS: Final = 7 * 24 * 3600
"""For who looks afterwards why a plan went in; what has ended allows nothing, whenever DynamoDB takes it out."""


class TableEvents:
    """A fleet's history and its plan-wide allows."""

    def __init__(self, items: Items) -> None:
        self._items = items

    def record(self, facts: dict[str, str], *, at: datetime, event: str) -> None:
        """Write one event down."""
        stamp = at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        item: Item = {**facts, "time": stamp, "ttl": int(at.timestamp()) + EVENT_KEPT_SECONDS}
        self._items.put(keys.event_key(stamp, event), item, what="writing the history")

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

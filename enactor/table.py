"""The plan table as one object: what enactors read, planners publish, operators pin and collectors delete.

It decides nothing. Reading, publishing, collecting and making the table each have a module of their own, over one thin layer
of items; the protocols of `ports` say which side of it a caller may use.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from enactor.plan import Plan, StoredPlan, canonical_json
from enactor.ports import (
    Announcement,
    Chance,
    Clock,
    Condemning,
    DamagedPlan,
    Draft,
    PlanAllow,
    PlanEntry,
    PlanHead,
    Upload,
)
from enactor.table_collecting import TableCollecting
from enactor.table_events import EventsRead, TableEvents
from enactor.table_items import Item, Items
from enactor.table_keys import EventItem
from enactor.table_publishing import TablePublishing
from enactor.table_reading import TableReading
from enactor.table_setup import TableMade, TableSetup, table_client

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["PlanTable", "TableMade", "draft_of", "table_client"]


def draft_of(plan: Plan, *, planner: str, reason: str, created_at: str, stays: str | None = None) -> Draft:
    """Return a plan as it is published: its canonical body, and the zones that its endpoints and retired names lie in."""
    zones = {endpoint.zone for endpoint in plan.endpoints} | {retired.zone for retired in plan.retired}
    return Draft(
        body=canonical_json(plan),
        zones=tuple(sorted(zones)),
        endpoints=len(plan.endpoints),
        planner=planner,
        reason=reason,
        created_at=created_at,
        stays=stays,
    )


class PlanTable:
    """One fleet's partition of the plan table. It is a PlanStore, a PublishStore and a CollectStore."""

    def __init__(self, client: "DynamoDBClient", table: str, fleet: str, *, clock: Clock, chance: Chance) -> None:
        items = Items(client, table, fleet, clock=clock, chance=chance)
        self._reading = TableReading(items)
        self._publishing = TablePublishing(items, self._reading)
        self._collecting = TableCollecting(items, self._reading)
        self._events = TableEvents(items)
        self._setup = TableSetup(client, table, clock=clock)

    def create_table(self) -> TableMade:
        """Make the table unless it exists, wait until it is ACTIVE, and switch its protections on."""
        return self._setup.create()

    def head(self) -> PlanHead | None:
        """Return the newest plan's identity, None where nothing was ever published."""
        return self._reading.head()

    def floor(self) -> int:
        """Return the generation at or below which no new plan may be numbered (0 where unknown)."""
        return self._reading.floor()

    def read(self, generation: int) -> StoredPlan | DamagedPlan | None:
        """Return the plan of a generation with its digest verified, what is wrong with it, or None."""
        return self._reading.read(generation)

    def list(self) -> Sequence[PlanEntry]:
        """Return the readable manifests, newest first, condemned ones included; `read` says what is wrong with another."""
        return self._reading.list()

    def pins(self) -> frozenset[int]:
        """Return the generations that somebody pinned."""
        return self._reading.pins()

    def body(self, entry: PlanEntry) -> bytes | DamagedPlan:
        """Return a plan's body with its digest verified, condemned or not."""
        return self._reading.body(entry)

    def announce(self, announcement: Announcement) -> None:
        """Say that an enactor is alive; best effort."""
        self._reading.announce(announcement)

    def announcements(self) -> Sequence[Announcement]:
        """Return what enactors said lately; look at `seen`."""
        return self._reading.announcements()

    def raise_floor(self, generation: int) -> None:
        """Make sure that no later plan is numbered at or below a generation met in a switch."""
        self._publishing.raise_floor(generation)

    def publish(self, draft: Draft, *, parent: PlanHead | None, source: int | None = None) -> PlanEntry:
        """Store a plan as the next generation if HEAD still is the parent, and the source of a republish is not condemned."""
        return self._publishing.publish(draft, parent=parent, source=source)

    def pin(self, generation: int, *, reason: str, by: str, created_at: str) -> None:
        """Keep a plan from being collected until it is unpinned."""
        self._publishing.pin(generation, reason=reason, by=by, created_at=created_at)

    def unpin(self, generation: int) -> None:
        """Take the pin away; fine where there is none."""
        self._publishing.unpin(generation)

    def condemn(self, entry: PlanEntry, token: str) -> Condemning:
        """Put this collector's token on a plan that is neither HEAD nor pinned and whose condemnation is as seen."""
        return self._collecting.condemn(entry, token)

    def put_back(self, entry: PlanEntry, token: str) -> bool:
        """Lift the condemnation that bears this token; False where it bears another, or the plan is gone."""
        return self._collecting.put_back(entry, token)

    def delete(self, entry: PlanEntry, token: str) -> bool:
        """Delete a plan that is still condemned by this token; False where it is not, True where it is gone."""
        return self._collecting.delete(entry, token)

    def uploads(self) -> Sequence[Upload]:
        """Return the uploads that no manifest names."""
        return self._collecting.uploads()

    def sweep(self, upload: Upload, token: str) -> bool:
        """Condemn an upload so that it cannot be committed, then delete its chunks; False where it was committed meanwhile."""
        return self._collecting.sweep(upload, token)

    def allow(self, allow: PlanAllow) -> None:
        """Let a plan-wide guard pass once; one that stands is written again."""
        self._events.allow(allow)

    def allows(self, generation: int) -> Sequence[PlanAllow]:
        """Return what people allowed for a whole plan, expired or not."""
        return self._events.allows(generation)

    def record(self, facts: Item, *, at: datetime, event: str) -> None:
        """Write into the history what a person or an enactor did."""
        self._events.record(facts, at=at, event=event)

    def events(self, since: datetime, wanted: Callable[[EventItem], bool], *, most: int) -> EventsRead:
        """Return the wanted events since an instant, newest first, out of the newest `most`."""
        return self._events.events(since, wanted, most=most)

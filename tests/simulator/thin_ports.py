"""The thin tier's ports: the product's own protocols, each verb one operation of a `Line`.

The table's real reading, publishing and collecting run on the items below; the zone's verbs stand where the adapter would be,
with the real last gate before the batch.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from enactor.batch import Batch
from enactor.disk import DiskReading, PlanDisk
from enactor.gate import GateLimits, refusals
from enactor.observe import FenceRange, SwitchReading, fence_range
from enactor.outcome import Outcome, Stopped
from enactor.plan import StoredPlan
from enactor.records import RecordSet
from enactor.table import PlanTable
from enactor.table_collecting import TableCollecting
from enactor.table_events import TableEvents
from enactor.table_items import Item, Items, Refusal, Write
from enactor.table_publishing import TablePublishing
from enactor.table_reading import TableReading

from .actors import Line
from .ops import At, Cas, DeleteAll, Fences, Get, Listing, Put, SwitchAlone, Under, as_item, pairs, transact

GATE_LIMITS = GateLimits(targets=0.5, capacity=0.5)


class ThinZones:
    """A ZonePort."""

    def __init__(self, line: Line, zone_names: dict[str, str]) -> None:
        self._line = line
        self._zone_names = zone_names

    def aws_now(self) -> datetime | None:
        return self._line.aws_now()

    def zone_name(self, zone: str) -> str:
        return self._zone_names[zone]

    def switch(self, zone: str, fleet: str) -> SwitchReading:
        found: tuple[RecordSet, ...] = self._line.ask(SwitchAlone(zone))
        self._line.claims.shown(found)
        return fence_range(zone, self._zone_names[zone], fleet, found).switch

    def fences(self, zone: str, fleet: str) -> FenceRange:
        found: tuple[RecordSet, ...] = self._line.ask(Fences(zone))
        self._line.claims.shown(found)
        return fence_range(zone, self._zone_names[zone], fleet, found)

    def listing(self, zone: str) -> Sequence[RecordSet]:
        found: tuple[RecordSet, ...] = self._line.ask(Listing(zone))
        return found

    def at(self, zone: str, names: Sequence[str]) -> Sequence[RecordSet]:
        found: tuple[RecordSet, ...] = self._line.ask(At(zone, tuple(names)))
        self._line.claims.shown(found)
        return found

    def compare_and_swap(self, batch: Batch) -> Outcome:
        reasons = refusals(batch, lambda _: GATE_LIMITS)
        if reasons:
            return Stopped(reasons)
        outcome: Outcome = self._line.ask(Cas(batch.zone, batch))
        self._line.claims.answered(batch, outcome)
        return outcome


class ThinItems(Items):
    """The items of a table, each verb one operation."""

    def __init__(self, line: Line, fleet: str) -> None:
        self.fleet = fleet
        self.chance = line
        self.where = "the model's table"
        self._line = line

    def get(self, sk: str, *, what: str) -> Item | None:
        found = self._line.ask(Get(sk))
        return None if found is None else as_item(found)

    def under(
        self,
        prefix: str,
        *,
        what: str,
        newest_first: bool = False,
        keys_only: bool = False,
    ) -> Iterator[Item]:
        for item in self._line.ask(Under(prefix, newest_first, keys_only)):
            yield as_item(item)

    def put(self, sk: str, item: Item, *, what: str) -> None:
        self._line.ask(Put(sk, pairs(item)))

    def transact(self, writes: Sequence[Write], *, what: str) -> Refusal | None:
        refusal: Refusal | None = self._line.ask(transact(writes))
        return refusal

    def delete_all(self, sks: Sequence[str], *, what: str) -> None:
        if sks:
            self._line.ask(DeleteAll(tuple(sks)))


class ThinTable(PlanTable):
    """The product's plan table over the model's items."""

    def __init__(self, line: Line, fleet: str) -> None:
        items = ThinItems(line, fleet)
        self._reading = TableReading(items)
        self._publishing = TablePublishing(items, self._reading)
        self._collecting = TableCollecting(items, self._reading)
        self._events = TableEvents(items)


class ThinDisk(PlanDisk):
    """A disk of one enactor, which outlives its processes: the newest plans that it saved."""

    def __init__(self) -> None:
        self._plans: dict[int, StoredPlan] = {}

    def save(self, stored: StoredPlan, *, keep: Collection[int] = ()) -> str | None:
        self._plans[stored.generation] = stored
        return None

    def load(self) -> DiskReading:
        return DiskReading(tuple(self._plans[generation] for generation in sorted(self._plans, reverse=True)), ())

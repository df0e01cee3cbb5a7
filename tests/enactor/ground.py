"""A zone and a plan table in memory under the product's own ports: for the tests of what reads both and writes into the zone."""

from collections.abc import Callable

from enactor import wire
from enactor.batch import Batch
from enactor.guards import LimitsTable
from enactor.library import Library
from enactor.memory import ZoneMemory
from enactor.outcome import Outcome
from enactor.plan import Plan, StoredPlan
from enactor.ports import Unavailable
from enactor.records import RecordSet
from enactor.sandbox import zone_model
from enactor.sandbox.zone_model import Zone
from enactor.table_keys import CHUNKS
from enactor.wheel import Wheel
from planner.publisher import Signature, publish
from planner.publishing import Wish
from tests.properties.model_line import ModelLine
from tests.simulator.ops import Op, Sleep, component
from tests.simulator.thin_ports import ThinTable, ThinZones

from .kernel_builders import ENACTOR, FLEET, ZONE, ZONE_NAME

COMMENT = "by hand"


class GroundLine(ModelLine):
    """A line to one zone and one table; the table can go dark, and what it was asked is kept."""

    def __init__(self) -> None:
        super().__init__(Zone.empty(ZONE, ZONE_NAME))
        self.dark = False
        self.of_table: list[Op] = []
        self.sleeps = 0

    def ask(self, op: Op) -> object:
        if isinstance(op, Sleep):
            self.sleeps += 1
        elif component(op) == "table":
            self.of_table.append(op)
            if self.dark:
                raise Unavailable("the plan table does not answer; try again later")
        return super().ask(op)


class WatchedZones(ThinZones):
    """The zones, with somebody who may act between what was read and what is sent; batches are kept."""

    def __init__(self, line: GroundLine) -> None:
        super().__init__(line, {ZONE: ZONE_NAME})
        self.sent: list[Batch] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def compare_and_swap(self, batch: Batch) -> Outcome:
        self.meanwhile()
        self.sent.append(batch)
        return super().compare_and_swap(batch)


class Ground:
    """One zone, one table, and a person at the wheel."""

    def __init__(self) -> None:
        self.line = GroundLine()
        self.zones = WatchedZones(self.line)
        self.table = ThinTable(self.line, FLEET)
        self.wheel = Wheel(
            fleet=FLEET, enactor=ENACTOR, zones=self.zones, clock=self.line, chance=self.line, comment=COMMENT
        )

    def put(self, *records: RecordSet) -> None:
        """Write record sets past every gate."""
        self._change("UPSERT", records)

    def delete(self, *records: RecordSet) -> None:
        """Delete record sets past every gate."""
        self._change("DELETE", records)

    def _change(self, action: str, records: tuple[RecordSet, ...]) -> None:
        changes = [{"Action": action, "ResourceRecordSet": wire.record_to_wire(record)} for record in records]
        after = zone_model.apply(self.line.zone, changes)
        assert isinstance(after, Zone), after
        self.line.zone = after

    def publish(self, plan: Plan) -> StoredPlan:
        """Publish a plan past the planner's guards, and return it as it is stored."""
        before = self.table.head()
        signature = Signature("planner", "", "2026-11-30T03:00:00Z")
        publish(
            self.table,
            plan,
            Wish(unguarded=True),
            LimitsTable(),
            signature=signature,
            clock=self.line,
            chance=self.line,
        )
        head = self.table.head()
        assert head is not None
        assert head != before, "the same plan is stored once"
        found = self.table.read(head.generation)
        assert isinstance(found, StoredPlan)
        return found

    def damage(self, generation: int) -> None:
        """Take a chunk of a plan away."""
        (upload,) = [one.upload for one in self.table.list() if one.generation == generation]
        self.line.table = {sk: item for sk, item in self.line.table.items() if not sk.startswith(f"{CHUNKS}{upload}#")}

    def sets(self, name: str) -> list[RecordSet]:
        """Return what stands at a name."""
        return [record for record in self.zones.listing(ZONE) if record.name == name]

    def memory(self) -> ZoneMemory:
        """Return the zone as it is read now."""
        found = ZoneMemory(self.zones, ZONE, FLEET)
        found.read_switch()
        found.read_all(0.0)
        return found

    def library(self) -> Library:
        """Return the plans at hand, from the table alone."""
        return Library(self.table, None)

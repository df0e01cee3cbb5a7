"""A line to the simulator's model that answers at once: the thin ports run on it without a scheduler."""

from typing import Any

from enactor.ports import OutsideError
from enactor.sandbox.zone_model import Zone
from tests.simulator.actors import Line
from tests.simulator.claims import Claims
from tests.simulator.ops import Op, Sleep, component
from tests.simulator.table_model import Table
from tests.simulator.world import World


class ModelLine(Line):
    """One caller of a world of the simulator; clock and nonces are the simulator's own."""

    def __init__(self, zone: Zone) -> None:  # the parent's line belongs to an actor, and this one to nobody
        self._number = 1
        self._nonces = 0
        self._now = 0.0
        self.claims = Claims()
        self.jumped_seconds = 0
        self._world = World({zone.zone_id: zone.name})
        self._zone = self._world.zone(zone)
        self._table = self._world.table({})

    def ask(self, op: Op) -> Any:
        """Let the model answer an operation."""
        if isinstance(op, Sleep):
            return None
        number = self._world.op(op)
        if component(op) == "zone":
            self._zone, answer = self._world.step_zone(self._zone, number)
        else:
            self._table, answer = self._world.step_table(self._table, number)
        found = self._world.answers[answer]
        if found.error is not None:
            assert isinstance(found.error, OutsideError)
            raise found.error
        return found.value

    @property
    def zone(self) -> Zone:
        """The zone as it stands."""
        return self._world.zones[self._zone].zone

    @zone.setter
    def zone(self, zone: Zone) -> None:
        self._zone = self._world.zone(zone)

    @property
    def table(self) -> Table:
        """The table as it stands."""
        return self._world.tables[self._table]

    @table.setter
    def table(self, table: Table) -> None:
        self._table = self._world.table(table)

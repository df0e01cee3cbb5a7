"""Hold every step of a replay against the promises, by looking at the zone and the table and at nothing the enactor says."""

import msgspec

from enactor.fence import Fence, Switch
from enactor.names import fence_name, switch_name
from enactor.observe import fence_range
from enactor.plan import Plan, StoredPlan, content_of_endpoint
from enactor.records import RecordSet, content_digest, content_of
from enactor.replay.stage import API, PAYMENTS, ZONE, ZONE_NAME
from enactor.sandbox.server import Sandbox
from enactor.table import PlanTable
from enactor.wire import record_from_wire

NEVER_EMPTY = "never empty"
NEVER_BACKWARDS = "never backwards"
WHOLE = "whole or not at all"
NEVER_COLLECT = "never collect what is referenced"
NEVER_STUCK = "never stuck"


class Watcher:
    """What it has seen so far: a promise once broken is told once."""

    def __init__(self, sandbox: Sandbox, table: PlanTable, fleet: str) -> None:
        self._sandbox = sandbox
        self._table = table
        self._fleet = fleet
        self._contents: dict[str, set[str]] = {API: set(), PAYMENTS: set()}
        self._highest_open = 0
        self._told: set[str] = set()
        self._forgiven: frozenset[str] = frozenset()

    def published(self, plan: Plan) -> None:
        """Learn what a plan says."""
        for endpoint in plan.endpoints:
            self._contents[endpoint.name].add(content_digest(content_of_endpoint(endpoint)))

    def broken(self) -> tuple[str, ...]:
        """Return the promises that are broken now and were not before, each with what shows it."""
        found = [*self._endpoint_faults(), *self._switch_faults(), *self._table_faults()]
        fresh = tuple(sentence for sentence in found if sentence not in self._told and sentence not in self._forgiven)
        self._told |= set(fresh)
        self._forgiven = frozenset()
        return fresh

    def by_hand(self) -> None:
        """Somebody outside changed the zone: what is wrong at the next look, and no later, is not our doing."""
        self._forgiven = frozenset(self._endpoint_faults())

    def in_force(self, plan: Plan, name: str = API) -> bool:
        """Tell whether an endpoint stands as a plan says."""
        wanted = next(endpoint for endpoint in plan.endpoints if endpoint.name == name)
        return content_digest(content_of(self._at(name))) == content_digest(content_of_endpoint(wanted))

    def _at(self, name: str) -> tuple[RecordSet, ...]:
        return tuple(record_from_wire(found) for found in self._sandbox.zone(ZONE).sets(name))

    def _endpoint_faults(self) -> list[str]:
        faults = []
        for name, contents in self._contents.items():
            records = self._at(name)
            if contents and not records:
                faults.append(f"{NEVER_EMPTY}: {name} has no record set")
            elif contents and content_digest(content_of(records)) not in contents:
                stands = " ".join(sorted(record.set_identifier or "" for record in records))
                faults.append(f"{WHOLE}: {name} stands at {stands}, which no plan says")
        return faults

    def _switch_faults(self) -> list[str]:
        listing = self._at(switch_name(self._fleet, ZONE_NAME))
        switch = fence_range(ZONE, ZONE_NAME, self._fleet, listing).switch.switch
        if not isinstance(switch, Switch):
            return [f"{NEVER_BACKWARDS}: the zone has no switch that can be read"]
        highest, self._highest_open = self._highest_open, max(self._highest_open, switch.gen)
        if switch.gen < highest:
            return [f"{NEVER_BACKWARDS}: the open generation went from {highest} to {switch.gen}"]
        return []

    def _table_faults(self) -> list[str]:
        kept = self._kept()
        faults = []
        for name in self._contents:
            fences = fence_range(ZONE, ZONE_NAME, self._fleet, self._at(fence_name(name, ZONE_NAME))).fences
            fence = fences[name].fence if name in fences else None
            planned = isinstance(fence, Fence) and fence.plan in self._contents[name]
            if isinstance(fence, Fence) and planned and (name, fence.plan) not in kept:
                faults.append(f"{NEVER_COLLECT}: the plan whose content stands at {name} is gone from the table")
        return faults

    def _kept(self) -> frozenset[tuple[str, str]]:
        """Return (name, digest) of every content in the table's plans."""
        stored = [self._table.read(entry.generation) for entry in self._table.list()]
        return frozenset(
            (endpoint.name, content_digest(content_of_endpoint(endpoint)))
            for found in stored
            if isinstance(found, StoredPlan)
            for endpoint in found.plan.endpoints
        )


class Stuck(msgspec.Struct, frozen=True):
    """A later plan that did not come into force."""

    generation: int

    def __str__(self) -> str:
        return f"{NEVER_STUCK}: plan {self.generation} is not in force after every enactor had its turn"

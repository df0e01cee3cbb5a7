"""Collect in a loop beside three enactors and two planners for thousands of generations: the table stays within a stated size."""

import os
import random
from datetime import UTC, datetime
from typing import Final

import pytest

from enactor.collect import KEEP_NEWEST_PLANS, FleetZones, collect
from enactor.cycle import Enactor, Tally
from enactor.fence import Switch, switch_text, text_set
from enactor.guards import Limits, LimitsTable
from enactor.hooks import Event
from enactor.library import Library
from enactor.names import switch_name
from enactor.plan import Endpoint, Plan, Target
from enactor.sandbox import zone_model
from enactor.sandbox.zone_model import Zone
from enactor.table_keys import ANNOUNCEMENTS, CHUNKS, PLANS, UPLOADS
from enactor.wire import record_to_wire
from planner.publisher import Signature, publish
from planner.publishing import Wish
from tests.simulator.thin_ports import ThinTable, ThinZones

from .model_line import ModelLine

FLEET: Final = "edge"
ZONE: Final = "Z0SOAK"
ZONE_NAME: Final = "example.test."
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
GENERATIONS: Final = int(os.environ.get("SOAK_GENERATIONS", "2000"))
ENDPOINTS: Final = 6
ENACTORS: Final = ("a", "b", "c")
FRESH_EVERY: Final = 100
"""The model remembers every state it has been in; after so many generations it starts anew from the state it is in."""
PLANS_MAX: Final = KEEP_NEWEST_PLANS + ENDPOINTS + len(ENACTORS)
"""The newest, one that each endpoint's fence may need, and what was published since the last collect."""


def endpoint(number: int, version: int) -> Endpoint:
    values = (f"192.0.2.{number}", f"198.51.{version // 250 % 250}.{version % 250}")
    targets = tuple(Target(id=f"lb-{i}", type="A", value=value, weight=10) for i, value in enumerate(values))
    return Endpoint(name=f"ep{number}.{ZONE_NAME}", zone=ZONE, routing="weighted", ttl=60, targets=targets)


def ignore(_event: Event) -> None:
    """Hear of nothing."""


class World:
    """A zone and a table on a line that answers at once, and everybody who works on them."""

    def __init__(self, zone: Zone) -> None:
        self.line = ModelLine(zone)
        self.enactors = {name: self._enactor(name) for name in ENACTORS}

    def _enactor(self, name: str) -> Enactor:
        zones, table = ThinZones(self.line, {ZONE: ZONE_NAME}), ThinTable(self.line, FLEET)
        return Enactor(
            fleet=FLEET,
            enactor=name,
            zone_ids=(ZONE,),
            limits=LimitsTable(default=Limits(slow_drain_seconds=0.0)),  # no time passes here, so no window would end
            zones=zones,
            store=table,
            library=Library(table, None),
            clock=self.line,
            chance=self.line,
            tally=Tally(ignore),
        )

    def publish(self, planner: str, versions: list[int]) -> None:
        plan = Plan(fleet=FLEET, endpoints=tuple(endpoint(number, version) for number, version in enumerate(versions)))
        signature = Signature(planner, "", NOW.isoformat())
        table = ThinTable(self.line, FLEET)
        publish(table, plan, Wish(), LimitsTable(), signature=signature, clock=self.line, chance=self.line)

    def collect(self) -> None:
        report = collect(
            ThinTable(self.line, FLEET),
            FleetZones(ThinZones(self.line, {ZONE: ZONE_NAME}), FLEET),
            (ZONE,),
            dry_run=False,
            keep_hours=0,
            now=NOW,
            chance=self.line,
        )
        assert not report.unreadable

    def count(self, prefix: str) -> int:
        return sum(sk.startswith(prefix) for sk in self.line.table)

    def stands(self, number: int) -> set[str]:
        sets = self.line.zone.sets(f"ep{number}.{ZONE_NAME}")
        return {record["ResourceRecords"][0]["Value"] for record in sets}


@pytest.mark.timeout(900)  # SOAK_GENERATIONS may ask for many
def test_the_table_stays_within_its_size_for_as_long_as_plans_are_made() -> None:
    """Plans, their chunks, uploads and announcements; and every endpoint can still be healed with what its fence names."""
    chance = random.Random("soak")
    switch = Switch(fleet=FLEET, mode="run", gen=0, plan="none", nonce="0" * 16)
    record = text_set(switch_name(FLEET, ZONE_NAME), switch_text(switch))
    made = zone_model.apply(
        Zone.empty(ZONE, ZONE_NAME), [{"Action": "CREATE", "ResourceRecordSet": record_to_wire(record)}]
    )
    assert isinstance(made, Zone)
    world, versions = World(made), [0] * ENDPOINTS
    for generation in range(1, GENERATIONS + 1):
        if generation % FRESH_EVERY == 0:
            zone, table = world.line.zone, world.line.table
            world = World(zone)
            world.line.table = table
        versions[min(int(chance.expovariate(1.0)), ENDPOINTS - 1)] = (
            generation  # some change in every plan, one hardly ever
        )
        world.publish(chance.choice(("planner-1", "planner-2")), versions)
        for name in chance.sample(ENACTORS, chance.randint(1, 2)):
            world.enactors[name].cycle()
        if chance.random() < 0.5:
            world.collect()
            assert world.count(PLANS) <= PLANS_MAX
            assert world.count(CHUNKS) <= PLANS_MAX
            assert world.count(UPLOADS) == 0
            assert world.count(ANNOUNCEMENTS) <= len(ENACTORS) * (1 + generation // FRESH_EVERY), "one for each process"
    world.enactors["a"].cycle()
    number = chance.randrange(ENDPOINTS)
    before = world.stands(number)
    wiped = [{"Action": "DELETE", "ResourceRecordSet": one} for one in world.line.zone.sets(f"ep{number}.{ZONE_NAME}")]
    emptied = zone_model.apply(world.line.zone, wiped)
    assert isinstance(emptied, Zone)
    world.line.zone = emptied
    world.enactors["b"].cycle()
    assert world.stands(number) == before

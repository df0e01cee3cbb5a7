"""A zone, imported, is a fleet file of which a dry-run shows no change: by the commands, and by the functions right under them."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import boto3
import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from enactor.fence import instant_text
from enactor.outside import SystemChance, SystemClock
from enactor.records import RecordSet
from enactor.sandbox.engine import ApiError
from enactor.sandbox.server import Sandbox
from enactor.sandbox.zone_model import Errors, Zone, apply
from enactor.settings import Settings
from enactor.table import PlanTable, table_client
from enactor.wire import listed_name, record_to_wire
from planner.cli import main
from planner.commands_dry_run import draft_of, rehearse
from planner.fleet_writing import fleet_text
from planner.import_file import fleet_file
from planner.import_words import head, tail
from planner.importing import Wanted, find
from planner.publisher import Signature, publish
from planner.publishing import Store, Wish
from planner.reports import DryRunReport
from planner.sources import read_fleet
from tests.simulator.thin_ports import ThinTable, ThinZones

from .bounds import bounded
from .model_line import ModelLine
from .test_import_round_trip import NAME, ZONE, fleets, meaning, sayable, zones

pytestmark = pytest.mark.xdist_group("properties_on_the_sandbox")

FLEET: Final = "edge"
SWITCHED_ON: Final = RecordSet(
    name=f"_switch-{FLEET}._fence.{NAME}",
    type="TXT",
    ttl=60,
    values=(f'"v=1 fleet={FLEET} mode=run gen=0 plan=none nonce=0123456789abcdef"',),
)
_numbers = itertools.count(1)


@st.composite
def said_by_a_fleet(draw: st.DrawFn) -> list[RecordSet]:
    """A zone's listing of names that share pools, whole and in parts."""
    plan = sayable(draw(fleets()))
    return [record for content in (meaning(plan).values() if plan else ()) for record in content]


listings = st.one_of(zones(), said_by_a_fleet())


def by_name(listing: Sequence[RecordSet], zone: str) -> list[list[dict[str, Any]]]:
    """Return the changes that make each name of a listing in a zone of this id; a zone has its own NS and SOA."""
    found: dict[str, list[dict[str, Any]]] = {}
    for record in [SWITCHED_ON, *listing]:
        if record.name == NAME and record.type in {"NS", "SOA"}:
            continue
        alias = record.alias
        if alias is not None and alias.zone == ZONE:
            alias = msgspec.structs.replace(alias, zone=zone)
        wire = record_to_wire(msgspec.structs.replace(record, alias=alias))
        found.setdefault(record.name, []).append({"Action": "CREATE", "ResourceRecordSet": wire})
    return list(found.values())


def managed(sets: Sequence[Any]) -> Counter[str]:
    """Return each name that is answered, with how many record sets it has."""
    return Counter(listed_name(one["Name"]) for one in sets if one["Type"] in {"A", "AAAA", "CNAME"})


def unchanged(shown: Any) -> None:
    """Nothing that clients are answered becomes another one, and no guard has a word to say of it."""
    assert (shown["refused"], shown["carried"], shown["other_zones"]) == ([], [], 0)
    for one in shown["endpoints"]:
        assert not any(one["change"].values()), one
        assert one["guards"] == []


def only_fences(shown: Any, sets: Sequence[Any]) -> None:
    """What is written once it is published is a fence for each name, beside sets that are asserted as they stand."""
    assert shown["published"]
    assert {(one["state"], one["action"]) for one in shown["endpoints"]} == {("fence-missing", "swap")}
    costs = {one["name"]: one["changes"] for one in shown["endpoints"]}
    assert costs == {name: 1 + 2 * count for name, count in managed(sets).items() if name in costs}


def printed(report: DryRunReport) -> Any:
    """Return what `dry-run --json` prints."""
    return json.loads(msgspec.json.encode(report))


@given(listing=listings)
@bounded(80)
def test_a_dry_run_directly_after_an_import_shows_no_change(tmp_path_factory: Any, listing: list[RecordSet]) -> None:
    """Before anything is published, and after; every name is in the file or was reported."""
    zone = Zone.empty(ZONE, NAME)
    for changes in by_name(listing, ZONE):
        made = apply(zone, changes)
        zone = zone if isinstance(made, Errors) else made
    line = ModelLine(zone)
    ports, table = ThinZones(line, {ZONE: NAME}), ThinTable(line, FLEET)
    wanted = Wanted(fleet=FLEET)
    finding = find(ZONE, NAME, ports.listing(ZONE), wanted)
    path = tmp_path_factory.getbasetemp() / "imported.yaml"
    path.write_text(fleet_text(fleet_file(FLEET, [finding]), head=head([finding], wanted, None), tail=tail([finding])))
    read, settings = read_fleet(str(path)), Settings(table="plans", fleet=FLEET, zones=(ZONE,), id="p1")
    shown = printed(rehearse(draft_of(read, table), table, ports, settings)[0])
    listed = {one["name"] for one in shown["endpoints"]}
    assert listed | {one.name for one in finding.left_out} == managed(zone.sets()).keys()
    if not listed:
        assert [one["guard"] for one in shown["refused"]] == ["empty-plan"]
        return
    unchanged(shown)
    assert read.settled is not None
    signature = Signature("p1", "", instant_text(datetime(2026, 10, 1, tzinfo=UTC)))
    stored = publish(table, read.settled, Wish(), settings.limits, signature=signature, clock=line, chance=line)
    assert isinstance(stored.decision, Store)
    again = printed(rehearse(draft_of(read, table), table, ports, settings)[0])
    unchanged(again)
    only_fences(again, zone.sets())


class World:
    """A sandbox, and the planner's command line; each example has a zone and a table of its own."""

    def __init__(self, sandbox: Sandbox, folder: Path, session: boto3.Session) -> None:
        self.sandbox = sandbox
        self.path = folder / "fleet.yaml"
        self.session = session
        self.zone = self.table = ""

    def begin(self, listing: Sequence[RecordSet]) -> None:
        """Make a hosted zone of what Route 53 takes of a listing, name by name, with a switch in run beside it."""
        number = next(_numbers)
        self.zone, self.table = self.sandbox.create_zone(NAME, f"Z0FLEET{number}"), f"plans-{number}"
        client = table_client(self.session)
        PlanTable(client, self.table, FLEET, clock=SystemClock(), chance=SystemChance()).create_table()
        for changes in by_name(listing, self.zone):
            with suppress(ApiError):  # an alias to nothing, a word that only another zone knows: Route 53 has none such
                self.sandbox.edit(self.zone, changes)

    def planner(self, *words: str) -> Result:
        """Run the planner in this process."""
        told = {"ENACTOR_TABLE": self.table, "ENACTOR_FLEET": FLEET, "ENACTOR_ZONES": self.zone}
        result = CliRunner().invoke(main, words, env=self.sandbox.environment() | told, catch_exceptions=False)
        assert "Traceback" not in result.output
        return result

    def dry_run(self) -> Any:
        result = self.planner("dry-run", str(self.path), "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with Sandbox() as sandbox, pytest.MonkeyPatch.context() as patch:
        for name, value in sandbox.environment().items():
            patch.setenv(name, value)
        session = boto3.session.Session()  # making one reads botocore's models: once is enough
        patch.setattr(boto3.session, "Session", lambda: session)
        yield World(sandbox, tmp_path_factory.mktemp("imported"), session)


@given(listing=listings)
@bounded(8)
def test_the_commands_say_so_too(world: World, listing: list[RecordSet]) -> None:
    """`import`, `check`, `dry-run`, `publish`, `dry-run`, over the wire; and none of them writes to the zone."""
    world.begin(listing)
    before = world.sandbox.zone(world.zone).sets()
    imported = world.planner("import")
    left_out = [line for line in imported.stderr.splitlines() if line.startswith("planner: left out ")]
    assert imported.exit_code == (3 if left_out else 0)
    world.path.write_text(imported.stdout, encoding="utf-8")
    assert world.planner("check", str(world.path)).exit_code == 0
    shown = world.dry_run()
    listed = {one["name"] for one in shown["endpoints"]}
    assert listed | {line.split()[3] for line in left_out} == managed(before).keys()
    if listed:
        unchanged(shown)
        published = world.planner("publish", str(world.path))
        assert published.exit_code == 0, published.output
        again = world.dry_run()
        unchanged(again)
        only_fences(again, before)
    assert world.sandbox.zone(world.zone).sets() == before

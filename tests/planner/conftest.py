"""One sandbox for the planner's tests, and a planner to run in it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from click.testing import CliRunner, Result

from enactor.cycle import Enactor, Tally
from enactor.library import Library
from enactor.outside import SystemChance, SystemClock, route53_zones
from enactor.sandbox.server import Sandbox
from enactor.settings import Settings
from enactor.table import PlanTable, table_client
from planner.cli import main


@pytest.fixture(scope="module")
def server() -> Iterator[Sandbox]:
    """One sandbox for a module's tests; each has a table and a zone of its own."""
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def world(server: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> "World":
    """A fresh table and a fresh zone."""
    return World(server, monkeypatch, tmp_path, f"t-{abs(hash(request.node.name))}")


class World:
    """A table, a zone, and the planner's command line over them."""

    def __init__(self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, directory: Path, table: str) -> None:
        self.sandbox = sandbox
        self.directory = directory
        self.zone = sandbox.create_zone("example.test")
        self.environment = sandbox.environment() | {"ENACTOR_TABLE": table, "ENACTOR_FLEET": "edge"}
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("COLUMNS", raising=False)  # xdist sets it, and the tables keep to it
        session = boto3.session.Session()  # making one reads botocore's models: once a test is enough
        monkeypatch.setattr(boto3.session, "Session", lambda: session)
        self.table = PlanTable(table_client(session), table, "edge", clock=SystemClock(), chance=SystemChance())
        self.table.create_table()
        sandbox.clear_faults()
        sandbox.reset_stats()

    def txt(self, name: str, text: str) -> dict[str, Any]:
        """Return a TXT record set as the console writes it."""
        return {"Name": name, "Type": "TXT", "TTL": 60, "ResourceRecords": [{"Value": f'"{text}"'}]}

    def edit(self, action: str, record: dict[str, Any]) -> None:
        """Change one record set as a person at the console does."""
        self.sandbox.edit(self.zone, [{"Action": action, "ResourceRecordSet": record}])

    def start(self) -> None:
        """Put a switch in run into the zone, at generation 0."""
        text = "v=1 fleet=edge mode=run gen=0 plan=none nonce=0123456789abcdef"
        self.edit("CREATE", self.txt("_switch-edge._fence.example.test.", text))

    def enact(self) -> str:
        """Let a real enactor work one cycle, and return its outcome."""
        settings = Settings(table=self.environment["ENACTOR_TABLE"], fleet="edge", zones=(self.zone,), id="e1")
        clock, chance = SystemClock(), SystemChance()
        tally = Tally(lambda _: None)
        enactor = Enactor(
            fleet="edge",
            enactor="e1",
            zone_ids=settings.zones,
            limits=settings.limits,
            zones=route53_zones(settings, boto3.session.Session(), clock, chance, tally),
            store=self.table,
            library=Library(self.table, None),
            clock=clock,
            chance=chance,
            tally=tally,
        )
        return enactor.cycle().outcome

    def run(self, *arguments: object) -> Result:
        """Run the planner."""
        result = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
        assert "Traceback" not in result.output
        return result

    def json(self, *arguments: object, status: int = 0) -> Any:
        """Run the planner, and return the one JSON object that it prints."""
        result = self.run(*arguments)
        assert result.exit_code == status, result.output
        return json.loads(result.stdout)

    def fleet(
        self, endpoints: dict[str, list[int]], *, capacity: int = 10, retired: str = "", name: str = "fleet.yaml"
    ) -> Path:
        """Write a fleet file: each endpoint has a pool with the load balancers of these numbers."""
        pools = {
            f"p{index}": [{"id": f"lb-{n}", "capacity": capacity, "addresses": [f"192.0.2.{n}"]} for n in numbers]
            for index, numbers in enumerate(endpoints.values())
        }
        listed = [
            {"name": f"{ep}.example.test", "zone": "main", "pools": {f"p{i}": 1}} for i, ep in enumerate(endpoints)
        ]
        gone = [{"name": f"{retired}.example.test", "zone": "main"}] if retired else []
        file = {
            "fleet": "edge",
            "zones": {"main": {"id": self.zone, "name": "example.test"}},
            "pools": pools,
            "endpoints": listed,
            "retired": gone,
        }
        return self.write(name, json.dumps(file))

    def write(self, name: str, text: str) -> Path:
        """Write a file and return its path."""
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return path

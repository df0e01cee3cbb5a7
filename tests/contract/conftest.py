"""The worlds the contract runs on: our sandbox, stock moto with its written failures, and on request real AWS.

`ENACTOR_CONTRACT_ZONE` names a scratch zone by id, in the account of the default session: then the Route 53 half runs
there too, on names below a fresh label, which it takes away again.
"""

import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from enactor.sandbox.server import Sandbox
from tests.contract.moto import MOTO_FAILURES, MOTO_RACES

SCRATCH_ZONE = os.environ.get("ENACTOR_CONTRACT_ZONE", "")
START_WAIT_SECONDS = 30.0
PAGES_MAX = 60
PLAIN = Config(
    retries={"total_max_attempts": 1},
    connect_timeout=5,
    read_timeout=20,
    max_pool_connections=16,
    region_name="us-east-1",
)


@dataclass
class World:
    """One implementation of AWS."""

    name: str
    endpoint_url: str | None

    def client(self, service: str) -> Any:
        if self.endpoint_url is None:
            return boto3.client(service, config=PLAIN)  # type: ignore[call-overload]
        return boto3.client(  # type: ignore[call-overload]
            service,
            endpoint_url=self.endpoint_url,
            aws_access_key_id="contract",
            aws_secret_access_key="contract",
            config=PLAIN,
        )


@dataclass
class ContractZone:
    """One zone under test, with builders of record sets; `base` is the name below which a test works."""

    world: World
    route53: Any
    zone_id: str
    zone_name: str
    base: str
    inside: dict[str, Any] = field(default_factory=dict)

    def name(self, label: str) -> str:
        return f"{label}.{self.base}"

    def simple(self, label: str, *values: str, type: str = "A", ttl: int = 60) -> dict[str, Any]:  # noqa: A002
        return self._set(label, type, TTL=ttl, ResourceRecords=[{"Value": value} for value in values])

    def weighted(
        self,
        label: str,
        identifier: str,
        *values: str,
        weight: int = 10,
        ttl: int = 60,
        type: str = "A",  # noqa: A002
    ) -> dict[str, Any]:
        return self.simple(label, *values, ttl=ttl, type=type) | {"SetIdentifier": identifier, "Weight": weight}

    def multivalue(self, label: str, identifier: str, *values: str, ttl: int = 60) -> dict[str, Any]:
        return self.simple(label, *values, ttl=ttl) | {"SetIdentifier": identifier, "MultiValueAnswer": True}

    def alias(self, label: str, target: str, type: str = "A", **more: Any) -> dict[str, Any]:  # noqa: A002
        alias = {"HostedZoneId": self.zone_id, "DNSName": target, "EvaluateTargetHealth": False}
        return self._set(label, type, AliasTarget=alias, **more)

    def text(self, label: str, *values: str) -> dict[str, Any]:
        return self.simple(label, *values, type="TXT")

    def _set(self, label: str, record_type: str, **more: Any) -> dict[str, Any]:
        return {"Name": self.name(label), "Type": record_type, **more}

    def change(self, *changes: tuple[str, dict[str, Any]], comment: str = "contract") -> dict[str, Any]:
        batch = {
            "Comment": comment,
            "Changes": [{"Action": action, "ResourceRecordSet": record_set} for action, record_set in changes],
        }
        answer: dict[str, Any] = self.route53.change_resource_record_sets(HostedZoneId=self.zone_id, ChangeBatch=batch)
        return answer

    def create(self, *sets: dict[str, Any]) -> None:
        self.change(*(("CREATE", record_set) for record_set in sets))

    def refused(self, *changes: tuple[str, dict[str, Any]], code: str = "InvalidChangeBatch") -> str:
        """Send a batch that must be refused whole; return the message."""
        before = self.sets()
        with pytest.raises(ClientError) as caught:
            self.change(*changes)
        error = caught.value.response["Error"]
        assert self.sets() == before, "a refused batch changes nothing"
        assert error["Code"] == code
        return str(error["Message"])

    def page(self, **params: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self.route53.list_resource_record_sets(HostedZoneId=self.zone_id, **params)
        return answer

    def sets(self, label: str | None = None, max_items: int = 300) -> list[dict[str, Any]]:
        """Read the whole zone page by page, as far as it lies below the base, or only one name."""
        found: list[dict[str, Any]] = []
        params: dict[str, Any] = {"MaxItems": str(max_items)}
        for _ in range(PAGES_MAX):
            answer = self.page(**params)
            found += answer["ResourceRecordSets"]
            if not answer["IsTruncated"]:
                break
            params |= {"StartRecordName": answer["NextRecordName"], "StartRecordType": answer["NextRecordType"]}
            params.pop("StartRecordIdentifier", None)
            if answer.get("NextRecordIdentifier"):
                params["StartRecordIdentifier"] = answer["NextRecordIdentifier"]
        else:
            pytest.fail(f"the listing did not end within {PAGES_MAX} pages")
        wanted = self.base if label is None else self.name(label)
        return [s for s in found if s["Name"] == f"{wanted}." or (label is None and s["Name"].endswith(f".{wanted}."))]


def _worlds() -> list[str]:
    return ["strict", "moto", *(["aws"] if SCRATCH_ZONE else [])]


@pytest.fixture(scope="session")
def strict_world() -> Iterator[World]:
    with Sandbox() as sandbox:
        yield World("strict", sandbox.endpoint_url)


@pytest.fixture(scope="session")
def moto_world() -> Iterator[World]:
    """Stock moto in a process of its own: its state is one per process, and ours must not touch it."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    world = World("moto", f"http://127.0.0.1:{port}")
    try:
        _wait_until_up(world)
        yield world
    finally:
        process.terminate()
        process.wait()


def _wait_until_up(world: World) -> None:
    sts = world.client("sts")
    deadline = time.monotonic() + START_WAIT_SECONDS
    while True:
        try:
            sts.get_caller_identity()
        except BotoCoreError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def _expect_failure(request: pytest.FixtureRequest, world: World) -> None:
    if world.name != "moto":
        return
    name = request.node.originalname
    with_parameter = f"{name}[{request.node.callspec.id.removeprefix('moto-')}]"
    for table, strict in ((MOTO_FAILURES, True), (MOTO_RACES, False)):
        reason = table.get(name) or table.get(with_parameter)
        if reason is not None:
            request.node.add_marker(pytest.mark.xfail(reason=reason, strict=strict))


@pytest.fixture
def expected_failures() -> list[str]:
    """Every test that the tables name."""
    return [*MOTO_FAILURES, *MOTO_RACES]


@pytest.fixture(scope="session")
def clients() -> dict[tuple[str, str], Any]:
    """Clients are dear to make and safe to share."""
    return {}


def _client(clients: dict[tuple[str, str], Any], world: World, service: str) -> Any:
    if (world.name, service) not in clients:
        clients[world.name, service] = world.client(service)
    return clients[world.name, service]


@pytest.fixture(params=_worlds())
def zone(request: pytest.FixtureRequest, clients: dict[tuple[str, str], Any]) -> Iterator[ContractZone]:
    """A zone to work in: a fresh one, or a fresh label of the scratch zone."""
    if request.param == "aws":
        yield from _scratch(World("aws", None), clients)
    else:
        world: World = request.getfixturevalue(f"{request.param}_world")
        _expect_failure(request, world)
        yield _fresh(world, clients)


def _fresh(world: World, clients: dict[tuple[str, str], Any]) -> ContractZone:
    route53 = _client(clients, world, "route53")
    made = route53.create_hosted_zone(Name="example.test", CallerReference=uuid.uuid4().hex)
    zone_id = made["HostedZone"]["Id"].removeprefix("/hostedzone/")
    return ContractZone(world, route53, zone_id, "example.test", "t.example.test")


class HandClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Account:
    """An account of the strict engine with a clock and settings of its own, and one zone in it."""

    sandbox: Sandbox
    clock: HandClock
    zone: ContractZone


@pytest.fixture
def account() -> Iterator[Account]:
    """What no test may do to a shared account or to real AWS: use up its buckets, fill a zone, make it busy."""
    clock = HandClock()
    with Sandbox(clock=clock) as sandbox:
        yield Account(sandbox, clock, _fresh(World("strict", sandbox.endpoint_url), {}))


def _scratch(world: World, clients: dict[tuple[str, str], Any]) -> Iterator[ContractZone]:
    route53 = _client(clients, world, "route53")
    name = route53.get_hosted_zone(Id=SCRATCH_ZONE)["HostedZone"]["Name"].rstrip(".")
    zone = ContractZone(world, route53, SCRATCH_ZONE, name, f"contract-{uuid.uuid4().hex[:12]}.{name}")
    try:
        yield zone
    finally:
        for sets in _portions(zone.sets()):
            zone.change(*(("DELETE", record_set) for record_set in sets))


def _portions(sets: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Part sets into as few batches as Route 53 surely takes: a thousand calls would be throttled for minutes."""
    portion: list[dict[str, Any]] = []
    elements = characters = 0
    for record_set in sets:
        values = record_set.get("ResourceRecords", [{"Value": ""}])
        size = sum(len(value["Value"]) for value in values)
        if portion and (elements + len(values) > 1_000 or characters + size > 32_000):
            yield portion
            portion, elements, characters = [], 0, 0
        portion.append(record_set)
        elements, characters = elements + len(values), characters + size
    if portion:
        yield portion


@pytest.fixture(params=["strict", "moto"])
def table(request: pytest.FixtureRequest, clients: dict[tuple[str, str], Any]) -> tuple[Any, str]:
    """A DynamoDB client and the name of a fresh table with `pk` and `sk`."""
    world: World = request.getfixturevalue(f"{request.param}_world")
    _expect_failure(request, world)
    dynamodb = _client(clients, world, "dynamodb")
    name = f"t-{uuid.uuid4().hex}"
    keys = (("pk", "HASH"), ("sk", "RANGE"))
    dynamodb.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in keys],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key, _ in keys],
        BillingMode="PAY_PER_REQUEST",
    )
    return dynamodb, name

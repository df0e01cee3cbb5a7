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

# What stock moto 5.2.5 gets wrong, by test, or by test and parameter. Strict: a test that begins to pass fails, so that
# we notice the day moto is right.
MOTO_FAILURES: dict[str, str] = {
    "test_a_batch_is_whole_or_not_at_all": "the change before the wrong one stays",
    "test_the_order_of_a_batch_decides": "a CNAME is accepted beside an A",
    "test_create_of_an_existing_set_fails": "the message is no bracketed list",
    "test_create_of_an_existing_set_with_another_value_fails": "stored twice",
    "test_create_of_an_existing_identifier_fails": "stored twice",
    "test_delete_of_an_absent_set_fails": "code InvalidInput",
    "test_delete_must_give_a_simple_set_exactly": "code InvalidInput",
    "test_delete_must_give_the_weight": "accepted: the weight is not compared",
    "test_delete_must_give_the_alias_target": "accepted: the target is not compared",
    "test_delete_takes_values_in_any_order": "refused: values are compared as a list",
    "test_delete_of_a_value_that_was_there_once_fails": "accepted: it looks in a journal of past changes",
    "test_a_stale_compare_and_swap_fails_whole": "accepted: no test of a fence can fail on stock moto",
    "test_of_many_swaps_from_one_base_one_wins": "every swap is accepted",
    "test_delete_then_create_of_the_same_set_is_an_assertion": "refused the second time, by its journal",
    "test_create_before_delete_of_one_set_fails": "accepted, or refused in other words",
    "test_a_batch_may_not_name_one_set_twice": "accepted: stored twice",
    "test_delete_with_an_identifier_takes_that_set_alone": "takes that identifier under every name",
    "test_delete_without_an_identifier_leaves_weighted_sets_alone": "takes them all",
    "test_an_alias_needs_its_target": "accepted",
    "test_an_alias_before_its_target_in_one_batch_fails": "accepted",
    "test_an_alias_needs_a_target_of_its_own_type": "accepted",
    "test_an_alias_into_its_zone_must_lie_in_it": "accepted",
    "test_an_alias_has_no_ttl": "accepted",
    "test_a_simple_set_cannot_join_weighted_ones": "accepted",
    "test_a_weighted_set_cannot_join_a_simple_one": "accepted",
    "test_a_weighted_set_cannot_join_multivalue_ones": "accepted",
    "test_weighted_sets_share_one_ttl": "accepted",
    "test_all_deletes_of_a_name_go_before_its_creates": "accepted in either order",
    "test_a_cname_stands_alone": "accepted",
    "test_nothing_stands_beside_a_cname": "accepted",
    "test_no_cname_at_the_apex": "accepted",
    "test_the_apex_keeps_its_servers": "code InvalidInput",
    "test_a_malformed_value_fails": "accepted",
    "test_duplicate_values_fail": "accepted",
    "test_a_weight_over_255_fails": "accepted",
    "test_a_name_outside_the_zone_fails": "accepted: it compares the ends of the names, not labels",
    "test_an_empty_label_fails": "accepted",
    "test_every_independent_error_is_told": "code InvalidInput, and only the first is told",
    "test_a_comment_has_at_most_256_characters": "accepted",
    "test_a_change_starts_pending": "always INSYNC",
    "test_an_alias_counts_one_element": "aliases are not counted",
    "test_a_batch_has_at_most_32000_characters": "accepted",
    "test_upsert_counts_twice_in_characters": "accepted",
    "test_a_weighted_set_has_one_value": "accepted",
    "test_a_group_has_at_most_100_sets": "accepted",
    "test_order_is_by_reversed_labels_with_the_dot": "the trailing dot is left out of the order",
    "test_order_is_then_by_type_and_identifier": "identifiers do not order",
    "test_pages_are_complete_without_repeats": "identifiers are ignored: sets repeat, or paging never ends",
    "test_a_page_has_at_most_300_sets": "MaxItems above 300 is honoured",
    "test_a_listing_starts_within_a_group": "identifiers are ignored",
    "test_names_come_back_lower_case_with_a_dot": "as sent",
    "test_names_come_back_escaped[wildcard]": "as sent",
    "test_names_come_back_escaped[at-sign]": "as sent",
    "test_one_spelling_is_one_name": "spellings are different names",
    "test_alias_targets_come_back_canonical": "as sent",
    "test_an_item_may_not_grow_inside_over_400_kb[nested]": "accepted",
    "test_an_item_may_not_grow_inside_over_400_kb[set]": "accepted",
    "test_an_update_in_a_transaction_may_not_grow_an_item_over_400_kb": "a ValidationException, not a cancellation",
    "test_a_transaction_has_at_most_4_mb": "accepted",
    "test_a_client_request_token_makes_a_retry_harmless": "the token is ignored",
    "test_a_client_request_token_belongs_to_its_parameters": "the token is ignored",
}
# Where moto has no locks, a test may pass or fail: these say nothing about the day it is right.
MOTO_RACES: dict[str, str] = {"test_threads_lose_no_update": "no locks: updates are lost, now and then"}


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


def _scratch(world: World, clients: dict[tuple[str, str], Any]) -> Iterator[ContractZone]:
    route53 = _client(clients, world, "route53")
    name = route53.get_hosted_zone(Id=SCRATCH_ZONE)["HostedZone"]["Name"].rstrip(".")
    zone = ContractZone(world, route53, SCRATCH_ZONE, name, f"contract-{uuid.uuid4().hex[:12]}.{name}")
    try:
        yield zone
    finally:
        for record_set in zone.sets():
            zone.change(("DELETE", record_set))


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

"""The server around the model: buckets, PENDING, dates, counts, threads, several at once, a clean end."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from enactor.sandbox.engine import ApiError, Settings
from enactor.sandbox.server import Sandbox

ZONE_ID = "Z0TEST"
CHANGE = "ChangeResourceRecordSets"

Client = Callable[..., Any]


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def change(route53: Any, action: str, *labels: str, value: str = "192.0.2.1") -> Any:
    sets = [
        {"Name": f"{label}.example.test", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": value}]}
        for label in labels
    ]
    batch = {"Changes": [{"Action": action, "ResourceRecordSet": one} for one in sets]}
    return route53.change_resource_record_sets(HostedZoneId=ZONE_ID, ChangeBatch=batch)


def client_of(sandbox: Sandbox, service: str = "route53") -> Any:
    return boto3.client(  # type: ignore[call-overload]
        service,
        endpoint_url=sandbox.endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def throttled(call: Callable[[], Any]) -> bool:
    try:
        call()
    except ClientError as error:
        assert error.response["Error"]["Code"] == "Throttling"  # noqa: PT017 - any other code is a failure of the test
        return True
    return False


def test_requests_and_changes_have_buckets_of_their_own(client: Client) -> None:
    """A refused call takes none; an UPSERT costs two; buckets refill evenly."""
    clock = Clock()
    settings = Settings(changes_capacity=4, changes_refill_per_second=1)
    with Sandbox(settings=settings, clock=clock) as sandbox:
        sandbox.create_zone("example.test", ZONE_ID)
        engine = sandbox.engine
        params = _batch("UPSERT", "a", "b", "c")
        with pytest.raises(ApiError, match="Rate exceeded"):
            engine.call(CHANGE, params)
        engine.call(CHANGE, _batch("UPSERT", "a", "b"))
        with pytest.raises(ApiError, match="Rate exceeded"):
            engine.call(CHANGE, _batch("CREATE", "c"))
        clock.seconds += 1
        engine.call(CHANGE, _batch("CREATE", "c"))
        sandbox.configure(changes_capacity=None, requests_capacity=1, requests_refill_per_second=0.5)
        engine.call("GetHostedZone", {"Id": ZONE_ID})
        with pytest.raises(ApiError, match="Rate exceeded"):
            engine.call("GetHostedZone", {"Id": ZONE_ID})
        clock.seconds += 2
        engine.call("GetHostedZone", {"Id": ZONE_ID})


def _batch(action: str, *labels: str) -> dict[str, Any]:
    sets = [
        {"Name": f"{label}.example.test", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}
        for label in labels
    ]
    return {
        "HostedZoneId": ZONE_ID,
        "ChangeBatch": {"Changes": [{"Action": action, "ResourceRecordSet": one} for one in sets]},
    }


def test_a_change_is_insync_after_the_delay() -> None:
    """PENDING until then."""
    clock = Clock()
    with Sandbox(settings=Settings(insync_seconds=30), clock=clock) as sandbox:
        sandbox.create_zone("example.test", ZONE_ID)
        route53 = client_of(sandbox)
        info = change(route53, "CREATE", "a")["ChangeInfo"]
        assert info["Status"] == "PENDING"
        clock.seconds += 29
        assert route53.get_change(Id=info["Id"])["ChangeInfo"]["Status"] == "PENDING"
        clock.seconds += 1
        assert route53.get_change(Id=info["Id"])["ChangeInfo"]["Status"] == "INSYNC"


def test_the_date_header_can_be_moved(sandbox: Sandbox, client: Client) -> None:
    """Expiries are judged on it: every answer carries it once, of whichever service."""
    fixed = 1_800_000_000.0
    with Sandbox(now=lambda: fixed) as other:
        other.configure(date_offset_seconds=3_600)
        for service, call in (("route53", "list_hosted_zones"), ("dynamodb", "list_tables"), ("s3", "list_buckets")):
            headers = getattr(client_of(other, service), call)()["ResponseMetadata"]["HTTPHeaders"]
            assert parsedate_to_datetime(headers["date"]).timestamp() == fixed + 3_600


def test_calls_are_counted_by_outcome(sandbox: Sandbox, client: Client) -> None:
    """And batches are kept in order with theirs."""
    route53 = client()
    change(route53, "CREATE", "a")
    with pytest.raises(ClientError):
        change(route53, "CREATE", "a")
    route53.list_resource_record_sets(HostedZoneId=ZONE_ID)
    assert sandbox.calls(CHANGE) == 2
    assert sandbox.calls(CHANGE, "ok") == sandbox.calls(CHANGE, "InvalidChangeBatch") == 1
    assert sandbox.calls("ListResourceRecordSets") == sandbox.calls(service="route53") - 2 == 1
    assert [batch.outcome for batch in sandbox.batches(ZONE_ID)] == ["applied", "InvalidChangeBatch"]
    assert sandbox.stats()["calls"]["route53"][CHANGE] == {"InvalidChangeBatch": 1, "ok": 1}


def test_a_persons_edit_counts_as_no_call(sandbox: Sandbox) -> None:
    """And is refused like any other when it is wrong."""
    sandbox.edit(ZONE_ID, _batch("CREATE", "a")["ChangeBatch"]["Changes"])
    with pytest.raises(ApiError, match="already exists"):
        sandbox.edit(ZONE_ID, _batch("CREATE", "a")["ChangeBatch"]["Changes"])
    assert sandbox.calls() == 0
    assert len(sandbox.zone(ZONE_ID)) == 3


def test_eight_threads_meet_no_500_and_lose_nothing(sandbox: Sandbox, client: Client) -> None:
    """Each of them creates, lists and counts in Route 53 and DynamoDB at once."""
    route53, dynamodb = client(), client("dynamodb")
    dynamodb.create_table(
        TableName="t",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )

    def work(worker: int) -> None:
        for step in range(10):
            change(route53, "CREATE", f"w{worker}-{step}")
            route53.list_resource_record_sets(HostedZoneId=ZONE_ID)
            count = {
                "TableName": "t",
                "Key": {"pk": {"S": "n"}},
                "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            }
            dynamodb.transact_write_items(TransactItems=[{"Update": count}])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(sandbox.zone(ZONE_ID)) == 82
    assert dynamodb.get_item(TableName="t", Key={"pk": {"S": "n"}})["Item"]["n"] == {"N": "80"}
    outcomes = {
        one for by_operation in sandbox.stats()["calls"].values() for ones in by_operation.values() for one in ones
    }
    assert outcomes == {"ok"}


def test_several_sandboxes_know_nothing_of_each_other(sandbox: Sandbox, client: Client) -> None:
    """Tables, buckets and zones are each one's own, and gone when it ends."""
    for _ in range(2):
        with Sandbox() as other:
            aws = client_of(other, "s3")
            aws.create_bucket(Bucket="mirror")
            assert client("s3").list_buckets()["Buckets"] == []
            assert client_of(other).list_hosted_zones()["HostedZones"] == []


def test_nothing_is_left_when_it_stops() -> None:
    """No thread, and the ports are free again."""
    before = threading.active_count()
    with Sandbox() as first:
        client_of(first).list_hosted_zones()
        port, dns_port = int(first.endpoint_url.rpartition(":")[2]), first.dns_address[1]
    assert threading.active_count() == before
    with Sandbox(port=port, dns_port=dns_port) as second:
        assert second.endpoint_url == first_url(port)


def first_url(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def test_a_port_that_is_taken_is_told() -> None:
    """And a sandbox that could not start leaves nothing either."""
    before = threading.active_count()
    with Sandbox() as first:
        inside = threading.active_count()
        port = int(first.endpoint_url.rpartition(":")[2])
        with pytest.raises(OSError, match="in use"):
            Sandbox(port=port).start()
        with pytest.raises(OSError, match="in use"):
            Sandbox(dns_port=first.dns_address[1]).start()
        assert threading.active_count() == inside
    assert threading.active_count() == before


def test_hosted_zones_are_found_and_deleted_when_empty(sandbox: Sandbox, client: Client) -> None:
    """By id, in the list, by name, and counted."""
    route53 = client()
    made = route53.create_hosted_zone(Name="B.test", CallerReference="1", HostedZoneConfig={"Comment": "x"})
    zone_id = made["HostedZone"]["Id"]
    assert made["HostedZone"]["Config"] == {"Comment": "x", "PrivateZone": False}
    with pytest.raises(ClientError, match="HostedZoneAlreadyExists"):
        route53.create_hosted_zone(Name="b.test", CallerReference="1")
    assert [zone["Name"] for zone in route53.list_hosted_zones()["HostedZones"]] == ["b.test.", "example.test."]
    assert route53.list_hosted_zones_by_name(DNSName="b.test")["HostedZones"][0]["Id"] == zone_id
    assert route53.get_hosted_zone_count()["HostedZoneCount"] == 2
    change(route53, "CREATE", "a")
    with pytest.raises(ClientError, match="HostedZoneNotEmpty"):
        route53.delete_hosted_zone(Id=ZONE_ID)
    route53.delete_hosted_zone(Id=zone_id)
    assert [zone["Id"] for zone in route53.list_hosted_zones()["HostedZones"]] == [f"/hostedzone/{ZONE_ID}"]


def test_the_environment_points_boto3_here(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """With these variables and nothing else, a default session reaches this AWS."""
    for name, value in sandbox.environment().items():
        monkeypatch.setenv(name, value)
    session = boto3.Session()
    assert [zone["Name"] for zone in session.client("route53").list_hosted_zones()["HostedZones"]] == ["example.test."]

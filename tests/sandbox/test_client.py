"""The in-process client: boto3's answers and exceptions without HTTP."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, ReadTimeoutError

from enactor.sandbox.client import ModelClient
from enactor.sandbox.engine import Engine
from enactor.sandbox.faults import FaultRule

ZONE_ID = "Z0TEST"


@pytest.fixture
def route53() -> ModelClient:
    engine = Engine(clock=lambda: 0.0, now=lambda: 1_800_000_000.0)
    engine.create_zone("example.test", ZONE_ID)
    return ModelClient(engine)


def create(route53: ModelClient, label: str) -> dict[str, Any]:
    one = {"Name": f"{label}.example.test", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}
    batch = {"Changes": [{"Action": "CREATE", "ResourceRecordSet": one}]}
    return route53.change_resource_record_sets(HostedZoneId=f"/hostedzone/{ZONE_ID}", ChangeBatch=batch)


def test_it_answers_as_boto3_does(route53: ModelClient) -> None:
    """The same keys, with a Date header to judge expiries on."""
    answer = create(route53, "a")
    assert answer["ChangeInfo"]["Status"] == "PENDING"
    assert answer["ResponseMetadata"]["HTTPHeaders"]["date"] == "Fri, 15 Jan 2027 08:00:00 GMT"
    listed = route53.list_resource_record_sets(HostedZoneId=ZONE_ID, MaxItems="2")
    assert (listed["IsTruncated"], listed["NextRecordName"], listed["MaxItems"]) == (True, "a.example.test.", "2")
    assert route53.get_hosted_zone(Id=ZONE_ID)["HostedZone"]["Name"] == "example.test."
    assert route53.get_change(Id=answer["ChangeInfo"]["Id"])["ChangeInfo"]["Status"] == "INSYNC"


def test_it_raises_what_boto3_raises(route53: ModelClient) -> None:
    """The modelled classes by name, and ClientError for all."""
    create(route53, "a")
    with pytest.raises(route53.exceptions.InvalidChangeBatch, match="but it already exists"):
        create(route53, "a")
    with pytest.raises(ClientError) as caught:
        route53.list_resource_record_sets(HostedZoneId="Z0NONE")
    assert isinstance(caught.value, route53.exceptions.NoSuchHostedZone)


@pytest.mark.parametrize(
    ("action", "raised", "lands"),
    [
        ("throttle", ClientError, False),
        ("error-after", ClientError, True),
        ("timeout-before", ReadTimeoutError, False),
        ("timeout-after", ReadTimeoutError, True),
        ("disconnect", ConnectionClosedError, False),
    ],
)
def test_it_meets_the_same_faults(route53: ModelClient, action: Any, raised: type[Exception], lands: bool) -> None:
    """And logs them."""
    route53.faults.add(FaultRule(action=action))
    with pytest.raises(raised):
        create(route53, "a")
    assert bool(route53.engine.zone(ZONE_ID).sets("a.example.test")) is lands
    assert [batch.applied for batch in route53.engine.ledger.batches()] == [lands]

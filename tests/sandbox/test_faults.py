"""Each fault, as a client of the real SDK meets it, and what it leaves in the zone."""

import threading
import time
from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ConnectionClosedError, ReadTimeoutError

from enactor.sandbox.control import ControlError, SandboxControl
from enactor.sandbox.faults import FaultRule
from enactor.sandbox.server import Sandbox

ZONE_ID = "Z0TEST"
CHANGE = "ChangeResourceRecordSets"

Client = Callable[..., Any]


def create(route53: Any, label: str) -> Any:
    record_set = {
        "Name": f"{label}.example.test",
        "Type": "A",
        "TTL": 60,
        "ResourceRecords": [{"Value": "192.0.2.1"}],
    }
    batch = {"Comment": f"by {label}", "Changes": [{"Action": "CREATE", "ResourceRecordSet": record_set}]}
    return route53.change_resource_record_sets(HostedZoneId=ZONE_ID, ChangeBatch=batch)


def landed(sandbox: Sandbox, label: str) -> bool:
    return bool(sandbox.zone(ZONE_ID).sets(f"{label}.example.test"))


@pytest.mark.parametrize(
    ("action", "code", "status", "lands"),
    [
        ("throttle", "Throttling", 400, False),
        ("busy", "PriorRequestNotComplete", 400, False),
        ("error-before", "InternalFailure", 500, False),
        ("error-after", "InternalFailure", 500, True),
        ("deny", "AccessDenied", 403, False),
        ("reject", "InvalidChangeBatch", 400, False),
    ],
)
def test_an_error_is_told_once_and_leaves_what_it_says(
    sandbox: Sandbox, client: Client, *, action: Any, code: str, status: int, lands: bool
) -> None:
    """The first call fails in AWS's words, the second is served."""
    sandbox.add_fault(FaultRule(action=action, operation=CHANGE))
    with pytest.raises(ClientError) as caught:
        create(client(), "a")
    assert caught.value.response["Error"]["Code"] == code
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert landed(sandbox, "a") is lands
    create(client(), "b")
    assert landed(sandbox, "b")


def test_a_denial_names_the_action(sandbox: Sandbox, client: Client) -> None:
    """As IAM words it, with the zone as the resource."""
    sandbox.add_fault(FaultRule(action="deny", operation=CHANGE))
    with pytest.raises(ClientError, match=r"is not authorized to perform: route53:ChangeResourceRecordSets .*/Z0TEST"):
        create(client(), "a")


@pytest.mark.parametrize(("action", "lands"), [("timeout-before", False), ("timeout-after", True)])
def test_a_time_out_says_nothing_of_what_happened(sandbox: Sandbox, client: Client, action: Any, lands: bool) -> None:
    """To the client both look the same: that is why Unknown is an outcome."""
    sandbox.add_fault(FaultRule(action=action))
    with pytest.raises(ReadTimeoutError):
        create(client(read_timeout_seconds=0.3), "a")
    assert landed(sandbox, "a") is lands
    assert sandbox.calls(CHANGE, action) == 1


def test_a_connection_may_close_without_an_answer(sandbox: Sandbox, client: Client) -> None:
    """As when a table is unreachable; until removed."""
    handle = sandbox.add_fault(FaultRule(action="disconnect", service="dynamodb", count=None))
    for _ in range(2):
        with pytest.raises(ConnectionClosedError):
            client("dynamodb").list_tables()
    sandbox.remove_fault(handle)
    assert client("dynamodb").list_tables()["TableNames"] == []


@pytest.mark.parametrize(
    ("service", "call", "code"),
    [
        ("dynamodb", lambda aws: aws.list_tables(), "AccessDeniedException"),
        ("s3", lambda aws: aws.list_buckets(), "AccessDenied"),
        ("sts", lambda aws: aws.get_caller_identity(), "AccessDenied"),
    ],
)
def test_every_service_fails_in_its_own_form(
    sandbox: Sandbox, client: Client, service: Any, call: Callable[[Any], Any], code: str
) -> None:
    """boto3 reads the code from each protocol's error shape."""
    sandbox.add_fault(FaultRule(action="deny", service=service))
    with pytest.raises(ClientError) as caught:
        call(client(service))
    assert caught.value.response["Error"]["Code"] == code
    call(client(service))


def test_a_held_request_is_evaluated_when_released(sandbox: Sandbox, client: Client) -> None:
    """Against the zone as it then is, with the client long gone: the delayed writer."""
    handle = sandbox.add_fault(FaultRule(action="hold", operation=CHANGE, names=("A.example.test",)))
    with pytest.raises(ReadTimeoutError):
        create(client(read_timeout_seconds=0.3), "a")
    (held,) = sandbox.wait_held()
    assert held.call.names == {"a.example.test."}
    assert not landed(sandbox, "a")
    create(client(), "b")  # others are served meanwhile: no lock is held
    assert sandbox.release(handle) == 1
    assert landed(sandbox, "a")
    assert [batch.comment for batch in sandbox.batches() if batch.applied] == ["by b", "by a"]


def test_a_held_request_can_lose(sandbox: Sandbox, client: Client) -> None:
    """What stands when it is released decides."""
    handle = sandbox.add_fault(FaultRule(action="hold", operation=CHANGE))
    late = threading.Thread(target=_lose, args=(client(),))
    late.start()
    sandbox.wait_held()
    create(client(), "a")
    sandbox.release(handle)
    late.join()
    assert [batch.outcome for batch in sandbox.batches()] == ["applied", "InvalidChangeBatch"]


def test_a_hold_may_end_by_itself(sandbox: Sandbox, client: Client) -> None:
    """After its seconds."""
    sandbox.add_fault(FaultRule(action="hold", seconds=0.2))
    start = time.monotonic()
    create(client(), "a")
    assert time.monotonic() - start >= 0.2
    assert sandbox.held() == ()


def test_a_sandbox_that_stops_drops_what_it_holds(client: Client) -> None:
    """Nothing is evaluated after the end, and no thread stays."""
    before = threading.active_count()
    with Sandbox() as sandbox:
        sandbox.create_zone("example.test", ZONE_ID)
        sandbox.add_fault(FaultRule(action="hold", service="sts"))
        waiting = threading.Thread(target=_ask, args=(sandbox.endpoint_url,))
        waiting.start()
        sandbox.wait_held()
    waiting.join(10)
    assert threading.active_count() == before


def _ask(endpoint_url: str) -> None:
    aws = boto3.client(
        "sts",
        endpoint_url=endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=Config(retries={"total_max_attempts": 1}),
    )
    with pytest.raises(BotoCoreError):
        aws.get_caller_identity()


def _lose(route53: Any) -> None:
    with pytest.raises(ClientError):
        create(route53, "a")


def test_a_rule_hits_only_what_it_is_aimed_at(sandbox: Sandbox, client: Client) -> None:
    """By operation, zone, name and text; after its skips; as often as its count."""
    sandbox.add_fault(FaultRule(action="busy", operation=CHANGE, zone="Z0OTHER"))
    sandbox.add_fault(FaultRule(action="busy", names=("other.example.test",)))
    sandbox.add_fault(FaultRule(action="busy", contains="by nobody"))
    sandbox.add_fault(FaultRule(action="throttle", operation=CHANGE, skip=1, count=2))
    outcomes = []
    for label in "abcd":
        try:
            create(client(), label)
            outcomes.append("ok")
        except ClientError as error:
            outcomes.append(error.response["Error"]["Code"])
    assert outcomes == ["ok", "Throttling", "Throttling", "ok"]


def test_a_second_page_may_fail(sandbox: Sandbox, client: Client) -> None:
    """A failed page fails the whole read: here is how a test makes one."""
    sandbox.configure(page_max_sets=1)
    sandbox.add_fault(FaultRule(action="throttle", operation="ListResourceRecordSets", skip=1))
    pages = client().get_paginator("list_resource_record_sets").paginate(HostedZoneId=ZONE_ID)
    with pytest.raises(ClientError, match="Rate exceeded"):
        list(pages)


def test_code_message_and_status_may_be_given(sandbox: Sandbox, client: Client) -> None:
    """For wrong credentials, and whatever else AWS says."""
    sandbox.add_fault(FaultRule(action="deny", code="InvalidClientTokenId", message="The token is invalid", status=403))
    with pytest.raises(ClientError, match="The token is invalid") as caught:
        create(client(), "a")
    assert caught.value.response["Error"]["Code"] == "InvalidClientTokenId"


def test_a_rule_that_cannot_be_is_refused() -> None:
    """An unknown action or service is our own mistake."""
    with pytest.raises(ValueError, match="action: 'explode' is none of"):
        FaultRule(action="explode")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="service: 'ec2' is none of"):
        FaultRule(action="deny", service="ec2")  # type: ignore[arg-type]


def test_another_process_has_the_same_controls(sandbox: Sandbox, client: Client) -> None:
    """Faults, holds, settings, zones and counts over HTTP."""
    control = SandboxControl(sandbox.endpoint_url)
    other = control.create_zone("other.test")
    handle = control.add_fault(FaultRule(action="hold", operation=CHANGE, names=("a.example.test",)))
    with pytest.raises(ReadTimeoutError):
        create(client(read_timeout_seconds=0.3), "a")
    (held,) = control.wait_held()
    assert (held["fault"], held["names"]) == (handle, ["a.example.test."])
    assert control.release(held["token"]) == 1
    (found,) = [one for one in control.sets(ZONE_ID) if one["Type"] == "A"]
    control.edit(ZONE_ID, [{"Action": "DELETE", "ResourceRecordSet": found}])
    assert control.calls(CHANGE, "ok") == 1
    assert [batch["outcome"] for batch in control.stats()["batches"]] == ["applied"]
    assert control.configure(page_max_sets=7)["page_max_sets"] == 7
    assert control.info()["zones"] == {ZONE_ID: "example.test.", other: "other.test."}
    control.remove_fault(handle)
    control.clear_faults()
    control.reset_stats()
    assert control.calls() == 0
    assert control.held() == []


def test_a_control_that_cannot_be_says_why(sandbox: Sandbox) -> None:
    """In one sentence, to the caller."""
    control = SandboxControl(sandbox.endpoint_url)
    with pytest.raises(ControlError, match="no such setting: page_size"):
        control.configure(page_size=3)
    with pytest.raises(ControlError, match="page_max_sets: 301 is not within 1 to 300"):
        control.configure(page_max_sets=301)
    with pytest.raises(ControlError, match="NoSuchHostedZone"):
        control.sets("Z0NONE")
    with pytest.raises(ControlError, match="no such command"):
        control._ask("explode", {})

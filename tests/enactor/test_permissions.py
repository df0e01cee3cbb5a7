"""What AWS says of an UPSERT, of guardrails and of protections, read from answers in AWS's own form."""

from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from enactor.budget import AccountLimits, Budget
from enactor.gate import GateLimits
from enactor.hooks import ignore
from enactor.outside import SystemChance, SystemClock, route53_client
from enactor.permissions import simulated_upsert
from enactor.ports import OutsideError, Unavailable
from enactor.route53 import Route53Zones
from enactor.zone_facts import ZoneFacts

ZONE = "Z0EXAMPLE"
ROLE = "arn:aws:iam::123456789012:role/dns"
CALLER = "arn:aws:sts::123456789012:assumed-role/dns/i-1"


def session() -> boto3.Session:
    return boto3.Session("testing", "testing", region_name="eu-west-1")  # no request leaves a stubbed client


class Simulating(boto3.Session):
    """A session whose IAM gives one answer."""

    def __init__(self) -> None:
        super().__init__("testing", "testing", region_name="eu-west-1")
        self.iam: Any = super().client("iam")
        self.stub = Stubber(self.iam)
        self.stub.activate()

    def client(self, *_: Any, **__: Any) -> Any:
        return self.iam


@pytest.mark.parametrize(
    ("decision", "answer"), [("allowed", "allowed"), ("implicitDeny", "denied"), ("explicitDeny", "denied")]
)
def test_an_upsert_is_asked_of_the_role_behind_a_session(decision: str, answer: str) -> None:
    """By the condition key of Route 53 that tells actions apart, on the zone's own ARN."""
    told = Simulating()
    expected = {
        "PolicySourceArn": ROLE,
        "ActionNames": ["route53:ChangeResourceRecordSets"],
        "ResourceArns": [f"arn:aws:route53:::hostedzone/{ZONE}"],
        "ContextEntries": [
            {
                "ContextKeyName": "route53:ChangeResourceRecordSetsActions",
                "ContextKeyValues": ["UPSERT"],
                "ContextKeyType": "stringList",
            }
        ],
    }
    found = {"EvalActionName": "route53:ChangeResourceRecordSets", "EvalDecision": decision}
    told.stub.add_response("simulate_principal_policy", {"EvaluationResults": [found]}, expected)
    tried = simulated_upsert(told, CALLER, ZONE)
    assert (tried.answer, decision in tried.how) == (answer, True)


def test_an_answer_without_a_decision_and_a_caller_without_policies_are_unproven() -> None:
    """Nothing is called denied that nobody said to be."""
    told = Simulating()
    told.stub.add_response("simulate_principal_policy", {"EvaluationResults": []})
    assert simulated_upsert(told, CALLER, ZONE).answer == "unproven"
    told.stub.add_client_error("simulate_principal_policy", "AccessDenied", "no", 403)
    assert simulated_upsert(told, CALLER, ZONE).answer == "unproven"
    assert "cannot be simulated" in simulated_upsert(told, "arn:aws:iam::1:root", ZONE).how


def zones() -> tuple[Route53Zones, Stubber]:
    client, clock = route53_client(session()), SystemClock()
    stub = Stubber(client)
    stub.activate()
    budget = Budget(clock, 1.0, AccountLimits())
    made = Route53Zones(
        lambda _: client,
        budget_of=lambda _: budget,
        limits_of=lambda _: GateLimits(targets=0.5, capacity=0.5),
        clock=clock,
        chance=SystemChance(),
        hook=ignore,
        read_tries=1,
    )
    return made, stub


def test_the_tier_and_the_guardrails_of_a_zone_are_read() -> None:
    """As botocore's model of the answer has them."""
    found, stub = zones()
    zone = {
        "Id": f"/hostedzone/{ZONE}",
        "Name": "example.test.",
        "CallerReference": "x",
        "Config": {"HostedZoneTier": "ADVANCED"},
        "ResourceRecordSetCount": 12,
        "Features": {"ChangeGuardrails": [{"Name": "ALIAS_TARGET_CHECK", "Status": "ENABLED"}]},
    }
    stub.add_response("get_hosted_zone", {"HostedZone": zone}, {"Id": ZONE})
    assert found.facts(ZONE) == ZoneFacts(
        name="example.test.", tier="ADVANCED", guardrails=("ALIAS_TARGET_CHECK",), record_sets=12
    )


def test_protections_are_read_to_the_last_page() -> None:
    """A token leads to the next one."""
    found, stub = zones()
    call = "list_resource_record_set_protections"
    first = {"ResourceRecordSetProtections": [{"RecordName": "a.test.", "RecordType": "A"}], "NextToken": "more"}
    stub.add_response(call, first, {"HostedZoneId": ZONE})
    last = {"ResourceRecordSetProtections": [{"RecordName": "b.test.", "RecordType": "TXT"}]}
    stub.add_response(call, last, {"HostedZoneId": ZONE, "NextToken": "more"})
    assert found.protections(ZONE) == (("a.test.", "A"), ("b.test.", "TXT"))


def test_a_change_is_insync_when_aws_says_so() -> None:
    """A change that AWS does not know is an error, and neither."""
    found, stub = zones()
    info = {"Id": "/change/C1", "SubmittedAt": "2026-11-30T12:00:00Z"}
    for status in ("PENDING", "INSYNC"):
        stub.add_response("get_change", {"ChangeInfo": {**info, "Status": status}}, {"Id": "C1"})
    assert [found.is_insync(ZONE, "C1"), found.is_insync(ZONE, "C1")] == [False, True]
    stub.add_client_error("get_change", "NoSuchChange", "no", 404, expected_params={"Id": ANY})
    with pytest.raises(OutsideError) as caught:
        found.is_insync(ZONE, "C1")
    assert not isinstance(caught.value, Unavailable)

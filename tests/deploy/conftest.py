"""One sandbox in which CloudFormation has made the stack of deploy/cloudformation.yaml, and everything that tests ask of it."""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import boto3
import pytest

from enactor.sandbox.server import Sandbox

ROOT: Final = Path(__file__).parents[2]
TEMPLATE: Final = ROOT / "deploy" / "cloudformation.yaml"
FLEET: Final = "edge"
ZONE: Final = "Z0STACK"
OTHER_ZONE: Final = "Z0OTHER"
RECORD_NAMES: Final = r"*.example.test,example.test,\052.wild.example.test"


class Stack:
    """What the template made."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.session = boto3.Session("key", "secret", region_name=sandbox.environment()["AWS_REGION"])
        self.url = sandbox.endpoint_url
        self.parameters = {
            "Fleet": FLEET,
            "HostedZoneIds": f"{ZONE},{OTHER_ZONE}",
            "RecordNames": RECORD_NAMES,
            "Image": "registry.example.test/enactor:0.1.0",
            "PlannerImage": "registry.example.test/planner:0.1.0",
            "MetricsFrom": "10.0.0.0/16",
            "AlarmEmail": "dns@example.test",
            "ZoneRoleArns": "arn:aws:iam::210987654321:role/enactor-zone",
            "ZoneRoles": f"{OTHER_ZONE}=arn:aws:iam::210987654321:role/enactor-zone",
            **self._network(),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # moto says of each kind of resource that it does not know that it does not
            self.client("cloudformation").create_stack(
                StackName="dns",
                TemplateBody=TEMPLATE.read_text(encoding="utf-8"),
                Parameters=[{"ParameterKey": k, "ParameterValue": v} for k, v in self.parameters.items()],
                Capabilities=["CAPABILITY_IAM"],
            )
        self._switch_on_what_moto_leaves_off()
        (described,) = self.client("cloudformation").describe_stacks(StackName="dns")["Stacks"]
        self.status: str = described["StackStatus"]
        self.outputs = {one["OutputKey"]: one["OutputValue"] for one in described["Outputs"]}

    def client(self, service: str) -> Any:
        make: Any = self.session.client
        return make(service, endpoint_url=self.url)

    def _network(self) -> dict[str, str]:
        ec2 = self.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        zones = [one["ZoneName"] for one in ec2.describe_availability_zones()["AvailabilityZones"]]
        found = {"VpcId": vpc}
        for number, name in enumerate(("One", "Two", "Three")):
            made = ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=zones[number])
            found[f"Subnet{name}"] = made["Subnet"]["SubnetId"]
        return found

    def _switch_on_what_moto_leaves_off(self) -> None:
        """Its CloudFormation makes the table without two of its properties, which AWS's own heeds."""
        table, dynamodb = "enactor-plans", self.client("dynamodb")
        dynamodb.update_continuous_backups(
            TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
        )
        dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})

    def policy(self, name: str) -> Any:
        """Return the document of a managed policy, with everything in it resolved."""
        iam = self.client("iam")
        (found,) = [one for one in iam.list_policies(Scope="Local")["Policies"] if f"-{name}-" in one["PolicyName"]]
        version = iam.get_policy_version(PolicyArn=found["Arn"], VersionId=found["DefaultVersionId"])
        document = version["PolicyVersion"]["Document"]
        return json.loads(document) if isinstance(document, str) else document

    def environment(self) -> dict[str, str]:
        """Return what a process needs to work on what the template made."""
        return {
            **self.sandbox.environment(),
            "ENACTOR_TABLE": self.outputs["Table"],
            "ENACTOR_FLEET": FLEET,
            "ENACTOR_ZONES": ZONE,
        }


@contextmanager
def made() -> Iterator[Stack]:
    """Make the stack in a sandbox of its own."""
    with Sandbox() as sandbox:
        sandbox.create_zone("example.test", ZONE)
        sandbox.create_zone("other.test", OTHER_ZONE)
        yield Stack(sandbox)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """One that tests look at; the recorded life alone writes into its table and zones."""
    with made() as found:
        yield found


@pytest.fixture
def own_stack() -> Iterator[Stack]:
    """One for a test that works on what was made."""
    with made() as found:
        yield found

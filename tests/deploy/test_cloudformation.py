"""The template, as far as a machine without an account can go: cfn-lint, moto's CloudFormation, and the product on what was made."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from cfnlint.decode.cfn_yaml import load
from click.testing import CliRunner

from enactor.cli.main import main as enactor
from enactor.settings import VARIABLES
from planner.cli import main as planner
from tests.log_events import logged

from .conftest import FLEET, ROOT, TEMPLATE, ZONE, Stack
from .image import exec_form, only

ZONE_ROLE = ROOT / "deploy" / "zone-role.yaml"
ENACTORS = ("EnactorOne", "EnactorTwo", "EnactorThree")
RIGHT = {
    "Fleet": "edge",
    "HostedZoneIds": "Z0EXAMPLE",
    "RecordNames": r"*.example.com",
    "AccountShare": "0.5",
    "ZoneRoleArns": "arn:aws:iam::123456789012:role/x",
    "ZoneRoles": "Z0EXAMPLE=arn:aws:iam::123456789012:role/x",
    "Image": "123456789012.dkr.ecr.eu-west-1.amazonaws.com/enactor@sha256:0123",
    "FleetFile": "/etc/enactor/fleet.yaml",
    "MetricsFrom": "10.0.0.0/16",
    "TableName": "enactor-plans",
    "AlarmEmail": "a@example.com",
}
"""A right value of each parameter that has a pattern."""


@pytest.fixture(scope="module")
def template() -> Any:
    """The template with its functions spelled out."""
    return load(str(TEMPLATE))


@pytest.mark.parametrize("path", [TEMPLATE, ZONE_ROLE], ids=lambda path: path.name)
def test_cfn_lint_finds_nothing(path: Path) -> None:
    """Neither an error nor a warning; the one rule that is left out stands beside its reason."""
    words = [str(Path(sys.executable).parent / "cfn-lint"), "--", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_it_is_small_enough_to_be_sent_as_it_is() -> None:
    """`aws cloudformation deploy` takes 51,200 octets without a bucket of one's own."""
    assert TEMPLATE.stat().st_size < 51_200


def test_the_stack_is_made(stack: Stack) -> None:
    """And says what people need of it."""
    assert stack.status == "CREATE_COMPLETE"
    assert set(stack.outputs) >= {"Table", "EnactorRoleArn", "PlannerRoleArn", "ReadOnlyRoleArn", "OperatorRoleArn"}


def test_the_table_is_protected_and_outlives_the_stack(stack: Stack, template: Any) -> None:
    """Moto's CloudFormation leaves out recovery and expiry, so these are read in the template."""
    described = stack.client("dynamodb").describe_table(TableName=stack.outputs["Table"])["Table"]
    assert described["DeletionProtectionEnabled"]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    table = template["Resources"]["PlanTable"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert table["Properties"]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["Properties"]["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert table["Properties"]["SSESpecification"] == {"SSEEnabled": True}


def test_three_services_stand_in_three_zones_and_none_lets_anything_in(stack: Stack, template: Any) -> None:
    """Each has one subnet, its own folder for plans on disk, and is deployed by itself."""
    resources = template["Resources"]
    subnets = [
        resources[name]["Properties"]["NetworkConfiguration"]["AwsvpcConfiguration"]["Subnets"] for name in ENACTORS
    ]
    assert subnets == [[{"Ref": f"Subnet{name}"}] for name in ("One", "Two", "Three")]
    volumes = [resources[f"{name}Task"]["Properties"]["Volumes"][0]["EFSVolumeConfiguration"] for name in ENACTORS]
    assert len({volume["AuthorizationConfig"]["AccessPointId"]["Ref"] for volume in volumes}) == 3
    listed = stack.client("ecs").list_services(cluster=stack.client("ecs").list_clusters()["clusterArns"][0])
    assert len(listed["serviceArns"]) == 4
    groups = stack.client("ec2").describe_security_groups()["SecurityGroups"]
    (workers,) = [group for group in groups if "Enactors and planner" in group["Description"]]
    assert [(one["FromPort"], one["IpRanges"][0]["CidrIp"]) for one in workers["IpPermissions"]] == [
        (9553, "10.0.0.0/16")
    ]


def test_containers_are_the_images_own_way_and_cannot_be_held_up_by_logs(template: Any) -> None:
    """Read-only root, the image's commands and health check, lines dropped rather than waited for, settings that there are."""
    for name in (*ENACTORS, "Planner"):
        (container,) = template["Resources"][f"{name}Task"]["Properties"]["ContainerDefinitions"]
        assert container["ReadonlyRootFilesystem"] is True
        assert container["LogConfiguration"]["Options"]["mode"] == "non-blocking"
        assert container["HealthCheck"]["Command"] == ["CMD", *exec_form(only("HEALTHCHECK"))]
        assert {one["Name"] for one in container["Environment"]} <= {*VARIABLES.values(), "AWS_REGION"}
        mounted = [one["ContainerPath"] for one in container.get("MountPoints", [])]
        assert mounted == ([] if name == "Planner" else ["/var/lib/enactor"])
        assert container["StopTimeout"] > 10
    (container,) = template["Resources"]["EnactorOneTask"]["Properties"]["ContainerDefinitions"]
    assert container["Command"] == exec_form(only("CMD"))


def test_the_alarms_read_lines_that_are_logged(template: Any) -> None:
    """The events of the filters are the code's, and each runbook that an alarm names is there."""
    resources = template["Resources"].values()
    filters = [one["Properties"] for one in resources if one["Type"] == "AWS::Logs::MetricFilter"]
    known = logged([*(ROOT / "enactor").glob("*.py"), *(ROOT / "planner").glob("*.py")]) | {"look-ended"}
    named = [re.findall(r'\$\.event = "([a-z-]+)"', one["FilterPattern"]) for one in filters]
    assert len(named) == 3
    assert {event for events in named for event in events} <= known
    metrics = {one["MetricTransformations"][0]["MetricName"] for one in filters}
    alarms = [one["Properties"] for one in resources if one["Type"] == "AWS::CloudWatch::Alarm"]
    assert {one["MetricName"] for one in alarms} == metrics
    for alarm in alarms:
        (page,) = re.findall(r"runbooks/[a-z-]+\.md", alarm["AlarmDescription"]["Fn::Sub"])
        assert (ROOT / page).is_file()


@pytest.mark.parametrize("parameter", sorted(RIGHT))
def test_each_pattern_takes_what_is_right(template: Any, parameter: str) -> None:
    """And says in words what it wants."""
    told = template["Parameters"][parameter]
    assert told.get("Description")
    if "AllowedPattern" in told:
        assert re.fullmatch(told["AllowedPattern"], RIGHT[parameter])
        assert told["ConstraintDescription"]


@pytest.mark.parametrize(
    ("parameter", "wrong"),
    [
        ("Fleet", "Edge"),
        ("Fleet", ""),
        ("Fleet", "a" * 33),
        ("HostedZoneIds", "example.com"),
        ("HostedZoneIds", ""),
        ("RecordNames", "Example.com"),
        ("RecordNames", "a b"),
        ("ZoneRoleArns", "admin"),
        ("ZoneRoles", "arn:aws:iam::123456789012:role/x"),
        ("Image", "enactor"),
        ("FleetFile", "fleet.yaml"),
        ("MetricsFrom", "0.0.0.0/0"),
        ("MetricsFrom", "8.8.8.0/24"),
        ("MetricsFrom", "10.0.0.0"),
        ("TableName", "a b"),
        ("AlarmEmail", "nobody"),
    ],
)
def test_each_pattern_refuses_what_is_wrong(template: Any, parameter: str, wrong: str) -> None:
    """Before anything is made."""
    assert not re.fullmatch(template["Parameters"][parameter]["AllowedPattern"], wrong)


def test_moto_refuses_a_stack_that_lacks_a_parameter(stack: Stack) -> None:
    """What has no default must be told."""
    with pytest.raises(ClientError):
        stack.client("cloudformation").create_stack(StackName="lacking", TemplateBody=TEMPLATE.read_text())


def test_the_product_does_its_main_job_on_what_the_template_made(own_stack: Stack, tmp_path: Path) -> None:
    """With the credentials of its roles: the operator brings the zone in, the planner publishes, the enactor brings it into force."""
    told = {"fleet": FLEET, "zones": {"main": {"id": ZONE, "name": "example.test"}}}
    told |= {"pools": {"blue": [{"id": "lb-1", "addresses": ["192.0.2.1"]}]}}
    name = "main-job.example.test."
    fleet = tmp_path / "fleet.json"
    fleet.write_text(json.dumps({**told, "endpoints": [{"name": name, "zone": "main", "pools": {"blue": 1}}]}))
    jobs = (
        ("Operator", enactor, ["init", "--zone", ZONE]),
        ("Planner", planner, ["publish", str(fleet), "--unguarded", "--reason", "first"]),
        ("Enactor", enactor, ["once"]),
    )
    for role, command, words in jobs:
        environment = own_stack.environment() | as_role(own_stack, own_stack.outputs[f"{role}RoleArn"])
        done = CliRunner().invoke(command, words, env=environment)
        assert done.exit_code == 0, done.output
    assert own_stack.sandbox.zone(ZONE).sets(name)


def as_role(stack: Stack, arn: str) -> dict[str, str]:
    """Return the environment of who took a role."""
    found = stack.client("sts").assume_role(RoleArn=arn, RoleSessionName="test")["Credentials"]
    names = {
        "AccessKeyId": "AWS_ACCESS_KEY_ID",
        "SecretAccessKey": "AWS_SECRET_ACCESS_KEY",
        "SessionToken": "AWS_SESSION_TOKEN",
    }
    return {name: found[key] for key, name in names.items()}

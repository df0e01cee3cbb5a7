"""Load balancers in the sandbox's AWS, and what its moto cannot say by itself: states, unhealthy targets, static addresses."""

from collections.abc import Mapping
from typing import Any

import boto3
from moto.elbv2.models import FakeHealthStatus, FakeLoadBalancer, FakeTargetGroup, elbv2_backends

from enactor.sandbox.server import Sandbox

ZONES = ("a", "b")


class Region:
    """A VPC with a subnet in two Availability Zones, and load balancers in it."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        assert sandbox._moto is not None
        self.name = name
        self.ec2 = client(sandbox, "ec2", name)
        self.elbv2 = client(sandbox, "elbv2", name)
        self._backend = elbv2_backends[sandbox._moto.account][name]
        self._vpc = self.ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        self._subnets = [
            self.ec2.create_subnet(VpcId=self._vpc, CidrBlock=f"10.0.{index}.0/24", AvailabilityZone=f"{name}{zone}")[
                "Subnet"
            ]["SubnetId"]
            for index, zone in enumerate(ZONES)
        ]

    def balancer(
        self, name: str, tags: Mapping[str, str], *, kind: str = "application", scheme: str = "internet-facing"
    ) -> str:
        """Make a load balancer, and return its ARN."""
        made = self.elbv2.create_load_balancer(
            Name=name,
            Type=kind,
            Scheme=scheme,
            Subnets=self._subnets,
            Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
        )
        arn: str = made["LoadBalancers"][0]["LoadBalancerArn"]
        return arn

    def group(
        self, name: str, balancer: str, states: Mapping[str, str], *, port: int = 80, protocol: str = "HTTP"
    ) -> str:
        """Make a target group behind a load balancer, whose targets are in these states, and return its ARN."""
        made = self.elbv2.create_target_group(Name=name, Protocol=protocol, Port=port, VpcId=self._vpc, TargetType="ip")
        arn: str = made["TargetGroups"][0]["TargetGroupArn"]
        self.elbv2.create_listener(
            LoadBalancerArn=balancer,
            Protocol=protocol,
            Port=port,
            DefaultActions=[{"Type": "forward", "TargetGroupArn": arn}],
        )
        if states:
            self.elbv2.register_targets(TargetGroupArn=arn, Targets=[{"Id": target} for target in states])
        self.states(arn, states)
        return arn

    def states(self, group: str, states: Mapping[str, str]) -> None:
        """Say in which state each target is: moto calls every one healthy."""
        made: FakeTargetGroup = self._backend.target_groups[group]
        made.health_for = lambda target, _: FakeHealthStatus(target["Id"], 80, "80", states[target["Id"]])

    def becomes(self, balancer: str, state: str) -> None:
        """Put a load balancer into a state, for good: moto would call it active when next asked."""
        made: FakeLoadBalancer = self._backend.load_balancers[balancer]
        made.state = state
        made.activate = lambda: None


def client(sandbox: Sandbox, service: str, region: str) -> Any:
    """Return a client of the sandbox in a region."""
    return boto3.client(  # type: ignore[call-overload]
        service,
        endpoint_url=sandbox.endpoint_url,
        region_name=region,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )

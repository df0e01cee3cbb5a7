"""What an answer of DescribeLoadBalancers means where moto cannot say it: every odd answer fails, by its ARN."""

from collections.abc import Mapping
from typing import Any

import pytest

from enactor.records import Alias
from planner.elbv2_reading import balancer_of, offers_of
from planner.elbv2_settings import Elbv2Settings
from planner.observation import SourceFailed

ARN = "arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/edge-1/50dc6c495c0c9188"
WHOLE: Mapping[str, Any] = {
    "LoadBalancerArn": ARN,
    "LoadBalancerName": "edge-1",
    "DNSName": "edge-1-50dc6c495c0c9188.elb.eu-west-1.amazonaws.com",
    "CanonicalHostedZoneId": "Z2IFOLAFXWLO4F",
    "Type": "network",
    "Scheme": "internet-facing",
    "State": {"Code": "active"},
    "AvailabilityZones": [
        {
            "ZoneName": "eu-west-1b",
            "LoadBalancerAddresses": [{"IpAddress": "198.51.100.2", "AllocationId": "eipalloc-2"}],
        },
        {
            "ZoneName": "eu-west-1a",
            "LoadBalancerAddresses": [{"IpAddress": "198.51.100.1", "AllocationId": "eipalloc-1"}],
        },
    ],
}
ALIAS = Elbv2Settings(regions=("eu-west-1",), names=("*",))
ADDRESSES = Elbv2Settings(regions=("eu-west-1",), names=("*",), answer="addresses")


@pytest.mark.parametrize(
    ("kind", "address_type", "prefix"),
    [
        ("application", "ipv4", "dualstack."),
        ("application", "dualstack", "dualstack."),
        ("application", "dualstack-without-public-ipv4", "dualstack."),
        ("network", "ipv4", ""),
        ("network", "dualstack", ""),
    ],
)
def test_the_alias_of_each_kind(kind: str, address_type: str, prefix: str) -> None:
    """The console's choice, which goes by the kind of load balancer and not by its address type."""
    balancer = balancer_of({**WHOLE, "Type": kind, "IpAddressType": address_type, "DNSName": "Edge-1.Example.NET"})
    (offer, _) = offers_of([balancer], ALIAS)["edge-1"]
    assert offer.alias == Alias(f"{prefix}edge-1.example.net.", "Z2IFOLAFXWLO4F", True)


def test_addresses_are_offered_in_the_order_of_their_zones() -> None:
    found = offers_of([balancer_of(WHOLE)], ADDRESSES)
    assert {name: offer.addresses for name, (offer, _) in found.items()} == {
        "edge-1.eu-west-1a": ("198.51.100.1",),
        "edge-1.eu-west-1b": ("198.51.100.2",),
    }


def test_an_internal_network_load_balancer_answers_with_its_private_addresses() -> None:
    zones = [{"ZoneName": "eu-west-1a", "LoadBalancerAddresses": [{"PrivateIPv4Address": "10.0.0.9"}]}]
    ((offer, _),) = offers_of([balancer_of({**WHOLE, "AvailabilityZones": zones})], ADDRESSES).values()
    assert offer.addresses == ("10.0.0.9",)


@pytest.mark.parametrize(
    ("changed", "settings", "why"),
    [
        ({"LoadBalancerArn": "edge"}, ALIAS, 'told of a load balancer with the ARN "edge"'),
        ({"DNSName": ""}, ALIAS, "has no DNS name that can be an alias"),
        ({"CanonicalHostedZoneId": "example.com"}, ALIAS, 'has the hosted zone "example.com", which is none'),
        ({"LoadBalancerName": "edge 1"}, ALIAS, 'would have the id "edge 1", which a target cannot have'),
        ({"LoadBalancerName": "e" * 60}, ADDRESSES, "which a target cannot have; choose another `id`"),
        ({"Type": "application"}, ADDRESSES, "is no Network Load Balancer and has no addresses that stay"),
        ({"AvailabilityZones": []}, ADDRESSES, "has no static address in any Availability Zone"),
        (
            {
                "AvailabilityZones": [
                    {
                        "ZoneName": "eu-west-1a",
                        "LoadBalancerAddresses": [{"IpAddress": "198.51.100.1"}, {"IpAddress": "198.51.100.9"}],
                    }
                ]
            },
            ADDRESSES,
            "has two addresses of type A in eu-west-1a",
        ),
    ],
)
def test_an_odd_answer_fails(changed: Mapping[str, Any], settings: Elbv2Settings, why: str) -> None:
    with pytest.raises(SourceFailed, match=why):
        offers_of([balancer_of({**WHOLE, **changed})], settings)

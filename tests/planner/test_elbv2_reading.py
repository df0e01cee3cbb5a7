"""What an answer of DescribeLoadBalancers means where moto cannot say it: every odd answer fails, by its ARN."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from enactor.records import Alias
from planner.elbv2_reading import Balancer, answering, balancer_of, behind, is_meant, might_be_meant, offers_of
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


def changed(**changes: Any) -> Balancer:
    """Return a load balancer as it is read, with some of it otherwise."""
    return msgspec.structs.replace(balancer_of(WHOLE), **changes)


def test_an_answer_is_read_word_by_word() -> None:
    """The region and the account from the ARN, and nothing where the answer says nothing."""
    whole = balancer_of({**WHOLE, "State": {"Code": "active_impaired", "Reason": "no room"}})
    assert (whole.arn, whole.name, whole.region, whole.account) == (ARN, "edge-1", "eu-west-1", "123456789012")
    assert (whole.type, whole.scheme, whole.state, whole.reason) == (
        "network",
        "internet-facing",
        "active_impaired",
        "no room",
    )
    assert (whole.dns_name, whole.hosted_zone) == (WHOLE["DNSName"], "Z2IFOLAFXWLO4F")
    assert [one.zone for one in whole.zonal] == ["eu-west-1a", "eu-west-1b"]
    bare = balancer_of({"LoadBalancerArn": ARN, "AvailabilityZones": [{}]})
    assert (bare.name, bare.type, bare.scheme, bare.state, bare.reason) == ("", "", "", "", "")
    assert (bare.dns_name, bare.hosted_zone) == ("", "")
    assert [(one.zone, one.addresses) for one in bare.zonal] == [("", ())]
    assert balancer_of({"LoadBalancerArn": ARN}).zonal == ()


def test_of_a_zone_each_family_has_one_address() -> None:
    """The private one of an internal load balancer unless a static one is there; IPv6 in its usual spelling, behind IPv4."""
    item = {"PrivateIPv4Address": "10.0.0.9", "IpAddress": "198.51.100.1", "IPv6Address": "2001:DB8:0::1"}
    zones = [{"ZoneName": "eu-west-1a", "LoadBalancerAddresses": [item, {"IpAddress": "198.51.100.1"}]}]
    (zonal,) = balancer_of({**WHOLE, "AvailabilityZones": zones}).zonal
    assert zonal.addresses == ("198.51.100.1", "2001:db8::1")


@pytest.mark.parametrize(
    ("balancer", "settings", "meant"),
    [
        ({}, {}, True),
        ({"type": "application"}, {}, True),
        ({"type": "gateway"}, {}, False),
        ({"state": "active_impaired"}, {}, True),
        ({"state": "provisioning"}, {}, False),
        ({"state": "failed"}, {}, False),
        ({}, {"type": "network"}, True),
        ({}, {"type": "application"}, False),
        ({}, {"scheme": "internet-facing"}, True),
        ({}, {"scheme": "internal"}, False),
        ({}, {"names": ()}, True),
        ({}, {"names": ("other", "edge-?")}, True),
        ({}, {"names": ("Edge-*", "edge")}, False),
    ],
)
def test_a_load_balancer_is_meant_by_its_kind_its_state_and_its_name(
    balancer: dict[str, Any], settings: dict[str, Any], meant: bool
) -> None:
    """Everything that is told must fit; one of several patterns is enough."""
    wanted = msgspec.structs.replace(ALIAS, **settings)
    assert might_be_meant(changed(**balancer), wanted) is meant
    assert is_meant(changed(**balancer), wanted) is meant


@pytest.mark.parametrize(
    ("tags", "meant"),
    [
        ({"team": "edge", "stage": "blue", "more": "x"}, True),
        ({"team": "edge", "stage": "green"}, True),
        ({"team": "edge", "stage": "red"}, False),
        ({"team": "edge"}, False),
        ({}, False),
    ],
)
def test_a_load_balancer_is_meant_by_all_of_its_tags(tags: dict[str, str], meant: bool) -> None:
    """Each key with one of its values; without its tags it might be."""
    wanted = msgspec.structs.replace(ALIAS, tags=(("team", ("edge",)), ("stage", ("blue", "green"))))
    assert is_meant(changed(tags=tags), wanted) is meant
    assert might_be_meant(changed(tags=tags), wanted)
    assert not is_meant(changed(tags=tags, state="failed"), wanted)


@pytest.mark.parametrize(
    ("tags", "capacity"),
    [({}, None), ({"planner:capacity": "100"}, Fraction(100)), ({"planner:capacity": "0.5"}, Fraction(1, 2))],
)
def test_a_capacity_is_a_tags_and_is_shared_among_the_zones(tags: dict[str, str], capacity: Fraction | None) -> None:
    """An alias has all of it."""
    ((offer, _),) = offers_of([changed(tags=tags)], ALIAS).values()
    assert offer.capacity == capacity
    found = offers_of([changed(tags=tags)], ADDRESSES)
    assert [offer.capacity for offer, _ in found.values()] == [capacity and capacity / 2] * 2


@pytest.mark.parametrize("text", ["", "0", "0.0", "-1", "1e3", "ten", "1.0000001", "1234567890", "\u0661"])
def test_a_capacity_that_is_no_number_above_0_fails(text: str) -> None:
    """With the tag, whose it is, and what it says."""
    with pytest.raises(SourceFailed) as told:
        offers_of([changed(tags={"planner:capacity": text})], ALIAS)
    assert str(told.value).startswith(f"the tag planner:capacity of {ARN} is ")
    assert str(told.value).endswith(", not a number above 0 like 100; mend the tag")


@pytest.mark.parametrize(
    ("text", "drain"),
    [(None, False), ("", False), ("no", False), ("False", False), (" YES ", True), ("true", True), ("on", None)],
)
@pytest.mark.parametrize("settings", [ALIAS, ADDRESSES])
def test_one_drains_by_its_tag(text: str | None, drain: bool | None, settings: Elbv2Settings) -> None:
    """In any case; another word is a mistake, and mistakes are not guessed at."""
    balancer = changed(tags={} if text is None else {"planner:drain": text})
    if drain is not None:
        assert {offer.drain for offer, _ in offers_of([balancer], settings).values()} == {drain}
        return
    with pytest.raises(SourceFailed) as told:
        offers_of([balancer], settings)
    assert str(told.value) == f'the tag planner:drain of {ARN} is "on", not true or false; mend the tag'


@pytest.mark.parametrize(
    ("naming", "answer", "ids"),
    [
        ("name", "alias", ["edge-1"]),
        ("region", "alias", ["edge-1.eu-west-1"]),
        ("account", "alias", ["edge-1.eu-west-1.123456789012"]),
        ("name", "addresses", ["edge-1.eu-west-1a", "edge-1.eu-west-1b"]),
        ("region", "addresses", ["edge-1.eu-west-1a", "edge-1.eu-west-1b"]),
        ("account", "addresses", ["edge-1.eu-west-1a.123456789012", "edge-1.eu-west-1b.123456789012"]),
    ],
)
def test_an_id_has_as_much_of_the_place_as_is_asked_for(naming: str, answer: str, ids: list[str]) -> None:
    """A zone's name has the region in it; and each offer says whose it is."""
    settings = msgspec.structs.replace(ALIAS, id=naming, answer=answer)
    found = offers_of([changed()], settings)
    assert list(found) == ids
    assert [(offer.id, offer.origin, balancer) for offer, balancer in found.values()] == [
        (name, ARN, changed()) for name in ids
    ]


def test_two_with_one_id_fail_with_both_arns() -> None:
    """In the order of their ARNs, whatever the order of the answers; and ids that differ come in their own order."""
    other = ARN.replace("edge-1", "edge-0")
    with pytest.raises(SourceFailed) as told:
        offers_of([changed(), changed(arn=other)], ALIAS)
    assert str(told.value) == (
        f"two load balancers would have the id edge-1: {other} and {ARN}; tell them apart with `id: region` or `id: account`"
    )
    assert list(offers_of([changed(name="b"), changed(name="a", arn=ARN + "9")], ALIAS)) == ["a", "b"]


def test_an_alias_says_whether_its_health_is_asked() -> None:
    """As the settings say."""
    for asked in (True, False):
        settings = msgspec.structs.replace(ALIAS, evaluate_target_health=asked)
        ((offer, _),) = offers_of([changed()], settings).values()
        assert offer.alias == Alias(str(WHOLE["DNSName"]) + ".", "Z2IFOLAFXWLO4F", asked)


def test_zones_without_a_static_address_are_named() -> None:
    """All of them, and only them."""
    zones = [{"ZoneName": "eu-west-1c"}, WHOLE["AvailabilityZones"][0], {"ZoneName": "eu-west-1a"}]
    with pytest.raises(SourceFailed) as told:
        offers_of([balancer_of({**WHOLE, "AvailabilityZones": zones})], ADDRESSES)
    assert str(told.value) == (
        f"{ARN} has no static address in eu-west-1a, eu-west-1c; give it Elastic IP addresses, or answer it with `answer: alias`"
    )


def test_an_offer_of_another_source_is_known_by_what_it_answers_with() -> None:
    """By its DNS name, with or without `dualstack.` and the last dot, or by any of its addresses."""
    one, two = changed(), changed(arn=ARN + "9", dns_name="Edge-2.example.net.", zonal=())
    known = answering([one, two])
    assert sorted(known) == sorted([str(WHOLE["DNSName"]), "198.51.100.1", "198.51.100.2", "edge-2.example.net"])
    assert behind(("192.0.2.1", "198.51.100.2"), None, known) == one
    assert behind(("192.0.2.1",), None, known) is None
    assert behind((), None, known) is None
    alias = Alias("dualstack.EDGE-2.example.net.", "Z2IFOLAFXWLO4F", True)
    assert behind(("198.51.100.1",), alias, known) == two
    assert behind((), msgspec.structs.replace(alias, name="other.example.net."), known) is None

"""Decide what Elastic Load Balancing's answers mean: which load balancers are offered, as what, and how healthy they are.

Pure. What is said twice in different ways, or cannot be meant (a capacity that is no number), raises SourceFailed: a source that
guesses would publish the guess. Only a load balancer that routes traffic is offered: `active`, and `active_impaired`, which AWS
describes as routing without the resources it needs to scale.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any, Final

import msgspec

from enactor import names
from enactor.plan import TARGET_ID
from enactor.plan_faults import shown
from enactor.records import Alias, canonical_value
from planner.elbv2_settings import Elbv2Settings
from planner.observation import Offer, SourceFailed

ROUTING: Final = frozenset({"active", "active_impaired"})
TYPES: Final = frozenset({"application", "network"})
DUALSTACK: Final = "dualstack."
CAPACITY: Final = re.compile(r"\d{1,9}(\.\d{1,6})?")
DRAINS: Final = {"true": True, "yes": True, "false": False, "no": False, "": False}
ADDRESS_KEYS: Final = (("A", "PrivateIPv4Address"), ("A", "IpAddress"), ("AAAA", "IPv6Address"))
"""Of an internal load balancer the private address, else the Elastic IP address: the later one that is there counts."""


class Zonal(msgspec.Struct, frozen=True):
    """A load balancer's addresses in one Availability Zone: at most one of each family."""

    zone: str
    addresses: tuple[str, ...]


class Balancer(msgspec.Struct, frozen=True, kw_only=True):
    """A load balancer as DescribeLoadBalancers tells of it, with its tags."""

    arn: str
    name: str
    region: str
    account: str
    type: str
    scheme: str
    state: str
    reason: str
    dns_name: str
    hosted_zone: str
    zonal: tuple[Zonal, ...]
    tags: Mapping[str, str] = {}


def balancer_of(item: Mapping[str, Any]) -> Balancer:
    """Return a load balancer of an answer; its ARN says the region and the account."""
    arn = str(item.get("LoadBalancerArn", ""))
    parts = arn.split(":")
    if len(parts) < 6:
        raise SourceFailed(
            f"Elastic Load Balancing told of a load balancer with the ARN {shown(arn)}; look at it there"
        )
    return Balancer(
        arn=arn,
        name=str(item.get("LoadBalancerName", "")),
        region=parts[3],
        account=parts[4],
        type=str(item.get("Type", "")),
        scheme=str(item.get("Scheme", "")),
        state=str(item.get("State", {}).get("Code", "")),
        reason=str(item.get("State", {}).get("Reason", "")),
        dns_name=str(item.get("DNSName", "")),
        hosted_zone=str(item.get("CanonicalHostedZoneId", "")),
        zonal=tuple(
            sorted((_zonal(zone, arn) for zone in item.get("AvailabilityZones", ())), key=lambda one: one.zone)
        ),
    )


def _zonal(zone: Mapping[str, Any], arn: str) -> Zonal:
    found: dict[str, str] = {}
    name = str(zone.get("ZoneName", ""))
    for item in zone.get("LoadBalancerAddresses", ()):
        for kind, value in {kind: item[key] for kind, key in ADDRESS_KEYS if item.get(key)}.items():
            address = canonical_value(kind, str(value))
            if found.setdefault(kind, address) != address:
                raise SourceFailed(
                    f"{arn} has two addresses of type {kind} in {name}, and a target holds one; report this"
                )
    return Zonal(name, tuple(found[kind] for kind in sorted(found)))


def might_be_meant(balancer: Balancer, settings: Elbv2Settings) -> bool:
    """Tell whether a load balancer is meant as far as can be told without its tags."""
    return (
        balancer.type in TYPES
        and balancer.state in ROUTING
        and settings.type in (None, balancer.type)
        and settings.scheme in (None, balancer.scheme)
        and (not settings.names or any(fnmatchcase(balancer.name, pattern) for pattern in settings.names))
    )


def is_meant(balancer: Balancer, settings: Elbv2Settings) -> bool:
    """Tell whether a load balancer is meant, its tags included."""
    return might_be_meant(balancer, settings) and all(balancer.tags.get(key) in wanted for key, wanted in settings.tags)


def offers_of(balancers: Iterable[Balancer], settings: Elbv2Settings) -> dict[str, tuple[Offer, Balancer]]:
    """Return what is offered, by id, with the load balancer behind it; raise SourceFailed where an id would mean two."""
    found: dict[str, tuple[Offer, Balancer]] = {}
    for balancer in sorted(balancers, key=lambda one: one.arn):
        for offer in _offers(balancer, settings):
            if offer.id in found:
                arns = f"{found[offer.id][1].arn} and {balancer.arn}"
                raise SourceFailed(
                    f"two load balancers would have the id {offer.id}: {arns}; tell them apart with `id: region` or `id: account`"
                )
            found[offer.id] = (offer, balancer)
    return dict(sorted(found.items()))


def _offers(balancer: Balancer, settings: Elbv2Settings) -> list[Offer]:
    capacity, drain = _capacity(balancer, settings.capacity_tag), _drains(balancer, settings.drain_tag)
    if settings.answer == "alias":
        target = _alias(balancer, evaluate_target_health=settings.evaluate_target_health)
        name = _id(balancer, settings, None)
        return [Offer(id=name, alias=target, capacity=capacity, drain=drain, origin=balancer.arn)]
    if balancer.type != "network":
        raise SourceFailed(
            f"{balancer.arn} is no Network Load Balancer and has no addresses that stay; "
            "answer it with `answer: alias`, or leave it out with `type: network`"
        )
    bare = [zonal.zone for zonal in balancer.zonal if not zonal.addresses]
    if bare or not balancer.zonal:
        raise SourceFailed(
            f"{balancer.arn} has no static address in {', '.join(bare) or 'any Availability Zone'}; "
            "give it Elastic IP addresses, or answer it with `answer: alias`"
        )
    share = capacity and capacity / len(balancer.zonal)
    return [
        Offer(
            id=_id(balancer, settings, zonal.zone),
            addresses=zonal.addresses,
            capacity=share,
            drain=drain,
            origin=balancer.arn,
        )
        for zonal in balancer.zonal
    ]


def _id(balancer: Balancer, settings: Elbv2Settings, zone: str | None) -> str:
    """Return the id: the name, and behind it as much of the place as is asked for; a zone's name has the region in it."""
    parts = [balancer.name]
    if zone or settings.id != "name":
        parts.append(zone or balancer.region)
    if settings.id == "account":
        parts.append(balancer.account)
    text = ".".join(parts)
    if re.fullmatch(TARGET_ID.strip("^$"), text) is None:
        raise SourceFailed(
            f"{balancer.arn} would have the id {shown(text)}, which a target cannot have; choose another `id`"
        )
    return text


def _alias(balancer: Balancer, *, evaluate_target_health: bool) -> Alias:
    """Return the alias that the Route 53 console would make.

    It puts `dualstack.` before the name of an Application Load Balancer, whatever its address type, and not before a Network
    Load Balancer's, which has no such name while it is IPv4 only (Route 53 developer guide, "Values specific for simple alias
    records"; aws-cdk issue 16987).
    """
    prefix = DUALSTACK if balancer.type == "application" else ""
    try:
        name = names.canonical(prefix + balancer.dns_name)
    except names.NameFault as fault:
        raise SourceFailed(
            f"{balancer.arn} has no DNS name that can be an alias: {fault}; look at it in its region"
        ) from None
    zone = names.hosted_zone_id(balancer.hosted_zone)
    if zone is None:
        raise SourceFailed(
            f"{balancer.arn} has the hosted zone {shown(balancer.hosted_zone)}, which is none; look at it there"
        )
    return Alias(name=name, zone=zone, evaluate_target_health=evaluate_target_health)


def _capacity(balancer: Balancer, key: str) -> Fraction | None:
    text = balancer.tags.get(key)
    if text is None:
        return None
    capacity = Fraction(text) if text.isascii() and CAPACITY.fullmatch(text) else Fraction(0)
    if not capacity:
        raise SourceFailed(
            f"the tag {key} of {balancer.arn} is {shown(text)}, not a number above 0 like 100; mend the tag"
        )
    return capacity


def _drains(balancer: Balancer, key: str) -> bool:
    text = balancer.tags.get(key, "").strip().lower()
    if text not in DRAINS:
        raise SourceFailed(f"the tag {key} of {balancer.arn} is {shown(text)}, not true or false; mend the tag")
    return DRAINS[text]


def answering(balancers: Iterable[Balancer]) -> dict[str, Balancer]:
    """Return the load balancer behind each DNS name and each address that is known of one."""
    found: dict[str, Balancer] = {}
    for balancer in balancers:
        found[_bare(balancer.dns_name)] = balancer
        found |= {address: balancer for zonal in balancer.zonal for address in zonal.addresses}
    return found


def behind(addresses: Sequence[str], alias: Alias | None, known: Mapping[str, Balancer]) -> Balancer | None:
    """Return the load balancer that an offer of another source leads to, where it is one of those."""
    keys = [_bare(alias.name)] if alias is not None else addresses
    return next((known[key] for key in keys if key in known), None)


def _bare(name: str) -> str:
    return name.lower().rstrip(".").removeprefix(DUALSTACK)

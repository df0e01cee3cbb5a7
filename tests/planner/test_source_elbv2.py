"""The source `elbv2` over real HTTP against the sandbox's moto: what is offered, how healthy it is, and that it is whole or fails."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import botocore.loaders
import pytest
from moto.elbv2 import models

from enactor.plan_faults import Faults
from enactor.records import Alias
from enactor.sandbox.faults import FaultRule
from enactor.sandbox.server import Sandbox
from planner.observation import Aim, Observation, Source, SourceFailed, SourceKind
from planner.source_elbv2 import KIND, Elbv2Source

from .elbv2_builders import Region
from .probe_targets import Targets, answering

WEST = "eu-west-1"
NORTH = "eu-north-1"
ZONE = "Z2P70J7EXAMPLE"
"""The canonical hosted zone of every load balancer of moto."""
ELB = "elasticloadbalancing"
ROLE = "arn:aws:iam::123456789012:role/planner-read"
WITHIN_SECONDS = 30.0


@pytest.fixture(scope="module")
def regions(server: Sandbox) -> Mapping[str, Region]:
    return {name: Region(server, name) for name in (WEST, NORTH)}


@pytest.fixture
def west(regions: Mapping[str, Region]) -> Region:
    return regions[WEST]


class Looks:
    """Sources on the sandbox, closed when the test ends."""

    def __init__(self) -> None:
        self.opened: list[Elbv2Source] = []

    def source(self, **raw: Any) -> Elbv2Source:
        faults = Faults()
        settings = KIND.read({"regions": [WEST], **raw}, "sources.albs", faults)
        assert settings is not None, faults.all()
        self.opened.append(KIND.open("albs", settings))
        return self.opened[-1]

    def look(self, *aims: Aim, **raw: Any) -> Observation:
        return self.source(**raw).observe(aims, WITHIN_SECONDS)


@pytest.fixture(scope="module")
def loader() -> botocore.loaders.Loader:
    return botocore.loaders.create_loader()


@pytest.fixture
def looks(server: Sandbox, monkeypatch: pytest.MonkeyPatch, loader: botocore.loaders.Loader) -> Iterator[Looks]:
    monkeypatch.setattr(botocore.loaders, "create_loader", lambda _=None: loader)  # reading the models once is enough
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    server.clear_faults()
    server.reset_stats()
    made = Looks()
    yield made
    for source in made.opened:
        source.close()


def test_it_keeps_to_the_protocol(looks: Looks) -> None:
    kind: SourceKind = KIND
    source: Source = looks.source(names=["any"])
    assert (kind.gives_inventory, kind.gives_health, source.name) == (True, True, "albs")


def test_it_offers_what_the_tags_choose_as_the_alias_that_the_console_would_make(west: Region, looks: Looks) -> None:
    """`dualstack.` stands before an Application Load Balancer's name and not before a Network Load Balancer's."""
    arn = west.balancer("chosen-app", {"team": "chosen"})
    west.balancer("chosen-net", {"team": "chosen"}, kind="network")
    west.balancer("other", {"team": "other"})
    found = looks.look(tags={"team": "chosen"}).offers
    assert [(offer.id, offer.alias, offer.addresses) for offer in found] == [
        ("chosen-app", Alias("dualstack.chosen-app-1.eu-west-1.elb.amazonaws.com.", ZONE, True), ()),
        ("chosen-net", Alias("chosen-net-1.eu-west-1.elb.amazonaws.com.", ZONE, True), ()),
    ]
    assert found[0].origin == arn
    (unheeding,) = looks.look(names=["chosen-app"], evaluate_target_health=False).offers
    assert unheeding.alias is not None
    assert not unheeding.alias.evaluate_target_health


@pytest.mark.parametrize(
    ("chosen", "ids"),
    [
        ({"tags": {"team": "pick", "stage": "blue"}}, ["pick-1", "pick-3"]),
        ({"tags": {"team": "pick", "stage": ["blue", "green"]}}, ["pick-1", "pick-2", "pick-3"]),
        ({"names": ["pick-?"]}, ["pick-1", "pick-2", "pick-3"]),
        ({"names": ["pick-1", "pick-2"], "tags": {"stage": "green"}}, ["pick-2"]),
        ({"names": ["PICK-1"]}, []),
        ({"names": ["pick-*"], "type": "network"}, ["pick-3"]),
        ({"names": ["pick-*"], "type": "application"}, ["pick-1", "pick-2"]),
        ({"tags": {"team": "nobody"}}, []),
    ],
)
def test_what_is_chosen(regions: Mapping[str, Region], looks: Looks, chosen: Mapping[str, Any], ids: list[str]) -> None:
    """Of names one must fit, of tags all; both where both are told."""
    made = {("pick-1", "blue", "application"), ("pick-2", "green", "application"), ("pick-3", "blue", "network")}
    known = {one["LoadBalancerName"] for one in regions[NORTH].elbv2.describe_load_balancers()["LoadBalancers"]}
    for name, stage, kind in made:
        if name not in known:
            regions[NORTH].balancer(name, {"team": "pick", "stage": stage}, kind=kind)
    assert [offer.id for offer in looks.look(regions=[NORTH], **chosen).offers] == ids


def test_only_what_routes_traffic_is_offered_and_an_impaired_one_says_so(west: Region, looks: Looks) -> None:
    tags = {"team": "states"}
    for state in ("active", "active_impaired", "provisioning", "failed"):
        west.becomes(west.balancer(f"states-{state.replace('_', '-')}", tags), state)
    impaired = west.elbv2.describe_load_balancers(Names=["states-active-impaired"])["LoadBalancers"][0]
    west.group("states-web", impaired["LoadBalancerArn"], {"10.0.0.1": "healthy"})
    found = looks.look(tags=tags)
    assert [offer.id for offer in found.offers] == ["states-active", "states-active-impaired"]
    signal = found.signals["states-active-impaired"]
    assert signal.healthy
    assert signal.why == "1 of 1 targets healthy in states-web; the load balancer is active_impaired"


def test_health_comes_from_every_target_group_and_the_worst_of_them_counts(west: Region, looks: Looks) -> None:
    balancer = west.balancer("groups-1", {"team": "groups"})
    west.group("groups-web", balancer, {"10.0.0.1": "healthy", "10.0.0.2": "healthy"}, port=80)
    west.group("groups-api", balancer, {"10.0.0.3": "healthy", "10.0.0.4": "unhealthy"}, port=81)
    west.balancer("groups-2", {"team": "groups"})
    found = looks.look(tags={"team": "groups"})
    assert found.source == "albs"
    assert set(found.signals) == {"groups-1"}, "one without a target group gets no signal"
    signal = found.signals["groups-1"]
    assert (signal.healthy, signal.capacity_share) == (True, Fraction(1, 2))
    assert signal.why == "1 of 2 targets healthy in groups-api, 2 of 2 targets healthy in groups-web"


def test_another_sources_offer_gets_the_signal_of_the_load_balancer_that_it_leads_to(
    west: Region, looks: Looks
) -> None:
    """A file may call a load balancer as it likes: what it answers with tells which one it is."""
    balancer = west.balancer("led-1", {"team": "led"})
    west.group("led-web", balancer, {"10.0.0.1": "unhealthy"})
    led = Alias("DualStack.led-1-1.eu-west-1.elb.amazonaws.com", ZONE, False)
    away = Alias("led-9-1.eu-west-1.elb.amazonaws.com", ZONE, False)
    aims = [Aim(pool="blue", id=f"own-{n}", addresses=(), alias=alias) for n, alias in enumerate((led, away))]
    found = looks.look(*aims, tags={"team": "led"})
    assert {name: signal.healthy for name, signal in found.signals.items()} == {"led-1": False, "own-0": False}


def test_static_addresses_are_one_offer_for_each_availability_zone(
    west: Region, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target holds one address of a type, so a Network Load Balancer with two Elastic IP addresses is two of them."""

    class Addressed(models.AvailabilityZone):  # type: ignore[misc]  # moto has no addresses
        def __init__(self, subnet: Any) -> None:
            super().__init__(subnet)
            last = ord(subnet.availability_zone[-1])
            v4 = {"IpAddress": f"198.51.100.{last}", "AllocationId": "eipalloc-1"}
            self.load_balancer_addresses = [v4, {"IPv6Address": f"2001:DB8::{last}"}]

    monkeypatch.setattr(models, "AvailabilityZone", Addressed)
    balancer = west.balancer("static-1", {"team": "static", "planner:capacity": "100"}, kind="network")
    west.group("static-tcp", balancer, {"10.0.0.1": "healthy"}, protocol="TCP")
    found = looks.look(tags={"team": "static"}, answer="addresses")
    assert [(offer.id, offer.addresses, offer.capacity, offer.alias) for offer in found.offers] == [
        ("static-1.eu-west-1a", ("198.51.100.97", "2001:db8::97"), Fraction(50), None),
        ("static-1.eu-west-1b", ("198.51.100.98", "2001:db8::98"), Fraction(50), None),
    ]
    assert set(found.signals) == {"static-1.eu-west-1a", "static-1.eu-west-1b"}
    aim = Aim(pool="blue", id="mine", addresses=("198.51.100.98",), alias=None)
    assert looks.look(aim, tags={"team": "static"}).signals["mine"].healthy


def test_a_network_load_balancer_without_static_addresses_is_no_offer_of_addresses(west: Region, looks: Looks) -> None:
    west.balancer("bare-1", {"team": "bare"}, kind="network")
    with pytest.raises(SourceFailed, match=r"bare-1/\S+ has no static address in eu-west-1a, eu-west-1b; give it"):
        looks.look(tags={"team": "bare"}, answer="addresses")


def test_every_page_is_read_and_tags_are_asked_for_twenty_at_a_time(
    west: Region, looks: Looks, server: Sandbox
) -> None:
    """Moto's page is 50 load balancers: 55 of ours are two pages, and three calls for tags."""
    for number in range(55):
        west.balancer(f"paged-{number}", {"team": "paged"})
    total = sum(len(page["LoadBalancers"]) for page in west.elbv2.get_paginator("describe_load_balancers").paginate())
    server.reset_stats()
    found = looks.look(names=["paged-*"], tags={"team": "paged"})
    assert {offer.id for offer in found.offers} == {f"paged-{number}" for number in range(55)}
    assert server.calls("DescribeLoadBalancers", service=ELB) == -(-total // 50)
    assert server.calls("DescribeTags", service=ELB) == 3


def test_regions_are_looked_at_together_and_a_name_in_two_of_them_is_told_apart(
    regions: Mapping[str, Region], looks: Looks
) -> None:
    arns = [region.balancer("twin", {"team": "twin"}) for region in regions.values()]
    chosen = {"regions": [WEST, NORTH], "tags": {"team": "twin"}}
    with pytest.raises(SourceFailed, match="two load balancers would have the id twin: ") as failed:
        looks.look(**chosen)
    assert all(arn in str(failed.value) for arn in arns)
    assert str(failed.value).startswith("source albs: ")
    assert str(failed.value).endswith("tell them apart with `id: region` or `id: account`")
    assert [offer.id for offer in looks.look(**chosen, id="region").offers] == ["twin.eu-north-1", "twin.eu-west-1"]


def test_roles_are_assumed_once_each_and_what_two_of_them_reach_is_there_once(
    west: Region, looks: Looks, server: Sandbox
) -> None:
    west.balancer("roles-1", {"team": "roles"})
    server.reset_stats()
    source = looks.source(tags={"team": "roles"}, roles=[ROLE, ROLE + "-2"], id="account")
    first = source.observe((), WITHIN_SECONDS)
    assert source.observe((), WITHIN_SECONDS) == first
    assert len(first.offers) == 1
    assert first.offers[0].id.startswith("roles-1.eu-west-1.")
    assert server.calls("AssumeRole", service="sts") == 2


def test_a_role_that_may_not_be_assumed_fails_the_look(looks: Looks, server: Sandbox) -> None:
    server.add_fault(FaultRule(action="deny", service="sts", count=None))
    with pytest.raises(SourceFailed, match=rf"in {WEST} as {ROLE}: AccessDenied: .*check the credentials"):
        looks.look(names=["any"], roles=[ROLE])


@pytest.mark.parametrize(
    "operation", ["DescribeLoadBalancers", "DescribeTags", "DescribeTargetGroups", "DescribeTargetHealth"]
)
def test_a_throttle_is_waited_out_and_a_refusal_fails_the_whole_look(
    west: Region, looks: Looks, server: Sandbox, operation: str
) -> None:
    """There is no partial observation: one request that fails for good is a look that failed."""
    team = f"fails-{operation[8:].lower()}"[:30]
    west.group(team, west.balancer(team, {"team": team}), {"10.0.0.1": "healthy"})
    whole = looks.look(tags={"team": team})
    assert len(whole.offers) == len(whole.signals) == 1
    server.add_fault(FaultRule(action="throttle", service="elasticloadbalancing", operation=operation, count=1))
    assert looks.look(tags={"team": team}) == whole
    server.add_fault(FaultRule(action="deny", service="elasticloadbalancing", operation=operation, count=1))
    with pytest.raises(SourceFailed, match=r"source albs: .* in eu-west-1: AccessDenied: .*; check the credentials"):
        looks.look(tags={"team": team})


def test_a_throttle_that_stays_ends_in_a_sentence_after_a_few_tries(looks: Looks, server: Sandbox) -> None:
    server.add_fault(FaultRule(action="throttle", service="elasticloadbalancing", count=None))
    with pytest.raises(SourceFailed, match="Throttling: Rate exceeded; look less often, or at fewer load balancers"):
        looks.look(names=["any"])
    assert server.calls("DescribeLoadBalancers", service=ELB) == 5


@pytest.mark.parametrize(
    ("operation", "code"),
    [("DescribeTags", "LoadBalancerNotFound"), ("DescribeTargetHealth", "TargetGroupNotFound")],
)
def test_what_goes_away_while_it_is_read_begins_the_look_anew(
    west: Region, looks: Looks, server: Sandbox, operation: str, code: str
) -> None:
    """A load balancer that goes between the listing and its tags is no failure, unless something goes every time."""
    team = f"going-{code.lower()}"[:30]
    west.group(team, west.balancer(team, {"team": team}), {"10.0.0.1": "healthy"})
    server.reset_stats()
    once = FaultRule(action="reject", service="elasticloadbalancing", operation=operation, code=code)
    server.add_fault(once)
    source = looks.source(names=[team])
    assert [offer.id for offer in source.observe((), WITHIN_SECONDS).offers] == [team]
    assert server.calls(operation, "ok", service=ELB) == 1
    server.add_fault(replace(once, count=3))
    with pytest.raises(SourceFailed, match=code):
        source.observe((), WITHIN_SECONDS)


@pytest.mark.parametrize("page", [b"<html><body>Sign in</body></html>", b"<html><p>Sign in", b""])
def test_a_page_of_a_proxy_is_no_account_without_load_balancers(
    looks: Looks, monkeypatch: pytest.MonkeyPatch, page: bytes
) -> None:
    """It comes with status 200; read carelessly it would list nothing, and the pool would be empty."""
    with Targets() as targets:
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(page)
        at = targets.add(answering(head + page))
        monkeypatch.setenv("AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2", f"http://{at}:{targets.port}")
        with pytest.raises(SourceFailed, match="the answer is not AWS's; check AWS_ENDPOINT_URL and for a proxy"):
            looks.look(names=["any"])


def test_a_look_that_is_not_answered_in_time_fails(west: Region, looks: Looks, server: Sandbox) -> None:
    west.balancer("late-1", {"team": "late"})
    server.add_fault(FaultRule(action="hold", service="elasticloadbalancing", operation="DescribeTags", seconds=3.0))
    with pytest.raises(
        SourceFailed, match="answered 0 of 1 requests in time; give the look more time, or fewer regions"
    ):
        looks.source(tags={"team": "late"}).observe((), 1.0)


def test_a_source_that_is_closed_waits_no_longer(looks: Looks, server: Sandbox) -> None:
    server.add_fault(FaultRule(action="throttle", service="elasticloadbalancing", count=None))
    source = looks.source(names=["any"])
    source.close()
    with pytest.raises(SourceFailed, match="asked to stop"):
        source.observe((), WITHIN_SECONDS)


@pytest.mark.parametrize(
    ("tag", "value", "why"),
    [
        (
            "planner:capacity",
            "1O0",
            'the tag planner:capacity of .* is "1O0", not a number above 0 like 100; mend the tag',
        ),
        ("planner:capacity", "0", "not a number above 0"),
        ("planner:drain", "maybe", 'the tag planner:drain of .* is "maybe", not true or false; mend the tag'),
    ],
)
def test_a_tag_that_cannot_be_meant_fails_the_look(west: Region, looks: Looks, tag: str, value: str, why: str) -> None:
    team = f"tag-{tag[8:]}-{value.lower()}"
    west.balancer(team, {"team": team, tag: value})
    with pytest.raises(SourceFailed, match=why):
        looks.look(tags={"team": team})


def test_capacity_and_drain_are_tags_that_a_person_sets(west: Region, looks: Looks) -> None:
    west.balancer("tags-1", {"team": "tags", "planner:capacity": "2.5", "planner:drain": "True", "mine": "7"})
    (offer,) = looks.look(tags={"team": "tags"}).offers
    assert (offer.capacity, offer.drain) == (Fraction(5, 2), True)
    (offer,) = looks.look(tags={"team": "tags"}, capacity_tag="mine", drain_tag="none").offers
    assert (offer.capacity, offer.drain) == (Fraction(7), False)

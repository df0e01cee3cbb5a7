"""What a fleet file means, and what is said about one that means nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.plan import Plan, Target, canonical_json
from enactor.plan_form import read_plan
from enactor.records import Alias
from planner.fleet import compile_fleet

ZONE = "Z0EXAMPLE"
CHECK = "11111111-2222-3333-4444-555555555555"
ALIAS = {"name": "dualstack.lb.example.net", "zone": "Z35SXDOTRQ7X7K", "evaluate_target_health": True}


def changed(good: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in (good | changes).items() if value is not None}


def balancer(number: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a load balancer with an address of each family; None takes a key out."""
    good = {"id": f"lb-{number}", "capacity": 100, "addresses": [f"192.0.2.{number}", f"2001:db8::{number:x}"]}
    return changed(good, changes)


def endpoint(**changes: Any) -> dict[str, Any]:
    return changed({"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1.0}}, changes)


def fleet(*endpoints: Any, **changes: Any) -> dict[str, Any]:
    good = {
        "fleet": "edge",
        "zones": {"main": {"id": ZONE, "name": "example.test."}},
        "pools": {"blue": [balancer(1), balancer(2)], "green": [balancer(3)]},
        "endpoints": list(endpoints) or [endpoint()],
    }
    return changed(good, changes)


def pools(*balancers: Any) -> dict[str, Any]:
    return fleet(pools={"blue": list(balancers)})


def plan_of(raw: Any) -> Plan:
    reading = compile_fleet(raw)
    assert reading.faults == ()
    assert reading.plan is not None
    return reading.plan


def targets_of(raw: Any) -> tuple[Target, ...]:
    return plan_of(raw).endpoints[0].targets


def faults_of(raw: Any) -> list[str]:
    reading = compile_fleet(raw)
    assert (reading.plan is None) == bool(reading.faults)
    return [str(fault) for fault in reading.faults]


def test_pools_become_a_target_for_each_address() -> None:
    """Each load balancer of a pool stands behind the endpoint once for each type, with capacity x share as its weight."""
    assert targets_of(fleet(endpoint(pools={"blue": 0.5, "green": 1}))) == (
        Target(id="lb-1", type="A", value="192.0.2.1", weight=50),
        Target(id="lb-2", type="A", value="192.0.2.2", weight=50),
        Target(id="lb-3", type="A", value="192.0.2.3", weight=100),
        Target(id="lb-1", type="AAAA", value="2001:db8::1", weight=50),
        Target(id="lb-2", type="AAAA", value="2001:db8::2", weight=50),
        Target(id="lb-3", type="AAAA", value="2001:db8::3", weight=100),
    )


def test_types_choose_what_an_endpoint_answers() -> None:
    """`types: [A]` leaves the IPv6 addresses out, of the endpoint that says so alone."""
    read = plan_of(fleet(endpoint(types=["A"]), endpoint(name="ep2.example.test")))
    assert {target.type for target in read.endpoints[0].targets} == {"A"}
    assert {target.type for target in read.endpoints[1].targets} == {"A", "AAAA"}


def test_alias_has_one_target_for_each_type() -> None:
    """An alias answers what its target answers, so it stands once for each type that the endpoint has."""
    lb = Alias("dualstack.lb.example.net.", "Z35SXDOTRQ7X7K", evaluate_target_health=True)
    assert targets_of(pools(balancer(1, addresses=None, alias=ALIAS, capacity=7))) == (
        Target(id="lb-1", type="A", alias=lb, weight=7),
        Target(id="lb-1", type="AAAA", alias=lb, weight=7),
    )


def test_disabled_balancer_is_left_out() -> None:
    """`enabled: false` takes a load balancer out of every endpoint, and out of the weights."""
    assert {target.id for target in targets_of(pools(balancer(1), balancer(2, enabled=False, capacity=5000)))} == {
        "lb-1"
    }


def test_balancer_without_an_address_of_the_types_does_not_scale_the_others() -> None:
    """What is no target has no part in the weights."""
    raw = fleet(
        endpoint(types=["A"]), pools={"blue": [balancer(1, capacity=10), balancer(2, capacity=999, addresses=["::1"])]}
    )
    assert targets_of(raw) == (Target(id="lb-1", type="A", value="192.0.2.1", weight=10),)


def test_defaults_of_the_file_and_of_the_format() -> None:
    """An endpoint's own word goes before the file's defaults, and these before the format's."""
    plain = plan_of(fleet()).endpoints[0]
    assert (plain.ttl, plain.routing) == (60, "weighted")
    raw = fleet(
        endpoint(),
        endpoint(name="ep2.example.test", ttl=5),
        defaults={"ttl": 30, "routing": "multivalue", "types": ["A"]},
    )
    one, two = plan_of(raw).endpoints
    assert (one.ttl, two.ttl, one.routing, len(one.targets)) == (30, 5, "multivalue", 2)


def test_simple_and_multivalue_have_no_weights() -> None:
    """Capacity means nothing where Route 53 has no weights."""
    for routing in ("simple", "multivalue"):
        assert {target.weight for target in targets_of(fleet(endpoint(routing=routing)))} == {None}


def test_health_check_passes_through_to_every_target_of_its_balancer() -> None:
    """Route 53 then leaves the record set out while the check fails; an alias may have one too."""
    raw = pools(
        balancer(1, health_check=CHECK), balancer(2), balancer(3, addresses=None, alias=ALIAS, health_check="hc-3")
    )
    assert {(target.id, target.type): target.health_check for target in targets_of(raw)} == {
        ("lb-1", "A"): CHECK,
        ("lb-1", "AAAA"): CHECK,
        ("lb-2", "A"): None,
        ("lb-2", "AAAA"): None,
        ("lb-3", "A"): "hc-3",
        ("lb-3", "AAAA"): "hc-3",
    }


def test_simple_set_has_one_health_check() -> None:
    """A simple set is one record set: load balancers with different checks cannot share it, with one check they can."""
    simple = endpoint(routing="simple", types=["A"])
    same = {"blue": [balancer(1, health_check=CHECK), balancer(2, health_check=CHECK)]}
    assert {target.health_check for target in targets_of(fleet(simple, pools=same))} == {CHECK}
    different = {"blue": [balancer(1, health_check=CHECK), balancer(2)]}
    assert faults_of(fleet(simple, pools=different)) == [
        f"pools.blue[0].addresses[0]: a simple A set has one health check, and its targets name {CHECK}, none"
    ]


def test_wrong_health_check_is_one_fault_and_judged_no_further() -> None:
    """Whatever is written in its place may be the check that the others have."""
    simple = endpoint(routing="simple", types=["A"])
    odd = {"blue": [balancer(1, health_check=CHECK), balancer(2, health_check="a check")]}
    assert faults_of(fleet(simple, pools=odd)) == [
        'pools.blue[1].health_check: "a check" does not match [A-Za-z0-9-]{1,64}'
    ]
    odd = {"blue": [balancer(1, health_check=11)]}
    assert faults_of(fleet(simple, pools=odd)) == [
        "pools.blue[0].health_check: 11 is a number, not text; put it in quotes"
    ]


def test_capacity_defaults_to_one() -> None:
    """Load balancers that say nothing take the same share."""
    assert {target.weight for target in targets_of(pools(balancer(1, capacity=None), balancer(2, capacity=None)))} == {
        1
    }


def test_empty_pool_is_right_in_form() -> None:
    """Whether an endpoint may lose every target is for the guard `empty`, which names it and keeps what stands."""
    assert targets_of(pools()) == ()
    assert targets_of(pools(balancer(enabled=False))) == ()


def test_retired_names_are_carried_over() -> None:
    """A retired name is given by the fleet's own word for the zone."""
    read = plan_of(fleet(retired=[{"name": "Old.example.test", "zone": "main"}]))
    assert [(one.name, one.zone) for one in read.retired] == [("old.example.test.", ZONE)]


WRONG: list[tuple[Any, list[str]]] = [
    ([], [": [] is a list, not an object"]),
    ({}, ["fleet: missing", "zones: missing", "pools: missing", "endpoints: missing"]),
    (fleet(fleet="Edge"), ['fleet: "Edge" does not match [a-z0-9-]{1,32}']),
    (
        fleet(speed=1),
        ["speed: unknown key; known are fleet, zones, pools, endpoints, defaults, retired, sources, health, pace"],
    ),
    (
        fleet(zones={"main": {"id": "example.test", "name": "example.test"}}),
        ['zones.main.id: "example.test" looks like a name; a zone is given by its id'],
    ),
    (
        fleet(zones={"main": {"id": ZONE}}),
        ["zones.main.name: missing; write it like {id: Z0123456789ABC, name: example.com.}"],
    ),
    (
        fleet(
            zones={
                "main": {"id": ZONE, "name": "example.test"},
                "again": {"id": f"/hostedzone/{ZONE}", "name": "example.test"},
            }
        ),
        [f"zones.again.id: {ZONE} stands twice, first as zones.main"],
    ),
    (
        fleet(zones={"main": {"id": ZONE, "name": "example.test"}, 3: {"id": "Z3", "name": "c.test"}}),
        ["zones.3: 3 is a number, not text; put it in quotes"],
    ),
    (
        fleet(defaults={"ttl": 0, "types": [], "speed": 1}),
        [
            "defaults.speed: unknown key; known are ttl, routing, types",
            "defaults.ttl: 0 is under 1",
            "defaults.types: empty; an endpoint has A, AAAA or both",
        ],
    ),
    (fleet(endpoint(types=["A", "A"])), ['endpoints[0].types: ["A", "A"] names a type twice']),
    (fleet(endpoint(types=["CNAME"])), ['endpoints[0].types[0]: "CNAME" is none of A, AAAA']),
    (fleet(endpoint(pools={"red": 1})), ['endpoints[0].pools.red: "red" is none of the fleet\'s pools: blue, green']),
    (fleet(endpoint(zone="other")), ['endpoints[0].zone: "other" is none of the fleet\'s zones: main']),
    (
        fleet(endpoint(name="evilexample.test")),
        ["endpoints[0].name: evilexample.test. is not within zone example.test."],
    ),
    (
        fleet(endpoint(name="ep1..example.test")),
        ['endpoints[0].name: "ep1..example.test" is no DNS name: a label is empty'],
    ),
    (
        fleet(endpoint(name="_fence.example.test")),
        ['endpoints[0].name: label "_fence" of "_fence.example.test." belongs to fences, switches and self-tests'],
    ),
    (fleet(endpoint(pools={"blue": 0})), ["endpoints[0].pools.blue: 0 is not above 0"]),
    (fleet(endpoint(pools={"blue": True})), ["endpoints[0].pools.blue: true is a boolean, not a number above 0"]),
    (
        fleet(endpoint(), endpoint(name="EP1.example.test.")),
        [f"endpoints[1].name: ep1.example.test. in zone {ZONE} stands twice, first as endpoints[0]"],
    ),
    (
        fleet(retired=[{"name": "ep1.example.test", "zone": "main"}]),
        [f"retired[0].name: ep1.example.test. in zone {ZONE} is also listed, as endpoints[0]"],
    ),
    (
        fleet(retired=[{"name": "ep9.example.test", "zone": "elsewhere"}]),
        ['retired[0].zone: "elsewhere" is none of the fleet\'s zones: main'],
    ),
    (pools(balancer(capacity=0)), ["pools.blue[0].capacity: 0 is not above 0"]),
    (pools(balancer(capacity=-1.5)), ["pools.blue[0].capacity: -1.5 is not above 0"]),
    (pools(balancer(capacity=True)), ["pools.blue[0].capacity: true is a boolean, not a number above 0"]),
    (pools(balancer(capacity=float("nan"))), ["pools.blue[0].capacity: nan is not finite"]),
    (pools(balancer(capacity=float("inf"))), ["pools.blue[0].capacity: inf is not finite"]),
    (pools(balancer(capacity="1O0")), ['pools.blue[0].capacity: "1O0" is text, not a number above 0']),
    (pools(balancer(enabled="no")), ['pools.blue[0].enabled: "no" is text, not true or false']),
    (pools(balancer(id=1)), ["pools.blue[0].id: 1 is a number, not text; put it in quotes"]),
    (pools(balancer(alias=ALIAS)), ["pools.blue[0]: addresses and alias exclude each other"]),
    (pools(balancer(addresses=None)), ["pools.blue[0]: one of addresses and alias is required"]),
    (
        pools(balancer(addresses=[])),
        ["pools.blue[0].addresses: empty; a load balancer out of service has enabled: false"],
    ),
    (
        pools(balancer(addresses=["192.0.2.1", "nowhere"])),
        ['pools.blue[0].addresses[1]: "nowhere" is no IPv4 or IPv6 address: it does not parse'],
    ),
    (
        pools(balancer(addresses=["192.0.2.1", "192.0.2.2"])),
        [
            "pools.blue[0].addresses[1]: 192.0.2.2 is a second address of type A, after 192.0.2.1; a target holds one: give each its own id"
        ],
    ),
    (pools(balancer(1), balancer(1)), ["pools.blue[1].id: lb-1 stands twice in its pool, first as pools.blue[0]"]),
    (
        pools(balancer(1), balancer(2, addresses=["192.0.2.1"])),
        [
            "pools.blue[1].addresses[0]: value 192.0.2.1 stands twice among the A targets of ep1.example.test., first as pools.blue[0].addresses[0]"
        ],
    ),
    (
        fleet(endpoint(routing="simple"), pools={"blue": [balancer(1), balancer(2, addresses=None, alias=ALIAS)]}),
        [
            "pools.blue[1].alias: an alias stands alone in a simple A set, and ep1.example.test. has 2 targets in it",
            "pools.blue[1].alias: an alias stands alone in a simple AAAA set, and ep1.example.test. has 2 targets in it",
        ],
    ),
]


@pytest.mark.parametrize(("raw", "messages"), WRONG, ids=[messages[0][:70] for _, messages in WRONG])
def test_wrong_fleet_is_refused_whole_with_every_fault(raw: Any, messages: list[str]) -> None:
    """Every fault is named by its path in the fleet file, and no plan comes out."""
    assert faults_of(raw) == messages


def test_case_15_two_pools_that_contradict_each_other_are_both_named() -> None:
    """Case 15: two sources claim one load balancer with different addresses: a conflict that names both."""
    raw = fleet(
        endpoint(pools={"blue": 1, "green": 1}),
        pools={"blue": [balancer(1)], "green": [balancer(1, addresses=["192.0.2.77"])]},
    )
    assert faults_of(raw) == [
        "endpoints[0].pools: lb-1 of pool blue (192.0.2.1, 2001:db8::1) and lb-1 of pool green (192.0.2.77) are in conflict"
    ]


def test_one_balancer_in_two_pools_of_an_endpoint_is_a_fault() -> None:
    """Alike in both, nobody knows which share was meant; in pools that share no endpoint it is fine."""
    both = {"blue": [balancer(1)], "green": [balancer(1)]}
    assert faults_of(fleet(endpoint(pools={"blue": 1, "green": 2}), pools=both)) == [
        "endpoints[0].pools: lb-1 is in both pools blue and green; a load balancer stands behind an endpoint once"
    ]
    plan_of(fleet(endpoint(), endpoint(name="ep2.example.test", pools={"green": 1}), pools=both))


def test_disabled_twin_is_no_conflict() -> None:
    """That is how a load balancer moves from one pool to another."""
    moving = {"blue": [balancer(1, enabled=False)], "green": [balancer(1, addresses=["192.0.2.77"])]}
    assert len(targets_of(fleet(endpoint(pools={"blue": 1, "green": 1}), pools=moving))) == 1


def test_cases_31_and_71_over_100_targets_is_refused_by_name() -> None:
    """Cases 31, 71: 101 load balancers behind one name are refused when checked."""
    many = [balancer(number, addresses=[f"192.0.2.{number}"]) for number in range(101)]
    assert faults_of(pools(*many)) == ["endpoints[0].targets: ep1.example.test. has 101 targets of type A, over 100"]


def test_plan_is_the_same_whatever_the_order_of_the_file() -> None:
    """Equal fleets have equal digests."""
    one = fleet(endpoint(), endpoint(name="EP0.example.test"))
    two = fleet(
        endpoint(name="ep0.example.test."),
        endpoint(),
        pools={"green": [balancer(3)], "blue": [balancer(2), balancer(1)]},
    )
    assert canonical_json(plan_of(one)) == canonical_json(plan_of(two))


@given(
    st.integers(0, 6),
    st.sampled_from(["weighted", "simple", "multivalue"]),
    st.sampled_from([["A"], ["AAAA"], ["A", "AAAA"]]),
)
def test_compiled_plan_is_right_in_form(count: int, routing: str, types: list[str]) -> None:
    """What the fleet file's reader lets through the plan file's reader lets through, unchanged."""
    raw = fleet(
        endpoint(routing=routing, types=types), pools={"blue": [balancer(number + 1) for number in range(count)]}
    )
    plan = plan_of(raw)
    reading = read_plan(canonical_json(plan))
    assert (reading.faults, reading.plan) == ((), plan)


YAML = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4) | st.integers() | st.none(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(["fleet", "zones", "pools", "endpoints", "defaults", "retired"]), YAML)
def test_any_part_of_a_file_is_a_plan_or_faults(key: str, odd: Any) -> None:
    """Reading never raises, whatever stands where."""
    compile_fleet(fleet() | {key: odd})


@given(st.sampled_from(["name", "zone", "pools", "ttl", "routing", "types"]), YAML)
def test_any_part_of_an_endpoint_is_a_plan_or_faults(key: str, odd: Any) -> None:
    """Reading never raises, whatever an endpoint says."""
    compile_fleet(fleet(endpoint() | {key: odd}))


@given(st.sampled_from(["id", "capacity", "enabled", "addresses", "alias", "health_check"]), YAML)
def test_any_part_of_a_balancer_is_a_plan_or_faults(key: str, odd: Any) -> None:
    """Reading never raises, whatever a load balancer says."""
    compile_fleet(pools(balancer() | {key: odd}))

"""What is said about a plan file, a part of one, or an endpoint that does not have the right form: a fault for each mistake."""

import json
from typing import Any

import pytest

from enactor.plan_form import read_plan
from enactor.records import Alias

from .plan_file_builders import alias, endpoint, faults_of, good_plan, guards_of, plan, target


def test_good_plan_is_read_whole() -> None:
    """A right file has no faults, and its plan holds canonical names and addresses."""
    read = good_plan(plan(endpoint(name="EP1.Example.Test", targets=[target(type="AAAA", value="2001:DB8:0::1")])))
    assert read.endpoints[0].name == "ep1.example.test."
    assert read.endpoints[0].targets[0].value == "2001:db8::1"


WRONG_TARGETS: list[tuple[dict[str, Any], str]] = [
    (target(weight=256), ".weight: 256 is over 255"),
    (target(weight=-1), ".weight: -1 is under 0"),
    (target(weight="1O0"), '.weight: "1O0" is text, not a whole number from 0 to 255'),
    (target(weight=1.5), ".weight: 1.5 is a number with a point, not a whole number from 0 to 255"),
    (target(weight=True), ".weight: true is true or false, not a whole number from 0 to 255"),
    (target(weight=None), ".weight: missing; a weighted target needs a whole number from 0 to 255"),
    (target(value="2001:db8::1"), '.value: "2001:db8::1" is an IPv6 address, which type A cannot hold'),
    (target(type="AAAA"), '.value: "192.0.2.1" is an IPv4 address, which type AAAA cannot hold'),
    (
        target(value="192.0.2.01"),
        '.value: "192.0.2.01" is no IPv4 or IPv6 address: leading zeros are read as octal by some',
    ),
    (target(value="192.0.2.256"), '.value: "192.0.2.256" is no IPv4 or IPv6 address: it does not parse'),
    (target(value=" 192.0.2.1"), '.value: " 192.0.2.1" is no IPv4 or IPv6 address: it does not parse'),
    (target(type="AAAA", value="fe80::1%eth0"), '.value: "fe80::1%eth0" has a scope, which DNS cannot carry'),
    (
        target(type="AAAA", value="::ffff:192.0.2.1"),
        '.value: "::ffff:192.0.2.1" is an IPv4-mapped address; write 192.0.2.1 as type A',
    ),
    (target(value=3), ".value: 3 is a number, not text; put it in quotes"),
    (target(value=None), ": one of value and alias is required"),
    (target(alias=alias()), ": value and alias exclude each other"),
    (target(value=None, alias=alias(zone=None)), ".alias.zone: missing"),
    (
        target(value=None, alias=alias(evaluate_target_health="yes")),
        '.alias.evaluate_target_health: "yes" is text, not true or false',
    ),
    (target(value=None, alias=alias(name="a..b")), '.alias.name: "a..b" is no DNS name: a label is empty'),
    (
        target(value=None, alias=alias(extra=1)),
        ".alias.extra: unknown key; known are name, zone, evaluate_target_health",
    ),
    (target(type="CNAME", value=None, alias=alias()), ".alias: a CNAME is no alias; use value"),
    (target(type="CNAME", value="a..b"), '.value: "a..b" is no DNS name: a label is empty'),
    (target(type="CNAME", value="EP2.example.test"), ".value: ep2.example.test. points to itself"),
    (target(type="MX"), '.type: "MX" is none of A, AAAA, CNAME'),
    (target(id="lb 1"), '.id: "lb 1" does not match [A-Za-z0-9._:-]{1,64}'),
    (target(id="x" * 65), f'.id: "{"x" * 40}..." does not match [A-Za-z0-9._:-]{{1,64}}'),
    (target(id=None), ".id: missing"),
    (target(health_check="no check"), '.health_check: "no check" does not match [A-Za-z0-9-]{1,64}'),
    (target(wieght=1), ".wieght: unknown key; known are id, type, value, alias, weight, health_check"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG_TARGETS, ids=[message[:60] for _, message in WRONG_TARGETS])
def test_wrong_target_is_named_by_path_value_and_limit(wrong: dict[str, Any], message: str) -> None:
    """Every fault of a target says where it stands, what is there and what may be (cases 55, 56)."""
    assert faults_of(plan(endpoint(), endpoint(name="ep2.example.test", targets=[wrong]))) == [
        "endpoints[1].targets[0]" + message
    ]


WRONG_ENDPOINTS: list[tuple[dict[str, Any], str, str]] = [
    (endpoint(name="ep1..example.test"), '.name: "ep1..example.test" is no DNS name: a label is empty', "malformed"),
    (endpoint(name=""), '.name: "" is no DNS name: the name is empty', "malformed"),
    (endpoint(name=7), ".name: 7 is a number, not text; put it in quotes", "malformed"),
    (
        endpoint(name="a._fence.example.test"),
        '.name: label "_fence" of "a._fence.example.test." belongs to',
        "malformed",
    ),
    (endpoint(name="_switch-edge.example.test"), '.name: label "_switch-edge" of', "malformed"),
    (endpoint(name="_selftest-1.example.test"), '.name: label "_selftest-1" of', "malformed"),
    (endpoint(name="_wildcard.example.test"), '.name: label "_wildcard" of', "malformed"),
    (endpoint(name="_apex.example.test"), '.name: label "_apex" of', "malformed"),
    (endpoint(zone="example.test"), '.zone: "example.test" looks like a name; a zone is given by its id', "malformed"),
    (endpoint(zone="z1"), '.zone: "z1" is no hosted zone id', "malformed"),
    (endpoint(zone=""), '.zone: "" is no hosted zone id', "malformed"),
    (endpoint(routing="latency"), '.routing: "latency" is none of weighted, simple, multivalue', "malformed"),
    (endpoint(ttl=0), ".ttl: 0 is under 1", "ttl"),
    (endpoint(ttl=86_401), ".ttl: 86401 is over 86400", "ttl"),
    (endpoint(ttl=None), ".ttl: missing; ep1.example.test. has targets that are no alias", "ttl"),
    (endpoint(targets=None), ".targets: missing", "malformed"),
    (endpoint(targets={}), ".targets: {} is an object, not a list", "malformed"),
    (endpoint(routing="simple"), ".targets[0].weight: 10 means nothing where routing is simple", "malformed"),
    (endpoint(routing="multivalue"), ".targets[0].weight: 10 means nothing where routing is multivalue", "malformed"),
    (
        endpoint(targets=[target(), target(value="192.0.2.2")]),
        ".targets[1].id: id lb-1 stands twice among the A targets of ep1.example.test., first as endpoints[0].targets[0]",
        "duplicate",
    ),
    (
        endpoint(targets=[target(), target(id="lb-2")]),
        ".targets[1].value: value 192.0.2.1 stands twice among the A targets",
        "duplicate",
    ),
    (
        endpoint(
            targets=[
                target(value=None, alias=alias()),
                target(id="lb-2", value=None, alias=alias(name="LB.example.net")),
            ]
        ),
        ".targets[1].alias: alias lb.example.net. stands twice",
        "duplicate",
    ),
    (
        endpoint(targets=[target(), target(id="c", type="CNAME", value="a.example.net")]),
        ".targets[1].type: a CNAME stands alone at its name, and ep1.example.test. has A too",
        "malformed",
    ),
    (
        endpoint(targets=[target(value=None, alias=alias(name="ep1.example.test", zone="Z1"))]),
        ".targets[0].alias: ep1.example.test. points to itself",
        "malformed",
    ),
    (
        endpoint(
            routing="simple", targets=[target(weight=None), target(id="b", weight=None, value=None, alias=alias())]
        ),
        ".targets[1].alias: an alias stands alone in a simple A set, and ep1.example.test. has 2 targets in it",
        "malformed",
    ),
    (
        endpoint(
            routing="simple",
            targets=[target(weight=None, health_check="abc"), target(id="b", weight=None, value="192.0.2.2")],
        ),
        ".targets[0].health_check: a simple A set has one health check, and its targets name abc, none",
        "malformed",
    ),
    (
        endpoint(
            routing="simple",
            targets=[
                target(weight=None, type="CNAME", value="a.example.net"),
                target(weight=None, id="b", type="CNAME", value="b.example.net"),
            ],
        ),
        ".targets[1].value: a simple CNAME set holds one value, and ep1.example.test. has 2",
        "malformed",
    ),
    (
        endpoint(routing="multivalue", targets=[target(weight=None, value=None, alias=alias())]),
        ".targets[0].alias: routing multivalue takes no alias",
        "malformed",
    ),
    (
        endpoint(routing="multivalue", targets=[target(weight=None, type="CNAME", value="a.example.net")]),
        ".targets[0].type: routing multivalue takes no CNAME",
        "malformed",
    ),
]


@pytest.mark.parametrize(
    ("wrong", "message", "guard"), WRONG_ENDPOINTS, ids=[message[:60] for _, message, _ in WRONG_ENDPOINTS]
)
def test_wrong_endpoint_is_named_and_has_its_guard(wrong: dict[str, Any], message: str, guard: str) -> None:
    """Every fault of an endpoint has its path, and the label by which an enactor refuses it (case 22)."""
    (fault,) = read_plan(json.dumps(plan(wrong))).faults
    assert str(fault).startswith("endpoints[0]" + message)
    assert fault.guard == guard


WRONG_TOPS: list[tuple[Any, str]] = [
    ([], "plan: [] is a list, not an object"),
    (None, "plan: null is null, not an object"),
    (plan(format=2), "format: 2 is unknown; this version reads format 1"),
    (plan(format=True), "format: true is not the number 1"),
    (plan(format=None), "format: missing"),
    (plan(fleet="Edge"), 'fleet: "Edge" does not match [a-z0-9-]{1,32}'),
    (plan(fleet="e" * 33), 'fleet: "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee" does not match [a-z0-9-]{1,32}'),
    (plan(fleet=None), "fleet: missing"),
    (plan(endpoints={}), "endpoints: {} is an object, not a list"),
    (plan(endpoints=None), "endpoints: missing"),
    (plan(retired={}), "retired: {} is an object, not a list"),
    (plan(pools={}), "pools: unknown key; known are format, fleet, endpoints, retired"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG_TOPS, ids=[message[:60] for _, message in WRONG_TOPS])
def test_file_wrong_as_a_whole_gives_no_plan(wrong: Any, message: str) -> None:
    """What cannot be understood as a whole is no plan, not half of one."""
    reading = read_plan(json.dumps(wrong))
    assert reading.plan is None
    assert [str(fault) for fault in reading.faults] == [message]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "plan: line 1 column 1 is not JSON: Expecting value; of a fleet file `planner compile` makes a plan"),
        (
            '{"format": 1,\n "fleet" "edge"}',
            "plan: line 2 column 10 is not JSON: Expecting ':' delimiter; of a fleet file `planner compile` makes a plan",
        ),
        (b"\xff", "plan: octet 0 is not UTF-8"),
        ("[" * 100_000, "plan: it is nested too deep to be a plan"),
        ("9" * 5000, f"plan: {'9' * 77}... is a number of 5000 characters, not an object"),
        ("-Infinity", "plan: -Infinity is no JSON number, not an object"),
    ],
)
def test_unreadable_text_is_one_fault_with_its_place(body: bytes | str, message: str) -> None:
    """Text that is no JSON ends in one sentence that says where."""
    reading = read_plan(body)
    assert reading.plan is None
    assert [str(fault) for fault in reading.faults] == [message]


def test_duplicate_key_is_refused_where_it_stands() -> None:
    """JSON readers take the last of two equal keys; here both are refused, as nobody knows which was meant."""
    text = json.dumps(plan(endpoint())).replace('"weight": 10', '"weight": 10, "weight": 20')
    reading = read_plan(text)
    assert [str(fault) for fault in reading.faults] == ["endpoints[0].targets[0].weight: the key stands twice"]
    assert reading.plan is not None
    assert [broken.name for broken in reading.plan.broken] == ["ep1.example.test."]


def test_case_31_and_71_more_than_100_of_a_type_is_named() -> None:
    """Cases 31, 71: 101 targets of one name and type are a fault by name; 100 of each type are not."""
    many = [target(id=f"lb-{index}", value=f"192.0.2.{index}") for index in range(101)]
    raw = plan(endpoint(targets=many))
    assert faults_of(raw) == ["endpoints[0].targets: ep1.example.test. has 101 targets of type A, over 100"]
    assert guards_of(raw) == ["limit"]
    good_plan(plan(endpoint(targets=many[:100])))
    simple = [target(id=f"lb-{index}", value=f"192.0.2.{index}", weight=None) for index in range(101)]
    assert faults_of(plan(endpoint(routing="simple", targets=simple))) == [
        "endpoints[0].targets: ep1.example.test. has 101 targets of type A, over 100"
    ]


@pytest.mark.parametrize(("value", "record_type"), [("192.0.2.1", "A"), ("2001:db8::1", "AAAA")])
def test_an_address_without_a_type_counts_among_those_that_can_only_be_of_its_type(
    value: str, record_type: str
) -> None:
    """However the type is mended, the address stands twice; of a host name that cannot be said."""
    first = target(value=value, type=record_type)
    found = faults_of(plan(endpoint(targets=[first, target(id="lb-2", value=value, type="MX")])))
    twice = f"value {value} stands twice among the {record_type} targets of ep1.example.test."
    assert found == [
        'endpoints[0].targets[1].type: "MX" is none of A, AAAA, CNAME',
        f"endpoints[0].targets[1].value: {twice}, first as endpoints[0].targets[0]",
    ]
    host = [target(id=one, value="a.example.net", type="MX") for one in ("a", "b")]
    assert len(faults_of(plan(endpoint(targets=host)))) == 2


@pytest.mark.parametrize(("length", "name"), [(1020, "l" * 1020), (1021, "endpoints[0]")])
def test_an_endpoint_whose_name_is_longer_than_any_goes_by_its_path(length: int, name: str) -> None:
    """Up to that its text is the name it is held back under, though it is none."""
    reading = read_plan(json.dumps(plan(endpoint(name="l" * length))))
    assert reading.plan is not None
    assert [(broken.zone, broken.name) for broken in reading.plan.broken] == [("Z1", name)]


def test_an_alias_is_read_with_all_that_it_says() -> None:
    """Name and zone in canonical spelling."""
    for flag in (True, False):
        raw = alias(name="LB.example.net", zone="/hostedzone/Z2", evaluate_target_health=flag)
        (read,) = good_plan(plan(endpoint(targets=[target(value=None, alias=raw)]))).endpoints[0].targets
        assert read.alias == Alias("lb.example.net.", "Z2", evaluate_target_health=flag)


@pytest.mark.parametrize(
    ("changes", "messages"),
    [
        (
            {
                "routing": "simple",
                "targets": [
                    target(weight=None, health_check="no check"),
                    target(id="b", value="192.0.2.2", weight=None, health_check="abc"),
                ],
            },
            ['.targets[0].health_check: "no check" does not match [A-Za-z0-9-]{1,64}'],
        ),
        (
            {"ttl": None, "targets": [target(value=None, alias="lb.example.net")]},
            ['.targets[0].alias: "lb.example.net" is text, not an object'],
        ),
        (
            {"ttl": None, "targets": [target(alias="lb.example.net")]},
            [
                ".targets[0]: value and alias exclude each other",
                '.targets[0].alias: "lb.example.net" is text, not an object',
                ".ttl: missing; ep1.example.test. has targets that are no alias",
            ],
        ),
        (
            {"ttl": None, "targets": [target(type="CNAME", value=None, alias="lb.example.net")]},
            [
                '.targets[0].alias: "lb.example.net" is text, not an object',
                ".targets[0].alias: a CNAME is no alias; use value",
                ".ttl: missing; ep1.example.test. has targets that are no alias",
            ],
        ),
        (
            {"ttl": None, "targets": [target(id=7, value=None, alias=alias())]},
            [".targets[0].id: 7 is a number, not text; put it in quotes"],
        ),
        (
            {"ttl": None, "targets": ["192.0.2.1"]},
            [
                '.targets[0]: "192.0.2.1" is text, not an object',
                ".ttl: missing; ep1.example.test. has targets that are no alias",
            ],
        ),
        ({"ttl": "60"}, ['.ttl: "60" is text, not a whole number from 1 to 86400']),
    ],
)
def test_of_a_wrong_part_only_that_is_said_which_stays_however_it_is_mended(
    changes: dict[str, Any], messages: list[str]
) -> None:
    """A wrong health check may be any, an alias needs no TTL however it is mended, and what has a value as well needs one."""
    assert faults_of(plan(endpoint(**changes))) == [f"endpoints[0]{message}" for message in messages]

"""What a plan file may look like, and what is said about one that does not."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.plan import Endpoint, Plan, canonical_json, content_of_endpoint, digest_of
from enactor.plan_form import read_plan


def target(**changes: Any) -> dict[str, Any]:
    """Return a good weighted target; `None` takes a key out."""
    return _changed({"id": "lb-1", "type": "A", "value": "192.0.2.1", "weight": 10}, changes)


def endpoint(**changes: Any) -> dict[str, Any]:
    good = {"name": "ep1.example.test.", "zone": "Z1", "routing": "weighted", "ttl": 60, "targets": [target()]}
    return _changed(good, changes)


def plan(*endpoints: Any, **changes: Any) -> dict[str, Any]:
    return _changed({"format": 1, "fleet": "edge", "endpoints": list(endpoints)}, changes)


def _changed(good: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in (good | changes).items() if value is not None}


def alias(**changes: Any) -> dict[str, Any]:
    good = {"name": "lb.example.net.", "zone": "Z35SXDOTRQ7X7K", "evaluate_target_health": True}
    return _changed(good, changes)


def faults_of(raw: Any) -> list[str]:
    return [str(fault) for fault in read_plan(json.dumps(raw)).faults]


def guards_of(raw: Any) -> list[str]:
    return [fault.guard for fault in read_plan(json.dumps(raw)).faults]


def good_plan(raw: Any) -> Plan:
    reading = read_plan(json.dumps(raw))
    assert reading.faults == ()
    assert reading.plan is not None
    return reading.plan


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
    ([], "[] is a list, not an object"),
    (None, "null is null, not an object"),
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
    assert [str(fault).removeprefix(": ") for fault in reading.faults] == [message]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "plan: line 1 column 1 is not JSON: Expecting value"),
        ('{"format": 1,\n "fleet" "edge"}', "plan: line 2 column 10 is not JSON: Expecting ':' delimiter"),
        (b"\xff", "plan: octet 0 is not UTF-8"),
        ("[" * 100_000, "plan: it is nested too deep to be a plan"),
        ('{"format": NaN}', "plan: NaN is no JSON number"),
        ("9" * 5000, "plan: a number in it has too many digits"),
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


def test_case_22_one_bad_endpoint_is_broken_and_50_stay_usable() -> None:
    """Case 22: an enactor that meets such a plan in the table can still apply the 50 good endpoints."""
    good = [endpoint(name=f"ep{index}.example.test") for index in range(50)]
    reading = read_plan(json.dumps(plan(*good, endpoint(name="ep..example.test"))))
    assert reading.plan is not None
    assert len(reading.plan.endpoints) == 50
    (broken,) = reading.plan.broken
    assert (broken.zone, broken.name) == ("Z1", "ep..example.test")
    assert broken.faults == reading.faults


def test_broken_endpoint_keeps_its_canonical_name() -> None:
    """The enactor finds the endpoint that it must leave alone under the name it knows it by."""
    reading = read_plan(json.dumps(plan(endpoint(name="EP1.example.test", zone="/hostedzone/Z1", ttl=0))))
    assert reading.plan is not None
    assert [(broken.zone, broken.name) for broken in reading.plan.broken] == [("Z1", "ep1.example.test.")]


def test_every_fault_is_listed_at_once() -> None:
    """A person mends a file once: faults of endpoints, targets and retired names come together, in the file's order."""
    raw = plan(
        endpoint(ttl=0, targets=[target(weight=256), target(id="b", value="x")]),
        endpoint(name="b..c"),
        retired=[{"name": "old.example.test"}],
    )
    paths = [fault.path for fault in read_plan(json.dumps(raw)).faults]
    assert paths == [
        "endpoints[0].ttl",
        "endpoints[0].targets[0].weight",
        "endpoints[0].targets[1].value",
        "endpoints[1].name",
        "retired[0].zone",
    ]


def test_endpoint_listed_twice_leaves_neither_usable() -> None:
    """Nobody knows which of two entries was meant, spelled however: the name is broken once, the others are not."""
    raw = plan(endpoint(), endpoint(name="EP1.example.TEST", ttl=30), endpoint(name="ep2.example.test"))
    reading = read_plan(json.dumps(raw))
    assert [str(fault) for fault in reading.faults] == [
        "endpoints[1].name: ep1.example.test. in zone Z1 stands twice, first as endpoints[0]"
    ]
    assert reading.plan is not None
    assert [one.name for one in reading.plan.endpoints] == ["ep2.example.test."]
    assert [one.name for one in reading.plan.broken] == ["ep1.example.test."]


def test_one_name_in_two_zones_is_two_endpoints() -> None:
    """Cases 33, 61: a public and a private zone may hold the same name."""
    read = good_plan(plan(endpoint(zone="Z2"), endpoint(zone="Z1")))
    assert [one.zone for one in read.endpoints] == ["Z1", "Z2"]


def test_name_both_listed_and_retired_is_refused() -> None:
    """A doubtful permission to leave the plan is none, and the entry is not usable either."""
    reading = read_plan(json.dumps(plan(endpoint(), retired=[{"name": "ep1.example.test", "zone": "Z1"}])))
    assert [fault.guard for fault in reading.faults] == ["retired"]
    assert reading.plan is not None
    assert (reading.plan.endpoints, reading.plan.retired) == ((), ())
    assert [one.name for one in reading.plan.broken] == ["ep1.example.test."]


def test_retired_twice_is_a_fault() -> None:
    """The same retired name twice is a slip of somebody's."""
    old = {"name": "old.example.test", "zone": "Z1"}
    assert guards_of(plan(retired=[old, old])) == ["duplicate"]


def test_empty_endpoint_zero_weights_and_no_endpoints_are_not_faults_of_form() -> None:
    """Cases 1, 3, 55: these are for guards, which know what stands in the zone."""
    assert good_plan(plan()).endpoints == ()
    assert good_plan(plan(endpoint(targets=[], ttl=None))).endpoints[0].targets == ()
    good_plan(plan(endpoint(targets=[target(weight=0)])))


def test_fence_name_must_fit() -> None:
    """A name whose fence would be too long is refused; one octet less is not; a wildcard's fence is longer."""
    label = "a" * 61
    fits = ".".join([label, label, label, "b" * 60])
    assert len(fits) + 2 + 7 == 255
    good_plan(plan(endpoint(name=fits)))
    assert guards_of(plan(endpoint(name="a" + fits))) == ["limit"]
    assert guards_of(plan(endpoint(name="*." + fits[2:]))) == ["limit"]
    good_plan(plan(endpoint(name="*." + fits[10:])))


@pytest.mark.parametrize("spelling", ["*.example.test", "\\052.Example.Test.", "*.EXAMPLE.test."])
def test_case_43_wildcard_spellings_are_one_name(spelling: str) -> None:
    """Cases 43, 44: the octal escape, case and the trailing dot make no difference."""
    assert good_plan(plan(endpoint(name=spelling))).endpoints[0].name == "*.example.test."


def test_case_50_alias_with_a_ttl_has_the_same_content() -> None:
    """Case 50: a TTL beside aliases is allowed and means nothing."""
    targets = [target(value=None, alias=alias())]
    with_ttl = good_plan(plan(endpoint(targets=targets)))
    without = good_plan(plan(endpoint(targets=targets, ttl=None)))
    assert content_of_endpoint(with_ttl.endpoints[0]) == content_of_endpoint(without.endpoints[0])


def test_weighted_cnames_may_share_an_endpoint() -> None:
    """Several weighted CNAME targets are several sets of one type, which Route 53 accepts."""
    targets = [target(id=name, type="CNAME", value=f"{name}.example.net") for name in ("a", "b")]
    assert len(good_plan(plan(endpoint(targets=targets))).endpoints[0].targets) == 2


def test_lone_surrogates_are_named_and_do_not_break_the_message() -> None:
    """JSON can spell text that no UTF-8 holds; the fault is still printable."""
    (fault,) = read_plan(
        '{"format": 1, "fleet": "edge", "endpoints": [{"name": "\\ud800", "zone": "Z1", "routing": "simple", "targets": []}]}'
    ).faults
    str(fault).encode("utf-8")


def spelled(text: str, chance: random.Random) -> str:
    other = "".join(chance.choice([letter.upper(), letter.lower()]) for letter in text)
    return other.removesuffix(".") if chance.random() < 0.5 else other


IPV6_SPELLINGS: list[Callable[[int], str]] = [
    lambda number: f"2001:db8::{number:x}",
    lambda number: f"2001:0DB8:0:0:0:0:0:{number:04X}",
    lambda number: f"2001:db8:0::{number:x}",
]


@given(seed=st.integers(0, 10_000), count=st.integers(1, 5))
def test_digest_does_not_change_with_order_or_spelling(seed: int, count: int) -> None:
    """The same wish has the same digest, however it is written down."""
    chance = random.Random(seed)

    def wish(chance: random.Random | None) -> dict[str, Any]:
        endpoints = []
        for index in range(count):
            name = f"ep{index}.example.test."
            targets = [target(id=f"lb-{number}", value=f"192.0.2.{number}") for number in range(3)]
            for number in range(3):
                spell = chance.choice(IPV6_SPELLINGS) if chance else IPV6_SPELLINGS[0]
                targets.append(target(id=f"lb-{number}", type="AAAA", value=spell(number + 1)))
            if chance:
                chance.shuffle(targets)
                name = spelled(name, chance)
            endpoints.append(endpoint(name=name, zone="/hostedzone/Z1" if chance else "Z1", targets=targets))
        if chance:
            chance.shuffle(endpoints)
        return plan(*endpoints)

    plain, other = good_plan(wish(None)), good_plan(wish(chance))
    assert plain == other
    assert canonical_json(plain) == canonical_json(other)


def test_digest_is_the_same_on_every_machine() -> None:
    """A digest written down here years ago must still be the one: enactors of two versions compare them."""
    body = canonical_json(good_plan(plan(endpoint(), retired=[{"name": "old.example.test", "zone": "Z1"}])))
    assert body == (
        b'{"endpoints":[{"name":"ep1.example.test.","routing":"weighted","targets":[{"id":"lb-1","type":"A",'
        b'"value":"192.0.2.1","weight":10}],"ttl":60,"zone":"Z1"}],"fleet":"edge","format":1,'
        b'"retired":[{"name":"old.example.test.","zone":"Z1"}]}'
    )
    assert digest_of(body) == "ca7030d3f9bf879c8366d69891809f86188695020ad45fa74fe45350a0657c58"


@given(
    names=st.lists(st.from_regex(r"[a-z0-9]{1,10}\.example\.test\.", fullmatch=True), unique=True, max_size=4),
    weights=st.lists(st.integers(0, 255), min_size=1, max_size=4),
)
def test_canonical_json_reads_back_as_the_same_plan(names: list[str], weights: list[int]) -> None:
    """What the store gives back is what was published."""
    targets = [
        target(id=f"lb-{index}", value=f"192.0.2.{index}", weight=weight) for index, weight in enumerate(weights)
    ]
    first = good_plan(plan(*(endpoint(name=name, targets=targets) for name in names)))
    again = read_plan(canonical_json(first))
    assert again.faults == ()
    assert again.plan == first


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "format",
                    "fleet",
                    "endpoints",
                    "retired",
                    "name",
                    "zone",
                    "routing",
                    "ttl",
                    "targets",
                    "id",
                    "type",
                    "value",
                ]
            )
            | st.text(max_size=4),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.text() | st.binary())
def test_any_octets_are_faults_or_a_plan(body: bytes | str) -> None:
    """Reading never raises."""
    reading = read_plan(body)
    assert reading.faults or reading.plan is not None


@given(JSON)
def test_any_json_is_faults_or_a_plan(raw: Any) -> None:
    """Reading never raises, whatever the JSON says."""
    reading = read_plan(json.dumps(raw))
    assert reading.faults or reading.plan is not None


@given(st.lists(JSON, max_size=3), st.lists(JSON, max_size=2))
def test_any_endpoint_is_right_or_broken(endpoints: list[Any], targets: list[Any]) -> None:
    """Whatever stands in the list, every entry ends as usable or as broken, and what is usable can be written."""
    raw = plan(*endpoints, endpoint(targets=targets))
    reading = read_plan(json.dumps(raw))
    assert reading.plan is not None
    assert len(reading.plan.endpoints) + len(reading.plan.broken) <= len(raw["endpoints"])
    assert reading.plan.endpoints or reading.plan.broken
    for one in reading.plan.endpoints:
        assert isinstance(one, Endpoint)
        content_of_endpoint(one)

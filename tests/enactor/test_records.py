"""What a record set says: comparison in canonical form, kinds, the digest of a content, and the difference of two."""

import hashlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.plan import Endpoint, Target, content_of_endpoint
from enactor.records import (
    Alias,
    RecordSet,
    canonical_set,
    canonical_value,
    content_digest,
    content_of,
    difference,
    kinds_of,
    kinds_served,
    same,
    txt_quote,
    txt_strings,
)
from enactor.wire import record_from_wire

from .kernel_builders import BALANCER_ZONE, ZONE, alias, cname, simple, weighted


def txt(*values: str) -> RecordSet:
    return RecordSet(name="t.example.test.", type="TXT", ttl=60, values=values)


@pytest.mark.parametrize(
    ("listed", "planned"),
    [
        ("\\052.example.test.", "*.example.test."),
        ("\\052.EXAMPLE.test", "*.example.test."),
        ("a\\100b.example.test.", "a@b.example.test."),
        ("\\141pi.example.test.", "api.example.test."),
        ("a.\\052.example.test.", "a.*.example.test."),
    ],
)
def test_case_43_every_octal_escape_is_the_same_name(listed: str, planned: str) -> None:
    """Case 43: a set listed under an escaped name is the set that a plan writes in plain letters."""
    assert same(simple(1, name=listed), simple(1, name=planned))
    assert not same(simple(1, name=listed), simple(1, name="other.example.test."))


def test_case_44_the_case_of_a_name_is_no_change() -> None:
    """Case 44: `5HW.Example.Test` without a dot is `5hw.example.test.`"""
    assert same(simple(1, name="5HW.Example.Test"), simple(1, name="5hw.example.test."))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (alias("lb.Example.Test"), alias("lb.example.test.")),
        (alias("\\052.example.test."), alias("*.example.test.")),
        (cname("LB.Example.Test"), cname("lb.example.test.")),
    ],
    ids=["alias", "escaped alias", "cname"],
)
def test_case_45_host_names_are_folded(one: RecordSet, other: RecordSet) -> None:
    """Case 45: the target of an alias or a CNAME in another spelling is no change."""
    assert same(one, other)


def test_case_45_txt_values_are_case_sensitive() -> None:
    """Case 45: two texts that differ in case are two texts; a fence is one."""
    assert not same(txt('"Gen=7"'), txt('"gen=7"'))


def test_case_47_the_order_of_values_is_no_change() -> None:
    """Case 47: {1,2,3} is {3,1,2}, and is not {1,2}."""
    assert same(simple(1, 2, 3), simple(3, 1, 2))
    assert not same(simple(1, 2, 3), simple(1, 2))


def test_case_50_an_alias_has_no_ttl_of_its_own() -> None:
    """Case 50: a TTL that a plan gives an alias is no change; for any other set a TTL is one."""
    assert same(alias("lb.example.test."), msgspec.structs.replace(alias("lb.example.test."), ttl=60))
    assert not same(simple(1, ttl=60), simple(1, ttl=61))


def test_case_51_dualstack_is_part_of_the_name() -> None:
    """Case 51: `dualstack.lb` answers AAAA too, so it is another target than `lb`."""
    assert not same(alias("lb.example.net."), alias("dualstack.lb.example.net."))


@pytest.mark.parametrize(
    "changes",
    [
        {"weight": 0},
        {"weight": None},
        {"set_identifier": "LB-1"},
        {"health_check": "check-1"},
        {"multivalue": True},
        {"type": "AAAA"},
        {"values": ("192.0.2.9",)},
        {"extra": '{"Failover":"PRIMARY"}'},
    ],
    ids=str,
)
def test_whatever_changes_an_answer_is_a_change(changes: dict[str, Any]) -> None:
    """A weight of 0 is not an absent weight, an identifier has a case, and what a plan cannot say counts too."""
    one = weighted(1)
    assert not same(one, msgspec.structs.replace(one, **changes))
    zero = weighted(1, weight=0)
    assert not same(zero, msgspec.structs.replace(zero, weight=None))


def test_evaluate_target_health_is_content() -> None:
    """Two aliases that differ in it alone are not the same set."""
    made = alias("lb.example.test.")
    healthy = msgspec.structs.replace(made, alias=Alias("lb.example.test.", ZONE, evaluate_target_health=True))
    assert not same(made, healthy)


def test_an_address_has_one_spelling() -> None:
    """RFC 5952: a listed AAAA value in long form is the same address."""
    long = RecordSet(name="a.test.", type="AAAA", ttl=60, values=("2001:0DB8:0:0:0:0:0:1",))
    assert canonical_set(long).values == ("2001:db8::1",)


def test_a_txt_value_is_compared_by_its_strings() -> None:
    """Blanks between strings and needless escapes mean nothing; where one string ends does."""
    assert same(txt('"a"  "b"'), txt('"a" "b"'))
    assert same(txt('"\\141"'), txt('"a"'))
    assert not same(txt('"a" "b"'), txt('"ab"'))
    assert txt_strings('"a" loose') is None
    assert txt_strings("") is None


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
def test_a_text_survives_its_quotes(text: str) -> None:
    """What is quoted reads back as it was, backslashes and quotes included."""
    assert txt_strings(txt_quote(text)) == (text,)


def test_only_managed_types_are_content() -> None:
    """Other types at an endpoint are never touched, so they are no part of what is compared."""
    assert content_of([weighted(2), txt('"x"'), weighted(1)]) == (weighted(1), weighted(2))


def test_the_kinds_of_sets() -> None:
    """A CNAME answers both questions; only a weight that is not 0 serves."""
    assert kinds_of([weighted(1, weight=0), simple(1, record_type="AAAA")]) == {"v4", "v6"}
    assert kinds_of([cname("lb.example.net.")]) == {"v4", "v6"}
    assert kinds_served([weighted(1, weight=0), weighted(2, record_type="AAAA")]) == {"v6"}
    assert kinds_of([txt('"x"')]) == frozenset()


WILD = "*.example.test."
PLANNED: dict[str, tuple[Endpoint, list[dict[str, Any]]]] = {
    "weighted": (
        Endpoint(
            name=WILD,
            zone=ZONE,
            routing="weighted",
            ttl=60,
            targets=(
                Target(id="b", type="A", value="192.0.2.2", weight=0),
                Target(id="a", type="A", value="192.0.2.1", weight=10, health_check="check-1"),
                Target(id="c", type="A", weight=1, alias=Alias("lb.example.net.", BALANCER_ZONE, True)),
            ),
        ),
        [
            {"Type": "A", "SetIdentifier": "a", "Weight": 10, "TTL": 60, "HealthCheckId": "check-1"}
            | {"ResourceRecords": [{"Value": "192.0.2.1"}]},
            {"Type": "A", "SetIdentifier": "b", "Weight": 0, "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.2"}]},
            {"Type": "A", "SetIdentifier": "c", "Weight": 1, "AliasTarget": {"DNSName": "LB.example.net."}},
        ],
    ),
    "simple": (
        Endpoint(
            name=WILD,
            zone=ZONE,
            routing="simple",
            ttl=60,
            targets=(
                *(Target(id=f"t{number}", type="A", value=f"192.0.2.{number}") for number in (3, 1, 2)),
                Target(id="t1", type="AAAA", value="2001:db8::1"),
            ),
        ),
        [
            {"Type": "AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:0db8::1"}]},
            {"Type": "A", "TTL": 60, "ResourceRecords": [{"Value": f"192.0.2.{number}"} for number in (2, 3, 1)]},
        ],
    ),
    "multivalue": (
        Endpoint(
            name=WILD,
            zone=ZONE,
            routing="multivalue",
            ttl=60,
            targets=(Target(id="a", type="A", value="192.0.2.1"),),
        ),
        [
            {"Type": "A", "SetIdentifier": "a", "MultiValueAnswer": True, "TTL": 60}
            | {"ResourceRecords": [{"Value": "192.0.2.1"}]}
        ],
    ),
    "cname": (
        Endpoint(
            name=WILD,
            zone=ZONE,
            routing="simple",
            ttl=60,
            targets=(Target(id="a", type="CNAME", value="lb.example.net."),),
        ),
        [{"Type": "CNAME", "TTL": 60, "ResourceRecords": [{"Value": "LB.Example.Net"}]}],
    ),
}


@pytest.mark.parametrize("routing", PLANNED)
def test_a_content_has_one_digest_from_a_plan_and_from_a_zone(routing: str) -> None:
    """What a fence names is known again in the listing, however Route 53 spells and orders it."""
    planned, listed = PLANNED[routing]
    items = [{"Name": "\\052.example.test.", **item} for item in listed]
    for item in items:
        if "AliasTarget" in item:
            item["AliasTarget"] |= {"HostedZoneId": BALANCER_ZONE, "EvaluateTargetHealth": True}
    observed = content_of(map(record_from_wire, items))
    assert observed == content_of_endpoint(planned)
    assert content_digest(observed) == content_digest(content_of_endpoint(planned))


def test_a_digest_is_the_start_of_sha256_over_canonical_json() -> None:
    """Every fence in the world holds such digests: this one may never change."""
    text = (
        b'[{"alias":null,"extra":"","health_check":null,"multivalue":false,"name":"ep1.example.test.",'
        b'"set_identifier":"lb-1","ttl":60,"type":"A","values":["192.0.2.1"],"weight":10}]'
    )
    assert content_digest((weighted(1),)) == hashlib.sha256(text).hexdigest()[:12]


def test_a_difference_deletes_as_observed_and_creates_as_wanted() -> None:
    """Case 73: of members a,b,c and a plan of a,b,d, only c goes and only d comes; a and b are kept."""
    observed = (weighted(1), weighted(2), weighted(3))
    found = difference(observed, content_of([weighted(1), weighted(2), weighted(4)]))
    assert (found.deletes, found.creates) == ((weighted(3),), (weighted(4),))
    assert found.kept == (weighted(1), weighted(2))


def test_a_delete_gives_the_set_to_the_letter() -> None:
    """Route 53 wants a DELETE exactly as the set stands, so the odd spelling of what was observed is kept."""
    odd = msgspec.structs.replace(simple(1, record_type="AAAA"), values=("2001:0DB8::9", "2001:0DB8::1"))
    found = difference([odd], content_of([simple(1, record_type="AAAA")]))
    assert found.deletes == (odd,)
    same_again = difference([odd], content_of([odd]))
    assert same_again.kept == (odd,)
    assert same_again.deletes == same_again.creates == ()


@pytest.mark.parametrize(
    ("record_type", "value", "wanted"),
    [
        ("A", " 192.0.2.1 ", "192.0.2.1"),
        ("AAAA", "2001:DB8:0::1", "2001:db8::1"),
        ("TXT", '"a"   "b"', '"a""b"'),
        ("TXT", "no quotes", "no quotes"),
        ("CNAME", "Host.Example.net", "host.example.net."),
        ("NS", "Ns.Example.net", "Ns.Example.net"),
    ],
)
def test_a_value_has_one_spelling(record_type: str, value: str, wanted: str) -> None:
    """What two programs write differently and Route 53 answers alike is no drift."""
    assert canonical_value(record_type, value) == wanted


def test_what_is_no_name_is_folded_all_the_same() -> None:
    """A listing may have it; two spellings of it are one set."""
    odd = msgspec.structs.replace(simple(1), name="A..example.test.")
    assert canonical_set(odd).name == "a..example.test."


def test_a_simple_endpoint_s_alias_and_health_check_are_its_set_s() -> None:
    """Each type's set has its own; an alias has no TTL, whatever the endpoint says."""
    target = Alias("lb.example.net.", "Z9", evaluate_target_health=True)
    targets = (
        Target(id="four", type="A", alias=target),
        Target(id="six", type="AAAA", value="2001:db8::1", health_check="h-1"),
        Target(id="seven", type="AAAA", value="2001:db8::2"),
    )
    made = Endpoint(name="a.example.test.", zone=ZONE, routing="simple", ttl=60, targets=targets)
    four, six = content_of_endpoint(made)
    assert (four.alias, four.ttl, four.values, four.health_check, four.weight) == (target, None, (), None, None)
    assert (six.alias, six.ttl, six.health_check) == (None, 60, "h-1")
    assert six.values == ("2001:db8::1", "2001:db8::2")


def test_an_alias_among_weighted_sets_has_no_ttl_and_a_multivalue_set_no_weight() -> None:
    """As Route 53 lists them, so that a plan and a live zone have one digest."""
    target = Alias("lb.example.net.", "Z9", evaluate_target_health=False)
    weighed = Endpoint(
        name="a.example.test.",
        zone=ZONE,
        routing="weighted",
        ttl=60,
        targets=(Target(id="x", type="A", alias=target, weight=3),),
    )
    (found,) = content_of_endpoint(weighed)
    assert (found.alias, found.ttl, found.weight, found.set_identifier, found.multivalue) == (
        target,
        None,
        3,
        "x",
        False,
    )
    many = msgspec.structs.replace(
        weighed, routing="multivalue", targets=(Target(id="x", type="A", value="192.0.2.1", weight=3),)
    )
    (found,) = content_of_endpoint(many)
    assert (found.ttl, found.weight, found.multivalue) == (60, None, True)

"""The rules of form that need to see an endpoint's parts together: each broken one by one, with its sentence, path and guard."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from enactor.plan import Target
from enactor.plan_faults import Faults
from enactor.plan_rules import OpenAlias, OpenTarget, Placed, Shape, apply_rules
from enactor.records import Alias

NAME, ZONE = "ep1.example.test.", "Z1"


def target(number: int = 1, **changes: Any) -> Target:
    good = Target(id=f"lb-{number}", type="A", value=f"192.0.2.{number}", weight=10)
    return msgspec.structs.replace(good, **changes)


def simple(number: int = 1, **changes: Any) -> Target:
    return target(number, **{"weight": None} | changes)


def cname(number: int = 1, **changes: Any) -> Target:
    return target(number, **{"type": "CNAME", "value": f"lb-{number}.example.net."} | changes)


def alias(number: int = 1, **changes: Any) -> Target:
    points_to = Alias(f"lb-{number}.example.net.", "Z2", evaluate_target_health=True)
    return target(number, **{"value": None, "alias": points_to} | changes)


def wrong(**known: Any) -> OpenTarget:
    """Return a target with a fault of its own, of which this is known."""
    return msgspec.structs.replace(OpenTarget(type="A", weight=10), **known)


def shape(*targets: Target | OpenTarget, has_parts: bool = True, **changes: Any) -> Shape:
    """Return a weighted endpoint whose targets stand at `t[0]`, `t[1]`, ..."""
    placed = tuple(Placed(f"t[{index}]", one, has_parts=has_parts) for index, one in enumerate(targets))
    good = Shape(path="e", name=NAME, zone=ZONE, routing="weighted", ttl=60, targets=placed)
    return msgspec.structs.replace(good, **changes)


def found(of: Shape) -> list[str]:
    faults = Faults()
    apply_rules(of, faults)
    return [f"{fault} ({fault.guard})" for fault in faults.all()]


def checks(count: int) -> list[Target]:
    return [simple(number, health_check=f"c{number:02}") for number in range(count)]


SAID = "stands twice among the A targets of"
ONE_CHECK = "t[0].health_check: a simple A set has one health check, and its targets name"
RULES: list[tuple[Callable[[], Shape], list[str]]] = [
    # ttl
    (lambda: shape(target(), ttl=None), [f"e.ttl: missing; {NAME} has targets that are no alias (ttl)"]),
    (lambda: shape(alias(), target(2), ttl=None), [f"e.ttl: missing; {NAME} has targets that are no alias (ttl)"]),
    (lambda: shape(target(), ttl=None, name=None), ["e.ttl: missing; e has targets that are no alias (ttl)"]),
    (lambda: shape(wrong(), ttl=None), [f"e.ttl: missing; {NAME} has targets that are no alias (ttl)"]),
    (
        lambda: shape(wrong(alias=OpenAlias(), needs_ttl=True), ttl=None),
        [f"e.ttl: missing; {NAME} has targets that are no alias (ttl)"],
    ),
    (lambda: shape(wrong(alias=OpenAlias(), needs_ttl=False), ttl=None), []),
    (lambda: shape(target(), ttl=None, ttl_wrong=True), []),
    (lambda: shape(alias(), ttl=None), []),
    (lambda: shape(ttl=None), []),
    # limit
    (lambda: shape(*(target(number) for number in range(100))), []),
    (
        lambda: shape(*(target(number) for number in range(101))),
        [f"e.targets: {NAME} has 101 targets of type A, over 100 (limit)"],
    ),
    (lambda: shape(*(target(number) for number in range(100)), target(type="AAAA")), []),
    # duplicates
    (
        lambda: shape(target(), target(2, id="lb-1")),
        [f"t[1].id: id lb-1 {SAID} {NAME}, first as t[0] (duplicate)"],
    ),
    (
        lambda: shape(target(), target(2, value="192.0.2.1"), target(3, value="192.0.2.1")),
        [
            f"t[1].value: value 192.0.2.1 {SAID} {NAME}, first as t[0] (duplicate)",
            f"t[2].value: value 192.0.2.1 {SAID} {NAME}, first as t[0] (duplicate)",
        ],
    ),
    (
        lambda: shape(alias(), alias(id="lb-2"), name=None),
        [f"t[1].alias: alias lb-1.example.net. {SAID} e, first as t[0] (duplicate)"],
    ),
    (
        lambda: shape(target(), wrong(id="lb-1", value="192.0.2.1")),
        [
            f"t[1].id: id lb-1 {SAID} {NAME}, first as t[0] (duplicate)",
            f"t[1].value: value 192.0.2.1 {SAID} {NAME}, first as t[0] (duplicate)",
        ],
    ),
    (
        lambda: shape(alias(), wrong(alias=OpenAlias("lb-1.example.net.", "Z2"))),
        [f"t[1].alias: alias lb-1.example.net. {SAID} {NAME}, first as t[0] (duplicate)"],
    ),
    (lambda: shape(wrong(alias=OpenAlias("a.", None)), wrong(alias=OpenAlias("a.", None))), []),
    (lambda: shape(wrong(alias=OpenAlias(None, "Z2")), wrong(alias=OpenAlias(None, "Z2"))), []),
    (lambda: shape(target(), target(type="AAAA")), []),
    (lambda: shape(wrong(id="lb-1", type=None), wrong(id="lb-1", type=None)), []),
    (lambda: shape(alias(), alias(2, alias=Alias("lb-1.example.net.", "Z3", evaluate_target_health=True))), []),
    (
        lambda: shape(target(), target(2, id="lb-1"), has_parts=False),
        [f"t[1]: id lb-1 {SAID} {NAME}, first as t[0] (duplicate)"],
    ),
    # weights
    (
        lambda: shape(simple()),
        ["t[0].weight: missing; a weighted target needs a whole number from 0 to 255 (malformed)"],
    ),
    (lambda: shape(target(weight=0)), []),
    (lambda: shape(simple(), routing=None), []),
    (lambda: shape(target(), routing=None), []),
    (lambda: shape(simple(), routing="simple"), []),
    (
        lambda: shape(target(weight=0), routing="simple"),
        ["t[0].weight: 0 means nothing where routing is simple (malformed)"],
    ),
    (
        lambda: shape(wrong(weight='"x"'), target(), routing="multivalue"),
        [
            't[0].weight: "x" means nothing where routing is multivalue (malformed)',
            "t[1].weight: 10 means nothing where routing is multivalue (malformed)",
        ],
    ),
    (
        lambda: shape(wrong(weight=None, is_object=False), wrong(weight=None)),
        ["t[1].weight: missing; a weighted target needs a whole number from 0 to 255 (malformed)"],
    ),
    # simple
    (
        lambda: shape(simple(), alias(2, weight=None), alias(3, weight=None), routing="simple"),
        [f"t[1].alias: an alias stands alone in a simple A set, and {NAME} has 3 targets in it (malformed)"],
    ),
    (lambda: shape(alias(weight=None), alias(2, weight=None, type="AAAA"), routing="simple"), []),
    (
        lambda: shape(simple(), simple(2, health_check="abc"), routing="simple"),
        [f"{ONE_CHECK} abc, none (malformed)"],
    ),
    (lambda: shape(simple(health_check="abc"), simple(2, health_check="abc"), routing="simple"), []),
    (lambda: shape(simple(health_check="abc"), simple(2, type="AAAA"), routing="simple"), []),
    (lambda: shape(simple(health_check="abc"), wrong(weight=None, has_wrong_check=True), routing="simple"), []),
    (
        lambda: shape(simple(health_check="abc"), wrong(weight=None), routing="simple"),
        [f"{ONE_CHECK} abc, none (malformed)"],
    ),
    (
        lambda: shape(*checks(10), routing="simple"),
        [
            f"{ONE_CHECK} c00, c01, c02, c03, c04, c05, c06, c07, c08, c09 (malformed)",
        ],
    ),
    (
        lambda: shape(*checks(12), routing="simple"),
        [
            f"{ONE_CHECK} c00, c01, c02, c03, c04, c05, c06, c07, c08, c09 and 2 more (malformed)",
        ],
    ),
    (lambda: shape(target(health_check="abc"), target(2), alias(3)), []),
    # multivalue
    (
        lambda: shape(simple(), alias(2, weight=None), cname(3, weight=None), routing="multivalue"),
        [
            "t[1].alias: routing multivalue takes no alias (malformed)",
            "t[2].type: routing multivalue takes no CNAME (malformed)",
            f"t[2].type: a CNAME stands alone at its name, and {NAME} has A too (malformed)",
        ],
    ),
    # CNAME
    (lambda: shape(cname(), cname(2)), []),
    (
        lambda: shape(target(), target(2, type="AAAA"), cname(3), cname(4)),
        [f"t[2].type: a CNAME stands alone at its name, and {NAME} has A, AAAA too (malformed)"],
    ),
    (lambda: shape(cname(), wrong(type=None)), []),
    (lambda: shape(target(), target(type="AAAA")), []),
    (
        lambda: shape(cname(weight=None), cname(2, weight=None), cname(3, weight=None), routing="simple"),
        [f"t[1].value: a simple CNAME set holds one value, and {NAME} has 3 (malformed)"],
    ),
    (lambda: shape(cname(weight=None), routing="simple"), []),
    # itself
    (lambda: shape(cname(value=NAME)), [f"t[0].value: {NAME} points to itself (malformed)"]),
    (lambda: shape(wrong(type="CNAME"), name=None), []),
    (lambda: shape(target(value=NAME)), []),
    (
        lambda: shape(alias(alias=Alias(NAME, ZONE, evaluate_target_health=True))),
        [f"t[0].alias: {NAME} points to itself (malformed)"],
    ),
    (
        lambda: shape(wrong(alias=OpenAlias(NAME, ZONE))),
        [f"t[0].alias: {NAME} points to itself (malformed)"],
    ),
    (lambda: shape(alias(alias=Alias(NAME, "Z2", evaluate_target_health=True))), []),
    (lambda: shape(alias(alias=Alias("ep2.example.test.", ZONE, evaluate_target_health=True))), []),
    (lambda: shape(wrong(alias=OpenAlias()), name=None, zone=None), []),
    (
        lambda: shape(wrong(), alias(alias=Alias(NAME, ZONE, evaluate_target_health=True)), has_parts=False),
        [f"t[1]: {NAME} points to itself (malformed)"],
    ),
]


@pytest.mark.parametrize(("made", "faults"), RULES, ids=[f"{n}-{row[1][:1]}"[:60] for n, row in enumerate(RULES)])
def test_a_rule_speaks_where_it_is_broken_and_only_there(made: Callable[[], Shape], faults: list[str]) -> None:
    """Of a target that could not be read it says what stays true however that is mended."""
    assert found(made()) == faults

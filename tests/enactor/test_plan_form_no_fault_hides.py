"""A matrix of mistakes in a plan file, each with each: none of them hides another."""

from typing import Any

import pytest

from .plan_file_builders import alias, endpoint, faults_of, plan, target

MISSING = object()
Place = tuple[str | int, ...]


def base() -> dict[str, Any]:
    """Return a right plan with something to spoil everywhere."""
    several = [
        target(),
        target(id="lb-2", value="192.0.2.2"),
        target(id="lb-3", value=None, alias=alias()),
        target(id="lb-4", value=None, alias=alias(name="lb-4.example.net.")),
    ]
    simple = [target(weight=None), target(id="lb-2", value="192.0.2.2", weight=None)]
    cnames = [target(id=one, type="CNAME", value=f"{one}.example.net.") for one in ("c-1", "c-2")]
    return plan(
        endpoint(targets=several),
        endpoint(name="ep2.example.test.", routing="simple", targets=simple),
        endpoint(name="ep3.example.test.", targets=cnames),
        retired=[{"name": "old.example.test.", "zone": "Z1"}, {"name": "older.example.test.", "zone": "Z1"}],
    )


EP1, EP2, EP3 = (("endpoints", index) for index in range(3))
LB1, LB2, LB3, LB4 = ((*EP1, "targets", index) for index in range(4))
MISTAKES: list[tuple[Place, Any, tuple[Place, ...], str]] = [
    (("format",), 2, (), "format: 2 is unknown"),
    (("fleet",), "Edge", (), 'fleet: "Edge" does not match'),
    (("pools",), {}, (), "pools: unknown key"),
    ((*EP1, "speed"), 1, (), "endpoints[0].speed: unknown key"),
    ((*EP1, "ttl"), MISSING, (), "endpoints[0].ttl: missing"),
    ((*LB1, "id"), "lb 1", (), 'endpoints[0].targets[0].id: "lb 1" does not match'),
    ((*LB1, "type"), "MX", (), 'endpoints[0].targets[0].type: "MX" is none of'),
    ((*LB1, "weight"), 256, (), "endpoints[0].targets[0].weight: 256 is over 255"),
    ((*LB1, "value"), "192.0.2.256", (), 'endpoints[0].targets[0].value: "192.0.2.256" is no IPv4 or IPv6 address'),
    ((*LB1, "health_check"), "no check", (), 'endpoints[0].targets[0].health_check: "no check" does not match'),
    ((*LB1, "wieght"), 1, (), "endpoints[0].targets[0].wieght: unknown key"),
    ((*LB2, "weight"), MISSING, (), "endpoints[0].targets[1].weight: missing"),
    ((*LB2, "id"), "lb-1", ((*LB1, "id"),), "endpoints[0].targets[1].id: id lb-1 stands twice among the A targets"),
    (
        (*LB2, "value"),
        "192.0.2.1",
        ((*LB1, "value"),),
        "endpoints[0].targets[1].value: value 192.0.2.1 stands twice among the A targets",
    ),
    ((*LB3, "alias", "zone"), "example.net", (), 'endpoints[0].targets[2].alias.zone: "example.net" looks like'),
    ((*LB3, "alias", "evaluate_target_health"), 1, (), "endpoints[0].targets[2].alias.evaluate_target_health: 1 is a"),
    (
        (*LB4, "alias", "name"),
        "lb.example.net",
        ((*LB3, "alias", "zone"),),
        "endpoints[0].targets[3].alias: alias lb.example.net. stands twice among the A targets",
    ),
    ((*LB4, "alias", "zone"), MISSING, ((*LB4, "alias", "name"),), "endpoints[0].targets[3].alias.zone: missing"),
    ((*EP2, "routing"), "Simple", (), 'endpoints[1].routing: "Simple" is none of'),
    ((*EP2, "targets", 0, "weight"), "x", (), 'endpoints[1].targets[0].weight: "x" means nothing where'),
    ((*EP2, "targets", 1, "health_check"), "abc", (), "endpoints[1].targets[0].health_check: a simple A set has one"),
    ((*EP2, "zone"), "z1", (), 'endpoints[1].zone: "z1" is no hosted zone id'),
    ((*EP3, "name"), "EP2.example.test", ((*EP2, "zone"),), "endpoints[2].name: ep2.example.test. in zone Z1 stands"),
    (
        (*EP3, "targets", 0, "value"),
        "a b.example.net",
        (),
        'endpoints[2].targets[0].value: "a b.example.net" is no DNS',
    ),
    ((*EP3, "targets", 1, "type"), "A", (), "endpoints[2].targets[0].type: a CNAME stands alone at its name"),
    (("retired", 0, "why"), "x", (), "retired[0].why: unknown key"),
    (("retired", 0, "name"), "ep1.example.test", (), "retired[0].name: ep1.example.test. in zone Z1 is also listed"),
    (
        ("retired", 1, "name"),
        "OLD.example.test",
        (("retired", 0, "name"),),
        "retired[1].name: old.example.test. in zone Z1 is retired twice",
    ),
]


def spoilt(*mistakes: tuple[Place, Any, tuple[Place, ...], str]) -> dict[str, Any]:
    """Return the right plan with some mistakes in it."""
    raw = base()
    for place, value, _, _ in mistakes:
        inner: Any = raw
        for key in place[:-1]:
            inner = inner[key]
        if value is MISSING:
            del inner[place[-1]]
        else:
            inner[place[-1]] = value
    return raw


def test_the_plan_to_spoil_is_right() -> None:
    """So that every fault of the matrix is a mistake's."""
    assert faults_of(base()) == []


@pytest.mark.parametrize("mistake", MISTAKES, ids=[message[:60] for *_, message in MISTAKES])
def test_no_fault_hides_another(mistake: tuple[Place, Any, tuple[Place, ...], str]) -> None:
    """Of any two mistakes that do not touch the same words both are named, as each of them is alone."""
    assert [fault for fault in faults_of(spoilt(mistake)) if fault.startswith(mistake[3])]
    for other in MISTAKES:
        if other is mistake or other[0] in (mistake[0], *mistake[2]) or mistake[0] in other[2]:
            continue
        found = faults_of(spoilt(mistake, other))
        assert [fault for fault in found if fault.startswith(mistake[3])], other[3]
        assert [fault for fault in found if fault.startswith(other[3])], other[3]


def test_the_mistakes_are_all_named_together() -> None:
    """All of them that can stand in one file are."""
    chosen: list[tuple[Place, Any, tuple[Place, ...], str]] = []
    for mistake in MISTAKES:
        if all(mistake[0] not in (one[0], *one[2]) and one[0] not in mistake[2] for one in chosen):
            chosen.append(mistake)
    assert len(chosen) > 20
    found = faults_of(spoilt(*chosen))
    for *_, message in chosen:
        assert [fault for fault in found if fault.startswith(message)], message

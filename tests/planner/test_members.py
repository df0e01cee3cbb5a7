"""In what two contents of an endpoint differ, as people are shown it."""

import msgspec

from enactor.plan import Endpoint, Plan, Retired
from enactor.records import Alias, RecordSet
from planner.members import (
    Altered,
    Bar,
    ContentChange,
    EndpointChange,
    Member,
    Named,
    PlanChange,
    Reweighted,
    bars,
    content_change,
    plan_change,
)
from planner.wording import change_lines
from tests.enactor.kernel_builders import entry

NAME = "ep1.example.test."


def weighted(number: int, **changes: object) -> RecordSet:
    record = RecordSet(
        name=NAME, type="A", set_identifier=f"lb-{number}", ttl=60, weight=10, values=(f"192.0.2.{number}",)
    )
    return msgspec.structs.replace(record, **changes)


def simple(*numbers: int) -> RecordSet:
    return RecordSet(name=NAME, type="A", ttl=60, values=tuple(f"192.0.2.{number}" for number in numbers))


def alias(name: str, ttl: int | None = None) -> RecordSet:
    target = Alias(name, "Z35SXDOTRQ7X7K", evaluate_target_health=True)
    return RecordSet(name=NAME, type="A", set_identifier="lb-1", ttl=ttl, weight=10, alias=target)


def lines(before: list[RecordSet], after: list[RecordSet]) -> list[str]:
    return list(change_lines(content_change(before, after)))


def test_same_sets_differ_in_nothing() -> None:
    """Cases 45, 47, 50: the order of values, the case of a host name and the TTL of an alias are no difference."""
    assert not content_change([simple(1, 2, 3)], [simple(3, 1, 2)])
    assert not content_change([alias("lb.Example.Test.", ttl=60)], [alias("lb.example.test.")])


def test_dualstack_is_another_target() -> None:
    """Case 51: `dualstack.` is part of the name."""
    change = content_change([alias("lb.example.net.")], [alias("dualstack.lb.example.net.")])
    assert (len(change.added), len(change.removed)) == (1, 1)


def test_each_value_of_a_simple_set_is_a_target() -> None:
    """One set changes, and what is shown is the address that comes and the one that goes."""
    assert lines([simple(1, 2)], [simple(2, 3)]) == ["+ A 192.0.2.3", "- A 192.0.2.1"]


def test_weight_and_everything_else_are_told_apart() -> None:
    """A new weight is a reweight; another id, TTL, health check or routing says what it was and will be."""
    assert lines([weighted(1)], [weighted(1, weight=0)]) == ["~ A 192.0.2.1 weight 10 to 0"]
    renamed = weighted(1, set_identifier="lb-9", ttl=30, health_check="abc")
    assert lines([weighted(1)], [renamed]) == ["~ A 192.0.2.1 ttl 60 to 30, id lb-1 to lb-9, health check none to abc"]


def test_case_53_simple_to_weighted_keeps_the_target() -> None:
    """Case 53: the address stays, its routing changes."""
    assert lines([simple(1)], [weighted(1)]) == ["~ A 192.0.2.1 routing simple to weighted, id none to lb-1"]


def member(number: int, **changes: object) -> Member:
    plain = Member(type="A", target=f"192.0.2.{number}", weight=10, id=f"lb-{number}", ttl=60)
    return msgspec.structs.replace(plain, **changes)


def test_every_target_is_in_one_list_of_the_change_with_all_that_is_known_of_it() -> None:
    """In order of type and target, whatever the order of the sets; what stays as it is stands in none."""
    lb = alias("lb.example.net.", ttl=60)
    six = RecordSet(name=NAME, type="AAAA", ttl=60, multivalue=True, set_identifier="m", values=("2001:db8::1",))
    before = [weighted(9), weighted(8, health_check="abc"), weighted(3), weighted(2), weighted(1)]
    after = [six, lb, weighted(5), weighted(4), weighted(3, weight=7, ttl=30), weighted(2, weight=5), weighted(1)]
    assert content_change(before, after) == ContentChange(
        added=(
            member(4),
            member(5),
            member(1, target="alias lb.example.net. in Z35SXDOTRQ7X7K", ttl=None),
            Member(type="AAAA", target="2001:db8::1", id="m", ttl=60, routing="multivalue"),
        ),
        removed=(member(8, health_check="abc"), member(9)),
        reweighted=(
            Reweighted(type="A", target="192.0.2.2", before=10, after=5),
            Reweighted(type="A", target="192.0.2.3", before=10, after=7),
        ),
        altered=(Altered(type="A", target="192.0.2.3", what="ttl 60 to 30"),),
    )


def test_another_routing_is_told_whatever_makes_it() -> None:
    """A weight that comes or goes with it is no reweight; what a plan cannot say stands as Route 53 has it."""
    plain = simple(1)
    spread = msgspec.structs.replace(plain, multivalue=True, set_identifier="m")
    odd = msgspec.structs.replace(plain, set_identifier="f", extra='{"Failover":"PRIMARY"}')
    assert lines([plain], [spread]) == ["~ A 192.0.2.1 routing simple to multivalue, id none to m"]
    assert lines([weighted(1)], [odd]) == ['~ A 192.0.2.1 routing weighted to {"Failover":"PRIMARY"}, id lb-1 to f']
    change = content_change([weighted(1)], [plain])
    assert (change.reweighted, len(change.altered)) == ((), 1)
    assert not content_change([], [])
    for one in (
        content_change([plain], []),
        content_change([], [plain]),
        content_change([weighted(1)], [weighted(1, weight=1)]),
        content_change([plain], [spread]),
    ):
        assert one


def test_every_target_of_two_contents_has_a_bar() -> None:
    """By type and target; with the newer id, and a weight of 1 where there are none."""
    six = weighted(1, type="AAAA", values=("2001:db8::1",), set_identifier="six")
    assert bars([weighted(1), weighted(2)], [weighted(1, set_identifier="new", weight=20), six]) == (
        Bar(type="A", target="192.0.2.1", id="new", before=10, after=20),
        Bar(type="A", target="192.0.2.2", id="lb-2", before=10, after=0),
        Bar(type="AAAA", target="2001:db8::1", id="six", before=0, after=10),
    )
    assert bars([simple(1)], []) == (Bar(type="A", target="192.0.2.1", id=None, before=1, after=0),)


def listed(name: str, *sets: RecordSet, zone: str = "Z1") -> Endpoint:
    records = (msgspec.structs.replace(one, name=name) for one in sets)
    return entry(*records, name=name, zone=zone)


def test_two_plans_differ_endpoint_by_endpoint() -> None:
    """An endpoint is told by zone and name; what is as it was stands in no list, and what is retired in both is no news."""
    old = Plan(
        fleet="edge",
        endpoints=(
            listed("same.", weighted(1)),
            listed("grows.", weighted(1)),
            listed("goes.", weighted(2), weighted(1)),
            listed("also.", weighted(3)),
            listed("moves.", weighted(1), zone="Z2"),
        ),
        retired=(Retired("old.", "Z1"),),
    )
    new = Plan(
        fleet="edge",
        endpoints=(
            listed("same.", weighted(1)),
            listed("grows.", weighted(2), weighted(1)),
            listed("moves.", weighted(1)),
            listed("comes.", weighted(4)),
        ),
        retired=(Retired("old.", "Z1"), Retired("goes.", "Z1"), Retired("also.", "Z1"), Retired("b.", "Z0")),
    )

    def changed(name: str, zone: str = "Z1", **change: tuple[Member, ...]) -> EndpointChange:
        return EndpointChange(name=name, zone=zone, change=msgspec.structs.replace(ContentChange(), **change))

    assert plan_change(old, new) == PlanChange(
        added=(changed("comes.", added=(member(4),)), changed("moves.", added=(member(1),))),
        removed=(
            changed("also.", removed=(member(3),)),
            changed("goes.", removed=(member(1), member(2))),
            changed("moves.", "Z2", removed=(member(1),)),
        ),
        changed=(changed("grows.", added=(member(2),)),),
        retired=(Named("b.", "Z0"), Named("also.", "Z1"), Named("goes.", "Z1")),
    )
    assert plan_change(new, new) == PlanChange()

"""In what two contents of an endpoint differ, as people are shown it."""

import msgspec

from enactor.records import Alias, RecordSet
from planner.members import content_change
from planner.wording import change_lines

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

"""What every refusal says in numbers, for machines: what was observed, what was wanted, and the limit."""

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from enactor import guards
from enactor.guards import NAMES_SHOWN_MAX, Finding, LimitRule, Limits, LimitsTable, PlanLimits, Surroundings, some
from enactor.plan import Plan
from enactor.plan_guards import judge_plan
from enactor.records import content_of

from .kernel_builders import NAME, ZONE, ZONE_NAME, alias, cname, entry, plan, simple, weighted

TARGET = f"tree.{ZONE_NAME}"
AROUND = Surroundings(zone_name=ZONE_NAME)
STRANGE = entry(simple(1), name="evil.test.")
APEX = cname("lb.example.net.", name=ZONE_NAME)
POINTING = alias(TARGET)


def around(**changes: Any) -> Surroundings:
    return msgspec.structs.replace(AROUND, **changes)


def fleet(*last_octets: int) -> Plan:
    names = [f"ep{number}.{ZONE_NAME}" for number in range(len(last_octets))]
    return plan(*(entry(simple(octet, name=name), name=name) for octet, name in zip(last_octets, names, strict=True)))


FOUND: list[tuple[Callable[[], tuple[Finding, ...]], tuple[Any, ...]]] = [
    (lambda: guards.judge_content(()), ("empty", None, 0, 1)),
    (lambda: guards.judge_content((weighted(1, 0),)), ("zero-weights", None, 0, 1)),
    (lambda: guards.judge_place(STRANGE, (), AROUND), ("out-of-zone", ZONE_NAME, "evil.test.", None)),
    (lambda: guards.judge_place(entry(APEX, name=ZONE_NAME), (APEX,), AROUND), ("apex", None, "CNAME", None)),
    (
        lambda: guards.judge_place(entry(simple(1)), (), around(cuts=frozenset({NAME, ZONE_NAME}))),
        ("occluded", NAME, NAME, None),
    ),
    (
        lambda: guards.judge_place(entry(POINTING), (POINTING,), around(available=frozenset())),
        ("alias-target", 0, TARGET, 1),
    ),
    (
        lambda: guards.judge_pointers(NAME, [simple(1)], (), around(pointed={(NAME, "A"): (TARGET,)})),
        ("alias-target", "A", None, None),
    ),
    (
        lambda: guards.judge_circles(entry(POINTING), (POINTING,), around(circles={(NAME, "A"): (NAME, TARGET)})),
        ("alias-target", 2, TARGET, None),
    ),
    (
        lambda: guards.judge_answers([simple(1)], [POINTING], ZONE, around(standing=frozenset(), sure=frozenset())),
        ("alias-target", "v4", None, None),
    ),
    (
        lambda: guards.judge_change(
            content_of([simple(1), simple(1, record_type="AAAA")]),
            (simple(1),),
            Limits(shrink_targets=1, shrink_capacity=1),
        ),
        ("kind", "v6", "none", None),
    ),
    (lambda: judge_plan(fleet(), None, PlanLimits()), ("empty-plan", None, 0, 1)),
    (lambda: judge_plan(fleet(1), fleet(1, 1, 1), PlanLimits(vanished=0.5)), ("vanished", 3, 1, 0.5)),
    (lambda: judge_plan(fleet(2, 2, 1), fleet(1, 1, 1), PlanLimits(changed_share=0.5)), ("changed-share", 3, 2, 0.5)),
]


@pytest.mark.parametrize(("found", "numbers"), FOUND, ids=[str(numbers[0]) for _, numbers in FOUND])
def test_a_refusal_has_its_label_and_its_numbers(
    found: Callable[[], tuple[Finding, ...]], numbers: tuple[Any, ...]
) -> None:
    """The JSON of a report is read by programs: the sentence beside them is for people."""
    (one,) = found()
    assert (one.guard, one.observed, one.wanted, one.limit) == numbers
    assert one.message
    assert "None" not in one.message


def test_as_many_names_as_are_shown_leave_no_rest() -> None:
    """A long list ends in how many more there are; `and 0 more` would be none."""
    names = [str(number) for number in range(NAMES_SHOWN_MAX + 2)]
    assert some(names[:NAMES_SHOWN_MAX]) == "0, 1, 2, 3, 4"
    assert some(names) == "0, 1, 2, 3, 4 and 2 more"


def test_a_shrink_of_the_one_kind_that_there_is_is_seen() -> None:
    """That there is no v4 says nothing about v6."""
    before = content_of(weighted(number, record_type="AAAA") for number in (1, 2, 3))
    found = guards.judge_change(before, before[:1], Limits())
    assert [one.guard for one in found] == ["shrink-targets", "shrink-capacity"]


def test_one_address_in_two_sets_has_the_weight_of_both() -> None:
    """20 of 35 goes with it: a target is told by its address."""
    twin = weighted(1, identifier="zz-again")
    before = content_of((weighted(1), weighted(2), weighted(3, 5), twin))
    found = guards.judge_change(before, before[1:3], Limits())
    assert [one.guard for one in found] == ["shrink-capacity"]


def test_a_circle_names_the_alias_by_its_id_or_its_type() -> None:
    """Of several aliases at a name a person must know which one."""
    for record, word in ((POINTING, "the alias A leads"), (alias(TARGET, weight=1), f"the alias to-{TARGET} leads")):
        (found,) = guards.judge_circles(entry(record), (record,), around(circles={(NAME, "A"): (NAME, TARGET)}))
        assert found.message.startswith(word)


def test_limits_have_one_digest_and_every_number_is_in_it() -> None:
    """By it enactors tell whether they judge alike: the same numbers are the same, and any other number is another."""
    rule = LimitRule(match="*.example.test.", limits=Limits(shrink_targets=0.25))
    tables = [
        LimitsTable(),
        LimitsTable(default=Limits(shrink_targets=0.4)),
        LimitsTable(rules=(rule,)),
        LimitsTable(plan=PlanLimits(vanished=0.1)),
        LimitsTable(zone_record_sets=20_000),
    ]
    assert len({one.digest for one in tables}) == len(tables)
    assert LimitsTable(rules=(rule,)).digest == LimitsTable(rules=(msgspec.structs.replace(rule),)).digest
    assert re.fullmatch("[0-9a-f]{12}", LimitsTable().digest)

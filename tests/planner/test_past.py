"""Which published plans the next one is held against."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import msgspec
import pytest

from enactor.plan import Endpoint, Plan, Target
from enactor.ports import PlanEntry
from enactor.records import Alias
from planner.past import PLANS_MAX, UNDATED, Past, PastPlan, member_of, sought, weights_in, within

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WINDOW = Fraction(600)


def entry(generation: int, minutes_ago: float | None) -> PlanEntry:
    at = "yesterday" if minutes_ago is None else (NOW - timedelta(minutes=minutes_ago)).isoformat()
    return PlanEntry(
        generation=generation,
        digest="",
        parent=generation - 1,
        created_at=at,
        planner="p",
        reason="",
        zones=(),
        endpoints=1,
        upload="",
    )


def found(*ages: float | None) -> list[int]:
    """Return the generations that are sought of plans of these ages, oldest first."""
    wanted = sought([entry(number + 1, age) for number, age in enumerate(ages)], NOW, WINDOW)
    assert wanted.is_whole
    return [one.generation for one, _ in wanted.plans]


def test_a_window_has_all_that_were_published_in_it_and_the_one_that_stood_when_it_began() -> None:
    """Newest first."""
    assert found(60, 30, 11, 9, 1) == [5, 4, 3]
    assert found(60, 30, 10, 9, 1) == [5, 4, 3]
    assert found(60) == [1]
    assert found(5, 4) == [2, 1]
    assert found() == []


def test_clocks_that_differ_make_a_window_longer() -> None:
    """Generations order plans: none is older than one before it, and an odd or a future instant is a moment ago."""
    assert found(60, 1, 30) == [3, 2, 1], "published by a planner whose clock is half an hour late"
    assert found(60, -500, 1) == [3, 2, 1], "published by one whose clock is ahead"
    assert found(60, None) == [2, 1]


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026-11-30T13:30:00+02:00", NOW - timedelta(minutes=30)),
        ("2026-11-30T11:30:00Z", NOW - timedelta(minutes=30)),
        ("2026-11-30T11:30:00", NOW - timedelta(minutes=30)),
        ("2026-11-30T13:30:00", NOW - UNDATED),
        ("noon", NOW - UNDATED),
    ],
)
def test_an_instant_is_read_in_its_own_time_zone_or_in_utc(written: str, at: datetime) -> None:
    """It is compared with now, and told with the plan."""
    one = msgspec.structs.replace(entry(1, 0), created_at=written)
    ((_, found),) = sought([one], NOW, WINDOW).plans
    assert found == at


def test_more_plans_than_are_looked_at_are_not_the_whole_window() -> None:
    """Then signals take nothing more; as many as are looked at are the whole."""
    exactly = sought([entry(number + 1, 1) for number in range(PLANS_MAX)], NOW, WINDOW)
    assert (len(exactly.plans), exactly.is_whole) == (PLANS_MAX, True)
    wanted = sought([entry(number + 1, 1) for number in range(PLANS_MAX + 1)], NOW, WINDOW)
    assert (len(wanted.plans), wanted.is_whole) == (PLANS_MAX, False)


def test_an_endpoint_with_a_shorter_window_sees_fewer_plans() -> None:
    """Each window begins with the plan that stood then."""
    plan = Plan(fleet="edge", endpoints=())
    past = Past(
        plans=tuple(
            PastPlan(generation=9 - n, at=NOW - timedelta(minutes=age), plan=plan) for n, age in enumerate((1, 5, 20))
        )
    )
    assert [one.generation for one in within(past, NOW, Fraction(60))] == [9]
    assert [one.generation for one in within(past, NOW, Fraction(120))] == [9, 8]
    assert [one.generation for one in within(past, NOW, WINDOW)] == [9, 8, 7]
    assert within(Past(), NOW, WINDOW) == ()


def test_a_target_is_told_apart_by_type_and_what_it_answers_with() -> None:
    """An address, or an alias with its zone; ids and weights may change."""
    alias = Alias("lb.example.net.", "Z2", evaluate_target_health=True)
    plain = Target(id="a", type="AAAA", value="2001:db8::1", weight=1)
    assert member_of(plain) == member_of(msgspec.structs.replace(plain, id="b", weight=2)) == ("AAAA", "2001:db8::1")
    assert member_of(Target(id="a", type="A", alias=alias)) == ("A", "alias lb.example.net. in zone Z2")


def test_a_target_without_weights_weighs_1() -> None:
    """As the guards count it; and where all are 0, Route 53 serves all alike."""

    def endpoint(*weights: int | None) -> Endpoint:
        targets = tuple(
            Target(id=f"lb-{n}", type="A", value=f"192.0.2.{n}", weight=one) for n, one in enumerate(weights)
        )
        return Endpoint(name="a.", zone="Z", routing="weighted", targets=targets)

    assert list(weights_in(endpoint(None, None)).values()) == [1, 1]
    assert list(weights_in(endpoint(0, 0)).values()) == [1, 1]
    assert list(weights_in(endpoint(0, 7)).values()) == [0, 7]
    assert list(weights_in(endpoint(None, 7)).values()) == [1, 7]
    assert weights_in(None) == {}

"""What a person is told first: whether every endpoint answers, and never that it does where nobody looked."""

from typing import Any, Literal

import msgspec
import pytest

from enactor.live_overview import (
    GENERATIONS_MAX,
    NAMED_MAX,
    STATES_BY_URGENCY,
    Headline,
    InForce,
    counted,
    ends_of,
    headline,
    old_after_seconds,
    overview_of,
    plan_words,
    tone_of,
)
from enactor.live_report import LiveCycle, LiveEndpoint, LivePlan, LiveReport, LiveZone
from enactor.report import ZoneReport
from enactor.swap import State


def endpoint(
    number: int = 0,
    state: State = "current",
    *,
    answering: bool = True,
    zone: str = "Z1",
    gen: int | None = 7,
    **more: Any,
) -> LiveEndpoint:
    return LiveEndpoint(
        name=f"ep{number}.", zone=zone, state=state, answering=answering, since="now", generation=gen, **more
    )


def zone(name: str = "Z1", switch: Literal["run", "unknown"] = "run") -> LiveZone:
    return LiveZone(zone=name, report=ZoneReport(zone=name, switch=switch, open=8, plan="current"))


def cycle(age_seconds: float) -> LiveCycle:
    return LiveCycle(number=3, every_seconds=10.0, ended="2026-06-01T12:00:00Z", age_seconds=age_seconds)


def report(*endpoints: LiveEndpoint, **changes: Any) -> LiveReport:
    counts: dict[str, int] = {}
    for one in endpoints:
        counts[one.state] = counts.get(one.state, 0) + 1
    made = LiveReport(
        version="0",
        fleet="edge",
        enactor="az-1",
        started="2026-06-01T11:00:00Z",
        at="2026-06-01T12:00:10Z",
        ready=True,
        degraded=(),
        cycle=cycle(10.0),
        plan=LivePlan(generation=8, digest="d", source="table"),
        zones=(zone(),),
        counts=counts,
        not_answering=0,
        endpoints=endpoints,
    )
    return msgspec.structs.replace(made, **changes)


def told(*endpoints: LiveEndpoint, **changes: Any) -> Headline:
    return headline(report(*endpoints, **changes), overview_of(endpoints))


@pytest.mark.parametrize(
    ("endpoints", "changes", "tone", "fact"),
    [
        ((endpoint(), endpoint(1)), {}, "good", "All 2 endpoints answer"),
        ((endpoint(),), {}, "good", "The one endpoint answers"),
        ((endpoint(), endpoint(1, "retired", answering=False)), {}, "good", "The one endpoint answers"),
        ((endpoint(), endpoint(1, "empty", answering=False)), {}, "bad", "1 of 2 endpoints answers nothing"),
        (
            tuple(endpoint(number, "held", answering=False) for number in range(3)),
            {},
            "bad",
            "3 of 3 endpoints answer nothing",
        ),
        ((), {}, "warn", "No endpoint is known"),
        (
            (endpoint(),),
            {"zones": (zone(), zone("Z2", "unknown"))},
            "warn",
            "1 zone could not be read; the 1 endpoint elsewhere answers",
        ),
        (
            (endpoint(0, "empty", answering=False),),
            {"zones": (zone("Z2", "unknown"),)},
            "bad",
            "1 of 1 endpoint answers nothing",
        ),
        (
            (endpoint(),),
            {"cycle": LiveCycle(number=0, every_seconds=10.0)},
            "warn",
            "Not known yet: no cycle has ended",
        ),
        ((endpoint(),), {"cycle": cycle(210.0)}, "good", "The one endpoint answers"),
        ((endpoint(),), {"cycle": cycle(211.0)}, "bad", "Not known: no cycle has ended for 211 s"),
    ],
)
def test_the_one_big_fact(endpoints: tuple[LiveEndpoint, ...], changes: dict[str, Any], tone: str, fact: str) -> None:
    """What answers nothing comes first, what is retired need not answer, and what was not seen is never called well."""
    found = told(*endpoints, **changes)
    assert (found.tone, found.fact) == (tone, fact)


def test_what_is_not_known_says_why() -> None:
    """In the sentences of readiness."""
    nothing = LiveCycle(number=0, every_seconds=10.0)
    assert told(cycle=nothing, degraded=("a", "b")).more == "a. b."
    assert told(cycle=cycle(3_590.0), degraded=("stuck",)).more == "What stands below is old. stuck."


def test_how_old_is_too_old() -> None:
    """Three pauses, and what a cycle may take."""
    assert old_after_seconds(report()) == 210.0


@pytest.mark.parametrize(
    ("endpoints", "words"),
    [
        ((endpoint(), endpoint(1)), "Plan 8 is in force at all of them."),
        ((), "Plan 8 is in force at 0 of 0 endpoints."),
        (
            (endpoint(), endpoint(1, "behind"), endpoint(2, "behind"), endpoint(3, "held"), endpoint(4, "retired")),
            "Plan 8 is in force at 1 of 4 endpoints: 2 behind, 1 held.",
        ),
    ],
)
def test_where_the_newest_plan_is_in_force(endpoints: tuple[LiveEndpoint, ...], words: str) -> None:
    """At all, or at how many, and what the others are."""
    assert plan_words(report(*endpoints), overview_of(endpoints)) == words


def test_no_plan_is_said() -> None:
    """Nothing is in force of a plan that nobody has."""
    found = report(plan=LivePlan(generation=None, digest=None, source="none"))
    assert plan_words(found, overview_of(())) == "No plan is at hand."


def test_the_worst_comes_first() -> None:
    """What answers nothing, then by state, then by zone and name; what is at rest and answers is not wrong."""
    states = [*STATES_BY_URGENCY, "current", "retired"]
    found = [endpoint(9, "held", answering=False), endpoint(8, "held")]
    found += [endpoint(number, state) for number, state in enumerate(reversed(states))]
    found += [endpoint(0, "empty", zone="Z0"), endpoint(1, "empty", zone="Z0")]
    seen = overview_of(tuple(found))
    assert [(one.zone, one.state) for one in seen.wrong] == [
        ("Z1", "held"),
        ("Z0", "empty"),
        ("Z0", "empty"),
        *(("Z1", state) for state in STATES_BY_URGENCY),
    ]
    assert [one.name for one in seen.wrong[1:3]] == ["ep0.", "ep1."]
    assert (seen.total, seen.current, seen.silent, seen.wrong_count) == (14, 1, 1, 12)


def test_lists_are_bounded_and_their_length_is_known() -> None:
    """Of twenty thousand only the first few are named; what waits longest comes first."""
    count = NAMED_MAX + 5
    refused = tuple(endpoint(number, "refused", waits_seconds=float(number)) for number in range(count))
    held = tuple(endpoint(number, "held") for number in range(count))
    seen = overview_of((*refused, *held, endpoint(1, "retired", waits_seconds=1.0)))
    assert (len(seen.wrong), seen.wrong_count) == (NAMED_MAX, count)
    assert (len(seen.held), seen.held_count) == (NAMED_MAX, count)
    assert (len(seen.waiting), seen.waiting_count) == (NAMED_MAX, count)
    assert seen.waiting[0].waits_seconds == count - 1


def test_which_generation_stands_where() -> None:
    """By zone, newest first, what has no fence last; the oldest of many are told together."""
    few = (endpoint(0, gen=7), endpoint(1, gen=8), endpoint(2, gen=7), endpoint(3, gen=None), endpoint(4, zone="Z0"))
    assert overview_of((*few, endpoint(5, "retired", gen=9))).in_force == (
        InForce("Z0", 7, 1),
        InForce("Z1", 8, 1),
        InForce("Z1", 7, 2),
        InForce("Z1", None, 1),
    )
    many = overview_of(tuple(endpoint(number, gen=number) for number in range(GENERATIONS_MAX + 3))).in_force
    assert len(many) == GENERATIONS_MAX + 1
    assert many[0] == InForce("Z1", GENERATIONS_MAX + 2, 1)
    assert many[-1] == InForce("Z1", None, 3, older=True)


@pytest.mark.parametrize(
    ("state", "answering", "tone"),
    [
        ("current", True, "good"),
        ("retired", False, "good"),
        ("current", False, "bad"),
        ("held", False, "bad"),
        ("held", True, "warn"),
        ("foreign", True, "warn"),
        ("behind", True, "busy"),
        ("empty", True, "busy"),
    ],
)
def test_how_a_state_is_to_be_taken(state: State, answering: bool, tone: str) -> None:
    """Red is for what clients feel, and nothing else."""
    assert tone_of(endpoint(0, state, answering=answering)) == tone


def test_a_hold_says_when_it_ends() -> None:
    """Where its fence does."""
    assert ends_of(endpoint(fence={"until": "2026-06-02T00:00:00Z"})) == "2026-06-02T00:00:00Z"
    assert (ends_of(endpoint(fence={})), ends_of(endpoint())) == (None, None)


def test_numbers_come_with_their_word() -> None:
    """One endpoint, and thousands with a comma."""
    assert (counted(1), counted(20_000), counted(0, "zone")) == ("1 endpoint", "20,000 endpoints", "0 zones")


def test_a_zone_that_cannot_be_read_now_is_told_as_it_was_read_last() -> None:
    """The zone with the empty endpoint does not answer any more: that others answer is not the news."""
    found = told(endpoint(), zones=(zone(), zone("Z2", "unknown")), not_answering=2)
    assert (found.tone, found.fact) == ("bad", "2 endpoints answered nothing when Z2 could be read last")

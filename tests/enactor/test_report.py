"""What machines read at the end of a command: exit statuses, the worst wins, and a cycle's one outcome."""

import itertools
from typing import get_args

import pytest

from enactor.guards import Finding
from enactor.report import (
    EXIT_FAILED,
    EXIT_KEPT_BACK,
    EXIT_OK,
    EXIT_USAGE,
    Action,
    Calls,
    CycleReport,
    EndpointReport,
    OutcomeWord,
    PlanWord,
    PlanWordReport,
    SurveyReport,
    SwitchWord,
    ZoneReport,
    cycle_status,
    outcome_word,
    survey_status,
    worst,
)
from enactor.swap import State

from .kernel_builders import NAME, ZONE

FINDING = Finding(guard="shrink-targets", message="2 of 3 targets go")
PLAN = PlanWordReport(generation=8, digest="a" * 64, source="table")


def zone(switch: SwitchWord = "run", plan: PlanWord = "current", error: str | None = None) -> ZoneReport:
    return ZoneReport(zone=ZONE, switch=switch, open=8, plan=plan, error=error)


def endpoint(state: State = "current", action: Action = "none", guards: tuple[Finding, ...] = ()) -> EndpointReport:
    return EndpointReport(name=NAME, zone=ZONE, state=state, action=action, generation=8, wanted=8, guards=guards)


def cycle(*parts: ZoneReport | EndpointReport | Finding | str) -> int:
    """Return the exit status of a cycle with these zones, endpoints, plan-wide refusals and problems."""
    return cycle_status(
        CycleReport(
            fleet="edge",
            enactor="az-1",
            plan=PLAN,
            outcome="unchanged",
            zones=tuple(part for part in parts if isinstance(part, ZoneReport)) or (zone(),),
            endpoints=tuple(part for part in parts if isinstance(part, EndpointReport)),
            refused=tuple(part for part in parts if isinstance(part, Finding)),
            calls=Calls(list=1, change=0),
            changes=0,
            problems=tuple(part for part in parts if isinstance(part, str)),
        )
    )


def survey(
    counts: dict[State, int], *zones: ZoneReport, problems: tuple[str, ...] = (), refused: tuple[Finding, ...] = ()
) -> int:
    return survey_status(
        SurveyReport(
            fleet="edge",
            plan=PLAN,
            zones=zones or (zone(),),
            counts={str(state): count for state, count in counts.items()},
            other_zones=0,
            endpoints=(),
            problems=problems,
            refused=refused,
        )
    )


def test_the_worst_status_wins() -> None:
    """Wrong usage, then failed, then kept back, then all well: in every combination and order."""
    order = (EXIT_USAGE, EXIT_FAILED, EXIT_KEPT_BACK, EXIT_OK)
    for count in range(1, 5):
        for statuses in itertools.permutations(order, count):
            assert worst(*statuses) == next(status for status in order if status in statuses)
    assert worst() == EXIT_OK
    assert order == (2, 1, 3, 0)


@pytest.mark.parametrize("state", ["current", "held", "retired"])
def test_what_is_at_rest_is_0(state: State) -> None:
    """Held and retired endpoints alone are no failure, and neither are no endpoints."""
    assert cycle(endpoint(state)) == EXIT_OK
    assert cycle() == EXIT_OK


@pytest.mark.parametrize("action", get_args(Action))
def test_an_action_that_did_not_end_well_is_1(action: Action) -> None:
    """An endpoint that Route 53 rejects is 1, and so is one that waits for it, or still conflicts at the end."""
    wanted = EXIT_FAILED if action in {"failed", "waiting", "conflict"} else EXIT_OK
    assert cycle(endpoint(action=action)) == wanted


@pytest.mark.parametrize("state", ["foreign", "fence-garbled", "refused"])
def test_case_22_what_is_kept_back_is_3_whatever_else_succeeded(state: State) -> None:
    """Case 22: partial success is 3."""
    assert cycle(endpoint("current", "swapped"), endpoint(state)) == EXIT_KEPT_BACK
    assert cycle(endpoint("behind", "refused", (FINDING,))) == EXIT_KEPT_BACK
    assert cycle(endpoint(state, "failed")) == EXIT_FAILED


def test_a_plan_wide_refusal_is_3() -> None:
    """Though every endpoint is current by the plan that is open."""
    assert cycle(endpoint(), FINDING) == EXIT_KEPT_BACK
    assert survey({"current": 3}, refused=(FINDING,)) == EXIT_KEPT_BACK


@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        (zone("stop"), EXIT_OK),
        (zone("run", "behind"), EXIT_OK),
        (zone("absent"), EXIT_KEPT_BACK),
        (zone("run", "ahead"), EXIT_KEPT_BACK),
        (zone("stop", "forked"), EXIT_KEPT_BACK),
        (zone(error="hosted zone Z1 is gone"), EXIT_FAILED),
        (zone("absent", error="access denied"), EXIT_FAILED),
    ],
)
def test_a_zone_by_itself_makes_a_status(part: ZoneReport, wanted: int) -> None:
    """Stopped is 0; an absent switch, ahead and forked are 3; unreadable is 1."""
    assert cycle(part, endpoint()) == wanted
    assert survey({"current": 1}, part) == wanted
    assert cycle(zone(), part) == wanted


def test_a_table_that_cannot_be_read_is_1_even_where_everything_was_healed() -> None:
    """The same for a newest plan that does not verify."""
    assert cycle(endpoint("current", "swapped"), "the plan table is unreachable") == EXIT_FAILED
    assert survey({"current": 3}, problems=("plan 8 does not verify",)) == EXIT_FAILED


@pytest.mark.parametrize("state", get_args(State))
def test_a_survey_is_0_where_all_is_current_held_or_retired(state: State) -> None:
    """Any other state is 3, and a count of none is no endpoint."""
    wanted = EXIT_OK if state in {"current", "held", "retired"} else EXIT_KEPT_BACK
    assert survey({"current": 5, state: 1}) == wanted
    assert survey({"current": 5, state: 0}) == EXIT_OK


OUTCOMES: list[tuple[set[str], OutcomeWord]] = [
    ({"failed", "done", "running", "judged"}, "partial"),
    ({"failed", "kept_back", "running", "judged"}, "failed"),
    ({"failed", "judged"}, "failed"),
    ({"judged"}, "stopped"),
    ({"kept_back", "judged"}, "stopped"),
    ({"kept_back", "done", "running", "judged"}, "partial"),
    ({"kept_back", "running", "judged"}, "refused"),
    ({"done", "running", "judged"}, "changed"),
    ({"running", "judged"}, "unchanged"),
    (set(), "unchanged"),
]


@pytest.mark.parametrize(("facts", "word"), OUTCOMES)
def test_a_cycle_has_one_outcome(facts: set[str], word: OutcomeWord) -> None:
    """The table of outcomes, row by row."""
    made = outcome_word(**{fact: fact in facts for fact in ("failed", "kept_back", "done", "running", "judged")})
    assert made == word

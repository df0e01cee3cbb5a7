"""What refuses a whole plan where the open one cannot be read, what a person may lift of it, and what the person is told."""

from enactor.guards import Finding, PlanLimits
from enactor.plan import Broken, Fault, Retired
from enactor.plan_guards import PLAN_GUARDS, judge_absence, judge_plan, lifted

from .kernel_builders import ZONE, ZONE_NAME, entry, plan, simple

NAMES = [f"ep{number}.{ZONE_NAME}" for number in range(4)]
LISTED = [entry(simple(1, name=name), name=name) for name in NAMES]


def test_what_fences_mark_and_a_plan_forgot_refuses_it() -> None:
    """Absence is never a deletion, though the plan that listed them cannot be read any more."""
    (found,) = judge_absence(plan(*LISTED[:3]), NAMES, PlanLimits(), ZONE)
    assert (found.guard, found.observed, found.wanted, found.limit) == ("vanished", 4, 3, 0.0)
    assert "1 of 4" in found.message
    assert NAMES[3] in found.message


def test_every_way_to_mention_a_name_in_its_zone_counts() -> None:
    """Listed, listed with a wrong form, or listed as retired: in this zone."""
    broken = Broken(name=NAMES[0], zone=ZONE, faults=(Fault(path="", message=""),))
    mentioned = plan(LISTED[1], LISTED[2], retired=[Retired(NAMES[3], ZONE)], broken=[broken])
    assert judge_absence(mentioned, NAMES, PlanLimits(), ZONE) == ()
    assert judge_absence(mentioned, NAMES, PlanLimits(), "Z2") != ()
    elsewhere = plan(*LISTED[:3], retired=[Retired(NAMES[3], "Z2")])
    assert judge_absence(elsewhere, NAMES, PlanLimits(), ZONE) != ()


def test_absence_is_measured_against_the_limit() -> None:
    """One of four is a quarter; where nothing has a fence nothing is absent."""
    assert judge_absence(plan(*LISTED[:3]), NAMES, PlanLimits(vanished=0.25), ZONE) == ()
    assert judge_absence(plan(*LISTED[:3]), NAMES, PlanLimits(vanished=0.24), ZONE) != ()
    assert judge_absence(plan(*LISTED), [], PlanLimits(), ZONE) == ()


def test_a_person_lifts_what_is_allowed_and_nobody_lifts_the_rest() -> None:
    """An empty plan and one that does not verify stay out, whatever a person wrote."""
    findings = [Finding(guard=guard, message="") for guard in PLAN_GUARDS]
    assert [found.guard for found in lifted(findings, frozenset(PLAN_GUARDS))] == ["empty-plan", "digest"]
    assert [found.guard for found in lifted(findings, frozenset({"vanished"}))] == [
        "empty-plan",
        "changed-share",
        "digest",
    ]
    assert lifted(findings, frozenset()) == tuple(findings)


def test_a_name_that_left_is_no_question_of_zone_ids() -> None:
    """A person is told to look at the zone's id only where a name stands under another one."""
    (gone,) = judge_plan(plan(*LISTED[:3]), plan(*LISTED), PlanLimits())
    assert "zone id" not in gone.message
    moved = entry(simple(1, name=NAMES[3]), name=NAMES[3], zone="Z2")
    (wrong,) = judge_plan(plan(*LISTED[:3], moved), plan(*LISTED), PlanLimits())
    assert "check the zone id" in wrong.message

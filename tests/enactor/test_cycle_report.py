"""What a cycle, a survey and a status say of what was seen and done: for people, for machines, and for whoever listens."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from enactor.cycle_report import (
    Outlook,
    ZoneResult,
    cycle_report,
    events_of,
    latest,
    status_report,
    survey_report,
    troubles_of,
)
from enactor.fence import Allow
from enactor.guards import Finding
from enactor.hooks import CycleEnded, EndpointRefused, PlanRefused
from enactor.judge import Judged, judge
from enactor.plan_index import PlanIndex
from enactor.ports import Announcement
from enactor.records import RecordSet
from enactor.report import (
    Action,
    Calls,
    CycleReport,
    EnactorSeen,
    EndpointReport,
    PlanWordReport,
    SurveyReport,
    cycle_status,
    survey_status,
)
from enactor.standing import Choice, Standing

from .kernel_builders import (
    ENACTOR,
    FLEET,
    LATER,
    NAME,
    NOW,
    ZONE,
    ZONE_NAME,
    entry,
    fence,
    fence_record,
    garbled,
    index,
    weighted,
)
from .test_judge import bench, memory

A, B, C = (weighted(number) for number in (1, 2, 3))
OTHER = f"ep0.{ZONE_NAME}"
OTHER_A = weighted(1, name=OTHER)
FINDING = Finding(guard="vanished", observed=4, message="1 of 4 endpoints is no longer mentioned")
GATE = Finding(guard="empty", message="nothing that answers v4 would be left")
RUNNING = Standing(switch="run", open=8, plan="current", running=True)
CALLS = Calls(list=3, change=2)


def judged(working: PlanIndex | None, *records: RecordSet, names: tuple[str, ...] = (NAME,)) -> dict[str, Judged]:
    """Judge endpoints of a zone in which these sets and fences stand."""
    return judge(memory(*records), bench(working), names)


def result(of: dict[str, Judged] | None = None, **changes: Any) -> ZoneResult:
    made = ZoneResult(
        zone=ZONE,
        switch_text=None,
        standing=RUNNING,
        choice=Choice(working=None, may_advance=True, opens=False),
        judged=of or {},
        actions={},
        change_ids={},
        gate_findings={},
        changes=0,
        opened=False,
        error=None,
    )
    return msgspec.structs.replace(made, **changes)


def outlook(*results: ZoneResult, newest: PlanIndex | None = None, **changes: Any) -> Outlook:
    made = Outlook(fleet=FLEET, newest=newest, results=results, errors={}, problems=())
    return msgspec.structs.replace(made, **changes)


def report(*results: ZoneResult, **changes: Any) -> CycleReport:
    return cycle_report(outlook(*results, **changes), enactor=ENACTOR, calls=CALLS)


def stands(**changes: Any) -> Standing:
    return msgspec.structs.replace(RUNNING, **changes)


PLAN = index(8, entry(A))
CURRENT = judged(PLAN, A, fence_record(fence(A)))
BEHIND = judged(index(8, entry(A, B)), A, fence_record(fence(A)))
REFUSED = judged(index(8, entry(C)), A, B, fence_record(fence(A, B)))
FOREIGN = judged(PLAN, weighted(77))


def test_an_endpoint_is_reported_with_what_was_wanted_and_what_was_done() -> None:
    """Name, zone, state, the fence's generation and the plan's, the change that was sent for it."""
    made = report(result(BEHIND, actions={NAME: "swapped"}, change_ids={NAME: "C1"}))
    assert made.endpoints == (
        EndpointReport(
            name=NAME, zone=ZONE, state="behind", action="swapped", generation=7, wanted=8, guards=(), change_id="C1"
        ),
    )


def test_what_was_not_worked_on_has_no_action_and_what_no_plan_lists_no_wanted_generation() -> None:
    """And a fence that cannot be read has no generation."""
    vanished = judged(index(8), A, fence_record(fence(A)))
    (found,) = report(result(vanished)).endpoints
    assert (found.action, found.generation, found.wanted, found.change_id) == ("none", 7, None, None)
    (found,) = report(result(judged(PLAN, A, garbled().record))).endpoints
    assert (found.state, found.generation, found.wanted) == ("fence-garbled", None, 8)
    (found,) = report(result(judged(PLAN))).endpoints
    assert (found.state, found.generation, found.wanted) == ("missing", None, 8)


def test_a_refused_endpoint_names_its_guards_and_the_last_gate_s() -> None:
    """What nothing was done for because of them is refused; what was repaired meanwhile says so."""
    (found,) = report(result(REFUSED, gate_findings={NAME: (GATE,), OTHER: (FINDING,)})).endpoints
    assert [one.guard for one in found.guards] == ["shrink-targets", "shrink-capacity", "empty"]
    assert found.action == "refused"
    (found,) = report(result(REFUSED, actions={NAME: "swapped"})).endpoints
    assert found.action == "swapped"
    (found,) = report(result(CURRENT, gate_findings={NAME: (GATE,)})).endpoints
    assert (found.action, found.guards) == ("refused", (GATE,))


@pytest.mark.parametrize("done", ["failed", "waiting", "conflict"])
def test_what_another_enactor_did_first_is_nothing_undone(done: Action) -> None:
    """It conflicted or waits by our own count, and stands as wanted; where it does not stand so, the word stays."""
    (found,) = report(result(CURRENT, actions={NAME: done})).endpoints
    assert found.action == "none"
    (found,) = report(result(BEHIND, actions={NAME: done})).endpoints
    assert found.action == done
    (found,) = report(result(CURRENT, actions={NAME: "swapped"})).endpoints
    assert found.action == "swapped"


def test_endpoints_are_listed_by_zone_and_name() -> None:
    """Whatever order zones and endpoints were judged in: two reports can be compared line by line."""
    two = judged(index(8, entry(A), entry(OTHER_A, name=OTHER)), names=(NAME, OTHER))
    seen = outlook(result(two, zone="Z2"), result(two, zone="Z10"))
    expected = [("Z10", OTHER), ("Z10", NAME), ("Z2", OTHER), ("Z2", NAME)]
    cycle = cycle_report(seen, enactor=ENACTOR, calls=CALLS)
    assert [(one.zone, one.name) for one in cycle.endpoints] == expected
    assert [(one.zone, one.name) for one in survey_report(seen).endpoints] == expected
    assert [zone.zone for zone in cycle.zones] == ["Z10", "Z2"]


def test_a_cycle_says_which_plan_and_counts_what_it_sent() -> None:
    """The generation, the whole digest and where it came from; every zone's changes together."""
    made = report(result(CURRENT, changes=4), result(zone="Z2", changes=3), newest=PLAN)
    assert made.plan == PlanWordReport(generation=8, digest=PLAN.stored.digest, source="table")
    assert (made.fleet, made.enactor, made.calls, made.changes) == (FLEET, ENACTOR, CALLS, 7)
    assert report(result()).plan == PlanWordReport(generation=None, digest=None, source="none")


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        (lambda: report(result(CURRENT)), "unchanged"),
        (lambda: report(result(CURRENT, change_ids={NAME: "C1"})), "changed"),
        (lambda: report(result(CURRENT, opened=True)), "changed"),
        (lambda: report(result(CURRENT), problems=("the disk is full",)), "failed"),
        (lambda: report(result(CURRENT), errors={"Z2": "no such zone"}), "failed"),
        (lambda: report(result(CURRENT, error="throttled", opened=True)), "partial"),
        (lambda: report(result(BEHIND, actions={NAME: "waiting"})), "failed"),
        (lambda: report(result(REFUSED)), "refused"),
        (lambda: report(result(FOREIGN)), "refused"),
        (lambda: report(result(CURRENT, gate_findings={NAME: (GATE,)})), "refused"),
        (lambda: report(result(CURRENT), damaged=FINDING), "refused"),
        (lambda: report(result(CURRENT, standing=stands(plan="ahead"))), "refused"),
        (lambda: report(result(CURRENT, standing=stands(plan="forked"))), "refused"),
        (lambda: report(result(CURRENT, standing=stands(plan="behind"))), "unchanged"),
        (lambda: report(result(CURRENT, standing=stands(switch="stop"))), "stopped"),
        (lambda: report(result(zone="Z2", standing=stands(switch="stop")), result(CURRENT)), "unchanged"),
        (report, "unchanged"),
        (lambda: report(errors={"Z2": "no such zone"}), "failed"),
    ],
)
def test_what_was_seen_and_done_makes_the_outcome(made: Callable[[], CycleReport], outcome: str) -> None:
    """A cycle never looks better than it was."""
    assert made().outcome == outcome


def test_a_plan_wide_refusal_is_said_once_though_several_zones_say_it() -> None:
    """With its plan's generation; a newest plan that cannot be used is one too, by the generation it would have."""
    refusing = Choice(working=None, may_advance=False, opens=False, refused=((9, FINDING),))
    damage = Finding(guard="digest", observed=12, message="it does not verify")
    seen = outlook(result(choice=refusing), result(zone="Z2", choice=refusing), damaged=damage)
    assert seen.refused == ((12, damage), (9, FINDING))
    made = cycle_report(seen, enactor=ENACTOR, calls=CALLS)
    way = f"{FINDING.message}: `planner publish` another, or `enactor allow '*' --guard vanished --generation 9`"
    assert made.refused == (damage, msgspec.structs.replace(FINDING, message=way))
    told = [event for event in events_of(seen, made, 0.5) if isinstance(event, PlanRefused)]
    assert [(event.generation, event.guard, event.message) for event in told] == [
        (12, "digest", "it does not verify"),
        (9, "vanished", FINDING.message),
    ]


def test_a_zone_is_reported_as_it_stands_or_as_unknown() -> None:
    """Nothing that was not seen is shown as a fact."""
    made = report(
        result(error="throttled", standing=stands(open=5, plan="behind")),
        errors={"Z0": "gone"},
    )
    first, second = made.zones
    assert (first.zone, first.switch, first.open, first.plan, first.error) == ("Z0", "unknown", None, "unknown", "gone")
    assert (second.zone, second.switch, second.open, second.plan, second.error) == (
        ZONE,
        "run",
        5,
        "behind",
        "throttled",
    )


def test_a_switch_that_is_no_clear_run_is_shown_as_it_stands() -> None:
    """A person may have typed why. Nor is a zone called current where the newest plan is not known for a trouble."""
    stopped = result(switch_text="mode=stop", standing=stands(switch="stop", running=False))
    assert report(stopped).zones[0].text == "mode=stop"
    assert report(result(switch_text="mode=run")).zones[0].text is None
    words = [
        report(result(), **seen).zones[0].plan
        for seen in ({}, {"problems": ("x",)}, {"problems": ("x",), "newest": PLAN})
    ]
    assert words == ["current", "unknown", "current"]


def test_troubles_are_the_table_s_and_each_zone_s() -> None:
    """An endpoint's own failure is none of them."""
    made = report(
        result(BEHIND, actions={NAME: "failed"}),
        result(zone="Z2", error="busy"),
        problems=("no table",),
        errors={"Z3": "x"},
    )
    assert troubles_of(made) == (("", "no table"), ("Z2", "busy"), ("Z3", "x"))


def survey(*results: ZoneResult, **changes: Any) -> SurveyReport:
    return survey_report(outlook(*results, **changes))


def test_a_survey_counts_states_and_shows_each_endpoint() -> None:
    """Its fence as it is read, whether it answers, and why it is in its state."""
    zones = (result(CURRENT), result(FOREIGN, zone="Z2"), result(CURRENT, zone="Z3"))
    made = survey(*zones, newest=PLAN, problems=("x",), damaged=FINDING)
    assert made.counts == {"current": 2, "foreign": 1}
    assert list(made.counts) == ["current", "foreign"]
    assert (made.fleet, made.plan.generation, made.problems) == (FLEET, 8, ("x",))
    assert [found.guard for found in made.refused] == [FINDING.guard]
    current, foreign, _ = made.endpoints
    assert (current.name, current.zone, current.state, current.answering) == (NAME, ZONE, "current", True)
    assert (current.generation, current.wanted, current.reasons) == (7, 8, ())
    assert current.fence is not None
    assert current.fence["gen"] == 7
    assert (foreign.state, foreign.generation, foreign.wanted, foreign.fence) == ("foreign", None, 8, None)
    assert "adopt" in foreign.reasons[0]


def test_a_survey_counts_endpoints_of_zones_that_are_not_ours() -> None:
    """A zone that could not be read is ours all the same."""
    plan = index(8, entry(A), entry(A, zone="Z2"), entry(A, zone="Z3"), entry(OTHER_A, name=OTHER, zone="Z3"))
    assert survey(result(), newest=plan).other_zones == 3
    assert survey(result(), newest=plan, errors={"Z3": "gone"}).other_zones == 1
    assert survey(result()).other_zones == 0


def test_a_status_is_the_survey_without_endpoints_and_with_the_brakes() -> None:
    """Holds, allows and stops: what a person may have forgotten."""
    allow = Allow("shrink-targets", 8, LATER)
    hold = judged(PLAN, A, fence_record(fence(A, state="hold")))
    lifted = judged(PLAN, OTHER_A, fence_record(fence(OTHER_A, allow=(allow,)), OTHER), names=(OTHER,))
    stopped = stands(switch="stop")
    absent = stands(switch="absent")
    seen = survey(
        result(hold), result(lifted, zone="Z2", standing=stopped), result(zone="Z3", standing=absent), newest=PLAN
    )
    there = (EnactorSeen(id="az-1", generation=8, seen="2026-11-30T04:00:00Z"),)
    made = status_report(msgspec.structs.replace(seen, other_zones=5, problems=("x",), refused=(FINDING,)), there)
    assert (made.holds, made.allows, made.stops) == ((NAME,), (OTHER,), ("Z2",))
    assert (made.fleet, made.plan, made.zones, made.counts) == (FLEET, seen.plan, seen.zones, seen.counts)
    assert (made.other_zones, made.enactors, made.problems, made.refused) == (5, there, ("x",), (FINDING,))
    assert status_report(seen, None).enactors is None


def test_an_enactor_is_seen_once_as_it_was_last() -> None:
    """Every process of one id has announced itself; the newest word counts, in whatever order they are read."""
    old, new = (
        Announcement(id="az-2", nonce=nonce, generation=generation, seen=f"2026-11-30T03:5{generation}:00Z")
        for nonce, generation in (("a", 7), ("b", 8))
    )
    first = Announcement(id="az-1", nonce="c", generation=6, seen="2026-11-30T03:00:00Z")
    expected = (
        EnactorSeen(id="az-1", generation=6, seen=first.seen, silent_seconds=3_600),
        EnactorSeen(id="az-2", generation=8, seen=new.seen, silent_seconds=120),
    )
    assert latest([old, new, first], NOW) == latest([first, new, old], NOW) == expected


def test_since_when_an_enactor_is_silent_is_said_where_it_can_be_told() -> None:
    """Not without AWS's time, and not from a time that cannot be read."""
    seen = [
        Announcement(id=f"az-{seen}", nonce="a", generation=7, seen=seen) for seen in ("2026-11-30T03:58:29Z", "soon")
    ]
    assert [one.silent_seconds for one in latest(seen, NOW)] == [91, None]
    assert [one.silent_seconds for one in latest(seen, None)] == [None, None]


def test_what_answers_nothing_is_counted_whatever_keeps_it_so() -> None:
    """Held, in a stopped zone: clients get no answer all the same. What is retired should not answer."""
    held = judged(PLAN, fence_record(fence(A, state="hold")))
    gone = judged(PLAN, fence_record(fence(A, state="retired")))
    silent = outlook(result(held), result(held, zone="Z2", standing=stands(switch="stop")), result(gone, zone="Z3"))
    made = cycle_report(silent, enactor=ENACTOR, calls=CALLS)
    assert [one.answering for one in made.endpoints] == [False] * 3
    assert (made.not_answering, cycle_status(made)) == (2, 3)
    *_, ended = events_of(silent, made, 0.0)
    assert isinstance(ended, CycleEnded)
    assert (ended.not_answering, ended.why) == (2, ())
    seen = survey_report(silent)
    assert (seen.not_answering, status_report(seen, None).not_answering) == (2, 2)
    assert (survey_status(seen), survey_status(status_report(seen, None))) == (3, 3)
    answering = survey(result(judged(PLAN, A, fence_record(fence(A, state="hold")))))
    assert (answering.not_answering, survey_status(answering)) == (0, 0)


def test_a_cycle_tells_every_refusal_and_at_last_its_outcome() -> None:
    """Once each, with the numbers that the metrics count."""
    seen = outlook(result(REFUSED, changes=5), result(CURRENT, zone="Z2"), newest=PLAN)
    made = cycle_report(seen, enactor=ENACTOR, calls=CALLS)
    *refused, ended = events_of(seen, made, 1.5)
    guards = made.endpoints[0].guards
    assert refused == [
        EndpointRefused(zone=ZONE, name=NAME, guard=finding.guard, message=finding.message) for finding in guards
    ]
    assert ended == CycleEnded(
        outcome="refused",
        generation=8,
        source="table",
        seconds=1.5,
        states={"refused": 1, "current": 1},
        reads=3,
        writes=2,
        changes=5,
    )
    failing = outlook(result(CURRENT, error="x"), errors={"Z2": "y"}, problems=("z",))
    *_, failed = events_of(failing, cycle_report(failing, enactor=ENACTOR, calls=CALLS), 0.0)
    assert isinstance(failed, CycleEnded)
    assert failed.why == ("z", f"zone {ZONE}: x", "zone Z2: y"), "with every cycle, as long as it lasts"
    *_, without = events_of(outlook(), report(), 0.0)
    assert isinstance(without, CycleEnded)
    assert (without.generation, without.source) == (0, "none")

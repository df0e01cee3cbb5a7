"""Each alert fires when it must, not sooner, with its numbers and its page, and beside it fires no other: one event, one alert."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from .scene import (
    DOCS,
    FOREVER,
    HOUR,
    MINUTE,
    NEVER,
    NO_PROMTOOL,
    PROMTOOL,
    STEP,
    Line,
    Scene,
    constant,
    firing,
    fleet,
    promtool_says,
    since_cycle,
)
from .test_rules_file import ALERTS, alerts

pytestmark = pytest.mark.skipif(PROMTOOL is None, reason=NO_PROMTOOL)

BEGIN = 10 * MINUTE
"""When what is wrong begins."""


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """What goes wrong, and what is told of it."""

    alert: str
    after: int
    """How long after BEGIN it fires, in seconds."""
    summary: str
    wrong: Callable[[Scene], None]
    severity: str = "page"
    labels: dict[str, str] = {}
    ticket: str = ""
    """What the ticket of the same alert says, which fires by then."""
    step: int = STEP


def from_begin(value: float, before: float = 0.0) -> Line:
    return lambda now, _age: value if now >= BEGIN else before


def there_from_begin(value: float) -> Line:
    return lambda now, _age: value if now >= BEGIN else None


def growing(now: int, _age: int) -> float:
    return max(0.0, now - BEGIN)


def one(metric: str, line: Line, **labels: str) -> Callable[[Scene], None]:
    """Return the story in which one thing that is there goes another way."""
    return lambda scene: scene.change(metric, line, **labels)


def new(metric: str, line: Line, **labels: str) -> Callable[[Scene], None]:
    return lambda scene: scene.also(metric, line, **labels)


def both(*parts: Callable[[Scene], None]) -> Callable[[Scene], None]:
    def told(scene: Scene) -> None:
        for part in parts:
            part(scene)

    return told


def empty_outside(scene: Scene) -> None:
    scene.change("enactor_probe_verdict", from_begin(1), name="api.", verdict="empty")
    scene.change("enactor_probe_verdict", from_begin(0, 1), name="api.", verdict="answering")


def half_know_nothing(scene: Scene) -> None:
    """One probe hears from nobody, and both servers of the other one say that the name is empty."""
    empty_outside(scene)
    scene.change("enactor_probe_verdict", constant(0), instance="probe-0")
    scene.change("enactor_probe_verdict", constant(1), instance="probe-0", verdict="unknown")


def all_dead(scene: Scene) -> None:
    for number in range(3):
        scene.end(f"enactor-{number}", BEGIN)


def undiscovered(scene: Scene) -> None:
    """Dead, and the server is told of no target any more."""
    all_dead(scene)
    scene.drop("up")


def hanging(scene: Scene) -> None:
    """Targets that answer while no cycle ends."""
    scene.change("enactor_last_cycle_timestamp_seconds", lambda now, _: min(now, BEGIN))


def born_dead(scene: Scene) -> None:
    """Targets that never were there since this server began."""
    for number in range(3):
        scene.end(f"enactor-{number}", -HOUR)


def planners_dead(scene: Scene) -> None:
    for number in range(2):
        scene.end(f"planner-{number}", BEGIN)


def planners_born_dead(scene: Scene) -> None:
    for number in range(2):
        scene.end(f"planner-{number}", -HOUR)


def stopped_beyond(scene: Scene) -> None:
    scene.change("enactor_zone_switch", constant(1), zone="Z1", switch="stop")
    scene.change("enactor_zone_switch", constant(0), zone="Z1", switch="run")
    scene.also("enactor_zone_stop_until_timestamp_seconds", since_cycle(BEGIN), zone="Z1")


BEHIND = "An endpoint of fleet edge has not come to the newest plan for "
PLANNER = "No planner of fleet edge has had a good look "
SILENT = "No enactor of fleet edge has ended a cycle "
TABLE = "enactors of fleet edge have worked without the plan table for 15 minutes: no new plan can come into force"
SOME = (
    "enactor(s) of fleet edge have worked without the plan table for 5 minutes: they repair, and learn of no new plan"
)
BUDGET = "enactor(s) of fleet edge have used up their share of Route 53 calls, or were throttled, for 30 minutes"
STORIES = {
    "most servers say empty": Story(
        alert="EnactorEndpointEmptyOutside",
        after=MINUTE,
        wrong=empty_outside,
        summary="1 endpoint(s) of fleet edge answer nothing at most DNS servers that the probe asks: api. ",
    ),
    "three of four servers say empty": Story(
        alert="EnactorEndpointEmptyOutside",
        after=MINUTE,
        wrong=both(
            empty_outside,
            lambda scene: scene.change(
                "enactor_probe_verdict",
                constant(1),
                name="api.",
                instance="probe-1",
                server="192.0.2.53",
                verdict="answering",
            ),
            lambda scene: scene.change(
                "enactor_probe_verdict",
                constant(0),
                name="api.",
                instance="probe-1",
                server="192.0.2.53",
                verdict="empty",
            ),
        ),
        summary="1 endpoint(s) of fleet edge answer nothing at most DNS servers that the probe asks: api. ",
    ),
    "all servers say empty that say anything": Story(
        alert="EnactorEndpointEmptyOutside",
        after=MINUTE,
        wrong=half_know_nothing,
        summary="1 endpoint(s) of fleet edge answer nothing at most DNS servers that the probe asks: api. ",
    ),
    "one enactor sees what does not answer": Story(
        alert="EnactorEndpointEmpty",
        after=2 * MINUTE,
        wrong=one("enactor_endpoints_not_answering", from_begin(3), instance="enactor-1"),
        summary="3 endpoint(s) of fleet edge should answer and do not, and enactors have not repaired them for 2 minutes",
    ),
    "a guard refuses endpoints": Story(
        alert="EnactorEndpointRefused",
        severity="ticket",
        after=30 * MINUTE,
        wrong=both(
            one("enactor_endpoints", from_begin(9), state="refused"),
            new("enactor_endpoints_refused", there_from_begin(9), guard="shrink-targets"),
        ),
        summary="9 endpoint(s) of fleet edge have been kept from the newest plan by a guard for 30 minutes: shrink-targets at 9 ",
    ),
    "a guard refuses endpoints for two hours": Story(
        alert="EnactorEndpointRefused",
        after=2 * HOUR,
        wrong=both(
            one("enactor_endpoints", from_begin(9), state="refused"),
            new("enactor_endpoints_refused", there_from_begin(9), guard="shrink-targets"),
        ),
        ticket="9 endpoint(s) of fleet edge have been kept from the newest plan by a guard for 30 minutes: shrink-targets at 9 ",
        summary="9 endpoint(s) of fleet edge have been kept from the newest plan by a guard for two hours: shrink-targets at 9 ",
    ),
    "an endpoint is behind": Story(
        alert="EnactorEndpointBehind",
        severity="ticket",
        after=900 + STEP + 5 * MINUTE,
        wrong=both(
            one("enactor_endpoints_longest_seconds", growing, state="behind"),
            one("enactor_endpoints", from_begin(2), state="behind"),
        ),
        summary=f"{BEHIND}20m 30s: 2 behind ",
    ),
    "an endpoint is behind for an hour": Story(
        alert="EnactorEndpointBehind",
        after=HOUR + STEP + 5 * MINUTE,
        wrong=both(
            one("enactor_endpoints_longest_seconds", growing, state="behind"),
            one("enactor_endpoints", from_begin(2), state="behind"),
        ),
        ticket=f"{BEHIND}1h 5m 30s: 2 behind ",
        summary=f"{BEHIND}1h 5m 30s: 2 behind ",
    ),
    "somebody writes there again and again": Story(
        alert="EnactorEndpointContested",
        severity="ticket",
        after=5 * MINUTE,
        wrong=new("enactor_endpoints_refused", there_from_begin(2), guard="contested"),
        summary="Somebody else writes at 2 endpoint(s) of fleet edge, again after each repair, or into their fences",
    ),
    "a fence cannot be read": Story(
        alert="EnactorEndpointContested",
        severity="ticket",
        after=5 * MINUTE,
        wrong=one("enactor_endpoints", from_begin(1), state="fence-garbled"),
        summary="Somebody else writes at 1 endpoint(s) of fleet edge, again after each repair, or into their fences",
    ),
    "a plan is refused": Story(
        alert="EnactorPlanRefused",
        severity="ticket",
        after=5 * MINUTE,
        wrong=new("enactor_plan_refused", there_from_begin(1), guard="vanished"),
        summary="1 guard(s) have refused a whole plan of fleet edge for 5 minutes: vanished ",
    ),
    "a plan is refused for an hour": Story(
        alert="EnactorPlanRefused",
        after=HOUR,
        wrong=new("enactor_plan_refused", there_from_begin(1), guard="vanished"),
        ticket="1 guard(s) have refused a whole plan of fleet edge for 5 minutes: vanished ",
        summary="1 guard(s) have refused a whole plan of fleet edge for an hour, and no newer one came: vanished ",
    ),
    "planners see no source": Story(
        alert="EnactorPlannerSilent",
        severity="ticket",
        after=900 + STEP + 5 * MINUTE,
        wrong=one("planner_last_good_look_timestamp_seconds", lambda now, _: min(now, BEGIN)),
        summary=f"{PLANNER}for 20m 30s: plans do not follow the sources",
    ),
    "planners are dead": Story(
        alert="EnactorPlannerSilent",
        after=2 * HOUR,
        wrong=planners_dead,
        ticket=f"{PLANNER}for 2h 0m 30s: plans do not follow the sources",
        summary=f"{PLANNER}for 2h 0m 30s: plans do not follow the sources",
    ),
    "planners never were there": Story(
        alert="EnactorPlannerSilent",
        severity="ticket",
        after=5 * MINUTE - BEGIN,
        wrong=planners_born_dead,
        summary=f"{PLANNER}as far as is known: plans do not follow the sources",
    ),
    "guards refuse at publish": Story(
        alert="EnactorEndpointCarried",
        severity="ticket",
        after=30 * MINUTE,
        wrong=one("planner_carried_endpoints", from_begin(3), instance="planner-0"),
        summary="The planner has kept 3 endpoint(s) of fleet edge at their former content for 30 minutes: guards refuse the new one",
    ),
    "the brake holds": Story(
        alert="EnactorHealthBrakeOn",
        severity="ticket",
        after=10 * MINUTE,
        wrong=one("planner_brake_endpoints", from_begin(4), instance="planner-0"),
        summary="The brake keeps health signals from taking more out of 4 endpoint(s) of fleet edge, for 10 minutes by now",
    ),
    "no collection ends": Story(
        alert="EnactorCollectionStuck",
        severity="ticket",
        after=24 * HOUR + 14 * MINUTE,
        wrong=both(
            one("enactor_last_collect_timestamp_seconds", lambda now, _: min(now, BEGIN)),
            one("enactor_collect_overdue_timestamp_seconds", lambda now, _: min(now, BEGIN) + 24 * HOUR),
        ),
        step=4 * MINUTE,
        summary="No collection of fleet edge has read every zone for 1d 0h 14m 0s: old plans stay",
    ),
    "no collection ever ended": Story(
        alert="EnactorCollectionStuck",
        severity="ticket",
        after=23 * HOUR + 16 * MINUTE - BEGIN,
        wrong=both(
            one("enactor_last_collect_timestamp_seconds", constant(NEVER)),
            one("enactor_collect_overdue_timestamp_seconds", constant(23 * HOUR)),
        ),
        step=4 * MINUTE,
        summary="No collection of fleet edge has read every zone as far as is known: old plans stay",
    ),
    "all enactors are dead": Story(
        alert="EnactorAllSilent",
        labels={"silent": "no-cycle"},
        after=2 * MINUTE + 3 * MINUTE,
        wrong=all_dead,
        summary=f"{SILENT}for 5m 30s: nothing is repaired",
    ),
    "all enactors are gone from service discovery": Story(
        alert="EnactorAllSilent",
        labels={"silent": "no-cycle"},
        after=2 * MINUTE + 3 * MINUTE,
        wrong=undiscovered,
        summary=f"{SILENT}for 5m 30s: nothing is repaired",
    ),
    "all enactors hang": Story(
        alert="EnactorAllSilent",
        labels={"silent": "no-cycle"},
        after=2 * MINUTE + STEP + 3 * MINUTE,
        wrong=hanging,
        summary=f"{SILENT}for 5m 30s: nothing is repaired",
    ),
    "enactors never were there": Story(
        alert="EnactorAllSilent",
        labels={"silent": "no-cycle"},
        after=3 * MINUTE - BEGIN,
        wrong=born_dead,
        summary=f"{SILENT}as far as is known: nothing is repaired",
    ),
    "nobody can read a zone": Story(
        alert="EnactorAllSilent",
        labels={"silent": "no-zone"},
        after=10 * MINUTE,
        wrong=one("enactor_zone_failed", from_begin(1), zone="Z2"),
        summary="No enactor of fleet edge has been able to work on 1 of its zone(s) for 10 minutes",
    ),
    "a fence went back": Story(
        alert="EnactorFenceWentBack",
        after=0,
        wrong=one("enactor_noticed_total", from_begin(1), event="fence-went-back"),
        summary="1 fence(s) or switch(es) of fleet edge were older than they had been, within 30 minutes: fence-went-back ",
    ),
    "a switch went back": Story(
        alert="EnactorFenceWentBack",
        after=0,
        wrong=one("enactor_noticed_total", from_begin(1), event="switch-went-back", instance="enactor-2"),
        summary="1 fence(s) or switch(es) of fleet edge were older than they had been, within 30 minutes: switch-went-back ",
    ),
    "a bucket stays empty": Story(
        alert="EnactorBudgetExhausted",
        severity="ticket",
        after=10 * MINUTE + 20 * MINUTE,
        wrong=one("enactor_budget_tokens", from_begin(-3, 225), currency="changes", instance="enactor-0"),
        summary=f"1 {BUDGET}",
    ),
    "somebody else throttles the account": Story(
        alert="EnactorBudgetExhausted",
        severity="ticket",
        after=10 * MINUTE + 20 * MINUTE,
        wrong=both(one("enactor_budget_pace_ratio", from_begin(0.5, 1)), one("enactor_ready", from_begin(0, 1))),
        summary=f"3 {BUDGET}",
    ),
    "the table answers one of three no more": Story(
        alert="EnactorRunningWithoutTable",
        severity="ticket",
        after=5 * MINUTE,
        wrong=one("enactor_table_answers", from_begin(0, 1), instance="enactor-2"),
        summary=f"1 {SOME}",
    ),
    "the table answers nobody": Story(
        alert="EnactorRunningWithoutTable",
        after=15 * MINUTE,
        wrong=one("enactor_table_answers", from_begin(0, 1)),
        ticket=f"3 {SOME}",
        summary=f"All 3 {TABLE}",
    ),
    "the newest plan comes from the disk": Story(
        alert="EnactorRunningWithoutTable",
        after=15 * MINUTE,
        wrong=both(
            one("enactor_plan_source", from_begin(1), source="disk"),
            one("enactor_plan_source", from_begin(0, 1), source="table"),
        ),
        ticket=f"3 {SOME}",
        summary=f"All 3 {TABLE}",
    ),
    "a disk keeps no plan": Story(
        alert="EnactorNotReady",
        severity="ticket",
        after=30 * MINUTE,
        wrong=one("enactor_ready", from_begin(0, 1)),
        summary="3 enactor(s) of fleet edge have been degraded for 30 minutes, by neither table, zone nor throttling: /readyz says what fails",
    ),
    "a critical name is mistyped": Story(
        alert="EnactorCriticalUnknown",
        severity="ticket",
        after=HOUR,
        wrong=one("enactor_critical_endpoints_missing", from_begin(1)),
        summary="1 name(s) that the settings of fleet edge call critical are in no plan and have no fence, for an hour: nobody watches them",
    ),
    "one enactor has other limits": Story(
        alert="EnactorLimitsDiffer",
        severity="ticket",
        after=30 * MINUTE,
        wrong=lambda scene: scene.enactor("enactor-3", ((BEGIN, FOREVER),), digest="ba9876543210"),
        summary="The enactors of fleet edge have had 2 different sets of limits for 30 minutes: they do not refuse the same",
    ),
    "a stop goes on after its end": Story(
        alert="EnactorStopOutlivedItsEnd",
        severity="ticket",
        after=5 * MINUTE + STEP + 5 * MINUTE,
        wrong=stopped_beyond,
        summary="A zone of fleet edge is still stopped 10m 30s after its stop should have ended",
    ),
}


def told(story: Story, severity: str) -> dict[str, str]:
    return {"alertname": story.alert, "fleet": "edge", "severity": severity, **story.labels}


def expected(story: Story, severity: str, summary: str) -> dict[str, Any]:
    """Return an alert as Alertmanager gets it, with its name beside."""
    labels = {key: value for key, value in told(story, severity).items() if key != "alertname"}
    url = f"{DOCS}/runbooks/{ALERTS[story.alert][0]}"
    return {"exp_labels": labels, "exp_annotations": {"summary": summary, "runbook_url": url}}


def test_every_alert_has_its_story() -> None:
    """Each with each of its severities, and each of the two ways to be silent."""
    ours = {(story.alert, story.severity, *story.labels.values()) for story in STORIES.values()}
    there = {(rule["alert"], *(rule["labels"][key] for key in sorted(rule["labels"]))) for rule in alerts()}
    assert ours == there


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_it_fires_then_alone_and_says_how_much(story: Story, tmp_path: Path) -> None:
    """Not one evaluation sooner, for its fleet and not for another one, with the page to read."""
    scene = fleet()
    story.wrong(scene)
    at = BEGIN + story.after
    last = (story.severity, story.summary)
    earlier = [("ticket", story.ticket)] if story.ticket else []
    wrong = promtool_says(
        tmp_path,
        [scene, fleet(name="other")],
        seconds=at,
        claims=[
            firing(at - story.step, *(told(story, severity) for severity, _ in earlier)),
            firing(at, *(told(story, severity) for severity, _ in (*earlier, last))),
        ],
        alerts=[
            {
                "eval_time": f"{at}s",
                "alertname": story.alert,
                "exp_alerts": [expected(story, severity, summary) for severity, summary in (*earlier, last)],
            }
        ],
        step=story.step,
    )
    assert not wrong, wrong


def test_one_enactor_of_three_in_trouble_wakes_nobody(tmp_path: Path) -> None:
    """It reaches neither the table nor Route 53, for an hour and a half: a ticket, because the others do its work."""
    scene = fleet()
    scene.change("enactor_table_answers", from_begin(0, 1), instance="enactor-1")
    scene.change("enactor_zone_failed", from_begin(1), instance="enactor-1")
    scene.change("enactor_ready", from_begin(0, 1), instance="enactor-1")
    ticket = {"alertname": "EnactorRunningWithoutTable", "fleet": "edge", "severity": "ticket"}
    claims = [firing(at, ticket) for at in range(BEGIN + 5 * MINUTE, BEGIN + 90 * MINUTE, 5 * MINUTE)]
    assert promtool_says(tmp_path, [scene], seconds=BEGIN + 90 * MINUTE, claims=claims) == ""


def test_what_is_drifted_for_hours_wakes_nobody(tmp_path: Path) -> None:
    """It answers, and somebody else keeps writing there: a ticket."""
    scene = fleet()
    scene.change("enactor_endpoints_longest_seconds", growing, state="drifted")
    ticket = {"alertname": "EnactorEndpointBehind", "fleet": "edge", "severity": "ticket"}
    claims = [firing(at, ticket) for at in range(BEGIN + 30 * MINUTE, BEGIN + 2 * HOUR, 10 * MINUTE)]
    assert promtool_says(tmp_path, [scene], seconds=BEGIN + 2 * HOUR, claims=claims) == ""


def test_a_page_lasts_for_as_long_as_nobody_is_there(tmp_path: Path) -> None:
    """What was remembered for a day is forgotten then, and the targets that do not answer are still there."""
    scene = fleet()
    all_dead(scene)
    page = {"alertname": "EnactorAllSilent", "fleet": "edge", "severity": "page", "silent": "no-cycle"}
    hours = [firing(BEGIN + number * HOUR, page) for number in range(1, 27)]
    assert promtool_says(tmp_path, [scene], seconds=27 * HOUR, claims=hours, step=4 * MINUTE) == ""


def test_an_alert_ends_with_what_it_is_about(tmp_path: Path) -> None:
    """A guard that refuses no more, a plan that is refused no more, a fence that went back an hour ago."""
    scene, end = fleet(), BEGIN + HOUR
    scene.also("enactor_plan_refused", lambda now, _: 1.0 if BEGIN <= now < end else None, guard="vanished")
    scene.change("enactor_noticed_total", from_begin(1), event="fence-went-back")
    page = {"alertname": "EnactorFenceWentBack", "fleet": "edge", "severity": "page"}
    ticket = {"alertname": "EnactorPlanRefused", "fleet": "edge", "severity": "ticket"}
    claims = [firing(BEGIN + 10 * MINUTE, page, ticket), firing(end - MINUTE, ticket), firing(end)]
    assert promtool_says(tmp_path, [scene], seconds=end, claims=claims) == ""

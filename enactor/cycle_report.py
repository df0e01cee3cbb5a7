"""Decide what a cycle or a survey says: the reports for people and machines, and the events for whoever listens.

Pure: from what was seen and done in each zone to frozen values. It must never make a cycle look better than it was: what is not
known to be well is reported as failed (promise 5: the report names what holds an endpoint).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

import msgspec

from enactor.fence import Fence, Garbled, Switch, instant_of
from enactor.guards import Finding
from enactor.hooks import CycleEnded, EndpointRefused, Event, PlanRefused
from enactor.judge import Judged, fence_fields, reasons_of
from enactor.plan_guards import PLAN_ALLOWABLE
from enactor.plan_index import PlanIndex
from enactor.ports import Announcement
from enactor.report import (
    AT_REST,
    KEPT_BACK_STATES,
    Action,
    Calls,
    CycleReport,
    EnactorSeen,
    EndpointReport,
    PlanWordReport,
    StatusReport,
    SurveyEndpoint,
    SurveyReport,
    ZoneReport,
    outcome_word,
)
from enactor.standing import Choice, Standing
from enactor.swap import Refused

UNDONE_ACTIONS: Final[frozenset[Action]] = frozenset({"failed", "waiting", "conflict"})
AHEAD_SECONDS_MAX: Final = 60
"""Two of AWS's clocks are never so far apart: what was announced for later was not dated by them."""
ODD_PLANS: Final = frozenset({"ahead", "forked"})


class ZoneResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen in one zone, and what was done there."""

    zone: str
    switch_text: str | None
    standing: Standing
    choice: Choice
    judged: Mapping[str, Judged]
    actions: Mapping[str, Action]
    change_ids: Mapping[str, str]
    gate_findings: Mapping[str, tuple[Finding, ...]]
    changes: int
    opened: bool
    error: str | None
    switch: Switch | Garbled | None = None
    record_sets: int | None = None
    """How many record sets the zone holds, fences among them."""

    @property
    def wrote(self) -> bool:
        """Tell whether any batch was applied."""
        return self.opened or bool(self.change_ids)


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of the whole fleet: `results` of the zones that could be read, `errors` of those that could not."""

    fleet: str
    newest: PlanIndex | None
    results: tuple[ZoneResult, ...]
    errors: Mapping[str, str]
    problems: tuple[str, ...]
    damaged: Finding | None = None
    """Why the newest plan cannot be used."""
    table_answered: bool = True

    @property
    def refused(self) -> tuple[tuple[int, Finding], ...]:
        """Return every plan-wide refusal with its plan's generation, each once though several zones say it."""
        whole = ((int(self.damaged.observed or 0), self.damaged),) if self.damaged else ()
        return tuple(dict.fromkeys((*whole, *(found for result in self.results for found in result.choice.refused))))

    @property
    def zones(self) -> frozenset[str]:
        """Return the zones this enactor was told to look at."""
        return frozenset(self.errors) | {result.zone for result in self.results}


def cycle_report(seen: Outlook, *, enactor: str, calls: Calls) -> CycleReport:
    """Return what `once` prints."""
    zones = _zone_reports(seen)
    endpoints = tuple(
        sorted(
            (endpoint_report(result, judged) for result in seen.results for judged in result.judged.values()),
            key=lambda endpoint: (endpoint.zone, endpoint.name),
        )
    )
    refused = _findings(seen)
    failed = bool(seen.problems) or any(zone.error for zone in zones)
    odd = any(zone.plan in ODD_PLANS for zone in zones)
    held_back = any(endpoint.guards or endpoint.state in KEPT_BACK_STATES for endpoint in endpoints)
    return CycleReport(
        fleet=seen.fleet,
        enactor=enactor,
        plan=_plan_word(seen.newest),
        outcome=outcome_word(
            failed=failed or any(endpoint.action in UNDONE_ACTIONS for endpoint in endpoints),
            kept_back=bool(refused) or odd or held_back,
            done=any(result.wrote for result in seen.results),
            running=any(zone.switch == "run" for zone in zones),
            judged=bool(seen.results),
        ),
        zones=zones,
        endpoints=endpoints,
        refused=refused,
        calls=calls,
        changes=sum(result.changes for result in seen.results),
        problems=seen.problems,
        not_answering=_not_answering(endpoints),
    )


def survey_report(seen: Outlook) -> SurveyReport:
    """Return what `survey` prints."""
    endpoints = [_surveyed(result, judged) for result in seen.results for judged in result.judged.values()]
    return SurveyReport(
        fleet=seen.fleet,
        plan=_plan_word(seen.newest),
        zones=_zone_reports(seen),
        counts=dict(sorted(Counter(endpoint.state for endpoint in endpoints).items())),
        other_zones=_other_zones(seen),
        endpoints=tuple(sorted(endpoints, key=lambda endpoint: (endpoint.zone, endpoint.name))),
        refused=_findings(seen),
        problems=seen.problems,
        not_answering=_not_answering(endpoints),
    )


def _not_answering(endpoints: Iterable[EndpointReport | SurveyEndpoint]) -> int:
    """Count the endpoints that should answer and do not: all but the retired ones should."""
    return sum(not endpoint.answering and endpoint.state != "retired" for endpoint in endpoints)


def latest(seen: Iterable[Announcement], aws_now: datetime | None) -> tuple[EnactorSeen, ...]:
    """Return each enactor once, as it was seen last: every process of one id has announced itself.

    A cycle that a person ran by hand is one of its own: it has the id of its machine, and must not pass for the worker there.
    """
    by_id: dict[tuple[str, bool], Announcement] = {}
    for one in seen:
        key = one.id, one.presence == "by-hand"
        if key not in by_id or _order(one, aws_now) > _order(by_id[key], aws_now):
            by_id[key] = one
    return tuple(
        EnactorSeen(
            id=one.id,
            generation=one.generation,
            seen=one.seen,
            silent_seconds=_seconds_since(one.seen, aws_now),
            limits=one.limits or None,
            presence=one.presence,
        )
        for _, one in sorted(by_id.items())
    )


def _order(one: Announcement, aws_now: datetime | None) -> tuple[bool, bool, str]:
    """A time that can be read and has come is newer than one that cannot or has not; times of one form sort as texts."""
    return _seconds_since(one.seen, aws_now) is not None, instant_of(one.seen) is not None, one.seen


def _seconds_since(seen: str, aws_now: datetime | None) -> int | None:
    """Return how long ago that was; None where nobody can tell, as of a time that is yet to come."""
    at = instant_of(seen)
    if aws_now is None or at is None:
        return None
    seconds = round((aws_now - at).total_seconds())
    return max(0, seconds) if seconds >= -AHEAD_SECONDS_MAX else None


def _findings(seen: Outlook) -> tuple[Finding, ...]:
    return tuple(dict.fromkeys(_with_way_out(generation, finding) for generation, finding in seen.refused))


def _with_way_out(generation: int, finding: Finding) -> Finding:
    """Say how a plan that is refused whole gets in all the same; what is wrong with a damaged one is said already."""
    if finding.guard == "digest":
        return finding
    ways = "`planner publish` another"
    if finding.guard in PLAN_ALLOWABLE:
        ways += f", or `enactor allow '*' --guard {finding.guard} --generation {generation}`"
    return msgspec.structs.replace(finding, message=f"{finding.message}: {ways}")


def status_report(survey: SurveyReport, enactors: tuple[EnactorSeen, ...] | None) -> StatusReport:
    """Return what `status` prints: the survey without its endpoints, who is there, and which brakes are on."""
    fences = [(endpoint.name, endpoint.fence or {}) for endpoint in survey.endpoints]
    return StatusReport(
        fleet=survey.fleet,
        plan=survey.plan,
        zones=survey.zones,
        counts=survey.counts,
        other_zones=survey.other_zones,
        enactors=enactors,
        holds=tuple(endpoint.name for endpoint in survey.endpoints if endpoint.state == "held"),
        allows=tuple(name for name, fence in fences if fence.get("allow")),
        stops=tuple(zone.zone for zone in survey.zones if zone.switch == "stop"),
        refused=survey.refused,
        problems=survey.problems,
        not_answering=survey.not_answering,
    )


def troubles_of(report: CycleReport) -> tuple[tuple[str, str], ...]:
    """Return what failed beside the endpoints, as (zone, sentence); no zone where it is the table or the disk."""
    return (
        *(("", problem) for problem in report.problems),
        *((zone.zone, zone.error) for zone in report.zones if zone.error),
    )


def events_of(seen: Outlook, report: CycleReport, seconds: float) -> Iterable[Event]:
    """Return what is told of a cycle: every refusal, and at last its one outcome."""
    generation = report.plan.generation or 0
    for endpoint in report.endpoints:
        for finding in endpoint.guards:
            yield EndpointRefused(zone=endpoint.zone, name=endpoint.name, guard=finding.guard, message=finding.message)
    for refused, finding in seen.refused:
        yield PlanRefused(generation=refused, guard=finding.guard, message=finding.message)
    yield CycleEnded(
        outcome=report.outcome,
        generation=generation,
        source=report.plan.source,
        seconds=seconds,
        states=dict(Counter(endpoint.state for endpoint in report.endpoints)),
        reads=report.calls.list,
        writes=report.calls.change,
        changes=report.changes,
        not_answering=report.not_answering,
        why=tuple(f"zone {zone}: {why}" if zone else why for zone, why in troubles_of(report)),
    )


def _zone_reports(seen: Outlook) -> tuple[ZoneReport, ...]:
    read = [
        ZoneReport(
            zone=result.zone,
            switch=result.standing.switch,
            open=result.standing.open,
            plan="unknown" if seen.newest is None and seen.problems else result.standing.plan,
            error=result.error,
            text=result.switch_text if not result.standing.running else None,
        )
        for result in seen.results
    ]
    unread = [
        ZoneReport(zone=zone, switch="unknown", open=None, plan="unknown", error=why)
        for zone, why in seen.errors.items()
    ]
    return tuple(sorted([*read, *unread], key=lambda report: report.zone))


def _other_zones(seen: Outlook) -> int:
    """Return how many endpoints the newest plan lists in zones that are not ours."""
    by_zone = seen.newest.by_zone if seen.newest else {}
    return sum(len(listed) for zone, listed in by_zone.items() if zone not in seen.zones)


def _plan_word(plan: PlanIndex | None) -> PlanWordReport:
    if plan is None:
        return PlanWordReport(generation=None, digest=None, source="none")
    return PlanWordReport(generation=plan.stored.generation, digest=plan.stored.digest, source=plan.source)


def _generations(judged: Judged) -> tuple[int | None, int | None]:
    """Return the fence's generation and the plan's."""
    reading = judged.question.view.fence
    own = reading.fence.gen if reading is not None and isinstance(reading.fence, Fence) else None
    return own, judged.question.generation if judged.question.wanted is not None else None


def endpoint_report(result: ZoneResult, judged: Judged) -> EndpointReport:
    """Return one endpoint as `once` prints it."""
    name = judged.question.view.name
    own, wanted = _generations(judged)
    findings = judged.decision.findings if isinstance(judged.decision, Refused) else ()
    findings = (*findings, *result.gate_findings.get(name, ()))
    return EndpointReport(
        name=name,
        zone=result.zone,
        state=judged.state,
        action=_action(result.actions.get(name, "none"), judged, findings),
        generation=own,
        wanted=wanted,
        guards=findings,
        change_id=result.change_ids.get(name),
        answering=judged.answering,
    )


def _action(done: Action, judged: Judged, findings: tuple[Finding, ...]) -> Action:
    """Return what came of the work on an endpoint: what was lost to another that did the same work is nothing undone."""
    if judged.state in AT_REST and done in UNDONE_ACTIONS:
        done = "none"
    return "refused" if findings and done == "none" else done


def _surveyed(result: ZoneResult, judged: Judged) -> SurveyEndpoint:
    own, wanted = _generations(judged)
    return SurveyEndpoint(
        name=judged.question.view.name,
        zone=result.zone,
        state=judged.state,
        answering=judged.answering,
        generation=own,
        wanted=wanted,
        fence=fence_fields(judged),
        reasons=reasons_of(judged),
    )

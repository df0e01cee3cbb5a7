"""One enactor's cycle over all its zones: read, decide, write, report. The order of reading is switches, HEAD, fences, sets.

The shell that strings the parts together; it decides nothing itself. One cycle ends in one outcome, told once to the hook.
"""

from collections.abc import Sequence
from typing import Final

from enactor.backoff import Backoff
from enactor.fence import Fence, Switch
from enactor.guards import LimitsTable
from enactor.hooks import CallEnded, CycleEnded, EndpointRefused, Event, Hook, Noticed, PlanRefused
from enactor.judge import Judged, fence_fields, reasons_of
from enactor.library import Library, Shelf
from enactor.memory import ZoneMemory
from enactor.outcome import ZonePort
from enactor.plan_index import PlanIndex
from enactor.ports import Announcement, Chance, Clock, OutsideError, PlanStore, Stopping
from enactor.report import (
    AT_REST,
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
from enactor.swap import Refused
from enactor.zone_cycle import Crew, ZoneCycle

CYCLE_LIMIT_SECONDS: Final = 60.0
"""No cycle decides anew after this; what is left is the next cycle's."""
PAGE_ITEMS: Final = 300


class Tally:
    """Counts the calls of one cycle as the adapter tells of them."""

    def __init__(self, onward: Hook) -> None:
        self._onward = onward
        self.reads = 0
        self.writes = 0

    def __call__(self, event: Event) -> None:
        if isinstance(event, CallEnded):
            if event.operation == "ChangeResourceRecordSets":
                self.writes += 1
            else:
                self.reads += 1
        self._onward(event)

    def restart(self) -> None:
        """Begin a cycle's count."""
        self.reads = self.writes = 0


class Enactor:
    """One enactor: its zones, what it remembers of them, and the plans at hand."""

    def __init__(
        self,
        *,
        fleet: str,
        enactor: str,
        zone_ids: Sequence[str],
        limits: LimitsTable,
        zones: ZonePort,
        store: PlanStore,
        library: Library,
        clock: Clock,
        chance: Chance,
        tally: Tally,
        reason: str = "",
    ) -> None:
        self._zone_ids = tuple(zone_ids)
        self._store = store
        self._tally = tally
        self._memories: dict[str, ZoneMemory] = {}
        self._shelf: Shelf | None = None
        self._floors: set[int] = set()
        self._announced: tuple[int, float] | None = None
        self._process = chance.nonce()
        self._crew = Crew(
            fleet=fleet,
            enactor=enactor,
            limits=limits,
            zones=zones,
            library=library,
            clock=clock,
            chance=chance,
            hook=tally,
            backoff=Backoff(),
            comment=comment_text(fleet, enactor, reason),
        )

    def cycle(self, *, survey_seconds: float = 0.0) -> CycleReport:
        """Bring every endpoint of every zone to the newest valid plan; zones seen longer ago than told are read anew first."""
        started = self._crew.clock.now()
        self._tally.restart()
        errors = self._observe(survey_seconds)
        assert self._shelf is not None, "plans are looked for before zones are worked on"
        done: list[ZoneCycle] = []
        for zone in self._zone_ids:
            if zone in errors:
                continue
            work = ZoneCycle(self._crew, self._memories[zone], self._shelf)
            work.run(started + CYCLE_LIMIT_SECONDS, self._look)
            done.append(work)
        self._after(done)
        report = self._report(done, errors)
        self._tell(report, self._crew.clock.now() - started)
        return report

    def survey(self) -> SurveyReport:
        """Read everything and judge it; write nothing."""
        self._tally.restart()
        errors = self._observe(0.0)
        assert self._shelf is not None, "plans are looked for before zones are judged"
        works = [
            ZoneCycle(self._crew, self._memories[zone], self._shelf) for zone in self._zone_ids if zone not in errors
        ]
        for work in works:
            work.look()
        endpoints = tuple(_surveyed(work, judged) for work in works for judged in work.judged.values())
        counts: dict[str, int] = {}
        for endpoint in endpoints:
            counts[endpoint.state] = counts.get(endpoint.state, 0) + 1
        return SurveyReport(
            fleet=self._crew.fleet,
            plan=_plan_word(self._newest()),
            zones=self._zone_reports(works, errors),
            counts=dict(sorted(counts.items())),
            other_zones=self._other_zones(),
            endpoints=tuple(sorted(endpoints, key=lambda endpoint: (endpoint.zone, endpoint.name))),
            problems=self._shelf.problems,
        )

    def survey_pages(self) -> int:
        """Return about how many reads one survey of all zones takes: the fence range and the listing, and the switch."""
        return sum(3 + (memory.total + len(memory.fences)) // PAGE_ITEMS for memory in self._memories.values())

    def status(self) -> StatusReport:
        """Read everything, as `survey` does, and say who is there and which brakes are on."""
        report = self.survey()
        enactors: tuple[EnactorSeen, ...] | None
        try:
            seen = self._store.announcements()
            enactors = tuple(EnactorSeen(id=one.id, generation=one.generation, seen=one.seen) for one in seen)
        except Stopping:
            raise
        except OutsideError:
            enactors = None
        fences = [(endpoint.name, endpoint.fence or {}) for endpoint in report.endpoints]
        return StatusReport(
            fleet=report.fleet,
            plan=report.plan,
            zones=report.zones,
            counts=report.counts,
            other_zones=report.other_zones,
            enactors=enactors,
            holds=tuple(endpoint.name for endpoint in report.endpoints if endpoint.state == "held"),
            allows=tuple(name for name, fence in fences if fence.get("allow")),
            stops=tuple(zone.zone for zone in report.zones if zone.switch == "stop"),
            problems=report.problems,
        )

    def _observe(self, survey_seconds: float) -> dict[str, str]:
        """Read switches, then HEAD, then fences and record sets, of the zones whose last survey is old; return the errors."""
        errors: dict[str, str] = {}
        due = [zone for zone in self._zone_ids if self._is_due(zone, survey_seconds)]
        for zone in due:
            try:
                if zone not in self._memories:
                    self._memories[zone] = ZoneMemory(self._crew.zones, zone, self._crew.fleet)
                self._memories[zone].read_switch()
            except Stopping:
                raise
            except OutsideError as error:
                errors[zone] = str(error)
        self._look()
        for zone in due:
            try:
                if zone not in errors:
                    self._memories[zone].read_all(self._crew.clock.now())
            except Stopping:
                raise
            except OutsideError as error:
                errors[zone] = str(error)
        return errors

    def _is_due(self, zone: str, survey_seconds: float) -> bool:
        memory = self._memories.get(zone)
        if memory is None or memory.surveyed_at is None:
            return True
        return self._crew.clock.now() - memory.surveyed_at >= survey_seconds

    def _look(self) -> Shelf:
        self._shelf = self._crew.library.look()
        return self._shelf

    def _newest(self) -> PlanIndex | None:
        return self._shelf.candidates[0] if self._shelf and self._shelf.candidates else None

    def _after(self, works: Sequence[ZoneCycle]) -> None:
        """Keep the floor, trim memory, and announce: nothing here can hurt an endpoint, so nothing here may fail a cycle."""
        assert self._shelf is not None, "a cycle has looked"
        switches = [work.memory.switch.switch for work in works]
        open_plans = {work.choice.working.identity for work in works if work.choice.working}
        self._crew.library.trim(open_plans)
        self._crew.backoff.keep_only(frozenset((work.memory.zone, name) for work in works for name in work.judged))
        if not self._shelf.reachable:
            return
        try:
            for switch in switches:
                if isinstance(switch, Switch) and self._is_ahead(switch):
                    self._store.raise_floor(switch.gen)
                    self._floors.add(switch.gen)
            self._announce(switches)
        except Stopping:
            raise
        except OutsideError as error:
            self._tally(Noticed(event="table-write-failed", facts={"why": str(error)}))

    def _is_ahead(self, switch: Switch) -> bool:
        """Tell whether a switch is at a generation that the next plan must be numbered above, and the table does not know."""
        head = self._shelf.head if self._shelf else None
        if switch.gen == 0 or switch.gen in self._floors:
            return False
        return (
            head is None
            or switch.gen > head.generation
            or (switch.gen == head.generation and not head.digest.startswith(switch.plan))
        )

    def _announce(self, switches: Sequence[object]) -> None:
        generation = max((switch.gen for switch in switches if isinstance(switch, Switch)), default=0)
        now, last = self._crew.clock.now(), self._announced
        if last is not None and last[0] == generation and now - last[1] < ANNOUNCE_SECONDS:
            return
        seen = self._crew.zones.aws_now()
        text = seen.strftime("%Y-%m-%dT%H:%M:%SZ") if seen else ""
        self._store.announce(Announcement(self._crew.enactor, self._process, generation, text))
        self._announced = (generation, now)

    def _other_zones(self) -> int:
        newest = self._newest()
        if newest is None:
            return 0
        return sum(len(listed) for zone, listed in newest.by_zone.items() if zone not in self._zone_ids)

    def _zone_reports(self, works: Sequence[ZoneCycle], errors: dict[str, str]) -> tuple[ZoneReport, ...]:
        found = [
            ZoneReport(
                zone=work.memory.zone,
                switch=work.standing.switch,
                open=work.standing.open,
                plan=work.standing.plan,
                error=work.error,
            )
            for work in works
        ]
        found += [
            ZoneReport(zone=zone, switch="absent", open=None, plan="current", error=why) for zone, why in errors.items()
        ]
        return tuple(sorted(found, key=lambda report: report.zone))

    def _report(self, works: Sequence[ZoneCycle], errors: dict[str, str]) -> CycleReport:
        assert self._shelf is not None, "a cycle has looked"
        zones = self._zone_reports(works, errors)
        endpoints = tuple(
            sorted(
                (_worked(work, judged) for work in works for judged in work.judged.values()),
                key=lambda endpoint: (endpoint.zone, endpoint.name),
            )
        )
        refused = {(finding.guard, finding.message): finding for work in works for _, finding in work.choice.refused}
        failed = bool(self._shelf.problems) or any(zone.error for zone in zones)
        failed = failed or any(endpoint.action in {"failed", "waiting", "conflict"} for endpoint in endpoints)
        odd = any(zone.plan in {"ahead", "forked"} for zone in zones)
        held_back = any(endpoint.guards or endpoint.state in KEPT_BACK_STATES for endpoint in endpoints)
        return CycleReport(
            fleet=self._crew.fleet,
            enactor=self._crew.enactor,
            plan=_plan_word(self._newest()),
            outcome=outcome_word(
                failed=failed,
                kept_back=bool(refused) or odd or held_back,
                done=any(work.opened or work.change_ids for work in works),
                running=any(zone.switch == "run" for zone in zones),
                judged=bool(works),
            ),
            zones=zones,
            endpoints=endpoints,
            refused=tuple(refused.values()),
            calls=Calls(self._tally.reads, self._tally.writes),
            changes=sum(work.changes for work in works),
            problems=self._shelf.problems,
        )

    def _tell(self, report: CycleReport, seconds: float) -> None:
        states: dict[str, int] = {}
        for endpoint in report.endpoints:
            states[endpoint.state] = states.get(endpoint.state, 0) + 1
            for finding in endpoint.guards:
                self._tally(
                    EndpointRefused(
                        zone=endpoint.zone, name=endpoint.name, guard=finding.guard, message=finding.message
                    )
                )
        for finding in report.refused:
            generation = report.plan.generation or 0
            self._tally(PlanRefused(generation=generation, guard=finding.guard, message=finding.message))
        self._tally(
            CycleEnded(
                outcome=report.outcome,
                generation=report.plan.generation or 0,
                source=report.plan.source,
                seconds=seconds,
                states=states,
                reads=report.calls.list,
                writes=report.calls.change,
                changes=report.changes,
            )
        )


ANNOUNCE_SECONDS: Final = 60.0
KEPT_BACK_STATES: Final = frozenset({"foreign", "fence-garbled", "refused", "vanished"})


def comment_text(fleet: str, enactor: str, reason: str = "") -> str:
    """Return the change Comment's pattern, so that CloudTrail tells who wrote what, and why."""
    clean = "".join(letter for letter in reason if letter.isprintable()).replace("{", "(").replace("}", ")")
    return f"fleet={fleet} gen={{generation}} by={enactor}" + (f" reason={clean}" if clean else "")


def _plan_word(plan: PlanIndex | None) -> PlanWordReport:
    if plan is None:
        return PlanWordReport(generation=None, digest=None, source="none")
    return PlanWordReport(generation=plan.stored.generation, digest=plan.stored.digest, source=plan.source)


def _generations(judged: Judged) -> tuple[int | None, int | None]:
    """Return the fence's generation and the plan's."""
    reading = judged.question.view.fence
    own = reading.fence.gen if reading is not None and isinstance(reading.fence, Fence) else None
    return own, judged.question.generation if judged.question.wanted is not None else None


def _worked(work: ZoneCycle, judged: Judged) -> EndpointReport:
    name = judged.question.view.name
    own, wanted = _generations(judged)
    findings = judged.decision.findings if isinstance(judged.decision, Refused) else ()
    findings = (*findings, *work.gate_findings.get(name, ()))
    action: Action = work.actions.get(name, "none")
    if judged.state in AT_REST and action in {"conflict", "failed", "waiting"}:
        action = "none"
    if findings and action == "none":
        action = "refused"
    return EndpointReport(
        name=name,
        zone=work.memory.zone,
        state=judged.state,
        action=action,
        generation=own,
        wanted=wanted,
        guards=findings,
        change_id=work.change_ids.get(name),
    )


def _surveyed(work: ZoneCycle, judged: Judged) -> SurveyEndpoint:
    own, wanted = _generations(judged)
    return SurveyEndpoint(
        name=judged.question.view.name,
        zone=work.memory.zone,
        state=judged.state,
        answering=judged.answering,
        generation=own,
        wanted=wanted,
        fence=fence_fields(judged),
        reasons=reasons_of(judged),
    )

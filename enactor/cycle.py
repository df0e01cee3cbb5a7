"""One enactor's cycle over all its zones: read, decide, write, report. The order of reading is switches, HEAD, fences, sets.

The shell that strings the parts together; it decides nothing itself. One cycle ends in one outcome, told once to the hook.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from enactor.backoff import Backoff, Wait
from enactor.brake import explaining, is_leap
from enactor.crew import Crew
from enactor.cycle_report import Outlook, cycle_report, events_of, latest, status_report, survey_report, troubles_of
from enactor.fence import Switch, instant_text
from enactor.guards import LimitsTable
from enactor.hooks import CallEnded, Event, Hook, Noticed
from enactor.library import Library, Shelf
from enactor.memory import ZoneMemory
from enactor.observe import LISTING_PAGE_SETS_MAX
from enactor.outcome import ZonePort
from enactor.pace import CYCLE_LIMIT_SECONDS, part_seconds, rank
from enactor.ports import Announcement, Chance, Clock, OutsideError, PlanHead, PlanStore, Presence, Stopping
from enactor.report import Calls, CycleReport, EnactorSeen, StatusReport, SurveyReport
from enactor.zone_cycle import ZoneCycle

ANNOUNCE_SECONDS: Final = 60.0
"""An announcement that says nothing new is written again after this, so that `status` shows who is alive."""


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
        by_hand: bool = False,
    ) -> None:
        self._by_hand = by_hand
        """Whether a person runs one cycle: it is announced as that, so that nobody takes it for a worker."""
        self._zone_ids = tuple(zone_ids)
        self._store = store
        self._tally = tally
        self._memories: dict[str, ZoneMemory] = {}
        self._shelf: Shelf | None = None
        self._troubles: frozenset[tuple[str, str]] = frozenset()
        self._announced: tuple[int, float] | None = None
        self._table_away_since: datetime | None = None
        self.last: Outlook | None = None
        """What the last cycle saw and did, for whoever shows it; None before the first ended."""
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
        done = self._work([zone for zone in self._zone_ids if zone not in errors], started)
        self._after(done)
        calls = Calls(self._tally.reads, self._tally.writes)
        seen = self._outlook(done, errors)
        report = cycle_report(seen, enactor=self._crew.enactor, calls=calls)
        self.last = seen
        self._tell(seen, report, self._crew.clock.now() - started)
        return report

    def _work(self, zones: Sequence[str], started: float) -> list[ZoneCycle]:
        """Work on each zone for its part of the time, the most urgent first: what answers nobody waits for no large plan."""
        # Counted from here: a table that swallows requests has cost its time by now, and repairs must not wait for it.
        ends = self._crew.clock.now() + CYCLE_LIMIT_SECONDS
        ranks = (
            {zone: rank(self._at(zone).ready()) for zone in zones} if len(zones) > 1 else dict.fromkeys(zones, (0, 1))
        )
        row = sorted(zones, key=ranks.__getitem__)
        done: dict[str, ZoneCycle] = {}
        for place, zone in enumerate(row):
            done[zone] = self._at(zone)
            now, waiting = self._crew.clock.now(), sum(ranks[other][1] > 0 for other in row[place:])
            deadline = now + part_seconds(ends - now, waiting, len(zones))
            done[zone].run(deadline, self._look, read_since=started)
        return [done[zone] for zone in zones]

    def _at(self, zone: str) -> ZoneCycle:
        assert self._shelf is not None, "plans are looked for before zones are worked on"
        return ZoneCycle(self._crew, self._memories[zone], self._shelf)

    def _tell(self, seen: Outlook, report: CycleReport, seconds: float) -> None:
        """Tell what came of a cycle; a trouble that lasts is told when it begins, and not again in each cycle."""
        troubles = troubles_of(report)
        for zone, why in troubles:
            if (zone, why) not in self._troubles:
                self._tally(Noticed(event="trouble", facts={"zone": zone, "why": why} if zone else {"why": why}))
        self._troubles = frozenset(troubles)
        for event in events_of(seen, report, seconds):
            self._tally(event)

    def survey(self) -> SurveyReport:
        """Read everything and judge it; write nothing."""
        self._tally.restart()
        errors = self._observe(0.0)
        works = [self._at(zone) for zone in self._zone_ids if zone not in errors]
        for work in works:
            work.look()
        return survey_report(self._outlook(works, errors))

    def waits(self) -> dict[tuple[str, str], Wait]:
        """Return what waits because it failed, by zone and endpoint."""
        return self._crew.backoff.waits(self._crew.clock.now())

    def survey_pages(self) -> int:
        """Return about how many reads one survey of all zones takes: the fence range and the listing, and the switch."""
        return sum(
            3 + (memory.total + len(memory.fences)) // LISTING_PAGE_SETS_MAX for memory in self._memories.values()
        )

    def status(self) -> StatusReport:
        """Read everything, as `survey` does, and say who is there and which brakes are on."""
        report = self.survey()
        enactors: tuple[EnactorSeen, ...] | None
        try:
            enactors = latest(self._store.announcements(), self._crew.zones.aws_now())
        except Stopping:
            raise
        except OutsideError:
            enactors = None
        return status_report(report, enactors)

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
        if self._shelf.reachable:
            self._table_away_since = None
        elif self._table_away_since is None:
            self._table_away_since = self._crew.zones.aws_now()
        return self._shelf

    def _going_on(self) -> tuple[str, ...]:
        """Say since when the table is away, and what is worked from meanwhile."""
        if self._shelf is None or self._table_away_since is None:
            return ()
        newest = next(iter(self._shelf.candidates), None)
        plan = f"generation {newest.stored.generation} from {newest.source}" if newest else "what the fences name"
        return (f"the plan table has not answered since {instant_text(self._table_away_since)}: going on with {plan}",)

    def _outlook(self, works: Sequence[ZoneCycle], errors: dict[str, str]) -> Outlook:
        assert self._shelf is not None, "plans are looked for before zones are worked on"
        return Outlook(
            fleet=self._crew.fleet,
            newest=self._shelf.candidates[0] if self._shelf.candidates else None,
            results=tuple(work.result() for work in works),
            errors=errors,
            problems=(*self._shelf.problems, *self._going_on(), *self._crew.library.unkept),
            damaged=self._shelf.damaged,
            table_answered=self._shelf.reachable,
        )

    def _after(self, works: Sequence[ZoneCycle]) -> None:
        """Keep the floor, trim memory, and announce: nothing here can hurt an endpoint, so nothing here may fail a cycle."""
        assert self._shelf is not None, "a cycle has looked"
        switches = [work.memory.switch.switch for work in works]
        open_plans = {work.choice.working.identity for work in works if work.choice.working}
        self._crew.library.trim(open_plans)
        names = frozenset((work.memory.zone, name) for work in works for name in work.judged)
        self._crew.backoff.keep_only(names, frozenset(work.memory.zone for work in works))
        if not self._shelf.reachable:
            return
        try:
            if floor := self._floor(works):
                self._store.raise_floor(floor)
            self._announce(switches)
        except Stopping:
            raise
        except OutsideError as error:
            self._tally(Noticed(event="table-write-failed", facts={"why": str(error)}))

    def _floor(self, works: Sequence[ZoneCycle]) -> int:
        """Return the generation that the next plan must be numbered above and that the table does not know of; 0 where none is.

        It is the highest switch that HEAD does not explain, or a plan at hand that the table lost.
        """
        assert self._shelf is not None, "a cycle has looked"
        head, lost = self._shelf.head, self._shelf.above_head
        known = max(head.generation if head else 0, lost)
        floors = [0 if is_leap(lost, head.generation if head else 0) else lost]
        for memory in (work.memory for work in works):
            switch = memory.switch.switch
            explained = max([known, *explaining(memory.fences.values(), known)])
            if isinstance(switch, Switch) and _is_ahead(switch, head) and not is_leap(switch.gen, explained):
                floors.append(switch.gen)
        return max(floors)

    def _announce(self, switches: Sequence[object]) -> None:
        generation = max((switch.gen for switch in switches if isinstance(switch, Switch)), default=0)
        now, last = self._crew.clock.now(), self._announced
        if last is not None and last[0] == generation and now - last[1] < ANNOUNCE_SECONDS:
            return
        if self._crew.zones.aws_now() is None:
            return  # Route 53 has not answered yet: nothing was seen, and there is no time to say it with
        self._say(self._store, generation, "by-hand" if self._by_hand else "works")
        self._announced = (generation, now)

    def leave(self, store: PlanStore) -> None:
        """Say that this process ends because it was asked to, where it has said that it works; best effort, raises OutsideError.

        `store` is asked once and answers soon or not at all: somebody waits for the process to end.
        """
        if self._announced is not None:
            self._say(store, self._announced[0], "ended")

    def _say(self, store: PlanStore, generation: int, presence: Presence) -> None:
        seen = self._crew.zones.aws_now()
        assert seen is not None, "an answer of Route 53 dates what is announced"
        name, limits = self._crew.enactor, self._crew.limits.digest
        store.announce(Announcement(name, self._process, generation, instant_text(seen), limits, presence))


def _is_ahead(switch: Switch, head: PlanHead | None) -> bool:
    """Tell whether a switch is at a generation that the table's newest plan does not explain."""
    if switch.gen == 0 or head is None:
        return switch.gen > 0
    return switch.gen > head.generation or (switch.gen == head.generation and not head.digest.startswith(switch.plan))


def comment_text(fleet: str, enactor: str, reason: str = "") -> str:
    """Return the change Comment's pattern, so that CloudTrail tells who wrote what, and why."""
    clean = "".join(letter for letter in reason if letter.isprintable()).replace("{", "(").replace("}", ")")
    return f"fleet={fleet} gen={{generation}} by={enactor}" + (f" reason={clean}" if clean else "")

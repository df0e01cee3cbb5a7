"""A scenario made ready: its world, its troupe, its first state, and what one step makes of a state.

The one place where operations meet faults and steps meet promises; the schedulers only choose.
"""

import zlib
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from enactor import wire
from enactor.batch import Batch
from enactor.fence import Switch, is_running, switch_text, text_set
from enactor.names import switch_name
from enactor.plan import Plan
from enactor.report import SurveyReport
from enactor.sandbox import zone_model
from enactor.sandbox.zone_model import Zone

from . import clocks, promises
from .actors import Actor, Ports, Troupe
from .cast import FLEET, ZONE, ZONE_NAMES, ThinPorts, at_the_wheel, collector, enactor, healthy, planner
from .clocks import JUMPS, STILL, Clocks, Jump, Seen, has_ended
from .healed import HEALED_STEPS_MAX, is_nobodys, of_alone
from .hosted import ZoneState, state_of
from .ops import ByHand, Op, Passes, batch_of, component, is_read, said
from .probes import LATE_APPLIED, LATE_REFUSED
from .promises import Story
from .promises_late import of_verb
from .remembered import remember
from .signal_promises import Watched, of_signals
from .world import DARK, HOLD, RESTORED, Fault, World

remember()

DEAD: Final = -2
"""The position of an actor that was killed: whatever it would ask is refused for ever."""

Held = tuple[int, int, int, int, int]
"""A request kept on its way: its actor, what is asked, how many stops there had been, and the clocks it may have been decided by."""

NO_FAULT: Final = ""
KILL: Final = "kill -9"

STOPS_BITS: Final = 8
"""Stops are counted for each zone, side by side in one number."""
STOPS_MASK: Final = (1 << STOPS_BITS) - 1

NOT_OURS: Final = -1
"""In place of a number of stops: a person's own doing."""
STEPS_TO_HEAL_MAX: Final = 400
"""A healthy enactor that has not come to rest after so many calls is stuck."""


class State(msgspec.Struct, frozen=True, order=True):
    """Everything there is: numbers of the zone's state, the table's, the actors' positions, and requests on their way."""

    zone: int
    table: int
    positions: tuple[int, ...]
    held: tuple[Held, ...] = ()
    """Every request kept on its way."""
    stops: int = 0
    """How often each zone's switch went from run to anything else, the first zone in the lowest bits."""
    decided: tuple[int, ...] = ()
    """How many stops there had been when each actor took up what it has in hand."""
    clocks: Clocks = ()
    """What everybody's clock says, once one has jumped."""
    wiped: tuple[str, ...] = ()
    """The names that a person has wiped, fence and all, once for each time."""


class Step(msgspec.Struct, frozen=True):
    """What the scheduler chose: an actor's turn with or without a fault, or a held request that arrives."""

    actor: int
    fault: Fault = NO_FAULT
    delivered: int = -1
    """Which held request arrives, -1 where an actor takes its turn."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """A cast, what was published before it came on, and the plans there may be."""

    name: str
    before: tuple[Plan, ...]
    """Published and applied before the story begins, one after the other."""
    published: tuple[Plan, ...] = ()
    """Published then, and applied by nobody yet."""
    actors: tuple[Actor, ...]
    plans: tuple[Plan, ...]
    refused: frozenset[str] = frozenset()
    """Endpoints that guards keep on an older content, to the end."""
    files: tuple[Plan, ...] = ()
    """Plans that nobody publishes: a heal is taken from them."""
    mirrored: bool = False
    """Whether there is a plan mirror."""
    leaves: bool = False
    """Whether a person may take the zone out of the fleet."""
    watched: Watched | None = None
    """Where planners watch: who they are, and what may come of it."""
    zones: tuple[str, ...] = (ZONE,)
    """The hosted zones that are there when the story begins, each in service."""
    made: tuple[str, ...] = ()
    """Those that somebody makes meanwhile; healthy hands know of them."""
    timed: bool = False
    """Whether something lasts for a time, so that clocks may jump in every random run; else they may in one of many."""


class Tier(msgspec.Struct, frozen=True):
    """How real the outside is: the ports that actors get, and the world that answers what comes out of them."""

    name: str
    ports: Ports
    new_world: Callable[[], World]
    heals_one_of: int = 1
    """Healthy hands work on this tier in one end of so many, and on the thin tier, which is faster, in the others."""


THIN: Final = Tier("thin", ThinPorts(), lambda: World(ZONE_NAMES))


class Stage:
    """A scenario made ready on a tier."""

    def __init__(self, scenario: Scenario, tier: Tier = THIN) -> None:
        self.scenario = scenario
        self.tier = tier
        self.world = tier.new_world()
        self.story = Story(FLEET, (*scenario.before, *scenario.published, *scenario.plans), files=scenario.files)
        self.troupe = self._troupe(scenario.actors)
        self._zone_faults: dict[tuple[int, int, Seen], tuple[str, ...]] = {}
        self._table_faults: dict[tuple[int, int], tuple[str, ...]] = {}
        self._pair_faults: dict[tuple[int, int], tuple[str, ...]] = {}
        self._end_faults: dict[tuple[int, int, Seen], tuple[str, ...]] = {}
        self._running: dict[int, tuple[bool, ...]] = {}
        self._thin: Stage | None = None
        self._report: SurveyReport | None = None
        """What the last healthy enactor has seen at its end."""
        zones = (*scenario.zones, *scenario.made)
        self.starters = self._starting(0xF100)
        self.alone = self._troupe((healthy("healer", 0xF2, zones),))
        self.again = self._starting(0xF200)
        self.healers = self._troupe(
            (
                planner("healer", 0xF3, [scenario.plans[-1]], unguarded=bool(scenario.refused)),
                enactor("healer", 0xF4, cycles=2, zones=zones),
                collector("healer", 0xF5, zones=zones),
            )
        )
        self.helpers = self._troupe((enactor("helper", 0xF6, mirrored=True, zones=zones),))
        self.first = self._first()
        self.story.began = {
            (part.zone_id, name): promises.targets_of(records)
            for part in self.world.zones[self.first.zone].parts
            for name, records in promises.sets_by_name(part).items()
        }

    def _starting(self, number: int) -> Troupe:
        """Return two people for every zone: one who starts it, and one who brings it into service where it has no switch."""
        zones = (*self.scenario.zones, *self.scenario.made)
        deeds = [(zone, deeds) for zone in zones for deeds in (("start",), ("start", "init"))]
        return self._troupe(
            [at_the_wheel("healer", number + at, *given, zone=zone) for at, (zone, given) in enumerate(deeds)]
        )

    def _troupe(self, actors: Sequence[Actor]) -> Troupe:
        troupe = Troupe(actors, self.world.op, self.world.answers, self.world.probes, self.tier.ports)
        crashed = [end.crash for start in troupe.starts_of if (end := troupe.ends.get(start)) and end.crash]
        assert not crashed, f"an actor ended before it asked for anything: {crashed}"
        return troupe

    def _first(self) -> State:
        first, *others = map(_in_service, self.scenario.zones)
        at = self.world.moment(msgspec.structs.replace(first, beside=tuple(others))), self.world.backup
        for number, plan in enumerate((*self.scenario.before, *self.scenario.published)):
            unguarded, mirrored = bool(self.scenario.refused), self.scenario.mirrored
            hands = [planner("earlier", 0xC0 + number, [plan], unguarded=unguarded, mirrored=mirrored)]
            if number < len(self.scenario.before):
                hands.append(enactor("earlier", 0xE0 + number, zones=self.scenario.zones))
            troupe = Troupe(hands, self.world.op, self.world.answers, ports=self.tier.ports)
            for start in troupe.starts_of:
                at = self._to_the_end(troupe, start, *at)
        self.world.first, self.world.backup = at
        starts = self.troupe.starts_of
        return State(self.world.first, self.world.backup, starts, decided=(0,) * len(starts))

    def _to_the_end(self, troupe: Troupe, position: int, zone: int, table: int) -> tuple[int, int]:
        for _ in range(STEPS_TO_HEAL_MAX):
            op = troupe.pending[position]
            if op < 0:
                assert not troupe.end(position).crash, troupe.end(position).crash
                return zone, table
            zone, table, answer = self._answered(zone, table, op)
            position = troupe.advance(position, answer)
        raise AssertionError("the story never began")

    def _answered(self, zone: int, table: int, op: int) -> tuple[int, int, int]:
        match component(self.world.ops[op]):
            case "none":
                return zone, table, self.world.slept
            case "zone":
                after, answer = self.world.step_zone(zone, op)
                return after, table, answer
            case "table":
                after, answer = self.world.step_table(table, op)
                return zone, after, answer

    def faults_of(self, op: int) -> tuple[Fault, ...]:
        """Return the faults that can strike an operation."""
        return self.world.faults_of(self.world.ops[op])

    def take(self, state: State, step: Step) -> tuple[State, tuple[str, ...]]:
        """Return the state after a step, and the promises that it broke."""
        if step.delivered >= 0:
            _, op, stops, low, high = state.held[step.delivered]
            held = state.held[: step.delivered] + state.held[step.delivered + 1 :]
            zone, table, _ = self._answered(state.zone, state.table, op)
            faults = self._judged(state, zone, table, op, stops, by=Seen(low, high, jumped=bool(state.clocks)))
            faults += self._late_faults(state, zone, op)
            changed = zone != state.zone or table != state.table
            self.world.probes.hit.add(LATE_APPLIED if changed else LATE_REFUSED)
            return msgspec.structs.replace(self._changed(state, zone, table), held=held), faults
        actor, position = step.actor, state.positions[step.actor]
        if step.fault == KILL:
            return _placed(state, actor, DEAD), ()
        op = self.troupe.pending[position]
        asked, by = self.world.ops[op], clocks.seen(state.clocks, actor)
        state, seconds = self._jumped(state, actor, asked, step.fault)
        if step.fault and step.fault not in JUMPS:
            after = self.troupe.advance(position, self.world.fault_answer(asked, step.fault))
            held = (*state.held, (actor, op, state.decided[actor], by.low, by.high))
            held = held if step.fault == HOLD else state.held
            return msgspec.structs.replace(_placed(state, actor, after), held=tuple(sorted(held))), self._crashed(after)
        zone, table, answer = self._answered(state.zone, state.table, op)
        stops = NOT_OURS if self.scenario.actors[actor].is_person else state.decided[actor]
        faults = self._judged(state, zone, table, op, stops, by=by)
        after = self.troupe.advance(position, self.world.late(answer, seconds))
        there = self._changed(state, zone, table)
        if zone != state.zone and isinstance(asked, ByHand) and asked.hand == "wipe all":
            there = msgspec.structs.replace(there, wiped=(*state.wiped, asked.name))
        return _placed(there, actor, after), (*faults, *self._crashed(after))

    def _late_faults(self, state: State, zone: int, op: int) -> tuple[str, ...]:
        """Return what a verb has broken that was kept on its way."""
        batch = batch_of(self.world.ops[op])
        if zone == state.zone or batch is None:
            return ()
        _, before, after = self._changing(state.zone, zone, op)
        return of_verb(self.story, before, after, batch, late=True, wiped=state.wiped)

    def _jumped(self, state: State, actor: int, asked: Op, fault: Fault) -> tuple[State, int]:
        """Return the state with clocks that jump at this step, and by how many seconds the actor's own jumps with its answer."""
        jump = Jump(asked.seconds, of_all=True) if isinstance(asked, Passes) else JUMPS.get(fault)
        if jump is not None:
            found = clocks.jumped(state.clocks, len(state.positions), actor, jump)
            state = msgspec.structs.replace(state, clocks=found)
        is_told = state.clocks and component(asked) == "zone" and (jump is not None or not fault)
        if not is_told:  # nobody learns of the time but by the Date of Route 53's answer
            return state, 0
        found, seconds = clocks.told(state.clocks, actor, is_read=is_read(asked))
        return msgspec.structs.replace(state, clocks=found), seconds

    def _changed(self, state: State, zone: int, table: int) -> State:
        """Return the state with its parts changed; a switch that no longer says run is one more stop."""
        stops = state.stops
        if zone != state.zone:
            for number, (ran, runs) in enumerate(zip(self._runs(state.zone), self._runs(zone), strict=False)):
                stops += (ran and not runs) << STOPS_BITS * number
        return State(zone, table, state.positions, state.held, stops, state.decided, state.clocks, state.wiped)

    def _runs(self, zone: int) -> tuple[bool, ...]:
        """Tell of each zone whether it runs; one that was made later comes behind the others."""
        if zone not in self._running:
            moment = self.world.zones[zone]
            switches = (promises.reading(part, FLEET).switch.switch for part in moment.parts)
            self._running[zone] = tuple(is_running(switch, None) for switch in switches)
        return self._running[zone]

    def _crashed(self, position: int) -> tuple[str, ...]:
        if position < 0 or self.troupe.pending[position] >= 0:
            return ()
        crash = self.troupe.end(position).crash
        return (crash,) if crash else ()

    def _judged(self, state: State, zone: int, table: int, op: int, stops: int, *, by: Seen = STILL) -> tuple[str, ...]:
        """Hold a step, decided after so many stops and by these clocks, against the promises; what a person does by hand is not ours."""
        if zone == state.zone and table == state.table:
            return ()
        faults: tuple[str, ...] = ()
        by_person = stops == NOT_OURS
        if zone != state.zone and not by_person:
            faults += self._stopped_faults(state, op, stops)
            key = (state.zone, op, by)
            if key not in self._zone_faults:
                batch, before, after = self._changing(state.zone, zone, op)
                self._zone_faults[key] = promises.of_batch(self.story, before, after, batch, by)
            faults += self._zone_faults[key]
            faults += self._meeting_faults(state, zone, table, op, by)
        if table != state.table and not by_person:
            pair = (state.table, table)
            if pair not in self._table_faults:
                before_it, after_it = self.world.tables[state.table], self.world.tables[table]
                self._table_faults[pair] = promises.of_table(before_it, after_it) + promises.of_mirror(
                    before_it, after_it
                )
            faults += self._table_faults[pair]
            if self.scenario.watched is not None:
                faults += of_signals(self.scenario.watched, self.world.tables[state.table], self.world.tables[table])
        if by_person or (zone != state.zone and RESTORED in self.world.tables[table]):
            return faults  # a plan that an older backup does not have is lost by the restore, not by a collect
        known = self.pair_faults(state.zone, state.table)
        return faults + tuple(fault for fault in self.pair_faults(zone, table) if fault not in known)

    def _changing(self, zone: int, after: int, op: int) -> tuple[Batch, ZoneState, ZoneState]:
        """Return a batch that was applied, and its zone before and after."""
        batch = batch_of(self.world.ops[op])
        assert batch is not None, "a batch, or a person, changes a zone"
        one, other = self.world.zones[zone].at(batch.zone), self.world.zones[after].at(batch.zone)
        assert one is not None, "what is not there is not changed"
        assert other is not None, "nor taken away"
        return batch, one, other

    def _meeting_faults(self, state: State, zone: int, table: int, op: int, by: Seen) -> tuple[str, ...]:
        batch, before, after = self._changing(state.zone, zone, op)
        if not batch.opens and batch.origin != "verb":
            return ()
        return promises.of_meeting(self.story, (before, after), batch, self.world.tables[table], by)

    def _stopped_faults(self, state: State, op: int, stops: int) -> tuple[str, ...]:
        batch = batch_of(self.world.ops[op])
        if stops == state.stops or batch is None or batch.origin != "cycle":
            return ()
        ids = [part.zone_id for part in self.world.zones[state.zone].parts]
        shift = STOPS_BITS * ids.index(batch.zone)
        if stops >> shift & STOPS_MASK >= state.stops >> shift & STOPS_MASK:
            return ()
        return (f"{promises.STOP_MEANS_STOP}: a batch that was decided before a stop landed after it",)

    def pair_faults(self, zone: int, table: int) -> tuple[str, ...]:
        """Return what is wrong between a zone and the table."""
        key = (zone, table)
        if key not in self._pair_faults:
            self._pair_faults[key] = tuple(
                fault
                for part in self.world.zones[zone].parts
                for fault in promises.of_pair(self.story, part, self.world.tables[table])
            )
        return self._pair_faults[key]

    def end_faults(self, zone: int, table: int, by: Seen = STILL) -> tuple[str, ...]:
        """Return what healthy hands cannot bring right from here: start, an enactor alone, the last plan published, two cycles, a collect.

        A stop that has ended by itself needs no start; a switch that is gone is brought back by start or else by init.
        `by`: what the world's clock says by then.
        """
        key = (zone, table, by)
        if key not in self._end_faults:
            healed = self._healed if self._heals(zone) else self._healed_thinly
            self._end_faults[key] = healed(zone, table, by)
        return self._end_faults[key]

    def _heals(self, zone: int) -> bool:
        """Tell whether healthy hands work on this very tier: by the zone's text, so that a run stays a function of its seed."""
        one_of = self.tier.heals_one_of
        return one_of == 1 or zlib.crc32(repr(self.world.zones[zone].records).encode()) % one_of == 0

    def _healed_thinly(self, zone: int, table: int, by: Seen) -> tuple[str, ...]:
        if self._thin is None:
            self._thin = Stage(self.scenario)
        world = self._thin.world
        zone, table = world.moment(self.world.zones[zone]), world.table(self.world.tables[table])
        return self._thin.end_faults(zone, table, by)

    def _healed(self, zone: int, table: int, by: Seen) -> tuple[str, ...]:
        faults: list[str] = []
        if self.scenario.mirrored and DARK in self.world.tables[table]:
            zone, table = self._worked(self.helpers, zone, table, by, faults)
            for part in self.world.zones[zone].parts:
                faults += promises.of_dark(self.story, part, self.world.tables[table], by)
        zone, table = self._healed_alone(zone, self.world.lit(table), by, faults)
        if (granted := self.world.granted(zone)) != zone:
            zone, table = self._started(self.again, granted, table, by, faults)
        zone, table = self._worked(self.healers, zone, table, by, faults)
        scenario = self.scenario
        for part in self.world.zones[zone].parts:
            end = part, self.world.tables[table]
            faults += promises.of_end(self.story, *end, refused=scenario.refused, leaves=scenario.leaves, by=by)
        return tuple(faults)

    def _healed_alone(self, zone: int, table: int, by: Seen, faults: list[str]) -> tuple[int, int]:
        """Let one enactor alone bring right what it can, in so many calls; who is denied a zone is denied it still."""
        zone, table = self._started(self.starters, zone, table, by, faults)
        steps_max = (
            HEALED_STEPS_MAX * len(self.world.zones[zone].parts) if self.tier.name == THIN.name else STEPS_TO_HEAL_MAX
        )
        zone, table = self._worked(self.alone, zone, table, by, faults, steps_max=steps_max)
        report = self._report
        if report is None:
            return zone, table
        for part in self.world.zones[zone].parts:
            if self.scenario.leaves and is_nobodys(self.story, part):
                continue
            faults += of_alone(
                self.story, part, self.world.tables[table], by, report=report, refused=self.scenario.refused
            )
        return zone, table

    def _started(self, troupe: Troupe, zone: int, table: int, by: Seen, faults: list[str]) -> tuple[int, int]:
        """Have each zone that is there started, but where a stop is over by itself; brought into service where it has no switch."""
        for number, zone_id in enumerate((*self.scenario.zones, *self.scenario.made)):
            part = self.world.zones[zone].at(zone_id)
            switch = promises.reading(part, FLEET).switch if part else None
            if part is None or switch is None or has_ended(switch.switch, by):
                continue
            founds = switch.record is None and not self.scenario.leaves
            one = 2 * number + founds
            zone, table = self._worked(troupe, zone, table, by, faults, only=slice(one, one + 1))
        return zone, table

    def _worked(
        self,
        troupe: Troupe,
        zone: int,
        table: int,
        by: Seen,
        faults: list[str],
        *,
        only: slice = slice(None),
        steps_max: int = STEPS_TO_HEAL_MAX,
    ) -> tuple[int, int]:
        """Let healthy hands do all they do, one after the other, by one clock; add what they broke."""
        self._report = None
        for start in troupe.starts_of[only]:
            position, seconds = start, by.high
            for _ in range(steps_max):
                op = troupe.pending[position]
                if op < 0:
                    break
                before = State(zone, table, ())
                zone, table, answer = self._answered(zone, table, op)
                faults += self._judged(before, zone, table, op, 0, by=by)
                position = troupe.advance(position, self.world.late(answer, seconds))
                seconds = 0
            else:
                faults.append(f"{promises.NEVER_STUCK}: a healthy hand does not come to rest")
            ended = troupe.ends.get(position)
            if ended is not None and ended.crash:
                faults.append(ended.crash)
            if ended is not None and isinstance(ended.result, SurveyReport):
                self._report = ended.result
        return zone, table

    def turns(self, state: State) -> list[int]:
        """Return the actors that have something to ask."""
        return [
            actor
            for actor, position in enumerate(state.positions)
            if position >= 0 and self.troupe.pending[position] >= 0
        ]

    def said(self, state: State, step: Step) -> str:
        """Return a step as a timeline shows it."""
        if step.delivered >= 0:
            actor, op, *_ = state.held[step.delivered]
            return f"{self.scenario.actors[actor].name:10} ... its request arrives: {said(self.world.ops[op])}"
        name = self.scenario.actors[step.actor].name
        op = self.troupe.pending[state.positions[step.actor]]
        suffix = f"  !! {step.fault}" if step.fault else ""
        return f"{name:10} {said(self.world.ops[op])}{suffix}"


def _in_service(zone_id: str) -> ZoneState:
    """Return a zone as `enactor init` leaves it."""
    zone = Zone.empty(zone_id, ZONE_NAMES[zone_id])
    switch = Switch(fleet=FLEET, mode="run", gen=0, plan="none", nonce="0" * 16)
    record = text_set(switch_name(FLEET, zone.name), switch_text(switch))
    made = zone_model.apply(zone, [{"Action": "CREATE", "ResourceRecordSet": wire.record_to_wire(record)}])
    assert isinstance(made, Zone), made
    return state_of(made)


def _placed(state: State, actor: int, position: int) -> State:
    """Return the state with an actor at its next position; what it takes up there, it decided by now."""
    positions = (*state.positions[:actor], position, *state.positions[actor + 1 :])
    decided = (*state.decided[:actor], state.stops, *state.decided[actor + 1 :])
    return State(state.zone, state.table, positions, state.held, state.stops, decided, state.clocks, state.wiped)


def timeline(stage: Stage, steps: Sequence[Step]) -> list[str]:
    """Return a run as lines that a person can follow, with what it broke."""
    state, lines = stage.first, []
    for number, step in enumerate(steps, start=1):
        lines.append(f"{number:3}  {stage.said(state, step)}")
        state, faults = stage.take(state, step)
        lines += [f"     BROKEN {fault}" for fault in faults]
    return lines

"""Look, plan, and publish what is due, again and again: what `planner run` does between its signals.

Everything outside comes in: the file's reader, the sources' asker, the table, clocks and chance. A look never dies of what is
outside; it ends in exactly one outcome, which is told.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec

from enactor.fence import instant_text
from enactor.guards import LimitsTable, some
from enactor.ports import Chance, Clock, FormFaults, OutsideError, PlanHead, Stopping
from enactor.signals import ended_by_signals
from enactor.worker import StoppableClock
from planner.combining import Refusal
from planner.deliberation import PastReader, Thought, newest_known, publish_thought, think
from planner.events import (
    BrakeHeld,
    BrakeReleased,
    FileWrong,
    LookEnded,
    LookOutcome,
    NoPlanMade,
    NotInForce,
    Overtaken,
    PlannerHook,
)
from planner.fleet_forms import duration_text
from planner.gathering import TUG_SECONDS, Gathering, Said, gathered, is_due, is_tug, said_since
from planner.in_force import InForce
from planner.looking import Lookout, NoPlan, Seen
from planner.planning import Braked
from planner.publisher import LEFT_ALONE, TRIES_MAX, WAIT_FIRST_SECONDS, PlannerStore, Signature
from planner.publishing import Mismatch, Publication, RefusedWhole, Store, Unchanged, Wish, decide
from planner.sources import Read
from planner.streaks import History

JITTER_SHARE: Final = 0.2
"""Planners that started together drift apart by up to a fifth of the pause each time."""
EDITED: Final = "the fleet file was edited"
STARTED: Final = "the planner started"


class Doors(msgspec.Struct, frozen=True, kw_only=True):
    """Everything outside."""

    read: Callable[[], Read]
    """Read the fleet file; raise FormFaults."""
    lookout: Lookout
    store: PlannerStore
    limits: LimitsTable
    planner: str
    clock: Clock
    chance: Chance
    wall: Callable[[], datetime]
    """The time of day, in UTC: plans carry it, and the brake counts by it."""
    hook: PlannerHook
    forget_seconds: float
    """After a pause of so long between two looks nothing is remembered: looks before it are in no row with those after it."""
    after: Callable[[PlanHead], str | None] = lambda _: None
    """What is done with the newest plan, once; returns why it has to be tried again."""


class Runner:
    """A planner of one fleet; it remembers signals from look to look, and what waits to be published."""

    def __init__(self, doors: Doors) -> None:
        self._doors = doors
        self._reader = PastReader(doors.store)
        self._history: History = {}
        self._looked_at: datetime | None = None
        self._waiting: Gathering | None = None
        self._followed: PlanHead | None = None
        self._said: Said | None = None
        self._in_force = InForce(doors.store)
        self._handled: bytes | None = None
        """The fleet file of the last plan that was stored, or was the same as the newest."""
        self._refusals: tuple[Refusal, ...] = ()
        self._wrong: tuple[str, ...] = ()
        self._braked: dict[tuple[str, str], tuple[str, ...]] = {}

    def look(self) -> LookEnded:
        """Look once, and publish what is due; raise Stopping where the process should stop."""
        begun = self._doors.clock.now()
        try:
            ended = self._look()
        except Stopping:
            raise
        except FormFaults as error:
            self._tell_file(tuple(map(str, error.faults)))
            ended = LookEnded(outcome="no-plan", detail=str(error))
        except NoPlan as error:
            self._tell_refusals(error.refusals)
            ended = LookEnded(outcome="no-plan", detail=str(error))
        except OutsideError as error:
            ended = LookEnded(outcome="failed", detail=str(error))
        ended = msgspec.structs.replace(ended, seconds=round(self._doors.clock.now() - begun, 3))
        self._doors.hook(ended)
        return ended

    def close(self) -> None:
        """Let the sources go."""
        self._doors.lookout.close()

    def _look(self) -> LookEnded:
        doors = self._doors
        read = doors.read()
        self._tell_file(())
        seen = doors.lookout.look(read, lambda: newest_known(doors.store, doors.wall()))
        self._tell_refusals(())
        history = self._remembered(doors.wall())
        for attempt in range(TRIES_MAX):
            if attempt:
                doors.clock.sleep(doors.chance.uniform(0.0, WAIT_FIRST_SECONDS * 2.0**attempt))
            thought = think(doors.store, self._reader, seen, history, doors.wall())
            self._history = thought.planned.history
            ended = self._settle(thought, seen)
            if ended is not None:
                self._tell_brakes(thought.planned.braked)
                return ended
            doors.hook(Overtaken(generation=_generation(thought.parent.head)))
        return LookEnded(outcome="failed", detail="other planners were faster each time; the next look tries again")

    def _remembered(self, now: datetime) -> History:
        before, self._looked_at = self._looked_at, now
        is_fresh = before is not None and (now - before).total_seconds() <= self._doors.forget_seconds
        return self._history if is_fresh else {}

    def _settle(self, thought: Thought, seen: Seen) -> LookEnded | None:
        """Publish, wait, or leave it; None where somebody else published meanwhile."""
        doors, head, octets = self._doors, thought.parent.head, seen.read.text.octets if seen.read.text else b""
        ended = LookEnded(
            outcome="unchanged",
            generation=_generation(head),
            targets=sum(len(one.endpoint.targets) for one in thought.planned.endpoints),
            braked=len(thought.planned.braked),
        )
        if thought.parent.stays is not None:
            assert head is not None, "what stays is HEAD"
            self._waiting = self._said = None
            detail = "; ".join(filter(None, (f"{thought.parent.stays}: {LEFT_ALONE}", self._follow(head))))
            return msgspec.structs.replace(ended, outcome="stays", detail=detail)
        decision = _decided(thought, doors.limits)
        match decision:
            case RefusedWhole():
                return msgspec.structs.replace(ended, outcome="refused", detail=_refused(decision))
            case Unchanged(carried=carried):
                self._waiting, self._handled = None, octets
                outcome = "refused" if carried else "unchanged"
                detail = "; ".join(filter(None, (_refused(decision), self._follow(head) if head else None)))
                return msgspec.structs.replace(ended, outcome=outcome, carried=len(carried), detail=detail)
            case Store(digest=digest):
                self._said = said_since(self._said, digest, head, doors.clock.now())
                if is_tug(self._said, doors.clock.now()):
                    self._waiting = None
                    return msgspec.structs.replace(ended, outcome="contested", detail=_contested(head))
                edited = (STARTED if self._handled is None else EDITED,) if octets != self._handled else ()
                urgent = (*edited, *thought.planned.urgent)
                self._waiting = gathered(self._waiting, head, urgent, doors.clock.now())
                if not is_due(self._waiting, seen.fleet.pace.gather_seconds, doors.clock.now()):
                    return msgspec.structs.replace(ended, outcome="gathering")
                return self._publish(thought, ended, octets, self._waiting.urgent)
            case Mismatch(why):
                raise AssertionError(f"nothing was expected: {why}")

    def _publish(self, thought: Thought, ended: LookEnded, octets: bytes, urgent: tuple[str, ...]) -> LookEnded | None:
        doors = self._doors
        reason = _reason(urgent)
        signature = Signature(doors.planner, reason, instant_text(doors.wall()))
        published = publish_thought(
            doors.store,
            thought,
            Wish(),
            doors.limits,
            signature=signature,
            clock=doors.clock,
            chance=doors.chance,
        )
        if published is None:
            return None
        self._waiting, self._handled = None, octets
        decision, head = published.decision, published.head
        assert head is not None, "what was stored, or is the same, has a HEAD"
        detail = "; ".join(filter(None, (_refused(decision), self._follow(head), *published.notes)))
        outcome: LookOutcome = "published" if isinstance(decision, Store) else "unchanged"
        self._said = Said(head=head) if isinstance(decision, Store) else None
        carried = 0 if isinstance(decision, Mismatch) else len(decision.carried)
        return msgspec.structs.replace(
            ended, outcome=outcome, generation=head.generation, urgent=urgent, carried=carried, detail=detail
        )

    def _follow(self, head: PlanHead) -> str | None:
        """Do what is to be done with the newest plan, until it is done; return why it was not."""
        if missing := self._in_force.missing(head, self._doors.clock.now()):
            self._doors.hook(NotInForce(generation=head.generation, message=missing))
        if head == self._followed:
            return None
        trouble = self._doors.after(head)
        self._followed = None if trouble else head
        return trouble

    def _tell_file(self, faults: tuple[str, ...]) -> None:
        """Tell what is wrong with the fleet file, once."""
        if faults and faults != self._wrong:
            self._doors.hook(FileWrong(faults=faults))
        self._wrong = faults

    def _tell_refusals(self, refusals: tuple[Refusal, ...]) -> None:
        """Tell why no plan is made, once for each reason."""
        for one in refusals:
            if one not in self._refusals:
                self._doors.hook(NoPlanMade(reason=one.event, sources=one.sources, message=one.message))
        self._refusals = refusals

    def _tell_brakes(self, braked: tuple[Braked, ...]) -> None:
        """Tell where the brake holds anew, and where no longer."""
        held = {(one.zone, one.name): one.kept for one in braked}
        for one in braked:
            if self._braked.get((one.zone, one.name)) != one.kept:
                self._doors.hook(BrakeHeld(name=one.name, zone=one.zone, kept=one.kept, message=one.message))
        for zone, name in self._braked.keys() - held.keys():
            self._doors.hook(BrakeReleased(name=name, zone=zone))
        self._braked = held


def _generation(head: PlanHead | None) -> int | None:
    return head.generation if head else None


def _decided(thought: Thought, limits: LimitsTable) -> Publication:
    """Return what a publish would do; most looks change nothing, and then the guards need not be asked."""
    plan, parent = thought.planned.plan, thought.parent
    is_newest = parent.head is not None and parent.is_sound and parent.head.generation > parent.floor
    if is_newest and parent.head is not None and plan == parent.base:
        return Unchanged(parent.head.digest, ())
    return decide(plan, parent, Wish(), limits)


def _refused(decision: Publication) -> str:
    """Say what the guards refused."""
    match decision:
        case RefusedWhole(findings=findings):
            return "; ".join(f"{one.guard}: {one.message}" for one in findings)
        case Store(carried=carried) | Unchanged(carried=carried):
            words = [f"{one.name}: {one.guards[0].guard}: {one.guards[0].message}" for one in carried]
            return some(words)
        case Mismatch(why):
            return why


def _contested(head: PlanHead | None) -> str:
    """Say who is in the way, and what ends it."""
    stands = f"generation {head.generation}" if head else "another plan"
    return (
        f"{stands} of somebody else took the place of what this planner published and would publish again: both should read the "
        f"same file and sources; it says nothing for {duration_text(int(TUG_SECONDS))} unless it has something new to say"
    )


def _reason(urgent: tuple[str, ...]) -> str:
    """Say in the plan's manifest why it was made."""
    return some(urgent) if urgent else "gathered changes"


def keep_looking(runner: Runner, clock: StoppableClock, chance: Chance, *, every: float) -> int:
    """Look with a jittered pause until a signal; return how many looks were begun."""
    done = 0
    with ended_by_signals(clock):
        while not clock.stopping:
            done += 1
            runner.look()
            clock.sleep(every * (1 + JITTER_SHARE * chance.uniform(-1.0, 1.0)))
    return done

"""Decide which load balancers stand at one endpoint in the next plan, with which weight, and why.

Pure. What is wanted comes from the inventory, what stands from the newest plan, what is believed of health from `streaks`; the
brake says how much of it may be followed, `moving` how fast.

    drain   stands   new endpoint   signals                              wish
    -----   ------   ------------   -------                              ----
    yes     yes      -              -                                    drain: goes down, then out; no brake, as a person wants it
    yes     no       -              -                                    gone
    no      yes      -              bad for `fall` looks                 leave, as far as the brake lets it
    no      yes      -              else                                 stay
    no      no       yes            bad now                              wait; come, where a plan of the window cannot be read
    no      no       -              good for `rise` looks, or none ever  come; at a new endpoint at once
    no      no       no             else                                 wait

Where nobody would be left of those that are wanted, all of them stay or come: signals never empty an endpoint, and no type of it.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Final, Literal

import msgspec

from enactor.plan import Endpoint
from planner.combining import Verdict, verdict_of
from planner.fleet_endpoints import Behind, Share, endpoint_with, members_of
from planner.fleet_settings import Pace
from planner.moving import Way, drained, moved
from planner.observation import Observation
from planner.past import Member, member_of, weights_in
from planner.signal_brake import Ruling, Taken, rule
from planner.streaks import WHOLE, History, Key, Streak, looked
from planner.weights import weights_of

Wish = Literal["drain", "gone", "leave", "stay", "come", "wait"]
_HALF: Final = Fraction(1, 2)


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """What every endpoint of a plan is decided with."""

    observations: Mapping[str, Observation]
    told_again: frozenset[str]
    """The sources that told their last look again."""
    history: History
    pace: Pace
    seconds: Fraction
    """For how long the newest plan has stood."""
    is_whole: bool
    """Whether every plan of the window could be read."""
    is_one_look: bool
    """A command that looks once cannot count: one good look brings a new target in."""


class Before(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint as published plans have it."""

    newest: Endpoint | None
    stood: tuple[Mapping[Member, int], ...]
    """Its weights in each plan of the window that lists it."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One load balancer that is wanted at an endpoint, or that is leaving it gently."""

    share: Share
    way: Way
    members: tuple[Member, ...]
    before: int | None
    """Its weight in the newest plan; None where it is not in it."""
    streak: Streak
    wish: Wish
    is_new_drain: bool = False

    @property
    def id(self) -> str:
        return self.share.balancer.id

    @property
    def full(self) -> int:
        return self.way.full

    @property
    def kept(self) -> int:
        """Return the weight that is meant where the brake holds: as it stands, but for a capacity that was edited down since."""
        return max(self.goal, min(self.before or 0, self.full))

    @property
    def goal(self) -> int:
        """Return the weight that is meant: what signals believe to be healthy of the full one, and at least 1."""
        return max(1, int(self.full * self.streak.share + _HALF))


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of one load balancer."""

    candidate: Candidate
    weight: int
    """0: it is not in the plan."""
    goal: int
    is_held: bool = False
    """Whether the brake keeps signals from having their way."""
    is_kept_for_all: bool = False
    """Whether it is in only because nobody else would be."""


class EndpointPlanned(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint of the next plan, with what became of each load balancer, and what the brake said."""

    behind: Behind
    endpoint: Endpoint
    outcomes: tuple[Outcome, ...]
    gone: tuple[tuple[str, Member, int], ...]
    """What was in the newest plan and is wanted no more: id, which target, weight."""
    ruling: Ruling

    @property
    def urgent(self) -> tuple[str, ...]:
        """Return why this cannot wait: somebody is newly unhealthy, or newly on the way out."""
        return tuple(
            f"{one.candidate.id} {'is unhealthy' if one.candidate.wish == 'leave' else 'drains'}"
            for one in self.outcomes
            if (one.candidate.wish == "leave" and not one.weight) or one.candidate.is_new_drain
        )


def plan_endpoint(behind: Behind, before: Before, bench: Bench) -> EndpointPlanned:
    """Return what stands at one endpoint next; see the table above."""
    candidates = _candidates(behind, before, bench)
    pace = bench.pace if _moves(behind, before) else None
    wanted = [one for one in candidates if _is_wanted(one)]
    wished = [one for one in wanted if _is_wished(one)]
    ruling = rule(
        before.stood,
        [_taken(one, pace) for one in wanted if not _is_wished(one)] if wished else [],
        [_taken(one, pace) for one in wished],
        behind.health.brake,
        is_whole=bench.is_whole,
    )
    outcomes = _settled(candidates, frozenset(ruling.held), pace)
    known = {member for one in candidates for member in one.members}
    gone = tuple(
        (_id_of(before.newest, member), member, weight)
        for member, weight in weights_in(before.newest).items()
        if member not in known
    )
    standing = [(one.candidate.share, one.weight) for one in outcomes if one.weight]
    return EndpointPlanned(
        behind=behind, endpoint=endpoint_with(behind, standing), outcomes=outcomes, gone=gone, ruling=ruling
    )


def key_of(behind: Behind, balancer_id: str) -> Key:
    return (behind.zone, behind.name, balancer_id)


def _id_of(endpoint: Endpoint | None, member: Member) -> str:
    assert endpoint is not None, "only a target of an endpoint has a weight in it"
    return next(one.id for one in endpoint.targets if member_of(one) == member)


def _candidates(behind: Behind, before: Before, bench: Bench) -> tuple[Candidate, ...]:
    weights = weights_in(before.newest)
    fulls = weights_of([share.demand for share in behind.serving])
    if behind.choices.routing != "weighted":
        fulls = (1,) * len(fulls)
    largest = max(fulls, default=1)
    ways = (Way(full=full, largest=largest, seconds=bench.seconds) for full in fulls)
    return tuple(
        _candidate(behind, share, way, weights, bench) for share, way in zip(behind.serving, ways, strict=True)
    )


def _candidate(behind: Behind, share: Share, way: Way, weights: Mapping[Member, int], bench: Bench) -> Candidate:
    members = members_of(share, behind.choices)
    standing = [weights[member] for member in members if member in weights]
    verdict = verdict_of(share.balancer.id, behind.health.sources, bench.observations, bench.told_again)
    remembered = bench.history.get(key_of(behind, share.balancer.id))
    streak = looked(
        remembered,
        verdict,
        standing=bool(standing),
        share=min(WHOLE, Fraction(max(standing), way.full)) if standing else WHOLE,
        rise=behind.health.rise,
        fall=behind.health.fall,
    )
    drains = share.balancer.drain
    wish = _wish(
        streak,
        verdict,
        drains=drains,
        is_new=not weights,
        is_whole=bench.is_whole,
        rise=1 if bench.is_one_look else behind.health.rise,
        fall=behind.health.fall,
    )
    return Candidate(
        share=share,
        way=way,
        members=members,
        before=max(standing) if standing else None,
        streak=msgspec.structs.replace(streak, draining=drains),
        wish=wish,
        is_new_drain=wish == "drain" and not streak.draining,
    )


def _wish(
    streak: Streak, verdict: Verdict | None, *, drains: bool, is_new: bool, is_whole: bool, rise: int, fall: int
) -> Wish:
    """Answer one row of the table above."""
    if drains:
        return "drain" if streak.standing else "gone"
    if streak.standing:
        return "leave" if streak.bad >= fall else "stay"
    if is_new:  # or it stands in a plan that cannot be read: then nobody knows what a bad look would take away
        return "wait" if is_whole and verdict is not None and not verdict.healthy else "come"
    return "come" if streak.good >= rise or not streak.was_heard else "wait"


def _is_wished(one: Candidate) -> bool:
    """Tell whether signals want more than the newest plan gives them."""
    return one.wish == "leave" or (
        one.wish == "stay" and one.streak.share < WHOLE and one.before is not None and one.goal < one.before
    )


def _taken(one: Candidate, pace: Pace | None) -> Taken:
    left = 0 if one.wish in {"leave", "wait"} else _next(one, one.goal, pace)
    kept = _next(one, one.kept, pace)
    return Taken(id=one.id, members=one.members, full=one.full, left=left, kept=kept, bad=one.streak.bad)


def _next(one: Candidate, goal: int, pace: Pace | None) -> int:
    """Return the weight on the way to one that is meant; without a pace that is at once the one."""
    return moved(one.before, goal, one.way, pace) if pace else goal


def _settled(candidates: Sequence[Candidate], held: frozenset[str], pace: Pace | None) -> tuple[Outcome, ...]:
    """Return the next weights, after the brake, and after the rule that signals leave no type without a target."""
    wanted = {kind for one in candidates if _is_wanted(one) for kind, _ in one.members}
    needed = wanted - {kind for one in candidates if _serves(one, held) for kind, _ in one.members}
    return tuple(_outcome(one, needed, held, pace) for one in candidates)


def _outcome(one: Candidate, needed: AbstractSet[str], held: frozenset[str], pace: Pace | None) -> Outcome:
    if not _is_wanted(one):
        weight = drained(one.before, one.way, pace) if one.wish == "drain" and pace else 0
        return Outcome(candidate=one, weight=weight, goal=0)
    is_kept = not _serves(one, held) and not needed.isdisjoint(kind for kind, _ in one.members)
    if not _serves(one, held) and not is_kept:
        return Outcome(candidate=one, weight=0, goal=0)
    is_held = one.id in held
    goal = one.kept if is_held else one.goal
    return Outcome(candidate=one, weight=_next(one, goal, pace), goal=goal, is_held=is_held, is_kept_for_all=is_kept)


def _is_wanted(one: Candidate) -> bool:
    return one.wish not in {"drain", "gone"}


def _serves(one: Candidate, held: frozenset[str]) -> bool:
    return one.wish in {"stay", "come"} or (one.wish == "leave" and one.id in held)


def _moves(behind: Behind, before: Before) -> bool:
    """Tell whether weights of the newest plan are there to start from; without them every weight is what is meant at once."""
    return before.newest is not None and before.newest.routing == behind.choices.routing == "weighted"

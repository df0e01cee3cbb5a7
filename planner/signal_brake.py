"""Decide how much of an endpoint signals about health may take out: the brake.

Pure. A source of signals may be wrong about many targets at once, and then following it is what takes an endpoint down. (AWS's
Network Load Balancer did in October 2025: its checks failed for new nodes whose network was not ready, and healthy capacity was
taken out of DNS.) So, held against every plan that stood within the window, what signals keep out of the new plan may be at most
a share of what that plan had, of each record type by itself. A target that a person took out or lets drain, or that no source
offers any more, is not counted: that is no signal, and the guards against shrinking hold there.

    what signals want                                    becomes
    -----------------                                    -------
    keep out what is out of the newest plan already      out, and counted first
    take out, or down, one that stands                   done, worst first, while every window plan keeps its share
    the same past that, or a window plan is unreadable   stays as it stands in the newest plan: fail open
    leave a type without any target                      nothing of that type is taken out

Worst first is: the longest run of bad looks, then the id; then what only gets a lower weight, the lowest share first, then the id.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from planner.past import Member

_SAME: Final = Fraction(1)


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What signals want of one load balancer at an endpoint."""

    id: str
    members: tuple[Member, ...]
    full: int
    """The weight that it would have with all of its capacity."""
    share: Fraction
    """The part of its capacity that would be left; 0: it goes."""
    bad: int = 0
    """For how many looks in a row it has been bad."""

    @property
    def order(self) -> tuple[bool, int, Fraction, str]:
        return (self.share > 0, -self.bad, self.share, self.id)


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """What the brake says of an endpoint."""

    allowed: frozenset[str]
    """Which of the wished may be taken, by id."""
    held: tuple[str, ...]
    """Which may not, worst first."""
    lost: Fraction
    """The largest share of any window plan that is out by signals after this."""


def rule(
    stood: Sequence[Mapping[Member, int]],
    already: Iterable[Taken],
    wished: Iterable[Taken],
    wanted: Mapping[Member, int],
    brake: Fraction,
    *,
    is_whole: bool,
) -> Ruling:
    """Return which wishes are granted; `stood` has the weights of each window plan, `wanted` the full ones of who is wanted now."""
    out = list(already)
    allowed: set[str] = set()
    held: list[str] = []
    scales = [max(_SAME, _scale(weights, wanted)) for weights in stood]
    for wish in sorted(wished, key=lambda one: one.order):
        tried = [*out, wish]
        if is_whole and _lost(stood, scales, tried) <= brake and not _leaves_nothing(tried, wanted):
            out = tried
            allowed.add(wish.id)
        else:
            held.append(wish.id)
    return Ruling(allowed=frozenset(allowed), held=tuple(held), lost=_lost(stood, scales, out))


def _scale(weights: Mapping[Member, int], wanted: Mapping[Member, int]) -> Fraction:
    """Return how a plan's weights compare with today's full ones: a capacity that was edited may have scaled them down since.

    What was scaled up since looks like what was at a part of its capacity; then only that a weight gets lower is seen too mildly,
    for as long as the window, and never that a target goes.
    """
    return max((Fraction(weights[member], full) for member, full in wanted.items() if member in weights), default=_SAME)


def _lost(stood: Sequence[Mapping[Member, int]], scales: Sequence[Fraction], out: Sequence[Taken]) -> Fraction:
    """Return the largest share of any window plan, and of any type in it, that would be lost."""
    return max(
        (
            _lost_of(record_type, weights, scale, out)
            for weights, scale in zip(stood, scales, strict=True)
            for record_type in {kind for kind, _ in weights}
        ),
        default=Fraction(0),
    )


def _lost_of(record_type: str, weights: Mapping[Member, int], scale: Fraction, out: Sequence[Taken]) -> Fraction:
    total = sum(weight for (kind, _), weight in weights.items() if kind == record_type)
    lost = sum(
        (
            max(Fraction(0), weights[member] - one.share * scale * one.full)
            for one in out
            for member in one.members
            if member[0] == record_type and member in weights
        ),
        Fraction(0),
    )
    return lost / total if total else Fraction(0)


def _leaves_nothing(out: Sequence[Taken], wanted: Mapping[Member, int]) -> bool:
    """Tell whether a type would be left without a target although some are wanted."""
    gone = {member for one in out if not one.share for member in one.members}
    left = {kind for kind, target in wanted if (kind, target) not in gone}
    return left != {kind for kind, _ in wanted}

"""Decide how much of an endpoint signals about health may take out: the brake.

Pure. A source of signals may be wrong about many targets at once, and then following it is what takes an endpoint down. (AWS's
Network Load Balancer did in October 2025: its checks failed for new nodes whose network was not ready, and healthy capacity was
taken out of DNS.) So, held against every plan that stood within the window, what signals keep out of the new plan may be at most
a share of what that plan had, of each record type by itself. A target that a person took out or lets drain, or that no source
offers any more, is not counted: that is no signal, and the guards against shrinking hold there.

    what signals want                                    becomes
    -----------------                                    -------
    keep out what is out of the newest plan already      out, and counted first, with what is on its way back up
    take out, or down, one that stands                   done, worst first, while every window plan keeps its share
    the same past that, or a window plan is unreadable   stays as it stands in the newest plan: fail open
    be against every target of a type that stands        nothing of that type is taken out

Worst first is: the longest run of bad looks, then the id; then what only gets a lower weight, who keeps least first, then the id.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from planner.past import Member

_NOTHING: Final = Fraction(0)


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What would be left of one load balancer at an endpoint."""

    id: str
    members: tuple[Member, ...]
    """One of a type at most."""
    full: int
    """The weight that it would have with all of its capacity."""
    left: int
    """The weight that it would have next; 0: it is not there."""
    kept: int = 0
    """The weight that it keeps where signals may not have their way."""
    bad: int = 0
    """For how many looks in a row it has been bad."""

    @property
    def order(self) -> tuple[bool, int, Fraction, str]:
        return (self.left > 0, -self.bad, Fraction(self.left, self.full), self.id)


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """What the brake says of an endpoint."""

    allowed: frozenset[str]
    """Which of the wished may be taken, by id."""
    held: tuple[str, ...]
    """Which may not, worst first."""
    lost: Fraction
    """The largest share of any window plan that is out by signals after this; 0 where signals wish for nothing."""
    against: frozenset[str] = frozenset()
    """The types of which signals are against every target that stands: then the fault is theirs, and none goes."""


def rule(
    stood: Sequence[Mapping[Member, int]],
    others: Sequence[Taken],
    wished: Iterable[Taken],
    brake: Fraction,
    *,
    is_whole: bool,
) -> Ruling:
    """Return which wishes are granted.

    `stood` has the weights of each plan of the window; `wished` and `others` are together everybody who is wanted now.
    """
    wishes = sorted(wished, key=lambda one: one.order)
    if not wishes:
        return Ruling(allowed=frozenset(), held=(), lost=_NOTHING)
    ledgers = [_Ledger(weights) for weights in stood]
    for ledger in ledgers:
        for one in wishes:
            ledger.book(one, one.kept)
        for one in others:
            ledger.book(one, one.left)
    allowed: set[str] = set()
    held: list[str] = []
    against = _against_all(wishes, others)
    for wish in wishes:
        is_believed = wish.left > 0 or against.isdisjoint(kind for kind, _ in wish.members)
        if is_whole and is_believed and all(one.affords(wish, brake) for one in ledgers):
            allowed.add(wish.id)
            for ledger in ledgers:
                ledger.book(wish, wish.left, instead_of=wish.kept)
        else:
            held.append(wish.id)
    lost = max((ledger.lost() for ledger in ledgers), default=_NOTHING)
    return Ruling(allowed=frozenset(allowed), held=tuple(held), lost=lost, against=against)


class _Ledger:
    """What one plan of the window had of each type, and what of it is lost.

    In whole numbers: a fleet has many endpoints, and each a ledger for every plan.
    """

    def __init__(self, weights: Mapping[Member, int]) -> None:
        self._weights = weights
        self._total: dict[str, int] = {}
        for (kind, _), weight in weights.items():
            self._total[kind] = self._total.get(kind, 0) + weight
        self._lost: dict[str, int] = dict.fromkeys(self._total, 0)

    def book(self, one: Taken, left: int, *, instead_of: int | None = None) -> None:
        """Count what is lost where a load balancer has a weight left."""
        for kind, lost in self._losses(one, left, instead_of):
            self._lost[kind] += lost

    def affords(self, wish: Taken, brake: Fraction) -> bool:
        """Tell whether a wish leaves every type its share."""
        return all(
            (self._lost[kind] + lost) * brake.denominator <= brake.numerator * self._total[kind]
            for kind, lost in self._losses(wish, wish.left, wish.kept)
        )

    def lost(self) -> Fraction:
        """Return the largest share of a type that is lost."""
        return max((Fraction(self._lost[kind], total) for kind, total in self._total.items()), default=_NOTHING)

    def _losses(self, one: Taken, left: int, instead_of: int | None) -> Iterator[tuple[str, int]]:
        for member in one.members:
            if member in self._weights:
                before = 0 if instead_of is None else self._loss(member, one.full, instead_of)
                yield member[0], self._loss(member, one.full, left) - before

    def _loss(self, member: Member, full: int, left: int) -> int:
        """Return what is lost of one target; what its own capacity was edited down by since then is no loss by signals.

        A capacity that was edited up looks like one that stood at a part of itself: then that a weight gets lower is seen too
        mildly, for as long as the window, and never that a target goes.
        """
        weight = self._weights[member]
        return weight - min(weight, max(left, weight * left // full))


def _against_all(wishes: Iterable[Taken], others: Iterable[Taken]) -> frozenset[str]:
    """Return the types of which signals want every target out that is not out already."""
    staying = [one for one in (*wishes, *others) if one.left]
    spared = {kind for one in staying for kind, _ in one.members}
    return frozenset(kind for wish in wishes if not wish.left for kind, _ in wish.members if kind not in spared)

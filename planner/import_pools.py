"""Decide which pools stand behind the names of a zone: load balancers that several names share are described once.

Pure. Three steps, and each keeps every weight exactly:
1. names with the same load balancers, and weights in proportion, share a pool, a name of one type that of names of both;
2. a simple name, which has no ids, takes a pool with the same addresses, and has one of its own where there is none;
3. a pool that stands whole within a larger one, in proportion, is taken out of that: `{cell-a: 1, standard: 0.1}`.

Capacities are the weights as they stand at the names that use a pool alone, so far as every share can then be written in
thousandths; else the smallest whole numbers in the same proportion, which make every share a whole number.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from enactor.records import Alias
from planner.fleet_endpoints import ADDRESS_TYPES
from planner.fleet_file import AddressType
from planner.import_endpoints import FoundBalancer, FoundEndpoint

SHARE_PARTS: Final = 1000
"""A share is written in thousandths at most: 1/3 is no number that a person can write down exactly."""
NESTED_MIN_BALANCERS: Final = 2
"""A single load balancer with a name of its own does not break up the pool that it is in."""
_CHOICES: Final[tuple[tuple[AddressType, ...], ...]] = (ADDRESS_TYPES, ("A",), ("AAAA",))

Balancers = tuple[FoundBalancer, ...]


class Pool(msgspec.Struct, frozen=True, eq=False):
    """Load balancers that stand behind names together; capacities are None where no name is weighted."""

    balancers: Balancers
    capacities: tuple[int, ...] | None


class Use(msgspec.Struct, frozen=True):
    """One name, and the pools behind it with their shares."""

    endpoint: FoundEndpoint
    shares: tuple[tuple[Pool, Fraction], ...]


def shown_by(balancers: Iterable[FoundBalancer], types: Iterable[AddressType]) -> Balancers:
    """Return what an endpoint of these types shows of load balancers."""
    wanted = tuple(types)
    return tuple(part for balancer in balancers if (part := balancer.of_types(wanted)) is not None)


def pooled(endpoints: Sequence[FoundEndpoint]) -> tuple[Use, ...]:
    """Return every name with its pools, in the order given."""
    groups = _Groups()
    of_endpoint = {(one.zone, one.name): groups.add(one) for one in sorted(endpoints, key=_rank)}
    parts = _nested(groups.all)
    return tuple(_use(one, of_endpoint[one.zone, one.name], parts) for one in endpoints)


def _rank(endpoint: FoundEndpoint) -> tuple[int, int]:
    """Those that say most of a load balancer go first: others may take their pool, and not the other way round."""
    return {"weighted": 0, "multivalue": 1, "simple": 2}[endpoint.routing], -len(endpoint.types)


def is_plain(share: Fraction) -> bool:
    """Tell whether a share can be written down exactly."""
    return (share * SHARE_PARTS).denominator == 1


class _Group:
    """Names that have the same load balancers behind them."""

    def __init__(self, first: FoundEndpoint) -> None:
        self.users: list[FoundEndpoint] = []
        self.balancers = first.balancers
        divisor = math.gcd(*first.weights or ())
        weights = zip(first.balancers, first.weights or (), strict=first.weights is not None)
        self._proportion = {balancer.id: weight // divisor for balancer, weight in weights}
        self._counts: Counter[Fraction] = Counter()
        is_taken = self.takes(first)
        assert is_taken, "weights are whole, and so many times themselves"

    def takes(self, endpoint: FoundEndpoint) -> bool:
        """Take an endpoint that shows the same load balancers, if its weights can be said by a share; tell whether."""
        if endpoint.weights is not None:
            times = self._times(endpoint)
            if times is None or _scale(self._counts + Counter([times])) is None:
                return False
            self._counts[times] += 1
        self.users.append(endpoint)
        return True

    def _times(self, endpoint: FoundEndpoint) -> Fraction | None:
        """Return how many times the proportion an endpoint's weights are; None where they are in another one."""
        if not self._proportion:
            return None
        shown = zip(endpoint.balancers, endpoint.weights or (), strict=True)
        times = {Fraction(weight, self._proportion[balancer.id]) for balancer, weight in shown}
        return times.pop() if len(times) == 1 else None

    @property
    def capacities(self) -> tuple[int, ...] | None:
        """Return what each can take, in the order of the load balancers; None where no name is weighted."""
        scale = _scale(self._counts)
        assert scale is not None, "an endpoint is only taken where there is one"
        return tuple(scale * self._proportion[one.id] for one in self.balancers) if self._proportion else None

    def share_of(self, endpoint: FoundEndpoint) -> Fraction:
        """Return the share by which the capacities become an endpoint's weights."""
        times = self._times(endpoint) if endpoint.weights is not None else None
        return times / (_scale(self._counts) or 1) if times is not None else Fraction(1)


def _scale(counts: Counter[Fraction]) -> int | None:
    """Return how many times the proportion the capacities are: as at most of the names, else as at the heaviest, else once."""
    whole = sorted((one for one in counts if one.denominator == 1), key=lambda one: (-counts[one], -one))
    return next((int(one) for one in [*whole, Fraction(1)] if all(is_plain(other / one) for other in counts)), None)


class _Groups:
    """All groups, found by what an endpoint shows."""

    def __init__(self) -> None:
        self.all: list[_Group] = []
        self._by_balancers: dict[tuple[tuple[AddressType, ...], Balancers], list[_Group]] = {}
        self._by_answers: dict[object, list[_Group]] = {}

    def add(self, endpoint: FoundEndpoint) -> _Group:
        """Put an endpoint into the first group that it fits into, or into one of its own."""
        fitting = self._by_balancers.get((endpoint.types, endpoint.balancers), [])
        if endpoint.routing == "simple":
            fitting = self._by_answers.get(_answers(endpoint.types, endpoint.balancers), [])
        for group in fitting:
            if group.takes(endpoint):
                return group
        return self._made(endpoint)

    def _made(self, endpoint: FoundEndpoint) -> _Group:
        group = _Group(endpoint)
        self.all.append(group)
        # an alias answers every type, so names of any type may share a pool of nothing else
        is_alias = all(balancer.alias for balancer in endpoint.balancers)
        for types in _CHOICES:
            shown = shown_by(endpoint.balancers, types)
            if shown and (is_alias or set(types) <= set(endpoint.types)):
                self._by_balancers.setdefault((types, shown), []).append(group)
                self._by_answers.setdefault(_answers(types, shown), []).append(group)
        return group


def _answers(types: Sequence[AddressType], balancers: Balancers) -> object:
    """Return what simple sets of these load balancers would hold: what stands at each type, with its health check."""
    return tuple(
        (
            kind,
            frozenset(
                (balancer.alias or (balancer.v4 if kind == "A" else balancer.v6), balancer.health_check)
                for balancer in balancers
                if balancer.alias or (balancer.v4 if kind == "A" else balancer.v6)
            ),
        )
        for kind in types
    )


Parts = tuple[tuple[Pool, Fraction], ...]
"""Pools that stand in the place of a group, each with how many times the group's share its own is."""


def _use(endpoint: FoundEndpoint, group: _Group, parts: Mapping[_Group, Parts]) -> Use:
    if endpoint.weights is None:
        return Use(endpoint, tuple((pool, Fraction(1)) for pool, _ in parts[group]))
    share = group.share_of(endpoint)
    return Use(endpoint, tuple((pool, share * times) for pool, times in parts[group]))


def _nested(groups: Sequence[_Group]) -> Mapping[_Group, Parts]:
    """Return the pools of each group: its own, less those that stand whole within it. Small ones go before large ones."""
    found: dict[_Group, Parts] = {}
    shelf: dict[_Mark, list[Pool]] = {}
    alike: dict[tuple[Balancers, tuple[int, ...] | None], Pool] = {}
    for group in sorted(groups, key=lambda one: len(one.balancers)):
        parts, rest = _taken_out(group, shelf)
        if rest:
            capacities = None if group.capacities is None else tuple(rest.values())
            key = (tuple(rest), capacities)
            if key not in alike:
                alike[key] = Pool(*key)
                for mark in _marks(rest) if len(rest) >= NESTED_MIN_BALANCERS else ():
                    shelf.setdefault(mark, []).append(alike[key])
            parts = ((alike[key], Fraction(1)), *parts)
        found[group] = parts
    return found


_Mark = tuple[str, str | Alias]


def _marks(balancers: Iterable[FoundBalancer]) -> Iterator[_Mark]:
    """Yield by what a pool is found: each id with each thing it answers with, as many zones call everything `primary`."""
    for balancer in balancers:
        yield from ((balancer.id, what) for what in (balancer.v4, balancer.v6, balancer.alias) if what is not None)


def _taken_out(group: _Group, shelf: Mapping[_Mark, Sequence[Pool]]) -> tuple[Parts, dict[FoundBalancer, int]]:
    """Return the pools that stand whole within a group, the largest first, and what is left, with its capacities."""
    rest = dict(zip(group.balancers, group.capacities or [0] * len(group.balancers), strict=True))
    if all(one.routing == "simple" for one in group.users):
        return (), rest  # its ids are none of the zone's, and mean nothing
    types = tuple(kind for kind in ADDRESS_TYPES if any(kind in one.types for one in group.users))
    near = dict.fromkeys(pool for mark in _marks(group.balancers) for pool in shelf.get(mark, ()))
    parts: list[tuple[Pool, Fraction]] = []
    taken: set[str] = set()
    for pool in sorted(near, key=lambda one: -len(one.balancers)):
        shown = shown_by(pool.balancers, types)
        times = _times_within(pool, shown, rest)
        left = {balancer.id for balancer in rest if balancer not in shown}
        # the fleet file's reader looks at ids before types: what the endpoint does not show may not clash either
        clashes = {balancer.id for balancer in pool.balancers} & (left | taken)
        if times is None or clashes or not all(is_plain(group.share_of(one) * times) for one in group.users):
            continue
        parts.append((pool, times))
        taken |= {balancer.id for balancer in pool.balancers}
        for balancer in shown:
            del rest[balancer]
    return tuple(parts), rest


def _times_within(pool: Pool, shown: Balancers, capacities: Mapping[FoundBalancer, int]) -> Fraction | None:
    """Return how many times a pool's capacities those of a group are; None where it does not stand whole in it, in proportion."""
    if len(shown) < NESTED_MIN_BALANCERS or any(balancer not in capacities for balancer in shown):
        return None
    if not any(capacities.values()):
        return Fraction(1)
    if pool.capacities is None:
        return None
    own = {balancer.id: capacity for balancer, capacity in zip(pool.balancers, pool.capacities, strict=True)}
    times = {Fraction(capacities[balancer], own[balancer.id]) for balancer in shown}
    return times.pop() if len(times) == 1 else None

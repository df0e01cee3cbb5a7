"""Decide what several sources say together: one inventory or why there is none, and what their signals say of a load balancer.

Pure. There is never a partial inventory: whoever failed, contradicts another one, or lost most of what it offered makes no plan
at all, and the plan in force stays (cases 2 and 15).

    a source                                        makes
    --------                                        -----
    failed, or saw only a part                      no plan: source-failed, said by the caller, who asked it
    offers what cannot be a target                  no plan: the faults, with the source's name in their path
    says of an id something else than another one   no plan: sources-conflict, both named
    offers far fewer than before: load balancers,   no plan: source-shrank, with the numbers
    or what they answer A or AAAA questions with
    else                                            its offers; of two that say the same of an id, one
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction

import msgspec

from planner.observation import Observation
from planner.past import Member
from planner.pools import Balancer


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why no plan is made: a word for the event, who caused it, and a sentence."""

    event: str
    sources: tuple[str, ...]
    message: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What all signals of one look say of a load balancer together."""

    healthy: bool
    why: str
    share: Fraction
    """The part of its capacity that is healthy, from 0 to 1."""
    is_new: bool = True
    """Whether it was looked at since the last time: what is told again does not count again."""


def merged(balancers: Iterable[Balancer]) -> tuple[Balancer, ...]:
    """Return each load balancer once, in order; whoever says that it is out, or leaving, is believed."""
    groups: dict[str, list[Balancer]] = {}
    for one in balancers:
        groups.setdefault(one.id, []).append(one)
    return tuple(_one(group) for group in groups.values())


def _one(group: Sequence[Balancer]) -> Balancer:
    """Return what a pool's sources say of one id together; what is disabled under another address is no claim."""
    enabled = [one for one in group if one.enabled]
    first = (enabled or group)[0]
    same = [one for one in group if one.identity == first.identity]
    return msgspec.structs.replace(
        first,
        enabled=all(one.enabled for one in same),
        drain=any(one.drain for one in same),
        capacity=next((one.capacity for one in same if one.has_capacity), first.capacity),
        has_capacity=any(one.has_capacity for one in same),
        health_check=next((one.health_check for one in same if one.health_check), None),
        sources=tuple(dict.fromkeys(name for one in same for name in one.sources)),
        origin=next((one.origin for one in same if one.origin), ""),
    )


def conflicts(pools: Mapping[str, Iterable[Balancer]]) -> tuple[Refusal, ...]:
    """Return where two sources say different things of one load balancer in service, whichever pools they are asked for."""
    first: dict[str, dict[tuple[str, ...], Balancer]] = {}
    found: dict[str, Refusal] = {}
    for one in (balancer for pool in pools.values() for balancer in pool if balancer.enabled):
        others = first.setdefault(one.id, {})
        for other in () if one.sources in others or one.id in found else others.values():
            if (words := _contradiction(other, one)) is not None:
                sources = (*other.sources, *one.sources)
                found.setdefault(one.id, Refusal(event="sources-conflict", sources=sources, message=words))
        others.setdefault(one.sources, one)
    return tuple(found.values())


def _contradiction(one: Balancer, other: Balancer) -> str | None:
    if one.identity != other.identity:
        return f"{_told(one, ', '.join(one.identity))} and {_told(other, ', '.join(other.identity))} are in conflict"
    theirs = _claims(other)
    for what, claim in _claims(one).items():
        if None not in {claim, theirs[what]} and claim != theirs[what]:
            return f"{_told(one, f'{what} {claim}')} and {_told(other, f'{what} {theirs[what]}')} are in conflict"
    return None


def _claims(one: Balancer) -> dict[str, str | bool | None]:
    """Return what a source says of a load balancer besides where it is, None where it says nothing."""
    aliases = [member.alias for member in one.members if member.alias]
    return {
        "capacity": f"{float(one.capacity):.12g}" if one.has_capacity else None,
        "health check": one.health_check,
        "evaluate_target_health": aliases[0].evaluate_target_health if aliases else None,
    }


def _told(balancer: Balancer, what: str) -> str:
    return f"{balancer.id} of {' and '.join(balancer.sources)} in pool {balancer.pool} ({what})"


class Stock(msgspec.Struct, frozen=True, kw_only=True):
    """What a source offered: load balancers by id, and the addresses and aliases that they answer with."""

    ids: frozenset[str] = frozenset()
    members: frozenset[Member] = frozenset()


def shrinkage(source: str, now: Stock, before: Stock, max_gone: Fraction) -> Refusal | None:
    """Refuse a source that offers far fewer than before: more likely it lost its sight than the fleet its load balancers.

    Ids that stay while their addresses go are the same loss to clients, and each type is one of its own, as for the guards.
    """
    counted = [("load balancers", before.ids, before.ids - now.ids)]
    for kind in ("A", "AAAA"):
        stood = frozenset(what for one, what in before.members if one == kind)
        left = frozenset(what for one, what in now.members if one == kind)
        counted.append((f"{kind} addresses or aliases", stood, stood - left))
    found = (_lost(source, what, stood, gone, max_gone) for what, stood, gone in counted)
    return next((one for one in found if one is not None), None)


def _lost(source: str, what: str, stood: frozenset[str], gone: frozenset[str], max_gone: Fraction) -> Refusal | None:
    if not stood or Fraction(len(gone), len(stood)) <= max_gone:
        return None
    share = float(Fraction(len(gone), len(stood)))
    some = ", ".join(sorted(gone)[:5]) + (f" and {len(gone) - 5} more" if len(gone) > 5 else "")
    message = f"source {source} no longer offers {len(gone)} of {len(stood)} {what} ({some})"
    limit = f"a share of {share:.2f} over max_gone {float(max_gone):g}"
    way = (
        f"if that is meant, take them out in smaller steps, or raise sources.{source}.max_gone for as long as it takes"
    )
    return Refusal(event="source-shrank", sources=(source,), message=f"{message}, {limit}: no plan is made; {way}")


def verdict_of(
    balancer_id: str,
    sources: Iterable[str],
    observations: Mapping[str, Observation],
    told_again: AbstractSet[str] = frozenset(),
) -> Verdict | None:
    """Return what the sources that count say of a load balancer; one bad is bad. None where nobody gave a signal.

    A source that is asked more often than it looks tells the same look again: that is a bad one only once, however often.
    """
    heard = [
        (name, signal)
        for name in sources
        if name in observations and (signal := observations[name].signals.get(balancer_id)) is not None
    ]
    if not heard:
        return None
    bad = [(name, signal) for name, signal in heard if not signal.healthy]
    shares = [
        min(max(one.capacity_share, Fraction(0)), Fraction(1)) for _, one in heard if one.capacity_share is not None
    ]
    return Verdict(
        healthy=not bad,
        why="; ".join(f"{name}: {signal.why}" for name, signal in bad or heard),
        share=min(shares, default=Fraction(1)),
        is_new=any(name not in told_again for name, _ in bad or heard),
    )

"""Decide what the pools of a fleet hold once its sources have answered, whom health is asked of, and whether a plan may be made of it.

Pure. How each answer is judged is in `combining`; what a source offered before is remembered by the caller, or read off the newest plan.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from enactor.plan import Plan, Target
from enactor.plan_faults import Faults, shown
from planner.combining import Refusal, Stock, conflicts, shrinkage
from planner.fleet import Fleet
from planner.observation import Aim, Observation
from planner.past import Member, member_of
from planner.pools import Balancer, offered_balancer, shown_alias


def asked_first(fleet: Fleet) -> tuple[str, ...]:
    """Return the sources of inventory."""
    return tuple(dict.fromkeys(name for names in fleet.pool_sources.values() for name in names))


def asked_then(fleet: Fleet) -> tuple[str, ...]:
    """Return the sources that are asked for health alone, once it is known of whom."""
    heard = dict.fromkeys(name for one in fleet.endpoints for name in one.health.sources)
    return tuple(name for name in heard if name not in asked_first(fleet))


def offered_to(
    fleet: Fleet, observations: Mapping[str, Observation], faults: Faults
) -> dict[str, tuple[Balancer, ...]]:
    """Return what the sources of each pool offer it; what cannot be a load balancer is noted once."""
    noted: set[str] = set()
    offered: dict[str, tuple[Balancer, ...]] = {}
    for pool, names in fleet.pool_sources.items():
        found: list[Balancer] = []
        for name in names:
            into = Faults() if name in noted else faults
            counts = Counter(offer.id for offer in observations[name].offers)
            for twice in (one for one, count in counts.items() if count > 1):
                into.add(f"sources.{name}.{shown(twice)}", "is offered twice; an id is one load balancer", "duplicate")
            found += (offered_balancer(offer, name, str(pool), into) for offer in observations[name].offers)
            noted.add(name)
        offered[str(pool)] = tuple(found)
    return offered


def stock_of(source: str, offered: Mapping[str, Iterable[Balancer]]) -> Stock:
    """Return what a source offers, whichever pools it is offered to."""
    mine = [one for pool in offered.values() for one in pool if source in one.sources]
    members = frozenset(member for one in mine for member in _members(one))
    return Stock(ids=frozenset(one.id for one in mine), members=members)


def _members(balancer: Balancer) -> Iterable[Member]:
    """Yield what a load balancer answers with by type; an alias answers both."""
    for one in balancer.members:
        for kind in ("A", "AAAA") if one.type is None else (one.type,):
            yield kind, one.value or shown_alias(one.alias)


def aims_of(fleet: Fleet, source: str | None = None) -> tuple[Aim, ...]:
    """Return every load balancer in service behind an endpoint that hears a source; without one, that hears any."""
    used = {
        pool
        for one in fleet.endpoints
        if (source in one.health.sources if source else one.health.sources)
        for pool in one.pools
    }
    aims: dict[tuple[str, str], Aim] = {}
    for pool, balancers in fleet.pools.items():
        for one in balancers:
            if str(pool) in used and one.enabled:
                aims[str(pool), one.id] = _aim(one)
    return tuple(aims[key] for key in sorted(aims))


def _aim(one: Balancer) -> Aim:
    return Aim(
        pool=one.pool,
        id=one.id,
        addresses=tuple(member.value for member in one.members if member.value is not None),
        alias=next((member.alias for member in one.members if member.alias), None),
    )


def ambiguities(aims: Iterable[Aim]) -> tuple[Refusal, ...]:
    """Return the ids that two load balancers have in pools of their own: signals are by id, and nobody knows of whom they are."""
    first: dict[str, Aim] = {}
    found: dict[str, Refusal] = {}
    for aim in aims:
        other = first.setdefault(aim.id, aim)
        if (aim.addresses, aim.alias) != (other.addresses, other.alias):
            what = f"{aim.id} of pool {other.pool} and {aim.id} of pool {aim.pool} are two load balancers"
            message = f"{what}: signals about health are by id, so give each its own"
            found.setdefault(aim.id, Refusal(event="sources-conflict", sources=(), message=message))
    return tuple(found.values())


def refusals(
    fleet: Fleet,
    offered: Mapping[str, Iterable[Balancer]],
    observations: Mapping[str, Observation],
    remembered: Mapping[str, Stock],
    newest: Plan | None,
) -> tuple[Refusal, ...]:
    """Return why no plan may be made; the fleet's pools hold what the file lists, `remembered` what each source offered last."""
    claims = {str(pool): [*listed, *offered.get(str(pool), ())] for pool, listed in fleet.pools.items()}
    found = list(conflicts(claims))
    for spec in fleet.sources:
        if spec.name not in observations or spec.name not in asked_first(fleet):
            continue
        now = stock_of(spec.name, offered)
        before = remembered.get(spec.name)
        if before is None:
            before = _planned_of(spec.name, now, fleet, claims, newest)
        if (shrank := shrinkage(spec.name, now, before, spec.max_gone)) is not None:
            found.append(shrank)
    return tuple(found)


def _planned_of(
    source: str, now: Stock, fleet: Fleet, claims: Mapping[str, Sequence[Balancer]], newest: Plan | None
) -> Stock:
    """Return what a source seems to have offered when the newest plan was made: what that has and nobody else's word explains."""
    pools = {str(pool) for pool, names in fleet.pool_sources.items() if source in names}
    behind = {one.key: one for one in fleet.endpoints if not pools.isdisjoint(one.pools)}
    found: set[Target] = set()
    for endpoint in newest.endpoints if newest else ():
        one = behind.get(endpoint.key)
        if one is None:
            continue
        others = {claim.id for pool in one.pools for claim in claims[pool] if source not in claim.sources}
        found |= {target for target in endpoint.targets if target.id in now.ids or target.id not in others}
    return Stock(ids=frozenset(one.id for one in found), members=frozenset(map(member_of, found)))

"""Decide what the pools of a fleet hold once its sources have answered, whom health is asked of, and whether a plan may be made of it.

Pure. How each answer is judged is in `combining`; what a source offered before is remembered by the caller, or read off the newest plan.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from enactor.plan import Plan
from enactor.plan_faults import Faults, shown
from planner.combining import Refusal, conflicts, shrinkage
from planner.fleet import Fleet
from planner.observation import Aim, Observation
from planner.pools import Balancer, offered_balancer


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
    remembered: Mapping[str, frozenset[str]],
    newest: Plan | None,
) -> tuple[Refusal, ...]:
    """Return why no plan may be made; the fleet's pools hold what the file lists, `remembered` what each source offered last."""
    claims = {str(pool): [*listed, *offered.get(str(pool), ())] for pool, listed in fleet.pools.items()}
    found = list(conflicts(claims))
    for spec in fleet.sources:
        if spec.name not in observations or spec.name not in asked_first(fleet):
            continue
        now = frozenset(offer.id for offer in observations[spec.name].offers)
        before = remembered.get(spec.name)
        if before is None:
            before = _planned_of(spec.name, now, fleet, claims, newest)
        if (shrank := shrinkage(spec.name, now, before, spec.max_gone)) is not None:
            found.append(shrank)
    return tuple(found)


def _planned_of(
    source: str, now: frozenset[str], fleet: Fleet, claims: Mapping[str, Sequence[Balancer]], newest: Plan | None
) -> frozenset[str]:
    """Return what a source seems to have offered when the newest plan was made: what that has and nobody else's word explains."""
    pools = {str(pool) for pool, names in fleet.pool_sources.items() if source in names}
    behind = {one.key: one for one in fleet.endpoints if not pools.isdisjoint(one.pools)}
    found: set[str] = set()
    for endpoint in newest.endpoints if newest else ():
        one = behind.get(endpoint.key)
        if one is None:
            continue
        others = {claim.id for pool in one.pools for claim in claims[pool] if source not in claim.sources}
        found |= {target.id for target in endpoint.targets if target.id in now or target.id not in others}
    return frozenset(found)

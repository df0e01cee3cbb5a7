"""Say of each target of an endpoint why it is in the next plan, out of it, or at its weight. Pure: what was decided is put into words."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from enactor.plan import Endpoint
from planner.endpoint_planning import Candidate, EndpointPlanned, Outcome
from planner.fleet import Fleet
from planner.fleet_endpoints import Behind
from planner.fleet_forms import duration_text
from planner.fleet_settings import Health, Pace
from planner.planning import Planned
from planner.pools import FLEET_FILE, Balancer
from planner.streaks import WHOLE


class TargetReason(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A load balancer at an endpoint: whether it is in the plan, at which weight, and why."""

    id: str
    pool: str
    sources: tuple[str, ...]
    standing: Literal["in", "out"]
    before: int | None = None
    """Its weight in the newest published plan; none where it is not in it, or the endpoint is not weighted."""
    weight: int | None = None
    goal: int | None = None
    """The weight that it moves to, where that is another one."""
    is_plain: bool = False
    """Whether it simply is in, at capacity x share, as before."""
    reasons: tuple[str, ...] = ()


def reasons_of(fleet: Fleet, planned: Planned) -> dict[tuple[str, str], tuple[TargetReason, ...]]:
    """Return the targets of each endpoint, by zone and name: those that are wanted, by id, then those that are not."""
    return {one.behind.key: tuple(_of_endpoint(fleet, one)) for one in planned.endpoints}


def plain_reasons(endpoint: Endpoint, behind: Behind) -> tuple[TargetReason, ...]:
    """Return the targets of an endpoint that the fleet file alone decides."""
    weights = {target.id: target.weight for target in endpoint.targets}
    return tuple(
        TargetReason(
            id=share.balancer.id,
            pool=share.balancer.pool,
            sources=share.balancer.sources,
            standing="in",
            weight=weights.get(share.balancer.id),
            is_plain=True,
            reasons=(_place(share.balancer),),
        )
        for share in behind.serving
    )


def _of_endpoint(fleet: Fleet, one: EndpointPlanned) -> Iterator[TargetReason]:
    weighted = one.behind.choices.routing == "weighted"
    for outcome in sorted(one.outcomes, key=lambda found: found.candidate.id):
        yield _of_outcome(outcome, one, fleet.pace, weighted=weighted)
    known = {outcome.candidate.id for outcome in one.outcomes}
    disabled = {
        balancer.id: balancer
        for pool in one.behind.pools
        for balancer in fleet.pools[pool]
        if not balancer.enabled and balancer.id not in known
    }
    for name, balancer in sorted(disabled.items()):
        words = (_place(balancer), "out: enabled is false")
        yield TargetReason(id=name, pool=balancer.pool, sources=balancer.sources, standing="out", reasons=words)
    gone = {name: weight for name, _, weight in one.gone if name not in disabled}
    for name, weight in sorted(gone.items()):
        changed = "it answers with another address now" if name in known else "nobody lists or offers it any more"
        before = weight if weighted else None
        yield TargetReason(id=name, pool="", sources=(), standing="out", before=before, reasons=(f"out: {changed}",))


def _of_outcome(outcome: Outcome, one: EndpointPlanned, pace: Pace, *, weighted: bool) -> TargetReason:
    candidate = outcome.candidate
    reasons = (_place(candidate.share.balancer), *_state(outcome, one), *(_weight(outcome, pace) if weighted else ()))
    is_plain = candidate.wish == "stay" and candidate.before == outcome.weight == outcome.goal == candidate.full
    moves = weighted and outcome.weight not in {0, outcome.goal}
    return TargetReason(
        id=candidate.id,
        pool=candidate.share.balancer.pool,
        sources=candidate.share.balancer.sources,
        standing="in" if outcome.weight else "out",
        before=candidate.before if weighted else None,
        weight=outcome.weight or None if weighted else None,
        goal=outcome.goal if moves else None,
        is_plain=is_plain and not outcome.is_held and not candidate.streak.bad,
        reasons=reasons,
    )


def _place(balancer: Balancer) -> str:
    who = [name for name in balancer.sources if name != FLEET_FILE]
    parts = [f"offered by {' and '.join(who)}"] if who else []
    parts += ["listed in the fleet file"] if FLEET_FILE in balancer.sources else []
    origin = f" ({balancer.origin})" if balancer.origin else ""
    return f"{' and '.join(parts)}{origin}, pool {balancer.pool}"


def _state(outcome: Outcome, one: EndpointPlanned) -> Iterable[str]:
    """Say why it is in or out, in one sentence, and what kept signals from having their way."""
    candidate, health = outcome.candidate, one.behind.health
    match candidate.wish:
        case "drain":
            yield "leaves: it drains" if outcome.weight else "out: it has drained, and goes"
        case "gone":
            yield "out: it drains, and is not in the newest plan"
        case "stay":
            yield _standing(candidate, health)
        case "come":
            yield _coming(candidate, health)
        case "wait":
            yield _waiting(candidate, health, outcome)
        case "leave":
            word = "in, although unhealthy" if outcome.weight else "out: unhealthy"
            yield f"{word}: bad for {_looks(candidate.streak.bad)} in a row, fall is {health.fall} ({candidate.streak.why})"
    if outcome.is_kept_for_all:
        yield "kept: signals are against all of its kind here, and never empty an endpoint"
    if outcome.is_held and one.ruling.against.intersection(kind for kind, _ in candidate.members):
        yield "held: signals are against all of its kind that stand here, and are not believed"
    elif outcome.is_held:
        limit = (
            f"signals may take out {float(health.brake):g} of the endpoint in {duration_text(health.window_seconds)}"
        )
        yield f"held by the brake: {limit}, and {float(one.ruling.lost):.2f} is out by them"


def _standing(candidate: Candidate, health: Health) -> str:
    streak = candidate.streak
    if streak.bad:
        return f"in: bad for {_looks(streak.bad)} in a row, under fall, which is {health.fall} ({streak.why})"
    if not streak.was_heard:
        return "in: nobody gives a signal of it"
    return f"in: healthy for {_looks(streak.good)} ({streak.why})" if streak.good else "in: no signal lately"


def _coming(candidate: Candidate, health: Health) -> str:
    streak = candidate.streak
    if not streak.was_heard:
        return "comes in: nobody gives a signal of it"
    if streak.good < health.rise:
        return (
            f"comes in: good at a first look ({streak.why}); `planner run` waits for {_looks(health.rise)} after that"
        )
    return f"comes in: good for {_looks(streak.good)} in a row, rise is {health.rise} ({streak.why})"


def _waiting(candidate: Candidate, health: Health, outcome: Outcome) -> str:
    streak = candidate.streak
    said = f" ({streak.why})" if streak.why else ""
    if outcome.weight:
        return f"comes in{said}"
    if streak.good:
        return f"out: good for {streak.good} of the {_looks(health.rise)} that rise wants{said}"
    return f"out: waits for {_looks(health.rise)} in a row that are good{said}"


def _looks(count: int) -> str:
    return f"{count} look" if count == 1 else f"{count} looks"


def _weight(outcome: Outcome, pace: Pace) -> Iterable[str]:
    """Say where the weight comes from, and where it goes."""
    candidate, weight = outcome.candidate, outcome.weight
    if not weight:
        return
    if candidate.wish == "drain":
        yield f"weight {weight} of {candidate.full}: goes down to 1 over {duration_text(pace.ramp_down_seconds)}, then out"
        return
    parts = [f"weight {weight}: capacity x share"]
    if candidate.streak.share < WHOLE and not outcome.is_held:
        parts.append(f", of which {float(candidate.streak.share):.2f} is healthy")
    if weight != outcome.goal:
        steps = []
        if pace.max_weight_step < 1:
            steps.append(f"a step takes at most {float(pace.max_weight_step):g} of the largest")
        if pace.warm_up_seconds and weight < outcome.goal:
            steps.append(f"it warms up over {duration_text(pace.warm_up_seconds)}")
        parts = [f"weight {weight} on the way from {candidate.before or 0} to {outcome.goal}: {' and '.join(steps)}"]
    yield "".join(parts)

"""Decide what a person should be warned of in a file that is right in form: what can never work, and what is seldom meant.

Pure. A warning is no fault: the file makes a plan, and the guards refuse of it what must be refused.
"""

import ipaddress
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from enactor.guards import judge_content
from enactor.plan import WEIGHT_MAX, Fault, Plan, content_of_endpoint
from planner.fleet_endpoints import Behind, EndpointReading, Share, World
from planner.pools import Balancer
from planner.weights import are_weights, weights_of

SHOWN_MAX: Final = 10**15
"""Larger numbers are not written out."""
_NO_TARGET: Final = "so it has no target, and the guard empty refuses that"


def warnings_of(
    pools: Mapping[Hashable, Sequence[Balancer]], endpoints: Sequence[Behind], named: Sequence[Sequence[str] | None]
) -> tuple[Fault, ...]:
    """Return the warnings about a fleet file, endpoints first, each with its path.

    `named` is which pools each endpoint names, those with a fault too; None where that is not known.
    """
    used = {pool for listed in named if listed is not None for pool in listed}
    unused = sorted(str(pool) for pool in pools if str(pool) not in used) if None not in named else []
    return (
        *_without_endpoints(len(named)),
        *(warning for endpoint in endpoints for warning in _of_endpoint(endpoint)),
        *(warning for pool in pools.values() for balancer in pool for warning in _of_balancer(balancer)),
        *(Fault(f"pools.{pool}", "no endpoint uses it") for pool in unused),
    )


def source_warnings(
    world: World, pool_sources: Mapping[Hashable, Sequence[str]], endpoints: Sequence[EndpointReading]
) -> tuple[Fault, ...]:
    """Return a warning for each source that nobody asks: no pool takes its offers, and no `health` hears it."""
    heard = {*world.health.sources, *(name for one in endpoints if one.behind for name in one.behind.health.sources)}
    asked = {name for names in pool_sources.values() for name in names}
    idle = sorted(str(name) for name in world.sources if name not in heard | asked)
    return tuple(
        Fault(f"sources.{name}", "nobody asks it: no pool names it under from, nor does health") for name in idle
    )


def _of_balancer(balancer: Balancer) -> Iterator[Fault]:
    addresses = ((member.path, member.value) for member in balancer.members if member.value is not None)
    yield from (Fault(path, why) for path, address in addresses if (why := _unreachable(address)))


def _unreachable(address: str) -> str:
    """Say why no client can reach an address; nothing of one that some may. Private ones are right in a private zone."""
    found = ipaddress.ip_address(address)
    if found.is_unspecified:
        return f"{address} is the unspecified address: no client reaches anything there"
    if found.is_loopback:
        return f"{address} is a loopback address: a client reaches itself there"
    if found.is_link_local:
        return f"{address} is a link-local address: only a client on the same link reaches it"
    if found.is_multicast:
        return f"{address} is a multicast address: no load balancer has it"
    return ""


def plan_warnings(plan: Plan) -> tuple[Fault, ...]:
    """Return the warnings about a plan file, each with the endpoint's name: content that answers nobody, or with nothing of use."""
    found = ((endpoint.name, judge_content(content_of_endpoint(endpoint))) for endpoint in plan.endpoints)
    addresses = (
        (f"{endpoint.name} {target.id}", target.value)
        for endpoint in plan.endpoints
        for target in endpoint.targets
        if target.value is not None and target.type != "CNAME"
    )
    return (
        *_without_endpoints(len(plan.endpoints)),
        *(
            Fault(name, f"the guard {one.guard} refuses it: {one.message}")
            for name, findings in found
            for one in findings
        ),
        *(Fault(path, why) for path, address in addresses if (why := _unreachable(address))),
    )


def _without_endpoints(count: int) -> Iterator[Fault]:
    if not count:
        yield Fault("endpoints", "empty; the guard empty-plan refuses a plan without endpoints")


def _of_endpoint(endpoint: Behind) -> Iterable[Fault]:
    if not endpoint.pools:
        return [Fault(f"{endpoint.path}.pools", f"{endpoint.name} names no pool, {_NO_TARGET}")]
    pools = ", ".join(endpoint.pools)
    if not endpoint.shares:
        what = f"no load balancer of {endpoint.name} is enabled (its pools: {pools}), {_NO_TARGET}"
        return [Fault(f"{endpoint.path}.pools", what)]
    if not endpoint.serving:
        types = " or ".join(endpoint.choices.types or ())
        what = f"no load balancer of {endpoint.name} has an address of type {types} (its pools: {pools}), {_NO_TARGET}"
        return [Fault(f"{endpoint.path}.types", what)]
    return _scaled(endpoint) if endpoint.choices.routing == "weighted" else ()


def _scaled(endpoint: Behind) -> Iterator[Fault]:
    demands = [share.demand for share in endpoint.serving]
    if are_weights(demands):
        return
    weights = dict(zip(demands, weights_of(demands), strict=True))
    largest, smallest = max(demands), min(demands)
    if largest > WEIGHT_MAX:
        why = f"{_number(largest)} is over {WEIGHT_MAX}"
    else:
        why = f"{_number(next(one for one in demands if one.denominator != 1))} is no whole number"
    words = [f"{_whose(endpoint.serving, largest)}, becomes {weights[largest]}"]
    if smallest < largest:
        words.append(f"the smallest, {_whose(endpoint.serving, smallest)}, {weights[smallest]}")
    what = f"capacity x share is scaled to weights, as {why}: the largest, {', and '.join(words)}"
    yield Fault(f"{endpoint.path}.pools", what)


def _whose(shares: Sequence[Share], demand: Fraction) -> str:
    return f"{_number(demand)} of {next(share.balancer.id for share in shares if share.demand == demand)}"


def _number(value: Fraction) -> str:
    return f"over {SHOWN_MAX}" if value > SHOWN_MAX else f"{float(value):.15g}"

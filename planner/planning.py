"""Decide the next plan of a fleet: observations, what the fleet file says, published plans and what is remembered make a plan.

Pure. Nothing here refuses: `combining` has said whether there is an inventory at all, and the guards judge what comes out.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from fractions import Fraction

import msgspec

from enactor.plan import Plan, sorted_plan
from planner.endpoint_planning import Before, Bench, EndpointPlanned, key_of, plan_endpoint
from planner.fleet import Fleet
from planner.fleet_forms import duration_text
from planner.observation import Observation
from planner.past import Past, weights_in, within
from planner.streaks import History, Key, Streak


class Braked(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint at which signals wanted more than the brake lets them have."""

    name: str
    zone: str
    kept: tuple[str, ...]
    """The ids that stay as they stand although signals say otherwise, worst first."""
    message: str


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """The next plan, and everything that led to it."""

    plan: Plan
    endpoints: tuple[EndpointPlanned, ...]
    history: History
    braked: tuple[Braked, ...]
    urgent: tuple[str, ...]
    """Why it cannot wait, if so."""


def plan_fleet(
    fleet: Fleet,
    observations: Mapping[str, Observation],
    past: Past,
    history: History,
    now: datetime,
    *,
    told_again: frozenset[str],
    is_one_look: bool,
) -> Planned:
    """Return the next plan of a fleet whose pools are filled."""
    newest = past.newest
    bench = Bench(
        observations=observations,
        told_again=told_again,
        history=history,
        pace=fleet.pace,
        seconds=Fraction((now - newest.at).total_seconds()) if newest else Fraction(0),
        is_whole=past.is_whole,
        is_one_look=is_one_look,
    )
    indexed = {one.generation: {endpoint.key: endpoint for endpoint in one.plan.endpoints} for one in past.plans}
    planned = []
    for behind in fleet.endpoints:
        stood = within(past, now, behind.health.window_seconds)
        before = Before(
            newest=indexed[newest.generation].get(behind.key) if newest else None,
            stood=tuple(weights_in(endpoint) for one in stood if (endpoint := indexed[one.generation].get(behind.key))),
        )
        planned.append(plan_endpoint(behind, before, bench))
    plan = Plan(fleet=fleet.name, endpoints=tuple(one.endpoint for one in planned), retired=fleet.retired)
    return Planned(
        plan=sorted_plan(plan),
        endpoints=tuple(planned),
        history=_remembered(planned),
        braked=tuple(_braked(one) for one in planned if one.ruling.held),
        urgent=tuple(f"{one.behind.name}: {why}" for one in planned for why in one.urgent),
    )


def _remembered(planned: Iterable[EndpointPlanned]) -> dict[Key, Streak]:
    """Keep what was counted of the targets that are there; what left the inventory is new when it comes back."""
    return {
        key_of(one.behind, outcome.candidate.id): outcome.candidate.streak
        for one in planned
        for outcome in one.outcomes
    }


def _braked(one: EndpointPlanned) -> Braked:
    health, ruling = one.behind.health, one.ruling
    limit = f"signals may take out {float(health.brake):g} of it in {duration_text(health.window_seconds)}"
    why = f"{limit}, and {float(ruling.lost):.2f} is out by them"
    if ruling.against:
        why = f"they are against every {' and every '.join(sorted(ruling.against))} that stands there, and are not believed"
    return Braked(
        name=one.behind.name,
        zone=one.behind.zone,
        kept=ruling.held,
        message=f"{one.behind.name} keeps {', '.join(ruling.held)} as {'they stand' if len(ruling.held) > 1 else 'it stands'} "
        f"although signals say otherwise: {why}",
    )


def longest_window_seconds(fleet: Fleet) -> Fraction:
    """Return how far back published plans are looked at for a fleet."""
    return max((one.health.window_seconds for one in fleet.endpoints), default=Fraction(0))

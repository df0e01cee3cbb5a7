"""Decide what enactors would do with a plan that is not published yet, from one look at each zone. It can write nothing.

The shell-free part of `dry-run`: it asks the enactor's own judge, packs with the enactor's own packer, and counts. What the
planner's guards say (against the parent) and what the enactors' say (against the zone) is shown side by side.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from enactor import names
from enactor.batch import SwitchChange, fitting, ordered, pack, size_of, swap_changes
from enactor.fence import Switch, switch_text, text_set
from enactor.guards import Finding, LimitsTable
from enactor.judge import NO_NONCE, Bench, Judged, Lookup, endpoint_names, judge, reasons_of
from enactor.memory import ZoneMemory
from enactor.observe import live_names
from enactor.plan_index import PlanIndex
from enactor.records import content_of
from enactor.standing import Choice, Standing, choose, stand
from enactor.swap import Foreign, GarbledFence, Refused, Swap
from planner.members import Bar, ContentChange, bars, content_change
from planner.publishing import Carried
from planner.reasons import TargetReason
from planner.reports import Cost, DryRunEndpoint, DryRunZone

NOBODY: Final = "dry-run"
"""Stands where an enactor's id would, in fences that are only counted."""


class Rehearsal(msgspec.Struct, frozen=True, kw_only=True):
    """What every zone is held against."""

    plan: PlanIndex
    """The plan as the file has it, with the generation that a publish would give it."""
    limits: LimitsTable
    carried: Mapping[tuple[str, str], Carried]
    """By zone and name: what the guards at publish would not let through."""
    reasons: Mapping[tuple[str, str], tuple[TargetReason, ...]] = {}
    """By zone and name: why each load balancer is in the plan or not."""


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """What one look at a zone gave."""

    memory: ZoneMemory
    open_plan: PlanIndex | None
    """The plan that is open in the zone, where it can still be read."""
    aws_now: datetime | None
    """By which holds, stops and permissions expire."""
    nearest: PlanIndex | None = None
    """Where the open plan cannot be read, the newest one below it that can be."""
    allowed: frozenset[str] = frozenset()
    """The plan-wide guards that people lifted for the generation of the plan."""


def rehearse_zone(sight: Sight, rehearsal: Rehearsal, lookup: Lookup) -> tuple[DryRunZone, tuple[DryRunEndpoint, ...]]:
    """Return what would happen in one zone."""
    plan, memory = rehearsal.plan, sight.memory
    standing = stand(memory.switch, plan, sight.aws_now)
    choice = choose(
        memory.zone,
        memory.switch.switch,
        [plan],
        sight.open_plan,
        rehearsal.limits.plan,
        allowed=lambda _: sight.allowed,
        below=lambda _: sight.nearest,
        fenced=live_names(memory.fences, memory.fleet),
    )
    refused = tuple(finding for _, finding in choice.refused)
    shown = Choice(working=plan, may_advance=bool(refused) or choice.may_advance, opens=choice.opens)
    judged = _judged(sight, rehearsal, lookup, shown)
    going = (one.swap for key, one in judged.items() if (memory.zone, key) not in rehearsal.carried)
    swaps = [swap for swap in going if swap is not None]
    cost = Cost(calls=0, changes=0) if refused else _cost(memory, plan, swaps, shown)
    endpoints = tuple(_endpoint(memory, rehearsal, one, stays=bool(refused)) for one in judged.values())
    return _zone(memory, standing, refused, cost), endpoints


def _zone(memory: ZoneMemory, standing: Standing, refused: tuple[Finding, ...], cost: Cost) -> DryRunZone:
    return DryRunZone(
        zone=memory.zone,
        switch=standing.switch,
        open=standing.open,
        plan=standing.plan,
        refused=refused,
        cost=cost,
    )


def _judged(sight: Sight, rehearsal: Rehearsal, lookup: Lookup, choice: Choice) -> dict[str, Judged]:
    bench = Bench(
        fleet=sight.memory.fleet,
        enactor=NOBODY,
        limits=rehearsal.limits,
        choice=choice,
        lookup=lookup,
        nonce=NO_NONCE,
        aws_now=sight.aws_now,
    )
    return judge(sight.memory, bench, endpoint_names(sight.memory, choice, sight.memory.fleet))


def _cost(memory: ZoneMemory, plan: PlanIndex, swaps: Sequence[Swap], choice: Choice) -> Cost:
    """Count calls and changes as the enactors' packer makes them; the switch of a zone that has none yet is `init`'s."""
    switch = _switch_change(memory, plan, choice)
    fit, _ = fitting(swaps, memory.zone_name, switch)
    batches = pack(
        ordered(fit),
        zone=memory.zone,
        zone_name=memory.zone_name,
        switch=switch,
        comment="",
        pointed=memory.pointed,
    )
    return Cost(calls=len(batches), changes=sum(len(batch.changes) for batch in batches))


def _switch_change(memory: ZoneMemory, plan: PlanIndex, choice: Choice) -> SwitchChange:
    stored = plan.stored
    opened = Switch(fleet=memory.fleet, mode="run", gen=stored.generation, plan=stored.short_digest, nonce=NO_NONCE)
    after = text_set(names.switch_name(memory.fleet, memory.zone_name), switch_text(opened))
    before = memory.switch.record or after
    return SwitchChange(before, after if choice.opens else before)


def _endpoint(memory: ZoneMemory, rehearsal: Rehearsal, judged: Judged, *, stays: bool) -> DryRunEndpoint:
    name = judged.question.view.name
    carried = rehearsal.carried.get((memory.zone, name))
    findings = _findings(judged, carried)
    swap = judged.swap
    is_kept_back = bool(findings) or isinstance(judged.decision, Foreign | GarbledFence)
    return DryRunEndpoint(
        name=name,
        zone=memory.zone,
        state=judged.state,
        action="refused" if is_kept_back else "none" if swap is None or stays else "swap",
        change=_change(rehearsal.plan, judged),
        bars=_bars(rehearsal.plan, judged),
        targets=rehearsal.reasons.get((memory.zone, name), ()),
        guards=findings,
        changes=0 if swap is None or stays or carried else size_of(swap_changes(swap, memory.zone_name)).changes,
        reasons=() if isinstance(judged.decision, Refused) else reasons_of(judged),
        retired=(memory.zone, name) in rehearsal.plan.retired,
    )


def _findings(judged: Judged, carried: Carried | None) -> tuple[Finding, ...]:
    """Return what the enactors' guards say, and what the guards at publish say besides."""
    here = judged.decision.findings if isinstance(judged.decision, Refused) else ()
    there = carried.guards if carried else ()
    return (*(one for one in here if not any(_says_more(other, one) for other in there)), *there)


def _says_more(finding: Finding, other: Finding) -> bool:
    """Tell whether a finding at publish says all of another one, and the plan that it was held against besides."""
    return finding.guard == other.guard and finding.message.startswith(other.message)


def _change(plan: PlanIndex, judged: Judged) -> ContentChange:
    view = judged.question.view
    wanted = plan.contents.get((view.zone, view.name))
    return ContentChange() if wanted is None else content_change(content_of(view.sets), wanted)


def _bars(plan: PlanIndex, judged: Judged) -> tuple[Bar, ...]:
    view = judged.question.view
    wanted = plan.contents.get((view.zone, view.name))
    return bars(content_of(view.sets), content_of(view.sets) if wanted is None else wanted)

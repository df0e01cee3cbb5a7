"""Decide how a zone stands to the plans at hand: its switch, its open generation, and which plan may be worked from.

Pure. Promise 2 rests here and in the batch: below the open generation nothing is written but repair.

    switch says              newest valid plan        standing
    -----------              -----------------        --------
    absent                   any                      stopped; only init or start bring it back
    anything but run         any                      stopped
    run, gen G               above G                  behind: may be opened, unless refused plan-wide
    run, gen G digest D      G with D                 current
    run, gen G digest D      G with another digest    forked: only repairs, until a plan above G is published
    run, gen G               below G, or none         ahead: only repairs, until a plan above G is published
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from enactor.fence import NO_PLAN, Garbled, Switch, is_running
from enactor.guards import Finding, PlanLimits, judge_plan
from enactor.observe import SwitchReading
from enactor.plan_index import PlanIndex
from enactor.report import PlanWord, SwitchWord

UNKNOWN_OPEN: Final = 0


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A zone's switch against the newest valid plan."""

    switch: SwitchWord
    open: int | None
    plan: PlanWord
    running: bool


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What a zone is worked from: a plan, whether its content may be put in place, and which plans were refused whole."""

    working: PlanIndex | None
    may_advance: bool
    opens: bool
    """Whether the first batch opens the working plan's generation."""
    refused: tuple[tuple[int, Finding], ...] = ()
    """(generation, finding) of each plan that a plan-wide guard keeps out."""


def stand(reading: SwitchReading, newest: PlanIndex | None, aws_now: datetime | None) -> Standing:
    """Name a zone's standing."""
    match reading.switch:
        case None:
            return Standing(switch="absent", open=None, plan=_against(None, newest), running=False)
        case Garbled():
            return Standing(switch="stop", open=None, plan=_against(None, newest), running=False)
        case Switch() as switch:
            running = is_running(switch, aws_now)
            word: SwitchWord = "run" if running else "stop"
            return Standing(switch=word, open=switch.gen, plan=_against(switch, newest), running=running)


def _against(switch: Switch | None, newest: PlanIndex | None) -> PlanWord:
    generation = switch.gen if switch else UNKNOWN_OPEN
    if newest is None:
        return "ahead" if generation > 0 else "current"
    if newest.stored.generation != generation:
        return "behind" if newest.stored.generation > generation else "ahead"
    assert switch is not None, "generation 0 is no plan's"
    return "current" if switch.plan == newest.stored.short_digest else "forked"


def same_generation_first(candidates: Sequence[PlanIndex], switch: Switch | Garbled | None) -> list[PlanIndex]:
    """Order candidates newest first; of two with one generation the one that the switch names goes first."""
    named = switch.plan if isinstance(switch, Switch) else NO_PLAN
    return sorted(
        candidates,
        key=lambda plan: (plan.stored.generation, plan.stored.short_digest == named),
        reverse=True,
    )


def choose(
    zone: str,
    switch: Switch | Garbled | None,
    candidates: Sequence[PlanIndex],
    open_plan: PlanIndex | None,
    limits: PlanLimits,
) -> Choice:
    """Choose the newest valid plan that the plan-wide guards let in; failing that the open one; failing that, none.

    A candidate is held against the plan that is open here: what reached the table `--unguarded`, or by another planner's
    looser limits, is judged again.
    """
    if not isinstance(switch, Switch):
        newest = candidates[0] if candidates else None
        return Choice(working=newest, may_advance=newest is not None, opens=False)
    base = open_plan.stored.plan if open_plan else None
    refused: list[tuple[int, Finding]] = []
    for candidate in same_generation_first(candidates, switch):
        generation = candidate.stored.generation
        if generation < switch.gen or (generation == switch.gen and candidate.stored.short_digest != switch.plan):
            break
        if generation == switch.gen:
            return Choice(working=candidate, may_advance=True, opens=False, refused=tuple(refused))
        findings = judge_plan(candidate.stored.plan, base, limits, zone)
        if not findings:
            return Choice(working=candidate, may_advance=True, opens=True, refused=tuple(refused))
        refused += [(generation, finding) for finding in findings]
    if open_plan is not None:
        return Choice(working=open_plan, may_advance=True, opens=False, refused=tuple(refused))
    newest = candidates[0] if candidates and not refused else None
    return Choice(working=newest, may_advance=False, opens=False, refused=tuple(refused))

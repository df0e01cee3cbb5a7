"""Decide how a zone stands to the plans at hand: its switch, its open generation, and which plan may be worked from.

Pure but for the lookup it is handed. Promise 2 rests here and in the batch: below the open generation nothing is written but repair.

    switch says              newest valid plan        standing
    -----------              -----------------        --------
    absent                   any                      stopped; only init or start bring it back
    anything but run         any                      stopped
    run, gen G               above G                  behind: may be opened, unless refused plan-wide
    run, gen G digest D      G with D                 current
    run, gen G digest D      G with another digest    forked: only repairs, until a plan above G is published
    run, gen G               below G, or none         ahead: only repairs, until a plan above G is published
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Final

import msgspec

from enactor.brake import is_leap
from enactor.fence import NO_PLAN, Garbled, Switch, is_running
from enactor.guards import Finding, PlanLimits
from enactor.observe import SwitchReading
from enactor.plan_guards import judge_absence, judge_plan, lifted
from enactor.plan_index import PlanIndex
from enactor.report import PlanWord, SwitchWord

UNKNOWN_OPEN: Final = 0

Older = Callable[[int, int], PlanIndex | None]
"""Finds the newest kept plan below one generation and above another; `library.Library.older` is one."""


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


Allowed = Callable[[int], frozenset[str]]
"""The plan-wide guards that people lifted for a generation; `library.Library` knows them."""


Below = Callable[[int], PlanIndex | None]
"""Finds the newest plan at or below a generation that can be read; `library.Library.at_or_below` is one."""


def nothing_below(_generation: int) -> PlanIndex | None:
    """Find no plan."""
    return None


def nothing_allowed(_generation: int) -> frozenset[str]:
    """Lift no guard."""
    return frozenset()


def nothing_older(_below: int, _above: int) -> PlanIndex | None:
    """Find no plan besides the candidates."""
    return None


def choose(
    zone: str,
    switch: Switch | Garbled | None,
    candidates: Sequence[PlanIndex],
    open_plan: PlanIndex | None,
    limits: PlanLimits,
    *,
    older: Older = nothing_older,
    allowed: Allowed = nothing_allowed,
    below: Below = nothing_below,
    fenced: Collection[str] = (),
) -> Choice:
    """Choose the newest valid plan that the plan-wide guards let in; failing that the open one; failing that, none.

    A candidate is held against the plan that is open here: what reached the table `--unguarded`, or by another planner's
    looser limits, is judged again. Where the open plan cannot be read it is the newest one below that can be, and
    the names that have a fence: a guard that has lost what it judges against must not fall silent.
    Below a refused one, kept plans that were not at hand are tried before older candidates.
    """
    if not isinstance(switch, Switch):
        newest = candidates[0] if candidates else None
        return Choice(working=newest, may_advance=newest is not None, opens=False)
    base = open_plan or (below(switch.gen) if switch.gen else None)
    refused: list[tuple[int, Finding]] = []
    for candidate in _in_turn(same_generation_first(candidates, switch), switch, refused, older):
        generation = candidate.stored.generation
        if generation == switch.gen:
            return Choice(working=candidate, may_advance=True, opens=False, refused=tuple(refused))
        findings = judge_plan(candidate.stored.plan, base.stored.plan if base else None, limits, zone)
        if switch.gen and open_plan is None and not findings:
            findings = judge_absence(candidate.stored.plan, fenced, limits, zone)
        if findings:
            findings = lifted(findings, allowed(generation))
        if not findings:
            return Choice(working=candidate, may_advance=True, opens=True, refused=tuple(refused))
        refused += [(generation, finding) for finding in findings]
    if open_plan is not None:
        return Choice(working=open_plan, may_advance=True, opens=False, refused=tuple(refused))
    newest = candidates[0] if candidates and not refused else None
    return Choice(working=newest, may_advance=False, opens=False, refused=tuple(refused))


def _in_turn(
    candidates: Sequence[PlanIndex], switch: Switch, refused: Sequence[tuple[int, Finding]], older: Older
) -> Iterator[PlanIndex]:
    """Yield what may be worked from, newest first. `refused` grows meanwhile: a gap below a refused plan is filled from `older`.

    Ends: each plan from `older` is below the last refused one, and the candidates are finitely many.
    """
    for candidate in [*(one for one in candidates if _may_be_worked_from(one, switch)), None]:
        bottom = candidate.stored.generation if candidate else switch.gen
        while refused and (found := older(refused[-1][0], bottom)) is not None:
            assert bottom < found.stored.generation < refused[-1][0], "what is found lies in the gap"
            yield found
        if candidate is not None:
            yield candidate


def _may_be_worked_from(plan: PlanIndex, switch: Switch) -> bool:
    """Tell whether a plan is above what is open, or the very plan that is: the same number with another digest is a fork.

    What the table does not vouch for must be near: no file and no mirror may use up the numbers.
    """
    generation = plan.stored.generation
    if generation == switch.gen:
        return plan.stored.short_digest == switch.plan
    leaps = plan.source != "table" and switch.gen > 0 and is_leap(generation, switch.gen)
    return generation > switch.gen and not leaps

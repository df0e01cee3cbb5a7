"""Decide what a heal without a file puts in place: what enactors would leave standing at the endpoint, judged as they judge.

A plan that they refuse, as a whole or at this endpoint, their next cycle would take back; and what the last gate alone keeps out
is too little for a day on which nothing else looks. So the plan is chosen as a cycle chooses it, and the endpoint judged as a cycle
judges it, on what was just read. Where the switch does not say what is open, every plan that forgets a name with a fence is passed
over.
"""

from collections.abc import Callable
from datetime import datetime

import msgspec

from enactor.batch import sets_after
from enactor.endpoint_verbs import Place, Remedy, remedy_of
from enactor.fence import Switch
from enactor.guards import Finding, LimitsTable
from enactor.insist import KeptBack
from enactor.judge import NO_NONCE, Bench, judge
from enactor.library import Library, Shelf
from enactor.memory import ZoneMemory
from enactor.observe import live_names
from enactor.plan_guards import judge_absence, lifted
from enactor.plan_index import PlanIndex
from enactor.records import content_of
from enactor.standing import Choice, choose
from enactor.swap import Refused, Swap


class Physician(msgspec.Struct, frozen=True, kw_only=True):
    """Who finds the remedy: whose endpoint it is, the limits, the plans, and who hears which plans are passed over."""

    fleet: str
    enactor: str
    limits: LimitsTable
    plans: Library
    passed_over: Callable[[int, Finding], None]

    def remedy(self, memory: ZoneMemory, shelf: Shelf, place: Place, aws_now: datetime | None) -> Remedy:
        """Return what the endpoint is healed with; raise KeptBack where guards, or an older plan than the open one, keep it back."""
        choice = self._choice(memory, shelf, aws_now)
        for generation, finding in choice.refused:
            self.passed_over(generation, finding)
        working = choice.working
        if working is None:
            raise KeptBack(f"no plan at hand passes the guards: give what should stand at {place.name} with --plan")
        bench = Bench(
            fleet=self.fleet,
            enactor=self.enactor,
            limits=self.limits,
            choice=choice,
            lookup=self.plans,
            nonce=NO_NONCE,
            aws_now=aws_now,
        )
        judged = judge(memory, bench, [place.name])[place.name]
        if judged.swap is not None:
            return _of_swap(judged.swap, working)
        if isinstance(judged.decision, Refused):
            why = "; ".join(finding.message for finding in judged.decision.findings)
            raise KeptBack(
                f"plan {working.stored.generation} is refused at {place.name}: {why}; give another with --plan"
            )
        switch = memory.switch.switch
        if isinstance(switch, Switch) and working.stored.generation < switch.gen:
            raise KeptBack(
                f"the newest plan at hand is generation {working.stored.generation}, older than {switch.gen}, which is open in "
                f"zone {place.zone}: give what should stand at {place.name} with --plan"
            )
        return remedy_of(working, place)

    def _choice(self, memory: ZoneMemory, shelf: Shelf, aws_now: datetime | None) -> Choice:
        switch, fenced = memory.switch.switch, live_names(memory.fences, self.fleet)
        if not isinstance(switch, Switch):
            return self._mindful(memory, shelf, fenced, aws_now)
        return choose(
            memory.zone,
            switch,
            shelf.candidates,
            self.plans.open_plan(switch),
            self.limits.plan,
            older=self.plans.older,
            allowed=lambda generation: self.plans.allowed(generation, aws_now),
            below=self.plans.at_or_below,
            fenced=fenced,
        )

    def _mindful(self, memory: ZoneMemory, shelf: Shelf, fenced: tuple[str, ...], aws_now: datetime | None) -> Choice:
        """Choose the newest plan that mentions whatever has a fence: nobody says which one was open."""
        refused: list[tuple[int, Finding]] = []
        waiting = list(shelf.candidates)
        plan: PlanIndex | None = waiting.pop(0) if waiting else None
        while plan is not None:  # ends: each next plan is one of the few at hand, or an older one of the table
            generation = plan.stored.generation
            findings = judge_absence(plan.stored.plan, fenced, self.limits.plan, memory.zone)
            findings = lifted(findings, self.plans.allowed(generation, aws_now)) if findings else ()
            if not findings:
                return Choice(working=plan, may_advance=True, opens=False, refused=tuple(refused))
            refused += [(generation, finding) for finding in findings]
            lower = waiting[0].stored.generation if waiting else 0
            plan = self.plans.older(generation, lower) or (waiting.pop(0) if waiting else None)
        return Choice(working=None, may_advance=False, opens=False, refused=tuple(refused))


def _of_swap(swap: Swap, working: PlanIndex) -> Remedy:
    generation = swap.fence_after.gen
    source = (
        f"what its fence names (generation {generation})"
        if swap.purpose == "repair"
        else f"plan {working.stored.generation} from {working.source}"
    )
    return Remedy(content=content_of(sets_after(swap)), source=source, generation=generation)

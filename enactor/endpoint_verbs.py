"""Do what a person asks of one endpoint: hold, release, allow, adopt, retire, heal, disown.

The shell of `marks`, which decides. Each batch rests on the endpoint's own fence; what may take something away asserts the switch
too, as it stands, and so does `adopt`, whose name may have no fence to rest on; `disown` renews it, and the others leave it out. So
every verb works while stopped, with the table unreachable and the planner dead.
"""

from collections.abc import Callable
from datetime import datetime

import msgspec

from enactor import marks
from enactor.aliases import beyond
from enactor.batch import Batch, Change, SwitchChange, swap_changes
from enactor.brake import first_fence
from enactor.fence import Allow, Fence, Switch, instant_text, is_held
from enactor.insist import NotDone
from enactor.memory import ZoneMemory
from enactor.observe import SwitchReading
from enactor.plan import Endpoint, content_of_endpoint
from enactor.plan_guards import PLAN_GUARDS
from enactor.plan_index import PlanIndex
from enactor.records import Content, ManagedType, RecordSet
from enactor.renewal import renewed
from enactor.swap import Swap, View
from enactor.wheel import Done, Ending, Wheel

HEAL_HOLD_SECONDS = 24 * 3600.0
"""What was put there from a file stays on hold so long, unless it is released: the plans say otherwise."""
SWITCH_READS_MAX = 3
"""How often a zone is read again whose switch was made while it was read."""


class Place(msgspec.Struct, frozen=True):
    """An endpoint a person named: the zone's id, and its canonical name."""

    zone: str
    name: str


class EndpointOperator:
    """A person at one endpoint."""

    def __init__(self, wheel: Wheel) -> None:
        self._wheel = wheel

    def hold(self, place: Place, seconds: float | None) -> Done:
        """Freeze it: nothing is written there until it is released, or until the hold ends."""
        ending = Ending(self._wheel, seconds)

        def wanted(view: View) -> Swap | None:
            fence = view.fence.fence if view.fence else None
            return marks.held(view, self._wheel.hand(), ending.reckon(getattr(fence, "until", None)))

        change = self._do(place, wanted, what="hold")
        reading = self._view(place).fence
        fence = reading.fence if reading is not None else None
        if not isinstance(fence, Fence) or not is_held(fence, self._wheel.zones.aws_now()):
            return Done(f"{place.name} is held no more: its hold has ended, or somebody released it since", change)
        end = instant_text(fence.until) if fence.until else "it is released"
        kept = "; it was held so already, and --for shortens no hold" if seconds is not None and change is None else ""
        return Done(f"{place.name} is held until {end}: no enactor writes there{kept}", change)

    def release(self, place: Place) -> Done:
        """Take a hold away."""
        first = self._view(place).fence

        def wanted(view: View) -> Swap | None:
            swap = marks.released(view, self._wheel.hand())
            if swap is not None and view.fence != first:
                raise NotDone(
                    f"somebody wrote the fence of {place.name} while it was being released: look, then try again"
                )
            return swap

        change = self._do(place, wanted, what="release")
        return Done(f"{place.name} is not held" if change is None else f"{place.name} is released", change)

    def allow(self, place: Place, guard: str, generation: int, seconds: float) -> Done:
        """Let one guard pass once, at one generation, for a time."""
        assert guard not in PLAN_GUARDS, "a plan-wide guard is allowed in the table"
        switch = self._wheel.zones.switch(place.zone, self._wheel.fleet).switch
        opened = switch.gen if isinstance(switch, Switch) else 0  # it only grows, so an older reading drops too little
        until = self._wheel.in_future(seconds)
        assert until is not None, "an allow always ends"
        allow = Allow(guard, generation, until)
        change = self._do(
            place,
            lambda view: marks.allowed(
                view, self._wheel.hand(), allow, opened=opened, aws_now=self._wheel.zones.aws_now()
            ),
            what="allow",
        )
        return Done(
            f"{guard} is allowed once at {place.name}, for generation {generation}, until {instant_text(until)}", change
        )

    def adopt_preview(self, place: Place, from_fleet: str | None = None) -> tuple[str, ...]:
        """Return what `adopt` will do, a line each; raise NotDone where it may not, or has nothing to do."""
        view = self._view(place)
        if problem := marks.why_not_adopted(view, self._wheel.fleet, from_fleet):
            raise problem
        first = f"{place.name} in zone {place.zone}: a fence is created (gen 0), and nothing else changes; asserted as they stand:"
        return (first, *(f"  {line(record)}" for record in view.sets))

    def adopt(self, place: Place, from_fleet: str | None = None) -> Done:
        """Take an endpoint into this fleet's hands as it stands; the next cycle applies the newest plan through the guards.

        Asserts the switch: a fence that is created rests on no fence, and would land whenever the name is let go again.
        """

        def decide() -> Batch | None:
            switch = self._wheel.zones.switch(place.zone, self._wheel.fleet).record
            memory = self._read(place)
            swap = marks.adopted(memory.view(place.name), self._wheel.hand(), from_fleet)
            if swap is None:
                return None
            asserted = SwitchChange(switch, switch) if switch else None
            return self._wheel.batch(place.zone, memory.zone_name, switch=asserted, swaps=(swap,))

        change = self._wheel.insist(decide, what=f"adopt of {place.name}")
        return Done(f"{place.name} is adopted by fleet {self._wheel.fleet}", change)

    def is_bare(self, place: Place) -> bool:
        """Tell whether nothing stands at a name, not even a fence."""
        view = self._view(place)
        return view.fence is None and not view.sets

    def retire_preview(self, place: Place, of: ManagedType | None) -> tuple[str, ...]:
        """Return what `retire` will do, a line each; raise NotDone where it may not."""
        swap = self._retirement(self._whole(place), place, of, 0)
        if swap is None:
            return (f"{place.name} in zone {place.zone}: nothing is left to retire",)
        left = "a tombstone stays, and only `enactor adopt` lifts it" if of is None else "everything else stays"
        again = set(swap.creates)
        gone = [record for record in swap.deletes if record not in again]
        return (
            f"{place.name} in zone {place.zone}: {left}; these record sets are deleted:",
            *(f"  {line(record)}" for record in gone),
        )

    def retire(
        self,
        place: Place,
        of: ManagedType | None,
        generation: int,
        judge: Callable[[ZoneMemory], object] = lambda _: None,
    ) -> Done:
        """Take the name, or one type of it, away; the whole zone is read, for aliases that point there.

        `judge` raises where a plan lists the name (see `parting`). It is asked at every try, of the very reading that the batch
        rests on: while a person was asked back, or between two tries, a plan that lists the name again may have been opened.
        """

        def decide() -> Batch | None:
            memory = self._whole(place)
            swap = self._retirement(memory, place, of, generation)
            if swap is None:
                return None
            judge(memory)
            return self._weighty(memory, swap, retires=of or "")

        change = self._wheel.insist(decide, what=f"retiring {place.name}")
        what = f"the {of} record sets of {place.name} are" if of else f"{place.name} is"
        return Done(f"{what} retired", change)

    def _retirement(self, memory: ZoneMemory, place: Place, of: ManagedType | None, generation: int) -> Swap | None:
        view = memory.view(place.name)
        now = self._wheel.zones.aws_now()
        return marks.retired(view, self._wheel.hand(), of, generation=generation, aws_now=now, pointed=memory.pointed)

    def _weighty(self, memory: ZoneMemory, swap: Swap, *, retires: str = "") -> Batch:
        """Return the batch of a verb that may take something away: the gate sees what points here and where aliases lead.

        It asserts the switch as it was read, in run or in stop: a plan that is opened meanwhile may have made an alias to here. Where
        neither switch nor fence stands, it rests on the fleet's first fence, which whoever makes the switch anew renews: a batch that
        only creates would land whenever the name is empty again. Where there is none either it rests on nothing.
        """
        record = memory.switch.record
        first = None if record or swap.fence_before else first_fence(memory.fences, self._wheel.fleet)
        batch = self._wheel.batch(
            memory.zone,
            memory.zone_name,
            switch=SwitchChange(record, record) if record else None,
            swaps=(swap,),
            extra=(Change("DELETE", first[0]), Change("CREATE", first[0])) if first else (),
            retires=retires,
            pointed=[key for key in memory.pointed if key[0] == swap.name],
            generation=swap.fence_after.gen,
        )
        written = (*swap.before, *swap.creates)
        return msgspec.structs.replace(batch, beyond=beyond(memory.sets, written, memory.zone))

    def heal_preview(self, place: Place, cure: "Cure") -> tuple[str, ...]:
        """Return exactly what `heal` will write, a line for each change; raise NotDone where it may not."""
        memory = self._whole(place)
        remedy = _remedy(cure, memory)
        swap = self._healing(memory, place, remedy, self._hold_end(remedy))
        if swap is None:
            return (f"{place.name} in zone {place.zone}: it stands so already",)
        fence = swap.fence_after
        held = f", on hold until {instant_text(fence.until)}" if fence.state == "hold" and fence.until else ""
        first = (
            f"{place.name} in zone {place.zone}: {remedy.source}, fence at generation {fence.gen}{held}; in one call:"
        )
        return (
            first,
            *(f"  {change.action} {line(change.record)}" for change in swap_changes(swap, memory.zone_name)),
        )

    def heal(self, place: Place, cure: "Cure") -> Done:
        """Put the content in place, through fence and gate; what is found in plans is found anew at every try."""
        used: list[Remedy] = []
        until: datetime | None = None

        def decide() -> Batch | None:
            nonlocal until
            memory = self._whole(place)
            remedy = _remedy(cure, memory)
            until = until or self._hold_end(remedy)  # reckoned once, when AWS's time has come with the first answer
            used.append(remedy)
            swap = self._healing(memory, place, remedy, until)
            return None if swap is None else self._weighty(memory, swap)

        change = self._wheel.insist(decide, what=f"healing {place.name}")
        if change is None:
            return Done(f"{place.name} stands so already, as {used[-1].source} says: there was nothing to heal", None)
        return Done(f"{place.name} is healed with {used[-1].source}", change)

    def _hold_end(self, remedy: "Remedy") -> datetime | None:
        return None if remedy.generation is not None else self._wheel.in_future(HEAL_HOLD_SECONDS)

    def _healing(self, memory: ZoneMemory, place: Place, remedy: "Remedy", until: datetime | None) -> Swap | None:
        view = memory.view(place.name)
        return marks.healed(view, self._wheel.hand(), remedy.content, generation=remedy.generation, until=until)

    def disown_preview(self, place: Place) -> tuple[str, ...]:
        """Return what `disown` will do; raise NotDone where it may not."""
        marks.disowned(self._view(place), self._wheel.fleet, self._wheel.zones.aws_now())
        return (
            f"{place.name} in zone {place.zone}: its fence is deleted; its record sets stay as they are, and nobody minds them",
        )

    def disown(self, place: Place, judge: Callable[[SwitchReading], object] = lambda _: None) -> Done:
        """Take the fence away and nothing else: from then on the name is nobody's.

        `judge` raises where a plan lists the name, and is asked at every try, as for `retire`. The switch is renewed: what creates
        a fence here and was decided before must not land now that there is none.
        """

        def decide() -> Batch | None:
            switch = self._wheel.zones.switch(place.zone, self._wheel.fleet)
            memory = self._read(place)
            view = memory.view(place.name)
            if view.fence is None:
                return None
            record = marks.disowned(view, self._wheel.fleet, self._wheel.zones.aws_now())
            judge(switch)
            change = renewed(switch, self._wheel.chance.nonce())
            return self._wheel.batch(place.zone, memory.zone_name, switch=change, extra=(Change("DELETE", record),))

        change = self._wheel.insist(decide, what=f"disowning {place.name}")
        return Done(f"{place.name} is disowned; its record sets stand as they were", change)

    def _do(self, place: Place, wanted: Callable[[View], Swap | None], *, what: str) -> str | None:
        def decide() -> Batch | None:
            memory = self._read(place)
            swap = wanted(memory.view(place.name))
            if swap is None:
                return None
            return self._wheel.batch(place.zone, memory.zone_name, swaps=(swap,), generation=swap.fence_after.gen)

        return self._wheel.insist(decide, what=f"{what} of {place.name}")

    def _read(self, place: Place) -> ZoneMemory:
        memory = ZoneMemory(self._wheel.zones, place.zone, self._wheel.fleet)
        memory.refresh_by_name([place.name])
        return memory

    def _view(self, place: Place) -> View:
        return self._read(place).view(place.name)

    def _whole(self, place: Place) -> ZoneMemory:
        memory = ZoneMemory(self._wheel.zones, place.zone, self._wheel.fleet)
        for _ in range(SWITCH_READS_MAX):
            memory.read_switch()
            memory.read_all(self._wheel.clock.now())
            if (
                memory.switch.record is not None
                or self._wheel.zones.switch(place.zone, self._wheel.fleet).record is None
            ):
                return memory  # where there is none after the fences were read either, none was made before they were
        raise NotDone(f"the switch of zone {place.zone} comes and goes while the zone is read: look, then try again")


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """What an endpoint is healed with: its content, where that comes from, and the plan's generation, None from a file."""

    content: Content
    source: str
    generation: int | None


Cure = Remedy | Callable[[ZoneMemory], Remedy]
"""A remedy that a person gave, or how one is found in the plans at hand for the zone as it was just read."""


def _remedy(cure: Cure, memory: ZoneMemory) -> Remedy:
    return cure if isinstance(cure, Remedy) else cure(memory)


def remedy_of(plan: PlanIndex, place: Place) -> Remedy:
    """Return an endpoint's content in a plan at hand."""
    content = plan.contents.get((place.zone, place.name))
    what = f"plan {plan.stored.generation} from {plan.source}"
    if not content:
        raise NotDone(f"{what} has no content for {place.name} in zone {place.zone}; give a plan file with --plan")
    return Remedy(content=content, source=what, generation=plan.stored.generation)


def remedy_of_file(endpoints: tuple[Endpoint, ...], place: Place, path: str) -> Remedy:
    """Return an endpoint's content in a plan file."""
    for endpoint in endpoints:
        if endpoint.key == (place.zone, place.name):
            content = content_of_endpoint(endpoint)
            if content:
                return Remedy(content=content, source=path, generation=None)
    raise NotDone(f"{path} has no content for {place.name} in zone {place.zone}")


def line(record: RecordSet) -> str:
    """Return a record set as people read it."""
    what = f"alias {record.alias.name}" if record.alias else " ".join(record.values)
    weight = "" if record.weight is None else f" weight {record.weight}"
    label = "" if record.set_identifier is None else f" [{record.set_identifier}]"
    return f"{record.type}{label} {what}{weight}"

"""Do what a person asks of a zone or an endpoint: init, stop, start, adopt.

Their batches rest on the compare-and-swap of what they change and leave the rest alone, so they work while stopped, with the
table unreachable and the planner dead, unless said otherwise.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from enactor import brake
from enactor.batch import COMMENT_LIMIT_CHARACTERS, Batch, SwitchChange
from enactor.fence import Fence, Garbled, Mode, Switch, switch_text, text_set
from enactor.insist import NotDone, insist
from enactor.memory import ZoneMemory
from enactor.names import switch_name
from enactor.observe import FenceRange
from enactor.outcome import ZonePort
from enactor.ports import Chance, Clock
from enactor.records import RecordSet, content_digest, content_of, kinds_of
from enactor.selftest import SelfTest
from enactor.swap import Swap, View

UNSAYABLE: Final = "a plan cannot say that, and adopting it would lose it"


TableWord = Callable[[], brake.Table | None]
"""Read what the table says about generations, None where it cannot be read. Asked after the fences, at every try: what was read
before a wait may be older than what the zone is open at by now."""


class Done(msgspec.Struct, frozen=True):
    """What a verb did, in one sentence; `change_id` is None where nothing had to be done."""

    sentence: str
    change_id: str | None
    details: tuple[str, ...] = ()


class Operator:
    """A person at the wheel of one fleet."""

    def __init__(
        self, *, fleet: str, enactor: str, zones: ZonePort, clock: Clock, chance: Chance, comment: str
    ) -> None:
        self._fleet = fleet
        self._enactor = enactor
        self._zones = zones
        self._clock = clock
        self._chance = chance
        self._comment = comment

    def init(self, zone: str, table: TableWord, told: int | None) -> Done:
        """Bring a zone into service: self-test first, then the switch in run. An existing switch stays as it is."""
        found = self._zones.fences(zone, self._fleet)
        if found.switch.record is not None:
            return Done(f"zone {zone} has a switch already; it stays as it is: {_said(found)}", None)
        brake.generation_of(found, table(), told)  # raises before anything is written where no generation can be told
        proven = SelfTest(self._zones, zone, self._clock, self._chance).run()
        change = self._turn(
            zone, "run", lambda now: None if now.switch.record else brake.generation_of(now, table(), told)
        )
        found = self._zones.fences(zone, self._fleet)
        return Done(f"zone {zone} ({found.zone_name}) is in service: {_said(found)}", change, proven)

    def stop(self, zone: str, table: TableWord) -> Done:
        """Stop every enactor in a zone; batches on their way fail whole from then on."""
        found = self._zones.fences(zone, self._fleet)
        if found.switch.record is None:
            if found.others:
                raise NotDone(_no_switch(zone, found, self._fleet))
            return Done(_no_switch(zone, found, self._fleet), None)

        def wanted(now: FenceRange) -> tuple[int, str] | None:
            if now.switch.record is None or brake.is_done(now, "stop"):
                return None
            try:
                return brake.generation_of(now, table(), None)
            except brake.Unclear:
                return None  # a text typed by hand already stops; what it lacks, start asks for

        change = self._turn(zone, "stop", wanted)
        return Done(f"zone {zone} is stopped: {_said(self._zones.fences(zone, self._fleet))}", change)

    def start(self, zone: str, table: TableWord, told: int | None) -> Done:
        """Bring run back, with a new nonce, at the highest generation that anything at hand shows."""
        found = self._zones.fences(zone, self._fleet)
        if found.switch.record is None and not brake.is_ours(found, self._fleet):
            raise NotDone(
                f"zone {zone} has no switch and no fence of fleet {self._fleet}: bring it in with `enactor init`"
            )
        change = self._turn(
            zone,
            "run",
            lambda now: None if brake.is_done(now, "run") else brake.generation_of(now, table(), told),
        )
        return Done(f"zone {zone} runs: {_said(self._zones.fences(zone, self._fleet))}", change)

    def _turn(self, zone: str, mode: Mode, wanted: Callable[[FenceRange], tuple[int, str] | None]) -> str | None:
        """Write the switch as wanted on what a fresh reading shows, until it stands."""

        def decide() -> Batch | None:
            now = self._zones.fences(zone, self._fleet)
            goal = wanted(now)
            if goal is None:
                return None
            switch = brake.new_switch(self._fleet, mode, *goal, nonce=self._chance.nonce())
            after = text_set(switch_name(self._fleet, now.zone_name), switch_text(switch))
            return self._batch(zone, now.zone_name, SwitchChange(now.switch.record, after), (), goal[0])

        return insist(self._zones, self._clock, self._chance, decide, what=f"{mode} of zone {zone}")

    def adopt_preview(self, zone: str, name: str) -> tuple[str, ...]:
        """Return what `adopt` will do, a line each; raise NotDone where it may not, or has nothing to do."""
        view = self._view(zone, name)
        lines = [
            f"{name} in zone {zone}: a fence is created (gen 0), and nothing else changes; asserted as they stand:"
        ]
        return (*lines, *(f"  {_line(record)}" for record in view.sets))

    def adopt(self, zone: str, name: str) -> Done:
        """Take an endpoint into this fleet's hands as it stands; the next cycle applies the newest plan through the guards."""

        def decide() -> Batch | None:
            view = self._view(zone, name, taken_is_fine=True)
            if _is_live(view, self._fleet):
                return None
            return self._batch(zone, self._zones.zone_name(zone), None, (self._adoption(view),), 0)

        change = insist(self._zones, self._clock, self._chance, decide, what=f"adopting {name}")
        return Done(f"{name} is adopted by fleet {self._fleet}", change)

    def _view(self, zone: str, name: str, *, taken_is_fine: bool = False) -> View:
        memory = ZoneMemory(self._zones, zone, self._fleet)
        memory.refresh_by_name([name])
        view = memory.view(name)
        fence = view.fence.fence if view.fence else None
        if isinstance(fence, Fence) and fence.state != "retired":
            if fence.fleet != self._fleet:
                raise NotDone(f"{name} belongs to fleet {fence.fleet} by its fence; it must disown the name first")
            if not taken_is_fine:
                raise NotDone(
                    f"{name} is in fleet {self._fleet}'s hands already ({fence.state}, generation {fence.gen})"
                )
        if view.fence is None and not view.sets:
            raise NotDone(f"nothing stands at {name} in zone {zone}; a plan that lists it will create it")
        for record in view.sets:
            if record.extra:
                what = ", ".join(sorted(msgspec.json.decode(record.extra)))
                raise NotDone(f"{name} cannot be adopted: its {record.type} set has {what}; {UNSAYABLE}")
        return view

    def _adoption(self, view: View) -> Swap:
        everything = tuple(sorted(view.sets, key=lambda record: record.key))
        return Swap(
            name=view.name,
            zone=view.zone,
            state="foreign",
            purpose="mark",
            fence_before=view.fence.record if view.fence else None,
            fence_after=Fence(
                fleet=self._fleet,
                gen=0,
                plan=content_digest(content_of(view.sets)),
                by=self._enactor,
                nonce=self._chance.nonce(),
            ),
            deletes=everything,
            creates=everything,
            before=view.sets,
            serving=tuple(sorted(kinds_of(view.sets))),
        )

    def _batch(
        self, zone: str, zone_name: str, switch: SwitchChange | None, swaps: Sequence[Swap], generation: int
    ) -> Batch:
        comment = self._comment.format(generation=generation)[:COMMENT_LIMIT_CHARACTERS]
        return Batch(zone=zone, zone_name=zone_name, origin="verb", switch=switch, swaps=tuple(swaps), comment=comment)


def _is_live(view: View, fleet: str) -> bool:
    fence = view.fence.fence if view.fence else None
    return isinstance(fence, Fence) and fence.fleet == fleet and fence.state != "retired"


def _no_switch(zone: str, found: FenceRange, fleet: str) -> str:
    """Say what a stop found instead of its switch; a person in a hurry may have named another fleet than the one that writes."""
    others = f"; other fleets have {', '.join(found.others)} there" if found.others else ""
    missing = f"zone {zone} has no switch {switch_name(fleet, found.zone_name)}, so fleet {fleet} writes nothing there"
    return f"{missing}; nothing was changed{others}"


def _said(found: FenceRange) -> str:
    match found.switch.switch:
        case Switch() as switch:
            return f"mode={switch.mode}, generation {switch.gen}"
        case Garbled(why):
            return f"its text is not a switch's ({why}), which means stop"
        case None:
            return "there is no switch, which means stop"


def _line(record: RecordSet) -> str:
    what = f"alias {record.alias.name}" if record.alias else " ".join(record.values)
    weight = "" if record.weight is None else f" weight {record.weight}"
    label = "" if record.set_identifier is None else f" [{record.set_identifier}]"
    return f"{record.type}{label} {what}{weight}"

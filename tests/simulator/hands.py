"""A person's hands on the product's verbs: each is carried out as the command line does it, its looks first, then the verb itself.

What is refused, or has no answer, is read, and the person goes on with the next deed. What a verb may never do, and only the one
who gave it can tell, is judged here: a verb that lifts a brake rests on the one brake that was there when it was given.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from enactor import parting
from enactor.batch import Batch
from enactor.brake import Table, Unclear
from enactor.cli.places import newest
from enactor.cycle import comment_text
from enactor.endpoint_verbs import EndpointOperator, Place, Remedy, remedy_of, remedy_of_file
from enactor.guards import LimitsTable
from enactor.hooks import Event
from enactor.insist import NotDone
from enactor.leaving import Leaver, snapshot
from enactor.library import Library, Mirror
from enactor.memory import ZoneMemory
from enactor.observe import FenceRange, SwitchReading
from enactor.outcome import Conflicted, Outcome, Stopped, ZonePort
from enactor.plan import Plan
from enactor.ports import OutsideError, PlanAllow, Stopping
from enactor.records import MANAGED_TYPES, ManagedType, RecordSet
from enactor.verbs import Operator
from enactor.wheel import Wheel
from planner.commands_table import read_stored
from planner.publisher import Signature, publish
from planner.publishing import Wish

from . import probes
from .actors import Broken, Line
from .promises import HOLD_MEANS_HOLD, NOT_OURS, STOP_MEANS_STOP

FLEET: Final = "edge"
ZONE: Final = "Z0SIMULATED"
ZONE_NAME: Final = "example.test."
OTHER: Final = "Z0OTHER"
AGAIN: Final = "Z0AGAIN"
ZONE_NAMES: Final = {ZONE: ZONE_NAME, OTHER: "other.test.", AGAIN: ZONE_NAME}
"""Every hosted zone that a story may have; the last is one that is made anew under the name of the first."""
WRITTEN_AT: Final = datetime(2026, 1, 1, tzinfo=UTC)
LASTS_SECONDS: Final = 3600.0
"""How long a hold or an allow lasts; until a clock jumps no time passes, so it does not end by itself."""

LIFTS: Final = {"release": HOLD_MEANS_HOLD, "start": STOP_MEANS_STOP}
"""The verbs that lift a brake, and the promise that one set later is not lifted with it."""
REFUSALS: Final = {
    "which is open in zone": probes.RETIRE_OPEN,
    "lists": probes.RETIRE_LISTED,
    "targets at": probes.RETIRE_LISTED,
    "points to the": probes.RETIRE_POINTED,
    "may be put back at any moment": probes.RETIRE_POINTED_SOON,
    "is not stopped for good": probes.DEINIT_REFUSED,
    "its source": probes.REPUBLISH_REFUSED,
    "is held; `enactor release": probes.RETIRE_HELD,
}
"""What a refused verb says, and the probe that this sets; the first that fits."""


def ignored(_event: Event) -> None:
    """Hear of calls that nobody counts."""


class Watched:
    """Hosted zones, unchanged; it keeps what one verb has sent."""

    def __init__(self, zones: ZonePort) -> None:
        self._zones = zones
        self.sent: list[tuple[Batch, Outcome]] = []

    def aws_now(self) -> datetime | None:
        return self._zones.aws_now()

    def zone_name(self, zone: str) -> str:
        return self._zones.zone_name(zone)

    def switch(self, zone: str, fleet: str) -> SwitchReading:
        return self._zones.switch(zone, fleet)

    def fences(self, zone: str, fleet: str) -> FenceRange:
        return self._zones.fences(zone, fleet)

    def listing(self, zone: str) -> Sequence[RecordSet]:
        return self._zones.listing(zone)

    def at(self, zone: str, names: Sequence[str]) -> Sequence[RecordSet]:
        return self._zones.at(zone, names)

    def compare_and_swap(self, batch: Batch) -> Outcome:
        outcome = self._zones.compare_and_swap(batch)
        self.sent.append((batch, outcome))
        return outcome


class Hands:
    """One person, with a command line."""

    def __init__(
        self, line: Line, name: str, files: Mapping[str, Plan], mirror: Mirror | None, zone: str = ZONE
    ) -> None:
        self._hosted = zone
        self._line = line
        self._name = name
        self._files = files
        self._mirror = mirror
        self._table = line.plan_table()
        self._zones = Watched(line.hosted_zones(ignored))
        self._wheel = Wheel(
            fleet=FLEET,
            enactor=name,
            zones=self._zones,
            clock=line,
            chance=line,
            comment=comment_text(FLEET, name, ""),
        )
        self._at = EndpointOperator(self._wheel)
        self._zone = Operator(self._wheel)
        self._verbs: dict[str, Callable[..., Any]] = {
            "stop": lambda *lasting: self._zone.stop(zone, self._said, float(lasting[0]) if lasting else None),
            "start": lambda: self._zone.start(zone, self._said, None),
            "init": lambda: self._zone.init(zone, self._said, None),
            "hold": lambda label: self._at.hold(self._place(label), LASTS_SECONDS),
            "release": lambda label: self._at.release(self._place(label)),
            "allow": self._allow,
            "adopt": self._adopt,
            "adopt-all": self._adopt_all,
            "retire": self._retire,
            "heal": self._heal,
            "disown": self._disown,
            "deinit": self._deinit,
            "snapshot": lambda: msgspec.json.encode(snapshot(self._wheel, self._hosted)),
            "pin": lambda number: self._table.pin(int(number), reason="", by=name, created_at=WRITTEN_AT.isoformat()),
            "unpin": lambda number: self._table.unpin(int(number)),
            "republish": self._republish,
        }

    def _place(self, label: str) -> Place:
        """Return an endpoint of the zone."""
        return Place(self._hosted, f"{label}.{ZONE_NAMES[self._hosted]}")

    def do(self, deed: str) -> None:
        """Give one verb, and read what comes of it."""
        verb, *given = deed.split()
        self._zones.sent.clear()
        self._line.commands += 1
        try:
            done = self._verbs[verb](*given)
        except Stopping:
            raise
        except (OutsideError, Unclear) as error:
            self._was_refused(verb, str(error))
        else:
            self._was_done(verb, done)
        self._judge(verb, given)

    def _was_refused(self, verb: str, why: str) -> None:
        probe = next((probe for words, probe in REFUSALS.items() if words in why), None)
        if probe is not None:
            self._line.probes.hit.add(probe)
        if verb == "heal" and any(isinstance(outcome, Stopped) for _, outcome in self._zones.sent):
            self._line.probes.hit.add(probes.HEAL_GATED)

    def _was_done(self, verb: str, done: Any) -> None:
        if any(isinstance(outcome, Conflicted) for _, outcome in self._zones.sent):
            self._line.probes.hit.add(probes.VERB_CONFLICT)
        if getattr(done, "change_id", None) == "unknown":
            self._line.probes.hit.add(probes.VERB_LOST)
        if verb in probes.VERBS_DONE and (verb == "republish" or self._zones.sent):
            self._line.probes.hit.add(probes.VERBS_DONE[verb])

    def _judge(self, verb: str, given: Sequence[str]) -> None:
        for batch, outcome in self._zones.sent:
            theirs = [swap.name for swap in batch.swaps if swap.fence_before and not _is_ours(swap.fence_before, given)]
            if theirs and not isinstance(outcome, Stopped):
                raise Broken(f"{NOT_OURS}: {verb} was sent for {theirs[0]}, which is another fleet's")
        if verb not in LIFTS:
            return
        lifted = {
            batch.switch.before if verb == "start" and batch.switch else batch.swaps[0].fence_before
            for batch, outcome in self._zones.sent
            if not isinstance(outcome, Stopped)
        }
        if len(lifted) > 1:
            raise Broken(f"{LIFTS[verb]}: one {verb} lifted what was set before it and what was set after it")

    def _said(self) -> Table | None:
        """Return what the table says, as `table_word` of the command line does."""
        try:
            return Table(self._table.head(), self._table.floor())
        except OutsideError:
            return None

    def _plans(self) -> Library:
        return Library(self._table, None, self._mirror)

    def _allow(self, label: str, guard: str, generation: str) -> Any:
        if label != "*":
            return self._at.allow(self._place(label), guard, int(generation), LASTS_SECONDS)
        until = self._line.aws_now() + timedelta(seconds=LASTS_SECONDS)
        wanted = PlanAllow(guard=guard, generation=int(generation), until=until, reason="", by=self._name)
        return self._table.allow(wanted)

    def _adopt(self, label: str, from_fleet: str | None = None) -> Any:
        self._at.adopt_preview(self._place(label), from_fleet)
        snapshot(self._wheel, self._hosted)  # the zone is written down before the first adopt
        return self._at.adopt(self._place(label), from_fleet)

    def _adopt_all(self, from_fleet: str | None = None) -> Any:
        """Adopt every name that the newest plan lists and that stands there without a fence, or with one of a fleet that is told."""
        plan, found = newest(self._plans().look(), "adopt --all"), []
        fences = self._zones.fences(self._hosted, FLEET).fences
        standing = {record.name for record in self._zones.listing(self._hosted) if record.type in MANAGED_TYPES}
        for name in sorted(plan.zone(self._hosted)):
            fleet = getattr(fences[name].fence, "fleet", None) if name in fences else None
            if name in standing and (name not in fences or (from_fleet is not None and fleet == from_fleet)):
                with suppress(NotDone):  # it is left out
                    self._at.adopt_preview(Place(self._hosted, name), from_fleet)
                    found.append(Place(self._hosted, name))
        if not found:
            raise NotDone("nothing is left to adopt")
        snapshot(self._wheel, self._hosted)
        return [self._at.adopt(one, from_fleet) for one in found][-1]

    def _retire(self, label: str, record_type: ManagedType | None = None) -> Any:
        at, plans = self._place(label), self._plans()

        def judge(memory: ZoneMemory) -> None:
            parting.may_go(plans, plans.look(), memory.switch, at, record_type, without_plan=False)
            parting.not_pointed_to(plans, memory, at, record_type, without_plan=False)

        shelf = plans.look()
        plan = parting.may_go(
            plans, shelf, self._zones.switch(self._hosted, FLEET), at, record_type, without_plan=False
        )
        self._at.retire_preview(at, record_type)
        return self._at.retire(at, record_type, plan.stored.generation if plan else 0, judge)

    def _disown(self, label: str) -> Any:
        at, plans = self._place(label), self._plans()
        parting.not_listed(plans.look(), at, None, without_plan=True)
        parting.not_open(plans, self._zones.switch(self._hosted, FLEET), at, None, without_plan=True)
        self._at.disown_preview(at)
        return self._at.disown(at)

    def _heal(self, label: str, file: str = "") -> Any:
        remedy = self._remedy(self._place(label), file)
        self._at.heal_preview(self._place(label), remedy)
        return self._at.heal(self._place(label), remedy)

    def _remedy(self, at: Place, file: str) -> Remedy:
        if file:
            return remedy_of_file(self._files[file].endpoints, at, file)
        return remedy_of(newest(self._plans().look(), "heal"), at)

    def _deinit(self) -> Any:
        hand = Leaver(self._wheel)
        hand.preview(self._hosted)
        return hand.deinit(self._hosted)

    def _republish(self, generation: str) -> Any:
        return publish(
            self._table,
            read_stored(self._table, int(generation)).plan,
            Wish(stays=f"generation {generation} again", looks_back=True),
            LimitsTable(),
            signature=Signature(self._name, "", WRITTEN_AT.isoformat()),
            clock=self._line,
            chance=self._line,
            source=int(generation),
        )


def _is_ours(fence: RecordSet, told: Sequence[str]) -> bool:
    """Tell whether a fence is no other fleet's than one that a person has told."""
    fleets = [word.removeprefix("fleet=") for word in fence.values[0].split(" ") if word.startswith("fleet=")]
    return not fleets or fleets[0].strip('"') in {FLEET, *told}

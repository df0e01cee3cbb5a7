"""Take a whole zone out of a fleet's hands, and write down what stands in it. No record set of an endpoint is touched."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from enactor import wire
from enactor.batch import Batch, Change, SwitchChange
from enactor.fence import Fence, Switch, instant_text
from enactor.insist import NotDone
from enactor.observe import FenceRange
from enactor.records import RecordSet
from enactor.wheel import Done, Wheel

FENCES_A_CALL: Final = 200
"""One DELETE each; small enough that a conflict at one of them costs little."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What stood in a zone: every record set as Route 53 lists it, to be restored by hand."""

    zone: str
    name: str
    taken_at: str
    """The Date of AWS's answer, RFC 3339 in UTC."""
    resource_record_sets: tuple[dict[str, Any], ...] = msgspec.field(name="ResourceRecordSets")
    """As `aws route53 list-resource-record-sets` prints them, so that its readers and writers read it."""


def snapshot(wheel: Wheel, zone: str) -> Snapshot:
    """Read every record set of a zone; a page that fails fails the whole."""
    listing = wheel.zones.listing(zone)
    seen = wheel.zones.aws_now()
    return Snapshot(
        zone=zone,
        name=wheel.zones.zone_name(zone),
        taken_at=instant_text(seen) if seen else "",
        resource_record_sets=tuple(wire.record_to_wire(record) for record in listing),
    )


class Leaver:
    """A person who takes a zone out of the fleet."""

    def __init__(self, wheel: Wheel) -> None:
        self._wheel = wheel

    def preview(self, zone: str) -> tuple[str, ...]:
        """Return what `deinit` will do, a line each; raise NotDone while an enactor may still write there."""
        found = self._stopped(zone)
        fences = self._own(found)
        others = len(found.fences) - len(fences)
        switch = found.switch.record
        lines = [
            f"zone {zone} ({found.zone_name}): {len(fences)} fences of fleet {self._wheel.fleet} are deleted"
            + (f", then its switch {switch.name}" if switch else "")
            + "; the endpoints' record sets stay as they are, and nobody minds them",
        ]
        if others:
            lines.append(f"{others} fences of other fleets, or that cannot be read, stay")
        return tuple(lines)

    def deinit(self, zone: str) -> Done:
        """Delete the fences, then the switch: as long as a fence stands the stop does too, and each call asserts it.

        The switch goes on a reading that shows no fence. A name that is adopted between that and the call is seen afterwards, and said:
        without a switch there is nothing that a call which takes its fence away could rest on.
        """
        count = len(self._own(self._stopped(zone)))
        change: str | None = None

        def next_call() -> Batch | None:
            found = self._stopped(zone)
            switch = [found.switch.record] if found.switch.record else []
            return self._deleting(zone, found, self._own(found)[:FENCES_A_CALL] or switch)

        while (
            done := self._wheel.insist(next_call, what=f"deleting the fences and the switch of zone {zone}")
        ) is not None:
            change = done  # ends: each pass deletes fences, and where the switch stops nobody writes new ones
        sentence = f"zone {zone} is out of fleet {self._wheel.fleet}'s hands; {count} fences were deleted"
        return Done(
            f"{sentence}; take it out of the zones and the fleet file too, or `enactor init` brings all back", change
        )

    def _deleting(self, zone: str, found: FenceRange, records: Sequence[RecordSet]) -> Batch | None:
        if not records:
            return None
        extra = tuple(Change("DELETE", record) for record in records)
        switch = found.switch.record
        asserted = SwitchChange(switch, switch) if switch is not None and switch not in records else None
        return self._wheel.batch(zone, found.zone_name, switch=asserted, extra=extra)

    def _stopped(self, zone: str) -> FenceRange:
        """Return the fences of a zone whose switch stops it for good, or which has neither switch nor fence of the fleet."""
        found = self._wheel.zones.fences(zone, self._wheel.fleet)
        switch = found.switch.switch
        if isinstance(switch, Switch) and (switch.mode == "run" or switch.until is not None):
            raise NotDone(f"zone {zone} is not stopped for good: `enactor stop --zone {zone}` first")
        if found.switch.record is None and (fences := self._own(found)):
            raise NotDone(
                f"zone {zone} has no switch, and fences of fleet {self._wheel.fleet} stand there ({len(fences)} in all, the first is "
                f"{fences[0].name}): no call that takes them away could rest on the stop. Bring the switch back with "
                f"`enactor start --zone {zone}`, then `enactor stop --zone {zone}`, then deinit"
            )
        return found

    def _own(self, found: FenceRange) -> list[RecordSet]:
        return [
            reading.record
            for _, reading in sorted(found.fences.items())
            if isinstance(reading.fence, Fence) and reading.fence.fleet == self._wheel.fleet
        ]

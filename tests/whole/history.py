"""What a zone went through: its states, played again from the batches that were applied to it."""

from enactor.sandbox import zone_model
from enactor.sandbox.ledger import BatchRecord
from enactor.sandbox.server import Sandbox
from enactor.sandbox.zone_model import Zone

Names = tuple[str, ...]
API = "api.example.test."


class Watch:
    """A zone from one moment on: each state that it went through, played from the batches that were applied since."""

    def __init__(self, sandbox: Sandbox, zone: str) -> None:
        self._sandbox = sandbox
        self._zone = zone
        self._start = sandbox.zone(zone)
        self._seen = len(sandbox.batches(zone))

    @property
    def batches(self) -> tuple[BatchRecord, ...]:
        """Every batch that was sent since, in the order of evaluation, refused ones too."""
        return self._sandbox.batches(self._zone)[self._seen :]

    @property
    def applied(self) -> tuple[BatchRecord, ...]:
        return tuple(batch for batch in self.batches if batch.applied)

    def states(self, name: str = API) -> list[Names]:
        """Return what the name answered at first, and after each applied batch; the last must be what stands now."""
        zone, found = self._start, [answers(self._start, name)]
        for batch in self.applied:
            result = zone_model.apply(zone, batch.changes)
            assert isinstance(result, Zone), "what was applied applies again"
            zone = result
            found.append(answers(zone, name))
        assert zone.sets() == self._sandbox.zone(self._zone).sets(), "nothing but these batches changed the zone"
        return found

    def touching(self, name: str) -> list[BatchRecord]:
        return [batch for batch in self.applied if name in touched(batch)]


def touched(batch: BatchRecord) -> list[str]:
    """Return the record names of a batch's changes, in order."""
    return [str(change["ResourceRecordSet"]["Name"]) for change in batch.changes]


def answers(zone: Zone, name: str) -> Names:
    """Return what a name answers: `A 192.0.2.1 10`, one line for each value, with the weight where there is one."""
    return tuple(
        sorted(
            " ".join(str(part) for part in (found["Type"], value, found.get("Weight")) if part is not None)
            for found in zone.sets(name)
            for value in [record["Value"] for record in found.get("ResourceRecords", [])]
            or [found["AliasTarget"]["DNSName"]]
        )
    )


def lines(*numbers: int, weight: int = 10) -> Names:
    """Return what `answers` says of an endpoint with these targets."""
    return tuple(sorted(f"A 192.0.2.{number} {weight}" for number in numbers))

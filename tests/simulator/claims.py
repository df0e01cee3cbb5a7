"""Hold what an enactor says of a batch whose answer was lost against what it has read since."""

from collections.abc import Iterable
from typing import Final

from enactor.batch import Batch, fence_set
from enactor.hooks import BatchEnded
from enactor.outcome import Outcome, Unknown
from enactor.records import RecordSet

UNKNOWN: Final = "unknown is an outcome"
"""Only a clear "not applied" is taken for one, and each answer for what it says (DESIGN, section 3)."""


class Claims:
    """What one enactor has read since the last batch that it has no answer to, and what it said of that batch without grounds.

    A text that stood before the batch too shows nothing: it may be what the batch was decided on.
    """

    def __init__(self) -> None:
        self.groundless: list[str] = []
        self._batch: Batch | None = None
        self._read: set[RecordSet] = set()

    def answered(self, batch: Batch, outcome: Outcome) -> None:
        """Hear of a batch that was sent, and of its answer or that there is none."""
        self._batch = batch if isinstance(outcome, Unknown) else None
        self._read.clear()

    def shown(self, records: Iterable[RecordSet]) -> None:
        """Hear of what a read has shown."""
        self._read.update(records)

    def said(self, event: BatchEnded) -> None:
        """Hear of what is said of a batch: one that was lost is said to be applied only where something shows it."""
        batch, self._batch = self._batch, None
        if batch is not None and event.outcome == "applied" and not _written_by(batch) & self._read:
            names = ", ".join(event.names) or "the switch alone"
            self.groundless.append(f"{UNKNOWN}: a lost batch of {names} is said to be applied, and no read shows it")


def _written_by(batch: Batch) -> set[RecordSet]:
    """Return the texts that only this batch can have written."""
    fences = {fence_set(swap.fence_after, swap.name, batch.zone_name): swap.fence_before for swap in batch.swaps}
    switch = {batch.switch.after: batch.switch.before} if batch.switch is not None else {}
    return {after for after, before in {**fences, **switch}.items() if after != before}

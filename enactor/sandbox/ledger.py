"""Remember what was asked of the sandbox and how it ended, so that tests can count calls. Decides nothing.

Bounded: the oldest batches are forgotten.
"""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

BATCH_LOG_MAX = 5_000
OK = "ok"
APPLIED = "applied"


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One ChangeResourceRecordSets; `outcome` is `applied` or why the zone was not changed."""

    number: int
    zone: str
    outcome: str
    comment: str
    changes: tuple[dict[str, Any], ...]

    @property
    def applied(self) -> bool:
        return self.outcome == APPLIED


class Ledger:
    """Count calls by service, operation and outcome, and keep the last batches in order."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, str, str]] = Counter()
        self._batches: deque[BatchRecord] = deque(maxlen=BATCH_LOG_MAX)
        self._batch_number = 0

    def count(self, service: str, operation: str, outcome: str) -> None:
        self._calls[service, operation, outcome] += 1

    def record(self, zone: str, changes: Sequence[dict[str, Any]], comment: str, outcome: str) -> None:
        self._batch_number += 1
        self._batches.append(BatchRecord(self._batch_number, zone, outcome, comment, tuple(changes)))

    def calls(self, operation: str | None = None, outcome: str | None = None, service: str | None = None) -> int:
        """Return how many calls matched; what is left out matches everything."""
        return sum(
            count
            for (of_service, of_operation, of_outcome), count in self._calls.items()
            if operation in (None, of_operation) and outcome in (None, of_outcome) and service in (None, of_service)
        )

    def batches(self, zone: str | None = None) -> tuple[BatchRecord, ...]:
        return tuple(batch for batch in self._batches if zone in (None, batch.zone))

    def reset(self) -> None:
        self._calls.clear()
        self._batches.clear()

    def stats(self) -> dict[str, Any]:
        """Return everything as plain JSON values."""
        calls: dict[str, dict[str, dict[str, int]]] = {}
        for (service, operation, outcome), count in sorted(self._calls.items()):
            calls.setdefault(service, {}).setdefault(operation, {})[outcome] = count
        return {"calls": calls, "batches": [asdict(batch) for batch in self._batches]}

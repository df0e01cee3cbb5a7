"""The closed set of answers to a compare-and-swap, and the port that gives them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from enactor.batch import Batch
from enactor.gate import GateRefusal
from enactor.observe import FenceRange, SwitchReading
from enactor.records import RecordSet


class Applied(msgspec.Struct, frozen=True):
    """Route 53 took the batch whole."""

    change_id: str


class Conflicted(msgspec.Struct, frozen=True):
    """Something was not as observed; nothing changed. The record names that Route 53 gave as the reason."""

    names: tuple[str, ...]
    messages: tuple[str, ...]


class Rejected(msgspec.Struct, frozen=True):
    """Route 53 will not have what was asked; nothing changed. The messages, and those that name a record, by its name."""

    messages: tuple[str, ...]
    by_name: tuple[tuple[str, str], ...]


class ZoneBusy(msgspec.Struct, frozen=True):
    """The zone works on an earlier change; not applied."""


class OverBudget(msgspec.Struct, frozen=True):
    """The account's budget is spent; not applied."""

    is_over: bool = False
    """It was waited for the tokens, for so long that the decision is too old to be sent: they are there for the next one."""


class Unknown(msgspec.Struct, frozen=True):
    """No answer: the batch may have landed, or may land later. Read the fence, never assume."""

    why: str
    is_unread: bool = False
    """The fence could not be read either."""


class Stopped(msgspec.Struct, frozen=True):
    """The last gate refused the batch; it was not sent."""

    reasons: tuple[GateRefusal, ...]


class Impossible(msgspec.Struct, frozen=True):
    """The zone is gone, or we may not write to it; nothing changed."""

    why: str


Outcome = Applied | Conflicted | Rejected | ZoneBusy | OverBudget | Unknown | Stopped | Impossible


class ZonePort(Protocol):
    """A hosted zone, by id. Every verb raises an `OutsideError` of `ports` where it has no answer."""

    def zone_name(self, zone: str) -> str:
        """Return the zone's canonical name."""
        ...

    def switch(self, zone: str, fleet: str) -> SwitchReading:
        """Read the switch alone."""
        ...

    def fences(self, zone: str, fleet: str) -> FenceRange:
        """Read the whole fence range, switch included."""
        ...

    def listing(self, zone: str) -> Sequence[RecordSet]:
        """Read every record set of the zone; a failed page fails the whole read."""
        ...

    def at(self, zone: str, names: Sequence[str]) -> Sequence[RecordSet]:
        """Read every record set that stands at these names."""
        ...

    def compare_and_swap(self, batch: Batch) -> Outcome:
        """Send one batch, once, through the last gate."""
        ...

    def aws_now(self) -> datetime | None:
        """Return the Date of AWS's last answer, None before the first."""
        ...

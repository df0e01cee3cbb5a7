"""What every verb of a person works with; the verbs themselves are in `verbs`, `endpoint_verbs` and `leaving`."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

import msgspec

from enactor.batch import COMMENT_LIMIT_CHARACTERS, Batch, Change, SwitchChange
from enactor.fence import has_passed
from enactor.insist import NotDone, insist
from enactor.marks import Hand
from enactor.outcome import ZonePort
from enactor.ports import Chance, Clock
from enactor.swap import Swap


class Done(msgspec.Struct, frozen=True):
    """What a verb did, in one sentence; `change_id` is None where nothing had to be done."""

    sentence: str
    change_id: str | None
    details: tuple[str, ...] = ()


class Wheel:
    """What every verb of a person works with: whose it is, the doors it goes through, and the Comment it leaves."""

    def __init__(
        self, *, fleet: str, enactor: str, zones: ZonePort, clock: Clock, chance: Chance, comment: str
    ) -> None:
        self.fleet = fleet
        self.enactor = enactor
        self.zones = zones
        self.clock = clock
        self.chance = chance
        self._comment = comment

    def insist(self, decide: Callable[[], Batch | None], *, what: str) -> str | None:
        """Send what `decide` wants until it wants nothing more; return the last change's id, None where nothing was to do."""
        return insist(self.zones, self.clock, self.chance, decide, what=what)

    def hand(self) -> Hand:
        """Return who writes, with a fresh nonce."""
        return Hand(fleet=self.fleet, by=self.enactor, nonce=self.chance.nonce())

    def in_future(self, seconds: float | None) -> datetime | None:
        """Return the instant so many seconds after AWS's last answer, in whole seconds; None for good."""
        if seconds is None:
            return None
        now = self.zones.aws_now()
        if now is None:
            raise NotDone(
                "Route 53 did not tell its time, and no end is set by another clock: try again, or leave the end out"
            )
        return (now + timedelta(seconds=seconds)).replace(microsecond=0)

    def batch(
        self,
        zone: str,
        zone_name: str,
        *,
        switch: SwitchChange | None = None,
        swaps: Sequence[Swap] = (),
        extra: Sequence[Change] = (),
        retires: str = "",
        pointed: Iterable[tuple[str, str]] = (),
        generation: int = 0,
    ) -> Batch:
        """Return a verb's batch: it rests on what it changes, and leaves the switch out unless it is about the switch."""
        return Batch(
            zone=zone,
            zone_name=zone_name,
            origin="verb",
            switch=switch,
            swaps=tuple(swaps),
            comment=self._comment.format(generation=generation)[:COMMENT_LIMIT_CHARACTERS],
            pointed=frozenset(pointed),
            retires=retires,
            extra=tuple(extra),
        )


class Ending:
    """When a brake ends that is set for a time: reckoned by AWS's clock at each try, which may come long after the first."""

    def __init__(self, wheel: Wheel, seconds: float | None) -> None:
        self._wheel = wheel
        self._seconds = seconds
        self._tried: set[datetime] = set()
        self.end: datetime | None = None
        """What the last `reckon` returned; None for good."""

    def reckon(self, stands: datetime | None) -> datetime | None:
        """Return the end that is wanted at this try, None for good, beside a brake that stands until some instant.

        An end of an earlier try is this verb's own, whose answer was lost: it stays what is wanted while it lasts, or the verb would
        write for ever.
        """
        if stands in self._tried and not has_passed(stands, self._wheel.zones.aws_now()):
            self.end = stands
        else:
            self.end = self._wheel.in_future(self._seconds)
        if self.end is not None:
            self._tried.add(self.end)
        return self.end

"""See when what was written has arrived: ask for a change now and then, until Route 53 says that all its servers have it.

For a histogram alone, so it asks little: for one change in each zone, once between two cycles, and never where it was denied.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from enactor.hooks import BatchEnded, Event
from enactor.insync import LOST, Asked
from enactor.ports import Busy, Clock, Denied, Missing, Throttled, Unavailable

GIVEN_UP_SECONDS: Final = 900.0
"""A change that has not arrived by then is not measured: the alert on what DNS answers is the one for it."""


class OnItsWay(msgspec.Struct, frozen=True):
    """A change that was applied, of which nobody knows yet whether it has arrived."""

    id: str
    generation: int
    since: float


class Arrivals:
    """A hook that keeps one applied change for each zone, and asks for it when told to."""

    def __init__(self, zones: Asked, clock: Clock, arrived: Callable[[int, float], None]) -> None:
        self._zones = zones
        self._clock = clock
        self._arrived = arrived
        """Is told the generation of a change that has arrived, and how long it took in seconds."""
        self._waiting: dict[str, OnItsWay] = {}
        self._is_denied = False

    def __call__(self, event: Event) -> None:
        """Keep the first change of a zone that is applied while none is waited for there."""
        if not isinstance(event, BatchEnded) or event.outcome != "applied" or self._is_denied:
            return
        if event.change_id not in {None, LOST} and event.zone not in self._waiting:
            self._waiting[event.zone] = OnItsWay(str(event.change_id), event.generation, self._clock.now())

    def ask(self) -> None:
        """Ask for each zone's change once; Route 53 denying it once is enough, and a busy one is asked again later."""
        for zone, change in tuple(self._waiting.items()):
            try:
                has_arrived = self._zones.is_insync(zone, change.id)
            except Denied:
                self._is_denied, self._waiting = True, {}
                raise
            except Missing:
                del self._waiting[zone]  # changes are kept for a while, and zones go
                continue
            except (Unavailable, Throttled, Busy):
                has_arrived = False
            seconds = self._clock.now() - change.since
            if has_arrived:
                self._arrived(change.generation, seconds)
            if has_arrived or seconds > GIVEN_UP_SECONDS:
                del self._waiting[zone]

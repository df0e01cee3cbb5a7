"""Wait until Route 53's servers answer with what was written: every change of a cycle asked for until it is INSYNC, or time is up.

It decides nothing. A change is asked for through the account's budget, a few at a time and with a pause between rounds, so that
waiting costs an account little; what is left at the end is named.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec

from enactor.hooks import BatchEnded, Event, Hook
from enactor.ports import Busy, Clock, Throttled, Unavailable

ASKED_AT_ONCE_MAX: Final = 5
PAUSE_SECONDS: Final = 2.0
"""Changes take some ten seconds; five questions in two seconds leave most of the smallest account's five requests a second."""
LOST: Final = "unknown"
"""The id of a batch whose answer was lost, and that was found applied by reading."""
NAMED_MAX: Final = 5


class Change(msgspec.Struct, frozen=True):
    """One change that was applied in a zone."""

    zone: str
    id: str


class Asked(Protocol):
    """Who says whether a change is INSYNC."""

    def is_insync(self, zone: str, change_id: str) -> bool:
        """Tell whether every authoritative server answers with a change by now."""
        ...


class Changes:
    """A hook that keeps what a cycle applied, and hands everything on."""

    def __init__(self, onward: Hook) -> None:
        self._onward = onward
        self._seen: dict[Change, None] = {}

    def __call__(self, event: Event) -> None:
        self._onward(event)
        if isinstance(event, BatchEnded) and event.outcome == "applied":
            self._seen[Change(event.zone, event.change_id or LOST)] = None

    @property
    def seen(self) -> tuple[Change, ...]:
        """Return the changes in the order they were applied."""
        return tuple(self._seen)


class Waited(msgspec.Struct, frozen=True):
    """What waiting came to: the changes that are not known to be INSYNC, and for how long it was waited."""

    left: tuple[Change, ...]
    seconds: float
    why: str = ""
    """Why the last question had no answer, where it had none."""


def wait_insync(
    zones: Asked, changes: Sequence[Change], clock: Clock, *, seconds: float, tell: Callable[[int, float], None]
) -> Waited:
    """Ask until every change is INSYNC or the time is up; `tell` hears how many are left, and the seconds gone.

    A change whose answer was lost has no id to ask for, and stays left. Raises what is wrong for good: a denied question.
    """
    began = clock.now()
    lost = tuple(one for one in changes if one.id == LOST)
    waiting = [one for one in changes if one.id != LOST]
    why = ""
    while waiting:  # ends: by the time, or with nothing left to ask for
        for one in waiting[:ASKED_AT_ONCE_MAX]:
            try:
                if zones.is_insync(one.zone, one.id):
                    waiting.remove(one)
            except (Unavailable, Throttled, Busy) as error:
                why = str(error)
                break
        gone = clock.now() - began
        tell(len(waiting), gone)
        if gone + PAUSE_SECONDS > seconds:
            break
        if waiting:
            waiting.append(waiting.pop(0))  # one that takes long keeps nobody else from being asked for
            clock.sleep(PAUSE_SECONDS)
    return Waited((*waiting, *lost), clock.now() - began, why if waiting else "")


def sentence(waited: Waited, changes: int) -> str:
    """Say what waiting came to."""
    spent = f"{waited.seconds:.0f} s"
    if not changes:
        return "nothing was changed, so there is nothing to wait for"
    if not waited.left:
        return f"all changes ({changes}) are INSYNC after {spent}"
    named = ", ".join(f"{one.id} in zone {one.zone}" for one in waited.left[:NAMED_MAX])
    more = f" and {len(waited.left) - NAMED_MAX} more" if len(waited.left) > NAMED_MAX else ""
    ask = next(
        (f"; ask again with `aws route53 get-change --id {one.id}`" for one in waited.left if one.id != LOST), ""
    )
    lost = (
        "; a batch whose answer was lost has no change id to ask for: it is applied, and seconds from everywhere"
        if any(one.id == LOST for one in waited.left)
        else ""
    )
    why = f"; the last question failed: {waited.why}" if waited.why else ""
    return f"{len(waited.left)} of {changes} changes are not known to be INSYNC after {spent}: {named}{more}{ask}{lost}{why}"

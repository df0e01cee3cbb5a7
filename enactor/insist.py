"""Carry out one decision of a person: read, decide, send, look; until it holds, or nothing can make it hold.

The loop of the operator's verbs. Each pass decides anew on what it just read, so nothing is ever sent twice; a lost answer is
resolved by the next pass's read, which finds the verb done or not.
"""

from collections.abc import Callable
from typing import Final

from enactor.batch import Batch
from enactor.outcome import (
    Applied,
    Conflicted,
    Impossible,
    OverBudget,
    Rejected,
    Stopped,
    Unknown,
    ZoneBusy,
    ZonePort,
)
from enactor.ports import Chance, Clock, OutsideError

TRIES_MAX: Final = 12
WAIT_FIRST_SECONDS: Final = 0.2
WAIT_MAX_SECONDS: Final = 5.0


class NotDone(OutsideError):  # noqa: N818 - one of the family
    """The verb was not carried out; nothing of it stands, unless the message says that is unknown."""


class KeptBack(NotDone):
    """The verb was kept back by the last gate, or because the endpoint is foreign or its fence garbled: exit status 3."""


def insist(
    zones: ZonePort, clock: Clock, chance: Chance, decide: Callable[[], Batch | None], *, what: str
) -> str | None:
    """Send what `decide` wants until it wants nothing more; return the last change's id, None where nothing was to do."""
    change_id: str | None = None
    why = ""
    for attempt in range(TRIES_MAX):
        if attempt:
            longest = min(WAIT_MAX_SECONDS, WAIT_FIRST_SECONDS * 2.0 ** (attempt - 1))
            clock.sleep(chance.uniform(longest / 2, longest))
        batch = decide()
        if batch is None:
            return change_id
        match zones.compare_and_swap(batch):
            case Applied(found):
                return found
            case Conflicted(messages=messages):
                why = f"somebody else wrote there at the same time ({'; '.join(messages)})"
            case ZoneBusy():
                why = "the zone is busy with an earlier change"
            case OverBudget():
                why = "Route 53 throttles this account"
            case Unknown(reason):
                change_id, why = "unknown", f"the answer was lost ({reason})"
            case Rejected(messages=messages):
                raise NotDone(f"{what} was rejected by Route 53: {'; '.join(messages)}")
            case Stopped(reasons):
                raise KeptBack(f"{what} was refused by the last gate: {'; '.join(reason.why for reason in reasons)}")
            case Impossible(reason):
                raise NotDone(f"{what} cannot be done: {reason}")
    raise NotDone(f"{what} was not done after {TRIES_MAX} tries: {why}; look at the zone, then try again")

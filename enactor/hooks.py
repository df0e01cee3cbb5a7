"""What the core tells whoever listens: frozen values, handed to one callable. The core knows no metrics library and no log."""

from collections.abc import Callable
from typing import Any, Literal, TypeVar

import msgspec

from enactor.ports import Stopping


class CallEnded(msgspec.Struct, frozen=True, kw_only=True):
    """One request to Route 53 was answered, or was not. `creates` and `deletes` count what a batch held, whatever came of it."""

    operation: str
    zone: str
    outcome: str
    seconds: float
    creates: int = 0
    deletes: int = 0


class EndpointRefused(msgspec.Struct, frozen=True, kw_only=True):
    """A guard kept a plan's content away from an endpoint."""

    zone: str
    name: str
    guard: str
    message: str


class PlanRefused(msgspec.Struct, frozen=True, kw_only=True):
    """A plan-wide guard kept a whole plan out."""

    generation: int
    guard: str
    message: str


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What an applied batch put at one endpoint, and why: `cause` is the state that it was found in."""

    name: str
    generation: int
    plan: str
    """First 12 hex digits of the digest of the endpoint's content."""
    nonce: str
    cause: str
    purpose: str


class BatchEnded(msgspec.Struct, frozen=True, kw_only=True):
    """A batch had its outcome, after a lost answer was resolved by reading."""

    zone: str
    outcome: str
    generation: int
    change_id: str | None
    names: tuple[str, ...]
    opened: bool
    detail: str = ""
    nonce: str = ""
    """Of the decision: it stands in every fence that the batch wrote; empty where it only opens a generation."""
    written: tuple[Written, ...] = ()
    """What stands at each of the names now; empty unless the batch was applied."""


class CycleEnded(msgspec.Struct, frozen=True, kw_only=True):
    """One cycle ended, in exactly one outcome."""

    outcome: str
    generation: int
    source: str
    seconds: float
    states: dict[str, int]
    reads: int
    writes: int
    changes: int
    not_answering: int = 0
    """How many endpoints should answer and do not."""
    why: tuple[str, ...] = ()
    """What failed beside the endpoints, in sentences, as long as it lasts: whoever reads only the last lines must see it."""


class VerbEnded(msgspec.Struct, frozen=True, kw_only=True):
    """A person's verb had its outcome: in one zone, at one endpoint (`name`), or in the plan table (`zone` is None)."""

    verb: str
    fleet: str
    outcome: Literal["changed", "unchanged", "refused", "failed"]
    reason: str
    detail: str
    zone: str | None = None
    name: str | None = None
    generation: int | None = None
    change_id: str | None = None


class Noticed(msgspec.Struct, frozen=True, kw_only=True):
    """Something a person may want to know: a word for the event, and its facts."""

    event: str
    facts: dict[str, Any]


Event = CallEnded | EndpointRefused | PlanRefused | BatchEnded | CycleEnded | VerbEnded | Noticed
Hook = Callable[[Event], None]
Told = TypeVar("Told")
"""What a listener is told: an enactor's events, or a planner's."""


def ignore(_event: Event) -> None:
    """Listen to nothing."""


def surely(hook: Callable[[Told], None], failed: Callable[[Exception], None]) -> Callable[[Told], None]:
    """Return a hook that never fails whoever tells it something: `failed` hears of the first exception of each kind, and no more.

    What listens counts, shows and writes down. A fault in it must cost its own figures and nothing else: after a batch was applied,
    an exception would leave the rest of a cycle undone, with every cycle anew.
    """
    told: set[type[Exception]] = set()

    def tell(event: Told) -> None:
        try:
            hook(event)
        except Stopping:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the listener's
            if type(error) not in told:
                told.add(type(error))
                failed(error)

    return tell

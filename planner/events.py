"""What `planner run` tells whoever listens: frozen values, handed to one callable, and written as JSON lines by its log.

Metrics are made of the same values; the names of the events are for people, scripts and alerts to rely on.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec

LookOutcome = Literal["published", "unchanged", "gathering", "refused", "stays", "contested", "no-plan", "failed"]
LEVELS: Final = {
    "failed": "error",
    "no-plan": "warning",
    "refused": "warning",
    "stays": "warning",
    "contested": "warning",
}


class LookEnded(msgspec.Struct, frozen=True, kw_only=True):
    """One look ended, in exactly one outcome. `generation` is the newest plan's after it.

    `contested`: another planner's plan took the place of this one's, which has nothing new to say. `stays`: a person published a rollback or a plan file, and a running planner leaves that alone.
    """

    outcome: LookOutcome
    seconds: float = 0.0
    generation: int | None = None
    urgent: tuple[str, ...] = ()
    """Why it did not wait to be gathered."""
    targets: int = 0
    """How many stand in the plan that was made."""
    braked: int = 0
    """At how many endpoints the brake holds signals back."""
    carried: int = 0
    """How many endpoints the guards refused."""
    detail: str = ""


class NoPlanMade(msgspec.Struct, frozen=True, kw_only=True):
    """A source makes no plan: it failed, contradicts another one, lost most of what it offered, or can be held against nothing."""

    reason: str
    """source-failed, sources-conflict, source-shrank or past-unknown."""
    sources: tuple[str, ...]
    message: str


class FileWrong(msgspec.Struct, frozen=True, kw_only=True):
    """The fleet file cannot be read, or has faults: nothing is planned until it is mended."""

    faults: tuple[str, ...]


class BrakeHeld(msgspec.Struct, frozen=True, kw_only=True):
    """Signals wanted more of an endpoint than the brake lets them have."""

    name: str
    zone: str
    kept: tuple[str, ...]
    message: str


class BrakeReleased(msgspec.Struct, frozen=True, kw_only=True):
    """The brake no longer holds signals back at an endpoint."""

    name: str
    zone: str


class Overtaken(msgspec.Struct, frozen=True, kw_only=True):
    """Another planner published first: this one plans again on that."""

    generation: int | None


class NotInForce(msgspec.Struct, frozen=True, kw_only=True):
    """The newest plan is open nowhere, as far as enactors have announced; once for each plan."""

    generation: int
    message: str


PlannerEvent = LookEnded | NoPlanMade | FileWrong | BrakeHeld | BrakeReleased | Overtaken | NotInForce
PlannerHook = Callable[[PlannerEvent], None]
NAMES: Final[dict[type, tuple[str, str]]] = {
    NoPlanMade: ("no-plan", "warning"),
    FileWrong: ("fleet-file-wrong", "error"),
    BrakeHeld: ("brake-held", "warning"),
    BrakeReleased: ("brake-released", "info"),
    Overtaken: ("overtaken", "info"),
    NotInForce: ("not-in-force", "warning"),
}
"""What each event but the end of a look is called in the log, and how loud it is."""


class PlannerLog:
    """A hook that logs."""

    def __init__(self, log: Any) -> None:
        self._log = log

    def __call__(self, event: PlannerEvent) -> None:
        facts = msgspec.to_builtins(event)
        if isinstance(event, LookEnded):
            getattr(self._log, LEVELS.get(event.outcome, "info"))("look-ended", **facts)
        else:
            name, level = NAMES[type(event)]
            getattr(self._log, level)(name, **facts)

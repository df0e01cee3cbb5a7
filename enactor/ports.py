"""The narrow doors to everything outside: hosted zones, the plan table, time and chance; and the errors that come through them.

The core talks to these protocols in the words of the design; AWS's names stay in the adapters (`route53`, `table`).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Literal, Protocol

import msgspec

from enactor.plan import Fault, StoredPlan


class OutsideError(Exception):
    """Something outside failed; the message is one sentence that says what, where and what to do."""


class Unavailable(OutsideError):  # noqa: N818 - the family of the design, not "...Error"
    """No answer that can be relied on: the service is unreachable, timed out, or failed by itself."""


class Throttled(OutsideError):  # noqa: N818
    """The account's budget is spent; not applied."""


class Busy(OutsideError):  # noqa: N818
    """The zone works on an earlier change (PriorRequestNotComplete); not applied."""


class Missing(OutsideError):  # noqa: N818
    """The table or the hosted zone does not exist."""


class Denied(OutsideError):  # noqa: N818
    """Credentials are wrong or absent, or a permission is missing."""


class Conflict(OutsideError):  # noqa: N818
    """A conditional write of the table found something else than it was decided on."""


class Stopping(OutsideError):  # noqa: N818
    """The process was asked to stop while it waited; nothing was sent."""


class Clock(Protocol):
    """Time as it passes here: monotonic seconds, and a wait. Wall-clock decisions use AWS's Date header instead."""

    def now(self) -> float:
        """Return monotonic seconds."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait; raise Stopping when the process is asked to stop meanwhile."""
        ...


class Chance(Protocol):
    """Everything random, so that a test can make it certain."""

    def nonce(self) -> str:
        """Return 16 fresh hex digits."""
        ...

    def uniform(self, low: float, high: float) -> float:
        """Return a number between two."""
        ...


class PlanHead(msgspec.Struct, frozen=True):
    """The newest published plan's identity."""

    generation: int
    digest: str


class DamagedPlan(msgspec.Struct, frozen=True):
    """A plan that is listed but cannot be used: a chunk is gone, the digest differs, or the form is unknown."""

    generation: int
    why: str


class PlanEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A plan's manifest, as `list` and collect see it."""

    generation: int
    digest: str
    parent: int
    created_at: str
    planner: str
    reason: str
    zones: tuple[str, ...]
    """Every zone id that the plan names, retired names included."""
    endpoints: int
    upload: str
    stays: str | None = None
    """What a person published that planners leave alone until a person publishes a fleet file; None where they go on."""
    condemned: str | None = None
    """The token of the collector that condemned it, None while it is in force."""


Presence = Literal["works", "by-hand", "ended"]
"""What announced itself: a worker that goes on, one cycle that a person ran by hand (`enactor once`), or a worker that was asked to end."""


class Announcement(msgspec.Struct, frozen=True):
    """An enactor's word about itself, for status and pacing only: no safety rests on it."""

    id: str
    nonce: str
    generation: int
    seen: str
    """RFC 3339 in UTC."""
    limits: str = ""
    """First 12 hex digits of the digest of its guards' limits; empty where an older version does not say."""
    presence: Presence = "works"


class PlanAllow(msgspec.Struct, frozen=True, kw_only=True):
    """A person's permission to pass one plan-wide guard, for one generation, until an instant."""

    guard: str
    generation: int
    until: Annotated[datetime, msgspec.Meta(tz=True)]
    reason: str
    by: str


class PlanStore(Protocol):
    """Where an enactor finds plans."""

    def head(self) -> PlanHead | None:
        """Return the newest plan's identity, None where nothing was ever published."""
        ...

    def floor(self) -> int:
        """Return the generation at or below which no new plan may be numbered (0 where unknown)."""
        ...

    def read(self, generation: int) -> StoredPlan | DamagedPlan | None:
        """Return the plan of a generation with its digest verified, what is wrong with it, or None."""
        ...

    def list(self) -> Sequence[PlanEntry]:
        """Return the manifests of all plans, newest first, condemned ones included."""
        ...

    def allows(self, generation: int) -> Sequence[PlanAllow]:
        """Return what people allowed for a whole plan, expired or not."""
        ...

    def announce(self, announcement: Announcement) -> None:
        """Say that an enactor is alive; best effort."""
        ...

    def announcements(self) -> Sequence[Announcement]:
        """Return what enactors said lately."""
        ...

    def raise_floor(self, generation: int) -> None:
        """Make sure that no later plan is numbered at or below a generation met in a switch."""
        ...


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A plan that is to be published: its canonical body, and what the manifest says about it."""

    body: bytes
    zones: tuple[str, ...]
    """Every zone id that the plan names, retired names included."""
    endpoints: int
    planner: str
    reason: str
    created_at: str
    """RFC 3339 in UTC, by the planner's clock."""
    stays: str | None = None


class PublishStore(Protocol):
    """Where a planner puts plans, and keeps them from being collected."""

    def head(self) -> PlanHead | None:
        """Return the newest plan's identity, None where nothing was ever published."""
        ...

    def floor(self) -> int:
        """Return the generation at or below which no new plan may be numbered (0 where unknown)."""
        ...

    def publish(self, draft: Draft, *, parent: PlanHead | None, source: int | None = None) -> PlanEntry:
        """Store a plan as the next generation if HEAD still is the parent, and the source of a republish is not condemned."""
        ...

    def pin(self, generation: int, *, reason: str, by: str, created_at: str) -> None:
        """Keep a plan from being collected until it is unpinned."""
        ...

    def unpin(self, generation: int) -> None:
        """Take the pin away; fine where there is none."""
        ...

    def pins(self) -> frozenset[int]:
        """Return the generations that somebody pinned."""
        ...

    def allows(self, generation: int) -> Sequence[PlanAllow]:
        """Return what people allowed for a whole plan, expired or not."""
        ...


class Upload(msgspec.Struct, frozen=True):
    """Chunks that no manifest names: a publish under way or given up, or a deleted plan's remains."""

    id: str
    created_at: str
    condemned: str | None = None
    """The token of the collector that condemned it: its publisher cannot commit any more."""


Condemning = Literal["condemned", "head", "pinned", "changed"]
"""What came of condemning a plan: done; refused by HEAD or a pin; or it is gone or in another collector's hands by now."""


class CollectStore(Protocol):
    """What collect needs of the plan table. Each write is conditional on what the caller has seen."""

    def head(self) -> PlanHead | None:
        """Return the newest plan's identity, None where nothing was ever published."""
        ...

    def list(self) -> Sequence[PlanEntry]:
        """Return the manifests of all plans, newest first, condemned ones included."""
        ...

    def pins(self) -> frozenset[int]:
        """Return the generations that somebody pinned."""
        ...

    def body(self, entry: PlanEntry) -> bytes | DamagedPlan:
        """Return a plan's body with its digest verified, condemned or not."""
        ...

    def condemn(self, entry: PlanEntry, token: str) -> Condemning:
        """Put this collector's token on a plan that is neither HEAD nor pinned and whose condemnation is as seen."""
        ...

    def put_back(self, entry: PlanEntry, token: str) -> bool:
        """Lift the condemnation that bears this token; False where it bears another, or the plan is gone."""
        ...

    def delete(self, entry: PlanEntry, token: str) -> bool:
        """Delete a plan that is still condemned by this token and is not HEAD; False where it is not so, True where it is gone."""
        ...

    def uploads(self) -> Sequence[Upload]:
        """Return the uploads that no manifest names."""
        ...

    def sweep(self, upload: Upload, token: str) -> bool:
        """Condemn an upload so that it cannot be committed, then delete its chunks; False where it was committed meanwhile."""
        ...


class FormFaults(ValueError):  # noqa: N818
    """Input whose form is wrong, with every fault."""

    def __init__(self, what: str, faults: Iterable[Fault]) -> None:
        self.what = what
        self.faults = tuple(faults)
        super().__init__(f"{what}: {len(self.faults)} fault{'s' if len(self.faults) > 1 else ''}")

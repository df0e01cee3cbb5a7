"""Decide what the plan table's items are called and what they must hold; reading an item back is a validation, not a trust.

Pure. The sort keys are fixed (people look at them in the console): generations have twelve digits so that keys sort as numbers.
"""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from enactor.ports import PlanEntry

HEAD: Final = "head"
FLOOR: Final = "floor"
PLANS: Final = "plan#"
CHUNKS: Final = "chunk#"
UPLOADS: Final = "upload#"
ANNOUNCEMENTS: Final = "announce#"
PINS: Final = "pin#"
ALLOWS: Final = "allow#"
EVENTS: Final = "event#"

GENERATION_MAX: Final = 999_999_999_999
"""Twelve digits, in the keys as in the fences."""
CHUNK_DIGEST_DIGITS: Final = 16
"""Enough to say which chunk is wrong; that the body is right is proven by its whole sha256."""

Generation = Annotated[int, Meta(ge=1, le=GENERATION_MAX)]


class HeadItem(msgspec.Struct, frozen=True, kw_only=True):
    """The newest plan: its identity, and the token of the publish that moved it here."""

    generation: Generation
    digest: str
    token: str = ""


class FloorItem(msgspec.Struct, frozen=True, kw_only=True):
    """The generation at or below which no new plan may be numbered."""

    generation: Annotated[int, Meta(ge=0, le=GENERATION_MAX)]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A plan as stored: what `list` shows, and what its chunks must be."""

    generation: Generation
    digest: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    parent: Annotated[int, Meta(ge=0)]
    created_at: str
    planner: str
    reason: str
    zones: tuple[str, ...]
    endpoints: Annotated[int, Meta(ge=0)]
    upload: str
    octets: Annotated[int, Meta(ge=0)]
    """Length of the body before compression."""
    chunks: tuple[str, ...]
    """The first digits of each chunk's sha256, in order."""
    token: str = ""
    """The publish that wrote it, by which a lost answer is recognised."""
    stays: str | None = None
    condemned: str | None = None

    def entry(self) -> PlanEntry:
        """Return what the rest of the program sees of it."""
        return PlanEntry(
            generation=self.generation,
            digest=self.digest,
            parent=self.parent,
            created_at=self.created_at,
            planner=self.planner,
            reason=self.reason,
            zones=self.zones,
            endpoints=self.endpoints,
            upload=self.upload,
            stays=self.stays,
            condemned=self.condemned,
        )


class ChunkItem(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of a compressed body, and the place it belongs to."""

    sk: str
    upload: str
    index: int
    data: bytes


class UploadItem(msgspec.Struct, frozen=True, kw_only=True):
    """Chunks that no manifest names, yet or any more."""

    upload: str
    created_at: str = ""
    token: str = ""
    condemned: str | None = None


class AnnouncementItem(msgspec.Struct, frozen=True, kw_only=True):
    """An enactor's word about itself."""

    id: str
    nonce: str
    generation: int
    seen: str
    limits: str = ""
    presence: str = "works"
    """A word that this version does not know is taken for a worker's, as an older version's silence is."""


class EventItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something of the history: a person's verb, or a batch that an enactor wrote. Other versions may know more attributes."""

    time: str
    """RFC 3339 in UTC, with microseconds."""
    verb: str
    outcome: str = ""
    reason: str = ""
    detail: str = ""
    zone: str = ""
    name: str = ""
    generation: str = ""
    change_id: str = ""
    by: str = ""
    caller: str = ""
    swaps: tuple[str, ...] = ()
    """What a batch put at each endpoint, as `history.line_of` writes it."""


def plan_key(generation: int) -> str:
    """Return the sort key of a generation's manifest."""
    return f"{PLANS}{_digits(generation)}"


def pin_key(generation: int) -> str:
    """Return the sort key of a generation's pin."""
    return f"{PINS}{_digits(generation)}"


def upload_key(upload: str) -> str:
    """Return the sort key of an upload."""
    return f"{UPLOADS}{upload}"


def chunks_of(upload: str) -> str:
    """Return what the sort keys of an upload's chunks start with."""
    return f"{CHUNKS}{upload}#"


def chunk_key(upload: str, index: int) -> str:
    """Return the sort key of an upload's chunk."""
    return f"{chunks_of(upload)}{index:04d}"


def announcement_key(enactor: str, nonce: str) -> str:
    """Return the sort key of an announcement."""
    return f"{ANNOUNCEMENTS}{enactor}#{nonce}"


def allows_of(generation: int) -> str:
    """Return what the sort keys of a plan's allows start with."""
    return f"{ALLOWS}{_digits(generation)}#"


def allow_key(generation: int, guard: str) -> str:
    """Return the sort key of a person's allow of one plan-wide guard."""
    return f"{allows_of(generation)}{guard}"


def event_key(time: str, event: str) -> str:
    """Return the sort key of an event: they sort by time."""
    return f"{EVENTS}{time}#{event}"


def generation_of_key(sk: str) -> int | None:
    """Return the generation in a manifest's or a pin's key, None where there is none."""
    digits = sk.rpartition("#")[2]
    return int(digits) if digits.isdecimal() else None


def _digits(generation: int) -> str:
    assert 0 < generation <= GENERATION_MAX, f"generation {generation} does not fit its key"
    return f"{generation:012d}"

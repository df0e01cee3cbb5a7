"""Read plans and what stands around them from the plan table, believing nothing.

A plan is what its manifest says only if every chunk stands in its place unaltered and the whole has its sha256; everything else
is a DamagedPlan with the reason, and never a plan. A plan that a collector condemned is not kept, so it is not handed out: it
may be gone before its reader is done. Promises 2 and 7 rest on (generation, digest) being one identity here.
"""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, get_args

from enactor import table_keys as keys
from enactor.plan import StoredPlan, digest_of
from enactor.plan_form import read_plan
from enactor.ports import Announcement, DamagedPlan, PlanEntry, PlanHead, Presence, Unavailable
from enactor.table_items import GarbledItem, Item, Items, T, typed
from enactor.table_keys import Manifest

BODY_LIMIT_OCTETS: Final = 64 * 1024 * 1024
"""No plan is larger before compression: three times what a full account of endpoints needs; a bomb stops here."""
ANNOUNCEMENT_KEPT_SECONDS: Final = 3600
"""DynamoDB takes an announcement out some time after this; its `seen` says how old it is."""


class TableReading:
    """The reading side of the plan table, for enactors, planners and collectors alike."""

    def __init__(self, items: Items) -> None:
        self._items = items

    def head(self) -> PlanHead | None:
        """Return the newest plan's identity, None where nothing was ever published."""
        what = f"HEAD of fleet {self._items.fleet}"
        item = self._items.get(keys.HEAD, what=f"reading {what}")
        if item is None:
            return None
        head = self._sound(item, keys.HeadItem, what)
        return PlanHead(head.generation, head.digest)

    def floor(self) -> int:
        """Return the generation at or below which no new plan may be numbered (0 where unknown)."""
        what = f"FLOOR of fleet {self._items.fleet}"
        item = self._items.get(keys.FLOOR, what=f"reading {what}")
        return 0 if item is None else self._sound(item, keys.FloorItem, what).generation

    def read(self, generation: int) -> StoredPlan | DamagedPlan | None:
        """Return the plan of a generation with its digest verified, what is wrong with it, or None."""
        manifest = self.manifest(generation)
        if not isinstance(manifest, Manifest):
            return manifest
        if manifest.condemned is not None:
            return DamagedPlan(generation, "a collector condemned it: if it is needed, the next collect puts it back")
        body = self._verified(manifest)
        if isinstance(body, bytes):
            return self._stored(manifest, body)
        # A collector may have deleted the chunks while we read them: then the plan is gone, not damaged.
        return body if self.manifest(generation) is not None else None

    def list(self) -> Sequence[PlanEntry]:
        """Return the readable manifests, newest first, condemned ones included; `read` says what is wrong with another."""
        return tuple(manifest.entry() for manifest in self._manifests())

    def pins(self) -> frozenset[int]:
        """Return the generations that somebody pinned."""
        found = self._items.under(keys.PINS, what="reading the pins", keys_only=True)
        generations = (keys.generation_of_key(str(item["sk"])) for item in found)
        return frozenset(generation for generation in generations if generation is not None)

    def announce(self, announcement: Announcement) -> None:
        """Say that an enactor is alive; best effort."""
        seen = int(datetime.fromisoformat(announcement.seen).timestamp())
        self._items.put(
            keys.announcement_key(announcement.id, announcement.nonce),
            {
                "id": announcement.id,
                "nonce": announcement.nonce,
                "generation": announcement.generation,
                "seen": announcement.seen,
                "limits": announcement.limits,
                "presence": announcement.presence,
                "ttl": seen + ANNOUNCEMENT_KEPT_SECONDS,
            },
            what=f"announcing enactor {announcement.id}",
        )

    def announcements(self) -> Sequence[Announcement]:
        """Return what enactors said lately; DynamoDB may take days to drop what is past its time, so look at `seen`."""
        found = []
        for item in self._items.under(keys.ANNOUNCEMENTS, what="reading the announcements"):
            try:
                said = typed(item, keys.AnnouncementItem, what="an announcement")
            except GarbledItem:
                continue  # status only: one odd item must not hide the others
            known: tuple[Presence, ...] = get_args(Presence)
            presence = next((word for word in known if word == said.presence), known[0])
            found.append(Announcement(said.id, said.nonce, said.generation, said.seen, said.limits, presence))
        return tuple(found)

    def manifest(self, generation: int) -> Manifest | DamagedPlan | None:
        """Return a generation's manifest, what is wrong with it, or None."""
        if not 0 < generation <= keys.GENERATION_MAX:
            return None
        item = self._items.get(keys.plan_key(generation), what=f"reading the manifest of generation {generation}")
        if item is None:
            return None
        try:
            manifest = typed(item, Manifest, what="its manifest")
        except GarbledItem as garbled:
            return DamagedPlan(generation, str(garbled))
        if manifest.generation != generation:
            return DamagedPlan(generation, f"its manifest says generation {manifest.generation}")
        return manifest

    def body(self, entry: PlanEntry) -> bytes | DamagedPlan:
        """Return a plan's body with its digest verified, condemned or not."""
        manifest = self.manifest(entry.generation)
        if isinstance(manifest, DamagedPlan):
            return manifest
        if manifest is None or (manifest.upload, manifest.digest) != (entry.upload, entry.digest):
            return DamagedPlan(entry.generation, "it is gone from the table")
        return self._verified(manifest)

    def newest_key(self) -> int:
        """Return the highest generation that has a manifest, readable or not; 0 without one."""
        for item in self._items.under(
            keys.PLANS, what="reading the newest manifest", newest_first=True, keys_only=True
        ):
            return keys.generation_of_key(str(item["sk"])) or 0
        return 0

    def _manifests(self) -> Iterator[Manifest]:
        for item in self._items.under(keys.PLANS, what="listing the plans", newest_first=True):
            try:
                manifest = typed(item, Manifest, what="a manifest")
            except GarbledItem:
                continue
            if item["sk"] == keys.plan_key(manifest.generation):
                yield manifest

    def _sound(self, item: Item, kind: type[T], what: str) -> T:
        try:
            return typed(item, kind, what=what)
        except GarbledItem as garbled:
            raise Unavailable(f"{garbled}, in {self._items.where}; restore the item from a backup or by hand") from None

    def _verified(self, manifest: Manifest) -> bytes | DamagedPlan:
        found = self._items.under(keys.chunks_of(manifest.upload), what=f"reading generation {manifest.generation}")
        try:
            body = _unpacked(manifest, found)
        except GarbledItem as garbled:
            return DamagedPlan(manifest.generation, str(garbled))
        if digest_of(body) != manifest.digest:
            return DamagedPlan(manifest.generation, "its body does not have the digest of its manifest")
        return body

    def _stored(self, manifest: Manifest, body: bytes) -> StoredPlan | DamagedPlan:
        reading = read_plan(body)
        if reading.plan is None:
            faults = "; ".join(str(fault) for fault in reading.faults[:1])
            return DamagedPlan(manifest.generation, f"this version cannot read its form: {faults}")
        if reading.plan.fleet != self._items.fleet:
            return DamagedPlan(
                manifest.generation, f"it is a plan of fleet {reading.plan.fleet}, not {self._items.fleet}"
            )
        return StoredPlan(
            generation=manifest.generation,
            digest=manifest.digest,
            plan=reading.plan,
            parent=manifest.parent,
            created_at=manifest.created_at,
            planner=manifest.planner,
            reason=manifest.reason,
            stays=manifest.stays,
            body=body,
        )


def chunk_digest(data: bytes) -> str:
    """Return the digits by which a manifest knows a chunk."""
    return hashlib.sha256(data).hexdigest()[: keys.CHUNK_DIGEST_DIGITS]


def _unpacked(manifest: Manifest, found: Iterator[Item]) -> bytes:
    """Put a body together from its chunks, each in its place; the limits keep a bad manifest from filling the memory."""
    if manifest.octets > BODY_LIMIT_OCTETS:
        raise GarbledItem(f"its manifest says {manifest.octets} octets, over the limit of {BODY_LIMIT_OCTETS}")
    unpacker = zlib.decompressobj()
    parts: list[bytes] = []
    left = manifest.octets + 1
    count = 0
    for item in found:
        data = _chunk(manifest, item, count)
        count += 1
        try:
            parts.append(unpacker.decompress(data, left))
        except zlib.error as error:
            raise GarbledItem(f"its chunks do not unpack: {error}") from None
        left -= len(parts[-1])
        if left <= 0:
            raise GarbledItem(f"its chunks unpack to more than the {manifest.octets} octets of its manifest")
    if count != len(manifest.chunks):
        raise GarbledItem(f"chunk {count} of {len(manifest.chunks)} is missing")
    return b"".join(parts)


def _chunk(manifest: Manifest, item: Item, index: int) -> bytes:
    chunk = typed(item, keys.ChunkItem, what=f"chunk {index}")
    if index >= len(manifest.chunks):
        raise GarbledItem(f"there are more chunks than the {len(manifest.chunks)} of its manifest")
    if chunk.sk != keys.chunk_key(manifest.upload, index):
        raise GarbledItem(f"chunk {index} of {len(manifest.chunks)} is missing")
    if (chunk.upload, chunk.index) != (manifest.upload, index):
        raise GarbledItem(f"chunk {index} says it is chunk {chunk.index} of upload {chunk.upload}")
    if chunk_digest(chunk.data) != manifest.chunks[index]:
        raise GarbledItem(f"chunk {index} of {len(manifest.chunks)} was altered")
    return chunk.data

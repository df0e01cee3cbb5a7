"""Write plans into the plan table, so that they are there whole or not at all, and keep them from being collected.

The body goes first, in chunks keyed by a fresh upload id: two planners can never overwrite each other's, and nothing names
them yet. One transaction then makes the plan: HEAD still is the parent, the upload is there and not condemned, FLOOR is still
below; manifest in, HEAD moved, upload item out. Nothing else writes HEAD or a manifest. A lost answer is looked up, by the
writer's token in the manifest, and never assumed. Promises 2 and 4 rest on these conditions.
"""

import zlib
from typing import Final

from enactor import table_keys as keys
from enactor.plan import DIGEST_DIGITS, digest_of
from enactor.ports import Conflict, Draft, OutsideError, PlanEntry, PlanHead
from enactor.table_items import Item, Items, Refusal, Write
from enactor.table_keys import Manifest
from enactor.table_reading import BODY_LIMIT_OCTETS, TableReading, chunk_digest

CHUNK_OCTETS: Final = 350_000
"""Below DynamoDB's 400 KB for an item, and in a transaction below the 1,000 write units a partition takes in a second."""
CHUNKS_LIMIT: Final = 9_999
"""What four digits of a chunk's key can count."""
COMPRESSION_LEVEL: Final = 6

# Nothing was ever published: this is the fleet's first plan.
HEAD_IS_ABSENT: Final = "attribute_not_exists(pk)"

# HEAD still is the very plan that this one was made from: generation and digest, because identity is both.
HEAD_IS_PARENT: Final = "#generation = :parent AND #digest = :parent_digest"

# No plan of this generation exists: a plan is immutable.
PLAN_IS_NEW: Final = "attribute_not_exists(pk)"

# No collector has given this upload up: its chunks are all there, and none is being swept.
UPLOAD_IS_OURS: Final = "attribute_exists(pk) AND #token = :token AND attribute_not_exists(#condemned)"

# Nobody has this upload id.
UPLOAD_IS_NEW: Final = "attribute_not_exists(pk)"

# No enactor has met this generation, or a higher one, in a switch: also where FLOOR rose after we read it.
FLOOR_IS_BELOW: Final = "attribute_not_exists(pk) OR #generation < :generation"

# The plan is in the table and no collector is about to delete it.
PLAN_IS_KEPT: Final = "attribute_exists(pk) AND attribute_not_exists(#condemned)"

SET_FLOOR: Final = "SET #generation = :generation"


class TablePublishing:
    """The writing side of the plan table, for planners, for operators who pin, and for an enactor that met a higher switch."""

    def __init__(self, items: Items, reading: TableReading) -> None:
        self._items = items
        self._reading = reading

    def publish(self, draft: Draft, *, parent: PlanHead | None, source: int | None = None) -> PlanEntry:
        """Store a plan as the next generation if HEAD still is the parent, and the source of a republish is not condemned.

        Raises Conflict where another planner, a collector or a higher FLOOR came first: plan again on what stands now.
        """
        assert len(draft.body) <= BODY_LIMIT_OCTETS, "whoever makes plans checks their size, and says so to a person"
        token = self._items.chance.nonce()
        chunks = _chunks(draft.body)
        manifest = self._manifest(draft, chunks, parent, token)
        self._upload(manifest, chunks)
        refusal = self._items.transact(
            self._commit(manifest, parent, source), what=f"publishing generation {manifest.generation}"
        )
        if refusal is not None and not self._is_mine(manifest):
            raise Conflict(self._why(refusal, manifest))
        return manifest.entry()

    def raise_floor(self, generation: int) -> None:
        """Make sure that no later plan is numbered at or below a generation met in a switch."""
        values: Item = {"generation": generation}
        write = Write(sk=keys.FLOOR, update=SET_FLOOR, condition=FLOOR_IS_BELOW, values=values)
        self._items.transact([write], what=f"raising FLOOR to {generation}")
        # A refusal says that FLOOR is as high already, by our own lost write or another's: either is what was asked for.

    def pin(self, generation: int, *, reason: str, by: str, created_at: str) -> None:
        """Keep a plan from being collected until it is unpinned; a pin that stands is written again."""
        item: Item = {"generation": generation, "reason": reason, "by": by, "created_at": created_at}
        writes = [
            Write(sk=keys.pin_key(generation), item=item),
            Write(sk=keys.plan_key(generation), condition=PLAN_IS_KEPT),
        ]
        refusal = self._items.transact(writes, what=f"pinning generation {generation}")
        if refusal is not None:
            raise Conflict(f"generation {generation} is not pinned: {_unkept(refusal.items[1])}")

    def unpin(self, generation: int) -> None:
        """Take the pin away; fine where there is none."""
        self._items.transact(
            [Write(sk=keys.pin_key(generation), delete=True)], what=f"unpinning generation {generation}"
        )

    def _manifest(self, draft: Draft, chunks: list[bytes], parent: PlanHead | None, token: str) -> Manifest:
        return Manifest(
            generation=self._next(parent),
            digest=digest_of(draft.body),
            parent=parent.generation if parent else 0,
            created_at=draft.created_at,
            planner=draft.planner,
            reason=draft.reason,
            zones=draft.zones,
            endpoints=draft.endpoints,
            upload=self._items.chance.nonce(),
            octets=len(draft.body),
            chunks=tuple(chunk_digest(chunk) for chunk in chunks),
            token=token,
            stays=draft.stays,
        )

    def _next(self, parent: PlanHead | None) -> int:
        highest = self._highest(parent)
        if highest >= keys.GENERATION_MAX:
            raise OutsideError(
                f"no generation is left above {highest}, which is HEAD or FLOOR in {self._items.where}: somebody typed it into a "
                "switch; delete that switch by hand, set the item `floor` to HEAD's generation, run `enactor start`, and "
                "publish again"
            )
        return 1 + highest

    def _highest(self, parent: PlanHead | None) -> int:
        """Return the generation to go above: HEAD, FLOOR, and the newest manifest.

        The manifest is HEAD's, unless a person moved HEAD back: then its old successors must not wedge the next publish.
        """
        return max(parent.generation if parent else 0, self._reading.floor(), self._reading.newest_key())

    def _upload(self, manifest: Manifest, chunks: list[bytes]) -> None:
        """Write the upload item, then the chunks, each in one transaction with a look at the upload.

        The look is what keeps a publisher that wakes up after its upload was swept from leaving chunks that nothing names.
        One chunk at a time: two would be more than a partition of DynamoDB promises to take in a second.
        """
        item: Item = {"upload": manifest.upload, "created_at": manifest.created_at, "token": manifest.token}
        self._items.transact(
            [Write(sk=keys.upload_key(manifest.upload), item=item, condition=UPLOAD_IS_NEW)],
            what="starting an upload",
        )  # A refusal can only be our own lost answer, the id being fresh; the token decides at every chunk below.
        for index, data in enumerate(chunks):
            refusal = self._items.transact(
                [_ours(manifest), _chunk_write(manifest, index, data)], what=f"writing chunk {index} of an upload"
            )
            if refusal is not None:
                raise Conflict(f"the upload was {_given_up(refusal.items[0])} before chunk {index}: publish again")

    def _commit(self, manifest: Manifest, parent: PlanHead | None, source: int | None) -> list[Write]:
        head: Item = {"generation": manifest.generation, "digest": manifest.digest, "token": manifest.token}
        parent_values: Item = {"parent": parent.generation, "parent_digest": parent.digest} if parent else {}
        ours = _ours(manifest)
        writes = [
            Write(
                sk=keys.HEAD,
                item=head,
                condition=HEAD_IS_PARENT if parent else HEAD_IS_ABSENT,
                values=parent_values,
            ),
            Write(sk=keys.plan_key(manifest.generation), item=_manifest_item(manifest), condition=PLAN_IS_NEW),
            Write(sk=ours.sk, delete=True, condition=ours.condition, values=ours.values),
            Write(sk=keys.FLOOR, condition=FLOOR_IS_BELOW, values={"generation": manifest.generation}),
        ]
        if source is not None:
            writes.append(Write(sk=keys.plan_key(source), condition=PLAN_IS_KEPT))
        return writes

    def _is_mine(self, manifest: Manifest) -> bool:
        """Tell whether the refused commit had been applied by an earlier try of ours, whose answer was lost."""
        found = self._reading.manifest(manifest.generation)
        return isinstance(found, Manifest) and found.token == manifest.token

    def _why(self, refusal: Refusal, manifest: Manifest) -> str:
        generation = manifest.generation
        head, plan, upload, floor = refusal.items[:4]
        if refusal.failed[0] or refusal.failed[1]:
            stands = head or plan
            return (
                f"generation {generation} is not published: where its parent was stands generation "
                f"{_said(stands, 'generation')}, digest {_said(stands, 'digest')[:DIGEST_DIGITS]}; plan again on that"
            )
        if refusal.failed[2]:
            return f"generation {generation} is not published: its upload was {_given_up(upload)}; publish again"
        if refusal.failed[3]:
            met = _said(floor, "generation")
            return (
                f"generation {generation} is not published: a zone was met at generation {met}; plan again above that"
            )
        return f"generation {generation} is not published: its source {_unkept(refusal.items[4])}"


def _ours(manifest: Manifest) -> Write:
    return Write(sk=keys.upload_key(manifest.upload), condition=UPLOAD_IS_OURS, values={"token": manifest.token})


def _chunk_write(manifest: Manifest, index: int, data: bytes) -> Write:
    item: Item = {"upload": manifest.upload, "index": index, "data": data}
    return Write(sk=keys.chunk_key(manifest.upload, index), item=item)


def _manifest_item(manifest: Manifest) -> Item:
    return {name: value for name in manifest.__struct_fields__ if (value := getattr(manifest, name)) is not None}


def _chunks(body: bytes) -> list[bytes]:
    packed = zlib.compress(body, COMPRESSION_LEVEL)
    chunks = [packed[start : start + CHUNK_OCTETS] for start in range(0, len(packed), CHUNK_OCTETS)]
    assert 0 < len(chunks) <= CHUNKS_LIMIT, "the limits of body and chunk go together"
    return chunks


def _said(item: Item | None, name: str) -> str:
    value = item.get(name) if item else None
    return str(value) if isinstance(value, int | str) else "none"


def _given_up(upload: Item | None) -> str:
    return "swept by a collector" if upload is None else "condemned by a collector"


def _unkept(plan: Item | None) -> str:
    if plan is None:
        return "it is not in the table; `planner list` shows what is"
    return "a collector condemned it; if it is needed the next collect puts it back, so try again after that"

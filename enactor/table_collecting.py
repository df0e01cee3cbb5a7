"""Take plans out of the plan table, each step conditional on what was seen, so that no step can be late.

A plan goes in two steps. *Condemn* puts the collector's token on the manifest, with HEAD and the plan's pin looked at in the
same transaction. *Delete* takes out a manifest that still bears that token, with HEAD looked at once more (no code moves it onto
a condemned plan, but a person may), and in the same transaction makes its chunks a condemned upload. So there is never a manifest with half its chunks, and a collector that dies at any line leaves either a
condemned plan, which the next one takes over, or a condemned upload, which the next one sweeps. Nothing rests on a clock or a
lease: whoever's token stands may go on. Promise 4 rests on these conditions; whether a plan may go is `collect`'s to decide.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from enactor import table_keys as keys
from enactor.ports import Condemning, PlanEntry, Upload
from enactor.table_items import GarbledItem, Item, Items, Write, typed
from enactor.table_keys import Manifest, UploadItem
from enactor.table_reading import TableReading

# The plan is there as it was listed, and nobody has condemned it; or our own earlier try has, whose answer was lost.
PLAN_IS_IN_FORCE: Final = (
    "#upload = :upload AND #digest = :digest AND (attribute_not_exists(#condemned) OR #condemned = :token)"
)

# The plan is there as it was listed, condemned by the collector that we take over from; or by us, by an answer that was lost.
PLAN_IS_CONDEMNED_AS_SEEN: Final = (
    "#upload = :upload AND #digest = :digest AND (#condemned = :seen OR #condemned = :token)"
)

# The plan still bears this collector's token: nobody put it back, and nobody took it over.
PLAN_IS_OURS_TO_DELETE: Final = "#condemned = :token"

# There is a HEAD, it says which plan it is, and it is another. Without one any plan may be what a person restores.
HEAD_IS_ANOTHER: Final = "attribute_exists(#generation) AND #generation <> :generation"

# Nobody pinned the plan.
PLAN_IS_NOT_PINNED: Final = "attribute_not_exists(pk)"

# No upload of this id is there: the chunks belong to the manifest that goes out in the same transaction.
UPLOAD_IS_ABSENT: Final = "attribute_not_exists(pk)"

# The upload is still there: its publisher has not committed it.
UPLOAD_IS_THERE: Final = "attribute_exists(pk)"

SET_CONDEMNED: Final = "SET #condemned = :token"
LIFT_CONDEMNED: Final = "REMOVE #condemned"


class TableCollecting:
    """The collecting side of the plan table."""

    def __init__(self, items: Items, reading: TableReading) -> None:
        self._items = items
        self._reading = reading

    def condemn(self, entry: PlanEntry, token: str) -> Condemning:
        """Put this collector's token on a plan that is neither HEAD nor pinned and whose condemnation is as seen."""
        seen: Item = {} if entry.condemned is None else {"seen": entry.condemned}
        manifest = Write(
            sk=keys.plan_key(entry.generation),
            update=SET_CONDEMNED,
            condition=PLAN_IS_CONDEMNED_AS_SEEN if seen else PLAN_IS_IN_FORCE,
            values={"upload": entry.upload, "digest": entry.digest, "token": token, **seen},
        )
        head = Write(sk=keys.HEAD, condition=HEAD_IS_ANOTHER, values={"generation": entry.generation})
        pin = Write(sk=keys.pin_key(entry.generation), condition=PLAN_IS_NOT_PINNED)
        refusal = self._items.transact([manifest, head, pin], what=f"condemning generation {entry.generation}")
        if refusal is None:
            return "condemned"
        if refusal.failed[1]:
            return "head"
        return "pinned" if refusal.failed[2] else "changed"

    def put_back(self, entry: PlanEntry, token: str) -> bool:
        """Lift the condemnation that bears this token; False where it bears another, or the plan is gone."""
        write = Write(
            sk=keys.plan_key(entry.generation),
            update=LIFT_CONDEMNED,
            condition=PLAN_IS_OURS_TO_DELETE,
            values={"token": token},
        )
        if self._items.transact([write], what=f"putting generation {entry.generation} back") is None:
            return True
        found = self._reading.manifest(entry.generation)
        return isinstance(found, Manifest) and found.condemned is None

    def delete(self, entry: PlanEntry, token: str) -> bool:
        """Delete a plan that is still condemned by this token and is not HEAD; False where it is not so, True where it is gone."""
        manifest = Write(
            sk=keys.plan_key(entry.generation),
            delete=True,
            condition=PLAN_IS_OURS_TO_DELETE,
            values={"token": token},
        )
        item: Item = {"upload": entry.upload, "created_at": entry.created_at, "token": token, "condemned": token}
        remains = Write(sk=keys.upload_key(entry.upload), item=item, condition=UPLOAD_IS_ABSENT)
        head = Write(sk=keys.HEAD, condition=HEAD_IS_ANOTHER, values={"generation": entry.generation})
        refusal = self._items.transact([manifest, remains, head], what=f"deleting generation {entry.generation}")
        if refusal is not None and self._reading.manifest(entry.generation) is not None:
            return False
        self._sweep_chunks(entry.upload)
        return True

    def uploads(self) -> Sequence[Upload]:
        """Return the uploads that no manifest names."""
        return tuple(Upload(item.upload, item.created_at, item.condemned) for item in self._upload_items())

    def sweep(self, upload: Upload, token: str) -> bool:
        """Condemn an upload so that it cannot be committed, then delete its chunks; False where it was committed meanwhile."""
        if upload.condemned is None:
            write = Write(
                sk=keys.upload_key(upload.id),
                update=SET_CONDEMNED,
                condition=UPLOAD_IS_THERE,
                values={"token": token},
            )
            if self._items.transact([write], what=f"condemning upload {upload.id}") is not None:
                return False
        self._sweep_chunks(upload.id)
        return True

    def _upload_items(self) -> Iterator[UploadItem]:
        for item in self._items.under(keys.UPLOADS, what="listing the uploads"):
            try:
                found = typed(item, UploadItem, what="an upload")
            except GarbledItem:
                continue
            if item["sk"] == keys.upload_key(found.upload):
                yield found

    def _sweep_chunks(self, upload: str) -> None:
        """Delete the chunks of a condemned upload, its item last, so that whoever finds the item can go on.

        No condition is needed: a condemned upload is never put back, its id never used again, and every chunk is written in
        one transaction with the look that refuses a condemned upload.
        """
        what = f"sweeping upload {upload}"
        found = self._items.under(keys.chunks_of(upload), what=what, keys_only=True)
        self._items.delete_all([str(item["sk"]) for item in found], what=what)
        self._items.delete_all([keys.upload_key(upload)], what=what)

"""Take one protection out of the code that ships, for as long as a search runs, and see which promise breaks.

Each entry puts another function or condition in the place of the real one, from here: the product has no switch for it.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

import msgspec

from enactor import batch as batches
from enactor import (
    brake,
    collect,
    crew,
    references,
    sending,
    standing,
    swap,
    table_collecting,
    table_publishing,
    zone_cycle,
)
from enactor.batch import Batch, Change, SwitchChange
from enactor.fence import Fence, Switch
from enactor.memory import ZoneMemory
from enactor.observe import SwitchReading, sets_reading
from enactor.ports import DamagedPlan
from enactor.references import Verdict
from enactor.standing import Choice
from enactor.table_keys import Manifest
from enactor.table_publishing import TablePublishing
from enactor.table_reading import TableReading

from . import thin_ports
from .promises import (
    HOLD_MEANS_HOLD,
    NEVER_BACKWARDS,
    NEVER_COLLECT,
    NEVER_EMPTY,
    NEVER_STUCK,
    RETIRED_STAYS_AWAY,
    STOP_MEANS_STOP,
    WHOLE,
)
from .scenarios import (
    BY_MEMORY,
    EMPTIED,
    FROZEN,
    KEEPS_ONE,
    LATE_AFTER_STOP,
    NOTHING_NEW,
    OCTOBER,
    PINNED,
    PUT_BACK,
    REFUSED,
    RESTORED,
    RETIRED,
    REWRITTEN,
    TAMPERED,
    TWO_PLANNERS,
    UNMARKED,
    X_Y_X,
)
from .stage import Scenario


class Tooth(msgspec.Struct, frozen=True, kw_only=True):
    """A protection, how to take it out, and what then breaks where."""

    name: str
    promises: frozenset[str]
    scenario: Scenario
    out: Callable[[], AbstractContextManager[None]]


@contextmanager
def _put(*places: tuple[Any, str, Any]) -> Iterator[None]:
    """Put stand-ins in place: (owner, name, what), and take them away again."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    for owner, name, what in places:
        setattr(owner, name, what)
    try:
        yield
    finally:
        for owner, name, what in before:
            setattr(owner, name, what)


def _without(batch_changes: Callable[[Batch], Sequence[Change]]) -> AbstractContextManager[None]:
    return _put((Batch, "changes", property(lambda self: tuple(batch_changes(self)))))


_CHANGES: Final = Batch.changes.fget  # type: ignore[attr-defined]


def _switch_not_asserted() -> AbstractContextManager[None]:
    """A batch carries the switch only where it opens a generation."""

    def changes(one: Batch) -> Sequence[Change]:
        found: tuple[Change, ...] = _CHANGES(one)
        return found if one.opens or one.origin != "cycle" else found[2:]

    return _put((Batch, "changes", property(changes)), (thin_ports, "refusals", lambda *_: ()))


def _overwriting(name_of: Callable[[str], bool]) -> Callable[[], AbstractContextManager[None]]:
    """Write some TXT records blindly, whatever stands there: their DELETEs are left out, their CREATEs are UPSERTs."""

    def out() -> AbstractContextManager[None]:
        def changes(one: Batch) -> Sequence[Change]:
            found: tuple[Change, ...] = _CHANGES(one)
            sent = []
            for change in found:
                if change.record.type != "TXT" or not name_of(change.record.name):
                    sent.append(change)
                elif change.action == "CREATE":
                    sent.append(msgspec.structs.replace(change, action="UPSERT"))
            return sent

        return _put((Batch, "changes", property(changes)), (thin_ports, "refusals", lambda *_: ()))

    return out


def _no_opening_without_swaps() -> AbstractContextManager[None]:
    real = batches.pack
    return _put((sending, "pack", lambda *given, **named: [one for one in real(*given, **named) if one.swaps]))


def _same_switch_nonce() -> AbstractContextManager[None]:
    real = brake.new_switch

    def made(*given: Any, nonce: str, until: Any = None) -> Switch:
        return real(*given, nonce="0" * 16, until=until)

    def change(reading: SwitchReading, choice: Choice, fleet: str, _: object) -> SwitchChange:
        return sending.switch_change(reading, choice, fleet, lambda: "0" * 16)

    return _put((brake, "new_switch", made), (zone_cycle, "switch_change", change))


def _sets_before_fences() -> AbstractContextManager[None]:
    def read_all(self: ZoneMemory, now: float) -> None:
        listing = sets_reading(self.zone_name, self.zone, self._port.listing(self.zone))
        found = self._port.fences(self.zone, self.fleet)
        self.fences, self.sets = dict(found.fences), dict(listing.sets)
        self.pointed, self.cuts, self.total = dict(listing.pointed), listing.cuts, listing.total
        self.switch = found.switch
        self.surveyed_at = now

    return _put((ZoneMemory, "read_all", read_all))


def _no_survivors() -> AbstractContextManager[None]:
    return _put((swap, "survivors", lambda *_, **__: ()))


def _no_guards() -> tuple[tuple[Any, str, Any], ...]:
    return (
        (swap, "_findings", lambda *_: ()),
        (standing, "judge_plan", lambda *_: ()),
    )


def _no_guards_and_no_gate() -> AbstractContextManager[None]:
    return _put(*_no_guards(), (thin_ports, "refusals", lambda *_: ()))


def _collect_by_age() -> AbstractContextManager[None]:
    return _put((collect, "judged", lambda entry, _plan, _zones, needs: (Verdict(entry, True, ("old",)), needs)))


def _not_open_above() -> AbstractContextManager[None]:
    return _put((references, "writable", lambda *_: ()), (references, "_open", lambda *_: 0))


def _not_needed() -> AbstractContextManager[None]:
    return _put((references, "meets", lambda *_: frozenset()))


def _upload_id_by_generation() -> AbstractContextManager[None]:
    real = TablePublishing._manifest

    def manifest(self: TablePublishing, *given: Any) -> Any:
        made = real(self, *given)
        return msgspec.structs.replace(made, upload=f"{made.generation:016x}")

    return _put(
        (TablePublishing, "_manifest", manifest),
        (table_publishing, "UPLOAD_IS_NEW", ""),
        (table_publishing, "UPLOAD_IS_OURS", "attribute_exists(pk)"),
        (table_publishing, "PLAN_IS_NEW", ""),
    )


def _no_digest_check() -> AbstractContextManager[None]:
    def verified(self: TableReading, manifest: Manifest) -> bytes | DamagedPlan:
        parts = [one["data"] for one in self._items.under(f"chunk#{manifest.upload}#", what="")]
        try:
            return zlib.decompress(b"".join(part for part in parts if isinstance(part, bytes)))
        except zlib.error:
            return DamagedPlan(manifest.generation, "it does not unpack")

    return _put((TableReading, "_verified", verified))


def _no_floor() -> AbstractContextManager[None]:
    return _put(
        (TablePublishing, "raise_floor", lambda *_: None),
        (table_publishing, "FLOOR_IS_BELOW", ""),
        (TableReading, "newest_key", lambda _: 0),
    )


def _creates_first() -> AbstractContextManager[None]:
    def changes(one: Batch) -> Sequence[Change]:
        found: tuple[Change, ...] = _CHANGES(one)
        return (*found[:2], *sorted(found[2:], key=lambda change: change.action != "CREATE"))

    return _without(changes)


def _tombstones_are_nothing() -> AbstractContextManager[None]:
    real = swap._wish

    def wish(question: swap.Question) -> swap.Decision:
        reading = question.view.fence
        if reading is None or not isinstance(reading.fence, Fence) or reading.fence.state != "retired":
            return real(question)
        alive = msgspec.structs.replace(reading, fence=msgspec.structs.replace(reading.fence, state="live"))
        return real(msgspec.structs.replace(question, view=msgspec.structs.replace(question.view, fence=alive)))

    return _put((swap, "_wish", wish))


def _may_write_below() -> AbstractContextManager[None]:
    real = standing.choose

    def choose(*given: Any, **named: Any) -> Any:
        return msgspec.structs.replace(real(*given, **named), may_advance=True)

    return _put((crew, "choose", choose))


def _pin_takes_anything() -> AbstractContextManager[None]:
    return _put((table_publishing, "PLAN_IS_KEPT", "attribute_exists(pk)"))


def _condemn_ignores_pins() -> AbstractContextManager[None]:
    return _put((table_collecting, "PLAN_IS_NOT_PINNED", ""))


def _head_may_be_lost() -> AbstractContextManager[None]:
    return _put((table_publishing, "HEAD_IS_PARENT", ""), (table_publishing, "PLAN_IS_NEW", ""))


def _chunks_may_be_swept() -> AbstractContextManager[None]:
    return _put((table_publishing, "UPLOAD_IS_OURS", ""))


def _deletes_what_was_put_back() -> AbstractContextManager[None]:
    return _put((table_collecting, "PLAN_IS_OURS_TO_DELETE", ""))


def _is_switch(name: str) -> bool:
    return name.startswith("_switch-")


FIRST_TEETH: Final = (
    Tooth(
        name="the switch is asserted by every batch",
        promises=frozenset({NEVER_BACKWARDS}),
        scenario=BY_MEMORY,
        out=_switch_not_asserted,
    ),
    Tooth(
        name="the switch is compared before it is swapped",
        promises=frozenset({NEVER_BACKWARDS}),
        scenario=OCTOBER,
        out=_overwriting(_is_switch),
    ),
    Tooth(
        name="a generation is opened even where it changes nothing",
        promises=frozenset({NEVER_STUCK}),
        scenario=NOTHING_NEW,
        out=_no_opening_without_swaps,
    ),
    Tooth(
        name="the switch has a new nonce after a stop",
        promises=frozenset({STOP_MEANS_STOP}),
        scenario=LATE_AFTER_STOP,
        out=_same_switch_nonce,
    ),
    Tooth(
        name="the fence is compared before it is swapped",
        promises=frozenset({HOLD_MEANS_HOLD}),
        scenario=FROZEN,
        out=_overwriting(lambda name: not _is_switch(name)),
    ),
    Tooth(
        name="fences are read before record sets",
        promises=frozenset({WHOLE}),
        scenario=REWRITTEN,
        out=_sets_before_fences,
    ),
    Tooth(
        name="survivors are asserted",
        promises=frozenset({NEVER_EMPTY}),
        scenario=KEEPS_ONE,
        out=_no_survivors,
    ),
    Tooth(
        name="guards and the last gate",
        promises=frozenset({NEVER_EMPTY}),
        scenario=EMPTIED,
        out=_no_guards_and_no_gate,
    ),
    Tooth(
        name="collect asks who needs a plan and who may write it",
        promises=frozenset({NEVER_COLLECT}),
        scenario=OCTOBER,
        out=_collect_by_age,
    ),
    Tooth(
        name="collect waits until every zone is open above a plan",
        promises=frozenset({NEVER_COLLECT}),
        scenario=OCTOBER,
        out=_not_open_above,
    ),
    Tooth(
        name="collect keeps what a fence needs",
        promises=frozenset({NEVER_COLLECT}),
        scenario=REFUSED,
        out=_not_needed,
    ),
    Tooth(
        name="collect asks for what stands without its fence",
        promises=frozenset({NEVER_COLLECT}),
        scenario=UNMARKED,
        out=lambda: _put((collect, "lacks_fences", lambda *_: False)),
    ),
    Tooth(
        name="only what still bears the collector's token is deleted",
        promises=frozenset({NEVER_COLLECT}),
        scenario=PUT_BACK,
        out=_deletes_what_was_put_back,
    ),
    Tooth(
        name="a condemned plan cannot be pinned",
        promises=frozenset({NEVER_COLLECT}),
        scenario=PINNED,
        out=_pin_takes_anything,
    ),
    Tooth(
        name="a pinned plan cannot be condemned",
        promises=frozenset({NEVER_COLLECT}),
        scenario=PINNED,
        out=_condemn_ignores_pins,
    ),
    Tooth(
        name="HEAD moves only from the parent",
        promises=frozenset({WHOLE}),
        scenario=TWO_PLANNERS,
        out=_head_may_be_lost,
    ),
    Tooth(
        name="chunks are keyed by an upload of one's own",
        promises=frozenset({WHOLE}),
        scenario=TWO_PLANNERS,
        out=_upload_id_by_generation,
    ),
    Tooth(
        name="a plan is used only with its digest",
        promises=frozenset({NEVER_STUCK}),
        scenario=TAMPERED,
        out=_no_digest_check,
    ),
    Tooth(
        name="an upload that was swept cannot be committed",
        promises=frozenset({WHOLE}),
        scenario=TWO_PLANNERS,
        out=_chunks_may_be_swept,
    ),
    Tooth(
        name="FLOOR keeps a restored table from numbering again",
        promises=frozenset({NEVER_STUCK}),
        scenario=RESTORED,
        out=_no_floor,
    ),
    Tooth(
        name="a name's DELETEs go before its CREATEs",
        promises=frozenset({NEVER_STUCK}),
        scenario=X_Y_X,
        out=_creates_first,
    ),
    Tooth(
        name="nothing is written below the open generation",
        promises=frozenset({NEVER_BACKWARDS}),
        scenario=RESTORED,
        out=_may_write_below,
    ),
    Tooth(
        name="a tombstone keeps a retired name away",
        promises=frozenset({RETIRED_STAYS_AWAY}),
        scenario=RETIRED,
        out=_tombstones_are_nothing,
    ),
)

"""Take protections of the verbs, of marks, of drains and of the mirror out of the code that ships, and see which promise breaks."""

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Final

import msgspec

from enactor import brake, kept_form, marks, mirror, parting, standing, swap
from enactor.batch import Batch, Change, SwitchChange
from enactor.endpoint_verbs import EndpointOperator, Place
from enactor.fence import Fence
from enactor.kept_form import Header
from enactor.leaving import Leaver
from enactor.library import Library
from enactor.mirror import PlanMirror
from enactor.observe import FenceRange
from enactor.plan_index import PlanIndex
from enactor.ports import PlanHead
from enactor.records import RecordSet
from enactor.verbs import Operator, TableWord
from enactor.wheel import Done

from . import thin_ports
from .promises import (
    HOLD_MEANS_HOLD,
    NEVER_BACKWARDS,
    NEVER_COLLECT,
    NEVER_EMPTY,
    NEVER_UNASKED,
    NO_DEPENDENCY,
    RETIRED_STAYS_AWAY,
    STOP_MEANS_STOP,
    WHOLE,
)
from .scenarios import ALLOWED, FROZEN, LEFT_OUT, RETIRED
from .scenarios_verbs import (
    ADOPTED,
    ALLOWED_FOR_ONE,
    BROUGHT_BACK,
    DISOWNED,
    DRAINED,
    HEALED_BESIDE,
    HEALED_IN_THE_DARK,
    HELD_TWICE,
    LEFT,
    MIRROR_AND_RESTORE,
    MIRROR_MIXED_UP,
    MIRRORED,
    POINTED,
    STOPPED_TWICE,
)
from .teeth import FIRST_TEETH, Tooth, _put
from .teeth_guards import GUARD_TEETH
from .teeth_hands import CLOCK_TEETH, EDIT_TEETH
from .teeth_ruins import RUIN_TEETH
from .teeth_signals import SIGNAL_TEETH
from .teeth_steps import STEP_TEETH
from .teeth_zones import ZONE_TEETH
from .wire_alone import left


def _retire_of_anything() -> AbstractContextManager[None]:
    """Take what the plans say for nothing."""

    def newest(_plans: Library, shelf: Any, *_: Any, **__: Any) -> PlanIndex | None:
        return shelf.candidates[0] if shelf.candidates else None

    return _put((parting, "may_go", newest))


def _looks_once() -> AbstractContextManager[None]:
    """Ask what plans and aliases say before the first try alone."""
    real = EndpointOperator.retire

    def retire(self: EndpointOperator, place: Place, of: Any, generation: int, _judge: Any = None) -> Done:
        return real(self, place, of, generation)

    return _put((EndpointOperator, "retire", retire))


def _pointers_are_nothing() -> AbstractContextManager[None]:
    """Neither the verb nor the gate knows what points to a name."""
    real, batch_of = marks.retired, EndpointOperator._weighty

    def retired(*given: Any, pointed: Any, **named: Any) -> Any:
        return real(*given, pointed={}, **named)

    def weighty(self: EndpointOperator, *given: Any, **named: Any) -> Batch:
        return msgspec.structs.replace(batch_of(self, *given, **named), pointed=frozenset())

    return _put((marks, "retired", retired), (EndpointOperator, "_weighty", weighty))


def _no_switch_in_a_retire() -> AbstractContextManager[None]:
    real = EndpointOperator._weighty

    def weighty(self: EndpointOperator, *given: Any, **named: Any) -> Batch:
        return msgspec.structs.replace(real(self, *given, **named), switch=None)

    return _put((EndpointOperator, "_weighty", weighty))


def _held_is_nothing(module: Any) -> AbstractContextManager[None]:
    return _put((module, "is_held", lambda *_: False))


def _start_lifts_any_stop() -> AbstractContextManager[None]:
    def start(self: Operator, zone: str, table: TableWord, told: int | None) -> Done:
        def wanted(now: FenceRange) -> tuple[int, str] | None:
            return None if brake.is_done(now, "run") else brake.generation_of(now, table(), told)

        return Done("", self._turn(zone, "run", wanted))

    return _put((Operator, "start", start))


def _release_lifts_any_hold() -> AbstractContextManager[None]:
    def release(self: EndpointOperator, place: Place) -> Done:
        return Done("", self._do(place, lambda view: marks.released(view, self._wheel.hand()), what="release"))

    return _put((EndpointOperator, "release", release))


def _deinit_asserts_nothing() -> AbstractContextManager[None]:
    real = Leaver._deleting

    def deleting(self: Leaver, *given: Any) -> Batch | None:
        batch = real(self, *given)
        return None if batch is None else msgspec.structs.replace(batch, switch=None)

    return _put((Leaver, "_deleting", deleting))


def _deinit_of_a_running_zone() -> AbstractContextManager[None]:
    def stopped(self: Leaver, zone: str) -> FenceRange:
        return self._wheel.zones.fences(zone, self._wheel.fleet)

    return _put((Leaver, "_stopped", stopped))


def _switch_first() -> AbstractContextManager[None]:
    """Take the switch away before the fences."""

    def own(self: Leaver, found: FenceRange) -> list[RecordSet]:
        return [found.switch.record] if found.switch.record else real(self, found)

    def deleting(self: Leaver, zone: str, found: FenceRange, records: Sequence[RecordSet]) -> Batch | None:
        if not records:
            return None
        record = found.switch.record
        asserted = SwitchChange(record, record) if record is not None and record not in records else None
        changes = tuple(Change("DELETE", one) for one in records)
        return self._wheel.batch(zone, found.zone_name, switch=asserted, extra=changes)

    real = Leaver._own
    return _put((Leaver, "_own", own), (Leaver, "_deleting", deleting))


def _disowns_what_is_marked() -> AbstractContextManager[None]:
    real = marks.disowned

    def disowned(view: swap.View, fleet: str, aws_now: datetime | None) -> RecordSet:
        return real(view, fleet, aws_now) if view.fence is None else view.fence.record

    return _put((marks, "disowned", disowned))


def _adopts_without_a_look() -> AbstractContextManager[None]:
    real = marks.adopted

    def adopted(*given: Any) -> swap.Swap | None:
        found = real(*given)
        return None if found is None else msgspec.structs.replace(found, deletes=(), creates=())

    return _put((marks, "adopted", adopted))


def _allows_any_generation() -> AbstractContextManager[None]:
    def allowed(fence: Fence, _generation: int, _now: datetime | None) -> frozenset[str]:
        return frozenset(one.guard for one in fence.allow)

    return _put((swap, "allowed_guards", allowed), (thin_ports, "refusals", lambda *_: ()))


def _allow_stays() -> AbstractContextManager[None]:
    real = swap._fence_after

    def fence_after(question: swap.Question, *given: Any) -> Fence:
        old = question.view.fence.fence if question.view.fence else None
        made = real(question, *given)
        return msgspec.structs.replace(made, allow=old.allow) if isinstance(old, Fence) else made

    return _put((swap, "_fence_after", fence_after))


def _checksum_alone_unchecked() -> AbstractContextManager[None]:
    """Take the mirror for a plan where its header is not what was written."""
    real = kept_form.parts_of

    def parts_of(content: bytes) -> tuple[Header, bytes]:
        _, _, rest = content.partition(b"\n")
        return real(hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest)

    return _put((mirror, "parts_of", parts_of))


def _digest_alone_unchecked() -> AbstractContextManager[None]:
    """Take the mirror for a plan where only its checksum is right."""
    return _put((kept_form, "digest_of", lambda _body: _Anything()))


class _Anything:
    """Equal to every digest."""

    def __eq__(self, _other: object) -> bool:
        return True

    def __ne__(self, _other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]  # nobody keeps it


def _unconditional_mirror() -> AbstractContextManager[None]:
    real = PlanMirror._standing

    def look(self: PlanMirror) -> tuple[PlanHead | None, dict[str, str]]:
        return real(self)[0], {}

    return _put((PlanMirror, "_standing", look))


def _drained() -> AbstractContextManager[None]:
    return _put((swap, "judge_drain", lambda *_: ()))


TEETH: Final = (
    *FIRST_TEETH,
    Tooth(
        name="a retire asks whether a plan lists the name",
        promises=frozenset({NEVER_EMPTY}),
        scenario=RETIRED,
        out=_retire_of_anything,
    ),
    Tooth(
        name="a retire asks the plans at every try",
        promises=frozenset({NEVER_EMPTY}),
        scenario=RETIRED,
        out=_looks_once,
    ),
    Tooth(
        name="a retire asserts the switch",
        promises=frozenset({NEVER_EMPTY}),
        scenario=left(BROUGHT_BACK, "a", "ann", "planner"),
        out=_no_switch_in_a_retire,
    ),
    Tooth(
        name="a retire and the gate look for aliases to the name",
        promises=frozenset({NEVER_EMPTY}),
        scenario=POINTED,
        out=_pointers_are_nothing,
    ),
    Tooth(
        name="a retire asks for aliases that may be put back",
        promises=frozenset({NEVER_EMPTY}),
        scenario=POINTED,
        out=lambda: _put((parting, "not_pointed_to", lambda *_, **__: None)),
    ),
    Tooth(
        name="a retire leaves what is held",
        promises=frozenset({HOLD_MEANS_HOLD}),
        scenario=BROUGHT_BACK,
        out=lambda: _held_is_nothing(marks),
    ),
    Tooth(
        name="a cycle leaves what is held",
        promises=frozenset({HOLD_MEANS_HOLD}),
        scenario=FROZEN,
        out=lambda: _held_is_nothing(swap),
    ),
    Tooth(
        name="a release lifts the hold that it saw",
        promises=frozenset({HOLD_MEANS_HOLD}),
        scenario=left(HELD_TWICE, "a", "ann", "bob"),
        out=_release_lifts_any_hold,
    ),
    Tooth(
        name="a start lifts the stop that it saw",
        promises=frozenset({STOP_MEANS_STOP}),
        scenario=left(STOPPED_TWICE, "a", "ann", "bob"),
        out=_start_lifts_any_stop,
    ),
    Tooth(
        name="a disown leaves what a person marked",
        promises=frozenset({HOLD_MEANS_HOLD}),
        scenario=DISOWNED,
        out=_disowns_what_is_marked,
    ),
    Tooth(
        name="a deinit asserts the stop in every call",
        promises=frozenset({HOLD_MEANS_HOLD, RETIRED_STAYS_AWAY, STOP_MEANS_STOP}),
        scenario=LEFT,
        out=_deinit_asserts_nothing,
    ),
    Tooth(
        name="a deinit wants the zone stopped",
        promises=frozenset({HOLD_MEANS_HOLD, RETIRED_STAYS_AWAY, STOP_MEANS_STOP}),
        scenario=LEFT,
        out=_deinit_of_a_running_zone,
    ),
    Tooth(
        name="a deinit takes the switch as the last",
        promises=frozenset({STOP_MEANS_STOP}),
        scenario=LEFT,
        out=_switch_first,
    ),
    Tooth(
        name="an adopt asserts what it names",
        promises=frozenset({WHOLE}),
        scenario=ADOPTED,
        out=_adopts_without_a_look,
    ),
    Tooth(
        name="the last gate judges a heal",
        promises=frozenset({NEVER_UNASKED}),
        scenario=HEALED_IN_THE_DARK,
        out=lambda: _put((thin_ports, "refusals", lambda *_: ())),
    ),
    Tooth(
        name="a heal asserts survivors",
        promises=frozenset({NEVER_EMPTY}),
        scenario=HEALED_BESIDE,
        out=lambda: _put((marks, "survivors", lambda *_: ())),
    ),
    Tooth(
        name="an allow is for one generation",
        promises=frozenset({NEVER_UNASKED}),
        scenario=ALLOWED_FOR_ONE,
        out=_allows_any_generation,
    ),
    Tooth(
        name="an allow is used once",
        promises=frozenset({NEVER_UNASKED}),
        scenario=ALLOWED,
        out=_allow_stays,
    ),
    Tooth(
        name="a slow drain is stopped",
        promises=frozenset({NEVER_UNASKED}),
        scenario=DRAINED,
        out=_drained,
    ),
    Tooth(
        name="a slow drain's window stands in the fence",
        promises=frozenset({NEVER_UNASKED}),
        scenario=DRAINED,
        out=lambda: _put((swap, "next_base", lambda *_, **__: "")),
    ),
    Tooth(
        name="a plan that leaves endpoints out is not opened",
        promises=frozenset({NEVER_UNASKED}),
        scenario=LEFT_OUT,
        out=lambda: _put((standing, "judge_plan", lambda *_: ())),
    ),
    Tooth(
        name="a plan is held against the fences where the open one cannot be read",
        promises=frozenset({NEVER_UNASKED}),
        scenario=LEFT_OUT,
        out=lambda: _put((standing, "judge_absence", lambda *_: ())),
    ),
    Tooth(
        name="a mirror is a plan only with its checksum",
        promises=frozenset({NEVER_COLLECT}),
        scenario=MIRROR_MIXED_UP,
        out=_checksum_alone_unchecked,
    ),
    Tooth(
        name="a mirror is a plan only with its digest",
        promises=frozenset({NEVER_BACKWARDS, NEVER_COLLECT}),
        scenario=MIRROR_MIXED_UP,
        out=_digest_alone_unchecked,
    ),
    Tooth(
        name="the mirror is read where the table does not answer",
        promises=frozenset({NO_DEPENDENCY}),
        scenario=MIRRORED,
        out=lambda: _put((Library, "_from_mirror", lambda _self: [])),
    ),
    Tooth(
        name="the mirror is written only over what was seen there",
        promises=frozenset({NEVER_BACKWARDS}),
        scenario=MIRROR_AND_RESTORE,
        out=_unconditional_mirror,
    ),
    *STEP_TEETH,
    *SIGNAL_TEETH,
    *GUARD_TEETH,
    *RUIN_TEETH,
    *ZONE_TEETH,
    *CLOCK_TEETH,
    *EDIT_TEETH,
)

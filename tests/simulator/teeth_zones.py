"""Take what copes with several zones, and with brakes that end, out of the code that ships, and see which promise breaks."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Final

from enactor import fence, references, swap
from enactor.cycle import Enactor
from enactor.fence import Fence
from enactor.library import Library
from enactor.ports import Unavailable
from enactor.references import Zones

from .promises import HOLD_MEANS_HOLD, NEVER_COLLECT, NEVER_STUCK, NEVER_UNASKED, STOP_MEANS_STOP
from .scenarios_time import ALLOWED_FOR, ALLOWED_WHOLE_FOR, HELD_FOR, STOPPED_FOR
from .scenarios_zones import ONE_DENIED, ONE_GONE
from .teeth import Tooth, _put
from .wire_alone import left


def _ends_at_once() -> AbstractContextManager[None]:
    """Take every end for one that has come."""
    return _put((fence, "has_passed", lambda until, _: until is not None))


def _never_ends() -> AbstractContextManager[None]:
    return _put((fence, "has_passed", lambda *_: False))


def _allows_for_ever() -> AbstractContextManager[None]:
    def allowed(found: Fence, generation: int, _now: datetime | None) -> frozenset[str]:
        return frozenset(one.guard for one in found.allow if one.generation == generation)

    return _put((swap, "allowed_guards", allowed))


def _allows_a_plan_for_ever() -> AbstractContextManager[None]:
    def allowed(self: Library, generation: int, _now: datetime | None) -> frozenset[str]:
        return frozenset(one.guard for one in self._store.allows(generation))

    return _put((Library, "allowed", allowed))


def _one_zone_is_enough() -> AbstractContextManager[None]:
    real = references.writable
    return _put(
        (references, "writable", lambda generation, named, zones: real(generation, sorted(named)[-1:], zones)),
        (references, "_open", lambda *_: 0),
    )


def _unread_is_open() -> AbstractContextManager[None]:
    """Take a zone that cannot be read for one that is open above every plan."""
    real = references.writable

    def writable(generation: int, named: Sequence[str], zones: Zones) -> tuple[str, ...]:
        return real(generation, [zone for zone in named if zone in zones], zones)

    return _put((references, "writable", writable), (references, "_open", lambda *_: 0))


def _one_trouble_for_all() -> AbstractContextManager[None]:
    real = Enactor._observe

    def observe(self: Enactor, survey_seconds: float) -> dict[str, str]:
        errors = real(self, survey_seconds)
        if errors:
            raise Unavailable("; ".join(errors.values()))
        return errors

    return _put((Enactor, "_observe", observe))


ZONE_TEETH: Final = (
    Tooth(
        name="a hold with an end lasts until then",
        promises=frozenset({HOLD_MEANS_HOLD}),
        scenario=HELD_FOR,
        out=_ends_at_once,
    ),
    Tooth(
        name="a stop with an end lasts until then",
        promises=frozenset({STOP_MEANS_STOP}),
        scenario=STOPPED_FOR,
        out=_ends_at_once,
    ),
    Tooth(name="a hold with an end ends", promises=frozenset({NEVER_STUCK}), scenario=HELD_FOR, out=_never_ends),
    Tooth(
        name="an allow of an endpoint ends",
        promises=frozenset({NEVER_UNASKED}),
        scenario=ALLOWED_FOR,
        out=_allows_for_ever,
    ),
    Tooth(
        name="an allow of a plan ends",
        promises=frozenset({NEVER_UNASKED}),
        scenario=ALLOWED_WHOLE_FOR,
        out=_allows_a_plan_for_ever,
    ),
    Tooth(
        name="collect waits for every zone of a plan",
        promises=frozenset({NEVER_COLLECT}),
        scenario=left(ONE_DENIED, "a", "collect", "rights"),
        out=_one_zone_is_enough,
    ),
    Tooth(
        name="a zone that cannot be read keeps its plans",
        promises=frozenset({NEVER_COLLECT}),
        scenario=ONE_DENIED,
        out=_unread_is_open,
    ),
    Tooth(
        name="one zone's trouble does not keep an enactor from the others",
        promises=frozenset({NEVER_STUCK}),
        scenario=ONE_GONE,
        out=_one_trouble_for_all,
    ),
)

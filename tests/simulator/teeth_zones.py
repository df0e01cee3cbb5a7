"""Take what copes with several zones out of the code that ships, and see which promise breaks."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final

from enactor import references
from enactor.cycle import Enactor
from enactor.ports import Unavailable
from enactor.references import Zones

from .promises import NEVER_COLLECT, NEVER_STUCK
from .scenarios_zones import ONE_DENIED, ONE_GONE
from .teeth import Tooth, _put
from .wire_alone import left


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

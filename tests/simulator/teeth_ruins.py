"""Take what copes with a ruined table out of the code that ships, and see which promise breaks."""

from contextlib import AbstractContextManager
from typing import Any, Final

import msgspec

from enactor import cycle_report, table_collecting
from enactor.library import Library
from enactor.table_reading import TableReading
from planner import looking_back
from planner.publishing import Parent, Publication, decide

from .promises import NEVER_COLLECT, NEVER_STUCK
from .scenarios import REFUSED
from .scenarios_ruins import CHUNKS_SPOILT, HEAD_ASTRAY, HEAD_GONE
from .teeth import Tooth, _put


def _any_head_is_sound() -> AbstractContextManager[None]:
    """Take HEAD's plan for one that can be read, whatever its chunks hold."""

    def decided(new: Any, parent: Parent, *given: Any) -> Publication:
        return decide(new, msgspec.structs.replace(parent, is_sound=True), *given)

    return _put((looking_back, "decide", decided))


RUIN_TEETH: Final = (
    Tooth(
        name="collect's writes look at HEAD",
        promises=frozenset({NEVER_COLLECT}),
        scenario=HEAD_ASTRAY,
        out=lambda: _put((table_collecting, "HEAD_IS_ANOTHER", "")),
    ),
    Tooth(
        name="a publish goes above every plan that is left",
        promises=frozenset({NEVER_STUCK}),
        scenario=HEAD_GONE,
        out=lambda: _put((TableReading, "newest_key", lambda _: 0)),
    ),
    Tooth(
        name="a plan that cannot be read is published again, though it says nothing new",
        promises=frozenset({NEVER_STUCK}),
        scenario=CHUNKS_SPOILT,
        out=_any_head_is_sound,
    ),
    Tooth(
        name="below a newest plan that cannot be used the next one heals",
        promises=frozenset({NEVER_STUCK}),
        scenario=CHUNKS_SPOILT,
        out=lambda: _put((Library, "_newest_below", lambda *_: None)),
    ),
    Tooth(
        name="a survey says what each endpoint waits for",
        promises=frozenset({NEVER_STUCK}),
        scenario=REFUSED,
        out=lambda: _put((cycle_report, "reasons_of", lambda _: ())),
    ),
)

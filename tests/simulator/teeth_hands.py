"""Take out what keeps a brake for as long as it was set, and what clocks may not end, and see which promise breaks."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Final

import msgspec

from enactor import drain, fence, judge, library, marks, observe, standing, swap
from enactor.fence import Fence, Garbled, Switch
from enactor.guards import Limits
from enactor.insist import NotDone
from enactor.records import RecordSet, content_digest, content_of

from .promises import HOLD_MEANS_HOLD, NEVER_STUCK, NEVER_UNASKED, NOT_OURS, STOP_MEANS_STOP
from .scenarios import FENCES_BROKEN
from .scenarios_clock import ALLOWED_UNTIL, ALLOWED_WHOLE_UNTIL, DRAINED_AGAIN, HELD_FOR, STOPPED_FOR
from .scenarios_hands import OTHER_FLEETS, TWO_TEXTS
from .teeth import Tooth, _put


def _stop_is_nothing() -> AbstractContextManager[None]:
    def is_running(switch: Switch | Garbled | None, _now: datetime | None) -> bool:
        return isinstance(switch, Switch)

    return _put((standing, "is_running", is_running))


def _ends_at_once() -> AbstractContextManager[None]:
    """Take whatever has an end for over."""
    return _put((fence, "has_passed", lambda until, _now: until is not None))


def _never_ends() -> AbstractContextManager[None]:
    return _put((fence, "has_passed", lambda *_: False))


def _allows_for_ever() -> AbstractContextManager[None]:
    def allowed(found: Fence, generation: int, _now: datetime | None) -> frozenset[str]:
        return frozenset(one.guard for one in found.allow if one.generation == generation)

    return _put((swap, "allowed_guards", allowed))


def _window_of_no_earlier_date() -> AbstractContextManager[None]:
    """Take a window that seems to begin in the future for none."""
    real = drain.window_of

    def window_of(base: str, aws_now: datetime | None, limits: Limits) -> drain.Window | None:
        found = real(base, aws_now, limits)
        return None if found is not None and aws_now is not None and aws_now < found.began else found

    return _put((judge, "window_of", window_of), (drain, "window_of", window_of))


CLOCK_TEETH: Final = (
    Tooth(
        name="a stopped zone is not written",
        promises=frozenset({STOP_MEANS_STOP}),
        scenario=STOPPED_FOR,
        out=_stop_is_nothing,
    ),
    Tooth(
        name="a stop with an end lasts until then",
        promises=frozenset({STOP_MEANS_STOP}),
        scenario=STOPPED_FOR,
        out=_ends_at_once,
    ),
    Tooth(
        name="a stop with an end ends by itself",
        promises=frozenset({NEVER_STUCK}),
        scenario=STOPPED_FOR,
        out=_never_ends,
    ),
    Tooth(
        name="a hold with an end lasts until then",
        promises=frozenset({HOLD_MEANS_HOLD}),
        scenario=HELD_FOR,
        out=_ends_at_once,
    ),
    Tooth(
        name="a hold with an end ends by itself",
        promises=frozenset({NEVER_STUCK}),
        scenario=HELD_FOR,
        out=_never_ends,
    ),
    Tooth(
        name="an allow that is over serves nobody",
        promises=frozenset({NEVER_UNASKED}),
        scenario=ALLOWED_UNTIL,
        out=_allows_for_ever,
    ),
    Tooth(
        name="an allow of a whole plan that is over serves nobody",
        promises=frozenset({NEVER_UNASKED}),
        scenario=ALLOWED_WHOLE_UNTIL,
        out=lambda: _put((library, "has_passed", lambda *_: False)),
    ),
    Tooth(
        name="a Date that goes back a little ends no slow-drain window",
        promises=frozenset({NEVER_UNASKED}),
        scenario=DRAINED_AGAIN,
        out=_window_of_no_earlier_date,
    ),
)


def _fleets_are_one() -> AbstractContextManager[None]:
    """Take any fence for this fleet's."""
    real = swap._wish

    def wish(question: swap.Question) -> swap.Decision:
        reading = question.view.fence
        if reading is None or not isinstance(reading.fence, Fence):
            return real(question)
        mine = msgspec.structs.replace(reading, fence=msgspec.structs.replace(reading.fence, fleet=question.fleet))
        return real(msgspec.structs.replace(question, view=msgspec.structs.replace(question.view, fence=mine)))

    return _put((swap, "_wish", wish))


def _first_text(name: str) -> Callable[[], AbstractContextManager[None]]:
    """Read the first of several texts."""
    real = getattr(observe, name)

    def read(record: RecordSet, *given: Any) -> Any:
        return real(msgspec.structs.replace(record, values=record.values[:1]), *given)

    return lambda: _put((observe, name, read))


def _everything_is_explained() -> AbstractContextManager[None]:
    """Take whatever stands without a fence for a plan's content."""
    real = judge._question

    def question(*given: Any) -> swap.Question:
        made = real(*given)
        return msgspec.structs.replace(made, kept=frozenset({content_digest(content_of(made.view.sets))}))

    return _put((judge, "_question", question))


def _adopts(passes: Callable[[Fence, str, str | None], bool]) -> Callable[[], AbstractContextManager[None]]:
    """Adopt also what some fence keeps away."""
    real = marks.why_not_adopted

    def why_not(view: swap.View, fleet: str, from_fleet: str | None = None) -> NotDone | None:
        found = view.fence.fence if view.fence else None
        if isinstance(found, Fence) and found.fleet != fleet and passes(found, fleet, from_fleet):
            return None
        return real(view, fleet, from_fleet)

    return lambda: _put((marks, "why_not_adopted", why_not))


EDIT_TEETH: Final = (
    Tooth(
        name="another fleet's fence is left alone",
        promises=frozenset({NOT_OURS}),
        scenario=OTHER_FLEETS,
        out=_fleets_are_one,
    ),
    Tooth(
        name="a fence of two texts is not read",
        promises=frozenset({NOT_OURS}),
        scenario=TWO_TEXTS,
        out=_first_text("read_fence"),
    ),
    Tooth(
        name="a switch of two texts means stop",
        promises=frozenset({STOP_MEANS_STOP}),
        scenario=TWO_TEXTS,
        out=_first_text("read_switch"),
    ),
    Tooth(
        name="record sets that no plan explains are left alone",
        promises=frozenset({NOT_OURS}),
        scenario=FENCES_BROKEN,
        out=_everything_is_explained,
    ),
    Tooth(
        name="another fleet's name is taken over where it is told",
        promises=frozenset({NOT_OURS}),
        scenario=OTHER_FLEETS,
        out=_adopts(lambda fence, _fleet, told: told is None and fence.state == "live"),
    ),
    Tooth(
        name="what another fleet holds is not taken over",
        promises=frozenset({HOLD_MEANS_HOLD}),
        scenario=OTHER_FLEETS,
        out=_adopts(lambda fence, _fleet, told: told == fence.fleet),
    ),
)

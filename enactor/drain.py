"""Decide whether many small steps take from an endpoint what one step may not: the slow drain. Pure.

A window begins with the first step that takes something. Its instant, and the digest of the content that stood then, are written
into the fence (`base=`), so that they hold across enactors, restarts and replaced disks; the content is in a kept plan. Within
the window no step may leave less of that content than the limit says, whatever was added meanwhile.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, get_args

import msgspec

from enactor.fence import Fence, instant_text
from enactor.guards import Finding, Limits, lost_capacity, weights_by_target
from enactor.records import Content, Kind, content_digest

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_BASE: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/([0-9a-f]{12})")


class Window(msgspec.Struct, frozen=True):
    """When it began, and the digest of the content that stood then."""

    began: datetime
    digest: str


def window_of(base: str, aws_now: datetime | None, limits: Limits) -> Window | None:
    """Return the window that a fence is in, None where none is open or it has ended by AWS's own clock.

    AWS answers from many machines, and the next Date may be a little before the last: a window that seems to begin in the
    future goes on, by less than its own length. What lies further ahead was written by no clock that anybody still goes by.
    """
    found = _BASE.fullmatch(base)
    if found is None:
        return None
    try:
        began = datetime.fromisoformat(found.group(1))
    except ValueError:
        return None
    if aws_now is not None and abs(aws_now - began) >= timedelta(seconds=limits.slow_drain_seconds):
        return None
    return Window(began, found.group(2))


def judge_drain(
    window: Window | None, stood: Content | None, before: Iterable[Content], target: Content, limits: Limits
) -> tuple[Finding, ...]:
    """Refuse a step that, with those before it in the window, takes more than the limit; one step alone has its own guard.

    `stood` is the content at the beginning, None where no plan at hand has it: then whatever takes something waits for the end.
    """
    taken = [kind for kind, lost in _lost(before, target).items() if lost]
    if window is None or not taken:
        return ()
    end = instant_text(window.began + timedelta(seconds=limits.slow_drain_seconds))
    way = f"this waits until the window ends at {end}, and is judged anew by itself then"
    if stood is None:
        message = f"what stood at {instant_text(window.began)} is in no plan at hand, so nobody can tell how much of it has gone: {way}"
        return (Finding(guard="slow-drain", observed="unknown", limit=limits.slow_drain, message=message),)
    limit = max(limits.slow_drain, limits.shrink_capacity)
    found = []
    for kind in taken:
        gone = lost_capacity(stood, target, kind)
        if gone > limit:
            message = (
                f"{kind}: of the capacity that stood at {instant_text(window.began)} a share of {gone:.2f} would be gone, over "
                f"the limit {limit} in {limits.slow_drain_seconds:g} s: {way}"
            )
            found.append(Finding(guard="slow-drain", wanted=round(gone, 3), limit=limit, message=message))
    return tuple(found)


def next_base(
    fence: Fence | None,
    before: Iterable[Content],
    target: Content,
    limits: Limits,
    aws_now: datetime | None,
    *,
    stood: Content | None = None,
) -> str:
    """Return what the fence says after a step: its window goes on, or one begins with this step, or there is none.

    An endpoint that grows over what stood is counted from there on: what was added may not be drained unseen either.
    """
    if fence is None:
        return ""
    window = window_of(fence.base, aws_now, limits)
    if window is not None:
        grown = stood is not None and _has_grown(stood, target)
        return f"{instant_text(window.began)}/{content_digest(target)}" if grown else fence.base
    if aws_now is None or not any(_lost(before, target).values()):
        return ""
    return f"{instant_text(aws_now)}/{fence.plan}"


def _has_grown(stood: Content, target: Content) -> bool:
    """Tell whether some kind has more targets than stood at the beginning, and none has fewer."""
    sizes = [(len(weights_by_target(stood, kind)), len(weights_by_target(target, kind))) for kind in KINDS]
    return any(now > then for then, now in sizes) and all(now >= then for then, now in sizes)


def _lost(before: Iterable[Content], target: Content) -> dict[Kind, float]:
    """Return the share of each kind's capacity that a step takes, held against whichever content it takes more of."""
    contents = [content for content in before if content]
    return {kind: max((lost_capacity(content, target, kind) for content in contents), default=0.0) for kind in KINDS}

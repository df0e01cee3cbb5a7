"""Decide whether many small steps take from an endpoint what one step may not: the slow drain. Pure.

What has gone since the start of a window is written into the fence itself (`base=`), so that it holds across enactors, restarts
and replaced disks: the instant at which the window began, and for each kind the share of its capacity, in thousandths, that no
step since has taken. Steps multiply: 40 % and then 40 % of the rest leave 36 %. Growth neither counts nor mends.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final, get_args

import msgspec

from enactor.fence import instant_text
from enactor.guards import Finding, Limits, lost_capacity
from enactor.records import Content, Kind

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
WHOLE: Final = 1_000
_BASE: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/(\d{1,4})/(\d{1,4})")


class Window(msgspec.Struct, frozen=True):
    """When it began, and the thousandths of each kind's capacity that are left of what stood then."""

    began: datetime
    left: Mapping[Kind, int]


def window_of(base: str, aws_now: datetime | None, limits: Limits) -> Window | None:
    """Return the window that a fence is in, None where none is open or it has ended by AWS's own clock."""
    found = _BASE.fullmatch(base)
    if found is None:
        return None
    try:
        began = datetime.fromisoformat(found.group(1))
    except ValueError:
        return None
    if aws_now is not None and not began <= aws_now < began + timedelta(seconds=limits.slow_drain_seconds):
        return None
    return Window(began, {kind: min(WHOLE, int(left)) for kind, left in zip(KINDS, found.groups()[1:], strict=True)})


def judge_drain(
    base: str, before: Iterable[Content], target: Content, limits: Limits, aws_now: datetime | None
) -> tuple[Finding, ...]:
    """Refuse a step that, with those before it in the window, takes more than the limit; one step alone has its own guard."""
    window = window_of(base, aws_now, limits)
    if window is None:
        return ()
    limit = max(limits.slow_drain, limits.shrink_capacity)
    lost = _lost(before, target)
    found = []
    for kind in KINDS:
        left = window.left[kind] * (1 - lost[kind]) / WHOLE
        if lost[kind] and 1 - left > limit:
            gone = 1 - window.left[kind] / WHOLE
            message = (
                f"{kind}: since {instant_text(window.began)} a share of {gone:.2f} of the capacity has gone, and this makes it "
                f"{1 - left:.2f}, over the limit {limit} in {limits.slow_drain_seconds:g} s"
            )
            found.append(
                Finding(
                    guard="slow-drain", observed=round(gone, 3), wanted=round(1 - left, 3), limit=limit, message=message
                )
            )
    return tuple(found)


def next_base(base: str, before: Iterable[Content], target: Content, limits: Limits, aws_now: datetime | None) -> str:
    """Return what the fence says after a step: the window goes on, or begins with the first step that takes something."""
    window, lost = window_of(base, aws_now, limits), _lost(before, target)
    if window is None and (aws_now is None or not any(lost.values())):
        return ""
    if window is None:
        assert aws_now is not None, "a window begins at an instant"
        window = Window(aws_now, dict.fromkeys(KINDS, WHOLE))
    left = (int(window.left[kind] * (1 - lost[kind])) for kind in KINDS)  # rounded down: never less gone than has gone
    return "/".join((instant_text(window.began), *map(str, left)))


def _lost(before: Iterable[Content], target: Content) -> dict[Kind, float]:
    """Return the share of each kind's capacity that a step takes, held against whichever content it takes more of."""
    contents = [content for content in before if content]
    return {kind: max((lost_capacity(content, target, kind) for content in contents), default=0.0) for kind in KINDS}

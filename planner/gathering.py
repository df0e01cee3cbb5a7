"""Decide when a plan that differs from the newest one is published: at once, or when what was gathered is old enough.

Pure. Fewer plans alone would have hidden the race of October 2025 for years, and every plan costs; but nobody waits for a minute
on the way out of service. Both paths are used all the time, so that neither is one that nobody knows.

    the plan differs   because                                                       it is published
    ----------------   -------                                                       ---------------
    no                 -                                                             not at all
    yes                somebody is newly unhealthy or drains, or a person edited     now
    yes                such a reason at an earlier look whose plan was not stored    now
    yes                anything else                                                 once it has differed from this newest plan for `gather`
"""

from fractions import Fraction

import msgspec

from enactor.ports import PlanHead


class Gathering(msgspec.Struct, frozen=True, kw_only=True):
    """What waits to be published."""

    since: float
    """Monotonic seconds."""
    head: PlanHead | None
    """The newest plan that it differs from."""
    urgent: tuple[str, ...] = ()


def gathered(before: Gathering | None, head: PlanHead | None, urgent: tuple[str, ...], now: float) -> Gathering:
    """Return what waits after a look whose plan differs from the newest one."""
    waiting = before.urgent if before else ()
    reasons = tuple(dict.fromkeys((*waiting, *urgent)))
    if before is None or before.head != head:
        return Gathering(since=now, head=head, urgent=reasons)
    return msgspec.structs.replace(before, urgent=reasons)


def is_due(waiting: Gathering, gather_seconds: Fraction, now: float) -> bool:
    """Tell whether it goes now."""
    return bool(waiting.urgent) or now - waiting.since >= gather_seconds

"""Decide when a plan that differs from the newest one is published: at once, or when what was gathered is old enough.

Pure. Fewer plans alone would have hidden the race of October 2025 for years, and every plan costs; but nobody waits for a minute
on the way out of service. Both paths are used all the time, so that neither is one that nobody knows.

    the plan differs   because                                                       it is published
    ----------------   -------                                                       ---------------
    no                 -                                                             not at all
    yes                somebody is newly unhealthy or drains, or a person edited     now
    yes                such a reason at an earlier look whose plan was not stored    now
    yes                this planner published just that, another replaced it     not for half an hour, or until it has something new to say
    yes                anything else                                                 once it has differed from this newest plan for `gather`
"""

from fractions import Fraction
from typing import Final

import msgspec

from enactor.ports import PlanHead

TUG_SECONDS: Final = 1800.0
"""How long a planner leaves it at another's plan that took the place of its own, while it has nothing new to say."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a planner published last, while it would still say the same."""

    head: PlanHead
    replaced_at: float | None = None
    """Monotonic seconds at which it first saw another plan in its place."""


def said_since(said: Said | None, digest: str, head: PlanHead | None, now: float) -> Said | None:
    """Return what is left of it at a look that would publish a digest; None where there is something new to say."""
    if said is None or said.head.digest != digest:
        return None
    if head == said.head:
        return msgspec.structs.replace(said, replaced_at=None)
    return said if said.replaced_at is not None else msgspec.structs.replace(said, replaced_at=now)


def is_tug(said: Said | None, now: float) -> bool:
    """Tell whether to publish would only undo what somebody else published instead of the very same (case 13).

    Two planners with two files, or with sources that see different things, would else undo each other once a minute. It ends by
    itself: the file or a signal says something new, the other agrees, or the time is over.
    """
    return said is not None and said.replaced_at is not None and now - said.replaced_at < TUG_SECONDS


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

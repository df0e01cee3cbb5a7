"""Decide which published plans the next one is held against: the newest, and every one that stood within a window.

Pure. The brake and the pace rest on the plan table and on nothing that a planner remembers, so they are right after a restart and
with two planners. A plan's instant is its `created_at`, by the clock of whoever published it; generations order plans, and clocks
do not, so no plan counts as older than one before it, and one whose instant cannot be read, or is in the future, as of a moment ago
(`UNDATED`): each of these makes a window longer, which lets signals do less.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Final

import msgspec

from enactor.plan import Endpoint, Plan, Target
from enactor.ports import PlanEntry
from planner.moving import CREDIT_MIN_SECONDS
from planner.pools import shown_alias

PLANS_MAX: Final = 200
"""How many plans of a window are looked at: a day of one every seven minutes, or two hours of one every forty seconds."""
Member = tuple[str, str]
"""A target as it is told apart: type, and address or alias."""

UNDATED: Final = timedelta(seconds=int(CREDIT_MIN_SECONDS))
"""For how long a plan stands whose date is none or in the future: in every window, and long enough for a weight to move."""


class PastPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A published plan, and since when it stands."""

    generation: int
    at: datetime
    plan: Plan


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """Published plans, newest first."""

    plans: tuple[PastPlan, ...] = ()
    is_whole: bool = True
    """Whether every plan of the longest window could be read; else signals take nothing more away."""

    @property
    def newest(self) -> PastPlan | None:
        return self.plans[0] if self.plans else None


class Sought(msgspec.Struct, frozen=True):
    """Which plans have to be read, newest first, each with since when it stands, and whether these are all."""

    plans: tuple[tuple[PlanEntry, datetime], ...]
    is_whole: bool


def sought(entries: Sequence[PlanEntry], now: datetime, window_seconds: Fraction) -> Sought:
    """Return the plans of a window: all that were published in it, and the one that stood when it began.

    Collect takes a plan away by its age, and not by how long ago it still stood: where a plan's parent is gone, so is a part of the
    window, as where a manifest cannot be read.
    """
    begin = now - timedelta(seconds=float(window_seconds))
    found: list[tuple[PlanEntry, datetime]] = []
    latest: datetime | None = None
    for entry in sorted(entries, key=lambda one: one.generation):
        at = _instant(entry.created_at)
        if at is None or at > now:  # a clock that is ahead says nothing of this plan, and less of those after it
            found.append((entry, now - UNDATED))
            continue
        latest = at if latest is None else max(latest, at)
        found.append((entry, latest))
    newest_first = found[::-1]
    stood = next((index for index, (_, at) in enumerate(newest_first) if at <= begin), len(newest_first) - 1)
    wanted = newest_first[: stood + 1]
    before = [entry.generation for entry, _ in wanted[1:]] + [0] * (not wanted or wanted[-1][1] > begin)
    is_unbroken = all(entry.parent == older for (entry, _), older in zip(wanted, before, strict=False))
    return Sought(tuple(wanted[:PLANS_MAX]), is_unbroken and len(wanted) <= PLANS_MAX)


def _instant(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def within(past: Past, now: datetime, window_seconds: Fraction) -> tuple[PastPlan, ...]:
    """Return the plans that stood at any time within a window, newest first."""
    begin = now - timedelta(seconds=float(window_seconds))
    stood = next((index for index, one in enumerate(past.plans) if one.at <= begin), len(past.plans) - 1)
    return past.plans[: stood + 1]


def member_of(target: Target) -> Member:
    """Return what makes a target of a plan the same one."""
    return (target.type, target.value if target.alias is None else shown_alias(target.alias))  # type: ignore[return-value]  # one of both is there


def weights_in(endpoint: Endpoint | None) -> dict[Member, int]:
    """Return the weight of each target; 1 where there is none, and where all are 0, as Route 53 then serves all alike."""
    if endpoint is None:
        return {}
    weights = {member_of(one): 1 if one.weight is None else one.weight for one in endpoint.targets}
    return weights if any(weights.values()) else dict.fromkeys(weights, 1)

"""Decide how healthy a load balancer is from the health of the targets behind it.

Pure. The rule of healthy or not is the one by which Route 53 judges an alias with `evaluate_target_health` (API reference of
AliasTarget): every target group that contains targets must contain a healthy one, and a load balancer whose groups are all empty is
unhealthy. So the planner and Route 53 do not contradict each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec

from planner.elbv2_reading import Balancer
from planner.observation import Signal

HEALTHY: Final = "healthy"
REGISTERED: Final = frozenset({HEALTHY, "unhealthy", "unhealthy.draining", "initial"})
"""Targets that are meant to take traffic and are checked. A target that has just come (`initial`) counts until its checks pass: after
a mass replacement nine of ten targets are in that state, and the load balancer can take a tenth."""
UNCHECKED: Final = "unavailable"
"""Health checks are turned off: ELB sends traffic there and knows nothing. Nothing is known of `draining` and `unused` either: they
are on their way out, or not in."""
GROUPS_SHOWN_MAX: Final = 3


class GroupHealth(msgspec.Struct, frozen=True):
    """One target group: how many of its targets are in each state."""

    name: str
    states: Mapping[str, int]

    @property
    def registered(self) -> int:
        return sum(count for state, count in self.states.items() if state in REGISTERED)

    @property
    def healthy(self) -> int:
        return self.states.get(HEALTHY, 0)

    @property
    def is_unchecked(self) -> bool:
        """Tell whether nothing is known of any target, while there are some."""
        return not self.registered and self.states.get(UNCHECKED, 0) > 0


def group_health(name: str, descriptions: Iterable[Mapping[str, Any]]) -> GroupHealth:
    """Return a target group's health from an answer of DescribeTargetHealth."""
    return GroupHealth(name, Counter(str(one.get("TargetHealth", {}).get("State", "")) for one in descriptions))


def signal_of(balancer: Balancer, groups: Sequence[GroupHealth]) -> Signal | None:
    """Return what the target groups say of a load balancer, None where they say nothing: it has none, or none that is checked.

    The share is that of its worst group: what it can take is bounded by the tightest of the services behind it.
    """
    telling = sorted((group for group in groups if not group.is_unchecked), key=_worst_first)
    if not telling:
        return None
    impaired = (
        f"; the load balancer is active_impaired{_because(balancer.reason)}" if balancer.state != "active" else ""
    )
    used = [group for group in telling if group.registered]
    if not used:
        shown = ", ".join(group.name for group in telling[:GROUPS_SHOWN_MAX])
        return Signal(healthy=False, why=f"no target is registered in {shown}{impaired}", capacity_share=Fraction(0))
    share = Fraction(used[0].healthy, used[0].registered)
    words = ", ".join(_words(group) for group in used[:GROUPS_SHOWN_MAX])
    more = f" and {len(used) - GROUPS_SHOWN_MAX} more target groups" if len(used) > GROUPS_SHOWN_MAX else ""
    return Signal(healthy=share > 0, why=words + more + impaired, capacity_share=share)


def _worst_first(group: GroupHealth) -> tuple[Fraction, str]:
    return (Fraction(group.healthy, group.registered) if group.registered else Fraction(1), group.name)


def _words(group: GroupHealth) -> str:
    new = group.states.get("initial", 0)
    coming = f" ({new} of them new)" if new else ""
    return f"{group.healthy} of {group.registered} targets healthy in {group.name}{coming}"


def _because(reason: str) -> str:
    text = " ".join(reason.split())[:100].rstrip(".")
    return f" ({text})" if text else ""

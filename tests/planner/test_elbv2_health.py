"""What target groups say of a load balancer, state by state."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from planner.elbv2_health import GroupHealth, group_health, signal_of
from planner.elbv2_reading import Balancer, balancer_of

ARN = "arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/edge-1/50dc6c495c0c9188"


def balancer(state: str = "active", reason: str = "") -> Balancer:
    return balancer_of({"LoadBalancerArn": ARN, "State": {"Code": state, "Reason": reason}})


def group(name: str, **states: int) -> GroupHealth:
    told = [
        {"TargetHealth": {"State": state.replace("_", ".")}} for state, count in states.items() for _ in range(count)
    ]
    return group_health(name, told)


@pytest.mark.parametrize(
    ("states", "healthy", "share", "why"),
    [
        ({"healthy": 3}, True, Fraction(1), "3 of 3 targets healthy in web"),
        ({"healthy": 1, "unhealthy": 2}, True, Fraction(1, 3), "1 of 3 targets healthy in web"),
        ({"unhealthy": 2}, False, Fraction(0), "0 of 2 targets healthy in web"),
        ({"healthy": 1, "unhealthy_draining": 1}, True, Fraction(1, 2), "1 of 2 targets healthy in web"),
        ({"healthy": 1, "initial": 9}, True, Fraction(1, 10), "1 of 10 targets healthy in web (9 of them new)"),
        ({"healthy": 2, "draining": 5, "unused": 4}, True, Fraction(1), "2 of 2 targets healthy in web"),
        ({"healthy": 1, "unavailable": 3}, True, Fraction(1), "1 of 1 targets healthy in web"),
        ({"draining": 5}, False, Fraction(0), "no target is registered in web"),
        ({}, False, Fraction(0), "no target is registered in web"),
    ],
)
def test_one_group(states: Mapping[str, int], healthy: bool, share: Fraction, why: str) -> None:
    """A target on its way in counts, one on its way out does not, and one that nobody checks says nothing."""
    signal = signal_of(balancer(), [group("web", **states)])
    assert signal is not None
    assert (signal.healthy, signal.capacity_share, signal.why) == (healthy, share, why)


@pytest.mark.parametrize("groups", [[], [group("lambda", unavailable=1)]])
def test_no_group_that_is_checked_is_no_signal(groups: list[GroupHealth]) -> None:
    assert signal_of(balancer(), groups) is None


def test_an_empty_group_beside_a_used_one_does_not_count() -> None:
    """A blue-green deployment leaves one of its two groups empty."""
    signal = signal_of(balancer(), [group("green"), group("blue", healthy=2)])
    assert signal is not None
    assert (signal.healthy, signal.why) == (True, "2 of 2 targets healthy in blue")


def test_one_group_without_a_healthy_target_makes_the_load_balancer_unhealthy() -> None:
    signal = signal_of(balancer(), [group("web", healthy=5), group("api", unhealthy=1)])
    assert signal is not None
    assert (signal.healthy, signal.capacity_share) == (False, Fraction(0))
    assert signal.why == "0 of 1 targets healthy in api, 5 of 5 targets healthy in web"


def test_only_the_worst_groups_are_named() -> None:
    signal = signal_of(balancer(), [group(f"g{number}", healthy=number, unhealthy=1) for number in range(5)])
    assert signal is not None
    assert signal.why.startswith("0 of 1 targets healthy in g0, 1 of 2 targets healthy in g1, ")
    assert signal.why.endswith(" and 2 more target groups")


def test_an_impaired_load_balancer_gives_its_reason() -> None:
    signal = signal_of(balancer("active_impaired", "No free\naddresses in subnet."), [group("web", healthy=1)])
    assert signal is not None
    assert signal.why.endswith("; the load balancer is active_impaired (No free addresses in subnet)")

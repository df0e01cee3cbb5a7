"""What DNS answers come to, row by row."""

import pytest

from enactor.fence import Fence, fence_text
from enactor.plan import Endpoint, Plan, Target
from enactor.records import Alias
from enactor.seen_outside import Lags, Reply, Verdict, fence_of, unplanned, verdict_of, worst

NAME = "api.example.test."


def v4(*values: str, rcode: str = "NOERROR", names: tuple[str, ...] = ()) -> Reply:
    return Reply(type="A", rcode=rcode, values=values, names=names)


def v6(*values: str, rcode: str = "NOERROR") -> Reply:
    return Reply(type="AAAA", rcode=rcode, values=values)


@pytest.mark.parametrize(
    ("replies", "verdict"),
    [
        ((v4("192.0.2.1"), v6()), "answering"),
        ((v4(), v6("2001:db8::1")), "answering"),
        ((v4(names=("lb.example.net.",)), v6()), "answering"),
        ((v4("192.0.2.1"), v6(rcode="no answer")), "answering"),
        ((v4(), v6()), "empty"),
        ((v4(rcode="NXDOMAIN"), v6(rcode="NXDOMAIN")), "empty"),
        ((v4(), v6(rcode="SERVFAIL")), "unknown"),
        ((v4(rcode="no answer"), v6(rcode="NXDOMAIN")), "unknown"),
        ((v4(rcode="REFUSED"), v6(rcode="REFUSED")), "unknown"),
    ],
)
def test_a_servers_replies_come_to_one_verdict(replies: tuple[Reply, ...], verdict: Verdict) -> None:
    """Nobody who did not look is taken for one who found nothing, and one type that answers is enough."""
    assert verdict_of(replies) == verdict


def test_an_endpoint_is_as_bad_as_its_worst_server() -> None:
    """A client may have been given any of them."""
    assert worst(["answering", "unknown"]) == "unknown"
    assert worst(["unknown", "answering", "empty"]) == "empty"
    assert worst(["answering"]) == "answering"
    assert worst([]) == "unknown"


def plan(*values: str, alias: bool = False) -> Plan:
    targets = tuple(Target(id=f"lb-{n}", type="A", value=value) for n, value in enumerate(values))
    if alias:
        behind = Alias(name="lb.example.net.", zone="Z0LB", evaluate_target_health=True)
        targets = (Target(id="lb", type="A", alias=behind),)
    endpoint = Endpoint(name=NAME, zone="Z0EXAMPLE", routing="simple", ttl=60, targets=targets)
    return Plan(fleet="edge", endpoints=(endpoint,))


def test_an_address_that_no_plan_has_is_told() -> None:
    """Of several plans each may be in force somewhere; a name that none of them has knows no address."""
    replies = (v4("192.0.2.1", "192.0.2.9"), v6("2001:db8::9"))
    assert unplanned(NAME, replies, [plan("192.0.2.1"), plan("192.0.2.9")]) == ("2001:db8::9",)
    assert unplanned(NAME, replies, [plan("192.0.2.1")]) == ("192.0.2.9", "2001:db8::9")
    assert unplanned("other.example.test.", replies, [plan("192.0.2.1")]) == ("192.0.2.1", "192.0.2.9", "2001:db8::9")


def test_nothing_is_told_where_nobody_can_know() -> None:
    """Without a plan, and behind an alias, whose addresses AWS chooses."""
    replies = (v4("192.0.2.1"), v6())
    assert unplanned(NAME, replies, []) == ()
    assert unplanned(NAME, replies, [plan(alias=True), plan("192.0.2.9")]) == ()


def test_a_fence_is_read_from_its_text_alone() -> None:
    """Anything else at that name is no fence."""
    fence = Fence(fleet="edge", gen=7, plan="0" * 12, by="a", nonce="1" * 16)
    assert fence_of(fence_text(fence)) == fence
    assert fence_of("v=spf1 -all") is None
    assert fence_of(None) is None


def test_a_lag_lasts_from_the_first_look_at_which_servers_disagree() -> None:
    """A server that did not say is not counted, and agreement ends it."""
    lags = Lags()
    assert lags.lag(NAME, [3, 3, None], 10.0) == 0.0
    assert lags.lag(NAME, [3, 4], 20.0) == 0.0
    assert lags.lag(NAME, [3, 4], 50.0) == 30.0
    assert lags.lag("other.example.test.", [3, 4], 50.0) == 0.0
    assert lags.lag(NAME, [4, 4], 60.0) == 0.0
    assert lags.lag(NAME, [4, 5], 70.0) == 0.0

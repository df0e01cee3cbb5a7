"""What DNS answers come to, row by row."""

import pytest

from enactor.fence import Fence, fence_text
from enactor.plan import Endpoint, Plan, Target
from enactor.records import Alias
from enactor.seen_outside import Lags, Reply, Server, Verdict, fence_of, unplanned, verdict_of, worst

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


def test_no_verdict_comes_of_no_reply() -> None:
    """A server that nobody asked is neither empty nor unknown: to judge it is a mistake of our own."""
    with pytest.raises(AssertionError, match=r"^somebody was asked something$"):
        verdict_of(())


def test_an_endpoint_is_as_bad_as_its_worst_server() -> None:
    """A client may have been given any of them."""
    assert worst(["answering", "unknown"]) == "unknown"
    assert worst(["unknown", "answering", "empty"]) == "empty"
    assert worst(["answering"]) == "answering"
    assert worst([]) == "unknown"


def endpoint(name: str, *targets: Target) -> Endpoint:
    return Endpoint(name=name, zone="Z0EXAMPLE", routing="simple", ttl=60, targets=targets)


def plan(*values: str, alias: bool = False) -> Plan:
    targets = tuple(Target(id=f"lb-{n}", type="A", value=value) for n, value in enumerate(values))
    if alias:
        behind = Alias(name="lb.example.net.", zone="Z0LB", evaluate_target_health=True)
        targets = (Target(id="lb", type="A", alias=behind),)
    return Plan(fleet="edge", endpoints=(endpoint(NAME, *targets),))


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
    other_name = Target(id="lb", type="CNAME", value="lb.example.net.")
    assert unplanned(NAME, replies, [Plan(fleet="edge", endpoints=(endpoint(NAME, other_name),))]) == ()


def test_an_endpoint_is_found_behind_others_of_its_plan() -> None:
    """The addresses and the alias of another endpoint are no word about this one."""
    behind = Target(id="lb", type="A", alias=Alias(name="lb.example.net.", zone="Z0LB", evaluate_target_health=True))
    own = Target(id="lb-0", type="A", value="192.0.2.1")
    several = Plan(fleet="edge", endpoints=(endpoint("aaa.example.test.", behind), endpoint(NAME, own)))
    assert unplanned(NAME, (v4("192.0.2.1", "192.0.2.9"),), [several]) == ("192.0.2.9",)


@pytest.mark.parametrize(
    ("server", "shown"),
    [
        (Server("192.0.2.53"), "192.0.2.53"),
        (Server("192.0.2.53", 5353), "192.0.2.53:5353"),
        (Server("2001:db8::53"), "[2001:db8::53]"),
        (Server("2001:db8::53", 5353), "[2001:db8::53]:5353"),
        (Server("192.0.2.53", name="ns-1.example.net"), "ns-1.example.net (192.0.2.53)"),
    ],
)
def test_a_server_is_shown_by_its_name_and_where_it_is_asked(server: Server, shown: str) -> None:
    """A port only where it is not that of DNS, and an address that has colons in brackets, so that the port can be told from it."""
    assert str(server) == shown


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

"""Who waits for whom: zones for each other, a decision for its tokens, an alias for its target, and a stop for nobody."""

import signal
from collections.abc import Callable
from typing import Any

import pytest

from enactor.cli.build import enactor as build_enactor
from enactor.cli.build import parts
from enactor.cycle import Enactor
from enactor.fence import Switch, switch_text
from enactor.outside import SystemClock
from enactor.sandbox.faults import FaultRule

from .history import API
from .world import CHANGE, LIST, PATIENCE_SECONDS, WEB, World, txt

V6 = {"id": "six", "type": "AAAA", "value": "2001:db8::1", "weight": 10}


class SkippingClock(SystemClock):
    """Goes forward by what is waited, at once; `told` hears of each wait."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped = 0.0
        self.told: Callable[[float], object] = float

    def now(self) -> float:
        return super().now() + self.skipped

    def sleep(self, seconds: float) -> None:
        super().sleep(0.0)
        self.told(seconds)
        self.skipped += max(0.0, seconds)


def small_share(world: World, share: str) -> tuple[Enactor, SkippingClock]:
    """Return an enactor that may use a small share of the account, and its clock."""
    world.environment["ENACTOR_ACCOUNT_SHARE"] = share
    clock = SkippingClock()
    return build_enactor(parts(world.settings("small"), clock=clock)), clock


FAR = "o.example.org."


@pytest.fixture
def beside(world: World) -> str:
    """Another zone of the fleet, open at generation 0, behind the world's own."""
    other = world.sandbox.create_zone("example.org")
    switch = Switch(fleet=world.fleet, mode="run", gen=0, plan="none", nonce="00aa00aa00aa00aa")
    world.edit("CREATE", txt(f"_switch-{world.fleet}._fence.example.org.", switch_text(switch)), zone=other)
    world.environment["ENACTOR_ZONES"] = f"{world.zone},{other}"
    return other


@pytest.mark.parametrize("share", ["0.01", "0.1"])
def test_an_empty_endpoint_of_the_second_zone_waits_for_no_large_plan_of_the_first(
    world: World, beside: str, share: str
) -> None:
    """It is repaired in the cycle that finds it, and the report names the zones in their own order."""
    small = world.endpoint(5, name=FAR) | {"zone": beside}
    world.publish(world.endpoint(1, 2), small)
    enactor, clock = small_share(world, share)
    enactor.cycle()
    many = [world.endpoint(*range(1, 11), name=f"n{number}.example.test.") for number in range(100)]
    world.publish(world.endpoint(1, 2), small, *many)
    clock.sleep(10_000.0)
    world.edit("DELETE", *world.sandbox.zone(beside).sets(FAR), zone=beside)
    report = enactor.cycle()
    assert world.sandbox.zone(beside).sets(FAR)
    assert [one.zone for one in report.zones] == [world.zone, beside]
    assert any(world.stands(f"n{number}.example.test.") for number in range(100)), "and the first has its part"


def test_a_zone_that_uses_up_its_time_leaves_the_others_theirs(world: World, beside: str) -> None:
    """Two large plans at a twentieth: the first zone waits longer for its second batch than a cycle may last, the other sends."""
    numbers = range(60)
    here = [world.endpoint(*range(1, 11), name=f"n{number}.example.test.") for number in numbers]
    there = [world.endpoint(*range(1, 11), name=f"n{number}.example.org.") | {"zone": beside} for number in numbers]
    world.publish(*here, *there)
    enactor, _ = small_share(world, "0.05")
    report = enactor.cycle()
    assert [one.error for one in report.zones] == [None, None]
    standing = world.sandbox.zone(beside)
    assert any(world.stands(f"n{number}.example.test.") for number in numbers)
    assert any(standing.sets(f"n{number}.example.org.") for number in numbers)


def test_who_goes_first_is_told_from_what_was_read_before(world: World, beside: str) -> None:
    """Where nothing changed, and the zones were read lately, a cycle over two of them asks Route 53 nothing."""
    world.publish(world.endpoint(1, 2), world.endpoint(5, name=FAR) | {"zone": beside})
    enactor = world.machine().enactor
    enactor.cycle()
    world.sandbox.reset_stats()
    report = enactor.cycle(survey_seconds=1_000.0)
    assert {one.state for one in report.endpoints} == {"current"}
    assert world.sandbox.calls(service="route53") == 0


def test_what_was_decided_before_a_long_wait_for_tokens_is_decided_again(world: World) -> None:
    """A minute goes by before the second batch may be sent: what is pointed to by then stays, and goes once nobody points there."""
    world.publish(world.simple("lb.example.org.", of="CNAME"))
    enactor, clock = small_share(world, "0.05")
    enactor.cycle()
    both = world.endpoint(1, 2)
    both["targets"].append(V6)
    names = [f"n{number}.example.test." for number in range(36)]
    many = [world.endpoint(*range(1, 11), name=name) for name in names]
    world.publish(both, *many, flags=["--unguarded"])
    clock.sleep(10_000.0)
    waits: list[float] = []
    target = {"DNSName": API, "HostedZoneId": world.zone, "EvaluateTargetHealth": False}
    pointer = {"Name": "www.example.test.", "Type": "CNAME", "AliasTarget": target}

    def point(seconds: float) -> None:
        if seconds > 30.0 and not waits:
            waits.append(seconds)
            world.edit("CREATE", pointer)

    clock.told = point
    enactor.cycle()
    assert waits
    enactor.cycle()
    assert [one.split()[0] for one in world.stands()] == ["CNAME"]
    assert all(world.stands(name) for name in names)
    world.edit("DELETE", pointer)
    enactor.cycle()
    assert [one.split()[0] for one in world.stands()] == ["A", "A", "AAAA"]


def test_what_waits_long_for_its_tokens_is_sent_in_the_end(world: World) -> None:
    """At a hundredth each batch is dearer than the bucket: each cycle sends one, and the one after it finds its tokens there."""
    world.publish(*(world.endpoint(*range(1, 11), name=f"n{number}.example.test.") for number in range(100)))
    enactor, _ = small_share(world, "0.01")
    watch = world.watch()
    sent = []
    for _cycle in range(3):
        enactor.cycle()
        sent.append(len(watch.applied))
    assert sent == [1, 2, 3]
    assert all(world.stands(f"n{number}.example.test.") for number in range(100))


def test_an_alias_whose_target_goes_alone_is_sent_behind_it_in_the_same_cycle(world: World) -> None:
    """What lost twice goes behind the rest; were the alias to it sent before, Route 53 would reject it, and it would wait."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine()
    machine.cycle()
    target = {"name": WEB, "zone": world.zone, "evaluate_target_health": False}
    www: dict[str, Any] = {"name": "www.example.test.", "zone": world.zone, "routing": "simple"}
    www["targets"] = [{"id": "x", "type": "A", "alias": target}]
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB), www)
    said = (
        f"[Tried to create resource record set [name='{WEB}', type='A', set-identifier='lb-7'] but it already exists]"
    )
    world.fault(FaultRule(action="reject", operation=CHANGE, zone=world.zone, names=(WEB,), count=2, message=said))
    machine.cycle()
    assert (len(world.stands(WEB)), len(world.stands("www.example.test."))) == (1, 1)


def test_a_stop_is_seen_before_a_lost_answer_is_read_back(world: World) -> None:
    """SIGTERM while a change is on its way, whose answer is lost: nothing more is asked, and the status is 0."""
    world.publish(world.endpoint(1, 2))
    held = world.hold_change()
    world.fault(FaultRule(action="disconnect", operation=CHANGE, zone=world.zone))
    worker = world.worker("w")
    world.wait_held()
    world.sandbox.reset_stats()
    worker.process.send_signal(signal.SIGTERM)
    world.sandbox.release(held)
    assert worker.process.wait(PATIENCE_SECONDS) == 0
    assert (world.sandbox.calls(CHANGE), world.sandbox.calls(LIST)) == (1, 0)


def test_a_stop_is_seen_before_each_page_of_a_listing(world: World) -> None:
    """SIGTERM while one of many pages is on its way: that one is waited for, and no further one is asked for."""
    world.publish(*(world.endpoint(1, 2, name=f"n{number}.example.test.") for number in range(20)))
    world.machine().cycle()
    world.sandbox.configure(page_max_sets=2)
    held = world.fault(FaultRule(action="hold", operation=LIST, zone=world.zone, skip=3))
    worker = world.worker("w")
    world.wait_held()
    world.sandbox.reset_stats()
    worker.process.send_signal(signal.SIGTERM)
    world.sandbox.release(held)
    assert worker.process.wait(PATIENCE_SECONDS) == 0
    assert world.sandbox.calls(LIST) == 1

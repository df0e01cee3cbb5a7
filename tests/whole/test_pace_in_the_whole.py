"""Who waits for whom: zones for each other, a decision for its tokens, an alias for its target, and a stop for nobody."""

import signal
from collections.abc import Callable
from typing import Any

from enactor.cli.build import enactor as build_enactor
from enactor.cli.build import parts
from enactor.cycle import Enactor
from enactor.outside import SystemClock
from enactor.sandbox.faults import FaultRule

from .history import API
from .world import CHANGE, LIST, PATIENCE_SECONDS, WEB, World

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

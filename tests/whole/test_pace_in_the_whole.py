"""Who waits for whom: zones for each other, a decision for its tokens, an alias for its target, and a stop for nobody."""

import signal
from typing import Any

from enactor.sandbox.faults import FaultRule

from .world import CHANGE, LIST, PATIENCE_SECONDS, WEB, World


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

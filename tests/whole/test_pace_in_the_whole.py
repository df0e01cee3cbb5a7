"""Who waits for whom: zones for each other, a decision for its tokens, an alias for its target, and a stop for nobody."""

import signal

from enactor.sandbox.faults import FaultRule

from .world import CHANGE, LIST, PATIENCE_SECONDS, World


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

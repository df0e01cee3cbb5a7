"""SIGTERM ends a worker within ten seconds whatever it waits for, and nothing that it leaves behind needs a person."""

import signal

import pytest

from enactor.sandbox.faults import FaultRule, Service

from .world import CHANGE, LIST, World, until

PROMISED_SECONDS = 10.0


@pytest.mark.parametrize(
    ("service", "operation"),
    [("route53", LIST), ("route53", CHANGE), ("dynamodb", "GetItem"), ("dynamodb", "Query"), ("dynamodb", "PutItem")],
)
def test_a_worker_whose_call_is_swallowed_ends_all_the_same(world: World, service: Service, operation: str) -> None:
    """Nobody answers it, and its own limit and its repeats are longer than a service manager waits before it kills."""
    world.publish(world.endpoint(1, 2))
    zone = world.zone if service == "route53" else None
    held = world.fault(FaultRule(action="hold", service=service, operation=operation, zone=zone, count=None))
    worker = world.worker("az1")
    world.wait_held()
    for _ in range(2):  # who asks twice is not waited for longer
        worker.process.send_signal(signal.SIGTERM)
    try:
        assert worker.process.wait(PROMISED_SECONDS) == 0
    finally:
        world.sandbox.remove_fault(held)
        world.sandbox.release(held)
    assert worker.events()[-1]["event"] == "stopped"
    machine = world.machine("az2")
    machine.cycle()
    assert machine.cycle().outcome == "unchanged"
    assert len(world.stands()) == 2


def test_a_worker_that_was_asked_to_end_says_so(world: World) -> None:
    """It would stand as SILENT for an hour otherwise, and somebody would look for it."""
    world.publish(world.endpoint(1, 2))
    worker = world.worker("az1")
    until(worker.cycles, "a first cycle")
    assert worker.ended(signal.SIGTERM) == 0
    (said,) = world.machine("az2").doors.table.announcements()
    assert (said.id, said.generation, said.presence) == ("az1", 1, "ended")

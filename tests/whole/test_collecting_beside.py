"""A worker's collection stands in nobody's way: a table that lets it hang, and an endpoint that is repaired meanwhile."""

from enactor.cli.collecting import Collecting
from enactor.hooks import Event
from enactor.report_collect import CollectReport
from enactor.sandbox.faults import FaultRule

from .history import API
from .world import PATIENCE_SECONDS, World, until


def test_an_endpoint_is_repaired_while_a_collection_hangs(world: World) -> None:
    """Its first question to the table is held; a cycle heals what was wiped; let go, the collection ends and is told, once."""
    for last in (2, 3, 4):
        world.publish(world.endpoint(*range(1, last)))
    machine = world.machine()
    machine.cycle()
    heard: list[Event] = []
    ended: list[CollectReport] = []
    failed: list[tuple[str, str]] = []
    beside = Collecting(machine.doors, heard.append, ended.append, lambda *what: failed.append(what))
    world.fault(FaultRule(action="hold", service="dynamodb", operation="Query", contains="plan#"))
    beside.begin()
    (held,) = world.wait_held()
    beside.begin()  # while one is under way there is no second
    world.edit("DELETE", *world.sandbox.zone(world.zone).sets(API))
    assert world.stands() == ()
    assert machine.cycle().outcome == "changed"
    assert len(world.stands()) == 3
    assert ended == []
    world.sandbox.release(held.token)
    beside.join(PATIENCE_SECONDS)
    (report,) = ended
    assert [(plan.generation, plan.decision) for plan in report.plans] == [(3, "kept"), (2, "kept"), (1, "kept")]
    assert (failed, bool(heard)) == ([], True)


def test_a_collection_that_fails_is_told_and_tried_again(world: World) -> None:
    """By its name and with its reason; the worker goes on."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine()
    ended: list[CollectReport] = []
    failed: list[tuple[str, str]] = []
    beside = Collecting(machine.doors, lambda _: None, ended.append, lambda *what: failed.append(what))
    world.fault(FaultRule(action="deny", service="dynamodb", operation="Query", contains="plan#"))
    beside.begin()
    beside.join(PATIENCE_SECONDS)
    ((name, why),) = failed
    assert (name, "plan table" in why or "table" in why, ended) == ("collect", True, [])
    beside.begin()
    until(lambda: ended, "the next collection")


def test_a_collection_ends_with_the_worker(world: World) -> None:
    """A stop ends it at its next wait, and is nobody's failure."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine()
    told: list[object] = []
    beside = Collecting(machine.doors, lambda _: None, told.append, lambda *what: told.append(what))
    machine.doors.clock.stop()
    beside.begin()
    beside.join(PATIENCE_SECONDS)
    assert told == []

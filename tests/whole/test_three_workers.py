"""Case 14: three enactors on one zone, as real processes and in step; nobody coordinates them but the zone itself."""

import signal

from enactor.sandbox.faults import FaultRule

from .history import API, lines
from .world import CHANGE, PATIENCE_SECONDS, WEB, Worker, World, status_of, until

NAMES = (API, WEB, "cdn.example.test.")
ERRORS = {"error", "critical"}


def are_current(worker: Worker, generation: int) -> bool:
    """Tell whether a worker ended a cycle on this generation with everything as wanted."""
    ended = worker.events("cycle-ended")
    return bool(ended) and (ended[-1]["generation"], list(ended[-1]["states"])) == (generation, ["current"])


def test_case_14_three_workers_change_each_endpoint_once_and_end_on_sigterm(world: World) -> None:
    """Three processes, one plan: each endpoint is written once, no line is an error; one killed, two go on; SIGTERM ends with 0."""
    watch = world.watch()
    world.publish(*(world.endpoint(1, 2, name=name) for name in NAMES))
    workers = [world.worker(name, every="0.3s") for name in ("az1", "az2", "az3")]
    until(lambda: all(are_current(worker, 1) for worker in workers), "three workers see gen 1 in place")
    assert [len(watch.touching(name)) for name in NAMES] == [1, 1, 1]

    dead, *others = workers
    assert dead.ended(signal.SIGKILL) == -signal.SIGKILL
    world.publish(*(world.endpoint(1, 2, 3, name=name) for name in NAMES))
    until(lambda: all(are_current(worker, 2) for worker in others), "two workers see gen 2 in place")
    assert [len(watch.touching(name)) for name in NAMES] == [2, 2, 2]
    assert [watch.states(name) for name in NAMES] == [[(), lines(1, 2), lines(1, 2, 3)]] * 3

    assert [worker.ended(signal.SIGTERM) for worker in others] == [0, 0]
    assert not any(worker.has_orphans() for worker in workers)
    for worker in workers:
        assert not [one for one in worker.events() if one["level"] in ERRORS]
        assert {one["outcome"] for one in worker.events("cycle-ended")} <= {"changed", "unchanged"}
        assert {one["outcome"] for one in worker.events("batch-ended")} <= {"applied", "conflicted"}


def test_case_14_the_losers_of_the_same_second_say_current(world: World) -> None:
    """Three decisions made on one state, evaluated one after the other: one lands, two conflict, look, and report no error."""
    world.publish(*(world.endpoint(1, 2, name=name) for name in NAMES))
    watch = world.watch()
    handle = world.fault(FaultRule(action="hold", operation=CHANGE, zone=world.zone, count=3))
    machines = [world.machine(name) for name in ("az1", "az2", "az3")]
    for machine in machines:
        machine.begin()
    world.wait_held(3)
    world.sandbox.release(handle)
    reports = [machine.end() for machine in machines]
    assert [status_of(report) for report in reports] == [0, 0, 0]
    assert sorted(report.outcome for report in reports) == ["changed", "unchanged", "unchanged"]
    assert {(one.state, one.action in {"none", "swapped"}) for report in reports for one in report.endpoints} == {
        ("current", True)
    }
    assert sorted(batch.outcome for batch in watch.batches) == ["InvalidChangeBatch"] * 2 + ["applied"]
    assert [len(watch.touching(name)) for name in NAMES] == [1, 1, 1]


def test_a_worker_told_to_end_in_the_middle_of_a_pass_sends_nothing_more(world: World) -> None:
    """SIGTERM while the first of two batches is on its way: that one lands whole, the second is never sent, status 0."""
    names = [f"ep{number}.example.test." for number in range(70)]
    world.publish(*(world.endpoint(1, 2, name=name) for name in names))
    world.machine().cycle()
    world.publish(*(world.endpoint(1, 2, 3, name=name) for name in names))
    watch, held = world.watch(), world.hold_change()
    worker = world.worker("az1")
    world.wait_held()
    worker.process.send_signal(signal.SIGTERM)
    world.sandbox.release(held)
    assert worker.process.wait(PATIENCE_SECONDS) == 0
    assert [batch.applied for batch in watch.batches] == [True]
    assert {world.stands(name) for name in names} == {lines(1, 2), lines(1, 2, 3)}
    assert [one["event"] for one in worker.events()][-1] == "stopped"

"""Requests that were decided and sent in time, and are evaluated late: the delayed writer of October 2025, in all its forms.

Each test holds a request inside the sandbox, lets the world go on, lets the request go, and then knows the zone to the letter.
"""

import json
import signal

import pytest

from enactor import outside
from enactor.ports import Stopping
from enactor.sandbox.faults import FaultRule

from .history import API, lines
from .world import CHANGE, LIST, WEB, World, record, status_of, until

STALE = "[Tried to delete resource record set [name='api._fence.example.test.', type='TXT'] but it was not found]"
SHORT_SECONDS = 1.0
X, Y, Z = (1, 2), (1, 2, 3), (1, 2, 4)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An enactor that waits one second for an answer, not ten."""
    monkeypatch.setattr(outside, "READ_TIMEOUT_SECONDS", SHORT_SECONDS)


def test_an_older_plan_of_another_enactor_arrives_after_a_newer_one_was_opened(world: World) -> None:
    """A sends gen 2, B opens and applies gen 3, then A's batch is evaluated: it fails whole, and A is current, without error."""
    world.publish(world.endpoint(*X), world.endpoint(*X, name=WEB))
    world.machine("a").cycle()
    world.publish(world.endpoint(*Y), world.endpoint(*Y, name=WEB))
    watch, held = world.watch(), world.hold_change()
    late = world.machine("a")
    late.begin()
    world.wait_held()
    world.publish(world.endpoint(*Z), world.endpoint(*X, name=WEB))
    assert world.machine("b").cycle().outcome == "changed"
    world.sandbox.release(held)
    report = late.end()
    assert (status_of(report), report.outcome) == (0, "unchanged")
    assert {endpoint.state for endpoint in report.endpoints} == {"current"}
    assert [batch.outcome for batch in watch.batches] == ["applied", "InvalidChangeBatch"]
    assert watch.states() == [lines(*X), lines(*Z)]
    assert watch.states(WEB) == [lines(*X), lines(*X)]
    assert " gen=3 " in world.switch_text()


def test_contents_x_y_x_with_the_batch_of_y_late_end_at_x(world: World) -> None:
    """The roll-back to X changes no fence at the endpoint, so only the open generation keeps the late Y out."""
    world.publish(world.endpoint(*X))
    world.machine("a").cycle()
    world.publish(world.endpoint(*Y))
    watch, held = world.watch(), world.hold_change()
    late = world.machine("a")
    late.begin()
    world.wait_held()
    world.publish(world.endpoint(*X))
    opening = world.machine("b").cycle()
    assert (opening.changes, opening.calls.change) == (2, 1), "gen 3 changes nothing, and is opened all the same"
    late.doors.clock.stop()  # A's process is told to end: what it sent is all that it can do
    world.sandbox.release(held)
    late.join()
    assert isinstance(late.error, Stopping)
    assert watch.batches[-1].outcome == "InvalidChangeBatch"
    assert watch.states() == [lines(*X), lines(*X)]
    assert " gen=3 " in world.switch_text()
    assert " gen=1 " in world.fence_text()


def test_the_second_batch_of_an_older_plan_arrives_after_a_newer_one_was_opened(world: World) -> None:
    """Not only the batch that opens asserts the switch: a later one of the same pass fails too, at endpoints that Y left alone."""
    names = [f"ep{number}.example.test." for number in range(70)]
    world.publish(*(world.endpoint(*X, name=name) for name in names))
    world.machine("a").cycle()
    world.publish(*(world.endpoint(*Y, name=name) for name in names))
    watch, held = world.watch(), world.hold_change(skip=1)
    late = world.machine("a")
    late.begin()
    (kept,) = world.wait_held()
    inside = [name for name in names if name in kept.call.names]
    assert 0 < len(inside) < len(names)
    world.publish(*(world.endpoint(*(X if name in inside else Y), name=name) for name in names))
    assert world.machine("b").cycle().calls.change == 1
    world.sandbox.release(held)
    assert status_of(late.end()) == 0
    assert [batch.applied for batch in watch.batches] == [True, True, False]
    assert {world.stands(name) for name in inside} == {lines(*X)}
    assert {world.stands(name) for name in names if name not in inside} == {lines(*Y)}


@pytest.mark.parametrize("moment", ["while stopped", "after the start"])
@pytest.mark.parametrize("kind", ["opening", "repair"])
def test_a_batch_from_before_a_stop_changes_nothing_later(world: World, kind: str, moment: str) -> None:
    """Stop means stop, for what is on its way too, and the start does not let it in again: the switch has another nonce."""
    world.publish(world.endpoint(*X))
    world.machine("a").cycle()
    before = world.switch_text()
    if kind == "opening":
        world.publish(world.endpoint(*Y))
    else:  # a set that nobody's plan knows; its repair asserts a switch whose generation no start changes
        world.edit("CREATE", record("192.0.2.99", SetIdentifier="by-hand", Weight=10))
    stood, watch, held = world.stands(), world.watch(), world.hold_change()
    late = world.machine("a")
    late.begin()
    world.wait_held()
    late.doors.clock.stop()
    assert world.run("stop", "--zone", world.zone).exit_code == 0
    if moment == "after the start":
        assert world.run("start", "--zone", world.zone).exit_code == 0
    world.sandbox.release(held)
    late.join()
    assert [batch.outcome for batch in watch.batches if "by=a" in batch.comment] == ["InvalidChangeBatch"]
    assert set(watch.states()) == {stood}
    assert ("mode=run" in world.switch_text()) == (moment == "after the start")
    assert world.switch_text() != before


def test_a_hold_put_on_by_hand_while_a_batch_is_on_its_way_stays(world: World) -> None:
    """A person freezes the endpoint in its fence; only the fence keeps the late batch out, as neither switch nor sets moved."""
    world.publish(world.endpoint(*X))
    world.machine("a").cycle()
    world.publish(world.endpoint(*Y))
    held = world.hold_change()
    late = world.machine("a")
    late.begin()
    world.wait_held()
    world.retype("api._fence.example.test.", world.fence_text().strip('"').replace("state=live", "state=hold"))
    watch = world.watch()
    world.sandbox.release(held)
    report = late.end()
    assert (status_of(report), report.endpoints[0].state) == (0, "held")
    assert [batch.outcome for batch in watch.batches] == ["InvalidChangeBatch", "applied"], "then gen 2 is opened alone"
    assert watch.states() == [lines(*X)] * 2
    assert "state=hold" in world.fence_text()


def behind_an_open_zone(world: World) -> None:
    """Open gen 2 without applying it: the zone says 2, the endpoint still has the content of gen 1."""
    world.publish(world.endpoint(*X))
    world.machine("a").cycle()
    world.publish(world.endpoint(*Y))
    world.fault(FaultRule(action="reject", operation=CHANGE, zone=world.zone, names=(API,), message="[not this one]"))
    assert status_of(world.machine("a").cycle()) == 1
    assert (" gen=2 " in world.switch_text(), world.stands()) == (True, lines(*X))


@pytest.mark.parametrize("read", [2, 3, 6, 7])
def test_an_endpoint_rewritten_between_two_reads_never_becomes_a_mix(world: World, read: int) -> None:
    """Y lands without touching the switch while another enactor, which wants Z, is between fences and record sets.

    Reads 2 and 3 are a survey's fence range and listing, 6 and 7 the same two after a conflict. Had it the sets of X and the
    fence of Y, it would only add target 4, and X, Y and Z would stand together.
    """
    behind_an_open_zone(world)
    watch = world.watch()
    change = world.hold_change()
    other = world.machine("b")
    other.begin()
    world.wait_held(1)
    world.publish(world.endpoint(*Z))
    if read > 3:
        world.fault(FaultRule(action="reject", operation=CHANGE, zone=world.zone, message=STALE))
    page = world.fault(FaultRule(action="hold", operation=LIST, zone=world.zone, skip=read - 1))
    reader = world.machine("c")
    reader.begin()
    world.wait_held(2)
    world.sandbox.release(change)
    world.sandbox.release(page)
    assert status_of(reader.end()) == 0
    assert status_of(other.end()) == 0
    states = watch.states()
    assert set(states) <= {lines(*X), lines(*Y), lines(*Z)}
    assert (lines(*Y) in states, states[-1]) == (True, lines(*Z))


def test_a_survey_that_is_overtaken_says_what_stands(world: World) -> None:
    """What moved between a survey's two reads is read again: nobody is told of a state that never stood."""
    world.publish(world.endpoint(*X))
    world.machine("a").cycle()
    world.publish(world.endpoint(*Y))
    page = world.fault(FaultRule(action="hold", operation=LIST, zone=world.zone, skip=2))
    survey = world.spawn("survey", "--json")
    world.wait_held()
    world.machine("b").cycle()
    world.sandbox.release(page)
    _, stdout, _ = survey.ended()
    (found,) = json.loads(stdout)["endpoints"]
    assert (found["state"], found["generation"], found["answering"]) == ("current", 2, True)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("action", "sent", "outcomes"),
    [
        ("error-after", 1, ["applied"]),
        ("timeout-after", 1, ["applied"]),
        ("timeout-before", 2, ["timeout-before", "applied"]),
        ("error-before", 2, ["InternalFailure", "applied"]),
        ("disconnect", 2, ["disconnect", "applied"]),
    ],
)
def test_a_lost_answer_is_looked_for_and_nothing_is_sent_twice(
    world: World, action: str, sent: int, outcomes: list[str]
) -> None:
    """What landed is found by its fence and not sent again; what did not land is decided anew. Either way: once, and no error."""
    world.publish(world.endpoint(*X))
    world.machine().cycle()
    world.publish(world.endpoint(*Y))
    watch, reads = world.watch(), world.sandbox.calls(LIST)
    world.fault(FaultRule(action=action, operation=CHANGE, zone=world.zone, seconds=SHORT_SECONDS + 0.3))  # type: ignore[arg-type]
    status, report = world.once()
    assert (status, report["outcome"], report["calls"]["change"]) == (0, "changed", sent)
    assert [batch.outcome for batch in watch.batches] == outcomes
    assert watch.states() == [lines(*X), lines(*Y)]
    assert world.sandbox.calls(LIST) > reads + 3, "a survey is three reads; the fence was read besides"
    assert len({str(batch.changes) for batch in watch.batches}) == sent, (
        "no batch is like another: a new nonce each time"
    )


@pytest.mark.parametrize("lost", [0, 1])
@pytest.mark.parametrize(("action", "sent"), [("error-after", 2), ("error-before", 3)])
def test_a_lost_answer_to_one_of_two_batches_sends_only_what_did_not_land(
    world: World, action: str, sent: int, lost: int
) -> None:
    """Whichever of the two is lost, the one that opens or the one that asserts what was opened: each endpoint changes once."""
    names = [f"ep{number}.example.test." for number in range(70)]
    world.publish(*(world.endpoint(*X, name=name) for name in names))
    world.once()
    world.publish(*(world.endpoint(*Y, name=name) for name in names))
    watch = world.watch()
    world.fault(FaultRule(action=action, operation=CHANGE, zone=world.zone, skip=lost))  # type: ignore[arg-type]
    status, report = world.once()
    assert (status, report["outcome"], report["calls"]["change"]) == (0, "changed", sent)
    assert [len(watch.touching(name)) for name in names] == [1] * len(names)
    assert {world.stands(name) for name in names} == {lines(*Y)}


@pytest.mark.parametrize(("action", "sent"), [("error-after", 1), ("error-before", 2)])
def test_a_lost_answer_to_an_opening_alone_is_looked_for_in_the_switch(world: World, action: str, sent: int) -> None:
    """An opening without swaps has no fence to read back; its nonce in the switch says whether it landed."""
    world.publish(world.endpoint(*X))
    world.machine().cycle()
    world.publish(world.endpoint(*Y))
    world.publish(world.endpoint(*X))
    watch = world.watch()
    world.fault(FaultRule(action=action, operation=CHANGE, zone=world.zone))  # type: ignore[arg-type]
    status, report = world.once()
    assert (status, report["outcome"], report["calls"]["change"]) == (0, "changed", sent)
    assert len(watch.applied) == 1
    assert " gen=3 " in world.switch_text()


@pytest.mark.usefixtures("impatient")
def test_a_batch_that_nobody_waits_for_any_more_lands_before_the_next_decision_is_evaluated(world: World) -> None:
    """The first batch times out, is read as not landed, and lands then: the second conflicts, and finding itself it is no error."""
    world.publish(world.endpoint(*X))
    world.machine().cycle()
    world.publish(world.endpoint(*Y))
    watch, handle = world.watch(), world.hold_change(count=2)
    machine = world.machine()
    machine.begin()
    first, second = world.wait_held(2)
    world.sandbox.release(first.token)
    world.sandbox.release(second.token)
    report = machine.end()
    assert (status_of(report), report.endpoints[0].state) == (0, "current")
    assert [batch.outcome for batch in watch.batches] == ["applied", "InvalidChangeBatch"]
    assert watch.states() == [lines(*X), lines(*Y)]
    assert world.sandbox.release(handle) == 0


@pytest.mark.parametrize("arrives", ["before the others", "after the others", "after a roll-back"])
def test_kill_9_of_a_worker_with_a_batch_on_its_way(world: World, arrives: str) -> None:
    """A dead worker's batch lands whole or not at all, by what stands when it arrives; its restart finds all current."""
    world.publish(world.endpoint(*X))
    world.machine("a").cycle()
    world.publish(world.endpoint(*Y))
    watch, held = world.watch(), world.hold_change()
    dead = world.worker("a")
    world.wait_held()
    assert dead.ended(signal.SIGKILL) == -signal.SIGKILL
    wanted = {"before the others": Y, "after the others": Z, "after a roll-back": X}[arrives]
    if arrives == "before the others":
        world.sandbox.release(held)
    world.publish(world.endpoint(*wanted), expect=0)
    assert status_of(world.machine("b").cycle()) == 0
    if arrives != "before the others":
        world.sandbox.release(held)
        assert not watch.batches[-1].applied
    states = watch.states()
    assert (set(states) <= {lines(*X), lines(*wanted)}, states[-1]) == (True, lines(*wanted))
    sent = len(watch.batches)
    again = world.worker("a")
    until(again.cycles, "the restarted worker has done a cycle")
    assert again.ended(signal.SIGTERM) == 0
    assert {(one["outcome"], *one["states"]) for one in again.events("cycle-ended")} == {("unchanged", "current")}
    assert len(watch.batches) == sent
    assert not again.has_orphans()

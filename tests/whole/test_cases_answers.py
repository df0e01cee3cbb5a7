"""Cases about what Route 53 answers: throttled, busy, wrong, or half; and what is remembered of an answer."""

import boto3
import pytest

from enactor.batch import SWAPS_GOAL
from enactor.outside import ZoneAccess, gate_limits
from enactor.ports import Throttled
from enactor.route53 import READ_TRIES, Route53Zones
from enactor.sandbox.faults import FaultRule

from .history import API, answers, lines, touched
from .world import CHANGE, LIST, WEB, HastyClock, LowChance, World, status_of


def test_case_12_the_sleeper_of_october_2025(world: World) -> None:
    """A sends gen 5 and sleeps; B applies gen 8 and collects; A's batch fails, gen 8 stands, nothing referenced was deleted."""
    for last in range(1, 5):
        world.publish(world.endpoint(1, 2, 10 + last), world.endpoint(1, 2, name=WEB))
        world.once()
    world.publish(world.endpoint(1, 2, 15), world.endpoint(1, 2, name=WEB))
    watch, held = world.watch(), world.hold_change()
    sleeper = world.machine("a")
    sleeper.begin()
    world.wait_held()
    for last in range(6, 9):
        world.publish(world.endpoint(1, 2, 10 + last), world.endpoint(1, 2, name=WEB))
    assert world.machine("b").cycle().outcome == "changed"
    collected = world.run("collect", "--keep-newest", "1", "--keep-hours", "0", "--json")
    assert (collected.exit_code, collected.stdout.count('"deleted"')) == (0, 7)
    world.sandbox.release(held)
    assert (status_of(sleeper.end()), world.stands()) == (0, lines(1, 2, 18))
    assert watch.states() == [lines(1, 2, 14), lines(1, 2, 18)]
    assert watch.states(WEB) == [lines(1, 2)] * 2
    assert " gen=8 " in world.switch_text()
    world.edit("DELETE", *world.sandbox.zone(world.zone).sets(WEB))  # its fence is of gen 1, which is collected
    assert world.once()[0] == 0
    assert world.stands(WEB) == lines(1, 2), "what the fence names was still there to heal from"


@pytest.mark.parametrize("action", ["error-after", "reject"])
def test_case_17_a_missing_exception_decides_nothing(world: World, action: str) -> None:
    """InvalidChangeBatch `not found`, for a batch that landed or did not: the outcome is what a read then shows."""
    world.publish(world.endpoint(1, 2, 3))
    world.once()
    world.publish(world.endpoint(1, 2))
    watch = world.watch()
    message = "[Tried to delete resource record set [name='api.example.test.', type='A', set identifier='lb-3'] but it was not found]"
    world.fault(
        FaultRule(
            action=action,  # type: ignore[arg-type]
            operation=CHANGE,
            zone=world.zone,
            code="InvalidChangeBatch",
            message=message,
            status=400,
        )
    )
    status, report = world.once()
    assert (status, report["endpoints"][0]["state"]) == (0, "current")
    assert len(watch.applied) == 1
    assert watch.states() == [lines(1, 2, 3), lines(1, 2)]


def test_cases_33_and_61_state_is_kept_by_zone_id(world: World) -> None:
    """Two zones of one name; the second is throttled while the first is done: the first is written once, the second repaired."""
    second = world.sandbox.create_zone("example.test")
    world.open_zone(second)
    world.environment["ENACTOR_ZONES"] += f",{second}"
    world.publish(world.endpoint(1, 2), world.endpoint(3, 4) | {"zone": second})
    world.fault(FaultRule(action="throttle", operation=CHANGE, zone=second, count=2))
    watch = world.watch()
    machine = world.machine()
    assert status_of(machine.cycle()) == 0
    assert status_of(machine.cycle()) == 0
    assert (len(watch.batches), len(world.sandbox.batches(second))) == (1, 3)
    assert (world.stands(), answers(world.sandbox.zone(second), API)) == (lines(1, 2), lines(3, 4))


def test_case_37_a_busy_zone_backs_off_alone_and_no_endpoint_failed(world: World) -> None:
    """PriorRequestNotComplete five times: the same zone later, no failure of the endpoint, and the other zone waits for nothing."""
    other = world.sandbox.create_zone("example.test")
    world.open_zone(other)
    world.environment["ENACTOR_ZONES"] += f",{other}"
    world.publish(world.endpoint(1, 2), world.endpoint(3, 4) | {"zone": other})
    world.fault(FaultRule(action="busy", operation=CHANGE, zone=world.zone, count=5))
    report = world.machine().cycle()
    assert (status_of(report), {one.action for one in report.endpoints}) == (0, {"swapped"})
    outcomes = [batch.outcome for batch in world.sandbox.batches(world.zone)]
    assert outcomes == ["PriorRequestNotComplete"] * 5 + ["applied"]
    assert [batch.outcome for batch in world.sandbox.batches(other)] == ["applied"]


class NotedChance(LowChance):
    """Waits at their least, and the bounds between which each was drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[float, float]] = []

    def uniform(self, low: float, high: float) -> float:
        self.asked.append((low, high))
        return super().uniform(low, high)


@pytest.mark.parametrize("tries", [1, 3, READ_TRIES])
def test_case_38_n_tries_are_n_tries(world: World, tries: int) -> None:
    """A read set to N tries is sent N times, not once and not N times the SDK's own; waits are drawn by chance, each bound twice the last."""
    settings, clock, chance = world.settings(), HastyClock(), NotedChance()
    access = ZoneAccess(settings, boto3.Session(), clock)
    zones = Route53Zones(
        access.client,
        budget_of=access.budget,
        limits_of=lambda name: gate_limits(settings.limits, name),
        clock=clock,
        chance=chance,
        hook=lambda _event: None,
        read_tries=tries,
    )
    world.fault(FaultRule(action="throttle", operation=LIST, zone=world.zone, count=None))
    before = world.sandbox.calls(LIST, "Throttling")
    with pytest.raises(Throttled, match=world.zone):
        zones.listing(world.zone)
    assert world.sandbox.calls(LIST, "Throttling") - before == tries
    bounds = [(0.0, 0.5), (0.0, 1.0), (0.0, 2.0), (0.0, 4.0)]
    assert chance.asked == bounds[:tries], "one is drawn after the last try too, and not waited"


def test_case_40_a_throttled_batch_comes_again_whole(world: World) -> None:
    """A batch of 200 changes is throttled twice: the same work later, never in single calls."""
    names = [f"ep{number}.example.test." for number in range(SWAPS_GOAL)]
    world.publish(*(world.endpoint(1, 2, 3, 4, name=name) for name in names))
    world.fault(FaultRule(action="throttle", operation=CHANGE, zone=world.zone, count=2))
    watch = world.watch()
    assert status_of(world.machine().cycle()) == 0
    assert [batch.outcome for batch in watch.batches] == ["Throttling", "Throttling", "applied"]
    assert len({tuple(sorted(touched(batch))) for batch in watch.batches}) == 1
    assert {len(batch.changes) for batch in watch.batches} == {2 + 5 * SWAPS_GOAL}


def test_case_65_what_was_written_replaces_what_was_remembered(world: World) -> None:
    """Three plans in one process that surveys once: the later swaps rest on what the earlier ones wrote, and need no read."""
    machine = world.machine()
    world.publish(world.endpoint(1, 2))
    machine.cycle()
    watch, reads = world.watch(), world.sandbox.calls(LIST)
    for numbers in ((1, 2, 3), (2, 3), (2, 3, 4)):
        world.publish(world.endpoint(*numbers))
        report = machine.enactor.cycle(survey_seconds=3600.0)
        assert (status_of(report), report.calls.change) == (0, 1)
    assert world.sandbox.calls(LIST) == reads
    assert watch.states() == [lines(1, 2), lines(1, 2, 3), lines(2, 3), lines(2, 3, 4)]

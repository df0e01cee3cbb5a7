"""The brake where everybody else is busy, and the slow drain over many plans and many hands."""

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from enactor.sandbox.faults import FaultRule

from .history import API
from .world import CHANGE, WEB, World

MANY = 150
WHY = ("--reason", "a test")


def test_a_stop_gets_through_a_spent_account_and_what_was_on_its_way_fails_after_the_start(world: World) -> None:
    """AWS's own buckets, emptied by another tool; two enactors in the middle of a large plan, a batch of each on its way."""
    world.sandbox.configure(requests_capacity=50.0, changes_capacity=1_500.0)
    names = [f"ep{number}.example.test." for number in range(MANY)]
    world.publish(*(world.endpoint(1, 2, name=name) for name in names))
    handle = world.hold_change(skip=1, count=2)
    machines = [world.machine("a"), world.machine("b")]
    machines[0].begin()
    world.wait_held(1)
    machines[1].begin()
    world.wait_held(2)
    standing = stands(world, names)
    assert 0 < standing < MANY, "in the middle of it"
    spend_everything(world)
    result = world.run("stop", "--zone", world.zone, *WHY)
    assert result.exit_code == 0, result.output
    assert "mode=stop" in world.switch_text()
    assert world.run("start", "--zone", world.zone, *WHY).exit_code == 0
    watch = world.watch()
    world.sandbox.release(handle)
    for machine in machines:
        machine.end()  # where its client gave the answer up, it found the zone stopped, and left the rest to the next cycle
    assert "applied" not in [batch.outcome for batch in watch.batches[:2]], "refused, or throttled"
    for machine in machines:
        machine.cycle()
    assert stands(world, names) == MANY, "decided again after the start"


def stands(world: World, names: list[str]) -> int:
    zone = world.sandbox.zone(world.zone)
    return sum(bool(zone.sets(name)) for name in names)


def spend_everything(world: World) -> None:
    """Ask, as another tool in the account does, until Route 53 answers Throttling."""
    client = boto3.client("route53", config=Config(retries={"total_max_attempts": 1}))

    def ask() -> None:
        for _ in range(500):
            client.list_resource_record_sets(HostedZoneId=world.zone, MaxItems="1")

    with pytest.raises(ClientError, match="Throttling"):
        ask()


def test_a_stop_is_sent_again_while_the_zone_is_busy(world: World) -> None:
    """PriorRequestNotComplete means not applied: the verb looks and sends anew."""
    world.fault(FaultRule(action="busy", operation=CHANGE, zone=world.zone, count=3))
    result = world.run("stop", "--zone", world.zone, *WHY)
    assert result.exit_code == 0, result.output
    assert "mode=stop" in world.switch_text()


def test_a_zone_that_could_not_be_stopped_is_named_and_the_others_are_stopped(world: World) -> None:
    """Exit status 1: a person must go to the console for that one."""
    gone = "Z0NOSUCHZONE"
    world.environment["ENACTOR_ZONES"] = f"{gone},{world.zone}"
    result = world.run("stop", *WHY)
    assert result.exit_code == 1
    assert gone in result.stderr
    assert "mode=stop" in world.switch_text()


def test_ten_plans_that_each_remove_two_fifths_do_not_empty_an_endpoint(world: World) -> None:
    """Across three enactors, each of them new in every cycle and without a disk: the window stands in the fence."""
    standing = list(range(1, 41))
    other = world.endpoint(7, name=WEB)
    world.publish(world.endpoint(*standing), other)
    report = world.machine("a").cycle()
    for round_ in range(10):
        standing = standing[: max(1, round(len(standing) * 0.6))]
        world.publish(world.endpoint(*standing), other, flags=["--unguarded"])
        report = world.machine("abc"[round_ % 3]).cycle()
    assert len(world.stands()) == 14, "24, then 14; 8 would be less than three tenths of 40"
    found = {one.name: [finding.guard for finding in one.guards] for one in report.endpoints}
    assert "slow-drain" in found[API]
    assert found[WEB] == []

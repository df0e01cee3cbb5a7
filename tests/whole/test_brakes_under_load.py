"""The brake where everybody else is busy, and the slow drain over many plans and many hands."""

from enactor.sandbox.faults import FaultRule

from .history import API
from .world import CHANGE, WEB, World

MANY = 150
WHY = ("--reason", "a test")


def test_a_stop_gets_through_while_enactors_spend_the_account_s_budget(world: World) -> None:
    """AWS's own buckets, two enactors in the middle of a large plan: the stop is written, and nothing after it."""
    world.sandbox.configure(requests_capacity=50.0, changes_capacity=1_500.0)
    world.publish(*(world.endpoint(1, 2, name=f"ep{number}.example.test.") for number in range(MANY)))
    machines = [world.machine("a"), world.machine("b")]
    for machine in machines:
        machine.begin()
    result = world.run("stop", "--zone", world.zone, *WHY)
    assert result.exit_code == 0, result.output
    standing = len(world.sandbox.zone(world.zone).sets())
    for machine in machines:
        machine.end()
    assert len(world.sandbox.zone(world.zone).sets()) == standing
    assert "mode=stop" in world.switch_text()


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

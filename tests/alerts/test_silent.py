"""No alert for what is no trouble: a deploy, a planned stop, a lost Availability Zone, a start, a small fleet, a missing metric."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from .scene import (
    ALWAYS,
    FOREVER,
    HOUR,
    MINUTE,
    NEVER,
    NO_PROMTOOL,
    PROMTOOL,
    Lives,
    Scene,
    constant,
    firing,
    fleet,
    overdue,
    promtool_says,
    since_cycle,
)
from .test_rules_file import metrics_of_rules

pytestmark = pytest.mark.skipif(PROMTOOL is None, reason=NO_PROMTOOL)


def assert_silent(folder: Path, *scenes: Scene, seconds: int = 100 * MINUTE) -> None:
    """At every minute, and pending alerts do not count."""
    claims = [firing(at) for at in range(0, seconds, MINUTE)]
    assert promtool_says(folder, scenes, seconds=seconds, claims=claims) == ""


def deployed(at: int) -> Lives:
    """Return the lives of a process that is replaced, and away for a minute meanwhile."""
    return ((-HOUR, at), (at + MINUTE, FOREVER))


def test_a_healthy_fleet_feeds_every_rule_and_raises_nothing(tmp_path: Path) -> None:
    """Else the silence of the other scenes would mean nothing."""
    scene = fleet()
    assert (
        metrics_of_rules()
        - {
            "enactor_zone_stop_until_timestamp_seconds",
            *WHERE_SOMETHING_IS_WRONG,
        }
        == scene.metrics()
    )
    assert_silent(tmp_path, scene)


WHERE_SOMETHING_IS_WRONG = {"enactor_endpoints_refused", "enactor_plan_refused"}
"""Their series are there only while a guard refuses."""


def test_a_rolling_deploy_is_silent(tmp_path: Path) -> None:
    """Each of three enactors, of two planners and of two probes is away for a minute; counters and timestamps begin anew."""
    scene = Scene()
    for number in range(3):
        scene.enactor(f"enactor-{number}", deployed(10 * MINUTE + number * 3 * MINUTE))
    for number in range(2):
        scene.planner(f"planner-{number}", deployed(20 * MINUTE + number * 3 * MINUTE))
        scene.probe(f"probe-{number}", deployed(30 * MINUTE + number * 3 * MINUTE))
    scene.change("enactor_noticed_total", lambda _now, age: 4 if age > HOUR else 0, event="trouble")
    assert_silent(tmp_path, scene)


def test_a_rolling_deploy_of_new_limits_is_silent(tmp_path: Path) -> None:
    """For as long as it lasts, two sets of limits are at work."""
    scene = fleet(0)
    for number in range(3):
        at = 10 * MINUTE + number * 8 * MINUTE
        scene.enactor(f"enactor-{number}", ((-HOUR, at),))
        scene.enactor(f"enactor-{number}", ((at + MINUTE, FOREVER),), digest="ba9876543210")
    assert_silent(tmp_path, scene)


def test_a_fleet_of_one_enactor_may_be_deployed_too(tmp_path: Path) -> None:
    """For a minute nobody is there."""
    scene = Scene()
    scene.enactor("enactor-0", deployed(10 * MINUTE))
    scene.planner("planner-0", deployed(20 * MINUTE))
    scene.probe("probe-0", deployed(30 * MINUTE))
    assert_silent(tmp_path, scene)


@pytest.mark.parametrize("end", [None, HOUR], ids=["without end", "with an end"])
def test_a_planned_stop_is_silent(tmp_path: Path, end: int | None) -> None:
    """Plans are published meanwhile, so endpoints fall behind; after the end they catch up within a few cycles."""
    begin, caught_up = 5 * MINUTE, 2 * MINUTE

    def stops(now: int) -> bool:
        return begin <= now and (end is None or now < end)

    def is_behind(now: int) -> bool:
        return begin + MINUTE <= now and (end is None or now < end + caught_up)

    scene = fleet()
    scene.change("enactor_zone_switch", lambda now, _: float(stops(now)), zone="Z1", switch="stop")
    scene.change("enactor_zone_switch", lambda now, _: float(not stops(now)), zone="Z1", switch="run")
    scene.change("enactor_endpoints", lambda now, _: 12.0 if is_behind(now) else 0.0, state="behind")
    # What the code exports: nothing while the zone is stopped, and afterwards the whole time.
    scene.change(
        "enactor_endpoints_longest_seconds",
        lambda now, _: float(now - begin) if is_behind(now) and not stops(now) else 0.0,
        state="behind",
    )
    if end is not None:  # its text stands after the end, until a plan opens its generation
        scene.also("enactor_zone_stop_until_timestamp_seconds", lambda now, _: end if begin <= now else None, zone="Z1")
    assert_silent(tmp_path, scene, seconds=150 * MINUTE)


def test_a_lost_availability_zone_is_silent(tmp_path: Path) -> None:
    """One enactor, one planner and one probe are gone for good, and a third of the load balancers with them.

    Signals take these out of every endpoint: each is behind for a cycle, and the brake on signals, which lets a third go, holds nobody.
    Until then probes of the zone's own addresses see answers, because DNS still has them; nothing of it is anybody's to mend.
    """
    lost, planned = 10 * MINUTE, 12 * MINUTE
    scene = Scene()
    for number in range(3):
        lives: Lives = ((-HOUR, 10 * MINUTE),) if number == 0 else ALWAYS
        scene.enactor(f"enactor-{number}", lives)
        if number < 2:
            scene.planner(f"planner-{number}", lives)
            scene.probe(f"probe-{number}", lives)
    moved = planned + MINUTE
    scene.change("enactor_endpoints", lambda now, _: 40.0 if planned <= now < moved else 0.0, state="behind")
    scene.change(
        "enactor_endpoints_longest_seconds",
        lambda now, _: float(now - planned) if planned <= now < moved else 0.0,
        state="behind",
    )
    scene.change(
        "planner_last_good_look_timestamp_seconds",
        lambda now, _: float(lost if lost <= now < planned else now - now % 30),
        instance="planner-1",
    )
    assert_silent(tmp_path, scene, seconds=150 * MINUTE)


def test_a_lost_availability_zone_that_takes_more_than_the_brake_lets_go_is_a_ticket_and_no_page(
    tmp_path: Path,
) -> None:
    """Half of the load balancers seem dead: what the brake keeps in the plan is a person's to judge, and nothing else is said."""
    scene = fleet()
    scene.change("planner_brake_endpoints", lambda now, _: 40.0 if now >= 12 * MINUTE else 0.0)
    brake = {"alertname": "EnactorHealthBrakeOn", "fleet": scene.fleet, "severity": "ticket"}
    claims = [firing(at, *([brake] if at >= 22 * MINUTE else [])) for at in range(0, HOUR, MINUTE)]
    assert promtool_says(tmp_path, [scene], seconds=HOUR, claims=claims) == ""


def test_a_probe_that_hears_from_nobody_is_no_empty_endpoint(tmp_path: Path) -> None:
    """Nothing is known then, and the other one says that all is well. The same holds for one wrong server of four."""
    scene = fleet()
    scene.change("enactor_probe_verdict", since_cycle(0), instance="probe-0", verdict="answering")
    scene.change("enactor_probe_verdict", since_cycle(1), instance="probe-0", verdict="unknown")
    scene.change("enactor_probe_verdict", since_cycle(0), instance="probe-1", server="192.0.2.53", verdict="answering")
    scene.change("enactor_probe_verdict", since_cycle(1), instance="probe-1", server="192.0.2.53", verdict="empty")
    assert_silent(tmp_path, scene)


@pytest.mark.parametrize("enactors", [1, 3])
def test_a_fresh_start_is_silent(tmp_path: Path, enactors: int) -> None:
    """The very first processes: no plan, no cycle, no look and no collection yet, and then forty endpoints to create."""
    scene = Scene()
    for number in range(enactors):
        scene.enactor(f"enactor-{number}", ((0, FOREVER),))
    scene.planner("planner-0", ((0, FOREVER),))
    scene.probe("probe-0", ((3 * MINUTE, FOREVER),))
    published, created = 4 * MINUTE, 5 * MINUTE
    scene.change("enactor_plan_source", lambda now, _: float(now >= published), source="table")
    scene.change("enactor_plan_source", lambda now, _: float(now < published), source="none")
    scene.change("enactor_endpoints_not_answering", lambda now, _: 40.0 if published <= now < created else 0.0)
    assert_silent(tmp_path, scene, seconds=HOUR)


@pytest.mark.parametrize("every", [6 * HOUR, 24 * HOUR])
def test_the_first_collection_may_take_its_whole_interval(tmp_path: Path, every: int) -> None:
    """A process collects for the first time at a random instant of its first interval; the next one begins anew."""
    scene = Scene()
    lives = ((0, 5 * HOUR), (5 * HOUR + MINUTE, FOREVER))
    scene.enactor("enactor-0", lives)
    first = every - HOUR
    scene.change(
        "enactor_last_collect_timestamp_seconds", lambda now, age: now - (age - first) if age >= first else NEVER
    )
    scene.change("enactor_collect_overdue_timestamp_seconds", overdue(every, first))
    claims = [firing(at) for at in range(0, 24 * HOUR, HOUR)]
    assert promtool_says(tmp_path, [scene], seconds=24 * HOUR, claims=claims, step=4 * MINUTE) == ""


def test_a_day_of_deploys_forgets_no_collection(tmp_path: Path) -> None:
    """Each new process begins at 0, and none lives long enough to collect; what the one before them collected counts."""
    scene = fleet(1)
    scene.change(
        "enactor_last_collect_timestamp_seconds",
        lambda now, _: 0.0 if now < 2 * HOUR else NEVER if now < 15 * HOUR else 15.0 * HOUR,
    )
    scene.change("enactor_collect_overdue_timestamp_seconds", lambda now, _: (now // HOUR + 24.0) * HOUR)
    claims = [firing(at) for at in range(0, 24 * HOUR, HOUR)]
    assert promtool_says(tmp_path, [scene], seconds=24 * HOUR, claims=claims, step=4 * MINUTE) == ""


def test_a_large_plan_may_use_up_the_budget_for_a_while(tmp_path: Path) -> None:
    """Twenty thousand endpoints at 50 changes a second take a quarter of an hour."""
    scene = fleet()
    scene.change(
        "enactor_budget_tokens", lambda now, _: 0.4 if 10 * MINUTE <= now < 27 * MINUTE else 8.0, currency="requests"
    )
    assert_silent(tmp_path, scene)


@pytest.mark.parametrize("metric", sorted(fleet().metrics()))
def test_a_metric_that_is_not_there_raises_nothing(tmp_path: Path, metric: str) -> None:
    """An older version, a planner that is not `run`, `--collect-every off`: a rule without its metric is silent."""
    scene = fleet()
    scene.drop(metric)
    claims: Sequence[dict[str, object]] = [firing(at) for at in range(0, 80 * MINUTE, 10 * MINUTE)]
    assert promtool_says(tmp_path, [scene], seconds=80 * MINUTE, claims=claims, step=2 * MINUTE) == ""


def test_a_server_that_scrapes_nothing_of_this_raises_nothing(tmp_path: Path) -> None:
    """The rules may be loaded before the targets are."""
    scene = Scene()
    scene.add("up", constant(0), ALWAYS, job="somebody-else", instance="host-1")
    assert_silent(tmp_path, scene, seconds=HOUR)

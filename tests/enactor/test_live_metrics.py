"""What a scrape shows of a worker's last cycle: states of now, and nothing of what is gone."""

from typing import Any

import msgspec
import pytest
from prometheus_client import CollectorRegistry, generate_latest

from enactor.guards import LimitsTable
from enactor.live_metrics import LiveMetrics
from enactor.plan_index import PlanIndex

from .kernel_builders import EARLIER, LATER, NAME, NOW, ZONE, switch
from .test_cycle_report import CURRENT, FOREIGN, PLAN, REFUSED, RUNNING, result
from .test_live import BEHIND, EMPTY, World
from .test_metrics import samples

STOPPED = msgspec.structs.replace(RUNNING, switch="stop", running=False)


def shown(world: World, *, critical: tuple[str, ...] = (), saved: float | None = None) -> dict[str, float]:
    """Return every sample of a scrape now."""
    registry = CollectorRegistry()
    registry.register(LiveMetrics(world.live, critical=critical, limits=LimitsTable(), saved=lambda: saved))
    return samples(generate_latest(registry).decode())


def test_before_the_first_cycle_nothing_is_said_of_endpoints() -> None:
    """Nothing was seen: an alert on what does not answer must not fire, nor be put off by a 0."""
    found = shown(World())
    assert found["enactor_ready"] == 0
    assert not [name for name in found if name.startswith(("enactor_endpoints", "enactor_zone", "enactor_table"))]


def test_the_source_of_the_plan_and_whether_the_table_answers_are_two_things() -> None:
    """A plan that was read from the table yesterday is still the table's while the table is away."""
    world = World()
    world.cycle(result(CURRENT))
    assert (shown(world)["enactor_table_answers"], shown(world)['enactor_plan_source{source="table"}']) == (1, 1)
    world.cycle(result(CURRENT), table_answered=False, problems=("the table does not answer",))
    assert (shown(world)["enactor_table_answers"], shown(world)['enactor_plan_source{source="table"}']) == (0, 1)
    assert shown(world)["enactor_ready"] == 0
    world.cycle(result(CURRENT), newest=PlanIndex(PLAN.stored, "disk"))
    assert shown(world)['enactor_plan_source{source="disk"}'] == 1


def test_for_how_long_an_endpoint_has_been_behind_does_not_count_while_its_zone_is_stopped() -> None:
    """A planned stop is no fault of an enactor: what waits for it is counted from the first cycle after it, with its whole time."""
    world = World()
    world.cycle(result(BEHIND))
    world.cycle(result(BEHIND), after=50.0)
    assert shown(world)['enactor_endpoints_longest_seconds{state="behind"}'] == 50
    world.cycle(result(BEHIND, standing=STOPPED), after=100.0)
    assert shown(world)['enactor_endpoints_longest_seconds{state="behind"}'] == 0
    world.cycle(result(BEHIND), after=10.0)
    assert shown(world)['enactor_endpoints_longest_seconds{state="behind"}'] == 160
    world.seconds += 5
    assert shown(world)['enactor_endpoints_longest_seconds{state="behind"}'] == 165
    world.cycle(result(CURRENT))
    assert shown(world)['enactor_endpoints_longest_seconds{state="behind"}'] == 0


@pytest.mark.parametrize(
    ("of", "number"), [(EMPTY, 1), (CURRENT, 0), (FOREIGN, 0)], ids=["empty", "current", "foreign"]
)
def test_what_does_not_answer_is_one_number(of: Any, number: int) -> None:
    """It is what the page at night is about."""
    world = World()
    world.cycle(result(of))
    assert shown(world)["enactor_endpoints_not_answering"] == number


def test_a_guard_that_refuses_no_more_leaves_no_series() -> None:
    """Its alert ends with it."""
    world = World()
    world.cycle(result(REFUSED))
    assert shown(world)['enactor_endpoints_refused{guard="shrink-targets"}'] == 1
    world.cycle(result(CURRENT))
    assert not [name for name in shown(world) if name.startswith("enactor_endpoints_refused")]


def test_the_end_of_a_stop_is_shown_beside_what_the_switch_says() -> None:
    """After its end the zone runs though the text stands, which is no stop that outlived its end."""
    world = World()
    world.cycle(result(CURRENT, standing=STOPPED, switch=switch(8, mode="stop", until=LATER)))
    found = shown(world)
    assert found[f'enactor_zone_stop_until_timestamp_seconds{{zone="{ZONE}"}}'] == LATER.timestamp()
    assert found[f'enactor_zone_switch{{switch="stop",zone="{ZONE}"}}'] == 1
    world.cycle(result(CURRENT, switch=switch(8, mode="stop", until=EARLIER)))
    assert EARLIER < NOW < LATER
    assert shown(world)[f'enactor_zone_switch{{switch="run",zone="{ZONE}"}}'] == 1


def test_critical_endpoints_have_series_of_their_own_and_missing_ones_are_counted() -> None:
    """By name, as many as the settings say; the others are counted by state alone."""
    world = World()
    world.cycle(result(CURRENT))
    assert not [name for name in shown(world) if "enactor_endpoint_" in name]
    found = shown(world, critical=(NAME, "gone.example.test."))
    where = f'{{name="{NAME}",zone="{ZONE}"}}'
    assert (found[f"enactor_endpoint_answering{where}"], found[f"enactor_endpoint_generation{where}"]) == (1, 7)
    assert (found[f"enactor_endpoint_wanted_generation{where}"], found[f"enactor_endpoint_record_sets{where}"]) == (
        8,
        1,
    )
    assert found["enactor_critical_endpoints_missing"] == 1


def test_enactors_with_other_limits_have_another_digest() -> None:
    """One word tells them apart, whatever differs."""
    limits = LimitsTable()
    assert limits.digest == LimitsTable().digest != LimitsTable(zone_record_sets=9_000).digest
    assert f'enactor_limits_info{{digest="{limits.digest}"}}' in shown(World())


def test_a_zone_that_cannot_be_read_is_no_all_clear() -> None:
    """What was empty when it was seen last still pages: a 0 would end that night's page, and begin its two minutes anew after it."""
    world = World()
    world.cycle(result(EMPTY))
    for _ in range(2):
        world.cycle(errors={ZONE: "no answer"})
        assert shown(world)["enactor_endpoints_not_answering"] == 1
    world.cycle(result(CURRENT))
    assert shown(world)["enactor_endpoints_not_answering"] == 0


def test_a_zone_that_is_worked_on_no_more_leaves_no_page_behind() -> None:
    """Its endpoints are another worker's now."""
    world = World()
    world.cycle(result(EMPTY))
    world.cycle()
    assert shown(world)["enactor_endpoints_not_answering"] == 0

"""Named ways out of what happens in a zone: each state is made by hand; then what survey says, what a cycle does, what a person does.

`docs/healing.md` has the whole list, with where each is shown; what happens to the table is in `test_ways_out_table.py`.
"""

import json
import os
import time
from typing import Any

import boto3
import pytest
from prometheus_client import CollectorRegistry, generate_latest

from enactor.cycle import Tally
from enactor.metrics import Metrics
from enactor.report import CycleReport

from .history import API, lines
from .person import done, wipe
from .world import WEB, Machine, World, record, status_of

FENCE = "api._fence.example.test."
MANY = int(os.environ.get("MANY_EMPTIED", "120"))
ZONE_HOLDS = 4_900
"""Endpoints with one set and a fence each, under the quota of 10,000 sets."""
SETS_IN_A_CALL = 200
CYCLES_MAX = 10


@pytest.fixture
def served(world: World) -> World:
    """Two endpoints in force at generation 1."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    world.machine().cycle()
    return world


def surveyed(world: World, name: str = API) -> tuple[str, str]:
    """Return an endpoint's state, and the sentences behind it."""
    found = json.loads(world.run("survey", "--json").stdout)["endpoints"]
    (one,) = [endpoint for endpoint in found if endpoint["name"] == name]
    return str(one["state"]), " ".join(one["reasons"])


def healed(world: World, name: str = API) -> CycleReport:
    """Let one enactor work for a cycle, and see the endpoint as the newest plan says."""
    report = world.machine().cycle()
    assert {one.name: one.state for one in report.endpoints}[name] == "current"
    return report


# ---- record sets ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gone", "state"), [((FENCE,), "fence-missing"), ((API,), "empty"), ((API, FENCE), "missing")], ids=str
)
def test_what_was_wiped_comes_back_by_itself(served: World, gone: tuple[str, ...], state: str) -> None:
    """Sets, fence, or both: named by survey, and in place again after one cycle."""
    wipe(served, *gone)
    assert surveyed(served)[0] == state
    healed(served)
    assert served.stands() == lines(1, 2)
    assert "state=live" in served.fence_text()


def test_some_wiped_and_some_by_a_stranger_are_drift_and_repaired(served: World) -> None:
    """One set of two gone, and one that nobody's plan knows: as the fence says again, in one cycle."""
    served.edit("DELETE", served.sandbox.zone(served.zone).sets(API)[0])
    served.edit("CREATE", record("192.0.2.99", SetIdentifier="by-hand", Weight=10))
    assert surveyed(served)[0] == "drifted"
    healed(served)
    assert served.stands() == lines(1, 2)


@pytest.mark.timeout(1_800)  # MANY_EMPTIED may ask for ten thousand: `docs/healing.md` has what came of it
def test_every_endpoint_emptied_at_once_comes_back_in_as_many_calls_as_put_it_there(world: World) -> None:
    """So many here as a test has time for, fences too, over as many zones as hold them: at most 1.1 times the calls."""
    zones = [world.zone, *(world.sandbox.create_zone("example.test") for _ in range(MANY // ZONE_HOLDS))]
    for zone in zones[1:]:
        world.open_zone(zone)
    world.environment["ENACTOR_ZONES"] = ",".join(zones)
    names = [(f"ep{number}.example.test.", zones[number // ZONE_HOLDS]) for number in range(MANY)]
    world.publish(*(world.endpoint(1, name=name) | {"zone": zone} for name, zone in names))
    machine = world.machine()
    quiet = calls_until_current(machine)
    for zone in zones:
        gone = [one for one in world.sandbox.zone(zone).sets() if str(one["Name"]).startswith("ep")]
        for first in range(0, len(gone), SETS_IN_A_CALL):
            world.edit("DELETE", *gone[first : first + SETS_IN_A_CALL], zone=zone)
    began = time.monotonic()
    again = calls_until_current(machine)
    print(f"\n{MANY} endpoints in {len(zones)} zones: {again} calls, {quiet} before, {time.monotonic() - began:.0f} s")
    assert again <= 1.1 * quiet
    assert {len(world.sandbox.zone(zone).sets(name)) for name, zone in names} == {1}


def calls_until_current(machine: Machine) -> int:
    """Let an enactor work until every endpoint is current; return the change calls that it took."""
    calls = 0
    for _ in range(CYCLES_MAX):
        report = machine.cycle()
        calls += report.calls.change
        if {one.state for one in report.endpoints} == {"current"}:
            return calls
    raise AssertionError(f"not current after {CYCLES_MAX} cycles")


# ---- fences --------------------------------------------------------------------------------------------------------------


def test_a_garbled_fence_waits_for_a_person_and_adopt_writes_it_anew(served: World) -> None:
    """Nothing is written there meanwhile; the other endpoint goes on."""
    served.retype(FENCE, "do not touch, ask Ann")
    served.publish(served.endpoint(1, 2, 3), served.endpoint(7, 8, name=WEB))
    served.machine().cycle()
    state, why = surveyed(served)
    assert (state, served.stands()) == ("fence-garbled", lines(1, 2))
    assert f"`enactor adopt {API}`" in why
    assert served.stands(WEB) == lines(7, 8)
    done(served, "adopt", API, "--yes")
    healed(served)
    assert served.stands() == lines(1, 2, 3)


def test_a_garbled_fence_of_an_emptied_endpoint_is_adopted_and_filled(served: World) -> None:
    """There is nothing to take over as it stands but the name: the next cycle brings the plan's content."""
    served.retype(FENCE, "do not touch, ask Ann")
    wipe(served, API)
    assert surveyed(served)[0] == "fence-garbled"
    done(served, "adopt", API, "--yes")
    healed(served)
    assert served.stands() == lines(1, 2)


def test_another_fleet_s_fence_is_left_alone_until_a_person_takes_it_over(served: World) -> None:
    """Named with its fleet and the command that takes it over."""
    text = served.fence_text().strip('"').replace(f"fleet={served.fleet}", "fleet=core")
    served.retype(FENCE, text)
    served.publish(served.endpoint(1, 2, 3), served.endpoint(7, name=WEB))
    served.machine().cycle()
    state, why = surveyed(served)
    assert (state, served.stands()) == ("foreign", lines(1, 2))
    assert f"`enactor adopt {API} --from-fleet core`" in why
    done(served, "adopt", API, "--from-fleet", "core", "--yes")
    healed(served)
    assert served.stands() == lines(1, 2, 3)


def metrics_of(machine: Machine) -> CollectorRegistry:
    """Return the metrics of a machine, from here on."""
    registry = CollectorRegistry()
    machine.enactor._crew.hook._onward = Metrics(registry)  # type: ignore[attr-defined]
    assert isinstance(machine.enactor._crew.hook, Tally)
    return registry


def test_a_zone_whose_route_53_forgot_what_it_had_acknowledged_is_counted_and_healed(served: World) -> None:
    """A failover brings fence, sets and switch of generation 1 back after 2 was applied: each step back is counted once."""
    machine = served.machine()
    names = (API, FENCE, served.switch_name)
    before = {name: served.sandbox.zone(served.zone).sets(name) for name in names}
    served.publish(served.endpoint(1, 2, 3), served.endpoint(7, name=WEB))
    machine.cycle()
    registry = metrics_of(machine)
    wipe(served, *names)
    for name in reversed(names):
        served.edit("CREATE", *before[name])
    assert surveyed(served)[0] == "behind"
    for _ in range(2):
        assert status_of(machine.cycle()) == 0
    assert served.stands() == lines(1, 2, 3)
    assert " gen=2 " in served.switch_text()
    page = generate_latest(registry).decode()
    for event in ("fence-went-back", "switch-went-back"):
        assert f'enactor_noticed_total{{event="{event}"}} 1.0' in page


# ---- switches and zones --------------------------------------------------------------------------------------------------


def test_a_switch_that_is_gone_stops_and_start_brings_it_back_at_its_generation(served: World) -> None:
    """Survey prints the way; nothing is written before, an emptied endpoint included."""
    wipe(served, served.switch_name, API)
    served.machine().cycle()
    told = served.run("survey")
    assert (told.exit_code, served.stands()) == (3, ())
    assert f"`enactor init --zone {served.zone}`, or `enactor start`" in told.stdout
    done(served, "start", "--zone", served.zone)
    assert " gen=1 " in served.switch_text()
    healed(served)
    assert served.stands() == lines(1, 2)


def gone(world: World) -> Any:
    """Take the hosted zone away, and return Route 53's client."""
    wipe(world, *{one["Name"] for one in world.sandbox.zone(world.zone).sets() if one["Type"] not in {"NS", "SOA"}})
    client = boto3.client("route53")
    client.delete_hosted_zone(Id=world.zone)
    return client


def test_case_64_a_zone_that_is_gone_is_said_and_none_of_its_name_is_taken_for_it(served: World) -> None:
    """NoSuchHostedZone: that zone fails, the other is worked on, and one made again under the same name gets nothing."""
    other = served.sandbox.create_zone("example.test")
    served.open_zone(other)
    served.environment["ENACTOR_ZONES"] += f",{other}"
    served.publish(
        served.endpoint(1, 2), served.endpoint(7, name=WEB), served.endpoint(3) | {"zone": other}, flags=["--unguarded"]
    )
    gone(served)
    again = served.sandbox.create_zone("example.test")
    status, report = served.once()
    zones = {zone["zone"]: zone for zone in report["zones"]}
    assert (status, zones[served.zone]["switch"], zones[other]["switch"]) == (1, "unknown", "run")
    assert served.zone in zones[served.zone]["error"]
    assert not served.sandbox.batches(again)
    assert {(one["zone"], one["state"]) for one in report["endpoints"]} == {(other, "current")}


def test_a_zone_made_again_under_another_id_is_brought_in_by_its_new_id(served: World) -> None:
    """The way out: init, a plan with the new id, adopt nothing; the old id leaves the settings."""
    gone(served)
    again = served.sandbox.create_zone("example.test")
    served.environment["ENACTOR_ZONES"] = again
    refused = served.plan("publish", "--plan", served.plan_file(served.endpoint(1, 2) | {"zone": again}))
    assert (refused.exit_code, "check the zone id" in refused.stderr) == (3, True)
    done(served, "init", "--zone", again)
    wanted = [served.endpoint(1, 2) | {"zone": again}, served.endpoint(7, name=WEB) | {"zone": again}]
    served.publish(*wanted, flags=["--unguarded"])
    status, report = served.once()
    assert (status, {one["state"] for one in report["endpoints"]}) == (0, {"current"})

"""The whole path over real HTTP: plans reach the strict sandbox's Route 53, fenced and guarded."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from enactor.cli.main import main
from enactor.sandbox.faults import FaultRule
from enactor.sandbox.server import Sandbox
from planner.cli import main as planner

ZONE = "Z0WHOLEPATH"
API = "api.example.test."


class World:
    """A sandbox with one zone, and the two commands."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self.environment = {
            **sandbox.environment(),
            "ENACTOR_TABLE": "plans",
            "ENACTOR_FLEET": "edge",
            "ENACTOR_ZONES": ZONE,
            "ENACTOR_ID": "tester",
        }

    def enactor(self, *words: str) -> Result:
        return CliRunner().invoke(main, list(words), env=self.environment)

    def once(self) -> tuple[int, Any]:
        result = self.enactor("once", "--json")
        return result.exit_code, json.loads(result.stdout)

    def publish(self, endpoints: list[dict[str, Any]], *flags: str, retired: tuple[str, ...] = ()) -> Result:
        plan = {
            "format": 1,
            "fleet": "edge",
            "endpoints": endpoints,
            "retired": [{"name": name, "zone": ZONE} for name in retired],
        }
        path = self.folder / "plan.json"
        path.write_text(json.dumps(plan))
        return CliRunner().invoke(planner, ["publish", "--plan", str(path), *flags], env=self.environment)

    def answers(self, name: str = API) -> list[str]:
        sets = [found for found in self.sandbox.zone(ZONE).sets(name) if found["Type"] == "A"]
        return sorted(record["Value"] for found in sets for record in found.get("ResourceRecords", []))

    def empty(self, name: str = API) -> None:
        sets = self.sandbox.zone(ZONE).sets(name)
        self.sandbox.edit(ZONE, [{"Action": "DELETE", "ResourceRecordSet": found} for found in sets])

    def switch_text(self) -> str:
        found = self.sandbox.zone(ZONE).sets("_switch-edge._fence.example.test.")
        return str(found[0]["ResourceRecords"][0]["Value"])


def endpoint(*numbers: int, name: str = API) -> dict[str, Any]:
    targets = [{"id": f"lb-{n}", "type": "A", "value": f"192.0.2.{n}", "weight": 10} for n in numbers]
    return {"name": name, "zone": ZONE, "routing": "weighted", "ttl": 60, "targets": targets}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.chdir(tmp_path)  # the first adopt writes the zone down, here where no state directory is told
    with Sandbox() as sandbox:
        sandbox.create_zone("example.test", ZONE)
        made = World(sandbox, tmp_path)
        found = made.enactor("init", "--zone", ZONE)
        assert found.exit_code == 0, found.output
        yield made


def test_init_leaves_only_the_switch(world: World) -> None:
    """The self-test cleans up after itself, and the zone is open at generation 0."""
    assert "mode=run gen=0 plan=none" in world.switch_text()
    assert len(world.sandbox.zone(ZONE)) == 3


def test_a_plan_reaches_the_zone_in_one_call_and_a_second_cycle_changes_nothing(world: World) -> None:
    """A plan is opened and applied by one batch; then everything is current and nothing is written."""
    assert world.publish([endpoint(1, 2)]).exit_code == 0
    status, report = world.once()
    assert (status, report["outcome"], report["calls"]["change"]) == (0, "changed", 1)
    assert world.answers() == ["192.0.2.1", "192.0.2.2"]
    status, report = world.once()
    assert (status, report["outcome"], report["calls"]["change"]) == (0, "unchanged", 0)


def test_wiped_record_sets_come_back(world: World) -> None:
    """An endpoint emptied by hand is repaired by the next cycle."""
    world.publish([endpoint(1, 2)])
    world.once()
    world.empty()
    status, report = world.once()
    assert (status, report["endpoints"][0]["action"]) == (0, "swapped")
    assert world.answers() == ["192.0.2.1", "192.0.2.2"]


def test_case_3_an_endpoint_without_targets_keeps_what_it_has_and_the_others_move(world: World) -> None:
    """Case 3: published unguarded, the empty endpoint is refused by the enactor, the other is applied, exit 3."""
    other = "other.example.test."
    world.publish([endpoint(1, 2), endpoint(1, name=other)])
    world.once()
    assert world.publish([endpoint(), endpoint(1, 2, name=other)], "--unguarded").exit_code == 0
    status, report = world.once()
    assert (status, report["outcome"]) == (3, "partial")
    assert world.answers() == ["192.0.2.1", "192.0.2.2"]
    assert world.answers(other) == ["192.0.2.1", "192.0.2.2"]


def test_case_1_a_plan_without_endpoints_is_refused_whole(world: World) -> None:
    """Case 1: nothing is written, and the open generation stays."""
    world.publish([endpoint(1, 2)])
    world.once()
    assert world.publish([]).exit_code == 3
    assert world.publish([], "--unguarded").exit_code == 0
    status, report = world.once()
    assert (status, report["outcome"], report["calls"]["change"]) == (3, "refused", 0)
    assert " gen=1 " in world.switch_text()


def test_case_4_and_74_a_name_no_longer_mentioned_is_not_deleted(world: World) -> None:
    """Cases 4 and 74: absence is never a deletion; listing it retired lets the plan in and still deletes nothing."""
    other = "other.example.test."
    world.publish([endpoint(1), endpoint(2, name=other)])
    world.once()
    assert world.publish([endpoint(1)]).exit_code == 3
    assert world.publish([endpoint(1)], retired=(other,)).exit_code == 0
    status, _ = world.once()
    assert status == 0
    assert world.answers(other) == ["192.0.2.2"]


def test_case_9_a_sudden_shrink_is_refused_by_planner_and_enactor(world: World) -> None:
    """Case 9: forty targets to one is refused by targets and by capacity, and clients keep all forty."""
    world.publish([endpoint(*range(1, 41))])
    world.once()
    assert world.publish([endpoint(1)]).exit_code == 3
    world.publish([endpoint(1)], "--unguarded")
    status, report = world.once()
    labels = {found["guard"] for found in report["endpoints"][0]["guards"]}
    assert status == 3
    assert {"shrink-targets", "shrink-capacity"} <= labels
    assert len(world.answers()) == 40


def test_an_older_plan_held_on_its_way_fails_after_a_newer_one_was_opened(world: World) -> None:
    """The delayed writer of October 2025: decided, sent, evaluated after a newer plan was opened, it changes nothing."""
    world.publish([endpoint(1, 2)])
    world.once()
    world.publish([endpoint(1, 2, 3)])
    rule = FaultRule(action="hold", operation="ChangeResourceRecordSets")
    handle = world.sandbox.add_fault(rule)
    status, _ = world.once()  # its first answer is lost to the time-out; it looks, decides again, and that lands
    assert status == 0
    world.publish([endpoint(2, 3, 4)])
    assert world.once()[0] == 0
    assert world.sandbox.release(handle) == 1
    assert world.answers() == ["192.0.2.2", "192.0.2.3", "192.0.2.4"]
    assert " gen=3 " in world.switch_text()


def test_a_lost_answer_is_resolved_by_looking(world: World) -> None:
    """After an error that hides an applied batch, the fence's nonce shows that it landed; nothing is sent twice."""
    world.publish([endpoint(1, 2)])
    world.sandbox.add_fault(FaultRule(action="error-after", operation="ChangeResourceRecordSets"))
    status, report = world.once()
    assert (status, report["outcome"], report["calls"]["change"]) == (0, "changed", 1)
    assert world.answers() == ["192.0.2.1", "192.0.2.2"]


def test_a_switch_edited_by_hand_stops_everything_and_start_brings_it_back(world: World) -> None:
    """A person types mode=stop in the console; nothing is written until `start`."""
    world.publish([endpoint(1, 2)])
    world.once()
    old = world.sandbox.zone(ZONE).sets("_switch-edge._fence.example.test.")[0]
    typed = {**old, "ResourceRecords": [{"Value": '"mode=stop"'}]}
    world.sandbox.edit(
        ZONE,
        [{"Action": "DELETE", "ResourceRecordSet": old}, {"Action": "CREATE", "ResourceRecordSet": typed}],
    )
    world.publish([endpoint(1, 2, 3)])
    status, report = world.once()
    assert (status, report["outcome"], report["calls"]["change"]) == (0, "stopped", 0)
    assert world.enactor("start", "--zone", ZONE).exit_code == 0
    assert world.once()[0] == 0
    assert world.answers() == ["192.0.2.1", "192.0.2.2", "192.0.2.3"]


def test_case_60_record_sets_without_a_fence_are_foreign_until_adopted(world: World) -> None:
    """Case 60: what stands without a fence and no plan explains is left alone; adopt takes it as it is."""
    record = {"Name": API, "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}
    world.sandbox.edit(ZONE, [{"Action": "CREATE", "ResourceRecordSet": record}])
    world.publish([endpoint(1, 2)])
    status, report = world.once()
    assert (status, report["endpoints"][0]["state"]) == (3, "foreign")
    assert world.answers() == ["192.0.2.1"]
    assert world.enactor("adopt", API, "--yes").exit_code == 0
    assert world.once()[0] == 0
    assert world.answers() == ["192.0.2.1", "192.0.2.2"]


def test_case_23_one_endpoint_that_is_rejected_does_not_stop_the_rest(world: World) -> None:
    """Case 23: found by bisection where Route 53 names nobody; the others are applied, the bad one waits, exit 1."""
    bad = "ep33.example.test."
    names = [f"ep{number}.example.test." for number in range(40)]
    world.publish([endpoint(1, name=name) for name in names])
    world.sandbox.add_fault(
        FaultRule(action="reject", operation="ChangeResourceRecordSets", names=(bad,), count=None, message="[no]")
    )
    status, report = world.once()
    assert status == 1
    assert {found["name"] for found in report["endpoints"] if found["state"] != "current"} == {bad}
    assert report["calls"]["change"] <= 2 + 2 * 6


def test_of_an_alias_without_a_target_the_alias_waits_and_the_target_does_not(world: World) -> None:
    """Route 53 names the target of an alias it will not have: the target's own endpoint is applied, in the same batch's rest."""
    tree, front = "tree.example.test.", "front.example.test."
    alias = {"name": tree, "zone": ZONE, "evaluate_target_health": False}
    pointing = {
        "name": front,
        "zone": ZONE,
        "routing": "simple",
        "targets": [{"id": "tree", "type": "A", "alias": alias}],
    }
    world.publish([endpoint(1, 2, name=tree), pointing])
    message = f"[Tried to create an alias that targets {tree}, type A in zone {ZONE}, but that target was not found]"
    world.sandbox.add_fault(
        FaultRule(action="reject", operation="ChangeResourceRecordSets", names=(front,), count=None, message=message)
    )
    status, report = world.once()
    states = {found["name"]: found["state"] for found in report["endpoints"]}
    assert (status, states) == (1, {tree: "current", front: "missing"})
    assert report["calls"]["change"] == 2

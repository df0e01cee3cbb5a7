"""What an enactor works from when the table was restored or lost a plan, its disk is full, or its log cannot be written."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import pytest

from enactor.sandbox.faults import FaultRule
from enactor.swap import State

from .history import API
from .rows import Rows
from .world import WEB, World, record, until

FULL = "/dev/full"


def take_away(world: World, *names: str) -> None:
    for name in names:
        world.edit("DELETE", *world.sandbox.zone(world.zone).sets(name))


@pytest.mark.parametrize("fault", ["restored", "chunk lost"])
def test_after_a_restart_the_open_plan_comes_from_disk_while_the_table_answers(
    world: World, rows: Rows, fault: str
) -> None:
    """An endpoint without fence and without sets is healed from the state directory; the report says what is wrong."""
    state = {"state-dir": str(world.folder / "state")}
    world.publish(world.endpoint(1, 2))
    machine = world.machine("a", **state)
    machine.cycle()
    backup = rows.all()
    world.publish(world.endpoint(1, 2, 3), world.endpoint(1, 2, name=WEB))
    machine.cycle()
    if fault == "restored":
        rows.restore(backup)
    else:
        rows.lose_chunks(2)
    before = (world.stands(), world.stands(WEB))
    take_away(world, API, WEB, "web._fence.example.test.")
    report = world.machine("a", **state).cycle()
    assert (world.stands(), world.stands(WEB)) == before
    assert [zone.plan for zone in report.zones] == ["ahead" if fault == "restored" else "current"]
    assert any("publish again" in problem for problem in report.problems)


def test_a_restored_table_is_told_by_an_enactor_that_runs_on(world: World, rows: Rows) -> None:
    """Somebody publishes on the older HEAD before anybody looks: it does not pass for peace."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine("a")
    machine.cycle()
    backup = rows.all()
    for last in (3, 4, 5):
        world.publish(world.endpoint(1, 2, last))
    machine.cycle()
    rows.restore(backup)
    world.publish(world.endpoint(1, 2, 77))
    report = machine.cycle()
    assert any("HEAD is 2, but plan 4 was published before" in problem for problem in report.problems)
    assert [zone.plan for zone in report.zones] == ["ahead"]


def test_a_valid_plan_between_the_open_one_and_a_refused_one_is_opened(world: World) -> None:
    """By an enactor that starts afterwards, too."""
    web = world.endpoint(1, 2, name=WEB)
    world.publish(world.endpoint(1, 2), web)
    world.machine("a").cycle()
    world.publish(world.endpoint(1, 2, 3), web)
    world.publish(world.endpoint(1, 2, 3, 4), flags=["--unguarded"])
    report = world.machine("b").cycle()
    assert [zone.open for zone in report.zones] == [2]
    assert "A 192.0.2.3 10" in world.stands()
    assert [finding.guard for finding in report.refused] == ["vanished"]


def test_what_a_fence_names_is_found_beyond_the_newest_plans(world: World) -> None:
    """Every plan since leaves the v6 addresses out, and every enactor refuses it: v6 goes on being healed."""
    v6 = {"id": "six", "type": "AAAA", "value": "2001:db8::1", "weight": 10}
    both = world.endpoint(1, 2)
    both["targets"].append(v6)
    world.publish(both)
    world.machine("a").cycle()
    for number in range(34):
        world.publish(world.endpoint(1, 2), world.endpoint(1, 10 + number, name=WEB), flags=["--unguarded"])
    world.machine("a").cycle()
    before = world.stands()
    assert "AAAA 2001:db8::1 10" in before
    six = [one for one in world.sandbox.zone(world.zone).sets(API) if one["Type"] == "AAAA"]
    world.edit("DELETE", *six)
    world.machine("b").cycle()
    assert world.stands() == before


@pytest.mark.parametrize("fault", ["state directory", "full disk", "no reader"])
def test_neither_disk_nor_log_stops_a_worker(world: World, fault: str, tmp_path: Path) -> None:
    """A state directory that cannot be written is one loud sentence; a log that cannot be written is lost."""
    world.publish(world.endpoint(1, 2))
    blocked = tmp_path / "a file"
    blocked.write_text("")
    state = blocked if fault == "state directory" else tmp_path / "state"
    log = tmp_path / "log"
    command = [sys.executable, "-m", "enactor", "run", "--every", "0.5s", "--state-dir", str(state)]
    environment = os.environ | world.environment
    with contextlib.ExitStack() as stack:
        if fault == "no reader":
            reader, writer = os.pipe()
            os.close(reader)
            stderr = stack.enter_context(os.fdopen(writer, "wb"))
        else:
            stderr = stack.enter_context(Path(FULL if fault == "full disk" else log).open("wb"))
        process = stack.enter_context(subprocess.Popen(command, env=environment, stderr=stderr))
        stack.callback(process.kill)
        until(world.stands, "the plan")
        take_away(world, API)
        until(lambda: process.poll() is not None or world.stands(), "the repair")
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    assert world.stands()
    if fault == "state directory":
        first = json.loads(log.read_text().splitlines()[0])
        assert first["event"] == "state-dir-unusable"
        assert first["why"].startswith(f"{blocked} cannot hold plans")


def test_a_plan_that_a_restored_table_lost_is_published_above_though_no_zone_has_opened_it(
    world: World, rows: Rows
) -> None:
    """The stopped zone is below it; HEAD goes past its number at once, so that no generation has two plans."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine("a")
    machine.cycle()
    backup = rows.all()
    world.run("stop", "--zone", world.zone, "--reason", "test")
    world.publish(world.endpoint(1, 2, 3))
    world.publish(world.endpoint(1, 2, 3, 4))
    machine.cycle()
    rows.restore(backup)
    machine.cycle()
    world.publish(world.endpoint(1, 2, 5))
    assert json.loads(world.plan("list", "--json").stdout)["plans"][0]["generation"] == 4


def test_a_generation_typed_by_mistake_does_not_use_up_the_numbers(world: World) -> None:
    """Nobody is numbered above it; the survey says so and names the command, and that command is the way out."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine("a")
    machine.cycle()
    world.retype(world.switch_name, world.switch_text().strip('"').replace("gen=1 ", "gen=999999999999 "))
    assert [zone.plan for zone in machine.cycle().zones] == ["ahead"]
    world.publish(world.endpoint(1, 2, 3))
    assert json.loads(world.plan("list", "--json").stdout)["plans"][0]["generation"] == 2
    told = world.run("survey")
    assert told.exit_code == 3
    assert f"enactor start --zone {world.zone} --generation N" in told.stdout
    for words in (("stop",), ("start", "--generation", "1")):
        done = world.run(*words, "--zone", world.zone, "--reason", "slip")
        assert done.exit_code == 0, done.output
    assert [zone.plan for zone in machine.cycle().zones] == ["current"]
    assert len(world.stands()) == 3


def test_a_dark_table_is_told_with_since_when_and_what_is_worked_from(world: World) -> None:
    """The instant stays as it was while it is dark, is gone when it answers, and is another one the next time."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine("a")
    machine.cycle()

    def told() -> list[str]:
        return [one for one in machine.cycle().problems if "has not answered since" in one]

    def answered() -> bool:
        assert machine.enactor.last is not None
        return machine.enactor.last.table_answered

    def dark() -> tuple[list[str], list[str]]:
        world.fault(FaultRule(action="deny", service="dynamodb", count=None))
        first = told()
        time.sleep(1.1)  # AWS's Date has whole seconds
        return first, told()

    first, second = dark()
    assert first == second
    assert len(first) == 1
    assert first[0].endswith("going on with generation 1 from table")
    assert answered() is False
    world.sandbox.clear_faults()
    assert told() == []
    assert answered() is True
    assert dark()[0] not in ([], first)


def test_the_state_words_are_the_same_in_help_and_log(world: World) -> None:
    """What a person reads in the help can be searched for in the log, and in `survey --json`."""
    world.publish(world.endpoint(1, 2), world.endpoint(3, name=WEB))
    world.edit("CREATE", record("192.0.2.9", name=WEB))
    worker = world.worker("a")
    until(worker.cycles, "a cycle")
    worker.ended(signal.SIGTERM)
    told = set(worker.events("cycle-ended")[-1]["states"])
    assert told == {"current", "foreign"}
    shown = world.run("survey", "--help").stdout
    assert [word for word in get_args(State) if word not in shown] == []
    assert told == set(json.loads(world.run("survey", "--json").stdout)["counts"])

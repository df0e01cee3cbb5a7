"""What a person's verb leaves in the log: one JSON line on stderr with who, what, where and why, beside the sentence."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from click.testing import CliRunner, Result

from enactor.cli.main import main
from enactor.outside import SystemChance, SystemClock
from enactor.sandbox.server import Sandbox
from enactor.table import PlanTable, table_client
from planner.cli import main as planner

ZONE = "Z0VERBLOG"


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    with Sandbox() as sandbox:
        sandbox.create_zone("example.test", ZONE)
        told = sandbox.environment()
        session = boto3.Session(
            told["AWS_ACCESS_KEY_ID"], told["AWS_SECRET_ACCESS_KEY"], region_name=told["AWS_REGION"]
        )
        client = table_client(session, endpoint_url=sandbox.endpoint_url)
        PlanTable(client, "plans", "edge", clock=SystemClock(), chance=SystemChance()).create_table()
        yield {
            **told,
            "ENACTOR_TABLE": "plans",
            "ENACTOR_FLEET": "edge",
            "ENACTOR_ZONES": ZONE,
            "ENACTOR_ID": "tester",
        }


def lines(result: Result) -> list[dict[str, Any]]:
    """Return the verbs in a command's log."""
    found = [json.loads(line) for line in result.stderr.splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == "verb-ended"]


def test_each_verb_is_one_line_with_its_reason(environment: dict[str, str], tmp_path: Path) -> None:
    """init, publish, stop and start: event, fleet, zone, reason, outcome; the sentences for people stay."""
    target = {"id": "lb-1", "type": "A", "value": "192.0.2.1", "weight": 10}
    endpoint = {"name": "api.example.test", "zone": ZONE, "routing": "weighted", "ttl": 60, "targets": [target]}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"format": 1, "fleet": "edge", "endpoints": [endpoint]}))
    (init,) = lines(CliRunner().invoke(main, ["init", "--zone", ZONE, "--reason", "first light"], env=environment))
    assert (init["verb"], init["fleet"], init["zone"], init["enactor"]) == ("init", "edge", ZONE, "tester")
    assert (init["reason"], init["outcome"], init["level"]) == ("first light", "changed", "info")
    again = CliRunner().invoke(main, ["init", "--zone", ZONE], env=environment)
    assert [line["outcome"] for line in lines(again)] == ["unchanged"]
    assert f"zone {ZONE} has a switch already" in again.stdout
    stop = CliRunner().invoke(main, ["stop", "--zone", ZONE, "--reason", "drill"], env=environment)
    assert [(line["outcome"], line["reason"]) for line in lines(stop)] == [("changed", "drill")]
    assert f"zone {ZONE} is stopped" in stop.stdout
    words = ["publish", "--plan", str(plan), "--reason", "new fleet", "--json"]
    publish = CliRunner().invoke(planner, words, env=environment)
    (line,) = lines(publish)
    assert (line["verb"], line["generation"], line["reason"], line["planner"]) == ("publish", 1, "new fleet", "tester")
    assert (line["outcome"], "zone" in line) == ("changed", False)
    assert json.loads(publish.stdout)["generation"] == 1


def test_a_verb_that_failed_is_a_warning(environment: dict[str, str]) -> None:
    """The line says why, as the sentence does."""
    result = CliRunner().invoke(main, ["start", "--zone", "Z0NOWHERE", "--reason", "typo"], env=environment)
    (line,) = lines(result)
    assert (result.exit_code, line["outcome"], line["level"]) == (1, "failed", "warning")
    assert (line["zone"], line["reason"]) == ("Z0NOWHERE", "typo")
    assert line["detail"] in result.stderr.replace(json.dumps(line), "")


def test_a_refused_publish_says_by_which_guard(environment: dict[str, str], tmp_path: Path) -> None:
    """Nothing was stored, and the log knows why."""
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"format": 1, "fleet": "edge", "endpoints": []}))
    (line,) = lines(CliRunner().invoke(planner, ["publish", "--plan", str(plan)], env=environment))
    assert (line["outcome"], "empty-plan" in line["detail"]) == ("refused", True)

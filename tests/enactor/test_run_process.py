"""`enactor run` as a real process: it works, serves metrics, and ends cleanly on SIGTERM."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import jsonschema
from click.testing import CliRunner

from enactor.cli.main import main
from enactor.sandbox.server import Sandbox
from planner.cli import main as planner
from planner.schemas import schema_of
from tests.loopback import free_port

ZONE = "Z0RUNPROCESS"
PATIENCE_SECONDS = 40.0
PLAN = (
    '{"format": 1, "fleet": "edge", "endpoints": [{"name": "api.example.test", "zone": "Z0RUNPROCESS", '
    '"routing": "simple", "ttl": 60, "targets": [{"id": "lb-1", "type": "A", "value": "192.0.2.1"}]}]}'
)


def fetched(port: int, path: str) -> tuple[int, str]:
    """Return the status and the text that the port answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return int(answer.status), str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def scraped(port: int) -> str:
    return fetched(port, "/metrics")[1]


def test_a_worker_applies_a_plan_serves_metrics_and_ends_on_sigterm(tmp_path: Path) -> None:
    """A plan reaches the zone, the metrics say so, and SIGTERM ends the process with status 0."""
    port = free_port()
    with Sandbox() as sandbox:
        sandbox.create_zone("example.test", ZONE)
        told = {"ENACTOR_TABLE": "plans", "ENACTOR_FLEET": "edge", "ENACTOR_ZONES": ZONE, "ENACTOR_ID": "runner"}
        environment = {**os.environ, **sandbox.environment(), **told}
        assert CliRunner().invoke(main, ["init", "--zone", ZONE], env=environment).exit_code == 0
        (tmp_path / "plan.json").write_text(PLAN)
        words = ["publish", "--plan", str(tmp_path / "plan.json")]
        assert CliRunner().invoke(planner, words, env=environment).exit_code == 0
        command = [sys.executable, "-m", "enactor", "run", "--every", "0.5s", "--metrics", f"127.0.0.1:{port}"]
        command += ["--critical", "api.example.test"]
        with subprocess.Popen(
            [*command, "--state-dir", str(tmp_path / "state")], env=environment, stderr=subprocess.DEVNULL
        ) as worker:
            until = time.monotonic() + PATIENCE_SECONDS
            while not sandbox.zone(ZONE).sets("api.example.test.") and time.monotonic() < until:
                time.sleep(0.1)
            while 'enactor_cycles_total{outcome="unchanged"} 0.0' in scraped(port) and time.monotonic() < until:
                time.sleep(0.1)
            page = scraped(port)
            status = json.loads(fetched(port, "/api/status")[1])
            shown = fetched(port, "/")
            answers = {path: fetched(port, path)[0] for path in ("/healthz", "/readyz", "/nothing")}
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(timeout=PATIENCE_SECONDS) == 0
        assert sandbox.zone(ZONE).sets("api.example.test.")
    assert 'enactor_endpoints{state="current"} 1.0' in page
    assert f'enactor_zone_open_generation{{zone="{ZONE}"}} 1.0' in page
    assert 'enactor_endpoint_answering{name="api.example.test.",zone="Z0RUNPROCESS"} 1.0' in page
    assert "enactor_alive_enactors 1.0" in page
    assert shown[0] == 200
    assert "The one endpoint answers" in shown[1]
    assert answers == {"/healthz": 200, "/readyz": 200, "/nothing": 404}
    jsonschema.Draft202012Validator(schema_of("api-status")).validate(status)
    assert (status["enactor"], status["ready"], status["counts"]) == ("runner", True, {"current": 1})
    assert list((tmp_path / "state").glob("plan-edge-*.json"))


def test_a_worker_of_a_mistyped_fleet_says_so(tmp_path: Path) -> None:
    """Nothing of it is here, and what is here is of another fleet: a line, and not ready."""
    port = free_port()
    with Sandbox() as sandbox:
        sandbox.create_zone("example.test", ZONE)
        told = {"ENACTOR_TABLE": "plans", "ENACTOR_FLEET": "edge", "ENACTOR_ZONES": ZONE, "ENACTOR_ID": "runner"}
        environment = {**os.environ, **sandbox.environment(), **told}
        assert CliRunner().invoke(main, ["init", "--zone", ZONE], env=environment).exit_code == 0
        command = [sys.executable, "-m", "enactor", "run", "--every", "0.5s", "--metrics", f"127.0.0.1:{port}"]
        log = tmp_path / "log"
        with (
            log.open("wb") as stderr,
            subprocess.Popen(
                [*command, "--fleet", "edeg", "--state-dir", str(tmp_path / "state")], env=environment, stderr=stderr
            ) as worker,
        ):
            until = time.monotonic() + PATIENCE_SECONDS
            while "nothing-here" not in log.read_text() and time.monotonic() < until:
                time.sleep(0.1)
            status, text = fetched(port, "/readyz")
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(timeout=PATIENCE_SECONDS) == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (line,) = [one for one in lines if one["event"] == "nothing-here"]
    assert "is of fleet edge: check ENACTOR_FLEET" in line["why"]
    assert (status, line["why"] in text) == (503, True)

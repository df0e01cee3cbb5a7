"""What a person would see: a real fleet on the sandbox, scraped by a real Prometheus server with our rules, and every panel asked."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from enactor.cli.main import main
from enactor.sandbox.server import Sandbox
from tests.alerts.scene import RULES
from tests.loopback import free_port

from .board import queries

PROMETHEUS = shutil.which("prometheus")
pytestmark = [
    pytest.mark.skipif(PROMETHEUS is None, reason="no Prometheus server: it comes with Debian's package prometheus"),
    pytest.mark.xdist_group("dashboard"),  # one world for all of them
    pytest.mark.timeout(300),  # six processes are started, and the server has to scrape for a while
]
ZONE = "Z0DASHBOARD"
API = "api.example.test."
PATIENCE_SECONDS = 120.0
RATES_OVER = "30s"
NOTHING_TO_SHOW = {
    "Endpoints refused, by guard",
    "Refusals that began, by guard",
    "Plans refused, by guard",
    "Until a stop ends",
    "Since a collection that read every zone",
    "Plans in the last collection, by decision",
    "Why plans stay or go",
}
"""Panels of which a part has no series while all is well and nothing was collected yet."""


class Server:
    """A Prometheus server that is asked over its API."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/api/v1/"

    def get(self, path: str, **words: str) -> Any:
        """Return the data of an answer; raises ValueError with the server's word where a query is wrong."""
        url = f"{self._url}{path}?{urllib.parse.urlencode(words)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise ValueError(error.read().decode()) from error

    def ask(self, expr: str) -> list[tuple[dict[str, str], float]]:
        """Return each series with its labels and value, as a panel for the fleet edge has it."""
        told = expr.replace("$fleet", "edge").replace("$__rate_interval", RATES_OVER)
        return [(one["metric"], float(one["value"][1])) for one in self.get("query", query=told)["result"]]

    def is_up(self) -> bool:
        with contextlib.suppress(OSError, ValueError):
            return bool(self.get("status/buildinfo"))
        return False

    def has(self, expr: str) -> Callable[[], bool]:
        return lambda: bool(self.ask(expr))


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.2)


@contextlib.contextmanager
def running(folder: Path, environment: dict[str, str], *commands: list[str]) -> Iterator[None]:
    """Run commands, each with a log of its own, and stop them."""
    with contextlib.ExitStack() as stack:
        for number, command in enumerate(commands):
            log = stack.enter_context((folder / f"log-{number}").open("wb"))
            process = stack.enter_context(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
            stack.callback(process.send_signal, signal.SIGTERM)
        yield


def fleet_file(folder: Path) -> Path:
    path = folder / "fleet.yaml"
    file = {
        "fleet": "edge",
        "zones": {"main": {"id": ZONE, "name": "example.test"}},
        "pools": {"blue": [{"id": f"lb-{number}", "addresses": [f"192.0.2.{number}"]} for number in (1, 2, 3)]},
        "endpoints": [
            {"name": "api.example.test", "zone": "main", "pools": {"blue": 1}},
            {"name": "www.example.test", "zone": "main", "pools": {"blue": 1}},
        ],
    }
    path.write_text(json.dumps(file))
    return path


def server_file(folder: Path, ports: dict[str, int]) -> Path:
    """Write a server's configuration as scrape.yaml has it, with the rules, these ports and a scrape every second."""
    config = yaml.safe_load(RULES.with_name("scrape.yaml").read_text(encoding="utf-8"))
    config["global"] |= {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(RULES)]
    del config["alerting"]
    for job in config["scrape_configs"]:
        job["static_configs"][0]["targets"] = [f"127.0.0.1:{ports[job['job_name']]}"]
    path = folder / "prometheus.yaml"
    path.write_text(json.dumps(config))
    return path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sandbox, Server]]:
    """A worker, a planner, a probe and a server that has scraped them for a while."""
    folder = tmp_path_factory.mktemp("dashboard")
    ports = {job: free_port() for job in ("enactor", "planner", "enactor-probe")}
    with Sandbox() as sandbox:
        sandbox.create_zone("example.test", ZONE)
        told = {"ENACTOR_TABLE": "plans", "ENACTOR_FLEET": "edge", "ENACTOR_ZONES": ZONE}
        environment = {**os.environ, **sandbox.environment(), **told}
        assert CliRunner().invoke(main, ["init", "--zone", ZONE], env=environment).exit_code == 0
        host, dns = sandbox.dns_address
        python, port = [sys.executable, "-m"], free_port()
        worker = [*python, "enactor", "run", "--id", "a", "--every", "0.5s", "--critical", "api.example.test"]
        planner = [*python, "planner", "run", str(fleet_file(folder)), "--every", "0.5s"]
        probe = [*python, "enactor", "probe", "api.example.test", "--resolver", f"{host}:{dns}", "--every", "0.5s"]
        server = [
            str(PROMETHEUS),
            f"--config.file={server_file(folder, ports)}",
            f"--storage.tsdb.path={folder / 'tsdb'}",
        ]
        with running(
            folder,
            environment,
            [*worker, "--state-dir", str(folder / "state"), "--metrics", f"127.0.0.1:{ports['enactor']}"],
            [*planner, "--metrics", f"127.0.0.1:{ports['planner']}"],
            [*server, f"--web.listen-address=127.0.0.1:{port}"],
        ):
            asked = Server(port)
            until(asked.is_up, "the server answers")
            until(asked.has('enactor_endpoints{state="current"} == 2'), "both endpoints are current")
            with running(folder, environment, [*probe, "--metrics", f"127.0.0.1:{ports['enactor-probe']}"]):
                until(asked.has('enactor:probe_empty:ratio{name="api.example.test."} == 0'), "the probe has asked")
                until(
                    asked.has("count_over_time(enactor_probe_last_look_timestamp_seconds[1m]) > 8"), "rates can be told"
                )
                until(asked.has("rate(planner_looks_total[30s]) > 0"), "the planner looks")
                yield sandbox, asked


def test_every_panel_has_an_answer(world: tuple[Sandbox, Server]) -> None:
    """No query is refused, and only what speaks of trouble is empty."""
    _, server = world
    without = {asked.panel for asked in queries() if not server.ask(asked.expr)}
    assert without == NOTHING_TO_SHOW


@pytest.mark.parametrize(
    ("panel", "shown"),
    [
        ("Endpoints not answering", {(): 0}),
        ("Names empty outside", {(): 0}),
        ("Enactors at work", {(): 1}),
        ("Newest plan", {(): 1}),
        ("Guards that refuse a plan", {(): 0}),
        ("Zones stopped", {(): 0}),
        ("Without the table", {(): 0}),
        ("Sets of limits", {(): 1}),
        ("Critical endpoints missing", {(): 0}),
        ("Endpoints by state", {("current",): 2, ("empty",): 0, ("refused",): 0}),
        ("What the switch says", {("run", ZONE): 1}),
        ("How the newest plan stands to a zone", {("current", ZONE): 1}),
        ("Zones that fail", {(ZONE,): 0}),
        ("Record sets in a zone", {(ZONE,): 2 + 1 + 2 + 6}),
        ("Targets in the plan", {(): 6}),
        ("Newest generation", {(): 1}),
        ("Servers that call a name empty", {(API,): 0}),
        ("Verdicts", {("answering",): 1, ("empty",): 0}),
        ("Addresses in an answer", {(API, "AAAA"): 0}),
    ],
)
def test_key_panels_show_what_is_there(world: tuple[Sandbox, Server], panel: str, shown: dict[Any, float]) -> None:
    """By the values of their labels: two endpoints of three load balancers each, one enactor, one zone, all well."""
    _, server = world
    (expr,) = [asked.expr for asked in queries() if asked.panel == panel]
    found = {tuple(value for _, value in sorted(labels.items())): value for labels, value in server.ask(expr)}
    assert {key: found.get(key) for key in shown} == shown


def test_a_critical_endpoint_has_its_row(world: tuple[Sandbox, Server]) -> None:
    """It answers, at the plan's generation, with three record sets of weight 1."""
    _, server = world
    rows = [server.ask(asked.expr) for asked in queries() if asked.panel == "Critical endpoints"]
    assert {tuple(sorted(labels.items())) for ((labels, _),) in rows} == {(("name", API), ("zone", ZONE))}
    assert [value for ((_, value),) in rows] == [1, 1, 1, 3, 3]


def test_the_rules_are_sound_there_and_no_alert_fires(world: tuple[Sandbox, Server]) -> None:
    """What promtool accepts a server evaluates, too."""
    _, server = world
    groups = server.get("rules")["groups"]
    found = [rule for group in groups for rule in group["rules"]]
    until(
        lambda: all(rule["health"] == "ok" for group in server.get("rules")["groups"] for rule in group["rules"]), "ok"
    )
    assert len(found) > 20
    assert [alert for alert in server.get("alerts")["alerts"] if alert["state"] == "firing"] == []


def test_a_heal_is_seen(world: tuple[Sandbox, Server]) -> None:
    """Somebody deletes what an endpoint answers with: the panel of heals says that it was empty, and answers again."""
    sandbox, server = world
    stands = sandbox.zone(ZONE).sets(API)
    sandbox.edit(ZONE, [{"Action": "DELETE", "ResourceRecordSet": one} for one in stands])
    (heals,) = [asked.expr for asked in queries() if asked.panel == "Heals, by cause"]
    until(lambda: any(value > 0 for labels, value in server.ask(heals) if labels == {"cause": "empty"}), "a heal")
    assert len(sandbox.zone(ZONE).sets(API)) == 3

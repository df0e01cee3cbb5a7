"""`enactor probe` over real DNS: nothing of this system is alive but the zone's own answers."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result
from prometheus_client import CollectorRegistry, Counter

from enactor.cli.main import main
from enactor.fence import Fence, fence_text
from enactor.probe_metrics import ProbeMetrics
from enactor.sandbox.dns import DnsServer
from enactor.sandbox.server import Sandbox
from enactor.sandbox.zone_model import Zone, apply
from planner.schemas import schema_of
from tests.loopback import free_port

ZONE = "Z0TEST"
NAME = "api.example.test."
NAME_SERVERS = "sandbox.invalid."
PATIENCE_SECONDS = 30.0


def a_set(name: str, *values: str, record_type: str = "A") -> dict[str, Any]:
    return {"Name": name, "Type": record_type, "TTL": 60, "ResourceRecords": [{"Value": value} for value in values]}


def fence(generation: int) -> dict[str, Any]:
    text = fence_text(Fence(fleet="edge", gen=generation, plan="a" * 12, by="a", nonce="1" * 16))
    return a_set("api._fence.example.test.", f'"{text}"', record_type="TXT")


def change(action: str, *sets: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"Action": action, "ResourceRecordSet": one} for one in sets]


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.create_zone("example.test.", ZONE)
        running.edit(ZONE, change("CREATE", a_set(NAME, "192.0.2.1", "192.0.2.2"), fence(7)))
        yield running


def where(sandbox: Sandbox) -> str:
    host, port = sandbox.dns_address
    return f"{host}:{port}"


def probe(sandbox: Sandbox, *words: str) -> Result:
    return CliRunner().invoke(main, ["probe", *words, "--resolver", where(sandbox)], env={"COLUMNS": "200"})


def test_a_name_that_answers_is_shown_with_its_generation(sandbox: Sandbox) -> None:
    """Whatever its spelling, once; exit 0."""
    result = probe(sandbox, "API.example.test", NAME)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[1].split() == [
        NAME, "answering", where(sandbox), "A", "192.0.2.1", "192.0.2.2;", "AAAA", "none", "7", *result.stdout.split()[-1:],
    ]  # fmt: skip


def test_an_empty_name_and_one_without_its_sets_are_empty(sandbox: Sandbox) -> None:
    """NXDOMAIN and NOERROR without an answer are the same to a client; exit 1. The fence alone answers nobody."""
    sandbox.edit(ZONE, change("DELETE", a_set(NAME, "192.0.2.1", "192.0.2.2")))
    sandbox.edit(ZONE, change("CREATE", a_set("web.example.test.", '"text"', record_type="TXT")))
    result = probe(sandbox, NAME, "web.example.test", "--json")
    assert result.exit_code == 1
    jsonschema.Draft202012Validator(schema_of("probe")).validate(json.loads(result.stdout))
    seen = {one["name"]: one for one in json.loads(result.stdout)["endpoints"]}
    assert {name: one["verdict"] for name, one in seen.items()} == {NAME: "empty", "web.example.test.": "empty"}
    assert [reply["rcode"] for reply in seen["web.example.test."]["servers"][0]["replies"]] == ["NOERROR", "NOERROR"]
    assert seen[NAME]["servers"][0]["generation"] == 7


def test_a_server_that_is_silent_is_unknown_and_not_empty() -> None:
    """An alert must not call an endpoint empty because a resolver is down; the look ends in bounded time."""
    result = CliRunner().invoke(main, ["probe", NAME, "--resolver", "127.0.0.1:9", "--json"])
    assert result.exit_code == 1
    (server,) = json.loads(result.stdout)["endpoints"][0]["servers"]
    assert (server["verdict"], {reply["rcode"] for reply in server["replies"]}) == ("unknown", {"no answer"})


def test_an_answer_that_no_plan_has_is_told(sandbox: Sandbox, tmp_path: Path) -> None:
    """Exit 3; with the plan that has it, 0."""
    targets = [{"id": f"lb-{n}", "type": "A", "value": f"192.0.2.{n}"} for n in (1, 2)]
    for name, count in (("old", 1), ("new", 2)):
        endpoint = {"name": NAME, "zone": ZONE, "routing": "simple", "ttl": 60, "targets": targets[:count]}
        plan = {"format": 1, "fleet": "edge", "endpoints": [endpoint], "retired": []}
        (tmp_path / name).write_text(json.dumps(plan))
    lacking = probe(sandbox, NAME, "--plan", str(tmp_path / "old"), "--json")
    assert lacking.exit_code == 3
    assert json.loads(lacking.stdout)["endpoints"][0]["servers"][0]["unplanned"] == ["192.0.2.2"]
    known = probe(sandbox, NAME, "--plan", str(tmp_path / "old"), "--plan", str(tmp_path / "new"))
    assert known.exit_code == 0, known.output
    (tmp_path / "old").write_text("{}")
    assert probe(sandbox, NAME, "--plan", str(tmp_path / "old")).exit_code == 1


def test_a_probe_that_goes_on_follows_a_folder_of_plans_and_outlives_it(sandbox: Sandbox, tmp_path: Path) -> None:
    """What a new plan lists is no longer unplanned, and neither a spoilt file nor an empty folder ends the one alert that needs nothing."""

    def listed(count: int) -> None:
        targets = [{"id": f"lb-{n}", "type": "A", "value": f"192.0.2.{n}"} for n in range(1, count + 1)]
        endpoint = {"name": NAME, "zone": ZONE, "routing": "simple", "ttl": 60, "targets": targets}
        aside = tmp_path / "aside"
        aside.write_text(json.dumps({"format": 1, "fleet": "edge", "endpoints": [endpoint]}))
        aside.replace(tmp_path / "plan.json")

    listed(1)
    command = [sys.executable, "-m", "enactor", "probe", NAME, "--resolver", where(sandbox), "--every", "0.5s"]
    process = subprocess.Popen(
        [*command, "--plan", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "in no plan: 192.0.2.2 at" in process.stdout.readline()
        listed(2)
        assert f"{NAME} answering, generation 7 at" in process.stdout.readline()
        (tmp_path / "plan.json").write_text("{")
        assert process.stderr.readline().rstrip().endswith("what was read of it before counts on")
        (tmp_path / "plan.json").unlink()
        assert "holds no plan (*.json)" in process.stderr.readline()
        sandbox.edit(ZONE, change("DELETE", a_set(NAME, "192.0.2.1", "192.0.2.2")))
        while f"{NAME} empty" not in (line := process.stdout.readline()):  # ends with the process at the latest
            assert line
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing..example"], "is no DNS name"),
        ([NAME, "--resolver", "dns.example.net"], "is no address of a server"),
        ([NAME, "--resolver", "192.0.2.1:99999"], "not between 1 and 65535"),
        ([NAME, "--metrics", "127.0.0.1:0"], "--metrics needs --every"),
        ([NAME, "--every", "0.1s"], "--every 0.1s is not between"),
        ([f"n{n}.example.test" for n in range(201)], "201 names are more than 200"),
    ],
)
def test_wrong_usage_is_said_before_anybody_is_asked(words: list[str], said: str) -> None:
    """Exit 2, one sentence."""
    result = CliRunner().invoke(main, ["probe", *words])
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.fixture
def another(sandbox: Sandbox) -> Iterator[list[Zone]]:
    """A second name server on another loopback address, whose zone is what a test puts into the list."""
    _, port = sandbox.dns_address
    zones = [sandbox.zone(ZONE)]
    server = DnsServer(lambda: zones, host="127.0.0.2", port=port).start()
    yield zones
    server.stop()


def test_the_zones_own_servers_are_asked_each(sandbox: Sandbox, another: list[Zone]) -> None:
    """Where one of them is behind the other, its generation shows it."""
    sandbox.create_zone(NAME_SERVERS, "Z0SERVERS")
    for number in range(1, 5):
        address = "127.0.0.2" if number == 4 else "127.0.0.1"
        sandbox.edit("Z0SERVERS", change("CREATE", a_set(f"ns-{number}.{NAME_SERVERS}", address)))
    sandbox.edit(ZONE, [*change("DELETE", fence(7)), *change("CREATE", fence(8))])
    _, port = sandbox.dns_address
    result = probe(sandbox, NAME, "--authoritative", "--port", str(port), "--json")
    assert result.exit_code == 0, result.output
    (seen,) = json.loads(result.stdout)["endpoints"]
    assert {one["server"].split()[0]: one["generation"] for one in seen["servers"]} == {
        "ns-1.sandbox.invalid": 8,
        "ns-2.sandbox.invalid": 8,
        "ns-3.sandbox.invalid": 8,
        "ns-4.sandbox.invalid": 7,
    }
    empty = apply(another[0], change("DELETE", a_set(NAME, "192.0.2.1", "192.0.2.2")))
    assert isinstance(empty, Zone)
    another[0] = empty
    result = probe(sandbox, NAME, "--authoritative", "--port", str(port), "--json")
    assert (result.exit_code, json.loads(result.stdout)["endpoints"][0]["verdict"]) == (1, "empty")


def test_name_servers_that_cannot_be_found_are_said(sandbox: Sandbox) -> None:
    """Which zone, and what was tried."""
    result = probe(sandbox, NAME, "--authoritative")
    assert result.exit_code == 1
    assert "none of the name servers of example.test. (ns-1.sandbox.invalid.," in result.stderr


def test_it_goes_on_asking_tells_what_changes_and_ends_on_sigterm(sandbox: Sandbox) -> None:
    """A line for each change, metrics for Prometheus, status 0 at the end; nothing else of the system is alive."""
    command = [sys.executable, "-m", "enactor", "probe", NAME, "--resolver", where(sandbox)]
    process = subprocess.Popen(
        [*command, "--every", "0.5s", "--metrics", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert f"{NAME} answering, generation 7 at" in process.stdout.readline()
        sandbox.edit(ZONE, change("DELETE", a_set(NAME, "192.0.2.1", "192.0.2.2")))
        assert f"{NAME} empty, generation 7 at" in process.stdout.readline()
        sandbox.edit(ZONE, change("CREATE", a_set(NAME, "192.0.2.3")))
        assert process.stdout.readline().rstrip().endswith(f"at {where(sandbox)}: A 192.0.2.3; AAAA none")
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, said) == (0, "")


def scraped(port: int) -> str:
    """Return what Prometheus would read."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:  # ends by its limit
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                text = str(answer.read().decode())
        except OSError:
            text = ""
        if "enactor_probe_last_look_timestamp_seconds 1" in text:
            return text
        time.sleep(0.1)
    raise AssertionError("nothing was served")


def test_metrics_say_what_is_seen(sandbox: Sandbox) -> None:
    """The verdict as a series each, so that an alert can ask for `empty`."""
    port = free_port()
    command = [sys.executable, "-m", "enactor", "probe", NAME, "--resolver", where(sandbox)]
    process = subprocess.Popen(
        [*command, "--every", "0.5s", "--metrics", f"127.0.0.1:{port}", "--json"], stdout=subprocess.DEVNULL
    )
    try:
        text = scraped(port)
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
    place = f'name="{NAME}",server="{where(sandbox)}"'
    assert f'enactor_probe_verdict{{{place},verdict="answering"}} 1.0' in text
    assert f'enactor_probe_verdict{{{place},verdict="empty"}} 0.0' in text
    assert f'enactor_probe_answers{{{place},type="A"}} 2.0' in text
    assert f"enactor_probe_generation{{{place}}} 7.0" in text


def test_the_page_lists_each_metric_with_its_labels_and_words() -> None:
    """What the docs say is what is exported."""
    registry = CollectorRegistry()
    ProbeMetrics(registry)
    page = (Path(__file__).parents[2] / "docs" / "probe.md").read_text("utf-8")
    rows = re.findall(r"^\| `(enactor_probe\w+)` \| (.+?) \| (.+?) \|$", page, re.MULTILINE)
    exported = [
        (
            str(vars(one)["_name"]) + ("_total" if isinstance(one, Counter) else ""),
            ", ".join(vars(one)["_labelnames"]) or "-",
            str(vars(one)["_documentation"]),
        )
        for one in dict.fromkeys(registry._collector_to_names)
    ]
    assert rows == exported

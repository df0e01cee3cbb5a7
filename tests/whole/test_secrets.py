"""No credential reaches a log, a page, a metric, a file or the table: canaries stand for them while everything goes wrong."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any, Final

import boto3
import jsonschema
import pytest

from enactor.sandbox.faults import FaultRule
from planner.schemas import schema_of
from tests.loopback import free_port

from .world import CHANGE, LIST, PATIENCE_SECONDS, World, until

CANARIES: Final = {
    "AWS_ACCESS_KEY_ID": "AKIACANARYCANARY0001",
    "AWS_SECRET_ACCESS_KEY": "canary-secret-access-key-0002",
    "AWS_SESSION_TOKEN": "canary-session-token-0003",
}
PASSWORD: Final = "canary-password-0004"
API_STATUS: Final = jsonschema.Draft202012Validator(schema_of("api-status"))
PATHS: Final = ("/", "/api/status", "/metrics", "/healthz", "/readyz")
QUOTED: Final = (
    "The request signature we calculated does not match the signature you provided. The Canonical String for this request should have been "
    f"'POST / host:here x-amz-security-token:{CANARIES['AWS_SESSION_TOKEN']} x-amz-target:T', and the header was 'AWS4-HMAC-SHA256 "
    f"Credential={CANARIES['AWS_ACCESS_KEY_ID']}/20261201/eu-west-1/dynamodb/aws4_request, Signature=0'"
)
"""As AWS answers where a signature is wrong."""
GONE: Final = "ResourceNotFoundException"
FAULTS: Final = (
    FaultRule(action="deny", operation=LIST, count=2),
    FaultRule(action="throttle", operation=LIST, count=1),
    FaultRule(action="disconnect", operation=LIST, count=2),
    FaultRule(action="reject", operation=CHANGE, count=1),
    FaultRule(action="error-after", operation=CHANGE, count=1),
    FaultRule(action="deny", service="dynamodb", operation="GetItem", count=2),
    FaultRule(action="disconnect", service="dynamodb", operation="Query", count=2),
    FaultRule(action="error-before", service="dynamodb", operation="PutItem", count=2),
    FaultRule(action="deny", operation="GetChange", count=1),
    FaultRule(action="deny", operation=LIST, count=2, code="SignatureDoesNotMatch", message=QUOTED),
    FaultRule(action="deny", service="dynamodb", count=6, code="InvalidSignatureException", message=QUOTED),
    FaultRule(
        action="deny", service="dynamodb", count=6, code=GONE, message="Requested resource not found", status=400
    ),
)
FAULTS_AT_ONCE: Final = 3


class Told:
    """Everything that a process said, wherever."""

    def __init__(self) -> None:
        self.where: dict[str, str] = {}

    def fetch(self, port: int) -> None:
        for path in PATHS:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                    self.where[path] = self.where.get(path, "") + answer.read().decode()
            except urllib.error.HTTPError as error:
                self.where[path] = self.where.get(path, "") + error.read().decode()
            except OSError:
                continue  # not yet, or no more

    def status(self, port: int) -> None:
        """Hold what `/api/status` answers against its schema."""
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status", timeout=5) as answer:
            API_STATUS.validate(json.loads(answer.read()))

    def leaks(self) -> list[tuple[str, str]]:
        secrets = (*CANARIES.values(), PASSWORD)
        return [(place, secret) for place, text in self.where.items() for secret in secrets if secret in text]


def started(world: World, name: str, *words: str, **environment: str) -> tuple[subprocess.Popen[bytes], Path]:
    log = world.folder / f"{name}.log"
    told = os.environ | world.environment | CANARIES | environment
    with log.open("wb") as output:
        return subprocess.Popen([sys.executable, "-m", *words], env=told, stdout=output, stderr=output), log


def in_the_table(world: World) -> str:
    client: Any = boto3.client("dynamodb")
    return json.dumps(client.scan(TableName=world.environment["ENACTOR_TABLE"])["Items"], default=str)


def test_no_credential_is_said_anywhere_while_everything_goes_wrong(world: World) -> None:
    """A worker and a planner under every kind of fault; what they say is read again and again, and is of the form that is promised."""
    fleet = world.folder / "fleet.json"
    zones = {"main": {"id": world.zone, "name": "example.test"}}
    pool = [{"id": f"lb-{n}", "addresses": [f"192.0.2.{n}"]} for n in (1, 2)]
    file = {"fleet": world.fleet, "zones": zones, "pools": {"blue": pool}}
    names = [
        f"ep{number}.example.test." for number in range(len(FAULTS))
    ]  # one wiped again and again would be contested
    endpoints = [{"name": name, "zone": "main", "pools": {"blue": 1}} for name in names]
    fleet.write_text(json.dumps(file | {"endpoints": endpoints}))
    port, told = free_port(), Told()
    state = world.folder / "state"
    service = ("enactor", "run", "--every", "0.1s", "--state-dir", str(state), "--metrics", f"127.0.0.1:{port}")
    worker, worker_log = started(world, "worker", *service)
    planner, planner_log = started(world, "planner", "planner", "run", str(fleet), "--every", "0.2s")
    try:
        until(lambda: all(map(world.stands, names)), "the first plan is in force")
        for first in range(0, len(FAULTS), FAULTS_AT_ONCE):
            handles = [world.fault(rule) for rule in FAULTS[first : first + FAULTS_AT_ONCE]]
            world.edit("DELETE", *world.sandbox.zone(world.zone).sets(names[first]))
            until(partial(world.stands, names[first]), f"healed beside {FAULTS[first : first + FAULTS_AT_ONCE]}")
            told.fetch(port)
            told.status(port)
            for handle in handles:
                world.sandbox.remove_fault(handle)
        for process in (worker, planner):
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_SECONDS) == 0
    finally:
        for process in (worker, planner):
            process.kill()
            process.wait(PATIENCE_SECONDS)
    told.where |= {
        path.name: path.read_text() for path in (worker_log, planner_log, *state.iterdir()) if path.is_file()
    }
    told.where["table"] = in_the_table(world)
    assert told.leaks() == []
    assert set(told.where) >= {"worker.log", "planner.log", "table", *PATHS}


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({"AWS_ENDPOINT_URL": f"http://user:{PASSWORD}@127.0.0.1:9"}, "http://127.0.0.1:9"),
        ({"HTTP_PROXY": f"http://user:{PASSWORD}@127.0.0.1:9", "NO_PROXY": ""}, "http://127.0.0.1:9"),
        ({"AWS_ENDPOINT_URL": f"http://user:{PASSWORD}@[nonsense"}, "check AWS_ENDPOINT_URL"),
    ],
    ids=["endpoint", "proxy", "no URL"],
)
def test_a_password_in_an_address_is_not_said(world: World, environment: dict[str, str], address: str) -> None:
    """An error names the address that did not answer: the part before the @ is nobody's business."""
    port, told = free_port(), Told()
    state = world.folder / "state"
    service = ("enactor", "run", "--every", "0.1s", "--state-dir", str(state), "--metrics", f"127.0.0.1:{port}")
    worker, log = started(world, "worker", *service, **environment)
    try:
        until(lambda: "cycle-ended" in log.read_text() or worker.poll() is not None, "a cycle ended, or the worker")
        told.fetch(port)
        time.sleep(0.5)
    finally:
        worker.kill()
        worker.wait(PATIENCE_SECONDS)
    once, said = started(world, "once", "enactor", "once", **environment)
    once.wait(PATIENCE_SECONDS)
    told.where |= {path.name: path.read_text() for path in (log, said)}
    assert told.leaks() == []
    assert all(address in told.where[path.name] for path in (log, said))

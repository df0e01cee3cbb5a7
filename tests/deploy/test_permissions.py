"""Each role of the template may do exactly what its commands do: every command runs with its calls recorded, and both lists are one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from enactor.cli.main import main as enactor
from planner.cli import main as planner
from tests.permissions_table import PAGE, renewed
from tests.planner.elbv2_builders import Region

from .conftest import FLEET, OTHER_ZONE, ZONE, Stack
from .iam import Call, actions, calls_of, is_allowed
from .recorded import heard

pytestmark = [
    pytest.mark.xdist_group("permissions"),
    pytest.mark.timeout(600),
]  # the fleet's life is lived once, by some test

API: Final = "api.example.test."
PATIENCE_SECONDS: Final = 40.0
WITHOUT: Final = {"iam:SimulatePrincipalPolicy"}
"""What `doctor` asks where it may, and says `unproven` without: no role of ours has it."""
REASON: Final = ("--reason", "test")


class Recorder:
    """Runs commands, in this process where they end by themselves, and keeps what each role asked for."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self.stack = stack
        self.folder = folder
        self.environment = stack.environment() | {"ENACTOR_ID": "tester", "ENACTOR_STATE_DIR": str(folder / "state")}
        (table,) = [stack.client("dynamodb").describe_table(TableName=stack.outputs["Table"])["Table"]["TableArn"]]
        self.arns = {"table": table}
        self.calls: dict[str, list[Call]] = {}
        self.commands: dict[str, set[str]] = {}
        self._role = ""

    def _hear(self, service: str, operation: str, params: dict[str, Any]) -> None:
        self.calls.setdefault(self._role, []).extend(calls_of(service, operation, params, self.arns))

    def run(self, role: str, *words: str, expect: Sequence[int] = (0,), **environment: str) -> str:
        """Run one command as a role."""
        self._role = role
        self.commands.setdefault(role, set()).add(" ".join(words[:2]))
        command = enactor if words[0] == "enactor" else planner
        with heard(self._hear):
            done = CliRunner().invoke(command, list(words[1:]), env=self.environment | environment)
        assert done.exit_code in expect, (words, done.output)
        return done.stdout

    def serve(self, role: str, *words: str, until: Callable[[], object]) -> None:
        """Run a service as a process of its own until something is so, and end it by SIGTERM."""
        self.commands.setdefault(role, set()).add(" ".join(words[:2]))
        file = self.folder / f"{words[0]}.calls"
        with subprocess.Popen(
            [sys.executable, "-m", "tests.deploy.recorded", str(file), *words],
            env=os.environ | self.environment,
            cwd=Path(__file__).parents[2],
            stderr=subprocess.DEVNULL,
        ) as process:
            end = time.monotonic() + PATIENCE_SECONDS
            while not until() and time.monotonic() < end:
                time.sleep(0.1)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_SECONDS) == 0
        assert until(), words
        self._role = role
        for line in file.read_text().splitlines():
            self._hear(*json.loads(line))

    def fleet_file(self, *numbers: int, **more: Any) -> str:
        pool = [{"id": f"lb-{n}", "addresses": [f"192.0.2.{n}"]} for n in numbers]
        endpoints = [{"name": name, "zone": "main", "pools": {"blue": 1}} for name in (API, "*.wild.example.test.")]
        file = {"fleet": FLEET, "zones": {"main": {"id": ZONE, "name": "example.test"}}, "pools": {"blue": pool}}
        path = self.folder / f"fleet-{len(list(self.folder.glob('fleet-*')))}.json"
        path.write_text(json.dumps(file | {"endpoints": endpoints} | more))
        return str(path)

    def stands(self) -> bool:
        return bool(self.stack.sandbox.zone(ZONE).sets(API))


@pytest.fixture(scope="module")
def recorded(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Recorder:
    """A fleet's life, from nothing to leaving, each command by the role that it is for."""
    life = Recorder(stack, tmp_path_factory.mktemp("roles"))
    run = life.run
    run("operator", "enactor", "init", "--zone", ZONE, *REASON)
    one = life.fleet_file(1, 2, 3)
    _plans(life, one)
    _work(life)
    _look(life, one)
    _steer(life)
    return life


def _plans(life: Recorder, one: str) -> None:
    run = life.run
    for words in (["check", one], ["compile", one], ["publish", one], ["publish", life.fleet_file(1, 2, 3, 4)]):
        run("planner", "planner", *words)
    for words in (["list"], ["show", "2"], ["diff", "1", "2"], ["dry-run", one], ["import", "--zone", ZONE]):
        run("planner", "planner", *words)
        run("reader", "planner", *words)
    for words in (["republish", "1", *REASON], ["pin", "1", *REASON], ["unpin", "1", *REASON]):
        run("planner", "planner", *words)
    region = Region(life.stack.sandbox, "eu-west-1")
    arn = region.balancer("edge-1", {"team": "edge"})
    region.group("edge-1", arn, {"10.0.0.10": "healthy"})
    sources = {"albs": {"kind": "elbv2", "regions": ["eu-west-1"], "tags": {"team": "edge"}}}
    more: dict[str, Any] = {"sources": sources, "pools": {"blue": {"from": ["albs"]}}}
    for role in ("planner", "operator"):
        run(role, "planner", "dry-run", life.fleet_file(1, **more), expect=(0, 1, 3))
    run("planner", "planner", "publish", life.fleet_file(1, 2, 3, 4))  # a rollback stays until then
    watched = life.fleet_file(1, 2, 3, 4, 5)
    head = run("planner", "planner", "list")
    life.serve(
        "planner", "planner", "run", watched, "--every", "0.3s", until=lambda: run("planner", "planner", "list") != head
    )


def _work(life: Recorder) -> None:
    run = life.run
    life.serve("enactor", "enactor", "run", "--every", "0.3s", "--collect-every", "60s", until=life.stands)
    run("planner", "planner", "publish", life.fleet_file(1, 2, 3, 4, 5, 6), "--unguarded", *REASON)
    run("enactor", "enactor", "once", "--wait-insync", "--timeout", "5s", expect=(0, 1))
    run(
        "planner",
        "planner",
        "publish",
        life.fleet_file(1, 2, 3, 4, 5, 6),
        "--wait",
        "--timeout",
        "2s",
        expect=(0, 1, 3),
    )
    run("enactor", "enactor", "collect", "--keep-newest", "1", "--keep-hours", "0", expect=(0, 3))
    run("enactor", "enactor", "doctor", expect=(0, 1, 3))


def _look(life: Recorder, one: str) -> None:
    for words in (["status"], ["survey"], ["history", API], ["snapshot", "--zone", ZONE]):
        life.run("reader", "enactor", *words, expect=(0, 3))
        life.run("operator", "enactor", *words, expect=(0, 3))
    life.run("reader", "planner", "dry-run", one, expect=(0, 3))


def _steer(life: Recorder) -> None:
    run = life.run
    for words in (
        ["stop", "--zone", ZONE, *REASON],
        ["start", "--zone", ZONE, *REASON],
        ["hold", API, *REASON],
        ["release", API, *REASON],
        ["allow", API, "--guard", "shrink-targets", "--generation", "99", *REASON],
        ["allow", "*", "--guard", "vanished", "--generation", "99", *REASON],
        ["adopt", API, "--yes", *REASON],
        ["adopt", "--all", "--yes", *REASON],
        ["heal", API, "--yes", *REASON],
        ["once"],
        ["collect", "--keep-newest", "1", "--keep-hours", "0"],
        ["doctor"],
        ["retire", API, "--without-plan", "--yes", *REASON],
        ["disown", r"*.wild.example.test", "--yes", *REASON],
        ["stop", "--zone", ZONE, *REASON],
        ["deinit", "--zone", ZONE, "--yes", *REASON],
    ):
        run("operator", "enactor", *words, expect=(0, 1, 3))
    for words in (["republish", "1", *REASON], ["pin", "2", *REASON], ["unpin", "2", *REASON]):
        run("operator", "planner", *words, expect=(0, 1, 3))


POLICIES: Final = {
    "enactor": "EnactorPolicy",
    "planner": "PlannerPolicy",
    "reader": "ReadOnlyPolicy",
    "operator": "OperatorPolicy",
}


@pytest.mark.parametrize("role", list(POLICIES))
def test_a_role_may_make_every_call_of_its_commands_and_no_other(stack: Stack, recorded: Recorder, role: str) -> None:
    """With the conditions of names, types and actions held against each batch; an action that nothing uses fails here."""
    policy = stack.policy(POLICIES[role])
    calls = [call for call in recorded.calls[role] if call.action not in WITHOUT]
    assert [call for call in calls if not is_allowed(policy, call)] == []
    assert actions(policy) == {call.action for call in calls}


def test_every_command_ran(recorded: Recorder) -> None:
    """All but those that ask AWS nothing, or are a sandbox of their own."""
    ran = set().union(*recorded.commands.values())
    alone = {"enactor demo", "enactor sandbox", "enactor replay", "enactor probe", "planner schema"}
    every = {f"{name} {one}" for name, group in (("enactor", enactor), ("planner", planner)) for one in group.commands}
    assert every - alone == ran


def change(action: str = "CREATE", of: str = "A", name: str = API, zone: str = ZONE) -> Call:
    params = {
        "HostedZoneId": zone,
        "ChangeBatch": {"Changes": [{"Action": action, "ResourceRecordSet": {"Name": name, "Type": of}}]},
    }
    (found,) = calls_of("route53", "ChangeResourceRecordSets", params, {})
    return found


NO_KEYS: Final = Call("route53:ChangeResourceRecordSets", f"arn:aws:route53:::hostedzone/{ZONE}")


@pytest.mark.parametrize("role", ["EnactorPolicy", "OperatorPolicy"])
@pytest.mark.parametrize(
    ("call", "lets"),
    [
        (change(), True),
        (change("DELETE", "AAAA"), True),
        (change(of="CNAME", name="deep.api.example.test."), True),
        (change(of="TXT", name="api._fence.example.test."), True),
        (change(name="*.wild.example.test."), True),
        (change("UPSERT"), False),
        (change(of="NS"), False),
        (change(of="SOA", name="example.test."), False),
        (change(of="MX"), False),
        (change(name="www.elsewhere.test."), False),
        (change(name="*.other.example.net."), False),
        (change(zone="Z0NOBODYS"), False),
        (NO_KEYS, False),
        (Call("route53:DeleteHostedZone", f"arn:aws:route53:::hostedzone/{ZONE}"), False),
        (Call("dynamodb:DeleteTable", "arn:aws:dynamodb:us-east-1:123456789012:table/enactor-plans"), False),
    ],
)
def test_what_may_be_written_to_a_zone(stack: Stack, role: str, call: Call, *, lets: bool) -> None:
    """By CREATE and DELETE alone, four types, its names and fences, its zones; a request that does not say what it changes is refused."""
    assert is_allowed(stack.policy(role), call) == lets


@pytest.mark.parametrize("role", ["PlannerPolicy", "ReadOnlyPolicy"])
def test_who_plans_or_looks_changes_no_record(stack: Stack, role: str) -> None:
    """Whatever the change is."""
    assert not any(is_allowed(stack.policy(role), one) for one in (change(), change("DELETE"), NO_KEYS))


@pytest.mark.parametrize("role", list(POLICIES.values()))
def test_a_fleet_s_role_reads_and_writes_no_other_fleet_s_plans(stack: Stack, recorded: Recorder, role: str) -> None:
    """By the partition; a request without a key has none to be judged by, and is refused."""
    table = recorded.arns["table"]
    policy = stack.policy(role)
    own, theirs = ({"dynamodb:LeadingKeys": (f"fleet#{fleet}",)} for fleet in (FLEET, "other"))
    assert is_allowed(policy, Call("dynamodb:GetItem", table, own))
    assert not is_allowed(policy, Call("dynamodb:GetItem", table, theirs))
    assert not is_allowed(policy, Call("dynamodb:GetItem", table))
    assert is_allowed(policy, Call("dynamodb:PutItem", table, own)) == (role != "ReadOnlyPolicy")


def test_no_policy_is_longer_than_iam_takes(stack: Stack) -> None:
    """6,144 characters without white space, with room for a few dozen names more."""
    for name in POLICIES.values():
        assert len(json.dumps(stack.policy(name), separators=(",", ":"))) < 3_500


def test_zones_elsewhere_are_reached_by_the_roles_that_were_told_alone(stack: Stack) -> None:
    """`sts:AssumeRole` on everything would be a way to every role that trusts this one."""
    policy = stack.policy("ElsewherePolicy")
    assert is_allowed(policy, Call("sts:AssumeRole", "arn:aws:iam::210987654321:role/enactor-zone"))
    assert not is_allowed(policy, Call("sts:AssumeRole", "arn:aws:iam::210987654321:role/admin"))
    assert OTHER_ZONE in stack.parameters["ZoneRoles"]


def test_the_page_is_what_the_template_says() -> None:
    """`python -m tests.permissions_table` writes it anew."""
    page = PAGE.read_text(encoding="utf-8")
    assert page == renewed(page)

"""A world that a page is about: the example fleet on a sandbox of its own, hands that break it, and a reader's terminal in it."""

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

import boto3
import msgspec
import yaml
from click.testing import CliRunner

from enactor.cli.main import main as enactor_command
from enactor.sandbox.isolation import inside, isolated
from enactor.sandbox.world import SWITCH, TABLE, ZONE, World
from planner.cli import main as planner_command

from .page import Block, Page

API: Final = "api.example.com."
FENCE: Final = "api._fence.example.com."
BLOCK_SECONDS_MAX: Final = 100.0
COMMANDS: Final = {"enactor": enactor_command, "planner": planner_command}


class Scene:
    """The example fleet in force in one zone, and everything that a scenario does to it before and beside the reader."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder)
        self.folder = folder
        self.values: dict[str, str] = {}
        """What the reader types in place of the page's examples."""
        self.extra: dict[str, str] = {}
        """More of the reader's environment."""
        self._started: list[subprocess.Popen[bytes]] = []
        self._kept: list[socket.socket] = []

    def __enter__(self) -> Self:
        self.world.__enter__()
        self.values["RESOLVER"] = ":".join(map(str, self.world.sandbox.dns_address))
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.wait()
        for one in self._kept:
            one.close()
        self.world.__exit__()

    def keep(self, one: socket.socket) -> None:
        """Have a socket closed at the end."""
        self._kept.append(one)

    # ---- hands: in this process, because they are not what is tested ---------------------------------------------------

    def run(self, command: str, *words: str, status: int = 0, **environment: str) -> str:
        """Run a command of ours as somebody else on another machine."""
        told = isolated(self.world.variables(), {"ENACTOR_ID": "somebody", **environment})
        here = Path.cwd()
        os.chdir(self.folder)
        try:
            with inside(told):
                result = CliRunner().invoke(COMMANDS[command], list(words))
        finally:
            os.chdir(here)
        assert result.exit_code == status, f"{command} {shlex.join(words)}: {result.output} {result.exception!r}"
        return result.output

    def table(self) -> None:
        """Make the plan table."""
        self.run("enactor", "init", "--zone", ZONE)

    def in_service(self) -> None:
        """Bring the zone into service and the example fleet into force, at generation 1."""
        self.table()
        self.publish()
        self.run("enactor", "once")

    def publish(self, fleet: Mapping[str, Any] | None = None, *flags: str, status: int = 0) -> None:
        """Publish a fleet, else the example."""
        path = self.world.write_fleet(fleet or self.world.fleet(), "published.yaml")
        self.run("planner", "publish", str(path), *flags, status=status)

    def next_plan(self, *flags: str) -> None:
        """Publish and apply a generation in which a sixth load balancer joined."""
        fleet = self.world.fleet()
        fleet["pools"]["standard"][-1]["enabled"] = True
        self.publish(fleet, *flags)
        self.run("enactor", "once")

    def write_fleet(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the reader's fleet file."""
        fleet = self.world.fleet()
        change(fleet)
        self.world.write_fleet(fleet)

    def reader_fleet(self) -> dict[str, Any]:
        """Return what the reader's fleet file says."""
        found: dict[str, Any] = yaml.safe_load(self.world.fleet_path.read_text(encoding="utf-8"))
        return found

    # ---- the zone ------------------------------------------------------------------------------------------------------

    def sets(self, name: str) -> list[dict[str, Any]]:
        return list(self.world.sandbox.zone(ZONE).sets(name))

    def edit(self, action: str, *records: Mapping[str, Any]) -> None:
        """Change the zone as a person at the console does."""
        self.world.sandbox.edit(ZONE, [{"Action": action, "ResourceRecordSet": record} for record in records])

    def wipe(self, *names: str) -> None:
        for name in names:
            self.edit("DELETE", *self.sets(name))

    def retype(self, name: str, text: str) -> None:
        """Put another text into a TXT record by hand."""
        if self.sets(name):
            self.edit("DELETE", *self.sets(name))
        self.edit("CREATE", txt(name, text))

    def text(self, name: str) -> str:
        return str(self.sets(name)[0]["ResourceRecords"][0]["Value"])

    @property
    def switch(self) -> str:
        return self.text(SWITCH)

    def addresses(self, name: str = API, of: str = "A") -> set[str]:
        """Return what clients may be answered."""
        return {
            value["Value"] for one in self.sets(name) if one["Type"] == of for value in one.get("ResourceRecords", [])
        }

    # ---- the plan table ------------------------------------------------------------------------------------------------

    def items(self) -> list[Any]:
        """Return every item of the plan table, as a backup has them."""
        return list(self.client("dynamodb").scan(TableName=TABLE)["Items"])

    def restore(self, backup: list[Any]) -> None:
        """Put the items of a backup in place of what is there."""
        client = self.client("dynamodb")
        for item in self.items():
            client.delete_item(TableName=TABLE, Key={"pk": item["pk"], "sk": item["sk"]})
        for item in backup:
            client.put_item(TableName=TABLE, Item=item)

    def client(self, service: Any) -> Any:
        told = self.world.sandbox.environment()
        return boto3.client(
            service,
            endpoint_url=told["AWS_ENDPOINT_URL"],
            region_name=told["AWS_REGION"],
            aws_access_key_id=told["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=told["AWS_SECRET_ACCESS_KEY"],
        )

    # ---- workers -------------------------------------------------------------------------------------------------------

    def start(self, command: str, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a command that goes on, as somebody else; it ends with the scene at the latest."""
        with (self.folder / f"{command}-{len(self._started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", command, *words],
                env=isolated(self.world.variables(), {"ENACTOR_ID": "worker", **environment}),
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )
        self._started.append(process)
        return process

    def started(self, number: int) -> subprocess.Popen[bytes]:
        """Return one of the started commands."""
        return self._started[number]

    def end(self, number: int) -> None:
        """Ask one of the started commands to end, and wait for it."""
        self._started[number].terminate()
        self._started[number].wait(BLOCK_SECONDS_MAX)


class Terminal:
    """One shell of a reader's: it pastes blocks, keeps what they export, and ends what they leave running."""

    def __init__(self, scene: Scene, home: Path, warm: str) -> None:
        self._scene = scene
        self._home = home
        self._kept = home / ".exported"
        self._failures = home / ".failures"
        self._groups: list[int] = []
        self._kept.write_text("", encoding="utf-8")
        tools = home / ".tools"
        tools.mkdir()
        client = f"{sys.executable} -I -S {Path(__file__).with_name('warm.py')} ask {warm}"
        for name in COMMANDS:
            _tool(tools / name, f'[ "$1" != run ] || exec {sys.executable} -m {name} "$@"\nexec {client} {name} "$@"')
        _tool(tools / "aws", f'exec {os.environ.get("RUNBOOKS_AWS") or f"{client} aws"} "$@"')
        self._path = f"{tools}:{os.environ['PATH']}"

    def close(self) -> None:
        """End what blocks left running."""
        for group in self._groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def paste(self, page: Page, block: Block) -> None:
        """Run a block as it stands; hold what came of it against what the page says."""
        script = "\n".join(
            (
                f". {shlex.quote(str(self._kept))}",
                "set -o pipefail",
                f"trap 'echo $? >> {shlex.quote(str(self._failures))}' ERR",
                block.commands,
                "trap - ERR",
                *self._typed(block),
                f"export -p > {shlex.quote(str(self._kept))}",
            )
        )
        self._failures.write_text("", encoding="utf-8")
        said = self._said(script)
        failures = [int(line) for line in self._failures.read_text(encoding="utf-8").split()]
        where = f"{page.name}:{block.line}\n{block.commands}\n---\n{said}\n---\n"
        assert "Traceback" not in said, where
        statuses = set(failures) or {0}
        assert statuses <= block.statuses, f"{where}ended with {statuses}, and the page says {set(block.statuses)}"
        assert not (lacking := [text for text in block.seen if text not in said]), f"{where}does not show {lacking}"
        assert not (found := [text for text in block.not_seen if text in said]), f"{where}shows {found}"

    def _typed(self, block: Block) -> list[str]:
        """Return what the reader typed in place of the block's examples."""
        here = [name for name in self._scene.values if f"export {name}=" in block.commands]
        return [f"export {name}={shlex.quote(self._scene.values[name])}" for name in here]

    def _said(self, script: str) -> str:
        told = isolated(self._scene.world.variables(), {"ENACTOR_ID": "reader", **self._scene.extra})
        output = self._home / ".output"
        with output.open("wb") as both:
            process = subprocess.Popen(
                ["bash", "-c", script],
                env={**told, "PATH": self._path, "HOME": str(self._home)},
                cwd=self._scene.folder,
                stdin=subprocess.DEVNULL,
                stdout=both,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._groups.append(process.pid)
            process.wait(BLOCK_SECONDS_MAX)
        return output.read_text(encoding="utf-8", errors="replace")


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """One story in which a page is read: who broke what, and in which order its sections are followed."""

    page: str
    story: str
    broken: Callable[[Scene], object]
    walk: Sequence[str | Callable[[Scene], object]]
    """Headings, whose blocks are pasted in order; and what happens, or is looked at, between them."""


@contextmanager
def warmed(folder: Path) -> Iterator[str]:
    """Start what runs the blocks' commands (see `warm`); yield where it listens."""
    path = str(folder / "warm")
    words = [sys.executable, "-m", "tests.runbooks.warm", "serve", path]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield path
        server.terminate()


def _tool(path: Path, command: str) -> None:
    path.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
    path.chmod(0o755)


def txt(name: str, text: str) -> dict[str, Any]:
    """Return a TXT record set as the console writes it."""
    return {"Name": name, "Type": "TXT", "TTL": 60, "ResourceRecords": [{"Value": f'"{text}"'}]}

"""A world to look at: a sandbox, the example fleet in one zone, and the real commands as processes of their own.

Everything it makes is below one folder and everything it starts is ended with it. It decides nothing.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Self

import boto3
import msgspec
import yaml

from enactor.sandbox.engine import Settings
from enactor.sandbox.isolation import isolated, shell_lines
from enactor.sandbox.server import Sandbox

ZONE: Final = "Z0EXAMPLE"
ZONE_NAME: Final = "example.com."
TABLE: Final = "enactor-plans"
FLEET: Final = "edge"
SWITCH: Final = f"_switch-{FLEET}._fence.{ZONE_NAME}"
WORKERS: Final = ("use1-az1", "use1-az2", "use1-az3")
EVERY: Final = "1s"
COMMAND_SECONDS_MAX: Final = 60.0
"""Each takes a second or two; a machine that others use may take its time."""
END_SECONDS_MAX: Final = 15.0
LOG_LINES_SHOWN: Final = 15


class Ran(msgspec.Struct, frozen=True):
    """A command that ended."""

    status: int
    stdout: str
    stderr: str

    @property
    def last_line(self) -> str:
        """Return what it said last, on either stream."""
        lines = [*self.stdout.splitlines(), *self.stderr.splitlines()] or [""]
        return (self.stdout.splitlines() or lines)[-1]


class World:
    """A sandbox with the example fleet's zone, a folder, and the processes on it."""

    def __init__(self, folder: Path, *, port: int = 0, dns_port: int = 0, settings: Settings | None = None) -> None:
        self.folder = folder
        self.sandbox = Sandbox(port=port, dns_port=dns_port, settings=settings)
        self.fleet_path = folder / "fleet.yaml"
        self._workers: dict[str, subprocess.Popen[bytes]] = {}
        self._route53: Any = None

    def __enter__(self) -> Self:
        self.sandbox.start()
        self.sandbox.create_zone(ZONE_NAME, ZONE)
        self.fleet_path.write_text(example_fleet().read_text(encoding="utf-8"), encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_workers()
        if self._route53 is not None:
            self._route53.close()
        self.sandbox.stop()

    def variables(self) -> dict[str, str]:
        """Return the variables that point the commands at this world."""
        own = {"ENACTOR_TABLE": TABLE, "ENACTOR_FLEET": FLEET, "ENACTOR_ZONES": ZONE}
        return {**self.sandbox.environment(), **own}

    def route53(self) -> Any:
        """Return an ordinary Route 53 client, for what a person does at the console."""
        if self._route53 is None:
            self._route53 = self._new_route53()
        return self._route53

    def _new_route53(self) -> Any:
        told = self.sandbox.environment()
        return boto3.client(
            "route53",
            endpoint_url=told["AWS_ENDPOINT_URL"],
            region_name=told["AWS_REGION"],
            aws_access_key_id=told["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=told["AWS_SECRET_ACCESS_KEY"],
        )

    def run(
        self, command: str, *words: str, columns: int | None = None, seconds_max: float = COMMAND_SECONDS_MAX
    ) -> Ran:
        """Run `enactor` or `planner` to its end, with its tables as wide and its time as long as told."""
        done = subprocess.run(  # noqa: S603 - our own commands
            [sys.executable, "-m", command, *words],
            env=self._environment("operator") | ({"COLUMNS": str(columns)} if columns else {}),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=seconds_max,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def start_workers(self) -> None:
        """Start one `enactor run` for each Availability Zone."""
        for name in WORKERS:
            words = ["run", "--every", EVERY, "--id", name, "--state-dir", str(self.folder / name)]
            with self._log(name).open("wb") as log:
                self._workers[name] = subprocess.Popen(  # noqa: S603 - our own command
                    [sys.executable, "-m", "enactor", *words],
                    env=self._environment(name),
                    cwd=self.folder,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                )

    def workers_alive(self) -> int:
        """Return how many workers run."""
        return sum(worker.poll() is None for worker in self._workers.values())

    def stop_workers(self) -> dict[str, int]:
        """Ask every worker to end, end what does not within a time, and return the exit statuses."""
        for worker in self._workers.values():
            worker.terminate()
        statuses = {}
        for name, worker in self._workers.items():
            try:
                statuses[name] = worker.wait(END_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                worker.kill()
                statuses[name] = worker.wait()
        self._workers.clear()
        return statuses

    def last_log_lines(self) -> list[str]:
        """Return the end of each worker's log."""
        lines = []
        for name in WORKERS:
            if self._log(name).exists():
                found = self._log(name).read_text(encoding="utf-8", errors="replace").splitlines()
                lines += [f"{name}: {line}" for line in found[-LOG_LINES_SHOWN:]]
        return lines

    def write_fleet(self, fleet: Mapping[str, Any], name: str = "fleet.yaml") -> Path:
        """Write a fleet file into the folder."""
        path = self.folder / name
        path.write_text(yaml.safe_dump(dict(fleet), sort_keys=False), encoding="utf-8")
        return path

    def fleet(self) -> dict[str, Any]:
        """Return the example fleet as it stands in the repository."""
        found: dict[str, Any] = yaml.safe_load(example_fleet().read_text(encoding="utf-8"))
        return found

    def _environment(self, name: str) -> dict[str, str]:
        return isolated(self.variables(), {"ENACTOR_ID": name})

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def help_lines(self) -> list[str]:
        """Say how to try this world from another shell."""
        host, port = self.sandbox.dns_address
        return [
            f"sandbox ready at {self.sandbox.endpoint_url}, DNS at {host}:{port} over UDP and TCP",
            f"zone {ZONE_NAME} has the id {ZONE}; {self.workers_alive()} enactors run; logs are in {self.folder}",
            "",
            "In another shell:",
            *shell_lines(self.variables()),
            "",
            f"  dig @{host} -p {port} api.example.com A +short",
            "  enactor survey                # one state for each endpoint",
            f"  $EDITOR {self.fleet_path}",
            f"  planner dry-run {self.fleet_path}",
            f'  planner publish {self.fleet_path} --reason "a try"',
            f"  enactor stop --zone {ZONE}     # and: enactor start --zone {ZONE}",
            "  enactor collect --dry-run     # why each old plan stays or goes",
            f"  aws route53 list-resource-record-sets --hosted-zone-id {ZONE}",
            "",
            "Ctrl-C ends it; nothing is kept.",
        ]


def example_fleet() -> Path:
    """Return where the example fleet file is: beside the package in an installation, in the repository otherwise."""
    here = Path(__file__).resolve()
    installed = here.parent / "fleet.yaml"
    return installed if installed.exists() else here.parents[2] / "deploy" / "examples" / "fleet.yaml"


def wait_for(holds: Callable[[], bool], seconds: float, every_seconds: float = 0.2) -> bool:
    """Wait until something holds, at most so long."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(every_seconds)
    return True

"""A zone of its own in a running sandbox, the two commands over it, enactors in this process, and real worker processes."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from enactor.cli.build import Parts, parts
from enactor.cli.build import enactor as build_enactor
from enactor.cli.main import main as enactor_command
from enactor.fence import Switch, switch_text
from enactor.outside import SystemChance, SystemClock
from enactor.report import CycleReport, cycle_status
from enactor.sandbox.faults import FaultRule, Held
from enactor.sandbox.server import Sandbox
from enactor.settings import Settings, settle
from planner.cli import main as planner_command

from .history import API, Names, Watch, answers

WEB = "web.example.test."
CHANGE = "ChangeResourceRecordSets"
LIST = "ListResourceRecordSets"
PATIENCE_SECONDS = 40.0
HASTE = 20.0


class HastyClock(SystemClock):
    """Waits, but a twentieth of what is asked: what is tested is what happens after a wait, not its length."""

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds / HASTE)


class LowChance(SystemChance):
    """Real nonces, and jitter at its least."""

    def uniform(self, low: float, high: float) -> float:
        return low


class Machine:
    """One enactor in this process. A cycle of it can run beside the test, and be asked to stop like a process on SIGTERM."""

    def __init__(self, doors: Parts) -> None:
        self.doors = doors
        self.enactor = build_enactor(doors)
        self.report: CycleReport | None = None
        self.error: Exception | None = None
        self._thread: threading.Thread | None = None

    def cycle(self) -> CycleReport:
        return self.enactor.cycle()

    def begin(self, *, survey_seconds: float = 0.0) -> None:
        """Begin a cycle beside the test."""

        def work() -> None:
            try:
                self.report = self.enactor.cycle(survey_seconds=survey_seconds)
            except Exception as error:  # noqa: BLE001 - handed to the test by `end` or `error`
                self.error = error

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def end(self) -> CycleReport:
        """Wait for the cycle that was begun, which must not have died."""
        self.join()
        assert self.error is None, repr(self.error)
        assert self.report is not None
        return self.report

    def join(self) -> None:
        assert self._thread is not None, "begin first"
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive(), "the cycle did not end"


class World:
    """One hosted zone, a fleet of its own in the plan table, and everything that can work on them."""

    def __init__(self, sandbox: Sandbox, folder: Path, fleet: str, table: str) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self.fleet = fleet
        self.zone = sandbox.create_zone("example.test")
        self.environment = {
            **sandbox.environment(),
            "ENACTOR_TABLE": table,
            "ENACTOR_FLEET": fleet,
            "ENACTOR_ZONES": self.zone,
            "ENACTOR_ID": "tester",
        }
        self._processes: list[subprocess.Popen[bytes]] = []

    # ---- the commands ------------------------------------------------------------------------------------------------

    def run(self, *words: str, **environment: str) -> Result:
        """Run `enactor` in this process; an exception that a user would see as a stack trace fails the test."""
        return _clean(CliRunner().invoke(enactor_command, list(words), env=self.environment | environment))

    def answer(self, typed: str, *words: str) -> Result:
        """Run `enactor` in this process with a person who types this when asked."""
        return _clean(CliRunner().invoke(enactor_command, list(words), env=self.environment, input=f"{typed}\n"))

    def plan(self, *words: str, **environment: str) -> Result:
        """Run `planner` in this process."""
        return _clean(CliRunner().invoke(planner_command, list(words), env=self.environment | environment))

    def once(self, **environment: str) -> tuple[int, Any]:
        result = self.run("once", "--json", **environment)
        return result.exit_code, json.loads(result.stdout)

    def publish(self, *endpoints: dict[str, Any], flags: Sequence[str] = (), expect: int = 0) -> None:
        """Publish a plan of these endpoints."""
        result = self.plan("publish", "--plan", self.plan_file(*endpoints), *flags)
        assert result.exit_code == expect, result.output

    def plan_file(self, *endpoints: dict[str, Any], fleet: str | None = None) -> str:
        path = self.folder / "plan.json"
        path.write_text(json.dumps({"format": 1, "fleet": fleet or self.fleet, "endpoints": endpoints}))
        return str(path)

    def config(self, text: str) -> str:
        """Write a configuration file and make every command of this world read it."""
        path = self.folder / "config.yaml"
        path.write_text(text)
        self.environment["ENACTOR_CONFIG"] = str(path)
        return str(path)

    # ---- enactors ----------------------------------------------------------------------------------------------------

    def settings(self, enactor: str = "tester", **flags: Any) -> Settings:
        return settle({"id": enactor} | flags, self.environment, {}, "host")

    def machine(self, enactor: str = "tester", **flags: Any) -> Machine:
        """Return another enactor, as if on another machine."""
        doors = parts(self.settings(enactor, **flags), clock=HastyClock())
        return Machine(
            Parts(**{field: getattr(doors, field) for field in doors.__struct_fields__} | {"chance": LowChance()})
        )

    def worker(self, name: str, *, every: str = "0.5s") -> "Worker":
        """Start a real `enactor run`; it ends with the world at the latest."""
        state, log = self.folder / f"state-{name}", self.folder / f"{name}.log"
        command = [sys.executable, "-m", "enactor", "run", "--every", every, "--id", name, "--state-dir", str(state)]
        with log.open("ab") as stderr:
            process = subprocess.Popen(
                command, env=os.environ | self.environment, stderr=stderr, stdout=stderr, start_new_session=True
            )
        self._processes.append(process)
        return Worker(process, log)

    def spawn(self, *words: str, module: str = "enactor", without: Names = (), **environment: str) -> "Command":
        """Start a command as a real process."""
        told = {
            key: value for key, value in (os.environ | self.environment | environment).items() if key not in without
        }
        process = subprocess.Popen(
            [sys.executable, "-m", module, *words], env=told, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._processes.append(process)
        return Command(process)

    def close(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.wait(PATIENCE_SECONDS)
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()

    # ---- the zone ----------------------------------------------------------------------------------------------------

    def endpoint(self, *numbers: int, name: str = API, weight: int = 10) -> dict[str, Any]:
        targets = [{"id": f"lb-{n}", "type": "A", "value": f"192.0.2.{n}", "weight": weight} for n in numbers]
        return {"name": name, "zone": self.zone, "routing": "weighted", "ttl": 60, "targets": targets}

    def simple(self, *values: str, name: str = API, of: str = "A", ttl: int = 60) -> dict[str, Any]:
        targets = [{"id": f"lb-{index}", "type": of, "value": value} for index, value in enumerate(values)]
        return {"name": name, "zone": self.zone, "routing": "simple", "ttl": ttl, "targets": targets}

    @property
    def switch_name(self) -> str:
        return f"_switch-{self.fleet}._fence.example.test."

    def open_zone(self, zone: str | None = None) -> None:
        """Put the switch there as `init` does, without the self-test, which has tests of its own."""
        switch = Switch(fleet=self.fleet, mode="run", gen=0, plan="none", nonce="00aa00aa00aa00aa")
        self.edit("CREATE", txt(self.switch_name, switch_text(switch)), zone=zone)

    def switch_text(self) -> str:
        return str(self.sandbox.zone(self.zone).sets(self.switch_name)[0]["ResourceRecords"][0]["Value"])

    def fence_text(self, name: str = "api") -> str:
        return str(self.sandbox.zone(self.zone).sets(f"{name}._fence.example.test.")[0]["ResourceRecords"][0]["Value"])

    def stands(self, name: str = API) -> Names:
        return answers(self.sandbox.zone(self.zone), name)

    def edit(self, action: str, *records: dict[str, Any], zone: str | None = None) -> None:
        """Change a zone as a person at the console does."""
        changes = [{"Action": action, "ResourceRecordSet": record} for record in records]
        self.sandbox.edit(zone or self.zone, changes)

    def retype(self, name: str, text: str) -> None:
        """Put another text into a TXT record by hand."""
        self.edit("DELETE", *self.sandbox.zone(self.zone).sets(name))
        self.edit("CREATE", txt(name, text))

    def watch(self) -> Watch:
        return Watch(self.sandbox, self.zone)

    # ---- faults ------------------------------------------------------------------------------------------------------

    def fault(self, rule: FaultRule) -> str:
        return self.sandbox.add_fault(rule)

    def hold_change(self, *, skip: int = 0, count: int = 1) -> str:
        """Keep the next change before it is evaluated; return what `release` wants."""
        return self.fault(FaultRule(action="hold", operation=CHANGE, zone=self.zone, skip=skip, count=count))

    def wait_held(self, count: int = 1) -> tuple[Held, ...]:
        return self.sandbox.wait_held(count, PATIENCE_SECONDS)


class Command:
    """A command as a real process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def ended(self) -> tuple[int, str, str]:
        """Wait for its end; return exit status, stdout and stderr."""
        stdout, stderr = self._process.communicate(timeout=PATIENCE_SECONDS)
        assert b"Traceback" not in stdout + stderr, stderr.decode()
        return self._process.returncode, stdout.decode(), stderr.decode()

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        self._process.kill()
        self._process.communicate()


class Worker:
    """A real `enactor run`."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._log = log

    def events(self, event: str | None = None) -> list[dict[str, Any]]:
        """Return its log: every line is JSON, or the worker said something that no machine can read."""
        found = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [one for one in found if event in (None, one["event"])]

    def cycles(self) -> int:
        return len(self.events("cycle-ended"))

    def ended(self, number: int) -> int:
        """Send a signal and return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_SECONDS)

    def has_orphans(self) -> bool:
        """Tell whether anything of its session still lives."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True


def txt(name: str, text: str) -> dict[str, Any]:
    """Return a TXT record set as the console writes it."""
    return {"Name": name, "Type": "TXT", "TTL": 60, "ResourceRecords": [{"Value": f'"{text}"'}]}


def record(value: str, *, name: str = API, of: str = "A", **more: Any) -> dict[str, Any]:
    """Return a record set with one value."""
    return {"Name": name, "Type": of, "TTL": 60, "ResourceRecords": [{"Value": value}], **more}


def until(fact: Callable[[], object], what: str) -> None:
    """Wait for a fact, with patience but not for ever."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not fact():
        assert time.monotonic() < end, f"waited {PATIENCE_SECONDS} s for this: {what}"
        time.sleep(0.05)


def status_of(report: CycleReport) -> int:
    return cycle_status(report)


def _clean(result: Result) -> Result:
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert "Traceback" not in result.output
    return result

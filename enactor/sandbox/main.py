"""Run the sandbox for a person: start, say how to use it, wait for a signal, stop. Decides nothing."""

import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

from enactor.sandbox.engine import Settings
from enactor.sandbox.isolation import shell_lines
from enactor.sandbox.server import LOOPBACK, Sandbox
from enactor.sandbox.world import ZONE, World

WAIT_STEP_SECONDS = 1.0
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
AT_ONCE: Final[Callable[[str], None]] = partial(print, flush=True)
"""It serves for hours: what waits in a pipe's buffer until the end tells nobody how to reach it."""


def run_sandbox(
    *,
    port: int = 0,
    dns_port: int = 0,
    host: str = LOOPBACK,
    zones: Mapping[str, str | None] | None = None,
    settings: Settings | None = None,
    alias_answers: Mapping[str, Sequence[str]] | None = None,
    say: Callable[[str], None] = AT_ONCE,
) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit status.

    `zones`: the zones to create, by name, each with the id it shall have or None for a counted one.
    """
    with (
        _stop_signals() as stopped,
        Sandbox(host=host, port=port, dns_port=dns_port, settings=settings, alias_answers=alias_answers) as sandbox,
    ):
        ids = {name: sandbox.create_zone(name, zone_id) for name, zone_id in (zones or {}).items()}
        for line in help_lines(sandbox, ids):
            say(line)
        while not stopped.wait(WAIT_STEP_SECONDS):
            pass
    say("sandbox stopped")
    return 0


def run_world(*, port: int = 0, dns_port: int = 0, say: Callable[[str], None] = AT_ONCE) -> int:
    """Serve with the example fleet published and three enactors at work until SIGTERM or SIGINT; return the exit status."""
    with (
        _stop_signals() as stopped,
        tempfile.TemporaryDirectory(prefix="enactor-sandbox-") as folder,
        World(Path(folder), port=port, dns_port=dns_port) as world,
    ):
        for words in (("enactor", "init", "--zone", ZONE), ("planner", "publish", str(world.fleet_path))):
            ran = world.run(*words, "--reason", "sandbox")
            say(ran.stdout.rstrip())
            if ran.status:
                say(ran.stderr.rstrip())
                return ran.status
        world.start_workers()
        for line in ("", *world.help_lines()):
            say(line)
        while not stopped.wait(WAIT_STEP_SECONDS):
            pass
        say("ending three enactors and the sandbox ...")
    say("sandbox stopped")
    return 0


@contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """Return an event that SIGTERM and SIGINT set, for as long as it lasts."""
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopped.set()

    before = {number: signal.signal(number, stop) for number in STOP_SIGNALS}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def help_lines(sandbox: Sandbox, zone_ids: Mapping[str, str]) -> list[str]:
    """Say how to reach a running sandbox: the zones, the variables for any AWS tool, a DNS question."""
    dns_host, dns_port = sandbox.dns_address
    lines = [f"sandbox ready at {sandbox.endpoint_url}, DNS at {dns_host}:{dns_port} over UDP and TCP"]
    lines += [f"zone {name} has the id {zone_id}" for name, zone_id in zone_ids.items()]
    lines += ["", "In another shell:"]
    lines += shell_lines(sandbox.environment())
    for name, zone_id in zone_ids.items():
        lines.append(f"  aws route53 list-resource-record-sets --hosted-zone-id {zone_id}")
        lines.append(f"  dig @{dns_host} -p {dns_port} {name} SOA +short")
    return [*lines, "", "Ctrl-C ends it; nothing is kept."]

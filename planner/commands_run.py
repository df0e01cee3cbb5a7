"""The command that goes on: run. It looks at a fleet's sources, and publishes a plan when one is due."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import click
import msgspec
from prometheus_client import CollectorRegistry

from enactor.cli.ending import crash_logged
from enactor.cli.options import end, seconds_of
from enactor.cli.serving import Served, serve
from enactor.hooks import surely
from enactor.log_capture import capture, facts_of
from enactor.log_settings import say_settings
from enactor.logs import logger
from enactor.outside import SystemChance, SystemClock
from enactor.plan import Fault
from enactor.ports import Unavailable
from enactor.report import EXIT_OK
from enactor.settings import Settings
from enactor.table import PlanTable
from enactor.wsgi import application, health_route, metrics_route
from planner.asking import AtOnce
from planner.events import PlannerEvent, PlannerHook, PlannerLog
from planner.looking import Lookout
from planner.metrics import PlannerHealth, PlannerMetrics
from planner.mirroring import mirrored
from planner.options import open_table, told_all, warned_source, which_fleet, with_settings
from planner.runner import Doors, Runner, keep_looking
from planner.sources import STDIN, FleetReader, Read

EVERY_MIN_SECONDS = 0.1
EVERY_MAX_SECONDS = 3600.0
FORGET_SECONDS = 600.0
FORGET_PAUSES = 5
"""How many pauses between looks make a planner forget, where that is longer."""


every_option = click.option(
    "--every",
    default="30s",
    show_default=True,
    help="From the end of a look to the beginning of the next, give or take a fifth; e.g. 10s or 1m.",
)


@click.command()
@click.argument("fleet_path", metavar="FLEET.yaml")
@with_settings("table", "id", "plan-mirror", "metrics", required=("table",))
@every_option
def run(*, fleet_path: str, settings: Settings, every: str) -> None:
    """Watch a fleet, and publish a plan whenever it should be another one. SIGTERM ends it within 10 seconds.

    Two of them may run for one fleet. The file is read again at each look. Logs are JSON lines on stderr.

    Exit status: 0 it was asked to stop; 1 the file's form is wrong at the start; 2 wrong usage.
    """
    seconds = seconds_of(every, "--every", lowest=EVERY_MIN_SECONDS, highest=EVERY_MAX_SECONDS)
    if fleet_path == STDIN:
        raise click.UsageError("run reads its file again at each look, so it cannot be stdin")
    log = logger(planner=settings.id)
    capture(log)
    with told_all():
        read = warned_source(fleet_path, None, warn=partial(_log_warnings, log))
        fleet = read.fleet_name
        table = open_table(settings, fleet)
    if which := which_fleet(fleet, settings):
        log.warning("file-warning", message=which)
    say_settings(log, _told(settings), fleet=fleet, file=fleet_path, every_seconds=seconds)
    looks = crash_logged(log, lambda: _work(FleetReader(fleet_path), fleet, settings, table, log=log, every=seconds))
    log.info("stopped", looks=looks)
    end(EXIT_OK)


def _work(reader: FleetReader, fleet: str, settings: Settings, table: PlanTable, *, log: Any, every: float) -> int:
    """Serve and look until a signal; return how many looks were begun."""
    clock = SystemClock()

    def same_fleet() -> Read:
        found = reader.read()
        if found.fleet_name != fleet:
            what = f"{reader.path} is of fleet {found.fleet_name} now, and this planner is fleet {fleet}'s"
            raise Unavailable(f"{what}: nothing is planned; start another planner for another fleet")
        return found

    registry = CollectorRegistry()
    health = PlannerHealth(every=every, now=clock.now)

    def listener_failed(error: Exception) -> None:
        log.error("listener-failed", **facts_of(error))

    listeners: tuple[PlannerHook, ...] = (PlannerMetrics(registry), health, PlannerLog(log))
    heard = tuple(surely(one, listener_failed) for one in listeners)

    served = _serve(settings.metrics, registry, health, log)
    runner = Runner(
        Doors(
            read=same_fleet,
            lookout=Lookout(AtOnce(clock)),
            store=table,
            limits=settings.limits,
            planner=settings.id,
            clock=clock,
            chance=SystemChance(),
            wall=lambda: datetime.now(UTC),
            hook=partial(_tell, heard),
            forget_seconds=max(FORGET_SECONDS, FORGET_PAUSES * every),
            after=partial(mirrored, settings, fleet, table),
        )
    )
    try:
        return keep_looking(runner, clock, SystemChance(), every=every)
    finally:
        runner.close()
        if served is not None:
            served.close()


def _log_warnings(log: Any, warnings: Iterable[Fault]) -> None:
    for one in warnings:
        log.warning("file-warning", message=str(one))


def _tell(heard: tuple[PlannerHook, ...], event: PlannerEvent) -> None:
    """Hand an event to everybody who listens."""
    for one in heard:
        one(event)


def _serve(address: str, registry: CollectorRegistry, health: PlannerHealth, log: Any) -> Served | None:
    """Serve metrics and health where an address is told."""
    if not address:
        return None
    routes = {
        "/metrics": metrics_route(registry),
        "/healthz": health_route(health.alive),
        "/readyz": health_route(health.ready),
    }

    def failed(path: str, error: Exception) -> None:
        log.error("route-failed", path=path, why=f"{type(error).__name__}: {error}")

    served = serve(address, application(routes, failed=failed))
    log.info("serving", address=address, port=served.port)
    return served


def _told(settings: Settings) -> Any:
    """Return the settings that this command uses, for the log's first line."""
    used = ("table", "id", "plan_mirror", "metrics", "limits")
    return {key: msgspec.to_builtins(getattr(settings, key)) for key in used}

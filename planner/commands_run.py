"""The command that goes on: run. It looks at a fleet's sources, and publishes a plan when one is due."""

from datetime import UTC, datetime
from functools import partial
from typing import Any

import click
import msgspec
from prometheus_client import CollectorRegistry

from enactor.cli.options import end, seconds_of
from enactor.cli.serving import Served, serve
from enactor.logs import logger
from enactor.outside import SystemChance, SystemClock
from enactor.ports import Unavailable
from enactor.report import EXIT_OK
from enactor.settings import Settings
from enactor.wsgi import application, health_route, metrics_route
from planner.asking import AtOnce
from planner.events import PlannerEvent, PlannerHook, PlannerLog
from planner.looking import Lookout
from planner.metrics import PlannerHealth, PlannerMetrics
from planner.mirroring import mirrored
from planner.options import open_table, say_which_fleet, told_all, warned_source, with_settings
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
    clock = SystemClock()
    with told_all():
        read = warned_source(fleet_path, None)
        fleet = read.fleet_name
        say_which_fleet(fleet, settings)
        table = open_table(settings, fleet)
    log.info("starting", fleet=fleet, file=fleet_path, every_seconds=seconds, settings=_told(settings))

    reader = FleetReader(fleet_path)

    def same_fleet() -> Read:
        found = reader.read()
        if found.fleet_name != fleet:
            what = f"{fleet_path} is of fleet {found.fleet_name} now, and this planner is fleet {fleet}'s"
            raise Unavailable(f"{what}: nothing is planned; start another planner for another fleet")
        return found

    registry = CollectorRegistry()
    heard: tuple[PlannerHook, ...] = (
        PlannerMetrics(registry),
        health := PlannerHealth(every=seconds, now=clock.now),
        PlannerLog(log),
    )

    with told_all():
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
            forget_seconds=max(FORGET_SECONDS, FORGET_PAUSES * seconds),
            after=partial(mirrored, settings, fleet, table),
        )
    )
    looks = keep_looking(runner, clock, SystemChance(), every=seconds)
    runner.close()
    if served is not None:
        served.close()
    log.info("stopped", looks=looks)
    end(EXIT_OK)


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

"""The command `enactor`: reading and working. The operator's verbs are in `verbs`, the sandbox's in `playground`."""

import sys
from functools import partial
from typing import Any, get_args

import click
import msgspec
from prometheus_client import CollectorRegistry

from enactor import __version__, worker
from enactor.cli import doctor, endpoint_verbs, history_of, ownership, playground, probe, verbs, views
from enactor.cli.build import Parts, bound_log, cached_plans, parts, utc_now, wheel
from enactor.cli.build import enactor as build_enactor
from enactor.cli.options import end, ending, seconds_of, settings_options, take_settings
from enactor.cli.serving import serve_metrics
from enactor.collect import KEEP_HOURS, KEEP_NEWEST_PLANS, FleetZones
from enactor.collect import collect as collect_plans
from enactor.disk import PlanDisk
from enactor.hooks import Event
from enactor.logs import EventLog, person_log, say
from enactor.metrics import Metrics
from enactor.outside import SystemClock
from enactor.ports import OutsideError
from enactor.report import EXIT_FAILED, EXIT_OK, cycle_status, survey_status
from enactor.report_collect import CollectedTombstone, CollectReport
from enactor.settings import Settings
from enactor.swap import State
from enactor.tombstones import TombstoneCollector

WORKING = ("table", "fleet", "zones", "id", "roles", "state-dir", "plan-mirror", "account-share")
REQUIRED = ("table", "fleet", "zones")
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object (see `planner schema`).")


@click.group(context_settings=CONTEXT)
@click.version_option(__version__, message="%(version)s")
def main() -> None:
    """Keep Route 53 names on the newest plan: fenced, guarded, never empty.

    Exit status: 0 all is well, 1 something failed or is unknown, 2 wrong usage, 3 a guard or a state kept something back.
    """


@main.command()
@settings_options(*WORKING)
@json_option
@ending("enactor")
def once(*, as_json: bool, **flags: Any) -> None:
    """Bring every endpoint to the newest valid plan, once, within 60 seconds."""
    settings = take_settings(flags, required=REQUIRED)
    say_what_is_missing(settings)
    report = build_enactor(parts(settings, person_log(bound_log(settings)))).cycle()
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        views.show_cycle(report)
    end(cycle_status(report))


@main.command()
@settings_options(*WORKING, "metrics")
@click.option("--every", default="10s", show_default=True, help="Pause between cycles, e.g. 10s or 1m.")
@ending("enactor")
def run(*, every: str, **flags: Any) -> None:
    """Work until told to stop (SIGTERM ends it within 10 seconds, between batches)."""
    seconds = seconds_of(every, "--every", lowest=0.1, highest=3600.0)
    settings = take_settings(flags, required=(*REQUIRED, "state-dir"))
    say_what_is_missing(settings)
    log = bound_log(settings)
    registry = CollectorRegistry()
    log_hook, metrics, clock = EventLog(log), Metrics(registry), SystemClock()

    def hook(event: Event) -> None:
        metrics(event)
        log_hook(event)

    if why := PlanDisk(settings.state_dir, settings.fleet).trouble():
        say(f"enactor: {why}; going on without plans on disk")
        log.error("state-dir-unusable", why=why)
    log.info("starting", every_seconds=seconds, settings=msgspec.to_builtins(settings))
    server = serve_metrics(settings.metrics, registry) if settings.metrics else None
    doors = parts(settings, hook, clock)
    done = worker.run(
        build_enactor(doors),
        clock,
        doors.chance,
        every=seconds,
        requests_per_second=10.0 * settings.account_share,
        failed=lambda why: log.error("cycle-failed", why=why),
    )
    if server is not None:
        server[0].shutdown()
        server[1].join()
    log.info("stopped", cycles=done)


@main.command(epilog=f"An endpoint's state is the first that fits: {', '.join(get_args(State))}.")
@settings_options(*WORKING)
@json_option
@ending("enactor")
def survey(*, as_json: bool, **flags: Any) -> None:
    """Hold every endpoint against the newest plan and name its state; write nothing."""
    settings = take_settings(flags, required=REQUIRED)
    report = build_enactor(parts(settings)).survey()
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        views.show_survey(report)
    end(survey_status(report))


@main.command()
@settings_options(*WORKING)
@json_option
@ending("enactor")
def status(*, as_json: bool, **flags: Any) -> None:
    """Say in a few lines how everything stands: zones, states, enactors, brakes; write nothing."""
    settings = take_settings(flags, required=REQUIRED)
    report = build_enactor(parts(settings)).status()
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        views.show_status(report)
    end(survey_status(report))


@main.command()
@settings_options(*WORKING)
@click.option("--dry-run", is_flag=True, help="Say for each plan why it stays or goes; delete nothing.")
@click.option(
    "--keep-newest",
    default=KEEP_NEWEST_PLANS,
    show_default=True,
    type=click.IntRange(1),
    help="Plans that stay whatever is referenced.",
)
@click.option(
    "--keep-hours", default=KEEP_HOURS, show_default=True, type=click.IntRange(0), help="Plans younger than this stay."
)
@json_option
@ending("enactor")
def collect(*, dry_run: bool, keep_newest: int, keep_hours: int, as_json: bool, **flags: Any) -> None:
    """Delete old plans that nothing references, and the tombstones of names that no plan speaks of any more.

    Nothing references a plan when no batch of it can land, no fence needs it and nobody pinned it.
    """
    settings = take_settings(flags, required=REQUIRED)
    doors = parts(settings)
    report = collect_plans(
        doors.table,
        FleetZones(doors.zones, settings.fleet),
        settings.zones,
        dry_run=dry_run,
        keep_newest=keep_newest,
        keep_hours=keep_hours,
        now=utc_now(),
        chance=doors.chance,
    )
    report = with_tombstones(doors, report, dry_run=dry_run)
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        views.show_collect(report)
    end(EXIT_FAILED if report.unreadable else EXIT_OK)


def with_tombstones(doors: Parts, report: CollectReport, *, dry_run: bool) -> CollectReport:
    """Collect the tombstones too, zone by zone: one that cannot be worked on keeps its own, and is told."""
    gone: list[CollectedTombstone] = []
    wrong: list[str] = []
    unread = {line.split(":", 1)[0] for line in report.unreadable}
    collector = TombstoneCollector(wheel(doors, "collect"), doors.table, partial(cached_plans, doors))
    for zone in doors.settings.zones:
        try:
            gone += () if zone in unread else collector.run(zone, dry_run=dry_run)
        except OutsideError as error:
            wrong.append(f"{zone}: {error}")
    return msgspec.structs.replace(report, tombstones=tuple(gone), unreadable=(*report.unreadable, *wrong))


def say_what_is_missing(settings: Settings) -> None:
    """Say that there would be nothing to heal from with the table unreachable."""
    if not settings.state_dir and not settings.plan_mirror:
        say("enactor: neither --state-dir nor --plan-mirror, so no plan is kept for the day the table cannot be read")


verbs.add_to(main)
endpoint_verbs.add_to(main)
ownership.add_to(main)
probe.add_to(main)
history_of.add_to(main)
doctor.add_to(main)
playground.add_to(main)

if __name__ == "__main__":
    sys.exit(main())

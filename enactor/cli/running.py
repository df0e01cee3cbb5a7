"""The command `enactor run`: the worker, and the port that shows what it sees."""

from contextlib import suppress
from datetime import datetime
from typing import Any

import click
import msgspec
from prometheus_client import CollectorRegistry

from enactor import __version__, worker
from enactor.arrival import Arrivals
from enactor.chores import SHARING_SECONDS, Chore, Sharing
from enactor.cli.build import Parts, bound_log, parts, utc_now
from enactor.cli.build import enactor as build_enactor
from enactor.cli.collecting import Collecting
from enactor.cli.ending import crash_logged
from enactor.cli.options import UNIT_SECONDS, ending, seconds_of, settings_options, take_settings
from enactor.cli.recalling import Recalling
from enactor.cli.serving import Served, serve
from enactor.cycle import Enactor
from enactor.disk import PlanDisk
from enactor.hooks import Event, Hook, surely
from enactor.live import Live
from enactor.live_metrics import LiveMetrics
from enactor.live_report import Recalled, Waiting
from enactor.log_capture import capture
from enactor.log_settings import say_settings
from enactor.logs import EventLog
from enactor.metrics import Metrics
from enactor.outside import SystemClock
from enactor.page.status import StatusPage
from enactor.ports import OutsideError
from enactor.report import CycleReport, EnactorSeen
from enactor.report_collect import CollectReport
from enactor.settings import Settings
from enactor.table import PlanTable
from enactor.table_setup import table_client
from enactor.work_metrics import WorkMetrics
from enactor.wsgi import application, health_route, json_route, metrics_route, page_route

WORKING = ("table", "fleet", "zones", "id", "roles", "state-dir", "plan-mirror", "account-share")
REQUIRED = ("table", "fleet", "zones")
COLLECT_EVERY = "6h"


def add_to(group: click.Group) -> None:
    """Add the command."""
    group.add_command(run)


@click.command()
@settings_options(*WORKING, "metrics", "critical")
@click.option("--every", default="10s", show_default=True, help="Pause between cycles, e.g. 10s or 1m.")
@click.option(
    "--collect-every",
    default=COLLECT_EVERY,
    show_default=True,
    help="How often old plans and tombstones are collected, e.g. 6h; `off`: never, somebody else runs `enactor collect`.",
)
@ending("enactor")
def run(*, every: str, collect_every: str, **flags: Any) -> None:
    """Work until told to stop (SIGTERM ends it within 10 seconds, between batches). Logs are JSON lines on stderr.

    Exit status: 0 it was asked to stop; 1 it could not start, or a fault of the program ended it; 2 wrong usage.
    """
    seconds = seconds_of(every, "--every", lowest=0.1, highest=3600.0)
    collecting = None if collect_every == "off" else _collect_seconds(collect_every)
    settings = take_settings(flags, required=(*REQUIRED, "state-dir"))
    log = bound_log(settings)
    capture(log)
    if why := what_is_missing(settings):
        log.warning("no-plan-kept", why=why)
    if why := PlanDisk(settings.state_dir, settings.fleet).trouble():
        log.error("state-dir-unusable", why=why)
    say_settings(log, msgspec.to_builtins(settings), version=__version__, every_seconds=seconds)
    done = crash_logged(log, lambda: Service(settings, log, every=seconds, collect_every=collecting).run())
    log.info("stopped", cycles=done)


def _collect_seconds(text: str) -> float:
    return seconds_of(text, "--collect-every", lowest=60.0, highest=7 * UNIT_SECONDS["d"])


def what_is_missing(settings: Settings) -> str | None:
    """Return that there would be nothing to heal from with the table unreachable, None where a plan is kept."""
    if settings.state_dir or settings.plan_mirror:
        return None
    return "neither --state-dir nor --plan-mirror, so no plan is kept for the day the table cannot be read"


class Service:
    """One worker process, put together."""

    def __init__(self, settings: Settings, log: Any, *, every: float, collect_every: float | None) -> None:
        self._settings = settings
        self._log = log
        self._every = every
        self._clock = SystemClock()
        self._registry = CollectorRegistry()
        self._metrics = Metrics(self._registry)
        self._work = WorkMetrics(self._registry, collect_every=collect_every)
        self._live = Live(fleet=settings.fleet, enactor=settings.id, every=every, wall=utc_now, now=self._clock.now)
        self._heard: tuple[Hook, ...] = tuple(surely(one, self._listener_failed) for one in self._listeners())
        self._doors: Parts = parts(settings, self._hook, self._clock)
        self._arrivals = Arrivals(self._doors.zones, self._clock, self._arrived)
        self._heard = (*self._heard, surely(self._arrivals, self._listener_failed))
        self._enactor: Enactor = build_enactor(self._doors)
        self._live.budgets = self._doors.access.levels
        disk = PlanDisk(settings.state_dir, settings.fleet)
        self._registry.register(
            LiveMetrics(self._live, critical=settings.critical, limits=settings.limits, saved=disk.saved_at)
        )
        self._is_lost = False
        self._quick = self._quick_table()
        self._chores = self._make_chores(collect_every)

    def run(self) -> int:
        """Serve and work until a signal; return how many cycles were done."""
        served = self._serve() if self._settings.metrics else None
        try:
            return worker.run(
                self._enactor,
                self._clock,
                self._doors.chance,
                every=self._every,
                requests_per_second=self._doors.access.requests_per_second,
                ended=self._ended,
                failed=self._failed,
                chores=self._chores,
                chore_failed=self._chore_failed,
                leave=lambda: self._enactor.leave(self._quick),
            )
        finally:
            if served is not None:
                served.close()

    def _listeners(self) -> tuple[Hook, ...]:
        return self._metrics, self._work, self._live, EventLog(self._log)

    def _hook(self, event: Event) -> None:
        for hear in self._heard:
            hear(event)

    def _listener_failed(self, error: Exception) -> None:
        self._log.error("listener-failed", why=f"{type(error).__name__}: {error}")

    def _arrived(self, generation: int, seconds: float) -> None:
        """Count a change that has arrived, and with it the plan that it brought, where that is the newest."""
        self._work.insync(seconds)
        age = self._live.plan_age(generation)
        if age is not None:
            self._work.plan_insync(age)

    def _ended(self, report: CycleReport, seconds: float) -> None:
        """Put a cycle's end where the port's threads see it."""
        assert self._enactor.last is not None, "a cycle has ended"
        now = self._clock.now()
        waits = {key: Waiting(wait.until - now, wait.why) for key, wait in self._enactor.waits().items()}
        try:
            self._work.came(self._live.took(self._enactor.last, report, seconds, waits))
            self._orient()
        except Exception as error:  # noqa: BLE001 - what is shown of a cycle must not end the worker
            self._listener_failed(error)

    def _orient(self) -> None:
        """Tell, when it begins, that nothing of this fleet is here, and which fleets are: its name may be mistyped."""
        lost, self._is_lost = self._is_lost, self._live.nothing() is not None
        if not self._is_lost or lost:
            return
        with suppress(OutsideError):  # what else stands there is a help, and no more
            found = [self._doors.zones.fences(zone, self._settings.fleet) for zone in self._settings.zones]
            self._live.others = tuple(name for one in found for name in one.others)
        self._log.warning("nothing-here", why=self._live.nothing())

    def _failed(self, why: str) -> None:
        self._live.failed(why)
        self._log.error("cycle-failed", why=why)

    def _make_chores(self, collect_every: float | None) -> tuple[Chore, ...]:
        sharing = Sharing(
            self._quick.announcements,
            self._settings.id,
            self._aws_or_here,
            self._doors.access,
            self._know_alive,
        )
        before = Recalling(
            self._quick,
            zones=self._settings.zones,
            clock=self._clock,
            aws_now=self._doors.zones.aws_now,
            told=self._know_before,
            failed=self._chore_failed,
        )
        chores = [
            before.chore(),
            Chore(sharing, name="sharing", every=SHARING_SECONDS),
            Chore(self._arrivals.ask, name="arrivals", every=self._every / 2),
        ]
        if collect_every is not None:
            beside = Collecting(self._doors, self._metrics, self._collected, self._chore_failed)
            first = self._doors.chance.uniform(0.0, collect_every)  # three enactors do not collect at the same time
            chores.append(Chore(beside.begin, name="collect", every=collect_every, first=first))
        return tuple(chores)

    def _quick_table(self) -> PlanTable:
        """Return the table as it is asked for pacing and told of the end: with short time-outs, because a cycle, or who ends it, waits."""
        client = table_client(self._doors.session, hasty=True)
        settings = self._settings
        return PlanTable(client, settings.table, settings.fleet, clock=self._clock, chance=self._doors.chance)

    def _aws_or_here(self) -> datetime:
        """Return the time by which announcements are dated; this machine's only until Route 53 has answered."""
        return self._doors.zones.aws_now() or utc_now()

    def _know_alive(self, enactors: tuple[EnactorSeen, ...] | None) -> None:
        self._live.enactors = enactors

    def _know_before(self, recalled: Recalled) -> None:
        self._live.recalled = recalled

    def _chore_failed(self, name: str, why: str) -> None:
        self._log.warning("chore-failed", chore=name, why=why)

    def _collected(self, report: CollectReport) -> None:
        self._work.collected(report)
        self._log.info(
            "collected",
            plans=len(report.plans),
            deleted=sum(plan.decision == "deleted" for plan in report.plans),
            uploads_swept=report.uploads_swept,
            tombstones=len(report.tombstones),
            unreadable=list(report.unreadable),
        )

    def _serve(self) -> Served:
        page = StatusPage(self._live.report)
        routes = {
            "/": page_route(page.html),
            "/api/status": json_route(page.json),
            "/metrics": metrics_route(self._registry),
            "/healthz": health_route(self._live.alive),
            "/readyz": health_route(lambda: "; ".join(self._live.degraded()) or None),
        }
        served = serve(self._settings.metrics, application(routes, failed=self._route_failed))
        self._log.info("serving", address=self._settings.metrics, port=served.port)
        return served

    def _route_failed(self, path: str, error: Exception) -> None:
        self._log.error("route-failed", path=path, why=f"{type(error).__name__}: {error}")

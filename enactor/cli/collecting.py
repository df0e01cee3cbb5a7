"""Collect old plans and tombstones: what `enactor collect` does when a person asks, and `enactor run` now and then."""

from collections.abc import Callable
from functools import partial

import msgspec

from enactor.cli.beside import Beside
from enactor.cli.build import Parts, cached_plans, utc_now, wheel
from enactor.collect import KEEP_HOURS, KEEP_NEWEST_PLANS, FleetZones, collect
from enactor.cycle import Tally
from enactor.hooks import Hook
from enactor.outside import route53_zones
from enactor.ports import OutsideError, Stopping
from enactor.report_collect import CollectedTombstone, CollectReport
from enactor.tombstones import TombstoneCollector


def collected(doors: Parts, *, dry_run: bool, keep_newest: int, keep_hours: int) -> CollectReport:
    """Collect once, and return what stays and what went."""
    report = collect(
        doors.table,
        FleetZones(doors.zones, doors.settings.fleet),
        doors.settings.zones,
        dry_run=dry_run,
        keep_newest=keep_newest,
        keep_hours=keep_hours,
        now=utc_now(),
        chance=doors.chance,
        stop=partial(doors.clock.sleep, 0.0),
    )
    return _with_tombstones(doors, report, dry_run=dry_run)


def _with_tombstones(doors: Parts, report: CollectReport, *, dry_run: bool) -> CollectReport:
    """Collect the tombstones too, zone by zone: one that cannot be worked on keeps its own, and is told."""
    gone: list[CollectedTombstone] = []
    wrong: list[str] = []
    unread = {line.split(":", 1)[0] for line in report.unreadable}
    collector = TombstoneCollector(wheel(doors, "collect"), doors.table, partial(cached_plans, doors))
    for zone in doors.settings.zones:
        try:
            gone += () if zone in unread else collector.run(zone, dry_run=dry_run)
        except Stopping:
            raise
        except OutsideError as error:
            wrong.append(f"{zone}: {error}")
    return msgspec.structs.replace(report, tombstones=tuple(gone), unreadable=(*report.unreadable, *wrong))


class Collecting(Beside):
    """A worker's collection, beside its cycles: a large zone takes minutes to read, and an endpoint must not wait for that.

    It goes through adapters of its own, with the worker's clients, credentials and budgets: each of its calls is paid for like any
    other. What it reads is in nobody's way: no safety of collecting rests on what else this process does (promise 4).
    """

    def __init__(
        self,
        doors: Parts,
        hook: Hook,
        ended: Callable[[CollectReport], None],
        failed: Callable[[str, str], None],
    ) -> None:
        tally = Tally(hook)
        zones = route53_zones(doors.settings, doors.session, doors.clock, doors.chance, tally, access=doors.access)
        fields = {field: getattr(doors, field) for field in doors.__struct_fields__}
        self._doors = Parts(**{**fields, "zones": zones, "tally": tally})
        self._ended = ended
        super().__init__("collect", self._collect, failed)

    def _collect(self) -> None:
        report = collected(self._doors, dry_run=False, keep_newest=KEEP_NEWEST_PLANS, keep_hours=KEEP_HOURS)
        if not self._doors.clock.stopping:  # a zone that was not read for that reason is no unreadable zone
            self._ended(report)

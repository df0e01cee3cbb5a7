"""Collect old plans and tombstones: what `enactor collect` does when a person asks, and `enactor run` now and then."""

from functools import partial

import msgspec

from enactor.cli.build import Parts, cached_plans, utc_now, wheel
from enactor.collect import FleetZones, collect
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

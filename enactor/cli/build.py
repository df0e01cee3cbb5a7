"""Put the parts of an enactor together from its settings. Decides nothing."""

from datetime import UTC, datetime
from typing import Any

import boto3
import click
import msgspec

from enactor.cli.options import session
from enactor.cycle import Enactor, Tally, comment_text
from enactor.disk import PlanDisk
from enactor.historian import Historian
from enactor.hooks import Hook, ignore
from enactor.library import Library
from enactor.logs import logger
from enactor.mirror import plan_mirror
from enactor.names import NameFault, canonical, is_within, reserved_label
from enactor.outside import SystemChance, SystemClock, ZoneAccess, route53_zones
from enactor.plan import Plan
from enactor.route53 import Route53Zones
from enactor.settings import Settings
from enactor.table import PlanTable
from enactor.table_setup import table_client
from enactor.verbs import Operator
from enactor.wheel import Wheel


def bound_log(settings: Settings) -> Any:
    """Return the log of this enactor: JSON lines on stderr."""
    return logger(enactor=settings.id, fleet=settings.fleet)


class Parts(msgspec.Struct, frozen=True):
    """A process's doors to the outside."""

    settings: Settings
    session: boto3.Session
    clock: SystemClock
    chance: SystemChance
    tally: Tally
    access: ZoneAccess
    zones: Route53Zones
    table: PlanTable


def parts(settings: Settings, hook: Hook = ignore, clock: SystemClock | None = None) -> Parts:
    """Return the doors, none of them opened yet."""
    clock, chance, found = clock or SystemClock(), SystemChance(), session()
    access = ZoneAccess(settings, found, clock)

    def hasty() -> PlanTable:
        return PlanTable(table_client(found, hasty=True), settings.table, settings.fleet, clock=clock, chance=chance)

    def aws_now() -> datetime | None:
        return zones.aws_now()

    historian = Historian(hook, hasty, aws_now, utc_now, clock=clock, chance=chance, by=settings.id)
    tally = Tally(historian if settings.table else hook)
    zones = route53_zones(settings, found, clock, chance, tally, access=access)
    return Parts(
        settings=settings,
        session=found,
        clock=clock,
        chance=chance,
        tally=tally,
        access=access,
        zones=zones,
        table=PlanTable(table_client(found), settings.table, settings.fleet, clock=clock, chance=chance),
    )


def library(doors: Parts) -> Library:
    """Return where plans are found: the table, and the disk and the mirror where they are told."""
    settings = doors.settings
    disk = PlanDisk(settings.state_dir, settings.fleet) if settings.state_dir else None
    mirror = plan_mirror(doors.session, settings.plan_mirror, settings.fleet) if settings.plan_mirror else None
    return Library(doors.table, disk, mirror)


def cached_plans(doors: Parts) -> list[Plan] | None:
    """Return the plans on disk and in the mirror, as far as the settings tell of any; None where the mirror cannot be read."""
    settings = doors.settings
    plans = list(PlanDisk(settings.state_dir, settings.fleet).load().plans) if settings.state_dir else []
    if settings.plan_mirror:
        found = plan_mirror(doors.session, settings.plan_mirror, settings.fleet).load()
        if isinstance(found, str):
            return None
        plans += [found] if found else []
    return [stored.plan for stored in plans]


def enactor(doors: Parts, *, by_hand: bool = False) -> Enactor:
    """Return the enactor; `by_hand` where a person runs one cycle of it."""
    settings = doors.settings
    return Enactor(
        fleet=settings.fleet,
        enactor=settings.id,
        zone_ids=settings.zones,
        limits=settings.limits,
        zones=doors.zones,
        store=doors.table,
        library=library(doors),
        clock=doors.clock,
        chance=doors.chance,
        tally=doors.tally,
        by_hand=by_hand,
    )


def wheel(doors: Parts, reason: str) -> Wheel:
    """Return what a person's verbs work with."""
    return Wheel(
        fleet=doors.settings.fleet,
        enactor=doors.settings.id,
        zones=doors.zones,
        clock=doors.clock,
        chance=doors.chance,
        comment=comment_text(doors.settings.fleet, doors.settings.id, reason),
    )


def operator(doors: Parts, reason: str) -> Operator:
    """Return the person at the wheel of a zone's switch."""
    return Operator(wheel(doors, reason))


def place_of(doors: Parts, name: str, zone: str | None) -> tuple[str, str]:
    """Return (zone id, canonical name) for an endpoint given by a person; where two zones could hold it --zone decides."""
    try:
        wanted = canonical(name)
    except NameFault as fault:
        raise click.UsageError(f"{name!r} is no DNS name: {fault}") from None
    if (label := reserved_label(wanted)) is not None:
        raise click.UsageError(f"{wanted} cannot be an endpoint: the label {label} is kept for fences and switches")
    if zone is not None:
        zone_name = doors.zones.zone_name(zone)
        if not is_within(wanted, zone_name):
            raise click.UsageError(f"{wanted} does not lie in zone {zone}, which is {zone_name}")
        return zone, wanted
    fitting = {
        found: len(doors.zones.zone_name(found))
        for found in doors.settings.zones
        if is_within(wanted, doors.zones.zone_name(found))
    }
    longest = max(fitting.values(), default=0)
    nearest = [found for found, length in fitting.items() if length == longest]
    if not nearest:
        raise click.UsageError(f"{wanted} lies in none of the zones {', '.join(doors.settings.zones)}")
    if len(nearest) > 1:
        raise click.UsageError(f"{wanted} can stand in {' and '.join(nearest)}; say which with --zone")
    return nearest[0], wanted


def utc_now() -> datetime:
    """Return the wall clock, for ages that only keep more and times that people read."""
    return datetime.now(UTC)

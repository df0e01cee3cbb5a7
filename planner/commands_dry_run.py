"""The command that shows what a publish would do: dry-run. It reads the table and the zones, and has no way to write to either."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import click
import msgspec

from enactor.cli.options import end, session
from enactor.fence import Switch
from enactor.hooks import Event
from enactor.library import Library
from enactor.memory import ZoneMemory
from enactor.outcome import ZonePort
from enactor.outside import SystemChance, SystemClock, route53_zones
from enactor.plan import Plan, StoredPlan, canonical_json, digest_of
from enactor.plan_index import PlanIndex
from enactor.ports import OutsideError
from enactor.report import EXIT_FAILED, EXIT_KEPT_BACK, EXIT_OK
from enactor.settings import Settings
from enactor.table_keys import GENERATION_MAX
from planner.deliberation import PastReader, think
from planner.html_page import html_page
from planner.looking import look_once
from planner.looking_back import decide_looking_back
from planner.options import (
    console,
    open_table,
    plan_option,
    read_source,
    say_which_fleet,
    source_argument,
    told_all,
    with_settings,
)
from planner.planning import Braked
from planner.publisher import PlannerStore, read_parent
from planner.publishing import Carried, Mismatch, Parent, Publication, RefusedWhole, Unchanged, Wish
from planner.reasons import TargetReason, plain_reasons, reasons_of
from planner.rehearsal import Rehearsal, Sight, rehearse_zone
from planner.rendering import explained, markdown, print_text
from planner.reports import Cost, DryRunEndpoint, DryRunReport, DryRunZone
from planner.sources import Read

EXIT_CHANGES: Final = 2
"""With --detailed-exitcode: something would be written, and nothing is refused."""


@click.command("dry-run")
@source_argument
@plan_option
@with_settings("table", "zones", "roles", "account-share", required=("table",))
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown", "html"]), help="Default: text.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--explain",
    metavar="NAME",
    help="Only why each load balancer is in, out or at its weight: at an endpoint, or one by its id.",
)
@click.option(
    "--detailed-exitcode",
    is_flag=True,
    help="Exit 0: nothing would change, 2: something would, 3: something is refused.",
)
def dry_run(
    *,
    fleet_path: str | None,
    plan_path: str | None,
    settings: Settings,
    form: str | None,
    as_json: bool,
    explain: str | None,
    detailed_exitcode: bool,
) -> None:
    """Show what publishing a plan would change in the zones, what each guard says, and what it costs. Writes nothing.

    A fleet file's sources are asked once. HTML is one file that needs nothing else.

    Exit status: 0 it could be shown, also where guards refuse, unless --detailed-exitcode is given; 1 something could not be
    read, or is wrong in form.
    """
    if as_json and form not in {None, "json"}:
        raise click.UsageError(f"--json and --format {form} exclude each other")
    form = "json" if as_json else form
    if explain is not None and form not in {None, "text"}:
        raise click.UsageError(f"--explain is text, and {form} has every reason in it")
    with told_all(as_json=form == "json"):
        read = read_source(fleet_path, plan_path)
        say_which_fleet(read.fleet_name, settings)
        zones = route53_zones(settings, session(), SystemClock(), SystemChance(), _unheard)
        table = open_table(settings, read.fleet_name)
        report, notes = rehearse(draft_of(read, table), table, zones, settings)
        told_of = list(explained(report, explain)) if explain is not None else []
    for note in notes:
        click.echo(f"planner: {note}", err=True)
    if explain is not None and not told_of:
        raise click.UsageError(
            f"--explain {explain}: no endpoint that was looked at, and no load balancer, has this name"
        )
    if form == "json":
        click.echo(msgspec.json.encode(report))
    elif form == "html":
        click.echo("\n".join(html_page(report)))
    elif told_of:
        click.echo("\n".join(told_of))
    elif form == "markdown":
        click.echo("\n".join(markdown(report)))
    else:
        print_text(report, console())
    errors = list(dict.fromkeys(f"planner: {zone.error}" for zone in report.zones if zone.error))
    status = EXIT_FAILED if errors else detailed_status(report) if detailed_exitcode else EXIT_OK
    end(status, [] if form == "json" else errors)


def _unheard(_: Event) -> None:
    """A dry-run has no metrics."""


def detailed_status(report: DryRunReport) -> int:
    """Return the exit status of --detailed-exitcode: refusals beat changes."""
    kept_back = report.refused or report.carried or any(zone.refused for zone in report.zones)
    odd = any(zone.plan in {"ahead", "forked"} for zone in report.zones)
    if kept_back or odd or any(endpoint.action == "refused" for endpoint in report.endpoints):
        return EXIT_KEPT_BACK
    return EXIT_CHANGES if report.changes else EXIT_OK


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """The plan that is rehearsed, and why it is as it is."""

    plan: Plan
    reasons: Mapping[tuple[str, str], tuple[TargetReason, ...]] = {}
    braked: tuple[Braked, ...] = ()


def draft_of(read: Read, store: PlannerStore) -> Draft:
    """Return the plan that a file means now; where sources or the plan in force have a say in that, after one look."""
    if read.settled is not None:
        endpoints = {one.key: one for one in read.settled.endpoints}
        behind = read.fleet.endpoints if read.fleet else ()
        return Draft(plan=read.settled, reasons={one.key: plain_reasons(endpoints[one.key], one) for one in behind})
    seen = look_once(read, lambda: read_parent(store, datetime.now(UTC))[0].base)
    thought = think(store, PastReader(store), seen, {}, datetime.now(UTC), is_one_look=True)
    planned = thought.planned
    return Draft(plan=planned.plan, reasons=reasons_of(seen.fleet, planned), braked=planned.braked)


def rehearse(
    draft: Draft, store: PlannerStore, zones: ZonePort, settings: Settings
) -> tuple[DryRunReport, tuple[str, ...]]:
    """Read the table and the zones, and return what would happen."""
    plan = draft.plan
    parent, notes = read_parent(store, datetime.now(UTC))
    publication, looked_back = decide_looking_back(store, plan, parent, Wish(looks_back=True), settings.limits)
    index = _hypothetical(plan, parent, publication)
    named = sorted({endpoint.zone for endpoint in plan.endpoints} | {retired.zone for retired in plan.retired})
    rehearsal = Rehearsal(plan=index, limits=settings.limits, carried=_carried(publication), reasons=draft.reasons)
    seen = [_zone(zone, rehearsal, Library(store, None), zones) for zone in settings.zones or named]
    looked_at = {zone.zone for zone, _ in seen}
    costs = [zone.cost for zone, _ in seen if zone.cost is not None]
    cost = Cost(calls=sum(one.calls for one in costs), changes=sum(one.changes for one in costs))
    report = DryRunReport(
        fleet=plan.fleet,
        digest=index.stored.digest,
        file_digest=digest_of(canonical_json(plan)),
        listed=len(plan.endpoints),
        parent=parent.base_generation,
        generation=index.stored.generation,
        published=isinstance(publication, Unchanged),
        refused=publication.findings if isinstance(publication, RefusedWhole) else (),
        carried=tuple(rehearsal.carried.values()),
        braked=draft.braked,
        zones=tuple(zone for zone, _ in seen),
        endpoints=tuple(endpoint for _, endpoints in seen for endpoint in endpoints),
        other_zones=sum(1 for endpoint in plan.endpoints if endpoint.zone not in looked_at),
        not_looked_at=tuple(sorted({endpoint.zone for endpoint in plan.endpoints} - looked_at)),
        cost=cost if len(costs) == len(seen) else None,
        changes=cost.changes > 0,
    )
    return (_held_back(report) if report.refused else report), (*notes, *looked_back)


def _held_back(report: DryRunReport) -> DryRunReport:
    """A plan that is refused as a whole is not stored, so nothing would be written: the endpoints show what it asks for."""
    nothing = Cost(calls=0, changes=0)
    return msgspec.structs.replace(
        report,
        zones=tuple(msgspec.structs.replace(zone, cost=nothing) for zone in report.zones),
        endpoints=tuple(
            msgspec.structs.replace(one, changes=0, action="none" if one.action == "swap" else one.action)
            for one in report.endpoints
        ),
        cost=nothing,
        changes=False,
    )


def _hypothetical(plan: Plan, parent: Parent, publication: Publication) -> PlanIndex:
    """Return the plan as if it were stored: as HEAD where nothing new would be, else as the next generation.

    The digest is that of what would be stored, so that it can go into `publish --expect-digest`; the endpoints are the file's,
    so that it shows what is refused too.
    """
    assert not isinstance(publication, Mismatch), "a dry-run expects nothing"
    head = parent.head.generation if parent.head else 0
    generation = head if isinstance(publication, Unchanged) else 1 + max(head, parent.floor)
    return PlanIndex(StoredPlan(generation=generation, digest=publication.digest, plan=plan), "none")


def _carried(publication: Publication) -> Mapping[tuple[str, str], Carried]:
    assert not isinstance(publication, Mismatch), "a dry-run expects nothing"
    return {(one.zone, one.name): one for one in publication.carried}


def _zone(
    zone: str, rehearsal: Rehearsal, library: Library, zones: ZonePort
) -> tuple[DryRunZone, Sequence[DryRunEndpoint]]:
    try:
        memory = ZoneMemory(zones, zone, rehearsal.plan.stored.plan.fleet)
        memory.read_switch()
        memory.read_all(0.0)
        return rehearse_zone(_sight(memory, rehearsal, library, zones.aws_now()), rehearsal, library)
    except OutsideError as error:
        failed = DryRunZone(zone=zone, switch=None, open=None, plan=None, refused=(), cost=None, error=str(error))
        return failed, ()


def _sight(memory: ZoneMemory, rehearsal: Rehearsal, library: Library, aws_now: datetime | None) -> Sight:
    """Return what the zone's plan would be judged with: by enactors with the very same."""
    switch = memory.switch.switch
    open_plan = library.open_plan(switch) if isinstance(switch, Switch) else None
    nearest = None
    if isinstance(switch, Switch) and switch.gen and open_plan is None:
        nearest = library.at_or_below(switch.gen)
    generation = rehearsal.plan.stored.generation
    return Sight(
        memory=memory,
        open_plan=open_plan,
        aws_now=aws_now,
        nearest=nearest,
        allowed=library.allowed(generation, aws_now) if generation <= GENERATION_MAX else frozenset(),
    )

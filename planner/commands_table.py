"""The commands that read the plan table: list, show, diff."""

from typing import Final

import click
import msgspec
from rich.table import Table
from rich.text import Text

from enactor.cli.options import told
from enactor.plan import StoredPlan
from enactor.ports import DamagedPlan, Missing, PlanEntry, PlanHead, Unavailable
from enactor.settings import VARIABLES, Settings
from enactor.table import PlanTable
from planner.members import EndpointChange, PlanChange, plan_change
from planner.options import WholeType, console, generation_type, json_option, open_table, with_settings
from planner.reports import DiffReport, ListReport, PlanLine, ShowReport
from planner.wording import change_lines, counted

DIGEST_SHOWN_DIGITS: Final = 12


@click.command("list")
@with_settings("table", "fleet", required=("table", "fleet"))
@click.option(
    "--limit",
    default=50,
    show_default=True,
    metavar="N",
    type=WholeType("number of plans"),
    help="How many to list at most.",
)
@json_option
def list_(settings: Settings, limit: int, as_json: bool) -> None:
    """List the plans in the table, newest first; say how many older ones are left out."""
    with told("planner", as_json=as_json):
        plans = open_table(settings, settings.fleet)
        head, pins = plans.head(), plans.pins()
        entries = plans.list()
        lines = tuple(_line(entry, head, pins) for entry in entries[:limit])
    left_out = len(entries) - len(lines)
    if not lines:
        hint = f"--fleet, or {VARIABLES['fleet']}, names it as its file does; `planner publish` stores its first plan"
        click.echo(f"planner: is {settings.fleet} the right fleet? {hint}", err=True)
    if as_json:
        click.echo(msgspec.json.encode(ListReport(fleet=settings.fleet, plans=lines, left_out=left_out)))
    elif not lines:
        click.echo(f"no plan of fleet {settings.fleet} in table {settings.table}")
    else:
        console().print(_table(lines))
        if left_out:
            click.echo(f"{counted(left_out, 'older plan')} left out; --limit {len(entries)} lists all")


def _line(entry: PlanEntry, head: PlanHead | None, pins: frozenset[int]) -> PlanLine:
    return PlanLine(
        generation=entry.generation,
        digest=entry.digest,
        parent=entry.parent,
        created_at=entry.created_at,
        planner=entry.planner,
        reason=entry.reason,
        zones=entry.zones,
        endpoints=entry.endpoints,
        head=head is not None and (entry.generation, entry.digest) == (head.generation, head.digest),
        pinned=entry.generation in pins,
        condemned=entry.condemned is not None,
        stays=entry.stays,
    )


def _table(lines: tuple[PlanLine, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("generation", "digest", "parent", "created", "planner", "endpoints", "zones", "marks", "reason"):
        table.add_column(heading, justify="right" if heading in {"generation", "parent", "endpoints"} else "left")
    for line in lines:
        marks = [word for word in ("head", "stays", "pinned", "condemned") if getattr(line, word)]
        cells = (
            str(line.generation),
            line.digest[:DIGEST_SHOWN_DIGITS],
            str(line.parent),
            line.created_at,
            line.planner,
            str(line.endpoints),
            " ".join(line.zones),
            " ".join(marks),
            line.reason,
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table


@click.command()
@click.argument("generation", type=generation_type)
@with_settings("table", "fleet", required=("table", "fleet"))
@json_option
def show(generation: int, settings: Settings, as_json: bool) -> None:
    """Show a plan: the plan file, which `publish --plan` takes again; with --json what the store added too."""
    with told("planner", as_json=as_json):
        stored = read_stored(open_table(settings, settings.fleet), generation)
    if not as_json:
        click.echo(msgspec.json.format(stored.body, indent=2))
        return
    report = ShowReport(
        generation=stored.generation,
        digest=stored.digest,
        parent=stored.parent,
        created_at=stored.created_at,
        planner=stored.planner,
        reason=stored.reason,
        plan=msgspec.Raw(stored.body),
    )
    click.echo(msgspec.json.encode(report))


def read_stored(plans: PlanTable, generation: int) -> StoredPlan:
    """Return a plan; raise what is wrong where it is not there or cannot be used."""
    match plans.read(generation):
        case None:
            raise Missing(f"there is no generation {generation} in the table; `planner list` shows what is")
        case DamagedPlan(why=why):
            raise Unavailable(f"generation {generation} cannot be used: {why}")
        case stored:
            return stored


@click.command()
@click.argument("before", type=generation_type)
@click.argument("after", type=generation_type)
@with_settings("table", "fleet", required=("table", "fleet"))
@json_option
def diff(before: int, after: int, settings: Settings, as_json: bool) -> None:
    """Show what leads from one plan to another: endpoints and targets added, removed, changed."""
    with told("planner", as_json=as_json):
        plans = open_table(settings, settings.fleet)
        change = plan_change(read_stored(plans, before).plan, read_stored(plans, after).plan)
    if as_json:
        click.echo(msgspec.json.encode(DiffReport(fleet=settings.fleet, before=before, after=after, change=change)))
    else:
        click.echo("\n".join(_diff_lines(before, after, change)))


def _diff_lines(before: int, after: int, change: PlanChange) -> list[str]:
    lines: list[str] = []
    for word, endpoints in (("+", change.added), ("-", change.removed), ("~", change.changed)):
        lines += [line for endpoint in endpoints for line in _endpoint_lines(word, endpoint)]
    lines += [f"retired {one.name} ({one.zone})" for one in change.retired]
    return lines or [f"generations {before} and {after} say the same"]


def _endpoint_lines(word: str, endpoint: EndpointChange) -> list[str]:
    return [f"{word} {endpoint.name} ({endpoint.zone})", *(f"    {line}" for line in change_lines(endpoint.change))]

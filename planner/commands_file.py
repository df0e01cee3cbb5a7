"""The commands that need no AWS: check, compile, schema."""

from datetime import UTC, datetime
from typing import Final

import click
import msgspec

from enactor.plan import Plan, canonical_json, digest_of
from planner.looking import look_once
from planner.options import plan_option, read_source, source_argument, told_all, warned_source
from planner.past import Past
from planner.planning import plan_fleet
from planner.schemas import FILES, SCHEMAS, schema_of
from planner.sources import Read
from planner.wording import counted

DIGEST_SHOWN_DIGITS: Final = 12


@click.command()
@source_argument
@plan_option
def check(fleet_path: str | None, plan_path: str | None) -> None:
    """Say whether a fleet file (or a plan file) has the right form, with everything that is wrong.

    Exit status: 0 the form is right, 1 it is not. Warnings on stderr name what is right in form and will not work, or is
    seldom meant; they leave the status as it is.
    """
    with told_all():
        read = warned_source(fleet_path, plan_path)
        click.echo(f"{read.name}: {_what_it_is(read)}")


def _what_it_is(read: Read) -> str:
    """Say what a file means, as far as it alone decides that."""
    plan, fleet = read.settled, read.fleet
    if plan is not None:
        digest = digest_of(canonical_json(plan))[:DIGEST_SHOWN_DIGITS]
        targets = sum(len(endpoint.targets) for endpoint in plan.endpoints)
        what = f"{counted(len(plan.endpoints), 'endpoint')}, {counted(targets, 'target')}, {len(plan.retired)} retired"
        return f"fleet {plan.fleet}, {what}, digest {digest}"
    assert fleet is not None, "what is no plan file is a fleet file"
    what = f"{counted(len(fleet.endpoints), 'endpoint')}, {counted(len(fleet.sources), 'source')}, {len(fleet.retired)} retired"
    return f"fleet {fleet.name}, {what}; nothing was asked, `planner dry-run` shows what plan comes of it"


@click.command("compile")
@source_argument
@plan_option
def compile_(fleet_path: str | None, plan_path: str | None) -> None:
    """Print the plan file that a fleet file means (or a plan file's canonical form): its sha256 is the plan's digest.

    Sources are asked once; no plan in force is known here, so nothing moves in steps, and the brake holds nothing.
    """
    with told_all():
        click.echo(canonical_json(_plan_alone(read_source(fleet_path, plan_path))), nl=False)


def _plan_alone(read: Read) -> Plan:
    """Return the plan that a file means where no plan is in force."""
    if read.settled is not None:
        return read.settled
    seen = look_once(read, lambda: None)
    now = datetime.now(UTC)
    return plan_fleet(seen.fleet, seen.observations, Past(), {}, now, told_again=seen.told_again, is_one_look=True).plan


def _schema_help() -> str:
    """Name every schema on a line of its own: where help is wrapped, a word with a dash is broken in two."""
    files = ", ".join(f"the {what} file" for what in sorted(FILES))
    listed = "\n".join(f"  {what}" for what in sorted(SCHEMAS))
    return f"Print the JSON Schema of {files}, or of what a command prints with --json. WHAT is one of:\n\n\b\n{listed}"


@click.command(help=_schema_help())
@click.argument("what", metavar="WHAT", type=click.Choice(sorted(SCHEMAS)))
def schema(what: str) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(schema_of(what)), indent=2))

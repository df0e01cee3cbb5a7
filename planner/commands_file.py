"""The commands that need no AWS: check, compile, schema."""

from typing import Final

import click
import msgspec

from enactor.cli.options import told
from enactor.plan import canonical_json, digest_of
from planner.options import load_source, plan_option, source_argument, warned_source
from planner.schemas import FILES, SCHEMAS, schema_of
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
    with told("planner"):
        source = warned_source(fleet_path, plan_path)
        plan = source.plan
        digest = digest_of(canonical_json(plan))[:DIGEST_SHOWN_DIGITS]
        targets = sum(len(endpoint.targets) for endpoint in plan.endpoints)
        what = f"{counted(len(plan.endpoints), 'endpoint')}, {counted(targets, 'target')}, {len(plan.retired)} retired"
        click.echo(f"{source.name}: fleet {plan.fleet}, {what}, digest {digest}")


@click.command("compile")
@source_argument
@plan_option
def compile_(fleet_path: str | None, plan_path: str | None) -> None:
    """Print the plan file that a fleet file means (or a plan file's canonical form): its sha256 is the plan's digest."""
    with told("planner"):
        click.echo(canonical_json(load_source(fleet_path, plan_path)), nl=False)


def _schema_help() -> str:
    """Name every schema on a line of its own: where help is wrapped, a word with a dash is broken in two."""
    files = ", ".join(f"the {what} file" for what in sorted(FILES))
    listed = "\n".join(f"  {what}" for what in sorted(SCHEMAS))
    return f"Print the JSON Schema of {files}, or of what a command prints with --json. WHAT is one of:\n\n\b\n{listed}"


@click.command(help=_schema_help())
@click.argument("what", metavar="WHAT", type=click.Choice(sorted(SCHEMAS)))
def schema(what: str) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(schema_of(what)), indent=2))

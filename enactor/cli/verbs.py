"""The verbs about a zone's switch on the command line: init, stop, start; and how every verb is recorded."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import click

from enactor.brake import Table, Unclear
from enactor.cli.build import Parts, bound_log, operator, parts
from enactor.cli.history import remember
from enactor.cli.options import end, ending, seconds_of, settings_options, take_settings
from enactor.cli.table_word import TableWord
from enactor.hooks import VerbEnded
from enactor.insist import KeptBack, NotDone
from enactor.logs import person_log
from enactor.ports import OutsideError
from enactor.report import EXIT_FAILED, EXIT_KEPT_BACK, EXIT_OK, EXIT_USAGE, worst
from enactor.settings import Settings, zone_id
from enactor.wheel import Done

BY_HAND = ("table", "fleet", "zones", "id", "roles", "account-share")
zone_option = click.option("--zone", default=None, help="The hosted zone's id.")
reason_option = click.option("--reason", default="", help="Why; goes into the change's Comment, for CloudTrail.")
for_option = click.option(
    "--for", "lasting", default=None, help="End by itself after this time, e.g. 2h (default: never)."
)
LASTING_MAX_SECONDS = 365 * 86400.0
GENERATION_TOLD_MAX = 999_999_999
"""A typed generation leaves room for every plan that is still to come: twelve digits are all there are."""
generation_option = click.option(
    "--generation",
    default=None,
    type=click.IntRange(0, GENERATION_TOLD_MAX),
    help="The highest generation ever published, where neither switch nor table can tell.",
)


def add_to(group: click.Group) -> None:
    """Add the verbs to the command."""
    for command in (init, stop, start):
        group.add_command(command)


@click.command()
@settings_options(*BY_HAND)
@zone_option
@generation_option
@reason_option
@ending("enactor")
def init(*, zone: str | None, generation: int | None, reason: str, **flags: Any) -> None:
    """Bring a zone into service: make the table if absent, prove the ground on scratch names, write the switch in run."""
    settings = take_settings(flags, required=("table", "fleet"))
    wanted = chosen(settings, zone)
    doors = logged(settings)
    made = doors.table.create_table()
    click.echo(f"table {settings.table} {'was made' if made.made else 'is there already'}")
    for lack in made.lacks:
        click.echo(f"table {settings.table}: {lack}")

    def table() -> Table:
        return Table(doors.table.head(), doors.table.floor())

    each(doors, "init", reason, wanted, lambda one: operator(doors, reason).init(one, table, generation))


@click.command()
@settings_options(*BY_HAND)
@zone_option
@for_option
@reason_option
@ending("enactor")
def stop(*, zone: str | None, lasting: str | None, reason: str, **flags: Any) -> None:
    """Stop every enactor in one zone (--zone) or in all: works with the table and the planner dead."""
    seconds = lasting_seconds(lasting)
    doors, wanted = braked(flags, zone)
    table = TableWord(doors)
    each(doors, "stop", reason, wanted, lambda one: operator(doors, reason).stop(one, table, seconds))


@click.command()
@settings_options(*BY_HAND)
@zone_option
@generation_option
@reason_option
@ending("enactor")
def start(*, zone: str | None, generation: int | None, reason: str, **flags: Any) -> None:
    """Bring run back in one zone (--zone) or in all, at the generation that was open; else the highest that anything at hand shows."""
    doors, wanted = braked(flags, zone)
    table = TableWord(doors)
    each(
        doors, "start", reason, wanted, lambda one: operator(doors, reason).start(one, table, generation, table.refused)
    )


def lasting_seconds(text: str | None, *, highest: float = LASTING_MAX_SECONDS) -> float | None:
    """Return what --for says in seconds, None where it is not given."""
    return None if text is None else seconds_of(text, "--for", lowest=1.0, highest=highest)


def braked(flags: dict[str, Any], zone: str | None) -> tuple[Parts, list[str]]:
    """Return the doors and the zones that a brake is for."""
    settings = take_settings(flags, required=("fleet",))
    return logged(settings), chosen(settings, zone)


def zone_argument(text: str) -> str:
    """Return the id that --zone gives; a zone's name is wrong usage."""
    try:
        return zone_id(text)
    except ValueError as error:
        end(EXIT_USAGE, [f"--zone: {error}"])


def chosen(settings: Settings, zone: str | None) -> list[str]:
    """Return the zones a verb is for: the one that is told, or all that are set."""
    if zone:
        return [zone_argument(zone)]
    if not settings.zones:
        end(EXIT_USAGE, ["no zone is told: give --zone, or --zones, or set ENACTOR_ZONES"])
    return list(settings.zones)


def each(doors: Parts, verb: str, reason: str, zones: list[str], do: Callable[[str], Done]) -> None:
    """Do a verb in each zone; one that fails does not keep the others from it, and is named at the end."""
    status = EXIT_OK
    for zone in zones:
        try:
            tell(recorded(doors, verb, reason, zone, partial(do, zone)))
        except (OutsideError, Unclear) as error:
            status = worst(status, EXIT_KEPT_BACK if isinstance(error, KeptBack) else EXIT_FAILED)
            done = "" if isinstance(error, NotDone) else f"zone {zone}: "
            click.echo(f"enactor: {done}{error}", err=True)
    end(status)


def logged(settings: Settings) -> Parts:
    """Return the doors with a log behind them: what a verb did is one JSON line on stderr, beside the sentence for people."""
    return parts(settings, person_log(bound_log(settings)))


def recorded(
    doors: Parts, verb: str, reason: str, zone: str | None, do: Callable[[], Done], *, name: str | None = None
) -> Done:
    """Do a verb, and log what came of it, in the table's history too: who did what, where, and why."""
    ended = partial(VerbEnded, verb=verb, fleet=doors.settings.fleet, reason=reason, zone=zone, name=name)
    try:
        done = do()
    except (OutsideError, Unclear) as error:
        failure = ended(outcome="failed", detail=str(error))
        doors.tally(failure)
        remember(doors, failure)
        raise
    outcome: Literal["changed", "unchanged"] = "changed" if done.change_id else "unchanged"
    success = ended(outcome=outcome, detail=done.sentence, change_id=done.change_id)
    doors.tally(success)
    remember(doors, success)
    return done


def tell(done: Done) -> None:
    """Say what a verb did."""
    for detail in done.details:
        click.echo(f"proven: {detail}")
    click.echo(done.sentence + (f" (change {done.change_id})" if done.change_id else ""))

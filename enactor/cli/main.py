"""The command `enactor`: reading and working. The operator's verbs are in `verbs`, the sandbox's in `playground`."""

import sys
from typing import Any, get_args

import click
import msgspec

from enactor.cli import doctor, endpoint_verbs, history_of, ownership, playground, probe, running, verbs, views
from enactor.cli.build import bound_log, parts
from enactor.cli.build import enactor as build_enactor
from enactor.cli.collecting import collected
from enactor.cli.options import end, ending, settings_options, take_settings, version_option
from enactor.cli.running import REQUIRED, WORKING, what_is_missing
from enactor.cli.waiting import await_insync, timeout_option, timeout_seconds
from enactor.collect import KEEP_HOURS, KEEP_NEWEST_PLANS
from enactor.insync import Changes
from enactor.log_stream import say
from enactor.logs import person_log
from enactor.report import EXIT_FAILED, EXIT_OK, cycle_status, survey_status, worst
from enactor.swap import State

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object (see `planner schema`).")


@click.group(context_settings=CONTEXT)
@version_option
def main() -> None:
    """Keep Route 53 names on the newest plan: fenced, guarded, never empty.

    Exit status: 0 all is well, 1 something failed or is unknown, 2 wrong usage, 3 a guard or a state kept something back.
    """


@main.command()
@settings_options(*WORKING)
@click.option("--wait-insync", is_flag=True, help="Go on until Route 53 says that all that was changed is INSYNC.")
@timeout_option("--wait-insync")
@json_option
@ending("enactor")
def once(*, wait_insync: bool, timeout: str | None, as_json: bool, **flags: Any) -> None:
    """Bring every endpoint to the newest valid plan, once, within 60 seconds."""
    seconds = timeout_seconds(timeout, "--wait-insync", waits=wait_insync)
    settings = take_settings(flags, required=REQUIRED)
    if why := what_is_missing(settings):
        say(f"enactor: {why}")
    changes = Changes(person_log(bound_log(settings)))
    doors = parts(settings, changes)
    report = build_enactor(doors, by_hand=True).cycle()
    if not as_json:
        views.show_cycle(report)
    if wait_insync:
        is_insync = await_insync(doors, changes.seen, seconds)
        report = msgspec.structs.replace(report, insync=is_insync)
    if as_json:
        click.echo(msgspec.json.encode(report))
    end(worst(cycle_status(report), EXIT_FAILED if report.insync is False else EXIT_OK))


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
    report = collected(parts(settings), dry_run=dry_run, keep_newest=keep_newest, keep_hours=keep_hours)
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        views.show_collect(report)
    end(EXIT_FAILED if report.unreadable else EXIT_OK)


running.add_to(main)
verbs.add_to(main)
endpoint_verbs.add_to(main)
ownership.add_to(main)
probe.add_to(main)
history_of.add_to(main)
doctor.add_to(main)
playground.add_to(main)

if __name__ == "__main__":
    sys.exit(main())

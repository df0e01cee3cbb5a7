"""`enactor doctor`: what is wrong around an enactor, and what mends it. Changes nothing but what `--prove-cas` puts on scratch names."""

from typing import Any, Final

import click
import msgspec
from rich.text import Text

from enactor.checkup import Checkup
from enactor.cli.build import parts, utc_now
from enactor.cli.options import end, ending, settings_options, take_settings
from enactor.cli.verbs import chosen, zone_option
from enactor.cli.views import console, counted, say_lines, table
from enactor.diagnosis import DoctorReport, Severity, status_of, worst_of
from enactor.report import EXIT_FAILED
from enactor.table import table_client

LOOKED_AT: Final = ("table", "fleet", "zones", "id", "roles", "state-dir", "plan-mirror", "account-share")
STYLES: Final[dict[Severity, str]] = {"ok": "green", "note": "cyan", "warning": "yellow", "error": "bold red"}


def add_to(group: click.Group) -> None:
    """Add the command."""
    group.add_command(doctor)


@click.command()
@settings_options(*LOOKED_AT)
@zone_option
@click.option("--prove-cas", is_flag=True, help="Run the self-test of init again in each zone, on scratch names.")
@click.option("--yes", is_flag=True, help="Do not ask back before --prove-cas.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (see `planner schema`).")
@ending("enactor")
def doctor(*, zone: str | None, prove_cas: bool, yes: bool, as_json: bool, **flags: Any) -> None:
    """Look at everything an enactor needs, and say what is wrong and which command mends it.

    Permissions are tried with requests that AWS refuses as a whole: nothing is changed. Exit status: 0 nothing worse than a note,
    3 warnings, 1 errors.
    """
    settings = take_settings(flags, required=("table", "fleet") if zone else ("table", "fleet", "zones"))
    zones = chosen(settings, zone)
    if prove_cas and not yes:
        question = f"write scratch records below _fence in {', '.join(zones)}, and delete them again?"
        if not click.confirm(question, default=False, err=True):
            end(EXIT_FAILED, ["not proven; nothing was written"])
    doors = parts(settings)
    checkup = Checkup(
        settings,
        doors.session,
        doors.zones,
        doors.table,
        table_client(doors.session),
        clock=doors.clock,
        chance=doors.chance,
        wall=utc_now,
    )
    found = checkup.run(zones, prove=prove_cas)
    report = DoctorReport(fleet=settings.fleet, enactor=settings.id, worst=worst_of(found), findings=found)
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        show(report)
    end(status_of(found))


def show(report: DoctorReport) -> None:
    """Show what was found to a person, the worst first, and what to do about it."""
    out = console()
    made = table("", "check", "of", "what was seen")
    for one in report.findings:
        made.add_row(Text(one.severity, style=STYLES[one.severity]), *map(Text, (one.check, one.subject, one.message)))
    out.print(made)
    mends = [one for one in report.findings if one.mend]
    say_lines(out, (f"{one.severity}: {one.check} of {one.subject}: {one.mend}" for one in mends))
    words = {word: sum(one.severity == word for one in report.findings) for word in ("error", "warning", "note")}
    out.print(
        f"{counted(len(report.findings), 'finding')}: " + ", ".join(counted(n, word) for word, n in words.items())
    )

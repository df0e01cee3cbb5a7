"""The command that turns a hosted zone into a fleet file: import. It reads zones, and has no way to write to one or to the table."""

from typing import Any, Final

import click

from enactor.cli.options import end, session, settings_options, take_settings, told
from enactor.fence import instant_text
from enactor.hooks import Event
from enactor.outcome import ZonePort
from enactor.outside import SystemChance, SystemClock, route53_zones
from enactor.ports import OutsideError
from enactor.report import EXIT_FAILED, EXIT_KEPT_BACK, EXIT_OK
from planner.fleet_writing import fleet_text
from planner.import_file import differing, fleet_file
from planner.import_words import head, idle_patterns, lines, tail
from planner.importing import Wanted, ZoneFinding, find
from planner.options import HELP

_HELP: Final = {**HELP, "zones": "The ids of the hosted zones to import, with commas between."}


@click.command("import")
@settings_options("fleet", "zones", "roles", "account-share", help_of=_HELP)
@click.option(
    "--zone", "only", multiple=True, metavar="ID", help="A hosted zone's id; may be given again. Goes before --zones."
)
@click.option(
    "--names",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only names that match, e.g. '*.api.example.com'; may be given again.",
)
@click.option("--from-fleet", metavar="OTHER", help="Take names in too whose fence says that they are this fleet's.")
@click.option("--dated", is_flag=True, help="Say in the file when it was made; it then differs each time.")
def import_(
    *, only: tuple[str, ...], patterns: tuple[str, ...], from_fleet: str | None, dated: bool, **flags: Any
) -> None:
    """Print a fleet file of what hosted zones hold now, so that a plan of it changes no record set. Writes nothing.

    What a fleet file cannot say is left out with the whole of its name, and listed on stderr and in the file's comments:
    CNAMEs, latency, failover and geo routing, weights of 0, TTLs and routings that differ at one name, identifiers that are
    no ids, load balancers that differ by type. Record sets of other types are counted; no plan touches them.

    Then: planner check and publish; an enactor fences what stands exactly so. docs/import.md has every step.

    Exit status: 0 everything is in the file, 3 something was left out, 1 something could not be read, 2 wrong usage.
    """
    if only:
        flags["zones"] = only
    settings = take_settings(flags, required=("fleet", "zones"), program="planner")
    wanted = Wanted(fleet=settings.fleet, patterns=patterns, from_fleet=from_fleet)
    with told("planner"):
        zones = route53_zones(settings, session(), SystemClock(), SystemChance(), _unheard)
        findings = [_found(zones, zone, wanted) for zone in settings.zones]
    read = [finding for finding in findings if isinstance(finding, ZoneFinding)]
    errors = [str(error) for error in findings if isinstance(error, OutsideError)] or list(idle_patterns(read, wanted))
    if errors:
        end(EXIT_FAILED, [f"planner: {error}" for error in dict.fromkeys(errors)])
    now = zones.aws_now()
    at = instant_text(now) if dated and now is not None else None
    text = fleet_text(fleet_file(settings.fleet, read), head=head(read, wanted, at), tail=tail(read))
    if wrong := differing(text, read):
        what = "the file would not mean what the zones hold, and is not printed; report this, it is a fault"
        end(EXIT_FAILED, [*(f"planner: {one}" for one in wrong), f"planner: {what}"])
    click.echo(text, nl=False)
    status = EXIT_KEPT_BACK if any(finding.left_out for finding in read) else EXIT_OK
    end(status, [f"planner: {line}" for line in lines(read)])


def _found(zones: ZonePort, zone: str, wanted: Wanted) -> ZoneFinding | OutsideError:
    """Look at one zone; what keeps it from being read is told beside what keeps the others."""
    try:
        return find(zone, zones.zone_name(zone), zones.listing(zone), wanted)
    except OutsideError as error:
        return error


def _unheard(_: Event) -> None:
    """An import has no metrics."""

"""`enactor history`: who put which generation at an endpoint, and when. Reads the plan table and one fence; writes nothing."""

from datetime import datetime, timedelta
from typing import Any, Final

import click
import msgspec
from rich.text import Text

from enactor.cli.build import Parts, parts, place_of, utc_now
from enactor.cli.options import end, ending, seconds_of, settings_options, take_settings
from enactor.cli.verbs import zone_argument, zone_option
from enactor.cli.views import console, say_lines, table
from enactor.fence import Fence, instant_text
from enactor.history import HistoryEvent, HistoryReport, history_of, is_about, is_told
from enactor.names import NameFault, canonical
from enactor.observe import FenceReading
from enactor.ports import OutsideError
from enactor.report import EXIT_FAILED, EXIT_OK
from enactor.table_keys import EventItem

READS: Final = ("table", "fleet", "zones", "roles", "account-share")
SINCE_MAX_SECONDS: Final = 90 * 86_400.0
"""As long as events are kept."""
EVENTS_READ_MAX: Final = 5_000
"""Some megabytes: what DynamoDB gives one partition in a second or two, and the enactors need theirs."""
EVENTS_SHOWN: Final = 100
EVENTS_SHOWN_MAX: Final = 5_000


def add_to(group: click.Group) -> None:
    """Add the command."""
    group.add_command(history)


@click.command()
@settings_options(*READS)
@click.argument("name")
@zone_option
@click.option(
    "--since", default="7d", show_default=True, help="How far to look back, at most 90d: events go after that."
)
@click.option(
    "--limit",
    default=EVENTS_SHOWN,
    show_default=True,
    type=click.IntRange(1, EVENTS_SHOWN_MAX),
    help="How many events to show, the newest ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (see `planner schema`).")
@ending("enactor")
def history(*, name: str, zone: str | None, since: str, limit: int, as_json: bool, **flags: Any) -> None:
    """Say who put which generation at NAME, and when, with Route 53's change ids; and what its fence says now.

    The events come from the plan table, where enactors and people's verbs leave them, best effort: what was done while the table
    was away is lacking there. The fence is what counts. Exit status: 0, or 1 where table or zone could not be read.
    """
    seconds = seconds_of(since, "--since", lowest=1.0, highest=SINCE_MAX_SECONDS)
    only = zone_argument(zone) if zone else None
    settings = take_settings(flags, required=("table", "fleet") if only else ("table", "fleet", "zones"))
    report = _report(parts(settings), name, only, utc_now() - timedelta(seconds=seconds), limit)
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        show(report)
    end(EXIT_FAILED if report.problems else EXIT_OK)


def _report(doors: Parts, name: str, zone: str | None, since: datetime, limit: int) -> HistoryReport:
    """Read the fence and the history; where one of the two cannot be read the other is told all the same."""
    problems: list[str] = []
    reading, place, wanted = _fence_at(doors, name, zone, problems)
    fence = reading.fence if reading and isinstance(reading.fence, Fence) else None
    events: tuple[EventItem, ...] | None = None
    is_cut = False
    try:
        read = doors.table.events(since, lambda event: is_about(event, wanted, place), most=EVENTS_READ_MAX)
        events, is_cut = read.events, read.is_cut
    except OutsideError as error:
        problems.append(str(error))
    found, left_out = history_of(events or (), wanted, place, fence, most=limit)
    return HistoryReport(
        fleet=doors.settings.fleet,
        name=wanted,
        zone=place,
        since=instant_text(since),
        fence=_fields(fence),
        fence_text=" ".join(reading.record.values) if reading else None,
        events=found,
        cut=is_cut or left_out,
        told=None if fence is None or events is None else is_told(found, fence),
        problems=tuple(problems),
    )


def _fence_at(
    doors: Parts, name: str, zone: str | None, problems: list[str]
) -> tuple[FenceReading | None, str | None, str]:
    """Return the fence, the zone and the name; with Route 53 away, no fence, and the zone only where it was told."""
    try:
        place, wanted = place_of(doors, name, zone)
        return doors.zones.fences(place, doors.settings.fleet).fences.get(wanted), place, wanted
    except OutsideError as error:
        problems.append(str(error))
    try:
        return None, zone, canonical(name)
    except NameFault as fault:
        raise click.UsageError(f"{name!r} is no DNS name: {fault}") from None


def _fields(fence: Fence | None) -> dict[str, Any] | None:
    if fence is None:
        return None
    return {key: value for key, value in msgspec.to_builtins(fence).items() if value not in (None, [], (), "")}


def show(report: HistoryReport) -> None:
    """Show a history to a person."""
    out = console()
    if report.events:
        made = table("time", "what", "gen", "by", "change", "why")
        for one in report.events:
            generation = "" if one.generation is None else str(one.generation)
            cells = (one.time, _what(one), generation, _who(one), one.change_id or "", _why(one))
            made.add_row(
                *map(Text, cells)
            )  # as text: a person's reason may have brackets, which rich would take for colours
        out.print(made)
    lines = [] if report.events else [f"no event since {report.since} tells of {report.name}"]
    if report.cut:
        lines.append("older events were left out: a later --since, or a higher --limit, shows others")
    lines.append(
        f"the fence says: {report.fence_text}" if report.fence_text else "there is no fence, or it was not read"
    )
    if report.told is False:
        lines.append(
            "no event shown tells of this fence's last write: it is older, or the table was away, or was edited by hand"
        )
    say_lines(out, lines)
    say_lines(out, (f"problem: {problem}" for problem in report.problems), "red")


def _what(one: HistoryEvent) -> str:
    words = [one.verb] if one.scope == "endpoint" else [one.verb, f"({one.scope})"]
    if one.outcome not in {None, "changed"}:
        words.append(str(one.outcome))
    if one.in_force:
        words.append("in force")
    return " ".join(words)


def _who(one: HistoryEvent) -> str:
    return f"{one.by} ({one.caller})" if one.caller else one.by


def _why(one: HistoryEvent) -> str:
    """Say why it was done: a person's reason, or what the enactor found there and did about it."""
    found = f"was {one.cause}: {one.purpose} to {one.plan}, nonce {one.nonce}" if one.cause else ""
    return "; ".join(part for part in (one.reason, found, one.detail) if part)

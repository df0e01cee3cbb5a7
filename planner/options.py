"""The options that planner commands share, and what is opened with them. The settings are read as an enactor's are."""

import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import click
import msgspec
from rich.console import Console

from enactor.cli.options import end, session, settings_options, take_settings, told
from enactor.outside import SystemChance, SystemClock
from enactor.plan import Fault
from enactor.report import EXIT_FAILED, ErrorReport
from enactor.settings import VARIABLES, Settings
from enactor.table import PlanTable, table_client
from planner.looking import NoPlan
from planner.sources import Read, WrongFile, read_fleet, read_plan_file

PIPE_WIDTH_CHARACTERS: Final = 160
"""How wide tables are where no terminal says: no name is cut by a pipe."""
HELP: Final = {
    "zones": "The ids of the hosted zones to look at, with commas between (default: all that the plan names).",
    "id": "Who publishes (default: the host name, folded).",
    "metrics": "Address and port to serve /metrics, /healthz and /readyz on, e.g. 127.0.0.1:9554.",
    "account-share": "The share of the account's Route 53 requests that reads may use (default 0.5).",
}
"""What these settings mean to a planner, which writes to no zone."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
plan_option = click.option("--plan", "plan_path", metavar="PLAN.json", help="A plan file instead of a fleet file.")
source_argument = click.argument("fleet_path", metavar="FLEET.yaml", required=False)
WHOLE_MAX_DIGITS: Final = 12
"""As many as the table's keys have for a generation."""


class WholeType(click.ParamType[int]):
    """A whole number on the command line, refused in our words."""

    name = "number"

    def __init__(self, what: str, *, lowest: int = 1) -> None:
        self.what = what
        self.lowest = lowest

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        text = str(value)
        number = int(text) if re.fullmatch(f"[0-9]{{1,{WHOLE_MAX_DIGITS}}}", text) else -1
        if number < self.lowest:
            self.fail(f"{text!r} is no {self.what}, which is a whole number from {self.lowest}", param, ctx)
        return number


generation_type = WholeType("generation")


def with_settings(*keys: str, required: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the flags of some settings, and hand it the Settings as `settings`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def settled(**arguments: Any) -> Any:
            settings = take_settings(arguments, required=required, program="planner")
            return command(settings=settings, **arguments)

        return settings_options(*keys, help_of=HELP)(settled)

    return decorate


def open_table(settings: Settings, fleet: str) -> PlanTable:
    """Return a fleet's part of the plan table, through boto3's default session."""
    return PlanTable(table_client(session()), settings.table, fleet, clock=SystemClock(), chance=SystemChance())


def read_source(fleet_path: str | None, plan_path: str | None) -> Read:
    """Return the plan of the one file that was named, with its warnings."""
    if (fleet_path is None) == (plan_path is None):
        raise click.UsageError("name one file: FLEET.yaml, or --plan PLAN.json")
    return read_plan_file(plan_path) if plan_path is not None else read_fleet(fleet_path or "")


def warned_source(
    fleet_path: str | None, plan_path: str | None, *, warn: Callable[[Iterable[Fault]], None] | None = None
) -> Read:
    """Return the plan of the one file that was named; warn of what is seldom meant, on stderr where faults remain."""
    try:
        source = read_source(fleet_path, plan_path)
    except WrongFile as error:
        _warn(error.warnings)
        raise
    (warn or _warn)(source.warnings)
    return source


def _warn(warnings: Iterable[Fault]) -> None:
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


@contextmanager
def told_all(*, as_json: bool = False) -> Iterator[None]:
    """Turn what is wrong with the input, the outside or a source into an ending: exit 1, with everything that is wrong."""
    with told("planner", as_json=as_json):
        try:
            yield
        except NoPlan as error:
            lines = [*error.details, *(f"planner: {one.message}" for one in error.refusals)]
            stdout = msgspec.json.encode(ErrorReport(str(error))) if as_json else b""
            end(EXIT_FAILED, lines, stdout=stdout)


def which_fleet(fleet: str, settings: Settings) -> str | None:
    """Return that the file's fleet counts, where the settings name another one."""
    if settings.fleet in {"", fleet}:
        return None
    return f"fleet {fleet} counts, which the file names, and not {settings.fleet}, which {VARIABLES['fleet']} or the configuration names"


def say_which_fleet(fleet: str, settings: Settings) -> None:
    """Say that the file's fleet counts, where the settings name another one."""
    if what := which_fleet(fleet, settings):
        click.echo(f"planner: {what}", err=True)


def console() -> Console:
    """Return where tables for people go: as wide as the terminal, or COLUMNS, says; else wide enough for a pipe."""
    plain = Console(highlight=False)
    is_told = plain.is_terminal or os.environ.get("COLUMNS", "").isdecimal()
    return plain if is_told else Console(highlight=False, width=PIPE_WIDTH_CHARACTERS)

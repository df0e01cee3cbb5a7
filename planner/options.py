"""The options that planner commands share, the settings that come of them, and what is opened with these.

A setting is told by a flag, else by its variable, else by the file of ENACTOR_CONFIG: the same three places as an enactor's.
"""

import functools
import os
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import boto3
import click
from rich.console import Console

from enactor import yaml_text
from enactor.outside import SystemChance, SystemClock
from enactor.plan import Plan
from enactor.report import EXIT_USAGE
from enactor.settings import VARIABLES, Settings, WrongSettings, settle
from enactor.table import PlanTable, table_client
from planner.ending import end
from planner.sources import load_fleet, load_plan

PIPE_WIDTH_CHARACTERS: Final = 160
"""How wide tables are where no terminal says: no name is cut by a pipe."""
CONFIG_LIMIT_OCTETS: Final = 1_000_000
HELP: Final = {
    "table": "The plan table.",
    "fleet": "Whose plans.",
    "zones": "Hosted zone ids to look at, with commas between; default: all that the plan names.",
    "id": "Who publishes; default: the host's name.",
    "roles": "zone id=role ARN, with commas between.",
    "account-share": "The share of the account's requests that reads may use; default 0.5.",
}

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
plan_option = click.option("--plan", "plan_path", metavar="PLAN.json", help="A plan file instead of a fleet file.")
source_argument = click.argument("fleet_path", metavar="FLEET.yaml", required=False)
generation_type = click.IntRange(min=1, max=999_999_999_999)


def with_settings(*names: str, required: Iterable[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options of some settings, and hand it the Settings as `settings`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def settled(*, config: str | None, **arguments: Any) -> Any:
            flags = {name: arguments.pop(_argument(name)) for name in names}
            return command(settings=_settings(flags, config, required), **arguments)

        decorated: Callable[..., Any] = click.option(
            "--config",
            envvar="ENACTOR_CONFIG",
            metavar="FILE",
            help="Settings and guard limits (YAML).",
            show_envvar=True,
        )(settled)
        for name in reversed(names):
            text = f"{HELP[name]}  [env var: {VARIABLES[name]}]"
            decorated = click.option(f"--{name}", _argument(name), metavar=name.upper(), help=text)(decorated)
        return decorated

    return decorate


def _argument(name: str) -> str:
    return f"setting_{name.replace('-', '_')}"


def _settings(flags: dict[str, Any], config: str | None, required: Iterable[str]) -> Settings:
    try:
        settings = settle(flags, os.environ, _config(config), socket.gethostname())
    except WrongSettings as error:
        end(EXIT_USAGE, [f"planner: {fault}" for fault in error.faults])
    for name in required:
        if not getattr(settings, name):
            raise click.UsageError(f"the {name} is not set: give --{name}, or set {VARIABLES[name]}")
    return settings


def _config(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        with Path(path).open("rb") as file:
            found = yaml_text.load(file.read(CONFIG_LIMIT_OCTETS).decode("utf-8"))
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, yaml_text.YamlFaultError) as error:
        raise click.UsageError(f"{path}: {error}") from None
    if found is not None and not isinstance(found, dict):
        raise click.UsageError(f"{path}: it is no mapping of settings")
    return found or {}


def open_table(settings: Settings, fleet: str) -> PlanTable:
    """Return a fleet's part of the plan table, through boto3's default session."""
    client = table_client(boto3.session.Session())
    return PlanTable(client, settings.table, fleet, clock=SystemClock(), chance=SystemChance())


def load_source(fleet_path: str | None, plan_path: str | None) -> Plan:
    """Return the plan of the one file that was named."""
    if (fleet_path is None) == (plan_path is None):
        raise click.UsageError("name one file: FLEET.yaml, or --plan PLAN.json")
    return load_plan(plan_path) if plan_path is not None else load_fleet(fleet_path or "")


def console() -> Console:
    """Return where tables for people go: as wide as the terminal, or wide enough for a pipe."""
    plain = Console(highlight=False)
    return plain if plain.is_terminal else Console(highlight=False, width=PIPE_WIDTH_CHARACTERS)

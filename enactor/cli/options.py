"""The settings as flags, and how a command ends: the plumbing that `enactor` and `planner` share.

A user's mistake ends in sentences on stderr and the documented exit status, never in a stack trace.
"""

import functools
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import boto3
import click
import msgspec

from enactor import yaml_text
from enactor.aws_errors import PREPARING_ERRORS, outside_error
from enactor.insist import KeptBack
from enactor.ports import FormFaults, OutsideError, Stopping
from enactor.report import EXIT_FAILED, EXIT_KEPT_BACK, EXIT_USAGE, ErrorReport, FaultsReport
from enactor.settings import VARIABLES, Settings, WrongSettings, settle
from enactor.version import version_text

CONFIG_VARIABLE: Final = "ENACTOR_CONFIG"
CONFIG_LIMIT_OCTETS: Final = 1_000_000

_HELP: Final = {
    "table": "The plan table's name.",
    "fleet": "The fleet.",
    "zones": "The ids of the hosted zones it may write, with commas between.",
    "id": "This enactor's id (default: the host name, folded).",
    "roles": "Roles to assume: zone id=role ARN, with commas between.",
    "state-dir": "Where the last valid plan is kept.",
    "plan-mirror": "An S3 URL where plans are mirrored.",
    "account-share": "The share of the account's Route 53 requests and changes that the fleet's enactors use together (default 0.5).",
    "metrics": "Address and port to serve metrics, the status page and health on, e.g. 127.0.0.1:9553.",
    "critical": "Endpoints that have metrics of their own, with commas between (at most 100).",
}

Command = TypeVar("Command", bound=Callable[..., Any])


def settings_options(*keys: str, help_of: Mapping[str, str] | None = None) -> Callable[[Command], Command]:
    """Add the flags of some settings, and --config; `help_of` says what a setting means to this command where that differs."""
    words = {**_HELP, **(help_of or {})}

    def add(command: Command) -> Command:
        for key in reversed(keys):
            text = f"{words[key]}  [env: {VARIABLES[key]}]"
            command = click.option(f"--{key}", key.replace("-", "_"), default=None, help=text)(command)
        return click.option(
            "--config",
            "config",
            default=None,
            type=click.Path(dir_okay=False),
            help=f"A YAML file with settings and the guards' limits.  [env: {CONFIG_VARIABLE}]",
        )(command)

    return add


def take_settings(flags: dict[str, Any], *, required: Sequence[str] = (), program: str = "enactor") -> Settings:
    """Take the settings' flags out of a command's arguments and settle them.

    End with status 2 where they cannot be meant or something is lacking, with everything that is: a person mends a command
    line once.
    """
    told = {key: flags.pop(name) for key in VARIABLES if (name := key.replace("-", "_")) in flags}
    path = flags.pop("config", None) or os.environ.get(CONFIG_VARIABLE)
    faults: list[str] = []
    wrong: frozenset[str] = frozenset()
    file: Mapping[str, Any] = {}
    try:
        file = _config(path) if path else {}
    except _UnreadConfigError as error:
        faults.append(str(error))
    try:
        settings = settle(told, os.environ, file, socket.gethostname(), file_name=path or "")
    except WrongSettings as error:
        settings, wrong = error.settings, error.wrong
        faults += map(str, error.faults)
    lacking = [key for key in required if key not in wrong and not getattr(settings, key.replace("-", "_"))]
    faults += (f"{program}: {_lacking(key, path)}" for key in lacking)
    if faults:
        end(EXIT_USAGE, faults)
    return settings


def _lacking(key: str, path: str | None) -> str:
    """Say what is not told, and the three places to tell it in."""
    verb = "are" if key.endswith("s") else "is"
    where = (
        f"write {key} into {path}" if path else f"write {key} into the file that --config or {CONFIG_VARIABLE} names"
    )
    return f"no {key} {verb} told: give --{key} or set {VARIABLES[key]}, or {where}"


UNIT_SECONDS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of(text: str, flag: str, *, lowest: float, highest: float) -> float:
    """Return a time in seconds, from a text like 10s, 1.5m, 2h or 7d; end with status 2 where it cannot be meant."""
    try:
        seconds = float(text[:-1]) * UNIT_SECONDS[text[-1]]
    except (ValueError, KeyError, IndexError):
        end(EXIT_USAGE, [f"{flag} {text!r} is no time like 10s, 1.5m or 2h"])
    if not lowest <= seconds <= highest:
        end(EXIT_USAGE, [f"{flag} {text} is not between {_time_text(lowest)} and {_time_text(highest)}"])
    return seconds


def _time_text(seconds: float) -> str:
    unit = next(unit for unit in reversed(UNIT_SECONDS) if seconds >= UNIT_SECONDS[unit] or unit == "s")
    return f"{seconds / UNIT_SECONDS[unit]:g}{unit}"


class _UnreadConfigError(ValueError):
    """A configuration file that says nothing; the message begins with its name."""


def read_config(path: str) -> Mapping[str, Any]:
    """Return what a configuration file says; end with status 2 where it cannot be read."""
    try:
        return _config(path)
    except _UnreadConfigError as error:
        end(EXIT_USAGE, [str(error)])


def _config(path: str) -> Mapping[str, Any]:
    try:
        with Path(path).open("rb") as file:
            octets = file.read(CONFIG_LIMIT_OCTETS + 1)
    except OSError as error:
        raise _UnreadConfigError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(octets) > CONFIG_LIMIT_OCTETS:
        raise _UnreadConfigError(f"{path} is larger than {CONFIG_LIMIT_OCTETS} octets, which no configuration is")
    try:
        found = yaml_text.load(octets.decode("utf-8"))
    except (UnicodeDecodeError, yaml_text.YamlFaultError) as error:
        raise _UnreadConfigError(f"{path}: {error}") from None
    if not isinstance(found or {}, dict):
        raise _UnreadConfigError(f"{path}: it is not a mapping of settings")
    return found or {}


def session() -> boto3.Session:
    """Return boto3's default session; a wrong profile ends in a sentence."""
    try:
        return boto3.session.Session()
    except PREPARING_ERRORS as error:
        raise outside_error(error, what="preparing the AWS session", where="this machine's configuration") from error


def version_option(command: Command) -> Command:
    """Add `--version`; which commit it is is looked up only when somebody asks."""

    def show(context: click.Context, _option: click.Parameter, asked: Any) -> None:
        if asked and not context.resilient_parsing:
            click.echo(version_text())
            context.exit()

    add = click.option(
        "--version",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=show,
        help="Show the version and exit.",
    )
    return add(command)


def end(status: int, lines: Iterable[str] = (), *, stdout: bytes = b"") -> NoReturn:
    """End the command: reasons on stderr, one a line, what it has to say for machines on stdout, and the exit status."""
    if stdout:
        click.echo(stdout)
    for line in lines:
        click.echo(line, err=True)
    raise click.exceptions.Exit(status)


@contextmanager
def told(program: str, *, as_json: bool = False) -> Iterator[None]:
    """Turn what is wrong with the input or the outside into an ending, with an object on stdout where machines read it."""
    try:
        yield
    except FormFaults as error:
        lines = [str(fault).removeprefix(": ") for fault in error.faults]
        stdout = msgspec.json.encode(FaultsReport(error.faults)) if as_json else b""
        end(EXIT_FAILED, [*lines, f"{error}; nothing was done with it"], stdout=stdout)
    except Stopping:
        _failed(program, "stopped before it was done; what was sent was sent whole", as_json=as_json)
    except KeptBack as error:
        _failed(program, str(error), as_json=as_json, status=EXIT_KEPT_BACK)
    except OutsideError as error:
        _failed(program, str(error), as_json=as_json)


def _failed(program: str, why: str, *, as_json: bool, status: int = EXIT_FAILED) -> NoReturn:
    end(status, [f"{program}: {why}"], stdout=msgspec.json.encode(ErrorReport(why)) if as_json else b"")


def ending(program: str) -> Callable[[Command], Command]:
    """Wrap a command so that every error from outside ends it in a sentence, and with `--json` in an object beside it."""

    def wrap(command: Command) -> Command:
        @functools.wraps(command)
        def run(*args: Any, **kwargs: Any) -> Any:
            with told(program, as_json=bool(kwargs.get("as_json"))):
                return command(*args, **kwargs)

        return run  # type: ignore[return-value]  # functools.wraps keeps the signature that click reads

    return wrap

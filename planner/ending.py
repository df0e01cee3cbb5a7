"""How a planner command ends other than well: lines on stderr, an exit status, never a stack trace for a user's mistake."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import click
import msgspec

from enactor.plan import Fault
from enactor.ports import FormFaults, OutsideError
from enactor.report import EXIT_FAILED


class FaultsReport(msgspec.Struct, frozen=True):
    """What a command with `--json` prints where the form of its input is wrong."""

    faults: tuple[Fault, ...]


class ErrorReport(msgspec.Struct, frozen=True):
    """What a command with `--json` prints where something outside failed."""

    error: str


def end(status: int, lines: Sequence[str] = (), *, stdout: bytes = b"") -> NoReturn:
    """End the command with its reasons on stderr, and what it has to say for machines on stdout."""
    if stdout:
        click.echo(stdout)
    for line in lines:
        click.echo(line, err=True)
    raise click.exceptions.Exit(status)


@contextmanager
def told(*, as_json: bool = False) -> Iterator[None]:
    """Turn what is wrong with the input or the outside into an ending."""
    try:
        yield
    except FormFaults as error:
        lines = [str(fault).removeprefix(": ") for fault in error.faults]
        count = len(lines)
        summary = f"{error.what}: {count} fault{'s' if count > 1 else ''}; nothing was done with it"
        end(EXIT_FAILED, [*lines, summary], stdout=msgspec.json.encode(FaultsReport(error.faults)) if as_json else b"")
    except OutsideError as error:
        stdout = msgspec.json.encode(ErrorReport(str(error))) if as_json else b""
        end(EXIT_FAILED, [f"planner: {error}"], stdout=stdout)

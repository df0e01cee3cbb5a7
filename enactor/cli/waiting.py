"""What commands that wait share: their flags, and a line on the terminal that says how far it is."""

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from enactor.cli.build import Parts
from enactor.cli.options import end, seconds_of
from enactor.insync import Change, sentence, wait_insync
from enactor.report import EXIT_USAGE

TIMEOUT: Final = "5m"
TIMEOUT_MAX_SECONDS: Final = 3600.0


def timeout_option(flag: str) -> Callable[[Any], Any]:
    """Add --timeout, for the flag that makes a command wait."""
    return click.option("--timeout", default=None, metavar="TIME", help=f"How long {flag} waits (default: {TIMEOUT}).")


def timeout_seconds(text: str | None, flag: str, *, waits: bool) -> float:
    """Return what --timeout says in seconds; end with status 2 where it cannot be meant, or nothing waits."""
    if text is not None and not waits:
        end(EXIT_USAGE, [f"--timeout says how long {flag} waits: give {flag} too"])
    return seconds_of(text or TIMEOUT, "--timeout", lowest=1.0, highest=TIMEOUT_MAX_SECONDS)


def await_insync(doors: Parts, changes: Sequence[Change], seconds: float) -> bool:
    """Wait until changes are INSYNC, say on stderr what came of it, and tell whether all of them are."""
    progress = Progress()

    def tell(left: int, gone: float) -> None:
        progress(f"waiting for INSYNC: {left} of {len(changes)} changes left, {gone:.0f} s")

    waited = wait_insync(doors.zones, changes, doors.clock, seconds=seconds, tell=tell)
    progress.done()
    click.echo(f"enactor: {sentence(waited, len(changes))}", err=True)
    return not waited.left


class Progress:
    """A line on stderr that is written over, where stderr is a terminal; silent in a pipe."""

    def __init__(self) -> None:
        self._is_seen = sys.stderr is not None and sys.stderr.isatty()
        self._width = 0

    def __call__(self, line: str) -> None:
        if self._is_seen:
            click.echo(f"\r{line.ljust(self._width)}", err=True, nl=False)
            self._width = len(line)

    def done(self) -> None:
        """Leave the line."""
        if self._width:
            click.echo(err=True)
            self._width = 0

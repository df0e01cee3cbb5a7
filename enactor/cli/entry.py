"""Where the commands begin and end: no stack trace for a person's Ctrl-C, a full disk, or an output that is closed.

It imports nothing heavy itself, so that Ctrl-C in the first second ends the command like any other.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

EXIT_FAILED = 1


def enactor() -> NoReturn:
    """Run the command `enactor`."""

    def load() -> Callable[..., Any]:
        from enactor.cli.main import main  # noqa: PLC0415 - after Ctrl-C was given its plain meaning

        return main

    run("enactor", load)


def run(program: str, load: Callable[[], Callable[..., Any]]) -> NoReturn:
    """Load a command and run it to its exit status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    command = load()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.stdout is None:  # started with stdout closed: nobody reads
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - it is open for as long as the process
    try:
        try:
            command(prog_name=program)
        finally:
            sys.stdout.flush()
    except OSError as error:
        _end(program, error)
    raise SystemExit(0)


def _end(program: str, error: OSError) -> NoReturn:
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - what is left in the old one cannot be written either
    if sys.stderr is not None:
        sys.stderr.write(f"{program}: the output could not be written: {error.strerror or error}\n")
    os._exit(EXIT_FAILED)  # the interpreter's own end would try to write once more

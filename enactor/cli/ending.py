"""How a service ends that cannot go on: with one line of its log, and a status for whoever starts it again."""

from collections.abc import Callable
from typing import Any

import click

from enactor.log_capture import facts_of
from enactor.ports import OutsideError
from enactor.report import EXIT_FAILED


def crash_logged(log: Any, work: Callable[[], int]) -> int:
    """Work; what ends it ends the process with status 1 and one line of the log, for whoever starts it again.

    After a fault of this program it must not go on: what it remembers may be half of something. A new process reads everything first.
    """
    try:
        return work()
    except OutsideError as error:
        log.critical("not-started", why=str(error))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is logged as a line and ends the process
        log.critical("crashed", what="a fault of this program: start it again and report it", **facts_of(error))
    raise click.exceptions.Exit(EXIT_FAILED)

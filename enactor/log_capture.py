"""Make everything that a service would write to stderr a line of its log: libraries' warnings and what a thread dies of.

A collector that parses JSON lines drops or tears apart what is none, and that is then missing in the night when it matters.
"""

import logging
import sys
import threading
import traceback
from types import TracebackType
from typing import Any, Final

FRAMES_LOGGED_MAX: Final = 10


class _Lines(logging.Handler):
    """Hand what a library logs to our log."""

    def __init__(self, log: Any) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record as a line: a message that cannot be put together is a fault of its library and ends nothing."""
        try:
            level = self._log.error if record.levelno >= logging.ERROR else self._log.warning
            raised = record.exc_info[1] if record.exc_info else None
            facts = facts_of(raised) if raised is not None else {}
            level("library", library=record.name, message=record.getMessage(), **facts)
        except Exception:  # noqa: BLE001 - logging.Handler's own way: whoever logs must not fail for it
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name that logging calls
        """Say that a message was lost: logging would print a stack trace."""
        self._log.warning("library", library=record.name, message="a message of it could not be put together")


def facts_of(error: BaseException) -> dict[str, Any]:
    """Return what a line says of an exception: no stack trace over many lines, but where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES_LOGGED_MAX:]
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return {"why": f"{type(error).__name__}: {error}", "where": where}


def capture(log: Any) -> None:
    """From now on, until the process ends, let nothing but lines of this log reach stderr."""

    def thread_ended(found: threading.ExceptHookArgs) -> None:
        if found.exc_value is not None:
            log.error("thread-failed", thread=found.thread.name if found.thread else "", **facts_of(found.exc_value))

    def crashed(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        log.critical("crashed", **facts_of(error))

    def not_raised(found: Any) -> None:
        if found.exc_value is not None:
            log.warning("thread-failed", thread="", **facts_of(found.exc_value))

    logging.captureWarnings(capture=True)
    logging.root.handlers[:] = [_Lines(log)]
    logging.root.setLevel(logging.WARNING)
    threading.excepthook = thread_ended
    sys.excepthook = crashed
    sys.unraisablehook = not_raised

"""Write what the hooks tell as JSON lines on stderr, with bounded lines and without secrets."""

import sys
from contextlib import suppress
from typing import Any, Final, TextIO, cast

import msgspec
import structlog

from enactor.hooks import (
    BatchEnded,
    CallEnded,
    CycleEnded,
    EndpointRefused,
    Event,
    Hook,
    Noticed,
    PlanRefused,
    VerbEnded,
    ignore,
)

LEVELS: Final = {"failed": "error", "partial": "warning", "refused": "warning"}
"""How a cycle's outcome is logged; the others are no news."""
NAMES_LOGGED_MAX: Final = 20
"""A batch may hold two hundred names; a log line shows the first few and the count."""


class Unfailing:
    """A stream for the log that swallows what cannot be written: a full disk or a reader that is gone must not stop an enactor."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        """None in a process that was started with stderr closed."""

    def write(self, text: str) -> None:
        """Write, or lose the text."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.write(text)

    def flush(self) -> None:
        """Flush, or lose what was written."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.flush()


def say(line: str) -> None:
    """Say a sentence to a person on stderr, or lose it."""
    stream = Unfailing(sys.stderr)
    stream.write(f"{line}\n")
    stream.flush()


def logger(**bound: Any) -> Any:
    """Return a logger of JSON lines on stderr."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", Unfailing(sys.stderr))),
    )
    return structlog.get_logger(**bound)


def person_log(log: Any) -> Hook:
    """Return the hook of a command that a person runs: where stderr is a terminal the sentences say all that the lines would."""
    return ignore if sys.stderr is not None and sys.stderr.isatty() else EventLog(log)


class EventLog:
    """A hook that logs. Single requests are counted, not logged."""

    def __init__(self, log: Any) -> None:
        self._log = log

    def __call__(self, event: Event) -> None:
        facts = msgspec.to_builtins(event)
        match event:
            case CallEnded():
                pass
            case CycleEnded():
                getattr(self._log, LEVELS.get(event.outcome, "info"))("cycle-ended", **facts)
            case BatchEnded():
                facts["names"] = list(event.names[:NAMES_LOGGED_MAX])
                del facts["written"]  # for the history in the plan table: a line for each name is no log line
                level = self._log.info if event.outcome == "applied" else self._log.warning
                level("batch-ended", endpoints=len(event.names), **facts)
            case EndpointRefused():
                self._log.warning("endpoint-refused", **facts)
            case PlanRefused():
                self._log.warning("plan-refused", **facts)
            case VerbEnded():
                level = self._log.info if event.outcome in {"changed", "unchanged"} else self._log.warning
                level("verb-ended", **{key: fact for key, fact in facts.items() if fact is not None})
            case Noticed():
                self._log.warning(event.event, **event.facts)

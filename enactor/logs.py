"""Write what the hooks tell as JSON lines on stderr, with bounded lines and without secrets."""

import os
import select
import sys
import threading
from collections import Counter
from collections.abc import MutableMapping
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
ITEMS_LOGGED_MAX: Final = 20
"""A batch may hold two hundred names; a log line shows the first few of whatever is many."""
TEXT_LOGGED_MAX_CHARACTERS: Final = 2_000
"""No fact of a line is longer: an answer of a proxy may be a page, and a log collector cuts lines where it likes."""
REFUSALS_LOGGED_MAX: Final = 50
"""A plan that every endpoint refuses is one event and not twenty thousand; the metrics and the status page count them all."""


PATIENCE_MILLISECONDS: Final = 1_000
"""How long a reader of the log that stands still is waited for, once; then nothing waits for it until it reads again."""


class Unfailing:
    """A stream for the log that swallows what cannot be written: a full disk or a reader that is gone must not stop an enactor.

    Nor may a reader that reads no more: a write into its full pipe would never return, and a signal would not end it.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        """None in a process that was started with stderr closed."""
        self._writing = threading.Lock()
        self._patience = PATIENCE_MILLISECONDS
        self._is_torn = False
        """The last line was lost in its middle."""

    def write(self, text: str) -> None:
        """Write, or lose the text."""
        if self._stream is None:
            return
        with suppress(OSError), self._writing:
            try:
                descriptor = self._stream.fileno()
            except OSError:
                self._stream.write(text)  # no file of the system, so nothing of it blocks
            else:
                self._stream.flush()
                self._write_to(descriptor, text)

    def _write_to(self, descriptor: int, text: str) -> None:
        """Write by pieces that a pipe takes at once where it is ready for any (POSIX: PIPE_BUF), and lose the rest where it is not."""
        left = f"{chr(10) if self._is_torn else ''}{text}".encode(errors="backslashreplace")
        ready, begun = select.poll(), False
        ready.register(descriptor, select.POLLOUT)
        while left:
            if not ready.poll(self._patience):
                self._patience, self._is_torn = 0, self._is_torn or begun
                return
            left, begun = left[os.write(descriptor, left[: select.PIPE_BUF]) :], True
        self._patience, self._is_torn = PATIENCE_MILLISECONDS, False

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
            bounded,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", Unfailing(sys.stderr))),
    )
    return structlog.get_logger(**bound)


def bounded(_logger: Any, _method: str, facts: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Cut what is long in a line's facts, and say that it was cut."""
    return {key: _cut(fact) for key, fact in facts.items()}


def _cut(fact: Any) -> Any:
    match fact:
        case str() if len(fact) > TEXT_LOGGED_MAX_CHARACTERS:
            return f"{fact[:TEXT_LOGGED_MAX_CHARACTERS]}… ({len(fact)} characters)"
        case list() | tuple():
            more = [f"… ({len(fact)} in all)"] if len(fact) > ITEMS_LOGGED_MAX else []
            return [*map(_cut, fact[:ITEMS_LOGGED_MAX]), *more]
        case dict():
            return {key: _cut(value) for key, value in fact.items()}
        case _:
            return fact


def person_log(log: Any) -> Hook:
    """Return the hook of a command that a person runs: where stderr is a terminal the sentences say all that the lines would."""
    return ignore if sys.stderr is not None and sys.stderr.isatty() else EventLog(log)


class EventLog:
    """A hook that logs. Single requests are counted, not logged; a refusal that lasts is logged when it begins, not in each cycle."""

    def __init__(self, log: Any) -> None:
        self._log = log
        self._told: set[tuple[str, str, str]] = set()
        self._again: set[tuple[str, str, str]] = set()
        """What was refused in this cycle: where, what, and by which guard. The numbers of a sentence may move, that is no news."""
        self._unsaid = 0

    def __call__(self, event: Event) -> None:
        match event:
            case CallEnded():
                pass
            case CycleEnded():
                self._cycle(event)
            case BatchEnded():
                self._batch(event)
            case EndpointRefused() | PlanRefused():
                self._refused(event)
            case VerbEnded():
                level = self._log.info if event.outcome in {"changed", "unchanged"} else self._log.warning
                level(
                    "verb-ended", **{key: fact for key, fact in msgspec.to_builtins(event).items() if fact is not None}
                )
            case Noticed():
                self._log.warning(event.event, **event.facts)

    def _cycle(self, event: CycleEnded) -> None:
        if self._unsaid:
            self._log.warning("more-endpoints-refused", endpoints=self._unsaid)
        self._told, self._again, self._unsaid = self._again, set(), 0
        getattr(self._log, LEVELS.get(event.outcome, "info"))("cycle-ended", **msgspec.to_builtins(event))

    def _batch(self, event: BatchEnded) -> None:
        facts = msgspec.to_builtins(event)
        del facts["written"]  # for the history in the plan table: a line for each name is no log line
        facts["causes"] = dict(Counter(one.cause for one in event.written))
        level = self._log.info if event.outcome == "applied" else self._log.warning
        level("batch-ended", endpoints=len(event.names), **facts)

    def _refused(self, event: EndpointRefused | PlanRefused) -> None:
        place = (event.zone, event.name) if isinstance(event, EndpointRefused) else ("", str(event.generation))
        key = (*place, event.guard)
        new = key not in self._told and key not in self._again
        self._again.add(key)
        if not new:
            return
        if len(self._again - self._told) > REFUSALS_LOGGED_MAX:
            self._unsaid += 1
            return
        self._log.warning(
            "plan-refused" if isinstance(event, PlanRefused) else "endpoint-refused", **msgspec.to_builtins(event)
        )

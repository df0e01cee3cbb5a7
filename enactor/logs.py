"""Write what the hooks tell as JSON lines on stderr, with bounded lines and without secrets."""

import json
import sys
from collections import Counter
from collections.abc import Mapping, MutableMapping
from typing import Any, Final, TextIO, cast

import msgspec
import structlog

from enactor.aws_errors import without_secrets
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
from enactor.log_stream import Unfailing

LEVELS: Final = {"failed": "error", "partial": "warning", "refused": "warning"}
"""How a cycle's outcome is logged; the others are no news."""
ITEMS_LOGGED_MAX: Final = 20
"""A batch may hold two hundred names; a log line shows the first few of whatever is many."""
TEXT_LOGGED_MAX_CHARACTERS: Final = 2_000
"""No fact of a line is longer: an answer of a proxy may be a page, and a log collector cuts lines where it likes."""
KEYS_LOGGED_MAX: Final = 100
DEPTH_LOGGED_MAX: Final = 6
LINE_LOGGED_MAX_OCTETS: Final = 16_000
"""No line is longer: Docker tears lines apart at 16 KiB, and half a JSON object is no line."""
REFUSALS_LOGGED_MAX: Final = 50
"""A plan that every endpoint refuses is one event and not twenty thousand; the metrics and the status page count them all."""


def logger(**bound: Any) -> Any:
    """Return a logger of JSON lines on stderr."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            bounded,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            rendered,
        ],
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", Unfailing(sys.stderr))),
    )
    return structlog.get_logger(**bound)


def bounded(_logger: Any, _method: str, facts: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Cut what is long in a line's facts, and say that it was cut."""
    return {key: _cut(fact) for key, fact in facts.items()}


def rendered(_logger: Any, _method: str, facts: MutableMapping[str, Any]) -> str:
    """Return the line; where it would be too long its longest facts go, one by one, and say how long they were."""
    line = _as_json(facts)
    left = sorted(facts, key=lambda key: -len(_as_json(facts[key])))
    while len(line) > LINE_LOGGED_MAX_OCTETS and left:  # ends: each pass takes one fact
        longest = left.pop(0)
        facts[longest] = f"… ({len(_as_json(facts[longest]))} octets left out)"
        line = _as_json(facts)
    return line


def _as_json(fact: Any) -> str:
    return json.dumps(fact, default=str)


def _cut(fact: Any, depth: int = DEPTH_LOGGED_MAX) -> Any:
    match fact:
        case str() if (kept := without_secrets(fact)) != fact:
            return _cut(kept)
        case str() if len(fact) > TEXT_LOGGED_MAX_CHARACTERS:
            return f"{fact[:TEXT_LOGGED_MAX_CHARACTERS]}… ({len(fact)} characters)"
        case list() | tuple() | Mapping() if not depth:
            return f"… ({len(fact)} in all)"
        case list() | tuple():
            more = [f"… ({len(fact)} in all)"] if len(fact) > ITEMS_LOGGED_MAX else []
            return [*(_cut(one, depth - 1) for one in fact[:ITEMS_LOGGED_MAX]), *more]
        case Mapping():
            most = dict(list(fact.items())[:KEYS_LOGGED_MAX])
            cut = {_cut(str(key)): _cut(value, depth - 1) for key, value in most.items()}
            return cut | ({"…": f"{len(fact)} in all"} if len(fact) > KEYS_LOGGED_MAX else {})
        case None | bool() | int() | float() | str():
            return fact
        case _:
            return _cut(str(fact))


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
        usual = "warning" if event.not_answering else "info"  # an outage on hold is an outage all the same
        getattr(self._log, LEVELS.get(event.outcome, usual))("cycle-ended", **msgspec.to_builtins(event))

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

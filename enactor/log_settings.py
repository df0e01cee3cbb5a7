"""Say at the start which settings are in force: in one line, and what has very many items in as many more lines as it takes.

A line of the log shows twenty items of a list, and a worker may look after more zones than that: which ones must not be a guess.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from enactor.logs import ITEMS_LOGGED_MAX

LIST_OCTETS_MAX: Final = 2_000
"""A longer list is told in lines of its own, so that the first line holds all the rest."""
PIECE_OCTETS_MAX: Final = 8_000
"""How much of a list one of those lines takes; one item is less: names have 1,004 characters at most, role ARNs some 600."""
BY_NAME: Final = frozenset({"roles"})
"""Settings whose keys are a person's own, as many as there are."""


def say_settings(log: Any, settings: Mapping[str, Any], **facts: Any) -> None:
    """Log the event `starting`, and a `setting` for each piece of what does not fit into it."""
    pieces: list[dict[str, Any]] = []
    short = _short("", settings, pieces)
    log.info("starting", **facts, settings=short)
    for piece in pieces:
        log.info("setting", **piece)


def _short(path: str, value: Any, pieces: list[dict[str, Any]]) -> Any:
    """Return a value as the first line says it; what is too long for it goes to `pieces`."""
    if isinstance(value, Mapping) and path not in BY_NAME:
        return {key: _short(f"{path}.{key}".lstrip("."), one, pieces) for key, one in value.items()}
    if not isinstance(value, Mapping | list | tuple):
        return value
    items = [{key: one} for key, one in value.items()] if isinstance(value, Mapping) else list(value)
    if len(items) <= ITEMS_LOGGED_MAX and _octets(items) <= LIST_OCTETS_MAX:
        return value
    for first, some in _cut(items):
        pieces.append({"setting": path, "first": first, "of": len(items), "items": some})
    return f"{len(items)} items, in lines of their own"


def _cut(items: Sequence[Any]) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield pieces that a line can hold, each with the number of its first item, counted from 1."""
    begin, octets = 0, 0
    for number, item in enumerate(items):
        size = _octets(item)
        if number - begin == ITEMS_LOGGED_MAX or (number > begin and octets + size > PIECE_OCTETS_MAX):
            yield begin + 1, items[begin:number]
            begin, octets = number, 0
        octets += size
    yield begin + 1, items[begin:]


def _octets(value: Any) -> int:
    return len(json.dumps(msgspec.to_builtins(value)))

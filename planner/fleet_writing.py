"""Decide how a fleet file is written down: YAML that a person wants to keep, one load balancer and one endpoint a line.

Pure. The same file gives the same text. What some YAML reader might take for something else (a number, a date, `no`) is in quotes.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from planner.fleet_file import FleetFile

ORDER: Final = ("fleet", "zones", "defaults")
"""What a person reads first; the rest follows in the order of the format."""
_PLAIN: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*"
    r"|[0-9]{1,3}(\.[0-9]{1,3}){3}"
    r"|[0-9]+(-[A-Za-z][A-Za-z0-9_-]*|(\.[A-Za-z0-9_-]+)*\.[a-z]{2,})"
)
"""A word or a DNS name; an IPv4 address; a word or a DNS name that begins with a number."""
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""What YAML 1.1 makes a boolean or nothing of."""


def fleet_text(file: FleetFile, *, head: Sequence[str] = (), tail: Sequence[str] = ()) -> str:
    """Return a fleet file as YAML, with comments before and behind it."""
    required = {field.encode_name for field in msgspec.structs.fields(FleetFile) if field.required}
    told = {key: value for key, value in msgspec.to_builtins(file).items() if value or key in required}
    keys = [key for key in (*ORDER, *(key for key in told if key not in ORDER)) if key in told]
    blocks = [_comments(head), *(tuple(_block(key, told[key])) for key in keys), _comments(tail)]
    joined = _joined(blocks)
    return "\n".join(joined) + "\n"


def _joined(blocks: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of all blocks with an empty line between two; what fits on a line follows the line before it."""
    before: Sequence[str] = ()
    for block in filter(None, blocks):
        if before and not (block[0].startswith("fleet:") and before[0].startswith("#")):
            yield ""
        yield from block
        before = block


def _comments(lines: Iterable[str]) -> tuple[str, ...]:
    """Return comments; what could end one, and begin something else, is shown as an escape."""
    return tuple(f"# {ascii(line)[1:-1] if not line.isprintable() else line}".rstrip() for line in lines)


def _block(key: str, value: Any) -> Iterator[str]:
    if not isinstance(value, Mapping | list | tuple) or not value or _is_short(value):
        yield f"{scalar(key)}: {_flow(value)}"
        return
    yield f"{scalar(key)}:"
    if not isinstance(value, Mapping):
        yield from (f"  - {_flow(item)}" for item in value)
        return
    for inner, item in value.items():
        if isinstance(item, list | tuple) and item:
            yield f"  {scalar(inner)}:"
            yield from (f"    - {_flow(one)}" for one in item)
        else:
            yield f"  {scalar(inner)}: {_flow(item)}"


def _is_short(value: Any) -> bool:
    """Tell whether a mapping says a few plain things, as `defaults` does."""
    return isinstance(value, Mapping) and not any(
        isinstance(item, Mapping) or _holds_more(item) for item in value.values()
    )


def _holds_more(item: Any) -> bool:
    return isinstance(item, list | tuple) and any(isinstance(one, Mapping | list | tuple) for one in item)


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return scalar(value)


def scalar(value: Any) -> str:
    """Return a text, a number or a flag as YAML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    assert isinstance(value, str), "a fleet file holds text, numbers and flags"
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if "\\" in value and "'" not in value and value.isprintable() and value.isascii():
        return f"'{value}'"  # the escapes of a name stay as people know them
    return json.dumps(value).replace("\x7f", "\\u007f")

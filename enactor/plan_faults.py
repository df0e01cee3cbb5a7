"""Decide whether a piece of untrusted input has the form it should have: typed readers that note a fault instead of raising.

Pure. Shared by the plan file's reader and the fleet file's. A reader never stops at the first fault: a person mends a file
once, not once for each mistake in it. Nothing here may raise for any input, and no message repeats more than a short piece of it.
"""

import ipaddress
import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from enactor import names
from enactor.plan import Fault

SHOWN_MAX_CHARACTERS: Final = 80
"""How much of a wrong value a message repeats."""
HEALTH_CHECK_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
"""Route 53's HealthCheckId: at most 64 characters."""
ADDRESSES_REMEMBERED: Final = 65_536
FENCE_GROWTH_OCTETS: Final = len(names.FENCE_LABEL) + 1
"""A fence's name is the endpoint's with one more label."""
WILDCARD_GROWTH_OCTETS: Final = len(names.WILDCARD_LABEL) - len("*")
"""... and a wildcard's own label becomes a word."""
NAME_TEXT_MAX_CHARACTERS: Final = 4 * names.NAME_LIMIT_OCTETS
"""The longest spelling of the longest name: every octet as an escape. What is longer is no name, and no message repeats it."""
LONG_INTEGER_BITS: Final = 1024
"""Python refuses to write out an integer of many digits; in base 16 it writes any."""
_SPACE: Final = re.compile(r"[\x00-\x20\x7f]")
"""What nobody means in a DNS name unless it is written as an escape."""


class Doubled(dict[str, Any]):
    """A JSON object in which keys stood twice."""

    def __init__(self, pairs: Iterable[tuple[str, Any]], twice: Sequence[str]) -> None:
        super().__init__(pairs)
        self.twice = tuple(twice)


class Unreadable:
    """What stands in a file where a value should: the text that it has there, and what that is instead."""

    def __init__(self, text: str, word: str) -> None:
        self.text = text if len(text) <= SHOWN_MAX_CHARACTERS else text[: SHOWN_MAX_CHARACTERS - 3] + "..."
        self.word = word

    def __repr__(self) -> str:
        return self.text


class Faults:
    """The faults found so far, in the order in which the file is read."""

    def __init__(self) -> None:
        self._found: list[Fault] = []

    def add(self, path: str, message: str, guard: str = "malformed") -> None:
        self._found.append(Fault(path=path, message=message, guard=guard))

    def extend(self, faults: Sequence[Fault]) -> None:
        self._found.extend(faults)

    def all(self) -> tuple[Fault, ...]:
        return tuple(self._found)

    def __len__(self) -> int:
        return len(self._found)


class _Short(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        return hex(x) if x.bit_length() > LONG_INTEGER_BITS else super().repr_int(x, level)


_SHORT: Final = _Short()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 2, SHOWN_MAX_CHARACTERS, SHOWN_MAX_CHARACTERS
_WORDS: Final = {True: "true", False: "false", None: "null"}


def shown(value: object) -> str:
    """Return a value as a message shows it: text in double quotes, everything else as JSON would write it, shortened."""
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    text = ascii(_SHORT.repr(value))[1:-1] if not isinstance(value, str) else _quoted(value)
    return text if len(text) <= SHOWN_MAX_CHARACTERS else text[: SHOWN_MAX_CHARACTERS - 3] + "..."


def _quoted(text: str) -> str:
    short = text if len(text) <= SHOWN_MAX_CHARACTERS // 2 else text[: SHOWN_MAX_CHARACTERS // 2] + "..."
    return '"' + ascii(short)[1:-1].replace("\\\\", "\\") + '"'


def type_word(value: object) -> str:
    """Return what a value is, in the words of JSON and YAML."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, Unreadable):
        return value.word
    words: dict[type, str] = {str: "text", int: "a number", float: "a number", dict: "an object", list: "a list"}
    return next((word for kind, word in words.items() if isinstance(value, kind)), "null" if value is None else "odd")


def read_object(
    value: object, path: str, faults: Faults, *, required: Sequence[str] = (), optional: Sequence[str] = ()
) -> Mapping[str, Any] | None:
    """Return the object with its missing, unknown and doubled keys noted, or None where it is none."""
    if not isinstance(value, dict):
        faults.add(path, f"{shown(value)} is {type_word(value)}, not an object")
        return None
    for key in getattr(value, "twice", ()):
        faults.add(_join(path, key), "the key stands twice", "duplicate")
    for key in value:
        if key not in required and key not in optional:
            known = ", ".join((*required, *optional))
            faults.add(_join(path, key), f"unknown key; known are {known}")
    for key in required:
        if key not in value:
            faults.add(_join(path, key), "missing")
    return value


def _join(path: str, key: object) -> str:
    text = key if isinstance(key, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", key) else shown(key)
    return f"{path}.{text}" if path else text


def read_list(value: object, path: str, faults: Faults) -> list[Any] | None:
    if isinstance(value, list):
        return value
    faults.add(path, f"{shown(value)} is {type_word(value)}, not a list")
    return None


def read_text(value: object, path: str, faults: Faults) -> str | None:
    if isinstance(value, str):
        return value
    faults.add(path, f"{shown(value)} is {type_word(value)}, not text{_hint(value)}")
    return None


def _hint(value: object) -> str:
    return "; put it in quotes" if isinstance(value, int | float) else ""


def read_matching(value: object, path: str, faults: Faults, pattern: str) -> str | None:
    text = read_text(value, path, faults)
    if text is None or re.fullmatch(pattern.removesuffix("$"), text):
        return text
    faults.add(path, f"{shown(text)} does not match {pattern.strip('^$')}")
    return None


def read_choice(value: object, path: str, faults: Faults, choices: Sequence[str]) -> str | None:
    if isinstance(value, str) and value in choices:
        return value
    faults.add(path, f"{shown(value)} is none of {', '.join(choices)}")
    return None


def read_flag(value: object, path: str, faults: Faults) -> bool | None:
    if isinstance(value, bool):
        return value
    faults.add(path, f"{shown(value)} is {type_word(value)}, not true or false")
    return None


def read_whole(value: object, path: str, faults: Faults, low: int, high: int, *, guard: str = "limit") -> int | None:
    """Return a whole number between two limits; `guard` is what refuses one outside of them at an enactor."""
    if isinstance(value, bool) or not isinstance(value, int):
        faults.add(path, f"{shown(value)} is {_not_whole(value)}, not a whole number from {low} to {high}")
    elif value > high:
        faults.add(path, f"{shown(value)} is over {high}", guard)
    elif value < low:
        faults.add(path, f"{shown(value)} is under {low}", guard)
    else:
        return value
    return None


def _not_whole(value: object) -> str:
    return "a number with a point" if isinstance(value, float) else type_word(value)


def read_name(value: object, path: str, faults: Faults) -> str | None:
    """Return the canonical spelling of a DNS name."""
    text = read_text(value, path, faults)
    if text is None or _has_space(text, path, faults):
        return None
    if len(text) > NAME_TEXT_MAX_CHARACTERS:
        what = f"it has {len(text)} characters, and a name at most {names.NAME_LIMIT_OCTETS} octets"
        faults.add(path, f"{shown(text)} is no DNS name: {what}")
        return None
    try:
        return names.canonical(text)
    except names.NameFault as fault:
        faults.add(path, f"{shown(text)} is no DNS name: {_bounded(str(fault))}")
        return None


def _bounded(words: str) -> str:
    """Cut the middle out of what is longer than any name: octets shown as escapes take ten times their room."""
    if len(words) <= NAME_TEXT_MAX_CHARACTERS:
        return words
    return f"{words[:SHOWN_MAX_CHARACTERS]}...{words[-SHOWN_MAX_CHARACTERS:]}"


def _has_space(text: str, path: str, faults: Faults) -> bool:
    """Note a space: DNS can carry one and `names` reads it, but who types it into a file has made a mistake."""
    found = _SPACE.search(text)
    if found is None:
        return False
    what = "a space" if found.group() == " " else f"the character {found.group()!a}"
    advice = f"write \\{ord(found.group()):03o} if that is meant"
    faults.add(path, f"{shown(text)} is no DNS name: it has {what} in it; {advice}")
    return True


def read_endpoint_name(value: object, path: str, faults: Faults) -> str | None:
    """Return the canonical name of an endpoint: a DNS name whose fence has a name too."""
    name = read_name(value, path, faults)
    if name is None:
        return None
    reserved = names.reserved_label(name)
    if reserved is not None:
        faults.add(path, f"label {shown(reserved)} of {shown(name)} belongs to fences, switches and self-tests")
    octets = names.octet_length(name) + FENCE_GROWTH_OCTETS + (WILDCARD_GROWTH_OCTETS if name.startswith("*.") else 0)
    if octets > names.NAME_LIMIT_OCTETS:
        faults.add(path, f"the name of its fence would take {octets} octets, over {names.NAME_LIMIT_OCTETS}", "limit")
        return None
    return name if reserved is None else None


def read_zone(value: object, path: str, faults: Faults) -> str | None:
    """Return a hosted zone's id. A name is refused: a public and a private zone may share one (case 61)."""
    text = read_text(value, path, faults)
    if text is None:
        return None
    zone = names.hosted_zone_id(text)
    if zone is not None:
        return zone
    why = "looks like a name; a zone is given by its id" if "." in text else "is no hosted zone id"
    faults.add(path, f"{shown(text)} {why}")
    return None


def read_address(value: object, path: str, faults: Faults, record_type: str | None) -> str | None:
    """Return an address in the spelling of RFC 5952; one of another family than its type wants is noted, and is known still."""
    text = read_text(value, path, faults)
    if text is None:
        return None
    address = read_any_address(text, path, faults)
    if address is None:
        return None
    version, wanted = ("IPv4", "A") if ":" not in address else ("IPv6", "AAAA")
    if record_type is not None and record_type != wanted:
        faults.add(path, f"{shown(text)} is an {version} address, which type {record_type} cannot hold")
    return address


def read_any_address(text: str, path: str, faults: Faults) -> str | None:
    """Return an address of either family in canonical spelling."""
    address, why = _address(text)
    if address is None:
        faults.add(path, f"{shown(text)} {why}")
    return address


@lru_cache(maxsize=ADDRESSES_REMEMBERED)
def _address(text: str) -> tuple[str | None, str]:
    """Return the canonical spelling, or None and why there is none. Endpoints share pools, so addresses come again and again.

    A scope means nothing in DNS. An IPv4-mapped address reaches nobody over IPv6, and Python versions spell it differently,
    so that a plan's digest would depend on the machine.
    """
    try:
        address = ipaddress.IPv6Address(text) if ":" in text else ipaddress.IPv4Address(text)
    except ValueError as error:
        why = "leading zeros are read as octal by some" if "Leading zeros" in str(error) else "it does not parse"
        return None, f"is no IPv4 or IPv6 address: {why}"
    if isinstance(address, ipaddress.IPv6Address) and address.scope_id is not None:
        return None, "has a scope, which DNS cannot carry"
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return None, f"is an IPv4-mapped address; write {address.ipv4_mapped} as type A"
    return str(address), ""

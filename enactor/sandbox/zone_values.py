"""Decide whether a record's value is well formed, and when two values are the same. Pure.

Faults are worded as Route 53 words them; a message is the whole of what a caller may rest on.
"""

from collections.abc import Callable, Mapping
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from enactor.sandbox import zone_names

VALUE_MAX_CHARACTERS = 4_000
CHARACTER_STRING_MAX_OCTETS = 255
HOST_TYPES = frozenset({"CNAME", "NS", "PTR"})
TEXT_TYPES = frozenset({"TXT", "SPF"})
ESCAPE_DIGITS = 3


class BadValueError(ValueError):
    """Say why a value is refused, in the words Route 53 uses."""


def check_value(record_type: str, value: str) -> None:
    """Raise a BadValueError when a value cannot stand in a record set of this type."""
    if len(value) > VALUE_MAX_CHARACTERS:
        raise _fault("RRDATATooLong", "Value is too long", value)
    if value == "":
        raise _fault("RRDATAEmpty", "Value is empty", value)
    check = CHECKS.get(record_type)
    if check is not None:
        check(value)


def comparable(record_type: str, value: str) -> object:
    """Return what stands for a value in comparisons: two values are one record when these are equal."""
    if record_type in HOST_TYPES:
        return zone_names.folded(value)
    if record_type in TEXT_TYPES:
        return text_strings(value)
    if record_type == "AAAA":
        return IPv6Address(value)
    return value


def text_strings(value: str) -> tuple[bytes, ...]:
    """Parse a TXT value into its strings: quoted, divided by blanks, each at most 255 octets."""
    strings: list[bytes] = []
    at = 0
    while at < len(value):
        if value[at] in " \t":
            at += 1
            continue
        string, at = _quoted_string(value, at)
        strings.append(string)
    if not strings:
        raise _unquoted(value)
    return tuple(strings)


def _quoted_string(value: str, at: int) -> tuple[bytes, int]:
    if value[at] != '"':
        raise _unquoted(value)
    out = bytearray()
    at += 1
    while at < len(value) and value[at] != '"':
        octet, width = _text_octet(value, at)
        out.append(octet)
        at += width
    if at >= len(value):
        raise _unquoted(value)
    if len(out) > CHARACTER_STRING_MAX_OCTETS:
        raise _fault("CharacterStringTooLong", "Value is too long", value)
    return bytes(out), at + 1


def _text_octet(value: str, at: int) -> tuple[int, int]:
    char, width = value[at], 1
    if char == "\\":
        digits = value[at + 1 : at + 1 + ESCAPE_DIGITS]
        if len(digits) == ESCAPE_DIGITS and all(d in "01234567" for d in digits) and int(digits, 8) < 256:
            return int(digits, 8), 1 + ESCAPE_DIGITS
        if at + 1 >= len(value):
            raise _unquoted(value)
        char, width = value[at + 1], 2
    if not " " <= char <= "~":
        raise _fault("UnsupportedCharacter", "Value contains unsupported characters", value)
    return ord(char), width


def _check_ipv4(value: str) -> None:
    try:
        IPv4Address(value)
    except AddressValueError as error:
        raise _fault("ARRDATAIllegalIPv4Address", "Value is not a valid IPv4 address", value) from error


def _check_ipv6(value: str) -> None:
    try:
        address = IPv6Address(value)
    except AddressValueError as error:
        raise _fault("AAAARRDATAIllegalIPv6Address", "Value is not a valid IPv6 address", value) from error
    if address.scope_id is not None:
        raise _fault("AAAARRDATAIllegalIPv6Address", "Value is not a valid IPv6 address", value)


def _check_host(value: str) -> None:
    try:
        parts = zone_names.labels(value)
    except zone_names.BadNameError as error:
        raise BadValueError(f"Invalid Resource Record: {error}") from error
    if not parts:
        raise _fault("DomainLabelEmpty", "Domain label is empty", value)


def _check_text(value: str) -> None:
    text_strings(value)


def _unquoted(value: str) -> BadValueError:
    return _fault("InvalidCharacterString", "Value should be enclosed in quotation marks", value)


def _fault(problem: str, meaning: str, value: str) -> BadValueError:
    return BadValueError(f"Invalid Resource Record: FATAL problem: {problem} ({meaning}) encountered with '{value}'")


CHECKS: Mapping[str, Callable[[str], None]] = {
    "A": _check_ipv4,
    "AAAA": _check_ipv6,
    "CNAME": _check_host,
    "NS": _check_host,
    "PTR": _check_host,
    "TXT": _check_text,
    "SPF": _check_text,
}

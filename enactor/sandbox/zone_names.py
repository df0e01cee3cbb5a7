r"""Decide how a DNS name is spelled, ordered and placed. Pure; must never import the enactor's own name code.

Route 53 gives names back in lower case, with a trailing dot, every octet outside ``a-z 0-9 - _`` as ``\ooo``.
https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DomainNameFormat.html
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

LABEL_MAX_OCTETS = 63
NAME_MAX_OCTETS = 255
NAME_CACHE_ENTRIES = 65_536
PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
ESCAPE_DIGITS = 3
WILDCARD_LABEL = b"*"


class BadNameError(ValueError):
    """Say why a text is no domain name, in the words Route 53 uses."""


@lru_cache(maxsize=NAME_CACHE_ENTRIES)
def labels(name: str) -> tuple[bytes, ...]:
    """Split a name into lower-case labels; escapes are resolved, the trailing dot is optional."""
    text = name.removesuffix(".")
    if text == "":
        return ()
    found = tuple(_octets(part, name) for part in text.split("."))
    _check_lengths(found, name)
    return found


@lru_cache(maxsize=NAME_CACHE_ENTRIES)
def canonical(name: str) -> str:
    """Spell a name as Route 53 gives it back."""
    return spell(labels(name))


def spell(parts: Iterable[bytes]) -> str:
    """Join labels into a canonical name."""
    joined = ".".join("".join(_escaped(octet) for octet in part.lower()) for part in parts)
    return f"{joined}."


def folded(name: str) -> str:
    """Spell a host value for comparison; a text that is no name compares as it stands, in lower case."""
    try:
        return canonical(name)
    except BadNameError:
        return name.lower()


@lru_cache(maxsize=NAME_CACHE_ENTRIES)
def order_key(name: str) -> str:
    """Return the text by which Route 53 orders names: labels reversed, trailing dot kept, octets unescaped.

    The dot matters: ``-`` sorts before it, so ``a-b.example.`` comes before ``c.a.example.``. A dot within a label stays
    escaped: no two names have one key.
    """
    texts = (part.decode("latin-1").replace("\\", "\\134").replace(".", "\\056") for part in reversed(labels(name)))
    return "".join(text + "." for text in texts)


def is_within(name: str, zone_name: str) -> bool:
    """Tell whether a canonical name is the zone's apex or below it: whole labels, so never ``evilexample.com.``."""
    return name == zone_name or name.endswith(f".{zone_name}") or zone_name == "."


def parent(name: str) -> str:
    """Return the canonical name one label up."""
    return spell(labels(name)[1:])


def wildcard_of(name: str) -> str:
    """Return the canonical wildcard directly below a name."""
    return spell((WILDCARD_LABEL, *labels(name)))


def _escaped(octet: int) -> str:
    return chr(octet) if octet in PLAIN else f"\\{octet:03o}"


def _octets(part: str, name: str) -> bytes:
    if part == "":
        raise BadNameError(f"FATAL problem: DomainLabelEmpty (Domain label is empty) encountered with '{name}'")
    out = bytearray()
    at = 0
    while at < len(part):
        octet, width = _next_octet(part, at, name)
        out.append(octet)
        at += width
    return bytes(out).lower()


def _next_octet(part: str, at: int, name: str) -> tuple[int, int]:
    char = part[at]
    if char == "\\":
        digits = part[at + 1 : at + 1 + ESCAPE_DIGITS]
        if len(digits) == ESCAPE_DIGITS and all(d in "01234567" for d in digits) and int(digits, 8) < 256:
            return int(digits, 8), 1 + ESCAPE_DIGITS
        raise _unsupported(name)
    if not " " < char <= "~":
        raise _unsupported(name)
    return ord(char), 1


def _unsupported(name: str) -> BadNameError:
    return BadNameError(
        f"FATAL problem: UnsupportedCharacter (Value contains unsupported characters) encountered with '{name}'"
    )


def _check_lengths(parts: Sequence[bytes], name: str) -> None:
    if any(len(part) > LABEL_MAX_OCTETS for part in parts):
        raise BadNameError(f"FATAL problem: DomainLabelTooLong (Domain label is too long) encountered with '{name}'")
    if sum(len(part) + 1 for part in parts) + 1 > NAME_MAX_OCTETS:
        raise BadNameError(f"FATAL problem: DomainNameTooLong (Domain name is too long) encountered with '{name}'")

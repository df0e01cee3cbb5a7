r"""Decide what a DNS name is: canonical form, the fence's name of an endpoint and back, and the order of a Route 53 listing.

Pure. One name has one spelling everywhere inside: lower case, trailing dot, `*` for a wildcard's first label, and every other
octet outside a-z 0-9 - _ as `\ooo`, which is how Route 53 writes names back (Route 53 developer guide, "DNS domain name format").
"""

import re
from typing import Final

NAME_LIMIT_OCTETS: Final = 255
"""RFC 1035 section 2.3.4: a whole name, length octets and the root included."""
LABEL_LIMIT_OCTETS: Final = 63
"""RFC 1035 section 2.3.4."""

FENCE_LABEL: Final = "_fence"
APEX_LABEL: Final = "_apex"
WILDCARD_LABEL: Final = "_wildcard"
SELFTEST_PREFIX: Final = "_selftest-"
SWITCH_PREFIX: Final = "_switch-"

_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_ESCAPE: Final = re.compile(r"\\([0-3][0-7]{2})")
IDENTIFIER: Final = re.compile(r"[a-z0-9-]{1,32}")
"""What a fleet or an enactor may be called."""
HOSTED_ZONE_PREFIX: Final = "/hostedzone/"
_ZONE_ID: Final = re.compile(r"[A-Z0-9]{1,32}")
"""Route 53's ResourceId: at most 32 characters, capitals and digits in every id it has given out."""


class NameFault(ValueError):  # noqa: N818 - a fault of input, like Fault
    """A text that is no DNS name; the message says what is wrong with it."""


def canonical(text: str) -> str:
    r"""Return the one spelling of a fully qualified name, given in any case, with or without trailing dot, `*` or `\052`."""
    octets = [_octets(label) for label in _labels(text)]
    if 1 + sum(len(label) + 1 for label in octets) > NAME_LIMIT_OCTETS:
        raise NameFault(f"{text!r} is longer than {NAME_LIMIT_OCTETS} octets")
    return ".".join(_spell(label, first=index == 0) for index, label in enumerate(octets)) + "."


def _labels(text: str) -> list[str]:
    body = text[:-1] if text.endswith(".") and not text.endswith("\\.") else text
    if not body:
        raise NameFault("the name is empty")
    return body.split(".")


def _octets(label: str) -> bytes:
    if not label.isascii():
        raise NameFault(f"label {label!r} is not ASCII; write it in punycode (xn--...)")
    plain = _ESCAPE.sub(lambda found: chr(int(found.group(1), 8)), label)
    octets = plain.encode("latin-1").lower()
    if "\\" in _ESCAPE.sub("", label):
        raise NameFault(f"label {label!r} has a backslash that starts no three-digit octal escape")
    if not octets:
        raise NameFault("a label is empty")
    if len(octets) > LABEL_LIMIT_OCTETS:
        raise NameFault(f"label {label!r} is longer than {LABEL_LIMIT_OCTETS} octets")
    return octets


def _spell(octets: bytes, *, first: bool) -> str:
    if first and octets == b"*":
        return "*"
    return "".join(chr(octet) if octet in _PLAIN else f"\\{octet:03o}" for octet in octets)


def bare_zone_id(text: str) -> str:
    """Return a hosted zone's id without the path that some AWS answers put before it."""
    return text.removeprefix(HOSTED_ZONE_PREFIX)


def hosted_zone_id(text: str) -> str | None:
    """Return the hosted zone's id that a text gives, with or without its path, or None where it gives none.

    A zone is never given by its name: a public and a private zone may share one.
    """
    bare = bare_zone_id(text)
    return bare if _ZONE_ID.fullmatch(bare) else None


def escaped(name: str) -> str:
    r"""Return a canonical name as Route 53 lists it: the wildcard as `\052`."""
    return "\\052" + name[1:] if name.startswith("*") else name


def is_within(name: str, zone_name: str) -> bool:
    """Tell whether a canonical name is the zone's apex or below it: `evilexample.com.` is not within `example.com.`."""
    return name == zone_name or name.endswith("." + zone_name)


def parents(name: str) -> list[str]:
    """Return the names above a canonical name, nearest first, the root left out."""
    labels = name.split(".")
    return [".".join(labels[index:]) for index in range(1, len(labels) - 1)]


def octet_length(name: str) -> int:
    """Return how many octets a canonical name takes on the wire, the root included (RFC 1035 section 3.1)."""
    return len(_ESCAPE.sub("?", name)) + 1


def reserved_label(name: str) -> str | None:
    """Return the first label of a canonical name that belongs to fences, switches or self-tests, or None."""
    for label in name.split("."):
        if label in {FENCE_LABEL, APEX_LABEL, WILDCARD_LABEL} or label.startswith((SELFTEST_PREFIX, SWITCH_PREFIX)):
            return label
    return None


def fence_base(zone_name: str) -> str:
    """Return the name under which every fence and switch of a zone lies: one range of the listing."""
    return f"{FENCE_LABEL}.{zone_name}"


def switch_name(fleet: str, zone_name: str) -> str:
    """Return the name of a fleet's switch in a zone."""
    return f"{SWITCH_PREFIX}{fleet}.{fence_base(zone_name)}"


def fence_name(name: str, zone_name: str) -> str:
    """Return the fence's name for an endpoint: `api.example.com.` has `api._fence.example.com.`.

    The wildcard's own label would make its fence a wildcard too, and the apex has no label of its own: both get a word.
    """
    if name == zone_name:
        return f"{APEX_LABEL}.{fence_base(zone_name)}"
    if not is_within(name, zone_name):
        raise NameFault(f"{name} is not within zone {zone_name}")
    relative = name[: -len(zone_name)]
    if relative.startswith("*."):
        relative = WILDCARD_LABEL + relative[1:]
    return relative + fence_base(zone_name)


def name_of_fence(fence: str, zone_name: str) -> str | None:
    """Return the endpoint whose fence has this name, or None where the name is no endpoint's fence (a switch, a self-test)."""
    base = "." + fence_base(zone_name)
    if not fence.endswith(base):
        return None
    relative = fence[: -len(base)]
    if relative == APEX_LABEL:
        return zone_name
    if relative == WILDCARD_LABEL or relative.startswith(WILDCARD_LABEL + "."):
        relative = "*" + relative[len(WILDCARD_LABEL) :]
    return None if reserved_label(relative + ".") else f"{relative}.{zone_name}"

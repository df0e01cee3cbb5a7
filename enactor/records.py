"""Decide what a record set says: canonical form, comparison, kinds, content and its digest.

Pure. A RecordSet keeps what was observed to the letter, because Route 53 wants a DELETE to give the set exactly as it stands;
comparing goes through `canonical_set`. Attributes that a plan cannot say (failover, latency, geo ...) ride along in `extra`,
so that a set is never re-created without them.
"""

import hashlib
import ipaddress
import re
from collections.abc import Iterable
from typing import Final, Literal, get_args

import msgspec

from enactor import names

ManagedType = Literal["A", "AAAA", "CNAME"]
MANAGED_TYPES: Final[tuple[ManagedType, ...]] = get_args(ManagedType)

Kind = Literal["v4", "v6"]
KINDS_OF_TYPE: Final[dict[str, frozenset[Kind]]] = {
    "A": frozenset({"v4"}),
    "AAAA": frozenset({"v6"}),
    "CNAME": frozenset({"v4", "v6"}),
}
"""What a client that asks for an address gets from a set of each type; a CNAME answers both questions."""

_TXT_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_TXT_ESCAPE: Final = re.compile(r"\\([0-3][0-7]{2}|.)")
DIGEST_DIGITS: Final = 12


class Alias(msgspec.Struct, frozen=True, order=True):
    """Where an alias set points: a name in a hosted zone, and whether the target's health counts."""

    name: str
    zone: str
    evaluate_target_health: bool


class RecordSet(msgspec.Struct, frozen=True, kw_only=True):
    """One Route 53 resource record set. `ttl` is in seconds and None for an alias; `weight` is None unless weighted."""

    name: str
    type: str
    set_identifier: str | None = None
    ttl: int | None = None
    weight: int | None = None
    multivalue: bool = False
    values: tuple[str, ...] = ()
    alias: Alias | None = None
    health_check: str | None = None
    extra: str = ""
    """Canonical JSON of the attributes a plan cannot say, empty where there are none."""

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what makes a set one set in its zone: name, type, identifier."""
        return (self.name, self.type, self.set_identifier or "")

    @property
    def serves(self) -> bool:
        """Tell whether the set can be answered at all: weight 0 gets no traffic while any other has some."""
        return self.weight is None or self.weight > 0


Content = tuple[RecordSet, ...]
"""The canonical record sets of one endpoint, sorted by key."""


def canonical_value(record_type: str, value: str) -> str:
    """Return the one spelling of a value: addresses as RFC 5952, host names folded, TXT by the strings it holds."""
    if record_type == "TXT":
        return "".join(txt_quote(part) for part in txt_strings(value) or ()) or value
    if record_type in {"A", "AAAA"}:
        return _canonical_address(value)
    if record_type == "CNAME":
        try:
            return names.canonical(value.strip())
        except names.NameFault:
            return value
    return value


def _canonical_address(value: str) -> str:
    """Return an address as RFC 5952 writes it, in one spelling on every Python version, or the value where it is none.

    An address with a scope is none: DNS cannot carry it.

    Section 5: an IPv4-mapped address ends in dotted decimals. Python writes it so from 3.13 on, and in hex before; a digest
    that went by `str` would differ between two enactors.
    """
    if "%" in value:
        return value
    try:
        address = ipaddress.ip_address(value.strip())
    except ValueError:
        return value
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(address) if mapped is None else f"::ffff:{mapped}"


def txt_strings(value: str) -> tuple[str, ...] | None:
    """Return the strings of one TXT value (`"a" "b"` is two), or None where it is not a row of quoted strings."""
    parts: list[str] = []
    rest = value.strip()
    while rest:
        found = _TXT_STRING.match(rest)
        if found is None:
            return None
        parts.append(_TXT_ESCAPE.sub(_unescape, found.group(1)))
        rest = rest[found.end() :].lstrip()
    return tuple(parts) or None


def _unescape(found: re.Match[str]) -> str:
    text = found.group(1)
    return chr(int(text, 8)) if len(text) == 3 else text


def txt_quote(text: str) -> str:
    """Return a text as one quoted TXT string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def canonical_set(record: RecordSet) -> RecordSet:
    """Return the set in the form in which two sets are equal when Route 53 would answer the same from them.

    Values are a set without order, an alias has no TTL of its own, and `dualstack.` is part of a name like any other label.
    """
    alias = record.alias and Alias(_folded(record.alias.name), record.alias.zone, record.alias.evaluate_target_health)
    return msgspec.structs.replace(
        record,
        name=_folded(record.name),
        ttl=None if alias else record.ttl,
        values=tuple(sorted({canonical_value(record.type, value) for value in record.values})),
        alias=alias,
    )


def _folded(name: str) -> str:
    try:
        return names.canonical(name)
    except names.NameFault:
        return name.lower()


def same(one: RecordSet, other: RecordSet) -> bool:
    """Tell whether two sets say the same."""
    return canonical_set(one) == canonical_set(other)


def content_of(sets: Iterable[RecordSet]) -> Content:
    """Return the content that these sets make: the managed ones, canonical, sorted."""
    return tuple(
        sorted(
            (canonical_set(record) for record in sets if record.type in MANAGED_TYPES), key=lambda record: record.key
        )
    )


def content_digest(content: Content) -> str:
    """Return the first 12 hex digits of sha256 over the content's canonical JSON, the same from a plan and a live zone."""
    text = msgspec.json.encode(content, order="sorted")
    return hashlib.sha256(text).hexdigest()[:DIGEST_DIGITS]


def kinds_of(sets: Iterable[RecordSet]) -> frozenset[Kind]:
    """Return the kinds that have at least one set."""
    return frozenset(kind for record in sets for kind in KINDS_OF_TYPE.get(record.type, frozenset[Kind]()))


def kinds_served(sets: Iterable[RecordSet]) -> frozenset[Kind]:
    """Return the kinds that have at least one set of non-zero weight."""
    return kinds_of(record for record in sets if record.serves)


class Difference(msgspec.Struct, frozen=True):
    """What leads from one group of sets to another: `deletes` as observed, `creates` as wanted, `kept` untouched."""

    deletes: tuple[RecordSet, ...]
    creates: tuple[RecordSet, ...]
    kept: tuple[RecordSet, ...]


def difference(observed: Iterable[RecordSet], wanted: Content) -> Difference:
    """Compare what stands with what is wanted, set by set, in canonical form; a changed set is a DELETE and a CREATE."""
    before = {record.key: record for record in observed}
    after = {record.key: record for record in wanted}
    kept = {key for key, record in before.items() if key in after and same(record, after[key])}
    return Difference(
        deletes=tuple(before[key] for key in sorted(before) if key not in kept),
        creates=tuple(after[key] for key in sorted(after) if key not in kept),
        kept=tuple(before[key] for key in sorted(kept)),
    )

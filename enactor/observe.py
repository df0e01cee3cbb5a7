"""Decide what a zone's listing means: its switch, the fences, the endpoints' record sets, who points to whom.

Pure. The fence range is read before the record sets, always (a batch that lands between the two then shows as a conflict
and never as a mix, promise 3); these values keep the two apart until a decision needs both.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from enactor import names
from enactor.fence import Fence, Garbled, Switch, read_fence, read_switch
from enactor.records import MANAGED_TYPES, RecordSet

ADDRESS_TYPES: Final = frozenset(MANAGED_TYPES)
LISTING_PAGE_SETS_MAX: Final = 300
"""Route 53 API reference, ListResourceRecordSets, MaxItems: a page has at most 300 record sets, whatever is asked."""


class SwitchReading(msgspec.Struct, frozen=True):
    """A zone's switch as observed: its record set to the letter, and what it says (None: absent, which means stop)."""

    record: RecordSet | None
    switch: Switch | Garbled | None


class FenceReading(msgspec.Struct, frozen=True):
    """An endpoint's fence as observed: its record set to the letter, and what it says."""

    record: RecordSet
    fence: Fence | Garbled


class FenceRange(msgspec.Struct, frozen=True, kw_only=True):
    """Everything below `_fence.<zone>`, read whole: the switch and every fence by its endpoint's name."""

    zone: str
    zone_name: str
    switch: SwitchReading
    fences: Mapping[str, FenceReading]
    others: tuple[str, ...] = ()
    """The switches of other fleets in this zone, by name."""


class SetsReading(msgspec.Struct, frozen=True, kw_only=True):
    """What else a whole listing shows."""

    sets: Mapping[str, tuple[RecordSet, ...]]
    """The A, AAAA and CNAME sets by name; nothing below `_fence.<zone>`."""
    pointed: Mapping[tuple[str, str], tuple[str, ...]]
    """Which names hold an alias to (name, type) within this zone."""
    cuts: frozenset[str]
    """Names with an NS set other than the apex: answers at and below them come from elsewhere."""
    fence_texts: Mapping[str, RecordSet]
    """The TXT sets seen in the fence range by this later listing; where one differs from the first reading, something moved."""
    total: int
    """Record sets in the zone, for its quota."""


def fence_range(zone: str, zone_name: str, fleet: str, listing: Iterable[RecordSet]) -> FenceRange:
    """Read the fence range out of a listing that covers it."""
    wanted = names.switch_name(fleet, zone_name)
    switch = SwitchReading(None, None)
    fences: dict[str, FenceReading] = {}
    others: list[str] = []
    for record in listing:
        if record.type != "TXT":
            continue
        if record.name == wanted:
            switch = SwitchReading(record, read_switch(record, fleet))
        elif record.name.startswith(names.SWITCH_PREFIX):
            others.append(record.name)
        elif name := names.name_of_fence(record.name, zone_name):
            fences[name] = FenceReading(record, read_fence(record))
    return FenceRange(zone=zone, zone_name=zone_name, switch=switch, fences=fences, others=tuple(others))


def live_names(fences: Mapping[str, FenceReading], fleet: str) -> tuple[str, ...]:
    """Return the endpoints that this fleet's fences mark, tombstones left out."""
    return tuple(
        name
        for name, reading in fences.items()
        if isinstance(reading.fence, Fence) and reading.fence.fleet == fleet and reading.fence.state != "retired"
    )


def sets_reading(zone_name: str, zone: str, listing: Iterable[RecordSet]) -> SetsReading:
    """Sort a whole listing into what decisions need."""
    sets: dict[str, list[RecordSet]] = {}
    pointed: dict[tuple[str, str], list[str]] = {}
    cuts: set[str] = set()
    texts: dict[str, RecordSet] = {}
    total = 0
    base = names.fence_base(zone_name)
    for record in listing:
        total += 1
        if names.is_within(record.name, base):
            texts[record.name] = record
            continue
        if record.type == "NS" and record.name != zone_name:
            cuts.add(record.name)
        if record.alias is not None and record.alias.zone == zone:
            pointed.setdefault((names.canonical(record.alias.name), record.type), []).append(record.name)
        if record.type in ADDRESS_TYPES:
            sets.setdefault(record.name, []).append(record)
    return SetsReading(
        sets={name: tuple(group) for name, group in sets.items()},
        pointed={key: tuple(sorted(set(group))) for key, group in pointed.items()},
        cuts=frozenset(cuts),
        fence_texts=texts,
        total=total,
    )

"""Decide what of a hosted zone a fleet file can say, name by name, and why it cannot say the rest.

Pure. A name comes whole or not at all: an endpoint is all of the A, AAAA and CNAME sets of its name, so one set that a fleet file
cannot say leaves the whole name out, with every reason, and it stays as it is: what no plan lists is not touched.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

import msgspec

from enactor import names
from enactor.fence import Fence
from enactor.observe import FenceReading, fence_range, sets_reading
from enactor.plan_faults import Faults
from enactor.records import MANAGED_TYPES, RecordSet
from planner.fleet_endpoints import Zone, name_in
from planner.import_endpoints import FoundEndpoint, found_endpoint

TYPES_OF_THE_ZONE: Final = frozenset({"NS", "SOA"})
"""At its apex every zone has them; they say nothing."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """One name whose record sets a fleet file cannot say, with every reason."""

    zone: str
    name: str
    reasons: tuple[str, ...]


class ZoneFinding(msgspec.Struct, frozen=True, kw_only=True):
    """What one hosted zone holds."""

    zone: str
    zone_name: str
    endpoints: tuple[FoundEndpoint, ...]
    """In the order of Route 53's listing: `api.example.com` goes before what is below it."""
    left_out: tuple[LeftOut, ...]
    others: Mapping[str, int]
    """How many record sets of types that no endpoint has; those that every zone has, and fences, are not counted."""
    unasked: tuple[str, ...]
    """Names that no pattern matches."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asks for."""

    fleet: str
    patterns: tuple[str, ...] = ()
    """Shell patterns of names; empty: all of them."""
    from_fleet: str | None = None
    """Another fleet whose names are to be taken over."""


def find(zone: str, zone_name: str, listing: Sequence[RecordSet], wanted: Wanted) -> ZoneFinding:
    """Sort a whole listing into what a fleet file can say, what it cannot, and what was not asked for."""
    reading = sets_reading(zone_name, zone, listing)
    fences = fence_range(zone, zone_name, wanted.fleet, listing).fences
    asked = [name for name in sorted(reading.sets, key=_listed) if matches(name, wanted.patterns)]
    endpoints: list[FoundEndpoint] = []
    left_out: list[LeftOut] = []
    for name in asked:
        reasons = _around(name, Zone(key=zone, name=zone_name), reading.cuts, fences, wanted)
        found = found_endpoint(zone, name, reading.sets[name])
        if isinstance(found, FoundEndpoint) and not reasons:
            endpoints.append(found)
            continue
        reasons += [] if isinstance(found, FoundEndpoint) else found
        left_out.append(LeftOut(zone=zone, name=name, reasons=tuple(dict.fromkeys(reasons))))
    return ZoneFinding(
        zone=zone,
        zone_name=zone_name,
        endpoints=tuple(endpoints),
        left_out=tuple(left_out),
        others=_others(listing, zone_name),
        unasked=tuple(name for name in reading.sets if not matches(name, wanted.patterns)),
    )


def _listed(name: str) -> list[str]:
    return name.split(".")[::-1]


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Tell whether any of the patterns matches a canonical name; all do where there are none."""
    return not patterns or any(fnmatchcase(name, pattern_of(pattern)) for pattern in patterns)


def pattern_of(text: str) -> str:
    """Return a pattern for canonical names: any case, trailing dot optional, as names are."""
    return text.lower() if text.endswith(("*", ".")) else f"{text.lower()}."


def _others(listing: Sequence[RecordSet], zone_name: str) -> Mapping[str, int]:
    base = names.fence_base(zone_name)
    counts: dict[str, int] = {}
    for record in listing:
        is_the_zones = record.type in TYPES_OF_THE_ZONE and record.name == zone_name
        if record.type in MANAGED_TYPES or is_the_zones or names.is_within(record.name, base):
            continue
        counts[record.type] = counts.get(record.type, 0) + 1
    return dict(sorted(counts.items()))


def _around(
    name: str, zone: Zone, cuts: frozenset[str], fences: Mapping[str, FenceReading], wanted: Wanted
) -> list[str]:
    """Return why a name cannot be this fleet's, whatever its record sets say."""
    faults = Faults()
    name_in(name, "", zone, faults)
    reasons = [fault.message for fault in faults.all()]
    cut = next((cut for cut in sorted(cuts) if names.is_within(name, cut)), None)
    if cut is not None:
        reasons.append(
            f"the NS set at {cut} delegates it: clients are answered from elsewhere, and no plan may touch it"
        )
    fence = fences[name].fence if name in fences else None
    if isinstance(fence, Fence) and fence.fleet not in {wanted.fleet, wanted.from_fleet}:
        reasons.append(f"its fence says that it is fleet {fence.fleet}'s; --from-fleet {fence.fleet} takes it in")
    elif isinstance(fence, Fence) and fence.state == "retired":
        reasons.append(f"its fence is a tombstone: it was retired, and only `enactor adopt {name}` lifts that")
    return reasons

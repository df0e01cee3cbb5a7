"""What an enactor last saw of a zone, kept between cycles so that a first try needs no read.

Decides nothing: a stale memory is harmless, because every batch asserts what it rests on. What a batch wrote replaces what was
remembered of its names, and what a conflict named is read again, fence first.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from enactor import names
from enactor.batch import Batch, fence_set, sets_after
from enactor.fence import Fence, Switch, read_fence, read_switch
from enactor.observe import (
    LISTING_PAGE_SETS_MAX,
    FenceRange,
    FenceReading,
    SetsReading,
    SwitchReading,
    fence_range,
    sets_reading,
)
from enactor.outcome import ZonePort
from enactor.records import RecordSet
from enactor.swap import View

WHOLE_RANGE_FENCES_MAX: Final = 2 * LISTING_PAGE_SETS_MAX
"""Two pages: up to here reading the whole fence range again costs no more than asking for two fences by name."""
BY_NAME_MAX: Final = 8
"""More names than this are read with the whole listing where that takes no more pages."""
TORN_READS_MAX: Final = 3
"""How often a survey reads again what moved while it read; the rest shows as it was seen, and the next survey sees better."""


class ZoneMemory:
    """One zone as last seen."""

    def __init__(self, port: ZonePort, zone: str, fleet: str) -> None:
        self._port = port
        self.zone = zone
        self.fleet = fleet
        self.zone_name = port.zone_name(zone)
        self.switch = SwitchReading(None, None)
        self.fences: dict[str, FenceReading] = {}
        self.sets: dict[str, tuple[RecordSet, ...]] = {}
        self.pointed: dict[tuple[str, str], tuple[str, ...]] = {}
        self.cuts: frozenset[str] = frozenset()
        self.total = 0
        self.surveyed_at: float | None = None
        """Monotonic seconds of the last whole read, None before the first."""
        self._generations: dict[str, int] = {}
        """The generation of each fence that stands, and under "" of the switch, as last seen or written."""

    def read_switch(self) -> None:
        """Read the switch alone: first of all in a cycle, before HEAD, so that a plan opened meanwhile never looks ahead."""
        self.switch = self._port.switch(self.zone, self.fleet)

    def read_all(self, now: float) -> None:
        """Read the fence range, then the record sets; what moved between the two is read again."""
        self.surveyed_at = None  # until all of it is read: what a failed read leaves half done is never trusted
        found = self._port.fences(self.zone, self.fleet)
        listing = sets_reading(self.zone_name, self.zone, self._port.listing(self.zone))
        self.fences = dict(found.fences)
        self.sets = dict(listing.sets)
        self.pointed = dict(listing.pointed)
        self.cuts, self.total = listing.cuts, listing.total
        torn = _moved(found, listing.fence_texts)
        for _ in range(TORN_READS_MAX):
            if not torn:
                break
            torn = self._read_names(sorted(torn))
        self.surveyed_at = now

    def refresh(self, wanted: Iterable[str], now: float) -> None:
        """Read the switch and some endpoints again, fences before record sets, in as few pages as there are."""
        surveyed_at = self.surveyed_at
        self.surveyed_at = None  # a read that fails here makes the next cycle read everything
        self.read_switch()
        asked = set(wanted)
        if len(self.fences) <= WHOLE_RANGE_FENCES_MAX:
            found = self._port.fences(self.zone, self.fleet)
            asked |= {name for name in {*found.fences, *self.fences} if found.fences.get(name) != self.fences.get(name)}
            if len(asked) > max(BY_NAME_MAX, self.total // LISTING_PAGE_SETS_MAX):
                self.read_all(now)
                return
            sets = self._sets_at(sorted(asked))
            # New fences stand beside the sets that were read after them, or not at all: a fence of now beside sets of before
            # would pass for a compare-and-swap and leave a mix.
            self.fences = dict(found.fences)
            self._take(asked, sets)
        elif 2 * len(asked) > self._whole_pages():
            self.read_all(now)
            return
        elif asked:
            self._read_names(sorted(asked))
        self.surveyed_at = surveyed_at

    def _whole_pages(self) -> int:
        """Return how many requests reading the zone whole takes: the fence range, then every set, fences among them."""
        return 2 + len(self.fences) // LISTING_PAGE_SETS_MAX + self.total // LISTING_PAGE_SETS_MAX

    def refresh_by_name(self, wanted: list[str]) -> None:
        """Read the fences, then the record sets, of these endpoints alone."""
        self._read_names(wanted)

    def _read_names(self, wanted: list[str]) -> set[str]:
        """Read fences, then sets, of some endpoints; return those whose fence moved since it was last read."""
        before = {name: self.fences.get(name) for name in wanted}
        fence_names = [names.fence_name(name, self.zone_name) for name in wanted]
        found = fence_range(self.zone, self.zone_name, self.fleet, self._port.at(self.zone, fence_names)).fences
        sets = self._sets_at(wanted)
        for name in wanted:
            self.fences.pop(name, None)
            if name in found:
                self.fences[name] = found[name]
        self._take(wanted, sets)
        return {name for name in wanted if before[name] != self.fences.get(name)}

    def _sets_at(self, wanted: list[str]) -> SetsReading:
        return sets_reading(self.zone_name, self.zone, self._port.at(self.zone, wanted) if wanted else ())

    def _take(self, wanted: Iterable[str], found: SetsReading) -> None:
        for name in wanted:
            self._replace(name, found.sets.get(name, ()))
        self.cuts = (self.cuts - set(wanted)) | found.cuts

    def _replace(self, name: str, sets: tuple[RecordSet, ...]) -> None:
        old = self.sets.pop(name, ())
        if sets:
            self.sets[name] = sets
        self.total += len(sets) - len(old)
        for record in old:
            self._point(record, pointing=False)
        for record in sets:
            self._point(record, pointing=True)

    def _point(self, record: RecordSet, *, pointing: bool) -> None:
        if record.alias is None or record.alias.zone != self.zone:
            return
        key = (names.canonical(record.alias.name), record.type)
        others = tuple(name for name in self.pointed.get(key, ()) if name != record.name)
        pointers = tuple(sorted((*others, record.name))) if pointing else others
        self.pointed.pop(key, None)
        if pointers:
            self.pointed[key] = pointers

    def applied(self, batch: Batch) -> None:
        """Remember what a batch that was applied wrote."""
        if batch.switch is not None:
            self.switch = SwitchReading(batch.switch.after, read_switch(batch.switch.after, self.fleet))
        for swap in batch.swaps:
            record = fence_set(swap.fence_after, swap.name, batch.zone_name)
            self.total += swap.name not in self.fences
            self.fences[swap.name] = FenceReading(record, read_fence(record))
            self._generations[swap.name] = swap.fence_after.gen
            self._replace(swap.name, sets_after(swap))

    def went_back(self) -> tuple[tuple[str, int, int], ...]:
        """Return (endpoint, or "" for the switch; generation seen before; generation now) of what is older than it was, each once.

        No writer of ours lowers a generation: Route 53 lost what it had acknowledged, or a person put an old text back. An adopted
        endpoint's fence, at generation 0, is no step back; nor is a fence that another fleet holds, or that nobody can read.
        """
        now = {
            name: reading.fence.gen
            for name, reading in self.fences.items()
            if isinstance(reading.fence, Fence) and reading.fence.fleet == self.fleet and reading.fence.gen > 0
        }
        if isinstance(self.switch.switch, Switch):
            now[""] = self.switch.switch.gen
        seen = self._generations
        self._generations = {name: gen for name, gen in (seen | now).items() if name in self.fences or not name}
        return tuple((name, seen[name], gen) for name, gen in sorted(now.items()) if gen < seen.get(name, 0))

    def view(self, name: str) -> View:
        """Return one endpoint as last seen."""
        return View(name=name, zone=self.zone, fence=self.fences.get(name), sets=self.sets.get(name, ()))

    def available(self) -> frozenset[tuple[str, str]]:
        """Return every (name, type) of the managed types that has a set."""
        return frozenset((name, record.type) for name, sets in self.sets.items() for record in sets)


def _moved(found: FenceRange, texts: Mapping[str, RecordSet]) -> set[str]:
    """Return the endpoints whose fence the later listing showed otherwise than the earlier range."""
    later = fence_range(found.zone, found.zone_name, "", texts.values()).fences
    return {name for name in {*found.fences, *later} if found.fences.get(name) != later.get(name)}

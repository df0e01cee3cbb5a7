"""Read the plans that the table keeps besides the newest, each at most once between two looks, and hold little of them.

It decides nothing. What cannot be read is not asked for again before the next look, so that one damaged plan, or a table that
went away in the middle of a cycle, costs one call and not one for each endpoint (promise 6). Of an older plan the digests stay,
and of its contents those that somebody asks for in every cycle; the rest would be memory without bound.
"""

import sys
from collections.abc import Collection, Sequence
from typing import Final

from enactor.plan import StoredPlan
from enactor.plan_index import PlanIndex
from enactor.ports import OutsideError, PlanEntry, PlanStore, Stopping
from enactor.records import Content

OLDER_PLANS_MAX: Final = 32
"""How many kept plans are read to know what an endpoint's content was; a content that a fence names is looked for in all."""
WHOLE_PLANS_MAX: Final = 2
"""Older plans held whole while they are searched: endpoints that are asked about together often stand in one plan."""

Identity = tuple[int, str]


class KeptPlans:
    """The plans that the table lists, asked for once between two looks."""

    def __init__(self, store: PlanStore) -> None:
        self._store = store
        self._entries: tuple[PlanEntry, ...] | None = None
        self._failed: set[Identity] = set()
        self._silent = False

    def look_again(self) -> None:
        """Believe nothing any more that was learnt before: what failed may be well."""
        self._entries = None
        self._failed.clear()
        self._silent = False

    def silence(self) -> None:
        """Ask the table for nothing more before the next look: it has just not answered, and each time-out is half a minute."""
        self._silent = True

    @property
    def is_silent(self) -> bool:
        """Tell whether the table did not answer since the last look, so that what it keeps is not known."""
        return self._silent

    def failed(self, generation: int, digest: str) -> None:
        """Take note that a plan cannot be read."""
        self._failed.add((generation, digest))

    def entries(self) -> Sequence[PlanEntry] | None:
        """Return the manifests of plans that are kept, newest first; None where the table does not answer."""
        if self._entries is None and not self._silent:
            try:
                self._entries = tuple(entry for entry in self._store.list() if entry.condemned is None)
            except Stopping:
                raise
            except OutsideError:  # the look says that the table is unreachable; what is at hand must do
                self._silent = True
        return self._entries

    def read(self, generation: int, digest: str) -> PlanIndex | None:
        """Return a plan by its generation and digest, or the first digits of that; None where it cannot be read."""
        if self._silent or (generation, digest) in self._failed:
            return None
        try:
            found = self._store.read(generation)
        except Stopping:
            raise
        except OutsideError:
            self._silent = True
            return None
        if isinstance(found, StoredPlan) and found.digest.startswith(digest):
            return PlanIndex(found, "table")
        self.failed(generation, digest)
        return None


class OlderContents:
    """What endpoints were in kept plans that are not at hand."""

    def __init__(self, kept: KeptPlans) -> None:
        self._kept = kept
        self._digests: dict[Identity, dict[str, dict[str, str]]] = {}
        self._whole: dict[Identity, PlanIndex] = {}
        self._asked: dict[tuple[str, str, str], Content] = {}
        self._asked_before: dict[tuple[str, str, str], Content] = {}

    def remember(self, index: PlanIndex) -> dict[str, dict[str, str]]:
        """Keep a plan's digests, by zone and name. The texts are the same in most plans, so they are shared."""
        found: dict[str, dict[str, str]] = {}
        for (zone, name), digest in index.digests.items():
            found.setdefault(sys.intern(zone), {})[sys.intern(name)] = sys.intern(digest)
        self._digests[index.identity] = found
        return found

    def trim(self) -> None:
        """Forget whole plans, and the contents that nobody asked for since the last time."""
        self._whole.clear()
        self._asked_before, self._asked = self._asked, {}

    def content(self, zone: str, name: str, digest: str, *, at_hand: Collection[Identity]) -> Content | None:
        """Return the content of an endpoint that has a digest, where any kept plan has it; those at hand were looked at."""
        asked = (zone, name, digest)
        found = self._asked.get(asked, self._asked_before.get(asked))
        if found is None:
            found = self._search(zone, name, digest, at_hand)
        if found is not None:
            self._asked[asked] = found
        return found

    def digests(self, zone: str, name: str, *, at_hand: Collection[Identity]) -> frozenset[str]:
        """Return the digests that an endpoint's content has in the kept plans but those at hand."""
        entries = self._others(at_hand)
        for entry in entries[:OLDER_PLANS_MAX]:
            self._read(entry)
        known = (self._digests.get((entry.generation, entry.digest), {}) for entry in entries)
        return frozenset(digest for plan in known if (digest := plan.get(zone, {}).get(name)) is not None)

    def _search(self, zone: str, name: str, digest: str, at_hand: Collection[Identity]) -> Content | None:
        """Look through the plans whose digests are known, then read one after the other, newest first, up to the last."""
        entries = self._others(at_hand)
        known = [entry for entry in entries if (entry.generation, entry.digest) in self._digests]
        unknown = [entry for entry in entries if (entry.generation, entry.digest) not in self._digests]
        for entry in (*known, *unknown):
            if self._read(entry).get(zone, {}).get(name) == digest and (index := self._index(entry)) is not None:
                return index.contents[zone, name]
        return None

    def _others(self, at_hand: Collection[Identity]) -> list[PlanEntry]:
        """Return the kept plans that are not at hand; what the table keeps no longer is forgotten."""
        entries = self._kept.entries()
        if entries is None:
            return []
        kept = {(entry.generation, entry.digest) for entry in entries}
        for gone in self._digests.keys() - kept:
            del self._digests[gone]
        return [entry for entry in entries if (entry.generation, entry.digest) not in at_hand]

    def _read(self, entry: PlanEntry) -> dict[str, dict[str, str]]:
        known = self._digests.get((entry.generation, entry.digest))
        if known is not None:
            return known
        index = self._index(entry)
        return {} if index is None else self.remember(index)

    def _index(self, entry: PlanEntry) -> PlanIndex | None:
        identity = (entry.generation, entry.digest)
        if identity not in self._whole:
            index = self._kept.read(*identity)
            if index is None:
                return None
            while len(self._whole) >= WHOLE_PLANS_MAX:
                self._whole.pop(next(iter(self._whole)))  # the one that came first
            self._whole[identity] = index
        return self._whole[identity]

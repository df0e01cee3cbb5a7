"""Find the plans an enactor can work from: table and disk together, the highest valid generation first (promises 5 and 7).

The shell around the plan store: it says where a plan came from and what could not be read, and it never judges whether a plan
is a good one. Contents of older plans are looked up only when a fence names them.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from enactor.disk import PlanDisk
from enactor.fence import Switch
from enactor.plan import StoredPlan
from enactor.plan_index import PlanIndex
from enactor.ports import DamagedPlan, OutsideError, PlanEntry, PlanHead, PlanStore
from enactor.records import Content

OLDER_PLANS_MAX: Final = 32
"""How far back a content that a fence names is looked for among kept plans."""
REMEMBERED_PLANS_MAX: Final = 4
"""Whole plans held in memory: the newest, the open ones, and one to judge against; older ones are kept as digests."""


class Shelf(msgspec.Struct, frozen=True):
    """What was found in one look: candidates, newest first; HEAD; and every problem in a sentence."""

    candidates: tuple[PlanIndex, ...]
    head: PlanHead | None
    problems: tuple[str, ...]
    reachable: bool
    """Whether the table answered."""


class Library:
    """The plans at hand, read from the table and kept on disk."""

    def __init__(self, store: PlanStore, disk: PlanDisk | None) -> None:
        self._store = store
        self._disk = disk
        self._plans: dict[tuple[int, str], PlanIndex] = {}
        self._known: dict[tuple[int, str], dict[tuple[str, str], tuple[str, Content]]] = {}
        self._entries: list[PlanEntry] | None = None
        self._unkept: dict[tuple[int, str], str] = {}

    def look(self) -> Shelf:
        """Read HEAD, and the newest plan where it is another; without the table, what memory and disk have."""
        self._entries = None
        problems: list[str] = []
        head, reachable = None, True
        try:
            head = self._store.head()
            if head is not None:
                problems += self._newest(head)
        except OutsideError as error:
            reachable = False
            problems.append(str(error))
        if not reachable or not self._plans:
            problems += self._from_disk()
        found = sorted(
            self._plans.values(), key=lambda plan: (plan.stored.generation, _is_head(plan, head)), reverse=True
        )
        return Shelf(tuple(found), head, tuple(problems), reachable)

    def _newest(self, head: PlanHead) -> list[str]:
        if (head.generation, head.digest) in self._plans:
            return []
        found = self._store.read(head.generation)
        if isinstance(found, StoredPlan) and found.digest == head.digest:
            self._keep(PlanIndex(found, "table"))
            return []
        why = found.why if isinstance(found, DamagedPlan) else "it is not in the table"
        problem = (
            f"plan {head.generation}, the newest, cannot be used: {why}; publish again to put a sound one above it"
        )
        if not any(generation < head.generation for generation, _ in self._plans):
            self._older(head.generation)
        return [problem]

    def _older(self, below: int) -> None:
        """Find the newest valid plan below one that is not; each is tried once."""
        for entry in self._kept_entries():
            if entry.generation < below and self._load(entry) is not None:
                return

    def _kept_entries(self) -> list[PlanEntry]:
        """Return the manifests of plans that are kept, newest first, asked for once between two looks."""
        if self._entries is None:
            self._entries = [entry for entry in self._store.list() if entry.condemned is None][:OLDER_PLANS_MAX]
        return self._entries

    def _load(self, entry: PlanEntry) -> PlanIndex | None:
        known = self._plans.get((entry.generation, entry.digest))
        if known is not None:
            return known
        found = self._store.read(entry.generation)
        if not isinstance(found, StoredPlan):
            return None
        index = PlanIndex(found, "table")
        self._keep(index)
        return index

    def _from_disk(self) -> list[str]:
        if self._disk is None:
            return []
        found = self._disk.load()
        for stored in found.plans:
            self._plans.setdefault((stored.generation, stored.digest), PlanIndex(stored, "disk"))
        return list(found.problems)

    def _keep(self, index: PlanIndex) -> None:
        self._plans[index.identity] = index
        self._save(index)

    def _save(self, index: PlanIndex) -> None:
        why = self._disk.save(index.stored) if self._disk is not None else None
        if why is None:
            self._unkept.pop(index.identity, None)
        else:
            self._unkept[index.identity] = why

    @property
    def unkept(self) -> tuple[str, ...]:
        """Return why the newest plan that should be on disk is not, nothing where all is well: one sentence, not one a plan."""
        return (self._unkept[max(self._unkept)],) if self._unkept else ()

    def trim(self, needed: Iterable[tuple[int, str]]) -> None:
        """Forget whole plans but the newest few and those still needed (the open ones); save again what was not kept on disk."""
        keep = set(needed) | set(sorted(self._plans, reverse=True)[:REMEMBERED_PLANS_MAX])
        self._plans = {identity: plan for identity, plan in self._plans.items() if identity in keep}
        self._unkept = {identity: why for identity, why in self._unkept.items() if identity in keep}
        for identity in sorted(self._unkept):
            self._save(self._plans[identity])

    def open_plan(self, switch: Switch) -> PlanIndex | None:
        """Return the plan that is open by a switch, where it can still be read."""
        for plan in self._plans.values():
            if plan.stored.generation == switch.gen and plan.stored.short_digest == switch.plan:
                return plan
        try:
            found = self._store.read(switch.gen) if switch.gen else None
        except OutsideError:
            return None
        if not isinstance(found, StoredPlan) or found.short_digest != switch.plan:
            return None
        index = PlanIndex(found, "table")
        self._keep(index)
        return index

    def content(self, zone: str, name: str, digest: str) -> Content | None:
        """Return the content of an endpoint that has a digest, where any kept plan has it."""
        for plan in sorted(self._plans.values(), key=lambda plan: plan.identity, reverse=True):
            if plan.digests.get((zone, name)) == digest:
                return plan.contents[zone, name]
        return next(
            (known[zone, name][1] for known in self._contents() if known.get((zone, name), ("",))[0] == digest), None
        )

    def kept_digests(self, zone: str, name: str) -> frozenset[str]:
        """Return the digests that an endpoint's content has in the kept plans."""
        return frozenset(known[zone, name][0] for known in self._contents() if (zone, name) in known)

    def _contents(self) -> list[dict[tuple[str, str], tuple[str, Content]]]:
        """Return every kept plan's contents, newest first; a plan is read once, and what cannot be read is left out."""
        try:
            entries = self._kept_entries()
            for entry in entries:
                if (entry.generation, entry.digest) not in self._known and (index := self._load(entry)) is not None:
                    self._remember(index)
            kept = {(entry.generation, entry.digest) for entry in entries} | self._plans.keys()
            self._known = {identity: known for identity, known in self._known.items() if identity in kept}
        except OutsideError:
            self._entries = self._entries or []  # `look` reports the table as unreachable; what is at hand must do
        for index in self._plans.values():
            self._remember(index)
        return [self._known[identity] for identity in sorted(self._known, reverse=True)]

    def _remember(self, index: PlanIndex) -> None:
        if index.identity not in self._known:
            self._known[index.identity] = {key: (digest, index.contents[key]) for key, digest in index.digests.items()}


def _is_head(plan: PlanIndex, head: PlanHead | None) -> bool:
    return head is not None and plan.identity == (head.generation, head.digest)

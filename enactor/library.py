"""Find the plans an enactor can work from: table, disk and mirror together, the highest valid generation first (promises 5 and 7).

The shell around the plan store: it says where a plan came from and what could not be read, and it never judges whether a plan
is a good one. Contents of older plans are looked up only when a fence names them.

Promise 2: where HEAD is known, only HEAD's plan and older ones are candidates. A plan above it, or another of its generation, was
published to a table that has been restored since; it goes on healing a zone that has it open, and it is opened nowhere.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Protocol

import msgspec

from enactor.disk import PlanDisk
from enactor.fence import Switch, has_passed
from enactor.guards import Finding
from enactor.kept_plans import OLDER_PLANS_MAX, KeptPlans, OlderContents
from enactor.plan import StoredPlan
from enactor.plan_index import PlanIndex
from enactor.ports import DamagedPlan, OutsideError, PlanHead, PlanStore, Stopping
from enactor.records import Content

REMEMBERED_PLANS_MAX: Final = 4
"""Whole plans held in memory: the newest, the open ones, and one to judge against; older ones are kept as digests."""
FALLBACK_PLANS_MAX: Final = 8
"""Whole plans held besides, because every newer one is refused: each may be as large as the fleet."""


class Shelf(msgspec.Struct, frozen=True):
    """What was found in one look: candidates, newest first; HEAD; and every problem in a sentence."""

    candidates: tuple[PlanIndex, ...]
    head: PlanHead | None
    problems: tuple[str, ...]
    reachable: bool
    """Whether the table answered."""
    damaged: Finding | None = None
    """Why the newest plan cannot be used, as the guard `digest` says it."""
    above_head: int = 0
    """The highest generation of a plan at hand that HEAD does not reach, 0 where there is none: the table was restored."""


class Mirror(Protocol):
    """Where the newest plan is kept outside the table; `mirror.PlanMirror` is one."""

    def load(self) -> StoredPlan | str | None:
        """Return the plan, a sentence about what is wrong, or None where there is none."""
        ...


class Library:
    """The plans at hand, read from the table and kept on disk."""

    def __init__(self, store: PlanStore, disk: PlanDisk | None, mirror: Mirror | None = None) -> None:
        self._store = store
        self._disk = disk
        self._mirror = mirror
        self._mirror_asked = False
        self._kept = KeptPlans(store)
        self._contents = OlderContents(self._kept)
        self._plans: dict[tuple[int, str], PlanIndex] = {}
        self._fallbacks: set[tuple[int, str]] = set()
        self._unkept: dict[tuple[int, str], str] = {}
        self._disk_problems: tuple[str, ...] | None = None

    def look(self) -> Shelf:
        """Read HEAD, and the newest plan where it is another; the disk at the first look, and whenever the table is away."""
        self._kept.look_again()
        is_first = self._disk_problems is None
        if is_first:
            self._from_disk()
        problems: list[str] = []
        head, reachable, damaged = None, True, None
        try:
            head = self._store.head()
            if head is not None and (damaged := self._newest(head)) is not None:
                problems.append(damaged.message)
        except Stopping:
            raise
        except OutsideError as error:
            reachable = False
            problems.append(str(error))
            self._kept.silence()
            if not is_first:
                self._from_disk()
        self._mirror_asked = False
        if not reachable or head is None or self._is_away(head):
            problems += self._from_mirror()
        lost = [plan for plan in self._plans.values() if _is_lost(plan, head)] if reachable or head else []
        candidates = sorted(
            (plan for plan in self._plans.values() if plan not in lost),
            key=lambda plan: plan.stored.generation,
            reverse=True,
        )
        above_head = max((plan.stored.generation for plan in lost), default=0)
        if above_head:
            problems.append(_restored(head, above_head))
        if not reachable or not candidates:
            problems += self._disk_problems or ()
        return Shelf(tuple(candidates), head, tuple(problems), reachable, damaged, above_head)

    def _newest(self, head: PlanHead) -> Finding | None:
        """Have the newest plan at hand; return why it cannot be."""
        at_hand = self._plans.get((head.generation, head.digest))
        if at_hand is not None and at_hand.source == "table":
            return None
        found = self._store.read(head.generation)
        if isinstance(found, StoredPlan) and found.digest == head.digest:
            self._keep(PlanIndex(found, "table"))
            return None
        self._kept.failed(head.generation, head.digest)
        why = found.why if isinstance(found, DamagedPlan) else "it is not in the table"
        if at_hand is None:
            self._newest_below(head.generation)
        instead = "" if at_hand is None else ", and the one kept on disk is used"
        problem = f"plan {head.generation}, the newest, cannot be used: {why}{instead}"
        message = f"{problem}; publish again to put a sound one above it"
        return Finding(guard="digest", observed=head.generation, wanted=head.digest, message=message)

    def _newest_below(self, generation: int) -> None:
        """Have at hand the newest valid plan below one that is not; each is tried once."""
        older = [entry for entry in self._kept.entries() or () if entry.generation < generation]
        for entry in older[:OLDER_PLANS_MAX]:
            if self._at_hand(entry.generation, entry.digest) is not None:
                return

    def _at_hand(self, generation: int, digest: str) -> PlanIndex | None:
        """Return a plan by its generation and the first digits of its digest, from memory or else from the table."""
        for plan in self._plans.values():
            if plan.stored.generation == generation and plan.stored.digest.startswith(digest):
                return plan
        index = self._kept.read(generation, digest)
        if index is not None:
            self._keep(index)
        return index

    def _from_disk(self) -> None:
        self._disk_problems = ()
        if self._disk is None:
            return
        found = self._disk.load()
        for stored in found.plans:
            self._plans.setdefault((stored.generation, stored.digest), PlanIndex(stored, "disk"))
        self._disk_problems = found.problems

    def _is_away(self, head: PlanHead) -> bool:
        return (head.generation, head.digest) not in self._plans

    def _from_mirror(self) -> list[str]:
        """Read the mirror, once between two looks."""
        if self._mirror is None or self._mirror_asked:
            return []
        self._mirror_asked = True
        found = self._mirror.load()
        if isinstance(found, str):
            return [found]
        if found is not None and (found.generation, found.digest) not in self._plans:
            self._keep(PlanIndex(found, "mirror"))
        return []

    def _keep(self, index: PlanIndex) -> None:
        self._plans[index.identity] = index
        self._save(index)

    def _save(self, index: PlanIndex) -> None:
        """Keep a plan on disk, and there too whatever is held in memory: a plan that is open may be older than the newest."""
        held = {generation for generation, _ in self._plans}
        why = self._disk.save(index.stored, keep=held) if self._disk is not None else None
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
        wanted = set(needed)
        lowest = min((generation for generation, _ in wanted), default=0)
        self._fallbacks = {identity for identity in self._fallbacks & self._plans.keys() if identity[0] >= lowest}
        keep = wanted | self._fallbacks | set(sorted(self._plans, reverse=True)[:REMEMBERED_PLANS_MAX])
        for identity in self._plans.keys() - keep:
            self._contents.remember(self._plans.pop(identity))
        self._contents.trim()
        self._unkept = {identity: why for identity, why in self._unkept.items() if identity in keep}
        for identity in sorted(self._unkept):
            self._save(self._plans[identity])

    def open_plan(self, switch: Switch) -> PlanIndex | None:
        """Return the plan that is open by a switch, where it can still be read: in the table, on disk, or in the mirror."""
        if not switch.gen:
            return None
        found = self._at_hand(switch.gen, switch.plan)
        if found is None:
            self._from_mirror()
            found = self._at_hand(switch.gen, switch.plan)
        return found

    def older(self, below: int, above: int) -> PlanIndex | None:
        """Return the newest kept plan between two generations that can be read: for a zone where all newer ones are refused."""
        if below - above <= 1:
            return None
        between = [entry for entry in self._kept.entries() or () if above < entry.generation < below]
        for entry in between[:OLDER_PLANS_MAX]:
            identity = (entry.generation, entry.digest)
            if identity not in self._plans and len(self._fallbacks) >= FALLBACK_PLANS_MAX:
                return None
            if (plan := self._at_hand(*identity)) is not None:
                self._fallbacks.add(identity)
                return plan
        return None

    def at_or_below(self, generation: int) -> PlanIndex | None:
        """Return the newest plan at or below a generation that can be read: what a new one is judged against instead."""
        at_hand = [plan for plan in self._plans.values() if plan.stored.generation <= generation]
        nearest = max(at_hand, key=lambda plan: plan.identity, default=None)
        return self.older(generation + 1, nearest.stored.generation if nearest else 0) or nearest

    def allowed(self, generation: int, aws_now: datetime | None) -> frozenset[str]:
        """Return the plan-wide guards that people lifted for a generation, while the permission lasts; unread, nothing is."""
        try:
            allows = self._store.allows(generation)
        except Stopping:
            raise
        except OutsideError:
            return frozenset()
        return frozenset(one.guard for one in allows if aws_now is not None and not has_passed(one.until, aws_now))

    def content(self, zone: str, name: str, digest: str) -> Content | None:
        """Return the content of an endpoint that has a digest, where any plan at hand or kept in the table has it."""
        for plan in self._plans.values():
            if plan.digests.get((zone, name)) == digest:
                return plan.contents[zone, name]
        return self._contents.content(zone, name, digest, at_hand=self._plans.keys())

    @property
    def is_silent(self) -> bool:
        """Tell whether the table did not answer since the last look: then a content that nobody has may be a kept plan's."""
        return self._kept.is_silent

    def kept_digests(self, zone: str, name: str) -> frozenset[str]:
        """Return the digests that an endpoint's content has in the plans at hand and the kept ones."""
        at_hand = (plan.digests[zone, name] for plan in self._plans.values() if (zone, name) in plan.digests)
        return frozenset(at_hand) | self._contents.digests(zone, name, at_hand=self._plans.keys())


def _is_head(plan: PlanIndex, head: PlanHead | None) -> bool:
    return head is not None and plan.identity == (head.generation, head.digest)


def _is_lost(plan: PlanIndex, head: PlanHead | None) -> bool:
    """Tell whether the table, as it is now, cannot explain a plan that came from it earlier."""
    if head is None:
        return True
    return plan.stored.generation >= head.generation and not _is_head(plan, head)


def _restored(head: PlanHead | None, generation: int) -> str:
    stands = "there is no HEAD" if head is None else f"HEAD is {head.generation}"
    known = f"another plan {generation}" if head is not None and head.generation == generation else f"plan {generation}"
    return (
        f"{stands}, but {known} was published before: the table was restored from an older backup, or HEAD was moved by hand; "
        f"publish again until HEAD is above {generation}"
    )

"""The promises, judged from outside: from the states of zones and table before and after a step, and the plans of the story.

Written apart from the product's own judgement: it knows what a content, a kind and a fence are, and nothing of how swaps are
decided. Every rule names the promise it belongs to.
"""

import zlib
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from enactor.batch import Batch
from enactor.fence import Fence, Switch
from enactor.observe import FenceRange, fence_range
from enactor.plan import Plan, canonical_json, content_of_endpoint, digest_of
from enactor.records import MANAGED_TYPES, Content, RecordSet, content_digest, content_of, kinds_of
from enactor.table_keys import CHUNKS, HEAD, PLANS

from .table_model import Table
from .world import ZoneState

NEVER_EMPTY: Final = "never empty"
NEVER_BACKWARDS: Final = "never backwards"
WHOLE: Final = "whole or not at all"
NEVER_COLLECT: Final = "never collect what is referenced"
NEVER_STUCK: Final = "never stuck"
HOLD_MEANS_HOLD: Final = "hold means hold"
"""Part of promise 2: an endpoint that a person froze is written by no cycle, however late its batch."""
RETIRED_STAYS_AWAY: Final = "retired stays away"
"""Part of promise 2: what a tombstone keeps away is brought back by no cycle, however late its batch."""
STOP_MEANS_STOP: Final = "stop means stop"
"""Part of promise 2: what was decided before a stop never lands after it."""
Key = tuple[str, str, str]
"""What makes a record set one in its zone: name, type, identifier."""


class Story:
    """The plans that may be published, by digest: what each says of each endpoint."""

    def __init__(self, fleet: str, plans: Iterable[Plan]) -> None:
        self.fleet = fleet
        self.contents: dict[str, dict[tuple[str, str], str]] = {}
        self.known: dict[tuple[str, str], set[str]] = {}
        self._by_digest: dict[tuple[str, str, str], Content] = {}
        for plan in plans:
            for endpoint in plan.endpoints:
                content = content_of_endpoint(endpoint)
                self._by_digest[*endpoint.key, content_digest(content)] = content
            said = {endpoint.key: content_digest(content_of_endpoint(endpoint)) for endpoint in plan.endpoints}
            self.contents[digest_of(canonical_json(plan))] = said
            for key, digest in said.items():
                self.known.setdefault(key, set()).add(digest)

    def content(self, zone: str, name: str, digest: str) -> Content | None:
        """Return the content of an endpoint that has a digest."""
        return self._by_digest.get((zone, name, digest))

    def of_switch(self, switch: Switch) -> dict[tuple[str, str], str]:
        """Return what the plan that a switch names says."""
        return next((said for digest, said in self.contents.items() if digest.startswith(switch.plan)), {})


def reading(state: ZoneState, fleet: str) -> FenceRange:
    """Return the fences of a zone state."""
    return fence_range(state.zone.zone_id, state.zone.name, fleet, state.records)


def sets_by_name(state: ZoneState) -> dict[str, tuple[RecordSet, ...]]:
    """Return the managed record sets by name."""
    found: dict[str, list[RecordSet]] = {}
    for record in state.records:
        if record.type in MANAGED_TYPES:
            found.setdefault(record.name, []).append(record)
    return {name: tuple(records) for name, records in found.items()}


class Change(msgspec.Struct, frozen=True):
    """What a batch made of a zone: the fences and the managed record sets before and after."""

    zone: str
    old: FenceRange
    new: FenceRange
    had: dict[str, tuple[RecordSet, ...]]
    has: dict[str, tuple[RecordSet, ...]]

    @property
    def changed(self) -> list[str]:
        """Return the names whose record sets changed."""
        return [name for name in sorted({*self.had, *self.has}) if self.had.get(name) != self.has.get(name)]


def of_batch(story: Story, before: ZoneState, after: ZoneState, batch: Batch) -> tuple[str, ...]:
    """Return what a batch that was applied has broken."""
    change = Change(
        before.zone.zone_id,
        reading(before, story.fleet),
        reading(after, story.fleet),
        sets_by_name(before),
        sets_by_name(after),
    )
    ours = {swap.name for swap in batch.swaps}
    return (
        *_emptied(change),
        *_mixed(story, change),
        *_backwards(story, change, by_a_person=batch.origin == "verb"),
        *_thawed(change, batch),
        *_brought_back(change, batch),
        *(f"{WHOLE}: a batch changed {name}, for which it has no swap" for name in change.changed if name not in ours),
    )


def _emptied(change: Change) -> list[str]:
    faults = []
    for name, records in change.had.items():
        if _is_tombstone(change, name):
            continue  # a person's own verb, and the one way to remove
        lost = kinds_of(records) - kinds_of(change.has.get(name, ()))
        if lost:
            faults.append(f"{NEVER_EMPTY}: a batch took the last {' and '.join(sorted(lost))} of {name} away")
    return faults


def _fence(found: FenceRange, name: str) -> Fence | None:
    fence = found.fences[name].fence if name in found.fences else None
    return fence if isinstance(fence, Fence) else None


def _mixed(story: Story, change: Change) -> list[str]:
    """A batch leaves what its fence says, but for single sets that somebody else had changed before and that it did not touch.

    A batch rests on the fence and on what it deletes; a set that it leaves alone may have been changed by hand since it was read.
    The next survey sees that as drift.
    """
    faults = []
    for name in change.changed:
        after, before = _fence(change.new, name), _fence(change.old, name)
        has = change.has.get(name, ())
        if _is_tombstone(change, name) and not has:
            continue
        wanted = story.content(change.zone, name, after.plan) if after else None
        if wanted is None:
            faults.append(f"{WHOLE}: a batch left {name} with a fence that says no content of any plan")
            continue
        named = story.content(change.zone, name, before.plan) if before else None
        by_hand = _differing(named or (), change.had.get(name, ())) if before else frozenset[Key]()
        if _differing(wanted, has) - by_hand:
            faults.append(f"{WHOLE}: a batch left {name} with {_ids(has)}, which is not what its fence says")
    return faults


def _differing(wanted: Iterable[RecordSet], found: Iterable[RecordSet]) -> frozenset[Key]:
    """Return the keys of the sets in which two groups differ."""
    one = {record.key: record for record in content_of(wanted)}
    other = {record.key: record for record in content_of(found)}
    return frozenset(key for key in {*one, *other} if one.get(key) != other.get(key))


def _is_tombstone(change: Change, name: str) -> bool:
    after = _fence(change.new, name)
    return after is not None and after.state == "retired"


def _brought_back(change: Change, batch: Batch) -> list[str]:
    """A cycle writes no name that a tombstone marks, and makes no tombstone."""
    if batch.origin != "cycle":
        return []
    names = {*change.old.fences, *change.new.fences}
    marked = [name for name in sorted(names) if _is_tombstone(change, name) or _was_tombstone(change, name)]
    return [
        f"{RETIRED_STAYS_AWAY}: a batch wrote {name}, which a person had retired"
        for name in marked
        if change.old.fences.get(name) != change.new.fences.get(name) or name in change.changed
    ]


def _was_tombstone(change: Change, name: str) -> bool:
    before = _fence(change.old, name)
    return before is not None and before.state == "retired"


def _backwards(story: Story, change: Change, *, by_a_person: bool) -> list[str]:
    was, now = change.old.switch.switch, change.new.switch.switch
    opened = now.gen if isinstance(now, Switch) else 0
    faults = []
    if isinstance(was, Switch) and opened < was.gen:
        faults.append(f"{NEVER_BACKWARDS}: a batch took the open generation from {was.gen} to {opened}")
    said = story.of_switch(now) if isinstance(now, Switch) else {}
    for name in change.changed:
        old, new = _fence(change.old, name), _fence(change.new, name)
        digest = new.plan if new else ""
        repaired = old is not None and old.plan == digest
        if not by_a_person and not repaired and said.get((change.zone, name)) != digest:
            faults.append(f"{NEVER_BACKWARDS}: a batch wrote {name} otherwise than the open generation {opened} says")
    return faults


def _thawed(change: Change, batch: Batch) -> list[str]:
    if batch.origin != "cycle":
        return []
    held = [name for name in change.old.fences if (fence := _fence(change.old, name)) and fence.state == "hold"]
    return [
        f"{HOLD_MEANS_HOLD}: a batch wrote {name}, which a person had frozen"
        for name in held
        if change.old.fences[name] != change.new.fences.get(name) or name in change.changed
    ]


def _ids(records: Sequence[RecordSet]) -> str:
    return " ".join(record.set_identifier or "simple" for record in records) or "nothing"


def manifests(table: Table) -> dict[int, str]:
    """Return the digest of every plan that the table lists, by generation."""
    plans = {int(sk.removeprefix(PLANS)): dict(item) for sk, item in table.items() if sk.startswith(PLANS)}
    return {generation: str(item["digest"]) for generation, item in plans.items() if "digest" in item}


def head_generation(table: Table) -> int:
    """Return HEAD's generation, 0 without one."""
    item = table.get(HEAD)
    return int(str(dict(item)["generation"])) if item else 0


def of_pair(story: Story, state: ZoneState, table: Table) -> tuple[str, ...]:
    """Return what is wrong between a zone and the table: what is referenced must be there."""
    kept = manifests(table)
    digests = set(kept.values())
    there = {(*key, digest) for plan, said in story.contents.items() if plan in digests for key, digest in said.items()}
    faults = []
    found = reading(state, story.fleet)
    zone = state.zone.zone_id
    for name, one in found.fences.items():
        fence = one.fence
        if (
            not isinstance(fence, Fence)
            or fence.state == "retired"
            or fence.plan not in story.known.get((zone, name), set())
        ):
            continue
        if (zone, name, fence.plan) not in there:
            faults.append(f"{NEVER_COLLECT}: the content {fence.plan} that stands at {name} is in no plan of the table")
    switch = found.switch.switch
    if isinstance(switch, Switch) and switch.gen and not kept.get(switch.gen, "").startswith(switch.plan):
        faults.append(f"{NEVER_COLLECT}: plan {switch.gen}, open in {zone}, is not in the table")
    return tuple(faults)


def of_table(before: Table, after: Table) -> tuple[str, ...]:
    """Return what a write of the table has broken."""
    faults = []
    was, now = head_generation(before), head_generation(after)
    if now < was:
        faults.append(f"{NEVER_BACKWARDS}: HEAD went from {was} to {now}")
    if now and now not in manifests(after):
        faults.append(f"{NEVER_COLLECT}: HEAD is {now}, which is not in the table")
    gone = set(manifests(before)) - set(manifests(after))
    faults += [
        f"{NEVER_COLLECT}: plan {one} was deleted, though it is pinned" for one in gone if f"pin#{one:012d}" in after
    ]
    changed = {one for one, digest in manifests(before).items() if manifests(after).get(one, digest) != digest}
    faults += [f"{WHOLE}: plan {one} was changed" for one in sorted(changed)]
    fresh = set(manifests(after)) - set(manifests(before))
    faults += [
        f"{WHOLE}: plan {one} was published and cannot be read" for one in sorted(fresh) if not _reads(after, one)
    ]
    return tuple(faults)


def _reads(table: Table, generation: int) -> bool:
    """Tell whether a plan's chunks make the body that its manifest names."""
    manifest = dict(table[f"{PLANS}{generation:012d}"])
    prefix = f"{CHUNKS}{manifest['upload']!s}#"
    parts = [dict(table[sk])["data"] for sk in sorted(table) if sk.startswith(prefix)]
    try:
        body = zlib.decompress(b"".join(part for part in parts if isinstance(part, bytes)))
    except zlib.error:
        return False
    return digest_of(body) == str(manifest["digest"])


class End(msgspec.Struct, frozen=True):
    """What healthy hands have left: the fences, the record sets, and the digests of the plans in the table."""

    found: FenceRange
    has: dict[str, tuple[RecordSet, ...]]
    kept: frozenset[str]
    readable: frozenset[str]
    """The digests of the plans that no collector has condemned."""


def of_end(story: Story, state: ZoneState, table: Table, *, refused: frozenset[str]) -> tuple[str, ...]:
    """Return what healthy hands have not brought to the newest plan, but for what waits for a person by design."""
    head = head_generation(table)
    wanted = story.contents.get(manifests(table).get(head, ""), {})
    condemned = {one for one in manifests(table) if dict(table[f"{PLANS}{one:012d}"]).get("condemned")}
    readable = frozenset(digest for one, digest in manifests(table).items() if one not in condemned)
    kept = frozenset(manifests(table).values())
    end = End(reading(state, story.fleet), sets_by_name(state), kept, readable)
    zone, has = state.zone.zone_id, end.has
    faults = [
        f"{NEVER_STUCK}: {name} stands at {_ids(has.get(name, ()))} and not as the newest plan, {head}, says"
        for (its_zone, name), digest in sorted(wanted.items())
        if its_zone == zone
        and content_digest(content_of(has.get(name, ()))) != digest
        and not _waits(story, end, name, may_be_refused=name in refused)
    ]
    switch = end.found.switch.switch
    if wanted and (not isinstance(switch, Switch) or switch.gen != head):
        opened = switch.gen if isinstance(switch, Switch) else "nothing"
        faults.append(f"{NEVER_STUCK}: the newest plan is {head}, and open in {zone} is {opened}")
    return tuple(faults)


def _waits(story: Story, end: End, name: str, *, may_be_refused: bool) -> bool:
    """Tell whether an endpoint is in a state that names what a person must decide: garbled, foreign, or refused by a guard."""
    records = end.has.get(name, ())
    digest = content_digest(content_of(records))
    key = (end.found.zone, name)
    if name not in end.found.fences:
        known = {said[key] for one, said in story.contents.items() if one in end.kept and key in said}
        return bool(records) and digest not in known
    fence = _fence(end.found, name)
    if fence is None or fence.state != "live":
        return True  # a person froze or retired it
    began, _, stood = fence.base.partition("/")
    if began and not any(said.get(key) == stood for one, said in story.contents.items() if one in end.readable):
        return True  # nobody can tell how much has gone: it waits for the end of the slow-drain window, and no time passes here
    return may_be_refused and fence.plan == digest and bool(records)

"""The promises, judged from outside: from the states of zones and table before and after a step, and the plans of the story.

Written apart from the product's own judgement: it knows what a content, a kind and a fence are, and nothing of how swaps are
decided. Every rule names the promise it belongs to.
"""

import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

import msgspec

from enactor.batch import Batch
from enactor.fence import Fence, Switch
from enactor.observe import FenceRange, fence_range
from enactor.plan import Plan, canonical_json, content_of_endpoint, digest_of
from enactor.records import MANAGED_TYPES, Content, Kind, RecordSet, content_digest, content_of, kinds_of
from enactor.table_keys import ALLOWS, CHUNKS, HEAD, PLANS

from .clocks import STILL, Seen, is_frozen, runs, window
from .hosted import ZoneState
from .mirror_reading import MIRROR, mirrored
from .table_model import Table

NEVER_EMPTY: Final = "never empty"
NEVER_BACKWARDS: Final = "never backwards"
WHOLE: Final = "whole or not at all"
NEVER_COLLECT: Final = "never collect what is referenced"
NEVER_STUCK: Final = "never stuck"
HOLD_MEANS_HOLD: Final = "hold means hold"
"""Part of promise 2: an endpoint that a person froze is written by no cycle, however late its batch. Only a hold with an end ends by
itself, for whom a clock says so."""
RETIRED_STAYS_AWAY: Final = "retired stays away"
"""Part of promise 2: what a tombstone keeps away is brought back by no cycle, however late its batch."""
STOP_MEANS_STOP: Final = "stop means stop"
"""Part of promise 2: what was decided before a stop never lands after it, and no cycle writes while it lasts. Only a stop with an end
ends by itself, for whom a clock says so."""
NEVER_UNASKED: Final = "never less than allowed"
"""Part of promise 1: no cycle takes more of an endpoint than the limits say, at once or in small steps, unless a person allowed it
for that very generation; an allow is used up by the swap that rests on it, and serves nobody by whose clock it is over. Small steps
are counted together while the window lasts that their fence names, by the clock of whoever takes the next. A plan that leaves
endpoints out is opened by nobody."""
NOT_OURS: Final = "what is not ours stays"
"""Part of promise 2: no cycle writes where another fleet's fence stands, or one that says nothing clearly, or record sets without a fence
that no plan explains; only a person's verb takes such a name, another fleet's only where it is told, and never what that fleet holds."""
NO_DEPENDENCY: Final = "no hidden dependency"
"""Promise 7: with the table away, what the mirror says is put in place."""
STATES_MAX: Final = 4_096
"""States of a zone whose reading is remembered; each is looked at several times in a row."""
SHRINK_MAX: Final = 0.5
DRAIN_MAX: Final = 0.7
Key = tuple[str, str, str]
"""What makes a record set one in its zone: name, type, identifier."""


class Story:
    """The plans that may be published, by digest: what each says of each endpoint. Files are no plans of the table's."""

    def __init__(self, fleet: str, plans: Iterable[Plan], *, files: Iterable[Plan] = ()) -> None:
        self.fleet = fleet
        self.contents: dict[str, dict[tuple[str, str], str]] = {}
        self.known: dict[tuple[str, str], set[str]] = {}
        self.retired: dict[str, frozenset[tuple[str, str]]] = {}
        self.began: dict[tuple[str, str], frozenset[str]] = {}
        """What each name of each zone answered when the story began; until a clock jumps no time passes, so every slow-drain window begins there."""
        self._by_digest: dict[tuple[str, str, str], Content] = {}
        for plan in files:
            self._learn(plan)
        for plan in plans:
            self._learn(plan)
            said = {endpoint.key: content_digest(content_of_endpoint(endpoint)) for endpoint in plan.endpoints}
            self.contents[digest_of(canonical_json(plan))] = said
            self.retired[digest_of(canonical_json(plan))] = frozenset(one.key for one in plan.retired)
            for key, digest in said.items():
                self.known.setdefault(key, set()).add(digest)

    def _learn(self, plan: Plan) -> None:
        for endpoint in plan.endpoints:
            content = content_of_endpoint(endpoint)
            self._by_digest[*endpoint.key, content_digest(content)] = content

    def content(self, zone: str, name: str, digest: str) -> Content | None:
        """Return the content of an endpoint that has a digest."""
        return self._by_digest.get((zone, name, digest))

    def of_switch(self, switch: Switch) -> dict[tuple[str, str], str]:
        """Return what the plan that a switch names says."""
        return next((said for digest, said in self.contents.items() if digest.startswith(switch.plan)), {})


@lru_cache(STATES_MAX)
def reading(state: ZoneState, fleet: str) -> FenceRange:
    """Return the fences of a zone state."""
    return fence_range(state.zone.zone_id, state.zone.name, fleet, state.records)


@lru_cache(STATES_MAX)
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
    by: Seen = STILL
    """The clocks by which it may have been decided."""

    @property
    def ran(self) -> bool:
        """Tell whether the zone ran before, or was stopped for a time alone."""
        switch = self.old.switch.switch
        return isinstance(switch, Switch) and (switch.mode == "run" or switch.until is not None)

    @property
    def changed(self) -> list[str]:
        """Return the names whose record sets changed."""
        return [name for name in sorted({*self.had, *self.has}) if self.had.get(name) != self.has.get(name)]


def of_batch(story: Story, before: ZoneState, after: ZoneState, batch: Batch, by: Seen = STILL) -> tuple[str, ...]:
    """Return what a batch that was applied, and decided by these clocks, has broken."""
    change = Change(
        before.zone.zone_id,
        reading(before, story.fleet),
        reading(after, story.fleet),
        sets_by_name(before),
        sets_by_name(after),
        by,
    )
    if batch.origin == "selftest":
        return _beside_scratch(before, after)
    ours = {swap.name for swap in batch.swaps}
    return (
        *_emptied(story, change, batch),
        *_cut_off(change),
        *_unasked(story, change, batch),
        *_lifted(change),
        *_left(story, change),
        *_mixed(story, change, batch),
        *_misnamed(change, batch),
        *_backwards(story, change, by_a_person=batch.origin == "verb"),
        *_strangers(story, change, batch),
        *_braked(change, batch),
        *_thawed(change, batch),
        *_brought_back(change, batch),
        *(f"{WHOLE}: a batch changed {name}, for which it has no swap" for name in change.changed if name not in ours),
    )


def _beside_scratch(before: ZoneState, after: ZoneState) -> tuple[str, ...]:
    """A self-test leaves everything but its scratch names as it is."""
    one, other = ({record for record in state.records if "_selftest-" not in record.name} for state in (before, after))
    return () if one == other else (f"{WHOLE}: a self-test changed what is none of its own",)


def _emptied(story: Story, change: Change, batch: Batch) -> list[str]:
    """Nothing takes the last set of a kind but a person's retire: of a name, or of the kind that the open plan does not want."""
    faults = []
    for name, records in change.had.items():
        if _is_tombstone(change, name) and batch.origin == "verb":
            continue  # a person's own verb, and the one way to remove a name; `of_retire` judges whether it might
        lost = kinds_of(records) - kinds_of(change.has.get(name, ()))
        if batch.origin == "verb" and batch.retires and change.has.get(name):
            lost = lost & _wanted_kinds(story, change, name)
        if lost:
            faults.append(f"{NEVER_EMPTY}: a batch took the last {' and '.join(sorted(lost))} of {name} away")
    return faults


def _wanted_kinds(story: Story, change: Change, name: str) -> frozenset[Kind]:
    """Return the kinds that the open plan wants at a name."""
    switch = change.new.switch.switch
    digest = story.of_switch(switch).get((change.zone, name)) if isinstance(switch, Switch) else None
    return kinds_of(story.content(change.zone, name, digest) or ()) if digest else frozenset()


def _cut_off(change: Change) -> list[str]:
    """No batch leaves an alias of the zone, managed or not, without what it points to."""
    targets = {(name, record.type) for name, records in change.had.items() for record in records}
    left = {(name, record.type) for name, records in change.has.items() for record in records}
    return [
        f"{NEVER_EMPTY}: a batch took away what the alias {name} points to"
        for name, records in sorted(change.has.items())
        for record in records
        if record.alias is not None and (record.alias.name, record.type) in targets - left
    ]


def targets_of(records: Iterable[RecordSet]) -> frozenset[str]:
    """Return what record sets lead to, told apart by address or alias."""
    return frozenset(
        target for record in records for target in ([record.alias.name] if record.alias else record.values)
    )


def weights_of(records: Iterable[RecordSet]) -> dict[str, int]:
    """Return what each target weighs; 1 where record sets have no weights."""
    weights: dict[str, int] = {}
    for record in records:
        for target in targets_of((record,)):
            weights[target] = weights.get(target, 0) + (1 if record.weight is None else record.weight)
    return weights


def _unasked(story: Story, change: Change, batch: Batch) -> list[str]:
    """Nothing takes more than the limits say, but a retire, and what leads back to what the fence names.

    What a person allowed is for cycles alone. Targets are counted, and what they weigh is.
    """
    faults = []
    for name in change.changed:
        before, after = _fence(change.old, name), _fence(change.new, name)
        if after is None or (before is not None and before.plan == after.plan):
            continue
        if batch.retires or after.state == "retired":
            continue
        named = story.content(change.zone, name, before.plan) if before else None
        base = targets_of(named or change.had.get(name, ()))
        gone = targets_of(change.had.get(name, ())) - targets_of(change.has.get(name, ()))
        is_cycle = batch.origin == "cycle"
        allows = before.allow if before and is_cycle else ()
        allowed = {one.guard for one in allows if one.generation == after.gen and change.by.may_last(one.until)}
        if len(gone & base) > SHRINK_MAX * len(base) and not allowed >= {"shrink-targets", "shrink-capacity"}:
            faults.append(f"{NEVER_UNASKED}: a batch took {len(gone & base)} of {len(base)} targets of {name} away")
        had, has = (weights_of(group.get(name, ())) for group in (change.had, change.has))
        weighs = weights_of(named or change.had.get(name, ()))
        light = sum(weight for target, weight in weighs.items() if had.get(target) and not has.get(target))
        if light > SHRINK_MAX * sum(weighs.values()) and "shrink-capacity" not in allowed:
            faults.append(
                f"{NEVER_UNASKED}: a batch took {light} of {sum(weighs.values())} of the weight of {name} away"
            )
        began = _began(story, change, name)
        left = len(began & targets_of(change.has.get(name, ())))
        if is_cycle and gone and base != began and left < (1 - DRAIN_MAX) * len(began) and "slow-drain" not in allowed:
            faults.append(f"{NEVER_UNASKED}: step by step {name} came to {left} of the {len(began)} targets it had")
        if is_cycle and any(one.generation <= after.gen for one in after.allow):
            faults.append(f"{NEVER_UNASKED}: what was allowed at {name} is allowed once more")
    return faults


def _began(story: Story, change: Change, name: str) -> frozenset[str]:
    """Return what a name answered when the window began in which a batch was decided; nothing where none need have been open.

    Until a clock jumps that is when the story began, whatever a fence says; then it is what the fence names, while that lasts.
    """
    if not change.by.jumped:
        return story.began.get((change.zone, name), frozenset())
    fence = _fence(change.old, name)
    digest = window(fence, change.by) if fence is not None else None
    return targets_of(story.content(change.zone, name, digest) or ()) if digest else frozenset()


def _lifted(change: Change) -> list[str]:
    """What a person marked stays marked until the verb that lifts it; only a zone that stands still is left with its marks."""
    promise = {"hold": HOLD_MEANS_HOLD, "retired": RETIRED_STAYS_AWAY}
    faults = [
        f"{HOLD_MEANS_HOLD}: a batch retired {name}, which a person had frozen"
        for name in sorted(change.new.fences)
        if _is_tombstone(change, name) and is_frozen(_fence(change.old, name), change.by)
    ]
    if not change.ran:
        return faults
    return faults + [
        f"{promise[fence.state]}: a batch took the mark of {name} away while the zone runs"
        for name in sorted(change.old.fences)
        if (fence := _fence(change.old, name))
        and (fence.state == "retired" or is_frozen(fence, change.by))
        and name not in change.new.fences
    ]


def _left(story: Story, change: Change) -> list[str]:
    """A switch goes only where it stops, and as the last of all that is the fleet's."""
    if change.old.switch.record is None or change.new.switch.record is not None:
        return []
    mine = [name for name in change.new.fences if _own(story, change.new, name)]
    faults = [f"{STOP_MEANS_STOP}: a batch took the switch away while the zone runs"] if change.ran else []
    return faults + [f"{STOP_MEANS_STOP}: a batch took the switch away while {name} has its fence" for name in mine]


def _own(story: Story, found: FenceRange, name: str) -> Fence | None:
    fence = _fence(found, name)
    return fence if fence is not None and fence.fleet == story.fleet else None


def _fence(found: FenceRange, name: str) -> Fence | None:
    fence = found.fences[name].fence if name in found.fences else None
    return fence if isinstance(fence, Fence) else None


def _mixed(story: Story, change: Change, batch: Batch) -> list[str]:
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
        if after and batch.retires:  # a person takes one type away, and what is left may be no plan's
            left = content_of(record for record in change.had.get(name, ()) if record.type != batch.retires)
            wanted = left if content_digest(left) == after.plan else None
        if wanted is None:
            faults.append(f"{WHOLE}: a batch left {name} with a fence that says no content of any plan")
            continue
        named = story.content(change.zone, name, before.plan) if before else None
        by_hand = _differing(named or (), change.had.get(name, ())) if before else frozenset[Key]()
        if _differing(wanted, has) - by_hand:
            faults.append(f"{WHOLE}: a batch left {name} with {_ids(has)}, which is not what its fence says")
    return faults


def _misnamed(change: Change, batch: Batch) -> list[str]:
    """An adopt names what stands, and nothing else."""
    if batch.origin != "verb":
        return []
    adopted = [
        swap
        for swap in batch.swaps
        if swap.fence_after.gen == 0
        and ((before := _fence(change.old, swap.name)) is None or before.gen or _was_tombstone(change, swap.name))
    ]
    return [
        f"{WHOLE}: {swap.name} was adopted with a fence that does not say what stands there"
        for swap in adopted
        if content_digest(content_of(change.has.get(swap.name, ()))) != swap.fence_after.plan
    ]


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
    if isinstance(was, Switch) and change.new.switch.record is not None and opened < was.gen:
        faults.append(f"{NEVER_BACKWARDS}: a batch took the open generation from {was.gen} to {opened}")
    if isinstance(now, Switch) and not isinstance(was, Switch):
        written = max((one.gen for name in change.new.fences if (one := _own(story, change.new, name))), default=0)
        if opened < written:
            faults.append(f"{NEVER_BACKWARDS}: a switch was made at {opened}, and {written} was open by a fence")
    said = story.of_switch(now) if isinstance(now, Switch) else {}
    for name in change.changed:
        old, new = _fence(change.old, name), _fence(change.new, name)
        digest = new.plan if new else ""
        repaired = old is not None and old.plan == digest
        if not by_a_person and not repaired and said.get((change.zone, name)) != digest:
            faults.append(f"{NEVER_BACKWARDS}: a batch wrote {name} otherwise than the open generation {opened} says")
    return faults


def _strangers(story: Story, change: Change, batch: Batch) -> list[str]:
    """What is another fleet's, or unclear, is no cycle's to write; and nobody takes over what its fleet holds."""
    faults = []
    for swap in batch.swaps:
        before, reading_before = _fence(change.old, swap.name), change.old.fences.get(swap.name)
        is_theirs = before is not None and before.fleet != story.fleet
        if is_theirs and before is not None and is_frozen(before, change.by):
            faults.append(f"{HOLD_MEANS_HOLD}: a batch took {swap.name} over, which fleet {before.fleet} had frozen")
        if batch.origin != "cycle":
            continue
        if is_theirs or (reading_before is not None and (before is None or len(reading_before.record.values) != 1)):
            faults.append(f"{NOT_OURS}: a batch wrote {swap.name}, whose fence is another fleet's or cannot be read")
        found = content_digest(content_of(swap.before))
        known = story.known.get((change.zone, swap.name), set())
        if reading_before is None and swap.before and found not in known:
            faults.append(f"{NOT_OURS}: a batch wrote {swap.name}, where record sets stood that no plan explains")
    return faults


def _braked(change: Change, batch: Batch) -> list[str]:
    """No cycle writes where the switch stops; of several texts none is clear."""
    record = change.old.switch.record
    is_clear = record is not None and len(record.values) == 1
    if batch.origin != "cycle" or (is_clear and runs(change.old.switch.switch, change.by)):
        return []
    return [f"{STOP_MEANS_STOP}: a batch was carried out while the switch says stop"]


def _thawed(change: Change, batch: Batch) -> list[str]:
    if batch.origin != "cycle":
        return []
    held = [name for name in change.old.fences if is_frozen(_fence(change.old, name), change.by)]
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
    if state.trouble == "gone":
        return ()  # what stood there stands nowhere
    for name, one in found.fences.items():
        fence = one.fence
        if (
            not isinstance(fence, Fence)
            or fence.state == "retired"
            or fence.fleet != story.fleet
            or fence.plan not in story.known.get((zone, name), set())
        ):
            continue
        if (zone, name, fence.plan) not in there:
            faults.append(f"{NEVER_COLLECT}: the content {fence.plan} that stands at {name} is in no plan of the table")
    switch = found.switch.switch
    if isinstance(switch, Switch) and switch.gen and not kept.get(switch.gen, "").startswith(switch.plan):
        faults.append(f"{NEVER_COLLECT}: plan {switch.gen}, open in {zone}, is not in the table")
    return tuple(faults)


def of_meeting(
    story: Story, moments: tuple[ZoneState, ZoneState], batch: Batch, table: Table, by: Seen = STILL
) -> tuple[str, ...]:
    """Return what a batch has broken that only zone and table together tell: who was retired, and which plan was opened."""
    before = moments[0]
    old, new = (reading(moment, story.fleet) for moment in moments)
    was, now = old.switch.switch, new.switch.switch
    if not isinstance(was, Switch) or not isinstance(now, Switch):
        return ()
    if batch.origin == "cycle" and now.gen > was.gen > 0:
        return tuple(_vanished(story, was, now, before.zone.zone_id, table, by=by))
    if batch.origin == "verb":
        gone = [swap.name for swap in batch.swaps if swap.fence_after.state == "retired"]
        return tuple(_listed(story, now, before.zone.zone_id, gone, table))
    return ()


def _vanished(story: Story, was: Switch, now: Switch, zone: str, table: Table, *, by: Seen) -> list[str]:
    """A plan that leaves an endpoint out, and does not list it under retired, is opened only where a person allowed it."""
    retired = next((keys for digest, keys in story.retired.items() if digest.startswith(now.plan)), frozenset())
    left_out = {key for key in story.of_switch(was) if key[0] == zone} - set(story.of_switch(now)) - retired
    allow = table.get(f"{ALLOWS}{now.gen:012d}#vanished")
    if not left_out or (allow and by.may_last(datetime.fromisoformat(str(dict(allow)["until"])))):
        return []
    return [
        f"{NEVER_UNASKED}: generation {now.gen} was opened, which leaves {name} out" for _, name in sorted(left_out)
    ]


def _listed(story: Story, now: Switch, zone: str, names: Iterable[str], table: Table) -> list[str]:
    """A retire takes no name that the open plan lists, unless a newer one lists it under retired."""
    said = story.of_switch(now)
    newer = [digest for generation, digest in manifests(table).items() if generation > now.gen]
    leaves = {key for digest in newer for key in story.retired.get(digest, ())}
    return [
        f"{NEVER_EMPTY}: {name} was retired, which generation {now.gen}, the open one, lists"
        for name in names
        if (zone, name) in said and (zone, name) not in leaves
    ]


def of_mirror(before: Table, after: Table) -> tuple[str, ...]:
    """Return what a planner's write into the mirror has broken: nothing replaces what is newer and that HEAD knows of."""
    was, now = mirrored(before), mirrored(after)
    if was is None or before.get(MIRROR) == after.get(MIRROR):
        return ()
    if now is not None and now[0] < was[0] <= head_generation(after):
        return (f"{NEVER_BACKWARDS}: the mirror went from plan {was[0]} to {now[0]}",)
    return ()


def of_dark(story: Story, state: ZoneState, table: Table, by: Seen = STILL) -> tuple[str, ...]:
    """Return what an enactor has not brought to the mirror's plan while the table is away, but for what waits by design."""
    found = mirrored(table)
    fences = reading(state, story.fleet)
    switch = fences.switch.switch
    if found is None or state.trouble or not isinstance(switch, Switch) or not runs(switch, by):
        return ()
    generation, digest, _ = found
    if generation < switch.gen or (generation == switch.gen and not digest.startswith(switch.plan)):
        return ()  # an older one is at hand, or another: only repairs
    has = sets_by_name(state)
    end = End(fences, has, frozenset({digest}), frozenset({digest}), by)
    faults = [] if switch.gen == generation else [f"{NO_DEPENDENCY}: plan {generation} of the mirror was not opened"]
    return tuple(faults) + tuple(
        f"{NO_DEPENDENCY}: {name} stands at {_ids(has.get(name, ()))} and not as plan {generation} of the mirror says"
        for (zone, name), wanted in sorted(story.contents.get(digest, {}).items())
        if zone == state.zone.zone_id
        and content_digest(content_of(has.get(name, ()))) != wanted
        and not waits(story, end, name, wanted, may_be_refused=False)
    )


def of_table(before: Table, after: Table) -> tuple[str, ...]:
    """Return what a write of the table has broken."""
    faults = []
    was, now = head_generation(before), head_generation(after)
    had, has = manifests(before), manifests(after)
    if now < was:
        faults.append(f"{NEVER_BACKWARDS}: HEAD went from {was} to {now}")
    if now and now not in has and (now != was or was in had):  # where a hand points HEAD at nothing, it is none of ours
        faults.append(f"{NEVER_COLLECT}: HEAD is {now}, which is not in the table")
    faults += [
        f"{NEVER_COLLECT}: plan {one} was deleted, though it is pinned"
        for one in set(had) - set(has)
        if f"pin#{one:012d}" in after
    ]
    changed = {one for one, digest in had.items() if has.get(one, digest) != digest}
    faults += [f"{WHOLE}: plan {one} was changed" for one in sorted(changed)]
    faults += [
        f"{WHOLE}: plan {one} was published and cannot be read" for one in set(has) - set(had) if not _reads(after, one)
    ]
    return tuple(faults)


def _reads(table: Table, generation: int) -> bool:
    """Tell whether a plan's chunks make the body that its manifest names."""
    manifest = dict(table[f"{PLANS}{generation:012d}"])
    prefix = f"{CHUNKS}{manifest['upload']!s}#"
    parts = [dict(table[sk])["data"] for sk in sorted(table) if sk.startswith(prefix)]
    return _digest_of(b"".join(part for part in parts if isinstance(part, bytes))) == str(manifest["digest"])


@lru_cache(STATES_MAX)
def _digest_of(packed: bytes) -> str:
    """Return the digest of what chunks hold, empty where they do not unpack."""
    try:
        return digest_of(zlib.decompress(packed))
    except zlib.error:
        return ""


def readable_digests(table: Table) -> frozenset[str]:
    """Return the digests of the plans whose chunks make the body that their manifest names."""
    return frozenset(digest for one, digest in manifests(table).items() if _reads(table, one))


class End(msgspec.Struct, frozen=True):
    """What healthy hands have left: the fences, the record sets, and the digests of the plans in the table that can be read."""

    found: FenceRange
    has: dict[str, tuple[RecordSet, ...]]
    kept: frozenset[str]
    readable: frozenset[str]
    """Those of them that no collector has condemned."""
    by: Seen
    """The clock by which those hands worked."""

    def is_said(self, story: Story, key: tuple[str, str], digest: str) -> bool:
        """Tell whether a plan that can be read gives an endpoint the content of a digest."""
        return any(said.get(key) == digest for one, said in story.contents.items() if one in self.readable)


def end_of(story: Story, state: ZoneState, table: Table, by: Seen) -> End:
    """Return what stands in one zone and in the table by a clock."""
    condemned = {one for one in manifests(table) if dict(table[f"{PLANS}{one:012d}"]).get("condemned")}
    kept = readable_digests(table)
    readable = kept & {digest for one, digest in manifests(table).items() if one not in condemned}
    return End(reading(state, story.fleet), sets_by_name(state), kept, readable, by)


def of_end(
    story: Story,
    state: ZoneState,
    table: Table,
    *,
    refused: frozenset[str],
    leaves: bool = False,
    by: Seen = STILL,
) -> tuple[str, ...]:
    """Return what healthy hands have not brought to the newest plan by their clock, but for what waits for a person by design.

    `leaves`: a person may take the zone out of the fleet; where neither switch nor fence is left it is nobody's, on purpose.
    """
    found = reading(state, story.fleet)
    if state.trouble == "gone":
        return ()
    if leaves and found.switch.record is None and not found.fences:
        return ()
    head = head_generation(table)
    wanted = story.contents.get(manifests(table).get(head, ""), {})
    end = end_of(story, state, table, by)
    zone, has = state.zone.zone_id, end.has
    faults = [
        f"{NEVER_STUCK}: {name} stands at {_ids(has.get(name, ()))} and not as the newest plan, {head}, says"
        for (its_zone, name), digest in sorted(wanted.items())
        if its_zone == zone
        and content_digest(content_of(has.get(name, ()))) != digest
        and not waits(story, end, name, digest, may_be_refused=name in refused)
    ]
    if not wanted:
        faults.append(f"{NEVER_STUCK}: HEAD is {head}, and that is no plan which anybody published")
    switch = end.found.switch.switch
    if wanted and (not isinstance(switch, Switch) or switch.gen != head):
        opened = switch.gen if isinstance(switch, Switch) else "nothing"
        faults.append(f"{NEVER_STUCK}: the newest plan is {head}, and open in {zone} is {opened}")
    return tuple(faults)


def waits(story: Story, end: End, name: str, wanted: str, *, may_be_refused: bool) -> bool:
    """Tell whether an endpoint is in a state that names what a person must decide: garbled, foreign, or refused by a guard."""
    records = end.has.get(name, ())
    digest = content_digest(content_of(records))
    key = (end.found.zone, name)
    if name not in end.found.fences:
        known = {said[key] for one, said in story.contents.items() if one in end.kept and key in said}
        return bool(records) and digest not in known
    fence = _fence(end.found, name)
    if fence is None or fence.state == "retired" or is_frozen(fence, end.by):
        return True  # a person froze or retired it, or nobody can read what it is
    if fence.fleet != story.fleet:
        return True  # another fleet's by its fence: a person takes it over, or has that fleet let it go
    stood = window(fence, end.by)
    if stood and not end.is_said(story, key, stood):
        return True  # nobody can tell how much has gone: it waits for the end of the slow-drain window
    if not end.is_said(story, key, fence.plan):  # what its fence names is in no plan any more: what is left stands
        return takes_too_much(records, story.content(*key, wanted) or ())
    return may_be_refused and fence.plan == digest and bool(records)


def takes_too_much(before: Iterable[RecordSet], wanted: Iterable[RecordSet]) -> bool:
    """Tell whether a kind goes, or more than half of its targets or of their weight."""
    records, after = tuple(before), tuple(wanted)
    for kind in {record.type for record in records}:
        old, new = (weights_of(record for record in group if record.type == kind) for group in (records, after))
        gone = [target for target in old if target not in new]
        light = sum(old[target] for target in gone)
        if not new or len(gone) > SHRINK_MAX * len(old) or light > SHRINK_MAX * sum(old.values()):
            return True
    return False

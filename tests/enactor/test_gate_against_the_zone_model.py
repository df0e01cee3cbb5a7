"""The last gate and the sandbox's zone model are written apart, so that one fault cannot blind both: here they are held together.

Zones and batches are generated: swaps as `swap.decide` makes them, and wild ones as nobody should make them.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from enactor import gate
from enactor.aliases import beyond
from enactor.batch import Batch, Change, ordered
from enactor.fence import Fence, read_fence
from enactor.gate import GateLimits, refusals
from enactor.guards import Limits, Surroundings
from enactor.names import fence_name
from enactor.observe import FenceReading, sets_reading
from enactor.records import Content, RecordSet, content_digest, content_of, kinds_of
from enactor.sandbox import zone_model
from enactor.swap import Question, Refused, Swap, View, decide
from enactor.wire import record_from_wire, record_to_wire

from .kernel_builders import (
    ENACTOR,
    FLEET,
    NEW_NONCE,
    NOW,
    ZONE,
    ZONE_NAME,
    alias,
    batch,
    cname,
    digest,
    entry,
    fence,
    fence_record,
    simple,
    switch,
    switch_record,
    weighted,
)

NAMES = tuple(f"ep{number}.{ZONE_NAME}" for number in range(3))
MANAGED = ("A", "AAAA", "CNAME")
WEIGHTS = st.sampled_from((10, 10, 10, 1, 0))
MEMBERS = st.lists(st.integers(1, 4), min_size=1, max_size=4, unique=True)
TYPES = st.sampled_from((("A",), ("A",), ("AAAA",), ("A", "AAAA")))
SHAPES = ("weighted", "weighted", "simple", "multivalue", "cname", "alias", "nothing")
BOUNDED = settings(max_examples=200, deadline=None, derandomize=True)


@st.composite
def contents(draw: st.DrawFn, name: str, like: Content = ()) -> Content:
    """Draw what may stand at a name; of the same types as another content where one is given."""
    shape = draw(st.sampled_from(SHAPES[:4] if like else SHAPES))
    types = sorted({record.type for record in like} & {"A", "AAAA"}) or list(draw(TYPES))
    other = draw(st.sampled_from([known for known in NAMES if known != name]))
    sets: list[RecordSet] = []
    for record_type in types:
        members = draw(MEMBERS)
        if shape == "weighted":
            sets += [weighted(member, draw(WEIGHTS), record_type, name=name) for member in members]
            sets += [alias(other, record_type, name=name, weight=draw(WEIGHTS))] if draw(st.integers(0, 4)) == 0 else []
        elif shape == "simple":
            sets.append(simple(*members, record_type=record_type, name=name))
        elif shape == "multivalue":
            made = (weighted(member, 0, record_type, name=name) for member in members)
            sets += [msgspec.structs.replace(record, weight=None, multivalue=True) for record in made]
        elif shape == "alias":
            sets.append(alias(other, record_type, name=name))
    return content_of([cname("lb.example.net.", name=name)] if shape == "cname" else sets)


def played(zone: zone_model.Zone, changes: Iterable[Change]) -> zone_model.Zone | None:
    """Play changes on the model; None where Route 53 would refuse them."""
    wire = [{"Action": change.action, "ResourceRecordSet": record_to_wire(change.record)} for change in changes]
    found = zone_model.apply(zone, wire)
    return found if isinstance(found, zone_model.Zone) else None


def with_sets(zone: zone_model.Zone, records: Iterable[RecordSet]) -> zone_model.Zone:
    """Create what can be created, alias targets first; an alias to nothing is left out, as Route 53 would."""
    for record in sorted(records, key=lambda record: record.alias is not None):
        zone = played(zone, [Change("CREATE", record)]) or zone
    return zone


class Scene:
    """A zone as listed once, and the content that each fence names."""

    def __init__(self, zone: zone_model.Zone, named: Mapping[str, Content]) -> None:
        self.zone = zone
        self.named = named
        self.records = [record_from_wire(item) for item in zone.sets()]
        self.pointed = sets_reading(ZONE_NAME, ZONE, self.records).pointed

    def sets(self, name: str) -> tuple[RecordSet, ...]:
        return tuple(record for record in self.records if record.name == name and record.type in MANAGED)

    def fence(self, name: str) -> FenceReading | None:
        wanted = fence_name(name, ZONE_NAME)
        found = [record for record in self.records if record.name == wanted]
        return FenceReading(found[0], read_fence(found[0])) if found else None


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Draw a zone with fenced endpoints, drifted ones among them."""
    named = {name: draw(contents(name)) for name in NAMES}
    standing = {name: named[name] if draw(st.integers(0, 3)) else draw(contents(name)) for name in NAMES}
    return built(named, standing)


def built(named: Mapping[str, Content], standing: Mapping[str, Content]) -> Scene:
    """Return a zone in run at generation 8 where these sets stand, with fences that name those."""
    zone = with_sets(zone_model.Zone.empty(ZONE, ZONE_NAME), [switch_record(switch(8))])
    zone = with_sets(zone, [record for sets in standing.values() for record in sets])
    fences = [fence_record(fence(*sets), name) for name, sets in named.items() if sets]
    return Scene(with_sets(zone, fences), named)


@st.composite
def decided(draw: st.DrawFn, scene: Scene, name: str, wanted: Content = ()) -> Swap | None:
    """Draw what is wanted at a name where it is not given, and return the swap that is decided there."""
    if not wanted:
        wanted = draw(contents(name, scene.named[name])) if draw(st.integers(0, 3)) else scene.named[name]
    around = Surroundings(
        zone_name=ZONE_NAME,
        pointed=scene.pointed,
        available=frozenset((record.name, record.type) for record in (*scene.records, *wanted)),
        standing=frozenset((record.name, record.type) for record in scene.records),
    )
    question = Question(
        view=View(name=name, zone=ZONE, fence=scene.fence(name), sets=scene.sets(name)),
        wanted=entry(*wanted, name=name),
        generation=8,
        may_advance=draw(st.integers(0, 3)) > 0,
        named=scene.named[name] or None,
        kept=frozenset({digest(*scene.named[name])}),
        fleet=FLEET,
        enactor=ENACTOR,
        nonce=NEW_NONCE,
        limits=Limits(shrink_targets=1.0, shrink_capacity=1.0),
        around=around,
        aws_now=NOW,
    )
    decision = decide(question)
    found = decision.repair if isinstance(decision, Refused) else decision
    return found if isinstance(found, Swap) else None


@st.composite
def wild(draw: st.DrawFn, scene: Scene, name: str) -> Swap:
    """Draw a swap that nobody thought about: any DELETEs, any CREATEs, any fence."""
    before, new = scene.sets(name), draw(contents(name))
    deletes = [record for record in before if draw(st.integers(0, 2))]
    creates = [record for record in (*new, *deletes) if draw(st.integers(0, 2))]
    if draw(st.integers(0, 3)) == 0:
        creates = [msgspec.structs.replace(record, weight=0) for record in deletes if record.weight is not None]
    left = {record.key: record for record in before if record not in deletes}
    right = digest(*left.values(), *creates)
    after = fence(gen=8, nonce=NEW_NONCE, plan=draw(st.sampled_from((right, right, digest(*scene.named[name])))))
    observed = scene.fence(name)
    return Swap(
        name=name,
        zone=ZONE,
        state="behind",
        purpose="advance",
        fence_before=observed.record if observed else None,
        fence_after=msgspec.structs.replace(after, state=draw(st.sampled_from(("live", "live", "retired")))),
        deletes=tuple(deletes),
        creates=tuple({record.key: record for record in creates}.values()),
        before=before,
    )


def batch_of(scene: Scene, swaps: Sequence[Swap]) -> Batch:
    names = {swap.name for swap in swaps}
    pointed = frozenset(key for key in scene.pointed if key[0] in names)
    sets = {name: scene.sets(name) for name in NAMES}
    written = [record for swap in swaps for record in (*swap.before, *swap.creates)]
    return batch(*ordered(swaps), pointed=pointed, beyond=beyond(sets, written, ZONE))


@st.composite
def batches(draw: st.DrawFn, scene: Scene) -> Batch | None:
    """Draw a batch of one to three swaps, or None where nothing is to be done."""
    chosen = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    swaps = [draw(wild(scene, name) if draw(st.booleans()) else decided(scene, name)) for name in chosen]
    found = [swap for swap in swaps if swap is not None]
    return batch_of(scene, found) if found else None


def serving(sets: Iterable[RecordSet]) -> dict[str, bool]:
    """Return the kinds that have a set, and whether one of it has a weight that is not 0."""
    found: dict[str, bool] = {}
    for record in sets:
        for kind in ("v4", "v6") if record.type == "CNAME" else ("v4",) if record.type == "A" else ("v6",):
            found[kind] = found.get(kind, False) or record.weight != 0
    return found


def is_repair(swap: Swap, after: Sequence[RecordSet]) -> bool:
    old = read_fence(swap.fence_before) if swap.fence_before else None
    if not isinstance(old, Fence):
        return False
    return old.plan == swap.fence_after.plan == content_digest(content_of(after))


def assert_still_served(swap: Swap, before: Sequence[RecordSet], after: Sequence[RecordSet]) -> None:
    """Check promise 1 at one name: no kind goes, and none that had weight is left with zeros."""
    if swap.fence_after.state == "retired":
        return
    if is_repair(swap, after):
        assert after or not before
        return
    was, now = serving(before), serving(after)
    for kind, weighs in was.items():
        assert kind in now, f"{swap.name} lost {kind}"
        assert now[kind] or not weighs, f"{swap.name} is left with weight 0 for {kind}"


def dangling(scene: Scene) -> set[tuple[str, str, str]]:
    """Return every alias of the zone to a type that no set of its target has."""
    standing = {(record.name, record.type) for record in scene.records}
    return {
        (record.name, record.type, record.alias.name)
        for record in scene.records
        if record.alias is not None and (record.alias.name, record.type) not in standing
    }


@BOUNDED
@given(st.data())
def test_what_the_gate_allows_never_takes_the_last_served_set_of_a_kind(data: st.DataObject) -> None:
    """Promise 1, on the model: no endpoint loses a kind or all of its weight, and no alias is left pointing at nothing."""
    scene = data.draw(scenes())
    made = data.draw(batches(scene))
    if made is None or refusals(made, lambda _: GateLimits(targets=1.0, capacity=1.0)):
        return
    after = played(scene.zone, made.changes)
    if after is None:
        return
    left = Scene(after, {})
    for swap in made.swaps:
        assert_still_served(swap, scene.sets(swap.name), left.sets(swap.name))
    assert dangling(left) <= dangling(scene)


@BOUNDED
@given(st.data())
def test_the_gate_and_the_model_leave_the_same_sets(data: st.DataObject) -> None:
    """For every batch that the model accepts, the gate's own replay ends with the model's record sets, and calls none malformed."""
    scene = data.draw(scenes())
    made = data.draw(batches(scene))
    after = played(scene.zone, made.changes) if made else None
    if made is None or after is None:
        return
    before = {record.key: record for swap in made.swaps for record in swap.before}
    left, reasons = gate._play(made.changes, before)
    assert reasons == []
    modelled = Scene(after, {})
    for swap in made.swaps:
        mine = [record for key, record in left.items() if key[0] == swap.name]
        assert content_of(mine) == content_of(modelled.sets(swap.name))


@st.composite
def groups(draw: st.DrawFn, types: Sequence[str]) -> Content:
    """Draw weighted groups of at least two members that all serve."""
    members = st.lists(st.integers(1, 5), min_size=2, max_size=5, unique=True)
    weights = st.sampled_from((1, 10))
    return content_of(
        weighted(member, draw(weights), kind, name=NAMES[0]) for kind in types for member in draw(members)
    )


@BOUNDED
@given(st.data())
def test_a_batch_decided_on_a_zone_that_changed_takes_no_kind_away(data: st.DataObject) -> None:
    """Promise 1 beside other writers: a swap asserts survivors, so it fails where all that it leaned on was taken away meanwhile."""
    types = data.draw(TYPES)
    named = {NAMES[0]: data.draw(groups(types))}
    scene = built(named, {NAMES[0]: data.draw(groups(types)) if data.draw(st.booleans()) else named[NAMES[0]]})
    made = data.draw(decided(scene, NAMES[0], data.draw(groups(types))))
    if made is None:
        return
    touched = {record.key for record in (*made.deletes, *made.creates)}
    untouched = [record for record in scene.sets(NAMES[0]) if record.key not in touched]
    gone = [Change("DELETE", record) for record in untouched if data.draw(st.integers(0, 2))]
    zone = played(scene.zone, gone) if gone else scene.zone
    assert zone is not None
    after = played(zone, batch_of(scene, [made]).changes)
    assert after is not None, "what it names stands, so Route 53 takes it"
    before, left = Scene(zone, named).sets(NAMES[0]), Scene(after, named).sets(NAMES[0])
    assert (kinds_of(before) & kinds_of(named[NAMES[0]])) <= set(serving(left))
    assert all(serving(left).values())


@BOUNDED
@given(st.data())
def test_a_batch_decided_on_an_older_fence_is_refused_by_the_model(data: st.DataObject) -> None:
    """Promise 2: another nonce at one of its fences, and nothing of the batch lands."""
    scene = data.draw(scenes())
    made = data.draw(batches(scene))
    found = scene.fence(made.swaps[0].name) if made else None
    if made is None or found is None or not isinstance(found.fence, Fence):
        return
    moved = fence_record(msgspec.structs.replace(found.fence, nonce="e" * 16), made.swaps[0].name)
    zone = played(scene.zone, [Change("DELETE", found.record), Change("CREATE", moved)])
    assert zone is not None
    assert played(zone, made.changes) is None

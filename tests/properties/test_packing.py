"""Packing: every swap goes out once, whole and in its order, alias targets first, and no batch is over a limit or empty."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from enactor.batch import COMMENT_LIMIT_CHARACTERS, URGENCY, Batch, Change, SwitchChange, halves, ordered, pack
from enactor.fence import Fence, Switch, switch_text, text_set
from enactor.names import escaped, fence_name, switch_name
from enactor.records import Alias, RecordSet
from enactor.swap import Swap

from .bounds import bounded

ZONE = "Z1"
ZONE_NAME = "example.test."
ELEMENTS_MAX = 1_000
CHARACTERS_MAX = 32_000
NAMES = (*(f"ep{number:02d}.{ZONE_NAME}" for number in range(14)), f"*.{ZONE_NAME}", ZONE_NAME)

SPELLINGS: tuple[Callable[[str], str], ...] = (str, str.upper, escaped)


class Shape(NamedTuple):
    """How large a swap is: sets and values of each it deletes and creates, characters of a value, and whether it has a fence."""

    deletes: int
    creates: int
    values: int
    length: int
    is_new: bool


shapes = st.builds(
    Shape,
    deletes=st.sampled_from((0, 1, 2, 10, 99)),
    creates=st.sampled_from((1, 2, 3, 20, 100)),
    values=st.sampled_from((1, 1, 1, 4)),
    length=st.sampled_from((7, 15, 39)),
    is_new=st.booleans(),
)
large = st.builds(
    Shape,
    deletes=st.just(1),
    creates=st.just(1),
    values=st.sampled_from((1, 50, 100)),
    length=st.sampled_from((15, 39, 150)),
    is_new=st.booleans(),
)


def a_set(name: str, number: int, values: int, length: int) -> RecordSet:
    """Return a set of so many values, each of so many characters."""
    texts = tuple(f"{number}.{value}".ljust(length, "x") for value in range(values))
    return RecordSet(name=name, type="A", set_identifier=f"lb-{number}", ttl=60, weight=1, values=texts)


def swap_of(name: str, shape: Shape) -> Swap:
    """Return a swap of a shape; what its sets say matters to nobody here."""
    deletes = tuple(a_set(name, number, shape.values, shape.length) for number in range(shape.deletes))
    creates = tuple(a_set(name, number + 50, shape.values, shape.length) for number in range(shape.creates))
    before = None if shape.is_new else text_set(fence_name(name, ZONE_NAME), "v=1")
    return made(name, deletes=deletes, creates=creates, fence_before=before)


def made(
    name: str,
    *,
    deletes: tuple[RecordSet, ...] = (),
    creates: tuple[RecordSet, ...] = (),
    fence_before: RecordSet | None = None,
    state: str = "behind",
) -> Swap:
    """Return a swap made by hand."""
    fence = Fence(fleet="edge", gen=8, plan="d" * 12, by="az-1", nonce="f" * 16)
    return Swap(
        name=name,
        zone=ZONE,
        state=state,  # type: ignore[arg-type]
        purpose="advance",
        fence_before=fence_before,
        fence_after=fence,
        deletes=deletes,
        creates=creates,
        before=deletes,
    )


def switch_change(old: int | None, new: int) -> SwitchChange:
    """Return the switch going from one generation to another."""

    def text(gen: int) -> RecordSet:
        switch = Switch(fleet="edge", mode="run", gen=gen, plan="a" * 12, nonce=f"{gen:016x}")
        return text_set(switch_name("edge", ZONE_NAME), switch_text(switch))

    return SwitchChange(None if old is None else text(old), text(new))


@st.composite
def loads(draw: st.DrawFn) -> list[Swap]:
    """Draw swaps of many sizes, each of an endpoint of its own."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=len(NAMES)))
    kind = draw(st.sampled_from((shapes, large, st.one_of(shapes, large))))
    return [swap_of(name, draw(kind)) for name in names]


def elements_of(changes: Sequence[Change]) -> int:
    """Count ResourceRecord elements as Route 53 does."""
    return sum(max(1, len(change.record.values)) for change in changes)


def characters_of(changes: Sequence[Change]) -> int:
    """Count characters of Value as Route 53 does."""
    return sum(len("".join(change.record.values)) for change in changes)


def is_over(changes: Sequence[Change], goal: int) -> bool:
    """Tell whether changes are too many for one call."""
    return elements_of(changes) > ELEMENTS_MAX or characters_of(changes) > CHARACTERS_MAX or len(changes) > goal


packings = st.fixed_dictionaries(
    {
        "switch": st.sampled_from((switch_change(8, 8), switch_change(7, 8), switch_change(None, 8))),
        "comment": st.sampled_from(("", "x" * 300)),
        "changes_goal": st.sampled_from((1, 5, 40, 200, 2_000)),
    }
)


@given(loads(), packings)
@bounded(200)
def test_packing_keeps_every_limit_and_every_swap(swaps: list[Swap], how: dict[str, object]) -> None:
    """Batches are the swaps in their order, none lost, doubled or split, each batch within Route 53's limits and its goal."""
    batches = pack(swaps, zone=ZONE, zone_name=ZONE_NAME, **how)  # type: ignore[arg-type]
    switch, goal = how["switch"], how["changes_goal"]
    assert isinstance(switch, SwitchChange)
    assert isinstance(goal, int)
    assert [swap for batch in batches for swap in batch.swaps] == swaps
    assert len(batches) >= (1 if swaps or switch.before != switch.after else 0)
    for number, batch in enumerate(batches):
        assert batch.switch == (switch if number == 0 else SwitchChange(switch.after, switch.after))
        assert batch.swaps or (number, switch.before == switch.after) == (0, False), "never empty"
        assert elements_of(batch.changes) <= ELEMENTS_MAX
        assert characters_of(batch.changes) <= CHARACTERS_MAX
        assert len(batch.changes) <= goal or len(batch.swaps) <= 1, (
            "only a swap that alone is over the goal travels over it"
        )
        assert len(batch.comment) <= COMMENT_LIMIT_CHARACTERS
    for one, following in pairwise(batches):
        joined = (*one.changes, *first_swap(following))
        assert is_over(joined, goal) or one.switch != following.switch, "no call is spent where one was enough"


def first_swap(batch: Batch) -> tuple[Change, ...]:
    """Return the changes of a later batch's first swap."""
    name = batch.swaps[0].name
    ours = {name, fence_name(name, ZONE_NAME)}
    return tuple(change for change in batch.changes[2:] if change.record.name in ours)


@given(loads())
@bounded(100)
def test_a_batch_is_fence_deletes_creates_for_each_endpoint(swaps: list[Swap]) -> None:
    """In every batch the switch comes first, then each endpoint together: its fence, its DELETEs, its CREATEs; never an UPSERT."""
    for batch in pack(swaps, zone=ZONE, zone_name=ZONE_NAME, switch=switch_change(7, 8), comment=""):
        told = [(change.action, change.record.name, change.record.type) for change in batch.changes]
        switch = switch_name("edge", ZONE_NAME)
        expected = [("DELETE", switch, "TXT"), ("CREATE", switch, "TXT")]
        for swap in batch.swaps:
            fence = fence_name(swap.name, ZONE_NAME)
            expected += [("DELETE", fence, "TXT")] * (swap.fence_before is not None) + [("CREATE", fence, "TXT")]
            expected += [("DELETE", swap.name, "A")] * len(swap.deletes)
            expected += [("CREATE", swap.name, "A")] * len(swap.creates)
        assert told == expected


@given(loads(), st.sets(st.sampled_from([(name, "A") for name in NAMES])))
@bounded(100)
def test_bisection_ends_at_every_single_swap(swaps: list[Swap], pointed: set[tuple[str, str]]) -> None:
    """Halved and halved again, a batch falls into its swaps, in order, each under the same switch, the last gate told of each."""
    batches = pack(
        swaps, zone=ZONE, zone_name=ZONE_NAME, switch=switch_change(8, 8), comment="", pointed=pointed, changes_goal=500
    )
    for batch in batches:
        left, single = [batch], list[Batch]()
        while left:
            one = left.pop()
            if len(one.swaps) > 1:
                left += reversed(halves(one))
            else:
                single.append(one)
        assert [swap for one in single for swap in one.swaps] == list(batch.swaps)
        for one in single:
            assert one.switch == batch.switch
            assert {key for key in pointed if key[0] == one.swaps[0].name} <= one.pointed <= pointed


@st.composite
def alias_graphs(draw: st.DrawFn) -> list[Swap]:
    """Draw swaps in any order, some of them aliases to others, spelled as a listing may spell them; circles among them."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=8))
    swaps = []
    for name in names:
        zone = draw(st.sampled_from((ZONE, ZONE, ZONE, "ZELSEWHERE")))
        spell = draw(st.sampled_from(SPELLINGS))
        targets = draw(st.lists(st.sampled_from(NAMES), max_size=2))
        aliases = tuple(
            RecordSet(
                name=name, type="A", set_identifier=f"to-{number}", weight=1, alias=Alias(spell(target), zone, False)
            )
            for number, target in enumerate(targets)
        )
        state = draw(st.sampled_from(URGENCY))
        swaps.append(made(name, creates=aliases or (a_set(name, 1, 1, 7),), state=state))
    return swaps


def targets_of(swap: Swap, names: Sequence[str]) -> set[str]:
    """Return which of these names a swap creates an alias to, its own left out."""
    spelled = {text: name for name in names for text in (name, name.upper(), escaped(name))}
    found = {record.alias.name for record in swap.creates if record.alias and record.alias.zone == ZONE}
    return {spelled[text] for text in found if text in spelled} - {swap.name}


def reach(start: str, edges: dict[str, set[str]]) -> set[str]:
    """Return what can be reached from a name."""
    found: set[str] = set()
    left = [start]
    while left:
        for target in edges[left.pop()] - found:
            found.add(target)
            left.append(target)
    return found


@given(alias_graphs(), st.sampled_from(("", *NAMES)), st.integers(0, 999).map(Random))
@bounded(200)
def test_alias_targets_come_first(swaps: list[Swap], start: str, chance: Random) -> None:
    """A swap stands behind every swap it is an alias to, but where aliases go in a circle; nothing is lost or doubled."""
    names = [swap.name for swap in swaps]
    edges = {swap.name: targets_of(swap, names) for swap in swaps}
    found = ordered(swaps, start)
    place = {swap.name: number for number, swap in enumerate(found)}
    assert sorted(place) == sorted(names)
    assert len(found) == len(swaps)
    for name, targets in edges.items():
        for target in targets:
            assert place[target] < place[name] or name in reach(target, edges)
    shuffled = list(swaps)
    chance.shuffle(shuffled)
    assert ordered(shuffled, start) == found, "the order of discovery means nothing"


@given(alias_graphs(), st.sampled_from(("", *NAMES)))
@bounded(100)
def test_the_urgent_come_first(swaps: list[Swap], start: str) -> None:
    """Where no alias asks for more, the order is urgency, then names from the enactor's own starting point on, then the rest."""
    plain = [swap for swap in swaps if not targets_of(swap, NAMES)]
    found = ordered(plain, start)
    assert [URGENCY.index(swap.state) for swap in found] == sorted(URGENCY.index(swap.state) for swap in plain)
    for state in URGENCY:
        names = [swap.name for swap in found if swap.state == state]
        later = [name for name in sorted(names) if name >= start]
        assert names == later + [name for name in sorted(names) if name < start]

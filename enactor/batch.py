"""Decide how swaps become ChangeResourceRecordSets calls: order inside a batch, and packing under every limit of Route 53.

Pure. A batch is, in this order: the switch (DELETE as observed, CREATE), then for each endpoint the fence (DELETE as observed,
CREATE with a new nonce), every DELETE of the name, every CREATE of the name. Never an UPSERT: it would overwrite what nobody
looked at. An endpoint is never split over two batches (promise 3), and alias targets come before the aliases to them.
"""

import zlib
from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from enactor import names
from enactor.fence import Fence, fence_text, text_set
from enactor.records import RecordSet
from enactor.swap import State, Swap

ELEMENTS_MAX: Final = 1_000
"""Route 53: ResourceRecord elements in one batch; an alias counts 1."""
CHARACTERS_MAX: Final = 32_000
"""Route 53: characters of all Values in one batch."""
SWAPS_GOAL: Final = 40
"""Endpoints in one call. Counted in endpoints, because a repair of everything at once, which creates every set, then takes no more
calls than a plan that changes one set of each (promise 6); a failure holds up no more than these."""
CHANGES_GOAL: Final = 400
"""Changes in one call. Beyond about ten changes packing buys nothing; more than the account's share refills in seconds blocks it."""
COMMENT_LIMIT_CHARACTERS: Final = 256
"""Route 53: the change's Comment."""

URGENCY: Final[tuple[State, ...]] = ("empty", "missing", "drifted", "fence-missing", "behind")
"""What is worked on first."""

Action = Literal["DELETE", "CREATE"]
Origin = Literal["cycle", "verb", "selftest"]
"""A cycle's batch asserts the switch; an operator's verb leaves it out and works while stopped; a self-test has scratch names."""


class Change(msgspec.Struct, frozen=True):
    """One change of a batch."""

    action: Action
    record: RecordSet


class SwitchChange(msgspec.Struct, frozen=True):
    """The switch as observed and as it will be: the same to assert it, another text to open a generation."""

    before: RecordSet | None
    after: RecordSet


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """One call: the switch, and whole swaps."""

    zone: str
    zone_name: str
    origin: Origin
    switch: SwitchChange | None
    swaps: tuple[Swap, ...]
    comment: str
    pointed: frozenset[tuple[str, str]] = frozenset()
    """Each (name, type) of these swaps that an alias of the zone was seen to point to."""
    beyond: tuple[RecordSet, ...] = ()
    """Every set that the aliases of these swaps were seen to lead to, step by step; what is not there leads to nothing."""
    retires: str = ""
    """The record type that a person takes away at the one endpoint of a verb's batch."""
    extra: tuple[Change, ...] = ()
    """Changes beside swaps: a self-test's scratch sets, and the fences that a verb takes away."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return every change in the order Route 53 evaluates them."""
        return (
            *_switch_changes(self.switch),
            *(change for swap in self.swaps for change in swap_changes(swap, self.zone_name)),
            *self.extra,
        )

    @property
    def opens(self) -> bool:
        """Tell whether the switch changes: to a new generation, or by an operator's verb."""
        return self.switch is not None and self.switch.before != self.switch.after

    def endpoints_at(self, record_names: Iterable[str]) -> set[str]:
        """Return which endpoints of the batch the record names of an answer belong to: a fence's name is its endpoint's."""
        ours = {swap.name for swap in self.swaps}
        return {
            name for record in record_names if (name := names.name_of_fence(record, self.zone_name) or record) in ours
        }

    def endpoints_pointing_to(self, targets: Iterable[str]) -> set[str]:
        """Return which endpoints of the batch create an alias to one of these names."""
        wanted = frozenset(targets)
        return {
            swap.name
            for swap in self.swaps
            if any(record.alias is not None and record.alias.name in wanted for record in swap.creates)
        }


class Size(msgspec.Struct, frozen=True):
    """What a batch costs: ResourceRecord elements, characters of Value, changes."""

    elements: int
    characters: int
    changes: int

    def __add__(self, other: "Size") -> "Size":
        return Size(self.elements + other.elements, self.characters + other.characters, self.changes + other.changes)

    def larger(self, other: "Size") -> "Size":
        """Return a size that neither of two is over."""
        return Size(
            max(self.elements, other.elements),
            max(self.characters, other.characters),
            max(self.changes, other.changes),
        )

    def fits(self) -> bool:
        """Tell whether Route 53 takes a batch of this size in one call."""
        return self.elements <= ELEMENTS_MAX and self.characters <= CHARACTERS_MAX


NO_SIZE: Final = Size(0, 0, 0)


def fence_set(fence: Fence, name: str, zone_name: str) -> RecordSet:
    """Return the TXT record set of an endpoint's fence."""
    return text_set(names.fence_name(name, zone_name), fence_text(fence))


def swap_changes(swap: Swap, zone_name: str) -> tuple[Change, ...]:
    """Return a swap's changes in order: fence, deletes, creates (each CREATE is judged as it comes)."""
    before = () if swap.fence_before is None else (Change("DELETE", swap.fence_before),)
    return (
        *before,
        Change("CREATE", fence_set(swap.fence_after, swap.name, zone_name)),
        *(Change("DELETE", record) for record in swap.deletes),
        *(Change("CREATE", record) for record in swap.creates),
    )


def sets_after(swap: Swap) -> tuple[RecordSet, ...]:
    """Return every managed set at the name as a swap leaves it, in the order of their keys."""
    left = {record.key: record for record in swap.before}
    for record in swap.deletes:
        left.pop(record.key)
    left |= {record.key: record for record in swap.creates}
    return tuple(left[key] for key in sorted(left))


def _switch_changes(switch: SwitchChange | None) -> tuple[Change, ...]:
    if switch is None:
        return ()
    before = () if switch.before is None else (Change("DELETE", switch.before),)
    return (*before, Change("CREATE", switch.after))


def size_of(changes: Iterable[Change]) -> Size:
    """Return what changes cost together."""
    elements = characters = count = 0
    for change in changes:
        elements += 1 if change.record.alias else len(change.record.values)
        characters += sum(len(value) for value in change.record.values)
        count += 1
    return Size(elements, characters, count)


def ordered(swaps: Iterable[Swap], start: str = "") -> list[Swap]:
    """Sort swaps by urgency, then name from `start` on (each enactor starts at another point), alias targets first."""
    ranked = sorted(swaps, key=lambda swap: (URGENCY.index(swap.state), swap.name < start, swap.name))
    by_name = {swap.name: swap for swap in ranked}
    done: dict[str, Swap] = {}
    for swap in ranked:
        for step in _targets_first(swap, by_name, done):
            done[step.name] = step
    return list(done.values())


def _targets_first(swap: Swap, by_name: dict[str, Swap], done: dict[str, Swap]) -> list[Swap]:
    """Return a swap behind everything it is an alias to, depth first without recursion; a circle is broken where it closes."""
    path: list[Swap] = []
    stack = [(swap, False)]
    seen: set[str] = set()
    while stack:
        step, expanded = stack.pop()
        if expanded:
            path.append(step)
        elif step.name not in seen and step.name not in done:
            seen.add(step.name)
            stack.append((step, True))
            stack += [(by_name[name], False) for name in _alias_names(step) if name in by_name]
    return path


def _alias_names(swap: Swap) -> list[str]:
    aliases = (record.alias for record in swap.creates if record.alias and record.alias.zone == swap.zone)
    targets = {names.canonical(alias.name) for alias in aliases}  # a listing spells a wildcard `\052`
    return sorted((target for target in targets if target != swap.name), reverse=True)


def followers(swaps: Iterable[Swap], wanted: Iterable[str]) -> frozenset[str]:
    """Return the names of the swaps that create an alias to one of these names, or to such an alias, and so on."""
    aliases = {swap.name: _alias_names(swap) for swap in swaps}
    start = frozenset(wanted)
    found = set(start)
    while more := {name for name, targets in aliases.items() if name not in found and not found.isdisjoint(targets)}:
        found |= more
    return frozenset(found - start)


def turned(swaps: Sequence[Swap], word: str) -> str:
    """Return the name to start from: another for each word, so that enactors with words of their own seldom meet."""
    names_in_order = sorted(swap.name for swap in swaps)
    return names_in_order[zlib.crc32(word.encode()) % len(names_in_order)] if names_in_order else ""


def fitting(swaps: Iterable[Swap], zone_name: str, switch: SwitchChange) -> tuple[list[Swap], list[tuple[Swap, Size]]]:
    """Part swaps into those that a batch can hold and those that alone are over Route 53's limits, with their size.

    What stands may be larger than any plan could ask for: a person may have typed it.
    """
    fit: list[Swap] = []
    over: list[tuple[Swap, Size]] = []
    heads = _heads(switch)
    for swap in swaps:
        size = heads + size_of(swap_changes(swap, zone_name))
        if size.fits():
            fit.append(swap)
        else:
            over.append((swap, size))
    return fit, over


def _heads(switch: SwitchChange) -> Size:
    """Return what the switch takes of a batch, of the first as of every later one."""
    later = SwitchChange(switch.after, switch.after)
    return size_of(_switch_changes(switch)).larger(size_of(_switch_changes(later)))


def pack(
    swaps: Sequence[Swap],
    *,
    zone: str,
    zone_name: str,
    switch: SwitchChange,
    comment: str,
    pointed: Iterable[tuple[str, str]] = (),
    swaps_goal: int = SWAPS_GOAL,
    changes_goal: int = CHANGES_GOAL,
) -> list[Batch]:
    """Fill batches with whole swaps, in the order given; a swap that alone is over a goal travels alone.

    The first batch carries the switch change that was given; every later one asserts the switch as the first one left it.
    Without swaps, a switch that changes still needs its batch: opening happens even where a plan changes nothing in the zone.
    """
    later = SwitchChange(switch.after, switch.after)
    groups = _groups(swaps, zone_name, _heads(switch), swaps_goal, changes_goal)
    if not groups and switch.before == switch.after:
        return []
    pointed = frozenset(pointed)
    return [
        Batch(
            zone=zone,
            zone_name=zone_name,
            origin="cycle",
            switch=later if index else switch,
            swaps=tuple(group),
            comment=comment[:COMMENT_LIMIT_CHARACTERS],
            pointed=frozenset(key for key in pointed if key[0] in {swap.name for swap in group}),
        )
        for index, group in enumerate(groups or [[]])
    ]


def _groups(swaps: Sequence[Swap], zone_name: str, head: Size, swaps_goal: int, changes_goal: int) -> list[list[Swap]]:
    groups: list[list[Swap]] = []
    size = NO_SIZE
    for swap in swaps:
        cost = size_of(swap_changes(swap, zone_name))
        assert (head + cost).fits(), f"{swap.name} alone is over Route 53's limits: `fitting` leaves it out"
        together = size + cost
        is_full = bool(groups) and (len(groups[-1]) >= swaps_goal or together.changes > changes_goal)
        if not groups or is_full or not together.fits():
            groups.append([])
            together = head + cost
        groups[-1].append(swap)
        size = together
    return groups


def halves(batch: Batch) -> tuple[Batch, Batch]:
    """Split a batch in two, order kept, to find by bisection the endpoint that Route 53 rejects without naming it."""
    assert len(batch.swaps) > 1, "one swap is not split"
    middle = len(batch.swaps) // 2
    return (
        msgspec.structs.replace(batch, swaps=batch.swaps[:middle]),
        msgspec.structs.replace(batch, swaps=batch.swaps[middle:]),
    )

"""Search every interleaving: depth first, each state once.

A state is everything there is, so two runs that meet in one state have one future. A killed actor is one that gets no more turns:
every state where it stands is visited, and from every state healthy hands are shown to bring everything right.

States are packed into single integers and what a step makes of one part is remembered, so that a search of millions of states is
arithmetic; `Stage.take` stays the one definition of a step, and `timeline` plays what was found through it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from .ops import component, is_private
from .stage import NO_FAULT, Held, Stage, State, Step

PART_BITS: Final = 20
PART_MASK: Final = (1 << PART_BITS) - 1
PAIR_MASK: Final = (1 << 2 * PART_BITS) - 1

Choice = tuple[int, str, int]
"""A Step as a plain tuple: actor, fault, which held request."""


class Found(msgspec.Struct, frozen=True):
    """A promise that broke, and the steps that lead to it."""

    faults: tuple[str, ...]
    steps: tuple[Step, ...]


class Searched(msgspec.Struct, kw_only=True):
    """What a search has seen."""

    states: int = 0
    steps: int = 0
    ends: int = 0
    found: list[Found] = []
    by_fault: Counter[str] = msgspec.field(default_factory=Counter)
    stopped_early: bool = False


class Search:
    """One search of one stage.

    A packed state is, from the lowest bits: each actor's position, the table, the zone, the requests held, the faults left.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._actors = len(stage.scenario.actors)
        self._held: dict[tuple[Held, ...], int] = {(): 0}
        self._held_sets: list[tuple[Held, ...]] = [()]
        self._moves: dict[int, tuple[int, int, tuple[str, ...]]] = {}
        """By actor, position and the part of the world it looks at: the part after, the position after, what broke."""
        self._pairs: set[int] = set()
        self._shift_table = self._actors * PART_BITS
        self._shift_zone = self._shift_table + PART_BITS
        self._shift_held = self._shift_zone + PART_BITS
        self._shift_left = self._shift_held + PART_BITS

    def run(self, *, faults: int = 0, found_max: int = 1, states_max: int | None = None) -> Searched:
        """Visit every state that can be reached with at most so many faults."""
        result = Searched()
        stack: list[tuple[int, int, Choice]] = [(self._packed(self._stage.first, faults), 0, (-1, NO_FAULT, -1))]
        seen: set[int] = {stack[0][0]}
        path: list[Choice] = []
        found = result.found
        while stack and len(found) < found_max and result.states != states_max:
            here, depth, came_by = stack.pop()
            del path[max(depth - 1, 0) :]
            if depth:
                path.append(came_by)
            result.states += 1
            pair = here >> self._shift_table & PAIR_MASK
            if pair not in self._pairs:
                self._pairs.add(pair)
                broken = self._stage.end_faults(pair >> PART_BITS, pair & PART_MASK)
                if broken:
                    found.append(Found(broken, _steps(path)))
            before = result.steps
            for there, choice, broken in self._after(here):
                result.steps += 1
                if choice[1]:
                    result.by_fault[choice[1]] += 1
                if broken:
                    found.append(Found(broken, _steps([*path, choice])))
                if there not in seen:
                    seen.add(there)
                    stack.append((there, depth + 1, choice))
            result.ends += result.steps == before
        result.stopped_early = bool(stack)
        return result

    def _after(self, here: int) -> Iterator[tuple[int, Choice, tuple[str, ...]]]:
        """Yield every state that one step leads to."""
        pending, ops = self._stage.troupe.pending, self._stage.world.ops
        local: list[tuple[int, int]] = []
        turns: list[tuple[int, int]] = []
        for actor in range(self._actors):
            position = (here >> actor * PART_BITS & PART_MASK) - 2
            if position >= 0 and pending[position] >= 0:
                turns.append((actor, position))
                if is_private(ops[pending[position]]):
                    local.append((actor, position))
        # What nobody else can see or disturb goes first, alone: the order of it and of others' steps changes nothing.
        for actor, position in local[:1] or turns:
            yield self._turn(here, actor, position)
        if here >> self._shift_left:
            for actor, position in local[:1] or turns:
                yield from self._faulty(here, actor, position)
        if not local:
            held = here >> self._shift_held & PART_MASK
            for index in range(len(self._held_sets[held])):
                yield self._taken(here, (-1, NO_FAULT, index))

    def _turn(self, here: int, actor: int, position: int) -> tuple[int, Choice, tuple[str, ...]]:
        """Return the state after an actor's turn without a fault."""
        choice = (actor, NO_FAULT, -1)
        op = self._stage.troupe.pending[position]
        kind = component(self._stage.world.ops[op])
        shift = self._shift_zone if kind == "zone" else self._shift_table
        part = here >> shift & PART_MASK if kind != "none" else 0
        key = (position << PART_BITS | part) << 2 | (kind == "zone")
        move = self._moves.get(key)
        if move is None:
            there, _, broken = self._taken(here, choice)
            after = there >> shift & PART_MASK if kind != "none" else 0
            move = self._moves[key] = (after - part, (there >> actor * PART_BITS & PART_MASK) - position - 2, broken)
            return there, choice, broken
        there = here + (move[0] << shift) + (move[1] << actor * PART_BITS)
        if not move[0]:
            return there, choice, move[2]
        # The zone and the table are judged together whenever one of them changes.
        pair, old = there >> self._shift_table & PAIR_MASK, here >> self._shift_table & PAIR_MASK
        if pair in self._pairs and old in self._pairs:
            return there, choice, move[2]
        return there, choice, self._taken(here, choice)[2]

    def _faulty(self, here: int, actor: int, position: int) -> Iterator[tuple[int, Choice, tuple[str, ...]]]:
        for fault in self._stage.faults_of(self._stage.troupe.pending[position]):
            yield self._taken(here, (actor, fault, -1))

    def _taken(self, here: int, choice: Choice) -> tuple[int, Choice, tuple[str, ...]]:
        state, left = self._unpacked(here)
        after, broken = self._stage.take(state, Step(*choice))
        return self._packed(after, left - (1 if choice[1] else 0)), choice, broken

    def _packed(self, state: State, left: int) -> int:
        assert not state.stops, "stories with a stop are not packed"
        assert not state.clocks, "no clock jumps in a search"
        held = self._held.get(state.held)
        if held is None:
            held = self._held[state.held] = len(self._held_sets)
            self._held_sets.append(state.held)
        packed = left
        for part in (held, state.zone, state.table, *(position + 2 for position in reversed(state.positions))):
            assert 0 <= part <= PART_MASK, "a part has outgrown its bits"
            packed = packed << PART_BITS | part
        return packed

    def _unpacked(self, packed: int) -> tuple[State, int]:
        positions = tuple((packed >> actor * PART_BITS & PART_MASK) - 2 for actor in range(self._actors))
        table, zone = packed >> self._shift_table & PART_MASK, packed >> self._shift_zone & PART_MASK
        held = self._held_sets[packed >> self._shift_held & PART_MASK]
        return State(zone, table, positions, held, decided=(0,) * self._actors), packed >> self._shift_left


def _steps(path: Sequence[Choice]) -> tuple[Step, ...]:
    return tuple(Step(*choice) for choice in path)


def search(stage: Stage, *, faults: int = 0, found_max: int = 1, states_max: int | None = None) -> Searched:
    """Visit every state of a stage that can be reached with at most so many faults."""
    return Search(stage).run(faults=faults, found_max=found_max, states_max=states_max)

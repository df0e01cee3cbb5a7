"""Find the race of October 2025 by search: the replay's copy of that day's automation, interleaved at every call it makes."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from enactor import wire
from enactor.replay.behaviour_2025 import Automation2025
from enactor.replay.stage import API, ZONE, ZONE_NAME
from enactor.sandbox.zone_model import Zone

from .actors import Actor, Line, Troupe
from .ops import Listing, Raw, said
from .world import World

LOCK_TRIES: Final = 3
NEWEST_THAT_NIGHT: Final = 5


class Searched(msgspec.Struct, kw_only=True):
    """What the search has seen: how many states, and a way to an endpoint that answers nothing."""

    states: int
    timeline: tuple[str, ...]
    empty: Zone | None


class ThinClient:
    """What the automation of 2025 uses of boto3's Route 53 client, each call one operation."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def list_resource_record_sets(self, **_: Any) -> dict[str, Any]:
        return {"ResourceRecordSets": [wire.record_to_wire(record) for record in self._line.ask(Listing(ZONE))]}

    def change_resource_record_sets(self, *, ChangeBatch: dict[str, Any], **_: Any) -> None:  # noqa: N803 - boto3's name
        changes = [
            (change["Action"], wire.record_from_wire(change["ResourceRecordSet"])) for change in ChangeBatch["Changes"]
        ]
        self._line.ask(Raw(ZONE, tuple(changes)))


def applier(name: str, number: int, generations: Sequence[int], *, cleans_up: bool) -> Actor:
    """Return an enactor of that day that applies some plans, one after the other, and may clean up at the end."""

    def body(line: Line) -> None:
        one = Automation2025(name, ThinClient(line))
        for generation in generations:
            apply(one, generation)
        if cleans_up:
            one.delete_trees(one.old_trees())

    return Actor(name=name, number=number, body=body)


def apply(one: Automation2025, generation: int) -> str | None:
    """Apply a plan as it was done; return why Route 53 refused, None where it did not."""
    if not one.picks_up(generation):
        return None
    one.build_tree(generation)
    if not any(one.take_lock() for _ in range(LOCK_TRIES)):
        return None
    refusal = one.flip(generation)
    one.release_lock()
    return refusal


def search() -> Searched:
    """Search depth first for a state in which the endpoint is an alias to nothing."""
    world = World({ZONE: ZONE_NAME})
    actors = (
        applier("a", 1, (2,), cleans_up=False),
        applier("b", 2, range(3, NEWEST_THAT_NIGHT + 1), cleans_up=True),
    )
    first = played(world, applier("first", 9, (1,), cleans_up=False), world.zone(Zone.empty(ZONE, ZONE_NAME)))
    troupe = Troupe(actors, world.op, world.answers)
    start = (first, troupe.starts_of)
    came_from: dict[Any, Any] = {start: None}
    stack = [start]
    while stack:
        zone, positions = here = stack.pop()
        if is_empty(world.zones[zone].zone):
            left = ended(world, troupe, zone, positions)
            return Searched(states=len(came_from), timeline=tuple(told(came_from, here)), empty=world.zones[left].zone)
        for actor, position in enumerate(positions):
            op = troupe.pending[position]
            if op < 0:
                continue
            after, answer = world.step_zone(zone, op)
            there = (after, (*positions[:actor], troupe.advance(position, answer), *positions[actor + 1 :]))
            if there not in came_from:
                came_from[there] = (here, f"{actors[actor].name}  {said(world.ops[op])}")
                stack.append(there)
    return Searched(states=len(came_from), timeline=(), empty=None)


def ended(world: World, troupe: Troupe, zone: int, positions: tuple[int, ...]) -> int:
    """Let everybody end what they are at."""
    for start in positions:
        position = start
        while troupe.pending[position] >= 0:
            zone, answer = world.step_zone(zone, troupe.pending[position])
            position = troupe.advance(position, answer)
    return zone


def played(world: World, actor: Actor, zone: int) -> int:
    """Let one actor do all it does, alone."""
    troupe = Troupe((actor,), world.op, world.answers)
    position = troupe.starts_of[0]
    while troupe.pending[position] >= 0:
        zone, answer = world.step_zone(zone, troupe.pending[position])
        position = troupe.advance(position, answer)
    assert not troupe.end(position).crash, troupe.end(position).crash
    return zone


def is_empty(zone: Zone) -> bool:
    """Tell whether the endpoint is an alias to a name without record sets."""
    aliases = [found["AliasTarget"]["DNSName"] for found in zone.sets(API) if "AliasTarget" in found]
    return any(not zone.sets(target) for target in aliases)


def told(came_from: dict[Any, Any], here: Any) -> list[str]:
    """Return the way to a state as lines."""
    lines = []
    while came_from[here] is not None:
        here, line = came_from[here]
        lines.append(line)
    return lines[::-1]


def later_plan_is_stuck(zone: Zone, generation: int) -> str | None:
    """Let another enactor of that day apply a later plan on what is left; return why Route 53 refused."""
    world = World({ZONE: ZONE_NAME})
    refusals: list[str | None] = []

    def body(line: Line) -> None:
        one = Automation2025("c", ThinClient(line))
        one.build_tree(generation)
        refusals.append(one.flip(generation) if one.take_lock() else "the lock is taken")

    played(world, Actor(name="c", number=3, body=body), world.zone(zone))
    return refusals[0]

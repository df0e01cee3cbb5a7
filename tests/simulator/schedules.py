"""Choose who goes next and which fault strikes, from a seed: uniformly, or with few preemptions; and make what was found short.

A run is its steps. Same seed, same commit: the same run, whatever else was run before it.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec

from .clocks import JUMPS, of_world
from .exhaustive import Found
from .stage import KILL, NO_FAULT, Stage, State, Step

STEPS_MAX: Final = 1_500
"""No story is longer; one that is does not come to an end by itself."""
Manner = Literal["uniform", "few-preemptions"]


class Tally(msgspec.Struct, kw_only=True):
    """What a campaign has done."""

    keep_steps: bool = False
    last_steps: tuple[Step, ...] = ()
    """The steps of the last run, where they are kept."""
    runs: int = 0
    steps: int = 0
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    found: list[tuple[str, Found]] = msgspec.field(default_factory=list)
    """The line that replays a run, and what it broke."""


def run(stage: Stage, seed: int, *, faults_max: int, manner: Manner, tally: Tally) -> Found | None:
    """Play one run; return what it broke."""
    chance = random.Random(f"{stage.scenario.name}/{seed}")
    state, left = stage.first, chance.randint(0, faults_max)
    steps: list[Step] = []
    order = _order(stage, chance) if manner == "few-preemptions" else None
    jumps = stage.scenario.timed or seed // 2 % JUMPS_IN_ONE_OF == 0
    tally.runs += 1
    while len(steps) < STEPS_MAX:
        step = _chosen(stage, state, chance, left, order, jumps=jumps)
        if step is None:
            break
        steps.append(step)
        tally.steps += 1
        if step.fault:
            left -= 1
            tally.faults[step.fault] += 1
        state, broken = stage.take(state, step)
        if broken:
            return Found(broken, tuple(steps))
    if tally.keep_steps:
        tally.last_steps = tuple(steps)
    broken = stage.end_faults(state.zone, state.table, of_world(state.clocks))
    if len(steps) == STEPS_MAX:
        broken = (*broken, "never stuck: a run does not come to an end")
    return Found(broken, tuple(steps)) if broken else None


class _Order:
    """Priorities that change a few times: most of a run goes by without a switch of actors."""

    def __init__(self, priorities: list[int], changes: set[int]) -> None:
        self.priorities = priorities
        self.changes = changes
        self.turn = 0


def _order(stage: Stage, chance: random.Random) -> _Order:
    priorities = list(range(len(stage.scenario.actors) + 1))  # the last is the arrival of held requests
    chance.shuffle(priorities)
    return _Order(priorities, {chance.randrange(80) for _ in range(chance.randint(1, 4))})


def _chosen(
    stage: Stage, state: State, chance: random.Random, left: int, order: _Order | None, *, jumps: bool
) -> Step | None:
    turns = stage.turns(state)
    if not turns and not state.held:
        return None
    arrivals = len(stage.scenario.actors)
    options = turns + ([arrivals] if state.held else [])
    if order is None:
        who = chance.choice(options)
    else:
        who = max(options, key=lambda option: order.priorities[option])
        if order.turn in order.changes:
            order.priorities[who] = min(order.priorities) - 1
        order.turn += 1
    if who == arrivals:
        return Step(-1, NO_FAULT, chance.randrange(len(state.held)))
    if left and chance.random() < FAULT_SHARE:
        kinds = [*stage.faults_of(stage.troupe.pending[state.positions[who]]), KILL]
        kind = chance.choice([*kinds, A_JUMP] if jumps else kinds)
        return Step(who, chance.choice(tuple(JUMPS)) if kind == A_JUMP else kind)
    return Step(who)


FAULT_SHARE: Final = 0.08
A_JUMP: Final = "a clock jumps"
"""One kind of fault among the others of an operation, whichever of the jumps it is then."""
JUMPS_IN_ONE_OF: Final = 32
"""In so many runs of a story where nothing ends by itself clocks may jump in one, of either manner: whoever is told of another time gives
answers that nobody gave before, and such a run takes five times as long as one whose steps are known."""


def shrunk(stage: Stage, found: Found) -> Found:
    """Return a shorter run that breaks the same promise: steps that do not matter are dropped, one after the other."""
    label = _label(found.faults)
    best = found
    size = max(1, len(best.steps) // 2)
    while size:
        start = 0
        while start < len(best.steps):
            tried = replayed(stage, best.steps[:start] + best.steps[start + size :])
            if tried is not None and _label(tried.faults) & label:
                best = tried
            else:
                start += size
        size //= 2
    return best


def replayed(stage: Stage, steps: Sequence[Step]) -> Found | None:
    """Play steps that may no longer all be possible; those that are not are left out. Return what broke."""
    state = stage.first
    played: list[Step] = []
    for step in steps:
        if not _possible(stage, state, step):
            continue
        played.append(step)
        state, broken = stage.take(state, step)
        if broken:
            return Found(broken, tuple(played))
    broken = stage.end_faults(state.zone, state.table, of_world(state.clocks))
    return Found(broken, tuple(played)) if broken else None


def _possible(stage: Stage, state: State, step: Step) -> bool:
    if step.delivered >= 0:
        return step.delivered < len(state.held)
    if step.actor not in stage.turns(state):
        return False
    return step.fault in (NO_FAULT, KILL, *JUMPS, *stage.faults_of(stage.troupe.pending[state.positions[step.actor]]))


def _label(faults: Sequence[str]) -> set[str]:
    return {fault.split(":")[0] for fault in faults}


def encoded(steps: Sequence[Step]) -> str:
    """Return steps as one short word, for the line that replays them."""
    return ",".join(
        f"d{step.delivered}" if step.delivered >= 0 else f"{step.actor}{f':{step.fault}' if step.fault else ''}"
        for step in steps
    )


def decoded(word: str) -> tuple[Step, ...]:
    """Return the steps that a word says."""
    return tuple(_step(part) for part in word.split(",") if part)


def _step(part: str) -> Step:
    if part.startswith("d"):
        return Step(-1, NO_FAULT, int(part[1:]))
    actor, _, fault = part.partition(":")
    return Step(int(actor), fault)


def campaign(stage: Stage, seeds: Iterator[int], *, faults_max: int, tally: Tally, found_max: int = 1) -> Tally:
    """Play a run for each seed, half of them with few preemptions, until something breaks."""
    for seed in seeds:
        manner: Manner = "few-preemptions" if seed % 2 else "uniform"
        found = run(stage, seed, faults_max=faults_max, manner=manner, tally=tally)
        if found is not None:
            tally.found.append((f"{stage.scenario.name} seed {seed}", found))
            if len(tally.found) >= found_max:
                break
    return tally

"""The two tiers held together: a schedule of the thin tier, followed on the wire, leaves the same zone and the same table at every step."""

import re
from collections.abc import Iterator
from typing import Final

import pytest

from enactor.route53 import READ_TRIES
from enactor.table_items import LOST_ANSWERS_LIMIT

from .clocks import JUMPS
from .ops import (
    At,
    Cas,
    MirrorOp,
    Op,
    SdkWait,
    Sent,
    Sleep,
    SourceLook,
    TableRead,
    TableWrite,
    Transact,
    ZoneName,
    component,
)
from .scenarios_zones import MADE_ANEW, ONE_DENIED, ONE_GONE
from .schedules import Tally, campaign
from .stage import KILL, NO_FAULT, Held, Scenario, Stage, Step, Tier
from .stories import ALL, SELDOM
from .wire_world import TOKEN, wire_tier
from .world import DARK, DOWN, HOLD

RUNS: Final = 3
RUNS_OF_SELDOM: Final = 1
FAULTS_MAX: Final = 4
WHOLE_PAGES: Final = 300
"""The thin tier reads a zone at once, so here a page holds all of it; and there no time goes by at a call."""
NONCE: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])")


@pytest.fixture(scope="module")
def wire() -> Iterator[Tier]:
    with wire_tier(page_sets=WHOLE_PAGES, time_outs_last=False) as tier:
        yield tier


class Follower:
    """A run on the wire that does what one on the thin tier does, call by call."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.state = stage.first
        self._held: dict[tuple[int, int], list[tuple[int, int]]] = {}
        """The requests on their way by those of the thin tier: actor and operation."""

    def pending(self, actor: int) -> Op | None:
        """Return what an actor has in hand."""
        position = self.state.positions[actor]
        op = self.stage.troupe.pending[position] if position >= 0 else -1
        return self.stage.world.ops[op] if op >= 0 else None

    def take(self, step: Step) -> None:
        self.state, broken = self.stage.take(self.state, step)
        assert not broken, broken

    def deliver(self, key: tuple[int, int]) -> None:
        """Let the request arrive that stands for one of the thin tier."""
        wanted = self._held[key].pop(0)
        places = [(actor, op) for actor, op, *_ in self.state.held]
        self.take(Step(-1, NO_FAULT, places.index(wanted)))

    def follow(self, actor: int, op: int, asked: Op, fault: str, *, is_dark: bool) -> None:
        """Take the requests that one operation of the thin tier stands for; while the table is dark none has an answer."""
        if fault == KILL:
            self.take(Step(actor, KILL))
            return
        self._pass(actor, ZoneName)
        if isinstance(asked, At):
            for name in asked.names:
                is_last = name == asked.names[-1]
                self._ask(actor, At(asked.zone, (name,)), NO_FAULT if fault in JUMPS and not is_last else fault)
                if fault and fault not in JUMPS:
                    break
        else:
            self._ask(actor, asked, fault)
        if fault == HOLD:
            sent = self.state.held
            self._held.setdefault((actor, op), []).append(self._newest(actor, sent))
        unanswered = is_dark and isinstance(asked, TableRead | TableWrite)
        failed = fault and fault not in JUMPS
        if (failed or unanswered) and not isinstance(asked, Cas | Sleep | MirrorOp | SourceLook):
            self._give_up(actor, asked, fault)

    def _ask(self, actor: int, asked: Op, fault: str) -> None:
        pending = self.pending(actor)
        means = pending.means if isinstance(pending, Sent) else pending
        assert alike(means, asked), f"thin: {asked}\nwire: {means}"
        before = self.state.held
        self.take(Step(actor, fault))
        self._before = before

    def _newest(self, actor: int, held: tuple[Held, ...]) -> tuple[int, int]:
        left = list(held)
        for one in self._before:
            left.remove(one)
        ((found, op, *_),) = left
        assert found == actor
        return found, op

    def _give_up(self, actor: int, asked: Op, fault: str) -> None:
        """Let every further attempt fail: on the thin tier a call without an answer is one that was given up."""
        self._pass(actor, SdkWait)
        if fault == HOLD:
            self.take(Step(actor, DOWN))
            self._pass(actor, SdkWait)
        waits = READ_TRIES - 1 if component(asked) == "zone" else 0
        if isinstance(asked, Transact):
            waits = LOST_ANSWERS_LIMIT - 1
        for _ in range(waits):
            assert isinstance(self.pending(actor), Sleep)
            self.take(Step(actor))
            self._pass(actor, SdkWait)

    def _pass(self, actor: int, kind: type[Op]) -> None:
        """Take what only the wire has."""
        while (pending := self.pending(actor)) is not None:
            if not isinstance(pending.means if isinstance(pending, Sent) else pending, kind):
                return
            self.take(Step(actor))


def alike(one: object, other: object) -> bool:
    """Tell whether two operations ask the same, but for nonces."""
    return plain(repr(one)) == plain(repr(other))


def plain(text: str) -> str:
    """Return a text with its nonces by the order in which they come."""
    named: dict[str, str] = {}
    return NONCE.sub(lambda found: named.setdefault(found[0], f"nonce {len(named)}"), text)


def standing(stage: Stage, zone: int, table: int) -> str:
    """Return all that stands in the zone and the table."""
    items = {sk: item for sk, item in stage.world.tables[table].items() if not sk.startswith(TOKEN)}
    return plain(
        "\n".join(map(repr, [*(part.records for part in stage.world.zones[zone].parts), *sorted(items.items())]))
    )


def ended(stage: Stage, position: int) -> str:
    """Return how an actor ended, without the words of an error."""
    end = stage.troupe.ends.get(position)
    if end is None:
        return "under way"
    decisions = [(plan.generation, plan.decision) for plan in end.result.plans] if end.result else []
    return f"{decisions} {type(end.error).__name__} {end.crash}"


ALIKE: Final = tuple(one for one in ALL if one not in (ONE_DENIED, ONE_GONE, MADE_ANEW))
"""Where a zone is out of reach a client asks for its name in vain, and the thin tier has no such call."""


@pytest.mark.parametrize("scenario", ALIKE, ids=lambda scenario: scenario.name)
def test_a_schedule_does_the_same_on_both_tiers(wire: Tier, scenario: Scenario) -> None:
    """Whatever strikes: after each call the record sets, the items and how actors ended are the same, but for nonces."""
    thin, wired = Stage(scenario), Stage(scenario, wire)
    for seed in range(RUNS_OF_SELDOM if scenario in SELDOM else RUNS):
        tally = Tally(keep_steps=True)
        campaign(thin, iter((seed,)), faults_max=FAULTS_MAX, tally=tally)
        assert not tally.found
        state, follower = thin.first, Follower(wired)
        for step in tally.last_steps:
            if step.delivered >= 0:
                follower.deliver(state.held[step.delivered][:2])
            else:
                op = thin.troupe.pending[state.positions[step.actor]]
                is_dark = DARK in thin.world.tables[state.table]
                follower.follow(step.actor, op, thin.world.ops[op], step.fault, is_dark=is_dark)
            state, _ = thin.take(state, step)
            assert standing(thin, state.zone, state.table) == standing(
                wired, follower.state.zone, follower.state.table
            ), f"seed {seed}: {thin.said(state, step)}"
        for position, other in zip(state.positions, follower.state.positions, strict=True):
            assert ended(thin, position) == ended(wired, other)

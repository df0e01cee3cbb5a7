"""Promise 7 where the table swallows requests: an outage that answers nothing costs a client far more time than one that refuses."""

import pytest

from .cast import enactor, person, planner
from .ops import Sent, ZoneName, component
from .scenarios import PAY, X, Y, hand
from .stage import NO_FAULT, Scenario, Stage, State, Step
from .wire_world import UNREACHABLE, wire_tier
from .world import DOWN, Fault

OLD_DISK = Scenario(
    name="old-disk",
    before=(X,),
    plans=(Y,),
    actors=(
        enactor("a", 2, lives=2, cycles=3),
        planner("planner", 1, [Y]),
        enactor("b", 3),
        person("hand", 5, hand("wipe sets", PAY)),
    ),
)
"""An enactor starts again with an older plan on its disk than the zone is open at; an endpoint that both plans agree on is wiped."""


@pytest.mark.parametrize("fault", [UNREACHABLE, DOWN])
def test_what_the_fence_names_is_repaired_from_the_disk_while_the_table_is_away(fault: Fault) -> None:
    """Within three cycles, whether the table refuses connections or lets them run into time-outs."""
    with wire_tier() as tier:
        stage = Stage(OLD_DISK, tier)
        end = without_a_table(stage, fault)
        records = stage.world.zones[end.zone].records
    assert [record.set_identifier for record in records if record.name == PAY and record.type == "A"] == [
        "lb-1",
        "lb-2",
    ]


def without_a_table(stage: Stage, fault: Fault) -> State:
    """Let the enactor's first life go by, everybody else come and go, and its second life find no table."""
    state, lives = stage.first, 0
    while 0 in stage.turns(state):
        op = stage.world.ops[stage.troupe.pending[state.positions[0]]]
        if isinstance(op, Sent) and isinstance(op.means, ZoneName):
            lives += 1
            if lives == 2:
                state = everybody_else(stage, state)
        strikes = lives == 2 and component(op) == "table" and fault in stage.world.faults_of(op)
        state, broken = stage.take(state, Step(0, fault if strikes else NO_FAULT))
        assert not broken, broken
    return state


def everybody_else(stage: Stage, state: State) -> State:
    """Let all but the enactor do all they do, one after the other."""
    while others := [actor for actor in stage.turns(state) if actor]:
        state, broken = stage.take(state, Step(others[0]))
        assert not broken, broken
    return state

"""Which generations explain a switch, and what a new switch says: the numbers that init, stop and start go by."""

import msgspec
import pytest

from enactor.brake import LEAP_MAX, Table, Unclear, explaining, fence_generations, generation_of, is_done, new_switch
from enactor.fence import text_set
from enactor.names import switch_name
from enactor.observe import FenceRange, FenceReading
from enactor.ports import PlanHead

from .kernel_builders import (
    EARLIER,
    FLEET,
    LATER,
    NEW_NONCE,
    ZONE,
    ZONE_NAME,
    ListedZone,
    fence,
    garbled,
    switch,
    switch_record,
    weighted,
)

A = weighted(1)


def zone(*generations: int, text: str | None = None, gen: int | None = None) -> FenceRange:
    records = [] if gen is None else [switch_record(switch(gen))]
    records += [] if text is None else [text_set(switch_name(FLEET, ZONE_NAME), text)]
    found = ListedZone(*records).fences(ZONE, FLEET)
    fences = {f"n{number}.": FenceReading(A, fence(A, gen=one)) for number, one in enumerate(generations)}
    return msgspec.structs.replace(found, fences=fences)


def test_generations_are_those_of_the_fences_that_can_be_read() -> None:
    """0 is an adopted endpoint's and no plan's; 1 is the first plan's."""
    readings = [FenceReading(A, fence(A, gen=gen)) for gen in (0, 1, 9)]
    assert fence_generations([*readings, garbled()]) == [1, 9]


def test_one_mistyped_fence_explains_nothing_and_several_do() -> None:
    """A table that was restored to its first day knows of nothing they name."""
    far = LEAP_MAX + 100
    assert explaining(zone(5, far).fences.values(), 50) == [5]
    assert explaining(zone(5, far, far + 1).fences.values(), 50) == [5, far, far + 1]
    assert explaining(zone(LEAP_MAX + 50).fences.values(), 50) == [LEAP_MAX + 50]


@pytest.mark.parametrize("table", [Table(PlanHead(2_000_000, "d" * 64), 0), Table(None, 2_000_000)])
def test_what_head_or_floor_explains_is_no_slip_of_a_switch(table: Table) -> None:
    """A person who tells a lower generation does not take it back."""
    assert generation_of(zone(gen=2_900_000), table, 7)[0] == 2_900_000
    assert generation_of(zone(gen=3_000_001), table, 7)[0] == 2_000_000


def test_generation_0_is_no_plan_s_whatever_was_typed_beside_it() -> None:
    """A switch that named one would be garbled, and so a stop."""
    assert generation_of(zone(text="gen=0 plan=aaaaaaaaaaaa"), Table(None, 0), None) == (0, "none")


def test_a_new_switch_bears_its_end() -> None:
    """A stop with an end ends by itself."""
    assert new_switch(FLEET, "stop", 8, "a" * 12, nonce=NEW_NONCE, until=LATER).until == LATER


def test_a_run_is_done_whatever_end_was_asked_for() -> None:
    """Only a stop has one."""
    assert is_done(zone(gen=8), "run", LATER)
    assert not is_done(zone(gen=8), "stop")


def test_a_fence_above_all_that_is_sure_does_not_raise_the_number() -> None:
    """One mistyped fence would use up the numbers; where nothing is sure a person must tell."""
    head = PlanHead(50, "d" * 64)
    assert generation_of(zone(5, LEAP_MAX + 100), Table(head, 0), None) == (50, "d" * 12)
    with pytest.raises(Unclear):
        generation_of(zone(LEAP_MAX + 100), Table(None, 0), None)
    assert generation_of(zone(LEAP_MAX + 100), None, 5) == (5, "none"), "what a person tells is sure"


def test_a_run_with_an_end_in_its_text_is_a_run() -> None:
    """A person typed it; an end means something for a stop alone."""
    running = ListedZone(switch_record(switch(8, until=EARLIER))).fences(ZONE, FLEET)
    assert is_done(running, "run", LATER)

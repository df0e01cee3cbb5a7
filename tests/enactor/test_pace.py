"""Who goes first and for how long: the rank of a zone, its part of a cycle, and the waits between its rounds."""

import msgspec
import pytest

from enactor.batch import URGENCY
from enactor.pace import CYCLE_LIMIT_SECONDS, WAIT_MAX_SECONDS, part_seconds, rank, round_wait_seconds
from enactor.swap import State, Swap

from .kernel_builders import swap, weighted


def work(*states: State) -> list[Swap]:
    """Return one swap for each state."""
    made = swap((), (), (weighted(1),))
    return [msgspec.structs.replace(made, state=state) for state in states]


def test_the_zone_with_the_most_urgent_endpoint_goes_first_and_of_two_the_one_with_less_to_do() -> None:
    """A zone without work goes last: it takes no time, and needs none."""
    row = [
        work("behind", "behind", "empty"),
        work("missing"),
        work("missing", "drifted"),
        work("fence-missing"),
        work("behind"),
        work(),
    ]
    assert sorted((row[place] for place in (3, 0, 5, 2, 4, 1)), key=rank) == row
    assert [rank(work(state))[0] for state in URGENCY] == list(range(len(URGENCY)))


@pytest.mark.parametrize(
    ("left", "waiting", "zones", "seconds"),
    [
        (60.0, 1, 1, 60.0),
        (60.0, 2, 10, 30.0),
        (60.0, 10, 10, 6.0),
        (5.0, 1, 4, 15.0),
        (-80.0, 2, 4, 15.0),
        (60.0, 0, 3, 60.0),
    ],
)
def test_a_zone_has_its_part_of_what_is_left_and_never_less_than_of_the_whole(
    left: float, waiting: int, zones: int, seconds: float
) -> None:
    """Idle zones leave theirs to the others; who overran takes nobody's."""
    assert part_seconds(left, waiting, zones) == seconds
    assert seconds <= CYCLE_LIMIT_SECONDS


def test_the_wait_before_a_round_doubles_up_to_a_limit() -> None:
    """From a fifth of a second on."""
    assert [round_wait_seconds(attempt) for attempt in (1, 2, 3)] == [0.2, 0.4, 0.8]
    assert round_wait_seconds(39) == WAIT_MAX_SECONDS

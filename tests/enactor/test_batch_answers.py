"""What a batch makes of the names in an answer, and which swaps no batch can hold."""

import msgspec
import pytest

from enactor.batch import (
    CHARACTERS_MAX,
    ELEMENTS_MAX,
    Size,
    SwitchChange,
    fitting,
    halves,
    ordered,
    pack,
    size_of,
    swap_changes,
    turned,
)
from enactor.names import fence_name
from enactor.swap import Swap

from .kernel_builders import NAME, ZONE, ZONE_NAME, alias, asserted, batch, opening, simple, swap, weighted

WILD = f"*.{ZONE_NAME}"
OTHER = f"ep2.{ZONE_NAME}"
TARGET = f"target.{ZONE_NAME}"


def adding(name: str) -> Swap:
    made = simple(1, name=name)
    return swap((), (), (made,), name=name)


def test_an_answer_that_names_an_endpoint_or_its_fence_means_the_endpoint() -> None:
    """The apex and a wildcard have a fence of another name; what is not in the batch is nobody's."""
    made = batch(adding(NAME), adding(WILD), adding(ZONE_NAME))
    assert made.endpoints_at([NAME]) == {NAME}
    assert made.endpoints_at([fence_name(NAME, ZONE_NAME)]) == {NAME}
    named = [fence_name(name, ZONE_NAME) for name in (WILD, ZONE_NAME, OTHER)]
    assert made.endpoints_at([*named, OTHER, f"_switch-edge._fence.{ZONE_NAME}"]) == {WILD, ZONE_NAME}
    assert made.endpoints_at([]) == set()


def test_an_answer_that_names_a_missing_target_means_whoever_points_to_it() -> None:
    """Route 53 names the target that is not there, and not the alias; what is only taken away points to nothing."""
    points = swap((), (), (weighted(1), alias(TARGET, weight=1)))
    leaves = swap((alias(TARGET, name=OTHER),), (alias(TARGET, name=OTHER),), (simple(1, name=OTHER),), name=OTHER)
    made = batch(points, leaves)
    assert made.endpoints_pointing_to([TARGET]) == {NAME}
    assert made.endpoints_pointing_to(iter([f"x.{ZONE_NAME}", TARGET])) == {NAME}
    assert made.endpoints_pointing_to([OTHER]) == set()


def over(name: str, *, elements: int = 1, characters: int = 9) -> Swap:
    """Return a swap of one record set with so many values, or values so long."""
    value = "x" * characters
    record = msgspec.structs.replace(simple(1, name=name), values=(value,) * elements)
    return swap((record,), (record,), (), name=name)


def test_what_alone_is_over_a_limit_of_route_53_is_put_aside_with_its_size() -> None:
    """A person may have typed it, and the rest goes on; each limit by itself is enough, and the order is kept."""
    many, long = over(NAME, elements=ELEMENTS_MAX), over(OTHER, characters=CHARACTERS_MAX)
    small = [adding(WILD), adding(ZONE_NAME)]
    fit, aside = fitting([small[0], many, small[1], long], ZONE_NAME, asserted(8))
    assert fit == small
    assert [one for one, _ in aside] == [many, long]
    assert aside[0][1].elements == ELEMENTS_MAX + 4
    assert aside[1][1].characters > CHARACTERS_MAX


def test_the_switch_counts_in_what_fits() -> None:
    """Every batch carries it, so a swap that fits without it may not fit at all."""
    exact = over(NAME, elements=ELEMENTS_MAX - 4)
    assert fitting([exact], ZONE_NAME, opening(8, 9)) == ([exact], [])
    more = over(NAME, elements=ELEMENTS_MAX - 3)
    assert size_of(swap_changes(more, ZONE_NAME)).fits()
    assert fitting([more], ZONE_NAME, opening(8, 9))[0] == []


def test_nobody_starts_anywhere_where_there_is_nothing() -> None:
    """A round without swaps still may have a switch to open."""
    assert turned([], "az-1") == ""


def test_a_batch_may_be_as_large_as_a_limit_and_no_larger() -> None:
    """Route 53 takes exactly so many characters, and so many elements."""
    assert Size(ELEMENTS_MAX, CHARACTERS_MAX, 1).fits()
    assert not Size(ELEMENTS_MAX + 1, CHARACTERS_MAX, 1).fits()
    assert not Size(ELEMENTS_MAX, CHARACTERS_MAX + 1, 1).fits()


def test_a_switch_in_a_person_s_long_words_counts_as_it_stands() -> None:
    """The first batch deletes it as observed, and only the later ones assert our own short text."""
    wordy = msgspec.structs.replace(asserted(8).after, values=('"mode=run"',) * 40)
    switch = SwitchChange(wordy, asserted(8).after)
    exact = over(NAME, elements=ELEMENTS_MAX - 4)
    assert fitting([exact], ZONE_NAME, asserted(8))[0] == [exact]
    assert fitting([exact], ZONE_NAME, switch)[0] == []


def test_a_batch_is_filled_to_the_goal_exactly() -> None:
    """Two of the switch, and two for each new endpoint without a fence: six changes hold two of them."""
    new = [msgspec.structs.replace(adding(f"n{number}.{ZONE_NAME}"), fence_before=None) for number in range(3)]
    made = pack(new, zone=ZONE, zone_name=ZONE_NAME, switch=asserted(8), comment="", changes_goal=6)
    assert [len(one.swaps) for one in made] == [2, 1]


def test_one_swap_is_not_split() -> None:
    """Who bisects has found it by then; a half without swaps would be sent for nothing."""
    with pytest.raises(AssertionError, match="not split"):
        halves(batch(adding(NAME)))


def test_without_a_starting_point_names_go_in_their_order() -> None:
    """A digit, a wildcard and a letter: as they are sorted, and nobody first."""
    names = [WILD, f"1.{ZONE_NAME}", f"a.{ZONE_NAME}"]
    assert [one.name for one in ordered(adding(name) for name in reversed(names))] == names

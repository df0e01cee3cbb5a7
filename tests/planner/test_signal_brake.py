"""The brake: how much of an endpoint signals may take out."""

from fractions import Fraction

import pytest

from planner.past import Member
from planner.signal_brake import Ruling, Taken, rule

BRAKE = Fraction(3, 10)


def weights(*numbers: int, weight: int = 10, kind: str = "A") -> dict[Member, int]:
    return {(kind, f"lb-{n}"): weight for n in numbers}


def taken(number: int, left: int = 0, bad: int = 3, full: int = 10, kinds: tuple[str, ...] = ("A",)) -> Taken:
    members = tuple((kind, f"lb-{number}") for kind in kinds)
    return Taken(id=f"lb-{number}", members=members, full=full, left=left, kept=full, bad=bad)


def ruled(
    stood: list[dict[Member, int]],
    wished: list[Taken],
    already: list[Taken] | None = None,
    *,
    brake: Fraction = BRAKE,
    is_whole: bool = True,
) -> Ruling:
    """Rule of an endpoint at which everybody else who stood stays, whole."""
    moved = {member for one in (*wished, *(already or [])) for member in one.members}
    members = {member: weight for weights in reversed(stood) for member, weight in weights.items()}
    rest = [
        Taken(id=member[1], members=(member,), full=weight, left=weight)
        for member, weight in members.items()
        if member not in moved
    ]
    return rule(stood, [*(already or []), *rest], wished, brake, is_whole=is_whole)


def test_a_share_of_what_stood_may_go_and_no_more() -> None:
    """Exactly the share passes; the next one is kept, and said."""
    found = ruled([weights(*range(10))], [taken(n) for n in range(5)])
    assert (sorted(found.allowed), found.held, found.lost) == (["lb-0", "lb-1", "lb-2"], ("lb-3", "lb-4"), BRAKE)


def test_worst_first_is_the_longest_run_then_the_id_then_who_only_gets_less() -> None:
    """The order is the same wherever it is decided."""
    wished = [taken(1, bad=3), taken(5, bad=9), taken(2, bad=3), taken(7, 5), taken(6, 2)]
    assert ruled([weights(*range(10))], wished, brake=Fraction(0)).held == ("lb-5", "lb-1", "lb-2", "lb-6", "lb-7")


def test_a_large_one_that_does_not_fit_lets_a_small_one_go() -> None:
    """It is capacity that counts, and no number of targets."""
    stood = weights(1, weight=50) | weights(2, 3, 4, weight=20)
    found = ruled([stood], [taken(1, bad=9, full=50), taken(2, full=20)])
    assert (sorted(found.allowed), found.held) == (["lb-2"], ("lb-1",))


def test_where_signals_wish_for_nothing_nothing_is_ruled() -> None:
    """Nobody asks what is lost then."""
    assert ruled([weights(1, 2)], []) == Ruling(allowed=frozenset(), held=(), lost=Fraction(0))


def test_a_plan_of_the_window_without_targets_loses_nothing() -> None:
    """It had nothing that could be taken."""
    assert ruled([{}], [taken(0), taken(1)], brake=Fraction(1)).lost == 0


def test_what_is_out_already_counts_and_is_not_brought_back() -> None:
    """Two that were taken out earlier in the window leave room for one."""
    found = ruled([weights(*range(2, 10)), weights(*range(10))], [taken(2), taken(3)], [taken(0), taken(1)])
    assert (sorted(found.allowed), found.held, found.lost) == (["lb-2"], ("lb-3",), BRAKE)


def test_every_plan_of_the_window_keeps_its_share() -> None:
    """Ten that joined a minute ago are no reason to take six of the ten that stood before them."""
    stood = [weights(*range(20)), weights(*range(10))]
    found = ruled(stood, [taken(n) for n in range(6)])
    assert len(found.allowed) == 3


def test_each_type_is_held_by_itself() -> None:
    """The only IPv6 address of ten is all of it."""
    stood = weights(*range(10)) | weights(0, kind="AAAA")
    found = ruled([stood], [taken(0, kinds=("A", "AAAA")), taken(1)])
    assert (sorted(found.allowed), found.held) == (["lb-1"], ("lb-0",))


def test_signals_against_every_target_of_a_type_take_none() -> None:
    """Not with a brake of 1, nor where no plan of the window has it; those that are out already make no difference."""
    for stood in ([weights(0, 1)], []):
        found = ruled(stood, [taken(0), taken(1)], brake=Fraction(1))
        assert found == Ruling(allowed=frozenset(), held=("lb-0", "lb-1"), lost=Fraction(0), against=frozenset({"A"}))
    found = ruled([weights(*range(10))], [taken(n) for n in range(2, 10)], [taken(0), taken(1)], brake=Fraction(1))
    assert (found.allowed, found.against) == (frozenset(), frozenset({"A"}))


def test_one_that_is_good_or_only_gets_less_makes_signals_believed_again() -> None:
    """Then the brake alone holds them."""
    found = ruled([weights(*range(10))], [*(taken(n) for n in range(9)), taken(9, 1)])
    assert (sorted(found.allowed), found.against) == (["lb-0", "lb-1", "lb-2"], frozenset())
    assert ruled([weights(*range(10))], [taken(n) for n in range(9)]).against == frozenset()


def test_each_type_is_believed_by_itself() -> None:
    """Every IPv6 address is called bad, and of IPv4 a few: what has both stays, and the others go."""
    stood = weights(*range(10)) | weights(0, 1, kind="AAAA")
    found = ruled([stood], [taken(0, kinds=("A", "AAAA")), taken(1, kinds=("A", "AAAA")), taken(2), taken(3)])
    assert (sorted(found.allowed), found.held) == (["lb-2", "lb-3"], ("lb-0", "lb-1"))
    assert found.against == frozenset({"AAAA"})


def test_one_capacity_that_a_person_edits_is_no_measure_for_the_others() -> None:
    """lb-0 from 10 to 1 is no loss, and what signals lower beside it is."""
    found = rule(
        [weights(*range(10))], [taken(0, 1, full=1)], [taken(n, 1) for n in range(1, 10)], BRAKE, is_whole=True
    )
    assert len(found.allowed) == 3


def test_a_window_that_cannot_be_read_lets_signals_take_nothing_more() -> None:
    """What is out stays out."""
    found = ruled([weights(*range(10))], [taken(1)], [taken(0)], is_whole=False)
    assert (found.allowed, found.held, found.lost) == (frozenset(), ("lb-1",), Fraction(1, 10))


@pytest.mark.parametrize(("stood_at", "left", "lost"), [(10, 5, 5), (5, 5, 0), (10, 10, 0), (10, 1, 9), (5, 1, 4)])
def test_a_weight_that_gets_lower_counts_with_what_it_loses(stood_at: int, left: int, lost: int) -> None:
    """Against what it stood at in the plan; one that was low already loses nothing anew."""
    stood = weights(*range(1, 10), weight=10) | weights(0, weight=stood_at)
    assert ruled([stood], [taken(0, left)]).lost == Fraction(lost, sum(stood.values()))


def test_what_is_on_its_way_back_counts_until_it_is_back() -> None:
    """Three that warm up again are not there yet: signals cannot take the next three meanwhile."""
    found = ruled([weights(*range(10))], [taken(n) for n in (3, 4, 5)], [taken(n, 2) for n in (0, 1, 2)])
    assert (found.allowed, found.lost) == (frozenset(), Fraction(24, 100))


def test_signals_that_lower_all_a_little_at_a_time_are_held_too() -> None:
    """A source that lies of every capacity takes no more than one that calls three bad."""
    found = ruled([weights(*range(10))], [taken(n, 1) for n in range(10)])
    assert len(found.allowed) == 3
    assert found.lost <= BRAKE


def test_weights_that_were_scaled_since_are_compared_as_they_are_meant() -> None:
    """One that stood at 255 of 255 and stands at 10 of 10 has lost nothing; an edit of a capacity is no loss by signals."""
    stood = weights(*range(10), weight=255)
    assert ruled([stood], [taken(0, 5)], [taken(n, 10) for n in range(1, 10)]).lost == Fraction(
        128, 2550
    )  # rounded up to a whole weight
    assert ruled([stood], [taken(0)], [taken(n, 10) for n in range(1, 10)]).lost == Fraction(1, 10)


def test_what_one_lost_before_counts_also_where_it_may_lose_no_more() -> None:
    """It keeps what it has, and not what it once had."""
    low = Taken(id="lb-0", members=(("A", "lb-0"),), full=10, left=1, kept=5, bad=9)
    found = ruled([weights(*range(10))], [low, taken(1), taken(2), taken(3)])
    assert (sorted(found.allowed), found.held) == (["lb-0", "lb-1", "lb-2"], ("lb-3",))
    assert found.lost == Fraction(29, 100)

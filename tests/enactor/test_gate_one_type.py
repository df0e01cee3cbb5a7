"""A person takes one record type away: what that permits at the last gate, and nothing beside it."""

from typing import Any

import msgspec
import pytest

from enactor.batch import Batch
from enactor.gate import GateLimits, refusals
from enactor.records import RecordSet

from .kernel_builders import NAME, batch, swap, weighted

A, B = weighted(1), weighted(2)
A6, B6 = (weighted(number, record_type="AAAA") for number in (1, 2))
EVERYTHING = (A, B, A6, B6)


def taking(*gone: RecordSet, creates: tuple[RecordSet, ...] = (), **changes: Any) -> Batch:
    made = batch(swap(EVERYTHING, gone, creates), origin="verb", switch=None, retires="AAAA")
    return msgspec.structs.replace(made, **changes)


def labels(made: Batch) -> set[str]:
    return {found.guard for found in refusals(made, lambda _: GateLimits(targets=0.5, capacity=0.5))}


def test_the_sets_of_the_type_may_all_go_while_others_stay() -> None:
    """The one way to stop answering a kind: an explicit verb, with a survivor asserted beside it."""
    assert labels(taking(A6, B6)) == set()
    assert labels(taking(A6, B6, A, creates=(A,))) == set()


@pytest.mark.parametrize("changes", [{"retires": ""}, {"retires": "A"}, {"origin": "cycle"}])
def test_no_other_batch_may_do_that(changes: dict[str, Any]) -> None:
    """Without the word for it, with another type's, or by an enactor's cycle, whatever word it bears."""
    assert "empty" in labels(taking(A6, B6, **changes))


def test_what_goes_beside_the_type_is_counted_as_ever() -> None:
    """The permit is for exactly that type: it is void for the rest, and where some of the type stays or something new comes."""
    assert "empty" in labels(taking(A6, B6, A))
    assert "empty" in labels(taking(A6, B6, creates=(weighted(9),)))
    three = (*EVERYTHING, weighted(3, record_type="AAAA"))
    made = taking()
    some = msgspec.structs.replace(made, swaps=(swap(three, (A6, B6), ()),))
    assert labels(some) == {"shrink-targets", "shrink-capacity"}


def test_the_type_that_stands_alone_does_not_go() -> None:
    """Then nothing would be left, and to take the name away is another verb."""
    made = taking()
    alone = msgspec.structs.replace(made, swaps=(swap((A6, B6), (A6, B6), ()),))
    assert "empty" in labels(alone)


def test_what_an_alias_points_to_stays() -> None:
    """No verb lifts that: the alias would answer nothing."""
    assert labels(taking(A6, B6, pointed=frozenset({(NAME, "AAAA")}))) == {"alias-target"}

"""What the last gate counts, and how it reads: weights and targets, dead aliases, texts in any wording, and whom it names."""

import msgspec
import pytest

from enactor.batch import Batch, Change, SwitchChange
from enactor.fence import Allow, text_set
from enactor.gate import GateLimits, GateRefusal, refusals
from enactor.names import fence_name, switch_name
from enactor.records import RecordSet

from .kernel_builders import (
    FLEET,
    LATER,
    NAME,
    ZONE_NAME,
    alias,
    batch,
    digest,
    fence,
    opening,
    simple,
    swap,
    switch,
    switch_record,
    weighted,
)

A, B, C = (weighted(number) for number in (1, 2, 3))
A6, B6, C6 = (weighted(number, record_type="AAAA") for number in (1, 2, 3))
TARGET = "target.example.test."


def found_in(made: Batch) -> tuple[GateRefusal, ...]:
    return refusals(made, lambda _: GateLimits(targets=0.5, capacity=0.5))


def labels(made: Batch) -> set[str]:
    return {found.guard for found in found_in(made)}


def taking(before: tuple[RecordSet, ...], *gone: RecordSet) -> Batch:
    return batch(swap(before, gone, ()))


def test_capacity_is_the_weight_that_goes_and_targets_are_their_number() -> None:
    """One heavy target of three is no shrink by targets, two light ones are none by capacity; 3 of 5 is over one half."""
    heavy, light, lighter = weighted(1, 3), weighted(2, 1), weighted(3, 1)
    sets = (heavy, light, lighter)
    assert labels(taking(sets, heavy)) == {"shrink-capacity"}
    assert labels(taking(sets, light, lighter)) == {"shrink-targets"}
    assert labels(taking(sets, light)) == set()


def test_a_weight_set_to_0_takes_the_target_s_capacity() -> None:
    """Its set stands and gets no traffic: no target goes, and three of four parts of the weight do."""
    heavy = weighted(1, 30)
    made = batch(swap((heavy, B), (heavy,), (weighted(1, 0),)))
    assert labels(made) == {"shrink-capacity"}


def test_one_address_in_two_sets_has_the_weight_of_both() -> None:
    """Told apart by address: 20 of 35 goes with it, whichever of its sets was read last."""
    twin = weighted(1, identifier="zz-again")
    sets = (A, B, weighted(3, 5), twin)
    assert labels(taking(sets, A, twin)) == {"shrink-capacity"}
    assert labels(taking(sets, A)) == set()


def test_where_every_weight_is_0_each_target_counts_alike() -> None:
    """Route 53 serves them all alike, so they may shrink as others may, and need not gain weight to do so."""
    idle = tuple(weighted(number, 0) for number in (1, 2, 3))
    assert labels(taking(idle, *idle[:2])) == {"shrink-targets", "shrink-capacity"}
    assert labels(taking(idle, idle[0])) == set()


def test_what_has_weight_0_alone_is_served_and_does_not_go_empty() -> None:
    """A kind whose only set has weight 0 is answered from it."""
    assert labels(taking((weighted(1, 0), A6), weighted(1, 0))) == {"empty", "shrink-targets", "shrink-capacity"}


def test_an_endpoint_of_one_kind_alone_is_counted() -> None:
    """That there is no v4 says nothing about v6; the refusal says which kind and what of it."""
    made = found_in(taking((A6, B6, C6), A6, B6))
    assert [(found.guard, found.why[found.why.index("v6") :]) for found in made] == [
        ("shrink-targets", "v6 targets would go, over 0.5"),
        ("shrink-capacity", "v6 capacity would go, over 0.5"),
    ]


def test_an_alias_is_a_target_of_its_own() -> None:
    """Two of three aliases to other zones go."""
    sets = tuple(alias(f"lb-{number}.example.net.", zone="Z9", weight=10) for number in range(3))
    assert labels(taking(sets, *sets[:2])) == {"shrink-targets", "shrink-capacity"}
    assert labels(taking(sets, sets[0])) == set()


def allowing(*guards: str) -> Batch:
    """Return a batch that sets the only weight of one kind to 0, with what a person allowed."""
    old = fence(gen=7, plan="c" * 12, allow=tuple(Allow(guard, 8, LATER) for guard in guards))
    return batch(swap((A, A6), (A,), (weighted(1, 0),), old=old))


def test_an_allow_lifts_zero_weights() -> None:
    """A person may want it so, and then no rule about aliases stands in for it."""
    assert labels(allowing("shrink-capacity")) == {"zero-weights"}
    assert labels(allowing("shrink-capacity", "zero-weights")) == set()


DEAD = alias(TARGET, weight=10)


def test_a_kind_that_was_dead_before_may_stay_dead() -> None:
    """Nothing is silenced where nothing spoke: such an endpoint can still be changed, and so repaired step by step."""
    assert labels(batch(swap((DEAD, A6), (), (B6,)))) == set()
    idle = (weighted(1, 0), weighted(2, 0))
    assert labels(batch(swap((DEAD, *idle), idle[:1], ()))) == set()


def test_a_set_of_weight_0_that_answers_alone_is_not_replaced_by_a_dead_alias() -> None:
    """It has no weight to lose, and clients lose their answer all the same."""
    idle, dead = weighted(1, 0), alias(TARGET, weight=0)
    made = batch(swap((idle, A6), (idle,), (dead,)))
    assert "alias-target" in labels(made)
    assert labels(msgspec.structs.replace(made, beyond=(simple(7, name=TARGET),))).isdisjoint({"alias-target"})


@pytest.mark.parametrize(
    ("spelled", "standing"),
    [("target.example.test", TARGET), ("Target.EXAMPLE.test.", TARGET), ("\\052.a.example.test.", "*.a.example.test.")],
)
def test_an_alias_leads_to_its_target_however_it_is_spelled(spelled: str, standing: str) -> None:
    """With or without the dot, in any case, and with Route 53's own spelling of a wildcard."""
    sets = (A, alias(spelled, weight=10))
    there = (simple(7, name=standing),)
    assert labels(msgspec.structs.replace(taking(sets, A), beyond=there)) == set()
    assert "alias-target" in labels(taking(sets, A))


def test_a_set_that_is_not_there_is_not_deleted() -> None:
    """It is our own mistake, and a refusal, not a crash of the enactor."""
    assert labels(taking((A, B), C)) == {"malformed"}


@pytest.mark.parametrize(
    "made",
    [
        taking((A, B), weighted(2, 9)),
        batch(swap((A, B), (), (A,))),
        batch(extra=(Change("CREATE", simple(1)),)),
        taking((A, A6), A6),
        batch(swap((A, A6), (A,), (weighted(1, 0),))),
        batch(swap((A,), (A,), ()), pointed=frozenset({(NAME, "A")})),
        taking((A, DEAD), A),
        batch(swap((A,), (A,), (), old=fence(plan=digest()), new=fence(gen=7, plan=digest()))),
    ],
    ids=["deletes", "creates", "loose", "empty", "zero", "last", "dead", "repair"],
)
def test_a_refusal_names_the_endpoint(made: Batch) -> None:
    """So that the rest of the batch goes without it: one bad endpoint does not stop the others."""
    assert {found.name for found in found_in(made)} == {NAME}
    assert not [found.why for found in found_in(made) if "None" in found.why]


def test_opening_a_generation_that_changes_nothing_is_a_batch_of_two_changes() -> None:
    """Opening happens even where a plan changes nothing in the zone."""
    assert labels(batch(switch=opening(8, 9))) == set()


def test_to_create_the_switch_first_and_delete_it_then_is_no_assertion() -> None:
    """Only a DELETE of what was observed makes a stale batch fail."""
    record = switch_record(switch(8))
    made = batch(switch=None, extra=(Change("CREATE", record), Change("DELETE", record)))
    assert labels(made) == {"switch"}


def worded(text: str) -> RecordSet:
    return text_set(switch_name(FLEET, ZONE_NAME), text)


@pytest.mark.parametrize("text", ["mode=run gen=8 plan=none", "gen=8 plan=none mode=run", "gen=8 mode=run plan=none"])
def test_run_is_read_wherever_it_stands(text: str) -> None:
    """The quotes of a TXT value belong to no word."""
    made = msgspec.structs.replace(taking((A, B), A), switch=SwitchChange(worded(text), worded(text)))
    assert labels(made) == set()


def test_a_switch_without_a_generation_is_at_none() -> None:
    """From it the first generation is a step forward, and to it from any other a step back."""
    first, none = opening(0, 1), worded("mode=run")
    made = taking((A, B), A)
    assert labels(msgspec.structs.replace(made, switch=SwitchChange(none, first.after))) == set()
    assert labels(msgspec.structs.replace(made, switch=SwitchChange(first.after, none))) == {"switch"}


def test_a_fence_that_cannot_be_read_permits_nothing() -> None:
    """It is replaced by a person's verb, and what is taken away beside is counted as ever."""
    garbled = text_set(fence_name(NAME, ZONE_NAME), "do not touch, ask Ann")
    for gone, expected in (((A,), set()), ((A, B), {"shrink-targets", "shrink-capacity"})):
        made = msgspec.structs.replace(swap((A, B, C), gone, ()), fence_before=garbled)
        assert labels(batch(made, origin="verb", switch=None)) == expected

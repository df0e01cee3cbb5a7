"""What a permit in a batch lifts at the last gate, and what no permit lifts: each number is checked against the fence."""

from typing import Any

import msgspec
import pytest

from enactor.batch import Batch, Change
from enactor.fence import Allow, Fence
from enactor.gate import GateLimits, refusals
from enactor.guards import ENDPOINT_GUARDS
from enactor.names import fence_name
from enactor.records import RecordSet

from .kernel_builders import (
    LATER,
    NAME,
    NEW_NONCE,
    ZONE_NAME,
    asserted,
    batch,
    cname,
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
A6 = weighted(1, record_type="AAAA")
SHRINKS = {"shrink-targets", "shrink-capacity"}
FENCE = fence_name(NAME, ZONE_NAME)


def labels(made: Batch, limit: float = 0.5) -> set[str]:
    return {found.guard for found in refusals(made, lambda _: GateLimits(targets=limit, capacity=limit))}


def taking(*gone: RecordSet, old: Fence | None = None, new: Fence | None = None) -> Batch:
    """Return a batch that takes some of three v4 targets and one v6 target away."""
    return batch(swap((A, B, C, A6), gone, (), old=old, new=new))


def named(*sets: RecordSet, gen: int = 8, **changes: Any) -> Fence:
    return fence(*sets, gen=gen, nonce=NEW_NONCE, **changes)


def test_without_a_permit_a_shrink_and_an_emptied_kind_are_refused() -> None:
    """What the permits below are held against."""
    assert labels(taking(A, B)) == SHRINKS
    assert labels(taking(A6)) == {"empty", *SHRINKS}
    assert labels(taking(A)) == set()


@pytest.mark.parametrize("gone", [(A6,), (A, B, C), (A, B, C, A6)])
def test_a_tombstone_permits_to_take_everything_away(gone: tuple[RecordSet, ...]) -> None:
    """Retire is a verb of its own: the fence it leaves says state=retired."""
    tombstone = named(A, B, C, A6, state="retired")
    assert labels(msgspec.structs.replace(taking(*gone, new=tombstone), origin="verb", switch=None)) == set()


@pytest.mark.parametrize("state", ["live", "hold"])
def test_no_other_state_permits_to_take_everything_away(state: str) -> None:
    """A fence that is no tombstone guards what it stands for; nor does an old tombstone permit anything."""
    made = named(A, B, C, A6, state=state)
    old = fence(A, B, C, A6, gen=7, state="retired", plan="c" * 12)
    assert "empty" in labels(taking(A, B, C, A6, old=old, new=msgspec.structs.replace(made, plan="d" * 12)))


def test_a_tombstone_does_not_take_away_what_an_alias_points_to() -> None:
    """October 2025: the alias would be left pointing at nothing."""
    made = taking(A, B, C, A6, new=named(A, state="retired"))
    assert labels(msgspec.structs.replace(made, pointed=frozenset({(NAME, "AAAA")}))) == {"alias-target"}
    assert labels(msgspec.structs.replace(made, pointed=frozenset({(NAME, "CNAME")}))) == set()


def allowing(*guards: str, generation: int = 8) -> Fence:
    return fence(gen=7, plan="c" * 12, allow=tuple(Allow(guard, generation, LATER) for guard in guards))


def test_an_allow_lifts_the_guard_it_names_and_no_other() -> None:
    """Read from the fence as observed, which the batch deletes: so it is used once."""
    assert labels(taking(A, B, old=allowing("shrink-targets"))) == {"shrink-capacity"}
    assert labels(taking(A, B, old=allowing("shrink-capacity"))) == {"shrink-targets"}
    assert labels(taking(A, B, old=allowing("shrink-targets", "shrink-capacity"))) == set()


def test_an_allow_is_for_the_generation_it_names() -> None:
    """The new fence's generation is the one that the batch puts in place."""
    permit = ("shrink-targets", "shrink-capacity")
    assert labels(taking(A, B, old=allowing(*permit, generation=7))) == SHRINKS
    assert labels(taking(A, B, old=allowing(*permit, generation=9))) == SHRINKS
    assert labels(taking(A, B, old=allowing(*permit, generation=88))) == SHRINKS


def test_an_allow_in_the_new_fence_lifts_nothing() -> None:
    """A batch cannot bring its own permission."""
    permit = (Allow("shrink-targets", 8, LATER), Allow("shrink-capacity", 8, LATER))
    assert labels(taking(A, B, new=named(allow=permit, plan="d" * 12))) == SHRINKS


@pytest.mark.parametrize("guard", [*ENDPOINT_GUARDS, "retire", "repair", "collect", "unfenced", "all"])
def test_no_allow_lifts_empty(guard: str) -> None:
    """Promise 1: whatever a person allows, by whatever word, the last set of a kind stays."""
    everything = allowing(guard, "shrink-targets", "shrink-capacity")
    assert "empty" in labels(taking(A6, old=everything))
    assert "empty" in labels(taking(A, B, C, A6, old=everything))


@pytest.mark.parametrize("word", ["retire", "repair"])
def test_an_allow_that_is_no_guard_s_label_lifts_nothing(word: str) -> None:
    """The gate's own words for its other permits are no guard that a fence can allow."""
    assert labels(taking(A, B, old=allowing(word))) == SHRINKS


def test_a_repair_is_permitted_to_exactly_what_the_fence_names() -> None:
    """Case 7: both fences and the result have one digest; then no share counts, and a kind nobody named may go."""
    assert labels(taking(A, B, old=fence(C, A6), new=named(C, A6, gen=7))) == set()
    assert labels(taking(A, B, A6, old=fence(C), new=named(C, gen=7))) == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [(fence(C, A6), named(B, A6)), (fence(B, A6), named(C, A6)), (fence(B, A6), named(B, A6))],
    ids=["another new digest", "another old digest", "another result"],
)
def test_a_repair_whose_digests_differ_is_none(old: Fence, new: Fence) -> None:
    """Old fence, new fence and result: where any of them differs the shrink rules hold."""
    assert labels(taking(A, B, old=old, new=new)) == SHRINKS


def test_no_repair_leaves_nothing() -> None:
    """Not even where the fence names the content of nothing."""
    nothing = fence(plan=digest())
    assert "empty" in labels(taking(A, B, C, A6, old=nothing, new=msgspec.structs.replace(nothing, nonce=NEW_NONCE)))


def test_a_repair_needs_the_fence_that_was_observed() -> None:
    """A batch that creates its fence has nothing to repair to."""
    made = taking(A, B, new=named(C, A6)).swaps[0]
    assert labels(batch(msgspec.structs.replace(made, fence_before=None))) == SHRINKS


def test_sets_without_their_fence_are_not_written() -> None:
    """Case 66: record sets and fence in one batch, always."""
    loose = batch(extra=(Change("CREATE", simple(1)),))
    assert labels(loose) == {"malformed"}


def test_a_set_that_stands_is_not_created_again() -> None:
    """Route 53 would refuse the batch: it is our own mistake."""
    assert labels(batch(swap((A,), (), (A,)))) == {"malformed"}


@pytest.mark.parametrize(("limit", "refused"), [(0.6666, True), (0.6667, False)])
def test_a_share_is_refused_when_it_is_greater_than_the_limit(limit: float, refused: bool) -> None:
    """Two of three, just below and just above; and exactly one half at 0.5 passes."""
    assert (labels(taking(A, B), limit) == SHRINKS) is refused
    assert labels(batch(swap((A, B), (A,), ()))) == set()


def test_the_gate_tells_targets_by_address_and_ignores_what_a_cname_led_to() -> None:
    """A rename is no shrink; a CNAME that makes way for addresses is none; and one kind cannot hide another's."""
    renamed = tuple(msgspec.structs.replace(record, set_identifier=f"new-{record.set_identifier}") for record in (A, B))
    assert labels(batch(swap((A, B), (A, B), renamed))) == set()
    old = cname("lb.example.net.")
    assert labels(batch(swap((old,), (old,), (simple(1), simple(1, record_type="AAAA"))))) == set()
    assert labels(batch(swap((old,), (old,), (simple(1),)))) == {"empty"}
    thinned = (A, B, C, A6, weighted(2, record_type="AAAA"), weighted(3, record_type="AAAA"))
    assert labels(batch(swap(thinned, thinned[4:], ()))) == SHRINKS


def test_a_refusal_has_the_endpoint_and_the_numbers() -> None:
    """So that the rest of the batch can go without it."""
    found = refusals(taking(A, B), lambda _: GateLimits(targets=0.5, capacity=1.0))
    assert [(one.name, one.guard) for one in found] == [(NAME, "shrink-targets")]
    assert "0.67" in found[0].why
    assert "0.5" in found[0].why


def test_limits_are_asked_for_by_name() -> None:
    """Each endpoint of a batch is held to its own."""
    other = f"ep2.{ZONE_NAME}"
    sets = tuple(weighted(number, name=other) for number in (1, 2, 3))
    made = batch(*taking(A, B).swaps, swap(sets, sets[:2], (), name=other))
    loose = refusals(made, lambda name: GateLimits(*((1.0, 1.0) if name == NAME else (0.5, 0.5))))
    assert {one.name for one in loose} == {other}


@pytest.mark.parametrize(
    "change",
    [
        opening(9, 8),
        opening(8, 8),
        msgspec.structs.replace(asserted(8), after=switch_record(switch(8, mode="stop"))),
        msgspec.structs.replace(asserted(8), before=None),
        None,
    ],
    ids=["back", "another plan of one generation", "leaves it stopped", "creates a switch", "no switch"],
)
def test_a_cycle_s_batch_asserts_the_switch_in_run_and_never_goes_back(change: object) -> None:
    """Promise 2; an operator's verb works while stopped and leaves the switch out."""
    made = msgspec.structs.replace(taking(A), switch=change)
    assert labels(made) == {"switch"}
    assert labels(msgspec.structs.replace(made, origin="verb")) == set()
    assert labels(msgspec.structs.replace(made, switch=opening(8, 9))) == set()


def test_a_self_test_writes_scratch_names_only() -> None:
    """Its names lie below `_selftest-<nonce>._fence`; anything else is refused, whatever it would do."""
    scratch = simple(1, name=f"a._selftest-0123abcd._fence.{ZONE_NAME}")
    made = msgspec.structs.replace(batch(), origin="selftest", switch=None)
    assert labels(msgspec.structs.replace(made, extra=(Change("CREATE", scratch), Change("DELETE", scratch)))) == set()
    for name in (NAME, FENCE, f"_selftest-0123abcd.{ZONE_NAME}"):
        assert labels(msgspec.structs.replace(made, extra=(Change("CREATE", simple(1, name=name)),))) == {"malformed"}

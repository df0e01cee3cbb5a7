"""What is decided at one endpoint: a test for each row of the table in `swap`, and what a swap asserts beside its change."""

import msgspec
import pytest

from enactor.fence import Allow, fence_text
from enactor.guards import Limits, Surroundings
from enactor.plan import Broken, Fault
from enactor.records import RecordSet, content_of
from enactor.swap import (
    Current,
    Decision,
    Foreign,
    GarbledFence,
    Held,
    Refused,
    State,
    Superseded,
    Swap,
    Tombstone,
    decide,
    is_empty,
)

from .kernel_builders import (
    EARLIER,
    ENACTOR,
    LATER,
    NAME,
    NEW_NONCE,
    NOW,
    ZONE_NAME,
    digest,
    entry,
    fence,
    fence_record,
    garbled,
    question,
    simple,
    weighted,
)

A, B, C, D = (weighted(number) for number in (1, 2, 3, 4))
A6 = weighted(1, record_type="AAAA")
STRANGER = weighted(77)
BROKEN = Broken(name=NAME, zone="Z1", faults=(Fault("endpoints[3].ttl", "0 is under 1", "ttl"),))
GUARD_REFUSES = entry(STRANGER)
"""Content that shares no target with anything else here: both shrink guards refuse it."""


def swap_of(decision: Decision) -> Swap:
    assert isinstance(decision, Swap)
    return decision


def refused(decision: Decision) -> Refused:
    assert isinstance(decision, Refused)
    return decision


def guards_of(decision: Decision) -> set[str]:
    return {finding.guard for finding in refused(decision).findings}


def test_a_garbled_fence_is_untouched() -> None:
    """Nobody knows what should stand there: not even an empty endpoint is written."""
    for sets in ((), (A,), (STRANGER,)):
        assert isinstance(decide(question(sets, garbled(), entry(A, B))), GarbledFence)


def test_another_fleet_s_fence_is_untouched() -> None:
    """Case 13: two fleets never pull at one name; the reason names the other."""
    decision = decide(question((A,), fence(A, fleet="core"), entry(A, B)))
    assert decision == Foreign("its fence belongs to fleet core")


def test_a_retired_name_that_no_plan_lists_is_a_tombstone() -> None:
    """A tombstone keeps late writers out and asks for nothing."""
    assert decide(question((), fence(A, state="retired"), None)) == Tombstone()


def test_a_retired_name_that_a_plan_lists_is_refused_by_the_guard_retired() -> None:
    """Only `adopt` lifts a tombstone: the plan alone does not, and nothing is repaired."""
    decision = refused(decide(question((), fence(A, state="retired"), entry(A))))
    assert guards_of(decision) == {"retired"}
    assert decision.repair is None


def test_case_19_a_held_endpoint_is_untouched_until_the_hold_ends() -> None:
    """Case 19: a hold keeps drift, emptiness and a newer plan; past its end by AWS's date the endpoint is worked on again."""
    for sets in ((), (B,), (A,)):
        assert decide(question(sets, fence(A, state="hold"), entry(A, B))) == Held()
        assert decide(question(sets, fence(A, state="hold", until=LATER), entry(A, B))) == Held()
    ended = swap_of(decide(question((A,), fence(A, state="hold", until=EARLIER), entry(A, B))))
    assert (ended.creates, ended.fence_after.state, ended.fence_after.until) == ((B,), "live", None)


def test_a_hold_ends_by_aws_s_date_alone() -> None:
    """Without an answer of AWS nothing expires, whatever this machine's clock says."""
    held = fence(A, state="hold", until=EARLIER)
    assert decide(question((A,), held, entry(A, B), aws_now=None)) == Held()
    assert decide(question((A,), msgspec.structs.replace(held, until=NOW), entry(A, B))) != Held()


def test_a_missing_endpoint_is_created_with_its_fence() -> None:
    """No fence and no set: one swap creates the fence and every set."""
    made = swap_of(decide(question((), None, entry(A, A6))))
    assert (made.state, made.purpose, made.fence_before) == ("missing", "advance", None)
    assert (made.deletes, made.creates) == ((), (A, A6))
    assert (made.fence_after.gen, made.fence_after.plan) == (8, digest(A, A6))
    assert (made.fence_after.by, made.fence_after.nonce) == (ENACTOR, NEW_NONCE)


def test_a_missing_endpoint_waits_where_only_an_older_plan_is_at_hand() -> None:
    """Below the open generation nothing is written but repair, and here is nothing to repair."""
    assert decide(question((), None, entry(A), may_advance=False)) == Superseded()
    assert decide(question((), None, None)) == Superseded()


def test_a_missing_fence_is_created_and_every_set_asserted() -> None:
    """The sets equal a kept plan's content: the fence is created, and each set that was observed is asserted."""
    made = swap_of(decide(question((A, B), None, entry(A, B))))
    assert (made.state, made.deletes, made.creates) == ("fence-missing", (A, B), (A, B))
    older = swap_of(decide(question((A, B), None, entry(A, B, C), kept=frozenset({digest(A, B)}))))
    assert (older.deletes, older.creates) == ((A, B), (A, B, C))


def test_a_missing_fence_is_created_even_where_the_plan_is_refused() -> None:
    """The endpoint is ours: it gets the fence of what stands, and the plan's content stays out."""
    decision = refused(decide(question((A, B), None, GUARD_REFUSES, kept=frozenset({digest(A, B)}))))
    assert guards_of(decision) == {"shrink-targets", "shrink-capacity"}
    assert decision.repair is not None
    assert decision.repair.creates == (A, B)
    assert decision.repair.fence_after.plan == digest(A, B)


def test_a_missing_fence_waits_below_the_open_generation() -> None:
    """A fence is no repair of what a fence names."""
    assert decide(question((A,), None, entry(A), may_advance=False)) == Superseded()


def test_case_60_sets_without_a_fence_that_no_plan_explains_are_foreign() -> None:
    """Cases 57, 59 and 60: nobody's or a person's sets are untouched until a person adopts."""
    assert isinstance(decide(question((A, B), None, entry(A, B, C))), Foreign)
    failover = msgspec.structs.replace(A, weight=None, extra='{"Failover":"PRIMARY"}')
    assert isinstance(decide(question((failover,), None, entry(simple(1)))), Foreign)


def test_what_stands_as_wanted_is_current() -> None:
    """Cases 14 and 50: no change, though the fence is of an older generation and the listing in another order."""
    assert decide(question((B, A), fence(A, B, gen=3), entry(A, B))) == Current()
    listed = msgspec.structs.replace(simple(1, 2, 3), values=("192.0.2.3", "192.0.2.1", "192.0.2.2"))
    assert decide(question((listed,), fence(listed), entry(simple(1, 2, 3)))) == Current()


def test_case_7_repair_of_what_the_fence_names_is_no_shrink() -> None:
    """Case 7: 8 of 11 sets drifted by hand; the same content goes back through, whatever the share."""
    wanted = tuple(weighted(number) for number in range(1, 12))
    drifted = (*wanted[:3], *(weighted(number, 99) for number in range(4, 12)))
    extra = tuple(weighted(number) for number in range(50, 90))
    made = swap_of(decide(question((*drifted, *extra), fence(*wanted), entry(*wanted))))
    assert (made.state, made.purpose, made.fence_after.gen) == ("drifted", "repair", 7)
    assert set(made.deletes) >= {*drifted[3:], *extra}


def test_an_empty_endpoint_is_repaired_and_called_empty() -> None:
    """A kind that the content in force serves has no set: that is worked on first."""
    made = swap_of(decide(question((A,), fence(A, A6), entry(A, A6))))
    assert (made.state, made.purpose) == ("empty", "repair")
    assert A6 in made.creates


@pytest.mark.parametrize(("named", "sets", "empty"), [((A, A6), (A,), True), ((A,), (A,), False), ((A,), (), True)])
def test_empty_is_told_by_kind(named: tuple[RecordSet, ...], sets: tuple[RecordSet, ...], empty: bool) -> None:
    """Empty is a kind of the content in force without a set; where nobody knows the content, no set at all."""
    view = question(sets, fence(*named), None).view
    assert is_empty(view, content_of(named)) is empty
    assert is_empty(view, None) is (not sets)


def test_case_66_a_newer_content_is_a_swap_of_sets_and_fence_in_one() -> None:
    """Case 66: the swap rests on the fence exactly as observed and names the new content."""
    old = fence(A, B, gen=7, base="2026-11-30T04:00:00Z/aaaaaaaaaaaa")
    made = swap_of(decide(question((A, B), old, entry(A, B, C))))
    assert (made.state, made.purpose, made.fence_before) == ("behind", "advance", fence_record(old))
    assert (made.deletes, made.creates, made.before) == ((), (C,), (A, B))
    after = made.fence_after
    assert (after.gen, after.plan, after.state, after.base) == (
        8,
        digest(A, B, C),
        "live",
        "2026-11-30T04:00:00Z/aaaaaaaaaaaa",
    )


def test_a_guard_refuses_and_what_stands_is_left() -> None:
    """Case 3: the refused endpoint keeps its content, and asks for no write where it stands."""
    decision = refused(decide(question((A, B), fence(A, B), GUARD_REFUSES)))
    assert guards_of(decision) == {"shrink-targets", "shrink-capacity"}
    assert decision.repair is None


def test_a_guard_refuses_and_what_the_fence_names_is_repaired_meanwhile() -> None:
    """A refused plan does not keep an endpoint drifted: the named content goes back, under its own generation."""
    decision = refused(decide(question((A,), fence(A, B), GUARD_REFUSES, named=content_of((A, B)))))
    assert decision.repair is not None
    assert (decision.repair.creates, decision.repair.fence_after.gen) == ((B,), 7)
    assert decision.repair.fence_after.plan == digest(A, B)


def test_a_shrink_is_judged_against_the_fence_as_well_as_against_what_stands() -> None:
    """An endpoint that somebody thinned out by hand does not make a shrink look small."""
    thinned = question((A,), fence(A, B, C, D), entry(A), named=content_of((A, B, C, D)))
    assert "shrink-targets" in guards_of(decide(thinned))
    emptied = question((), fence(A, B, C, D), entry(A), named=content_of((A, B, C, D)))
    assert "shrink-targets" in guards_of(decide(emptied))


def test_a_broken_entry_is_refused_and_the_named_content_repaired() -> None:
    """Case 22: an endpoint whose form is wrong keeps, and gets back, what its fence names."""
    decision = refused(decide(question((), fence(A), BROKEN, named=content_of((A,)))))
    assert guards_of(decision) == {"ttl"}
    assert decision.repair is not None
    assert decision.repair.state == "empty"
    assert refused(decide(question((A,), None, BROKEN))).repair is None


def test_below_the_open_generation_only_the_named_content_is_repaired() -> None:
    """Case 12: an older plan changes nothing; drift from what the fence names is repaired; what is unknown waits."""
    older = entry(A, B, C)
    assert decide(question((A, B), fence(A, B), older, may_advance=False)) == Current()
    made = swap_of(decide(question((A,), fence(A, B), older, may_advance=False, named=content_of((A, B)))))
    assert (made.purpose, made.creates, made.fence_after.gen) == ("repair", (B,), 7)
    assert decide(question((A,), fence(A, B), older, may_advance=False)) == Superseded()


def test_a_name_that_left_the_plan_is_repaired_and_not_deleted() -> None:
    """Case 4: absence is never a deletion."""
    assert decide(question((A,), fence(A), None)) == Current()
    assert swap_of(decide(question((), fence(A), None, named=content_of((A,))))).creates == (A,)


def test_an_allow_lets_its_guard_pass_once_for_its_generation() -> None:
    """The swap that uses a permission drops it, and says which guards were lifted."""
    permit = (Allow("shrink-targets", 8, LATER), Allow("shrink-capacity", 8, LATER))
    made = swap_of(decide(question((A, B, C), fence(A, B, C, allow=permit), entry(A))))
    assert made.allowed == ("shrink-capacity", "shrink-targets")
    assert made.fence_after.allow == ()
    assert "allow=" not in fence_text(made.fence_after)


@pytest.mark.parametrize(
    "permit",
    [Allow("shrink-targets", 7, LATER), Allow("shrink-targets", 8, NOW), Allow("slow-drain", 8, LATER)],
    ids=["another generation", "ended", "another guard"],
)
def test_an_allow_lifts_nothing_else(permit: Allow) -> None:
    """Another generation's, an ended one's and another guard's permission do not count."""
    loose = Limits(shrink_capacity=1.0)
    asked = question((A, B, C), fence(A, B, C, allow=(permit,)), entry(A), limits=loose)
    assert guards_of(decide(asked)) == {"shrink-targets"}


def test_an_allow_needs_aws_s_date() -> None:
    """Without an answer of AWS nobody knows whether the permission has ended."""
    permit = (Allow("shrink-targets", 8, LATER), Allow("shrink-capacity", 8, LATER))
    asked = question((A, B, C), fence(A, B, C, allow=permit), entry(A), aws_now=None)
    assert guards_of(decide(asked)) == {"shrink-targets", "shrink-capacity"}


@pytest.mark.parametrize(("guard", "wanted"), [("empty", ()), ("kind", (A, B))])
def test_no_allow_lifts_empty_or_kind(guard: str, wanted: tuple[RecordSet, ...]) -> None:
    """Promise 1: a person's permission for them changes nothing."""
    asked = question((A, B, A6), fence(A, B, A6, allow=(Allow(guard, 8, LATER),)), entry(*wanted))
    assert guard in guards_of(decide(asked))


def test_a_repair_keeps_the_allow_it_did_not_use() -> None:
    """A permission is for the plan it names: a repair meanwhile does not eat it."""
    permit = (Allow("shrink-targets", 8, LATER),)
    asked = question((A,), fence(A, B, allow=permit), entry(A, B))
    assert swap_of(decide(asked)).fence_after.allow == permit


def test_a_name_that_cannot_stand_here_is_not_written_at_all() -> None:
    """Below a cut nothing is answered from here, so not even the named content is written."""
    cut = Surroundings(zone_name=ZONE_NAME, cuts=frozenset({NAME}))
    assert guards_of(decide(question((), fence(A), entry(A), around=cut))) == {"occluded"}
    assert refused(decide(question((A,), None, entry(A), around=cut))).repair is None


def test_a_new_endpoint_counts_its_fence_against_the_zone_s_room() -> None:
    """One set and one fence are two record sets."""
    asked = question((), None, entry(A), around=Surroundings(zone_name=ZONE_NAME, room=1))
    assert guards_of(decide(asked)) == {"limit"}
    fits = msgspec.structs.replace(asked, around=Surroundings(zone_name=ZONE_NAME, room=2))
    assert isinstance(decide(fits), Swap)


STATES: list[tuple[State, tuple[RecordSet, ...]]] = [("behind", (A, B)), ("empty", (A6,))]


@pytest.mark.parametrize(("state", "sets"), STATES)
def test_a_swap_says_how_urgent_it_is(state: State, sets: tuple[RecordSet, ...]) -> None:
    """A newer content at an endpoint that lost a kind is worked on as empty, not as behind."""
    wanted = entry(A, B, C) if state == "behind" else entry(A, C, A6)
    named = content_of((A, B)) if state == "behind" else content_of((A, A6))
    assert swap_of(decide(question(sets, fence(*named), wanted, named=named))).state == state

"""What a person's verb writes at one endpoint, decided on what was just observed."""

from typing import Any

import pytest

from enactor import marks
from enactor.fence import Allow, Fence, fence_text, read_fence, text_set
from enactor.guards import ALLOWABLE, ENDPOINT_GUARDS
from enactor.insist import KeptBack, NotDone
from enactor.marks import Hand
from enactor.names import fence_name
from enactor.observe import FenceReading
from enactor.plan_guards import PLAN_GUARDS
from enactor.records import RecordSet, content_digest, content_of
from enactor.swap import Swap, View

from .kernel_builders import (
    EARLIER,
    FLEET,
    LATER,
    NAME,
    NEW_NONCE,
    NOW,
    ZONE,
    ZONE_NAME,
    alias,
    digest,
    fence,
    fence_record,
    garbled,
    reading,
    weighted,
)

HAND = Hand(fleet=FLEET, by="ann", nonce=NEW_NONCE)
A, B, SIX = weighted(1), weighted(2), weighted(1, record_type="AAAA")
ALLOW = Allow("shrink-targets", 8, LATER)


def view(*sets: RecordSet, of: Fence | FenceReading | None = None) -> View:
    return View(name=NAME, zone=ZONE, fence=of if isinstance(of, FenceReading) else reading(of), sets=sets)


def made(swap: Swap | None) -> Swap:
    assert swap is not None
    return swap


def after(seen: View, swap: Swap) -> View:
    """Return the endpoint as it is once a swap was applied."""
    left = {record.key: record for record in seen.sets}
    for record in swap.deletes:
        assert left.pop(record.key) == record, "a DELETE gives the set exactly as it stands"
    for record in swap.creates:
        assert record.key not in left
        left[record.key] = record
    return view(*(left[key] for key in sorted(left)), of=swap.fence_after)


def held(seen: View) -> Swap | None:
    return marks.held(seen, HAND, LATER)


def released(seen: View) -> Swap | None:
    return marks.released(seen, HAND)


def allowed(seen: View) -> Swap | None:
    return marks.allowed(seen, HAND, ALLOW, opened=0, aws_now=NOW)


def retired(seen: View, of: Any = None, **pointed: tuple[str, ...]) -> Swap | None:
    return marks.retired(
        seen, HAND, of, generation=9, aws_now=NOW, pointed={(NAME, kind): names for kind, names in pointed.items()}
    )


def adopted(seen: View) -> Swap | None:
    return marks.adopted(seen, HAND)


def healed(seen: View, generation: int | None = 8) -> Swap | None:
    until = None if generation else LATER
    return marks.healed(seen, HAND, content_of((A, B)), generation=generation, until=until)


@pytest.mark.parametrize(
    ("verb", "seen"),
    [
        (held, view(A, B, SIX, of=fence(A, B, SIX))),
        (released, view(A, of=fence(A, state="hold"))),
        (allowed, view(A, of=fence(A))),
        (adopted, view(A, SIX)),
        (retired, view(A, SIX, of=fence(A, SIX))),
        (retired, view()),
        (healed, view(of=fence(A))),
        (healed, view()),
    ],
)
def test_a_verb_that_was_carried_out_has_nothing_left_to_do(verb: Any, seen: View) -> None:
    """The loop decides again after every answer, a lost one too, and ends where what was asked stands."""
    swap = made(verb(seen))
    assert swap.fence_before == (seen.fence.record if seen.fence else None)
    assert (swap.fence_after.by, swap.fence_after.nonce) == ("ann", NEW_NONCE)
    assert verb(after(seen, swap)) is None


@pytest.mark.parametrize("verb", [held, released, allowed, healed])
@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (view(A, of=fence(A, fleet="core")), "belongs to fleet core"),
        (view(A, of=garbled()), "cannot be read"),
        (view(of=fence(A, state="retired")), "was retired"),
        (view(weighted(9)), "adopt"),
    ],
)
def test_what_is_not_ours_is_not_marked(verb: Any, seen: View, why: str) -> None:
    """Another fleet's, a garbled one, a tombstone, and what nobody fenced: each with the way out."""
    with pytest.raises(NotDone, match=why):
        verb(seen)


@pytest.mark.parametrize("verb", [held, allowed])
def test_a_mark_asserts_a_set_of_each_kind_and_keeps_what_the_fence_said(verb: Any) -> None:
    """A fence that is written alone would pass though the last set has just gone."""
    seen = view(A, B, SIX, of=fence(A, B, SIX, base="20261130", allow=(Allow("kind", 3, LATER),)))
    swap = made(verb(seen))
    assert swap.deletes == swap.creates == (A, SIX)
    assert (swap.fence_after.gen, swap.fence_after.plan, swap.fence_after.base) == (7, digest(A, B, SIX), "20261130")
    assert Allow("kind", 3, LATER) in swap.fence_after.allow


def test_a_hold_can_be_made_longer_and_kept_for_good() -> None:
    """The same end is nothing to do; another end, or none, is."""
    seen = view(A, of=fence(A, state="hold", until=LATER))
    assert marks.held(seen, HAND, LATER) is None
    assert made(marks.held(seen, HAND, None)).fence_after.until is None
    assert made(released(seen)).fence_after.until is None


def test_a_second_person_never_shortens_a_hold() -> None:
    """For good is longer than any time; `release` is the verb that ends one."""
    assert marks.held(view(A, of=fence(A, state="hold")), HAND, LATER) is None
    assert marks.held(view(A, of=fence(A, state="hold", until=LATER)), HAND, NOW) is None
    for_good = view(of=fence(A, state="hold"))
    assert made(healed(for_good, None)).fence_after.until is None
    short = view(of=fence(A, state="hold", until=EARLIER))
    assert made(healed(short, None)).fence_after.until == LATER


def test_a_hold_that_has_ended_keeps_nobody_from_retiring() -> None:
    """By AWS's own clock."""
    assert made(retired(view(A, of=fence(A, state="hold", until=EARLIER)))).fence_after.state == "retired"


def test_what_another_fleet_holds_is_not_taken_over() -> None:
    """The hold is a person's word there."""
    with pytest.raises(NotDone, match="released there first"):
        marks.adopted(view(A, of=fence(A, fleet="core", state="hold")), HAND, "core")


def test_a_hold_beside_nothing_is_possible() -> None:
    """An empty endpoint can be frozen too; it still pages."""
    assert made(held(view(of=fence(A)))).deletes == ()


def test_an_allow_replaces_its_elder_and_drops_what_expired() -> None:
    """One guard at one generation has one end."""
    old = (Allow("shrink-targets", 8, EARLIER), Allow("slow-drain", 8, EARLIER), Allow("slow-drain", 9, LATER))
    swap = made(allowed(view(A, of=fence(A, allow=old))))
    assert swap.fence_after.allow == (Allow("slow-drain", 9, LATER), ALLOW)


def test_an_allow_of_a_generation_that_is_behind_is_dropped_and_none_is_made() -> None:
    """Nothing below the open generation is written, so it would only fill the fence."""
    old = (Allow("slow-drain", 6, LATER), Allow("slow-drain", 7, LATER))
    swap = made(marks.allowed(view(A, of=fence(A, allow=old)), HAND, ALLOW, opened=7, aws_now=NOW))
    assert swap.fence_after.allow == (Allow("slow-drain", 7, LATER), ALLOW)
    assert marks.allowed(view(A, of=fence(A)), HAND, ALLOW, opened=8, aws_now=NOW) is not None
    with pytest.raises(NotDone) as told:
        marks.allowed(view(A, of=fence(A)), HAND, ALLOW, opened=9, aws_now=NOW)
    assert str(told.value) == (
        f"generation 8 is behind 9, which is open in zone {ZONE}: nothing of it is written any more, so there is nothing to allow"
    )


def test_an_allow_that_the_fence_has_no_room_for_is_said_and_not_lost() -> None:
    """A TXT string has 255 octets, and what does not fit is otherwise left out of it."""
    others = tuple(Allow("shrink-capacity", 8 + number, LATER) for number in range(4))
    with pytest.raises(NotDone, match="no room"):
        allowed(view(A, of=fence(A, allow=others)))


@pytest.mark.parametrize("of_plan", [False, True])
def test_only_guards_that_a_swap_could_then_pass_can_be_allowed(of_plan: bool) -> None:
    """`empty` and `kind` by nobody; what Route 53 would not have by nobody either; no word twice."""
    can = {
        guard for guard in (*ENDPOINT_GUARDS, *PLAN_GUARDS) if marks.why_not_allowable(guard, of_plan=of_plan) is None
    }
    assert can == ({"vanished", "changed-share"} if of_plan else set(ALLOWABLE))
    assert not can & {"empty", "kind", "empty-plan"}
    assert "nobody" in str(marks.why_not_allowable("empty", of_plan=of_plan))
    assert "is no guard" in str(marks.why_not_allowable("shrinks", of_plan=of_plan))


def test_a_retired_name_leaves_a_tombstone_and_nothing_else() -> None:
    """At the fence's own generation; where nothing was, at the newest plan's."""
    swap = made(retired(view(A, SIX, of=fence(A, SIX))))
    assert (swap.deletes, swap.creates) == ((A, SIX), ())
    assert (swap.fence_after.state, swap.fence_after.gen, swap.fence_after.plan) == ("retired", 7, content_digest(()))
    assert made(retired(view())).fence_after.gen == 9


@pytest.mark.parametrize(
    ("seen", "of", "pointed", "why"),
    [
        (view(A), None, {}, "adopt it first"),
        (view(A, of=fence(A, state="hold")), None, {}, "release"),
        (view(A, of=fence(A)), None, {"A": ("www.example.test.",)}, "an alias at www.example.test. points to the A"),
        (view(A, SIX, of=fence(A, SIX)), "AAAA", {"AAAA": ("www.example.test.",)}, "points to the AAAA"),
        (view(A, of=fence(A)), "A", {}, "without --type"),
        (view(A, of=fence(A, fleet="core")), None, {}, "fleet core"),
    ],
)
def test_what_may_not_be_retired(seen: View, of: Any, pointed: dict[str, tuple[str, ...]], why: str) -> None:
    """Not ours, held, pointed to, or the last type alone."""
    with pytest.raises(NotDone, match=why):
        retired(seen, of, **pointed)


def test_one_type_is_taken_away_and_the_rest_is_asserted() -> None:
    """The fence then names what is left; an alias to the other type is in nobody's way."""
    seen = view(A, B, SIX, of=fence(A, B, SIX))
    swap = made(retired(seen, "AAAA", A=("www.example.test.",)))
    assert (swap.deletes, swap.creates) == ((SIX, A), (A,))
    assert (swap.fence_after.state, swap.fence_after.plan) == ("live", digest(A, B))
    assert retired(after(seen, swap), "AAAA") is None


def test_adopting_asserts_every_set_and_names_what_stands() -> None:
    """Generation 0: the next cycle applies the newest plan through the guards."""
    swap = made(adopted(view(A, SIX)))
    assert swap.deletes == swap.creates == (A, SIX)
    assert (swap.fence_after.gen, swap.fence_after.plan) == (0, digest(A, SIX))


@pytest.mark.parametrize("of", [garbled(), fence(A, state="retired"), None])
def test_garbled_retired_and_unfenced_names_can_be_adopted(of: Any) -> None:
    """It is the way out of each."""
    assert made(adopted(view(A, of=of))).fence_after.state == "live"


def test_another_fleet_s_name_is_taken_over_only_where_that_fleet_is_named() -> None:
    """And nothing is taken from a fleet that does not have it."""
    seen = view(A, of=fence(A, fleet="core"))
    with pytest.raises(NotDone, match="--from-fleet core"):
        adopted(seen)
    assert made(marks.adopted(seen, HAND, "core")).fence_after.fleet == FLEET
    with pytest.raises(NotDone, match="does not belong to fleet core"):
        marks.adopted(view(A), HAND, "core")


def test_a_set_with_something_a_plan_cannot_say_is_not_adopted() -> None:
    """The attribute is named (case 8)."""
    odd = RecordSet(
        name=NAME, type="A", ttl=60, values=("192.0.2.1",), set_identifier="p", extra='{"Failover":"PRIMARY"}'
    )
    with pytest.raises(NotDone, match="Failover"):
        adopted(view(odd))


def test_healing_puts_the_content_in_place_and_keeps_what_stands_right() -> None:
    """What is there already is kept and asserted where something goes."""
    swap = made(healed(view(A, weighted(3), of=fence(A))))
    assert set(swap.deletes) == {weighted(3)}
    assert swap.creates == (B,)
    assert (swap.fence_after.gen, swap.fence_after.plan, swap.fence_after.state) == (8, digest(A, B), "live")


def test_what_is_healed_from_a_file_keeps_the_fence_s_generation_and_is_held() -> None:
    """The plans say otherwise: an enactor would take it back at once."""
    swap = made(healed(view(of=fence(A)), None))
    assert (swap.fence_after.gen, swap.fence_after.state, swap.fence_after.until) == (7, "hold", LATER)
    assert made(healed(view(), None)).fence_after.gen == 0


def test_healing_never_goes_below_the_fence_by_itself() -> None:
    """The newest plan at hand may be old; a person can still give a file."""
    with pytest.raises(NotDone) as told:
        healed(view(of=fence(A)), 6)
    assert str(told.value) == (
        f"the newest plan at hand is generation 6, older than the 7 in the fence of {NAME}: give what should stand there with --plan"
    )
    assert healed(view(of=fence(A)), 7) is not None


def test_healing_beside_a_hold_keeps_it() -> None:
    """The hold is another person's word."""
    assert made(healed(view(of=fence(A, state="hold")))).fence_after.state == "hold"


def test_record_sets_without_a_fence_that_say_the_same_are_fenced_by_healing() -> None:
    """They are ours by content; anything else is adopted first."""
    assert made(healed(view(A, B))).fence_before is None
    with pytest.raises(NotDone, match="adopt it first"):
        healed(view(A))


def test_an_alias_that_stands_is_asserted_like_any_set() -> None:
    """Also where it is all that a kind has."""
    seen = view(alias("other.example.test."), of=fence(alias("other.example.test.")))
    assert made(held(seen)).deletes == (alias("other.example.test."),)


def test_every_mark_reads_back_as_a_fence() -> None:
    """Route 53 would refuse another text, and the endpoint could not be written any more."""
    for swap in (held(view(A, of=fence(A))), allowed(view(A, of=fence(A))), retired(view(A, of=fence(A)))):
        found = read_fence(text_set(fence_name(NAME, ZONE_NAME), fence_text(made(swap).fence_after)))
        assert found == made(swap).fence_after


@pytest.mark.parametrize("of", [fence(A), fence(A, state="hold", until=EARLIER)])
def test_a_name_is_disowned_by_the_fence_that_stands_there(of: Fence) -> None:
    """Exactly as it stands, and nothing else; a hold that has ended keeps nobody from it."""
    assert marks.disowned(view(A, of=of), FLEET, NOW) == fence_record(of)
    assert marks.disowned(view(of=of), FLEET, NOW) == fence_record(of)


@pytest.mark.parametrize(
    ("seen", "kind", "says"),
    [
        (view(A), NotDone, f"{NAME} has no fence, so it is nobody's already"),
        (
            view(A, of=garbled()),
            KeptBack,
            f"the fence of {NAME} cannot be read (the word 'do' is not a new key=value pair): delete it by hand if nobody needs it",
        ),
        (
            view(A, of=fence(A, fleet="core")),
            KeptBack,
            f"{NAME} belongs to fleet core by its fence, not to {FLEET}",
        ),
        (
            view(A, of=fence(A, fleet="core", state="retired")),
            KeptBack,
            f"{NAME} belongs to fleet core by its fence, not to {FLEET}",
        ),
        (view(A, of=fence(A, state="hold")), NotDone, f"{NAME} is held: `enactor release {NAME}` first"),
        (view(A, of=fence(A, state="hold", until=LATER)), NotDone, f"{NAME} is held: `enactor release {NAME}` first"),
        (view(of=fence(A, state="retired")), NotDone, f"{NAME} is retired: a tombstone is lifted by `enactor adopt`"),
    ],
)
def test_what_is_not_to_be_disowned_is_told_why(seen: View, kind: type[NotDone], says: str) -> None:
    """Nobody's, another's, held, retired, or not to be read: what is another's is kept back, with a status of its own."""
    with pytest.raises(NotDone) as told:
        marks.disowned(seen, FLEET, NOW)
    assert (type(told.value), str(told.value)) == (kind, says)

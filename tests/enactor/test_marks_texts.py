"""What a verb's swap says of its endpoint, what it keeps of the fence it replaces, and the sentence where it is not done."""

from collections.abc import Callable

import msgspec
import pytest

from enactor import marks
from enactor.fence import Allow, Fence
from enactor.insist import KeptBack, NotDone
from enactor.marks import why_not_allowable
from enactor.records import RecordSet, content_of
from enactor.swap import Swap, View

from .kernel_builders import (
    EARLIER,
    FLEET,
    LATER,
    NAME,
    NEW_NONCE,
    NOW,
    ZONE,
    fence,
    garbled,
    reading,
    weighted,
)

HAND = marks.Hand(fleet=FLEET, by="ann", nonce=NEW_NONCE)
A, B, SIX = weighted(1), weighted(2), weighted(1, record_type="AAAA")
ALLOW = Allow("shrink-targets", 8, LATER)
BASE = f"2026-11-30T04:00:00Z/{'c' * 12}"


def view(*sets: RecordSet, of: Fence | None = None) -> View:
    return View(name=NAME, zone=ZONE, fence=reading(of), sets=sets)


def test_a_verb_s_swap_says_what_it_saw() -> None:
    """The last gate plays it on what stood, and the batch sorts it by its state: it only marks, and is never urgent."""
    seen = view(A, B, of=fence(A, B))
    swap = marks.held(seen, HAND, None)
    assert swap is not None
    assert (swap.name, swap.zone, swap.state, swap.purpose, swap.before) == (NAME, ZONE, "current", "mark", (A, B))


def test_taking_one_type_away_keeps_the_rest_of_the_fence() -> None:
    """It names what is left, and says who did it by which nonce; a window and a permission stay."""
    own = fence(A, SIX, allow=(ALLOW,), base=BASE)
    swap = marks.retired(view(A, SIX, of=own), HAND, "AAAA", generation=9, aws_now=NOW, pointed={})
    assert swap is not None
    assert swap.fence_after == msgspec.structs.replace(fence(A, allow=(ALLOW,), base=BASE), by="ann", nonce=NEW_NONCE)


def healed(of: Fence | None, *, generation: int | None = 8, until: object = None) -> Fence:
    swap: Swap | None = marks.healed(
        view(A, of=of),
        HAND,
        content_of((A, B) if of else (A,)),
        generation=generation,
        until=until,  # type: ignore[arg-type]
    )
    assert swap is not None
    return swap.fence_after


def test_to_heal_keeps_the_window_and_an_end_that_was_set() -> None:
    """A brake that stands lasts at least as long as it was to."""
    own = fence(A, state="hold", until=LATER, base=BASE)
    kept = healed(own)
    assert (kept.state, kept.until, kept.base, kept.gen) == ("hold", LATER, BASE, 8)
    assert healed(own, until=EARLIER).until == LATER
    assert healed(msgspec.structs.replace(own, until=EARLIER), until=LATER).until == LATER
    assert healed(fence(A), until=LATER).until == LATER
    assert (healed(fence(A)).until, healed(None).until, healed(None).base) == (None, None, "")
    assert healed(fence(A, gen=7), generation=None).gen == 7


def test_to_heal_uses_up_no_allow_but_those_of_what_it_puts_in_place() -> None:
    """A person allowed a guard for a plan that is still to come; what stands or comes from a file is no plan's change."""
    older, now, next_one = (Allow("shrink-targets", number, LATER) for number in (7, 8, 9))
    own = fence(A, allow=(older, now, next_one))
    assert healed(own, generation=8).allow == (next_one,)
    assert healed(own, generation=None).allow == own.allow
    as_named = fence(A, B, allow=(older, now, next_one))
    assert healed(as_named, generation=8).allow == as_named.allow
    assert marks.healed(view(A, B, of=as_named), HAND, content_of((A, B)), generation=7, until=None) is None
    assert healed(None).allow == ()


@pytest.mark.parametrize(
    ("verb", "word"),
    [
        (lambda seen: marks.held(seen, HAND, None), "to hold:"),
        (lambda seen: marks.released(seen, HAND), "to release:"),
        (lambda seen: marks.allowed(seen, HAND, ALLOW, opened=0, aws_now=NOW), "to allow a guard:"),
    ],
)
def test_where_there_is_no_fence_the_sentence_says_what_was_to_be_done(
    verb: Callable[[View], object], word: str
) -> None:
    """And that `adopt` comes first."""
    with pytest.raises(KeptBack, match=f"nothing {word} `enactor adopt {NAME}` first"):
        verb(view(A))


@pytest.mark.parametrize(
    ("verb", "word"),
    [
        (lambda seen: marks.held(seen, HAND, None), "hold"),
        (lambda seen: marks.released(seen, HAND), "release"),
        (lambda seen: marks.allowed(seen, HAND, ALLOW, opened=0, aws_now=NOW), "allow a guard"),
    ],
)
def test_where_nothing_stands_at_all_nobody_is_sent_to_adopt_it(verb: Callable[[View], object], word: str) -> None:
    """`adopt` has nothing to take there; most likely the name is a slip."""
    with pytest.raises(NotDone) as found:
        verb(view())
    assert (
        str(found.value) == f"nothing stands at {NAME} in zone {ZONE}, not even a fence, so there is nothing to {word}"
    )
    assert not isinstance(found.value, KeptBack)


def test_a_fence_without_room_names_the_permissions_in_the_way() -> None:
    """Those that stand, and not the one that was asked for: a person waits until they expire."""
    allows = tuple(Allow("shrink-capacity", 123_456_789_010 + number, LATER) for number in range(3))
    with pytest.raises(NotDone) as found:
        marks.allowed(view(A, of=fence(A, allow=allows)), HAND, ALLOW, opened=0, aws_now=NOW)
    assert f"beside {', '.join(map(str, allows))}: wait" in str(found.value)


def test_a_guard_that_cannot_be_allowed_there_says_where() -> None:
    """And lists what can be."""
    assert "for a whole plan; these can: changed-share, vanished" in str(why_not_allowable("ttl", of_plan=True))
    assert "at an endpoint; these can: " in str(why_not_allowable("ttl", of_plan=False))
    assert "these can be allowed: changed-share, vanished" in str(why_not_allowable("tll", of_plan=True))


def test_a_hold_bears_its_end_and_nothing_is_adopted_where_nothing_stands() -> None:
    """A hold with an end ends by itself; a name with an odd fence alone can be adopted, to have a fence that is read."""
    swap = marks.held(view(A, of=fence(A)), HAND, LATER)
    assert swap is not None
    assert swap.fence_after.until == LATER
    with pytest.raises(NotDone, match="nothing stands"):
        marks.adopted(view(), HAND)
    odd = View(name=NAME, zone=ZONE, fence=garbled(), sets=())
    assert marks.adopted(odd, HAND) is not None


@pytest.mark.parametrize(
    ("seen", "from_fleet", "kind", "says"),
    [
        (
            view(A, of=fence(A, fleet="core")),
            None,
            KeptBack,
            f"{NAME} belongs to fleet core by its fence: let that fleet disown it, or take it over with --from-fleet core",
        ),
        (
            view(A, of=fence(A, fleet="core", state="hold")),
            "core",
            KeptBack,
            f"{NAME} is held by fleet core: it must be released there first",
        ),
        (
            view(msgspec.structs.replace(A, extra='{"Region":"eu-west-1"}')),
            None,
            KeptBack,
            f"{NAME} cannot be adopted: its A set has Region; {marks.UNSAYABLE}",
        ),
        (
            view(A, of=fence(A)),
            None,
            NotDone,
            f"{NAME} is in fleet {FLEET}'s hands already (live, generation 7)",
        ),
        (
            view(A),
            "core",
            NotDone,
            f"{NAME} does not belong to fleet core by its fence; adopt it without --from-fleet",
        ),
        (view(), None, NotDone, f"nothing stands at {NAME} in zone {ZONE}; a plan that lists it will create it"),
    ],
)
def test_what_may_not_be_adopted_is_told_from_what_need_not_be(
    seen: View, from_fleet: str | None, kind: type[NotDone], says: str
) -> None:
    """Another fleet's name, and sets that a plan cannot say, wait for a decision; that is another exit status."""
    problem = marks.why_not_adopted(seen, FLEET, from_fleet)
    assert (type(problem), str(problem)) == (kind, says)

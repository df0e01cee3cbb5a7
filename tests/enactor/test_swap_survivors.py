"""What a swap asserts beside its change, and how it deletes and creates: survivors, exact DELETEs, nothing a plan cannot say lost."""

import msgspec

from enactor.guards import Surroundings
from enactor.records import content_digest, content_of
from enactor.survivors import survivors
from enactor.swap import Decision, Swap, decide

from .kernel_builders import ZONE, ZONE_NAME, alias, cname, entry, fence, question, simple, weighted

A, B, C, D = (weighted(number) for number in (1, 2, 3, 4))
A6 = weighted(1, record_type="AAAA")


def swap_of(decision: Decision) -> Swap:
    assert isinstance(decision, Swap)
    return decision


def test_a_swap_that_takes_a_set_away_asserts_a_survivor_of_each_kind() -> None:
    """What the batch does not name may be gone by now: one untouched set of each kind is deleted and created again."""
    made = swap_of(decide(question((A, B, C, A6), fence(A, B, C, A6), entry(A, B, A6))))
    assert made.deletes == (C, A, A6)
    assert made.creates == (A, A6)


def test_a_swap_that_lowers_a_weight_asserts_a_survivor() -> None:
    """The set that went to 0 does not serve, so another one must be shown to stand."""
    made = swap_of(decide(question((A, B), fence(A, B), entry(A, weighted(2, 0)))))
    assert made.deletes == (B, A)
    assert made.creates == (weighted(2, 0), A)


def test_a_set_of_weight_0_is_no_survivor() -> None:
    """The first untouched set gets no traffic; the next one does."""
    idle = weighted(1, 0)
    made = swap_of(decide(question((idle, B, C), fence(idle, B, C), entry(idle, B))))
    assert made.creates == (B,)


def test_an_alias_that_dangles_is_no_survivor() -> None:
    """An alias to nothing answers nothing, though its set stands: the next set is asserted. A planned target is nothing yet."""
    dead, alive = alias("gone.example.test.", weight=5), weighted(9, identifier="zz")
    there = frozenset({("gone.example.test.", "A")})
    around = Surroundings(zone_name=ZONE_NAME, available=there, standing=frozenset({("other.example.test.", "A")}))
    asked = question((alive, dead, A), fence(dead, alive), None, named=content_of((dead, alive)), around=around)
    assert swap_of(decide(asked)).creates == (alive,)
    standing = msgspec.structs.replace(around, standing=there)
    assert swap_of(decide(msgspec.structs.replace(asked, around=standing))).creates == (dead,)


def test_an_alias_into_another_zone_survives() -> None:
    """What stands in another zone cannot be seen from here, so such an alias counts."""
    outside = alias("lb.example.net.", zone="Z35SXDOTRQ7X7K", weight=10)
    around = Surroundings(zone_name=ZONE_NAME, standing=frozenset())
    asked = question((A, outside), fence(A, outside), entry(outside), around=around)
    assert swap_of(decide(asked)).creates == (outside,)


def test_a_swap_that_creates_a_serving_set_needs_no_survivor_of_that_kind() -> None:
    """Case 73: +d -c, and what the swap creates itself is not asserted twice."""
    made = swap_of(decide(question((A, B, C), fence(A, B, C), entry(A, B, D))))
    assert (made.deletes, made.creates) == ((C,), (D,))


def test_a_swap_that_only_adds_asserts_nothing_else() -> None:
    """Nothing is taken away, so nothing must be shown to stand."""
    made = swap_of(decide(question((A,), fence(A), entry(A, B))))
    assert (made.deletes, made.creates) == ((), (B,))


def test_a_swap_that_writes_the_fence_alone_asserts_a_survivor_of_each_kind() -> None:
    """The sets stand as wanted under another content's fence: the fence may not name what is gone by then."""
    made = swap_of(decide(question((A, B, A6), fence(A, A6), entry(A, B, A6), named=content_of((A, A6)))))
    assert (made.purpose, made.deletes, made.creates) == ("mark", (A, A6), (A, A6))


def test_case_26_a_cname_makes_way_for_addresses() -> None:
    """Case 26: the adopted CNAME goes and A and AAAA come in one swap; no guard can count what a CNAME led to."""
    by_hand = cname("lb.example.net.")
    wanted = (simple(1), simple(1, record_type="AAAA"))
    made = swap_of(decide(question((by_hand,), fence(by_hand, gen=0), entry(*wanted))))
    assert (made.deletes, made.creates) == ((by_hand,), wanted)


def test_what_a_plan_cannot_say_is_deleted_exactly_as_observed() -> None:
    """A set that got a failover policy by hand is drift: the DELETE gives it whole, or Route 53 would refuse it."""
    odd = msgspec.structs.replace(B, weight=None, extra='{"Failover":"SECONDARY"}', values=("192.0.2.2",))
    made = swap_of(decide(question((A, odd), fence(A, B), entry(A, B))))
    assert odd in made.deletes
    assert B in made.creates


def test_what_a_plan_cannot_say_is_re_created_where_the_fence_names_it() -> None:
    """Content in force that has such a set gets it back with everything it said."""
    geo = msgspec.structs.replace(A, weight=None, extra='{"GeoLocation":{"CountryCode":"DE"}}')
    asked = question((), fence(geo), None, named=content_of((geo,)))
    assert swap_of(decide(asked)).creates == (geo,)


def test_the_digest_a_fence_gets_is_the_content_s() -> None:
    """What the fence names is found again by anyone who reads the sets that the swap leaves."""
    made = swap_of(decide(question((A, B), fence(A, B), entry(A, B, D))))
    left = {record.key: record for record in made.before}
    for record in made.deletes:
        del left[record.key]
    left |= {record.key: record for record in made.creates}
    assert content_digest(content_of(left.values())) == made.fence_after.plan


def test_one_set_of_each_kind_is_enough() -> None:
    """In whatever order they are read: each more would make a batch larger, and fail for a change that hurts nobody."""
    assert survivors((A, A6, B), (), ZONE, None) == (A, A6)
    assert survivors((A6, A, weighted(2, record_type="AAAA")), (D,), ZONE, None) == (A6,)

"""What a publish stores: the plan, the plan with refused endpoints as their parent has them, nothing, or nothing new."""

import msgspec
import pytest

from enactor.guards import Finding, LimitRule, Limits, LimitsTable, PlanLimits
from enactor.plan import Endpoint, Plan, Retired, canonical_json, digest_of, sorted_plan
from enactor.ports import PlanHead
from enactor.records import RecordSet
from planner.publishing import Carried, Mismatch, Parent, RefusedWhole, Store, Unchanged, Wish, carry, decide
from tests.enactor.kernel_builders import ZONE, ZONE_NAME, alias, entry, plan, weighted

ONE, TWO, NINE = (f"{label}.{ZONE_NAME}" for label in ("ep1", "ep2", "ep9"))
LIMITS = LimitsTable()


def ep(name: str, *numbers: int, zone: str = ZONE) -> Endpoint:
    """Return an endpoint with the load balancers of these numbers, each of weight 10."""
    return entry(*(weighted(number, name=name) for number in numbers), name=name, zone=zone)


def pointing(name: str, target: str, zone: str = ZONE) -> Endpoint:
    return entry(alias(target, name=name, zone=zone), name=name, zone=zone)


def digest(of: Plan) -> str:
    return digest_of(canonical_json(of))


BASE = plan(ep(ONE, 1, 2, 3), ep(TWO, 1, 2))
GROWN = plan(ep(ONE, 1, 2, 3, 4), ep(TWO, 1, 2))
SHRUNK = plan(ep(ONE, 1), ep(TWO, 1, 2, 3))
"""ep1 loses two of three targets, which guards refuse; ep2 gains one."""
KEPT = plan(ep(ONE, 1, 2, 3), ep(TWO, 1, 2, 3))
"""What is stored of it."""
FIRST = Parent(head=None, is_sound=False, base=None, floor=0)
PARENT = Parent(head=PlanHead(7, digest(BASE)), is_sound=True, base=BASE, floor=3, base_generation=7)
GONE = "a share of 0.67 over the limit 0.5"
EMPTY = Finding(
    guard="empty",
    wanted=0,
    limit=1,
    message="the plan lists no target; an endpoint never goes empty: give it one, or, where the name is to go, list it under "
    "retired, and `enactor retire` takes it away",
)


def shrinks(against: str) -> tuple[Finding, ...]:
    """Return what the guards say of ep1 in SHRUNK."""
    said = {
        "shrink-targets": "v4: 2 of 3 targets go",
        "shrink-capacity": "v4: targets that hold 20 of 30 of the weight go or go to 0",
    }
    return tuple(
        Finding(guard=guard, observed=3, wanted=1, limit=0.5, message=f"{what}, {GONE}{against}")
        for guard, what in said.items()
    )


CARRIED = Carried(name=ONE, zone=ZONE, guards=shrinks(" (against plan 7)"))


@pytest.mark.parametrize("parent", [FIRST, PARENT])
def test_what_no_guard_refuses_is_stored_as_it_is(parent: Parent) -> None:
    """In canonical order, with its digest; nothing is carried."""
    turned = msgspec.structs.replace(GROWN, endpoints=GROWN.endpoints[::-1])
    assert decide(turned, parent, Wish(), LIMITS) == Store(GROWN, digest(GROWN), ())


def test_a_refused_endpoint_keeps_its_parents_content_and_the_others_change() -> None:
    """One source's mistake never takes the fleet's other endpoints with it; what it was held against is named."""
    assert decide(SHRUNK, PARENT, Wish(), LIMITS) == Store(KEPT, digest(KEPT), (CARRIED,))
    nameless = msgspec.structs.replace(PARENT, base_generation=None)
    plain = Carried(name=ONE, zone=ZONE, guards=shrinks(""))
    assert decide(SHRUNK, nameless, Wish(), LIMITS) == Store(KEPT, digest(KEPT), (plain,))


def test_a_refused_endpoint_that_is_new_is_left_out() -> None:
    """It has no parent to keep; that nobody could be answered from it was held against nothing."""
    new = plan(*GROWN.endpoints, ep(NINE))
    left_out = Carried(name=NINE, zone=ZONE, guards=(EMPTY,), left_out=True)
    assert decide(new, PARENT, Wish(), LIMITS) == Store(GROWN, digest(GROWN), (left_out,))


def test_what_a_whole_kind_is_taken_from_was_held_against_the_parent() -> None:
    """As a share is: `kind` compares, `zero-weights` does not."""
    both = plan(entry(weighted(1, name=ONE), weighted(1, record_type="AAAA", name=ONE), name=ONE))
    new = plan(entry(weighted(1, 0, name=ONE), name=ONE))
    parent = msgspec.structs.replace(PARENT, base=both)
    found = decide(new, parent, Wish(), LIMITS)
    assert isinstance(found, Store)
    (carried,) = found.carried
    assert {one.guard: one.message.endswith(" (against plan 7)") for one in carried.guards} == {
        "zero-weights": False,
        "kind": True,
        "shrink-targets": True,
        "shrink-capacity": True,
    }


def test_an_endpoint_is_judged_by_its_own_limits() -> None:
    """The first rule that fits its name."""
    loose = LimitRule(match="ep1.*", limits=Limits(shrink_targets=0.9, shrink_capacity=0.9))
    found = decide(SHRUNK, PARENT, Wish(), LimitsTable(rules=(loose,)))
    assert found == Store(SHRUNK, digest(SHRUNK), ())
    other = LimitRule(match="ep2.*", limits=loose.limits)
    assert decide(SHRUNK, PARENT, Wish(), LimitsTable(rules=(other,))) == Store(KEPT, digest(KEPT), (CARRIED,))


def test_unguarded_stores_what_was_given() -> None:
    """Neither an endpoint's guards nor the plan's are asked."""
    for new in (SHRUNK, plan(ep(ONE)), plan()):
        assert decide(new, PARENT, Wish(unguarded=True), LIMITS) == Store(new, digest(new), ())


# ---- plan-wide guards ------------------------------------------------------------------------------------------------

LESS = plan(ep(ONE, 1, 2, 3))
VANISHED = Finding(
    guard="vanished",
    observed=2,
    wanted=1,
    limit=0.0,
    message=f"1 of 2 endpoints are no longer mentioned ({TWO}); list a name under retired to let it leave",
)
NO_ENDPOINTS = Finding(guard="empty-plan", wanted=0, limit=1, message="the plan has no endpoints")


def test_a_plan_that_plan_wide_guards_refuse_is_not_stored() -> None:
    """The digest is of the plan as it was given: nobody has decided what would be left of it."""
    assert decide(LESS, PARENT, Wish(), LIMITS) == RefusedWhole((VANISHED,), digest(LESS))
    assert decide(plan(), FIRST, Wish(), LIMITS) == RefusedWhole((NO_ENDPOINTS,), digest(plan()))
    shrunk = plan(ep(ONE, 1))
    assert decide(shrunk, PARENT, Wish(), LIMITS) == RefusedWhole((VANISHED,), digest(shrunk))


def test_a_plan_wide_guard_can_be_lifted_or_loosened() -> None:
    """By a person for the next generation, by the limits, or by listing the name as retired."""
    allowed = msgspec.structs.replace(PARENT, allowed=frozenset({"vanished"}))
    assert decide(LESS, allowed, Wish(), LIMITS) == Store(LESS, digest(LESS), ())
    loose = LimitsTable(plan=PlanLimits(vanished=0.5))
    assert decide(LESS, PARENT, Wish(), loose) == Store(LESS, digest(LESS), ())
    retired = plan(*LESS.endpoints, retired=[Retired(TWO, ZONE)])
    assert decide(retired, PARENT, Wish(), LIMITS) == Store(retired, digest(retired), ())


def test_what_would_be_stored_is_judged_once_more() -> None:
    """A plan of which nothing is left is none, and the endpoints that were kept out are named all the same."""
    left_out = Carried(name=NINE, zone=ZONE, guards=(EMPTY,), left_out=True)
    for parent in (FIRST, PARENT):
        new = plan(ep(NINE), retired=[Retired(ONE, ZONE), Retired(TWO, ZONE)])
        rest = plan(retired=new.retired)
        assert decide(new, parent, Wish(), LIMITS) == RefusedWhole((NO_ENDPOINTS,), digest(rest), (left_out,))


# ---- what was reviewed -----------------------------------------------------------------------------------------------


def test_expect_parent_is_asked_before_all_else() -> None:
    """What was published since the review may be anything: not even the guards' answer is to the point."""
    for wish in (Wish(expect_parent=6), Wish(expect_parent=6, unguarded=True)):
        why = "HEAD is generation 7, not 6: look at what was published since"
        assert decide(LESS, PARENT, wish, LIMITS) == Mismatch(why)
    why = "HEAD is generation 0, not 1: look at what was published since"
    assert decide(GROWN, FIRST, Wish(expect_parent=1), LIMITS) == Mismatch(why)
    for parent, head in ((FIRST, 0), (PARENT, 7)):
        assert isinstance(decide(GROWN, parent, Wish(expect_parent=head), LIMITS), Store)


@pytest.mark.parametrize("digits", [12, 20, 64])
def test_expect_digest_is_of_what_would_be_stored(digits: int) -> None:
    """Its first digits, in either case; not of what the file says where an endpoint keeps its parent's content."""
    for expected in (digest(KEPT)[:digits], digest(KEPT)[:digits].upper()):
        assert isinstance(decide(SHRUNK, PARENT, Wish(expect_digest=expected), LIMITS), Store)
    expected = digest(SHRUNK)[:digits]
    why = f"what would be stored has digest {digest(KEPT)[:12]}, not {expected}, because guards refuse {ONE}"
    assert decide(SHRUNK, PARENT, Wish(expect_digest=expected), LIMITS) == Mismatch(why)
    why = f"what would be stored has digest {digest(GROWN)[:12]}, not {expected}"
    assert decide(GROWN, PARENT, Wish(expect_digest=expected), LIMITS) == Mismatch(why)


def test_a_mismatch_names_every_endpoint_that_guards_refuse() -> None:
    """Whoever reviewed the file sees by them why it has another digest."""
    new = plan(ep(ONE), ep(TWO), ep(NINE, 1))
    found = decide(new, PARENT, Wish(expect_digest="0" * 12), LIMITS)
    assert isinstance(found, Mismatch)
    assert found.why.endswith(f", not 000000000000, because guards refuse {ONE}, {TWO}")


# ---- nothing new -----------------------------------------------------------------------------------------------------


def test_what_head_says_already_is_not_stored_again() -> None:
    """Also where HEAD's content is what the refused endpoints keep."""
    assert decide(BASE, PARENT, Wish(), LIMITS) == Unchanged(digest(BASE), ())
    shrunk = plan(ep(ONE, 1), ep(TWO, 1, 2))
    assert decide(shrunk, PARENT, Wish(), LIMITS) == Unchanged(digest(BASE), (CARRIED,))


@pytest.mark.parametrize(
    "changes",
    [
        {"head": None, "base": None},
        {"head": PlanHead(7, digest(GROWN))},
        {"is_sound": False},
        {"floor": 7},
        {"floor": 8},
    ],
    ids=["no HEAD", "another digest", "HEAD's body is damaged", "FLOOR is at HEAD", "FLOOR is above HEAD"],
)
def test_what_head_says_is_stored_again_where_head_is_not_to_be_relied_on(changes: dict[str, object]) -> None:
    """Enactors cannot work from a plan that nobody can read, or that collect may take away."""
    parent = msgspec.structs.replace(PARENT, **changes)
    assert decide(BASE, parent, Wish(), LIMITS) == Store(BASE, digest(BASE), ())
    assert isinstance(decide(BASE, msgspec.structs.replace(PARENT, floor=6), Wish(), LIMITS), Unchanged)


@pytest.mark.parametrize(
    ("stood", "wished", "is_same"),
    [
        (None, None, True),
        ("a rollback", None, False),
        (None, "a plan file", False),
        ("a rollback", "a plan file", True),
    ],
)
def test_what_stays_is_stored_again_where_it_is_to_go_on_and_the_other_way_round(
    stood: str | None, wished: str | None, is_same: bool
) -> None:
    """Planners that run read off HEAD whether they leave it alone; why they do is no difference."""
    found = decide(BASE, msgspec.structs.replace(PARENT, stays=stood), Wish(stays=wished), LIMITS)
    assert found == (Unchanged(digest(BASE), ()) if is_same else Store(BASE, digest(BASE), ()))


# ---- circles of aliases ----------------------------------------------------------------------------------------------


LOOSE = LimitsTable(default=Limits(shrink_targets=1.0, shrink_capacity=1.0))


def closes(target: str, *circle: str) -> tuple[Finding, ...]:
    message = f"the alias A leads back here: a circle of aliases ({', '.join(circle)})"
    return (Finding(guard="alias-target", observed=len(circle), wanted=target, message=message),)


def test_endpoints_that_close_a_circle_are_refused_each() -> None:
    """In the zone in which they do: the same names in another zone are other endpoints."""
    fine = [pointing(ONE, TWO, "Z2"), entry(weighted(1, name=TWO), name=TWO, zone="Z2")]
    new = plan(pointing(ONE, TWO), pointing(TWO, ONE), *fine)
    stored, carried = carry(new, None, LIMITS)
    assert stored == sorted_plan(plan(*fine))
    assert carried == (
        Carried(name=ONE, zone=ZONE, guards=closes(TWO, ONE, TWO), left_out=True),
        Carried(name=TWO, zone=ZONE, guards=closes(ONE, ONE, TWO), left_out=True),
    )


def test_a_circle_that_kept_content_closes_refuses_what_points_into_it() -> None:
    """ep2 is refused and keeps its alias to ep1, so ep1 cannot point to ep2: it keeps its parent's content too."""
    base = plan(ep(ONE, 1), pointing(TWO, ONE))
    stored, carried = carry(plan(pointing(ONE, TWO), ep(TWO)), base, LOOSE)
    assert stored == sorted_plan(base)
    assert [(one.name, one.guards, one.left_out) for one in carried] == [
        (ONE, closes(TWO, ONE, TWO), False),
        (TWO, (EMPTY,), False),
    ]


def test_a_chain_of_kept_content_is_followed_to_its_end() -> None:
    """Each round may close a circle more: ep9's alias is refused only after ep1 and ep2 have kept theirs."""
    base = plan(pointing(ONE, NINE), pointing(TWO, ONE), ep(NINE, 1))
    new = plan(pointing(ONE, TWO), ep(TWO), pointing(NINE, TWO))
    stored, carried = carry(new, base, LOOSE)
    assert stored == sorted_plan(base)
    assert [[finding.guard for finding in one.guards] for one in carried] == [
        ["alias-target"],
        ["empty"],
        ["alias-target"],
    ]


def test_carried_endpoints_keep_the_order_of_the_plan_that_was_given() -> None:
    """And a plan without a parent has nothing to keep."""
    records: list[RecordSet] = [weighted(1, 0, name=NINE), weighted(2, 0, name=NINE)]
    new = plan(entry(*records, name=NINE), ep(TWO, 1), ep(ONE))
    stored, carried = carry(new, None, LIMITS)
    assert (stored, [one.name for one in carried]) == (plan(ep(TWO, 1)), [NINE, ONE])
    assert carried[0].guards[0].message == "all 2 A targets have weight 0"

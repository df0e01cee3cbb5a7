"""What an alias leads to, and that no swap and no batch leaves a kind with aliases to nothing where something answered."""

import msgspec
import pytest

from enactor.aliases import beyond, circles, leading, silenced
from enactor.batch import Batch
from enactor.fence import Allow, Fence
from enactor.gate import GateLimits, refusals
from enactor.guards import LimitsTable, Surroundings, judge_answers
from enactor.judge import Judged, judge
from enactor.plan import Broken, Fault
from enactor.plan_index import PlanIndex
from enactor.records import RecordSet, content_of
from enactor.survivors import survivors
from enactor.swap import Refused, Swap, decide
from planner.publishing import carry

from .kernel_builders import (
    LATER,
    NAME,
    NEW_NONCE,
    ZONE,
    ZONE_NAME,
    alias,
    batch,
    entry,
    fence,
    fence_record,
    garbled,
    index,
    plan,
    question,
    simple,
    stored,
    weighted,
)
from .test_judge import bench, memory

OTHER, MID, TREE = (f"{label}.{ZONE_NAME}" for label in ("other", "mid", "tree"))
A, IDLE = weighted(1), weighted(1, 0)
DEAD = alias(TREE, weight=10)
NOWHERE = Surroundings(zone_name=ZONE_NAME, available=frozenset(), standing=frozenset(), sure=frozenset())


def guards_of(judged: Judged) -> list[str]:
    return [finding.guard for finding in judged.decision.findings] if isinstance(judged.decision, Refused) else []


# ---- the closure -----------------------------------------------------------------------------------------------------


def test_an_alias_leads_to_an_answer_through_every_step_of_its_chain() -> None:
    """A chain answers where its end does, another zone's end counts, and a target of another type does not."""
    chain = [alias(MID), alias(TREE, name=MID)]
    assert leading([*chain, simple(1, name=TREE)], ZONE) == {(NAME, "A"), (MID, "A"), (TREE, "A")}
    assert leading(chain, ZONE) == frozenset()
    assert leading([*chain, simple(1, name=TREE, record_type="AAAA")], ZONE) == {(TREE, "AAAA")}
    assert leading([alias("lb.example.net.", zone="Z35SXDOTRQ7X7K")], ZONE) == {(NAME, "A")}


def test_a_circle_leads_to_an_answer_only_by_a_way_out() -> None:
    """Names that point to each other answer nothing, unless one of them has an address of its own."""
    circle = [alias(OTHER, weight=10), alias(NAME, name=OTHER, weight=10)]
    assert leading(circle, ZONE) == frozenset()
    assert leading([alias(NAME)], ZONE) == frozenset()
    assert leading([*circle, A], ZONE) == {(NAME, "A"), (OTHER, "A")}


def test_a_set_that_nobody_is_sent_to_is_no_way_to_an_answer() -> None:
    """Beside a dead alias that has weight, an address of weight 0 is never answered; where all have 0, it is."""
    assert leading([DEAD, IDLE], ZONE) == frozenset()
    assert leading([alias(TREE, weight=0), IDLE], ZONE) == {(NAME, "A")}


def test_circles_are_told_from_chains_into_them() -> None:
    """Who only points into a circle is not in it; a long chain takes no recursion."""
    circle = [alias(OTHER), alias(MID, name=OTHER), alias(OTHER, name=MID)]
    assert circles(circle, ZONE) == dict.fromkeys([(OTHER, "A"), (MID, "A")], (MID, OTHER))
    assert circles([alias(NAME)], ZONE) == {(NAME, "A"): (NAME,)}
    long = [alias(f"n{number + 1}.{ZONE_NAME}", name=f"n{number}.{ZONE_NAME}") for number in range(5_000)]
    assert circles(long, ZONE) == {}
    assert circles([*circle, alias(NAME)], ZONE) == circles(circle, ZONE) | circles([alias(NAME)], ZONE)
    assert len(circles([*long, alias(f"n0.{ZONE_NAME}", name=f"n5000.{ZONE_NAME}")], ZONE)) == 5_001


def test_an_alias_to_what_is_no_name_leads_to_the_set_that_is_spelled_so() -> None:
    """A listing may have such names; they are folded like any other, and what stands there answers."""
    odd = simple(1, name="a..example.test.")
    assert (NAME, "A") in leading([alias("A..Example.test."), odd], ZONE)


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ((A, DEAD), (DEAD,), ["v4"]),
        ((A, DEAD), (IDLE, DEAD), ["v4"]),
        ((IDLE, DEAD), (DEAD,), ["v4"]),
        ((A, DEAD), (weighted(2), DEAD), []),
        ((DEAD,), (DEAD,), []),
        ((A, DEAD), (), []),
    ],
)
def test_silenced_is_what_keeps_a_set_and_loses_its_answer(
    before: tuple[RecordSet, ...], after: tuple[RecordSet, ...], lost: list[str]
) -> None:
    """What loses its last set is another guard's; what answered nothing before loses nothing."""
    assert silenced(before, after, ZONE, frozenset(), frozenset()) == lost
    assert [finding.observed for finding in judge_answers(before, after, ZONE, NOWHERE)] == lost


# ---- decisions -------------------------------------------------------------------------------------------------------


def test_a_repair_that_leaves_only_a_dead_alias_is_refused() -> None:
    """A person put an address beside an alias to nothing: it is all that answers, so the content in force must wait."""
    asked = question((A, DEAD), fence(DEAD), None, named=content_of((DEAD,)), around=NOWHERE)
    decision = decide(asked)
    assert isinstance(decision, Refused)
    assert [finding.guard for finding in decision.findings] == ["alias-target"]
    there = frozenset({(TREE, "A")})
    alive = Surroundings(zone_name=ZONE_NAME, available=there, standing=there, sure=there)
    assert isinstance(decide(msgspec.structs.replace(asked, around=alive)), Swap)


def test_a_repair_beside_a_refusal_is_dropped_where_it_would_silence() -> None:
    """The plan is refused for its own reasons; what it would be repaired to meanwhile answers nothing."""
    asked = question((A, DEAD), fence(DEAD), entry(), named=content_of((DEAD,)), around=NOWHERE)
    decision = decide(asked)
    assert isinstance(decision, Refused)
    assert decision.repair is None
    assert {finding.guard for finding in decision.findings} == {"empty", "alias-target"}


def test_nobody_can_allow_what_silences_a_kind() -> None:
    """No `allow` lifts alias-target, whoever typed it into the fence."""
    allowed = tuple(Allow(guard, 8, LATER) for guard in ("alias-target", "shrink-targets", "shrink-capacity"))
    decision = decide(question((A,), fence(A, allow=allowed), entry(DEAD), around=NOWHERE))
    assert isinstance(decision, Refused)
    assert {finding.guard for finding in decision.findings} == {"alias-target"}


def listing(tree: RecordSet, *more: RecordSet) -> tuple[RecordSet, ...]:
    return (fence_record(fence(A)), A, tree, *more)


@pytest.mark.parametrize(
    "of",
    [
        fence(name_of := simple(1, name=TREE), state="hold"),
        fence(name_of, fleet="others"),
        fence(name_of, state="retired"),
        None,
    ],
    ids=["held", "another fleet's", "retired", "foreign"],
)
def test_what_a_plan_wants_of_a_name_that_is_not_written_is_nothing_to_point_to(of: Fence | None) -> None:
    """Held, another fleet's, retired, foreign: the plan's record sets will not come, so what stands there counts."""
    dead = alias(f"gone.{ZONE_NAME}", name=TREE)
    fences = [] if of is None else [fence_record(of, TREE)]
    found = memory(*listing(dead, *fences))
    working = index(8, entry(A, DEAD), entry(simple(1, name=TREE), name=TREE))
    assert guards_of(judge(found, bench(working), [NAME])[NAME]) == ["alias-target"]


def test_a_name_with_a_garbled_fence_or_a_broken_entry_is_nothing_to_point_to() -> None:
    """Nobody writes there either."""
    text = garbled(TREE).record
    working = index(8, entry(A, DEAD), entry(simple(1, name=TREE), name=TREE))
    found = memory(fence_record(fence(A)), A, text)
    assert guards_of(judge(found, bench(working), [NAME])[NAME]) == ["alias-target"]
    broken = plan(entry(A, DEAD), broken=[Broken(name=TREE, zone=ZONE, faults=(Fault("x", "wrong"),))])
    found = memory(fence_record(fence(A)), A)
    assert guards_of(judge(found, bench(PlanIndex(stored(8, broken), "table")), [NAME])[NAME]) == ["alias-target"]


def test_what_the_plan_takes_away_is_nothing_to_point_to() -> None:
    """Another enactor with other limits may apply the target's new type first: what the plan itself removes does not count."""
    tree = simple(1, name=TREE)
    moved = RecordSet(name=TREE, type="CNAME", ttl=60, values=("elsewhere.invalid.",))
    found = memory(*listing(tree, fence_record(fence(tree), TREE)))
    working = index(8, entry(A, DEAD), entry(moved, name=TREE))
    assert guards_of(judge(found, bench(working), [NAME])[NAME]) == ["alias-target"]


def test_two_endpoints_that_point_to_each_other_are_refused_by_name_of_their_circle() -> None:
    """Neither CREATE could come first, and with both addresses gone nothing would answer."""
    circle = (
        entry(A, alias(OTHER, weight=10)),
        entry(weighted(2, name=OTHER), alias(NAME, name=OTHER, weight=10), name=OTHER),
    )
    found = judge(memory(), bench(index(8, *circle)), [NAME, OTHER])
    assert [guards_of(found[name]) for name in (NAME, OTHER)] == [["alias-target"], ["alias-target"]]
    decision = found[NAME].decision
    assert isinstance(decision, Refused)
    assert f"{NAME}, {OTHER}" in decision.findings[0].message


def test_a_circle_in_force_is_repaired_while_its_targets_stand() -> None:
    """It is what the fence names, and a CREATE to a standing target passes."""
    mine = (A, alias(OTHER, weight=10))
    theirs = (weighted(2, name=OTHER), alias(NAME, name=OTHER, weight=10))
    stands = (fence_record(fence(*mine)), fence_record(fence(*theirs), OTHER), mine[1], *theirs)
    found = judge(memory(*stands), bench(index(8, entry(*mine), entry(*theirs, name=OTHER))), [NAME])
    swap = found[NAME].swap
    assert swap is not None
    assert swap.creates == (A,)


def test_a_circle_answers_nothing_and_says_so() -> None:
    """The survey said yes, because each target had a set."""
    stands = (alias(OTHER), alias(NAME, name=OTHER))
    marks = (fence_record(fence(stands[0])), fence_record(fence(stands[1]), OTHER))
    assert not judge(memory(*stands, *marks), bench(index(8, entry(stands[0]))), [NAME])[NAME].answering


# ---- survivors -------------------------------------------------------------------------------------------------------


def test_where_nothing_better_is_left_a_set_of_weight_0_and_then_a_dead_alias_is_asserted() -> None:
    """Of every kind that the result serves one set is asserted, or a late batch takes the last one."""
    nothing: frozenset[tuple[str, str]] = frozenset()
    assert survivors((IDLE, DEAD), (), ZONE, nothing) == (IDLE,)
    assert survivors((DEAD,), (), ZONE, nothing) == (DEAD,)
    assert survivors((IDLE, DEAD), (weighted(2, 0),), ZONE, nothing) == ()
    assert survivors((IDLE, DEAD), (DEAD,), ZONE, nothing) == (IDLE,)
    assert survivors((IDLE, weighted(2)), (weighted(3, 0),), ZONE, nothing) == (weighted(2),)


def test_a_repair_among_zero_weights_asserts_one_of_them() -> None:
    """Everything has weight 0; what the swap leaves alone may be gone by the time it lands."""
    zeros = tuple(weighted(number, 0) for number in (1, 2))
    made = decide(question((*zeros, weighted(9, 0)), fence(*zeros), None, named=content_of(zeros)))
    assert isinstance(made, Swap)
    assert (made.deletes, made.creates) == ((weighted(9, 0), zeros[0]), (zeros[0],))


# ---- the last gate ---------------------------------------------------------------------------------------------------


def swap_at(before: tuple[RecordSet, ...], after: tuple[RecordSet, ...], *, repair: bool = False) -> Swap:
    name = before[0].name
    old = fence(*(after if repair else before))
    return Swap(
        name=name,
        zone=ZONE,
        state="behind",
        purpose="advance",
        fence_before=fence_record(old, name),
        fence_after=msgspec.structs.replace(fence(*after), gen=8, nonce=NEW_NONCE),
        deletes=tuple(record for record in before if record not in after),
        creates=tuple(record for record in after if record not in before),
        before=before,
    )


def refused_at(made: Batch) -> list[tuple[str | None, str]]:
    found = refusals(made, lambda _: GateLimits(targets=1.0, capacity=1.0))
    return [(reason.name, reason.guard) for reason in found]


@pytest.mark.parametrize("repair", [True, False])
def test_the_gate_keeps_what_answers_beside_a_dead_alias(repair: bool) -> None:
    """Repair or not: the facts that the batch carries say that the alias leads to nothing."""
    made = batch(swap_at((A, DEAD), (DEAD,), repair=repair))
    assert refused_at(made) == [(NAME, "alias-target")]
    idle = batch(swap_at((A, DEAD), (IDLE, DEAD), repair=repair))
    assert (NAME, "alias-target") in refused_at(idle)
    assert refused_at(msgspec.structs.replace(made, beyond=(simple(1, name=TREE),))) == []
    chain = (alias(MID, name=TREE), simple(1, name=MID))
    assert refused_at(msgspec.structs.replace(made, beyond=chain)) == []
    assert refused_at(msgspec.structs.replace(made, beyond=chain[:1])) == [(NAME, "alias-target")]


def test_the_gate_sees_a_circle_that_a_batch_closes() -> None:
    """Each of two swaps takes the address that the other one's alias led to."""
    mine = (A, alias(OTHER, weight=10))
    theirs = (weighted(2, name=OTHER), alias(NAME, name=OTHER, weight=10))
    swaps = (swap_at(mine, mine[1:]), swap_at(theirs, theirs[1:]))
    assert refused_at(batch(*swaps)) == [(NAME, "alias-target"), (OTHER, "alias-target")]
    alone = batch(swaps[0], beyond=theirs)
    assert refused_at(alone) == []
    assert refused_at(batch(swaps[0], beyond=(theirs[1],))) == [(NAME, "alias-target")]


def test_the_gate_counts_what_an_earlier_swap_of_the_batch_creates() -> None:
    """An endpoint moves behind an alias whose target comes first in the same batch."""
    tree = simple(5, name=TREE)
    first = swap_at((alias(f"gone.{ZONE_NAME}", name=TREE),), (tree,))
    assert refused_at(batch(first, swap_at((A,), (DEAD,)))) == []
    assert refused_at(batch(swap_at((A,), (DEAD,)), beyond=first.before)) == [(NAME, "alias-target")]


def test_a_batch_carries_every_step_that_its_aliases_lead_through() -> None:
    """Circles end, other types and other names stay out."""
    sets = {
        MID: (alias(TREE, name=MID), simple(1, name=MID, record_type="AAAA")),
        TREE: (alias(MID, name=TREE, weight=1), weighted(3, name=TREE)),
        OTHER: (simple(1, name=OTHER),),
    }
    assert beyond(sets, [A, alias(MID)], ZONE) == (sets[MID][0], *sets[TREE])


# ---- publish ---------------------------------------------------------------------------------------------------------


def test_publish_carries_the_endpoints_of_a_circle_and_only_those() -> None:
    """What the planner sees without the zone it refuses; who points into the circle goes on."""
    into = entry(alias(NAME, name=TREE), name=TREE)
    new = plan(entry(A, alias(OTHER, weight=10)), entry(alias(NAME, name=OTHER), name=OTHER), into)
    left, carried = carry(new, plan(entry(A)), LimitsTable())
    assert left == plan(entry(A), into)
    assert [(one.name, one.left_out) for one in carried] == [(NAME, False), (OTHER, True)]
    assert {finding.guard for one in carried for finding in one.guards} == {"alias-target"}


def test_publish_sees_a_circle_that_only_a_carried_endpoint_closes() -> None:
    """The parent's content of a refused endpoint points back."""
    base = plan(entry(alias(OTHER)), entry(simple(2, name=OTHER), name=OTHER))
    new = plan(entry(), entry(simple(2, name=OTHER), name=OTHER))
    turned = plan(entry(), entry(alias(NAME, name=OTHER), name=OTHER))
    loose = LimitsTable(default=msgspec.structs.replace(LimitsTable().default, shrink_targets=1.0, shrink_capacity=1.0))
    assert carry(new, base, loose)[0] == base
    assert carry(turned, base, loose)[0] == base

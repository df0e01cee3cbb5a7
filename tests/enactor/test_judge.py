"""What every endpoint of a zone is called: states, the first that fits, what is answered, and why."""

from collections.abc import Callable

import msgspec
import pytest

from enactor.fence import Fence
from enactor.guards import LimitsTable
from enactor.judge import NO_NONCE, Bench, Judged, endpoint_names, fence_fields, judge, reasons_of, surroundings
from enactor.memory import ZoneMemory
from enactor.plan import Endpoint, Retired
from enactor.plan_index import PlanIndex
from enactor.records import Content, RecordSet, content_digest, content_of
from enactor.standing import Choice

from .kernel_builders import (
    BALANCER_ZONE,
    ENACTOR,
    FLEET,
    LATER,
    NAME,
    NOW,
    ZONE,
    ZONE_NAME,
    ListedZone,
    alias,
    entry,
    fence,
    fence_record,
    garbled,
    index,
    simple,
    weighted,
)

A, B, C = (weighted(number) for number in (1, 2, 3))
A6 = weighted(1, record_type="AAAA")
STRANGER = weighted(77)
TREE = f"tree.{ZONE_NAME}"


class Kept:
    """A lookup port with the contents of kept plans, all of one endpoint."""

    def __init__(self, *contents: Content) -> None:
        self._contents = {content_digest(content): content for content in contents}

    def content(self, zone: str, name: str, digest: str) -> Content | None:
        return self._contents.get(digest)

    def kept_digests(self, zone: str, name: str) -> frozenset[str]:
        return frozenset(self._contents)


def memory(*records: RecordSet) -> ZoneMemory:
    made = ZoneMemory(ListedZone(*records), ZONE, FLEET)
    made.read_all(0.0)
    return made


def bench(working: PlanIndex | None, kept: Kept | None = None, *, may_advance: bool = True) -> Bench:
    return Bench(
        fleet=FLEET,
        enactor=ENACTOR,
        limits=LimitsTable(),
        choice=Choice(working=working, may_advance=may_advance, opens=False),
        lookup=kept or Kept(),
        nonce=NO_NONCE,
        aws_now=NOW,
    )


def judged(
    sets: tuple[RecordSet, ...],
    of: Fence | RecordSet | None,
    *wanted: Endpoint,
    kept: tuple[Content, ...] = (),
    may_advance: bool = True,
    retired: bool = False,
) -> Judged:
    """Judge one endpoint through a zone's memory, under a working plan of generation 8."""
    fences = [] if of is None else [of if isinstance(of, RecordSet) else fence_record(of)]
    working = index(8, *wanted, retired=[Retired(NAME, ZONE)] if retired else [])
    table = bench(working, Kept(*kept), may_advance=may_advance)
    return judge(memory(*fences, *sets), table, [NAME])[NAME]


GARBLED = garbled().record
BOTH = content_of((A, A6))
STATES: list[tuple[str, Callable[[], Judged], bool]] = [
    ("current", lambda: judged((A, B), fence(A, B), entry(A, B)), True),
    ("retired", lambda: judged((), fence(A, state="retired"), retired=True), False),
    ("retired", lambda: judged((), fence(A, state="retired"), entry(A)), False),
    ("fence-garbled", lambda: judged((A,), GARBLED, entry(A)), True),
    ("fence-garbled", lambda: judged((), GARBLED, entry(A)), False),
    ("foreign", lambda: judged((STRANGER,), None, entry(A)), True),
    ("held", lambda: judged((B,), fence(A, state="hold"), entry(A), kept=(content_of((A,)),)), True),
    ("held", lambda: judged((), fence(A, state="hold"), entry(A)), False),
    ("missing", lambda: judged((), None, entry(A)), False),
    ("fence-missing", lambda: judged((A,), None, entry(A)), True),
    ("fence-missing", lambda: judged((A, B), None, entry(STRANGER), kept=(content_of((A, B)),)), True),
    ("empty", lambda: judged((), fence(A), entry(A)), False),
    ("empty", lambda: judged((A,), fence(A, A6), entry(A, A6)), False),
    ("empty", lambda: judged((A,), fence(A, A6), entry(STRANGER, A6), kept=(BOTH,)), False),
    ("refused", lambda: judged((A, B), fence(A, B), entry(STRANGER)), True),
    ("behind", lambda: judged((A, B), fence(A, B), entry(A, B, C)), True),
    ("behind", lambda: judged((A,), fence(A, B), entry(A, C), kept=(content_of((A, B)),)), True),
    ("drifted", lambda: judged((A, STRANGER), fence(A, B), entry(A, B)), True),
    ("drifted", lambda: judged((A,), fence(A, B), entry(A, B, C), may_advance=False), True),
    ("vanished", lambda: judged((A,), fence(A)), True),
    ("current", lambda: judged((A,), fence(A), retired=True), True),
]


@pytest.mark.parametrize(("state", "found", "answering"), STATES, ids=[f"{n}-{row[0]}" for n, row in enumerate(STATES)])
def test_an_endpoint_has_the_first_state_that_fits(state: str, found: Callable[[], Judged], answering: bool) -> None:
    """One state each, and beside it whether every kind of the content in force has a set."""
    one = found()
    assert (one.state, one.answering) == (state, answering)


def test_a_refused_new_endpoint_is_refused_and_not_missing() -> None:
    """Nothing will come of waiting: a guard keeps it out."""
    found = judged((), None, entry(weighted(1, 0)))
    assert (found.state, found.swap) == ("refused", None)


def test_a_repair_beside_a_refusal_is_a_swap_to_send() -> None:
    """The refused plan does not keep the named content out."""
    found = judged((A,), fence(A, B), entry(STRANGER), kept=(content_of((A, B)),))
    assert found.state == "refused"
    assert found.swap is not None
    assert found.swap.purpose == "repair"
    assert judged((A,), fence(A), entry(A)).swap is None


def test_the_named_content_comes_from_the_plan_the_zone_or_an_older_plan() -> None:
    """In this order, and None where nobody knows it any more."""
    assert judged((), fence(A), entry(A)).question.named == (A,)
    assert judged((A,), fence(A), entry(A, B)).question.named == (A,)
    assert judged((), fence(A), entry(B), kept=(content_of((A,)),)).question.named == (A,)
    assert judged((), fence(A), entry(B)).question.named is None


def test_names_to_judge_are_the_plan_s_and_those_a_fence_marks() -> None:
    """Case 57: a name that no plan lists and no fence marks is unmanaged; another fleet's fence is not ours to judge."""
    records = [
        fence_record(fence(A), "ep2.example.test."),
        fence_record(fence(A, fleet="core"), "ep3.example.test."),
        garbled("ep4.example.test.").record,
        simple(1, name="other.example.test."),
    ]
    working = index(8, entry(A))
    choice = bench(working).choice
    assert endpoint_names(memory(*records), choice, FLEET) == [NAME, "ep2.example.test.", "ep4.example.test."]
    listed = bench(index(8, entry(simple(1), name="ep3.example.test."))).choice
    assert "ep3.example.test." in endpoint_names(memory(*records), listed, FLEET)


def alias_to_tree(*tree: RecordSet, planned: bool) -> Judged:
    """Judge an endpoint that is an alias to another name of its zone, which the plan may list as well."""
    pointing = alias(TREE)
    endpoints = [entry(pointing)] + ([entry(simple(1, name=TREE), name=TREE)] if planned else [])
    found = memory(fence_record(fence(pointing)), pointing, *tree)
    return judge(found, bench(index(8, *endpoints)), [NAME])[NAME]


def test_an_alias_to_nothing_answers_nothing() -> None:
    """October 2025: the set stands, what it points to is gone, and clients get zero answers."""
    assert alias_to_tree(simple(1, name=TREE), planned=False).answering
    assert not alias_to_tree(planned=False).answering


def test_an_alias_to_what_a_plan_lists_answers_only_once_that_stands() -> None:
    """What the plan will put there answers nobody yet: `answering` tells what clients get now."""
    assert alias_to_tree(simple(1, name=TREE), planned=True).answering
    assert not alias_to_tree(planned=True).answering


def test_an_alias_into_another_zone_is_taken_as_answering() -> None:
    """A load balancer's own zone cannot be looked into from here."""
    pointing = alias("lb.example.net.", zone=BALANCER_ZONE)
    assert judged((pointing,), fence(pointing), entry(pointing)).answering


def test_a_new_alias_may_point_to_what_the_same_plan_creates() -> None:
    """Alias and target of one plan are created in one batch, target first: no guard stands in the way."""
    endpoints = (entry(alias(TREE)), entry(simple(1, name=TREE), name=TREE))
    found = judge(memory(), bench(index(8, *endpoints)), [NAME, TREE])
    assert [found[name].state for name in (NAME, TREE)] == ["missing", "missing"]
    alone = judge(memory(), bench(index(8, endpoints[0])), [NAME])[NAME]
    assert reasons_of(alone) == (
        f"alias-target: the alias A points to {TREE}, where no A set leads to an answer",
        "the plan does not pass: `planner publish` one that passes",
    )


def test_the_room_of_a_zone_is_its_quota_less_what_stands() -> None:
    """Every record set counts, whoever's; a zone over its quota has no room, not less than none."""
    found = memory(fence_record(fence(A)), A, B)

    def with_quota(record_sets: int) -> Bench:
        return msgspec.structs.replace(bench(None), limits=LimitsTable(zone_record_sets=record_sets))

    assert surroundings(found, with_quota(5)).room == 2
    assert surroundings(found, with_quota(2)).room == 0


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (
            judged((STRANGER,), None, entry(A)),
            "record sets without a fence, which no kept plan explains: `enactor adopt` takes them as they are",
        ),
        (
            judged((A,), fence(A, fleet="other"), entry(A)),
            f"its fence belongs to fleet other: `enactor adopt {NAME} --from-fleet other` takes it over as it stands",
        ),
        (
            judged((A,), GARBLED, entry(A)),
            (
                f"the word 'do' is not a new key=value pair: `enactor adopt {NAME}` writes it anew, once you know that what "
                "stands there is right"
            ),
        ),
        (
            judged((A,), fence(A, state="hold"), entry(A)),
            f"held until released: `enactor release {NAME}` ends it",
        ),
        (
            judged((A,), fence(A, state="hold", until=LATER), entry(A)),
            f"held until 2026-11-30T05:00:00Z: `enactor release {NAME}` ends it",
        ),
        (judged((A,), fence(A, A6), entry(A, A6)), "no record set answers v6"),
        (judged((), None, entry(A)), "no record set stands here"),
        (
            judged((A,), fence(A)),
            "no plan lists this name; it is kept at the content that its fence names: list it again, or under retired, and `enactor retire` takes it away",
        ),
        (
            judged((A,), fence(A, B), entry(A, B, C), may_advance=False),
            (
                "only plans older than the open generation are at hand, and nothing to repair it with: `planner publish` puts one "
                "above it"
            ),
        ),
    ],
)
def test_a_state_comes_with_its_reason_in_a_sentence(found: Judged, reason: str) -> None:
    """A person reads why, and what to do."""
    assert reasons_of(found) == (reason,)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (entry(A), ()),
        (entry(A, B), ("plan 8 wants other content here, and waits for the end of the hold",)),
        (None, ("no plan lists this name",)),
    ],
)
def test_a_hold_hides_nothing_of_what_the_plan_wants(wanted: Endpoint | None, said: tuple[str, ...]) -> None:
    """`held` stands before `behind`: who looks would not know that anything waits."""
    found = judged((A,), fence(A, state="hold"), wanted) if wanted else judged((A,), fence(A, state="hold"))
    assert found.state == "held"
    assert reasons_of(found) == (*said, f"held until released: `enactor release {NAME}` ends it")


@pytest.mark.parametrize(
    ("found", "ways"),
    [
        (
            judged((A, B, C), fence(A, B, C), entry(A)),
            [
                "`planner publish` one that passes",
                (
                    f"`enactor allow {NAME} --guard shrink-capacity --generation 8` and "
                    f"`enactor allow {NAME} --guard shrink-targets --generation 8`"
                ),
            ],
        ),
        (
            judged((A, A6), fence(A, A6), entry(A)),
            ["`planner publish` one that passes", f"`enactor retire {NAME} --type AAAA`"],
        ),
        (judged((), None, entry(weighted(1, 0))), ["`planner publish` one that passes"]),
    ],
)
def test_a_refusal_ends_with_every_way_past_it(found: Judged, ways: list[str]) -> None:
    """What can be allowed by whoever has a fence; a kind is retired; a name without a fence has nothing to allow it in."""
    assert found.state == "refused"
    assert reasons_of(found)[-1] == f"the plan does not pass: {', or '.join(ways)}"


def test_a_tombstone_that_a_plan_lists_says_its_way_out_once() -> None:
    """Its finding names `adopt`; no publish and no allow lifts it."""
    (reason,) = reasons_of(judged((), fence(A, state="retired"), entry(A)))
    assert "`enactor adopt` is the way to bring it back" in reason


def test_what_is_current_needs_no_reason() -> None:
    """Only what is not at rest explains itself."""
    assert reasons_of(judged((A,), fence(A), entry(A))) == ()


def test_a_fence_is_shown_by_its_fields_and_a_garbled_one_not_at_all() -> None:
    """`survey --json` gives what the fence says, without what it does not."""
    shown = fence_fields(judged((A,), fence(A), entry(A)))
    assert shown is not None
    assert {"fleet", "gen", "plan", "by", "nonce", "state"} == set(shown)
    assert fence_fields(judged((A,), GARBLED, entry(A))) is None
    assert fence_fields(judged((), None, entry(A))) is None


def test_a_zone_s_own_limits_are_those_of_the_endpoint_s_pattern() -> None:
    """The question carries the limits of the name it asks about."""
    table = bench(index(8, entry(A)))
    assert judge(memory(), table, [NAME])[NAME].question.limits == table.limits.of(NAME)
    assert msgspec.structs.asdict(judge(memory(), table, [NAME])[NAME].question)["generation"] == 8

"""What the plan will really put in a zone, and where older contents are looked for: what the judgement of every endpoint rests on."""

from datetime import UTC, datetime

import msgspec
import pytest

from enactor.fence import Fence, text_set
from enactor.guards import LimitRule, Limits, LimitsTable
from enactor.judge import Bench, Judged, endpoint_names, judge, reasons_of, surroundings
from enactor.names import fence_name
from enactor.plan_index import PlanIndex
from enactor.records import Content, RecordSet, content_digest, content_of
from enactor.swap import Refused, Swap

from .kernel_builders import (
    EARLIER,
    ENACTOR,
    FLEET,
    LATER,
    NAME,
    NEW_NONCE,
    NOW,
    ZONE,
    ZONE_NAME,
    alias,
    digest,
    entry,
    fence,
    fence_record,
    index,
    simple,
    weighted,
)
from .test_judge import bench, memory

TARGET = f"tree.{ZONE_NAME}"
NODE = (TARGET, "A")
PLANNED = index(8, entry(simple(1, name=TARGET), name=TARGET))
STANDS = simple(7, record_type="AAAA", name=TARGET)
A, B = weighted(1), weighted(2)


class KeptHere:
    """A lookup port that has one content, of one endpoint of one zone."""

    def __init__(self, name: str, *contents: Content) -> None:
        self._name = name
        self._contents = {content_digest(content): content for content in contents}

    def content(self, zone: str, name: str, digest: str) -> Content | None:
        return self._contents.get(digest) if (zone, name) == (ZONE, self._name) else None

    def kept_digests(self, zone: str, name: str) -> frozenset[str]:
        return frozenset(self._contents if (zone, name) == (ZONE, self._name) else ())


def looking(working: PlanIndex | None, kept: KeptHere, **changes: object) -> Bench:
    return msgspec.structs.replace(bench(working), lookup=kept, **changes)


def is_coming(*records: RecordSet, kept: tuple[Content, ...] = (), aws_now: datetime | None = NOW) -> bool:
    """Tell whether the plan's content at the target counts as there for an alias to it."""
    found = surroundings(memory(*records), looking(PLANNED, KeptHere(TARGET, *kept), aws_now=aws_now))
    return NODE in found.available if found.available is not None else False


def marked(**changes: object) -> RecordSet:
    return fence_record(msgspec.structs.replace(fence(STANDS), **changes), TARGET)


@pytest.mark.parametrize(
    ("of", "coming"),
    [
        (fence(STANDS), True),
        (fence(STANDS, state="hold"), False),
        (fence(STANDS, state="hold", until=LATER), False),
        (fence(STANDS, state="hold", until=EARLIER), True),
        (fence(STANDS, state="retired"), False),
        (fence(STANDS, fleet="another"), False),
        (fence(STANDS, fleet="another", state="retired"), False),
    ],
)
def test_a_planned_target_counts_as_there_where_nothing_but_guards_keeps_it_out(of: Fence, coming: bool) -> None:
    """An alias to a target that is held, retired or another fleet's would be left pointing at nothing."""
    assert is_coming(STANDS, fence_record(of, TARGET)) is coming


def test_a_hold_whose_end_nobody_can_tell_is_a_hold() -> None:
    """Without AWS's time no end has come."""
    assert not is_coming(STANDS, marked(state="hold", until=EARLIER), aws_now=None)


def test_a_planned_target_without_a_fence_counts_where_it_is_ours_to_write() -> None:
    """Where nothing stands, or what a kept plan of that very endpoint says; a stranger's sets and an odd fence keep it out."""
    assert is_coming()
    assert is_coming(STANDS, kept=(content_of((STANDS,)),))
    assert not is_coming(STANDS)
    assert not is_coming(STANDS, kept=(content_of((simple(8, name=TARGET),)),))
    odd = text_set(fence_name(TARGET, ZONE_NAME), "do not touch, ask Ann")
    assert not is_coming(odd)
    assert not is_coming(STANDS, odd, kept=(content_of((STANDS,)),))


def test_an_endpoint_is_held_to_the_limits_of_its_own_name() -> None:
    """Two of three may go at the one whose rule says so."""
    three, one = tuple(weighted(number) for number in (1, 2, 3)), weighted(1)
    loose = LimitsTable(rules=(LimitRule(match=NAME, limits=Limits(shrink_targets=1.0, shrink_capacity=1.0)),))
    seen = memory(*three, fence_record(fence(*three)))
    for limits, kind in ((LimitsTable(), Refused), (loose, Swap)):
        table = looking(index(8, entry(one)), KeptHere(NAME), limits=limits)
        assert isinstance(judge(seen, table, [NAME])[NAME].decision, kind)


def test_what_a_fence_names_is_looked_for_in_its_own_zone_and_endpoint() -> None:
    """The content of another zone's endpoint of the same name is not what stood here."""
    seen = memory(A, fence_record(fence(A, B)))
    named = content_of((A, B))
    found = judge(seen, looking(None, KeptHere(NAME, named)), [NAME])[NAME]
    assert found.swap is not None
    assert found.swap.creates == (B,)
    assert judge(seen, looking(None, KeptHere(TARGET, named)), [NAME])[NAME].swap is None


def test_what_stands_without_a_fence_is_ours_only_by_a_kept_plan_of_that_endpoint() -> None:
    """Then its fence is put back; what another endpoint once said explains nothing."""
    for kept, state in (
        (KeptHere(NAME, content_of((A, B))), "fence-missing"),
        (KeptHere(TARGET, content_of((A, B))), "foreign"),
    ):
        assert judge(memory(A, B), looking(index(8, entry(weighted(9))), kept), [NAME])[NAME].state == state


def test_without_a_plan_the_fences_say_what_is_ours() -> None:
    """Nothing is judged as vanished where no plan is at hand, and nothing that nobody marked is judged."""
    seen = memory(A, fence_record(fence(A)), simple(1, name=TARGET))
    table = looking(None, KeptHere(NAME))
    assert endpoint_names(seen, table.choice, FLEET) == [NAME]
    found = judge(seen, table, [NAME])[NAME]
    assert (found.state, found.question.wanted, found.question.generation) == ("current", None, 0)


def test_an_endpoint_that_no_plan_lists_says_so_though_it_drifted_too() -> None:
    """What to do about it comes first: it will not be repaired before it is listed again."""
    found = judge(memory(A, fence_record(fence(B))), looking(index(8), KeptHere(NAME)), [NAME])[NAME]
    assert found.state == "vanished"
    assert "no plan lists this name" in reasons_of(found)[0]


def drained(aws_now: datetime, kept: KeptHere, name: str = NAME) -> Judged:
    """Judge a step from four to two of the ten that stood when the window began, an hour's plan at hand."""
    ten, four, two = (tuple(weighted(number) for number in range(count)) for count in (10, 4, 2))
    own = fence(*four, base=f"2026-11-30T04:00:00Z/{digest(*ten)}")
    table = looking(index(8, entry(*two)), kept, aws_now=aws_now)
    return judge(memory(*four, fence_record(own)), table, [name])[name]


def test_small_steps_within_a_window_are_held_against_what_stood_when_it_began() -> None:
    """By AWS's own clock, and by the content of that very endpoint; after the window a step is judged by itself."""
    ten = content_of(weighted(number) for number in range(10))
    found = drained(NOW, KeptHere(NAME, ten)).decision
    assert isinstance(found, Refused)
    assert [(one.guard, one.wanted) for one in found.findings] == [("slow-drain", 0.8)]
    assert reasons_of(drained(NOW, KeptHere(NAME, ten)))[-1] == (
        "the plan does not pass: wait for the end of the window, or `planner publish` one that passes, or "
        f"`enactor allow {NAME} --guard slow-drain --generation 8`"
    )
    unknown = drained(NOW, KeptHere(TARGET, ten)).decision
    assert isinstance(unknown, Refused)
    assert [one.observed for one in unknown.findings] == ["unknown"]
    assert isinstance(drained(datetime(2026, 12, 1, tzinfo=UTC), KeptHere(NAME, ten)).decision, Swap)


def test_a_swap_bears_the_round_s_nonce_and_who_writes() -> None:
    """By the nonce a lost answer is found again, and by the name a person finds the enactor."""
    table = looking(index(8, entry(A, B)), KeptHere(NAME), nonce=NEW_NONCE)
    swap = judge(memory(A, fence_record(fence(A))), table, [NAME])[NAME].swap
    assert swap is not None
    assert (swap.fence_after.by, swap.fence_after.nonce) == (ENACTOR, NEW_NONCE)


def test_a_hold_ends_by_aws_s_clock() -> None:
    """No time, no end."""
    held = memory(A, fence_record(fence(A, state="hold", until=EARLIER)))
    for aws_now, state in ((NOW, "behind"), (None, "held")):
        table = looking(index(8, entry(A, B)), KeptHere(NAME), aws_now=aws_now)
        assert judge(held, table, [NAME])[NAME].state == state


def test_what_stands_around_every_endpoint_is_read_off_the_zone() -> None:
    """Its name, where other servers answer, who points to whom, what answers, and how much room is left."""
    cut = RecordSet(name=f"sub.{ZONE_NAME}", type="NS", ttl=60, values=("ns.example.net.",))
    listing = [
        A,
        cut,
        alias(TARGET, name=f"www.{ZONE_NAME}"),
        simple(1, name=TARGET),
        alias("gone.", name=f"d.{ZONE_NAME}"),
    ]
    found = surroundings(memory(*listing), looking(None, KeptHere(NAME), limits=LimitsTable(zone_record_sets=7)))
    answering = frozenset({(NAME, "A"), (TARGET, "A"), (f"www.{ZONE_NAME}", "A")})
    assert (found.zone_name, found.cuts, found.room) == (ZONE_NAME, frozenset({cut.name}), 2)
    assert found.pointed == {(TARGET, "A"): (f"www.{ZONE_NAME}",), ("gone.", "A"): (f"d.{ZONE_NAME}",)}
    assert found.standing == found.available == answering
    assert found.sure == answering
    assert found.circles == {}


def test_only_what_stands_or_has_no_set_yet_is_sure() -> None:
    """Route 53 takes an alias to a set that leads nowhere by now, so what is still to come there saves no answer meanwhile."""
    dead = alias("gone.example.test.", name=TARGET)
    for standing, sure in (((), True), ((dead,), False)):
        records = [*standing, *([fence_record(fence(dead), TARGET)] if standing else [])]
        found = surroundings(memory(*records), looking(PLANNED, KeptHere(TARGET)))
        assert found.available is not None
        assert found.sure is not None
        assert NODE in found.available
        assert (NODE in found.sure) is sure


def test_a_circle_that_the_plan_would_close_is_seen() -> None:
    """With what stands beside it; what the plan replaces is not there any more."""
    closing = index(8, entry(alias(TARGET)))
    seen = memory(alias(NAME, name=TARGET), A, fence_record(fence(A)))
    found = surroundings(seen, looking(closing, KeptHere(NAME)))
    assert found.circles == dict.fromkeys([(NAME, "A"), (TARGET, "A")], (NAME, TARGET))
    assert found.available == frozenset()
    assert found.standing == frozenset({(NAME, "A"), (TARGET, "A")})

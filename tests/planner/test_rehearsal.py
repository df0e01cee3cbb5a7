"""What a dry-run says of one zone: what enactors would do there, what keeps them from it, and what it costs."""

from typing import Any

import msgspec
import pytest

from enactor.batch import CHARACTERS_MAX
from enactor.fence import Switch
from enactor.guards import Finding, LimitRule, Limits, LimitsTable, PlanLimits
from enactor.memory import ZoneMemory
from enactor.plan import Endpoint, Retired
from enactor.plan_index import PlanIndex
from enactor.records import Content, RecordSet, content_of
from planner.members import ContentChange, Member
from planner.publishing import Carried
from planner.reasons import TargetReason
from planner.rehearsal import Rehearsal, Sight, rehearse_zone
from planner.reports import Cost, DryRunEndpoint, DryRunZone
from tests.enactor.kernel_builders import (
    EARLIER,
    FLEET,
    LATER,
    NAME,
    NOW,
    ZONE,
    ZONE_NAME,
    ListedZone,
    entry,
    fence,
    fence_record,
    garbled,
    index,
    simple,
    switch,
    switch_record,
    weighted,
)
from tests.enactor.test_judge import Kept

A, B, C = (weighted(number) for number in (1, 2, 3))
OTHER = f"ep2.{ZONE_NAME}"
ELSEWHERE = simple(9, name=OTHER)
NOTHING = Cost(calls=0, changes=0)


def seen(*records: RecordSet, at: Switch | None = None, **known: Any) -> Sight:
    """Return one look at a zone that holds these record sets and this switch, and what else is known."""
    standing = [] if at is None else [switch_record(at)]
    memory = ZoneMemory(ListedZone(*standing, *records), ZONE, FLEET)
    memory.read_switch()
    memory.read_all(0.0)
    return msgspec.structs.replace(Sight(memory=memory, open_plan=None, aws_now=NOW), **known)


def held_against(plan: PlanIndex, *carried: Carried, limits: LimitsTable | None = None) -> Rehearsal:
    return Rehearsal(plan=plan, limits=limits or LimitsTable(), carried={(one.zone, one.name): one for one in carried})


def told(sight: Sight, rehearsal: Rehearsal, *kept: Content) -> tuple[DryRunZone, tuple[DryRunEndpoint, ...]]:
    """Rehearse a zone; the bars of its endpoints have a test of their own."""
    zone, endpoints = rehearse_zone(sight, rehearsal, Kept(*kept))
    return zone, tuple(msgspec.structs.replace(one, bars=()) for one in endpoints)


def member(record: RecordSet) -> Member:
    return Member(
        type=record.type,
        target=record.values[0],
        weight=record.weight,
        id=record.set_identifier,
        ttl=record.ttl,
    )


OPEN = index(7, entry(A, B))
RUNNING = switch(7, OPEN.stored.short_digest)
IN_FORCE = (fence_record(fence(A, B)), A, B)


def test_a_zone_that_nobody_has_started_is_shown_with_all_that_would_come() -> None:
    """Its switch is `init`'s, and every call carries it; nothing is open there."""
    zone, endpoints = told(seen(), held_against(index(1, entry(A, B))))
    cost = Cost(calls=1, changes=2 + 3)
    assert zone == DryRunZone(zone=ZONE, switch="absent", open=None, plan="behind", refused=(), cost=cost)
    assert endpoints == (
        DryRunEndpoint(
            name=NAME,
            zone=ZONE,
            state="missing",
            action="swap",
            change=ContentChange(added=(member(A), member(B))),
            guards=(),
            changes=3,
            reasons=("no record set stands here",),
        ),
    )


def test_a_newer_plan_is_shown_with_what_it_changes_and_costs() -> None:
    """The switch to its generation, the fence, and the set that comes; what is as wanted already is `current` and costs nothing."""
    sight = seen(*IN_FORCE, fence_record(fence(ELSEWHERE), OTHER), ELSEWHERE, at=RUNNING, open_plan=OPEN)
    zone, endpoints = told(sight, held_against(index(8, entry(A, B, C), entry(ELSEWHERE, name=OTHER))))
    cost = Cost(calls=1, changes=2 + 3)
    assert zone == DryRunZone(zone=ZONE, switch="run", open=7, plan="behind", refused=(), cost=cost)
    assert endpoints == (
        DryRunEndpoint(
            name=NAME,
            zone=ZONE,
            state="behind",
            action="swap",
            change=ContentChange(added=(member(C),)),
            guards=(),
            changes=3,
        ),
        DryRunEndpoint(
            name=OTHER, zone=ZONE, state="current", action="none", change=ContentChange(), guards=(), changes=0
        ),
    )


def test_the_plan_that_is_open_costs_nothing_where_it_stands() -> None:
    """And a newer one that changes nothing in the zone costs the one call that opens it."""
    sight = seen(*IN_FORCE, at=RUNNING, open_plan=OPEN)
    zone, (endpoint,) = told(sight, held_against(OPEN))
    assert (zone.plan, zone.cost, endpoint.state, endpoint.action) == ("current", NOTHING, "current", "none")
    zone, (endpoint,) = told(sight, held_against(index(8, entry(A, B), retired=[Retired("old.example.test.", ZONE)])))
    assert (zone.plan, zone.cost, endpoint.action) == ("behind", Cost(calls=1, changes=2), "none")


@pytest.mark.parametrize(
    ("at", "word"),
    [
        (switch(7, mode="stop"), "stop"),
        (switch(7, mode="stop", until=LATER), "stop"),
        (switch(7, mode="stop", until=EARLIER), "run"),
    ],
)
def test_a_stop_ends_by_aws_own_clock(at: Switch, word: str) -> None:
    """A stopped zone is shown with what would be written once it runs."""
    zone, (endpoint,) = told(seen(*IN_FORCE, at=at), held_against(index(8, entry(A, B, C))))
    assert (zone.switch, zone.open, zone.cost, endpoint.action) == (word, 7, Cost(calls=1, changes=5), "swap")


def test_many_endpoints_take_as_many_calls_as_the_enactors_would() -> None:
    """Forty endpoints to a call, each call with the switch in front."""
    listed = [simple(1, name=f"n{number:03}.{ZONE_NAME}") for number in range(101)]
    zone, endpoints = told(
        seen(at=RUNNING, open_plan=OPEN),
        held_against(index(8, *(entry(one, name=one.name) for one in listed), entry(A, B))),
    )
    assert (len(endpoints), zone.cost) == (102, Cost(calls=3, changes=3 * 2 + 101 * 2 + 3))


# ---- what keeps a change back ----------------------------------------------------------------------------------------

SHRUNK = (
    Finding(
        guard="shrink-targets",
        observed=3,
        wanted=1,
        limit=0.5,
        message="v4: 2 of 3 targets go, a share of 0.67 over the limit 0.5",
    ),
    Finding(
        guard="shrink-capacity",
        observed=3,
        wanted=1,
        limit=0.5,
        message="v4: targets that hold 20 of 30 of the weight go or go to 0, a share of 0.67 over the limit 0.5",
    ),
)
THREE = (fence_record(fence(A, B, C)), A, B, C)
THREE_OPEN = index(7, entry(A, B, C))


def against(generation: int, *findings: Finding) -> tuple[Finding, ...]:
    """Return findings as a publish words them."""
    return tuple(msgspec.structs.replace(one, message=f"{one.message} (against plan {generation})") for one in findings)


def test_what_an_enactor_refuses_is_shown_with_its_numbers_and_its_way_out_left_to_the_guard() -> None:
    """The change is shown all the same; of a refusal the findings are the reasons."""
    sight = seen(*THREE, at=RUNNING, open_plan=THREE_OPEN)
    zone, endpoints = told(sight, held_against(index(8, entry(A))))
    assert zone.cost == Cost(calls=1, changes=2)
    assert endpoints == (
        DryRunEndpoint(
            name=NAME,
            zone=ZONE,
            state="refused",
            action="refused",
            change=ContentChange(removed=(member(B), member(C))),
            guards=SHRUNK,
            changes=0,
        ),
    )


def test_the_limits_are_the_endpoints_own() -> None:
    """As an enactor judges by them: here everything may go but one."""
    loose = LimitRule(match="ep1.*", limits=Limits(shrink_targets=0.9, shrink_capacity=0.9))
    sight = seen(*THREE, at=RUNNING, open_plan=THREE_OPEN)
    _, (endpoint,) = told(sight, held_against(index(8, entry(A)), limits=LimitsTable(rules=(loose,))))
    assert (endpoint.state, endpoint.action, endpoint.guards) == ("behind", "swap", ())


def test_a_refused_endpoint_that_has_drifted_is_repaired_meanwhile() -> None:
    """That is a write, and is counted; the action is named by what becomes of the plan."""
    sight = seen(fence_record(fence(A, B, C)), A, B, at=RUNNING, open_plan=THREE_OPEN)
    zone, (endpoint,) = told(sight, held_against(index(8, entry(weighted(4)))), content_of((A, B, C)))
    assert (endpoint.state, endpoint.action, endpoint.changes) == ("refused", "refused", 3)
    assert zone.cost == Cost(calls=1, changes=5)


def test_what_publish_would_carry_is_refused_and_costs_nothing() -> None:
    """The plan that is stored does not ask for it; where publish and enactors say the same it is said once, by publish."""
    sight = seen(*THREE, at=RUNNING, open_plan=THREE_OPEN)
    carried = Carried(name=NAME, zone=ZONE, guards=against(7, *SHRUNK))
    zone, (endpoint,) = told(sight, held_against(index(8, entry(A)), carried))
    assert zone.cost == Cost(calls=1, changes=2)
    assert (endpoint.action, endpoint.guards, endpoint.changes) == ("refused", carried.guards, 0)
    loose = LimitsTable(default=Limits(shrink_targets=1.0, shrink_capacity=1.0, slow_drain=1.0))
    zone, (endpoint,) = told(sight, held_against(index(8, entry(A)), carried, limits=loose))
    assert (zone.cost, endpoint.changes) == (Cost(calls=1, changes=2), 0)
    assert (endpoint.state, endpoint.action, endpoint.guards) == ("behind", "refused", carried.guards)
    elsewhere = msgspec.structs.replace(carried, zone="Z2")
    zone, (endpoint,) = told(sight, held_against(index(8, entry(A)), elsewhere, limits=loose))
    assert (zone.cost, endpoint.action, endpoint.guards) == (
        Cost(calls=1, changes=2 + endpoint.changes),
        "swap",
        (),
    )
    assert endpoint.changes > 0


def test_what_the_zone_and_the_parent_say_differently_is_said_twice() -> None:
    """The enactors' first: they see what stands. Another guard's sentence is another one, though it begins alike."""
    sight = seen(*THREE, at=RUNNING, open_plan=THREE_OPEN)
    other = msgspec.structs.replace(SHRUNK[0], observed=4, message="v4: 3 of 4 targets go (against plan 7)")
    alike = msgspec.structs.replace(SHRUNK[1], guard="slow-drain", message=f"{SHRUNK[1].message} and more")
    carried = Carried(name=NAME, zone=ZONE, guards=(other, alike))
    _, (endpoint,) = told(sight, held_against(index(8, entry(A)), carried))
    assert endpoint.guards == (*SHRUNK, other, alike)


VANISHED = Finding(
    guard="vanished",
    observed=2,
    wanted=1,
    limit=0.0,
    message=f"1 of 2 endpoints are no longer mentioned ({OTHER}); list a name under retired to let it leave",
)


def test_a_plan_that_is_refused_whole_shows_what_it_asks_for_and_writes_nothing() -> None:
    """Held against what is open in the zone, by the limits of a plan."""
    both = index(7, entry(A, B), entry(ELSEWHERE, name=OTHER))
    sight = seen(*IN_FORCE, fence_record(fence(ELSEWHERE), OTHER), ELSEWHERE, at=RUNNING, open_plan=both)
    plan = index(8, entry(A, B, C))
    zone, endpoints = told(sight, held_against(plan))
    assert (zone.refused, zone.cost, zone.plan) == ((VANISHED,), NOTHING, "behind")
    assert [(one.name, one.state, one.action, one.changes) for one in endpoints] == [
        (NAME, "behind", "none", 0),
        (OTHER, "vanished", "none", 0),
    ]
    assert endpoints[0].change == ContentChange(added=(member(C),))
    loose = LimitsTable(plan=PlanLimits(vanished=0.5))
    zone, endpoints = told(sight, held_against(plan, limits=loose))
    assert (zone.refused, zone.cost, endpoints[0].action) == ((), Cost(calls=1, changes=5), "swap")


def test_a_zone_is_held_against_what_was_open_in_it() -> None:
    """A name that leaves another zone is that zone's, and a person may have lifted the guard for this generation."""
    elsewhere = index(7, entry(A, B), entry(simple(9), zone="Z2"))
    zone, _ = told(seen(*IN_FORCE, at=RUNNING, open_plan=elsewhere), held_against(index(8, entry(A, B))))
    assert zone.refused == ()
    both = index(7, entry(A, B), entry(ELSEWHERE, name=OTHER))
    for allowed, refused in ((frozenset[str](), (VANISHED,)), (frozenset({"vanished"}), ())):
        sight = seen(*IN_FORCE, at=RUNNING, open_plan=both, allowed=allowed)
        zone, _ = told(sight, held_against(index(8, entry(A, B))))
        assert zone.refused == refused


def test_where_the_open_plan_is_lost_the_nearest_below_it_and_the_fences_are_asked() -> None:
    """As an enactor asks them; what is refused by them is shown with what it asks for."""
    records = (*IN_FORCE, fence_record(fence(ELSEWHERE), OTHER), ELSEWHERE)
    below = index(6, entry(A, B), entry(ELSEWHERE, name=OTHER))
    for plan in (index(8, entry(A, B, C)), index(8, entry(A, B, C), retired=[Retired(OTHER, ZONE)])):
        for nearest in (below, None):
            zone, endpoints = told(seen(*records, at=RUNNING, nearest=nearest), held_against(plan))
            words = (
                f"1 of 2 endpoints {'are no longer' if nearest else 'that have a fence are not'} mentioned ({OTHER})"
            )
            assert [one.message[: len(words)] for one in zone.refused] == ([] if plan.retired else [words])
            assert (endpoints[0].state, endpoints[0].action) == ("behind", "swap" if plan.retired else "none")
            assert zone.cost == (Cost(calls=1, changes=5) if plan.retired else NOTHING)
    theirs = fence_record(fence(ELSEWHERE, fleet="west"), OTHER)
    zone, _ = told(seen(*IN_FORCE, theirs, ELSEWHERE, at=RUNNING), held_against(index(8, entry(A, B, C))))
    assert zone.refused == ()


def test_a_plan_below_what_is_open_is_not_advanced_to() -> None:
    """It is older than the zone, and an enactor would only repair."""
    zone, (endpoint,) = told(seen(*IN_FORCE, at=switch(9)), held_against(index(8, entry(A, B, C))))
    assert (zone.plan, zone.cost, endpoint.action, endpoint.changes) == ("ahead", NOTHING, "none", 0)


# ---- endpoints that are a person's, or another's ---------------------------------------------------------------------

HELD_UNTIL = "held until 2026-11-30T05:00:00Z: `enactor release ep1.example.test.` ends it"
ADOPT = "record sets without a fence, which no kept plan explains: `enactor adopt` takes them as they are"


@pytest.mark.parametrize(
    ("records", "state", "action", "reason"),
    [
        ((A,), "foreign", "refused", ADOPT),
        ((garbled().record, A), "fence-garbled", "refused", ": `enactor adopt ep1.example.test.` writes it anew"),
        ((fence_record(fence(A, state="hold", until=LATER)), A), "held", "none", HELD_UNTIL),
        ((fence_record(fence(A, state="hold", until=EARLIER)), A), "behind", "swap", ""),
    ],
)
def test_what_is_not_ours_to_write_is_said_with_the_way_out(
    records: tuple[RecordSet, ...], state: str, action: str, reason: str
) -> None:
    """What a person must look at first is refused; what a person froze is as it should be, until the hold ends by AWS's clock."""
    _, (endpoint,) = told(seen(*records, at=RUNNING), held_against(index(8, entry(A, B))))
    assert (endpoint.state, endpoint.action) == (state, action)
    assert reason in "; ".join(endpoint.reasons)
    assert bool(endpoint.reasons) == bool(reason)
    assert endpoint.change == ContentChange(added=(member(B),))


def test_another_fleets_endpoint_is_not_looked_at_unless_the_plan_lists_it() -> None:
    """Then it is refused until a person takes it over."""
    theirs = fence(A, fleet="west")
    sight = seen(fence_record(theirs), A, at=RUNNING)
    _, (endpoint,) = told(sight, held_against(index(8, entry(A))))
    assert (endpoint.state, endpoint.action, endpoint.changes) == ("foreign", "refused", 0)
    assert endpoint.reasons[0].startswith("its fence belongs to fleet west: `enactor adopt")
    _, (endpoint,) = told(sight, held_against(index(8, entry(ELSEWHERE, name=OTHER))))
    assert endpoint.name == OTHER


def test_a_retired_name_is_marked_and_keeps_what_stands() -> None:
    """Listing it as retired permits it to leave the plan, and deletes nothing."""
    sight = seen(*IN_FORCE, at=RUNNING, open_plan=OPEN)
    plan = index(8, entry(ELSEWHERE, name=OTHER), retired=[Retired(NAME, ZONE), Retired(OTHER, "Z2")])
    _, endpoints = told(sight, held_against(plan))
    assert [(one.name, one.retired, one.action, bool(one.change)) for one in endpoints] == [
        (NAME, True, "none", False),
        (OTHER, False, "swap", True),
    ]


# ---- to the last character -------------------------------------------------------------------------------------------


def filled(characters: int) -> Endpoint:
    """Return an endpoint whose one record set takes so many characters of a batch."""
    whole = (characters - 3 * SHORTEST) // LONGEST
    rest = characters - whole * LONGEST
    values = [f"2001:db8:1111:1111:1111:1111:1111:{0x1000 + number:x}" for number in range(whole)]
    for digit in range(3):
        digits = (rest + digit) // 3 - SHORTEST + 6
        groups = (str(digit + 2) * ((digits + group) // 6) for group in range(6))
        values.append(f"2001:db8:{':'.join(groups)}")
    assert sum(map(len, values)) == characters
    return entry(RecordSet(name=NAME, type="AAAA", ttl=60, values=tuple(values)))


SHORTEST, LONGEST = len("2001:db8:1:1:1:1:1:1"), len("2001:db8:1111:1111:1111:1111:1111:1111")


@pytest.mark.parametrize(
    ("at", "before", "after"),
    [
        (None, switch(8), switch(8)),
        (switch(7), switch(7), switch(8)),
        (switch(8, until=EARLIER), switch(8, until=EARLIER), switch(8, until=EARLIER)),
    ],
    ids=["no switch yet", "opens a generation", "asserts an open one"],
)
def test_an_endpoint_that_fills_a_call_to_the_last_character_fits(
    at: Switch | None, before: Switch, after: Switch
) -> None:
    """Beside the switch as it stands and as it will be, and its own fence; one character more fits no call."""
    beside = (switch_record(before), switch_record(after), fence_record(fence(gen=8, by="dry-run")))
    spare = CHARACTERS_MAX - sum(len(value) for record in beside for value in record.values)
    opening = 0 if at is None or at.gen == 8 else 2
    for characters, cost in ((spare, Cost(calls=1, changes=4)), (spare + 1, Cost(calls=opening // 2, changes=opening))):
        plan = index(8, filled(characters))
        standing = at if at is None or at.gen < 8 else msgspec.structs.replace(at, plan=plan.stored.short_digest)
        zone, _ = told(seen(at=standing), held_against(plan))
        assert zone.cost == cost, characters


def test_every_target_has_a_bar_before_and_after() -> None:
    """Also where nothing changes, and where the plan leaves an endpoint out it stays as it is."""
    sight = seen(*IN_FORCE, fence_record(fence(ELSEWHERE), OTHER), ELSEWHERE, at=RUNNING, open_plan=OPEN)
    _, endpoints = rehearse_zone(sight, held_against(index(8, entry(A, C), entry(ELSEWHERE, name=OTHER))), Kept())
    assert [[(bar.target, bar.before, bar.after) for bar in one.bars] for one in endpoints] == [
        [(A.values[0], 10, 10), (B.values[0], 10, 0), (C.values[0], 0, 10)],
        [(ELSEWHERE.values[0], bar_weight(ELSEWHERE), bar_weight(ELSEWHERE))],
    ]


def test_an_endpoint_that_the_plan_does_not_list_keeps_its_bars() -> None:
    """It stays as it is."""
    sight = seen(*IN_FORCE, fence_record(fence(ELSEWHERE), OTHER), ELSEWHERE, at=RUNNING, open_plan=OPEN)
    _, endpoints = rehearse_zone(sight, held_against(index(8, entry(A, B))), Kept())
    (other,) = [one for one in endpoints if one.name == OTHER]
    assert [(bar.target, bar.before, bar.after) for bar in other.bars] == [(ELSEWHERE.values[0], 1, 1)]


def test_the_reasons_of_each_target_stand_at_their_endpoint() -> None:
    """By zone and name; an endpoint of which none are known has none."""
    why = TargetReason(id="lb-1", pool="blue", sources=("albs",), standing="in", reasons=("in",))
    held = held_against(index(8, entry(A, B), entry(ELSEWHERE, name=OTHER)))
    reasons = {(ZONE, NAME): (why,), ("Z2", OTHER): (why,)}
    _, endpoints = rehearse_zone(seen(*IN_FORCE), msgspec.structs.replace(held, reasons=reasons), Kept())
    assert {one.name: one.targets for one in endpoints} == {NAME: (why,), OTHER: ()}


def bar_weight(record: RecordSet) -> int:
    return 1 if record.weight is None else record.weight

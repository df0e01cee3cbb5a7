"""Which plans are still needed: by a fence, by what stands without one, by a batch that may still land; and for how long."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from enactor.fence import State, text_set
from enactor.names import switch_name
from enactor.observe import FenceRange, FenceReading, fence_range
from enactor.plan import Broken, Fault, Retired
from enactor.ports import PlanEntry
from enactor.records import RecordSet
from enactor.references import (
    NEEDED_SHOWN_NAMES,
    Keep,
    Needs,
    is_young,
    judged,
    lacks_fences,
    meets,
    needs_of,
    stays_anyway,
    unfenced,
    without,
    writable,
    zones_of,
)

from .kernel_builders import (
    FLEET,
    NAME,
    NOW,
    ZONE,
    ZONE_NAME,
    digest,
    entry,
    fence,
    fence_record,
    garbled,
    plan,
    simple,
    switch,
    switch_record,
    weighted,
)

OTHER = f"ep2.{ZONE_NAME}"
A, B = weighted(1), weighted(2)
OTHER_A = weighted(1, name=OTHER)


def zone(*records: RecordSet, open_at: int | None = 9) -> FenceRange:
    """Return the fence range of a zone that is open at a generation, or without a switch."""
    switches = [] if open_at is None else [switch_record(switch(open_at))]
    return fence_range(ZONE, ZONE_NAME, FLEET, [*switches, *records])


def manifest(generation: int, **changes: Any) -> PlanEntry:
    made = PlanEntry(
        generation=generation,
        digest="d" * 64,
        parent=generation - 1,
        created_at="2020-01-01T00:00:00Z",
        planner="p",
        reason="",
        zones=(ZONE,),
        endpoints=1,
        upload="u",
    )
    return msgspec.structs.replace(made, **changes)


def need(*sets: RecordSet, name: str = NAME, zone: str = ZONE) -> tuple[str, str, str]:
    return (zone, name, digest(*sets))


def with_fences(**fences: FenceReading) -> FenceRange:
    return msgspec.structs.replace(zone(), fences={f"{name}.{ZONE_NAME}": one for name, one in fences.items()})


@pytest.mark.parametrize("fleet", [FLEET, "another"])
@pytest.mark.parametrize("state", ["live", "hold"])
def test_a_fence_needs_the_content_it_names_whoever_s_it_is(state: State, fleet: str) -> None:
    """A held endpoint goes back to it, and another fleet's collect may be ours under a wrong name."""
    found = {ZONE: zone(fence_record(fence(A, state=state, fleet=fleet)))}
    assert needs_of(found) == Needs(frozenset({need(A)}))


def test_a_tombstone_needs_nothing_and_a_garbled_fence_anything() -> None:
    """Nobody can tell what a fence named that cannot be read, and the others are read all the same."""
    found = with_fences(
        ep1=FenceReading(A, fence(A, state="retired")), ep2=garbled(OTHER), ep3=FenceReading(A, fence(B))
    )
    assert needs_of({ZONE: found}) == Needs(
        frozenset({(ZONE, f"ep3.{ZONE_NAME}", digest(B))}), frozenset({(ZONE, OTHER)})
    )


def test_every_zone_s_fences_are_asked() -> None:
    """Two zones may have the same name."""
    found = {ZONE: zone(fence_record(fence(A))), "Z2": zone(fence_record(fence(B)))}
    assert needs_of(found).contents == {need(A), need(B, zone="Z2")}


def test_what_stands_without_its_fence_is_needed() -> None:
    """The fence was lost by hand and will name it again; what has a fence, any fence, is the fence's matter."""
    found = zone(fence_record(fence(A)))
    assert unfenced(ZONE, found, [A, B, OTHER_A, switch_record(switch(9))]).contents == {need(OTHER_A, name=OTHER)}
    both = (OTHER_A, weighted(2, name=OTHER))
    assert unfenced(ZONE, zone(), both).contents == {need(*both, name=OTHER)}


def test_a_zone_is_listed_only_for_a_plan_that_names_something_unfenced_there() -> None:
    """The listing costs reads: other zones' endpoints and fenced ones ask for none."""
    fenced = zone(fence_record(fence(A)))
    assert not lacks_fences(plan(entry(A)), ZONE, fenced)
    assert not lacks_fences(plan(entry(OTHER_A, name=OTHER, zone="Z2")), ZONE, fenced)
    assert lacks_fences(plan(entry(A), entry(OTHER_A, name=OTHER)), ZONE, fenced)


def test_a_plan_meets_what_it_has_and_no_more() -> None:
    """The same content at another name, or another content at the name, is none."""
    needs = Needs(frozenset({need(A), need(OTHER_A, name=OTHER)}))
    assert meets(plan(entry(A), entry(weighted(3, name=OTHER), name=OTHER)), needs) == {need(A)}
    assert meets(plan(entry(B)), needs) == frozenset()
    assert meets(plan(entry(A, zone="Z2")), needs) == frozenset()


def test_where_anything_is_needed_each_content_is_met_once() -> None:
    """By the newest plan that has it; what is met there is not needed of older ones, and another content still is."""
    needs = Needs(frozenset({need(B)}), frozenset({(ZONE, OTHER)}))
    first = meets(plan(entry(OTHER_A, name=OTHER)), needs)
    assert first == {need(OTHER_A, name=OTHER)}
    rest = without(needs, first)
    assert (rest.contents, rest.anything, rest.met) == (needs.contents, needs.anything, first)
    assert meets(plan(entry(OTHER_A, name=OTHER)), rest) == frozenset()
    second = meets(plan(entry(weighted(3, name=OTHER), name=OTHER), entry(B)), rest)
    assert second == {need(weighted(3, name=OTHER), name=OTHER), need(B)}
    last = without(rest, second)
    assert (last.contents, last.met) == (frozenset(), first | second)


KEEP = Keep(newest=1, hours=24, now=NOW)


def test_plans_stay_for_every_reason_that_needs_no_look_at_a_zone() -> None:
    """All are said: a person who unpins a plan wants to know what else keeps it."""
    young = (NOW - timedelta(hours=23)).isoformat()
    entries = [manifest(3), manifest(9, created_at=young), manifest(5), manifest(7)]
    assert stays_anyway(entries, 9, frozenset({5, 9}), KEEP) == {
        3: (),
        5: ("pinned",),
        7: (),
        9: ("head", "pinned", "newest-n", "younger-than-t"),
    }
    assert stays_anyway(entries, 7, frozenset(), msgspec.structs.replace(KEEP, newest=2, hours=0)) == {
        3: (),
        5: (),
        7: ("head", "newest-n"),
        9: ("newest-n",),
    }


def test_without_a_head_any_plan_may_be_it() -> None:
    """It could not be read, or was lost: nothing goes."""
    kept = stays_anyway([manifest(1), manifest(2)], None, frozenset(), KEEP)
    assert kept == {1: ("head",), 2: ("head", "newest-n")}


@pytest.mark.parametrize(
    ("created_at", "young"),
    [
        ((NOW - timedelta(hours=24, seconds=-1)).isoformat(), True),
        ((NOW - timedelta(hours=24)).isoformat(), False),
        ((NOW + timedelta(days=400)).isoformat(), True),
        ("yesterday", True),
        ("2020-01-01T00:00:00", True),
    ],
)
def test_young_is_what_was_made_in_the_last_hours(created_at: str, young: bool) -> None:
    """To the second; and what nobody can date was made now."""
    assert is_young(created_at, KEEP) is young
    assert not is_young("yesterday", msgspec.structs.replace(KEEP, hours=0))
    assert not is_young("2020-01-01T00:00:00", msgspec.structs.replace(KEEP, hours=0))


def test_one_hour_is_enough_to_keep_what_nobody_can_date() -> None:
    """It may have been made in it."""
    hour = msgspec.structs.replace(KEEP, hours=1)
    assert is_young("", hour)
    assert is_young("2020-01-01T00:00:00", hour)


@pytest.mark.parametrize(
    ("found", "reasons"),
    [
        (zone(open_at=8), ()),
        (zone(open_at=7), (f"writable:{ZONE}",)),
        (zone(open_at=6), (f"writable:{ZONE}",)),
        (zone(open_at=None), (f"writable:{ZONE}",)),
        (zone(text_set(switch_name(FLEET, ZONE_NAME), "mode=stop"), open_at=None), (f"writable:{ZONE}",)),
    ],
    ids=["open above", "open at it", "open below", "no switch", "unclear"],
)
def test_a_batch_of_a_plan_may_land_until_the_zone_is_open_above_it(
    found: FenceRange, reasons: tuple[str, ...]
) -> None:
    """Promise 4: the switch alone says that no batch of a plan can land any more, and no clock does."""
    assert writable(7, [ZONE], {ZONE: found}) == reasons


def test_a_zone_that_cannot_be_read_keeps_its_plans() -> None:
    """Each zone is asked for, in order; one that was read says nothing for another."""
    found = {"Z2": zone(open_at=8), "Z3": zone(open_at=7)}
    assert writable(7, ["Z3", "Z2", "Z1"], found) == ("zone-unreadable:Z1", "writable:Z3")


def test_a_plan_names_the_zones_of_its_manifest_and_of_every_part_of_its_body() -> None:
    """Either may have been tampered with."""
    broken = Broken(name=NAME, zone="Z4", faults=(Fault(path="", message=""),))
    made = plan(entry(A, zone="Z2"), retired=[Retired(NAME, "Z3")], broken=[broken])
    assert zones_of(manifest(1, zones=("Z9", "Z2")), made) == ("Z2", "Z3", "Z4", "Z9")


def test_a_plan_goes_when_it_is_neither_writable_nor_needed() -> None:
    """The verdict says in which zones what is open above it; what it does not meet is still needed of older ones."""
    needs = Needs(frozenset({need(B)}))
    verdict, left = judged(manifest(7), plan(entry(A)), {ZONE: zone(open_at=9)}, needs)
    assert (verdict.entry, verdict.goes, verdict.reasons) == (
        manifest(7),
        True,
        (f"open-above:{ZONE}@9", "unreferenced"),
    )
    assert left == needs


def test_a_needed_plan_stays_and_meets_the_need() -> None:
    """An older plan with the same content is not needed for it."""
    needs = Needs(frozenset({need(A), need(B)}))
    verdict, left = judged(manifest(7), plan(entry(A)), {ZONE: zone(open_at=9)}, needs)
    assert (verdict.entry.generation, verdict.goes, verdict.reasons) == (7, False, (f"needed:{ZONE}/{NAME}",))
    assert left.contents == {need(B)}
    older, _ = judged(manifest(6), plan(entry(A)), {ZONE: zone(open_at=9)}, left)
    assert older.goes


def test_a_plan_that_may_still_be_written_stays_and_meets_the_need() -> None:
    """Both reasons are said."""
    verdict, left = judged(manifest(7), plan(entry(A)), {ZONE: zone(open_at=7)}, Needs(frozenset({need(A)})))
    assert (verdict.goes, verdict.reasons) == (False, (f"writable:{ZONE}", f"needed:{ZONE}/{NAME}"))
    assert left.contents == frozenset()


def test_a_plan_that_cannot_be_read_stays_and_meets_nothing() -> None:
    """An enactor of another version may read it and need it."""
    needs = Needs(frozenset({need(A)}))
    verdict, left = judged(manifest(7), None, {ZONE: zone(open_at=9)}, needs)
    assert (verdict.entry, verdict.goes, verdict.reasons, left) == (manifest(7), False, ("unreadable",), needs)


def test_of_many_needs_the_first_are_named() -> None:
    """More do not help a person."""
    names = [f"a{number:02}.{ZONE_NAME}" for number in range(NEEDED_SHOWN_NAMES + 3)]
    needs = Needs(frozenset(need(simple(1, name=name), name=name) for name in names))
    verdict, left = judged(
        manifest(7), plan(*(entry(simple(1, name=name), name=name) for name in names)), {ZONE: zone(open_at=9)}, needs
    )
    assert verdict.reasons == tuple(f"needed:{ZONE}/{name}" for name in names[:NEEDED_SHOWN_NAMES])
    assert left.contents == frozenset()

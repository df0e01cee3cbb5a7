"""What a zone's listing means: its switch, the fences, the record sets, who points to whom, and where other servers answer."""

from enactor.fence import Fence, Garbled
from enactor.names import fence_name, switch_name
from enactor.observe import FenceReading, fence_range, live_names, sets_reading
from enactor.records import RecordSet

from .kernel_builders import (
    FLEET,
    NAME,
    ZONE,
    ZONE_NAME,
    alias,
    fence,
    fence_record,
    garbled,
    index,
    simple,
    switch,
    switch_record,
    weighted,
)

A = weighted(1)
OTHER = f"ep2.{ZONE_NAME}"
STRAY = simple(1, name=f"stray._fence.{ZONE_NAME}")
FOREIGN_SWITCH = RecordSet(name=switch_name("blue", ZONE_NAME), type="TXT", ttl=60, values=('"mode=stop"',))


def servers(name: str) -> RecordSet:
    return RecordSet(name=name, type="NS", ttl=60, values=("ns.example.net.",))


def test_the_fence_range_shows_the_switch_and_every_fence_whatever_lies_between() -> None:
    """Each reading bears its record set to the letter: a DELETE must give exactly that."""
    mine, odd = fence_record(fence(A)), garbled(OTHER).record
    found = fence_range(ZONE, ZONE_NAME, FLEET, [STRAY, mine, FOREIGN_SWITCH, odd, switch_record(switch(8))])
    assert (found.zone, found.zone_name) == (ZONE, ZONE_NAME)
    assert (found.switch.record, found.switch.switch) == (switch_record(switch(8)), switch(8))
    assert found.fences[NAME] == FenceReading(mine, fence(A))
    assert found.fences[OTHER].record == odd
    assert isinstance(found.fences[OTHER].fence, Garbled)
    assert set(found.fences) == {NAME, OTHER}
    assert found.others == (FOREIGN_SWITCH.name,)


def test_an_empty_range_is_an_absent_switch() -> None:
    """Which means stop."""
    found = fence_range(ZONE, ZONE_NAME, FLEET, [])
    assert (found.switch.record, found.switch.switch, found.fences, found.others) == (None, None, {}, ())


def test_this_fleet_s_fences_that_are_no_tombstones_are_live() -> None:
    """A held endpoint is still there; another fleet's, a retired and an odd one mark nothing of ours."""
    states: dict[str, FenceReading] = {
        "a.": FenceReading(A, fence(A)),
        "b.": FenceReading(A, fence(A, state="hold")),
        "c.": FenceReading(A, fence(A, state="retired")),
        "d.": FenceReading(A, fence(A, fleet="blue")),
        "e.": garbled(),
    }
    assert live_names(states, FLEET) == ("a.", "b.")


def test_a_listing_is_sorted_into_what_decisions_need() -> None:
    """Every set is counted for the zone's quota; of the fence range only the texts are kept, and no address there is an endpoint's."""
    both = (weighted(1), weighted(1, record_type="AAAA"))
    text = RecordSet(name=NAME, type="TXT", ttl=60, values=('"hello"',))
    listing = [*both, text, fence_record(fence(A)), STRAY, switch_record(switch(8)), servers(ZONE_NAME)]
    found = sets_reading(ZONE_NAME, ZONE, listing)
    assert found.sets == {NAME: both}
    assert set(found.fence_texts) == {fence_name(NAME, ZONE_NAME), STRAY.name, switch_name(FLEET, ZONE_NAME)}
    assert found.fence_texts[fence_name(NAME, ZONE_NAME)] == fence_record(fence(A))
    assert found.total == 7


def test_other_servers_answer_below_every_ns_set_but_the_apex_s() -> None:
    """The apex has one in every zone."""
    cut = f"sub.{ZONE_NAME}"
    found = sets_reading(ZONE_NAME, ZONE, [servers(ZONE_NAME), servers(cut), simple(1)])
    assert found.cuts == {cut}


def test_who_points_to_whom_is_told_within_the_zone_by_name_and_type() -> None:
    """However the target is spelled, and each pointer once; an alias to another zone points to nothing here."""
    target = f"tree.{ZONE_NAME}"
    listing = [
        alias("Tree.Example.test", name=OTHER, weight=1),
        alias(target, name=OTHER, weight=2),
        alias(target, name=NAME),
        alias(target, "AAAA", name=NAME),
        alias(target, name=f"far.{ZONE_NAME}", zone="Z2"),
    ]
    found = sets_reading(ZONE_NAME, ZONE, listing)
    assert found.pointed == {(target, "A"): (NAME, OTHER), (target, "AAAA"): (NAME,)}


def test_a_plan_knows_where_it_came_from() -> None:
    """The table, the disk or the mirror: a report says which."""
    assert index(8).source == "table"


def test_a_fence_says_what_it_said() -> None:
    """Read back from its record set, whatever else lies in the range."""
    found = fence_range(ZONE, ZONE_NAME, FLEET, [fence_record(fence(A, gen=0, state="hold"))]).fences[NAME].fence
    assert isinstance(found, Fence)
    assert (found.gen, found.state) == (0, "hold")

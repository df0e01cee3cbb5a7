"""What init, stop and start write into the switch: the highest generation that anything shows, never a lower one."""

from typing import Any

import msgspec
import pytest

from enactor.brake import (
    LEAP_MAX,
    Table,
    Unclear,
    first_fence,
    generation_of,
    ground,
    is_done,
    is_ours,
    new_switch,
    of_fleet,
    told_by_switch,
)
from enactor.fence import Switch, read_switch, switch_text, text_set
from enactor.names import switch_name
from enactor.observe import FenceRange, SwitchReading
from enactor.ports import PlanHead
from enactor.records import RecordSet, txt_quote

from .kernel_builders import (
    FLEET,
    LATER,
    NEW_NONCE,
    NOW,
    ZONE,
    ZONE_NAME,
    ListedZone,
    fence,
    fence_record,
    simple,
    switch,
    switch_record,
)

HEAD_9 = PlanHead(9, "9" * 64)
A = simple(1)


def seen(*fences: int, switch_is: Switch | str | None = None, fleet: str = FLEET) -> FenceRange:
    """Return a zone's fence range with fences of some generations and a switch, a text typed by hand included."""
    records = [fence_record(fence(A, gen=gen, fleet=fleet), f"ep{gen}.{ZONE_NAME}") for gen in fences]
    if isinstance(switch_is, str):
        records.append(text_set(switch_name(FLEET, ZONE_NAME), switch_is))
    elif switch_is is not None:
        records.append(switch_record(switch_is))
    return ListedZone(*records).fences(ZONE, FLEET)


@pytest.mark.parametrize(
    ("found", "table", "told", "wanted"),
    [
        (seen(switch_is=switch(7, "7" * 12)), None, None, (7, "7" * 12)),
        (seen(switch_is=switch(7, "7" * 12)), Table(HEAD_9, 0), None, (7, "7" * 12)),
        (seen(switch_is=switch(12, "c" * 12)), Table(HEAD_9, 11), None, (12, "c" * 12)),
        (seen(11, 3, switch_is=switch(7, "7" * 12)), Table(HEAD_9, 10), None, (7, "7" * 12)),
        (seen(switch_is=switch(7, "7" * 12)), Table(HEAD_9, 0), 7, (7, "7" * 12)),
        (seen(switch_is=switch(7, "7" * 12)), Table(HEAD_9, 0), 8, (9, "9" * 12)),
        (seen(switch_is=switch(7, "7" * 12)), None, 8, (8, "none")),
        (seen(11, switch_is=f"gen=7 mode=halt plan={'7' * 12}"), Table(HEAD_9, 10), None, (7, "7" * 12)),
        (seen(11, 3, switch_is="mode=stop gen=7"), Table(HEAD_9, 10), None, (11, "none")),
        (seen(3, switch_is="mode=stop gen=7"), Table(HEAD_9, 10), None, (10, "none")),
        (seen(9, switch_is="mode=stop gen=7"), Table(HEAD_9, 9), None, (9, "9" * 12)),
        (seen(3, switch_is="mode=stop"), Table(HEAD_9, 0), None, (9, "9" * 12)),
        (seen(7, switch_is=switch(7, "7" * 12)), Table(None, 7), None, (7, "7" * 12)),
        (seen(), Table(HEAD_9, 0), None, (9, "9" * 12)),
        (seen(3), Table(HEAD_9, 0), 20, (20, "none")),
        (seen(3), None, 5, (5, "none")),
        (seen(8), None, 5, (8, "none")),
        (seen(), Table(None, 0), None, (0, "none")),
        (seen(), Table(None, 4), None, (4, "none")),
    ],
)
def test_the_highest_generation_wins_with_its_digest_where_that_is_known(
    found: FenceRange, table: Table | None, told: int | None, wanted: tuple[int, str]
) -> None:
    """What the switch says clearly is kept, and what lies above it is for the enactors to open, through their guards.

    Else the highest of what is left of the text, fences, HEAD, FLOOR and a person; what nobody knows the digest of is `none`.
    """
    assert generation_of(found, table, told) == wanted


@pytest.mark.parametrize("told", [None, 3, 7])
def test_the_generation_of_a_switch_never_falls(told: int | None) -> None:
    """Promise 2: a person's lower number, a restored table and old fences change nothing."""
    found = seen(2, switch_is=switch(7, "7" * 12))
    assert generation_of(found, Table(PlanHead(5, "5" * 64), 5), told) == (7, "7" * 12)


@pytest.mark.parametrize(
    ("leap", "told", "wanted"),
    [
        (LEAP_MAX + 1, 9, (9, "9" * 12)),
        (LEAP_MAX + 1, 5, (9, "9" * 12)),
        (LEAP_MAX + 1, None, (9 + LEAP_MAX + 1, "c" * 12)),
        (LEAP_MAX, 9, (9 + LEAP_MAX, "c" * 12)),
    ],
    ids=["told", "told too low", "not told", "no leap"],
)
def test_a_slip_of_the_finger_is_taken_back_by_the_person_who_tells_the_generation(
    leap: int, told: int | None, wanted: tuple[int, str]
) -> None:
    """Twelve digits typed by mistake would leave no number for the next plan; nothing but a person's word lowers it."""
    found = seen(8, switch_is=switch(9 + leap, "c" * 12))
    assert generation_of(found, Table(HEAD_9, 0), told) == wanted


def test_a_fence_near_it_explains_a_switch_that_is_far_above_the_table() -> None:
    """A table restored to its first day: the zone has really been there, so it is no slip. One fence can be mistyped; two are not."""
    found = seen(5_000_000, 4_999_990, switch_is=switch(5_000_001, "c" * 12))
    assert generation_of(found, Table(HEAD_9, 0), 9) == (5_000_001, "c" * 12)


@pytest.mark.parametrize("table", [Table(HEAD_9, 0), None])
def test_a_fence_whose_generation_was_mistyped_moves_no_switch(table: Table | None) -> None:
    """`stop` would write twelve nines into the switch, and no number would be left for the next plan."""
    found = seen(8, 999_999_999_999, switch_is=switch(9, "9" * 12))
    assert generation_of(found, table, None) == (9, "9" * 12)


def test_another_plan_of_head_s_generation_stays_forked() -> None:
    """The switch names what is open: HEAD's digest does not replace it."""
    found = seen(switch_is=switch(9, "a" * 12))
    assert generation_of(found, Table(HEAD_9, 0), None) == (9, "a" * 12)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("mode=stop gen=7", (7, "none")),
        ("mode=stop gen=7 plan=777777777777", (7, "7" * 12)),
        ("v=1 fleet=edge mode=STOP gen=7 plan=777777777777 nonce=aaaaaaaa", (7, "7" * 12)),
        ("stop please", (5, "5" * 12)),
        ("mode=stop", (5, "5" * 12)),
    ],
)
def test_what_can_be_read_of_a_hand_typed_switch_is_read(text: str, wanted: tuple[int, str]) -> None:
    """A person in a hurry keeps the generation, or leaves it to HEAD."""
    assert generation_of(seen(switch_is=text), Table(PlanHead(5, "5" * 64), 0), None) == wanted


def test_of_several_texts_in_a_switch_the_highest_generation_counts() -> None:
    """A second string beside the first means stop; start must not go below either."""
    texts = [switch_text(switch(5, "5" * 12)), switch_text(switch(9, "9" * 12))]
    record = RecordSet(name=switch_name(FLEET, ZONE_NAME), type="TXT", ttl=60, values=tuple(map(txt_quote, texts)))
    found = FenceRange(
        zone=ZONE, zone_name=ZONE_NAME, switch=SwitchReading(record, read_switch(record, FLEET)), fences={}
    )
    assert generation_of(found, Table(PlanHead(4, "4" * 64), 0), None)[0] == 9


@pytest.mark.parametrize(
    ("found", "table"),
    [(seen(3), Table(None, 0)), (seen(3), None), (seen(), None), (seen(3, switch_is="mode=stop"), Table(None, 2))],
    ids=["fences without HEAD", "no table", "nothing at all", "hand-typed without HEAD"],
)
def test_where_no_generation_can_be_told_a_person_must(found: FenceRange, table: Table | None) -> None:
    """Fences alone are a lower bound: the open generation may be above them all, so nothing is guessed."""
    with pytest.raises(Unclear, match="--generation"):
        generation_of(found, table, None)


def test_only_a_fence_of_this_fleet_shows_that_the_zone_was_ours() -> None:
    """`start` brings a missing switch back there, and nowhere else."""
    assert is_ours(seen(3), FLEET)
    assert not is_ours(seen(), FLEET)
    assert not is_ours(seen(3, fleet="core"), FLEET)


@pytest.mark.parametrize(
    ("found", "done_run", "done_stop"),
    [
        (switch(7), True, False),
        (switch(7, mode="stop"), False, True),
        (switch(7, mode="stop", until=LATER), False, False),
        ("mode=stop", False, False),
        (None, False, False),
    ],
)
def test_a_switch_is_done_when_it_clearly_says_so(found: Any, done_run: bool, done_stop: bool) -> None:
    """A stop with an end is not a stop for good, and a hand-typed one is completed."""
    assert is_done(seen(switch_is=found), "run") is done_run
    assert is_done(seen(switch_is=found), "stop") is done_stop


@pytest.mark.parametrize(
    ("found", "until", "done"),
    [
        (switch(7, mode="stop"), LATER, True),
        (switch(7, mode="stop", until=LATER), NOW, True),
        (switch(7, mode="stop", until=NOW), LATER, False),
        ("mode=stop", LATER, True),
        ("mode=stop", None, False),
    ],
)
def test_a_second_stop_never_shortens_the_first(found: Any, until: Any, done: bool) -> None:
    """What was typed by hand is for good; without an end it is completed."""
    assert is_done(seen(switch_is=found), "stop", until) is done


def test_a_new_switch_reads_back_with_its_own_nonce() -> None:
    """A batch from before a stop cannot land after the start: the text differs, though all else is the same."""
    made = new_switch(FLEET, "run", 7, "a" * 12, nonce=NEW_NONCE)
    assert read_switch(switch_record(made), FLEET) == made
    assert switch_text(made) != switch_text(switch(7))


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (seen(9), -1),
        (seen(9, switch_is="mode=stop"), -1),
        (seen(9, switch_is="mode=stop gen=7"), 7),
        (seen(9, switch_is=switch(7)), 7),
        (seen(9, switch_is=switch(0, mode="stop")), 0),
    ],
)
def test_a_switch_tells_the_generation_that_can_be_read_of_it(found: FenceRange, told: int) -> None:
    """By a person's text too; below every generation where it shows none."""
    assert told_by_switch(found) == told


def test_the_first_fence_is_the_fleets_own_by_name() -> None:
    """Not by generation, not another fleet's, and none that cannot be read."""
    own = {number: fence_record(fence(A, gen=number), f"ep{number}.{ZONE_NAME}") for number in (3, 5, 11)}
    others = [
        fence_record(fence(A, fleet="core"), f"a.{ZONE_NAME}"),
        text_set(fence_record(fence(A), f"b.{ZONE_NAME}").name, "ask Ann"),
    ]
    found = ListedZone(*others, own[5], own[3], own[11]).fences(ZONE, FLEET)
    assert first_fence(found.fences, FLEET) == (own[11], fence(A, gen=11))
    assert first_fence(found.fences, "core") == (others[0], fence(A, fleet="core"))
    assert first_fence(found.fences, "nobody") is None
    assert first_fence({}, FLEET) is None


def test_a_switch_that_is_made_anew_rests_on_the_first_fence_with_a_new_nonce() -> None:
    """Everything else of it stays, so that only who decided before it fails; without a fence there is nothing to rest on."""
    found = seen(3, 11)
    was, renewed = ground(found, FLEET, NEW_NONCE) or (None, None)
    assert was == fence_record(fence(A, gen=11), f"ep11.{ZONE_NAME}")
    assert renewed == fence_record(fence(A, gen=11, nonce=NEW_NONCE), f"ep11.{ZONE_NAME}")
    assert ground(found, "core", NEW_NONCE) is None
    assert ground(seen(), FLEET, NEW_NONCE) is None
    with pytest.raises(AssertionError, match=r"^a nonce is fresh$"):
        ground(found, FLEET, fence(A).nonce)


def test_another_fleet_s_fences_say_nothing_of_this_one_s_generations() -> None:
    """Each counts its plans by itself: begun at the other's, this fleet's first plan would be forked."""
    theirs = seen(11, 12, fleet="other")
    assert generation_of(of_fleet(theirs, FLEET), Table(None, 0), None) == (0, "none")
    assert generation_of(of_fleet(theirs, "other"), Table(None, 0), 12) == (12, "none")
    mixed = msgspec.structs.replace(theirs, fences={**theirs.fences, **seen(3).fences})
    assert generation_of(of_fleet(mixed, FLEET), Table(HEAD_9, 0), None) == (9, "9" * 12)
    assert generation_of(of_fleet(mixed, FLEET), None, 3) == (3, "none")

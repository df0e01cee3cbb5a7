"""How swaps become calls: order inside a batch, packing under every limit of Route 53, alias targets first, halves."""

from collections.abc import Sequence

import msgspec
import pytest

from enactor.batch import (
    CHANGES_GOAL,
    CHARACTERS_MAX,
    COMMENT_LIMIT_CHARACTERS,
    ELEMENTS_MAX,
    SWAPS_GOAL,
    Batch,
    Change,
    Size,
    SwitchChange,
    halves,
    ordered,
    pack,
    size_of,
    swap_changes,
)
from enactor.fence import Switch
from enactor.records import Alias, RecordSet
from enactor.sandbox import zone_model
from enactor.swap import Swap, decide
from enactor.wire import record_to_wire

from .kernel_builders import (
    NAME,
    ZONE,
    ZONE_NAME,
    alias,
    asserted,
    batch,
    cname,
    entry,
    fence,
    opening,
    question,
    simple,
    swap,
    switch,
    switch_record,
    weighted,
)


def packed(swaps: Sequence[Swap], change: SwitchChange | None = None, goal: int = CHANGES_GOAL) -> list[Batch]:
    return pack(
        swaps, zone=ZONE, zone_name=ZONE_NAME, switch=change or asserted(8), comment="who and why", changes_goal=goal
    )


def replaced(number: int, values: int, record_type: str = "A") -> Swap:
    """Return a swap that replaces one simple set of so many values by another."""
    name = f"ep{number}.{ZONE_NAME}"
    old = simple(*range(1, values + 1), record_type=record_type, name=name)
    new = simple(*range(101, values + 101), record_type=record_type, name=name)
    return swap([old], [old], [new], name=name)


def decided(before: Sequence[RecordSet], wanted: Sequence[RecordSet]) -> Swap:
    made = decide(question(before, fence(*before), entry(*wanted)))
    assert isinstance(made, Swap)
    return made


def words(changes: Sequence[Change]) -> list[str]:
    return [f"{change.action} {change.record.type} {change.record.set_identifier or ''}".strip() for change in changes]


def assert_sound(batches: Sequence[Batch], swaps: Sequence[Swap]) -> None:
    """Check what holds of every packing: nothing empty, nothing split, nothing lost, everything within the limits."""
    assert [made for part in batches for made in part.swaps] == list(swaps)
    for part in batches:
        assert part.swaps
        assert size_of(part.changes).elements <= ELEMENTS_MAX
        assert size_of(part.changes).characters <= CHARACTERS_MAX


def test_a_batch_has_switch_fence_deletes_and_creates_in_this_order() -> None:
    """The switch first, then for each endpoint its fence, every DELETE of the name, every CREATE of the name."""
    a, b, c, d = (weighted(number) for number in (1, 2, 3, 4))
    made = batch(decided((a, b, c), (a, b, d)))
    assert words(made.changes) == [
        *("DELETE TXT", "CREATE TXT"),
        *("DELETE TXT", "CREATE TXT"),
        *("DELETE A lb-3", "CREATE A lb-4"),
    ]
    assert made.changes[0].record.name == "_switch-edge._fence.example.test."
    assert made.changes[2].record.name == "ep1._fence.example.test."


def test_no_change_is_an_upsert() -> None:
    """An UPSERT would overwrite what nobody looked at."""
    made = batch(*(replaced(number, 3) for number in range(5)))
    assert {change.action for change in made.changes} == {"DELETE", "CREATE"}


def test_a_new_endpoint_s_fence_is_only_created() -> None:
    """What was not there is not deleted: of two writers who both saw nothing, one wins."""
    made = decide(question((), None, entry(simple(1))))
    assert isinstance(made, Swap)
    assert words(swap_changes(made, ZONE_NAME)) == ["CREATE TXT", "CREATE A"]


def played(before: Sequence[RecordSet], made: Swap) -> list[RecordSet]:
    """Play a swap on a zone as Route 53 would, refuse nothing by ourselves, and return what stands at the name."""
    zone = zone_model.Zone.empty(ZONE, ZONE_NAME)
    standing = [switch_record(switch(8)), *([made.fence_before] if made.fence_before else []), *before]
    for changes in ([Change("CREATE", record) for record in standing], batch(made).changes):
        done = zone_model.apply(
            zone,
            [{"Action": change.action, "ResourceRecordSet": record_to_wire(change.record)} for change in changes],
        )
        assert isinstance(done, zone_model.Zone), done
        zone = done
    return [change.record for change in batch(made).changes if change.record.name == NAME and change.action == "CREATE"]


def test_case_26_delete_comes_before_create_in_one_batch() -> None:
    """Case 26: an adopted CNAME is replaced by A and AAAA in one batch that Route 53 takes."""
    old, new = (cname("lb.example.net."),), (simple(1), simple(1, record_type="AAAA"))
    made = decided(old, new)
    assert words(swap_changes(made, ZONE_NAME))[2:] == ["DELETE CNAME", "CREATE A", "CREATE AAAA"]
    assert played(old, made) == list(new)


@pytest.mark.parametrize(
    ("before", "after"),
    [((simple(1),), (weighted(1), weighted(2, 90))), ((weighted(1), weighted(2)), (simple(1),))],
    ids=["to weighted", "back to simple"],
)
def test_case_53_simple_becomes_weighted_and_back_in_one_batch(
    before: tuple[RecordSet, ...], after: tuple[RecordSet, ...]
) -> None:
    """Case 53: all DELETEs of the name, then its CREATEs, in one batch: never empty between, and Route 53 takes it."""
    made = decided(before, after)
    (one,) = packed([made])
    assert set(made.deletes) == set(before)
    assert played(before, made) == list(after)
    assert [change.action for change in one.changes[4:]] == ["DELETE"] * len(before) + ["CREATE"] * len(after)


def test_case_73_one_member_changes_and_the_others_are_only_asserted() -> None:
    """Case 73: +d -c; of a and b nothing, or a DELETE and CREATE of the same."""
    a, b, c, d = (weighted(number) for number in (1, 2, 3, 4))
    made = decided((a, b, c), (a, b, d))
    changed = [record for record in (*made.deletes, *made.creates) if record not in (a, b)]
    assert changed == [c, d]
    for record in (a, b):
        assert (record in made.deletes) == (record in made.creates)


def test_case_24_ninety_replaced_endpoints_fit_batches_within_every_limit() -> None:
    """Case 24: 90 simple endpoints of 12 values: no batch over 1,000 elements or 32,000 characters, none empty."""
    swaps = [replaced(number, 12) for number in range(90)]
    batches = packed(swaps, goal=10_000)
    assert_sound(batches, swaps)
    assert len(batches) == 3
    assert max(size_of(part.changes).elements for part in batches) > ELEMENTS_MAX - 26


def test_case_24_characters_are_packed_too() -> None:
    """Case 24: long values reach 32,000 characters before 1,000 elements: four endpoints of 90 AAAA values fit, five do not."""
    swaps = []
    for number in range(12):
        name = f"ep{number}.{ZONE_NAME}"
        old, new = (
            RecordSet(name=name, type="AAAA", ttl=60, values=tuple(f"{prefix}:{value:04x}" for value in range(90)))
            for prefix in ("2001:db8:1111:2222:3333:4444:5555", "2001:db8:1111:2222:3333:4444:6666")
        )
        swaps.append(swap([old], [old], [new], name=name))
    batches = packed(swaps, goal=10_000)
    assert_sound(batches, swaps)
    assert [len(part.swaps) for part in batches] == [4, 4, 4]
    assert all(size_of(part.changes).elements < ELEMENTS_MAX - 180 for part in batches)


def test_case_27_an_endpoint_is_never_split_over_batches() -> None:
    """Case 27: a swap that meets a limit goes whole into the next batch."""
    swaps = [replaced(number, 90) for number in range(9)]
    batches = packed(swaps)
    assert_sound(batches, swaps)
    for part in batches:
        names = {change.record.name for change in part.changes if change.record.type == "A"}
        assert names == {made.name for made in part.swaps}


def group(number: int, members: int) -> Swap:
    name = f"ep{number}.{ZONE_NAME}"
    old = [weighted(member, 10, name=name) for member in range(1, members + 1)]
    new = [weighted(member, 20, name=name) for member in range(1, members + 1)]
    return swap(old, old, new, name=name)


def test_case_30_a_first_swap_that_alone_fills_a_batch_is_one_call() -> None:
    """Case 30: it travels alone, in one call, and leaves no empty batch before or after it."""
    swaps = [group(1, 100), group(2, 2), group(3, 2)]
    batches = packed(swaps, goal=200)
    assert_sound(batches, swaps)
    assert [len(part.swaps) for part in batches] == [1, 2]
    assert packed(swaps[:1], goal=200) == batches[:1]


def test_a_batch_holds_as_many_endpoints_whether_they_change_a_little_or_are_made_anew() -> None:
    """A repair of everything takes no more calls than a plan that changes one set of each: endpoints are counted (promise 6)."""
    little = packed([replaced(number, 1) for number in range(60)])
    assert [len(part.swaps) for part in little] == [SWAPS_GOAL, 20]
    whole = packed([group(number, 3) for number in range(60)])
    assert [len(part.swaps) for part in whole] == [SWAPS_GOAL, 20]
    assert len(whole[0].changes) > len(little[0].changes)


def test_a_batch_is_filled_to_the_goal_of_changes_and_not_over() -> None:
    """Two switch changes and twelve for each swap: 33 swaps are 398 changes, and one more would be 410."""
    swaps = [group(number, 5) for number in range(50)]
    batches = packed(swaps)
    assert [len(part.swaps) for part in batches] == [33, 17]
    assert len(batches[0].changes) == CHANGES_GOAL - 2


def test_only_the_first_batch_opens_and_every_later_one_asserts_what_it_left() -> None:
    """A generation is opened once; a later batch rests on the new switch, so it fails where the first one failed."""
    change = opening(7, 8)
    first, *rest = packed([replaced(number, 1) for number in range(120)], change)
    assert first.switch == change
    assert len(rest) == 2
    assert {part.switch for part in rest} == {SwitchChange(change.after, change.after)}


def test_an_opening_needs_its_batch_and_an_assertion_does_not() -> None:
    """A plan that changes nothing in the zone is opened with two changes; without anything to say there is no call."""
    (alone,) = packed([], opening(7, 8))
    assert len(alone.changes) == 2
    assert packed([], asserted(8)) == []


def of_size(number: int, characters: int) -> Swap:
    """Return a swap whose Values, its fence's included, have exactly so many characters."""
    made = replaced(number, 1)
    missing = characters - size_of(swap_changes(made, ZONE_NAME)).characters
    return msgspec.structs.replace(
        made, creates=(msgspec.structs.replace(made.creates[0], values=(*made.creates[0].values, "f" * missing)),)
    )


def test_a_later_batch_is_measured_with_the_switch_that_it_carries() -> None:
    """Opening makes the switch's text longer, and a later batch holds the new text twice: it too fits 32,000 characters."""
    before = switch_record(Switch(fleet="edge", mode="run", gen=9, plan="none", nonce="0" * 16))
    change = SwitchChange(before, switch_record(switch(10, "b" * 12)))
    head = size_of([Change("DELETE", before), Change("CREATE", change.after)]).characters
    swaps = [of_size(1, 30_000), of_size(2, 16_000), of_size(3, CHARACTERS_MAX - 16_000 - head)]
    assert_sound(packed(swaps, change), swaps)


def test_an_alias_counts_one_element() -> None:
    """Route 53 counts an alias as one ResourceRecord, and it has no characters of Value."""
    assert size_of([Change("CREATE", alias("lb.example.test."))]) == Size(1, 0, 1)
    assert size_of([Change("CREATE", simple(1, 2, 3))]) == Size(3, 27, 1)


def test_urgent_swaps_go_first() -> None:
    """Empty, missing, drifted, fence missing, behind; and within a class by name."""
    states = ("behind", "fence-missing", "drifted", "missing", "empty")
    swaps = [
        msgspec.structs.replace(replaced(number, 1), state=state) for number, state in enumerate((*states, "empty"))
    ]
    assert [made.state for made in ordered(swaps)] == ["empty", "empty", *states[-2::-1]]
    assert [made.name for made in ordered(swaps)][:2] == ["ep4.example.test.", "ep5.example.test."]


def test_each_enactor_starts_at_another_point_and_goes_round() -> None:
    """Three enactors that start together do not all try the same endpoint first."""
    swaps = [replaced(number, 1) for number in range(4)]
    assert [made.name[:3] for made in ordered(swaps, "ep2")] == ["ep2", "ep3", "ep0", "ep1"]


def pointing(number: int, target: str) -> Swap:
    name = f"ep{number}.{ZONE_NAME}"
    return swap([], [], [alias(target, name=name)], name=name)


def test_alias_targets_go_before_the_aliases_to_them() -> None:
    """Route 53 evaluates a batch in order: a chain of aliases is created from its far end."""
    chain = [pointing(1, f"ep2.{ZONE_NAME}"), pointing(2, f"ep3.{ZONE_NAME}"), replaced(3, 1)]
    assert [made.name[:3] for made in ordered(chain)] == ["ep3", "ep2", "ep1"]
    urgent = msgspec.structs.replace(chain[0], state="empty")
    assert [made.name[:3] for made in ordered([urgent, *chain[1:]])] == ["ep3", "ep2", "ep1"]


def test_an_alias_to_a_wildcard_goes_after_it_in_the_spelling_of_a_listing_too() -> None:
    r"""A set that is asserted as observed names its target as Route 53 lists it: `\052` for the wildcard."""
    wild = swap([], [], [simple(1, name=f"*.{ZONE_NAME}")], name=f"*.{ZONE_NAME}")
    for spelling in ("*", "\\052"):
        urgent = msgspec.structs.replace(pointing(1, f"{spelling}.{ZONE_NAME}"), state="empty")
        assert [made.name for made in ordered([urgent, wild])] == [wild.name, urgent.name]


def test_a_circle_of_aliases_is_broken_and_loses_nobody() -> None:
    """Two names that point to each other are for Route 53 to refuse; both are still tried once."""
    circle = [pointing(1, f"ep2.{ZONE_NAME}"), pointing(2, f"ep1.{ZONE_NAME}")]
    assert sorted(made.name[:3] for made in ordered(circle)) == ["ep1", "ep2"]


def test_a_long_chain_of_aliases_needs_no_recursion() -> None:
    """Ten thousand aliases in a row are ordered like two."""
    chain = [pointing(number, f"ep{number + 1}.{ZONE_NAME}") for number in range(10_000)]
    assert ordered(chain)[0].name == f"ep9999.{ZONE_NAME}"


def test_an_alias_into_another_zone_orders_nothing() -> None:
    """The same name in another zone is another name."""
    far = Alias(f"ep2.{ZONE_NAME}", "Z2", evaluate_target_health=False)
    first = pointing(1, f"ep2.{ZONE_NAME}")
    first = msgspec.structs.replace(first, creates=(msgspec.structs.replace(first.creates[0], alias=far),))
    assert [made.name[:3] for made in ordered([first, replaced(2, 1)])] == ["ep1", "ep2"]


@pytest.mark.parametrize("count", [2, 3, 7])
def test_case_23_halves_are_smaller_and_lose_nobody(count: int) -> None:
    """Case 23: bisection ends, keeps the order, and each half asserts the switch."""
    whole = batch(*(replaced(number, 1) for number in range(count)))
    one, other = halves(whole)
    assert one.swaps
    assert other.swaps
    assert one.swaps + other.swaps == whole.swaps
    assert one.switch == other.switch == whole.switch


def test_a_batch_knows_which_of_its_names_are_pointed_to() -> None:
    """The last gate is told of exactly the aliases to what this batch changes."""
    pointed = [(f"ep1.{ZONE_NAME}", "A"), ("elsewhere.example.test.", "A")]
    (made,) = pack([replaced(1, 1)], zone=ZONE, zone_name=ZONE_NAME, switch=asserted(8), comment="", pointed=pointed)
    assert made.pointed == {(f"ep1.{ZONE_NAME}", "A")}


def test_a_comment_is_cut_at_route_53_s_limit() -> None:
    """256 characters; a longer one would make every call fail."""
    (made,) = pack([replaced(1, 1)], zone=ZONE, zone_name=ZONE_NAME, switch=asserted(8), comment="x" * 300)
    assert len(made.comment) == COMMENT_LIMIT_CHARACTERS == 256

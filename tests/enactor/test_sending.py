"""How a round's swaps are sent: the switch's assertion or opening, the batches, and what later batches assert."""

from collections.abc import Callable, Iterator

import msgspec
import pytest

from enactor.batch import CHARACTERS_MAX, ELEMENTS_MAX, Size, SwitchChange, turned
from enactor.fence import Garbled, Switch, read_switch, switch_text, text_set
from enactor.names import switch_name
from enactor.observe import SwitchReading
from enactor.records import RecordSet
from enactor.sending import over_limits, packed, plainly_running, rebased, switch_change, takes_a_type
from enactor.standing import Choice
from enactor.swap import Swap

from .kernel_builders import (
    EARLIER,
    FLEET,
    NAME,
    NEW_NONCE,
    ZONE,
    ZONE_NAME,
    alias,
    asserted,
    batch,
    entry,
    index,
    opening,
    simple,
    swap,
    switch,
    switch_record,
    weighted,
)

A, B = weighted(1), weighted(2)


def never() -> str:
    raise AssertionError("an assertion re-creates the text byte for byte, with its old nonce")


def once(nonce: str = NEW_NONCE) -> Callable[[], str]:
    """Return a source of nonces that has one: who draws two would give a second write the nonce of none."""
    left: Iterator[str] = iter((nonce,))
    return lambda: next(left)


def reading(of: Switch) -> SwitchReading:
    return SwitchReading(switch_record(of), of)


def choice(generation: int | None, *, opens: bool) -> Choice:
    working = None if generation is None else index(generation, entry(A))
    return Choice(working=working, may_advance=True, opens=opens)


@pytest.mark.parametrize("chosen", [choice(9, opens=False), choice(None, opens=False), choice(None, opens=True)])
def test_a_switch_that_need_not_change_is_asserted_byte_for_byte(chosen: Choice) -> None:
    """Nothing is opened without a plan, and no nonce is drawn."""
    record = switch_record(switch(9))
    assert switch_change(reading(switch(9)), chosen, FLEET, never) == SwitchChange(record, record)


def test_a_generation_is_opened_with_its_plan_and_a_new_nonce() -> None:
    """From then on every batch that rests on the old text fails."""
    made = switch_change(reading(switch(8)), choice(9, opens=True), FLEET, once())
    assert made.before == switch_record(switch(8))
    plan = index(9, entry(A)).stored.short_digest
    assert read_switch(made.after, FLEET) == Switch(fleet=FLEET, mode="run", gen=9, plan=plan, nonce=NEW_NONCE)
    assert made.after.name == made.before.name


def test_a_zone_without_a_switch_is_never_written() -> None:
    """Absent means stop; who asks to write there made a mistake."""
    with pytest.raises(AssertionError, match="stopped"):
        switch_change(SwitchReading(None, None), choice(9, opens=True), FLEET, never)


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (switch(8, mode="stop", until=EARLIER), None),
        (switch(8, until=EARLIER), None),
        (switch(8), f"mode=run {switch_text(switch(8)).replace(' mode=run', '')}"),
    ],
    ids=["a stop that has ended", "a run with an end", "in a person's wording"],
)
def test_what_runs_in_other_words_is_written_plainly(of: Switch, text: str | None) -> None:
    """The same plan and generation, in run without an end; it changes the switch, so it draws a nonce."""
    name = switch_name(FLEET, ZONE_NAME)
    record = text_set(name, switch_text(of) if text is None else text)
    made = plainly_running(record, of, once())
    assert (made.name, read_switch(made, FLEET)) == (name, switch(8, nonce=NEW_NONCE))
    change = switch_change(SwitchReading(record, of), choice(8, opens=False), FLEET, once())
    assert change == SwitchChange(record, made)


def test_a_switch_that_cannot_be_read_is_not_taken_for_run() -> None:
    """It means stop, and nobody gets as far as this."""
    with pytest.raises(AssertionError, match="means stop"):
        plainly_running(switch_record(switch(8)), Garbled("odd"), once())


def adding(name: str, *, state: str = "behind") -> Swap:
    made = simple(1, name=name)
    return msgspec.structs.replace(swap((), (), (made,), name=name), state=state)


NAMES = [f"{letter}.{ZONE_NAME}" for letter in "abcd"]


def test_what_goes_together_is_one_batch_and_what_goes_alone_is_one_each_behind_it() -> None:
    """So that what was rejected once holds nobody up; each is made as if it were the first."""
    together, alone = [adding(name) for name in NAMES], [adding(f"z.{ZONE_NAME}"), adding(f"y.{ZONE_NAME}")]
    switch_opening = opening(8, 9)
    made = packed(
        together,
        alone,
        start=NAMES[2],
        zone=ZONE,
        zone_name=ZONE_NAME,
        switch=switch_opening,
        comment="why",
        pointed=iter([(NAMES[0], "A"), (f"z.{ZONE_NAME}", "A"), ("far.", "A")]),
    )
    first = NAMES[2:] + NAMES[:2]
    assert [[one.name for one in sent.swaps] for sent in made] == [first, [f"y.{ZONE_NAME}"], [f"z.{ZONE_NAME}"]]
    assert all(sent.switch == switch_opening for sent in made)
    assert {(sent.zone, sent.zone_name, sent.origin, sent.comment) for sent in made} == {
        (ZONE, ZONE_NAME, "cycle", "why")
    }
    assert [sent.pointed for sent in made] == [{(NAMES[0], "A")}, frozenset(), {(f"z.{ZONE_NAME}", "A")}]


def test_the_aliases_to_what_goes_alone_go_together_behind_it() -> None:
    """And the aliases to those; one that goes alone itself has its place in the row. Whoever needs nothing of it goes first."""
    first, last = f"m.{ZONE_NAME}", f"k.{ZONE_NAME}"

    def to(target: str, name: str) -> Swap:
        return msgspec.structs.replace(swap((), (), (alias(target, name=name),), name=name), state="missing")

    together = [to(first, NAMES[0]), to(NAMES[0], NAMES[1]), to(last, NAMES[2]), adding(NAMES[3])]
    alone = [to(NAMES[1], last), adding(first, state="missing")]
    switch_opening = opening(8, 9)
    made = packed(
        together,
        alone,
        start=NAMES[0],
        zone=ZONE,
        zone_name=ZONE_NAME,
        switch=switch_opening,
        comment="",
        pointed=(),
    )
    rows = [[one.name for one in sent.swaps] for sent in made]
    assert rows == [[NAMES[3]], [first], [NAMES[0], NAMES[1]], [last], [NAMES[2]]]
    assert all(sent.switch == switch_opening for sent in made)


def test_enactors_start_at_different_names() -> None:
    """Three of them seldom meet at one endpoint: each turns the row to a name of its own, and every name is still there."""
    swaps = [adding(name) for name in NAMES]
    starts = set()
    for enactor in ("use1-az1", "use1-az2", "use1-az3", "use1-az4"):
        start = turned(swaps, enactor)
        made = packed(
            swaps, (), start=start, zone=ZONE, zone_name=ZONE_NAME, switch=asserted(8), comment="", pointed=()
        )
        assert sorted(one.name for one in made[0].swaps) == NAMES
        assert made[0].swaps[0].name == start
        starts.add(start)
    assert len(starts) > 1


def test_a_row_begins_at_a_name_though_it_is_done_by_now() -> None:
    """What is left when an enactor decides again begins where it was, and not where its share of a shorter row would be."""
    made = packed(
        [adding(name) for name in (NAMES[0], NAMES[1], NAMES[3])],
        (),
        start=NAMES[2],
        zone=ZONE,
        zone_name=ZONE_NAME,
        switch=asserted(8),
        comment="",
        pointed=(),
    )
    assert [one.name for one in made[0].swaps] == [NAMES[3], NAMES[0], NAMES[1]]


def test_a_later_batch_asserts_the_switch_that_an_earlier_one_wrote() -> None:
    """The opening is made once; a batch that tried it again would conflict with its own enactor."""
    made = msgspec.structs.replace(batch(adding(NAME)), switch=opening(8, 9))
    written = opening(8, 9).after
    assert rebased(made, {}, written).switch == SwitchChange(written, written)
    assert rebased(made, {}, None).switch == made.switch
    assert rebased(made, {}, switch_record(switch(7))).switch == made.switch
    without = msgspec.structs.replace(made, switch=None, origin="verb")
    assert rebased(without, {}, written).switch is None


def test_a_batch_takes_along_what_its_aliases_lead_to_by_now() -> None:
    """What stands and what will be created, step by step through the zone: so that the last gate can follow them."""
    names = [f"{word}.{ZONE_NAME}" for word in ("old", "new", "end", "other")]
    sets: dict[str, tuple[RecordSet, ...]] = {
        names[0]: (simple(1, name=names[0]),),
        names[1]: (alias(names[2], name=names[1]),),
        names[2]: (simple(2, name=names[2]),),
        names[3]: (simple(3, name=names[3]),),
    }
    before, after = alias(names[0]), alias(names[1])
    made = batch(swap((before,), (before,), (after,)))
    found = rebased(made, sets, None)
    assert {record.name for record in found.beyond} == set(names[:3])
    assert found.swaps == made.swaps
    assert rebased(batch(swap((before,), (before,), ())), {}, None).beyond == ()


def test_what_no_call_can_hold_is_a_limit_with_both_numbers() -> None:
    """A person has to know by how much, and what to do."""
    found = over_limits(Size(1_234, 34_567, 9))
    assert found.guard == "limit"
    for number in (1_234, 34_567, ELEMENTS_MAX, CHARACTERS_MAX):
        assert str(number) in found.message


def test_a_swap_takes_a_type_only_where_no_set_of_it_is_left() -> None:
    """What is deleted and created again, or stays untouched, is left; what comes new was not there to be pointed to."""
    six = weighted(1, record_type="AAAA")
    assert takes_a_type(swap((A, six), (A,), ()))
    assert takes_a_type(swap((A,), (A,), (six,)))
    assert not takes_a_type(swap((A, B), (A,), ()))
    assert not takes_a_type(swap((A,), (A,), (B,)))
    assert not takes_a_type(swap((A, six), (A,), (A,)))
    assert not takes_a_type(swap((A,), (), (six,)))
    assert not takes_a_type(swap((A,), (), ()))

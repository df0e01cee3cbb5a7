"""What is written into the history of a batch, and which events are about an endpoint, its zone or its fleet."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from enactor.fence import Fence
from enactor.history import (
    NAMES_PER_ITEM_MAX,
    REASON_SHOWN_CHARACTERS,
    facts_of,
    history_of,
    is_about,
    is_told,
    line_of,
    within_second,
    written_of,
)
from enactor.hooks import BatchEnded, Written
from enactor.table_keys import EventItem

ZONE = "Z0EXAMPLE"
API = "api.example.test."
WEB = "web.example.test."
TIME = "2026-11-30T12:00:00.000000Z"
FENCE = Fence(fleet="edge", gen=8, plan="0123456789ab", by="az-1", nonce="8c1fd0a28c1fd0a2")


def written(name: str = API, nonce: str = FENCE.nonce) -> Written:
    return Written(name=name, generation=8, plan="0123456789ab", nonce=nonce, cause="behind", purpose="advance")


def batch(*names: str, opened: bool = False, change_id: str | None = "C1") -> BatchEnded:
    return BatchEnded(
        zone=ZONE,
        outcome="applied",
        generation=9,
        change_id=change_id,
        names=names,
        opened=opened,
        written=tuple(map(written, names)),
    )


def item(facts: Any, time: str = TIME) -> EventItem:
    return EventItem(time=time, **facts)


def verb(word: str, **more: Any) -> EventItem:
    return EventItem(time=TIME, verb=word, outcome="changed", by="desk", caller="arn:aws:iam::1:user/ann", **more)


def shown(*events: EventItem, zone: str | None = ZONE, fence: Fence | None = FENCE) -> list[Any]:
    return list(history_of(events, API, zone, fence, most=100)[0])


def test_a_batch_is_one_item_however_many_names_it_holds() -> None:
    """Two thousand endpoints must not cost two thousand writes; only a batch of very many names is cut."""
    (facts,) = facts_of(batch(*(f"n{number}.example.test." for number in range(NAMES_PER_ITEM_MAX))), by="az-1")
    assert len(facts["swaps"]) == NAMES_PER_ITEM_MAX
    many = facts_of(batch(*(f"n{number}.example.test." for number in range(NAMES_PER_ITEM_MAX + 1))), by="az-1")
    assert [len(facts["swaps"]) for facts in many] == [NAMES_PER_ITEM_MAX, 1]
    assert many[1]["swaps"] == (line_of(written(f"n{NAMES_PER_ITEM_MAX}.example.test.")),)


def test_an_item_says_who_wrote_what_where_by_which_change() -> None:
    """The enactor, the zone, the plan that was worked from, and Route 53's change id."""
    assert facts_of(batch(API), by="az-1") == [
        {
            "verb": "swap",
            "outcome": "changed",
            "zone": ZONE,
            "generation": "9",
            "change_id": "C1",
            "by": "az-1",
            "detail": "",
            "swaps": (line_of(written()),),
        }
    ]


def test_opening_alone_is_an_item_too() -> None:
    """A plan that changes nothing in a zone is opened there all the same."""
    (facts,) = facts_of(batch(opened=True, change_id=None), by="az-1")
    assert (facts["detail"], facts["swaps"], facts["change_id"]) == ("opened generation 9", (), "")


def test_a_generation_without_an_end_is_none() -> None:
    """Somebody may have typed it; a number of thousands of digits is an error to Python."""
    assert written_of(f"{API} {'9' * 12} 0123456789ab 00 behind advance") is not None
    assert written_of(f"{API} {'9' * 5_000} 0123456789ab 00 behind advance") is None
    (event,) = shown(verb("hold", name=API, generation="9" * 5_000))
    assert event.generation is None


@pytest.mark.parametrize("outcome", ["conflicted", "unknown"])
def test_what_was_not_applied_is_no_history(outcome: str) -> None:
    """Nothing of it stands there."""
    lost = BatchEnded(zone=ZONE, outcome=outcome, generation=9, change_id=None, names=(API,), opened=False)
    with pytest.raises(AssertionError, match="only what was applied"):
        facts_of(lost, by="az-1")


def test_a_line_reads_back_as_it_was_written() -> None:
    """Names in their one spelling have no spaces; words that a later version adds are passed over."""
    one = written(r"\052.x\040y.example.test.")
    assert written_of(line_of(one)) == one
    assert written_of(f"{line_of(one)} more") == one


@pytest.mark.parametrize("line", ["", "api.example.test.", "api.example.test. x p n c p", "a. ² p n c p", "a. 1 p n c"])
def test_a_line_that_is_none_says_nothing(line: str) -> None:
    """Somebody edited it."""
    assert written_of(line) is None


def test_a_swap_is_told_with_the_facts_of_its_own_name() -> None:
    """The generation is the fence's, which for a repair is not the plan's that was worked from."""
    (facts,) = facts_of(batch(WEB, API), by="az-1")
    (one,) = shown(item(facts))
    assert (one.verb, one.scope, one.by, one.zone, one.change_id) == ("swap", "endpoint", "az-1", ZONE, "C1")
    assert (one.generation, one.plan, one.nonce, one.cause, one.purpose) == (
        8,
        "0123456789ab",
        FENCE.nonce,
        "behind",
        "advance",
    )
    assert (one.time, one.outcome, one.reason, one.detail, one.caller) == (TIME, "changed", None, None, None)


def test_only_the_write_that_the_fence_bears_is_in_force() -> None:
    """The nonce tells: a generation may have been written twice."""
    (facts,) = facts_of(batch(API), by="az-1")
    other = {**facts, "swaps": (line_of(written(nonce="00aa00aa00aa00aa")),)}
    assert [one.in_force for one in shown(item(facts), item(other))] == [True, False]
    assert [one.in_force for one in shown(item(facts), fence=None)] == [False]


@pytest.mark.parametrize(
    ("local", "told"), [(-5.0, 0.0), (0.0, 0.0), (0.25, 0.25), (0.9999999, 0.999999), (5.0, 0.999999)]
)
def test_an_event_stays_within_the_second_that_aws_told(local: float, told: float) -> None:
    """The clock of a machine orders events within it and no more."""
    date = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert within_second(date, date + timedelta(seconds=local)) == date + timedelta(seconds=told)


def test_a_batch_of_other_names_says_nothing_unless_it_opened_the_zone() -> None:
    """A name that begins like ours is another one."""
    (others,) = facts_of(batch(WEB, f"{API}x."), by="az-1")
    (opening,) = facts_of(batch(WEB, opened=True), by="az-1")
    assert shown(item(others)) == []
    (one,) = shown(item(opening))
    assert (one.scope, one.generation, one.detail, one.nonce) == ("zone", 9, "opened generation 9", None)


@pytest.mark.parametrize(
    ("event", "scope"),
    [
        (verb("hold", zone=ZONE, name=API), "endpoint"),
        (verb("stop", zone=ZONE), "zone"),
        (verb("publish"), "fleet"),
        (verb("hold", zone=ZONE, name=WEB), None),
        (verb("hold", zone="Z0OTHER", name=API), None),
        (verb("stop", zone="Z0OTHER"), None),
    ],
)
def test_a_verb_is_told_where_it_was_about_the_name_its_zone_or_its_fleet(event: EventItem, scope: str | None) -> None:
    """Who asks about one endpoint is not told of every other one."""
    assert [one.scope for one in shown(event)] == ([] if scope is None else [scope])
    assert is_about(event, API, ZONE) is (scope is not None)


def test_without_a_zone_the_name_alone_decides() -> None:
    """Route 53 is away, and nobody can say in which zone the name lies."""
    assert [one.zone for one in shown(verb("hold", zone="Z0OTHER", name=API), zone=None)] == ["Z0OTHER"]


def test_a_verb_is_told_with_its_person_reason_and_generation() -> None:
    """What the desk wrote; what is no number is no generation."""
    (one, odd) = shown(
        verb("allow", zone=ZONE, name=API, reason="they moved", generation="12", detail="done", change_id="C2"),
        verb("allow", zone=ZONE, name=API, generation="²"),
    )
    assert (one.caller, one.reason, one.generation, one.detail, one.change_id) == (
        "arn:aws:iam::1:user/ann",
        "they moved",
        12,
        "done",
        "C2",
    )
    assert odd.generation is None


def test_a_reason_steers_no_terminal_and_has_an_end() -> None:
    """It came out of a table that others may write."""
    (one,) = shown(verb("stop", zone=ZONE, reason="\x1b[2Jx\n" + "y" * 2 * REASON_SHOWN_CHARACTERS, detail="a\tb"))
    assert one.reason.startswith(" [2Jx y")
    assert len(one.reason) == REASON_SHOWN_CHARACTERS
    assert one.detail == "a b"


def test_more_events_than_are_wanted_are_cut_and_said_to_be() -> None:
    """The newest stay, which come first."""
    events = [verb("stop", zone=ZONE, reason=str(number)) for number in range(3)]
    found, is_cut = history_of(events, API, ZONE, None, most=2)
    assert ([one.reason for one in found], is_cut) == (["0", "1"], True)
    assert history_of(events, API, ZONE, None, most=3)[1] is False


def test_an_event_tells_of_the_fence_where_it_bears_its_nonce_or_is_a_persons_last_word() -> None:
    """A verb writes down no nonce; one of another desk, or one that changed nothing, tells of no write."""
    (facts,) = facts_of(batch(API), by="az-1")
    swap = item(facts)
    older = item({**facts, "swaps": (line_of(written(nonce="00aa00aa00aa00aa")),)})
    held = verb("hold", zone=ZONE, name=API, change_id="C3")
    by_hand = Fence(fleet="edge", gen=8, plan="0123456789ab", by="desk", nonce="11bb11bb11bb11bb", state="hold")
    assert is_told(shown(swap), FENCE)
    assert is_told(shown(older, swap), FENCE)
    assert not is_told(shown(older), FENCE)
    assert not is_told([], FENCE)
    assert is_told(shown(held, older, fence=by_hand), by_hand)
    assert not is_told(shown(held, older), FENCE)
    assert not is_told(shown(older, held, fence=by_hand), by_hand)
    assert not is_told(shown(verb("hold", zone=ZONE, name=API), fence=by_hand), by_hand)
    assert not is_told(shown(verb("stop", zone=ZONE, change_id="C4"), fence=by_hand), by_hand)

"""What the timelines of a page take from the history: bounded, by endpoint, and nothing that cannot be read."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from enactor.history import SWAP, line_of
from enactor.hooks import Written
from enactor.live_report import Put, Recalled
from enactor.recalled import PUTS_KEPT, WORD_SHOWN_CHARACTERS, recalled
from enactor.table_keys import EventItem

from .kernel_builders import NAME, ZONE

START = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
SINCE = START - timedelta(days=7)


def line(name: str = NAME, generation: int = 7, cause: str = "behind") -> str:
    return line_of(
        Written(name=name, generation=generation, plan="0" * 12, nonce="1" * 16, cause=cause, purpose="advance")
    )


def swap(*lines: str, minutes: float = 10, **more: Any) -> EventItem:
    told = {"verb": SWAP, "outcome": "changed", "zone": ZONE, "by": "az-2", "swaps": lines, **more}
    return EventItem(**{"time": (START - timedelta(minutes=minutes)).isoformat(), **told})


def read(*events: EventItem, is_cut: bool = False) -> Recalled:
    return recalled(events, (ZONE,), since=SINCE, before=START, is_cut=is_cut)


def test_swaps_and_verbs_are_told_by_endpoint_oldest_first() -> None:
    """A batch of two names is one of each; a person's verb names the person's enactor."""
    found = read(
        swap(minutes=1, verb="hold", name=NAME, by="desk", generation="8", swaps=()),
        swap(line(generation=8), line("web.example.test.", 8, "missing"), minutes=2),
        swap(line(generation=7), minutes=90),
    )
    assert found == Recalled(
        since="2026-05-25T12:00:00Z",
        puts={
            (ZONE, NAME): (
                Put(at="2026-06-01T10:30:00Z", verb="swap", by="az-2", generation=7, cause="behind"),
                Put(at="2026-06-01T11:58:00Z", verb="swap", by="az-2", generation=8, cause="behind"),
                Put(at="2026-06-01T11:59:00Z", verb="hold", by="desk", generation=8),
            ),
            (ZONE, "web.example.test."): (
                Put(at="2026-06-01T11:58:00Z", verb="swap", by="az-2", generation=8, cause="missing"),
            ),
        },
    )


def test_what_this_process_saw_itself_is_told_once() -> None:
    """An event of the instant of its start, or later, stands in its own steps."""
    assert read(swap(line(), minutes=0), swap(line(), minutes=-1)).puts == {}


def test_only_the_newest_few_of_an_endpoint_are_kept() -> None:
    """What heals again and again makes no endless page."""
    found = read(*(swap(line(generation=50 - number), minutes=number + 1) for number in range(PUTS_KEPT + 4)))
    assert [put.generation for put in found.puts[ZONE, NAME]] == list(range(51 - PUTS_KEPT, 51))


def test_where_older_events_were_left_it_reaches_back_to_the_last_one_read() -> None:
    """Also where that one is of another zone."""
    events = (swap(line(), minutes=5), swap(line(), minutes=30, zone="Z9OTHER"))
    assert read(*events, is_cut=True).since == "2026-06-01T11:30:00Z"
    assert read(*events).since == "2026-05-25T12:00:00Z"


def test_what_did_nothing_or_is_elsewhere_or_cannot_be_read_is_passed_over() -> None:
    """Another zone, a verb that failed, a publish, a time without a zone, lines of nobody's."""
    odd = (
        swap(line(), zone="Z9OTHER"),
        swap(line(), outcome="failed"),
        swap(verb="publish", swaps=()),
        swap(line(), time="yesterday"),
        swap(line(), time="2026-06-01T10:00:00"),
        swap("x", f"{NAME} {'9' * 5_000} a b c d", f"{NAME} -1 a b c d"),
    )
    assert read(*odd).puts == {}


@given(
    st.builds(
        EventItem,
        time=st.sampled_from([START.isoformat(), "2026-05-30T00:00:00Z"]) | st.text(),
        verb=st.text(),
        outcome=st.just("changed"),
        zone=st.just(ZONE),
        name=st.text(),
        by=st.text(),
        generation=st.text(),
        swaps=st.lists(st.text() | st.just(f"{NAME} 7 a b {'c' * 99} d")).map(tuple),
    )
)
def test_whatever_stands_in_the_table_is_told_in_few_words_or_not(event: EventItem) -> None:
    """Somebody may have typed it."""
    for puts in read(event).puts.values():
        assert all(max(map(len, (put.by, put.verb, put.cause))) <= WORD_SHOWN_CHARACTERS for put in puts)
        assert all(put.by.isprintable() for put in puts)

"""What stands in a worker's log: JSON lines that no fact makes endless, and a refusal that lasts once and not with every cycle."""

import io
import json
import os
import threading
from contextlib import redirect_stderr
from typing import Any

import click
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.cli.ending import crash_logged
from enactor.hooks import BatchEnded, CallEnded, CycleEnded, EndpointRefused, Event, Noticed, PlanRefused, Written
from enactor.log_stream import Unfailing
from enactor.logs import (
    ITEMS_LOGGED_MAX,
    KEYS_LOGGED_MAX,
    LINE_LOGGED_MAX_OCTETS,
    REFUSALS_LOGGED_MAX,
    TEXT_LOGGED_MAX_CHARACTERS,
    EventLog,
    logger,
)
from enactor.ports import Unavailable

ZONE = "Z0LOG"
ENDED = CycleEnded(
    outcome="unchanged", generation=8, source="table", seconds=1.0, states={"current": 1}, reads=1, writes=0, changes=0
)


def lines(*events: Event) -> list[dict[str, Any]]:
    """Return what is logged of some events."""
    stream = io.StringIO()
    with redirect_stderr(stream):
        hook = EventLog(logger(enactor="a", fleet="edge"))
        for event in events:
            hook(event)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def refused(name: str = "api.", guard: str = "empty", message: str = "no target") -> EndpointRefused:
    return EndpointRefused(zone=ZONE, name=name, guard=guard, message=message)


def test_each_line_says_who_of_which_fleet_and_what_happened() -> None:
    """With the level and the time, as log collectors expect."""
    (line,) = lines(ENDED)
    assert {
        "enactor": "a",
        "fleet": "edge",
        "event": "cycle-ended",
        "level": "info",
        "outcome": "unchanged",
    }.items() <= (line.items())
    assert line["timestamp"].endswith("Z")


def test_a_cycle_in_which_something_answers_nothing_is_a_warning() -> None:
    """Also where nothing was to be done: a hold is no all-clear."""
    (line,) = lines(msgspec.structs.replace(ENDED, not_answering=1))
    assert (line["level"], line["not_answering"], line["outcome"]) == ("warning", 1, "unchanged")
    (line,) = lines(msgspec.structs.replace(ENDED, not_answering=1, outcome="failed", why=("zone Z: denied",)))
    assert (line["level"], line["why"]) == ("error", ["zone Z: denied"])


def test_a_batch_says_zone_names_generation_nonce_and_change_id() -> None:
    """What a person needs to find it in CloudTrail and in the fences."""
    put = tuple(
        Written(name=f"n{n}.", generation=8, plan="0" * 12, nonce="ab" * 8, cause="behind", purpose="advance")
        for n in range(30)
    )
    event = BatchEnded(
        zone=ZONE,
        outcome="applied",
        generation=8,
        change_id="C1",
        names=tuple(one.name for one in put),
        opened=True,
        nonce="ab" * 8,
        written=put,
    )
    (line,) = lines(event)
    assert (line["event"], line["zone"], line["generation"], line["change_id"]) == ("batch-ended", ZONE, 8, "C1")
    assert (line["nonce"], line["endpoints"], line["causes"], line["opened"]) == ("ab" * 8, 30, {"behind": 30}, True)
    assert line["names"] == [*(f"n{n}." for n in range(ITEMS_LOGGED_MAX)), "… (30 in all)"]
    assert "written" not in line


def test_no_fact_is_endless() -> None:
    """An answer of a proxy may be a page; what was cut says so."""
    long = "x" * (TEXT_LOGGED_MAX_CHARACTERS + 1)
    (line,) = lines(Noticed(event="trouble", facts={"why": long, "deep": {"list": [long, *"y" * 29]}}))
    assert line["why"] == "x" * TEXT_LOGGED_MAX_CHARACTERS + "… (2001 characters)"
    assert line["deep"]["list"][-1] == "… (30 in all)"
    assert len(line["deep"]["list"]) == ITEMS_LOGGED_MAX + 1
    (line,) = lines(Noticed(event="trouble", facts={"why": long[1:], "list": list(range(ITEMS_LOGGED_MAX))}))
    assert (line["why"], line["list"]) == (long[1:], list(range(ITEMS_LOGGED_MAX)))


def test_single_requests_are_counted_and_not_logged() -> None:
    """There are thousands."""
    assert lines(CallEnded(operation="ListResourceRecordSets", zone=ZONE, outcome="ok", seconds=0.1)) == []


def test_a_refusal_is_logged_when_it_begins_and_again_when_it_comes_back() -> None:
    """Whatever its numbers do meanwhile."""
    told = lines(
        refused(),
        PlanRefused(generation=8, guard="vanished", message="1 of 4"),
        ENDED,
        refused(message="no target, for 20 s"),
        PlanRefused(generation=8, guard="vanished", message="1 of 4"),
        refused(guard="kind"),
        refused("web."),
        ENDED,
        ENDED,
        refused(),
        PlanRefused(generation=9, guard="vanished", message="1 of 4"),
    )
    assert [(line["event"], line.get("name") or line.get("generation"), line.get("guard")) for line in told] == [
        ("endpoint-refused", "api.", "empty"),
        ("plan-refused", 8, "vanished"),
        ("cycle-ended", 8, None),
        ("endpoint-refused", "api.", "kind"),
        ("endpoint-refused", "web.", "empty"),
        ("cycle-ended", 8, None),
        ("cycle-ended", 8, None),
        ("endpoint-refused", "api.", "empty"),
        ("plan-refused", 9, "vanished"),
    ]


def test_a_plan_that_everything_refuses_is_no_twenty_thousand_lines() -> None:
    """The first fifty of a cycle and how many more; the next cycle says nothing of them."""
    many = [refused(f"n{number}.") for number in range(REFUSALS_LOGGED_MAX + 7)]
    told = lines(*many, ENDED, *many, ENDED)
    assert [line["event"] for line in told] == [
        *["endpoint-refused"] * REFUSALS_LOGGED_MAX,
        "more-endpoints-refused",
        "cycle-ended",
        "cycle-ended",
    ]
    assert told[REFUSALS_LOGGED_MAX]["endpoints"] == 7


def test_a_fault_of_the_program_is_a_line_with_where_and_status_1() -> None:
    """No stack trace over many lines that a log collector tears apart; whoever restarts it sees a failure."""

    def breaks() -> int:
        return {"a": 1}["b"]

    stream = io.StringIO()
    with redirect_stderr(stream), pytest.raises(click.exceptions.Exit) as ended:
        crash_logged(logger(enactor="a"), breaks)
    assert ended.value.exit_code == 1
    (line,) = map(json.loads, stream.getvalue().splitlines())
    assert (line["event"], line["level"], line["why"]) == ("crashed", "critical", "KeyError: 'b'")
    assert line["where"][-1].endswith(" breaks")
    assert line["what"].startswith("a fault of this program")


def test_what_is_outside_is_no_fault_of_the_program() -> None:
    """A port that another process has: a sentence, in a line, and status 1."""

    def fails() -> int:
        raise Unavailable("port 9553 is taken")

    stream = io.StringIO()
    with redirect_stderr(stream), pytest.raises(click.exceptions.Exit) as ended:
        crash_logged(logger(enactor="a"), fails)
    assert ended.value.exit_code == 1
    (line,) = map(json.loads, stream.getvalue().splitlines())
    assert (line["event"], line["why"], "where" in line) == ("not-started", "port 9553 is taken", False)
    assert crash_logged(logger(enactor="a"), lambda: 3) == 3


class Odd:
    """What JSON has no word for."""

    def __str__(self) -> str:
        return "odd " * 1_000


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3_000) | st.builds(Odd),
        lambda some: st.lists(some, max_size=40) | st.dictionaries(st.text(max_size=300) | st.integers(), some),
        max_leaves=60,
    )
)
def test_whatever_a_fact_is_its_line_is_one_json_object_and_not_too_long(fact: Any) -> None:
    """Docker tears lines apart at 16 KiB, and a collector that reads JSON drops what is half of an object."""
    (line,) = lines(Noticed(event="trouble", facts={"fact": fact, "zone": ZONE}))
    assert (line["event"], line["zone"]) == ("trouble", ZONE)
    assert len(json.dumps(line)) <= LINE_LOGGED_MAX_OCTETS


def test_a_line_that_is_too_long_loses_its_longest_facts_and_says_so() -> None:
    """Who it is of and what happened stay."""
    fat = [{"deep": ["y" * TEXT_LOGGED_MAX_CHARACTERS] * 3}] * 5
    (line,) = lines(Noticed(event="trouble", facts={"fat": fat, "why": "no answer"}))
    assert (line["event"], line["why"]) == ("trouble", "no answer")
    assert line["fat"] == "… (30120 octets left out)"


def test_a_mapping_has_no_endless_keys() -> None:
    """States and causes are few; what comes from outside need not be."""
    (line,) = lines(Noticed(event="trouble", facts={"by": dict.fromkeys(range(KEYS_LOGGED_MAX + 1), 1)}))
    assert (len(line["by"]), line["by"]["…"]) == (KEYS_LOGGED_MAX + 1, "101 in all")


def test_a_reader_that_reads_no_more_stops_nobody() -> None:
    """A log collector that hangs leaves its pipe full: lines are lost, the work goes on, and once it reads again lines are whole."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as there, os.fdopen(writer, "w") as here:
        os.set_blocking(reader, False)
        stream = Unfailing(here)
        done = threading.Event()

        def log() -> None:
            for number in range(200):
                stream.write(f"{number} {'x' * 5_000}\n")
                stream.flush()
            done.set()

        threading.Thread(target=log, daemon=True).start()
        went_on = done.wait(20)
        while there.read(65_536) or not done.is_set():
            pass  # also lets a thread go that was held up
        assert went_on
        stream.write("whole\n")
        assert there.read(100) in {b"whole\n", b"\nwhole\n"}

"""`/api/status` is what its schema says in every kind of world, and has everything that the page shows."""

import json
from typing import Any, get_args

import jsonschema
import msgspec
from hypothesis import given
from hypothesis import strategies as st

from enactor.live_report import LiveReport, Waiting
from enactor.page.status import StatusPage
from enactor.recalled import recalled
from enactor.report import EnactorSeen
from enactor.swap import State
from enactor.table_keys import EventItem
from planner.schemas import schema_of
from tests.enactor.kernel_builders import LATER, NAME, ZONE, fence, fence_record, garbled, switch
from tests.enactor.test_cycle_report import (
    BEHIND,
    CURRENT,
    FINDING,
    FOREIGN,
    OTHER,
    OTHER_A,
    PLAN,
    REFUSED,
    RUNNING,
    A,
    B,
    judged,
    result,
)
from tests.enactor.test_live import EMPTY, START, World

from .worlds import HOSTILE, HOSTILE_NAME, Worker, many, night, one

VALID = jsonschema.Draft202012Validator(schema_of("api-status"))
JUDGED = {
    "current": CURRENT,
    "behind": BEHIND,
    "refused": REFUSED,
    "foreign": FOREIGN,
    "another fleet's": judged(PLAN, A, fence_record(fence(A, fleet="other"))),
    "empty": EMPTY,
    "missing": judged(PLAN),
    "fence-missing": judged(PLAN, A),
    "fence-garbled": judged(PLAN, A, garbled().record),
    "vanished": judged(PLAN, OTHER_A, fence_record(fence(OTHER_A), OTHER), names=(OTHER,)),
    "drifted": judged(PLAN, B, fence_record(fence(A))),
    "held": judged(PLAN, A, fence_record(fence(A, state="hold"))),
    "retired": judged(PLAN, fence_record(fence(A, state="retired"))),
    "odd name": one(HOSTILE_NAME, A, wants=(A,)),
    "wildcard": one(r"\052.example.test.", A, B, wants=(A,)),
    "odd octets": one(r"\000\042\134\377.example.test.", wants=(A,)),
}


def test_every_state_is_drawn_below() -> None:
    """A new one belongs there."""
    assert {judged.state for of in JUDGED.values() for judged in of.values()} == set(get_args(State))


def checked(report: LiveReport) -> Any:
    """Return what the port answers, held against the schema, read back as the type, and shown as a page."""
    page = StatusPage(lambda: report)
    answered = json.loads(page.json())
    VALID.validate(answered)
    assert json.loads(msgspec.json.encode(msgspec.json.decode(page.json(), type=LiveReport))) == answered
    assert "<html" in page.html()[0]
    return answered


def test_before_the_first_cycle_after_a_failed_one_and_in_a_bad_hour() -> None:
    """A page that is asked for in the first second is an answer too."""
    worker = Worker()
    assert checked(worker.live.report())["cycle"]["number"] == 0
    worker.live.failed("the table does not answer")
    assert checked(worker.live.report())["degraded"] == ["the last cycle failed: the table does not answer"]
    assert checked(night().live.report())["not_answering"] > 0
    checked(night(reason=HOSTILE, text=HOSTILE).live.report())
    assert len(checked(many(1_500))["endpoints"]) == 1_500


def test_no_zero_stands_beside_a_fault_of_the_worker_itself() -> None:
    """A disk that keeps no plan concerns no endpoint: a count of 0 there would read as an all clear."""
    worker = Worker()
    worker.live.failed("plan 1 cannot be kept in afile")
    part = StatusPage(worker.live.report).html()[0].partition('id="wrong-title"')[2].partition("</section>")[0]
    assert "plan 1 cannot be kept in afile" in part
    heading = part.partition("</h2>")[0]
    assert "What is wrong" in heading
    assert "0" not in heading


@given(
    states=st.lists(st.sampled_from(sorted(JUDGED)), max_size=3),
    switch_word=st.sampled_from(["run", "stop", "absent", "unknown"]),
    plan_word=st.sampled_from(["current", "behind", "ahead", "forked", "unknown"]),
    fails=st.sets(st.sampled_from(["zone", "table", "plan", "damaged", "problems"])),
    waits=st.booleans(),
    told=st.booleans(),
    enactors=st.none() | st.integers(0, 60),
    text=st.text(max_size=40),
)
def test_every_world_has_an_answer_of_one_form(**drawn: Any) -> None:
    """States, switches, plans and failures in any combination, and any text in what people write."""
    world = World()
    if drawn["told"]:
        event = EventItem(
            time="2026-06-01T10:00:00Z", verb="hold", outcome="changed", zone=f"{ZONE}0", name=NAME, by=drawn["text"]
        )
        world.live.recalled = recalled((event,), (f"{ZONE}0",), since=START, before=START, is_cut=True)
    results = [
        result(
            JUDGED[state],
            zone=f"{ZONE}{number}",
            standing=msgspec.structs.replace(RUNNING, switch=drawn["switch_word"], plan=drawn["plan_word"]),
            switch=switch(8, mode="stop", until=LATER) if drawn["switch_word"] == "stop" else None,
            switch_text=drawn["text"],
            record_sets=number or None,
        )
        for number, state in enumerate(drawn["states"])
    ]
    changes: dict[str, Any] = {}
    if "plan" in drawn["fails"]:
        changes["newest"] = None
    if "zone" in drawn["fails"]:
        changes["errors"] = {"Z9": drawn["text"]}
    if "table" in drawn["fails"]:
        changes["table_answered"] = False
    if "damaged" in drawn["fails"]:
        changes["damaged"] = FINDING
    if "problems" in drawn["fails"]:
        changes["problems"] = (drawn["text"],)
    if drawn["enactors"] is not None:
        world.live.enactors = tuple(
            EnactorSeen(id=f"e{n}", generation=n, seen=drawn["text"]) for n in range(drawn["enactors"])
        )
    waits = {(f"{ZONE}0", NAME): Waiting(3.5, drawn["text"])} if drawn["waits"] else {}
    world.cycle(*results, waits=waits, **changes)
    answered = checked(world.live.report())
    assert sum(answered["counts"].values()) == len(drawn["states"])

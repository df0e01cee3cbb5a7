"""A brake for a time lasts that long from when it is on, however long it took to put there; a lost answer makes no second one."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from enactor.batch import Batch
from enactor.endpoint_verbs import EndpointOperator, Place
from enactor.fence import Mode, instant_text
from enactor.outcome import Applied, Outcome, Unknown, ZoneBusy
from enactor.verbs import Operator
from enactor.wheel import Wheel

from .kernel_builders import (
    FLEET,
    NAME,
    NOW,
    ZONE,
    ListedZone,
    SteppedClock,
    fence,
    fence_record,
    simple,
    switch,
    switch_record,
)

STEP_SECONDS = 90.0
"""How long each call takes by AWS's clock."""
BRAKES = ("stop", "hold")


class SlowZone(ListedZone):
    """A zone whose calls take long, and end as they are told to; what is applied, or of an answer that is lost, stands."""

    def __init__(self, *ends: str) -> None:
        super().__init__(switch_record(switch(8)), fence_record(fence(simple(1), gen=8), NAME), simple(1))
        self._ends: Iterator[str] = iter(ends)
        self._seen = NOW
        self.landed: list[Batch] = []

    def aws_now(self) -> datetime | None:
        return self._seen

    def compare_and_swap(self, batch: Batch) -> Outcome:
        self._seen += timedelta(seconds=STEP_SECONDS)
        match next(self._ends):
            case "busy":
                return ZoneBusy()
            case "applied":
                self._land(batch)
                return Applied("C1")
            case end:
                if end == "landed and lost":
                    self._land(batch)
                return Unknown("no answer")

    def _land(self, batch: Batch) -> None:
        self.landed.append(batch)
        standing = list(self.records)
        for change in batch.changes:
            if change.action == "DELETE":
                standing.remove(change.record)
            else:
                standing.append(change.record)
        self.records = tuple(standing)


class Counted:
    """Chance without any: each nonce is another, and each wait the longest."""

    def __init__(self) -> None:
        self._drawn = 0

    def nonce(self) -> str:
        self._drawn += 1
        return f"{self._drawn:016x}"

    def uniform(self, low: float, high: float) -> float:
        return high


def braked(zone: SlowZone, verb: str, seconds: float | None) -> tuple[str, str]:
    """Put a brake on for a time; return what is said, and the text that stands."""
    wheel = Wheel(fleet=FLEET, enactor="ann", zones=zone, clock=SteppedClock(), chance=Counted(), comment="")
    if verb == "stop":
        said = Operator(wheel).stop(ZONE, lambda: None, seconds).sentence
        record = zone.switch(ZONE, FLEET).record
    else:
        said = EndpointOperator(wheel).hold(Place(ZONE, NAME), seconds).sentence
        record = zone.fences(ZONE, FLEET).fences[NAME].record
    assert record is not None
    return said, record.values[0]


def until(calls: int, seconds: float) -> str:
    """Return the end that is reckoned after so many calls."""
    return instant_text(NOW + timedelta(seconds=calls * STEP_SECONDS + seconds))


@pytest.mark.parametrize("verb", BRAKES)
@pytest.mark.parametrize("busy", [0, 3])
def test_an_end_is_reckoned_when_the_brake_is_put_there(verb: str, busy: int) -> None:
    """A zone was busy for longer than the brake was to last: what stands is what is said, and neither is over by then."""
    zone = SlowZone(*["busy"] * busy, "applied")
    said, text = braked(zone, verb, 120.0)
    assert f"until={until(busy, 120.0)}" in text
    assert f"until {until(busy, 120.0)}" in said
    assert "is stopped" in said or "is held until" in said


@pytest.mark.parametrize("verb", BRAKES)
def test_a_brake_whose_answer_was_lost_is_put_there_once(verb: str) -> None:
    """Each look finds a later end to wish for; the verb knows its own, and ends."""
    zone = SlowZone("lost", "landed and lost")
    said, text = braked(zone, verb, 7200.0)
    assert len(zone.landed) == 1
    assert f"until={until(1, 7200.0)}" in text
    assert f"until {until(1, 7200.0)}" in said


@pytest.mark.parametrize("verb", BRAKES)
def test_a_brake_that_ended_before_its_answer_was_missed_is_put_there_anew(verb: str) -> None:
    """It was on, and is over: nobody was told so."""
    zone = SlowZone("landed and lost", "applied")
    said, text = braked(zone, verb, 60.0)
    assert len(zone.landed) == 2
    assert f"until={until(1, 60.0)}" in text
    assert "runs again" in said or "held no more" in said


@pytest.mark.parametrize("verb", BRAKES)
def test_what_is_over_by_the_time_it_is_looked_at_is_not_said_to_be_on(verb: str) -> None:
    """The call itself took longer than the brake was to last."""
    said, _ = braked(SlowZone("applied"), verb, 60.0)
    assert "runs again" in said or "held no more" in said


@pytest.mark.parametrize(
    ("verb", "kept"), [("stop", "--for shortens no stop: `enactor start` ends it"), ("hold", "--for shortens no hold")]
)
@pytest.mark.parametrize("lasting", [None, 7200.0], ids=["for good", "for longer"])
def test_an_end_that_was_not_taken_is_said_to_be_none(verb: str, kept: str, lasting: float | None) -> None:
    """A person who typed --for 2m over a brake that lasts was left to believe that it ends then."""
    zone = SlowZone("applied")
    said, text = braked(zone, verb, lasting)
    assert "--for" not in said
    again, stands = braked(zone, verb, 120.0)
    assert (stands, len(zone.landed)) == (text, 1)
    assert again.endswith(f" so already, and {kept}")


@pytest.mark.parametrize(
    ("mode", "told", "said"),
    [
        ("stop", 8, ""),
        ("stop", None, ""),
        ("stop", 5, "; --generation 5 was not used: 8 was open, and what is open never falls"),
        ("run", 5, "; --generation 5 was not used: 8 was open, and what is open never falls"),
        ("run", 50, "; --generation 50 was not used: its switch was in run already"),
        ("stop", 50, ""),
    ],
)
def test_a_generation_that_was_not_taken_is_said_to_be_none(mode: Mode, told: int | None, said: str) -> None:
    """What is open never falls, and a switch in run is left as it is."""
    zone = SlowZone("applied")
    zone.records = (switch_record(switch(8, mode=mode)), *zone.records[1:])
    wheel = Wheel(fleet=FLEET, enactor="ann", zones=zone, clock=SteppedClock(), chance=Counted(), comment="")
    stands = 50 if (mode, told) == ("stop", 50) else 8
    assert Operator(wheel).start(ZONE, lambda: None, told).sentence == (
        f"zone {ZONE} runs: mode=run, generation {stands}{said}"
    )

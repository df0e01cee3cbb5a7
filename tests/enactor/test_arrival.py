"""When what was written has arrived: one question a zone between cycles, and none where asking is denied."""

import pytest

from enactor.arrival import GIVEN_UP_SECONDS, Arrivals
from enactor.hooks import BatchEnded
from enactor.ports import Busy, Denied, Missing, OutsideError, Throttled, Unavailable

from .kernel_builders import SteppedClock


class Servers:
    """Route 53, as far as it says whether changes have arrived."""

    def __init__(self) -> None:
        self.arrived: set[str] = set()
        self.wrong: OutsideError | None = None
        self.asked: list[tuple[str, str]] = []

    def is_insync(self, zone: str, change_id: str) -> bool:
        self.asked.append((zone, change_id))
        if self.wrong:
            raise self.wrong
        return change_id in self.arrived


class World:
    def __init__(self) -> None:
        self.clock, self.servers = SteppedClock(), Servers()
        self.told: list[tuple[int, float]] = []
        self.arrivals = Arrivals(self.servers, self.clock, lambda *what: self.told.append(what))

    def applied(self, change_id: str | None, zone: str = "Z1", generation: int = 8, outcome: str = "applied") -> None:
        self.arrivals(
            BatchEnded(
                zone=zone, outcome=outcome, generation=generation, change_id=change_id, names=("a.",), opened=False
            )
        )

    def ask(self, *arrived: str, after: float = 10.0) -> None:
        self.servers.arrived |= set(arrived)
        self.clock.seconds += after
        self.arrivals.ask()


def test_a_change_is_asked_for_until_it_has_arrived() -> None:
    """And told with its generation and the seconds since it was applied; then the zone's next one counts."""
    world = World()
    world.applied("C1")
    world.applied("C2", generation=9)
    world.applied("C3", zone="Z2", generation=7)
    world.ask()
    world.ask("C1")
    assert world.told == [(8, 20.0)]
    world.ask("C3", after=5.0)
    world.ask()
    assert world.told == [(8, 20.0), (7, 25.0)]
    assert world.servers.asked == [("Z1", "C1"), ("Z2", "C3")] * 2 + [("Z2", "C3")]
    world.applied("C4")
    world.ask("C4", after=1.0)
    assert world.told[-1] == (8, 1.0)


@pytest.mark.parametrize(("change_id", "outcome"), [(None, "applied"), ("unknown", "applied"), ("C1", "conflicted")])
def test_what_has_no_id_or_was_not_applied_is_not_asked_for(change_id: str | None, outcome: str) -> None:
    """A batch whose answer was lost has no id; one that lost has nothing to arrive."""
    world = World()
    world.applied(change_id, outcome=outcome)
    world.ask()
    assert world.servers.asked == []


@pytest.mark.parametrize("wrong", [Unavailable("no answer"), Throttled("slow down"), Busy("later")])
def test_a_question_without_an_answer_is_asked_again(wrong: OutsideError) -> None:
    """Whatever is wrong for a moment."""
    world = World()
    world.applied("C1")
    world.servers.wrong = wrong
    world.ask("C1")
    world.servers.wrong = None
    world.ask()
    assert world.told == [(8, 20.0)]


def test_who_may_not_ask_asks_once() -> None:
    """The policy lacks route53:GetChange: told once, for `doctor` says how to mend it, and no call is spent on it again."""
    world = World()
    world.applied("C1")
    world.applied("C2", zone="Z2")
    world.servers.wrong = Denied("no GetChange")
    with pytest.raises(Denied):
        world.ask()
    world.servers.wrong = None
    world.applied("C3")
    world.ask("C1", "C2", "C3")
    assert (world.told, len(world.servers.asked)) == ([], 1)


def test_a_change_that_nobody_knows_any_more_and_one_that_never_arrives_are_given_up() -> None:
    """So that the next one of the zone is measured."""
    world = World()
    world.applied("C1")
    world.servers.wrong = Missing("no such change")
    world.ask()
    world.servers.wrong = None
    world.applied("C2")
    world.ask(after=GIVEN_UP_SECONDS)
    world.ask(after=1.0)
    world.ask("C2")
    assert world.told == []
    world.applied("C3")
    world.ask("C3")
    assert world.told == [(8, 10.0)]

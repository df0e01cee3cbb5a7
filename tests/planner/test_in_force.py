"""A newest plan that no enactor opens is told once: `unchanged` says nothing of that."""

import pytest
from click.testing import CliRunner

from enactor.ports import Announcement, Stopping, Unavailable
from planner.cli import main
from planner.events import NotInForce
from planner.runner import Runner
from tests.planner.planner_world import Planning, fleet, offers, signals

NONE = (
    "generation 1 is the newest since 180 s or longer, and in force nowhere: no enactor has announced itself; "
    "`enactor survey` says what keeps it out"
)
SEEN = "2026-10-01T00:00:00Z"


def begun() -> tuple[Planning, Runner]:
    """Return a fleet whose first plan was published at this very moment."""
    made = Planning(fleet(pace={"gather": "0s"}))
    made.source("albs").offers = offers(10)
    made.source("checks").signals = signals(good=range(1, 11))
    runner = made.planner()
    assert made.look(runner).outcome == "published"
    return made, runner


def announce(made: Planning, enactor: str, generation: int, *, process: str = "p", seen: str = SEEN) -> None:
    made.table.announce(Announcement(enactor, process, generation, seen))


def test_a_plan_that_nobody_opens_is_told_once() -> None:
    """After three minutes in which it was the newest; the next plan has its own three minutes."""
    made, runner = begun()
    assert [made.look(runner, after=59).outcome for _ in range(3)] == ["unchanged"] * 3
    assert made.told(NotInForce) == []
    for _ in range(5):
        made.look(runner)
    assert made.told(NotInForce) == [NotInForce(generation=1, message=NONE)]
    made.source("albs").offers = offers(11)
    made.source("checks").signals |= signals(good=[11])
    while made.generation() == 1:
        made.look(runner)
    made.look(runner, after=179)
    assert len(made.told(NotInForce)) == 1
    made.look(runner, after=1)
    assert [one.generation for one in made.told(NotInForce)] == [1, 2]


@pytest.mark.parametrize(("generation", "told"), [(0, 1), (1, 0), (2, 0)])
def test_one_enactor_that_has_opened_it_is_enough(generation: int, told: int) -> None:
    """Or one that is beyond it; the others may be behind for a while."""
    made, runner = begun()
    announce(made, "e1", 0)
    announce(made, "e2", generation)
    for _ in range(8):
        made.look(runner)
    assert len(made.told(NotInForce)) == told


def test_the_sentence_says_what_each_enactor_has_open() -> None:
    """Each once, by what its last process said."""
    made, runner = begun()
    announce(made, "e2", 0)
    announce(made, "e1", 0, process="old", seen="2026-09-01T00:00:00Z")
    announce(made, "e1", 0, process="new")
    for _ in range(8):
        made.look(runner)
    (told,) = made.told(NotInForce)
    assert (
        f"in force nowhere: of the enactors e1 has 0 open (seen {SEEN}), e2 has 0 open (seen {SEEN});" in told.message
    )


def test_the_table_is_asked_once_for_each_plan_and_a_failure_ends_no_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is only for people costs one request; who is asked to stop stops there too."""
    made, runner = begun()
    asked = list[float]()
    answers: list[Exception | tuple[Announcement, ...]] = [Unavailable("away"), (Announcement("e1", "p", 1, SEEN),)]

    def announcements() -> tuple[Announcement, ...]:
        asked.append(made.clock.now())
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(made.table, "announcements", announcements)
    assert {made.look(runner).outcome for _ in range(12)} == {"unchanged"}
    assert [at - 30.0 for at in asked] == [180.0, 210.0]
    answers.append(Stopping("asked to stop"))
    fresh = made.planner()
    made.look(fresh)
    with pytest.raises(Stopping):
        made.look(fresh, after=180)


def test_the_help_says_what_every_is() -> None:
    """A pause between looks, or from one beginning to the next? A newcomer had to read the code."""
    text = " ".join(CliRunner().invoke(main, ["run", "--help"]).stdout.split())
    assert "From the end of a look to the beginning of the next, give or take a fifth" in text

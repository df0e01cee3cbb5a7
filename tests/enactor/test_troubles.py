"""What fails beside the endpoints, a full disk above all: it is in every report, and told once for as long as it lasts."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import cast

import pytest

from enactor.cycle import Enactor, Tally
from enactor.disk import PlanDisk
from enactor.guards import LimitsTable
from enactor.hooks import Event, Noticed
from enactor.library import Library
from enactor.outcome import ZonePort
from enactor.outside import SystemChance, SystemClock
from enactor.plan import StoredPlan
from enactor.ports import Announcement, OutsideError, PlanAllow, PlanEntry, PlanHead, Unavailable
from enactor.report import EXIT_FAILED, EXIT_OK, cycle_status

from . import kernel_builders
from .kernel_builders import entry, plan, weighted


def newest(generation: int) -> StoredPlan:
    """Return a plan with one endpoint."""
    return kernel_builders.stored(generation, plan(entry(weighted(1))))


class Plans:
    """A plan table with one plan in it, which can be out of reach."""

    def __init__(self) -> None:
        self.newest = newest(7)
        self.down = False

    def head(self) -> PlanHead | None:
        if self.down:
            raise Unavailable("reading HEAD failed at table plans: no answer; check the network")
        return PlanHead(self.newest.generation, self.newest.digest)

    def floor(self) -> int:
        return 0

    def read(self, generation: int) -> StoredPlan | None:
        return self.newest if generation == self.newest.generation else None

    def list(self) -> Sequence[PlanEntry]:
        return ()

    def allows(self, generation: int) -> Sequence[PlanAllow]:
        return ()

    def announce(self, announcement: Announcement) -> None:
        """Nobody listens."""

    def announcements(self) -> Sequence[Announcement]:
        return ()

    def raise_floor(self, generation: int) -> None:
        """No zone, no switch."""


class Zones:
    """The hosted zones of an enactor that has none, or one that nobody lets it read."""

    def zone_name(self, zone: str) -> str:
        raise OutsideError(f"zone {zone} cannot be read; check the role's policy")

    def aws_now(self) -> datetime | None:
        return None


class Watched:
    """An enactor, its plan table, its state directory, and what it told."""

    def __init__(self, state: Path, zone_ids: tuple[str, ...] = ()) -> None:
        self.plans = Plans()
        self.state = state
        self.told: list[Event] = []
        self.enactor = Enactor(
            fleet="edge",
            enactor="e1",
            zone_ids=zone_ids,
            limits=LimitsTable(),
            zones=cast("ZonePort", Zones()),
            store=self.plans,
            library=Library(self.plans, PlanDisk(state, "edge")),
            clock=SystemClock(),
            chance=SystemChance(),
            tally=Tally(self.told.append),
        )

    def troubles(self) -> list[str]:
        """Return what was told since the last asking."""
        found = [str(event.facts["why"]) for event in self.told if isinstance(event, Noticed)]
        self.told.clear()
        return found


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path / "state")


def test_a_plan_that_cannot_be_kept_is_a_problem_of_every_report(watched: Watched) -> None:
    """Whoever reads the report knows that the next outage of the table finds nothing on disk."""
    watched.state.write_text("a file where the directory should be")
    reports = [watched.enactor.cycle() for _ in range(3)]
    assert [cycle_status(report) for report in reports] == [EXIT_FAILED] * 3
    assert all("plan 7 cannot be kept" in problem for report in reports for problem in report.problems)
    assert watched.enactor.survey().problems == reports[0].problems


def test_a_trouble_is_told_when_it_begins_and_not_in_every_cycle(watched: Watched) -> None:
    """A log line each ten seconds would bury what else is said."""
    watched.state.write_text("a file where the directory should be")
    watched.enactor.cycle()
    assert len(watched.troubles()) == 1
    watched.enactor.cycle()
    assert watched.troubles() == []


def test_a_disk_that_is_well_again_gets_the_plan(watched: Watched) -> None:
    """Every cycle tries again, and the report is clean from then on; the next trouble is told as a new one."""
    watched.state.write_text("a file where the directory should be")
    watched.enactor.cycle()
    watched.state.unlink()
    report = watched.enactor.cycle()
    assert (report.problems, cycle_status(report)) == ((), EXIT_OK)
    assert PlanDisk(watched.state, "edge").newest() == watched.plans.newest
    watched.troubles()
    watched.plans.down = True
    watched.enactor.cycle()
    (why,) = watched.troubles()
    assert "reading HEAD failed" in why


def test_many_plans_on_a_full_disk_are_one_problem(watched: Watched) -> None:
    """The newest that is not kept stands for all: a planner that goes on publishing makes no list of it."""
    watched.state.write_text("a file where the directory should be")
    for generation in range(7, 12):
        watched.plans.newest = newest(generation)
        (problem,) = watched.enactor.cycle().problems
        assert f"plan {generation} cannot be kept" in problem


def test_a_zone_that_cannot_be_read_is_told_with_its_id(tmp_path: Path) -> None:
    """Once, and again only after it was well."""
    watched = Watched(tmp_path / "state", ("Z0CLOSED",))
    watched.enactor.cycle()
    watched.enactor.cycle()
    (told,) = [event.facts for event in watched.told if isinstance(event, Noticed)]
    assert told == {"zone": "Z0CLOSED", "why": "zone Z0CLOSED cannot be read; check the role's policy"}

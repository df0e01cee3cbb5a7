"""The plans at hand: table, memory and disk together, few calls, little memory, and nothing opened that HEAD does not know."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from enactor import library as library_module
from enactor.disk import DiskReading, PlanDisk
from enactor.guards import Finding
from enactor.kept_plans import OLDER_PLANS_MAX, WHOLE_PLANS_MAX
from enactor.library import REMEMBERED_PLANS_MAX, Library
from enactor.plan import StoredPlan
from enactor.ports import Announcement, DamagedPlan, PlanAllow, PlanEntry, PlanHead, Unavailable

from .kernel_builders import LATER, NAME, NOW, ZONE, ZONE_NAME, digest, entry, plan, simple, stored, switch

OTHER = f"other.{ZONE_NAME}"


def published(generation: int, number: int | None = None) -> StoredPlan:
    """Return a plan whose one endpoint has an address of its own."""
    value = generation if number is None else number
    return stored(generation, plan(entry(simple(value))))


class Table:
    """A plan table that counts what it is asked."""

    def __init__(self, *plans: StoredPlan) -> None:
        self.plans = {one.generation: one for one in plans}
        self.damaged: set[int] = set()
        self.gone: set[int] = set()
        self.reads: list[int] = []
        self.lists = 0
        self.down = False
        self.allowed: list[PlanAllow] = []

    def _answer(self) -> None:
        if self.down:
            raise Unavailable("reading failed at table plans: no answer; check the network")

    def head(self) -> PlanHead | None:
        self._answer()
        newest = max(self.plans, default=0)
        return PlanHead(newest, self.plans[newest].digest) if newest else None

    def floor(self) -> int:
        return 0

    def read(self, generation: int) -> StoredPlan | DamagedPlan | None:
        self.reads.append(generation)
        self._answer()
        if generation in self.damaged:
            return DamagedPlan(generation, "chunk 0 is gone")
        return None if generation in self.gone else self.plans.get(generation)

    def list(self) -> Sequence[PlanEntry]:
        self.lists += 1
        self._answer()
        return [
            PlanEntry(
                generation=one.generation,
                digest=one.digest,
                parent=0,
                created_at="",
                planner="",
                reason="",
                zones=(ZONE,),
                endpoints=1,
                upload="",
            )
            for _, one in sorted(self.plans.items(), reverse=True)
        ]

    def allows(self, generation: int) -> Sequence[PlanAllow]:
        self._answer()
        return [one for one in self.allowed if one.generation == generation]

    def announce(self, announcement: Announcement) -> None:
        """Nobody listens."""

    def announcements(self) -> Sequence[Announcement]:
        return ()

    def raise_floor(self, generation: int) -> None:
        """No FLOOR here."""


@pytest.fixture
def disk(tmp_path: Path) -> PlanDisk:
    return PlanDisk(tmp_path / "state", "edge")


def generations(library: Library) -> list[int]:
    return [found.stored.generation for found in library.look().candidates]


def opened(of: StoredPlan) -> tuple[int, str]:
    return (of.generation, of.short_digest)


def test_a_plan_on_disk_above_head_heals_its_zone_and_is_no_candidate(disk: PlanDisk) -> None:
    """The table was restored: what a zone has open is found, and opened nowhere else; the report says it."""
    disk.save(published(6))
    library = Library(Table(published(2)), disk)
    shelf = library.look()
    assert [found.stored.generation for found in shelf.candidates] == [2]
    assert shelf.above_head == 6
    assert any(problem.startswith("HEAD is 2, but plan 6 was published before") for problem in shelf.problems)
    found = library.open_plan(switch(*opened(published(6))))
    assert found is not None
    assert found.source == "disk"
    assert library.content(ZONE, NAME, digest(simple(6))) is not None


def test_a_table_without_head_opens_nothing_from_disk(disk: PlanDisk) -> None:
    """Another table, or an empty one: nothing in it explains the plan."""
    disk.save(published(6))
    shelf = Library(Table(), disk).look()
    assert (shelf.candidates, shelf.above_head) == ((), 6)
    assert "there is no HEAD, but plan 6 was published before" in shelf.problems[0]


def test_a_head_that_falls_back_is_told_by_a_running_enactor() -> None:
    """Also where another plan was published at a generation that was used already."""
    table = Table(published(2), published(3))
    library = Library(table, None)
    assert library.look().problems == ()
    table.plans = {3: published(3, 99)}
    (problem,) = library.look().problems
    assert problem.startswith("HEAD is 3, but another plan 3 was published before")
    table.plans[4] = published(4)
    assert library.look().problems == ()


def test_a_head_lost_in_the_table_is_taken_from_disk_and_told(disk: PlanDisk) -> None:
    """In every look until somebody publishes, and not once a day."""
    disk.save(published(2))
    table = Table(published(1), published(2))
    table.damaged = {2}
    library = Library(table, disk)
    for _ in range(2):
        shelf = library.look()
        assert [found.stored.generation for found in shelf.candidates] == [2]
        assert (
            "plan 2, the newest, cannot be used: chunk 0 is gone, and the one kept on disk is used" in shelf.problems[0]
        )


def test_below_a_damaged_head_the_newest_sound_plan_is_read_although_older_ones_are_at_hand(disk: PlanDisk) -> None:
    """What is on disk is not the newest only because it is there."""
    disk.save(published(1))
    table = Table(published(1), published(2), published(3))
    table.damaged = {3}
    assert generations(Library(table, disk)) == [2, 1]


def test_what_is_wrong_on_disk_is_told_where_the_disk_is_needed(disk: PlanDisk, tmp_path: Path) -> None:
    """The table is away, or has no plan; while it has one nobody is told of a file."""
    disk.save(published(1))
    (file,) = (tmp_path / "state").glob("plan-*.json")
    file.write_text("torn")
    table = Table(published(2))
    table.down = True
    dark = Library(table, disk).look()
    assert (len(dark.problems), dark.candidates) == (2, ())
    assert file.name in dark.problems[1]
    (told,) = Library(Table(), disk).look().problems
    assert file.name in told
    table.down = False
    assert Library(table, disk).look().problems == ()


def test_without_the_table_all_that_is_on_disk_is_a_candidate(disk: PlanDisk) -> None:
    """Also what another process on this machine kept since."""
    table = Table()
    table.down = True
    library = Library(table, disk)
    assert generations(library) == []
    disk.save(published(2))
    assert generations(library) == [2]


def test_the_disk_is_read_once_while_the_table_answers(disk: PlanDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the first look that needs it."""
    loads: list[PlanDisk] = []
    load = PlanDisk.load

    def counted(self: PlanDisk) -> DiskReading:
        loads.append(self)
        return load(self)

    monkeypatch.setattr(PlanDisk, "load", counted)
    library = Library(Table(published(2)), disk)
    for _ in range(3):
        library.look()
    assert len(loads) == 1


def test_an_open_plan_older_than_the_newest_files_stays_on_disk(disk: PlanDisk) -> None:
    """Where HEAD is refused for long, the plan that heals is the old one."""
    table = Table(published(1))
    library = Library(table, disk)
    library.look()
    for generation in range(2, 9):
        table.plans[generation] = published(generation)
        library.look()
        library.trim([(1, published(1).digest)])
    assert 1 in [found.generation for found in disk.load().plans]


def test_a_content_is_found_in_the_oldest_plan_that_is_kept_and_asked_for_once() -> None:
    """However many came since: collect keeps it because the fence needs it."""
    count = OLDER_PLANS_MAX + 10
    table = Table(*(published(generation) for generation in range(1, count)))
    library = Library(table, None)
    library.look()
    assert library.content(ZONE, NAME, digest(simple(1))) is not None
    table.reads.clear()
    for _ in range(3):
        library.trim([])
        library.look()
        assert library.content(ZONE, NAME, digest(simple(1))) is not None
    assert table.reads == []


def test_what_cannot_be_read_is_asked_for_once_between_two_looks() -> None:
    """A damaged plan, a content that no plan has, an open plan that is gone: one call, not one for each endpoint."""
    table = Table(published(1), published(2), published(3))
    table.damaged = {1}
    library = Library(table, None)
    library.look()
    table.reads.clear()
    for number in range(50):
        library.kept_digests(ZONE, f"ep{number}.{ZONE_NAME}")
        library.content(ZONE, NAME, "f" * 12)
        library.open_plan(switch(9, "f" * 12))
    assert sorted(table.reads) == [1, 2, 9]
    assert table.lists == 1
    library.look()
    library.kept_digests(ZONE, NAME)
    assert sorted(table.reads) == [1, 1, 2, 9]


def test_a_table_that_goes_away_in_a_cycle_is_asked_once_more() -> None:
    """Every further call would wait for a time-out; the next look asks again."""
    table = Table(*(published(generation) for generation in range(1, 6)))
    library = Library(table, None)
    library.look()
    library.kept_digests(ZONE, OTHER)
    table.plans[3] = published(3, 99)
    library.look()
    table.lists = 0
    table.down = True
    table.reads.clear()
    for _ in range(20):
        library.kept_digests(ZONE, NAME)
        library.content(ZONE, NAME, "f" * 12)
    assert (table.lists, table.reads) == (1, [])


def test_older_plans_are_not_held_in_memory() -> None:
    """One look-up reads them all: the digests stay, and the one content that was asked for."""
    count = OLDER_PLANS_MAX
    table = Table(*(published(generation) for generation in range(1, count)))
    library = Library(table, None)
    library.look()
    assert len(library.kept_digests(ZONE, NAME)) == count - 1
    assert library.content(ZONE, NAME, digest(simple(3))) is not None
    contents = library._contents
    assert len(contents._whole) <= WHOLE_PLANS_MAX
    assert list(contents._asked) == [(ZONE, NAME, digest(simple(3)))]
    assert len(library._plans) <= REMEMBERED_PLANS_MAX
    library.trim([])
    assert contents._whole == {}
    library.trim([])
    assert contents._asked == contents._asked_before == {}


def test_a_plan_that_leaves_memory_is_not_read_again_for_its_digests() -> None:
    """Its digests are remembered on the way out; a plan that was collected is forgotten."""
    table = Table()
    library = Library(table, None)
    for generation in range(1, 8):
        table.plans[generation] = published(generation)
        library.look()
        library.trim([])
    table.reads.clear()
    assert len(library.kept_digests(ZONE, NAME)) == 7
    assert table.reads == []
    del table.plans[1]
    library.look()
    assert len(library.kept_digests(ZONE, NAME)) == 6


def test_an_older_plan_is_found_between_two_generations_and_held_while_it_is_between() -> None:
    """For a zone where every newer one is refused; a damaged one is passed over."""
    table = Table(*(published(generation) for generation in range(1, 8)))
    table.damaged = {6}
    library = Library(table, None)
    library.look()
    assert library.older(7, 6) is None
    found = library.older(7, 2)
    assert found is not None
    assert found.stored.generation == 5
    for generation in range(8, 14):
        table.plans[generation] = published(generation)
        library.look()
        library.trim([(2, published(2).digest)])
    assert 5 in generations(library)
    library.trim([(6, published(6).digest)])
    assert 5 not in generations(library)


def test_older_plans_in_memory_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planner that goes on publishing what is refused does not fill the memory."""
    monkeypatch.setattr(library_module, "FALLBACK_PLANS_MAX", 2)
    table = Table(*(published(generation) for generation in range(1, 8)))
    library = Library(table, None)
    library.look()
    found = [library.older(below, 1) for below in (7, 6, 5)]
    assert [one.stored.generation if one else None for one in found] == [6, 5, None]


def test_a_plan_of_another_digest_than_listed_is_not_taken() -> None:
    """Identity is generation and digest."""
    library = Library(Table(published(2)), None)
    library.look()
    assert library.open_plan(switch(2, "0" * 12)) is None


def test_a_plan_to_judge_against_is_found_at_or_below_a_generation() -> None:
    """In memory or in the table, the newest that can be read."""
    table = Table(*(published(generation) for generation in (3, 5, 7, 9)))
    table.damaged = {7}
    library = Library(table, None)
    library.look()
    found = library.at_or_below(8)
    assert found is not None
    assert found.stored.generation == 5
    newest = library.at_or_below(9)
    assert newest is not None
    assert newest.stored.generation == 9
    assert library.at_or_below(2) is None


def test_a_damaged_head_is_a_finding_of_the_guard_digest() -> None:
    """It is counted and alerted like any refusal, beside the sentence."""
    table = Table(published(6), published(7))
    table.damaged = {7}
    shelf = Library(table, None).look()
    assert shelf.damaged is not None
    assert shelf.damaged == Finding(
        guard="digest",
        observed=7,
        wanted=published(7).digest,
        message="plan 7, the newest, cannot be used: chunk 0 is gone; publish again to put a sound one above it",
    )
    assert shelf.problems == (shelf.damaged.message,)
    table.damaged, table.gone = set(), {7}
    (told,) = Library(table, None).look().problems
    assert told.startswith("plan 7, the newest, cannot be used: it is not in the table; ")
    table.gone = set()
    sound = Library(table, None).look()
    assert (sound.damaged, sound.problems, sound.above_head) == (None, (), 0)


def test_what_people_allow_for_a_plan_holds_while_it_lasts_and_the_table_answers() -> None:
    """By the Date of AWS's answer; without one nothing is lifted."""
    table = Table(published(6))
    table.allowed = [PlanAllow(guard="vanished", generation=6, until=LATER, reason="", by="ann")]
    library = Library(table, None)
    assert library.allowed(6, NOW) == {"vanished"}
    assert library.allowed(7, NOW) == library.allowed(6, LATER) == library.allowed(6, None) == frozenset()
    table.down = True
    assert library.allowed(6, NOW) == frozenset()


# ---- the mirror ----------------------------------------------------------------------------------------------------------


class Mirror:
    """A mirror that holds a plan, nothing, or a sentence, and counts how often it is read."""

    def __init__(self, holds: StoredPlan | str | None) -> None:
        self.holds = holds
        self.loads = 0

    def load(self) -> StoredPlan | str | None:
        self.loads += 1
        return self.holds


def test_while_the_table_has_its_newest_plan_the_mirror_is_not_read() -> None:
    """It costs a request."""
    mirror = Mirror(published(2))
    library = Library(Table(published(2)), None, mirror)
    assert library.look().problems == ()
    assert mirror.loads == 0


@pytest.mark.parametrize("loss", ["dark", "no HEAD", "damaged"])
def test_what_the_table_has_lost_is_read_from_the_mirror_once_a_look(loss: str, disk: PlanDisk) -> None:
    """It is a candidate like any other, and kept on disk; without HEAD it heals what is open, and is opened nowhere."""
    table = Table(published(2)) if loss == "damaged" else Table()
    table.down, table.damaged = loss == "dark", {2} if loss == "damaged" else set()
    mirror = Mirror(published(2))
    library = Library(table, disk, mirror)
    found = library.look().candidates
    assert [(one.stored, one.source) for one in found] == ([] if loss == "no HEAD" else [(published(2), "mirror")])
    assert library.open_plan(switch(*opened(published(2)))) is not None
    assert library.open_plan(switch(7, "f" * 12)) is None
    assert mirror.loads == 1
    assert disk.load().plans == (published(2),)
    library.look()
    assert mirror.loads == (1 if loss == "damaged" else 2), (
        "HEAD's plan is at hand by now, and for nothing else is it asked"
    )


def test_what_is_at_hand_already_is_not_taken_from_the_mirror() -> None:
    """It stays what it was."""
    table = Table(published(2))
    library = Library(table, None, Mirror(published(2)))
    library.look()
    table.down = True
    (found,) = library.look().candidates
    assert found.source == "table"


def test_a_mirror_that_says_why_is_told_and_an_empty_one_is_not() -> None:
    """Beside what is wrong with the table."""
    table = Table()
    table.down = True
    shelf = Library(table, None, Mirror("the mirror is damaged")).look()
    assert shelf.problems == ("reading failed at table plans: no answer; check the network", "the mirror is damaged")
    shelf = Library(table, None, Mirror(None)).look()
    assert (len(shelf.problems), shelf.candidates, shelf.reachable) == (1, (), False)


def test_an_open_plan_that_the_table_has_lost_is_looked_for_in_the_mirror() -> None:
    """Once between two looks, and only where some plan is open."""
    mirror = Mirror(published(1))
    table = Table()
    table.down = True
    assert Library(table, None, Mirror(published(1))).open_plan(switch(*opened(published(1)))), "also before any look"
    library = Library(Table(published(2)), None, mirror)
    library.look()
    assert library.open_plan(switch(0)) is None
    assert library.open_plan(switch(*opened(published(2)))) is not None
    assert mirror.loads == 0
    found = library.open_plan(switch(*opened(published(1))))
    assert found is not None
    assert (found.stored, found.source) == (published(1), "mirror")
    assert library.open_plan(switch(5, "f" * 12)) is None
    assert library.open_plan(switch(6, "f" * 12)) is None
    assert mirror.loads == 1
    library.look()
    assert library.open_plan(switch(5, "f" * 12)) is None
    assert mirror.loads == 2


# ---- what is kept, and for how long --------------------------------------------------------------------------------------


def test_of_two_damaged_plans_the_newest_sound_one_below_is_the_only_one_read() -> None:
    """The ones below it are not asked for, and the damaged newest is not asked for twice."""
    table = Table(*(published(generation) for generation in range(1, 6)))
    table.damaged = {5, 4}
    library = Library(table, None)
    assert generations(library) == [3]
    found = library.at_or_below(5)
    assert found is not None
    assert found.stored.generation == 3
    assert table.reads == [5, 4, 3]


def test_the_newest_plan_that_is_at_hand_from_disk_is_read_from_the_table_all_the_same(disk: PlanDisk) -> None:
    """Where that has it, it is the table's from then on; and it is not read again."""
    disk.save(published(2))
    table = Table(published(2))
    library = Library(table, disk)
    for _ in range(2):
        (found,) = library.look().candidates
        assert found.source == "table"
    assert table.reads == [2]


def test_of_two_plans_of_one_generation_only_heads_is_a_candidate(disk: PlanDisk) -> None:
    """The other is from before a restore: its content still heals."""
    for number in (3, 99, 4):
        disk.save(published(3, number))
    library = Library(Table(published(3, 99)), disk)
    shelf = library.look()
    assert [one.stored for one in shelf.candidates] == [published(3, 99)]
    assert shelf.above_head == 3
    assert library.content(ZONE, NAME, digest(simple(4))) is not None


def test_what_could_not_be_kept_on_disk_is_told_once_and_tried_again(tmp_path: Path) -> None:
    """One sentence, of the newest such plan; what is forgotten meanwhile is not tried any more."""
    place = tmp_path / "state"
    place.write_text("a file where the directory should be")
    table = Table(published(1), published(2))
    library = Library(table, PlanDisk(place, "edge"))
    library.look()
    table.plans[3] = published(3)
    library.look()
    (told,) = library.unkept
    assert told.startswith("plan 3 cannot be kept in ")
    place.unlink()
    library.trim([])
    assert library.unkept == ()
    assert sorted(found.generation for found in PlanDisk(place, "edge").load().plans) == [2, 3]


def test_a_plan_that_is_forgotten_is_no_trouble_of_the_disk_any_more(tmp_path: Path) -> None:
    """Nobody waits for it."""
    place = tmp_path / "state"
    place.write_text("a file where the directory should be")
    table = Table(published(1))
    library = Library(table, PlanDisk(place, "edge"))
    for generation in range(1, 3 + REMEMBERED_PLANS_MAX):
        table.plans[generation] = published(generation)
        library.look()
    library.trim([])
    assert sorted(generation for generation, _ in library._unkept) == list(range(3, 3 + REMEMBERED_PLANS_MAX))


def test_plans_that_were_looked_for_are_held_while_what_is_open_is_at_or_below_them() -> None:
    """At the lowest open generation too; and where nothing is open, all of them."""
    table = Table(*(published(generation) for generation in range(1, 4)))
    library = Library(table, None)
    library.look()
    assert library.older(3, 1) is not None
    for generation in range(4, 10):
        table.plans[generation] = published(generation)
        library.look()
    library.trim([])
    assert 2 in generations(library)
    library.trim([(2, "another plan of that number")])
    assert 2 in generations(library)
    library.trim([(3, published(3).digest), (7, published(7).digest)])
    assert 2 not in generations(library)


def test_between_neighbours_there_is_no_older_plan_and_nobody_is_asked() -> None:
    """Nor is a border itself between."""
    table = Table(published(1), published(2), published(3))
    library = Library(table, None)
    library.look()
    assert library.older(3, 2) is None
    assert library.older(1, 0) is None
    assert table.lists == 0
    table.damaged = {2}
    assert library.older(3, 1) is None
    found = library.older(2, 0)
    assert found is not None
    assert found.stored.generation == 1


def test_the_nearest_plan_at_or_below_is_the_one_at_hand_where_nothing_lies_between() -> None:
    """The highest of those at hand; the table is asked only for what lies between."""
    table = Table(published(2))
    library = Library(table, None)
    library.look()
    table.plans[4] = published(4)
    library.look()
    table.reads.clear()
    assert [found.stored.generation for one in (2, 4) if (found := library.at_or_below(one))] == [2, 4]
    assert table.lists == 0, "nothing can lie between"
    for generation, nearest in ((2, 2), (3, 2), (4, 4), (9, 4)):
        found = library.at_or_below(generation)
        assert found is not None
        assert found.stored.generation == nearest
    assert table.reads == []
    table.down = True
    library.look()
    for generation in (4, 9):
        found = library.at_or_below(generation)
        assert found is not None
        assert found.stored.generation == 4


def test_a_content_that_two_plans_have_is_one() -> None:
    """Its digest is, too."""
    table = Table(published(1), published(2, 1))
    library = Library(table, None)
    shelf = library.look()
    assert library.content(ZONE, NAME, digest(simple(1))) == shelf.candidates[0].contents[ZONE, NAME]
    assert library.kept_digests(ZONE, NAME) == {digest(simple(1))}
    assert library.kept_digests(ZONE, OTHER) == frozenset()

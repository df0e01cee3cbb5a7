"""The next plan on exactly what stands in the table: which plans it is held against, and what is done where somebody was faster."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from enactor.guards import LimitsTable
from enactor.plan import StoredPlan
from enactor.ports import Conflict, DamagedPlan, Draft, PlanAllow, PlanEntry, PlanHead
from enactor.table_keys import CHUNKS
from planner.deliberation import PastReader, Thought, publish_seen, publish_thought, think
from planner.looking import Seen
from planner.past import Past
from planner.publisher import TRIES_MAX, Published, Signature, read_parent
from planner.publishing import Mismatch, Store, Unchanged, Wish
from planner.streaks import History, Key, Streak
from tests.planner.planner_world import LOOSE, NAME, START, Chance, Planning, fleet, offers, signals

LIMIT_OF_TRIES = 10


class Waits(Chance):
    """Certain chance that keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[float, float]] = []

    def uniform(self, low: float, high: float) -> float:
        self.asked.append((low, high))
        return high


class Desk:
    """A planner's look, its table, and who publishes besides."""

    def __init__(self, count: int = 3, **changes: Any) -> None:
        self.made = Planning(fleet(**changes))
        self.chance = Waits()
        self.offer(count)

    def offer(self, count: int, *, capacity: int = 100, bad: tuple[int, ...] = ()) -> None:
        self.made.source("albs").offers = offers(count, capacity=capacity)
        self.made.source("checks").signals = signals(good=range(1, count + 1)) | signals(bad=bad)

    def seen(self) -> Seen:
        return self.made.lookout().look(self.made.read(), lambda: None)

    def signature(self) -> Signature:
        return Signature("p1", "because", self.made.clock.wall().isoformat())

    def think(self, history: History | None = None, *, is_one_look: bool = False) -> Thought:
        table = self.made.table
        return think(
            table, PastReader(table), self.seen(), history or {}, self.made.clock.wall(), is_one_look=is_one_look
        )

    def store(self, thought: Thought, wish: Wish | None = None, limits: LimitsTable = LOOSE) -> Published | None:
        return publish_thought(
            self.made.table,
            thought,
            wish or Wish(),
            limits,
            signature=self.signature(),
            clock=self.made.clock,
            chance=self.chance,
        )

    def publish(self, wish: Wish | None = None, limits: LimitsTable = LOOSE) -> tuple[Published, Thought]:
        return publish_seen(
            self.made.table,
            self.seen(),
            wish or Wish(),
            limits,
            signature=self.signature(),
            clock=self.made.clock,
            chance=self.chance,
        )

    def publish_others(self, *capacities: int, after: float = 0.0) -> None:
        """Have somebody else publish plans, which differ in a capacity."""
        for capacity in capacities:
            self.made.clock.seconds += after
            self.offer(3, capacity=capacity)
            assert isinstance(self.publish()[0].decision, Store)

    def past(self, reader: PastReader | None = None) -> Past:
        now = self.made.clock.wall()
        parent, _ = read_parent(self.made.table, now)
        return (reader or PastReader(self.made.table)).read(parent, now, self.seen())

    def damage(self, *generations: int) -> None:
        """Take the chunks of plans away."""
        uploads = [one.upload for one in self.made.table.list() if one.generation in generations]
        line = self.made.line
        line.items = {
            sk: item
            for sk, item in line.items.items()
            if not any(sk.startswith(f"{CHUNKS}{upload}#") for upload in uploads)
        }


def generations(past: Past) -> list[int]:
    return [one.generation for one in past.plans]


def weights(published: Published) -> dict[str, int | None]:
    (endpoint,) = published.plan.endpoints
    return {target.id: target.weight for target in endpoint.targets}


# ---- the plans that the next one is held against -------------------------------------------------------------------------


def test_an_empty_table_is_a_whole_past_of_nothing() -> None:
    """Nothing stood, and nothing is missing."""
    assert Desk().past() == Past(plans=(), is_whole=True)


def test_the_plans_of_the_longest_window_are_read_with_their_instants() -> None:
    """Ten minutes are the brake's window: the plan that stood when it began, and all since."""
    desk = Desk()
    desk.publish_others(10, 20, 40, 60, after=250)
    found = desk.past()
    assert (generations(found), found.is_whole) == ([4, 3, 2, 1], True)
    assert [one.at for one in found.plans] == [START + timedelta(seconds=at) for at in (1000, 750, 500, 250)]
    desk.made.clock.seconds += 350
    assert generations(desk.past()) == [4, 3], "the third stood when ten minutes ago began"
    table = desk.made.table
    for one in found.plans:
        stored = table.read(one.generation)
        assert isinstance(stored, StoredPlan)
        assert one.plan == stored.plan


def test_a_plan_of_the_window_that_cannot_be_read_is_missed() -> None:
    """The rest is there, and is not the whole."""
    desk = Desk()
    desk.publish_others(10, 20, 40)
    desk.damage(2)
    found = desk.past()
    assert (generations(found), found.is_whole) == ([3, 1], False)


def test_where_the_newest_cannot_be_read_the_one_below_stands_for_it() -> None:
    """Since it stood, and not whole."""
    desk = Desk()
    desk.publish_others(10, 20, 40, after=100)
    desk.damage(3)
    found = desk.past()
    assert (generations(found), found.is_whole) == ([2, 1], False)
    assert found.plans[0].at == START + timedelta(seconds=200)


def test_where_the_newest_readable_plan_is_older_than_the_window_it_stands_first_all_the_same() -> None:
    """Every plan of the window is damaged: what weights stand is known from the one before, since now for all that is known."""
    desk = Desk()
    desk.publish_others(10, 20, 40, 60, after=1000)
    desk.made.clock.seconds += 100
    desk.damage(3, 4)
    found = desk.past()
    assert (generations(found), found.is_whole) == ([2], False)
    assert found.plans[0].at == desk.made.clock.wall()
    stood = desk.made.table.read(2)
    assert isinstance(stood, StoredPlan)
    assert found.plans[0].plan == stood.plan


def test_a_newest_plan_that_can_be_read_again_meanwhile_is_not_what_was_judged_against() -> None:
    """The parent was read without it: the plan below stands first, once, and the past is not whole."""
    desk = Desk()
    desk.publish_others(10, 20, 40)
    items = desk.made.line.items
    desk.damage(3)
    now = desk.made.clock.wall()
    parent, _ = read_parent(desk.made.table, now)
    desk.made.line.items = items
    found = PastReader(desk.made.table).read(parent, now, desk.seen())
    assert (generations(found), found.is_whole) == ([2, 1], False)


def test_no_plan_that_can_be_read_is_no_past_and_not_whole() -> None:
    """Signals take nothing then."""
    desk = Desk()
    desk.publish_others(10)
    desk.damage(1)
    assert desk.past() == Past(plans=(), is_whole=False)


def test_a_plan_above_head_is_none() -> None:
    """HEAD was moved back by hand: what is above it was never the newest."""
    desk = Desk()
    desk.publish_others(10, 20)
    now = desk.made.clock.wall()
    parent, _ = read_parent(desk.made.table, now)
    desk.publish_others(40)
    found = PastReader(desk.made.table).read(parent, now, desk.seen())
    assert (generations(found), found.is_whole) == ([2, 1], True)


def test_a_body_of_another_digest_than_listed_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Identity is generation and digest."""
    desk = Desk()
    desk.publish_others(10, 20)
    read = desk.made.table.read

    def other(generation: int) -> StoredPlan | DamagedPlan | None:
        found = read(generation)
        if generation == 1 and isinstance(found, StoredPlan):
            return msgspec.structs.replace(found, digest="0" * 64)
        return found

    monkeypatch.setattr(desk.made.table, "read", other)
    found = desk.past()
    assert (generations(found), found.is_whole) == ([2], False)


def test_each_body_is_read_once_from_look_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is in the window; the newest is known from whoever asked what it stands on."""
    desk = Desk()
    desk.publish_others(10, 20, 40)
    reader, read, asked = PastReader(desk.made.table), desk.made.table.read, list[int]()

    def counted(generation: int) -> StoredPlan | DamagedPlan | None:
        asked.append(generation)
        return read(generation)

    now = desk.made.clock.wall()
    parent, _ = read_parent(desk.made.table, now)
    seen = desk.seen()
    monkeypatch.setattr(desk.made.table, "read", counted)
    first = reader.read(parent, now, seen)
    assert sorted(asked) == [1, 2]
    assert reader.read(parent, now, seen) == first
    assert sorted(asked) == [1, 2]


# ---- thinking and publishing ---------------------------------------------------------------------------------------------


def test_a_thought_is_made_on_what_stands_now() -> None:
    """With the notes of what could not be read, and with what this look says."""
    desk = Desk()
    desk.publish_others(10, 20)
    desk.damage(2)
    thought = desk.think()
    assert thought.parent.head is not None
    assert thought.parent.head.generation == 2
    assert thought.notes == ("generation 2, the newest, cannot be read; the guards judge against generation 1",)
    assert [one.id for one in thought.planned.plan.endpoints[0].targets] == ["lb-1", "lb-2", "lb-3"]


def test_what_people_allowed_holds_while_it_lasts() -> None:
    """By the planner's own clock, as it signs the plan with."""
    desk = Desk()
    allow = PlanAllow(guard="vanished", generation=1, until=START + timedelta(hours=1), reason="meant", by="ann")
    desk.made.table.allow(allow)
    assert desk.think().parent.allowed == {"vanished"}
    desk.made.clock.seconds += 3600
    assert desk.think().parent.allowed == frozenset()


def test_one_good_look_brings_a_new_target_in_where_only_one_look_is_made() -> None:
    """A command cannot count to `rise`; a planner that goes on does."""
    desk = Desk()
    desk.publish()
    desk.offer(4)
    counted = desk.think()
    assert len(counted.planned.plan.endpoints[0].targets) == 3
    assert len(desk.think(is_one_look=True).planned.plan.endpoints[0].targets) == 4
    for _ in range(2):
        counted = desk.think(counted.planned.history)
    assert len(counted.planned.plan.endpoints[0].targets) == 4


def test_a_look_that_is_told_again_does_not_count() -> None:
    """What the look says of its sources goes into the plan: one bad look told three times takes nothing out."""
    desk = Desk(10)
    desk.publish()
    desk.offer(10, bad=(4,))
    for again, count in ((frozenset({"checks"}), 10), (frozenset[str](), 9)):
        seen, history = msgspec.structs.replace(desk.seen(), told_again=again), dict[Key, Streak]()
        thought = desk.think()
        for _ in range(3):
            thought = think(desk.made.table, PastReader(desk.made.table), seen, history, desk.made.clock.wall())
            history = dict(thought.planned.history)
        assert len(thought.planned.plan.endpoints[0].targets) == count


def test_a_thought_is_stored_with_its_signature() -> None:
    """Generation 1 of an empty table, then what differs."""
    desk = Desk()
    published = desk.store(desk.think())
    assert published is not None
    assert isinstance(published.decision, Store)
    (entry,) = desk.made.table.list()
    assert (entry.generation, entry.planner, entry.reason) == (1, "p1", "because")
    assert entry.created_at == START.isoformat()
    again = desk.store(desk.think())
    assert again is not None
    assert isinstance(again.decision, Unchanged)


def test_a_thought_that_was_overtaken_is_not_stored() -> None:
    """Neither on an empty table nor on any other."""
    for count in (0, 2):
        desk = Desk()
        desk.publish_others(*range(10, 10 + count))
        desk.offer(3, capacity=50)
        thought = desk.think()
        desk.publish_others(70)
        desk.offer(3, capacity=50)
        assert desk.store(thought) is None
        assert desk.made.generation() == count + 1


def test_a_parent_that_a_person_named_is_held_to_their_word() -> None:
    """Where it is another one than stands, that is told, and is no race to be run again."""
    desk = Desk()
    desk.publish_others(10, 20)
    desk.offer(3, capacity=50)
    found = desk.store(desk.think(), Wish(expect_parent=1))
    assert found is not None
    assert isinstance(found.decision, Mismatch)
    assert desk.made.generation() == 2
    found = desk.store(desk.think(), Wish(expect_parent=2))
    assert found is not None
    assert isinstance(found.decision, Store)


def test_the_wish_and_the_limits_reach_the_guards() -> None:
    """Of three that drain at once without a ramp."""
    desk = Desk(pace={"ramp_down": "0s"})
    desk.publish()
    desk.made.source("albs").offers = (*offers(2, drain=True), *offers(1, first=3))
    thought = desk.think()
    refused = desk.store(thought, limits=LimitsTable())
    assert refused is not None
    assert not isinstance(refused.decision, Store)
    stored = desk.store(desk.think(), Wish(unguarded=True), LimitsTable())
    assert stored is not None
    assert isinstance(stored.decision, Store)


def test_what_one_look_saw_is_published() -> None:
    """With the plan that it became, made by AWS's instant of the signature."""
    desk = Desk()
    desk.publish()
    desk.made.clock.seconds += 600
    desk.offer(4)
    published, thought = desk.publish()
    assert isinstance(published.decision, Store)
    assert weights(published) == {f"lb-{n}": 100 for n in range(1, 5)}
    assert published.plan == thought.planned.plan
    assert thought.parent.base_generation == 1
    assert desk.chance.asked == []


def test_one_look_that_draws_in_steps_knows_how_long_the_newest_stood() -> None:
    """A weight that warms up for ten minutes goes a tenth of the way in one gathering."""
    desk = Desk(pace={"gather": "60s", "warm_up": "10m"})
    desk.publish()
    desk.made.clock.seconds += 3600
    desk.offer(4)
    assert weights(desk.publish()[0])["lb-4"] == 10


class Rivals:
    """Somebody publishes directly before each of so many of this planner's writes."""

    def __init__(self, desk: Desk, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = count
        self._rival = Desk()
        self._rival.made.table = desk.made.table
        self._rival.made.clock = desk.made.clock
        self._publish = desk.made.table.publish
        self._is_rival = False
        self._number = 10
        monkeypatch.setattr(desk.made.table, "publish", self)

    def __call__(self, draft: Draft, *, parent: PlanHead | None, source: int | None = None) -> PlanEntry:
        if self.left and not self._is_rival:
            self.left -= 1
            self._is_rival = True
            self._number += 1
            self._rival.publish_others(self._number)
            self._is_rival = False
        return self._publish(draft, parent=parent, source=source)


def test_one_look_thinks_again_as_often_as_others_are_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    """On what they published, after growing waits."""
    desk = Desk()
    desk.publish()
    desk.offer(3, capacity=50)
    Rivals(desk, 3, monkeypatch)
    published, thought = desk.publish()
    assert isinstance(published.decision, Store)
    assert thought.parent.base_generation == 4
    assert desk.made.generation() == 5
    while_publishing, between_thoughts = desk.chance.asked[::2], desk.chance.asked[1::2]
    assert while_publishing == [(0.0, 0.1)] * 3
    assert between_thoughts == [(0.0, 0.1), (0.0, 0.2), (0.0, 0.4)]
    assert desk.made.clock.seconds == pytest.approx(1.0)


def test_one_look_gives_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a sentence, and nothing of it is stored."""
    desk = Desk()
    desk.publish()
    desk.offer(3, capacity=50)
    rivals = Rivals(desk, 1000, monkeypatch)
    with pytest.raises(Conflict, match=r"^10 tries to publish were each overtaken by another planner; try again$"):
        desk.publish()
    assert 1000 - rivals.left == TRIES_MAX == LIMIT_OF_TRIES
    assert len(desk.chance.asked) == LIMIT_OF_TRIES + LIMIT_OF_TRIES - 1


def test_one_look_holds_a_person_to_the_parent_that_they_named() -> None:
    """And to the limits and the wish that they gave."""
    desk = Desk()
    desk.publish_others(10)
    desk.offer(3, capacity=50)
    assert isinstance(desk.publish(Wish(expect_parent=7))[0].decision, Mismatch)
    desk.made.source("albs").offers = offers(1)
    refused, _ = desk.publish(limits=LimitsTable())
    assert not isinstance(refused.decision, Store)
    assert isinstance(desk.publish(Wish(unguarded=True), LimitsTable())[0].decision, Store)
    assert list(desk.made.weights(NAME)) == ["lb-1"]

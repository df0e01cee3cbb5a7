"""What every plan store promises, in the words of its ports: this suite knows nothing of DynamoDB.

A store comes from the fixture `store`, a second process's view of the same data from `other`; a model of the store in memory
can stand in for both.
"""

from typing import Any

import pytest

from enactor.plan import StoredPlan, digest_of
from enactor.ports import Announcement, Conflict, DamagedPlan, PlanEntry, PlanHead
from enactor.table import PlanTable

from .world import World, draft, plan_of

pytestmark = pytest.mark.xdist_group("table_contract")
WIRE = True

ONE = "192.0.2.1"
TWO = "192.0.2.2"
NOW = "2026-11-30T00:00:00Z"


@pytest.fixture
def other(world: World) -> PlanTable:
    return world.store()


def published(store: PlanTable, *values: str, **more: Any) -> PlanEntry:
    return store.publish(draft(*values, **more), parent=store.head())


def test_an_empty_store_has_nothing(store: PlanTable) -> None:
    """A fleet that never published has no HEAD, no FLOOR and no plans."""
    assert store.head() is None
    assert store.floor() == 0
    assert list(store.list()) == []
    assert store.read(1) is None
    assert list(store.uploads()) == []
    assert store.pins() == frozenset()


def test_a_published_plan_reads_back(store: PlanTable, other: PlanTable) -> None:
    """What one process published another reads, the same to the octet, with HEAD on it."""
    entry = published(store, ONE, TWO)
    assert other.head() == PlanHead(1, entry.digest)
    found = other.read(1)
    assert isinstance(found, StoredPlan)
    assert found.plan == plan_of(ONE, TWO)
    assert (found.generation, found.parent, found.digest) == (1, 0, digest_of(found.body))
    assert (found.planner, found.reason) == ("planner-1", "a test")
    assert list(other.list()) == [entry]
    assert (entry.zones, entry.endpoints) == (("Z0EXAMPLE",), 2)


def test_generations_follow_each_other(store: PlanTable) -> None:
    """Each plan is the next generation, its parent the one before, the list newest first, and no upload is left."""
    for value in (ONE, TWO, ONE):
        published(store, value)
    assert [(entry.generation, entry.parent) for entry in store.list()] == [(3, 2), (2, 1), (1, 0)]
    assert list(store.uploads()) == []


def test_of_two_planners_on_one_parent_one_wins(store: PlanTable, other: PlanTable) -> None:
    """Case 13: the second planner is refused, stores nothing, and can plan again on what the first one did."""
    parent = store.head()
    store.publish(draft(ONE), parent=parent)
    with pytest.raises(Conflict, match="plan again"):
        other.publish(draft("", TWO), parent=parent)
    assert len(store.list()) == 1
    assert other.publish(draft(ONE, TWO), parent=other.head()).generation == 2


def test_a_parent_is_generation_and_digest(store: PlanTable) -> None:
    """The right generation with another digest is another plan: not the parent."""
    published(store, ONE)
    with pytest.raises(Conflict):
        store.publish(draft(TWO), parent=PlanHead(1, "0" * 64))


def test_the_next_generation_is_above_floor(store: PlanTable) -> None:
    """A zone that was met at generation 40 makes the next plan 41, though HEAD is 1: a restored table does not wedge."""
    published(store, ONE)
    store.raise_floor(40)
    assert published(store, TWO).generation == 41
    assert store.head() == PlanHead(41, digest_of(draft(TWO).body))


def test_floor_only_grows(store: PlanTable, other: PlanTable) -> None:
    """A lower generation met later leaves FLOOR where it is."""
    store.raise_floor(7)
    other.raise_floor(3)
    other.raise_floor(7)
    assert store.floor() == 7


def test_a_pin_comes_and_goes(store: PlanTable) -> None:
    """Pinning twice and unpinning twice are both fine."""
    published(store, ONE)
    for _ in range(2):
        store.pin(1, reason="keep it", by="ann", created_at=NOW)
    assert store.pins() == {1}
    for _ in range(2):
        store.unpin(1)
    assert store.pins() == frozenset()


def test_only_a_kept_plan_can_be_pinned(store: PlanTable, other: PlanTable) -> None:
    """A pin on a plan that is condemned, or not there, would promise what nobody keeps."""
    entry = published(store, ONE)
    published(store, TWO)
    assert other.condemn(entry, "token-1") == "condemned"
    for generation, why in ((1, "condemned"), (9, "not in the table")):
        with pytest.raises(Conflict, match=why):
            store.pin(generation, reason="keep it", by="ann", created_at=NOW)
    assert store.pins() == frozenset()


def test_head_and_pinned_plans_cannot_be_condemned(store: PlanTable) -> None:
    """HEAD and a pin refuse a collector, whatever it decided before."""
    old, head = published(store, ONE), published(store, TWO)
    store.pin(1, reason="keep it", by="ann", created_at=NOW)
    assert store.condemn(head, "token-1") == "head"
    assert store.condemn(old, "token-1") == "pinned"
    assert [entry.condemned for entry in store.list()] == [None, None]


def test_a_condemned_plan_is_not_kept(store: PlanTable, other: PlanTable) -> None:
    """Nobody is handed a condemned plan to work with; put back it is as it was."""
    old = published(store, ONE)
    published(store, TWO)
    store.condemn(old, "token-1")
    found = other.read(1)
    assert isinstance(found, DamagedPlan)
    assert "condemned" in found.why
    assert other.list()[1].condemned == "token-1"
    assert isinstance(other.body(old), bytes)
    assert store.put_back(old, "token-1")
    assert isinstance(other.read(1), StoredPlan)


def test_a_condemned_plan_cannot_be_the_source_of_a_republish(store: PlanTable, other: PlanTable) -> None:
    """A rollback to a plan that is being collected is refused; to one that is gone too."""
    old = published(store, ONE)
    published(store, TWO)
    other.condemn(old, "token-1")
    with pytest.raises(Conflict, match="condemned"):
        store.publish(draft(ONE), parent=store.head(), source=1)
    other.delete(old, "token-1")
    with pytest.raises(Conflict, match="not in the table"):
        store.publish(draft(ONE), parent=store.head(), source=1)
    assert store.publish(draft(TWO), parent=store.head(), source=2).generation == 3


def test_a_condemnation_can_be_taken_over(store: PlanTable, other: PlanTable) -> None:
    """Whoever's token stands goes on: the one before can neither delete nor put back."""
    old = published(store, ONE)
    published(store, TWO)
    assert store.condemn(old, "token-1") == "condemned"
    assert other.condemn(old, "token-2") == "changed"
    seen = other.list()[1]
    assert other.condemn(seen, "token-2") == "condemned"
    assert not store.delete(old, "token-1")
    assert not store.put_back(old, "token-1")
    assert other.list()[1].condemned == "token-2"
    assert other.delete(seen, "token-2")
    assert [entry.generation for entry in store.list()] == [2]


def test_only_a_condemnation_as_seen_is_taken_over(store: PlanTable, other: PlanTable) -> None:
    """What was listed as condemned and was put back, or taken over by a third, meanwhile is decided on anew."""
    old = published(store, ONE)
    published(store, TWO)
    store.condemn(old, "token-1")
    seen = other.list()[1]
    store.put_back(old, "token-1")
    assert other.condemn(seen, "token-2") == "changed"
    store.condemn(old, "token-3")
    assert other.condemn(seen, "token-2") == "changed"
    assert store.list()[1].condemned == "token-3"


def test_a_plan_that_was_put_back_is_not_deleted(store: PlanTable, other: PlanTable) -> None:
    """The delete is conditional on the condemnation: a plan that was put back meanwhile stays, whole."""
    old = published(store, ONE)
    published(store, TWO)
    store.condemn(old, "token-1")
    assert other.put_back(old, "token-1")
    assert not store.delete(old, "token-1")
    assert isinstance(store.read(1), StoredPlan)


def test_deleting_what_is_gone_is_done(store: PlanTable, other: PlanTable) -> None:
    """Case 41: a second delete reads that the plan is absent, and calls it done."""
    old = published(store, ONE)
    published(store, TWO)
    store.condemn(old, "token-1")
    assert store.delete(old, "token-1")
    assert store.delete(old, "token-1")
    assert other.read(1) is None
    assert list(other.uploads()) == []
    assert store.condemn(old, "token-2") == "changed"


def test_announcements_are_read_back(store: PlanTable, other: PlanTable) -> None:
    """Each process of an enactor says its own word, and the later one replaces the earlier."""
    store.announce(Announcement("use1-az1", "aa", 4, "2026-11-30T00:00:00Z"))
    store.announce(Announcement("use1-az1", "aa", 5, "2026-11-30T00:00:10Z"))
    other.announce(Announcement("use1-az2", "bb", 5, "2026-11-30T00:00:05Z"))
    assert [(said.id, said.generation) for said in other.announcements()] == [("use1-az1", 5), ("use1-az2", 5)]


def test_fleets_share_a_table_and_nothing_else(world: World, store: PlanTable) -> None:
    """Two fleets number their plans apart, and none sees the other's."""
    published(store, ONE)
    west = world.store("west")
    assert west.head() is None
    west.publish(draft(TWO, fleet="west"), parent=None)
    assert [entry.generation for entry in west.list()] == [1]
    assert store.head() != west.head()

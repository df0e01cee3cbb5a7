"""Reading believes nothing: a body that is not exactly what its manifest says is a DamagedPlan with the reason, never a plan."""

import zlib
from collections.abc import Callable
from typing import Any

import pytest

from enactor import table_publishing, table_reading
from enactor.plan import StoredPlan, digest_of
from enactor.ports import Announcement, DamagedPlan, Draft, OutsideError, PlanEntry, Unavailable
from enactor.table import PlanTable
from enactor.table_keys import chunk_key

from .world import THEN, World, draft

pytestmark = pytest.mark.xdist_group("table_reading")

ONE = "192.0.2.1"
TWO = "192.0.2.2"


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_publishing, "CHUNK_OCTETS", 60)


@pytest.fixture
def entry(small_chunks: None, store: PlanTable) -> PlanEntry:
    """Return a plan of several chunks."""
    return store.publish(draft(ONE, TWO), parent=None)


def why(store: PlanTable, generation: int = 1) -> str:
    """Return what is wrong with a plan."""
    found = store.read(generation)
    assert isinstance(found, DamagedPlan)
    assert found.generation == generation
    return found.why


def chunks(world: World, entry: PlanEntry) -> list[str]:
    """Return the sort keys of a plan's chunks."""
    return [key for key in world.sort_keys() if key.startswith(f"chunk#{entry.upload}#")]


def resealed(world: World, **changed: dict[str, Any]) -> None:
    """Change attributes of the first plan's manifest by hand."""
    world.put(world.item("plan#000000000001") | changed)


def raw_draft(body: bytes) -> Draft:
    """Return a draft of any octets."""
    return Draft(body=body, zones=(), endpoints=0, planner="p", reason="", created_at=THEN)


@pytest.mark.parametrize("which", [0, 1, -1], ids=["first", "second", "last"])
def test_a_missing_chunk_is_damage(world: World, store: PlanTable, entry: PlanEntry, which: int) -> None:
    """Wherever the gap is, it is seen and its place named."""
    keys = chunks(world, entry)
    assert len(keys) > 2
    world.remove(keys[which])
    assert why(store) == f"chunk {which % len(keys)} of {len(keys)} is missing"


def test_an_altered_chunk_is_damage(world: World, store: PlanTable, entry: PlanEntry) -> None:
    """One octet changed is seen, and the chunk named."""
    item = world.item(chunk_key(entry.upload, 1))
    data = item["data"]["B"]
    world.put(item | {"data": {"B": data[:-1] + bytes([data[-1] ^ 1])}})
    assert why(store).startswith("chunk 1 of")


@pytest.mark.parametrize("with_places", [False, True], ids=["data alone", "places too"])
def test_swapped_chunks_are_damage(world: World, store: PlanTable, entry: PlanEntry, with_places: bool) -> None:
    """Two chunks in each other's place are seen, whether or not they say where they belong."""
    zero, one = (world.item(chunk_key(entry.upload, index)) for index in (0, 1))
    names = ("data", "index") if with_places else ("data",)
    world.put(zero | {name: one[name] for name in names})
    world.put(one | {name: zero[name] for name in names})
    assert "chunk 0" in why(store)


def test_a_chunk_replayed_from_another_upload_is_damage(world: World, store: PlanTable, entry: PlanEntry) -> None:
    """A chunk of another plan under this plan's key is seen by its place, and by its digest where that was forged too."""
    other = store.publish(draft(TWO, ONE), parent=store.head())
    foreign = world.item(chunk_key(other.upload, 1))
    place = {"sk": {"S": chunk_key(entry.upload, 1)}}
    world.put(foreign | place)
    assert f"of upload {other.upload}" in why(store)
    world.put(foreign | place | {"upload": {"S": entry.upload}})
    assert "chunk 1" in why(store)


def test_a_chunk_too_many_is_damage(world: World, store: PlanTable, entry: PlanEntry) -> None:
    """A chunk behind the last one does not belong to the plan."""
    keys = chunks(world, entry)
    extra = {"sk": {"S": chunk_key(entry.upload, len(keys))}, "index": {"N": str(len(keys))}}
    world.put(world.item(keys[-1]) | extra)
    assert "more chunks" in why(store)


def test_a_garbled_chunk_is_damage(world: World, store: PlanTable, entry: PlanEntry) -> None:
    """A chunk that holds no octets at all is named."""
    world.put(world.item(chunk_key(entry.upload, 0)) | {"data": {"N": "1"}})
    assert why(store).startswith("chunk 0 is not readable")


def test_the_whole_has_its_digest_or_it_is_damage(world: World, store: PlanTable, entry: PlanEntry) -> None:
    """Chunks that agree with their manifest, and a body that does not: only the sha256 of the whole tells."""
    other = store.publish(draft(TWO, ONE), parent=store.head())
    names = ("upload", "chunks", "octets")
    resealed(world, **{name: world.item("plan#000000000002")[name] for name in names})
    assert other.digest != entry.digest
    assert why(store) == "its body does not have the digest of its manifest"


def test_without_the_digest_another_plan_is_handed_out(
    world: World, store: PlanTable, entry: PlanEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tooth of the digest: without it the same table gives generation 1 with the content of generation 2."""
    store.publish(draft(TWO, ONE), parent=store.head())
    resealed(world, **{name: world.item("plan#000000000002")[name] for name in ("upload", "chunks", "octets")})
    monkeypatch.setattr(table_reading, "digest_of", lambda _: entry.digest)
    found = store.read(1)
    assert isinstance(found, StoredPlan)
    assert found.body == draft(TWO, ONE).body


def test_a_manifest_of_another_generation_is_damage(world: World, store: PlanTable, entry: PlanEntry) -> None:
    """A manifest copied under another key does not make a generation; it is not listed either."""
    world.put(world.item("plan#000000000001") | {"sk": {"S": "plan#000000000009"}})
    assert why(store, 9) == "its manifest says generation 1"
    assert [listed.generation for listed in store.list()] == [1]
    assert isinstance(store.read(1), StoredPlan)
    assert entry.generation == 1


@pytest.mark.parametrize(
    "changed",
    [{"digest": {"S": "abc"}}, {"octets": {"N": "-1"}}, {"chunks": {"S": "none"}}, {"generation": {"S": "1"}}],
    ids=lambda changed: next(iter(changed)),
)
def test_a_garbled_manifest_is_damage(
    world: World, store: PlanTable, entry: PlanEntry, changed: dict[str, Any]
) -> None:
    """An attribute of the wrong form is named; the other plans are still listed."""
    store.publish(draft(ONE), parent=store.head())
    resealed(world, **changed)
    assert why(store).startswith("its manifest is not readable")
    assert [listed.generation for listed in store.list()] == [2]
    assert entry.generation == 1


@pytest.mark.usefixtures("entry")
def test_a_body_larger_than_its_manifest_says_is_not_unpacked(world: World, store: PlanTable) -> None:
    """A bomb stops at the size that the manifest promised, and a manifest that promises too much is refused unread."""
    resealed(world, octets={"N": "10"})
    assert "unpack to more than the 10 octets" in why(store)
    resealed(world, octets={"N": str(table_reading.BODY_LIMIT_OCTETS + 1)})
    assert "over the limit" in why(store)


def test_octets_that_are_not_compressed_are_damage(store: PlanTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not unpack is named, and raises nothing."""
    monkeypatch.setattr(zlib, "compress", lambda body, _: body)
    store.publish(draft(ONE), parent=None)
    assert why(store).startswith("its chunks do not unpack")


@pytest.mark.parametrize(
    ("body", "reason"),
    [(b"no json", "cannot read its form"), (b'{"format":2,"fleet":"edge","endpoints":[]}', "cannot read its form")],
    ids=["no json", "format 2"],
)
def test_a_form_of_another_version_is_damage_here(store: PlanTable, body: bytes, reason: str) -> None:
    """The digest is right and the form unknown: no plan for this version, and its body is there for another."""
    entry = store.publish(raw_draft(body), parent=None)
    assert reason in why(store)
    assert store.body(entry) == body


def test_a_plan_of_another_fleet_is_damage(store: PlanTable) -> None:
    """Whatever partition it lies in, a plan says whose it is."""
    store.publish(draft(ONE, fleet="west"), parent=None)
    assert why(store) == "it is a plan of fleet west, not edge"


def test_a_plan_with_a_faulty_endpoint_is_read(store: PlanTable) -> None:
    """Case 22: an endpoint of the wrong form does not make the plan unreadable; it lands in `broken`."""
    body = draft(ONE, TWO).body.replace(b'"weight":10', b'"weight":256', 1)
    store.publish(raw_draft(body), parent=None)
    found = store.read(1)
    assert isinstance(found, StoredPlan)
    assert [len(found.plan.endpoints), len(found.plan.broken)] == [1, 1]
    assert digest_of(body) == found.digest


def test_a_plan_deleted_while_it_is_read_is_gone_not_damaged(world: World, entry: PlanEntry) -> None:
    """A collector deletes between manifest and chunks: the reader is told that there is no such plan."""
    reader, hooks = world.actor()
    collector = world.store()
    collector.publish(draft(ONE), parent=collector.head())

    def hook(verb: str, _: dict[str, Any]) -> None:
        if verb == "query":
            hooks.before.clear()
            collector.condemn(entry, "token-1")
            collector.delete(entry, "token-1")

    hooks.before.append(hook)
    assert reader.read(1) is None


@pytest.mark.parametrize(("sk", "read"), [("head", PlanTable.head), ("floor", PlanTable.floor)])
def test_a_garbled_head_or_floor_is_no_answer(
    world: World, store: PlanTable, sk: str, read: Callable[[PlanTable], object]
) -> None:
    """Neither is guessed: an enactor goes on from its disk, and the sentence says what to do."""
    world.put({"pk": {"S": "fleet#edge"}, "sk": {"S": sk}, "generation": {"S": "seven"}})
    with pytest.raises(Unavailable, match=r"is not readable.*restore"):
        read(store)


def test_reads_are_strongly_consistent_and_follow_every_page(world: World) -> None:
    """No read may be stale, and a listing of many pages is whole."""
    store, hooks = world.actor()
    asked: list[dict[str, Any]] = []
    hooks.before.append(lambda verb, arguments: asked.append(arguments) if verb in {"get_item", "query"} else None)
    for value in (ONE, TWO, ONE):
        store.publish(draft(value), parent=store.head())
    hooks.replies["query"] = lambda arguments: world.raw.query(**arguments, Limit=1)
    assert [entry.generation for entry in store.list()] == [3, 2, 1]
    assert isinstance(store.read(2), StoredPlan)
    assert all(arguments["ConsistentRead"] for arguments in asked)


def test_a_query_that_never_ends_is_stopped(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on everything, on pages too."""
    monkeypatch.setattr("enactor.table_items.PAGES_LIMIT", 3)
    store, hooks = world.actor()
    hooks.replies["query"] = lambda _: {"Items": [], "LastEvaluatedKey": {"pk": {"S": "p"}, "sk": {"S": "s"}}}
    with pytest.raises(OutsideError, match="more than 3 pages"):
        store.list()


@pytest.mark.parametrize("generation", [0, -1, 10**12])
def test_a_generation_that_cannot_be_is_not_there(store: PlanTable, generation: int) -> None:
    """A number out of a garbled switch asks for nothing."""
    assert store.read(generation) is None


def test_an_odd_announcement_hides_no_other(world: World, store: PlanTable) -> None:
    """Status only: what is not readable is left out. An announcement has an end, for DynamoDB to take it out."""
    store.announce(Announcement("e-1", "aa", 4, "2026-11-30T00:00:00Z"))
    world.put({"pk": {"S": "fleet#edge"}, "sk": {"S": "announce#e-2#bb"}, "id": {"S": "e-2"}})
    assert [said.id for said in store.announcements()] == ["e-1"]
    assert world.item("announce#e-1#aa")["ttl"] == {"N": "1796000400"}


def test_an_announcement_says_by_which_limits_its_enactor_judges(world: World, store: PlanTable) -> None:
    """An older version's does not, and is read all the same."""
    store.announce(Announcement("e-1", "aa", 4, "2026-11-30T00:00:00Z", "0123456789ab"))
    store.announce(Announcement("e-2", "bb", 4, "2026-11-30T00:00:00Z", "0123456789ab"))
    item = world.item("announce#e-2#bb")
    world.put({name: value for name, value in item.items() if name != "limits"})
    assert [(said.id, said.limits) for said in store.announcements()] == [("e-1", "0123456789ab"), ("e-2", "")]


def test_an_announcement_says_whether_its_enactor_goes_on(world: World, store: PlanTable) -> None:
    """What does not say so, or says it in a word of another version, is taken for a worker's."""
    store.announce(Announcement("e-1", "aa", 4, "2026-11-30T00:00:00Z", presence="by-hand"))
    store.announce(Announcement("e-2", "bb", 4, "2026-11-30T00:00:00Z", presence="ended"))
    item = world.item("announce#e-2#bb")
    for name, more in (("e-3", {}), ("e-4", {"presence": {"S": "sleeps"}})):
        keys = {"sk": {"S": f"announce#{name}#bb"}, "id": {"S": name}}
        world.put({key: value for key, value in item.items() if key != "presence"} | keys | more)
    assert [said.presence for said in store.announcements()] == ["by-hand", "ended", "works", "works"]

"""What people allowed for a whole plan, and the history: read back as written, and taken out of the table some time after its end."""

from datetime import UTC, datetime

from enactor.ports import PlanAllow
from enactor.table import PlanTable
from enactor.table_events import ALLOW_KEPT_SECONDS, EVENT_KEPT_SECONDS
from enactor.table_items import Value
from enactor.table_keys import allow_key

from .world import ZONE, ZONE_NAME, World

UNTIL = datetime(2026, 12, 1, 12, tzinfo=UTC)
ALLOW = PlanAllow(guard="vanished", generation=7, until=UNTIL, reason="they moved", by="a person")


def test_an_allow_reads_back_as_it_was_written_and_again(world: World) -> None:
    """A second word on the same guard and generation is written over the first."""
    store = world.store()
    store.allow(ALLOW)
    store.allow(ALLOW)
    assert store.allows(7) == (ALLOW,)
    assert store.allows(8) == ()


def test_an_allow_goes_by_itself_after_its_end(world: World) -> None:
    """DynamoDB takes it out by the attribute that the table's expiry names; the table keeps a stated size."""
    world.store().allow(ALLOW)
    assert world.item(allow_key(7, "vanished"))["ttl"] == {"N": str(int(UNTIL.timestamp()) + ALLOW_KEPT_SECONDS)}


def test_an_allow_that_cannot_be_read_allows_nothing(world: World) -> None:
    """Somebody edited it by hand."""
    store = world.store()
    store.allow(ALLOW)
    item = world.item(allow_key(7, "vanished"))
    world.put(item | {"until": {"S": "tomorrow"}})
    assert store.allows(7) == ()


def at(second: int) -> datetime:
    return datetime(2026, 11, 30, 12, 0, second, tzinfo=UTC)


def recorded(world: World, *seconds: int) -> PlanTable:
    """Return a table in which something was recorded at each of these seconds."""
    store = world.store()
    for second in seconds:
        facts: dict[str, Value] = {
            "verb": "swap",
            "zone": ZONE,
            "by": "az-1",
            "swaps": (f"api.{ZONE_NAME} {second}",),
            "new": "?",
        }
        store.record(facts, at=at(second), event=f"{second:016x}")
    return store


def test_events_read_back_newest_first_since_an_instant(world: World) -> None:
    """The instant itself belongs to it; what other versions wrote beside is passed over; nothing was left unread."""
    read = recorded(world, 1, 5, 3).events(at(3), lambda _: True, most=10)
    assert [one.swaps[0].split()[1] for one in read.events] == ["5", "3"]
    assert (read.events[0].time, read.events[0].by) == ("2026-11-30T12:00:05.000000Z", "az-1")
    assert not read.is_cut


def test_only_the_wanted_events_are_kept_and_what_was_not_read_is_said(world: World) -> None:
    """The bound is on what is read: a fleet that writes much has more history than anybody waits for."""
    store = recorded(world, 1, 2, 3)
    read = store.events(at(0), lambda one: "2" in one.swaps[0], most=3)
    assert ([one.time[17:19] for one in read.events], read.is_cut) == (["02"], False)
    read = store.events(at(0), lambda one: True, most=2)
    assert ([one.time[17:19] for one in read.events], read.is_cut) == (["03", "02"], True)


def test_an_event_that_cannot_be_read_is_passed_over(world: World) -> None:
    """One odd item must not hide the others."""
    store = recorded(world, 1, 2)
    item = world.item("event#2026-11-30T12:00:02.000000Z#0000000000000002")
    world.put({name: value for name, value in item.items() if name != "verb"})
    assert [one.time[17:19] for one in store.events(at(0), lambda _: True, most=10).events] == ["01"]


def test_an_event_goes_by_itself_after_three_months(world: World) -> None:
    """As long as CloudTrail keeps its own."""
    recorded(world, 1)
    item = world.item("event#2026-11-30T12:00:01.000000Z#0000000000000001")
    assert item["ttl"] == {"N": str(int(at(1).timestamp()) + EVENT_KEPT_SECONDS)}

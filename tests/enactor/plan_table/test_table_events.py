"""What people allowed for a whole plan: read back as it was written, and taken out of the table some time after its end."""

from datetime import UTC, datetime

from enactor.ports import PlanAllow
from enactor.table_events import ALLOW_KEPT_SECONDS
from enactor.table_keys import allow_key

from .world import World

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

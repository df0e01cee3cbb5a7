"""What a look again after a conflict costs: never more pages than reading the zone whole."""

from collections.abc import Sequence

from enactor.memory import WHOLE_RANGE_FENCES_MAX, ZoneMemory
from enactor.observe import LISTING_PAGE_SETS_MAX, FenceRange, SwitchReading
from enactor.records import RecordSet

from .kernel_builders import FLEET, ZONE, ZONE_NAME, ListedZone, fence, fence_record, switch, switch_record, weighted

NAMES = [f"ep{number}.{ZONE_NAME}" for number in range(WHOLE_RANGE_FENCES_MAX + 300)]


class Counted(ListedZone):
    """A zone that counts the requests that its reads take."""

    def __init__(self) -> None:
        super().__init__()
        sets = [weighted(1, name=name) for name in NAMES]
        fences = [fence_record(fence(made), made.name) for made in sets]
        self.records = (*sets, *fences, switch_record(switch(7)))
        self.requests = 0

    def switch(self, zone: str, fleet: str) -> SwitchReading:
        self.requests += 1
        return ListedZone.fences(self, zone, fleet).switch

    def fences(self, zone: str, fleet: str) -> FenceRange:
        self.requests += 1 + len(NAMES) // LISTING_PAGE_SETS_MAX
        return super().fences(zone, fleet)

    def listing(self, zone: str) -> Sequence[RecordSet]:
        self.requests += 1 + len(self.records) // LISTING_PAGE_SETS_MAX
        return super().listing(zone)

    def at(self, zone: str, wanted: Sequence[str]) -> Sequence[RecordSet]:
        self.requests += len(wanted)
        return super().at(zone, wanted)


def remembered() -> tuple[Counted, ZoneMemory]:
    zone = Counted()
    memory = ZoneMemory(zone, ZONE, FLEET)
    memory.read_all(0.0)
    zone.requests = 0
    return zone, memory


def test_a_few_names_of_a_large_zone_are_read_by_name() -> None:
    """Two requests for each, its fence and its sets, and what else moved waits for the next survey."""
    zone, memory = remembered()
    memory.refresh(NAMES[:3], 1.0)
    assert zone.requests == 1 + 6
    assert memory.surveyed_at == 0.0


def test_many_names_of_a_large_zone_are_read_with_all_the_others() -> None:
    """A batch of forty that conflicts would take eighty requests by name, half a minute of an enactor's share; whole it takes eleven."""
    zone, memory = remembered()
    memory.refresh(NAMES[:40], 1.0)
    assert zone.requests == 1 + (1 + 900 // LISTING_PAGE_SETS_MAX) + (1 + 1801 // LISTING_PAGE_SETS_MAX)
    assert memory.surveyed_at == 1.0


def test_nothing_is_read_where_a_large_zone_gave_no_names() -> None:
    """A throttled or busy zone conflicted nowhere: only the switch is read."""
    zone, memory = remembered()
    memory.refresh((), 1.0)
    assert zone.requests == 1

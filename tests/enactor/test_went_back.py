"""A fence or a switch that is older than it was: told once, and no step of our own or of a person's verb is mistaken for it."""

from enactor.fence import Fence, Switch
from enactor.memory import ZoneMemory
from enactor.records import RecordSet

from .kernel_builders import (
    FLEET,
    NAME,
    ZONE,
    ZONE_NAME,
    ListedZone,
    batch,
    fence,
    fence_record,
    garbled,
    swap,
    switch,
    switch_record,
    weighted,
)

A = weighted(1)
OTHER = f"ep2.{ZONE_NAME}"


class Zone(ListedZone):
    """A zone whose listing changes from look to look."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = ZoneMemory(self, ZONE, FLEET)

    def shows(self, *records: RecordSet) -> tuple[tuple[str, int, int], ...]:
        """Return what a look at these records tells."""
        self.records = (A, *records)
        self.memory.read_switch()
        self.memory.read_all(0.0)
        return self.memory.went_back()


def of(gen: int, **changes: object) -> Fence:
    return fence(A, gen=gen, **changes)  # type: ignore[arg-type]


def opened(gen: int) -> Switch:
    return switch(gen)


def test_a_fence_that_is_older_than_it_was_seen_is_told_once() -> None:
    """Route 53 lost what it had acknowledged. What a first look shows is no step back, and neither is a newer fence."""
    zone = Zone()
    assert zone.shows(fence_record(of(7))) == ()
    assert zone.shows(fence_record(of(8)), fence_record(of(3), OTHER)) == ()
    assert zone.shows(fence_record(of(6)), fence_record(of(3), OTHER)) == ((NAME, 8, 6),)
    assert zone.shows(fence_record(of(6)), fence_record(of(2), OTHER)) == ((OTHER, 3, 2),)


def test_a_fence_that_is_older_than_it_was_written_is_told() -> None:
    """What this enactor wrote counts as seen, though no look has shown it."""
    zone = Zone()
    zone.shows(fence_record(of(7)))
    zone.memory.applied(batch(swap((A,), (A,), (A,), old=of(7), new=of(9))))
    assert zone.shows(fence_record(of(7))) == ((NAME, 9, 7),)


def test_a_switch_that_is_older_than_it_was_is_told_under_no_name() -> None:
    """The open generation only grows; a text that shows none is a stop, and no step back."""
    zone = Zone()
    assert zone.shows(switch_record(opened(8))) == ()
    assert zone.shows() == ()
    assert zone.shows(switch_record(opened(6))) == (("", 8, 6),)
    assert zone.shows(switch_record(opened(6))) == ()


def test_adopted_garbled_foreign_and_removed_fences_are_no_steps_back() -> None:
    """Generation 0 is an adopted endpoint's; what cannot be read, or is another fleet's, says nothing about ours."""
    for odd in (fence_record(of(0)), garbled().record, fence_record(of(1, fleet="other"))):
        zone = Zone()
        zone.shows(fence_record(of(7)))
        assert zone.shows(odd) == ()
    zone = Zone()
    zone.shows(fence_record(of(7)))
    assert zone.shows() == ()
    assert zone.shows(fence_record(of(5))) == (), "a fence that was away begins anew"

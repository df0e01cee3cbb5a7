"""The sandbox's zone model held against a dumb second one, by random batches and random readings."""

from collections import Counter
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from enactor import wire
from enactor.sandbox import zone_model
from enactor.sandbox.zone_model import Errors, Page, Zone

from .batches import APEX_TYPES, INSIDE, ZONE, ZONE_NAME, batches, first_batch, odd_batches
from .bounds import bounded
from .dumb_zone import Change, DumbZone, Fault, Set, key, spelled
from .zone_words import RULES, faults_in

SETS_MAX = 14
EVERY_SIZE = range(1, SETS_MAX + 2)
TYPES = ("", "A", "AAAA", "CNAME", "NS", "TXT")
SPECIAL = {"bad input", "group is full", "too many elements", "too many characters", "too many values"}

starts = st.tuples(
    st.sampled_from((*INSIDE, "0.example.test", "_.example.test", "test", "zz.example.test.")),
    st.sampled_from(TYPES),
    st.sampled_from(("", "lb", "one")),
)


class BothZones(RuleBasedStateMachine):
    """One zone in two versions, which must not be told apart."""

    seen: ClassVar[Counter[str]] = Counter()

    @initialize(max_sets=st.sampled_from((8, SETS_MAX)))
    def start(self, max_sets: int) -> None:
        self.zone = Zone.empty(ZONE, "Example.TEST", max_sets)
        self.dumb = DumbZone(ZONE, "Example.TEST", self.zone.sets(), max_sets)
        self._send(first_batch())

    @rule(batch=st.data(), start=starts, size=st.integers(1, 5))
    def change(self, batch: st.DataObject, start: tuple[str, str, str], size: int) -> None:
        odd = odd_batches([one for one in self.listing if one["Type"] in APEX_TYPES])
        self._send(batch.draw(st.one_of(batches(self.listing), batches(self.listing), st.sampled_from(odd))))
        self._read_from(start, size)

    def _send(self, batch: list[Change]) -> None:
        expected = self.dumb.apply(batch)
        found = zone_model.apply(self.zone, batch)
        faults = faults_in(found) if isinstance(found, Errors) else []
        assert faults == expected
        self.seen.update(fault.rule for fault in faults or [Fault("applied")])
        if isinstance(found, Zone):
            self.zone, self.is_read = found, False
        else:
            assert_adapter_reads(found, faults)
        self.listing = self.dumb.listing()

    def _read_from(self, start: tuple[str, str, str], size: int) -> None:
        name, record_type, identifier = start
        page = zone_model.page(self.zone, name, record_type or None, identifier or None, size)
        wanted = self.dumb.from_start(start)
        assert list(page.sets) == wanted[:size]
        assert page.is_truncated == (len(wanted) > size)
        if page.is_truncated:
            assert cursor(page) == key(wanted[size])

    @invariant()
    def shows_the_same(self) -> None:
        if self.is_read:
            return
        assert list(self.zone.sets()) == self.listing
        assert len(self.zone) == len(self.listing)
        for size in EVERY_SIZE:
            assert read_whole(self.zone, size) == self.listing
        for name in {one["Name"] for one in self.listing} | {INSIDE[0]}:
            assert list(self.zone.sets(name)) == [one for one in self.listing if one["Name"] == spelled(name)]
        self.is_read = True


def cursor(page: Page) -> tuple[str | None, str | None, str]:
    """Return where the next page starts."""
    return (page.next_name, page.next_type, page.next_identifier or "")


def read_whole(zone: Zone, size: int) -> list[Set]:
    """Read a zone page by page, by the cursor alone."""
    page = zone_model.page(zone, max_items=size)
    found: list[Set] = list(page.sets)
    for _ in range(len(zone)):
        assert len(page.sets) <= size
        if not page.is_truncated:
            break
        assert len(page.sets) == size, "only the last page is short"
        page = zone_model.page(zone, page.next_name, page.next_type, page.next_identifier, size)
        found += page.sets
    assert not page.is_truncated, "the listing ends"
    return found


def assert_adapter_reads(errors: Errors, faults: list[Fault]) -> None:
    """Require that the adapter takes a refusal's text apart as it was put together, and blames the same names."""
    if errors.code != "InvalidChangeBatch":
        return
    whole = [fault for fault in faults if fault.rule not in {"bad name", "bad value", "duplicate value"}]
    blamed = [fault.about for fault in whole if fault.about and fault.rule != "too many values"]
    named = [spelled(name) for name, _ in wire.named_in(wire.entries(errors.text))]
    assert named == blamed


def test_two_zone_models_cannot_be_told_apart() -> None:
    """Same batches, same answers: taken or refused, every fault with the set it names, the sets and their order, every page."""
    BothZones.seen.clear()
    run_state_machine_as_test(BothZones, settings=bounded(50, stateful_step_count=20))
    missed = (set(RULES) | {"applied"}) - set(BothZones.seen) - SPECIAL
    assert not missed, f"the batches never met the rules {sorted(missed)}"
    assert BothZones.seen["applied"] > sum(BothZones.seen.values()) / 6, (
        "most batches are refused: the zone stays empty"
    )


def filled(action: str, sets: int, values: int, length: int, **more: Any) -> list[Change]:
    """Return a batch of TXT sets, so many, each of so many values, each of so many characters."""
    return [
        {
            "Action": action,
            "ResourceRecordSet": {
                "Name": f"big{number if 'Weight' not in more and 'MultiValueAnswer' not in more else ''}.{ZONE_NAME}",
                "Type": "TXT",
                "TTL": 60,
                "ResourceRecords": [{"Value": f'"{value:0{length - 2}d}"'} for value in range(values)],
                **({**more, "SetIdentifier": f"n{number}"} if more else {}),
            },
        }
        for number in range(sets)
    ]


@pytest.mark.parametrize("action", ["CREATE", "UPSERT"])
@given(
    shape=st.sampled_from(
        [
            *((sets, 100, 8) for sets in (5, 10, 11)),
            *((1, values, 8) for values in (400, 401, 500, 501, 1000, 1001)),
            *((sets, 1, 160) for sets in (100, 101, 200, 201)),
            (2, 250, 8),
            (2, 500, 8),
        ]
    ),
    routing=st.sampled_from([{}, {}, {"Weight": 1}, {"MultiValueAnswer": True}]),
)
@bounded(30)
def test_two_zone_models_have_the_same_limits(
    action: str, shape: tuple[int, int, int], routing: dict[str, Any]
) -> None:
    """At a batch's 1,000 elements and 32,000 characters, a set's 400 values and a group's 100 sets, both draw one line."""
    zone = Zone.empty(ZONE, ZONE_NAME)
    dumb = DumbZone(ZONE, ZONE_NAME, zone.sets(), zone.max_sets)
    batch = filled(action, *shape, **routing)
    expected = dumb.apply(batch)
    found = zone_model.apply(zone, batch)
    assert (faults_in(found) if isinstance(found, Errors) else []) == expected
    assert list(found.sets() if isinstance(found, Zone) else zone.sets()) == dumb.listing()

"""The simulator's zones held against the adapter over HTTP: the same batches and the same readings, the same outcomes."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import boto3
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.batch import Batch, Change, SwitchChange
from enactor.budget import AccountLimits, Budget
from enactor.fence import Fence, Switch, switch_text, text_set
from enactor.names import escaped, fence_base, fence_name, switch_name
from enactor.outcome import Applied, Outcome, ZonePort
from enactor.outside import SystemChance, route53_client
from enactor.records import Alias, RecordSet, content_digest, content_of, difference
from enactor.route53 import Route53Zones
from enactor.sandbox.server import Sandbox
from enactor.sandbox.zone_model import Zone
from enactor.swap import Swap
from enactor.wire import record_from_wire, record_to_wire
from tests.enactor.plan_table.world import Still
from tests.simulator.thin_ports import GATE_LIMITS, ThinZones

from .batches import ZONE as DRAWN_ZONE
from .batches import ZONE_NAME, batches
from .bounds import bounded
from .dumb_zone import Change as DrawnChange
from .model_line import ModelLine

pytestmark = pytest.mark.xdist_group("properties_on_the_sandbox")

FLEET: Final = "edge"
SCRATCH: Final = f"_selftest-0a._fence.{ZONE_NAME}"
NAMES: Final = (f"a.{ZONE_NAME}", f"b.{ZONE_NAME}", f"*.a.{ZONE_NAME}", ZONE_NAME)
READ: Final = (*NAMES, f"none.{ZONE_NAME}", f"_fence.{ZONE_NAME}", f"c.a.{ZONE_NAME}", SCRATCH, f"*.{SCRATCH}")
TYPES: Final = ("A", "AAAA")
_zones = itertools.count(1)


VAST: Final = AccountLimits(requests=1e12, changes=1e12)
"""What pace does to calls is not asked here."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running


@pytest.fixture(scope="module")
def real(sandbox: Sandbox) -> Iterator[ZonePort]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in sandbox.environment().items():
            patch.setenv(name, value)
        client = route53_client(boto3.Session())
        budget = Budget(Still(), 1.0, VAST)
        yield Route53Zones(
            lambda _zone: client,
            budget_of=lambda _zone: budget,
            limits_of=lambda _name: GATE_LIMITS,
            clock=Still(),
            chance=SystemChance(),
            hook=lambda _event: None,
            read_tries=1,
        )
        client.close()


class Both:
    """One zone, in the simulator and on the sandbox."""

    def __init__(self, sandbox: Sandbox, real: ZonePort) -> None:
        self.zone = f"Z{next(_zones)}"
        sandbox.create_zone(ZONE_NAME, self.zone)
        self._sandbox = sandbox
        self.line = ModelLine(Zone.empty(self.zone, ZONE_NAME))
        self.thin: ZonePort = ThinZones(self.line, {self.zone: ZONE_NAME})
        self.real = real
        self.seen = [self.records()]

    def records(self) -> tuple[RecordSet, ...]:
        """Return what the simulator's zone holds now."""
        return tuple(record_from_wire(item) for item in self.line.zone.sets())

    def send(self, batch: Batch) -> Outcome:
        """Send a batch on both sides, and require the same answer and the same zone after it."""
        found = [_without_id(port.compare_and_swap(batch)) for port in (self.thin, self.real)]
        assert found[0] == found[1]
        assert self.line.zone.sets() == self._sandbox.zone(self.zone).sets()
        self.seen.append(self.records())
        return found[0]

    def read(self, names: Sequence[str]) -> None:
        """Read everything on both sides, and require the same."""
        assert self.thin.zone_name(self.zone) == self.real.zone_name(self.zone)
        for fleet in (FLEET, "other"):
            assert self.thin.switch(self.zone, fleet) == self.real.switch(self.zone, fleet)
            assert self.thin.fences(self.zone, fleet) == self.real.fences(self.zone, fleet)
        assert list(self.thin.listing(self.zone)) == list(self.real.listing(self.zone))
        assert list(self.thin.at(self.zone, names)) == list(self.real.at(self.zone, names))


def _without_id(outcome: Outcome) -> Outcome:
    return Applied("") if isinstance(outcome, Applied) else outcome


def switch_set(gen: int, mode: str, fleet: str = FLEET) -> RecordSet:
    """Return a switch of a generation."""
    switch = Switch(fleet=fleet, mode=mode, gen=gen, plan="a" * 12 if gen else "none", nonce=f"{gen:016x}")  # type: ignore[arg-type]
    return text_set(switch_name(fleet, ZONE_NAME), switch_text(switch))


class Wish(NamedTuple):
    """What a decision makes of one endpoint, on what it saw then."""

    name: str
    members: tuple[int, ...]
    weight: int
    alias_to: str
    types: tuple[str, ...]
    forget_fence: bool


wishes = st.builds(
    Wish,
    name=st.sampled_from(NAMES),
    members=st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True).map(tuple),
    weight=st.sampled_from((10, 10, 0, 20)),
    alias_to=st.sampled_from(("", "", "", *NAMES, "elsewhere.example.net.")),
    types=st.sampled_from((("A",), ("A",), TYPES)),
    forget_fence=st.integers(0, 9).map(lambda number: number == 5),
)
decisions = st.fixed_dictionaries(
    {
        "age": st.sampled_from((0, 0, 0, 0, 1, 2)),
        "gen": st.integers(0, 2),
        "origin": st.sampled_from(("cycle", "cycle", "cycle", "verb")),
        "wishes": st.lists(wishes, max_size=3, unique_by=lambda wish: wish.name),
    }
)


def wanted_sets(wish: Wish, zone: str) -> list[RecordSet]:
    """Return the record sets that a wish means."""
    if wish.alias_to:
        alias = Alias(escaped(wish.alias_to), zone, evaluate_target_health=False)
        return [RecordSet(name=wish.name, type=record_type, alias=alias) for record_type in wish.types]
    return [
        RecordSet(
            name=wish.name,
            type=record_type,
            set_identifier=f"lb-{number}",
            ttl=60,
            weight=wish.weight,
            values=(f"192.0.2.{number}" if record_type == "A" else f"2001:db8::{number}",),
        )
        for record_type in wish.types
        for number in wish.members
    ]


def swap_of(wish: Wish, zone: str, seen: Sequence[RecordSet], nonce: int) -> Swap:
    """Return the swap that leads from what was seen to what is wished."""
    stands = tuple(record for record in seen if record.name == wish.name and record.type in (*TYPES, "CNAME"))
    fences = [record for record in seen if record.name == fence_name(wish.name, ZONE_NAME)]
    wanted = content_of(wanted_sets(wish, zone))
    change = difference(stands, wanted)
    return Swap(
        name=wish.name,
        zone=zone,
        state="behind",
        purpose="advance",
        fence_before=fences[0] if fences and not wish.forget_fence else None,
        fence_after=Fence(fleet=FLEET, gen=1, plan=content_digest(wanted), by="az-1", nonce=f"{nonce:016x}"),
        deletes=change.deletes,
        creates=change.creates,
        before=stands,
    )


def batch_of(both: Both, decision: dict[str, Any], nonce: int) -> Batch | None:
    """Return the batch of a decision made on what stood so many batches ago, None where it holds nothing."""
    seen = both.seen[max(0, len(both.seen) - 1 - decision["age"])]
    switch = [record for record in seen if record.name == switch_name(FLEET, ZONE_NAME)]
    after = switch_set(decision["gen"], "run") if decision["gen"] or not switch else switch[0]
    is_verb = decision["origin"] == "verb"
    batch = Batch(
        zone=both.zone,
        zone_name=ZONE_NAME,
        origin=decision["origin"],
        switch=None if is_verb else SwitchChange(switch[0] if switch else None, after),
        swaps=tuple(swap_of(wish, both.zone, seen, nonce) for wish in decision["wishes"]),
        comment="a test",
    )
    return batch if batch.changes else None


def started(both: Both) -> None:
    """Bring the zone into service, another fleet in it too."""
    for record in (switch_set(0, "run"), switch_set(3, "stop", "other")):
        change = SwitchChange(None, record)
        verb = Batch(zone=both.zone, zone_name=ZONE_NAME, origin="verb", switch=change, swaps=(), comment="init")
        assert isinstance(both.send(verb), Applied)


def test_swaps_come_out_the_same(sandbox: Sandbox, real: ZonePort) -> None:
    """Decisions fresh and stale, right and wrong: each batch is taken, in conflict, rejected or stopped alike, and each way is met."""
    met: Counter[str] = Counter()

    @given(story=st.lists(decisions, min_size=3, max_size=8))
    @bounded(30)
    def stories(story: list[dict[str, Any]]) -> None:
        both = Both(sandbox, real)
        started(both)
        for number, decision in enumerate(story):
            batch = batch_of(both, decision, number)
            if batch is not None:
                met[type(both.send(batch)).__name__] += 1
        both.read(READ)

    stories()
    assert set(met) == {"Applied", "Conflicted", "Rejected", "Stopped"}, met
    assert met["Applied"] > met.total() / 5, met


def test_scratch_batches_come_out_the_same(sandbox: Sandbox, real: ZonePort) -> None:
    """A self-test may send what it likes: whatever is wrong with it, both sides say so in the same words."""
    met: Counter[str] = Counter()

    @given(data=st.data())
    @bounded(20)
    def stories(data: st.DataObject) -> None:
        both = Both(sandbox, real)
        for _ in range(4):
            stands = [_drawn(item, both.zone) for item in both.line.zone.sets() if item["Name"].endswith(SCRATCH)]
            met[type(both.send(scratch_batch(data.draw(batches(stands, spoil=False)), both.zone))).__name__] += 1
        both.read(READ)

    stories()
    assert set(met) == {"Applied", "Conflicted", "Rejected", "Stopped"}, met
    assert met["Applied"] > met.total() / 5, met


def scratch_batch(drawn: Sequence[DrawnChange], zone: str) -> Batch:
    """Return a self-test's batch of drawn changes, below its scratch name."""
    extra = tuple(
        Change("DELETE" if change["Action"] == "DELETE" else "CREATE", _placed(change["ResourceRecordSet"], zone))
        for change in drawn
    )
    return Batch(zone=zone, zone_name=ZONE_NAME, origin="selftest", switch=None, swaps=(), comment="", extra=extra)


def _placed(item: dict[str, Any], zone: str) -> RecordSet:
    """Return a drawn set below the scratch name, as the adapter would list it."""
    record = record_from_wire(item)
    alias = record.alias and Alias(
        _moved(record.alias.name, ZONE_NAME, SCRATCH),
        zone if record.alias.zone == DRAWN_ZONE else record.alias.zone,
        record.alias.evaluate_target_health,
    )
    return msgspec.structs.replace(record, name=_moved(record.name, ZONE_NAME, SCRATCH), alias=alias)


def _drawn(item: dict[str, Any], zone: str) -> dict[str, Any]:
    """Return a set below the scratch name as if it stood in the zone that batches are drawn for."""
    record = record_from_wire(item)
    alias = record.alias and Alias(
        _moved(record.alias.name, SCRATCH, ZONE_NAME),
        DRAWN_ZONE if record.alias.zone == zone else record.alias.zone,
        record.alias.evaluate_target_health,
    )
    moved = msgspec.structs.replace(record, name=_moved(record.name, SCRATCH, ZONE_NAME), alias=alias)
    return record_to_wire(moved)


def _moved(name: str, start: str, end: str) -> str:
    """Return a name below another one, in whatever spelling it is."""
    whole = name if name.endswith(".") else f"{name}."
    return whole[: -len(start)] + end if whole.lower().endswith(start) else name


def test_a_zone_of_many_pages_reads_the_same(sandbox: Sandbox, real: ZonePort) -> None:
    """More fences than a page holds, a name whose groups straddle pages, names on both sides of each range: all are read whole."""
    both = Both(sandbox, real)
    started(both)
    base = fence_base(ZONE_NAME)
    sets = [text_set(f"ep{number}.{base}", "v=1") for number in range(310)]
    sets += [
        RecordSet(name=NAMES[0], type=kind, set_identifier=f"lb-{number}", ttl=60, weight=1, values=(value,))
        for number in range(100)
        for kind, value in (("A", "192.0.2.1"), ("AAAA", "2001:db8::1"), ("TXT", '"x"'))
    ]
    sets += [text_set(f"{label}.{ZONE_NAME}", "x") for label in ("_fence-", "_fencf", "a.z", "0", "\\052")]
    sets += [text_set(f"{label}.a.{ZONE_NAME}", "x") for label in ("0", "\\052", "-")]
    for start in range(0, len(sets), 200):
        part = [{"Action": "CREATE", "ResourceRecordSet": record_to_wire(one)} for one in sets[start : start + 200]]
        sandbox.edit(both.zone, part)
    both.line.zone = sandbox.zone(both.zone)
    both.read((*READ, f"ep7.{base}", NAMES[0]))
    assert len(both.real.listing(both.zone)) == len(sets) + 4
    assert len(both.real.fences(both.zone, FLEET).fences) == 310
    assert len(both.real.at(both.zone, [NAMES[0]])) == 300
    assert both.real.aws_now() is not None
    assert both.thin.aws_now() == datetime(2026, 1, 1, tzinfo=UTC)

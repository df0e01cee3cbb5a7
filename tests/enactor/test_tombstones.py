"""Which tombstones go: those that no plan at hand can bring back, all in calls that fail when anything moved."""

from collections.abc import Sequence
from typing import Any

import pytest

from enactor import tombstones as module
from enactor.fence import Switch, read_fence, text_set
from enactor.insist import NotDone
from enactor.names import fence_name, switch_name
from enactor.observe import FenceRange, SwitchReading, fence_range
from enactor.plan import Broken, Fault, Plan, Retired, StoredPlan
from enactor.ports import PlanEntry, PlanHead, Unavailable
from enactor.records import RecordSet
from enactor.report_collect import CollectedTombstone
from enactor.table_keys import CHUNKS
from enactor.tombstones import TombstoneCollector, are_kept, tombstones_of, unnamed
from tests.simulator.ops import Under

from .ground import COMMENT, Ground
from .kernel_builders import (
    FLEET,
    NAME,
    ZONE,
    ZONE_NAME,
    entry,
    fence,
    fence_record,
    garbled,
    plan,
    simple,
    switch,
    switch_record,
)

LIVE = f"live.{ZONE_NAME}"
GONE = tuple(f"gone{number}.{ZONE_NAME}" for number in range(5))


def tombstone(name: str, **changes: Any) -> RecordSet:
    return fence_record(fence(simple(1), state="retired", **changes), name)


def seen(*records: RecordSet, of: Switch | None = None) -> FenceRange:
    """Return a fence range with a switch in it."""
    return fence_range(ZONE, ZONE_NAME, FLEET, [switch_record(of or switch(1)), *records])


# ---- what is decided -----------------------------------------------------------------------------------------------------


def test_the_fleets_own_tombstones_are_found_by_name_in_order() -> None:
    """What lives, is held, cannot be read, or is another fleet's, is none."""
    found = seen(
        tombstone(GONE[1]),
        tombstone(GONE[0]),
        tombstone(GONE[2], fleet="other"),
        fence_record(fence(simple(1)), LIVE),
        fence_record(fence(simple(1), state="hold"), NAME),
        garbled(GONE[3]).record,
    )
    assert list(tombstones_of(found, FLEET).items()) == [(name, tombstone(name)) for name in GONE[:2]]


@pytest.mark.parametrize("mode", ["stop", "typed", "absent"])
def test_in_a_zone_that_does_not_run_no_tombstone_goes(mode: str) -> None:
    """A person decides there."""
    texts = {"stop": switch_record(switch(1, mode="stop")), "typed": text_set(switch_name(FLEET, ZONE_NAME), "stop it")}
    records = [texts[mode]] if mode in texts else []
    assert tombstones_of(fence_range(ZONE, ZONE_NAME, FLEET, [*records, tombstone(NAME)]), FLEET) == {}


def listed(*plans: StoredPlan) -> list[PlanEntry]:
    """Return manifests of plans."""
    return [
        PlanEntry(
            generation=one.generation,
            digest=one.digest,
            parent=0,
            created_at="",
            planner="",
            reason="",
            zones=(),
            endpoints=1,
            upload="",
        )
        for one in plans
    ]


FIRST, SECOND, FORK = (
    StoredPlan(generation=generation, digest=letter * 64, plan=plan(), body=b"")
    for generation, letter in ((1, "a"), (2, "b"), (2, "c"))
)


@pytest.mark.parametrize(
    ("opened", "head", "kept", "answer"),
    [
        (FIRST, SECOND, (SECOND, FIRST), True),
        (SECOND, SECOND, (SECOND,), True),
        (FIRST, SECOND, (SECOND,), False),
        (FORK, SECOND, (SECOND, FIRST), False),
        (FIRST, FORK, (SECOND, FIRST), False),
        (FIRST, None, (FIRST,), False),
        (FIRST, SECOND, (FIRST,), False),
        (None, SECOND, (SECOND,), True),
        (None, None, (), False),
    ],
)
def test_the_open_plan_and_heads_must_be_in_the_table(
    opened: StoredPlan | None, head: StoredPlan | None, kept: Sequence[StoredPlan], *, answer: bool
) -> None:
    """Each by generation and digest: after a restore another plan has the number. Generation 0 is no plan that could be lost."""
    at = switch(opened.generation, opened.short_digest) if opened else switch(0)
    found = seen(tombstone(NAME), of=at)
    assert are_kept(found, PlanHead(head.generation, head.digest) if head else None, listed(*kept)) is answer


def test_a_name_that_a_plan_speaks_of_in_the_zone_is_named() -> None:
    """As an endpoint, as one whose form is broken, or as retired; in another zone it is another name."""
    dead = {name: tombstone(name) for name in GONE}
    of = plan(
        entry(simple(1), name=GONE[0]),
        entry(simple(1), name=GONE[1], zone="Z2"),
        retired=[Retired(GONE[2], ZONE), Retired(GONE[3], "Z2")],
        broken=[Broken(name=GONE[4], zone=ZONE, faults=(Fault("targets", "missing", "form"),))],
    )
    assert unnamed(dead, of, ZONE) == {name: dead[name] for name in (GONE[1], GONE[3])}


# ---- what is done --------------------------------------------------------------------------------------------------------


class Yard(Ground):
    """A zone with dead names, open at the newest of the plans that the table has."""

    def __init__(self, *plans: Plan, dead: Sequence[str] = GONE) -> None:
        super().__init__()
        self.plans = [self.publish(one) for one in plans]
        newest = self.plans[-1]
        self.switch = switch(newest.generation, newest.short_digest)
        self.put(switch_record(self.switch), simple(9, name=LIVE), *(tombstone(name) for name in dead))
        self.line.of_table.clear()
        self.cached: Sequence[Plan] | None = ()

    def collect(self, *, dry_run: bool = False) -> tuple[CollectedTombstone, ...]:
        return TombstoneCollector(self.wheel, self.table, lambda: self.cached).run(ZONE, dry_run=dry_run)

    def deleted(self) -> list[str]:
        """Collect, and return the names that went."""
        done = self.collect()
        assert {(one.zone, one.decision) for one in done} <= {(ZONE, "deleted")}
        return [one.name for one in done]

    def dead(self) -> list[str]:
        """Return the names that have a tombstone now."""
        return list(tombstones_of(self.zones.fences(ZONE, FLEET), FLEET))


PLAIN, NEXT, LAST = (plan(entry(simple(number), name=LIVE)) for number in (1, 2, 3))


def test_tombstones_go_and_the_switch_is_renewed_in_the_same_call() -> None:
    """What was decided on the old switch fails from then on; no record set of an endpoint is touched."""
    yard = Yard(PLAIN)
    assert yard.deleted() == list(GONE)
    assert yard.dead() == []
    (batch,) = yard.zones.sent
    assert batch.switch is not None
    assert batch.switch.before == switch_record(yard.switch)
    now = yard.zones.switch(ZONE, FLEET)
    assert now == SwitchReading(batch.switch.after, now.switch)
    assert isinstance(now.switch, Switch)
    assert now.switch.nonce != yard.switch.nonce
    assert (now.switch.gen, now.switch.plan, now.switch.mode) == (yard.switch.gen, yard.switch.plan, "run")
    assert [(change.action, change.record) for change in batch.extra] == [("DELETE", tombstone(name)) for name in GONE]
    assert (batch.zone, batch.zone_name, batch.origin, batch.comment) == (ZONE, ZONE_NAME, "verb", COMMENT)
    assert batch.swaps == ()
    assert yard.sets(LIVE) == [simple(9, name=LIVE)]


def test_a_dry_run_tells_and_writes_nothing() -> None:
    """In the same order."""
    yard = Yard(PLAIN)
    told = tuple(CollectedTombstone(name=name, zone=ZONE, decision="would-delete") for name in GONE)
    assert yard.collect(dry_run=True) == told
    assert (yard.zones.sent, yard.dead()) == ([], list(GONE))


def test_many_go_in_several_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each decided on what was read anew, and told together."""
    monkeypatch.setattr(module, "TOMBSTONES_A_CALL", 2)
    yard = Yard(PLAIN)
    assert yard.deleted() == list(GONE)
    assert [len(batch.extra) for batch in yard.zones.sent] == [2, 2, 1]


def test_a_zone_without_tombstones_asks_the_table_nothing() -> None:
    """So that a table that is away matters to nobody else."""
    yard = Yard(PLAIN, dead=())
    yard.line.dark = True
    assert yard.collect() == yard.collect(dry_run=True) == ()
    assert yard.line.of_table == []


def test_without_the_table_nothing_goes() -> None:
    """It is told, not taken for a table without plans."""
    yard = Yard(PLAIN)
    yard.line.dark = True
    with pytest.raises(Unavailable):
        yard.collect()
    assert yard.dead() == list(GONE)


def test_what_any_plan_of_the_table_names_stays() -> None:
    """Whichever plan it is, the newest or the oldest."""
    yard = Yard(
        plan(entry(simple(1), name=LIVE), entry(simple(1), name=GONE[3])),
        plan(entry(simple(1), name=LIVE), retired=[Retired(GONE[1], ZONE)]),
        plan(entry(simple(1), name=LIVE), entry(simple(2), name=GONE[4])),
    )
    assert yard.deleted() == [GONE[0], GONE[2]]
    assert yard.dead() == [GONE[1], GONE[3], GONE[4]]


def test_a_condemned_plan_still_speaks() -> None:
    """Whoever condemned it may put it back."""
    yard = Yard(plan(entry(simple(1), name=GONE[0])), PLAIN)
    assert yard.table.condemn(yard.table.list()[-1], "token") == "condemned"
    assert yard.deleted() == list(GONE[1:])


def test_where_a_plan_cannot_be_read_nothing_goes() -> None:
    """Nobody knows what it names; and what does not have the form of a plan says as little."""
    yard = Yard(PLAIN, NEXT, LAST)
    yard.damage(1)
    assert (yard.deleted(), yard.zones.sent) == ([], [])
    assert yard.collect(dry_run=True) == ()


def test_a_plan_of_another_form_keeps_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later version of this program may have published it."""
    yard = Yard(PLAIN)
    odd = type(yard.table)
    monkeypatch.setattr(odd, "body", lambda _self, _entry: b'{"form": "of tomorrow"}')
    assert yard.deleted() == []


@pytest.mark.parametrize(("most", "goes"), [(1, False), (2, True)])
def test_a_table_with_too_many_plans_keeps_everything(
    monkeypatch: pytest.MonkeyPatch, most: int, *, goes: bool
) -> None:
    """As many as the limit says are read."""
    monkeypatch.setattr(module, "PLANS_READ_MAX", most)
    assert bool(Yard(PLAIN, NEXT).deleted()) is goes


def test_a_restored_table_keeps_everything() -> None:
    """It does not have the plan that is open, and some enactor still has that on disk."""
    yard = Yard(PLAIN)
    yard.put(switch_record(switch(1, "d" * 12)))
    assert yard.deleted() == []


def test_what_a_plan_on_disk_or_in_the_mirror_names_stays() -> None:
    """And all of them, where those cannot be read."""
    yard = Yard(PLAIN)
    yard.cached = [plan(entry(simple(1), name=GONE[2])), plan(retired=[Retired(GONE[0], ZONE)])]
    assert yard.deleted() == [GONE[1], GONE[3], GONE[4]]
    yard.cached = None
    yard.put(tombstone(GONE[1]))
    assert (yard.deleted(), yard.collect(dry_run=True)) == ([], ())


def test_plans_are_read_no_further_than_names_are_left() -> None:
    """The newest first: it names what is spoken of, and older bodies are not asked for."""
    every = [entry(simple(1), name=name) for name in (LIVE, *GONE)]
    yard = Yard(PLAIN, NEXT, plan(*every))
    assert yard.deleted() == []
    bodies = [op for op in yard.line.of_table if isinstance(op, Under) and op.prefix.startswith(CHUNKS)]
    assert len(bodies) == 1


def test_a_name_that_is_adopted_meanwhile_stays_and_the_others_go() -> None:
    """The call rests on every tombstone as it was seen: it fails, and everything is looked at again."""
    yard = Yard(PLAIN)
    adopted = fence_record(fence(simple(9), gen=0), GONE[2])

    def adopt() -> None:
        yard.put(adopted)
        yard.zones.meanwhile = lambda: None

    yard.zones.meanwhile = adopt
    assert yard.deleted() == [name for name in GONE if name != GONE[2]]
    assert [len(batch.extra) for batch in yard.zones.sent] == [5, 4]
    assert read_fence(yard.sets(fence_name(GONE[2], ZONE_NAME))[0]) == read_fence(adopted)
    assert yard.line.sleeps == 1


def test_a_zone_that_is_stopped_meanwhile_keeps_them() -> None:
    """The switch is asserted."""
    yard = Yard(PLAIN)
    yard.zones.meanwhile = lambda: yard.put(switch_record(switch(1, yard.switch.plan, mode="stop")))
    assert yard.deleted() == []
    assert list(yard.zones.fences(ZONE, FLEET).fences) == list(GONE)


def test_a_zone_that_never_rests_is_told() -> None:
    """After so many tries, with what was to be done."""
    yard = Yard(PLAIN)
    count = iter(range(1, 100))

    def renew() -> None:
        yard.put(switch_record(switch(1, yard.switch.plan, nonce=f"{next(count):016x}")))

    yard.zones.meanwhile = renew
    with pytest.raises(NotDone, match=f"^deleting the tombstones of zone {ZONE} was not done"):
        yard.collect()

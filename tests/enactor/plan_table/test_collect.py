"""Collect: nothing goes that is referenced, whoever comes between, and what nothing references goes without rest."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from enactor import table_collecting
from enactor.collect import collect
from enactor.fence import Garbled
from enactor.plan import StoredPlan
from enactor.ports import Conflict, DamagedPlan, Stopping, Throttled, Unavailable
from enactor.references import Keep, meets, needs_of, stays_anyway, without, writable
from enactor.report_collect import CollectReport
from enactor.table import PlanTable

from .world import THEN, ZONE, Sure, World, Zones, draft, plan_of

pytestmark = pytest.mark.xdist_group("collect")

NOW = datetime(2026, 11, 30, tzinfo=UTC)
YOUNG = "2026-11-29T23:00:00Z"
ONE, TWO, THREE, FOUR = (f"192.0.2.{last}" for last in (1, 2, 3, 4))


@pytest.fixture
def zones() -> Zones:
    return Zones()


def run(store: PlanTable, zones: Zones, *, dry_run: bool = False, **more: Any) -> CollectReport:
    """Collect with only the newest plan kept whatever is referenced."""
    given: dict[str, Any] = {"keep_newest": 1, "now": NOW, "chance": Sure(), "ids": [ZONE]} | more
    return collect(store, zones, given.pop("ids"), dry_run=dry_run, **given)


def publish(store: PlanTable, *values: str, **more: Any) -> None:
    """Publish one plan for each address of ep1, one after the other."""
    for value in values:
        store.publish(draft(value, **more), parent=store.head())


def outcome(report: CollectReport) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return what became of each plan."""
    return [(plan.generation, plan.decision, plan.reasons) for plan in report.plans]


def left(store: PlanTable) -> list[int]:
    """Return the generations that can be read."""
    return [entry.generation for entry in store.list() if isinstance(store.read(entry.generation), StoredPlan)]


def once(verb: str, act: Callable[[], object], hooks: list[Any], *, skip: int = 0) -> None:
    """Let something happen at the first call of a kind, or at a later one."""
    count = 0

    def hook(seen: str, _: dict[str, Any]) -> None:
        nonlocal count
        count += seen == verb
        if count > skip:
            hooks.remove(hook)
            act()

    hooks.append(hook)


def test_what_nothing_references_goes(store: PlanTable, zones: Zones, world: World) -> None:
    """Two old plans, a zone that is open above them, a fence at the newest content: they go, with every chunk."""
    publish(store, ONE, TWO, THREE)
    zones.open(3)
    zones.fence("ep1", THREE)
    gone = (f"open-above:{ZONE}@3", "unreferenced")
    assert outcome(run(store, zones)) == [(3, "kept", ("head", "newest-n")), (2, "deleted", gone), (1, "deleted", gone)]
    assert left(store) == [3]
    assert len([key for key in world.sort_keys() if not key.startswith("chunk#")]) == 2
    assert len(world.sort_keys()) == 3


def test_a_dry_run_says_the_same_and_writes_nothing(zones: Zones, world: World) -> None:
    """Why each plan stays or goes, without one write."""
    store, hooks = world.actor()
    publish(store, ONE, TWO)
    zones.open(2)
    before = [world.item(key) for key in world.sort_keys()]
    hooks.before.append(lambda verb, _: pytest.fail(verb) if verb not in {"query", "get_item"} else None)
    report = run(store, zones, dry_run=True)
    gone = (f"open-above:{ZONE}@2", "unreferenced")
    assert outcome(report) == [(2, "kept", ("head", "newest-n")), (1, "would-delete", gone)]
    assert [world.item(key) for key in world.sort_keys()] == before


def test_the_newest_and_the_young_stay_without_a_look_at_any_zone(store: PlanTable, zones: Zones) -> None:
    """They only keep more: no zone is read for them, and every reason is said."""
    publish(store, ONE)
    publish(store, TWO, created_at=YOUNG)
    publish(store, THREE, FOUR)
    report = run(store, zones, keep_newest=3)
    unread = (f"zone-unreadable:{ZONE}",)
    assert outcome(report)[-2:] == [(2, "kept", ("newest-n", "younger-than-t")), (1, "kept", unread)]
    zones.reads = 0
    run(store, zones, keep_newest=4)
    assert zones.reads == 0


@pytest.mark.parametrize("created_at", ["yesterday", "2020-01-01T00:00:00", "", "2031-01-01T00:00:00Z"])
def test_an_age_that_nobody_can_tell_keeps(store: PlanTable, zones: Zones, created_at: str) -> None:
    """A time that cannot be read, bears no zone or lies ahead is no reason to delete."""
    publish(store, ONE, created_at=created_at)
    publish(store, TWO)
    zones.open(2)
    assert outcome(run(store, zones))[1] == (1, "kept", ("younger-than-t",))


def test_a_plan_that_a_fence_needs_stays(store: PlanTable, zones: Zones) -> None:
    """The newest plan with the fence's content is needed; an older one with the same content is not."""
    publish(store, ONE, ONE, TWO)
    zones.open(3)
    zones.fence("ep1", ONE)
    report = outcome(run(store, zones))
    assert report[1] == (2, "kept", (f"needed:{ZONE}/ep1.example.test.",))
    assert report[2][1] == "deleted"
    assert left(store) == [3, 2]


@pytest.mark.parametrize("state", ["live", "hold"])
def test_a_held_endpoint_needs_its_plan_as_a_live_one_does(store: PlanTable, zones: Zones, state: Any) -> None:
    """Case 12, the part of collect: the fence names gen 1, so gen 1 is there to go back to."""
    publish(store, ONE, TWO, THREE)
    zones.open(3)
    zones.fence("ep1", ONE, state=state)
    run(store, zones)
    assert left(store) == [3, 1]


def test_a_tombstone_needs_nothing(store: PlanTable, zones: Zones) -> None:
    """A retired name's fence keeps no plan."""
    publish(store, ONE, TWO)
    zones.open(2)
    zones.fence("ep1", ONE, state="retired")
    run(store, zones)
    assert left(store) == [2]


def test_a_garbled_fence_needs_every_content_of_its_endpoint(store: PlanTable, zones: Zones) -> None:
    """Nobody can tell which content it named: each stays, in its newest plan."""
    publish(store, ONE, TWO, ONE, THREE)
    zones.open(4)
    zones.garble("ep1")
    run(store, zones)
    assert left(store) == [4, 3, 2]


def test_a_fence_of_an_unknown_content_keeps_nothing(store: PlanTable, zones: Zones) -> None:
    """An adopted endpoint's fence names what a person put there: no plan has it, so none is needed for it."""
    publish(store, ONE, TWO)
    zones.open(2)
    zones.fence("ep1", "192.0.2.99")
    run(store, zones)
    assert left(store) == [2]


def test_a_pinned_plan_stays(store: PlanTable, zones: Zones) -> None:
    """Somebody asked for it; once it is unpinned it goes."""
    publish(store, ONE, TWO)
    zones.open(2)
    store.pin(1, reason="for the audit", by="ann", created_at=THEN)
    assert outcome(run(store, zones))[1] == (1, "kept", ("pinned",))
    store.unpin(1)
    run(store, zones)
    assert left(store) == [2]


@pytest.mark.parametrize("generation", [0, 1])
def test_a_plan_that_can_still_be_written_stays(store: PlanTable, zones: Zones, generation: int) -> None:
    """A zone at the plan's own generation, or below, may still meet a batch of it."""
    publish(store, ONE, TWO)
    zones.open(generation)
    assert outcome(run(store, zones))[1] == (1, "kept", (f"writable:{ZONE}",))


@pytest.mark.parametrize("switch", [None, Garbled("mode=stop, typed by a person")], ids=["absent", "unclear"])
def test_a_switch_that_says_no_generation_keeps(store: PlanTable, zones: Zones, switch: Garbled | None) -> None:
    """Stopped is not the same as open above: a person may bring the old text back."""
    publish(store, ONE, TWO)
    zones.open(2)
    zones.switches[ZONE] = switch
    assert outcome(run(store, zones))[1] == (1, "kept", (f"writable:{ZONE}",))


def test_a_plan_of_a_zone_that_cannot_be_read_stays(store: PlanTable, zones: Zones) -> None:
    """Not one of ours, or no answer: either keeps it, and the sentence about the failure is handed on."""
    publish(store, ONE, TWO)
    zones.open(2)
    unread = [(1, "kept", (f"zone-unreadable:{ZONE}",))]
    assert outcome(run(store, zones, ids=()))[1:] == unread
    zones.broken[ZONE] = Throttled("reading zone Z0EXAMPLE failed: Rate exceeded")
    report = run(store, zones)
    assert outcome(report)[1:] == unread
    assert report.unreadable == (f"{ZONE}: reading zone Z0EXAMPLE failed: Rate exceeded",)


def test_every_zone_that_a_plan_names_counts(store: PlanTable, zones: Zones) -> None:
    """Retired names too, and those that the body names where the manifest does not."""
    store.publish(draft(ONE, retired=("old.example.test.",)), parent=None)
    store.publish(draft(TWO, zone="Z1"), parent=store.head())
    publish(store, THREE)
    zones.open(3)
    assert outcome(run(store, zones))[1] == (2, "kept", ("zone-unreadable:Z1",))


def test_a_manifest_that_lost_its_zones_is_not_believed(store: PlanTable, zones: Zones, world: World) -> None:
    """The body names the zone that the manifest was made to forget."""
    publish(store, ONE, TWO)
    world.put(world.item("plan#000000000001") | {"zones": {"L": []}})
    zones.open(1)
    assert outcome(run(store, zones))[1] == (1, "kept", (f"writable:{ZONE}",))


def test_a_plan_that_cannot_be_read_stays(store: PlanTable, zones: Zones, world: World) -> None:
    """Another version may read what this one cannot; and a newer plan that cannot be read meets no need."""
    publish(store, ONE, ONE, TWO)
    chunk = next(key for key in world.sort_keys() if key.startswith(f"chunk#{store.list()[1].upload}"))
    world.remove(chunk)
    zones.open(3)
    zones.fence("ep1", ONE)
    report = outcome(run(store, zones))
    assert report[1:] == [(2, "kept", ("unreadable",)), (1, "kept", (f"needed:{ZONE}/ep1.example.test.",))]


def test_without_a_head_nothing_goes(store: PlanTable, zones: Zones, world: World) -> None:
    """HEAD is gone from the table: any plan may be the one that a person puts back."""
    publish(store, ONE, TWO)
    zones.open(2)
    world.remove("head")
    assert outcome(run(store, zones)) == [(2, "kept", ("head", "newest-n")), (1, "kept", ("head",))]


def test_a_pin_that_comes_first_keeps_and_one_that_comes_late_is_refused(zones: Zones, world: World) -> None:
    """A pin before the condemnation refuses it; a pin after it is refused: there is no third way."""
    store, hooks = world.actor()
    person = world.store()
    publish(store, ONE, TWO)
    zones.open(2)
    once("transact_write_items", lambda: person.pin(1, reason="r", by="ann", created_at=THEN), hooks.before)
    assert outcome(run(store, zones))[1] == (1, "kept", ("pinned",))
    assert left(store) == [2, 1]


def test_without_the_look_at_pins_a_pinned_plan_goes(
    zones: Zones, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tooth of the pin's condition."""
    monkeypatch.setattr(table_collecting, "PLAN_IS_NOT_PINNED", "attribute_not_exists(condemned)")
    store, hooks = world.actor()
    person = world.store()
    publish(store, ONE, TWO)
    zones.open(2)
    once("transact_write_items", lambda: person.pin(1, reason="r", by="ann", created_at=THEN), hooks.before)
    run(store, zones)
    assert left(store) == [2]
    assert store.pins() == {1}


def test_head_moved_onto_a_plan_keeps_it(zones: Zones, world: World) -> None:
    """A person restores an older HEAD while collect decides: the condemnation looks at HEAD in its own transaction."""
    store, hooks = world.actor()
    publish(store, ONE, TWO)
    zones.open(2)
    digest = world.item("plan#000000000001")["digest"]
    restored = world.item("head") | {"generation": {"N": "1"}, "digest": digest}
    once("transact_write_items", lambda: world.put(restored), hooks.before)
    assert outcome(run(store, zones))[1] == (1, "kept", ("head",))
    assert left(store) == [2, 1]


def test_a_reference_found_after_the_condemnation_puts_back(store: PlanTable, zones: Zones) -> None:
    """The fence names the plan's content only at the second look (a batch landed, then the zone was opened above)."""
    publish(store, ONE, TWO)
    zones.open(2)
    zones.before.append(lambda reads: zones.fence("ep1", ONE) if reads == 2 else None)
    assert outcome(run(store, zones))[1] == (1, "put-back", (f"needed:{ZONE}/ep1.example.test.",))
    assert left(store) == [2, 1]
    assert store.list()[1].condemned is None


@pytest.mark.parametrize("trouble", ["unread", "switch gone"])
def test_a_zone_in_trouble_at_the_second_look_puts_back(store: PlanTable, zones: Zones, trouble: str) -> None:
    """What the first look saw is not enough to delete by."""
    publish(store, ONE, TWO)
    zones.open(2)

    def strike(reads: int) -> None:
        if reads == 2 and trouble == "unread":
            zones.broken[ZONE] = Throttled("Rate exceeded")
        elif reads == 2:
            zones.switches[ZONE] = None

    zones.before.append(strike)
    assert outcome(run(store, zones))[1][1] == "put-back"
    assert left(store) == [2, 1]


def test_the_switches_are_read_before_the_fences_that_count(store: PlanTable, zones: Zones) -> None:
    """A listing comes in pages: the switch on a later page may be newer than a fence on an earlier one.

    Here every reading shows the fences of before and the switch of after. A collect that took both from one reading would
    delete the plan that the batch between them wrote.
    """
    publish(store, ONE, TWO)
    zones.open(1)
    zones.fence("ep1", THREE)

    class Torn(Zones):
        def fences(self, zone: str) -> Any:
            found = zones.fences(zone)
            zones.fence("ep1", ONE)
            zones.open(2)
            late = zones.fences(zone)
            return type(found)(zone=zone, zone_name=found.zone_name, switch=late.switch, fences=dict(found.fences))

    assert outcome(run(store, Torn()))[1][1] == "put-back"
    assert left(store) == [2, 1]


def test_what_stands_without_its_fence_needs_its_plan(store: PlanTable, zones: Zones) -> None:
    """A fence lost by hand is about to be written again, by an enactor that knows the plan: that plan stays."""
    publish(store, ONE, TWO, THREE)
    zones.open(3)
    zones.stand("ep1", TWO)
    verdicts = {generation: decision for generation, decision, *_ in outcome(run(store, zones))}
    assert (verdicts[1], verdicts[2]) == ("deleted", "kept")
    assert left(store) == [3, 2]


def test_a_zone_that_cannot_be_listed_keeps_the_plans_whose_names_have_no_fence_there(
    store: PlanTable, zones: Zones
) -> None:
    """What stands without a fence is not known, so nothing is deleted."""
    publish(store, ONE, TWO)
    zones.open(2)

    class Unlisted(Zones):
        def listing(self, zone: str) -> Any:
            raise Unavailable(f"zone {zone} did not answer")

        def fences(self, zone: str) -> Any:
            return zones.fences(zone)

    assert outcome(run(store, Unlisted()))[1][2] == ("zone-unreadable:" + ZONE,)
    assert left(store) == [2, 1]


def test_the_order_is_open_condemn_table_fences_delete(zones: Zones, world: World) -> None:
    """The order is the protection: no step of it may move."""
    store, hooks = world.actor()
    publish(store, ONE, TWO)
    zones.open(2)
    steps: list[str] = []
    zones.before.append(lambda _: steps.append("fences"))

    def hook(verb: str, arguments: dict[str, Any]) -> None:
        if verb == "query" and arguments["ExpressionAttributeValues"][":prefix"]["S"] == "plan#":
            steps.append("table")
        if verb == "transact_write_items":
            kinds = {kind for write in arguments["TransactItems"] for kind in write}
            steps.append("condemn" if "Update" in kinds else "delete")

    hooks.before.append(hook)
    run(store, zones)
    assert steps == ["table", "fences", "condemn", "table", "fences", "delete"]


def test_of_two_collectors_with_one_content_between_them_one_plan_stays(zones: Zones, world: World) -> None:
    """Both plans have the fence's content, and each collector counts on the other's plan: one of them sees the token and stops.

    The one collector condemned generation 1 and looked; before it deletes, another condemns generation 2.
    """
    store, hooks = world.actor()
    publish(store, ONE, ONE, TWO)
    zones.open(3)
    zones.fence("ep1", ONE)
    other = world.store()
    second = other.list()[1]

    def meanwhile() -> None:
        assert other.condemn(second, "token-2") == "condemned"

    once("transact_write_items", meanwhile, hooks.before)
    report = outcome(run(store, zones))
    assert report[2] == (1, "put-back", (f"needed:{ZONE}/ep1.example.test.",))
    assert left(store) == [3, 1]


def test_a_plan_taken_over_is_left_to_whoever_took_it(zones: Zones, world: World) -> None:
    """The token is another's by the time of the delete: nothing is deleted, and that is said."""
    store, hooks = world.actor()
    publish(store, ONE, TWO)
    zones.open(2)
    other = world.store()
    once("transact_write_items", lambda: other.condemn(other.list()[1], "token-2"), hooks.before, skip=1)
    assert outcome(run(store, zones))[1] == (1, "kept", ("changed",))
    assert other.list()[1].condemned == "token-2"


def test_head_moved_by_hand_onto_a_condemned_plan_keeps_it(zones: Zones, world: World) -> None:
    """Nobody's code does that; a person at the console may, between the condemnation and the delete. The next collect puts it back."""
    store, hooks = world.actor()
    publish(store, ONE, TWO)
    zones.open(2)
    first = store.list()[1]

    def moved() -> None:
        head = world.item("head")
        world.put({**head, "generation": {"N": "1"}, "digest": {"S": first.digest}})

    once("transact_write_items", moved, hooks.before, skip=1)
    assert outcome(run(store, zones))[1] == (1, "kept", ("changed",))
    assert outcome(run(store, zones))[1] == (1, "put-back", ("head",))
    assert left(store) == [2, 1]


def test_without_the_condition_on_the_delete_a_put_back_plan_goes(
    zones: Zones, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tooth of the delete's condition: another collector put the plan back because a fence needs it."""
    monkeypatch.setattr(table_collecting, "PLAN_IS_OURS_TO_DELETE", "attribute_exists(pk) OR #condemned = :token")
    store, hooks = world.actor()
    publish(store, ONE, TWO)
    zones.open(2)
    other = world.store()

    def put_back() -> None:
        entry = other.list()[1]
        assert entry.condemned is not None
        assert other.put_back(entry, entry.condemned)

    once("transact_write_items", put_back, hooks.before, skip=1)
    run(store, zones)
    assert left(store) == [2]


def test_a_put_back_by_another_collector_is_respected(zones: Zones, world: World) -> None:
    """The same as above, with the condition: the plan stays."""
    store, hooks = world.actor()
    publish(store, ONE, TWO)
    zones.open(2)
    other = world.store()
    once(
        "transact_write_items",
        lambda: other.put_back(other.list()[1], other.list()[1].condemned or ""),
        hooks.before,
        skip=1,
    )
    assert outcome(run(store, zones))[1] == (1, "kept", ("changed",))
    assert left(store) == [2, 1]


def test_a_rollback_during_the_look_reads_a_whole_plan_or_is_refused(zones: Zones, world: World) -> None:
    """A republish of a condemned plan is refused; after it is put back the rollback goes through."""
    store, hooks = world.actor()
    planner = world.store()
    publish(store, ONE, TWO)
    zones.open(2)
    zones.fence("ep1", TWO)
    refused: list[str] = []

    def republish() -> None:
        try:
            planner.publish(draft(ONE), parent=planner.head(), source=1)
        except Conflict as conflict:
            refused.append(str(conflict))

    once("transact_write_items", republish, hooks.before, skip=1)
    run(store, zones)
    assert "condemned" in refused[0]
    assert left(store) == [2]
    assert [upload.condemned for upload in store.uploads()] == [None]


def test_a_collector_killed_after_the_condemnation_is_taken_over(zones: Zones, world: World) -> None:
    """Nothing is lost and nothing stays behind: the next one deletes what nobody needs, and puts back what somebody does."""
    dead = world.store()
    publish(dead, ONE, TWO, THREE)
    for entry in dead.list()[1:]:
        assert dead.condemn(entry, "dead") == "condemned"
    zones.open(3)
    zones.fence("ep1", TWO)
    store = world.store()
    report = outcome(run(store, zones))
    assert [(generation, decision) for generation, decision, _ in report] == [
        (3, "kept"),
        (2, "put-back"),
        (1, "deleted"),
    ]
    assert left(store) == [3, 2]
    assert [entry.condemned for entry in store.list()] == [None, None]


def test_a_condemned_plan_that_stays_anyway_is_put_back(zones: Zones, world: World) -> None:
    """A dead collector kept fewer: what we keep whatever is referenced must be readable again."""
    dead = world.store()
    publish(dead, ONE, TWO)
    dead.condemn(dead.list()[1], "dead")
    assert outcome(run(world.store(), zones, keep_newest=2))[1] == (1, "put-back", ("newest-n",))
    assert left(dead) == [2, 1]


@pytest.mark.parametrize("skip", [0, 1], ids=["before the chunks", "before the upload"])
def test_a_collector_killed_among_the_deletes_leaves_nothing_half(zones: Zones, world: World, skip: int) -> None:
    """The manifest is gone before the first chunk: no plan is listed with half its chunks, and the next one sweeps the rest."""
    store, hooks = world.actor()
    publish(store, ONE, TWO)
    zones.open(2)

    def die() -> None:
        raise KeyboardInterrupt

    once("batch_write_item", die, hooks.before, skip=skip)
    with pytest.raises(KeyboardInterrupt):
        run(store, zones)
    other = world.store()
    assert other.read(1) is None
    assert [upload.condemned is not None for upload in other.uploads()] == [True]
    assert run(other, zones).uploads_swept == 1
    assert list(other.uploads()) == []
    assert len([key for key in world.sort_keys() if key.startswith("chunk#")]) == 1


def test_a_lost_answer_after_the_delete_is_looked_up(zones: Zones, world: World) -> None:
    """The manifest went, the answer did not come: a read shows it absent, so it is deleted (case 41)."""
    store, hooks = world.actor()
    publish(store, ONE, TWO)
    zones.open(2)

    def lose() -> None:
        response: Any = {
            "Error": {"Code": "TransactionCanceledException", "Message": "no"},
            "CancellationReasons": [{"Code": "ConditionalCheckFailed"}, {"Code": "None"}, {"Code": "None"}],
        }
        raise ClientError(response, "TransactWriteItems")

    once("transact_write_items", lose, hooks.after, skip=1)
    assert outcome(run(store, zones))[1][1] == "deleted"
    assert list(store.uploads()) == []


def test_old_half_done_uploads_are_swept_and_young_ones_are_left(zones: Zones, world: World) -> None:
    """A young upload is most likely a publish under way; only its age is a guess, and it only keeps more."""
    store, hooks = world.actor()

    def die() -> None:
        raise KeyboardInterrupt

    for created_at in (THEN, YOUNG):
        once("transact_write_items", die, hooks.before, skip=2)
        with pytest.raises(KeyboardInterrupt):
            store.publish(draft(ONE, created_at=created_at), parent=None)
    assert run(store, zones, dry_run=True).uploads_swept == 1
    assert len(store.uploads()) == 2
    assert run(store, zones).uploads_swept == 1
    assert [upload.created_at for upload in store.uploads()] == [YOUNG]
    assert run(store, zones, keep_hours=0).uploads_swept == 1
    assert world.sort_keys() == []


def test_an_upload_committed_meanwhile_is_no_leftover(zones: Zones, world: World) -> None:
    """The publisher commits between our listing and our condemnation: the plan stands, whole."""
    store, hooks = world.actor()
    collector = world.store()

    def sweep() -> None:
        seen.extend(collector.uploads())

    seen: list[Any] = []
    once("transact_write_items", sweep, hooks.before, skip=2)
    store.publish(draft(ONE), parent=None)
    assert len(seen) == 1
    assert not collector.sweep(seen[0], "token-1")
    assert left(store) == [1]


def test_a_second_run_finds_nothing_to_do(store: PlanTable, zones: Zones) -> None:
    """Case 41: collect is idempotent."""
    publish(store, ONE, TWO, THREE)
    zones.open(3)
    zones.fence("ep1", TWO)
    run(store, zones)
    kept = [(3, "kept", ("head", "newest-n")), (2, "kept", (f"needed:{ZONE}/ep1.example.test.",))]
    assert outcome(run(store, zones)) == kept
    assert outcome(run(store, zones)) == kept


def test_a_delayed_collect_deletes_nothing_of_a_later_plan(zones: Zones, world: World) -> None:
    """Case 11: it decided on gen 1 long ago, and starts its writes now that ep1 is at gen 4. Only gen 1 and 2 go."""
    store, hooks = world.actor()
    publish(store, ONE, TWO, THREE)
    zones.open(3)
    zones.fence("ep1", THREE)
    planner = world.store()

    def an_hour_later() -> None:
        publish(planner, FOUR)
        zones.open(4)
        zones.fence("ep1", FOUR)

    once("transact_write_items", an_hour_later, hooks.before)
    report = outcome(run(store, zones))
    assert [(generation, decision) for generation, decision, _ in report] == [
        (3, "kept"),
        (2, "deleted"),
        (1, "deleted"),
    ]
    assert left(store) == [4, 3]


def test_the_october_collect_keeps_what_a_name_stands_on(store: PlanTable, zones: Zones) -> None:
    """Case 12: B applied gen 4 to ep1 and collects; ep2 still stands on gen 2. Gen 1 and 3 go, gen 2 does not."""
    for values in ((ONE, ONE), (ONE, TWO), (ONE, THREE), (FOUR, FOUR)):
        store.publish(draft(*values), parent=store.head())
    zones.open(4)
    zones.fence("ep1", FOUR, gen=4)
    zones.fence("ep2", TWO, gen=2)
    run(store, zones)
    assert left(store) == [4, 2]


def test_needs_are_met_newest_first() -> None:
    """A content met by a newer plan is not needed of an older one; at a garbled fence each content is met once."""
    zones = Zones()
    zones.open(9)
    zones.fence("ep1", ONE)
    zones.garble("ep2")
    needs = needs_of({ZONE: zones.fences(ZONE)})
    newer = meets(plan_of(ONE, TWO), needs)
    assert len(newer) == 2
    needs = without(needs, newer)
    assert meets(plan_of(ONE, TWO), needs) == frozenset()
    assert len(meets(plan_of(ONE, THREE), needs)) == 1


def test_the_rules_that_keep_more_are_told_apart(store: PlanTable) -> None:
    """Each reason stands by itself, and all that hold are said."""
    publish(store, ONE, TWO, THREE)
    keep = Keep(newest=1, hours=24, now=NOW)
    reasons = stays_anyway(store.list(), 2, frozenset({1, 2}), keep)
    assert reasons == {3: ("newest-n",), 2: ("head", "pinned"), 1: ("pinned",)}


def test_open_above_means_above() -> None:
    """The switch at the plan's own generation still lets its batches land."""
    zones = Zones()
    zones.open(5)
    ranges = {ZONE: zones.fences(ZONE)}
    assert writable(5, [ZONE], ranges) == (f"writable:{ZONE}",)
    assert writable(4, [ZONE], ranges) == ()
    assert writable(4, [ZONE, "Z1"], ranges) == ("zone-unreadable:Z1",)


def test_a_condemned_plan_is_damage_to_its_readers_until_it_is_decided(store: PlanTable) -> None:
    """An enactor is not handed what may be gone in a moment."""
    publish(store, ONE, TWO)
    store.condemn(store.list()[1], "token-1")
    assert isinstance(store.read(1), DamagedPlan)


def test_a_stop_ends_a_collection_and_is_no_zone_that_cannot_be_read(store: PlanTable, zones: Zones) -> None:
    """A worker has ten seconds to end, and thousands of plans take longer; whatever was condemned the next collector takes over."""
    publish(store, ONE, TWO, THREE)
    zones.open(3)
    zones.broken[ZONE] = Stopping("asked to stop")
    with pytest.raises(Stopping):
        run(store, zones)
    zones.broken.clear()
    for calls in range(12):
        left_calls = iter(range(calls))

        def stop(left_calls: Iterator[int] = left_calls) -> None:
            if next(left_calls, None) is None:
                raise Stopping("asked to stop")

        try:
            run(store, zones, stop=stop)
        except Stopping:
            continue
        break
    assert 0 < calls < 11
    assert left(store) == [3]

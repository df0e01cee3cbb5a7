"""Publishing: whole or not at all, one winner, a lost answer looked up, and nothing left behind that nothing names."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, ReadTimeoutError

from enactor import table_publishing
from enactor.plan import StoredPlan, digest_of
from enactor.ports import Busy, Conflict, Draft, Missing, OutsideError, PlanHead, Throttled, Unavailable
from enactor.sandbox.faults import FaultRule
from enactor.sandbox.server import Sandbox
from enactor.table import PlanTable
from enactor.table_items import LOST_ANSWERS_LIMIT, TRIES
from enactor.table_keys import GENERATION_MAX

from .world import Hook, World, draft

pytestmark = pytest.mark.xdist_group("table_publishing")
WIRE = True

ONE = "192.0.2.1"
TWO = "192.0.2.2"


def is_commit(verb: str, arguments: dict[str, Any]) -> bool:
    """Tell whether a call is the transaction that makes a plan."""
    return verb == "transact_write_items" and any(
        write.get("Put", {}).get("Item", {}).get("sk", {}).get("S") == "head" for write in arguments["TransactItems"]
    )


def is_chunk(verb: str, arguments: dict[str, Any]) -> bool:
    """Tell whether a call writes a chunk."""
    return verb == "transact_write_items" and any(
        write.get("Put", {}).get("Item", {}).get("sk", {}).get("S", "").startswith("chunk#")
        for write in arguments["TransactItems"]
    )


def once(when: Callable[[str, dict[str, Any]], bool], act: Callable[[], object], hooks: list[Hook]) -> None:
    """Let something happen at the first call of a kind."""

    def hook(verb: str, arguments: dict[str, Any]) -> None:
        if when(verb, arguments):
            hooks.remove(hook)
            act()

    hooks.append(hook)


def lose(error: BaseException) -> Callable[[], object]:
    """Return an answer that never came."""

    def act() -> object:
        raise error

    return act


def cancelled(*codes: str) -> ClientError:
    """Return a cancelled transaction with these reasons."""
    response: Any = {
        "Error": {"Code": "TransactionCanceledException", "Message": "cancelled"},
        "CancellationReasons": [{"Code": code} for code in codes],
    }
    return ClientError(response, "TransactWriteItems")


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_publishing, "CHUNK_OCTETS", 60)


def test_the_loser_of_a_race_at_the_last_moment_is_told(world: World) -> None:
    """Case 13: both planners have written their chunks; one commits between the other's upload and its commit."""
    one, hooks = world.actor()
    other = world.store()
    once(is_commit, lambda: other.publish(draft(TWO), parent=None), hooks.before)
    with pytest.raises(Conflict, match=r"stands generation 1.*plan again"):
        one.publish(draft(ONE), parent=None)
    found = world.store().read(1)
    assert isinstance(found, StoredPlan)
    assert found.digest == digest_of(draft(TWO).body)
    assert one.publish(draft(ONE), parent=one.head()).generation == 2


def test_without_the_condition_on_head_a_plan_is_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tooth of HEAD's condition: without it a planner moves HEAD over another's plan that it never saw."""
    monkeypatch.setattr(table_publishing, "HEAD_IS_ABSENT", "")
    monkeypatch.setattr(table_publishing, "PLAN_IS_NEW", "")
    one, hooks = world.actor()
    once(is_commit, lambda: world.store().publish(draft(TWO), parent=None), hooks.before)
    one.publish(draft(ONE), parent=None)
    assert [entry.digest for entry in one.list()] == [digest_of(draft(ONE).body)]


@pytest.mark.parametrize(
    "error",
    [ReadTimeoutError(endpoint_url="there"), ConnectionClosedError(endpoint_url="there")],
    ids=["time-out", "disconnect"],
)
def test_a_lost_answer_after_the_commit_is_looked_up(world: World, error: Exception) -> None:
    """The commit landed and its answer did not: the plan is published, once, under this planner's word."""
    store, hooks = world.actor()
    once(is_commit, lose(error), hooks.after)
    assert store.publish(draft(ONE), parent=None).generation == 1
    assert [entry.generation for entry in store.list()] == [1]
    assert [key for key in world.sort_keys() if key.startswith("upload#")] == []


def test_a_commit_that_dynamodb_forgot_is_known_by_its_token(world: World) -> None:
    """The answer comes back as a refusal (DynamoDB remembers a request for ten minutes): the manifest's token tells whose it is."""
    store, hooks = world.actor()
    once(is_commit, lose(cancelled("ConditionalCheckFailed", "None", "None", "None")), hooks.after)
    assert store.publish(draft(ONE), parent=None).generation == 1


def test_a_commit_built_upon_before_its_answer_came_is_ours(world: World) -> None:
    """The answer is lost, and another planner publishes on top before we look: our plan was published all the same."""
    store, hooks = world.actor()
    other = world.store()

    def meanwhile() -> object:
        other.publish(draft(ONE, TWO), parent=other.head())
        raise cancelled("ConditionalCheckFailed", "ConditionalCheckFailed", "ConditionalCheckFailed", "None")

    once(is_commit, meanwhile, hooks.after)
    assert store.publish(draft(ONE), parent=None).generation == 1
    assert [entry.generation for entry in store.list()] == [2, 1]


def test_a_server_fault_after_the_commit_on_the_wire_is_survived(world: World, sandbox: Sandbox) -> None:
    """A 500 after the transaction was applied, as the SDK sees it: one plan, no conflict."""
    sandbox.add_fault(FaultRule(action="error-after", service="dynamodb", contains="plan#000000000001"))
    assert world.store().publish(draft(ONE), parent=None).generation == 1


def test_no_answer_at_all_is_said_and_not_assumed(world: World) -> None:
    """When every try is lost the planner hears that it is unknown, after a bounded number of tries, all of one token."""
    store, hooks = world.actor()
    tokens: list[str] = []

    def hook(verb: str, arguments: dict[str, Any]) -> None:
        if is_commit(verb, arguments):
            tokens.append(arguments["ClientRequestToken"])
            raise ConnectionClosedError(endpoint_url="there")

    hooks.before.append(hook)
    with pytest.raises(Unavailable, match=r"publishing generation 1 failed at table plans-\d+ in eu-west-1.*look"):
        store.publish(draft(ONE), parent=None)
    assert len(tokens) == LOST_ANSWERS_LIMIT
    assert len(set(tokens)) == 1
    assert store.head() is None


@pytest.mark.parametrize(
    ("reasons", "error"),
    [(("TransactionConflict", "None"), Busy), (("None", "ThrottlingError"), Throttled)],
)
def test_contention_is_waited_for_within_a_bound(
    world: World, reasons: tuple[str, ...], error: type[Exception]
) -> None:
    """Another transaction on the same items, or a spent budget, says nothing about our conditions: wait, then give up."""
    store, hooks = world.actor()
    tries = 0

    def hook(verb: str, _: dict[str, Any]) -> None:
        nonlocal tries
        if verb == "transact_write_items":
            tries += 1
            raise cancelled(*reasons) if error is Busy else throttled()

    hooks.before.append(hook)
    with pytest.raises(error):
        store.publish(draft(ONE), parent=None)
    assert tries == TRIES
    assert world.clock.waits == TRIES - 1


def throttled() -> ClientError:
    """Return a throttled call."""
    return ClientError({"Error": {"Code": "ThrottlingException", "Message": "Rate exceeded"}}, "TransactWriteItems")


def test_contention_that_ends_is_no_error(world: World) -> None:
    """One conflict with another transaction is tried again, and is not taken for a refusal."""
    store, hooks = world.actor()
    once(is_commit, lose(cancelled("TransactionConflict", "None", "None", "None")), hooks.before)
    assert store.publish(draft(ONE), parent=None).generation == 1


@pytest.mark.usefixtures("small_chunks")
def test_a_publisher_killed_between_chunks_and_commit_leaves_no_plan(world: World) -> None:
    """Half an upload is no plan: HEAD stays, nothing is listed, and sweeping it leaves nothing."""
    store, hooks = world.actor()
    once(is_commit, lose(KeyboardInterrupt()), hooks.before)
    with pytest.raises(KeyboardInterrupt):
        store.publish(draft(ONE), parent=None)
    other = world.store()
    assert other.head() is None
    assert list(other.list()) == []
    (upload,) = other.uploads()
    assert other.sweep(upload, "token-1")
    assert world.sort_keys() == []


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stage", [is_chunk, is_commit], ids=["at a chunk", "at the commit"])
def test_a_publisher_that_wakes_up_after_the_sweep_fails(world: World, stage: Callable[..., bool]) -> None:
    """A paused publisher whose upload was swept can neither commit nor leave a chunk that nothing names; it can publish again."""
    store, hooks = world.actor()
    collector = world.store()
    once(stage, lambda: [collector.sweep(upload, "token-1") for upload in collector.uploads()], hooks.before)
    with pytest.raises(Conflict, match=r"swept by a collector.*publish again"):
        store.publish(draft(ONE), parent=None)
    assert world.sort_keys() == []
    assert store.publish(draft(ONE), parent=None).generation == 1


@pytest.mark.usefixtures("small_chunks")
def test_a_condemned_upload_cannot_be_committed(world: World) -> None:
    """The sweep was only begun: the upload is condemned, its chunks still there. The commit fails all the same."""
    store, hooks = world.actor()
    collector, collecting = world.actor()

    def begin() -> None:
        collecting.before.append(_no_batch)
        (upload,) = collector.uploads()
        with pytest.raises(InterruptedError):
            collector.sweep(upload, "token-1")

    once(is_commit, begin, hooks.before)
    with pytest.raises(Conflict, match="condemned by a collector"):
        store.publish(draft(ONE), parent=None)
    assert store.head() is None


def _no_batch(verb: str, _: dict[str, Any]) -> None:
    if verb == "batch_write_item":
        raise InterruptedError


def test_without_the_condition_on_the_upload_a_plan_without_chunks_is_published(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tooth of the upload's condition: HEAD would name a plan whose chunks were swept."""
    monkeypatch.setattr(table_publishing, "UPLOAD_IS_OURS", "attribute_not_exists(pk) OR #token = :token")
    store, hooks = world.actor()
    collector = world.store()
    once(is_commit, lambda: [collector.sweep(upload, "token-1") for upload in collector.uploads()], hooks.before)
    store.publish(draft(ONE), parent=None)
    assert not isinstance(store.read(1), StoredPlan)


def test_floor_raised_before_the_commit_is_met(world: World) -> None:
    """An enactor met a higher switch between our look at FLOOR and our commit: the plan is numbered above it, or not at all."""
    store, hooks = world.actor()
    once(is_commit, lambda: world.store().raise_floor(12), hooks.before)
    with pytest.raises(Conflict, match="met at generation 12"):
        store.publish(draft(ONE), parent=None)
    assert store.publish(draft(ONE), parent=None).generation == 13


def test_a_source_condemned_before_the_commit_is_met(world: World) -> None:
    """A republish and a collector race: the source's condemnation refuses the commit."""
    store, hooks = world.actor()
    first = store.publish(draft(ONE), parent=None)
    store.publish(draft(TWO), parent=store.head())
    once(is_commit, lambda: world.store().condemn(first, "token-1"), hooks.before)
    with pytest.raises(Conflict, match="condemned"):
        store.publish(draft(ONE), parent=store.head(), source=1)


def test_head_moved_back_by_hand_does_not_wedge_the_fleet(world: World) -> None:
    """A person set HEAD to an older plan: the next publish goes above every plan that is there."""
    store = world.store()
    for value in (ONE, TWO, ONE):
        store.publish(draft(value), parent=store.head())
    head = world.item("head")
    world.put(head | {"generation": {"N": "1"}, "digest": world.item("plan#000000000001")["digest"]})
    assert store.publish(draft(TWO), parent=store.head()).generation == 4


@pytest.mark.usefixtures("small_chunks")
def test_a_chunk_whose_answer_was_lost_is_written_once(world: World) -> None:
    """The same chunk sent again is the same chunk."""
    store, hooks = world.actor()
    once(is_chunk, lose(ReadTimeoutError(endpoint_url="there")), hooks.after)
    store.publish(draft(ONE), parent=None)
    assert isinstance(store.read(1), StoredPlan)


def test_every_conditional_write_asks_who_won_and_carries_a_token(world: World) -> None:
    """ALL_OLD at each condition, a ClientRequestToken at each transaction, and no conditional write outside of one."""
    store, hooks = world.actor()
    calls: list[tuple[str, dict[str, Any]]] = []
    hooks.before.append(lambda verb, arguments: calls.append((verb, arguments)))
    _everything(store)
    writes = [arguments for verb, arguments in calls if verb == "transact_write_items"]
    parts = [part for write in writes for item in write["TransactItems"] for part in item.values()]
    conditions = [part for part in parts if "ConditionExpression" in part]
    assert len(conditions) > 10
    assert all(part["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD" for part in conditions)
    assert len({write["ClientRequestToken"] for write in writes}) == len(writes)
    others = [arguments for verb, arguments in calls if verb in {"put_item", "update_item", "delete_item"}]
    assert not any("ConditionExpression" in arguments for arguments in others)


def _everything(store: Any) -> None:
    first = store.publish(draft(ONE), parent=None)
    store.publish(draft(TWO), parent=store.head(), source=1)
    store.raise_floor(2)
    store.pin(1, reason="a test", by="ann", created_at="")
    store.unpin(1)
    store.condemn(first, "token-1")
    store.put_back(first, "token-1")
    store.condemn(first, "token-2")
    store.delete(first, "token-2")


def test_a_body_of_20_mb_that_does_not_compress_works(world: World) -> None:
    """60 chunks and more, read back over many pages to the octet, then deleted without rest."""
    body = random.Random(2025).randbytes(20_000_000)
    big = Draft(body=body, zones=("Z0EXAMPLE",), endpoints=1, planner="p", reason="", created_at="")
    store = world.store()
    entry = store.publish(big, parent=None)
    assert len(world.item("plan#000000000001")["chunks"]["L"]) == 58
    assert store.body(entry) == body
    store.publish(draft(ONE), parent=store.head())
    store.condemn(entry, "token-1")
    assert store.delete(entry, "token-1")
    assert len([key for key in world.sort_keys() if key.startswith("chunk#")]) == 1


def test_a_missing_table_is_one_sentence(world: World) -> None:
    """What, where, and what to do; for reads and writes alike."""
    gone = World(world.raw, "nowhere").store()
    for act in (gone.head, lambda: gone.publish(draft(ONE), parent=None), lambda: gone.raise_floor(1)):
        with pytest.raises(Missing, match=r"at table nowhere in eu-west-1: .*`enactor init`"):
            act()


def test_unprocessed_deletes_are_sent_again_within_a_bound(world: World) -> None:
    """DynamoDB may take a part of a batch: the rest is sent again, and a budget that never comes back is said."""
    store, hooks = world.actor()
    hooks.replies["batch_write_item"] = _takes_nothing
    first = store.publish(draft(ONE), parent=None)
    store.publish(draft(TWO), parent=store.head())
    store.condemn(first, "token-1")
    with pytest.raises(Throttled, match="1 items were left"):
        store.delete(first, "token-1")
    del hooks.replies["batch_write_item"]
    (upload,) = store.uploads()
    assert store.sweep(upload, "token-2")
    assert list(store.uploads()) == []


def _takes_nothing(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"UnprocessedItems": arguments["RequestItems"]}


def test_where_no_generation_is_left_publishing_is_refused_with_a_sentence(store: PlanTable) -> None:
    """Somebody typed twelve nines into a switch, and FLOOR followed."""
    head = store.publish(draft(ONE), parent=None)
    store.raise_floor(GENERATION_MAX)
    with pytest.raises(OutsideError, match="no generation is left above 999999999999"):
        store.publish(draft(TWO), parent=PlanHead(head.generation, head.digest))
    assert list(store.uploads()) == []

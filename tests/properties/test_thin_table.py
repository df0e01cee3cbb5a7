"""The simulator's plan table held against the product's on DynamoDB: the same operations, the same answers, the same items."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mypy_boto3_dynamodb import DynamoDBClient

from enactor import table_collecting, table_publishing
from enactor.ports import Announcement, OutsideError, PlanEntry, PlanHead, Upload
from enactor.sandbox.server import Sandbox
from enactor.sandbox.zone_model import Zone
from enactor.table import PlanTable, table_client
from enactor.table_items import DELETE_BATCH_ITEMS, Value, Write, _decoded, _encoded
from tests.enactor.plan_table.world import FLEET, Still, Sure, draft
from tests.simulator.thin_ports import ThinTable

from .bounds import bounded
from .model_line import ModelLine

pytestmark = pytest.mark.xdist_group("properties_on_the_sandbox")

PARTITION: Final = f"fleet#{FLEET}"
CHUNK_OCTETS: Final = 80
"""So small that every plan has several chunks."""
NONCE: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])")
ADDRESSES: Final = (("192.0.2.1",), ("192.0.2.2",), ("192.0.2.1", "192.0.2.2", "192.0.2.3"), ())
FLOORS: Final = (1, 3, 5, 40)
TOKENS: Final = ("token-1", "token-2")
NOW: Final = "2026-11-30T00:00:00Z"
HISTORY: Final = datetime(2026, 11, 30, tzinfo=UTC)


Items = Mapping[str, Mapping[str, Value]]
"""Every item of a table, by its sort key."""


class Step(NamedTuple):
    """One operation: its verb, and which of the things known by then it is about."""

    verb: str
    which: int
    how: int


class Side:
    """One store, its items, and what somebody who uses it remembers."""

    def __init__(
        self,
        store: PlanTable,
        items: Callable[[], Items],
        write: Callable[[str, Mapping[str, Value] | None], None],
    ) -> None:
        self.store = store
        self.items = items
        self.write = write
        self.entries = list(store.list())
        self.heads: list[PlanHead | None] = [None]
        self.found: list[Upload] = []
        self._names: dict[str, str] = {}

    def do(self, step: Step) -> str:
        """Take a step and return what came of it, nonces by the order in which they were first seen."""
        verb: Callable[[int, int], object] = getattr(self, step.verb)
        try:
            answer = repr(verb(step.which, step.how))
        except OutsideError as error:
            answer = f"{type(error).__name__}: {error}"
        return self.plain(answer)

    def plain(self, text: str) -> str:
        """Return a text that is the same for two stores that do the same."""
        named = NONCE.sub(lambda found: self._names.setdefault(found[0], f"nonce {len(self._names)}"), text)
        return re.sub(r"the model's table|table plans-\d+ in [a-z0-9-]+", "the table", named)

    def dump(self) -> str:
        """Return every item as text."""
        return self.plain("\n".join(f"{sk}: {sorted(item.items())}" for sk, item in sorted(self.items().items())))

    def publish(self, which: int, how: int) -> object:
        self.heads.append(self.store.head())
        parent = self.heads[which % len(self.heads)] if how == 3 else self.heads[-1]
        source = self._entry(which).generation if how == 2 and self.entries else None
        entry = self.store.publish(draft(*ADDRESSES[which % 4]), parent=parent, source=source)
        self.entries.append(entry)
        return entry

    def raise_floor(self, which: int, _how: int) -> None:
        self.store.raise_floor(FLOORS[which % len(FLOORS)])

    def pin(self, which: int, how: int) -> None:
        self.store.pin(self._generation(which), reason=f"reason {how}", by="ann", created_at=NOW)

    def unpin(self, which: int, _how: int) -> None:
        self.store.unpin(self._generation(which))

    def condemn(self, which: int, how: int) -> object:
        return self._about(which, lambda entry: self.store.condemn(entry, TOKENS[how % 2]))

    def put_back(self, which: int, how: int) -> object:
        return self._about(which, lambda entry: self.store.put_back(entry, TOKENS[how % 2]))

    def delete(self, which: int, how: int) -> object:
        return self._about(which, lambda entry: self.store.delete(entry, TOKENS[how % 2]))

    def collect(self, which: int, how: int) -> object:
        return [self.condemn(which, how), self.delete(which, how)] if how else self.condemn(which, how)

    def body(self, which: int, _how: int) -> object:
        return self._about(which, self.store.body)

    def list(self, which: int, how: int) -> object:
        found = self.store.list()
        if how:
            self.entries = [*self.entries[-2:], *found]
        return found

    def read(self, which: int, _how: int) -> object:
        return self.store.read(self._generation(which))

    def look(self, _which: int, _how: int) -> object:
        return self.store.head(), self.store.floor(), sorted(self.store.pins()), self.store.announcements()

    def uploads(self, _which: int, _how: int) -> object:
        self.found += self.store.uploads()
        return self.store.uploads()

    def sweep(self, which: int, how: int) -> object:
        self.found += self.store.uploads() if how else ()
        return self.store.sweep(self.found[which % len(self.found)], TOKENS[how % 2]) if self.found else None

    def announce(self, which: int, how: int) -> None:
        self.store.announce(Announcement(f"e-{how}", f"{which:016x}", which, NOW, "0123456789ab" if how else ""))

    def record(self, which: int, how: int) -> None:
        facts: dict[str, Value] = {"verb": "swap", "zone": f"Z{how}", "swaps": ("api.example.test. 1 p n c p",) * how}
        self.store.record(facts, at=HISTORY + timedelta(seconds=which), event=f"{which:016x}")

    def events(self, which: int, how: int) -> object:
        return self.store.events(HISTORY + timedelta(seconds=how), lambda event: event.zone != "Z1", most=which)

    def lose(self, which: int, _how: int) -> object:
        """A person deletes an item."""
        sks = sorted(self.items())
        if sks:
            self.write(sks[which % len(sks)], None)
        return len(sks)

    def spoil(self, which: int, how: int) -> object:
        """A person takes an attribute out of an item, or types over it."""
        sks = sorted(self.items())
        if sks:
            sk = sks[which % len(sks)]
            item = dict(self.items()[sk])
            field = sorted(item)[how % len(item)] if item else ""
            self.write(sk, {name: value for name, value in item.items() if name != field})
        return len(sks)

    def _entry(self, which: int) -> PlanEntry:
        return self.entries[which % len(self.entries)]

    def _about(self, which: int, verb: Callable[[PlanEntry], object]) -> object:
        return verb(self._entry(which)) if self.entries else None

    def _generation(self, which: int) -> int:
        return self._entry(which).generation if self.entries and which < 6 else which + 1


VERBS: Final = (
    "publish",
    "publish",
    "publish",
    "collect",
    "collect",
    "condemn",
    "put_back",
    "delete",
    "sweep",
    "pin",
    "list",
    "read",
)
RARE: Final = ("raise_floor", "unpin", "body", "look", "uploads", "announce", "record", "events", "lose", "spoil")
steps = st.lists(
    st.builds(Step, st.one_of(st.sampled_from(VERBS), st.sampled_from(RARE)), st.integers(0, 7), st.integers(0, 3)),
    min_size=3,
    max_size=9,
)
BEFORE: Final = (Step("publish", 0, 0), Step("publish", 1, 0), Step("publish", 0, 3), Step("publish", 2, 0))
"""Three plans, and an upload that was given up."""


@pytest.fixture(scope="module")
def dynamodb() -> Iterator[DynamoDBClient]:
    session = boto3.Session(aws_access_key_id="testing", aws_secret_access_key="testing", region_name="eu-west-1")
    with Sandbox() as sandbox:
        client = table_client(session, endpoint_url=sandbox.endpoint_url)
        yield client
        client.close()


@pytest.fixture(scope="module", autouse=True)
def small_chunks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_publishing, "CHUNK_OCTETS", CHUNK_OCTETS)
        yield


def real_side(client: DynamoDBClient, table: str, before: Items) -> Side:
    """Return the product's store on a fresh table of the sandbox, with some items in it."""
    client.create_table(
        TableName=table,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    )

    for start in range(0, len(before), DELETE_BATCH_ITEMS):
        sks = sorted(before)[start : start + DELETE_BATCH_ITEMS]
        client.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": item_of(sk, before[sk])}} for sk in sks]})

    def items() -> Items:
        found = [dict(_decoded(item)) for item in client.scan(TableName=table, ConsistentRead=True)["Items"]]
        return {str(item.pop("sk")): item for item in found}

    def write(sk: str, item: Mapping[str, Value] | None) -> None:
        key: Any = {"pk": {"S": PARTITION}, "sk": {"S": sk}}
        if item is None:
            client.delete_item(TableName=table, Key=key)
        else:
            client.put_item(TableName=table, Item=item_of(sk, item))

    return Side(PlanTable(client, table, FLEET, clock=Still(), chance=Sure()), items, write)


def item_of(sk: str, item: Mapping[str, Value]) -> dict[str, Any]:
    """Return an item as DynamoDB takes it."""
    return {"pk": {"S": PARTITION}, "sk": {"S": sk}} | {name: _encoded(value) for name, value in item.items()}


def thin_side(before: Items) -> Side:
    """Return the simulator's store, with the same items in it."""
    line = ModelLine(Zone.empty("Z1", "example.test"))
    line.table = {sk: tuple(sorted(item.items())) for sk, item in before.items()}

    def items() -> Items:
        return {sk: dict(item) for sk, item in line.table.items()}

    def write(sk: str, item: Mapping[str, Value] | None) -> None:
        others = {key: value for key, value in line.table.items() if key != sk}
        line.table = others if item is None else {**others, sk: tuple(sorted(item.items()))}

    return Side(ThinTable(line, FLEET), items, write)


_tables = itertools.count()


@pytest.fixture(scope="module")
def before(dynamodb: DynamoDBClient, small_chunks: None) -> Items:
    side = real_side(dynamodb, "plans-before", {})
    for step in BEFORE:
        side.do(step)
    assert len(side.store.list()) == 3
    assert len(side.store.uploads()) == 1
    return side.items()


@given(story=steps)
@bounded(24)
def test_the_thin_table_does_what_the_table_does(dynamodb: DynamoDBClient, before: Items, story: list[Step]) -> None:
    """Whatever planners, operators, collectors and a clumsy person do, each answer is the same, and so is every item left."""
    table = f"plans-{next(_tables)}"
    real, thin = real_side(dynamodb, table, before), thin_side(before)
    for number, step in enumerate(story):
        assert thin.do(step) == real.do(step), f"step {number}: {step}"
    assert thin.dump() == real.dump()
    dynamodb.delete_table(TableName=table)


CONDITIONS: Final = sorted(
    {
        text
        for module in (table_publishing, table_collecting)
        for name, text in vars(module).items()
        if name.isupper() and isinstance(text, str) and ("attribute_" in text or "#" in text)
    }
)
"""Every condition and update of the product."""
TEXTS: Final = ("token-1", "token-2")
BARE: Final = ("#generation <> :generation", "#generation < :generation", "#token = :token")
"""The comparisons that they are made of, alone: of an attribute that is not there, too."""
conditions = st.sampled_from([*BARE, *(text for text in CONDITIONS if not text.startswith(("SET ", "REMOVE ")))])
updates = st.sampled_from([text for text in CONDITIONS if text.startswith(("SET ", "REMOVE "))])


def attributes(
    numbers: tuple[str, ...], texts: tuple[str, ...], *, all_of_them: bool
) -> st.SearchStrategy[dict[str, Value]]:
    """Return a strategy of attributes, so few values of each that they meet."""
    known: dict[str, st.SearchStrategy[Value]] = dict.fromkeys(numbers, st.integers(1, 3))
    known |= dict.fromkeys(texts, st.sampled_from(TEXTS))
    return st.fixed_dictionaries(known) if all_of_them else st.fixed_dictionaries({}, optional=known)


stored = st.none() | attributes(("generation",), ("digest", "token", "condemned", "upload"), all_of_them=False)
told = attributes(("generation", "parent"), ("parent_digest", "digest", "token", "upload", "seen"), all_of_them=True)


@st.composite
def writes(draw: st.DrawFn, sk: str) -> Write:
    """Draw a conditional write of any kind, with just the values that it names."""
    condition, update = draw(conditions), draw(st.none() | updates)
    how = draw(st.sampled_from(("check", "put", "delete")))
    text = f"{condition} {update}"
    values = {name: value for name, value in draw(told).items() if re.search(rf":{name}\b", text)}
    if update is not None:
        return Write(sk=sk, update=update, condition=condition, values=values)
    item = {"upload": sk} if how == "put" else None
    return Write(sk=sk, item=item, delete=how == "delete", condition=condition, values=values)


@given(
    items=st.lists(stored, min_size=8, max_size=8),
    asked=st.tuples(*(writes(f"item{number}") for number in range(8))),
    alone=st.booleans(),
)
@bounded(30)
def test_every_condition_means_the_same(
    dynamodb: DynamoDBClient, items: list[dict[str, Value] | None], asked: tuple[Write, ...], alone: bool
) -> None:
    """On any item, whole, poorer or absent, the product's conditions hold or fail alike, with the same items shown as the reason."""
    before = {f"item{number}": item for number, item in enumerate(items) if item}
    table = f"plans-{next(_tables)}"
    real, thin = real_side(dynamodb, table, before), thin_side(before)
    for batch in [(one,) for one in asked[:3]] if alone else [asked]:
        found = [side.store._reading._items.transact(batch, what="a test") for side in (thin, real)]
        assert found[0] == found[1], batch
    assert thin.dump() == real.dump()
    dynamodb.delete_table(TableName=table)

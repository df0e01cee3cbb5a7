"""Decide nothing: read and write items of the plan table, and turn DynamoDB's answers into the words of `ports`.

Every read is strongly consistent and follows every page. Every conditional write is a transaction, of one item too: it carries
a ClientRequestToken, so that a lost answer can be asked for again (DynamoDB remembers it for ten minutes), asks for the item
that refused it, and is told apart from a failure: `Refusal` is an answer, an exception is none. It must never resend a write
under a new token, and never take a lost answer for a refusal.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from enactor.aws_errors import (
    ADVICE_UNAVAILABLE,
    AWS_ERRORS,
    NOT_AWS,
    AwsError,
    error_code,
    is_not_aws,
    outside_error,
)
from enactor.ports import Busy, Chance, Clock, OutsideError, Throttled, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        AttributeValueTypeDef,
        TransactWriteItemTypeDef,
        UniversalAttributeValueTypeDef,
    )

TRIES: Final = 8
"""How often one write is sent in all; with the waits below a throttled partition gets about ten seconds to recover."""
LOST_ANSWERS_LIMIT: Final = 3
"""How often one write is sent without any answer: the SDK has tried by itself each time, and time-outs add up."""
WAIT_FIRST_SECONDS: Final = 0.1
WAIT_LIMIT_SECONDS: Final = 4.0
DELETE_BATCH_ITEMS: Final = 25
"""DynamoDB: BatchWriteItem takes at most 25 requests."""
PAGES_LIMIT: Final = 10_000
"""A query that has not ended by then goes round in circles: 10 GB, far over what a fleet keeps."""

Value = str | int | bytes | tuple[str, ...]
Item = Mapping[str, Value]

T = TypeVar("T")

_NAME: Final = re.compile(r"#(\w+)")
_CANCELED: Final = "TransactionCanceledException"
_REFUSED: Final = "ConditionalCheckFailed"
_CONTENDED: Final = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
"""Reasons of a cancelled transaction that say nothing about our conditions: another transaction or the budget was in the way."""
_CONTENDED_ERRORS: Final = frozenset({"TransactionInProgressException", "TransactionConflictException"})


class GarbledItem(ValueError):  # noqa: N818 - a named state like `Garbled`, not "...Error"
    """An item of the table that is not what it should be, and why."""


class Refusal(msgspec.Struct, frozen=True):
    """Which writes of a transaction failed their condition, in order, and the items that stood in the way."""

    failed: tuple[bool, ...]
    items: tuple[Item | None, ...]


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """One write of a transaction, or with `update` empty and neither `item` nor `delete` a mere check."""

    sk: str
    item: Item | None = None
    update: str = ""
    delete: bool = False
    condition: str = ""
    values: Item = {}


class Items:
    """The items of one fleet: its partition of the table."""

    def __init__(self, client: "DynamoDBClient", table: str, fleet: str, *, clock: Clock, chance: Chance) -> None:
        self.fleet = fleet
        self.chance = chance
        self.where = f"table {table} in {client.meta.region_name}"
        self._client = client
        self._table = table
        self._clock = clock
        self._pk: UniversalAttributeValueTypeDef = {"S": f"fleet#{fleet}"}

    def get(self, sk: str, *, what: str) -> Item | None:
        """Return one item as it stands now."""
        answer = self._asked(
            lambda: self._client.get_item(TableName=self._table, Key=self._key(sk), ConsistentRead=True), what
        )
        item = answer.get("Item")
        return None if item is None else _decoded(item)

    def under(self, prefix: str, *, what: str, newest_first: bool = False, keys_only: bool = False) -> Iterator[Item]:
        """Yield every item whose sort key starts so, in order, page by page."""
        arguments: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
            "ExpressionAttributeValues": {":pk": self._pk, ":prefix": {"S": prefix}},
            "ConsistentRead": True,
            "ScanIndexForward": not newest_first,
        } | ({"ProjectionExpression": "sk"} if keys_only else {})
        for _ in range(PAGES_LIMIT):
            answer = self._asked(lambda: self._client.query(**arguments), what)
            yield from (_decoded(item) for item in answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            arguments["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        raise Unavailable(f"{what} failed at {self.where}: it has more than {PAGES_LIMIT} pages; look at the table")

    def put(self, sk: str, item: Item, *, what: str) -> None:
        """Write one item, whatever stood there."""
        whole = {"pk": self._pk, "sk": _encoded(sk)} | {name: _encoded(value) for name, value in item.items()}
        self._asked(lambda: self._client.put_item(TableName=self._table, Item=whole), what)

    def transact(self, writes: Sequence[Write], *, what: str) -> Refusal | None:
        """Apply all writes or none. A Refusal after a lost answer may be our own earlier success: callers look for their token."""
        token = self.chance.nonce()
        encoded = [self._write(write) for write in writes]
        failure: OutsideError | None = None
        lost = 0
        for attempt in range(TRIES):
            self._wait(attempt)
            try:
                answer = self._client.transact_write_items(TransactItems=encoded, ClientRequestToken=token)
            except ClientError as error:
                refusal = _refusal(error, len(writes))
                if refusal is not None:
                    return refusal
                failure = self._transient(error, what)
            except (BotoCoreError, ResponseParserError) as error:
                failure = self._transient(error, what)
            else:
                if not is_not_aws(answer):
                    return None
                failure = self._not_aws(what)
            lost += isinstance(failure, Unavailable)
            if lost == LOST_ANSWERS_LIMIT:
                break
        assert failure is not None
        raise failure

    def delete_all(self, sks: Sequence[str], *, what: str) -> None:
        """Delete items unconditionally, in bounded batches, until DynamoDB took every one."""
        for start in range(0, len(sks), DELETE_BATCH_ITEMS):
            left = [{"DeleteRequest": {"Key": self._key(sk)}} for sk in sks[start : start + DELETE_BATCH_ITEMS]]
            for attempt in range(TRIES):
                self._wait(attempt)
                answer = self._asked(partial(self._batch, left), what)
                left = answer.get("UnprocessedItems", {}).get(self._table, [])
                if not left:
                    break
            else:
                raise Throttled(f"{what} failed at {self.where}: {len(left)} items were left; run it again later")

    def _batch(self, requests: list[Any]) -> Any:
        return self._client.batch_write_item(RequestItems={self._table: requests})

    def _wait(self, attempt: int) -> None:
        if attempt:
            limit = min(WAIT_LIMIT_SECONDS, WAIT_FIRST_SECONDS * 2.0**attempt)
            self._clock.sleep(self.chance.uniform(0.0, limit))

    def _asked(self, call: Callable[[], Any], what: str) -> Any:
        try:
            answer = call()
        except AWS_ERRORS as error:
            raise self._outside(error, what) from error
        if is_not_aws(answer):
            raise self._not_aws(what)
        return answer

    def _not_aws(self, what: str) -> Unavailable:
        return Unavailable(f"{what} failed at {self.where}: {NOT_AWS}; {ADVICE_UNAVAILABLE}")

    def _outside(self, error: AwsError, what: str) -> OutsideError:
        return outside_error(error, what=what, where=self.where)

    def _transient(self, error: AwsError, what: str) -> OutsideError:
        """Return the failure where sending the same request, under the same token, again may help; raise it elsewhere."""
        if isinstance(error, ClientError) and _is_contended(error):
            return Busy(f"{what} failed at {self.where}: other transactions hold the same items; try again later")
        failure = self._outside(error, what)
        if isinstance(failure, Throttled | Unavailable):
            return failure
        raise failure from error

    def _key(self, sk: str) -> "dict[str, UniversalAttributeValueTypeDef]":
        return {"pk": self._pk, "sk": {"S": sk}}

    def _write(self, write: Write) -> "TransactWriteItemTypeDef":
        body: dict[str, Any] = {"TableName": self._table}
        if write.condition:
            body |= {"ConditionExpression": write.condition, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        if names := {f"#{name}": name for name in _NAME.findall(write.condition + write.update)}:
            body["ExpressionAttributeNames"] = names
        if write.values:
            body["ExpressionAttributeValues"] = {f":{name}": _encoded(value) for name, value in write.values.items()}
        if write.item is not None:
            item = {name: _encoded(value) for name, value in write.item.items()}
            return {"Put": body | {"Item": self._key(write.sk) | item}}  # type: ignore[typeddict-item]
        body["Key"] = self._key(write.sk)
        if write.update:
            return {"Update": body | {"UpdateExpression": write.update}}  # type: ignore[typeddict-item]
        return {"Delete": body} if write.delete else {"ConditionCheck": body}  # type: ignore[typeddict-item]


def _refusal(error: ClientError, writes: int) -> Refusal | None:
    """Return which conditions failed, None where the error says nothing about them."""
    reasons = _reasons(error)
    failed = tuple(reason.get("Code") == _REFUSED for reason in reasons)
    if not any(failed):
        return None
    assert len(reasons) == writes, "DynamoDB gives one reason per write"
    return Refusal(failed, tuple(_decoded(reason["Item"]) if reason.get("Item") else None for reason in reasons))


def _reasons(error: ClientError) -> list[Any]:
    return list(error.response.get("CancellationReasons", [])) if error_code(error) == _CANCELED else []


def _is_contended(error: ClientError) -> bool:
    return error_code(error) in _CONTENDED_ERRORS or any(reason.get("Code") in _CONTENDED for reason in _reasons(error))


def _encoded(value: Value) -> "UniversalAttributeValueTypeDef":
    match value:
        case str():
            return {"S": value}
        case int():
            return {"N": str(value)}
        case bytes():
            return {"B": value}
        case tuple():
            return {"L": [{"S": text} for text in value]}


def _decoded(item: "Mapping[str, AttributeValueTypeDef]") -> Item:
    """Return an item as plain values; what is of no known kind is left out, and missed by whoever needs it."""
    found = {name: _plain(value) for name, value in item.items() if name != "pk"}
    return {name: value for name, value in found.items() if value is not None}


def _plain(value: "AttributeValueTypeDef") -> Value | None:
    match value:
        case {"S": str(text)}:
            return text
        case {"N": str(number)} if number.removeprefix("-").isdecimal():
            return int(number)
        case {"B": bytes(octets)}:
            return octets
        case {"L": list(parts)}:
            return tuple(str(part["S"]) for part in parts if "S" in part)
        case _:
            return None


def typed(item: Item, kind: type[T], *, what: str) -> T:
    """Return an item as one of our structs; raise GarbledItem where it lacks something or holds it in another form."""
    try:
        return msgspec.convert(dict(item), type=kind)
    except msgspec.ValidationError as error:
        raise GarbledItem(f"{what} is not readable: {error}") from None

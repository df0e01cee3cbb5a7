"""Put right what moto's DynamoDB gets wrong and a plan store rests on.

A transaction of over 4 MB and an item of over 400 KB after an update are refused, and a ClientRequestToken makes a
repeated transaction harmless for ten minutes. Everything else is moto's own. The caller holds the sandbox's lock.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType

from enactor.sandbox import wire
from enactor.sandbox.wire import Reply, Request

ITEM_MAX_BYTES = 400 * 1024
TRANSACTION_MAX_BYTES = 4 * 1024 * 1024
TOKEN_LIFETIME_SECONDS = 600.0
TOKENS_KEPT_MAX = 20_000
NUMBER_BYTES = 21
COLLECTION_BYTES = 3
UPDATE_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"


class TokenMemory:
    """Remember the transactions of the last ten minutes by their ClientRequestToken."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, tuple[float, str, Reply]] = OrderedDict()

    def recall(self, token: str) -> tuple[str, Reply] | None:
        entry = self._seen.get(token)
        if entry is None or self._clock() - entry[0] > TOKEN_LIFETIME_SECONDS:
            return None
        return entry[1], entry[2]

    def keep(self, token: str, digest: str, reply: Reply) -> None:
        self._seen[token] = (self._clock(), digest, reply)
        self._seen.move_to_end(token)
        if len(self._seen) > TOKENS_KEPT_MAX:
            self._seen.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Target:
    """An item that an operation writes."""

    table: str
    hash_key: Any
    range_key: Any
    is_update: bool

    def item(self, tables: Mapping[str, Any]) -> Any:
        return tables[self.table].get_item(self.hash_key, self.range_key)

    def put_back(self, tables: Mapping[str, Any], item: Any) -> None:
        table = tables[self.table]
        if item is None:
            table.delete_item(self.hash_key, self.range_key)
        elif self.range_key is None:
            table.items[self.hash_key] = item
        else:
            table.items[self.hash_key][self.range_key] = item


def corrected(request: Request, run: Callable[[], Reply], tokens: TokenMemory, account: str) -> Reply:
    """Run a DynamoDB request on moto, refusing what DynamoDB would refuse."""
    match request.call.operation:
        case "TransactWriteItems":
            return _transaction(request, run, tokens, account)
        case "UpdateItem":
            return _update(request, run, account)
        case _:
            return run()


def item_bytes(item: Mapping[str, Any]) -> int:
    """Return an item's size as DynamoDB counts it: names and values in UTF-8, binary values unencoded."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _transaction(request: Request, run: Callable[[], Reply], tokens: TokenMemory, account: str) -> Reply:
    body = _parsed(request)
    items = body["TransactItems"]
    token = body.get("ClientRequestToken")
    digest = hashlib.sha256(json.dumps(items, sort_keys=True).encode()).hexdigest()
    before = tokens.recall(token) if token else None
    if before is not None:
        return before[1] if before[0] == digest else _mismatch()
    if sum(item_bytes(_sent(operation)) for operation in items) > TRANSACTION_MAX_BYTES:
        return _invalid("Transaction request size has exceeded the maximum allowed size of 4 MB")
    tables = dynamodb_backends[account][request.region].tables
    reply = _sized(
        tables, [_target(tables, operation) for operation in items], run, lambda at: _cancelled(len(items), at)
    )
    if token and reply.status == HTTPStatus.OK:
        tokens.keep(token, digest, reply)
    return reply


def _update(request: Request, run: Callable[[], Reply], account: str) -> Reply:
    tables = dynamodb_backends[account][request.region].tables
    target = _target(tables, {"Update": _parsed(request)})
    return _sized(tables, [target], run, lambda _at: _invalid(UPDATE_TOO_LARGE))


def _sized(
    tables: Mapping[str, Any],
    targets: Sequence[_Target | None],
    run: Callable[[], Reply],
    refuse: Callable[[int], Reply],
) -> Reply:
    """Run, then look whether an updated item grew too big; if so put back every item as it was.

    moto sees some updates that grow too much and answers them in the wrong words; others it lets pass.
    """
    if not any(target is not None and target.is_update for target in targets):
        return run()
    saved = [None if target is None else deepcopy(target.item(tables)) for target in targets]
    reply = run()
    if reply.status != HTTPStatus.OK:
        return refuse(_first_update(targets)) if UPDATE_TOO_LARGE.encode() in reply.body else reply
    for at, target in enumerate(targets):
        if target is not None and target.is_update and _stored_bytes(target.item(tables)) > ITEM_MAX_BYTES:
            for other, item in zip(targets, saved, strict=True):
                if other is not None:
                    other.put_back(tables, item)
            return refuse(at)
    return reply


def _first_update(targets: Sequence[_Target | None]) -> int:
    return next(at for at, target in enumerate(targets) if target is not None and target.is_update)


def _target(tables: Mapping[str, Any], operation: Mapping[str, Any]) -> _Target | None:
    """Return which item an operation writes; None for one that writes nothing, or to no table there is."""
    ((kind, inner),) = operation.items()
    table = tables.get(inner.get("TableName"))
    given = inner.get("Item", inner.get("Key", {}))
    if kind == "ConditionCheck" or table is None or table.hash_key_attr not in given:
        return None
    range_attribute = table.range_key_attr
    if range_attribute and range_attribute not in given:
        return None
    range_key = DynamoType(given[range_attribute]) if range_attribute else None
    return _Target(inner["TableName"], DynamoType(given[table.hash_key_attr]), range_key, kind == "Update")


def _stored_bytes(item: Any) -> int:
    return 0 if item is None else item_bytes(item.to_json()["Attributes"])


def _sent(operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return what one operation of a transaction carries."""
    inner = next(iter(operation.values()))
    return {**inner.get("Item", {}), **inner.get("Key", {}), **inner.get("ExpressionAttributeValues", {})}


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, inner),) = value.items()
    match kind:
        case "S":
            return len(inner.encode())
        case "B":
            return len(inner) if isinstance(inner, bytes) else len(inner) * 3 // 4  # stored, or in base64 as sent
        case "N":
            return min(NUMBER_BYTES, len(inner) // 2 + 2)
        case "M":
            return COLLECTION_BYTES + sum(len(name.encode()) + _value_bytes(part) + 1 for name, part in inner.items())
        case "L":
            return COLLECTION_BYTES + sum(_value_bytes(part) + 1 for part in inner)
        case "SS" | "NS" | "BS":
            return sum(_value_bytes({kind[0]: part}) for part in inner)
        case _:
            return 1


def _parsed(request: Request) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(request.body)
    return parsed


def _invalid(message: str) -> Reply:
    return wire.error_reply("dynamodb", "ValidationException", message, 400)


def _mismatch() -> Reply:
    message = "An error occurred: the same client token was used with other parameters"
    return wire.error_reply("dynamodb", "IdempotentParameterMismatchException", message, 400)


def _cancelled(count: int, at: int) -> Reply:
    reasons: list[dict[str, str]] = [{"Code": "None"} for _ in range(count)]
    reasons[at] = {"Code": "ValidationError", "Message": UPDATE_TOO_LARGE}
    codes = ", ".join(reason["Code"] for reason in reasons)
    message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
    body = json.dumps({"__type": kind, "message": message, "CancellationReasons": reasons})
    return Reply(400, body.encode(), (("Content-Type", "application/x-amz-json-1.0"),))

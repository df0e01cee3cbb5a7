"""What the plan store rests on in DynamoDB."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import pytest
from botocore.exceptions import ClientError

Table: TypeAlias = tuple[Any, str]
KB = 1024


def key(sk: str) -> dict[str, Any]:
    return {"pk": {"S": "fleet#edge"}, "sk": {"S": sk}}


def put(name: str, sk: str, size_bytes: int = 1, **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": name, "Item": key(sk) | {"body": {"B": b"x" * size_bytes}}, **more}}


def test_a_conditional_put_shows_who_won(table: Table) -> None:
    """ALL_OLD carries the winner's item in the refusal itself."""
    dynamodb, name = table
    dynamodb.put_item(TableName=name, Item=key("head") | {"gen": {"N": "7"}})
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException) as caught:
        dynamodb.put_item(
            TableName=name,
            Item=key("head") | {"gen": {"N": "8"}},
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.response["Item"]["gen"] == {"N": "7"}


def test_a_cancelled_transaction_changes_nothing_and_says_why_in_order(table: Table) -> None:
    """Reasons stand in request order; the code is the string `None` where nothing was wrong."""
    dynamodb, name = table
    dynamodb.put_item(TableName=name, Item=key("head") | {"gen": {"N": "7"}})
    head = put(
        name, "head", ConditionExpression="attribute_not_exists(pk)", ReturnValuesOnConditionCheckFailure="ALL_OLD"
    )
    with pytest.raises(dynamodb.exceptions.TransactionCanceledException) as caught:
        dynamodb.transact_write_items(TransactItems=[put(name, "plan"), head, put(name, "other")])
    reasons = caught.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed", "None"]
    assert reasons[1]["Item"]["gen"] == {"N": "7"}
    assert dynamodb.scan(TableName=name)["Count"] == 1


def test_a_transaction_has_at_most_100_items(table: Table) -> None:
    """A hundred pass, one more does not."""
    dynamodb, name = table
    dynamodb.transact_write_items(TransactItems=[put(name, f"a{n}") for n in range(100)])
    with pytest.raises(ClientError):
        dynamodb.transact_write_items(TransactItems=[put(name, f"b{n}") for n in range(101)])


def test_a_transaction_names_each_item_once(table: Table) -> None:
    """A check and a write of one item are two operations on it."""
    dynamodb, name = table
    with pytest.raises(ClientError) as caught:
        dynamodb.transact_write_items(TransactItems=[put(name, "a"), put(name, "a")])
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_an_item_has_at_most_400_kb(table: Table) -> None:
    """A put above it is refused."""
    dynamodb, name = table
    with pytest.raises(ClientError) as caught:
        dynamodb.put_item(TableName=name, Item=key("a") | {"body": {"B": b"x" * (401 * KB)}})
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_an_update_may_not_grow_an_item_over_400_kb(table: Table) -> None:
    """Refused, and the item is as it was."""
    dynamodb, name = table
    dynamodb.put_item(TableName=name, Item=key("a") | {"body": {"B": b"x" * (300 * KB)}})
    with pytest.raises(ClientError) as caught:
        dynamodb.update_item(
            TableName=name,
            Key=key("a"),
            UpdateExpression="SET more = :more",
            ExpressionAttributeValues={":more": {"B": b"x" * (150 * KB)}},
        )
    assert caught.value.response["Error"]["Code"] == "ValidationException"
    assert set(dynamodb.get_item(TableName=name, Key=key("a"))["Item"]) == {"pk", "sk", "body"}


@pytest.mark.parametrize(
    ("body", "expression", "more"),
    [
        ({"L": [{"B": b"x" * (300 * KB)}]}, "SET body = list_append(body, :more)", {"L": [{"B": b"x" * (150 * KB)}]}),
        ({"M": {"a": {"B": b"x" * (300 * KB)}}}, "SET body.b = :more", {"B": b"x" * (150 * KB)}),
        ({"BS": [b"x" * (300 * KB)]}, "ADD body :more", {"BS": [b"x" * (150 * KB)]}),
    ],
    ids=["append", "nested", "set"],
)
def test_an_item_may_not_grow_inside_over_400_kb(
    table: Table, body: dict[str, Any], expression: str, more: dict[str, Any]
) -> None:
    """Growing a list, a map or a set counts as well, and the item is as it was."""
    dynamodb, name = table
    dynamodb.put_item(TableName=name, Item=key("a") | {"body": body})
    with pytest.raises(ClientError) as caught:
        dynamodb.update_item(
            TableName=name, Key=key("a"), UpdateExpression=expression, ExpressionAttributeValues={":more": more}
        )
    assert caught.value.response["Error"]["Code"] == "ValidationException"
    assert dynamodb.get_item(TableName=name, Key=key("a"))["Item"]["body"] == body


def test_an_update_in_a_transaction_may_not_grow_an_item_over_400_kb(table: Table) -> None:
    """The whole transaction is cancelled."""
    dynamodb, name = table
    dynamodb.put_item(TableName=name, Item=key("a") | {"body": {"B": b"x" * (300 * KB)}})
    update = {
        "TableName": name,
        "Key": key("a"),
        "UpdateExpression": "SET more = :more",
        "ExpressionAttributeValues": {":more": {"B": b"x" * (150 * KB)}},
    }
    with pytest.raises(dynamodb.exceptions.TransactionCanceledException):
        dynamodb.transact_write_items(TransactItems=[put(name, "b"), {"Update": update}])
    assert "Item" not in dynamodb.get_item(TableName=name, Key=key("b"))


def test_a_transaction_has_at_most_4_mb(table: Table) -> None:
    """Eleven items of 390 KB are too much, ten are not."""
    dynamodb, name = table
    with pytest.raises(ClientError):
        dynamodb.transact_write_items(TransactItems=[put(name, f"a{n}", 390 * KB) for n in range(11)])
    dynamodb.transact_write_items(TransactItems=[put(name, f"b{n}", 390 * KB) for n in range(10)])


def test_a_client_request_token_makes_a_retry_harmless(table: Table) -> None:
    """The second call succeeds and does nothing."""
    dynamodb, name = table
    dynamodb.put_item(TableName=name, Item=key("head") | {"gen": {"N": "7"}})
    update = {
        "TableName": name,
        "Key": key("head"),
        "UpdateExpression": "SET gen = gen + :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    token = uuid.uuid4().hex
    for _ in range(2):
        dynamodb.transact_write_items(TransactItems=[{"Update": update}], ClientRequestToken=token)
    assert dynamodb.get_item(TableName=name, Key=key("head"))["Item"]["gen"] == {"N": "8"}


def test_a_client_request_token_belongs_to_its_parameters(table: Table) -> None:
    """The same token with another request is refused."""
    dynamodb, name = table
    token = uuid.uuid4().hex
    dynamodb.transact_write_items(TransactItems=[put(name, "a")], ClientRequestToken=token)
    with pytest.raises(dynamodb.exceptions.IdempotentParameterMismatchException):
        dynamodb.transact_write_items(TransactItems=[put(name, "b")], ClientRequestToken=token)


def test_a_query_page_has_at_most_1_mb(table: Table) -> None:
    """Ten items of 300 KB need several pages, and pages carry on where the last ended."""
    dynamodb, name = table
    for n in range(10):
        dynamodb.put_item(TableName=name, Item=key(f"chunk#{n:04d}") | {"body": {"B": b"x" * (300 * KB)}})
    query = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "fleet#edge"}}}
    first = dynamodb.query(TableName=name, **query)
    assert first["Count"] < 10
    pages = list(dynamodb.get_paginator("query").paginate(TableName=name, **query))
    assert sum(page["Count"] for page in pages) == 10


def test_threads_lose_no_update(table: Table) -> None:
    """Eight threads, a counter each of them raises ten times with a condition: the sum is right, and nothing is a 500."""
    dynamodb, name = table
    dynamodb.put_item(TableName=name, Item=key("n") | {"n": {"N": "0"}})

    def raise_it(_: int) -> None:
        for _ in range(10):
            dynamodb.update_item(
                TableName=name,
                Key=key("n"),
                UpdateExpression="SET n = n + :one",
                ExpressionAttributeValues={":one": {"N": "1"}},
            )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(raise_it, range(8)))
    assert dynamodb.get_item(TableName=name, Key=key("n"))["Item"]["n"] == {"N": "80"}

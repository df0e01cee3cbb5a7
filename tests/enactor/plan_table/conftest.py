"""The plan table's tests run on DynamoDB as the sandbox plays it, over the wire, or on moto in this process where that is enough.

moto in the process is three times as fast, and right on conditions, roll-back and ALL_OLD (not on ClientRequestToken). A module
that wants the wire says `WIRE = True`. Each test has a table of its own.
"""

import itertools
from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws
from mypy_boto3_dynamodb import DynamoDBClient

from enactor.sandbox.server import Sandbox
from enactor.table import PlanTable, table_client

from .world import World

REGION = "eu-west-1"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running


@pytest.fixture(scope="module")
def raw(request: pytest.FixtureRequest) -> Iterator[DynamoDBClient]:
    session = boto3.Session(aws_access_key_id="testing", aws_secret_access_key="testing", region_name=REGION)
    if getattr(request.module, "WIRE", False):
        running: Sandbox = request.getfixturevalue("sandbox")
        client = table_client(session, endpoint_url=running.endpoint_url)
        yield client
        client.close()
    else:
        with mock_aws():
            yield table_client(session)


_tables = itertools.count(1)


@pytest.fixture
def world(raw: DynamoDBClient) -> Iterator[World]:
    made = World(raw, f"plans-{next(_tables)}")
    raw.create_table(
        TableName=made.table,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    )
    yield made
    if made.table in raw.list_tables()["TableNames"]:
        raw.delete_table(TableName=made.table)


@pytest.fixture
def store(world: World) -> PlanTable:
    return world.store()

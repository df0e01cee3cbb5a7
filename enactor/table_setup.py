"""Make the plan table, and the client that talks to it with time-outs and tries of its own.

An existing table is never changed in what it holds: it is taken as it is, the protections that can be switched on without
risk are switched on, and what is lacking is said. It must never delete a table, nor lift a protection.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec
from botocore.config import Config
from botocore.exceptions import ClientError

from enactor.aws_errors import AWS_ERRORS, PREPARING_ERRORS, AwsError, error_code, outside_error
from enactor.ports import Clock, Missing, OutsideError, Unavailable

if TYPE_CHECKING:
    from boto3.session import Session
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TableDescriptionTypeDef

CONNECT_TIMEOUT_SECONDS: Final = 2.0
READ_TIMEOUT_SECONDS: Final = 10.0
SDK_ATTEMPTS: Final = 3
"""Reads may be sent again freely; a write is a transaction whose token makes sending it again harmless."""

ACTIVE_WAIT_SECONDS: Final = 180.0
"""AWS makes a table in well under a minute."""
ACTIVE_LOOK_SECONDS: Final = 1.0
BACKUPS_TRIES: Final = 10
"""Backups cannot be switched on in the first seconds of a table's life."""
TTL_ATTRIBUTE: Final = "ttl"
KEY_SCHEMA: Final = (("pk", "HASH"), ("sk", "RANGE"))

_IN_USE: Final = "ResourceInUseException"
_BACKUPS_UNAVAILABLE: Final = "ContinuousBackupsUnavailableException"


class TableMade(msgspec.Struct, frozen=True):
    """What `create_table` did: whether the table is new, and which protections it lacks, a sentence each."""

    made: bool
    lacks: tuple[str, ...]


HASTY: Final = Config(connect_timeout=1.0, read_timeout=2.0, retries={"mode": "standard", "total_max_attempts": 1})
"""For what is best effort: an operator's verb does not wait for a table that is away."""


def table_client(
    session: "Session", *, endpoint_url: str | None = None, region: str | None = None, hasty: bool = False
) -> "DynamoDBClient":
    """Return a DynamoDB client with explicit time-outs; a default endpoint and region come from the session's settings."""
    try:
        return session.client(
            "dynamodb",
            endpoint_url=endpoint_url,
            region_name=region,
            config=HASTY
            if hasty
            else Config(
                connect_timeout=CONNECT_TIMEOUT_SECONDS,
                read_timeout=READ_TIMEOUT_SECONDS,
                retries={"mode": "standard", "total_max_attempts": SDK_ATTEMPTS},
            ),
        )
    except PREPARING_ERRORS as error:
        raise outside_error(error, what="preparing to read the plan table", where="DynamoDB") from error


class TableSetup:
    """Makes one table."""

    def __init__(self, client: "DynamoDBClient", table: str, *, clock: Clock) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._where = f"table {table} in {client.meta.region_name}"

    def create(self) -> TableMade:
        """Make the table unless it exists, wait until it is ACTIVE, and switch its protections on."""
        made = self._described() is None and self._create()
        self._wait_until_active()
        description = self._described()
        if description is None:
            raise Missing(f"{self._where} went away while it was made; run `enactor init` again")
        self._check_keys(description)
        lacks = [
            self._tried("point-in-time recovery", self._switch_backups_on),
            self._tried("expiry", self._switch_ttl_on),
        ]
        if not description.get("DeletionProtectionEnabled", False):
            lacks.append("deletion protection is off: switch it on where the table was made")
        return TableMade(made, tuple(lack for lack in lacks if lack))

    def _described(self) -> "TableDescriptionTypeDef | None":
        try:
            return self._client.describe_table(TableName=self._table)["Table"]
        except AWS_ERRORS as error:
            failure = self._outside(error, "looking for the plan table")
            if isinstance(failure, Missing):
                return None
            raise failure from error

    def _create(self) -> bool:
        try:
            self._client.create_table(
                TableName=self._table,
                BillingMode="PAY_PER_REQUEST",
                DeletionProtectionEnabled=True,
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name, _ in KEY_SCHEMA],
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            )
        except AWS_ERRORS as error:
            if isinstance(error, ClientError) and error_code(error) == _IN_USE:
                return False  # another init makes it at this moment
            raise self._outside(error, "making the plan table") from error
        return True

    def _wait_until_active(self) -> None:
        end = self._clock.now() + ACTIVE_WAIT_SECONDS
        while True:
            description = self._described()
            status = description["TableStatus"] if description else "not there yet"
            if status == "ACTIVE":
                return
            if self._clock.now() >= end:
                raise Unavailable(
                    f"{self._where} is {status} after {ACTIVE_WAIT_SECONDS:.0f} s; look at it in the console, "
                    "then run `enactor init` again"
                )
            self._clock.sleep(ACTIVE_LOOK_SECONDS)

    def _check_keys(self, description: "TableDescriptionTypeDef") -> None:
        found = tuple((key["AttributeName"], key["KeyType"]) for key in description["KeySchema"])
        if found != KEY_SCHEMA:
            raise OutsideError(
                f"{self._where} has the keys {found}, not {KEY_SCHEMA}: it is no plan table; choose another"
            )

    def _tried(self, protection: str, switch_on: Callable[[], None]) -> str:
        try:
            switch_on()
        except AWS_ERRORS as error:
            return str(self._outside(error, f"switching {protection} on"))
        return ""

    def _switch_backups_on(self) -> None:
        described = self._client.describe_continuous_backups(TableName=self._table)["ContinuousBackupsDescription"]
        if described.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED":
            return
        for attempt in range(BACKUPS_TRIES):
            try:
                self._client.update_continuous_backups(
                    TableName=self._table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
                )
            except ClientError as error:
                if error_code(error) != _BACKUPS_UNAVAILABLE or attempt + 1 == BACKUPS_TRIES:
                    raise
                self._clock.sleep(ACTIVE_LOOK_SECONDS)
            else:
                return

    def _switch_ttl_on(self) -> None:
        described = self._client.describe_time_to_live(TableName=self._table)["TimeToLiveDescription"]
        if described.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}:
            return
        self._client.update_time_to_live(
            TableName=self._table, TimeToLiveSpecification={"Enabled": True, "AttributeName": TTL_ATTRIBUTE}
        )

    def _outside(self, error: AwsError, what: str) -> OutsideError:
        return outside_error(error, what=what, where=self._where)

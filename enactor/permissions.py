"""Try each AWS call that the work needs in a way that changes nothing, and say which are allowed. Decides nothing.

A read is a read. A write to the plan table has a condition that cannot hold, a batch of them deletes a key where nothing stands, and one to a zone deletes a scratch name that is
not there: AWS looks at the permission first, and refuses the request as a whole after that. UPSERT, which no enactor sends, is
asked of IAM's policy simulation alone.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from enactor import names
from enactor.aws_errors import AWS_ERRORS, AwsError, error_code, outside_error
from enactor.batch import Batch, Change
from enactor.diagnosis import Answer, Tried
from enactor.fence import text_set
from enactor.outcome import Applied, Conflicted, Impossible, Rejected, ZonePort
from enactor.ports import Chance, Denied, OutsideError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NEVER: Final = "attribute_exists(pk) AND attribute_not_exists(pk)"
"""No item has a key and lacks it."""
SORT_KEY: Final = "doctor#"
"""Where nothing stands, and nothing is put."""
REFUSED_CODES: Final = frozenset({"ConditionalCheckFailedException", "TransactionCanceledException"})
CONFIG: Final = Config(connect_timeout=3.0, read_timeout=10.0, retries={"mode": "standard", "total_max_attempts": 2})
ALLOWED: Final = "allowed"
COLLECT: Final = "old plans are not deleted, and nothing else suffers"
ARRIVAL: Final = "nobody learns when a change is INSYNC, and nothing else suffers"


def table_calls(client: "DynamoDBClient", table: str, fleet: str) -> list[Tried]:
    """Return what came of each call to the plan table."""
    calls: Any = client  # its verbs by name; the types of each are the caller's
    partition = f"fleet#{fleet}"
    key = {"pk": {"S": partition}, "sk": {"S": SORT_KEY}}
    never = {"TableName": table, "ConditionExpression": NEVER}
    check = {"ConditionCheck": {**never, "Key": key}}
    return [
        _tried("dynamodb:GetItem", table, lambda: calls.get_item(TableName=table, Key=key)),
        _tried(
            "dynamodb:Query",
            table,
            lambda: calls.query(
                TableName=table,
                Limit=1,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": key["pk"]},
            ),
        ),
        _tried("dynamodb:PutItem", table, lambda: calls.put_item(Item=key, **never)),
        _tried(
            "dynamodb:UpdateItem",
            table,
            lambda: calls.update_item(
                Key=key, UpdateExpression="SET a = :a", ExpressionAttributeValues={":a": {"S": "a"}}, **never
            ),
        ),
        _tried("dynamodb:DeleteItem", table, lambda: calls.delete_item(Key=key, **never), without=COLLECT),
        _tried(
            "dynamodb:ConditionCheckItem",
            table,
            lambda: calls.transact_write_items(TransactItems=[check]),
            without=COLLECT,
        ),
        _tried(
            "dynamodb:BatchWriteItem",
            table,
            lambda: calls.batch_write_item(RequestItems={table: [{"DeleteRequest": {"Key": key}}]}),
            without=COLLECT,
        ),
    ]


def zone_change(zones: ZonePort, zone: str, chance: Chance) -> tuple[Tried, bool]:
    """Return whether a zone may be changed, and whether it took a DELETE of nothing, which no fence survives."""
    zone_name = zones.zone_name(zone)
    scratch = text_set(f"{names.SELFTEST_PREFIX}{chance.nonce()}.{names.fence_base(zone_name)}", "doctor")
    batch = Batch(
        zone=zone,
        zone_name=zone_name,
        origin="selftest",
        switch=None,
        swaps=(),
        comment="enactor doctor: may this zone be changed? this deletes nothing",
        extra=(Change("DELETE", scratch),),
    )
    outcome = zones.compare_and_swap(batch)
    answer: Answer
    match outcome:
        case Applied():
            answer, how = ALLOWED, "it took a DELETE of a name that is not there"
        case Conflicted() | Rejected():
            answer, how = ALLOWED, "it refused to delete a name that is not there, as it must"
        case Impossible(why):
            answer, how = "denied", why
        case _:
            answer, how = "unproven", str(outcome)
    tried = Tried(action="route53:ChangeResourceRecordSets", resource=f"hosted zone {zone}", answer=answer, how=how)
    return tried, isinstance(outcome, Applied)


def read_of(
    action: str,
    resource: str,
    ask: Callable[[], object],
    *,
    without: str = "",
    own: bool = False,
    absent: str | None = None,
) -> Tried:
    """Return what came of a read through one of our adapters; the code `absent` says that it was let through, and found nothing."""
    try:
        ask()
    except Denied as error:
        return Tried(action=action, resource=resource, answer="denied", how=str(error), without=without, own=own)
    except OutsideError as error:
        if absent is None or absent not in str(error):
            return Tried(action=action, resource=resource, answer="unproven", how=str(error), without=without, own=own)
    return Tried(action=action, resource=resource, answer=ALLOWED, how="tried", without=without, own=own)


def simulated_upsert(session: boto3.Session, caller: str, zone: str) -> Tried:
    """Return what IAM's policy simulation says of an UPSERT into a zone by this caller."""
    action, resource = "route53:ChangeResourceRecordSets", f"hosted zone {zone}"
    source = principal_of(caller)
    if source is None:
        how = f"the policies of {caller} cannot be simulated: it is no user, and no role without a path"
        return Tried(action=action, resource=resource, answer="unproven", how=how, own=True)
    partition = source.split(":")[1]
    context = {
        "ContextKeyName": "route53:ChangeResourceRecordSetsActions",
        "ContextKeyValues": ["UPSERT"],
        "ContextKeyType": "stringList",
    }
    try:
        answer = session.client("iam", config=CONFIG).simulate_principal_policy(
            PolicySourceArn=source,
            ActionNames=[action],
            ResourceArns=[f"arn:{partition}:route53:::hostedzone/{zone}"],
            ContextEntries=[context],
        )
        decision = answer["EvaluationResults"][0]["EvalDecision"]
    except AWS_ERRORS as error:
        how = str(outside_error(error, what="simulating the caller's policies", where="IAM"))
        return Tried(action=action, resource=resource, answer="unproven", how=how, own=True)
    except (KeyError, IndexError):
        how = "IAM's answer to iam:SimulatePrincipalPolicy says nothing"
        return Tried(action=action, resource=resource, answer="unproven", how=how, own=True)
    found: Answer = ALLOWED if decision == "allowed" else "denied"
    how = f"iam:SimulatePrincipalPolicy says {decision}"
    return Tried(action=action, resource=resource, answer=found, how=how, own=True)


def principal_of(caller: str) -> str | None:
    """Return the user or role behind a caller's ARN, None where it has none; a role's path is not in that ARN and taken for empty."""
    parts = caller.split(":", 5)
    if len(parts) != 6:
        return None
    kind, _, rest = parts[5].partition("/")
    if kind in {"user", "role"} and rest:
        return caller
    if kind == "assumed-role" and rest:
        return f"arn:{parts[1]}:iam::{parts[4]}:role/{rest.partition('/')[0]}"
    return None


def _tried(action: str, table: str, call: Callable[[], object], *, without: str = "") -> Tried:
    resource = f"table {table}"
    try:
        call()
    except AWS_ERRORS as error:
        if _code(error) in REFUSED_CODES:
            how = "its condition cannot hold, and it was refused for that"
            return Tried(action=action, resource=resource, answer=ALLOWED, how=how, without=without)
        failure = outside_error(error, what=f"trying {action}", where=resource)
        answer: Answer = "denied" if isinstance(failure, Denied) else "unproven"
        return Tried(action=action, resource=resource, answer=answer, how=str(failure), without=without)
    return Tried(action=action, resource=resource, answer=ALLOWED, how="tried", without=without)


def _code(error: AwsError) -> str:
    return error_code(error) if isinstance(error, ClientError) else ""

"""Judge recorded calls by IAM policies: the few rules of IAM's evaluation that our policies use, and none that they do not.

Written after AWS's IAM user guide (policy evaluation logic; conditions with multiple keys or values) and Route 53's service
authorization reference. An explicit Deny is not known here, because no policy of ours has one; unknown operators are faults.
"""

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

ACCOUNT_WIDE: Final = "*"


class Call(NamedTuple):
    """One thing that a request asks IAM for."""

    action: str
    resource: str
    context: Mapping[str, tuple[str, ...]] = {}


def listed(value: Any) -> list[str]:
    """Return a policy's one or many."""
    return [value] if isinstance(value, str) else list(value)


def is_allowed(policy: Mapping[str, Any], call: Call) -> bool:
    """Tell whether some statement lets it through."""
    return any(_lets(statement, call) for statement in policy["Statement"])


def actions(policy: Mapping[str, Any]) -> set[str]:
    """Return every action that a policy names; a star among them would be a fault of the policy."""
    found = {action for statement in policy["Statement"] for action in listed(statement["Action"])}
    assert not [action for action in found if "*" in action], "each action is named"
    return found


def _lets(statement: Mapping[str, Any], call: Call) -> bool:
    assert statement["Effect"] == "Allow"
    return (
        call.action in listed(statement["Action"])
        and any(_like(call.resource, pattern) for pattern in listed(statement["Resource"]))
        and all(
            _holds(operator, key, listed(wanted), call.context.get(key, ()))
            for operator, keys in statement.get("Condition", {}).items()
            for key, wanted in keys.items()
        )
    )


def _holds(operator: str, key: str, wanted: Sequence[str], values: Sequence[str]) -> bool:
    match operator:
        case "ForAllValues:StringEquals":
            return all(value in wanted for value in values)  # also where the request has no such key
        case "ForAllValues:StringLike":
            return all(any(_like(value, pattern) for pattern in wanted) for value in values)
        case "Null":
            return (not values) == (wanted == ["true"])
        case _:
            raise AssertionError(f"{operator} of {key} is not known here")


def _like(value: str, pattern: str) -> bool:
    """Match as IAM does: `*` any characters, also none, `?` one; everything else is itself."""
    escaped = re.sub(r"([\[\]!])", r"[\1]", pattern).replace("[!]", "!")
    return fnmatch.fnmatchcase(value, escaped)


def calls_of(service: str, operation: str, params: Mapping[str, Any], arns: Mapping[str, str]) -> list[Call]:
    """Return what one request of the product asks IAM for: `arns` names the table's and the zones' prefix."""
    match service:
        case "dynamodb":
            return list(_of_table(operation, params, arns["table"]))
        case "route53":
            return [_of_zone(operation, params)]
        case "elbv2":
            return [Call(f"elasticloadbalancing:{operation}", ACCOUNT_WIDE)]
        case "sts" if operation == "GetCallerIdentity":
            return []  # it needs no permission, and a policy cannot take it away
        case _:
            return [Call(f"{service}:{operation}", str(params.get("RoleArn", ACCOUNT_WIDE)))]


def _of_zone(operation: str, params: Mapping[str, Any]) -> Call:
    if operation == "GetChange":
        return Call("route53:GetChange", f"arn:aws:route53:::change/{params['Id']}")
    zone = params.get("HostedZoneId") or params["Id"]
    context: dict[str, tuple[str, ...]] = {}
    if operation == "ChangeResourceRecordSets":
        changes = params["ChangeBatch"]["Changes"]
        records = [change["ResourceRecordSet"] for change in changes]
        of = "route53:ChangeResourceRecordSets"
        context = {
            f"{of}Actions": tuple(change["Action"] for change in changes),
            f"{of}RecordTypes": tuple(record["Type"] for record in records),
            f"{of}NormalizedRecordNames": tuple(normalized(record["Name"]) for record in records),
        }
    return Call(f"route53:{operation}", f"arn:aws:route53:::hostedzone/{zone}", context)


def normalized(name: str) -> str:
    """Return a name as Route 53 hands it to IAM: lower case, no dot at the end, `*` as its octal code."""
    return name.lower().removesuffix(".").replace("*", r"\052")


ITEM_ACTIONS: Final = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}


def _of_table(operation: str, params: Mapping[str, Any], table: str) -> Iterable[Call]:
    """Yield what IAM is asked: a transaction for each kind of its items, as DynamoDB's developer guide says."""

    def call(action: str, *keys: Mapping[str, Any]) -> Call:
        partitions = tuple(sorted({key["pk"]["S"] for key in keys}))
        return Call(f"dynamodb:{action}", table, {"dynamodb:LeadingKeys": partitions} if partitions else {})

    match operation:
        case "TransactWriteItems":
            for item in params["TransactItems"]:
                ((kind, told),) = item.items()
                yield call(ITEM_ACTIONS[kind], told.get("Key") or told["Item"])
        case "BatchWriteItem":
            for requests in params["RequestItems"].values():
                keys = [next(iter(one.values())) for one in requests]
                yield call(operation, *(key.get("Key") or key["Item"] for key in keys))
        case "Query":
            yield call(operation, {"pk": params["ExpressionAttributeValues"][":pk"]})
        case "GetItem" | "UpdateItem" | "DeleteItem":
            yield call(operation, params["Key"])
        case "PutItem":
            yield call(operation, params["Item"])
        case _:
            yield call(operation)

"""Decide what a client is told when a fault strikes: code, message and status for each action and service. Pure."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from enactor.sandbox.faults import Call, FaultRule  # the book of faults waits and locks; only its words matter here

USER_ARN = "arn:aws:iam::123456789012:user/sandbox"

Answer: TypeAlias = tuple[str, str, int]

# action -> service -> code, message, status. A service that is not named gets Route 53's.
ANSWERS: Mapping[str, Mapping[str, Answer]] = {
    "throttle": {
        "route53": ("Throttling", "Rate exceeded", 400),
        "dynamodb": ("ThrottlingException", "Rate exceeded", 400),
        "s3": ("SlowDown", "Please reduce your request rate.", 503),
    },
    "busy": {
        "route53": (
            "PriorRequestNotComplete",
            "The request was rejected because Route 53 was still processing a prior request.",
            400,
        ),
        "dynamodb": ("TransactionConflictException", "Transaction is ongoing for the item", 400),
        "s3": ("OperationAborted", "A conflicting conditional operation is currently in progress.", 409),
    },
    "error": {
        "route53": ("InternalFailure", "We encountered an internal error. Please try again.", 500),
        "dynamodb": ("InternalServerError", "The request could not be processed because of an internal failure", 500),
        "s3": ("InternalError", "We encountered an internal error. Please try again.", 500),
    },
    "deny": {
        "route53": ("AccessDenied", "", 403),
        "dynamodb": ("AccessDeniedException", "", 400),
        "s3": ("AccessDenied", "", 403),
    },
    "reject": {
        "route53": ("InvalidChangeBatch", "[The request contains a change that is not permitted]", 400),
        "dynamodb": ("ValidationException", "The request is not valid", 400),
        "s3": ("InvalidRequest", "The request is not valid", 400),
    },
}


def fault_answer(rule: "FaultRule", call: "Call") -> Answer:
    """Return code, message and status; what the rule says itself wins."""
    table = ANSWERS[rule.action.removesuffix("-before").removesuffix("-after")]
    code, message, status = table.get(call.service, table["route53"])
    if rule.action == "deny":
        message = _denied(call)
    return rule.code or code, rule.message or message, rule.status or status


def _denied(call: "Call") -> str:
    action = f"{call.service}:{call.operation}"
    resource = f"arn:aws:route53:::hostedzone/{call.zone}" if call.zone else "*"
    return (
        f"User: {USER_ARN} is not authorized to perform: {action} on resource: {resource} "
        f"because no identity-based policy allows the {action} action"
    )

"""Stand in for boto3's Route 53 client on the zone model, in process and without HTTP.

For fast tests and the simulator: the same arguments, answers and exception classes as boto3's, and the same faults.
Time-outs do not last here: they raise at once. A hold keeps the calling thread.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from typing import Any

import botocore.exceptions
from botocore.errorfactory import ClientExceptionsFactory
from botocore.loaders import Loader
from botocore.model import ServiceModel

from enactor.sandbox import answers, wire, zone_names
from enactor.sandbox.engine import CHANGE_OPERATION, ApiError, Engine
from enactor.sandbox.faults import Call, FaultBook, FaultRule, Hit
from enactor.sandbox.ledger import OK

ENDPOINT = "in-process"


class ModelClient:
    """boto3's Route 53 client, as far as the adapters use it."""

    def __init__(self, engine: Engine, faults: FaultBook | None = None) -> None:
        self.engine = engine
        self.faults = faults or FaultBook(zone_names.folded)
        self.exceptions: Any = _exceptions()

    def change_resource_record_sets(self, **params: Any) -> dict[str, Any]:
        return self._call(CHANGE_OPERATION, params)

    def list_resource_record_sets(self, **params: Any) -> dict[str, Any]:
        return self._call("ListResourceRecordSets", params)

    def get_hosted_zone(self, **params: Any) -> dict[str, Any]:
        return self._call("GetHostedZone", params)

    def list_hosted_zones(self, **params: Any) -> dict[str, Any]:
        return self._call("ListHostedZones", params)

    def create_hosted_zone(self, **params: Any) -> dict[str, Any]:
        return self._call("CreateHostedZone", params)

    def get_change(self, **params: Any) -> dict[str, Any]:
        return self._call("GetChange", params)

    def _call(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        described = _described(operation, params)
        hold, fault = self.faults.meet(described)
        if hold is not None:
            held = self.faults.keep(hold, described)
            try:
                self.faults.wait(held, hold.rule.seconds)
                return self._answer(operation, params, fault)
            finally:
                held.settled.set()
        return self._answer(operation, params, fault)

    def _answer(self, operation: str, params: Mapping[str, Any], fault: Hit | None) -> dict[str, Any]:
        if fault is None:
            return self._evaluated(operation, params)
        match fault.rule.action:
            case "timeout-before":
                self._unevaluated(operation, params, fault.rule.action)
                raise botocore.exceptions.ReadTimeoutError(endpoint_url=ENDPOINT)
            case "disconnect":
                self._unevaluated(operation, params, fault.rule.action)
                raise botocore.exceptions.ConnectionClosedError(endpoint_url=ENDPOINT)
            case "timeout-after":
                self._evaluated(operation, params, fault.rule.action)
                raise botocore.exceptions.ReadTimeoutError(endpoint_url=ENDPOINT)
            case "error-after":
                self._evaluated(operation, params, fault.rule.action)
            case _:
                self._unevaluated(operation, params, answers.fault_answer(fault.rule, _described(operation, params))[0])
        raise self._faulted(operation, params, fault.rule)

    def _evaluated(self, operation: str, params: Mapping[str, Any], outcome: str | None = None) -> dict[str, Any]:
        try:
            answer = self.engine.call(operation, params)
        except ApiError as error:
            self._count(operation, outcome or error.code)
            if outcome is None:
                raise self._client_error(operation, error.code, error.message, error.status) from error
            return {}
        self._count(operation, outcome or OK)
        return answer | {"ResponseMetadata": self._metadata(200)}

    def _faulted(self, operation: str, params: Mapping[str, Any], rule: FaultRule) -> botocore.exceptions.ClientError:
        code, message, status = answers.fault_answer(rule, _described(operation, params))
        return self._client_error(operation, code, message, status)

    def _client_error(self, operation: str, code: str, message: str, status: int) -> botocore.exceptions.ClientError:
        response = {
            "Error": {"Type": "Sender", "Code": code, "Message": message},
            "ResponseMetadata": self._metadata(status),
        }
        error: botocore.exceptions.ClientError = self.exceptions.from_code(code)(response, operation)
        return error

    def _metadata(self, status: int) -> dict[str, Any]:
        date = format_datetime(datetime.fromtimestamp(self.engine.now(), UTC), usegmt=True)
        return {
            "RequestId": wire.REQUEST_ID,
            "HTTPStatusCode": status,
            "HTTPHeaders": {"date": date},
            "RetryAttempts": 0,
        }

    def _unevaluated(self, operation: str, params: Mapping[str, Any], outcome: str) -> None:
        self._count(operation, outcome)
        if operation == CHANGE_OPERATION:
            self.engine.note_unevaluated(params, outcome)

    def _count(self, operation: str, outcome: str) -> None:
        with self.engine.lock:
            self.engine.ledger.count("route53", operation, outcome)


def _described(operation: str, params: Mapping[str, Any]) -> Call:
    zone = params.get("HostedZoneId")
    changes = params.get("ChangeBatch", {}).get("Changes", ())
    bare = str(zone).removeprefix("/hostedzone/") if zone else None
    return Call("route53", operation, bare, wire.touched_names(changes), str(params))


@cache
def _exceptions() -> Any:
    """Build the very exception classes boto3 raises, from the service description that botocore ships."""
    description = Loader().load_service_model("route53", "service-2")
    return ClientExceptionsFactory().create_client_exceptions(ServiceModel(description, "route53"))

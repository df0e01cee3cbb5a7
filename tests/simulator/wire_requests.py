"""Read what botocore is about to put on the wire: the request as a value, and what it asks in the words of the ports. Pure.

What differs each time it is sent (dates, the signature, the SDK's own ids) is left out, so that a request is equal to any other
that asks the same, and a trace is the same to the letter whenever it is played.
"""

import base64
import io
import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from botocore.awsrequest import AWSPreparedRequest

from enactor import names
from enactor.batch import Batch
from enactor.table_items import _decoded

from .ops import (
    At,
    Cas,
    DeleteAll,
    Fences,
    Get,
    Listing,
    Meaning,
    NextPage,
    OneWrite,
    Pairs,
    Put,
    Sent,
    SwitchAlone,
    Transact,
    Under,
    ZoneName,
    pairs,
)

KEPT_HEADERS: Final = frozenset({"content-type", "x-amz-target"})
SCOPE: Final = re.compile(
    r"AWS4-HMAC-SHA256 Credential=[^/]+/\d{8}/(?P<scope>[^,]+), SignedHeaders=.+Signature=[0-9a-f]+"
)
ATTEMPT: Final = re.compile(r"attempt=(\d+)")
SIGNED_AS: Final = "AWS4-HMAC-SHA256 Credential=simulator/20260101/{}, SignedHeaders=host, Signature=0"
"""A signature's form without its date: the sandbox reads the service and the region out of it, and verifies none."""


def sent(request: AWSPreparedRequest, batch: Batch | None, zone_names: Mapping[str, str]) -> Sent:
    """Return a signed request as a value; `batch` is what a change of a zone was made from."""
    headers = {name.lower(): _text(value) for name, value in request.headers.items()}
    scope = SCOPE.fullmatch(headers.get("authorization", ""))
    attempt = ATTEMPT.search(headers.get("amz-sdk-request", ""))
    assert scope is not None, "every request is signed"
    assert attempt is not None, "the SDK says which attempt it is"
    parts = urlsplit(request.url)
    kept = {name: value for name, value in headers.items() if name in KEPT_HEADERS}
    kept["authorization"] = SIGNED_AS.format(scope["scope"])
    body = request.body or b""
    assert isinstance(body, bytes | bytearray), "botocore sends octets"
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    operation = kept.get("x-amz-target", "").rpartition(".")[2]
    return Sent(
        means=table_meaning(operation, bytes(body)) if operation else zone_meaning(target, batch, zone_names),
        method=request.method,
        target=target,
        headers=tuple(sorted(kept.items())),
        body=bytes(body),
        attempt=int(attempt[1]),
    )


def environ(request: Sent) -> dict[str, Any]:
    """Return a request as a WSGI server hands it on."""
    path, _, query = request.target.partition("?")
    told: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(path),
        "QUERY_STRING": query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "127.0.0.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_LENGTH": str(len(request.body)),
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.url_scheme": "http",
    }
    for name, value in request.headers:
        plain = name.upper().replace("-", "_")
        told[plain if plain == "CONTENT_TYPE" else f"HTTP_{plain}"] = value
    return told


def is_table(request: Sent) -> bool:
    """Tell whether a request goes to DynamoDB."""
    return any(name == "x-amz-target" for name, _ in request.headers)


def zone_meaning(target: str, batch: Batch | None, zone_names: Mapping[str, str]) -> Meaning:
    """Return what a request to Route 53 asks."""
    path, _, query = target.partition("?")
    _, _, _, zone, *rest = path.split("/")
    if batch is not None:
        return Cas(zone, batch)
    if not rest:
        return ZoneName(zone)
    told = parse_qs(query)
    if "name" not in told:
        return Listing(zone)
    name = names.canonical(told["name"][0])
    if "type" in told:
        return NextPage(zone, name)
    if name == names.fence_base(zone_names[zone]):
        return Fences(zone)
    return SwitchAlone(zone) if name.startswith("_switch-") else At(zone, (name,))


def table_meaning(operation: str, body: bytes) -> Meaning:
    """Return what a request to DynamoDB asks."""
    asked = json.loads(body)
    match operation:
        case "GetItem":
            return Get(asked["Key"]["sk"]["S"])
        case "Query":
            prefix = asked["ExpressionAttributeValues"][":prefix"]["S"]
            return Under(prefix, not asked["ScanIndexForward"], "ProjectionExpression" in asked)
        case "PutItem":
            return Put(asked["Item"]["sk"]["S"], _pairs(asked["Item"]))
        case "BatchWriteItem":
            ((_, requests),) = asked["RequestItems"].items()
            return DeleteAll(tuple(one["DeleteRequest"]["Key"]["sk"]["S"] for one in requests))
        case "TransactWriteItems":
            return Transact(tuple(_one_write(one) for one in asked["TransactItems"]))
        case _:
            raise AssertionError(f"the product asks DynamoDB for no {operation}")


def _one_write(operation: Mapping[str, Any]) -> OneWrite:
    ((kind, inner),) = operation.items()
    item = inner.get("Item")
    return OneWrite(
        sk=(item or inner["Key"])["sk"]["S"],
        item=_pairs(item) if item else None,
        update=inner.get("UpdateExpression", ""),
        delete=kind == "Delete",
        condition=inner.get("ConditionExpression", ""),
        values=_pairs({name[1:]: value for name, value in inner.get("ExpressionAttributeValues", {}).items()}),
    )


def _pairs(item: Mapping[str, Any]) -> Pairs:
    """Return an item as JSON has it, without its key, as a value."""
    plain: dict[str, Any] = {
        name: {"B": base64.b64decode(value["B"])} if "B" in value else value for name, value in item.items()
    }
    return pairs({name: value for name, value in _decoded(plain).items() if name != "sk"})


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)

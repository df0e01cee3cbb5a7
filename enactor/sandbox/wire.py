"""Translate between AWS's wire formats and plain values. Decides which operation a request is; never what it does.

Route 53 speaks REST and XML, DynamoDB JSON, STS, EC2 and Elastic Load Balancing forms, S3 REST: only as much of each as faults and
Route 53 need.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, unquote
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from enactor.sandbox import zone_names
from enactor.sandbox.faults import Call

ROUTE53_NAMESPACE = "https://route53.amazonaws.com/doc/2013-04-01/"
NAMESPACES: Mapping[str, str] = {
    "sts": "https://sts.amazonaws.com/doc/2011-06-15/",
    "elasticloadbalancing": "http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/",
}
FORM_SERVICES = frozenset({"sts", "ec2", "elasticloadbalancing"})
"""Services whose requests are forms that name their operation."""
REQUEST_ID = "00000000-0000-4000-8000-000000000000"
SCOPE = re.compile(r"Credential=[^/]+/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request")
ERROR_CODE = re.compile(rb'(?:<Code>|"__type": ?"(?:[^"#]*#)?)([A-Za-z0-9._-]+)')
DEFAULT_REGION = "us-east-1"

# What a member of each list is called; an element whose name stands here is a list.
LIST_MEMBERS: Mapping[str, str] = {
    "Changes": "Change",
    "ResourceRecords": "ResourceRecord",
    "ResourceRecordSets": "ResourceRecordSet",
    "HostedZones": "HostedZone",
    "NameServers": "NameServer",
}
INTEGERS = frozenset({"TTL", "Weight", "Bias"})
BOOLEANS = frozenset({"MultiValueAnswer", "EvaluateTargetHealth", "PrivateZone"})

# Route 53's paths, most special first: method, pattern, operation.
ROUTES: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (method, re.compile(rf"/2013-04-01/{pattern}/?"), operation)
    for method, pattern, operation in (
        ("POST", r"hostedzone/(?P<id>[^/]+)/rrset", "ChangeResourceRecordSets"),
        ("GET", r"hostedzone/(?P<id>[^/]+)/rrset", "ListResourceRecordSets"),
        ("GET", r"hostedzonelimit/(?P<id>[^/]+)/MAX_RRSETS_BY_ZONE", "GetHostedZoneLimit"),
        ("GET", r"change/(?P<id>[^/]+)", "GetChange"),
        ("POST", r"hostedzone", "CreateHostedZone"),
        ("GET", r"hostedzone", "ListHostedZones"),
        ("GET", r"hostedzonesbyname", "ListHostedZonesByName"),
        ("GET", r"hostedzonecount", "GetHostedZoneCount"),
        ("GET", r"hostedzone/(?P<id>[^/]+)", "GetHostedZone"),
        ("DELETE", r"hostedzone/(?P<id>[^/]+)", "DeleteHostedZone"),
        ("POST", r"healthcheck", "CreateHealthCheck"),
        ("GET", r"healthcheck", "ListHealthChecks"),
        ("GET", r"healthcheck/(?P<id>[^/]+)", "GetHealthCheck"),
        ("DELETE", r"healthcheck/(?P<id>[^/]+)", "DeleteHealthCheck"),
    )
)
QUERY_NAMES: Mapping[str, str] = {
    "name": "StartRecordName",
    "type": "StartRecordType",
    "identifier": "StartRecordIdentifier",
    "maxitems": "MaxItems",
    "marker": "Marker",
    "dnsname": "DNSName",
}
S3_OPERATIONS: Mapping[tuple[str, bool], str] = {
    ("GET", True): "GetObject",
    ("PUT", True): "PutObject",
    ("HEAD", True): "HeadObject",
    ("DELETE", True): "DeleteObject",
    ("GET", False): "ListObjectsV2",
    ("PUT", False): "CreateBucket",
    ("HEAD", False): "HeadBucket",
    ("DELETE", False): "DeleteBucket",
}


class MalformedRequestError(ValueError):
    """The body is not what its operation takes."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, read and recognised; `params` are boto3's where the operation is Route 53's."""

    call: Call
    region: str
    method: str
    path: str
    body: bytes
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/xml"),)


def recognise(environ: Mapping[str, Any], body: bytes) -> Request:
    """Say which operation of which service a request is."""
    region, service = _scope(str(environ.get("HTTP_AUTHORIZATION", "")))
    method, path = str(environ["REQUEST_METHOD"]), str(environ.get("PATH_INFO", ""))
    params: Mapping[str, Any] = {}
    if service == "route53":
        operation, params = _route53(method, path, str(environ.get("QUERY_STRING", "")), body)
    elif service == "dynamodb":
        operation = str(environ.get("HTTP_X_AMZ_TARGET", "")).rpartition(".")[2]
    elif service in FORM_SERVICES:
        operation = parse_qs(body.decode("utf-8", "replace")).get("Action", [""])[0]
    else:
        operation = _s3_operation(method, path, str(environ.get("QUERY_STRING", "")))
    return Request(_call(service, operation, path, body, params), region, method, path, body, params)


def _call(service: str, operation: str, path: str, body: bytes, params: Mapping[str, Any]) -> Call:
    zone = params.get("HostedZoneId")
    text = path + "\n" + body.decode("utf-8", "replace")
    changes = params.get("ChangeBatch", {}).get("Changes", ())
    return Call(service, operation, zone, touched_names(changes), text)


def touched_names(changes: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the canonical names a batch touches."""
    return frozenset(zone_names.folded(str(change["ResourceRecordSet"].get("Name", ""))) for change in changes)


def error_reply(service: str, code: str, message: str, status: int) -> Reply:
    """Return an error in the service's own shape."""
    if service == "dynamodb":
        body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message})
        return Reply(status, body.encode(), (("Content-Type", "application/x-amz-json-1.0"),))
    inner = f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>"
    if service == "s3":
        return Reply(status, f"<Error>{inner}<RequestId>{REQUEST_ID}</RequestId></Error>".encode())
    namespace = NAMESPACES.get(service, ROUTE53_NAMESPACE)
    return Reply(
        status,
        f'<?xml version="1.0"?><ErrorResponse xmlns="{namespace}"><Error><Type>Sender</Type>{inner}</Error>'
        f"<RequestId>{REQUEST_ID}</RequestId></ErrorResponse>".encode(),
    )


def error_code(reply: Reply) -> str:
    """Return the error's code from an answer of any service, or its status."""
    found = ERROR_CODE.search(reply.body)
    return found[1].decode() if found else str(reply.status)


def route53_reply(operation: str, answer: Mapping[str, Any]) -> Reply:
    """Return an answer of Route 53 as XML."""
    body = "".join(_element(key, value) for key, value in answer.items() if key != "Location")
    headers = [("Content-Type", "text/xml"), ("x-amzn-RequestId", REQUEST_ID)]
    if "Location" in answer:
        headers.append(("Location", str(answer["Location"])))
    root = f"{operation}Response"
    text = f'<?xml version="1.0"?><{root} xmlns="{ROUTE53_NAMESPACE}">{body}</{root}>'
    return Reply(201 if operation == "CreateHostedZone" else 200, text.encode(), tuple(headers))


def _scope(authorization: str) -> tuple[str, str]:
    found = SCOPE.search(authorization)
    return (found["region"], found["service"]) if found else (DEFAULT_REGION, "s3")


def _route53(method: str, path: str, query: str, body: bytes) -> tuple[str, Mapping[str, Any]]:
    for of_method, pattern, operation in ROUTES:
        found = pattern.fullmatch(path)
        if method == of_method and found:
            return operation, _route53_params(operation, found.groupdict().get("id"), query, body)
    return "", {}


def _route53_params(operation: str, given_id: str | None, query: str, body: bytes) -> Mapping[str, Any]:
    params: dict[str, Any] = {}
    if given_id is not None:
        key = "HostedZoneId" if operation.endswith("ResourceRecordSets") else "Id"
        params[key] = unquote(given_id)
    for key, values in parse_qs(query).items():
        if key in QUERY_NAMES:
            params[QUERY_NAMES[key]] = values[-1]
    if operation in ("ChangeResourceRecordSets", "CreateHostedZone"):
        params.update(_body_params(body))
    return params


def _body_params(body: bytes) -> Mapping[str, Any]:
    try:
        parsed = _value(ET.fromstring(body))  # noqa: S314 - loopback only, and it must read what boto3 sends
    except ET.ParseError as error:
        raise MalformedRequestError(f"Invalid XML ; {error}") from error
    if not isinstance(parsed, dict):
        raise MalformedRequestError("Invalid XML ; the request is empty")
    return parsed


def _s3_operation(method: str, path: str, query: str) -> str:
    has_key = "/" in path.strip("/")
    if query and not has_key and method == "PUT":
        return f"PutBucket:{query}"
    return S3_OPERATIONS.get((method, has_key), f"{method}:{query}")


def _value(element: ET.Element) -> Any:
    name = element.tag.rpartition("}")[2]
    if name in LIST_MEMBERS:
        return [_value(child) for child in element]
    if len(element):
        return {child.tag.rpartition("}")[2]: _value(child) for child in element}
    text = element.text or ""
    if name in INTEGERS:
        return _integer(name, text)
    return text == "true" if name in BOOLEANS else text


def _integer(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise MalformedRequestError(f"Invalid XML ; {name} is no number: '{text}'") from error


def _element(name: str, value: Any) -> str:
    return f"<{name}>{_content(name, value)}</{name}>"


def _content(name: str, value: Any) -> str:
    match value:
        case dict():
            return "".join(_element(key, inner) for key, inner in value.items())
        case list():
            return "".join(_element(LIST_MEMBERS[name], inner) for inner in value)
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        case _:
            return escape(str(value))

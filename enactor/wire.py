"""Decide how a record set and an error of Route 53 look on the wire: boto3's dictionaries to RecordSet and back.

Pure. Every attribute this version does not know rides in `extra`, so that a set we must re-create is never re-created poorer.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from enactor import names
from enactor.records import Alias, RecordSet

_KNOWN: Final = frozenset(
    {
        "Name",
        "Type",
        "SetIdentifier",
        "TTL",
        "Weight",
        "MultiValueAnswer",
        "ResourceRecords",
        "AliasTarget",
        "HealthCheckId",
    }
)

_NAMED: Final = re.compile(
    r"\[name='([^']+)'|with DNS name (\S+?\.)(?=[\s,])|resource record set '\S+ ([^'\s]+)'|alias that targets (\S+?\.?),"
)
"""Where Route 53's messages of InvalidChangeBatch name a record; of an alias that has no target they name the target."""
_ALIAS: Final = "an alias that targets "
_ENTRY: Final = re.compile(r", (?=Tried to |RRSet |The request |Duplicate |Invalid |\(\w)")
_STALE: Final = ("but it already exists", "but it was not found", "do not match the current values")
"""What Route 53 says when a batch rests on something that is no longer so."""


def record_from_wire(item: Mapping[str, Any]) -> RecordSet:
    """Return a listed record set, to the letter but for its name, which Route 53 folds by itself."""
    alias = item.get("AliasTarget")
    extra = {key: value for key, value in item.items() if key not in _KNOWN}
    return RecordSet(
        name=listed_name(item["Name"]),
        type=item["Type"],
        set_identifier=item.get("SetIdentifier"),
        ttl=item.get("TTL"),
        weight=item.get("Weight"),
        multivalue=bool(item.get("MultiValueAnswer", False)),
        values=tuple(part["Value"] for part in item.get("ResourceRecords", ())),
        alias=alias and Alias(alias["DNSName"], alias["HostedZoneId"], bool(alias["EvaluateTargetHealth"])),
        health_check=item.get("HealthCheckId"),
        extra=msgspec.json.encode(extra, order="sorted").decode() if extra else "",
    )


def listed_name(text: str) -> str:
    """Return a name of a listing in canonical form; a name no resolver could ask for stays as it is."""
    try:
        return names.canonical(text)
    except names.NameFault:
        return text.lower()


def record_to_wire(record: RecordSet) -> dict[str, Any]:
    """Return a record set as ChangeResourceRecordSets takes it."""
    item: dict[str, Any] = {"Name": names.escaped(record.name), "Type": record.type}
    if record.set_identifier is not None:
        item["SetIdentifier"] = record.set_identifier
    if record.weight is not None:
        item["Weight"] = record.weight
    if record.multivalue:
        item["MultiValueAnswer"] = True
    if record.alias is not None:
        item["AliasTarget"] = {
            "DNSName": record.alias.name,
            "HostedZoneId": record.alias.zone,
            "EvaluateTargetHealth": record.alias.evaluate_target_health,
        }
    else:
        item["TTL"] = record.ttl
        item["ResourceRecords"] = [{"Value": value} for value in record.values]
    if record.health_check is not None:
        item["HealthCheckId"] = record.health_check
    return item | (msgspec.json.decode(record.extra) if record.extra else {})


def entries(message: str) -> tuple[str, ...]:
    """Return the single messages of an InvalidChangeBatch, whose text is a bracketed list."""
    body = message.strip()
    if body.startswith("[") and body.endswith("]"):
        body = body[1:-1]
    return tuple(part.strip() for part in _ENTRY.split(body) if part.strip())


def named_in(messages: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return (canonical record name, message) for each message that names a record."""
    found = [(_NAMED.search(message), message) for message in messages]
    return tuple(
        (listed_name(next(group for group in match.groups() if group)), message) for match, message in found if match
    )


def names_target(message: str) -> bool:
    """Tell whether a message is about an alias: Route 53 names the target that is not there, and not the alias."""
    return _ALIAS in message


def is_stale(message: str) -> bool:
    """Tell whether a message says that the batch was decided on what no longer stands."""
    return any(text in message for text in _STALE)

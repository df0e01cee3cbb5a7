"""Decide what one change of a batch says, and whether its form is right; nothing here looks at a zone's contents. Pure.

The shapes are boto3's. What a plan of ours cannot say (failover, latency, geo, ...) is kept as it came.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from enactor.sandbox import zone_names, zone_values

RecordSet: TypeAlias = dict[str, Any]
Change: TypeAlias = Mapping[str, Any]

ACTIONS = ("CREATE", "DELETE", "UPSERT")
BATCH_MAX_ELEMENTS = 1_000
BATCH_MAX_CHARACTERS = 32_000
UPSERT_FACTOR = 2
SET_MAX_VALUES = 400
GROUP_MAX_SETS = 100
WEIGHTED_SET_MAX_VALUES = 1
WEIGHT_MAX = 255
TTL_MAX_SECONDS = 2_147_483_647
IDENTIFIER_MAX_CHARACTERS = 128

# Each routing attribute with the word Route 53 uses for its sets in messages.
POLICIES: Mapping[str, str] = {
    "Weight": "weighted",
    "MultiValueAnswer": "multivalue",
    "Region": "latency",
    "Failover": "failover",
    "GeoLocation": "geolocation",
    "GeoProximityLocation": "geoproximity",
    "CidrRoutingConfig": "IP-based",
}
RECORD_TYPES = frozenset(
    (
        "A",
        "AAAA",
        "CAA",
        "CNAME",
        "DS",
        "HTTPS",
        "MX",
        "NAPTR",
        "NS",
        "PTR",
        "SOA",
        "SPF",
        "SRV",
        "SSHFP",
        "SVCB",
        "TLSA",
        "TXT",
    )
)


class BadInputError(ValueError):
    """The request's form is wrong as a whole: Route 53 answers InvalidInput and looks no further."""


@dataclass(frozen=True, slots=True)
class Alias:
    """The target of an alias, canonical."""

    name: str
    zone: str
    evaluates_health: bool


@dataclass(frozen=True, slots=True)
class Record:
    """One record set in canonical spelling, with `data` as boto3 shows it."""

    name: str
    type: str
    identifier: str
    policy: str | None
    ttl_seconds: int | None
    values: tuple[str, ...]
    alias: Alias | None
    data: RecordSet

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.name, self.type, self.identifier)

    @property
    def elements(self) -> int:
        return 1 if self.alias is not None else len(self.values)

    @property
    def characters(self) -> int:
        return sum(len(value) for value in self.values)


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a batch, read."""

    action: str
    record: Record


def read_batch(changes: Sequence[Change]) -> tuple[Step, ...]:
    """Read every change; raise BadInputError for the first whose form is wrong, and BadNameError for a bad name."""
    if not changes:
        raise BadInputError("Invalid request: a change batch must contain at least one change")
    return tuple(_read_step(change, number) for number, change in enumerate(changes, start=1))


def batch_faults(steps: Sequence[Step]) -> list[str]:
    """Return the limits a whole batch is over; UPSERT counts twice."""
    elements = sum(step.record.elements * _factor(step) for step in steps)
    characters = sum(step.record.characters * _factor(step) for step in steps)
    faults: list[str] = []
    if elements > BATCH_MAX_ELEMENTS:
        faults.append(f"Number of records limit of {BATCH_MAX_ELEMENTS} exceeded.")
    if characters > BATCH_MAX_CHARACTERS:
        faults.append(f"RDATA character limit of {BATCH_MAX_CHARACTERS} exceeded.")
    return faults


def record_faults(record: Record, zone_name: str) -> list[str]:
    """Return what is wrong with a record set that is to be written, whatever stands in the zone."""
    faults: list[str] = []
    if record.type == "CNAME" and record.name == zone_name:
        faults.append(f"RRSet of type CNAME with DNS name {record.name} is not permitted at apex in zone {zone_name}")
    faults.extend(_value_faults(record))
    faults.extend(_policy_faults(record))
    return faults


def same(stored: Record, given: Record) -> bool:
    """Tell whether a DELETE gives a set exactly as it stands.

    A left-out MultiValueAnswer is forgiven: AWS was seen to forgive it.
    """
    return (
        stored.ttl_seconds == given.ttl_seconds
        and stored.alias == given.alias
        and _comparable_values(stored) == _comparable_values(given)
        and _attributes(stored) == _attributes(given)
    )


def label(record: Record) -> str:
    """Name a set as the group messages do."""
    text = f"RRSet with DNS name {record.name}, type {record.type}"
    return f"{text}, SetIdentifier {record.identifier}" if record.identifier else text


def tried(verb: str, record: Record) -> str:
    """Name a set as the CREATE and DELETE messages do."""
    suffix = f", set identifier='{record.identifier}'" if record.identifier else ""
    return f"Tried to {verb} resource record set [name='{record.name}', type='{record.type}'{suffix}]"


def _factor(step: Step) -> int:
    return UPSERT_FACTOR if step.action == "UPSERT" else 1


def _read_step(change: Change, number: int) -> Step:
    action = str(change.get("Action", ""))
    if action not in ACTIONS:
        raise BadInputError(
            f"Invalid XML ; cvc-enumeration-valid: Value '{action}' is not facet-valid with respect to enumeration "
            f"'[CREATE, DELETE, UPSERT]'. It must be a value from the enumeration."
        )
    given = change.get("ResourceRecordSet")
    if not isinstance(given, Mapping):
        raise BadInputError(f"Invalid request: change {number} has no ResourceRecordSet")
    return Step(action, _read_record(action, given, number))


def _read_record(action: str, given: Mapping[str, Any], number: int) -> Record:
    record_type = str(given.get("Type", ""))
    if record_type not in RECORD_TYPES:
        raise BadInputError(f"Invalid XML ; cvc-enumeration-valid: Value '{record_type}' is not a record type")
    _check_content(action, given)
    _check_numbers(given, number)
    policy = _policy(action, given)
    alias = _alias(given)
    values = tuple(str(element["Value"]) for element in given.get("ResourceRecords") or ())
    name = zone_names.canonical(str(given.get("Name", "")))
    return Record(
        name=name,
        type=record_type,
        identifier=str(given.get("SetIdentifier") or ""),
        policy=policy,
        ttl_seconds=None if alias else int(given["TTL"]),
        values=values,
        alias=alias,
        data=_data(given, name, alias, values),
    )


def _where(action: str, given: Mapping[str, Any]) -> str:
    identifier = given.get("SetIdentifier") or "null"
    return (
        f"Change with [Action={action}, Name={given.get('Name')}, Type={given.get('Type')}, SetIdentifier={identifier}]"
    )


def _check_content(action: str, given: Mapping[str, Any]) -> None:
    """A set is an alias, or a TTL with values, never both and never neither."""
    has_alias = given.get("AliasTarget") is not None
    has_ttl, has_values = given.get("TTL") is not None, bool(given.get("ResourceRecords"))
    choice = "Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId]"
    if has_alias and (has_ttl or has_values):
        raise BadInputError(f"{choice}, but found more than one in {_where(action, given)}")
    if not has_alias and not (has_ttl and has_values):
        raise BadInputError(f"{choice}, but found none in {_where(action, given)}")


def _check_numbers(given: Mapping[str, Any], number: int) -> None:
    for field, maximum in (("Weight", WEIGHT_MAX), ("TTL", TTL_MAX_SECONDS)):
        value = given.get(field)
        if value is not None and not 0 <= int(value) <= maximum:
            path = f"changeBatch.changes.{number}.member.resourceRecordSet.{field[0].lower()}{field[1:]}"
            bound = f"greater than or equal to 0 and less than or equal to {maximum}"
            raise BadInputError(
                f"1 validation error detected: Value '{value}' at '{path}' failed to satisfy constraint: "
                f"Member must have value {bound}"
            )
    identifier = given.get("SetIdentifier")
    if identifier is not None and not 1 <= len(identifier) <= IDENTIFIER_MAX_CHARACTERS:
        raise BadInputError(f"1 validation error detected: SetIdentifier of change {number} has a wrong length")


def _policy(action: str, given: Mapping[str, Any]) -> str | None:
    """Return the routing attribute in use.

    A DELETE may leave it out here: the comparison with what stands decides, which forgives only MultiValueAnswer.
    """
    # By identity: a weight of 0 equals False, and is a weight all the same.
    found = [name for name in POLICIES if given.get(name) is not None and given[name] is not False]
    identified = bool(given.get("SetIdentifier"))
    if len(found) > 1:
        raise BadInputError(
            f"Invalid request: Expected exactly one of {list(POLICIES)}, but found more than one in "
            f"{_where(action, given)}"
        )
    if found and not identified:
        raise BadInputError(f"Invalid request: Missing field 'SetIdentifier' in {_where(action, given)}")
    if identified and not found and action != "DELETE":
        raise BadInputError(
            f"Invalid request: Expected exactly one of {list(POLICIES)}, but found none in {_where(action, given)}"
        )
    return found[0] if found else None


def _alias(given: Mapping[str, Any]) -> Alias | None:
    target = given.get("AliasTarget")
    if target is None:
        return None
    zone = str(target["HostedZoneId"]).removeprefix("/hostedzone/")
    return Alias(zone_names.canonical(str(target["DNSName"])), zone, bool(target.get("EvaluateTargetHealth")))


def _data(given: Mapping[str, Any], name: str, alias: Alias | None, values: tuple[str, ...]) -> RecordSet:
    data: RecordSet = {key: value for key, value in given.items() if value is not None}
    data["Name"] = name
    if alias is not None:
        data["AliasTarget"] = {
            "HostedZoneId": alias.zone,
            "DNSName": alias.name,
            "EvaluateTargetHealth": alias.evaluates_health,
        }
        data.pop("ResourceRecords", None)
    else:
        data["TTL"] = int(data["TTL"])
        data["ResourceRecords"] = [{"Value": value} for value in values]
    return data


def _value_faults(record: Record) -> list[str]:
    faults: list[str] = []
    seen: set[object] = set()
    for value in record.values:
        try:
            zone_values.check_value(record.type, value)
        except zone_values.BadValueError as fault:
            faults.append(str(fault))
            continue
        form = zone_values.comparable(record.type, value)
        if form in seen:
            faults.append(f"Duplicate Resource Record: '{value}'")
        seen.add(form)
    if len(record.values) > SET_MAX_VALUES:
        faults.append(
            f"Number of records exceeds maximum {SET_MAX_VALUES} in resource record set with name '{record.name}' "
            f"and type '{record.type}'"
        )
    return faults


def _policy_faults(record: Record) -> list[str]:
    faults: list[str] = []
    if record.type == "CNAME" and len(record.values) > 1:
        faults.append(f"{label(record)} cannot be created as a CNAME set must contain exactly one value.")
    if record.policy == "Weight" and len(record.values) > WEIGHTED_SET_MAX_VALUES:
        faults.append(f"{label(record)} cannot be created as weighted sets must contain exactly one value.")
    if record.policy == "MultiValueAnswer" and (record.alias or record.type in ("CNAME", "NS", "SOA")):
        faults.append(f"{label(record)} cannot be created as multivalue sets may be neither aliases nor CNAME or NS.")
    return faults


def _comparable_values(record: Record) -> frozenset[object]:
    """A value that does not parse stands for itself: it equals nothing that a zone can hold."""
    forms: set[object] = set()
    for value in record.values:
        try:
            zone_values.check_value(record.type, value)
            forms.add(zone_values.comparable(record.type, value))
        except zone_values.BadValueError:
            forms.add(value)
    return frozenset(forms)


def _attributes(record: Record) -> RecordSet:
    apart = ("Name", "TTL", "ResourceRecords", "AliasTarget", "MultiValueAnswer")
    return {key: value for key, value in record.data.items() if key not in apart and value is not False}

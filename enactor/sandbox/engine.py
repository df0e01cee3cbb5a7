"""Answer Route 53's operations from zone models: boto3's arguments in, boto3's answer out, or an ApiError.

Shared by the HTTP server and by the in-process client. The rules of a zone are not here but in zone_model; here are
the zones of an account, its buckets, and the state of changes. Clocks come in from outside; ids are counted, not drawn.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from enactor.sandbox import zone_model, zone_names
from enactor.sandbox.buckets import TokenBucket
from enactor.sandbox.ledger import APPLIED, Ledger
from enactor.sandbox.zone_model import Errors, Zone
from enactor.sandbox.zone_rules import UPSERT_FACTOR

COMMENT_MAX_CHARACTERS = 256
CHANGES_KEPT_MAX = 20_000
LIST_ZONES_MAX = 100
REQUEST_REFILL_PER_SECOND = 10.0
CHANGE_REFILL_PER_SECOND = 100.0
CHANGE_OPERATION = "ChangeResourceRecordSets"
EMPTY_ZONE_SETS = 2


class ApiError(Exception):
    """An answer that is an error, as AWS gives it."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be set at construction and while the sandbox runs; a bucket without capacity is off."""

    page_max_sets: int = zone_model.PAGE_MAX_SETS
    insync_seconds: float = 0.0
    requests_capacity: float | None = None
    requests_refill_per_second: float = REQUEST_REFILL_PER_SECOND
    changes_capacity: float | None = None
    changes_refill_per_second: float = CHANGE_REFILL_PER_SECOND
    date_offset_seconds: float = 0.0
    zone_max_sets: int = zone_model.ZONE_MAX_SETS


@dataclass(frozen=True, slots=True)
class _HostedZone:
    caller_reference: str
    comment: str
    private: bool


@dataclass(frozen=True, slots=True)
class _SubmittedChange:
    submitted_at: datetime
    insync_from: float
    comment: str | None


class Engine:
    """The Route 53 of one account; every public method may be called from any thread."""

    def __init__(
        self, *, clock: Callable[[], float], now: Callable[[], float], settings: Settings | None = None
    ) -> None:
        self.lock = threading.RLock()
        self.ledger = Ledger()
        self._clock = clock
        self._now = now
        self._zones: dict[str, Zone] = {}
        self._hosted: dict[str, _HostedZone] = {}
        self._changes: OrderedDict[str, _SubmittedChange] = OrderedDict()
        self._id_number = 0
        self._requests: TokenBucket | None = None
        self._change_units: TokenBucket | None = None
        self.settings = Settings()
        self.configure(settings or Settings())

    def configure(self, settings: Settings) -> None:
        """Take new settings; buckets start full again."""
        if not 1 <= settings.page_max_sets <= zone_model.PAGE_MAX_SETS:
            raise ValueError(f"page_max_sets: {settings.page_max_sets} is not within 1 to {zone_model.PAGE_MAX_SETS}")
        with self.lock:
            self.settings = settings
            self._requests = self._bucket(settings.requests_capacity, settings.requests_refill_per_second)
            self._change_units = self._bucket(settings.changes_capacity, settings.changes_refill_per_second)
            self._zones = {
                zone_id: replace(zone, max_sets=settings.zone_max_sets) for zone_id, zone in self._zones.items()
            }

    def now(self) -> float:
        """Return the time that the Date header shows, in seconds since the epoch."""
        return self._now() + self.settings.date_offset_seconds

    def zones(self) -> dict[str, Zone]:
        """Return every zone as it is at this moment."""
        with self.lock:
            return dict(self._zones)

    def zone(self, zone_id: str) -> Zone:
        return self._zone(_bare(zone_id))

    def create_zone(self, name: str, zone_id: str | None = None) -> str:
        """Create a zone from Python, with an id of one's own where wanted; return the id."""
        with self.lock:
            new_id = zone_id or self._new_id("Z0SANDBOX")
            if new_id in self._zones:
                raise ValueError(f"zone {new_id} exists")
            self._zones[new_id] = Zone.empty(new_id, name, self.settings.zone_max_sets)
            self._hosted[new_id] = _HostedZone(caller_reference=new_id, comment="", private=False)
            return new_id

    def edit(self, zone_id: str, changes: Sequence[Mapping[str, Any]]) -> None:
        """Apply changes as a person at the console: no bucket, no fault, no count; an ApiError when refused."""
        with self.lock:
            zone = self._zone(_bare(zone_id))
            self._zones[zone.zone_id] = _applied(zone, changes)

    def replace_zone(self, zone: Zone) -> None:
        """Put a zone value in place of the one with its id: a jump to another state, for tests."""
        with self.lock:
            self._zone(zone.zone_id)
            self._zones[zone.zone_id] = zone

    def call(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one operation by its AWS name."""
        with self.lock:
            if self._requests is not None:
                if not self._requests.has(1):
                    self._refused(operation, params)
                self._requests.take(1)
            handler: Callable[[Mapping[str, Any]], dict[str, Any]] = getattr(self, OPERATIONS[operation])
            return handler(params)

    def note_unevaluated(self, params: Mapping[str, Any], outcome: str) -> None:
        """Log a batch that a fault kept from being evaluated."""
        with self.lock:
            self._log(params, outcome)

    def _refused(self, operation: str, params: Mapping[str, Any]) -> None:
        if operation == CHANGE_OPERATION:
            self._log(params, "Throttling")
        raise ApiError("Throttling", "Rate exceeded")

    def _change_sets(self, params: Mapping[str, Any]) -> dict[str, Any]:
        try:
            answer = self._try_change(params)
        except ApiError as error:
            self._log(params, error.code)
            raise
        self._log(params, APPLIED)
        return answer

    def _try_change(self, params: Mapping[str, Any]) -> dict[str, Any]:
        zone = self._zone(_bare(params["HostedZoneId"]))
        batch = params["ChangeBatch"]
        changes = batch["Changes"]
        comment = batch.get("Comment")
        if comment is not None and len(comment) > COMMENT_MAX_CHARACTERS:
            raise ApiError(
                "InvalidInput",
                f"1 validation error detected: Value at 'changeBatch.comment' failed to satisfy constraint: "
                f"Member must have length less than or equal to {COMMENT_MAX_CHARACTERS}",
            )
        units = sum(UPSERT_FACTOR if change.get("Action") == "UPSERT" else 1 for change in changes)
        if self._change_units is not None and not self._change_units.has(units):
            raise ApiError("Throttling", "Rate exceeded")
        self._zones[zone.zone_id] = _applied(zone, changes)
        if self._change_units is not None:
            self._change_units.take(units)
        return {"ChangeInfo": self._submit(comment)}

    def _list_sets(self, params: Mapping[str, Any]) -> dict[str, Any]:
        zone = self._zone(_bare(params["HostedZoneId"]))
        name, record_type = params.get("StartRecordName"), params.get("StartRecordType")
        identifier = params.get("StartRecordIdentifier")
        if (record_type and not name) or (identifier and not record_type):
            raise ApiError("InvalidInput", "The input is not valid")
        asked = int(params.get("MaxItems") or zone_model.PAGE_MAX_SETS)
        if asked < 1:
            raise ApiError("InvalidInput", "The input is not valid: MaxItems")
        limit = min(asked, self.settings.page_max_sets)
        try:
            page = zone_model.page(zone, name or None, record_type, identifier, limit)
        except zone_names.BadNameError as error:
            raise ApiError("InvalidInput", str(error)) from error
        answer: dict[str, Any] = {"ResourceRecordSets": list(page.sets), "IsTruncated": page.is_truncated}
        answer |= {"MaxItems": str(limit)}
        pointers = {
            "NextRecordName": page.next_name,
            "NextRecordType": page.next_type,
            "NextRecordIdentifier": page.next_identifier,
        }
        return answer | {key: value for key, value in pointers.items() if value is not None}

    def _get_change(self, params: Mapping[str, Any]) -> dict[str, Any]:
        change_id = str(params["Id"]).removeprefix("/change/")
        change = self._changes.get(change_id)
        if change is None:
            raise ApiError("NoSuchChange", f"Could not find resource with ID: {change_id}", 404)
        return {"ChangeInfo": self._change_info(change_id, change)}

    def _create_zone(self, params: Mapping[str, Any]) -> dict[str, Any]:
        reference = str(params["CallerReference"])
        if any(hosted.caller_reference == reference for hosted in self._hosted.values()):
            raise ApiError("HostedZoneAlreadyExists", f"A hosted zone has already been created with {reference}", 409)
        try:
            zone_id = self.create_zone(str(params["Name"]))
        except zone_names.BadNameError as error:
            raise ApiError("InvalidDomainName", str(error)) from error
        config = params.get("HostedZoneConfig") or {}
        private = str(config.get("PrivateZone", False)).lower() == "true"
        self._hosted[zone_id] = _HostedZone(reference, str(config.get("Comment") or ""), private)
        return {
            "HostedZone": self._zone_info(zone_id),
            "ChangeInfo": self._submit(None),
            "DelegationSet": {"NameServers": _name_servers()},
            "Location": f"/2013-04-01/hostedzone/{zone_id}",
        }

    def _get_zone(self, params: Mapping[str, Any]) -> dict[str, Any]:
        zone = self._zone(_bare(params["Id"]))
        return {"HostedZone": self._zone_info(zone.zone_id), "DelegationSet": {"NameServers": _name_servers()}}

    def _get_zone_limit(self, params: Mapping[str, Any]) -> dict[str, Any]:
        zone = self._zone(_bare(params["Id"]))
        return {"Limit": {"Type": "MAX_RRSETS_BY_ZONE", "Value": self.settings.zone_max_sets}, "Count": len(zone)}

    def _list_zones(self, params: Mapping[str, Any]) -> dict[str, Any]:
        limit = min(int(params.get("MaxItems") or LIST_ZONES_MAX), LIST_ZONES_MAX)
        ids = sorted(zone_id for zone_id in self._zones if zone_id >= str(params.get("Marker") or ""))
        answer: dict[str, Any] = {
            "HostedZones": [self._zone_info(zone_id) for zone_id in ids[:limit]],
            "IsTruncated": len(ids) > limit,
            "MaxItems": str(limit),
        }
        return answer | ({"NextMarker": ids[limit]} if len(ids) > limit else {})

    def _list_zones_by_name(self, params: Mapping[str, Any]) -> dict[str, Any]:
        start = zone_names.order_key(str(params.get("DNSName") or ""))
        found = sorted(
            (zone_names.order_key(zone.name), zone_id)
            for zone_id, zone in self._zones.items()
            if zone_names.order_key(zone.name) >= start
        )
        zones = [self._zone_info(zone_id) for _, zone_id in found[:LIST_ZONES_MAX]]
        return {"HostedZones": zones, "IsTruncated": len(found) > LIST_ZONES_MAX, "MaxItems": str(LIST_ZONES_MAX)}

    def _delete_zone(self, params: Mapping[str, Any]) -> dict[str, Any]:
        zone = self._zone(_bare(params["Id"]))
        if len(zone) > EMPTY_ZONE_SETS:
            raise ApiError(
                "HostedZoneNotEmpty",
                "The specified hosted zone contains non-required resource record sets and so cannot be deleted.",
            )
        del self._zones[zone.zone_id]
        del self._hosted[zone.zone_id]
        return {"ChangeInfo": self._submit(None)}

    def _count_zones(self, _params: Mapping[str, Any]) -> dict[str, Any]:
        return {"HostedZoneCount": len(self._zones)}

    def _zone(self, zone_id: str) -> Zone:
        zone = self._zones.get(zone_id)
        if zone is None:
            raise ApiError("NoSuchHostedZone", f"No hosted zone found with ID: {zone_id}", 404)
        return zone

    def _zone_info(self, zone_id: str) -> dict[str, Any]:
        zone, hosted = self._zones[zone_id], self._hosted[zone_id]
        config: dict[str, Any] = {"PrivateZone": hosted.private}
        return {
            "Id": f"/hostedzone/{zone_id}",
            "Name": zone.name,
            "CallerReference": hosted.caller_reference,
            "Config": config | ({"Comment": hosted.comment} if hosted.comment else {}),
            "ResourceRecordSetCount": len(zone),
        }

    def _submit(self, comment: str | None) -> dict[str, Any]:
        change_id = self._new_id("C0SANDBOX")
        change = _SubmittedChange(
            datetime.fromtimestamp(self.now(), UTC), self._clock() + self.settings.insync_seconds, comment
        )
        self._changes[change_id] = change
        if len(self._changes) > CHANGES_KEPT_MAX:
            self._changes.popitem(last=False)
        return self._change_info(change_id, change, just_submitted=True)

    def _change_info(self, change_id: str, change: _SubmittedChange, *, just_submitted: bool = False) -> dict[str, Any]:
        """A change starts PENDING: the answer that submits it never says INSYNC."""
        insync = not just_submitted and self._clock() >= change.insync_from
        info = {
            "Id": f"/change/{change_id}",
            "Status": "INSYNC" if insync else "PENDING",
            "SubmittedAt": change.submitted_at,
        }
        return info | ({"Comment": change.comment} if change.comment else {})

    def _log(self, params: Mapping[str, Any], outcome: str) -> None:
        batch = params["ChangeBatch"]
        self.ledger.record(_bare(params["HostedZoneId"]), batch["Changes"], str(batch.get("Comment") or ""), outcome)

    def _bucket(self, capacity: float | None, refill_per_second: float) -> TokenBucket | None:
        return None if capacity is None else TokenBucket(capacity, refill_per_second, self._clock)

    def _new_id(self, prefix: str) -> str:
        self._id_number += 1
        return f"{prefix}{self._id_number:08d}"


# AWS's operation names and the methods that answer them; anything else is not this engine's.
OPERATIONS: Mapping[str, str] = {
    "ChangeResourceRecordSets": "_change_sets",
    "ListResourceRecordSets": "_list_sets",
    "GetChange": "_get_change",
    "GetHostedZoneLimit": "_get_zone_limit",
    "CreateHostedZone": "_create_zone",
    "GetHostedZone": "_get_zone",
    "ListHostedZones": "_list_zones",
    "ListHostedZonesByName": "_list_zones_by_name",
    "DeleteHostedZone": "_delete_zone",
    "GetHostedZoneCount": "_count_zones",
}


def _applied(zone: Zone, changes: Sequence[Mapping[str, Any]]) -> Zone:
    result = zone_model.apply(zone, changes)
    if isinstance(result, Errors):
        raise ApiError(result.code, result.text)
    return result


def _bare(zone_id: object) -> str:
    return str(zone_id).removeprefix("/hostedzone/")


def _name_servers() -> list[str]:
    return [server.removesuffix(".") for server in zone_model.NAME_SERVERS]

"""The hosted zones of a world at one moment as one value: the first, and what is beside it. Pure.

A zone may be gone, or answer nobody by a lapse of rights; and one of the same name may be made beside it under another id.
"""

from typing import Final, Literal

import msgspec
from botocore.exceptions import ClientError

from enactor import wire
from enactor.records import RecordSet
from enactor.sandbox.answers import ANSWERS
from enactor.sandbox.zone_model import Zone

Trouble = Literal["", "gone", "denied"]
GONE: Final = ("NoSuchHostedZone", "No hosted zone found with this id", 404)


class ZoneState(msgspec.Struct, frozen=True, eq=False):
    """One zone at one moment: the model's value, and its record sets in the order of a listing; and the zones beside it."""

    zone: Zone
    records: tuple[RecordSet, ...]
    trouble: Trouble = ""
    beside: tuple["ZoneState", ...] = ()

    @property
    def zone_id(self) -> str:
        """Return the zone's id."""
        return self.zone.zone_id

    @property
    def parts(self) -> tuple["ZoneState", ...]:
        """Return every zone, in the order in which they came to be."""
        return (self, *self.beside)

    @property
    def key(self) -> tuple[object, ...]:
        """Return what makes this moment one: two with equal keys have one future."""
        mine = (self.zone_id, self.records, self.trouble)
        return (*mine, tuple(part.key for part in self.beside)) if self.beside else mine

    def at(self, zone_id: str) -> "ZoneState | None":
        """Return a zone by its id, None where there never was one."""
        return next((part for part in self.parts if part.zone_id == zone_id), None)

    def with_part(self, part: "ZoneState") -> "ZoneState":
        """Return the moment with one of its zones changed, or with a zone more."""
        if part.zone_id == self.zone_id:
            return msgspec.structs.replace(part, beside=self.beside)
        ids = [one.zone_id for one in self.beside]
        others = [part if one.zone_id == part.zone_id else one for one in self.beside]
        return msgspec.structs.replace(self, beside=tuple(others) if part.zone_id in ids else (*self.beside, part))


def state_of(zone: Zone) -> ZoneState:
    """Return a zone as it stands in the model."""
    return ZoneState(zone, tuple(wire.record_from_wire(found) for found in zone.sets()))


def refusal_of(trouble: Trouble) -> tuple[str, str, int]:
    """Return code, message and status of what Route 53 answers for a zone in trouble."""
    return ANSWERS["deny"]["route53"] if trouble == "denied" else GONE


def error_of(trouble: Trouble, operation: str) -> ClientError:
    """Return the error that boto3 raises then."""
    code, message, status = refusal_of(trouble)
    return ClientError(
        {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}},  # type: ignore[typeddict-item]
        operation,
    )

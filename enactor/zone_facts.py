"""Decide what GetHostedZone and the calls around it say of a zone, in our words. Pure; `route53` asks."""

from collections.abc import Mapping
from typing import Any

import msgspec

from enactor.wire import listed_name


class ZoneFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One hosted zone as Route 53 describes it."""

    name: str
    tier: str | None
    """STANDARD or ADVANCED; None where the answer does not say."""
    guardrails: tuple[str, ...]
    """The change guardrails that are on."""
    record_sets: int | None


def facts_of(zone: Mapping[str, Any]) -> ZoneFacts:
    """Return what the `HostedZone` of an answer says."""
    config = zone.get("Config", {})
    guardrails = zone.get("Features", {}).get("ChangeGuardrails", ())
    return ZoneFacts(
        name=listed_name(zone["Name"]),
        tier=config.get("HostedZoneTier"),
        guardrails=tuple(one["Name"] for one in guardrails if one.get("Status") == "ENABLED"),
        record_sets=zone.get("ResourceRecordSetCount"),
    )


def protected_by(answer: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the (name, type) of each protection of an answer."""
    return tuple((listed_name(one["RecordName"]), one["RecordType"]) for one in answer["ResourceRecordSetProtections"])

"""Decide what is wrong with one hosted zone: room, protections and guardrails, its SOA record, its switch, and its fences.

Pure; a part of `diagnosis`, with the same rule: what nobody could look at is not called well.
"""

from collections.abc import Iterable
from typing import Final

from enactor.diagnosis import Diagnosis, HeadSeen, Severity, ZoneSeen
from enactor.records import RecordSet

SOA_FIELDS: Final = 7
"""Two names, and five numbers (RFC 1035, section 3.3.13)."""
SOA_SECONDS_MAX: Final = 60
"""A name without an answer is cached for so long (RFC 2308, section 5): what was empty a moment stays empty that long."""
ZONE_FULL_SHARE: Final = 0.8
"""Of the zone's record sets: time to ask AWS for more, which takes days."""
GUARDRAILS_IN_THE_WAY: Final = frozenset({"ALIAS_TARGET_CHECK", "ACTIVE_RECORD_CHECK", "ACTIVE_DELEGATION_CHECK"})
"""They judge DELETEs; how they take a DELETE with its CREATE in one batch is written down nowhere."""
MANAGED: Final = frozenset({"A", "AAAA", "CNAME", "TXT"})


def of_room(seen: ZoneSeen) -> Diagnosis:
    """Say how full a zone is: an enactor refuses, and Route 53 would too, what goes over the limit."""
    limit = seen.limit or seen.told_limit
    said = f"{seen.record_sets} of {limit} record sets"
    word = "room"
    if seen.record_sets is None:
        return _zone(seen, word, "note", "how many record sets it holds is unproven: GetHostedZone did not say")
    if seen.record_sets > ZONE_FULL_SHARE * limit:
        message = f"{said}: more than {ZONE_FULL_SHARE:.0%} of what it may hold"
        return _zone(
            seen, word, "warning", message, "ask AWS for more in Service Quotas (Route 53, record sets per zone)"
        )
    if seen.limit is not None and seen.told_limit > seen.limit:
        message = f"the setting zone-record-sets says {seen.told_limit}, and AWS gives this zone {seen.limit}"
        return _zone(
            seen, word, "warning", message, f"set zone-record-sets to {seen.limit} under limits in the --config file"
        )
    if seen.limit is None:
        return _zone(seen, word, "note", f"{said}, by the settings: AWS did not say this zone's limit")
    return _zone(seen, word, "ok", said)


def of_protections(seen: ZoneSeen) -> list[Diagnosis]:
    """Say what AWS itself would refuse in this zone, whoever asks: protections of record sets, and guardrails."""
    found = [_guardrails(seen)]
    if seen.protections is None:
        return [
            *found,
            _zone(
                seen,
                "protections",
                "note",
                "whether record sets are protected is unproven: it may not be asked, or not here",
            ),
        ]
    in_the_way = sorted(one for one in seen.protections if one[0] in seen.ours and one[1] in MANAGED)
    if not in_the_way:
        return [*found, _zone(seen, "protections", "ok", "no record set of this fleet is protected")]
    name, of = in_the_way[0]
    more = f" and {len(in_the_way) - 1} more" if len(in_the_way) > 1 else ""
    return [
        *found,
        _zone(
            seen,
            "protections",
            "error",
            f"{of} {name}{more} is protected: Route 53 rejects every batch that touches it, repairs too",
            f"aws route53 delete-resource-record-set-protections --hosted-zone-id {seen.zone} "
            f"--protections RecordName={name},RecordType={of}",
        ),
    ]


def _guardrails(seen: ZoneSeen) -> Diagnosis:
    tier = f"tier {seen.tier}" if seen.tier else "tier not told"
    on = sorted(GUARDRAILS_IN_THE_WAY & set(seen.guardrails))
    if not on:
        return _zone(seen, "guardrails", "ok", f"{tier}; no guardrail is in the way of a batch")
    return _zone(
        seen,
        "guardrails",
        "note",
        f"{tier}; {', '.join(on)} judge every batch: a swap or a retire that they reject waits, and the rest goes on",
        f"enactor doctor --zone {seen.zone} --prove-cas --yes, which proves on scratch names that swaps pass them",
    )


def of_soa(seen: ZoneSeen) -> Diagnosis:
    """Say for how long resolvers keep it in mind that a name had no answer."""
    if seen.soa_seconds is None:
        return _zone(seen, "soa", "note", "its SOA record was not found at the apex")
    if seen.soa_seconds <= SOA_SECONDS_MAX:
        return _zone(seen, "soa", "ok", f"a missing answer is cached for {seen.soa_seconds} s")
    return _zone(
        seen,
        "soa",
        "warning",
        f"a missing answer is cached for {seen.soa_seconds} s (the lower of the SOA's TTL and its last number), over "
        f"{SOA_SECONDS_MAX}: so long a name that was empty for a moment stays empty for clients",
        f"in the console, give the SOA record of {seen.name} the TTL {SOA_SECONDS_MAX}",
    )


def soa_seconds(apex: Iterable[RecordSet]) -> int | None:
    """Return for how long a name without an answer is cached (RFC 2308, section 5); None without a SOA record that can be read."""
    for record in apex:
        fields = record.values[0].split() if record.type == "SOA" and record.values else []
        if len(fields) == SOA_FIELDS and fields[-1].isdecimal() and fields[-1].isascii() and record.ttl is not None:
            return min(record.ttl, int(fields[-1]))
    return None


def of_switch(seen: ZoneSeen) -> Diagnosis:
    """Say whether anything may be written in a zone."""
    match seen.switch:
        case "run":
            return _zone(seen, "switch", "ok", f"run, open at generation {seen.open}")
        case "absent":
            mend = f"enactor {'start' if seen.fences else 'init'} --zone {seen.zone}"
            return _zone(seen, "switch", "warning", "no switch, which means stop: nothing is written", mend)
        case "stop":
            mend = f"enactor start --zone {seen.zone}, once what it was stopped for is over"
            return _zone(seen, "switch", "warning", f"stopped, by the text {seen.switch_text}", mend)
        case "garbled":
            mend = f"enactor start --zone {seen.zone}"
            message = f"its text {seen.switch_text} is not a switch's, which means stop"
            return _zone(seen, "switch", "warning", message, mend)


def of_agreement(seen: ZoneSeen, head: HeadSeen | None) -> list[Diagnosis]:
    """Say whether a zone's switch and fences are explained by the table's newest plan."""
    found = []
    if seen.garbled:
        first, more = seen.garbled[0], f" and {len(seen.garbled) - 1} more" if len(seen.garbled) > 1 else ""
        message = f"the fence of {first}{more} cannot be read: nothing is written there"
        found.append(
            _zone(seen, "fences", "error", message, f"enactor adopt {first} --zone {seen.zone}, after a look at it")
        )
    highest = max(seen.open or 0, seen.fences_highest)
    if head is None:
        return [
            *found,
            _zone(seen, "fences", "note", f"generation {highest} is held against nothing: the table was not read"),
        ]
    ahead = f"it is at generation {highest}, and the table's newest plan is {head.generation}"
    republish = "planner publish FLEET.yaml, unchanged if there is nothing new: it is numbered above"
    if highest > head.generation:
        found.append(_zone(seen, "fences", "error", f"{ahead}: the table was restored, or is another one", republish))
    elif seen.open is not None and 0 < seen.open == head.generation and not head.digest.startswith(seen.open_digest):
        message = (
            f"generation {seen.open} is open with digest {seen.open_digest}, and the table's has {head.digest[:12]}"
        )
        found.append(_zone(seen, "fences", "error", f"{message}: two plans bear one number", republish))
    elif seen.switch == "run" and (seen.open or 0) < head.generation and seen.zone in head.zones:
        message = f"open at {seen.open}, and the newest plan is {head.generation}"
        found.append(_zone(seen, "fences", "warning", message, "enactor survey, which names what holds it back"))
    else:
        found.append(
            _zone(seen, "fences", "ok", f"fences: {seen.fences}, none above the newest plan {head.generation}")
        )
    return found


def _zone(seen: ZoneSeen, check: str, severity: Severity, message: str, mend: str | None = None) -> Diagnosis:
    return Diagnosis(check=check, subject=seen.zone, severity=severity, message=message, mend=mend)

"""What Route 53's messages say, as faults of the dumb zone: the rule, and the set, name or value it is about."""

import re
from typing import Final

from enactor.sandbox.zone_model import Errors

from .dumb_zone import Fault

_SET: Final = r"\[name='(?P<about>[^']+)', type='(?P<type>\w+)'(?:, set identifier='(?P<identifier>.*)')?\]"  # in CREATE and DELETE
_RRSET: Final = r"RRSet with DNS name (?P<about>\S+), type (?P<type>\w+)(?:, SetIdentifier (?P<identifier>.+?))?"
_ALIAS: Final = r"Tried to create an alias that targets (?P<about>\S+), type (?P<type>\w+) in zone \w+, but "
_MALFORMED: Final = r"Invalid Resource Record: FATAL problem: \w+ \([^)]*\) encountered with '(?P<about>.*)'"
RULES: Final[dict[str, str]] = {
    "exists": rf"Tried to create resource record set {_SET} but it already exists",
    "not found": rf"Tried to delete resource record set {_SET} but it was not found",
    "does not match": rf"Tried to delete resource record set {_SET} but the values provided do not match the current values",
    "no target": rf"{_ALIAS}that target was not found",
    "target outside": rf"{_ALIAS}the alias target name does not lie within the target zone",
    "others exist": rf"{_RRSET} cannot be created as other RRSets exist with the same name and type\.",
    "mixed TTL": rf"{_RRSET} cannot be created as weighted sets must contain the same TTL\.",
    "not all Weight": rf"{_RRSET} cannot be created as a non-weighted set exists with the same name and type\.",
    "not all MultiValueAnswer": rf"{_RRSET} cannot be created as a non-multivalue set exists with the same name and type\.",
    "not all Region": rf"{_RRSET} cannot be created as a non-latency set exists with the same name and type\.",
    "group is full": rf"{_RRSET} cannot be created as 100 sets exist with the same name and type\.",
    "CNAME has one value": rf"{_RRSET} cannot be created as a CNAME set must contain exactly one value\.",
    "weighted has one value": rf"{_RRSET} cannot be created as weighted sets must contain exactly one value\.",
    "no multivalue": rf"{_RRSET} cannot be created as multivalue sets may be neither aliases nor CNAME or NS\.",
    "CNAME beside others": r"RRSet of type (?P<type>CNAME) with DNS name (?P<about>\S+) is not permitted as it conflicts "
    r"with other records with the same DNS name in zone \S+",
    "beside a CNAME": r"RRSet of type (?P<type>\w+) with DNS name (?P<about>\S+) is not permitted because a conflicting RRSet "
    r"of type CNAME with the same DNS name already exists in zone \S+",
    "CNAME at the apex": r"RRSet of type (?P<type>CNAME) with DNS name (?P<about>\S+) is not permitted at apex in zone \S+",
    "not in zone": r"RRSet with DNS name (?P<about>\S+) is not permitted in zone \S+",
    "named twice": r"The request contains an invalid set of changes for a resource record set "
    r"'(?P<type>\w+) (?P<about>\S+)'",
    "duplicate value": r"Duplicate Resource Record: '(?P<about>.*)'",
    "bad value": _MALFORMED,
    "bad name": r"FATAL problem: \w+ \([^)]*\) encountered with '(?P<about>.*)'",
    "too many values": r"Number of records exceeds maximum 400 in resource record set with name '(?P<about>\S+)' "
    r"and type '(?P<type>\w+)'",
    "apex keeps SOA": r"A HostedZone must contain exactly one SOA record\.",
    "apex keeps NS": r"A HostedZone must contain at least one NS record for the zone itself\.",
    "too many elements": r"Number of records limit of 1000 exceeded\.",
    "too many characters": r"RDATA character limit of 32000 exceeded\.",
    "zone is full": r"Number of resource record sets limit of \d+ exceeded in zone \w+",
}


def faults_in(errors: Errors) -> list[Fault]:
    """Return what a refusal says, one fault a message."""
    if errors.code == "InvalidInput":
        return [Fault("bad input")]
    return [_fault(message) for message in errors.messages]


def _fault(message: str) -> Fault:
    for rule, words in RULES.items():
        found = re.fullmatch(words, message, re.DOTALL)
        if found:
            parts = found.groupdict()
            return Fault(rule, *(parts.get(part) or "" for part in ("about", "type", "identifier")))
    raise AssertionError(f"nobody knows what this says: {message}")

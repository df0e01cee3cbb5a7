"""A second hosted zone, as dumb as can be: one flat list of record sets, looked through from end to end, a rule an `if`.

Written from what Route 53 documents and answers, and apart from the sandbox's zone model; a test holds the two together.
Only the record types that the tests draw are known: A, AAAA, CNAME, NS, SOA and TXT.
"""

import re
import socket
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, NamedTuple

Set = dict[str, Any]
Change = dict[str, Any]

PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789-_"
ROUTING = ("Weight", "MultiValueAnswer", "Region")
TEXT_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"(?:[ \t]*"(?:[^"\\]|\\.)*")*')
TEXT_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
TEXT_OCTET = re.compile(r"\\([0-3][0-7][0-7])|\\(.)|(.)")


class Fault(NamedTuple):
    """Why a batch is refused: the rule, and the set (or the name, or the value) it is about."""

    rule: str
    about: str = ""
    type: str = ""
    identifier: str = ""


class Refused(Exception):  # noqa: N818 - an answer
    """The batch does not even read."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class DumbZone:
    """A zone, changed in place by `apply`."""

    def __init__(self, zone_id: str, name: str, started: Sequence[Set], max_sets: int) -> None:
        self.zone_id = zone_id
        self.name = spelled(name)
        self.max_sets = max_sets
        self.sets: list[Set] = [deepcopy(one) for one in started]

    def listing(self) -> list[Set]:
        """Return every set in the order of a listing."""
        return sorted(self.sets, key=listed_at)

    def from_start(self, start: tuple[str, str, str]) -> list[Set]:
        """Return every set at or after a name, type and identifier."""
        name, record_type, identifier = start
        first = (reversed_name(spelled(name)), record_type, identifier)
        return [one for one in self.listing() if listed_at(one) >= first]

    def apply(self, batch: Sequence[Change]) -> list[Fault]:
        """Change the zone and return nothing, or change nothing and return every fault."""
        try:
            steps = read(batch)
        except Refused as refused:
            return [refused.fault]
        before = self.sets
        self.sets = list(before)
        faults = over_limits(steps) or self._played(steps)
        if not faults and len(self.sets) > max(self.max_sets, len(before)):
            faults = [Fault("zone is full")]
        if faults:
            self.sets = before
        return faults

    def _played(self, steps: Sequence[Change]) -> list[Fault]:
        twice = named_twice(steps)
        faults = [Fault("named twice", one[0], one[1]) for one in twice]
        spoilt = [one[0] for one in twice]  # names with a fault: what follows there only says it again
        for number, step in enumerate(steps):
            one = step["set"]
            if key(one) in twice:
                continue
            if not (one["Name"] == self.name or one["Name"].endswith("." + self.name)):
                found = [Fault("not in zone", one["Name"])]
            elif step["action"] == "DELETE":
                found = self._delete_faults(one, steps)
            else:
                found = form_faults(one, self.name)
                if not found and one["Name"] not in spoilt:
                    found = self._create_faults(step, steps[number + 1 :], spoilt)
            faults += found
            if found:
                spoilt.append(one["Name"])
                continue
            self.sets = [other for other in self.sets if key(other) != key(one)]
            if step["action"] != "DELETE":
                self.sets.append(one)
        return faults

    def _delete_faults(self, one: Set, steps: Sequence[Change]) -> list[Fault]:
        found = [other for other in self.sets if key(other) == key(one)]
        if not found:
            return [Fault("not found", *key(one))]
        if not same(found[0], one):
            return [Fault("does not match", *key(one))]
        comes_back = any(step["action"] != "DELETE" and key(step["set"]) == key(one) for step in steps)
        if one["Name"] == self.name and one["Type"] in ("NS", "SOA") and not comes_back:
            return [Fault(f"apex keeps {one['Type']}")]
        return []

    def _create_faults(self, step: Change, later: Sequence[Change], spoilt: Sequence[str]) -> list[Fault]:
        one = step["set"]
        if step["action"] == "CREATE" and any(key(other) == key(one) for other in self.sets):
            return [Fault("exists", *key(one))]
        faults = []
        beside = [other for other in self.sets if other["Name"] == one["Name"]]
        if one["Type"] == "CNAME" and any(other["Type"] != "CNAME" for other in beside):
            faults.append(Fault("CNAME beside others", one["Name"], "CNAME"))
        if one["Type"] != "CNAME" and any(other["Type"] == "CNAME" for other in beside):
            faults.append(Fault("beside a CNAME", one["Name"], one["Type"]))
        group = [other for other in beside if other["Type"] == one["Type"] and key(other) != key(one)]
        faults += group_faults(one, group)
        return faults + self._alias_faults(one, later, spoilt)

    def _alias_faults(self, one: Set, later: Sequence[Change], spoilt: Sequence[str]) -> list[Fault]:
        if "AliasTarget" not in one or one["AliasTarget"]["HostedZoneId"] != self.zone_id:
            return []
        target = one["AliasTarget"]["DNSName"]
        if not (target == self.name or target.endswith("." + self.name)):
            return [Fault("target outside", target, one["Type"])]
        if target in spoilt:
            return []
        stands = target != one["Name"] and any(
            (other["Name"], other["Type"]) == (target, one["Type"]) for other in self.sets
        )
        moves = any((step["set"]["Name"], step["set"]["Type"]) == (target, one["Type"]) for step in later)
        return [] if stands and not moves else [Fault("no target", target, one["Type"])]


def read(batch: Sequence[Change]) -> list[Change]:
    """Read every change, names in canonical spelling; the first that does not read is the answer."""
    if not batch:
        raise Refused(Fault("bad input"))
    steps = []
    for change in batch:
        one = deepcopy(change["ResourceRecordSet"])
        if not one.get("ResourceRecords"):
            one.pop("ResourceRecords", None)
        if not well_formed(change["Action"], one):
            raise Refused(Fault("bad input"))
        if "AliasTarget" in one:
            one["AliasTarget"]["DNSName"] = spelled(one["AliasTarget"]["DNSName"])
        one["Name"] = spelled(one["Name"])
        steps.append({"action": change["Action"], "set": one})
    return steps


def well_formed(action: str, one: Set) -> bool:
    """Tell whether a set is an alias or a TTL with values, its numbers in range, its routing complete."""
    if action not in ("CREATE", "DELETE", "UPSERT"):
        return False
    if "AliasTarget" in one and ("TTL" in one or "ResourceRecords" in one):
        return False
    if "AliasTarget" not in one and not ("TTL" in one and "ResourceRecords" in one):
        return False
    if not 0 <= one.get("Weight", 0) <= 255 or not 0 <= one.get("TTL", 0) <= 2**31 - 1:
        return False
    if "SetIdentifier" in one and not 1 <= len(one["SetIdentifier"]) <= 128:
        return False
    routing = [word for word in ROUTING if word in one]
    if len(routing) > 1 or (routing and "SetIdentifier" not in one):
        return False
    return bool(routing) or "SetIdentifier" not in one or action == "DELETE"


def over_limits(steps: Sequence[Change]) -> list[Fault]:
    """Return which limits of a batch are broken: 1,000 elements and 32,000 characters, an UPSERT twice, an alias one element."""
    elements = characters = 0
    for step in steps:
        values = [part["Value"] for part in step["set"].get("ResourceRecords", [])]
        times = 2 if step["action"] == "UPSERT" else 1
        elements += times * (len(values) or 1)
        characters += times * sum(len(value) for value in values)
    faults = []
    if elements > 1000:
        faults.append(Fault("too many elements"))
    if characters > 32000:
        faults.append(Fault("too many characters"))
    return faults


def named_twice(steps: Sequence[Change]) -> list[tuple[str, str, str]]:
    """Return the sets that a batch names twice, but for one DELETE and then one CREATE."""
    found: list[tuple[str, str, str]] = []
    for step in steps:
        actions = [other["action"] for other in steps if key(other["set"]) == key(step["set"])]
        if len(actions) > 1 and actions != ["DELETE", "CREATE"] and key(step["set"]) not in found:
            found.append(key(step["set"]))
    return found


def form_faults(one: Set, zone_name: str) -> list[Fault]:
    """Return what is wrong with a set wherever it would stand."""
    faults = []
    if one["Type"] == "CNAME" and one["Name"] == zone_name:
        faults.append(Fault("CNAME at the apex", one["Name"], "CNAME"))
    values = [part["Value"] for part in one.get("ResourceRecords", [])]
    meanings = [meaning(one["Type"], value) for value in values]
    for number, value in enumerate(values):
        if meanings[number] is None:
            faults.append(Fault("bad value", value))
        elif meanings[number] in meanings[:number]:
            faults.append(Fault("duplicate value", value))
    if len(values) > 400:
        faults.append(Fault("too many values", one["Name"], one["Type"]))
    if one["Type"] == "CNAME" and len(values) > 1:
        faults.append(Fault("CNAME has one value", *key(one)))
    if "Weight" in one and len(values) > 1:
        faults.append(Fault("weighted has one value", *key(one)))
    if "MultiValueAnswer" in one and ("AliasTarget" in one or one["Type"] in ("CNAME", "NS", "SOA")):
        faults.append(Fault("no multivalue", *key(one)))
    return faults


def group_faults(one: Set, group: Sequence[Set]) -> list[Fault]:
    """Return why a set cannot join the others of its name and type."""
    if not group:
        return []
    if routing(one) is None:
        return [Fault("others exist", *key(one))]
    if any(routing(other) != routing(one) for other in group):
        return [Fault(f"not all {routing(one)}", *key(one))]
    if "Weight" in one and len({other["TTL"] for other in (one, *group) if "TTL" in other}) > 1:
        return [Fault("mixed TTL", *key(one))]
    if len(group) >= 100:
        return [Fault("group is full", *key(one))]
    return []


def same(stands: Set, given: Set) -> bool:
    """Tell whether a DELETE gives a set as it stands: all but MultiValueAnswer, values in any order and spelling."""
    for field in ("TTL", "Weight", "Region", "HealthCheckId", "AliasTarget"):
        if stands.get(field) != given.get(field):
            return False
    one, other = (
        {meaning(stands["Type"], part["Value"]) or part["Value"] for part in found.get("ResourceRecords", [])}
        for found in (stands, given)
    )
    return one == other


def routing(one: Set) -> str | None:
    """Return the routing attribute of a set, None for a simple one."""
    return next((word for word in ROUTING if word in one), None)


def key(one: Set) -> tuple[str, str, str]:
    """Return what makes a set one set in its zone."""
    return (one["Name"], one["Type"], one.get("SetIdentifier", ""))


def listed_at(one: Set) -> tuple[str, str, str]:
    """Return where a set stands in a listing: labels reversed with the trailing dot, ASCII, then type, then identifier."""
    return (reversed_name(one["Name"]), one["Type"], one.get("SetIdentifier", ""))


def reversed_name(name: str) -> str:
    """Return a canonical name as listings order it: octets as they are, but for what would look like another name."""
    text = re.sub(r"\\([0-7]{3})", lambda found: _unescaped(found[0], found[1]), name)
    return ".".join(reversed(text.removesuffix(".").split("."))) + "."


def _unescaped(whole: str, digits: str) -> str:
    char = chr(int(digits, 8))
    return whole if char in ".\\" else char


def spelled(name: str) -> str:
    """Return a name as Route 53 gives it back."""
    labels = []
    for label in name.removesuffix(".").split("."):
        text = ""
        rest = label
        while rest:
            octal = re.match(r"\\([0-3][0-7][0-7])", rest)
            if octal is None and not ("!" <= rest[0] <= "~" and rest[0] != "\\"):
                raise Refused(Fault("bad name", name))
            char = chr(int(octal[1], 8)) if octal else rest[0]
            text += char.lower() if char.isascii() else char
            rest = rest[4:] if octal else rest[1:]
        if not 1 <= len(text) <= 63:
            raise Refused(Fault("bad name", name))
        labels.append(text)
    if sum(len(label) + 1 for label in labels) + 1 > 255:
        raise Refused(Fault("bad name", name))
    return (
        ".".join("".join(char if char in PLAIN else f"\\{ord(char):03o}" for char in label) for label in labels) + "."
    )


def meaning(record_type: str, value: str) -> object:
    """Return what a value says, the same for two spellings of one value; None where the value is malformed."""
    if record_type == "A":
        parts = value.split(".")
        good = len(parts) == 4 and all(part.isdigit() and str(int(part)) == part and int(part) < 256 for part in parts)
        return value if good else None
    if record_type == "AAAA":
        try:
            return socket.inet_pton(socket.AF_INET6, value)
        except OSError:
            return None
    if record_type in ("CNAME", "NS"):
        try:
            return spelled(value)
        except Refused:
            return None
    if record_type == "TXT":
        return _text(value)
    return value


def _text(value: str) -> tuple[str, ...] | None:
    if not TEXT_VALUE.fullmatch(value):
        return None
    strings = []
    for inner in TEXT_STRING.findall(value):
        octets = [chr(int(octal, 8)) if octal else other or plain for octal, other, plain in TEXT_OCTET.findall(inner)]
        if len(octets) > 255 or any(not " " <= char <= "~" for char in inner):
            return None
        strings.append("".join(octets))
    return tuple(strings)

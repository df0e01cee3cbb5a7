"""What a person at the console makes of a zone beyond wiping: edits of managed sets, foreign ones, fences and switches of odd or older text. Pure.

Each returns the records that go and the records that come; what is not there to be changed stays as it is.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from enactor import names
from enactor.fence import Fence, State, fence_text, text_set
from enactor.records import MANAGED_TYPES, RecordSet, content_digest, content_of

from .ops import ZoneEdit

OTHER_FLEET: Final = "other"
NEW_NAME: Final = "new"
"""The label of a name that no plan lists."""
FOREIGN_VALUE: Final = "203.0.113.7"
"""An address that no plan lists."""
HEAVY: Final = 90
LONG_TTL_SECONDS: Final = 300

Edit = tuple[Sequence[RecordSet], Sequence[RecordSet]]
"""What goes, and what comes."""


def edited(hand: ZoneEdit, name: str, zone_name: str, records: Sequence[RecordSet], first: Sequence[RecordSet]) -> Edit:
    """Return what a person changes; `first` is what stood when the story began, as a Route 53 that lost its memory may show it."""
    own = [record for record in records if record.name == name and record.type in MANAGED_TYPES]
    if hand in {
        "write two texts in the switch",
        "put another fleet's fence",
        "put another fleet's hold",
        "write two texts",
    }:
        return _texts(hand, name, zone_name, records, own)
    match hand:
        case "weigh a set otherwise":
            return own[:1], [msgspec.structs.replace(record, weight=HEAVY) for record in own[:1]]
        case "change the TTL":
            return own, [msgspec.structs.replace(record, ttl=LONG_TTL_SECONDS) for record in own]
        case "change a value":
            return own[:1], [msgspec.structs.replace(record, values=(FOREIGN_VALUE,)) for record in own[:1]]
        case "add a set":
            foreign = [
                msgspec.structs.replace(record, set_identifier="by-hand", values=(FOREIGN_VALUE,)) for record in own[:1]
            ]
            return (), [record for record in foreign if all(record.key != one.key for one in own)]
        case "add a name":
            new = RecordSet(name=f"{NEW_NAME}.{zone_name}", type="A", ttl=LONG_TTL_SECONDS, values=(FOREIGN_VALUE,))
            return (), [] if any(record.key == new.key for record in records) else [new]
        case "put the fence back":
            at = {names.fence_name(name, zone_name)}
        case "put all back":
            at = {names.fence_name(name, zone_name), name}
        case _:
            raise AssertionError(f"nobody knows how to {hand}")
    return [record for record in records if record.name in at], [record for record in first if record.name in at]


def _texts(hand: ZoneEdit, name: str, zone_name: str, records: Sequence[RecordSet], own: Sequence[RecordSet]) -> Edit:
    """Return what a person makes of the text of a switch or a fence."""
    if hand == "write two texts in the switch":
        found = [record for record in records if record.name.startswith(names.SWITCH_PREFIX)]
        return found, [_doubled(record, '"v=1 fleet=edge mode=run"') for record in found]
    place = names.fence_name(name, zone_name)
    found = [record for record in records if record.name == place]
    if hand == "write two texts":
        return found, [_doubled(record, '"v=1 fleet=edge"') for record in found]
    state: State = "hold" if hand == "put another fleet's hold" else "live"
    fence = Fence(
        fleet=OTHER_FLEET, gen=7, plan=content_digest(content_of(own)), by="them", nonce="0123456789abcdef", state=state
    )
    return found, [text_set(place, fence_text(fence))]


def _doubled(record: RecordSet, more: str) -> RecordSet:
    return record if more in record.values else msgspec.structs.replace(record, values=(*record.values, more))

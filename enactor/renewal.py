"""Decide how a person's verb takes the ground from under whatever was decided before it: the switch gets a new nonce. Pure."""

import msgspec

from enactor.batch import SwitchChange
from enactor.fence import Switch, switch_text, text_set
from enactor.observe import SwitchReading


def renewed(reading: SwitchReading, nonce: str) -> SwitchChange | None:
    """Return the change of the switch to the same mode, generation, plan and end with a new nonce, so that earlier batches fail.

    What cannot be read is asserted byte for byte, and None is returned where there is no switch: nothing of a cycle lands there.
    """
    if reading.record is None:
        return None
    if not isinstance(reading.switch, Switch):
        return SwitchChange(reading.record, reading.record)
    again = msgspec.structs.replace(reading.switch, nonce=nonce)
    return SwitchChange(reading.record, text_set(reading.record.name, switch_text(again)))

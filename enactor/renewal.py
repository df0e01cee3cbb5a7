"""Decide how a verb that takes a fence away leaves the switch: renewed, so that every batch decided before it fails. Pure.

An absent fence is nothing that a batch can rest on: one that creates a fence, decided before the fence was there, lands whenever it
is gone again (promise 2). What such a batch can rest on is the switch; so whoever takes fences away writes that anew in the same
call, the same to the letter but for its nonce.
"""

import msgspec

from enactor.batch import SwitchChange
from enactor.fence import Switch, switch_text, text_set
from enactor.observe import SwitchReading


def renewed(found: SwitchReading, nonce: str) -> SwitchChange | None:
    """Return the switch as observed and, with a new nonce, as it will be: mode, generation, plan and end stay.

    A text that is no switch's is what a person typed to stop the zone: it is asserted as it stands, and stops nothing that was
    decided before. None where there is no switch, which no call can assert.
    """
    if found.record is None:
        return None
    if not isinstance(found.switch, Switch):
        return SwitchChange(found.record, found.record)
    assert nonce != found.switch.nonce, "a nonce is fresh"
    text = switch_text(msgspec.structs.replace(found.switch, nonce=nonce))
    return SwitchChange(found.record, text_set(found.record.name, text))

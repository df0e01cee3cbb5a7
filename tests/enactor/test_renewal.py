"""A renewed switch says what it said, and no batch that rests on the old one can land."""

import msgspec
import pytest

from enactor.batch import SwitchChange
from enactor.fence import Mode, read_switch, switch_text, text_set
from enactor.names import switch_name
from enactor.observe import SwitchReading
from enactor.renewal import renewed

from .kernel_builders import FLEET, LATER, NEW_NONCE, ZONE_NAME, switch

NAME = switch_name(FLEET, ZONE_NAME)


@pytest.mark.parametrize("mode", ["run", "stop"])
@pytest.mark.parametrize("generation", [0, 7])
def test_a_switch_is_renewed_by_its_nonce_alone(mode: Mode, generation: int) -> None:
    """Mode, generation, plan and end are what they were; the text is another, and the old one is what is deleted."""
    stands = switch(generation, "7" * 12 if generation else "none", mode=mode)
    stands = msgspec.structs.replace(stands, until=LATER if mode == "stop" else None)
    record = text_set(NAME, switch_text(stands))
    change = renewed(SwitchReading(record, stands), NEW_NONCE)
    assert change is not None
    assert change.before == record
    assert change.after != record
    assert read_switch(change.after, FLEET) == msgspec.structs.replace(stands, nonce=NEW_NONCE)


@pytest.mark.parametrize("text", ["mode=stop", "mode=halt gen=7", "v=1 fleet=other mode=run gen=1 plan=none nonce=00"])
def test_what_a_person_typed_into_the_switch_is_asserted_as_it_stands(text: str) -> None:
    """It means stop, and nobody but `start` writes it anew."""
    record = text_set(NAME, text)
    assert renewed(SwitchReading(record, read_switch(record, FLEET)), NEW_NONCE) == SwitchChange(record, record)


def test_a_nonce_that_is_not_fresh_renews_nothing() -> None:
    """A batch that rests on the old switch would land: that is a mistake of our own."""
    stands = switch(7)
    record = text_set(NAME, switch_text(stands))
    with pytest.raises(AssertionError, match=r"^a nonce is fresh$"):
        renewed(SwitchReading(record, stands), stands.nonce)


def test_no_switch_is_brought_back() -> None:
    """Absent means stop."""
    assert renewed(SwitchReading(None, None), NEW_NONCE) is None

"""The search with which a long campaign begins: it is held to the number of states that is recorded."""

import pytest

from . import campaign

FEW = 300


def test_a_search_that_was_asked_for_fewer_states_is_no_failure() -> None:
    """A person may look at a part of it."""
    sentence, is_well = campaign.one_fault(FEW)
    assert is_well
    assert sentence.startswith(f"october with any one fault: {FEW} states")
    assert sentence.endswith("stopped early")


def test_a_search_with_more_states_than_are_recorded_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the code asks of the outside has changed, and nobody has said so."""
    monkeypatch.setattr(campaign, "WHOLE_SEARCH_STATES", FEW)
    sentence, is_well = campaign.one_fault(FEW)
    assert not is_well
    assert sentence.endswith(f"stopped early; {FEW} are recorded")


def test_only_a_long_campaign_begins_with_it() -> None:
    """It leaves most of the time to the random runs."""
    assert campaign.WHOLE_SEARCH_FROM_SECONDS * campaign.PROCESSES > 3 * campaign.WHOLE_SEARCH_SECONDS

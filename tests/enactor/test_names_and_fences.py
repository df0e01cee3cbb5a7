"""Names, fences and switches: one spelling, there and back, and a named state for every odd text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor import names
from enactor.fence import Fence, Garbled, Switch, fence_text, is_running, read_fence, read_switch, switch_text, text_set

ZONE = "example.test."
LABEL = st.text("abcdefghijklmnopqrstuvwxyz0123456789-*_ ", min_size=1, max_size=12)


@given(st.lists(LABEL, max_size=4))
def test_case_68_a_name_becomes_its_fence_s_name_and_back(labels: list[str]) -> None:
    """Case 68: name, fence name, name: the same, wildcards and the apex too, for every name that may be an endpoint."""
    name = names.canonical(".".join([*labels, ZONE]))
    if names.reserved_label(name) is None:
        assert names.name_of_fence(names.fence_name(name, ZONE), ZONE) == name


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("\\052.Example.test", "*.example.test."),
        ("5HW.Example.Test.", "5hw.example.test."),
        ("a\\100b.example.test", "a\\100b.example.test."),
        ("a.*.example.test", "a.\\052.example.test."),
    ],
)
def test_cases_43_and_44_every_spelling_of_a_name_is_one_name(text: str, wanted: str) -> None:
    """Cases 43 and 44: case and octal escapes make no other name."""
    assert names.canonical(text) == wanted


def test_a_name_that_only_ends_alike_is_not_within_a_zone() -> None:
    """evilexample.test. is not in example.test."""
    assert not names.is_within("evilexample.test.", ZONE)


def test_a_fence_and_a_switch_read_back_as_they_were_written() -> None:
    """What is written is what is read."""
    fence = Fence(fleet="edge", gen=7, plan="a" * 12, by="az-1", nonce="b" * 16)
    switch = Switch(fleet="edge", mode="run", gen=7, plan="a" * 12, nonce="c" * 16)
    assert read_fence(text_set("x.", fence_text(fence))) == fence
    assert read_switch(text_set("x.", switch_text(switch)), "edge") == switch


@given(st.text('vfleet=gnmodrusp1 a"\\', max_size=60))
def test_any_other_text_is_garbled_and_means_stop(text: str) -> None:
    """Reading never fails, and nothing that a person types by accident means run."""
    found = read_switch(text_set("x.", text), "edge")
    assert isinstance(found, Garbled)
    assert not is_running(found, None)
    assert isinstance(read_fence(text_set("x.", text)), Garbled)


def test_a_hand_typed_stop_and_another_fleet_s_switch_mean_stop() -> None:
    """`mode=stop` alone stops, and so does a text that names another fleet."""
    other = Switch(fleet="other", mode="run", gen=7, plan="a" * 12, nonce="c" * 16)
    assert not is_running(read_switch(text_set("x.", "mode=stop"), "edge"), None)
    assert not is_running(read_switch(text_set("x.", switch_text(other)), "edge"), None)

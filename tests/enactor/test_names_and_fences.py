"""Names, fences and switches: one spelling, there and back, and a named state for every odd text."""

import time
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor import names
from enactor.fence import (
    TEXT_LIMIT_OCTETS,
    Allow,
    Fence,
    Garbled,
    Switch,
    allowed_guards,
    fence_text,
    instant_text,
    is_held,
    is_running,
    read_fence,
    read_switch,
    switch_text,
    text_set,
)
from enactor.records import RecordSet

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


def test_the_names_above_a_name_are_nearest_first_and_without_the_root() -> None:
    """An NS set at any of them hands the name to other servers."""
    assert names.parents("a.b.example.test.") == ["b.example.test.", "example.test.", "test."]
    assert names.parents("test.") == []


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("Z1", "Z1"),
        ("/hostedzone/Z0123456789ABC", "Z0123456789ABC"),
        ("z1", None),
        ("example.test", None),
        ("/other/Z1", None),
        ("", None),
        ("Z" * 32, "Z" * 32),
        ("Z" * 33, None),
    ],
)
def test_a_zone_is_given_by_its_id(text: str, zone: str | None) -> None:
    """With or without the path that some answers put before it, and never by its name: two zones may share one."""
    assert names.hosted_zone_id(text) == zone


def allowing(*allows: Allow) -> Fence:
    return Fence(fleet="edge", gen=7, plan="a" * 12, by="az-1", nonce="0" * 16, allow=allows)


SOON, PAST = datetime(2026, 11, 30, 5, tzinfo=UTC), datetime(2026, 11, 30, 3, tzinfo=UTC)
AWS_NOW = datetime(2026, 11, 30, 4, tzinfo=UTC)


def test_a_permission_is_for_one_generation_and_until_an_instant() -> None:
    """Of several each is judged by itself, and none holds where AWS's time is not known."""
    fence = allowing(Allow("limit", 8, SOON), Allow("occluded", 8, PAST), Allow("ttl", 9, SOON), Allow("apex", 7, PAST))
    assert allowed_guards(fence, 8, AWS_NOW) == {"limit"}
    assert allowed_guards(fence, 9, AWS_NOW) == {"ttl"}
    assert allowed_guards(fence, 7, AWS_NOW) == frozenset()
    assert allowed_guards(fence, 8, None) == frozenset()
    assert allowed_guards(fence, 8, SOON) == frozenset()


def test_a_hold_lasts_until_its_end_and_without_one_for_good() -> None:
    """Its end is judged by AWS's time; no time, no end."""
    held = msgspec.structs.replace(allowing(), state="hold")
    assert is_held(held, AWS_NOW)
    ending = msgspec.structs.replace(held, until=AWS_NOW)
    assert [is_held(ending, now) for now in (PAST, AWS_NOW, SOON, None)] == [True, False, False, True]
    assert not is_held(msgspec.structs.replace(ending, state="live"), PAST)


@pytest.mark.parametrize(
    "relative", ["a._apex", "a._wildcard", "_switch-edge", "a._switch-edge", "_selftest-0a", "_fence"]
)
def test_a_name_with_a_label_of_ours_is_no_endpoint_s_fence(relative: str) -> None:
    """Wherever it stands: no endpoint can have it."""
    assert names.name_of_fence(f"{relative}._fence.{ZONE}", ZONE) is None


WHY: list[tuple[str, str]] = [
    ("v=1 fleet=edge gen=7 plan=aaaaaaaaaaaa by=az-1 nonce=00000000 state=gone", "state='gone'"),
    ("v=1 fleet=edge gen=7 plan=aaaaaaaaaaaa by=az-1 nonce=00000000 state=live until=soon", "'soon'"),
    ("v=1 fleet=edge gen=7 plan=aaaaaaaaaaaa by=az-1 nonce=00000000 state=live allow=all", "allow='all'"),
    ("v=1 fleet=edge gen=x plan=aaaaaaaaaaaa by=az-1 nonce=00000000 state=live", "gen='x'"),
    ("v=2 fleet=edge", "'2'"),
    ("v=1 fleet=edge", "it lacks by, gen"),
]


@pytest.mark.parametrize(("text", "why"), WHY)
def test_a_fence_that_cannot_be_read_says_why(text: str, why: str) -> None:
    """A person typed it, and looks for the word to mend."""
    found = read_fence(text_set("a.", text))
    assert isinstance(found, Garbled)
    assert why in found.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("v=1 fleet=edge mode=walk gen=7 plan=aaaaaaaaaaaa nonce=00000000", "mode='walk'"),
        ("v=1 fleet=edge mode=run gen=7 plan=all nonce=00000000", "plan='all'"),
        ("v=1 fleet=edge mode=run gen=0 plan=aaaaaaaaaaaa nonce=00000000", "plan=aaaaaaaaaaaa"),
        ("v=1 fleet=blue mode=run gen=7 plan=aaaaaaaaaaaa nonce=00000000", "'blue'"),
        ("mode=stop", "it lacks"),
    ],
)
def test_a_switch_that_cannot_be_read_says_why(text: str, why: str) -> None:
    """It means stop, and the reason is shown in every survey."""
    found = read_switch(text_set("a.", text), "edge")
    assert isinstance(found, Garbled)
    assert why in found.why


def test_a_text_may_be_as_long_as_one_txt_string() -> None:
    """255 octets fit, and what is longer is our own mistake: names of fleets and enactors are limited where they are set."""
    switch = Switch(fleet="edge", mode="run", gen=7, plan="a" * 12, nonce="0")
    left = TEXT_LIMIT_OCTETS - len(switch_text(switch))
    longest = msgspec.structs.replace(switch, nonce="0" * (left + 1))
    assert len(switch_text(longest)) == TEXT_LIMIT_OCTETS
    with pytest.raises(AssertionError, match="256 octets"):
        switch_text(msgspec.structs.replace(longest, nonce="0" * (left + 2)))


def test_a_name_may_have_255_octets_and_no_more() -> None:
    """RFC 1035: with the length octets and the root."""
    longest = ".".join(["a" * 63] * 3 + ["b" * 61])
    assert names.octet_length(names.canonical(longest)) == 255
    with pytest.raises(names.NameFault, match="longer than 255 octets"):
        names.canonical(longest + "b")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("a..b", "a label is empty"),
        ("ü.test", "punycode"),
        ("a\\b.test", "octal"),
        ("c" * 64, "63 octets"),
    ],
)
def test_what_is_no_name_says_why(text: str, why: str) -> None:
    """It stands in a plan or a file, and a person mends it."""
    with pytest.raises(names.NameFault, match=why):
        names.canonical(text)
    with pytest.raises(names.NameFault, match="is not within zone"):
        names.fence_name("evilexample.test.", ZONE)


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (RecordSet(name="a.", type="A", values=('"v=1"',)), "not a simple TXT"),
        (RecordSet(name="a.", type="TXT", set_identifier="x", values=('"v=1"',)), "not a simple TXT"),
        (RecordSet(name="a.", type="TXT", values=('"v=1"', '"v=2"')), "2 values"),
        (RecordSet(name="a.", type="TXT", values=("v=1",)), "one quoted string"),
        (RecordSet(name="a.", type="TXT", values=('"v=1" "x=2"',)), "one quoted string"),
        (text_set("a.", "v=1 v=1"), "'v=1' is not a new"),
        (text_set("a.", "v=1 =x"), "'=x' is not a new"),
        (text_set("a.", "v=1 fleet"), "'fleet' is not a new"),
    ],
)
def test_a_record_set_that_is_no_fence_says_why(record: RecordSet, why: str) -> None:
    """Whatever stands in the record is a named state."""
    found = read_fence(record)
    assert isinstance(found, Garbled)
    assert why in found.why


def test_instants_are_written_in_utc_wherever_the_machine_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three enactors in three zones read one text."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert instant_text(AWS_NOW) == "2026-11-30T04:00:00Z"
    finally:
        monkeypatch.undo()
        time.tzset()

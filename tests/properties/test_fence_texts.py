"""Fences and switches: what is written reads back, and whatever else stands there becomes a named state and never a crash."""

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.fence import (
    TEXT_LIMIT_OCTETS,
    Allow,
    Fence,
    Garbled,
    Switch,
    fence_text,
    instant_text,
    is_running,
    read_fence,
    read_switch,
    switch_text,
    text_set,
)
from enactor.records import RecordSet, txt_quote, txt_strings
from enactor.sandbox import zone_model, zone_values

from .bounds import bounded

FLEET = "edge"
PLACE = "api._fence.example.test."
LATER = datetime(2999, 1, 1, tzinfo=UTC)

identifiers = st.text("abz09-", min_size=1, max_size=32)
digests = st.text("0123456789abcdef", min_size=12, max_size=12)
nonces = st.text("0123456789abcdef", min_size=8, max_size=32)
generations = st.one_of(st.integers(0, 200), st.just(999_999_999_999))
instants = st.integers(946_684_800, 4_102_444_800).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
allows = st.builds(Allow, st.sampled_from(("shrink-targets", "occluded", "x")), generations, instants)
bases = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=30)
fences = st.builds(
    Fence,
    fleet=identifiers,
    gen=generations,
    plan=digests,
    by=identifiers,
    nonce=nonces,
    state=st.sampled_from(("live", "hold", "retired")),
    until=st.none() | instants,
    allow=st.lists(allows, max_size=4).map(tuple),
    base=bases,
)
switches = st.builds(
    Switch,
    fleet=identifiers,
    mode=st.sampled_from(("run", "stop")),
    gen=st.integers(1, 999_999_999_999),
    plan=digests | st.just("none"),
    nonce=nonces,
    until=st.none() | instants,
)
values = st.one_of(
    st.text(max_size=60),
    st.text(max_size=60).map(txt_quote),
    st.lists(st.text(max_size=20).map(txt_quote), max_size=3).map(" ".join),
    st.text('"\\ \t\n07v=1 gen', max_size=40),
    st.lists(st.sampled_from(("\\101", "\\000", "\\377", "\\400", "\\8", '\\"', "a")), max_size=6).map(
        lambda parts: f'"{"".join(parts)}"'
    ),
)


def record(*found: str) -> RecordSet:
    """Return a TXT record set with these values."""
    return RecordSet(name=PLACE, type="TXT", ttl=60, values=found)


def taken(of: RecordSet) -> bool:
    """Tell whether Route 53 takes a text."""
    change = {
        "Action": "CREATE",
        "ResourceRecordSet": {
            "Name": of.name,
            "Type": of.type,
            "TTL": of.ttl,
            "ResourceRecords": [{"Value": value} for value in of.values],
        },
    }
    return isinstance(zone_model.apply(zone_model.Zone.empty("Z1", "example.test"), [change]), zone_model.Zone)


def whole_text(fence: Fence) -> str:
    """Return everything that a fence says, however long."""
    words = [f"{name}={getattr(fence, name)}" for name in ("fleet", "gen", "plan", "by", "nonce", "state")]
    words += [f"until={instant_text(fence.until)}"] if fence.until else []
    words += ["allow=" + ",".join(map(str, fence.allow))] if fence.allow else []
    return " ".join(["v=1", *words, *([f"base={fence.base}"] if fence.base else [])])


@given(fences)
@bounded(250)
def test_a_fence_reads_back(fence: Fence) -> None:
    """A fence is taken by Route 53 and reads as it was; where that is too long it lacks the last allows, and at last the base."""
    text = fence_text(fence)
    assert taken(text_set(PLACE, text))
    found = read_fence(text_set(PLACE, text))
    assert isinstance(found, Fence)
    assert found == msgspec.structs.replace(fence, base=found.base, allow=fence.allow[: len(found.allow)])
    if len(whole_text(fence)) <= TEXT_LIMIT_OCTETS:
        assert text == whole_text(fence)
        return
    assert found.base == fence.base or not found.allow, "the base goes last"
    if len(found.allow) < len(fence.allow):
        one_more = msgspec.structs.replace(found, allow=fence.allow[: len(found.allow) + 1])
        assert len(whole_text(one_more)) > TEXT_LIMIT_OCTETS, "nothing is dropped that had room"


@given(switches)
@bounded(200)
def test_a_switch_reads_back(switch: Switch) -> None:
    """A switch reads as it was, to its own fleet alone, and runs only where it says so."""
    found = text_set(PLACE, switch_text(switch))
    assert taken(found)
    assert read_switch(found, switch.fleet) == switch
    assert isinstance(read_switch(found, switch.fleet + "x"), Garbled)
    assert is_running(switch, None) == (switch.mode == "run")
    assert is_running(switch, LATER) == (switch.mode == "run" or switch.until is not None)


@pytest.mark.parametrize("octets", [TEXT_LIMIT_OCTETS - 1, TEXT_LIMIT_OCTETS, TEXT_LIMIT_OCTETS + 1])
def test_the_border_of_a_string_is_255_octets(octets: int) -> None:
    """A fence of exactly 255 octets is written whole; of one of 256 the base is left out."""
    bare = Fence(fleet=FLEET, gen=1, plan="0" * 12, by="az-1", nonce="0" * 16)
    fence = msgspec.structs.replace(bare, base="b" * (octets - len(whole_text(bare)) - len(" base=")))
    assert len(whole_text(fence)) == octets
    found = text_set(PLACE, fence_text(fence))
    assert taken(found)
    assert read_fence(found) == (fence if octets <= TEXT_LIMIT_OCTETS else bare)


@given(st.lists(values, max_size=3).map(tuple), st.sampled_from(("TXT", "TXT", "A")), st.none() | st.just("id"))
@bounded(250)
def test_any_record_set_reads_as_something(found: tuple[str, ...], record_type: str, identifier: str | None) -> None:
    """No text, number of strings, values or type crashes a reader; what is no fence is garbled and what is no switch stops."""
    odd = RecordSet(name=PLACE, type=record_type, ttl=60, values=found, set_identifier=identifier)
    switch, fence = read_switch(odd, FLEET), read_fence(odd)
    assert isinstance(fence, Garbled)
    assert isinstance(switch, Garbled)
    assert not is_running(switch, LATER)


def mangled(draw: st.DrawFn, text: str) -> str:
    """Draw a text that a person made of this one."""
    words = text.split(" ")
    place = draw(st.integers(0, len(words) - 1))
    match draw(st.integers(0, 7)):
        case 0:
            del words[place]
        case 1:
            words.insert(place, words[draw(st.integers(0, len(words) - 1))])
        case 2:
            words[place] = words[place].upper()
        case 3:
            words.insert(place, draw(st.text(max_size=5)))
        case 4:
            words[place] = words[place].partition("=")[0] + "=" + draw(st.text(max_size=12))
        case 5:
            words[place] += draw(st.text(max_size=2))
        case 6:
            words = draw(st.permutations(words))
        case _:
            words[place] = draw(
                st.sampled_from(("until=2026-02-30T00:00:00Z", "until=٢٠٢٦-11-30T04:00:00Z", "gen=٣", "="))
            )
    return " ".join(words)


@st.composite
def typed_fences(draw: st.DrawFn) -> tuple[str, Fence]:
    """Draw a fence, and a text that somebody made of it."""
    fence = draw(fences.filter(lambda one: len(one.allow) < 2))
    return mangled(draw, fence_text(fence)), fence


@st.composite
def typed_switches(draw: st.DrawFn) -> tuple[str, Switch]:
    """Draw a switch, and a text that somebody made of it."""
    switch = draw(switches)
    return mangled(draw, switch_text(switch)), switch


@given(typed_fences())
@bounded(250)
def test_a_fence_typed_by_hand_is_read_whole_or_not_at_all(typed: tuple[str, Fence]) -> None:
    """What is read of a mangled fence is every word of it, and is written again with the same meaning; the rest is garbled."""
    found = read_fence(text_set(PLACE, typed[0]))
    if isinstance(found, Fence) and len(typed[0]) <= TEXT_LIMIT_OCTETS:
        assert read_fence(text_set(PLACE, fence_text(found))) == found
        words = typed[0].split(" ")
        kept = words if found.base else [word for word in words if not word.startswith("base=")]
        assert sorted(fence_text(found).split(" ")) == sorted(kept)


@given(typed_switches())
@bounded(250)
def test_a_switch_typed_by_hand_runs_only_as_it_says(typed: tuple[str, Switch]) -> None:
    """Whatever a person makes of a switch, it runs only where every word of it can be read, `mode=run` among them."""
    text, before = typed
    found = read_switch(text_set(PLACE, text), before.fleet)
    if is_running(found, None):
        assert isinstance(found, Switch)
        assert "mode=run" in text.split(" ")
        assert sorted(switch_text(found).split(" ")) == sorted(text.split(" "))


@given(st.lists(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=270), min_size=1, max_size=3))
@bounded(200)
def test_a_quoted_text_is_the_same_on_the_other_side(texts: list[str]) -> None:
    """Quoted as we quote and joined as Route 53 joins, every string comes back from our reader and from the sandbox's alike."""
    value = " ".join(txt_quote(text) for text in texts)
    assert txt_strings(value) == tuple(texts)
    if max(map(len, texts)) <= TEXT_LIMIT_OCTETS:
        assert zone_values.text_strings(value) == tuple(text.encode() for text in texts)
        assert taken(record(value)) or len(value) > zone_values.VALUE_MAX_CHARACTERS
    else:
        assert not taken(record(value))
    if len(texts) > 1:
        assert isinstance(read_fence(record(value)), Garbled)


@given(values)
@bounded(250)
def test_what_route_53_takes_both_sides_read_alike(value: str) -> None:
    """No TXT value crashes either parser, and one that the sandbox takes our reader understands to the octet."""
    try:
        theirs = zone_values.text_strings(value)
    except zone_values.BadValueError:
        assert not taken(record(value))
        return
    ours = txt_strings(value)
    assert ours is not None
    assert tuple(text.encode("latin-1") for text in ours) == theirs


@pytest.mark.parametrize("base", ["caf\u00e9", "x\x1f3", "\\303", ""])
def test_a_base_that_no_writer_of_ours_wrote_is_dropped(base: str) -> None:
    """What a person typed there must not make a text that Route 53 refuses: the endpoint could never be written again."""
    text = f"v=1 fleet=edge gen=1 plan={'a' * 12} by=x nonce={'0' * 8} state=live base={base}"
    found = read_fence(RecordSet(name="api._fence.example.com.", type="TXT", ttl=60, values=(f'"{text}"',)))
    assert isinstance(found, Fence)
    assert found.base == ""

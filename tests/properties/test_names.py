"""Names: one spelling for each, there and back through the fence's name, and no text that crashes the reader."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor import names, wire
from enactor.names import NameFault, canonical, fence_name, name_of_fence
from enactor.sandbox import zone_names

from .bounds import bounded
from .dumb_zone import Refused, spelled

ZONE = "example.test."
PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789-_"


def escape(octet: int) -> str:
    """Return an octet as the escape that any text may use for it."""
    return f"\\{octet:03o}"


def written(octets: str) -> str:
    """Return a label's octets as a person may write them: what can be seen as it is, the rest escaped."""
    return "".join(char if "!" <= char <= "~" and char not in ".\\" else escape(ord(char)) for char in octets)


def is_free(label: str) -> bool:
    """Tell whether a label is none of ours: hypothesis draws from the texts in our sources, and no endpoint may have one."""
    return names.reserved_label(canonical(label)) is None


labels = st.text(st.characters(max_codepoint=255), min_size=1, max_size=6).map(written).filter(is_free)
texts = st.lists(labels, min_size=1, max_size=3).map(".".join)
wildcards = st.one_of(texts, texts.map("*.{}".format), texts.map("\\052.{}".format))
zones = st.one_of(st.just(ZONE), st.lists(labels, min_size=1, max_size=3).map(".".join).map(canonical))


@given(wildcards)
@bounded(300)
def test_one_spelling_is_its_own(text: str) -> None:
    """Canonical form is a fixed point, whatever octets the name has."""
    name = canonical(text)
    assert canonical(name) == name
    assert canonical(names.escaped(name)) == name


def test_every_octet_has_one_spelling() -> None:
    """An octet, escaped or as a character, is one name: plain where Route 53 writes it plain, else its escape, in lower case."""
    for octet in range(256):
        lower = octet + 32 if ord("A") <= octet <= ord("Z") else octet
        expected = chr(lower) if lower < 128 and chr(lower) in PLAIN else escape(lower)
        assert canonical(f"x{escape(octet)}y.test") == f"x{expected}y.test."
        if 0x20 < octet < 0x7F and chr(octet) not in ".\\":
            assert canonical(f"x{chr(octet)}y.test") == f"x{expected}y.test."


@pytest.mark.parametrize(
    "text", ["\\1", "\\12", "\\400", "\\777", "\\8aa", "\\08", "\\", "a\\", "\\*", "\\\\", "a\\.b"]
)
def test_what_looks_like_an_escape_and_is_none_is_no_name(text: str) -> None:
    """A backslash starts three octal digits up to 377, or nothing."""
    with pytest.raises(NameFault):
        canonical(f"{text}.test")


@given(wildcards, st.integers(0, 4**24))
@bounded(200)
def test_case_dot_and_escapes_make_no_other_name(text: str, how: int) -> None:
    """Upper case, a missing trailing dot and needless escapes are the same name."""
    respelled = ""
    for part in re.findall(r"\\[0-7]{3}|.", text):
        how, choice = divmod(how, 4)
        ways = (part, part.upper(), part.lower(), escape(ord(part)) if len(part) == 1 else part)
        respelled += part if part == "." else ways[choice]
    assert canonical(respelled) == canonical(text) == canonical(text + ".")


@given(st.one_of(st.text(max_size=80), st.text("a.\\*052AZ-_\x00 é", max_size=40)))
@bounded(500)
def test_any_text_is_a_name_or_a_fault(text: str) -> None:
    """No text crashes the reader, and what three programs take for a name they spell alike."""
    try:
        name = canonical(text)
    except NameFault:
        assert wire.listed_name(text) == text.lower()
        return
    assert wire.listed_name(text) == name
    try:
        theirs, dumb = zone_names.canonical(text), spelled(text)
    except (zone_names.BadNameError, Refused):
        assert re.search(r"[\x00-\x20\x7f]", text), (
            "only blanks and control characters are taken here and refused there"
        )
        return
    assert names.escaped(name) == theirs == dumb


@given(st.lists(st.integers(1, 64), min_size=1, max_size=5), st.integers(0, 2))
@bounded(200)
def test_lengths_are_counted_in_octets(lengths: list[int], padding: int) -> None:
    """63 octets a label and 255 a name, escapes counting one, and both programs draw the same line."""
    text = ".".join("\\100" * min(length, padding) + "a" * max(0, length - padding) for length in lengths)
    octets = sum(length + 1 for length in lengths) + 1
    fits = max(lengths) <= 63 and octets <= 255
    for read, fault in ((canonical, NameFault), (zone_names.canonical, zone_names.BadNameError)):
        try:
            name = read(text)
        except fault:
            assert not fits
        else:
            assert fits
            assert names.octet_length(name) == octets


@given(st.one_of(wildcards.map(lambda text: f"{text}.{ZONE}"), st.just(ZONE)))
@bounded(300)
def test_a_name_comes_back_from_its_fence(text: str) -> None:
    """Apex, wildcard and any other name: the fence lies below `_fence`, is no wildcard, and leads back to the name alone."""
    name = canonical(text)
    fence = fence_name(name, ZONE)
    assert canonical(fence) == fence
    assert names.is_within(fence, names.fence_base(ZONE))
    assert not fence.startswith("*")
    assert name_of_fence(fence, ZONE) == name


@given(zones, texts)
@bounded(100)
def test_names_come_back_from_fences_in_any_zone(zone: str, text: str) -> None:
    """What the zone is called changes nothing."""
    for name in (zone, canonical(f"{text}.{zone}"), canonical(f"*.{text}.{zone}"), canonical(f"*.{zone}")):
        assert name_of_fence(fence_name(name, zone), zone) == name


@given(
    texts, st.sampled_from(("_fence", "_apex", "_wildcard", "_switch-edge", "_selftest-1", "_SWITCH-x")), st.booleans()
)
@bounded(200)
def test_reserved_labels_are_no_endpoint(text: str, label: str, first: bool) -> None:
    """A name with a label of ours is known as such, and no switch or self-test is taken for an endpoint's fence."""
    name = canonical(f"{label}.{text}.{ZONE}" if first else f"{text}.{label}.{ZONE}")
    assert names.reserved_label(name) == label.lower()
    if label.lower().startswith(("_switch-", "_selftest-")):
        assert name_of_fence(fence_name(name, ZONE), ZONE) is None


@given(st.lists(wildcards, min_size=2, max_size=4))
@bounded(100)
def test_fences_and_names_do_not_meet(found: list[str]) -> None:
    """Two endpoints have two fences."""
    endpoints = {canonical(f"{text}.{ZONE}") for text in found} | {ZONE}
    assert len({fence_name(name, ZONE) for name in endpoints}) == len(endpoints)

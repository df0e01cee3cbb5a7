"""What YAML is read, and where what is not read is wrong."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.yaml_text import YamlFaultError, load, read


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2", "line 2 column 1: the key 'a' stands twice"),
        ("a: {b: 1, 'b': 2}", "line 1 column 11: the key 'b' stands twice"),
        ("a:\n\tb: 1", "line 2 column 1: a tab cannot indent YAML; use spaces"),
        ("a:\n  - x\n  \tb: 1", "line 3 column 3: a tab cannot indent YAML; use spaces"),
        ("a: [1", "line 1 column 6: while parsing a flow sequence, expected ',' or ']', but got '<stream end>'"),
        ("a: *nobody", "line 1 column 4: found undefined alias 'nobody'"),
        (
            "a: !!python/object:os.system x",
            "line 1 column 4: the tag !!python/object:os.system is none that is read here",
        ),
        ("a: !secret [1]", "line 1 column 4: the tag !secret is none that is read here; leave it out"),
        ("!secret {a: 1}", "line 1 column 1: the tag !secret is none that is read here; leave it out"),
        ("a: !!set {b, c}", "line 1 column 4: the tag !!set is none that is read here; leave it out"),
        ("a: !!int ''", "line 1 column 4: the tag !!int stands before what is none"),
        ("a: !!bool maybe", "line 1 column 4: the tag !!bool stands before what is none"),
        ("a: !!null x", "line 1 column 4: the tag !!null stands before what is none"),
        ("a: !!map 5", "line 1 column 4: the tag !!map stands before what is none"),
        ('a: "\\UFFFFFFFF"', "an escape in it names a character that does not exist"),
        ("[a]: 1", "line 1 column 1: a key is plain text"),
        ("a: 1\n---\nb: 2", "line 2 column 1: expected a single document in the stream, but found another document"),
        ("[" * 40 + "]" * 40, "line 1 column 33: more than 32 levels of nesting"),
        ("a: &x 1\nb: [" + "*x, " * 1001 + "]", "line 2 column"),
        ("a: " + "9" * 5000, "line 1 column 4: the number has too many digits"),
        ("a: \x00", "unacceptable character #x0000: special characters are not allowed"),
    ],
)
def test_wrong_text_is_one_sentence_with_its_place(text: str, message: str) -> None:
    """A person is told the line and the column, and sees no stack trace."""
    with pytest.raises(YamlFaultError) as caught:
        load(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_tag_hides_no_other_fault() -> None:
    """What stands behind it is read as if it had none."""
    reading = read("a: !x [1, !y yes, {b: 1, b: 2}]\nc: !!float 1")
    assert [(fault.line, fault.column) for fault in reading.faults] == [(1, 4), (1, 11), (1, 26)]
    assert reading.value == {"a": [1, "yes", {"b": 1}], "c": 1.0}


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        (("zones",), 2),
        (("zones", "main"), 3),
        (("zones", "main", "id"), 3),
        (("pools", "blue", 1, "addresses", 0), 7),
        (("pools", "blue", 1, "capacity"), 7),
        (("pools", "blue", 9), 5),
        (("7",), 8),
        (("moon",), None),
        (("zones", 0), 2),
        ((), None),
    ],
)
def test_a_part_of_a_text_has_a_line(steps: tuple[str | int, ...], line: int | None) -> None:
    """A key's own, or an item's; of what is not there, that of what it should be in."""
    reading = read(
        "fleet: edge\nzones:\n  main: {id: Z1}\npools:\n  blue:\n    - {id: lb-1}\n    - {id: lb-2, addresses: [x]}\n7: x\n"
    )
    assert reading.places is not None
    assert reading.places.line_of(steps) == line


def test_only_plain_words_become_something_else() -> None:
    """`no` is text, 1:20 is not 80, a day is text, 010 is not 8: what a person typed is what is read."""
    text = "a: no\nb: 1:20\nc: 2026-11-30\nd: 010\ne: 0x10\nf: true\ng: null\nh: 12\ni: 1.5\nj: 1e3\nk: 1:2:3:4:5:6:7:8"
    assert load(text) == {
        "a": "no",
        "b": "1:20",
        "c": "2026-11-30",
        "d": "010",
        "e": "0x10",
        "f": True,
        "g": None,
        "h": 12,
        "i": 1.5,
        "j": 1000.0,
        "k": "1:2:3:4:5:6:7:8",
    }


def test_infinity_is_read_as_such_for_the_reader_to_refuse() -> None:
    """The number reader says that a capacity must be finite; here it is only a number."""
    assert math.isinf(load(".inf"))


def test_a_text_that_means_to_grow_stays_small() -> None:
    """Anchors that refer to anchors share what they build; nothing is copied."""
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 25)]
    assert len(load("\n".join(lines))) == 25


@given(st.text(alphabet=st.sampled_from(list("abc:-[]{}&*!|>'\"#%@`, \n\t0.?~")), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but YamlFaultError leaves the reader."""
    with contextlib.suppress(YamlFaultError):
        load(text)

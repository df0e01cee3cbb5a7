"""The readers that plan files and fleet files share: what each takes, and the exact sentence where it does not."""

from collections.abc import Callable
from typing import Any

import pytest

from enactor.plan_faults import (
    Doubled,
    Faults,
    Unreadable,
    read_address,
    read_any_address,
    read_choice,
    read_endpoint_name,
    read_flag,
    read_list,
    read_matching,
    read_name,
    read_object,
    read_text,
    read_whole,
    read_zone,
    shown,
    type_word,
)

ACUTE = "\\xe9"
"""How a message shows an e acute."""


@pytest.mark.parametrize(
    ("value", "text", "word"),
    [
        (None, "null", "null"),
        (True, "true", "true or false"),
        (False, "false", "true or false"),
        (5, "5", "a number"),
        (1.5, "1.5", "a number"),
        ({}, "{}", "an object"),
        ([1, [2, [3]]], "[1, [2, [...]]]", "a list"),
        ("plain", '"plain"', "text"),
        ("a\\040b", '"a\\040b"', "text"),
        ("caf\xe9", '"caf\\xe9"', "text"),
        (["caf\xe9"], "['caf\\xe9']", "a list"),
        ("x" * 40, f'"{"x" * 40}"', "text"),
        ("x" * 41, f'"{"x" * 40}..."', "text"),
        ("\xe9" * 13 + "x" * 26, f'"{ACUTE * 13}{"x" * 26}"', "text"),
        ("\xe9" * 13 + "x" * 27, f'"{ACUTE * 13}{"x" * 24}...', "text"),
        (2**1024 - 1, "179769313486231590...5356329624224137215", "a number"),
        (2**1024, f"0x1{'0' * 74}...", "a number"),
        (1j, "1j", "odd"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_a_value_is_shown_short_and_in_the_words_of_json(value: object, text: str, word: str) -> None:
    """Text in double quotes, cut at 40 characters; whatever comes out is cut at 80, and is ASCII."""
    assert (shown(value), type_word(value)) == (text, word)
    assert len(shown(value)) <= 80


@pytest.mark.parametrize(("text", "cut"), [("NaN", "NaN"), ("9" * 80, "9" * 80), ("9" * 81, f"{'9' * 77}...")])
def test_what_cannot_be_read_is_shown_as_it_stands_in_the_file(text: str, cut: str) -> None:
    """With a word for what it is."""
    value = Unreadable(text, "no JSON number")
    assert (shown(value), type_word(value)) == (cut, "no JSON number")


def at_p(read: Callable[[Any, str, Faults], object]) -> Callable[[Any, Faults], object]:
    return lambda value, faults: read(value, "p", faults)


def matching(pattern: str) -> Callable[[Any, Faults], object]:
    return lambda value, faults: read_matching(value, "p", faults, pattern)


def choice(value: Any, faults: Faults) -> object:
    return read_choice(value, "p", faults, ("one", "two"))


def whole(value: Any, faults: Faults) -> object:
    return read_whole(value, "p", faults, 1, 9)


def of_type(record_type: str | None) -> Callable[[Any, Faults], object]:
    return lambda value, faults: read_address(value, "p", faults, record_type)


NOT_TEXT: list[tuple[object, str]] = [
    (5, "5 is a number, not text; put it in quotes"),
    (1.5, "1.5 is a number, not text; put it in quotes"),
    (True, "true is true or false, not text; put it in quotes"),
    (None, "null is null, not text"),
    ([], "[] is a list, not text"),
]
SPACE = "is no DNS name: it has"
UP_TO = ".".join(["l" * 63, "l" * 63, "l" * 63, "l" * 61])
"""A name of 255 octets."""
ESCAPED = "\\141" * 63
LABEL = "l" * (1020 - len("label '' is longer than 63 octets"))

Read = Callable[[Any, Faults], object]
READ: list[tuple[Read, Any, object, str]] = [
    *((at_p(read_text), value, None, what) for value, what in NOT_TEXT),
    (at_p(read_text), "", "", ""),
    *((at_p(read), 5, None, NOT_TEXT[0][1]) for read in (read_name, read_endpoint_name, read_zone)),
    (matching("^[a-z]{1,3}$"), 5, None, NOT_TEXT[0][1]),
    (of_type("A"), 5, None, NOT_TEXT[0][1]),
    (matching("^[a-z]{1,3}$"), "abc", "abc", ""),
    (matching("^[a-z]{1,3}$"), "abcd", None, '"abcd" does not match [a-z]{1,3}'),
    (matching("^[a-z]{1,3}$"), "abc\n", None, '"abc\\n" does not match [a-z]{1,3}'),
    (matching("[a-z]{1,3}"), "", None, '"" does not match [a-z]{1,3}'),
    (at_p(read_list), [1], [1], ""),
    (at_p(read_list), {"a": 1}, None, "{'a': 1} is an object, not a list"),
    (at_p(read_flag), False, False, ""),
    (at_p(read_flag), 0, None, "0 is a number, not true or false"),
    (choice, "two", "two", ""),
    (choice, "Two", None, '"Two" is none of one, two'),
    (choice, ["one"], None, "['one'] is none of one, two"),
    (whole, 1, 1, ""),
    (whole, 9, 9, ""),
    (whole, 0, None, "0 is under 1"),
    (whole, 10, None, "10 is over 9"),
    (whole, True, None, "true is true or false, not a whole number from 1 to 9"),
    (whole, 2.0, None, "2.0 is a number with a point, not a whole number from 1 to 9"),
    (whole, "2", None, '"2" is text, not a whole number from 1 to 9'),
    (at_p(read_name), "A.Example.Test", "a.example.test.", ""),
    (at_p(read_name), "a b", None, f'"a b" {SPACE} a space in it; write \\040 if that is meant'),
    (at_p(read_name), "a\x7fb", None, f"\"a\\x7fb\" {SPACE} the character '\\x7f' in it; write \\177 if that is meant"),
    (at_p(read_name), "a\tb c", None, f"\"a\\tb c\" {SPACE} the character '\\t' in it; write \\011 if that is meant"),
    (at_p(read_name), UP_TO, f"{UP_TO}.", ""),
    (at_p(read_name), f"{UP_TO}l", None, f"\"{'l' * 40}...\" is no DNS name: '{UP_TO}l' is longer than 255 octets"),
    (at_p(read_name), ESCAPED, f"{'a' * 63}.", ""),
    (
        at_p(read_name),
        "l" * 1020,
        None,
        f"\"{'l' * 40}...\" is no DNS name: label '{'l' * 73}...{'l' * 54}' is longer than 63 octets",
    ),
    (
        at_p(read_name),
        "l" * 1021,
        None,
        f'"{"l" * 40}..." is no DNS name: it has 1021 characters, and a name at most 255 octets',
    ),
    (
        at_p(read_name),
        LABEL,
        None,
        f"\"{'l' * 40}...\" is no DNS name: label '{LABEL}' is longer than 63 octets",
    ),
    (at_p(read_zone), "Z1", "Z1", ""),
    (at_p(read_zone), "/hostedzone/Z1", "Z1", ""),
    (at_p(read_zone), "example.test", None, '"example.test" looks like a name; a zone is given by its id'),
    (at_p(read_zone), "z1", None, '"z1" is no hosted zone id'),
    (of_type("A"), "192.0.2.1", "192.0.2.1", ""),
    (of_type("AAAA"), "2001:DB8::0", "2001:db8::", ""),
    (of_type(None), "192.0.2.1", "192.0.2.1", ""),
    (of_type(None), "2001:db8::1", "2001:db8::1", ""),
    (
        of_type("AAAA"),
        "192.0.2.1",
        "192.0.2.1",
        '"192.0.2.1" is an IPv4 address, which type AAAA cannot hold',
    ),
    (of_type("A"), "2001:DB8::1", "2001:db8::1", '"2001:DB8::1" is an IPv6 address, which type A cannot hold'),
    (of_type("A"), "nowhere", None, '"nowhere" is no IPv4 or IPv6 address: it does not parse'),
    (
        at_p(read_any_address),
        "::ffff:192.0.2.1",
        None,
        '"::ffff:192.0.2.1" is an IPv4-mapped address; write 192.0.2.1 as type A',
    ),
    (at_p(read_any_address), "fe80::1%eth0", None, '"fe80::1%eth0" has a scope, which DNS cannot carry'),
    (
        at_p(read_any_address),
        "192.0.2.01",
        None,
        '"192.0.2.01" is no IPv4 or IPv6 address: leading zeros are read as octal by some',
    ),
]


@pytest.mark.parametrize(("read", "value", "result", "message"), READ, ids=[ascii(row[1])[:30] for row in READ])
def test_a_reader_takes_what_is_right_and_says_in_one_sentence_what_is_wrong(
    read: Read, value: Any, result: object, message: str
) -> None:
    """With the value, what it is instead, and what would be right; the fault stands at the path that was given."""
    faults = Faults()
    assert read(value, faults) == result
    assert [str(fault) for fault in faults.all()] == ([f"p: {message}"] if message else [])


def test_a_number_out_of_its_limits_has_the_guard_of_the_limit() -> None:
    """A wrong form is `malformed`; a number too large or too small is refused by what limits it."""
    faults = Faults()
    for value in (0, 10, "5"):
        read_whole(value, "p", faults, 1, 9)
        read_whole(value, "p", faults, 1, 9, guard="ttl")
    assert [fault.guard for fault in faults.all()] == ["limit", "ttl", "limit", "ttl", "malformed", "malformed"]


@pytest.mark.parametrize(
    ("text", "result", "faults"),
    [
        ("Api.example.test", "api.example.test.", []),
        (
            "_fence.example.test",
            None,
            [("malformed", 'label "_fence" of "_fence.example.test." belongs to fences, switches and self-tests')],
        ),
        (UP_TO[8:], f"{UP_TO[8:]}.", []),
        (UP_TO[6:], None, [("limit", "the name of its fence would take 256 octets, over 255")]),
        (f"*.{UP_TO[17:]}", f"*.{UP_TO[17:]}.", []),
        (f"*.{UP_TO[16:]}", None, [("limit", "the name of its fence would take 256 octets, over 255")]),
        (
            f"_apex.{UP_TO[6:]}",
            None,
            [
                ("malformed", f'label "_apex" of "_apex.{"l" * 34}..." belongs to fences, switches and self-tests'),
                ("limit", "the name of its fence would take 262 octets, over 255"),
            ],
        ),
    ],
)
def test_an_endpoints_name_must_leave_room_for_its_fence(
    text: str, result: str | None, faults: list[tuple[str, str]]
) -> None:
    """One label more, `_fence`; a wildcard's own label becomes a word there. A label of ours is no endpoint's."""
    found = Faults()
    assert read_endpoint_name(text, "p", found) == result
    assert [(fault.guard, fault.message) for fault in found.all()] == faults


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("Speed_of-1", "p.Speed_of-1"),
        ("k" * 64, f"p.{'k' * 64}"),
        ("k" * 65, f'p."{"k" * 40}..."'),
        ("a b", 'p."a b"'),
        ("", 'p.""'),
        (7, "p.7"),
        (None, "p.null"),
    ],
)
def test_a_key_is_part_of_the_path_as_it_was_written(key: object, path: str) -> None:
    """In quotes where it is no plain word, and cut where it is long; at the top of a file there is no path before it."""
    for where, expected in (("p", path), ("", path.removeprefix("p."))):
        faults = Faults()
        assert read_object({key: 1, "b": 2}, where, faults, required=("a",), optional=("b",)) == {key: 1, "b": 2}
        missing = f"{where}.a" if where else "a"
        assert [(fault.path, fault.message) for fault in faults.all()] == [
            (expected, "unknown key; known are a, b"),
            (missing, "missing"),
        ]


def test_a_key_that_stands_twice_is_a_duplicate() -> None:
    """And is said before what else is wrong with the object."""
    faults = Faults()
    read_object(Doubled({"a": 1, "x": 2}.items(), ["a"]), "p", faults, required=("a",))
    assert [(str(fault), fault.guard) for fault in faults.all()] == [
        ("p.a: the key stands twice", "duplicate"),
        ("p.x: unknown key; known are a", "malformed"),
    ]
    assert read_object("a", "p", faults) is None
    assert str(faults.all()[-1]) == 'p: "a" is text, not an object'

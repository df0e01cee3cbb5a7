"""The readers that all parts of a fleet file share: what each takes, and the exact sentence, with an example, where it does not."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from enactor.plan_faults import Faults, shown, type_word
from planner.fleet_forms import (
    Named,
    as_written,
    duration_text,
    read_duration,
    read_form,
    read_forms,
    read_positive,
    read_share,
    read_words,
)

LIKE = "{a: 1}"
Read = Callable[[Any, Faults], object]


def form(value: Any, faults: Faults) -> object:
    return read_form(value, "p", faults, like=LIKE, required=("a",), optional=("b",))


def forms(value: Any, faults: Faults) -> object:
    return read_forms(value, "p", faults, like=LIKE)


def share(value: Any, faults: Faults) -> object:
    return read_share(value, "p", faults)


def share_above_zero(value: Any, faults: Faults) -> object:
    return read_share(value, "p", faults, above_zero=True)


def duration(value: Any, faults: Faults) -> object:
    return read_duration(value, "p", faults, "10s", "1h")


def short(value: Any, faults: Faults) -> object:
    return read_duration(value, "p", faults, "100ms", "1s")


def positive(value: Any, faults: Faults) -> object:
    return read_positive(value, "p", faults)


READ: list[tuple[Read, Any, object, list[str]]] = [
    (form, {"a": 1, "b": 2}, {"a": 1, "b": 2}, []),
    (form, {"a": 1}, {"a": 1}, []),
    (form, {"c": 3}, {"c": 3}, ["p.c: unknown key; known are a, b", f"p.a: missing; write it like {LIKE}"]),
    (form, None, None, [f"p: empty, not an object like {LIKE}"]),
    (form, [1], None, [f"p: [1] is a list, not an object like {LIKE}"]),
    (form, True, None, [f"p: true is a boolean, not an object like {LIKE}"]),
    (forms, [{"a": 1}, 2], [{"a": 1}, 2], []),
    (forms, None, [], [f"p: empty, not a list like [{LIKE}]"]),
    (forms, {"a": 1}, [], [f'p: {{"a": 1}} is an object, not a list like [{LIKE}]']),
    (share, 0, Fraction(0), []),
    (share, 1, Fraction(1), []),
    (share, 0.1, Fraction(1, 10), []),
    (share, 1.01, None, ["p: 1.01 is not a share from 0 to 1"]),
    (share, -0.01, None, ["p: -0.01 is not a share from 0 to 1"]),
    (share, True, None, ["p: true is a boolean, not a share from 0 to 1"]),
    (share, "0.5", None, ['p: "0.5" is text, not a share from 0 to 1']),
    (share_above_zero, 1, Fraction(1), []),
    (share_above_zero, 0.01, Fraction(1, 100), []),
    (share_above_zero, 0, None, ["p: 0 is not a share above 0 and up to 1"]),
    (share_above_zero, 1.5, None, ["p: 1.5 is not a share above 0 and up to 1"]),
    (share_above_zero, None, None, ["p: null is null, not a share above 0 and up to 1"]),
    (duration, "10s", Fraction(10), []),
    (duration, "1.5m", Fraction(90), []),
    (duration, "1h", Fraction(3600), []),
    (duration, "9.9s", None, ["p: 9.9s is not between 10s and 1h"]),
    (duration, "61m", None, ["p: 61m is not between 10s and 1h"]),
    (duration, "1d", None, ["p: 1d is not between 10s and 1h"]),
    (duration, "0.5d", None, ["p: 0.5d is not between 10s and 1h"]),
    (duration, "10", None, ['p: "10" is not a time like 10s, 1.5m or 2h']),
    (duration, "10 s", None, ['p: "10 s" is not a time like 10s, 1.5m or 2h']),
    (duration, "10s\n", None, ['p: "10s\\n" is not a time like 10s, 1.5m or 2h']),
    (duration, "\u0661s", None, ['p: "\\u0661s" is not a time like 10s, 1.5m or 2h']),
    (duration, 10, None, ["p: 10 has no unit; write a time like 10s, 1.5m or 2h"]),
    (duration, True, None, ["p: true is a boolean, not a time like 10s, 1.5m or 2h"]),
    (duration, None, None, ["p: null is null, not a time like 10s, 1.5m or 2h"]),
    (duration, ["10s"], None, ['p: ["10s"] is a list, not a time like 10s, 1.5m or 2h']),
    (short, "250ms", Fraction(1, 4), []),
    (short, "100.000001ms", Fraction(100_000_001, 10**9), []),
    (short, "99.9ms", None, ["p: 99.9ms is not between 100ms and 1s"]),
    (short, "1.001s", None, ["p: 1.001s is not between 100ms and 1s"]),
    (positive, 5, Fraction(5), []),
    (positive, 0.1, Fraction(1, 10), []),
    (positive, 0, None, ["p: 0 is not above 0"]),
    (positive, -0.5, None, ["p: -0.5 is not above 0"]),
    (positive, float("inf"), None, ["p: inf is not finite"]),
    (positive, float("-inf"), None, ["p: -inf is not finite"]),
    (positive, float("nan"), None, ["p: nan is not finite"]),
    (positive, True, None, ["p: true is a boolean, not a number above 0"]),
    (positive, None, None, ["p: null is null, not a number above 0"]),
    (positive, "5", None, ['p: "5" is text, not a number above 0']),
    (positive, [5], None, ["p: [5] is a list, not a number above 0"]),
]


@pytest.mark.parametrize(("read", "value", "result", "messages"), READ, ids=[ascii(row[1])[:30] for row in READ])
def test_a_reader_takes_what_is_right_and_answers_the_rest_with_an_example(
    read: Read, value: Any, result: object, messages: list[str]
) -> None:
    """The fault stands at the path that was given; what is there is read all the same."""
    faults = Faults()
    assert read(value, faults) == result
    assert [str(fault) for fault in faults.all()] == messages


@pytest.mark.parametrize(
    ("value", "text", "word"),
    [
        (True, "true", "a boolean"),
        (False, "false", "a boolean"),
        ([], "[]", "a list"),
        ({}, "{}", "an object"),
        ([1, "a", None, True], '[1, "a", null, true]', "a list"),
        ([1, 2, 3, 4, 5], "[1, 2, 3, 4, ...]", "a list"),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, '{"a": 1, "b": 2, "c": 3, "d": 4}', "an object"),
        ({1: 1, 2: 2, 3: 3, 4: 4, 5: 5}, "{1: 1, 2: 2, 3: 3, 4: 4, ...}", "an object"),
        ([[1], {"a": [2]}], '[[1], {"a": [...]}]', "a list"),
        ([[[1]]], "[[[...]]]", "a list"),
        ([[[]]], "[[[]]]", "a list"),
        ({"a": {"b": {}}}, '{"a": {"b": {}}}', "an object"),
        ({"a": {"b": {"c": 1}}}, '{"a": {"b": {...}}}', "an object"),
        (5, "5", "a number"),
        ("five", '"five"', "text"),
        (None, "null", "null"),
    ],
    ids=str,
)
def test_a_value_is_shown_as_it_was_written(value: object, text: str, word: str) -> None:
    """As JSON has it, two levels deep and four items wide: anchors that refer to anchors may be a huge tree."""
    written = as_written(value)
    assert (shown(written), type_word(written)) == (text, word)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (1, "1s"),
        (90, "90s"),
        (60, "1m"),
        (5400, "90m"),
        (3600, "1h"),
        (86_400, "1d"),
        (Fraction(1, 2), "0.5s"),
    ],
)
def test_a_time_is_told_in_the_largest_unit_that_leaves_it_whole(seconds: int | Fraction, text: str) -> None:
    """As a fleet file has it."""
    assert duration_text(seconds) == text


def test_what_readers_look_for_stays_what_it_is() -> None:
    """Text and numbers are what they were; only what no reader of a single value takes is made showable."""
    assert [as_written(value) for value in (5, "five", None)] == [5, "five", None]


def test_a_mapping_whose_keys_a_person_chose_is_read_key_by_key() -> None:
    """A key that is no plain word is noted, its path in quotes, and its value is still read."""
    faults = Faults()
    assert read_words({"blue": 1, "sea green": 2, 3: None}, "p", faults, like=LIKE) == [
        Named("p.blue", "blue", 1, is_word=True),
        Named('p."sea green"', "sea green", 2, is_word=False),
        Named("p.3", 3, None, is_word=False),
    ]
    assert [str(fault) for fault in faults.all()] == [
        'p."sea green": "sea green" does not match [A-Za-z0-9_-]{1,64}',
        "p.3: 3 is a number, not text; put it in quotes",
    ]


@pytest.mark.parametrize(("value", "odd"), [(None, "empty"), (["blue"], '["blue"] is a list')])
def test_what_is_no_mapping_holds_nothing(value: object, odd: str) -> None:
    """And is answered with an example."""
    faults = Faults()
    assert read_words(value, "p", faults, like=LIKE) == []
    assert [str(fault) for fault in faults.all()] == [f"p: {odd}, not an object like {LIKE}"]

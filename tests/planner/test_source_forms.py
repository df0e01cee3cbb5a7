"""What the settings of sources may look like, as all kinds of sources read them."""

from collections.abc import Callable

import pytest

from enactor.plan_faults import Faults
from planner.source_forms import (
    TEXT_MAX_CHARACTERS,
    TEXTS_MAX,
    read_count,
    read_one_of,
    read_seconds,
    read_texts,
    read_yes,
)

PATH = "sources.x.key"


def told(read: Callable[[Faults], object]) -> tuple[object, list[tuple[str, str]]]:
    """Return what was read, and every fault with the guard that it stands for."""
    faults = Faults()
    found = read(faults)
    return found, [(str(fault), fault.guard) for fault in faults.all()]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("250ms", 0.25), ("1s", 1.0), ("1.5m", 90.0), ("1h", 3600.0), ("0.000001h", 0.0036), ("100ms", 0.1)],
)
def test_a_time_has_a_unit(text: str, seconds: float) -> None:
    """Milliseconds, seconds, minutes, hours; both ends of what is allowed are in it."""
    assert told(lambda faults: read_seconds(text, PATH, faults, "1ms", "1h")) == (seconds, [])
    assert told(lambda faults: read_seconds(text, PATH, faults, text, text)) == (seconds, [])


@pytest.mark.parametrize(
    ("value", "says", "guard"),
    [
        (5, "5 has no unit; write a time like 5s or 1.5m", "malformed"),
        (1.5, "1.5 has no unit; write a time like 1.5s or 1.5m", "malformed"),
        (True, "true is a boolean, not text", "malformed"),
        ("5", '"5" is no time like 250ms, 10s or 1.5m', "malformed"),
        ("5 s", '"5 s" is no time like 250ms, 10s or 1.5m', "malformed"),
        ("5d", '"5d" is no time like 250ms, 10s or 1.5m', "malformed"),
        ("\u0665s", '"\\u0665s" is no time like 250ms, 10s or 1.5m', "malformed"),
        ("99ms", '"99ms" is not between 100ms and 30s', "limit"),
        ("31s", '"31s" is not between 100ms and 30s', "limit"),
    ],
)
def test_what_is_no_time_or_out_of_its_limits_is_told(value: object, says: str, guard: str) -> None:
    """With what it is, and with both limits."""
    found, faults = told(lambda faults: read_seconds(value, PATH, faults, "100ms", "30s"))
    assert (found, faults) == (None, [(f"{PATH}: {says}", guard)])


def texts(value: object) -> tuple[object, list[tuple[str, str]]]:
    return told(lambda faults: read_texts(value, PATH, faults, pattern=r"[a-z]+", like="[web, api]"))


@pytest.mark.parametrize(
    ("value", "found", "says"),
    [
        ("web", ("web",), []),
        (["web", "api"], ("web", "api"), []),
        ([], (), [(f"{PATH}: empty; write it like [web, api]", "malformed")]),
        ("Web", (), [(f'{PATH}: "Web" is not like [web, api]', "malformed")]),
        (5, (), [(f"{PATH}: 5 is a number, not a list", "malformed")]),
        (
            ["web", 5, "api", "web", "Web", "tail"],
            ("web", "api", "tail"),
            [
                (f"{PATH}[1]: 5 is a number, not text; put it in quotes", "malformed"),
                (f'{PATH}[3]: "web" stands twice', "duplicate"),
                (f'{PATH}[4]: "Web" is not like [web, api]', "malformed"),
            ],
        ),
    ],
)
def test_a_list_of_texts_is_read_with_every_fault(value: object, found: tuple[str, ...], says: list[object]) -> None:
    """One alone needs no list; what is wrong with one hides no other."""
    assert texts(value) == (found, says)


def test_a_list_of_texts_and_each_of_them_has_an_end() -> None:
    """As many as are allowed are read, and one more is told."""
    many = ["a" * number for number in range(1, TEXTS_MAX + 2)]
    assert texts(many[:TEXTS_MAX]) == (tuple(many[:TEXTS_MAX]), [])
    assert texts(many) == (
        tuple(many[:TEXTS_MAX]),
        [(f"{PATH}: {TEXTS_MAX + 1} entries are over {TEXTS_MAX}", "limit")],
    )
    assert texts("a" * TEXT_MAX_CHARACTERS) == (("a" * TEXT_MAX_CHARACTERS,), [])
    found, faults = texts("a" * (TEXT_MAX_CHARACTERS + 1))
    assert (found, len(faults)) == ((), 1)


def test_words_flags_and_counts_are_told_as_they_were_written() -> None:
    """A list, an object or a boolean as JSON has it."""
    assert told(lambda faults: read_one_of("tcp", PATH, faults, ("tcp", "http"))) == ("tcp", [])
    assert told(lambda faults: read_one_of([True], PATH, faults, ("tcp", "http"))) == (
        None,
        [(f"{PATH}: [true] is none of tcp, http", "malformed")],
    )
    for flag in (True, False):
        assert told(lambda faults, flag=flag: read_yes(flag, PATH, faults)) == (flag, [])  # type: ignore[misc]
    assert told(lambda faults: read_yes(["no"], PATH, faults)) == (
        None,
        [(f'{PATH}: ["no"] is a list, not true or false', "malformed")],
    )
    assert told(lambda faults: read_count(1, PATH, faults, 1, 10)) == (1, [])
    assert told(lambda faults: read_count(10, PATH, faults, 1, 10)) == (10, [])
    assert told(lambda faults: read_count(11, PATH, faults, 1, 10)) == (None, [(f"{PATH}: 11 is over 10", "limit")])
    assert told(lambda faults: read_count(True, PATH, faults, 1, 10)) == (
        None,
        [(f"{PATH}: true is a boolean, not a whole number from 1 to 10", "malformed")],
    )

"""What the settings of sources may look like, as all kinds of sources read them."""

from collections.abc import Callable

import pytest

from enactor.plan_faults import Faults
from planner.source_forms import (
    TEXT_MAX_CHARACTERS,
    TEXTS_MAX,
    read_count,
    read_one_of,
    read_texts,
    read_yes,
)

PATH = "sources.x.key"


def told(read: Callable[[Faults], object]) -> tuple[object, list[tuple[str, str]]]:
    """Return what was read, and every fault with the guard that it stands for."""
    faults = Faults()
    found = read(faults)
    return found, [(str(fault), fault.guard) for fault in faults.all()]


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

"""Decide whether the settings of a source have the right form: the readers that kinds of sources share.

Pure. Faults are noted with their path in the fleet file, and nothing here raises, whatever stands there.
"""

import re
from typing import Final

from enactor.plan_faults import Faults, read_choice, read_flag, read_list, read_text, read_whole, shown
from planner.fleet_forms import as_written

TEXTS_MAX: Final = 100
TEXT_MAX_CHARACTERS: Final = 512


def read_texts(value: object, path: str, faults: Faults, *, pattern: str, like: str) -> tuple[str, ...]:
    """Return a list of texts that each fit a pattern; one alone needs no list. Empty where nothing of it can be used."""
    if value == []:
        faults.add(path, f"empty; write it like {like}")
        return ()
    items = (
        [value]
        if isinstance(value, str)
        else read_list(value if isinstance(value, list) else as_written(value), path, faults)
    )
    found: dict[str, None] = {}
    for index, item in enumerate((items or [])[:TEXTS_MAX]):
        where = path if isinstance(value, str) else f"{path}[{index}]"
        text = read_text(as_written(item), where, faults)
        if text is None:
            continue
        if len(text) > TEXT_MAX_CHARACTERS or re.fullmatch(pattern, text) is None:
            faults.add(where, f"{shown(text)} is not like {like}")
        elif text in found:
            faults.add(where, f"{shown(text)} stands twice", "duplicate")
        else:
            found[text] = None
    if items is not None and len(items) > TEXTS_MAX:
        faults.add(path, f"{len(items)} entries are over {TEXTS_MAX}", "limit")
    return tuple(found)


def read_one_of(value: object, path: str, faults: Faults, choices: tuple[str, ...]) -> str | None:
    """Return one of a few words."""
    plain = as_written(value)
    return read_choice(plain, path, faults, choices)


def read_yes(value: object, path: str, faults: Faults) -> bool | None:
    """Return true or false."""
    return read_flag(value if isinstance(value, bool) else as_written(value), path, faults)


def read_count(value: object, path: str, faults: Faults, low: int, high: int) -> int | None:
    """Return a whole number between two limits."""
    return read_whole(as_written(value), path, faults, low, high)

"""Decide whether the parts of a fleet file have the right form: the readers that all of its parts share, with examples to follow.

Pure. Faults are noted with their path in the fleet file. A part with a fault is still read as far as it can be, so that what is
wrong elsewhere is found in the same go: a person mends a file once.
"""

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, Final

import msgspec

from enactor.plan_faults import Faults, Unreadable, read_matching, read_object, shown, type_word
from planner.fleet_file import DURATION, WORD
from planner.weights import exact

SHOWN_MAX_LEVELS: Final = 2
SHOWN_MAX_ITEMS: Final = 4
LIKE_ZONE: Final = "{id: Z0123456789ABC, name: example.com.}"
LIKE_BALANCER: Final = '{id: lb-1, capacity: 100, addresses: [192.0.2.1, "2001:db8::1"]}'
LIKE_ALIAS: Final = "{name: lb.example.net., zone: Z0123456789ABC, evaluate_target_health: true}"
LIKE_ENDPOINT: Final = "{name: api.example.com, zone: main, pools: {blue: 1.0}}"
LIKE_RETIRED: Final = "{name: old.example.com, zone: main}"
LIKE_DEFAULTS: Final = "{ttl: 60, routing: weighted, types: [A, AAAA]}"
LIKE_SHARES: Final = "{blue: 1.0}"
LIKE_SOURCE: Final = "{kind: file, path: inventory/}"
LIKE_POOL: Final = "{from: [albs]}"
LIKE_HEALTH: Final = "{from: [checks], rise: 3, fall: 3, brake: 0.3, window: 10m}"
LIKE_PACE: Final = "{gather: 60s, max_weight_step: 0.25, warm_up: 10m, ramp_down: 5m}"
LIKE_TIME: Final = "a time like 10s, 1.5m or 2h"
UNIT_SECONDS: Final = {
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "m": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86_400),
}
SHOWN_UNITS: Final = ("d", "h", "m", "s")


class Named(msgspec.Struct, frozen=True):
    """One value of a mapping whose keys a person chose."""

    path: str
    word: Any
    """The key: text that fits WORD, unless `is_word` is false, which is noted."""
    value: Any
    is_word: bool


def read_form(
    value: object, path: str, faults: Faults, *, like: str, required: Sequence[str] = (), optional: Sequence[str] = ()
) -> Mapping[str, Any] | None:
    """Return an object with its missing and unknown keys noted, or None where it is none; messages show one that is right."""
    if not isinstance(value, dict):
        faults.add(path, f"{_odd(value)}, not an object like {like}")
        return None
    raw = read_object(value, path, faults, optional=(*required, *optional))
    for key in required:
        if key not in value:
            faults.add(f"{path}.{key}", f"missing; write it like {like}")
    return raw


def read_forms(value: object, path: str, faults: Faults, *, like: str) -> list[Any]:
    """Return a list of objects, or an empty one where it is no list."""
    if isinstance(value, list):
        return value
    faults.add(path, f"{_odd(value)}, not a list like [{like}]")
    return []


def _odd(value: object) -> str:
    plain = as_written(value)
    return "empty" if value is None else f"{shown(plain)} is {type_word(plain)}"


def as_written(value: object) -> object:
    """Return a value so that messages show it as a person wrote it: a list, an object or true and false as JSON has them.

    Everything else is returned as it is, and stays what readers look for.
    """
    if isinstance(value, bool):
        return Unreadable(shown(value), "a boolean")
    if isinstance(value, list | dict):
        return Unreadable(_json(value, SHOWN_MAX_LEVELS), type_word(value))
    return value


def _json(value: object, levels: int) -> str:
    """Return a value as JSON has it, cut short: anchors that refer to anchors may be a huge tree, or a circle."""
    if not isinstance(value, list | dict):
        return shown(value)
    left, right = "[]" if isinstance(value, list) else "{}"
    if not levels:
        return f"{left}...{right}" if value else left + right
    parts = (
        [_json(item, levels - 1) for item in value[:SHOWN_MAX_ITEMS]]
        if isinstance(value, list)
        else [f"{shown(key)}: {_json(value[key], levels - 1)}" for key in islice(value, SHOWN_MAX_ITEMS)]
    )
    return left + ", ".join(parts + ["..."] * (len(value) > SHOWN_MAX_ITEMS)) + right


def read_words(value: object, path: str, faults: Faults, *, like: str) -> list[Named]:
    """Return what a mapping holds whose keys a person chose; a key that is no plain word is noted, its value still read."""
    if not isinstance(value, dict):
        faults.add(path, f"{_odd(value)}, not an object like {like}")
        return []
    return [_named(key, inner, path, faults) for key, inner in value.items()]


def _named(key: object, value: object, path: str, faults: Faults) -> Named:
    is_word = read_matching(key, f"{path}.{shown(key)}", faults, WORD) is not None
    return Named(f"{path}.{key if is_word else shown(key)}", key, value, is_word)


def read_positive(value: object, path: str, faults: Faults) -> Fraction | None:
    """Return a positive finite number, exactly as it was written."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        plain = as_written(value)
        faults.add(path, f"{shown(plain)} is {type_word(plain)}, not a number above 0")
    elif isinstance(value, float) and not math.isfinite(value):
        faults.add(path, f"{value} is not finite")
    elif value <= 0:
        faults.add(path, f"{shown(value)} is not above 0")
    else:
        return exact(value)
    return None


def read_share(value: object, path: str, faults: Faults, *, above_zero: bool = False) -> Fraction | None:
    """Return a share from 0 to 1, exactly as it was written."""
    what = f"a share {'above 0' if above_zero else 'from 0'} {'and up to' if above_zero else 'to'} 1"
    if isinstance(value, bool) or not isinstance(value, int | float):
        plain = as_written(value)
        faults.add(path, f"{shown(plain)} is {type_word(plain)}, not {what}")
    elif not (0 < value <= 1 if above_zero else 0 <= value <= 1):
        faults.add(path, f"{shown(value)} is not {what}")
    else:
        return exact(value)
    return None


def read_duration(value: object, path: str, faults: Faults, lowest: str, highest: str) -> Fraction | None:
    """Return a time in seconds, from a text like 250ms, 10s, 1.5m, 2h or 7d, between two such texts."""
    if not isinstance(value, str):
        plain = as_written(value)
        is_number = isinstance(plain, int | float)
        what = f"has no unit; write {LIKE_TIME}" if is_number else f"is {type_word(plain)}, not {LIKE_TIME}"
        faults.add(path, f"{shown(plain)} {what}")
        return None
    seconds = _seconds(value)
    if seconds is None:
        faults.add(path, f"{shown(value)} is not {LIKE_TIME}")
    elif not (_seconds(lowest) or 0) <= seconds <= (_seconds(highest) or 0):
        faults.add(path, f"{value} is not between {lowest} and {highest}", "limit")
    else:
        return seconds
    return None


def _seconds(text: str) -> Fraction | None:
    found = re.fullmatch(DURATION, text)
    return Fraction(found["number"]) * UNIT_SECONDS[found["unit"]] if found else None


def duration_text(seconds: int | Fraction) -> str:
    """Return a time as a fleet file has it, in the largest unit that leaves it whole where there is one."""
    whole = [unit for unit in SHOWN_UNITS if seconds and seconds % UNIT_SECONDS[unit] == 0]
    unit = whole[0] if whole else "s"
    return f"{float(Fraction(seconds) / UNIT_SECONDS[unit]):g}{unit}"

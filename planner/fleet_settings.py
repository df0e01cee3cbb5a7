"""Decide what a fleet file says of sources, health and pace: whom to ask, what their signals may do, how fast plans move.

Pure. The settings of a kind of source are read by the kind itself, which is handed in; what every source has is read here.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Protocol, TypeVar

import msgspec

from enactor.plan_faults import Faults, read_list, read_whole, shown
from planner.fleet_file import HEALTH, LOOKS_MAX, PACE, SourceEntry
from planner.fleet_forms import (
    LIKE_HEALTH,
    LIKE_PACE,
    LIKE_SOURCE,
    as_written,
    read_duration,
    read_form,
    read_share,
    read_words,
)
from planner.observation import SourceKind
from planner.weights import exact

LIKE_SOURCES: Final = f"{{files: {LIKE_SOURCE}}}"
WINDOW_LOW, WINDOW_HIGH = "10s", "1d"
"""Collect keeps the plans of a day, and the brake rests on them."""
GATHER_HIGH: Final = "1h"
RAMP_HIGH: Final = "1d"
MAX_GONE_DEFAULT: Final = exact(SourceEntry(kind="").max_gone)
_OWN: Final = ("kind", "max_gone")
_HEALTH: Final = ("from", "rise", "fall", "brake", "window")
_PACE: Final = ("gather", "max_weight_step", "warm_up", "ramp_down")
_T = TypeVar("_T")


class Kinds(Protocol):
    """The kinds of source that are installed."""

    def names(self) -> Sequence[str]:
        """Return what a fleet file may name."""
        ...

    def find(self, name: str) -> SourceKind | str:
        """Return a kind, or why it cannot be used."""
        ...


class NoKinds:
    """Where no kind of source is at hand."""

    def names(self) -> Sequence[str]:
        """Return nothing."""
        return ()

    def find(self, name: str) -> SourceKind | str:
        """Say that there is none."""
        return f"{shown(name)} is no installed kind of source: there are none"


class SourceSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One source of a fleet file."""

    name: str
    kind: str
    settings: Any
    """What its kind read; None where that has faults."""
    gives_inventory: bool
    gives_health: bool
    max_gone: Fraction
    """The share of its offers that may be gone since its last answer."""


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What signals about health may do at an endpoint."""

    sources: tuple[str, ...] = ()
    """Whose signals count."""
    rise: int = HEALTH.rise
    fall: int = HEALTH.fall
    brake: Fraction = exact(HEALTH.brake)
    window_seconds: Fraction = Fraction(600)


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How fast plans follow each other, and weights move from one to the next."""

    gather_seconds: Fraction = Fraction(60)
    max_weight_step: Fraction = exact(PACE.max_weight_step)
    warm_up_seconds: Fraction = Fraction(0)
    ramp_down_seconds: Fraction = Fraction(300)


def read_sources(value: object, kinds: Kinds, faults: Faults) -> dict[Hashable, SourceSpec]:
    """Return the sources, as far as they can be read."""
    words = read_words(value, "sources", faults, like=LIKE_SOURCES)
    return {one.word: _read_source(str(one.word), one.value, one.path, kinds, faults) for one in words}


def _read_source(name: str, item: object, path: str, kinds: Kinds, faults: Faults) -> SourceSpec:
    raw: Mapping[str, Any] = {}
    if isinstance(item, dict):
        raw = item
    else:
        read_form(item, path, faults, like=LIKE_SOURCE)
    kind: SourceKind | None = None
    if "kind" not in raw:
        if isinstance(item, dict):
            faults.add(f"{path}.kind", f"missing; write it like {LIKE_SOURCE}")
    else:
        kind = _read_kind(raw["kind"], f"{path}.kind", kinds, faults)
    max_gone = read_share(raw["max_gone"], f"{path}.max_gone", faults) if "max_gone" in raw else None
    rest = {key: inner for key, inner in raw.items() if key not in _OWN}
    return SourceSpec(
        name=name,
        kind=str(raw.get("kind", "")),
        settings=_read_settings(kind, rest, path, faults) if kind else None,
        gives_inventory=kind.gives_inventory if kind else True,
        gives_health=kind.gives_health if kind else True,
        max_gone=MAX_GONE_DEFAULT if max_gone is None else max_gone,
    )


def _read_settings(kind: SourceKind, raw: Mapping[str, Any], path: str, faults: Faults) -> Any:
    """Return what a kind reads of its settings; one that fails over them is no stack trace of ours."""
    try:
        return kind.read(raw, path, faults)
    except Exception as error:  # noqa: BLE001 - a third party's code may raise anything
        faults.add(path, f"its kind cannot read it: {type(error).__name__}: {error}")
        return None


def _read_kind(value: object, path: str, kinds: Kinds, faults: Faults) -> SourceKind | None:
    listed = ", ".join(sorted(kinds.names())) or "there are none"
    if not isinstance(value, str) or value not in kinds.names():
        faults.add(path, f"{shown(as_written(value))} is no installed kind of source: {listed}")
        return None
    kind = kinds.find(value)
    if isinstance(kind, str):
        faults.add(path, kind)
        return None
    return kind


def read_from(
    value: object, path: str, known: Mapping[Hashable, SourceSpec], faults: Faults, *, what: str
) -> tuple[str, ...] | None:
    """Return the sources that a pool or `health` names; `what` they must give is inventory or health."""
    items = read_list(value if isinstance(value, list) else as_written(value), path, faults)
    if items is None:
        return None
    found: list[str] = []
    for index, item in enumerate(items):
        where = f"{path}[{index}]"
        spec = known.get(item) if isinstance(item, str) else None
        if spec is None:
            listed = ", ".join(sorted(map(str, known))) or "there are none"
            faults.add(where, f"{shown(as_written(item))} is none of the fleet's sources: {listed}")
        elif not (spec.gives_inventory if what == "inventory" else spec.gives_health):
            faults.add(where, f"source {spec.name} is of kind {spec.kind}, which gives no {what}")
        elif spec.name in found:
            faults.add(where, f"{spec.name} stands twice", "duplicate")
        else:
            found.append(spec.name)
    return tuple(found)


def health_of(known: Mapping[Hashable, SourceSpec]) -> Health:
    """Return what holds where the file says nothing: everybody who gives signals is heard."""
    return Health(sources=tuple(spec.name for spec in known.values() if spec.gives_health))


def read_health(
    value: object, path: str, otherwise: Health, known: Mapping[Hashable, SourceSpec], faults: Faults
) -> Health:
    """Return what a `health` says, else what holds otherwise."""
    raw = read_form(value, path, faults, like=LIKE_HEALTH, optional=_HEALTH) or {}
    sources = read_from(raw["from"], f"{path}.from", known, faults, what="health") if "from" in raw else None
    rise = read_whole(as_written(raw["rise"]), f"{path}.rise", faults, 1, LOOKS_MAX) if "rise" in raw else None
    fall = read_whole(as_written(raw["fall"]), f"{path}.fall", faults, 1, LOOKS_MAX) if "fall" in raw else None
    brake = read_share(raw["brake"], f"{path}.brake", faults) if "brake" in raw else None
    window = (
        read_duration(raw["window"], f"{path}.window", faults, WINDOW_LOW, WINDOW_HIGH) if "window" in raw else None
    )
    return Health(
        sources=_or(sources, otherwise.sources),
        rise=_or(rise, otherwise.rise),
        fall=_or(fall, otherwise.fall),
        brake=_or(brake, otherwise.brake),
        window_seconds=_or(window, otherwise.window_seconds),
    )


def read_pace(value: object, faults: Faults) -> Pace:
    """Return what `pace` says, else the defaults."""
    otherwise = Pace()
    raw = read_form(value, "pace", faults, like=LIKE_PACE, optional=_PACE) or {}

    def duration(key: str, highest: str, default: Fraction) -> Fraction:
        return _or(read_duration(raw[key], f"pace.{key}", faults, "0s", highest) if key in raw else None, default)

    step = (
        read_share(raw["max_weight_step"], "pace.max_weight_step", faults, above_zero=True)
        if "max_weight_step" in raw
        else None
    )
    return Pace(
        gather_seconds=duration("gather", GATHER_HIGH, otherwise.gather_seconds),
        max_weight_step=_or(step, otherwise.max_weight_step),
        warm_up_seconds=duration("warm_up", RAMP_HIGH, otherwise.warm_up_seconds),
        ramp_down_seconds=duration("ramp_down", RAMP_HIGH, otherwise.ramp_down_seconds),
    )


def _or(value: _T | None, default: _T) -> _T:
    return default if value is None else value

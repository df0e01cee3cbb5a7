"""Decide what `init`, `stop` and `start` write into a zone's switch. Pure.

The generation in the switch is never lost and never falls (promise 2): a new text carries the highest generation that anything
at hand shows. A person may have typed the record by hand, so what can be read of an odd text is read.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

import msgspec

from enactor.fence import NO_PLAN, Fence, Garbled, Mode, Switch, fence_text, text_set
from enactor.marks import is_as_long
from enactor.observe import FenceRange, FenceReading
from enactor.ports import PlanHead
from enactor.records import RecordSet

_GEN: Final = re.compile(r"\bgen=(\d{1,12})\b")
_PLAN: Final = re.compile(r"\bplan=([0-9a-f]{12})\b")


class Table(msgspec.Struct, frozen=True):
    """What the plan table says about generations; None where it could not be read."""

    head: PlanHead | None
    floor: int


LEAP_MAX: Final = 1_000_000
"""A switch further than this above every plan and fence was typed by mistake: a plan every half minute takes a year for it."""


class Unclear(ValueError):  # noqa: N818 - the reader sees the sentence
    """No generation can be told; a person must."""


def generation_of(found: FenceRange, table: Table | None, told: int | None) -> tuple[int, str]:
    """Return the generation that a new text of the switch carries, and its plan's digest if known.

    A switch that says clearly what is open is kept: a stop and a start lead around no guard, and leave a zone as able as it was.
    Else it is the highest that the text, the fences, HEAD, FLOOR or the person show, as any of them may have been open. A
    switch that leaps above all of them counts as a slip where the person tells what it should be.
    """
    own, head = _own(found), table.head if table else None
    sure = max(table.floor if table else 0, head.generation if head else 0, told or 0)
    fences = explaining(found.fences.values(), sure) if sure else fence_generations(found.fences.values())
    is_slip = own is not None and told is not None and is_leap(own[0], max((sure, *fences)))
    is_clear = own is not None and (own[1] != NO_PLAN or isinstance(found.switch.switch, Switch))
    if own is not None and is_clear and not is_slip and (told is None or told <= own[0]):
        return own if own[0] else (0, NO_PLAN)
    known = {told: NO_PLAN} if told is not None else {}
    if own is not None and not is_slip:
        known[own[0]] = own[1]
        fences = explaining(found.fences.values(), max(sure, own[0]))
    if own is None and told is None and head is None and (fences or table is None):
        raise Unclear(
            f"the switch of zone {found.zone} shows no generation and the plan table has no newest plan; "
            "give the highest generation that was ever published with --generation"
        )
    for generation in fences:
        known.setdefault(generation, NO_PLAN)
    if table is not None and table.floor:
        known.setdefault(table.floor, NO_PLAN)
    if head is not None:
        known[head.generation] = head.digest[:12]  # a switch that names another plan of this generation was kept above
    highest = max(known, default=0)
    return highest, known.get(highest, NO_PLAN)


def of_fleet(found: FenceRange, fleet: str) -> FenceRange:
    """Return what shows a fleet's generations: its own fences. Another fleet in the zone counts its plans by itself."""
    return msgspec.structs.replace(
        found,
        fences={
            name: reading
            for name, reading in found.fences.items()
            if not isinstance(reading.fence, Fence) or reading.fence.fleet == fleet
        },
    )


def told_by_switch(found: FenceRange) -> int:
    """Return the generation that can be read of the switch, -1 where it shows none."""
    own = _own(found)
    return own[0] if own is not None else -1


def is_leap(generation: int, explained: int) -> bool:
    """Tell whether a switch's generation is so far above what explains it that no plan may be numbered above it.

    FLOOR follows a switch, and generations have twelve digits: a slip of the finger must not use them up.
    """
    return generation > explained + LEAP_MAX


def fence_generations(readings: Iterable[FenceReading]) -> list[int]:
    """Return the generations of the fences that can be read; 0 is an adopted endpoint's, and no plan's."""
    return [reading.fence.gen for reading in readings if isinstance(reading.fence, Fence) and reading.fence.gen > 0]


def explaining(readings: Iterable[FenceReading], sure: int) -> list[int]:
    """Return the generations of the fences that do not leap above what is sure themselves: a fence can be mistyped too.

    A table that was restored to its first day explains nothing; then several fences near each other must do.
    """
    found = sorted(fence_generations(readings))
    near = [one for one in found if not is_leap(one, sure)]
    if len(found) > len(near) + 1:
        return found
    return near


def _own(found: FenceRange) -> tuple[int, str] | None:
    """Return what the switch itself shows, a text typed by hand included; None where it shows no generation."""
    if isinstance(found.switch.switch, Switch):
        return found.switch.switch.gen, found.switch.switch.plan
    return max(filter(None, map(_told, found.switch.record.values)), default=None) if found.switch.record else None


def _told(text: str) -> tuple[int, str] | None:
    """Return what one text of a switch shows; of several that somebody put there the highest counts."""
    gen, plan = _GEN.search(text), _PLAN.search(text)
    return (int(gen.group(1)), plan.group(1) if plan else NO_PLAN) if gen else None


def is_ours(found: FenceRange, fleet: str) -> bool:
    """Tell whether any fence shows that this zone was in this fleet's hands."""
    return any(isinstance(reading.fence, Fence) and reading.fence.fleet == fleet for reading in found.fences.values())


def ground(found: FenceRange, fleet: str, nonce: str) -> tuple[RecordSet, RecordSet] | None:
    """Return the fleet's first fence as it stands and with a new nonce, which a switch that is made anew rests on; None without one.

    Made of nothing, a late switch could land whenever there is none again, below what was open meanwhile. Each that is made
    renews this fence, so that every other one that was decided before it fails: a plan opened since need not have touched it.
    """
    first = first_fence(found.fences, fleet)
    if first is None:
        return None
    record, fence = first
    assert nonce != fence.nonce, "a nonce is fresh"
    return record, text_set(record.name, fence_text(msgspec.structs.replace(fence, nonce=nonce)))


def first_fence(fences: Mapping[str, FenceReading], fleet: str) -> tuple[RecordSet, Fence] | None:
    """Return the fleet's first fence by name, as it stands and what it says."""
    own = {
        name: (reading.record, reading.fence)
        for name, reading in fences.items()
        if isinstance(reading.fence, Fence) and reading.fence.fleet == fleet
    }
    return own[min(own)] if own else None


def new_switch(
    fleet: str, mode: Mode, generation: int, plan: str, *, nonce: str, until: datetime | None = None
) -> Switch:
    """Return a switch's new text; a new nonce, so that a batch from before the stop cannot land after the start."""
    return Switch(fleet=fleet, mode=mode, gen=generation, plan=plan, nonce=nonce, until=until)


def is_done(found: FenceRange, mode: Mode, until: datetime | None = None) -> bool:
    """Tell whether the switch already says clearly what is wanted; a stop is never shortened by another.

    A text typed by hand is a stop for good, and one with an end would weaken it.
    """
    switch = found.switch.switch
    if mode == "stop" and isinstance(switch, Garbled):
        return until is not None
    return isinstance(switch, Switch) and switch.mode == mode and (mode == "run" or is_as_long(switch.until, until))

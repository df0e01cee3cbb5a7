"""Take one guard at a time out of an enactor's decision, with the last gate out too, and see which promise breaks.

Guards stand behind one another, and the gate behind them all; each of these stories has a plan that one guard alone stops.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final

from enactor import swap
from enactor.guards import Finding

from . import thin_ports
from .promises import NEVER_EMPTY, NEVER_UNASKED
from .scenarios_guards import BY_NAME, EMPTIED_AND_ALLOWED, HEAVY_ONE_GOES, LIGHT_ONES_GO, SIX_GOES
from .stage import Scenario
from .teeth import Tooth, _put


def _without_guard(label: str) -> Callable[[], AbstractContextManager[None]]:
    real = swap._findings

    def findings(*given: Any) -> tuple[Finding, ...]:
        return tuple(finding for finding in real(*given) if finding.guard != label)

    return lambda: _put((swap, "_findings", findings), (thin_ports, "refusals", lambda *_: ()))


_STORIES: Final[tuple[tuple[str, str, Scenario], ...]] = (
    ("empty", NEVER_EMPTY, EMPTIED_AND_ALLOWED),
    ("kind", NEVER_EMPTY, SIX_GOES),
    ("shrink-targets", NEVER_UNASKED, LIGHT_ONES_GO),
    ("shrink-capacity", NEVER_UNASKED, HEAVY_ONE_GOES),
    ("alias-target", NEVER_EMPTY, BY_NAME),
)

GUARD_TEETH: Final = tuple(
    Tooth(
        name=f"the guard {label} alone, without the last gate",
        promises=frozenset({promise}),
        scenario=scenario,
        out=_without_guard(label),
    )
    for label, promise, scenario in _STORIES
)

"""Every story that is played, and those that are made of them by leaving actors out."""

from typing import Final

import msgspec

from .scenarios import OCTOBER, PARTS
from .scenarios_clock import CLOCKS
from .scenarios_guards import PLAYED, SINGLE
from .scenarios_hands import EDITED
from .scenarios_ruins import RUINED_TABLES
from .scenarios_signals import WATCHING
from .scenarios_verbs import VERBS
from .scenarios_zones import ZONED
from .stage import Scenario
from .wire_alone import left

SELDOM: Final = (*RUINED_TABLES, *ZONED)
"""Stories that `make test` plays least of; a campaign plays them as long as any other."""
ALL: Final = (*PARTS, *VERBS, *PLAYED, *WATCHING, *CLOCKS, *EDITED, *SELDOM)

_OCTOBER_ACTORS: Final = {
    "october-without-collect": (0, 1, 2),
    "october-one-enactor": (0, 1, 3),
    "october-without-planner": (1, 2, 3),
}
OCTOBER_IN_PARTS: Final = tuple(
    msgspec.structs.replace(OCTOBER, name=name, actors=tuple(OCTOBER.actors[index] for index in indices))
    for name, indices in _OCTOBER_ACTORS.items()
)
"""October 2025 with one part left out: small enough to be searched with any one fault."""


def story(name: str) -> Scenario | None:
    """Return the story of a name, as a violation's line says it; None where there is none."""
    for one in (*ALL, *SINGLE, *OCTOBER_IN_PARTS):
        if one.name == name:
            return one
    for one in sorted(ALL, key=lambda one: len(one.name), reverse=True):
        if name.startswith(f"{one.name}-") and (actors := _actors(one, name.removeprefix(f"{one.name}-"))):
            return left(one, *actors)
    return None


def _actors(scenario: Scenario, word: str) -> list[str]:
    """Return the actors that a word names, joined by hyphens as their names may be; none where it names anybody else."""
    found: list[str] = []
    while word:
        fitting = [actor.name for actor in scenario.actors if f"{word}-".startswith(f"{actor.name}-")]
        if not fitting:
            return []
        found.append(max(fitting, key=len))
        word = word.removeprefix(found[-1]).removeprefix("-")
    return found

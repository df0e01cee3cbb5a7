"""Decide how long one decision, one zone and one cycle may last, who goes first, and how often what fails is tried. Pure."""

from collections.abc import Iterable
from typing import Final

from enactor.batch import URGENCY
from enactor.swap import State, Swap

CYCLE_LIMIT_SECONDS: Final = 60.0
"""No cycle decides anew after this, counted from the end of its reading; what is left is the next cycle's. All zones share it."""
ROUNDS_MAX: Final = 40
"""A zone that still conflicts after this many decisions in one cycle is left to the next."""
ROUND_SECONDS_MAX: Final = 10.0
"""How long batches of one decision are sent, waits for tokens included; with a small share a large plan takes many rounds."""
LOST_TOGETHER_MAX: Final = 2
"""After so many conflicts in a cycle an endpoint goes in batches of its own, behind the rest."""
LOST_MAX: Final = 4
"""After so many conflicts in a cycle an endpoint waits: somebody else writes there, or Route 53 will not have it."""
WAIT_FIRST_SECONDS: Final = 0.2
WAIT_MAX_SECONDS: Final = 8.0

URGENT_STATES: Final[frozenset[State]] = frozenset({"empty", "missing"})
"""What answers nobody never waits more than a minute."""
REPAIRED_STATES: Final[frozenset[State]] = URGENT_STATES | {"drifted", "fence-missing"}


def round_wait_seconds(attempt: int) -> float:
    """Return the longest wait before a later round of a zone; it doubles with each."""
    return min(WAIT_MAX_SECONDS, WAIT_FIRST_SECONDS * 2.0 ** (attempt - 1))


def rank(swaps: Iterable[Swap]) -> tuple[int, int]:
    """Return where a zone stands among others: by its most urgent endpoint, then by how little there is to do; idle ones last."""
    states = [URGENCY.index(swap.state) for swap in swaps]
    return min(states, default=len(URGENCY)), len(states)


def part_seconds(left: float, waiting: int, zones: int) -> float:
    """Return how long a zone may be worked on: its fair part of what is left, and of the whole cycle where others overran.

    `left` is negative where they did; `waiting` counts the zones that still have work, this one among them, if it has any.
    """
    return max(left / max(1, waiting), CYCLE_LIMIT_SECONDS / zones)

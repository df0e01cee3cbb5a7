"""Decide how long one decision, one zone and one cycle may last, and how often what fails is tried in a cycle. Pure."""

from typing import Final

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


def round_wait_seconds(attempt: int) -> float:
    """Return the longest wait before a later round of a zone; it doubles with each."""
    return min(WAIT_MAX_SECONDS, WAIT_FIRST_SECONDS * 2.0 ** (attempt - 1))

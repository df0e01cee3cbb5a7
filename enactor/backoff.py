"""Decide how long what failed waits: growing delays with jitter, until its own content changes (promise 6).

Pure: time and chance come in as arguments.
"""

from typing import Final

import msgspec

FIRST_DELAY_SECONDS: Final = 10.0
DELAY_MAX_SECONDS: Final = 600.0
URGENT_DELAY_MAX_SECONDS: Final = 60.0
DOUBLINGS_MAX: Final = 32


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """What a failed endpoint waits for: an instant (monotonic seconds), or other content than the one that failed."""

    digest: str
    attempts: int
    until: float
    why: str


class Backoff:
    """The endpoints that wait, at most one entry each."""

    def __init__(self) -> None:
        self._waits: dict[tuple[str, str], Wait] = {}

    def failed(
        self, key: tuple[str, str], digest: str, why: str, *, now: float, jitter: float, urgent: bool = False
    ) -> None:
        """Note a failure: the delay doubles with each one of the same content; `jitter` is between 0 and 1.

        What answers nobody is urgent and never waits more than a minute.
        """
        old = self._waits.get(key)
        attempts = old.attempts + 1 if old is not None and old.digest == digest else 1
        doublings = min(attempts - 1, DOUBLINGS_MAX)  # weeks of failures are no larger a number than the longest delay
        full = min(URGENT_DELAY_MAX_SECONDS if urgent else DELAY_MAX_SECONDS, FIRST_DELAY_SECONDS * 2.0**doublings)
        self._waits[key] = Wait(digest=digest, attempts=attempts, until=now + full * (0.5 + jitter / 2), why=why)

    def waiting(self, key: tuple[str, str], digest: str, now: float) -> Wait | None:
        """Return the wait that still keeps this content of an endpoint back."""
        wait = self._waits.get(key)
        return wait if wait is not None and wait.digest == digest and now < wait.until else None

    def succeeded(self, key: tuple[str, str]) -> None:
        """Forget an endpoint's failures."""
        self._waits.pop(key, None)

    def keep_only(self, keys: frozenset[tuple[str, str]]) -> None:
        """Forget endpoints that nobody lists any more."""
        self._waits = {key: wait for key, wait in self._waits.items() if key in keys}

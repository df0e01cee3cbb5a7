"""Decide how long what failed waits: growing delays with jitter, until its own content changes (promise 6).

Pure: time and chance come in as arguments.
"""

from typing import Final

import msgspec

FIRST_DELAY_SECONDS: Final = 10.0
DELAY_MAX_SECONDS: Final = 600.0
URGENT_DELAY_MAX_SECONDS: Final = 60.0
DOUBLINGS_MAX: Final = 32
CONTESTED_REPAIRS: Final = 3
"""So many repairs of one endpoint within the window are no accident: somebody else writes there."""
CONTESTED_WINDOW_SECONDS: Final = 900.0


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """What a failed endpoint waits for: an instant (monotonic seconds), or other content than the one that failed."""

    digest: str
    attempts: int
    since: float
    until: float
    why: str
    is_contested: bool = False
    """It was repaired again and again: the guard `contested` keeps it back, and not a failure."""


class Repairs(msgspec.Struct, frozen=True):
    """When an endpoint was repaired lately, and for how many repairs it has been contested (0: it is not)."""

    times: tuple[float, ...]
    level: int
    until: float


class Backoff:
    """The endpoints that wait, at most one entry each."""

    def __init__(self) -> None:
        self._waits: dict[tuple[str, str], Wait] = {}
        self._repairs: dict[tuple[str, str], Repairs] = {}
        self._written: set[tuple[str, str]] = set()
        """Endpoints that were in place once: to put one there again is a repair, the first time is none."""

    def failed(
        self, key: tuple[str, str], digest: str, why: str, *, now: float, jitter: float, urgent: bool = False
    ) -> None:
        """Note a failure: the delay doubles with each one of the same content; `jitter` is between 0 and 1.

        What answers nobody is urgent and never waits more than a minute.
        """
        old = self._waits.get(key)
        attempts = old.attempts + 1 if old is not None and old.digest == digest else 1
        until = now + _delay(attempts, jitter, urgent=urgent)
        self._waits[key] = Wait(digest=digest, attempts=attempts, since=now, until=until, why=why)

    def repaired(self, key: tuple[str, str], digest: str, *, now: float, jitter: float, urgent: bool = False) -> None:
        """Note a repair: from the third one in the window on, the next waits, longer each time, until it is quiet there.

        It stays contested for a window after each wait: else a tool that writes every minute would be met every minute again.
        """
        old = self._repairs.get(key, Repairs((), 0, now))
        times = (*(time for time in old.times if now - time <= CONTESTED_WINDOW_SECONDS), now)[-CONTESTED_REPAIRS:]
        goes_on = bool(old.level) and now - old.until <= CONTESTED_WINDOW_SECONDS
        level = old.level + 1 if goes_on else int(len(times) == CONTESTED_REPAIRS)
        until = now + _delay(level, jitter, urgent=urgent) if level else now
        self._repairs[key] = Repairs(times, level, until)
        self._waits.pop(key, None)
        if level:
            why = f"repaired {len(times)} times within {CONTESTED_WINDOW_SECONDS / 60:.0f} minutes: somebody else writes there"
            self._waits[key] = Wait(digest=digest, attempts=level, since=now, until=until, why=why, is_contested=True)

    def waiting(self, key: tuple[str, str], digest: str, now: float, *, urgent: bool = False) -> Wait | None:
        """Return the wait that still keeps this content of an endpoint back; what answers nobody by now waits a minute at most."""
        wait = self._waits.get(key)
        if wait is None or wait.digest != digest:
            return None
        until = min(wait.until, wait.since + URGENT_DELAY_MAX_SECONDS) if urgent else wait.until
        return wait if now < until else None

    def waits(self, now: float) -> dict[tuple[str, str], Wait]:
        """Return every wait that has not ended yet."""
        return {key: wait for key, wait in self._waits.items() if now < wait.until}

    def succeeded(self, key: tuple[str, str]) -> None:
        """Forget an endpoint's failures."""
        self._waits.pop(key, None)
        self._written.add(key)

    def was_written(self, key: tuple[str, str]) -> bool:
        """Tell whether this process has put the endpoint in place before."""
        return key in self._written

    def keep_only(self, keys: frozenset[tuple[str, str]], zones: frozenset[str]) -> None:
        """Forget endpoints that nobody lists any more, in the zones that were read; of the others nobody knows."""
        self._waits = {key: wait for key, wait in self._waits.items() if key in keys or key[0] not in zones}
        self._repairs = {key: repairs for key, repairs in self._repairs.items() if key in keys or key[0] not in zones}
        self._written = {key for key in self._written if key in keys or key[0] not in zones}


def _delay(attempts: int, jitter: float, *, urgent: bool) -> float:
    doublings = min(attempts - 1, DOUBLINGS_MAX)  # weeks of failures are no larger a number than the longest delay
    full = min(URGENT_DELAY_MAX_SECONDS if urgent else DELAY_MAX_SECONDS, FIRST_DELAY_SECONDS * 2.0**doublings)
    return full * (0.5 + jitter / 2)

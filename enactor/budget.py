"""Decide when a call may go: two token buckets, requests and changes, at a share of what AWS gives an account (promise 6).

Pure but for the clock it is handed. A call dearer than the whole bucket goes when the bucket is full and leaves it in debt,
so that nothing is ever too large to be sent at all.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from enactor.ports import Clock


class AccountLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What Route 53 gives one account (AWS, since 30 July 2026): a bucket and its refill a second, for both currencies."""

    requests: float = 50.0
    requests_per_second: float = 10.0
    changes: float | None = 1_500.0
    changes_per_second: float = 100.0


GOVCLOUD: Final = AccountLimits(requests=40.0, requests_per_second=5.0, changes=None)
OPERATOR_REQUESTS: Final = 3.0
"""Requests of the account's bucket that no enactor touches, so that a person's `stop` is not answered with Throttling."""
LEAST_WAIT_SECONDS: Final = 1e-6
"""A shorter wait is what adding fractions leaves over, and no token."""
WAIT_LIMIT_SECONDS: Final = 60.0
"""No single wait for tokens is longer; whoever waits looks again then."""


class Bucket:
    """A token bucket that may go into debt."""

    def __init__(self, capacity: float, per_second: float, now: float) -> None:
        assert capacity > 0, "an empty bucket lets nothing through"
        assert per_second > 0, "a bucket that never fills lets nothing through"
        self._capacity = capacity
        self._per_second = per_second
        self._level = capacity
        self._at = now

    def wait_seconds(self, tokens: float, now: float) -> float:
        """Return how long to wait until this many tokens, or a full bucket, are there."""
        self._fill(now)
        lacking = (min(tokens, self._capacity) - self._level) / self._per_second
        return lacking if lacking > LEAST_WAIT_SECONDS else 0.0

    def take(self, tokens: float, now: float) -> None:
        """Take tokens, into debt where they are more than the bucket holds."""
        self._fill(now)
        self._level -= tokens

    def _fill(self, now: float) -> None:
        self._level = min(self._capacity, self._level + max(0.0, now - self._at) * self._per_second)
        self._at = now


class Budget:
    """The requests and changes of one account that this process may use."""

    def __init__(self, clock: Clock, share: float, limits: AccountLimits) -> None:
        now = clock.now()
        self._clock = clock
        spare = max(1.0, share * limits.requests - OPERATOR_REQUESTS)
        self._requests = Bucket(spare, share * limits.requests_per_second, now)
        self._changes = (
            Bucket(max(1.0, share * limits.changes), share * limits.changes_per_second, now) if limits.changes else None
        )

    def wait_for_changes(self, changes: int) -> float:
        """Wait until this many changes may go, take nothing, and return the seconds that have gone by."""
        began = self._clock.now()
        self._wait(lambda: self._changes_seconds(changes))
        return self._clock.now() - began

    def spend(self, *, changes: int = 0) -> float:
        """Wait until one request with this many changes may go, take its tokens, and return the seconds waited."""
        waited = self._wait(
            lambda: max(self._requests.wait_seconds(1, self._clock.now()), self._changes_seconds(changes))
        )
        now = self._clock.now()
        self._requests.take(1, now)
        if self._changes is not None and changes:
            self._changes.take(changes, now)
        return waited

    def give_back(self, changes: int) -> None:
        """Return the change tokens of a call that Route 53 refused: a refused call takes none of the account's."""
        if self._changes is not None:
            self._changes.take(-changes, self._clock.now())

    def _wait(self, lacking: Callable[[], float]) -> float:
        waited = 0.0
        wait = lacking()
        while wait > 0:  # ends: the debt of one call is bounded by its size, and each wait pays some of it off
            step = min(wait, WAIT_LIMIT_SECONDS)
            self._clock.sleep(step)
            waited += step
            before, wait = wait, lacking()
            if wait >= before:
                break  # the clock does not move
        return waited

    def _changes_seconds(self, changes: int) -> float:
        if self._changes is None or not changes:
            return 0.0
        return self._changes.wait_seconds(changes, self._clock.now())

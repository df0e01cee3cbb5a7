"""Decide whether a call fits the account's token buckets. The clock comes in from outside.

Route 53 limits requests and changes apart: both must have room, and a refused call takes none.
"""

from collections.abc import Callable


class TokenBucket:
    """A bucket that starts full and refills evenly."""

    def __init__(self, capacity: float, refill_per_second: float, clock: Callable[[], float]) -> None:
        assert capacity > 0
        assert refill_per_second >= 0
        self._capacity = capacity
        self._refill_per_second = refill_per_second
        self._clock = clock
        self._tokens = capacity
        self._seen_at = clock()

    @property
    def tokens(self) -> float:
        now = self._clock()
        self._tokens = min(self._capacity, self._tokens + (now - self._seen_at) * self._refill_per_second)
        self._seen_at = now
        return self._tokens

    def has(self, amount: float) -> bool:
        return self.tokens >= amount

    def take(self, amount: float) -> None:
        assert self.has(amount)
        self._tokens -= amount

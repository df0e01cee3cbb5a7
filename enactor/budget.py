"""Decide when a call may go: two token buckets, requests and changes, at a share of what AWS gives an account (promise 6).

Pure but for the clock and the lock that it is handed: a worker's cycles and its collection pay out of one budget, and its port shows it.
A call dearer than the whole bucket goes when the bucket is full and leaves it in debt,
so that nothing is ever too large to be sent at all. The share is the fleet's: enactors that know of each other divide it. Where
Route 53 throttles all the same, somebody else in the account needs what it has: the pace is halved, and comes back by itself.
"""

import math
from contextlib import AbstractContextManager, nullcontext
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
SLOWEST: Final = 0.25
"""Throttling never slows an enactor below this part of its share: an endpoint that answers nobody has to be repaired."""
SLOWED_APART_SECONDS: Final = 5.0
"""Several throttled calls within this are one sign, and slow down once."""
SLOWED_SECONDS: Final = 120.0
"""From a standstill to the whole share it would take so long; from SLOWEST three quarters of it."""


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """How full the two buckets are, and at which pace they fill: of an account's changes in GovCloud nothing is known."""

    requests: float
    requests_capacity: float
    requests_per_second: float
    changes: float | None
    changes_capacity: float | None
    pace: float
    """The part of the share that throttling leaves, from SLOWEST to 1."""


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

    def level(self, now: float) -> float:
        """Return the tokens that are there; below 0 the bucket is in debt."""
        return min(self._capacity, self._level + max(0.0, now - self._at) * self._per_second)

    def resize(self, capacity: float, per_second: float, now: float) -> None:
        """Hold and refill otherwise from now on; what was there stays, as far as it fits."""
        self._fill(now)
        self._capacity, self._per_second = capacity, per_second
        self._level = min(self._level, capacity)

    def _fill(self, now: float) -> None:
        self._level, self._at = self.level(now), now


class Budget:
    """The requests and changes of one account that this process may use."""

    def __init__(
        self, clock: Clock, share: float, limits: AccountLimits, using: AbstractContextManager[object] | None = None
    ) -> None:
        """Begin with full buckets; `using` is a lock where several threads pay: held for reckoning alone, never while waiting."""
        now = clock.now()
        self._clock = clock
        self._using = using or nullcontext()
        self._share = share
        self._limits = limits
        self._enactors = 1
        self._slowed = 1.0
        self._slowed_at = now
        self._requests = Bucket(*self._requests_size(1.0), now)
        self._changes = Bucket(*self._changes_size(1.0, limits.changes), now) if limits.changes else None

    def _requests_size(self, pace: float) -> tuple[float, float]:
        """Return what the bucket of requests holds and gets a second: the operator's few are the account's, kept once."""
        spare = self._share * self._limits.requests - OPERATOR_REQUESTS
        part = pace / self._enactors
        return max(1.0, spare * part), self._share * self._limits.requests_per_second * part

    def _changes_size(self, pace: float, changes: float) -> tuple[float, float]:
        part = self._share * pace / self._enactors
        return max(1.0, part * changes), part * self._limits.changes_per_second

    def divide(self, enactors: int) -> None:
        """Use an equal part of the fleet's share, beside so many enactors that live, this one among them."""
        with self._using:
            self._enactors = max(1, enactors)
            self._fit(self._clock.now())

    def slow_down(self) -> None:
        """Halve the pace, because Route 53 throttled: it comes back by itself, a little every second."""
        with self._using:
            now = self._clock.now()
            if self._slowed < 1.0 and now - self._slowed_at < SLOWED_APART_SECONDS:
                return
            self._slowed = max(SLOWEST, self._pace(now) / 2)
            self._slowed_at = now
            self._fit(now)

    def level(self) -> Level:
        """Return how full the buckets are now. To look changes nothing."""
        with self._using:
            now = self._clock.now()
            pace = self._pace(now)
            capacity, per_second = self._requests_size(pace)
            changes = self._changes_size(pace, self._limits.changes)[0] if self._limits.changes else None
            return Level(
                requests=min(capacity, self._requests.level(now)),
                requests_capacity=capacity,
                requests_per_second=per_second,
                changes=min(changes, self._changes.level(now)) if changes is not None and self._changes else None,
                changes_capacity=changes,
                pace=pace,
            )

    def _pace(self, now: float) -> float:
        return min(1.0, self._slowed + max(0.0, now - self._slowed_at) / SLOWED_SECONDS)

    def _fit(self, now: float) -> None:
        """Give the buckets the size that the number of enactors and the pace make."""
        pace = self._pace(now)
        if pace == 1.0:
            self._slowed = 1.0
        self._requests.resize(*self._requests_size(pace), now)
        if self._changes is not None and self._limits.changes:
            self._changes.resize(*self._changes_size(pace, self._limits.changes), now)

    def wait_for_changes(self, changes: int) -> float:
        """Wait until this many changes may go, take nothing, and return the seconds that have gone by."""
        began = self._clock.now()
        self._wait(requests=0, changes=changes, take=False)
        return self._clock.now() - began

    def spend(self, *, changes: int = 0) -> float:
        """Wait until one request with this many changes may go, take its tokens, and return the seconds waited."""
        return self._wait(requests=1, changes=changes, take=True)

    def give_back(self, changes: int) -> None:
        """Return the change tokens of a call that Route 53 refused: a refused call takes none of the account's."""
        if self._changes is not None:
            with self._using:
                self._changes.take(-changes, self._clock.now())

    def _wait(self, *, requests: int, changes: int, take: bool) -> float:
        """Wait for tokens and take them in one step; return the seconds waited."""
        waited, before = 0.0, math.inf
        while True:  # ends: the debt of one call is bounded by its size, and each wait pays some of it off
            with self._using:
                now = self._clock.now()
                self._fit(now)
                wait = self._lacking(requests, changes, now)
                if wait <= 0 or wait >= before:  # the clock may not move
                    if take:
                        self._take(requests, changes, now)
                    return waited
            step, before = min(wait, WAIT_LIMIT_SECONDS), wait
            self._clock.sleep(step)
            waited += step

    def _lacking(self, requests: int, changes: int, now: float) -> float:
        """Return the seconds until the tokens are there."""
        wait = self._requests.wait_seconds(requests, now) if requests else 0.0
        if self._changes is not None and changes:
            wait = max(wait, self._changes.wait_seconds(changes, now))
        return wait

    def _take(self, requests: int, changes: int, now: float) -> None:
        self._requests.take(requests, now)
        if self._changes is not None and changes:
            self._changes.take(changes, now)

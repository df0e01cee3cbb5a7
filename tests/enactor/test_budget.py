"""When a call may go: two buckets at a share of the account, debt for what is dearer than a bucket, a few requests left over."""

import sys
import threading

import pytest

from enactor.budget import GOVCLOUD, OPERATOR_REQUESTS, WAIT_LIMIT_SECONDS, AccountLimits, Bucket, Budget

from .kernel_builders import SteppedClock

ACCOUNT = AccountLimits()


def seconds_for(requests: int, share: float, *, changes: int = 0, limits: AccountLimits = ACCOUNT) -> float:
    """Return how long so many calls in a row take."""
    clock = SteppedClock()
    budget = Budget(clock, share, limits)
    for _ in range(requests):
        budget.spend(changes=changes)
    return clock.seconds


def test_a_bucket_starts_full_and_refills_at_its_rate_and_never_over() -> None:
    """Ten tokens at two a second: a hundred seconds of rest are still ten tokens."""
    bucket = Bucket(10, 2, now=0)
    bucket.take(10, now=0)
    assert bucket.wait_seconds(1, now=0) == 0.5
    assert bucket.wait_seconds(10, now=0) == 5.0
    assert bucket.wait_seconds(10, now=100) == 0
    bucket.take(10, now=100)
    assert bucket.wait_seconds(1, now=100) == 0.5


def test_a_call_dearer_than_the_bucket_goes_when_it_is_full_and_leaves_a_debt() -> None:
    """Nothing is ever too large to be sent at all, and what it took too much is waited for afterwards."""
    bucket = Bucket(10, 2, now=0)
    assert bucket.wait_seconds(25, now=0) == 0
    bucket.take(25, now=0)
    assert bucket.wait_seconds(1, now=0) == 8.0
    assert bucket.wait_seconds(25, now=0) == 12.5


def test_a_clock_that_goes_back_gives_and_takes_no_tokens() -> None:
    """A monotonic clock does not, but a budget must not depend on it."""
    bucket = Bucket(10, 2, now=100)
    bucket.take(10, now=100)
    assert bucket.wait_seconds(1, now=50) == 0.5


def test_case_34_calls_stay_within_the_share_from_the_first_second() -> None:
    """Case 34: of half of 50 requests, three are the operator's: 22 go at once, and every further one takes 0.2 s."""
    burst = int(0.5 * ACCOUNT.requests - OPERATOR_REQUESTS)
    assert burst == 22
    assert seconds_for(burst, 0.5) == 0
    assert seconds_for(burst + 10, 0.5) == pytest.approx(2.0)


@pytest.mark.parametrize("enactors", [1, 2, 3, 14])
def test_case_34_enactors_that_divide_the_account_stay_within_it_together(enactors: int) -> None:
    """Case 34: fourteen that start together use no more than the account has, in the first second and in the first minute."""
    clock = SteppedClock()
    budget = Budget(clock, 1 / enactors, ACCOUNT)
    sent: list[float] = []
    while clock.now() <= 60:
        budget.spend()
        sent.append(clock.now())
    for second in (1, 60):
        used = enactors * sum(1 for at in sent if at < second)
        assert used <= ACCOUNT.requests + ACCOUNT.requests_per_second * second


def test_changes_have_a_bucket_of_their_own() -> None:
    """Half of 1,500 changes at once, then 50 a second; a read takes no change."""
    assert seconds_for(3, 0.5, changes=250) == 0
    assert seconds_for(4, 0.5, changes=250) == pytest.approx(5.0)
    assert seconds_for(20, 0.5) == 0


def test_a_refused_call_gives_its_changes_back() -> None:
    """Route 53 takes no change tokens for a call it refuses, so neither do we; the request is spent."""
    clock = SteppedClock()
    budget = Budget(clock, 0.5, ACCOUNT)
    for _ in range(10):
        budget.spend(changes=750)
        budget.give_back(750)
    assert clock.seconds == 0
    for _ in range(12):
        budget.spend()
    assert clock.seconds == 0
    assert budget.spend() == pytest.approx(0.2)


def test_govcloud_has_no_bucket_of_changes() -> None:
    """40 requests and 5 a second there, and changes are not counted."""
    assert seconds_for(17, 0.5, changes=1_000, limits=GOVCLOUD) == 0
    assert seconds_for(18, 0.5, changes=1_000, limits=GOVCLOUD) == pytest.approx(0.4)


def test_a_tiny_share_still_lets_one_call_through() -> None:
    """A hundredth of 50 requests, less the operator's three, is none; the enactor is slow then, and not stuck."""
    assert seconds_for(1, 0.01) == 0
    assert seconds_for(2, 0.01) == pytest.approx(10.0)


@pytest.mark.parametrize("share", [0.5, 0.05, 0.01])
@pytest.mark.parametrize("changes", [200, 400])
def test_the_long_run_rate_is_the_share_however_small(share: float, changes: int) -> None:
    """Promise 6: batch after batch, no more changes go than the share refills, beside the bucket and one batch of debt."""
    clock = SteppedClock()
    budget = Budget(clock, share, ACCOUNT)
    for count in range(1, 31):
        budget.spend(changes=changes)
        refilled = share * (ACCOUNT.changes_per_second * clock.seconds + (ACCOUNT.changes or 0))
        assert (count - 1) * changes <= refilled + 1e-6


def test_no_single_wait_is_longer_than_a_minute() -> None:
    """Whoever waits can be asked to stop; the seconds waited are told."""
    clock = SteppedClock()
    budget = Budget(clock, 0.01, ACCOUNT)
    budget.spend(changes=100)
    waited = budget.spend(changes=1)
    assert waited == pytest.approx(86.0)
    assert max(clock.waits) == WAIT_LIMIT_SECONDS
    assert waited == sum(clock.waits)


def test_changes_that_were_waited_for_are_there_for_the_next_call() -> None:
    """Waiting takes none: who decides again after a long wait finds the bucket full, also for what is dearer than the bucket."""
    clock = SteppedClock()
    budget = Budget(clock, 0.01, ACCOUNT)
    assert budget.wait_for_changes(400) == 0
    budget.spend(changes=400)
    assert budget.wait_for_changes(400) == pytest.approx(400.0)
    assert budget.wait_for_changes(1_000) == 0
    assert budget.spend(changes=400) == 0


def test_where_changes_are_not_counted_nothing_is_waited_for() -> None:
    """GovCloud counts requests alone, and a call without changes takes none; a request's own token is another matter."""
    clock = SteppedClock()
    budget = Budget(clock, 0.01, GOVCLOUD)
    budget.spend(changes=1_000)
    assert budget.wait_for_changes(1_000) == 0
    budget = Budget(clock, 0.01, ACCOUNT)
    budget.spend(changes=400)
    assert budget.wait_for_changes(0) == 0


class StuckClock(SteppedClock):
    """A clock that waits and does not move."""

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        assert len(self.waits) < 100, "it waits for a clock that does not move"


def test_a_clock_that_does_not_move_is_not_waited_for() -> None:
    """After one wait the call goes: what is held up is an answer to clients."""
    clock = StuckClock()
    budget = Budget(clock, 0.01, ACCOUNT)
    assert budget.spend() == 0
    assert budget.spend() > 0
    assert len(clock.waits) == 1
    budget.spend(changes=400)
    assert budget.wait_for_changes(400) == 0, "no decision is too old where no time goes by"


def test_a_call_without_changes_takes_none() -> None:
    """Reads cost requests alone, also where the changes are spent."""
    limits = AccountLimits(requests=1_000.0, requests_per_second=1_000.0, changes=10.0, changes_per_second=0.001)
    clock = SteppedClock()
    budget = Budget(clock, 1.0, limits)
    for _ in range(50):
        assert budget.spend() == 0
    assert budget.spend(changes=10) == 0
    assert budget.spend() == 0


def test_the_smallest_bucket_of_changes_holds_one() -> None:
    """Two single changes in a row: the second waits for its token."""
    limits = AccountLimits(requests=1_000.0, changes=10.0, changes_per_second=10.0)
    clock = SteppedClock()
    budget = Budget(clock, 0.01, limits)
    budget.spend(changes=1)
    assert budget.spend(changes=1) > 0


@pytest.mark.parametrize(("capacity", "per_second"), [(0, 1), (1, 0)])
def test_a_bucket_that_lets_nothing_through_is_our_own_mistake(capacity: float, per_second: float) -> None:
    """Settings are judged before; nobody may wait for ever."""
    with pytest.raises(AssertionError, match="lets nothing through"):
        Bucket(capacity, per_second, now=0)


def test_enactors_that_know_of_each_other_divide_the_share_and_the_operators_requests_are_kept_once() -> None:
    """Half of 50 less three is 22: seven for each of three, and all of it again for the one that is left."""
    clock = SteppedClock()
    budget = Budget(clock, 0.5, ACCOUNT)
    budget.divide(3)
    level = budget.level()
    assert (level.requests, level.requests_capacity) == pytest.approx((22 / 3, 22 / 3))
    assert level.requests_per_second == pytest.approx(5 / 3)
    assert (level.changes, level.changes_capacity) == pytest.approx((250, 250))
    for _ in range(7):
        assert budget.spend() == 0
    assert budget.spend() == pytest.approx(0.4)
    budget.divide(1)
    level = budget.level()
    assert level.requests_capacity == 22
    assert level.requests < 1, "a share that grows brings no tokens at once"
    assert level.requests_per_second == 5
    budget.divide(0)
    assert budget.level().requests_capacity == 22


def test_throttling_halves_the_pace_and_it_comes_back_by_itself() -> None:
    """Somebody else in the account needs what it has. Several throttled calls in a row are one sign; a quarter is the least."""
    clock = SteppedClock()
    budget = Budget(clock, 0.5, ACCOUNT)
    budget.slow_down()
    budget.slow_down()
    level = budget.level()
    assert (level.pace, level.requests_capacity, level.requests_per_second) == (0.5, 11, 2.5)
    assert (level.changes_capacity, level.requests) == (375, 11)
    clock.seconds += 6
    assert budget.level().pace == pytest.approx(0.55)
    budget.slow_down()
    assert budget.level().pace == pytest.approx(0.275)
    for _ in range(5):
        clock.seconds += 5
        budget.slow_down()
    assert budget.level().pace == 0.25
    clock.seconds += 45
    assert budget.level().pace == pytest.approx(0.625)
    clock.seconds += 45
    level = budget.level()
    assert (level.pace, level.requests_capacity) == (1, 22)
    assert level.requests == pytest.approx(5.5), "a pace that grows brings no tokens at once"
    budget.spend()
    clock.seconds += 2
    assert budget.level().requests == pytest.approx(5.5 - 1 + 10)


def test_who_waits_for_tokens_gets_faster_while_the_pace_comes_back() -> None:
    """A wait is measured anew each minute at most, so what was slow at its beginning is not slow to its end."""
    clock = SteppedClock()
    budget = Budget(clock, 0.01, ACCOUNT)
    budget.slow_down()
    budget.spend(changes=400)
    waited = budget.spend(changes=1)
    assert 390 < waited < 2 * 390
    assert budget.level().pace == 1


def test_in_govcloud_only_requests_have_a_level() -> None:
    """And they slow down like anywhere."""
    budget = Budget(SteppedClock(), 0.5, GOVCLOUD)
    budget.divide(2)
    budget.slow_down()
    level = budget.level()
    assert (level.changes, level.changes_capacity, level.requests_capacity) == (None, None, 17 / 4)


def test_to_look_changes_nothing() -> None:
    """A port is asked by anybody at any time: how often must not matter to who pays."""
    clock = SteppedClock()
    seen, unseen = (Budget(clock, 0.5, ACCOUNT) for _ in range(2))
    for budget in (seen, unseen):
        budget.spend(changes=500)
        budget.slow_down()
    for _ in range(100):
        clock.seconds += 1.5
        seen.level()
    assert seen.level() == unseen.level()
    assert seen.spend(changes=700) == unseen.spend(changes=700)


def test_threads_that_pay_out_of_one_budget_pay_every_token() -> None:
    """Cycles and a collection do. A token that one of them takes while the other reckons is not forgotten."""
    clock = SteppedClock()
    budget = Budget(clock, 1.0, AccountLimits(requests=100_003.0, changes=100_000.0), threading.Lock())
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=lambda: [budget.spend(changes=1) for _ in range(5_000)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    level = budget.level()
    assert (level.requests, level.changes) == (80_000, 80_000)

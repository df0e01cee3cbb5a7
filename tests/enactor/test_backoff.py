"""How long what failed waits: growing delays with jitter, for as long as its own content is the one that failed."""

import pytest

from enactor.backoff import CONTESTED_WINDOW_SECONDS, DELAY_MAX_SECONDS, FIRST_DELAY_SECONDS, Backoff

KEY = ("Z1", "ep33.example.test.")
OTHER = ("Z2", "ep33.example.test.")


def until(backoff: Backoff, digest: str = "a") -> float:
    wait = backoff.waiting(KEY, digest, now=0.0)
    assert wait is not None
    return wait.until


def test_case_23_the_delay_doubles_up_to_a_limit() -> None:
    """Case 23: the endpoint that Route 53 rejects waits 10, 20, 40 ... at most 600 seconds."""
    backoff, delays = Backoff(), []
    for _ in range(9):
        backoff.failed(KEY, "a", "rejected", now=0.0, jitter=1.0)
        delays.append(until(backoff))
    assert delays == [10, 20, 40, 80, 160, 320, 600, 600, 600]
    assert (delays[0], delays[-1]) == (FIRST_DELAY_SECONDS, DELAY_MAX_SECONDS)


@pytest.mark.parametrize(("jitter", "seconds"), [(0.0, 5.0), (0.5, 7.5), (1.0, 10.0)])
def test_jitter_takes_at_most_half(jitter: float, seconds: float) -> None:
    """Three enactors that failed together do not try again together."""
    backoff = Backoff()
    backoff.failed(KEY, "a", "rejected", now=100.0, jitter=jitter)
    assert until(backoff) == 100.0 + seconds


def test_what_failed_waits_until_the_instant_and_not_longer() -> None:
    """At the instant itself it is tried again; the reason and the number of tries are told."""
    backoff = Backoff()
    backoff.failed(KEY, "a", "rejected", now=0.0, jitter=1.0)
    wait = backoff.waiting(KEY, "a", 9.9)
    assert wait is not None
    assert (wait.why, wait.attempts) == ("rejected", 1)
    assert backoff.waiting(KEY, "a", 10.0) is None


def test_other_content_does_not_wait_and_starts_anew() -> None:
    """A content that was repaired in the plan is tried at once, with the first delay if it fails too."""
    backoff = Backoff()
    for _ in range(5):
        backoff.failed(KEY, "a", "rejected", now=0.0, jitter=1.0)
    assert backoff.waiting(KEY, "b", 0.0) is None
    backoff.failed(KEY, "b", "rejected", now=0.0, jitter=1.0)
    assert until(backoff, "b") == FIRST_DELAY_SECONDS
    assert backoff.waiting(KEY, "a", 0.0) is None


def test_case_33_the_same_name_in_another_zone_waits_by_itself() -> None:
    """Case 33: state is kept by zone id."""
    backoff = Backoff()
    backoff.failed(KEY, "a", "rejected", now=0.0, jitter=1.0)
    assert backoff.waiting(OTHER, "a", 0.0) is None


def test_success_forgets_the_failures() -> None:
    """The next failure starts with the first delay."""
    backoff = Backoff()
    for _ in range(5):
        backoff.failed(KEY, "a", "rejected", now=0.0, jitter=1.0)
    backoff.succeeded(KEY)
    assert backoff.waiting(KEY, "a", 0.0) is None
    backoff.failed(KEY, "a", "rejected", now=0.0, jitter=1.0)
    assert until(backoff) == FIRST_DELAY_SECONDS
    backoff.succeeded(OTHER)


def test_who_is_listed_no_more_is_forgotten() -> None:
    """Work waiting is at most one item for each endpoint that there is."""
    backoff = Backoff()
    for key in (KEY, OTHER):
        backoff.failed(key, "a", "rejected", now=0.0, jitter=1.0)
    backoff.keep_only(frozenset({OTHER}), frozenset({KEY[0], OTHER[0]}))
    assert backoff.waiting(KEY, "a", 0.0) is None
    assert backoff.waiting(OTHER, "a", 0.0) is not None


def test_an_endpoint_that_fails_for_weeks_is_still_only_delayed() -> None:
    """Promise 5: two thousand failures of one content are a delay of ten minutes, not the end of the process."""
    backoff = Backoff()
    for _ in range(2_000):
        backoff.failed(KEY, "a", "rejected", now=0.0, jitter=1.0)
    assert until(backoff) == DELAY_MAX_SECONDS


def repair(backoff: Backoff, now: float, *, urgent: bool = False) -> bool:
    """Repair the endpoint if nothing keeps it back; tell whether it was repaired."""
    if backoff.waiting(KEY, "a", now) is not None:
        return False
    backoff.repaired(KEY, "a", now=now, jitter=1.0, urgent=urgent)
    return True


def test_the_third_repair_within_a_quarter_of_an_hour_makes_an_endpoint_contested() -> None:
    """Two are an accident, and three over a longer time as well."""
    backoff = Backoff()
    assert repair(backoff, 0.0)
    assert repair(backoff, 400.0)
    assert backoff.waiting(KEY, "a", 400.0) is None
    assert repair(backoff, 901.0), "the first is too long ago"
    assert backoff.waiting(KEY, "a", 901.0) is None
    assert repair(backoff, 1000.0)
    wait = backoff.waiting(KEY, "a", 1000.0)
    assert wait is not None
    assert wait.is_contested
    assert "3 times within 15 minutes" in wait.why


@pytest.mark.parametrize(("urgent", "most"), [(False, 16), (True, 66)])
def test_a_tool_that_rewrites_an_endpoint_every_minute_costs_a_bounded_number_of_repairs_an_hour(
    urgent: bool, most: int
) -> None:
    """Delays grow to ten minutes; what answers nobody waits a minute at most. Without it there would be 60 and more."""
    backoff = Backoff()
    repairs = [second for second in range(0, 3600, 10) if repair(backoff, float(second), urgent=urgent)]
    assert 5 < len(repairs) <= most
    later = [second for second in range(3600, 7200, 10) if repair(backoff, float(second), urgent=urgent)]
    assert len(later) <= (6 if not urgent else 60), "it goes on as long as the other goes on"


def test_after_a_quiet_time_it_is_no_longer_contested() -> None:
    """A window after the last wait has ended."""
    backoff = Backoff()
    for second in (0.0, 60.0, 120.0):
        repair(backoff, second)
    assert repair(backoff, 120.0 + FIRST_DELAY_SECONDS + 901.0)
    assert backoff.waiting(KEY, "a", 1040.0) is None


def test_other_content_goes_at_once_to_a_contested_endpoint() -> None:
    """The contest is about what stands there; a new plan is another matter."""
    backoff = Backoff()
    for second in (0.0, 60.0, 120.0):
        repair(backoff, second)
    assert backoff.waiting(KEY, "b", 120.0) is None
    backoff.keep_only(frozenset(), frozenset({KEY[0]}))
    assert repair(backoff, 121.0)
    assert backoff.waiting(KEY, "a", 121.0) is None


def test_each_further_repair_of_a_contested_endpoint_waits_twice_as_long() -> None:
    """From the third on 10, 20, 40 ... up to ten minutes; an endpoint that answers nobody at most one."""
    for urgent, delays in ((False, [10, 20, 40, 80, 160, 320, 600, 600]), (True, [10, 20, 40, 60, 60, 60, 60, 60])):
        backoff, now, found = Backoff(), 0.0, []
        for count in range(10):
            backoff.repaired(KEY, "a", now=now, jitter=1.0, **({"urgent": True} if urgent else {}))
            wait = backoff.waiting(KEY, "a", now)
            assert (wait is None) is (count < 2)
            if wait is not None:
                found.append(wait.until - now)
                assert (wait.is_contested, wait.attempts) == (True, count - 1)
                now = wait.until
        assert found == delays


def test_the_window_of_repairs_and_of_quiet_is_a_quarter_of_an_hour() -> None:
    """To its last second: three repairs within it make an endpoint contested, and a fourth within it after the wait goes on."""
    for span, contested in ((CONTESTED_WINDOW_SECONDS, True), (CONTESTED_WINDOW_SECONDS + 1, False)):
        backoff = Backoff()
        for now in (0.0, 1.0, span):
            backoff.repaired(KEY, "a", now=now, jitter=1.0)
        wait = backoff.waiting(KEY, "a", span)
        assert (wait is not None) is contested
    for quiet, level in ((CONTESTED_WINDOW_SECONDS, 2), (CONTESTED_WINDOW_SECONDS + 1, None)):
        backoff = Backoff()
        for now in (0.0, 1.0, 2.0, 12.0 + quiet):
            backoff.repaired(KEY, "a", now=now, jitter=1.0)
        wait = backoff.waiting(KEY, "a", 12.0 + quiet)
        assert (wait and wait.attempts) == level


def test_what_was_put_in_place_once_is_remembered_until_nobody_lists_it() -> None:
    """To put it there again is a repair; the first time is none, and it is none of another zone's."""
    backoff = Backoff()
    assert not backoff.was_written(KEY)
    backoff.succeeded(KEY)
    assert backoff.was_written(KEY)
    assert not backoff.was_written(OTHER)
    backoff.keep_only(frozenset({KEY, OTHER}), frozenset({KEY[0], OTHER[0]}))
    assert (backoff.was_written(KEY), backoff.was_written(OTHER)) == (True, False)
    backoff.keep_only(frozenset({OTHER}), frozenset({KEY[0], OTHER[0]}))
    assert not backoff.was_written(KEY)


def test_what_answers_nobody_by_now_waits_a_minute_at_most_whatever_it_waits_for() -> None:
    """It was contested, or rejected, while it answered; then it was wiped."""
    backoff = Backoff()
    for second in range(0, 3000, 10):
        repair(backoff, float(second))
    assert backoff.waiting(KEY, "a", 3000.0) is not None
    last = max(second for second in range(0, 3000, 10) if second <= 3000)
    assert backoff.waiting(KEY, "a", last + 70.0, urgent=True) is None


def test_a_zone_that_could_not_be_read_keeps_its_waits() -> None:
    """Nobody knows what is listed there."""
    backoff = Backoff()
    backoff.failed(KEY, "a", "rejected", now=0.0, jitter=1.0)
    backoff.keep_only(frozenset(), frozenset({OTHER[0]}))
    assert backoff.waiting(KEY, "a", 0.0) is not None


def test_what_answers_nobody_by_now_waits_a_minute_from_its_failure_at_most() -> None:
    """It was not urgent when it failed; it is by now."""
    backoff = Backoff()
    for _ in range(6):
        backoff.failed(KEY, "a", "rejected", now=100.0, jitter=1.0)
    assert backoff.waiting(KEY, "a", 400.0) is not None
    assert backoff.waiting(KEY, "a", 159.0, urgent=True) is not None
    assert backoff.waiting(KEY, "a", 160.0, urgent=True) is None


def test_repairs_are_forgotten_with_their_endpoint_in_the_zones_that_were_read() -> None:
    """Of a zone that could not be read nobody knows: what was contested there is so still."""
    for keys, zones, contested in (({KEY}, {"Z1"}, True), (set(), {"Z1"}, False), (set(), {"Z2"}, True)):
        backoff = Backoff()
        for now in (0.0, 1.0):
            backoff.repaired(KEY, "a", now=now, jitter=1.0)
        backoff.keep_only(frozenset(keys), frozenset(zones))
        backoff.repaired(KEY, "a", now=2.0, jitter=1.0)
        assert (backoff.waiting(KEY, "a", 2.0) is not None) is contested

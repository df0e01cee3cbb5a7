"""Between cycles: the account's share is divided among who lives, what is due is done, and what fails there ends nothing."""

from datetime import UTC, datetime

import pytest

from enactor.chores import ALIVE_SECONDS, DIVIDED_MAX, ENACTORS_SUPPOSED, Chore, Sharing, alive, do_chores
from enactor.ports import Announcement, OutsideError, Stopping, Unavailable
from enactor.report import EnactorSeen

from .kernel_builders import SteppedClock


class ChoreClock(SteppedClock):
    """A clock where a look for a stop is no wait."""

    def sleep(self, seconds: float) -> None:
        assert seconds == 0


NOW = datetime(2026, 6, 1, 12, 0, 0, 500, tzinfo=UTC)


def said(name: str, seconds_ago: float, nonce: str = "0" * 16) -> Announcement:
    seen = datetime.fromtimestamp(NOW.timestamp() - seconds_ago, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Announcement(name, nonce, 7, seen)


class Shares:
    """Whose pace follows."""

    def __init__(self) -> None:
        self.divided: list[int] = []

    def divide(self, enactors: int) -> None:
        self.divided.append(enactors)


def ids(*seen: Announcement, me: str = "a") -> list[str]:
    return [one.id for one in alive(seen, me, NOW)]


def test_whoever_announced_itself_lately_is_alive_and_so_am_i() -> None:
    """Within three minutes; each id once, however often its process was started; nobody's word is needed for myself."""
    assert ids() == ["a"]
    assert ids(said("b", 10), said("c", ALIVE_SECONDS), said("d", ALIVE_SECONDS + 2)) == ["a", "b", "c"]
    assert ids(said("b", 900), said("b", 5, nonce="1" * 16), said("a", 9_000)) == ["a", "b"]
    (own,) = alive((), "a", NOW)
    assert (own.id, own.seen) == ("a", "2026-06-01T12:00:00+00:00")


def test_an_announcement_of_another_version_counts_nobody() -> None:
    """Its time cannot be read, so nobody knows whether it lives; pacing alone rests on it."""
    assert ids(Announcement("b", "0" * 16, 7, "yesterday")) == ["a"]


def test_the_share_follows_who_is_there_and_a_lone_survivor_has_all_of_it() -> None:
    """Three at first, because all may have been restarted at once; then as many as there are."""
    shares = Shares()
    told: list[tuple[EnactorSeen, ...] | None] = []
    line = [said("b", 1), said("c", 1)]
    sharing = Sharing(lambda: line, "a", lambda: NOW, shares, told.append)
    assert shares.divided == [ENACTORS_SUPPOSED]
    sharing()
    line.pop()
    sharing()
    line.pop()
    sharing()
    assert shares.divided == [ENACTORS_SUPPOSED, 3, 2, 1]
    assert [len(one or ()) for one in told] == [3, 2, 1]


def test_a_silent_table_changes_no_share_and_nobody_is_shown_as_alive() -> None:
    """The number that was known last is the best there is; what is shown is what is known."""

    def silent() -> tuple[Announcement, ...]:
        raise Unavailable("the table does not answer")

    shares = Shares()
    told: list[tuple[EnactorSeen, ...] | None] = []
    sharing = Sharing(silent, "a", lambda: NOW, shares, told.append)
    with pytest.raises(OutsideError):
        sharing()
    assert (shares.divided, told) == ([ENACTORS_SUPPOSED], [None])


def test_a_chore_is_done_in_its_own_time() -> None:
    """At the first chance, or so long after it as told; then again after its pause, counted from when it was begun."""
    clock, done = ChoreClock(), []
    chores = [
        Chore(lambda: done.append(("a", clock.seconds)), name="a", every=60),
        Chore(lambda: done.append(("b", clock.seconds)), name="b", every=30, first=45),
    ]
    for _ in range(8):
        do_chores(chores, clock, lambda *_: None)
        clock.seconds += 20
    assert done == [("a", 0), ("a", 60), ("b", 60), ("b", 100), ("a", 120), ("b", 140)]


def test_what_fails_is_told_by_name_and_tried_at_its_next_time() -> None:
    """The chore after it is done all the same."""
    clock, told, done = ChoreClock(), [], []

    def fails() -> None:
        raise Unavailable("no answer")

    chores = [Chore(fails, name="collect", every=60), Chore(lambda: done.append(1), name="b", every=60)]
    for _ in range(3):
        do_chores(chores, clock, lambda name, why: told.append((name, why)))
        clock.seconds += 30
    assert told == [("collect", "no answer")] * 2
    assert done == [1, 1]


def test_a_stop_ends_the_row() -> None:
    """Nothing more is begun, and the stop is nobody's failure."""
    done: list[int] = []

    def stops() -> None:
        raise Stopping("asked to stop")

    chores = [Chore(stops, name="a", every=1), Chore(lambda: done.append(1), name="b", every=1)]
    with pytest.raises(Stopping):
        do_chores(chores, ChoreClock(), lambda *_: None)
    assert done == []


def test_ids_without_number_starve_nobody() -> None:
    """A crash loop where each process has a new host name leaves one id every few seconds, and anybody may write into the table."""
    shares = Shares()
    sharing = Sharing(lambda: [said(f"e{one}", 1) for one in range(10_000)], "a", lambda: NOW, shares, lambda _: None)
    sharing()
    assert shares.divided == [ENACTORS_SUPPOSED, DIVIDED_MAX]

"""Between cycles: the account's share is divided among who lives, what is due is done, and what fails there ends nothing."""

from datetime import UTC, datetime

import msgspec
import pytest

from enactor.chores import ALIVE_SECONDS, DIVIDED_MAX, ENACTORS_SUPPOSED, LOOKS_KEPT, Chore, Sharing, alive, do_chores
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
    odd = Announcement("b", "0" * 16, 7, "yesterday")
    assert ids(odd) == ["a"]
    assert ids(odd, said("b", 5)) == ids(said("b", 5), odd) == ["a", "b"], "and hides no other of its id"
    assert ids(Announcement("b", "0" * 16, 7, "2026-06-01T12:00:00")) == ["a"], "nor what has no zone"


def test_neither_a_cycle_by_hand_nor_who_ended_has_a_part_of_the_share() -> None:
    """Nobody goes on after either; a cycle by hand on my machine is not my word, nor the end of the process before me."""
    by_hand = msgspec.structs.replace(said("b", 1), presence="by-hand")
    ended = msgspec.structs.replace(said("c", 1, nonce="1" * 16), presence="ended")
    assert ids(by_hand, said("c", 30), ended) == ["a"]
    assert ids(by_hand, said("b", 30, nonce="2" * 16)) == ["a", "b"], "it hides no worker of its id"
    mine = msgspec.structs.replace(said("a", 1), presence="ended")
    assert [one.presence for one in alive((mine,), "a", NOW)] == ["works"]
    shares = Shares()
    times = iter(range(9, 0, -1))
    line = [msgspec.structs.replace(by_hand, id="a"), msgspec.structs.replace(ended, id="a")]

    def announced() -> list[Announcement]:
        seconds = next(times)
        return [said("a", seconds), *(msgspec.structs.replace(one, seen=said("a", seconds).seen) for one in line)]

    sharing = Sharing(announced, "a", lambda: NOW, shares, lambda _seen: None)
    for _ in range(LOOKS_KEPT + 1):
        sharing()
    assert shares.divided[-1] == 1


def test_an_announcement_for_later_counts_nobody() -> None:
    """It would count for ever. AWS's clocks differ by seconds."""
    assert ids(said("b", -60)) == ["a", "b"]
    assert ids(said("b", -62)) == ["a"]
    assert ids(said("b", -62), said("b", 9, nonce="1" * 16)) == ["a", "b"]


def test_the_share_follows_who_is_there_and_a_lone_survivor_has_all_of_it() -> None:
    """Three at first, because all may have been restarted at once; then as many as there are, and of those who come at once all."""
    shares = Shares()
    told: list[tuple[EnactorSeen, ...] | None] = []
    line = [said("b", 1), said("c", 1), said("d", 1)]
    sharing = Sharing(lambda: line, "a", lambda: NOW, shares, told.append)
    assert shares.divided == [ENACTORS_SUPPOSED]
    for _ in range(4):
        sharing()
        line.pop() if line else None
    sharing()
    assert shares.divided == [ENACTORS_SUPPOSED, 4, 3, 3, 1, 1]
    assert [len(one or ()) for one in told] == [4, 3, 2, 1, 1]


def test_whoever_looks_first_after_a_start_does_not_take_the_share_of_those_who_start_with_it() -> None:
    """Three new ids that started together: the first to end a cycle sees itself alone, the second two."""
    line: list[Announcement] = []
    parts = []
    for name in ("a", "b", "c"):
        shares = Shares()
        sharing = Sharing(lambda: line, name, lambda: NOW, shares, lambda _: None)
        line.append(said(name, 0))
        sharing()
        parts.append(1 / shares.divided[-1])
    assert sum(parts) == pytest.approx(1.0)


class Settled(Sharing):
    """One whose first looks are over."""

    def __init__(self, line: list[Announcement], shares: Shares) -> None:
        super().__init__(lambda: line, "a", lambda: NOW, shares, lambda _: None)
        for _ in range(LOOKS_KEPT):
            self()
        shares.divided.clear()


def test_processes_that_were_given_one_id_each_use_a_share() -> None:
    """An image with a fixed id is a mistake that a pace must not pay for: who speaks under it is told apart by its nonce."""
    shares = Shares()
    line: list[Announcement] = []
    sharing = Settled(line, shares)
    for second in (3, 2, 1):
        line[:] = [said("a", second, nonce=digit * 16) for digit in "123"]
        sharing()
    assert shares.divided == [1, 3, 3]
    line[:] = [said("a", 0, nonce="1" * 16), *(said("a", 1, nonce=digit * 16) for digit in "23")]
    for _ in range(LOOKS_KEPT):
        sharing()
    assert shares.divided[-LOOKS_KEPT:] == [3, 3, 1]


def test_one_that_is_started_again_and_again_is_one() -> None:
    """Each of its processes announces itself once: with every crash the others would slow down."""
    shares = Shares()
    line = [said("b", 9)]
    sharing = Settled(line, shares)
    for digit in "123456":
        line.append(said("a", 1, nonce=digit * 16))
        sharing()
    assert shares.divided == [2] * 6


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

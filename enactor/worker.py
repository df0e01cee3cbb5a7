"""Run cycles until told to stop: pace, signals, metrics. The loop ends on SIGTERM or SIGINT, between or inside a cycle's waits.

A cycle never dies of what is outside; what is wrong in a cycle is in its report. A batch is either sent whole or not at all:
the stop is seen before the next call. A call that is under way is waited for a few seconds and no longer (enactor/signals.py).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, Protocol

from enactor.chores import Chore, do_chores
from enactor.ports import Chance, OutsideError, Stopping
from enactor.report import CycleReport
from enactor.signals import ended_by_signals

JITTER_SHARE: Final = 0.2
"""Three enactors that started together drift apart by up to a fifth of the pause each time."""
SURVEY_SECONDS_MIN: Final = 30.0
SURVEY_REQUESTS_SHARE: Final = 0.5


class Turning(Protocol):
    """What the loop needs of an enactor."""

    def cycle(self, *, survey_seconds: float = 0.0) -> CycleReport:
        """Do one cycle."""
        ...

    def survey_pages(self) -> int:
        """Return about how many reads one survey of all zones takes."""
        ...


class StoppableClock(Protocol):
    """A clock that a signal can stop."""

    def now(self) -> float:
        """Return monotonic seconds."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait; raise Stopping when asked to stop."""
        ...

    def stop(self) -> None:
        """End every wait from now on."""
        ...

    @property
    def stopping(self) -> bool:
        """Tell whether a stop was asked for."""
        ...


def survey_seconds(pages: int, requests_per_second: float, every: float) -> float:
    """Return the pause between whole surveys that keeps their reads under half the request share."""
    return max(every, min(SURVEY_SECONDS_MIN, every * 3), pages / (requests_per_second * SURVEY_REQUESTS_SHARE))


@contextmanager
def leaving(clock: StoppableClock, leave: Callable[[], None]) -> Iterator[None]:
    """Call `leave` at the end of the block where the clock was stopped; what fails in it is left: nothing rests on a farewell."""
    try:
        yield
    finally:
        if clock.stopping:
            with suppress(OutsideError):
                leave()


def run(
    enactor: Turning,
    clock: StoppableClock,
    chance: Chance,
    *,
    every: float,
    requests_per_second: Callable[[], float],
    ended: Callable[[CycleReport, float], None],
    failed: Callable[[str], None],
    chores: Sequence[Chore] = (),
    chore_failed: Callable[[str, str], None] = lambda _name, _why: None,
    leave: Callable[[], None] = lambda: None,
) -> int:
    """Do cycles with a jittered pause until a signal; return how many were done.

    A cycle comes first, whatever else is due: an endpoint may be waiting for it. `leave` is called once a signal has ended them,
    within the seconds that a signal leaves; after a fault it is not, because whoever died of one has not left.
    """
    done = 0
    with ended_by_signals(clock), leaving(clock, leave):
        while not clock.stopping:
            pause = survey_seconds(enactor.survey_pages(), requests_per_second(), every) if done else 0.0
            started = clock.now()
            try:
                ended(enactor.cycle(survey_seconds=pause), clock.now() - started)
            except Stopping:
                raise
            except OutsideError as error:
                failed(str(error))
            done += 1
            do_chores(chores, clock, chore_failed)
            clock.sleep(every * (1 + JITTER_SHARE * chance.uniform(-1.0, 1.0)))
    return done

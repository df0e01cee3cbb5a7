"""End a long-lived loop on SIGTERM or SIGINT within ten seconds, whatever it waits for.

Who waits for its time ends at once. A call that is under way gets STOP_SECONDS for its answer, so that a batch that is sent is also
heard of, and is then left: what it asks for is done whole or not at all, whether somebody waits for the answer or not, and whoever
works next looks before it writes. It is what kill -9 would leave, a little tidier.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, Protocol

from enactor.ports import Stopping

STOP_SECONDS: Final = 5.0
"""How long a call that is under way may go on once the process was asked to stop; ten seconds are promised for all of it."""
AGAIN_SECONDS: Final = 1.0
"""The cut is repeated as often: raised inside a destructor or a callback of C, an exception is lost."""


class Stoppable(Protocol):
    """A clock whose waits end once it is stopped."""

    def stop(self) -> None:
        """End every wait from now on."""
        ...

    @property
    def stopping(self) -> bool:
        """Tell whether a stop was asked for."""
        ...


class _CutShort(BaseException):
    """A call that was under way when the process was asked to stop has had its time. Nothing in between may swallow this."""


@contextmanager
def ended_by_signals(clock: Stoppable) -> Iterator[None]:
    """Stop the clock on SIGTERM or SIGINT; leave the block quietly on Stopping, or when a call under way has had its time."""
    is_over = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        if not clock.stopping:  # the seconds count from the first signal, however many follow
            clock.stop()
            signal.setitimer(signal.ITIMER_REAL, STOP_SECONDS, AGAIN_SECONDS)

    def cut(_number: int, _frame: FrameType | None) -> None:
        if not is_over:
            raise _CutShort

    handlers = {signal.SIGALRM: cut, signal.SIGTERM: stop, signal.SIGINT: stop}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        try:
            yield
        finally:
            is_over = True
    except (Stopping, _CutShort):
        pass  # asked to stop: the way such a loop ends
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)

"""Who listens can hurt nobody but itself: an exception of a hook is told once of its kind, and ends no cycle."""

import pytest

from enactor.hooks import Event, Noticed, surely
from enactor.ports import Stopping

EVENT = Noticed(event="trouble", facts={})


def test_a_listener_that_fails_is_told_of_once_and_hears_on() -> None:
    """Each kind of fault once: with every cycle anew would be a log of nothing else."""
    heard: list[Event] = []
    told: list[str] = []
    errors = iter([KeyError("a"), KeyError("b"), ValueError("c"), None])

    def hook(event: Event) -> None:
        heard.append(event)
        if (error := next(errors)) is not None:
            raise error

    sure = surely(hook, lambda error: told.append(repr(error)))
    for _ in range(4):
        sure(EVENT)
    assert told == ["KeyError('a')", "ValueError('c')"]
    assert heard == [EVENT] * 4


def test_a_stop_goes_through() -> None:
    """It is how a process ends, and no fault."""

    def hook(_event: Event) -> None:
        raise Stopping("asked to stop")

    with pytest.raises(Stopping):
        surely(hook, lambda _: None)(EVENT)

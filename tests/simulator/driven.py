"""Drive a story by hand, actor by actor: for what random runs meet too rarely, and what must be shown to happen."""

from typing import Final

from .ops import Op
from .stage import NO_FAULT, Stage, Step

STEPS_MAX: Final = 200
"""No actor of a story that is driven asks for more."""


class Driven:
    """A run of a story: its state, its steps, and what they broke."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.state = stage.first
        self.steps: list[Step] = []
        self.broken: list[str] = []

    def take(self, actor: str, fault: str = NO_FAULT) -> None:
        """Let an actor take its turn."""
        self._take(Step(self._index(actor), fault))

    def to(self, actor: str, kind: type[Op]) -> None:
        """Let an actor go on until it has an operation of a kind in hand."""
        for _ in range(STEPS_MAX):
            if isinstance(self.pending(actor), kind):
                return
            self.take(actor)
        raise AssertionError(f"{actor} never came to {kind.__name__}")

    def to_the_end(self, actor: str) -> None:
        """Let an actor do all that it still does."""
        for _ in range(STEPS_MAX):
            if self.pending(actor) is None:
                return
            self.take(actor)
        raise AssertionError(f"{actor} never comes to an end")

    def deliver(self) -> None:
        """Let the first request that is kept on its way arrive."""
        self._take(Step(-1, NO_FAULT, 0))

    def _take(self, step: Step) -> None:
        self.steps.append(step)
        self.state, broken = self.stage.take(self.state, step)
        self.broken += broken

    def _index(self, actor: str) -> int:
        return [one.name for one in self.stage.scenario.actors].index(actor)

    def pending(self, actor: str) -> Op | None:
        """Return what an actor has in hand."""
        position = self.state.positions[self._index(actor)]
        op = self.stage.troupe.pending[position]
        return self.stage.world.ops[op] if op >= 0 else None

"""Run unmodified synchronous code one call at a time: an actor is a function of the answers it has been given.

Each actor runs in a greenlet. At a call to the outside it stops with an operation in hand; given an answer it goes on to the next.
Because nothing else can reach it (time, nonces and jitter are its own, and counted), the answers so far say everything about
where it stands: `Position` is that, remembered in a tree, so that what was once computed is never run again.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

import greenlet
import msgspec

from enactor.brake import Unclear
from enactor.hooks import Hook
from enactor.insist import NotDone
from enactor.outcome import ZonePort
from enactor.ports import OutsideError
from enactor.table import PlanTable

from .claims import Claims
from .clocks import AWS_NOW
from .ops import Op, SdkWait, Sleep
from .probes import Probes


class Answer(msgspec.Struct, frozen=True):
    """What the outside answered: a value, or the error it raised."""

    value: Any = None
    error: Exception | None = None
    jump_seconds: int = 0
    """By how much the clock of the one who is answered jumps meanwhile."""

    def __bool__(self) -> bool:
        return True


class Broken(Exception):  # noqa: N818 - a promise, not an error
    """A promise that broke where only the actor itself can see it: its name, a colon, and how."""


class Ended(msgspec.Struct, frozen=True):
    """An actor that has no more to ask: its result, the error it ended with, or what our own code has broken."""

    result: Any = None
    error: Exception | None = None
    crash: str = ""


class Line:
    """An actor's line to the outside, and its own clock and chance, all counted."""

    def __init__(self, number: int, probes: Probes, ports: "Ports | None" = None) -> None:
        self._number = number
        self._ports = ports
        self.probes = probes
        self.claims = Claims()
        self._nonces = 0
        self._now = 0.0
        self.jumped_seconds = 0
        """How far this actor's clock, and the Date of Route 53's last answer, are from where they would be if none had jumped."""
        self._is_over = False
        self.commands = 0
        """How many command lines a person has given, or how often a planner has looked: an outage that one met is over for the next."""

    def ask(self, op: Op) -> Any:
        """Stop with an operation in hand, and go on with its answer."""
        scheduler = greenlet.getcurrent().parent
        assert scheduler is not None, "actors run under a scheduler"
        if self._is_over:
            raise greenlet.GreenletExit
        try:
            answer: Answer = scheduler.switch(op)
        except greenlet.GreenletExit:
            self._is_over = True  # nobody needs this run any more: what it would tidy up is asked of nobody
            raise
        self._now += answer.jump_seconds
        self.jumped_seconds += answer.jump_seconds
        if answer.error is not None:
            raise answer.error
        return answer.value

    def hang_up(self) -> None:
        """Be gone: whatever is still asked, to tidy up, is asked of nobody."""
        self._is_over = True

    def aws_now(self) -> datetime:
        """Return the Date of Route 53's last answer."""
        return AWS_NOW + timedelta(seconds=self.jumped_seconds)

    def hosted_zones(self, hook: Hook) -> ZonePort:
        """Return the hosted zones as this tier serves them."""
        assert self._ports is not None, "who asks for ports is given some"
        return self._ports.zones(self, hook)

    def plan_table(self) -> PlanTable:
        """Return the plan table as this tier serves it."""
        assert self._ports is not None, "who asks for ports is given some"
        return self._ports.table(self)

    def now(self) -> float:
        """Return the actor's own seconds."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Wait: others may go first."""
        self._now += seconds
        self.ask(Sleep())

    def wait_in_sdk(self, seconds: float) -> None:
        """Wait between two attempts of the SDK."""
        self.let_pass(seconds)
        self.ask(SdkWait())

    def let_pass(self, seconds: float) -> None:
        """Let time go by at a call."""
        self._now += seconds

    def nonce(self) -> str:
        """Return digits that nobody else has."""
        self._nonces += 1
        return f"{self._number:04x}{self._nonces:012x}"

    def uniform(self, low: float, high: float) -> float:
        """Return the middle: jitter changes nothing but time."""
        return (low + high) / 2


class Ports(Protocol):
    """A tier: what stands between the code under test and the operations that it asks for."""

    def zones(self, line: Line, hook: Hook) -> ZonePort:
        """Return hosted zones on a line."""
        ...

    def table(self, line: Line) -> PlanTable:
        """Return the plan table on a line."""
        ...


Body = Callable[[Line], Any]


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who takes part: a name for timelines, a number for nonces, and what it does."""

    name: str
    number: int
    body: Body
    is_person: bool = False
    """A person may do what no promise speaks of."""


class Troupe:
    """The actors of a scenario and every position they were ever in.

    Positions are numbers: `pending[position]` is the operation in hand or how the actor ended.
    """

    def __init__(
        self,
        actors: Sequence[Actor],
        intern_op: Callable[[Op], int],
        answers: Sequence[Answer],
        probes: Probes | None = None,
        ports: Ports | None = None,
    ) -> None:
        self.actors = tuple(actors)
        self._probes = probes or Probes()
        self._ports = ports
        self.pending: list[int] = []
        """The number of the operation in hand, or -1 where the actor has ended."""
        self.ends: dict[int, Ended] = {}
        self._intern_op = intern_op
        self._answers = answers
        self._parents: list[tuple[int, int]] = []
        self._children: dict[tuple[int, int], int] = {}
        self._owner: list[int] = []
        self._live: dict[int, tuple[int, greenlet.greenlet]] = {}
        self.starts = 0
        self.starts_of = tuple(self._root(index) for index in range(len(actors)))

    def advance(self, position: int, answer: int) -> int:
        """Return the position after an answer."""
        child = self._children.get((position, answer))
        if child is not None:
            return child
        actor = self._owner[position]
        live = self._live.pop(actor, None)
        runner = live[1] if live is not None and live[0] == position else self._again(position)
        return self._placed(actor, position, answer, runner, runner.switch(self._answers[answer]))

    def end(self, position: int) -> Ended:
        """Return how an actor ended."""
        return self.ends[position]

    def _root(self, actor: int) -> int:
        runner = self._fresh(actor)
        return self._placed(actor, -1, actor, runner, runner.switch())

    def _fresh(self, actor: int) -> greenlet.greenlet:
        self.starts += 1
        part = self.actors[actor]
        return greenlet.greenlet(lambda: _run(part, Line(part.number, self._probes, self._ports)))

    def _again(self, position: int) -> greenlet.greenlet:
        """Bring a fresh run of the same code to a position, by the answers it was given."""
        runner = self._fresh(self._owner[position])
        runner.switch()
        for answer in self._path(position):
            runner.switch(self._answers[answer])
        return runner

    def _path(self, position: int) -> Iterator[int]:
        found: list[int] = []
        while self._parents[position][0] >= 0:
            position, answer = self._parents[position]
            found.append(answer)
        return reversed(found)

    def _placed(self, actor: int, parent: int, answer: int, runner: greenlet.greenlet, got: Op | Ended) -> int:
        position = len(self.pending)
        self._parents.append((parent, answer))
        self._owner.append(actor)
        self._children[parent, answer] = position
        if isinstance(got, Ended):
            self.pending.append(-1)
            self.ends[position] = got
        else:
            self.pending.append(self._intern_op(got))
            self._live[actor] = (position, runner)
        return position


def _run(actor: Actor, line: Line) -> Ended:
    try:
        return Ended(result=actor.body(line))
    except (OutsideError, NotDone, Unclear) as error:
        return Ended(error=error)
    except Broken as broken:
        return Ended(crash=str(broken))
    except Exception as error:  # noqa: BLE001 - a fault in the code under test is what the simulator looks for
        return Ended(crash=f"a fault of ours: {type(error).__name__}: {error}")

"""Decide which call meets which fault, and keep the requests that are held. Knows nothing of HTTP or zones.

A held request waits outside every lock: that is what makes it the delayed writer of October 2025.
"""

import itertools
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

Service = Literal["route53", "dynamodb", "s3", "sts", "elasticloadbalancing"]
Action = Literal[
    "throttle",
    "busy",
    "error-before",
    "error-after",
    "timeout-before",
    "timeout-after",
    "hold",
    "deny",
    "disconnect",
    "reject",
]
RELEASE_WAIT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Call:
    """What a fault can be aimed at: one request, before it is evaluated."""

    service: str
    operation: str
    zone: str | None = None
    names: frozenset[str] = frozenset()
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRule:
    """Which calls go wrong, and how.

    `names`: a batch that touches any of these record names. `contains`: the request's text holds this. `count`: how
    many calls it hits, None until removed. `skip`: how many matching calls pass first. `seconds`: how long a hold or a
    time-out lasts; a hold without it lasts until released. `code`, `message`, `status` replace the usual answer.
    """

    action: Action
    service: Service = "route53"
    operation: str | None = None
    zone: str | None = None
    names: tuple[str, ...] | None = None
    contains: str | None = None
    count: int | None = 1
    skip: int = 0
    seconds: float | None = None
    code: str | None = None
    message: str | None = None
    status: int | None = None

    def __post_init__(self) -> None:
        if self.action not in get_args(Action):
            raise ValueError(f"action: {self.action!r} is none of {', '.join(get_args(Action))}")
        if self.service not in get_args(Service):
            raise ValueError(f"service: {self.service!r} is none of {', '.join(get_args(Service))}")

    def matches(self, call: Call) -> bool:
        return (
            call.service == self.service
            and self.operation in (None, call.operation)
            and self.zone in (None, call.zone)
            and (self.names is None or not call.names.isdisjoint(self.names))
            and (self.contains is None or self.contains in call.text)
        )


@dataclass(slots=True)
class Held:
    """A request kept before evaluation."""

    token: str
    fault: str
    call: Call
    let_go: threading.Event = field(default_factory=threading.Event)
    settled: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True)
class _Armed:
    rule: FaultRule
    skips_left: int
    hits_left: int | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that a call met."""

    handle: str
    rule: FaultRule


class FaultBook:
    """The rules in force and the requests held; safe to use from any thread."""

    def __init__(self, spell: Callable[[str], str]) -> None:
        self._spell = spell
        self._changed = threading.Condition()
        self._armed: dict[str, _Armed] = {}
        self._held: dict[str, Held] = {}
        self._numbers = itertools.count(1)
        self._closed = threading.Event()

    def add(self, rule: FaultRule) -> str:
        """Arm a rule; names may be in any spelling."""
        handle = f"fault-{next(self._numbers)}"
        if rule.names is not None:
            rule = replace(rule, names=tuple(self._spell(name) for name in rule.names))
        with self._changed:
            self._armed[handle] = _Armed(rule, rule.skip, rule.count)
        return handle

    def remove(self, handle: str) -> None:
        with self._changed:
            self._armed.pop(handle, None)

    def clear(self) -> None:
        """Disarm every rule; held requests stay held."""
        with self._changed:
            self._armed.clear()

    def meet(self, call: Call) -> tuple[Hit | None, Hit | None]:
        """Return the hold and the other fault that this call meets, counting both down."""
        hold: Hit | None = None
        other: Hit | None = None
        with self._changed:
            for handle, armed in list(self._armed.items()):
                is_hold = armed.rule.action == "hold"
                if (hold if is_hold else other) is not None or not armed.rule.matches(call):
                    continue
                if not self._count_down(handle, armed):
                    continue
                if is_hold:
                    hold = Hit(handle, armed.rule)
                else:
                    other = Hit(handle, armed.rule)
        return hold, other

    def keep(self, hit: Hit, call: Call) -> Held:
        """Note a request as held; the caller then waits with `wait`."""
        with self._changed:
            held = Held(f"held-{next(self._numbers)}", hit.handle, call)
            self._held[held.token] = held
            self._changed.notify_all()
        return held

    def wait(self, held: Held, seconds: float | None) -> bool:
        """Wait until a held request may go on; False when the sandbox stops, which drops it."""
        held.let_go.wait(seconds)
        with self._changed:
            self._held.pop(held.token, None)
            self._changed.notify_all()
        return not self._closed.is_set()

    def pause(self, seconds: float) -> None:
        """Sleep, but no longer than the sandbox lives."""
        self._closed.wait(seconds)

    def held(self) -> tuple[Held, ...]:
        with self._changed:
            return tuple(self._held.values())

    def wait_held(self, count: int, timeout_seconds: float) -> bool:
        """Wait until at least so many requests are held."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._held) >= count, timeout_seconds)

    def release(self, handle: str, *, wait_seconds: float = RELEASE_WAIT_SECONDS) -> int:
        """Let go what a fault or a token holds, wait until it was evaluated, and return how many there were."""
        with self._changed:
            chosen = [held for held in self._held.values() if handle in (held.token, held.fault)]
        for held in chosen:
            held.let_go.set()
        _wait_settled(chosen, wait_seconds)
        return len(chosen)

    def close(self) -> None:
        """Wake every sleeper; held requests are dropped."""
        self._closed.set()
        for held in self.held():
            held.let_go.set()

    def _count_down(self, handle: str, armed: _Armed) -> bool:
        if armed.skips_left > 0:
            armed.skips_left -= 1
            return False
        if armed.hits_left is not None:
            armed.hits_left -= 1
            if armed.hits_left <= 0:
                del self._armed[handle]
        return True


def _wait_settled(chosen: Iterable[Held], wait_seconds: float) -> None:
    for held in chosen:
        held.settled.wait(wait_seconds)

"""The wire tier's ports: the product's adapters over real boto3 clients, which stop where botocore is about to send.

Everything above the socket runs as it ships: the adapters, the SDK's settings, its checks, its XML and JSON, signatures, its
own attempts, and the parsing of answers and errors. Time and chance inside the SDK are the actor's own, as everywhere here.
The clients are shared, because making one takes longer than a whole run; what they remember of an actor is kept with the actor.
"""

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from email.utils import formatdate
from functools import partial
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import boto3
import msgspec
from botocore import endpoint, exceptions
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.retries import quota, standard

from enactor.batch import Batch
from enactor.budget import AccountLimits, Budget
from enactor.guards import LimitsTable
from enactor.hooks import Hook
from enactor.outcome import Outcome
from enactor.outside import CONNECT_TIMEOUT_SECONDS, READ_TIMEOUT_SECONDS, gate_limits, route53_client
from enactor.route53 import Route53Zones
from enactor.sandbox.isolation import inside, isolated
from enactor.sandbox.wire import Reply
from enactor.table import PlanTable, table_client

from .actors import Broken, Line
from .cast import FLEET, ZONE_NAMES
from .ops import Sent, component
from .wire_promises import NEVER_A_STORM, Failure, judge
from .wire_requests import sent

TABLE: Final = "plans"
ACCOUNT_SHARE: Final = 1.0
"""A smaller one would only add waits, which change nothing but an actor's own time."""
SECONDS: Final = {"timeout": READ_TIMEOUT_SECONDS, "unreachable": CONNECT_TIMEOUT_SECONDS}
"""How long a client waits until it knows that there is no answer."""
_MIDDLE: Final = 0.5
"""Jitter changes nothing but time, so it is always the middle."""


class Here(msgspec.Struct):
    """What belongs to one actor and the SDK would keep for a whole process, and what is judged of its calls."""

    line: Line
    time_outs_last: bool
    """Whether the actor's clock goes on while it waits for an answer that does not come."""
    batch: Batch | None = None
    """The batch that the request in hand is made from."""
    outage: tuple[tuple[int, tuple[str, str, bytes]], Failure] | None = None
    """The request that finds no answer, in which of a person's commands, and how."""
    retry_tokens: dict[int, int] = {}
    """What is left of each client's quota of second attempts."""
    paid: int = 0
    """Requests to Route 53 that the budget has let through, and that were not sent yet."""
    answers: list[Reply | Failure] = []
    """What the attempts of the call in hand were answered."""


HERE: Final[ContextVar[Here]] = ContextVar("HERE")
"""The actor that runs: a greenlet has a context of its own."""


class PaidBudget(Budget):
    """The budget, unchanged; it only notes what it let through."""

    def spend(self, *, changes: int = 0) -> float:
        waited = super().spend(changes=changes)
        HERE.get().paid += 1
        return waited


class WireZones(Route53Zones):
    """The adapter, unchanged; it only says which batch its next request is made from, and what it makes of the answers is judged."""

    def compare_and_swap(self, batch: Batch) -> Outcome:
        here = HERE.get()
        here.batch, here.answers = batch, []
        try:
            outcome = super().compare_and_swap(batch)
        finally:
            here.batch = None
        if here.answers:
            judge(here.answers, outcome)
        else:
            here.paid = 0  # the last gate stopped what was paid for
        return outcome


class Waits:
    """A line as a clock, where only what takes time is a step: that the adapter looks for a stop before a request is none."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def now(self) -> float:
        return self._line.now()

    def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self._line.sleep(seconds)


class WirePorts:
    """The wire tier: the product's adapters on real clients."""

    def __init__(self, clients: "Clients", *, time_outs_last: bool) -> None:
        self._clients = clients
        self._time_outs_last = time_outs_last

    def zones(self, line: Line, hook: Hook) -> Route53Zones:
        self._arrive(line)
        budget, limits = PaidBudget(line, ACCOUNT_SHARE, AccountLimits()), LimitsTable()
        return WireZones(
            lambda _: self._clients.route53,
            budget_of=lambda _: budget,
            limits_of=lambda name: gate_limits(limits, name),
            clock=Waits(line),
            chance=line,
            hook=hook,
        )

    def table(self, line: Line) -> PlanTable:
        self._arrive(line)
        return PlanTable(self._clients.dynamodb, TABLE, FLEET, clock=line, chance=line)

    def _arrive(self, line: Line) -> None:
        if HERE.get(None) is None:
            HERE.set(Here(line, self._time_outs_last))


class Clients(msgspec.Struct, frozen=True):
    """The clients that the product makes, with its settings."""

    route53: Any
    dynamodb: Any


@contextmanager
def clients(environment: dict[str, str]) -> Iterator[Clients]:
    """Make the clients in an environment, as a process of the product does, and have them stop before they send."""
    own_quota = patch.object(quota, "RetryQuota", _Quota)
    own_chance = patch.object(standard, "ExponentialBackoff", partial(standard.ExponentialBackoff, random=_middle))
    with inside(isolated(environment, {})), own_quota, own_chance:
        session = boto3.Session()
        made = Clients(route53_client(session), table_client(session))
    made.route53.meta.events.register("before-send.route-53", _stop_before_send)
    made.dynamodb.meta.events.register("before-send.dynamodb", _stop_before_send)
    waits = patch.object(endpoint, "time", SimpleNamespace(sleep=_wait_in_sdk))
    try:
        with waits:
            yield made
    finally:
        made.route53.close()
        made.dynamodb.close()


class _Quota(quota.RetryQuota):
    """The SDK's quota of second attempts, kept with the actor instead of with the shared client."""

    @property
    def _available_capacity(self) -> int:
        here = HERE.get(None)
        return here.retry_tokens.get(id(self), self.INITIAL_CAPACITY) if here else self.INITIAL_CAPACITY

    @_available_capacity.setter
    def _available_capacity(self, capacity: int) -> None:
        here = HERE.get(None)
        if here is not None:
            here.retry_tokens[id(self)] = capacity


def _stop_before_send(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
    """Stop with the request in hand, and go on with its answer, or without one."""
    here = HERE.get()
    asked = sent(request, here.batch, ZONE_NAMES)
    if component(asked) == "zone":
        if not here.paid:
            raise Broken(f"{NEVER_A_STORM}: a request goes to Route 53 that the budget knows nothing of")
        here.paid -= 1
    answer = _answered(here, asked)
    here.answers.append(answer)
    if isinstance(answer, Reply):
        return response(request.url, dated(answer, here.line))
    if here.time_outs_last:
        here.line.let_pass(SECONDS.get(answer.kind, 0.0))
    raise error_of(answer, request.url)


def _answered(here: Here, asked: Sent) -> Reply | Failure:
    """Return what comes of a request; while an outage lasts nobody needs to be asked."""
    key = here.line.commands, asked.asked
    if here.outage is not None and here.outage[0] == key:
        return here.outage[1]
    answer: Reply | Failure = here.line.ask(asked)
    here.outage = (key, answer) if isinstance(answer, Failure) and answer.lasts else None
    return answer


def dated(reply: Reply, line: Line) -> Reply:
    """Return an answer with the Date that this actor is told."""
    if not line.jumped_seconds:
        return reply
    date = formatdate(line.aws_now().timestamp(), usegmt=True)
    others = tuple((name, value) for name, value in reply.headers if name.lower() != "date")
    return Reply(reply.status, reply.body, (*others, ("date", date)))


def response(url: str, reply: Reply) -> AWSResponse:
    """Return an answer as botocore's HTTP session does."""
    return AWSResponse(url, reply.status, HTTPHeaders.from_pairs(reply.headers), _Raw(reply.body))


def error_of(failure: Failure, url: str) -> exceptions.BotoCoreError:
    """Return the very error that botocore's HTTP session raises, made anew so that no two raises share a traceback."""
    kinds: dict[str, type[exceptions.BotoCoreError]] = {
        "timeout": exceptions.ReadTimeoutError,
        "unreachable": exceptions.EndpointConnectionError,
        "closed": exceptions.ConnectionClosedError,
    }
    return kinds[failure.kind](endpoint_url=url, error=failure.kind)


class _Raw(io.BytesIO):
    """A body, as urllib3 hands it over."""

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        yield self.read()


def _wait_in_sdk(seconds: float) -> None:
    here = HERE.get(None)
    if here is None:
        time.sleep(seconds)  # somebody else's client, in the same process
    else:
        here.line.wait_in_sdk(seconds)


def _middle() -> float:
    return _MIDDLE

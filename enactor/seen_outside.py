"""Decide what DNS answers say of an endpoint, as a client meets it: does it answer, with what, and at which generation.

Pure. It rests on nothing of this system but the text of a fence, and only for the generation: an endpoint that answers nothing is
seen with every other part dead. In October 2025 the record was gone for hours before those who looked from inside could say so.

    the servers say of every type                          verdict
    -----------------------------                          -------
    an address, or another name, for one of them           answering
    no such name, or nothing of that type (RFC 2308)       empty: a client has nowhere to go
    no answer, a refusal, a failure, for one of them       unknown, unless another type answers

An endpoint's verdict over several servers is the worst: empty, then unknown, then answering.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from enactor.fence import Fence, read_fence, text_set
from enactor.plan import Plan

Verdict = Literal["answering", "empty", "unknown"]
WORST_FIRST: Final[tuple[Verdict, ...]] = ("empty", "unknown", "answering")
ADDRESS_TYPES: Final = ("A", "AAAA")
NOTHING_THERE: Final = frozenset({"NOERROR", "NXDOMAIN"})
"""What a server says that has looked: it has the type, or it has it not."""
NO_ANSWER: Final = "no answer"


DNS_PORT: Final = 53


class Server(msgspec.Struct, frozen=True):
    """A server to ask: an address, a port, and what people call it."""

    address: str
    port: int = DNS_PORT
    name: str = ""

    def __str__(self) -> str:
        where = f"[{self.address}]" if ":" in self.address else self.address
        where = where if self.port == DNS_PORT else f"{where}:{self.port}"
        return f"{self.name} ({where})" if self.name else where


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint and whom to ask about it."""

    name: str
    zone_name: str | None
    """Where its fence lies; None where the zone's top is not known, and the generation is not asked then."""
    servers: tuple[Server, ...]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What one server said to one question."""

    type: str
    rcode: str
    """As DNS names it, or `no answer`."""
    values: tuple[str, ...] = ()
    """The addresses, at the end of whatever chain of names the server gave."""
    names: tuple[str, ...] = ()
    """The names that it was sent on to (CNAME)."""
    seconds: float = 0.0
    detail: str = ""


class ServerSeen(msgspec.Struct, frozen=True, kw_only=True):
    """What one server says of an endpoint. `generation` is the fence's there, null where there is none or it was not asked."""

    server: str
    verdict: Verdict
    replies: tuple[Reply, ...]
    generation: int | None = None
    plan: str | None = None
    """The first digits of the digest of the content in force, as the fence says."""
    unplanned: tuple[str, ...] = ()
    """Addresses that none of the plans given has."""


class EndpointSeen(msgspec.Struct, frozen=True, kw_only=True):
    """What all servers together say of an endpoint."""

    name: str
    verdict: Verdict
    servers: tuple[ServerSeen, ...]
    lag_seconds: float = 0.0
    """For how long servers have disagreed about the generation; 0 where they agree."""


class ProbeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `enactor probe --json` prints, once for each look."""

    endpoints: tuple[EndpointSeen, ...]


def verdict_of(replies: Iterable[Reply]) -> Verdict:
    """Return what one server's replies come to; see the table above."""
    found = tuple(replies)
    assert found, "somebody was asked something"
    if any(one.values or one.names for one in found):
        return "answering"
    return "empty" if all(one.rcode in NOTHING_THERE for one in found) else "unknown"


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of several verdicts."""
    found = frozenset(verdicts)
    return next((one for one in WORST_FIRST if one in found), "unknown")


def fence_of(text: str | None) -> Fence | None:
    """Return the fence that a TXT answer holds, None where it holds none that can be read."""
    if text is None:
        return None
    fence = read_fence(text_set("fence.", text))
    return fence if isinstance(fence, Fence) else None


def unplanned(name: str, replies: Sequence[Reply], plans: Sequence[Plan]) -> tuple[str, ...]:
    """Return the answered addresses that no plan has for this name; without plans, or behind an alias, nobody can tell."""
    known: set[str] = set()
    for plan in plans:
        for endpoint in plan.endpoints:
            if endpoint.name != name:
                continue
            if any(target.alias is not None or target.type == "CNAME" for target in endpoint.targets):
                return ()
            known.update(target.value for target in endpoint.targets if target.value is not None)
    if not plans:
        return ()
    return tuple(sorted({value for one in replies for value in one.values} - known))


class Lags:
    """Remembers, for each endpoint, since when its servers have disagreed about the generation."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    def lag(self, name: str, generations: Iterable[int | None], now: float) -> float:
        """Return the seconds since servers began to disagree; a server that did not say is not counted."""
        told = {one for one in generations if one is not None}
        if len(told) <= 1:
            self._since.pop(name, None)
            return 0.0
        return now - self._since.setdefault(name, now)

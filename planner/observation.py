"""The planner's door to where load balancers come from and how they are: sources, and what one look at each of them says.

A source is an adapter: it talks to something (a directory of files, Elastic Load Balancing, the targets themselves) and answers in
these words. It never decides: what a signal means, how many must agree, and how much of an endpoint they may take away is for the
pure modules. A source that fails, or that saw only a part, says so by raising `SourceFailed`; there is no partial observation.

A third party's source is installed as an entry point of the group `planner.sources`, named like the `kind` of the fleet file; the
object is a `SourceKind`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import msgspec

from enactor.plan_faults import Faults
from enactor.records import Alias


class SourceFailed(Exception):  # noqa: N818 - the family of the design, not "...Error"
    """A source could not answer, or not wholly: no plan is made from it. One sentence: which, what, what to do."""

    def __init__(self, message: str, faults: Sequence[str] = ()) -> None:
        self.faults = tuple(faults)
        """Everything that is wrong, a line each, where it is a form that a person mends."""
        super().__init__(message)


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A load balancer that a source knows of. What the source cannot tell is left at None."""

    id: str
    """Unique in the source, of the form of a target's id."""
    addresses: tuple[str, ...] = ()
    alias: Alias | None = None
    """Exactly one of addresses and alias is there."""
    capacity: Fraction | None = None
    """Above 0; None: the fleet file's, or 1."""
    enabled: bool = True
    drain: bool = False
    """A person wants it to leave gently."""
    origin: str = ""
    """Where a person finds it: an ARN, a file and line."""
    health_check: str | None = None
    """The id of a Route 53 health check for its record sets; None: the fleet file's, or none."""


class Signal(msgspec.Struct, frozen=True, kw_only=True):
    """What one look said of one load balancer's health."""

    healthy: bool
    why: str
    """For people: `connect to 192.0.2.1:443 timed out after 2 s`, `2 of 3 targets healthy in web-tg`."""
    capacity_share: Fraction | None = None
    """The part of its capacity that is healthy, from 0 to 1, where the source can tell: an NLB with half its targets."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """What one whole look at a source gave."""

    source: str
    """The name that the fleet file gives the source."""
    offers: tuple[Offer, ...] = ()
    signals: Mapping[str, Signal] = {}
    """By load balancer id; one that is not named got no signal, which is neither good nor bad."""


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """A load balancer that a source of health is asked about: what the sources of inventory offered."""

    pool: str
    id: str
    addresses: tuple[str, ...]
    alias: Alias | None


class Source(Protocol):
    """One configured source. Used by one thread; each call is bounded in time by the caller's limit."""

    name: str

    def observe(self, aims: tuple[Aim, ...], within_seconds: float) -> Observation:
        """Look once, wholly, or raise SourceFailed. A look that is too young to be made anew is told again: the same object."""
        ...

    def close(self) -> None:
        """Let go of what it holds: connections, threads."""
        ...


class SourceKind(Protocol):
    """What an entry point of `planner.sources` names. The keys `kind` and `max_gone` are read by the planner itself."""

    gives_inventory: bool
    gives_health: bool

    def read(self, raw: Mapping[str, Any], path: str, faults: Faults) -> Any | None:
        """Return this kind's settings from the rest of the fleet file's mapping, noting every fault with its path."""
        ...

    def open(self, name: str, settings: Any) -> Source:
        """Return a source that is ready to look; connects to nothing yet."""
        ...

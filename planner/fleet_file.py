"""What a fleet file may hold, as types: the schema that editors read comes from here. `fleet` decides what a file means.

Pure. The reader does not decode through these types, because they stop at the first fault.
"""

import re
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from enactor.plan import FLEET_ID, TARGET_ID, TTL_MAX_SECONDS, TTL_MIN_SECONDS, Routing
from enactor.plan_faults import HEALTH_CHECK_ID

WORD: Final = r"^[A-Za-z0-9_-]{1,64}$"
"""What a zone or a pool may be called within a fleet file."""
DURATION: Final = r"^(?P<number>[0-9]{1,9}(\.[0-9]{1,6})?)(?P<unit>ms|s|m|h|d)$"
"""A time with its unit: milliseconds, seconds, minutes, hours or days."""
DURATION_SCHEMA: Final = re.sub(r"\?P<\w+>", "", DURATION)
"""The same as JSON Schema has it, whose dialect names its groups otherwise."""
LOOKS_MAX: Final = 100
"""Nobody counts further to believe a signal."""
AddressType = Literal["A", "AAAA"]

Word = Annotated[str, Meta(pattern=WORD)]
Number = Annotated[float, Meta(gt=0)]
Ttl = Annotated[int, Meta(ge=TTL_MIN_SECONDS, le=TTL_MAX_SECONDS, description="Seconds. Default 60.")]
Types = Annotated[
    tuple[AddressType, ...], Meta(min_length=1, description="Which types the endpoint has. Default both.")
]
Duration = Annotated[str, Meta(pattern=DURATION_SCHEMA)]
Looks = Annotated[int, Meta(ge=1, le=LOOKS_MAX)]
Share = Annotated[float, Meta(ge=0, le=1)]
SourceNames = Annotated[tuple[Word, ...], Meta(description="Keys of `sources`.")]


class AliasEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A Route 53 alias target; all three fields are required."""

    name: str
    zone: Annotated[str, Meta(description="The id of the hosted zone that the target's name is in.")]
    evaluate_target_health: bool


class BalancerEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One load balancer: its id, and exactly one of `addresses` and `alias`."""

    id: Annotated[str, Meta(pattern=TARGET_ID, description="The SetIdentifier of its record sets.")]
    capacity: Annotated[Number, Meta(description="How much it can take, held against the others. Default 1.")] = 1.0
    enabled: Annotated[bool, Meta(description="False leaves it out of every endpoint.")] = True
    addresses: (
        Annotated[
            tuple[str, ...], Meta(min_length=1, max_length=2, description="One IPv4 and one IPv6 address at most.")
        ]
        | None
    ) = None
    alias: AliasEntry | None = None
    drain: Annotated[bool, Meta(description="True lets it leave gently: its weight goes down over pace.ramp_down.")] = (
        False
    )
    health_check: (
        Annotated[
            str,
            Meta(
                pattern=f"^{HEALTH_CHECK_ID.pattern}$",
                description="The id of a Route 53 health check, on every record set of it.",
            ),
        ]
        | None
    ) = None


class PoolEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A pool whose load balancers come from sources; those listed here stand beside them."""

    from_: SourceNames = msgspec.field(name="from")
    balancers: tuple[BalancerEntry, ...] = ()


class SourceEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where load balancers come from, or who says how they are. Its other keys are its kind's."""

    kind: Annotated[str, Meta(description="An installed kind of source, like file, elbv2 or probe.")]
    max_gone: Annotated[
        Share,
        Meta(
            description="The share of its load balancers, and of their addresses or aliases of each type, that may be gone since its last answer; above it no plan is made. Default 0.5."
        ),
    ] = 0.5


class HealthEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What signals about health may do."""

    from_: (
        Annotated[SourceNames, Meta(description="Whose signals count; one bad is bad. Default all that give any.")]
        | None
    ) = msgspec.field(name="from", default=None)
    rise: Annotated[Looks, Meta(description="How many good looks in a row bring a target in. Default 3.")] = 3
    fall: Annotated[Looks, Meta(description="How many bad looks in a row take a target out. Default 3.")] = 3
    brake: Annotated[
        Share, Meta(description="The share of an endpoint that signals may take out within a window. Default 0.3.")
    ] = 0.3
    window: Annotated[Duration, Meta(description="How long a window is. Default 10m.")] = "10m"


class PaceEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How fast plans follow each other, and how fast weights move from one to the next."""

    gather: Annotated[
        Duration, Meta(description="How long `planner run` gathers changes that are not urgent. Default 60s.")
    ] = "60s"
    max_weight_step: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="The share of the endpoint's largest weight that a weight moves per plan. Default 1.",
        ),
    ] = 1.0
    warm_up: Annotated[Duration, Meta(description="How long a weight takes from nothing to full. Default 0s.")] = "0s"
    ramp_down: Annotated[
        Duration, Meta(description="How long a draining weight takes from full to the least. Default 5m.")
    ] = "5m"


class ZoneEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hosted zone: its id, which decides, and its name, which names are checked against."""

    id: Annotated[str, Meta(description="The hosted zone's id, `/hostedzone/` before it or not.")]
    name: str


class DefaultsEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What an endpoint has where it says nothing itself."""

    ttl: Ttl = 60
    routing: Routing = "weighted"
    types: Types = ("A", "AAAA")


class EndpointEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A DNS name that clients resolve, and the pools behind it."""

    name: Annotated[str, Meta(description="Fully qualified; any case, trailing dot optional.")]
    zone: Annotated[Word, Meta(description="A key of `zones`.")]
    pools: Annotated[dict[Word, Number], Meta(description="Pool and share: weight is capacity times share.")]
    ttl: Ttl | None = None
    routing: Routing | None = None
    types: Types | None = None
    health: (
        Annotated[HealthEntry, Meta(description="What holds here instead; a key left out is the fleet's.")] | None
    ) = None


class RetiredEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name meant to be absent: listing it permits it to leave the plan, and deletes nothing."""

    name: str
    zone: Annotated[Word, Meta(description="A key of `zones`.")]


class FleetFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A fleet of load balancers and the names that point at it."""

    fleet: Annotated[str, Meta(pattern=FLEET_ID)]
    zones: dict[Word, ZoneEntry]
    pools: dict[Word, tuple[BalancerEntry, ...] | PoolEntry]
    endpoints: tuple[EndpointEntry, ...]
    defaults: DefaultsEntry = DefaultsEntry()
    sources: dict[Word, SourceEntry] = {}
    health: HealthEntry = HealthEntry()
    pace: PaceEntry = PaceEntry()
    retired: tuple[RetiredEntry, ...] = ()


DEFAULTS: Final = DefaultsEntry()
HEALTH: Final = HealthEntry()
PACE: Final = PaceEntry()

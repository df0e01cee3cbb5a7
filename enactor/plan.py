"""Decide what a plan is: its parts, canonical JSON, digest, and the content it gives each endpoint.

Pure. `plan_form` turns bytes into a Plan and names every fault; nothing here judges whether a plan is a good one (guards do).
"""

import hashlib
from collections.abc import Iterable
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from enactor.records import Alias, Content, ManagedType, RecordSet, content_of

FORMAT: Final = 1
"""The plan format this version writes, and the only one it reads."""
DIGEST_DIGITS: Final = 12
"""How much of a plan's digest the switch carries."""

Routing = Literal["weighted", "simple", "multivalue"]

TARGET_ID: Final = r"^[A-Za-z0-9._:-]{1,64}$"
FLEET_ID: Final = r"^[a-z0-9-]{1,32}$"
WEIGHT_MAX: Final = 255
TTL_MIN_SECONDS: Final = 1
TTL_MAX_SECONDS: Final = 86_400
TARGETS_PER_TYPE_MAX: Final = 100
"""Route 53: at most 100 weighted or multivalue sets of one name and type, and 100 values in a set by its older quota."""


class Target(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One load balancer behind an endpoint: exactly one of `value` and `alias`."""

    id: Annotated[str, Meta(pattern=TARGET_ID, description="Unique within its type; the SetIdentifier where weighted.")]
    type: Annotated[ManagedType, Meta(description="CNAME stands alone at its endpoint.")]
    value: Annotated[str, Meta(description="An IPv4 or IPv6 address, or a host name for CNAME.")] | None = None
    weight: (
        Annotated[int, Meta(ge=0, le=WEIGHT_MAX, description="Required where weighted, a fault elsewhere.")] | None
    ) = None
    alias: Annotated[Alias, Meta(description="A Route 53 alias target; all three fields are required.")] | None = None
    health_check: Annotated[str, Meta(description="The id of a Route 53 health check.")] | None = None


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A DNS name that clients resolve, and what it should answer."""

    name: Annotated[str, Meta(description="Fully qualified; any case, trailing dot optional.")]
    zone: Annotated[str, Meta(description="The hosted zone's id, never its name.")]
    routing: Routing
    ttl: (
        Annotated[
            int,
            Meta(
                ge=TTL_MIN_SECONDS, le=TTL_MAX_SECONDS, description="Seconds; required unless every target is an alias."
            ),
        ]
        | None
    ) = None
    targets: tuple[Target, ...]

    @property
    def key(self) -> tuple[str, str]:
        """Return what makes an endpoint one: zone id and name."""
        return (self.zone, self.name)


class Retired(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name meant to be absent: listing it permits it to leave the plan, and deletes nothing."""

    name: str
    zone: str

    @property
    def key(self) -> tuple[str, str]:
        """Return what makes an endpoint one: zone id and name."""
        return (self.zone, self.name)


class Fault(msgspec.Struct, frozen=True):
    """One thing wrong with the form of a plan or a fleet file, where it stands, and the guard that refuses it at an enactor."""

    path: str
    message: str
    guard: str = "malformed"

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint of a stored plan whose form is wrong: refused by guard, while the rest of the plan is applied."""

    name: str
    zone: str
    faults: tuple[Fault, ...]

    @property
    def key(self) -> tuple[str, str]:
        """Return what makes an endpoint one: zone id and name."""
        return (self.zone, self.name)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The desired state of every endpoint of a fleet, in canonical form; immutable."""

    fleet: str
    endpoints: tuple[Endpoint, ...]
    retired: tuple[Retired, ...] = ()
    broken: tuple[Broken, ...] = ()
    """Empty in everything that is published; see Broken."""

    @property
    def listed(self) -> tuple[Endpoint | Broken, ...]:
        """Return every endpoint that the plan lists, whatever its form."""
        everything: list[Endpoint | Broken] = [*self.endpoints, *self.broken]
        return tuple(everything)


class PlanFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A plan as a file: what `planner compile` writes and `publish --plan` reads."""

    format: Literal[1]
    fleet: Annotated[str, Meta(pattern=FLEET_ID)]
    endpoints: tuple[Endpoint, ...]
    retired: tuple[Retired, ...] = ()


class StoredPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan with what the store added. Identity is (generation, digest), never the generation alone."""

    generation: int
    digest: str
    """sha256 over the canonical JSON, 64 hex digits."""
    plan: Plan
    parent: int = 0
    created_at: str = ""
    """RFC 3339 in UTC; for people to read, no decision rests on it."""
    planner: str = ""
    reason: str = ""
    stays: str | None = None
    """As in `PlanEntry`; for planners alone."""
    body: bytes = b""
    """The canonical JSON whose sha256 is `digest`."""

    @property
    def short_digest(self) -> str:
        """Return the part of the digest that the switch carries."""
        return self.digest[:DIGEST_DIGITS]


def sorted_plan(plan: Plan) -> Plan:
    """Return the plan in canonical order: endpoints by zone and name, targets by type and id."""
    return msgspec.structs.replace(
        plan,
        endpoints=tuple(
            sorted(
                (
                    msgspec.structs.replace(endpoint, targets=tuple(sorted(endpoint.targets, key=_target_order)))
                    for endpoint in plan.endpoints
                ),
                key=lambda endpoint: endpoint.key,
            )
        ),
        retired=tuple(sorted(plan.retired, key=lambda retired: retired.key)),
    )


def _target_order(target: Target) -> tuple[str, str]:
    return (target.type, target.id)


def canonical_json(plan: Plan) -> bytes:
    """Return the plan's canonical JSON: UTF-8, keys sorted, no spaces, canonical order. A plan with broken parts has none."""
    assert not plan.broken, "a plan whose form is wrong is never written"
    ordered = sorted_plan(plan)
    file = PlanFile(format=FORMAT, fleet=ordered.fleet, endpoints=ordered.endpoints, retired=ordered.retired)
    return msgspec.json.encode(file, order="sorted")


def digest_of(body: bytes) -> str:
    """Return the sha256 of a canonical body, 64 hex digits."""
    return hashlib.sha256(body).hexdigest()


def content_of_endpoint(endpoint: Endpoint) -> Content:
    """Return the record sets that an endpoint's entry means, in canonical form, which has no TTL beside an alias."""
    return content_of(_simple_sets(endpoint) if endpoint.routing == "simple" else _identified_sets(endpoint))


def _simple_sets(endpoint: Endpoint) -> Iterable[RecordSet]:
    for record_type in sorted({target.type for target in endpoint.targets}):
        targets = [target for target in endpoint.targets if target.type == record_type]
        alias = next((target.alias for target in targets if target.alias), None)
        yield RecordSet(
            name=endpoint.name,
            type=record_type,
            ttl=endpoint.ttl,
            values=tuple(target.value for target in targets if target.value is not None),
            alias=alias,
            health_check=next((target.health_check for target in targets if target.health_check), None),
        )


def _identified_sets(endpoint: Endpoint) -> Iterable[RecordSet]:
    for target in endpoint.targets:
        yield RecordSet(
            name=endpoint.name,
            type=target.type,
            set_identifier=target.id,
            ttl=endpoint.ttl,
            weight=target.weight if endpoint.routing == "weighted" else None,
            multivalue=endpoint.routing == "multivalue",
            values=() if target.value is None else (target.value,),
            alias=target.alias,
            health_check=target.health_check,
        )

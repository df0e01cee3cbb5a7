"""Decide in what two contents of an endpoint differ, target by target: what `diff` and `dry-run` show.

Pure. Targets are told apart by address or alias, as the guards do, so that a renamed id is a change and not a loss.
"""

from collections.abc import Iterable, Mapping

import msgspec

from enactor.plan import Endpoint, Plan, content_of_endpoint
from enactor.records import RecordSet, canonical_set


class Member(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing an endpoint answers with. `weight` is None unless weighted, `ttl` None for an alias."""

    type: str
    target: str
    weight: int | None = None
    id: str | None = None
    ttl: int | None = None
    health_check: str | None = None
    routing: str = "weighted"


class Reweighted(msgspec.Struct, frozen=True, kw_only=True):
    """A target that stays with another weight."""

    type: str
    target: str
    before: int | None
    after: int | None


class Altered(msgspec.Struct, frozen=True, kw_only=True):
    """A target that stays with another TTL, id, health check or routing: what changes, in words."""

    type: str
    target: str
    what: str


class ContentChange(msgspec.Struct, frozen=True, kw_only=True):
    """What leads from one content to another."""

    added: tuple[Member, ...] = ()
    removed: tuple[Member, ...] = ()
    reweighted: tuple[Reweighted, ...] = ()
    altered: tuple[Altered, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.reweighted or self.altered)


class EndpointChange(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint that two plans have different contents for."""

    name: str
    zone: str
    change: ContentChange


class Named(msgspec.Struct, frozen=True, order=True):
    """An endpoint by zone and name."""

    name: str
    zone: str


class PlanChange(msgspec.Struct, frozen=True, kw_only=True):
    """What leads from one plan to another."""

    added: tuple[EndpointChange, ...] = ()
    removed: tuple[EndpointChange, ...] = ()
    changed: tuple[EndpointChange, ...] = ()
    retired: tuple[Named, ...] = ()
    """Names that are retired only in the later plan."""


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One target before and after: how much weight it has; 0 where it does not answer, 1 where there are no weights."""

    type: str
    target: str
    id: str | None
    before: int
    after: int


def bars(before: Iterable[RecordSet], after: Iterable[RecordSet]) -> tuple[Bar, ...]:
    """Return every target of two contents of one endpoint, with its weight in each."""
    old, new = _members(before), _members(after)
    return tuple(
        Bar(
            type=key[0],
            target=key[1],
            id=(new.get(key) or old[key]).id,
            before=_weight(old.get(key)),
            after=_weight(new.get(key)),
        )
        for key in sorted(old.keys() | new.keys())
    )


def _weight(member: Member | None) -> int:
    if member is None:
        return 0
    return 1 if member.weight is None else member.weight


def content_change(before: Iterable[RecordSet], after: Iterable[RecordSet]) -> ContentChange:
    """Compare two groups of record sets of one endpoint."""
    old, new = _members(before), _members(after)
    both = sorted(old.keys() & new.keys())
    return ContentChange(
        added=tuple(new[key] for key in sorted(new.keys() - old.keys())),
        removed=tuple(old[key] for key in sorted(old.keys() - new.keys())),
        reweighted=tuple(_reweighted(old[key], new[key]) for key in both if _has_other_weight(old[key], new[key])),
        altered=tuple(_altered(old[key], new[key]) for key in both if _words(old[key], new[key])),
    )


def plan_change(before: Plan, after: Plan) -> PlanChange:
    """Compare two plans, endpoint by endpoint."""
    old, new = _by_key(before), _by_key(after)
    both = sorted(old.keys() & new.keys())
    changes = (_change(new[key], content_of_endpoint(old[key]), content_of_endpoint(new[key])) for key in both)
    retired = {one.key for one in after.retired} - {one.key for one in before.retired}
    return PlanChange(
        added=tuple(_change(new[key], (), content_of_endpoint(new[key])) for key in sorted(new.keys() - old.keys())),
        removed=tuple(_change(old[key], content_of_endpoint(old[key]), ()) for key in sorted(old.keys() - new.keys())),
        changed=tuple(change for change in changes if change.change),
        retired=tuple(Named(name, zone) for zone, name in sorted(retired)),
    )


def _by_key(plan: Plan) -> dict[tuple[str, str], Endpoint]:
    return {endpoint.key: endpoint for endpoint in plan.endpoints}


def _change(endpoint: Endpoint, before: Iterable[RecordSet], after: Iterable[RecordSet]) -> EndpointChange:
    return EndpointChange(name=endpoint.name, zone=endpoint.zone, change=content_change(before, after))


def _members(sets: Iterable[RecordSet]) -> Mapping[tuple[str, str], Member]:
    members: dict[tuple[str, str], Member] = {}
    for record in map(canonical_set, sets):
        targets = (f"alias {record.alias.name} in {record.alias.zone}",) if record.alias else record.values
        for target in targets:
            members[record.type, target] = Member(
                type=record.type,
                target=target,
                weight=record.weight,
                id=record.set_identifier,
                ttl=record.ttl,
                health_check=record.health_check,
                routing=_routing(record),
            )
    return members


def _routing(record: RecordSet) -> str:
    if record.extra:
        return record.extra
    if record.multivalue:
        return "multivalue"
    return "simple" if record.weight is None else "weighted"


def _has_other_weight(old: Member, new: Member) -> bool:
    return old.weight != new.weight and old.routing == new.routing


def _reweighted(old: Member, new: Member) -> Reweighted:
    return Reweighted(type=new.type, target=new.target, before=old.weight, after=new.weight)


def _words(old: Member, new: Member) -> str:
    fields = ("routing", "ttl", "id", "health_check")
    pairs = ((field.replace("_", " "), getattr(old, field), getattr(new, field)) for field in fields)
    return ", ".join(f"{field} {_shown(was)} to {_shown(now)}" for field, was, now in pairs if was != now)


def _shown(value: object) -> str:
    return "none" if value is None else str(value)


def _altered(old: Member, new: Member) -> Altered:
    return Altered(type=new.type, target=new.target, what=_words(old, new))

"""Decide whether a plan, or what it wants of one endpoint, must be refused: every guard, a pure function with its numbers.

Nothing here knows who asks: the planner judges against the parent plan at publish, an enactor judges again against what it
observed, by its own limits, so that a bad plan cannot bring its own loose ones. Promises 1 (never empty) and 3 rest on these
and, independently, on the last gate (`gate`). A share is refused when it is greater than its limit: 2 to 1 at 0.5 passes.
"""

import hashlib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Final, get_args

import msgspec

from enactor import names
from enactor.aliases import Node, dangles, silenced, target_of
from enactor.plan import Broken, Endpoint
from enactor.records import KINDS_OF_TYPE, Alias, Content, Kind, RecordSet, kinds_of

ZONE_RECORD_SETS_MAX: Final = 10_000
"""Route 53: record sets in a hosted zone without a raised quota."""
LIMITS_DIGEST_DIGITS: Final = 12
SETS_PER_TYPE_MAX: Final = 100
NAMES_SHOWN_MAX: Final = 5
"""A message that listed every name of a large plan would be cut off before its point."""

ENDPOINT_GUARDS: Final = [
    "empty",
    "zero-weights",
    "shrink-targets",
    "shrink-capacity",
    "slow-drain",
    "kind",
    "alias-target",
    "occluded",
    "out-of-zone",
    "apex",
    "malformed",
    "duplicate",
    "ttl",
    "limit",
    "retired",
    "contested",
]
NOT_ALLOWABLE: Final = frozenset({"empty", "kind"})
"""What no person can wave through: taking a kind away is a verb of its own, and nothing a plan can ask for."""


ALLOWABLE: Final = ("zero-weights", "shrink-targets", "shrink-capacity", "slow-drain", "occluded", "limit")
"""What a person can lift at an endpoint. The rest judges what Route 53 would not have, or what nobody may ask for."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One refusal: the guard's label, what was observed, what was wanted, the limit, and a sentence with the numbers."""

    guard: str
    observed: int | float | str | None = None
    wanted: int | float | str | None = None
    limit: int | float | str | None = None
    message: str


class Limits(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """How much one swap may take from an endpoint, as shares from 0 to 1."""

    shrink_targets: float = 0.5
    shrink_capacity: float = 0.5
    slow_drain: float = 0.7
    """What the steps within a window may take together."""
    slow_drain_seconds: float = 600.0
    """How long a window is."""


class PlanLimits(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """How much one plan may change at once, as shares from 0 to 1."""

    vanished: float = 0.0
    changed_share: float = 1.0


class LimitRule(msgspec.Struct, frozen=True, kw_only=True):
    """Limits for the endpoints whose canonical name fits a pattern of `*` and `?`."""

    match: str
    limits: Limits


class LimitsTable(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of every endpoint: the first rule that fits its name, else the default."""

    default: Limits = Limits()
    rules: tuple[LimitRule, ...] = ()
    plan: PlanLimits = PlanLimits()
    zone_record_sets: int = ZONE_RECORD_SETS_MAX

    def of(self, name: str) -> Limits:
        """Return the limits of one endpoint."""
        return next((rule.limits for rule in self.rules if fnmatchcase(name, rule.match)), self.default)

    @property
    def digest(self) -> str:
        """Return by what enactors tell whether they judge alike: the first 12 hex digits of the sha256 of all limits."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:LIMITS_DIGEST_DIGITS]


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What stands around an endpoint in its zone; the default is what a planner knows, which is nothing."""

    zone_name: str | None = None
    cuts: frozenset[str] = frozenset()
    pointed: Mapping[tuple[str, str], tuple[str, ...]] = {}
    """Which names hold an alias to (name, type)."""
    available: frozenset[Node] | None = None
    """Every (name, type) that will lead to an answer in the zone; None where unknown."""
    standing: frozenset[Node] | None = None
    """Every (name, type) that leads to an answer by now."""
    sure: frozenset[Node] | None = None
    """Every (name, type) that an alias to it leads through, or that has no set yet, so that Route 53 refuses the alias."""
    circles: Mapping[Node, tuple[str, ...]] = {}
    """The names of the circle of aliases in which a (name, type) will be."""
    room: int = ZONE_RECORD_SETS_MAX
    """Record sets that the zone can still take."""


def judge_form(endpoint: Endpoint | Broken) -> tuple[Finding, ...]:
    """Refuse an endpoint of a stored plan whose form is wrong."""
    if isinstance(endpoint, Endpoint):
        return ()
    return tuple(Finding(guard=fault.guard, message=str(fault)) for fault in endpoint.faults)


def judge_place(endpoint: Endpoint, wanted: Content, around: Surroundings) -> tuple[Finding, ...]:
    """Refuse content that cannot stand at this name of this zone, whatever stood there before."""
    return (
        *_out_of_zone(endpoint.name, around),
        *_apex(endpoint.name, wanted, around),
        *_occluded(endpoint.name, around),
        *_alias_target(endpoint, wanted, around),
    )


def judge_content(wanted: Content) -> tuple[Finding, ...]:
    """Refuse content that nobody could be answered from."""
    if not wanted:
        return (
            Finding(
                guard="empty",
                wanted=0,
                limit=1,
                message="the plan lists no target; an endpoint never goes empty: give it one, or, where the name is to go, list it "
                "under retired, and `enactor retire` takes it away",
            ),
        )
    return tuple(_zero_weights(wanted))


def judge_change(before: Content, wanted: Content, limits: Limits) -> tuple[Finding, ...]:
    """Refuse a change that takes too much of what stands, or a whole kind of it."""
    if not before or not wanted:
        return ()
    return (
        *_kind(before, wanted),
        *_shrink("shrink-targets", before, wanted, limits.shrink_targets),
        *_shrink("shrink-capacity", before, wanted, limits.shrink_capacity),
    )


def judge_room(growth: int, around: Surroundings) -> tuple[Finding, ...]:
    """Refuse a swap for which the zone has no room."""
    if growth <= around.room:
        return ()
    message = f"{growth} record sets more do not fit the zone, which has room for {around.room} under its quota"
    return (Finding(guard="limit", observed=around.room, wanted=growth, limit=around.room, message=message),)


def judge_pointers(
    name: str, before: Iterable[RecordSet], wanted: Content, around: Surroundings
) -> tuple[Finding, ...]:
    """Refuse to take away the last set of a type that an alias of the zone points to: that was October 2025."""
    lost = {record.type for record in before} - {record.type for record in wanted}
    return tuple(
        Finding(
            guard="alias-target",
            observed=record_type,
            message=f"an alias at {some(around.pointed[name, record_type])} points to the {record_type} sets that would go",
        )
        for record_type in sorted(lost)
        if (name, record_type) in around.pointed
    )


def judge_circles(
    endpoint: Endpoint, wanted: Content, around: Surroundings, standing: frozenset[Node] = frozenset()
) -> tuple[Finding, ...]:
    """Refuse an alias that leads back to itself, unless its target is standing: no order of CREATEs could begin it."""
    found = []
    for record in wanted:
        circle = around.circles.get((record.name, record.type), ())
        target = target_of(record, endpoint.zone)
        if target is not None and target[0] in circle and target not in standing:
            message = f"the alias {record.set_identifier or record.type} leads back here: a circle of aliases ({some(circle)})"
            found.append(Finding(guard="alias-target", observed=len(circle), wanted=target[0], message=message))
    return tuple(found)


def judge_answers(
    before: Iterable[RecordSet], after: Iterable[RecordSet], zone: str, around: Surroundings
) -> tuple[Finding, ...]:
    """Refuse what leaves a kind with aliases that lead nowhere where something answered it; nobody can allow that."""
    lost = silenced(before, after, zone, around.standing, around.sure)
    message = "would be left with aliases that lead to no answer, where something answers it now"
    return tuple(Finding(guard="alias-target", observed=kind, message=f"{kind} {message}") for kind in lost)


def without_allowed(findings: Iterable[Finding], allowed: frozenset[str]) -> tuple[Finding, ...]:
    """Drop what a person allowed, whatever else was typed into the fence by hand."""
    return tuple(finding for finding in findings if finding.guard not in allowed.intersection(ALLOWABLE))


def _out_of_zone(name: str, around: Surroundings) -> Iterable[Finding]:
    if around.zone_name is not None and not names.is_within(name, around.zone_name):
        message = f"{name} is not within zone {around.zone_name}"
        yield Finding(guard="out-of-zone", observed=around.zone_name, wanted=name, message=message)


def _apex(name: str, wanted: Content, around: Surroundings) -> Iterable[Finding]:
    if name == around.zone_name and any(record.type == "CNAME" for record in wanted):
        yield Finding(
            guard="apex", wanted="CNAME", message="a CNAME cannot stand at the zone's apex, beside its NS and SOA"
        )


def _occluded(name: str, around: Surroundings) -> Iterable[Finding]:
    for cut in (name, *names.parents(name)):
        if cut in around.cuts:
            message = f"the NS set at {cut} hands this name to other servers: nothing written here would be answered"
            yield Finding(guard="occluded", observed=cut, wanted=name, message=message)
            return


def _alias_target(endpoint: Endpoint, wanted: Content, around: Surroundings) -> Iterable[Finding]:
    for record in wanted:
        if record.alias is not None and dangles(record, endpoint.zone, around.available):
            target = f"points to {record.alias.name}, where no {record.type} set leads to an answer"
            message = f"the alias {record.set_identifier or record.type} {target}"
            yield Finding(guard="alias-target", observed=0, wanted=record.alias.name, limit=1, message=message)


def _zero_weights(wanted: Content) -> Iterable[Finding]:
    for record_type in sorted({record.type for record in wanted}):
        group = [record for record in wanted if record.type == record_type]
        if not any(record.serves for record in group):
            message = f"all {len(group)} {record_type} targets have weight 0"
            yield Finding(guard="zero-weights", wanted=0, limit=1, message=message)


def _kind(before: Content, wanted: Content) -> Iterable[Finding]:
    for kind in sorted(kinds_of(before) - kinds_of(wanted)):
        message = f"the endpoint answers {kind} and would stop, which no plan can ask for"
        yield Finding(guard="kind", observed=kind, wanted="none", message=message)


def _shrink(guard: str, before: Content, wanted: Content, limit: float) -> Iterable[Finding]:
    for kind in get_args(Kind):
        old, new = weights_by_target(before, kind), weights_by_target(wanted, kind)
        if not old or not _comparable(before, wanted):
            continue
        share, what = _gone_targets(old, new) if guard == "shrink-targets" else _gone_capacity(old, new)
        if share > limit:
            message = f"{kind}: {what}, a share of {share:.2f} over the limit {limit}"
            yield Finding(guard=guard, observed=len(old), wanted=len(new), limit=limit, message=message)


def lost_capacity(before: Content, wanted: Content, kind: Kind) -> float:
    """Return the share of a kind's weight held by targets that go or go to 0; 0 where nothing can be counted."""
    old = weights_by_target(before, kind)
    return _gone_capacity(old, weights_by_target(wanted, kind))[0] if old and _comparable(before, wanted) else 0.0


def _comparable(before: Content, wanted: Content) -> bool:
    """Tell whether targets can be counted on both sides: how many addresses a CNAME led to is not to be known here."""
    return {record.type for record in before} != {"CNAME"} or {record.type for record in wanted} == {"CNAME"}


def _gone_targets(old: Mapping[str, int], new: Mapping[str, int]) -> tuple[float, str]:
    gone = sum(1 for target in old if target not in new)
    return gone / len(old), f"{gone} of {len(old)} targets go"


def _gone_capacity(old: Mapping[str, int], new: Mapping[str, int]) -> tuple[float, str]:
    total = sum(old.values())
    gone = sum(weight for target, weight in old.items() if not new.get(target, 0))
    return gone / total, f"targets that hold {gone} of {total} of the weight go or go to 0"


def weights_by_target(content: Iterable[RecordSet], kind: Kind) -> dict[str, int]:
    """Return the weight of each target of a kind, told apart by address or alias, never by id (a rename is no change).

    A value of a simple or multivalue set, and an alias without weight, weighs 1; where all weights are 0 Route 53 serves all
    alike, so each counts 1.
    """
    weights: dict[str, int] = {}
    for record in content:
        if kind not in KINDS_OF_TYPE.get(record.type, frozenset()):
            continue
        for target in _targets(record):
            weights[target] = weights.get(target, 0) + (1 if record.weight is None else record.weight)
    return weights if any(weights.values()) else dict.fromkeys(weights, 1)


def _targets(record: RecordSet) -> tuple[str, ...]:
    return (_alias_identity(record.alias),) if record.alias else record.values


def _alias_identity(alias: Alias) -> str:
    return f"alias {alias.name} in {alias.zone}"


def some(all_names: Iterable[str]) -> str:
    """Return the first few names, and how many more there are."""
    listed = list(all_names)
    rest = len(listed) - NAMES_SHOWN_MAX
    return ", ".join(listed[:NAMES_SHOWN_MAX]) + (f" and {rest} more" if rest > 0 else "")

"""Decide what a publish stores: the plan as it is, the plan with refused endpoints carried forward, nothing, or nothing new.

Pure. The guards hold the new plan against the newest plan that can be read. An endpoint that a guard refuses keeps its parent's
content, so that one source's mistake never takes the fleet's other endpoints with it; a new one that is refused is left out.
What would then be stored is judged once more as a whole. Enactors judge again: nothing here is trusted by them.

What the parent has may itself have been published past the guards (`--unguarded`), so that enactors refused it and something older
stands in DNS. Held against that alone, the mended file would be refused and the mistake kept. So where the caller looked back, an
endpoint also passes that guards let through against what it had before such a step; enactors hold it against what stands.

    form, --expect-parent, --expect-digest   plan-wide guards   decision
    ---------------------------------------   ----------------   --------
    not as reviewed                           -                  Mismatch: store nothing
    fine                                      refuse             RefusedWhole: store nothing
    fine                                      pass               Unchanged where HEAD is the very same, is sound, and stays
                                                                 or does not stay as was wished; else Store
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from enactor.aliases import circles
from enactor.guards import (
    Finding,
    LimitsTable,
    Surroundings,
    judge_change,
    judge_circles,
    judge_content,
)
from enactor.plan import Endpoint, Plan, canonical_json, content_of_endpoint, digest_of, sorted_plan
from enactor.plan_guards import judge_plan, lifted
from enactor.ports import PlanHead

Key = tuple[str, str]
HELD_AGAINST_PARENT: Final = frozenset({"shrink-targets", "shrink-capacity", "kind"})
"""The guards of an endpoint that compare it with the same endpoint of another plan."""
DIGEST_DIGITS_MIN: Final = 12
"""As many digits as fences and switches carry; fewer are no identity."""


class Carried(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An endpoint that guards refused: it keeps its parent's content, or is left out where it has none."""

    name: str
    zone: str
    guards: tuple[Finding, ...]
    left_out: bool = False


class Parent(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the table: HEAD, whether its body reads back, the plan to judge against, and FLOOR."""

    head: PlanHead | None
    is_sound: bool
    base: Plan | None
    """HEAD's plan, or the newest older one that can be read."""
    floor: int
    base_generation: int | None = None
    """The generation of `base`: messages name it."""
    allowed: frozenset[str] = frozenset()
    """The plan-wide guards that people lifted for the next generation."""
    stays: str | None = None
    """Why planners that run leave HEAD alone, None where they go on: a sentence for people."""
    earlier: Mapping[Key, Sequence[Endpoint]] = {}
    """What endpoints had in plans below `base`, the newest first, where that was looked for: see `looking_back`."""

    @property
    def next(self) -> int:
        """Return the generation that would be published."""
        return 1 + max(self.head.generation if self.head else 0, self.floor)


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for besides the plan."""

    unguarded: bool = False
    expect_digest: str | None = None
    expect_parent: int | None = None
    stays: str | None = None
    """What the plan is, where planners that run are to leave it alone: a rollback, a plan file."""
    looks_back: bool = False
    """Whether a person asks: then a step past the guards can be undone. A planner that runs follows signals, and never goes back so."""


class Store(msgspec.Struct, frozen=True):
    """Publish this plan as the next generation."""

    plan: Plan
    digest: str
    carried: tuple[Carried, ...]


class Unchanged(msgspec.Struct, frozen=True):
    """HEAD says the very same already."""

    digest: str
    carried: tuple[Carried, ...]


class RefusedWhole(msgspec.Struct, frozen=True):
    """Plan-wide guards keep the plan out of the table."""

    findings: tuple[Finding, ...]
    digest: str
    carried: tuple[Carried, ...] = ()


class Mismatch(msgspec.Struct, frozen=True):
    """What would be stored, or what it would be stored on, is not what was reviewed."""

    why: str


Publication = Store | Unchanged | RefusedWhole | Mismatch


def decide(new: Plan, parent: Parent, wish: Wish, limits: LimitsTable) -> Publication:
    """Answer what to store; see the table above."""
    generation = parent.head.generation if parent.head else 0
    if wish.expect_parent not in {None, generation}:
        return Mismatch(f"HEAD is generation {generation}, not {wish.expect_parent}: look at what was published since")
    whole = () if wish.unguarded else _whole(new, parent, limits)
    if whole:
        return RefusedWhole(whole, _digest(new))
    plan, carried = (new, ()) if wish.unguarded else carry(new, parent.base, limits, parent.earlier)
    carried = tuple(_against(one, parent.base_generation) for one in carried)
    digest = _digest(plan)
    left = () if wish.unguarded else _whole(plan, parent, limits)
    if left:
        return RefusedWhole(left, digest, carried)
    if not _is_expected(digest, wish.expect_digest):
        return Mismatch(
            f"what would be stored has digest {digest[:DIGEST_DIGITS_MIN]}, not {wish.expect_digest}{_told(carried)}"
        )
    is_same = (
        parent.head is not None
        and parent.head.digest == digest
        and parent.is_sound
        and parent.floor < generation
        and (parent.stays is None) == (wish.stays is None)
    )
    return Unchanged(digest, carried) if is_same else Store(plan, digest, carried)


def _against(one: Carried, generation: int | None) -> Carried:
    """Name the plan that an endpoint's content was held against: what stands in the zone may be another one."""
    if generation is None:
        return one
    return msgspec.structs.replace(
        one,
        guards=tuple(
            msgspec.structs.replace(finding, message=f"{finding.message} (against plan {generation})")
            if finding.guard in HELD_AGAINST_PARENT
            else finding
            for finding in one.guards
        ),
    )


def _whole(plan: Plan, parent: Parent, limits: LimitsTable) -> tuple[Finding, ...]:
    return lifted(judge_plan(plan, parent.base, limits.plan), parent.allowed)


def _digest(plan: Plan) -> str:
    return digest_of(canonical_json(plan))


def _is_expected(digest: str, expected: str | None) -> bool:
    return expected is None or digest.startswith(expected.lower())


def _told(carried: tuple[Carried, ...]) -> str:
    return f", because guards refuse {', '.join(one.name for one in carried)}" if carried else ""


def carry(
    new: Plan, base: Plan | None, limits: LimitsTable, earlier: Mapping[Key, Sequence[Endpoint]] | None = None
) -> tuple[Plan, tuple[Carried, ...]]:
    """Return the plan with every refused endpoint as its parent has it, and what was carried."""
    before = {endpoint.key: endpoint for endpoint in base.endpoints} if base else {}
    past = earlier or {}
    judged = ((one.key, _judged_back(one, before.get(one.key), past.get(one.key, ()), limits)) for one in new.endpoints)
    refused = {key: findings for key, findings in judged if findings}
    plan = _with_parents(new, before, refused)
    while closed := _closed(plan, refused):  # ends: each round refuses an endpoint more
        refused |= closed
        plan = _with_parents(new, before, refused)
    carried = (
        Carried(name=name, zone=zone, guards=refused[zone, name], left_out=(zone, name) not in before)
        for zone, name in (endpoint.key for endpoint in new.endpoints)
        if (zone, name) in refused
    )
    return sorted_plan(plan), tuple(carried)


def _with_parents(new: Plan, before: Mapping[Key, Endpoint], refused: Mapping[Key, object]) -> Plan:
    kept = (before.get(one.key) if one.key in refused else one for one in new.endpoints)
    return msgspec.structs.replace(new, endpoints=tuple(endpoint for endpoint in kept if endpoint is not None))


def _closed(plan: Plan, refused: Mapping[Key, object]) -> dict[Key, tuple[Finding, ...]]:
    """Return the endpoints that a circle of aliases within the plan closes, where they are not refused already."""
    contents = {endpoint.key: content_of_endpoint(endpoint) for endpoint in plan.endpoints}
    around = {
        zone: Surroundings(
            circles=circles((one for key, sets in contents.items() if key[0] == zone for one in sets), zone)
        )
        for zone in sorted({zone for zone, _ in contents})
    }
    judged = (
        (endpoint.key, judge_circles(endpoint, contents[endpoint.key], around[endpoint.zone]))
        for endpoint in plan.endpoints
        if endpoint.key not in refused
    )
    return {key: findings for key, findings in judged if findings}


def held_against_parent(decision: Publication) -> frozenset[Key]:
    """Return the endpoints that nothing keeps out but what their parent has."""
    if isinstance(decision, Mismatch):
        return frozenset()
    return frozenset(
        (one.zone, one.name)
        for one in decision.carried
        if not one.left_out and all(finding.guard in HELD_AGAINST_PARENT for finding in one.guards)
    )


def _judged_back(
    endpoint: Endpoint, old: Endpoint | None, earlier: Sequence[Endpoint], limits: LimitsTable
) -> tuple[Finding, ...]:
    findings = judge_endpoint(endpoint, old, limits)
    if not findings or old is None:
        return findings
    passes = any(not judge_endpoint(endpoint, stood, limits) for stood in _leapt_from((old, *earlier), limits))
    return () if passes else findings


def _leapt_from(newest_first: Sequence[Endpoint], limits: LimitsTable) -> Iterator[Endpoint]:
    """Yield what an endpoint had before each step that guards refuse: somebody published past them, and enactors may have refused it."""
    return (older for newer, older in pairwise(newest_first) if judge_endpoint(newer, older, limits))


def judge_endpoint(endpoint: Endpoint, old: Endpoint | None, limits: LimitsTable) -> tuple[Finding, ...]:
    """Return what guards say of one endpoint, held against its parent; what nobody can be answered from is refused again too.

    What needs to know the zone (apex, occluded, an alias's target) is left to `dry-run` and the enactors, which read it.
    """
    wanted = content_of_endpoint(endpoint)
    before = content_of_endpoint(old) if old else ()
    return (
        *judge_content(wanted),
        *judge_change(before, wanted, limits.of(endpoint.name)),
    )

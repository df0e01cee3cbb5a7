"""Decide whether a whole plan must be refused, held against its parent at publish and against what each zone has open later.

Pure. Absence is never a deletion: a name leaves a plan only by being listed as retired in it.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from enactor.guards import Finding, PlanLimits, some
from enactor.plan import Broken, Endpoint, Plan, content_of_endpoint

PLAN_GUARDS: Final = ("empty-plan", "vanished", "changed-share", "digest")
PLAN_ALLOWABLE: Final = frozenset({"vanished", "changed-share"})
"""What a person may lift for one plan."""


def judge_plan(new: Plan, base: Plan | None, limits: PlanLimits, zone: str | None = None) -> tuple[Finding, ...]:
    """Refuse a whole plan, held against the one in force (in one zone, or in all of them)."""
    if not new.endpoints and not new.broken:
        return (Finding(guard="empty-plan", wanted=0, limit=1, message="the plan has no endpoints"),)
    if base is None:
        return ()
    before = {part.key: part for part in base.listed if zone in {None, part.zone}}
    if not before:
        return ()
    return (*_vanished(new, before, limits.vanished), *_changed(new, before, limits.changed_share))


def lifted(findings: Iterable[Finding], allowed: frozenset[str]) -> tuple[Finding, ...]:
    """Drop what a person allowed for this plan; that a plan has no endpoints can be allowed by nobody."""
    return tuple(finding for finding in findings if finding.guard not in allowed & PLAN_ALLOWABLE)


def judge_absence(new: Plan, fenced: Collection[str], limits: PlanLimits, zone: str) -> tuple[Finding, ...]:
    """Refuse a plan that no longer mentions what the fences of a zone mark: for a zone whose open plan nobody can read."""
    listed = {part.name for part in (*new.listed, *new.retired) if part.zone == zone}
    gone = sorted(name for name in fenced if name not in listed)
    share = len(gone) / len(fenced) if fenced else 0.0
    if share <= limits.vanished:
        return ()
    message = (
        f"{len(gone)} of {len(fenced)} endpoints that have a fence are not mentioned ({some(gone)}), and the plan that is "
        "open cannot be read to tell why; list a name under retired to let it leave, or allow this"
    )
    left = len(fenced) - len(gone)
    return (Finding(guard="vanished", observed=len(fenced), wanted=left, limit=limits.vanished, message=message),)


def _vanished(new: Plan, before: Mapping[tuple[str, str], Endpoint | Broken], limit: float) -> Iterable[Finding]:
    listed = {part.key for part in new.listed} | {part.key for part in new.retired}
    gone = sorted(key for key in before if key not in listed)
    share = len(gone) / len(before)
    if share > limit:
        message = _gone_words(gone, new, len(before))
        yield Finding(
            guard="vanished", observed=len(before), wanted=len(before) - len(gone), limit=limit, message=message
        )


def _gone_words(gone: list[tuple[str, str]], new: Plan, total: int) -> str:
    """Say what is not mentioned at all, and what under another zone's id: that is most often a wrong id, and no removal."""
    elsewhere = {part.name: part.zone for part in new.listed}
    moved: dict[tuple[str, str], list[str]] = {}
    for zone, name in gone:
        if name in elsewhere:
            moved.setdefault((zone, elsewhere[name]), []).append(name)
    absent = [name for _, name in gone if name not in elsewhere]
    words = [f"{len(absent)} of {total} endpoints are no longer mentioned ({some(absent)})"] if absent else []
    for (old, new_zone), listed in moved.items():
        verb = "is" if len(listed) == 1 else "are"
        words.append(f"{some(listed)} {verb} mentioned in zone {new_zone} and no longer in {old}")
    advice = "check the zone id, or list a name under retired" if moved else "list a name under retired"
    return f"{'; '.join(words)}; {advice} to let it leave"


def _changed(new: Plan, before: Mapping[tuple[str, str], Endpoint | Broken], limit: float) -> Iterable[Finding]:
    after = {endpoint.key: endpoint for endpoint in new.endpoints}
    changed = sum(1 for key, old in before.items() if key in after and _differs(old, after[key]))
    share = changed / len(before)
    if share > limit:
        message = f"{changed} of {len(before)} endpoints change at once, a share of {share:.2f} over the limit {limit}"
        yield Finding(guard="changed-share", observed=len(before), wanted=changed, limit=limit, message=message)


def _differs(old: Endpoint | Broken, new: Endpoint) -> bool:
    return not isinstance(old, Endpoint) or content_of_endpoint(old) != content_of_endpoint(new)

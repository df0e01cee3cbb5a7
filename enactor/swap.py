"""Decide what is to be done at one endpoint: from what was observed and what is wanted to one of a closed set of values.

Pure: the nonce and AWS's time come in as arguments. Nothing is decided here that the batch does not assert again: every Swap
rests on the fence exactly as observed, so a decision made on stale facts loses (promise 2), and it names the whole change of
the endpoint, so that no mix of two contents can stand (promise 3).

    fence                sets                    decision
    -----                ----                    --------
    garbled              any                     Garbled: untouched
    another fleet's      any                     Foreign: untouched
    retired              any                     Tombstone, or Refused(retired) where the plan still lists the name
    hold                 any                     Held: untouched
    none                 none                    Swap: create fence and sets (only at the open generation, or opening it)
    none                 as in a kept plan       Swap: create the fence, assert every set that was observed
    none                 anything else           Foreign: untouched until a person adopts
    names the wanted     as wanted               Current
    names the wanted     anything else           Repair
    names another        guards pass             Swap
    names another        guards refuse           Refused, with a Repair to what the fence names where it does not stand
    any                  would answer nothing    Refused(alias-target): no swap, no repair, leaves only aliases to nothing
    any of these, but nothing may advance here   Repair to what the fence names, else Superseded
"""

from datetime import datetime
from typing import Final, Literal

import msgspec

from enactor import guards
from enactor.drain import Window, judge_drain, next_base
from enactor.fence import Fence, Garbled, allowed_guards, is_held
from enactor.guards import Finding, Limits, Surroundings
from enactor.observe import FenceReading
from enactor.plan import Broken, Endpoint, content_of_endpoint
from enactor.records import (
    Content,
    RecordSet,
    content_digest,
    content_of,
    difference,
    kinds_of,
)
from enactor.survivors import survivors

State = Literal[
    "retired",
    "fence-garbled",
    "foreign",
    "held",
    "missing",
    "fence-missing",
    "vanished",
    "empty",
    "refused",
    "behind",
    "drifted",
    "current",
]


class View(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint as observed: the fence first, then the record sets."""

    name: str
    zone: str
    fence: FenceReading | None
    sets: tuple[RecordSet, ...]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one decision rests on."""

    view: View
    wanted: Endpoint | Broken | None
    """What the working plan says; None where it does not list the name (any more)."""
    generation: int
    """The working plan's generation."""
    may_advance: bool
    """Whether the working plan is open in the zone, or may be opened: below the open generation nothing is written but repair."""
    named: Content | None
    """The content that the fence names, where a kept plan (or the zone itself) still has it."""
    kept: frozenset[str]
    """Digests of this endpoint's content in kept plans."""
    fleet: str
    enactor: str
    nonce: str
    limits: Limits
    around: Surroundings
    aws_now: datetime | None
    window: Window | None = None
    """The slow-drain window that the fence is in."""
    stood: Content | None = None
    """The content at its beginning, where a plan at hand still has it."""


Purpose = Literal["advance", "repair", "mark"]
"""advance: content of the working plan; repair: the content the fence names; mark: only the fence is written."""


class Swap(msgspec.Struct, frozen=True, kw_only=True):
    """The change of one endpoint from what was observed to what is wanted, as one compare-and-swap."""

    name: str
    zone: str
    state: State
    purpose: Purpose
    fence_before: RecordSet | None
    fence_after: Fence
    deletes: tuple[RecordSet, ...]
    creates: tuple[RecordSet, ...]
    before: tuple[RecordSet, ...]
    """Every managed set at the name as observed: what the last gate plays the batch on."""
    allowed: tuple[str, ...] = ()
    """Guards that a person's `allow` in the observed fence lifts for this swap; the swap uses them up."""


class Current(msgspec.Struct, frozen=True):
    """The endpoint is as wanted."""


class Superseded(msgspec.Struct, frozen=True):
    """Only an older plan is at hand than the one open in the zone; nothing to repair, or nothing to repair with."""


class Foreign(msgspec.Struct, frozen=True):
    """The name's record sets are not ours."""

    why: str


class GarbledFence(msgspec.Struct, frozen=True):
    """The fence cannot be read, so nobody knows what should stand here."""

    why: str


class Held(msgspec.Struct, frozen=True):
    """A person froze the endpoint."""


class Tombstone(msgspec.Struct, frozen=True):
    """The name was retired, and no plan lists it."""


class Refused(msgspec.Struct, frozen=True):
    """Guards keep the plan's content out; where what the fence names does not stand, it is repaired meanwhile."""

    findings: tuple[Finding, ...]
    repair: Swap | None = None


Decision = Current | Superseded | Foreign | GarbledFence | Held | Tombstone | Refused | Swap


def decide(question: Question) -> Decision:
    """Answer what is to be done at one endpoint; see the table above."""
    return _still_answering(_wish(question), question)


def _still_answering(decision: Decision, question: Question) -> Decision:
    """Refuse a swap that leaves a kind with dead aliases only, whatever asks for it and whoever allowed it."""
    match decision:
        case Swap() as swap if found := _silencing(swap, question):
            fence = question.view.fence.fence if question.view.fence else None
            repair = (
                _repair_to_named(question, fence) if isinstance(fence, Fence) and swap.purpose != "repair" else None
            )
            return _still_answering(Refused(found, repair=repair), question)
        case Refused(findings=findings, repair=Swap() as repair) if found := _silencing(repair, question):
            return Refused((*findings, *(one for one in found if one not in findings)))
        case _:
            return decision


def _silencing(swap: Swap, question: Question) -> tuple[Finding, ...]:
    after = {record.key: record for record in swap.before if record not in swap.deletes}
    after |= {record.key: record for record in swap.creates}
    return guards.judge_answers(swap.before, after.values(), swap.zone, question.around)


def _wish(question: Question) -> Decision:
    reading = question.view.fence
    if reading is None:
        return _without_fence(question)
    match reading.fence:
        case Garbled(why):
            return GarbledFence(why)
        case Fence() as fence if fence.fleet != question.fleet:
            return Foreign(f"its fence belongs to fleet {fence.fleet}")
        case Fence(state="retired"):
            return Refused((_RETIRED,)) if question.wanted is not None else Tombstone()
        case Fence() as fence if is_held(fence, question.aws_now):
            return Held()
        case Fence() as fence:
            return _with_fence(question, fence)


_RETIRED: Final = Finding(
    guard="retired",
    message="the name was retired by a person and the plan lists it again; `enactor adopt` is the way to bring it back",
)


def _without_fence(question: Question) -> Decision:
    if isinstance(question.wanted, Broken):
        return Refused(guards.judge_form(question.wanted))
    if question.wanted is None:
        return Superseded()
    target = content_of_endpoint(question.wanted)
    observed = content_of(question.view.sets)
    if observed and content_digest(observed) not in question.kept | {content_digest(target)}:
        return Foreign(
            "record sets without a fence, which no kept plan explains: `enactor adopt` takes them as they are"
        )
    if not question.may_advance:
        return Superseded()
    findings = _findings(question, target, (observed,))
    if findings and (not observed or _misplaced(findings)):
        return Refused(findings)
    goal = observed if findings else target
    swap = _swap(question, goal, purpose="advance", state="fence-missing" if observed else "missing", assert_all=True)
    return Refused(findings, repair=swap) if findings else swap


def _misplaced(findings: tuple[Finding, ...]) -> bool:
    return any(finding.guard in {"out-of-zone", "occluded", "apex"} for finding in findings)


def _with_fence(question: Question, fence: Fence) -> Decision:
    if not question.may_advance or question.wanted is None:
        return _repair_to_named(question, fence) or (Current() if _is_named(question, fence) else Superseded())
    if isinstance(question.wanted, Broken):
        return Refused(guards.judge_form(question.wanted), repair=_repair_to_named(question, fence))
    target = content_of_endpoint(question.wanted)
    observed = content_of(question.view.sets)
    if fence.plan == content_digest(target):
        if observed == target:
            return Current()
        standing = question.around.standing or frozenset()
        findings = (
            *guards.judge_place(question.wanted, target, question.around),
            *guards.judge_circles(question.wanted, target, question.around, standing),
        )
        return (
            Refused(findings)
            if findings
            else _swap(question, target, purpose="repair", state=_broken_state(question, target))
        )
    allowed = allowed_guards(fence, question.generation, question.aws_now)
    findings = guards.without_allowed(_findings(question, target, _bases(question)), allowed)
    if findings:
        return Refused(findings, repair=_repair_to_named(question, fence))
    purpose: Purpose = "mark" if observed == target else "advance"
    state: State = "empty" if is_empty(question.view, question.named) else "behind"
    return _swap(question, target, purpose=purpose, state=state, allowed=tuple(sorted(allowed)))


def _bases(question: Question) -> tuple[Content, ...]:
    """Return what a change is held against: what stands, and what the fence names."""
    observed = content_of(question.view.sets)
    return (observed,) if question.named is None else (observed, question.named)


def _findings(question: Question, target: Content, bases: tuple[Content, ...]) -> tuple[Finding, ...]:
    assert isinstance(question.wanted, Endpoint)
    found = [
        *guards.judge_content(target),
        *guards.judge_place(question.wanted, target, question.around),
        *guards.judge_circles(question.wanted, target, question.around),
        *guards.judge_room(len(target) - len(question.view.sets) + (question.view.fence is None), question.around),
    ]
    if target:
        found += guards.judge_pointers(question.view.name, question.view.sets, target, question.around)
    for base in bases:
        found += [finding for finding in guards.judge_change(base, target, question.limits) if finding not in found]
    return (*found, *judge_drain(question.window, question.stood, bases, target, question.limits))


def _is_named(question: Question, fence: Fence) -> bool:
    return content_digest(content_of(question.view.sets)) == fence.plan


def _repair_to_named(question: Question, fence: Fence) -> Swap | None:
    """Return the way back to what the fence names, or None where it stands or nobody knows it any more."""
    if question.named is None or not question.named or _is_named(question, fence):
        return None
    return _swap(question, question.named, purpose="repair", state=_broken_state(question, question.named))


def _broken_state(question: Question, content: Content) -> State:
    return "empty" if is_empty(question.view, content) else "drifted"


def is_empty(view: View, in_force: Content | None) -> bool:
    """Tell whether a kind that the content in force serves has no set at all."""
    if in_force is None:
        return not view.sets
    return bool(kinds_of(in_force) - kinds_of(view.sets))


def _swap(
    question: Question,
    target: Content,
    *,
    purpose: Purpose,
    state: State,
    assert_all: bool = False,
    allowed: tuple[str, ...] = (),
) -> Swap:
    change = difference(question.view.sets, target)
    deletes, creates = change.deletes, change.creates
    if assert_all:
        deletes, creates = tuple(sorted(question.view.sets, key=lambda record: record.key)), target
    elif deletes or not creates:
        again = survivors(change.kept, creates, question.view.zone, question.around.standing)
        deletes, creates = (*deletes, *again), (*creates, *again)
    return Swap(
        name=question.view.name,
        zone=question.view.zone,
        state=state,
        purpose=purpose,
        fence_before=question.view.fence.record if question.view.fence else None,
        fence_after=_fence_after(question, target, purpose),
        deletes=deletes,
        creates=creates,
        before=question.view.sets,
        allowed=allowed,
    )


def _fence_after(question: Question, target: Content, purpose: Purpose) -> Fence:
    """Return the new fence. A repair says again what the old one said, `allow` included: it used nothing up."""
    old = question.view.fence.fence if question.view.fence else None
    known = old if isinstance(old, Fence) else None
    repaired = known if purpose == "repair" else None
    return Fence(
        fleet=question.fleet,
        gen=repaired.gen if repaired else question.generation,
        plan=content_digest(target),
        by=question.enactor,
        nonce=question.nonce,
        allow=repaired.allow if repaired else (),
        base=repaired.base
        if repaired
        else next_base(known, _bases(question), target, question.limits, question.aws_now, stood=question.stood),
    )

"""Judge every endpoint of a zone: put the question to `swap.decide`, name the state, say whether it answers.

Pure but for the two lookups it is handed, which find what an older plan said.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, Protocol

import msgspec

from enactor.aliases import circles, dangles, leading
from enactor.drain import window_of
from enactor.fence import Fence, instant_text, is_held
from enactor.guards import ALLOWABLE, Finding, LimitsTable, Surroundings
from enactor.memory import ZoneMemory
from enactor.plan import Broken, Endpoint, content_of_endpoint
from enactor.plan_index import PlanIndex
from enactor.records import Content, RecordSet, content_digest, content_of, kinds_of
from enactor.standing import Choice
from enactor.swap import (
    Current,
    Decision,
    Foreign,
    GarbledFence,
    Held,
    Question,
    Refused,
    State,
    Superseded,
    Swap,
    Tombstone,
    View,
    decide,
    is_empty,
)

NO_NONCE: Final = "0" * 16
"""For judgements that are only looked at and never sent."""
TYPE_OF_KIND: Final = {"v4": "A", "v6": "AAAA"}
"""What `enactor retire --type` takes away where a plan leaves a kind out."""


class Lookup(Protocol):
    """Where older contents are found; `library.Library` is one."""

    def content(self, zone: str, name: str, digest: str) -> Content | None:
        """Return the content of an endpoint that has a digest, where any kept plan has it."""
        ...

    def kept_digests(self, zone: str, name: str) -> frozenset[str]:
        """Return the digests that an endpoint's content has in the kept plans."""
        ...


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint: what is to be done, its state, and whether clients get answers."""

    question: Question
    decision: Decision
    state: State
    answering: bool

    @property
    def swap(self) -> Swap | None:
        """Return the swap that this judgement asks for, a repair beside a refusal included."""
        match self.decision:
            case Swap() as swap:
                return swap
            case Refused(repair=repair):
                return repair
            case _:
                return None


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """What all judgements of one round in one zone share."""

    fleet: str
    enactor: str
    limits: LimitsTable
    choice: Choice
    lookup: Lookup
    nonce: str
    aws_now: datetime | None


def endpoint_names(memory: ZoneMemory, choice: Choice, fleet: str) -> list[str]:
    """Return the names that are ours to judge: listed by the working plan, or marked by a fence of this fleet or a garbled one."""
    fenced = {
        name
        for name, reading in memory.fences.items()
        if not isinstance(reading.fence, Fence) or reading.fence.fleet == fleet
    }
    return sorted(fenced | set(choice.working.zone(memory.zone) if choice.working else ()))


def judge(memory: ZoneMemory, bench: Bench, wanted_names: Iterable[str]) -> dict[str, Judged]:
    """Judge some endpoints of a zone."""
    around = surroundings(memory, bench)
    return {name: _judged(memory, bench, around, name) for name in wanted_names}


def surroundings(memory: ZoneMemory, bench: Bench) -> Surroundings:
    """Return what stands around every endpoint; what the plan will really put there counts as there, in place of what stands."""
    now = [record for sets in memory.sets.values() for record in sets]
    planned = _written(memory, bench)
    then = [record for name, sets in memory.sets.items() if name not in planned for record in sets]
    then += [record for content in planned.values() for record in content]
    standing, available = leading(now, memory.zone), leading(then, memory.zone)
    return Surroundings(
        zone_name=memory.zone_name,
        cuts=memory.cuts,
        pointed=memory.pointed,
        available=available,
        standing=standing,
        sure=standing | (available - memory.available()),
        circles=circles(then, memory.zone),
        room=max(0, bench.limits.zone_record_sets - memory.total),
    )


def _written(memory: ZoneMemory, bench: Bench) -> dict[str, Content]:
    """Return the contents of the working plan whose names nothing but the guards keeps from being written."""
    working = bench.choice.working
    if working is None:
        return {}
    found = ((name, working.contents.get((memory.zone, name))) for name in working.zone(memory.zone))
    return {name: content for name, content in found if content and _is_ours(memory, bench, name, content)}


def _is_ours(memory: ZoneMemory, bench: Bench, name: str, content: Content) -> bool:
    view = memory.view(name)
    fence = view.fence.fence if view.fence else None
    if isinstance(fence, Fence):
        return fence.fleet == bench.fleet and fence.state != "retired" and not is_held(fence, bench.aws_now)
    if view.fence is not None or not view.sets:
        return view.fence is None
    observed = content_of(view.sets)
    return observed == content or content_digest(observed) in bench.lookup.kept_digests(memory.zone, name)


def _judged(memory: ZoneMemory, bench: Bench, around: Surroundings, name: str) -> Judged:
    question = _question(memory, bench, around, name)
    decision = decide(question)
    return Judged(
        question=question,
        decision=decision,
        state=state_of(question, decision, listed=_is_listed(question, bench.choice.working)),
        answering=is_answering(question),
    )


def _is_listed(question: Question, working: PlanIndex | None) -> bool:
    return working is None or question.wanted is not None or (question.view.zone, question.view.name) in working.retired


def _question(memory: ZoneMemory, bench: Bench, around: Surroundings, name: str) -> Question:
    view = memory.view(name)
    working = bench.choice.working
    wanted = working.zone(memory.zone).get(name) if working else None
    fence = view.fence.fence if view.fence else None
    limits = bench.limits.of(name)
    window = window_of(fence.base, bench.aws_now, limits) if isinstance(fence, Fence) else None
    return Question(
        view=view,
        wanted=wanted,
        generation=working.stored.generation if working else 0,
        may_advance=bench.choice.may_advance,
        named=_named(bench, memory.zone, view.name, fence.plan, view.sets) if isinstance(fence, Fence) else None,
        window=window,
        stood=_named(bench, memory.zone, view.name, window.digest, view.sets) if window else None,
        kept=_kept(bench, memory.zone, name, wanted) if view.fence is None and view.sets else frozenset(),
        fleet=bench.fleet,
        enactor=bench.enactor,
        nonce=bench.nonce,
        limits=limits,
        around=around,
        aws_now=bench.aws_now,
    )


def _named(bench: Bench, zone: str, name: str, digest: str, sets: tuple[RecordSet, ...]) -> Content | None:
    """Return the content that a fence names: from the working plan, from what stands, else from an older plan."""
    working = bench.choice.working
    if working is not None and working.digests.get((zone, name)) == digest:
        return working.contents[zone, name]
    observed = content_of(sets)
    if content_digest(observed) == digest:
        return observed
    return bench.lookup.content(zone, name, digest)


def _kept(bench: Bench, zone: str, name: str, wanted: Endpoint | Broken | None) -> frozenset[str]:
    return bench.lookup.kept_digests(zone, name) if wanted is not None else frozenset()


def state_of(question: Question, decision: Decision, *, listed: bool) -> State:
    """Name an endpoint's state, the first that fits."""
    view = question.view
    match decision:
        case Tombstone():
            return "retired"
        case Refused() if view.fence and isinstance(view.fence.fence, Fence) and view.fence.fence.state == "retired":
            return "retired"
        case GarbledFence():
            return "fence-garbled"
        case Foreign():
            return "foreign"
        case Held():
            return "held"
        case _:
            return _unbraked_state(question, decision, listed=listed)


def _unbraked_state(question: Question, decision: Decision, *, listed: bool) -> State:
    view = question.view
    if view.fence is None:
        if isinstance(decision, Refused) and decision.repair is None:
            return "refused"
        return "fence-missing" if view.sets else "missing"
    if not listed:
        return "vanished"
    if is_empty(view, question.named):
        return "empty"
    if isinstance(decision, Refused):
        return "refused"
    if isinstance(decision, Swap):
        return decision.state
    return "current" if isinstance(decision, Current) else "drifted"


def is_answering(question: Question) -> bool:
    """Tell whether clients get answers: every kind of the content in force has a set, and no alias of it dangles."""
    view = question.view
    if not view.sets or is_empty(view, question.named):
        return False
    return not any(dangles(record, view.zone, question.around.standing) for record in view.sets)


def reasons_of(judged: Judged) -> tuple[str, ...]:
    """Return the facts behind a state, in sentences; where a person must decide the last one says how (promise 5)."""
    view = judged.question.view
    match judged.decision:
        case Foreign(why):
            return (f"{why}{_taken_over(view)}",)
        case GarbledFence(why):
            return (
                f"{why}: `enactor adopt {view.name}` writes it anew, once you know that what stands there is right",
            )
        case Refused(findings=findings):
            return (*(f"{finding.guard}: {finding.message}" for finding in findings), *_lifting(judged, findings))
        case Held() if view.fence and isinstance(view.fence.fence, Fence):
            until = view.fence.fence.until
            end = instant_text(until) if until else "released"
            return (*_waiting(judged, view.fence.fence), f"held until {end}: `enactor release {view.name}` ends it")
        case Superseded() if judged.state != "vanished":
            only = "only plans older than the open generation are at hand, and nothing to repair it with"
            return (f"{only}: `planner publish` puts one above it",)
        case _:
            return _plain_reasons(judged)


def _waiting(judged: Judged, fence: Fence) -> tuple[str, ...]:
    """Say what the plan wants of a held endpoint, where that is another content than it is held at."""
    question, wanted = judged.question, judged.question.wanted
    if wanted is None:
        return ("no plan lists this name",) if question.generation else ()
    if isinstance(wanted, Endpoint) and content_digest(content_of_endpoint(wanted)) == fence.plan:
        return ()
    return (f"plan {question.generation} wants other content here, and waits for the end of the hold",)


def _taken_over(view: View) -> str:
    """Say how another fleet's endpoint becomes ours; what has no fence says it already."""
    if view.fence is None or not isinstance(view.fence.fence, Fence):
        return ""
    return f": `enactor adopt {view.name} --from-fleet {view.fence.fence.fleet}` takes it over as it stands"


def _lifting(judged: Judged, findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Say how a refused plan can pass all the same, or that it cannot; a tombstone's finding says it already."""
    question, kept = judged.question, {finding.guard for finding in findings} - {"retired"}
    if not kept:
        return ()
    name = question.view.name
    ways = ["wait for the end of the window"] if kept == {"slow-drain"} else []
    ways.append("`planner publish` one that passes")
    if kept <= set(ALLOWABLE) and question.view.fence is not None and isinstance(question.wanted, Endpoint):
        allows = (
            f"`enactor allow {name} --guard {guard} --generation {question.generation}`" for guard in sorted(kept)
        )
        ways.append(" and ".join(allows))
    ways += [
        f"`enactor retire {name} --type {TYPE_OF_KIND[str(finding.observed)]}`"
        for finding in findings
        if finding.guard == "kind"
    ]
    return (f"the plan does not pass: {', or '.join(ways)}",)


def _plain_reasons(judged: Judged) -> tuple[str, ...]:
    question, view = judged.question, judged.question.view
    if judged.state == "vanished":
        way = "list it again, or under retired, and `enactor retire` takes it away"
        return (f"no plan lists this name; it is kept at the content that its fence names: {way}",)
    if judged.state in {"empty", "missing"}:
        lost = sorted(kinds_of(question.named or ()) - kinds_of(view.sets))
        return (f"no record set answers {' or '.join(lost)}" if lost else "no record set stands here",)
    return ()


def fence_fields(judged: Judged) -> dict[str, Any] | None:
    """Return a fence as `survey --json` shows it, None where there is none that can be read."""
    reading = judged.question.view.fence
    if reading is None or not isinstance(reading.fence, Fence):
        return None
    return {key: value for key, value in msgspec.to_builtins(reading.fence).items() if value not in (None, [], (), "")}

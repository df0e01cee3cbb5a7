"""Decide what a person must see first of a live report: whether every endpoint answers, what is in force, and what is wrong.

Pure. Bounded: of twenty thousand endpoints that are wrong only the first few are named, and how many there are is always said. It must
never say that all is well where something was not seen, or was seen too long ago.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

from enactor.live_report import CYCLE_ALLOWANCE_SECONDS, OLD_CYCLES, LiveEndpoint, LiveReport
from enactor.report import AT_REST
from enactor.swap import State

Tone = Literal["good", "warn", "bad", "busy"]

NAMED_MAX: Final = 50
"""How many endpoints each list of what is wrong, held or waiting names."""
GENERATIONS_MAX: Final = 20
"""How many generations are counted by name in a zone: fences of endpoints that never change may be of any age."""
STATES_BY_URGENCY: Final[tuple[State, ...]] = (
    "empty",
    "missing",
    "fence-garbled",
    "foreign",
    "refused",
    "vanished",
    "drifted",
    "fence-missing",
    "behind",
)
"""What is not at rest, the worst first."""
WORKED_AT: Final[frozenset[State]] = frozenset({"behind", "drifted", "fence-missing", "missing", "empty"})
"""What an enactor mends or brings by itself; the other states wait for a person."""


class InForce(msgspec.Struct, frozen=True):
    """How many endpoints of a zone have a fence of one generation; None: no fence that can be read, or an older one than is told."""

    zone: str
    generation: int | None
    endpoints: int
    older: bool = False
    """All generations below those that are named, together."""


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """What one pass over the endpoints shows."""

    total: int
    """Those that should answer: all but the retired ones."""
    current: int
    silent: int
    """Those that should answer and do not."""
    wrong: tuple[LiveEndpoint, ...]
    wrong_count: int
    held: tuple[LiveEndpoint, ...]
    held_count: int
    waiting: tuple[LiveEndpoint, ...]
    waiting_count: int
    in_force: tuple[InForce, ...]


class Headline(msgspec.Struct, frozen=True):
    """The one fact that matters most, and the next one."""

    tone: Tone
    fact: str
    more: str


def tone_of(endpoint: LiveEndpoint) -> Tone:
    """Return how an endpoint's state is to be taken: a state word says more than its colour."""
    if not endpoint.answering and endpoint.state != "retired":
        return "bad"
    if endpoint.state in WORKED_AT:
        return "busy"
    return "good" if endpoint.state in {"current", "retired"} else "warn"


def overview_of(endpoints: tuple[LiveEndpoint, ...]) -> Overview:
    """Return what one pass over the endpoints shows."""
    living = [one for one in endpoints if one.state != "retired"]
    wrong = sorted((one for one in living if not one.answering or one.state not in AT_REST), key=_urgency)
    held = [one for one in living if one.state == "held"]
    waiting = sorted(
        (one for one in living if one.waits_seconds is not None), key=lambda one: -(one.waits_seconds or 0.0)
    )
    return Overview(
        total=len(living),
        current=sum(one.state == "current" for one in living),
        silent=sum(not one.answering for one in living),
        wrong=tuple(wrong[:NAMED_MAX]),
        wrong_count=len(wrong),
        held=tuple(held[:NAMED_MAX]),
        held_count=len(held),
        waiting=tuple(waiting[:NAMED_MAX]),
        waiting_count=len(waiting),
        in_force=_in_force(living),
    )


def _urgency(endpoint: LiveEndpoint) -> tuple[bool, int, str, str]:
    order = STATES_BY_URGENCY.index(endpoint.state) if endpoint.state in STATES_BY_URGENCY else len(STATES_BY_URGENCY)
    return endpoint.answering, order, endpoint.zone, endpoint.name


def _in_force(living: Iterable[LiveEndpoint]) -> tuple[InForce, ...]:
    """Return the generations by zone, newest first, with the old ones of a zone together, and those without one last."""
    counts: dict[str, Counter[int | None]] = {}
    for one in living:
        counts.setdefault(one.zone, Counter())[one.generation] += 1
    found = []
    for zone, by_generation in sorted(counts.items()):
        known = sorted(((gen, count) for gen, count in by_generation.items() if gen is not None), reverse=True)
        found += [InForce(zone, gen, count) for gen, count in known[:GENERATIONS_MAX]]
        if older := sum(count for _, count in known[GENERATIONS_MAX:]):
            found.append(InForce(zone, None, older, older=True))
        if without := by_generation[None]:
            found.append(InForce(zone, None, without))
    return tuple(found)


def old_after_seconds(report: LiveReport) -> float:
    """Return how old the last cycle may be before what it saw is no longer shown as a fact."""
    return OLD_CYCLES * report.cycle.every_seconds + CYCLE_ALLOWANCE_SECONDS


def headline(report: LiveReport, seen: Overview) -> Headline:
    """Return the one fact that matters most.

    no cycle yet                    warn   not known
    last cycle too long ago         bad    not known any more
    some endpoint does not answer   bad    how many of how many
    such a zone cannot be read now  bad    how many did not answer when it could
    some zone could not be read     warn   the others answer
    no endpoint at all              warn   there is none
    -                               good   all answer
    """
    age = report.cycle.age_seconds
    if age is None:
        return Headline("warn", "Not known yet: no cycle has ended", _why(report))
    if age > old_after_seconds(report):
        return Headline(
            "bad", f"Not known: no cycle has ended for {age:.0f} s", "What stands below is old. " + _why(report)
        )
    unread = [zone.zone for zone in report.zones if zone.report.switch == "unknown"]
    if seen.silent:
        return Headline(
            "bad", f"{seen.silent} of {counted(seen.total)} {_answer(seen.silent)} nothing", plan_words(report, seen)
        )
    if unread and report.not_answering:
        fact = f"{counted(report.not_answering)} answered nothing when {', '.join(unread)} could be read last"
        return Headline("bad", fact, plan_words(report, seen))
    if unread:
        fact = f"{counted(len(unread), 'zone')} could not be read; the {counted(seen.total)} elsewhere {_answer(seen.total)}"
        return Headline("warn", fact, plan_words(report, seen))
    if not seen.total:
        return Headline("warn", "No endpoint is known", plan_words(report, seen))
    fact = "The one endpoint answers" if seen.total == 1 else f"All {counted(seen.total)} answer"
    return Headline("good", fact, plan_words(report, seen))


def plan_words(report: LiveReport, seen: Overview) -> str:
    """Return where the newest plan is in force, in a sentence."""
    generation = report.plan.generation
    if generation is None:
        return "No plan is at hand."
    if seen.current == seen.total and seen.total:
        return f"Plan {generation} is in force at all of them."
    others = Counter({state: count for state, count in report.counts.items() if state not in {"current", "retired"}})
    said = ", ".join(f"{count:,} {state}" for state, count in others.most_common())
    return f"Plan {generation} is in force at {seen.current:,} of {counted(seen.total)}{': ' + said if said else ''}."


def counted(number: int, word: str = "endpoint") -> str:
    """Return a number with its word."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def ends_of(endpoint: LiveEndpoint) -> str | None:
    """Return when a hold ends, None where a person must end it."""
    fence: Mapping[str, object] = endpoint.fence or {}
    until = fence.get("until")
    return str(until) if until else None


def _answer(number: int) -> str:
    return "answers" if number == 1 else "answer"


def _why(report: LiveReport) -> str:
    return " ".join(f"{why}." for why in report.degraded)

"""What commands print for machines: the JSON of `once`, `survey` and `status`, and the exit status that follows from it.

Pure. The schemas that `planner schema` prints come from these structs.
"""

from typing import Any, Final, Literal

import msgspec

from enactor.guards import Finding
from enactor.plan import Fault
from enactor.ports import Presence
from enactor.swap import State

SwitchWord = Literal["run", "stop", "absent"]
PlanWord = Literal["current", "behind", "ahead", "forked"]
Unread = Literal["unknown"]
"""In place of either where the zone could not be read: nothing that was not seen is shown as a fact."""
Source = Literal["table", "disk", "mirror", "none"]
Action = Literal["none", "swapped", "conflict", "waiting", "refused", "failed"]
OutcomeWord = Literal["changed", "unchanged", "partial", "refused", "stopped", "failed"]

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_KEPT_BACK: Final = 3

AT_REST: Final[frozenset[State]] = frozenset({"current", "held", "retired"})
KEPT_BACK_STATES: Final[frozenset[State]] = frozenset({"foreign", "fence-garbled", "refused", "vanished"})
"""Endpoints that something keeps from the newest plan and that only a person can bring back to it."""


class PlanWordReport(msgspec.Struct, frozen=True, kw_only=True):
    """The plan that was worked from."""

    generation: int | None
    digest: str | None
    source: Source


class ZoneReport(msgspec.Struct, frozen=True, kw_only=True):
    """One hosted zone: its switch, the generation open there, and how the plan stands to it."""

    zone: str
    switch: SwitchWord | Unread
    open: int | None
    plan: PlanWord | Unread
    error: str | None = None
    text: str | None = None
    """What stands in the switch, where it is not a clear run: a person may have typed why."""


class EndpointReport(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint after the cycle. `generation` is its fence's, `wanted` the plan's."""

    name: str
    zone: str
    state: State
    action: Action
    generation: int | None
    wanted: int | None
    guards: tuple[Finding, ...] = ()
    change_id: str | None = None
    answering: bool = True
    """Whether every kind of the content in force has a set, and none dangles."""


class Calls(msgspec.Struct, frozen=True):
    """Requests to Route 53: every read, and every ChangeResourceRecordSets sent, whatever the answer."""

    list: int
    change: int


class CycleReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `enactor once --json` prints."""

    fleet: str
    enactor: str
    plan: PlanWordReport
    outcome: OutcomeWord
    zones: tuple[ZoneReport, ...]
    endpoints: tuple[EndpointReport, ...]
    refused: tuple[Finding, ...]
    calls: Calls
    changes: int
    problems: tuple[str, ...] = ()
    """What failed beside zones and endpoints: a table that cannot be read, a newest plan that does not verify."""
    insync: bool | None = None
    """With --wait-insync whether every change is INSYNC by now; null without it."""
    not_answering: int = 0
    """How many endpoints should answer and do not, whatever keeps them so: a hold or a stopped zone excuses nothing."""


class SurveyEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint as `survey` shows it. `answering`: every kind of the content in force has a set, and none dangles."""

    name: str
    zone: str
    state: State
    answering: bool
    generation: int | None
    wanted: int | None
    fence: dict[str, Any] | None
    reasons: tuple[str, ...]


class SurveyReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `enactor survey --json` prints."""

    fleet: str
    plan: PlanWordReport
    zones: tuple[ZoneReport, ...]
    counts: dict[str, int]
    other_zones: int
    endpoints: tuple[SurveyEndpoint, ...]
    refused: tuple[Finding, ...] = ()
    """Plan-wide refusals: the endpoints are then held against an older plan."""
    problems: tuple[str, ...] = ()
    not_answering: int = 0


class EnactorSeen(msgspec.Struct, frozen=True, kw_only=True):
    """An enactor that announced itself."""

    id: str
    generation: int
    seen: str
    silent_seconds: int | None = None
    """How long ago that was, by the Date of AWS's last answer."""
    limits: str | None = None
    """By it one sees whether enactors judge by the same limits; null of one that does not say."""
    presence: Presence = "works"
    """Only one that `works` goes on: `by-hand` was one `enactor once`, and one that `ended` was asked to."""


class StatusReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `enactor status --json` prints: the survey without endpoints, and who is there, and which brakes are on."""

    fleet: str
    plan: PlanWordReport
    zones: tuple[ZoneReport, ...]
    counts: dict[str, int]
    other_zones: int
    enactors: tuple[EnactorSeen, ...] | None
    holds: tuple[str, ...]
    allows: tuple[str, ...]
    stops: tuple[str, ...]
    refused: tuple[Finding, ...] = ()
    problems: tuple[str, ...] = ()
    not_answering: int = 0


class FaultsReport(msgspec.Struct, frozen=True):
    """What a command with `--json` prints where the form of its input is wrong."""

    faults: tuple[Fault, ...]


class ErrorReport(msgspec.Struct, frozen=True):
    """What a command with `--json` prints where something outside failed."""

    error: str


def worst(*statuses: int) -> int:
    """Return the exit status that wins: wrong usage, then failed, then kept back, then all well."""
    return next((status for status in (EXIT_USAGE, EXIT_FAILED, EXIT_KEPT_BACK) if status in statuses), EXIT_OK)


def zones_status(zones: tuple[ZoneReport, ...], problems: tuple[str, ...]) -> int:
    """Return what the zones and the table alone make of the exit status."""
    failed = EXIT_FAILED if problems or any(zone.error for zone in zones) else EXIT_OK
    odd = any(zone.switch == "absent" or zone.plan in {"ahead", "forked"} for zone in zones)
    return worst(failed, EXIT_KEPT_BACK if odd else EXIT_OK)


def cycle_status(report: CycleReport) -> int:
    """Return the exit status of `once`."""
    kept_back = report.refused or report.not_answering
    parts = [zones_status(report.zones, report.problems), EXIT_KEPT_BACK if kept_back else EXIT_OK]
    for endpoint in report.endpoints:
        if endpoint.action in {"failed", "waiting", "conflict"}:
            parts.append(EXIT_FAILED)
        elif endpoint.guards or endpoint.state in KEPT_BACK_STATES:
            parts.append(EXIT_KEPT_BACK)
    return worst(*parts)


def survey_status(report: SurveyReport | StatusReport) -> int:
    """Return the exit status of `survey`: 0 where all is current, held or retired, and all that should answer does."""
    restless = any(count and state not in AT_REST for state, count in report.counts.items())
    kept_back = restless or bool(report.refused) or report.not_answering > 0
    return worst(zones_status(report.zones, report.problems), EXIT_KEPT_BACK if kept_back else EXIT_OK)


def outcome_word(*, failed: bool, kept_back: bool, done: bool, running: bool, judged: bool) -> OutcomeWord:
    """Name a cycle's one outcome.

    failed  kept back  done   running   outcome
    yes     -          yes    -         partial
    yes     -          no     -         failed
    no      -          -      no        stopped
    no      yes        yes    yes       partial
    no      yes        no     yes       refused
    no      no         yes    yes       changed
    no      no         no     yes       unchanged
    """
    if failed:
        return "partial" if done else "failed"
    if judged and not running:
        return "stopped"
    if kept_back:
        return "partial" if done else "refused"
    return "changed" if done else "unchanged"

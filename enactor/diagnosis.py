"""Decide what is wrong around an enactor, from what was looked at: findings, each with its severity and what mends it.

Pure. `doctor` gathers the observations. It must never call well what nobody could look at: that is a note or a warning
("unproven"), with the reason. A warning is what will hurt on some day, an error what hurts by now or lets nothing be written.
"""

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from enactor.ports import Presence
from enactor.report import EXIT_FAILED, EXIT_KEPT_BACK, EXIT_OK

Severity = Literal["ok", "note", "warning", "error"]
WORST_FIRST: Final[tuple[Severity, ...]] = ("error", "warning", "note", "ok")


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at, how it is, and what mends it."""

    check: str
    subject: str
    """What it is about: a zone's id, a table, a directory, an AWS action."""
    severity: Severity
    message: str
    mend: str | None = None
    """A command, or a step in the console; None where nothing is to be done."""


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `enactor doctor --json` prints: every check, the worst first."""

    fleet: str
    enactor: str
    worst: Severity
    findings: tuple[Diagnosis, ...]


Answer = Literal["allowed", "denied", "unproven"]


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """One AWS call, tried in a way that changes nothing."""

    action: str
    resource: str
    answer: Answer
    how: str
    """How it was tried, or why it could not be."""
    without: str = ""
    """What is not done where it is denied; empty where an endpoint might not be healed."""
    own: bool = False
    """Only `doctor` makes it."""


class TableSeen(msgspec.Struct, frozen=True, kw_only=True):
    """The plan table's settings; None where that one could not be asked."""

    table: str
    keys: tuple[tuple[str, str], ...] | None = None
    deletion_protection: bool | None = None
    backups: bool | None = None
    expiry: str | None = None
    """The attribute by which items expire; empty where expiry is off."""
    region: str = ""
    error: str | None = None


class ZoneSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One hosted zone as far as `doctor` looks at it; None where it was not to be seen."""

    zone: str
    name: str
    tier: str | None = None
    guardrails: tuple[str, ...] = ()
    record_sets: int | None = None
    limit: int | None = None
    told_limit: int = 0
    """What `zone-record-sets` of the settings says."""
    protections: tuple[tuple[str, str], ...] | None = None
    """(name, type) of each record set protection."""
    ours: frozenset[str] = frozenset()
    """The names that this fleet writes: its endpoints', their fences' and its switch's."""
    soa_seconds: int | None = None
    switch: Literal["run", "stop", "absent", "garbled"] = "absent"
    switch_text: str = ""
    open: int | None = None
    open_digest: str = ""
    fences: int = 0
    fences_highest: int = 0
    garbled: tuple[str, ...] = ()


class HeadSeen(msgspec.Struct, frozen=True, kw_only=True):
    """What the plan table says of the newest plan."""

    generation: int = 0
    digest: str = ""
    floor: int = 0
    zones: frozenset[str] = frozenset()
    """The zones that it has endpoints in: it is opened there."""
    wrong: str | None = None
    """Why it cannot be used."""


class EnactorSaid(msgspec.Struct, frozen=True, kw_only=True):
    """One enactor's last announcement."""

    id: str
    limits: str
    silent_seconds: int | None
    presence: Presence = "works"


def status_of(findings: Iterable[Diagnosis]) -> int:
    """Return the exit status: 0 nothing worse than a note, 3 warnings, 1 errors."""
    return {"error": EXIT_FAILED, "warning": EXIT_KEPT_BACK}.get(worst_of(findings), EXIT_OK)


def worst_of(findings: Iterable[Diagnosis]) -> Severity:
    """Return the worst severity that there is."""
    found = {one.severity for one in findings}
    return next((severity for severity in WORST_FIRST if severity in found), "ok")


def ranked(findings: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    """Return the findings, the worst first, each severity in the order it was found."""
    return tuple(sorted(findings, key=lambda one: WORST_FIRST.index(one.severity)))


def of_permission(tried: Tried) -> Diagnosis:
    """Say whether a call may be made."""
    found = Diagnosis(
        check="permission", subject=tried.action, severity="ok", message=f"allowed on {tried.resource} ({tried.how})"
    )
    if tried.answer == "allowed":
        return found
    if tried.answer == "unproven":
        return msgspec.structs.replace(
            found, severity="note", message=f"unproven on {tried.resource}: {tried.how}", mend=None
        )
    return msgspec.structs.replace(
        found,
        severity="note" if tried.own else "warning" if tried.without else "error",
        message=f"denied on {tried.resource}: {tried.how}{f'; {tried.without}' if tried.without else ''}",
        mend=f"add {tried.action} on {tried.resource} to the policy of the identity that is named here",
    )


def of_upsert(tried: Tried) -> Diagnosis:
    """Say whether the policy forbids UPSERT: no enactor sends one, and what cannot be sent cannot overwrite blindly."""
    found = Diagnosis(
        check="permission",
        subject="route53 UPSERT",
        severity="ok",
        message=f"denied on {tried.resource}, as it should be ({tried.how})",
    )
    if tried.answer == "denied":
        return found
    if tried.answer == "unproven":
        why = f"whether it is denied on {tried.resource} is unproven: {tried.how}"
        return msgspec.structs.replace(found, severity="note", message=why)
    return msgspec.structs.replace(
        found,
        severity="warning",
        message=f"allowed on {tried.resource}: a program with these credentials can overwrite without having looked",
        mend="deny it by the condition key route53:ChangeResourceRecordSetsActions: allow CREATE and DELETE alone",
    )


def of_table(seen: TableSeen, keys: tuple[tuple[str, str], ...]) -> list[Diagnosis]:
    """Say how the plan table is set up; `keys` is what it must have."""
    if seen.error is not None:
        mend = (
            f"aws dynamodb describe-table --table-name {seen.table}, with the same credentials, and do what it says; where there is "
            "none, enactor init --zone ID makes it"
        )
        return [_table(seen, "error", seen.error, mend)]
    found = [_keys(seen, keys)]
    for what, is_on, mend in (
        (
            "deletion protection",
            seen.deletion_protection,
            f"aws dynamodb update-table --table-name {seen.table} --deletion-protection-enabled",
        ),
        ("point-in-time recovery", seen.backups, "enactor init --zone ID, which switches it on and changes no zone"),
        (
            "expiry of items by the attribute ttl",
            None if seen.expiry is None else seen.expiry == "ttl",
            "enactor init --zone ID, which switches it on and changes no zone",
        ),
    ):
        if is_on is None:
            found.append(_table(seen, "note", f"whether {what} is on is unproven: it may not be asked"))
        elif is_on:
            found.append(_table(seen, "ok", f"{what} is on"))
        else:
            found.append(_table(seen, "warning", f"{what} is off", mend))
    return found


def _keys(seen: TableSeen, keys: tuple[tuple[str, str], ...]) -> Diagnosis:
    if seen.keys is None:
        return _table(seen, "note", "its key schema is unproven: the table may not be described")
    if seen.keys == keys:
        return _table(seen, "ok", "its keys are a plan table's")
    return _table(
        seen, "error", f"its keys are {seen.keys}, not {keys}: it is no plan table", "name another with --table"
    )


def _table(seen: TableSeen, severity: Severity, message: str, mend: str | None = None) -> Diagnosis:
    return Diagnosis(check="table", subject=seen.table, severity=severity, message=message, mend=mend)


def of_head(head: HeadSeen, table: str) -> Diagnosis:
    """Say whether the newest plan can be used, and numbered above."""
    if head.wrong is not None:
        message = f"the newest plan cannot be used: {head.wrong}"
        mend = "planner publish FLEET.yaml, which stores it anew"
        return Diagnosis(check="head", subject=table, severity="error", message=message, mend=mend)
    if head.generation == 0:
        return Diagnosis(
            check="head",
            subject=table,
            severity="note",
            message="no plan was published yet",
            mend="planner publish FLEET.yaml",
        )
    message = f"generation {head.generation}, digest {head.digest[:12]}; FLOOR {head.floor}"
    if head.floor >= head.generation:
        why = f"{message}: a zone has met a generation that the table does not know"
        mend = "planner publish FLEET.yaml, unchanged if there is nothing new"
        return Diagnosis(check="head", subject=table, severity="warning", message=why, mend=mend)
    return Diagnosis(check="head", subject=table, severity="ok", message=message)

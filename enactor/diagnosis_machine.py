"""Decide what is wrong with an enactor's own machine and its company: clock, plans at hand, limits, shares of the account.

Pure; the other half of `diagnosis`, with the same rule: what nobody could look at is not called well.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from enactor.diagnosis import Diagnosis, EnactorSaid, HeadSeen, Severity

SKEW_NOTE_SECONDS: Final = 5.0
SKEW_WARNING_SECONDS: Final = 60.0
SKEW_ERROR_SECONDS: Final = 300.0
"""AWS refuses a request whose signature is some minutes off (RequestTimeTooSkewed)."""
ALIVE_SECONDS: Final = 180
"""An enactor announces itself every minute: after three it is gone, or cannot reach the table."""


def of_clock(local: datetime, aws: datetime | None) -> Diagnosis:
    """Say how far this machine's clock is from AWS's; that Date has whole seconds, and answers take some."""
    if aws is None:
        return Diagnosis(
            check="clock", subject="this machine", severity="note", message="AWS gave no Date to hold it against"
        )
    skew = (local - aws).total_seconds()
    said = f"{abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} AWS's Date"
    if abs(skew) <= SKEW_NOTE_SECONDS:
        return Diagnosis(
            check="clock", subject="this machine", severity="ok", message=f"at most {SKEW_NOTE_SECONDS:.0f} s off"
        )
    severity: Severity = "note"
    why = "no expiry rests on it, and times in logs do"
    if abs(skew) > SKEW_WARNING_SECONDS:
        severity = "error" if abs(skew) > SKEW_ERROR_SECONDS else "warning"
        why = f"AWS refuses requests that are signed {SKEW_ERROR_SECONDS:.0f} s off"
    return Diagnosis(
        check="clock",
        subject="this machine",
        severity=severity,
        message=f"{said}: {why}",
        mend="timedatectl set-ntp true, or what else keeps this machine's time",
    )


def of_limits(own: str, said: Sequence[EnactorSaid]) -> Diagnosis:
    """Say whether the enactors alive judge by the same limits: where they differ, which one comes first decides."""
    by_limits: defaultdict[str, list[str]] = defaultdict(list)
    alive = [one for one in said if is_alive(one)]
    for one in alive:
        by_limits[one.limits].append(one.id)
    unknown = by_limits.pop("", [])
    by_limits[own].append("these settings")
    if len(by_limits) > 1:
        groups = "; ".join(f"{', '.join(ids)} by {digest}" for digest, ids in sorted(by_limits.items()))
        return Diagnosis(
            check="limits",
            subject="the enactors alive",
            severity="warning",
            message=f"they judge by different limits ({groups}): what one refuses another may write",
            mend="give every enactor the same --config file, and start those anew that have another",
        )
    if unknown:
        message = f"an older version, which does not say by which limits it judges: {', '.join(unknown)}"
        return Diagnosis(
            check="limits", subject="the enactors alive", severity="note", message=message, mend="upgrade it"
        )
    message = f"{len(alive)} announced, all judge by {own}"
    return Diagnosis(check="limits", subject="the enactors alive", severity="ok", message=message)


def of_company(said: Sequence[EnactorSaid], share: float) -> list[Diagnosis]:
    """Say who is there, and whether their shares together are more than the account has."""
    alive = [one.id for one in said if is_alive(one)]
    silent = sorted({one.id for one in said if one.presence == "works"} - set(alive))
    found = [_company("ok", f"{len(alive)} alive: {', '.join(sorted(set(alive)))}")]
    if not alive:
        found = [_company("warning", _none_alive(silent, said), "start one: enactor run --state-dir DIR")]
    elif silent:
        message = f"{', '.join(silent)} announced itself within the hour and is silent"
        found.append(_company("note", message, "look at its log; nothing is to be done where it was taken out"))
    divided = f"{len(alive)} alive divide a share of {share:g} of the account's requests and changes, if their settings are these"
    found.append(Diagnosis(check="budget", subject="the account", severity="ok", message=divided))
    return found


def is_alive(one: EnactorSaid) -> bool:
    """Tell whether a worker announced itself lately; one whose time cannot be told is counted as alive.

    Who ended as it was asked to is not, nor is a cycle that a person ran by hand: nobody goes on after it.
    """
    return one.presence == "works" and (one.silent_seconds is None or one.silent_seconds <= ALIVE_SECONDS)


def _none_alive(silent: Sequence[str], said: Sequence[EnactorSaid]) -> str:
    by_hand = sorted({one.id for one in said if one.presence == "by-hand"})
    return (
        "no worker announced itself in three minutes"
        + (f": {', '.join(silent)} did within the hour" if silent else "")
        + (f"; a cycle run by hand ({', '.join(by_hand)}) is none" if by_hand else "")
    )


def of_kept(
    place: str,
    wrong: str | None,
    generation: int | None,
    head: HeadSeen | None,
    *,
    check: str,
    age_seconds: float | None = None,
) -> Diagnosis:
    """Say what a place that keeps plans for the day the table is away holds: a state directory, or the mirror."""
    if wrong is not None:
        mend = (
            f"ls -ld {place}; df {place}: let the worker's user write there, or give another --state-dir"
            if check == "disk"
            else f"aws s3 ls {place.partition('?')[0]}, with the same credentials, and do what it says; planner publish FLEET.yaml "
            "stores it anew"
        )
        return Diagnosis(check=check, subject=place, severity="error", message=wrong, mend=mend)
    mend = (
        "enactor once with the table reachable"
        if check == "disk"
        else "planner publish FLEET.yaml with this --plan-mirror"
    )
    if generation is None:
        if head is None or head.generation == 0:
            return Diagnosis(check=check, subject=place, severity="note", message="it holds no plan yet", mend=mend)
        message = f"it holds no plan, and the newest is {head.generation}"
        return Diagnosis(check=check, subject=place, severity="warning", message=message, mend=mend)
    age = "" if age_seconds is None else f", kept {_age(age_seconds)} ago"
    if head is not None and generation < head.generation:
        message = f"it holds generation {generation}{age}, and the newest is {head.generation}"
        return Diagnosis(check=check, subject=place, severity="warning", message=message, mend=mend)
    return Diagnosis(check=check, subject=place, severity="ok", message=f"it holds generation {generation}{age}")


def of_nothing_kept() -> Diagnosis:
    """Say that nothing would be left to heal from, where neither a state directory nor a mirror is told."""
    return Diagnosis(
        check="disk",
        subject="this enactor",
        severity="warning",
        message="neither --state-dir nor --plan-mirror is told: with the table away there is no plan to heal from",
        mend="--state-dir DIR, or ENACTOR_STATE_DIR, on a disk that outlives the process",
    )


def _company(severity: Severity, message: str, mend: str | None = None) -> Diagnosis:
    return Diagnosis(check="enactors", subject="the fleet", severity=severity, message=message, mend=mend)


def _age(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"

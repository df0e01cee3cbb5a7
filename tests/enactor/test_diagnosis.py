"""What `doctor` says of identity, permissions, table and plan, and how its exit status follows."""

from typing import Any

import pytest

from enactor.diagnosis import (
    Diagnosis,
    HeadSeen,
    Severity,
    TableSeen,
    Tried,
    of_head,
    of_permission,
    of_table,
    of_upsert,
    ranked,
    status_of,
    worst_of,
)

KEYS = (("pk", "HASH"), ("sk", "RANGE"))
DIGEST = "0123456789ab" + "c" * 52


def finding(severity: Severity, check: str = "soa") -> Diagnosis:
    return Diagnosis(check=check, subject="Z1", severity=severity, message="m")


def tried(answer: Any, *, without: str = "", own: bool = False) -> Tried:
    return Tried(
        action="dynamodb:PutItem", resource="table plans", answer=answer, how="because", without=without, own=own
    )


@pytest.mark.parametrize(
    ("severities", "worst", "status"),
    [
        ((), "ok", 0),
        (("ok",), "ok", 0),
        (("ok", "note"), "note", 0),
        (("note", "warning", "ok"), "warning", 3),
        (("warning", "error", "note"), "error", 1),
    ],
)
def test_the_worst_finding_decides_the_exit_status(
    severities: tuple[Severity, ...], worst: Severity, status: int
) -> None:
    """A note is no reason to stop a pipeline; an error beats a warning."""
    found = [finding(one) for one in severities]
    assert (worst_of(found), status_of(found)) == (worst, status)


def test_the_worst_come_first_and_equals_as_they_were_found() -> None:
    """A person reads from the top."""
    found = [finding("ok"), finding("error", "a"), finding("note"), finding("warning"), finding("error", "b")]
    assert [(one.severity, one.check) for one in ranked(found)] == [
        ("error", "a"),
        ("error", "b"),
        ("warning", "soa"),
        ("note", "soa"),
        ("ok", "soa"),
    ]


@pytest.mark.parametrize(
    ("answer", "changes", "severity", "has_mend"),
    [
        ("allowed", {}, "ok", False),
        ("unproven", {}, "note", False),
        ("denied", {}, "error", True),
        ("denied", {"without": "old plans stay"}, "warning", True),
        ("denied", {"own": True}, "note", True),
    ],
)
def test_a_call_that_is_denied_is_as_bad_as_what_is_not_done_without_it(
    answer: str, changes: dict[str, Any], severity: str, *, has_mend: bool
) -> None:
    """An error where an endpoint might not be healed; what nobody could try is not called allowed."""
    found = of_permission(tried(answer, **changes))
    assert (found.check, found.subject, found.severity) == ("permission", "dynamodb:PutItem", severity)
    assert ("table plans" in found.message, "because" in found.message, answer in found.message) == (True, True, True)
    assert found.message.endswith("; old plans stay") == (severity == "warning")
    assert (found.mend is not None) == has_mend
    assert found.mend is None or "dynamodb:PutItem on table plans" in found.mend


@pytest.mark.parametrize(("answer", "severity"), [("denied", "ok"), ("unproven", "note"), ("allowed", "warning")])
def test_upsert_is_right_where_it_is_denied(answer: str, severity: str) -> None:
    """No enactor sends one; credentials that may are a way to overwrite blindly."""
    found = of_upsert(tried(answer))
    assert (found.subject, found.severity, "table plans" in found.message) == ("route53 UPSERT", severity, True)
    assert (found.mend is not None) == (severity == "warning")
    assert ("because" in found.message) == (severity != "warning")


def table_seen(**changes: Any) -> TableSeen:
    whole: dict[str, Any] = {"keys": KEYS, "deletion_protection": True, "backups": True, "expiry": "ttl"}
    return TableSeen(table="plans", **(whole | changes))


def test_a_table_with_all_its_protections_is_well() -> None:
    """Four checks, none of which wants anything."""
    assert [(one.severity, one.mend) for one in of_table(table_seen(), KEYS)] == [("ok", None)] * 4


@pytest.mark.parametrize(
    ("seen", "place", "severity", "words"),
    [
        ({"keys": None}, 0, "note", "unproven"),
        ({"keys": (("pk", "HASH"),)}, 0, "error", "no plan table"),
        ({"deletion_protection": False}, 1, "warning", "deletion protection is off"),
        ({"deletion_protection": None}, 1, "note", "unproven"),
        ({"backups": False}, 2, "warning", "recovery is off"),
        ({"backups": None}, 2, "note", "unproven"),
        ({"expiry": ""}, 3, "warning", "is off"),
        ({"expiry": "until"}, 3, "warning", "is off"),
        ({"expiry": None}, 3, "note", "unproven"),
    ],
)
def test_each_protection_of_the_table_is_told(seen: dict[str, Any], place: int, severity: str, words: str) -> None:
    """One that may not be asked is not called off, nor on."""
    found = of_table(table_seen(**seen), KEYS)
    assert (found[place].severity, words in found[place].message, found[place].subject) == (severity, True, "plans")
    assert (found[place].mend is not None) == (severity != "note")
    assert [one.severity for index, one in enumerate(found) if index != place] == ["ok"] * 3


def test_a_table_that_is_not_there_is_one_error() -> None:
    """Nothing else can be said of it."""
    (found,) = of_table(table_seen(error="it is not there"), KEYS)
    assert (found.severity, found.message, "enactor init" in str(found.mend)) == ("error", "it is not there", True)


@pytest.mark.parametrize(
    ("head", "severity", "words"),
    [
        (HeadSeen(generation=7, digest=DIGEST, floor=6), "ok", "generation 7, digest 0123456789ab; FLOOR 6"),
        (HeadSeen(generation=7, digest=DIGEST, floor=7), "warning", "FLOOR 7"),
        (HeadSeen(generation=7, digest=DIGEST, wrong="chunk 1 is missing"), "error", "chunk 1 is missing"),
        (HeadSeen(), "note", "no plan was published"),
        (HeadSeen(floor=3), "note", "no plan was published"),
    ],
)
def test_the_newest_plan_is_told(head: HeadSeen, severity: str, words: str) -> None:
    """Whatever is wrong with it, a publish mends."""
    found = of_head(head, "plans")
    assert (found.check, found.subject, found.severity, words in found.message) == ("head", "plans", severity, True)
    assert (found.mend is None) == (severity == "ok")
    assert found.mend is None or found.mend.startswith("planner publish FLEET.yaml")

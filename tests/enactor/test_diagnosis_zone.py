"""What `doctor` says of one hosted zone."""

from typing import Any

import msgspec
import pytest

from enactor.diagnosis import Diagnosis, HeadSeen, ZoneSeen
from enactor.diagnosis_zone import (
    SOA_SECONDS_MAX,
    of_agreement,
    of_protections,
    of_room,
    of_soa,
    of_switch,
    soa_seconds,
)
from enactor.records import RecordSet
from enactor.zone_facts import ZoneFacts, facts_of, protected_by

API = "api.example.test."
SEEN = ZoneSeen(
    zone="Z1",
    name="example.test.",
    record_sets=80,
    limit=100,
    told_limit=100,
    protections=(),
    ours=frozenset({API, "api._fence.example.test."}),
    soa_seconds=60,
    switch="run",
    switch_text='"v=1"',
    open=7,
    open_digest="0123456789ab",
    fences=3,
    fences_highest=7,
)
HEAD = HeadSeen(generation=7, digest="0123456789ab" + "c" * 52, zones=frozenset({"Z1"}))


def seen(**changes: Any) -> ZoneSeen:
    return msgspec.structs.replace(SEEN, **changes)


def said(found: Diagnosis) -> tuple[str, str, str]:
    assert found.subject == "Z1"
    return found.check, found.severity, f"{found.message} | {found.mend}"


@pytest.mark.parametrize(
    ("changes", "severity", "words"),
    [
        ({}, "ok", "80 of 100 record sets | None"),
        ({"record_sets": 81}, "warning", "81 of 100 record sets: more than 80% of what it may hold | ask AWS"),
        ({"limit": None}, "note", "80 of 100 record sets, by the settings"),
        ({"limit": None, "told_limit": 90}, "warning", "80 of 90"),
        ({"record_sets": None}, "note", "unproven"),
        ({"told_limit": 101}, "warning", "says 101, and AWS gives this zone 100 | set zone-record-sets to 100"),
        ({"told_limit": 99}, "ok", "80 of 100"),
    ],
)
def test_a_zone_that_gets_full_is_told_in_time(changes: dict[str, Any], severity: str, words: str) -> None:
    """By AWS's own limit for this zone where it says it, else by the settings'."""
    check, found, text = said(of_room(seen(**changes)))
    assert (check, found, text.startswith(words) or words in text) == ("room", severity, True)


def test_a_protected_record_set_of_ours_is_an_error_with_the_command() -> None:
    """Route 53 rejects whatever touches it; protections elsewhere, and of types that are not written here, are nobody's trouble."""
    mine, fence = (API, "A"), ("api._fence.example.test.", "TXT")
    others = (("mail.example.test.", "A"), (API, "MX"))
    _, (check, severity, text) = map(said, of_protections(seen(protections=(*others, mine))))
    assert (check, severity) == ("protections", "error")
    assert text.startswith(f"A {API} is protected")
    assert f"--hosted-zone-id Z1 --protections RecordName={API},RecordType=A" in text
    _, (_, _, text) = map(said, of_protections(seen(protections=(mine, fence))))
    assert text.startswith("TXT api._fence.example.test. and 1 more is protected")
    _, (_, severity, _) = map(said, of_protections(seen(protections=others)))
    assert severity == "ok"
    _, (_, severity, text) = map(said, of_protections(seen(protections=None)))
    assert (severity, "unproven" in text) == ("note", True)


def test_a_guardrail_that_judges_deletes_is_told_with_how_to_prove_that_swaps_pass() -> None:
    """An occlusion check judges none of our swaps."""
    check, severity, text = said(of_protections(SEEN)[0])
    assert (check, severity, text) == (
        "guardrails",
        "ok",
        "tier not told; no guardrail is in the way of a batch | None",
    )
    rails = ("NS_OCCLUSION_CHECK", "ALIAS_TARGET_CHECK", "ACTIVE_RECORD_CHECK")
    _, severity, text = said(of_protections(seen(tier="ADVANCED", guardrails=rails))[0])
    assert severity == "note"
    assert text.startswith("tier ADVANCED; ACTIVE_RECORD_CHECK, ALIAS_TARGET_CHECK judge every batch")
    assert "enactor doctor --zone Z1 --prove-cas --yes" in text


@pytest.mark.parametrize(
    ("seconds", "severity"), [(SOA_SECONDS_MAX, "ok"), (SOA_SECONDS_MAX + 1, "warning"), (None, "note")]
)
def test_a_long_negative_answer_is_a_warning(seconds: int | None, severity: str) -> None:
    """In 2025 clients came back up to 15 minutes late for that."""
    check, found, text = said(of_soa(seen(soa_seconds=seconds)))
    assert (check, found) == ("soa", severity)
    assert ("the SOA record of example.test. the TTL 60" in text) == (severity == "warning")


@pytest.mark.parametrize(
    ("ttl", "value", "seconds"),
    [
        (900, "ns.test. host.test. 1 7200 900 1209600 86400", 900),
        (900, "ns.test. host.test. 1 7200 900 1209600 30", 30),
        (None, "ns.test. host.test. 1 7200 900 1209600 30", None),
        (900, "ns.test. host.test. 1 7200 900 1209600 soon", None),
        (900, "ns.test. host.test. 1 7200 900 1209600 ²", None),
        (900, "ns.test. host.test. 1 7200 900 30", None),
    ],
)
def test_a_missing_answer_is_cached_for_the_lower_of_two_numbers(
    ttl: int | None, value: str, seconds: int | None
) -> None:
    """RFC 2308, section 5. What cannot be read says nothing."""
    name = RecordSet(name="example.test.", type="NS", ttl=1, values=("ns.test.",))
    soa = RecordSet(name="example.test.", type="SOA", ttl=ttl, values=(value,))
    assert soa_seconds([name, soa]) == seconds
    assert soa_seconds([name]) is None


@pytest.mark.parametrize(
    ("changes", "severity", "words"),
    [
        ({}, "ok", "run, open at generation 7 | None"),
        ({"switch": "stop"}, "warning", 'stopped, by the text "v=1" | enactor start --zone Z1'),
        (
            {"switch": "garbled"},
            "warning",
            'its text "v=1" is not a switch\'s, which means stop | enactor start --zone Z1',
        ),
        ({"switch": "absent"}, "warning", "no switch, which means stop: nothing is written | enactor start --zone Z1"),
        (
            {"switch": "absent", "fences": 0},
            "warning",
            "no switch, which means stop: nothing is written | enactor init --zone Z1",
        ),
    ],
)
def test_a_switch_that_lets_nothing_be_written_is_a_warning(changes: dict[str, Any], severity: str, words: str) -> None:
    """It may be meant; the command that ends it stands beside it."""
    check, found, text = said(of_switch(seen(**changes)))
    assert (check, found, text.startswith(words)) == ("switch", severity, True)


@pytest.mark.parametrize(
    ("changes", "head", "severity", "words"),
    [
        ({}, HEAD, "ok", "fences: 3, none above the newest plan 7 | None"),
        ({"open": 8}, HEAD, "error", "it is at generation 8, and the table's newest plan is 7"),
        ({"fences_highest": 8}, HEAD, "error", "it is at generation 8, and the table's newest plan is 7"),
        ({"open": None, "fences_highest": 8}, HEAD, "error", "it is at generation 8"),
        ({"open_digest": "ffffffffffff"}, HEAD, "error", "generation 7 is open with digest ffffffffffff"),
        ({"open": 6}, HEAD, "warning", "open at 6, and the newest plan is 7 | enactor survey"),
        ({"open": 6, "switch": "stop"}, HEAD, "ok", "fences: 3"),
        ({"open": 6}, msgspec.structs.replace(HEAD, zones=frozenset({"Z2"})), "ok", "fences: 3"),
        ({"open": 0, "open_digest": "none", "fences_highest": 0}, HeadSeen(), "ok", "fences: 3"),
        ({"open": 6, "fences_highest": 9}, None, "note", "generation 9 is held against nothing"),
    ],
)
def test_a_zone_is_held_against_the_newest_plan(
    changes: dict[str, Any], head: HeadSeen | None, severity: str, words: str
) -> None:
    """Ahead and forked need a publish; behind is the survey's to explain, and a stopped zone, or one the plan does not name, is not."""
    (found,) = of_agreement(seen(**changes), head)
    check, of, text = said(found)
    assert (check, of, text.startswith(words)) == ("fences", severity, True)


def test_a_fence_that_cannot_be_read_is_an_error_beside_the_rest() -> None:
    """Nothing is written there until a person looks."""
    one, rest = of_agreement(seen(garbled=("a.example.test.",)), HEAD)
    check, severity, text = said(one)
    assert (check, severity, rest.severity) == ("fences", "error", "ok")
    assert text.startswith("the fence of a.example.test. cannot be read")
    assert "enactor adopt a.example.test. --zone Z1" in text
    two, _ = of_agreement(seen(garbled=("a.example.test.", "b.example.test.")), None)
    assert two.message.startswith("the fence of a.example.test. and 1 more cannot be read")


def test_what_route_53_says_of_a_zone_is_read_in_our_words() -> None:
    """Tier and guardrails are new, and missing in older answers."""
    whole = {
        "Name": "Example.test.",
        "ResourceRecordSetCount": 12,
        "Config": {"HostedZoneTier": "ADVANCED"},
        "Features": {
            "ChangeGuardrails": [
                {"Name": "ALIAS_TARGET_CHECK", "Status": "ENABLED"},
                {"Name": "ACTIVE_RECORD_CHECK", "Status": "DISABLED"},
            ]
        },
    }
    assert facts_of(whole) == ZoneFacts(
        name="example.test.", tier="ADVANCED", guardrails=("ALIAS_TARGET_CHECK",), record_sets=12
    )
    assert facts_of({"Name": "example.test."}) == ZoneFacts(
        name="example.test.", tier=None, guardrails=(), record_sets=None
    )
    answer = {"ResourceRecordSetProtections": [{"RecordName": "\\052.Example.test.", "RecordType": "A"}]}
    assert protected_by(answer) == (("*.example.test.", "A"),)

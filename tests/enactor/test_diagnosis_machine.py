"""What `doctor` says of a machine's clock and kept plans, and of the other enactors."""

from datetime import UTC, datetime, timedelta

import pytest

from enactor.diagnosis import EnactorSaid, HeadSeen
from enactor.diagnosis_machine import ALIVE_SECONDS, of_clock, of_company, of_kept, of_limits, of_nothing_kept

AWS = datetime(2026, 11, 30, 12, tzinfo=UTC)
HEAD = HeadSeen(generation=7, digest="0" * 64)


def said(name: str, limits: str = "aa", silent: int | None = 0) -> EnactorSaid:
    return EnactorSaid(id=name, limits=limits, silent_seconds=silent)


@pytest.mark.parametrize(
    ("skew", "severity", "words"),
    [
        (0.0, "ok", "at most 5 s off"),
        (5.0, "ok", "at most 5 s off"),
        (-5.1, "note", "5 s behind AWS's Date"),
        (60.0, "note", "60 s ahead of AWS's Date"),
        (60.1, "warning", "60 s ahead of"),
        (-300.0, "warning", "300 s behind"),
        (300.1, "error", "300 s ahead of"),
    ],
)
def test_a_clock_is_told_by_how_far_it_is_off(skew: float, severity: str, words: str) -> None:
    """AWS refuses what is signed five minutes off."""
    found = of_clock(AWS + timedelta(seconds=skew), AWS)
    assert (found.check, found.severity, words in found.message) == ("clock", severity, True)
    assert (found.mend is None) == (severity == "ok")


def test_a_clock_without_a_date_of_aws_is_unproven() -> None:
    """Nothing was seen."""
    assert of_clock(AWS, None).severity == "note"


@pytest.mark.parametrize(
    ("others", "severity", "words"),
    [
        ([said("a"), said("b")], "ok", "2 announced, all judge by aa"),
        ([], "ok", "0 announced, all judge by aa"),
        ([said("a"), said("b", "bb")], "warning", "(a, these settings by aa; b by bb)"),
        ([said("b", "bb")], "warning", "(these settings by aa; b by bb)"),
        ([said("a"), said("b", "")], "note", "limits it judges: b"),
        ([said("a"), said("b", "bb", ALIVE_SECONDS + 1)], "ok", "1 announced"),
        ([said("b", "bb", None)], "warning", "b by bb"),
        ([said("b", "bb"), said("c", "")], "warning", "b by bb"),
    ],
)
def test_enactors_that_judge_by_different_limits_are_told(others: list[EnactorSaid], severity: str, words: str) -> None:
    """What one refuses another would write. Who is silent judges nothing, and an older version does not say."""
    found = of_limits("aa", others)
    assert (found.check, found.severity, words in found.message) == ("limits", severity, True)
    assert (found.mend is None) == (severity == "ok")


def test_nobody_alive_is_a_warning_and_somebody_silent_a_note() -> None:
    """Within the hour that announcements stay."""
    company, budget = of_company([], 0.5)
    assert (company.severity, "enactor run" in str(company.mend), budget.severity) == ("warning", True, "ok")
    there, company, _ = of_company(
        [said("a"), said("b", silent=ALIVE_SECONDS), said("c", silent=ALIVE_SECONDS + 1)], 0.3
    )
    assert (company.check, company.severity, company.message.startswith("c announced itself")) == (
        "enactors",
        "note",
        True,
    )
    assert there.message == "2 alive: a, b"
    company, _ = of_company([said("b"), said("a")], 0.3)
    assert (company.severity, company.message) == ("ok", "2 alive: a, b")


def test_only_a_worker_that_goes_on_is_alive() -> None:
    """Not a cycle that a person ran by hand, which would end the search for dead workers; and who was asked to end is no silence."""
    by_hand = EnactorSaid(id="desk", limits="bb", silent_seconds=1, presence="by-hand")
    ended = EnactorSaid(id="c", limits="bb", silent_seconds=ALIVE_SECONDS + 1, presence="ended")
    company, budget = of_company([by_hand, ended, said("a", silent=ALIVE_SECONDS + 1)], 0.5)
    assert (company.severity, company.message) == (
        "warning",
        "no worker announced itself in three minutes: a did within the hour; a cycle run by hand (desk) is none",
    )
    assert budget.message.startswith("0 alive")
    (company, _) = of_company([by_hand, ended, said("b")], 0.5)
    assert (company.severity, company.message) == ("ok", "1 alive: b")
    assert of_limits("aa", [by_hand, said("b")]).severity == "ok"


@pytest.mark.parametrize("count", [0, 1, 3])
def test_those_who_are_alive_divide_one_share(count: int) -> None:
    """It is the fleet's: however many there are, together they use no more than that."""
    _, budget = of_company([said(f"az-{number}") for number in range(count)], 0.5)
    assert (budget.check, budget.severity, budget.mend) == ("budget", "ok", None)
    assert budget.message.startswith(f"{count} alive divide a share of 0.5 of the account")


@pytest.mark.parametrize(
    ("wrong", "generation", "head", "severity", "words"),
    [
        (None, 7, HEAD, "ok", "it holds generation 7, kept 5 min ago"),
        (None, 8, HEAD, "ok", "it holds generation 8"),
        (None, 6, HEAD, "warning", "it holds generation 6, kept 5 min ago, and the newest is 7"),
        (None, 6, None, "ok", "it holds generation 6"),
        (None, None, HEAD, "warning", "it holds no plan, and the newest is 7"),
        (None, None, None, "note", "it holds no plan yet"),
        (None, None, HeadSeen(), "note", "it holds no plan yet"),
        ("it is full", 7, HEAD, "error", "it is full"),
    ],
)
def test_a_place_that_keeps_plans_is_held_against_the_newest(
    wrong: str | None, generation: int | None, head: HeadSeen | None, severity: str, words: str
) -> None:
    """It is what heals on the day the table is away."""
    found = of_kept("/var/lib/enactor", wrong, generation, head, check="disk", age_seconds=300.0)
    assert (found.check, found.subject, found.severity) == ("disk", "/var/lib/enactor", severity)
    assert found.message.startswith(words)
    assert (found.mend is None) == (severity == "ok")


@pytest.mark.parametrize(("check", "words"), [("disk", "enactor once"), ("mirror", "planner publish")])
def test_each_place_is_filled_by_its_own_writer(check: str, words: str) -> None:
    """Enactors keep plans on disk, planners in the mirror."""
    assert str(of_kept("there", None, 6, HEAD, check=check).mend).startswith(words)


@pytest.mark.parametrize(
    ("check", "place", "words"),
    [
        ("disk", "/var/lib/enactor", "ls -ld /var/lib/enactor; df /var/lib/enactor: "),
        ("mirror", "s3://plans/edge?region=us-west-2", "aws s3 ls s3://plans/edge, "),
    ],
)
def test_a_place_that_fails_names_the_command_that_shows_why(check: str, place: str, words: str) -> None:
    """At three in the morning nobody should have to think of it."""
    assert str(of_kept(place, "it fails", None, HEAD, check=check).mend).startswith(words)


@pytest.mark.parametrize(
    ("seconds", "words"), [(119.0, "119 s"), (120.0, "2 min"), (7199.0, "120 min"), (7200.0, "2 h"), (None, "7")]
)
def test_an_age_is_told_in_the_unit_that_fits(seconds: float | None, words: str) -> None:
    """A person reads it."""
    message = of_kept("there", None, 7, HEAD, check="disk", age_seconds=seconds).message
    assert message.endswith(words if seconds is None else f"kept {words} ago")


def test_nothing_kept_anywhere_is_a_warning() -> None:
    """The table is then the only place that has a plan."""
    found = of_nothing_kept()
    assert (found.severity, "--state-dir DIR" in str(found.mend)) == ("warning", True)

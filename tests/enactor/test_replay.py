"""The October replay: the copy of 2025 must end as that night did, and the real enactors must not."""

import pytest
from click.testing import CliRunner

from enactor.cli.main import main
from enactor.replay import act_2025, act_today
from enactor.replay.teeth import Protection
from enactor.replay.watch import NEVER_BACKWARDS, NEVER_COLLECT, NEVER_EMPTY, WHOLE


def test_the_automation_of_2025_ends_empty_and_stuck() -> None:
    """NOERROR without an answer, and no later plan can be applied by anybody: as it was."""
    ending = act_2025.play()
    assert ending.is_empty
    assert ending.stuck == (6, 7)
    assert str(ending.rows[-1].reply) == "NOERROR, no answer"


def test_the_real_enactors_keep_every_promise_on_the_same_schedule() -> None:
    """Case 12: the delayed batch is refused, nothing referenced is collected, and every later plan arrives."""
    ending = act_today.play()
    assert ending.broken == ()
    assert all(row.reply.addresses for row in ending.rows)
    said = "\n".join(row.text for row in ending.rows)
    assert "arrives, and Route 53 answers: InvalidChangeBatch, nothing changed" in said
    assert "deletes plans 4 2 1, keeps 5 (head), 3 (needed:Z0OCTOBER/payments.example.com.)" in said
    assert "back: pay-1 pay-2 pay-3 pay-4" in said


@pytest.mark.parametrize(
    ("protection", "promises"),
    [
        ("fence", {NEVER_BACKWARDS, WHOLE, NEVER_COLLECT}),
        ("gate", {NEVER_EMPTY}),
        ("collect-check", {NEVER_COLLECT}),
    ],
)
def test_each_protection_is_needed(protection: Protection, promises: set[str]) -> None:
    """Case 12: with one protection out, the promises that rest on it break, and no others."""
    ending = act_today.play(protection)
    assert {sentence.split(":")[0] for sentence in ending.broken} == promises


def test_the_commands_exit_status_says_whether_every_promise_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """`enactor replay october` ends with 0; with a protection out it ends with 1 and names what broke; no line is too wide."""
    monkeypatch.delenv("COLUMNS", raising=False)
    whole = CliRunner().invoke(main, ["replay", "october"])
    assert (whole.exit_code, "every promise held" in whole.stdout) == (0, True)
    broken = CliRunner().invoke(main, ["replay", "october", "--without", "gate"])
    assert (broken.exit_code, "never empty: api.example.com." in broken.stdout) == (1, True)
    assert max(len(line) for line in whole.stdout.splitlines()) <= 120


def test_a_collect_that_is_held_says_what_it_has_deleted_by_then() -> None:
    """The row and what is broken in it do not contradict each other: plan 3 is gone by then only where nobody looks."""

    def row_of(protection: Protection | None) -> str:
        (text,) = [row.text for row in act_today.play(protection).rows if row.text.startswith("starts to collect")]
        return text

    ending = "and is delayed before it deletes plan 2"
    assert row_of(None) == f"starts to collect: has looked, has deleted plan 4, {ending}"
    assert row_of("collect-check") == f"starts to collect: has looked, has deleted plans 4 3, {ending}"


def test_protections_are_taken_out_one_at_a_time() -> None:
    """Two are refused as wrong usage before anything is played; the last one said would not quietly win."""
    result = CliRunner().invoke(main, ["replay", "october", "--without", "fence", "--without", "gate"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--without fence and --without gate exclude each other" in result.stderr

"""The replay's page in a real browser: stepped through by keyboard and buttons, both acts side by side, and nothing asked for."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from enactor.cli.main import main
from enactor.replay.page import Act, replay_page
from enactor.replay.stage import API, MOMENTS, Belief, Row
from enactor.sandbox.ask import DnsReply

from .browser import Page
from .seen import faint_texts, fits, tabbed, unnamed

HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
ADDRESS = DnsReply("NOERROR", ("192.0.2.1",))
EMPTY = DnsReply("NOERROR", ())
SHOWN = "[...document.querySelectorAll('.moment')].filter(one => one.checkVisibility()).map(one => one.querySelector('h2').textContent)"


def act(title: str, *, is_well: bool) -> Act:
    """Return an act in which something happens at all points but the seventh, and the sixth ends as told."""
    rows = [
        Row(
            "enactor A",
            f"does {moment}",
            ADDRESS if is_well or number < 5 else EMPTY,
            () if is_well or number != 5 else (f"never empty: {API} has no record set",),
            moment,
            (Belief("enactor A", f"believes at {number + 1}", is_well),),
            ("lb-1 192.0.2.1", HOSTILE),
        )
        for number, moment in enumerate(MOMENTS)
        if number != 6
    ]
    return Act(title=title, ending=f"{title} ended {HOSTILE}", is_well=is_well, rows=tuple(rows))


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Write a page of two acts; return its address."""
    path = tmp_path / "replay.html"
    path.write_text(replay_page(act("then", is_well=False), act("now", is_well=True), "a note"), encoding="utf-8")
    return path.as_uri()


def test_one_point_at_a_time_by_keyboard_and_buttons(page: Page, address: str) -> None:
    """Arrows, Home and End, numbers, and the buttons at their ends; the address says which, and what is shown is announced."""
    page.look().open(address)
    assert page.ask(SHOWN) == [f"1 of 9: {MOMENTS[0]}"]
    assert page.ask("document.getElementById('back').disabled")
    page.press("ArrowRight", "ArrowRight")
    assert page.ask(SHOWN) == [f"3 of 9: {MOMENTS[2]}"]
    page.press("ArrowLeft")
    assert page.ask("location.hash") == "#2"
    page.press("End", "ArrowRight")
    assert page.ask(SHOWN) == [f"9 of 9: {MOMENTS[8]}"]
    assert page.ask("document.getElementById('on').disabled")
    page.press("Home")
    page.ask("document.getElementById('on').focus()")
    page.press("Enter")
    assert page.text("#told") == f"2 of 9: {MOMENTS[1]}"
    page.ask("document.querySelectorAll('#steps ol button')[5].click()")
    assert page.ask("document.querySelector('[aria-current=step]').textContent") == "6"
    assert page.ask("document.getElementById('told').getAttribute('role')") == "status"
    page.open(f"{address}#4").until(f"{SHOWN}[0].startsWith('4')")
    page.ask("location.hash = '#<script>'")
    page.until(f"{SHOWN}[0].startsWith('1')")
    assert (page.complaints, page.violations()) == ([], [])
    assert {url.split("#")[0] for url in page.requests} <= {address, "about:blank"}


def test_both_acts_stand_side_by_side(page: Page, address: str) -> None:
    """What happened, what each believed and whether it was so, what clients got, what stood; as before where nothing happened."""
    page.look().open(f"{address}#6")
    then, now = (page.text(f".moment:not([hidden]) .act:nth-child({number})") for number in (1, 2))
    for words in (
        "does The clean-up ends",
        "NOERROR, no answer",
        "believes at 6 not so",
        "broken never empty",
        HOSTILE,
    ):
        assert words in then
    for words in ("NOERROR, 192.0.2.1", "believes at 6 so it is", "lb-1 192.0.2.1"):
        assert words in now
    lefts = page.ask(
        "[...document.querySelectorAll('.moment:not([hidden]) .act')].map(one => one.getBoundingClientRect().left)"
    )
    assert lefts[0] < lefts[1], "beside each other"
    page.press("ArrowRight")
    idle = page.text(".moment:not([hidden]) .act")
    assert "Nothing: it did not come to this." in idle
    assert "believes at 6" in idle
    assert page.ask("document.querySelectorAll('img').length") == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390], ids=["wide", "phone"])
def test_it_can_be_read_and_reached(page: Page, address: str, width: int, dark: bool) -> None:
    """Contrast as painted, nothing to scroll sideways, a name and a visible focus for every control."""
    page.look(width=width, dark=dark).open(f"{address}#6")
    assert faint_texts(page) == []
    assert fits(page, width)
    assert unnamed(page) == []
    assert tabbed(page, 3) == ["back", "on", "1"]


def test_without_scripts_all_points_are_there(page: Page, address: str) -> None:
    """Below each other, without buttons that do nothing."""
    page.look(scripts=False).open(address)
    assert page.ask(SHOWN) == [f"{number} of 9: {moment}" for number, moment in enumerate(MOMENTS, start=1)]
    assert not page.ask("document.getElementById('steps').checkVisibility()")


def test_the_command_writes_the_night_as_it_was_played(page: Page, tmp_path: Path) -> None:
    """2025 ends without an answer and with beliefs that are not so; today answers at every point, and what is believed holds at the end."""
    path = tmp_path / "october.html"
    played = CliRunner().invoke(main, ["replay", "october", "--html", str(path)])
    assert (played.exit_code, str(path) in re.sub(r"\s", "", played.stdout)) == (0, True)
    page.look().open(f"{path.as_uri()}#6")
    then, now = (page.text(f".moment:not([hidden]) .act:nth-child({number})") for number in (1, 2))
    assert "NOERROR, no answer" in then
    assert "enactor A: plan 2 is in force, and it was the newest not so" in then
    assert "alias to plan-2.api.example.com.: no record sets there" in then
    assert "NOERROR, 192.0.2.1 192.0.2.2 192.0.2.4 192.0.2.5" in now
    assert "enactor A: plan 5 is the newest; the endpoint is current at plan 5 so it is" in now
    page.press("ArrowLeft", "ArrowLeft", "ArrowLeft")
    for act_number in (1, 2):
        believed = page.text(f".moment:not([hidden]) .act:nth-child({act_number})")
        assert re.search(r"enactor A: plan 2 is [^\n]* not so", believed), (
            "A's picture is old in both: only today Route 53 is asked"
        )
    page.press("End")
    assert "NOERROR, no answer" in page.text(".moment:not([hidden]) .act:nth-child(1)")
    assert faint_texts(page) == []


def test_a_file_that_cannot_be_written_is_said_before_anything_is_played(tmp_path: Path) -> None:
    """A minute is not spent on a page that has no place."""
    played = CliRunner().invoke(main, ["replay", "october", "--html", str(tmp_path / "none" / "x.html")])
    assert (played.exit_code, played.stdout) == (2, "")
    assert "no directory" in played.stderr

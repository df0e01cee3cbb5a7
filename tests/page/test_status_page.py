"""The status page in a real browser: what it says in a bad hour, that it can be used by keyboard, and that nothing in it can act."""

from collections.abc import Iterator

import msgspec
import pytest

from enactor.live_report import LiveReport
from enactor.page.status import StatusPage
from tests.enactor.test_cycle_report import CURRENT, PLAN, result

from .browser import Page
from .seen import faint_texts, fits, tabbed, unnamed
from .worlds import EMPTY, HOSTILE, HOSTILE_NAME, Worker, many, named, night, serving

PHONE = 390
READY = "document.querySelectorAll('#body tr').length > 0"
ROWS = "[...document.querySelectorAll('#body tr:not(.more) th')].map(one => one.textContent)"
COUNT = 20_000


@pytest.fixture
def worker() -> Worker:
    """Return a worker in a bad hour."""
    return night()


@pytest.fixture
def bad(worker: Worker) -> Iterator[str]:
    """Serve its page."""
    with serving(worker.page) as address:
        yield address


@pytest.fixture(scope="module")
def large() -> LiveReport:
    """Return the report of a worker with twenty thousand endpoints."""
    return many(COUNT)


@pytest.fixture
def huge(large: LiveReport) -> Iterator[str]:
    """Serve its page."""
    with serving(StatusPage(lambda: large)) as address:
        yield address


def quiet(page: Page, address: str) -> None:
    """Hold that the page asked its own port and nobody else, and that the browser complains of nothing."""
    assert {url for url in page.requests if not url.startswith(address)} <= {"about:blank"}
    assert (page.complaints, page.violations()) == ([], [])


def test_in_a_bad_hour_it_says_what_a_person_needs(page: Page, bad: str) -> None:
    """The one fact, what is wrong and why, what waits, who stopped what until when, changes with their ids, who is there."""
    page.look().open(bad).until(READY)
    assert page.text("h1") == "1 of 13 endpoints answers nothing"
    wrong = page.text("#wrong")
    assert wrong.index("api.example.test.") < wrong.index("shop.example.test."), "what answers nothing comes first"
    for words in (
        "zone Z3: AccessDenied: not allowed to list",
        "the plan table does not answer: connect timeout",
        "digest: plan 9 does not verify",
        "shrink-targets: v4: 3 of 3 targets go",
        "enactor allow shop.example.test. --guard shrink-targets --generation 8",
    ):
        assert words in wrong
    brakes = page.text("#brakes")
    assert "Zone Z2 is stopped until 2026-11-30 05:00:00Z, or enactor start --zone Z2 ends it" in brakes
    assert "Ann: do not touch" in brakes
    assert "calm.example.test. is held until 2026-11-30 05:00:00Z" in brakes
    assert "allowed.example.test. shrink-targets@9" in brakes
    assert "42 s" in page.text("#waits")
    assert "C0123456789ABCDEFGHIJ" in page.text("#changes")
    assert "1,211 s" in page.text("#enactors")
    assert "900 of 1,000" in page.text("#budgets")
    assert "made 2026-06-01 11:58:00Z by planner-eu-1" in page.text("#plan")
    assert "it stays (a plan file): planner run publishes nothing until" in page.text("#plan")
    assert "planner_brake_endpoints" in brakes
    assert "1 of 13 endpoints" in str(page.ask("document.title"))
    quiet(page, bad)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, PHONE], ids=["wide", "phone"])
def test_every_text_can_be_read(page: Page, bad: str, width: int, dark: bool) -> None:
    """In light and dark, wide and on a phone: contrast as painted, nothing to scroll sideways, also with an endpoint opened."""
    page.look(width=width, dark=dark).open(bad).until(READY)
    page.ask("[...document.querySelectorAll('#body th button, summary')].forEach(one => one.click())")
    page.until("document.querySelectorAll('.inner').length === 13")
    assert faint_texts(page) == []
    assert fits(page, width)
    assert page.ask("document.querySelector('#body th').offsetWidth") > width / 4, (
        "a name has room beside what is opened"
    )
    assert page.ask("getComputedStyle(document.body).backgroundColor") == (
        "rgb(20, 24, 31)" if dark else "rgb(255, 255, 255)"
    )


def test_a_faint_text_would_be_found(page: Page, bad: str) -> None:
    """So the test above can fail."""
    page.look().open(bad).until(READY)
    page.ask("document.querySelector('.who').style.color = '#999'")
    assert any(text.startswith(("fleet", "edge", "az-1")) for text in faint_texts(page))


def test_names_and_texts_full_of_markup_are_text(page: Page, worker: Worker, bad: str) -> None:
    """A name, a reason and a switch's text that are HTML: shown as they are, and nothing of them runs or is made."""
    page.look().open(bad).until(READY)
    page.ask("[...document.querySelectorAll('#body th button, summary')].forEach(one => one.click())")
    assert HOSTILE_NAME in page.text("#wrong")
    assert HOSTILE_NAME in page.text("#rows")
    assert HOSTILE in page.text("#waits")
    assert HOSTILE in page.text("#changes")
    assert page.ask("document.querySelectorAll('img, iframe, [onerror], [onmouseover], body script').length") == 1
    page.ask("window.hit = 0; location.hash = '#q=' + encodeURIComponent('<script>alert(3)')")
    page.until(f"{ROWS}.length === 1")
    assert page.ask(f"{ROWS}[0]") == HOSTILE_NAME
    other = night(reason=HOSTILE, text=HOSTILE)
    with serving(other.page) as address:
        page.open(address).until(READY)
        assert HOSTILE in page.text("#plan")
        assert HOSTILE in page.text("#brakes")
        quiet_violations = (page.complaints, page.violations())
    assert quiet_violations == ([], [])
    assert worker.live.report().endpoints


def test_without_scripts_what_matters_is_there(page: Page, bad: str) -> None:
    """The fact, what is wrong and all the rest but the table, with the word what to do instead; and it is loaded anew."""
    page.look(scripts=False).open(bad)
    shown = page.text()
    for words in ("1 of 13 endpoints answers nothing", "no record set answers v4", "C0123456789", "enactor survey"):
        assert words in shown
    assert page.ask("document.querySelector('head noscript').textContent.includes('refresh')") is not None


def test_a_keyboard_reaches_everything_and_everything_has_a_name(page: Page, bad: str) -> None:
    """First a way past everything, then what can scroll or open; Enter opens an endpoint and closes it."""
    page.look().open(bad).until(READY)
    assert unnamed(page) == []
    assert tabbed(page, 1) == ["to the endpoints"]
    page.press("Enter")
    page.until("document.activeElement.id === 'endpoints'")
    reached = tabbed(page, 10)
    assert reached[:3] == ["search", "states", "endpoint \u25b2"]
    assert reached[8] == HOSTILE_NAME[:40]
    page.press("Enter").until("document.querySelectorAll('.inner').length === 1")
    assert page.ask("document.activeElement.getAttribute('aria-expanded')") == "true", "it kept the focus"
    page.press("Enter").until("document.querySelectorAll('.inner').length === 0")


def test_it_is_read_out_well(page: Page, bad: str) -> None:
    """Headers of columns and rows, a caption for each table, what changes is announced, and headings in order."""
    page.look().open(bad).until(READY)
    assert page.ask(
        "[...document.querySelectorAll('table')].every(one => one.caption && one.querySelector('thead th[scope=col]'))"
    )
    assert page.ask(
        "[...document.querySelectorAll('tbody tr:not(.more)')].every(one => one.querySelector('th[scope=row]'))"
    )
    assert page.ask("document.getElementById('fact').getAttribute('role')") == "status"
    assert page.ask("document.getElementById('stale').getAttribute('role')") == "alert"
    assert page.ask("document.documentElement.lang") == "en"
    assert (
        page.ask("[...document.querySelectorAll('h1,h2')].map(one => one.tagName).join('').replace(/(H2)+/, 'H2')")
        == "H1H2"
    )


def test_twenty_thousand_endpoints_are_searched_filtered_and_sorted_by_keyboard(page: Page, huge: str) -> None:
    """Fifty rows at a time stand in the document; the answer to a key is there before the next look."""
    page.look().open(huge).until(READY)
    assert "1 to 50 of 20,000 found, of 20,000 in all" in page.text("#found")
    assert page.ask("document.querySelectorAll('#body tr').length") == 100
    page.press("/").until("document.activeElement.id === 'search'")
    page.type("ep0123 example").until(f"{ROWS}.length === 10")
    assert page.ask(f"{ROWS}[4]") == named(EMPTY)
    page.press("Escape").until("document.getElementById('found').textContent.includes('20,000 found')")
    page.ask("document.getElementById('states').focus()")
    page.ask(
        "(() => { const s = document.getElementById('states'); s.value = '!silent'; s.dispatchEvent(new Event('change')); })()"
    )
    assert page.ask(ROWS) == [named(EMPTY)]
    page.ask(
        "(() => { const s = document.getElementById('states'); s.value = ''; s.dispatchEvent(new Event('change')); })()"
    )
    page.ask("document.querySelector('#head-gen button').focus()")
    page.press("Enter", "Enter").until("document.getElementById('head-gen').getAttribute('aria-sort') === 'descending'")
    assert page.ask("[...document.querySelectorAll('#body .gen')].every(one => one.textContent.startsWith('8'))")
    page.ask("document.getElementById('after').focus()")
    page.press("Enter").until("document.getElementById('page').textContent === 'page 2 of 400'")
    assert "sort=-gen" in page.ask("location.hash")
    took = page.ask(
        "(() => { const t = performance.now(); for (let n = 0; n < 5; n++) document.querySelector('#head-name button').click(); return (performance.now() - t) / 5; })()"
    )
    print(f"sorting and drawing 20,000 endpoints took {took:.0f} ms")
    quiet(page, huge)


def test_what_is_in_the_address_is_shown_again(page: Page, huge: str) -> None:
    """A colleague who is handed the address sees the same rows."""
    page.look().open(f"{huge}#q=ep000&state=behind&sort=-name").until(READY)
    assert page.ask(ROWS) == [named(7)]
    assert page.ask("document.getElementById('states').value") == "behind"


def test_an_endpoint_opens_with_its_timeline(page: Page, huge: str) -> None:
    """Which generation stood there since when, and what its fence says."""
    page.look().open(f"{huge}#q={named(EMPTY)}").until(READY)
    page.ask("document.querySelector('#body button').click()")
    shown = page.text(".inner")
    assert "generation 1, behind: since 2026-06-01T11:00:00Z, for 59 min" in shown
    assert "generation 1, empty: since 2026-06-01T11:59:00Z" in shown
    assert f"{EMPTY:012x}" in shown
    assert (
        page.ask("document.querySelector('.inner .strip').getAttribute('aria-label')")
        == "generations: 1 behind, then 1 empty"
    )


def test_a_timeline_reaches_back_to_before_the_enactor_started(page: Page, bad: str) -> None:
    """Who put which generation there, as the history tells it, is never shown as a state that was seen; and it is text."""
    page.look().open(f"{bad}#q={named(0)}").until(READY)
    page.ask("document.querySelector('#body button').click()")
    shown = page.text(".inner")
    told = (
        "generation 6, put there by az-2 (found missing): since 2026-06-01T09:00:00Z, for 60 min",
        f"hold by {HOSTILE}, no generation: since 2026-06-01T10:00:00Z",
        "generation 7, current: since 2026-06-01T12:00:30Z",
    )
    assert [shown.index(words) for words in told] == sorted(shown.index(words) for words in told)
    assert "What was done before 2026-06-01T12:00:00Z is what others wrote down" in shown
    tones = "[...document.querySelectorAll('.inner .strip span')].map(one => one.className)"
    assert page.ask(tones) == ["told", "told", "good"]
    quiet(page, bad)


def test_it_looks_again_by_itself(page: Page, worker: Worker, bad: str) -> None:
    """What is repaired disappears, what was opened stays open, and the tab's title says it too."""
    page.look().open(bad).until(READY)
    page.ask("document.querySelector('#body button').click()")
    worker.cycle(result(CURRENT), newest=PLAN)
    page.until("document.querySelector('h1').textContent === 'The one endpoint answers'")
    page.until(f"{ROWS}.length === 1")
    assert "Nothing." in page.text("#wrong")
    assert str(page.ask("document.title")).startswith("The one endpoint answers")
    quiet(page, bad)


def test_when_the_worker_is_gone_it_says_so_in_big_letters(page: Page, worker: Worker) -> None:
    """And when it is back the words are gone."""
    with serving(worker.page) as address:
        page.look(width=PHONE, height=844).open(address).until(READY)
        assert page.ask("document.getElementById('stale').hidden")
    page.until("!document.getElementById('stale').hidden")
    assert page.text("#stale").startswith("This enactor does not answer, now for ")
    assert page.ask("parseFloat(getComputedStyle(document.getElementById('stale')).fontSize)") >= 20
    assert faint_texts(page) == []


def test_when_cycles_end_no_more_it_says_so(page: Page, worker: Worker, bad: str) -> None:
    """The port answers and the work does not go on: the server says it, without scripts too."""
    worker.seconds += 600
    page.look(scripts=False).open(bad)
    assert page.text("h1") == "Not known: no cycle has ended for 600 s"
    page.look().open(bad).until("!document.getElementById('stale').hidden")
    assert page.text("#stale").startswith("No cycle has ended for 10 min")


def test_another_process_at_the_port_is_loaded_anew(page: Page, large: LiveReport) -> None:
    """A script of an older version never reads a newer page."""
    reports = [large]
    with serving(StatusPage(lambda: reports[0])) as address:
        page.look().open(address).until(READY)
        page.ask("window.mine = true")
        reports[0] = msgspec.structs.replace(large, version="0.2.0", endpoints=large.endpoints[:3])
        page.until("window.mine === undefined && document.readyState === 'complete'").until(READY)
        assert "0.2.0" in page.text("footer")

"""The dry-run's page in a real browser: the look it shares with the others, under the policy that it gives itself."""

from pathlib import Path

import pytest

from enactor.guards import Finding
from planner.html_page import html_page
from planner.members import Bar, ContentChange, Reweighted
from planner.reports import DryRunEndpoint, DryRunReport

from .browser import Page
from .seen import faint_texts, fits

HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>'


def endpoint(name: str, action: str, *guards: Finding) -> DryRunEndpoint:
    return DryRunEndpoint(
        name=name,
        zone="Z1",
        state="behind",
        action=action,
        change=ContentChange(reweighted=(Reweighted(type="A", target="192.0.2.1", before=10, after=30),)),
        guards=guards,
        changes=4,
        bars=(
            Bar(type="A", target="192.0.2.1", id="lb-1", before=10, after=30),
            Bar(type="A", target=HOSTILE, id=None, before=10, after=0),
        ),
    )


REPORT = DryRunReport(
    fleet="edge",
    digest="a" * 64,
    file_digest="a" * 64,
    listed=2,
    parent=7,
    generation=8,
    published=False,
    refused=(),
    carried=(),
    braked=(),
    zones=(),
    endpoints=(
        endpoint("api.example.test.", "swap"),
        endpoint(HOSTILE, "refused", Finding(guard="shrink-targets", message="9 of 10 go")),
    ),
    other_zones=0,
    not_looked_at=(),
    cost=None,
    changes=True,
)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390], ids=["wide", "phone"])
def test_it_can_be_read(page: Page, tmp_path: Path, width: int, dark: bool) -> None:
    """Contrast as painted, nothing to scroll sideways, bars as long as their share, and markup in a name is text."""
    path = tmp_path / "dry-run.html"
    path.write_text("\n".join(html_page(REPORT)), encoding="utf-8")
    page.look(width=width, dark=dark).open(path.as_uri())
    assert faint_texts(page) == []
    assert fits(page, width)
    lengths = page.ask("[...document.querySelectorAll('.bar')].map(one => one.offsetWidth)")
    assert lengths[0] == lengths[2] < lengths[1], "half and half, then all"
    assert HOSTILE in page.text()
    assert page.ask("document.querySelectorAll('img, script').length") == 0
    assert (page.complaints, page.violations()) == ([], [])
    assert set(page.requests) <= {path.as_uri(), "about:blank"}

"""One browser for all tests of pages, and a tab for each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .browser import CHROMIUM, REASON, Page, chromium, tab


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a browser for the whole session, where there is one."""
    if CHROMIUM is None:
        pytest.skip(REASON)
    profile: Path = tmp_path_factory.mktemp("chromium")
    with chromium(profile) as address:
        yield address


@pytest.fixture
def page(browser: str) -> Iterator[Page]:
    """Open a tab of its own."""
    with tab(browser) as opened:
        yield opened

"""Every runbook does what it says: its blocks are pasted, in order, into a shell on a world that is broken as the page tells.

A page without a scenario, a block that no scenario pastes, and a page that lacks a section fail here.
"""

from pathlib import Path

import pytest

from . import scenarios
from .page import DO, FOLDER, INDEX, SECTIONS, WORKED, Page, pages, read
from .scene import Scenario, Scene, Terminal

PAGES = pages()
RUNBOOKS = [page for page in PAGES if page.name != INDEX]


def named(scenario: Scenario) -> str:
    return f"{scenario.page}: {scenario.story}"


@pytest.mark.timeout(600)  # up to twenty processes: on a machine that others use they take their time
@pytest.mark.parametrize("scenario", scenarios.ALL, ids=named)
def test_a_reader_in_the_broken_world_comes_to_the_end_of_the_page(
    scenario: Scenario, warm: str, tmp_path: Path
) -> None:
    """Each block ends as the page says and shows what it says, and the last section shows that it worked."""
    page = read(FOLDER / scenario.page)
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    with Scene(folder) as scene:
        scenario.broken(scene)
        terminal = Terminal(scene, home, warm)
        try:
            for step in scenario.walk:
                if callable(step):
                    step(scene)
                else:
                    for block in page.section(step).blocks:
                        terminal.paste(page, block)
        finally:
            terminal.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_a_page_is_pasted_by_a_scenario(page: Page) -> None:
    """And each scenario begins with what is to be done now, and reads on to the section that shows that it worked."""
    mine = [scenario for scenario in scenarios.ALL if scenario.page == page.name]
    assert mine, f"{page.name} has no scenario"
    followed = {step for scenario in mine for step in scenario.walk if isinstance(step, str)}
    with_blocks = {section.heading for section in page.sections if section.blocks}
    assert followed == with_blocks
    if page.name != INDEX:
        assert {scenario.walk[0] for scenario in mine} == {DO}
        assert all(WORKED in scenario.walk for scenario in mine)


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.name)
def test_a_page_has_every_section_in_order_and_something_in_each(page: Page) -> None:
    """And what shows that it worked is commands, each with what it shows."""
    assert tuple(section.heading for section in page.sections if section.depth == 2) == SECTIONS
    assert page.sections[0].depth == 1
    empty = [one.heading for one in page.sections[1:] if not one.text and not one.blocks]
    assert all(heading == "What to do now" for heading in empty)
    worked = page.section(WORKED).blocks
    assert worked
    assert all(block.says_something for block in worked)

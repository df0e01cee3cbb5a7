"""The model's scenarios are named as the simulator's, so that the two can be read side by side; its table is in the docs."""

import re
from pathlib import Path

import pytest

from tests.model.check import VARIANTS, Variant
from tests.simulator.stories import ALL

TREES_ALONE = {"all together", "collect without switch", "rollback by hand"}
"""What only the tree layout has, for which there is no code yet: all in one state space, collect of trees, aliases at the console."""
DOCS = Path(__file__).parents[2] / "docs" / "model.md"


def scenario(variant: Variant) -> str:
    return re.split(r"[,:]", variant.name.partition("/")[2])[0].strip()


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda one: one.name)
def test_a_variant_is_a_scenario_of_the_simulator(variant: Variant) -> None:
    """A name that is not there any more would send a reader to nothing."""
    of_trees = TREES_ALONE if variant.name.startswith("tree/") else set()
    assert scenario(variant) in {one.name for one in ALL} | of_trees


def test_the_docs_list_each_variant_with_its_bounds_and_no_other() -> None:
    """What was searched, and within which bounds, is what the page says."""
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in DOCS.read_text("utf-8").splitlines()]
    listed = {cells[0]: cells[-1] for cells in rows if len(cells) > 1 and "/" in cells[0]}
    assert listed == {one.name: one.bounds for one in VARIANTS}

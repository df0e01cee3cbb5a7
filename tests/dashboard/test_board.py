"""The dashboard asks for what the code exports, shows all of it, and says what each panel means."""

import itertools
import re

import pytest

from tests.alerts.test_rules_file import rules
from tests.metrics_table import every_metric
from tests.promql import GROUPING, faults, selectors

from .board import Asked, board, panels, queries

RECORDED = frozenset(rule["record"] for rule in rules() if "record" in rule)


@pytest.mark.parametrize("asked", list(queries()), ids=lambda asked: asked.panel)
def test_a_query_asks_for_what_the_code_exports(asked: Asked) -> None:
    """Metrics, labels and words; for the chosen fleet alone; and its legend has only labels that the answer has."""
    assert faults(asked.expr, every_metric(), RECORDED) == []
    for one in selectors(asked.expr):
        assert ("fleet", "=~", "$fleet") in one.matchers, f"{one.name} is asked of every fleet"
    grouped = {label.strip() for inner in GROUPING.findall(asked.expr) for label in inner.split(",")}
    assert set(asked.legend) <= grouped


def test_every_metric_is_shown() -> None:
    """One that nobody can see helps nobody: what a panel asks for by one of a histogram's series counts."""
    shown = {one.name for asked in queries() for one in selectors(asked.expr)}
    behind = {"enactor:probe_empty:ratio": "enactor_probe_verdict"}
    bases = {re.sub(r"_(bucket|count|sum)$", "", name) for name in shown} | {behind.get(name, name) for name in shown}
    assert every_metric().keys() - bases - shown == set()


def test_annotations_and_variables_ask_for_what_is_there() -> None:
    """Alerts and new plans are marked in every panel; the fleet is chosen from those that are scraped."""
    for annotation in board()["annotations"]["list"]:
        assert faults(annotation["expr"], every_metric(), RECORDED) == []
    datasource, fleet = board()["templating"]["list"]
    assert (datasource["name"], datasource["type"]) == ("datasource", "datasource")
    asked = re.fullmatch(r"label_values\((\w+), fleet\)", fleet["query"]["query"])
    assert asked is not None
    assert asked.group(1) in every_metric()


def test_panels_have_a_name_a_sentence_and_a_place_of_their_own() -> None:
    """None lies on another one, and all of them ask the server that was chosen."""
    everything = board()["panels"]
    assert len({panel["id"] for panel in everything}) == len(everything)
    assert len({panel["title"] for panel in everything}) == len(everything)
    for panel in panels():
        assert panel["description"].endswith(".")
        assert {target["datasource"]["uid"] for target in panel["targets"]} == {"${datasource}"}
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
    for one, other in itertools.combinations([panel["gridPos"] for panel in everything], 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert beside or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in everything)

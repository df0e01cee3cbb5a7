"""What runbooks name exists: commands, alerts, metrics, pages. Nobody has the time to find out at three in the morning."""

import ast
import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from enactor.cli.main import main as enactor
from planner.cli import main as planner

from .page import FOLDER, INDEX, Page, pages

PAGES: Final = pages()
ROOT: Final = FOLDER.parent
RULES: Final = ROOT / "deploy" / "prometheus" / "enactor.rules.yaml"
QUOTED: Final = re.compile(r"`((?:enactor|planner) [^`]+)`")
LINK: Final = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")
METRIC: Final = re.compile(r"\b(?:enactor|planner)_[a-z0-9_]+\b")
ALERT: Final = re.compile(r"\bEnactor[A-Z][A-Za-z]+\b")
SUFFIXES: Final = ("", "_total", "_bucket", "_sum", "_count")

ALERTS: Final = {
    "EnactorEndpointEmptyOutside": "endpoint-empty.md",
    "EnactorEndpointEmpty": "endpoint-empty.md",
    "EnactorEndpointRefused": "endpoint-refused.md",
    "EnactorPlanRefused": "plan-refused.md",
    "EnactorEndpointBehind": "endpoint-behind.md",
    "EnactorPlannerSilent": "planner-silent.md",
    "EnactorAllSilent": "enactors-silent.md",
    "EnactorFenceWentBack": "fence-went-back.md",
    "EnactorEndpointCarried": "endpoint-refused.md",
    "EnactorHealthBrakeOn": "health-brake.md",
    "EnactorBudgetExhausted": "budget-exhausted.md",
    "EnactorCollectionStuck": "collection-stuck.md",
    "EnactorRunningWithoutTable": "plan-table.md",
    "EnactorEndpointContested": "somebody-else.md",
    "EnactorNotReady": "enactor-wedged.md",
    "EnactorCriticalUnknown": "limits-differ.md",
    "EnactorLimitsDiffer": "limits-differ.md",
    "EnactorStopOutlivedItsEnd": "stop-outlived.md",
}
"""Each alert, and the page that it sends to."""


def quoted() -> list[tuple[str, str]]:
    """Return every command that a page names in a sentence or a table; those in blocks are run."""
    return [(page.name, line) for page in PAGES for line in QUOTED.findall(page.text)]


@pytest.mark.parametrize(("page", "line"), quoted())
def test_a_command_in_a_sentence_can_be_typed_as_it_stands(page: str, line: str) -> None:
    """Parsed by the command itself, without being run; a verb alone, without its arguments, is a way to speak of it."""
    program, verb, *words = shlex.split(line)
    group = enactor if program == "enactor" else planner
    command = group.commands.get(verb)
    assert command is not None, f"{page}: there is no {program} {verb}"
    if words:
        command.make_context(verb, list(words))  # raises what a person would be told


def test_every_page_is_in_the_index_and_none_is_missing() -> None:
    """Whoever is woken up begins there."""
    index = next(page for page in PAGES if page.name == INDEX)
    linked = {target for target, _ in LINK.findall(index.text) if target.endswith(".md") and "/" not in target}
    assert linked == {page.name for page in PAGES} - {INDEX}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Page) -> None:
    """Within the repository, to the heading too."""
    for target, anchor in LINK.findall(page.text):
        if target.startswith("http"):
            continue
        path = (FOLDER / target).resolve() if target else FOLDER / page.name
        assert path.exists(), f"{page.name} links to {target}, which is not there"
        if anchor:
            assert anchor in anchors(path), f"{page.name} links to {target}#{anchor}"


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def exported() -> set[str]:
    """Return the names in the code that makes metrics."""
    found = set()
    for path in [*ROOT.glob("enactor/*metrics*.py"), *ROOT.glob("planner/*metrics*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and METRIC.fullmatch(node.value):
                found |= {node.value + suffix for suffix in SUFFIXES}
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_metrics_that_a_page_names_are_exported(page: Page) -> None:
    """With the endings that Prometheus gives a counter and a histogram."""
    assert set(METRIC.findall(page.text)) <= exported()


def test_every_alert_has_its_page_and_is_named_there() -> None:
    """First of all, below what is seen; and the index says where it leads."""
    by_name = {page.name: page for page in PAGES}
    for alert, name in ALERTS.items():
        assert f"`{alert}`" in by_name[name].section("What you see").text
        row = next(line for line in by_name[INDEX].text.splitlines() if f"`{alert}`" in line)
        assert f"]({name})" in row
    assert {alert for page in PAGES for alert in ALERT.findall(page.text)} == set(ALERTS)


def test_the_rules_send_to_these_pages() -> None:
    """Each alert's `runbook_url` ends in its page."""
    told: dict[str, Any] = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    rules = [rule for group in told["groups"] for rule in group["rules"] if "alert" in rule]
    assert {rule["alert"] for rule in rules} == set(ALERTS)
    for rule in rules:
        assert rule["annotations"]["runbook_url"].rsplit("/", 1)[1] == ALERTS[rule["alert"]]

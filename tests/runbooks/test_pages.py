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
from .vocabulary import is_said, verbs_and_options

PAGES: Final = pages()
ROOT: Final = FOLDER.parent
RULES: Final = ROOT / "deploy" / "prometheus" / "enactor.rules.yaml"
QUOTED: Final = re.compile(r"`((?:enactor|planner) [^`]+)`")
LINK: Final = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")
METRIC: Final = re.compile(r"\b(?:enactor|planner)_[a-z0-9_]+\b")
ALERT: Final = re.compile(r"\bEnactor[A-Z][A-Za-z]+\b")
BLOCK: Final = re.compile(r"^```sh$.*?^```$", re.MULTILINE | re.DOTALL)
SPAN: Final = re.compile(r"`([^`]+)`")
TARGET: Final = re.compile(r"^([a-z-]+):", re.MULTILINE)
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


OF_OTHERS: Final = {
    "curl": "the command",
    "fleet.yaml": "the reader's own file",
    "health: {from: []}": "a line of it, in YAML's short form",
    '"mode=stop"': "a TXT record's text, in the quotes that the console wants",
    "_switch-FLEET._fence.ZONE": "a name that is made of the reader's own",
    "route53.amazonaws.com": "an event source in CloudTrail",
    "userIdentity.arn": "a field of CloudTrail's",
}
"""Words in backticks that are no text of ours, and whose they are."""


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


def spans(page: Page) -> set[str]:
    """Return what stands in backticks in sentences and tables, without the commands, which are parsed."""
    return {span for span in SPAN.findall(BLOCK.sub("", page.text)) if not QUOTED.fullmatch(f"`{span}`")}


def unknown(page: Page) -> list[str]:
    """Return the words in backticks that nothing has: no text of the code, no block, no alert or metric (which have tests of their own)."""
    shown = {text for section in page.sections for block in section.blocks for text in block.seen}
    targets = {f"make {name}" for name in TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8"))}
    known = shown | targets | set(OF_OTHERS) | set(verbs_and_options((enactor, planner))) | page.placeholders
    left = (one for one in spans(page) - known if not ALERT.fullmatch(one) and not METRIC.fullmatch(one))
    return sorted(one for one in left if not all(map(is_said, one.split())) and not (ROOT / one).exists())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_words_in_backticks_are_the_code_s(page: Page) -> None:
    """Events, guards, states, settings and what commands print: a reader looks for them letter by letter."""
    assert unknown(page) == []


def test_a_word_of_nobody_s_is_found() -> None:
    """Also one that is nearly right, and one that a page says will not be seen."""
    words = (
        "shrink-target",
        "fence-lost",
        "switch-went-back",
        "ENACTOR_ZONE",
        "ENACTOR_ZONES",
        "--unguard",
        "account-shares",
        "refused by vanish",
    )
    text = (
        f"# A page\n\n{' '.join(f'`{word}`' for word in words)}\n\n```sh\n`echo`\n```\n\nYou do not see `SILENTLY`.\n"
    )
    page = Page(name="page.md", text=text, sections=())
    wrong = [
        "--unguard",
        "ENACTOR_ZONE",
        "SILENTLY",
        "account-shares",
        "fence-lost",
        "refused by vanish",
        "shrink-target",
    ]
    assert unknown(page) == wrong


def test_every_word_that_is_another_s_is_on_a_page() -> None:
    """The list of exceptions has no dead entry."""
    assert set(OF_OTHERS) <= {span for page in PAGES for span in spans(page)}


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

"""The rules file itself: promtool accepts it, each alert has what a person needs, and its metrics and labels are the code's."""

import re
import subprocess
from typing import Any, cast

import pytest
import yaml

from tests.metrics_table import every_metric
from tests.promql import faults

from .scene import NO_PROMTOOL, PROMTOOL, ROOT, RULES, fleet

ALERTS = {
    "EnactorEndpointEmptyOutside": ("endpoint-empty.md", ["page"]),
    "EnactorEndpointEmpty": ("endpoint-empty.md", ["page"]),
    "EnactorEndpointRefused": ("endpoint-refused.md", ["ticket", "page"]),
    "EnactorEndpointBehind": ("endpoint-behind.md", ["ticket", "page"]),
    "EnactorEndpointContested": ("somebody-else.md", ["ticket"]),
    "EnactorPlanRefused": ("plan-refused.md", ["ticket", "page"]),
    "EnactorEndpointCarried": ("endpoint-refused.md", ["ticket"]),
    "EnactorPlannerSilent": ("planner-silent.md", ["ticket", "page"]),
    "EnactorHealthBrakeOn": ("health-brake.md", ["ticket"]),
    "EnactorCollectionStuck": ("collection-stuck.md", ["ticket"]),
    "EnactorAllSilent": ("enactors-silent.md", ["page", "page"]),
    "EnactorFenceWentBack": ("fence-went-back.md", ["page"]),
    "EnactorBudgetExhausted": ("budget-exhausted.md", ["ticket"]),
    "EnactorRunningWithoutTable": ("plan-table.md", ["ticket", "page"]),
    "EnactorNotReady": ("enactor-wedged.md", ["ticket"]),
    "EnactorCriticalUnknown": ("limits-differ.md", ["ticket"]),
    "EnactorLimitsDiffer": ("limits-differ.md", ["ticket"]),
    "EnactorStopOutlivedItsEnd": ("stop-outlived.md", ["ticket"]),
}
"""All alerts that there are, with the page that each leads to and its severities in the order in which they come."""
URL = "{{ $externalLabels.enactor_docs }}/runbooks/"


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def alerts() -> list[dict[str, Any]]:
    return [rule for rule in rules() if "alert" in rule]


def metrics_of_rules() -> set[str]:
    """Return every metric that an expression or a summary names."""
    texts = [rule["expr"] + rule.get("annotations", {}).get("summary", "") for rule in rules()]
    found = {name for text in texts for name in re.findall(r"(?<![\w:])(?:enactor|planner)_\w+(?![\w:])", text)}
    return (found | {"up"}) - {"enactor_docs"}


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.get("alert") or rule["record"])
def test_a_rule_asks_for_what_the_code_exports(rule: dict[str, Any]) -> None:
    """Metrics, labels and the words that labels say, in the expression and in the queries of its summary."""
    recorded = frozenset(one["record"] for one in rules() if "record" in one)
    queries = re.findall(r'printf "(.*?)" \$labels', rule.get("annotations", {}).get("summary", ""))
    for expr in (rule["expr"], *queries):
        assert faults(expr.replace('\\"', '"'), every_metric(), recorded) == []


def test_the_scenes_have_only_what_the_code_exports() -> None:
    """Else promtool would be told of metrics that nobody has."""
    assert fleet().metrics() - {"up"} <= every_metric().keys()


@pytest.mark.skipif(PROMTOOL is None, reason=NO_PROMTOOL)
def test_promtool_accepts_the_rules() -> None:
    """With its linter, which knows a rule that is there twice."""
    command = [str(PROMTOOL), "check", "rules", "--lint=all", "--lint-fatal", str(RULES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_exactly_these_alerts_are_there() -> None:
    """Few: in 2025 the one right alarm was lost among hundreds."""
    found: dict[str, tuple[str, list[str]]] = {}
    for rule in alerts():
        url = cast("str", rule["annotations"]["runbook_url"])
        page, severities = found.setdefault(rule["alert"], (url.removeprefix(URL), []))
        assert url == URL + page, "two rules of one name lead to one page"
        severities.append(rule["labels"]["severity"])
    assert found == ALERTS


def test_each_alert_leads_to_a_page_that_is_there() -> None:
    """A page that is paged and not written is worse than no page."""
    pages = {page for page, _ in ALERTS.values()}
    assert {page for page in pages if not (ROOT / "runbooks" / page).is_file()} == set()


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: f"{rule['alert']}-{rule['labels']['severity']}")
def test_an_alert_is_one_of_a_fleet_and_says_a_number(rule: dict[str, Any]) -> None:
    """Never hundreds for one event: what it is told by is the fleet, and which fleet and how much stands in its summary."""
    summary = rule["annotations"]["summary"]
    assert "$labels.fleet" in summary
    assert "$value" in summary
    assert set(re.findall(r"\$labels\.(\w+)", summary)) == {"fleet"}
    outermost = re.match(
        r"(?:time\(\) - )?(?:count|max|sum) by \(fleet\)|(?:enactor|planner):\w+:age_seconds", rule["expr"].strip()
    )
    assert outermost, rule["expr"]


def test_the_docs_say_of_each_rule_what_it_is() -> None:
    """Name, severity, `for`, and the page, in the order of the file."""
    text = (ROOT / "docs" / "alerts.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line.startswith("| `")
    ]
    told = [(row[0].strip("`"), row[1], row[2], re.sub(r"\[(.*)\]\(\.\./runbooks/\1\)", r"\1", row[5])) for row in rows]
    there = [
        (
            rule["alert"],
            rule["labels"]["severity"],
            rule.get("for", "-"),
            rule["annotations"]["runbook_url"].removeprefix(URL),
        )
        for rule in alerts()
    ]
    assert sorted(told) == sorted(there)


@pytest.mark.skipif(PROMTOOL is None, reason=NO_PROMTOOL)
def test_the_example_configuration_fits_the_rules() -> None:
    """Its jobs, its label `fleet` and its external label are what the rules ask for."""
    file = RULES.with_name("scrape.yaml")
    done = subprocess.run([str(PROMTOOL), "check", "config", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    jobs = {job["job_name"] for job in config["scrape_configs"]}
    assert set(re.findall(r'job="([\w-]+)"', RULES.read_text(encoding="utf-8"))) <= jobs
    for job in config["scrape_configs"]:
        assert [static["labels"] for static in job["static_configs"]] == [{"fleet": "edge"}]
    assert URL.split(".")[1].split(" ", maxsplit=1)[0] in config["global"]["external_labels"]

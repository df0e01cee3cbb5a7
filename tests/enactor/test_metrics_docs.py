"""docs/metrics.md lists what the code exports: each metric with its type, labels and help, and none that is gone."""

import re

import pytest

from tests.metrics_table import PAGE, PROGRAMS, every_metric, exported, renewed
from tests.promql import faults


def test_the_tables_are_what_the_code_exports() -> None:
    """`python -m tests.metrics_table` writes them anew."""
    page = PAGE.read_text(encoding="utf-8")
    assert page == renewed(page)


def test_every_metric_has_one_program_a_help_text_and_a_good_name() -> None:
    """By Prometheus' conventions: a counter ends in _total, a histogram of times in _seconds, and no label is called like a target's."""
    everything = [one for registry in PROGRAMS.values() for one in exported(registry())]
    assert len(everything) == len(every_metric()) > 60
    for one in everything:
        assert one.name.startswith(("enactor_", "planner_"))
        assert one.text.endswith(".")
        assert (one.type == "counter") == one.name.endswith("_total")
        assert one.type != "histogram" or one.name.endswith("_seconds")
        assert not {"fleet", "job", "instance"} & set(one.labels)


def test_the_labels_whose_values_come_from_outside_are_named() -> None:
    """Whoever adds a label says here and on the page what bounds it."""
    words = {"cause", "currency", "decision", "event", "guard", "operation", "outcome", "plan", "rcode", "reason"}
    words |= {"resolved", "source", "state", "switch", "verdict"}
    labels = {label for one in every_metric().values() for label in one.labels}
    said = PAGE.read_text(encoding="utf-8").split("whose values come from outside are", 1)[1].split("`rcode`", 1)[0]
    assert set(re.findall(r"`([a-z]+)`", said)) == labels - words
    assert words <= labels


@pytest.mark.parametrize(
    ("expr", "wrong"),
    [
        ('sum by (fleet) (enactor_endpoints{state="behind"})', []),
        ("rate(enactor_route53_request_seconds_bucket[5m])", []),
        ("enactor_endpoint", ["nothing exports enactor_endpoint"]),
        ("enactor_route53_request_seconds", ["nothing exports enactor_route53_request_seconds"]),
        ("enactor_ready_count", ["nothing exports enactor_ready_count"]),
        ('enactor_ready{zone="Z1"}', ["enactor_ready has no label zone"]),
        ("sum by (zone) (enactor_ready)", ["no metric here has the label zone"]),
        ('enactor_endpoints{state="gone"}', ["state of enactor_endpoints is never gone"]),
        ('enactor_endpoints{state=~"behind|gone"}', ["state of enactor_endpoints is never one of ['gone']"]),
        ("enactor:unheard:of", ["nothing exports enactor:unheard:of"]),
        ("vector(1)", ["it asks for no metric"]),
    ],
)
def test_what_no_program_exports_is_found_in_an_expression(expr: str, wrong: list[str]) -> None:
    """Rules and dashboards are held to it."""
    assert faults(expr, every_metric(), frozenset({"enactor:known"})) == wrong

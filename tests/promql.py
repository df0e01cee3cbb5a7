"""Which metrics and labels a PromQL expression names: enough of the language for the expressions that stand in deploy/."""

import re
from collections.abc import Iterator
from typing import Final, get_args

import msgspec

from enactor.guards import ENDPOINT_GUARDS
from enactor.metrics import NOTICED
from enactor.plan_guards import PLAN_GUARDS
from enactor.report import OutcomeWord, PlanWord, Source, SwitchWord, Unread
from enactor.report_collect import Decision
from enactor.seen_outside import WORST_FIRST
from enactor.swap import State
from tests.metrics_table import Exported

FROM_THE_SERVER: Final = {
    "up": frozenset({"fleet", "job", "instance"}),
    "ALERTS": frozenset({"alertname", "alertstate", "severity"}),
}
OF_A_TARGET: Final = frozenset({"fleet", "job", "instance"})
ENDINGS: Final = {"bucket": "histogram", "sum": "histogram", "count": "histogram"}
WORDS: Final[dict[str, frozenset[str]]] = {
    "state": frozenset(get_args(State)),
    "guard": frozenset(ENDPOINT_GUARDS) | frozenset(PLAN_GUARDS),
    "event": frozenset(NOTICED),
    "source": frozenset(get_args(Source)),
    "switch": frozenset((*get_args(SwitchWord), *get_args(Unread))),
    "plan": frozenset((*get_args(PlanWord), *get_args(Unread))),
    "verdict": frozenset(WORST_FIRST),
    "currency": frozenset({"requests", "changes"}),
    "decision": frozenset(get_args(Decision)),
    "job": frozenset({"enactor", "planner", "enactor-probe"}),
}
"""What a label can say, where the code has a list of its words."""
OUTCOMES: Final = {"enactor_cycles_total": frozenset(get_args(OutcomeWord))}
SELECTOR: Final = re.compile(r"(?<![\w:$.\"])((?:enactor|planner)[\w:]*[_:][\w:]*|up|ALERTS)\b(?:\{([^}]*)\})?")
MATCHER: Final = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*\\?"([^"]*?)\\?"')
GROUPING: Final = re.compile(r"\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)")
VARIABLE: Final = re.compile(r"\$\w+|\$\{\w+\}")


class Selector(msgspec.Struct, frozen=True):
    """A metric that is asked for, with its matchers as (label, operator, value)."""

    name: str
    matchers: tuple[tuple[str, str, str], ...]


def selectors(expr: str) -> Iterator[Selector]:
    """Yield what an expression asks for; the values of its matchers are no names."""
    bare = GROUPING.sub(" ", expr)
    for name, inner in SELECTOR.findall(bare):
        yield Selector(name, tuple(MATCHER.findall(inner)))


def faults(expr: str, metrics: dict[str, Exported], recorded: frozenset[str]) -> list[str]:
    """Return what an expression asks for that no program exports: metrics, labels, and words that a label never says."""
    found, labels = [], set(OF_A_TARGET)
    asked = list(selectors(expr))
    if not asked:
        found.append("it asks for no metric")
    for one in asked:
        if one.name in recorded:
            labels |= {"name", "account", "currency"}
            continue
        there = _labels_of(one.name, metrics)
        if there is None:
            found.append(f"nothing exports {one.name}")
            continue
        labels |= there
        found += _wrong_matchers(one, there | OF_A_TARGET)
    grouped = {label.strip() for inner in GROUPING.findall(expr) for label in inner.split(",") if label.strip()}
    return found + [f"no metric here has the label {label}" for label in sorted(grouped - labels)]


def _labels_of(name: str, metrics: dict[str, Exported]) -> frozenset[str] | None:
    if name in FROM_THE_SERVER:
        return FROM_THE_SERVER[name]
    if name in metrics and metrics[name].type != "histogram":
        return frozenset(metrics[name].labels)
    base, _, ending = name.rpartition("_")
    if base in metrics and metrics[base].type == ENDINGS.get(ending):
        return frozenset(metrics[base].labels) | (frozenset({"le"}) if ending == "bucket" else frozenset())
    return None


def _wrong_matchers(one: Selector, there: frozenset[str]) -> Iterator[str]:
    for label, operator, value in one.matchers:
        if label not in there:
            yield f"{one.name} has no label {label}"
        known = OUTCOMES.get(one.name) if label == "outcome" else WORDS.get(label)
        if known is None or VARIABLE.search(value) or "%q" in value:
            continue
        meant = {word for word in known if re.fullmatch(value, word)} if operator in {"=~", "!~"} else {value} & known
        if not meant:
            yield f"{label} of {one.name} is never {value}"
        if operator in {"=~", "!~"} and ".*" not in value and set(value.split("|")) != meant:
            yield f"{label} of {one.name} is never one of {sorted(set(value.split('|')) - meant)}"

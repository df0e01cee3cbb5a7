"""Show reports to people: tables on stdout that fit a terminal and survive a pipe. Decides nothing."""

import os
import shutil
import sys
from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from enactor.report import CycleReport, PlanWordReport, StatusReport, SurveyReport, ZoneReport
from enactor.report_collect import CollectReport

PIPE_WIDTH: Final = 160
ROWS_MAX: Final = 200
"""A terminal is no place for twenty thousand lines; --json has them all."""

STATE_STYLES: Final = {
    "current": "green",
    "held": "cyan",
    "retired": "dim",
    "behind": "yellow",
    "drifted": "yellow",
    "fence-missing": "yellow",
    "vanished": "yellow",
    "foreign": "magenta",
    "fence-garbled": "magenta",
    "refused": "red",
    "missing": "bold red",
    "empty": "bold red",
}


def console() -> Console:
    """Return a console that keeps lines whole in a pipe, unless COLUMNS says how wide."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH
    return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=not sys.stdout.isatty())


def table(*columns: str) -> Table:
    """Return an empty table in the house's look."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def plan_line(plan: PlanWordReport) -> str:
    """Say which plan was worked from."""
    if plan.generation is None:
        return "plan: none published yet"
    return f"plan: generation {plan.generation} digest {(plan.digest or '')[:12]} from {plan.source}"


def zone_table(zones: Iterable[ZoneReport]) -> Table:
    """Show the zones."""
    made = table("zone", "switch", "open", "plan", "")
    for zone in zones:
        note = zone.error or _way_out(zone)
        style = "green" if zone.switch == "run" and not note else "yellow"
        opened = "" if zone.open is None else str(zone.open)
        made.add_row(
            zone.zone, Text(zone.switch, style=style), opened, zone.plan, Text(note, style="red" if zone.error else "")
        )
    return made


def _way_out(zone: ZoneReport) -> str:
    if zone.switch == "absent":
        return f"no switch, which means stop: `enactor init --zone {zone.zone}`, or `enactor start` where it was in service"
    if zone.switch == "stop":
        return f"stopped by a person: `enactor start --zone {zone.zone}` brings it back"
    if zone.plan in {"ahead", "forked"}:
        return (
            f"the zone is {zone.plan} of every plan at hand: only repairs until a plan above {zone.open} is published"
        )
    return ""


def show_cycle(report: CycleReport) -> None:
    """Show what a cycle did."""
    out = console()
    out.print(f"{report.fleet}: {report.outcome}; {plan_line(report.plan)}")
    out.print(zone_table(report.zones))
    rows = [endpoint for endpoint in report.endpoints if endpoint.state != "current" or endpoint.action != "none"]
    if rows:
        made = table("endpoint", "state", "action", "gen", "wanted", "")
        for endpoint in rows[:ROWS_MAX]:
            why = "; ".join(f"{finding.guard}: {finding.message}" for finding in endpoint.guards)
            state = Text(endpoint.state, style=STATE_STYLES[endpoint.state])
            made.add_row(
                endpoint.name, state, endpoint.action, _number(endpoint.generation), _number(endpoint.wanted), why
            )
        out.print(made)
    _rest(out, len(rows))
    quiet = len(report.endpoints) - len(rows)
    out.print(
        f"{quiet} endpoints current; {report.calls.list} reads, {report.calls.change} change calls, {report.changes} changes"
    )
    for finding in report.refused:
        out.print(Text(f"plan refused: {finding.guard}: {finding.message}", style="red"))
    _problems(out, report.problems)


def show_survey(report: SurveyReport) -> None:
    """Show how every endpoint stands."""
    out = console()
    out.print(f"{report.fleet}: {plan_line(report.plan)}")
    out.print(zone_table(report.zones))
    made = table("endpoint", "state", "answering", "gen", "wanted", "")
    ranked = sorted(report.endpoints, key=lambda endpoint: (endpoint.state == "current", endpoint.zone, endpoint.name))
    for endpoint in ranked[:ROWS_MAX]:
        made.add_row(
            endpoint.name,
            Text(endpoint.state, style=STATE_STYLES[endpoint.state]),
            "yes" if endpoint.answering else Text("NO", style="bold red"),
            _number(endpoint.generation),
            _number(endpoint.wanted),
            "; ".join(endpoint.reasons),
        )
    out.print(made)
    _rest(out, len(ranked))
    _counts(out, report.counts, report.other_zones)
    _problems(out, report.problems)


def show_status(report: StatusReport) -> None:
    """Show the whole in a few lines."""
    out = console()
    out.print(f"{report.fleet}: {plan_line(report.plan)}")
    out.print(zone_table(report.zones))
    _counts(out, report.counts, report.other_zones)
    for what, names in (("held", report.holds), ("allowed", report.allows), ("stopped", report.stops)):
        if names:
            out.print(f"{what}: {', '.join(names)}")
    if report.enactors is None:
        out.print("enactors: unknown, the plan table cannot be read")
    else:
        out.print(
            "enactors: "
            + (", ".join(f"{one.id} (gen {one.generation}, {one.seen})" for one in report.enactors) or "none seen")
        )
    _problems(out, report.problems)


def show_collect(report: CollectReport) -> None:
    """Show what became of each plan, and why."""
    out = console()
    made = table("generation", "decision", "reasons")
    for plan in report.plans:
        made.add_row(str(plan.generation), plan.decision, ", ".join(plan.reasons))
    out.print(made)
    out.print(f"{report.uploads_swept} half-done uploads swept")
    _problems(out, report.unreadable)


def _counts(out: Console, counts: dict[str, int], other_zones: int) -> None:
    words = ", ".join(f"{count} {state}" for state, count in counts.items()) or "no endpoints"
    out.print(words + (f"; {other_zones} in zones that are not ours" if other_zones else ""))


def _rest(out: Console, rows: int) -> None:
    if rows > ROWS_MAX:
        out.print(f"... and {rows - ROWS_MAX} more; --json has them all")


def _problems(out: Console, problems: Iterable[str]) -> None:
    for problem in problems:
        out.print(Text(f"problem: {problem}", style="red"))


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)

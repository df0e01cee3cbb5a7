"""Say a dry-run's report for people: a table in the terminal, or markdown for a review. Decides nothing."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from enactor.guards import Finding
from planner.reports import DryRunEndpoint, DryRunReport, DryRunZone
from planner.wording import change_lines

HEADINGS: Final = ("endpoint", "zone", "state", "would", "targets", "changes", "guards")
DIGEST_SHOWN_DIGITS: Final = 12


def print_text(report: DryRunReport, console: Console) -> None:
    """Print the report as a table, and under it each change and each refusal in a line."""
    for line in _head(report):
        console.print(Text(line))
    table = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading == "changes" else "left", overflow="fold")
    for endpoint in report.endpoints:
        style = {"refused": "red", "swap": "green"}.get(endpoint.action, "")
        table.add_row(*(Text(cell, style=style) for cell in _cells(endpoint)))
    if report.endpoints:
        console.print(table)
    for line in _details(report):
        console.print(Text(line), soft_wrap=True)


def markdown(report: DryRunReport) -> Iterator[str]:
    """Yield the report as markdown lines."""
    head = list(_head(report))
    yield f"## {head[0]}"
    yield ""
    yield from (f"- {line}" for line in head[1:])
    yield ""
    if report.endpoints:
        yield f"| {' | '.join(HEADINGS)} |"
        yield "|" + " --- |" * len(HEADINGS)
        yield from (f"| {' | '.join(map(_cell, _cells(endpoint)))} |" for endpoint in report.endpoints)
        yield ""
    details = list(_details(report))
    if details:
        yield from ("```text", *details, "```")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def _head(report: DryRunReport) -> Iterator[str]:
    what = "is generation" if report.published else "would be generation"
    yield f"plan {report.digest[:DIGEST_SHOWN_DIGITS]} of fleet {report.fleet} {what} {report.generation}"
    yield from (f"refused at publish, nothing would be stored: {_finding(one)}" for one in report.refused)
    yield from (_zone(zone) for zone in report.zones)
    if report.other_zones:
        yield f"{report.other_zones} endpoints are in zones that were not looked at"
    yield f"cost: {_counted(report.cost.calls, 'call')}, {_counted(report.cost.changes, 'change')}"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _zone(zone: DryRunZone) -> str:
    if zone.error:
        return f"zone {zone.zone} cannot be read: {zone.error}"
    opened = "" if zone.open is None else f", generation {zone.open} is open"
    refused = "".join(f"; refused: {_finding(one)}" for one in zone.refused)
    return f"zone {zone.zone}: switch {zone.switch}{opened}, the zone is {zone.plan}{refused}"


def _cells(endpoint: DryRunEndpoint) -> Sequence[str]:
    change = endpoint.change
    counts = (("+", change.added), ("-", change.removed), ("~", (*change.reweighted, *change.altered)))
    return (
        endpoint.name,
        endpoint.zone,
        endpoint.state,
        endpoint.action,
        " ".join(f"{sign}{len(group)}" for sign, group in counts if group) or "same",
        str(endpoint.changes),
        ", ".join(dict.fromkeys(finding.guard for finding in endpoint.guards)),
    )


def _details(report: DryRunReport) -> Iterator[str]:
    for endpoint in report.endpoints:
        lines = [
            *change_lines(endpoint.change),
            *(f"! {_finding(finding)}" for finding in endpoint.guards),
            *(f"! {reason}" for reason in endpoint.reasons),
        ]
        if lines:
            yield f"{endpoint.name} ({endpoint.zone})"
            yield from (f"    {line}" for line in lines)


def _finding(finding: Finding) -> str:
    return f"{finding.guard}: {finding.message}"

"""Say a dry-run's report for people: a table in the terminal, or markdown for a review. Decides nothing."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from enactor.guards import Finding
from planner.reasons import TargetReason
from planner.reports import DryRunEndpoint, DryRunReport, DryRunZone
from planner.wording import change_lines, counted, refusal_words

HEADINGS: Final = ("endpoint", "zone", "state", "would", "targets", "changes", "guards")
DIGEST_SHOWN_DIGITS: Final = 12
NOTE: Final = "#"
"""Marks what is as it should be and only worth knowing; `!` marks what a person should look at."""
QUIET_STATES: Final = frozenset({"missing", "held", "retired", "current"})
"""Nothing is wrong there: a new endpoint has no record set yet, and a person holds or retired the others."""
BRAKES: Final = {
    "stop": "; stopped: nothing is written until `enactor start`",
    "absent": "; absent, which means stop: nothing is written until `enactor init`, or `enactor start` where it was in service",
}
"""What a switch that is not in run does to all that is shown below."""
SWITCH_SHARE: Final = "for the zone's switch, which every call carries"


def print_text(report: DryRunReport, console: Console) -> None:
    """Print the report as a table, and under it each change and each refusal in a line."""
    for line in head_lines(report):
        console.print(Text(line), soft_wrap=True)
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
    head = list(head_lines(report))
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


def head_lines(report: DryRunReport) -> Iterator[str]:
    """Yield what holds for the whole plan: what it is, who refuses it, how each zone stands, what it costs."""
    if report.carried:
        yield f"file {report.file_digest[:DIGEST_SHOWN_DIGITS]} of fleet {report.fleet}: {_kept_back(report)}"
    what = "is generation" if report.published else "would be generation"
    of = ", with that kept back," if report.carried else f" of fleet {report.fleet}"
    yield f"plan {report.digest[:DIGEST_SHOWN_DIGITS]}{of} {what} {report.generation}"
    yield from (f"refused at publish, nothing would be stored: {finding_text(one)}" for one in report.refused)
    yield from (f"the brake holds: {one.message}" for one in report.braked)
    said = {finding.guard for finding in report.refused}
    yield from (_zone(zone, said) for zone in report.zones)
    if report.other_zones:
        yield _not_looked_at(report)
    yield f"cost: {_cost(report)}"


def _kept_back(report: DryRunReport) -> str:
    left_out = sum(one.left_out for one in report.carried)
    kept = len(report.carried) - left_out
    words = refusal_words(report.listed, carried=kept, left_out=left_out, parent=report.parent)
    return f"{words} (publish exits 3)"


def _not_looked_at(report: DryRunReport) -> str:
    zones = report.not_looked_at
    many = len(zones) > 1
    where = f"{'zones' if many else 'zone'} {', '.join(zones)}, which {'are' if many else 'is'} not in --zones (ENACTOR_ZONES)"
    is_are = "is" if report.other_zones == 1 else "are"
    return (
        f"{counted(report.other_zones, 'endpoint')} {is_are} in {where} and {'were' if many else 'was'} not looked at"
    )


def _cost(report: DryRunReport) -> str:
    """Say what the changes are for: the column shows the endpoints', and every call carries the zone's switch besides."""
    cost = report.cost
    if cost is None:
        return "unknown"
    words = f"{counted(cost.calls, 'call')}, {counted(cost.changes, 'change')}"
    for_endpoints = sum(endpoint.changes for endpoint in report.endpoints)
    rest = cost.changes - for_endpoints
    if not rest:
        return words
    paying = [zone for zone in report.zones if zone.cost and zone.cost.calls]
    only_opens = cost.calls == len(paying) and all((zone.switch, zone.plan) == ("run", "behind") for zone in paying)
    return f"{words}: {for_endpoints} for endpoints, {rest} {'to open the generation' if only_opens else SWITCH_SHARE}"


def _zone(zone: DryRunZone, said: AbstractSet[str]) -> str:
    """Say how a zone stands; a guard that refuses at publish too has had its sentence, and why nothing is known has its line on stderr."""
    if zone.error:
        return f"zone {zone.zone}: unknown, it cannot be read"
    opened = "" if zone.open is None else f", generation {zone.open} is open"
    refused = "".join(f"; refused: {one.guard if one.guard in said else finding_text(one)}" for one in zone.refused)
    return f"zone {zone.zone}: switch {zone.switch}{opened}, the zone is {zone.plan}{refused}{BRAKES.get(zone.switch or '', '')}"


def _cells(endpoint: DryRunEndpoint) -> Sequence[str]:
    change = endpoint.change
    counts = (("+", change.added), ("-", change.removed), ("~", (*change.reweighted, *change.altered)))
    return (
        endpoint.name,
        endpoint.zone,
        endpoint.state,
        endpoint.action,
        " ".join(f"{sign}{len(group)}" for sign, group in counts if group)
        or ("leaves the plan" if _leaves(endpoint) else "same"),
        str(endpoint.changes),
        ", ".join(dict.fromkeys(finding.guard for finding in endpoint.guards)),
    )


def _leaves(endpoint: DryRunEndpoint) -> bool:
    """Tell whether a name leaves the plan and nothing else; `retired` is a state too, of a name that a tombstone keeps away."""
    return endpoint.retired and endpoint.action == "none" and endpoint.state != "retired"


def _details(report: DryRunReport) -> Iterator[str]:
    said = {finding.guard for finding in (*report.refused, *(one for zone in report.zones for one in zone.refused))}
    for endpoint in report.endpoints:
        lines = list(_endpoint_details(endpoint, said))
        if lines:
            yield f"{endpoint.name} ({endpoint.zone})"
            yield from (f"    {line}" for line in lines)


def _endpoint_details(endpoint: DryRunEndpoint, said: AbstractSet[str]) -> Iterator[str]:
    yield from change_lines(endpoint.change)
    yield from (line for one in endpoint.targets if not one.is_plain for line in target_lines(one))
    yield from (f"! {finding_text(finding)}" for finding in endpoint.guards)
    if _leaves(endpoint):
        yield f"{NOTE} leaves the plan, under retired; nothing is deleted, and it stays as it is: `enactor retire` takes it away"
    if endpoint.state not in said:  # the guard `vanished` has said it already, for all of them at once
        mark = NOTE if endpoint.state in QUIET_STATES else "!"
        yield from (f"{mark} {reason}" for reason in endpoint.reasons)


def target_lines(target: TargetReason) -> Iterator[str]:
    """Yield what became of one load balancer at an endpoint, and under it why."""
    weight = "" if target.weight is None else f" weight {target.weight}"
    before = "" if target.before in {None, target.weight} else f" (now {target.before})"
    goal = "" if target.goal is None else f", on the way to {target.goal}"
    yield f"{target.standing} {target.id}{weight}{before}{goal}"
    yield from (f"    {reason}" for reason in target.reasons)


def explained(report: DryRunReport, name: str) -> Iterator[str]:
    """Yield why each load balancer of an endpoint, or one load balancer at each endpoint, is in the plan or not."""
    wanted = name.lower().removesuffix(".")
    for endpoint in report.endpoints:
        is_meant = endpoint.name.removesuffix(".") == wanted
        targets = [one for one in endpoint.targets if is_meant or one.id == name]
        if is_meant or targets:
            yield f"{endpoint.name} ({endpoint.zone})"
            yield from (f"    {line}" for one in targets for line in target_lines(one))
            if not targets:
                yield "    a plan file gives no reasons; a fleet file does"


def finding_text(finding: Finding) -> str:
    """Say a refusal: the guard, and its sentence with the numbers."""
    return f"{finding.guard}: {finding.message}"

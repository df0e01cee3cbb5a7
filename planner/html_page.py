"""Say a dry-run's report as one HTML file that needs nothing else: no script, no request, no font, readable in light and in dark.

Decides nothing. Everything that comes from a file, a zone or a source is escaped; the page forbids itself every request besides.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from enactor.page.frame import LOOK, asset
from planner.members import Bar
from planner.rendering import finding_text, head_lines, target_lines
from planner.reports import DryRunEndpoint, DryRunReport
from planner.wording import change_lines, counted

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""A bar's length stands in its own `style`, which no hash can allow."""
STYLE: Final = """
body { margin: 1rem auto; max-width: 64rem; }
h2 { margin: 0; }
section { border-top: 1px solid var(--line); padding: 1rem 0; }
table { margin: .6rem 0; }
th { font-weight: normal; } th, td { padding: .15rem .5rem .15rem 0; vertical-align: middle; }
td.name { width: 34%; overflow-wrap: anywhere; } td.side { width: 33%; }
.bar { display: inline-block; height: .75rem; min-width: 1px; background: var(--bar); vertical-align: middle; margin-right: .4rem; }
.bar.moved { background: var(--new); }
""".strip()
"""What this page has beside the look that all pages share."""
BAR_MAX_PERCENT: Final = 70
"""How much of its column the longest bar takes; the rest is for the numbers."""


def html_page(report: DryRunReport) -> Iterator[str]:
    """Yield the page's lines."""
    first, *others = list(head_lines(report))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(f'dry-run of fleet {report.fleet}')}</title>\n<style>\n{asset(LOOK)}{STYLE}\n</style>\n</head>\n<body>"
    yield f"<h1>{escape(first)}</h1>\n<ul>"
    yield from (f"<li>{escape(line)}</li>" for line in others)
    yield "</ul>"
    busy = [one for one in report.endpoints if _is_busy(one)]
    calm = [one for one in report.endpoints if not _is_busy(one)]
    for endpoint in busy:
        yield from _section(endpoint)
    if calm:
        yield f"<details><summary>{counted(len(calm), 'endpoint')} without a change</summary>"
        for endpoint in calm:
            yield from _section(endpoint)
        yield "</details>"
    yield "</body>\n</html>"


def _is_busy(endpoint: DryRunEndpoint) -> bool:
    return bool(endpoint.change or endpoint.guards) or endpoint.action != "none"


def _section(endpoint: DryRunEndpoint) -> Iterator[str]:
    does = "bad" if endpoint.action == "refused" else "soft"
    what = f"{endpoint.state}, would: {endpoint.action}"
    yield f'<section>\n<h2>{escape(endpoint.name)} <span class="{does}">{escape(what)}</span> <span class="soft">{escape(endpoint.zone)}</span></h2>'
    for finding in endpoint.guards:
        yield f'<p class="bad">{escape(finding_text(finding))}</p>'
    for record_type in sorted({bar.type for bar in endpoint.bars}):
        yield from _table(record_type, [bar for bar in endpoint.bars if bar.type == record_type])
    changes = list(change_lines(endpoint.change))
    if changes:
        yield f"<pre>{escape(chr(10).join(changes))}</pre>"
    reasons = [line for one in endpoint.targets for line in target_lines(one)]
    if reasons:
        yield f"<details><summary>why each is in, out, or at its weight</summary><pre>{escape(chr(10).join(reasons))}</pre></details>"
    yield "</section>"


def _table(record_type: str, bars: Sequence[Bar]) -> Iterator[str]:
    """Yield the bars of one type: as long as the share of the answers that a target has, before and after."""
    before, after = sum(bar.before for bar in bars), sum(bar.after for bar in bars)
    yield f"<table>\n<tr><th>{escape(record_type)}</th><th>now</th><th>then</th></tr>"
    for bar in bars:
        name = bar.target if bar.id is None else f"{bar.id} {bar.target}"
        moved = bar.before != bar.after
        yield (
            f'<tr><td class="name">{escape(name)}</td>{_side(bar.before, before, moved=False)}'
            f"{_side(bar.after, after, moved=moved)}</tr>"
        )
    yield "</table>"


def _side(weight: int, total: int, *, moved: bool) -> str:
    if not weight:
        return '<td class="side"><span class="soft">&ndash;</span></td>'
    share = weight / total
    kind = "bar moved" if moved else "bar"
    width = f"{BAR_MAX_PERCENT * share:.1f}%"
    return f'<td class="side"><span class="{kind}" style="width:{width}"></span>{weight} <span class="soft">{share:.0%}</span></td>'

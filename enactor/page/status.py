"""The status page of one enactor process: what `/api/status` says, as one HTML page that needs nothing else.

Everything but the table of all endpoints stands in the document as it is sent, so it is there without a script. The script asks for the
document again, puts the parts that changed in place, and fills the table from `/api/status` when the endpoints changed: a page that is
left open beside twenty thousand quiet endpoints costs a few kilobytes at each look.
"""

import hashlib
import threading
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from enactor.live_overview import Headline, Overview, headline, old_after_seconds, overview_of
from enactor.live_report import LiveEndpoint, LiveReport
from enactor.page import parts
from enactor.page.frame import LOOK, Html, asset, document, el, joined

STYLES: Final = (LOOK, "status.css")
SCRIPT: Final = "status.js"
WAYS: Final = (
    ("wrong", "wrong"),
    ("brakes", "stops and holds"),
    ("plan", "in force"),
    ("changes", "changes"),
    ("enactors", "enactors"),
    ("endpoints", "all endpoints"),
)
LOOK_AGAIN_SECONDS: Final = 15
"""How often a browser without scripts loads the page anew."""


class Seen(NamedTuple):
    """What is worked out once for each tuple of endpoints, and that tuple."""

    endpoints: tuple[LiveEndpoint, ...]
    encoded: bytes
    digest: str
    overview: Overview


class StatusPage:
    """The page and the JSON of one process, from the report that it is handed; threads may ask at the same time."""

    def __init__(self, report: Callable[[], LiveReport]) -> None:
        self._report = report
        self._working = threading.Lock()
        self._seen: Seen | None = None

    def json(self) -> bytes:
        """Return what `/api/status` answers: the endpoints are put into words once for each cycle."""
        report = self._report()
        encoded = self._once(report.endpoints).encoded
        return msgspec.json.encode({**msgspec.structs.asdict(report), "endpoints": msgspec.Raw(encoded)})

    def html(self) -> tuple[str, str]:
        """Return the page, and the policy that goes with it."""
        report = self._report()
        seen = self._once(report.endpoints)
        first = headline(report, seen.overview)
        return document(
            f"{first.fact} - {report.fleet} - {report.enactor}",
            _body(report, seen, first),
            styles=tuple(asset(name) for name in STYLES),
            script=asset(SCRIPT),
            connects=True,
            head=Html(f'<noscript><meta http-equiv="refresh" content="{LOOK_AGAIN_SECONDS}"></noscript>\n'),
        )

    def _once(self, endpoints: tuple[LiveEndpoint, ...]) -> Seen:
        with self._working:
            if self._seen is None or self._seen.endpoints is not endpoints:
                encoded = msgspec.json.encode(endpoints)
                digest = hashlib.blake2b(encoded, digest_size=8).hexdigest()
                self._seen = Seen(endpoints, encoded, digest, overview_of(endpoints))
            return self._seen


def _body(report: LiveReport, seen: Seen, first: Headline) -> Html:
    overview = seen.overview
    return joined(
        el("a", "to the endpoints", href="#endpoints", class_="skip"),
        el("p", id="stale", class_="stale", role="alert", hidden=True),
        _top(report, seen, first),
        el(
            "main",
            parts.wrong(report, overview),
            el("div", parts.brakes(report, overview), parts.waits(overview), class_="beside"),
            el("div", parts.plan(report, overview), parts.zones(report), class_="beside"),
            parts.changes(report),
            el("div", parts.enactors(report), parts.budgets(report), class_="beside"),
            _endpoints(),
        ),
        el(
            "footer",
            f"enactor {report.version}, read only. The same as JSON: ",
            el("a", "api/status", href="api/status"),
        ),
    )


def _top(report: LiveReport, seen: Seen, first: Headline) -> Html:
    age = report.cycle.age_seconds
    facts = {
        "data_endpoints": seen.digest,
        "data_process": f"{report.version} {report.started}",
        "data_at": report.at,
        "data_every": f"{report.cycle.every_seconds:g}",
        "data_age": None if age is None else f"{age:.0f}",
        "data_old": f"{old_after_seconds(report):.0f}",
    }
    outcome = f", {report.cycle.outcome}" if report.cycle.outcome else ""
    pulse = joined(
        f"cycle {report.cycle.number:,}{outcome}, ended ",
        parts.instant(report.cycle.ended),
        el("span", id="age"),
        "; as of ",
        parts.instant(report.at),
    )
    counts = [el("li", el("strong", f"{count:,}"), f" {state}") for state, count in report.counts.items()]
    who = joined(
        el("span", "fleet ", class_="soft"),
        parts.said(report.fleet),
        el("span", " enactor ", class_="soft"),
        parts.said(report.enactor),
    )
    return el(
        "header",
        el("p", who, class_="who"),
        el(
            "div",
            el("h1", first.fact),
            el("p", first.more),
            class_=f"fact {first.tone}",
            id="fact",
            role="status",
            data_live=True,
        ),
        el("ul", counts, class_="counts", id="counts", aria_label="endpoints by state", data_live=True),
        el("p", pulse, class_="soft", id="pulse", data_live=True),
        el("nav", [el("a", title, href=f"#{name}") for name, title in WAYS], aria_label="parts of this page"),
        id="top",
        **facts,
    )


def _endpoints() -> Html:
    """Return the frame of the table that the script fills."""
    without = "The table needs JavaScript. Without it, `enactor survey` prints every endpoint, and api/status has them as JSON."
    return el(
        "section",
        el("h2", "All endpoints", id="endpoints-title"),
        el("noscript", el("p", without)),
        el("div", id="table"),
        id="endpoints",
        aria_labelledby="endpoints-title",
        tabindex="-1",
    )

"""Take protections out that only the wire shows: the SDK's settings, pages, and what an answer is taken for.

The batches' own compare-and-swap forgives most of these mistakes in the zone; what breaks then is what is said of a batch, or
what the account pays. Each entry names which.
"""

from contextlib import AbstractContextManager
from typing import Any, Final

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from enactor import aws_errors, route53, wire
from enactor.batch import Batch
from enactor.outcome import Conflicted, Outcome, Unknown
from enactor.route53 import Route53Zones

from . import wire_clients
from .claims import UNKNOWN
from .promises import NEVER_COLLECT, NEVER_EMPTY, NEVER_STUCK
from .scenarios import EMPTIED, FROZEN, OCTOBER
from .teeth import Tooth, _no_guards, _put
from .wire_alone import left
from .wire_promises import NEVER_A_STORM
from .wire_world import HEALS_ONE_OF

WHOLE_PAGES: Final = 300
"""As many as Route 53 lists in a page: where pages do not matter, fewer requests."""
PAGES_MAX: Final = 20
"""A listing that goes round in circles is cut short here, or each would take minutes."""


def _sdk_attempts() -> AbstractContextManager[None]:
    """Let the SDK send a request again behind the code's back, as it does by itself."""

    def client(session: Any) -> Any:
        return session.client("route53", config=Config(retries={"mode": "standard", "total_max_attempts": 3}))

    return _put((wire_clients, "route53_client", client))


def _lost_is_refused() -> AbstractContextManager[None]:
    real = route53._outcome

    def outcome(error: ClientError | BotoCoreError, batch: Batch) -> Outcome:
        found = real(error, batch)
        return Conflicted((), (found.why,)) if isinstance(found, Unknown) else found

    return _put((route53, "_outcome", outcome))


def _first_try_paid_only() -> AbstractContextManager[None]:
    real = Route53Zones._read

    def read(self: Route53Zones, operation: str, zone: str, call: Any) -> Any:
        budget_of = self._budget_of
        self._budget_of = lambda one: _Once(budget_of(one), paid)  # type: ignore[assignment, return-value]
        paid: list[bool] = []
        try:
            return real(self, operation, zone, call)
        finally:
            self._budget_of = budget_of

    return _put((Route53Zones, "_read", read))


class _Once:
    """A budget that is told of the first try alone."""

    def __init__(self, budget: Any, paid: list[bool]) -> None:
        self._budget = budget
        self._paid = paid

    def spend(self) -> None:
        if not self._paid:
            self._paid.append(True)
            self._budget.spend()


def _first_page_only() -> AbstractContextManager[None]:
    real = Route53Zones._read

    def read(self: Route53Zones, *given: Any) -> Any:
        answer = real(self, *given)
        return {**answer, "IsTruncated": False}

    return _put((Route53Zones, "_read", read))


def _cursor_without_identifier() -> AbstractContextManager[None]:
    def cursor(page: Any) -> dict[str, Any]:
        return {"StartRecordName": page["NextRecordName"], "StartRecordType": page["NextRecordType"]}

    return _put((route53, "_cursor", cursor), (route53, "PAGES_MAX", PAGES_MAX))


ALONE: Final = left(OCTOBER, "a")
"""One enactor and nobody else: every fault at every request is tried."""


class WireTooth(Tooth, frozen=True, kw_only=True):
    """A protection that only the wire shows."""

    page_sets: int = WHOLE_PAGES
    heals_one_of: int = HEALS_ONE_OF


WIRE_TEETH: Final = (
    WireTooth(
        name="Route 53's client sends once",
        promises=frozenset({NEVER_A_STORM}),
        scenario=ALONE,
        out=_sdk_attempts,
    ),
    WireTooth(
        name="every try of a read is paid for",
        promises=frozenset({NEVER_A_STORM}),
        scenario=ALONE,
        out=_first_try_paid_only,
    ),
    WireTooth(
        name="a batch without an answer is unknown",
        promises=frozenset({UNKNOWN}),
        scenario=ALONE,
        out=_lost_is_refused,
    ),
    WireTooth(
        name="PriorRequestNotComplete is a busy zone and no refusal",
        promises=frozenset({UNKNOWN}),
        scenario=ALONE,
        out=lambda: _put((aws_errors, "_BUSY", frozenset())),
    ),
    WireTooth(
        name="Throttling is a spent budget and no refusal",
        promises=frozenset({UNKNOWN}),
        scenario=ALONE,
        out=lambda: _put((aws_errors, "_THROTTLED", aws_errors._THROTTLED - {"Throttling"})),
    ),
    WireTooth(
        name="what is stale is told from what is wrong",
        promises=frozenset({UNKNOWN}),
        scenario=left(FROZEN, "a", "hand"),
        out=lambda: _put((wire, "_STALE", ())),
    ),
    WireTooth(
        name="a listing is read to its last page",
        promises=frozenset({NEVER_COLLECT, NEVER_STUCK}),
        scenario=ALONE,
        out=_first_page_only,
        page_sets=2,
        heals_one_of=1,
    ),
    WireTooth(
        name="a page's cursor names the identifier",
        promises=frozenset({NEVER_STUCK}),
        scenario=ALONE,
        out=_cursor_without_identifier,
        page_sets=2,
        heals_one_of=1,
    ),
    WireTooth(
        name="the last gate stands before the call",
        promises=frozenset({NEVER_EMPTY}),
        scenario=left(EMPTIED, "a"),
        out=lambda: _put(*_no_guards(), (route53, "refusals", lambda *_: ())),
    ),
)

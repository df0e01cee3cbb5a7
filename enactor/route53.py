"""Speak to Amazon Route 53: the reads, and `compare_and_swap`, the one place that calls ChangeResourceRecordSets.

The last gate stands directly before that call (promise 1), and the call is sent once: a batch that may have landed is never
sent again by the SDK, because only a read can tell what it did. What an answer means is said in the words of `outcome`;
nothing of botocore leaves this module.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import tenacity
from botocore.exceptions import ClientError

from enactor import names, wire
from enactor.aws_errors import ADVICE_UNAVAILABLE, AWS_ERRORS, NOT_AWS, AwsError, outside_error
from enactor.batch import Batch, Change
from enactor.budget import Budget
from enactor.gate import GateLimits, refusals
from enactor.hooks import CallEnded, Hook
from enactor.observe import LISTING_PAGE_SETS_MAX, FenceRange, SwitchReading, fence_range
from enactor.outcome import (
    Applied,
    Conflicted,
    Impossible,
    Outcome,
    OverBudget,
    Rejected,
    Stopped,
    Unknown,
    ZoneBusy,
)
from enactor.pace import ROUND_SECONDS_MAX
from enactor.ports import Busy, Chance, Clock, Denied, Missing, OutsideError, Throttled, Unavailable
from enactor.records import RecordSet
from enactor.zone_facts import ZoneFacts, facts_of, protected_by

PAGES_MAX: Final = 4_000
"""Over a million record sets: a listing that never ends is a fault, not a large zone."""
PROTECTION_PAGES_MAX: Final = 100
ANSWERS: Final = {
    "GetHostedZone": "HostedZone",
    "ListResourceRecordSets": "ResourceRecordSets",
    "GetHostedZoneLimit": "Limit",
    "ListResourceRecordSetProtections": "ResourceRecordSetProtections",
    "GetChange": "ChangeInfo",
}
"""What each read is answered with. XML of a proxy, with status 200, has nothing of it, and botocore does not mind."""
READ_TRIES: Final = 4
READ_WAIT_FIRST_SECONDS: Final = 0.5
READ_WAIT_MAX_SECONDS: Final = 8.0


class Route53Zones:
    """The hosted zones of one account's credentials."""

    def __init__(
        self,
        client_of: Callable[[str], Any],
        *,
        budget_of: Callable[[str], Budget],
        limits_of: Callable[[str], GateLimits],
        clock: Clock,
        chance: Chance,
        hook: Hook,
        read_tries: int = READ_TRIES,
    ) -> None:
        self._client_of = client_of
        self._budget_of = budget_of
        self._limits_of = limits_of
        self._clock = clock
        self._chance = chance
        self._hook = hook
        self._read_tries = read_tries
        self._zone_names: dict[str, str] = {}
        self._date: datetime | None = None

    def aws_now(self) -> datetime | None:
        """Return the Date of AWS's last answer: expiries are judged by it, so that no machine's clock can end a hold."""
        return self._date

    def zone_name(self, zone: str) -> str:
        """Return the zone's canonical name, asked for once."""
        if zone not in self._zone_names:
            answer = self._read("GetHostedZone", zone, lambda client: client.get_hosted_zone(Id=zone))
            self._zone_names[zone] = names.canonical(answer["HostedZone"]["Name"])
        return self._zone_names[zone]

    def facts(self, zone: str) -> ZoneFacts:
        """Return the zone as Route 53 describes it."""
        return facts_of(self._read("GetHostedZone", zone, lambda client: client.get_hosted_zone(Id=zone))["HostedZone"])

    def record_sets_max(self, zone: str) -> int:
        """Return how many record sets the zone may hold."""

        def ask(client: Any) -> Any:
            return client.get_hosted_zone_limit(Type="MAX_RRSETS_BY_ZONE", HostedZoneId=zone)

        return int(self._read("GetHostedZoneLimit", zone, ask)["Limit"]["Value"])

    def protections(self, zone: str) -> tuple[tuple[str, str], ...]:
        """Return the (name, type) of each record set of the zone that Route 53 lets nobody change."""
        found: list[tuple[str, str]] = []
        cursor: dict[str, str] = {}
        for _ in range(PROTECTION_PAGES_MAX):
            answer = self._read("ListResourceRecordSetProtections", zone, self._protections_call(zone, dict(cursor)))
            found += protected_by(answer)
            if not answer.get("NextToken"):
                return tuple(found)
            cursor = {"NextToken": answer["NextToken"]}
        raise Unavailable(f"zone {zone} has more than {PROTECTION_PAGES_MAX} pages of protections; look in the console")

    def _protections_call(self, zone: str, cursor: dict[str, str]) -> Callable[[Any], Any]:
        return lambda client: client.list_resource_record_set_protections(HostedZoneId=zone, **cursor)

    def is_insync(self, zone: str, change_id: str) -> bool:
        """Tell whether every authoritative server answers with a change by now."""
        answer = self._read("GetChange", zone, lambda client: client.get_change(Id=change_id))
        return bool(answer["ChangeInfo"]["Status"] == "INSYNC")

    def switch(self, zone: str, fleet: str) -> SwitchReading:
        """Read the switch alone."""
        name = self.zone_name(zone)
        found = self.at(zone, [names.switch_name(fleet, name)])
        return fence_range(zone, name, fleet, found).switch

    def fences(self, zone: str, fleet: str) -> FenceRange:
        """Read the whole fence range: all names below `_fence.<zone>` lie side by side in the listing."""
        name = self.zone_name(zone)
        base = names.fence_base(name)
        listing = self._pages(zone, base, lambda record: names.is_within(record.name, base))
        return fence_range(zone, name, fleet, listing)

    def listing(self, zone: str) -> Sequence[RecordSet]:
        """Read every record set of the zone."""
        return self._pages(zone, None, lambda _: True)

    def at(self, zone: str, wanted: Sequence[str]) -> Sequence[RecordSet]:
        """Read every record set at each of these names, in the order the names are given."""
        found: list[RecordSet] = []
        for name in wanted:
            found += self._pages(zone, name, lambda record, name=name: record.name == name)  # type: ignore[misc]
        return found

    def _pages(self, zone: str, start: str | None, belongs: Callable[[RecordSet], bool]) -> list[RecordSet]:
        """Read from a name on for as long as the sets belong; the first page starts at the first set at or after it."""
        found: list[RecordSet] = []
        cursor: dict[str, Any] = {"StartRecordName": names.escaped(start)} if start else {}
        for _ in range(PAGES_MAX):
            page = self._read("ListResourceRecordSets", zone, self._page_call(zone, cursor))
            for record in map(wire.record_from_wire, page["ResourceRecordSets"]):
                if not belongs(record):
                    return found
                found.append(record)
            if not page["IsTruncated"]:
                return found
            cursor = _cursor(page)
        raise Unavailable(f"zone {zone} listed more than {PAGES_MAX} pages and did not end; report this, it is a fault")

    def _page_call(self, zone: str, cursor: dict[str, Any]) -> Callable[[Any], Any]:
        return lambda client: client.list_resource_record_sets(
            HostedZoneId=zone, MaxItems=str(LISTING_PAGE_SETS_MAX), **cursor
        )

    def _read(self, operation: str, zone: str, call: Callable[[Any], Any]) -> Any:
        """Ask once or a few times: every try is paid for, and waits with full jitter between tries are bounded."""
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type((Throttled, Unavailable, Busy)),
            stop=tenacity.stop_after_attempt(self._read_tries),
            wait=self._wait_seconds,
            sleep=self._clock.sleep,
            reraise=True,
        )
        return retrying(self._read_once, operation, zone, call)

    def _wait_seconds(self, state: tenacity.RetryCallState) -> float:
        longest = min(READ_WAIT_MAX_SECONDS, READ_WAIT_FIRST_SECONDS * 2.0 ** (state.attempt_number - 1))
        return self._chance.uniform(0.0, longest)

    def _read_once(self, operation: str, zone: str, call: Callable[[Any], Any]) -> Any:
        self._clock.sleep(0.0)  # a stop is seen before each page: a listing may have many, and each may be slow
        self._budget_of(zone).spend()
        started = self._clock.now()
        try:
            answer = call(self._client_of(zone))
        except AWS_ERRORS as error:
            self._note_date(getattr(error, "response", None))
            fault = outside_error(error, what=f"reading hosted zone {zone}", where="Route 53")
            if isinstance(fault, Throttled):
                self._budget_of(zone).slow_down()
            self._ended(operation, zone, type(fault).__name__.lower(), started)
            raise fault from error
        if ANSWERS[operation] not in answer:
            self._ended(operation, zone, "unavailable", started)
            raise Unavailable(f"reading hosted zone {zone} failed at Route 53: {NOT_AWS}; {ADVICE_UNAVAILABLE}")
        self._note_date(answer)
        self._ended(operation, zone, "ok", started)
        return answer

    def compare_and_swap(self, batch: Batch) -> Outcome:
        """Send one batch through the last gate: the only call of ChangeResourceRecordSets there is.

        Where the changes took long to wait for, nothing is sent and they are left: whoever asked decides again, and finds them
        there. The token of the request itself is not held against a decision: with a tiny share the reads before it took the last.
        """
        changes = batch.changes
        assert changes, "an empty batch is never sent"
        if self._budget_of(batch.zone).wait_for_changes(len(changes)) > ROUND_SECONDS_MAX:
            return OverBudget(is_over=True)
        self._budget_of(batch.zone).spend(changes=len(changes))
        started = self._clock.now()
        request = {
            "Comment": batch.comment,
            "Changes": [
                {"Action": change.action, "ResourceRecordSet": wire.record_to_wire(change.record)} for change in changes
            ],
        }
        client = self._client_of(batch.zone)
        if reasons := refusals(batch, self._limits_of):
            self._budget_of(batch.zone).give_back(len(changes))
            return Stopped(reasons)
        try:
            answer = client.change_resource_record_sets(HostedZoneId=batch.zone, ChangeBatch=request)
        except AWS_ERRORS as error:
            self._note_date(getattr(error, "response", None))
            outcome = _outcome(error, batch)
        else:
            outcome = self._taken(answer)
        if not isinstance(outcome, Applied | Unknown):
            self._budget_of(batch.zone).give_back(len(changes))
        if isinstance(outcome, OverBudget):
            self._budget_of(batch.zone).slow_down()
        self._ended("ChangeResourceRecordSets", batch.zone, type(outcome).__name__.lower(), started, changes)
        return outcome

    def _taken(self, answer: Any) -> Outcome:
        """Return what an answer without an error says: a change that was taken has an id, and a proxy's page has none."""
        if not answer.get("ChangeInfo", {}).get("Id"):
            return Unknown(NOT_AWS)
        self._note_date(answer)
        return Applied(str(answer["ChangeInfo"]["Id"]).removeprefix("/change/"))

    def _ended(self, operation: str, zone: str, outcome: str, started: float, changes: Sequence[Change] = ()) -> None:
        seconds, creates = self._clock.now() - started, sum(change.action == "CREATE" for change in changes)
        self._hook(
            CallEnded(
                operation=operation,
                zone=zone,
                outcome=outcome,
                seconds=seconds,
                creates=creates,
                deletes=len(changes) - creates,
            )
        )

    def _note_date(self, answer: Any) -> None:
        if not answer:
            return  # a time-out is an error without an answer
        text = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date")
        try:
            date = parsedate_to_datetime(text) if text else None
        except (TypeError, ValueError):
            return  # a proxy's own idea of a date: no expiry is judged by it
        if date is not None:
            self._date = date if date.tzinfo else date.replace(tzinfo=UTC)


def _cursor(page: Any) -> dict[str, Any]:
    """Return where the next page starts: a weighted group can straddle a page, so the identifier goes along."""
    cursor = {"StartRecordName": page["NextRecordName"], "StartRecordType": page["NextRecordType"]}
    if page.get("NextRecordIdentifier"):
        cursor["StartRecordIdentifier"] = page["NextRecordIdentifier"]
    return cursor


def _outcome(error: AwsError, batch: Batch) -> Outcome:
    """Say what an error means for the batch. Only a clear "not applied" is taken as one."""
    fault: OutsideError = outside_error(error, what=f"changing hosted zone {batch.zone}", where="Route 53")
    match fault:
        case Throttled():
            return OverBudget()
        case Busy():
            return ZoneBusy()
        case Missing() | Denied():
            return Impossible(str(fault))
        case Unavailable():
            return Unknown(str(fault))
        case _:
            return _refused(error, str(fault))


def _refused(error: AwsError, why: str) -> Outcome:
    if (
        not isinstance(error, ClientError)
        or error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500) >= 500
    ):
        return Unknown(why)
    messages = wire.entries(error.response.get("Error", {}).get("Message", "") or str(error))
    stale = [message for message in messages if wire.is_stale(message)]
    if stale:
        return Conflicted(tuple(name for name, _ in wire.named_in(stale)), messages)
    return Rejected(messages, wire.named_in(messages))

"""Take old plans out so that no plan goes that is referenced (promise 4): the order of looking and writing.

The order is the protection, and rests on no clock and no lease.

1. *Open above.* Every zone that a plan names has its switch above the plan. A zone's open generation only grows, so from here on
   no batch of the plan can land. This is read before the fences are looked at, in a reading of its own: a zone's listing
   comes in pages, and a fence on an early page may change before the switch on a later one shows that the zone moved on.
2. *Condemn.* The plan bears our token; it is neither HEAD nor pinned, and can become neither: pin and republish refuse it.
3. *Look*, the table first, then the fences, and where a name has lost its fence what stands there: an enactor that knows the
   plan is about to write that very fence again. What the table shows as condemned, by whomever, is not kept: of two collectors that
   condemned two plans with the same content at least one sees the other's token, and puts its own plan back.
4. *Delete* what still bears our token; *put back* what a fence needs.

The first pass (what --dry-run prints) is the same judgement without step 2; it saves plans that are needed from being condemned
over and over, and its reading of the switches is step 1. Nothing is deleted on its word alone. What is needed is decided in
`references`. Collect reads zones and never writes them.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, Protocol

import msgspec

from enactor.observe import FenceRange
from enactor.outcome import ZonePort
from enactor.plan import Plan
from enactor.plan_form import read_plan
from enactor.ports import Chance, CollectStore, DamagedPlan, OutsideError, PlanEntry, Stopping, Upload
from enactor.records import RecordSet
from enactor.references import (
    Keep,
    Needs,
    Verdict,
    Zones,
    generation_order,
    is_young,
    judged,
    lacks_fences,
    meets,
    needs_of,
    stays_anyway,
    unfenced,
    without,
)
from enactor.report_collect import CollectedPlan, CollectReport, Decision

KEEP_NEWEST_PLANS: Final = 10
KEEP_HOURS: Final = 24


class FenceSource(Protocol):
    """Where collect sees the fences of a zone."""

    def fences(self, zone: str) -> FenceRange:
        """Read a zone's fence range whole, or raise OutsideError: a part of it is no answer."""
        ...

    def listing(self, zone: str) -> Sequence[RecordSet]:
        """Read every record set of a zone, or raise OutsideError."""
        ...


class FleetZones(msgspec.Struct, frozen=True):
    """The hosted zones as one fleet's collect sees them."""

    zones: ZonePort
    fleet: str

    def fences(self, zone: str) -> FenceRange:
        """Read a zone's fence range whole."""
        return self.zones.fences(zone, self.fleet)

    def listing(self, zone: str) -> Sequence[RecordSet]:
        """Read every record set of a zone."""
        return self.zones.listing(zone)


def collect(
    store: CollectStore,
    fences: FenceSource,
    zones: Sequence[str],
    *,
    dry_run: bool,
    keep_newest: int = KEEP_NEWEST_PLANS,
    keep_hours: int = KEEP_HOURS,
    now: datetime,
    chance: Chance,
    stop: Callable[[], None] = lambda: None,
) -> CollectReport:
    """Delete the plans and uploads that nothing references, or with `dry_run` say which those are.

    `stop` is called before each plan is read, condemned or deleted, and raises Stopping where the process was asked to stop: any
    line is as good as another to end at, because the next collector takes over what this one condemned.
    """
    keep = Keep(newest=keep_newest, hours=keep_hours, now=now)
    return _Collect(store, fences, zones, keep, chance.nonce(), stop=stop).run(dry_run=dry_run)


class _Collect:
    """The shell: reads, asks the functions above, writes."""

    def __init__(
        self,
        store: CollectStore,
        fences: FenceSource,
        zones: Sequence[str],
        keep: Keep,
        token: str,
        *,
        stop: Callable[[], None],
    ) -> None:
        self._stop = stop
        self._store = store
        self._fences = fences
        self._zones = zones
        self._keep = keep
        self._token = token
        self._unreadable: dict[str, str] = {}

    def run(self, *, dry_run: bool) -> CollectReport:
        uploads = self._store.uploads()
        entries = self._store.list()
        pins = self._store.pins()
        head = self._store.head()
        anyway = stays_anyway(entries, head.generation if head else None, pins, self._keep)
        candidates = [entry for entry in entries if not anyway[entry.generation]]
        zones = self._read_zones() if candidates else {}
        verdicts = [Verdict(entry, False, anyway[entry.generation]) for entry in entries if anyway[entry.generation]]
        verdicts += self._judged(entries, candidates, zones)
        stale = self._given_up(uploads, entries)
        if dry_run:
            return self._report([_planned(verdict) for verdict in verdicts], len(stale))
        plans = [self._stay(verdict) for verdict in verdicts if not verdict.goes]
        plans += self._go([verdict for verdict in verdicts if verdict.goes])
        return self._report(plans, sum(self._store.sweep(upload, self._token) for upload in stale))

    def _report(self, plans: Sequence[CollectedPlan], swept: int) -> CollectReport:
        return CollectReport(
            plans=tuple(sorted(plans, key=lambda plan: plan.generation, reverse=True)),
            uploads_swept=swept,
            unreadable=tuple(f"{zone}: {why}" for zone, why in sorted(self._unreadable.items())),
        )

    def _read_zones(self) -> Zones:
        ranges: dict[str, FenceRange] = {}
        for zone in self._zones:
            try:
                ranges[zone] = self._fences.fences(zone)
            except Stopping:
                raise
            except OutsideError as error:
                self._unreadable[zone] = str(error)
        return ranges

    def _judged(self, entries: Sequence[PlanEntry], candidates: Sequence[PlanEntry], zones: Zones) -> list[Verdict]:
        """Walk the plans from the newest, so that a content is needed in the newest plan that has it and in no older one."""
        needs = needs_of(zones)
        listed: set[str] = set()
        verdicts: list[Verdict] = []
        chosen = {entry.generation for entry in candidates}
        for entry in sorted(entries, key=generation_order, reverse=True):
            if len(verdicts) == len(chosen):
                break
            if entry.generation in chosen:
                plan = self._plan(entry)
                zones, needs = self._with_unfenced(plan, zones, needs, listed)
                verdict, needs = judged(entry, plan, zones, needs)
                verdicts.append(verdict)
            elif entry.condemned is None and needs.endpoints and (plan := self._plan(entry)) is not None:
                needs = without(needs, meets(plan, needs))
        return verdicts

    def _with_unfenced(self, plan: Plan | None, zones: Zones, needs: Needs, listed: set[str]) -> tuple[Zones, Needs]:
        """Add what stands without a fence in the zones where a candidate lists such names; a zone is listed once a look."""
        for zone, found in zones.items():
            if plan is None or zone in listed or not lacks_fences(plan, zone, found):
                continue
            listed.add(zone)
            try:
                more = unfenced(zone, found, self._fences.listing(zone))
            except Stopping:
                raise
            except OutsideError as error:
                self._unreadable[zone] = str(error)
                zones = {one: ranges for one, ranges in zones.items() if one != zone}
            else:
                needs = msgspec.structs.replace(needs, contents=needs.contents | more.contents)
        return zones, needs

    def _plan(self, entry: PlanEntry) -> Plan | None:
        self._stop()
        body = self._store.body(entry)
        return None if isinstance(body, DamagedPlan) else read_plan(body).plan

    def _stay(self, verdict: Verdict) -> CollectedPlan:
        """Keep a plan; where a collector that died had condemned it, put it back."""
        condemned = verdict.entry.condemned
        if condemned is not None and self._store.put_back(verdict.entry, condemned):
            return _plan_report(verdict, "put-back")
        return _plan_report(verdict, "kept")

    def _go(self, verdicts: Sequence[Verdict]) -> list[CollectedPlan]:
        """Condemn; look at the table, then at the fences; put back what is needed, and delete the rest."""
        plans = [self._refused(verdict) for verdict in verdicts]
        ours = {verdict.entry.generation for verdict, plan in zip(verdicts, plans, strict=True) if plan is None}
        refused = [plan for plan in plans if plan is not None]
        if not ours:
            return refused
        entries = self._store.list()
        condemned = [entry for entry in entries if entry.condemned == self._token]
        changed = ours - {entry.generation for entry in condemned}
        looked = self._judged(entries, condemned, self._read_zones())
        acted = [self._delete(verdict) if verdict.goes else self._stay(verdict) for verdict in looked]
        return [*refused, *map(_changed, changed), *acted]

    def _refused(self, verdict: Verdict) -> CollectedPlan | None:
        """Condemn a plan: None where that was done."""
        self._stop()
        outcome = self._store.condemn(verdict.entry, self._token)
        if outcome == "condemned":
            return None
        if outcome == "changed":
            return _changed(verdict.entry.generation)
        return self._stay(Verdict(verdict.entry, False, (outcome,)))

    def _delete(self, verdict: Verdict) -> CollectedPlan:
        self._stop()
        if self._store.delete(verdict.entry, self._token):
            return _plan_report(verdict, "deleted")
        return _changed(verdict.entry.generation)

    def _given_up(self, uploads: Sequence[Upload], entries: Sequence[PlanEntry]) -> list[Upload]:
        """Return the uploads to sweep: condemned ones, and old ones. A young one is most likely a publish under way."""
        named = {entry.upload for entry in entries}
        return [
            upload
            for upload in uploads
            if upload.id not in named and (upload.condemned is not None or not is_young(upload.created_at, self._keep))
        ]


def _changed(generation: int) -> CollectedPlan:
    return CollectedPlan(generation=generation, decision="kept", reasons=("changed",))


def _planned(verdict: Verdict) -> CollectedPlan:
    return _plan_report(verdict, "would-delete" if verdict.goes else "kept")


def _plan_report(verdict: Verdict, decision: Decision) -> CollectedPlan:
    return CollectedPlan(generation=verdict.entry.generation, decision=decision, reasons=verdict.reasons)

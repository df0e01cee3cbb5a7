"""Decide which old plans may go, and take them out so that no plan goes that is referenced (promise 4).

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
over and over, and its reading of the switches is step 1. Nothing is deleted on its word alone. It must never judge a plan by its
age: newest-n and younger-than-t only keep more. Collect reads zones and never writes them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

import msgspec

from enactor.fence import Fence, Switch
from enactor.observe import FenceRange, sets_reading
from enactor.plan import Broken, Endpoint, Plan, Retired, content_of_endpoint
from enactor.plan_form import read_plan
from enactor.ports import Chance, CollectStore, DamagedPlan, OutsideError, PlanEntry, Upload
from enactor.records import RecordSet, content_digest, content_of
from enactor.report_collect import CollectedPlan, CollectReport, Decision

KEEP_NEWEST_PLANS: Final = 10
KEEP_HOURS: Final = 24
NEEDED_SHOWN_NAMES: Final = 10
"""How many endpoints that need a plan are named: more do not help a person, and there may be thousands."""


class FenceSource(Protocol):
    """Where collect sees the fences of a zone."""

    def fences(self, zone: str) -> FenceRange:
        """Read a zone's fence range whole, or raise OutsideError: a part of it is no answer."""
        ...

    def listing(self, zone: str) -> Sequence[RecordSet]:
        """Read every record set of a zone, or raise OutsideError."""
        ...


Zones = Mapping[str, FenceRange]
"""The fence ranges of the configured zones, in one reading each; a zone that could not be read whole is not there."""


class Needs(msgspec.Struct, frozen=True):
    """Which contents the fences still need a plan for, as (zone, name, digest).

    A fence that cannot be read may name any content: at its endpoint every content is needed, in its newest plan.
    """

    contents: frozenset[tuple[str, str, str]]
    anything: frozenset[tuple[str, str]] = frozenset()
    met: frozenset[tuple[str, str, str]] = frozenset()
    """What newer plans have already met, of the endpoints where anything is needed."""

    @property
    def endpoints(self) -> frozenset[tuple[str, str]]:
        """Return the endpoints whose content in a plan matters."""
        return self.anything | {(zone, name) for zone, name, _ in self.contents}


class Keep(msgspec.Struct, frozen=True, kw_only=True):
    """The rules that only keep more."""

    newest: int
    hours: int
    now: datetime


class Verdict(msgspec.Struct, frozen=True):
    """Whether a plan may go, and every reason."""

    entry: PlanEntry
    goes: bool
    reasons: tuple[str, ...]


def needs_of(zones: Zones) -> Needs:
    """Return what the fences need. A tombstone needs nothing; a fence of any other state, fleet or form does."""
    contents: set[tuple[str, str, str]] = set()
    anything: set[tuple[str, str]] = set()
    for zone, found in zones.items():
        for name, reading in found.fences.items():
            if not isinstance(reading.fence, Fence):
                anything.add((zone, name))
            elif reading.fence.state != "retired":
                contents.add((zone, name, reading.fence.plan))
    return Needs(frozenset(contents), frozenset(anything))


def unfenced(zone: str, found: FenceRange, listing: Sequence[RecordSet]) -> Needs:
    """Return what stands at names without a fence: where a kept plan says the same, the fence will name it again."""
    sets = sets_reading(found.zone_name, zone, listing).sets
    return Needs(
        frozenset(
            (zone, name, content_digest(content_of(records)))
            for name, records in sets.items()
            if name not in found.fences
        )
    )


def lacks_fences(plan: Plan, zone: str, found: FenceRange) -> bool:
    """Tell whether a plan lists a name of a zone that has no fence there."""
    return any(endpoint.zone == zone and endpoint.name not in found.fences for endpoint in plan.endpoints)


def meets(plan: Plan, needs: Needs) -> frozenset[tuple[str, str, str]]:
    """Return which needs a plan meets that no newer plan has met."""
    endpoints = needs.endpoints
    listed = {
        (*endpoint.key, content_digest(content_of_endpoint(endpoint)))
        for endpoint in plan.endpoints
        if endpoint.key in endpoints
    }
    return frozenset(
        need for need in listed if need in needs.contents or (need[:2] in needs.anything and need not in needs.met)
    )


def without(needs: Needs, met: frozenset[tuple[str, str, str]]) -> Needs:
    """Return what is still needed of older plans."""
    return msgspec.structs.replace(needs, contents=needs.contents - met, met=needs.met | met)


def stays_anyway(
    entries: Sequence[PlanEntry], head: int | None, pins: frozenset[int], keep: Keep
) -> dict[int, tuple[str, ...]]:
    """Return, by generation, the reasons to keep a plan that need no look at a zone. Without a HEAD any plan may be it."""
    newest = {entry.generation for entry in sorted(entries, key=_generation, reverse=True)[: keep.newest]}
    return {
        entry.generation: tuple(
            reason
            for reason, holds in (
                ("head", head is None or entry.generation == head),
                ("pinned", entry.generation in pins),
                ("newest-n", entry.generation in newest),
                ("younger-than-t", _is_young(entry.created_at, keep)),
            )
            if holds
        )
        for entry in entries
    }


def _generation(entry: PlanEntry) -> int:
    return entry.generation


def _is_young(created_at: str, keep: Keep) -> bool:
    """Tell whether something was made in the last hours; a time that cannot be read keeps it, for all we know it was now."""
    try:
        created = datetime.fromisoformat(created_at)
    except ValueError:
        return keep.hours > 0
    if created.tzinfo is None:
        return keep.hours > 0
    return created > keep.now - timedelta(hours=keep.hours)


def writable(generation: int, named: Sequence[str], zones: Zones) -> tuple[str, ...]:
    """Return why a batch of a plan may still land: a zone is not open above it, or nobody can say.

    A switch that is absent or unclear says nothing about which batches were sent under the one before it.
    """
    reasons = []
    for zone in sorted(named):
        found = zones.get(zone)
        if found is None:
            reasons.append(f"zone-unreadable:{zone}")
        elif not isinstance(found.switch.switch, Switch) or found.switch.switch.gen <= generation:
            reasons.append(f"writable:{zone}")
    return tuple(reasons)


def zones_of(entry: PlanEntry, plan: Plan) -> tuple[str, ...]:
    """Return every zone that a plan names, by its manifest or its body: either may be the one that was tampered with."""
    parts: tuple[Endpoint | Retired | Broken, ...] = (*plan.endpoints, *plan.retired, *plan.broken)
    return tuple(sorted({*entry.zones, *(part.zone for part in parts)}))


def judged(entry: PlanEntry, plan: Plan | None, zones: Zones, needs: Needs) -> tuple[Verdict, Needs]:
    """Judge one candidate. Candidates and kept plans come newest first.

    A plan that cannot be read here stays, whatever the reason: an enactor of another version may read it and need it.
    """
    if plan is None:
        return Verdict(entry, False, ("unreadable",)), needs
    named = zones_of(entry, plan)
    met = meets(plan, needs)
    needed = tuple(f"needed:{zone}/{name}" for zone, name, _ in sorted(met)[:NEEDED_SHOWN_NAMES])
    if stays := writable(entry.generation, named, zones) + needed:
        return Verdict(entry, False, stays), without(needs, met)
    above = tuple(f"open-above:{zone}@{_open(zones, zone)}" for zone in named)
    return Verdict(entry, True, (*above, "unreferenced")), needs


def _open(zones: Zones, zone: str) -> int:
    switch = zones[zone].switch.switch
    assert isinstance(switch, Switch), "`writable` keeps the plan elsewhere"
    return switch.gen


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
) -> CollectReport:
    """Delete the plans and uploads that nothing references, or with `dry_run` say which those are."""
    keep = Keep(newest=keep_newest, hours=keep_hours, now=now)
    return _Collect(store, fences, zones, keep, chance.nonce()).run(dry_run=dry_run)


class _Collect:
    """The shell: reads, asks the functions above, writes."""

    def __init__(self, store: CollectStore, fences: FenceSource, zones: Sequence[str], keep: Keep, token: str) -> None:
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
            except OutsideError as error:
                self._unreadable[zone] = str(error)
        return ranges

    def _judged(self, entries: Sequence[PlanEntry], candidates: Sequence[PlanEntry], zones: Zones) -> list[Verdict]:
        """Walk the plans from the newest, so that a content is needed in the newest plan that has it and in no older one."""
        needs = needs_of(zones)
        listed: set[str] = set()
        verdicts: list[Verdict] = []
        chosen = {entry.generation for entry in candidates}
        for entry in sorted(entries, key=_generation, reverse=True):
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
            except OutsideError as error:
                self._unreadable[zone] = str(error)
                zones = {one: ranges for one, ranges in zones.items() if one != zone}
            else:
                needs = msgspec.structs.replace(needs, contents=needs.contents | more.contents)
        return zones, needs

    def _plan(self, entry: PlanEntry) -> Plan | None:
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
        outcome = self._store.condemn(verdict.entry, self._token)
        if outcome == "condemned":
            return None
        if outcome == "changed":
            return _changed(verdict.entry.generation)
        return self._stay(Verdict(verdict.entry, False, (outcome,)))

    def _delete(self, verdict: Verdict) -> CollectedPlan:
        if self._store.delete(verdict.entry, self._token):
            return _plan_report(verdict, "deleted")
        return _changed(verdict.entry.generation)

    def _given_up(self, uploads: Sequence[Upload], entries: Sequence[PlanEntry]) -> list[Upload]:
        """Return the uploads to sweep: condemned ones, and old ones. A young one is most likely a publish under way."""
        named = {entry.upload for entry in entries}
        return [
            upload
            for upload in uploads
            if upload.id not in named and (upload.condemned is not None or not _is_young(upload.created_at, self._keep))
        ]


def _changed(generation: int) -> CollectedPlan:
    return CollectedPlan(generation=generation, decision="kept", reasons=("changed",))


def _planned(verdict: Verdict) -> CollectedPlan:
    return _plan_report(verdict, "would-delete" if verdict.goes else "kept")


def _plan_report(verdict: Verdict, decision: Decision) -> CollectedPlan:
    return CollectedPlan(generation=verdict.entry.generation, decision=decision, reasons=verdict.reasons)

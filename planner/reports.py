"""What the planner's commands print with `--json`, as types: `planner schema` describes them from here. Pure."""

import msgspec

from enactor.guards import Finding
from planner.members import Bar, ContentChange, PlanChange
from planner.planning import Braked
from planner.publishing import Carried
from planner.reasons import TargetReason


class PublishReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What `publish --json` prints. `generation` and `digest` are HEAD's after the command, null where there is none."""

    generation: int | None
    digest: str | None
    created: bool
    refused: tuple[Finding, ...]
    carried: tuple[Carried, ...]
    in_force: bool | None = None
    """With --wait whether that generation is in force in every zone by now; absent without it, and where nothing was stored."""
    held_back: tuple[str, ...] = ()
    """With --wait a sentence for each zone and endpoint that it is not in force at; absent where there is none."""


class PlanLine(msgspec.Struct, frozen=True, kw_only=True):
    """One plan of `list --json`."""

    generation: int
    digest: str
    parent: int
    created_at: str
    planner: str
    reason: str
    zones: tuple[str, ...]
    endpoints: int
    head: bool
    pinned: bool
    condemned: bool
    stays: str | None = None
    """What a person published that a `planner run` leaves alone while it is the newest; null where it goes on."""


class ListReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What `list --json` prints, newest first."""

    fleet: str
    plans: tuple[PlanLine, ...]
    left_out: int = 0
    """How many older plans `--limit` left out."""


class ShowReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `show --json` prints: the plan file, and what the store added."""

    generation: int
    digest: str
    parent: int
    created_at: str
    planner: str
    reason: str
    plan: msgspec.Raw


class DiffReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `diff --json` prints."""

    fleet: str
    before: int
    after: int
    change: PlanChange


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a change costs: ChangeResourceRecordSets calls, and the changes in them (fences and switch included)."""

    calls: int
    changes: int


class DryRunEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint as it stands, what would be done to it, and what each guard says."""

    name: str
    zone: str
    state: str
    action: str
    change: ContentChange
    guards: tuple[Finding, ...]
    changes: int
    """What its swap costs, its fence included; 0 where nothing would be written."""
    reasons: tuple[str, ...] = ()
    targets: tuple[TargetReason, ...] = ()
    """Why each load balancer is in the plan, out of it, or at its weight; empty of a plan file, which gives no reasons."""
    bars: tuple[Bar, ...] = ()
    """Every target with its weight in the zone now and in the plan."""
    retired: bool = False
    """Whether the plan lists the name as retired: that permits it to leave the plan, and changes nothing in the zone."""


class DryRunZone(msgspec.Struct, frozen=True, kw_only=True):
    """One hosted zone: its switch, the generation open there, the plan-wide refusals, and the cost."""

    zone: str
    switch: str | None
    open: int | None
    plan: str | None
    refused: tuple[Finding, ...]
    cost: Cost | None
    """None where the zone cannot be read: what nobody looked at may cost anything."""
    error: str | None = None


class DryRunReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `dry-run --json` prints."""

    fleet: str
    digest: str
    """Of what a publish now would store, for `publish --expect-digest`; not the file's where endpoints are carried."""
    file_digest: str
    """Of the plan as the file has it, as `check` names it."""
    listed: int
    """How many endpoints the file lists."""
    parent: int | None
    """The generation that the guards at publish judge against, whose content a carried endpoint keeps."""
    generation: int | None
    """The generation that a publish now would make, or HEAD's where the plan is HEAD's."""
    published: bool
    """Whether the plan is HEAD's already."""
    refused: tuple[Finding, ...]
    """Plan-wide refusals at publish."""
    carried: tuple[Carried, ...]
    braked: tuple[Braked, ...]
    """Where the brake holds back what signals want."""
    zones: tuple[DryRunZone, ...]
    endpoints: tuple[DryRunEndpoint, ...]
    other_zones: int
    """How many endpoints are in zones that were not looked at."""
    not_looked_at: tuple[str, ...]
    """The ids of these zones: `--zones`, or ENACTOR_ZONES, is told and does not name them."""
    cost: Cost | None
    """None where a zone cannot be read."""
    changes: bool
    """Whether anything would be written to Route 53."""

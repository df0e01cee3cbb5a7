"""Look at everything around an enactor: its identity, table, zones, company, clock, and what it keeps. `diagnosis` decides.

The shell of `enactor doctor`. It changes nothing but what `--prove-cas` puts on scratch names, and goes on where one look fails:
what could not be looked at is a finding of its own.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import boto3
import msgspec

from enactor import brake, diagnosis, diagnosis_machine, diagnosis_zone, names, permissions
from enactor.aws_errors import AWS_ERRORS, outside_error
from enactor.cycle_report import latest
from enactor.diagnosis import Diagnosis, EnactorSaid, HeadSeen, TableSeen, Tried, ZoneSeen
from enactor.disk import PlanDisk
from enactor.fence import Fence, Garbled, Switch, is_running
from enactor.mirror import plan_mirror
from enactor.observe import FenceRange
from enactor.plan import StoredPlan
from enactor.ports import Chance, Clock, DamagedPlan, Denied, OutsideError, Stopping
from enactor.records import RecordSet
from enactor.route53 import Route53Zones
from enactor.selftest import SelfTest
from enactor.settings import Settings
from enactor.table import PlanTable
from enactor.table_setup import KEY_SCHEMA
from enactor.zone_facts import ZoneFacts

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

T = TypeVar("T")
NO_CHANGE: Final = "C0000000000000"
"""A change that nobody made: who may ask is told that there is none."""


class Checkup:
    """One look at everything."""

    def __init__(
        self,
        settings: Settings,
        session: boto3.Session,
        zones: Route53Zones,
        table: PlanTable,
        dynamodb: "DynamoDBClient",
        *,
        clock: Clock,
        chance: Chance,
        wall: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._session = session
        self._zones = zones
        self._table = table
        self._dynamodb = dynamodb
        self._clock = clock
        self._chance = chance
        self._wall = wall
        self._caller = ""
        self._head: HeadSeen | None = None

    def run(self, zone_ids: Sequence[str], *, prove: bool) -> tuple[Diagnosis, ...]:
        """Look at everything, and return what was found, the worst first."""
        identity, is_nobody = self._identity()
        if is_nobody:
            message = "table, zones and permissions are unproven: AWS takes these credentials for nobody's"
            rest = Diagnosis(check="permission", subject="everything", severity="note", message=message)
            return diagnosis.ranked([identity, rest, *self._of_machine()])
        found = [identity, *self._of_table()]
        for zone in zone_ids:
            found += self._of_zone(zone)
            if prove:
                found.append(self._proven(zone))
        return diagnosis.ranked([*found, *self._of_company(), *self._of_machine()])

    def _identity(self) -> tuple[Diagnosis, bool]:
        """Return who calls, and whether AWS knows nobody by these credentials: no policy can take this one call away."""
        try:
            answer = self._session.client("sts", config=permissions.CONFIG).get_caller_identity()
            self._caller = str(answer["Arn"])
        except AWS_ERRORS as error:
            failure = outside_error(error, what="asking who calls", where="STS")
            mend = "give it credentials: a role of the instance, or AWS_PROFILE"
            found = Diagnosis(
                check="identity", subject="credentials", severity="error", message=str(failure), mend=mend
            )
            return found, isinstance(failure, Denied)
        return Diagnosis(check="identity", subject="credentials", severity="ok", message=self._caller), False

    def _of_table(self) -> list[Diagnosis]:
        settings = self._settings
        found = diagnosis.of_table(self._table_seen(), KEY_SCHEMA)
        tried = permissions.table_calls(self._dynamodb, settings.table, settings.fleet)
        found += [diagnosis.of_permission(one) for one in tried]
        try:
            self._head = self._head_seen()
        except OutsideError as error:
            _unless_stopping(error)
            mend = f"aws dynamodb describe-table --table-name {settings.table}, with the same credentials, and do what it says"
            found.append(
                Diagnosis(check="head", subject=settings.table, severity="error", message=str(error), mend=mend)
            )
        else:
            found.append(diagnosis.of_head(self._head, settings.table))
        return found

    def _table_seen(self) -> TableSeen:
        client, table = self._dynamodb, self._settings.table
        region = client.meta.region_name
        try:
            described: Any = client.describe_table(TableName=table)["Table"]
        except AWS_ERRORS as error:
            failure = outside_error(error, what="describing the plan table", where=f"table {table} in {region}")
            return TableSeen(table=table, region=region, error=str(failure))
        return TableSeen(
            table=table,
            region=region,
            keys=tuple((one["AttributeName"], one["KeyType"]) for one in described["KeySchema"]),
            deletion_protection=bool(described.get("DeletionProtectionEnabled", False)),
            backups=_asked(lambda: _backups(client, table)),
            expiry=_asked(lambda: _expiry(client, table)),
        )

    def _head_seen(self) -> HeadSeen:
        head, floor = self._table.head(), self._table.floor()
        if head is None:
            return HeadSeen(floor=floor)
        stored = self._table.read(head.generation)
        wrong = stored.why if isinstance(stored, DamagedPlan) else None if stored else "it is not in the table"
        if isinstance(stored, StoredPlan) and stored.digest != head.digest:
            wrong = f"HEAD says digest {head.digest[:12]}, and the plan has {stored.digest[:12]}"
        named = stored.plan.endpoints if isinstance(stored, StoredPlan) else ()
        zones = frozenset(endpoint.zone for endpoint in named)
        return HeadSeen(generation=head.generation, digest=head.digest, floor=floor, zones=zones, wrong=wrong)

    def _of_zone(self, zone: str) -> list[Diagnosis]:
        """Look at one zone: it must be there and readable before the rest can be asked."""
        place = f"hosted zone {zone}"
        try:
            facts = self._zones.facts(zone)
            read = self._zones.fences(zone, self._settings.fleet)
            apex = self._zones.at(zone, [facts.name])
        except OutsideError as error:
            _unless_stopping(error)
            mend = f"aws route53 get-hosted-zone --id {zone}, with the same credentials; take it out of ENACTOR_ZONES if it is gone"
            return [Diagnosis(check="zone", subject=zone, severity="error", message=str(error), mend=mend)]
        limits: list[int] = []
        protections: list[tuple[tuple[str, str], ...]] = []
        tries = [
            Tried(action="route53:GetHostedZone", resource=place, answer=permissions.ALLOWED, how="tried"),
            Tried(action="route53:ListResourceRecordSets", resource=place, answer=permissions.ALLOWED, how="tried"),
            permissions.read_of(
                "route53:GetHostedZoneLimit",
                place,
                lambda: limits.append(self._zones.record_sets_max(zone)),
                own=True,
            ),
            permissions.read_of(
                "route53:ListResourceRecordSetProtections",
                place,
                lambda: protections.append(self._zones.protections(zone)),
                own=True,
            ),
            permissions.read_of(
                "route53:GetChange",
                place,
                lambda: self._zones.is_insync(zone, NO_CHANGE),
                without=permissions.ARRIVAL,
                absent="NoSuchChange",
            ),
        ]
        seen = msgspec.structs.replace(
            self._zone_seen(facts, read, apex),
            limit=limits[0] if limits else None,
            protections=protections[0] if protections else None,
        )
        return [
            *map(diagnosis.of_permission, tries),
            *self._of_change(zone),
            diagnosis_zone.of_room(seen),
            *diagnosis_zone.of_protections(seen),
            diagnosis_zone.of_soa(seen),
            diagnosis_zone.of_switch(seen),
            *diagnosis_zone.of_agreement(seen, self._head),
        ]

    def _of_change(self, zone: str) -> list[Diagnosis]:
        tried, takes_anything = permissions.zone_change(self._zones, zone, self._chance)
        upsert = permissions.simulated_upsert(self._session, self._settings.roles.get(zone) or self._caller, zone)
        found = [diagnosis.of_permission(tried), diagnosis.of_upsert(upsert)]
        if takes_anything:
            message = "it took a DELETE of a name that is not there: no fence holds on this endpoint"
            mend = "use AWS, or the sandbox of this package; another emulator protects nobody"
            found.append(Diagnosis(check="ground", subject=zone, severity="error", message=message, mend=mend))
        return found

    def _zone_seen(self, facts: ZoneFacts, read: FenceRange, apex: Sequence[RecordSet]) -> ZoneSeen:
        fences = brake.of_fleet(read, self._settings.fleet).fences
        switch = read.switch.switch
        return ZoneSeen(
            zone=read.zone,
            name=facts.name,
            tier=facts.tier,
            guardrails=facts.guardrails,
            record_sets=facts.record_sets,
            told_limit=self._settings.limits.zone_record_sets,
            ours=frozenset(
                (
                    *fences,
                    *(one.record.name for one in fences.values()),
                    names.switch_name(self._settings.fleet, facts.name),
                )
            ),
            soa_seconds=diagnosis_zone.soa_seconds(apex),
            switch=self._switch_word(read),
            switch_text=" ".join(read.switch.record.values) if read.switch.record else "",
            open=switch.gen if isinstance(switch, Switch) else None,
            open_digest=switch.plan if isinstance(switch, Switch) else "",
            fences=len(fences),
            fences_highest=max((one.fence.gen for one in fences.values() if isinstance(one.fence, Fence)), default=0),
            garbled=tuple(sorted(name for name, one in fences.items() if isinstance(one.fence, Garbled))),
        )

    def _switch_word(self, read: FenceRange) -> Literal["run", "stop", "absent", "garbled"]:
        if read.switch.record is None:
            return "absent"
        if not isinstance(read.switch.switch, Switch):
            return "garbled"
        return "run" if is_running(read.switch.switch, self._zones.aws_now()) else "stop"

    def _proven(self, zone: str) -> Diagnosis:
        try:
            claims = SelfTest(self._zones, zone, self._clock, self._chance).run()
        except OutsideError as error:
            _unless_stopping(error)
            mend = f"enactor stop --zone {zone} until it passes: no fence is to be relied on"
            return Diagnosis(check="ground", subject=zone, severity="error", message=str(error), mend=mend)
        message = f"proven on scratch names: {'; '.join(claims)}"
        return Diagnosis(check="ground", subject=zone, severity="ok", message=message)

    def _of_company(self) -> list[Diagnosis]:
        try:
            seen = latest(self._table.announcements(), self._zones.aws_now())
        except OutsideError as error:
            _unless_stopping(error)
            message = f"who is alive is unknown: {error}"
            return [Diagnosis(check="enactors", subject="the fleet", severity="note", message=message)]
        said = [
            EnactorSaid(id=one.id, limits=one.limits or "", silent_seconds=one.silent_seconds, presence=one.presence)
            for one in seen
        ]
        return [
            *diagnosis_machine.of_company(said, self._settings.account_share),
            diagnosis_machine.of_limits(self._settings.limits.digest, said),
        ]

    def _of_machine(self) -> list[Diagnosis]:
        settings = self._settings
        found = [diagnosis_machine.of_clock(self._wall(), self._zones.aws_now())]
        if settings.state_dir:
            found.append(self._disk())
        if settings.plan_mirror:
            found.append(self._mirror())
        if settings.state_dir or settings.plan_mirror:
            return found
        return [*found, diagnosis_machine.of_nothing_kept()]

    def _disk(self) -> Diagnosis:
        """Look whether plans can be kept, and at the newest one that is; nothing is left behind but the directory."""
        settings = self._settings
        disk = PlanDisk(settings.state_dir, settings.fleet)
        wrong = disk.trouble()
        stored = None if wrong else disk.newest()
        age = None
        if stored is not None:
            files = Path(settings.state_dir).glob(f"plan-{settings.fleet}-{stored.generation:012d}-*")
            kept = max((path.stat().st_mtime for path in files), default=None)
            age = None if kept is None else max(0.0, self._wall().timestamp() - kept)
        return diagnosis_machine.of_kept(
            settings.state_dir, wrong, stored.generation if stored else None, self._head, check="disk", age_seconds=age
        )

    def _mirror(self) -> Diagnosis:
        settings = self._settings
        found: StoredPlan | str | None
        try:
            found = plan_mirror(self._session, settings.plan_mirror, settings.fleet).load()
        except OutsideError as error:
            found = str(error)
        wrong = found if isinstance(found, str) else None
        generation = found.generation if isinstance(found, StoredPlan) else None
        return diagnosis_machine.of_kept(settings.plan_mirror, wrong, generation, self._head, check="mirror")


def _unless_stopping(error: OutsideError) -> None:
    if isinstance(error, Stopping):
        raise error


def _asked(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except AWS_ERRORS:
        return None  # told as unproven: it is a protection, and its own permission


def _backups(client: "DynamoDBClient", table: str) -> bool:
    described = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    return described.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED"


def _expiry(client: "DynamoDBClient", table: str) -> str:
    described = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    is_on = described.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}
    return str(described.get("AttributeName", "")) if is_on else ""

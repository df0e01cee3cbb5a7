"""The second act: the real planner table, the real enactors and the real collect, delayed at the same points.

Every step is held against the promises by `watch`. The enactors are built as the command line builds them, on boto3 over HTTP;
what delays them is the sandbox, which keeps a request back before it evaluates it.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from enactor.batch import Batch, SwitchChange
from enactor.brake import Table
from enactor.cli.build import Parts, enactor, operator, parts
from enactor.collect import FleetZones, collect
from enactor.cycle import Enactor
from enactor.fence import Fence
from enactor.outcome import Outcome, Stopped
from enactor.plan import Endpoint, Plan, Target, sorted_plan
from enactor.records import content_digest
from enactor.replay.stage import ADDRESSES, API, PAYMENTS, PLANS, TTL_SECONDS, ZONE, Row, Stage, members
from enactor.replay.teeth import Protection, without
from enactor.replay.watch import Stuck, Watcher
from enactor.report import CycleReport
from enactor.report_collect import CollectReport
from enactor.sandbox.faults import FaultRule
from enactor.sandbox.isolation import inside, isolated
from enactor.sandbox.ledger import APPLIED
from enactor.settings import Settings
from enactor.swap import Swap
from enactor.table import draft_of
from enactor.table_keys import plan_key

FLEET: Final = "edge"
NEWEST_THAT_NIGHT: Final = 5
PATIENCE_SECONDS: Final = 30.0
ALL_FOUR: Final = ("pay-1", "pay-2", "pay-3", "pay-4")
PAYMENTS_PLANS: Final = {1: ALL_FOUR[:3], 2: ALL_FOUR[:3], 3: ALL_FOUR}
"""From plan 4 on the plans say pay-1 alone: three quarters gone, which every enactor refuses."""


class EndingToday(msgspec.Struct, frozen=True):
    """How the act ended."""

    rows: tuple[Row, ...]

    @property
    def broken(self) -> tuple[str, ...]:
        """Return every promise that was broken on the way."""
        return tuple(sentence for row in self.rows for sentence in row.broken)


def play(protection: Protection | None = None) -> EndingToday:
    """Play the act with every protection, or without one."""
    told = {"ENACTOR_TABLE": "plans", "ENACTOR_FLEET": FLEET, "ENACTOR_ZONES": ZONE}
    with Stage() as stage, inside(isolated(stage.sandbox.environment(), told)):
        scene = Scene(stage)
        with without(protection):
            scene.play()
        return EndingToday(tuple(stage.rows))


class Scene:
    """Three enactors and a planner's table on the stage."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        planner = _doors("planner")
        planner.table.create_table()
        operator(planner, "the replay begins").init(
            ZONE, lambda: Table(planner.table.head(), planner.table.floor()), None
        )
        self._table = planner.table
        self._watcher = Watcher(stage.sandbox, self._table, FLEET)

    def play(self) -> None:
        """Play the night."""
        a, b = _enactor("a"), _enactor("b")
        self._publish(1)
        self._believes("enactor B", b.cycle())
        self._tell("enactor B", f"applies plan 1: {members(1)}")
        self._publish(2)
        with self._a_held_back(a) as land, self._deletion_held_back() as finish:
            self._b_goes_on(b)
            deleted = self._begin_clean_up()
            land()
            finish()
            self._clean_up_ended(deleted.result(PATIENCE_SECONDS))
        self._people_and_drifted_code(b)
        self._later_plans(a)

    def _tell(self, actor: str, text: str) -> None:
        self._stage.tell(actor, text, self._watcher.broken())

    def _believes(self, actor: str, report: CycleReport) -> None:
        """Note what an enactor's last cycle left it with; it holds for as long as nobody changed the fence since."""
        seen = self._stage.fence()
        text = f"plan {report.plan.generation} is the newest; {_said(report)}"
        self._stage.believe(actor, text, lambda: self._stage.is_fence(seen))

    def _publish(self, generation: int) -> Plan:
        plan = plan_of(generation)
        self._watcher.published(plan)
        draft = draft_of(plan, planner="planner", reason="", created_at=datetime.now(UTC).isoformat())
        entry = self._table.publish(draft, parent=self._table.head())
        assert entry.generation == generation, "nobody else publishes"
        return plan

    @contextmanager
    def _a_held_back(self, a: Enactor) -> Iterator[Callable[[], None]]:
        """Let A decide on plan 2 and send its batch; give a way to let that batch arrive."""
        sandbox = self._stage.sandbox
        handle = sandbox.add_fault(FaultRule(action="hold", operation="ChangeResourceRecordSets"))
        with ThreadPoolExecutor(1) as pool:
            cycle = pool.submit(a.cycle)
            sandbox.wait_held()
            self._stage.moment(2)
            seen = self._stage.fence()
            text = "plan 2 is the newest, and the fence is as it saw it: its request says so, and Route 53 looks when it arrives"
            self._stage.believe("enactor A", text, lambda: self._stage.is_fence(seen))
            self._tell(
                "enactor A", f"decides on plan 2: {members(2)}; its request is sent, and then delayed on its way"
            )

            def land() -> None:
                before = len(sandbox.batches(ZONE))
                sandbox.release(handle)
                outcome = sandbox.batches(ZONE)[before].outcome
                self._stage.moment(5)
                self._tell("enactor A", f"its request of plan 2 arrives, and Route 53 answers: {_answer(outcome)}")
                report = cycle.result(PATIENCE_SECONDS)
                self._believes("enactor A", report)
                self._tell("enactor A", f"looks again and decides anew: {_said(report)}")

            yield land

    @contextmanager
    def _deletion_held_back(self) -> Iterator[Callable[[], None]]:
        """Keep collect's deletion of plan 2 back, after its look; give a way to let it go on."""
        sandbox = self._stage.sandbox
        rule = FaultRule(
            action="hold", service="dynamodb", operation="TransactWriteItems", contains=plan_key(2), skip=1
        )
        handle = sandbox.add_fault(rule)

        def finish() -> None:
            sandbox.release(handle)

        yield finish

    def _b_goes_on(self, b: Enactor) -> None:
        self._stage.moment(3)
        self._publish(3)
        b.cycle()
        for generation in range(4, NEWEST_THAT_NIGHT + 1):
            self._publish(generation)
        report = b.cycle()
        self._believes("enactor B", report)
        kept = next(found for found in report.endpoints if found.name == PAYMENTS)
        guards = " and ".join(sorted(found.guard for found in kept.guards)) or "no guard"
        text = (
            f"applies plans 3 to {NEWEST_THAT_NIGHT}: {members(NEWEST_THAT_NIGHT)}; {PAYMENTS} keeps plan 3 ({guards})"
        )
        self._tell("enactor B", text)

    def _begin_clean_up(self) -> "Future[CollectReport]":
        doors = _doors("b")
        pool = ThreadPoolExecutor(1)
        running = pool.submit(
            collect,
            doors.table,
            FleetZones(doors.zones, FLEET),
            (ZONE,),
            dry_run=False,
            keep_newest=1,
            keep_hours=0,
            now=datetime.now(UTC),
            chance=doors.chance,
        )
        pool.shutdown(wait=False)
        self._stage.sandbox.wait_held(2)
        self._stage.moment(4)
        text = "no fence names plan 2, and the zone is open above it, so no request of it can still succeed"
        self._stage.believe("enactor B", text, lambda: not self._watcher.in_force(plan_of(2)))
        self._tell("enactor B", f"starts to collect: has looked{self._gone()}, and is delayed before it deletes plan 2")
        return running

    def _gone(self) -> str:
        """Say which plans a collect that is held has deleted by now, as the table shows it."""
        kept = {entry.generation for entry in self._table.list()}
        gone = [str(generation) for generation in range(NEWEST_THAT_NIGHT, 0, -1) if generation not in kept]
        return f", has deleted plan{'s' if len(gone) > 1 else ''} {' '.join(gone)}" if gone else ""

    def _clean_up_ended(self, report: CollectReport) -> None:
        self._stage.moment(6)
        gone = " ".join(str(plan.generation) for plan in report.plans if plan.decision == "deleted")
        kept = ", ".join(
            f"{plan.generation} ({plan.reasons[0]})" for plan in report.plans if plan.decision != "deleted"
        )
        self._tell("enactor B", f"ends its collect: deletes plans {gone or 'none'}, keeps {kept or 'none'}")

    def _people_and_drifted_code(self, b: Enactor) -> None:
        self._stage.moment(7)
        outcome = self._drifted_batch()
        said = (
            "; ".join(reason.why for reason in outcome.reasons) if isinstance(outcome, Stopped) else "sent, and applied"
        )
        self._tell("drifted code", f"asks to delete every record set of the endpoint: {said}")
        b.cycle()
        sandbox = self._stage.sandbox
        wiped = sandbox.zone(ZONE).sets(PAYMENTS)
        sandbox.edit(ZONE, [{"Action": "DELETE", "ResourceRecordSet": found} for found in wiped])
        self._watcher.by_hand()
        self._tell("a person", f"deletes the record sets of {PAYMENTS} in the console")
        self._believes("enactor C", _enactor("c").cycle())
        stands = " ".join(str(found["SetIdentifier"]) for found in sandbox.zone(ZONE).sets(PAYMENTS))
        self._tell("enactor C", f"new, with nothing in memory, brings {PAYMENTS} back: {stands or 'nothing'}")

    def _drifted_batch(self) -> Outcome:
        """Send what the clean-up of 2025 would have: a batch whose compare-and-swap is right, and that empties the endpoint."""
        doors = _doors("drifted")
        found = doors.zones.fences(ZONE, FLEET)
        sets = tuple(doors.zones.at(ZONE, [API]))
        reading, switch = found.fences[API], found.switch.record
        assert isinstance(reading.fence, Fence), "the fence of this endpoint is ours"
        assert switch is not None, "the zone is in service"
        after = msgspec.structs.replace(
            reading.fence, plan=content_digest(()), nonce=doors.chance.nonce(), gen=NEWEST_THAT_NIGHT
        )
        swap = Swap(
            name=API,
            zone=ZONE,
            state="behind",
            purpose="advance",
            fence_before=reading.record,
            fence_after=after,
            deletes=sets,
            creates=(),
            before=sets,
        )
        batch = Batch(
            zone=ZONE,
            zone_name=found.zone_name,
            origin="cycle",
            switch=SwitchChange(switch, switch),
            swaps=(swap,),
            comment="a decision gone wrong",
        )
        return doors.zones.compare_and_swap(batch)

    def _later_plans(self, a: Enactor) -> None:
        for generation, hands in (
            (6, {"A": a, "B": _enactor("b"), "C": _enactor("c")}),
            (7, {"C": _enactor("c"), "A": a}),
        ):
            self._stage.moment(generation + 2)
            plan = self._publish(generation)
            for letter, hand in hands.items():
                self._believes(f"enactor {letter}", hand.cycle())
            stuck = () if self._watcher.in_force(plan) else (str(Stuck(generation)),)
            text = f"publishes plan {generation}, and the enactors apply it: {members(generation)}"
            self._stage.tell("planner", text, (*self._watcher.broken(), *stuck))


def plan_of(generation: int) -> Plan:
    """Return a plan of the story."""
    payments = PAYMENTS_PLANS.get(generation, ALL_FOUR[:1])
    numbers = {member: f"198.51.100.{number}" for number, member in enumerate(ALL_FOUR, start=1)}
    endpoints = (
        _endpoint(API, {member: ADDRESSES[member] for member in PLANS[generation]}),
        _endpoint(PAYMENTS, {member: numbers[member] for member in payments}),
    )
    return sorted_plan(Plan(fleet=FLEET, endpoints=endpoints))


def _endpoint(name: str, members_of: dict[str, str]) -> Endpoint:
    targets = tuple(Target(id=member, type="A", value=value, weight=10) for member, value in members_of.items())
    return Endpoint(name=name, zone=ZONE, routing="weighted", ttl=TTL_SECONDS, targets=targets)


def _doors(name: str) -> Parts:
    return parts(Settings(table="plans", fleet=FLEET, zones=(ZONE,), id=name))


def _enactor(name: str) -> Enactor:
    return enactor(_doors(name))


def _answer(outcome: str) -> str:
    return outcome if outcome == APPLIED else f"{outcome}, nothing changed"


def _said(report: CycleReport) -> str:
    found: Any = next((endpoint for endpoint in report.endpoints if endpoint.name == API), None)
    return f"the endpoint is {found.state} at plan {found.generation}" if found else report.outcome

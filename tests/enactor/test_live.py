"""What a worker remembers for its port: the last cycle whole, since when each endpoint is as it is, and whether it is ready."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from enactor import __version__
from enactor.budget import Level
from enactor.cycle_report import Outlook, ZoneResult, cycle_report
from enactor.hooks import BatchEnded, CallEnded, Written
from enactor.live import CHANGE_NAMES_MAX, CHANGES_KEPT, ENACTORS_SHOWN_MAX, STEPS_KEPT, Came, Healed, Live
from enactor.live_overview import headline, overview_of
from enactor.live_report import (
    CYCLE_ALLOWANCE_SECONDS,
    LiveBudget,
    LiveCycle,
    LiveEndpoint,
    LivePlan,
    LiveReport,
    Put,
    Recalled,
    Step,
    Waiting,
)
from enactor.plan_index import PlanIndex
from enactor.report import EnactorSeen
from enactor.swap import State

from .kernel_builders import ENACTOR, FLEET, LATER, NAME, ZONE, entry, fence, fence_record, index, switch
from .test_cycle_report import CALLS, CURRENT, FINDING, FOREIGN, PLAN, REFUSED, RUNNING, A, B, judged, outlook, result

START = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
EMPTY = judged(PLAN, fence_record(fence(A)))
BEHIND = judged(index(8, entry(A, B)), A, fence_record(fence(A)))
KEY = (ZONE, NAME)


class World:
    """A worker's memory, and the clocks it looks at."""

    def __init__(self, every: float = 10.0) -> None:
        self.seconds = 1_000.0
        self.adjusted = timedelta()
        """By how much the time of day was set otherwise."""
        self.live = Live(fleet=FLEET, enactor=ENACTOR, every=every, wall=self.wall, now=lambda: self.seconds)

    def wall(self) -> datetime:
        return START + self.adjusted + timedelta(seconds=self.seconds - 1_000.0)

    def cycle(
        self,
        *results: ZoneResult,
        after: float = 10.0,
        seconds: float = 1.0,
        newest: PlanIndex | None = PLAN,
        waits: dict[tuple[str, str], Waiting] | None = None,
        **changes: Any,
    ) -> Came:
        """End a cycle so long after what was before."""
        self.seconds += after
        seen: Outlook = outlook(*results, newest=newest, **changes)
        return self.live.took(seen, cycle_report(seen, enactor=ENACTOR, calls=CALLS), seconds, waits or {})

    def batch(self, *found: tuple[str, State], outcome: str = "applied", repairs: bool = True, **changes: Any) -> None:
        names = tuple(name for name, _ in found)
        event = BatchEnded(
            zone=ZONE,
            outcome=outcome,
            generation=8,
            change_id="C1",
            names=names,
            opened=False,
            written=tuple(self.written(*one, repairs=repairs) for one in found) if outcome == "applied" else (),
        )
        self.live(msgspec.structs.replace(event, **changes))

    def written(self, name: str, cause: State, *, repairs: bool) -> Written:
        purpose = "repair" if repairs else "advance"
        return Written(name=name, generation=8, plan="0" * 12, nonce="1" * 16, cause=cause, purpose=purpose)

    def endpoint(self) -> LiveEndpoint:
        (found,) = self.live.report().endpoints
        return found


def test_before_the_first_cycle_it_says_who_it_is_and_that_it_is_not_ready() -> None:
    """Nothing that was not seen is shown."""
    world = World()
    assert world.live.report() == LiveReport(
        version=__version__,
        fleet=FLEET,
        enactor=ENACTOR,
        started="2026-06-01T12:00:00Z",
        at="2026-06-01T12:00:00Z",
        ready=False,
        degraded=("no cycle has ended yet",),
        cycle=LiveCycle(number=0, every_seconds=10.0),
        plan=LivePlan(generation=None, digest=None, source="none"),
        zones=(),
        counts={},
        not_answering=0,
        endpoints=(),
    )


def test_after_a_cycle_it_says_what_was_seen() -> None:
    """The plan, the zones, each endpoint with what stands there, and what the cycle was."""
    world = World()
    world.cycle(result(CURRENT, record_sets=5, switch=switch(8)), seconds=1.23456)
    found = world.live.report()
    assert (found.ready, found.degraded, found.at) == (True, (), "2026-06-01T12:00:10Z")
    assert found.cycle == LiveCycle(
        number=1,
        every_seconds=10.0,
        outcome="unchanged",
        ended="2026-06-01T12:00:10Z",
        seconds=1.235,
        last_success="2026-06-01T12:00:10Z",
        age_seconds=0.0,
    )
    stored = PLAN.stored
    assert found.plan == LivePlan(
        generation=8,
        digest=stored.digest,
        source=PLAN.source,
        created_at=stored.created_at,
        planner=stored.planner,
        reason=stored.reason,
    )
    (zone,) = found.zones
    assert (zone.zone, zone.report.switch, zone.report.open, zone.record_sets, zone.stop_until) == (
        ZONE,
        "run",
        8,
        5,
        None,
    )
    assert (found.counts, found.not_answering) == ({"current": 1}, 0)
    endpoint = world.endpoint()
    assert (endpoint.name, endpoint.zone, endpoint.state, endpoint.answering) == (NAME, ZONE, "current", True)
    assert (endpoint.generation, endpoint.wanted, endpoint.record_sets, endpoint.capacity) == (7, 8, 1, A.weight)
    assert endpoint.timeline == (Step(at="2026-06-01T12:00:10Z", generation=7, state="current"),)
    assert endpoint.fence is not None
    assert endpoint.fence["fleet"] == FLEET


def test_what_does_not_answer_is_counted_but_for_what_is_retired() -> None:
    """The one number that everything is about."""
    world = World()
    world.cycle(result(EMPTY))
    assert world.live.report().not_answering == 1
    gone = judged(index(8), fence_record(fence(A, state="retired")))
    world.cycle(result(gone))
    assert (world.live.report().not_answering, world.endpoint().state) == (0, "retired")


def test_reasons_guards_and_waits_stand_at_the_endpoint() -> None:
    """What a person asks next, without another command."""
    world = World()
    world.cycle(result(REFUSED), waits={KEY: Waiting(29.96, "it conflicted")})
    endpoint = world.endpoint()
    assert endpoint.guards[0].guard == "shrink-targets"
    assert endpoint.reasons
    assert (endpoint.waits_seconds, endpoint.waits_why) == (30.0, "it conflicted")


def test_since_when_an_endpoint_is_as_it_is_and_its_last_steps() -> None:
    """Another generation in the same state is a step, and the state lasts on; a state begins anew with itself."""
    world = World()
    world.cycle(result(CURRENT))
    world.cycle(result(CURRENT))
    world.cycle(result(judged(PLAN, A, fence_record(fence(A, gen=8)))))
    world.cycle(result(BEHIND))
    endpoint = world.endpoint()
    assert endpoint.since == "2026-06-01T12:00:40Z"
    assert [(step.at[-4:-1], step.generation, step.state) for step in endpoint.timeline] == [
        (":10", 7, "current"),
        (":30", 8, "current"),
        (":40", 7, "behind"),
    ]
    world.cycle(result(BEHIND))
    assert world.endpoint().since == "2026-06-01T12:00:40Z"


def test_a_timeline_is_bounded_and_what_is_gone_is_forgotten() -> None:
    """Twenty thousand endpoints that move all day take no more memory tomorrow."""
    world = World()
    for number in range(2 * STEPS_KEPT):
        world.cycle(result((CURRENT, BEHIND)[number % 2]))
    timeline = world.endpoint().timeline
    assert len(timeline) == STEPS_KEPT
    assert timeline[-1].state == "behind"
    world.cycle(result({}))
    assert world.live.report().endpoints == ()
    world.cycle(result(CURRENT))
    assert len(world.endpoint().timeline) == 1


def test_a_heal_is_told_with_what_was_found_and_for_how_long_it_was_seen() -> None:
    """Seen broken in an earlier cycle: since then. Seen and healed in one: since that cycle began."""
    world = World()
    world.cycle(result(EMPTY))
    world.cycle(result(EMPTY))
    world.batch((NAME, "empty"))
    assert world.cycle(result(CURRENT), after=5.0).healed == (Healed("empty", 15.0),)
    world.batch((NAME, "drifted"))
    assert world.cycle(result(CURRENT), seconds=2.5).healed == (Healed("drifted", 2.5),)
    assert world.cycle(result(CURRENT)).healed == ()


@pytest.mark.parametrize(
    ("outcome", "repairs", "after"),
    [("conflicted", True, CURRENT), ("applied", False, CURRENT), ("applied", True, EMPTY)],
    ids=["not applied", "new content", "broken again"],
)
def test_what_is_no_heal_is_not_told_as_one(outcome: str, repairs: bool, after: Any) -> None:
    """A batch that did not land heals nothing, new content is no repair, and what is broken again is not healed."""
    world = World()
    world.cycle(result(EMPTY))
    world.batch((NAME, "empty"), outcome=outcome, repairs=repairs)
    assert world.cycle(result(after)).healed == ()
    assert world.cycle(result(CURRENT)).healed == (), "a batch counts in its own cycle"


def made(generation: int, at: str) -> PlanIndex:
    """Return a plan that was made at an instant."""
    plan = index(generation, entry(A))
    return PlanIndex(msgspec.structs.replace(plan.stored, created_at=at), "table")


def test_a_plan_that_comes_into_force_everywhere_is_told_once() -> None:
    """With its age, at the first cycle in which nothing is left to do."""
    world = World()
    plan = made(8, "2026-06-01T12:00:04Z")
    assert world.cycle(result(EMPTY), newest=plan).in_force_seconds is None
    assert world.cycle(result(CURRENT), newest=plan).in_force_seconds == 16.0
    assert world.cycle(result(CURRENT), newest=plan).in_force_seconds is None
    assert world.cycle(result(CURRENT), newest=made(7, "2026-06-01T12:00:20Z")).in_force_seconds is None
    assert world.cycle(result(CURRENT), newest=made(9, "2026-06-01T12:00:50Z")).in_force_seconds == 0.0


def test_the_age_of_the_newest_plan_is_that_of_no_other() -> None:
    """A change of an older generation says nothing of the newest; before a cycle nobody knows."""
    world = World()
    assert world.live.plan_age(8) is None
    world.cycle(result(EMPTY), newest=made(8, "2026-06-01T12:00:04Z"))
    assert (world.live.plan_age(8), world.live.plan_age(7)) == (6.0, None)


@pytest.mark.parametrize(
    ("results", "changes"),
    [
        ((result(REFUSED),), {}),
        ((result(CURRENT, standing=msgspec.structs.replace(RUNNING, plan="behind")),), {}),
        ((result(CURRENT, standing=msgspec.structs.replace(RUNNING, switch="stop", running=False)),), {}),
        ((result(CURRENT),), {"errors": {"Z2": "denied"}}),
        ((result(CURRENT),), {"damaged": FINDING}),
        ((result(CURRENT),), {"newest": None}),
        ((result(CURRENT),), {"newest": made(8, "yesterday")}),
        ((result(CURRENT),), {"newest": made(8, "2026-06-01T12:00:05")}),
        ((result(CURRENT),), {"newest": made(8, "2026-06-01T11:59:59Z")}),
    ],
    ids=["refused", "behind", "stopped", "unread zone", "damaged", "no plan", "no date", "no zone", "from before"],
)
def test_what_is_not_known_to_be_in_force_is_not_told(results: tuple[ZoneResult, ...], changes: dict[str, Any]) -> None:
    """And a restart measures no plan that was in force before it."""
    told = {"newest": made(8, "2026-06-01T12:00:05Z")} | changes
    assert World().cycle(*results, **told).in_force_seconds is None


def test_it_is_degraded_while_something_fails_and_says_what() -> None:
    """A zone that cannot be read, a table that does not answer: each in its own sentence, gone with the next good cycle."""
    world = World()
    world.cycle(result(CURRENT), errors={"Z2": "access denied"}, problems=("the table does not answer",))
    assert world.live.degraded() == ("zone Z2: access denied", "the table does not answer")
    assert world.live.report().cycle.last_success is None
    world.cycle(result(CURRENT))
    assert world.live.degraded() == ()
    world.live.failed("everything burns")
    assert world.live.degraded() == ("the last cycle failed: everything burns",)
    assert world.live.report().ready is False
    world.cycle(result(CURRENT), errors={"Z2": "denied"})
    assert world.live.report().cycle.last_success == "2026-06-01T12:00:20Z"


@pytest.mark.parametrize("outcome", ["throttled", "overbudget"])
def test_case_35_throttled_ten_times_it_lives_and_says_degraded(outcome: str) -> None:
    """Case 35: the process is healthy and keeps its plan, and readiness names the throttling until a minute after it."""
    world = World()
    world.cycle(result(CURRENT))
    for _ in range(10):
        world.live(CallEnded(operation="ListResourceRecordSets", zone=ZONE, outcome=outcome, seconds=0.1))
        world.seconds += 1
    assert world.live.alive() is None
    (why,) = world.live.degraded()
    assert "throttles" in why
    assert world.live.report().plan.generation == 8
    world.seconds += 59
    assert world.live.degraded() == ()


def test_it_is_alive_for_as_long_as_anything_goes_on() -> None:
    """A slow survey is no stuck process: every answer counts. Silence for too long is, also before the first cycle."""
    world = World(every=20.0)
    limit = 3 * 20.0 + CYCLE_ALLOWANCE_SECONDS
    world.seconds += limit
    assert world.live.alive() is None
    world.live(CallEnded(operation="ListResourceRecordSets", zone=ZONE, outcome="ok", seconds=0.1))
    world.seconds += limit
    assert world.live.alive() is None
    world.live.failed("no answer")
    world.seconds += limit
    assert world.live.alive() is None
    world.cycle(result(CURRENT), after=limit)
    world.seconds += limit + 1
    why = world.live.alive()
    assert why == "nothing was answered and no cycle has ended for 241 s, and 240 s are the most: restart it"
    assert why in world.live.degraded()


def test_the_last_batches_are_kept_newest_first() -> None:
    """With what they did, and only the first names of many."""
    world = World()
    world.cycle(result(CURRENT))
    world.batch(*((f"n{number}.", "behind") for number in range(CHANGE_NAMES_MAX + 5)), repairs=False)
    world.batch((NAME, "empty"), outcome="conflicted", change_id=None, detail="somebody was faster", opened=True)
    newest, before = world.live.report().changes
    assert (newest.outcome, newest.change_id, newest.detail, newest.opened) == (
        "conflicted",
        None,
        "somebody was faster",
        True,
    )
    assert (newest.at, newest.zone, newest.generation, newest.names) == ("2026-06-01T12:00:10Z", ZONE, 8, (NAME,))
    assert (before.endpoints, len(before.names), before.causes) == (25, CHANGE_NAMES_MAX, {"behind": 25})
    for _ in range(CHANGES_KEPT + 3):
        world.batch((NAME, "empty"))
    assert len(world.live.report().changes) == CHANGES_KEPT


def test_brakes_and_who_is_there_are_shown() -> None:
    """Stops with their end, holds, allows, other enactors, and the buckets."""
    world = World()
    world.live.enactors = (EnactorSeen(id="b", generation=8, seen="now"),)
    level = Level(requests=1, requests_capacity=2, requests_per_second=3, changes=4, changes_capacity=5, pace=1)
    world.live.budgets = lambda: (LiveBudget(account="", level=level),)
    held = judged(PLAN, A, fence_record(fence(A, state="hold")))
    stopped = msgspec.structs.replace(RUNNING, switch="stop", running=False)
    world.cycle(result(held, standing=stopped, switch=switch(8, mode="stop", until=LATER)), problems=("x",))
    found = world.live.report()
    assert (found.holds, found.stops, found.problems) == ((NAME,), (ZONE,), ("x",))
    assert found.zones[0].stop_until is not None
    assert found.enactors == world.live.enactors
    assert found.budgets[0].level.requests == 1


def test_a_report_is_built_once_for_a_cycle() -> None:
    """However many ask: twenty thousand endpoints take a moment to put into words."""
    world = World()
    world.cycle(result(CURRENT))
    first = world.live.report()
    assert world.live.report().endpoints is first.endpoints
    world.cycle(result(FOREIGN))
    assert world.live.report().endpoints is not first.endpoints


def test_a_zone_that_was_not_read_once_begins_no_time_anew() -> None:
    """Else a read that fails now and then keeps the alert on what lasts too long silent for ever."""
    world = World()
    world.cycle(result(EMPTY))
    began = world.endpoint().since
    world.cycle(errors={ZONE: "no answer"})
    assert world.live.report().endpoints == ()
    world.cycle(result(EMPTY))
    assert world.endpoint().since == began


def test_it_is_not_ready_while_cycles_stand_still_though_calls_are_answered() -> None:
    """A collection of very many plans is alive, and heals nothing meanwhile."""
    world = World()
    world.cycle(result(CURRENT))
    for _ in range(30):
        world.seconds += 10.0
        world.live(CallEnded(operation="ListResourceRecordSets", zone=ZONE, outcome="ok", seconds=0.1))
    assert world.live.alive() is None
    assert world.live.degraded() == ("no cycle has ended for 300 s, and 210 s are the most",)


def test_a_clock_that_was_set_back_makes_nothing_old_a_fact() -> None:
    """The cycle ended 1,000 s ago, and the machine's time of day was set back an hour meanwhile."""
    world = World()
    world.cycle(result(CURRENT))
    world.seconds += 1_000.0
    world.adjusted = timedelta(hours=-1)
    found = world.live.report()
    assert found.cycle.age_seconds == 1_000.0
    assert headline(found, overview_of(found.endpoints)).tone == "bad"


def test_a_crash_loop_of_many_ids_makes_no_endless_page() -> None:
    """The process itself and those heard of last, in their order, and how many more: those that came first are long gone."""
    world = World()
    world.cycle(result(CURRENT))
    gone = [EnactorSeen(id=f"a{number:03}", generation=1, seen="x", silent_seconds=170) for number in range(60)]
    odd = EnactorSeen(id="b", generation=1, seen="x")
    near = [EnactorSeen(id=f"c{number:03}", generation=1, seen="x", silent_seconds=number) for number in range(45)]
    own = EnactorSeen(id=ENACTOR, generation=1, seen="x")
    world.live.enactors = tuple(sorted([*gone, odd, *near, own], key=lambda one: one.id))
    found = world.live.report()
    assert found.enactors == tuple(sorted([*gone[: ENACTORS_SHOWN_MAX - 46], *near, own], key=lambda one: one.id))
    assert (len(found.enactors), found.other_enactors) == (ENACTORS_SHOWN_MAX, 107 - ENACTORS_SHOWN_MAX)


def test_what_the_history_tells_stands_before_what_was_seen() -> None:
    """By endpoint, from the next cycle on; what it tells of names that are not there is not shown."""
    world = World()
    world.cycle(result(CURRENT))
    assert (world.endpoint().before, world.live.report().history_since) == ((), None)
    put = Put(at="2026-06-01T11:00:00Z", verb="swap", by="az-2", generation=7, cause="behind")
    world.live.recalled = Recalled(
        since="2026-05-25T12:00:00Z", puts={KEY: (put,), (ZONE, "gone.example.test."): (put,)}
    )
    world.cycle(result(CURRENT))
    assert (world.endpoint().before, len(world.endpoint().timeline)) == ((put,), 1)
    assert world.live.report().history_since == "2026-05-25T12:00:00Z"


def test_a_fleet_that_is_nowhere_is_no_healthy_one() -> None:
    """Its name may be mistyped: neither plan nor switch, and what there is belongs to somebody else."""
    absent = msgspec.structs.replace(RUNNING, switch="absent", running=False, open=None)
    world = World()
    world.cycle(result({}, standing=absent), newest=None)
    (why,) = world.live.degraded()
    assert why.startswith(f"fleet {FLEET} has neither a plan in the table nor a switch in {ZONE}, so nothing is done: ")
    world.live.others = ("_switch-edge-2._fence.example.test.", "_switch-core._fence.example.test.")
    assert "what stands there is of fleet core, edge-2" in world.live.degraded()[0]
    for changes in ({"newest": PLAN}, {"table_answered": False}, {"errors": {"Z9": "denied"}}):
        world.cycle(result({}, standing=absent), **({"newest": None} | changes))
        assert world.live.nothing() is None
    world.cycle(result({}), newest=None)
    assert world.live.nothing() is None

"""Workers whose pages are looked at: the real memory of a process, fed with cycles, behind the real port."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from enactor.budget import Level
from enactor.cli.serving import serve
from enactor.cycle_report import Outlook, ZoneResult, cycle_report
from enactor.fence import Allow
from enactor.guards import Finding
from enactor.hooks import BatchEnded, Written
from enactor.judge import Judged
from enactor.live import Live
from enactor.live_report import LiveBudget, LiveCycle, LiveEndpoint, LivePlan, LiveReport, Put, Recalled, Step, Waiting
from enactor.page.status import StatusPage
from enactor.plan import Endpoint, StoredPlan
from enactor.plan_index import PlanIndex
from enactor.records import RecordSet
from enactor.report import EnactorSeen
from enactor.swap import State
from enactor.wsgi import Route, application, json_route, page_route
from tests.enactor.kernel_builders import (
    ENACTOR,
    FLEET,
    LATER,
    ZONE,
    entry,
    fence,
    fence_record,
    plan,
    stored,
    switch,
    weighted,
)
from tests.enactor.test_cycle_report import CALLS, RUNNING, judged, outlook, result

A, B, C, D = (weighted(number) for number in (1, 2, 3, 4))
UNFENCED: Final = (weighted(99),)
LEVEL: Final = Level(
    requests=3.2, requests_capacity=5, requests_per_second=1.6, changes=900, changes_capacity=1000, pace=0.5
)
EMPTY: Final = 1234
"""The number of the one endpoint of many that answers nothing."""
HOSTILE: Final = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
HOSTILE_NAME: Final = r"<script>alert(3)<\047script>.\042onmouseover=alert(4)\042.example.test."


class Worker:
    """A worker's memory on clocks that a test moves, and the page of it."""

    def __init__(self) -> None:
        self.seconds = 1_000.0
        self.start = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
        self.live = Live(fleet=FLEET, enactor=ENACTOR, every=5.0, wall=self.wall, now=lambda: self.seconds)
        self.page = StatusPage(self.live.report)

    def wall(self) -> datetime:
        return self.start + timedelta(seconds=self.seconds - 1_000.0)

    def cycle(
        self,
        *results: ZoneResult,
        newest: PlanIndex | None = None,
        waits: dict[tuple[str, str], Waiting] | None = None,
        after: float = 30.0,
        **changes: Any,
    ) -> None:
        self.seconds += after
        seen: Outlook = outlook(*results, newest=newest, **changes)
        self.live.took(seen, cycle_report(seen, enactor=ENACTOR, calls=CALLS), 1.2, waits or {})


def named(number: int) -> str:
    return f"ep{number:05}.example.test."


def at(name: str, *records: RecordSet) -> tuple[RecordSet, ...]:
    """Return record sets as they stand at a name."""
    return tuple(msgspec.structs.replace(record, name=name) for record in records)


def one(
    name: str, *records: RecordSet, wants: tuple[RecordSet, ...], says: tuple[RecordSet, ...] = (), **changes: Any
) -> dict[str, Judged]:
    """Judge one endpoint by itself: what stands there, what plan 8 wants, and what its fence says (what it wants, if nothing else)."""
    said = fence_record(fence(*at(name, *(says or wants)), **changes), name)
    index = PlanIndex(stored_of(8, entry(*at(name, *wants), name=name)), "table")
    return judged(index, *at(name, *records), *((said,) if says != UNFENCED else ()), names=(name,))


def stored_of(
    generation: int, *endpoints: Endpoint, reason: str = "two load balancers more", stays: str | None = None
) -> StoredPlan:
    """Return a stored plan with the words of whoever published it."""
    made = stored(generation, plan(*endpoints))
    told = {"created_at": "2026-06-01T11:58:00Z", "planner": "planner-eu-1", "reason": reason, "stays": stays}
    return msgspec.structs.replace(made, **told)


def night(reason: str = "two load balancers more", text: str = "v=1 mode=stop, Ann: do not touch") -> Worker:
    """Return a worker in a bad hour: every kind of trouble, each with its reason."""
    worker = Worker()
    worker.live.enactors = (
        EnactorSeen(id=ENACTOR, generation=8, seen="2026-06-01T12:03:00Z", silent_seconds=4),
        EnactorSeen(id="az-2", generation=7, seen="2026-06-01T11:43:00Z", silent_seconds=1211),
    )
    worker.live.recalled = Recalled(
        since="2026-05-25T12:00:00Z",
        puts={
            (ZONE, named(0)): (
                Put(at="2026-06-01T09:00:00Z", verb="swap", by="az-2", generation=6, cause="missing"),
                Put(at="2026-06-01T10:00:00Z", verb="hold", by=HOSTILE),
            )
        },
    )
    worker.live.budgets = lambda: (LiveBudget(account="", level=LEVEL),)
    newest = PlanIndex(stored_of(8, entry(A), reason=reason, stays="a plan file"), "table")
    quiet: dict[str, Judged] = {}
    for number in range(5):
        quiet |= one(named(number), A, wants=(A,), gen=7 + number % 2)
    worker.cycle(
        result({**quiet, **one(named(5), A, wants=(A,), gen=7)}, record_sets=40, switch=switch(7)), newest=newest
    )
    broken = {
        **quiet,
        **one(named(5), A, wants=(A, B), says=(A,)),
        **one("api.example.test.", wants=(A,)),
        **one("shop.example.test.", A, B, C, wants=(D,), says=(A, B, C)),
        **one("mail.example.test.", A, wants=(A, B), says=(A,)),
        **one("hand.example.test.", B, wants=(A,), says=UNFENCED),
        **one("calm.example.test.", A, wants=(A, B), says=(A,), state="hold", until=LATER),
        **one("allowed.example.test.", A, wants=(A,), gen=8, allow=(Allow("shrink-targets", 9, LATER),)),
        **one(HOSTILE_NAME, A, B, wants=(A,)),
    }
    batch = BatchEnded(
        zone=ZONE,
        outcome="applied",
        generation=8,
        change_id="C0123456789ABCDEFGHIJ",
        opened=True,
        names=tuple(named(number) for number in range(8)),
        written=tuple(
            Written(name=named(number), generation=8, plan="0" * 12, nonce="1" * 16, cause="behind", purpose="advance")
            for number in range(8)
        ),
    )
    worker.live(batch)
    worker.live(
        msgspec.structs.replace(
            batch,
            outcome="conflicted",
            change_id=None,
            opened=False,
            names=("api.example.test.",),
            written=(),
            detail=HOSTILE,
        )
    )
    stopped = msgspec.structs.replace(RUNNING, switch="stop", running=False)
    worker.cycle(
        result(broken, record_sets=52, switch=switch(8)),
        result({}, zone="Z2", standing=stopped, switch=switch(8, mode="stop", until=LATER), switch_text=text),
        newest=newest,
        errors={"Z3": "AccessDenied: not allowed to list"},
        problems=("the plan table does not answer: connect timeout",),
        damaged=Finding(guard="digest", observed=9, message="plan 9 does not verify"),
        waits={(ZONE, "api.example.test."): Waiting(42.0, "Route 53 refused the batch: " + HOSTILE)},
        after=120.0,
    )
    return worker


def many(count: int) -> LiveReport:
    """Return the report of a worker beside so many endpoints: one is empty, every hundredth is behind, the others are quiet."""
    states: list[State] = ["behind" if number % 100 == 7 else "current" for number in range(count)]
    states[EMPTY] = "empty"
    at = "2026-06-01T12:00:00Z"
    endpoints = tuple(
        LiveEndpoint(
            name=named(number),
            zone=ZONE,
            state=state,
            answering=state != "empty",
            since="2026-06-01T11:00:00Z",
            generation=number % 9,
            wanted=8,
            record_sets=2,
            capacity=20,
            fence={"fleet": FLEET, "gen": number % 9, "plan": f"{number:012x}", "by": "az-1", "state": "live"},
            timeline=(
                Step(at="2026-06-01T11:00:00Z", generation=number % 9, state="behind"),
                Step(at="2026-06-01T11:59:00Z", generation=number % 9, state=state),
            ),
        )
        for number, state in enumerate(states)
    )
    return LiveReport(
        version="0.1.0",
        fleet=FLEET,
        enactor=ENACTOR,
        started="2026-06-01T11:00:00Z",
        at=at,
        ready=True,
        degraded=(),
        cycle=LiveCycle(number=9, every_seconds=5.0, outcome="unchanged", ended=at, seconds=2.0, age_seconds=0.0),
        plan=LivePlan(generation=8, digest="d" * 64, source="table", created_at=at, planner="planner", reason="x"),
        zones=(),
        counts=dict(Counter(states)),
        not_answering=1,
        endpoints=endpoints,
    )


@contextmanager
def serving(page: StatusPage) -> Iterator[str]:
    """Serve a page; yield its address."""
    faults: list[str] = []
    routes: dict[str, Route] = {"/": page_route(page.html), "/api/status": json_route(page.json)}
    served = serve("127.0.0.1:0", application(routes, failed=lambda path, why: faults.append(f"{path}: {why!r}")))
    try:
        yield f"http://127.0.0.1:{served.port}/"
    finally:
        served.close()
    assert faults == []

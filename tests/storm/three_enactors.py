"""Three real enactors over one zone under AWS's token buckets, in virtual time: who waits lets the others go on.

Each is a greenlet. A request takes a moment to arrive, so decisions of the three interleave as they do on the day; nothing but
time and chance is not the code that ships: the adapter, its budget, the cycle and the sandbox's strict zone engine are.
"""

import heapq
import random
from collections.abc import Callable, Sequence
from typing import Any, Final

import greenlet

from enactor.budget import AccountLimits, Budget
from enactor.cycle import Enactor, Tally
from enactor.guards import LimitsTable
from enactor.hooks import CallEnded, Event
from enactor.library import Library
from enactor.outside import gate_limits
from enactor.plan import Plan, StoredPlan, canonical_json, digest_of
from enactor.ports import Announcement, PlanAllow, PlanEntry, PlanHead
from enactor.route53 import Route53Zones
from enactor.sandbox.client import ModelClient
from enactor.sandbox.engine import Engine, Settings

ENACTORS: Final = ("use1-az1", "use1-az2", "use1-az3")
FLEET: Final = "edge"
ZONE: Final = "Z0STORM"
ZONE_NAME: Final = "example.test."
FLIGHT_SECONDS: Final = 0.05
"""How long a request is on its way before it is evaluated."""
BEGAN: Final = 1_796_000_000.0
"""Seconds since the epoch at which a day begins; AWS's Date follows the virtual clock."""
PAUSE_SECONDS: Final = 10.0
CYCLES_MAX: Final = 60


class Time:
    """Virtual seconds, and who wakes up next."""

    def __init__(self) -> None:
        self.now = 0.0
        self._count = 0
        self._sleepers: list[tuple[float, int, Any]] = []

    def wait(self, seconds: float) -> None:
        """Put the caller to sleep, and let whoever wakes up first go on."""
        self._count += 1
        heapq.heappush(self._sleepers, (self.now + seconds, self._count, greenlet.getcurrent()))
        parent = greenlet.getcurrent().parent
        assert parent is not None, "an enactor waits, and not whoever plays the day"
        parent.switch()

    def run(self, bodies: Sequence[Callable[[], None]]) -> None:
        """Run bodies to their ends, interleaved by their waits."""
        for body in bodies:
            greenlet.greenlet(body).switch()
        while self._sleepers:
            self.now, _, sleeper = heapq.heappop(self._sleepers)
            sleeper.switch()


class Seconds:
    """The clock of one enactor: the virtual one."""

    def __init__(self, time: Time) -> None:
        self._time = time

    def now(self) -> float:
        return self._time.now

    def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self._time.wait(seconds)


class Dice:
    """Chance from a seed."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def nonce(self) -> str:
        return f"{self._random.getrandbits(64):016x}"

    def uniform(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)


class Flight:
    """The in-process client behind a line that takes time."""

    def __init__(self, client: ModelClient, time: Time) -> None:
        self._client = client
        self._time = time
        self.exceptions = client.exceptions

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._client, name)

        def sent(**params: Any) -> Any:
            self._time.wait(FLIGHT_SECONDS)
            return call(**params)

        return sent


class Plans:
    """A plan table that always answers."""

    def __init__(self) -> None:
        self.plans: dict[int, StoredPlan] = {}

    def publish(self, plan: Plan) -> None:
        body = canonical_json(plan)
        generation = len(self.plans) + 1
        self.plans[generation] = StoredPlan(generation=generation, digest=digest_of(body), plan=plan, body=body)

    def head(self) -> PlanHead | None:
        newest = max(self.plans, default=0)
        return PlanHead(newest, self.plans[newest].digest) if newest else None

    def floor(self) -> int:
        return 0

    def read(self, generation: int) -> StoredPlan | None:
        return self.plans.get(generation)

    def list(self) -> Sequence[PlanEntry]:
        return ()

    def allows(self, _generation: int) -> Sequence[PlanAllow]:
        return ()

    def announce(self, _announcement: Announcement) -> None:
        """Nobody asks."""

    def announcements(self) -> Sequence[Announcement]:
        return ()

    def raise_floor(self, _generation: int) -> None:
        """No switch is ahead here."""


class Day:
    """A zone with three enactors, each with a third of the account."""

    def __init__(self, *, share: float = 1 / 3) -> None:
        self.time = Time()
        self.engine = Engine(
            clock=lambda: self.time.now,
            now=lambda: BEGAN + self.time.now,
            settings=Settings(requests_capacity=50.0, changes_capacity=1_500.0),
        )
        self.engine.create_zone(ZONE_NAME, ZONE)
        self.plans = Plans()
        self.calls: list[CallEnded] = []
        self.enactors = [self._enactor(name, share) for name in ENACTORS]

    def _enactor(self, name: str, share: float) -> Enactor:
        clock, chance, limits = Seconds(self.time), Dice(name), LimitsTable()
        tally = Tally(self._heard)
        budget = Budget(clock, share, AccountLimits())
        client = Flight(ModelClient(self.engine), self.time)
        zones = Route53Zones(
            lambda _: client,
            budget_of=lambda _: budget,
            limits_of=lambda endpoint: gate_limits(limits, endpoint),
            clock=clock,
            chance=chance,
            hook=tally,
        )
        return Enactor(
            fleet=FLEET,
            enactor=name,
            zone_ids=(ZONE,),
            limits=limits,
            zones=zones,
            store=self.plans,
            library=Library(self.plans, None),
            clock=clock,
            chance=chance,
            tally=tally,
        )

    def _heard(self, event: Event) -> None:
        if isinstance(event, CallEnded):
            self.calls.append(event)

    def change_calls(self) -> int:
        """Return how many change calls were sent since the last time this was asked, whatever the answer."""
        sent = sum(call.operation == "ChangeResourceRecordSets" for call in self.calls)
        self.calls.clear()
        return sent

    def until(self, done: Callable[[], bool]) -> float:
        """Have the three work in cycles until a fact holds for the zone; return the virtual seconds it took."""
        began = self.time.now
        ended: list[float] = []

        def work(enactor: Enactor) -> Callable[[], None]:
            def cycles() -> None:
                for _ in range(CYCLES_MAX):
                    enactor.cycle()
                    if done():
                        ended.append(self.time.now)
                        return
                    self.time.wait(PAUSE_SECONDS)

            return cycles

        self.time.run([work(enactor) for enactor in self.enactors])
        assert done(), f"not done after {CYCLES_MAX} cycles"
        return min(ended) - began

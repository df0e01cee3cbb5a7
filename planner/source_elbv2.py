"""The source `elbv2`: Application and Network Load Balancers, with the health of the targets behind them, over regions and accounts.

It decides nothing: what an answer means is for `elbv2_reading` and `elbv2_health`. One look reads everything of every place, or fails.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, Final, TypeVar

from enactor.outside import SystemChance, SystemClock
from enactor.plan_faults import Faults
from enactor.ports import Chance, OutsideError
from planner.elbv2_calls import AT_ONCE, Calls, Gone, Group, Place
from planner.elbv2_health import GroupHealth, signal_of
from planner.elbv2_reading import Balancer, answering, behind, is_meant, might_be_meant, offers_of
from planner.elbv2_settings import Elbv2Settings, read_settings
from planner.observation import Aim, Observation, Signal, SourceFailed

Item = TypeVar("Item")
Result = TypeVar("Result")

LOOKS_MAX: Final = 3
"""How often a look begins anew because something went away while it was read."""


class Elbv2Source:
    """One configured source: its own load balancers, and signals of whatever else leads to one of them."""

    def __init__(self, name: str, settings: Elbv2Settings, clock: SystemClock, chance: Chance) -> None:
        self.name = name
        self._settings = settings
        self._clock = clock
        self._chance = chance
        self._calls: Calls | None = None

    def observe(self, aims: tuple[Aim, ...], within_seconds: float) -> Observation:
        """Look once, wholly, or raise SourceFailed."""
        deadline = self._clock.now() + within_seconds
        pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix=f"elbv2-{self.name}")
        try:
            return self._observe(aims, _Within(pool, self._clock, deadline))
        except (SourceFailed, OutsideError) as error:
            raise SourceFailed(f"source {self.name}: {error}") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # a request on its way ends by its own time-out

    def close(self) -> None:
        """End every wait between tries, and close the connections."""
        self._clock.stop()
        if self._calls is not None:
            self._calls.close()

    def _observe(self, aims: tuple[Aim, ...], within: "_Within") -> Observation:
        places = [Place(region, role) for role in self._settings.roles or ("",) for region in self._settings.regions]
        if self._calls is None:
            self._calls = Calls(places, f"planner-{self.name}", self._clock, self._chance)
        for left in reversed(range(LOOKS_MAX)):
            try:
                return self._look(self._calls, places, aims, within)
            except Gone:
                if not left:
                    raise
        raise AssertionError("the last look returns or raises")

    def _look(self, calls: Calls, places: list[Place], aims: tuple[Aim, ...], within: "_Within") -> Observation:
        lists = within.each(places, lambda place: self._meant(calls, place, within.deadline))
        meant = list({one.arn: one for listed in lists for one in listed}.values())  # two roles may reach one account
        offers = offers_of(meant, self._settings)
        groups = within.each(places, lambda place: calls.groups(place, within.deadline))
        arns = {one.arn for one in meant}
        asked = list({one.arn: one for listed in groups for one in listed if arns.intersection(one.balancers)}.values())
        health = within.each(asked, lambda group: calls.health(group, within.deadline))
        signals = _by_balancer(meant, list(zip(asked, health, strict=True)))
        leading = {offer_id: balancer for offer_id, (_, balancer) in offers.items()} | _led_to(aims, answering(meant))
        return Observation(
            source=self.name,
            offers=tuple(offer for offer, _ in offers.values()),
            signals={one: signals[leading[one].arn] for one in sorted(leading) if leading[one].arn in signals},
        )

    def _meant(self, calls: Calls, place: Place, deadline: float) -> list[Balancer]:
        listed = [one for one in calls.balancers(place, deadline) if might_be_meant(one, self._settings)]
        return [one for one in calls.tagged(place, listed, deadline) if is_meant(one, self._settings)]


def _led_to(aims: Iterable[Aim], known: Mapping[str, Balancer]) -> dict[str, Balancer]:
    """Return, for what other sources offered, the load balancer that it leads to, where it is one of ours."""
    found = {aim.id: behind(aim.addresses, aim.alias, known) for aim in aims}
    return {aim_id: balancer for aim_id, balancer in found.items() if balancer is not None}


def _by_balancer(balancers: Iterable[Balancer], groups: Iterable[tuple[Group, GroupHealth]]) -> dict[str, Signal]:
    """Return what is known of each load balancer's health, by ARN."""
    behind_it: dict[str, list[GroupHealth]] = {}
    for group, health in groups:
        for arn in group.balancers:
            behind_it.setdefault(arn, []).append(health)
    found = {one.arn: signal_of(one, behind_it.get(one.arn, [])) for one in balancers}
    return {arn: signal for arn, signal in found.items() if signal is not None}


class _Within:
    """Several requests at once, all of them done before the deadline, or none of them counts."""

    def __init__(self, pool: ThreadPoolExecutor, clock: SystemClock, deadline: float) -> None:
        self._pool = pool
        self._clock = clock
        self.deadline = deadline

    def each(self, items: Iterable[Item], do: Callable[[Item], Result]) -> list[Result]:
        """Return what comes of each item, in order; raise what the first of them raised."""
        futures = [self._pool.submit(do, item) for item in items]
        done, late = wait(futures, timeout=max(0.0, self.deadline - self._clock.now()), return_when=FIRST_EXCEPTION)
        for future in futures:
            if future in done and (error := future.exception()) is not None:
                raise error
        if late:
            raise SourceFailed(
                f"Elastic Load Balancing answered {len(done)} of {len(futures)} requests in time; give the look more time, "
                "or fewer regions and load balancers"
            )
        return [future.result() for future in futures]


class Elbv2Kind:
    """What the fleet file's `kind: elbv2` means."""

    gives_inventory = True
    gives_health = True

    def read(self, raw: Mapping[str, Any], path: str, faults: Faults) -> Elbv2Settings | None:
        """Return the settings, noting every fault with its path."""
        return read_settings(raw, path, faults)

    def open(self, name: str, settings: Elbv2Settings) -> Elbv2Source:
        """Return a source that is ready to look; connects to nothing yet."""
        return Elbv2Source(name, settings, SystemClock(), SystemChance())


KIND: Final = Elbv2Kind()

"""The source `probe`: the planner's own TCP, HTTP and HTTPS checks of every address that the sources of inventory offer.

It decides nothing: what a check found and what a look means is for `probe_answer`. One thread with an event loop, and not a thread for
each check: what hangs costs a socket and no thread, so the limit on open connections can be high, and a fleet that hangs does not
queue the healthy ones up behind it (measured against a pool of threads in docs/sources.md).
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Mapping, Sequence
from typing import Any, Final

from enactor.outside import SystemChance, SystemClock
from enactor.plan_faults import Faults
from enactor.ports import Chance, Clock
from planner.observation import Aim, Observation, SourceFailed
from planner.probe_answer import Checked, addresses_of, signals_of
from planner.probe_settings import ProbeSettings, read_settings
from planner.probe_wire import EXHAUSTED, Exchange, said, tls_context

STARTS_PER_SECOND: Final = 400
"""No herd: neither the targets nor this host's CPU meet all checks of a look at once."""
STARTS_PER_TURN: Final = 8
JITTER: Final = 0.1
"""The part of `every` by which a look after the first may begin late, so that two planners do not keep step."""
PULSE_SECONDS: Final = 0.05
LAG_SHARE_MAX: Final = 0.5
"""The part of a check's time that this process may have stood still before its time-outs mean nothing."""


class ProbeSource:
    """One configured source.

    A look that is asked for well before `every` has passed since the last one began (nine tenths of it: whoever asks keeps no exact
    time) is that one again, the same object, so that it can be told and does not count twice. Other aims are a new look.
    """

    def __init__(self, name: str, settings: ProbeSettings, clock: Clock, chance: Chance) -> None:
        self.name = name
        self.every_seconds = settings.every
        """How often it wants to be asked."""
        self._settings = settings
        self._clock = clock
        self._chance = chance
        self._tls = tls_context(settings) if settings.protocol == "https" else None
        self._last: tuple[tuple[Aim, ...], Observation] | None = None
        self._due: float | None = None
        """When a look is due again; None before the first."""
        self._look: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self._is_closed = False

    def observe(self, aims: tuple[Aim, ...], within_seconds: float) -> Observation:
        """Check every address once, or raise SourceFailed."""
        began = self._clock.now()
        if self._last is not None and self._last[0] == aims and self._due is not None and began < self._due:
            return self._last[1]
        late = 0.0 if self._due is None else self._chance.uniform(0.0, self.every_seconds * JITTER)
        self._last, self._due = None, began + self.every_seconds * (1 - JITTER)
        try:
            checked = self._checked(addresses_of(aims, self._settings), late, within_seconds)
            observation = Observation(source=self.name, signals=signals_of(aims, checked))
        except SourceFailed as failed:
            raise SourceFailed(f"source {self.name}: {failed}") from failed
        self._last = (aims, observation)
        return observation

    def close(self) -> None:
        """End a look that is under way; safe in a signal handler and from another thread."""
        self._is_closed = True
        if self._look is not None:
            loop, task = self._look
            with contextlib.suppress(RuntimeError):  # the look ended in this very moment
                loop.call_soon_threadsafe(task.cancel)

    def _checked(self, addresses: Sequence[str], late_seconds: float, within_seconds: float) -> Mapping[str, Checked]:
        order = sorted(addresses, key=lambda _: self._chance.uniform(0.0, 1.0))
        look = _Look(self._settings, self._tls, order)
        try:
            _find_room()
            asyncio.run(self._run(look, late_seconds, within_seconds))
        except TimeoutError:
            done = f"{len(look.checked)} of {len(order)} checks were done within {within_seconds:g} s"
            raise SourceFailed(f"{done}; raise `at_once`, lower `timeout`, or look less often") from None
        except asyncio.CancelledError:
            raise SourceFailed("asked to stop") from None
        except OSError as error:
            if error.errno not in EXHAUSTED:
                raise
            advice = "raise this process's limit of open files (ulimit -n) or lower `at_once`"
            raise SourceFailed(f"this host has no room for another connection: {said(error)}; {advice}") from error
        if look.timeouts and look.lag_seconds > self._settings.timeout * LAG_SHARE_MAX:
            raise SourceFailed(
                f"this process stood still for {look.lag_seconds:.1f} s while {look.timeouts} checks of "
                f"{self._settings.timeout:g} s timed out, which says nothing of the targets; give it more CPU"
            )
        return {address: look.checked[address] for address in addresses}

    async def _run(self, look: "_Look", late_seconds: float, within_seconds: float) -> None:
        task = asyncio.current_task()
        assert task is not None, "asyncio.run makes a task"
        self._look = (asyncio.get_running_loop(), task)
        try:
            if self._is_closed:
                raise asyncio.CancelledError
            async with asyncio.timeout(within_seconds):
                await asyncio.sleep(late_seconds)
                await look.run()
        finally:
            self._look = None


def _find_room() -> None:
    """Raise OSError where not even an event loop has room: asyncio would say so with traces on stderr besides."""
    one, other = socket.socketpair()
    with one, other, socket.socket():
        pass


class _Look:
    """The checks of one look, at most so many at once, and how they went."""

    def __init__(self, settings: ProbeSettings, tls: ssl.SSLContext | None, addresses: Sequence[str]) -> None:
        self._settings = settings
        self._tls = tls
        self._addresses = addresses
        self.checked: dict[str, Checked] = {}
        self.timeouts = 0
        self.lag_seconds = 0.0
        """The longest that the event loop came late: how long this process stood still, or was busy with something else."""

    async def run(self) -> None:
        """Check every address; raise OSError where this host cannot open another socket.

        Only a few checks begin in one turn of the event loop: where turns grow long, because TLS takes more than the CPU gives, checks
        begin more slowly, instead of waiting for each other until they time out.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        room = asyncio.Semaphore(self._settings.at_once)
        pulse = asyncio.create_task(self._pulse())
        exhausted: list[OSError] = []
        try:
            async with asyncio.TaskGroup() as checks:
                for index, address in enumerate(self._addresses):
                    await room.acquire()
                    checks.create_task(self._note(address, room))
                    early = began + (index + 1) / STARTS_PER_SECOND - loop.time()
                    if early > 0 or index % STARTS_PER_TURN == 0:
                        await asyncio.sleep(max(0.0, early))
        except* OSError as failed:
            exhausted += [error for error in failed.exceptions if isinstance(error, OSError)]
        finally:
            pulse.cancel()
        if exhausted:
            raise exhausted[0]

    async def _pulse(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + PULSE_SECONDS
            await asyncio.sleep(PULSE_SECONDS)
            self.lag_seconds = max(self.lag_seconds, loop.time() - due)

    async def _note(self, address: str, room: asyncio.Semaphore) -> None:
        try:
            self.checked[address] = await self._check(address)
        finally:
            room.release()

    async def _check(self, address: str) -> Checked:
        exchange = Exchange(address, self._settings, self._tls)
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await exchange.run()
        except TimeoutError:
            self.timeouts += 1
            return exchange.late()
        finally:
            exchange.close()


class ProbeKind:
    """What the fleet file's `kind: probe` means."""

    gives_inventory = False
    gives_health = True

    def read(self, raw: Mapping[str, Any], path: str, faults: Faults) -> ProbeSettings | None:
        """Return the settings, noting every fault with its path."""
        return read_settings(raw, path, faults)

    def open(self, name: str, settings: ProbeSettings) -> ProbeSource:
        """Return a source that is ready to look; connects to nothing yet."""
        return ProbeSource(name, settings, SystemClock(), SystemChance())


KIND: Final = ProbeKind()

"""Wait until a published generation is in force: survey its zones again and again, at a bounded rate. `everywhere` decides.

Endpoints are judged by the limits of the planner's own settings: an enactor whose limits are tighter may refuse what looks well here, and
is then waited for until the time is up.
"""

from collections.abc import Callable
from typing import Final, Protocol

import click
import msgspec

from enactor.budget import AccountLimits
from enactor.cli.build import enactor as build_enactor
from enactor.cli.build import parts
from enactor.cli.waiting import Progress
from enactor.ports import Clock, Unavailable
from enactor.report import EXIT_FAILED, EXIT_KEPT_BACK, EXIT_OK, SurveyReport
from enactor.settings import Settings
from planner.everywhere import Found, found
from planner.publisher import Published

PAUSE_SECONDS: Final = 3.0
REQUESTS_PER_SECOND: Final = AccountLimits().requests_per_second
READS_SHARE: Final = 0.5
"""Of the account's share: the enactors that bring the plan need the rest."""


class Surveying(Protocol):
    """Who looks at the zones."""

    def survey(self) -> SurveyReport:
        """Read everything and judge it; write nothing."""
        ...

    def survey_pages(self) -> int:
        """Return about how many reads one survey of all zones takes."""
        ...


class Awaited(msgspec.Struct, frozen=True):
    """What the last look found, and for how long it was waited."""

    found: Found
    seconds: float
    generation: int = 0


def wait_in_force(
    enactor: Surveying,
    generation: int,
    clock: Clock,
    *,
    seconds: float,
    requests_per_second: float,
    tell: Callable[[Found, float], None],
) -> Awaited:
    """Look until everything is settled or the time is up; each pause keeps the reads under half of what may be read."""
    began = clock.now()
    while True:  # ends: settled, or the time is up
        seen = found(enactor.survey(), generation)
        gone = clock.now() - began
        tell(seen, gone)
        pause = max(PAUSE_SECONDS, enactor.survey_pages() / (requests_per_second * READS_SHARE))
        if seen.is_settled or gone + pause > seconds:
            return Awaited(seen, gone, generation)
        clock.sleep(pause)


def await_in_force(published: Published, settings: Settings, seconds: float) -> Awaited:
    """Wait for what was published, or stands already, in the zones that its plan names."""
    assert published.head is not None, "what was published, or is the same, has a HEAD"
    named = sorted({endpoint.zone for endpoint in published.plan.endpoints})
    zones = tuple(zone for zone in named if not settings.zones or zone in settings.zones)
    if left_out := [zone for zone in named if zone not in zones]:
        click.echo(f"planner: not looked at, because --zones does not name them: {', '.join(left_out)}", err=True)
    if not zones and named:
        raise Unavailable("none of the plan's zones is among --zones, so nothing can be waited for; name them, or none")
    doors = parts(msgspec.structs.replace(settings, zones=zones))
    progress, generation = Progress(), published.head.generation

    def tell(seen: Found, gone: float) -> None:
        left = len(seen.unknown) + len(seen.not_yet)
        progress(f"waiting for generation {generation}: {left} zones and endpoints left, {gone:.0f} s")

    awaited = wait_in_force(
        build_enactor(doors),
        generation,
        doors.clock,
        seconds=seconds,
        requests_per_second=REQUESTS_PER_SECOND * settings.account_share,
        tell=tell,
    )
    progress.done()
    return awaited


def status_of(awaited: Awaited) -> int:
    """Return the exit status: 0 in force everywhere, 3 something is kept back, 1 the time was up or something unreadable."""
    if not awaited.found.is_settled:
        return EXIT_FAILED
    return EXIT_KEPT_BACK if awaited.found.kept_back else EXIT_OK


def told_of(awaited: Awaited) -> list[str]:
    """Return what is said on stderr: in a sentence that it is in force, or one for all that keeps it from being so."""
    spent = f"{awaited.seconds:.0f} s"
    if not awaited.found.sentences:
        return [f"planner: generation {awaited.generation} is in force everywhere after {spent}"]
    up = "" if awaited.found.is_settled else "; the time is up. `enactor status` says whether an enactor is alive"
    return [
        *(f"planner: {line}" for line in awaited.found.sentences),
        f"planner: generation {awaited.generation} is not in force everywhere after {spent}{up}",
    ]

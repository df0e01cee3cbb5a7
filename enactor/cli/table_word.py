"""Ask the plan table on behalf of a person who brakes: hastily, and never again once it had no answer."""

import click

from enactor.brake import Table
from enactor.cli.build import Parts, utc_now
from enactor.fence import Fence
from enactor.guards import Finding
from enactor.observe import FenceRange, live_names
from enactor.plan import StoredPlan
from enactor.plan_guards import judge_absence, lifted
from enactor.ports import Missing, OutsideError
from enactor.table import PlanTable
from enactor.table_setup import table_client


class TableWord:
    """Asks the table what it says about generations, for a person who brakes: hastily, and never again once it had no answer."""

    def __init__(self, doors: Parts) -> None:
        self._settings = doors.settings
        self._is_away = not doors.settings.table
        client = table_client(doors.session, hasty=True)
        self._table = PlanTable(
            client, doors.settings.table, doors.settings.fleet, clock=doors.clock, chance=doors.chance
        )

    def __call__(self) -> Table | None:
        """Return HEAD and FLOOR as they are now, None where there is no table to ask or it has no answer."""
        if self._is_away:
            return None
        try:
            return Table(self._table.head(), self._table.floor())
        except Missing:
            return None
        except OutsideError as error:
            self._is_away = True
            click.echo(f"enactor: going on without the plan table: {error}", err=True)
            return None

    def refused(self, found: FenceRange, generation: int) -> tuple[Finding, ...]:
        """Return what keeps a plan of the table from being opened in a zone by a start: names with a fence that it does not mention.

        What cannot be read is refused by nobody here: the enactors judge it by what they have.
        """
        if self._is_away:
            return ()
        try:
            stored = self._table.read(generation)
            allows = self._table.allows(generation)
        except OutsideError:
            return ()
        if not isinstance(stored, StoredPlan):
            return ()
        settings, now = self._settings, utc_now()
        # What was adopted and never changed since (generation 0) may be in no plan that was ever open.
        opened = {name: one for name, one in found.fences.items() if isinstance(one.fence, Fence) and one.fence.gen}
        names = live_names(opened, settings.fleet)
        findings = judge_absence(stored.plan, names, settings.limits.plan, found.zone)
        return lifted(findings, frozenset(one.guard for one in allows if one.until > now))

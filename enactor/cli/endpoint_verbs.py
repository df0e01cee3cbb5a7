"""The verbs that brake, permit and mend one endpoint on the command line: hold, release, allow, heal."""

from datetime import timedelta
from functools import partial
from typing import Any

import click
import msgspec

from enactor.brake import Table
from enactor.cli.build import Parts, library, utc_now
from enactor.cli.options import end, ending, settings_options, take_settings
from enactor.cli.places import WITH_PLANS, at, carry_out, hand_of, name_argument, newest, say_all, yes_option
from enactor.cli.table_word import TableWord
from enactor.cli.verbs import BY_HAND, for_option, lasting_seconds, logged, reason_option, recorded, tell, zone_option
from enactor.endpoint_verbs import Cure, Place, Remedy, remedy_of_file
from enactor.fence import instant_text
from enactor.marks import why_not_allowable
from enactor.memory import ZoneMemory
from enactor.plan_file import file_octets
from enactor.plan_form import read_plan
from enactor.ports import FormFaults, PlanAllow
from enactor.remedy import Physician
from enactor.report import EXIT_FAILED, EXIT_USAGE
from enactor.table_keys import GENERATION_MAX
from enactor.wheel import Done

ALLOW_MAX_SECONDS = 86400.0
WHOLE_PLAN = "*"
why_option = click.option("--reason", required=True, help="Why; goes into the log and the change's Comment.")


def add_to(group: click.Group) -> None:
    """Add the verbs to the command."""
    for command in (hold, release, allow, heal):
        group.add_command(command)


@click.command()
@settings_options(*BY_HAND)
@name_argument
@zone_option
@for_option
@why_option
@ending("enactor")
def hold(*, name: str, zone: str | None, lasting: str | None, reason: str, **flags: Any) -> None:
    """Freeze an endpoint as it stands: no enactor writes there until it is released, or the hold ends."""
    seconds = lasting_seconds(lasting)
    doors, place = at(flags, name, zone)
    carry_out(doors, "hold", reason, place, partial(hand_of(doors, reason).hold, place, seconds))


@click.command()
@settings_options(*BY_HAND)
@name_argument
@zone_option
@reason_option
@ending("enactor")
def release(*, name: str, zone: str | None, reason: str, **flags: Any) -> None:
    """Take a hold away."""
    doors, place = at(flags, name, zone)
    carry_out(doors, "release", reason, place, partial(hand_of(doors, reason).release, place))


@click.command()
@settings_options(*BY_HAND)
@name_argument
@zone_option
@click.option("--guard", required=True, help="The guard's label.")
@click.option(
    "--generation",
    required=True,
    type=click.IntRange(1, GENERATION_MAX),
    help="The plan it is for; of one that the planner refused, the number it would get.",
)
@click.option("--for", "lasting", default="30m", show_default=True, help="For how long, at most a day.")
@why_option
@ending("enactor")
def allow(*, name: str, zone: str | None, guard: str, generation: int, lasting: str, reason: str, **flags: Any) -> None:
    """Let one guard pass once, at one endpoint and for one generation. NAME '*' is for the guards of a whole plan.

    An endpoint's allow is written into its fence and used up by the swap that needs it; one for a whole plan is kept in the
    plan table, where planner and enactors find it. `empty` and `kind` can be allowed by nobody.
    """
    if problem := why_not_allowable(guard, of_plan=name == WHOLE_PLAN):
        end(EXIT_USAGE, [f"--guard: {problem}"])
    seconds = lasting_seconds(lasting, highest=ALLOW_MAX_SECONDS)
    assert seconds is not None, "--for has a default"
    if name == WHOLE_PLAN:
        _allow_plan(flags, guard, generation, seconds, reason)
        return
    doors, place = at(flags, name, zone)
    hand = hand_of(doors, reason)

    def write() -> Done:
        done = hand.allow(place, guard, generation, seconds)
        return msgspec.structs.replace(done, sentence=f"{done.sentence}{_ahead(TableWord(doors)(), generation)}")

    carry_out(doors, "allow", reason, place, write)


def _ahead(table: Table | None, generation: int) -> str:
    """Say where an allow is for a plan that is far from being published; nothing where nobody can tell."""
    head = table.head.generation if table is not None and table.head is not None else 0
    after = 1 + max(head, table.floor) if table is not None else generation
    if generation <= after:
        return ""
    newest = f"the newest plan is generation {head}" if head else "no plan is published yet"
    return f"; nothing uses it before a plan {generation} is there: {newest}, and the next one will be {after}"


def _allow_plan(flags: dict[str, Any], guard: str, generation: int, seconds: float, reason: str) -> None:
    settings = take_settings(flags, required=("table", "fleet"))
    doors = logged(settings)
    until = (utc_now() + timedelta(seconds=seconds)).replace(microsecond=0)
    wanted = PlanAllow(guard=guard, generation=generation, until=until, reason=reason, by=settings.id)

    def write() -> Done:
        doors.table.allow(wanted)
        ahead = _ahead(TableWord(doors)(), generation)
        return Done(f"{guard} is allowed for the whole plan {generation}, until {instant_text(until)}{ahead}", "table")

    tell(recorded(doors, "allow", reason, None, write))


@click.command()
@settings_options(*WITH_PLANS)
@name_argument
@zone_option
@click.option(
    "--plan", "path", default=None, type=click.Path(dir_okay=False), help="A plan file to take the content from."
)
@yes_option
@reason_option
@ending("enactor")
def heal(*, name: str, zone: str | None, path: str | None, yes: bool, reason: str, **flags: Any) -> None:
    """Put one endpoint in place by hand, for the day nothing else runs: through fence and last gate, without table or switch.

    Without a file the newest plan at hand that is not refused as a whole is used, from the table, the state directory or the
    mirror. With one the content goes in at the
    fence's own generation and stays on hold for 24 hours, unless it is released: the plans say otherwise.
    """
    doors, place = at(flags, name, zone)
    cure = _cure(doors, place, path)
    hand = hand_of(doors, reason)
    say_all(hand.heal_preview(place, cure))
    if not yes and not click.confirm("heal it?", default=False, err=True):
        end(EXIT_FAILED, ["not healed; nothing was written"])
    carry_out(doors, "heal", reason, place, partial(hand.heal, place, cure))


def _cure(doors: Parts, place: Place, path: str | None) -> Cure:
    if path is not None:
        reading = read_plan(file_octets(path))
        if reading.plan is None:
            raise FormFaults(path, reading.faults)
        return remedy_of_file(reading.plan.endpoints, place, path)
    plans, settings, told = library(doors), doors.settings, set[str]()

    def say(line: str) -> None:
        if line not in told:
            click.echo(f"enactor: {line}", err=True)
        told.add(line)

    physician = Physician(
        fleet=settings.fleet,
        enactor=settings.id,
        limits=settings.limits,
        plans=plans,
        passed_over=lambda generation, finding: say(
            f"plan {generation} is refused as a whole and not used: {finding.message}"
        ),
    )

    def found(memory: ZoneMemory) -> Remedy:
        shelf = plans.look()
        for problem in shelf.problems:
            say(problem)
        newest(shelf, "heal")
        return physician.remedy(memory, shelf, place, doors.zones.aws_now())

    return found

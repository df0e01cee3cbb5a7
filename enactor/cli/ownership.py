"""The verbs about whose a name or a zone is on the command line: adopt, retire, disown, deinit, snapshot."""

from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from enactor.cli.build import Parts, library, parts, place_of, wheel
from enactor.cli.options import end, ending, settings_options, take_settings
from enactor.cli.places import WITH_PLANS, at, carry_out, hand_of, name_argument, newest, say_all, shelf_of, yes_option
from enactor.cli.verbs import BY_HAND, chosen, each, logged, reason_option, zone_argument, zone_option
from enactor.endpoint_verbs import EndpointOperator, Place
from enactor.insist import NotDone
from enactor.leaving import Leaver, snapshot
from enactor.memory import ZoneMemory
from enactor.observe import SwitchReading
from enactor.parting import is_known, may_go, not_listed, not_open, not_pointed_to
from enactor.records import ManagedType
from enactor.report import EXIT_FAILED, EXIT_USAGE


def add_to(group: click.Group) -> None:
    """Add the verbs to the command."""
    for command in (adopt, retire, disown, deinit, snapshot_):
        group.add_command(command)


@click.command()
@settings_options(*WITH_PLANS)
@click.argument("name", required=False)
@zone_option
@click.option("--all", "every", is_flag=True, help="Every foreign name that the newest plan lists in the zones.")
@click.option("--from-fleet", default=None, metavar="OTHER", help="Take names over that belong to this fleet.")
@click.option(
    "--snapshot",
    "snapshot_path",
    default=None,
    type=click.Path(dir_okay=False),
    help="Where the zone is written down before the first adopt (default: ZONE-before-adopt.json in the state directory, or here).",
)
@yes_option
@reason_option
@ending("enactor")
def adopt(
    *,
    name: str | None,
    zone: str | None,
    every: bool,
    from_fleet: str | None,
    snapshot_path: str | None,
    yes: bool,
    reason: str,
    **flags: Any,
) -> None:
    """Take a name whose record sets stand without our fence into the fleet, as it stands; with --all every such name."""
    if (name is None) == (not every):
        end(EXIT_USAGE, ["give one NAME, or --all"])
    settings = take_settings(flags, required=("fleet", "zones"))
    doors = logged(settings)
    hand = hand_of(doors, reason)
    only = zone_argument(zone) if zone else None
    places = _foreign(doors, only, from_fleet) if every else [Place(*place_of(doors, str(name), only))]
    if not places:
        click.echo("no name that the newest plan lists is foreign: nothing to adopt")
        return
    places = _previewed(hand, places, from_fleet, only_one=not every)
    if every:
        _ask_count(len(places), yes=yes)
    elif not yes and not click.confirm("adopt it?", default=False, err=True):
        end(EXIT_FAILED, ["not adopted; nothing was written"])
    zones = sorted({place.zone for place in places})
    for one in zones:
        _before_first_adopt(doors, one, snapshot_path if len(zones) == 1 else None)
    for place in places:
        carry_out(doors, "adopt", reason, place, partial(hand.adopt, place, from_fleet))


def _foreign(doors: Parts, only: str | None, from_fleet: str | None) -> list[Place]:
    """Return the names that the newest plan lists and that stand there without a fence of this fleet."""
    plan = newest(shelf_of(library(doors)), "adopt --all")
    found: list[Place] = []
    for zone in [only] if only else doors.settings.zones:
        fences = doors.zones.fences(zone, doors.settings.fleet).fences
        standing = {record.name for record in doors.zones.listing(zone) if record.type in get_args(ManagedType)}
        for name in sorted(plan.zone(zone)):
            fleet = getattr(fences[name].fence, "fleet", None) if name in fences else None
            if name in standing and (name not in fences or (from_fleet is not None and fleet == from_fleet)):
                found.append(Place(zone, name))
    return found


def _previewed(hand: EndpointOperator, places: list[Place], from_fleet: str | None, *, only_one: bool) -> list[Place]:
    """Say what will be done at each name, and leave out of many what cannot be adopted."""
    found = []
    for place in places:
        try:
            say_all(hand.adopt_preview(place, from_fleet))
        except NotDone as why:
            if only_one:
                raise
            click.echo(f"enactor: left out: {why}", err=True)
        else:
            found.append(place)
    if not found:
        raise NotDone("nothing is left to adopt")
    return found


def _ask_count(count: int, *, yes: bool) -> None:
    if not yes and click.prompt(f"adopt {count} names? type the number", err=True) != str(count):
        end(EXIT_FAILED, ["not adopted; nothing was written"])


def _before_first_adopt(doors: Parts, zone: str, told: str | None) -> None:
    """Write the zone down as it stood before anything in it was adopted; once that is written it is never written over."""
    path = Path(told or Path(doors.settings.state_dir or ".") / f"{zone}-before-adopt.json")
    if told is None and path.exists():
        return
    _write(path, msgspec.json.format(msgspec.json.encode(snapshot(wheel(doors, ""), zone)), indent=2))
    click.echo(f"zone {zone} as it stood before the first adopt is in {path}")


def _write(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        end(
            EXIT_FAILED, [f"{path} is there already, and is not written over: move it, or give --snapshot another name"]
        )
    except OSError as error:
        end(EXIT_FAILED, [f"{path} cannot be written: {error.strerror or error}; give another with --snapshot"])


@click.command()
@settings_options(*WITH_PLANS)
@name_argument
@zone_option
@click.option("--type", "of", default=None, type=click.Choice(get_args(ManagedType)), help="Take one type away alone.")
@click.option("--without-plan", is_flag=True, help="Go on where no plan can be read that would list the name.")
@yes_option
@reason_option
@ending("enactor")
def retire(
    *,
    name: str,
    zone: str | None,
    of: ManagedType | None,
    without_plan: bool,
    yes: bool,
    reason: str,
    **flags: Any,
) -> None:
    """Take a name away, the one way to remove it: its record sets go, and a tombstone stays that only `adopt` lifts.

    Refused while the newest plan lists the name, while it is held, and where an alias of the zone points to it.
    """
    doors, place = at(flags, name, zone)
    plans = library(doors)
    shelf = shelf_of(plans)
    switch = doors.zones.switch(place.zone, doors.settings.fleet)
    plan = may_go(plans, shelf, switch, place, of, without_plan=without_plan)
    hand = hand_of(doors, reason)
    say_all(hand.retire_preview(place, of))
    if of is None and hand.is_bare(place) and not is_known(plans, plan, place):
        click.echo(f"nothing stands at {place.name}, and no plan at hand speaks of it: is the name right?", err=True)
    if not yes and click.prompt("type the name again to retire it", err=True).rstrip(".") != place.name.rstrip("."):
        end(EXIT_FAILED, ["not retired; nothing was written"])
    generation = plan.stored.generation if plan else 0

    def judge(memory: ZoneMemory) -> None:
        may_go(plans, plans.look(), memory.switch, place, of, without_plan=without_plan)
        not_pointed_to(plans, memory, place, of, without_plan=without_plan)

    carry_out(doors, "retire", reason, place, partial(hand.retire, place, of, generation, judge))


@click.command()
@settings_options(*WITH_PLANS)
@name_argument
@zone_option
@yes_option
@reason_option
@ending("enactor")
def disown(*, name: str, zone: str | None, yes: bool, reason: str, **flags: Any) -> None:
    """Let a name go without touching its record sets: its fence is deleted, and nobody minds it from then on.

    A name that the newest plan lists is refused: publish a plan that lists it under retired first.
    """
    doors, place = at(flags, name, zone)
    plans = library(doors)
    shelf_of(plans)

    def judge(switch: SwitchReading) -> None:
        not_listed(plans.look(), place, None, without_plan=True)
        not_open(plans, switch, place, None, without_plan=True)

    judge(doors.zones.switch(place.zone, doors.settings.fleet))
    hand = hand_of(doors, reason)
    say_all(hand.disown_preview(place))
    if not yes and not click.confirm("disown it?", default=False, err=True):
        end(EXIT_FAILED, ["not disowned; nothing was written"])
    carry_out(doors, "disown", reason, place, partial(hand.disown, place, judge))


@click.command()
@settings_options(*BY_HAND)
@zone_option
@yes_option
@reason_option
@ending("enactor")
def deinit(*, zone: str | None, yes: bool, reason: str, **flags: Any) -> None:
    """Take a whole zone out of the fleet without touching a record set: its fences go, then its switch. Stop it first."""
    if zone is None:
        end(EXIT_USAGE, ["no zone is told: give --zone"])
    settings = take_settings(flags, required=("fleet",))
    doors, place = logged(settings), zone_argument(zone)
    hand = Leaver(wheel(doors, reason))
    say_all(hand.preview(place))
    if not yes and click.prompt("type the zone's id again", err=True) != place:
        end(EXIT_FAILED, ["nothing was written"])
    each(doors, "deinit", reason, [place], hand.deinit)


@click.command("snapshot")
@settings_options(*BY_HAND)
@zone_option
@ending("enactor")
def snapshot_(*, zone: str | None, **flags: Any) -> None:
    """Print every record set of a zone as JSON, to be kept and restored by hand."""
    settings = take_settings(flags, required=("fleet",))
    doors = parts(settings)
    for one in chosen(settings, zone):
        click.echo(msgspec.json.format(msgspec.json.encode(snapshot(wheel(doors, ""), one)), indent=2))

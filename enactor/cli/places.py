"""What the verbs about endpoints share on the command line: the endpoint a person named, and the plans at hand."""

from collections.abc import Callable, Iterable
from typing import Any

import click

from enactor.cli.build import Parts, place_of, wheel
from enactor.cli.options import take_settings
from enactor.cli.verbs import BY_HAND, logged, recorded, tell, zone_argument
from enactor.endpoint_verbs import EndpointOperator, Place
from enactor.insist import NotDone
from enactor.library import Library, Shelf
from enactor.plan_index import PlanIndex
from enactor.wheel import Done

WITH_PLANS = (*BY_HAND, "state-dir", "plan-mirror")
yes_option = click.option("--yes", is_flag=True, help="Do not ask back.")
name_argument = click.argument("name")


def at(flags: dict[str, Any], name: str, zone: str | None) -> tuple[Parts, Place]:
    """Return the doors, and the endpoint that a person named."""
    only = zone_argument(zone) if zone else None
    settings = take_settings(flags, required=("fleet",) if only else ("fleet", "zones"))
    doors = logged(settings)
    return doors, Place(*place_of(doors, name, only))


def hand_of(doors: Parts, reason: str) -> EndpointOperator:
    """Return a person at one endpoint."""
    return EndpointOperator(wheel(doors, reason))


def carry_out(doors: Parts, verb: str, reason: str, place: Place, do: Callable[[], Done]) -> None:
    """Do a verb at one endpoint, record it, and say what it did."""
    tell(recorded(doors, verb, reason, place.zone, do, name=place.name))


def shelf_of(plans: Library) -> Shelf:
    """Look for plans and say what cannot be read; a table that no setting names is one that cannot be read."""
    shelf = plans.look()
    for problem in shelf.problems:
        click.echo(f"enactor: {problem}", err=True)
    return shelf


def newest(shelf: Shelf, what: str) -> PlanIndex:
    """Return the newest plan at hand; raise where there is none."""
    if not shelf.candidates:
        raise NotDone(f"no plan is at hand for `enactor {what}`: name the table, or a --state-dir that has kept one")
    return shelf.candidates[0]


def say_all(lines: Iterable[str]) -> None:
    """Say some lines."""
    for one in lines:
        click.echo(one)

"""The commands that go back to an old plan, and keep one from being collected: republish, pin, unpin."""

from datetime import UTC, datetime
from typing import Literal

import click

from enactor.cli.build import parts
from enactor.cli.history import remember
from enactor.cli.options import told
from enactor.fence import instant_text
from enactor.hooks import VerbEnded
from enactor.logs import logger, person_log
from enactor.outside import SystemChance, SystemClock
from enactor.settings import Settings
from planner.commands_publish import ended, tell, with_mirror
from planner.commands_table import read_stored
from planner.mirroring import mirrored
from planner.options import generation_type, json_option, open_table, with_settings
from planner.publisher import Signature
from planner.publisher import publish as publish_plan
from planner.publishing import Wish

why_option = click.option(
    "--reason", required=True, metavar="TEXT", help="Why, for people who look at the table later."
)


@click.command()
@click.argument("generation", type=generation_type)
@with_settings("table", "fleet", "id", "plan-mirror", required=("table", "fleet"))
@why_option
@json_option
def republish(generation: int, settings: Settings, reason: str, as_json: bool) -> None:
    """Go back to an old plan: its content becomes the next generation, through the same guards. Nothing ever runs backwards.

    It stays: a `planner run` publishes nothing more until a person gives `planner publish FLEET.yaml`.
    """
    with told("planner", as_json=as_json):
        table = open_table(settings, settings.fleet)
        published = publish_plan(
            table,
            read_stored(table, generation).plan,
            Wish(stays=f"generation {generation} again", looks_back=True),
            settings.limits,
            signature=Signature(settings.id, reason, instant_text(datetime.now(UTC))),
            clock=SystemClock(),
            chance=SystemChance(),
            source=generation,
        )
        published = with_mirror(published, mirrored(settings, settings.fleet, table, published.head))
    _told(settings, ended(published, settings.fleet, reason, verb="republish"))
    by_file = f"`planner show {generation} > plan.json`, and `planner publish --plan plan.json --unguarded`"
    tell(published, as_json=as_json, unguarded=by_file)


@click.command()
@click.argument("generation", type=generation_type)
@with_settings("table", "fleet", "id", required=("table", "fleet"))
@why_option
def pin(generation: int, settings: Settings, reason: str) -> None:
    """Keep a plan from being collected until it is unpinned."""
    with told("planner"):
        now = instant_text(datetime.now(UTC))
        open_table(settings, settings.fleet).pin(generation, reason=reason, by=settings.id, created_at=now)
    _say("pin", settings, reason, f"generation {generation} is pinned: no collect deletes it", generation)


@click.command()
@click.argument("generation", type=generation_type)
@with_settings("table", "fleet", "id", required=("table", "fleet"))
@click.option("--reason", default="", metavar="TEXT", help="Why, for people who read the log later.")
def unpin(generation: int, settings: Settings, reason: str) -> None:
    """Take a pin away; fine where there is none."""
    with told("planner"):
        table = open_table(settings, settings.fleet)
        was_pinned = generation in table.pins()
        table.unpin(generation)
    sentence = (
        f"generation {generation} is no longer pinned" if was_pinned else f"generation {generation} was not pinned"
    )
    _say("unpin", settings, reason, sentence, generation, outcome="changed" if was_pinned else "unchanged")


def _say(
    verb: str,
    settings: Settings,
    reason: str,
    sentence: str,
    generation: int,
    *,
    outcome: Literal["changed", "unchanged"] = "changed",
) -> None:
    made = VerbEnded(
        verb=verb, fleet=settings.fleet, outcome=outcome, reason=reason, detail=sentence, generation=generation
    )
    _told(settings, made)
    click.echo(sentence)


def _told(settings: Settings, made: VerbEnded) -> None:
    """Log what a person did, and remember it in the table's history with the caller's ARN."""
    person_log(logger(planner=settings.id))(made)
    remember(parts(settings), made, program="planner")

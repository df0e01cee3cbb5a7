"""`enactor sandbox` and `enactor replay`: they need the sandbox extra, and say so in one sentence where it is not installed."""

import importlib
from pathlib import Path
from typing import Any

import click

from enactor.cli.options import end
from enactor.report import EXIT_FAILED

MISSING = "this command needs the sandbox: install it with `pip install 'enactor[sandbox]'`"


def add_to(group: click.Group) -> None:
    """Add the commands."""
    for command in (sandbox, demo, replay):
        group.add_command(command)


def needed(module: str) -> Any:
    """Import a module of the sandbox extra."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] in {"moto", "dns", "werkzeug", "flask"}:
            end(EXIT_FAILED, [MISSING])
        raise


@click.command()
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="HTTP port (default: a free one).")
@click.option(
    "--dns-port", default=0, type=click.IntRange(0, 65535), help="DNS port, UDP and TCP (default: a free one)."
)
@click.option("--zone-name", "zone_names", multiple=True, help="Make a hosted zone of this name; may be given again.")
@click.option("--world", is_flag=True, help="With the example fleet published and three enactors running on it.")
def sandbox(*, port: int, dns_port: int, zone_names: tuple[str, ...], world: bool) -> None:
    """Run an embedded Route 53, DynamoDB, S3 and DNS on loopback until Ctrl-C."""
    main = needed("enactor.sandbox.main")
    if world:
        if zone_names:
            raise click.UsageError("--world has a zone of its own; leave --zone-name out")
        end(main.run_world(port=port, dns_port=dns_port))
    end(main.run_sandbox(port=port, dns_port=dns_port, zones=dict.fromkeys(zone_names)))


@click.command()
def demo() -> None:
    """Play the main job on a sandbox: publish, apply, refuse, heal, stop, and October 2025; ends by itself.

    Exit status: 0 only where every step was seen to hold.
    """
    end(needed("enactor.sandbox.demo").run_demo())


@click.group()
def replay() -> None:
    """Play an outage of the past, by its own rules and by ours."""


@replay.command()
@click.option(
    "--without",
    "protections",
    multiple=True,
    type=click.Choice(["fence", "gate", "collect-check"]),
    help="Take one protection out of the real enactors for this replay, and show what breaks (exit status 1).",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, writable=True),
    help="Write both acts as one page to step through: what each actor believed, and what clients were answered.",
)
def october(*, protections: tuple[str, ...], html: str | None) -> None:
    """Play 19 October 2025 on a sandbox: first the automation of that day, then the real enactors, delayed at the same points.

    Exit status: 0 where the first ends empty and stuck, as it did, and the second keeps every promise; 1 otherwise.
    """
    asked = list(dict.fromkeys(protections))
    if len(asked) > 1:
        named = " and ".join(f"--without {protection}" for protection in asked)
        raise click.UsageError(f"{named} exclude each other: with one protection out, what breaks is its doing")
    if html and not Path(html).absolute().parent.is_dir():
        raise click.UsageError(f"--html {html}: there is no directory {Path(html).parent}; make it first")
    end(needed("enactor.replay.october").replay(asked[0] if asked else None, html))

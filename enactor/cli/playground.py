"""`enactor sandbox`: it needs the sandbox extra, and says so in one sentence where that is not installed."""

import importlib
from typing import Any

import click

from enactor.cli.options import end
from enactor.report import EXIT_FAILED

MISSING = "this command needs the sandbox: install it with `pip install 'enactor[sandbox]'`"


def add_to(group: click.Group) -> None:
    """Add the commands."""
    group.add_command(sandbox)


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
def sandbox(*, port: int, dns_port: int, zone_names: tuple[str, ...]) -> None:
    """Run an embedded Route 53, DynamoDB, S3 and DNS on loopback until Ctrl-C."""
    main = needed("enactor.sandbox.main")
    end(main.run_sandbox(port=port, dns_port=dns_port, zones=dict.fromkeys(zone_names)))

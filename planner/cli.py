"""The `planner` command. Each command reads its options, calls a pure decision or its shell, and prints what came of it.

Exit status: 0 well; 1 failed, or wrong in form; 2 wrong usage; 3 a guard kept something back.
"""

import click

from enactor import __version__
from planner.commands_dry_run import dry_run
from planner.commands_file import check, compile_, schema
from planner.commands_publish import publish
from planner.commands_table import diff, list_, show


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="planner")
def main() -> None:
    """Turn a fleet of load balancers into numbered, immutable plans."""


for _command in (check, compile_, dry_run, publish, list_, show, diff, schema):
    main.add_command(_command)

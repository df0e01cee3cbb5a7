"""The `planner` command. Each command reads its options, calls a pure decision or its shell, and prints what came of it.

Exit statuses are in the help of `main`, for people to see.
"""

import click

from enactor.cli.options import version_option
from planner.commands_dry_run import dry_run
from planner.commands_file import check, compile_, schema
from planner.commands_import import import_
from planner.commands_keep import pin, republish, unpin
from planner.commands_publish import publish
from planner.commands_run import run
from planner.commands_table import diff, list_, show


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@version_option
def main() -> None:
    """Turn a fleet of load balancers into numbered, immutable plans.

    \b
    Exit status, the worst wins:
      0  all is well
      1  something failed, cannot be read, or is wrong in form
      2  wrong usage
      3  a guard kept something back (publish), or the fleet file cannot say something (import)

    dry-run exits 0 or 1, also where guards refuse; with --detailed-exitcode 0 nothing would change, 2 something would,
    3 something is refused.
    """  # noqa: D301 - the backspace is click's sign to leave the lines as they are


for _command in (check, compile_, import_, dry_run, publish, run, republish, list_, show, diff, pin, unpin, schema):
    main.add_command(_command)

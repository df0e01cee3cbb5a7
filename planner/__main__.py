"""`python -m planner` is the command `planner`, and where it begins."""

from collections.abc import Callable
from typing import Any, NoReturn

from enactor.cli.entry import run


def planner() -> NoReturn:
    """Run the command `planner`."""

    def load() -> Callable[..., Any]:
        from planner.cli import main  # noqa: PLC0415 - after Ctrl-C was given its plain meaning

        return main

    run("planner", load)


if __name__ == "__main__":
    planner()

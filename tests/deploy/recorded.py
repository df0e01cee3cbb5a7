"""Run a command with every call to AWS written down: botocore's one way out, before anything is sent.

python -m tests.deploy.recorded FILE enactor run --every 1s
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from botocore.client import BaseClient

from enactor.cli.main import main as enactor
from planner.cli import main as planner

CLIENT: Any = BaseClient
"""Its stubs do not show the one way out."""

Heard = Callable[[str, str, dict[str, Any]], None]


@contextmanager
def heard(told: Heard) -> Iterator[None]:
    """Tell of each call: its service, operation and parameters."""
    send = CLIENT._make_api_call

    def record(self: Any, operation_name: str, api_params: dict[str, Any]) -> Any:
        told(self.meta.service_model.service_name, operation_name, api_params)
        return send(self, operation_name, api_params)

    CLIENT._make_api_call = record
    try:
        yield
    finally:
        CLIENT._make_api_call = send


def main() -> None:
    """Run the command that is told, and write a line for each call."""
    path, program, *words = sys.argv[1:]
    sys.argv = [program, *words]
    with Path(path).open("a", encoding="utf-8", buffering=1) as file:

        def told(service: str, operation: str, params: dict[str, Any]) -> None:
            file.write(json.dumps([service, operation, params], default=_binary) + "\n")

        with heard(told):
            {"enactor": enactor, "planner": planner}[program]()


def _binary(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else str(value)


if __name__ == "__main__":
    main()

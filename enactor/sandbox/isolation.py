"""Keep a process on the sandbox and off every real account: the environment to run in, whatever the person's shell holds."""

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

FOREIGN_PREFIXES = ("AWS_", "ENACTOR_")
NO_FILE = os.devnull
"""A shell's profile could name a role, a region or an endpoint of its own."""


def isolated(sandbox: Mapping[str, str], told: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment without anything about AWS or an enactor, and with the sandbox's and what is told."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN_PREFIXES)}
    return {**own, "AWS_CONFIG_FILE": NO_FILE, "AWS_SHARED_CREDENTIALS_FILE": NO_FILE, **sandbox, **told}


@contextmanager
def inside(environment: Mapping[str, str]) -> Iterator[None]:
    """Make an environment this process's own for a while."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def shell_lines(variables: Mapping[str, str]) -> list[str]:
    """Return what to type so that a shell finds our commands, and this AWS and no other."""
    return [
        f"  export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH",
        "  unset AWS_PROFILE AWS_SESSION_TOKEN",
        *(f"  export {name}={shlex.quote(value)}" for name, value in variables.items()),
    ]

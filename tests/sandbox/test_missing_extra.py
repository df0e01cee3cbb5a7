"""An installation without the sandbox extra: the commands that need it say so, and everything else works."""

import subprocess
import sys

import pytest

from enactor.cli.playground import MISSING

BLOCKED = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"moto", "dns", "werkzeug", "flask"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Absent())
from enactor.cli.main import main
main(prog_name="enactor")
"""
"""`enactor` where nothing that only the sandbox extra brings can be imported."""


def enactor(*words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, *words], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", ["sandbox", "sandbox --world", "demo", "replay october"])
def test_without_the_sandbox_extra_one_sentence_says_how_to_install_it(command: str) -> None:
    """Exit status 1, that sentence on stderr, and nothing else: no stack trace."""
    assert enactor(*command.split()) == (1, "", f"{MISSING}\n")
    assert "pip install 'enactor[sandbox]'" in MISSING


def test_without_the_sandbox_extra_the_rest_works() -> None:
    """A production installation leaves it out."""
    status, stdout, stderr = enactor("--help")
    assert (status, stderr) == (0, "")
    assert all(command in stdout for command in ("once", "run", "survey", "demo"))

"""How the commands end where a person or the machine gets in the way: in a sentence or in silence, never in a stack trace."""

import signal
import subprocess
import sys
from pathlib import Path


def test_ctrl_c_while_the_command_is_still_loading_is_no_stack_trace() -> None:
    """The parser and the SDK take a second to import, and people are quicker."""
    program = (
        "import os, signal\n"
        "from enactor.cli.entry import run\n"
        "run('enactor', lambda: os.kill(os.getpid(), signal.SIGINT))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, b"")


def test_an_output_that_cannot_be_written_is_one_sentence() -> None:
    """A full disk, told with its reason."""
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "planner", "schema", "plan"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ended.returncode == 1
    assert ended.stderr == b"planner: the output could not be written: No space left on device\n"


def test_a_closed_output_is_nobody_to_tell() -> None:
    """Started with `>&-`."""
    ended = subprocess.run(
        f"{sys.executable} -m planner schema plan >&-", shell=True, stderr=subprocess.PIPE, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_reader_that_has_enough_is_no_stack_trace() -> None:
    """`| head -1`."""
    command = f"{sys.executable} -m planner schema fleet | head -1"
    ended = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert (ended.stdout, ended.stderr) == (b"{\n", b"")

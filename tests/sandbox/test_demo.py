"""`enactor demo` and `enactor sandbox --world` as a person runs them: as processes, to their end."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from enactor.sandbox.ask import ask_until_steady

PATIENCE_SECONDS = 240.0
"""The demo takes about a minute; the machine may have other work."""


@contextmanager
def command(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Start the command in a process group of its own, and end the whole group whatever happens.

    Into a pipe, and without the variable that would hide output which nobody flushes.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "enactor", *words],
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            yield running
        finally:
            if is_alive(running.pid):
                os.killpg(running.pid, signal.SIGKILL)


def is_alive(group: int) -> bool:
    """Tell whether any process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def lines_until(running: subprocess.Popen[str], text: str) -> str:
    """Read output until a line holds a text, or until it ends."""
    assert running.stdout is not None
    said = ""
    for line in running.stdout:
        said += line
        if text in line:
            break
    return said


@pytest.mark.timeout(300)
def test_every_step_of_the_demo_holds_and_no_process_is_left() -> None:
    """Exit status 0, every step said to hold in its order, and the process group is empty afterwards.

    The enactors end before the replay, the one step that needs the whole machine.
    """
    with command("demo") as demo:
        said, _ = demo.communicate(timeout=PATIENCE_SECONDS)
        assert demo.returncode == 0, said
        assert not is_alive(demo.pid)
    titles = re.findall(r"^(\d+)\. (.+)$", said, re.MULTILINE)
    assert [int(number) for number, _ in titles] == list(range(1, 12))
    assert [title for _, title in titles[-2:]] == ["The enactors are told to end", "October 2025 is played again"]
    assert len(re.findall(r"^   held$", said, re.MULTILINE)) == 11
    assert "All 11 steps held" in said


def test_a_demo_that_is_told_to_end_leaves_no_process() -> None:
    """SIGTERM in the middle of it, with three enactors at work, ends all of them."""
    with command("demo") as demo:
        lines_until(demo, "Five load balancers")
        demo.send_signal(signal.SIGTERM)
        demo.communicate(timeout=PATIENCE_SECONDS)
        assert demo.returncode == 128 + signal.SIGTERM
        assert not is_alive(demo.pid)


def test_the_world_stays_up_answers_and_ends_cleanly() -> None:
    """The example fleet is published and in force, what to try is printed, and SIGTERM ends it with status 0."""
    with command("sandbox", "--world") as world:
        said = lines_until(world, "Ctrl-C")
        found = re.search(r"dig @(\S+) -p (\d+) (\S+) A", said)
        assert found is not None, said
        server = (found[1], int(found[2]))
        addresses: set[str] = set()
        while len(addresses) < 5 and world.poll() is None:  # ends: by the answers, or by pytest's time limit
            addresses.update(ask_until_steady(server, found[3]).addresses)
        world.send_signal(signal.SIGTERM)
        world.communicate(timeout=PATIENCE_SECONDS)
        assert world.returncode == 0
        assert not is_alive(world.pid)

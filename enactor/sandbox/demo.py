"""`enactor demo`: the main job from beginning to end, on a sandbox of its own; each step says what was expected and what was seen.

Ends by itself, with exit status 0 only if every step held, and leaves nothing behind: no process, no file, no account touched.
"""

import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console
from rich.text import Text

from enactor.cli.views import console
from enactor.report import EXIT_FAILED, EXIT_OK
from enactor.sandbox.demo_steps import STEPS, Facts
from enactor.sandbox.world import World

ENDED_BY_SIGNAL: Final = 128
INDENT_COLUMNS: Final = 13
MISHAPS: Final = (OSError, ValueError, LookupError, subprocess.SubprocessError, BotoCoreError, ClientError)
"""What a step may meet when the world is not as it should be: then it did not hold."""


def run_demo() -> int:
    """Play every step until one does not hold; return the exit status."""
    out = console()
    before = signal.signal(signal.SIGTERM, _end)
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="enactor-demo-") as folder, World(Path(folder)) as world:
            held = _play(out, Facts(world, out.width - INDENT_COLUMNS))
    finally:
        signal.signal(signal.SIGTERM, before)
    seconds = time.monotonic() - began
    if held:
        out.print(Text(f"All {len(STEPS)} steps held, in {seconds:.0f} s.", "bold green"))
        return EXIT_OK
    return EXIT_FAILED


def _play(out: Console, facts: Facts) -> bool:
    for number, step in enumerate(STEPS, start=1):
        out.print(Text(f"{number}. {step.title}", "bold"))
        out.print(f"   expected  {step.expected}")
        try:
            seen, held = step.play(facts)
        except MISHAPS as error:
            seen, held = f"{type(error).__name__}: {error}", False
        for index, line in enumerate(seen.splitlines()):
            out.print(Text(f"   {'seen' if index == 0 else '':8}  {line}", no_wrap=True))
        out.print(Text("   held" if held else "   DID NOT HOLD", "green" if held else "bold red"))
        out.print()
        if not held:
            for line in facts.world.last_log_lines():
                out.print(Text(line, "dim"))
            return False
    return True


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(ENDED_BY_SIGNAL + signal.SIGTERM)

"""Check the protocol's model with spin: every variant against what is expected of it.

A variant is one of the two models with some preprocessor defines: its bounds, and, where it is expected to fail, the protection
that is taken out. `python3 tests/model/check.py` runs them all; names as arguments run those whose name contains one of them.
docs/model.md says what is modelled and what is not.

Nothing is sampled: every search is exhaustive within its bounds. A search that did not end is never counted as "holds".
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).resolve().parent
TOOLS: Final = ("spin", "gcc")
AT_ONCE: Final = 2
MEMORY_MAX_MB: Final = 1_900
"""For each of the two searches that run at once."""
DEPTH_MAX: Final = 200_000
SEARCH_LIMIT_SECONDS: Final = 280
LIMITS: Final = ("-DNOREDUCE", "-DNOBOUNDCHECK", f"-DMEMLIM={MEMORY_MAX_MB}")
"""No partial order reduction: every step touches what all can see, so there is nothing to reduce."""
TRAIL_LINES_MAX: Final = 40
TRAIL_WIDTH: Final = 150

NEVER_EMPTY: Final = "never empty"
NEVER_BACKWARDS: Final = "never backwards"
WHOLE: Final = "whole"
NEVER_COLLECT: Final = "never collect"
NEVER_STUCK: Final = "never stuck"
STOP_MEANS_STOP: Final = "stop means stop"


class Failed(Exception):  # noqa: N818 - the reader sees the sentence
    """A tool did not do its work."""


class Variant(NamedTuple):
    """One search: which model, with which bounds, and the promise that is expected to break, if any."""

    name: str
    model: str
    bounds: str
    breaks: str = ""
    without: str = ""
    """The defines that take a protection out."""
    fair: bool = False
    """Whether this is the liveness claim, searched for a cycle under weak fairness."""

    @property
    def defines(self) -> list[str]:
        """Return what spin's preprocessor is told."""
        told = [*self.bounds.split(), *self.without.split(), *(["LIVENESS"] if self.fair else [])]
        return [f"-D{one}" for one in told]


class Result(NamedTuple):
    """What a search has found."""

    verdict: str
    states: str
    depth: str
    memory_mb: str
    seconds: float
    trail: tuple[str, ...]


TREE_2025: Final = "NG=4 NT=4 COLLECTS=1 HOLDS=0"
VARIANTS: Final = (
    # The tree layout, as built in 2025, and with some protections only.
    Variant("tree/october, as in 2025", "tree", TREE_2025, NEVER_EMPTY, "OCTOBER NO_CONDEMN"),
    Variant("tree/october, as in 2025: and then", "tree", TREE_2025, NEVER_STUCK, "OCTOBER NO_CONDEMN STUCK"),
    Variant("tree/october, fence, clean-up by age", "tree", "NG=3", NEVER_COLLECT, "NO_CONDEMN BY_AGE"),
    Variant("tree/october, fence, look then delete", "tree", "NG=3", NEVER_COLLECT, "NO_CONDEMN"),
    Variant("tree/october, sets counted before fences", "tree", "NG=3 COLLECTS=2", WHOLE, "SETS_FIRST"),
    Variant("tree/october, put back to live", "tree", "NG=4", WHOLE, "PUT_BACK_TO_LIVE LIVE_IS_WHOLE=true"),
    Variant("tree/october, sweep without condemn", "tree", "NG=3", NEVER_COLLECT, "UPLOADS SWEEP_WITHOUT_CONDEMN"),
    Variant(
        "tree/rollback by hand, delete without alias",
        "tree",
        "NG=3 DEEDS=1 BY_HAND",
        NEVER_EMPTY,
        "DELETE_WITHOUT_ALIAS",
    ),
    Variant(
        "tree/rollback by hand, look at aliases only",
        "tree",
        "NG=3 DEEDS=1 BY_HAND",
        NEVER_COLLECT,
        "LOOK_AT_ALIASES_ONLY",
    ),
    Variant("tree/wiped, look at fences only", "tree", "NG=3 DEEDS=1", NEVER_COLLECT, "LOOK_AT_FENCES_ONLY"),
    Variant(
        "tree/stop-and-start, collect without switch", "tree", "NG=3 STOPS=1", STOP_MEANS_STOP, "COLLECT_WITHOUT_SWITCH"
    ),
    Variant("tree/october, only collect puts back", "tree", "NG=3", NEVER_STUCK, "NO_TAKE_BACK", fair=True),
    # The tree layout with everything on.
    Variant("tree/october", "tree", "NG=4 NT=3 HOLDS=1 COLLECTS=2"),
    Variant("tree/october, two held", "tree", "NG=4 HOLDS=2 COLLECTS=2"),
    Variant("tree/all together, stopped", "tree", "NG=3 NE=2 HOLDS=1 COLLECTS=2 UPLOADS REFUSED_WHOLE=3 STOPS=1"),
    Variant("tree/all together, wiped", "tree", "NG=3 NE=2 HOLDS=0 COLLECTS=1 UPLOADS REFUSED_WHOLE=3 DEEDS=1"),
    Variant("tree/refused", "tree", "NG=4 HOLDS=1 COLLECTS=1 REFUSED_WHOLE=3 REFUSED_AT=4 DEEDS=1"),
    Variant("tree/rollback by hand", "tree", "NG=3 HOLDS=1 COLLECTS=2 DEEDS=1 BY_HAND"),
    Variant("tree/collect without switch, no stop", "tree", "NG=4 HOLDS=1 COLLECTS=2 COLLECT_WITHOUT_SWITCH"),
    Variant("tree/october, in the end", "tree", "NG=3 COLLECTS=0 HOLDS=1 CRASH", fair=True),
    Variant("tree/wiped, in the end", "tree", "NG=3 COLLECTS=0 HOLDS=0 CRASH DEEDS=1", fair=True),
    Variant("tree/refused, in the end", "tree", "NG=3 COLLECTS=0 HOLDS=1 REFUSED_WHOLE=3 STOPS=1", fair=True),
    # The direct layout, one protection out at a time.
    Variant("direct/nothing-new, no opening alone", "direct", "NG=3 CHOICES=2", NEVER_BACKWARDS, "NO_EMPTY_OPENING"),
    Variant("direct/stop-and-start, no switch nonce", "direct", "NG=2 STOPS=1", STOP_MEANS_STOP, "NO_SWITCH_NONCE"),
    Variant("direct/wiped, no fence CAS", "direct", "NG=2 DEEDS=1", WHOLE, "NO_FENCE_CAS"),
    Variant("direct/rewritten, sets before fences", "direct", "NG=3 HOLDS=0", WHOLE, "SETS_FIRST"),
    Variant("direct/keeps-one, no survivors", "direct", "NG=2 DEEDS=1", NEVER_EMPTY, "NO_SURVIVORS"),
    Variant("direct/october, collect below the open", "direct", "NG=3 COLLECTS=1", NEVER_COLLECT, "NO_ABOVE"),
    Variant("direct/october, collect without look", "direct", "NG=3 CHOICES=2 COLLECTS=1", NEVER_COLLECT, "NO_LOOK"),
    Variant(
        "direct/pinned, no condemn", "direct", "NG=3 CHOICES=2 HOLDS=0 COLLECTS=1 PINS", NEVER_COLLECT, "NO_CONDEMN"
    ),
    # The direct layout with everything on.
    Variant("direct/october", "direct", "NG=4 HOLDS=1 CHOICES=3"),
    Variant("direct/x-y-x, two held", "direct", "NG=3 HOLDS=2 CHOICES=4"),
    Variant("direct/stop-and-start, wiped", "direct", "NG=3 HOLDS=1 CHOICES=3 STOPS=1 DEEDS=1"),
    Variant("direct/by-memory, wiped", "direct", "NG=3 HOLDS=1 CHOICES=3 BY_MEMORY DEEDS=1"),
    Variant("direct/refused", "direct", "NG=3 HOLDS=1 CHOICES=3 REFUSED_WHOLE=3 REFUSED_AT=2 DEEDS=1"),
    Variant(
        "direct/two-collectors, pinned", "direct", "NG=3 HOLDS=1 CHOICES=2 COLLECTS=2 TWO_COLLECTORS PINS REFUSED_AT=2"
    ),
    Variant("direct/wiped, in the end", "direct", "NG=2 HOLDS=1 CHOICES=3 CRASH DEEDS=1", fair=True),
    Variant("direct/refused, in the end", "direct", "NG=3 CHOICES=2 REFUSED_WHOLE=3 REFUSED_AT=2 STOPS=1", fair=True),
)


def compiled(variant: Variant, directory: Path) -> Path:
    """Make the verifier of a variant. What is expected to fail is searched breadth first, so that its trail is a shortest one."""
    flags = ["-DNFAIR=3"] if variant.fair else ["-DSAFETY", "-DNOFAIR", *(["-DBFS"] if variant.breaks else [])]
    # Breadth first knows no hidden variables: there the scratch variables are part of the state, which only adds states.
    hidden = ["-Dhidden="] if variant.breaks and not variant.fair else []
    source = f"{variant.model}.pml"
    shutil.copy(HERE / source, directory)  # the trail is written beside the source that spin was given
    _done(["spin", "-a", *variant.defines, *hidden, source], directory)
    _done(["gcc", "-O2", "-w", *flags, *LIMITS, "-o", "pan", "pan.c"], directory)
    return directory / "pan"


def search(variant: Variant) -> Result:
    """Search one variant, whole."""
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="spin-") as name:
            return _searched(variant, Path(name), began)
    except subprocess.TimeoutExpired:
        why = f"no end in {SEARCH_LIMIT_SECONDS} s"
    except Failed as failed:
        why = str(failed)
    return Result(why, "", "", "", time.monotonic() - began, ())


def _searched(variant: Variant, directory: Path, began: float) -> Result:
    pan = compiled(variant, directory)
    said = _output([str(pan), f"-m{DEPTH_MAX}", *(["-a", "-f"] if variant.fair else [])], directory)
    seconds = time.monotonic() - began
    trail: tuple[str, ...] = ()
    if _number(said, r"errors: (\d+)") not in {"", "0"}:
        trail = tuple(timeline(_output([str(pan), "-r"], directory).splitlines()))
    return Result(
        verdict=verdict(said, trail),
        states=_number(said, r"(\d+) states, stored"),
        depth=_number(said, r"depth reached (\d+)"),
        memory_mb=_number(said, r"(\d+)\.\d+\ttotal actual memory"),
        seconds=seconds,
        trail=trail,
    )


def _done(command: Sequence[str], directory: Path) -> None:
    """Run a tool that must succeed."""
    done = subprocess.run(command, cwd=directory, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{command[0]} ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}")


def _output(command: Sequence[str], directory: Path) -> str:
    done = subprocess.run(
        command, cwd=directory, check=False, capture_output=True, text=True, timeout=SEARCH_LIMIT_SECONDS
    )
    if done.returncode < 0:
        raise Failed(f"{Path(command[0]).name} was ended by signal {-done.returncode}")
    return done.stdout + done.stderr


def _number(said: str, pattern: str) -> str:
    found = re.search(pattern, said)
    return found.group(1) if found else ""


def verdict(said: str, trail: Sequence[str]) -> str:
    """Read what a search has said. What it could not search whole is no proof."""
    errors = _number(said, r"errors: (\d+)")
    if errors == "":
        return "no verdict"
    if errors != "0":
        if "acceptance cycle" in said:
            return f"breaks {NEVER_STUCK}"
        broken = [line for line in trail if line.startswith("BROKEN ")]
        return f"breaks {broken[-1].removeprefix('BROKEN ').split(':')[0]}" if broken else "breaks an assertion"
    if re.search(r"Search not completed|max search depth too small|out of memory|memory limit|aborting", said):
        return "not searched whole"
    return "holds"


def timeline(lines: Iterable[str]) -> list[str]:
    """Return the events of a trail, what one enactor does without a break on one line; of a cycle, each event once."""
    told = list(lines)
    found = [line.split("@@ ", 1)[1].strip() for line in told if "@@ " in line]
    is_cycle = any("START OF CYCLE" in line for line in told)
    events: list[str] = []
    for event in dict.fromkeys(found) if is_cycle else found:
        actor = re.match(r"enactor \w ", event)
        if actor and events and events[-1].startswith(actor.group()) and len(events[-1]) + len(event) < TRAIL_WIDTH:
            events[-1] += "; " + event.removeprefix(actor.group())
        else:
            events.append(event)
    return [*events, "and so on, for ever"] if is_cycle else events


def expected(variant: Variant) -> str:
    """Return the verdict that is expected."""
    return f"breaks {variant.breaks}" if variant.breaks else "holds"


def row(cells: Sequence[str]) -> str:
    """Return one line of the table."""
    widths = (44, 22, 22, 11, 7, 7, 7)
    right = cells[3:7]
    left = [f"{cell:<{width}}" for cell, width in zip(cells[:3], widths[:3], strict=True)]
    return " ".join(
        [*left, *(f"{cell:>{width}}" for cell, width in zip(right, widths[3:], strict=True)), " ", *cells[7:]]
    )


def main(wanted: Sequence[str]) -> int:
    """Run the variants, print the table and the trails, and return the exit status."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"{' and '.join(missing)} not found: install with `apt-get install -y spin gcc`", file=sys.stderr)
        return 2
    chosen = [one for one in VARIANTS if not wanted or any(part in one.name for part in wanted)]
    if not chosen:
        print("no variant has such a name", file=sys.stderr)
        return 2
    print(row(("variant", "expected", "verdict", "states", "depth", "MB", "seconds", "bounds; what is taken out")))
    results: list[tuple[Variant, Result]] = []
    began = time.monotonic()
    with ThreadPoolExecutor(min(AT_ONCE, os.cpu_count() or 1)) as pool:
        for variant, result in zip(chosen, pool.map(search, chosen), strict=True):
            results.append((variant, result))
            told = (
                variant.bounds
                + (f"; {variant.without}" if variant.without else "")
                + (" (fair)" if variant.fair else "")
            )
            cells = (variant.name, expected(variant), result.verdict, result.states, result.depth, result.memory_mb)
            print(row((*cells, f"{result.seconds:.1f}", told)), flush=True)
    for variant, result in results:
        if result.trail:
            print(f"\n{variant.name}: {result.verdict}")
            for number, event in enumerate(result.trail[-TRAIL_LINES_MAX:], 1):
                print(f"  {number:>2}  {event}")
    wrong = [variant.name for variant, result in results if result.verdict != expected(variant)]
    print(f"\n{len(results) - len(wrong)} of {len(results)} as expected, in {time.monotonic() - began:.0f} s")
    for name in wrong:
        print(f"  not as expected: {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

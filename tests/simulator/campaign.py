"""Play random runs of every scenario for as long as told, over fresh seeds, and write a table; replay what was found.

python -m tests.simulator.campaign --seconds 3600 [--tier thin|wire|socket|both]
python -m tests.simulator.campaign --replay october 0,1,2:hold,d0 [--tier wire]
python -m tests.simulator.campaign --teeth
"""

import argparse
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import count, islice
from typing import Final

import msgspec

from . import probes
from .exhaustive import Found, search
from .scenarios import OCTOBER
from .schedules import Tally, campaign, decoded, encoded, replayed, shrunk
from .stage import THIN, Scenario, Stage, Tier, timeline
from .stories import ALL, story
from .teeth_verbs import TEETH
from .wire_world import wire_tier

LOOK_RUNS: Final = 10
"""Runs between two looks at the clock."""
CHUNK_RUNS: Final = 1_000
"""After so many runs the scenario is made ready anew, so that memory stays bounded."""
TIERS: Final = {"thin": ("thin",), "wire": ("wire",), "socket": ("socket",), "both": ("thin", "wire")}
"""By what is asked for: which tiers are played. `socket` is the wire tier with every request over a real connection."""
FAULTS_MAX: Final = 6
PROCESSES: Final = 2
WHOLE_SEARCH_STATES: Final = 34_063_772
"""How many states October 2025 has with any one fault anywhere; a change of it is a change of what the code asks of the outside."""
WHOLE_SEARCH_SECONDS: Final = 570.0
"""What visiting them takes of one core, and some 3 GB of memory with it."""
WHOLE_SEARCH_FROM_SECONDS: Final = 1_800.0
"""A campaign of so long begins with that search; a shorter one would be little else."""


class Line(msgspec.Struct, kw_only=True):
    """What a campaign has done with one scenario."""

    scenario: str
    tier: str
    seeds: str
    runs: int
    steps: int
    faults: dict[str, int]
    probes: list[str]
    violations: list[str]


@contextmanager
def tier_of(name: str) -> Iterator[Tier]:
    """Have a tier for a while."""
    if name == "thin":
        yield THIN
        return
    with wire_tier(over_socket=name == "socket") as tier:
        yield tier


def played(scenario_name: str, tier_name: str, seconds: float, first_seed: int) -> Line:
    """Play one scenario on one tier for some time."""
    scenario, until = named(scenario_name), time.monotonic() + seconds
    tally, hit, seeds = Tally(), set[str](), count(first_seed)
    with tier_of(tier_name) as tier:
        while time.monotonic() < until and not tally.found:
            stage = Stage(scenario, tier)
            for _ in range(CHUNK_RUNS // LOOK_RUNS):
                campaign(stage, islice(seeds, LOOK_RUNS), faults_max=FAULTS_MAX, tally=tally)
                if tally.found or time.monotonic() > until:
                    break
            hit |= stage.world.probes.hit
        violations = [violation(Stage(scenario, tier), line, found) for line, found in tally.found]
    return Line(
        scenario=scenario.name,
        tier=tier_name,
        seeds=f"{first_seed} to {first_seed + tally.runs - 1}",
        runs=tally.runs,
        steps=tally.steps,
        faults=dict(sorted(tally.faults.items())),
        probes=sorted(hit),
        violations=violations,
    )


def named(name: str) -> Scenario:
    """Return the scenario of a name; only the name goes to another process, since what actors do cannot be pickled."""
    return next(one for one in ALL if one.name == name)


def violation(stage: Stage, line: str, found: Found) -> str:
    """Return what broke, the shortest way there as a timeline, and the line that plays it again."""
    short = shrunk(stage, found)
    command = f"python -m tests.simulator.campaign --tier {stage.tier.name} --replay {stage.scenario.name}"
    again = f"{command} {shlex.quote(encoded(short.steps))}"
    return "\n".join([line, *short.faults, *timeline(stage, short.steps), again])


def table(lines: list[Line]) -> list[str]:
    """Return the campaign's table, in markdown."""
    rows = [
        "| scenario | tier | seeds | runs | steps | faults | probes hit | violations |",
        "| --- | --- | --- | ---: | ---: | --- | ---: | ---: |",
    ]
    for line in lines:
        faults = ", ".join(f"{kind} {number:,}" for kind, number in line.faults.items())
        rows.append(
            f"| {line.scenario} | {line.tier} | {line.seeds} | {line.runs:,} | {line.steps:,} | {faults} "
            f"| {len(line.probes)} | {len(line.violations)} |"
        )
    total = Counter[str]()
    for line in lines:
        total.update(line.faults)
    hit = {probe for line in lines for probe in line.probes}
    rows.append(
        f"| all | | | {sum(line.runs for line in lines):,} | {sum(line.steps for line in lines):,} "
        f"| {', '.join(f'{kind} {number:,}' for kind, number in sorted(total.items()))} "
        f"| {len(hit)} of {len(probes.ALL)} | {sum(len(line.violations) for line in lines)} |"
    )
    return rows


def run(seconds: float, first_seed: int, tiers: Sequence[str]) -> int:
    """Play every scenario on every tier its share of the time, print the table, and return the exit status.

    Where there is time for it, one process visits October with any one fault first, and the random runs share what is left.
    """
    is_long = seconds >= WHOLE_SEARCH_FROM_SECONDS
    share = (seconds * PROCESSES - is_long * WHOLE_SEARCH_SECONDS) / (len(ALL) * len(tiers))
    with ProcessPoolExecutor(PROCESSES) as pool:
        whole = pool.submit(one_fault, WHOLE_SEARCH_STATES) if is_long else None
        running = [pool.submit(played, scenario.name, tier, share, first_seed) for scenario in ALL for tier in tiers]
        lines = []
        for future in running:
            lines.append(future.result())
            print(f"{lines[-1].scenario} {lines[-1].tier}: {lines[-1].runs:,} runs", file=sys.stderr, flush=True)
        sentence, is_whole = whole.result() if whole else ("", True)
    print(f"commit {commit()}, {seconds:.0f} s on {PROCESSES} processes, up to {FAULTS_MAX} faults a run\n")
    print("\n".join(table(lines)))
    if sentence:
        print(f"\n{sentence}")
    missed = sorted(set(probes.ALL) - {probe for line in lines for probe in line.probes})
    for probe in missed:
        print(f"\nNOT MET: {probe}")
    for line in lines:
        for violation in line.violations:
            print(f"\nVIOLATION {violation}")
    return 0 if is_whole and not missed and not any(line.violations for line in lines) else 1


def commit() -> str:
    """Return the commit that is checked out, with a mark where files differ from it."""
    found = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def replay(name: str, word: str, tier_name: str) -> int:
    """Play the steps of a violation and tell them."""
    scenario = story(name)
    if scenario is None:
        known = ", ".join(one.name for one in ALL)
        print(f"no scenario is called {name}; there are {known}, and each with some of its actors", file=sys.stderr)
        return 2
    with tier_of(tier_name) as tier:
        stage, steps = Stage(scenario, tier), decoded(word)
        found = replayed(stage, steps)
        lines = timeline(stage, steps)
    print("\n".join([*lines, *(f"BROKEN {fault}" for fault in (found.faults if found else ()))]))
    return 1 if found else 0


def teeth() -> int:
    """Take each protection out and print how many runs, and seconds of one core, it takes until a promise breaks."""
    print("| protection | promise that breaks without it | story | runs until found | seconds |")
    print("| --- | --- | --- | ---: | ---: |")
    for tooth in TEETH:
        began = time.process_time()
        with tooth.out():
            tally = campaign(Stage(tooth.scenario), iter(range(6_000)), faults_max=3, tally=Tally())
        promises, seconds = ", ".join(sorted(tooth.promises)), time.process_time() - began
        print(f"| {tooth.name} | {promises} | {tooth.scenario.name} | {tally.runs} | {seconds:.1f} |", flush=True)
    return 0


def one_fault(states_max: int) -> tuple[str, bool]:
    """Search the October story with any one fault anywhere, up to so many states; say what was seen, and whether all is well.

    The whole of it must have as many states as are recorded: fewer are as much of a change as more.
    """
    stage = Stage(OCTOBER)
    result = search(stage, faults=1, states_max=states_max)
    seen = f"october with any one fault: {result.states:,} states, {result.steps:,} steps"
    if result.found:
        return "\n".join([f"VIOLATION {seen}", *(violation(stage, "searched", one) for one in result.found)]), False
    if result.stopped_early:
        is_short = states_max < WHOLE_SEARCH_STATES
        return f"{seen}, stopped early" + ("" if is_short else f"; {WHOLE_SEARCH_STATES:,} are recorded"), is_short
    is_same = result.states == WHOLE_SEARCH_STATES
    return f"{seen}, all of it" + ("" if is_same else f"; {WHOLE_SEARCH_STATES:,} are recorded"), is_same


def main() -> int:
    """Read what is asked, and do it."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulator.campaign", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long to play")
    parser.add_argument("--first-seed", type=int, default=int(time.time()), help="where the seeds begin")
    parser.add_argument("--tier", choices=sorted(TIERS), help="on which tier; both for a campaign, thin for a replay")
    parser.add_argument("--replay", nargs=2, metavar=("SCENARIO", "STEPS"), help="play what was found, step by step")
    parser.add_argument("--teeth", action="store_true", help="print the table of protections")
    parser.add_argument(
        "--one-fault", type=int, metavar="STATES", help="search October with one fault, up to so many states"
    )
    asked = parser.parse_args()
    if asked.replay:
        name, word = asked.replay
        return replay(name, word, "thin" if asked.tier in {None, "both"} else asked.tier)
    if asked.teeth:
        return teeth()
    if asked.one_fault:
        sentence, is_well = one_fault(asked.one_fault)
        print(sentence)
        return 0 if is_well else 1
    return run(asked.seconds, asked.first_seed, TIERS[asked.tier or "both"])


if __name__ == "__main__":
    sys.exit(main())

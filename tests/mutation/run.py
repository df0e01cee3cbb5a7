"""Mutate the deciding modules in a copy of the tree, run the tests that reach each mutant, and judge what survived.

`make mutants` runs this. A mutant is killed by a test, by a time-out, or by `mypy --strict`, which `make test` runs too. Fails where
fewer than 95 of 100 of a group are killed, or where one lives on that `survivors.toml` does not explain. See docs/mutants.md.
"""

import argparse
import contextlib
import importlib
import json
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.mutation.groups import GROUPS, NOT_JUDGED_YET, Group

ROOT: Final = Path(__file__).parents[2]
REASONS: Final = Path(__file__).parent / "survivors.toml"
COPIED: Final = ("enactor", "planner", "tests", "deploy", "docs", "README.md", "LICENSE", "Makefile")
KILLED_SHARE_MIN: Final = 0.95
CHILDREN_MAX: Final = 1


TYPES: Final = ("-m", "mypy", "--output", "json", "--disable-error-code", "unused-ignore")
BARE_IGNORE: Final = '"ignore-without-code", '
"""mutmut marks what it generates with `type: ignore` and no code, and our settings forbid that."""

BY_ITS_COPIES: Final = "no-redef"
"""What mypy says of every copy of an `__init__` that declares an attribute: the mutant is innocent of it."""

ALIVE: Final = "alive"
BY_TYPES: Final = 37
KILLERS: Final = {
    1: "tests",
    3: "tests",
    36: "time-out",
    24: "time-out",
    -24: "time-out",
    152: "time-out",
    BY_TYPES: "types",
}
"""mutmut's exit codes. Everything else, no test at all included, is a survivor."""


class Tally(NamedTuple):
    """What became of one module's mutants."""

    module: str
    ends: Counter[str]
    survivors: tuple[str, ...]

    @property
    def mutants(self) -> int:
        return self.ends.total()

    @property
    def killed(self) -> int:
        return sum(count for how, count in self.ends.items() if how != ALIVE)


def work_of(group: str) -> Path:
    return ROOT / ".mutants" / group


def copied(group: str) -> None:
    """Bring the copy up to date, file by file: what did not change keeps its time, by which mutmut knows it."""
    work = work_of(group)
    settings = (ROOT / "pyproject.toml").read_text()
    assert BARE_IGNORE in settings, "mypy's settings were reworded"
    settings = settings.replace(BARE_IGNORE, "") + configuration(GROUPS[group])
    kept = work / "pyproject.toml"
    if not kept.exists() or not only_more_tests(kept.read_text(), settings):
        shutil.rmtree(work, ignore_errors=True)  # mutmut would keep what other modules and tests had come to
        work.mkdir(parents=True)
    kept.write_text(settings)
    (work / "mutants" / "mutmut-stats.json").unlink(
        missing_ok=True
    )  # which tests reach a function: asked anew, names change
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *COPIED],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    for name in listed:
        source, target = ROOT / name, work / name
        if not source.exists() or (target.exists() and target.read_bytes() == source.read_bytes()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    for found in [path for part in ("enactor", "planner", "tests") for path in (work / part).rglob("*.py")]:
        if not (ROOT / found.relative_to(work)).exists():
            found.unlink()
            (work / "mutants" / found.relative_to(work)).unlink(missing_ok=True)


def only_more_tests(was: str, now: str) -> bool:
    """Tell whether a group has the tests that it had, or more: what was killed stays killed."""
    old, new = (tomllib.loads(text)["tool"]["mutmut"] for text in (was, now))
    some, more = (set(one.pop("pytest_add_cli_args_test_selection")) for one in (old, new))
    return some <= more and old == new


def configuration(group: Group) -> str:
    """Return mutmut's settings: among the group's tests it finds by itself which ones reach a function."""
    settings: Mapping[str, Any] = {
        "source_paths": [group.package],
        "only_mutate": [f"{group.package}/{module}.py" for module in group.modules],
        "also_copy": [name for name in COPIED if name not in {group.package, "tests"}],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-n", "0"],
        "pytest_add_cli_args_test_selection": [f"tests/{name}.py" for name in group.tests],
        "timeout_multiplier": 8.0,
        "timeout_constant": 3.0,
        "use_git_change_detection": False,
    }
    lines = (f"{key} = {json.dumps(value)}" for key, value in settings.items())
    return "\n[tool.mutmut]\n" + "\n".join(lines) + "\n"


def ends_of(group: str, module: str) -> tuple[Path, dict[str, Any]]:
    """Return where mutmut keeps what became of a module's mutants, and what stands there."""
    path = work_of(group) / "mutants" / GROUPS[group].package / f"{module}.py.meta"
    return path, json.loads(path.read_text()) if path.exists() else {"exit_code_by_key": {}}


def forget_survivors(group: str) -> None:
    """Have what tests did not kill tried again: some may have come that do. What was killed stays killed."""
    for module in GROUPS[group].modules:
        path, found = ends_of(group, module)
        ends = found["exit_code_by_key"]
        found["exit_code_by_key"] = {
            key: code if code in KILLERS and code != BY_TYPES else None for key, code in ends.items()
        }
        if path.exists():
            path.write_text(json.dumps(found))


def mutate(group: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", str(CHILDREN_MAX)], cwd=work_of(group), check=True
    )


def check_types(group: str) -> None:
    """Have mypy look at every mutant, and note what it refuses of those that the tests let live."""
    work, package = work_of(group) / "mutants", GROUPS[group].package
    command = [sys.executable, *TYPES, package]
    said = subprocess.run(command, cwd=work, check=False, capture_output=True, text=True).stdout
    lines: dict[str, set[int]] = {}
    for error in map(json.loads, said.splitlines()):
        if error["severity"] == "error" and error["code"] != BY_ITS_COPIES:
            lines.setdefault(error["file"], set()).add(error["line"])
    for module in GROUPS[group].modules:
        path, found = ends_of(group, module)
        spans = json.loads((work / package / f"{module}.py.spans").read_text())["spans"]
        wrong = sorted(lines.get(f"{package}/{module}.py", ()))
        for key, code in found["exit_code_by_key"].items():
            first, last = spans[key.rpartition(".")[2]]
            if code not in KILLERS and any(first <= line <= last for line in wrong):
                found["exit_code_by_key"][key] = BY_TYPES
        path.write_text(json.dumps(found))


def tally(group: str, module: str) -> Tally:
    """Return how one module's mutants ended."""
    ends: Counter[str] = Counter()
    survivors: list[str] = []
    for key, code in ends_of(group, module)[1]["exit_code_by_key"].items():
        ends[KILLERS.get(code, ALIVE)] += 1
        if code not in KILLERS:
            survivors.append(described(key, module))
    return Tally(module, ends, tuple(survivors))


def described(key: str, module: str) -> str:
    """Return a mutant by what it changes, not by its number, which moves with every line that is written above it."""
    diff: str = importlib.import_module("mutmut.mutation.diff_apply").get_diff_for_mutant(key)
    lines = [line for line in diff.splitlines() if line[:1] in {"-", "+"} and line[:3] not in {"---", "+++"}]
    was, now = (" ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+")
    function = key.rpartition(".")[2].rpartition("__mutmut_")[0].replace("xǁ", "").removeprefix("x_").replace("ǁ", ".")
    return f"{module}.{function}: {was} -> {now}"


def is_wording(survivor: str) -> bool:
    """Tell whether nothing but a sentence for people differs, in its case or by an XX at its ends."""
    was, now = survivor.split(": ", 1)[1].split(" -> ", 1)
    parts = [(one, other) for one, other in zip(was.split('"'), now.split('"'), strict=False) if one != other]
    if len(was.split('"')) != len(now.split('"')) or len(parts) != 1:
        return False
    one, other = parts[0]
    return " " in one.strip() and other in {f"XX{one}XX", one.lower(), one.upper()}


def reasons() -> dict[str, str]:
    """Return every survivor that somebody looked at, and why it may live."""
    return {
        mutant: entry["why"] for entry in tomllib.loads(REASONS.read_text())["reason"] for mutant in entry["mutants"]
    }


def table(tallies: Sequence[Tally]) -> Iterator[str]:
    yield "| module | mutants | killed | by tests | by types | by time-out | survivors |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    whole = Tally("all", sum((one.ends for one in tallies), Counter()), ())
    for one in (*tallies, whole):
        ways = " | ".join(str(one.ends[how]) for how in ("tests", "types", "time-out", ALIVE))
        yield f"| {one.module} | {one.mutants} | {one.killed / max(1, one.mutants):.1%} | {ways} |"


def verdict(group: str, tallies: Sequence[Tally]) -> list[str]:
    """Return what is not well in a group: too few killed, or survivors without a reason."""
    known = reasons()
    share = sum(one.killed for one in tallies) / max(1, sum(one.mutants for one in tallies))
    odd = [found for one in tallies for found in one.survivors if found not in known and not is_wording(found)]
    few = [f"only {share:.1%} of the mutants of {group} were killed"] if share < KILLED_SHARE_MIN else []
    return [*few, *(f"no test kills this, and no reason is given: {found}" for found in odd)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], help="groups of modules; all by default")
    parser.add_argument("--look", action="store_true", help="only say what the last run found")
    arguments = parser.parse_args()
    started = time.monotonic()
    tallies: list[Tally] = []
    found: list[str] = []
    for group in arguments.groups or [name for name in GROUPS if name not in NOT_JUDGED_YET]:
        if not arguments.look:
            copied(group)
            forget_survivors(group)
            mutate(group)
            check_types(group)
        with contextlib.chdir(work_of(group)):
            importlib.import_module("mutmut.configuration").reset_config()  # it is read once from where one stands
            judged = [tally(group, module) for module in GROUPS[group].modules]
        tallies += judged
        found += verdict(group, judged)
    print("\n".join(table(tallies)))
    print(f"\n{time.monotonic() - started:.0f} s")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

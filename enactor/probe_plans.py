"""Read the plans that a probe holds answers against: plan files, and folders with the newest of them, again when they change. Decides nothing.

Whether endpoints answer must be told whatever becomes of these files. So for a probe that goes on nothing here is an error: what was
read before counts on, and a sentence says why. A file is a plan file, or a plan as enactors keep it on disk (`kept_form`).
"""

from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Final

import msgspec

from enactor.disk import KEEP_ASKED_FILES, KEEP_NEWEST_FILES
from enactor.kept_form import CHECKSUM_DIGITS, LIMIT_OCTETS, Odd, parts_of, stored_of
from enactor.plan import Plan
from enactor.plan_file import within_limit
from enactor.plan_form import read_plan
from enactor.ports import FormFaults, Unavailable

PLANS_OF_FOLDER_MAX: Final = KEEP_NEWEST_FILES + KEEP_ASKED_FILES
"""As many as an enactor keeps in its state directory: the newest, and what a fence still names."""
ENTRIES_OF_FOLDER_MAX: Final = 1_000
"""A folder with more is no folder of plans, and is not searched at every look."""
PATTERN: Final = "*.json"

Stamp = tuple[int, int, int]
"""By what a changed file is known: when it was written, its size, and its number in the file system (a rename brings another)."""


class PlansSeen(msgspec.Struct, frozen=True):
    """The plans at hand, and a sentence for each file or folder that is not as it should be."""

    plans: tuple[Plan, ...]
    problems: tuple[str, ...]


class _Held(msgspec.Struct, frozen=True):
    """What is known of one file. Without a stamp it is read at the next look."""

    stamp: Stamp | None = None
    plan: Plan | None = None
    problem: str | None = None


class PlanFiles:
    """Some paths, and what was last read there; of each plan only what it says of the names that are asked about."""

    def __init__(self, paths: Sequence[str], names: Collection[str]) -> None:
        self._paths = tuple(map(Path, paths))
        self._names = frozenset(names)
        self._held: dict[Path, _Held] = {}
        self._members: dict[Path, tuple[Path, ...]] = {}

    def once(self) -> tuple[Plan, ...]:
        """Return the plans; raise FormFaults or Unavailable for a file that is none, and for a folder without any."""
        found = []
        for path in self._paths:
            if not _is_folder(path):
                found.append(self._plan(path))
                continue
            seen = PlanFiles([str(path)], self._names).look()
            if not seen.plans:
                raise Unavailable("; ".join(seen.problems))
            found += seen.plans
        return tuple(found)

    def look(self) -> PlansSeen:
        """Return the plans as they are now; only files that changed are read, and nothing is raised."""
        problems: list[str] = []
        files: list[Path] = []
        for path in self._paths:
            try:
                files += self._newest_in(path) if path in self._members or _is_folder(path) else [path]
            except (OSError, Unavailable) as error:
                members = self._members.get(path, ())
                files += members
                problems.append(f"{_why(path, error)}{'; what was read there before counts on' if members else ''}")
        self._held = {path: self._fresh(path, self._held.get(path, _Held())) for path in files}
        problems += [held.problem for held in self._held.values() if held.problem is not None]
        return PlansSeen(tuple(held.plan for held in self._held.values() if held.plan is not None), tuple(problems))

    def _newest_in(self, folder: Path) -> tuple[Path, ...]:
        entries = list(islice(folder.iterdir(), ENTRIES_OF_FOLDER_MAX + 1))
        if len(entries) > ENTRIES_OF_FOLDER_MAX:
            raise Unavailable(
                f"{folder} holds more than {ENTRIES_OF_FOLDER_MAX} files; give one that holds plans alone"
            )
        dated = []
        for path in entries:
            if path.match(PATTERN) and not path.name.startswith("."):
                try:
                    dated.append((path.stat().st_mtime_ns, path))
                except OSError:
                    continue  # gone between the listing and the look: an enactor tidies up
        if not dated:
            raise Unavailable(f"{folder} holds no plan ({PATTERN})")
        self._members[folder] = tuple(path for _, path in sorted(dated, reverse=True)[:PLANS_OF_FOLDER_MAX])
        return self._members[folder]

    def _fresh(self, path: Path, held: _Held) -> _Held:
        stamp: Stamp | None = None
        try:
            seen = path.stat()
            stamp = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
            return held if stamp == held.stamp else _Held(stamp, self._plan(path))
        except (OSError, Unavailable, FormFaults) as error:
            still = "; what was read of it before counts on" if held.plan is not None else ""
            return _Held(stamp, held.plan, f"{_why(path, error)}{still}")

    def _plan(self, path: Path) -> Plan:
        """Return what a file says of the names; raise FormFaults or Unavailable where it is no plan."""
        try:
            if not S_ISREG(path.stat().st_mode):
                raise Unavailable(f"{path} is no file")
            with path.open("rb") as file:
                octets = file.read(LIMIT_OCTETS + 1)
        except OSError as error:
            raise Unavailable(_why(path, error)) from None
        if octets[CHECKSUM_DIGITS : CHECKSUM_DIGITS + 1] != b"\n":
            reading = read_plan(within_limit(octets, str(path)))
            if reading.plan is None:
                raise FormFaults(str(path), reading.faults)
            return self._of_names(reading.plan)
        try:
            return self._of_names(stored_of(*parts_of(octets)).plan)
        except Odd as odd:
            raise Unavailable(f"{path} is no plan: {odd}") from None

    def _of_names(self, plan: Plan) -> Plan:
        return msgspec.structs.replace(plan, endpoints=tuple(one for one in plan.endpoints if one.name in self._names))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # one that may not be looked at is told as a file that cannot be read
        return False


def _why(path: Path, error: Exception) -> str:
    match error:
        case OSError():
            return f"{path} cannot be read: {error.strerror or error}"
        case FormFaults(faults=(first, *_)):
            return f"{error}, the first {first}"
        case _:
            return str(error)

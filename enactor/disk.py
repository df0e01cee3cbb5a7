"""Keep the last valid plans on disk, so that an enactor goes on healing when the table cannot be reached (promise 7).

A file is used only if its own checksum, its header, its name and the plan's digest all agree (`kept_form`); what is damaged is passed
over and named. A file appears whole or not at all. Several processes may share the directory. It must never stop an enactor: every failure is a sentence.
"""

import fcntl
import os
import re
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from enactor.kept_form import LIMIT_OCTETS, Header, Odd, encoded, parts_of, stored_of
from enactor.plan import StoredPlan, digest_of

KEEP_NEWEST_FILES: Final = 3
KEEP_ASKED_FILES: Final = 16
"""How many older plans a caller may ask to keep, the newest of them first."""

_FILE: Final = re.compile(r"plan-([a-z0-9-]{1,32})-([0-9]{12})-([0-9a-f]{64})\.json")
_UNFINISHED: Final = ".unfinished-"
_LOCK: Final = ".lock"


class DiskReading(msgspec.Struct, frozen=True):
    """The valid plans on disk, newest first, and a sentence for each file that cannot be used."""

    plans: tuple[StoredPlan, ...]
    problems: tuple[str, ...]


class PlanDisk:
    """A directory with the last valid plans of one fleet."""

    def __init__(self, directory: Path | str, fleet: str) -> None:
        self._directory = Path(directory)
        self._fleet = fleet

    def save(self, stored: StoredPlan, *, keep: Collection[int] = ()) -> str | None:
        """Keep a plan if it is among the newest, or one of the generations to keep; return why that failed, None where it did not.

        Files that are neither go. Saving a plan that is there already only reads its checksum.
        """
        assert digest_of(stored.body) == stored.digest, "only what was verified is kept"
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with self._alone() as alone:
                if not alone:
                    return f"plan {stored.generation} is not on disk yet: another process writes in {self._directory}"
                self._save(stored, frozenset(keep))
        except OSError as error:
            return f"plan {stored.generation} cannot be kept in {self._directory}: {error.strerror or error}; check the disk"
        return None

    def trouble(self) -> str | None:
        """Return why no plan can be kept here, None where it can: asked once at start, while a person still looks."""
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._directory):
                pass
        except OSError as error:
            return f"{self._directory} cannot hold plans: {error.strerror or error}; give another --state-dir"
        return None

    def saved_at(self) -> float | None:
        """Return when the newest file of a plan was written, in Unix seconds; None where there is none that can be seen."""
        try:
            return max((path.stat().st_mtime for path in self._files()), default=None)
        except OSError:
            return None

    def load(self) -> DiskReading:
        """Read every plan that is there."""
        plans: list[StoredPlan] = []
        problems: list[str] = []
        try:
            files = self._files()
        except OSError as error:
            return DiskReading((), (f"{self._directory} cannot be read: {error.strerror or error}",))
        for path in files:
            found = self._read(path)
            if isinstance(found, StoredPlan):
                plans.append(found)
            elif found is not None:
                problems.append(found)
        return DiskReading(tuple(plans), tuple(problems))

    def newest(self) -> StoredPlan | None:
        """Return the valid plan of the highest generation."""
        with suppress(OSError):
            for path in self._files():
                found = self._read(path)
                if isinstance(found, StoredPlan):
                    return found
        return None

    def _save(self, stored: StoredPlan, keep: frozenset[int]) -> None:
        for left in self._directory.glob(f"{_UNFINISHED}*"):
            with suppress(OSError):  # what cannot be taken away must not keep a plan from being kept
                left.unlink()  # of a process that died: nobody else writes while we hold the lock
        target = self._directory / f"plan-{self._fleet}-{stored.generation:012d}-{stored.digest}.json"
        sound = {path for path in self._files() if self._is_sound(path)}
        kept = self._kept(sound | {target}, keep)
        if target in kept - sound:
            self._write(target, encoded(stored, self._fleet))
        for path in self._files():
            if path in sound - kept:
                path.unlink(missing_ok=True)
            elif path not in kept:  # damaged: it would else stand in a sound one's place
                with suppress(OSError):
                    path.unlink()

    def _kept(self, paths: Collection[Path], keep: frozenset[int]) -> frozenset[Path]:
        ordered = sorted(paths, reverse=True)
        older = [path for path in ordered[KEEP_NEWEST_FILES:] if _generation(path) in keep]
        return frozenset(ordered[:KEEP_NEWEST_FILES] + older[:KEEP_ASKED_FILES])

    def _write(self, target: Path, content: bytes) -> None:
        """Write beside, flush, rename, flush the directory: after a crash there is the old file, the new one, or none."""
        handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self._directory)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(target)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        directory = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Tell whether this process may write now. It never waits: another one may be paused for an hour with the lock in hand."""
        with (self._directory / _LOCK).open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def _files(self) -> list[Path]:
        """Return this fleet's files, newest first; a directory that is not there yet has none."""
        if not self._directory.exists():
            return []
        return sorted((path for path in self._directory.iterdir() if self._is_ours(path)), reverse=True)

    def _is_ours(self, path: Path) -> bool:
        found = _FILE.fullmatch(path.name)
        return found is not None and found.group(1) == self._fleet

    def _is_sound(self, path: Path) -> bool:
        try:
            _parts(path)
        except (OSError, Odd):  # one file that cannot be read must not keep the next plan from being kept
            return False
        return True

    def _read(self, path: Path) -> StoredPlan | str | None:
        """Return the plan of a file, a sentence about what is wrong with it, or None where it is gone."""
        try:
            return stored_of(*_parts(path))
        except FileNotFoundError:
            return None
        except OSError as error:
            return f"{path} cannot be read: {error.strerror or error}"
        except Odd as odd:
            return f"{path} is passed over: {odd}; the next plan that is kept replaces it"


def _parts(path: Path) -> tuple[Header, bytes]:
    if path.stat().st_size > LIMIT_OCTETS:
        raise Odd(f"it is larger than {LIMIT_OCTETS} octets")
    header, body = parts_of(path.read_bytes())
    if path.name != f"plan-{header.fleet}-{header.generation:012d}-{header.digest}.json":
        raise Odd("its header and its name do not agree")
    return header, body


def _generation(path: Path) -> int:
    found = _FILE.fullmatch(path.name)
    assert found is not None, "only our own files are asked about"
    return int(found.group(2))

"""Read a plan from where a person keeps it: a fleet file or a plan file. The shell around the pure readers."""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from enactor import yaml_text
from enactor.plan import Fault, Plan
from enactor.plan_file import READ_OCTETS, file_octets, within_limit
from enactor.plan_form import read_plan
from enactor.ports import FormFaults, Unavailable
from planner.fleet import Fleet, Offered, compile_fleet
from planner.fleet_settings import Kinds
from planner.fleet_warnings import plan_warnings
from planner.kinds import InstalledKinds

STDIN: Final = "-"
STDIN_SHOWN: Final = "<stdin>"
_STEP: Final = re.compile(r'\[(\d+)\]|\.?"([^"]*)"|\.?([^.\[\]"]+)')


class Read(msgspec.Struct, frozen=True):
    """What a file says, what a person should be warned of in it, and what the file is called."""

    plan: Plan | None
    """None where a fleet file's sources have to be asked first."""
    warnings: tuple[Fault, ...]
    name: str
    fleet: Fleet | None = None
    """None of a plan file."""
    text: "FleetText | None" = None

    @property
    def fleet_name(self) -> str:
        """Return whose plans these are."""
        assert self.fleet is not None or self.plan is not None, "a file is of one kind or the other"
        return self.fleet.name if self.fleet is not None else self.plan.fleet if self.plan is not None else ""

    @property
    def settled(self) -> Plan | None:
        """Return the plan where the file alone says what it is; None where sources, or the plan in force, have a say in it."""
        return self.plan if self.fleet is None or self.fleet.is_plain else None


class FleetText:
    """A fleet file as it was read, to be held against what its sources offer."""

    def __init__(self, shown: str, octets: bytes, found: yaml_text.YamlReading, kinds: Kinds) -> None:
        self.shown = shown
        self.octets = octets
        self._found = found
        self.kinds = kinds

    def compiled(self, offered: Offered | None) -> Read:
        """Return what the file means, with what was offered to its pools; raise WrongFile with everything that is wrong."""
        faults = [_placed(self.shown, fault) for fault in self._found.faults]
        if not self._found.is_read or self._found.places is None:
            raise WrongFile(self.shown, faults)
        places = self._found.places
        reading = compile_fleet(self._found.value, self.kinds, offered)
        faults += [_in_file(self.shown, places, fault) for fault in reading.faults]
        warnings = tuple(_in_file(self.shown, places, warning) for warning in reading.warnings)
        if reading.fleet is None or faults:
            raise WrongFile(self.shown, faults, warnings)
        return Read(reading.plan, warnings, self.shown, reading.fleet, self)


class WrongFile(FormFaults):
    """A file whose form is wrong, with what a person should be warned of besides."""

    def __init__(self, name: str, faults: Iterable[Fault], warnings: tuple[Fault, ...] = ()) -> None:
        self.warnings = warnings
        super().__init__(name, faults)


def read_fleet(path: str) -> Read:
    """Return what a fleet file means; raise FormFaults with everything that is wrong with it. Its sources are not asked."""
    shown = _shown(path)
    octets = _octets(path)
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WrongFile(shown, [Fault(shown, f"octet {error.start} is not UTF-8")]) from None
    directory = "." if path == STDIN else str(Path(path).parent)
    return FleetText(shown, octets, yaml_text.read(text), InstalledKinds(directory)).compiled(None)


class FleetReader:
    """Reads a fleet file again and again; what has not changed is not parsed again."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._last: Read | None = None

    def read(self) -> Read:
        """Return what the file means now; raise FormFaults."""
        last = self._last
        if last is None or last.text is None or _octets(self.path) != last.text.octets:
            self._last = None
            self._last = read_fleet(self.path)
        assert self._last is not None, "it was read just now, or has not changed"
        return self._last


def _shown(path: str) -> str:
    return STDIN_SHOWN if path == STDIN else path


def _placed(shown: str, fault: yaml_text.YamlFault) -> Fault:
    """Label a fault by file, line and column, as compilers do: an editor jumps to it, and it is no key of the file."""
    place = "" if fault.line is None else f":{fault.line}:{fault.column}"
    return Fault(f"{shown}{place}", fault.problem)


def _in_file(shown: str, places: yaml_text.Places, fault: Fault) -> Fault:
    """Label a fault of the file as a whole with its name; add to any other the line that it, or what it lacks, stands on."""
    if not fault.path:
        return msgspec.structs.replace(fault, path=shown)
    line = places.line_of(_steps(fault.path))
    return fault if line is None else msgspec.structs.replace(fault, message=f"{fault.message} (line {line})")


def _steps(path: str) -> Iterator[str | int]:
    """Yield the keys and numbers of a path like `pools."sea green"[0].capacity`."""
    for index, quoted, word in _STEP.findall(path):
        yield int(index) if index else quoted or word


def read_plan_file(path: str) -> Read:
    """Return the plan of a plan file; raise FormFaults with everything that is wrong with it."""
    reading = read_plan(_octets(path))
    warnings = plan_warnings(reading.plan) if reading.plan is not None else ()
    if reading.plan is None or reading.faults:
        raise WrongFile(_shown(path), reading.faults, warnings)
    return Read(reading.plan, warnings, _shown(path))


def _octets(path: str) -> bytes:
    if path != STDIN:
        return file_octets(path)
    try:
        return within_limit(sys.stdin.buffer.read(READ_OCTETS), STDIN_SHOWN)
    except OSError as error:
        raise Unavailable(f"{STDIN_SHOWN} cannot be read: {error.strerror or error}") from None

"""Read a plan from where a person keeps it: a fleet file or a plan file. The shell around the pure readers."""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from enactor import yaml_text
from enactor.plan import Fault, Plan
from enactor.plan_file import READ_OCTETS, file_octets, within_limit
from enactor.plan_form import read_plan
from enactor.ports import FormFaults, Unavailable
from planner.fleet import compile_fleet
from planner.fleet_warnings import plan_warnings

STDIN: Final = "-"
STDIN_SHOWN: Final = "<stdin>"
_STEP: Final = re.compile(r'\[(\d+)\]|\.?"([^"]*)"|\.?([^.\[\]"]+)')


class Source(msgspec.Struct, frozen=True):
    """The plan of a file, what a person should be warned of in it, and what the file is called."""

    plan: Plan
    warnings: tuple[Fault, ...]
    name: str


class WrongFile(FormFaults):
    """A file whose form is wrong, with what a person should be warned of besides."""

    def __init__(self, name: str, faults: Iterable[Fault], warnings: tuple[Fault, ...] = ()) -> None:
        self.warnings = warnings
        super().__init__(name, faults)


def read_fleet(path: str) -> Source:
    """Return the plan that a fleet file means; raise FormFaults with everything that is wrong with it."""
    shown = _shown(path)
    try:
        text = _octets(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise WrongFile(shown, [Fault(shown, f"octet {error.start} is not UTF-8")]) from None
    found = yaml_text.read(text)
    faults = [_placed(shown, fault) for fault in found.faults]
    if not found.is_read or found.places is None:
        raise WrongFile(shown, faults)
    reading = compile_fleet(found.value)
    faults += [_in_file(shown, found.places, fault) for fault in reading.faults]
    warnings = tuple(_in_file(shown, found.places, warning) for warning in reading.warnings)
    if reading.plan is None or faults:
        raise WrongFile(shown, faults, warnings)
    return Source(reading.plan, warnings, shown)


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


def read_plan_file(path: str) -> Source:
    """Return the plan of a plan file; raise FormFaults with everything that is wrong with it."""
    reading = read_plan(_octets(path))
    warnings = plan_warnings(reading.plan) if reading.plan is not None else ()
    if reading.plan is None or reading.faults:
        raise WrongFile(_shown(path), reading.faults, warnings)
    return Source(reading.plan, warnings, _shown(path))


def _octets(path: str) -> bytes:
    if path != STDIN:
        return file_octets(path)
    try:
        return within_limit(sys.stdin.buffer.read(READ_OCTETS), STDIN_SHOWN)
    except OSError as error:
        raise Unavailable(f"{STDIN_SHOWN} cannot be read: {error.strerror or error}") from None

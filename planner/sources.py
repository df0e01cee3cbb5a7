"""Read a plan from where a person keeps it: a fleet file or a plan file. The shell around the pure readers."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from enactor import yaml_text
from enactor.plan import Fault, Plan
from enactor.plan_form import read_plan
from enactor.ports import FormFaults, Unavailable
from planner.fleet import compile_fleet
from planner.fleet_warnings import plan_warnings

STDIN: Final = "-"
STDIN_SHOWN: Final = "<stdin>"
FILE_LIMIT_OCTETS: Final = 64 * 1024 * 1024
"""As much as the plan table takes; more is not a plan, and is not read into memory."""


class Source(msgspec.Struct, frozen=True):
    """The plan of a file, and what a person should be warned of in it."""

    plan: Plan
    warnings: tuple[Fault, ...]


def read_fleet(path: str) -> Source:
    """Return the plan that a fleet file means; raise FormFaults with everything that is wrong with it."""
    shown = STDIN_SHOWN if path == STDIN else path
    try:
        text = _octets(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormFaults(path, [Fault(shown, f"octet {error.start} is not UTF-8")]) from None
    found = yaml_text.read(text)
    faults = [_placed(shown, fault) for fault in found.faults]
    if not found.is_read:
        raise FormFaults(path, faults)
    reading = compile_fleet(found.value)
    faults += _of_file(shown, reading.faults)
    if reading.plan is None or faults:
        raise FormFaults(path, faults)
    return Source(reading.plan, reading.warnings)


def _placed(shown: str, fault: yaml_text.YamlFault) -> Fault:
    """Label a fault by file, line and column, as compilers do: an editor jumps to it, and it is no key of the file."""
    place = "" if fault.line is None else f":{fault.line}:{fault.column}"
    return Fault(f"{shown}{place}", fault.problem)


def _of_file(shown: str, faults: Iterable[Fault]) -> list[Fault]:
    """Label a fault of the file as a whole with its name."""
    return [fault if fault.path else msgspec.structs.replace(fault, path=shown) for fault in faults]


def read_plan_file(path: str) -> Source:
    """Return the plan of a plan file; raise FormFaults with everything that is wrong with it."""
    reading = read_plan(_octets(path))
    if reading.plan is None or reading.faults:
        raise FormFaults(path, reading.faults)
    return Source(reading.plan, plan_warnings(reading.plan))


def _octets(path: str) -> bytes:
    try:
        octets = sys.stdin.buffer.read(FILE_LIMIT_OCTETS + 1) if path == STDIN else _start_of(Path(path))
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror or error}") from None
    if len(octets) > FILE_LIMIT_OCTETS:
        raise Unavailable(f"{path} is larger than {FILE_LIMIT_OCTETS} octets, the most that the plan table takes")
    return octets


def _start_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(FILE_LIMIT_OCTETS + 1)

"""Read a plan from where a person keeps it: a fleet file or a plan file. The shell around the pure readers."""

import sys
from pathlib import Path
from typing import Final

from enactor import yaml_text
from enactor.plan import Fault, Plan
from enactor.plan_form import read_plan
from enactor.ports import FormFaults, Unavailable
from planner.fleet import compile_fleet

STDIN: Final = "-"
FILE_LIMIT_OCTETS: Final = 64 * 1024 * 1024
"""As much as the plan table takes; more is not a plan, and is not read into memory."""


def load_fleet(path: str) -> Plan:
    """Return the plan that a fleet file means; raise FormFaults with everything that is wrong with it."""
    try:
        raw = yaml_text.load(_octets(path).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise FormFaults(path, [Fault("fleet", f"octet {error.start} is not UTF-8")]) from None
    except yaml_text.YamlFaultError as error:
        raise FormFaults(path, [Fault("fleet", str(error))]) from None
    reading = compile_fleet(raw)
    if reading.plan is None:
        raise FormFaults(path, reading.faults)
    return reading.plan


def load_plan(path: str) -> Plan:
    """Return the plan of a plan file; raise FormFaults with everything that is wrong with it."""
    reading = read_plan(_octets(path))
    if reading.plan is None or reading.faults:
        raise FormFaults(path, reading.faults)
    return reading.plan


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

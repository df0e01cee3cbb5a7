"""The rules of the house, read off the source itself."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import enactor
import planner
from enactor.cli.main import main

ENACTOR = Path(enactor.__file__).parent
PLANNER = Path(planner.__file__).parent
PURE = [
    "names",
    "records",
    "plan",
    "plan_form",
    "fence",
    "observe",
    "guards",
    "swap",
    "batch",
    "gate",
    "standing",
    "brake",
    "wire",
    "judge",
    "report",
    "backoff",
    "cycle_report",
    "plan_index",
    "references",
    "sending",
    "aliases",
    "survivors",
]
IMPURE = {"boto3", "botocore", "time", "random", "os", "logging", "prometheus_client", "structlog", "socket", "secrets"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def sources(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*.py") if "sandbox" not in path.parts]


@pytest.mark.parametrize("module", PURE)
def test_what_decides_imports_nothing_of_the_outside(module: str) -> None:
    """A deciding module imports no AWS, clock, chance, file system or log."""
    assert not IMPURE & set(imported(ENACTOR / f"{module}.py"))


def test_the_enactor_never_imports_the_planner() -> None:
    """It must run when little else works."""
    assert not [path for path in sources(ENACTOR) if "planner" in set(imported(path))]


def test_record_sets_are_changed_in_one_place_and_never_upserted() -> None:
    """ChangeResourceRecordSets has one call site outside sandbox and replay, and no change is an UPSERT."""
    product = [path for path in sources(ENACTOR, PLANNER) if "replay" not in path.parts]
    calls = [path.name for path in product if ".change_resource_record_sets(" in path.read_text()]
    upserts = [path.name for path in product if '"UPSERT"' in path.read_text()]
    assert calls == ["route53.py"]
    assert upserts == []


def test_no_way_leads_from_the_product_to_a_protection_taken_out() -> None:
    """The replay's package is named by its own command alone, and `run` and `once` have no flag that reaches it."""
    naming = [
        path.name
        for path in sources(ENACTOR, PLANNER)
        if "replay" not in path.parts and "enactor.replay" in path.read_text()
    ]
    assert naming == ["playground.py"]
    for command in (main.commands["run"], main.commands["once"]):
        assert not [option for option in command.params if "without" in (option.name or "")]

"""The rules of the house, read off the source itself."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import enactor
import planner
from enactor.cli.main import main
from tests.mutation.groups import GROUPS, LEFT_OUT

ENACTOR = Path(enactor.__file__).parent
PLANNER = Path(planner.__file__).parent
PACKAGES = {"enactor": ENACTOR, "planner": PLANNER}
MODULE_LINES_MAX = 350
FUNCTION_LINES_MAX = 60
SAYS_PURE = re.compile(r"\bPure\b|\ba pure function\b")
PURE_AT_LEAST = {
    *(
        "names",
        "records",
        "plan",
        "plan_form",
        "plan_faults",
        "plan_rules",
        "plan_assembly",
        "plan_index",
        "plan_guards",
    ),
    *(
        "fence",
        "observe",
        "guards",
        "swap",
        "marks",
        "renewal",
        "batch",
        "gate",
        "standing",
        "brake",
        "judge",
        "sending",
        "wire",
    ),
    *(
        "report",
        "report_collect",
        "cycle_report",
        "backoff",
        "budget",
        "pace",
        "references",
        "aliases",
        "survivors",
        "settings",
    ),
    *("table_keys", "yaml_text", "sandbox.zone_model", "sandbox.zone_rules", "sandbox.resolver"),
}
"""Modules of the enactor that may not lose the word unseen."""
PURE_AT_LEAST_PLANNER = {
    "fleet",
    "fleet_endpoints",
    "fleet_forms",
    "fleet_writing",
    "import_endpoints",
    "import_file",
    "import_pools",
    "import_words",
    "importing",
    "members",
    "pools",
    "publishing",
    "weights",
    "schemas",
    *("fleet_settings", "combining", "inventory", "streaks", "signal_brake", "moving", "past", "gathering"),
    *("endpoint_planning", "planning", "reasons"),
}
PURE_LIBRARIES = {
    *(
        "bisect",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "datetime",
        "difflib",
        "enum",
        "fnmatch",
        "fractions",
        "functools",
    ),
    *(
        "hashlib",
        "ipaddress",
        "itertools",
        "json",
        "math",
        "msgspec",
        "re",
        "reprlib",
        "string",
        "typing",
        "yaml",
        "zlib",
    ),
}
"""All that a deciding module may reach: values and text. What is not listed (boto3, time, random, secrets, os, pathlib, tempfile,
socket, logging, threading, subprocess, tenacity, a metrics library) reaches a clock, chance, a file, a lock or the network."""


class Imports(ast.NodeVisitor):
    """Every module that a source needs when it runs: what stands under `if TYPE_CHECKING` is for the type checker alone."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for other in node.orelse:
                self.visit(other)
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.found.update(alias.name for alias in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        assert node.level == 0, "the product imports by whole names"
        assert node.module is not None
        inner = {f"{node.module}.{alias.name}" for alias in node.names} & set(modules())
        self.found.update(inner or {node.module})


@functools.cache
def modules() -> dict[str, ast.Module]:
    """Every module of both packages, by its name."""
    found = {}
    for package, folder in PACKAGES.items():
        for path in folder.rglob("*.py"):
            parts = (package, *path.relative_to(folder).with_suffix("").parts)
            found[".".join(part for part in parts if part != "__init__")] = ast.parse(path.read_text())
    return found


@functools.cache
def imports_of(module: str) -> frozenset[str]:
    visitor = Imports()
    visitor.visit(modules()[module])
    return frozenset(visitor.found)


def ways_out(module: str) -> dict[str, str]:
    """Return each library that a module reaches through both packages, and the way to it."""
    ways, todo = {module: module}, [module]
    out: dict[str, str] = {}
    while todo:
        here = todo.pop()
        for name in sorted(imports_of(here)):
            if name not in modules():
                out.setdefault(name.split(".")[0], ways[here])
            elif name not in ways:
                ways[name] = f"{ways[here]} > {name}"
                todo.append(name)
    return out


def pure_modules() -> list[str]:
    said = {name for name, tree in modules().items() if SAYS_PURE.search(ast.get_docstring(tree) or "")}
    return sorted(said)


def imported(path: Path) -> Iterator[str]:
    visitor = Imports()
    visitor.visit(ast.parse(path.read_text()))
    yield from (name.split(".")[0] for name in visitor.found)


def sources(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*.py") if "sandbox" not in path.parts]


def sources_of_all() -> list[Path]:
    return sorted(path for folder in PACKAGES.values() for path in folder.rglob("*.py"))


def where(path: Path) -> str:
    return path.relative_to(ENACTOR.parent).as_posix()


def test_what_was_pure_says_so() -> None:
    """The word in the docstring is what the next test goes by, so no deciding module may lose it."""
    wanted = {f"enactor.{name}" for name in PURE_AT_LEAST} | {f"planner.{name}" for name in PURE_AT_LEAST_PLANNER}
    assert wanted - set(pure_modules()) == set()


@pytest.mark.parametrize("module", pure_modules())
def test_what_decides_reaches_nothing_of_the_outside(module: str) -> None:
    """A module that calls itself pure reaches no AWS, clock, chance, file, lock or log, over no way."""
    assert {name: way for name, way in ways_out(module).items() if name not in PURE_LIBRARIES} == {}


@pytest.mark.parametrize("module", pure_modules())
def test_what_decides_asks_no_clock_and_opens_no_file(module: str) -> None:
    """What no import shows: `datetime` knows the time of day, and `open` and `print` are always there."""
    calls = [node.func for node in ast.walk(modules()[module]) if isinstance(node, ast.Call)]
    clock = [call.attr for call in calls if isinstance(call, ast.Attribute) and call.attr in {"now", "utcnow", "today"}]
    doors = [call.id for call in calls if isinstance(call, ast.Name) and call.id in {"open", "print", "input"}]
    assert (set(clock) - own_clock(module), doors) == (set(), [])


def own_clock(module: str) -> set[str]:
    """The budget asks the clock that it is handed."""
    return {"now"} if module == "enactor.budget" else set()


def test_the_walk_finds_a_way_out_and_skips_what_is_for_the_type_checker() -> None:
    """Shells reach the outside, also over other modules; so the walk would see it."""
    assert ways_out("enactor.cli.main")["tenacity"].endswith("> enactor.route53")
    assert "threading" in ways_out("enactor.sandbox.faults")
    assert "threading" not in ways_out("enactor.sandbox.answers")


@pytest.mark.parametrize("path", sources_of_all(), ids=where)
def test_modules_and_functions_fit_a_screen_or_a_few(path: Path) -> None:
    """No module is longer than 350 lines, and no function longer than 60."""
    text = path.read_text()
    lines = len(text.splitlines())
    assert lines <= MODULE_LINES_MAX, f"{lines} lines"
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions}
    assert {name: count for name, count in long.items() if count > FUNCTION_LINES_MAX} == {}


def test_every_pure_module_is_mutated_or_says_why_not() -> None:
    """What decides is changed in every small way by `make mutants`; and a group names modules and tests that are there."""
    grouped = {f"{group.package}.{module}" for group in GROUPS.values() for module in group.modules}
    pure = {module for module in pure_modules() if not module.startswith("enactor.sandbox.")}
    assert pure - grouped == set(LEFT_OUT)
    assert grouped <= set(modules())
    tests = [ENACTOR.parent / "tests" / f"{test}.py" for group in GROUPS.values() for test in group.tests]
    assert [path for path in tests if not path.exists()] == []


def test_the_enactor_never_imports_the_planner() -> None:
    """It must run when little else works."""
    assert not [path for path in sources(ENACTOR) if "planner" in set(imported(path))]


def test_record_sets_are_changed_in_one_place_and_never_upserted() -> None:
    """ChangeResourceRecordSets has one call site outside sandbox and replay, and no change is an UPSERT."""
    product = [path for path in sources(ENACTOR, PLANNER) if "replay" not in path.parts]
    calls = [path.name for path in product if ".change_resource_record_sets(" in path.read_text()]
    upserts = [path.name for path in product if '"UPSERT"' in path.read_text()]
    assert calls == ["route53.py"]
    assert upserts == ["permissions.py"], "`doctor` alone speaks of it: it asks IAM whether it is denied"


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

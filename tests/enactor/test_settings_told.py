"""How a command ends that was told too little, or what cannot be meant: exit 2, everything at once, each with its place."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from enactor.cli.main import main as enactor
from enactor.settings import VARIABLES
from planner.cli import main as planner


@pytest.fixture(autouse=True)
def _untold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither variables nor a file of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for variable in (*VARIABLES.values(), "ENACTOR_CONFIG"):
        monkeypatch.delenv(variable, raising=False)


def lines(*arguments: str) -> list[str]:
    """Run `enactor once` and return what it says on stderr."""
    result = CliRunner().invoke(enactor, ["once", *arguments], catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr.splitlines()


def test_what_is_lacking_is_named_with_the_three_places_to_tell_it_in() -> None:
    """Flag, variable, file; in the grammar of one and of many, and with the program that says so."""
    config = "into the file that --config or ENACTOR_CONFIG names"
    assert lines() == [
        f"enactor: no table is told: give --table or set ENACTOR_TABLE, or write table {config}",
        f"enactor: no fleet is told: give --fleet or set ENACTOR_FLEET, or write fleet {config}",
        f"enactor: no zones are told: give --zones or set ENACTOR_ZONES, or write zones {config}",
    ]
    result = CliRunner().invoke(planner, ["list", "--table", "plans"], catch_exceptions=False)
    assert (result.exit_code, result.stderr.split(":")[0]) == (2, "planner")


def test_a_config_file_is_named_in_each_of_its_faults_and_where_something_is_lacking(tmp_path: Path) -> None:
    """`tabel` is a mistake in the file, and that no table is told comes of it: both are said in one go."""
    (tmp_path / "c.yaml").write_text("tabel: plans\nlimits: {shrink-target: 0.1}\n", encoding="utf-8")
    said = lines("--config", "c.yaml", "--fleet", "Edge", "--zones", "Z0EXAMPLE")
    assert [line.split(";")[0] for line in said] == [
        "c.yaml: tabel: unknown setting, most like table",
        "--fleet: 'Edge' is not 1 to 32 of a-z, 0-9 and -",
        "c.yaml: limits.shrink-target: unknown limit, most like shrink-targets",
        "enactor: no table is told: give --table or set ENACTOR_TABLE, or write table into c.yaml",
    ]


@pytest.mark.parametrize("text", ["a: 1\na: 2", "- a", "\ttable: x", None])
def test_a_config_file_that_says_nothing_hides_no_other_fault(tmp_path: Path, text: str | None) -> None:
    """One line for the file, beginning with its name, and one for each other mistake of the command line."""
    if text is not None:
        (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    said = lines("--config", "c.yaml", "--fleet", "Edge", "--table", "plans", "--zones", "Z0EXAMPLE")
    assert [line[: line.index(" ")].rstrip(":") for line in said] == ["c.yaml", "--fleet"]

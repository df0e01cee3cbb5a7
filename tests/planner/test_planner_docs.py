"""docs/planner.md says what the code does: every key with its default, every event, and an example that is right in form."""

import re
from pathlib import Path
from typing import Final

import msgspec
import pytest
from click.testing import CliRunner

from planner.cli import main
from planner.events import LEVELS, NAMES, LookEnded
from planner.fleet_file import BalancerEntry, HealthEntry, PaceEntry, PoolEntry, SourceEntry
from tests.log_events import logged

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "planner.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, list[str]]:
    """Return the rows of the tables below a heading by the words in backquotes in their first cell."""
    text = PAGE.split(f"\n## {heading}\n", maxsplit=1)[1].split("\n## ", maxsplit=1)[0]
    found = re.findall(r"^\| (`.+?`) \| (.*) \|$", text, flags=re.MULTILINE)
    return {word: cells.split(" | ") for words, cells in found for word in re.findall(r"`([^`]+)`", words)}


def defaults(entry: type[msgspec.Struct]) -> dict[str, object]:
    return {
        field.encode_name: None if field.default is msgspec.NODEFAULT else field.default
        for field in msgspec.structs.fields(entry)
    }


@pytest.mark.parametrize(("heading", "entry"), [("health", HealthEntry), ("pace", PaceEntry)])
def test_every_key_has_a_row_with_its_default(heading: str, entry: type[msgspec.Struct]) -> None:
    """None is missing, and none is there that the code does not know."""
    wanted = {key: str(value).removesuffix(".0") for key, value in defaults(entry).items()}
    wanted |= {"from": "all that give any"} if heading == "health" else {}
    assert {key: cells[0].strip("`") for key, cells in rows(heading).items()} == wanted


def test_sources_pools_and_load_balancers_have_their_new_keys() -> None:
    """`kind` and `max_gone` of every source, `path` of the kind that is told of here."""
    sources = {key: cells[0] for key, cells in rows("sources").items()}
    assert sources == {"kind": "required", "max_gone": str(defaults(SourceEntry)["max_gone"]), "path": "required"}
    assert set(rows("pools and load balancers")) == {*defaults(PoolEntry), "drain", "health_check"}
    assert {"drain", "health_check"} <= set(defaults(BalancerEntry))


def test_every_event_and_outcome_is_named() -> None:
    """People write alerts on these words."""
    listed = {key: cells[0] for key, cells in rows("planner run").items()}
    own = logged(
        ROOT / part
        for part in (
            "planner/commands_run.py",
            "enactor/cli/ending.py",
            "enactor/log_capture.py",
            "enactor/log_settings.py",
        )
    )
    assert set(listed) == own | {"look-ended"} | {name for name, _ in NAMES.values()}
    levels = dict(NAMES.values())
    assert listed["no-plan"] == levels["no-plan"]
    assert listed["fleet-file-wrong"] == levels["fleet-file-wrong"]
    cell = next(line for line in PAGE.splitlines() if line.startswith("| `look-ended`"))
    assert set(LEVELS) <= set(re.findall(r"`([a-z-]+)`", cell))
    assert set(LookEnded.__struct_fields__) - {"outcome"} <= set(re.findall(r"`([a-z-]+)`", cell))


def test_the_example_is_right_in_form(tmp_path: Path) -> None:
    """As a person would paste it."""
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    path = tmp_path / "fleet.yaml"
    path.write_text(block, encoding="utf-8")
    result = CliRunner().invoke(main, ["check", str(path)])
    assert (result.exit_code, result.stderr) == (0, "")


def test_every_command_that_is_told_of_is_there() -> None:
    """With the flags that are named."""
    for command in rows("Commands"):
        word = command.split()[1]
        assert word in main.commands
    options = {option for parameter in main.commands["dry-run"].params for option in parameter.opts}
    assert {"--explain", "--format"} <= options

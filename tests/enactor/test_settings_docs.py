"""docs/settings.md says what the code does: every setting, every limit with its default, every guard, and an example that loads."""

import re
from pathlib import Path
from typing import Any, Final

import click
import msgspec
import pytest
from click.testing import CliRunner

from enactor.cli.main import main as enactor_command
from enactor.cli.options import CONFIG_LIMIT_OCTETS, CONFIG_VARIABLE, read_config
from enactor.guards import (
    ALLOWABLE,
    ENDPOINT_GUARDS,
    NOT_ALLOWABLE,
    ZONE_RECORD_SETS_MAX,
    Limits,
    LimitsTable,
    PlanLimits,
)
from enactor.plan_guards import PLAN_ALLOWABLE, PLAN_GUARDS
from enactor.settings import SHARE_DEFAULT, VARIABLES, Settings, settle
from planner.cli import main as planner_command
from planner.options import WholeType

PAGE: Final = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
LIMITS: Final = {
    **{field.encode_name: field.default for field in msgspec.structs.fields(Limits)},
    **{field.encode_name: field.default for field in msgspec.structs.fields(PlanLimits)},
    "zone-record-sets": ZONE_RECORD_SETS_MAX,
}
ENDPOINT_LIMITS: Final = {field.encode_name for field in msgspec.structs.fields(Limits)}
GROUPS: Final[dict[str, click.Group]] = {"enactor": enactor_command, "planner": planner_command}
ALSO: Final = {"adopt": ["api.example.test."], "deinit": ["--zone", "Z0EXAMPLE"]}
"""What a command needs besides what click knows of, so that settings are all it lacks."""


def section(heading: str) -> str:
    """Return what stands below a heading, down to the next of its rank or above."""
    level = heading.split(" ", maxsplit=1)[0]
    after = PAGE.split(f"\n{heading}\n", maxsplit=1)[1]
    return re.split(rf"\n#{{1,{len(level)}}} ", after, maxsplit=1)[0]


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of a section's tables by the word in backquotes in their first cell."""
    found = re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", text, flags=re.MULTILINE)
    return {word: [cell.strip() for cell in rest.split(" | ")] for word, rest in found}


def taking_settings(key: str = "") -> list[tuple[str, click.Command]]:
    """Return the commands that have the flag of a setting (of the table or the fleet where none is named), with their group's name."""
    wanted = {f"--{one}" for one in ([key] if key else ["table", "fleet"])}
    return [
        (group, command)
        for group, whole in GROUPS.items()
        for command in whole.commands.values()
        if any(wanted.intersection(param.opts) for param in command.params)
    ]


def lacking(group: str, command: click.Command) -> set[str]:
    """Return the settings that a command asks for at once where it is told none; zones it may ask for later, or take --zone."""
    words = [str(command.name), *ALSO.get(str(command.name), [])]
    for param in (one for one in command.params if one.required):
        is_number = isinstance(param.type, WholeType | click.types.IntParamType)
        value = "8" if is_number else {"guard": "limit"}.get(str(param.name), "30m")
        words += [value] if isinstance(param, click.Argument) else [param.opts[0], value]
    environment: dict[str, str | None] = dict.fromkeys([CONFIG_VARIABLE, *VARIABLES.values()])
    done = CliRunner().invoke(GROUPS[group], words, env=environment)
    assert done.exit_code == 2, done.output
    found = set(re.findall(r"no ([a-z-]+) (?:is|are) told", done.stderr))
    assert found, done.stderr
    return found - {"zones"}


@pytest.fixture
def example(tmp_path: Path) -> dict[str, Any]:
    """Return the page's example as the commands read it."""
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    path = tmp_path / "config.yaml"
    path.write_text(block, encoding="utf-8")
    return dict(read_config(str(path)))


def test_every_setting_has_a_row_with_its_variable() -> None:
    """No setting is missing, and none is there that the code does not know."""
    listed = {key: cells[0].strip("`") for key, cells in rows(section("## The settings")).items()}
    assert listed == VARIABLES
    assert CONFIG_VARIABLE in section("## The settings")
    assert f"{CONFIG_LIMIT_OCTETS:,} octets" in section("## The settings")


def test_defaults_of_settings_are_the_codes() -> None:
    """Only two settings have a default that is not nothing."""
    listed = {key: cells[1] for key, cells in rows(section("## The settings")).items()}
    told = {key: value for key, value in listed.items() if value != "none"}
    assert told == {"id": "the host name", "account-share": str(SHARE_DEFAULT)}
    settled = settle({}, {}, {}, "Host.Example")
    assert settled == Settings(id="host-example")


def required() -> dict[str, set[str]]:
    """Return what the page says that each command requires."""
    table = section("## The settings").split("\nWhat a command cannot do without:\n", maxsplit=1)[1]
    found = {}
    for commands, cell in re.findall(r"^\| (`(?:enactor|planner) .*?) \| (.*) \|$", table, flags=re.MULTILINE):
        group, _, first = re.findall(r"`(.*?)`", commands)[0].partition(" ")
        keys = set(re.findall("|".join(VARIABLES), re.split(r"[.;]", cell, maxsplit=1)[0])) - {"zones"}
        for name in [first, *re.findall(r"`(.*?)`", commands)[1:]]:
            found[f"{group} {name}"] = keys
    return found


def test_what_each_command_requires_is_said() -> None:
    """Of every command that takes settings, as it says itself where nothing is told."""
    assert required() == {f"{group} {one.name}": lacking(group, one) for group, one in taking_settings()}


def test_whoever_has_a_port_is_named() -> None:
    """In the row of the setting."""
    row = rows(section("## The settings"))["metrics"][2]
    having = {f"{group} {one.name}" for group, one in taking_settings("metrics")}
    assert set(re.findall(r"`((?:enactor|planner) [a-z]+)", row)) == having


def test_the_example_loads_without_a_fault(example: dict[str, Any]) -> None:
    """Through the real reader, with every value where it belongs."""
    settings = settle({}, {}, example, "host")
    assert (settings.table, settings.fleet, settings.zones) == ("plans", "edge", ("Z0EXAMPLE", "Z0OTHER"))
    assert (settings.account_share, settings.metrics) == (0.5, "127.0.0.1:9553")
    assert list(settings.roles) == ["Z0OTHER"]


def test_the_example_has_every_key(example: dict[str, Any]) -> None:
    """Whoever copies it sees all there is."""
    assert set(example) == {*VARIABLES, "limits"}
    assert set(example["limits"]) == {*LIMITS, "endpoints"}
    named = {key for rule in example["limits"]["endpoints"] for key in rule}
    assert named <= {"match", *ENDPOINT_LIMITS}


def test_the_limits_of_the_example_are_the_defaults(example: dict[str, Any]) -> None:
    """The page says so, and the first rule that fits counts for an endpoint, with the rest taken from above it."""
    assert {key: value for key, value in example["limits"].items() if key != "endpoints"} == LIMITS
    limits = settle({}, {}, example, "host").limits
    assert msgspec.structs.replace(limits, rules=()) == LimitsTable()
    assert limits.of("api.example.com.") == Limits()
    assert limits.of("login.example.com.") == Limits(shrink_targets=0.2, shrink_capacity=0.2)
    assert limits.of("a.b.batch.example.com.") == Limits(shrink_targets=0.9, shrink_capacity=0.5)
    assert limits.of("batch.example.com.") == Limits()


@pytest.mark.parametrize(
    ("heading", "labels"), [("### For one endpoint", ENDPOINT_GUARDS), ("### For a whole plan", PLAN_GUARDS)]
)
def test_every_guard_has_a_row(heading: str, labels: list[str]) -> None:
    """In the order of the code, each with what it refuses, its default, and who can lift it."""
    listed = rows(section(heading))
    assert list(listed) == list(labels)
    assert all(len(cells) == 3 and all(cells) for cells in listed.values())


def test_the_default_of_each_limit_stands_with_its_guard() -> None:
    """`limit` is the guard of the zone's quota; every other limit has its guard's name."""
    listed = rows(section("### For one endpoint")) | rows(section("### For a whole plan"))
    for name, default in LIMITS.items():
        guard = {"zone-record-sets": "limit", "slow-drain-seconds": "slow-drain"}.get(name, name)
        assert f"`{name}: {default:g}`" in listed[guard][1].replace(".0`", "`")


def test_what_a_person_can_allow_is_said_so() -> None:
    """Exactly as the code has it: `allow` stands in the rows of the guards that can be allowed, and in no other."""
    listed = rows(section("### For one endpoint"))
    assert all(listed[guard][2] == "nobody" for guard in NOT_ALLOWABLE)
    assert {guard for guard, cells in listed.items() if "allow" in cells[2]} == set(ALLOWABLE)
    whole = rows(section("### For a whole plan"))
    assert {guard for guard, cells in whole.items() if "allow" in cells[2]} == PLAN_ALLOWABLE

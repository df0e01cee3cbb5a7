"""What `enactor` prints for machines: one JSON object whatever happens, of the form that `planner schema` describes."""

import json
from typing import Any

import jsonschema
import pytest

from enactor.cli.main import main
from planner.schemas import SCHEMAS

from .world import World

COMMANDS = sorted(
    name
    for name, command in main.commands.items()
    if "as_json" in {option.name for option in command.params}
    and name in SCHEMAS
    and name not in {"probe", "history", "doctor"}
)
"""`probe` asks DNS and nothing else, `history` wants a name, and `doctor` has an exit status of its own; each has tests
that hold it against its schema."""


def fits(world: World, command: str, printed: str) -> dict[str, Any]:
    """Return the one object that was printed, which fits the command's own schema."""
    schema = json.loads(world.plan("schema", command).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    found: dict[str, Any] = json.loads(printed)
    jsonschema.Draft202012Validator(schema).validate(found)
    return found


def test_every_command_with_json_has_a_schema() -> None:
    """Who reads the JSON can look up its form."""
    with_json = {name for name, command in main.commands.items() if "as_json" in {one.name for one in command.params}}
    assert {"once", "survey", "status", "collect"} <= with_json <= set(SCHEMAS)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_printed_fits_the_schema(world: World, command: str) -> None:
    """With nothing published, and after a cycle in which one endpoint is right and one is refused."""
    fits(world, command, world.run(command, "--json").stdout)
    world.publish(world.endpoint(1, 2), world.endpoint(3, name="web.example.test."))
    world.once()
    world.publish(world.endpoint(), world.endpoint(3, name="web.example.test."), flags=["--unguarded"])
    result = world.run(command, "--json")
    assert result.exit_code == (0 if command == "collect" else 3)
    assert "error" not in fits(world, command, result.stdout)


def test_an_unusable_profile_is_told_as_an_object_too(world: World) -> None:
    """Exit 1, the sentence on stderr, and the same sentence in the one object on stdout."""
    started = {name: world.spawn(name, "--json", AWS_PROFILE="nope") for name in COMMANDS}
    for name, command in started.items():
        status, stdout, stderr = command.ended()
        error = fits(world, name, stdout)["error"]
        assert (status, "nope" in error) == (1, True)
        assert f"enactor: {error}" in stderr.splitlines()


def test_a_missing_table_is_told_as_an_object_too(world: World) -> None:
    """Collect, which can do nothing without its table, says so in an object; the others report what they saw, and the problem."""
    for command in COMMANDS:
        result = world.run(command, "--json", ENACTOR_TABLE="no-such-table")
        assert result.exit_code == 1
        found = fits(world, command, result.stdout)
        said = [found["error"]] if "error" in found else found["problems"]
        assert ("error" in found, "no-such-table" in " ".join(said)) == (command == "collect", True)


def test_without_json_stdout_stays_empty_where_all_failed(world: World) -> None:
    """People read the sentence; a pipe of text gets no object."""
    result = world.run("collect", ENACTOR_TABLE="no-such-table")
    assert (result.exit_code, result.stdout) == (1, "")

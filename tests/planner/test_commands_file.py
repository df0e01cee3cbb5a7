"""What `check`, `compile` and `schema` say, and that they need no AWS."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from enactor import yaml_text
from enactor.plan import digest_of
from enactor.version import version_text
from planner.cli import main
from planner.schemas import SCHEMAS, schema_of

README = Path(__file__).parents[2] / "README.md"
EXAMPLE = Path(__file__).parents[2] / "deploy" / "examples" / "fleet.yaml"


def run(*arguments: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin, catch_exceptions=False)


def valid(value: Any, what: str) -> None:
    schema = schema_of(what)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)


def test_example_is_right_and_fits_its_schema() -> None:
    """What people start from has no fault, and an editor with the schema agrees."""
    assert run("check", EXAMPLE).exit_code == 0
    valid(yaml_text.load(EXAMPLE.read_text(encoding="utf-8")), "fleet")


def test_the_readmes_fleet_file_is_a_whole_one(tmp_path: Path) -> None:
    """What a newcomer copies first has no fault and no warning, and fits the schema that stands beside it."""
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", README.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    path = tmp_path / "fleet.yaml"
    path.write_text(block, encoding="utf-8")
    result = run("check", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "fleet edge, 1 endpoint, 3 targets, 0 retired" in result.stdout
    valid(yaml_text.load(block), "fleet")
    assert len(block.splitlines()) <= 12


def test_compile_prints_the_canonical_plan() -> None:
    """The plan file fits its schema, compiles to itself, and has the digest that `check` names."""
    first = run("compile", EXAMPLE)
    assert first.exit_code == 0
    valid(json.loads(first.stdout), "plan")
    again = run("compile", "--plan", "-", stdin=first.stdout)
    assert again.stdout_bytes == first.stdout_bytes
    assert f"digest {digest_of(first.stdout_bytes)[:12]}" in run("check", EXAMPLE).stdout


def test_wrong_fleet_lists_every_fault(tmp_path: Path) -> None:
    """Exit 1, a line for each fault on stderr, nothing on stdout."""
    text = (
        EXAMPLE.read_text(encoding="utf-8")
        .replace("capacity: 20", "capacity: -1")
        .replace("192.0.2.1,", "192.0.2.999,")
    )
    path = tmp_path / "fleet.yaml"
    path.write_text(text, encoding="utf-8")
    result = run("check", path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        'pools.standard[0].addresses[0]: "192.0.2.999" is no IPv4 or IPv6 address: it does not parse (line 14)',
        "pools.fips[0].capacity: -1 is not above 0 (line 21)",
        "pools.fips[1].capacity: -1 is not above 0 (line 22)",
        f"{path}: 3 faults; nothing was done with it",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"fleet: edge\nfleet: west\n", "{path}:2:1: the key 'fleet' stands twice"),
        (b"fleet: edge\nzones:\n\tmain: x\n", "{path}:3:1: a tab cannot indent YAML; use spaces"),
        (b"\xff\xfe", "{path}: octet 0 is not UTF-8"),
        (b"", "{path}: it is empty; a fleet file has fleet, zones, pools, endpoints"),
    ],
)
def test_unreadable_fleet_is_one_fault_with_its_place(tmp_path: Path, text: bytes, message: str) -> None:
    """A duplicate key or a tab ends in a sentence, not in a stack trace."""
    path = tmp_path / "fleet.yaml"
    path.write_bytes(text)
    for command in ("check", "compile"):
        result = run(command, path)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.splitlines()[0] == message.format(path=path)


def test_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    """The reason comes from the system, the sentence from us."""
    result = run("check", tmp_path / "absent.yaml")
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert "No such file" in result.stderr


@pytest.mark.parametrize("what", sorted(SCHEMAS))
def test_schema_is_a_schema(what: str) -> None:
    """Every schema that can be asked for is valid draft 2020-12."""
    result = run("schema", what)
    assert result.exit_code == 0
    schema = json.loads(result.stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)


def test_one_of_a_thing_is_singular(tmp_path: Path) -> None:
    """One endpoint is no `1 endpoints`, and standard input is named where a fault stands."""
    path = tmp_path / "fleet.yaml"
    path.write_text(
        "{fleet: edge, zones: {main: {id: Z0EXAMPLE, name: example.com}}, endpoints: [{name: a.example.com, zone: main, "
        "pools: {p: 1}}], pools: {p: [{id: lb-1, addresses: [192.0.2.1]}]}}",
        encoding="utf-8",
    )
    assert "fleet edge, 1 endpoint, 1 target, 0 retired, digest" in run("check", path).stdout
    wrong = run("check", "-", stdin="a: 1\na: 2").stderr.splitlines()
    assert (wrong[0][:13], wrong[-1]) == ("<stdin>:2:1: ", "<stdin>: 6 faults; nothing was done with it")
    assert run("check", "--plan", "-", stdin="{}").stderr.splitlines()[-1].startswith("<stdin>: ")
    assert run("check", "-", stdin=path.read_text(encoding="utf-8")).stdout.startswith("<stdin>: fleet edge, ")


def test_version_is_bare() -> None:
    """As `enactor --version` prints it."""
    assert run("--version").stdout == f"{version_text()}\n"


def test_help_lists_the_exit_statuses() -> None:
    """What a script needs to know stands in the help, with what --detailed-exitcode changes."""
    text = " ".join(run("--help").stdout.split())
    for words in ("0 all is well", "1 something failed", "2 wrong usage", "3 a guard kept something back"):
        assert words in text
    assert "with --detailed-exitcode 0 nothing would change, 2 something would, 3 something is refused" in text
    text = "".join(run("dry-run", "--help").stdout.split())  # lines may end within an option's name
    assert "0itcouldbeshown,alsowhereguardsrefuse,unless--detailed-exitcodeisgiven" in text


def test_run_promises_the_port_that_it_has() -> None:
    """A planner has no status page: its port answers three paths."""
    text = " ".join(run("run", "--help").stdout.split())
    assert "/metrics, /healthz and /readyz" in text
    assert "status page" not in text


def test_help_names_every_schema_whole() -> None:
    """Each on a line of its own: a wrapped line would break `dry-run` in two, and nobody could copy it."""
    lines = [line.strip() for line in run("schema", "--help").stdout.splitlines()]
    assert set(lines) >= set(SCHEMAS)
    assert lines[0] == "Usage: main schema [OPTIONS] WHAT"


def test_schema_refuses_what_the_reader_refuses() -> None:
    """An editor shows an unknown key, a null and a weight over 255 as the reader would."""
    good = json.loads(run("compile", EXAMPLE).stdout)
    for change in ({"speed": 1}, {"ttl": None}, {"ttl": 0}, {"routing": "latency"}):
        wrong = json.loads(json.dumps(good))
        wrong["endpoints"][0] |= change
        with pytest.raises(jsonschema.ValidationError):
            valid(wrong, "plan")
    wrong = json.loads(json.dumps(good))
    wrong["endpoints"][0]["targets"][0]["weight"] = 256
    with pytest.raises(jsonschema.ValidationError):
        valid(wrong, "plan")


def test_wrong_usage_is_2() -> None:
    """An unknown schema, command or flag, and no file."""
    for arguments in (["schema", "moon"], ["fly"], ["check"], ["check", EXAMPLE, "--fast"]):
        assert run(*arguments).exit_code == 2


def test_real_process_ends_with_the_status_and_without_a_trace(tmp_path: Path) -> None:
    """The command as installed: no AWS, no environment, exit 0 and 1."""
    program = [sys.executable, "-c", "from planner.cli import main; main()"]
    root = str(Path(__file__).parents[2])
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": root}
    good = subprocess.run(
        [*program, "check", str(EXAMPLE)], env=environment, capture_output=True, text=True, check=False
    )
    assert (good.returncode, good.stderr) == (0, "")
    path = tmp_path / "fleet.yaml"
    path.write_text("fleet: Edge", encoding="utf-8")
    bad = subprocess.run([*program, "check", str(path)], env=environment, capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stdout) == (1, "")
    assert "Traceback" not in bad.stderr

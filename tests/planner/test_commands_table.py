"""What `list`, `show` and `diff` say of the plans in the table."""

import json
from typing import Any

import jsonschema
import pytest

from planner.schemas import schema_of


@pytest.fixture
def published(world: Any) -> Any:
    """Two plans: ep1 gains lb-3 and its others get another weight, ep2 goes, ep3 comes."""
    world.run("publish", world.fleet({"ep1": [1, 2], "ep2": [1]}), "--reason", "first")
    world.run("publish", world.fleet({"ep1": [1, 2, 3], "ep3": [9]}, capacity=20, retired="ep2"), "--reason", "second")
    return world


def test_list_shows_every_plan_newest_first(published: Any) -> None:
    """Generation, digest, endpoints, reason, and which one is HEAD or pinned."""
    published.table.pin(1, reason="keep", by="me", created_at="2026-11-30T04:00:00Z")
    result = published.run("list")
    rows = result.stdout.splitlines()
    assert result.exit_code == 0
    assert [row.split()[0] for row in rows] == ["generation", "2", "1"]
    assert "head" in rows[1]
    assert "pinned" in rows[2]
    assert published.table.head().digest[:12] in rows[1]
    report = published.json("list", "--json")
    jsonschema.validate(report, schema_of("list"))
    assert [(one["generation"], one["head"], one["pinned"]) for one in report["plans"]] == [
        (2, True, False),
        (1, False, True),
    ]


def test_list_of_a_fleet_without_plans_is_empty(world: Any) -> None:
    """Nothing published yet is no failure."""
    assert world.run("list").stdout.startswith("no plan of fleet edge")
    hint = "--fleet, or ENACTOR_FLEET, names it as its file does; `planner publish` stores its first plan"
    assert world.run("list", "--fleet", "nope").stderr == f"planner: is nope the right fleet? {hint}\n"
    assert world.json("list", "--json", "--fleet", "west") == {"fleet": "west", "plans": []}


def test_list_is_as_wide_as_columns_says(published: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script that knows how wide its reader is says so; without a word no cell is cut by a pipe."""
    published.run("publish", published.fleet({"ep1": [1, 2, 3], "ep3": [9, 8]}, capacity=20), "--reason", "x" * 40)
    monkeypatch.setenv("COLUMNS", "70")
    assert max(map(len, published.run("list").stdout.splitlines())) <= 70
    monkeypatch.setenv("COLUMNS", "wide")
    assert "x" * 40 in published.run("list").stdout
    monkeypatch.delenv("COLUMNS")
    assert "x" * 40 in published.run("list").stdout
    assert published.run("list").stderr == ""


def test_list_says_how_many_it_leaves_out(published: Any) -> None:
    """The newest N, and a sentence or a number for the rest."""
    result = published.run("list", "--limit", 1)
    assert [row.split()[0] for row in result.stdout.splitlines()] == ["generation", "2", "1"]
    assert result.stdout.splitlines()[-1] == "1 older plan left out; --limit 2 lists all"
    report = published.json("list", "--limit", 1, "--json")
    jsonschema.validate(report, schema_of("list"))
    assert ([one["generation"] for one in report["plans"]], report["left_out"]) == ([2], 1)
    assert "left_out" not in published.json("list", "--json")
    for limit in ("0", "many"):
        result = published.run("list", "--limit", limit)
        assert result.exit_code == 2
        assert f"'{limit}' is no number of plans" in result.stderr
    assert "[default: 50]" in published.run("list", "--help").stdout


def test_show_prints_the_plan_file_again(published: Any) -> None:
    """What `show` prints can be published: it is the same plan."""
    result = published.run("show", 1)
    path = published.write("again.json", result.stdout)
    assert published.run("compile", "--plan", path).stdout_bytes == published.table.read(1).body
    report = published.json("show", 1, "--json")
    jsonschema.validate(report, schema_of("show"))
    assert report["plan"] == json.loads(published.table.read(1).body)
    assert (report["generation"], report["reason"], report["parent"]) == (1, "first", 0)


def test_show_of_a_plan_that_is_not_there(published: Any) -> None:
    """One sentence that says what to look at; no number is wrong usage."""
    result = published.run("show", 7)
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert "planner list" in result.stderr
    result = published.run("show", "seven")
    assert result.exit_code == 2
    assert "'seven' is no generation, which is a whole number from 1" in result.stderr
    assert published.run("show", "0").exit_code == 2
    assert published.run("diff", "1", "9" * 13).exit_code == 2


def test_diff_names_endpoints_and_targets(published: Any) -> None:
    """Added, removed and changed endpoints, and in these each target."""
    result = published.run("diff", 1, 2)
    zone = published.zone
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"+ ep3.example.test. ({zone})",
        "    + A 192.0.2.9 weight 20 (lb-9)",
        f"- ep2.example.test. ({zone})",
        "    - A 192.0.2.1 weight 10 (lb-1)",
        f"~ ep1.example.test. ({zone})",
        "    + A 192.0.2.3 weight 20 (lb-3)",
        "    ~ A 192.0.2.1 weight 10 to 20",
        "    ~ A 192.0.2.2 weight 10 to 20",
        f"retired ep2.example.test. ({zone})",
    ]
    report = published.json("diff", 1, 2, "--json")
    jsonschema.validate(report, schema_of("diff"))
    assert [one["name"] for one in report["change"]["changed"]] == ["ep1.example.test."]
    assert published.run("diff", 2, 2).stdout == "generations 2 and 2 say the same\n"


def test_fleet_and_table_must_be_named(published: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them it is wrong usage, and the message names flag and variable."""
    monkeypatch.delenv("ENACTOR_FLEET")
    result = published.run("list")
    assert result.exit_code == 2
    assert "--fleet" in result.stderr
    assert "ENACTOR_FLEET" in result.stderr
    assert published.run("list", "--fleet", "edge").exit_code == 0

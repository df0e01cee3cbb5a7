"""What `import` prints, how it ends, and that it only reads."""

from typing import Any

import pytest

from enactor import yaml_text
from enactor.sandbox.faults import FaultRule

LIST = "ListResourceRecordSets"


def weighted(name: str, number: int, weight: int = 10, **more: Any) -> dict[str, Any]:
    values = {"TTL": 60, "ResourceRecords": [{"Value": f"192.0.2.{number}"}]}
    return {
        "Name": f"{name}.example.test.",
        "Type": "A",
        "SetIdentifier": f"lb-{number}",
        "Weight": weight,
        **values,
        **more,
    }


@pytest.fixture
def filled(world: Any) -> Any:
    """A zone with a name of two load balancers, and one of one."""
    for record in (weighted("api", 1), weighted("api", 2, 20), weighted("web", 3)):
        world.edit("CREATE", record)
    world.sandbox.reset_stats()
    return world


def endpoints(result: Any) -> list[str]:
    return [one["name"] for one in yaml_text.load(result.stdout)["endpoints"]]


def test_a_zone_becomes_a_fleet_file_that_changes_nothing(filled: Any) -> None:
    """Exit 0, the file alone on stdout, a line on stderr; `check` has nothing to say of it; no call could write."""
    result = filled.run("import", "--zone", filled.zone)
    assert (result.exit_code, result.stderr) == (0, "planner: 2 names imported\n")
    assert (
        result.stdout
        == f"""\
# Fleet edge, as `planner import` found it: a plan of this file changes no record set.
# From hosted zone {filled.zone} (example.test): 2 names.
fleet: edge

zones:
  example-test: {{id: {filled.zone}, name: example.test}}

pools:
  api:
    - {{id: lb-1, capacity: 10, addresses: [192.0.2.1]}}
    - {{id: lb-2, capacity: 20, addresses: [192.0.2.2]}}
  web:
    - {{id: lb-3, capacity: 10, addresses: [192.0.2.3]}}

endpoints:
  - {{name: api.example.test, zone: example-test, pools: {{api: 1}}}}
  - {{name: web.example.test, zone: example-test, pools: {{web: 1}}}}
"""
    )
    checked = filled.run("check", filled.write("imported.yaml", result.stdout))
    assert (checked.exit_code, checked.stderr) == (0, "")
    assert filled.sandbox.calls("ChangeResourceRecordSets") == 0
    assert filled.run("import", "--zone", filled.zone).stdout == result.stdout


def test_what_is_left_out_is_told_in_both_places_and_by_the_status(filled: Any) -> None:
    """Exit 3; the name and its reason on stderr and in the file, which is whole without it."""
    filled.edit("CREATE", weighted("old", 9, 0))
    filled.edit("CREATE", filled.txt("note.example.test.", "hello"))
    result = filled.run("import", "--zone", filled.zone)
    why = 'A "lb-9": weight 0, and a fleet file gives nobody 0: give it a weight or delete it, then import again'
    assert result.exit_code == 3
    assert result.stderr.splitlines() == [
        f"planner: left out old.example.test. ({filled.zone}): {why}",
        f"planner: zone {filled.zone} has 1 record set of other types (1 TXT), which no plan holds or touches",
        "planner: 2 names imported, 1 left out (exit 3)",
    ]
    assert result.stdout.endswith(f"# - old.example.test ({filled.zone})\n#     {why}\n")
    assert endpoints(result) == ["api.example.test", "web.example.test"]


def test_zones_names_and_fleet_come_as_for_every_command(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flag before the variable; several zones make one file; --names takes what matches."""
    other = filled.sandbox.create_zone("other.test")
    monkeypatch.setenv("ENACTOR_ZONES", f"{filled.zone},{other}")
    result = filled.run("import", "--fleet", "core", "--names", "api.*")
    assert result.exit_code == 0
    value = yaml_text.load(result.stdout)
    assert (value["fleet"], [one["id"] for one in value["zones"].values()]) == ("core", [filled.zone, other])
    assert endpoints(result) == ["api.example.test"]
    assert "# Only names were asked for that match api.*.\n" in result.stdout
    assert endpoints(filled.run("import", "--zone", other)) == []


def test_a_date_stands_there_only_where_it_is_asked_for(filled: Any) -> None:
    """So that a file that is made anew differs only where the zone does."""
    assert filled.run("import", "--zone", filled.zone, "--dated").stdout.startswith(
        "# Fleet edge, as `planner import` found it at 20"
    )


def test_nothing_is_printed_where_anything_could_not_be_read(filled: Any) -> None:
    """Exit 1, every zone that could not be read named: half a file would make names vanish."""
    gone = ("Z0GONE1", "Z0GONE2")
    result = filled.run("import", "--zone", filled.zone, "--zone", gone[0], "--zone", gone[1])
    assert (result.exit_code, result.stdout) == (1, "")
    for line, zone in zip(result.stderr.splitlines(), gone, strict=True):
        assert line.startswith("planner: ")
        assert zone in line
    filled.sandbox.add_fault(FaultRule(action="deny", operation=LIST, count=None))
    result = filled.run("import", "--zone", filled.zone)
    assert (result.exit_code, result.stdout) == (1, "")
    assert filled.zone in result.stderr


def test_a_pattern_that_finds_nothing_is_a_failure(filled: Any) -> None:
    """Every one of them: it is most likely mistyped, and its names would be missing unseen."""
    result = filled.run("import", "--zone", filled.zone, "--names", "api.*", "--names", "x", "--names", "*.y.test")
    assert (result.exit_code, result.stdout) == (1, "")
    what = f"matches no name with A, AAAA or CNAME record sets in zone {filled.zone}"
    assert result.stderr.splitlines() == [f"planner: --names 'x' {what}", f"planner: --names '*.y.test' {what}"]


def test_wrong_usage_is_told_at_once(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 2: no fleet, zones by name, each with its reason; no zone at all."""
    monkeypatch.delenv("ENACTOR_FLEET")
    result = filled.run("import", "--zone", "example.test", "--zone", "other.test")
    assert (result.exit_code, result.stdout) == (2, "")
    first, second = result.stderr.splitlines()
    assert "'example.test' is no hosted zone id" in first
    assert "'other.test' is no hosted zone id" in first
    assert second.startswith("planner: no fleet is told")
    result = filled.run("import", "--fleet", "edge")
    assert result.exit_code == 2
    assert "no zones are told" in result.stderr

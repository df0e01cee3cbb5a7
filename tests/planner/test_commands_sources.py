"""What the commands that look once do with a fleet file that names sources, and what dry-run explains of it."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from planner.schemas import schema_of


def fleet(world: Any, *numbers: int, **changes: Any) -> Path:
    """Write a fleet file whose pool comes from an inventory of these load balancers, and the inventory beside it."""
    listed = [{"id": f"lb-{n}", "capacity": 100, "addresses": [f"192.0.2.{n}"]} for n in numbers]
    (world.directory / "inventory").mkdir(exist_ok=True)
    (world.directory / "inventory" / "lbs.yaml").write_text(json.dumps(listed))
    file = {
        "fleet": "edge",
        "zones": {"main": {"id": world.zone, "name": "example.test"}},
        "sources": {"files": {"kind": "file", "path": "inventory"}},
        "pools": {"blue": {"from": ["files"]}},
        "endpoints": [{"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}}],
    }
    path: Path = world.write("fleet.yaml", json.dumps(file | changes))
    return path


def report_of(world: Any, path: Path, status: int = 0) -> Any:
    report = world.json("dry-run", path, "--json", status=status)
    jsonschema.validate(report, schema_of("dry-run"))
    return report


def test_check_connects_to_nothing(world: Any) -> None:
    """It judges the form alone: the inventory need not be there."""
    path = fleet(world, 1)
    (world.directory / "inventory" / "lbs.yaml").unlink()
    assert world.run("check", path).stdout == (
        f"{path}: fleet edge, 1 endpoint, 1 source, 0 retired; nothing was asked, "
        "`planner dry-run` shows what plan comes of it\n"
    )


def test_compile_dry_run_and_publish_look_once(world: Any) -> None:
    """What is in the inventory now is what comes out, at each of them."""
    world.start()
    path = fleet(world, 1, 2)
    compiled = json.loads(world.run("compile", path).stdout)
    assert [target["id"] for target in compiled["endpoints"][0]["targets"]] == ["lb-1", "lb-2"]
    assert len(report_of(world, path)["endpoints"][0]["change"]["added"]) == 2
    assert world.run("publish", path).stdout.startswith("published generation 1 ")
    assert world.enact() == "changed"
    path = fleet(world, 1, 2, 3)
    assert [one["target"] for one in report_of(world, path)["endpoints"][0]["change"]["added"]] == ["192.0.2.3"]
    assert world.run("publish", path).stdout.startswith("published generation 2 ")
    assert world.run("publish", path).stdout.startswith("unchanged generation 2 ")


def test_a_source_that_fails_ends_with_everything_that_is_wrong(world: Any) -> None:
    """Case 2: no plan at all, exit 1, and nothing stored; with --json one object."""
    path = fleet(world, 1, 2)
    (world.directory / "inventory" / "more.yaml").write_text("- {id: lb 3, addresses: [nowhere]}\n")
    for command in ("publish", "compile", "dry-run"):
        result = world.run(command, path)
        assert result.exit_code == 1
        lines = result.stderr.splitlines()
        assert lines[:2] == [
            'inventory/more.yaml: [0].id: "lb 3" does not match [A-Za-z0-9._:-]{1,64}',
            'inventory/more.yaml: [0].addresses[0]: "nowhere" is no IPv4 or IPv6 address: it does not parse',
        ]
        assert lines[2].startswith("planner: source files: 2 faults, the first of them inventory/more.yaml")
    assert "source files: 2 faults" in world.json("publish", path, "--json", status=1)["error"]
    assert world.table.head() is None


def test_a_source_that_lost_most_of_its_fleet_publishes_nothing(world: Any) -> None:
    """Held against the newest plan, as nothing is remembered."""
    world.run("publish", fleet(world, *range(1, 11)))
    result = world.run("publish", fleet(world, 1, 2))
    assert result.exit_code == 1
    assert "source files no longer offers 8 of 10 load balancers" in result.stderr
    assert world.run("publish", fleet(world, *range(1, 7))).exit_code == 0


def test_offers_that_make_no_plan_are_faults_with_the_sources_name(world: Any) -> None:
    """Two load balancers at one address: a rule of form that only the whole can break."""
    path = fleet(world, 1, 2)
    text = (world.directory / "inventory" / "lbs.yaml").read_text()
    (world.directory / "inventory" / "lbs.yaml").write_text(text.replace("192.0.2.2", "192.0.2.1"))
    result = world.run("publish", path)
    assert result.exit_code == 1
    assert "value 192.0.2.1 stands twice among the A targets of ep1.example.test." in result.stderr
    assert 'sources.files."lb-2"' in result.stderr


def test_a_drain_without_sources_ramps_down_over_publishes(world: Any) -> None:
    """Each publish is a step; the plan in force says where it is."""
    one = {"id": "lb-1", "capacity": 100, "addresses": ["192.0.2.1"]}
    two = {"id": "lb-2", "capacity": 100, "addresses": ["192.0.2.2"]}
    changes: dict[str, Any] = {
        "sources": {},
        "pools": {"blue": [one, two]},
        "pace": {"gather": "60s", "ramp_down": "1m"},
    }
    world.run("publish", fleet(world, **changes))
    leaving = changes | {"pools": {"blue": [one, two | {"drain": True}]}}
    path = fleet(world, **leaving)
    explained = world.run("dry-run", path, "--explain", "lb-2").stdout
    assert "leaves: it drains" in explained
    assert re.search(r"weight \d+ of 100: goes down to 1 over 1m, then out", explained)
    assert world.run("publish", path).exit_code == 0


@pytest.fixture
def applied(world: Any) -> Any:
    """Generation 1 of three load balancers is in force."""
    world.start()
    world.run("publish", fleet(world, 1, 2, 3))
    assert world.enact() == "changed"
    return world


def test_explain_says_of_each_why(applied: Any) -> None:
    """By endpoint, in any spelling, or one load balancer by its id; nothing else is printed."""
    path = fleet(applied, 1, 2, 4, pace={"warm_up": "10m"})
    lines = applied.run("dry-run", path, "--explain", "EP1.example.test").stdout.splitlines()
    assert lines[0] == f"ep1.example.test. ({applied.zone})"
    assert [line.strip() for line in lines if line.startswith("    in ")] == [
        "in lb-1 weight 100",
        "in lb-2 weight 100",
        next(line.strip() for line in lines if "in lb-4 weight" in line),
    ]
    assert "offered by files (inventory/lbs.yaml[2]), pool blue" in "\n".join(lines)
    assert "comes in: nobody gives a signal of it" in "\n".join(lines)
    assert "it warms up over 10m" in "\n".join(lines)
    assert lines[-2:] == ["    out lb-3 (now 100)", "        out: nobody lists or offers it any more"]
    assert applied.run("dry-run", path, "--explain", "lb-3").stdout.splitlines()[1:] == lines[-2:]
    assert applied.run("dry-run", path, "--explain", "nobody").exit_code == 2
    assert applied.run("dry-run", path, "--explain", "lb-3", "--json").exit_code == 2


def test_json_has_a_reason_for_every_target(applied: Any) -> None:
    """Also where nothing changes, and for those that are out."""
    path = fleet(applied, 1, 2, 3, 4)
    (endpoint,) = report_of(applied, path)["endpoints"]
    assert [(one["id"], one["standing"], one.get("before"), one.get("weight")) for one in endpoint["targets"]] == [
        ("lb-1", "in", 100, 100),
        ("lb-2", "in", 100, 100),
        ("lb-3", "in", 100, 100),
        ("lb-4", "in", None, 100),
    ]
    assert all(one["reasons"] for one in endpoint["targets"])
    assert [(bar["id"], bar["before"], bar["after"]) for bar in endpoint["bars"]] == [
        ("lb-1", 100, 100),
        ("lb-2", 100, 100),
        ("lb-3", 100, 100),
        ("lb-4", 0, 100),
    ]


def test_a_plain_fleet_file_is_explained_too(world: Any) -> None:
    """Everything is in at capacity x share, and the file says so."""
    world.start()
    path = world.fleet({"ep1": [1, 2]})
    assert world.run("dry-run", path, "--explain", "lb-2").stdout.splitlines()[1:] == [
        "    in lb-2 weight 10",
        "        listed in the fleet file, pool p0",
    ]
    world.run("publish", path)
    compiled = world.write("plan.json", world.run("compile", path).stdout)
    said = world.run("dry-run", "--plan", compiled, "--explain", "ep1.example.test")
    assert said.stdout.splitlines()[1:] == ["    a plan file gives no reasons; a fleet file does"]


def test_text_and_markdown_say_only_what_is_not_plain(applied: Any) -> None:
    """Two thousand load balancers that are simply in would hide the one that is not."""
    path = fleet(applied, 1, 2, 3, 4)
    for form in ("text", "markdown"):
        text = applied.run("dry-run", path, "--format", form).stdout
        assert "in lb-4 weight 100" in text
        assert "in lb-1" not in text


class Page(HTMLParser):
    """Everything that a browser would fetch or run, and every tag that is open."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        if tag in {"script", "link", "img", "iframe", "object", "video", "audio", "embed", "base", "form"} or names & {
            "src",
            "href",
            "srcset",
            "action",
            "onclick",
            "onload",
        }:
            self.fetched.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.text += data


def test_html_is_one_file_that_needs_nothing_else(applied: Any) -> None:
    """Well-formed, with bars before and after, readable in light and dark, and without a request."""
    html = applied.run("dry-run", fleet(applied, 1, 2, 4), "--format", "html").stdout
    page = Page()
    page.feed(html)
    assert (page.fetched, page.open) == ([], [])
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html
    assert "prefers-color-scheme: dark" in html
    assert "ep1.example.test." in page.text
    assert "lb-4 192.0.2.4" in page.text
    assert html.count('class="bar"') == 5, "three before, two that stay"
    assert html.count('class="bar moved"') == 1


def test_html_escapes_what_comes_from_outside(world: Any) -> None:
    """A source may be called, and say, anything: here a directory whose name is markup."""
    world.start()
    path = fleet(world, 1)
    (world.directory / "inventory").rename(world.directory / "<b onclick=x>&")
    text = path.read_text().replace('"path": "inventory"', '"path": "<b onclick=x>&"')
    path.write_text(text)
    html = world.run("dry-run", path, "--format", "html").stdout
    page = Page()
    page.feed(html)
    assert page.fetched == []
    assert "&lt;b onclick=x&gt;&amp;" in html
    assert "(<b onclick=x>&/lbs.yaml[0])" in page.text


def test_html_and_json_exclude_each_other(world: Any) -> None:
    """As every two formats do."""
    assert world.run("dry-run", fleet(world, 1), "--json", "--format", "html").exit_code == 2

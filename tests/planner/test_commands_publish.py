"""What `planner publish` stores, refuses and says."""

import hashlib
import json
from typing import Any

import jsonschema
import pytest

from enactor.plan import canonical_json
from enactor.plan_form import read_plan
from enactor.ports import Conflict, Draft, PlanHead
from enactor.sandbox.faults import FaultRule
from enactor.table import PlanTable, draft_of
from planner.schemas import schema_of


def labels(guards: list[dict[str, Any]]) -> list[str]:
    return [guard["guard"] for guard in guards]


def plan_json(zone: str, **endpoints: list[int]) -> dict[str, Any]:
    return {
        "format": 1,
        "fleet": "edge",
        "endpoints": [
            {
                "name": f"{name}.example.test.",
                "zone": zone,
                "routing": "weighted",
                "ttl": 60,
                "targets": [{"id": f"lb-{n}", "type": "A", "value": f"192.0.2.{n}", "weight": 10} for n in numbers],
            }
            for name, numbers in endpoints.items()
        ],
    }


def test_publish_stores_and_says_generation_and_digest(world: Any) -> None:
    """The first plan is generation 1, and its digest is the sha256 of what `compile` prints."""
    path = world.fleet({"ep1": [1, 2], "ep2": [1]})
    digest = hashlib.sha256(world.run("compile", path).stdout_bytes).hexdigest()
    result = world.run("publish", path)
    assert (result.exit_code, result.stdout) == (0, f"published generation 1 digest {digest[:12]}\n")
    assert world.table.head() == PlanHead(1, digest)


def test_identical_content_makes_no_generation(world: Any) -> None:
    """The same plan again, spelled another way, leaves HEAD where it is."""
    world.run("publish", world.fleet({"ep1": [1, 2], "ep2": [1]}))
    digest = world.table.head().digest
    result = world.run("publish", world.fleet({"ep2": [1], "EP1": [2, 1]}))
    assert (result.exit_code, result.stdout) == (0, f"unchanged generation 1 digest {digest[:12]}\n")
    report = world.json("publish", world.fleet({"ep1": [1, 2], "ep2": [1]}), "--json")
    assert report == {"generation": 1, "digest": digest, "created": False, "refused": [], "carried": []}


def test_identical_content_makes_a_generation_where_the_floor_is_at_head(world: Any) -> None:
    """A zone that met a generation the table lost must be passed, and only a new generation does that."""
    path = world.fleet({"ep1": [1, 2]})
    world.run("publish", path)
    world.table.raise_floor(1)
    assert world.run("publish", path).stdout.startswith("published generation 2 ")
    world.table.raise_floor(40)
    assert world.run("publish", path).stdout.startswith("published generation 41 ")
    assert world.run("publish", path).stdout.startswith("unchanged generation 41 ")


def test_identical_content_makes_a_generation_where_heads_body_is_damaged(world: Any) -> None:
    """A body that does not read back is of no use to anybody, whatever HEAD's digest says."""
    path = world.fleet({"ep1": [1, 2]})
    world.run("publish", path)
    _damage(world)
    result = world.run("publish", path)
    assert result.stdout.startswith("published generation 2 ")
    assert "generation 1, the newest, cannot be read" in result.stderr


def test_guards_judge_against_an_older_plan_where_head_is_damaged(world: Any) -> None:
    """A damaged HEAD is no way past the guards."""
    world.run("publish", world.fleet({"ep1": [1, 2]}))
    world.run("publish", world.fleet({"ep1": [1, 2], "ep2": [3]}))
    _damage(world)
    report = world.json("publish", world.fleet({"ep2": [3]}), "--json", status=3)
    assert labels(report["refused"]) == ["vanished"]


def _damage(world: Any) -> None:
    import boto3  # noqa: PLC0415 - only here

    items = boto3.client("dynamodb")
    table = world.environment["ENACTOR_TABLE"]
    chunks = [item for item in items.scan(TableName=table)["Items"] if item["sk"]["S"].startswith("chunk#")]
    upload = world.table.list()[0].upload
    for chunk in chunks:
        if upload in chunk["sk"]["S"]:
            items.put_item(TableName=table, Item=chunk | {"data": {"B": b"rot"}})


def test_case_1_no_endpoints_is_refused(world: Any) -> None:
    """Case 1: a plan with 0 endpoints is refused as a whole, HEAD stays, and the reason is said."""
    world.run("publish", world.fleet({f"ep{n}": [n] for n in range(1, 21)}))
    head = world.table.head()
    result = world.run("publish", world.fleet({}))
    assert (result.exit_code, result.stdout) == (3, "")
    assert "empty-plan" in result.stderr
    assert world.table.head() == head
    report = world.json("publish", world.fleet({}), "--json", status=3)
    assert (report["generation"], report["created"], labels(report["refused"])) == (1, False, ["empty-plan"])


def test_first_plan_without_endpoints_stores_nothing(world: Any) -> None:
    """There is no HEAD to show then."""
    report = world.json("publish", world.fleet({}), "--json", status=3)
    assert (report["generation"], report["digest"]) == (None, None)
    assert world.table.head() is None


def test_case_3_one_empty_endpoint_keeps_its_parents_content(world: Any) -> None:
    """Case 3: ep1 without targets is carried forward, the others move, exit 3."""
    world.run("publish", world.fleet({"ep1": [1, 2], "ep2": [1, 2]}))
    result = world.run("publish", world.fleet({"ep1": [], "ep2": [1, 2, 3]}))
    assert result.exit_code == 3
    first, second, last = result.stdout.splitlines()
    assert first.startswith("published generation 2 digest ")
    assert second.startswith(f"carried ep1.example.test. ({world.zone}): empty: ")
    asked = hashlib.sha256(world.run("compile", world.fleet({"ep1": [], "ep2": [1, 2, 3]})).stdout_bytes).hexdigest()
    explained = "1 of 2 endpoints is refused and keeps generation 1's content (exit 3)"
    assert last == f"{explained}; what was asked for as a whole has digest {asked[:12]}"
    plan = world.table.read(2).plan
    assert [len(endpoint.targets) for endpoint in plan.endpoints] == [2, 3]
    again = world.json("publish", world.fleet({"ep1": [], "ep2": [1, 2, 3]}), "--json", status=3)
    assert (again["created"], again["generation"], labels(again["carried"][0]["guards"])) == (False, 2, ["empty"])
    assert set(again["carried"][0]) == {"name", "zone", "guards"}


def test_a_publish_of_which_nothing_new_was_let_through_is_logged_as_refused(world: Any) -> None:
    """Exit 3 and a log line that says all is well would contradict each other; a plan that is the same is `unchanged`."""
    world.run("publish", world.fleet({"ep1": [1, 2]}))
    result = world.run("publish", world.fleet({"ep1": []}))
    assert (result.exit_code, result.stdout.split(" digest ")[0]) == (3, "unchanged generation 1")
    logged = json.loads(result.stderr.splitlines()[-1])
    assert (logged["outcome"], logged["level"]) == ("refused", "warning")
    assert logged["detail"] == "everything new was refused: 1 endpoint carried or left out; nothing was stored"
    logged = json.loads(world.run("publish", world.fleet({"ep1": [1, 2]})).stderr.splitlines()[-1])
    assert (logged["outcome"], logged["level"]) == ("unchanged", "info")


def test_what_is_held_against_the_parent_names_it(world: Any) -> None:
    """What stands in the zone may be another plan's content: a share is one of something."""
    v6 = {"id": "lb-6", "type": "AAAA", "value": "2001:db8::6", "weight": 10}
    raw = plan_json(world.zone, ep1=[1, 2, 3], ep2=[1], ep3=[1])
    raw["endpoints"][1]["targets"].append(v6)
    world.run("publish", "--plan", world.write("first.json", json.dumps(raw)))
    path = world.write("second.json", json.dumps(plan_json(world.zone, ep1=[1], ep2=[1], ep3=[])))
    carried = world.json("publish", "--plan", path, "--json", status=3)["carried"]
    said = {f"{one['name'][:3]} {guard['guard']}": guard["message"] for one in carried for guard in one["guards"]}
    assert said["ep1 shrink-targets"] == "v4: 2 of 3 targets go, a share of 0.67 over the limit 0.5 (against plan 1)"
    assert said["ep2 kind"].endswith("which no plan can ask for (against plan 1)")
    assert "against plan" not in said["ep3 empty"]


def test_refused_new_endpoint_is_left_out(world: Any) -> None:
    """It has no parent's content to keep."""
    report = world.json("publish", world.fleet({"ep1": [], "ep2": [1]}), "--json", status=3)
    assert (report["created"], report["carried"][0]["name"]) == (True, "ep1.example.test.")
    again = world.run("publish", world.fleet({"ep1": [], "ep2": [1]})).stdout.splitlines()[-1]
    assert again.startswith("1 of 2 endpoints is refused and, being new, left out (exit 3); ")
    assert report["carried"][0]["left_out"] is True
    assert [endpoint.name for endpoint in world.table.read(1).plan.endpoints] == ["ep2.example.test."]


def test_only_refused_new_endpoints_store_nothing(world: Any) -> None:
    """What is left has no endpoints, which is refused as a whole."""
    report = world.json("publish", world.fleet({"ep1": []}), "--json", status=3)
    assert (report["created"], labels(report["refused"])) == (False, ["empty-plan"])
    assert world.table.head() is None


@pytest.mark.parametrize("names", [["ep1"], ["ep1", "ep2"]])
def test_case_4_absence_is_never_a_deletion(world: Any, names: list[str]) -> None:
    """Case 4: a plan that no longer mentions ep5 is refused, unless it lists it as retired."""
    world.run("publish", world.fleet({"ep1": [1], "ep2": [1], "ep5": [1]}))
    result = world.run("publish", world.fleet({name: [1] for name in names}))
    assert result.exit_code == 3
    assert "vanished" in result.stderr
    assert "ep5.example.test." in result.stderr
    assert world.table.head().generation == 1
    kept = world.fleet({"ep1": [1], "ep2": [1]}, retired="ep5")
    assert world.run("publish", kept).stdout.startswith("published generation 2 ")


def test_case_74_three_of_200_endpoints_is_refused(world: Any) -> None:
    """Case 74: a plan file with 3 of 200 endpoints changes nothing."""
    every = {f"ep{n}": [1] for n in range(200)}
    world.run("publish", "--plan", world.write("plan.json", json.dumps(plan_json(world.zone, **every))))
    few = world.write("few.json", json.dumps(plan_json(world.zone, ep1=[1], ep2=[1], ep3=[1])))
    report = world.json("publish", "--plan", few, "--json", status=3)
    assert labels(report["refused"]) == ["vanished"]
    assert report["refused"][0]["observed"] == 200
    assert world.table.head().generation == 1


def test_case_9_shrink_is_refused_by_targets_and_by_weight(world: Any) -> None:
    """Cases 8, 9: 40 targets to 1 is refused by both guards; 2 to 1 at the limit of a half passes; 3 to 1 does not."""
    world.run("publish", world.fleet({"ep1": list(range(1, 41)), "ep2": [1, 2], "ep3": [1, 2, 3]}, capacity=100))
    report = world.json("publish", world.fleet({"ep1": [1], "ep2": [1], "ep3": [1]}, capacity=100), "--json", status=3)
    assert {one["name"]: labels(one["guards"]) for one in report["carried"]} == {
        "ep1.example.test.": ["shrink-targets", "shrink-capacity"],
        "ep3.example.test.": ["shrink-targets", "shrink-capacity"],
    }
    assert [len(endpoint.targets) for endpoint in world.table.read(2).plan.endpoints] == [40, 1, 3]


def test_case_55_all_weights_zero_is_refused(world: Any) -> None:
    """Case 55: weights that are all zero serve everybody alike, which nobody means; "1O0" is a fault of form."""
    raw = plan_json(world.zone, ep1=[1, 2])
    world.run("publish", "--plan", world.write("good.json", json.dumps(raw)))
    for target in raw["endpoints"][0]["targets"]:
        target["weight"] = 0
    report = world.json("publish", "--plan", world.write("zero.json", json.dumps(raw)), "--json", status=3)
    assert "zero-weights" in labels(report["carried"][0]["guards"])
    raw["endpoints"][0]["targets"][0]["weight"] = "1O0"
    result = world.run("publish", "--plan", world.write("text.json", json.dumps(raw)))
    assert result.exit_code == 1
    assert 'endpoints[0].targets[0].weight: "1O0" is text' in result.stderr


def test_unguarded_stores_as_is(world: Any) -> None:
    """`--unguarded` stores an empty endpoint, a vanished one and no endpoint at all, exit 0: enactors still refuse."""
    world.run("publish", world.fleet({"ep1": [1, 2], "ep2": [1]}))
    result = world.run("publish", world.fleet({"ep1": []}), "--unguarded")
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)
    assert world.table.read(2).plan.endpoints[0].targets == ()
    assert world.run("publish", world.fleet({}), "--unguarded").exit_code == 0
    assert world.table.read(3).plan.endpoints == ()


def test_case_22_wrong_form_is_refused_whole_naming_it(world: Any) -> None:
    """Case 22: one bad name among 50 good ones stores nothing, whatever flags; every fault is a line on stderr."""
    raw = plan_json(world.zone, **{f"ep{n}": [1] for n in range(50)})
    raw["endpoints"][7]["name"] = "ep..example.test"
    raw["endpoints"][9]["ttl"] = 0
    path = world.write("plan.json", json.dumps(raw))
    for flags in ([], ["--unguarded"]):
        result = world.run("publish", "--plan", path, *flags)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.splitlines() == [
            'endpoints[7].name: "ep..example.test" is no DNS name: a label is empty',
            "endpoints[9].ttl: 0 is under 1",
            f"{path}: 2 faults; nothing was done with it",
        ]
    faults = world.json("publish", "--plan", path, "--json", status=1)["faults"]
    assert [fault["path"] for fault in faults] == ["endpoints[7].name", "endpoints[9].ttl"]
    assert world.table.head() is None


def test_expect_digest_refuses_what_was_not_reviewed(world: Any) -> None:
    """Another file, or a file of which guards carry a part, is not what was reviewed."""
    path = world.fleet({"ep1": [1, 2]})
    digest = hashlib.sha256(world.run("compile", path).stdout_bytes).hexdigest()
    result = world.run("publish", path, "--expect-digest", "0" * 64)
    assert (result.exit_code, world.table.head()) == (1, None)
    assert digest[:12] in result.stderr
    assert world.run("publish", path, "--expect-digest", digest).exit_code == 0
    empty = world.fleet({"ep1": []}, name="empty.yaml")
    wanted = hashlib.sha256(world.run("compile", empty).stdout_bytes).hexdigest()
    result = world.run("publish", empty, "--expect-digest", wanted[:12])
    assert result.exit_code == 1
    assert "guards refuse ep1.example.test." in result.stderr
    assert world.run("publish", path, "--expect-digest", "xyz").exit_code == 2


def test_expect_parent_refuses_another_head(world: Any) -> None:
    """0 stands for nothing published yet."""
    path = world.fleet({"ep1": [1, 2]})
    assert world.run("publish", path, "--expect-parent", 1).exit_code == 1
    assert world.run("publish", path, "--expect-parent", 0).exit_code == 0
    more = world.fleet({"ep1": [1, 2, 3]})
    result = world.run("publish", more, "--expect-parent", 0)
    assert result.exit_code == 1
    assert "HEAD is generation 1, not 0" in result.stderr
    assert world.run("publish", more, "--expect-parent", 1).exit_code == 0


def test_cases_13_and_20_the_second_planner_plans_again(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases 13, 20: a planner that loses the race runs its guards again, on the plan that won."""
    world.run("publish", world.fleet({"ep1": [1, 2]}))
    other = read_plan(json.dumps(plan_json(world.zone, ep1=[1, 2], ep2=[1]))).plan
    assert other is not None
    real = PlanTable.publish

    def overtaken(self: PlanTable, draft: Draft, *, parent: PlanHead | None, source: int | None = None) -> Any:
        monkeypatch.setattr(PlanTable, "publish", real)
        real(self, draft_of(other, planner="other", reason="", created_at=""), parent=parent)
        return real(self, draft, parent=parent, source=source)

    monkeypatch.setattr(PlanTable, "publish", overtaken)
    result = world.run("publish", world.fleet({"ep1": [1, 2, 3]}))
    assert result.exit_code == 3
    assert "vanished" in result.stderr
    assert world.table.read(2).body == canonical_json(other)
    assert world.table.read(3) is None


def test_a_planner_that_always_loses_says_so(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop is bounded, and ends in one sentence."""

    def always(self: PlanTable, draft: Draft, *, parent: PlanHead | None, source: int | None = None) -> Any:
        raise Conflict("somebody was first")

    monkeypatch.setattr(PlanTable, "publish", always)
    monkeypatch.setattr("planner.publisher.WAIT_MAX_SECONDS", 0.0)
    result = world.run("publish", world.fleet({"ep1": [1]}))
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


def test_limits_come_from_the_config_file(world: Any) -> None:
    """The planner's guards have the limits of ENACTOR_CONFIG, by endpoint pattern too."""
    config = world.write(
        "config.yaml", "limits: {endpoints: [{match: 'ep1.*', shrink-targets: 0.9, shrink-capacity: 0.9}]}"
    )
    world.run("publish", world.fleet({"ep1": [1, 2, 3, 4], "ep2": [1, 2, 3, 4]}))
    report = world.json("publish", world.fleet({"ep1": [1], "ep2": [1]}), "--config", config, "--json", status=3)
    assert [one["name"] for one in report["carried"]] == ["ep2.example.test."]


def test_missing_table_is_one_sentence(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that does not exist is exit 1, what and where; none set is wrong usage."""
    path = world.fleet({"ep1": [1]})
    result = world.run("publish", path, "--table", "nowhere")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "nowhere" in result.stderr
    monkeypatch.delenv("ENACTOR_TABLE")
    assert world.run("publish", path).exit_code == 2


@pytest.mark.parametrize(
    "rule",
    [
        FaultRule(
            action="deny",
            service="dynamodb",
            code="UnrecognizedClientException",
            message="The security token included in the request is invalid.",
            status=400,
            count=None,
        ),
        FaultRule(action="deny", service="dynamodb", count=None),
    ],
    ids=["wrong credentials", "no permission"],
)
def test_denied_is_one_sentence_and_stores_nothing(world: Any, rule: FaultRule) -> None:
    """Wrong credentials, or no permission: exit 1, one sentence, one object for machines, nothing half written."""
    path = world.fleet({"ep1": [1]})
    world.sandbox.add_fault(rule)
    result = world.run("publish", path)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert list(world.json("publish", path, "--json", status=1)) == ["error"]
    world.sandbox.clear_faults()
    assert world.table.head() is None


def test_wrong_usage_is_2(world: Any) -> None:
    """No file, two files, an unknown flag, a wrong config."""
    path = world.fleet({"ep1": [1]})
    for arguments in (
        ["publish"],
        ["publish", path, "--plan", path],
        ["publish", path, "--force"],
        ["publish", path, "--config", world.write("c.yaml", "speed: 1")],
        ["publish", path, "--config", world.write("c.yaml", "a: 1\na: 2")],
        ["publish", path, "--config", world.directory / "absent.yaml"],
        ["publish", path, "--id", "Not An Id"],
    ):
        assert world.run(*arguments).exit_code == 2, arguments


def test_the_files_fleet_counts_and_another_one_is_said(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ENACTOR_FLEET names another fleet the file's is published, and both are named in one sentence on stderr."""
    path = world.fleet({"ep1": [1]})
    assert "counts" not in world.run("publish", path).stderr
    monkeypatch.setenv("ENACTOR_FLEET", "west")
    sentence = (
        "planner: fleet edge counts, which the file names, and not west, which ENACTOR_FLEET or the configuration names"
    )
    result = world.run("publish", path)
    assert (result.exit_code, result.stderr.splitlines().count(sentence)) == (0, 1)
    result = world.run("publish", path, "--json")
    assert json.loads(result.stdout)["generation"] == 1
    assert sentence in result.stderr
    assert world.run("list").stdout.startswith("no plan of fleet west")
    monkeypatch.delenv("ENACTOR_FLEET")
    assert "counts" not in world.run("publish", path).stderr


def test_a_wrong_zone_id_is_said_to_be_one(world: Any) -> None:
    """The guard is `vanished` all the same; its sentence names both zones instead of names that nobody mentions."""
    world.run("publish", world.fleet({"ep1": [1]}))
    good = world.zone
    world.zone = "Z0WRONG"
    result = world.run("publish", world.fleet({"ep1": [1]}))
    assert result.exit_code == 3
    assert (
        f"refused by vanished: ep1.example.test. is mentioned in zone Z0WRONG and no longer in {good}" in result.stderr
    )


def test_everything_that_publish_prints_for_machines_fits_its_schema(world: Any) -> None:
    """A report, faults of the file and a failure outside: one schema for them all."""
    good, empty = world.fleet({"ep1": [1, 2]}), world.fleet({"ep1": []}, name="empty.yaml")
    wrong = world.write("wrong.yaml", "fleet: Edge")
    for arguments, status, key in (
        ([good], 0, "created"),
        ([good], 0, "created"),
        ([empty], 3, "carried"),
        ([world.fleet({}, name="none.yaml")], 3, "refused"),
        ([good, "--expect-parent", 9], 1, "refused"),
        ([wrong], 1, "faults"),
        ([world.directory / "absent.yaml"], 1, "error"),
        ([good, "--table", "nowhere"], 1, "error"),
    ):
        printed = world.json("publish", *arguments, "--json", status=status)
        jsonschema.validate(printed, schema_of("publish"))
        assert key in printed
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"failure": "something else"}, schema_of("publish"))


@pytest.mark.parametrize("words", [("list",), ("show", "1"), ("diff", "1", "2"), ("dry-run", "FILE")])
def test_a_failure_fits_the_schema_of_the_command(world: Any, words: tuple[str, ...]) -> None:
    """What the other commands print for machines where the table is not there, or the file is wrong, is described too."""
    path = world.fleet({"ep1": [1]})
    arguments = [path if word == "FILE" else word for word in words]
    printed = world.json(*arguments, "--json", "--table", "nowhere", status=1)
    jsonschema.validate(printed, schema_of(words[0]))
    assert list(printed) == ["error"]
    if words[0] == "dry-run":
        printed = world.json("dry-run", world.write("wrong.yaml", "a: 1\na: 2"), "--json", status=1)
        jsonschema.validate(printed, schema_of("dry-run"))
        assert printed["faults"][0]["path"].endswith("wrong.yaml:2:1")


def test_publish_repeats_the_warnings_of_check(world: Any) -> None:
    """Whoever publishes without a look before hears them too, on stderr alone; with faults as well."""
    path = world.fleet({"ep1": [300]}, capacity=1000)
    text = path.read_text(encoding="utf-8").replace("192.0.2.300", "127.0.0.1")
    path = world.write("fleet.yaml", text)
    checked = [line for line in world.run("check", path).stderr.splitlines() if line.startswith("warning: ")]
    assert len(checked) == 2
    assert world.run("publish", path).stderr.splitlines()[:2] == checked
    wrong = world.run("publish", world.write("wrong.yaml", text.replace('"main", "pools"', '"moon", "pools"')))
    assert (wrong.exit_code, [line for line in wrong.stderr.splitlines() if "loopback" in line]) == (1, checked[1:])


def test_who_and_why_are_kept(world: Any) -> None:
    """Whoever looks at the table later sees who published it, when, and the reason."""
    world.run("publish", world.fleet({"ep1": [1]}), "--reason", "first light", "--id", "planner-a")
    entry = world.table.list()[0]
    assert (entry.planner, entry.reason, entry.endpoints, entry.zones) == ("planner-a", "first light", 1, (world.zone,))
    assert entry.created_at.endswith("Z")


def test_what_is_refused_says_how_it_gets_in_where_it_is_meant(world: Any) -> None:
    """The number is the one that the command needs; what nobody can lift names no command."""
    world.run("publish", world.fleet({"ep1": [1, 2, 3], "ep2": [1]}))
    whole = world.run("publish", world.fleet({"ep1": [1, 2, 3]}))
    assert whole.stderr.splitlines()[-1] == (
        "planner: if it is meant: `enactor allow '*' --guard vanished --generation 2 --reason R`, and publish again"
    )
    kept = world.run("publish", world.fleet({"ep1": [1], "ep2": [1, 2]}))
    assert kept.stdout.startswith("published generation 2 ")
    assert kept.stderr.splitlines()[-3:] == [
        "planner: if it is meant: publish it with --unguarded (generation 3), then",
        "planner:   `enactor allow ep1.example.test. --guard shrink-capacity --generation 3 --reason R`",
        "planner:   `enactor allow ep1.example.test. --guard shrink-targets --generation 3 --reason R`",
    ]
    assert "if it is meant" not in world.run("publish", world.fleet({"ep1": [], "ep2": [1, 2]})).stderr
    assert "if it is meant" not in world.run("publish", world.fleet({})).stderr

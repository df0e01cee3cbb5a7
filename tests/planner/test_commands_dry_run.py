"""What `dry-run` shows of the zone, the guards and the cost, and that it writes nothing."""

import hashlib
from typing import Any

import jsonschema
import pytest

from enactor.sandbox.faults import FaultRule
from planner.schemas import schema_of

WRITES = (
    "ChangeResourceRecordSets",
    "TransactWriteItems",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "CreateTable",
)


def one(report: Any, name: str) -> Any:
    (found,) = [endpoint for endpoint in report["endpoints"] if endpoint["name"] == f"{name}.example.test."]
    return found


def json_of(world: Any, path: Any, status: int = 0, *flags: str) -> Any:
    report = world.json("dry-run", path, "--format", "json", *flags, status=status)
    jsonschema.validate(report, schema_of("dry-run"))
    return report


@pytest.fixture
def applied(world: Any) -> Any:
    """A zone in which generation 1 is in force: ep1 and ep2."""
    world.start()
    world.run("publish", world.fleet({"ep1": [1, 2, 3], "ep2": [1]}))
    assert world.enact() == "changed"
    world.sandbox.reset_stats()
    return world


def test_first_plan_shows_everything_as_missing(world: Any) -> None:
    """Nothing published, nothing in the zone: what would be created, and what it costs."""
    world.start()
    report = json_of(world, world.fleet({"ep1": [1, 2, 3], "ep2": [1]}), 2, "--detailed-exitcode")
    assert (report["generation"], report["published"], report["refused"]) == (1, False, [])
    assert (one(report, "ep1")["state"], one(report, "ep1")["action"]) == ("missing", "swap")
    assert len(one(report, "ep1")["change"]["added"]) == 3
    assert report["cost"] == {"calls": 1, "changes": 2 + (1 + 3) + (1 + 1)}


def test_cost_is_what_the_enactors_then_pay(world: Any) -> None:
    """The numbers are not an estimate: the same code decides and packs."""
    world.start()
    path = world.fleet({"ep1": [1, 2, 3], "ep2": [1]})
    cost = json_of(world, path)["cost"]
    world.run("publish", path)
    world.sandbox.reset_stats()
    world.enact()
    batches = world.sandbox.batches(world.zone)
    assert cost == {"calls": len(batches), "changes": sum(len(batch.changes) for batch in batches)}
    more = world.fleet({"ep1": [1, 2, 3, 4], "ep2": [2, 1]})
    cost = json_of(world, more)["cost"]
    world.run("publish", more)
    world.sandbox.reset_stats()
    world.enact()
    batches = world.sandbox.batches(world.zone)
    assert cost == {"calls": len(batches), "changes": sum(len(batch.changes) for batch in batches)}


def test_plan_in_force_changes_nothing(applied: Any) -> None:
    """The same fleet again is no new generation, costs nothing, and ends with 0 in detail too."""
    report = json_of(applied, applied.fleet({"ep1": [1, 2, 3], "ep2": [1]}), 0, "--detailed-exitcode")
    assert (report["published"], report["generation"], report["changes"]) == (True, 1, False)
    assert {endpoint["state"] for endpoint in report["endpoints"]} == {"current"}


def test_added_removed_reweighted_are_shown(applied: Any) -> None:
    """Case 73: +d -c; a and b untouched."""
    report = json_of(applied, applied.fleet({"ep1": [1, 2, 4], "ep2": [1]}), 2, "--detailed-exitcode")
    change = one(report, "ep1")["change"]
    assert [member["target"] for member in change["added"]] == ["192.0.2.4"]
    assert [member["target"] for member in change["removed"]] == ["192.0.2.3"]
    assert (change["reweighted"], one(report, "ep2")["action"]) == ([], "none")
    report = json_of(applied, applied.fleet({"ep1": [1, 2, 3], "ep2": [1]}, capacity=20))
    assert one(report, "ep1")["change"]["reweighted"][0] == {
        "type": "A",
        "target": "192.0.2.1",
        "before": 10,
        "after": 20,
    }


def test_refusals_are_shown_and_beat_changes(applied: Any) -> None:
    """An endpoint that guards would carry is refused, with the numbers; the other's change is shown; exit 3 in detail."""
    report = json_of(applied, applied.fleet({"ep1": [1], "ep2": [1, 2]}), 3, "--detailed-exitcode")
    ep1 = one(report, "ep1")
    assert (ep1["action"], ep1["changes"]) == ("refused", 0)
    assert {finding["guard"] for finding in ep1["guards"]} == {"shrink-targets", "shrink-capacity"}
    assert one(report, "ep2")["action"] == "swap"
    assert report["cost"]["changes"] == 2 + one(report, "ep2")["changes"]
    assert [carried["name"] for carried in report["carried"]] == ["ep1.example.test."]
    assert applied.run("dry-run", applied.fleet({"ep1": [1], "ep2": [1, 2]})).exit_code == 0


def test_a_file_of_which_a_part_is_refused_is_told_from_the_plan_that_would_be_stored(applied: Any) -> None:
    """First what becomes of the file, with its own digest; then the plan that carries the rest, with another one."""
    path = applied.fleet({"ep1": [1], "ep2": [1, 2], "ep3": []})
    first, second, *_ = lines_of(applied, path)
    digest = hashlib.sha256(applied.run("compile", path).stdout_bytes).hexdigest()
    kept = "1 of 3 endpoints is refused and keeps generation 1's content"
    new = "1 of 3 endpoints is refused and, being new, left out"
    assert first == f"file {digest[:12]} of fleet edge: {kept}; {new} (publish exits 3)"
    stored = applied.run("publish", path).stdout.split()
    assert second == f"plan {stored[4]}, with that kept back, would be generation 2"
    report = json_of(applied, path)
    assert (report["file_digest"], report["digest"][:12], report["listed"], report["parent"]) == (
        digest,
        stored[4],
        3,
        2,
    )
    first, second, *_ = lines_of(applied, path)
    assert first.startswith(f"file {digest[:12]} of fleet edge: 1 of 3 endpoints is refused and keeps generation 2's")
    assert second == f"plan {stored[4]}, with that kept back, is generation 2"


def test_a_refusal_names_what_it_was_held_against_once(applied: Any) -> None:
    """Where plan and zone say the same, the sentence stands once, with the plan; where they differ both are shown."""
    path = applied.fleet({"ep1": [1], "ep2": [1]})
    against = "! shrink-targets: v4: 2 of 3 targets go, a share of 0.67 over the limit 0.5 (against plan 1)"
    assert [line for line in lines_of(applied, path) if line.startswith("! shrink-targets")] == [against]
    applied.run("publish", applied.fleet({"ep1": [1, 2, 3, 4], "ep2": [1]}, name="more.yaml"))
    ahead = "! shrink-targets: v4: 3 of 4 targets go, a share of 0.75 over the limit 0.5 (against plan 2)"
    assert set(lines_of(applied, path)) >= {ahead, against.removesuffix(" (against plan 1)")}


def test_plan_wide_refusal_costs_nothing(applied: Any) -> None:
    """Case 4: a vanished endpoint stores nothing, so nothing would be written."""
    report = json_of(applied, applied.fleet({"ep1": [1, 2, 3, 4]}), 3, "--detailed-exitcode")
    assert [finding["guard"] for finding in report["refused"]] == ["vanished"]
    assert (report["cost"], report["changes"]) == ({"calls": 0, "changes": 0}, False)


def test_zone_is_read_and_not_the_table_believed(applied: Any) -> None:
    """A set that a person took away shows as to be added, whatever the table says is in force; a foreign name as refused."""
    gone = {"Name": "ep1.example.test.", "Type": "A", "SetIdentifier": "lb-2", "Weight": 10, "TTL": 60}
    applied.edit("DELETE", gone | {"ResourceRecords": [{"Value": "192.0.2.2"}]})
    hand = {"Name": "ep9.example.test.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.200"}]}
    applied.edit("CREATE", hand)
    report = json_of(applied, applied.fleet({"ep1": [1, 2, 3], "ep2": [1], "ep9": [1]}), 3, "--detailed-exitcode")
    assert [member["target"] for member in one(report, "ep1")["change"]["added"]] == ["192.0.2.2"]
    assert (one(report, "ep9")["state"], one(report, "ep9")["action"]) == ("foreign", "refused")


def test_case_61_only_ids_choose_a_zone(applied: Any) -> None:
    """Cases 33, 61: a zone that is not listed is not read, and its endpoints are only counted."""
    other = applied.sandbox.create_zone("example.test")
    report = applied.json("dry-run", applied.fleet({"ep1": [1]}), "--zones", other, "--format", "json")
    assert ([zone["zone"] for zone in report["zones"]], report["other_zones"]) == ([other], 1)
    assert applied.run("dry-run", applied.fleet({"ep1": [1]}), "--zones", "example.test").exit_code == 2


def test_dry_run_writes_nothing(applied: Any) -> None:
    """Every format, with changes and with refusals: not one call that could write, to Route 53 or to the table."""
    head, zone = applied.table.head(), applied.sandbox.zone(applied.zone).sets()
    applied.sandbox.reset_stats()
    for path in (
        applied.fleet({"ep1": [1, 2, 3, 4], "ep2": [1]}),
        applied.fleet({"ep1": [], "ep2": []}, name="b.yaml"),
    ):
        for form in ("text", "json", "markdown"):
            applied.run("dry-run", path, "--format", form)
    assert [operation for operation in WRITES if applied.sandbox.calls(operation)] == []
    assert applied.sandbox.calls("ListResourceRecordSets") > 0
    assert (applied.table.head(), applied.sandbox.zone(applied.zone).sets()) == (head, zone)


def test_text_and_markdown_name_what_would_happen(applied: Any) -> None:
    """A person finds the endpoint, what would be done, the target and the guard with its numbers."""
    path = applied.fleet({"ep1": [1], "ep2": [1, 2]})
    text = applied.run("dry-run", path).stdout
    assert "+ A 192.0.2.2 weight 10 (lb-2)" in text
    assert "! shrink-targets: v4: 2 of 3 targets go, a share of 0.67 over the limit 0.5" in text
    marked = applied.run("dry-run", path, "--format", "markdown").stdout
    assert "| ep1.example.test. |" in marked
    assert "| refused |" in marked


def test_zone_that_cannot_be_read_is_a_failure(applied: Any) -> None:
    """No right to read, or no such zone: exit 1 with the reason, and the report says so of that zone alone."""
    applied.sandbox.add_fault(FaultRule(action="deny", operation="ListResourceRecordSets", count=None))
    path = applied.fleet({"ep1": [1, 2, 3, 4], "ep2": [1]})
    report = applied.json("dry-run", path, "--format", "json", "--detailed-exitcode", status=1)
    assert report["zones"][0]["error"]
    jsonschema.validate(report, schema_of("dry-run"))
    assert (report["cost"], report["zones"][0]["cost"], report["changes"]) == (None, None, False)
    assert applied.run("dry-run", path, "--json").stderr == ""
    text = applied.run("dry-run", path)
    assert f"zone {applied.zone}: unknown, it cannot be read" in text.stdout.splitlines()
    assert "cost: unknown" in text.stdout.splitlines()
    assert [line for line in text.stdout.splitlines() if "AccessDenied" in line] == []
    assert (len(text.stderr.splitlines()), "AccessDenied" in text.stderr) == (1, True)
    applied.sandbox.clear_faults()
    result = applied.run("dry-run", applied.fleet({"ep1": [1]}), "--zones", "Z0NOSUCHZONE")
    assert result.exit_code == 1
    assert "Z0NOSUCHZONE" in result.stderr


def test_absent_and_stopped_switches_are_said(world: Any) -> None:
    """What would change is shown all the same, and that nothing of it is written before a person says so."""
    path = world.fleet({"ep1": [1]})
    report = json_of(world, path)
    assert (report["zones"][0]["switch"], one(report, "ep1")["action"]) == ("absent", "swap")
    assert "absent, which means stop: nothing is written until `enactor init`" in world.run("dry-run", path).stdout
    world.start()
    assert "nothing is written" not in world.run("dry-run", path).stdout
    name = "_switch-edge._fence.example.test."
    world.edit("DELETE", world.sandbox.zone(world.zone).sets(name)[0])
    world.edit("CREATE", world.txt(name, "v=1 fleet=edge mode=stop gen=0 plan=none nonce=0123456789abcdef"))
    said = world.run("dry-run", path).stdout
    assert (
        "switch stop, generation 0 is open, the zone is behind; stopped: nothing is written until `enactor start`"
        in said
    )


def test_plan_file_and_a_hold_are_judged_as_an_enactor_would(applied: Any) -> None:
    """`--plan` works like a fleet file; a hold that a person put on an endpoint shows, and nothing would be written there."""
    fence = next(one for one in applied.sandbox.zone(applied.zone).sets("ep1._fence.example.test."))
    text = fence["ResourceRecords"][0]["Value"]
    applied.edit("DELETE", fence)
    held = text.strip('"').replace("state=live", "state=hold until=2999-01-01T00:00:00Z")
    applied.edit("CREATE", applied.txt("ep1._fence.example.test.", held))
    compiled = applied.run("compile", applied.fleet({"ep1": [1, 2, 3, 4], "ep2": [1]})).stdout
    report = applied.json("dry-run", "--plan", applied.write("plan.json", compiled), "--format", "json")
    assert (one(report, "ep1")["state"], one(report, "ep1")["action"], one(report, "ep1")["changes"]) == (
        "held",
        "none",
        0,
    )
    assert one(report, "ep1")["reasons"] == [
        "plan 2 wants other content here, and waits for the end of the hold",
        "held until 2999-01-01T00:00:00Z: `enactor release ep1.example.test.` ends it",
    ]


def test_json_is_a_format(applied: Any) -> None:
    """`--json` as everywhere else; with another format it is wrong usage."""
    path = applied.fleet({"ep1": [1, 2, 3], "ep2": [1]})
    assert applied.json("dry-run", path, "--json") == applied.json("dry-run", path, "--format", "json")
    assert applied.run("dry-run", path, "--json", "--format", "json").exit_code == 0
    assert applied.run("dry-run", path, "--json", "--format", "markdown").exit_code == 2


def lines_of(world: Any, path: Any, *flags: str) -> list[str]:
    return [line.strip() for line in world.run("dry-run", path, *flags).stdout.splitlines()]


def test_a_new_endpoint_is_no_alarm(applied: Any) -> None:
    """That nothing stands at a new name is as it should be, and marked so; a foreign one is marked as an alarm."""
    hand = {"Name": "ep9.example.test.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.200"}]}
    applied.edit("CREATE", hand)
    lines = lines_of(applied, applied.fleet({"ep1": [1, 2, 3], "ep2": [1], "ep3": [4], "ep9": [1]}))
    assert "# no record set stands here" in lines
    assert [line for line in lines if line.startswith("! record sets without a fence")]


def test_cost_adds_up_to_what_the_column_shows(applied: Any) -> None:
    """What the endpoints cost and what the switch costs are told apart."""
    path = applied.fleet({"ep1": [1, 2, 4], "ep2": [1]})
    cost = json_of(applied, path)["cost"]["changes"]
    assert f"cost: 1 call, {cost} changes: {cost - 2} for endpoints, 2 to open the generation" in lines_of(
        applied, path
    )
    calm = lines_of(applied, applied.fleet({"ep1": [1, 2, 3], "ep2": [1]}))
    assert "cost: 0 calls, 0 changes" in calm


def test_cost_of_a_zone_without_a_switch_opens_nothing(world: Any) -> None:
    """`init` makes the switch; a batch asserts it."""
    line = next(line for line in lines_of(world, world.fleet({"ep1": [1]})) if line.startswith("cost: "))
    assert line == "cost: 1 call, 4 changes: 2 for endpoints, 2 for the zone's switch, which every call carries"


def test_vanished_is_said_once(applied: Any) -> None:
    """The sentence stands at the top; zone and names refer to it by its label."""
    text = applied.run("dry-run", applied.fleet({"ep1": [1, 2, 3]})).stdout
    assert text.count("no longer mentioned") == 1
    assert "the zone is behind; refused: vanished" in text
    assert "no plan lists this name" not in text
    assert [line for line in text.splitlines() if line.startswith("ep2.example.test.") and "vanished" in line]


def test_a_retired_name_stays_as_it_is(applied: Any) -> None:
    """Listing a name as retired permits it to leave the plan and deletes nothing, and the dry-run says so."""
    path = applied.fleet({"ep1": [1, 2, 3]}, retired="ep2")
    lines = lines_of(applied, path)
    row = next(line for line in lines if line.startswith("ep2.example.test. ") and applied.zone in line.split())
    assert row.split()[2:7] == ["current", "none", "leaves", "the", "plan"]
    way = "nothing is deleted, and it stays as it is: `enactor retire` takes it away"
    assert f"# leaves the plan, under retired; {way}" in lines
    report = json_of(applied, path)
    assert one(report, "ep2")["state"] == "current"
    assert (one(report, "ep2")["retired"], one(report, "ep1")["retired"]) == (True, False)


def test_a_retired_name_that_is_empty_is_still_an_alarm(applied: Any) -> None:
    """It stays as it is only where it is as its fence says."""
    applied.edit("DELETE", applied.sandbox.zone(applied.zone).sets("ep2.example.test.")[0])
    lines = lines_of(applied, applied.fleet({"ep1": [1, 2, 3]}, retired="ep2"))
    assert "! no record set answers v4" in lines
    assert not [line for line in lines if line.startswith("# leaves")]


def test_zones_that_were_not_looked_at_are_named(applied: Any) -> None:
    """Which, and why: they are not among the zones that were told."""
    other = applied.sandbox.create_zone("example.test")
    for path, words in (
        (applied.fleet({"ep1": [1]}, name="one.yaml"), "1 endpoint is in"),
        (applied.fleet({"ep1": [1], "ep2": [1]}), "2 endpoints are in"),
    ):
        sentence = f"{words} zone {applied.zone}, which is not in --zones (ENACTOR_ZONES) and was not looked at"
        assert sentence in lines_of(applied, path, "--zones", other)
    report = applied.json("dry-run", applied.fleet({"ep1": [1]}), "--zones", other, "--json")
    assert (report["other_zones"], report["not_looked_at"]) == (1, [applied.zone])


def test_a_wrong_zone_id_is_said_to_be_one(applied: Any) -> None:
    """The names are mentioned, in another zone: both are named, once."""
    good = applied.zone
    applied.zone = applied.sandbox.create_zone("example.test")
    text = applied.run("dry-run", applied.fleet({"ep1": [1, 2, 3], "ep2": [1]})).stdout
    what = f"ep1.example.test., ep2.example.test. are mentioned in zone {applied.zone} and no longer in {good}"
    assert text.count(what) == 1
    assert f"refused at publish, nothing would be stored: vanished: {what}" in text


def test_another_fleet_in_the_settings_is_said(applied: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As at publish."""
    monkeypatch.setenv("ENACTOR_FLEET", "west")
    result = applied.run("dry-run", applied.fleet({"ep1": [1, 2, 3], "ep2": [1]}))
    assert "planner: fleet edge counts, which the file names, and not west" in result.stderr

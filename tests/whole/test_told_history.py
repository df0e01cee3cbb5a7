"""`enactor history`: who put which generation at a name, told from the table and the fence; and that telling it stops nobody."""

import json
from typing import Any

from enactor.sandbox.faults import FaultRule

from .history import API
from .test_json_output import fits
from .world import WEB, World

NO_WRITES = FaultRule(action="deny", service="dynamodb", operation="PutItem", contains="event#", count=None)
NO_TABLE = FaultRule(action="deny", service="dynamodb", count=None)


def history(world: World, *words: str, name: str = API, expect: int = 0) -> Any:
    result = world.run("history", name, "--json", *words)
    assert result.exit_code == expect, result.output
    return fits(world, "history", result.stdout)


def test_each_write_is_told_with_its_enactor_generation_nonce_and_change(world: World) -> None:
    """A publish, the swap that brought it, a person's hold and release, and the next plan: newest first, the last one in force."""
    world.publish(world.endpoint(1, 2), world.endpoint(3, name=WEB))
    change_id = {one["name"]: one["change_id"] for one in world.once()[1]["endpoints"]}[API]
    assert world.run("hold", API, "--reason", "looking").exit_code == 0
    assert world.run("release", API, "--reason", "[b]looked[/b]").exit_code == 0
    world.publish(world.endpoint(1, 2, 4), world.endpoint(3, name=WEB))
    world.once(ENACTOR_ID="az-2")
    found = history(world)
    times = [one["time"] for one in found["events"]]
    assert times == sorted(times, reverse=True)
    swaps = [one for one in found["events"] if one["verb"] == "swap"]
    verbs = [one for one in found["events"] if one["verb"] != "swap"]
    assert [(one["scope"], one["by"]) for one in swaps] == [("endpoint", "az-2"), ("endpoint", "tester")]
    assert [(one["verb"], one["scope"]) for one in verbs] == [
        ("publish", "fleet"),
        ("release", "endpoint"),
        ("hold", "endpoint"),
        ("publish", "fleet"),
    ]
    (newest, first), (_, release, _, publish) = swaps, verbs
    assert (first["generation"], first["change_id"], first["cause"]) == (1, change_id, "missing")
    assert (newest["generation"], newest["cause"], newest["purpose"]) == (2, "behind", "advance")
    assert (newest["in_force"], "in_force" in first, found["told"], found["cut"]) == (True, False, True, False)
    assert newest["nonce"] == found["fence"]["nonce"]
    assert f"nonce={newest['nonce']}" in found["fence_text"]
    assert release["reason"] == "[b]looked[/b]"
    assert (publish["generation"], publish["outcome"]) == (1, "changed")
    text = world.run("history", API, COLUMNS="240").stdout  # xdist sets 80, and tables keep to it
    assert "[b]looked[/b]" in text
    assert change_id in text
    assert "in force" in text


def test_history_goes_back_as_far_as_it_is_told_and_shows_as_much(world: World) -> None:
    """What is left out is said."""
    for number in (2, 3, 4):
        world.publish(world.endpoint(1, number))
        world.once()
    found = history(world, "--limit", "1")
    assert ([one["generation"] for one in found["events"]], found["cut"]) == ([3], True)
    assert "older events were left out" in world.run("history", API, "--limit", "1").stdout
    assert not history(world)["cut"]
    assert world.run("history", API, "--since", "91d").exit_code == 2


def test_with_the_table_away_the_fence_alone_is_told(world: World) -> None:
    """Exit 1, and the reason."""
    world.publish(world.endpoint(1))
    world.once()
    world.fault(NO_TABLE)
    found = history(world, expect=1)
    assert (found["events"], found["fence"]["gen"], found["told"]) == ([], 1, None)
    assert "dynamodb" in found["problems"][0]
    result = world.run("history", API)
    assert (result.exit_code, "the fence says" in result.stdout) == (1, True)


def test_with_route53_away_the_events_are_told(world: World) -> None:
    """The name finds them, in whichever zone."""
    world.publish(world.endpoint(1))
    world.once()
    world.fault(FaultRule(action="deny", count=None))
    found = history(world, expect=1)
    assert {one["verb"] for one in found["events"]} == {"swap", "publish"}
    assert (found["fence"], found["zone"], found["told"]) == (None, None, None)


def test_an_enactor_that_may_not_write_history_goes_on_and_says_so_once(world: World) -> None:
    """The exit status is that of the work; `history` says that the fence's last write is told by nobody."""
    world.publish(world.endpoint(1))
    world.fault(NO_WRITES)
    result = world.run("once")
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in result.stderr.splitlines() if line.startswith("{")]
    (missed,) = [one for one in lines if one["event"] == "history-write-failed"]
    assert (missed["lost"], "dynamodb:PutItem" in missed["why"]) == (1, True)
    assert world.stands() != ()
    world.sandbox.clear_faults()
    found = history(world)
    assert (found["told"], [one["verb"] for one in found["events"]]) == (False, ["publish"])
    assert "no event shown tells of this fence's last write" in world.run("history", API).stdout


def test_a_publish_is_remembered_although_the_table_takes_no_history(world: World) -> None:
    """The plan is in, exit 0; the sentence says what is lacking."""
    world.fault(NO_WRITES)
    result = world.plan("publish", "--plan", world.plan_file(world.endpoint(1)))
    assert (result.exit_code, "published generation 1" in result.stdout) == (0, True)
    assert "the history in the plan table lacks this publish" in result.stderr


def test_two_hundred_names_are_written_down_in_a_few_items(world: World) -> None:
    """One item for a batch, with every name of it; each is found by its name."""
    names = [f"n{number}.example.test." for number in range(200)]
    world.publish(*(world.endpoint(1, name=name) for name in names))
    _, report = world.once()
    before = report["calls"]["change"]
    found = [history(world, name=name)["events"] for name in (names[0], names[57], names[199])]
    assert [[one["generation"] for one in events if one["scope"] == "endpoint"] for events in found] == [[1]] * 3
    assert world.sandbox.calls("PutItem", service="dynamodb") <= before + 3
    assert before < 20

"""Whatever a person typed at one name, or another tool does there: the other endpoints are applied and repaired."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from enactor.memory import ZoneMemory
from enactor.outcome import ZonePort
from enactor.ports import Throttled
from enactor.records import RecordSet
from enactor.sandbox.faults import FaultRule

from .history import API
from .world import CHANGE, WEB, World, status_of

FORMS = (("A", "198.51.{}.{}"), ("AAAA", "2001:db8::{:x}:{:x}"))


def emptied(world: World, name: str) -> None:
    world.edit("DELETE", *world.sandbox.zone(world.zone).sets(name))


def states(report: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {found["name"]: found["state"] for found in report["endpoints"]}


def test_what_a_person_typed_too_large_for_one_call_is_named_and_holds_nobody_up(world: World) -> None:
    """Four hundred values in A and in AAAA: over a thousand elements to take away at once. The endpoint is refused by `limit`."""
    values = [(of, form.format(0, number)) for of, form in FORMS for number in range(100)]
    targets = [{"id": f"lb-{number}", "type": of, "value": value} for number, (of, value) in enumerate(values)]
    whole = {"name": API, "zone": world.zone, "routing": "simple", "ttl": 60, "targets": targets}
    world.publish(whole, world.endpoint(1, name=WEB))
    world.once()
    emptied(world, API)
    typed = [
        {
            "Name": API,
            "Type": record_type,
            "TTL": 60,
            "ResourceRecords": [{"Value": form.format(number // 250, number % 250)} for number in range(400)],
        }
        for record_type, form in FORMS
    ]
    world.edit("CREATE", *typed)
    emptied(world, WEB)
    status, report = world.once()
    assert status == 3
    assert states(report)[WEB] == "current"
    (found,) = (one for one in report["endpoints"] if one["name"] == API)
    assert [guard["guard"] for guard in found["guards"]] == ["limit"]
    assert "by hand" in found["guards"][0]["message"]


def test_a_fence_that_a_person_filled_to_the_brim_is_written_again(world: World) -> None:
    """Four allows typed into a fence leave no room for a longer enactor's name: what does not fit goes, the endpoint is repaired."""
    world.publish(world.endpoint(1, 2), world.endpoint(1, name=WEB))
    world.once()
    short = world.fence_text().strip('"').split(" by=")[0] + " by=a nonce=00000000 state=live allow="
    allow = "shrink-targets@1:2030-01-01T00:00:00Z"
    room = (255 - len(short)) // (len(allow) + 1)
    world.retype("api._fence.example.test.", short + ",".join([allow] * room))
    emptied(world, API)
    emptied(world, WEB)
    status, report = world.once(ENACTOR_ID="an-enactor-with-a-rather-long-id")
    assert (status, states(report)) == (0, {API: "current", WEB: "current"})


@pytest.mark.parametrize("word", ["mode=stop {} until=2020-01-01T00:00:00Z", "{} mode=run", "mode=run {}"])
def test_a_switch_that_runs_in_a_persons_words_is_written_plainly(world: World, word: str) -> None:
    """A stop whose end has passed, and run in another order of words: enactors go on, and the first batch makes it plain."""
    world.publish(world.endpoint(1, 2))
    world.once()
    rest = world.switch_text().strip('"').replace(" mode=run", "")
    world.retype(world.switch_name, word.format(rest))
    emptied(world, API)
    status, report = world.once()
    assert (status, states(report)) == (0, {API: "current"})
    assert " mode=run gen=1 " in world.switch_text()
    assert "until=" not in world.switch_text()


def test_route_53_unreachable_at_the_start_is_a_sentence(world: World) -> None:
    """Nothing was ever answered, so there is no time to announce with: exit 1, no stack trace."""
    world.fault(FaultRule(action="deny", count=None))
    result = world.run("once", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["zones"][0]["switch"] == "unknown"


def test_an_endpoint_that_always_conflicts_does_not_keep_the_rest_back(world: World) -> None:
    """Another tool writes it again and again: it waits after a few tries, the generation is opened, and the others are applied."""
    others = [world.endpoint(1, name=f"ep{number}.example.test.") for number in range(5)]
    world.publish(world.endpoint(1), *others)
    message = f"[Tried to delete resource record set [name='{API}', type='A'] but it was not found]"
    world.fault(FaultRule(action="reject", operation=CHANGE, names=(API,), count=None, message=message))
    status, report = world.once()
    assert status == 1
    assert {name for name, state in states(report).items() if state != "current"} == {API}
    assert report["zones"][0]["open"] == 1
    assert report["calls"]["change"] <= 10


def test_a_reading_that_fails_half_way_leaves_no_new_fence_beside_old_sets(world: World) -> None:
    """A fence of now beside record sets of before would pass for a compare-and-swap and leave a mix of two contents."""
    world.publish(world.endpoint(1, 2))
    machine = world.machine()
    machine.cycle()
    memory = ZoneMemory(throttling(machine.doors.zones), world.zone, world.fleet)
    memory.read_all(0.0)
    fences, sets = dict(memory.fences), dict(memory.sets)
    world.publish(world.endpoint(1, 2, 3))
    machine.cycle()
    with pytest.raises(Throttled):
        memory.refresh([API], 1.0)
    assert (memory.fences, memory.sets) == (fences, sets)
    assert memory.surveyed_at is None


def throttling(port: ZonePort) -> Any:
    """Return a port without the reading of single names."""
    return Throttling(port)


class Throttling:
    """A zone port that lets everything through but the reading of single names."""

    def __init__(self, port: ZonePort) -> None:
        self._port = port

    def __getattr__(self, name: str) -> object:
        return getattr(self._port, name)

    def at(self, zone: str, names: Sequence[str]) -> Sequence[RecordSet]:
        raise Throttled(f"zone {zone}: {len(names)} names were not read")


def test_an_endpoint_that_somebody_else_rewrites_is_contested_and_answers_all_the_same(world: World) -> None:
    """Three repairs, then it waits with an alert and exit 3; the rest goes on, and a new plan goes in at once."""
    world.publish(world.endpoint(1, 2), world.endpoint(7, name=WEB))
    machine = world.machine()
    machine.cycle()
    for _ in range(3):
        world.edit("DELETE", world.sandbox.zone(world.zone).sets(API)[0])
        assert {one.action for one in machine.cycle().endpoints} == {"swapped", "none"}
    world.edit("DELETE", world.sandbox.zone(world.zone).sets(API)[0])
    emptied(world, WEB)
    report = machine.cycle()
    seen = {one.name: one for one in report.endpoints}
    assert (seen[API].state, seen[API].action, status_of(report)) == ("drifted", "refused", 3)
    assert [finding.guard for finding in seen[API].guards] == ["contested"]
    assert (seen[WEB].action, len(world.stands(WEB))) == ("swapped", 1)
    world.publish(world.endpoint(1, 2, 3), world.endpoint(7, name=WEB))
    machine.cycle()
    assert len(world.stands()) == 3

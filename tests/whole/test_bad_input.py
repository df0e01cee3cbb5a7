"""What is wrong with input, settings or the world ends in one sentence: what, where, what to do. Nothing is half written.

Each goes through the real command; where it matters (credentials, a stop in the middle) through a real process.
"""

import json
from collections.abc import Callable
from typing import Any

import boto3
import pytest

from enactor.sandbox.faults import FaultRule

from .history import API, lines
from .world import CHANGE, LIST, WEB, World, txt

FLEET = """fleet: {fleet}
zones: {{main: {{id: {zone}, name: example.test.}}}}
pools: {{blue: [{{id: lb-1, addresses: [192.0.2.1]}}]}}
endpoints:
{endpoints}"""
GOOD = "  - {name: api.example.test, zone: main, pools: {blue: 1.0}}\n"


def the_line(text: str, *words: str) -> str:
    """Return the one line for people that holds all these words: said once, whole. Lines of JSON are the log."""
    spoken = [line for line in text.splitlines() if not line.startswith("{")]
    found = [line for line in spoken if all(word in line for word in words)]
    assert len(found) == 1, text
    return found[0]


def sentences(report: Any) -> str:
    """Return everything that a cycle's report says went wrong."""
    return "\n".join([*report["problems"], *(zone["error"] for zone in report["zones"] if zone["error"])])


@pytest.fixture
def served(world: World) -> World:
    """A zone with gen 1 in place."""
    world.publish(world.endpoint(1, 2))
    assert world.once()[0] == 0
    return world


def test_a_missing_table(served: World) -> None:
    """Enactor and planner name the table and the way to make it, exit 1; what stands goes on standing."""
    told = {"ENACTOR_TABLE": "nowhere"}
    result = served.run("once", **told)
    assert result.exit_code == 1
    the_line(result.stdout, "table nowhere in us-east-1", "enactor init")
    result = served.run("survey", **told)
    assert result.exit_code == 1
    the_line(result.stdout, "table nowhere in us-east-1", "enactor init")
    result = served.plan("publish", "--plan", served.plan_file(served.endpoint(1)), **told)
    assert (result.exit_code, result.stdout) == (1, "")
    the_line(result.stderr, "table nowhere in us-east-1", "enactor init")
    assert served.stands() == lines(1, 2)


@pytest.mark.parametrize("words", [("once",), ("survey", "--json"), ("collect",), ("run", "--state-dir", "/tmp")])
@pytest.mark.parametrize(
    ("told", "what"),
    [
        ({"ENACTOR_ZONES": ""}, "enactor: no zones are told: give --zones or set ENACTOR_ZONES, or write zones into"),
        ({"ENACTOR_ZONES": "example.test"}, "'example.test' is no hosted zone id"),
        ({"ENACTOR_TABLE": ""}, "enactor: no table is told: give --table or set ENACTOR_TABLE"),
        ({"ENACTOR_FLEET": "Edge!"}, "ENACTOR_FLEET"),
    ],
)
def test_a_setting_that_is_missing_or_cannot_be_meant(
    world: World, words: tuple[str, ...], told: dict[str, str], what: str
) -> None:
    """Wrong usage is exit 2 and names the flag or the variable, before anything outside is asked."""
    before = world.sandbox.calls()
    result = world.run(*words, **told)
    assert (result.exit_code, result.stdout) == (2, "")
    the_line(result.stderr, what)
    assert world.sandbox.calls() == before


def test_a_zone_id_that_does_not_exist(served: World) -> None:
    """The zone is named with what to check, exit 1, and the zone beside it is brought to the newest plan all the same."""
    served.publish(served.endpoint(1, 2, 3))
    status, report = served.once(ENACTOR_ZONES=f"{served.zone},Z0GONE")
    assert (status, report["outcome"]) == (1, "partial")
    the_line(sentences(report), "hosted zone Z0GONE", "NoSuchHostedZone", "check the zone id")
    assert served.stands() == lines(1, 2, 3)
    for words in ("once", "survey", "status"):
        result = served.run(words, ENACTOR_ZONES=f"{served.zone},Z0GONE")
        assert result.exit_code == 1
        the_line(result.stdout, "problem: zone Z0GONE", "NoSuchHostedZone", "check the zone id")
    result = served.run("stop", "--zone", "Z0GONE")
    assert result.exit_code == 1
    the_line(result.stderr, "Z0GONE", "check the zone id")


def test_no_credentials(served: World) -> None:
    """A process without credentials says so in a sentence, exit 1, for the zone and for the table."""
    told = {"HOME": str(served.folder), "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_CONFIG_FILE": "/dev/null"}
    status, stdout, _ = served.spawn(
        "survey", "--json", without=("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), **told
    ).ended()
    assert status == 1
    found = json.loads(stdout)
    the_line(sentences(found), f"hosted zone {served.zone}", "check the credentials")
    the_line(sentences(found), "table plans", "check the credentials")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (FaultRule(action="reject", code="InvalidClientTokenId", status=403, count=None), ("InvalidClientTokenId",)),
        (FaultRule(action="deny", operation=LIST, count=None), ("route53:ListResourceRecordSets", "policy")),
        (FaultRule(action="deny", operation=CHANGE, count=None), ("route53:ChangeResourceRecordSets", "policy")),
        (FaultRule(action="deny", service="dynamodb", count=None), ("dynamodb:GetItem", "table plans", "policy")),
    ],
    ids=["wrong-credentials", "may-not-list", "may-not-change", "may-not-read-the-table"],
)
def test_credentials_that_are_wrong_or_may_not(served: World, rule: FaultRule, words: tuple[str, ...]) -> None:
    """What is not allowed is named with the action, the place and what to check; exit 1; nothing is written."""
    served.publish(served.endpoint(1, 2, 3))
    watch, handle = served.watch(), served.fault(rule)
    status, report = served.once()
    served.sandbox.remove_fault(handle)
    assert status == 1
    the_line(sentences(report), "check the credentials", *words)
    assert watch.states()[-1] == lines(1, 2)
    assert served.once()[0] == 0
    assert served.stands() == lines(1, 2, 3)


@pytest.mark.parametrize(
    ("endpoints", "words"),
    [
        ("\t" + GOOD.lstrip(), ("fleet.yaml:5:1:", "tab", "use spaces")),
        (GOOD.replace("zone: main,", "zone: main, zone: main,"), ("fleet.yaml:5:", "'zone' stands twice")),
        (GOOD.replace("example.test", "example.org"), ("endpoints[0]", "api.example.org.", "example.test.")),
    ],
    ids=["a-tab", "a-key-twice", "outside-its-zone"],
)
def test_a_fleet_file_that_is_wrong(served: World, endpoints: str, words: tuple[str, ...]) -> None:
    """The place in the file and what is wrong there, exit 1, and HEAD stays where it is."""
    path = served.folder / "fleet.yaml"
    path.write_text(FLEET.format(fleet=served.fleet, zone=served.zone, endpoints=endpoints))
    status, stdout, stderr = served.spawn("publish", str(path), module="planner").ended()
    assert (status, stdout) == (1, "")
    the_line(stderr, *words)
    the_line(stderr, "fleet.yaml: 1 fault; nothing was done with it")
    assert served.plan("list", "--json", "--fleet", served.fleet).stdout.count('"digest"') == 1


def test_a_name_outside_its_zone_that_reached_the_table(served: World) -> None:
    """A plan file knows only the zone's id, so the enactor is the first to see it: refused by guard, the rest goes on, exit 3."""
    served.publish(served.endpoint(1, 2, 3), served.endpoint(1, name="api.example.org."))
    status, report = served.once()
    labels = {found["name"]: [guard["guard"] for guard in found["guards"]] for found in report["endpoints"]}
    assert (status, labels) == (3, {API: [], "api.example.org.": ["out-of-zone"]})
    assert served.stands() == lines(1, 2, 3)


def items(world: World, prefix: str) -> list[dict[str, Any]]:
    """Return the fleet's items of the plan table whose sort key starts so."""
    found = (
        boto3.Session()
        .resource("dynamodb")
        .Table(world.settings().table)
        .query(
            KeyConditionExpression="pk = :pk AND begins_with(sk, :sk)",
            ExpressionAttributeValues={":pk": f"fleet#{world.fleet}", ":sk": prefix},
        )
    )
    return [dict(item) for item in found["Items"]]


def put(world: World, item: dict[str, Any]) -> None:
    boto3.Session().resource("dynamodb").Table(world.settings().table).put_item(Item=item)


def of_another_fleet(world: World) -> str:
    """Make gen 2 of this fleet a sound plan of another one, as a copied table would."""
    other = f"other-{world.fleet}"
    assert world.plan("publish", "--plan", world.plan_file(world.endpoint(7), fleet=other)).exit_code == 0
    for item in boto3.Session().resource("dynamodb").Table(world.settings().table).scan()["Items"]:
        if item["pk"] == f"fleet#{other}":
            moved = dict(item) | {"pk": f"fleet#{world.fleet}"}
            if item["sk"] == "head" or str(item["sk"]).startswith("plan#"):
                moved["generation"] = 2
            put(world, moved | ({"sk": "plan#000000000002"} if str(item["sk"]).startswith("plan#") else {}))
    return f"it is a plan of fleet {other}, not {world.fleet}"


def garbled(world: World) -> str:
    """Publish gen 2 and change one octet of its body in the table."""
    old = {item["sk"] for item in items(world, "chunk#")}
    world.publish(world.endpoint(1, 2, 3))
    (chunk,) = [item for item in items(world, "chunk#") if item["sk"] not in old]
    octets = bytearray(chunk["data"].value)
    octets[len(octets) // 2] ^= 1
    put(world, chunk | {"data": bytes(octets)})
    return "chunk 0 of 1 was altered"


@pytest.mark.parametrize("spoil", [of_another_fleet, garbled])
def test_a_newest_plan_that_cannot_be_used(served: World, spoil: Callable[[World], str]) -> None:
    """It is said which plan, why and what to do, exit 1; healing goes on from the newest sound one, and nothing else moves."""
    why = spoil(served)
    served.edit("DELETE", *served.sandbox.zone(served.zone).sets(API))
    status, report = served.once()
    assert status == 1
    the_line(sentences(report), "plan 2, the newest, cannot be used", why, "publish again")
    assert (served.stands(), " gen=1 " in served.switch_text()) == (lines(1, 2), True)
    result = served.run("survey")
    assert result.exit_code == 1
    the_line(result.stdout, "plan 2, the newest", why)
    served.publish(served.endpoint(1, 2, 3))
    status, report = served.once()
    assert (status, report["plan"]["generation"], served.stands()) == (0, 3, lines(1, 2, 3))


@pytest.mark.parametrize("lasts", [1, None])
def test_a_throttled_second_page_of_a_listing(served: World, lasts: int | None) -> None:
    """A page that fails fails the whole read: half a listing is never compared. A page that comes at the next try is fine."""
    served.publish(served.endpoint(1, 2), served.endpoint(1, 2, name=WEB))
    served.once()
    served.sandbox.configure(page_max_sets=4)
    watch = served.watch()
    served.fault(FaultRule(action="throttle", operation=LIST, zone=served.zone, skip=3, count=lasts))
    status, report = served.once()
    assert not watch.batches
    if lasts is None:
        assert (status, report["endpoints"]) == (1, [])
        the_line(sentences(report), f"hosted zone {served.zone}", "Throttling", "wait")
    else:
        assert (status, [found["state"] for found in report["endpoints"]]) == (0, ["current", "current"])


def test_a_lost_answer_that_cannot_be_looked_for(served: World) -> None:
    """The batch landed, nobody heard, and no read works: unknown is said, exit 1; the next cycle finds it done, once."""
    served.publish(served.endpoint(1, 2, 3))
    watch = served.watch()
    served.fault(FaultRule(action="error-after", operation=CHANGE, zone=served.zone))
    blind = served.fault(FaultRule(action="error-before", operation=LIST, zone=served.zone, skip=3, count=None))
    status, report = served.once()
    assert (status, report["outcome"]) == (1, "failed")
    the_line(sentences(report), f"hosted zone {served.zone}", "look at what stands there")
    served.sandbox.remove_fault(blind)
    status, report = served.once()
    assert (status, report["outcome"], report["calls"]["change"]) == (0, "unchanged", 0)
    assert watch.states() == [lines(1, 2), lines(1, 2, 3)]


def test_a_lost_answer_to_a_publish_or_a_verb(served: World) -> None:
    """A commit and a stop whose answers were lost are found done, and said once: one generation, one switch."""
    served.fault(FaultRule(action="error-after", service="dynamodb", operation="TransactWriteItems", count=2))
    result = served.plan("publish", "--plan", served.plan_file(served.endpoint(1, 2, 3)))
    assert (result.exit_code, result.stdout.startswith("published generation 2 ")) == (0, True)
    watch = served.watch()
    served.fault(FaultRule(action="error-after", operation=CHANGE, zone=served.zone))
    result = served.run("stop", "--zone", served.zone)
    assert (result.exit_code, len(watch.batches)) == (0, 1)
    the_line(result.stdout, f"zone {served.zone} is stopped")
    assert "mode=stop gen=1 " in served.switch_text()


@pytest.mark.parametrize("by", ["a person's text", "the command"])
def test_a_stop_in_the_middle_of_a_pass(world: World, by: str) -> None:
    """Between two batches of one pass the switch turns: the second fails whole, the rest waits, and stopped alone is exit 0."""
    names = [f"ep{number}.example.test." for number in range(70)]
    world.publish(*(world.endpoint(1, 2, name=name) for name in names))
    world.once()
    world.publish(*(world.endpoint(1, 2, 3, name=name) for name in names))
    watch, held = world.watch(), world.hold_change(skip=1)
    pass_ = world.spawn("once", "--json")
    world.wait_held()
    if by == "the command":
        assert world.run("stop", "--zone", world.zone, "--reason", "drill").exit_code == 0
    else:
        world.retype(world.switch_name, "mode=stop")
    world.sandbox.release(held)
    status, stdout, _ = pass_.ended()
    report = json.loads(stdout)
    assert (report["outcome"], status, sentences(report)) == ("stopped", 0, "")
    assert [
        batch.applied for batch in watch.batches if "by=tester" in batch.comment and "drill" not in batch.comment
    ] == [True, False]
    states = {found["name"]: found["state"] for found in report["endpoints"]}
    assert {name for name in names if world.stands(name) == lines(1, 2, 3)} == {
        name for name in names if states[name] == "current"
    }
    assert {world.stands(name) for name in names} == {lines(1, 2), lines(1, 2, 3)}
    assert world.run("start", "--zone", world.zone).exit_code == 0
    assert world.once()[0] == 0
    assert {world.stands(name) for name in names} == {lines(1, 2, 3)}


def test_a_switch_that_is_gone(served: World) -> None:
    """No switch means stop: exit 3, the way back is said, and nothing is written."""
    served.publish(served.endpoint(1, 2, 3))
    served.edit("DELETE", *served.sandbox.zone(served.zone).sets(served.switch_name))
    watch = served.watch()
    result = served.run("once")
    assert result.exit_code == 3
    the_line(result.stdout, served.zone, "no switch, which means stop", "enactor init")
    assert not watch.batches
    served.edit("CREATE", txt("_other._fence.example.test.", "mode=run"))
    assert served.once()[0] == 3


def test_a_table_that_is_gone_while_an_endpoint_is_empty(served: World) -> None:
    """With the table dead a new process heals from the plan on disk; the table's trouble is said, exit 1."""
    state = {"ENACTOR_STATE_DIR": str(served.folder / "state")}
    served.once(**state)
    served.fault(FaultRule(action="deny", service="dynamodb", count=None))
    served.edit("DELETE", *served.sandbox.zone(served.zone).sets(API))
    status, report = served.once(**state)
    assert (status, report["outcome"], report["plan"]["source"]) == (1, "partial", "disk")
    the_line(sentences(report), "table plans", "check the credentials")
    assert served.stands() == lines(1, 2)

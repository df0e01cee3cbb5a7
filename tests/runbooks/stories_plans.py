"""Stories of the pages about plans: refused, mistaken, taken back, and the table they are in."""

from typing import Any, Final

from enactor.sandbox.faults import FaultRule
from enactor.sandbox.world import TABLE

from .page import DO, WORKED
from .scene import Scenario, Scene

ENDPOINT: Final = "endpoint-refused.md"
PLAN: Final = "plan-refused.md"
BAD: Final = "bad-plan.md"
BACK: Final = "go-back.md"
PLAN_TABLE: Final = "plan-table.md"


def of_other_balancers(fleet: dict[str, Any]) -> None:
    """Send the name to none of the load balancers that it has."""
    fleet["endpoints"][0]["pools"] = {"fips": 1.0}


def without_one(fleet: dict[str, Any]) -> None:
    del fleet["endpoints"][-1]


def one_more(fleet: dict[str, Any]) -> None:
    fleet["endpoints"].append({"name": "new.example.com", "zone": "main", "pools": {"cell-a": 1.0}})


def half_moved(fleet: dict[str, Any]) -> None:
    """Wrong addresses that no guard finds wrong: two of five load balancers get those of somebody else."""
    for number, balancer in zip((90, 91), fleet["pools"]["standard"], strict=False):
        balancer["addresses"] = [f"192.0.2.{number}", f"2001:db8::{number}"]


def all_come(fleet: dict[str, Any]) -> None:
    """So many wrong ones come that taking them away again is too much for the guards."""
    for number in range(90, 110):
        fleet["pools"]["standard"].append(
            {"id": f"lb-{number}", "capacity": 100, "addresses": [f"192.0.2.{number}", f"2001:db8::{number}"]}
        )


def only_v4(fleet: dict[str, Any]) -> None:
    fleet["endpoints"][1]["types"] = ["A"]


def published_past_the_planner(scene: Scene, change: Any) -> None:
    scene.in_service()
    fleet = scene.world.fleet()
    change(fleet)
    scene.publish(fleet, "--unguarded")
    scene.run("enactor", "once", status=3)


def an_endpoint_refused(scene: Scene) -> None:
    published_past_the_planner(scene, of_other_balancers)


def an_endpoint_carried(scene: Scene) -> None:
    an_endpoint_refused(scene)
    scene.write_fleet(of_other_balancers)


def a_kind_is_to_go(scene: Scene) -> None:
    published_past_the_planner(scene, only_v4)
    scene.write_fleet(only_v4)
    scene.values["NAME"] = "api.dualstack.example.com"


def a_plan_refused(scene: Scene) -> None:
    published_past_the_planner(scene, without_one)


def a_bad_plan(scene: Scene) -> None:
    scene.in_service()
    fleet = scene.world.fleet()
    half_moved(fleet)
    scene.publish(fleet)
    scene.run("enactor", "once")
    assert "192.0.2.90" in scene.addresses()


def a_bad_plan_of_many(scene: Scene) -> None:
    scene.in_service()
    fleet = scene.world.fleet()
    all_come(fleet)
    scene.publish(fleet)
    scene.run("enactor", "once")


def good_addresses(scene: Scene) -> None:
    assert scene.addresses() == {f"192.0.2.{number}" for number in range(1, 6)}


def an_older_plan_was_right(scene: Scene) -> None:
    scene.in_service()
    scene.next_plan()


def a_name_came_since(scene: Scene) -> None:
    scene.in_service()
    fleet = scene.world.fleet()
    one_more(fleet)
    scene.publish(fleet)
    scene.run("enactor", "once")
    scene.write_fleet(one_more)


def the_table_is_away(scene: Scene) -> None:
    scene.in_service()
    scene.world.sandbox.add_fault(FaultRule(action="deny", service="dynamodb", count=None))


def the_table_answers(scene: Scene) -> None:
    scene.world.sandbox.clear_faults()


def the_table_is_restored(scene: Scene) -> None:
    scene.in_service()
    backup = scene.items()
    scene.next_plan()
    scene.restore(backup)


def the_table_is_lost(scene: Scene) -> None:
    scene.in_service()
    scene.next_plan()
    client = scene.client("dynamodb")
    client.update_table(TableName=TABLE, DeletionProtectionEnabled=False)
    client.delete_table(TableName=TABLE)


def a_damaged_plan(scene: Scene) -> None:
    scene.in_service()
    client = scene.client("dynamodb")
    for item in scene.items():
        if item["sk"]["S"].startswith("chunk#"):
            client.delete_item(TableName=TABLE, Key={"pk": item["pk"], "sk": item["sk"]})


def never_backwards(scene: Scene) -> None:
    """What the zone had open stays open: whatever a table forgot comes in above it."""
    assert int(scene.switch.split("gen=")[1].split()[0]) > 1


ALL: Final = (
    Scenario(
        page=ENDPOINT, story="the plan is wrong", broken=an_endpoint_refused, walk=(DO, "The plan is wrong", WORKED)
    ),
    Scenario(page=ENDPOINT, story="it is meant", broken=an_endpoint_carried, walk=(DO, "The change is meant", WORKED)),
    Scenario(page=ENDPOINT, story="IPv6 goes", broken=a_kind_is_to_go, walk=(DO, "A kind is to go", WORKED)),
    Scenario(page=PLAN, story="the plan is wrong", broken=a_plan_refused, walk=(DO, "The plan is wrong", WORKED)),
    Scenario(page=PLAN, story="it is meant", broken=a_plan_refused, walk=(DO, "The change is meant", WORKED)),
    Scenario(page=BAD, story="the guards let it back", broken=a_bad_plan, walk=(DO, WORKED, good_addresses)),
    Scenario(
        page=BAD,
        story="the guards refuse the way back",
        broken=a_bad_plan_of_many,
        walk=(DO, "The way back is refused too", WORKED, good_addresses),
    ),
    Scenario(
        page=BACK,
        story="the same names",
        broken=an_older_plan_was_right,
        walk=(DO, good_addresses, WORKED, "Let planners go on"),
    ),
    Scenario(
        page=BACK,
        story="a name came in since then",
        broken=a_name_came_since,
        walk=(DO, "A name came in since then", WORKED),
    ),
    Scenario(
        page=PLAN_TABLE,
        story="it does not answer",
        broken=the_table_is_away,
        walk=(DO, "It does not answer", the_table_answers, WORKED),
    ),
    Scenario(
        page=PLAN_TABLE,
        story="it was restored",
        broken=the_table_is_restored,
        walk=(DO, "It was restored from a backup", never_backwards, WORKED),
    ),
    Scenario(
        page=PLAN_TABLE,
        story="it is lost",
        broken=the_table_is_lost,
        walk=(DO, "It is gone", never_backwards, WORKED),
    ),
    Scenario(
        page=PLAN_TABLE,
        story="its newest plan is damaged",
        broken=a_damaged_plan,
        walk=(DO, "A plan in it is damaged", never_backwards, WORKED),
    ),
)

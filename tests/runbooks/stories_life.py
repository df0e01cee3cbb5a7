"""Stories of the pages that are read in daylight too: install, upgrade, adopt, retire, move, rotate, exercise."""

import signal
from typing import Any, Final

from enactor.sandbox.faults import FaultRule
from enactor.sandbox.world import SWITCH, TABLE
from tests.loopback import free_port

from .page import DO, INDEX, WORKED
from .scene import API, FENCE, Scenario, Scene
from .stories_service import a_worker, mended, retired, wait_for_port

FIRST: Final = "first-installation.md"
UPGRADE: Final = "rolling-upgrade.md"
WEDGED: Final = "enactor-wedged.md"
DOWN: Final = "control-plane-down.md"
THROTTLED: Final = "throttled.md"
ADOPT: Final = "adopt-zone.md"
RETIRE: Final = "retire-endpoint.md"
MOVE: Final = "move-endpoint.md"
EDIT: Final = "keep-an-edit.md"
ALL_GONE: Final = "everything-at-once.md"
ROLES: Final = "rotate-roles.md"
GAME: Final = "game-day.md"
GONE: Final = "111122223333.api.example.com"
MOVED: Final = "api-fips.example.com"
WORKERS: Final = ("worker-a", "worker-b", "worker-c")


def nothing_yet(scene: Scene) -> None:
    scene.values["METRICS"] = f"127.0.0.1:{free_port()}"


def one_worker(scene: Scene) -> None:
    scene.in_service()
    scene.values["WORKER"] = f"127.0.0.1:{a_worker(scene)}"


def worker_is_upgraded(scene: Scene) -> None:
    """Stop it, and start it again at the same port and state directory."""
    scene.end(0)
    worker_starts_again(scene)


def wedged(scene: Scene) -> None:
    """A worker that the system has stopped: its port takes connections and answers nothing."""
    one_worker(scene)
    scene.wipe(API)
    process = scene.started(0)
    process.send_signal(signal.SIGSTOP)
    scene.values["WORKER_PID"] = str(process.pid)


def worker_starts_again(scene: Scene) -> None:
    """Its service manager starts it again."""
    starts_again(scene, "worker", scene.values["WORKER"])


def starts_again(scene: Scene, name: str, place: str) -> None:
    words = ["run", "--every", "1s", "--id", name, "--state-dir", str(scene.folder / name)]
    scene.start("enactor", *words, "--metrics", place)
    wait_for_port(int(place.rsplit(":", 1)[1]))


def all_wedged(scene: Scene) -> None:
    """Three workers, stopped by the system at once, while one name is empty and a new plan waits."""
    scene.in_service()
    places = [f"127.0.0.1:{a_worker(scene, name)}" for name in WORKERS]
    fleet = scene.world.fleet()
    scene.wipe(API)
    processes = [scene.started(number) for number in range(len(WORKERS))]
    for process in processes:
        process.send_signal(signal.SIGSTOP)
    fleet["pools"]["standard"][-1]["enabled"] = True
    scene.publish(fleet)
    pids = [str(process.pid) for process in processes]
    scene.values |= {"WORKER": places[0], "WORKER_PID": pids[0]}
    scene.values |= {"WORKERS": " ".join(places), "WORKER_PIDS": " ".join(pids)}


def emptied_meanwhile(scene: Scene) -> None:
    """By the time that somebody reads on; and the worker that was ended alone is one of three."""
    assert len(scene.addresses()) == 6
    scene.wipe(API)


def all_are_ended(scene: Scene) -> None:
    """A signal waits in each of them until the system lets it go on, but for the last one."""
    assert [scene.started(number).wait(10) for number in range(len(WORKERS))] == [-signal.SIGKILL] * len(WORKERS)
    assert len(scene.addresses()) == 6


def all_start_again(scene: Scene) -> None:
    for name, place in zip(WORKERS, scene.values["WORKERS"].split(), strict=True):
        starts_again(scene, name, place)


def control_plane_down(scene: Scene) -> None:
    scene.in_service()
    scene.world.sandbox.add_fault(FaultRule(action="error-before", count=None))


def throttled(scene: Scene) -> None:
    one_worker(scene)
    scene.world.sandbox.configure(requests_capacity=1, requests_refill_per_second=0.01)


def throttled_and_empty(scene: Scene) -> None:
    throttled(scene)
    scene.wipe(API)


def a_little_gets_through(scene: Scene) -> None:
    scene.world.sandbox.configure(requests_capacity=50, requests_refill_per_second=2)


def unthrottled(scene: Scene) -> None:
    scene.world.sandbox.configure(requests_capacity=None)


def a_zone_by_hand(scene: Scene) -> None:
    """Names as a person makes them, one of them in a spelling that a plan does not have."""
    for number, name in enumerate(("www", "shop"), start=1):
        values = [{"Value": f"192.0.2.{number}"}, {"Value": f"198.51.100.{number}"}]
        scene.edit("CREATE", {"Name": f"{name}.example.com.", "Type": "A", "TTL": 300, "ResourceRecords": values})
    scene.edit(
        "CREATE",
        {"Name": "example.com.", "Type": "MX", "TTL": 300, "ResourceRecords": [{"Value": "10 mx.example.net."}]},
    )
    (scene.folder / "fleet.yaml").unlink()


def in_service_and_retired(scene: Scene) -> None:
    scene.in_service()
    scene.write_fleet(lambda fleet: retired(fleet, GONE))


def it_answers_no_more(scene: Scene) -> None:
    assert not scene.sets(f"{GONE}.")


def it_is_listed_again(scene: Scene) -> None:
    scene.write_fleet(lambda _fleet: None)


def two_fleets(scene: Scene) -> None:
    scene.in_service()
    scene.write_fleet(lambda fleet: retired(fleet, MOVED))
    core = scene.world.fleet()
    core["fleet"] = "core"
    core["endpoints"] = [one for one in core["endpoints"] if one["name"] == MOVED]
    scene.world.write_fleet(core, "core.yaml")


def core_has_it(scene: Scene) -> None:
    assert "fleet=core" in scene.text("api-fips._fence.example.com.")


def the_file_says_the_same(scene: Scene) -> None:
    """The fleet file has what stands after the edit."""
    standing = scene.addresses()
    assert len(standing) == 4

    def edited(fleet: dict[str, Any]) -> None:
        fleet["pools"]["edited"] = [one for one in fleet["pools"]["standard"] if one["addresses"][0] in standing]
        fleet["endpoints"][0]["pools"] = {"edited": 1.0}

    scene.write_fleet(edited)


def zone_emptied(scene: Scene) -> None:
    """Everything but what Route 53 itself keeps there."""
    scene.in_service()
    empty_the_zone(scene)


def empty_the_zone(scene: Scene) -> None:
    own = [one for one in scene.world.sandbox.zone("Z0EXAMPLE").sets() if one["Type"] not in {"NS", "SOA"}]
    scene.edit("DELETE", *own)


def table_deleted(scene: Scene) -> None:
    client = scene.client("dynamodb")
    client.update_table(TableName=TABLE, DeletionProtectionEnabled=False)
    client.delete_table(TableName=TABLE)


def zone_and_table_gone(scene: Scene) -> None:
    zone_emptied(scene)
    table_deleted(scene)


def only_fences_left(scene: Scene) -> None:
    """The sets, the switch and the table are gone; fences show that the zone was somebody's."""
    scene.in_service()
    scene.wipe(API, SWITCH)
    table_deleted(scene)


def other_answers(scene: Scene) -> None:
    assert scene.addresses()
    assert scene.sets(FENCE)


ALL: Final = (
    Scenario(page=INDEX, story="a quiet world", broken=Scene.in_service, walk=("A shell that works",)),
    Scenario(page=FIRST, story="an empty zone", broken=nothing_yet, walk=(DO, WORKED)),
    Scenario(page=UPGRADE, story="one worker", broken=one_worker, walk=(DO, worker_is_upgraded, WORKED)),
    Scenario(
        page=UPGRADE,
        story="and back",
        broken=one_worker,
        walk=(DO, worker_is_upgraded, "The new version does not become ready", WORKED),
    ),
    Scenario(
        page=WEDGED, story="stopped by the system", broken=wedged, walk=(DO, other_answers, worker_starts_again, WORKED)
    ),
    Scenario(
        page=WEDGED,
        story="all three at once",
        broken=all_wedged,
        walk=(DO, emptied_meanwhile, "All of them are wedged at once", all_are_ended, all_start_again, WORKED),
    ),
    Scenario(page=DOWN, story="every call fails", broken=control_plane_down, walk=(DO, mended, "It is back", WORKED)),
    Scenario(page=THROTTLED, story="it ends", broken=throttled, walk=(DO, unthrottled, "It is over", WORKED)),
    Scenario(
        page=THROTTLED,
        story="a name is empty",
        broken=throttled_and_empty,
        walk=(
            DO,
            a_little_gets_through,
            "A name is empty, and nothing gets through",
            other_answers,
            unthrottled,
            "It is over",
            WORKED,
        ),
    ),
    Scenario(page=ADOPT, story="made by hand", broken=a_zone_by_hand, walk=(DO, WORKED)),
    Scenario(page=RETIRE, story="it goes", broken=in_service_and_retired, walk=(DO, it_answers_no_more, WORKED)),
    Scenario(
        page=RETIRE,
        story="it was a mistake",
        broken=in_service_and_retired,
        walk=(DO, it_answers_no_more, it_is_listed_again, "It was a mistake", WORKED),
    ),
    Scenario(page=MOVE, story="from edge to core", broken=two_fleets, walk=(DO, core_has_it, WORKED)),
    Scenario(
        page=EDIT,
        story="and into the plan",
        broken=Scene.in_service,
        walk=(DO, WORKED, the_file_says_the_same, "Bring it into the plan"),
    ),
    Scenario(page=ALL_GONE, story="the zone", broken=zone_emptied, walk=(DO, other_answers, WORKED)),
    Scenario(page=ALL_GONE, story="zone and table", broken=zone_and_table_gone, walk=(DO, "No plan is left", WORKED)),
    Scenario(
        page=ALL_GONE,
        story="nobody can tell the generation",
        broken=only_fences_left,
        walk=(DO, "init asks for a generation", WORKED),
    ),
    Scenario(page=ROLES, story="a second role", broken=Scene.in_service, walk=(DO, WORKED)),
    Scenario(
        page=GAME,
        story="all exercises",
        broken=Scene.in_service,
        walk=(
            DO,
            "Exercise 1: a record set is deleted by hand",
            "Exercise 2: stop and start",
            "Exercise 3: a plan that takes too much",
            "Exercise 4: the table is away",
            WORKED,
        ),
    ),
)

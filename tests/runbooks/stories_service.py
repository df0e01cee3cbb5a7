"""Stories of the pages about the service itself: who else writes, who is silent, who is slow, whose settings differ."""

import time
import urllib.error
import urllib.request
from typing import Any, Final

from enactor.sandbox.faults import FaultRule
from enactor.sandbox.world import SWITCH
from tests.loopback import free_port

from .page import DO, WORKED
from .scene import API, FENCE, Scenario, Scene

ELSE: Final = "somebody-else.md"
BEHIND: Final = "endpoint-behind.md"
PLANNER: Final = "planner-silent.md"
COLLECTION: Final = "collection-stuck.md"
LIMITS: Final = "limits-differ.md"
OUTLIVED: Final = "stop-outlived.md"
NEW: Final = "new.example.com."
PATIENCE_SECONDS: Final = 60.0
STRICT: Final = "limits: {shrink-targets: 0.2}\n"
LOOSE: Final = "limits: {shrink-targets: 0.9}\n"


def wait_for_port(port: int) -> None:
    """Wait until a worker answers at all."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5).close()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"nothing serves at {port}")


def a_worker(scene: Scene, name: str = "worker", **environment: str) -> int:
    """Start a worker with a port; return the port."""
    port = free_port()
    words = ["run", "--every", "1s", "--id", name, "--state-dir", str(scene.folder / name)]
    scene.start("enactor", *words, "--metrics", f"127.0.0.1:{port}", **environment)
    wait_for_port(port)
    return port


def new_name(fleet: dict[str, Any]) -> None:
    fleet["endpoints"].append({"name": NEW, "zone": "main", "pools": {"cell-a": 1.0}, "types": ["A"]})


def foreign(scene: Scene) -> None:
    """A name that somebody made by hand, and that the reader's file lists as it stands."""
    scene.in_service()
    scene.edit(
        "CREATE",
        {"Name": NEW, "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": f"203.0.113.{n}"} for n in (1, 2)]},
    )
    scene.write_fleet(new_name)
    scene.values["NAME"] = "new.example.com"


def garbled(scene: Scene) -> None:
    scene.in_service()
    scene.retype(FENCE, "what is this record for?")


def another_tool(scene: Scene) -> None:
    """It has the name now, with a record set of its own."""
    scene.in_service()
    scene.edit("DELETE", scene.sets(API)[0])
    scene.write_fleet(lambda fleet: retired(fleet, "api.example.com"))


def retired(fleet: dict[str, Any], name: str) -> None:
    fleet["endpoints"] = [one for one in fleet["endpoints"] if one["name"] != name]
    fleet["retired"] = [{"name": name, "zone": "main"}]


def still_answers(scene: Scene) -> None:
    assert scene.sets(API)
    assert not scene.sets(FENCE)


def vanished(scene: Scene) -> None:
    scene.in_service()
    fleet = scene.world.fleet()
    del fleet["endpoints"][-1]
    scene.publish(fleet, "--unguarded")
    scene.run("enactor", "allow", "*", "--guard", "vanished", "--generation", "2", "--reason", "a mistake")
    scene.run("enactor", "once", status=3)


def behind(scene: Scene) -> None:
    scene.in_service()
    fleet = scene.world.fleet()
    fleet["pools"]["standard"][-1]["enabled"] = True
    scene.publish(fleet)


def behind_with_a_worker(scene: Scene) -> None:
    scene.in_service()
    scene.values["WORKER"] = f"127.0.0.1:{a_worker(scene)}"
    behind_fleet = scene.world.fleet()
    behind_fleet["pools"]["standard"][-1]["enabled"] = True
    scene.publish(behind_fleet)


def rejected(scene: Scene) -> None:
    behind(scene)
    scene.world.sandbox.add_fault(
        FaultRule(action="reject", operation="ChangeResourceRecordSets", names=(API,), count=None)
    )


def planner_dead(scene: Scene) -> None:
    scene.in_service()
    scene.write_fleet(lambda fleet: fleet["pools"]["standard"][-1].update(enabled=True))


def source_fails(scene: Scene) -> None:
    """The inventory's directory is gone."""
    scene.in_service()

    def from_source(fleet: dict[str, Any]) -> None:
        fleet["sources"] = {"lbs": {"kind": "file", "path": "inventory.yaml"}}
        fleet["pools"]["standard"] = {"from": ["lbs"]}

    scene.write_fleet(from_source)


def source_is_mended(scene: Scene) -> None:
    balancers = scene.world.fleet()["pools"]["standard"]
    balancers[-1]["enabled"] = True
    lines = [
        f"- {{id: {one['id']}, capacity: {one['capacity']}, addresses: ['{one['addresses'][0]}', '{one['addresses'][1]}']}}"
        for one in balancers
    ]
    (scene.folder / "inventory.yaml").write_text("\n".join(lines), encoding="utf-8")


def sixth_joined(scene: Scene) -> None:
    assert len(scene.addresses()) == 6


def zone_denied(scene: Scene) -> None:
    scene.in_service()
    scene.next_plan()
    scene.world.sandbox.add_fault(FaultRule(action="deny", operation="ListResourceRecordSets", count=None))


def mended(scene: Scene) -> None:
    scene.world.sandbox.clear_faults()


def pinned(scene: Scene) -> None:
    scene.in_service()
    scene.next_plan()
    scene.run("planner", "pin", "1", "--reason", "once")


def other_limits(scene: Scene) -> None:
    scene.in_service()
    strict, loose = scene.folder / "strict.yaml", scene.folder / "loose.yaml"
    strict.write_text(STRICT, encoding="utf-8")
    loose.write_text(LOOSE, encoding="utf-8")
    ports = [
        a_worker(scene, "one", ENACTOR_CONFIG=str(strict)),
        a_worker(scene, "two", ENACTOR_CONFIG=str(loose)),
    ]
    scene.values["WORKERS"] = " ".join(f"127.0.0.1:{port}" for port in ports)
    scene.extra["ENACTOR_CONFIG"] = str(strict)


def same_limits(scene: Scene) -> None:
    """Somebody puts the strict file there, and restarts that worker at the same port."""
    (scene.folder / "loose.yaml").write_text(STRICT, encoding="utf-8")
    port = scene.values["WORKERS"].rsplit(":", 1)[1]
    scene.end(1)
    words = ["run", "--every", "1s", "--id", "two", "--state-dir", str(scene.folder / "two")]
    told = str(scene.folder / "loose.yaml")
    scene.start("enactor", *words, "--metrics", f"127.0.0.1:{port}", ENACTOR_CONFIG=told)
    wait_for_port(int(port))


def outlived(scene: Scene) -> None:
    """A stop that is over by our clock, and goes on by the Date of AWS's answers."""
    scene.in_service()
    stopped = scene.switch.strip('"').replace("mode=run", "mode=stop")
    scene.retype(SWITCH, f"{stopped} until=2026-01-01T00:00:00Z")
    scene.world.sandbox.configure(
        date_offset_seconds=-20 * 365 * 86_400.0
    )  # AWS's Date is before the end, ours after it


ALL: Final = (
    Scenario(page=ELSE, story="it is foreign", broken=foreign, walk=(DO, "It is foreign", WORKED)),
    Scenario(page=ELSE, story="its fence is garbled", broken=garbled, walk=(DO, "Its fence is garbled", WORKED)),
    Scenario(
        page=ELSE, story="another tool has it", broken=another_tool, walk=(DO, "It is contested", still_answers, WORKED)
    ),
    Scenario(page=ELSE, story="it is vanished", broken=vanished, walk=(DO, "It is vanished", WORKED)),
    Scenario(page=BEHIND, story="nobody writes", broken=behind, walk=(DO, sixth_joined, WORKED)),
    Scenario(
        page=BEHIND,
        story="its batch is rejected",
        broken=rejected,
        walk=(DO, "The cycle by hand fails too", mended, "What Route 53 refused is mended", WORKED),
    ),
    Scenario(
        page=BEHIND,
        story="a worker is asked",
        broken=behind_with_a_worker,
        walk=(DO, "The cycle by hand works, and theirs do not", WORKED),
    ),
    Scenario(
        page=PLANNER,
        story="it is dead",
        broken=planner_dead,
        walk=(DO, "The planner is dead", WORKED, sixth_joined),
    ),
    Scenario(
        page=PLANNER,
        story="a source fails",
        broken=source_fails,
        walk=(DO, source_is_mended, "A source fails", "The planner is dead", WORKED, sixth_joined),
    ),
    Scenario(
        page=COLLECTION,
        story="a zone cannot be read",
        broken=zone_denied,
        walk=(DO, mended, "A zone cannot be read", WORKED),
    ),
    Scenario(page=COLLECTION, story="plans are pinned", broken=pinned, walk=(DO, "Plans are pinned", WORKED)),
    Scenario(page=LIMITS, story="two files", broken=other_limits, walk=(DO, same_limits, WORKED)),
    Scenario(page=OUTLIVED, story="it may run", broken=outlived, walk=(DO, "It may run", WORKED)),
    Scenario(page=OUTLIVED, story="it may not", broken=outlived, walk=(DO, "It must go on being stopped", WORKED)),
)

"""Stories of the pages about brakes and budgets of the machines themselves."""

import copy
import socket
from typing import Any, Final

from .page import DO, WORKED
from .scene import API, Scenario, Scene
from .stories_service import a_worker

BRAKE: Final = "health-brake.md"
BUDGET: Final = "budget-exhausted.md"
BALANCERS: Final = range(1, 6)


def a_checked_fleet(scene: Scene) -> dict[str, Any]:
    """Return a fleet of five load balancers on this machine, of which only the first accepts connections."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    scene.keep(listening)
    fleet = scene.world.fleet()
    port = listening.getsockname()[1]
    fleet["sources"] = {"checks": {"kind": "probe", "protocol": "tcp", "port": port, "timeout": "2s"}}
    fleet["pools"] = {
        "standard": [{"id": f"lb-{n}", "capacity": 100, "addresses": [f"127.0.0.{n}"]} for n in BALANCERS]
    }
    fleet["endpoints"] = [{"name": API, "zone": "main", "pools": {"standard": 1.0}, "types": ["A"]}]
    fleet["health"] = {"from": ["checks"], "fall": 1}
    return fleet


def unheard(fleet: dict[str, Any]) -> dict[str, Any]:
    changed = copy.deepcopy(fleet)
    changed["health"]["from"] = []
    return changed


def most_are_called_bad(scene: Scene) -> None:
    """In the plan are all five; then the planner hears the checks, which call four of them bad."""
    fleet = a_checked_fleet(scene)
    scene.table()
    scene.publish(unheard(fleet))
    scene.run("enactor", "once")
    scene.world.write_fleet(fleet)


def nobody_hears_them(scene: Scene) -> None:
    scene.world.write_fleet(unheard(scene.reader_fleet()))


def two_are_taken_out(scene: Scene) -> None:
    """Two are dead, and the others were only slow to start."""
    fleet = unheard(scene.reader_fleet())
    for balancer in fleet["pools"]["standard"][3:]:
        balancer["enabled"] = False
    scene.world.write_fleet(fleet)


def no_budget(scene: Scene) -> None:
    """A worker with a hundredth of the account, in a zone where everything is to be written again."""
    scene.in_service()
    scene.wipe(API)
    scene.values["WORKER"] = f"127.0.0.1:{a_worker(scene, ENACTOR_ACCOUNT_SHARE='0.01')}"


ALL: Final = (
    Scenario(
        page=BRAKE,
        story="the signals are wrong",
        broken=most_are_called_bad,
        walk=(DO, nobody_hears_them, "The signals are wrong", WORKED),
    ),
    Scenario(
        page=BRAKE,
        story="they are dead",
        broken=most_are_called_bad,
        walk=(DO, two_are_taken_out, "They are really dead", WORKED),
    ),
    Scenario(page=BUDGET, story="a share too small", broken=no_budget, walk=(DO, WORKED)),
)

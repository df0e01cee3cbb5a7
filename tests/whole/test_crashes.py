"""Killed anywhere, a worker starts clean: kill -9 in the middle of its work, again and again, and the next one finishes it."""

import signal
import time

from enactor.disk import PlanDisk

from .world import World, until

KILLS = 8
ENDPOINTS = [f"ep{number}.example.test." for number in range(30)]


def killed(world: World, seconds: float, *, starts: int) -> None:
    """Start a worker and kill it so long after its first line: from before its first read to after its first swaps."""
    worker = world.worker("w", every="0.2s")
    until(lambda: len(worker.events("starting")) == starts, "its first line")
    time.sleep(seconds)
    assert worker.ended(signal.SIGKILL) == -signal.SIGKILL


def test_a_worker_that_is_killed_anywhere_is_followed_by_a_clean_start(world: World) -> None:
    """Each dies a little later than the one before, with plans coming in; what the last one finds it brings to the newest plan."""
    for kill in range(KILLS):
        world.publish(*(world.endpoint(*range(1, 3 + kill), name=name) for name in ENDPOINTS))
        killed(world, 0.15 * kill, starts=kill + 1)
    last = world.worker("w", every="0.2s")
    wanted = tuple(f"A 192.0.2.{number} 10" for number in range(1, 2 + KILLS))
    until(lambda: all(world.stands(name) == wanted for name in ENDPOINTS), "the newest plan everywhere")
    until(lambda: [one["event"] for one in last.events()].count("starting") == KILLS + 1, "its first line")
    until(lambda: last.events()[-1].get("outcome") == "unchanged", "nothing left to do")
    assert last.ended(signal.SIGTERM) == 0
    assert last.events()[-1]["event"] == "stopped"
    assert world.once()[0] == 0
    kept = PlanDisk(world.folder / "state-w", world.fleet).load()
    assert kept.problems == ()
    assert kept.plans[0].generation == KILLS
    assert not list((world.folder / "state-w").glob(".unfinished-*"))

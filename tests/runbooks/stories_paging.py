"""Stories of the pages that somebody is woken up for."""

from typing import Final

from enactor.sandbox.faults import FaultRule
from enactor.sandbox.world import SWITCH
from tests.loopback import free_port

from .page import DO, WORKED
from .scene import API, FENCE, Scenario, Scene

EMPTY: Final = "endpoint-empty.md"
WHY: Final = "It answers again: why was it empty?"


def emptied(scene: Scene) -> None:
    scene.in_service()
    scene.wipe(API)


def emptied_while_stopped(scene: Scene) -> None:
    scene.in_service()
    scene.run("enactor", "stop")
    scene.wipe(API)


def emptied_without_switch(scene: Scene) -> None:
    scene.in_service()
    scene.wipe(API, SWITCH)


def emptied_while_held(scene: Scene) -> None:
    scene.in_service()
    scene.run("enactor", "hold", "api.example.com", "--reason", "a deploy")
    scene.wipe(API)


def emptied_and_no_switch_ever(scene: Scene) -> None:
    """The plan can be read, and nothing may be written by a cycle."""
    scene.in_service()
    scene.wipe(API, FENCE)
    scene.retype(SWITCH, "somebody typed here")


def emptied_without_table(scene: Scene) -> None:
    scene.in_service()
    scene.wipe(API)
    scene.run("enactor", "stop")
    scene.world.sandbox.add_fault(FaultRule(action="disconnect", service="dynamodb", count=None))


def answers(scene: Scene) -> None:
    assert len(scene.addresses()) == 5


EMPTY_STORIES: Final = (
    Scenario(page=EMPTY, story="no enactor is alive", broken=emptied, walk=(DO, answers, WORKED, WHY)),
    Scenario(
        page=EMPTY,
        story="the zone is stopped",
        broken=emptied_while_stopped,
        walk=(DO, "Its zone's switch says stop", WORKED),
    ),
    Scenario(
        page=EMPTY,
        story="the switch is gone",
        broken=emptied_without_switch,
        walk=(DO, "Its zone has no switch", WORKED),
    ),
    Scenario(page=EMPTY, story="it is held", broken=emptied_while_held, walk=(DO, "Its state is held", WORKED)),
    Scenario(
        page=EMPTY,
        story="nothing may be written",
        broken=emptied_and_no_switch_ever,
        walk=(DO, "Nothing else works", WORKED),
    ),
    Scenario(
        page=EMPTY,
        story="no plan can be read",
        broken=emptied_without_table,
        walk=(DO, "No plan can be read either", WORKED),
    ),
)

SILENT: Final = "enactors-silent.md"
WENT_BACK: Final = "fence-went-back.md"
STOP: Final = "stop-everything.md"
FIPS: Final = "api-fips.example.com."


def nobody_runs(scene: Scene) -> None:
    scene.in_service()
    scene.wipe(API)
    scene.values["METRICS"] = f"127.0.0.1:{free_port()}"


def nobody_may(scene: Scene) -> None:
    scene.in_service()
    scene.values["METRICS"] = f"127.0.0.1:{free_port()}"
    scene.world.sandbox.add_fault(FaultRule(action="deny", count=None))


def somebody_mends_the_role(scene: Scene) -> None:
    scene.world.sandbox.clear_faults()


def an_old_copy_was_restored(scene: Scene) -> None:
    scene.in_service()
    before = {name: scene.sets(name) for name in (API, FENCE, SWITCH)}
    scene.next_plan()
    for name, old in before.items():
        scene.wipe(name)
        scene.edit("CREATE", *old)


def an_old_switch_was_pasted(scene: Scene) -> None:
    scene.in_service()
    scene.next_plan()
    scene.retype(SWITCH, "v=1 fleet=edge mode=run gen=1 plan=")


def newest_stands(scene: Scene) -> None:
    assert " gen=2 " in scene.switch
    assert len(scene.addresses()) == 6


def nothing_moves(scene: Scene) -> None:
    """A cycle of anybody's writes nothing, also where a name is empty."""
    before = scene.sets(FIPS)
    scene.wipe(FIPS)
    scene.run("enactor", "once", status=3)
    assert not scene.sets(FIPS)
    scene.edit("CREATE", *before)


def everything_moves(scene: Scene) -> None:
    scene.wipe(FIPS)
    scene.run("enactor", "once")
    assert scene.sets(FIPS)


SILENT_STORIES: Final = (
    Scenario(
        page=SILENT,
        story="the workers are dead",
        broken=nobody_runs,
        walk=(DO, "The cycle by hand works", answers, WORKED, "The workers are back"),
    ),
    Scenario(
        page=SILENT,
        story="the role lost its permissions",
        broken=nobody_may,
        walk=(
            DO,
            "The cycle by hand fails",
            somebody_mends_the_role,
            "The cycle by hand works",
            WORKED,
            "The workers are back",
        ),
    ),
)
WENT_BACK_STORIES: Final = (
    Scenario(
        page=WENT_BACK,
        story="an old copy was restored",
        broken=an_old_copy_was_restored,
        walk=(DO, newest_stands, WORKED),
    ),
    Scenario(
        page=WENT_BACK,
        story="it goes back again",
        broken=an_old_copy_was_restored,
        walk=(DO, "It goes back again", newest_stands, WORKED),
    ),
    Scenario(
        page=WENT_BACK,
        story="an old switch was pasted, and is cut",
        broken=an_old_switch_was_pasted,
        walk=(DO, "The switch is gone or garbled", newest_stands, WORKED),
    ),
)
STOP_STORIES: Final = (
    Scenario(
        page=STOP,
        story="with a shell, and back",
        broken=Scene.in_service,
        walk=(DO, "With a shell", nothing_moves, WORKED, "Start again", everything_moves),
    ),
    Scenario(
        page=STOP,
        story="from the console",
        broken=Scene.in_service,
        walk=(DO, "From the AWS console", nothing_moves, WORKED),
    ),
    Scenario(page=STOP, story="one name", broken=Scene.in_service, walk=(DO, "One name alone", WORKED)),
)
ALL: Final = (*EMPTY_STORIES, *SILENT_STORIES, *WENT_BACK_STORIES, *STOP_STORIES)

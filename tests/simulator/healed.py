"""What one healthy enactor brings about alone: no publish, no collect, and a person only to start what is stopped.

Promise 5, judged from outside: within HEALED_CYCLES_MAX cycles every endpoint stands as the newest valid plan says, or it waits for what a
person must decide, and the survey says for what. Which plan is the newest valid one is told here without the product's own judgement.
"""

from typing import Final

import msgspec

from enactor.cli.views import zone_notes
from enactor.fence import Fence, Switch
from enactor.records import content_digest, content_of
from enactor.report import SurveyReport
from enactor.table_keys import HEAD

from .clocks import Seen, runs
from .hosted import ZoneState
from .promises import NEVER_STUCK, End, Story, end_of, manifests, reading, waits
from .table_model import Table

HEALED_CYCLES_MAX: Final = 3
"""One repairs what the fence names, the next brings the newest plan, which guards hold against what then stands; one to spare."""
HEALED_STEPS_MAX: Final = 50
"""So many calls of the thin tier, for each zone, that enactor needs at most until it is at rest, its survey included."""


def of_alone(
    story: Story, state: ZoneState, table: Table, by: Seen, *, report: SurveyReport, refused: frozenset[str]
) -> list[str]:
    """Return what an enactor has left of one zone by its clock that it should have brought right, or left without a word."""
    zone = state.zone_id
    if state.trouble:
        seen = next(one for one in report.zones if one.zone == zone)
        return (
            []
            if seen.switch == "unknown" and seen.error
            else [f"{NEVER_STUCK}: nobody says that {zone} is out of reach"]
        )
    found = end_of(story, state, table, by)
    # A plan that a collector has condemned is handed out to nobody: it explains nothing until a collect puts it back.
    end = msgspec.structs.replace(found, kept=found.readable)
    newest = newest_valid(story, end, table)
    if newest is None:
        return (
            []
            if report.problems or zone_notes(report.zones, report.plan)
            else [f"{NEVER_STUCK}: nobody says that no plan is left"]
        )
    generation, digest = newest
    is_free = may_open(story, end, state, newest)
    faults = []
    for (its_zone, name), wanted in sorted(story.contents[digest].items()):
        has = end.has.get(name, ())
        if its_zone != zone or content_digest(content_of(has)) == wanted:
            continue
        if is_free and not waits(story, end, name, wanted, may_be_refused=name in refused):
            faults.append(f"{NEVER_STUCK}: one enactor alone leaves {name} otherwise than plan {generation} says")
        elif not is_named(report, zone, name):
            faults.append(f"{NEVER_STUCK}: {name} waits, and no survey says for what")
    switch = end.found.switch.switch
    if is_free and (not isinstance(switch, Switch) or switch.gen != generation):
        faults.append(f"{NEVER_STUCK}: one enactor alone does not open plan {generation} in {zone}")
    return faults


def newest_valid(story: Story, end: End, table: Table) -> tuple[int, str] | None:
    """Return generation and digest of the plan that there is to work from: HEAD's, else the next below that can be read."""
    if HEAD not in table:
        return None
    item = dict(table[HEAD])
    head = (int(str(item["generation"])), str(item["digest"]))
    sound = {one for one in manifests(table).items() if one[1] in end.readable and one[1] in story.contents}
    if head in sound:
        return head
    return max((one for one in sound if one[0] < head[0]), default=None)


def may_open(story: Story, end: End, state: ZoneState, newest: tuple[int, str]) -> bool:
    """Tell whether neither the switch nor a plan as a whole keeps the newest valid plan out of a zone."""
    switch, (generation, digest) = end.found.switch.switch, newest
    if not isinstance(switch, Switch) or not runs(switch, end.by):
        return False
    if switch.gen >= generation:
        return switch.gen == generation and digest.startswith(switch.plan)
    said, retired = story.contents[digest], story.retired[digest]
    left_out = set(story.of_switch(switch)) - set(said) - retired
    if not any(
        one.startswith(switch.plan) for one in end.readable
    ):  # the fences say what is in force where its plan is lost
        mine = (
            name for name, one in end.found.fences.items() if isinstance(one.fence, Fence) and one.fence.state == "live"
        )
        left_out |= {(state.zone_id, name) for name in mine} - set(said) - retired
    return not any(zone == state.zone_id for zone, _ in left_out)


def is_named(report: SurveyReport, zone: str, name: str) -> bool:
    """Tell whether a survey has a sentence about what keeps an endpoint: its own, its zone's, a plan's or the table's."""
    own = [reason for one in report.endpoints if (one.zone, one.name) == (zone, name) for reason in one.reasons]
    return bool(own or zone_notes(report.zones, report.plan) or report.refused or report.problems)


def is_nobodys(story: Story, state: ZoneState) -> bool:
    """Tell whether a zone has neither switch nor fence: it was taken out of the fleet."""
    found = reading(state, story.fleet)
    return found.switch.record is None and not found.fences

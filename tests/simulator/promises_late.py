"""What a person's late verb may put in place, and the one case in which it takes an endpoint back. Pure.

A verb that puts a plan's content in place is decided on the newest plan that it may use; kept on its way, it must lose where a newer
plan was opened since. Each batch rests on the switch or on a fence, but one: a heal of a name that has neither fence nor record set, in a
zone that has neither switch nor fence of the fleet, can only create, and rests on nothing.
"""

from collections.abc import Sequence
from typing import Final

from enactor.batch import Batch
from enactor.fence import Switch

from .hosted import ZoneState
from .promises import NEVER_BACKWARDS, Story, reading, sets_by_name

WIPES: Final = 2
"""A name that a batch was to create, and that somebody else created since, is empty again only by a second wipe."""


def is_wiped_twice(batch: Batch, *, late: bool, wiped: Sequence[str]) -> bool:
    """Tell whether this is the one case that is allowed, and that the next pass repairs: WIPED TWICE, CREATED LATE.

    A batch that deletes nothing and was kept on its way, at names that a person wiped twice, fence and all.
    """
    creates_alone = all(change.action == "CREATE" for change in batch.changes)
    return late and creates_alone and all(wiped.count(swap.name) >= WIPES for swap in batch.swaps)


def of_verb(
    story: Story, before: ZoneState, after: ZoneState, batch: Batch, *, late: bool, wiped: Sequence[str]
) -> tuple[str, ...]:
    """Return where a person's late verb has put a plan's content in place below what is open."""
    switch = reading(after, story.fleet).switch.switch
    if batch.origin != "verb" or not late or not isinstance(switch, Switch):
        return ()
    if is_wiped_twice(batch, late=late, wiped=wiped):
        return ()
    if batch.switch is not None:
        return ()  # it landed, so the very switch stands that it was decided on: nothing newer was opened since
    had, has = sets_by_name(before), sets_by_name(after)
    return tuple(
        f"{NEVER_BACKWARDS}: a late verb put generation {swap.fence_after.gen} in place at {swap.name}, below {switch.gen}"
        for swap in batch.swaps
        if 0 < swap.fence_after.gen < switch.gen
        and swap.fence_after.state == "live"
        and had.get(swap.name) != has.get(swap.name)
    )

"""Decide what the history in the plan table says of each endpoint from before a process started, for the timelines of its page.

Pure. A timeline shows what this process saw; what was before it is what others wrote down, best effort, and it must never look like
something that was seen. What cannot be read is passed over: a table that people may edit puts nothing else on the page.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Final

from enactor.fence import instant_of, instant_text
from enactor.history import SWAP, generation_of, plain, written_of
from enactor.live_report import Key, Put, Recalled
from enactor.table_keys import EventItem

PUTS_KEPT: Final = 6
"""Of each endpoint, the newest. A timeline of all there is stands in `enactor history NAME`."""
WORD_SHOWN_CHARACTERS: Final = 40
"""An enactor's id has 32 at most, a state and a verb fewer."""
CHANGED: Final = "changed"
"""The outcome of what did something."""


def recalled(
    events: Iterable[EventItem], zones: Collection[str], *, since: datetime, before: datetime, is_cut: bool
) -> Recalled:
    """Return what was done at endpoints of these zones before an instant; `events` are newest first.

    `since` is how far back they were asked for; where older ones were left unread (`is_cut`) they reach back to the last of them.
    """
    found: dict[Key, deque[Put]] = defaultdict(lambda: deque(maxlen=PUTS_KEPT))
    reaches = since
    for event in events:
        at = instant_of(event.time)
        if at is None:
            continue
        if is_cut:
            reaches = at
        if at < before and event.zone in zones and event.outcome == CHANGED:
            for name, put in _puts(event, instant_text(at)):
                kept = found[event.zone, name]
                if len(kept) < PUTS_KEPT:
                    kept.appendleft(put)
    return Recalled(since=instant_text(reaches), puts={key: tuple(kept) for key, kept in found.items()})


def _puts(event: EventItem, at: str) -> Iterator[tuple[str, Put]]:
    """Yield what an event says of each endpoint that it is about."""
    by = _word(event.by)
    if event.verb != SWAP:
        if event.name:
            yield event.name, Put(at=at, verb=_word(event.verb), by=by, generation=generation_of(event.generation))
        return
    for line in event.swaps:
        if (one := written_of(line)) is not None:
            yield one.name, Put(at=at, verb=SWAP, by=by, generation=one.generation, cause=_word(one.cause))


def _word(text: str) -> str:
    return plain(text[:WORD_SHOWN_CHARACTERS])

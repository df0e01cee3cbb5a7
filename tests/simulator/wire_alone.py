"""A story with few of its actors left: so few requests that every fault at every one of them can be tried on the wire."""

import msgspec

from .stage import Scenario


def left(scenario: Scenario, *names: str) -> Scenario:
    """Return a story with some of its actors left."""
    actors = tuple(actor for actor in scenario.actors if actor.name in names)
    assert len(actors) == len(names), f"{scenario.name} has no such actors"
    return msgspec.structs.replace(scenario, name=f"{scenario.name}-{'-'.join(names)}", actors=actors)

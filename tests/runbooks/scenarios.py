"""Every story that a runbook is read in."""

from typing import Final

from . import stories_life, stories_pace, stories_paging, stories_plans, stories_service
from .scene import Scenario

ALL: Final[tuple[Scenario, ...]] = (
    *stories_paging.ALL,
    *stories_plans.ALL,
    *stories_service.ALL,
    *stories_life.ALL,
    *stories_pace.ALL,
)

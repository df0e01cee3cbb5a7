"""Every story that is played."""

from typing import Final

from .scenarios import PARTS
from .scenarios_verbs import VERBS

ALL: Final = (*PARTS, *VERBS)

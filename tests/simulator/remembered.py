"""Remember what some pure functions of the product have said: a search asks them the same thing a million times.

The functions are those that ship, and a house rule holds their modules pure; so what was said once is said again.
"""

from functools import lru_cache
from typing import Any, Final

from enactor import fence, observe, plan_form, records

ANSWERS_MAX: Final = 50_000
PURE: Final[tuple[tuple[Any, str], ...]] = (
    (records, "canonical_set"),
    (fence, "read_fence"),
    (fence, "read_switch"),
    (plan_form, "_read_once"),
)


def remember() -> None:
    """Have each function, wherever it goes by its name, remember its answers."""
    for module, name in PURE:
        function = getattr(module, name)
        if not hasattr(function, "cache_info"):
            quick = lru_cache(ANSWERS_MAX)(function)
            for owner in {module, observe}:
                if getattr(owner, name, None) is function:
                    setattr(owner, name, quick)

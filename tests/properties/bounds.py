"""How long the properties may search: the same examples every time, as many as were asked for, with no clock in it."""

from typing import Any

from hypothesis import HealthCheck, Phase, settings


def bounded(examples: int, **more: Any) -> settings:
    """Return settings for so many examples; a busy machine is no reason to fail.

    A failure is shown as it was found: to shrink a long story takes longer than a test may.
    """
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=slow,
        phases=[Phase.explicit, Phase.generate],
        **more,
    )

"""The race of October 2025, found by search in the automation of that day."""

from .october_2025 import later_plan_is_stuck, search


def test_the_search_finds_the_race_of_october_2025() -> None:
    """Nobody told it where to look: an endpoint that points to nothing, and a later plan that cannot be applied."""
    found = search()
    assert found.empty is not None
    assert found.timeline[-1].startswith("b  sends DELETE A plan-2.")
    refusal = later_plan_is_stuck(found.empty, 6)
    assert refusal is not None
    assert "alias that targets plan-2.api.example.com." in refusal

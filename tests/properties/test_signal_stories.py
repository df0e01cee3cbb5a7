"""Whatever signals say, in any order, with restarts and two planners: what the brake promises of the plans that come out.

The planners are real ones over the real table code, in virtual time; only what the sources say is made up.
"""

from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from enactor.plan import StoredPlan
from planner.observation import Signal
from tests.planner.planner_world import NAME, Planning, fleet, offers

from .bounds import bounded

TARGETS_MAX = 9
WINDOW = timedelta(minutes=10)

said = st.one_of(
    st.sampled_from(["good", "bad", "bad", "nothing"]), st.integers(0, 10).map(lambda tenths: Fraction(tenths, 10))
)
look = st.fixed_dictionaries(
    {
        "who": st.sampled_from(["p1", "p1", "p2"]),
        "is_new": st.booleans(),
        "after": st.sampled_from([1, 20, 30, 60, 300, 700]),
        "looks": st.integers(1, 5),
        "all": st.one_of(st.none(), st.none(), said),
        "each": st.lists(said, min_size=TARGETS_MAX, max_size=TARGETS_MAX),
        "inventory": st.sampled_from(["same", "same", "same", "joins", "leaves"]),
    }
)
settings = st.fixed_dictionaries(
    {
        "health": st.fixed_dictionaries(
            {
                "rise": st.integers(1, 3),
                "fall": st.integers(1, 3),
                "brake": st.sampled_from([0, 0.1, 0.3, 0.34, 0.5, 0.75]),
                "window": st.just("10m"),
            }
        ),
        "pace": st.fixed_dictionaries(
            {
                "gather": st.sampled_from(["0s", "60s"]),
                "max_weight_step": st.sampled_from([1, 0.25, 0.05]),
                "warm_up": st.sampled_from(["0s", "5m"]),
            }
        ),
    }
)


def signal(what: str | Fraction) -> Signal | None:
    if what == "nothing":
        return None
    if isinstance(what, Fraction):
        return Signal(healthy=True, why="counted", capacity_share=what)
    return Signal(healthy=what == "good", why=str(what))


class Story:
    """A fleet, what became of it, and who is in its inventory."""

    def __init__(self, first: int, capacities: list[int], raw: dict[str, Any]) -> None:
        self.made = Planning(
            fleet(sources={"albs": {"kind": "lists", "max_gone": 1}, "checks": {"kind": "checks"}}, **raw)
        )
        self.capacities = capacities
        self.inside = list(range(1, first + 1))
        self.next = first + 1
        self.planners = {name: self.made.planner(name) for name in ("p1", "p2")}
        self.inventories: dict[int, frozenset[str]] = {}
        self._offer()

    def _offer(self) -> None:
        found = [offers(1, first=n, capacity=self.capacities[n - 1])[0] for n in self.inside]
        self.made.source("albs").offers = tuple(found)

    def play(self, step: dict[str, Any]) -> None:
        """Let one step happen, and look as often as it says."""
        if step["inventory"] == "joins" and self.next <= TARGETS_MAX:
            self.inside.append(self.next)
            self.next += 1
        if step["inventory"] == "leaves" and len(self.inside) > 2:
            self.inside.pop(0)
        self._offer()
        told = step["each"] if step["all"] is None else [step["all"]] * TARGETS_MAX
        signals = {f"lb-{n}": found for n in self.inside if (found := signal(told[n - 1])) is not None}
        self.made.source("checks").signals = signals
        if step["is_new"]:
            self.planners[step["who"]] = self.made.planner(step["who"])
        for _ in range(step["looks"]):
            before = self.made.generation()
            self.made.look(self.planners[step["who"]], after=step["after"])
            for generation in range(before + 1, self.made.generation() + 1):
                self.inventories[generation] = frozenset(f"lb-{n}" for n in self.inside)

    def plans(self) -> list[tuple[int, datetime, dict[str, int]]]:
        """Return every published plan: generation, instant, weights."""
        found = []
        for entry in reversed(self.made.table.list()):
            stored = self.made.table.read(entry.generation)
            assert isinstance(stored, StoredPlan)
            (endpoint,) = stored.plan.endpoints
            weights = {one.id: one.weight or 0 for one in endpoint.targets}
            found.append((entry.generation, datetime.fromisoformat(entry.created_at), weights))
        return found


def lost_by_signals(before: dict[str, int], after: dict[str, int], wanted: frozenset[str]) -> Fraction:
    """Return the share of one plan's weight that a later one lacks although its targets are wanted."""
    lost = sum(max(0, weight - after.get(name, 0)) for name, weight in before.items() if name in wanted)
    return Fraction(lost, sum(before.values()))


@bounded(60)
@given(
    st.integers(1, 8),
    st.lists(st.sampled_from([1, 10, 100, 255]), min_size=TARGETS_MAX, max_size=TARGETS_MAX),
    settings,
    st.lists(look, min_size=4, max_size=16),
)
def test_signals_take_no_more_than_the_brakes_share_of_any_plan_of_a_window(
    first: int, capacities: list[int], raw: dict[str, Any], steps: list[dict[str, Any]]
) -> None:
    """Of every pair of plans that stood within one window; nobody is ever without a target, and no weight is 0 or over 255."""
    story = Story(first, capacities, raw)
    for step in steps:
        story.play(step)
    brake = Fraction(str(raw["health"]["brake"]))
    plans = story.plans()
    for number, (generation, at, weights) in enumerate(plans):
        assert weights
        assert all(1 <= weight <= 255 for weight in weights.values())
        for index in range(number - 1, -1, -1):
            _, stood_at, stood = plans[index]
            lost = lost_by_signals(stood, weights, story.inventories[generation])
            assert lost <= brake, (
                f"generation {generation} lacks {float(lost):.2f} of {plans[index][0]}: {stood} {weights}"
            )
            if stood_at <= at - WINDOW:
                break


@bounded(15)
@given(
    st.integers(1, 8),
    st.lists(st.sampled_from([1, 7, 100, 255]), min_size=TARGETS_MAX, max_size=TARGETS_MAX),
    settings,
    st.lists(look, min_size=1, max_size=8),
)
def test_once_all_is_well_every_weight_gets_to_where_it_is_meant_and_stays(
    first: int, capacities: list[int], raw: dict[str, Any], steps: list[dict[str, Any]]
) -> None:
    """Whatever came before: steps and warm-up have an end, and then there are no more plans."""
    story = Story(first, capacities, raw)
    for step in steps:
        story.play(step)
    well = {"who": "p1", "is_new": False, "after": 61, "looks": 1, "all": "good", "each": [], "inventory": "same"}
    for _ in range(80):
        story.play(well)
    assert story.made.weights(NAME) == {f"lb-{n}": capacities[n - 1] for n in story.inside}
    settled = story.made.generation()
    for who in ("p1", "p2"):
        story.play(well | {"who": who, "looks": 4})
    assert story.made.generation() == settled

"""Schedules that random runs meet too rarely, driven call by call: what must lose, and the one case that the promises allow."""

from typing import Final

import msgspec
import pytest

from enactor import brake, endpoint_verbs
from enactor.batch import Change
from enactor.observe import FenceRange
from enactor.records import RecordSet

from .cast import person
from .driven import Driven
from .ops import Cas
from .promises import NEVER_BACKWARDS, sets_by_name
from .promises_late import is_wiped_twice
from .scenarios import API, hand
from .scenarios_hands import STARTED_LATE, WIPED_TWICE
from .stage import Stage
from .world import HOLD


def started_late() -> Driven:
    """Have a start sent without an answer, another one carried out, a plan opened, and the switch deleted; then the first arrives."""
    run = Driven(Stage(STARTED_LATE))
    run.take("hand")
    run.to("ann", Cas)
    run.take("ann", HOLD)
    for actor in ("planner", "bob", "a", "hand"):
        run.to_the_end(actor)
    run.deliver()
    return run


def test_a_late_start_does_not_land_where_another_one_was_carried_out_since() -> None:
    """A switch that is made anew renews the fence that it rests on, whatever the plan that was opened since has written."""
    assert started_late().broken == []


def test_without_the_renewal_it_takes_the_open_generation_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fence that is only asserted may stand through a whole plan that changes another endpoint."""
    real = brake.ground

    def asserted(zone: FenceRange, fleet: str, nonce: str) -> tuple[RecordSet, RecordSet] | None:
        found = real(zone, fleet, nonce)
        return None if found is None else (found[0], found[0])

    monkeypatch.setattr(brake, "ground", asserted)
    assert started_late().broken == [f"{NEVER_BACKWARDS}: a switch was made at 1, and 2 was open by a fence"]


def wiped_twice(*, bare: bool = True, again: bool = True) -> Driven:
    """Have a heal of plan 1 sent into a zone without a switch, plan 2 opened, the name wiped again, and the heal arrive.

    `bare`: no fence of ours is left when the heal is sent; `again`: the name is wiped the second time, once plan 2 stands there.
    """
    run = Driven(Stage(WIPED_TWICE if bare else msgspec.structs.replace(WIPED_TWICE, actors=NOT_BARE)))
    for _ in range(3 if bare else 2):
        run.take("hand")
    run.to("ann", Cas)
    run.take("ann", HOLD)
    run.to_the_end("planner")
    run.to_the_end("bob")
    if again:
        run.to_the_end("a")
        run.take("hand")
    run.deliver()
    return run


NOT_BARE: Final = (
    person("hand", 4, hand("delete switch"), hand("wipe all", API), hand("wipe all", API)),
    *WIPED_TWICE.actors[1:],
)


def stands(run: Driven) -> set[str | None]:
    """Return the load balancers behind the name."""
    return {record.set_identifier for record in sets_by_name(run.stage.world.zones[run.state.zone]).get(API, ())}


def test_a_name_that_was_wiped_twice_may_get_older_content_and_the_next_pass_repairs_it() -> None:
    """The one case that the promises allow: a batch that only creates, kept on its way, at a name that somebody wiped twice."""
    run = wiped_twice()
    assert run.broken == []
    assert stands(run) == {"lb-1", "lb-2"}, "it happens: plan 1 stands where plan 2 is open"
    run.to_the_end("b")
    assert (run.broken, stands(run)) == ([], {"lb-1", "lb-2", "lb-3"})
    assert run.stage.end_faults(run.state.zone, run.state.table) == ()


def test_what_was_wiped_once_is_not_covered() -> None:
    """The same batch at the same place, where nobody wiped what a newer plan had put there, breaks the promise."""
    run = wiped_twice(again=False)
    assert run.broken == [f"{NEVER_BACKWARDS}: a late verb put generation 1 in place at {API}, below 2"]


def test_with_any_fence_of_ours_left_a_late_heal_loses() -> None:
    """A heal into a zone without a switch deletes and creates the first fence there is, which the start has renewed."""
    run = wiped_twice(bare=False)
    assert (run.broken, stands(run)) == ([], set())


def test_without_that_fence_it_lands_below_the_open_generation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a start alone stands between the heal and its arrival, nobody has wiped anything twice."""
    monkeypatch.setattr(endpoint_verbs, "first_fence", lambda *_: None)
    run = wiped_twice(bare=False, again=False)
    assert run.broken == [f"{NEVER_BACKWARDS}: a late verb put generation 1 in place at {API}, below 2"]


@pytest.mark.parametrize(
    ("deletes", "late", "wipes"), [(True, True, 2), (False, False, 2), (False, True, 1), (False, True, 0)]
)
def test_the_allowed_case_is_no_wider(*, deletes: bool, late: bool, wipes: int) -> None:
    """A DELETE anywhere in the batch, an answer in time, or one wipe: each is judged like any other verb."""
    run = Driven(Stage(WIPED_TWICE))
    for _ in range(3):
        run.take("hand")
    run.to("ann", Cas)
    op = run.pending("ann")
    assert isinstance(op, Cas)
    assert is_wiped_twice(op.batch, late=True, wiped=[API] * 2)
    some = Change("DELETE", op.batch.changes[0].record)
    batch = msgspec.structs.replace(op.batch, extra=(some,)) if deletes else op.batch
    assert not is_wiped_twice(batch, late=late, wiped=[API] * wipes)

"""What is not done beside a refusal, and what a repair may do though the plan's content is refused."""

import pytest

from enactor.guards import Limits, Surroundings
from enactor.plan import Endpoint
from enactor.records import RecordSet, content_of
from enactor.swap import Refused, Swap, decide

from .kernel_builders import FLEET, NAME, ZONE_NAME, alias, cname, digest, entry, fence, question, simple, weighted

A, B = weighted(1), weighted(2)
GONE = f"gone.{ZONE_NAME}"
STRANGE = "ep1.elsewhere.test."
HOST = cname("lb.example.net.", name=ZONE_NAME)


@pytest.mark.parametrize(
    ("guard", "standing", "wanted", "around"),
    [
        (
            "out-of-zone",
            simple(1, name=STRANGE),
            entry(simple(1, name=STRANGE), name=STRANGE),
            Surroundings(zone_name=ZONE_NAME),
        ),
        ("apex", simple(1, name=ZONE_NAME), entry(HOST, name=ZONE_NAME), Surroundings(zone_name=ZONE_NAME)),
        ("occluded", simple(1), entry(simple(1)), Surroundings(zone_name=ZONE_NAME, cuts=frozenset({NAME}))),
    ],
)
def test_where_an_endpoint_cannot_be_no_fence_is_put(
    guard: str, standing: RecordSet, wanted: Endpoint, around: Surroundings
) -> None:
    """A fence there would mark what the fleet can never serve; elsewhere a refused one gets its lost fence back."""
    asked = question((standing,), None, wanted, around=around, kept=frozenset({digest(standing)}))
    decision = decide(asked)
    assert isinstance(decision, Refused)
    assert guard in {found.guard for found in decision.findings}
    assert decision.repair is None


def test_elsewhere_a_refused_endpoint_gets_its_lost_fence_back() -> None:
    """With the content that stands: from then on nobody can write there unseen."""
    asked = question((A, B), None, entry(weighted(9)), kept=frozenset({digest(A, B)}))
    decision = decide(asked)
    assert isinstance(decision, Refused)
    assert decision.repair is not None
    assert (decision.repair.fence_after.plan, decision.repair.purpose) == (digest(A, B), "advance")


def test_a_repair_may_bring_back_an_alias_to_nothing_beside_what_answers() -> None:
    """It is the content that the fence names, and the kind keeps its answers; alone it would silence the kind."""
    dead = alias(GONE, weight=10)
    around = Surroundings(zone_name=ZONE_NAME, standing=frozenset(), sure=frozenset())
    beside = question((A,), fence(A, dead), None, named=content_of((A, dead)), around=around)
    decision = decide(beside)
    assert isinstance(decision, Swap)
    assert (decision.purpose, decision.creates) == ("repair", (dead,))
    alone = decide(question((A,), fence(dead), None, named=content_of((dead,)), around=around))
    assert isinstance(alone, Refused)
    assert {found.guard for found in alone.findings} == {"alias-target"}


def test_content_that_would_silence_a_kind_is_refused_and_what_the_fence_names_repaired() -> None:
    """The plan's alias leads nowhere by now, though it will: meanwhile the endpoint gets back what it lost."""
    around = Surroundings(
        zone_name=ZONE_NAME, available=frozenset({(GONE, "A")}), standing=frozenset(), sure=frozenset()
    )
    loose = Limits(shrink_targets=1.0, shrink_capacity=1.0)
    asked = question((A,), fence(A, B), entry(alias(GONE)), named=content_of((A, B)), around=around, limits=loose)
    decision = decide(asked)
    assert isinstance(decision, Refused)
    assert {found.guard for found in decision.findings} == {"alias-target"}
    assert decision.repair is not None
    assert (decision.repair.purpose, decision.repair.creates) == ("repair", (B,))
    assert decision.repair.fence_after.fleet == FLEET


def test_nothing_is_never_repaired_to() -> None:
    """A fence may name the content of nothing; what stands there stays."""
    asked = question((A,), fence(plan=digest()), None, named=())
    assert not isinstance(decide(asked), Swap)


def test_a_repair_of_a_kind_that_is_gone_is_as_urgent_as_an_empty_endpoint() -> None:
    """Half of the clients get no answer: it goes before what only drifted."""
    both = (A, weighted(1, record_type="AAAA"))
    decision = decide(question((A,), fence(*both), None, named=content_of(both)))
    assert isinstance(decision, Swap)
    assert decision.state == "empty"
    drifted = decide(question((A,), fence(A, B), None, named=content_of((A, B))))
    assert isinstance(drifted, Swap)
    assert drifted.state == "drifted"


def test_an_endpoint_needs_room_for_what_it_grows_by_and_for_its_fence() -> None:
    """A zone at its quota can still be changed where nothing is added."""
    for room, refused in ((1, False), (0, True)):
        grown = question(
            (A, B), fence(A, B), entry(A, B, weighted(3)), around=Surroundings(zone_name=ZONE_NAME, room=room)
        )
        assert isinstance(decide(grown), Refused) is refused
    for room, refused in ((3, False), (2, True)):
        new = question((), None, entry(A, B), around=Surroundings(zone_name=ZONE_NAME, room=room))
        assert isinstance(decide(new), Refused) is refused


def test_the_last_set_of_a_type_that_an_alias_points_to_stays() -> None:
    """October 2025: whatever else answers the kind."""
    pointed = Surroundings(zone_name=ZONE_NAME, pointed={(NAME, "A"): (f"www.{ZONE_NAME}",)})
    loose = Limits(shrink_targets=1.0, shrink_capacity=1.0)
    decision = decide(question((A,), fence(A), entry(cname("lb.example.net.")), around=pointed, limits=loose))
    assert isinstance(decision, Refused)
    assert [found.guard for found in decision.findings] == ["alias-target"]

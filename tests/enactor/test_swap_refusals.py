"""What is not done beside a refusal, and what a repair may do though the plan's content is refused."""

import pytest

from enactor.guards import Surroundings
from enactor.plan import Endpoint
from enactor.records import RecordSet, content_of
from enactor.swap import Refused, Swap, decide

from .kernel_builders import NAME, ZONE_NAME, alias, cname, digest, entry, fence, question, simple, weighted

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

"""What several sources say together."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from enactor.plan_faults import Faults
from enactor.records import Alias
from planner.combining import Stock, Verdict, conflicts, merged, shrinkage, verdict_of
from planner.observation import Observation, Offer, Signal
from planner.pools import Balancer, offered_balancer

HALF = Fraction(1, 2)
ASKED = Alias("lb.example.net.", "Z32", evaluate_target_health=True)
UNASKED = Alias("lb.example.net.", "Z32", evaluate_target_health=False)


def balancer(number: int, source: str = "albs", pool: str = "blue", **changes: object) -> Balancer:
    offer = Offer(**({"id": f"lb-{number}", "addresses": (f"192.0.2.{number}",)} | changes))  # type: ignore[arg-type]
    faults = Faults()
    found = offered_balancer(offer, source, pool, faults)
    assert faults.all() == ()
    return found


def test_the_same_load_balancer_of_two_sources_is_one() -> None:
    """Each may know what the other does not; whoever says that it is out or leaving is believed."""
    (one,) = merged(
        [
            balancer(1, "albs", origin="arn:aws:lb-1"),
            balancer(1, "files", capacity=Fraction(20), drain=True, health_check="abc"),
        ]
    )
    assert (one.capacity, one.drain, one.health_check, one.origin) == (Fraction(20), True, "abc", "arn:aws:lb-1")
    assert one.sources == ("albs", "files")
    assert one.has_capacity
    unsaid = merged([balancer(1, "albs"), balancer(1, "files")])[0]
    assert (unsaid.has_capacity, unsaid.origin, unsaid.health_check, unsaid.drain) == (False, "", None, False)
    assert not merged([balancer(1, "albs"), balancer(1, "files", enabled=False)])[0].enabled


def test_what_is_out_under_another_address_is_no_claim() -> None:
    """That is how a load balancer moves."""
    moving = [balancer(1, "albs", enabled=False), balancer(1, "files", addresses=("192.0.2.77",))]
    assert conflicts({"blue": moving}) == ()
    assert merged(moving)[0].identity == ("192.0.2.77",)
    assert merged(moving)[0].enabled


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (
            {"addresses": ("192.0.2.77",)},
            "lb-1 of albs in pool blue (192.0.2.1) and lb-1 of files in pool green (192.0.2.77) are in conflict",
        ),
        (
            {"capacity": Fraction(5)},
            "lb-1 of albs in pool blue (capacity 10) and lb-1 of files in pool green (capacity 5) are in conflict",
        ),
    ],
)
def test_case_15_a_contradiction_names_both(other: dict[str, object], says: str) -> None:
    """Case 15: whichever pools they are in; by address, and by capacity."""
    one = balancer(1, "albs", capacity=Fraction(10))
    (found,) = conflicts({"blue": [one], "green": [balancer(1, "files", pool="green", **other)]})
    assert (found.event, found.sources, found.message) == ("sources-conflict", ("albs", "files"), says)


@pytest.mark.parametrize(
    ("one", "other", "claims"),
    [
        ({"health_check": "aaa"}, {"health_check": "bbb"}, ("health check aaa", "health check bbb")),
        ({"alias": ASKED}, {"alias": UNASKED}, ("evaluate_target_health True", "evaluate_target_health False")),
    ],
)
def test_a_contradiction_about_what_else_answers_hang_on_names_both_claims(
    one: dict[str, Any], other: dict[str, Any], claims: tuple[str, str]
) -> None:
    """The check, and whether Route 53 asks the alias's target; who says nothing of it contradicts nobody."""
    addresses: dict[str, Any] = {"addresses": ()} if "alias" in one else {}
    (found,) = conflicts(
        {"blue": [balancer(1, **addresses, **one)], "green": [balancer(1, "files", pool="green", **addresses, **other)]}
    )
    assert found.message == (
        f"lb-1 of albs in pool blue ({claims[0]}) and lb-1 of files in pool green ({claims[1]}) are in conflict"
    )
    if not addresses:
        assert conflicts({"blue": [balancer(1, **one)], "green": [balancer(1, "files", pool="green")]}) == ()


def test_a_contradiction_tells_all_who_said_it_and_all_it_answers_with() -> None:
    """Sources and addresses, each in full."""
    both = balancer(1, addresses=("192.0.2.1", "2001:db8::1"))
    (found,) = conflicts(
        {"blue": [merged([both, msgspec.structs.replace(both, sources=("files",))])[0], balancer(1, "lists")]}
    )
    assert found.sources == ("albs", "files", "lists")
    assert found.message == (
        "lb-1 of albs and files in pool blue (192.0.2.1, 2001:db8::1) and lb-1 of lists in pool blue (192.0.2.1) are in conflict"
    )
    (found,) = conflicts({"blue": [balancer(1, "lists"), both]})
    assert "(192.0.2.1) and lb-1 of albs in pool blue (192.0.2.1, 2001:db8::1)" in found.message


def test_who_agrees_is_in_no_conflict() -> None:
    """One source in two pools, two that say the same, two ids of which each has its own."""
    assert conflicts({"blue": [balancer(1)], "green": [balancer(1, pool="green", capacity=Fraction(7))]}) == ()
    assert conflicts({"blue": [balancer(1), balancer(1, "files"), balancer(2, "files")]}) == ()


def test_offers_that_can_be_no_load_balancer_have_their_path() -> None:
    """With the source's name."""
    faults = Faults()
    offered_balancer(Offer(id="lb 1", capacity=Fraction(0)), "albs", "blue", faults)
    offered_balancer(
        Offer(id="lb-2", addresses=("192.0.2.1", "192.0.2.2", "nowhere"), health_check="a b"), "albs", "blue", faults
    )
    second = 'sources.albs."lb-2".addresses[1]: 192.0.2.2 is a second address of type A, after 192.0.2.1'
    assert [str(fault) for fault in faults.all()] == [
        'sources.albs."lb 1".id: "lb 1" does not match [A-Za-z0-9._:-]{1,64}',
        'sources.albs."lb 1": one of addresses and alias is required',
        'sources.albs."lb 1".capacity: 0 is not above 0',
        f"{second}; a target holds one: give each its own id",
        'sources.albs."lb-2".addresses[2]: "nowhere" is no IPv4 or IPv6 address: it does not parse',
        'sources.albs."lb-2".health_check: "a b" does not match [A-Za-z0-9-]{1,64}',
    ]


@pytest.mark.parametrize(
    ("before", "now", "max_gone", "refused"),
    [
        (10, 10, HALF, False),
        (10, 5, HALF, False),
        (10, 4, HALF, True),
        (1, 0, HALF, True),
        (0, 0, HALF, False),
        (0, 5, HALF, False),
        (10, 0, Fraction(1), False),
        (10, 9, Fraction(0), True),
    ],
)
def test_case_2_far_fewer_than_before_is_refused(before: int, now: int, max_gone: Fraction, refused: bool) -> None:
    """Case 2: more than the share, not as much as it; no size below which the rule is off."""
    ids = [f"lb-{n}" for n in range(10)]
    found = shrinkage("albs", Stock(ids=frozenset(ids[:now])), Stock(ids=frozenset(ids[:before])), max_gone)
    assert (found is not None) == refused


def answering(*families: str) -> Stock:
    """Return load balancers that answer with an address of each of these types: `A`, `AAAA`, `A AAAA`, or with nothing."""
    return Stock(
        ids=frozenset(f"lb-{n}" for n in range(len(families))),
        members=frozenset((kind, f"{kind} of {n}") for n, kinds in enumerate(families) for kind in kinds.split()),
    )


@pytest.mark.parametrize(
    ("before", "now", "refused"),
    [
        (("A", "A"), ("A", ""), None),
        (("A", "A", "A"), ("A", "", ""), "2 of 3 A addresses or aliases (A of 1, A of 2)"),
        (("A AAAA", "A AAAA"), ("A", "A AAAA"), None),
        (("A AAAA", "A AAAA"), ("A", "A"), "2 of 2 AAAA addresses or aliases (AAAA of 0, AAAA of 1)"),
        (("A", "A"), ("AAAA", "AAAA"), "2 of 2 A addresses or aliases (A of 0, A of 1)"),
        (("A", "A"), ("A AAAA", "A AAAA"), None),
        (("A", "A", "A"), (), "3 of 3 load balancers (lb-0, lb-1, lb-2)"),
    ],
)
def test_ids_that_stay_while_what_they_answer_with_goes_are_far_fewer_too(
    before: tuple[str, ...], now: tuple[str, ...], refused: str | None
) -> None:
    """Of each type by itself, as the guards count; where load balancers are gone as well those are named."""
    found = shrinkage("albs", answering(*now), answering(*before), HALF)
    if refused is None:
        assert found is None
    else:
        assert found is not None
        assert f"source albs no longer offers {refused}, a share of " in found.message


@pytest.mark.parametrize(
    ("gone", "words"),
    [(5, "(lb-0, lb-1, lb-2, lb-3, lb-4)"), (7, "(lb-0, lb-1, lb-2, lb-3, lb-4 and 2 more)")],
)
def test_a_source_that_shrank_is_told_with_its_numbers(gone: int, words: str) -> None:
    """Which are gone, up to five; what share that is, over which limit; and both ways on."""
    before, now = (Stock(ids=frozenset(f"lb-{n}" for n in some)) for some in (range(8), range(gone, 10)))
    found = shrinkage("albs", now, before, Fraction(1, 4))
    assert found is not None
    assert (found.event, found.sources) == ("source-shrank", ("albs",))
    assert found.message == (
        f"source albs no longer offers {gone} of 8 load balancers {words}, a share of {gone / 8:.2f} over max_gone 0.25: no plan "
        "is made; if that is meant, take them out in smaller steps, or raise sources.albs.max_gone for as long as it takes"
    )


def observed(**by_source: dict[str, Signal]) -> dict[str, Observation]:
    return {name: Observation(source=name, signals=signals) for name, signals in by_source.items()}


def test_one_bad_signal_is_bad_and_none_is_neither() -> None:
    """All who give a signal must agree that it is good; who gives none is not asked; whose does not count is not heard."""
    good, bad = Signal(healthy=True, why="answers"), Signal(healthy=False, why="refused")
    seen = observed(albs={"lb-1": good, "lb-2": good}, checks={"lb-1": bad}, other={"lb-3": bad})
    assert verdict_of("lb-1", ("albs", "checks"), seen) == Verdict(
        healthy=False, why="checks: refused", share=Fraction(1)
    )
    assert verdict_of("lb-2", ("albs", "checks"), seen) == Verdict(healthy=True, why="albs: answers", share=Fraction(1))
    assert verdict_of(
        "lb-1", ("other", "checks", "albs"), observed(checks={"lb-1": bad}, other={"lb-1": bad})
    ) == Verdict(healthy=False, why="other: refused; checks: refused", share=Fraction(1))
    assert verdict_of("lb-3", ("albs", "checks"), seen) is None
    assert verdict_of("lb-1", (), seen) is None


def test_the_lowest_share_of_capacity_counts_within_0_and_1() -> None:
    """Whoever can tell how much of it is healthy; the others say nothing about that."""

    def share(*shares: Fraction | None) -> Fraction:
        seen = {
            str(n): Observation(source=str(n), signals={"lb-1": Signal(healthy=True, why="", capacity_share=one)})
            for n, one in enumerate(shares)
        }
        found = verdict_of("lb-1", tuple(seen), seen)
        assert found is not None
        return found.share

    assert share(None) == 1
    assert share(HALF, None, Fraction(3, 4)) == HALF
    assert share(Fraction(-1)) == 0
    assert share(Fraction(7)) == 1


def test_a_look_that_is_told_again_is_a_bad_one_only_once() -> None:
    """A bad signal counts when its own source looked anew, a good one when anybody did."""
    good, bad = Signal(healthy=True, why="answers"), Signal(healthy=False, why="refused")
    seen = observed(albs={"lb-1": good, "lb-2": good}, checks={"lb-1": bad, "lb-2": good})

    def is_new(name: str, *again: str) -> bool:
        found = verdict_of(name, ("albs", "checks"), seen, frozenset(again))
        assert found is not None
        return found.is_new

    assert [is_new("lb-1"), is_new("lb-1", "albs"), is_new("lb-1", "checks")] == [True, True, False]
    assert [is_new("lb-2", "checks"), is_new("lb-2", "albs", "checks")] == [True, False]

"""What the pools hold once the sources have answered: who is asked, what they offer, and whether a plan may be made of it."""

from collections.abc import Mapping
from typing import Any

import pytest

from enactor.plan import Endpoint, Plan, Target
from enactor.plan_faults import Faults
from enactor.records import Alias
from planner.combining import Refusal, Stock
from planner.fleet import Fleet
from planner.inventory import aims_of, ambiguities, asked_first, asked_then, offered_to, refusals, stock_of
from planner.observation import Aim, Observation, Offer
from planner.pools import FLEET_FILE
from tests.planner.planner_world import ZONE, Planning, fleet, offers

LISTS = {"albs": {"kind": "lists"}, "files": {"kind": "lists"}, "checks": {"kind": "checks"}}


def made(**changes: Any) -> Fleet:
    """Return a fleet as its file says it, with nothing offered yet."""
    found = Planning(fleet(**({"sources": LISTS} | changes))).read()
    assert found.fleet is not None, found
    return found.fleet


def offered(**by_source: tuple[Offer, ...]) -> dict[str, Observation]:
    return {name: Observation(source=name, offers=found) for name, found in by_source.items()}


def judged(
    of: Fleet,
    seen: Mapping[str, Observation],
    remembered: Mapping[str, Stock] | None = None,
    newest: Plan | None = None,
) -> tuple[Refusal, ...]:
    faults = Faults()
    pools = offered_to(of, seen, faults)
    assert not len(faults)
    return refusals(of, pools, seen, remembered or {}, newest)


def ids(*numbers: int) -> Stock:
    return Stock(ids=frozenset(f"lb-{n}" for n in numbers))


def newest(*numbers: int, name: str = "ep1.example.test.") -> Plan:
    """Return a plan with one endpoint of numbered load balancers."""
    return Plan(fleet="edge", endpoints=(endpoint(*numbers, name=name),))


def endpoint(*numbers: int, name: str = "ep1.example.test.") -> Endpoint:
    targets = tuple(Target(id=f"lb-{n}", type="A", value=f"192.0.2.{n}", weight=1) for n in numbers)
    return Endpoint(name=name, zone=ZONE, routing="weighted", ttl=60, targets=targets)


# ---- who is asked --------------------------------------------------------------------------------------------------------


def test_sources_of_inventory_are_asked_first_and_each_once() -> None:
    """In the order of the pools; whoever gives health besides is not asked again for that."""
    of = made(
        sources={"albs": {"kind": "both"}, "files": {"kind": "lists"}, "checks": {"kind": "checks"}},
        pools={"blue": {"from": ["files", "albs"]}, "green": {"from": ["albs"]}},
        endpoints=[
            {"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}},
            {"name": "ep2.example.test", "zone": "main", "pools": {"green": 1}},
        ],
    )
    assert asked_first(of) == ("files", "albs")
    assert asked_then(of) == ("checks",)


def test_what_sources_offer_stands_in_the_pools_that_they_are_named_at() -> None:
    """One source may fill two pools; what cannot be a load balancer is a fault once, and not once a pool."""
    of = made(
        pools={"blue": {"from": ["albs", "files"]}, "green": {"from": ["albs"]}},
        endpoints=[{"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1, "green": 1}}],
    )
    faults = Faults()
    pools = offered_to(
        of, offered(albs=offers(1), files=(*offers(1, first=2), Offer(id="lb 3", addresses=("192.0.2.3",)))), faults
    )
    assert {pool: [(one.id, one.pool, one.sources) for one in found][:2] for pool, found in pools.items()} == {
        "blue": [("lb-1", "blue", ("albs",)), ("lb-2", "blue", ("files",))],
        "green": [("lb-1", "green", ("albs",))],
    }
    assert [fault.path for fault in faults.all()] == ['sources.files."lb 3".id']
    faults = Faults()
    offered_to(of, offered(albs=(Offer(id="lb-1"),), files=()), faults)
    assert len(faults.all()) == 1


def test_an_id_that_a_source_offers_twice_is_a_fault_of_its_once() -> None:
    """Not once for each pool; the same id of another source is no second one."""
    of = made(
        pools={"blue": {"from": ["albs", "files"]}, "green": {"from": ["albs"]}},
        endpoints=[{"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1, "green": 1}}],
    )
    faults = Faults()
    offered_to(of, offered(albs=(*offers(3), *offers(1), *offers(1, first=3)), files=offers(2)), faults)
    assert [(str(fault), fault.guard) for fault in faults.all()] == [
        (f'sources.albs."lb-{n}": is offered twice; an id is one load balancer', "duplicate") for n in (1, 3)
    ]


# ---- whom health is asked of ---------------------------------------------------------------------------------------------


def filled(raw: Mapping[str, Any]) -> Fleet:
    """Return a fleet whose pools are listed in its file."""
    found = Planning(fleet(**raw)).read().fleet
    assert found is not None
    return found


def test_health_is_asked_of_what_is_in_service_in_a_pool_that_is_used() -> None:
    """With every address, or the alias; sorted, so that it is the same at each look."""
    of = filled(
        {
            "sources": {"checks": {"kind": "checks"}},
            "pools": {
                "green": [{"id": "lb-9", "addresses": ["192.0.2.9", "2001:db8::9"]}],
                "blue": [
                    {"id": "lb-2", "addresses": ["192.0.2.2"]},
                    {"id": "lb-1", "addresses": ["192.0.2.1"], "enabled": False},
                    {"id": "lb-0", "alias": {"name": "lb.example.net", "zone": "Z2", "evaluate_target_health": False}},
                ],
                "spare": [{"id": "lb-7", "addresses": ["192.0.2.7"]}],
            },
            "endpoints": [{"name": "ep1.example.test", "zone": "main", "pools": {"green": 1, "blue": 1}}],
            "defaults": {"types": ["A", "AAAA"]},
        }
    )
    assert aims_of(of) == (
        Aim(
            pool="blue",
            id="lb-0",
            addresses=(),
            alias=Alias("lb.example.net.", "Z2", evaluate_target_health=False),
        ),
        Aim(pool="blue", id="lb-2", addresses=("192.0.2.2",), alias=None),
        Aim(pool="green", id="lb-9", addresses=("192.0.2.9", "2001:db8::9"), alias=None),
    )


@pytest.mark.parametrize(
    ("source", "wanted"), [("checks", ["lb-1", "lb-3"]), ("pings", ["lb-2", "lb-3"]), (None, ["lb-1", "lb-2", "lb-3"])]
)
def test_a_source_is_asked_of_what_stands_behind_endpoints_that_hear_it(source: str | None, wanted: list[str]) -> None:
    """And without one of all that hear any: what stands only where nobody listens is not looked at."""
    hears = {"one": ["checks"], "two": ["pings"], "three": ["pings", "checks"], "four": []}
    of = filled(
        {
            "sources": {"checks": {"kind": "checks"}, "pings": {"kind": "checks"}},
            "pools": {pool: [{"id": f"lb-{n}", "addresses": [f"192.0.2.{n}"]}] for n, pool in enumerate(hears, 1)},
            "endpoints": [
                {"name": f"{pool}.example.test", "zone": "main", "pools": {pool: 1}, "health": {"from": names}}
                for pool, names in hears.items()
            ],
        }
    )
    assert sorted(one.id for one in aims_of(of, source)) == wanted


def aim(number: int, pool: str, address: int | None = None, alias: Alias | None = None) -> Aim:
    return Aim(
        pool=pool,
        id=f"lb-{number}",
        addresses=() if alias else (f"192.0.2.{number if address is None else address}",),
        alias=alias,
    )


def test_one_id_of_two_load_balancers_is_told_once_each() -> None:
    """Signals are by id. The same load balancer in several pools is one."""
    there = Alias("lb.example.net.", "Z2", evaluate_target_health=False)
    assert ambiguities([aim(1, "blue"), aim(1, "green"), aim(2, "green")]) == ()
    found = ambiguities(
        [
            aim(1, "blue"),
            aim(2, "blue"),
            aim(1, "green", 77),
            aim(1, "red", 78),
            aim(2, "green", alias=there),
            aim(3, "blue", alias=there),
            aim(3, "green", alias=there),
        ]
    )
    assert found == tuple(
        Refusal(
            event="sources-conflict",
            sources=(),
            message=f"lb-{n} of pool blue and lb-{n} of pool green are two load balancers: signals about health are by id, so "
            "give each its own",
        )
        for n in (1, 2)
    )


# ---- whether a plan may be made ------------------------------------------------------------------------------------------


def test_all_that_is_claimed_must_agree() -> None:
    """What the file lists with what is offered, over all pools; and everything that is wrong is told together."""
    of = made(
        pools={
            "blue": {"from": ["albs"]},
            "green": {"from": ["files"]},
            "red": [{"id": "lb-3", "addresses": ["192.0.2.33"]}],
        },
        endpoints=[{"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1, "green": 1, "red": 1}}],
    )
    found = judged(
        of,
        offered(albs=offers(4), files=(Offer(id="lb-2", addresses=("192.0.2.22",)),)),
        {"files": ids(2, 5, 6)},
    )
    assert [(one.event, one.sources) for one in found] == [
        ("sources-conflict", ("albs", "files")),
        ("sources-conflict", ("albs", FLEET_FILE)),
        ("source-shrank", ("files",)),
    ]
    assert "lb-2 of albs in pool blue" in found[0].message
    assert "lb-3 of" in found[1].message


def test_a_source_is_held_against_what_it_offered_last() -> None:
    """Each by its own limit; a source of health alone offers nothing, and is not."""
    of = made(
        sources={
            "albs": {"kind": "lists", "max_gone": 0.25},
            "files": {"kind": "lists", "max_gone": 0.75},
            "checks": {"kind": "checks"},
        },
        pools={"blue": {"from": ["albs", "files"]}},
    )
    last = {"albs": ids(1, 2, 3, 4), "files": ids(11, 12, 13, 14), "checks": ids(1, 2)}
    seen = offered(albs=offers(2), files=offers(2, first=11), checks=())
    assert [one.sources for one in judged(of, seen, last)] == [("albs",)]
    seen = offered(albs=offers(3), files=offers(1, first=11), checks=())
    assert judged(of, seen, last) == ()
    seen = offered(albs=offers(3), files=(), checks=())
    assert [one.sources for one in judged(of, seen, last)] == [("files",)]


def test_a_source_that_did_not_answer_yet_hides_no_other() -> None:
    """Sources of inventory are judged when all of them have answered; of the others nothing is known then."""
    of = made(
        sources={"checks": {"kind": "checks"}, "albs": {"kind": "lists"}},
        pools={"blue": {"from": ["albs"]}},
    )
    assert [one.sources for one in judged(of, offered(albs=()), {"albs": ids(1, 2)})] == [("albs",)]


def test_after_a_restart_the_newest_plan_says_what_was_offered() -> None:
    """What is in it and nobody else's word explains."""
    of = made(pools={"blue": {"from": ["albs"]}})
    assert judged(of, offered(albs=offers(4)), newest=newest(1, 2, 3, 4, 5, 6, 7, 8)) == ()
    (found,) = judged(of, offered(albs=offers(3)), newest=newest(1, 2, 3, 4, 5, 6, 7, 8))
    assert "no longer offers 5 of 8 load balancers (lb-4, lb-5, lb-6, lb-7, lb-8)" in found.message
    assert judged(of, offered(albs=()), newest=None) == ()


def test_after_a_restart_the_newest_plan_says_which_addresses_were_offered() -> None:
    """The ids are all there; what stands in the plan under them is not."""
    of = made(pools={"blue": {"from": ["albs"]}})
    moved = tuple(Offer(id=f"lb-{n}", addresses=(f"192.0.2.{n + 100 if n > 3 else n}",)) for n in range(1, 9))
    (found,) = judged(of, offered(albs=moved), newest=newest(1, 2, 3, 4, 5, 6, 7, 8))
    assert "source albs no longer offers 5 of 8 A addresses or aliases (192.0.2.4, 192.0.2.5, " in found.message
    assert judged(of, offered(albs=moved), newest=newest(1, 2, 3, 4, 5, 6)) == ()


def test_a_source_offers_what_it_says_in_whichever_pool() -> None:
    """Addresses as they are spelt in plans, an alias for both types, and nothing of another source."""
    of = made(
        pools={"blue": {"from": ["albs", "files"]}, "green": {"from": ["albs"]}},
        endpoints=[{"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}}],
    )
    alias = Offer(id="lb-2", alias=Alias("LB.example.net", "Z2", evaluate_target_health=False), enabled=False)
    both = Offer(id="lb-1", addresses=("192.0.2.1", "2001:DB8:0::1"))
    pools = offered_to(of, offered(albs=(both, alias), files=offers(1, first=9)), Faults())
    where = "alias lb.example.net. in zone Z2"
    assert stock_of("albs", pools) == Stock(
        ids=frozenset({"lb-1", "lb-2"}),
        members=frozenset({("A", "192.0.2.1"), ("AAAA", "2001:db8::1"), ("A", where), ("AAAA", where)}),
    )


def test_what_others_offer_or_the_file_lists_was_not_the_sources() -> None:
    """Unless the source offers it as well."""
    of = made(
        pools={"blue": {"from": ["albs", "files"], "balancers": [{"id": "lb-9", "addresses": ["192.0.2.9"]}]}},
    )
    seen = offered(albs=offers(2), files=offers(4, first=2))
    (found,) = judged(of, seen, newest=newest(1, 2, 3, 4, 5, 6, 7, 8, 9))
    assert "source albs no longer offers 3 of 5 load balancers (lb-6, lb-7, lb-8)" in found.message
    assert judged(of, offered(albs=offers(1), files=offers(8, first=2)), newest=newest(*range(1, 10))) == ()


@pytest.mark.parametrize("pools", [{"blue": 1}, {"green": 1, "blue": 1}])
def test_only_endpoints_with_a_pool_of_the_source_tell_what_it_offered(pools: dict[str, int]) -> None:
    """What stands at others was never its own; what a pool beside it lists explains a target."""
    of = made(
        pools={"blue": {"from": ["albs"]}, "green": [{"id": "lb-7", "addresses": ["192.0.2.7"]}]},
        endpoints=[
            {"name": "ep0.example.test", "zone": "main", "pools": {"green": 1}},
            {"name": "ep1.example.test", "zone": "main", "pools": pools},
            {"name": "ep2.example.test", "zone": "main", "pools": {"blue": 1}},
        ],
    )
    gone = endpoint(90, 91, 92, name="gone.example.test.")
    stood = Plan(
        fleet="edge",
        endpoints=(
            gone,
            endpoint(7, 80, 81, 82, name="ep0.example.test."),
            endpoint(1, 2, name="ep1.example.test."),
            endpoint(2, 3, 4, name="ep2.example.test."),
        ),
    )
    assert judged(of, offered(albs=offers(2)), newest=stood) == ()
    (found,) = judged(of, offered(albs=offers(1)), newest=stood)
    assert "no longer offers 3 of 4 load balancers (lb-2, lb-3, lb-4)" in found.message

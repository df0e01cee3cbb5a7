"""What an item of a fleet file's `endpoints` means by itself: the endpoint, what stands behind it, or its faults with their guards."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from enactor.plan import Endpoint, Retired, Target
from enactor.plan_assembly import Entry
from enactor.plan_faults import Faults
from enactor.records import Alias
from planner.fleet import compile_fleet
from planner.fleet_endpoints import (
    FORMAT_CHOICES,
    Behind,
    Choices,
    EndpointReading,
    Share,
    World,
    Zone,
    name_in,
    read_choices,
    read_entry,
    zone_of,
)
from planner.fleet_settings import Health
from planner.pools import Balancer, Member

LIKE = "{name: api.example.com, zone: main, pools: {blue: 1.0}}"


def balancer(number: int, *addresses: str, pool: str = "blue", **changes: Any) -> Balancer:
    path = f"pools.{pool}[{number}]"
    members = tuple(
        Member(f"{path}.addresses[{index}]", "AAAA" if ":" in address else "A", address)
        for index, address in enumerate(addresses)
    )
    made = Balancer(
        path=path, pool=pool, id=f"lb-{number}", capacity=Fraction(10), enabled=True, members=members, is_whole=True
    )
    return msgspec.structs.replace(made, **changes)


LB = Alias("lb.example.net.", "Z9", evaluate_target_health=True)
ONE = balancer(1, "192.0.2.1", "2001:db8::1")
TWO = balancer(2, members=(Member("pools.blue[2].alias", None, alias=LB),))
OUT = balancer(3, "192.0.2.3", enabled=False)
SIX = balancer(4, "2001:db8::4", pool="green", capacity=Fraction(4))
WORLD = World(
    zones={"main": Zone(key="Z1", name="example.test."), "odd": Zone(key='"odd"', name=None)},
    pools={"blue": (ONE, TWO, OUT), "green": (SIX,), "twin": (balancer(1, "192.0.2.77", pool="twin"),)},
    defaults=FORMAT_CHOICES,
)


def item(**changes: Any) -> dict[str, Any]:
    """Return an item that is right unless a test changes it; None takes a key out."""
    good = {"name": "Ep1.example.test", "zone": "main", "pools": {"blue": 1}}
    return {key: value for key, value in (good | changes).items() if value is not None}


def target(name: str, record_type: Any, value: str | None, weight: int | None) -> Target:
    return Target(id=name, type=record_type, value=value, weight=weight, alias=None if value else LB)


def test_an_endpoint_is_read_with_what_stands_behind_it() -> None:
    """A target for each address of its types, an alias one for each type; what is not enabled, or has none, is no target."""
    choices = Choices(ttl=30, routing="weighted", types=("A",))
    shares = (Share(ONE, Fraction(5)), Share(TWO, Fraction(5)), Share(SIX, Fraction(8)))
    read = read_entry(item(pools={"blue": 0.5, "green": 2}, ttl=30, types=["A"]), "e[0]", WORLD)
    endpoint = Endpoint(
        name="ep1.example.test.",
        zone="Z1",
        routing="weighted",
        ttl=30,
        targets=(target("lb-1", "A", "192.0.2.1", 5), target("lb-2", "A", None, 5)),
    )
    assert read == EndpointReading(
        entry=Entry(path="e[0]", key=("Z1", "ep1.example.test."), endpoint=endpoint, faults=()),
        shown="ep1.example.test.",
        pools=("blue", "green"),
        behind=Behind(
            path="e[0]",
            zone="Z1",
            name="ep1.example.test.",
            pools=("blue", "green"),
            choices=choices,
            shares=shares,
            serving=shares[:2],
            health=Health(),
            is_open=False,
        ),
    )


@pytest.mark.parametrize(
    ("changes", "targets"),
    [
        (
            {"routing": "multivalue", "pools": {"green": 1}},
            (target("lb-4", "AAAA", "2001:db8::4", None),),
        ),
        (
            {"pools": {"green": 0.5, "blue": 300}, "types": ["AAAA", "A"]},
            (
                target("lb-4", "AAAA", "2001:db8::4", 1),
                target("lb-1", "A", "192.0.2.1", 255),
                target("lb-1", "AAAA", "2001:db8::1", 255),
                target("lb-2", "A", None, 255),
                target("lb-2", "AAAA", None, 255),
            ),
        ),
        ({"pools": {}}, ()),
    ],
)
def test_targets_come_in_the_order_of_the_pools(changes: dict[str, Any], targets: tuple[Target, ...]) -> None:
    """Each with its weight where routing is weighted, A before AAAA however the types are listed."""
    endpoint = read_entry(item(**changes), "e[0]", WORLD).entry.endpoint
    assert endpoint is not None
    assert endpoint.targets == targets


NO_POOL = "is none of the fleet's pools: blue, green, twin"
NO_ZONE = "is none of the fleet's zones: main, odd"
WORDS = "belongs to fences, switches and self-tests"
LABEL = "l" * 63
FITS = ".".join([LABEL, LABEL, LABEL, "l" * (255 - 7 - 2 - 13 - 3 * 64)])
"""Within example.test. its fence takes 255 octets."""
FAULTS: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"name": None, "zone": None, "pools": None},
        [f"{key}: missing; write it like {LIKE}" for key in ("name", "zone", "pools")],
    ),
    ({"speed": 1}, ["speed: unknown key; known are name, zone, pools, ttl, routing, types, health"]),
    ({"name": ["a"]}, ['name: ["a"] is a list, not text']),
    ({"name": "ep1.example.org"}, ["name: ep1.example.org. is not within zone example.test. (out-of-zone)"]),
    ({"name": "_fence.example.test"}, [f'name: label "_fence" of "_fence.example.test." {WORDS}']),
    ({"name": f"{FITS}.example.test"}, []),
    ({"name": f"{FITS}l.example.test"}, ["name: the name of its fence would take 256 octets, over 255 (limit)"]),
    ({"zone": "other"}, [f'zone: "other" {NO_ZONE}']),
    ({"zone": 5}, [f"zone: 5 {NO_ZONE}"]),
    ({"zone": {"a": 1}}, [f'zone: {{"a": 1}} {NO_ZONE}']),
    ({"ttl": 0}, ["ttl: 0 is under 1 (ttl)"]),
    ({"ttl": 86401}, ["ttl: 86401 is over 86400 (ttl)"]),
    ({"ttl": [1]}, ["ttl: [1] is a list, not a whole number from 1 to 86400"]),
    ({"routing": "fast"}, ['routing: "fast" is none of weighted, simple, multivalue']),
    ({"routing": True}, ["routing: true is none of weighted, simple, multivalue"]),
    ({"types": []}, ["types: empty; an endpoint has A, AAAA or both"]),
    ({"types": "A"}, ['types: "A" is text, not a list']),
    ({"types": {"A": 1}}, ['types: {"A": 1} is an object, not a list']),
    ({"types": ["A", "A"]}, ['types: ["A", "A"] names a type twice (duplicate)']),
    ({"types": ["A", ["A"]]}, ['types[1]: ["A"] is none of A, AAAA']),
    ({"types": ["MX", "MX"]}, [f'types[{index}]: "MX" is none of A, AAAA' for index in (0, 1)]),
    ({"pools": ["blue"]}, ['pools: ["blue"] is a list, not an object like {blue: 1.0}']),
    ({"pools": {"red": 1}}, [f'pools.red: "red" {NO_POOL}']),
    ({"pools": {"a b": 1}}, ['pools."a b": "a b" does not match [A-Za-z0-9_-]{1,64}']),
    ({"pools": {"blue": 0}}, ["pools.blue: 0 is not above 0"]),
    (
        {"pools": {"blue": 1, "twin": 1}},
        [
            "pools: lb-1 of pool blue (192.0.2.1, 2001:db8::1) and lb-1 of pool twin (192.0.2.77) are in conflict (duplicate)"
        ],
    ),
]


@pytest.mark.parametrize(("changes", "faults"), FAULTS, ids=[str(row[1])[:60] for row in FAULTS])
def test_a_fault_has_its_path_its_sentence_and_its_guard(changes: dict[str, Any], faults: list[str]) -> None:
    """And leaves no endpoint and nothing to warn of; a guard that is not named here is `malformed`."""
    read = read_entry(item(**changes), "e[0]", WORLD)
    said = [f"{fault} ({fault.guard})".removesuffix(" (malformed)") for fault in read.entry.faults]
    assert said == [f"e[0].{fault}" for fault in faults]
    assert (read.entry.endpoint is None, read.behind is None) == (bool(faults), bool(faults))


@pytest.mark.parametrize(
    ("changes", "key", "shown", "pools"),
    [
        ({"ttl": 0}, ("Z1", "ep1.example.test."), "ep1.example.test.", ("blue",)),
        ({"ttl": 0, "pools": {5: 1}}, ("Z1", "ep1.example.test."), "ep1.example.test.", ("5",)),
        ({"zone": "other"}, ('"other"', "ep1.example.test."), "ep1.example.test.", ("blue",)),
        ({"zone": "odd", "ttl": 0}, ('"odd"', "ep1.example.test."), "ep1.example.test.", ("blue",)),
        ({"zone": 5}, ("", "e[0]"), "ep1.example.test.", ("blue",)),
        ({"zone": None}, ("", "e[0]"), "ep1.example.test.", ("blue",)),
        ({"name": "a b"}, ("", "e[0]"), "e[0]", ("blue",)),
        ({"pools": ["blue"]}, ("Z1", "ep1.example.test."), "ep1.example.test.", None),
        ({"pools": None}, ("Z1", "ep1.example.test."), "ep1.example.test.", None),
    ],
)
def test_a_fault_leaves_what_the_entry_is_held_against_others_by(
    changes: dict[str, Any], key: tuple[str, str], shown: str, pools: tuple[str, ...] | None
) -> None:
    """Zone and name as far as they can be known, and the pools that it names."""
    read = read_entry(item(**changes), "e[0]", WORLD)
    assert (read.entry.path, read.entry.key, read.shown, read.pools) == ("e[0]", key, shown, pools)
    assert read.entry.faults


@pytest.mark.parametrize(("odd", "said"), [("ep1.example.test", '"ep1.example.test" is text'), (None, "empty")])
def test_what_is_no_endpoint_at_all_names_nothing(odd: object, said: str) -> None:
    """It goes by its path."""
    read = read_entry(odd, "e[0]", WORLD)
    assert [str(fault) for fault in read.entry.faults] == [f"e[0]: {said}, not an object like {LIKE}"]
    faultless = msgspec.structs.replace(read, entry=msgspec.structs.replace(read.entry, faults=()))
    assert faultless == EndpointReading(Entry(path="e[0]", key=("", "e[0]"), endpoint=None, faults=()), "e[0]", None)


def test_what_the_file_does_not_have_at_all_is_no_fault_of_each_that_refers_to_it() -> None:
    """That it is missing is said once; where it is empty, that is said to each."""
    nothing = World(zones=None, pools=None, defaults=FORMAT_CHOICES)
    read = read_entry(item(), "e[0]", nothing)
    assert (read.entry.faults, read.entry.key, read.pools) == ((), ('"main"', "ep1.example.test."), ("blue",))
    empty = World(zones={}, pools={}, defaults=FORMAT_CHOICES)
    assert [str(fault) for fault in read_entry(item(), "e[0]", empty).entry.faults] == [
        'e[0].zone: "main" is none of the fleet\'s zones: there are none',
        'e[0].pools.blue: "blue" is none of the fleet\'s pools: there are none',
    ]
    faults = Faults()
    assert zone_of(5, "p", nothing, faults) is None
    assert [str(fault) for fault in faults.all()] == ["p: 5 is none of the fleet's zones: there are none"]


def test_a_name_is_returned_with_its_fault_so_that_it_is_held_against_others() -> None:
    """Out of its zone it is still a name; what nobody can know is not asked."""
    for zone, count in ((Zone(key="Z1", name="example.test."), 1), (Zone(key="Z1", name=None), 0), (None, 0)):
        faults = Faults()
        assert name_in("Ep1.example.org", "p", zone, faults) == "ep1.example.org."
        assert len(faults) == count


@pytest.mark.parametrize(("octets", "over"), [(242, 0), (243, 256)])
def test_an_apex_has_a_longer_fence_than_any_other_name(octets: int, over: int) -> None:
    """It has no label of its own, and gets one: only the zone's name tells."""
    apex = ".".join([LABEL, LABEL, LABEL, "l" * (octets - 2 - 3 * 64)]) + "."
    faults = Faults()
    assert name_in(apex, "p", Zone(key="Z1", name=apex), faults) == apex
    said = [f"p: the name of its fence would take {over} octets, over 255"] if over else []
    assert [(str(fault), fault.guard) for fault in faults.all()] == [(one, "limit") for one in said]


def test_an_endpoints_own_word_goes_before_what_holds_otherwise() -> None:
    """A wrong word is left open, and does not fall back."""
    otherwise = Choices(ttl=7, routing="simple", types=("AAAA",))
    faults = Faults()
    assert read_choices({}, "p", otherwise, faults) == otherwise
    own = {"ttl": 8, "routing": "weighted", "types": ["AAAA", "A"]}
    assert read_choices(own, "p", otherwise, faults) == Choices(ttl=8, routing="weighted", types=("A", "AAAA"))
    assert len(faults) == 0
    wrong = {"ttl": "8", "routing": "fast", "types": ["MX"]}
    assert read_choices(wrong, "p", otherwise, faults) == Choices(ttl=None, routing=None, types=None)
    assert [fault.path for fault in faults.all()] == ["p.ttl", "p.routing", "p.types[0]"]
    assert Choices(ttl=60, routing="weighted", types=("A", "AAAA")) == FORMAT_CHOICES


def test_what_two_pools_say_of_a_load_balancer_is_told_with_its_alias() -> None:
    """Nobody can see from the ids alone which of the two was meant."""
    world = msgspec.structs.replace(WORLD, pools={"blue": (TWO,), "twin": (balancer(2, "192.0.2.2", pool="twin"),)})
    (fault,) = read_entry(item(pools={"blue": 1, "twin": 1}), "e[0]", world).entry.faults
    told = "lb-2 of pool blue (alias lb.example.net. in zone Z9) and lb-2 of pool twin (192.0.2.2) are in conflict"
    assert str(fault) == f"e[0].pools: {told}"


def test_a_load_balancer_that_could_not_be_read_whole_is_in_no_conflict() -> None:
    """What it answers with is not known, so it stands in two pools, and that is all."""
    once = "a load balancer stands behind an endpoint once"
    for twin in (balancer(1, pool="twin", is_whole=False), msgspec.structs.replace(ONE, pool="twin")):
        world = msgspec.structs.replace(WORLD, pools={"blue": (ONE,), "twin": (twin,)})
        (fault,) = read_entry(item(pools={"blue": 1, "twin": 1}), "e[0]", world).entry.faults
        assert str(fault) == f"e[0].pools: lb-1 is in both pools blue and twin; {once}"


# ---- the file as a whole ---------------------------------------------------------------------------------------------


def fleet(*endpoints: Any, **changes: Any) -> dict[str, Any]:
    good = {
        "fleet": "edge",
        "zones": {"main": {"id": "Z1", "name": "example.test"}, "other": {"id": "Z2", "name": "example.org"}},
        "pools": {"blue": [{"id": "lb-1", "addresses": ["192.0.2.1"]}]},
        "endpoints": list(endpoints),
    }
    return good | changes


WHOLE: list[tuple[dict[str, Any], list[str]]] = [
    (fleet(item(), retired=[{"name": "old.example.org", "zone": "other"}]), []),
    (
        fleet(zones={"a": {"id": "Z1", "name": "a.test"}, "b": {"id": "Z1", "name": "b.test"}}),
        ["zones.b.id: Z1 stands twice, first as zones.a (duplicate)"],
    ),
    (
        fleet(zones={"a": {"id": ["Z1"], "name": True}}),
        ['zones.a.id: ["Z1"] is a list, not text', "zones.a.name: true is a boolean, not text"],
    ),
    (fleet(endpoints={}), [f"endpoints: {{}} is an object, not a list like [{LIKE}]"]),
    (fleet(zones=[]), ["zones: [] is a list, not an object like {main: {id: Z0123456789ABC, name: example.com.}}"]),
    (fleet(fleet=["edge"]), ['fleet: ["edge"] is a list, not text']),
    (fleet(defaults=[]), ["defaults: [] is a list, not an object like {ttl: 60, routing: weighted, types: [A, AAAA]}"]),
    (
        fleet(retired=[{"name": "old.example.org", "zone": "main"}]),
        ["retired[0].name: old.example.org. is not within zone example.test. (out-of-zone)"],
    ),
    (
        fleet(retired=[{"name": "old.example.org", "zone": "other"}, {"name": "OLD.example.org", "zone": "other"}]),
        ["retired[1].name: old.example.org. in zone Z2 is retired twice (duplicate)"],
    ),
    (
        fleet(item(), retired=[{"name": "ep1.example.test", "zone": "main"}]),
        ["retired[0].name: ep1.example.test. in zone Z1 is also listed, as endpoints[0] (retired)"],
    ),
    (
        fleet(item(), item()),
        ["endpoints[1].name: ep1.example.test. in zone Z1 stands twice, first as endpoints[0] (duplicate)"],
    ),
]


@pytest.mark.parametrize(("raw", "faults"), WHOLE, ids=[str(row[1])[:60] for row in WHOLE])
def test_a_file_is_a_plan_or_its_faults_with_their_guards(raw: dict[str, Any], faults: list[str]) -> None:
    """A guard that is not named here is `malformed`."""
    reading = compile_fleet(raw)
    assert [f"{fault} ({fault.guard})".removesuffix(" (malformed)") for fault in reading.faults] == faults
    assert (reading.plan is None) == bool(faults)


def test_a_plan_has_the_fleet_and_what_is_retired() -> None:
    """Names by their zones' ids."""
    plan = compile_fleet(WHOLE[0][0]).plan
    assert plan is not None
    assert (plan.fleet, plan.retired) == ("edge", (Retired("old.example.org.", "Z2"),))
    assert [endpoint.key for endpoint in plan.endpoints] == [("Z1", "ep1.example.test.")]

"""What a fleet file's pools hold: each load balancer as far as it can be read, and every fault with its path and guard."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from enactor.plan_faults import Faults
from enactor.records import Alias
from planner.observation import Offer
from planner.pools import Balancer, Member, offered_balancer, read_balancer, read_pools

ALIAS = {"name": "LB.example.net", "zone": "/hostedzone/Z2", "evaluate_target_health": False}
POINTS_TO = Alias("lb.example.net.", "Z2", evaluate_target_health=False)
LIKE_ALIAS = "{name: lb.example.net., zone: Z0123456789ABC, evaluate_target_health: true}"
LIKE_BALANCER = '{id: lb-1, capacity: 100, addresses: [192.0.2.1, "2001:db8::1"]}'
FOUR, SIX = Member("pools.blue[0].addresses[0]", "A", "192.0.2.1"), Member("pools.blue[0].addresses[1]", "AAAA", "::9")


def made(**changes: Any) -> Balancer:
    """Return the first load balancer of the pool blue, with one IPv4 address."""
    good: dict[str, Any] = {
        "path": "pools.blue[0]",
        "pool": "blue",
        "id": "lb-1",
        "capacity": Fraction(1),
        "enabled": True,
        "members": (FOUR,),
        "is_whole": True,
    }
    return Balancer(**good | changes)


def read(value: object) -> tuple[dict[Any, tuple[Balancer, ...]], list[tuple[str, str]]]:
    """Return the pools, and each fault with its guard."""
    faults = Faults()
    read = read_pools(value, {}, faults)
    pools = {
        word: tuple(msgspec.structs.replace(one, has_capacity=True) for one in pool.balancers)
        for word, pool in read.items()
    }
    return pools, [(str(fault), fault.guard) for fault in faults.all()]


SECOND = "is a second address of type A, after 192.0.2.1; a target holds one: give each its own id"
B = "pools.blue[0]"
READ: list[tuple[dict[str, Any], dict[str, Any], list[tuple[str, str]]]] = [
    ({}, {}, []),
    ({"addresses": ["192.0.2.1", "::9"]}, {"members": (FOUR, SIX)}, []),
    ({"capacity": 2.5, "enabled": False}, {"capacity": Fraction(5, 2), "enabled": False}, []),
    (
        {"addresses": None, "alias": ALIAS},
        {"members": (Member(f"{B}.alias", None, alias=POINTS_TO),)},
        [],
    ),
    ({"capacity": 0}, {}, [(f"{B}.capacity: 0 is not above 0", "malformed")]),
    ({"enabled": "no"}, {"enabled": False}, [(f'{B}.enabled: "no" is text, not true or false', "malformed")]),
    ({"enabled": ["no"]}, {"enabled": False}, [(f'{B}.enabled: ["no"] is a list, not true or false', "malformed")]),
    ({"id": 7}, {"id": B}, [(f"{B}.id: 7 is a number, not text; put it in quotes", "malformed")]),
    ({"id": True}, {"id": B}, [(f"{B}.id: true is a boolean, not text", "malformed")]),
    ({"id": None}, {"id": B}, [(f"{B}.id: missing; write it like {LIKE_BALANCER}", "malformed")]),
    (
        {"weight": 1},
        {},
        [
            (
                f"{B}.weight: unknown key; known are id, capacity, enabled, addresses, alias, drain, health_check",
                "malformed",
            )
        ],
    ),
    (
        {"addresses": None},
        {"members": (), "is_whole": False},
        [(f"{B}: one of addresses and alias is required", "malformed")],
    ),
    (
        {"alias": ALIAS},
        {"members": (Member(f"{B}.alias", None, alias=POINTS_TO),), "is_whole": False},
        [(f"{B}: addresses and alias exclude each other", "malformed")],
    ),
    (
        {"addresses": []},
        {"members": (), "is_whole": False},
        [(f"{B}.addresses: empty; a load balancer out of service has enabled: false", "malformed")],
    ),
    (
        {"addresses": {"a": 1}},
        {"members": (), "is_whole": False},
        [(f'{B}.addresses: {{"a": 1}} is an object, not a list', "malformed")],
    ),
    (
        {"addresses": ["nowhere", "192.0.2.1", ["x"]]},
        {"members": (Member(f"{B}.addresses[1]", "A", "192.0.2.1"),), "is_whole": False},
        [
            (f'{B}.addresses[0]: "nowhere" is no IPv4 or IPv6 address: it does not parse', "malformed"),
            (f'{B}.addresses[2]: ["x"] is a list, not text', "malformed"),
        ],
    ),
    (
        {"addresses": ["192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.1"]},
        {
            "members": (FOUR, Member(f"{B}.addresses[1]", "A", "192.0.2.2", is_extra=True)),
            "is_whole": False,
        },
        [
            (f"{B}.addresses[1]: 192.0.2.2 {SECOND}", "duplicate"),
            (f"{B}.addresses[2]: 192.0.2.2 {SECOND}", "duplicate"),
            (f"{B}.addresses[3]: 192.0.2.1 {SECOND}", "duplicate"),
        ],
    ),
    (
        {"addresses": None, "alias": ALIAS | {"name": ["x"], "zone": True, "evaluate_target_health": 1}},
        {"members": (), "is_whole": False},
        [
            (f'{B}.alias.name: ["x"] is a list, not text', "malformed"),
            (f"{B}.alias.zone: true is a boolean, not text", "malformed"),
            (f"{B}.alias.evaluate_target_health: 1 is a number, not true or false", "malformed"),
        ],
    ),
    (
        {"addresses": None, "alias": {}},
        {"members": (), "is_whole": False},
        [
            (f"{B}.alias.{key}: missing; write it like {LIKE_ALIAS}", "malformed")
            for key in ("name", "zone", "evaluate_target_health")
        ],
    ),
    (
        {"addresses": None, "alias": "lb.example.net"},
        {"members": (), "is_whole": False},
        [(f'{B}.alias: "lb.example.net" is text, not an object like {LIKE_ALIAS}', "malformed")],
    ),
]


@pytest.mark.parametrize(("said", "changes", "faults"), READ, ids=[str(row[0])[:50] for row in READ])
def test_a_load_balancer_is_read_as_far_as_it_can_be(
    said: dict[str, Any], changes: dict[str, Any], faults: list[tuple[str, str]]
) -> None:
    """What is wrong is left open, so that what else is wrong is found in the same go; None takes a key out here."""
    good = {"id": "lb-1", "addresses": ["192.0.2.1"]}
    raw = {key: value for key, value in (good | said).items() if value is not None}
    assert read({"blue": [raw]}) == ({"blue": (made(**changes),)}, faults)


@pytest.mark.parametrize("key", ["name", "zone", "evaluate_target_health"])
def test_an_alias_of_which_a_part_is_missing_is_none(key: str) -> None:
    """All three fields are required; the other two are read."""
    raw = {"id": "lb-1", "alias": {one: value for one, value in ALIAS.items() if one != key}}
    expected = made(members=(), is_whole=False)
    what = f"{B}.alias.{key}: missing; write it like {LIKE_ALIAS}"
    assert read({"blue": [raw]}) == ({"blue": (expected,)}, [(what, "malformed")])


def test_pools_stand_under_their_words() -> None:
    """A word that is none is read on; what is no list, or no load balancer, holds nothing."""
    raw = {"id": "lb-1", "addresses": ["192.0.2.1"]}
    pools, faults = read({"blue": [raw], "sea green": [5], 3: raw})
    assert (pools, list(pools)) == ({"blue": (made(),), "sea green": (), 3: ()}, ["blue", "sea green", 3])
    assert [message for message, _ in faults] == [
        'pools."sea green": "sea green" does not match [A-Za-z0-9_-]{1,64}',
        "pools.3: 3 is a number, not text; put it in quotes",
        f'pools."sea green"[0]: 5 is a number, not an object like {LIKE_BALANCER}',
        f'pools.3: {{"id": "lb-1", "addresses": ["192.0.2.1"]}} is an object, not a list like [{LIKE_BALANCER}]',
    ]
    assert read(None) == ({}, [(f"pools: empty, not an object like {{blue: [{LIKE_BALANCER}]}}", "malformed")])


def test_an_id_that_stands_twice_is_named_and_read_on_where_it_is_another_load_balancer() -> None:
    """A twin that answers with the same is dropped; one that answers with something else goes by its path."""
    raw = {"id": "lb-1", "addresses": ["192.0.2.1"]}
    other = {"id": "lb-1", "addresses": ["192.0.2.2"]}
    pools, faults = read({"blue": [raw, raw, other]})
    twin = Member("pools.blue[2].addresses[0]", "A", "192.0.2.2")
    assert pools == {"blue": (made(), made(path="pools.blue[2]", id="pools.blue[2]", members=(twin,)))}
    twice = "lb-1 stands twice in its pool, first as pools.blue[0]"
    assert faults == [(f"pools.blue[{number}].id: {twice}", "duplicate") for number in (1, 2)]


def test_one_id_may_stand_in_two_pools() -> None:
    """That is how a load balancer moves; whether an endpoint may have both is the endpoint's."""
    raw = {"id": "lb-1", "addresses": ["192.0.2.1"]}
    pools, faults = read({"blue": [raw], "green": [raw]})
    assert (faults, [one.pool for pool in pools.values() for one in pool]) == ([], ["blue", "green"])


# ---- what a source offers ------------------------------------------------------------------------------------------------


def offered(**changes: Any) -> tuple[Balancer, list[str]]:
    faults = Faults()
    found = offered_balancer(Offer(**{"id": "lb-1"} | changes), "albs", "blue", faults)
    return found, [fault.path for fault in faults.all()]


OFFERED = 'sources.albs."lb-1"'


def test_what_a_source_offers_is_a_load_balancer_with_all_that_it_said() -> None:
    """Its path names the source, which is where a person mends it."""
    found, faults = offered(
        addresses=("192.0.2.1",), capacity=Fraction(1, 2), drain=True, origin="arn:aws:1", health_check="abc-1"
    )
    assert faults == []
    assert found == made(
        path=OFFERED,
        capacity=Fraction(1, 2),
        members=(Member(f"{OFFERED}.addresses[0]", "A", "192.0.2.1"),),
        drain=True,
        health_check="abc-1",
        sources=("albs",),
        origin="arn:aws:1",
    )


def test_an_alias_is_offered_like_an_address() -> None:
    """One of both, and not both; and where a source cannot tell the capacity, it is 1, and nobody's word."""
    found, faults = offered(alias=POINTS_TO)
    assert faults == []
    members = (Member(f"{OFFERED}.alias", None, alias=POINTS_TO),)
    assert found == made(path=OFFERED, members=members, sources=("albs",), has_capacity=False)
    assert offered(alias=POINTS_TO, addresses=("192.0.2.1",))[1] == [OFFERED]


def test_what_is_wrong_with_an_offer_leaves_the_rest_of_it_readable() -> None:
    """A path stands for an id that is none, and 1 for a capacity that is none."""
    found, faults = offered(id="lb 1", addresses=("192.0.2.1",), capacity=Fraction(0))
    path = 'sources.albs."lb 1"'
    assert faults == [f"{path}.id", f"{path}.capacity"]
    assert (found.id, found.path, found.capacity, found.is_whole) == (path, path, Fraction(1), False)
    assert [member.value for member in found.members] == ["192.0.2.1"]


@pytest.mark.parametrize(("said", "known"), [({}, False), ({"capacity": 1}, True), ({"capacity": 0}, True)])
def test_whether_anybody_said_a_capacity_is_known(said: dict[str, Any], known: bool) -> None:
    """Where several say what a load balancer is, the one who knows its capacity is believed."""
    found = read_balancer({"id": "lb-1", "addresses": ["192.0.2.1"]} | said, "p", Faults())
    assert found is not None
    assert (found.has_capacity, found.capacity) == (known, Fraction(1))

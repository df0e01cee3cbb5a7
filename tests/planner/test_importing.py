"""What of a zone a fleet file can say, what it cannot and why, and which pools are found."""

from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from enactor import yaml_text
from enactor.fence import Fence, fence_text, text_set
from enactor.plan import content_of_endpoint
from enactor.records import Alias, RecordSet
from planner.fleet_writing import fleet_text
from planner.import_file import differing, fleet_file
from planner.import_words import head, idle_patterns, lines, tail
from planner.importing import Wanted, ZoneFinding, find
from planner.schemas import schema_of
from planner.sources import read_fleet

EXAMPLE = Path(__file__).parents[2] / "deploy" / "examples" / "fleet.yaml"
ZONE, NAME = "Z0EXAMPLE", "example.com."
API = f"api.{NAME}"
ALB = Alias("dualstack.web-1.eu-west-1.elb.amazonaws.com.", "Z32O12XQLNTSW2", evaluate_target_health=True)
CHECK = "11111111-2222-3333-4444-555555555555"
WANTED = Wanted(fleet="edge")


def record(label: str = "api.", kind: str = "A", **more: Any) -> RecordSet:
    """Return a record set; a TTL of 60 s where it is no alias."""
    return RecordSet(name=f"{label}{NAME}", type=kind, **({"ttl": 60} if "alias" not in more else {}) | more)


def weighted(label: str, weights: dict[str, int], *, kind: str = "A", net: int = 2) -> list[RecordSet]:
    """Return weighted sets: each identifier ends with the number of its address."""
    form = f"192.0.{net}.%s" if kind == "A" else f"2001:db8:{net}::%s"
    return [
        record(label, kind, set_identifier=identifier, weight=weight, values=(form % identifier.split("-")[-1],))
        for identifier, weight in weights.items()
    ]


def found(*sets: RecordSet, zone: str = ZONE, zone_name: str = NAME, wanted: Wanted = WANTED) -> ZoneFinding:
    return find(zone, zone_name, sets, wanted)


def file_of(*findings: ZoneFinding) -> Any:
    """Return what the file says, as an editor with the schema reads it."""
    text = fleet_text(fleet_file("edge", findings))
    assert differing(text, findings) == ()
    value = yaml_text.load(text)
    jsonschema.Draft202012Validator(schema_of("fleet")).validate(value)
    return value


def said(*sets: RecordSet) -> Any:
    finding = found(*sets)
    assert finding.left_out == ()
    return file_of(finding)


def pools_of(*sets: RecordSet) -> Any:
    return {word: [balancer["id"] for balancer in pool] for word, pool in said(*sets)["pools"].items()}


def shares_of(*sets: RecordSet) -> Any:
    return {one["name"].removesuffix(f".{NAME[:-1]}"): one["pools"] for one in said(*sets)["endpoints"]}


# ---- what is left out ------------------------------------------------------------------------------------------------

MULTI: dict[str, Any] = {"multivalue": True}
CASES: list[tuple[list[RecordSet], list[str]]] = [
    (
        [record(kind="CNAME", values=("www.example.net.",))],
        ["CNAME: a fleet file has no CNAME; a plan file has (`planner publish --plan`)"],
    ),
    (
        [record(set_identifier="eu", values=("192.0.2.1",), extra='{"Region":"eu-west-1"}')],
        ['A "eu": Region (latency routing), which no plan can say'],
    ),
    (
        [record(set_identifier="p", values=("192.0.2.1",), extra='{"Failover":"PRIMARY"}')],
        ['A "p": Failover (failover routing), which no plan can say'],
    ),
    (
        [record(set_identifier="g", values=("192.0.2.1",), extra='{"GeoLocation":{"CountryCode":"*"},"Zz":1}')],
        ['A "g": GeoLocation, Zz (geolocation, unknown routing), which no plan can say'],
    ),
    (
        weighted("api.", {"lb-1": 0, "lb-2": 10}),
        ['A "lb-1": weight 0, and a fleet file gives nobody 0: give it a weight or delete it, then import again'],
    ),
    (
        [record(set_identifier="lb 1", weight=1, values=("192.0.2.1",))],
        ['A "lb 1": the set identifier does not match [A-Za-z0-9._:-]{1,64}, as an id must'],
    ),
    (
        [
            *weighted("api.", {"lb-1": 1}),
            record(set_identifier="lb-2", weight=1, ttl=300, values=("192.0.2.2",)),
        ],
        ["TTLs of 60 and 300 s stand side by side, and an endpoint has one"],
    ),
    (
        [record(values=("192.0.2.1",)), record(kind="AAAA", ttl=30, values=("2001:db8::1",))],
        ["TTLs of 30 and 60 s stand side by side, and an endpoint has one"],
    ),
    ([record(ttl=0, values=("192.0.2.1",))], ["a TTL of 0 s is not between 1 and 86400"]),
    (
        [*weighted("api.", {"lb-1": 1}), record(kind="AAAA", values=("2001:db8::1",))],
        ["it mixes weighted and simple sets, and an endpoint has one routing"],
    ),
    (
        [*weighted("api.", {"lb-1": 10}), *weighted("api.", {"lb-1": 20}, kind="AAAA")],
        ['"lb-1" has weight 10 as A and 20 as AAAA, and a load balancer has one for all types'],
    ),
    (
        [
            record(set_identifier="a", values=("192.0.2.1",), health_check=CHECK, **MULTI),
            record(kind="AAAA", set_identifier="a", values=("2001:db8::1",), **MULTI),
        ],
        [f'"a" has health check {CHECK} as A and none as AAAA, and a load balancer has one for all types'],
    ),
    (
        [
            record(set_identifier="a", weight=1, alias=ALB),
            *weighted("api.", {"a": 1}, kind="AAAA"),
        ],
        [
            f'"a" has alias {ALB.name} in {ALB.zone} with its health as A and none as AAAA, and a load balancer has one for all types'
        ],
    ),
    (
        [record(set_identifier="a", weight=1, alias=ALB), *weighted("api.", {"lb-2": 1}, kind="AAAA")],
        [
            '"a" is an alias as A alone, and in a fleet file an alias answers every type of its endpoint (A and AAAA)',
        ],
    ),
    (
        [record(alias=ALB), record(kind="AAAA", values=("2001:db8::1",))],
        [
            f"it is {ALB.name} in {ALB.zone} with its health as A and addresses as AAAA, and in a fleet file an alias answers every type, with one health check"
        ],
    ),
    (
        [record(set_identifier=one, weight=1, values=("192.0.2.1",)) for one in ("a", "b")],
        ['A "a" and A "b" are both 192.0.2.1, and a target stands there once'],
    ),
    (
        [record(set_identifier="a", values=("192.0.2.1", "192.0.2.2"), **MULTI)],
        ['A "a": 2 values in one multivalue set, and a target has one'],
    ),
    (
        [record(values=tuple(f"192.0.2.{number}" for number in range(101)))],
        ["A: 101 values, over 100"],
    ),
    (
        [record(kind="AAAA", values=("::ffff:192.0.2.1",))],
        ['AAAA: "::ffff:192.0.2.1" is an IPv4-mapped address; write 192.0.2.1 as type A'],
    ),
    ([record(alias=Alias(API, ZONE, evaluate_target_health=False))], ["it is an alias to itself"]),
    (
        [record(alias=Alias("a..b.", "z", evaluate_target_health=False))],
        ['A: "z" is no hosted zone id', "A: a label is empty"],
    ),
    (
        [record(values=("192.0.2.1",), health_check="a check")],
        ['A: "a check" is no health check\'s id'],
    ),
    (
        [record("_fence._wildcard.", values=("192.0.2.1",))],
        [f'label "_fence" of "_fence._wildcard.{NAME}" belongs to fences, switches and self-tests'],
    ),
    (
        [record(values=("192.0.2.1",)), RecordSet(name=API, type="NS", ttl=60, values=("ns.example.net.",))],
        [f"the NS set at {API} delegates it: clients are answered from elsewhere, and no plan may touch it"],
    ),
    (
        [
            record(set_identifier="a b", weight=0, values=("192.0.2.1",)),
            record(set_identifier="eu", values=("192.0.2.1",), extra='{"Region":"eu-west-1"}'),
        ],
        [
            'A "a b": the set identifier does not match [A-Za-z0-9._:-]{1,64}, as an id must',
            'A "a b": weight 0, and a fleet file gives nobody 0: give it a weight or delete it, then import again',
            'A "eu": Region (latency routing), which no plan can say',
        ],
    ),
]


@pytest.mark.parametrize(("sets", "reasons"), CASES, ids=[reasons[0][:60] for _, reasons in CASES])
def test_what_a_fleet_file_cannot_say_leaves_its_whole_name_out(sets: list[RecordSet], reasons: list[str]) -> None:
    """Every reason is named, the name is not in the file, and its neighbour is."""
    finding = found(*sets, *weighted("web.", {"lb-1": 10}))
    assert [(one.name, list(one.reasons)) for one in finding.left_out] == [(sets[0].name, reasons)]
    assert [one["name"] for one in file_of(finding)["endpoints"]] == ["web.example.com"]


def fence(fleet: str, state: Any = "live") -> RecordSet:
    held = Fence(fleet=fleet, gen=1, plan="0" * 12, by="e", nonce="0123456789abcdef", state=state)
    return text_set(f"api._fence.{NAME}", fence_text(held))


def test_names_of_other_fleets_and_tombstones_are_left_out() -> None:
    """Its own fleet's fences say nothing against a name; another fleet's name comes in where that is asked for."""
    sets = weighted("api.", {"lb-1": 10})
    assert found(*sets, fence("edge")).left_out == ()
    assert found(*sets, fence("edge", "hold")).left_out == ()
    (other,) = found(*sets, fence("core")).left_out
    assert other.reasons == ("its fence says that it is fleet core's; --from-fleet core takes it in",)
    assert found(*sets, fence("core"), wanted=Wanted(fleet="edge", from_fleet="core")).left_out == ()
    (gone,) = found(*sets, fence("edge", "retired")).left_out
    assert gone.reasons == (f"its fence is a tombstone: it was retired, and only `enactor adopt {API}` lifts that",)


def test_other_types_are_counted_and_the_zones_own_sets_and_fences_are_not() -> None:
    """Mail and texts are no endpoint's: they leave nothing out."""
    own = [RecordSet(name=NAME, type=kind, ttl=60, values=("x",)) for kind in ("NS", "SOA", "MX")]
    texts = [RecordSet(name=f"{n}.{NAME}", type="TXT", ttl=60, values=('"x"',)) for n in "ab"]
    cut = RecordSet(name=f"sub.{NAME}", type="NS", ttl=60, values=("x",))
    finding = found(*own, *texts, cut, fence("edge"), *weighted("api.", {"lb-1": 1}))
    assert (dict(finding.others), finding.left_out) == ({"MX": 1, "NS": 1, "TXT": 2}, ())
    assert lines([finding])[0] == (
        f"zone {ZONE} has 4 record sets of other types (1 MX, 1 NS, 2 TXT), which no plan holds or touches"
    )


def test_only_names_that_match_are_taken() -> None:
    """Any case, trailing dot optional; what was not asked for is not left out; a pattern that finds nothing is told."""
    sets = [one for label in ("api.", "a.api.", "web.") for one in weighted(label, {"lb-1": 1})]
    wanted = Wanted(fleet="edge", patterns=("*.API.example.com", "web.*", "nowhere.example.com"))
    finding = found(*sets, wanted=wanted)
    assert [one.name for one in finding.endpoints] == [f"a.{API}", f"web.{NAME}"]
    assert (finding.left_out, finding.unasked) == ((), (API,))
    assert idle_patterns([finding], wanted) == (
        f"--names 'nowhere.example.com' matches no name with A, AAAA or CNAME record sets in zone {ZONE}",
    )


# ---- what the file says ----------------------------------------------------------------------------------------------


def test_weights_become_capacities_and_addresses_stand_together() -> None:
    """One load balancer a line, by number; both addresses of one identifier are one load balancer's."""
    sets = [
        *weighted("api.", {"lb-10": 50, "lb-2": 100}),
        *weighted("api.", {"lb-10": 50, "lb-2": 100}, kind="AAAA"),
    ]
    assert said(*sets) == {
        "fleet": "edge",
        "zones": {"example-com": {"id": ZONE, "name": "example.com"}},
        "pools": {
            "api": [
                {"id": "lb-2", "capacity": 100, "addresses": ["192.0.2.2", "2001:db8:2::2"]},
                {"id": "lb-10", "capacity": 50, "addresses": ["192.0.2.10", "2001:db8:2::10"]},
            ]
        },
        "endpoints": [{"name": "api.example.com", "zone": "example-com", "pools": {"api": 1}}],
    }


def test_health_checks_and_aliases_come_along() -> None:
    """An alias of both types is one load balancer; of one type it needs `types`."""
    both = [record("b.", kind, set_identifier="a", weight=3, alias=ALB, health_check=CHECK) for kind in ("A", "AAAA")]
    value = said(*both, record("c.", "A", set_identifier="a", weight=3, alias=ALB, health_check=CHECK))
    alias = {"name": ALB.name[:-1], "zone": ALB.zone, "evaluate_target_health": True}
    assert value["pools"] == {"b": [{"id": "a", "capacity": 3, "alias": alias, "health_check": CHECK}]}
    assert [one.get("types") for one in value["endpoints"]] == [None, ["A"]]


def test_simple_names_call_their_load_balancers_by_address_or_alias() -> None:
    """One address of each type belongs together; of several nobody can tell which does."""
    sets = [
        record("", alias=ALB),
        record("one.", values=("192.0.2.1",)),
        record("one.", "AAAA", values=("2001:db8::1",)),
        record("two.", values=("192.0.2.2", "192.0.2.3")),
        record("two.", "AAAA", values=("2001:db8::2",)),
    ]
    assert pools_of(*sets) == {
        "apex": ["web-1"],
        "one": ["192.0.2.1"],
        "two": ["192.0.2.2", "192.0.2.3", "2001:db8::2"],
    }
    odd = record("odd.", alias=Alias(f"{'x' * 63}.example.", "Z1", evaluate_target_health=False))
    unfit = record("unfit.", alias=Alias("\\052.example.", "Z1", evaluate_target_health=False))
    assert list(pools_of(odd, unfit).values()) == [["x" * 63], ["alias"]]


def test_defaults_are_what_most_names_have() -> None:
    """Only the others say it themselves."""
    sets = [record(label, values=("192.0.2.1",), ttl=ttl) for label, ttl in (("a.", 300), ("b.", 300), ("c.", 60))]
    value = said(*sets, *weighted("d.", {"lb-7": 1}))
    assert value["defaults"] == {"routing": "simple"}
    assert [(one.get("ttl"), one.get("routing")) for one in value["endpoints"]] == [
        (300, None),
        (300, None),
        (None, None),
        (None, "weighted"),
    ]


# ---- pools -----------------------------------------------------------------------------------------------------------

DUAL = {"lb-1": 100, "lb-2": 100, "lb-3": 50}


def test_names_in_proportion_share_a_pool() -> None:
    """The capacities are the weights of most; where a share could not be written down, the smallest whole numbers."""
    tenth = {"lb-1": 10, "lb-2": 10, "lb-3": 5}
    sets = [*weighted("a.", DUAL), *weighted("b.", DUAL), *weighted("c.", tenth)]
    assert shares_of(*sets) == {"a": {"a": 1}, "b": {"a": 1}, "c": {"a": 0.1}}
    assert [one["capacity"] for one in said(*sets)["pools"]["a"]] == [100, 100, 50]
    sets = [*weighted("a.", {"lb-1": 14, "lb-2": 7}), *weighted("b.", {"lb-1": 18, "lb-2": 9})]
    assert shares_of(*sets) == {"a": {"a": 7}, "b": {"a": 9}}
    assert [one.get("capacity", 1) for one in said(*sets)["pools"]["a"]] == [2, 1]


def test_other_proportions_addresses_or_checks_are_other_pools() -> None:
    """The same ids alone make nothing the same."""
    sets = [*weighted("a.", DUAL), *weighted("b.", DUAL | {"lb-3": 100}), *weighted("c.", DUAL, net=3)]
    checked = [msgspec.structs.replace(one, name=f"d.{NAME}", health_check=CHECK) for one in weighted("a.", DUAL)]
    assert shares_of(*sets, *checked) == {"a": {"a": 1}, "b": {"b": 1}, "c": {"c": 1}, "d": {"d": 1}}


def test_a_name_of_one_type_shares_the_pool_of_a_name_of_both() -> None:
    """It says `types`; so each load balancer is described once, with all of its addresses."""
    sets = [*weighted("v4.", DUAL), *weighted("both.", DUAL), *weighted("both.", DUAL, kind="AAAA")]
    assert shares_of(*sets) == {"both": {"both": 1}, "v4": {"both": 1}}
    assert [one.get("types") for one in said(*sets)["endpoints"]] == [None, ["A"]]


def test_simple_and_multivalue_names_share_a_weighted_pool() -> None:
    """They have no weights, so a share says nothing, and the same addresses are the same load balancers."""
    many = [record("m.", set_identifier=f"lb-{n}", values=(f"192.0.2.{n}",), **MULTI) for n in (1, 2, 3)]
    plain = record("s.", values=("192.0.2.3", "192.0.2.1", "192.0.2.2"))
    assert shares_of(*weighted("w.", DUAL), *many, plain) == {"m": {"m": 1}, "s": {"m": 1}, "w": {"m": 1}}
    assert [one["capacity"] for one in said(*weighted("w.", DUAL), *many)["pools"]["m"]] == [100, 100, 50]
    fewer = record("s.", values=("192.0.2.1", "192.0.2.2"))
    assert shares_of(*weighted("w.", DUAL), fewer) == {"s": {"s": 1}, "w": {"w": 1}}


def test_a_pool_within_a_larger_one_is_taken_out_of_it() -> None:
    """In proportion, and only where it has two load balancers or more: a name for each one breaks no pool up."""
    eu, us = {"lb-1": 100, "lb-2": 50}, {"lb-3": 20, "lb-4": 20}
    sets = [*weighted("eu.", eu), *weighted("us.", us), *weighted("all.", {"lb-1": 10, "lb-2": 5} | us | {"lb-5": 7})]
    assert shares_of(*sets) == {"all": {"all": 1, "eu": 0.1, "us": 1}, "eu": {"eu": 1}, "us": {"us": 1}}
    singles = [one for n in (1, 2) for one in weighted(f"lb-{n}.", {f"lb-{n}": 1})]
    assert shares_of(*singles, *weighted("all.", {"lb-1": 1, "lb-2": 1}))["all"] == {"all": 1}
    assert shares_of(*weighted("eu.", eu), *weighted("all.", {"lb-1": 1, "lb-2": 1, "lb-3": 1}))["all"] == {"all": 1}


def test_no_pool_is_taken_out_whose_other_load_balancers_would_clash() -> None:
    """An endpoint may not see two load balancers of one id, though one has no address of its types."""
    both = {"lb-1": 10, "lb-2": 10}
    six = [*weighted("six.", both), *weighted("six.", both, kind="AAAA"), *weighted("six.", {"lb-3": 10}, kind="AAAA")]
    four = weighted("four.", both | {"lb-3": 10})
    assert shares_of(*six, *four) == {"six": {"six": 1}, "four": {"four": 1}}


def test_the_example_comes_back_as_it_was_written() -> None:
    """What people start from, imported out of the zone that it makes: the same pools, shares and capacities, by other words."""
    plan = read_fleet(str(EXAMPLE)).plan
    assert plan is not None
    value = said(*(record for endpoint in plan.endpoints for record in content_of_endpoint(endpoint)))
    written = yaml_text.load(EXAMPLE.read_text(encoding="utf-8"))
    pools = {word: [one for one in pool if one.get("enabled", True)] for word, pool in written["pools"].items()}
    words = {
        word: next(mine for mine in value["pools"] if value["pools"][mine] == pool) for word, pool in pools.items()
    }
    assert words == {
        "standard": "api",
        "fips": "api-fips",
        "cell-a": "111122223333-api",
        "cell-b": "444455556666-api",
    }
    shares = {one["name"]: {words[word]: share for word, share in one["pools"].items()} for one in written["endpoints"]}
    assert {one["name"]: one["pools"] for one in value["endpoints"]} == shares
    assert [one["name"] for one in value["endpoints"] if one.get("types") == ["A"]] == ["api.example.com"]


def test_zones_and_pools_have_words_of_their_own() -> None:
    """Two zones of one name go by their ids; pools of one word by their zone's, then by number."""
    sets = [*weighted("a.b.", {"lb-1": 1}), *weighted("a-b.", {"lb-2": 1}), *weighted("*.", {"lb-3": 1})]
    public, private = found(*sets), found(*weighted("a-b.", {"lb-9": 1}), zone="Z0PRIVATE")
    value = file_of(public, private)
    assert list(value["zones"]) == [ZONE, "Z0PRIVATE"]
    assert list(value["pools"]) == ["wildcard", "a-b", f"{ZONE}-a-b", "Z0PRIVATE-a-b"]
    third = [*weighted("a.b.", {"lb-1": 1}), *weighted("a-b.", {"lb-2": 1}), *weighted("a\\057b.", {"lb-3": 1})]
    assert len(file_of(found(*third))["pools"]) == 3
    (word,) = file_of(found(*weighted("x" * 63 + ".yy.", {"lb-1": 1})))["pools"]
    assert word == "x" * 63 + "-"


def test_pools_of_one_long_word_are_numbered() -> None:
    """The name alone, its zone before it, then numbers from 2 on: each within what a pool's word may have."""
    names = [*weighted("x" * 63 + ".ya.", {"lb-1": 1}), *weighted("x" * 63 + ".yb.", {"lb-2": 1})]
    names += [*weighted("x" * 63 + ".yc.", {"lb-3": 1}), *weighted("x" * 63 + ".yd.", {"lb-4": 1})]
    assert list(file_of(found(*names))["pools"]) == [
        "x" * 63 + "-",
        "example-com-" + "x" * 52,
        "x" * 62 + "-2",
        "x" * 62 + "-3",
    ]


# ---- how it is told --------------------------------------------------------------------------------------------------


def test_the_file_says_from_what_it_was_made_and_what_is_not_in_it() -> None:
    """Without a date, unless one was asked for; each name that was left out, with its reasons."""
    sets = [*weighted("api.", {"lb-1": 0}), *weighted("web.", {"lb-1": 10})]
    finding = found(*sets)
    assert head([finding], WANTED, None) == (
        "Fleet edge, as `planner import` found it: a plan of this file changes no record set.",
        f"From hosted zone {ZONE} (example.com): 1 name, 1 left out (at the end, with the reasons).",
    )
    wanted = Wanted(fleet="edge", patterns=("a*", "b*"))
    assert head([], wanted, "2025-11-30T12:00:00Z") == (
        "Fleet edge, as `planner import` found it at 2025-11-30T12:00:00Z: a plan of this file changes no record set.",
        "Only names were asked for that match a* or b*.",
    )
    why = 'A "lb-1": weight 0, and a fleet file gives nobody 0: give it a weight or delete it, then import again'
    assert tail([finding])[1:] == (f"- api.example.com ({ZONE})", f"    {why}")
    assert tail([found(*weighted("web.", {"lb-1": 10}))]) == ()
    assert lines([finding]) == (f"left out {API} ({ZONE}): {why}", "1 name imported, 1 left out (exit 3)")


def test_what_would_change_a_record_set_is_noticed() -> None:
    """A file is held against the zone before it is handed out: another weight, a name too few, no plan at all."""
    finding = found(*weighted("api.", {"lb-1": 10, "lb-2": 10}), *weighted("web.", {"lb-1": 10}, net=3))
    text = fleet_text(fleet_file("edge", [finding]))
    assert differing(text, [finding]) == ()
    assert differing(text.replace("192.0.3.1", "192.0.3.9"), [finding]) == (
        f"web.{NAME} in zone {ZONE} would not be what stands there",
    )
    assert differing(text.replace("web.example.com", "www.example.com"), [finding]) == (
        f"web.{NAME} in zone {ZONE} would not be what stands there",
        f"www.{NAME} in zone {ZONE} would not be what stands there",
    )
    assert differing(text.replace("fleet: edge", "fleet: Edge"), [finding]) == (
        'fleet: "Edge" does not match [a-z0-9-]{1,32}',
    )
    assert "the key 'fleet' stands twice" in differing(text + "fleet: edge\n", [finding])[0]

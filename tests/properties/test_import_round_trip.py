"""A zone, imported, is a fleet file that means the zone: record set for record set, for everything that was not reported."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from enactor import yaml_text
from enactor.plan import Plan, content_of_endpoint
from enactor.records import Alias, Content, RecordSet, content_of
from planner.fleet import compile_fleet
from planner.fleet_writing import fleet_text
from planner.import_file import differing, fleet_file
from planner.import_words import head, tail
from planner.importing import Wanted, ZoneFinding, find

from .bounds import bounded

ZONE, NAME = "Z0EXAMPLE", "example.test."
LABELS = ("", "*.", "api.", "v2.api.", "a\\057b.", "1.", "no.", "_x.", "x" * 63 + ".")
IDS = ("lb-1", "lb-2", "lb-10", "1", "1.5", "1e3", "true", "no", "0x1f", "a:b", "-", "x" * 64)
ODD_IDS = ("", "a b", "é", "x" * 65, "a\nb", '"')
V4 = tuple(f"192.0.2.{number}" for number in range(1, 6))
V6 = tuple(f"2001:db8::{number}" for number in range(1, 6))
CHECKS = (None, None, None, "11111111-2222-3333-4444-555555555555", "77", "true")
ALIASES = tuple(
    Alias(name, zone, evaluate_target_health=health)
    for name, zone, health in (
        ("dualstack.lb-1.eu-west-1.elb.amazonaws.com.", "Z32", True),
        ("dualstack.lb-1.eu-west-1.elb.amazonaws.com.", "Z32", False),
        ("d111.cloudfront.net.", "Z2FDTNDATAQYW2", False),
        (f"api.{NAME}", ZONE, True),
        ("\\052.lb.example.", "1234", True),
    )
)


def pick(*options: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(options)


@st.composite
def identified(draw: st.DrawFn, name: str, *, way: str, is_odd: bool) -> list[RecordSet]:
    """Weighted or multivalue sets of one name: mostly what a fleet file can say, sometimes what it cannot."""
    ttl = draw(pick(30, 60, 300))
    types = draw(pick(("A",), ("AAAA",), ("A", "AAAA")))
    ids = draw(st.lists(pick(*IDS, *(ODD_IDS if is_odd else ())), min_size=1, max_size=5, unique=True))
    step = draw(pick(1, 1, 2, 10, 50))
    found = []
    for place, identifier in enumerate(ids):
        weight = step * draw(st.integers(0 if is_odd else 1, 5))
        alias = draw(pick(None, None, None, *ALIASES)) if way == "weighted" else None
        check = draw(pick(*CHECKS))
        for kind in types:
            if alias is None and len(types) > 1 and draw(st.integers(0, 4)) == 0:
                continue
            value = (V4 if kind == "A" else V6)[draw(st.integers(0, 4)) if is_odd else place]
            found.append(
                RecordSet(
                    name=name,
                    type=kind,
                    set_identifier=identifier,
                    ttl=None if alias else draw(pick(*([ttl] * 9), 86_400)) if is_odd else ttl,
                    weight=(draw(st.integers(1, 9)) if is_odd and draw(st.integers(0, 9)) == 0 else weight)
                    if way == "weighted"
                    else None,
                    multivalue=way == "multivalue",
                    values=() if alias else (value,),
                    alias=alias,
                    health_check=check,
                )
            )
    return found


@st.composite
def simple(draw: st.DrawFn, name: str) -> list[RecordSet]:
    """Simple sets of one name."""
    alias = draw(pick(None, None, *ALIASES))
    check = draw(pick(*CHECKS))
    found = []
    for kind in draw(pick(("A",), ("AAAA",), ("A", "AAAA"))):
        values = draw(st.lists(pick(*(V4 if kind == "A" else V6)), min_size=1, max_size=4, unique=True))
        is_alias = alias is not None and draw(st.integers(0, 9)) > 0
        found.append(
            RecordSet(
                name=name,
                type=kind,
                ttl=None if is_alias else draw(pick(60, 60, 60, 300, 0)),
                values=() if is_alias else tuple(values),
                alias=alias if is_alias else None,
                health_check=check,
            )
        )
    return found


@st.composite
def other(draw: st.DrawFn, name: str) -> list[RecordSet]:
    """What no fleet file says."""
    extra = draw(pick('{"Region":"eu-west-1"}', '{"Failover":"PRIMARY"}', '{"Unheard":{"Of":1}}'))
    odd = RecordSet(name=name, type="A", set_identifier="x", ttl=60, values=("192.0.2.1",), extra=extra)
    cname = RecordSet(name=name, type="CNAME", ttl=60, values=("elsewhere.example.",))
    mail = RecordSet(name=name, type="MX", ttl=60, values=("10 mail.example.",))
    return draw(pick([odd], [cname], [mail], [odd, mail]))


@st.composite
def zones(draw: st.DrawFn) -> list[RecordSet]:
    """A zone's listing: some names, in any order."""
    listing = [RecordSet(name=NAME, type=kind, ttl=900, values=("x.example.",)) for kind in ("NS", "SOA")]
    for label in draw(st.lists(pick(*LABELS), max_size=6, unique=True)):
        name, is_odd = f"{label}{NAME}", draw(st.booleans())
        makers = [identified(name, way="weighted", is_odd=is_odd)] * 3
        makers += [identified(name, way="multivalue", is_odd=is_odd), simple(name), simple(name), other(name)]
        listing += draw(st.one_of(makers))
        if is_odd and draw(st.integers(0, 9)) == 0:
            listing += draw(other(name))
    if draw(st.integers(0, 5)) == 0:
        listing.append(RecordSet(name=f"api.{NAME}", type="NS", ttl=60, values=("ns.example.",)))
    return draw(st.permutations(list({record.key: record for record in listing}.values())))


def imported(listing: Sequence[RecordSet]) -> tuple[ZoneFinding, str]:
    wanted = Wanted(fleet="edge")
    finding = find(ZONE, NAME, listing, wanted)
    text = fleet_text(fleet_file("edge", [finding]), head=head([finding], wanted, None), tail=tail([finding]))
    return finding, text


def meaning(plan: Plan) -> dict[str, Content]:
    return {endpoint.name: content for endpoint in plan.endpoints if (content := content_of_endpoint(endpoint))}


def held(listing: Sequence[RecordSet]) -> dict[str, Content]:
    """What the zone holds, name by name."""
    by_name: dict[str, list[RecordSet]] = {}
    for record in listing:
        by_name.setdefault(record.name, []).append(record)
    return {name: content for name, sets in by_name.items() if (content := content_of(sets))}


def plan_of(text: str) -> Plan:
    reading = compile_fleet(yaml_text.load(text))
    assert reading.faults == ()
    assert reading.plan is not None
    return reading.plan


@given(zones())
@bounded(300)
def test_what_was_not_reported_means_what_stands_there(listing: list[RecordSet]) -> None:
    """Zone, import, compile: the contents are the zone's, every name is in the file or reported, and none is in both."""
    finding, text = imported(listing)
    left_out = {one.name for one in finding.left_out}
    assert all(one.reasons for one in finding.left_out)
    assert meaning(plan_of(text)) == {name: sets for name, sets in held(listing).items() if name not in left_out}
    assert left_out <= held(listing).keys()
    assert differing(text, [finding]) == ()


@given(zones(), st.randoms(use_true_random=False))
@bounded(100)
def test_the_same_zone_makes_the_same_file(listing: list[RecordSet], chance: Any) -> None:
    """Whatever the order of the listing, and of the values in a set."""
    other_way = [
        msgspec.structs.replace(one, values=tuple(chance.sample(one.values, len(one.values)))) for one in listing
    ]
    chance.shuffle(other_way)
    assert imported(other_way)[1] == imported(listing)[1]


MANY_LABELS = (*LABELS, "eu.", "us.", "ap.", "all.", "www.")


@st.composite
def balancers(draw: st.DrawFn, pool: int, capacities: tuple[float, ...]) -> list[dict[str, Any]]:
    """The load balancers of one pool, unlike those of every other."""
    found: list[dict[str, Any]] = []
    for place in range(draw(st.integers(2, 4))):
        number = 4 * pool + place
        v4, v6 = f"198.51.100.{number}", f"2001:db8:{pool}::{number}"
        made: dict[str, Any] = {"id": IDS[number % len(IDS)] if draw(st.booleans()) else f"lb-{number + 20}"}
        form = draw(st.integers(0, 9))
        if form == 0:
            alias = {"name": f"lb-{number}.example.", "zone": "Z32", "evaluate_target_health": draw(st.booleans())}
            made["alias"] = alias
        else:
            made["addresses"] = [draw(pick(v4, v6))] if form == 1 else [v4, v6]
        check = draw(pick(*CHECKS))
        found.append(made | {"capacity": draw(pick(*capacities))} | ({"health_check": check} if check else {}))
    return found


@st.composite
def fleets(draw: st.DrawFn) -> dict[str, Any]:
    """A fleet file that a person might write, right in form or nearly so: names that share pools, whole and in parts."""
    capacities = draw(pick((10,), (10, 20, 50), (100, 50), (1, 2, 3), (255, 400), (0.5, 1.75)))
    words = ("blue", "green", "teal")
    pools = {word: draw(balancers(place, capacities)) for place, word in enumerate(words)}
    endpoints = []
    for label in draw(st.lists(pick(*MANY_LABELS), min_size=2, max_size=8, unique=True)):
        used = draw(st.one_of(*[pick([word]) for word in words], pick(["blue", "green"], list(words))))
        shares = {pool: draw(pick(1, 1, 1, 2, 0.1, 0.5)) for pool in used}
        endpoint: dict[str, Any] = {"name": f"{label}{NAME}", "zone": "main", "pools": shares}
        endpoint |= draw(pick({}, {}, {"types": ["A"]}, {"types": ["AAAA"]})) | draw(pick({}, {"ttl": 30}))
        endpoints.append(endpoint | draw(pick({}, {}, {}, {"routing": "simple"}, {"routing": "multivalue"})))
    return {"fleet": "edge", "zones": {"main": {"id": ZONE, "name": NAME}}, "pools": pools, "endpoints": endpoints}


def sayable(raw: dict[str, Any]) -> Plan | None:
    """Return the plan of the endpoints that are right in form."""
    right = [one for one in raw["endpoints"] if compile_fleet(raw | {"endpoints": [one]}).plan is not None]
    return compile_fleet(raw | {"endpoints": right}).plan


@given(fleets())
@bounded(250)
def test_what_a_fleet_file_says_can_be_imported_again(raw: dict[str, Any]) -> None:
    """Nothing that came out of a fleet file is ever left out: the import knows all that the format can say."""
    plan = sayable(raw)
    assume(plan is not None)
    assert plan is not None
    contents = meaning(plan)
    finding, text = imported([record for content in contents.values() for record in content])
    assert finding.left_out == ()
    assert meaning(plan_of(text)) == contents


@pytest.mark.parametrize("weight", [1, 7, 255])
def test_equal_weights_stay_as_they_are(weight: int) -> None:
    """A set of weights all equal is not made ones of: one that joins would then say more than the others."""
    sets = [
        RecordSet(name=f"api.{NAME}", type="A", set_identifier=f"lb-{n}", ttl=60, weight=weight, values=(V4[n],))
        for n in range(3)
    ]
    _, text = imported(sets)
    assert {target.weight for target in plan_of(text).endpoints[0].targets} == {weight}
    assert text.count(f"capacity: {weight}") == (0 if weight == 1 else 3)

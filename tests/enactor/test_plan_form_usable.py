"""What plan comes out of a file: which endpoints are usable, which broken, and that reading never raises."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.plan import Endpoint, canonical_json, content_of_endpoint, digest_of
from enactor.plan_form import read_plan

from .plan_file_builders import alias, endpoint, faults_of, good_plan, guards_of, plan, target


def test_case_22_one_bad_endpoint_is_broken_and_50_stay_usable() -> None:
    """Case 22: an enactor that meets such a plan in the table can still apply the 50 good endpoints."""
    good = [endpoint(name=f"ep{index}.example.test") for index in range(50)]
    reading = read_plan(json.dumps(plan(*good, endpoint(name="ep..example.test"))))
    assert reading.plan is not None
    assert len(reading.plan.endpoints) == 50
    (broken,) = reading.plan.broken
    assert (broken.zone, broken.name) == ("Z1", "ep..example.test")
    assert broken.faults == reading.faults


def test_broken_endpoint_keeps_its_canonical_name() -> None:
    """The enactor finds the endpoint that it must leave alone under the name it knows it by."""
    reading = read_plan(json.dumps(plan(endpoint(name="EP1.example.test", zone="/hostedzone/Z1", ttl=0))))
    assert reading.plan is not None
    assert [(broken.zone, broken.name) for broken in reading.plan.broken] == [("Z1", "ep1.example.test.")]


def test_every_fault_is_listed_at_once() -> None:
    """A person mends a file once: faults of endpoints, targets and retired names come together, in the file's order."""
    raw = plan(
        endpoint(ttl=0, targets=[target(weight=256), target(id="b", value="x")]),
        endpoint(name="b..c"),
        retired=[{"name": "old.example.test"}],
    )
    paths = [fault.path for fault in read_plan(json.dumps(raw)).faults]
    assert paths == [
        "endpoints[0].ttl",
        "endpoints[0].targets[0].weight",
        "endpoints[0].targets[1].value",
        "endpoints[1].name",
        "retired[0].zone",
    ]


def test_endpoint_listed_twice_leaves_neither_usable() -> None:
    """Nobody knows which of two entries was meant, spelled however: the name is broken once, the others are not."""
    raw = plan(endpoint(), endpoint(name="EP1.example.TEST", ttl=30), endpoint(name="ep2.example.test"))
    reading = read_plan(json.dumps(raw))
    assert [str(fault) for fault in reading.faults] == [
        "endpoints[1].name: ep1.example.test. in zone Z1 stands twice, first as endpoints[0]"
    ]
    assert reading.plan is not None
    assert [one.name for one in reading.plan.endpoints] == ["ep2.example.test."]
    assert [one.name for one in reading.plan.broken] == ["ep1.example.test."]


def test_one_name_in_two_zones_is_two_endpoints() -> None:
    """Cases 33, 61: a public and a private zone may hold the same name."""
    read = good_plan(plan(endpoint(zone="Z2"), endpoint(zone="Z1")))
    assert [one.zone for one in read.endpoints] == ["Z1", "Z2"]


def test_name_both_listed_and_retired_is_refused() -> None:
    """A doubtful permission to leave the plan is none, and the entry is not usable either."""
    reading = read_plan(json.dumps(plan(endpoint(), retired=[{"name": "ep1.example.test", "zone": "Z1"}])))
    assert [fault.guard for fault in reading.faults] == ["retired"]
    assert reading.plan is not None
    assert (reading.plan.endpoints, reading.plan.retired) == ((), ())
    assert [one.name for one in reading.plan.broken] == ["ep1.example.test."]


def test_retired_twice_is_a_fault() -> None:
    """The same retired name twice is a slip of somebody's."""
    old = {"name": "old.example.test", "zone": "Z1"}
    assert guards_of(plan(retired=[old, old])) == ["duplicate"]


def test_a_retired_entry_with_a_fault_permits_nothing() -> None:
    """A doubtful permission to leave the plan is none, not even where the same name is retired once more and rightly."""
    old = {"name": "old.example.test", "zone": "Z1"}
    for gone in ([old | {"why": "x"}], [old | {"why": "x"}, old], [{"name": "old.example.test"}]):
        reading = read_plan(json.dumps(plan(endpoint(), retired=gone)))
        assert reading.plan is not None
        assert (len(reading.plan.endpoints), reading.plan.retired) == (1, ())
        assert reading.faults


def test_a_name_whose_zone_is_not_said_stands_in_no_zone_twice() -> None:
    """One name may stand in two zones, so what does not say its zone is held against nothing."""
    raw = plan(*[endpoint(zone=None)] * 2, retired=[{"name": "ep1.example.test"}])
    assert faults_of(raw) == ["endpoints[0].zone: missing", "endpoints[1].zone: missing", "retired[0].zone: missing"]


@pytest.mark.parametrize("name", [" ep2.example.test", "EP2.example.test\n", "\tep2.example.test. "])
def test_spaces_around_a_name_hold_back_that_name_only(name: str) -> None:
    """The endpoint is refused under the name that was meant, and the others are usable."""
    reading = read_plan(json.dumps(plan(endpoint(), endpoint(name=name))))
    assert reading.plan is not None
    assert [one.name for one in reading.plan.endpoints] == ["ep1.example.test."]
    assert [one.name for one in reading.plan.broken] == ["ep2.example.test."]
    assert "if that is meant" in str(reading.faults[0])


def test_a_space_that_is_meant_is_written_as_an_escape() -> None:
    """Octets that DNS can carry are possible, as Route 53 writes them."""
    assert good_plan(plan(endpoint(name="a\\040b.example.test"))).endpoints[0].name == "a\\040b.example.test."


@pytest.mark.parametrize(("text", "said"), [("NaN", "no JSON number"), ("9" * 5000, "a number of 5000 characters")])
def test_a_number_that_nobody_can_read_has_its_place(text: str, said: str) -> None:
    """One endpoint with a number that is none does not take the file with it."""
    body = json.dumps(plan(endpoint(), endpoint(name="ep2.example.test", ttl=77))).replace("77", text)
    reading = read_plan(body)
    (fault,) = reading.faults
    assert fault.path == "endpoints[1].ttl"
    assert said in fault.message
    assert reading.plan is not None
    assert [one.name for one in reading.plan.endpoints] == ["ep1.example.test."]


def test_a_file_that_is_not_utf_8_makes_no_plan_and_has_its_other_faults_named() -> None:
    """The odd octet most often stands in a name, which is then named too."""
    reading = read_plan(json.dumps(plan(endpoint(name="cafE.example.test", ttl=0))).encode().replace(b"fE", b"f\xe9"))
    assert reading.plan is None
    assert [fault.path for fault in reading.faults] == ["plan", "endpoints[0].ttl", "endpoints[0].name"]
    "".join(map(str, reading.faults)).encode("utf-8")


def test_an_unknown_format_makes_no_plan_and_is_named_first() -> None:
    """An enactor must not read what it does not know; who publishes still gets the rest of the list."""
    reading = read_plan(json.dumps(plan(endpoint(ttl=0), format=2, speed=1)))
    assert reading.plan is None
    assert [fault.path for fault in reading.faults] == ["format", "speed", "endpoints[0].ttl"]


@pytest.mark.parametrize(
    ("digits", "said"), [(100, "is over 86400"), (101, "is a number of 101 characters, not a whole")]
)
def test_a_number_is_read_up_to_a_hundred_characters(digits: int, said: str) -> None:
    """Longer ones are no number that Python must read."""
    (fault,) = read_plan(json.dumps(plan(endpoint(ttl=77))).replace("77", "9" * digits)).faults
    assert said in fault.message


def test_empty_endpoint_zero_weights_and_no_endpoints_are_not_faults_of_form() -> None:
    """Cases 1, 3, 55: these are for guards, which know what stands in the zone."""
    assert good_plan(plan()).endpoints == ()
    assert good_plan(plan(endpoint(targets=[], ttl=None))).endpoints[0].targets == ()
    good_plan(plan(endpoint(targets=[target(weight=0)])))


def test_fence_name_must_fit() -> None:
    """A name whose fence would be too long is refused; one octet less is not; a wildcard's fence is longer."""
    label = "a" * 61
    fits = ".".join([label, label, label, "b" * 60])
    assert len(fits) + 2 + 7 == 255
    good_plan(plan(endpoint(name=fits)))
    assert guards_of(plan(endpoint(name="a" + fits))) == ["limit"]
    assert guards_of(plan(endpoint(name="*." + fits[2:]))) == ["limit"]
    good_plan(plan(endpoint(name="*." + fits[10:])))


@pytest.mark.parametrize("spelling", ["*.example.test", "\\052.Example.Test.", "*.EXAMPLE.test."])
def test_case_43_wildcard_spellings_are_one_name(spelling: str) -> None:
    """Cases 43, 44: the octal escape, case and the trailing dot make no difference."""
    assert good_plan(plan(endpoint(name=spelling))).endpoints[0].name == "*.example.test."


def test_case_50_alias_with_a_ttl_has_the_same_content() -> None:
    """Case 50: a TTL beside aliases is allowed and means nothing."""
    targets = [target(value=None, alias=alias())]
    with_ttl = good_plan(plan(endpoint(targets=targets)))
    without = good_plan(plan(endpoint(targets=targets, ttl=None)))
    assert content_of_endpoint(with_ttl.endpoints[0]) == content_of_endpoint(without.endpoints[0])


def test_weighted_cnames_may_share_an_endpoint() -> None:
    """Several weighted CNAME targets are several sets of one type, which Route 53 accepts."""
    targets = [target(id=name, type="CNAME", value=f"{name}.example.net") for name in ("a", "b")]
    assert len(good_plan(plan(endpoint(targets=targets))).endpoints[0].targets) == 2


def test_lone_surrogates_are_named_and_do_not_break_the_message() -> None:
    """JSON can spell text that no UTF-8 holds; the fault is still printable."""
    (fault,) = read_plan(
        '{"format": 1, "fleet": "edge", "endpoints": [{"name": "\\ud800", "zone": "Z1", "routing": "simple", "targets": []}]}'
    ).faults
    str(fault).encode("utf-8")


def spelled(text: str, chance: random.Random) -> str:
    other = "".join(chance.choice([letter.upper(), letter.lower()]) for letter in text)
    return other.removesuffix(".") if chance.random() < 0.5 else other


IPV6_SPELLINGS: list[Callable[[int], str]] = [
    lambda number: f"2001:db8::{number:x}",
    lambda number: f"2001:0DB8:0:0:0:0:0:{number:04X}",
    lambda number: f"2001:db8:0::{number:x}",
]


@given(seed=st.integers(0, 10_000), count=st.integers(1, 5))
def test_digest_does_not_change_with_order_or_spelling(seed: int, count: int) -> None:
    """The same wish has the same digest, however it is written down."""
    chance = random.Random(seed)

    def wish(chance: random.Random | None) -> dict[str, Any]:
        endpoints = []
        for index in range(count):
            name = f"ep{index}.example.test."
            targets = [target(id=f"lb-{number}", value=f"192.0.2.{number}") for number in range(3)]
            for number in range(3):
                spell = chance.choice(IPV6_SPELLINGS) if chance else IPV6_SPELLINGS[0]
                targets.append(target(id=f"lb-{number}", type="AAAA", value=spell(number + 1)))
            if chance:
                chance.shuffle(targets)
                name = spelled(name, chance)
            endpoints.append(endpoint(name=name, zone="/hostedzone/Z1" if chance else "Z1", targets=targets))
        if chance:
            chance.shuffle(endpoints)
        return plan(*endpoints)

    plain, other = good_plan(wish(None)), good_plan(wish(chance))
    assert plain == other
    assert canonical_json(plain) == canonical_json(other)


def test_digest_is_the_same_on_every_machine() -> None:
    """A digest written down here years ago must still be the one: enactors of two versions compare them."""
    body = canonical_json(good_plan(plan(endpoint(), retired=[{"name": "old.example.test", "zone": "Z1"}])))
    assert body == (
        b'{"endpoints":[{"name":"ep1.example.test.","routing":"weighted","targets":[{"id":"lb-1","type":"A",'
        b'"value":"192.0.2.1","weight":10}],"ttl":60,"zone":"Z1"}],"fleet":"edge","format":1,'
        b'"retired":[{"name":"old.example.test.","zone":"Z1"}]}'
    )
    assert digest_of(body) == "ca7030d3f9bf879c8366d69891809f86188695020ad45fa74fe45350a0657c58"


@given(
    names=st.lists(st.from_regex(r"[a-z0-9]{1,10}\.example\.test\.", fullmatch=True), unique=True, max_size=4),
    weights=st.lists(st.integers(0, 255), min_size=1, max_size=4),
)
def test_canonical_json_reads_back_as_the_same_plan(names: list[str], weights: list[int]) -> None:
    """What the store gives back is what was published."""
    targets = [
        target(id=f"lb-{index}", value=f"192.0.2.{index}", weight=weight) for index, weight in enumerate(weights)
    ]
    first = good_plan(plan(*(endpoint(name=name, targets=targets) for name in names)))
    again = read_plan(canonical_json(first))
    assert again.faults == ()
    assert again.plan == first


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "format",
                    "fleet",
                    "endpoints",
                    "retired",
                    "name",
                    "zone",
                    "routing",
                    "ttl",
                    "targets",
                    "id",
                    "type",
                    "value",
                ]
            )
            | st.text(max_size=4),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.text() | st.binary())
def test_any_octets_are_faults_or_a_plan(body: bytes | str) -> None:
    """Reading never raises."""
    reading = read_plan(body)
    assert reading.faults or reading.plan is not None


@given(JSON)
def test_any_json_is_faults_or_a_plan(raw: Any) -> None:
    """Reading never raises, whatever the JSON says."""
    reading = read_plan(json.dumps(raw))
    assert reading.faults or reading.plan is not None


@given(
    st.text(min_size=0, max_size=6), st.integers(1, 3000), st.sampled_from(["name", "zone", "routing", "id", "type"])
)
def test_no_message_repeats_more_than_a_short_piece_of_the_file(piece: str, times: int, key: str) -> None:
    """However long a text is, whatever stands in it, and wherever, every message can be read and written."""
    wrong = endpoint(targets=[target(**{key: piece * times}), {piece * times: 1}], **{key: piece * times})
    for fault in read_plan(json.dumps(plan(wrong, wrong, retired=[wrong]))).faults:
        assert len(str(fault)) < 2500
        str(fault).encode("utf-8")


@given(st.lists(JSON, max_size=3), st.lists(JSON, max_size=2))
def test_any_endpoint_is_right_or_broken(endpoints: list[Any], targets: list[Any]) -> None:
    """Whatever stands in the list, every entry ends as usable or as broken, and what is usable can be written."""
    raw = plan(*endpoints, endpoint(targets=targets))
    reading = read_plan(json.dumps(raw))
    assert reading.plan is not None
    assert len(reading.plan.endpoints) + len(reading.plan.broken) <= len(raw["endpoints"])
    assert reading.plan.endpoints or reading.plan.broken
    for one in reading.plan.endpoints:
        assert isinstance(one, Endpoint)
        content_of_endpoint(one)

"""The zone model: what holds of every zone and every batch. The rules one by one are in tests/contract."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.sandbox import zone_model, zone_names, zone_values
from enactor.sandbox.zone_model import Errors, Zone

EMPTY = Zone.empty("Z0TEST", "Example.Test")

Set = dict[str, Any]
Change = dict[str, Any]


def weighted(name: str, identifier: str, value: str = "192.0.2.1", weight: int = 1) -> Set:
    return simple(name, value) | {"SetIdentifier": identifier, "Weight": weight}


def simple(name: str, *values: str, type: str = "A", ttl: int = 60) -> Set:  # noqa: A002 - the field's name
    return {"Name": name, "Type": type, "TTL": ttl, "ResourceRecords": [{"Value": value} for value in values]}


def changes(action: str, *sets: Set) -> list[Change]:
    return [{"Action": action, "ResourceRecordSet": one} for one in sets]


def applied(zone: Zone, *batches: list[Change]) -> Zone:
    for batch in batches:
        result = zone_model.apply(zone, batch)
        assert isinstance(result, Zone), result
        zone = result
    return zone


def refused(zone: Zone, batch: list[Change]) -> Errors:
    result = zone_model.apply(zone, batch)
    assert isinstance(result, Errors), result
    return result


def read_all(zone: Zone, size: int) -> list[Set]:
    found: list[Set] = []
    page = zone_model.page(zone, max_items=size)
    while True:
        found += page.sets
        if not page.is_truncated:
            return found
        page = zone_model.page(zone, page.next_name, page.next_type, page.next_identifier, size)


labels = st.text("ab-0_*", min_size=1, max_size=3)
names = st.lists(labels, min_size=1, max_size=3).map(lambda parts: ".".join((*parts, "example.test")))
groups = st.dictionaries(names, st.sets(st.sampled_from(["a", "b", "lb-1", "lb-10"]), min_size=1), max_size=12)


def zone_of(found: dict[str, set[str]]) -> Zone:
    sets = [weighted(name, identifier) for name, identifiers in found.items() for identifier in sorted(identifiers)]
    return applied(EMPTY, changes("CREATE", *sets)) if sets else EMPTY


@given(groups, st.integers(1, 7))
def test_pages_are_complete_ordered_and_without_repeats(found: dict[str, set[str]], size: int) -> None:
    """Whatever the page size."""
    zone = zone_of(found)
    read = read_all(zone, size)
    keys = [(zone_names.order_key(one["Name"]), one["Type"], one.get("SetIdentifier", "")) for one in read]
    assert keys == sorted(set(keys))
    assert len(keys) == len(zone) == 2 + sum(len(identifiers) for identifiers in found.values())


@given(groups)
def test_delete_then_create_of_everything_is_identity(found: dict[str, set[str]]) -> None:
    """An assertion of the whole zone leaves it as it is, order included."""
    zone = zone_of(found)
    sets = [one for one in zone.sets() if one["Type"] == "A"]
    if sets:
        again = applied(zone, changes("DELETE", *sets) + changes("CREATE", *sets))
        assert again == zone


@given(groups, groups)
def test_a_refused_batch_changes_nothing(found: dict[str, set[str]], more: dict[str, set[str]]) -> None:
    """The zone is a value: what was read before is the same after, whether the batch passes or not."""
    zone = zone_of(found)
    before = zone.sets()
    batch = changes("CREATE", *(weighted(name, one) for name, ones in more.items() for one in sorted(ones)))
    zone_model.apply(zone, [*batch, *changes("DELETE", simple("absent.example.test", "192.0.2.1"))])
    if batch:
        zone_model.apply(zone, batch)
    assert zone.sets() == before


@given(groups)
def test_everything_that_is_shown_can_be_deleted(found: dict[str, set[str]]) -> None:
    """What a listing gives back is exactly what a DELETE takes."""
    zone = zone_of(found)
    sets = [one for one in zone.sets() if one["Type"] == "A"]
    assert not sets or applied(zone, changes("DELETE", *sets)) == EMPTY


def test_what_a_reader_does_to_a_page_stays_with_the_reader() -> None:
    """Pages are copies."""
    zone = applied(EMPTY, changes("CREATE", simple("a.example.test", "192.0.2.1")))
    zone_model.page(zone).sets[-1]["ResourceRecords"].clear()
    assert zone.sets("a.example.test")[0]["ResourceRecords"] == [{"Value": "192.0.2.1"}]


def test_a_weight_of_zero_is_a_weight() -> None:
    """Zero equals False in Python, and must not be taken for absent."""
    zone = applied(EMPTY, changes("CREATE", weighted("a.example.test", "lb-1", weight=0)))
    assert zone.sets("a.example.test")[0]["Weight"] == 0


def test_independent_errors_are_told_in_order_and_echoes_are_not() -> None:
    """A CREATE that would only repeat the failed DELETE before it has no entry of its own."""
    zone = applied(EMPTY, changes("CREATE", simple("a.example.test", "192.0.2.1")))
    errors = refused(
        zone,
        changes("DELETE", simple("b.example.test", "192.0.2.1"), simple("a.example.test", "192.0.2.2"))
        + changes("CREATE", simple("a.example.test", "192.0.2.3")),
    )
    assert [message.partition("]")[2] for message in errors.messages] == [
        " but it was not found",
        " but the values provided do not match the current values",
    ]
    assert errors.text.startswith("[Tried to delete")


def test_a_zone_is_full_at_its_quota() -> None:
    """Judged at the end of a batch: what makes room counts."""
    small = Zone.empty("Z0TEST", "example.test", max_sets=3)
    full = applied(small, changes("CREATE", simple("a.example.test", "192.0.2.1")))
    other = changes("CREATE", simple("b.example.test", "192.0.2.1"))
    assert "limit of 3 exceeded" in refused(full, other).text
    assert len(applied(full, changes("DELETE", simple("a.example.test", "192.0.2.1")) + other)) == 3


def test_attributes_a_plan_cannot_say_are_kept() -> None:
    """And compared: a DELETE must give them."""
    geo = simple("a.example.test", "192.0.2.1") | {"SetIdentifier": "eu", "GeoLocation": {"ContinentCode": "EU"}}
    zone = applied(EMPTY, changes("CREATE", geo))
    assert zone.sets("a.example.test")[0]["GeoLocation"] == {"ContinentCode": "EU"}
    assert "cannot be created" in refused(zone, changes("CREATE", weighted("a.example.test", "lb-1"))).text
    wrong = geo | {"GeoLocation": {"ContinentCode": "AS"}}
    assert "do not match" in refused(zone, changes("DELETE", wrong)).text


def test_the_apex_sets_may_be_replaced_within_a_batch() -> None:
    """Gone at its end they may not be."""
    old = EMPTY.sets("example.test")[0]
    applied(EMPTY, changes("DELETE", old) + changes("CREATE", old | {"TTL": 300}))
    assert "must contain at least one NS record" in refused(EMPTY, changes("DELETE", old)).text


def test_a_zone_of_ten_thousand_sets_takes_a_batch_in_milliseconds() -> None:
    """Indexed, no journal: two hundred changes cost a few milliseconds, whatever the zone's size."""
    zone = EMPTY
    for start in range(0, 9_500, 500):
        zone = applied(
            zone, changes("CREATE", *(weighted(f"n{n}.example.test", "a") for n in range(start, start + 500)))
        )
    touched = [weighted(f"n{n * 90}.example.test", "a") for n in range(100)]
    batch = changes("DELETE", *touched) + changes("CREATE", *(one | {"Weight": 2} for one in touched))
    best_seconds = min(_seconds(zone, batch) for _ in range(5))
    assert best_seconds < 0.05


def _seconds(zone: Zone, batch: list[Change]) -> float:
    start = time.perf_counter()
    applied(zone, batch)
    return time.perf_counter() - start


@pytest.mark.parametrize(
    ("given_name", "canonical"),
    [
        ("Example.Test", "example.test."),
        ("*.example.test.", "\\052.example.test."),
        ("\\052.example.test", "\\052.example.test."),
        ("\\101.example.test", "a.example.test."),
        ("a\\056b.example.test", "a\\056b.example.test."),
        ("_x-1.example.test", "_x-1.example.test."),
    ],
)
def test_a_name_has_one_spelling(given_name: str, canonical: str) -> None:
    """And its own canonical form stays as it is."""
    assert zone_names.canonical(given_name) == canonical
    assert zone_names.canonical(canonical) == canonical


@pytest.mark.parametrize("name", ["a..b", ".a", f"{'x' * 64}.b", ".".join(["abc"] * 64), "a\\09.b", "a b", "é.b"])
def test_what_is_no_name_is_refused(name: str) -> None:
    """With the problem in Route 53's words."""
    with pytest.raises(zone_names.BadNameError, match="FATAL problem"):
        zone_names.labels(name)


def test_whole_labels_make_a_name_lie_within_a_zone() -> None:
    """`evilexample.com` is not in `example.com`."""
    assert zone_names.is_within("a.example.com.", "example.com.")
    assert zone_names.is_within("example.com.", "example.com.")
    assert not zone_names.is_within("evilexample.com.", "example.com.")


@pytest.mark.parametrize(
    ("value", "strings"),
    [('"a" "b"', (b"a", b"b")), ('"ab"', (b"ab",)), ('"\\"\\\\\\101"', (b'"\\A',)), ('""', (b"",))],
)
def test_text_is_parsed_into_its_strings(value: str, strings: tuple[bytes, ...]) -> None:
    """Two strings are another record than one."""
    assert zone_values.text_strings(value) == strings


@pytest.mark.parametrize("value", ["a", '"a', 'a"', '"a"b', "", '"\\"'])
def test_what_is_not_quoted_is_no_text(value: str) -> None:
    """Every string stands between quotation marks."""
    with pytest.raises(zone_values.BadValueError):
        zone_values.text_strings(value)

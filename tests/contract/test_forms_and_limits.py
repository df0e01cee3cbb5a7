"""What Route 53 refuses whatever stands in the zone: malformed values and names, and batches over a limit."""

from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from tests.contract.conftest import ContractZone

Zone: TypeAlias = "ContractZone"


@pytest.mark.parametrize(
    ("record_type", "value", "problem"),
    [
        ("A", "192.0.2.256", "not a valid IPv4 address"),
        ("A", "2001:db8::1", "not a valid IPv4 address"),
        ("AAAA", "192.0.2.1", "not a valid IPv6 address"),
        ("TXT", "bare words", "enclosed in quotation marks"),
        ("TXT", f'"{"x" * 256}"', "too long"),
    ],
)
def test_a_malformed_value_fails(zone: Zone, record_type: str, value: str, problem: str) -> None:
    """The message says what is wrong with which value."""
    message = zone.refused(("CREATE", zone.simple("a", value, type=record_type)))
    assert problem in message
    assert value in message


def test_duplicate_values_fail(zone: Zone) -> None:
    """A set holds a value once."""
    message = zone.refused(("CREATE", zone.simple("a", "192.0.2.1", "192.0.2.1")))
    assert "Duplicate Resource Record: '192.0.2.1'" in message


def test_a_weight_over_255_fails(zone: Zone) -> None:
    """Weights are whole numbers from 0 to 255."""
    zone.refused(("CREATE", zone.weighted("a", "lb-1", "192.0.2.1", weight=256)), code="InvalidInput")


def test_weights_0_and_255_are_right(zone: Zone) -> None:
    """Zero is a weight, and not the same as none."""
    zone.create(zone.weighted("a", "lb-1", "192.0.2.1", weight=0), zone.weighted("a", "lb-2", "192.0.2.2", weight=255))
    assert [found["Weight"] for found in zone.sets("a")] == [0, 255]


def test_a_name_outside_the_zone_fails(zone: Zone) -> None:
    """Whole labels count: `evil` in front of the zone's name is another domain."""
    outside = {**zone.simple("a", "192.0.2.1"), "Name": f"evil{zone.zone_name}"}
    assert f"is not permitted in zone {zone.zone_name}." in zone.refused(("CREATE", outside))


def test_an_empty_label_fails(zone: Zone) -> None:
    """A name with two dots in a row is no name."""
    zone.refused(("CREATE", {**zone.simple("a", "192.0.2.1"), "Name": f"a..{zone.base}"}))


def _many(zone: Zone, count: int, action: str = "CREATE") -> list[tuple[str, dict[str, Any]]]:
    """`count` elements, ten to a set."""
    values = [f"192.0.2.{n}" for n in range(10)]
    return [(action, zone.simple(f"n{number}", *values)) for number in range(count // 10)]


def test_a_batch_has_at_most_1000_elements(zone: Zone) -> None:
    """A thousand pass, one more does not."""
    zone.change(*_many(zone, 1000))
    zone.refused(*_many(zone, 1000, "DELETE"), ("CREATE", zone.simple("one-more", "192.0.2.1")))


def test_upsert_counts_twice_in_elements(zone: Zone) -> None:
    """510 elements are 1,020 when upserted."""
    zone.refused(*_many(zone, 510, "UPSERT"))
    zone.change(*_many(zone, 500, "UPSERT"))


def test_an_alias_counts_one_element(zone: Zone) -> None:
    """991 values and ten aliases are 1,001."""
    zone.create(zone.simple("t", "192.0.2.1"))
    aliases = [("CREATE", zone.alias(f"alias{number}", zone.name("t"))) for number in range(10)]
    zone.refused(*_many(zone, 990), ("CREATE", zone.simple("last", "192.0.2.1")), *aliases)


def _texts(zone: Zone, count: int, action: str = "CREATE") -> list[tuple[str, dict[str, Any]]]:
    """`count` values of 250 characters, quotation marks included."""
    return [(action, zone.text(f"n{number}", f'"{"x" * 248}"')) for number in range(count)]


def test_a_batch_has_at_most_32000_characters(zone: Zone) -> None:
    """128 values of 250 pass, 129 do not."""
    zone.refused(*_texts(zone, 129))
    zone.change(*_texts(zone, 128))


def test_upsert_counts_twice_in_characters(zone: Zone) -> None:
    """65 values of 250 are 32,500 when upserted."""
    zone.refused(*_texts(zone, 65, "UPSERT"))


def test_a_weighted_set_has_one_value(zone: Zone) -> None:
    """Two values in a weighted set are refused."""
    zone.refused(("CREATE", zone.weighted("a", "lb-1", "192.0.2.1", "192.0.2.2")))


def test_a_group_has_at_most_100_sets(zone: Zone) -> None:
    """A hundred weighted sets of one name and type pass, one more does not."""
    zone.create(*(zone.weighted("a", f"lb-{n:03d}", f"192.0.2.{n}") for n in range(100)))
    zone.refused(("CREATE", zone.weighted("a", "lb-100", "192.0.2.200")))
